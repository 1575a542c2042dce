//! The critical line: every efficient portfolio of n assets at once.
//!
//! *Primal* (Markowitz 1956, "The optimization of a quadratic function subject to linear constraints", Naval Research Logistics
//! Quarterly 3, doi:10.1002/nav.3800030110; Niedermayer and Niedermayer 2010, "Applying Markowitz's critical line algorithm",
//! doi:10.1007/978-0-387-77439-8_12): for weights w, expected returns μ and their covariance Σ,
//!
//! ```text
//! min over w   ½ wᵀΣw − t·μᵀw     subject to   1ᵀw = 1,   l ≤ w ≤ u,   bl ≤ A w ≤ bu
//! ```
//!
//! At t = 0 the variance is least. As t grows the return grows, until it is the largest that the bounds allow. The rows A, if there are any, are limits of
//! sectors, exposures to factors and the like (rows.rs).
//!
//! *Map to the engine*: x = w, θ = t ∈ [0, ∞), H = Σ, c = −tμ, the rows A and 1ᵀw = 1. The primal itself is the engine's problem. z = Σw − tμ − y·1 − Aᵀu, with
//! u the multipliers of the rows A: an asset off its bounds has tμᵢ + y + (Aᵀu)ᵢ = (Σw)ᵢ.
//!
//! *Along t* let w have the rate w′. The return m = μᵀw has the rate m′ = μᵀw′ ≥ 0, and the variance v = wᵀΣw has the rate 2t·m′, since w′ᵀ(Σw − tμ) = y·1ᵀw′ +
//! uᵀAw′ + w′ᵀz = 0 (z is zero where w moves, u is zero where Aw moves). So with the values at the last turning point a before t
//!
//! ```text
//! m(t) = m(a) + m′·(t − a),     v(t) = v(a) + m′·(t² − a²)
//! ```
//!
//! so that the t of a given return is the root of a linear function ([`CriticalLine::with_return`]). The Sharpe ratio S = (m − r)/√v has S′ = m′·(v − t(m −
//! r))/v^{3/2}, and in v − t(m − r) the squares of t cancel: on each segment the t of the largest S is the root of a linear function too
//! ([`CriticalLine::max_sharpe`]).
//!
//! *Direction*: usually the critical line is followed from t = ∞ downwards. There w solves a linear program whose solution is not unique when returns tie, and
//! the first turning point may be arbitrarily far away when two returns are nearly equal. On a ray from t = 0 upwards neither matters: t is known to rounding
//! of itself, and the last segment extends to infinity. The portfolio at t = 0 usually holds the most assets; block.rs says how it is found.

mod block;
mod corners;
mod names;
mod prices;
mod problem;
mod returns;
mod rounding;
mod rows;
mod sharpe;
mod target;

pub use names::Assets;
pub use prices::{LooksLikePrices, looks_like_prices, returns_of_prices};
pub use problem::ENTRY;
pub use sharpe::{MaxSharpe, SharpeCase};

use crate::constraints::Constraints;
use crate::error::AdapterError;
use crate::problem::begin;
use pathqp::hessian::{multiply, semidefinite};
use pathqp::{Affine, Hessian, Line, ParametricQp, Path, ProblemError, Range, Settings};
use std::sync::Arc;

/// n assets, with the bounds and rows that portfolios of them must satisfy.
#[derive(Clone)]
pub struct CriticalLine {
    mean: Vec<f64>,
    covariance: Arc<dyn Hessian<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// n names.
    names: Vec<String>,
    /// The return of an asset without risk.
    risk_free: f64,
    rows: Option<Constraints>,
}

/// A portfolio of n assets.
#[derive(Clone, Debug, PartialEq)]
pub struct Portfolio {
    /// The t at which it is efficient; NaN if it is not efficient.
    pub t: f64,
    /// The weights w, n entries.
    pub weights: Vec<f64>,
    /// The expected return μᵀw.
    pub mean: f64,
    /// The variance wᵀΣw; zero where it is no more than the rounding of its own sum.
    pub variance: f64,
}

