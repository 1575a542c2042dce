//! The one-class SVM: the region that contains all but a share ν of the data, for every ν.
//!
//! *Primal* (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001, "Estimating the support of a high-dimensional distribution",
//! doi:10.1162/089976601750264965, eq. 3.4), with case weights vᵢ of mean one (all one unless given):
//!
//! ```text
//! min over w, ξ ≥ 0, r   ½‖w‖² + (1/νn) Σ vᵢξᵢ − r     subject to   ⟨w, φ(xᵢ)⟩ ≥ r − ξᵢ
//! ```
//!
//! *Dual* (eq. 3.11): min ½ αᵀKα, 0 ≤ αᵢ ≤ vᵢ/(νn), Σ αᵢ = 1, with w = Σ αᵢφ(xᵢ). Rows outside the region have
//! f(x) = Σ αᵢk(xᵢ, x) − r < 0.
//!
//! *Map to the engine*: 1/(νn) is not affine in ν. With x = νn·α the bounds do not move, and the right-hand side of the row does: θ = ν ∈ (0, 1], H = K, c = 0,
//! 0 ≤ xᵢ ≤ vᵢ, A = 1ᵀ, b = νn. z = Kx − y·1 is νn·f at the rows, so that r = y/(νn). (scikit-learn's decision values are νn·f.)
//!
//! *Ends*: at ν = 1 every xᵢ is at its upper bound. Below ν = min vᵢ/n (over the positive vᵢ) no x can reach its upper bound: x shrinks in proportion to ν, and
//! f does not change any more.

use crate::bias::Bias;
use crate::course::{Axis, Parameter};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::machine::{Function, KernelMachine};
use crate::outlier_ranks::Ranking;
use crate::problem::{Group, Multipliers, Solution, kernel_columns, kernel_solution};
use crate::problem::{KernelProblem, Model, PathProblem};
use crate::spec::{Data, Entry};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{Affine, ParametricQp, Path, PathError, Point, Range, Settings, Start, Status};
use std::sync::Arc;

const PARAMETERS: [Parameter; 1] = [Parameter { name: "nu", range: [f64::MIN_POSITIVE, 1.0] }];

/// A one-class SVM on n rows.
#[derive(Clone)]
pub struct OneClassSvm {
    machine: KernelMachine,
}

impl OneClassSvm {
    /// The problem on n rows. `weights` are case weights, in any unit (only their ratios count); rows of weight zero are ignored.
    ///
    /// # Errors
    /// [`AdapterError`] names the row.
    pub fn new(features: Arc<Features>, weights: Option<Vec<f64>>, kernel: KernelKind) -> Result<Self, AdapterError> {
        let machine = KernelMachine::new(features, weights, kernel, Bias::Intercept)?;
        Ok(OneClassSvm { machine: machine.with_mean_weight_one() })
    }

    /// νn at θ.
    fn total(&self, theta: &[f64]) -> f64 {
        theta.first().map_or(f64::NAN, |nu| nu * self.machine.rows() as f64)
    }

    /// The model of a path at ν.
    ///
    /// # Errors
    /// ν outside the path.
    pub fn at(&self, path: &Path<f64>, nu: f64) -> Result<Model, AdapterError> {
        let outside = AdapterError::Parameter { name: "nu", value: nu, expected: "lie on the path" };
        let point = path.at_parameter(&[nu]).filter(|_| nu > 0.0).ok_or(outside)?;
        Ok(self.model(&[nu], &point))
    }
}

impl OneClassSvm {
    /// For each training row the least ν on the path at which it is an outlier; `None` for rows that never are. See `outlier_ranks.rs`.
    ///
    /// # Errors
    /// The errors of the Hessian.
    pub fn outlier_ranks(&self, path: &Path<f64>) -> Result<Vec<Option<f64>>, AdapterError> {
        Ranking::of(&self.machine, path)
    }
}

/// The entry of `one-class-svm`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Features,
    default_kernel: crate::kernel_choice::KernelChoice::RBF,
    answers: &["ranks"],
    ..Entry::kernel(
        "one-class-svm",
        "One-class SVM: the rows that are outliers, for every share nu of them",
        &["nu"],
        |spec, _| {
            let rows = spec.rows.clone();
            Ok(Box::new(OneClassSvm::new(rows.features, rows.weights, spec.kernel)?))
        },
    )
};

impl PathProblem for OneClassSvm {
    fn parameters(&self) -> &'static [Parameter] {
        &PARAMETERS
    }

    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.machine.rows();
        let hessian = self.machine.hessian(&vec![1.0; n], 1.0, settings)?;
        let all = |value| Affine::constant(vec![value; n], 1);
        let qp = ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], all(0.0))?
            .lower(all(0.0))?
            .upper(Affine::constant(self.machine.weights().to_vec(), 1))?
            .equality(vec![1.0; n], Affine::line(vec![0.0], vec![n as f64]))?;
        Ok(qp)
    }

    /// From ν = 1 down to where f changes no more.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        let least = self.machine.weights().iter().copied().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        Ok([Some(1.0), Some(least / self.machine.rows() as f64)])
    }

    /// At ν = 1 the row leaves no choice.
    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(match theta {
            [1.0] => Start::ActiveSet { status: vec![Status::Upper; self.machine.rows()], y: None },
            _ => Start::Anywhere,
        })
    }

    /// The engine's objective is (νn)² times the paper's.
    fn gap_unit(&self, theta: &[f64]) -> f64 {
        self.total(theta).powi(-2)
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, multipliers: Multipliers) -> Solution {
        kernel_solution(self, theta, point, multipliers)
    }

    fn columns(&self) -> Vec<Group> {
        kernel_columns(self)
    }

    fn divisor(&self, vary: &str) -> u32 {
        2 * u32::from(vary == "nu")
    }

    fn view(&self) -> View<'_> {
        View::Outliers(self)
    }
}

impl KernelProblem for OneClassSvm {
    fn machine(&self) -> &KernelMachine {
        &self.machine
    }

    /// β = α.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        let total = self.total(theta);
        let expansion = point.x.iter().map(|x| x / total).collect();
        self.machine.function_with_fit(expansion, self.intercept(theta, point.y), point.scaled_fit(1.0 / total))
    }

    /// α and f; the primal above, and the dual −½ αᵀKα.
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model {
        let total = self.total(theta);
        let alpha: Vec<f64> = point.x.iter().map(|x| x / total).collect();
        let function = self.function(theta, point);
        let (f, square) = self.machine.fit(&function);
        let losses = f.iter().zip(self.machine.weights()).map(|(f, v)| v * (-f).max(0.0));
        let objective = square / 2.0 + losses.sum::<f64>() / total + function.constant;
        Model { theta: theta.to_vec(), alpha, function, objective, dual_objective: -square / 2.0 }
    }

    /// −r.
    fn intercept(&self, theta: &[f64], y: f64) -> f64 {
        (0.0 - y) / self.total(theta)
    }
}
