//! z at a point, with a bound on its rounding.

use super::{Certifier, product};
use crate::hessian::multiply;
use crate::path::Point;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};

/// zᵢ with the size of its terms and its rounding.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced<S> {
    /// zᵢ = (Hx + c − Aᵀy)ᵢ: the reduced cost of a variable at a bound, zero up to rounding where the variable is free.
    pub z: S,
    /// The size of the terms of zᵢ before they cancel: |cᵢ| + |cᵢ′t| + Σ |Aᵣᵢyᵣ| + √Hᵢᵢ Σ √Hⱼⱼ|xⱼ|, with cᵢ at t = 0. If the point has a fit w, |κZᵢ·w| takes
    /// the place of the last term.
    pub terms: S,
    /// A zᵢ of at most this size cannot be told from zero: the larger of (64 + n)ε and [`Settings::zero`], times `terms`. Zero for exact scalars.
    pub rounding: S,
}

impl<S: Scalar> Reduced<S> {
    /// Whether |zᵢ| exceeds its rounding, so that its sign is known.
    pub fn has_sign(&self) -> bool {
        self.z.abs() > self.rounding
    }
}

impl<S: Scalar> Certifier<'_, S> {
    /// z at a point of a path with its rounding, one entry for each of the n variables.
    pub fn reduced(&self, point: &Point<S>) -> Vec<Reduced<S>> {
        let spread = self.roots.iter().zip(&point.x).fold(S::zero(), |sum, (root, x)| sum + root.clone() * x.abs());
        let (hx, is_fit) = match self.fit_of(point) {
            Some((gram, w)) => (product(gram, w), true),
            None => (multiply(self.line.hessian.as_ref(), &point.x), false),
        };
        let part = S::larger(S::tolerance(Settings::default().zero), S::tolerance(ROUNDING + hx.len() as f64));
        hx.into_iter()
            .enumerate()
            .map(|(i, hx)| {
                let (pull, pulls) = self.pull(i, point);
                let slope = self.line.c1[i].clone() * &point.t;
                let of_h = if is_fit { hx.abs() } else { self.roots[i].clone() * &spread };
                let terms = self.line.c0[i].abs() + slope.abs() + pulls + of_h;
                let z = hx + self.line.c(i, &point.t) - pull;
                Reduced { z, rounding: terms.clone() * &part, terms }
            })
            .collect()
    }

    /// (Aᵀy)ᵢ, and the sum of the sizes of its terms.
    fn pull(&self, i: usize, point: &Point<S>) -> (S, S) {
        let Some(rows) = &self.line.rows else {
            let pull = self.line.a(i) * &point.y;
            return (pull.clone(), pull.abs());
        };
        let (mut sum, mut sizes) = (S::zero(), S::zero());
        rows.matrix.for_column(i, |r, a| {
            let term = point.rows.get(r).map_or_else(S::zero, |y| a.clone() * y);
            sizes += term.abs();
            sum += term;
        });
        (sum, sizes)
    }
}
