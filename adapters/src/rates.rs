//! TPR, TNR, accuracy and AUC of a quantile SVM as exact functions of τ, and P(Y = 1|x), from one path.
//!
//! *Rates* (§6 and Figure 2 of Yu, Vishwanathan and Zhang 2009). The quantile classifier says +1 where P(Y = 1|x) > τ, that is, where f_τ(x) > 0; for f_τ(x) =
//! 0 it says −1, as for P(Y = 1|x) = τ. On a segment of the path α, w and the constant are affine in τ, and so is f_τ(x) for every x. With f and g its values
//! at the ends τ₀ < τ₁ of a segment the sign changes inside
//! when fg < 0, at
//!
//! ```text
//! τ = τ₀ + (τ₁ − τ₀) f / (f − g)
//! ```
//!
//! and nowhere else, except at a breakpoint at which the intercept jumps. Hence the rates are step functions of τ whose steps are known, and no grid is
//! involved.
//!
//! *Probability.* P = ∫₀¹ 1{P > τ} dτ, so P(Y = 1|x) is the measure of {τ : f_τ(x) > 0}. When the sign changes once,
//! from + to −, this is the τ at which it does.
//!
//! *Computation.* With U the indices at their upper bound and F the free ones,
//!
//! ```text
//! f_τ = (1/λ) [ Σ_U yᵢu⁰ᵢk(xᵢ,·) + t Σ_U yᵢu¹ᵢk(xᵢ,·) + Σ_F αᵢyᵢk(xᵢ,·) ] + constant
//! ```
//!
//! where u⁰ + t·u¹ is the upper bound at position t of the path. This holds for every classifier ([`crate::view::Classifier`]), and provides the scores of
//! `roc` as well. The two sums over U change by one term when an index enters or leaves U. They are kept in twice the working precision, so that their errors
//! do not depend on how often that happened. For a linear kernel k(xᵢ,·) stands for xᵢ, the sum is w, and a row is evaluated only where its sign can change: by
//! the Cauchy–Schwarz inequality |Δf(x)| ≤ ‖(x, 1)‖ · ‖Δ(w, constant)‖, so that after |f(x)| was computed the sign stays until (w, constant) has moved by
//! |f(x)| / ‖(x, 1)‖. With other kernels f is evaluated at all rows at the end of each segment, at the cost of |F| operations for each row.
//!
//! *Rounding.* |f_τ(x)| counts as zero up to a multiple of ε times the size of the terms it is made of, so that a row with f = 0 on an interval of τ does not
//! change its sign by rounding. These terms are Σ αᵢ|k(xᵢ, x)|/λ and the constant, and the terms that the constant was computed from. An intercept has the
//! value that puts a free row s on the margin,
//!
//! ```text
//! b = yₛ − (1/λ) Σ αᵢyᵢk(xᵢ, xₛ)
//! ```
//!
//! so that its error is the rounding of 1 + Σ αᵢ|k(xᵢ, xₛ)|/λ, however small the intercept itself is where these terms cancel. Among several free rows the one
//! with the smallest terms counts, because the solution puts all of them on the margin. Each sum is bounded by a product, Σ αᵢ√k(xᵢ, xᵢ)/λ times √k(x, x).
//! Along a path this takes almost no work: the first factor is known at each end of a segment, the second is one number for each row.

pub(crate) mod expansion;
mod kernels;
mod linear;
mod ranking;
mod scores;

pub use ranking::{AucCurve, auc_curve};

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::quantile_svm::QuantileSvm;
use crate::view::Classifier;
use pathqp::Path;

pub(crate) use expansion::Walk;
pub(crate) use scores::Scores;

/// |f| counts as zero up to this, relative to the size of the terms that make it up.
const NOISE: f64 = 256.0 * f64::EPSILON;

/// Changes of sign closer to each other than this, relative to where they are, are at the same place.
const SAME: f64 = 4096.0 * f64::EPSILON;

/// Memory for w at many τ, or for kernel values of the free indices: 32 MiB.
const BLOCK_BYTES: usize = 1 << 25;

