//! ε-SVR tuned: for every ε the best λ, or for every λ the best ε, by the mean absolute or squared error on held-out rows.
//!
//! In the chart of costs ([`Chart::Cost`]), with θ = (C, ε) and C = 1/λ, f(x̃) = Σ sⱼxⱼk(xⱼ, x̃) − y is itself affine on a critical region (sⱼ = ±1 for α and
//! α*), and so is r = Ỹ − f(x̃). The lines r = 0 cut the region into cells, on which
//!
//! ```text
//! L(C, ε) = Σ ṽ|r| / Σ ṽ = R − 2N,      R = Σ ṽr / Σ ṽ,    N = Σ over r < 0 of ṽr / Σ ṽ
//! ```
//!
//! is affine, with one fold or with several. So at a fixed value of one of the two parameters the least L is at an end of a cell in the direction of the other:
//! on the lower sides of the cells or at the upper end of the domain, as with quantile regression. At C = 0, that is λ = ∞, f is a constant; C = 0 belongs to
//! the domain. The mean squared error is quadratic on the regions, see squares.rs.
//!
//! *Intervals.* Where no index is free y is an interval. That happens on the regions with as much weight above as below the tube. The middle of the interval is
//! taken, which makes L continuous. With h = Σ sⱼxⱼk(xⱼ, xᵢ) on the training rows
//!
//! ```text
//! y ≥ h − Y − ε  and  y ≤ h − Y + ε  inside of the tube,      y ≥ h − Y + ε  above it,      y ≤ h − Y − ε  below it
//! ```
//!
//! and the two ends are the largest and the least of several affine functions; the region is divided along the lines at which another of these functions takes
//! over.
//!
//! *Repeated rows* are merged, with the sum of their weights: the same function with fewer variables.

use super::cells::{Cell, Corner, Form, Loss, RunningSums, ZERO, clip, cut, value};
use super::fold::Fold;
use super::kernels::{Kernels, rounding};
use super::path::{BilevelPath, End};
use super::plane::{Axis, Law, Place, Plane, Strip};
use super::recount::{Known, Recount, Walk, qps, recounted};
use super::repeated::kinds;
use super::search::{Question, Side, search};
use super::squares::Quadratic;
use super::{BilevelError, SMALLEST, alone};
use crate::bias::Bias;
use crate::error::AdapterError;
use crate::problem::{Constant, KernelProblem, Model, PathProblem, begin};
use crate::svr::{Chart, Svr};
use pathqp::{Certificate, ParametricQp, Path, Settings, Start, Status};
use std::sync::Arc;

/// A point is solved for at the beginning of a path that goes this much further.
const BEYOND: f64 = 1.01;

/// C goes up to the value at which rounding moves f by this part of the widest tube. The knots along ε are where f meets the tube, and the sides of regions in
/// a rectangle can be told apart only if the knots
/// are known much more accurately than f itself need be.
const TOLD_APART: f64 = 1e-12;

/// The parameter that is tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuned {
    /// C is tuned, for every ε.
    Cost,
    /// ε is tuned, for every C.
    Epsilon,
}

/// The domain of a bi-level path of ε-SVR.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeDomain {
    /// The tuned parameter.
    pub tuned: Tuned,
    /// The range of C = 1/λ. It begins at 0 by default. By default it ends, if C is tuned, where no x is at the bound C any more or double precision does not
    /// determine the solution; if C varies, at a thousand times its smallest knot in the median over some ε.
    pub cost: [Option<f64>; 2],
    /// The range of ε. Default: from 0 to where every x is zero.
    pub epsilon: [Option<f64>; 2],
}

impl TubeDomain {
    /// The default ranges of both parameters.
    pub fn all(tuned: Tuned) -> Self {
        TubeDomain { tuned, cost: [None; 2], epsilon: [None; 2] }
    }
}

/// The loss on the held-out rows, per unit of weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TubeLoss {
    /// The mean absolute error.
    #[default]
    Absolute,
    /// The mean squared error.
    Squared,
}

