//! The problem: a convex QP with bounds and rows, whose linear data are affine in a parameter.
//!
//! ```text
//! minimise over x ∈ ℝⁿ   ½ xᵀHx + c(θ)ᵀx    subject to   A x = b(θ),   l(θ) ≤ x ≤ u(θ),    θ ∈ Θ ⊂ ℝᵖ
//! ```
//!
//! [`ParametricQp`] checks and stores it; [`ParametricQp::line`] restricts it to a straight line in Θ, along which a path is followed.

use crate::active_set::Status;
mod affine;
mod line;
mod matrix;
mod rows;
mod wider;

pub use affine::Affine;
pub use line::{Bounds, Line, LineRows};
pub(crate) use line::{known, unit};
pub use matrix::Matrix;
pub(crate) use wider::{widened, widened_at, widened_line};

use crate::error::ProblemError;
use crate::hessian::Hessian;
use crate::scalar::Scalar;
use std::sync::Arc;

/// A closed interval, the range of one parameter; an end that is `None` is infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct Range<S> {
    /// The lower end.
    pub from: Option<S>,
    /// The upper end.
    pub to: Option<S>,
}

impl<S> Range<S> {
    /// The interval [from, to].
    pub fn new(from: S, to: S) -> Self {
        Range { from: Some(from), to: Some(to) }
    }

    /// The interval [from, ∞).
    pub fn at_least(from: S) -> Self {
        Range { from: Some(from), to: None }
    }
}