/// TPR, TNR and accuracy on a test set as functions of τ; K pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct RateCurve {
    /// The ends of the pieces: K + 1 values, increasing; the first and the last are the ends of the path (equal, with K = 1, when the path is one point).
    pub tau: Vec<f64>,
    /// The share of positive rows with f > 0 on `(tau[k], tau[k + 1])`, K values; NaN when no row is positive.
    pub tpr: Vec<f64>,
    /// The share of negative rows with f ≤ 0 on `(tau[k], tau[k + 1])`, K values; NaN when no row is negative.
    pub tnr: Vec<f64>,
    /// The share of rows that are classified correctly on `(tau[k], tau[k + 1])`, K values; NaN without rows.
    pub accuracy: Vec<f64>,
}

/// P(Y = 1|x) at one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probability {
    /// With `[a, b]` the range of τ that the path covers: a plus the length of `{τ ∈ [a, b] : f_τ(x) > 0}`. This is the τ at which the sign changes from + to −
    /// if it does so once, b if f > 0 throughout, and a if f ≤ 0 throughout.
    pub tau: f64,
    /// How often f changes between f > 0 and f ≤ 0 inside the range. With more than one change no single τ separates the
    /// signs (without a bias a single change may also go from − to +: f_τ(−x) = −f_τ(x)).
    pub crossings: usize,
}

/// The rates on test rows (`rows`: m × d as in training, `labels`: m values +1 or −1) for every τ of the path, whichever way it was followed. An incomplete
/// path gives the part that it covers.
///
/// # Errors
/// [`AdapterError`] for shapes that do not agree with each other, the model or the path; a label that is neither +1 nor −1; and a path without segments
/// ([`AdapterError::NoSegments`]).
pub fn rate_curve(
    svm: &QuantileSvm,
    path: &Path<f64>,
    rows: &Features,
    labels: &[f64],
) -> Result<RateCurve, AdapterError> {
    check_labels(rows, labels)?;
    let (range, signs) = signs_by_tau(svm, path, rows)?;
    Ok(rate_steps(range, &signs, labels))
}

/// The rates on labelled rows along a path of any classifier. `tau` of the result contains positions t on the path instead of values of τ.
///
/// # Errors
/// As [`rate_curve`].
pub fn rates_by_position(
    classifier: Classifier<'_>,
    path: &Path<f64>,
    rows: &Features,
    labels: &[f64],
) -> Result<RateCurve, AdapterError> {
    check_labels(rows, labels)?;
    let walk = Walk::new(classifier, path)?;
    let (mut signs, range) = (signs(&walk, rows)?, [walk.t[0], *path.end()]);
    signs.iter_mut().for_each(|sign| sign.orient(false, range));
    Ok(rate_steps(range, &signs, labels))
}

