//! Expected returns and their covariance from a table of returns.

use super::CriticalLine;
use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::hessian::{Gram, Rows};
use std::sync::Arc;

/// The admissible k; for a year, from periods of a thousand million years to periods of less than a nanosecond.
const PERIODS: std::ops::RangeInclusive<f64> = 1e-9..=1e18;

impl CriticalLine {
    /// Assets from a table of returns, with one row for each of T periods and one column for each asset: their means, and their covariance with divisor T − 1.
    /// With fewer periods than assets the covariance is singular, and is used as it is.
    ///
    /// # Errors
    /// As [`CriticalLine::new`]; also for fewer than two periods.
    pub fn from_returns(returns: &Features, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, AdapterError> {
        CriticalLine::from_returns_over(returns, 1.0, lower, upper)
    }

    /// The same for returns over k periods (twelve months, 252 trading days): k times the means and k times the covariance. Returns are summed, not compounded,
    /// and those of different periods are taken as uncorrelated.
    ///
    /// # Errors
    /// As [`CriticalLine::from_returns`]; also for a k outside [1e-9, 1e18].
    pub fn from_returns_over(
        returns: &Features,
        k: f64,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, AdapterError> {
        if !PERIODS.contains(&k) {
            return Err(AdapterError::Parameter {
                name: "periods-per-year",
                value: k,
                expected: "lie between 1e-9 and 1e18",
            });
        }
        let (periods, assets) = (returns.rows(), returns.columns());
        if periods < 2 {
            return Err(AdapterError::Periods { periods });
        }
        let (mut mean, mut values) = (vec![0.0; assets], vec![0.0; assets * periods]);
        for period in 0..periods {
            returns.row(period).for_each(|j, v| values[j * periods + period] = v);
        }
        for (m, row) in mean.iter_mut().zip(values.chunks_mut(periods)) {
            // Counted from the first return: one that is the same in all periods has no variance, to the last bit.
            let first = row[0];
            row.iter_mut().for_each(|v| *v -= first);
            let mean = row.iter().sum::<f64>() / periods as f64;
            row.iter_mut().for_each(|v| *v -= mean);
            *m = k * (first + mean);
        }
        let covariance = Gram::new(assets, Rows::Dense { columns: periods, values }, k / (periods - 1) as f64)?;
        Self::checked(mean, Arc::new(covariance), [lower, upper])
    }
}
