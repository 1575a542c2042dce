//! H, in the forms that problems give it: dense, sparse, banded, Gram, kernel, and signed copies of another.

mod banded;
mod block;
mod dense;
mod gram;
mod kernel;
mod metric;
mod product;
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
pub use product::multiply;
pub(crate) use product::multiply_in_two;
pub(crate) use semidefinite::row_factor;
pub use semidefinite::semidefinite;
pub use signed::{Signed, signed};
pub use sparse::Sparse;

/// A symmetric positive semidefinite n × n matrix, asked for by entries.
pub trait Hessian<S: Clone>: Send + Sync {
    /// n.
    fn dim(&self) -> usize;

    /// Hᵢᵢ.
    fn diagonal(&self, i: usize) -> S;

    /// outₖ = H[i, columnsₖ].
    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]);

    /// Calls `visit` with the whole row i (n entries).
    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let columns: Vec<usize> = (0..self.dim()).collect();
        let mut row = vec![self.diagonal(i); self.dim()];
        self.gather(i, &columns, &mut row);
        visit(&row);
    }

    /// The columns and values of the entries of row i that are not zero, in order, where nothing else is stored.
    fn stored_row(&self, _i: usize) -> Option<(&[u32], &[S])> {
        None
    }

    /// These rows are about to be visited, in this order: a hint.
    fn prepare(&self, _rows: &[usize]) {}

    /// Rows found in a cache and rows computed, where there is one.
    fn cache_counts(&self) -> Option<CacheCounts> {
        None
    }

    /// b, when Hᵢⱼ = 0 wherever |i − j| > b and that is worth knowing: H_FF is then factored in the order of the indices.
    fn bandwidth(&self) -> Option<usize> {
        None
    }

    /// The rows Z when H = κ Z Zᵀ, so that Z can be factored in place of H.
    fn row_factor(&self) -> Option<&Gram<S>> {
        None
    }

    /// Whether its entries are the data, and the rows of [`Hessian::row_factor`] were computed from them.
    fn is_given_by_entries(&self) -> bool {
        false
    }

    /// K and its rows with their signs when Hᵢⱼ = sᵢ sⱼ K[pᵢ, pⱼ], so that one product with K gives one with H.
    fn copies(&self) -> Option<&Signed<S>> {
        None
    }
}

/// H = 0 in n variables: the Hessian of a linear program.
pub fn zero<S: crate::scalar::Scalar>(n: usize) -> Result<Gram<S>, crate::error::ProblemError> {
    Gram::new(n, Rows::Dense { columns: 0, values: Vec::new() }, S::one())
}

/// How many rows a matrix is told of before they are visited.
pub(crate) const AHEAD: usize = 64;
