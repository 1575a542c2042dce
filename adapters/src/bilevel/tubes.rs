//! ε-SVR tuned: for every ε the best λ, or for every λ the best ε, by the mean absolute or squared error on held-out rows.
//!
//! In the chart of costs ([`Chart::Cost`]), where θ = (C, ε) with C = 1/λ, f(x̃) = Σ sⱼxⱼk(xⱼ, x̃) − y is itself affine on a critical region (sⱼ = ±1 for
//! α and α*), and so is r = Ỹ − f(x̃). The lines r = 0 cut it into cells, on which
//!
//! ```text
//! L(C, ε) = Σ ṽ|r| / Σ ṽ = R − 2N,      R = Σ ṽr / Σ ṽ,    N = Σ over r < 0 of ṽr / Σ ṽ
//! ```
//!
//! is affine, with one fold or with several. So the least L for a fixed value of one of the two is at an end of a cell in the direction of the other: on the
//! lower sides of the cells or the upper end of the domain, as with quantile regression. C = 0 is λ = ∞ with f a constant, and belongs to
//! the domain. The mean squared error is quadratic on the regions, see squares.rs.
//!
//! *Intervals.* Where no index is free y is an interval, of all the regions those with as much weight above as below the tube. The middle of the interval is
//! taken, which makes L continuous. With h = Σ sⱼxⱼk(xⱼ, xᵢ) on the training rows
//!
//! ```text
//! y ≥ h − Y − ε  and  y ≤ h − Y + ε  inside of the tube,      y ≥ h − Y + ε  above it,      y ≤ h − Y − ε  below it
//! ```
//!
//! and both ends are the largest and the least of affine functions, along whose crossings the region is divided.
//!
//! *Repeated rows* are taken together, with the sum of their weights: the same function by fewer variables.

use super::cells::{AFRESH, Cell, Corner, Form, Loss, ZERO, clip, cut, value};
use super::fold::Fold;
use super::path::BilevelPath;
use super::squares::Quadratic;
use super::{BilevelError, Regions, SMALLEST, search};
use crate::adapter::{Adapter, Constant, Model, begin};
use crate::bias::Bias;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::svr::{Chart, Svr};
use pathqp::complex::{CriticalRegion, Options};
use pathqp::{Certificate, ParametricQp, Range, Settings, Status};
use std::collections::HashMap;
use std::sync::Arc;

/// Where a start is looked for, as parts of the ranges of C and ε.
const INSIDE: [f64; 2] = [0.37, 0.41];

/// A point is solved for at the beginning of a path that goes this much further.
const BEYOND: f64 = 1.01;

/// Which parameter is tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tuned {
    /// C, for every ε.
    Cost,
    /// ε, for every C.
    Epsilon,
}

/// The domain of a bi-level path of ε-SVR.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeDomain {
    /// What is tuned.
    pub tuned: Tuned,
    /// C = 1/λ, from 0 unless told otherwise, to a thousand times its smallest knot in the median over some ε.
    pub cost: [Option<f64>; 2],
    /// ε, from 0 to where every x is zero unless told otherwise.
    pub epsilon: [Option<f64>; 2],
}

/// What is least on the held-out rows, per unit of weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TubeLoss {
    /// The mean absolute error.
    #[default]
    Absolute,
    /// The mean squared error.
    Squared,
}

/// The best C for every ε or the best ε for every C by a loss on held-out rows: a validation set if there is one fold, cross-validation if
/// there are several. Pieces are in terms of C and ε, whatever the chart of the folds' problems.
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
    let largest = match domain.cost[1] {
        Some(cost) => cost,
        None => 1.0 / (SMALLEST * scale_of_lambda(&problems, epsilon, settings)?),
    };
    let cost = [domain.cost[0].unwrap_or(0.0), largest];
    for (name, [from, to]) in [("epsilon", epsilon), ("c", cost)] {
        if !(from >= 0.0 && from < to && to.is_finite()) {
            return Err(BilevelError::Range { name, from, to });
        }
    }
    let weight = folds.iter().map(Fold::weight).sum();
    let regions = |number: usize| -> Result<Box<dyn Regions + '_>, BilevelError> {
        let (fold, svr) = folds.get(number).zip(problems.get(number)).ok_or(BilevelError::NoFold)?;
        Ok(Box::new(Plane::new(fold, svr, (cost, epsilon), (domain.tuned, loss), weight, settings)?))
    };
    let (vary, tuned) = if domain.tuned == Tuned::Cost { (epsilon, cost) } else { (cost, epsilon) };
    search(folds.len(), &regions, vary, tuned, settings)
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
    if machine.kernel() == KernelKind::Precomputed {
        return Ok(svr.charted(Chart::Cost));
    }
    let mut row = vec![0.0; machine.features().columns()];
    let (mut rows, mut weights, mut seen) = (Vec::new(), Vec::<f64>::new(), HashMap::new());
    for (i, (y, v)) in svr.responses().iter().zip(machine.weights()).enumerate() {
        machine.features().dense_row(i, &mut row);
        // Adding zero turns −0 into 0.
        let key: Vec<u64> = row.iter().chain([y]).map(|v| (v + 0.0).to_bits()).collect();
        let place = *seen.entry(key).or_insert(rows.len());
        match weights.get_mut(place) {
            Some(weight) => *weight += v,
            None => {
                rows.push(i);
                weights.push(*v);
            }
        }
    }
    let responses = rows.iter().filter_map(|&i| svr.responses().get(i).copied()).collect();
    let features = Arc::new(machine.features().select_rows(&rows));
    Svr::new(features, responses, Some(weights), machine.kernel(), machine.bias(), Chart::Cost)
}

