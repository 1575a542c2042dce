//! Forms of H: dense, sparse, banded, Gram, kernel, and signed copies of another matrix.

mod banded;
mod block;
mod dense;
mod gram;
mod kernel;
mod metric;
mod semidefinite;
mod signed;
mod sparse;

pub use banded::Banded;
pub use block::multiply_block;
pub(crate) use block::{apply, project};
pub use dense::Dense;
pub use gram::{Gram, Rows};
pub use kernel::{CacheCounts, Kernel, KernelFunction};
pub(crate) use metric::Metric;
pub use semidefinite::semidefinite;
pub(crate) use semidefinite::{is_well_conditioned, of_rows, row_factor};
pub use signed::{Signed, signed};
pub use sparse::Sparse;

/// A symmetric positive semidefinite n × n matrix H, known by its entries.
pub trait Hessian<S: Clone>: Send + Sync {
    /// The number of rows n.
    fn dim(&self) -> usize;

    /// The diagonal entry Hᵢᵢ.
    fn diagonal(&self, i: usize) -> S;

    /// Writes H[i, columnsₖ] to outₖ, for every k.
    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]);

    /// Calls `visit` with row i (n entries).
    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let columns: Vec<usize> = (0..self.dim()).collect();
        let mut row = vec![self.diagonal(i); self.dim()];
        self.gather(i, &columns, &mut row);
        visit(&row);
    }

    /// The columns, in ascending order, and values of the entries of row i that are not zero, for a matrix that stores only these; `None` for other forms.
    fn stored_row(&self, _i: usize) -> Option<(&[u32], &[S])> {
        None
    }

    /// Tells the matrix that these rows are about to be visited, in this order, so that it can compute them together. By default nothing happens.
    fn prepare(&self, _rows: &[usize]) {}

    /// The use of the row cache; `None` without a cache.
    fn cache_counts(&self) -> Option<CacheCounts> {
        None
    }

    /// The bandwidth b of a matrix with Hᵢⱼ = 0 wherever |i − j| > b, if H_FF is to be factored as a band matrix, in the order of the indices.
    fn bandwidth(&self) -> Option<usize> {
        None
    }

    /// The matrix Z with H = κ Z Zᵀ, if there is one: Z is then factored in place of H.
    fn row_factor(&self) -> Option<&Gram<S>> {
        None
    }

    /// Whether the entries of H are the data, and the rows of [`Hessian::row_factor`] were computed from them (with rounding).
    fn is_given_by_entries(&self) -> bool {
        false
    }

    /// The matrix K, and its rows with their signs, if Hᵢⱼ = sᵢ sⱼ K[pᵢ, pⱼ]: one product with K then gives one with H.
    fn copies(&self) -> Option<&Signed<S>> {
        None
    }
}

/// The zero matrix in n variables: the Hessian of a linear program.
///
/// # Errors
/// None; the type is that of [`Gram::new`].
pub fn zero<S: crate::scalar::Scalar>(n: usize) -> Result<Gram<S>, crate::error::ProblemError> {
    Gram::new(n, Rows::Dense { columns: 0, values: Vec::new() }, S::one())
}

/// How many rows a matrix is told of before they are visited.
pub(crate) const AHEAD: usize = 64;

/// The product Hx; `x` has n entries. It uses the form in which H is stored: copies, sparse rows, the factor Z, or the band.
pub fn multiply<S: crate::scalar::Scalar>(h: &dyn Hessian<S>, x: &[S]) -> Vec<S> {
    if let Some(copies) = h.copies() {
        return copies.multiply(x);
    }
    let mut product = vec![S::zero(); h.dim()];
    if h.dim() > 0 && h.stored_row(0).is_some() {
        for (i, p) in product.iter_mut().enumerate() {
            if let Some((columns, values)) = h.stored_row(i) {
                columns.iter().zip(values).for_each(|(&j, v)| *p += v.clone() * &x[j as usize]);
            }
        }
    } else if let Some(gram) = h.row_factor().filter(|_| !h.is_given_by_entries()) {
        let mut w = vec![S::zero(); gram.columns()];
        for (i, x) in x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            let scaled = x.clone() * gram.scale();
            gram.for_row(i, |j, z| w[j] += scaled.clone() * z);
        }
        for (i, p) in product.iter_mut().enumerate() {
            *p = gram.dot(i, &w);
        }
    } else if let Some(bandwidth) = h.bandwidth() {
        let mut row = Vec::new();
        for (i, p) in product.iter_mut().enumerate() {
            let columns: Vec<usize> = (i.saturating_sub(bandwidth)..x.len().min(i + bandwidth + 1)).collect();
            row.resize(columns.len(), S::zero());
            h.gather(i, &columns, &mut row);
            *p = S::dot(&row, &x[columns[0]..columns[0] + columns.len()]);
        }
    } else {
        let rows: Vec<usize> = (0..x.len()).filter(|&i| !x[i].is_zero()).collect();
        for rows in rows.chunks(AHEAD) {
            h.prepare(rows);
            for &i in rows {
                h.with_row(i, &mut |row| S::axpy(&x[i], row, &mut product));
            }
        }
    }
    product
}
