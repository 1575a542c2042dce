//! Starts at any parameter value: guesses by L-BFGS on a smoothed primal, and guesses from other sources.
//!
//! At a fixed θ every problem of this crate is the dual of a sum of piecewise linear losses, and its quadratic program determines these losses. With f = −(Hβ +
//! c) + Aᵀy and the box \[lᵢ, uᵢ\],
//!
//! ```text
//! max over x   −(½ xᵀHx + cᵀx)   s.t. Ax = b, l ≤ x ≤ u     =     min over β, y   ½ βᵀHβ + Σ φᵢ(fᵢ) − by,      φᵢ(r) = max of rx over lᵢ ≤ x ≤ uᵢ
//! ```
//!
//! φᵢ has the slope lᵢ for r < 0 and uᵢ for r > 0. For a classifier r = 1 − yᵢf(xᵢ) and φᵢ is a hinge; for a quantile r = λ(Yᵢ − f(xᵢ)) and φᵢ is a pinball
//! loss; and the two entries of a row of ε-SVR add up to the ε-insensitive loss. So all that is needed of an adapter is its QP.
//!
//! *Smoothing* (Nesterov 2005, doi:10.1007/s10107-004-0552-5): with a small concave term in the maximum,
//!
//! ```text
//! φᵢ(r; δ) = max of rx − ½ δᵢ(x − mᵢ)² over lᵢ ≤ x ≤ uᵢ,       φᵢ′(r; δ) = x*(r) = mᵢ + r/δᵢ clipped to [lᵢ, uᵢ],       δᵢ = h/(uᵢ − lᵢ)
//! ```
//!
//! the kink is rounded off over an interval of length h, the *smoothing*. The derivative of φᵢ is the dual variable x*, which lies in its box by construction.
//! y is eliminated: for each β it takes the value at which x* satisfies the row, so that x* is the point of the feasible set nearest to m + r/δ (with r for y =
//! 0). What remains is
//!
//! ```text
//! P(β) = ½ βᵀHβ + max over feasible x of  −(Hβ + c)ᵀx − ½ Σ δᵢ(xᵢ − mᵢ)²,      dP = (β − x*)ᵀH dβ
//! ```
//!
//! whose gradient in the inner product βᵀHγ is β − x*. So no product with H⁻¹ is needed, and the metric is that of the function space instead of that of the
//! coefficients. An evaluation costs one product with H, for which only the entries of x* that have moved are computed. For linear kernels this is the primal
//! in weight space, with w = Zᵀβ. [`crate::lbfgs`] minimises it.
//!
//! *Stages*: h is first the mean |z| at x = 0, then the mean |z| at the x* of the last stage times a decreasing factor ([`Settings::shrink`]); m is first the
//! middle of the box, then that x*. With this m the method is the proximal point method for the dual (Rockafellar 1976, doi:10.1287/moor.1.2.97), which
//! converges to the exact solution at any h: so h need not become small, nor P ill-conditioned. It ends when L-BFGS does not finish a stage, or when hardly any
//! entry reaches or leaves a bound.
//!
//! The engine takes the guess by [`pathqp::Start::Guess`]. Guesses from other sources ([`Origin`]) are treated in the same way: they are clipped to the box and
//! repaired to satisfy Ax = b, by moving first the entries inside their boxes (all by the same part of the room that they have), then others one by one. They
//! are β and m of a first stage with a small h. That takes fewer iterations than a start without a guess, and corrects the active set of a solution at another
//! θ, in whose boxes everything has moved slightly.

mod direction;
mod element;
mod feasible;
mod smoothed;
mod solve;

pub use direction::from_direction;
pub use solve::{Seconds, Solution, solve};

use crate::error::AdapterError;
use crate::lbfgs::{self, Stop, lbfgs};
use element::Element;
use feasible::Feasible;
use pathqp::{Line, ParametricQp, PathError};
use smoothed::{Last, Smoothed, update};

