//! Linear quantile regression for all quantiles, without a penalty or with an ℓ₁ penalty on the coefficients.
//!
//! *Primal* (Koenker and Bassett 1978, doi:10.2307/1913643; the lasso Li and Zhu 2008, doi:10.1198/106186008X289155), with case weights vᵢ (one unless given):
//!
//! ```text
//! min over β, b   Σ vᵢ ρ_τ(yᵢ − xᵢᵀβ − b) + λ Σⱼ |βⱼ|,        ρ_τ(r) = τr for r ≥ 0,   −(1 − τ)r for r < 0
//! ```
//!
//! *Dual* (Koenker and d'Orey 1987, doi:10.2307/2347802), with a the regression rank scores times vᵢ:
//!
//! ```text
//! max over a   yᵀ(a − (1 − τ)v)    s.t.   |Xⱼᵀ(a − (1 − τ)v)| ≤ λ,    1ᵀ(a − (1 − τ)v) = 0,    0 ≤ a ≤ v
//! ```
//!
//! *Map to the engine*: x = a, H = 0, c = −y, and the rows of A are the columns of X in units of their lengths, X̃ⱼ = Xⱼ/sⱼ with sⱼ a power of two (both exact), and 1ᵀ if there is an intercept:
//!
//! ```text
//! (1 − τ) X̃ⱼᵀv − λ/sⱼ  ≤  X̃ⱼᵀa  ≤  (1 − τ) X̃ⱼᵀv + λ/sⱼ          θ = τ without a penalty (λ = 0: equalities), θ = (τ, λ) with one
//! ```
//!
//! z = −y − Aᵀu, with u the multipliers of the rows, vanishes where yᵢ = xᵢᵀβ + b, so that βⱼ = −uⱼ/sⱼ: the coefficients are multipliers of rows, constant
//! between two breakpoints. Along τ they are step functions, whose steps are the breakpoints of the loss as a function of τ.
//!
//! *Unique*: β is the only solution where the rows that can have 0 < aᵢ < vᵢ in some solution determine it (unique.rs). At a breakpoint it is not unique: the
//! coefficients before and after it are solutions, and so is everything between them.
//!
//! *Ends*: τ from 0, where a = v, to 1, where a = 0. λ from above the largest value at which β is not zero (the coefficients jump there, as they do along τ)
//! down to 0.

mod guess;
mod problem;
mod unique;

pub(crate) use problem::ABOVE;
pub use problem::{ENTRY, Quantiles};

use crate::columns::unit;
use crate::constraints::multipliers;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::machine::check_weights;
use pathqp::hessian::{self, Rows};
use pathqp::{Affine, ParametricQp, Point, Range};
use std::sync::Arc;

/// Linear quantile regression on n rows with d features.
#[derive(Clone)]
pub struct QuantileRegression {
    features: Arc<Features>,
    responses: Vec<f64>,
    /// v, n entries.
    weights: Vec<f64>,
    intercept: bool,
    /// Whether θ has λ.
    penalised: bool,
    /// s, d powers of two.
    scales: Vec<f64>,
}

/// The coefficients at one θ.
#[derive(Clone, Debug, PartialEq)]
pub struct Coefficients {
    /// The coefficients β, d entries.
    pub w: Vec<f64>,
    /// The intercept b; zero if there is none.
    pub intercept: f64,
}

