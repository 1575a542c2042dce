//! How far a point is from optimal, computed afresh from the problem: nothing of the follower is used.
//!
//! With z = Hx + c − Aᵀy a point is optimal when l ≤ x ≤ u, Ax = b, and zᵢ > 0 only where xᵢ = lᵢ, zᵢ < 0 only where
//! xᵢ = uᵢ. Residuals are relative: x to the largest |l|, |u|, |x|; zᵢ to the size of its terms,
//! |cᵢ| + |Aᵢy| + √Hᵢᵢ √(xᵀHx) (Cauchy–Schwarz bounds |Hᵢx| by the last), after what rounding may amount to has been taken off.
//! With |xⱼ| ≤ rⱼ, its largest bound before that cancels, the terms of qᵢ = (Hx + c)ᵢ are known to
//!
//! ```text
//! eᵢ = (64 + n)ε (|cᵢ| + √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|) + 2ε √Hᵢᵢ Σ√Hⱼⱼ rⱼ
//! ```
//!
//! and zᵢ to eᵢ + |Aᵢ| max(eⱼ/|Aⱼ|, (64 + n)ε|y|), since y is made of the qⱼ/Aⱼ. An x that lies at no bound solves Hx = Aᵀy − c and Ax = b, so that it is known to
//!
//! ```text
//! ρᵢ = ρ/√Hᵢᵢ,      ρ = (64 + n)ε max(maxⱼ (|cⱼ| + |Aⱼy|)/√Hⱼⱼ, |b|/maxₖ(|Aₖ|/√Hₖₖ)) over all k, and the j at no bound, or at one with a zⱼ that may be zero
//! ρᵢ = (64 + n)ε |b|/|Aᵢ|      where Hᵢᵢ = 0
//! ```
//!
//! which matters where x goes to zero and no bound gives it a scale: the scale of x is at least 10¹⁰ max ρᵢ, that of the row 10¹⁰ max |Aᵢ|ρᵢ, that of zᵢ
//! 10¹⁰ ρ max(√Hᵢᵢ, |Aᵢ|/maxₖ(|Aₖ|/√Hₖₖ)).
//!
//! The duality gap is Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b): the objective minus the dual objective
//! −½xᵀHx + by + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ, summed without cancellation.

use crate::hessian::multiply;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, FADED, ROUNDING, Settings};

/// The residuals of a point, see the module's first lines. All are relative except the two objectives.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate<S> {
    /// The largest violation of a bound.
    pub primal: S,
    /// |Ax − b|, relative to |b| + max |Aᵢ| times the scale of x.
    pub row: S,
    /// The largest min(zᵢ⁺, xᵢ − lᵢ) and min(zᵢ⁻, uᵢ − xᵢ), each side relative to its scale.
    pub stationarity: S,
    /// The largest zᵢ⁺(xᵢ − lᵢ) or zᵢ⁻(uᵢ − xᵢ), relative to the product of their scales.
    pub complementarity: S,
    /// ½xᵀHx + cᵀx.
    pub objective: S,
    /// The dual objective.
    pub dual_objective: S,
    /// Their difference, relative to ½xᵀHx + Σ|cᵢ| max(|lᵢ|, |uᵢ|, |xᵢ|).
    pub relative_gap: S,
    /// Variable with the largest violation.
    pub worst: usize,
    /// The values of y that leave the point optimal, where the free variables do not determine it; an end is none
    /// where nothing bounds it.
    pub multiplier_range: Option<(Option<S>, Option<S>)>,
}

impl<S: Scalar> Certificate<S> {
    /// The certificate of (x, y) at position t of a line. `x` has n entries.
    pub fn new(line: &Line<S>, t: &S, x: &[S], y: &S) -> Self {
        let hx = multiply(line.hessian.as_ref(), x);
        let mut point = At { line, t, x, hx: &hx, scale: S::zero(), curvature: S::dot(x, &hx) };
        point.scale = point.largest();
        point.certify(y)
    }

    /// The largest residual.
    pub fn kkt_residual(&self) -> S {
        [&self.row, &self.stationarity, &self.complementarity]
            .into_iter()
            .fold(self.primal.clone(), |m, r| S::larger(m, r.clone()))
    }
}

