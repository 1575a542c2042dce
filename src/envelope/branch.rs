//! Branches: quotients of a quadratic and a linear function, on a closed interval.

use super::compare::{Comparison, compare};
use super::position::Position;
use crate::error::BranchError;
use crate::scalar::Scalar;
use crate::settings::Settings;

/// The largest size of a numerator or denominator in floating point, and the inverse of the smallest of a denominator:
/// products of three of them are then far from overflow, and from underflow where it matters.
const LARGEST: f64 = 1e100;

/// The function r(t) = (n₀ + n₁δ + n₂δ²) / (d₀ + d₁δ) with δ = t − origin.
///
/// In floating point the origin should lie near the interval on which the function is used; in (9) of Rosset (2008) δ counts from the beginning of the segment.
#[derive(Clone, Debug, PartialEq)]
pub struct RationalFunction<S> {
    /// The t at which δ = 0.
    pub origin: S,
    /// The coefficients n₀, n₁, n₂.
    pub numerator: [S; 3],
    /// The coefficients d₀, d₁.
    pub denominator: [S; 2],
}

/// Numerator and denominator on an interval \[a, b\] in Bernstein form, with the sizes of their terms before these cancel.
pub(super) struct Bernstein<S> {
    pub n: [S; 3],
    pub d: [S; 2],
    pub n_size: [S; 3],
    pub d_size: [S; 2],
}

impl<S: Scalar> RationalFunction<S> {
    /// The polynomial n₀ + n₁t + n₂t², with origin zero and denominator one.
    pub fn polynomial(numerator: [S; 3]) -> Self {
        RationalFunction { origin: S::zero(), numerator, denominator: [S::one(), S::zero()] }
    }

    /// The numerator n₀ + n₁δ + n₂δ² at t.
    pub fn numerator_at(&self, t: &S) -> S {
        let delta = t.clone() - &self.origin;
        let [n0, n1, n2] = self.numerator.clone();
        (n2 * &delta + n1) * &delta + n0
    }

    /// The denominator d₀ + d₁δ at t.
    pub fn denominator_at(&self, t: &S) -> S {
        let [d0, d1] = self.denominator.clone();
        d1 * (t.clone() - &self.origin) + d0
    }

    /// The value r(t); `None` where the denominator is zero.
    pub fn value(&self, t: &S) -> Option<S> {
        let denominator = self.denominator_at(t);
        (!denominator.is_zero()).then(|| self.numerator_at(t) / denominator)
    }

    /// The sum with a function that has the same origin and the same denominator.
    ///
    /// # Errors
    /// [`BranchError::Denominators`] if origin or denominator differ.
    pub fn plus(&self, other: &Self) -> Result<Self, BranchError> {
        if self.origin != other.origin || self.denominator != other.denominator {
            return Err(BranchError::Denominators {
                left: format!("{} + {} (t - {})", self.denominator[0], self.denominator[1], self.origin),
                right: format!("{} + {} (t - {})", other.denominator[0], other.denominator[1], other.origin),
            });
        }
        let mut sum = self.clone();
        for (n, m) in sum.numerator.iter_mut().zip(&other.numerator) {
            *n += m;
        }
        Ok(sum)
    }

    /// Bernstein coefficients on \[a, b\], by polar forms: of a quadratic n₀ + n₁(u + v)/2 + n₂uv at (u, v) = (a, a), (a, b),
    /// (b, b). Each is as accurate as a value of the function.
    pub(super) fn on(&self, a: &S, b: &S) -> Bernstein<S> {
        let (a, b) = (a.clone() - &self.origin, b.clone() - &self.origin);
        let half = S::one() / S::integer(2);
        let [n0, n1, n2] = &self.numerator;
        let [d0, d1] = &self.denominator;
        let quadratic = |u: &S, v: &S| {
            let product = n2.clone() * u * v;
            let value = n1.clone() * (u.clone() + v) * &half + n0 + &product;
            let size = n1.abs() * (u.abs() + v.abs()) * &half + n0.abs() + product.abs();
            (value, size)
        };
        let linear = |u: &S| {
            let product = d1.clone() * u;
            (product.clone() + d0, product.abs() + d0.abs())
        };
        let [n_a, n_ab, n_b] = [quadratic(&a, &a), quadratic(&a, &b), quadratic(&b, &b)];
        let [d_a, d_b] = [linear(&a), linear(&b)];
        Bernstein {
            n: [n_a.0, n_ab.0, n_b.0],
            d: [d_a.0, d_b.0],
            n_size: [n_a.1, n_ab.1, n_b.1],
            d_size: [d_a.1, d_b.1],
        }
    }
}

