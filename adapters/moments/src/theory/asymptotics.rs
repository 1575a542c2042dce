//! The limit of training asymmetry γ → 0: Propositions 1 to 4 of Bach, Heckerman and Horvitz (2006), derived anew.
//!
//! **Proposition 1, square loss.** Equating powers of ρ = (p₊/p₋)γ + O(γ²) in the system (Σ₋ + ρΣ₊ + ρ/(1 + ρ) mmᵀ)w = 2ρ/(1 + ρ) m ([`super::square`],
//! times 1 + ρ) gives
//!
//! ```text
//! w = 2ρ a + O(ρ²),      b = (ρ − 1)/(ρ + 1) − (ρμ₊ + μ₋)ᵀw/(1 + ρ) = −1 + ρ(2 − 2μ₋ᵀa) + O(ρ²),      a = Σ₋⁻¹m
//! ```
//!
//! (the paper prints μ₋ᵀm for μ₋ᵀΣ₋⁻¹m in its §4.1, and the correct expression in its App. A.1).
//!
//! **Proposition 2, erf loss.** The condition for b, ρ Σπ₊ᵢψ(−t₊ᵢ) = Σπ₋ᵢψ(t₋ᵢ) with t as in [`super::erf`], sends t₋ to −∞, so that ψ(t) ~ ψ′(t)/|t| there, and t₊ to −∞ as well (b → −∞, w → 0).
//! Dividing the condition for w by it, with ξᵢ the share of component i in Σπ₋ᵢψ(t₋ᵢ),
//!
//! ```text
//! Σξᵢμ₋ᵢ − μ₊ = Σξᵢ t₋ᵢΣ₋ᵢw,      bw → θ = −Σ̃⁻¹(μ₊ − μ̃),      μ̃ = Σξᵢμ₋ᵢ,   Σ̃ = ΣξᵢΣ₋ᵢ
//! t₋ᵢ² − b² → 2μ₋ᵢᵀθ − θᵀΣ₋ᵢθ,    so    ξᵢ ∝ π₋ᵢ exp(−μ₋ᵢᵀθ + ½θᵀΣ₋ᵢθ)
//! w ~ (2 log(1/γ))^(−½) a,         b ~ −(2 log(1/γ))^½,                       a = Σ̃⁻¹(μ₊ − μ̃)
//! ```
//!
//! With the means taken relative to μ₊ the two conditions on (θ, ξ) are those of the minimum of the convex function
//!
//! ```text
//! H(ξ) = Σξᵢ log(ξᵢ/π₋ᵢ) + ½ μ̃ᵀΣ̃⁻¹μ̃      on ξ ≥ 0, Σξᵢ = 1
//! ∂H/∂ξᵢ = log(ξᵢ/π₋ᵢ) + 1 − (−μ₋ᵢᵀθ + ½θᵀΣ₋ᵢθ),      ∂²H/∂ξᵢ∂ξⱼ = δᵢⱼ/ξᵢ + gᵢᵀΣ̃⁻¹gⱼ,      gᵢ = μ₋ᵢ − Σ₋ᵢθ,  θ = Σ̃⁻¹μ̃
//! ```
//!
//! (an entropy plus a matrix-fractional function), which is found by Newton's method on the simplex.
//!
//! **Propositions 3 and 4.** In both cases w/b ~ −c a, with c = 2(p₊/p₋)γ for the square and c = 1/(2 log(1/γ)) for the erf loss. So t of a component ([`super::roc`]; there is no 1 under the root) is
//! −1/(c√(aᵀΣᵢa)) to leading order, and each of u′ and v′ is a sum of terms exp(−1/(2c² aᵀΣᵢa)), in which the component with the *smallest* 1/(aᵀΣᵢa) prevails:
//!
//! ```text
//! log(v′/u′) = log( (p₋/p₊)(1/β − 1) ) ~ A/(2c²),      A = min₋ 1/(aᵀΣ₋ᵢa) − min₊ 1/(aᵀΣ₊ᵢa)
//! square   A/(2c²) = A p₋²/(8p₊²γ²)                     erf   Ã/(2c²) = 2Ã log²(1/γ)
//! ```
//!
//! *Two departures from the paper.* It has max in place of min, which selects the component that vanishes first; with one component in each class there is no
//! difference. And its Proposition 4 has 2Ã log(1/γ) without the square, which does not follow from its own c. Both corrections are confirmed by the exact
//! values (docs/experiments/theory.md, and the tests).
//!
//! A < 0 sends β to 1, though γ goes to 0: extreme training asymmetries give classifiers worse than trivial ones. A > 0 sends β to 0 faster than γ. Either way a less extreme training asymmetry than the testing one is best.

