//! Functions f = Σ βᵢ h(·, i) under the inner product of H.

use crate::lbfgs::Vector;
use argmin_math::{
    ArgminAdd, ArgminDot, ArgminL1Norm, ArgminL2Norm, ArgminMinMax, ArgminMul, ArgminSignum, ArgminSub, ArgminZeroLike,
};

/// β together with Hβ, both n entries: ⟨β, γ⟩ = βᵀHγ then costs a dot product, and sums and multiples need no product with H.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// β.
    pub beta: Vec<f64>,
    /// Hβ.
    pub image: Vec<f64>,
}

impl Element {
    /// Zero.
    pub fn zero(n: usize) -> Self {
        Element { beta: vec![0.0; n], image: vec![0.0; n] }
    }

    fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let both = [&self.beta, &self.image].map(|part| part.iter().map(|v| change(*v)).collect());
        let [beta, image] = both;
        Element { beta, image }
    }

    fn with(&self, other: &Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        let pair = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| combine(*a, *b)).collect();
        Element { beta: pair(&self.beta, &other.beta), image: pair(&self.image, &other.image) }
    }
}

impl ArgminAdd<Element, Element> for Element {
    fn add(&self, other: &Element) -> Element {
        self.with(other, |a, b| a + b)
    }
}

impl ArgminSub<Element, Element> for Element {
    fn sub(&self, other: &Element) -> Element {
        self.with(other, |a, b| a - b)
    }
}

impl ArgminMul<f64, Element> for Element {
    fn mul(&self, factor: &f64) -> Element {
        self.map(|v| v * factor)
    }
}

impl ArgminMul<Element, Element> for f64 {
    fn mul(&self, element: &Element) -> Element {
        element.map(|v| v * self)
    }
}

/// βᵀHγ.
impl ArgminDot<Element, f64> for Element {
    fn dot(&self, other: &Element) -> f64 {
        self.beta.iter().zip(&other.image).map(|(a, b)| a * b).sum()
    }
}

/// √(βᵀHβ); what rounding makes negative is zero.
impl ArgminL2Norm<f64> for Element {
    fn l2_norm(&self) -> f64 {
        let square: f64 = self.dot(self);
        if square < 0.0 { 0.0 } else { square.sqrt() }
    }
}

// What follows has no meaning for β with Hβ: argmin asks for it for the sake of an absolute-value penalty, which is not used here.

impl ArgminAdd<f64, Element> for Element {
    fn add(&self, other: &f64) -> Element {
        self.map(|v| v + other)
    }
}

impl ArgminSub<f64, Element> for Element {
    fn sub(&self, other: &f64) -> Element {
        self.map(|v| v - other)
    }
}

impl ArgminMul<Element, Element> for Element {
    fn mul(&self, other: &Element) -> Element {
        self.with(other, |a, b| a * b)
    }
}

impl ArgminL1Norm<f64> for Element {
    fn l1_norm(&self) -> f64 {
        self.beta.iter().map(|v| v.abs()).sum()
    }
}

impl ArgminSignum for Element {
    fn signum(self) -> Element {
        self.map(f64::signum)
    }
}

impl ArgminZeroLike for Element {
    fn zero_like(&self) -> Element {
        Element::zero(self.beta.len())
    }
}

impl ArgminMinMax for Element {
    fn min(x: &Element, y: &Element) -> Element {
        x.with(y, f64::min)
    }

    fn max(x: &Element, y: &Element) -> Element {
        x.with(y, f64::max)
    }
}

impl Vector for Element {}
