//! A dense H.

use super::{Gram, Hessian};
use crate::error::ProblemError;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};

/// A dense H, stored row by row.
#[derive(Clone, Debug)]
pub struct Dense<S> {
    n: usize,
    entries: Vec<S>,
    /// The rows of Z with H = ZZᵀ, where H is singular or nearly so.
    factor: Option<Gram<S>>,
}

impl<S: Scalar> Dense<S> {
    /// An n × n matrix from its rows. Symmetry and semidefiniteness are checked (O(n³)): a Cholesky factor with pivots far from rounding is a proof, otherwise a direction of
    /// negative curvature is looked for. For `f64`, if H is singular or nearly so, a factor Z with H = ZZᵀ is stored as well, and factored in its place.
    ///
    /// # Errors
    /// [`ProblemError`] for rows of another length than n, entries that are not finite, asymmetry, or a direction of negative curvature.
    pub fn new(rows: Vec<Vec<S>>) -> Result<Self, ProblemError> {
        let mut dense = Self::symmetric(rows)?;
        if !S::is_well_conditioned(&dense) {
            check_semidefinite(dense.rows())?;
            dense.factor = S::row_factor(&dense);
        }
        Ok(dense)
    }

    /// The same without the check of semidefiniteness.
    pub(super) fn symmetric(rows: Vec<Vec<S>>) -> Result<Self, ProblemError> {
        let n = rows.len();
        for row in &rows {
            if row.len() != n {
                return Err(ProblemError::Shape { what: "a row of H", expected: n, found: row.len() });
            }
            if let Some(index) = row.iter().position(|v| !v.is_finite_number()) {
                let value = row[index].to_string();
                return Err(ProblemError::NotFinite { what: "H", index, parameter: None, value });
            }
        }
        for (i, row) in rows.iter().enumerate() {
            for (j, entry) in row[..i].iter().enumerate() {
                let difference = (entry.clone() - &rows[j][i]).abs();
                let size = entry.abs() + rows[j][i].abs();
                if difference > size * S::tolerance(ROUNDING) {
                    return Err(ProblemError::Asymmetric { row: i, column: j, difference: difference.to_string() });
                }
            }
        }
        Ok(Dense { n, entries: rows.into_iter().flatten().collect(), factor: None })
    }

    /// The n rows.
    pub(super) fn rows(&self) -> Vec<Vec<S>> {
        self.entries.chunks(self.n.max(1)).map(<[S]>::to_vec).collect()
    }
}

impl<S: Scalar> Hessian<S> for Dense<S> {
    fn dim(&self) -> usize {
        self.n
    }

    fn diagonal(&self, i: usize) -> S {
        self.entries[i * self.n + i].clone()
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.entries[i * self.n + j].clone();
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        visit(&self.entries[i * self.n..(i + 1) * self.n]);
    }

    fn row_factor(&self) -> Option<&Gram<S>> {
        self.factor.as_ref()
    }

    fn is_given_by_entries(&self) -> bool {
        true
    }
}

