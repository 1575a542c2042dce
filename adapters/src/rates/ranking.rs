//! The AUC along a path.
//!
//! On a segment every f_τ(x) is affine in τ, so that the order of two rows changes at most once inside it, where their scores are equal. The rows are sorted by
//! their scores at both ends; the pairs whose order changes are the inversions between the two orders, which merge sort lists in O(m log m) operations and one
//! for each inversion. The AUC is a step function of τ with known steps: it changes by 1/(n₊n₋) where a positive and a negative row change places, and a pair
//! with equal scores all along a segment counts half there. An intercept shifts all scores alike and has no influence.
//!
//! *Rounding.* Scores that differ by no more than a multiple of ε of the largest one count as equal: the scores of equal rows come from the same sums, so that
//! ties are exact up to rounding.

use super::{NOISE, Walk};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::KernelProblem;
use crate::quantile_svm::QuantileSvm;
use pathqp::Path;

/// AUC on a test set as a function of τ, in K pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct AucCurve {
    /// The ends of the pieces: K + 1 values, increasing; the first and the last are the ends of the path.
    pub tau: Vec<f64>,
    /// The AUC on `(tau[k], tau[k + 1])`, ties counted half, K values; NaN when a class is missing.
    pub auc: Vec<f64>,
}

/// Twice the number of pairs that a positive row wins, ties counted half: a whole number.
type HalfWins = i128;

/// The AUC on test rows (`rows`: m × d as in training, `labels`: m values +1 or −1) for every τ of the path, in whichever direction it was followed. With K
/// segments it takes O(K((n + m)d + m log m)) operations for a linear kernel.
///
/// # Errors
/// Shapes that do not agree with each other, the model or the path; a label that is neither +1 nor −1; a path without segments ([`AdapterError::NoSegments`]).
pub fn auc_curve(
    svm: &QuantileSvm,
    path: &Path<f64>,
    rows: &Features,
    labels: &[f64],
) -> Result<AucCurve, AdapterError> {
    Walk::new(svm.classifier(), path)?.check_rows(rows)?;
    super::check_labels(rows, labels)?;
    let tau = |t: &f64| path.parameter(t).first().copied().unwrap_or(f64::NAN);
    let segments = path.segments();
    let ends = |k: usize| [segments[k].t, segments.get(k + 1).map_or(*path.end(), |next| next.t)];
    // τ at which a piece begins, in the order in which the path was followed, and what it is worth.
    let mut pieces: Vec<(f64, HalfWins)> = Vec::new();
    for k in 0..segments.len() {
        let [start, end] = ends(k);
        let scores = |t: &f64| {
            let point = path.law_at(k, t)?;
            Some(svm.decision(&svm.model(&[tau(t)], &point), rows))
        };
        let Some((before, after)) = scores(&start).zip(scores(&end)) else { continue };
        let span = [tau(&start), tau(&end)];
        let (first, changes) = segment(&before, &after, labels, span);
        let mut wins = first;
        pieces.push((span[0], wins));
        for at in changes.chunk_by(|a, b| a.0 == b.0) {
            wins += at.iter().map(|change| change.1).sum::<HalfWins>();
            pieces.push((at[0].0, wins));
        }
    }
    let positives = labels.iter().filter(|y| **y > 0.0).count() as f64;
    let pairs = 2.0 * positives * (labels.len() as f64 - positives);
    Ok(oriented(pieces, tau(path.end()), pairs))
}

