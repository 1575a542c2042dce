//! Linear quantile regression at several levels at once, with planes that do not cross at the rows, for every ℓ₁ penalty.
//!
//! *Primal* (Takeuchi and others 2006, "Nonparametric quantile estimation", JMLR 7; Bondell, Reich and Wang 2010, doi:10.1093/biomet/asq048; both without this
//! penalty. He 1997, doi:10.1080/00031305.1997.10473959, restricts the planes to a form in which they cannot cross), for levels τ₁ < … < τ_K, case weights vᵢ (one
//! unless given) and planes fₖ(x) = xᵀβₖ + bₖ:
//!
//! ```text
//! min over β, b   Σₖ Σᵢ vᵢ ρ(yᵢ − fₖ(xᵢ); τₖ) + λ Σₖ ‖βₖ‖₁     subject to   fₖ(xᵢ) ≤ fₖ₊₁(xᵢ)  for every row i with vᵢ > 0 and every k < K
//! ```
//!
//! Planes are linear: they do not cross anywhere in the convex hull of the rows.
//!
//! *Dual*: v ρ(r; τ) is the largest (a − (1 − τ)v) r over 0 ≤ a ≤ v. With these aₖᵢ, and multipliers μₖᵢ ≥ 0 of fₖ₊₁(xᵢ) − fₖ(xᵢ) ≥ 0, the Lagrangian is
//!
//! ```text
//! Σₖ (aₖ − (1 − τₖ)v)ᵀ(y − fₖ) + λ Σₖ ‖βₖ‖₁ − Σₖ μₖᵀ(fₖ₊₁ − fₖ)  =  Σₖ yᵀ(aₖ − (1 − τₖ)v) + Σₖ λ‖βₖ‖₁ − gₖᵀfₖ,      gₖ = aₖ − (1 − τₖ)v + μₖ₋₁ − μₖ,    μ₀ = μ_K = 0
//! ```
//!
//! Its minimum over β and b is finite where |Xⱼᵀgₖ| ≤ λ for every feature j and, if there is an intercept, 1ᵀgₖ = 0:
//!
//! ```text
//! max over a, μ   Σₖ yᵀ(aₖ − (1 − τₖ)v)     s.t.   |Xⱼᵀgₖ| ≤ λ,    1ᵀgₖ = 0,    0 ≤ aₖ ≤ v,    μₖ ≥ 0
//! ```
//!
//! *Map to the engine*: x = (a₁, …, a_K, μ₁, …, μ_{K−1}), H = 0, c = (−y, …, −y, 0), θ = λ, and for each plane the rows of quantile_regression/mod.rs, in the same units s:
//!
//! ```text
//! (1 − τₖ) X̃ⱼᵀv − λ/sⱼ  ≤  X̃ⱼᵀ(aₖ + μₖ₋₁ − μₖ)  ≤  (1 − τₖ) X̃ⱼᵀv + λ/sⱼ
//! ```
//!
//! With multipliers uₖ of the rows of plane k, z = −y − X̃uₖ for aₖ and z = X̃uₖ − X̃uₖ₊₁ for μₖ. The first vanishes where yᵢ = fₖ(xᵢ), so that βₖⱼ = −uₖⱼ/sⱼ; the second is then fₖ₊₁(xᵢ) − fₖ(xᵢ) ≥ 0, and
//! zero where μₖᵢ > 0. For K = 1 it is the program of linear quantile regression. The dual has K(d + 1) rows, the primal one for each yᵢ and each pair of neighbouring planes: a basis of the
//! dual is as small as the solution.
//!
//! A row of weight zero has boxes without width for a and for μ: it is ignored.
//!
//! *Ends*: without features the planes are the constants bₖ, quantiles of y, which do not cross: with μ = 0 they are a solution from the largest of the λ on that each level alone has. The path
//! begins above it (coefficients jump there) and goes down to λ = 0.

mod problem;

pub use problem::ENTRY;

use crate::constraints::multipliers;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::quantile_regression::{Coefficients, QuantileRegression};
use pathqp::hessian::{self, Rows};
use pathqp::{Affine, ParametricQp, Point, Range};
use std::sync::Arc;

/// Quantile planes at K levels on n rows with d features.
#[derive(Clone)]
pub struct QuantilePlanes {
    /// The problem of one plane.
    plane: QuantileRegression,
    /// τ, K rising numbers.
    levels: Vec<f64>,
}

impl QuantilePlanes {
    /// The problem of X (n × d), n responses and K rising levels. `weights` are case weights, which multiply the losses (one each by default).
    ///
    /// # Errors
    /// [`AdapterError::NoLevels`], [`AdapterError::Level`] and [`AdapterError::LevelOrder`] for levels that cannot be used, [`AdapterError::NoWeight`], and those of
    /// [`QuantileRegression::new`].
    pub fn new(
        features: Arc<Features>,
        responses: Vec<f64>,
        weights: Option<Vec<f64>>,
        levels: Vec<f64>,
        intercept: bool,
    ) -> Result<Self, AdapterError> {
        if levels.is_empty() {
            return Err(AdapterError::NoLevels);
        }
        if let Some(index) = levels.iter().position(|tau| !(*tau > 0.0 && *tau < 1.0)) {
            return Err(AdapterError::Level { index, value: levels[index] });
        }
        if let Some(index) = (1..levels.len()).find(|&k| levels[k] <= levels[k - 1]) {
            return Err(AdapterError::LevelOrder { index, value: levels[index], before: levels[index - 1] });
        }
        let plane = QuantileRegression::new(features, responses, weights, intercept, true)?;
        if plane.total() == 0.0 {
            return Err(AdapterError::NoWeight { rows: plane.responses().len() });
        }
        Ok(QuantilePlanes { plane, levels })
    }