/// LDLᵀ with the largest remaining diagonal as pivot. H is semidefinite if and only if no Schur complement on the way
/// has a negative diagonal entry, or a zero one with something else in its row (Higham 2002, §10.3).
pub(super) fn check_semidefinite<S: Scalar>(mut h: Vec<Vec<S>>) -> Result<(), ProblemError> {
    let n = h.len();
    let original = h.clone();
    let tolerance = S::tolerance(Settings::default().pivot);
    let scale = (0..n).fold(S::zero(), |m, i| S::larger(m, h[i][i].abs()));
    let zero = tolerance * &scale;
    let (mut left, mut done): (Vec<usize>, Vec<usize>) = ((0..n).collect(), Vec::new());
    loop {
        if let Some(&i) = left.iter().find(|&&i| h[i][i] < -zero.clone()) {
            return Err(evidence(&original, &h, &done, &[(i, S::one())]));
        }
        let Some(k) = (0..left.len()).max_by(|&a, &b| {
            h[left[a]][left[a]].partial_cmp(&h[left[b]][left[b]]).unwrap_or(std::cmp::Ordering::Equal)
        }) else {
            return Ok(());
        };
        let i = left[k];
        if h[i][i] <= zero {
            // Everything left is zero on the diagonal: an entry beside it gives a direction of negative curvature.
            for (&i, &j) in left.iter().flat_map(|i| left.iter().map(move |j| (i, j))) {
                let root = S::larger(tolerance_root::<S>() * &scale, zero.clone());
                if i < j && h[i][j].abs() > root {
                    let along = (h[j][j].abs() + S::one()) / h[i][j].abs() * (-h[i][j].signum());
                    return Err(evidence(&original, &h, &done, &[(i, along), (j, S::one())]));
                }
            }
            return Ok(());
        }
        left.swap_remove(k);
        let pivot = h[i][i].clone();
        let row: Vec<S> = left.iter().map(|&j| h[i][j].clone()).collect();
        for (&j, factor) in left.iter().zip(&row) {
            if factor.is_zero() {
                continue;
            }
            let factor = factor.clone() / &pivot;
            for (&m, entry) in left.iter().zip(&row) {
                h[j][m] -= factor.clone() * entry;
            }
        }
        done.push(i);
    }
}

/// Below √tolerance an off-diagonal entry of a semidefinite matrix may be rounding of a zero diagonal.
fn tolerance_root<S: Scalar>() -> S {
    let squared = S::tolerance(Settings::default().pivot);
    if S::EXACT { S::zero() } else { squared.scale_root() }
}

/// Extends a direction on the Schur complement to one on H: d_P = −H_PP⁻¹ H_P,rest d_rest, by back substitution.
fn evidence<S: Scalar>(original: &[Vec<S>], h: &[Vec<S>], done: &[usize], tail: &[(usize, S)]) -> ProblemError {
    let mut direction: Vec<(usize, S)> = tail.to_vec();
    for &i in done.iter().rev() {
        let mut sum = S::zero();
        for (j, d) in &direction {
            sum += h[i][*j].clone() * d;
        }
        direction.push((i, -sum / &h[i][i]));
    }
    let mut curvature = S::zero();
    for (i, a) in &direction {
        for (j, b) in &direction {
            curvature += original[*i][*j].clone() * a * b;
        }
    }
    let direction = direction.into_iter().filter(|d| !d.1.is_zero()).map(|(i, d)| (i, d.to_string())).collect();
    ProblemError::Indefinite { direction, curvature: curvature.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indefinite_matrices_are_refused_with_a_direction() {
        for h in [vec![vec![0.0, 1.0], vec![1.0, 0.0]], vec![vec![1.0, 2.0], vec![2.0, 1.0]]] {
            let Err(ProblemError::Indefinite { direction, curvature }) = Dense::new(h.clone()) else {
                panic!("accepted {h:?}");
            };
            let d: Vec<(usize, f64)> = direction.iter().map(|(i, v)| (*i, v.parse().unwrap())).collect();
            let value: f64 =
                d.iter().flat_map(|a| d.iter().map(move |b| (a, b))).map(|(a, b)| a.1 * b.1 * h[a.0][b.0]).sum();
            assert!(value < 0.0);
            assert_eq!(value, curvature.parse::<f64>().unwrap());
        }
    }

    #[test]
    fn semidefinite_matrices_of_low_rank_are_accepted() {
        let z = [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [0.3, -0.7], [1e-3, 1e3]];
        let h = z.iter().map(|a| z.iter().map(|b| a[0] * b[0] + a[1] * b[1]).collect()).collect();
        assert!(Dense::<f64>::new(h).is_ok());
    }

    #[test]
    fn asymmetry_names_the_entry() {
        let error = Dense::new(vec![vec![1.0, 0.5], vec![0.25, 1.0]]).unwrap_err();
        assert_eq!(error, ProblemError::Asymmetric { row: 1, column: 0, difference: "0.25".into() });
    }
}
