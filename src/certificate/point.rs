//! One point: its scales, and what is left of its optimality conditions.

use super::{Certificate, Certifier};
use crate::scalar::Scalar;
use crate::settings::{FADED, GAP_ROUNDING, ROUNDING, Settings};

/// A point of a line with its product Hx, and what its residuals are relative to.
pub(super) struct At<'a, S> {
    of: &'a Certifier<'a, S>,
    t: &'a S,
    x: &'a [S],
    y: &'a S,
    hx: &'a [S],
    /// κ/2 ‖Zᵀx − w‖² where `hx` is κZw.
    apart: S,
    scales: Scales<S>,
}

/// See the module's first lines.
struct Scales<S> {
    /// maxᵢ rᵢ.
    x: S,
    /// maxᵢ mᵢrᵢ.
    x_in_metric: S,
    /// L.
    fit: S,
    /// Σ √Hᵢᵢ|xᵢ|.
    spread: S,
    /// The least that z is measured by, in units of √Hᵢᵢ, and of |Aᵢ|.
    least_fit: S,
    least_y: S,
    /// The least that x is measured by, in units of 1/√Hᵢᵢ, and of 1/|Aᵢ| where Hᵢᵢ = 0.
    least_x: S,
    least_in_row: S,
}

/// One variable at a point.
struct Variable<S> {
    x: S,
    c: S,
    z: S,
    /// xᵢ − lᵢ and uᵢ − xᵢ.
    rooms: [Option<S>; 2],
    /// The bound to which zᵢ points, and the room on that side.
    side: Option<S>,
    room: Option<S>,
}

/// |v| + |s t|.
fn size_of<S: Scalar>(v: &S, s: &S, t: &S) -> S {
    v.abs() + (s.clone() * t).abs()
}

/// A part of a whole; all of it where the whole is nothing.
fn relative<S: Scalar>(part: S, whole: S) -> S {
    if part.is_zero() {
        part
    } else if whole.is_zero() {
        S::one()
    } else {
        part / whole
    }
}

fn over<S: Scalar>(value: S, below: &S) -> S {
    if below.is_zero() { S::zero() } else { value / below }
}

fn faded<S: Scalar>(rounding: S) -> S {
    rounding * S::from_f64(FADED).unwrap_or_else(S::zero)
}

impl<'a, S: Scalar> At<'a, S> {
    pub(super) fn new(of: &'a Certifier<'a, S>, t: &'a S, (x, y): (&'a [S], &'a S), hx: &'a [S], apart: S) -> Self {
        let zero = S::zero;
        let scales = Scales {
            x: zero(),
            x_in_metric: zero(),
            fit: zero(),
            spread: zero(),
            least_fit: zero(),
            least_y: zero(),
            least_x: zero(),
            least_in_row: zero(),
        };
        let mut at = At { of, t, x, y, hx, apart, scales };
        at.measure();
        at
    }

    fn n(&self) -> usize {
        self.x.len()
    }

    /// |cᵢ| before its terms cancel.
    fn cost_size(&self, i: usize) -> S {
        size_of(&self.of.line.c0[i], &self.of.line.c1[i], self.t)
    }

    /// |Aᵢy|.
    fn force(&self, i: usize) -> S {
        (self.of.line.a(i) * self.y).abs()
    }

    /// rᵢ: the larger of |xᵢ| and the size of the nearer bound, taken before its terms cancel: near a bound that vanishes at t the rounding of its own
    /// terms must not count as large.
    fn reach(&self, i: usize) -> S {
        let bounds = &self.of.line.bounds;
        let distance = |bound: &[S; 2]| (S::affine(bound, self.t) - &self.x[i]).abs();
        let nearer = match (&bounds.lower[i], &bounds.upper[i]) {
            (Some(lower), Some(upper)) => Some(if distance(upper) < distance(lower) { upper } else { lower }),
            (lower, upper) => lower.as_ref().or(upper.as_ref()),
        };
        nearer.map_or_else(|| self.x[i].abs(), |[v, s]| S::larger(self.x[i].abs(), size_of(v, s, self.t)))
    }

