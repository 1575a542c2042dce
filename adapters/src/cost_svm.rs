//! The cost-asymmetric SVM: every pair of costs of the two kinds of errors.
//!
//! *Primal* (Bach, Heckerman and Horvitz 2006, "Considering cost asymmetry in learning classifiers", JMLR 7, §2.2, times n;
//! Wesierski, "Exploring the entire regularization path for the asymmetric cost linear support vector machine", eq. 1 and
//! 3, with the constant feature B below):
//!
//! ```text
//! min over f   ½ ‖f‖² + C₊ Σ_{yᵢ=+1} vᵢ max(0, 1 − f(xᵢ)) + C₋ Σ_{yᵢ=−1} vᵢ max(0, 1 + f(xᵢ))
//! ```
//!
//! with case weights vᵢ (one unless given). *Dual*: min ½ αᵀHα − 1ᵀα, 0 ≤ αᵢ ≤ C₊vᵢ or C₋vᵢ, Hᵢⱼ = yᵢyⱼk(xᵢ, xⱼ), with
//! f = Σ αᵢyᵢk(xᵢ, ·).
//!
//! *Map to the engine*: x = α, θ = (C₊, C₋) ∈ [0, ∞)², c = −1, l = 0, u = (C₊ or C₋)vᵢ. The bias is one of: none; augmented, a
//! constant feature B, so k + B² in place of k; an intercept b without penalty, which adds the equality row yᵀα = 0 with
//! b = −(multiplier of the row). At θ = 0 every box is a point and α = 0: a start that needs no work.
//!
//! *Lines in the plane*: C₊ = C₋ = c is the path of Hastie, Rosset, Tibshirani and Zhu (2004, JMLR 5); any other ray
//! (C₊, C₋) = c·(A, B); the balanced one, n₊C₊ = n₋C₋ (§3.1 there; n₊ and n₋ count case weights), scaled so that
//! n₊C₊ + n₋C₋ = nc; one cost with the other fixed; and one cost with C₊ + C₋ = S fixed, the "total amount of regularisation"
//! of §2.2.

use crate::bias::Bias;
use crate::course::{Axis, Course, Direction, Parameter, fixed_value, refuse_unused};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::machine::{Function, KernelMachine, check_labels};
use crate::problem::{Group, Multipliers, Solution, kernel_columns, kernel_solution};
use crate::problem::{KernelProblem, Model, PathProblem};
use crate::spec::{Data, Entry, Kind, Limits, Opt};
use crate::view::Classifier;
use crate::view::View;
use pathqp::{Affine, ParametricQp, Point, Range, Settings};
use std::sync::Arc;

const COSTS: [Parameter; 2] = [
    Parameter { name: "c-pos", range: [0.0, f64::INFINITY] },
    Parameter { name: "c-neg", range: [0.0, f64::INFINITY] },
];

const SUM: Parameter = Parameter { name: "sum", range: [0.0, f64::INFINITY] };

/// A cost-asymmetric SVM on n rows.
#[derive(Clone)]
pub struct CostSvm {
    machine: KernelMachine,
    labels: Vec<f64>,
}

impl CostSvm {
    /// A cost-asymmetric SVM on n rows. Labels are +1 or −1; `weights` are case weights, which multiply the costs; rows of weight zero are ignored.
    ///
    /// # Errors
    /// [`AdapterError`], with the row, for lengths that do not agree, other labels, a single class, and weights that are negative or not finite.
    pub fn new(
        features: Arc<Features>,
        labels: Vec<f64>,
        weights: Option<Vec<f64>>,
        kernel: KernelKind,
        bias: Bias,
    ) -> Result<Self, AdapterError> {
        check_labels(&labels, features.rows())?;
        let machine = KernelMachine::new(features, weights, kernel, bias)?;
        machine.check_classes(&labels)?;
        Ok(CostSvm { machine, labels })
    }

    /// The labels, +1 or −1.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Row i's coefficients of (C₊, C₋) in its upper bound.
    fn shares(&self, i: usize) -> [f64; 2] {
        let weight = self.machine.weights()[i];
        if self.labels[i] > 0.0 { [weight, 0.0] } else { [0.0, weight] }
    }

    /// The same SVM on some of the rows (counted from zero, in the order given), with at least one row of positive weight in each class.
    ///
    /// # Errors
    /// As [`CostSvm::new`].
    pub fn select(&self, rows: &[usize]) -> Result<Self, AdapterError> {
        let pick = |values: &[f64]| rows.iter().filter_map(|&i| values.get(i).copied()).collect::<Vec<f64>>();
        let features = Arc::new(self.machine.select(rows));
        let (kernel, bias) = (self.machine.kernel(), self.machine.bias());
        CostSvm::new(features, pick(&self.labels), Some(pick(self.machine.weights())), kernel, bias)
    }

    /// The same SVM without the rows of weight zero.
    ///
    /// # Errors
    /// As [`CostSvm::new`].
    pub fn counted(&self) -> Result<Self, AdapterError> {
        let rows = self.machine.counted();
        if rows.len() == self.labels.len() { Ok(self.clone()) } else { self.select(&rows) }
    }

