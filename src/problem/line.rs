//! A problem along a straight line of its parameters: what a path follows.

use crate::hessian::Hessian;
use crate::scalar::Scalar;
use std::sync::Arc;

/// Bounds along a line: value at t = 0 and slope, `None` where there is no bound.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bounds<S> {
    /// Lower bounds, n entries.
    pub lower: Vec<Option<[S; 2]>>,
    /// Upper bounds, n entries.
    pub upper: Vec<Option<[S; 2]>>,
}

/// A parametric QP along a straight line θ(t) = origin + t·direction, 0 ≤ t ≤ length.
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
    /// The equality row (n entries), or empty.
    pub a: Vec<S>,
    /// b at t = 0.
    pub b0: S,
    /// db/dt.
    pub b1: S,
    /// θ at t = 0.
    pub origin: Vec<S>,
    /// dθ/dt.
    pub direction: Vec<S>,
    /// The largest t, or none for a ray.
    pub length: Option<S>,
}

impl<S: Scalar> Line<S> {
    /// The number of variables.
    pub fn n(&self) -> usize {
        self.c0.len()
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

impl<S: Scalar> Bounds<S> {
    /// lᵢ at t.
    pub fn lower_at(&self, i: usize, t: &S) -> Option<S> {
        self.lower[i].as_ref().map(|bound| S::affine(bound, t))
    }

    /// uᵢ at t.
    pub fn upper_at(&self, i: usize, t: &S) -> Option<S> {
        self.upper[i].as_ref().map(|bound| S::affine(bound, t))
    }

    /// The largest of |x| and the bounds' sizes |v| + |s|t, taken before the two cancel.
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
