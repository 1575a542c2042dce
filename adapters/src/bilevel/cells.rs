//! Cells: critical regions cut by the validation crossings.
//!
//! A corner is (τ − a₁, λ − a₂, 1) with the region's anchor a, or (0, 1, 0) where λ is infinite. A form (p, q, c) is the function
//! p(τ − a₁) + q(λ − a₂) + c; at the corner at infinity it has the value q, its part that grows with λ.

use super::fold::Fold;
use super::kernels::Kernels;
use super::plane::{Law, Place};
use super::squares::Quadratic;
use super::{BilevelError, InSample};
use crate::kqr::Kqr;
use crate::problem::KernelProblem;
use pathqp::envelope::RationalFunction;
use pathqp::{Scalar, Status};
use std::sync::Arc;

/// A function of θ, see the module's first lines.
pub(super) type Form = [f64; 3];

pub(super) type Corner = [f64; 3];

/// Where |r| is at most this part of its terms it counts as zero.
pub(super) const ZERO: f64 = 1e-12;

/// A side whose ends differ in τ by no more than this is vertical.
pub(super) const VERTICAL: f64 = 1e-12;

/// What the loss is on a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Loss {
    /// (τR − N)/λ.
    Pinball,
    /// R − 2N, the mean of |r|.
    Absolute,
    /// The mean of r², where R and N are of no use.
    Squared(Box<Quadratic>),
}

/// A convex polygon on which the loss is one function.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub loss: Loss,
    pub anchor: [f64; 2],
    /// Anticlockwise.
    pub corners: Vec<Corner>,
    /// R and N, per unit of weight.
    pub sum: Form,
    pub negative: Form,
}

/// A side of a cell as a branch: the numerator and the denominator of the loss (λ, or one where that is infinite or the loss is absolute) and the tuned
/// parameter, all in τ − from.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub from: f64,
    pub to: f64,
    pub numerator: [f64; 3],
    pub denominator: [f64; 2],
    pub tuned: [f64; 2],
    pub infinite: bool,
}

impl Segment {
    /// The loss along it.
    pub fn function(&self) -> RationalFunction<f64> {
        RationalFunction { origin: self.from, numerator: self.numerator, denominator: self.denominator }
    }
}

pub(super) fn value(form: &Form, p: &Corner) -> f64 {
    form[0] * p[0] + form[1] * p[1] + form[2] * p[2]
}

/// The cells of one region after the other.
#[derive(Clone)]
pub(super) struct Cutter<'a> {
    fold: &'a Fold<Kqr>,
    /// One part of the weight.
    unit: f64,
    /// k(xⱼ, x̃) with the constant feature, a row of N values for each of n training rows.
    kernel: Arc<Vec<Vec<f64>>>,
    status: Vec<Status>,
    /// Σ vⱼk(xⱼ, ·) over rows at a bound, and over those at the lower one.
    bound: RunningSums,
    lower: RunningSums,
}

/// Sums whose terms are added and removed region by region. Each is kept in two numbers: the rounding of one number would grow with the number of regions, and
/// is finally divided by λ.
#[derive(Clone)]
pub(super) struct RunningSums {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl RunningSums {
    /// `count` of them, without terms.
    pub fn new(count: usize) -> Self {
        RunningSums { high: vec![0.0; count], low: vec![0.0; count] }
    }

    /// Adds a multiple of one term each.
    pub fn add(&mut self, factor: f64, terms: &[f64]) {
        f64::accumulate_all(&mut self.high, &mut self.low, &factor, terms);
    }

    /// Their values.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        self.high.iter().zip(&self.low).map(|(high, low)| high + low)
    }
}

impl<'a> Cutter<'a> {
    /// `weight` is the total weight of all held-out rows.
    pub fn new(fold: &'a Fold<Kqr>, kernels: &Kernels, weight: f64) -> Self {
        let n = fold.problem().machine().rows();
        let held = |row: &Vec<f64>| row.get(n..).unwrap_or_default().to_vec();
        let kernel = Arc::new(kernels.rows.iter().take(n).map(held).collect());
        let [bound, lower] = [0, 1].map(|_| RunningSums::new(fold.responses().len()));
        Cutter { fold, unit: 1.0 / weight, kernel, status: vec![Status::Free; n], bound, lower }
    }

    /// Brings the sums over bound rows to another active set.
    fn follow(&mut self, status: &[Status]) {
        let weights = self.fold.problem().machine().weights();
        for ((old, new), (row, v)) in self.status.iter_mut().zip(status).zip(self.kernel.iter().zip(weights)) {
            if old == new {
                continue;
            }
            let share = |of: bool, was: bool| (f64::from(of) - f64::from(was)) * v;
            let bound = share(*new != Status::Free, *old != Status::Free);
            let lower = share(*new == Status::Lower, *old == Status::Lower);
            for (sum, factor) in [(&mut self.bound, bound), (&mut self.lower, lower)] {
                if factor != 0.0 {
                    sum.add(factor, row);
                }
            }
            *old = *new;
        }
    }

