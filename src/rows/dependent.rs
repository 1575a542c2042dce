//! Equality rows that depend on others.
//!
//! An equality row that is a combination of others can have no place in a basis: its slack stays basic in a box without width. Where the combination holds for the right-hand
//! sides as well, all along the line, the row says nothing and is set aside; where it does not, the problem is infeasible, which the follower
//! finds, with the combination as its proof. Rows with room need not be looked at: their slacks take care of it.

use super::matrix::Matrix;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Settings;

/// A row that was reduced by those before it: the column of its pivot, its entries, and the combination of the rows that it is.
struct Reduced<S> {
    pivot: usize,
    row: Vec<S>,
    combination: Vec<(usize, S)>,
}

/// The equality rows that follow from others, right-hand sides included; elimination with the largest entry of each row as its pivot.
pub(super) fn dependent_rows<S: Scalar>(line: &Line<S>, a: &Matrix<S>, settings: &Settings) -> Vec<usize> {
    let Some(rows) = &line.rows else { return Vec::new() };
    let (mut kept, mut dropped): (Vec<Reduced<S>>, Vec<usize>) = (Vec::new(), Vec::new());
    let is_equality = |r: &usize| rows.bounds.lower[*r].is_some() && rows.bounds.lower[*r] == rows.bounds.upper[*r];
    let tolerance = S::tolerance(settings.dependent);
    for r in (0..a.rows()).filter(is_equality) {
        let mut row = vec![S::zero(); a.columns()];
        a.for_row(r, |j, v| row[j] = v.clone());
        let mut size: Vec<S> = row.iter().map(S::abs).collect();
        let mut combination = vec![(r, S::one())];
        for other in &kept {
            let factor = row[other.pivot].clone() / &other.row[other.pivot];
            if factor.is_zero() {
                continue;
            }
            for ((v, size), o) in row.iter_mut().zip(&mut size).zip(&other.row) {
                let term = factor.clone() * o;
                *size += term.abs();
                *v -= term;
            }
            row[other.pivot] = S::zero();
            for (k, weight) in &other.combination {
                let weight = -(factor.clone() * weight);
                match combination.iter_mut().find(|c| c.0 == *k) {
                    Some(c) => c.1 += weight,
                    None => combination.push((*k, weight)),
                }
            }
        }
        row.iter_mut()
            .zip(&size)
            .filter(|(v, s)| v.abs() <= (*s).clone() * &tolerance)
            .for_each(|(v, _)| *v = S::zero());
        let pivot = (0..row.len()).fold(0, |best, j| if row[j].abs() > row[best].abs() { j } else { best });
        if !row[pivot].is_zero() {
            kept.push(Reduced { pivot, row, combination });
            continue;
        }
        let holds = |part: &dyn Fn(&[S; 2]) -> S| {
            let (mut sum, mut size) = (S::zero(), S::zero());
            for (k, weight) in &combination {
                let term = rows.bounds.lower[*k].as_ref().map_or_else(S::zero, |b| part(b) * weight);
                size += term.abs();
                sum += term;
            }
            sum.abs() <= size * &tolerance
        };
        if holds(&|b| S::affine(b, &line.begin)) && holds(&|b| b[1].clone()) {
            dropped.push(r);
        }
    }
    dropped
}
