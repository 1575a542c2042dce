//! The ROC point of a classifier, and the testing asymmetry for which it is optimal.
//!
//! f = wᵀx + b of a component N(μ, Σ) is positive with probability ψ(t), t = (μᵀw + b)/s, s² = wᵀΣw. With the classes' components
//!
//! ```text
//! u = Σ π₋ᵢ ψ(t₋ᵢ)   (false positives)        v = Σ π₊ᵢ ψ(t₊ᵢ)   (true positives)
//! t′ = (μᵀw′ + b′)/s − t (wᵀΣw′)/s²           u′ = Σ π₋ᵢ ψ′(t₋ᵢ) t₋ᵢ′,   v′ likewise
//! ```
//!
//! A cost p₊C₊(1 − v) + p₋C₋u is stationary along the curve where p₋C₋u′ = p₊C₊v′, so that the testing asymmetry is (Bach, Heckerman and Horvitz 2006, eq. 1)
//!
//! ```text
//! β = C₊/(C₊ + C₋) = 1 / (1 + (p₊/p₋) v′/u′)
//! ```
//!
//! At extreme asymmetries u′ and v′ underflow although their ratio is still well defined: they are summed with their largest exponent taken out, and log(v′/u′)
//! is returned.

use super::mixture::{Mixture, form, times};
use super::{Model, Solution};
use crate::{dot, normal_cdf};
use serde::Serialize;

/// A point of the ROC curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RocPoint {
    /// u, the share of negatives that are called positive.
    pub fpr: f64,
    /// v, the share of positives that are called positive.
    pub tpr: f64,
    /// log(v′/u′), the logarithm of the slope of the curve; none if the slope is not positive and finite, or if the classifier is constant.
    pub log_slope: Option<f64>,
    /// The testing asymmetry for which the classifier is stationary among those of other training asymmetries; none if `log_slope` is none.
    pub beta: Option<f64>,
}

impl Solution {
    /// The ROC point of this classifier under `model`.
    pub fn roc(&self, model: &Model) -> RocPoint {
        let [(fpr, below), (tpr, above)] = [model.negative(), model.positive()].map(|class| self.rate(class));
        let same_sign = below.sign * above.sign > 0.0;
        let log_slope = Some(above.log - below.log).filter(|l| same_sign && l.is_finite());
        let odds = (model.prior() / (1.0 - model.prior())).ln();
        // 1/(1 + exp(x)) from the side on which it does not cancel.
        let logistic = |x: f64| if x > 0.0 { (-x).exp() / (1.0 + (-x).exp()) } else { 1.0 / (1.0 + x.exp()) };
        RocPoint { fpr, tpr, log_slope, beta: log_slope.map(|l| logistic(odds + l)) }
    }

    /// The probability of f > 0 in a class, and its derivative.
    fn rate(&self, class: &Mixture) -> (f64, Signed) {
        let mut rate = 0.0;
        let mut terms = Vec::with_capacity(class.components());
        for (weight, mean, covariance) in class.parts() {
            let s2 = form(covariance, &self.w);
            let (s, centre) = (s2.sqrt(), dot(mean, &self.w) + self.b);
            if s == 0.0 {
                rate += if centre > 0.0 { weight } else { 0.0 };
                continue;
            }
            let t = centre / s;
            let turn = dot(&times(covariance, &self.w), &self.dw) / s2;
            let dt = (dot(mean, &self.dw) + self.db) / s - t * turn;
            rate += weight * normal_cdf(t);
            terms.push((weight * dt, -0.5 * t * t));
        }
        (rate, Signed::sum(&terms))
    }
}

/// A number by its sign and the logarithm of its size.
struct Signed {
    sign: f64,
    log: f64,
}

impl Signed {
    /// Σ a exp(e).
    fn sum(terms: &[(f64, f64)]) -> Signed {
        let largest = terms.iter().map(|term| term.1).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|(a, e)| a * (e - largest).exp()).sum();
        Signed { sign: if sum == 0.0 { 0.0 } else { sum.signum() }, log: sum.abs().ln() + largest }
    }
}
