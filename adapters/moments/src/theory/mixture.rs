//! Mixtures of Gaussians.

use crate::dot;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

/// Errors in a pair of mixtures, or in a question about it. Components count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TheoryError {
    /// The prior must lie strictly between 0 and 1.
    #[error("prior = {value}: the probability of the class +1 must lie strictly between 0 and 1")]
    Prior {
        /// The value given.
        value: f64,
    },
    /// A class without components.
    #[error("the {class} class has no components; give it one or more")]
    NoComponents {
        /// positive or negative.
        class: &'static str,
    },
    /// A weight that is not positive.
    #[error("the {class} class, component {component}: the weight {value} must be positive")]
    Weight {
        /// positive or negative.
        class: &'static str,
        /// The component.
        component: usize,
        /// The weight.
        value: f64,
    },
    /// Weights that do not add up to one.
    #[error("the {class} class: the weights of the components add up to {sum}; they must add up to 1")]
    Weights {
        /// positive or negative.
        class: &'static str,
        /// Their sum.
        sum: f64,
    },
    /// Vectors or matrices of different sizes.
    #[error("the {class} class, component {component}: {found} {what}, {expected} expected")]
    Shape {
        /// positive or negative.
        class: &'static str,
        /// The component.
        component: usize,
        /// What has the wrong size.
        what: &'static str,
        /// The size of the first mean.
        expected: usize,
        /// The size found.
        found: usize,
    },
    /// A mean or a covariance that is not finite.
    #[error("the {class} class, component {component}: {value} in its {what}; it must be finite")]
    NotFinite {
        /// positive or negative.
        class: &'static str,
        /// The component.
        component: usize,
        /// Mean or covariance.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A covariance that is not symmetric.
    #[error("the {class} class, component {component}: the covariance has {} in row {row}, column {column} and {} in row {column}, column {row}; it must be symmetric", values.0, values.1)]
    Asymmetric {
        /// positive or negative.
        class: &'static str,
        /// The component.
        component: usize,
        /// A row, from 1.
        row: usize,
        /// A column, from 1.
        column: usize,
        /// The two entries.
        values: (f64, f64),
    },
    /// A covariance that is not positive definite.
    #[error(
        "the {class} class, component {component}: the covariance is not positive definite; every direction needs a positive variance"
    )]
    NotPositiveDefinite {
        /// positive or negative.
        class: &'static str,
        /// The component.
        component: usize,
    },
    /// A training asymmetry outside its range.
    #[error("the training asymmetry {value} must lie strictly between 0 and 1, and not below 1e-290")]
    Asymmetry {
        /// The value.
        value: f64,
    },
    /// The minimisation did not converge.
    #[error("Newton's method did not converge at the training asymmetry {gamma}: rescale the features")]
    NotSolved {
        /// The asymmetry.
        gamma: f64,
    },
}

/// A Gaussian of a mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Component {
    /// Its probability within the class.
    #[serde(default = "one")]
    pub weight: f64,
    /// The mean, length d.
    pub mean: Vec<f64>,
    /// The covariance, d rows of d entries.
    pub covariance: Vec<Vec<f64>>,
}

fn one() -> f64 {
    1.0
}

/// One class, a mixture of Gaussians. Checked by [`Model::new`].
#[derive(Clone, Debug)]
pub struct Mixture {
    pub(super) weights: Vec<f64>,
    pub(super) means: Vec<Vec<f64>>,
    pub(super) covariances: Vec<Mat<f64>>,
}

impl Mixture {
    /// The number of components.
    pub fn components(&self) -> usize {
        self.weights.len()
    }

    /// The mean, and the covariance as (Σ₁₁, Σ₂₁, Σ₂₂), of each component of a mixture in the plane; empty in other dimensions.
    pub fn components_in_plane(&self) -> Vec<([f64; 2], [f64; 3])> {
        let parts = self.parts().filter_map(|(_, mean, c)| Some((<[f64; 2]>::try_from(mean).ok()?, c)));
        parts.map(|(mean, c)| (mean, [c[(0, 0)], c[(1, 0)], c[(1, 1)]])).collect()
    }

    /// The mean of the class, Σ πᵢμᵢ.
    pub fn mean(&self) -> Vec<f64> {
        let d = self.means[0].len();
        let mut mean = vec![0.0; d];
        for (weight, own) in self.weights.iter().zip(&self.means) {
            mean.iter_mut().zip(own).for_each(|(m, v)| *m += weight * v);
        }
        mean
    }

    /// The covariance of the class, Σ πᵢ(Σᵢ + (μᵢ − μ)(μᵢ − μ)ᵀ).
    pub(super) fn covariance(&self) -> Mat<f64> {
        let mean = self.mean();
        let mut sum = Mat::zeros(mean.len(), mean.len());
        for ((weight, own), covariance) in self.weights.iter().zip(&self.means).zip(&self.covariances) {
            let away: Vec<f64> = own.iter().zip(&mean).map(|(a, b)| a - b).collect();
            sum += Mat::from_fn(mean.len(), mean.len(), |i, j| weight * (covariance[(i, j)] + away[i] * away[j]));
        }
        sum
    }

