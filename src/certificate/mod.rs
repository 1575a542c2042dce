//! How far a point is from optimal, computed afresh from the problem: nothing of the follower is used.
//!
//! With z = Hx + c − Aᵀy a point is optimal when l ≤ x ≤ u, Ax = b, and zᵢ > 0 only where xᵢ = lᵢ, zᵢ < 0 only where
//! xᵢ = uᵢ. A point passes ([`Certificate::holds`]) when its KKT residual and its relative duality gap are both within a tolerance,
//! by default [`TOLERANCE`].
//!
//! *The residual* measures zᵢ by the data of its row as the answer stands,
//!
//! ```text
//! sᵢ = |cᵢ| + |Aᵢy| + √Hᵢᵢ L,      L = maxⱼ |Hⱼx|/√Hⱼⱼ ≤ ‖x‖_H
//! ```
//!
//! and not by what cancels in Hx. With H = κZZᵀ the fit w = κZᵀx may be small against its terms κ|xⱼ|‖Zⱼ‖, and what rounding leaves in x is then
//! large in w. Such an x may solve a problem next to the one that was asked, but w is what the user reads, and its zᵢ say whether it is right.
//! (‖x‖_H itself cannot be had from x·Hx there; L is a lower bound, by Cauchy and Schwarz, that is known to rounding of Hx.) Every xᵢ is measured
//! by the largest of them in units in which all rows are equally long, mᵢ = √(Hᵢᵢ + ρ²Aᵢ²) with ρ² = max Hᵢᵢ/max Aᵢ², or as they are if that is less:
//!
//! ```text
//! min(maxⱼ rⱼ, maxⱼ mⱼrⱼ/mᵢ),      rᵢ = max(|xᵢ|, the size of the nearer bound)
//! ```
//!
//! *The gap* is Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b): the objective minus the dual objective −½xᵀHx + by + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ, summed
//! without cancellation, term by term in absolute value. It is relative to the objective's own size, the terms of either side of the duality:
//!
//! ```text
//! ½xᵀHx + max(|cᵀx|, |by| + Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ|)
//! ```
//!
//! The one is what a user minimises who poses the problem as it stands (variance and return of a portfolio), the other whoever poses its dual: for
//! kernel machines it is penalty plus losses. In |cᵀx|, taken as one number, what is common to all responses or returns cancels, so that
//! shifting them does not change the size.
//!
//! *What rounding leaves.* The residual alone would pass a wrong objective that is small against the terms of c, and the gap alone would fail an answer whose zᵢ
//! are all rounding of their terms. So the gap is relative to at least the gap that rounding would make, 10¹⁰ Σ eᵢ times the room of xᵢ on the
//! side of zᵢ, where eᵢ is a few ε of |cᵢ| + |Aᵢy| + √Hᵢᵢ Σ√Hⱼⱼ|xⱼ| but no more than 10⁻¹⁰sᵢ: from there on x does not tell the fit. Sizes that go to zero are at least 10¹⁰ times
//! their rounding. c and b are known to ε of |v| + |s|t, before these cancel. An x that lies at no bound solves Hx = Aᵀy − c and Ax = b, and is known to
//!
//! ```text
//! ρᵢ = ρ/√Hᵢᵢ,      ρ = (64 + n)ε max(maxⱼ (|cⱼ| + |Aⱼy|)/√Hⱼⱼ, |b|/maxₖ(|Aₖ|/√Hₖₖ)) over all k, and the j at no bound, or at one with a zⱼ that may be zero
//! ρᵢ = (64 + n)ε |b|/|Aᵢ|      where Hᵢᵢ = 0
//! ```
//!
//! so that the scale of xᵢ is at least 10¹⁰ρᵢ, that of the row 10¹⁰ max |Aᵢ|ρᵢ, that of zᵢ 10¹⁰ρ max(√Hᵢᵢ, |Aᵢ|/maxₖ(|Aₖ|/√Hₖₖ)). Where c = 0 nothing but the
//! bounds and b give x a size, and L may be what rounding leaves of √Hᵢᵢ Σ√Hⱼⱼrⱼ: there sᵢ is at least 10¹⁰ times the rounding of that.

mod along;
mod point;
mod verdict;

use crate::hessian::multiply;
use crate::path::Point;
use crate::problem::Line;
use crate::scalar::Scalar;
use point::At;

pub use along::{Place, along, breakpoints, sample};
pub use verdict::{Failure, REMEDY, Verdict};

pub use crate::settings::TOLERANCE;

