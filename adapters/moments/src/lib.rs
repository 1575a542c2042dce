//! Zero-one loss and AUC of a linear classifier as smooth functions of the classes' means and covariances.
//!
//! *Idea* (Ghanbari, Li and Scheinberg 2019, "Novel and efficient approximations for zero-one loss of linear
//! classifiers", arXiv:1903.00359). If wᵀx is
//! about normal in each class, with mean μ±ᵀw and variance wᵀΣ±w, then the share of errors and the share of wrongly
//! ordered pairs are
//!
//! ```text
//! zero-one   F(w) = p₊ φ(−μ₊ᵀw / √(wᵀΣ₊w)) + p₋ φ(μ₋ᵀw / √(wᵀΣ₋w))                    (their 3.3)
//! AUC        F(w) = φ((μ₋ − μ₊)ᵀw / √(wᵀ(Σ₊ + Σ₋)w))                                  (their 3.8, corrected)
//! ```
//!
//! with φ the standard normal distribution function. The data enter through their moments, which take one pass; the cost of an evaluation then does not depend
//! on the number of rows. Both functions depend on the direction of w only; the penalty λ(1 − ‖w‖²)² is added to keep ‖w‖ near one.
//!
//! ```text
//! rows ── Accumulator (mergeable) ──> Moments ── fit: MomentObjective, minimise ──> w
//!      └─ Moments::of (dense, or implicit for wide data) ──┘
//! ```
//!
//! [`comparators`] has the losses that the paper compares with: the logistic loss, the pairwise hinge loss and LDA. [`empirical`] has the error and the AUC of
//! given scores. [`theory`] treats classes whose distributions are known, with asymmetric costs.
//!
//! Nothing here is a quadratic program. From [`pathqp_adapters`] only the rows of a data set and L-BFGS are used; [`pathqp_adapters::guess::from_direction`]
//! turns a classifier into the start of a path.
#![deny(missing_docs)]

mod class;
pub mod comparators;
mod constant;
mod covariance;
pub mod empirical;
mod error;
mod fit;
pub mod minimise;
mod objective;
pub mod theory;

pub use class::ClassMoments;
pub use covariance::Covariance;
pub(crate) use covariance::dot;
pub use error::MomentsError;
pub use fit::{Fit, Route, fit};
pub use objective::{MomentObjective, Objective, normal_cdf, normal_density};

use pathqp_adapters::dataset::Features;
use std::sync::Arc;

/// The moments of one class.
#[derive(Clone, Debug)]
pub struct Class {
    /// The mean, length d; d includes the constant feature if there is one.
    pub mean: Vec<f64>,
    /// The covariance, d × d. Features beyond its size have variance zero.
    pub covariance: Covariance,
}

impl Class {
    /// Adds Σw to `out`, both of the length of the mean.
    pub fn add_times(&self, w: &[f64], out: &mut [f64]) {
        let d = self.covariance.columns().min(w.len());
        self.covariance.add_times(&w[..d], &mut out[..d]);
    }

    /// The variance of each feature, of the length of the mean.
    pub fn variances(&self) -> Vec<f64> {
        let mut variances = self.covariance.diagonal();
        variances.resize(self.mean.len(), 0.0);
        variances
    }

    /// Whether any feature varies: otherwise all rows of the class are equal, and all their scores are that of the mean.
    pub fn varies(&self) -> bool {
        self.variances().iter().any(|v| *v > 0.0)
    }
}

/// The moments of two classes.
#[derive(Clone, Debug)]
pub struct Moments {
    /// P(Y = +1).
    pub prior: f64,
    /// The class +1.
    pub positive: Class,
    /// The class −1.
    pub negative: Class,
}

impl Moments {
    /// Given moments: `prior` is the probability of the class +1.
    ///
    /// # Errors
    /// [`MomentsError`] for lengths that do not agree, a prior outside (0, 1), and means or variances that are not
    /// finite or negative.
    pub fn new(prior: f64, positive: Class, negative: Class) -> Result<Self, MomentsError> {
        if !(prior > 0.0 && prior < 1.0) {
            return Err(MomentsError::Prior { value: prior });
        }
        let moments = Moments { prior, positive, negative };
        moments.check()?;
        Ok(moments)
    }

    /// The moments of labelled rows (labels +1 or −1). Σ is formed if it has no more entries than the data, and is implicit otherwise: memory is proportional
    /// to the stored entries.
    ///
    /// # Errors
    /// A class without two rows, labels that are neither +1 nor −1, features that are all constant, moments that are
    /// not finite.
    pub fn of(features: &Arc<Features>, labels: &[f64]) -> Result<Self, MomentsError> {
        let stored = match features.as_ref() {
            Features::Dense { values, .. } | Features::Sparse { values, .. } => values.len(),
        };
        let d = features.columns();
        if d * (d + 1) / 2 > stored.max(d) {
            return Moments::implicit(features, labels);
        }
        let mut accumulator = Accumulator::new(d);
        accumulator.absorb(features, labels)?;
        accumulator.moments()
    }

    /// As [`Moments::of`], with Σ never formed.
    ///
    /// # Errors
    /// As [`Moments::of`].
    pub fn implicit(features: &Arc<Features>, labels: &[f64]) -> Result<Self, MomentsError> {
        let [negative, positive] = split(features, labels)?;
        let prior = positive.len() as f64 / labels.len() as f64;
        let class = |rows: Vec<usize>, class: f64| {
            if rows.len() < 2 {
                return Err(MomentsError::FewRows { class, rows: rows.len() as u64 });
            }
            let mean = mean(features, &rows);
            let covariance = Covariance::Implicit { features: features.clone(), rows, mean: mean.clone() };
            Ok(Class { mean, covariance })
        };
        Moments::new(prior, class(positive, 1.0)?, class(negative, -1.0)?)
    }

