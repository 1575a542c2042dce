//! The quantile SVM: all trade-offs τ between the two kinds of misclassification.
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

use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::{AdapterError, positive};
use crate::kernel::KernelKind;
use crate::machine::{Function, KernelMachine, check_labels};
use crate::problem::{Group, Multipliers, Solution, kernel_columns, kernel_solution};
use crate::problem::{KernelProblem, Model, PathProblem};
use crate::rates::{self, Probability, RateCurve};
use crate::spec::{Data, Entry, Opt};
use crate::view::{Classifier, View};
use pathqp::observe::{Observer, Starting};
use pathqp::{Affine, Follower, ParametricQp, Path, PathError, Point, Range, Settings, Start, Stop};
use std::sync::Arc;

pub use crate::bias::Bias;

/// A quantile SVM on n rows: the data, the model, and the parametric QP.
#[derive(Clone)]
pub struct QuantileSvm {
    machine: KernelMachine,
    labels: Vec<f64>,
    lambda: f64,
}

impl QuantileSvm {
    /// The problem on n rows. Labels are +1 or −1; `weights` are case weights, in any unit (only their ratios count); rows of weight zero are ignored.
    ///
    /// # Errors
    /// [`AdapterError`], with the parameter or the row, for a λ that is not positive, lengths that do not agree, other labels, a single class, and weights that
    /// cannot be used.
    pub fn new(
        features: Arc<Features>,
        labels: Vec<f64>,
        weights: Option<Vec<f64>>,
        lambda: f64,
        kernel: KernelKind,
        bias: Bias,
    ) -> Result<Self, AdapterError> {
        positive("lambda", lambda)?;
        check_labels(&labels, features.rows())?;
        let machine = KernelMachine::new(features, weights, kernel, bias)?.with_mean_weight_one();
        machine.check_classes(&labels)?;
        Ok(QuantileSvm { machine, labels, lambda })
    }

    /// The labels, +1 or −1.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// The penalty λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// cᵢ(τ).
    fn cost(&self, i: usize, tau: f64) -> f64 {
        2.0 * self.machine.weights()[i] * if self.labels[i] > 0.0 { 1.0 - tau } else { tau } / self.labels.len() as f64
    }

    /// The model of a path at τ.
    ///
    /// # Errors
    /// τ outside the part of [0, 1] that the path covers.
    pub fn at(&self, path: &Path<f64>, tau: f64) -> Result<Model, AdapterError> {
        let point = path.at_parameter(&[tau]).ok_or(outside(tau))?;
        Ok(self.model(&[tau], &point))
    }
}

/// τ outside the path.
pub(crate) fn outside(tau: f64) -> AdapterError {
    AdapterError::Parameter { name: "tau", value: tau, expected: "lie on the path" }
}

impl QuantileSvm {
    /// The SVM as a classifier.
    pub fn classifier(&self) -> Classifier<'_> {
        Classifier { problem: self, labels: &self.labels, scale: 1.0 / self.lambda, quantile: Some(self) }
    }

    /// TPR, TNR and accuracy on test rows (m × d, with m labels +1 or −1) along a path.
    ///
    /// # Errors
    /// Rows that do not fit.
    pub fn rates(&self, path: &Path<f64>, rows: &Features, labels: &[f64]) -> Result<RateCurve, AdapterError> {
        rates::rate_curve(self, path, rows, labels)
    }

    /// P(Y = 1|x) for each of m rows (m × d), from the whole path.
    ///
    /// # Errors
    /// Rows that do not fit.
    pub fn probabilities(&self, path: &Path<f64>, rows: &Features) -> Result<Vec<Probability>, AdapterError> {
        rates::probabilities(self, path, rows)
    }
}

/// The entry of `quantile-svm`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Classes,
    biased: true,
    options: &[Opt::LAMBDA],
    answers: &["test"],
    required: &["lambda"],
    ..Entry::kernel("quantile-svm", "Quantile SVM: a classifier for every cost asymmetry tau", &["tau"], |spec, _| {
        let rows = spec.rows.clone();
        let lambda = spec.fixed.get("lambda").copied().unwrap_or(f64::NAN);
        Ok(Box::new(QuantileSvm::new(rows.features, rows.response, rows.weights, lambda, spec.kernel, spec.bias)?))
    })
};