    /// (C₊, C₋) for c = 1 on the ray of a direction; by default that of equal costs.
    pub fn ray(&self, direction: Option<Direction>) -> [f64; 2] {
        match direction {
            None => [1.0, 1.0],
            Some(Direction::Towards(a, b)) => [a, b],
            Some(Direction::Balanced) => {
                let shares = (0..self.labels.len()).map(|i| self.shares(i));
                let [positive, negative] = shares.fold([0.0; 2], |sum, s| [sum[0] + s[0], sum[1] + s[1]]);
                let half = (positive + negative) / 2.0;
                [half / positive, half / negative]
            }
        }
    }
}

impl CostSvm {
    /// The SVM as a classifier.
    pub fn classifier(&self) -> Classifier<'_> {
        Classifier { problem: self, labels: &self.labels, scale: 1.0, quantile: None }
    }
}

/// The entry of `cost-svm`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Classes,
    biased: true,
    plane: Some(["c-pos", "c-neg"]),
    options: &[
        Opt::new("c-pos", "C", Kind::Parameter(Limits::NotNegative), "The cost C₊ of errors on the class +1"),
        Opt::new("c-neg", "C", Kind::Parameter(Limits::NotNegative), "The cost C₋ of errors on the class −1"),
        Opt::new(
            "sum",
            "S",
            Kind::Parameter(Limits::Positive),
            "The sum C₊ + C₋, held fixed while one of the two varies",
        ),
        Opt::new(
            "direction",
            "A,B",
            Kind::Direction,
            "With --vary c: C₊ = c·A and C₋ = c·B; or balanced, where both classes have the same total cost [default: 1,1]",
        ),
    ],
    ..Entry::kernel(
        "cost-svm",
        "SVM with a cost for each class: along C₊ = C₋ = c or any other line",
        &["c", "c-pos", "c-neg"],
        |spec, _| {
            let rows = spec.rows.clone();
            Ok(Box::new(CostSvm::new(rows.features, rows.response, rows.weights, spec.kernel, spec.bias)?))
        },
    )
};

impl PathProblem for CostSvm {
    fn parameters(&self) -> &'static [Parameter] {
        &COSTS
    }

    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.labels.len();
        let hessian = self.machine.hessian(&self.labels, 1.0, settings)?;
        let slopes = [0, 1].map(|class| (0..n).map(|i| self.shares(i)[class]).collect());
        let domain = vec![Range::at_least(0.0), Range::at_least(0.0)];
        let qp = ParametricQp::new(hessian, domain, Affine::constant(vec![-1.0; n], 2))?
            .lower(Affine::constant(vec![0.0; n], 2))?
            .upper(Affine { constant: vec![0.0; n], slopes: slopes.into() })?;
        Ok(match self.machine.bias() {
            Bias::Intercept => qp.equality(self.labels.clone(), Affine::constant(vec![0.0], 2))?,
            _ => qp,
        })
    }

    /// `c` along a ray from the origin, or one cost with the other one or their `sum` fixed.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        let vary = course.vary.clone();
        if vary == "c" {
            refuse_unused(course, |_| false)?;
            let direction = self.ray(course.direction).to_vec();
            return Ok(Axis {
                origin: vec![0.0; 2],
                direction,
                range: [0.0, f64::INFINITY],
                rising: false,
                from_zero: false,
            });
        }
        let Some(moving) = COSTS.iter().position(|cost| cost.name == vary) else {
            return Err(AdapterError::Vary { vary, reason: "vary c, c-pos or c-neg instead".into() });
        };
        if course.direction.is_some() {
            return Err(AdapterError::Vary { vary, reason: "a direction goes with c".into() });
        }
        let other = 1 - moving;
        let (mut origin, mut direction) = (vec![0.0; 2], vec![0.0; 2]);
        direction[moving] = 1.0;
        if course.fixed.contains_key(SUM.name) {
            refuse_unused(course, |name| name == SUM.name)?;
            let sum = fixed_value(course, &SUM)?;
            (origin[other], direction[other]) = (sum, -1.0);
            return Ok(Axis { origin, direction, range: [0.0, sum], rising: false, from_zero: false });
        }
        refuse_unused(course, |name| name == COSTS[other].name)?;
        origin[other] = fixed_value(course, &COSTS[other])?;
        Ok(Axis { origin, direction, range: [0.0, f64::INFINITY], rising: false, from_zero: false })
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

impl KernelProblem for CostSvm {
    fn machine(&self) -> &KernelMachine {
        &self.machine
    }

    /// βᵢ = yᵢαᵢ.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        let expansion = point.x.iter().zip(&self.labels).map(|(a, y)| a * y).collect();
        self.machine.function_with_fit(expansion, self.intercept(theta, point.y), point.scaled_fit(1.0))
    }

    /// α; the primal above, the dual −(½αᵀHα − 1ᵀα). As zᵢ = yᵢf(xᵢ) − 1, their difference is the engine's own gap.
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model {
        let function = self.function(theta, point);
        let (f, square) = self.machine.fit(&function);
        let cost = |i: usize| self.shares(i).iter().zip(theta).map(|(share, cost)| share * cost).sum::<f64>();
        let losses = f.iter().zip(&self.labels).enumerate();
        let loss: f64 = losses.map(|(i, (f, y))| cost(i) * (1.0 - y * f).max(0.0)).sum();
        Model {
            theta: theta.to_vec(),
            alpha: point.x.clone(),
            function,
            objective: square / 2.0 + loss,
            dual_objective: point.x.iter().sum::<f64>() - square / 2.0,
        }
    }
}