/// The residuals of a point, see the module's first lines. All are relative except the two objectives.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate<S> {
    /// The largest violation of a bound.
    pub primal: S,
    /// |Ax − b|, relative to |b| + max |Aᵢ| times the scale of xᵢ.
    pub row: S,
    /// The largest min(zᵢ⁺, xᵢ − lᵢ) and min(zᵢ⁻, uᵢ − xᵢ), each side relative to its scale.
    pub stationarity: S,
    /// The largest zᵢ⁺(xᵢ − lᵢ) or zᵢ⁻(uᵢ − xᵢ), relative to the product of their scales.
    pub complementarity: S,
    /// ½xᵀHx + cᵀx.
    pub objective: S,
    /// The dual objective.
    pub dual_objective: S,
    /// Their difference, relative to the size of the objective.
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
        Certifier::new(line).certify(t, x, y)
    }

    /// The certificate of a point of a path at its own t: of x, y and, where it has one, its fit, see [`Certifier::point`].
    pub fn of(line: &Line<S>, point: &Point<S>) -> Self {
        Certifier::new(line).point(point)
    }

    /// The largest residual.
    pub fn kkt_residual(&self) -> S {
        [&self.row, &self.stationarity, &self.complementarity]
            .into_iter()
            .fold(self.primal.clone(), |m, r| S::larger(m, r.clone()))
    }

    /// The verdict: whether neither the KKT residual nor the relative gap exceeds `tolerance`. What is not a number does.
    pub fn holds(&self, tolerance: &S) -> bool {
        let parts = [&self.primal, &self.row, &self.stationarity, &self.complementarity, &self.relative_gap];
        parts.into_iter().all(|part| part <= tolerance)
    }
}

/// Certificates of many points of one line: what they need of it wherever they are is computed once.
pub struct Certifier<'a, S> {
    line: &'a Line<S>,
    /// √Hᵢᵢ.
    roots: Vec<S>,
    /// mᵢ.
    lengths: Vec<S>,
}

impl<'a, S: Scalar> Certifier<'a, S> {
    /// Costs the diagonal of H.
    pub fn new(line: &'a Line<S>) -> Self {
        let n = line.n();
        let largest = |of: &dyn Fn(usize) -> S| (0..n).map(of).fold(S::zero(), S::larger);
        let square = |i: usize| line.a(i) * line.a(i);
        let (h, a) = (largest(&|i| line.hessian.diagonal(i)), largest(&square));
        let penalty = if a.is_zero() { S::zero() } else { h / a };
        let roots = (0..n).map(|i| line.hessian.diagonal(i).scale_root()).collect();
        let lengths = (0..n).map(|i| (line.hessian.diagonal(i) + square(i) * &penalty).scale_root()).collect();
        Certifier { line, roots, lengths }
    }

    /// The certificate of (x, y) at position t. `x` has n entries.
    pub fn certify(&self, t: &S, x: &[S], y: &S) -> Certificate<S> {
        let hx = multiply(self.line.hessian.as_ref(), x);
        At::new(self, t, (x, y), &hx, S::zero()).certify()
    }

    /// The certificate of a point of a path at its own t, n entries of x, with w = [`Point::fit`] where it has one.
    ///
    /// z = κZw + c − Aᵀy then takes the place of Hx + c − Aᵀy, and the difference of the objective at x and the dual objective at (w, y, z) has one term more,
    ///
    /// ```text
    /// Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b) + κ/2 ‖Zᵀx − w‖²
    /// ```
    ///
    /// which is small also where the terms of Zᵀx cancel so far that rounding in x moves it by more than itself. A w that does not belong to x makes it large.
    pub fn point(&self, point: &Point<S>) -> Certificate<S> {
        let h = self.line.hessian.as_ref();
        let gram = h.row_factor().filter(|gram| !h.is_given_by_entries() && gram.columns() > 0);
        let (Some(gram), Some(w)) = (gram, point.fit.as_ref()) else {
            return self.certify(&point.t, &point.x, &point.y);
        };
        if w.len() != gram.columns() {
            return self.certify(&point.t, &point.x, &point.y);
        }
        let kappa = gram.scale();
        let mut off: Vec<S> = w.iter().map(|w| -w.clone()).collect();
        for (i, x) in point.x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            gram.for_row(i, |j, z| off[j] += x.clone() * z);
        }
        let apart = S::dot(&off, &off) * kappa / S::integer(2);
        let hx: Vec<S> = (0..self.line.n()).map(|i| gram.dot(i, w) * kappa).collect();
        At::new(self, &point.t, (&point.x, &point.y), &hx, apart).certify()
    }
}