/// The critical regions of one fold.
struct Plane<'a> {
    fold: &'a Fold<Svr>,
    svr: &'a Svr,
    tuned: Tuned,
    loss: TubeLoss,
    qp: ParametricQp<f64>,
    options: Options<f64>,
    whole: f64,
    /// One part of the weight.
    unit: f64,
    /// k(xⱼ, ·) with the constant feature on the N held-out and then the n training rows, for each of n training rows.
    kernel: Vec<Vec<f64>>,
    status: Vec<Status>,
    /// Σ sⱼvⱼk(xⱼ, ·) over variables at their upper bound.
    upper: Vec<f64>,
    regions: usize,
}

impl<'a> Plane<'a> {
    fn new(
        fold: &'a Fold<Svr>,
        svr: &'a Svr,
        (cost, epsilon): ([f64; 2], [f64; 2]),
        (tuned, loss): (Tuned, TubeLoss),
        weight: f64,
        settings: &Settings,
    ) -> Result<Self, BilevelError> {
        let ranges = [cost, epsilon];
        let qp = svr.qp(settings)?.within(ranges.map(|[from, to]| Range::new(from, to)).into())?;
        let scale = ranges.map(|[from, to]| to - from);
        let point = [0, 1].map(|a: usize| ranges[a][0] + INSIDE[a] * scale[a]);
        let start = svr.start(&qp, &point, settings);
        let options = Options { point: Some(point), start, settings: settings.clone(), scale: Some(scale) };
        let (machine, n) = (svr.machine(), svr.responses().len());
        let offset = machine.bias().kernel_offset();
        let mut unit = vec![0.0; n];
        let row = |j: usize| {
            unit[j] = 1.0;
            let mut row = machine.kernel().expand(fold.rows(), machine.features(), &unit);
            row.extend(machine.kernel().expand(machine.features(), machine.features(), &unit));
            unit[j] = 0.0;
            row.iter_mut().for_each(|k| *k += offset);
            row
        };
        let kernel = (0..n).map(row).collect();
        let upper = vec![0.0; fold.rows().rows() + n];
        let (status, whole) = (vec![Status::Lower; 2 * n], scale[0] * scale[1]);
        Ok(Plane { fold, svr, tuned, loss, qp, options, whole, unit: 1.0 / weight, kernel, status, upper, regions: 0 })
    }

    /// The kernel's values and the sign of a variable.
    fn column(&self, j: usize) -> Option<(&[f64], f64, f64)> {
        let n = self.svr.responses().len();
        let weight = self.svr.machine().weights().get(j % n)?;
        Some((self.kernel.get(j % n)?, if j < n { 1.0 } else { -1.0 }, *weight))
    }

    /// Brings the sums over bound variables to another active set.
    fn follow(&mut self, status: &[Status]) {
        if self.regions.is_multiple_of(AFRESH) {
            self.status.iter_mut().for_each(|s| *s = Status::Lower);
            self.upper.iter_mut().for_each(|s| *s = 0.0);
        }
        self.regions += 1;
        let mut upper = std::mem::take(&mut self.upper);
        for (j, to) in status.iter().enumerate() {
            let from = self.status.get(j).copied().unwrap_or(*to);
            let change = f64::from(*to == Status::Upper) - f64::from(from == Status::Upper);
            if let Some((column, sign, weight)) = self.column(j).filter(|_| change != 0.0) {
                upper.iter_mut().zip(column).for_each(|(s, k)| *s += change * sign * weight * k);
            }
        }
        self.upper = upper;
        self.status = status.to_vec();
    }

