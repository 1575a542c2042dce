//! Recognising prices given in place of returns, and computing returns from prices.

use crate::dataset::Features;
use crate::error::AdapterError;

/// If their mean is above this, the values are not returns: these would be more than half of the invested amount in every period. Prices mostly lie above.
const IMPLAUSIBLE: f64 = 0.5;

/// A price usually (in the median) differs from the one before by less than this part of its value; positive returns differ from one another by about their own
/// size.
const STEADY: f64 = 0.2;

/// The evidence that a table contains prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LooksLikePrices {
    /// The mean of all values, each of which is positive.
    pub mean: f64,
    /// The median of |x/x₋ − 1| over all values x, with x₋ the value of the period before.
    pub change: f64,
}

impl std::fmt::Display for LooksLikePrices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LooksLikePrices { mean, change } = self;
        write!(
            f,
            "this looks like prices and not like returns: every value is positive, their mean is {mean:.4} (as a return, {:.0} % a period), and half of them differ from the one before by less than {:.2} %",
            100.0 * mean,
            100.0 * change
        )
    }
}

/// Whether a table of returns (one row for each period, one column for each asset) looks like a table of prices: every value is positive, the mean is too large
/// for a return, and values change little from one period to the next. Returns of risky assets have both signs in all but small tables, and returns that are
/// positive by chance are not close to one another.
pub fn looks_like_prices(table: &Features) -> Option<LooksLikePrices> {
    let (periods, assets) = (table.rows(), table.columns());
    if periods < 2 || assets == 0 {
        return None;
    }
    let (mut before, mut row) = (vec![0.0; assets], vec![0.0; assets]);
    let (mut mean, mut changes) = (0.0, Vec::with_capacity(assets * (periods - 1)));
    for k in 0..periods {
        table.dense_row(k, &mut row);
        if row.iter().any(|x| *x <= 0.0 || !x.is_finite()) {
            return None;
        }
        mean += row.iter().sum::<f64>() / (periods * assets) as f64;
        if k > 0 {
            changes.extend(row.iter().zip(&before).map(|(x, b)| (x / b - 1.0).abs()));
        }
        before.copy_from_slice(&row);
    }
    let middle = changes.len() / 2;
    let change = *changes.select_nth_unstable_by(middle, f64::total_cmp).1;
    (mean > IMPLAUSIBLE && change < STEADY).then_some(LooksLikePrices { mean, change })
}

/// The returns pₖ/pₖ₋₁ − 1 of prices: one row less than there are periods.
///
/// # Errors
/// [`AdapterError::Price`] for a price that is not positive, [`AdapterError::Periods`] for fewer than three periods: two returns make a covariance.
pub fn returns_of_prices(prices: &Features) -> Result<Features, AdapterError> {
    let (periods, columns) = (prices.rows(), prices.columns());
    if periods < 3 {
        return Err(AdapterError::Periods { periods: periods.saturating_sub(1) });
    }
    let (mut before, mut row) = (vec![0.0; columns], vec![0.0; columns]);
    let mut values = Vec::with_capacity(columns * (periods - 1));
    for k in 0..periods {
        prices.dense_row(k, &mut row);
        if let Some(column) = row.iter().position(|p| !(p.is_finite() && *p > 0.0)) {
            return Err(AdapterError::Price { row: k, column, value: row[column] });
        }
        if k > 0 {
            // The difference first: it has no rounding where prices are near to one another.
            values.extend(row.iter().zip(&before).map(|(p, b)| (p - b) / b));
        }
        before.copy_from_slice(&row);
    }
    Ok(Features::Dense { rows: periods - 1, columns, values })
}