/// The best C for every ε, or the best ε for every C, by a loss on held-out rows: with one fold on a validation set, with several by cross-validation. The
/// pieces are in terms of C and ε, in whichever chart the problems of the folds are posed.
///
/// # Errors
/// See [`BilevelError`].
pub fn tubes(
    folds: &[Fold<Svr>],
    domain: &TubeDomain,
    loss: TubeLoss,
    settings: &Settings,
) -> Result<BilevelPath, BilevelError> {
    let problems = folds.iter().map(|fold| merged(fold.problem())).collect::<Result<Vec<Svr>, AdapterError>>()?;
    let widest = problems.iter().map(Svr::widest).fold(0.0, f64::max);
    let epsilon = [domain.epsilon[0].unwrap_or(0.0), domain.epsilon[1].unwrap_or(widest)];
    let scale = scale_of_lambda(&problems, epsilon, settings)?;
    let by_cost = domain.tuned == Tuned::Cost;
    let kernels: Vec<Kernels> =
        folds.iter().zip(&problems).map(|(fold, svr)| Kernels::new(fold, svr.machine())).collect();
    let largest = match domain.cost[1] {
        Some(cost) => cost,
        None if by_cost => {
            // |f − y| ≤ C Σ vᵢ k and its rounding ε of that: C up to which it is known to a part of the tube that holds all rows.
            let known = |svr: &Svr| TOLD_APART * svr.widest() / rounding(svr.machine());
            problems.iter().map(known).fold(f64::INFINITY, f64::min).max(1.0 / (SMALLEST * scale))
        }
        None => 1.0 / (SMALLEST * scale),
    };
    let cost = [domain.cost[0].unwrap_or(0.0), largest];
    for (name, [from, to]) in [("epsilon", epsilon), ("c", cost)] {
        if !(from >= 0.0 && from < to && to.is_finite()) {
            return Err(BilevelError::Range { name, from, to });
        }
    }
    let weight: f64 = folds.iter().map(Fold::weight).sum();
    let alone = alone(settings);
    let plane = |((fold, svr), kernels)| -> Result<Box<dyn Plane + '_>, BilevelError> {
        Ok(Box::new(Tubes::new((fold, svr, kernels), (domain.tuned, loss), 1.0 / weight, &alone)?))
    };
    let planes = folds.iter().zip(&problems).zip(kernels).map(plane).collect::<Result<Vec<_>, _>>()?;
    // The first cell goes up to where C has its first knots.
    let (costs, tubes) = (Axis::logarithmic(cost, 0.25 / scale), Axis::even(epsilon));
    let end = if domain.cost[1].is_some() { End::Asked } else { End::Precision };
    let question = Question {
        planes,
        vary: if by_cost { tubes } else { costs },
        tuned: if by_cost { costs } else { tubes },
        unbounded: false,
        end: by_cost.then_some((Side::To, end)),
        range: if by_cost { epsilon } else { cost },
        asked: if by_cost { [domain.cost[0].is_some(), false] } else { domain.epsilon.map(|end| end.is_some()) },
    };
    search(question, settings)
}

/// Recomputes the loss in the middle of every piece of a path, from solutions found for this purpose.
///
/// # Errors
/// [`AdapterError`] where no solution is found.
pub fn recount_tubes(
    folds: &[Fold<Svr>],
    path: &BilevelPath,
    (tuned, loss): (Tuned, TubeLoss),
    settings: &Settings,
) -> Result<Recount, AdapterError> {
    let weight: f64 = folds.iter().map(Fold::weight).sum();
    let charted = |fold: &Fold<Svr>| {
        let weights = Some(fold.weights().to_vec());
        Fold::new(fold.problem().charted(Chart::Cost), fold.rows().clone(), fold.responses().to_vec(), weights)
    };
    let charted = folds.iter().map(charted).collect::<Result<Vec<_>, _>>()?;
    let alone = &alone(settings);
    let qps = qps(&charted, alone)?;
    recounted(path, (folds.len(), weight), settings.threads, |fold| {
        let mut walk = Walk::new((&charted[fold], &qps[fold]), false, alone);
        Ok(Box::new(move |[vary, best]| {
            let theta = if tuned == Tuned::Cost { [best, vary] } else { [vary, best] };
            walk.loss(theta, loss)
        }))
    })
}

impl Walk<'_, Svr> {
    /// Σ ṽ|r| or Σ ṽr² on the held-out rows, and to what it is known.
    fn loss(&mut self, theta: [f64; 2], loss: TubeLoss) -> Result<Known, AdapterError> {
        let (svr, fold) = (self.fold.problem(), self.fold);
        let model = match limit(svr, &self.qp, theta) {
            Some(model) => model,
            None => {
                let (line, point) = self.to(theta)?;
                let mut model = svr.model(&theta, &point);
                settle(svr, &mut model, &Certificate::new(&line, &point.t, &point.x, &point.y));
                model
            }
        };
        let f = svr.decision(&model, fold.rows());
        let of_f = theta[0] * rounding(svr.machine());
        let size = |r: f64| match loss {
            TubeLoss::Absolute => [r.abs(), of_f],
            TubeLoss::Squared => [r * r, (2.0 * r.abs() + of_f) * of_f],
        };
        let rows = f.iter().zip(fold.responses()).zip(fold.weights());
        Ok(rows.fold([0.0; 2], |[sum, known], ((f, y), v)| {
            let [a, b] = size(y - f);
            [sum + v * a, known + v * b]
        }))
    }
}

