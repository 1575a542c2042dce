//! A semidefinite matrix given by its entries, and its factor if it is singular or nearly so.

use super::dense::Dense;
use super::{Gram, Hessian, Rows};
use crate::error::ProblemError;
use crate::scalar::Scalar;
use crate::settings::{OF_ROWS, ROUNDING};
use std::sync::Arc;

/// A Cholesky factor whose least pivot, relative to its diagonal entry, is at least this leaves half of the digits: the matrix itself is factored along a path,
/// and not its rows Z.
const WELL_CONDITIONED: f64 = 1e-8;

/// Where entries are known so badly that what is left of a diagonal entry becomes negative, so many times as much is none.
const OF_NEGATIVE: f64 = 4.0;

/// H from its n rows of n entries each, as [`Dense::new`], for shared use.
///
/// # Errors
/// As [`Dense::new`].
pub fn semidefinite(rows: Vec<Vec<f64>>) -> Result<Arc<dyn Hessian<f64>>, ProblemError> {
    Ok(Arc::new(Dense::new(rows)?))
}

/// Whether H has a Cholesky factor with pivots far from rounding. It is then positive definite, and itself factored along a path.
pub(crate) fn is_well_conditioned(dense: &Dense<f64>) -> bool {
    let (columns, least) = cholesky(dense, Sums::Plain);
    columns.len() == dense.dim() && least >= WELL_CONDITIONED
}

/// The rows of Z with H = ZZᵀ of an H that is singular or nearly so.
///
/// Along the path Z is then factored and not H, whose condition number is the square of that of Z, so that dependence is recognised far more sharply: for the
/// covariance of fewer periods than assets, the kernel matrix of few features, or the products of a table's rows.
///
/// Z has as many columns as H has rank, and differs from a factor of H by rounding only: it is the pivoted Cholesky factor (Higham 2002, §10.3), ended where
/// the remainder of each diagonal entry is rounding of that entry. Its sums are
/// in twice the working precision, so that what is lost is rounding of the entries and not of the factor: of I + κXXᵀ with long rows X the identity is the last digits of every entry.
pub(crate) fn row_factor(dense: &Dense<f64>) -> Option<Gram<f64>> {
    let n = dense.dim();
    let (columns, _) = cholesky(dense, Sums::Twice);
    let values = (0..n).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
    // The columns of a semidefinite matrix with finite entries are finite.
    Gram::new(n, Rows::Dense { columns: columns.len(), values }, 1.0).ok()
}

/// The entries of ZZᵀ differ from those of an H that is given by its entries by up to so much of √(HᵢᵢHⱼⱼ): a factor of k columns by (k + 1)/2·ε (Higham 2002, theorem 10.3).
/// Zero where Z is what is given.
pub(crate) fn of_rows<S: Scalar>(hessian: &dyn Hessian<S>, gram: &Gram<S>) -> S {
    match hessian.is_given_by_entries() {
        true => S::tolerance(OF_ROWS.min((gram.columns() + 1) as f64 / 2.0)),
        false => S::zero(),
    }
}

/// How the sums of a factor are made.
#[derive(Clone, Copy, PartialEq)]
enum Sums {
    /// In the working precision: what is left of a diagonal entry is known to `ROUNDING`·nε of it.
    Plain,
    /// In twice that: it is known to what the entries are.
    Twice,
}

impl Sums {
    /// h − x·y.
    fn left(self, h: f64, x: &[f64], y: &[f64]) -> f64 {
        if self == Sums::Plain {
            return h - f64::dot(x, y);
        }
        let (mut high, mut low) = (-h, 0.0);
        f64::accumulate_dot(&mut high, &mut low, x, y);
        -(high + low)
    }

    /// What is left of a diagonal entry counts as rounding of it up to this part, `left` being the parts left of all. As no diagonal entry of a semidefinite matrix can become negative,
    /// one that does says how well the entries are known.
    fn noise(self, left: impl Iterator<Item = f64>, n: usize) -> f64 {
        match self {
            Sums::Plain => f64::tolerance(ROUNDING) * n as f64,
            Sums::Twice => left.map(|left| -left * OF_NEGATIVE).fold(f64::tolerance(OF_ROWS), f64::max),
        }
    }
}