    /// πᵢ, μᵢ, Σᵢ of every component.
    pub(super) fn parts(&self) -> impl Iterator<Item = (f64, &[f64], &Mat<f64>)> {
        let parts = self.weights.iter().zip(&self.means).zip(&self.covariances);
        parts.map(|((weight, mean), covariance)| (*weight, mean.as_slice(), covariance))
    }
}

/// Two classes with known distributions.
#[derive(Clone, Debug)]
pub struct Model {
    prior: f64,
    positive: Mixture,
    negative: Mixture,
}

impl Model {
    /// The class +1, of probability `prior` ∈ (0, 1), and the class −1.
    ///
    /// # Errors
    /// [`TheoryError`], which names class and component.
    pub fn new(prior: f64, positive: Vec<Component>, negative: Vec<Component>) -> Result<Self, TheoryError> {
        if !(prior > 0.0 && prior < 1.0) {
            return Err(TheoryError::Prior { value: prior });
        }
        let d = positive.first().or(negative.first()).map_or(0, |c| c.mean.len());
        Ok(Model { prior, positive: checked("positive", positive, d)?, negative: checked("negative", negative, d)? })
    }

    /// The number of features d.
    pub fn columns(&self) -> usize {
        self.positive.means[0].len()
    }

    /// The probability p₊ of the class +1.
    pub fn prior(&self) -> f64 {
        self.prior
    }

    /// The class +1.
    pub fn positive(&self) -> &Mixture {
        &self.positive
    }

    /// The class −1.
    pub fn negative(&self) -> &Mixture {
        &self.negative
    }

    /// The model with its classes exchanged: its γ corresponds to 1 − γ here.
    #[must_use]
    pub fn exchanged(&self) -> Model {
        Model { prior: 1.0 - self.prior, positive: self.negative.clone(), negative: self.positive.clone() }
    }

    /// m = μ₊ − μ₋.
    pub(super) fn difference(&self) -> Vec<f64> {
        self.positive.mean().iter().zip(self.negative.mean()).map(|(p, n)| p - n).collect()
    }
}

fn checked(class: &'static str, components: Vec<Component>, d: usize) -> Result<Mixture, TheoryError> {
    if components.is_empty() {
        return Err(TheoryError::NoComponents { class });
    }
    let sum: f64 = components.iter().map(|c| c.weight).sum();
    let mut mixture = Mixture { weights: Vec::new(), means: Vec::new(), covariances: Vec::new() };
    for (k, part) in components.into_iter().enumerate() {
        let component = k + 1;
        if !(part.weight > 0.0 && part.weight.is_finite()) {
            return Err(TheoryError::Weight { class, component, value: part.weight });
        }
        let expected = d.max(1);
        let shape = |what, found| match found == expected {
            true => Ok(()),
            false => Err(TheoryError::Shape { class, component, what, expected, found }),
        };
        shape("entries in its mean", part.mean.len())?;
        shape("rows in its covariance", part.covariance.len())?;
        for row in &part.covariance {
            shape("entries in a row of its covariance", row.len())?;
        }
        let finite = |what, values: &[f64]| match values.iter().find(|v| !v.is_finite()) {
            Some(&value) => Err(TheoryError::NotFinite { class, component, what, value }),
            None => Ok(()),
        };
        finite("mean", &part.mean)?;
        finite("covariance", &part.covariance.concat())?;
        let covariance = Mat::from_fn(d, d, |i, j| part.covariance[i][j]);
        for (i, j) in (0..d).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let values = (covariance[(i, j)], covariance[(j, i)]);
            let rounding = 1e-12 * (covariance[(i, i)] * covariance[(j, j)]).abs().sqrt();
            if (values.0 - values.1).abs() > rounding {
                return Err(TheoryError::Asymmetric { class, component, row: i + 1, column: j + 1, values });
            }
        }
        if positive_factor(&covariance).is_none() {
            return Err(TheoryError::NotPositiveDefinite { class, component });
        }
        mixture.weights.push(part.weight);
        mixture.means.push(part.mean);
        mixture.covariances.push(covariance);
    }
    if (sum - 1.0).abs() > 1e-9 {
        return Err(TheoryError::Weights { class, sum });
    }
    mixture.weights.iter_mut().for_each(|w| *w /= sum);
    Ok(mixture)
}

/// The Cholesky factor of a matrix whose pivots are positive beyond rounding, relative to the diagonal entry they come from.
pub(super) fn positive_factor(matrix: &Mat<f64>) -> Option<Llt<f64>> {
    let factor = matrix.llt(Side::Lower).ok()?;
    let d = matrix.nrows();
    let least = 4.0 * d as f64 * f64::EPSILON;
    let sound = (0..d).all(|i| factor.L()[(i, i)].powi(2) > least * matrix[(i, i)]);
    sound.then_some(factor)
}

/// The solution of a positive definite system.
pub(super) fn solve(matrix: &Mat<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let solution = positive_factor(matrix)?.solve(&Mat::from_fn(right.len(), 1, |i, _| right[i]));
    Some((0..right.len()).map(|i| solution[(i, 0)]).collect())
}

/// The product of a matrix with a vector.
pub(super) fn times(matrix: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    (0..matrix.nrows()).map(|i| (0..v.len()).map(|j| matrix[(i, j)] * v[j]).sum()).collect()
}

/// vᵀMv.
pub(super) fn form(matrix: &Mat<f64>, v: &[f64]) -> f64 {
    dot(&times(matrix, v), v)
}
