//! The lasso: least squares with an ℓ₁ penalty at every α, and with a fixed ridge beside it.
//!
//! *Primal* (Tibshirani 1996, doi:10.1111/j.2517-6161.1996.tb02080.x, in scikit-learn's scale; the path is that of Efron, Hastie, Johnstone
//! and Tibshirani 2004, doi:10.1214/009053604000000067, and of Osborne, Presnell and Turlach 2000, doi:10.1093/imanum/20.3.389):
//!
//! ```text
//! min over w   1/(2n) ‖y − Xw‖² + α‖w‖₁ + ρ/2 ‖w‖²
//! ```
//!
//! with an intercept that is not penalised or none: X and y are then centred, or taken as they are. *Dual*: with the residual r = y − Xw,
//! for ρ = 0, the projection of y onto {r : |Xᵀr| ≤ nα}; the dual objective is (‖y‖² − ‖y − r‖²)/(2n).
//!
//! *Map to the engine*: x = S(w⁺, w⁻) ≥ 0 with w = w⁺ − w⁻ and no upper bounds, θ = α ∈ [0, ∞). S is a diagonal matrix of powers of two that bring the columns
//! to about unit length, X̃ = XS⁻¹ (columns.rs), so that the penalty has the weights S⁻¹ on x instead of 1: H = [G −G; −G G] with G = X̃ᵀX̃/n + ρS⁻², c =
//! (−X̃ᵀy/n + αS⁻¹1, X̃ᵀy/n + αS⁻¹1). H is a Gram matrix, whose rows are the columns of X̃ and their negatives; it is never formed. With g = Xᵀr/n − ρw, z⁺ =
//! S⁻¹(α − g) and z⁻ = S⁻¹(α + g), so that z ≥ 0 means |g| ≤ α; and as z⁺ + z⁻ = 2αS⁻¹1 > 0, the two halves of a coefficient are never free together. (A sparse
//! X is not centred, and the constant is a further variable without bounds: columns.rs.) At α = 0 zⱼ⁺ and zⱼ⁻ may both be zero; the path ends there.
//!
//! *Start*: w = 0 at [`Lasso::largest_alpha`] = max |Xᵀy|/n and above. The unit of α is that of the longest column, and the last coefficients may enter at
//! 10⁻¹⁰ of the largest α. Therefore t = −α on a path towards smaller α, so that each α is known to rounding of itself.
//!
//! *Where w is not unique* (repeated columns, integer designs, d > n) the fit Xw and ‖w‖₁ are still unique, and so are the breakpoints. The path follows one of
//! the solutions, with independent columns, as Tibshirani 2013 (doi:10.1214/13-EJS815) constructs it.
//!
//! *Rows*, equalities and inequalities of the coefficients: rows.rs.
//!
//! *Elastic net.* scikit-learn's penalty αr‖w‖₁ + α(1 − r)/2 ‖w‖² changes H with α. No change of coordinates makes that affine: on a piece of the path w_F =
//! (G_FF + α(1 − r)I)⁻¹(Xᵀy/n − αrs)_F, with s the signs of w_F, has a pole at each eigenvalue of −G_FF/(1 − r), whereas whatever is affine in a function of α,
//! or a scalar function times something affine, stays on a line. So ρ is fixed while α varies (Zou and Hastie 2005, §3.5,
//! doi:10.1111/j.1467-9868.2005.00503.x): ElasticNet(alpha = a, l1_ratio = r) is the point α = ar of the path with ρ = a(1 − r).

mod choice;
mod problem;
mod rows;

pub use choice::{Chosen, Criterion, Folds};
pub use problem::ENTRY;

use crate::columns::Columns;
use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::{Affine, Line, ParametricQp, Path, Point, Range, Scalar, Settings, Start, Status, hessian::Gram, trace};
use rows::LassoRows;
use std::sync::Arc;

/// A lasso problem on n rows with d columns, with an optional ridge penalty and optional rows.
#[derive(Clone)]
pub struct Lasso {
    columns: Columns,
    intercept: bool,
    ridge: f64,
    rows: Option<Arc<LassoRows>>,
}

/// The solution at one α.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LassoFit {
    /// The penalty α.
    pub alpha: f64,
    /// The coefficients w, d entries.
    pub coefficients: Vec<f64>,
    /// The constant; zero without an intercept.
    pub intercept: f64,
    /// The primal objective.
    pub objective: f64,
    /// The dual objective: (‖y‖² − ‖y − r‖²)/(2n) for ρ = 0, and 1/(2n)‖y‖² − 1/(2n)‖Xw‖² − ρ/2‖w‖² in general; for problems with rows see rows.rs.
    pub dual_objective: f64,
}

/// The parametric QP of the lasso, given H as a Gram matrix with the rows (X₁, …, X_d, −X₁, …, −X_d), the d correlations Xᵀy in the scale of H, and the weight
/// of each coefficient in the penalty, d entries (one, or 1/sⱼ where xⱼ is in units of 1/sⱼ).
///
/// # Errors
/// The errors of [`ParametricQp`].
pub fn pose<S: Scalar>(hessian: Gram<S>, correlations: &[S], weights: &[S]) -> Result<ParametricQp<S>, AdapterError> {
    posed(hessian, correlations, weights, &[])
}

