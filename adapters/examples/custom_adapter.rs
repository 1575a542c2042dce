//! The one-class SVM for every share ν of outliers, from one path: the example of `docs/adapters.md`.

use pathqp::hessian::{Kernel, KernelFunction};
use pathqp::{Affine, Line, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Status, trace};
use std::sync::Arc;

/// What can be wrong with a one-class SVM, or with its path.
#[derive(Debug, thiserror::Error)]
pub enum OneClassError {
    /// γ must be positive and finite.
    #[error("gamma = {value}: it must be a positive finite number")]
    Gamma {
        /// The value given.
        value: f64,
    },
    /// Rows must be equally long.
    #[error("row {row} has {found} entries, the rows before it have {expected}")]
    Ragged {
        /// The row, from zero.
        row: usize,
        /// The length of the first row.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// The quadratic program could not be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// k(x, z) = exp(−γ‖x − z‖²) on the training rows.
struct Gaussian {
    rows: Arc<[Vec<f64>]>,
    gamma: f64,
}

impl KernelFunction for Gaussian {
    fn dim(&self) -> usize {
        self.rows.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        gaussian(&self.rows[i], &self.rows[j], self.gamma)
    }
}

fn gaussian(x: &[f64], z: &[f64], gamma: f64) -> f64 {
    let square: f64 = x.iter().zip(z).map(|(a, b)| (a - b).powi(2)).sum();
    (-gamma * square).exp()
}

/// A one-class SVM on n rows.
pub struct OneClassSvm {
    rows: Arc<[Vec<f64>]>,
    gamma: f64,
}

/// The model at one ν: f(x) = Σ aᵢ k(xᵢ, x) − ρ, negative at outliers.
pub struct Model {
    /// a, n entries.
    pub weights: Vec<f64>,
    /// ρ.
    pub offset: f64,
}

impl OneClassSvm {
    /// Checks the data.
    pub fn new(rows: Vec<Vec<f64>>, gamma: f64) -> Result<Self, OneClassError> {
        if !(gamma.is_finite() && gamma > 0.0) {
            return Err(OneClassError::Gamma { value: gamma });
        }
        let expected = rows.first().map_or(0, Vec::len);
        if let Some(row) = rows.iter().position(|x| x.len() != expected) {
            return Err(OneClassError::Ragged { row, expected, found: rows[row].len() });
        }
        Ok(OneClassSvm { rows: rows.into(), gamma })
    }

    /// The parametric QP with θ = ν ∈ [1/n, 1].
    pub fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, OneClassError> {
        let n = self.rows.len();
        let function = Gaussian { rows: self.rows.clone(), gamma: self.gamma };
        let hessian = Arc::new(Kernel::new(function, settings.cache_bytes));
        let all = |value| Affine::constant(vec![value; n], 1);
        let qp = ParametricQp::new(hessian, vec![Range::new(1.0 / n as f64, 1.0)], all(0.0))?
            .lower(all(0.0))?
            .upper(all(1.0))?
            .equality(vec![1.0; n], Affine::line(vec![0.0], vec![n as f64]))?;
        Ok(qp)
    }

    /// From ν = 1 down to 1/n.
    pub fn line(&self, settings: &Settings) -> Result<Line<f64>, OneClassError> {
        let least = 1.0 / self.rows.len() as f64;
        Ok(self.qp(settings)?.line(&[1.0], &[least])?)
    }

    /// The solution at ν = 1, where the row leaves no choice: every a is at its upper bound.
    pub fn start(&self) -> Start<f64> {
        Start::ActiveSet { status: vec![Status::Upper; self.rows.len()], y: None }
    }

    /// The whole path.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, OneClassError> {
        trace(&self.line(settings)?, &self.start(), settings, &mut ()).map_err(|failure| failure.0.into())
    }

    /// The model of a path's point: ρ is the multiplier of the row.
    pub fn model(&self, point: &Point<f64>) -> Model {
        Model { weights: point.x.clone(), offset: point.y }
    }

    /// f(x).
    pub fn decision(&self, model: &Model, x: &[f64]) -> f64 {
        let terms = self.rows.iter().zip(&model.weights).filter(|(_, a)| **a != 0.0);
        terms.map(|(z, a)| a * gaussian(z, x, self.gamma)).sum::<f64>() - model.offset
    }
}

/// A ring of thirty points with three outliers.
pub fn ring() -> Vec<Vec<f64>> {
    let on_ring = |i: usize| {
        let (sine, cosine) = (i as f64 * 2.4).sin_cos();
        let radius = 1.0 + 0.01 * (i % 7) as f64;
        vec![radius * cosine, radius * sine]
    };
    (0..30).map(on_ring).chain([vec![2.5, 0.0], vec![-2.0, 2.0], vec![0.0, -3.0]]).collect()
}

/// Follows the path and prints how many rows lie outside at a few ν.
pub fn main() -> Result<(), OneClassError> {
    let rows = ring();
    let svm = OneClassSvm::new(rows.clone(), 0.5)?;
    let path = svm.path(&Settings::default())?;
    println!("{} breakpoints for ν from 1 down", path.breakpoints().len());
    for nu in [0.5, 0.3, 0.2] {
        let Some(point) = path.position(&[nu]).and_then(|t| path.at(&t)) else { continue };
        let model = svm.model(&point);
        let outside = point.x.iter().filter(|&&a| a == 1.0).count();
        let lone = svm.decision(&model, &rows[32]);
        println!("ν = {nu}: {outside} of {} rows outside, f = {lone:.2} at the farthest one", rows.len());
    }
    Ok(())
}