impl CriticalLine {
    /// Assets with expected returns μ (n entries), covariance Σ (n × n) and bounds of the weights (n entries each, infinite where there is none).
    ///
    /// # Errors
    /// [`AdapterError`] for shapes that do not agree, a mean that is not finite, a covariance that is not finite, symmetric and positive semidefinite, and
    /// bounds between which no weights sum to one. A lower bound above its upper bound is an error of [`CriticalLine::qp`].
    pub fn new(mean: Vec<f64>, sigma: Vec<Vec<f64>>, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, AdapterError> {
        Self::checked(mean, semidefinite(sigma)?, [lower, upper])
    }

    pub(super) fn checked(
        mean: Vec<f64>,
        covariance: Arc<dyn Hessian<f64>>,
        bounds: [Vec<f64>; 2],
    ) -> Result<Self, AdapterError> {
        let (expected, [lower, upper]) = (covariance.dim(), bounds);
        for (what, v) in [("the mean", &mean), ("lower", &lower), ("upper", &upper)] {
            if v.len() != expected {
                return Err(ProblemError::Shape { what, expected, found: v.len() }.into());
            }
        }
        if let Some(index) = mean.iter().position(|m| !m.is_finite()) {
            let (what, value) = ("mean", mean[index].to_string());
            return Err(ProblemError::NotFinite { what, index, parameter: None, value }.into());
        }
        let [least, most] = [&lower, &upper].map(|bounds| bounds.iter().fold(0.0, |sum, b| sum + b));
        let rounding = f64::EPSILON * expected as f64;
        if least > 1.0 + rounding * (1.0 + least.abs()) || most < 1.0 - rounding * (1.0 + most.abs()) {
            return Err(AdapterError::Budget { least, most });
        }
        let names = (1..=expected).map(|j| format!("w{j}")).collect();
        Ok(CriticalLine { mean, covariance, lower, upper, names, risk_free: 0.0, rows: None })
    }

    /// The parametric QP with θ = t ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.mean.len();
        let cost = Affine::line(vec![0.0; n], self.mean.iter().map(|m| -m).collect());
        let qp = ParametricQp::new(self.covariance.clone(), vec![Range::at_least(0.0)], cost)?
            .lower(Affine::constant(self.lower.clone(), 1))?
            .upper(Affine::constant(self.upper.clone(), 1))?
            .equality(vec![1.0; n], Affine::constant(vec![1.0], 1))?;
        self.with_rows_of(qp)
    }

    /// The ray of all t ≥ 0 of that problem.
    ///
    /// # Errors
    /// As [`CriticalLine::qp`].
    pub fn line(&self) -> Result<Line<f64>, AdapterError> {
        Ok(self.qp()?.ray(&[0.0], &[1.0])?)
    }

    /// The path of all efficient portfolios. Without bounds of the weights the return may grow without end: [`pathqp::Stop::Diverges`].
    ///
    /// # Errors
    /// As [`CriticalLine::qp`]; also for rows that cannot be satisfied ([`AdapterError::Conflict`]), and a path that could not be followed.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        let line = self.line()?;
        let mut follower = begin(&line, &self.start_at(0.0), settings).map_err(|error| self.named(error))?;
        follower.run(&mut ()).map_err(|error| self.named(error))?;
        Ok(follower.into_path())
    }

    /// The portfolio at t; `None` outside the path. This method and those below take any path along which t grows.
    pub fn at(&self, path: &Path<f64>, t: f64) -> Option<Portfolio> {
        Some(self.portfolio(t, path.at_parameter(&[t])?.x))
    }

    /// The portfolio at a position of the path, by the law of a segment.
    fn on(&self, path: &Path<f64>, segment: usize, position: f64) -> Option<Portfolio> {
        let t = path.parameter(&position).first().copied()?;
        Some(self.portfolio(t, path.law_at(segment, &position)?.x))
    }

    fn portfolio(&self, t: f64, weights: Vec<f64>) -> Portfolio {
        let product = |v: &[f64]| v.iter().zip(&weights).map(|(v, w)| v * w).sum();
        let (mean, variance) = (product(&self.mean), product(&multiply(self.covariance.as_ref(), &weights)));
        let variance = if variance > self.rounding_of_variance(&weights) { variance } else { 0.0 };
        Portfolio { t, weights, mean, variance }
    }

    /// The portfolios at the turning points, between which the set of assets off their bounds is the same. On a complete path the first one has the least
    /// variance and, if the return is bounded, the last one has the largest return.
    pub fn turning_points(&self, path: &Path<f64>) -> Vec<Portfolio> {
        let starts = path.segments().iter().enumerate().filter(|(k, s)| *k == 0 || s.breakpoint);
        starts.filter_map(|(k, s)| self.on(path, k, s.t)).collect()
    }

    /// A segment's first portfolio, m′ on it, and where it ends as a value of t, which may be infinite.
    fn segment(&self, path: &Path<f64>, k: usize) -> Option<(Portfolio, f64, f64)> {
        let start = path.segments().get(k)?.t;
        let (next, endless) = (path.segments().get(k + 1), path.is_endless() && k + 1 == path.segments().len());
        let a = self.on(path, k, start)?;
        if endless && path.is_complete() {
            return Some((a, 0.0, f64::INFINITY));
        }
        let end = next.map_or(*path.end(), |s| s.t) + if endless { 1.0 + start } else { 0.0 };
        let b = self.on(path, k, end)?;
        let slope = if b.t > a.t { (b.mean - a.mean) / (b.t - a.t) } else { 0.0 };
        Some((a, slope, if endless { f64::INFINITY } else { b.t }))
    }
}
