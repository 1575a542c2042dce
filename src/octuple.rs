//! Numbers of 237 binary digits, in which the follower crosses what double precision cannot resolve.
//!
//! Products of doubles are exact here, and so is the sum of many of them: hence the Gram matrix of rows in double precision is exact. Rows that depend on each
//! other only up to rounding of their entries (1e-16, which is 1e-32 in a pivot, a squared length) are still far from dependent. Tolerances are multiples of
//! 7e-49; rounding (9e-72) is far below them.

use crate::kkt::KktChoice;
use crate::scalar::Scalar;
use f256::f256;
use num_traits::{FromPrimitive, Num, One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

/// A binary floating-point number of 256 bits (IEEE 754 binary256).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Octuple(f256);

/// An operator and its assigning form, by value and by reference.
macro_rules! operator {
    ($($operator:ident $method:ident $assigning:ident $assign:ident),*) => { $(
        impl $operator for Octuple {
            type Output = Octuple;
            fn $method(self, other: Octuple) -> Octuple {
                Octuple(self.0.$method(other.0))
            }
        }
        impl $operator<&Octuple> for Octuple {
            type Output = Octuple;
            fn $method(self, other: &Octuple) -> Octuple {
                Octuple(self.0.$method(other.0))
            }
        }
        impl $assigning for Octuple {
            fn $assign(&mut self, other: Octuple) {
                self.0 = self.0.$method(other.0);
            }
        }
        impl $assigning<&Octuple> for Octuple {
            fn $assign(&mut self, other: &Octuple) {
                self.0 = self.0.$method(other.0);
            }
        }
    )* };
}
operator!(
    Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign,
    Div div DivAssign div_assign, Rem rem RemAssign rem_assign
);

impl Neg for Octuple {
    type Output = Octuple;
    fn neg(self) -> Octuple {
        Octuple(-self.0)
    }
}

impl PartialOrd for Octuple {
    fn partial_cmp(&self, other: &Octuple) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl fmt::Display for Octuple {
    /// As the nearest double.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.nearest(), f)
    }
}

impl Zero for Octuple {
    fn zero() -> Octuple {
        Octuple(f256::ZERO)
    }

    fn is_zero(&self) -> bool {
        self.0 == f256::ZERO
    }
}

impl One for Octuple {
    fn one() -> Octuple {
        Octuple(f256::ONE)
    }
}

impl Num for Octuple {
    type FromStrRadixErr = <f256 as Num>::FromStrRadixErr;

    fn from_str_radix(text: &str, radix: u32) -> Result<Octuple, Self::FromStrRadixErr> {
        f256::from_str_radix(text, radix).map(Octuple)
    }
}

impl Signed for Octuple {
    fn abs(&self) -> Octuple {
        Octuple(self.0.abs())
    }

    fn abs_sub(&self, other: &Octuple) -> Octuple {
        if self <= other { Octuple::zero() } else { *self - other }
    }

    fn signum(&self) -> Octuple {
        if self.is_zero() { *self } else { Octuple(self.0.signum()) }
    }

    fn is_positive(&self) -> bool {
        self.0 > f256::ZERO
    }

    fn is_negative(&self) -> bool {
        self.0 < f256::ZERO
    }
}

impl FromPrimitive for Octuple {
    fn from_i64(value: i64) -> Option<Octuple> {
        Some(Octuple(f256::from(value)))
    }

    fn from_u64(value: u64) -> Option<Octuple> {
        Some(Octuple(f256::from(value)))
    }

    fn from_f64(value: f64) -> Option<Octuple> {
        Some(Octuple(f256::from(value)))
    }
}

impl ToPrimitive for Octuple {
    fn to_i64(&self) -> Option<i64> {
        self.nearest().to_i64()
    }

    fn to_u64(&self) -> Option<u64> {
        self.nearest().to_u64()
    }

    fn to_f64(&self) -> Option<f64> {
        Some(self.nearest())
    }
}

impl Octuple {
    /// The nearest double.
    ///
    /// The first 64 of the 237 digits, with the last of them set if there is anything behind, round to the same double as all of them.
    pub fn nearest(self) -> f64 {
        if !self.0.is_finite() {
            return if self.0.is_nan() {
                f64::NAN
            } else {
                f64::INFINITY.copysign(if self.is_negative() { -1.0 } else { 1.0 })
            };
        }
        let (sign, exponent, (high, low)) = self.0.as_sign_exp_signif();
        let (digits, behind, exponent) = if high == 0 { (low, 0, exponent) } else { (high, low, exponent + 128) };
        if digits == 0 {
            return 0.0;
        }
        let shift = digits.leading_zeros();
        let all = (digits << shift) | if shift == 0 { 0 } else { behind >> (128 - shift) };
        let rest = (all << 64) != 0 || (behind << shift) != 0;
        let first = ((all >> 64) as u64 | u64::from(rest)) as f64;
        let exponent = exponent + 64 - shift as i32;
        // In two steps, as a power of two may overflow where the product does not.
        let size = first * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        if sign == 0 { size } else { -size }
    }
}

impl KktChoice for Octuple {}

/// The unit of tolerances: 2⁻¹⁶⁰, which is 76 binary digits above rounding, so that rounding can accumulate without being noticed.
fn unit() -> Octuple {
    Octuple(f256::from(2f64.powi(-160)))
}

impl Scalar for Octuple {
    const EXACT: bool = false;
    const WIDEST: bool = true;
    const SLACK: f64 = 1e-12;
    type Wider = Octuple;

    fn widen(&self) -> Octuple {
        *self
    }

    fn narrow(wide: &Octuple) -> Octuple {
        *wide
    }

    fn epsilon() -> Octuple {
        unit()
    }

    /// Rounding of the 237 binary digits: sums keep no rounding errors here.
    fn twice() -> Octuple {
        Octuple(f256::from(2f64.powi(-224)))
    }

    fn is_finite_number(&self) -> bool {
        self.0.is_finite()
    }

    /// Accurate to thirty decimal digits if the root is in the range of doubles: scales need no more, and a root to all digits takes a hundred times as long.
    fn scale_root(&self) -> Octuple {
        if !self.is_positive() {
            return Octuple::zero();
        }
        let near = self.nearest().sqrt();
        if !near.is_normal() {
            return Octuple(self.0.sqrt());
        }
        // One step of Newton's method.
        let root = Octuple(f256::from(near));
        root + (*self - root * root) * Octuple(f256::from(0.5 / near))
    }

    /// Without the rounding errors: the scalar has digits enough.
    fn accumulate(hi: &mut Octuple, _lo: &mut Octuple, a: &Octuple, b: &Octuple) {
        *hi += *a * b;
    }

    fn dot(x: &[Octuple], y: &[Octuple]) -> Octuple {
        x.iter().zip(y).fold(Octuple::zero(), |sum, (x, y)| if y.is_zero() { sum } else { sum + *x * y })
    }

    fn axpy(a: &Octuple, x: &[Octuple], y: &mut [Octuple]) {
        y.iter_mut().zip(x).filter(|(_, x)| !x.is_zero()).for_each(|(y, x)| *y += *a * x);
    }

    fn tolerance(k: f64) -> Octuple {
        Octuple(f256::from(k)) * unit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_set::key;

    #[test]
    fn doubles_come_back_as_they_were() {
        for i in 0..20_000 {
            let bits = key(i, 7);
            let value = f64::from_bits(bits);
            if value.is_finite() && (value == 0.0 || value.abs() > 1e-300) {
                let wide = value.widen();
                assert_eq!(f64::narrow(&wide).to_bits(), value.to_bits() & if value == 0.0 { 0 } else { u64::MAX });
            }
        }
    }

    #[test]
    fn what_lies_between_two_doubles_goes_to_the_nearest() {
        let (one, ulp) = (1f64.widen(), f64::EPSILON.widen());
        let part = |k: i64| Octuple::integer(k) / Octuple::integer(1 << 20);
        for (k, expected) in [(1, 1.0), ((1 << 19) - 1, 1.0), (1 << 19, 1.0), ((1 << 19) + 1, 1.0 + f64::EPSILON)] {
            assert_eq!(f64::narrow(&(one + ulp * part(k))), expected, "{k}");
            assert_eq!(f64::narrow(&-(one + ulp * part(k))), -expected, "{k}");
        }
        // Far behind the digits of a double, beyond a tie: up.
        let far = 2f64.powi(-200).widen();
        assert_eq!(f64::narrow(&(one + ulp * part(1 << 19) + far)), 1.0 + f64::EPSILON);
    }

    #[test]
    fn products_and_their_sums_are_exact() {
        let (a, b) = (1.0 + f64::EPSILON, 1e15);
        let sum = Octuple::dot(&[a.widen(), b.widen(), (-b).widen()], &[a.widen(), b.widen(), b.widen()]);
        assert_eq!(sum, Octuple::integer(1) + (2.0 * f64::EPSILON).widen() + (f64::EPSILON * f64::EPSILON).widen());
        assert_eq!((Octuple::integer(2).scale_root() * Octuple::integer(2).scale_root()).nearest(), 2.0);
    }
}
