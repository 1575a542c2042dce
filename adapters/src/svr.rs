//! ε-insensitive regression (ε-SVR): every half-width ε of the tube at every penalty λ, or cost C = 1/λ.
//!
//! *Primal* (Vapnik 1995; Rosset 2008, "Bi-level path following for cross validated solution of kernel quantile regression", ICML, §6; Wang, Yeung
//! and Lochovsky 2008, "A new solution path algorithm in support vector regression", IEEE Transactions on Neural Networks 19,
//! doi:10.1109/TNN.2008.2002077), with case weights vᵢ (one unless given):
//!
//! ```text
//! min over f   Σ vᵢ max(0, |Yᵢ − f(xᵢ)| − ε) + λ/2 ‖f‖²         with C = 1/λ the same as      ½ ‖f‖² + C Σ vᵢ max(0, |Yᵢ − f(xᵢ)| − ε)
//! ```
//!
//! *Dual*: f = (β₀ + Σ (αⱼ − αⱼ*) k(xⱼ, ·))/λ, where α and α* minimise ½ (α − α*)ᵀK(α − α*) − λYᵀ(α − α*) + λε Σ (αᵢ + αᵢ*) for
//! 0 ≤ αᵢ, αᵢ* ≤ vᵢ and Σ (αᵢ − αᵢ*) = 0.
//!
//! *Map to the engine*: x = (α, α*), H = \[K −K; −K K\], A = (1ᵀ, −1ᵀ), b = 0, l = 0. λε is bilinear; there are two [`Chart`]s in which it does not occur:
//!
//! ```text
//! chart      θ                 c                          u             f                      z of αᵢ                  z of αᵢ*
//! penalty    (λ, μ = λε)       (−λY + μ, λY + μ)          (v, v)        (β₀ + Σ …)/λ           −λ(Yᵢ − f(xᵢ) − ε)       λ(Yᵢ − f(xᵢ) + ε)
//! cost       (C, ε)            (−Y + ε, Y + ε)            C·(v, v)      β₀ + Σ …               −(Yᵢ − f(xᵢ) − ε)        Yᵢ − f(xᵢ) + ε
//! ```
//!
//! β₀ = −y, with y the multiplier of the row. The x of the second chart is C times that of the first. The map (λ, μ) ↦ (1/λ, μ/λ) = (C, ε) takes lines to
//! lines, so that both charts have the same critical regions. A fixed ε is the ray μ = ελ in the first and a parallel to an axis in the second; a fixed λ is a
//! parallel to an axis in both. λ is affine along lines of the first chart only, C along those of the second only.
//!
//! *Pairs*: z of αᵢ and z of αᵢ* add up to 2μ (2ε), so that αᵢ and αᵢ* are both positive only if ε = 0. Then the two z are opposite, and (1, 1) is a null
//! direction of each pair on the elbow; [`Model::alpha`] leaves out what both have in common. At ε = 0 f is that of kernel quantile regression at τ = ½ with
//! λ/2 in place of λ, because half of |r| is the pinball loss.
//!
//! *Wide tubes*: x = 0 if ε is at least (max Y − min Y)/2, or max |Y| without an intercept: f is a constant, with an intercept any of an interval. Starts at
//! smaller ε are found from there. *λ → ∞*: f tends to the constant with the least loss; x does not change beyond a largest knot ([`Svr::largest_knot`]).

mod problem;

pub use problem::ENTRY;

use crate::bias::Bias;
use crate::course::Parameter;
use crate::dataset::Features;
use crate::error::{AdapterError, positive};
use crate::kernel::KernelKind;
use crate::machine::{Function, KernelMachine};
use crate::problem::{KernelProblem, Model, PathProblem, begin};
use pathqp::observe::{Event, Watch};
use pathqp::{Follower, ParametricQp, Path, Point, Settings, Start, Status, Stop};
use std::sync::Arc;

const EPSILON: Parameter = Parameter { name: "epsilon", range: [0.0, f64::INFINITY] };
const LAMBDA: Parameter = Parameter { name: "lambda", range: [f64::MIN_POSITIVE, f64::INFINITY] };
const COST: Parameter = Parameter { name: "c", range: [0.0, f64::INFINITY] };
const MU: Parameter = Parameter { name: "mu", range: [0.0, f64::INFINITY] };

