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

#[cfg(test)]
mod tests {
    use super::*;
    use pathqp::hessian::Dense;
    use pathqp::{Affine, ParametricQp, Range};
    use std::sync::Arc;

    const N: usize = 6;

    /// Fractional parts of multiples of √2, between −1 and 1.
    fn numbers(k: usize) -> Vec<f64> {
        (0..N).map(|i| 2.0 * (((1 + i + 7 * k) as f64 * std::f64::consts::SQRT_2) % 1.0) - 1.0).collect()
    }

    fn line(with_row: bool) -> Line<f64> {
        let rows: Vec<Vec<f64>> = (0..4).map(numbers).collect();
        let entry = |i: usize, j: usize| rows.iter().map(|z| z[i] * z[j]).sum::<f64>();
        let h = (0..N).map(|i| (0..N).map(|j| entry(i, j)).collect()).collect();
        let qp = ParametricQp::new(
            Arc::new(Dense::new(h).unwrap()),
            vec![Range::new(0.0, 1.0)],
            Affine::constant(numbers(5), 1),
        );
        let upper = numbers(6).iter().map(|v| v.abs()).collect();
        let qp = qp.unwrap().lower(Affine::constant(vec![-0.25; N], 1)).unwrap().upper(Affine::constant(upper, 1));
        let row = vec![1.0, -1.0, 2.0, 0.0, 1.0, -0.5];
        let qp = qp.unwrap();
        let qp = if with_row { qp.equality(row, Affine::constant(vec![0.3], 1)).unwrap() } else { qp };
        qp.line(&[0.5], &[0.5]).unwrap()
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        for with_row in [false, true] {
            let line = line(with_row);
            let feasible = Feasible::new(&line);
            let last = Last { x: vec![0.0; N], product: vec![0.0; N], y: 0.0 };
            let centre: Vec<f64> = (0..N).map(|i| feasible.middle(i)).collect();
            let scale = 1.7;
            let function = Smoothed::new(&line, &feasible, (scale, 0.9), centre, last);
            let element = |beta: Vec<f64>| {
                let image = multiply(line.hessian.as_ref(), &beta).iter().map(|v| v / scale).collect();
                Element { beta, image }
            };
            for k in 0..20 {
                let (at, along) = (numbers(10 + k), element(numbers(40 + k)));
                let (_, gradient) = function.differentiate(&element(at.clone()));
                let slope: f64 = gradient.beta.iter().zip(&along.image).map(|(g, d)| g * d).sum();
                let value = |t: f64| {
                    function.differentiate(&element(at.iter().zip(&along.beta).map(|(a, d)| a + t * d).collect())).0
                };
                let t = 1e-5;
                let quotient = (value(t) - value(-t)) / (2.0 * t);
                assert!((slope - quotient).abs() <= 1e-8 * (1.0 + slope.abs()), "{slope} against {quotient}");
            }
        }
    }

    #[test]
    fn known_products_are_products() {
        let line = line(true);
        let mut last = Last { x: vec![0.0; N], product: vec![0.0; N], y: 0.0 };
        for k in 0..10 {
            let mut x = last.x.clone();
            x[k % N] += 0.5 - 0.1 * k as f64;
            update(&line, 2.0, &mut last, x.clone(), k % 3 == 0);
            let afresh = multiply(line.hessian.as_ref(), &x);
            assert!(last.product.iter().zip(&afresh).all(|(p, q)| (2.0 * p - q).abs() <= 1e-14));
        }
    }
}