/// Settings of the minimisation of the smoothed primal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The largest number of stages. Default 6; with 0 a guess from another source is used as it is.
    pub stages: usize,
    /// The smoothing of a stage is the mean |z| times this factor for each stage before it. Default 0.2.
    pub shrink: f64,
    /// The factor for the first stage of a guess from another source. Default 0.04, as after two stages.
    pub near: f64,
    /// The last stage is that in which at most this share of the entries reaches or leaves a bound. Default 0.001.
    pub settled: f64,
    /// The settings of L-BFGS for each stage. Defaults: 300 iterations, and a gradient norm of 1e-4 for an objective that is scaled such that Σ |cᵢ| max(|lᵢ|,
    /// |uᵢ|) = 1; the others as in [`lbfgs::Settings`].
    pub descent: lbfgs::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        let descent = lbfgs::Settings { iterations: 300, tolerance: 1e-4, ..lbfgs::Settings::default() };
        Settings { stages: 6, shrink: 0.2, near: 0.04, settled: 0.001, descent }
    }
}

/// The source of a start.
#[derive(Clone, Copy)]
pub enum Origin<'a> {
    /// The feasible point nearest to zero, as with [`pathqp::Start::Anywhere`].
    Cold,
    /// The minimum of the smoothed primal at θ.
    Smoothed,
    /// Any n finite numbers. They are clipped to the box and repaired, and the minimisation of the smoothed primal begins there.
    Vector(&'a [f64]),
    /// The solution x at some θ (p entries) of this or another QP, treated likewise. Entries keep their relative place in their boxes: what was at a bound is
    /// at that bound again.
    Solution {
        /// The QP that x solves: the same one for another parameter value.
        qp: &'a ParametricQp<f64>,
        /// The θ of that solution, p entries.
        theta: &'a [f64],
        /// x, as many entries as that QP has variables.
        x: &'a [f64],
        /// For each variable the variable of that QP whose place it takes, or `None` to take the value nearest to zero (for another fold). Without this list
        /// both QPs have the same variables.
        variables: Option<&'a [Option<usize>]>,
    },
}

/// A feasible guess, and the work that it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// The guess, n entries, for [`pathqp::Start::Guess`].
    pub x: Vec<f64>,
    /// The smoothing h of the last stage, in units of z; `None` where nothing was smoothed.
    pub smoothing: Option<f64>,
    /// The number of stages.
    pub stages: usize,
    /// The number of iterations of L-BFGS, in all stages.
    pub iterations: u64,
    /// The number of evaluations of value and gradient, in all stages.
    pub evaluations: u64,
}

/// A guess of the solution at θ (p entries). With [`Origin::Cold`] it is zero, clipped to the box and repaired.
///
/// # Errors
/// [`AdapterError`] for θ outside the domain, a vector of the wrong length or with an entry that is not finite, and a box in which no point satisfies the row.
pub fn guess(
    qp: &ParametricQp<f64>,
    theta: &[f64],
    origin: Origin<'_>,
    settings: &Settings,
) -> Result<Guess, AdapterError> {
    at(&qp.line(theta, theta)?, origin, settings)
}

/// The same at the beginning of a line.
fn at(line: &Line<f64>, origin: Origin<'_>, settings: &Settings) -> Result<Guess, AdapterError> {
    let feasible = Feasible::new(line);
    match origin {
        Origin::Cold => as_it_is(&feasible, &vec![0.0; line.n()]),
        Origin::Smoothed => smoothed(line, &feasible, None, settings),
        Origin::Vector(x) => smoothed(line, &feasible, Some(feasible.repair(x)?), settings),
        Origin::Solution { qp, theta, x, variables } => {
            let carried = carried(&feasible, qp, theta, x, variables)?;
            smoothed(line, &feasible, Some(feasible.repair(&carried)?), settings)
        }
    }
}