/// A rational function on a closed interval \[from, to\] on which its denominator is positive; from = to is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<S> {
    function: RationalFunction<S>,
    from: S,
    to: S,
}

impl<S: Scalar> Branch<S> {
    /// A branch, checked.
    ///
    /// # Errors
    /// [`BranchError`] if from > to, if a number is not finite, if the denominator is not positive at both ends (being linear, it is then positive in between)
    /// or, in floating point, if the terms of the numerator or denominator exceed 1e100, or the denominator is below 1e-100.
    pub fn new(function: RationalFunction<S>, from: S, to: S) -> Result<Self, BranchError> {
        let numbers = [("from", &from), ("to", &to), ("the origin", &function.origin)].into_iter();
        let numbers = numbers.chain(function.numerator.iter().map(|n| ("the numerator", n)));
        for (what, number) in numbers.chain(function.denominator.iter().map(|d| ("the denominator", d))) {
            if !number.is_finite_number() {
                return Err(BranchError::NotFinite { what, value: number.to_string() });
            }
        }
        if from > to {
            return Err(BranchError::Interval { from: from.to_string(), to: to.to_string() });
        }
        for t in [&from, &to] {
            let denominator = function.denominator_at(t);
            // False for what is not a number: the difference of two numbers can be infinite.
            let positive = denominator > S::zero();
            if !positive {
                return Err(BranchError::Denominator { at: t.to_string(), value: denominator.to_string() });
            }
        }
        let branch = Branch { function, from, to };
        if !S::EXACT { branch.check_sizes() } else { Ok(()) }.map(|()| branch)
    }

    fn check_sizes(&self) -> Result<(), BranchError> {
        let on = self.function.on(&self.from, &self.to);
        // False for what is not a number.
        let fine = |sizes: &[S]| sizes.iter().all(|size| size.to_f64().is_some_and(|size| size <= LARGEST));
        let not_small = |d: &[S]| d.iter().all(|d| d.to_f64().is_some_and(|d| d >= 1.0 / LARGEST));
        for (what, values, fine) in [
            ("numerator", &on.n_size[..], fine(&on.n_size)),
            ("denominator", &on.d_size[..], fine(&on.d_size)),
            ("denominator", &on.d[..], not_small(&on.d)),
        ] {
            if !fine {
                let values = values.iter().map(S::to_string).collect();
                return Err(BranchError::Size { what, values });
            }
        }
        Ok(())
    }

    /// The function of the branch.
    pub fn function(&self) -> &RationalFunction<S> {
        &self.function
    }

    /// The t at which the branch begins.
    pub fn from(&self) -> &S {
        &self.from
    }

    /// The t at which the branch ends.
    pub fn to(&self) -> &S {
        &self.to
    }

    /// The positions inside the common interval at which this branch and another one cross, that is, at which their difference changes its sign: at most three,
    /// in ascending order. Positions at which they only touch are not among them, and equal functions have no crossings.
    pub fn crossings(&self, other: &Self, settings: &Settings) -> Vec<Position<S>> {
        let from = if self.from < other.from { &other.from } else { &self.from };
        let to = if self.to < other.to { &self.to } else { &other.to };
        if from >= to {
            return Vec::new();
        }
        let (from, to) = (Position::at(from.clone()), Position::at(to.clone()));
        match compare(&self.function, &other.function, &from, &to, settings) {
            Comparison::Same => Vec::new(),
            Comparison::Alternating { crossings, .. } => crossings,
        }
    }
}
