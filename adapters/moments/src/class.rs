//! Means and covariances in one pass, mergeable.
//!
//! With n rows, mean m and scatter S = Σ (xᵢ − m)(xᵢ − m)ᵀ, two disjoint sets a and b of rows have together (Chan, Golub and LeVeque 1983,
//! doi:10.1080/00031305.1983.10483115, eq. 1.5 and 2.1 in matrix form)
//!
//! ```text
//! n = nₐ + n_b      m = mₐ + (n_b/n) δ      S = Sₐ + S_b + (nₐn_b/n) δδᵀ      δ = m_b − mₐ
//! ```
//!
//! The last term is the scatter of one further row √(nₐn_b/n) δ. So a block of rows is centred on its own mean, that row is appended, and S grows by one matrix
//! product. Nothing is ever subtracted from S: there is no cancellation, however far the mean lies from zero, and the order of blocks, chunks, files or threads
//! changes the result by rounding only. A column of equal numbers has a variance of exactly zero.

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};
use pathqp_adapters::dataset::Features;

/// Rows that are centred and multiplied together.
const BLOCK: usize = 256;

/// Count, mean and scatter of the rows of one class.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Parts")]
pub struct ClassMoments {
    count: u64,
    mean: Vec<f64>,
    /// d × d by columns; the part above the diagonal is not used.
    scatter: Vec<f64>,
}

/// Moments as they were stored.
#[derive(serde::Deserialize)]
struct Parts {
    count: u64,
    mean: Vec<f64>,
    scatter: Vec<f64>,
}

impl TryFrom<Parts> for ClassMoments {
    type Error = String;

    fn try_from(Parts { count, mean, scatter }: Parts) -> Result<Self, String> {
        match mean.len().checked_mul(mean.len()) == Some(scatter.len()) {
            true => Ok(ClassMoments { count, mean, scatter }),
            false => Err(format!("{} entries of the scatter of {} columns", scatter.len(), mean.len())),
        }
    }
}

impl ClassMoments {
    /// Of no rows, with d columns. The number of columns grows when later rows have more.
    pub fn new(columns: usize) -> Self {
        ClassMoments { count: 0, mean: vec![0.0; columns], scatter: vec![0.0; columns * columns] }
    }

    /// The number of rows n.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of columns d.
    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// The mean, length d; zero without rows.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance with divisor n − 1, lower triangle by rows (d(d + 1)/2 entries); none for fewer than two rows.
    pub fn covariance(&self) -> Option<Vec<f64>> {
        let divisor = (self.count > 1).then(|| (self.count - 1) as f64)?;
        let d = self.columns();
        let entries = (0..d).flat_map(|i| (0..=i).map(move |j| i + j * d));
        Some(entries.map(|at| self.scatter[at] / divisor).collect())
    }

    /// Adds the given rows of `features`. Rows that are shorter than earlier ones are padded with zeros, and so are the earlier ones when new rows are longer.
    /// Takes O(d²) operations a row and O(d²) memory.
    ///
    /// # Panics
    /// If a row number is not below the number of rows of `features`.
    pub fn absorb(&mut self, features: &Features, rows: &[usize]) {
        self.grow(features.columns());
        let d = self.columns();
        let mut block = vec![0.0; d * (BLOCK.min(rows.len()) + 1)];
        for chunk in rows.chunks(BLOCK) {
            // One row of the block a column of this matrix: its product with its transpose is the scatter.
            let centred = &mut block[..d * (chunk.len() + 1)];
            let (data, shift) = centred.split_at_mut(d * chunk.len());
            for (&i, row) in chunk.iter().zip(data.chunks_mut(d.max(1))) {
                row.fill(0.0);
                features.row(i).for_each(|j, value| row[j] = value);
            }
            let mean = centre(data, d);
            self.shift_row(&mean, chunk.len() as u64, shift);
            self.add_scatter(centred);
        }
    }

    /// Adds the moments of another set of rows, disjoint from this one.
    pub fn merge(&mut self, other: &ClassMoments) {
        if other.count == 0 {
            return self.grow(other.columns());
        }
        let d = self.columns().max(other.columns());
        self.grow(d);
        let mut wide = other.clone();
        wide.grow(d);
        let mut shift = vec![0.0; d];
        self.shift_row(&wide.mean, wide.count, &mut shift);
        self.add_scatter(&shift);
        self.scatter.iter_mut().zip(&wide.scatter).for_each(|(s, o)| *s += o);
    }

    /// Moves count and mean on by a set of rows, and writes √(nₐn_b/n) δ.
    fn shift_row(&mut self, mean: &[f64], count: u64, shift: &mut [f64]) {
        let (before, added) = (self.count as f64, count as f64);
        let total = before + added;
        let share = added / total;
        let weight = (before * share).sqrt();
        for ((own, other), row) in self.mean.iter_mut().zip(mean).zip(shift) {
            let delta = other - *own;
            // The first rows bring their mean as it is.
            *own = if before == 0.0 { *other } else { *own + share * delta };
            *row = weight * delta;
        }
        self.count += count;
    }

    /// S += B Bᵀ, B with d rows.
    fn add_scatter(&mut self, block: &[f64]) {
        let d = self.columns();
        if d == 0 {
            return;
        }
        let block = MatRef::from_column_major_slice(block, d, block.len() / d);
        let scatter = MatMut::from_column_major_slice_mut(&mut self.scatter, d, d);
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        triangular::matmul(scatter, lower, Accum::Add, block, full, block.transpose(), full, 1.0, Par::Seq);
    }

    /// More columns: they were zero in all rows so far.
    fn grow(&mut self, columns: usize) {
        let d = self.columns();
        if columns <= d {
            return;
        }
        let mut scatter = vec![0.0; columns * columns];
        for (old, new) in self.scatter.chunks(d.max(1)).zip(scatter.chunks_mut(columns)) {
            new[..d].copy_from_slice(old);
        }
        self.mean.resize(columns, 0.0);
        self.scatter = scatter;
    }
}

/// Subtracts the mean row from every row, and returns it. Counted from the first row, the mean of equal numbers is that number and their scatter
/// zero, to the last bit; it is refined by the mean of the residuals.
fn centre(data: &mut [f64], d: usize) -> Vec<f64> {
    let Some(first) = data.get(..d).map(<[f64]>::to_vec) else { return vec![0.0; d] };
    if d == 0 {
        return first;
    }
    let n = (data.len() / d) as f64;
    let subtract = |data: &mut [f64], step: &[f64]| {
        data.chunks_mut(d).for_each(|row| row.iter_mut().zip(step).for_each(|(x, s)| *x -= s));
    };
    subtract(data, &first);
    let mut mean = vec![0.0; d];
    for _ in 0..2 {
        let mut step = vec![0.0; d];
        for row in data.chunks(d) {
            step.iter_mut().zip(row).for_each(|(s, x)| *s += x / n);
        }
        subtract(data, &step);
        mean.iter_mut().zip(&step).for_each(|(m, s)| *m += s);
    }
    mean.iter_mut().zip(&first).for_each(|(m, f)| *m += f);
    mean
}