/// Any x, clipped and repaired.
fn as_it_is(feasible: &Feasible, x: &[f64]) -> Result<Guess, AdapterError> {
    Ok(Guess { x: feasible.repair(x)?, smoothing: None, stages: 0, iterations: 0, evaluations: 0 })
}

/// x of another QP in the boxes of this one.
fn carried(
    to: &Feasible,
    qp: &ParametricQp<f64>,
    theta: &[f64],
    x: &[f64],
    variables: Option<&[Option<usize>]>,
) -> Result<Vec<f64>, AdapterError> {
    let from = Feasible::new(&qp.line(theta, theta)?);
    let shape = |expected: usize, found: usize| PathError::StartShape { expected, found };
    if x.len() != from.len() {
        return Err(shape(from.len(), x.len()).into());
    }
    let found = variables.map_or(from.len(), <[_]>::len);
    if found != to.len() {
        return Err(shape(to.len(), found).into());
    }
    let source = |i: usize| variables.map_or(Some(i), |v| v.get(i).copied().flatten());
    let place = |i: usize| match source(i) {
        None => Ok(to.clip(i, 0.0)),
        Some(j) => match x.get(j) {
            Some(&x) => Ok(from.carry(j, x, to, i)),
            None => Err(shape(j + 1, x.len())),
        },
    };
    Ok((0..to.len()).map(place).collect::<Result<_, _>>()?)
}

/// The guess by L-BFGS, from β = 0 or from a feasible x that is near.
fn smoothed(
    line: &Line<f64>,
    feasible: &Feasible,
    near: Option<Vec<f64>>,
    settings: &Settings,
) -> Result<Guess, AdapterError> {
    let n = line.n();
    let scale: f64 = (0..n).map(|i| line.c0[i].abs() * feasible.reach(i)).sum();
    let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
    let mut centre: Vec<f64> = (0..n).map(|i| feasible.middle(i)).collect();
    let mut last = Last { x: vec![0.0; n], product: vec![0.0; n], y: 0.0 };
    let mut at = Element::zero(n);
    let mut guess = as_it_is(feasible, &centre)?;
    let mut places = Vec::new();
    let mut part = 1.0;
    if let Some(x) = near {
        centre.clone_from(&x);
        update(line, scale, &mut last, x, true);
        at = Element { beta: last.x.clone(), image: last.product.clone() };
        part = settings.near;
    }
    for stage in 0..settings.stages {
        let mean = mean_violation(line, scale, &last);
        let width = part * mean;
        part *= settings.shrink;
        if !(width > 0.0 && width.is_finite()) {
            break;
        }
        let function = Smoothed::new(line, feasible, (scale, width), centre, last);
        let minimum = lbfgs(&function, at, &settings.descent);
        last = function.at(&minimum.w);
        guess.smoothing = Some(width);
        guess.stages += 1;
        guess.iterations += minimum.iterations;
        guess.evaluations += minimum.evaluations;
        let now: Vec<_> = last.x.iter().enumerate().map(|(i, x)| feasible.place(i, *x)).collect();
        let moved = now.iter().zip(&places).filter(|(a, b)| a != b).count();
        let settled = stage > 0 && moved as f64 <= settings.settled * n as f64;
        if settled || minimum.stop == Stop::Iterations {
            break;
        }
        places = now;
        // The product with H is made afresh: sums of its changes collect rounding.
        let x = last.x.clone();
        update(line, scale, &mut last, x, true);
        centre = last.x.clone();
        at = Element { beta: last.x.clone(), image: last.product.clone() };
    }
    guess.x = feasible.repair(&last.x)?;
    Ok(guess)
}

/// The mean of |z| = |Hx + c − Aᵀy|.
fn mean_violation(line: &Line<f64>, scale: f64, last: &Last) -> f64 {
    let z = |i: usize| scale * (last.product[i] - line.a(i) * last.y) + line.c0[i];
    (0..line.n()).map(|i| z(i).abs()).sum::<f64>() / line.n().max(1) as f64
}
