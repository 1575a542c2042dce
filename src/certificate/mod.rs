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
//! large in w. Such an x may solve a problem next to the one that was asked, but w is what the user reads, and zᵢ says whether it is right.
//! (‖x‖_H itself cannot be had from x·Hx there; L is a lower bound, by Cauchy and Schwarz, that is known to rounding of Hx.) The data of a row may vanish where
//! those of others do not, such as a response of zero. So sᵢ is at least 10¹⁰ζᵢ, where ζᵢ is up to what zᵢ counts as zero on a path (`Settings::zero` of
//! |cᵢ| + |Aᵢy| + √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|, which does have the terms that cancel), as far as that is no more than what z typically is: the mean of |zⱼ|, or √Hᵢᵢ times the mean of
//! |zⱼ|/√Hⱼⱼ, whichever is less.
//!
//! Every xᵢ is measured by the largest of them in units in which all rows are equally long, mᵢ = √(Hᵢᵢ + ρ²Aᵢ²) with ρ² = max Hᵢᵢ/max Aᵢ², or as they are if
//! that is less. A wide box does not make an x large that lies near its other end:
//!
//! ```text
//! min(maxⱼ rⱼ, maxⱼ mⱼrⱼ/mᵢ),      rᵢ = max(|xᵢ|, the size of the nearer bound)
//! ```
//!
//! *The gap* is Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b): the objective minus the dual objective −½xᵀHx + by + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ, summed
//! without cancellation, here term by term in absolute value. It is relative to the objective's own size, the terms of either side of the duality:
//!
//! ```text
//! ½xᵀHx + max(|cᵀx|, |by| + Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ|)
//! ```
//!
//! The one is what a user minimises who poses the problem as it stands (variance and return of a portfolio), the other whoever poses its dual: for
//! kernel machines it is penalty plus losses. In |cᵀx|, taken as one number, what is common to all responses or returns cancels, so that
//! shifting them does not change the size. The objective itself goes to zero where a parameter takes its losses away (τ → 0 and τ → 1), while what counts as zero in z and x
//! does not. So the gap is relative to at least what these make of it,
//!
//! ```text
//! Σ min(10¹⁰ζᵢ, sᵢ) roomᵢ + |zᵢ| min(10¹⁰ξᵢ, the scale of xᵢ)      over the i that lie off the bound to which zᵢ points,
//! ```
//!
//! with roomᵢ up to that bound and ξᵢ the same part of the largest of |xᵢ|, |lᵢ| and |uᵢ|. A gap passes if it is small against the objective, or if each of its terms has a
//! factor that is rounding; and none counts as rounding that is not also small against the data.
//!
//! *What goes to zero.* Sizes are at least 10¹⁰ times their rounding. c, b and bounds are known to ε of |v| + |s|t, before these cancel. An x that lies at no bound
//! solves Hx = Aᵀy − c and Ax = b, and is known to
//!
//! ```text
//! ρᵢ = ρ/√Hᵢᵢ,      ρ = (64 + n)ε max(maxⱼ (|cⱼ| + |Aⱼy|)/√Hⱼⱼ, |b|/maxₖ(|Aₖ|/√Hₖₖ)) over all k, and the j at no bound, or at one with a zⱼ that may be zero
//! ρᵢ = (64 + n)ε |b|/|Aᵢ|      where Hᵢᵢ = 0
//! ```
//!
//! so that the scale of xᵢ is at least 10¹⁰ρᵢ and that of zᵢ 10¹⁰ρ max(√Hᵢᵢ, |Aᵢ|/maxₖ(|Aₖ|/√Hₖₖ)). Where c = 0 nothing but the bounds and b gives x a size,
//! and L may be what rounding leaves of √Hᵢᵢ Σ√Hⱼⱼrⱼ: there sᵢ is at least 10¹⁰(64 + n)ε times that.

mod along;
mod point;
mod verdict;

use crate::hessian::{Gram, apply, multiply, multiply_block, project};
use crate::path::Point;
use crate::problem::Line;
use crate::scalar::Scalar;
use point::{At, Roundings};

pub use along::{Place, along, breakpoints, certificates, sample};
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
    rounding: Roundings<S>,
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
        Certifier { line, roots, lengths, rounding: Roundings::new(n) }
    }

    /// The certificate of (x, y) at position t. `x` has n entries.
    pub fn certify(&self, t: &S, x: &[S], y: &S) -> Certificate<S> {
        let hx = multiply(self.line.hessian.as_ref(), x);
        At::new(self, t, (x, y), (&hx, S::zero())).certify()
    }

    /// Z and w where the fit of a point can take the place of Zᵀx.
    fn fit_of<'p>(&self, point: &'p Point<S>) -> Option<(&Gram<S>, &'p [S])> {
        let h = self.line.hessian.as_ref();
        let gram = h.row_factor().filter(|gram| !h.is_given_by_entries() && gram.columns() > 0)?;
        let w = point.fit.as_deref()?;
        (w.len() == gram.columns()).then_some((gram, w))
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
        let Some((gram, w)) = self.fit_of(point) else {
            return self.certify(&point.t, &point.x, &point.y);
        };
        let kappa = gram.scale();
        let mut off: Vec<S> = w.iter().map(|w| -w.clone()).collect();
        for (i, x) in point.x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            gram.for_row(i, |j, z| off[j] += x.clone() * z);
        }
        let apart = S::dot(&off, &off) * kappa / S::integer(2);
        let hx: Vec<S> = (0..self.line.n()).map(|i| gram.dot(i, w) * kappa).collect();
        At::new(self, &point.t, (&point.x, &point.y), (&hx, apart)).certify()
    }
}

impl Certifier<'_, f64> {
    /// The certificates of several points, by products of matrices. They are those of [`Certifier::point`], but for rounding of the products. All
    /// points of a path have a fit, or none has.
    pub fn points(&self, points: &[Point<f64>]) -> Vec<Certificate<f64>> {
        let n = self.line.n();
        if n == 0 || points.is_empty() {
            return Vec::new();
        }
        let x: Vec<f64> = points.iter().flat_map(|point| point.x.iter().copied()).collect();
        let fits: Vec<(&Gram<f64>, &[f64])> = points.iter().filter_map(|point| self.fit_of(point)).collect();
        let (hx, apart) = match fits.first() {
            Some((gram, _)) if fits.len() == points.len() => {
                let w: Vec<f64> = fits.iter().flat_map(|(_, w)| w.iter().copied()).collect();
                let (d, own) = (gram.columns(), project(gram, &x));
                let off = |(w, own): (&f64, &f64)| (own - w) * (own - w);
                let square = |(w, own): (&[f64], &[f64])| w.iter().zip(own).map(off).sum::<f64>();
                let squares = w.chunks_exact(d).zip(own.chunks_exact(d)).map(square);
                (apply(gram, &w), squares.map(|square| square * gram.scale() / 2.0).collect())
            }
            _ => (multiply_block(self.line.hessian.as_ref(), &x), vec![0.0; points.len()]),
        };
        let each = points.iter().zip(hx.chunks_exact(n)).zip(apart);
        each.map(|((p, hx), apart)| At::new(self, &p.t, (&p.x, &p.y), (hx, apart)).certify()).collect()
    }
}
