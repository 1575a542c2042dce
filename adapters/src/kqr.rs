//! Kernel quantile regression: every quantile τ at every penalty λ.
//!
//! *Primal* (Rosset 2008, "Bi-level path following for cross validated solution of kernel quantile regression", ICML, eq. 3;
//! Li, Liu and Zhu 2007, doi:10.1198/016214506000000979), with case weights vᵢ (one unless given):
//!
//! ```text
//! min over f   Σ vᵢ ρ_τ(Yᵢ − f(xᵢ)) + λ/2 ‖f‖²,     ρ_τ(r) = τr for r ≥ 0,   −(1 − τ)r for r < 0
//! ```
//!
//! *Dual*: f = (β₀ + Σ xⱼ k(xⱼ, ·))/λ (eq. 5, where x is θ̂), and x minimises ½ xᵀKx − λYᵀx for
//! −(1 − τ)vᵢ ≤ xᵢ ≤ τvᵢ, Σ xᵢ = 0.
//!
//! *Map to the engine*: θ = (τ, λ) ∈ [0, 1] × [0, ∞), H = K, c = −λY, A = 1ᵀ, b = 0. With y the multiplier of the row,
//! z = Kx − λY − y·1 vanishes where Yᵢ = f(xᵢ), so z = −λ(Y − f) and β₀ = −y: the intercept is −y/λ. Without a bias there is no
//! row; with a constant feature B the kernel is k + B².
//!
//! *λ → ∞*: K has no influence any more. Yᵀx is maximised over the box and the row, so that x is at its upper bound for large and at its lower bound for small
//! responses, and f is a sample quantile ([`Kqr::limit`]); where τΣv equals the weight of the smallest responses, this is any value of an interval. Where
//! several responses equal the quantile, the x among them is the one with the least ½ xᵀKx. Beyond a largest knot x does not depend on λ any more
//! ([`Kqr::largest_knot`]).
//!
//! *λ → 0*: f tends to the quantile regression without penalty, or interpolates. At λ = 0 itself f is 0/0, so that λ must be positive.

use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::{AdapterError, positive};
use crate::kernel::KernelKind;
use crate::kernel_choice::KernelChoice;
use crate::machine::{Function, KernelMachine};
use crate::problem::{Group, Multipliers, Solution, kernel_columns, kernel_solution};
use crate::problem::{KernelProblem, Model, PathProblem, begin};
use crate::quantiles::{QuantileCurve, quantile_curves};
use crate::spec::{Data, Entry, Kind, Limits, Opt};
use crate::view::View;
use pathqp::hessian::multiply;
use pathqp::observe::Observer;
use pathqp::observe::{Event, Watch};
use pathqp::{Affine, Line, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Stop};
use std::sync::Arc;

const PARAMETERS: [Parameter; 2] = [
    Parameter { name: "tau", range: [0.0, 1.0] },
    Parameter { name: "lambda", range: [f64::MIN_POSITIVE, f64::INFINITY] },
];

/// A λ-path goes up to this much above its largest knot unless told otherwise, …
const ABOVE: f64 = 1.25;

/// … and down to this part of it.
const SMALLEST: f64 = 1e-3;

/// The search for the largest knot goes down to this part of the value that it has without ties.
const LEAST: f64 = 1e-6;

/// Kernel quantile regression on n rows, in the parameters (τ, λ).
#[derive(Clone)]
pub struct Kqr {
    machine: KernelMachine,
    responses: Vec<f64>,
}