impl PathProblem for QuantileSvm {
    fn parameters(&self) -> &'static [Parameter] {
        &[Parameter { name: "tau", range: [0.0, 1.0] }]
    }

    /// λ may be named again among the fixed values.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        let mut course = course.clone();
        course.fixed.retain(|name, value| name != "lambda" || *value != self.lambda);
        coordinate_axis(self.parameters(), &course)
    }

    /// θ = τ ∈ [0, 1].
    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.labels.len();
        let hessian = self.machine.hessian(&self.labels, 1.0 / self.lambda, settings)?;
        let per_case = |i: usize| 2.0 * self.machine.weights()[i] / n as f64;
        let is_positive = |i: usize| self.labels[i] > 0.0;
        let constant = (0..n).map(|i| if is_positive(i) { per_case(i) } else { 0.0 }).collect();
        let slope = (0..n).map(|i| if is_positive(i) { -per_case(i) } else { per_case(i) }).collect();
        let qp = ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], Affine::constant(vec![-1.0; n], 1))?
            .lower(Affine::constant(vec![0.0; n], 1))?
            .upper(Affine::line(constant, slope))?;
        Ok(match self.machine.bias() {
            Bias::Intercept => qp.equality(self.labels.clone(), Affine::constant(vec![0.0], 1))?,
            _ => qp,
        })
    }

    /// From the nearer end of [0, 1]. At the ends one class costs nothing and the solution is found in a few events, while a
    /// start from anywhere in between takes an event for every case or more. Where the path cannot be followed the start is
    /// from anywhere.
    fn start_watched(
        &self,
        qp: &ParametricQp<f64>,
        theta: &[f64],
        settings: &Settings,
        observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        let end: Vec<f64> = theta.iter().map(|tau| tau.round().clamp(0.0, 1.0)).collect();
        let Some(line) = (theta != end).then(|| qp.line(&end, theta).ok()).flatten() else {
            return Ok(Start::Anywhere);
        };
        let mut watch = Starting::new(observer, settings.start_limit(self.labels.len()));
        let settings = Settings { max_events: None, ..settings.clone() };
        let mut follower = match Follower::watched(&line, &Start::Anywhere, settings, &mut watch) {
            Ok(follower) => follower,
            Err(PathError::StartStopped { .. }) => return Err(watch.stopped()),
            Err(_) => return Ok(Start::Anywhere),
        };
        match follower.run(&mut watch) {
            Ok(Stop::Target) => {
                Ok(Start::ActiveSet { status: follower.status().to_vec(), y: Some(*follower.multiplier()) })
            }
            Ok(Stop::Asked { .. }) => Err(watch.stopped()),
            _ => Ok(Start::Anywhere),
        }
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, multipliers: Multipliers) -> Solution {
        kernel_solution(self, theta, point, multipliers)
    }

    fn columns(&self) -> Vec<Group> {
        kernel_columns(self)
    }

    fn view(&self) -> View<'_> {
        View::Classifier(self.classifier())
    }
}

impl KernelProblem for QuantileSvm {
    fn machine(&self) -> &KernelMachine {
        &self.machine
    }

    /// βᵢ = yᵢαᵢ/λ.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        let expansion = point.x.iter().zip(&self.labels).map(|(a, y)| a * y / self.lambda).collect();
        self.machine.function_with_fit(expansion, self.intercept(theta, point.y), point.scaled_fit(1.0 / self.lambda))
    }

    /// α; the primal λ/2‖f‖² + Σ cᵢ max(0, 1 − yᵢf(xᵢ)), the dual −(½αᵀHα − 1ᵀα).
    ///
    /// A gap of one in the engine's objective is one here: λ/2 ‖f‖² = ½αᵀHα, and zᵢ = yᵢf(xᵢ) − 1 makes cᵢ zᵢ⁻ the loss of
    /// row i, so the primal less the dual objective is αᵀHα − Σαᵢ + Σ cᵢ zᵢ⁻ = Σ αᵢzᵢ⁺ + (cᵢ − αᵢ)zᵢ⁻, the engine's own gap.
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model {
        let tau = theta.first().copied().unwrap_or(f64::NAN);
        let function = self.function(theta, point);
        let (f, square) = self.machine.fit(&function);
        let losses = f.iter().zip(&self.labels).enumerate();
        let loss: f64 = losses.map(|(i, (f, y))| self.cost(i, tau) * (1.0 - y * f).max(0.0)).sum();
        let penalty = self.lambda / 2.0 * square;
        Model {
            theta: theta.to_vec(),
            alpha: point.x.clone(),
            function,
            objective: penalty + loss,
            dual_objective: point.x.iter().sum::<f64>() - penalty,
        }
    }

    fn dual_unit(&self) -> (f64, &'static str) {
        (self.labels.len() as f64 / 2.0, "α · n / 2")
    }
}
