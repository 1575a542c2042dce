//! An upper bound of the least loss on columns of the varying parameter: branches above it are left out before they cost anything.
//!
//! The numerator n and the denominator d of a branch lie between the least and the largest of their Bernstein coefficients on any interval, so the
//! branch lies between min n/max d and max n/min d there. Pieces of an envelope that cover a column bound it by the largest of their own bounds.

use super::cells::Segment;
use super::plane::Axis;
use pathqp::envelope::{Envelope, RationalFunction};

/// So many columns.
const COLUMNS: usize = 2048;

/// Bounds are compared up to this, relative to their size.
const ROUNDING: f64 = 1e-9;

/// Pieces no farther apart than this part of the place leave no gap.
const GAP: f64 = 1e-13;

#[derive(Clone)]
pub(super) struct Ceiling {
    axis: Axis,
    /// The ends of the columns.
    ends: Vec<f64>,
    bounds: Vec<f64>,
}

impl Ceiling {
    pub fn new(axis: Axis) -> Self {
        let ends = (0..=COLUMNS).map(|k| axis.value(k as f64 / COLUMNS as f64)).collect();
        Ceiling { axis, ends, bounds: vec![f64::INFINITY; COLUMNS] }
    }

    fn column(&self, value: f64) -> usize {
        ((self.axis.part(value) * COLUMNS as f64) as usize).min(COLUMNS - 1)
    }

    /// The columns that an interval meets: their ends within it, and their numbers.
    fn columns(&self, [from, to]: [f64; 2]) -> impl Iterator<Item = (usize, [f64; 2])> {
        (self.column(from)..=self.column(to)).map(move |k| (k, [self.ends[k].max(from), self.ends[k + 1].min(to)]))
    }

    /// Whether a branch may be on the envelope.
    pub fn reaches(&self, segment: &Segment) -> bool {
        let function = segment.function();
        self.columns([segment.from, segment.to]).any(|(k, [from, to])| {
            let bound = self.bounds[k];
            range(&function, from, to).0 <= bound + ROUNDING * bound.abs()
        })
    }

    /// Lowers the bounds to those of an envelope.
    pub fn lower(&mut self, envelope: &Envelope<f64>) {
        let mut largest = f64::NEG_INFINITY;
        let mut reached = f64::NEG_INFINITY;
        for piece in envelope.pieces() {
            let (from, to) = (*piece.from.lower(), *piece.to.upper());
            if from - reached > GAP * from.abs() {
                // A gap: what was covered of the column before it does not count.
                largest = if self.ends[self.column(from)] < from { f64::INFINITY } else { f64::NEG_INFINITY };
            }
            let parts: Vec<(usize, [f64; 2])> = self.columns([from, to]).collect();
            for (k, [from, to]) in parts {
                largest = largest.max(range(piece.branch.function(), from, to).1);
                if to >= self.ends[k + 1] {
                    self.bounds[k] = self.bounds[k].min(largest);
                    largest = f64::NEG_INFINITY;
                }
            }
            reached = to;
        }
    }
}

/// Bounds of a branch on \[a, b\].
fn range(function: &RationalFunction<f64>, a: f64, b: f64) -> (f64, f64) {
    let (a, b) = (a - function.origin, b - function.origin);
    let [n0, n1, n2] = function.numerator;
    let [d0, d1] = function.denominator;
    let n = [n0 + a * (n1 + a * n2), n0 + n1 * (a + b) / 2.0 + n2 * a * b, n0 + b * (n1 + b * n2)];
    let d = [d0 + d1 * a, d0 + d1 * b];
    let (least, most) = (n[0].min(n[1]).min(n[2]), n[0].max(n[1]).max(n[2]));
    let [small, large] = [d[0].min(d[1]), d[0].max(d[1])];
    let low = least / if least >= 0.0 { large } else { small };
    let high = most / if most >= 0.0 { small } else { large };
    (low, high)
}