/// The scale of λ: the median of the largest knots at some ε, of the folds the largest one.
fn scale_of_lambda(problems: &[Svr], [from, to]: [f64; 2], settings: &Settings) -> Result<f64, BilevelError> {
    const PLACES: usize = 9;
    let mut largest: f64 = 0.0;
    for (fold, svr) in problems.iter().enumerate() {
        let mut knots = Vec::with_capacity(PLACES);
        for k in 0..PLACES {
            let epsilon =
                from + (to.min(svr.widest()) - from) * (k as f64 + std::f64::consts::FRAC_1_PI) / PLACES as f64;
            knots.extend(svr.largest_knot(epsilon, settings)?);
        }
        knots.sort_by(f64::total_cmp);
        let median = knots.get(knots.len() / 2).copied();
        largest = largest.max(median.ok_or(BilevelError::NoKnot { fold, name: "epsilon", from, to })?);
    }
    if largest > 0.0 { Ok(largest) } else { Err(BilevelError::NoFold) }
}

/// The same problem in the chart of costs with repeated rows taken together.
fn merged(svr: &Svr) -> Result<Svr, AdapterError> {
    let machine = svr.machine();
    let (rows, weights) = kinds(machine, svr.responses());
    if rows.len() == machine.rows() {
        return Ok(svr.charted(Chart::Cost));
    }
    let responses = rows.iter().filter_map(|&i| svr.responses().get(i).copied()).collect();
    let features = Arc::new(machine.features().select_rows(&rows));
    Svr::new(features, responses, Some(weights), machine.kernel(), machine.bias(), Chart::Cost)
}

/// The critical regions of one fold.
#[derive(Clone)]
struct Tubes<'a> {
    fold: &'a Fold<Svr>,
    svr: &'a Svr,
    tuned: Tuned,
    loss: TubeLoss,
    qp: ParametricQp<f64>,
    settings: Settings,
    /// One part of the weight.
    unit: f64,
    /// With k(xⱼ, ·) on the n training and then the N held-out rows.
    kernels: Kernels,
    status: Vec<Status>,
    /// Σ sⱼvⱼk(xⱼ, ·) over variables at their upper bound.
    upper: RunningSums,
}

impl<'a> Tubes<'a> {
    /// `unit` is one part of the weight of all held-out rows.
    fn new(
        (fold, svr, kernels): (&'a Fold<Svr>, &'a Svr, Kernels),
        (tuned, loss): (Tuned, TubeLoss),
        unit: f64,
        settings: &Settings,
    ) -> Result<Self, BilevelError> {
        let (qp, n) = (svr.qp(settings)?, svr.responses().len());
        let (status, upper) = (vec![Status::Lower; 2 * n], RunningSums::new(n + fold.responses().len()));
        let settings = settings.clone();
        Ok(Tubes { fold, svr, tuned, loss, qp, settings, unit, kernels, status, upper })
    }

    /// The kernel's values and the sign of a variable.
    fn column(&self, j: usize) -> Option<(&[f64], f64, f64)> {
        let n = self.svr.responses().len();
        let weight = self.svr.machine().weights().get(j % n)?;
        Some((self.kernels.rows.get(j % n)?, if j < n { 1.0 } else { -1.0 }, *weight))
    }

    /// Brings the sums over bound variables to another active set.
    fn follow(&mut self, status: &[Status]) {
        let mut upper = std::mem::replace(&mut self.upper, RunningSums::new(0));
        for (j, to) in status.iter().enumerate() {
            let from = self.status.get(j).copied().unwrap_or(*to);
            let change = f64::from(*to == Status::Upper) - f64::from(from == Status::Upper);
            if let Some((column, sign, weight)) = self.column(j).filter(|_| change != 0.0) {
                upper.add(change * sign * weight, column);
            }
        }
        self.upper = upper;
        self.status = status.to_vec();
    }

    /// A function of (C, ε) as a form in the order of the plane.
    fn form(&self, [by_cost, by_epsilon, constant]: Form) -> Form {
        if self.tuned == Tuned::Cost { [by_epsilon, by_cost, constant] } else { [by_cost, by_epsilon, constant] }
    }

