//! The smoothed primal as a function to minimise.

use super::element::Element;
use super::feasible::Feasible;
use crate::lbfgs::Differentiable;
use pathqp::Line;
use pathqp::hessian::multiply;
use std::cell::RefCell;

/// P(β) = ½ βᵀHβ + max over feasible x of −(Hβ + c)ᵀx − ½ Σ δᵢ(xᵢ − mᵢ)², everything divided by a `scale`.
pub struct Smoothed<'l> {
    line: &'l Line<f64>,
    feasible: &'l Feasible,
    scale: f64,
    /// scale/δᵢ: by how much xᵢ moves with zᵢ/scale.
    omega: Vec<f64>,
    centre: Vec<f64>,
    last: RefCell<Last>,
}

/// The last x* with Hx*/scale, and the multiplier of the row over the scale.
pub struct Last {
    pub x: Vec<f64>,
    pub product: Vec<f64>,
    pub y: f64,
}

impl<'l> Smoothed<'l> {
    /// xᵢ goes from one bound to the other while zᵢ moves by `width`. `last` is where products with H are known already.
    pub fn new(
        line: &'l Line<f64>,
        feasible: &'l Feasible,
        (scale, width): (f64, f64),
        centre: Vec<f64>,
        last: Last,
    ) -> Self {
        let omega = feasible.sizes().iter().map(|size| size * scale / width).collect();
        Smoothed { line, feasible, scale, omega, centre, last: RefCell::new(last) }
    }

    /// x* at a point.
    pub fn at(self, point: &Element) -> Last {
        self.differentiate(point);
        self.last.into_inner()
    }
}

/// H x/scale, from a product that is known, so that only entries that differ cost anything, or `afresh`.
pub fn update(line: &Line<f64>, scale: f64, last: &mut Last, x: Vec<f64>, afresh: bool) {
    let step: Vec<f64> = x.iter().zip(&last.x).map(|(x, old)| x - old).collect();
    let count = |v: &[f64]| v.iter().filter(|v| **v != 0.0).count();
    if !afresh && count(&step) < count(&x) {
        let change = multiply(line.hessian.as_ref(), &step);
        last.product.iter_mut().zip(&change).for_each(|(p, c)| *p += c / scale);
    } else {
        last.product = multiply(line.hessian.as_ref(), &x).iter().map(|p| p / scale).collect();
    }
    last.x = x;
}

impl Differentiable<Element> for Smoothed<'_> {
    /// The gradient under the inner product of H/scale is β − x.
    fn differentiate(&self, at: &Element) -> (f64, Element) {
        let mut last = self.last.borrow_mut();
        let residual: Vec<f64> = at.image.iter().zip(&self.line.c0).map(|(v, c)| -v - c / self.scale).collect();
        let target: Vec<f64> =
            self.centre.iter().zip(&self.omega).zip(&residual).map(|((m, w), r)| m + w * r).collect();
        let x = self.feasible.project(&target, &self.omega, &mut last.y);
        let mut value: f64 = 0.5 * at.beta.iter().zip(&at.image).map(|(b, v)| b * v).sum::<f64>();
        for i in 0..x.len() {
            let off = if self.omega[i] > 0.0 { (x[i] - self.centre[i]).powi(2) / (2.0 * self.omega[i]) } else { 0.0 };
            value += residual[i] * x[i] - off;
        }
        update(self.line, self.scale, &mut last, x, false);
        let beta = at.beta.iter().zip(&last.x).map(|(b, x)| b - x).collect();
        let image = at.image.iter().zip(&last.product).map(|(v, p)| v - p).collect();
        (value, Element { beta, image })
    }
}
