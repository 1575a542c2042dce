//! An experiment on the value of building the whole ROC curve for a single point of it (Bach, Heckerman and Horvitz 2006, §4.3).
//!
//! For a testing asymmetry γ an error costs C₊ = 2γ on a positive row and C₋ = 2(1 − γ) on a negative one. Three classifiers are compared, all of them on the
//! line C₊ + C₋ = S:
//!
//! - *one*: trained with the asymmetry γ;
//! - *int*: the same model with the intercept that costs least;
//! - *all*: the training asymmetry and the intercept that cost least.
//!
//! The cheapest ones are found by cross-validation within the training rows of each outer fold. "int" and "all" are used only where they are significantly
//! cheaper than "one" on the inner folds (one-tailed Wilcoxon signed-rank test); otherwise "one" takes their place. The test rows of the outer folds then
//! decide.
//!
//! Choices where the paper does not specify them: S is one number for the whole experiment (the costs above have the sum 2); the intercept is chosen as a shift
//! of the trained one; among choices of equal cost the one with the fewest false positives is taken; with "all" the training asymmetry is any number between 0
//! and 1, not one of a thousand.

use super::curve::{Best, Choice};
use super::explore::{assign, constant_sum, cross_validation, split};
use super::line::{Fold, Followed};
use super::recount::Counts;
use super::wilcoxon::p_value;
use crate::cost_svm::CostSvm;
use crate::error::AdapterError;
use crate::side_by_side::side_by_side;
use pathqp::Settings;
use std::num::NonZero;
use std::thread;

/// The size of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// The number of folds, outer and inner.
    pub folds: usize,
    /// The number of testing asymmetries, evenly spaced between 0 and 1.
    pub asymmetries: usize,
    /// The sum S = C₊ + C₋ of the training costs.
    pub sum: f64,
    /// The significance level of the tests.
    pub level: f64,
    /// The seed for the assignment of rows to folds.
    pub seed: u64,
}

impl Default for Design {
    /// The paper's.
    fn default() -> Self {
        Design { folds: 10, asymmetries: 1000, sum: 2.0, level: 0.05, seed: 1 }
    }
}

impl Design {
    /// The testing asymmetries, strictly between 0 and 1.
    pub fn gammas(&self) -> Vec<f64> {
        (1..=self.asymmetries).map(|k| k as f64 / (self.asymmetries + 1) as f64).collect()
    }
}

/// A row of Table 1 of the paper: the percentages of the testing asymmetries at which the first classifier costs significantly more than the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Shares {
    /// "one" costs more than "all".
    pub one_all: f64,
    /// "all" costs more than "one".
    pub all_one: f64,
    /// "int" costs more than "all".
    pub int_all: f64,
    /// "all" costs more than "int".
    pub all_int: f64,
    /// "one" costs more than "int".
    pub one_int: f64,
    /// "int" costs more than "one".
    pub int_one: f64,
}

/// A mean and a standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation.
    pub deviation: f64,
}

/// A row of Table 2 of the paper: costs times 100 on all outer folds but the first, with the asymmetries chosen on the first.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Mismatch {
    /// The testing asymmetry at which "one" and "all" differ most on the first fold.
    pub gamma_test: f64,
    /// The cost of "one".
    pub one: Spread,
    /// The cost of "int".
    pub int: Spread,
    /// The cost of "all".
    pub all: Spread,
    /// The training asymmetry of "all".
    pub gamma_train: f64,
}

/// The results of the experiment.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// The row of Table 1.
    pub shares: Shares,
    /// The row of Table 2.
    pub mismatch: Mismatch,
    /// The percentages of outer folds and asymmetries in which "int" and "all" were significantly cheaper on the inner folds.
    pub kept: [f64; 2],
    /// The mean costs times 100 of "one", "int" and "all" over all asymmetries and outer folds.
    pub mean_cost: [f64; 3],
}

/// One outer fold, for every γ.
struct Outer {
    /// The classifiers "one", "int", "all".
    chosen: Vec<[Choice; 3]>,
    /// Their costs on the test rows.
    costs: Vec<[f64; 3]>,
}

/// Runs the experiment. The outer folds run on several threads; the result does not depend on their number.
///
/// # Errors
/// [`AdapterError`] for folds that cannot be made, what the SVM and its paths refuse, and a fold with a single class.
pub fn run(svm: &CostSvm, design: &Design, settings: &Settings) -> Result<Outcome, AdapterError> {
    let svm = &svm.counted()?;
    let fold = assign(svm.labels(), design.folds, design.seed)?;
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(design.folds);
    let outer = side_by_side(workers, (0..design.folds).collect(), |k| outer(svm, &fold, k, design, settings));
    let outer = outer.into_iter().collect::<Result<Vec<Outer>, AdapterError>>()?;
    Ok(Outcome {
        shares: shares(&outer, design),
        mismatch: mismatch(svm, &fold, &outer, design, settings)?,
        kept: [1, 2].map(|which| {
            let kept = outer.iter().flat_map(|o| &o.chosen).filter(|chosen| chosen[which] != chosen[0]).count();
            100.0 * kept as f64 / (design.asymmetries * design.folds) as f64
        }),
        mean_cost: [0, 1, 2].map(|which| {
            let total: f64 = outer.iter().flat_map(|o| &o.costs).map(|costs| costs[which]).sum();
            100.0 * total / (design.asymmetries * design.folds) as f64
        }),
    })
}