/// The columns of the pivoted Cholesky factor (n entries each), and the least pivot relative to its diagonal entry.
///
/// ```text
/// pivot p: the largest of what is left of the diagonal;   zⱼ = (Hⱼₚ − Σ_m Zⱼₘ Zₚₘ)/√left_p for j not yet taken;   leftⱼ −= zⱼ²
/// ```
///
/// What is left is compared relative to Hᵢᵢ, as if H were scaled to a unit diagonal: variables may have any units.
fn cholesky(h: &Dense<f64>, sums: Sums) -> (Vec<Vec<f64>>, f64) {
    let n = h.dim();
    // Sums of two numbers.
    let mut left: Vec<(f64, f64)> = (0..n).map(|i| (h.diagonal(i), 0.0)).collect();
    let mut taken = vec![false; n];
    let mut done: Vec<Vec<f64>> = vec![Vec::new(); n];
    let (mut columns, mut least) = (Vec::new(), 1.0);
    loop {
        let rest = |i: usize| left[i].0 + left[i].1;
        let part = |i: usize| rest(i) / h.diagonal(i);
        let untaken = || (0..n).filter(|&i| !taken[i] && h.diagonal(i) > 0.0);
        let noise = sums.noise(untaken().map(part), n);
        let open = untaken().filter(|&i| rest(i) > noise * h.diagonal(i));
        let Some(p) = open.max_by(|&i, &j| part(i).total_cmp(&part(j))) else {
            return (columns, least);
        };
        let root = rest(p).sqrt();
        least = f64::min(least, part(p));
        taken[p] = true;
        let pivot = done[p].clone();
        let mut column = vec![0.0; n];
        h.with_row(p, &mut |row| {
            for j in (0..n).filter(|&j| !taken[j]) {
                column[j] = sums.left(row[j], &done[j], &pivot) / root;
            }
        });
        column[p] = root;
        for j in (0..n).filter(|&j| j == p || !taken[j]) {
            done[j].push(column[j]);
            let (high, low) = &mut left[j];
            match sums {
                Sums::Plain => *high -= column[j] * column[j],
                Sums::Twice => f64::accumulate(high, low, &-column[j], &column[j]),
            }
        }
        columns.push(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn products(z: &[&[f64]]) -> Vec<Vec<f64>> {
        z.iter().map(|a| z.iter().map(|b| a.iter().zip(*b).map(|(a, b)| a * b).sum()).collect()).collect()
    }

    #[test]
    fn the_form_depends_on_the_rank() {
        let of_rank_two = products(&[&[1.0, 2.0], &[0.3, -0.7], &[1.0, 2.0], &[0.0, 0.0], &[1e-3, 1e3]]);
        let h = semidefinite(of_rank_two.clone()).unwrap();
        assert_eq!(h.row_factor().map(Gram::columns), Some(2));
        let gram = h.row_factor().unwrap();
        for (i, row) in of_rank_two.iter().enumerate() {
            let mut given = vec![0.0; 5];
            h.gather(i, &[0, 1, 2, 3, 4], &mut given);
            assert_eq!(&given, row);
            gram.gather(i, &[0, 1, 2, 3, 4], &mut given);
            for (j, (a, b)) in given.iter().zip(row).enumerate() {
                assert!((a - b).abs() <= 1e-15 * (h.diagonal(i) * h.diagonal(j)).sqrt(), "{i} {j}: {a} {b}");
            }
        }
        let regular = semidefinite(vec![vec![2.0, 1.0], vec![1.0, 2.0]]).unwrap();
        assert!(regular.row_factor().is_none());
        // Correlated to 1e-9: singular enough for Z.
        let near = semidefinite(vec![vec![1.0, 1.0 - 1e-9], vec![1.0 - 1e-9, 1.0]]).unwrap();
        assert_eq!(near.row_factor().map(Gram::columns), Some(2));
        let zero = semidefinite(vec![vec![0.0; 2]; 2]).unwrap();
        assert_eq!(zero.row_factor().map(Gram::columns), Some(0));
    }

    #[test]
    fn what_is_no_such_matrix_is_refused() {
        assert!(matches!(semidefinite(vec![vec![1.0, 2.0], vec![2.0, 1.0]]), Err(ProblemError::Indefinite { .. })));
        assert!(matches!(semidefinite(vec![vec![0.0, 1.0], vec![1.0, 0.0]]), Err(ProblemError::Indefinite { .. })));
        assert!(matches!(semidefinite(vec![vec![-1.0]]), Err(ProblemError::Indefinite { .. })));
        assert!(matches!(semidefinite(vec![vec![1.0, 0.5], vec![0.25, 1.0]]), Err(ProblemError::Asymmetric { .. })));
        assert!(matches!(semidefinite(vec![vec![1.0], vec![1.0, 1.0]]), Err(ProblemError::Shape { .. })));
        assert!(matches!(semidefinite(vec![vec![f64::NAN]]), Err(ProblemError::NotFinite { .. })));
    }
}