const PENALTY_CHART: [Parameter; 2] = [LAMBDA, MU];
const COST_CHART: [Parameter; 2] = [COST, EPSILON];

/// A λ-path goes up to this much above its largest knot unless told otherwise, …
const ABOVE: f64 = 1.25;

/// … and down to this part of it.
const SMALLEST: f64 = 1e-3;

/// An ε-path goes to this multiple of the widest tube's ε.
const WIDE: f64 = 2.0;

/// With more rows than this, most of which meet the tube at one ε, a solution is not followed from the widest tube.
const MANY: usize = 100;

/// A residual counts as outside of the tube from this on, relative to the largest response, f or ε.
const OUTSIDE: f64 = 1e-10;

/// The coordinates of θ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// θ = (λ, μ), objectives loss + λ/2‖f‖².
    Penalty,
    /// θ = (C, ε), objectives ½‖f‖² + C·loss.
    Cost,
}

/// ε-SVR on n rows.
#[derive(Clone)]
pub struct Svr {
    machine: KernelMachine,
    responses: Vec<f64>,
    chart: Chart,
}

/// What θ stands for.
struct Scales {
    /// f = (β₀ + Σ …)/unit, and half of it times ‖f‖² is the penalty.
    unit: f64,
    /// The factor of the losses.
    loss: f64,
    epsilon: f64,
}

impl Svr {
    /// ε-SVR of n responses on n rows of features. `weights` are case weights, which multiply the losses; rows of weight zero are ignored.
    ///
    /// # Errors
    /// [`AdapterError`] names the row.
    pub fn new(
        features: Arc<Features>,
        responses: Vec<f64>,
        weights: Option<Vec<f64>>,
        kernel: KernelKind,
        bias: Bias,
        chart: Chart,
    ) -> Result<Self, AdapterError> {
        let rows = features.rows();
        if responses.len() != rows {
            return Err(AdapterError::Shape { what: "responses", expected: rows, found: responses.len() });
        }
        if let Some((row, &value)) = responses.iter().enumerate().find(|(_, y)| !y.is_finite()) {
            return Err(AdapterError::Response { row, value });
        }
        Ok(Svr { machine: KernelMachine::new(features, weights, kernel, bias)?, responses, chart })
    }

    /// The same problem in another chart.
    pub fn charted(&self, chart: Chart) -> Self {
        Svr { chart, ..self.clone() }
    }

    /// The coordinates of θ.
    pub fn chart(&self) -> Chart {
        self.chart
    }

    /// The responses Y, n values.
    pub fn responses(&self) -> &[f64] {
        &self.responses
    }

    /// Responses and weights of the rows whose weight is positive.
    fn counted(&self) -> impl Iterator<Item = (f64, f64)> {
        self.responses.iter().copied().zip(self.machine.weights().iter().copied()).filter(|(_, v)| *v > 0.0)
    }

