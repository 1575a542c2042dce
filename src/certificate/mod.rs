//! How far a point (x, y) is from optimal, computed from the problem and the point alone.
//!
//! With z = Hx + c − Aᵀy a point is optimal when l ≤ x ≤ u, Ax = b, and zᵢ > 0 only where xᵢ = lᵢ, zᵢ < 0 only where xᵢ = uᵢ. A point passes
//! ([`Certificate::holds`]) when its KKT residual and its relative duality gap are both within a tolerance, by default [`TOLERANCE`]. All violations are
//! relative, and the following says to what. Aᵢ is the coefficient of xᵢ in the equality row, ε the machine epsilon.
//!
//! *Scale of z.* The violation of the sign of zᵢ is relative to the data of row i and of a typical row,
//!
//! ```text
//! sᵢ = dᵢ + min(mean dⱼ, mᵢ mean dⱼ/mⱼ),      dᵢ = |cᵢ| + |Aᵢy| + √Hᵢᵢ L,      L = maxⱼ |Hⱼx|/√Hⱼⱼ ≤ ‖x‖_H
//! ```
//!
//! where mᵢ = √(Hᵢᵢ + ρ²Aᵢ²), with ρ² = max Hᵢᵢ/max Aᵢ², is the length of row i. The mean is there because the data of a single row may vanish where those of
//! others do not (a response of zero). The size of the terms that cancel in Hx is deliberately not part of the scale. With H = κZZᵀ the fit w = Zᵀx may be
//! small against its terms |xⱼ|‖Zⱼ‖, and what rounding leaves in x is then large in w. Such an x may solve a problem close to the given one, but w is what the
//! user reads, and zᵢ tells whether it is right. (‖x‖_H itself cannot be computed from x·Hx in that case. L is a lower bound on it, by the Cauchy–Schwarz
//! inequality, and is known to rounding of Hx.)
//!
//! *Scale of x.* The violation of a bound by xᵢ is relative to the largest of all |xⱼ| and their nearer bounds, either as they are or in units in which all
//! rows are equally long, whichever is less:
//!
//! ```text
//! min(maxⱼ rⱼ, maxⱼ mⱼrⱼ/mᵢ),      rᵢ = max(|xᵢ|, the size of the nearer bound)
//! ```
//!
//! Only the nearer bound counts, so that a wide box does not make the scale large for an x at its other end.
//!
//! *The gap* is Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b), the objective minus the dual objective −½xᵀHx + by + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ. It is summed term by term,
//! here in absolute values, so that nothing cancels. It is relative to the terms of the two objectives,
//!
//! ```text
//! ½xᵀHx + max(|cᵀx|, |by| + Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ|)
//! ```
//!
//! The first argument of the maximum counts for problems posed directly (variance and return of a portfolio), the second for problems posed by their dual
//! (penalty plus losses of a kernel machine). |cᵀx| is the absolute value of one sum: a constant added to all responses or returns cancels in it and does not
//! change the size. The objective may go to zero with the parameter (the losses vanish as τ → 0 and τ → 1), while the z and x that count as zero do not. So the
//! gap is relative to at least 10¹⁰ times what these may contribute to it,
//!
//! ```text
//! Σ min(10¹⁰ζᵢ, sᵢ) roomᵢ + |zᵢ| min(10¹⁰ξᵢ, the scale of xᵢ)      over the i off the bound that the sign of zᵢ belongs to,
//! ```
//!
//! where roomᵢ is the distance to that bound, ζᵢ the size up to which zᵢ counts as zero on a path (`Settings::zero` times |cᵢ| + |Aᵢy| + √Hᵢᵢ‖x‖_H plus the
//! data of a typical row; without a fit Σ√Hⱼⱼ|xⱼ| takes the place of ‖x‖_H), and ξᵢ is (64 + n)ε times the largest of |xᵢ|, |lᵢ| and |uᵢ|. So a gap passes if
//! it is small against the objective, or if each of its terms has a factor that is no more than rounding; and a factor counts as rounding only if it is also
//! small against the data.
//!
//! *Scales near zero.* Every scale is at least 10¹⁰ times the rounding of what it measures. c, b and the bounds are known to ε of |v| + |s t|, the terms of v +
//! st before they cancel. The x at no bound solve Hx = Aᵀy − c and Ax = b, whose data have the size
//!
//! ```text
//! ρ = max(maxⱼ (|cⱼ| + |Aⱼy|)/√Hⱼⱼ, |b|/maxₖ(|Aₖ|/√Hₖₖ))      over all k, and the j at no bound or with a zⱼ that may be zero
//! ```
//!
//! in units of 1/√Hᵢᵢ; where Hᵢᵢ = 0 it is max(|b|, ρ maxₖ(|Aₖ|/√Hₖₖ)) in units of 1/|Aᵢ|. (This ρ is not the one in mᵢ.) The scale of an xᵢ at no bound is at
//! least 10¹⁰(64 + n)ε times that size in the residual of the row, and 10¹⁰ times `Settings::zero` of it in that of a bound, because indices are freed whose z
//! counts as zero; but it is no larger than the larger of the two bounds. The scale of zᵢ is at least 10¹⁰(64 + n)ερ max(√Hᵢᵢ, |Aᵢ|/maxₖ(|Aₖ|/√Hₖₖ)). Where c =
//! 0 only the bounds and b give x a size, and L may be what rounding leaves of √Hᵢᵢ Σ√Hⱼⱼrⱼ: there sᵢ is at least 10¹⁰(64 + n)ε times that.
//!
//! *H given by its entries.* With H = κZZᵀ and the fit w, every zᵢ is known to rounding of its data. Without w it is the remainder of Σ Hᵢⱼxⱼ, in which every
//! entry and every xⱼ has been rounded: in I + κXXᵀ with rows of length 10⁶, the 1 that is added to an entry of 10¹² affects its last four digits only. So sᵢ
//! is at least 10¹⁰ times the rounding 2ε Σ|Hᵢⱼxⱼ|, and what passes is the solution of a problem whose entries differ from the given ones in their last digits
//! (Rigal and Gaches 1967, doi:10.1145/321406.321416; Oettli and Prager 1964, doi:10.1007/BF01386090).