    /// h = f + y on the training and the held-out rows.
    fn fits(&self, law: &Law) -> Vec<Form> {
        let cost = law.anchor[0];
        let mut fits: Vec<Form> = self.upper.values().map(|u| [u, 0.0, cost * u]).collect();
        for (&j, x) in law.free.iter().zip(&law.x) {
            let Some((column, sign, _)) = self.column(j) else { continue };
            for (fit, k) in fits.iter_mut().zip(column) {
                fit[0] += sign * x[1] * k;
                fit[1] += sign * x[2] * k;
                fit[2] += sign * x[0] * k;
            }
        }
        fits
    }

    /// y in the order of the plane, and where: all of the region, or each part of it in which both ends of its interval are one function.
    fn multipliers(&self, law: &Law, corners: Vec<Corner>, fits: &[Form]) -> Vec<(Vec<Corner>, Form)> {
        if self.svr.machine().bias() != Bias::Intercept {
            return vec![(corners, [0.0; 3])];
        }
        if let Some(y) = law.y {
            return vec![(corners, self.form([y[1], y[2], y[0]]))];
        }
        let (n, epsilon) = (self.svr.responses().len(), law.anchor[1]);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (i, (fit, y)) in fits.iter().zip(self.svr.responses()).enumerate() {
            let end = |sign: f64| self.form([fit[0], fit[1] + sign, fit[2] - y + sign * epsilon]);
            match (self.status.get(i), self.status.get(i + n)) {
                (Some(Status::Upper), Some(Status::Lower)) => low.push(end(1.0)),
                (Some(Status::Lower), Some(Status::Upper)) => high.push(end(-1.0)),
                _ => {
                    low.push(end(-1.0));
                    high.push(end(1.0));
                }
            }
        }
        let minus = |form: &Form| form.map(|v| -v);
        let high: Vec<Form> = high.iter().map(minus).collect();
        let mut parts = Vec::new();
        for (part, low) in largest(&corners, &low) {
            for (part, high) in largest(&part, &high) {
                parts.push((part, [0, 1, 2].map(|a: usize| (low[a] - high[a]) / 2.0)));
            }
        }
        parts
    }
}

/// The parts of a polygon in each of which one of several forms is the largest.
fn largest(corners: &[Corner], forms: &[Form]) -> Vec<(Vec<Corner>, Form)> {
    let range = |form: &Form| {
        let values = corners.iter().map(|p| value(form, p));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
    };
    let floor = forms.iter().map(|form| range(form).0).fold(f64::NEG_INFINITY, f64::max);
    let mut able: Vec<&Form> = Vec::new();
    for form in forms.iter().filter(|form| range(form).1 >= floor) {
        if !able.contains(&form) {
            able.push(form);
        }
    }
    let part = |form: &&Form| {
        let difference = |other: &Form| [0, 1, 2].map(|a: usize| form[a] - other[a]);
        let others = able.iter().filter(|other| *other != form);
        let part = others.fold(corners.to_vec(), |part, other| clip(&part, &difference(other)));
        (part.len() > 2).then_some((part, **form))
    };
    able.iter().filter_map(part).collect()
}

