//! The numbers the engine computes with: `f64`, and exact rationals.
//!
//! Everything in the engine is generic over [`Scalar`]. For an exact scalar every tolerance is zero: paths on rationals are the reference that floating-point
//! paths are tested against.

use crate::octuple::Octuple;
use crate::settings::TWICE;
use crate::wide::{self, Products, axpy, dot, dot_two, wide, with_errors};
use num_traits::{FromPrimitive, NumAssignRef, NumRef, Signed, ToPrimitive, Zero};
use std::fmt::{Debug, Display};

/// Arbitrary-precision rational numbers, the exact scalar of the engine. `num_traits::ToPrimitive::to_f64` converts to the nearest double.
///
/// ```
/// use num_traits::{FromPrimitive, ToPrimitive};
///
/// let third = pathqp::Exact::from_f64(1.0).unwrap() / pathqp::Exact::from_f64(3.0).unwrap();
/// assert_eq!(ToPrimitive::to_f64(&third), Some(1.0 / 3.0));
/// ```
pub type Exact = dashu_ratio::RBig;

/// A real number: `f64`, a floating-point number of 237 binary digits, or an exact rational.
pub trait Scalar:
    Clone
    + Debug
    + Display
    + PartialOrd
    + NumRef
    + NumAssignRef
    + Signed
    + FromPrimitive
    + ToPrimitive
    + Send
    + Sync
    + crate::kkt::KktChoice
    + 'static
{
    /// Whether arithmetic is exact. All tolerances are then zero.
    const EXACT: bool;

    /// Whether there is no wider scalar.
    const WIDEST: bool;

    /// Where a sum cancels, the scale of what is left is at least this part of its terms: rounding in them then lies far below any tolerance. Zero
    /// where there are no digits to spare, or no rounding.
    const SLACK: f64 = 0.0;

    /// The scalar in which breakpoints are crossed that this one cannot resolve; itself where there is none.
    type Wider: Scalar;

    /// The same number.
    fn widen(&self) -> Self::Wider;

    /// The nearest number.
    fn narrow(wide: &Self::Wider) -> Self;

    /// The unit roundoff that tolerances are multiples of; zero for an exact scalar.
    fn epsilon() -> Self;

    /// What a sum with its rounding errors ([`Scalar::accumulate`]) is known to, relative to its terms; zero for an exact scalar.
    fn twice() -> Self;

    /// Whether the number is neither infinite nor NaN.
    fn is_finite_number(&self) -> bool;

    /// The square root of a non-negative number, used as a *scale* only. An exact scalar returns one: its scales
    /// multiply tolerances that are zero.
    fn scale_root(&self) -> Self;

    /// `hi + lo += a·b`, with the rounding error of the product and of the sum kept in `lo`.
    fn accumulate(hi: &mut Self, lo: &mut Self, a: &Self, b: &Self);

    /// hiᵢ + loᵢ += a·bᵢ for every i, likewise.
    fn accumulate_all(hi: &mut [Self], lo: &mut [Self], a: &Self, b: &[Self]) {
        for ((hi, lo), b) in hi.iter_mut().zip(lo).zip(b).filter(|(_, b)| !b.is_zero()) {
            Self::accumulate(hi, lo, a, b);
        }
    }

    /// `hi + lo += Σ aᵢ·bᵢ`, likewise.
    fn accumulate_dot(hi: &mut Self, lo: &mut Self, a: &[Self], b: &[Self]) {
        for (a, b) in a.iter().zip(b) {
            Self::accumulate(hi, lo, a, b);
        }
    }

    /// v + s·t to two ε of the result: near a t at which the two cancel (a box that closes) the plain sum has ε of the terms.
    fn affine([v, s]: &[Self; 2], t: &Self) -> Self {
        let (mut hi, mut lo) = (v.clone(), Self::zero());
        Self::accumulate(&mut hi, &mut lo, s, t);
        if hi.is_finite_number() { hi + lo } else { hi }
    }

    /// Σ xᵢyᵢ.
    fn dot(x: &[Self], y: &[Self]) -> Self;

    /// (Σ xᵢyᵢ, Σ xᵢzᵢ), each rounded as [`Scalar::dot`] rounds it.
    fn dot_two(x: &[Self], y: &[Self], z: &[Self]) -> (Self, Self) {
        (Self::dot(x, y), Self::dot(x, z))
    }

    /// y += a·x.
    fn axpy(a: &Self, x: &[Self], y: &mut [Self]);

    /// A small integer as a scalar.
    fn integer(k: i64) -> Self {
        // `from_i64` of a type that holds all i64 as f64 or exactly cannot fail; zero is the neutral answer otherwise.
        Self::from_i64(k).unwrap_or_else(Self::zero)
    }

    /// k·ε.
    fn tolerance(k: f64) -> Self;

    /// The larger of two numbers (neither is NaN).
    fn larger(a: Self, b: Self) -> Self {
        if b > a { b } else { a }
    }

    /// The smaller of two numbers (neither is NaN).
    fn smaller(a: Self, b: Self) -> Self {
        if b < a { b } else { a }
    }
}