    /// r = λ(Ỹ − f(x̃)) of all held-out rows, in the region's coordinates: with B and L the sums over bound rows and those at the lower bound,
    /// λf = τB − L + Σ over free rows of xⱼk(xⱼ, x̃) − y.
    fn residuals(&self, law: &Law) -> Vec<Form> {
        let [tau, lambda] = law.anchor;
        let y = law.y.unwrap_or([0.0; 3]);
        let base = self.fold.responses().iter().zip(self.bound.values().zip(self.lower.values()));
        let mut forms: Vec<Form> = base
            .map(|(response, (b, l))| [y[1] - b, response + y[2], lambda * response + y[0] - (tau * b - l)])
            .collect();
        for (&j, x) in law.free.iter().zip(&law.x) {
            let Some(row) = self.kernel.get(j) else { continue };
            for (form, k) in forms.iter_mut().zip(row) {
                form[0] -= x[1] * k;
                form[1] -= x[2] * k;
                form[2] -= x[0] * k;
            }
        }
        forms
    }

    /// The cells of a region.
    pub fn cut(&mut self, law: &Law, corners: &[Place]) -> (Vec<Cell>, usize) {
        self.follow(&law.status);
        let forms = self.residuals(law);
        let anchor = law.anchor;
        let zero = |response: f64, p: &Corner| ZERO * (response.abs() * (p[1] + p[2] * anchor[1]) + f64::MIN_POSITIVE);
        let whole = Cell::pinball(anchor, corners);
        let data = self.fold.responses().iter().zip(self.fold.weights());
        let rows = forms.into_iter().zip(data).map(|(form, (response, weight))| (form, weight * self.unit, *response));
        cut(whole, rows, &zero)
    }

    /// A region as one cell, the held-out rows being the training rows: the signs of their residuals are those of the region, and its sums are
    /// multiplied by the criterion's factor. None where all rows are free.
    pub fn whole(&mut self, law: &Law, corners: &[Place], criterion: InSample) -> Option<Cell> {
        self.follow(&law.status);
        let factor = criterion.factor(law.status.len(), law.free.len())?;
        let mut cell = Cell::pinball(law.anchor, corners);
        let rows = law.status.iter().zip(self.fold.weights());
        for (form, (status, weight)) in self.residuals(law).iter().zip(rows) {
            let share = factor * weight * self.unit;
            if *status != Status::Free {
                add(&mut cell.sum, form, share);
            }
            if *status == Status::Lower {
                add(&mut cell.negative, form, share);
            }
        }
        Some(cell)
    }
}

/// The cells of a polygon, and how many residuals change their sign in it. `rows`: the residual of each held-out row, its share of the weight,
/// and the response; `zero`: up to which size a residual counts as zero, given the response and the corner.
pub(super) fn cut(
    whole: Cell,
    rows: impl Iterator<Item = (Form, f64, f64)>,
    zero: &dyn Fn(f64, &Corner) -> f64,
) -> (Vec<Cell>, usize) {
    let (mut sum, mut negative) = ([0.0; 3], [0.0; 3]);
    let mut lines = Vec::new();
    for (form, share, response) in rows {
        add(&mut sum, &form, share);
        let sign = |p: &Corner| Some(value(&form, p)).filter(|v| v.abs() > zero(response, p)).unwrap_or(0.0);
        let signs = whole.corners.iter().map(sign);
        let (low, high) = signs.fold((0.0, 0.0), |(l, h): (f64, f64), v| (l.min(v), h.max(v)));
        if low < 0.0 && high > 0.0 {
            lines.push((form, share));
        } else if low < 0.0 {
            add(&mut negative, &form, share);
        }
    }
    let mut cells = vec![Cell { sum, negative, ..whole }];
    for (form, share) in &lines {
        let mut parts = Vec::with_capacity(cells.len() + 2);
        for cell in cells {
            split(cell, form, *share, &mut parts);
        }
        cells = parts;
    }
    (cells, lines.len())
}

fn add(total: &mut Form, form: &Form, factor: f64) {
    total.iter_mut().zip(form).for_each(|(t, f)| *t += factor * f);
}

/// Cuts a cell along form = 0; where the form is negative it joins N.
fn split(cell: Cell, form: &Form, share: f64, parts: &mut Vec<Cell>) {
    let values: Vec<f64> = cell.corners.iter().map(|p| value(form, p)).collect();
    let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let joined = |mut cell: Cell| {
        add(&mut cell.negative, form, share);
        cell
    };
    if least >= 0.0 {
        return parts.push(cell);
    }
    if most <= 0.0 {
        return parts.push(joined(cell));
    }
    let (mut above, mut below) = (Vec::with_capacity(values.len() + 1), Vec::with_capacity(values.len() + 1));
    let next = cell.corners.iter().zip(&values).cycle().skip(1);
    for ((p, &v), (q, &w)) in cell.corners.iter().zip(&values).zip(next) {
        if v >= 0.0 {
            above.push(*p);
        }
        if v <= 0.0 {
            below.push(*p);
        }
        if (v > 0.0 && w < 0.0) || (v < 0.0 && w > 0.0) {
            let middle = between(p, v.abs(), q, w.abs());
            above.push(middle);
            below.push(middle);
        }
    }
    let part = |corners: Vec<Corner>| Cell { corners, ..cell.clone() };
    parts.push(part(above));
    parts.push(joined(part(below)));
}