use super::mixture::{TheoryError, form, solve, times};
use super::{Loss, Model};
use crate::dot;
use faer::Mat;
use serde::Serialize;

/// The constants of the expansions for one loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asymptotics {
    /// The loss.
    pub loss: Loss,
    /// A for the square loss, Ã for the erf loss.
    pub a: f64,
    /// The direction a of w, length d.
    pub direction: Vec<f64>,
    /// ξ of the erf loss, one entry for each component of the negative class; for the square loss the weights of the components.
    pub xi: Vec<f64>,
    /// p₊.
    #[serde(skip)]
    prior: f64,
    /// 2 − 2μ₋ᵀa.
    #[serde(skip)]
    intercept: f64,
}

/// The leading terms at one training asymmetry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Expansion {
    /// Of w, length d.
    pub w: Vec<f64>,
    /// Of b.
    pub b: f64,
    /// Of log(v′/u′).
    pub log_slope: f64,
}

impl Asymptotics {
    /// The constants of `model`.
    ///
    /// # Errors
    /// [`TheoryError::NotSolved`] when a system cannot be solved to rounding.
    pub fn new(model: &Model, loss: Loss) -> Result<Self, TheoryError> {
        let failed = || TheoryError::NotSolved { gamma: 0.0 };
        let negative = model.negative();
        let (direction, xi) = match loss {
            Loss::Square => {
                let direction = solve(&negative.covariance(), &model.difference()).ok_or_else(failed)?;
                (direction, negative.weights.clone())
            }
            Loss::Erf => {
                let centre = model.positive().mean();
                let xi = mixing(model, &centre).ok_or_else(failed)?;
                let theta = Tilted::at(model, &centre, &xi).ok_or_else(failed)?.theta;
                (theta.iter().map(|v| -v).collect(), xi)
            }
        };
        let least = |class: &super::Mixture| {
            let precision = class.parts().map(|(_, _, covariance)| 1.0 / form(covariance, &direction));
            precision.fold(f64::INFINITY, f64::min)
        };
        let a = least(negative) - least(model.positive());
        let intercept = 2.0 - 2.0 * dot(&negative.mean(), &direction);
        Ok(Asymptotics { loss, a, direction, xi, prior: model.prior(), intercept })
    }

    /// The leading terms at γ ∈ (0, 1). For the square loss w and b have errors O(γ²); for the erf loss both have relative errors o(1); so has log(v′/u′) for
    /// either loss.
    pub fn expansion(&self, gamma: f64) -> Expansion {
        let odds = self.prior / (1.0 - self.prior);
        let long = 2.0 * -gamma.ln();
        let (scale, b, c) = match self.loss {
            Loss::Square => (2.0 * odds * gamma, -1.0 + odds * gamma * self.intercept, 2.0 * odds * gamma),
            Loss::Erf => (long.sqrt().recip(), -long.sqrt(), long.recip()),
        };
        Expansion { w: self.direction.iter().map(|v| scale * v).collect(), b, log_slope: self.a / (2.0 * c * c) }
    }

    /// A sentence on the regime, by the sign of A.
    pub fn regime(&self) -> &'static str {
        match self.a.partial_cmp(&0.0) {
            Some(std::cmp::Ordering::Less) => {
                "A < 0: beta goes to 1 as gamma goes to 0; extreme classifiers are worse than trivial ones"
            }
            Some(std::cmp::Ordering::Greater) => "A > 0: beta goes to 0 faster than gamma",
            _ => "A = 0: the expansion does not tell",
        }
    }
}