mod along;
mod point;
mod reduced;
mod rows;
mod verdict;

use crate::hessian::{Gram, Hessian, apply, multiply, multiply_block, project};
use crate::path::Point;
use crate::problem::Line;
use crate::scalar::Scalar;
use point::{At, Roundings};

pub use reduced::Reduced;

pub use along::{Place, along, breakpoints, certificates, sample};
pub use verdict::{Failure, REMEDY, Verdict};

pub use crate::settings::TOLERANCE;

/// The residuals of a point; the module's documentation defines the scales. All are relative except the two objectives.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate<S> {
    /// The largest violation of a bound by an xᵢ, relative to its scale.
    pub primal: S,
    /// |Ax − b|, relative to |b| plus the largest |Aᵢ| times the scale of xᵢ. With several rows the largest violation of a row's bounds.
    pub row: S,
    /// The largest min(zᵢ⁺, xᵢ − lᵢ) or min(zᵢ⁻, uᵢ − xᵢ), each of the two relative to its scale; of zᵢ alone where the bound is missing.
    pub stationarity: S,
    /// The largest zᵢ⁺(xᵢ − lᵢ) or zᵢ⁻(uᵢ − xᵢ), relative to the product of the two scales.
    pub complementarity: S,
    /// ½xᵀHx + cᵀx.
    pub objective: S,
    /// The objective minus the gap: the dual objective.
    pub dual_objective: S,
    /// The duality gap, summed in absolute values, relative to the terms of the two objectives.
    pub relative_gap: S,
    /// The variable with the largest violation of a bound or of stationarity.
    pub worst: usize,
    /// The interval of y in which the point stays optimal, where no variable inside its box has a coefficient in the equality row; an end is `None` where
    /// nothing bounds y. `None` otherwise, and for problems with several rows or inequality rows.
    pub multiplier_range: Option<(Option<S>, Option<S>)>,
}

