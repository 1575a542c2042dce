//! Hyper-dual numbers: a value with its exact derivatives along two directions and the mixed second one (Fike and Alonso 2011,
//! doi:10.2514/6.2011-886).

use std::ops::{Add, Div, Mul, Sub};

/// a + b ε₁ + c ε₂ + d ε₁ε₂ with ε₁² = ε₂² = 0.
#[derive(Clone, Copy, Debug)]
pub struct HyperDual {
    pub value: f64,
    pub first: f64,
    pub second: f64,
    pub both: f64,
}

impl From<f64> for HyperDual {
    fn from(value: f64) -> Self {
        HyperDual { value, first: 0.0, second: 0.0, both: 0.0 }
    }
}

impl HyperDual {
    pub fn new(value: f64, first: f64, second: f64) -> Self {
        HyperDual { value, first, second, both: 0.0 }
    }

    /// h of this number, from h, h′ and h″ at its value.
    fn apply(self, h: f64, slope: f64, curvature: f64) -> Self {
        HyperDual {
            value: h,
            first: slope * self.first,
            second: slope * self.second,
            both: slope * self.both + curvature * self.first * self.second,
        }
    }

    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.apply(root, 0.5 / root, -0.25 / (root * self.value))
    }

    pub fn normal_cdf(self) -> Self {
        let x = self.value;
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        self.apply(pathqp_moments::normal_cdf(x), density, -x * density)
    }
}

impl Add for HyperDual {
    type Output = Self;

    fn add(self, o: Self) -> Self {
        HyperDual {
            value: self.value + o.value,
            first: self.first + o.first,
            second: self.second + o.second,
            both: self.both + o.both,
        }
    }
}

impl Sub for HyperDual {
    type Output = Self;

    fn sub(self, o: Self) -> Self {
        self + o * HyperDual::from(-1.0)
    }
}

impl Mul for HyperDual {
    type Output = Self;

    fn mul(self, o: Self) -> Self {
        HyperDual {
            value: self.value * o.value,
            first: self.value * o.first + self.first * o.value,
            second: self.value * o.second + self.second * o.value,
            both: self.value * o.both + self.first * o.second + self.second * o.first + self.both * o.value,
        }
    }
}

impl Div for HyperDual {
    type Output = Self;

    fn div(self, o: Self) -> Self {
        self * o.apply(1.0 / o.value, -1.0 / (o.value * o.value), 2.0 / (o.value * o.value * o.value))
    }
}
