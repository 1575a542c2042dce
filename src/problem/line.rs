//! A problem along a straight line of its parameters: what a path follows.

use super::Matrix;
use crate::hessian::Hessian;
use crate::scalar::Scalar;
use std::sync::Arc;

/// Bounds along a line: value at t = 0 and slope, `None` where there is no bound. (t = 0 need not lie on the line.)
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bounds<S> {
    /// Lower bounds, n entries.
    pub lower: Vec<Option<[S; 2]>>,
    /// Upper bounds, n entries.
    pub upper: Vec<Option<[S; 2]>>,
}

/// Rows along a line: bl ≤ Ax ≤ bu.
#[derive(Clone, Debug)]
pub struct LineRows<S> {
    /// A, m × n.
    pub matrix: Arc<Matrix<S>>,
    /// bl and bu, m entries each; the same where a row is an equality.
    pub bounds: Bounds<S>,
}

/// A parametric QP along a straight line θ(t) = origin + t·direction, begin ≤ t ≤ end.
///
/// Positions are floating-point numbers, so that their digits are finest at t = 0. A line begins there unless another place matters more:
/// one that comes down to θ = 0 from afar has its small parameters at the far end, and measured from where it begins they would be known
/// to rounding of the whole length only. Then t = 0 is put at θ = 0 ([`ParametricQp::line_about`](crate::ParametricQp::line_about)): t runs from a
/// negative number up to 0, and every θ on the way is known to rounding of itself.
#[derive(Clone)]
pub struct Line<S> {
    /// H.
    pub hessian: Arc<dyn Hessian<S>>,
    /// c at t = 0.
    pub c0: Vec<S>,
    /// dc/dt.
    pub c1: Vec<S>,
    /// l and u along the line.
    pub bounds: Bounds<S>,
    /// The equality row (n entries), or empty (always where there are [`Line::rows`]).
    pub a: Vec<S>,
    /// b at t = 0.
    pub b0: S,
    /// db/dt.
    pub b1: S,
    /// The rows with bounds, where there are any but one equality row.
    pub rows: Option<LineRows<S>>,
    /// θ at t = 0, which need not lie on the line.
    pub origin: Vec<S>,
    /// dθ/dt.
    pub direction: Vec<S>,
    /// The least t, where a path begins.
    pub begin: S,
    /// The largest t, or none for a ray.
    pub end: Option<S>,
}

impl<S: Scalar> Line<S> {
    /// The number of variables.
    pub fn n(&self) -> usize {
        self.c0.len()
    }

    /// From the beginning to the end, none for a ray.
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

    /// The number of rows.
    pub fn m(&self) -> usize {
        self.rows.as_ref().map_or(usize::from(self.has_row()), |rows| rows.matrix.rows())
    }

    /// [`unit`] of all bounds of variables and rows.
    pub(crate) fn unit_of_bounds(&self) -> S {
        let all = [Some(&self.bounds), self.rows.as_ref().map(|rows| &rows.bounds)].into_iter().flatten();
        unit(all.flat_map(|bounds| bounds.lower.iter().chain(&bounds.upper)).flatten())
    }

    /// Whether there is an equality row.
    pub fn has_row(&self) -> bool {
        !self.a.is_empty()
    }

    /// The coefficient of variable i in the equality row (zero without one).
    pub fn a(&self, i: usize) -> S {
        if self.has_row() { self.a[i].clone() } else { S::zero() }
    }

    /// cᵢ at t.
    pub fn c(&self, i: usize, t: &S) -> S {
        self.c0[i].clone() + self.c1[i].clone() * t
    }

    /// b at t.
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

impl<S: Scalar> Bounds<S> {
    /// lᵢ at t.
    pub fn lower_at(&self, i: usize, t: &S) -> Option<S> {
        self.lower[i].as_ref().map(|bound| S::affine(bound, t))
    }

    /// uᵢ at t.
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

    /// uᵢ − lᵢ at t and its slope, where both bounds exist.
    pub fn width(&self, i: usize, t: &S) -> Option<(S, S)> {
        let ([l0, l1], [u0, u1]) = (self.lower[i].as_ref()?, self.upper[i].as_ref()?);
        let slope = u1.clone() - l1;
        Some((u0.clone() - l0 + slope.clone() * t, slope))
    }
}
