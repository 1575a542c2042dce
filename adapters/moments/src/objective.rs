//! The two objectives, their gradients and their products with the Hessian.
//!
//! Both are sums of terms F = p φ(sg) with p > 0, s = ±1 and g(w) = μᵀw / √(wᵀΣw):
//!
//! | objective | p | s | μ | Σ |
//! |---|---|---|---|---|
//! | zero-one, errors of the class +1: P(Z₊ ≤ 0) = φ(−g) | p₊ | −1 | μ₊ | Σ₊ |
//! | zero-one, errors of the class −1: P(Z₋ > 0) = φ(g) | p₋ | +1 | μ₋ | Σ₋ |
//! | AUC: P(Z > 0) with Z = wᵀ(X₋ − X₊) | 1 | +1 | μ₋ − μ₊ | Σ₊ + Σ₋ − C − Cᵀ |
//!
//! *The sign of the AUC term.* Z has mean μᵀw and variance wᵀΣw, so P(Z > 0) = 1 − φ((0 − μᵀw)/σ) = φ(μᵀw/σ). Ghanbari, Li and Scheinberg (2019, eq. 3.8)
//! print 1 − φ(μᵀw/σ), the AUC itself; their (3.10) is its gradient, so that minimising it as printed would make the ranking as bad as can be.
//! C is the cross-covariance of a positive and a negative row. Rows are independent, so it is zero unless it is given (their recommendation as well).
//!
//! *Derivatives.* With σ = √(wᵀΣw), a = Σw/σ, and the density φ′(g) = exp(−g²/2)/√2π = φ′(−g), φ″(g) = −gφ′(g):
//!
//! ```text
//! ∇g    = μ/σ − (μᵀw/σ²) Σw/σ = (μ − g a)/σ
//! ∇²g v = ( −(aᵀv) μ − (μᵀv) a − g Σv + 3g (aᵀv) a ) / σ²
//! ∇F    = p s φ′(g) ∇g                                                                    (their 3.5)
//! ∇²F v = p s φ′(g) [ ∇²g v − g (∇gᵀv) ∇g ]                                              (s² φ″(sg) = −s g φ′(g))
//! ```
//!
//! The second line differentiates the first: ∂(1/σ)/∂w·v = −(aᵀv)/σ², ∂g·v = (μᵀv − g aᵀv)/σ, and ∂a·v = (Σv − (aᵀv) a)/σ, whence
//! ∂((μ − ga)/σ)·v = −(aᵀv)(μ − ga)/σ² − ((μᵀv − g aᵀv) a + g (Σv − (aᵀv) a))/σ². No power of σ above the second occurs, so neither
//! tiny nor huge features overflow.
//!
//! *No variance.* A score with σ = 0 is a single number, m = μᵀw, and the probabilities of the table are those of that number. As σ → 0 at fixed m ≠ 0 the term
//! tends to p times 0 or 1, with all its derivatives tending to zero. At m = 0 there is no limit (φ(−g) takes every value on the way), but P(Z₊ ≤ 0) = 1 and
//! P(Z₋ > 0) = 0: a row whose score is zero is classified as −1, as in [`super::empirical::error`]. For the AUC a tied pair counts as half. So a class all of
//! whose rows are equal contributes exactly the error on those rows, a step function of w that jumps where m changes its sign; see [`super::fit()`] for how it
//! is minimised.
//!
//! *Penalty.* λ(1 − ‖w‖²)² has gradient −4λ(1 − ‖w‖²) w and Hessian product −4λ(1 − ‖w‖²) v + 8λ (wᵀv) w.

use super::minimise::Smooth;
use super::{Class, Moments, MomentsError, dot};

/// The function of the moments that is minimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The share of misclassified rows.
    ZeroOne,
    /// The share of wrongly ordered pairs, 1 − AUC.
    Auc,
}

/// The standard normal distribution function, to full relative accuracy in the lower tail.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// The standard normal density.
pub fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() * 0.398_942_280_401_432_7
}

/// p φ(sg).
#[derive(Clone)]
struct Term<'m> {
    weight: f64,
    sign: f64,
    /// The probability where mean and deviation of the score are both zero.
    tied: f64,
    mean: Vec<f64>,
    /// Σ is the sum of their covariances, less C + Cᵀ; classes without variance are left out.
    classes: Vec<&'m Class>,
    /// C + Cᵀ, by rows.
    cross: Option<&'m [f64]>,
}

/// g at one w, with what its derivatives are made of.
struct At {
    sigma: f64,
    g: f64,
    /// Σw/σ.
    a: Vec<f64>,
}