impl<S: Scalar> Certificate<S> {
    /// The certificate of (x, y) at position t of a line. `x` has n entries; it costs a product with H.
    pub fn new(line: &Line<S>, t: &S, x: &[S], y: &S) -> Self {
        Certifier::new(line).certify(t, x, y)
    }

    /// The certificate of a point of a path at its own t: of x, of the multipliers and, where the point has one, of its fit ([`Certifier::point`]).
    pub fn of(line: &Line<S>, point: &Point<S>) -> Self {
        Certifier::new(line).point(point)
    }

    /// The largest of `primal`, `row`, `stationarity` and `complementarity`.
    pub fn kkt_residual(&self) -> S {
        [&self.row, &self.stationarity, &self.complementarity]
            .into_iter()
            .fold(self.primal.clone(), |m, r| S::larger(m, r.clone()))
    }

    /// Whether neither the KKT residual nor the relative gap exceeds `tolerance`; false if any of them is NaN.
    pub fn holds(&self, tolerance: &S) -> bool {
        let parts = [&self.primal, &self.row, &self.stationarity, &self.complementarity, &self.relative_gap];
        parts.into_iter().all(|part| part <= tolerance)
    }
}

/// Computes certificates of many points of one line. What does not depend on the point is computed once.
pub struct Certifier<'a, S> {
    line: &'a Line<S>,
    /// √Hᵢᵢ.
    roots: Vec<S>,
    /// mᵢ.
    lengths: Vec<S>,
    /// 1/√Hᵢᵢ and 1/mᵢ; zero where these are.
    over_roots: Vec<S>,
    over_lengths: Vec<S>,
    /// The largest |Aₖ|/√Hₖₖ.
    through_row: S,
    rounding: Roundings<S>,
}

impl<'a, S: Scalar> Certifier<'a, S> {
    /// The certifier of a line; computes the diagonal of H.
    pub fn new(line: &'a Line<S>) -> Self {
        let n = line.n();
        let largest = |of: &dyn Fn(usize) -> S| (0..n).map(of).fold(S::zero(), S::larger);
        let square = |i: usize| line.a(i) * line.a(i);
        let (h, a) = (largest(&|i| line.hessian.diagonal(i)), largest(&square));
        let penalty = if a.is_zero() { S::zero() } else { h / a };
        let roots: Vec<S> = (0..n).map(|i| line.hessian.diagonal(i).scale_root()).collect();
        let length = |i: usize| (line.hessian.diagonal(i) + square(i) * &penalty).scale_root();
        let lengths: Vec<S> = (0..n).map(length).collect();
        let over = |v: &S| if v.is_zero() { S::zero() } else { S::one() / v };
        let (over_roots, over_lengths): (Vec<S>, Vec<S>) =
            (roots.iter().map(over).collect(), lengths.iter().map(over).collect());
        let through_row = largest(&|i| line.a(i).abs() * &over_roots[i]);
        Certifier { line, roots, lengths, over_roots, over_lengths, through_row, rounding: Roundings::new(n) }
    }

    /// The certificate of (x, y) at position t; `x` has n entries. Where the problem has rows ([`ParametricQp::rows`](crate::ParametricQp::rows)) each has its
    /// own multiplier: use [`Certifier::certify_rows`].
    pub fn certify(&self, t: &S, x: &[S], y: &S) -> Certificate<S> {
        if self.line.rows.is_some() {
            return self.certify_rows(t, x, &vec![y.clone(); self.line.m()]);
        }
        let hx = multiply(self.line.hessian.as_ref(), x);
        At::new(self, &self.see(t, x), y, (&hx, None)).certify()
    }