/// The same with further variables of no cost, given their lower bounds.
fn posed<S: Scalar>(
    hessian: Gram<S>,
    correlations: &[S],
    weights: &[S],
    further: &[S],
) -> Result<ParametricQp<S>, AdapterError> {
    let nothing = || further.iter().map(|_| S::zero());
    let both = correlations.iter().map(|g| -g.clone()).chain(correlations.iter().cloned()).chain(nothing());
    let cost = Affine::line(both.collect(), weights.iter().chain(weights).cloned().chain(nothing()).collect());
    let qp = ParametricQp::new(Arc::new(hessian), vec![Range::at_least(S::zero())], cost)?;
    let lower = vec![S::zero(); 2 * correlations.len()].into_iter().chain(further.iter().cloned());
    Ok(qp.lower(Affine::constant(lower.collect(), 1))?)
}

impl Lasso {
    /// The problem of X (n × d) and y (n values), with or without an intercept, and with the ridge penalty ρ ≥ 0.
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree, a response that is not finite, and a ρ that is negative or not finite.
    pub fn new(features: &Features, response: Vec<f64>, intercept: bool, ridge: f64) -> Result<Self, AdapterError> {
        if !(ridge.is_finite() && ridge >= 0.0) {
            let expected = "be a finite number that is not negative";
            return Err(AdapterError::Parameter { name: "ridge", value: ridge, expected });
        }
        Ok(Lasso { columns: Columns::new(features, response, intercept)?, intercept, ridge, rows: None })
    }

    fn correlations(&self) -> Vec<f64> {
        let n = self.columns.rows() as f64;
        self.columns.products(&self.columns.response).into_iter().map(|g| g / n).collect()
    }

    /// The least α beyond which w does not change any more: w = 0 there unless rows exclude that.
    pub fn largest_alpha(&self) -> f64 {
        self.rows.as_ref().map_or_else(|| self.largest_alone(), |rows| rows.settled)
    }

    /// The least α at which w = 0 without rows.
    fn largest_alone(&self) -> f64 {
        self.correlations().iter().zip(self.columns.scales()).fold(0.0, |m, (g, s)| (g * s).abs().max(m))
    }

    /// The parametric QP with θ = α ∈ [0, ∞). Its x is scaled: [`Lasso::fit`] gives the coefficients.
    ///
    /// # Errors
    /// The errors of [`ParametricQp`] and [`Gram`].
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.columns.rows() as f64;
        let weights: Vec<f64> = self.columns.scales().iter().map(|s| 1.0 / s).collect();
        let hessian = self.columns.gram(&[1.0, -1.0], 1.0 / n, self.ridge * n)?;
        let constant: &[f64] = if self.columns.has_constant() { &[f64::NEG_INFINITY] } else { &[] };
        self.with_rows_of(posed(hessian, &self.correlations(), &weights, constant)?)
    }

    /// The line from one α to another, with t = ±α.
    ///
    /// # Errors
    /// As [`Lasso::qp`], and an α that is negative or not finite.
    pub fn line(&self, from: f64, to: f64) -> Result<Line<f64>, AdapterError> {
        Ok(self.qp()?.line_about(&[0.0], &[from], &[to])?)
    }

    /// A start at α: the active set of w = 0 where that is the solution, otherwise [`Start::Anywhere`].
    pub fn start(&self, alpha: f64) -> Start<f64> {
        match self.rows.is_none() && alpha >= self.largest_alpha() {
            true => {
                let mut status = vec![Status::Lower; 2 * self.columns.count()];
                status.extend(self.columns.has_constant().then_some(Status::Free));
                Start::ActiveSet { status, y: None }
            }
            false => Start::Anywhere,
        }
    }

    /// The path from the largest α down to `to`.
    ///
    /// # Errors
    /// As [`Lasso::line`], and a path that could not be followed.
    pub fn path(&self, to: f64, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        let from = self.largest_alpha().max(to);
        let followed = trace(&self.line(from, to)?, &self.start(from), settings, &mut ());
        followed.map_err(|failure| self.named(failure.0))
    }

    /// The solution at α; `None` outside the path.
    pub fn at(&self, path: &Path<f64>, alpha: f64) -> Option<LassoFit> {
        Some(self.fit(alpha, &path.at_parameter(&[alpha])?))
    }

    /// The solution that a point of the path stands for, with the coefficients in the units of X and y. The point's x = S(w⁺, w⁻) has 2d entries and possibly a
    /// constant after them; what rounding leaves below zero counts as zero.
    pub fn fit(&self, alpha: f64, point: &Point<f64>) -> LassoFit {
        let (plus, minus) = point.x.split_at(self.columns.count().min(point.x.len()));
        let w: Vec<f64> = plus.iter().zip(minus).map(|(a, b)| a.max(0.0) - b.max(0.0)).collect();
        let mean = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>() / (2.0 * self.columns.rows() as f64);
        let rest = self.columns.residual(&w);
        let fitted: Vec<f64> = self.columns.response.iter().zip(&rest).map(|(y, r)| y - r).collect();
        let w = self.columns.in_own_units(&w);
        let ridge = self.ridge / 2.0 * w.iter().map(|w| w * w).sum::<f64>();
        let held = self.rows().map_or(0.0, |rows| rows.dual(&self.multipliers(point)));
        LassoFit {
            alpha,
            intercept: self.columns.intercept(&w),
            objective: mean(&rest) + ridge + alpha * w.iter().map(|w| w.abs()).sum::<f64>(),
            dual_objective: mean(&self.columns.response) - mean(&fitted) - ridge + held,
            coefficients: w,
        }
    }
}
