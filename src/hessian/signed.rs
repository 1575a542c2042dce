//! Signed copies of another H: Hᵢⱼ = sᵢ sⱼ K[pᵢ, pⱼ].

use super::{CacheCounts, Hessian};
use crate::error::ProblemError;
use crate::scalar::Scalar;
use std::sync::Arc;

/// Rows of a base matrix repeated with signs, as in ε-SVR's [K −K; −K K].
#[derive(Clone)]
pub struct Signed<S> {
    base: Arc<dyn Hessian<S>>,
    rows: Vec<(usize, S)>,
}

impl<S: Scalar> Signed<S> {
    /// Variable i stands for row `rows[i].0` of `base`, multiplied by `rows[i].1` (usually ±1).
    ///
    /// # Errors
    /// A row that `base` does not have, or a factor that is not finite.
    pub fn new(base: Arc<dyn Hessian<S>>, rows: Vec<(usize, S)>) -> Result<Self, ProblemError> {
        for (index, (row, sign)) in rows.iter().enumerate() {
            if *row >= base.dim() || !sign.is_finite_number() {
                let value = format!("row {row} of {} times {sign}", base.dim());
                return Err(ProblemError::NotFinite { what: "signed rows", index, parameter: None, value });
            }
        }
        Ok(Signed { base, rows })
    }
}

impl<S: Scalar> Hessian<S> for Signed<S> {
    fn dim(&self) -> usize {
        self.rows.len()
    }

    fn diagonal(&self, i: usize) -> S {
        let (row, sign) = &self.rows[i];
        self.base.diagonal(*row) * sign * sign
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        let (row, sign) = &self.rows[i];
        let base: Vec<usize> = columns.iter().map(|&j| self.rows[j].0).collect();
        self.base.gather(*row, &base, out);
        for (out, &j) in out.iter_mut().zip(columns) {
            *out *= self.rows[j].1.clone() * sign;
        }
    }

    fn prepare(&self, rows: &[usize]) {
        let base: Vec<usize> = rows.iter().map(|&i| self.rows[i].0).collect();
        self.base.prepare(&base);
    }

    fn cache_counts(&self) -> Option<CacheCounts> {
        self.base.cache_counts()
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let (row, sign) = &self.rows[i];
        self.base.with_row(*row, &mut |base| {
            let row: Vec<S> = self.rows.iter().map(|(j, s)| base[*j].clone() * s * sign).collect();
            visit(&row);
        });
    }
}