    /// The least and the largest response.
    fn extent(&self) -> (f64, f64) {
        self.counted().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), (y, _)| (l.min(y), h.max(y)))
    }

    /// θ of the penalty λ and the half-width ε, in the chart of the problem.
    pub fn theta(&self, lambda: f64, epsilon: f64) -> [f64; 2] {
        match self.chart {
            Chart::Penalty => [lambda, lambda * epsilon],
            Chart::Cost => [1.0 / lambda, epsilon],
        }
    }

    fn scales(&self, theta: &[f64]) -> Scales {
        let &[first, second] = theta else { return Scales { unit: f64::NAN, loss: f64::NAN, epsilon: f64::NAN } };
        match self.chart {
            Chart::Penalty => Scales { unit: first, loss: 1.0, epsilon: second / first },
            Chart::Cost => Scales { unit: 1.0, loss: first, epsilon: second },
        }
    }

    /// The least ε at which every x is zero: half the range of the responses, or the largest |Y| without an intercept.
    pub fn widest(&self) -> f64 {
        let (least, largest) = self.extent();
        if self.machine.bias() == Bias::Intercept { largest / 2.0 - least / 2.0 } else { largest.max(-least).max(0.0) }
    }

    /// The value of f for λ → ∞: the middle of the constants with the least loss at this ε; zero without an intercept.
    ///
    /// As a function of the constant the loss is piecewise linear: its slope is −Σ v below all of the 2n points Y ± ε, and increases by v at each of them.
    pub fn limit(&self, epsilon: f64) -> f64 {
        if self.machine.bias() != Bias::Intercept {
            return 0.0;
        }
        let mut ends: Vec<(f64, f64)> =
            self.counted().flat_map(|(y, v)| [(y - epsilon, v), (y + epsilon, v)]).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: f64 = self.machine.weights().iter().sum();
        let rounding = 4.0 * f64::EPSILON * total * ends.len() as f64;
        let (mut low, mut rate) = (None, -total);
        for (end, v) in ends {
            rate += v;
            if rate > rounding {
                return low.map_or(end, |low: f64| low + (end - low) / 2.0);
            }
            if rate >= -rounding {
                low = low.or(Some(end));
            }
        }
        low.unwrap_or(0.0)
    }

    /// The λ beyond which x does not depend on λ at this ε; `None` if it never does.
    ///
    /// In the chart of costs x is proportional to C between C = 0 and the first breakpoint, which is the inverse of that λ.
    ///
    /// # Errors
    /// As [`PathProblem::qp`].
    pub fn largest_knot(&self, epsilon: f64, settings: &Settings) -> Result<Option<f64>, AdapterError> {
        if epsilon >= self.widest() {
            return Ok(None);
        }
        let problem = self.charted(Chart::Cost);
        let ray = problem.qp(settings)?.ray(&[0.0, epsilon], &[1.0, 0.0])?;
        let settings = Settings { max_events: None, ..settings.clone() };
        let mut follower = Follower::new(&ray, &Start::Anywhere, settings)?;
        let mut first = None;
        follower.run(&mut Watch(|event: &Event<'_, f64>| {
            first = Some(*event.t).filter(|c| event.breakpoint && *c > 0.0);
            first.is_none()
        }))?;
        Ok(first.map(f64::recip).filter(|knot| knot.is_finite()))
    }

    /// Whether most of many rows have the largest or the least response, as with only two values: a narrowing tube meets all of them at one ε, and just below
    /// it x goes from zero to its bounds within rounding of ε.
    fn meets_tube_at_once(&self) -> bool {
        let (n, (low, high)) = (self.counted().count(), self.extent());
        n > MANY && 2 * self.counted().filter(|(y, _)| *y == low || *y == high).count() > n
    }

    /// The solution at θ, followed from that at the same λ with the widest tube; t is minus ε or λε. None where that fails.
    fn narrow(&self, qp: &ParametricQp<f64>, theta: &[f64], settings: &Settings) -> Option<Start<f64>> {
        let (Scales { unit, epsilon, .. }, widest) = (self.scales(theta), self.widest());
        let none = Start::ActiveSet { status: vec![Status::Lower; qp.n()], y: None };
        if epsilon >= widest {
            return Some(none);
        }
        let wide = [*theta.first()?, unit * ABOVE * widest];
        let line = qp.line_about(&[wide[0], 0.0], &wide, theta).ok()?;
        let mut follower = begin(&line, &none, settings).ok()?;
        if follower.run(&mut ()).ok()? != Stop::Target {
            return None;
        }
        Some(Start::ActiveSet { status: follower.status().to_vec(), y: Some(*follower.multiplier()) })
    }

    /// Σ v max(0, |Y − f| − ε) of some values f.
    fn loss(&self, f: &[f64], epsilon: f64) -> f64 {
        let losses = f.iter().zip(&self.responses).zip(self.machine.weights());
        losses.map(|((f, y), v)| v * ((y - f).abs() - epsilon).max(0.0)).sum()
    }

    /// The model of a path at θ.
    ///
    /// # Errors
    /// θ outside the path, or λ = 0.
    pub fn at(&self, path: &Path<f64>, theta: [f64; 2]) -> Result<Model, AdapterError> {
        let outside =
            AdapterError::Parameter { name: "epsilon", value: theta[1], expected: "lie on the path, with lambda or c" };
        if self.chart == Chart::Penalty {
            positive("lambda", theta[0])?;
        }
        let point = path.at_parameter(&theta).ok_or(outside)?;
        Ok(self.model(&theta, &point))
    }

    /// Whether a pair (α, α*) holds its row outside of the tube, by status; a row of weight zero does not count.
    fn is_outside(&self, status: &[Status], i: usize, n: usize) -> bool {
        let pair = (status.get(i), status.get(i + n));
        self.machine.weights()[i] > 0.0
            && matches!(pair, (Some(Status::Upper), Some(Status::Lower)) | (Some(Status::Lower), Some(Status::Upper)))
    }
}