/// Chooses the classifiers on the training rows of an outer fold, and has them judged by its test rows.
fn outer(svm: &CostSvm, fold: &[usize], k: usize, design: &Design, settings: &Settings) -> Result<Outer, AdapterError> {
    let (train, test) = split(svm, fold, k)?;
    let chosen = choose(&train, design, settings, design.seed.wrapping_add(1 + k as u64))?;
    let test = [test];
    let followed = constant_sum(0, &test, design.sum, settings)?;
    let costs = costs(&followed, &test, &chosen, &design.gammas())?;
    let costs = costs.iter().map(|costs| [0, 1, 2].map(|which: usize| costs[which].iter().sum())).collect();
    Ok(Outer { chosen, costs })
}

/// "one", "int" and "all" for every γ, by cross-validation inside the training rows.
fn choose(train: &CostSvm, design: &Design, settings: &Settings, seed: u64) -> Result<Vec<[Choice; 3]>, AdapterError> {
    let inner = cross_validation(train, design.folds, seed)?;
    let followed = constant_sum(0, &inner, design.sum, settings)?;
    let gammas = design.gammas();
    let (all, _) = followed.with_all_thresholds()?;
    let mut wanted: Vec<[Choice; 3]> = Vec::with_capacity(gammas.len());
    let positions: Vec<f64> = gammas.iter().map(|gamma| followed.settle(gamma * design.sum)).collect();
    let labels = super::line::labels(&inner);
    for ((gamma, t), scored) in gammas.iter().zip(&positions).zip(followed.scores(&positions)?) {
        let one = Choice { line: 0, t: *t, shift: 0.0 };
        let mut thresholds = Best::new(followed.totals());
        let curve = super::sweep::ordinary(&scored.f, &labels, &scored.noise, (0, *t));
        curve.into_iter().for_each(|point| thresholds.offer(point, 0.0));
        let least = |best: &Best| best.least_cost(*gamma).map_or(one, |point| point.choice);
        wanted.push([one, least(&thresholds), least(&all)]);
    }
    let judged = costs(&followed, &inner, &wanted, &gammas)?;
    for (choices, costs) in wanted.iter_mut().zip(judged) {
        for which in [1, 2] {
            if p_value(&costs[0], &costs[which]) > design.level {
                choices[which] = choices[0];
            }
        }
    }
    Ok(wanted)
}

/// The costs in each fold of "one", "int" and "all" for each γ, from what their classifiers do.
fn costs(
    followed: &Followed<'_>,
    folds: &[Fold],
    chosen: &[[Choice; 3]],
    gammas: &[f64],
) -> Result<Vec<[Vec<f64>; 3]>, AdapterError> {
    let cost = |(fold, counts): (&Fold, &Counts), gamma: f64| {
        let positives = fold.labels.iter().filter(|y| **y > 0.0).count();
        let (misses, alarms) = ((positives - counts.true_positives) as f64, counts.false_positives as f64);
        (2.0 * gamma * misses + 2.0 * (1.0 - gamma) * alarms) / fold.labels.len() as f64
    };
    let counted = followed.recount(&chosen.concat())?;
    let of_three = |(counts, gamma): (&[Vec<Counts>], &f64)| {
        [0, 1, 2].map(|which: usize| folds.iter().zip(&counts[which]).map(|fold| cost(fold, *gamma)).collect())
    };
    Ok(counted.chunks_exact(3).zip(gammas).map(of_three).collect())
}

fn shares(outer: &[Outer], design: &Design) -> Shares {
    let share = |a: usize, b: usize| {
        let costs =
            |which: usize, k: usize| outer.iter().filter_map(|o| Some(o.costs.get(k)?[which])).collect::<Vec<f64>>();
        let is_significant = |k: &usize| p_value(&costs(a, *k), &costs(b, *k)) <= design.level;
        100.0 * (0..design.asymmetries).filter(is_significant).count() as f64 / design.asymmetries as f64
    };
    Shares {
        one_all: share(0, 2),
        all_one: share(2, 0),
        int_all: share(1, 2),
        all_int: share(2, 1),
        one_int: share(0, 1),
        int_one: share(1, 0),
    }
}

/// The γ with the largest difference on the first fold, and what its choices cost on the others.
fn mismatch(
    svm: &CostSvm,
    fold: &[usize],
    outer: &[Outer],
    design: &Design,
    settings: &Settings,
) -> Result<Mismatch, AdapterError> {
    let unposed = || AdapterError::Parameter { name: "asymmetries", value: 0.0, expected: "be at least one" };
    let first = outer.first().ok_or_else(unposed)?;
    let gained = |costs: &[f64; 3]| costs[0] - costs[2];
    let mut largest = 0;
    for (k, costs) in first.costs.iter().enumerate() {
        if gained(costs) > gained(&first.costs[largest]) {
            largest = k;
        }
    }
    let gamma = *design.gammas().get(largest).ok_or_else(unposed)?;
    let chosen = first.chosen[largest];
    let mut judged: [Vec<f64>; 3] = Default::default();
    for k in 1..design.folds {
        let test = [split(svm, fold, k)?.1];
        let followed = constant_sum(0, &test, design.sum, settings)?;
        for costs in costs(&followed, &test, &[chosen], &[gamma])? {
            judged.iter_mut().zip(costs).for_each(|(judged, costs)| judged.extend(costs));
        }
    }
    let [one, int, all] = judged.map(|costs| spread(&costs));
    Ok(Mismatch { gamma_test: gamma, one, int, all, gamma_train: chosen[2].t / design.sum })
}

/// Of costs times 100.
fn spread(costs: &[f64]) -> Spread {
    let n = costs.len() as f64;
    let mean = costs.iter().sum::<f64>() / n;
    let square: f64 = costs.iter().map(|c| (c - mean).powi(2)).sum();
    Spread { mean: 100.0 * mean, deviation: if n > 1.0 { 100.0 * (square / (n - 1.0)).sqrt() } else { 0.0 } }
}
