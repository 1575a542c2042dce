//! The efficient portfolios with a given return or a given risk.

use super::{CriticalLine, Portfolio};
use crate::error::AdapterError;
use pathqp::Path;

/// A quantity that grows along the path.
struct Quantity<'a> {
    /// Of a portfolio.
    of: &'a dyn Fn(&Portfolio) -> f64,
    /// How far that is determined.
    rounding: &'a dyn Fn(&Portfolio) -> f64,
    /// t where it has a value on a segment that begins at a portfolio and has the rate m′ of the return.
    position: &'a dyn Fn(f64, &Portfolio, f64) -> f64,
}

impl CriticalLine {
    /// The efficient portfolio with a given return. A return beyond an end of the path by no more than the rounding of its sum (because it was typed with a few
    /// digits, or summed in another order) is taken as that end's.
    ///
    /// # Errors
    /// [`AdapterError::Return`] for another return that is not on the path: larger than the largest, or smaller than that of the portfolio of least variance.
    pub fn with_return(&self, path: &Path<f64>, mean: f64) -> Result<Portfolio, AdapterError> {
        let quantity = Quantity {
            of: &|portfolio| portfolio.mean,
            rounding: &|portfolio| self.rounding_of_return(portfolio),
            position: &|mean, a, slope| a.t + (mean - a.mean) / slope,
        };
        self.with(path, mean, quantity)?.map_err(|[least, most]| AdapterError::Return { value: mean, least, most })
    }

    /// The efficient portfolio with a given risk √(wᵀΣw). A risk beyond an end of the path by no more than the rounding of its variance is taken as that end's.
    ///
    /// # Errors
    /// [`AdapterError::Risk`] for another risk that is not on the path.
    pub fn with_risk(&self, path: &Path<f64>, risk: f64) -> Result<Portfolio, AdapterError> {
        let variance = if risk < 0.0 { f64::NAN } else { risk * risk };
        let quantity = Quantity {
            of: &|portfolio| portfolio.variance,
            // The square of a number that was rounded once, and that of a sum.
            rounding: &|portfolio| {
                self.rounding_of_variance(&portfolio.weights) + 2.0 * f64::EPSILON * portfolio.variance
            },
            // v = v(a) + m′(t² − a²).
            position: &|variance, a, slope| (a.t * a.t + (variance - a.variance) / slope).sqrt(),
        };
        let found = self.with(path, variance, quantity)?;
        found.map_err(|ends| {
            let [least, most] = ends.map(f64::sqrt);
            AdapterError::Risk { value: risk, least, most }
        })
    }

    /// The portfolio at which a quantity has a value; the least and the largest of the path where none has it.
    fn with(
        &self,
        path: &Path<f64>,
        value: f64,
        quantity: Quantity,
    ) -> Result<Result<Portfolio, [f64; 2]>, AdapterError> {
        let (first, last) = self.ends(path)?;
        let (least, most) = ((quantity.of)(&first), last.as_ref().map_or(f64::INFINITY, quantity.of));
        let within = |end: &Portfolio| (value - (quantity.of)(end)).abs() <= (quantity.rounding)(end);
        if value.is_nan() || (value < least && !within(&first)) {
            return Ok(Err([least, most]));
        }
        if value <= least {
            return Ok(Ok(first));
        }
        match last {
            Some(last) if value > most && !within(&last) => return Ok(Err([least, most])),
            Some(last) if value >= most => return Ok(Ok(last)),
            _ => {}
        }
        let starts: Vec<(usize, f64)> = path.segments().iter().map(|s| s.t).enumerate().collect();
        let low = starts.partition_point(|&(k, t)| self.on(path, k, t).is_some_and(|p| (quantity.of)(&p) <= value));
        let (a, slope, end) = self.segment(path, low.saturating_sub(1)).ok_or(AdapterError::NoSegments)?;
        // The next segment begins with a larger value, or there is none: t lies on this one, but for rounding.
        let t = if value > (quantity.of)(&a) { (quantity.position)(value, &a, slope).min(end) } else { a.t };
        Ok(self.at(path, t).ok_or([least, most]))
    }

    /// The portfolios with the least and the largest return of a path; no largest one where the return grows without end.
    pub(super) fn ends(&self, path: &Path<f64>) -> Result<(Portfolio, Option<Portfolio>), AdapterError> {
        let count = path.segments().len();
        let (first, ..) = self.segment(path, 0).ok_or(AdapterError::NoSegments)?;
        let (a, slope, end) = self.segment(path, count - 1).ok_or(AdapterError::NoSegments)?;
        let last = match end.is_finite() {
            true => self.at(path, end),
            false if slope > 0.0 => None,
            false => Some(a),
        };
        Ok((first, last))
    }
}
