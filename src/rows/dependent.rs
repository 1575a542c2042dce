//! Equality rows that depend on others, and rows without entries.
//!
//! An equality row that is a combination of others cannot enter a basis: its slack stays basic in a box without width. If the combination holds for the
//! right-hand sides as well, all along the line, the row is redundant and is left out; if it does not, the problem is infeasible, which the follower
//! finds, with the combination as its proof. Rows whose bounds differ need no such check: their slacks can move.
//!
//! The rows are eliminated one by one. The pivot of a row is a large entry in a column with few entries, so that sparse rows stay sparse (Markowitz 1957, with
//! a threshold).

use super::system::Data;
use crate::problem::Matrix;
use crate::problem::{Line, LineRows};
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};
use std::collections::BTreeSet;

/// A pivot of sparse elimination is at least this part of the largest entry of its row.
const FAIR_PIVOT: f64 = 0.1;

/// A vector that was reduced by those before it.
struct Reduced<S> {
    /// Its number.
    number: usize,
    pivot: usize,
    /// Its entries that are not zero.
    row: Vec<(usize, S)>,
    /// The earlier ones that were taken off it, with their factors.
    taken: Vec<(usize, S)>,
}

/// Sparse vectors, such as rows of A, that do not depend on each other, eliminated one by one.
pub(super) struct Elimination<S> {
    /// The vector that is reduced: values and the sizes of their terms by place, and which places these are.
    value: Vec<S>,
    size: Vec<S>,
    touched: Vec<usize>,
    kept: Vec<Reduced<S>>,
    /// The vector whose pivot a place is.
    of_place: Vec<Option<usize>>,
    /// How many vectors have an entry at a place.
    counts: Vec<usize>,
    /// What is zero, in parts of its terms.
    tolerance: S,
}

impl<S: Scalar> Elimination<S> {
    /// Of vectors with so many places, `counts[j]` of which have an entry at place j.
    pub fn new(counts: Vec<usize>, settings: &Settings) -> Self {
        let nothing = || vec![S::zero(); counts.len()];
        Elimination {
            value: nothing(),
            size: nothing(),
            touched: Vec::new(),
            kept: Vec::new(),
            of_place: vec![None; counts.len()],
            counts,
            tolerance: S::tolerance(settings.dependent),
        }
    }

    /// Adds to the vector that is reduced next.
    pub fn enter(&mut self, j: usize, term: S) {
        if self.size[j].is_zero() {
            self.touched.push(j);
        }
        self.size[j] += term.abs();
        self.value[j] += term;
    }

    /// The entries that are more than rounding of their terms; the next vector begins empty.
    fn take(&mut self) -> Vec<(usize, S)> {
        let mut entries = Vec::new();
        for j in std::mem::take(&mut self.touched) {
            let (value, size) = (&mut self.value[j], &mut self.size[j]);
            if value.abs() > size.clone() * &self.tolerance {
                entries.push((j, value.clone()));
            }
            (*value, *size) = (S::zero(), S::zero());
        }
        entries
    }

    /// Takes the earlier vectors off the one that was entered and keeps it under this number, if anything is left. Otherwise it depends on them: the factors
    /// by which they were taken off.
    pub fn keep(&mut self, number: usize) -> Option<Vec<(usize, S)>> {
        let mut due: BTreeSet<usize> = self.touched.iter().filter_map(|&j| self.of_place[j]).collect();
        let mut taken = Vec::new();
        while let Some(k) = due.pop_first() {
            let (row, place) = (std::mem::take(&mut self.kept[k].row), self.kept[k].pivot);
            let pivot = row.iter().find(|(j, _)| *j == place).map(|(_, v)| v.clone());
            let factor = pivot.map_or_else(S::zero, |pivot| self.value[place].clone() / pivot);
            if !factor.is_zero() {
                for (j, v) in &row {
                    self.enter(*j, -(factor.clone() * v));
                    due.extend(self.of_place[*j].filter(|&other| other > k));
                }
                self.value[place] = S::zero();
                taken.push((k, factor));
            }
            self.kept[k].row = row;
        }
        let row = self.take();
        let largest = row.iter().fold(S::zero(), |m, (_, v)| S::larger(m, v.abs()));
        let fair = largest * S::from_f64(FAIR_PIVOT).unwrap_or_else(S::one);
        let few = row.iter().filter(|(_, v)| v.abs() >= fair).min_by_key(|(j, _)| (self.counts[*j], *j));
        let Some(pivot) = few.map(|(j, _)| *j) else { return Some(taken) };
        self.of_place[pivot] = Some(self.kept.len());
        self.kept.push(Reduced { number, pivot, row, taken });
        None
    }

