//! An upper bound of the envelope on a grid of τ: branches above it are left out before they cost anything.
//!
//! The numerator n and the denominator d of a branch lie between the least and the largest of their Bernstein coefficients on any interval, so the
//! branch lies between min n/max d and max n/min d there. A branch that spans a column lowers its bound; one that lies above the bounds of all its
//! columns by more than rounding is nowhere on the envelope.

use super::cells::Segment;

/// So many columns.
const COLUMNS: usize = 2048;

/// Bounds are compared up to this, relative to their size.
const ROUNDING: f64 = 1e-9;

#[derive(Clone)]
pub(super) struct Ceiling {
    from: f64,
    width: f64,
    bounds: Vec<f64>,
}

impl Ceiling {
    pub fn new([from, to]: [f64; 2]) -> Self {
        Ceiling { from, width: (to - from) / COLUMNS as f64, bounds: vec![f64::INFINITY; COLUMNS] }
    }

    /// Whether a branch may be on the envelope. It lowers the bounds.
    pub fn reaches(&mut self, segment: &Segment) -> bool {
        let column = |tau: f64| (((tau - self.from) / self.width) as usize).min(COLUMNS - 1);
        let mut reaches = false;
        for k in column(segment.from)..=column(segment.to) {
            let [left, right] = [k, k + 1].map(|k| self.from + k as f64 * self.width);
            let (low, high) = range(segment, left.max(segment.from), right.min(segment.to));
            let Some(bound) = self.bounds.get_mut(k) else { continue };
            reaches |= low <= *bound + ROUNDING * bound.abs();
            if segment.from <= left && right <= segment.to {
                *bound = bound.min(high);
            }
        }
        reaches
    }
}

/// Bounds of a branch on \[a, b\].
fn range(segment: &Segment, a: f64, b: f64) -> (f64, f64) {
    let (a, b) = (a - segment.from, b - segment.from);
    let [n0, n1, n2] = segment.numerator;
    let [d0, d1] = segment.denominator;
    let n = [n0 + a * (n1 + a * n2), n0 + n1 * (a + b) / 2.0 + n2 * a * b, n0 + b * (n1 + b * n2)];
    let d = [d0 + d1 * a, d0 + d1 * b];
    let (least, most) = (n[0].min(n[1]).min(n[2]), n[0].max(n[1]).max(n[2]));
    let [small, large] = [d[0].min(d[1]), d[0].max(d[1])];
    let low = least / if least >= 0.0 { large } else { small };
    let high = most / if most >= 0.0 { small } else { large };
    (low, high)
}
