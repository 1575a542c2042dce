//! H with few diagonals: Hᵢⱼ = 0 where |i − j| is larger than the bandwidth.

use super::Hessian;
use crate::error::ProblemError;
use crate::scalar::Scalar;

/// A symmetric positive semidefinite band matrix. Semidefiniteness is not checked beforehand: a path on which a direction of negative curvature appears ends
/// with [`ProblemError::Indefinite`].
#[derive(Clone, Debug)]
pub struct Banded<S> {
    bandwidth: usize,
    /// Row i: H[i, i], H[i, i + 1], …, H[i, i + bandwidth]; zeros beyond the end.
    rows: Vec<Vec<S>>,
}

impl<S: Scalar> Banded<S> {
    /// An n × n band matrix from its upper half: `rows[i][k]` is H[i, i + k]. All n rows have bandwidth + 1 entries; entries beyond the last column must be
    /// zero.
    ///
    /// # Errors
    /// [`ProblemError`] for no rows, rows without entries or of different lengths, entries that are not finite, or non-zero entries beyond the last column.
    pub fn new(rows: Vec<Vec<S>>) -> Result<Self, ProblemError> {
        let (n, expected) = (rows.len(), rows.first().map_or(0, Vec::len));
        if expected == 0 {
            return Err(ProblemError::Empty { variables: n, parameters: 1 });
        }
        for (i, row) in rows.iter().enumerate() {
            if row.len() != expected || row.iter().skip(n - i).any(|v| !v.is_zero()) {
                return Err(ProblemError::Shape { what: "a row of a band matrix", expected, found: row.len() });
            }
            if let Some(index) = row.iter().position(|v| !v.is_finite_number()) {
                let value = row[index].to_string();
                return Err(ProblemError::NotFinite { what: "H", index: i + index, parameter: None, value });
            }
        }
        Ok(Banded { bandwidth: expected - 1, rows })
    }

    fn entry(&self, i: usize, j: usize) -> S {
        let (i, j) = (i.min(j), i.max(j));
        self.rows[i].get(j - i).cloned().unwrap_or_else(S::zero)
    }
}

impl<S: Scalar> Hessian<S> for Banded<S> {
    fn dim(&self) -> usize {
        self.rows.len()
    }

    fn diagonal(&self, i: usize) -> S {
        self.rows[i][0].clone()
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.entry(i, j);
        }
    }

    fn bandwidth(&self) -> Option<usize> {
        Some(self.bandwidth)
    }
}
