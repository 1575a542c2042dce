//! Covariance matrices: formed, or implicit, by their products with a vector.
//!
//! Without forming Σ, with the n rows xᵢ of a class and their mean m,
//!
//! ```text
//! Σw = (1/(n − 1)) Σᵢ uᵢ (xᵢ − m) = (1/(n − 1)) ( Σᵢ uᵢxᵢ − (Σᵢ uᵢ) m ),      uᵢ = (xᵢ − m)ᵀw = xᵢᵀw − mᵀw
//! ```
//!
//! which takes two passes over the stored entries and no memory beyond the rows themselves. This is the form of Ghanbari, Li and Scheinberg (2019,
//! arXiv:1903.00359, §4), Σ = XᵀX/(n − 1) − (n/(n − 1)) mmᵀ, except for the order of operations: the differences uᵢ are computed before they are multiplied, so
//! that no square of the mean has to cancel (Σ uᵢ is zero except for rounding).

use pathqp_adapters::dataset::Features;
use std::sync::Arc;

/// A covariance matrix, d × d.
#[derive(Clone, Debug)]
pub enum Covariance {
    /// The lower triangle by rows, d(d + 1)/2 entries.
    Dense {
        /// d.
        columns: usize,
        /// The entries.
        values: Vec<f64>,
    },
    /// The covariance of some rows of a matrix, which is not formed.
    Implicit {
        /// The matrix.
        features: Arc<Features>,
        /// The rows, at least two.
        rows: Vec<usize>,
        /// Their mean.
        mean: Vec<f64>,
    },
}

impl Covariance {
    /// The number of features d.
    pub fn columns(&self) -> usize {
        match self {
            Covariance::Dense { columns, .. } => *columns,
            Covariance::Implicit { mean, .. } => mean.len(),
        }
    }

    /// Adds Σw to `out`, both of length d.
    pub fn add_times(&self, w: &[f64], out: &mut [f64]) {
        match self {
            Covariance::Dense { values, .. } => add_symmetric_times(values, w, out),
            Covariance::Implicit { features, rows, mean } => {
                let (centre, scale) = (dot(mean, w), 1.0 / (rows.len() as f64 - 1.0));
                let mut total = 0.0;
                for &i in rows {
                    let row = features.row(i);
                    let u = (row.dot(w) - centre) * scale;
                    total += u;
                    row.for_each(|j, value| out[j] += u * value);
                }
                out.iter_mut().zip(mean).for_each(|(o, m)| *o -= total * m);
            }
        }
    }

    /// The variances, length d.
    pub fn diagonal(&self) -> Vec<f64> {
        match self {
            Covariance::Dense { columns, values } => (0..*columns).map(|i| values[i * (i + 3) / 2]).collect(),
            Covariance::Implicit { features, rows, mean } => {
                let (mut squares, mut zeros) = (vec![0.0; mean.len()], vec![rows.len() as f64; mean.len()]);
                for &i in rows {
                    features.row(i).for_each(|j, x| {
                        squares[j] += (x - mean[j]).powi(2);
                        zeros[j] -= 1.0;
                    });
                }
                squares.iter_mut().zip(mean.iter().zip(&zeros)).for_each(|(s, (m, z))| *s += z * m * m);
                squares.iter().map(|s| s / (rows.len() as f64 - 1.0)).collect()
            }
        }
    }

    /// The lower triangle by rows, d(d + 1)/2 entries. Takes O(d²) memory, and d products with a vector for an implicit covariance.
    pub fn to_dense(&self) -> Vec<f64> {
        match self {
            Covariance::Dense { values, .. } => values.clone(),
            Covariance::Implicit { mean, .. } => {
                let d = mean.len();
                let mut values = Vec::with_capacity(d * (d + 1) / 2);
                for i in 0..d {
                    let (mut unit, mut row) = (vec![0.0; d], vec![0.0; d]);
                    unit[i] = 1.0;
                    self.add_times(&unit, &mut row);
                    values.extend_from_slice(&row[..=i]);
                }
                values
            }
        }
    }
}

/// y += Σw from the lower triangle by rows: row i serves as row and, without its diagonal entry, as column.
fn add_symmetric_times(lower: &[f64], w: &[f64], y: &mut [f64]) {
    let mut rest = lower;
    for i in 0..w.len() {
        let (row, after) = rest.split_at(i + 1);
        rest = after;
        let wi = w[i];
        let (mut sums, head) = ([0.0; 4], i - i % 4);
        for ((r, x), y) in row[..head].chunks_exact(4).zip(w[..head].chunks_exact(4)).zip(y[..head].chunks_exact_mut(4))
        {
            for lane in 0..4 {
                sums[lane] += r[lane] * x[lane];
                y[lane] += wi * r[lane];
            }
        }
        for j in head..i {
            sums[0] += row[j] * w[j];
            y[j] += wi * row[j];
        }
        y[i] += sums.iter().sum::<f64>() + row[i] * wi;
    }
}

/// The inner product of two vectors of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