    /// A function of (C, ε) as a form in the order of the plane.
    fn form(&self, [by_cost, by_epsilon, constant]: Form) -> Form {
        if self.tuned == Tuned::Cost { [by_epsilon, by_cost, constant] } else { [by_cost, by_epsilon, constant] }
    }

    /// h = f + y on the held-out and the training rows.
    fn fits(&self, region: &CriticalRegion<f64>) -> Vec<Form> {
        let law = region.law();
        let cost = law.anchor[0];
        let mut fits: Vec<Form> = self.upper.iter().map(|u| [*u, 0.0, cost * u]).collect();
        for (j, x) in region.free().zip(law.x) {
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
    fn multipliers(
        &self,
        region: &CriticalRegion<f64>,
        corners: Vec<Corner>,
        fits: &[Form],
    ) -> Vec<(Vec<Corner>, Form)> {
        let law = region.law();
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

impl Regions for Plane<'_> {
    fn plane(&self) -> (&ParametricQp<f64>, &Options<f64>) {
        (&self.qp, &self.options)
    }

    fn whole(&self) -> f64 {
        self.whole
    }

    fn area(&self, corners: &[([f64; 2], bool)]) -> f64 {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|((p, _), (q, _))| p[0] * q[1] - p[1] * q[0]).sum::<f64>().abs() / 2.0
    }

    fn cut(&mut self, region: &CriticalRegion<f64>, corners: &[([f64; 2], bool)]) -> (Vec<Cell>, usize) {
        self.follow(region.status());
        let [cost, epsilon] = *region.law().anchor;
        let mut local: Vec<Corner> = corners.iter().map(|&([c, e], _)| [c - cost, e - epsilon, 1.0]).collect();
        let mut anchor = [cost, epsilon];
        if self.tuned == Tuned::Cost {
            // The other order of coordinates turns the region over.
            anchor.reverse();
            local.iter_mut().for_each(|p| p.swap(0, 1));
            local.reverse();
        }
        let fits = self.fits(region);
        let (held, training) = fits.split_at(self.fold.responses().len());
        let size = self.svr.responses().iter().fold(f64::MIN_POSITIVE, |m, y| m.max(y.abs()));
        let (mut cells, mut crossings) = (Vec::new(), 0);
        for (corners, y) in self.multipliers(region, local, training) {
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

/// The model at (C, ε), for C = 0 (and where C cannot be told from it) the limit, with the middle of the interval for its intercept where that is one.
///
/// # Errors
/// A path that could not be followed.
pub fn tube_at(svr: &Svr, [cost, epsilon]: [f64; 2], settings: &Settings) -> Result<Model, AdapterError> {
    let svr = svr.charted(Chart::Cost);
    let (qp, theta, n) = (svr.qp(settings)?, [cost, epsilon], svr.responses().len());
    // |f − constant| ≤ C Σ vᵢ|k(xᵢ, ·)|, |k(x, z)| ≤ √k(x, x)√k(z, z): where that is rounding of the responses, f is its limit for C → 0.
    let root = |i: usize| qp.hessian().diagonal(i).sqrt();
    let sum: f64 = svr.machine().weights().iter().enumerate().map(|(i, v)| v * root(i)).sum();
    let largest = (0..n).map(root).fold(0.0, f64::max);
    if cost * sum * largest <= f64::EPSILON * svr.widest() {
        let function = svr.machine().function(vec![0.0; n], svr.limit(epsilon));
        let (alpha, theta) = (vec![0.0; 2 * n], vec![cost, epsilon]);
        return Ok(Model { theta, alpha, function, objective: 0.0, dual_objective: 0.0 });
    }
    let line = qp.line(&theta, &[cost, BEYOND * epsilon.max(f64::EPSILON * svr.widest())])?;
    let mut follower = begin(&line, &svr.start(&qp, &theta, settings), settings)?;
    follower.step()?;
    let path = follower.into_path();
    let point = path.at(&0.0).ok_or(AdapterError::NotOffered { what: "solutions at that epsilon" })?;
    let mut model = svr.model(&theta, &point);
    let certificate = Certificate::new(&line, &0.0, &point.x, &point.y);
    if let Constant::Interval([Some(low), Some(high)]) = svr.constant(&model, certificate.multiplier_range) {
        model.function.constant = low + (high - low) / 2.0;
    }
    Ok(model)
}
