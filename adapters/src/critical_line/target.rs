//! The efficient portfolio with a given return.

use super::{CriticalLine, Portfolio};
use crate::error::AdapterError;
use pathqp::Path;

impl CriticalLine {
    /// The efficient portfolio with a given return. A return beyond an end of the path by no more than the rounding of the sum that makes it (a number typed with a few digits, or the
    /// same sum in another order) is that end's.
    ///
    /// # Errors
    /// [`AdapterError::Return`] for any other return that the path does not have: larger than the largest, or smaller than that of the portfolio of least variance.
    pub fn with_return(&self, path: &Path<f64>, mean: f64) -> Result<Portfolio, AdapterError> {
        let (first, last) = self.ends(path)?;
        let most = last.as_ref().map_or(f64::INFINITY, |last| last.mean);
        let outside = AdapterError::Return { value: mean, least: first.mean, most };
        let within = |end: &Portfolio| (mean - end.mean).abs() <= self.rounding_of_return(end);
        if mean.is_nan() || (mean < first.mean && !within(&first)) {
            return Err(outside);
        }
        if mean <= first.mean {
            return Ok(first);
        }
        match last {
            Some(last) if mean > most && !within(&last) => return Err(outside),
            Some(last) if mean >= most => return Ok(last),
            _ => {}
        }
        let starts: Vec<(usize, f64)> = path.segments().iter().map(|s| s.t).enumerate().collect();
        let low = starts.partition_point(|&(k, t)| self.on(path, k, t).is_some_and(|p| p.mean <= mean));
        let (a, slope, end) = self.segment(path, low.saturating_sub(1)).ok_or(AdapterError::NoSegments)?;
        // The next segment begins with a larger return, or there is none: t lies on this one, but for rounding.
        let t = if mean > a.mean { (a.t + (mean - a.mean) / slope).min(end) } else { a.t };
        self.at(path, t).ok_or(outside)
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
