//! Signed copies of another matrix K: Hᵢⱼ = sᵢ sⱼ K[pᵢ, pⱼ].

use super::{CacheCounts, Gram, Hessian, Rows, multiply, multiply_block};
use crate::error::ProblemError;
use crate::scalar::Scalar;
use std::sync::Arc;

/// Rows of a base matrix repeated with signs, as in [K −K; −K K] of ε-SVR.
#[derive(Clone)]
pub struct Signed<S> {
    base: Arc<dyn Hessian<S>>,
    rows: Vec<(usize, S)>,
    /// The copies of the base's rows of Z, where it has them.
    factor: Option<Gram<S>>,
}

impl<S: Scalar> Signed<S> {
    /// The matrix in which variable i stands for row `rows[i].0` of `base`, multiplied by `rows[i].1` (usually ±1). It has as many rows as `rows` has entries.
    ///
    /// # Errors
    /// [`ProblemError`] for a row that `base` does not have, or a factor that is not finite.
    pub fn new(base: Arc<dyn Hessian<S>>, rows: Vec<(usize, S)>) -> Result<Self, ProblemError> {
        for (index, (row, sign)) in rows.iter().enumerate() {
            if *row >= base.dim() || !sign.is_finite_number() {
                let value = format!("row {row} of {} times {sign}", base.dim());
                return Err(ProblemError::NotFinite { what: "signed rows", index, parameter: None, value });
            }
        }
        Ok(Signed { base, rows, factor: None })
    }

    /// H x = S K Sᵀ x, where row i of S has sᵢ in column pᵢ.
    pub(super) fn multiply(&self, x: &[S]) -> Vec<S> {
        self.spread(&multiply(self.base.as_ref(), &self.gather_signed(x)))
    }

    /// Sᵀx.
    fn gather_signed(&self, x: &[S]) -> Vec<S> {
        let mut sums = vec![S::zero(); self.base.dim()];
        for ((row, sign), x) in self.rows.iter().zip(x).filter(|(_, x)| !x.is_zero()) {
            sums[*row] += x.clone() * sign;
        }
        sums
    }

    /// S p.
    fn spread(&self, product: &[S]) -> Vec<S> {
        self.rows.iter().map(|(row, sign)| product[*row].clone() * sign).collect()
    }
}

impl Signed<f64> {
    /// H x for several x, one after the other.
    pub(super) fn multiply_block(&self, x: &[f64]) -> Vec<f64> {
        let sums: Vec<f64> = x.chunks_exact(self.rows.len()).flat_map(|x| self.gather_signed(x)).collect();
        let products = multiply_block(self.base.as_ref(), &sums);
        products.chunks_exact(self.base.dim()).flat_map(|product| self.spread(product)).collect()
    }
}

/// Signed copies of `base` as by [`Signed::new`]. If `base` = κ Z Zᵀ, the rows of Z are copied instead, so that they can be factored.
///
/// # Errors
/// As [`Signed::new`].
pub fn signed<S: Scalar + 'static>(
    base: Arc<dyn Hessian<S>>,
    rows: Vec<(usize, S)>,
) -> Result<Arc<dyn Hessian<S>>, ProblemError> {
    let mut copies = Signed::new(base, rows)?;
    copies.factor = copies.base.row_factor().map(|gram| copied(gram, &copies.rows)).transpose()?;
    match copies.factor {
        // Rows that were computed from entries do not stand for them.
        Some(gram) if !copies.base.is_given_by_entries() => Ok(Arc::new(gram)),
        factor => Ok(Arc::new(Signed { factor, ..copies })),
    }
}

/// The Gram matrix of rows of Z times a factor.
fn copied<S: Scalar>(gram: &Gram<S>, rows: &[(usize, S)]) -> Result<Gram<S>, ProblemError> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for (i, sign) in rows {
        gram.for_row(*i, |j, v| {
            indices.push(j as u32);
            values.push(v.clone() * sign);
        });
        starts.push(values.len());
    }
    let columns = gram.columns();
    let rows_of_z = match gram.rows() {
        Rows::Dense { .. } => Rows::Dense { columns, values },
        Rows::Sparse { .. } => Rows::Sparse { columns, starts, indices, values },
    };
    Gram::new(rows.len(), rows_of_z, gram.scale().clone())
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

    fn row_factor(&self) -> Option<&Gram<S>> {
        self.factor.as_ref()
    }

    fn is_given_by_entries(&self) -> bool {
        self.base.is_given_by_entries()
    }

    fn copies(&self) -> Option<&Signed<S>> {
        Some(self)
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let (row, sign) = &self.rows[i];
        self.base.with_row(*row, &mut |base| {
            let row: Vec<S> = self.rows.iter().map(|(j, s)| base[*j].clone() * s * sign).collect();
            visit(&row);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dense;
    use super::*;

    /// Rows with both signs, one of them twice, one scaled.
    const COPIES: [(usize, f64); 6] = [(0, 1.0), (1, 1.0), (2, -1.0), (0, -1.0), (1, 1.0), (2, 0.5)];

    fn entries(h: &dyn Hessian<f64>) -> Vec<Vec<f64>> {
        let n = h.dim();
        (0..n)
            .map(|i| {
                let (columns, mut gathered, mut whole) = ((0..n).collect::<Vec<_>>(), vec![0.0; n], Vec::new());
                h.gather(i, &columns, &mut gathered);
                h.with_row(i, &mut |row| whole = row.to_vec());
                assert_eq!((gathered[i], &gathered), (h.diagonal(i), &whole));
                whole
            })
            .collect()
    }

    #[test]
    fn copies_have_the_entries_of_their_base() {
        let z = vec![1.0, 2.0, -1.0, 0.5, 0.0, 3.0];
        let sparse = Rows::Sparse {
            columns: 2,
            starts: vec![0, 2, 4, 5],
            indices: vec![0, 1, 0, 1, 1],
            values: vec![1.0, 2.0, -1.0, 0.5, 3.0],
        };
        let grams = [Rows::Dense { columns: 2, values: z }, sparse].map(|rows| Gram::new(3, rows, 0.5).unwrap());
        let plain = entries(&grams[0]);
        let expected: Vec<Vec<f64>> =
            COPIES.iter().map(|(i, s)| COPIES.iter().map(|(j, t)| s * t * plain[*i][*j]).collect()).collect();
        let mut bases: Vec<Arc<dyn Hessian<f64>>> = vec![Arc::new(Dense::new(plain).unwrap())];
        for gram in grams {
            bases.push(Arc::new(gram));
        }
        for base in bases {
            let factored = base.row_factor().is_some();
            let copies = signed(base, COPIES.to_vec()).unwrap();
            assert_eq!((copies.row_factor().is_some(), entries(copies.as_ref())), (factored, expected.clone()));
            // Halves and small integers: products without rounding.
            let x = [0.5, -2.0, 0.0, 3.0, 1.0, -1.0];
            let by_entries: Vec<f64> =
                expected.iter().map(|row| row.iter().zip(&x).map(|(h, x)| h * x).sum()).collect();
            assert_eq!(multiply(copies.as_ref(), &x), by_entries);
        }
    }

    #[test]
    fn wrong_copies_are_named() {
        let base: Arc<dyn Hessian<f64>> = Arc::new(Dense::new(vec![vec![1.0]]).unwrap());
        for (copy, index) in [((1, 1.0), 1), ((0, f64::NAN), 1)] {
            let error = signed(base.clone(), vec![(0, 1.0), copy]).err();
            assert!(matches!(error, Some(ProblemError::NotFinite { index: found, .. }) if found == index), "{error:?}");
        }
    }
}
