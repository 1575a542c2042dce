//! All thresholds of all classifiers on a line: the most true positives for every number of false positives, exactly.
//!
//! Between events of the paths the score of every validation row is affine in the position, so that the order of the rows by score changes only where two
//! scores cross. At a fixed position the ROC curve has one point for every place at which the ordered rows can be divided into those above and those below a
//! threshold, and this point stays as long as no row crosses the threshold. So the union of the ROC curves of all positions is finite, and is known once every
//! division that ever occurs was considered. *Division* r has the r rows with the largest scores above it.
//!
//! The order is kept sorted while the position moves (a kinetic sorted list; Basch, Guibas and Hershberger 1999, doi:10.1006/jagm.1998.0988). Neighbours that
//! are in the other order at the end of a piece have a root; the earliest root is taken from a heap, the two rows are exchanged, and their new neighbours are
//! examined. Each exchange removes one inversion between the orders at the two ends of the piece, so that the work is O(m) for each piece and O(log m) for each
//! inversion, whatever the rounding of the roots.
//!
//! A division is offered when it ends, at the middle of the interval on which it and its two neighbours stayed, rounded to the stored position. It counts only
//! if the two scores at the division differ by more than rounding there (ties cannot be divided, and the orders that three scores pass through when they cross
//! in one point have no length), and only after the rows on both sides of the threshold were counted at that position.

use super::curve::{Best, Choice, Operating};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A piece of a line on which all scores are affine.
pub struct Piece<'a> {
    /// The positions of its ends.
    pub t: [f64; 2],
    /// The scores at both ends, m values each.
    pub f: [&'a [f64]; 2],
    /// Up to this, two scores are equal; m values.
    pub noise: &'a [f64],
}

impl Piece<'_> {
    /// The score of a row at a share s of the piece.
    fn at(&self, row: usize, s: f64) -> f64 {
        let [a, b] = self.f.map(|f| f[row]);
        a + s * (b - a)
    }

    fn tie(&self, u: usize, v: usize) -> f64 {
        self.noise[u] + self.noise[v]
    }

    /// The position at a share of the piece as it is stored, and the share that it lies at.
    fn stored(&self, share: f64) -> (f64, f64) {
        let [from, to] = self.t;
        let t = from + share * (to - from);
        (t, ((t - from) / (to - from)).clamp(0.0, 1.0))
    }
}

/// Two neighbours that cross: the share of the piece, the upper one's place, and both.
type Crossing = Reverse<(u64, usize, usize, usize)>;

/// The order of the m validation rows, and the best divisions so far.
pub struct Sweep<'a> {
    line: usize,
    labels: &'a [f64],
    /// The rows, the largest score first.
    order: Vec<usize>,
    /// The negative rows above each division, m + 1 values.
    negatives: Vec<usize>,
    /// The share of the piece since which each division and its neighbours stay, m + 1 values.
    since: Vec<f64>,
    heap: BinaryHeap<Crossing>,
    /// What was found.
    pub best: Best,
    /// Exchanges of two neighbours.
    pub crossings: usize,
}

impl<'a> Sweep<'a> {
    /// Of the rows with these m labels, on line number `line`.
    pub fn new(line: usize, labels: &'a [f64], best: Best) -> Self {
        let m = labels.len();
        let order = (0..m).collect();
        let (negatives, since) = (vec![0; m + 1], vec![0.0; m + 1]);
        let mut sweep = Sweep { line, labels, order, negatives, since, heap: BinaryHeap::new(), best, crossings: 0 };
        sweep.count();
        sweep
    }

    fn count(&mut self) {
        for (r, &row) in self.order.iter().enumerate() {
            self.negatives[r + 1] = self.negatives[r] + usize::from(self.labels[row] < 0.0);
        }
    }

    /// Takes up the next piece of the line. Scores may jump between pieces.
    pub fn piece(&mut self, piece: &Piece<'_>) {
        if !self.is_sorted(piece) {
            self.sort(piece);
        }
        self.since.fill(0.0);
        for r in 1..self.order.len() {
            self.watch(piece, r, 0.0);
        }
        while let Some(Reverse((bits, r, u, v))) = self.heap.pop() {
            if self.order[r - 1] != u || self.order[r] != v {
                continue;
            }
            let s = f64::from_bits(bits);
            for division in [r - 1, r, r + 1] {
                self.offer(piece, division, s);
            }
            self.order.swap(r - 1, r);
            self.negatives[r] = self.negatives[r - 1] + usize::from(self.labels[v] < 0.0);
            self.crossings += 1;
            self.watch(piece, r - 1, s);
            self.watch(piece, r + 1, s);
        }
        for division in 0..=self.order.len() {
            self.offer(piece, division, 1.0);
        }
    }

