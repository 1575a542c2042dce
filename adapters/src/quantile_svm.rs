//! The quantile SVM: every misclassification trade-off τ at once.
//!
//! *Primal* (Yu, Vishwanathan and Zhang 2009, "The entire quantile path of a risk-agnostic SVM classifier", UAI, eq. 3–4):
//!
//! ```text
//! min over f   λ/2 ‖f‖² + Σᵢ cᵢ(τ) max(0, 1 − yᵢ f(xᵢ)),     cᵢ = 2(1 − τ)/n for yᵢ = +1,   2τ/n for yᵢ = −1
//! ```
//!
//! *Dual* (eq. 8): min ½ αᵀHα − 1ᵀα, 0 ≤ αᵢ ≤ cᵢ(τ), Hᵢⱼ = yᵢyⱼk(xᵢ, xⱼ)/λ, with f = (1/λ) Σ αᵢyᵢk(xᵢ, ·) (eq. 9).
//!
//! *Map to the engine*: x = α, θ = τ, c = −1, l = 0, u = c(τ) affine in τ. The bias is one of: none; augmented, a
//! constant feature B, so k + B² in place of k (the paper's §6); an intercept b without penalty, which adds the
//! equality row yᵀα = 0 with b = −(multiplier of the row). Case weights vᵢ (mean one) multiply cᵢ.
//!
//! In the limit f_τ(x) has the sign of P(Y = 1|x) − τ (Lemma 2.2), so P(Y = 1|x) is the τ at which the sign changes.

use crate::dataset::Features;
use crate::kernel::{KernelKind, SignedKernel};
use pathqp::hessian::{Gram, Kernel, Rows};
use pathqp::observe::{Observer, Starting};
use pathqp::{
    Affine, Follower, Hessian, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Stop,
};
use std::sync::Arc;

/// How a constant enters the decision function.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Bias {
    /// f has no constant.
    None,
    /// A constant feature of this value, penalised like the others.
    Augmented(f64),
    /// A constant without penalty.
    Intercept,
}