    /// The certificate of (x, y) at position t; `x` has n entries, `y` one for each of the m rows. Missing multipliers are taken as zero.
    pub fn certify_rows(&self, t: &S, x: &[S], y: &[S]) -> Certificate<S> {
        let entry = |r: usize| y.get(r).cloned().unwrap_or_else(S::zero);
        match &self.line.rows {
            Some(rows) => self.with_rows(rows, t, x, &(0..self.line.m()).map(entry).collect::<Vec<S>>()),
            None => self.certify(t, x, &entry(0)),
        }
    }

    /// Z and w where the fit of a point can take the place of Zᵀx.
    fn fit_of<'p>(&self, point: &'p Point<S>) -> Option<(&Gram<S>, &'p [S])> {
        let h = self.line.hessian.as_ref();
        let gram = h.row_factor().filter(|gram| !h.is_given_by_entries() && gram.columns() > 0)?;
        let w = point.fit.as_deref()?;
        (w.len() == gram.columns()).then_some((gram, w))
    }

    /// The certificate of a point of a path at its own t; `x` has n entries. Where the point has a fit w ([`Point::fit`]), that is the best known value of Zᵀx,
    /// and κZw takes the place of Hx. The objective at x minus the dual objective at (w, y, z) then has one term more,
    ///
    /// ```text
    /// Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + y(Ax − b) + κ/2 ‖Zᵀx − w‖²
    /// ```
    ///
    /// which is small even where the terms of Zᵀx cancel so far that rounding in x changes Zᵀx by more than its own size. Before that, w is moved towards Zᵀx
    /// until they differ by no more than that rounding (for x = 0 the fit is 0, not 10⁻²⁰); stationarity and complementarity are the larger ones of the moved
    /// and of the given w.
    pub fn point(&self, point: &Point<S>) -> Certificate<S> {
        if self.line.rows.is_some() {
            return self.certify_rows(&point.t, &point.x, &point.rows);
        }
        let Some((gram, w)) = self.fit_of(point) else {
            return self.certify(&point.t, &point.x, &point.y);
        };
        let mut own = vec![S::zero(); w.len()];
        for (i, x) in point.x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            gram.for_row(i, |j, z| own[j] += x.clone() * z);
        }
        let fit = self.near(gram, point, w, &own);
        let told = fit.is_moved.then(|| product(gram, w));
        self.with_fit(gram, point, (&product(gram, &fit.w), told.as_deref()), (&fit, &own))
    }

    /// w as far as x = `point.x` leaves it open, with its `own` = Zᵀx.
    fn near(&self, gram: &Gram<S>, point: &Point<S>, w: &[S], own: &[S]) -> Fit<S> {
        let unit = self.rounding.solution.clone() / gram.scale().scale_root();
        let farthest = w.iter().zip(own).fold(S::zero(), |m, (w, own)| S::larger(m, (w.clone() - own).abs()));
        // rᵢ ≥ |xᵢ|, and mostly that will do.
        let spread = self.roots.iter().zip(&point.x).fold(S::zero(), |sum, (root, x)| sum + root.clone() * x.abs());
        let rounding = match spread * &unit {
            rounding if farthest <= rounding => rounding,
            _ => self.see(&point.t, &point.x).reach * &unit,
        };
        let mut found = Fit { w: Vec::with_capacity(w.len()), apart: S::zero(), size: S::zero(), is_moved: false };
        for (w, own) in w.iter().zip(own) {
            let off = w.clone() - own;
            let kept = if off > rounding {
                own.clone() + &rounding
            } else if off < -rounding.clone() {
                own.clone() - &rounding
            } else {
                w.clone()
            };
            found.is_moved |= kept != *w;
            let off = kept.clone() - own;
            found.apart += off.clone() * off;
            found.size += kept.clone() * &kept;
            found.w.push(kept);
        }
        found.apart = found.apart * gram.scale() / S::integer(2);
        found.size = (found.size * gram.scale()).scale_root();
        found
    }

    /// The certificate with `hx` = κZw in the place of Hx; `told` is that of the fit as it was given, if that is another.
    fn with_fit(
        &self,
        gram: &Gram<S>,
        point: &Point<S>,
        (hx, told): (&[S], Option<&[S]>),
        (fit, own): (&Fit<S>, &[S]),
    ) -> Certificate<S> {
        let seen = self.see(&point.t, &point.x);
        let at = |hx, fit| At::new(self, &seen, &point.y, (hx, fit)).certify();
        let mut found = at(hx, Some(fit));
        if let Some(told) = told.map(|told| at(told, Some(fit))) {
            found.stationarity = S::larger(found.stationarity, told.stationarity);
            found.complementarity = S::larger(found.complementarity, told.complementarity);
        }
        // The Zᵀx that is computed may prove more: where x is zero it is exact.
        if S::from_f64(TOLERANCE).is_some_and(|tolerance| found.relative_gap > tolerance) {
            let other = at(&product(gram, own), None);
            if other.relative_gap < found.relative_gap {
                (found.objective, found.dual_objective) = (other.objective, other.dual_objective);
                found.relative_gap = other.relative_gap;
            }
        }
        found
    }
}