impl Kqr {
    /// Kernel quantile regression of n responses on n rows of features. `weights` are case weights, which multiply the losses; rows of weight zero are ignored.
    ///
    /// # Errors
    /// [`AdapterError`], with the row, for lengths that do not agree and responses or weights that cannot be used.
    pub fn new(
        features: Arc<Features>,
        responses: Vec<f64>,
        weights: Option<Vec<f64>>,
        kernel: KernelKind,
        bias: Bias,
    ) -> Result<Self, AdapterError> {
        let rows = features.rows();
        if responses.len() != rows {
            return Err(AdapterError::Shape { what: "responses", expected: rows, found: responses.len() });
        }
        if let Some(row) = responses.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: responses[row] });
        }
        Ok(Kqr { machine: KernelMachine::new(features, weights, kernel, bias)?, responses })
    }

    /// The same problem without the rows of weight zero.
    ///
    /// # Errors
    /// As [`Kqr::new`].
    pub fn counted(&self) -> Result<Self, AdapterError> {
        let (machine, rows) = (&self.machine, self.machine.counted());
        if rows.len() == machine.rows() {
            return Ok(self.clone());
        }
        let pick = |values: &[f64]| rows.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let (features, weights) = (Arc::new(machine.select(&rows)), Some(pick(machine.weights())));
        Kqr::new(features, pick(&self.responses), weights, machine.kernel(), machine.bias())
    }

    /// The responses Y, n values.
    pub fn responses(&self) -> &[f64] {
        &self.responses
    }

    /// x as λ → ∞, n entries, and with an intercept the response at the quantile. It is a solution when no responses tie at the quantile, and otherwise an
    /// optimal point of the linear program of the limit.
    ///
    /// In the order of the responses x is −(1 − τ)vᵢ up to the row at which the weight passes τΣv, has there the value that Σ xᵢ = 0 requires, and is τvᵢ for
    /// the rows after it. Without an intercept the sign of the response decides.
    pub fn limit(&self, tau: f64) -> (Vec<f64>, Option<f64>) {
        let (n, v) = (self.responses.len(), self.machine.weights());
        if self.machine.bias() != Bias::Intercept {
            let side = |i: usize| if self.responses[i] > 0.0 { tau } else { tau - 1.0 };
            let x = (0..n).map(|i| if self.responses[i] == 0.0 { 0.0 } else { side(i) * v[i] });
            return (x.collect(), None);
        }
        let mut order = self.machine.counted();
        let least = order.iter().map(|&i| self.responses[i]).reduce(f64::min);
        order.sort_by(|&i, &j| self.responses[i].total_cmp(&self.responses[j]));
        let target = tau * v.iter().sum::<f64>();
        let (mut x, mut below, mut quantile) = (vec![0.0; n], 0.0, None);
        for i in order {
            // The part of vᵢ that lies below the quantile; rounding must not leave a sliver of it.
            let part = ((target - below) / v[i]).clamp(0.0, 1.0);
            let rounding = 4.0 * f64::EPSILON * n as f64;
            let part = if part < rounding {
                0.0
            } else if part > 1.0 - rounding {
                1.0
            } else {
                part
            };
            below += v[i];
            x[i] = if part == 1.0 { (tau - 1.0) * v[i] } else { (tau - part) * v[i] };
            if part > 0.0 {
                quantile = Some(self.responses[i]);
            }
        }
        (x, quantile.or(least))
    }

    /// The largest knot of the λ-path at τ, beyond which x does not change; `None` if x never changes.
    ///
    /// Beyond it x solves the linear program of the limit. If exactly one index k is free, its fit is the multiplier, and zᵢ keeps its sign while λ ≥ ((Kx)ᵢ −
    /// (Kx)ₖ)/(Yᵢ − Yₖ) for each i. That is the answer when no responses tie; otherwise the engine searches for it from there, upwards and then downwards.
    ///
    /// # Errors
    /// As [`PathProblem::qp`].
    pub fn largest_knot(&self, tau: f64, settings: &Settings) -> Result<Option<f64>, AdapterError> {
        self.largest_knot_of(&self.qp(settings)?, tau, settings)
    }

    /// [`Kqr::largest_knot`] for a QP made by [`PathProblem::qp`].
    fn largest_knot_of(
        &self,
        qp: &ParametricQp<f64>,
        tau: f64,
        settings: &Settings,
    ) -> Result<Option<f64>, AdapterError> {
        let (x, quantile) = self.limit(tau);
        let fit = multiply(qp.hessian().as_ref(), &x);
        let level = quantile.unwrap_or(0.0);
        let data: Vec<(f64, f64)> = self.machine.counted().into_iter().map(|i| (self.responses[i], fit[i])).collect();
        let at = data.iter().find(|(y, _)| quantile == Some(*y)).map_or(0.0, |(_, fit)| *fit);
        let knots = data.iter().filter(|(y, _)| *y != level);
        let guess = knots.map(|(y, fit)| ((fit - at) / (y - level)).abs()).fold(0.0, f64::max);
        if !(guess.is_finite() && guess > 0.0) {
            return Ok(None);
        }
        // No knot lies beyond: z keeps its sign where |λ(Yᵢ − Yₖ)| is larger than any difference of fits.
        let (least, largest) = data.iter().fold((0.0, 0.0), |(l, h): (f64, f64), (_, f)| (l.min(*f), h.max(*f)));
        let distances = data.iter().map(|(y, _)| (y - level).abs()).filter(|d| *d > 0.0);
        let most = 4.0 * (largest - least) / distances.fold(f64::INFINITY, f64::min);
        let (start, settings) = (Start::Guess(x), Settings { max_events: None, ..settings.clone() });
        let line = qp.line(&[tau, guess], &[tau, most.max(ABOVE * guess)])?;
        let mut follower = begin(&line, &start, &settings)?;
        follower.run(&mut ())?;
        let path = follower.into_path();
        if let Some(t) = path.breakpoints().last() {
            return Ok(path.parameter(t).get(1).copied());
        }
        let (line, mut first) = (falling(qp, tau, [ABOVE * guess, LEAST * guess])?, None);
        let mut follower = begin(&line, &start, &settings)?;
        follower.run(&mut Watch(|event: &Event<'_, f64>| {
            first = event.breakpoint.then(|| line.parameter(event.t)[1]);
            first.is_none()
        }))?;
        Ok(first)
    }

    /// The solution at (τ, λ), followed from a start at a larger λ. None where that fails.
    fn descend(
        qp: &ParametricQp<f64>,
        tau: f64,
        [from, to]: [f64; 2],
        start: &Start<f64>,
        settings: &Settings,
    ) -> Option<Start<f64>> {
        let line = falling(qp, tau, [from, to]).ok()?;
        let mut follower = begin(&line, start, settings).ok()?;
        let reached = follower.run(&mut ()).ok()? == Stop::Target;
        reached.then(|| Start::ActiveSet { status: follower.status().to_vec(), y: Some(*follower.multiplier()) })
    }

    /// The model of a path at θ = (τ, λ).
    ///
    /// # Errors
    /// θ outside the path, or λ = 0.
    pub fn at(&self, path: &Path<f64>, theta: [f64; 2]) -> Result<Model, AdapterError> {
        positive("lambda", theta[1])?;
        let outside =
            AdapterError::Parameter { name: "tau", value: theta[0], expected: "lie on the path, with lambda" };
        let point = path.at_parameter(&theta).ok_or(outside)?;
        Ok(self.model(&theta, &point))
    }
}