impl Term<'_> {
    fn covariance_times(&self, w: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; w.len()];
        self.classes.iter().for_each(|class| class.add_times(w, &mut out));
        if let Some(cross) = self.cross {
            out.iter_mut().zip(cross.chunks(w.len())).for_each(|(o, row)| *o -= dot(row, w));
        }
        out
    }

    /// None where σ = 0.
    fn at(&self, w: &[f64]) -> Option<At> {
        let mut a = self.covariance_times(w);
        // Rounding may leave a negative variance; what is not a number stays so.
        let variance = dot(&a, w);
        let sigma = if variance < 0.0 { 0.0 } else { variance.sqrt() };
        let g = dot(&self.mean, w) / sigma;
        if sigma == 0.0 {
            return None;
        }
        a.iter_mut().for_each(|v| *v /= sigma);
        Some(At { sigma, g, a })
    }

    /// The value where σ = 0: the score is one number.
    fn without_variance(&self, w: &[f64]) -> f64 {
        let side = self.sign * dot(&self.mean, w);
        let certain = if side > 0.0 { 1.0 } else { 0.0 };
        self.weight * if side == 0.0 { self.tied } else { certain }
    }
}

/// F(w) + λ(1 − ‖w‖²)² for given moments.
pub struct MomentObjective<'m> {
    terms: Vec<Term<'m>>,
    lambda: f64,
    columns: usize,
}

impl<'m> MomentObjective<'m> {
    /// The objective of these moments; `lambda` is λ ≥ 0 (the paper uses 0.001).
    ///
    /// # Errors
    /// [`MomentsError::Lambda`].
    pub fn new(moments: &'m Moments, objective: Objective, lambda: f64) -> Result<Self, MomentsError> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(MomentsError::Lambda { value: lambda });
        }
        let Moments { prior, positive, negative } = moments;
        let term = |weight: f64, sign: f64, class: &'m Class| Term {
            weight,
            sign,
            tied: if sign < 0.0 { 1.0 } else { 0.0 },
            mean: class.mean.clone(),
            classes: varying([class]),
            cross: None,
        };
        let terms = match objective {
            Objective::ZeroOne => vec![term(*prior, -1.0, positive), term(1.0 - prior, 1.0, negative)],
            Objective::Auc => vec![Term {
                mean: negative.mean.iter().zip(&positive.mean).map(|(n, p)| n - p).collect(),
                classes: varying([positive, negative]),
                tied: 0.5,
                ..term(1.0, 1.0, positive)
            }],
        };
        Ok(MomentObjective { terms, lambda, columns: moments.columns() })
    }

    /// The AUC objective with a cross-covariance: `cross` holds C + Cᵀ, d × d by rows, where C is the covariance of the positive with the negative row of a
    /// pair.
    ///
    /// # Errors
    /// As [`MomentObjective::new`], and a shape or a Σ₊ + Σ₋ − C − Cᵀ that is not symmetric positive semidefinite.
    pub fn auc_with_cross(moments: &'m Moments, cross: &'m [f64], lambda: f64) -> Result<Self, MomentsError> {
        let mut objective = MomentObjective::new(moments, Objective::Auc, lambda)?;
        let d = objective.columns;
        if cross.len() != d * d {
            return Err(MomentsError::Shape { what: "entries of C + C'", expected: d * d, found: cross.len() });
        }
        for term in &mut objective.terms {
            term.cross = Some(cross);
            check_semidefinite(term, d)?;
        }
        Ok(objective)
    }

    /// The number of weights d.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Without the terms of classes that have no variance: what is left is smooth wherever the scores of the others vary.
    pub(super) fn where_it_varies(&self) -> MomentObjective<'m> {
        let terms = self.terms.iter().filter(|term| !term.classes.is_empty()).cloned().collect();
        MomentObjective { terms, ..*self }
    }

    /// Writes the product of the Hessian at w with v; all of length d.
    pub fn hessian_times(&self, w: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.lambda > 0.0 {
            let (rest, wv) = (1.0 - dot(w, w), dot(w, v));
            for ((o, w), v) in out.iter_mut().zip(w).zip(v) {
                *o = self.lambda * (8.0 * wv * w - 4.0 * rest * v);
            }
        }
        for term in &self.terms {
            let Some(At { sigma, g, a }) = term.at(w) else { continue };
            let sv = term.covariance_times(v);
            let (av, mv) = (dot(&a, v), dot(&term.mean, v));
            let slope = (mv - g * av) / sigma;
            let scale = term.weight * normal_density(g) / sigma;
            for (j, o) in out.iter_mut().enumerate() {
                let (m, a) = (term.mean[j], a[j]);
                let second = (-av * m - mv * a - g * sv[j] + 3.0 * g * av * a) / sigma;
                *o += scale * term.sign * (second - g * slope * (m - g * a));
            }
        }
    }

    /// The start (their §4): μ₊ less its part along μ₋, at length one. This is zero when the two are parallel (always, with one feature); then, and where the
    /// objective is constant near that point, the best of ±(μ₊ − μ₋), ±μ₊, ±μ₋ and the directions of the first 64 features, of either sign, is taken.
    pub fn start(&self, moments: &Moments) -> Vec<f64> {
        let (positive, negative) = (&moments.positive.mean, &moments.negative.mean);
        let along = dot(negative, positive) / dot(negative, negative);
        let along = if along.is_finite() { along } else { 0.0 };
        let first: Vec<f64> = positive.iter().zip(negative).map(|(p, n)| p - along * n).collect();
        let rounding = 16.0 * f64::EPSILON * norm(positive);
        if norm(&first) > rounding {
            let unit = unit(&first);
            if self.terms.iter().any(|term| term.at(&unit).is_some()) {
                return unit;
            }
        }
        let difference: Vec<f64> = positive.iter().zip(negative).map(|(p, n)| p - n).collect();
        let mut candidates: Vec<Vec<f64>> =
            [&difference, positive, negative].into_iter().filter(|v| norm(v) > 0.0).map(|v| unit(v)).collect();
        // With many features the directions of single ones are too many to try.
        const TRIED: usize = 64;
        candidates.extend((0..self.columns.min(TRIED)).map(|j| {
            let mut direction = vec![0.0; self.columns];
            direction[j] = 1.0;
            direction
        }));
        let mut gradient = vec![0.0; self.columns];
        let mut best = (f64::INFINITY, vec![0.0; self.columns]);
        for candidate in candidates {
            for sign in [1.0, -1.0] {
                let w: Vec<f64> = candidate.iter().map(|v| sign * v).collect();
                let value = self.evaluate(&w, &mut gradient);
                if value < best.0 {
                    best = (value, w);
                }
            }
        }
        best.1
    }
}

