//! Vectors that are affine in the parameters.

use crate::scalar::Scalar;
use crate::settings::CANCELLED;

/// A vector that is affine in θ: constant + Σⱼ θⱼ·slopesⱼ. It has n entries (m for bounds of rows, one for b).
#[derive(Clone, Debug, PartialEq)]
pub struct Affine<S> {
    /// The value at θ = 0.
    pub constant: Vec<S>,
    /// p slopes, each with as many entries as the constant.
    pub slopes: Vec<Vec<S>>,
}

impl<S: Scalar> Affine<S> {
    /// A vector that does not depend on the `p` parameters.
    pub fn constant(value: Vec<S>, p: usize) -> Self {
        let zeros = vec![S::zero(); value.len()];
        Affine { constant: value, slopes: vec![zeros; p] }
    }

    /// The vector constant + θ·slope, for one parameter.
    pub fn line(constant: Vec<S>, slope: Vec<S>) -> Self {
        Affine { constant, slopes: vec![slope] }
    }

    /// The value at θ. Terms that cancel up to rounding give exactly zero, so that a box that closes does so exactly.
    pub(super) fn at(&self, theta: &[S]) -> Vec<S> {
        let cancelled = S::tolerance(CANCELLED * (1 + self.slopes.len()) as f64 / 2.0);
        let entry = |(i, constant): (usize, &S)| {
            let (mut value, mut size) = (constant.clone(), constant.abs());
            for (slope, t) in self.slopes.iter().zip(theta) {
                let term = slope[i].clone() * t;
                size += term.abs();
                value += term;
            }
            if value.abs() <= size * &cancelled { S::zero() } else { value }
        };
        self.constant.iter().enumerate().map(entry).collect()
    }

    /// The derivative of every entry in a direction of ℝᵖ.
    pub(super) fn along(&self, direction: &[S]) -> Vec<S> {
        let mut rate = vec![S::zero(); self.constant.len()];
        for (slope, d) in self.slopes.iter().zip(direction).filter(|(_, d)| !d.is_zero()) {
            S::axpy(d, slope, &mut rate);
        }
        rate
    }
}