/// From a λ down to another: t is −λ, so that knots at small λ are not known to rounding of large ones.
fn falling(qp: &ParametricQp<f64>, tau: f64, [from, to]: [f64; 2]) -> Result<Line<f64>, ProblemError> {
    qp.line_about(&[tau, 0.0], &[tau, from], &[tau, to])
}

/// The pinball loss ρ_τ of a residual.
pub fn pinball(tau: f64, residual: f64) -> f64 {
    residual * if residual >= 0.0 { tau } else { tau - 1.0 }
}

impl Kqr {
    /// All quantiles of each of m rows (m × d as in training), from a path on which τ varies.
    ///
    /// # Errors
    /// [`AdapterError::NoAnswer`] for another path; also for rows with another number of columns.
    pub fn quantiles(&self, path: &Path<f64>, rows: &Features) -> Result<Vec<QuantileCurve>, AdapterError> {
        quantile_curves(self, path, rows)
    }
}

/// The entry of `kqr`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    default_kernel: KernelChoice::RBF,
    biased: true,
    plane: Some(["tau", "lambda"]),
    options: &[
        Opt::new(
            "tau",
            "T",
            Kind::Parameter(Limits::Share),
            "The quantile tau, from 0 to 1, held fixed while lambda varies",
        ),
        Opt::LAMBDA,
    ],
    required: &["tau", "lambda"],
    ..Entry::kernel(
        "kqr",
        "Kernel quantile regression: f at every quantile tau or penalty lambda",
        &["tau", "lambda"],
        |spec, _| {
            let rows = spec.rows.clone();
            Ok(Box::new(Kqr::new(rows.features, rows.response, rows.weights, spec.kernel, spec.bias)?))
        },
    )
};