/// θ and what H is made of, at one ξ; means relative to `centre`.
struct Tilted {
    theta: Vec<f64>,
    sigma: Mat<f64>,
    /// gᵢ = μᵢ − Σᵢθ.
    pull: Vec<Vec<f64>>,
    /// −μᵢᵀθ + ½θᵀΣᵢθ.
    tilt: Vec<f64>,
    value: f64,
}

impl Tilted {
    fn at(model: &Model, centre: &[f64], xi: &[f64]) -> Option<Tilted> {
        let d = centre.len();
        let (mut sigma, mut mean) = (Mat::zeros(d, d), vec![0.0; d]);
        let away = |own: &[f64]| own.iter().zip(centre).map(|(m, c)| m - c).collect::<Vec<f64>>();
        for (x, (_, own, covariance)) in xi.iter().zip(model.negative().parts()) {
            sigma += Mat::from_fn(d, d, |i, j| x * covariance[(i, j)]);
            mean.iter_mut().zip(away(own)).for_each(|(m, v)| *m += x * v);
        }
        let theta = solve(&sigma, &mean)?;
        let mut value = 0.5 * dot(&mean, &theta);
        let (mut pull, mut tilt) = (Vec::new(), Vec::new());
        for (x, (weight, own, covariance)) in xi.iter().zip(model.negative().parts()) {
            let (own, turned) = (away(own), times(covariance, &theta));
            tilt.push(0.5 * dot(&turned, &theta) - dot(&own, &theta));
            pull.push(own.iter().zip(&turned).map(|(m, s)| m - s).collect());
            value += x * (x / weight).ln();
        }
        Some(Tilted { theta, sigma, pull, tilt, value })
    }
}

/// ξ: Newton's method for min H on the simplex, started at π₋; a step goes at most to 0.9 of the way to the boundary.
///
/// The step s solves Ks + ν1 = −∇H, 1ᵀs = 0 with K = diag(1/ξ) + GᵀΣ̃⁻¹G, by elimination: s = −K⁻¹∇H − νK⁻¹1.
fn mixing(model: &Model, centre: &[f64]) -> Option<Vec<f64>> {
    const STEPS: usize = 200;
    let weights = &model.negative().weights;
    let k = weights.len();
    let mut xi = weights.clone();
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        let tilted = Tilted::at(model, centre, &xi)?;
        let gradient: Vec<f64> = (0..k).map(|i| (xi[i] / weights[i]).ln() + 1.0 - tilted.tilt[i]).collect();
        let solved: Vec<Vec<f64>> = tilted.pull.iter().map(|g| solve(&tilted.sigma, g)).collect::<Option<_>>()?;
        let kernel =
            Mat::from_fn(k, k, |i, j| dot(&tilted.pull[i], &solved[j]) + if i == j { 1.0 / xi[i] } else { 0.0 });
        let (along, ones) = (solve(&kernel, &gradient)?, solve(&kernel, &vec![1.0; k])?);
        let nu = -along.iter().sum::<f64>() / ones.iter().sum::<f64>();
        let step: Vec<f64> = along.iter().zip(&ones).map(|(a, o)| -a - nu * o).collect();
        let decrement = -dot(&step, &gradient);
        if decrement.abs() < 1e-10 && decrement >= last || decrement == 0.0 {
            return Some(xi);
        }
        last = decrement;
        let most = xi.iter().zip(&step).filter(|(_, s)| **s < 0.0).map(|(x, s)| -0.9 * x / s).fold(1.0, f64::min);
        let moved = |t: f64| xi.iter().zip(&step).map(|(x, s)| x + t * s).collect::<Vec<f64>>();
        let mut t = most;
        while decrement > 1e-10 && Tilted::at(model, centre, &moved(t))?.value > tilted.value - 0.1 * t * decrement {
            t /= 2.0;
            if t < 1e-12 {
                return None;
            }
        }
        xi = moved(t);
    }
    None
}