    fn measure(&mut self) {
        let of = self.of;
        let mut bounds = S::zero();
        for i in 0..self.n() {
            let reach = self.reach(i);
            bounds += of.roots[i].clone() * &reach;
            self.scales.spread += of.roots[i].clone() * self.x[i].abs();
            self.scales.x_in_metric = S::larger(self.scales.x_in_metric.clone(), of.lengths[i].clone() * &reach);
            self.scales.x = S::larger(self.scales.x.clone(), reach);
            self.scales.fit = S::larger(self.scales.fit.clone(), over(self.hx[i].abs(), &of.roots[i]));
        }
        let rounding = faded(S::tolerance(ROUNDING + self.n() as f64));
        let row = size_of(&of.line.b0, &of.line.b1, self.t);
        let (costs, through_row) = self.solved_from();
        let fit = S::larger(costs, over(row.clone(), &through_row)) * &rounding;
        self.scales.least_x = fit.clone();
        self.scales.least_in_row = row * &rounding;
        let without_costs = (0..self.n()).all(|i| self.cost_size(i).is_zero());
        let fit = if without_costs { S::larger(fit, bounds * &rounding) } else { fit };
        self.scales.least_y = over(fit.clone(), &through_row);
        self.scales.least_fit = fit;
    }

    /// The largest (|cⱼ| + |Aⱼy|)/√Hⱼⱼ of the variables that x may have been solved from, and the largest |Aₖ|/√Hₖₖ of all.
    fn solved_from(&self) -> (S, S) {
        let of = self.of;
        let rounding = S::tolerance(ROUNDING + self.n() as f64);
        let (mut costs, mut row) = (S::zero(), S::zero());
        for j in 0..self.n() {
            let terms = self.cost_size(j) + self.force(j);
            let z = self.hx[j].clone() + of.line.c(j, self.t) - of.line.a(j) * self.y;
            if self.is_inside(j) || z.abs() <= terms.clone() * &rounding {
                costs = S::larger(costs, over(terms, &of.roots[j]));
            }
            row = S::larger(row, over(of.line.a(j).abs(), &of.roots[j]));
        }
        (costs, row)
    }

    fn is_inside(&self, i: usize) -> bool {
        let bounds = &self.of.line.bounds;
        let at = |bound: Option<S>| bound.is_some_and(|bound| bound == self.x[i]);
        !at(bounds.lower_at(i, self.t)) && !at(bounds.upper_at(i, self.t))
    }

    /// What xᵢ is known to at best, times 10¹⁰.
    fn least_x(&self, i: usize) -> S {
        if !self.is_inside(i) {
            return S::zero();
        }
        match &self.of.roots[i] {
            root if root.is_zero() => over(self.scales.least_in_row.clone(), &self.of.line.a(i).abs()),
            root => self.scales.least_x.clone() / root,
        }
    }

    /// The scale of xᵢ.
    fn scale_of_x(&self, i: usize) -> S {
        let length = &self.of.lengths[i];
        let largest = self.scales.x.clone();
        let largest = match length.is_zero() {
            true => largest,
            false => S::smaller(largest, self.scales.x_in_metric.clone() / length),
        };
        S::larger(largest, self.least_x(i))
    }

    /// sᵢ.
    fn data(&self, i: usize, cost: &S) -> S {
        let root = self.of.roots[i].clone();
        let data = cost.abs() + self.force(i) + root.clone() * &self.scales.fit;
        let least = S::larger(root * &self.scales.least_fit, self.of.line.a(i).abs() * &self.scales.least_y);
        S::larger(data, S::larger(least, faded(self.cost_size(i) * S::tolerance(GAP_ROUNDING))))
    }

    /// 10¹⁰eᵢ.
    fn rounding(&self, i: usize, data: &S) -> S {
        let terms = self.cost_size(i) + self.force(i) + self.of.roots[i].clone() * &self.scales.spread;
        S::smaller(faded(terms * S::tolerance(GAP_ROUNDING)), data.clone())
    }

    fn variable(&self, i: usize) -> Variable<S> {
        let line = self.of.line;
        let (x, c) = (self.x[i].clone(), line.c(i, self.t));
        let z = self.hx[i].clone() + &c - line.a(i) * self.y;
        let (lower, upper) = (line.bounds.lower_at(i, self.t), line.bounds.upper_at(i, self.t));
        let rooms = [lower.as_ref().map(|l| x.clone() - l), upper.as_ref().map(|u| u.clone() - &x)];
        let (side, room) = if z > S::zero() { (lower, rooms[0].clone()) } else { (upper, rooms[1].clone()) };
        Variable { x, c, z, rooms, side, room }
    }