impl PathProblem for Kqr {
    fn parameters(&self) -> &'static [Parameter] {
        &PARAMETERS
    }

    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.responses.len();
        let hessian = self.machine.hessian(&vec![1.0; n], 1.0, settings)?;
        let (zeros, weights) = (vec![0.0; n], self.machine.weights().to_vec());
        let minus = |values: &[f64]| values.iter().map(|v| -v).collect::<Vec<f64>>();
        let cost = Affine { constant: zeros.clone(), slopes: vec![zeros.clone(), minus(&self.responses)] };
        let lower = Affine { constant: minus(&weights), slopes: vec![weights.clone(), zeros.clone()] };
        let upper = Affine { constant: zeros.clone(), slopes: vec![weights, zeros] };
        let domain = vec![Range::new(0.0, 1.0), Range::at_least(0.0)];
        let qp = ParametricQp::new(hessian, domain, cost)?.lower(lower)?.upper(upper)?;
        Ok(match self.machine.bias() {
            Bias::Intercept => qp.equality(vec![1.0; n], Affine::constant(vec![0.0], 2))?,
            _ => qp,
        })
    }

    /// τ or λ, the other one fixed. Knots of a λ-path lie the closer the smaller λ is, so it is followed upwards.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        if let Some(&lambda) = course.fixed.get("lambda") {
            positive("lambda", lambda)?;
        }
        let axis = coordinate_axis(&PARAMETERS, course)?;
        Ok(Axis { rising: course.vary == "lambda", ..axis })
    }

    /// A λ-path covers three orders of magnitude, up to a little above its largest knot.
    fn ends(&self, qp: &ParametricQp<f64>, axis: &Axis, settings: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        match (axis.direction.as_slice(), axis.origin.first()) {
            ([0.0, _], Some(&tau)) => {
                let knot = self.largest_knot_of(qp, tau, settings)?;
                Ok([SMALLEST, ABOVE].map(|part| knot.map(|knot| part * knot)))
            }
            _ => Ok(axis.range.map(Some)),
        }
    }

    /// From the solution for λ → ∞ at the same τ, followed down to λ.
    fn start_watched(
        &self,
        qp: &ParametricQp<f64>,
        theta: &[f64],
        settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        let &[tau, lambda] = theta else { return Ok(Start::Anywhere) };
        let limit = Start::Guess(self.limit(tau).0);
        let settings = Settings { max_events: None, ..settings.clone() };
        let knot = self.largest_knot_of(qp, tau, &settings).ok().flatten().filter(|knot| lambda < *knot);
        let found = knot.and_then(|knot| Self::descend(qp, tau, [ABOVE * knot, lambda], &limit, &settings));
        Ok(found.unwrap_or(limit))
    }

    /// The engine's objective is −λ times the dual one.
    fn gap_unit(&self, theta: &[f64]) -> f64 {
        theta.get(1).map_or(f64::NAN, |lambda| 1.0 / lambda)
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, multipliers: Multipliers) -> Solution {
        kernel_solution(self, theta, point, multipliers)
    }

    fn columns(&self) -> Vec<Group> {
        kernel_columns(self)
    }

    fn divisor(&self, vary: &str) -> u32 {
        u32::from(vary == "lambda")
    }

    fn view(&self) -> View<'_> {
        View::Quantile(self)
    }
}

impl KernelProblem for Kqr {
    fn machine(&self) -> &KernelMachine {
        &self.machine
    }

    /// β = x/λ.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        let lambda = theta.get(1).copied().unwrap_or(f64::NAN);
        let expansion = point.x.iter().map(|x| x / lambda).collect();
        self.machine.function_with_fit(expansion, self.intercept(theta, point.y), point.scaled_fit(1.0 / lambda))
    }

    /// x; the primal above, and the dual Yᵀx − xᵀKx/2λ.
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model {
        let (tau, lambda) = (theta.first().copied().unwrap_or(f64::NAN), theta.get(1).copied().unwrap_or(f64::NAN));
        let function = self.function(theta, point);
        let (f, square) = self.machine.fit(&function);
        let losses = f.iter().zip(&self.responses).zip(self.machine.weights());
        let loss: f64 = losses.map(|((f, y), v)| v * pinball(tau, y - f)).sum();
        let linear: f64 = self.responses.iter().zip(&point.x).map(|(y, x)| y * x).sum();
        let penalty = lambda / 2.0 * square;
        Model {
            theta: theta.to_vec(),
            alpha: point.x.clone(),
            function,
            objective: loss + penalty,
            dual_objective: linear - penalty,
        }
    }

    fn intercept(&self, theta: &[f64], y: f64) -> f64 {
        theta.get(1).map_or(f64::NAN, |lambda| (0.0 - y) / lambda)
    }

    fn dual_unit(&self) -> (f64, &'static str) {
        (1.0, "θ̂")
    }
}
