//! A problem along a straight line of its parameters.

use super::Matrix;
use crate::hessian::Hessian;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;
use std::sync::Arc;

/// Bounds along a line: the value at t = 0 and the slope, `None` where there is no bound. t = 0 need not lie on the line.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bounds<S> {
    /// Lower bounds, one entry per variable (or row).
    pub lower: Vec<Option<[S; 2]>>,
    /// Upper bounds, likewise.
    pub upper: Vec<Option<[S; 2]>>,
}

/// Rows along a line: bl ≤ Ax ≤ bu.
#[derive(Clone, Debug)]
pub struct LineRows<S> {
    /// The m × n matrix A.
    pub matrix: Arc<Matrix<S>>,
    /// bl and bu, m entries each; equal for an equality row.
    pub bounds: Bounds<S>,
}

/// A parametric QP along a straight line θ(t) = origin + t·direction, begin ≤ t ≤ end.
///
/// Floating-point numbers are most accurate near t = 0. A line begins at t = 0 unless another point matters more. For a path that comes down from a large θ to
/// θ = 0, the small parameters lie at the far end; counted from the beginning they would be known to rounding of the whole length only.
/// [`ParametricQp::line_about`](crate::ParametricQp::line_about) then puts t = 0 at θ = 0: t runs from a negative number up to 0, and every θ on the way is
/// known to rounding of itself.
#[derive(Clone)]
pub struct Line<S> {
    /// The quadratic term H.
    pub hessian: Arc<dyn Hessian<S>>,
    /// The linear term c at t = 0, n entries.
    pub c0: Vec<S>,
    /// The slope dc/dt, n entries.
    pub c1: Vec<S>,
    /// l and u along the line.
    pub bounds: Bounds<S>,
    /// The coefficients A of the equality row, n entries; empty without one, and wherever there are [`Line::rows`].
    pub a: Vec<S>,
    /// The right-hand side b of the equality row at t = 0.
    pub b0: S,
    /// The slope db/dt.
    pub b1: S,
    /// The rows, if there are any other than a single equality row.
    pub rows: Option<LineRows<S>>,
    /// θ at t = 0, p entries; this point need not lie on the line.
    pub origin: Vec<S>,
    /// The direction dθ/dt, p entries.
    pub direction: Vec<S>,
    /// The least t, where a path begins.
    pub begin: S,
    /// The largest t; `None` for a ray.
    pub end: Option<S>,
}

impl<S: Scalar> Line<S> {
    /// The number of variables n.
    pub fn n(&self) -> usize {
        self.c0.len()
    }

    /// The length end − begin; `None` for a ray.
    pub fn length(&self) -> Option<S> {
        self.end.as_ref().map(|end| end.clone() - &self.begin)
    }

    /// The problem at the beginning alone: what moves with t is held there. Its own t runs from 0 to 1.
    pub(crate) fn held(&self) -> Self {
        let hold = |bound: &Option<[S; 2]>| bound.as_ref().map(|bound| [S::affine(bound, &self.begin), S::zero()]);
        Line {
            c0: (0..self.n()).map(|i| self.c(i, &self.begin)).collect(),
            c1: vec![S::zero(); self.n()],
            bounds: Bounds {
                lower: self.bounds.lower.iter().map(hold).collect(),
                upper: self.bounds.upper.iter().map(hold).collect(),
            },
            b0: self.b(&self.begin),
            b1: S::zero(),
            origin: self.parameter(&self.begin),
            begin: S::zero(),
            end: Some(S::one()),
            ..self.clone()
        }
    }

    /// The number of rows m, a single equality row included.
    pub fn m(&self) -> usize {
        self.rows.as_ref().map_or(usize::from(self.has_row()), |rows| rows.matrix.rows())
    }

    /// [`unit`] of all bounds of variables and rows.
    pub(crate) fn unit_of_bounds(&self) -> S {
        let all = [Some(&self.bounds), self.rows.as_ref().map(|rows| &rows.bounds)].into_iter().flatten();
        unit(all.flat_map(|bounds| bounds.lower.iter().chain(&bounds.upper)).flatten())
    }

    /// Whether the problem has a single equality row and no other rows.
    pub fn has_row(&self) -> bool {
        !self.a.is_empty()
    }

    /// The coefficient of variable i in the equality row; zero without one.
    pub fn a(&self, i: usize) -> S {
        if self.has_row() { self.a[i].clone() } else { S::zero() }
    }

    /// The linear term cᵢ at t.
    pub fn c(&self, i: usize, t: &S) -> S {
        self.c0[i].clone() + self.c1[i].clone() * t
    }

    /// The right-hand side b at t.
    pub fn b(&self, t: &S) -> S {
        self.b0.clone() + self.b1.clone() * t
    }

    /// θ at t.
    pub fn parameter(&self, t: &S) -> Vec<S> {
        self.origin.iter().zip(&self.direction).map(|(o, d)| o.clone() + d.clone() * t).collect()
    }
}

/// What rounding of bounds, or of costs, is compared with where it is all that there is: the largest value or slope, no more than one. A right-hand side that rounding
/// has kept from being zero has no scale of its own.
pub(crate) fn unit<'a, S: Scalar>(all: impl Iterator<Item = &'a [S; 2]>) -> S {
    let most = |m: S, [v, s]: &[S; 2]| S::larger(m, S::larger(v.abs(), s.abs()));
    S::smaller(all.fold(S::zero(), most), S::one())
}

/// What counts as rounding of a number of this size: rounding of the number itself, or of the unit if only rounding has kept the number from being zero.
pub(crate) fn known<S: Scalar>(size: S, unit: &S) -> S {
    let is_rounding = !size.is_zero() && size <= unit.clone() * S::tolerance(ROUNDING);
    if is_rounding { unit.clone() } else { size }
}

impl<S: Scalar> Bounds<S> {
    /// The lower bound lᵢ at t; `None` without one.
    pub fn lower_at(&self, i: usize, t: &S) -> Option<S> {
        self.lower[i].as_ref().map(|bound| S::affine(bound, t))
    }

    /// The upper bound uᵢ at t; `None` without one.
    pub fn upper_at(&self, i: usize, t: &S) -> Option<S> {
        self.upper[i].as_ref().map(|bound| S::affine(bound, t))
    }

    /// The largest value or slope of the bounds of i.
    pub(crate) fn largest(&self, i: usize) -> S {
        let bounds = [&self.lower[i], &self.upper[i]].into_iter().flatten();
        bounds.flatten().fold(S::zero(), |m, v| S::larger(m, v.abs()))
    }

    /// The largest of |x| and the bounds' sizes |v| + |st|, taken before the two cancel.
    pub(crate) fn reach(&self, i: usize, t: &S, x: &S) -> S {
        let bounds = [&self.lower[i], &self.upper[i]].into_iter().flatten();
        bounds.fold(x.abs(), |m, [v, s]| S::larger(m, v.abs() + (s.clone() * t).abs()))
    }

    /// The width uᵢ − lᵢ at t and its slope; `None` unless both bounds exist.
    pub fn width(&self, i: usize, t: &S) -> Option<(S, S)> {
        let ([l0, l1], [u0, u1]) = (self.lower[i].as_ref()?, self.upper[i].as_ref()?);
        let slope = u1.clone() - l1;
        Some((u0.clone() - l0 + slope.clone() * t, slope))
    }
}
