//! The bordered system of a free set, solved and refined.

use super::GeneralKkt;
use crate::kkt::{Part, Place};
use crate::scalar::Scalar;

/// A solution of the bordered system.
pub(super) struct Unknowns<S> {
    pub x: Vec<S>,
    pub y: S,
    /// The size of the terms that x was solved from.
    pub x_size: S,
    /// The same for y.
    pub y_size: S,
}

pub(super) fn largest<S: Scalar>(v: &[S]) -> S {
    v.iter().fold(S::zero(), |m, v| S::larger(m, v.abs()))
}

impl<S: Scalar> GeneralKkt<'_, S> {
    /// x_F and y from the right-hand sides, by the formulas at the top of general.rs; V is `v`, empty without a row.
    pub(super) fn solve_once(&self, mut x: Vec<S>, r: S, (a, v): (&[S], &[S])) -> Unknowns<S> {
        self.state.ldl.solve(&mut x);
        let mut x_size = largest(&x);
        if a.is_empty() {
            return Unknowns { x, y: S::zero(), x_size, y_size: S::zero() };
        }
        let divisor = S::dot(a, v);
        let terms = a.iter().zip(&x).fold(r.abs(), |s, (a, x)| s + (a.clone() * x).abs());
        let y = (r - S::dot(a, &x)) / &divisor;
        S::axpy(&y, v, &mut x);
        x_size += largest(v) * y.abs();
        Unknowns { x, y, x_size, y_size: terms / divisor }
    }

    /// rhs + A_F y − H_FF x + ρ²A_F e and e = r − A_F x, of right-hand sides that are sums of two numbers, in twice the
    /// working precision.
    pub(super) fn residuals(&self, (high, low): (&[S], &[S]), r: (S, S), a: &[S], at: &Unknowns<S>) -> (Vec<S>, S) {
        let (mut residual, mut rest) = (high.to_vec(), low.to_vec());
        let minus: Vec<S> = at.x.iter().map(|x| -x.clone()).collect();
        for (i, row) in self.state.free_rows.rows().enumerate() {
            let ((above, own), (rests, rest)) = (residual.split_at_mut(i), rest.split_at_mut(i));
            S::accumulate_dot(&mut own[0], &mut rest[0], &minus, row);
            S::accumulate_all(above, rests, &minus[i], row);
        }
        let (mut gap, mut gap_rest) = r;
        for (i, a) in a.iter().enumerate() {
            S::accumulate(&mut residual[i], &mut rest[i], a, &at.y);
            S::accumulate(&mut gap, &mut gap_rest, &-at.x[i].clone(), a);
        }
        gap += gap_rest;
        S::axpy(&S::one(), &rest, &mut residual);
        S::axpy(&(self.state.penalty.clone() * &gap), a, &mut residual);
        (residual, gap)
    }

    /// hi + lo −= cᵢ, without rounding c at t.
    pub(super) fn subtract_c(&self, i: usize, part: &Part<S>, (hi, lo): (&mut S, &mut S)) {
        match part {
            Part::Value(Place { t, off }) => {
                S::accumulate(hi, lo, &self.line.c0[i], &-S::one());
                S::accumulate(hi, lo, &self.line.c1[i], &-t.clone());
                *lo -= self.line.c1[i].clone() * off;
            }
            Part::Rate => S::accumulate(hi, lo, &self.line.c1[i], &-S::one()),
        }
    }
}