impl Scalar for f64 {
    const EXACT: bool = false;
    const WIDEST: bool = false;
    type Wider = Octuple;

    fn widen(&self) -> Octuple {
        Octuple::from_f64(*self).unwrap_or_else(Octuple::zero)
    }

    fn narrow(wide: &Octuple) -> f64 {
        wide.nearest()
    }

    fn epsilon() -> f64 {
        f64::EPSILON
    }

    fn twice() -> f64 {
        TWICE * f64::EPSILON * f64::EPSILON
    }

    fn is_finite_number(&self) -> bool {
        self.is_finite()
    }

    fn scale_root(&self) -> f64 {
        self.max(0.0).sqrt()
    }

    #[inline]
    fn accumulate(hi: &mut f64, lo: &mut f64, a: &f64, b: &f64) {
        wide::accumulate(wide::split_error, (hi, lo), *a, *b);
    }

    fn accumulate_all(hi: &mut [f64], lo: &mut [f64], a: &f64, b: &[f64]) {
        with_errors(Accumulation { hi, lo, a: *a, b });
    }

    fn accumulate_dot(hi: &mut f64, lo: &mut f64, a: &[f64], b: &[f64]) {
        // Chunks pair up only where both have the same length.
        let n = a.len().min(b.len());
        with_errors(LongDot { hi, lo, a: &a[..n], b: &b[..n] });
    }

    #[inline]
    fn affine([v, s]: &[f64; 2], t: &f64) -> f64 {
        // With |v| ≤ 2|v + st| also |st| ≤ 3|v + st|, and the plain sum will do.
        let plain = v + s * t;
        if plain.abs() >= 0.5 * v.abs() {
            return plain;
        }
        let (mut hi, mut lo) = (*v, 0.0);
        f64::accumulate(&mut hi, &mut lo, s, t);
        hi + lo
    }

    #[inline]
    fn dot(x: &[f64], y: &[f64]) -> f64 {
        if x.len() < LONG { dot(x, y) } else { wide_dot(x, y) }
    }

    fn dot_two(x: &[f64], y: &[f64], z: &[f64]) -> (f64, f64) {
        wide_dot_two(x, y, z)
    }

    #[inline]
    fn axpy(a: &f64, x: &[f64], y: &mut [f64]) {
        if x.len() < LONG { axpy(*a, x, y) } else { wide_axpy(*a, x, y) }
    }

    fn tolerance(k: f64) -> f64 {
        k * f64::EPSILON
    }
}

/// From so many numbers on the choice of vectors at run time is worth its time.
const LONG: usize = 32;

wide!(wide_dot<'a> = dot(x: &'a [f64], y: &'a [f64]) -> f64);
wide!(wide_axpy<'a> = axpy(a: f64, x: &'a [f64], y: &'a mut [f64]));
wide!(wide_dot_two<'a> = dot_two(x: &'a [f64], y: &'a [f64], z: &'a [f64]) -> (f64, f64));

struct Accumulation<'a> {
    hi: &'a mut [f64],
    lo: &'a mut [f64],
    a: f64,
    b: &'a [f64],
}

impl Products for Accumulation<'_> {
    #[inline(always)]
    fn run(self, error: impl Fn(f64, f64, f64) -> f64 + Copy) {
        for ((hi, lo), b) in self.hi.iter_mut().zip(self.lo).zip(self.b) {
            wide::accumulate(error, (hi, lo), self.a, *b);
        }
    }
}

/// A sum of products, of two slices of one length, in eight partial sums, each with its errors.
struct LongDot<'a> {
    hi: &'a mut f64,
    lo: &'a mut f64,
    a: &'a [f64],
    b: &'a [f64],
}