/// κZw.
fn product<S: Scalar>(gram: &Gram<S>, w: &[S]) -> Vec<S> {
    (0..gram.dim()).map(|i| gram.dot(i, w) * gram.scale()).collect()
}

/// A fit of x.
struct Fit<S> {
    /// w, as far as x leaves it open.
    w: Vec<S>,
    /// κ/2 ‖Zᵀx − w‖².
    apart: S,
    /// √κ ‖w‖ = ‖x‖_H.
    size: S,
    /// Whether this is not the w that was given.
    is_moved: bool,
}

impl Certifier<'_, f64> {
    /// The certificates of several points, by matrix products: those of [`Certifier::point`] up to rounding. Fits are used only if all of the points have one,
    /// as all points of a path do or none does.
    pub fn points(&self, points: &[Point<f64>]) -> Vec<Certificate<f64>> {
        let n = self.line.n();
        if n == 0 || points.is_empty() {
            return Vec::new();
        }
        if self.line.rows.is_some() {
            return points.iter().map(|point| self.point(point)).collect();
        }
        let x: Vec<f64> = points.iter().flat_map(|point| point.x.iter().copied()).collect();
        let given: Vec<(&Gram<f64>, &[f64])> = points.iter().filter_map(|point| self.fit_of(point)).collect();
        let gram = match given.first() {
            Some((gram, _)) if given.len() == points.len() => *gram,
            _ => {
                let hx = multiply_block(self.line.hessian.as_ref(), &x);
                let at =
                    |(p, hx): (&Point<f64>, &[f64])| At::new(self, &self.see(&p.t, &p.x), &p.y, (hx, None)).certify();
                return points.iter().zip(hx.chunks_exact(n)).map(at).collect();
            }
        };
        let own = project(gram, &x);
        let (d, m) = (gram.columns(), points.len());
        let fits: Vec<Fit<f64>> =
            (0..m).map(|k| self.near(gram, &points[k], given[k].1, &own[k * d..(k + 1) * d])).collect();
        let hx = apply(gram, &fits.iter().flat_map(|fit| fit.w.iter().copied()).collect::<Vec<f64>>());
        let moved = fits.iter().zip(&given).filter(|(fit, _)| fit.is_moved);
        let told = apply(gram, &moved.flat_map(|(_, (_, w))| w.iter().copied()).collect::<Vec<f64>>());
        let mut told = told.chunks_exact(n);
        let certificate = |k: usize| {
            let (fit, own) = (&fits[k], &own[k * d..(k + 1) * d]);
            let told = fit.is_moved.then(|| told.next()).flatten();
            self.with_fit(gram, &points[k], (&hx[k * n..(k + 1) * n], told), (fit, own))
        };
        (0..m).map(certificate).collect()
    }
}