    pub(super) fn certify(&self) -> Certificate<S> {
        let (zero, two) = (S::zero(), S::integer(2));
        let curvature = S::dot(self.x, self.hx) / &two;
        let mut found = Certificate {
            primal: zero.clone(),
            row: zero.clone(),
            stationarity: zero.clone(),
            complementarity: zero.clone(),
            objective: zero.clone(),
            dual_objective: zero.clone(),
            relative_gap: zero.clone(),
            worst: 0,
            multiplier_range: self.multiplier_range(),
        };
        let (mut gap, mut worst) = (Gap::default(), zero);
        gap.size += self.apart.clone();
        gap.signed += self.apart.clone();
        for i in 0..self.n() {
            let variable = self.variable(i);
            let here = self.residuals(i, &variable, &mut gap);
            let largest = S::larger(here[0].clone(), here[1].clone());
            if largest > worst {
                (worst, found.worst) = (largest, i);
            }
            let [primal, stationarity, complementarity] = here;
            found.primal = S::larger(found.primal, primal);
            found.stationarity = S::larger(found.stationarity, stationarity);
            found.complementarity = S::larger(found.complementarity, complementarity);
        }
        if self.of.line.has_row() {
            found.row = self.row(&mut gap);
        }
        found.objective = curvature.clone() + &gap.linear;
        found.dual_objective = found.objective.clone() - &gap.signed;
        let size = curvature.abs() + S::larger(gap.linear.abs(), gap.losses);
        found.relative_gap = relative(gap.size, S::larger(size, gap.rounding));
        found
    }

    /// The violation of a bound, stationarity and complementarity of one variable; what it adds to the gap.
    fn residuals(&self, i: usize, variable: &Variable<S>, gap: &mut Gap<S>) -> [S; 3] {
        let Variable { x, c, z, rooms, side, room } = variable;
        let (zero, scale, data) = (S::zero(), self.scale_of_x(i), self.data(i, c));
        gap.linear += c.clone() * x;
        // A missing bound: what z makes of x itself.
        let width = room.as_ref().map_or_else(|| x.abs(), S::abs);
        gap.size += z.abs() * &width;
        gap.signed += z.abs() * &room.clone().unwrap_or_else(S::zero);
        gap.losses += z.abs() * side.as_ref().map_or_else(S::zero, S::abs);
        gap.rounding += self.rounding(i, &data) * width;
        let outside = rooms.iter().flatten().fold(zero.clone(), |m, room| S::larger(m, -room.clone()));
        let primal = relative(outside, scale.clone());
        let force = relative(z.abs(), data);
        match room {
            Some(room) => {
                let inside = relative(S::larger(room.clone(), zero), scale);
                [primal, S::smaller(force.clone(), inside.clone()), force * inside]
            }
            None => [primal, force.clone(), force],
        }
    }

    /// The residual of the row; what it adds to the gap.
    fn row(&self, gap: &mut Gap<S>) -> S {
        let line = self.of.line;
        let off = S::dot(&line.a, self.x) - line.b(self.t);
        let reach = |i: usize| line.a[i].abs() * &self.scale_of_x(i);
        let largest = (0..self.n()).map(reach).fold(S::zero(), S::larger);
        let size = size_of(&line.b0, &line.b1, self.t) + largest;
        gap.size += (self.y.clone() * &off).abs();
        gap.signed += self.y.clone() * &off;
        gap.losses += (self.y.clone() * line.b(self.t)).abs();
        gap.rounding += faded(self.y.abs() * &size * S::tolerance(GAP_ROUNDING));
        relative(off.abs(), size)
    }

    /// The ends of y that the signs of z leave, when no variable strictly inside its box has a coefficient in the row.
    fn multiplier_range(&self) -> Option<(Option<S>, Option<S>)> {
        let line = self.of.line;
        if !line.has_row() {
            return None;
        }
        let noise = S::tolerance(Settings::default().audit);
        let (mut lo, mut hi): (Option<S>, Option<S>) = (None, None);
        for i in (0..self.n()).filter(|&i| !line.a[i].is_zero()) {
            let noise = self.scale_of_x(i) * &noise;
            let near = |b: Option<S>| b.is_some_and(|b| (self.x[i].clone() - b).abs() <= noise);
            let lower = near(line.bounds.lower_at(i, self.t));
            let upper = near(line.bounds.upper_at(i, self.t));
            let end = (self.hx[i].clone() + line.c(i, self.t)) / &line.a[i];
            match (lower, upper) {
                (false, false) => return None,
                (true, true) => {}
                _ if lower == (line.a[i] > S::zero()) => {
                    hi = Some(hi.map_or(end.clone(), |h| S::smaller(h, end)));
                }
                _ => lo = Some(lo.map_or(end.clone(), |l| S::larger(l, end))),
            }
        }
        Some((lo, hi))
    }
}

/// The sums that the relative gap is made of.
struct Gap<S> {
    /// The gap, term by term in absolute value.
    size: S,
    /// With their signs.
    signed: S,
    /// cᵀx.
    linear: S,
    /// |by| + Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ|.
    losses: S,
    /// 10¹⁰ times the gap that rounding would make.
    rounding: S,
}

impl<S: Scalar> Default for Gap<S> {
    fn default() -> Self {
        let zero = S::zero;
        Gap { size: zero(), signed: zero(), linear: zero(), losses: zero(), rounding: zero() }
    }
}
