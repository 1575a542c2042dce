//! Kernel functions, and kernel matrices on rows of data for the engine.

use crate::dataset::{Features, Row};
use pathqp::hessian::KernelFunction;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A kernel k(x, z).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum KernelKind {
    /// The linear kernel x·z.
    Linear,
    /// The Gaussian kernel exp(−γ‖x − z‖²).
    Rbf {
        /// γ > 0.
        gamma: f64,
    },
    /// The Laplacian kernel exp(−γ‖x − z‖₁).
    Laplacian {
        /// γ > 0.
        gamma: f64,
    },
    /// The polynomial kernel (γ x·z + c)^degree.
    Polynomial {
        /// The degree, at least one.
        degree: u32,
        /// γ > 0.
        gamma: f64,
        /// c ≥ 0.
        coef0: f64,
    },
    /// A kernel matrix K that is given: the features of row i are K[i, ·].
    Precomputed,
}

/// A description of a kernel that cannot be understood.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "kernel '{given}': choose one of linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0, precomputed (GAMMA > 0, scale or auto, DEGREE ≥ 1, COEF0 ≥ 0)"
)]
pub struct KernelParseError {
    /// The description.
    pub given: String,
}

impl FromStr for KernelKind {
    type Err = KernelParseError;

    fn from_str(s: &str) -> Result<Self, KernelParseError> {
        let error = || KernelParseError { given: s.to_string() };
        let (name, rest) = s.split_once(':').map_or((s, None), |(n, r)| (n, Some(r)));
        let numbers: Option<Vec<f64>> =
            rest.map_or(Some(Vec::new()), |r| r.split(',').map(|v| v.trim().parse().ok()).collect());
        let numbers = numbers.ok_or_else(error)?;
        let positive = |v: f64| v.is_finite() && v > 0.0;
        match (name, numbers.as_slice()) {
            ("linear", []) if rest.is_none() => Ok(KernelKind::Linear),
            ("precomputed", []) if rest.is_none() => Ok(KernelKind::Precomputed),
            ("rbf", &[gamma]) if positive(gamma) => Ok(KernelKind::Rbf { gamma }),
            ("laplacian", &[gamma]) if positive(gamma) => Ok(KernelKind::Laplacian { gamma }),
            ("poly", &[degree, gamma, coef0])
                if positive(gamma)
                    && coef0.is_finite()
                    && coef0 >= 0.0
                    && degree.fract() == 0.0
                    && (1.0..=64.0).contains(&degree) =>
            {
                Ok(KernelKind::Polynomial { degree: degree as u32, gamma, coef0 })
            }
            _ => Err(error()),
        }
    }
}

impl fmt::Display for KernelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelKind::Linear => write!(f, "linear"),
            KernelKind::Rbf { gamma } => write!(f, "rbf:{gamma}"),
            KernelKind::Laplacian { gamma } => write!(f, "laplacian:{gamma}"),
            KernelKind::Polynomial { degree, gamma, coef0 } => write!(f, "poly:{degree},{gamma},{coef0}"),
            KernelKind::Precomputed => write!(f, "precomputed"),
        }
    }
}

impl KernelKind {
    /// k(x, z) for a row x of data and a dense z with its squared length. `index` is z's row in the training data
    /// (used by a precomputed kernel only).
    fn with_dense(&self, x: Row<'_>, x_square: f64, z: &[f64], z_square: f64, index: usize) -> f64 {
        match *self {
            KernelKind::Linear => x.dot(z),
            KernelKind::Rbf { gamma } => (-gamma * (x_square + z_square - 2.0 * x.dot(z)).max(0.0)).exp(),
            KernelKind::Polynomial { degree, gamma, coef0 } => (gamma * x.dot(z) + coef0).powi(degree as i32),
            KernelKind::Laplacian { gamma } => (-gamma * distance(x, z)).exp(),
            KernelKind::Precomputed => entry(x, index),
        }
    }

    /// The values Σⱼ weightsⱼ k(x, zⱼ) over the rows zⱼ of `train` with a non-zero weight, one for each row x of `rows`.
    pub fn expand(&self, rows: &Features, train: &Features, weights: &[f64]) -> Vec<f64> {
        self.expand_all(rows, train, &[weights]).pop().unwrap_or_default()
    }

    /// The same for several lists of weights, with one list of values for each. Each value of the kernel is computed once.
    pub fn expand_all(&self, rows: &Features, train: &Features, weights: &[&[f64]]) -> Vec<Vec<f64>> {
        let m = rows.rows();
        let mut out = vec![vec![0.0; m]; weights.len()];
        let squares: Vec<f64> = (0..m).map(|i| rows.row(i).norm_squared()).collect();
        let (mut z, mut values) = (vec![0.0; train.columns()], vec![0.0; m]);
        for j in (0..train.rows()).filter(|&j| weights.iter().any(|weights| weights[j] != 0.0)) {
            train.dense_row(j, &mut z);
            let square = train.row(j).norm_squared();
            for (i, value) in values.iter_mut().enumerate() {
                *value = self.with_dense(rows.row(i), squares[i], &z, square, j);
            }
            for (out, weight) in out.iter_mut().zip(weights).map(|(out, weights)| (out, weights[j])) {
                if weight != 0.0 {
                    out.iter_mut().zip(&values).for_each(|(out, value)| *out += weight * value);
                }
            }
        }
        out
    }