    /// The number of features d, including a constant one.
    pub fn columns(&self) -> usize {
        self.positive.mean.len()
    }

    /// The same with a constant feature added: mean `value`, variance zero.
    #[must_use]
    pub fn with_constant(mut self, value: f64) -> Self {
        self.positive.mean.push(value);
        self.negative.mean.push(value);
        self
    }

    fn check(&self) -> Result<(), MomentsError> {
        let d = self.columns();
        let lengths = [
            ("means of the class -1", self.negative.mean.len()),
            ("columns of the covariance of the class +1", self.positive.covariance.columns()),
            ("columns of the covariance of the class -1", self.negative.covariance.columns()),
        ];
        if let Some((what, found)) = lengths.into_iter().find(|(_, found)| *found != d) {
            return Err(MomentsError::Shape { what, expected: d, found });
        }
        let mut varies = self.positive.mean != self.negative.mean;
        for class in [&self.positive, &self.negative] {
            if let Covariance::Dense { columns, values } = &class.covariance
                && values.len() != columns * (columns + 1) / 2
            {
                let expected = columns * (columns + 1) / 2;
                return Err(MomentsError::Shape { what: "entries of a covariance", expected, found: values.len() });
            }
            let variances = class.covariance.diagonal();
            let finite = |what, values: &[f64]| match values.iter().position(|v| !v.is_finite()) {
                Some(column) => Err(MomentsError::NotFinite { what, column, value: values[column] }),
                None => Ok(()),
            };
            finite("mean", &class.mean)?;
            finite("variance", &variances)?;
            if let Some(value) = variances.iter().find(|v| **v < 0.0) {
                return Err(MomentsError::Indefinite { what: "of a class", value: *value });
            }
            varies |= variances.iter().any(|v| *v > 0.0);
        }
        if varies { Ok(()) } else { Err(MomentsError::Constant) }
    }
}

/// The moments of both classes, accumulated as rows arrive: in chunks, from several files, on several threads.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Accumulator {
    /// The class −1.
    pub negative: ClassMoments,
    /// The class +1.
    pub positive: ClassMoments,
}

impl Accumulator {
    /// Of no rows, with d columns; the number of columns grows when rows have more.
    pub fn new(columns: usize) -> Self {
        Accumulator { negative: ClassMoments::new(columns), positive: ClassMoments::new(columns) }
    }

    /// Adds rows with their labels, +1 or −1.
    ///
    /// # Errors
    /// A label that is neither, or not one label a row.
    pub fn absorb(&mut self, features: &Features, labels: &[f64]) -> Result<(), MomentsError> {
        let [negative, positive] = split(features, labels)?;
        self.negative.absorb(features, &negative);
        self.positive.absorb(features, &positive);
        Ok(())
    }

    /// Adds the rows of another accumulator, disjoint from those of this one.
    pub fn merge(&mut self, other: &Accumulator) {
        self.negative.merge(&other.negative);
        self.positive.merge(&other.positive);
    }

    /// The moments of all rows added.
    ///
    /// # Errors
    /// As [`Moments::of`].
    pub fn moments(mut self) -> Result<Moments, MomentsError> {
        let d = self.negative.columns().max(self.positive.columns());
        self.negative.merge(&ClassMoments::new(d));
        self.positive.merge(&ClassMoments::new(d));
        let prior = self.positive.count() as f64 / (self.positive.count() + self.negative.count()) as f64;
        let class = |seen: &ClassMoments, class: f64| {
            let values = seen.covariance().ok_or(MomentsError::FewRows { class, rows: seen.count() })?;
            Ok(Class { mean: seen.mean().to_vec(), covariance: Covariance::Dense { columns: d, values } })
        };
        Moments::new(prior, class(&self.positive, 1.0)?, class(&self.negative, -1.0)?)
    }
}

/// The rows of the classes −1 and +1.
fn split(features: &Features, labels: &[f64]) -> Result<[Vec<usize>; 2], MomentsError> {
    if labels.len() != features.rows() {
        return Err(MomentsError::Shape { what: "labels", expected: features.rows(), found: labels.len() });
    }
    if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
        return Err(MomentsError::Label { row, value: labels[row] });
    }
    let of = |sign: f64| (0..labels.len()).filter(|&i| labels[i] == sign).collect();
    Ok([of(-1.0), of(1.0)])
}

/// The mean of some rows, counted from the first of them (so that equal numbers have themselves as their mean) and
/// refined by the mean of the residuals.
fn mean(features: &Features, rows: &[usize]) -> Vec<f64> {
    let (n, d) = (rows.len() as f64, features.columns());
    let mut mean = vec![0.0; d];
    if let Some(&first) = rows.first() {
        features.row(first).for_each(|j, value| mean[j] = value);
    }
    for _ in 0..2 {
        let (mut residual, mut zeros) = (vec![0.0; d], vec![n; d]);
        for &i in rows {
            features.row(i).for_each(|j, value| {
                residual[j] += value - mean[j];
                zeros[j] -= 1.0;
            });
        }
        mean.iter_mut().zip(residual.iter().zip(&zeros)).for_each(|(m, (r, z))| *m += (r - *m * z) / n);
    }
    mean
}