    /// A vector minus what was taken off it, as weights of the vectors entered.
    fn combination(&self, number: usize, taken: Vec<(usize, S)>) -> Vec<(usize, S)> {
        let mut weights = vec![S::zero(); self.kept.len()];
        taken.into_iter().for_each(|(k, factor)| weights[k] -= factor);
        let mut rows = vec![(number, S::one())];
        for k in (0..self.kept.len()).rev() {
            let weight = std::mem::replace(&mut weights[k], S::zero());
            if !weight.is_zero() {
                self.kept[k].taken.iter().for_each(|(other, factor)| weights[*other] -= factor.clone() * &weight);
                rows.push((self.kept[k].number, weight));
            }
        }
        rows
    }
}

/// The redundant rows without entries: zero lies between their bounds all along the line, up to rounding of [`Line::unit_of_bounds`] in the user's units. (A
/// bound that is a sum which ought to cancel has no scale of its own, and neither entries nor x give it one.) No x satisfies a row without entries that is not
/// redundant.
pub(super) fn rows_of_nothing<S: Scalar>(line: &Line<S>) -> Vec<usize> {
    let Some(rows) = &line.rows else { return Vec::new() };
    let noise = line.unit_of_bounds() * S::tolerance(ROUNDING);
    let is_empty = |r: &usize| {
        let mut empty = true;
        rows.matrix.for_row(*r, |_, v| empty &= v.is_zero());
        empty
    };
    let ends = [Some(&line.begin), line.end.as_ref()];
    let outside = |bound: &[S; 2], outward: S| {
        let grows = line.end.is_none() && bound[1].clone() * &outward < S::zero();
        grows || ends.into_iter().flatten().any(|t| S::affine(bound, t) * &outward < -noise.clone())
    };
    let crossed = |r: usize| {
        let [lower, upper] = [&rows.bounds.lower[r], &rows.bounds.upper[r]];
        lower.as_ref().is_some_and(|l| outside(l, -S::one())) || upper.as_ref().is_some_and(|u| outside(u, S::one()))
    };
    (0..rows.matrix.rows()).filter(is_empty).filter(|&r| !crossed(r)).collect()
}

/// The equality rows that follow from others, right-hand sides included.
pub(super) fn dependent_rows<S: Scalar>(line: &Line<S>, a: &Matrix<S>, settings: &Settings) -> Vec<usize> {
    let Some(rows) = &line.rows else { return Vec::new() };
    let is_equality = |r: &usize| rows.bounds.lower[*r].is_some() && rows.bounds.lower[*r] == rows.bounds.upper[*r];
    let [unit, _] = Data::of(line, &[]).units();
    let mut counts = vec![0usize; a.columns()];
    (0..a.rows()).filter(is_equality).for_each(|r| a.for_row(r, |j, _| counts[j] += 1));
    let mut elimination = Elimination::new(counts, settings);
    let mut dropped = Vec::new();
    for number in (0..a.rows()).filter(is_equality) {
        a.for_row(number, |j, v| elimination.enter(j, v.clone()));
        let Some(taken) = elimination.keep(number) else { continue };
        let combination = elimination.combination(number, taken);
        if is_consistent(line, rows, &combination, (&elimination.tolerance, &unit)) {
            dropped.push(number);
        }
    }
    dropped
}

/// Whether a combination of rows that is zero is so of their right-hand sides, all along the line.
fn is_consistent<S: Scalar>(
    line: &Line<S>,
    rows: &LineRows<S>,
    weights: &[(usize, S)],
    (tolerance, unit): (&S, &S),
) -> bool {
    let holds = |part: &dyn Fn(&[S; 2]) -> S| {
        let (mut sum, mut size) = (S::zero(), S::zero());
        for (k, weight) in weights {
            let term = rows.bounds.lower[*k].as_ref().map_or_else(S::zero, |b| part(b) * weight);
            size += term.abs();
            sum += term;
        }
        sum.abs() <= size * tolerance + unit.clone() * S::tolerance(ROUNDING)
    };
    holds(&|b| S::affine(b, &line.begin)) && holds(&|b| b[1].clone())
}