/// |v| + |s t|.
fn size_of<S: Scalar>(v: &S, s: &S, t: &S) -> S {
    v.abs() + (s.clone() * t).abs()
}

/// What scales are at least: of x, of the row, of y, and of z in units of √Hᵢᵢ.
struct LeastScales<S> {
    x: S,
    row: S,
    y: S,
    force: S,
}

struct At<'a, S> {
    line: &'a Line<S>,
    t: &'a S,
    x: &'a [S],
    hx: &'a [S],
    /// The scale of x.
    scale: S,
    /// xᵀHx.
    curvature: S,
}

impl<S: Scalar> At<'_, S> {
    /// The largest |x| and the largest bound, each taken as the size of its terms: near a bound that vanishes at t the
    /// rounding of its own terms must not count as large.
    fn largest(&self) -> S {
        (0..self.x.len()).map(|i| self.line.bounds.reach(i, self.t, &self.x[i])).fold(S::zero(), S::larger)
    }

    fn relative(value: S, scale: S) -> S {
        if value.is_zero() { value } else { value / scale }
    }

    fn certify(&self, y: &S) -> Certificate<S> {
        let zero = S::zero();
        let two = S::integer(2);
        let mut c = Certificate {
            primal: zero.clone(),
            row: zero.clone(),
            stationarity: zero.clone(),
            complementarity: zero.clone(),
            objective: self.curvature.clone() / &two,
            dual_objective: zero.clone(),
            relative_gap: zero.clone(),
            worst: 0,
            multiplier_range: None,
        };
        let (mut gap, mut terms, mut worst) = (zero.clone(), c.objective.clone(), zero.clone());
        let length = self.curvature.scale_root();
        let rounding = S::tolerance(ROUNDING + self.x.len() as f64);
        let root = |i: usize| self.line.hessian.diagonal(i).scale_root();
        let spread = (0..self.x.len()).fold(zero.clone(), |s, i| s + root(i) * self.x[i].abs());
        // x itself carries the rounding of the bounds it moves with.
        let bound_spread =
            (0..self.x.len()).fold(zero.clone(), |s, i| s + root(i) * self.line.bounds.reach(i, self.t, &self.x[i]));
        let cost_size = |i: usize| size_of(&self.line.c0[i], &self.line.c1[i], self.t);
        let of_q = |i: usize| {
            let terms = cost_size(i) + root(i) * &spread;
            terms * &rounding + root(i) * &bound_spread * S::tolerance(CANCELLED)
        };
        let least = self.least_scales(y, &root, &rounding);
        let scale = S::larger(self.scale.clone(), least.x);
        c.multiplier_range = self.multiplier_range(&scale);
        let in_row = (0..self.x.len()).filter(|&i| !self.line.a(i).is_zero());
        let of_y = in_row.map(|i| of_q(i) / self.line.a(i).abs()).fold(y.abs() * &rounding, S::larger);
        for i in 0..self.x.len() {
            let (x, cost, a) = (&self.x[i], self.line.c(i, self.t), self.line.a(i));
            let z = self.hx[i].clone() + &cost - a.clone() * y;
            c.objective += cost.clone() * x;
            terms += cost.abs() * self.line.bounds.reach(i, self.t, &self.x[i]);
            let of_force = S::larger(root(i) * &least.force, a.abs() * &least.y);
            let z_scale = S::larger(cost_size(i) + (a.clone() * y).abs() + root(i) * &length, of_force);
            let below = self.line.bounds.lower_at(i, self.t).map(|l| x.clone() - l);
            let above = self.line.bounds.upper_at(i, self.t).map(|u| u - x);
            let outside =
                [&below, &above].into_iter().flatten().fold(zero.clone(), |m, room| S::larger(m, -room.clone()));
            let primal = Self::relative(outside, scale.clone());
            let room = if z > zero { below } else { above };
            // Where everything cancels the scale is rounding itself: that much is taken off first.
            let above_rounding = S::larger(z.abs() - of_q(i) - a.abs() * &of_y, S::zero());
            let force = Self::relative(above_rounding, z_scale);
            let (stationarity, complementarity) = match room {
                Some(room) => {
                    gap += z.abs() * &room;
                    let inside = Self::relative(S::larger(room, zero.clone()), scale.clone());
                    (S::smaller(force.clone(), inside.clone()), force * inside)
                }
                None => (force.clone(), force),
            };
            let here = S::larger(primal.clone(), stationarity.clone());
            if here > worst {
                (worst, c.worst) = (here, i);
            }
            c.primal = S::larger(c.primal, primal);
            c.stationarity = S::larger(c.stationarity, stationarity);
            c.complementarity = S::larger(c.complementarity, complementarity);
        }
        if self.line.has_row() {
            let b = self.line.b(self.t);
            let off = S::dot(&self.line.a, self.x) - &b;
            let largest = self.line.a.iter().fold(S::zero(), |m, a| S::larger(m, a.abs()));
            let size = size_of(&self.line.b0, &self.line.b1, self.t) + largest * &self.scale;
            gap += y.clone() * &off;
            c.row = Self::relative(off.abs(), S::larger(size, least.row.clone()));
            terms = S::larger(terms, y.abs() * &least.row);
        }
        c.dual_objective = c.objective.clone() - &gap;
        c.relative_gap = Self::relative(gap.abs(), terms);
        c
    }

    /// What the scales of x, the row and z/√H are at least, by the ρ of the module's first lines.
    fn least_scales(&self, y: &S, root: &impl Fn(usize) -> S, rounding: &S) -> LeastScales<S> {
        let bounds = &self.line.bounds;
        let at = |bound: Option<S>, i: usize| bound.is_some_and(|bound| bound == self.x[i]);
        let inside = |i: &usize| !at(bounds.lower_at(*i, self.t), *i) && !at(bounds.upper_at(*i, self.t), *i);
        let over = |value: &S, below: S| if below.is_zero() { S::zero() } else { value.clone() / below };
        let terms = |j: usize| size_of(&self.line.c0[j], &self.line.c1[j], self.t) + (self.line.a(j) * y).abs();
        let z = |j: usize| self.hx[j].clone() + self.line.c(j, self.t) - self.line.a(j) * y;
        let may_move = |j: &usize| inside(j) || z(*j).abs() <= terms(*j) * rounding;
        let row = size_of(&self.line.b0, &self.line.b1, self.t);
        let (mut of_costs, mut of_row) = (S::zero(), S::zero());
        for j in 0..self.x.len() {
            if may_move(&j) {
                of_costs = S::larger(of_costs, over(&terms(j), root(j)));
            }
            of_row = S::larger(of_row, over(&self.line.a(j).abs(), root(j)));
        }
        let faded = rounding.clone() * S::from_f64(FADED).unwrap_or_else(S::zero);
        let force = S::larger(of_costs, over(&row, of_row.clone())) * &faded;
        let mut least = LeastScales { x: S::zero(), row: S::zero(), y: over(&force, of_row), force };
        for i in (0..self.x.len()).filter(inside) {
            let x = match root(i) {
                root if root.is_zero() => over(&row, self.line.a(i).abs()) * &faded,
                root => least.force.clone() / root,
            };
            least.row = S::larger(least.row, self.line.a(i).abs() * &x);
            least.x = S::larger(least.x, x);
        }
        least
    }

    /// The ends of y that the signs of z leave, when no variable strictly inside its box has a coefficient in the row.
    fn multiplier_range(&self, scale: &S) -> Option<(Option<S>, Option<S>)> {
        if !self.line.has_row() {
            return None;
        }
        let noise = scale.clone() * S::tolerance(Settings::default().audit);
        let (mut lo, mut hi): (Option<S>, Option<S>) = (None, None);
        for i in (0..self.x.len()).filter(|&i| !self.line.a[i].is_zero()) {
            let near = |b: Option<S>| b.is_some_and(|b| (self.x[i].clone() - b).abs() <= noise);
            let lower = near(self.line.bounds.lower_at(i, self.t));
            let upper = near(self.line.bounds.upper_at(i, self.t));
            let end = (self.hx[i].clone() + self.line.c(i, self.t)) / &self.line.a[i];
            match (lower, upper) {
                (false, false) => return None,
                (true, true) => {}
                _ if lower == (self.line.a[i] > S::zero()) => {
                    hi = Some(hi.map_or(end.clone(), |h| S::smaller(h, end)));
                }
                _ => lo = Some(lo.map_or(end.clone(), |l| S::larger(l, end))),
            }
        }
        Some((lo, hi))
    }
}
