//! Sparse factors in double precision, by faer.

use crate::settings::EQUILIBRATIONS;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMat, Triplet};
use std::fmt::Debug;
use std::sync::Arc;

/// K⁻¹.
pub trait Fresh<S>: Debug + Send + Sync {
    /// r becomes K⁻¹r.
    fn solve(&self, r: &mut [S]);
}

/// A column by its entries that are not zero.
pub type Entries<S> = Vec<(u32, S)>;

/// 2 to the whole exponent nearest to that of 1/√size.
pub(crate) fn power(size: f64) -> f64 {
    if size > 0.0 && size.is_finite() { (-size.log2() / 2.0).round().exp2() } else { 1.0 }
}

/// LU = DKD with D of powers of two that bring the entries of K near one (Ruiz 2001, "A scaling algorithm to equilibrate both rows and columns norms in matrices").
struct SparseLu {
    lu: Lu<usize, f64>,
    scale: Vec<f64>,
}

impl std::fmt::Debug for SparseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseLu({})", self.scale.len())
    }
}

impl Fresh<f64> for SparseLu {
    fn solve(&self, r: &mut [f64]) {
        r.iter_mut().zip(&self.scale).for_each(|(r, scale)| *r *= scale);
        let k = r.len();
        self.lu.solve_in_place(faer::MatMut::from_column_major_slice_mut(r, k, 1));
        r.iter_mut().zip(&self.scale).for_each(|(r, scale)| *r *= scale);
    }
}

/// The factors of a symmetric matrix by its columns; none where it has none.
pub(crate) fn factors(columns: &[Entries<f64>]) -> Option<Arc<dyn Fresh<f64>>> {
    let k = columns.len();
    let mut scale = vec![1.0; k];
    for _ in 0..EQUILIBRATIONS {
        let largest = |(column, own): (&Entries<f64>, &f64)| {
            column.iter().fold(0.0, |m, (i, v)| f64::max(m, (v * own * scale[*i as usize]).abs()))
        };
        let next: Vec<f64> = columns.iter().zip(&scale).map(largest).map(power).collect();
        scale.iter_mut().zip(next).for_each(|(scale, next)| *scale *= next);
    }
    let mut triplets = Vec::with_capacity(columns.iter().map(Vec::len).sum());
    for (j, column) in columns.iter().enumerate() {
        triplets.extend(column.iter().map(|(i, v)| Triplet::new(*i as usize, j, v * scale[*i as usize] * scale[j])));
    }
    let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(k, k, &triplets).ok()?;
    let symbolic = SymbolicLu::try_new(matrix.symbolic()).ok()?;
    let lu = Lu::try_new_with_symbolic(symbolic, matrix.as_ref()).ok()?;
    Some(Arc::new(SparseLu { lu, scale }))
}
