//! The square loss: linear regression on y.
//!
//! With q₊ = γp₊/(γp₊ + (1 − γ)p₋), q₋ = 1 − q₊ and m = μ₊ − μ₋, minimise q₊E₊(f − 1)²/2 + q₋E₋(f + 1)²/2. Let r₊ = μ₊ᵀw + b − 1 and r₋ = μ₋ᵀw + b + 1.
//!
//! ```text
//! d/db = 0:   q₊r₊ + q₋r₋ = 0                    so   b = q₊ − q₋ − (q₊μ₊ + q₋μ₋)ᵀw,   q₊r₊ = q₊q₋(mᵀw − 2)
//! d/dw = 0:   (q₊Σ₊ + q₋Σ₋)w + q₊r₊μ₊ + q₋r₋μ₋ = 0   so   (q₊Σ₊ + q₋Σ₋ + q₊q₋ mmᵀ) w = 2q₊q₋ m
//! ```
//!
//! which is the system of Bach, Heckerman and Horvitz (2006, App. A.1), divided by 1 + ρ. Σ± are the covariances of the classes, not of the components.
//! With η = log ρ, dq₊/dη = q₊q₋ = −dq₋/dη and d(q₊q₋)/dη = q₊q₋(q₋ − q₊); differentiating the system gives dw/dη with the same matrix.

use super::mixture::{TheoryError, solve as solve_system, times};
use super::{Model, Solution};
use crate::dot;
use faer::Mat;

pub(super) fn solve(model: &Model, gamma: f64) -> Result<Solution, TheoryError> {
    let ratio = model.ratio(gamma);
    let (plus, minus) = (ratio / (1.0 + ratio), 1.0 / (1.0 + ratio));
    let both = plus * minus;
    let change = both * (minus - plus);
    let m = model.difference();
    let (positive, negative) = (model.positive(), model.negative());
    let (above, below) = (positive.covariance(), negative.covariance());
    let d = m.len();
    let matrix = Mat::from_fn(d, d, |i, j| plus * above[(i, j)] + minus * below[(i, j)] + both * m[i] * m[j]);
    let slope = Mat::from_fn(d, d, |i, j| both * (above[(i, j)] - below[(i, j)]) + change * m[i] * m[j]);
    let failed = || TheoryError::NotSolved { gamma };
    let w = solve_system(&matrix, &m.iter().map(|v| 2.0 * both * v).collect::<Vec<f64>>()).ok_or_else(failed)?;
    let moved = times(&slope, &w);
    let right: Vec<f64> = m.iter().zip(&moved).map(|(v, s)| 2.0 * change * v - s).collect();
    let dw = solve_system(&matrix, &right).ok_or_else(failed)?;
    let middle: Vec<f64> = positive.mean().iter().zip(negative.mean()).map(|(p, n)| plus * p + minus * n).collect();
    let b = plus - minus - dot(&middle, &w);
    let db = 2.0 * both - dot(&middle, &dw) - both * dot(&m, &w);
    Ok(Solution { gamma, w, b, dw, db })
}
