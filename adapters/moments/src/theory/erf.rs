//! The erf loss: a hinge smoothed by a normal variable, minimised by Newton's method.
//!
//! With Z standard normal, E (Z − u)₊ = ψ′(u) − uψ(−u), which is the loss ϕ(u) = uψ(u) − u + ψ′(u) of Bach, Heckerman and Horvitz (2006, §2.1). For f = wᵀx + b with x ~ N(μ, Σ) let
//! m = μᵀw + b and r² = 1 + wᵀΣw. Then Z − yf is normal with mean −ym and variance r², so that for y = ±1 and t = m/r
//!
//! ```text
//! e(m, r) = E ϕ(yf) = r ψ′(t) − y m ψ(−yt)                                      (their App. A.2.1, for y = +1)
//! ∂e/∂m = −y ψ(−yt)        ∂e/∂r = ψ′(t)
//! ∂²e/∂m² = ψ′(t)/r        ∂²e/∂m∂r = −t ψ′(t)/r        ∂²e/∂r² = t² ψ′(t)/r
//! ```
//!
//! and with ∂m = (μ, 1), ∂r = (Σw/r, 0), ∂²r = Σ/r − Σw(Σw)ᵀ/r³ with respect to (w, b)
//!
//! ```text
//! gradient   −y ψ(−yt) (μ, 1) + ψ′(t) (Σw/r, 0)
//! Hessian    (ψ′(t)/r) hhᵀ + ψ′(t) (Σ/r − Σw(Σw)ᵀ/r³),      h = (μ − tΣw/r, 1)
//! ```
//!
//! Both parts of the Hessian are semidefinite and together they are definite (h has a part along b), so the minimum is unique.
//!
//! *Scaling.* The weights are ρ for the positive and 1 for the negative class, divided by the smaller of the two: at the solution both classes then contribute gradients of the size of one,
//! also at γ = 10⁻²⁹⁰. *Continuation*: log ρ moves from zero to its value in steps of at most two, each solution being the start for the next.
//! *Derivative*: with weights (1, 1/ρ) the gradient c₊g₊ + c₋g₋ = 0 moves with η = log ρ by −c₋g₋, hence d(w, b)/dη = H⁻¹c₋g₋; with (ρ, 1) it is −H⁻¹c₊g₊, the same by optimality.

use super::mixture::{Mixture, TheoryError, solve as solve_system, times};
use super::{Model, Solution};
use crate::{dot, normal_cdf, normal_density};
use faer::Mat;

/// The most that log ρ moves between two solutions.
const STRIDE: f64 = 2.0;

/// The most Newton steps at one ρ.
const STEPS: usize = 100;

pub(super) fn solve(model: &Model, gamma: f64) -> Result<Solution, TheoryError> {
    let target = model.ratio(gamma).ln();
    let strides = (target.abs() / STRIDE).ceil().max(1.0);
    let d = model.columns();
    let mut point = vec![0.0; d + 1];
    let failed = || TheoryError::NotSolved { gamma };
    for k in 0..=strides as usize {
        point = newton(model, target * k as f64 / strides, point).ok_or_else(failed)?;
    }
    let risk = Risk::at(model, target, &point);
    let right: Vec<f64> = risk.negative_gradient.clone();
    let mut slope = solve_system(&risk.hessian, &right).ok_or_else(failed)?;
    let db = slope.pop().unwrap_or_default();
    let b = point.pop().unwrap_or_default();
    Ok(Solution { gamma, w: point, b, dw: slope, db })
}

/// The minimum at log ρ.
fn newton(model: &Model, log_ratio: f64, start: Vec<f64>) -> Option<Vec<f64>> {
    let mut point = start;
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let risk = Risk::at(model, log_ratio, &point);
        let step = solve_system(&risk.hessian, &risk.gradient)?;
        // The square of the step in the norm of the Hessian, twice the decrease of the quadratic model.
        let decrement = dot(&step, &risk.gradient);
        if !decrement.is_finite() {
            return None;
        }
        let moved = |t: f64| point.iter().zip(&step).map(|(p, s)| p - t * s).collect::<Vec<f64>>();
        if decrement < 1e-8 {
            // Full steps converge quadratically from here, until rounding ends it.
            if decrement >= last || decrement == 0.0 {
                return Some(point);
            }
            last = decrement;
            point = moved(1.0);
            continue;
        }
        let mut t = 1.0;
        while Risk::at(model, log_ratio, &moved(t)).value > risk.value - 0.1 * t * decrement {
            t /= 2.0;
            if t < 1e-12 {
                return None;
            }
        }
        point = moved(t);
    }
    None
}

/// The weighted risk at a point (w, b).
struct Risk {
    value: f64,
    gradient: Vec<f64>,
    /// The negative class's part of it.
    negative_gradient: Vec<f64>,
    hessian: Mat<f64>,
}

impl Risk {
    fn at(model: &Model, log_ratio: f64, point: &[f64]) -> Risk {
        let n = point.len();
        let mut risk =
            Risk { value: 0.0, gradient: vec![0.0; n], negative_gradient: vec![0.0; n], hessian: Mat::zeros(n, n) };
        risk.add(model.negative(), -1.0, (-log_ratio).max(0.0).exp(), point);
        risk.negative_gradient.clone_from(&risk.gradient);
        risk.add(model.positive(), 1.0, log_ratio.max(0.0).exp(), point);
        risk
    }

    fn add(&mut self, class: &Mixture, y: f64, weight: f64, point: &[f64]) {
        let d = point.len() - 1;
        let (w, b) = (&point[..d], point[d]);
        for (share, mean, covariance) in class.parts() {
            let a = times(covariance, w);
            let r = (1.0 + dot(&a, w)).sqrt();
            let m = dot(mean, w) + b;
            let t = m / r;
            let (scale, density, tail) = (weight * share, normal_density(t), normal_cdf(-y * t));
            self.value += scale * (r * density - y * m * tail);
            let mut h = vec![1.0; d + 1];
            for i in 0..d {
                self.gradient[i] += scale * (density * a[i] / r - y * tail * mean[i]);
                h[i] = mean[i] - t * a[i] / r;
            }
            self.gradient[d] -= scale * y * tail;
            let (outer, inner) = (scale * density / r, scale * density / (r * r * r));
            self.hessian += Mat::from_fn(d + 1, d + 1, |i, j| {
                let curved = if i < d && j < d { outer * covariance[(i, j)] - inner * a[i] * a[j] } else { 0.0 };
                outer * h[i] * h[j] + curved
            });
        }
    }
}
