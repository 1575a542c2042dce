//! Numbers of twice the working precision: unevaluated sums hi + lo (Dekker 1971, doi:10.1007/BF01397083), about 32 digits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo with |lo| at most half an ulp of hi.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twice {
    hi: f64,
    lo: f64,
}

impl Twice {
    /// The nearest `f64`.
    pub fn value(self) -> f64 {
        self.hi + self.lo
    }

    /// |v|.
    pub fn abs(self) -> Twice {
        if self.value() < 0.0 { -self } else { self }
    }

    /// v + s·t of a pair.
    pub fn affine([v, s]: [f64; 2], t: f64) -> Twice {
        Twice::from(v) + Twice::from(s) * Twice::from(t)
    }

    /// Σ aᵢbᵢ.
    pub fn dot(a: &[f64], b: &[Twice]) -> Twice {
        a.iter().zip(b).fold(Twice::default(), |sum, (a, b)| sum + Twice::from(*a) * *b)
    }
}

impl From<f64> for Twice {
    fn from(hi: f64) -> Twice {
        Twice { hi, lo: 0.0 }
    }
}

/// a + b and its rounding error (Knuth 1969).
fn sum(a: f64, b: f64) -> [f64; 2] {
    let s = a + b;
    let part = s - a;
    [s, (a - (s - part)) + (b - part)]
}

/// a·b and its rounding error, with both factors split in halves (Veltkamp 1968); no factor is above 1e290.
fn product(a: f64, b: f64) -> [f64; 2] {
    let halves = |v: f64| {
        let big = 134_217_729.0 * v;
        let high = big - (big - v);
        [high, v - high]
    };
    let ([a1, a2], [b1, b2], p) = (halves(a), halves(b), a * b);
    [p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2]
}

impl Add for Twice {
    type Output = Twice;
    fn add(self, other: Twice) -> Twice {
        let ([s, e], [r, f]) = (sum(self.hi, other.hi), sum(self.lo, other.lo));
        let [s, e] = sum(s, e + r);
        let [hi, lo] = sum(s, e + f);
        Twice { hi, lo }
    }
}

impl Neg for Twice {
    type Output = Twice;
    fn neg(self) -> Twice {
        Twice { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for Twice {
    type Output = Twice;
    fn sub(self, other: Twice) -> Twice {
        self + -other
    }
}

impl Mul for Twice {
    type Output = Twice;
    fn mul(self, other: Twice) -> Twice {
        let [p, e] = product(self.hi, other.hi);
        let [hi, lo] = sum(p, e + (self.hi * other.lo + self.lo * other.hi));
        Twice { hi, lo }
    }
}

impl Div for Twice {
    type Output = Twice;
    fn div(self, other: Twice) -> Twice {
        let first = Twice::from(self.hi / other.hi);
        let second = Twice::from((self - first * other).hi / other.hi);
        let third = Twice::from((self - (first + second) * other).hi / other.hi);
        first + second + third
    }
}

impl PartialOrd for Twice {
    fn partial_cmp(&self, other: &Twice) -> Option<std::cmp::Ordering> {
        (*self - *other).value().partial_cmp(&0.0)
    }
}
