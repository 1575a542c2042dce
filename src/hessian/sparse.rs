//! A sparse H.

use super::Hessian;
use crate::error::ProblemError;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// A symmetric n × n matrix that stores its non-zero entries only. Semidefiniteness is not checked beforehand: a path on which a direction of negative
/// curvature appears ends with [`ProblemError::Indefinite`].
#[derive(Clone, Debug)]
pub struct Sparse<S> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<S>,
}

impl<S: Scalar> Sparse<S> {
    /// An n × n matrix from (row, column, value) of all entries, on both sides of the diagonal, in any order. Several entries with the same row and column are
    /// added.
    ///
    /// # Errors
    /// [`ProblemError`] for a row or column that is not below n, an entry that is not finite, or entries (i, j) and (j, i) that differ by more than rounding.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize, S)>) -> Result<Self, ProblemError> {
        let mut rows: Vec<Vec<(u32, S)>> = vec![Vec::new(); n];
        for (i, j, v) in entries {
            if i.max(j) >= n {
                return Err(ProblemError::Shape { what: "a row of H", expected: n, found: i.max(j) + 1 });
            }
            if !v.is_finite_number() {
                return Err(ProblemError::NotFinite { what: "H", index: j, parameter: None, value: v.to_string() });
            }
            rows[i].push((j as u32, v));
        }
        let mut sparse = Sparse { starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for mut row in rows {
            row.sort_by_key(|entry| entry.0);
            let first = sparse.indices.len();
            for (j, v) in row {
                match sparse.values.last_mut() {
                    Some(last) if sparse.indices.len() > first && sparse.indices.last() == Some(&j) => *last += v,
                    _ => {
                        sparse.indices.push(j);
                        sparse.values.push(v);
                    }
                }
            }
            sparse.starts.push(sparse.values.len());
        }
        sparse.check_symmetry()?;
        Ok(sparse)
    }

    fn check_symmetry(&self) -> Result<(), ProblemError> {
        for i in 0..self.dim() {
            let (columns, values) = self.row(i);
            for (&j, v) in columns.iter().zip(values) {
                let other = self.entry(j as usize, i);
                let difference = (v.clone() - &other).abs();
                if difference > (v.abs() + other.abs()) * S::tolerance(ROUNDING) {
                    let (row, column) = (i, j as usize);
                    return Err(ProblemError::Asymmetric { row, column, difference: difference.to_string() });
                }
            }
        }
        Ok(())
    }

    fn row(&self, i: usize) -> (&[u32], &[S]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    fn entry(&self, i: usize, j: usize) -> S {
        let (columns, values) = self.row(i);
        columns.binary_search(&(j as u32)).map_or_else(|_| S::zero(), |k| values[k].clone())
    }
}

impl<S: Scalar> Hessian<S> for Sparse<S> {
    fn dim(&self) -> usize {
        self.starts.len() - 1
    }

    fn diagonal(&self, i: usize) -> S {
        self.entry(i, i)
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.entry(i, j);
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let mut row = vec![S::zero(); self.dim()];
        let (columns, values) = self.row(i);
        columns.iter().zip(values).for_each(|(&j, v)| row[j as usize] = v.clone());
        visit(&row);
    }

    fn stored_row(&self, i: usize) -> Option<(&[u32], &[S])> {
        Some(self.row(i))
    }

    fn is_given_by_entries(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dense, multiply, multiply_block};
    use super::*;

    #[test]
    fn products_are_those_of_the_dense_matrix() {
        let entries = [(0, 0, 2.0), (0, 2, -1.0), (2, 0, -1.0), (2, 2, 1.0), (2, 2, 2.0), (3, 3, 0.5)];
        let sparse = Sparse::new(4, entries).unwrap();
        let mut rows = vec![vec![0.0; 4]; 4];
        entries.iter().for_each(|&(i, j, v)| rows[i][j] += v);
        let dense = Dense::new(rows).unwrap();
        let x = [1.0, -2.0, 3.0, 4.0, 0.0, 0.0, 1.0, -1.0];
        assert_eq!(multiply(&sparse, &x[..4]), [-1.0, 0.0, 8.0, 2.0]);
        assert_eq!(multiply_block(&sparse, &x), multiply_block(&dense, &x));
        for i in 0..4 {
            let mut row = vec![0.0; 4];
            sparse.with_row(i, &mut |r| row.copy_from_slice(r));
            dense.with_row(i, &mut |r| assert_eq!(r, row));
        }
    }

    #[test]
    fn what_is_no_symmetric_matrix_is_refused() {
        let error = |entries: Vec<(usize, usize, f64)>| Sparse::new(2, entries).unwrap_err();
        assert!(matches!(error(vec![(0, 2, 1.0)]), ProblemError::Shape { found: 3, .. }));
        assert!(matches!(error(vec![(0, 1, 1.0)]), ProblemError::Asymmetric { row: 0, column: 1, .. }));
        assert!(matches!(error(vec![(1, 1, f64::NAN)]), ProblemError::NotFinite { .. }));
    }
}