impl<S: Scalar> Range<S> {
    fn check(&self, parameter: usize) -> Result<(), ProblemError> {
        if !self.from.iter().chain(&self.to).all(S::is_finite_number) {
            return Err(ProblemError::Domain { parameter });
        }
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from > to => {
                Err(ProblemError::Reversed { parameter, from: from.to_string(), to: to.to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// One equality row aᵀx = b(θ).
#[derive(Clone, Debug)]
struct Row<S> {
    a: Vec<S>,
    b: Affine<S>,
}

/// A parametric QP; see the module's documentation. It is built step by step, and every input is checked as it is given.
///
/// A single equality row ([`ParametricQp::equality`]) has its own multiplier y; any number of rows, equalities and inequalities, is given by
/// [`ParametricQp::rows`].
#[derive(Clone)]
pub struct ParametricQp<S> {
    hessian: Arc<dyn Hessian<S>>,
    domain: Vec<Range<S>>,
    c: Affine<S>,
    lower: Affine<S>,
    upper: Affine<S>,
    has_lower: Vec<bool>,
    has_upper: Vec<bool>,
    row: Option<Row<S>>,
    rows: Option<rows::Given<S>>,
}

impl<S: Scalar> ParametricQp<S> {
    /// A problem without bounds or rows on the domain Θ (one [`Range`] per parameter), with the linear term `c` (n entries).
    ///
    /// # Errors
    /// [`ProblemError`] for no variables or no parameters, shapes that do not agree with H or Θ, ranges that are not intervals, a diagonal entry of H that is
    /// negative or not finite, or an entry of c that is not finite.
    pub fn new(hessian: Arc<dyn Hessian<S>>, domain: Vec<Range<S>>, c: Affine<S>) -> Result<Self, ProblemError> {
        let n = hessian.dim();
        if n == 0 || domain.is_empty() {
            return Err(ProblemError::Empty { variables: n, parameters: domain.len() });
        }
        for (parameter, range) in domain.iter().enumerate() {
            range.check(parameter)?;
        }
        for i in 0..n {
            let value = hessian.diagonal(i);
            if !value.is_finite_number() || value < S::zero() {
                return Err(ProblemError::Diagonal { index: i, value: value.to_string() });
            }
        }
        check("c", &c, n, domain.len(), false)?;
        let free = Affine::constant(vec![S::zero(); n], domain.len());
        Ok(ParametricQp {
            hessian,
            c,
            lower: free.clone(),
            upper: free,
            has_lower: vec![false; n],
            has_upper: vec![false; n],
            row: None,
            rows: None,
            domain,
        })
    }

    /// Sets the lower bounds l(θ), n entries. A variable whose constant is −∞ has none.
    ///
    /// # Errors
    /// [`ProblemError`] for wrong shapes, NaN or +∞, or l > u somewhere in Θ (with the variable and the corner of Θ).
    pub fn lower(mut self, l: Affine<S>) -> Result<Self, ProblemError> {
        check("l", &l, self.n(), self.p(), true)?;
        self.has_lower = finite_entries(&l, "l", false)?;
        self.lower = mask(l, &self.has_lower);
        self.check_box()?;
        Ok(self)
    }

    /// Sets the upper bounds u(θ), n entries. A variable whose constant is +∞ has none.
    ///
    /// # Errors
    /// [`ProblemError`] for wrong shapes, NaN or −∞, or l > u somewhere in Θ (with the variable and the corner of Θ).
    pub fn upper(mut self, u: Affine<S>) -> Result<Self, ProblemError> {
        check("u", &u, self.n(), self.p(), true)?;
        self.has_upper = finite_entries(&u, "u", true)?;
        self.upper = mask(u, &self.has_upper);
        self.check_box()?;
        Ok(self)
    }

    /// Removes the lower bound of variable `i` (for scalars that have no infinity); an `i` that is not below n is ignored.
    pub fn without_lower(mut self, i: usize) -> Self {
        if i < self.n() {
            self.has_lower[i] = false;
            self.lower = mask(self.lower, &self.has_lower);
        }
        self
    }

    /// Removes the upper bound of variable `i` (for scalars that have no infinity); an `i` that is not below n is ignored.
    pub fn without_upper(mut self, i: usize) -> Self {
        if i < self.n() {
            self.has_upper[i] = false;
            self.upper = mask(self.upper, &self.has_upper);
        }
        self
    }

    /// Sets the equality row aᵀx = b(θ); `a` has n entries, `b` has one. If there are other rows ([`ParametricQp::rows`]), it becomes the last of these.
    ///
    /// # Errors
    /// [`ProblemError`] for wrong shapes, entries that are not finite, a row of zeros, or if the only row so far is an equality row (give several rows to
    /// [`ParametricQp::rows`]).
    pub fn equality(mut self, a: Vec<S>, b: Affine<S>) -> Result<Self, ProblemError> {
        if self.row.is_some() {
            return Err(ProblemError::SecondRow);
        }
        check("A", &Affine::constant(a.clone(), self.p()), self.n(), self.p(), false)?;
        check("b", &b, 1, self.p(), false)?;
        if a.iter().all(S::is_zero) {
            return Err(ProblemError::ZeroRow);
        }
        self.row = Some(Row { a, b });
        self.unite()
    }

    /// The same problem on a part of Θ, with one range per parameter.
    ///
    /// # Errors
    /// [`ProblemError`] for another number of ranges, ranges that are not intervals, or ranges that reach beyond Θ.
    pub fn within(mut self, domain: Vec<Range<S>>) -> Result<Self, ProblemError> {
        if domain.len() != self.p() {
            return Err(ProblemError::Shape { what: "domain", expected: self.p(), found: domain.len() });
        }
        for (parameter, (part, whole)) in domain.iter().zip(&self.domain).enumerate() {
            part.check(parameter)?;
            let outside = |value: &Option<S>, infinity: &str| {
                let value = value.as_ref().map_or_else(|| infinity.into(), ToString::to_string);
                Err(ProblemError::OutsideDomain { parameter, value })
            };
            // An end that is left out is infinite.
            if whole.from.as_ref().is_some_and(|whole| part.from.as_ref().is_none_or(|part| part < whole)) {
                return outside(&part.from, "−∞");
            }
            if whole.to.as_ref().is_some_and(|whole| part.to.as_ref().is_none_or(|part| part > whole)) {
                return outside(&part.to, "∞");
            }
        }
        self.domain = domain;
        Ok(self)
    }

    /// The number of variables n.
    pub fn n(&self) -> usize {
        self.hessian.dim()
    }

    /// The number of parameters p.
    pub fn p(&self) -> usize {
        self.domain.len()
    }

    /// The quadratic term H.
    pub fn hessian(&self) -> &Arc<dyn Hessian<S>> {
        &self.hessian
    }

    /// The domain Θ, one range per parameter.
    pub fn domain(&self) -> &[Range<S>] {
        &self.domain
    }

    /// The line segment from `from` to `to` (p entries each), both in Θ. Its position t runs from 0 to the largest coordinate of |to − from|; with one
    /// parameter t is the distance from `from`. Positions are known to rounding of |t|: if another point of the line needs the highest accuracy,
    /// [`ParametricQp::line_about`] puts t = 0 there.
    ///
    /// # Errors
    /// [`ProblemError`] for a point outside Θ, not finite, or of the wrong length.
    pub fn line(&self, from: &[S], to: &[S]) -> Result<Line<S>, ProblemError> {
        self.check_point(from)?;
        self.check_point(to)?;
        Ok(self.line_between(from, to))
    }

    /// The same without a check.
    pub(crate) fn line_between(&self, from: &[S], to: &[S]) -> Line<S> {
        let change: Vec<S> = to.iter().zip(from).map(|(b, a)| b.clone() - a).collect();
        let length = change.iter().fold(S::zero(), |m, d| S::larger(m, d.abs()));
        let unit = |d: &S| if length.is_zero() { S::zero() } else { d.clone() / &length };
        self.restrict(from, change.iter().map(unit).collect(), S::zero(), Some(length.clone()))
    }

    /// The same segment with t = 0 at `origin`, a point of the line through `from` and `to` that may lie outside the segment and outside Θ. t is counted from
    /// there in the direction from `from` to `to`, and is negative before `origin`. For example, on the way from a large penalty down to a small one, with the
    /// origin at zero, t is minus the penalty. If `from` equals `to`, the only position is t = 0, and `origin` is ignored.
    ///
    /// # Errors
    /// [`ProblemError`] for `from` or `to` outside Θ; for a point that is not finite or of the wrong length; and for an origin that is off the line.
    pub fn line_about(&self, origin: &[S], from: &[S], to: &[S]) -> Result<Line<S>, ProblemError> {
        let line = self.line(from, to)?;
        if line.direction.iter().all(S::is_zero) {
            return Ok(line);
        }
        let [begin, end] = [self.place(origin, &line.direction, from)?, self.place(origin, &line.direction, to)?];
        Ok(self.restrict(origin, line.direction, begin, Some(end)))
    }

    /// t of a point on the line through `origin` in a direction, from the coordinate that changes most.
    fn place(&self, origin: &[S], direction: &[S], point: &[S]) -> Result<S, ProblemError> {
        if origin.len() != self.p() {
            return Err(ProblemError::Shape { what: "origin", expected: self.p(), found: origin.len() });
        }
        if let Some(index) = origin.iter().position(|o| !o.is_finite_number()) {
            let value = origin[index].to_string();
            return Err(ProblemError::NotFinite { what: "origin", index, parameter: None, value });
        }
        let largest = (1..direction.len()).fold(0, |m, j| if direction[j].abs() > direction[m].abs() { j } else { m });
        let away = |j: usize| point[j].clone() - &origin[j];
        let t = away(largest);
        let t = if t.is_zero() || direction[largest].is_zero() { S::zero() } else { t / &direction[largest] };
        for (parameter, d) in direction.iter().enumerate() {
            let size = point[parameter].abs() + origin[parameter].abs() + (d.clone() * &t).abs();
            if (away(parameter) - d.clone() * &t).abs() > size * S::tolerance(crate::settings::ROUNDING) {
                let value = origin[parameter].to_string();
                return Err(ProblemError::OffLine { parameter, value });
            }
        }
        Ok(t)
    }

    /// The ray θ = from + t·direction for t ≥ 0, which has no end; `from` and `direction` have p entries each.
    ///
    /// # Errors
    /// [`ProblemError`] for a point outside Θ, or a direction that is not finite, of the wrong length, or leaves Θ.
    pub fn ray(&self, from: &[S], direction: &[S]) -> Result<Line<S>, ProblemError> {
        self.ray_about(from, from, direction)
    }

    /// The same ray with t = 0 at `origin`, a point of the line through `from` in this direction; see [`ParametricQp::line_about`].
    ///
    /// # Errors
    /// As [`ParametricQp::ray`]; also for an origin that is not finite, of the wrong length, or off the line.
    pub fn ray_about(&self, origin: &[S], from: &[S], direction: &[S]) -> Result<Line<S>, ProblemError> {
        self.check_point(from)?;
        for (parameter, (range, d)) in self.domain.iter().zip(direction).enumerate() {
            let leaves = (d > &S::zero() && range.to.is_some()) || (d < &S::zero() && range.from.is_some());
            if leaves || !d.is_finite_number() {
                return Err(ProblemError::OutsideDomain { parameter, value: d.to_string() });
            }
        }
        if direction.len() != self.p() {
            return Err(ProblemError::Shape { what: "direction", expected: self.p(), found: direction.len() });
        }
        let begin = self.place(origin, direction, from)?;
        Ok(self.restrict(origin, direction.to_vec(), begin, None))
    }

    /// Through a point in a direction.
    pub(crate) fn restrict(&self, origin: &[S], direction: Vec<S>, begin: S, end: Option<S>) -> Line<S> {
        self.line_of(|v| v.at(origin), origin, direction, (begin, end))
    }

    /// The rates alone of the line through the origin, where there is at most one equality row: c, b and the bounds are zero at t = 0.
    pub(crate) fn rates(&self, direction: Vec<S>) -> Line<S> {
        let origin = vec![S::zero(); self.p()];
        self.line_of(|v| vec![S::zero(); v.constant.len()], &origin, direction, (S::zero(), None))
    }

    /// A line with what c, b and the bounds are at t = 0.
    fn line_of(
        &self,
        at: impl Fn(&Affine<S>) -> Vec<S>,
        origin: &[S],
        direction: Vec<S>,
        (begin, end): (S, Option<S>),
    ) -> Line<S> {
        let n = self.n();
        let (a, b0, b1) = match &self.row {
            Some(row) => (row.a.clone(), at(&row.b).swap_remove(0), row.b.along(&direction).swap_remove(0)),
            None => (Vec::new(), S::zero(), S::zero()),
        };
        let (u0, l0) = (at(&self.upper), at(&self.lower));
        let (u1, l1) = (self.upper.along(&direction), self.lower.along(&direction));
        let bounds = Bounds {
            lower: (0..n).map(|i| self.has_lower[i].then(|| [l0[i].clone(), l1[i].clone()])).collect(),
            upper: (0..n).map(|i| self.has_upper[i].then(|| [u0[i].clone(), u1[i].clone()])).collect(),
        };
        Line {
            hessian: self.hessian.clone(),
            c0: at(&self.c),
            c1: self.c.along(&direction),
            bounds,
            a,
            b0,
            b1,
            rows: self.rows.as_ref().map(|rows| rows.along(origin, &direction)),
            origin: origin.to_vec(),
            direction,
            begin,
            end,
        }
    }

    fn check_point(&self, theta: &[S]) -> Result<(), ProblemError> {
        if theta.len() != self.p() {
            return Err(ProblemError::Shape { what: "θ", expected: self.p(), found: theta.len() });
        }
        for (parameter, (range, t)) in self.domain.iter().zip(theta).enumerate() {
            let below = range.from.as_ref().is_some_and(|a| t < a);
            let above = range.to.as_ref().is_some_and(|b| t > b);
            if !t.is_finite_number() || below || above {
                return Err(ProblemError::OutsideDomain { parameter, value: t.to_string() });
            }
        }
        Ok(())
    }

    /// The bound of index i as constant and slopes of two parameters; zero for a free index, and for a bound that does not exist.
    pub(crate) fn bound_in_plane(&self, i: usize, side: Status) -> [S; 3] {
        let (bound, exists) = match side {
            Status::Lower => (&self.lower, self.has_lower[i]),
            Status::Upper => (&self.upper, self.has_upper[i]),
            Status::Free => return [S::zero(), S::zero(), S::zero()],
        };
        let slope = |j: usize| bound.slopes.get(j).map_or_else(S::zero, |slope| slope[i].clone());
        if exists { [bound.constant[i].clone(), slope(0), slope(1)] } else { [S::zero(), S::zero(), S::zero()] }
    }

    /// Whether lᵢ = uᵢ all over Θ.
    pub(crate) fn is_fixed(&self, i: usize) -> bool {
        let same = |l: &Vec<S>, u: &Vec<S>| l[i] == u[i];
        let slopes = self.lower.slopes.iter().zip(&self.upper.slopes).all(|(l, u)| same(l, u));
        self.has_lower[i] && self.has_upper[i] && same(&self.lower.constant, &self.upper.constant) && slopes
    }

    /// l ≤ u everywhere in Θ: the affine width is smallest at a corner that is found coordinate by coordinate.
    fn check_box(&self) -> Result<(), ProblemError> {
        for i in (0..self.n()).filter(|&i| self.has_lower[i] && self.has_upper[i]) {
            let mut width = self.upper.constant[i].clone() - &self.lower.constant[i];
            let mut scale = self.upper.constant[i].abs() + self.lower.constant[i].abs();
            let mut corner = Vec::with_capacity(self.p());
            for (j, range) in self.domain.iter().enumerate() {
                let slope = self.upper.slopes[j][i].clone() - &self.lower.slopes[j][i];
                let end = if slope > S::zero() { &range.from } else { &range.to };
                match end {
                    Some(end) => {
                        width += slope.clone() * end;
                        scale += (slope * end).abs();
                        corner.push(end.to_string());
                    }
                    None if slope.is_zero() => corner.push("any".into()),
                    None => return Err(ProblemError::CrossedBounds { index: i, corner: vec!["∞".into()] }),
                }
            }
            // Rounding in l and u themselves: a width that is zero at a corner may come out a few ulps below.
            if width < -(scale * S::tolerance(crate::settings::ROUNDING)) {
                return Err(ProblemError::CrossedBounds { index: i, corner });
            }
        }
        Ok(())
    }
}

fn check<S: Scalar>(what: &'static str, v: &Affine<S>, n: usize, p: usize, infinite: bool) -> Result<(), ProblemError> {
    if v.constant.len() != n {
        return Err(ProblemError::Shape { what, expected: n, found: v.constant.len() });
    }
    if v.slopes.len() != p {
        return Err(ProblemError::Parameters { what, expected: p, found: v.slopes.len() });
    }
    for (parameter, slope) in v.slopes.iter().enumerate() {
        if slope.len() != n {
            return Err(ProblemError::Shape { what, expected: n, found: slope.len() });
        }
        if let Some(index) = slope.iter().position(|s| !s.is_finite_number()) {
            return Err(ProblemError::NotFinite {
                what,
                index,
                parameter: Some(parameter),
                value: slope[index].to_string(),
            });
        }
    }
    let bad = |s: &S| !s.is_finite_number() && !infinite;
    if let Some(index) = v.constant.iter().position(bad) {
        return Err(ProblemError::NotFinite { what, index, parameter: None, value: v.constant[index].to_string() });
    }
    Ok(())
}

/// Which bounds are finite; an infinity on the wrong side, or NaN, is an error.
fn finite_entries<S: Scalar>(v: &Affine<S>, what: &'static str, upper: bool) -> Result<Vec<bool>, ProblemError> {
    let mut finite = Vec::with_capacity(v.constant.len());
    for (index, value) in v.constant.iter().enumerate() {
        let absent = !value.is_finite_number();
        let right_side = if upper { value > &S::zero() } else { value < &S::zero() };
        if absent && !right_side {
            return Err(ProblemError::NotFinite { what, index, parameter: None, value: value.to_string() });
        }
        finite.push(!absent);
    }
    Ok(finite)
}

fn mask<S: Scalar>(mut v: Affine<S>, keep: &[bool]) -> Affine<S> {
    for (i, keep) in keep.iter().enumerate() {
        if !keep {
            v.constant[i] = S::zero();
            v.slopes.iter_mut().for_each(|s| s[i] = S::zero());
        }
    }
    v
}