    /// The problem of one plane: the data, and whether there is an intercept.
    pub fn plane(&self) -> &QuantileRegression {
        &self.plane
    }

    /// The levels τ, K numbers between 0 and 1.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }

    /// "tau=0.1" for each level.
    pub fn labels(&self) -> Vec<String> {
        self.levels.iter().map(|tau| format!("tau={tau}")).collect()
    }

    /// A: for each plane the rows of its features and of its intercept, with entries for its own a and for the μ below and above it.
    fn rows(&self) -> Rows<f64> {
        let (n, m, count) = (self.plane.responses().len(), self.plane.m(), self.levels.len());
        let columns: Vec<Vec<f64>> = (0..n).map(|i| self.plane.column(i)).collect();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for (k, r) in (0..count).flat_map(|k| (0..m).map(move |r| (k, r))) {
            let below = k.checked_sub(1).map(|pair| (count + pair, 1.0));
            let above = (k + 1 < count).then_some((count + k, -1.0));
            for (block, sign) in [Some((k, 1.0)), below, above].into_iter().flatten() {
                for (i, column) in columns.iter().enumerate().filter(|(_, column)| column[r] != 0.0) {
                    indices.push((block * n + i) as u32);
                    values.push(sign * column[r]);
                }
            }
            starts.push(indices.len());
        }
        Rows::Sparse { columns: (2 * count - 1) * n, starts, indices, values }
    }

    /// The parametric linear program with θ = λ ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let (n, pairs) = (self.plane.responses().len(), self.levels.len() - 1);
        let (totals, shares) = (self.plane.totals(), self.plane.shares());
        let bound = |sign: f64| {
            let of_level = |tau: &f64| totals.iter().map(|t| (1.0 - tau) * t).collect::<Vec<f64>>();
            let slope = self.levels.iter().flat_map(|_| shares.iter().map(|share| sign * share)).collect();
            Affine::line(self.levels.iter().flat_map(of_level).collect(), slope)
        };
        let each = |of: &dyn Fn(usize) -> f64, times: usize| (0..times * n).map(|x| of(x % n)).collect::<Vec<f64>>();
        let (y, v) = (self.plane.responses(), self.plane.weights());
        let cost = [each(&|i| -y[i], pairs + 1), vec![0.0; pairs * n]].concat();
        let room = |i: usize| if v[i] > 0.0 { f64::INFINITY } else { 0.0 };
        let upper = [each(&|i| v[i], pairs + 1), each(&room, pairs)].concat();
        let domain = vec![Range::at_least(0.0)];
        let qp = ParametricQp::new(Arc::new(hessian::zero(cost.len())?), domain, Affine::constant(cost, 1))?;
        let qp = qp.lower(Affine::constant(vec![0.0; upper.len()], 1))?.upper(Affine::constant(upper, 1))?;
        Ok(qp.rows(self.rows(), bound(-1.0), bound(1.0))?)
    }

    /// a and μ of the planes without features, (2K − 1)·n entries.
    pub fn limit(&self) -> Vec<f64> {
        let mut x: Vec<f64> = self.levels.iter().flat_map(|tau| self.plane.limit(*tau)).collect();
        x.resize((2 * self.levels.len() - 1) * self.plane.responses().len(), 0.0);
        x
    }

    /// A λ from which on all coefficients are zero; if a is unique there, the least such λ.
    pub fn largest_lambda(&self) -> f64 {
        self.levels.iter().map(|tau| self.plane.largest_lambda(*tau)).fold(0.0, f64::max)
    }

    /// The K planes at a point, in the order of the levels.
    pub fn planes(&self, point: &Point<f64>) -> Vec<Coefficients> {
        let m = self.plane.m();
        let u = multipliers(point, self.levels.len() * m);
        (0..self.levels.len()).map(|k| self.plane.coefficients_of(&u[k * m..(k + 1) * m])).collect()
    }

    /// The mean pinball losses of K planes, weighted by the case weights: their sum over the levels.
    pub fn loss(&self, planes: &[Coefficients]) -> f64 {
        self.levels.iter().zip(planes).map(|(tau, plane)| self.plane.loss(*tau, plane)).sum()
    }

    /// Σₖ ‖βₖ‖₁ of K planes, divided by the sum of the case weights as the losses are.
    pub fn norm(&self, planes: &[Coefficients]) -> f64 {
        planes.iter().flat_map(|plane| &plane.w).map(|w| w.abs()).sum::<f64>() / self.plane.total()
    }
}