/// The pieces in increasing τ, those of no length and those that change nothing left out.
fn oriented(pieces: Vec<(f64, HalfWins)>, end: f64, pairs: f64) -> AucCurve {
    let mut bounds: Vec<f64> = pieces.iter().map(|piece| piece.0).chain([end]).collect();
    let mut values: Vec<HalfWins> = pieces.into_iter().map(|piece| piece.1).collect();
    if bounds.first().is_some_and(|first| *first > end) {
        bounds.reverse();
        values.reverse();
    }
    let mut curve = AucCurve { tau: bounds[..1].to_vec(), auc: Vec::new() };
    let mut last = None;
    for (wins, pair) in values.iter().zip(bounds.windows(2)).filter(|(_, pair)| pair[0] < pair[1]) {
        if last != Some(*wins) {
            if last.is_some() {
                curve.tau.push(pair[0]);
            }
            curve.auc.push(*wins as f64 / pairs);
            last = Some(*wins);
        }
    }
    if curve.auc.is_empty() {
        curve.auc.extend(values.first().map(|wins| *wins as f64 / pairs));
    }
    curve.tau.push(bounds[bounds.len() - 1]);
    curve
}

/// A row in both orders.
#[derive(Clone, Copy)]
struct Place {
    /// Its place by the scores at the beginning and at the end; equal scores have the same place.
    ranks: [usize; 2],
    row: usize,
    positive: bool,
}

/// The half wins just after the beginning of a segment, and where they change by how much inside it, in the order of the segment.
fn segment(before: &[f64], after: &[f64], labels: &[f64], tau: [f64; 2]) -> (HalfWins, Vec<(f64, HalfWins)>) {
    let (start, end) = (ranks(before), ranks(after));
    let mut places: Vec<Place> = (0..labels.len())
        .map(|row| Place { ranks: [start[row], end[row]], row, positive: labels[row] > 0.0 })
        .collect();
    // Just after the beginning, rows that are equal there stand as they do at the end.
    places.sort_by_key(|place| place.ranks);
    let (mut below, mut wins) = (0, 0);
    for tied in places.chunk_by(|a, b| a.ranks == b.ranks) {
        let positive = tied.iter().filter(|place| place.positive).count() as HalfWins;
        let negative = tied.len() as HalfWins - positive;
        wins += positive * (2 * below + negative);
        below += negative;
    }
    let mut changes = Vec::new();
    // Rows that are equal at the end have met there and not changed places: within them the order of the beginning is kept.
    inversions(&mut places, &mut |lower, upper| {
        // `lower` was below `upper`, and ends above it.
        if lower.positive != upper.positive {
            let (f, g) = (before[upper.row] - before[lower.row], after[lower.row] - after[upper.row]);
            let share = if f + g > 0.0 { (f / (f + g)).clamp(0.0, 1.0) } else { 0.5 };
            changes.push((tau[0] + (tau[1] - tau[0]) * share, if lower.positive { 2 } else { -2 }));
        }
    });
    let forwards = tau[0] <= tau[1];
    changes.sort_by(|a, b| if forwards { a.0.total_cmp(&b.0) } else { b.0.total_cmp(&a.0) });
    (wins, changes)
}

/// The place of every row by its score; scores that follow each other within rounding share one.
fn ranks(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let rounding = NOISE * scores.iter().fold(0.0_f64, |l, f| l.max(f.abs()));
    let mut ranks = vec![0; scores.len()];
    for pair in order.windows(2) {
        let same = scores[pair[1]] - scores[pair[0]] <= rounding;
        ranks[pair[1]] = ranks[pair[0]] + usize::from(!same);
    }
    ranks
}

/// Calls `visit` with each pair that stands in the order given and ends in the other one, and sorts by the places at the end.
fn inversions(places: &mut [Place], visit: &mut impl FnMut(Place, Place)) {
    if places.len() < 2 {
        return;
    }
    let middle = places.len() / 2;
    let (left, right) = places.split_at_mut(middle);
    inversions(left, visit);
    inversions(right, visit);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i].ranks[1] <= right[j].ranks[1] {
            merged.push(left[i]);
            i += 1;
        } else {
            left[i..].iter().filter(|l| l.ranks[0] < right[j].ranks[0]).for_each(|l| visit(*l, right[j]));
            merged.push(right[j]);
            j += 1;
        }
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    places.copy_from_slice(&merged);
}