impl QuantileRegression {
    /// The problem of X (n × d) and n responses. `weights` are case weights, which multiply the losses (one each by default). With `penalised` θ = (τ, λ),
    /// otherwise θ = τ.
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree, no rows, and, with the row, a response that is not finite, or a weight that is negative or not finite.
    pub fn new(
        features: Arc<Features>,
        responses: Vec<f64>,
        weights: Option<Vec<f64>>,
        intercept: bool,
        penalised: bool,
    ) -> Result<Self, AdapterError> {
        let (n, d) = (features.rows(), features.columns());
        for (what, found) in [("responses", responses.len()), ("weights", weights.as_ref().map_or(n, Vec::len))] {
            if found != n {
                return Err(AdapterError::Shape { what, expected: n, found });
            }
        }
        if let Some(row) = responses.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: responses[row] });
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; n]);
        check_weights(&weights)?;
        if n == 0 || d == 0 && !intercept {
            return Err(pathqp::ProblemError::Empty { variables: n.min(d), parameters: 1 }.into());
        }
        let mut columns = vec![Vec::new(); d];
        for i in 0..n {
            features.row(i).for_each(|j, v| columns[j].push(v));
        }
        let scales = columns.iter().map(|column| unit(column)).collect();
        Ok(QuantileRegression { features, responses, weights, intercept, penalised, scales })
    }

    /// The features X, n × d.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The responses y, n values.
    pub fn responses(&self) -> &[f64] {
        &self.responses
    }

    /// The case weights v, n values.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.intercept
    }

    /// The sum of the case weights.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The number of rows of A: the features, and one for the intercept.
    pub fn m(&self) -> usize {
        self.scales.len() + usize::from(self.intercept)
    }

    /// A: the columns of X in units of their lengths, then the ones.
    fn matrix(&self) -> Rows<f64> {
        let (n, d, m) = (self.features.rows(), self.scales.len(), self.m());
        if matches!(self.features.as_ref(), Features::Dense { .. }) {
            let mut values = vec![1.0; m * n];
            for i in 0..n {
                self.features.row(i).for_each(|j, v| values[j * n + i] = v / self.scales[j]);
            }
            return Rows::Dense { columns: n, values };
        }
        let mut lines: Vec<Vec<(u32, f64)>> = vec![Vec::new(); d];
        for i in 0..n {
            self.features.row(i).for_each(|j, v| lines[j].push((i as u32, v / self.scales[j])));
        }
        if self.intercept {
            lines.push((0..n as u32).map(|i| (i, 1.0)).collect());
        }
        let starts = std::iter::once(0).chain(lines.iter().scan(0, |sum, line| {
            *sum += line.len();
            Some(*sum)
        }));
        let starts = starts.collect();
        let (indices, values) = lines.into_iter().flatten().unzip();
        Rows::Sparse { columns: n, starts, indices, values }
    }

    /// The column of A of a row: m entries.
    pub(crate) fn column(&self, i: usize) -> Vec<f64> {
        let mut column = vec![0.0; self.m()];
        self.features.row(i).for_each(|j, v| column[j] = v / self.scales[j]);
        if let (true, Some(last)) = (self.intercept, column.last_mut()) {
            *last = 1.0;
        }
        column
    }

    /// A·v for n entries v, each sum rounded once.
    fn products(&self, v: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.m()];
        for (i, v) in v.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            for (sum, a) in sums.iter_mut().zip(self.column(i)) {
                <f64 as pathqp::Scalar>::accumulate(&mut sum.0, &mut sum.1, &a, v);
            }
        }
        sums.into_iter().map(|(high, low)| high + low).collect()
    }

    /// A·v, m entries.
    pub(crate) fn totals(&self) -> Vec<f64> {
        self.products(&self.weights)
    }

    /// By how much λ widens the bounds of the rows of A: 1/sⱼ, and zero for the intercept.
    pub(crate) fn shares(&self) -> Vec<f64> {
        (0..self.m()).map(|r| self.scales.get(r).map_or(0.0, |s| 1.0 / s)).collect()
    }

    /// The parametric QP of the module's documentation.
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.responses.len();
        let p = if self.penalised { 2 } else { 1 };
        let (total, share) = (self.totals(), self.shares());
        let falling: Vec<f64> = total.iter().map(|t| -t).collect();
        let bound = |sign: f64| {
            let slopes = [falling.clone(), share.iter().map(|s| sign * s).collect()];
            Affine { constant: total.clone(), slopes: slopes.into_iter().take(p).collect() }
        };
        let domain = [Range::new(0.0, 1.0), Range::at_least(0.0)].into_iter().take(p).collect();
        let cost = Affine::constant(self.responses.iter().map(|y| -y).collect(), p);
        let qp = ParametricQp::new(Arc::new(hessian::zero(n)?), domain, cost)?;
        let qp = qp.lower(Affine::constant(vec![0.0; n], p))?.upper(Affine::constant(self.weights.clone(), p))?;
        Ok(qp.rows(self.matrix(), bound(-1.0), bound(1.0))?)
    }

    /// The dual variables a of the fit without features at τ, n entries: v for responses above the quantile and 0 below it. Without an intercept the sign of y
    /// decides.
    pub fn limit(&self, tau: f64) -> Vec<f64> {
        let (y, v) = (&self.responses, &self.weights);
        if !self.intercept {
            let part = |y: f64| {
                if y > 0.0 {
                    1.0
                } else if y < 0.0 {
                    0.0
                } else {
                    1.0 - tau
                }
            };
            return y.iter().zip(v).map(|(y, v)| part(*y) * v).collect();
        }
        let mut order: Vec<usize> = (0..y.len()).collect();
        order.sort_by(|&i, &j| y[j].total_cmp(&y[i]));
        let (mut a, mut left) = (vec![0.0; y.len()], (1.0 - tau) * self.total());
        for i in order {
            a[i] = v[i].min(left);
            left -= a[i];
        }
        a
    }

    /// A λ from which on all coefficients are zero at τ; if a is unique there, the least such λ.
    pub fn largest_lambda(&self, tau: f64) -> f64 {
        let a = self.limit(tau);
        let away: Vec<f64> = a.iter().zip(&self.weights).map(|(a, v)| a - (1.0 - tau) * v).collect();
        let products = self.products(&away);
        products.iter().zip(&self.scales).map(|(g, s)| (g * s).abs()).fold(0.0, f64::max)
    }

    /// The coefficients at a point.
    pub fn coefficients(&self, point: &Point<f64>) -> Coefficients {
        self.coefficients_of(&multipliers(point, self.m()))
    }

    /// The coefficients of which the multipliers of the m rows are `u`.
    pub(crate) fn coefficients_of(&self, u: &[f64]) -> Coefficients {
        // 0 − u, so that no zero is negative.
        let w = u.iter().zip(&self.scales).map(|(u, s)| (0.0 - u) / s).collect();
        let intercept = u.get(self.scales.len()).map_or(0.0, |u| 0.0 - u);
        Coefficients { w, intercept }
    }

    /// The residuals yᵢ − xᵢᵀβ − b, n values.
    pub fn residuals(&self, at: &Coefficients) -> Vec<f64> {
        let fit = |i: usize| {
            let mut fit = at.intercept;
            self.features.row(i).for_each(|j, v| fit += v * at.w[j]);
            fit
        };
        (0..self.responses.len()).map(|i| self.responses[i] - fit(i)).collect()
    }

    /// The mean pinball loss at τ, weighted by the case weights.
    pub fn loss(&self, tau: f64, at: &Coefficients) -> f64 {
        let terms = self.residuals(at).into_iter().zip(&self.weights).map(|(r, v)| v * crate::kqr::pinball(tau, r));
        terms.sum::<f64>() / self.total()
    }
}