/// The part of a polygon where a form is not negative, anticlockwise.
pub(super) fn clip(corners: &[Corner], form: &Form) -> Vec<Corner> {
    let mut kept = Vec::with_capacity(corners.len() + 1);
    for (p, q) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        let (v, w) = (value(form, p), value(form, q));
        if v >= 0.0 {
            kept.push(*p);
        }
        if (v > 0.0 && w < 0.0) || (v < 0.0 && w > 0.0) {
            kept.push(between(p, v.abs(), q, w.abs()));
        }
    }
    kept
}

/// The point between p and q at which a form with the values ±v and ∓w is zero.
pub(super) fn between(p: &Corner, v: f64, q: &Corner, w: f64) -> Corner {
    let [x, y, z] = [0, 1, 2].map(|a: usize| p[a] * w + q[a] * v);
    if z == 0.0 { [0.0, 1.0, 0.0] } else { [x / z, y / z, 1.0] }
}

/// The branches of a cell: the sides that lie below it, the upper end of the domain, λ = ∞, and where a quadratic loss is least inside of it.
pub(super) fn branches(
    cell: &Cell,
    largest: f64,
    add: &mut dyn FnMut(Segment) -> Result<(), BilevelError>,
) -> Result<(), BilevelError> {
    let count = cell.corners.len();
    for (k, (p, q)) in cell.corners.iter().zip(cell.corners.iter().cycle().skip(1)).enumerate() {
        let is_top = |p: &Corner| (p[1] + cell.anchor[1] - largest).abs() <= VERTICAL * largest;
        if q[2] == 0.0 {
            // From the next corner back to this one, at infinity.
            if let Some(left) = cell.corners.get((k + 2) % count).filter(|left| left[2] != 0.0 && p[2] != 0.0) {
                let (from, to) = (left[0] + cell.anchor[0], p[0] + cell.anchor[0]);
                if to - from > VERTICAL {
                    add(cell.at_infinity(from, to))?;
                }
            }
        } else if p[2] != 0.0 && q[0] - p[0] > VERTICAL {
            add(cell.along(p, q))?;
        } else if p[2] != 0.0 && p[0] - q[0] > VERTICAL && is_top(p) && is_top(q) {
            add(cell.along(q, p))?;
        }
    }
    match cell.valley() {
        Some([p, q]) if q[0] - p[0] > VERTICAL => add(cell.along(&p, &q)),
        _ => Ok(()),
    }
}

impl Cell {
    /// A region of quantile regression, without a loss as yet.
    fn pinball(anchor: [f64; 2], corners: &[Place]) -> Self {
        let local = |&([tau, lambda], finite): &Place| match finite {
            true => [tau - anchor[0], lambda - anchor[1], 1.0],
            false => [0.0, 1.0, 0.0],
        };
        let corners = corners.iter().map(local).collect();
        Cell { loss: Loss::Pinball, anchor, corners, sum: [0.0; 3], negative: [0.0; 3] }
    }

    /// The branch on the straight line from p to q.
    fn along(&self, p: &Corner, q: &Corner) -> Segment {
        let slope = (q[1] - p[1]) / (q[0] - p[0]);
        let tuned = [p[1] + self.anchor[1], slope];
        Segment {
            from: p[0] + self.anchor[0],
            to: q[0] + self.anchor[0],
            numerator: self.numerator(p, slope),
            denominator: if self.loss == Loss::Pinball { tuned } else { [1.0, 0.0] },
            tuned,
            infinite: false,
        }
    }

    /// τR − N, R − 2N or the mean of r², as a polynomial of δ on the line p + (δ, slope·δ).
    pub fn numerator(&self, p: &Corner, slope: f64) -> [f64; 3] {
        if let Loss::Squared(square) = &self.loss {
            return square.on_line(p, slope);
        }
        let tau = p[0] + self.anchor[0];
        let on_line = |form: &Form| [value(form, p), form[0] + slope * form[1]];
        let ([r0, r1], [n0, n1]) = (on_line(&self.sum), on_line(&self.negative));
        match self.loss {
            Loss::Pinball => [tau * r0 - n0, r0 + tau * r1 - n1, r1],
            _ => [r0 - 2.0 * n0, r1 - 2.0 * n1, 0.0],
        }
    }

    /// (τR − N)/λ for λ → ∞.
    pub fn at_infinity(&self, from: f64, to: f64) -> Segment {
        let (r, n) = (self.sum[1], self.negative[1]);
        Segment {
            from,
            to,
            numerator: [from * r - n, r, 0.0],
            denominator: [1.0, 0.0],
            tuned: [f64::INFINITY, 0.0],
            infinite: true,
        }
    }
}