impl Products for LongDot<'_> {
    #[inline(always)]
    fn run(self, error: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let (mut sums, mut rests) = ([0.0; 8], [0.0; 8]);
        let (eights, others) = (self.a.chunks_exact(8), self.b.chunks_exact(8));
        let tail = eights.remainder().iter().zip(others.remainder());
        for (a, b) in tail {
            wide::accumulate(error, (self.hi, self.lo), *a, *b);
        }
        for (a, b) in eights.zip(others) {
            for k in 0..8 {
                wide::accumulate(error, (&mut sums[k], &mut rests[k]), a[k], b[k]);
            }
        }
        for (sum, rest) in sums.into_iter().zip(rests) {
            wide::accumulate(error, (self.hi, self.lo), 1.0, sum);
            *self.lo += rest;
        }
    }
}

impl Scalar for Exact {
    const EXACT: bool = true;
    const WIDEST: bool = true;
    type Wider = Exact;

    fn widen(&self) -> Exact {
        self.clone()
    }

    fn narrow(wide: &Exact) -> Exact {
        wide.clone()
    }

    fn epsilon() -> Exact {
        Exact::ZERO
    }

    fn twice() -> Exact {
        Exact::ZERO
    }

    fn is_finite_number(&self) -> bool {
        true
    }

    fn scale_root(&self) -> Exact {
        Exact::ONE
    }

    fn accumulate(hi: &mut Exact, _lo: &mut Exact, a: &Exact, b: &Exact) {
        *hi += a * b;
    }

    fn dot(x: &[Exact], y: &[Exact]) -> Exact {
        let mut sum = Exact::ZERO;
        for (a, b) in x.iter().zip(y) {
            sum += a * b;
        }
        sum
    }

    fn axpy(a: &Exact, x: &[Exact], y: &mut [Exact]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += a * x;
        }
    }

    fn tolerance(_k: f64) -> Exact {
        Exact::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accumulated_sums_keep_what_rounding_drops() {
        let (mut hi, mut lo) = (0.0, 0.0);
        for (a, b) in [(1e16, 1.0), (1.0, 1.0), (-1e16, 1.0), (0.1, 0.1)] {
            f64::accumulate(&mut hi, &mut lo, &a, &b);
        }
        assert!((hi + lo - 1.01).abs() < 1e-15);
    }

    #[test]
    fn long_dots_are_the_exact_sums() {
        for n in 0..40 {
            let number = |i: usize| ((i * 37 + 11) % 101) as f64 * 10f64.powi((i % 13) as i32 - 6) - 3.0;
            let a: Vec<f64> = (0..n).map(number).collect();
            // One slice may be longer than the other.
            let b: Vec<f64> = (0..n + n % 5).map(|i| number(i + 50) / 3.0).collect();
            let (mut hi, mut lo) = (1.5, 0.0);
            f64::accumulate_dot(&mut hi, &mut lo, &a, &b);
            let exact = |v: &f64| Exact::from_f64(*v).unwrap();
            let (mut sum, mut none) = (exact(&1.5), exact(&0.0));
            Exact::accumulate_dot(
                &mut sum,
                &mut none,
                &a.iter().map(exact).collect::<Vec<_>>(),
                &b.iter().map(exact).collect::<Vec<_>>(),
            );
            let size: f64 = a.iter().zip(&b).map(|(a, b)| (a * b).abs()).sum();
            let off = (exact(&hi) + exact(&lo) - sum).to_f64().value();
            assert!(off.abs() <= 1e-30 * (1.0 + size), "{n}: {off}");
        }
    }

    #[test]
    fn affine_functions_keep_their_digits_where_they_cancel() {
        let (third, t) = (1.0 / 3.0, 1.0 - 2f64.powi(-40));
        assert_eq!(f64::affine(&[third, -third], &t), third * 2f64.powi(-40));
        assert_eq!(f64::affine(&[1.0, f64::MAX], &2.0), f64::INFINITY);
    }

    #[test]
    fn exact_scalars_have_no_tolerance() {
        assert_eq!(Exact::tolerance(1e6), Exact::ZERO);
        let third = Exact::integer(1) / Exact::integer(3);
        assert_eq!(third.clone() + &third + &third, Exact::ONE);
    }
}