impl Smooth for MomentObjective<'_> {
    fn columns(&self) -> usize {
        self.columns
    }

    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = 0.0;
        // Without a penalty w may be so long that its square overflows.
        if self.lambda > 0.0 {
            let rest = 1.0 - dot(w, w);
            gradient.iter_mut().zip(w).for_each(|(o, w)| *o = -4.0 * self.lambda * rest * w);
            value = self.lambda * rest * rest;
        }
        for term in &self.terms {
            let Some(At { sigma, g, a }) = term.at(w) else {
                value += term.without_variance(w);
                continue;
            };
            value += term.weight * normal_cdf(term.sign * g);
            let scale = term.weight * term.sign * normal_density(g) / sigma;
            gradient.iter_mut().zip(term.mean.iter().zip(&a)).for_each(|(o, (m, a))| *o += scale * (m - g * a));
        }
        value
    }
}

/// Those that have a variance.
fn varying<const N: usize>(classes: [&Class; N]) -> Vec<&Class> {
    classes.into_iter().filter(|class| class.varies()).collect()
}

pub(super) fn norm(v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0_f64, |l, x| l.max(x.abs()));
    if largest > 0.0 { largest * v.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
}

/// v at length one; v must not be zero.
pub(super) fn unit(v: &[f64]) -> Vec<f64> {
    let length = norm(v);
    v.iter().map(|x| x / length).collect()
}

/// The variance must not be negative in any direction, up to rounding.
fn check_semidefinite(term: &Term<'_>, d: usize) -> Result<(), MomentsError> {
    let mut matrix = faer::Mat::zeros(d, d);
    for j in 0..d {
        let mut direction = vec![0.0; d];
        direction[j] = 1.0;
        term.covariance_times(&direction).into_iter().enumerate().for_each(|(i, v)| matrix[(i, j)] = v);
    }
    let what = "of the difference of a pair";
    let asymmetry = (0..d).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| matrix[(i, j)] - matrix[(j, i)]);
    let asymmetry = asymmetry.fold(0.0_f64, |l, x| l.max(x.abs()));
    let values = matrix.self_adjoint_eigenvalues(faer::Side::Lower).map_err(|_| MomentsError::Eigenvalues)?;
    let largest = values.iter().fold(0.0_f64, |l, x| l.max(x.abs()));
    let rounding = 64.0 * d as f64 * f64::EPSILON * largest;
    match values.iter().find(|v| **v < -rounding) {
        Some(value) => Err(MomentsError::Indefinite { what, value: *value }),
        None if asymmetry > rounding => Err(MomentsError::Indefinite { what, value: asymmetry }),
        None => Ok(()),
    }
}