    /// Whether the order holds at the beginning of a piece, up to rounding.
    fn is_sorted(&self, piece: &Piece<'_>) -> bool {
        self.order.is_sorted_by(|&u, &v| piece.f[0][u] >= piece.f[0][v] - piece.tie(u, v))
    }

    /// Sorts by the scores at the beginning of the piece, equal ones by those at its end.
    fn sort(&mut self, piece: &Piece<'_>) {
        let [a, b] = piece.f;
        self.order.sort_by(|&u, &v| a[v].total_cmp(&a[u]).then(b[v].total_cmp(&b[u])));
        self.count();
    }

    /// Puts the two rows at division r on the heap if they cross after s.
    fn watch(&mut self, piece: &Piece<'_>, r: usize, s: f64) {
        if r == 0 || r >= self.order.len() {
            return;
        }
        let (u, v) = (self.order[r - 1], self.order[r]);
        let [start, end] = piece.f.map(|f| f[u] - f[v]);
        if end < -piece.tie(u, v) {
            let root = if start > 0.0 { (start / (start - end)).clamp(s, 1.0) } else { s };
            // The bits of numbers that are not negative have the same order as the numbers.
            self.heap.push(Reverse((root.to_bits(), r, u, v)));
        }
    }

    /// Offers a division as it is until s, and lets it begin anew there.
    fn offer(&mut self, piece: &Piece<'_>, r: usize, s: f64) {
        let since = std::mem::replace(&mut self.since[r], s);
        let false_positives = self.negatives[r];
        let (t, share) = piece.stored((since + s) / 2.0);
        let score = |r: usize| piece.at(self.order[r], share);
        // Where all rows lie on one side the threshold is a margin away from the nearest.
        let (threshold, gap) = match r {
            _ if self.order.is_empty() => return,
            0 => (score(0) + score(0).abs().max(1.0), 0.0),
            r if r == self.order.len() => (score(r - 1) - score(r - 1).abs().max(1.0), 0.0),
            r => ((score(r - 1) + score(r)) / 2.0, score(r - 1) - score(r)),
        };
        let room = gap * (s - since) * (piece.t[1] - piece.t[0]);
        let is_inside = r > 0 && r < self.order.len();
        if !self.best.wants(false_positives, r - false_positives, room)
            || (is_inside && gap <= piece.tie(self.order[r - 1], self.order[r]))
        {
            return;
        }
        let [mut false_positives, mut true_positives] = [0; 2];
        for (row, label) in self.labels.iter().enumerate() {
            let f = piece.at(row, share);
            if (f - threshold).abs() <= piece.noise[row] {
                return;
            }
            let above = usize::from(f > threshold);
            if *label > 0.0 { true_positives += above } else { false_positives += above }
        }
        let choice = Choice { line: self.line, t, shift: -threshold };
        self.best.offer(Operating { false_positives, true_positives, choice }, room);
    }
}

/// The ordinary ROC curve of one classifier from its m scores, in the order of increasing rates, from none to all rows: a point for every threshold that
/// parts all rows above it from all rows below by more than their rounding.
pub fn ordinary(scores: &[f64], labels: &[f64], noise: &[f64], (line, t): (usize, f64)) -> Vec<Operating> {
    let m = scores.len();
    let mut order: Vec<usize> = (0..m).collect();
    order.sort_by(|&u, &v| scores[v].total_cmp(&scores[u]));
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return Vec::new() };
    // What the scores may be, largest score first: none of the first r lies below least[r], none of the others above most[r].
    let mut least = vec![f64::INFINITY; m + 1];
    let mut most = vec![f64::NEG_INFINITY; m + 1];
    for (r, &row) in order.iter().enumerate() {
        least[r + 1] = least[r].min(scores[row] - noise[row]);
    }
    for (r, &row) in order.iter().enumerate().rev() {
        most[r] = most[r + 1].max(scores[row] + noise[row]);
    }
    let mut curve = Vec::new();
    let mut counts = [0_usize; 2];
    for r in 0..=m {
        if let Some(&row) = r.checked_sub(1).and_then(|above| order.get(above)) {
            counts[usize::from(labels[row] > 0.0)] += 1;
        }
        let threshold = match r {
            0 => scores[first] + scores[first].abs().max(1.0),
            r if r == m => scores[last] - scores[last].abs().max(1.0),
            _ => (least[r] + most[r]) / 2.0,
        };
        if least[r] > threshold && threshold > most[r] {
            let choice = Choice { line, t, shift: -threshold };
            curve.push(Operating { false_positives: counts[0], true_positives: counts[1], choice });
        }
    }
    curve
}