/// The steps of the rates, from where f > 0 at each row.
fn rate_steps(range: [f64; 2], signs: &[Sign], labels: &[f64]) -> RateCurve {
    let positives = labels.iter().filter(|&&y| y > 0.0).count();
    let negatives = labels.len() - positives;
    // right[0] counts the negative rows that are classified rightly, right[1] the positive ones.
    let mut right = [0, 0];
    let mut steps: Vec<(f64, usize)> = Vec::new();
    for (row, sign) in signs.iter().enumerate() {
        right[usize::from(labels[row] > 0.0)] += usize::from(sign.first == (labels[row] > 0.0));
        steps.extend(sign.changes.iter().map(|&tau| (tau, row)));
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut now: Vec<bool> = signs.iter().map(|sign| sign.first).collect();
    let mut pieces = vec![(range[0], right)];
    // What lies between two changes at the same place, each with its own rounding, is no piece.
    for step in steps.chunk_by(|a, b| b.0 - a.0 <= SAME * b.0.abs()) {
        for &(_, row) in step {
            now[row] = !now[row];
            let class = usize::from(labels[row] > 0.0);
            if now[row] == (labels[row] > 0.0) { right[class] += 1 } else { right[class] -= 1 }
        }
        if pieces.last().is_some_and(|piece| piece.1 != right) {
            pieces.push((step[0].0, right));
        }
    }
    let share = |part: usize, whole: usize| part as f64 / whole as f64;
    RateCurve {
        tau: pieces.iter().map(|piece| piece.0).chain([range[1]]).collect(),
        tpr: pieces.iter().map(|(_, right)| share(right[1], positives)).collect(),
        tnr: pieces.iter().map(|(_, right)| share(right[0], negatives)).collect(),
        accuracy: pieces.iter().map(|(_, right)| share(right[0] + right[1], labels.len())).collect(),
    }
}

/// P(Y = 1|x) for each row of `rows` (m × d as in training), m values.
///
/// # Errors
/// Shapes that do not agree with the model or the path; a path without segments ([`AdapterError::NoSegments`]).
pub fn probabilities(svm: &QuantileSvm, path: &Path<f64>, rows: &Features) -> Result<Vec<Probability>, AdapterError> {
    let (range, signs) = signs_by_tau(svm, path, rows)?;
    let probability = |sign: Sign| {
        // The ends of the intervals on which f > 0, less their beginnings; a beginning at range[0] is left out.
        let mut tau = if sign.first { 0.0 } else { range[0] };
        let mut positive = sign.first;
        for change in &sign.changes {
            tau += if positive { *change } else { -change };
            positive = !positive;
        }
        Probability { tau: if positive { tau + range[1] } else { tau }, crossings: sign.changes.len() }
    };
    Ok(signs.into_iter().map(probability).collect())
}

/// Where f > 0, at one row, in the order in which the path was followed (until [`Sign::orient`]).
#[derive(Clone, Default)]
pub(crate) struct Sign {
    /// Whether f > 0 at the beginning of the range.
    pub first: bool,
    started: bool,
    /// Where that changes.
    pub changes: Vec<f64>,
}

impl Sign {
    fn now(&self) -> bool {
        self.first ^ (self.changes.len() % 2 == 1)
    }

    fn change(&mut self, place: f64) {
        if self.changes.last() == Some(&place) {
            self.changes.pop();
        } else {
            self.changes.push(place);
        }
    }

    /// Takes up a segment: the positions and f at its two ends, and what counts as zero there.
    fn segment(&mut self, at: [f64; 2], f: [f64; 2], noise: [f64; 2]) {
        let f = [0, 1].map(|end| if f[end].abs() <= noise[end] { 0.0 } else { f[end] });
        let after = f[0] > 0.0 || (f[0] == 0.0 && f[1] > 0.0);
        let before = f[1] > 0.0 || (f[1] == 0.0 && f[0] > 0.0);
        if !self.started {
            (self.first, self.started) = (after, true);
        } else if self.now() != after {
            self.change(at[0]);
        }
        if after != before {
            let root = at[0] + (at[1] - at[0]) * (f[0] / (f[0] - f[1]));
            self.change(root.clamp(at[0], at[1]));
        }
    }

    /// Puts the changes in the order of increasing τ, all inside `range`.
    fn orient(&mut self, backwards: bool, range: [f64; 2]) {
        if backwards {
            self.first = self.now();
            self.changes.reverse();
        }
        let at_start = self.changes.iter().take_while(|&&tau| tau <= range[0]).count();
        self.changes.drain(..at_start);
        self.first ^= at_start % 2 == 1;
        let inside = self.changes.iter().take_while(|&&tau| tau < range[1]).count();
        self.changes.truncate(inside);
    }
}

/// One label a row, +1 or −1.
fn check_labels(rows: &Features, labels: &[f64]) -> Result<(), AdapterError> {
    if labels.len() != rows.rows() {
        return Err(AdapterError::Shape { what: "labels", expected: rows.rows(), found: labels.len() });
    }
    match labels.iter().position(|y| y.abs() != 1.0) {
        Some(row) => Err(AdapterError::Label { row, value: labels[row] }),
        None => Ok(()),
    }
}

/// Where f > 0 at each row along a path, in the order in which it was followed; places are positions t.
pub(crate) fn signs(walk: &Walk<'_>, rows: &Features) -> Result<Vec<Sign>, AdapterError> {
    walk.check_rows(rows)?;
    Ok(match walk.classifier.problem.machine().kernel() {
        KernelKind::Linear => linear::signs(walk, rows),
        kernel => kernels::signs(walk, kernel, rows),
    })
}

/// The range of τ and where f > 0, at each row, both in increasing τ.
fn signs_by_tau(svm: &QuantileSvm, path: &Path<f64>, rows: &Features) -> Result<([f64; 2], Vec<Sign>), AdapterError> {
    let tau = |t: &f64| path.parameter(t).first().copied().unwrap_or(f64::NAN);
    let walk = Walk::new(svm.classifier(), path)?;
    let mut signs = signs(&walk, rows)?;
    let ends = [tau(&walk.t[0]), tau(path.end())];
    let range = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    for sign in &mut signs {
        sign.changes.iter_mut().for_each(|change| *change = tau(change));
        sign.orient(ends[0] > ends[1], range);
    }
    Ok((range, signs))
}