impl Svr {
    /// The share of training rows outside of the tube.
    pub fn outside(&self, model: &Model) -> f64 {
        let epsilon = self.scales(&model.theta).epsilon;
        let f = self.machine.fitted(&model.function);
        let rows = self.machine.counted();
        let size = rows.iter().flat_map(|&i| [f[i], self.responses[i]]).fold(epsilon, |size, v| size.max(v.abs()));
        let is_outside = |i: &&usize| (self.responses[**i] - f[**i]).abs() - epsilon > OUTSIDE * size;
        rows.iter().filter(is_outside).count() as f64 / rows.len() as f64
    }

    /// The share of training rows outside the tube along a path that begins at t = 0, as a step function; `None` for a path without segments, or of another
    /// problem.
    pub fn outside_along(&self, path: &Path<f64>) -> Option<Steps> {
        let n = self.responses.len();
        let mut status = (!path.segments().is_empty() && path.n() == 2 * n).then(|| path.status_on(0))?;
        let (mut count, all) = ((0..n).filter(|&i| self.is_outside(&status, i, n)).count(), self.counted().count());
        let mut steps = Steps { theta: vec![path.parameter(&0.0)], values: Vec::new() };
        let mut begun = 0.0;
        for (k, segment) in path.segments().iter().enumerate() {
            let before = count;
            for &(j, to) in if k > 0 { path.changes_on(k) } else { &[] } {
                let (i, was) = (j as usize % n, self.is_outside(&status, j as usize % n, n));
                if let Some(place) = status.get_mut(j as usize) {
                    *place = to;
                }
                count = count + usize::from(self.is_outside(&status, i, n)) - usize::from(was);
            }
            if count != before && segment.t > begun {
                steps.theta.push(path.parameter(&segment.t));
                steps.values.push(before as f64 / all as f64);
                begun = segment.t;
            }
        }
        steps.theta.push(path.parameter(path.end()));
        steps.values.push(count as f64 / all as f64);
        Some(steps)
    }
}

/// A step function along a path, with K steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// θ at the ends of the steps, K + 1 entries of length p.
    pub theta: Vec<Vec<f64>>,
    /// The value on each step, K entries.
    pub values: Vec<f64>,
}

impl KernelProblem for Svr {
    fn machine(&self) -> &KernelMachine {
        &self.machine
    }

    /// β = (α − α*)/unit.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        let unit = self.scales(theta).unit;
        let (up, down) = point.x.split_at(self.responses.len().min(point.x.len()));
        let expansion = up.iter().zip(down).map(|(a, b)| (a - b) / unit).collect();
        self.machine.function_with_fit(expansion, self.intercept(theta, point.y), point.scaled_fit(1.0 / unit))
    }

    /// (α, α*) without what both have in common; the primal above, and the dual Yᵀ(α − α*) − ε Σ (α + α*) − (α − α*)ᵀK(α − α*)/2λ or its like.
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model {
        let Scales { unit, loss, epsilon } = self.scales(theta);
        let (up, down) = point.x.split_at(self.responses.len().min(point.x.len()));
        let net: Vec<f64> = up.iter().zip(down).map(|(a, b)| a - b).collect();
        let function = self.function(theta, point);
        let (f, square) = self.machine.fit(&function);
        let linear: f64 = self.responses.iter().zip(&net).map(|(y, x)| y * x - epsilon * x.abs()).sum();
        let penalty = unit / 2.0 * square;
        Model {
            theta: theta.to_vec(),
            alpha: net.iter().map(|x| x.max(0.0)).chain(net.iter().map(|x| (0.0 - x).max(0.0))).collect(),
            function,
            objective: loss * self.loss(&f, epsilon) + penalty,
            dual_objective: linear - penalty,
        }
    }

    fn intercept(&self, theta: &[f64], y: f64) -> f64 {
        (0.0 - y) / self.scales(theta).unit
    }

    fn row_variables(&self, row: usize) -> Vec<(usize, f64)> {
        vec![(row, 1.0), (row + self.responses.len(), -1.0)]
    }

    fn dual_unit(&self) -> (f64, &'static str) {
        (1.0, "α − α*")
    }
}
