//! Training versus testing asymmetry for mixtures of Gaussians, in the limit of infinitely many rows.
//!
//! *Question* (Bach, Heckerman and Horvitz 2006, "Considering cost asymmetry in learning classifiers", JMLR 7:1713–1741, §4). A linear classifier f(x) = wᵀx + b is trained with a
//! convex loss ϕ and the training asymmetry γ ∈ (0, 1), the share of the cost of a false negative:
//!
//! ```text
//! minimise over (w, b)    γ p₊ E₊ϕ(f) + (1 − γ) p₋ E₋ϕ(−f)
//! ```
//!
//! The classifier is then used with the step function in place of ϕ. For which testing asymmetry β(γ) is it the best among all classifiers trained in this way,
//! for any γ? Both classes are mixtures of Gaussians, and ϕ is one of
//!
//! | loss | ϕ(u) | solution |
//! |---|---|---|
//! | square | (u − 1)²/2 | closed form |
//! | erf | E (Z − u)₊ with Z standard normal, which is uψ(u) − u + ψ′(u) | Newton's method |
//!
//! with ψ the standard normal distribution function. [`Model::solve`] gives (w, b) and its derivative, [`Solution::roc`] the point of the ROC curve with β, and
//! [`Asymptotics`] the limit γ → 0: the constants A and Ã whose sign decides between the regimes, and the expansions of Propositions 1 to 4. The other extreme,
//! γ → 1, is the limit γ → 0 of the model with its classes exchanged.

mod asymptotics;
mod erf;
mod mixture;
mod roc;
mod square;

pub use asymptotics::{Asymptotics, Expansion};
pub use mixture::{Component, Mixture, Model, TheoryError};
pub use roc::RocPoint;

use serde::{Deserialize, Serialize};

/// The training loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Loss {
    /// (u − 1)²/2.
    Square,
    /// uψ(u) − u + ψ′(u).
    Erf,
}

/// The least training asymmetry: below it the normal distribution function underflows in the optimality conditions. The largest is the largest double below 1.
pub const LEAST_ASYMMETRY: f64 = 1e-290;

/// The optimal classifier at one training asymmetry.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// γ.
    pub gamma: f64,
    /// The weights, length d.
    pub w: Vec<f64>,
    /// The intercept.
    pub b: f64,
    /// dw/dη with η = log(γ/(1 − γ)), length d.
    pub dw: Vec<f64>,
    /// db/dη.
    pub db: f64,
}

impl Model {
    /// The classifier that is optimal at the training asymmetry γ.
    ///
    /// # Errors
    /// [`TheoryError::Asymmetry`] for γ outside the open interval (0, 1) or below [`LEAST_ASYMMETRY`]; [`TheoryError::NotSolved`] when Newton's method does not converge.
    pub fn solve(&self, loss: Loss, gamma: f64) -> Result<Solution, TheoryError> {
        if !(LEAST_ASYMMETRY..1.0).contains(&gamma) {
            return Err(TheoryError::Asymmetry { value: gamma });
        }
        match loss {
            Loss::Square => square::solve(self, gamma),
            Loss::Erf => erf::solve(self, gamma),
        }
    }

    /// ρ = γp₊/((1 − γ)p₋), the ratio of the weights of the two classes.
    fn ratio(&self, gamma: f64) -> f64 {
        gamma / (1.0 - gamma) * (self.prior() / (1.0 - self.prior()))
    }
}