impl Plane for Tubes<'_> {
    fn twin(&self) -> Box<dyn Plane + '_> {
        Box::new(self.clone())
    }

    fn qp(&self) -> &ParametricQp<f64> {
        &self.qp
    }

    fn theta(&self, [vary, tuned]: [f64; 2]) -> [f64; 2] {
        if self.tuned == Tuned::Cost { [tuned, vary] } else { [vary, tuned] }
    }

    fn start(&self, theta: &[f64; 2]) -> Start<f64> {
        self.svr.start(&self.qp, theta, &self.settings)
    }

    /// Where no variable is at C.
    fn settled(&self, path: &Path<f64>) -> Option<f64> {
        let weights = self.svr.machine().weights();
        let at_cost = |k: usize| {
            let mut rows = path.status_on(k).into_iter().zip(weights.iter().cycle());
            rows.any(|(status, v)| *v > 0.0 && status == Status::Upper)
        };
        if (0..path.segments().len()).any(at_cost) {
            return None;
        }
        let ends = path.segments().iter().map(|segment| segment.t).chain([*path.end()]);
        let largest = ends.filter_map(|t| path.at(&t)).flat_map(|point| {
            let parts = point.x.iter().zip(weights.iter().cycle()).map(|(x, v)| x / v);
            parts.reduce(f64::max)
        });
        largest.reduce(f64::max).filter(|cost| *cost > 0.0)
    }

    fn strips(&self, _: [f64; 2], _: f64, _: &Settings) -> Option<(Vec<Strip>, Vec<[f64; 2]>)> {
        None
    }

    fn cut(&mut self, law: &Law, corners: &[Place]) -> (Vec<Cell>, usize) {
        self.follow(&law.status);
        let [cost, epsilon] = law.anchor;
        let mut local: Vec<Corner> = corners.iter().map(|&([c, e], _)| [c - cost, e - epsilon, 1.0]).collect();
        let mut anchor = [cost, epsilon];
        if self.tuned == Tuned::Cost {
            // The other order of coordinates turns the region over.
            anchor.reverse();
            local.iter_mut().for_each(|p| p.swap(0, 1));
            local.reverse();
        }
        let fits = self.fits(law);
        let (training, held) = fits.split_at(self.svr.responses().len());
        let size = self.svr.responses().iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
        let (mut cells, mut crossings) = (Vec::new(), 0);
        for (corners, y) in self.multipliers(law, local, training) {
            let data = self.fold.responses().iter().zip(self.fold.weights()).zip(held);
            let rows = data.map(|((response, weight), fit)| {
                let fit = self.form(*fit);
                let residual = [y[0] - fit[0], y[1] - fit[1], response + y[2] - fit[2]];
                (residual, weight * self.unit, *response)
            });
            let whole = Cell { loss: Loss::Absolute, anchor, corners, sum: [0.0; 3], negative: [0.0; 3] };
            if self.loss == TubeLoss::Squared {
                let mut square = Quadratic::default();
                rows.for_each(|(residual, share, _)| square.add(&residual, share));
                cells.push(Cell { loss: Loss::Squared(Box::new(square)), ..whole });
                continue;
            }
            let (parts, count) = cut(whole, rows, &|response, _| ZERO * (response.abs() + size));
            cells.extend(parts);
            crossings += count;
        }
        (cells, crossings)
    }
}

/// The model at (C, ε). For C = 0, and where C cannot be distinguished from it, this is the limit; where the intercept is an interval, its middle.
///
/// # Errors
/// [`AdapterError`] for a path that could not be followed.
pub fn tube_at(svr: &Svr, [cost, epsilon]: [f64; 2], settings: &Settings) -> Result<Model, AdapterError> {
    let (svr, theta) = (svr.charted(Chart::Cost), [cost, epsilon]);
    let qp = svr.qp(settings)?;
    if let Some(model) = limit(&svr, &qp, theta) {
        return Ok(model);
    }
    let line = qp.line(&theta, &[cost, BEYOND * epsilon.max(f64::EPSILON * svr.widest())])?;
    let mut follower = begin(&line, &svr.start(&qp, &theta, settings), settings)?;
    follower.step()?;
    let path = follower.into_path();
    let point = path.at(&0.0).ok_or(AdapterError::NoAnswer { what: "solution at that epsilon" })?;
    let mut model = svr.model(&theta, &point);
    settle(&svr, &mut model, &Certificate::new(&line, &0.0, &point.x, &point.y));
    Ok(model)
}

/// The model where C is zero or so small that |f − constant| ≤ C Σ vᵢ|k(xᵢ, ·)|, |k(x, z)| ≤ √k(x, x)√k(z, z), is rounding of the responses: f is its limit for C → 0.
fn limit(svr: &Svr, qp: &ParametricQp<f64>, [cost, epsilon]: [f64; 2]) -> Option<Model> {
    let (machine, n) = (svr.machine(), svr.responses().len());
    let root = |i: usize| qp.hessian().diagonal(i).sqrt();
    let sum: f64 = machine.weights().iter().enumerate().map(|(i, v)| v * root(i)).sum();
    let largest = (0..n).map(root).fold(0.0, f64::max);
    (cost * sum * largest <= f64::EPSILON * svr.widest()).then(|| {
        let function = machine.function(vec![0.0; n], svr.limit(epsilon));
        let theta = vec![cost, epsilon];
        Model { theta, alpha: vec![0.0; 2 * n], function, objective: 0.0, dual_objective: 0.0 }
    })
}

/// The middle of the interval for the constant, where it is one.
fn settle(svr: &Svr, model: &mut Model, certificate: &Certificate<f64>) {
    if let Constant::Interval([Some(low), Some(high)]) = svr.constant(model, certificate.multiplier_range) {
        model.function.constant = low + (high - low) / 2.0;
    }
}