/// What can be wrong with a quantile SVM.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QuantileSvmError {
    /// λ must be positive and finite.
    #[error("lambda = {value}: it must be a positive finite number")]
    Lambda {
        /// The value given.
        value: f64,
    },
    /// The constant feature must be finite and not zero.
    #[error("the augmented bias {value} must be a finite number other than zero")]
    AugmentedBias {
        /// The value given.
        value: f64,
    },
    /// τ lies in [0, 1].
    #[error("tau = {value}: it must lie in [0, 1]")]
    Tau {
        /// The value given.
        value: f64,
    },
    /// Lengths that do not agree.
    #[error("{found} {what} for {expected} rows of features")]
    Shape {
        /// What has the wrong length.
        what: &'static str,
        /// The number of rows.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A label that is neither +1 nor −1.
    #[error("the label of row {row} is {value}: it must be +1 or -1")]
    Label {
        /// The row, from zero.
        row: usize,
        /// The label.
        value: f64,
    },
    /// Both classes must occur.
    #[error("only one class ({class:+}) in {rows} rows")]
    OneClass {
        /// The class.
        class: f64,
        /// The number of rows.
        rows: usize,
    },
    /// A case weight that is not finite and positive.
    #[error("the weight of row {row} is {value}: it must be a positive finite number")]
    Weight {
        /// The row, from zero.
        row: usize,
        /// The weight.
        value: f64,
    },
    /// Rows to predict must have the training data's columns.
    #[error("{found} feature columns where the training data has {expected}")]
    Columns {
        /// The training data's.
        expected: usize,
        /// Those found.
        found: usize,
    },
    /// A precomputed kernel must be square.
    #[error("a precomputed kernel needs as many columns as rows: {rows} rows, {columns} columns")]
    Precomputed {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// The quadratic program could not be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A quantile SVM on n rows: the data, the model, and the parametric QP.
#[derive(Clone)]
pub struct QuantileSvm {
    features: Arc<Features>,
    labels: Vec<f64>,
    /// Case weights with mean one.
    weights: Vec<f64>,
    lambda: f64,
    kernel: KernelKind,
    bias: Bias,
}

/// The model at one τ.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The quantile parameter.
    pub tau: f64,
    /// Dual variables, n entries.
    pub alpha: Vec<f64>,
    /// The features' weights (linear kernels only), without the constant feature's.
    pub w: Option<Vec<f64>>,
    /// The constant of f: zero, the constant feature's part, or the intercept.
    pub constant: f64,
    /// λ/2‖f‖² + Σ cᵢ max(0, 1 − yᵢf(xᵢ)).
    pub objective: f64,
    /// −(½αᵀHα − 1ᵀα).
    pub dual_objective: f64,
}

impl QuantileSvm {
    /// Labels are +1 or −1; `weights` are case weights (any positive scale).
    ///
    /// # Errors
    /// [`QuantileSvmError`] names the parameter or the row.
    pub fn new(
        features: Arc<Features>,
        labels: Vec<f64>,
        weights: Option<Vec<f64>>,
        lambda: f64,
        kernel: KernelKind,
        bias: Bias,
    ) -> Result<Self, QuantileSvmError> {
        let rows = features.rows();
        if !(lambda.is_finite() && lambda > 0.0) {
            return Err(QuantileSvmError::Lambda { value: lambda });
        }
        if let Bias::Augmented(value) = bias
            && !(value.is_finite() && value != 0.0)
        {
            return Err(QuantileSvmError::AugmentedBias { value });
        }
        if labels.len() != rows {
            return Err(QuantileSvmError::Shape { what: "labels", expected: rows, found: labels.len() });
        }
        if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
            return Err(QuantileSvmError::Label { row, value: labels[row] });
        }
        if let Some(&class) = labels.first()
            && labels.iter().all(|&y| y == class)
        {
            return Err(QuantileSvmError::OneClass { class, rows });
        }
        if kernel == KernelKind::Precomputed && features.columns() != rows {
            return Err(QuantileSvmError::Precomputed { rows, columns: features.columns() });
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; rows]);
        if weights.len() != rows {
            return Err(QuantileSvmError::Shape { what: "weights", expected: rows, found: weights.len() });
        }
        if let Some(row) = weights.iter().position(|v| !(v.is_finite() && *v > 0.0)) {
            return Err(QuantileSvmError::Weight { row, value: weights[row] });
        }
        let total: f64 = weights.iter().sum();
        let weights = weights.iter().map(|v| v * rows as f64 / total).collect();
        Ok(QuantileSvm { features, labels, weights, lambda, kernel, bias })
    }

    /// A start at τ for `qp`, made by [`QuantileSvm::qp`]: the path is followed there from the nearer end of [0, 1]. At the ends
    /// one class costs nothing and the solution is found in a few events, while a start from anywhere in between takes an
    /// event for every case or more. Where the path cannot be followed the start is from anywhere.
    pub fn start(qp: &ParametricQp<f64>, tau: f64, settings: &Settings) -> Start<f64> {
        QuantileSvm::start_watched(qp, tau, settings, &mut ()).unwrap_or(Start::Anywhere)
    }

    /// The same with an observer.
    ///
    /// # Errors
    /// [`PathError::StartStopped`] when [`Observer::start_event`] asks for it.
    pub fn start_watched(
        qp: &ParametricQp<f64>,
        tau: f64,
        settings: &Settings,
        observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        let end = tau.round().clamp(0.0, 1.0);
        let settings = Settings { max_events: None, ..settings.clone() };
        let Some(line) = (tau != end).then(|| qp.line(&[end], &[tau]).ok()).flatten() else {
            return Ok(Start::Anywhere);
        };
        let mut watch = Starting(observer);
        let mut follower = match Follower::watched(&line, &Start::Anywhere, settings, &mut watch) {
            Ok(follower) => follower,
            Err(stopped @ PathError::StartStopped { .. }) => return Err(stopped),
            Err(_) => return Ok(Start::Anywhere),
        };
        match follower.run(&mut watch) {
            Ok(Stop::Target) => {
                Ok(Start::ActiveSet { status: follower.status().to_vec(), y: Some(*follower.multiplier()) })
            }
            Ok(Stop::Asked { .. }) => Err(PathError::StartStopped { events: follower.stats().events }),
            _ => Ok(Start::Anywhere),
        }
    }

    /// The parametric QP with θ = τ ∈ [0, 1]. A linear kernel is given by its rows yᵢ(xᵢ, B), others by kernel rows
    /// kept within the byte budget of `settings`.
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, QuantileSvmError> {
        let n = self.labels.len();
        let hessian: Arc<dyn Hessian<f64>> = match self.kernel {
            KernelKind::Linear => Arc::new(Gram::new(n, self.signed_rows(), 1.0 / self.lambda)?),
            kind => {
                let offset = if let Bias::Augmented(b) = self.bias { b * b } else { 0.0 };
                let signs = self.labels.clone();
                let function = SignedKernel::new(self.features.clone(), kind, signs, 1.0 / self.lambda, offset);
                Arc::new(Kernel::new(function, settings.cache_bytes).with_threads(settings.threads))
            }
        };
        let per_case = |i: usize| 2.0 * self.weights[i] / n as f64;
        let positive = |i: usize| self.labels[i] > 0.0;
        let constant = (0..n).map(|i| if positive(i) { per_case(i) } else { 0.0 }).collect();
        let slope = (0..n).map(|i| if positive(i) { -per_case(i) } else { per_case(i) }).collect();
        let qp = ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], Affine::constant(vec![-1.0; n], 1))?
            .lower(Affine::constant(vec![0.0; n], 1))?
            .upper(Affine::line(constant, slope))?;
        Ok(match self.bias {
            Bias::Intercept => qp.equality(self.labels.clone(), Affine::constant(vec![0.0], 1))?,
            _ => qp,
        })
    }

    /// yᵢ(xᵢ, B).
    fn signed_rows(&self) -> Rows<f64> {
        let features = match self.bias {
            Bias::Augmented(b) => self.features.append_constant_column(b),
            _ => self.features.as_ref().clone(),
        };
        match features {
            Features::Dense { columns, mut values, .. } => {
                for (row, y) in values.chunks_mut(columns.max(1)).zip(&self.labels) {
                    row.iter_mut().for_each(|v| *v *= y);
                }
                Rows::Dense { columns, values }
            }
            Features::Sparse { columns, starts, indices, mut values, .. } => {
                for (i, y) in self.labels.iter().enumerate() {
                    values[starts[i]..starts[i + 1]].iter_mut().for_each(|v| *v *= y);
                }
                Rows::Sparse { columns, starts, indices, values }
            }
        }
    }

    /// A duality gap of one in the engine's objective, in units of [`Model::objective`]. With H = yᵢyⱼk(xᵢ, xⱼ)/λ and f = (1/λ) Σ αᵢyᵢk(xᵢ, ·),
    /// λ/2 ‖f‖² = ½αᵀHα, and zᵢ = yᵢf(xᵢ) − 1 makes cᵢ zᵢ⁻ the loss of row i: the primal less the dual objective is
    /// αᵀHα − Σαᵢ + Σ cᵢ zᵢ⁻ = Σ αᵢzᵢ⁺ + (cᵢ − αᵢ)zᵢ⁻, the engine's own gap. So it is one.
    pub fn gap_unit(&self) -> f64 {
        1.0
    }

    /// The model of a path's point at τ.
    pub fn model(&self, tau: f64, point: &Point<f64>) -> Model {
        let weights = self.expansion(&point.x);
        let w = (self.kernel == KernelKind::Linear).then(|| self.linear_weights(&weights));
        let constant = match self.bias {
            Bias::None => 0.0,
            Bias::Augmented(b) => b * b * weights.iter().sum::<f64>(),
            Bias::Intercept => -point.y,
        };
        let mut model = Model { tau, alpha: point.x.clone(), w, constant, objective: 0.0, dual_objective: 0.0 };
        let f = self.decision(&model, &self.features);
        let n = self.labels.len() as f64;
        let (mut square, mut loss) = (0.0, 0.0);
        for (i, (f, y)) in f.iter().zip(&self.labels).enumerate() {
            let free_of_intercept = if self.bias == Bias::Intercept { f - model.constant } else { *f };
            square += weights[i] * free_of_intercept;
            let cost = 2.0 * self.weights[i] * if *y > 0.0 { 1.0 - tau } else { tau } / n;
            loss += cost * (1.0 - y * f).max(0.0);
        }
        model.objective = self.lambda / 2.0 * square + loss;
        model.dual_objective = point.x.iter().sum::<f64>() - self.lambda / 2.0 * square;
        model
    }

    /// αᵢyᵢ/λ.
    fn expansion(&self, alpha: &[f64]) -> Vec<f64> {
        alpha.iter().zip(&self.labels).map(|(a, y)| a * y / self.lambda).collect()
    }

    fn linear_weights(&self, weights: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; self.features.columns()];
        for (i, weight) in weights.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            self.features.row(i).for_each(|j, v| w[j] += weight * v);
        }
        w
    }

    /// f(x) for each row of `rows`, which has as many columns as the training data.
    pub fn decision(&self, model: &Model, rows: &Features) -> Vec<f64> {
        match &model.w {
            Some(w) => (0..rows.rows()).map(|i| rows.row(i).dot(w) + model.constant).collect(),
            None => {
                let expanded = self.kernel.expand(rows, &self.features, &self.expansion(&model.alpha));
                expanded.into_iter().map(|f| f + model.constant).collect()
            }
        }
    }

    /// The labels, +1 or −1.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// The training features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The kernel.
    pub fn kernel(&self) -> KernelKind {
        self.kernel
    }

    /// Case weights with mean one, n entries.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The kind of bias.
    pub fn bias(&self) -> Bias {
        self.bias
    }

    /// The model of a path at τ.
    ///
    /// # Errors
    /// τ outside the part of [0, 1] that the path covers.
    pub fn at(&self, path: &Path<f64>, tau: f64) -> Result<Model, QuantileSvmError> {
        let point = path.position(&[tau]).and_then(|t| path.at(&t)).ok_or(QuantileSvmError::Tau { value: tau })?;
        Ok(self.model(tau, &point))
    }
}