    /// The values k(xᵢ, xᵢ) at the training rows.
    pub fn diagonal(&self, train: &Features) -> Vec<f64> {
        let mut x = vec![0.0; train.columns()];
        let value = |i: usize| {
            train.dense_row(i, &mut x);
            let square = train.row(i).norm_squared();
            self.with_dense(train.row(i), square, &x, square, i)
        };
        (0..train.rows()).map(value).collect()
    }
}

fn distance(x: Row<'_>, z: &[f64]) -> f64 {
    match x {
        Row::Dense(x) => x.iter().zip(z).map(|(a, b)| (a - b).abs()).sum(),
        Row::Sparse(indices, values) => {
            // Where x has no entry the difference is z itself.
            let all: f64 = z.iter().map(|v| v.abs()).sum();
            let stored = indices.iter().zip(values);
            all + stored.map(|(&j, v)| (v - z[j as usize]).abs() - z[j as usize].abs()).sum::<f64>()
        }
    }
}

fn entry(x: Row<'_>, j: usize) -> f64 {
    match x {
        Row::Dense(x) => x.get(j).copied().unwrap_or(0.0),
        Row::Sparse(indices, values) => indices.binary_search(&(j as u32)).map_or(0.0, |k| values[k]),
    }
}

/// The kernel matrix K[i, j] = scale · signᵢ · signⱼ · (k(xᵢ, xⱼ) + offset), in entries for the engine.
pub struct SignedKernel {
    features: Arc<Features>,
    squares: Vec<f64>,
    kind: KernelKind,
    signs: Vec<f64>,
    scale: f64,
    offset: f64,
}

impl SignedKernel {
    /// The matrix on all rows of `features`; `signs` has one entry for each row.
    pub fn new(features: Arc<Features>, kind: KernelKind, signs: Vec<f64>, scale: f64, offset: f64) -> Self {
        let squares = (0..features.rows()).map(|i| features.row(i).norm_squared()).collect();
        SignedKernel { features, squares, kind, signs, scale, offset }
    }

    /// The signs sᵢ, n entries.
    pub fn signs(&self) -> &[f64] {
        &self.signs
    }

    /// The factor κ of all entries.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    fn dense(&self, i: usize) -> Vec<f64> {
        let mut z = vec![0.0; self.features.columns()];
        self.features.dense_row(i, &mut z);
        z
    }

    /// K[i, j] with row i of the data as `z`.
    fn value(&self, i: usize, z: &[f64], j: usize) -> f64 {
        let k = self.kind.with_dense(self.features.row(j), self.squares[j], z, self.squares[i], i);
        self.scale * self.signs[i] * self.signs[j] * (k + self.offset)
    }
}

impl KernelFunction for SignedKernel {
    fn dim(&self) -> usize {
        self.signs.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.value(i, &self.dense(i), j)
    }

    fn fill(&self, i: usize, columns: &[usize], out: &mut [f64]) {
        let z = self.dense(i);
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.value(i, &z, j);
        }
    }

    /// Row j of the data is read once for all `rows`.
    fn fill_rows(&self, rows: &[usize], out: &mut [f64]) {
        let (n, z) = (self.dim(), rows.iter().map(|&i| self.dense(i)).collect::<Vec<_>>());
        for j in 0..n {
            for (b, (&i, z)) in rows.iter().zip(&z).enumerate() {
                out[b * n + j] = self.value(i, z, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_read_and_written_alike() {
        for text in ["linear", "rbf:0.5", "laplacian:2", "poly:3,0.5,1", "precomputed"] {
            assert_eq!(text.parse::<KernelKind>().unwrap().to_string(), text);
        }
        for text in ["", "rbf", "rbf:", "rbf:-1", "rbf:nan", "poly:0,1,1", "poly:2", "linear:1", "gauss:1"] {
            assert!(text.parse::<KernelKind>().is_err(), "{text}");
        }
    }

    #[test]
    fn sparse_and_dense_rows_give_the_same_values() {
        let dense = Features::Dense { rows: 3, columns: 3, values: vec![1.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0] };
        let sparse = dense.to_sparse();
        for kind in ["linear", "rbf:0.5", "laplacian:2", "poly:3,0.5,1"] {
            let kind: KernelKind = kind.parse().unwrap();
            let a = kind.expand(&dense, &dense, &[1.0, -0.5, 2.0]);
            let b = kind.expand(&sparse, &sparse, &[1.0, -0.5, 2.0]);
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() < 1e-14);
            }
        }
        let (one, other) = ([1.0, -0.5, 2.0], [0.0, 3.0, 0.0]);
        for kind in ["rbf:0.5", "laplacian:2", "poly:3,0.5,1"] {
            let kind: KernelKind = kind.parse().unwrap();
            let alone = [one, other].map(|weights| kind.expand(&sparse, &dense, &weights));
            assert_eq!(kind.expand_all(&sparse, &dense, &[&one, &other]), alone);
        }
        assert!(KernelKind::Linear.expand_all(&dense, &dense, &[]).is_empty());
        // By hand: ‖(1,0,−2) − (0.5,1,0)‖² = 0.25 + 1 + 4, ‖·‖₁ = 0.5 + 1 + 2.
        let at = |kind: &str| {
            kind.parse::<KernelKind>().unwrap().expand(&dense.select_rows(&[0]), &dense, &[0.0, 0.0, 1.0])[0]
        };
        assert!((at("rbf:0.5") - (-2.625f64).exp()).abs() < 1e-15);
        assert!((at("laplacian:2") - (-7.0f64).exp()).abs() < 1e-15);
        assert!((at("poly:2,2,1") - 4.0).abs() < 1e-15);
    }
}
