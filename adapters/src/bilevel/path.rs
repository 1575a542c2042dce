//! The result: the best value of the tuned parameter piece by piece, λ*(τ) for quantile regression.

use pathqp::envelope::{Envelope, Piece, RationalFunction};

/// Pieces no wider than this are slivers between ends that are the same but for rounding.
const SLIVER: f64 = 1e-10;

/// A best value within this part of the smallest one is the smallest one.
const AT_END: f64 = 1e-9;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BilevelStats {
    /// Critical regions of all folds.
    pub regions: usize,
    /// Validation crossings of all regions.
    pub crossings: usize,
    /// Cells of all regions.
    pub cells: usize,
    /// Branches of the validation loss.
    pub branches: usize,
    /// Those that were not ruled out beforehand.
    pub added: usize,
    /// The most regions at hand at one time.
    pub most_open: usize,
    /// Parts of sides of regions beyond which nothing was found: none if all is well.
    pub holes: usize,
    /// The part of the domain that is covered by regions, in the measure of (τ/λ, 1/λ) or (C, ε): one if all is well; of the worst fold, or of
    /// what the regions of all folds have in common.
    pub covered: f64,
}

impl Default for BilevelStats {
    fn default() -> Self {
        let none = 0;
        BilevelStats {
            regions: none,
            crossings: none,
            cells: none,
            branches: none,
            added: none,
            most_open: none,
            holes: none,
            covered: f64::INFINITY,
        }
    }
}

/// A range of the varying parameter on which the best value of the tuned one is affine, or infinite, and the loss one rational function.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPiece {
    /// Where it begins and ends.
    pub vary: [f64; 2],
    /// The best value at both ends; an infinite λ where f* is a constant.
    pub tuned: [f64; 2],
    /// The least validation loss, per unit of weight.
    pub loss: RationalFunction<f64>,
    /// The best value as a function of the distance from the loss's origin: value, slope.
    line: [f64; 2],
    /// The range of the tuned parameter.
    range: [f64; 2],
}

/// The best value of the tuned parameter at one value of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// That value: τ.
    pub vary: f64,
    /// The best value: λ*(τ); infinite where f* is a constant.
    pub tuned: f64,
    /// The validation loss, per unit of weight.
    pub loss: f64,
}

/// The best value of one parameter for all values of another in an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPath {
    pieces: Vec<BilevelPiece>,
    tuned: [f64; 2],
    stats: BilevelStats,
    gaps: usize,
}

impl BilevelPath {
    /// `lines` holds for each branch the tuned parameter along it.
    pub(super) fn new(
        envelope: Envelope<f64>,
        lines: &[[f64; 2]],
        vary: [f64; 2],
        tuned: [f64; 2],
        stats: BilevelStats,
    ) -> Self {
        let mut pieces: Vec<BilevelPiece> = Vec::with_capacity(envelope.pieces().len());
        let mut reached = vary[0];
        let mut gaps = 0;
        for piece in envelope.pieces() {
            let (from, to) = (*piece.from.lower(), *piece.to.upper());
            if to - reached <= SLIVER {
                continue;
            }
            gaps += usize::from(from - reached > SLIVER);
            let from = if (from - reached).abs() <= SLIVER { reached } else { from };
            let line = usize::try_from(piece.id).ok().and_then(|id| lines.get(id)).copied().unwrap_or([f64::NAN; 2]);
            pieces.push(BilevelPiece::new(piece, (line, tuned), from, to));
            reached = to;
        }
        if let Some(last) = pieces.last_mut().filter(|last| (last.vary[1] - vary[1]).abs() <= SLIVER) {
            last.vary[1] = vary[1];
            reached = vary[1];
        }
        gaps += usize::from(reached < vary[1]);
        BilevelPath { pieces, tuned, stats, gaps }
    }

    /// From left to right. They tile the range of the varying parameter unless there are [gaps](Self::gaps).
    pub fn pieces(&self) -> &[BilevelPiece] {
        &self.pieces
    }

    /// The range of the tuned parameter that was searched; its end may be infinite.
    pub fn tuned_range(&self) -> [f64; 2] {
        self.tuned
    }

    /// The pieces on which the best value is the smallest one there is.
    pub fn at_smallest(&self) -> impl Iterator<Item = &BilevelPiece> {
        let near = |value: f64| (value - self.tuned[0]).abs() <= AT_END * self.tuned[0];
        self.pieces.iter().filter(move |piece| piece.tuned.iter().all(|&value| near(value)))
    }

    /// Counters.
    pub fn stats(&self) -> &BilevelStats {
        &self.stats
    }

    /// Ranges of the varying parameter for which nothing is known: none, unless the regions have holes.
    pub fn gaps(&self) -> usize {
        self.gaps
    }

    /// Whether all regions were found: nothing is missing, and nothing covered twice.
    pub fn is_complete(&self) -> bool {
        self.stats.holes == 0 && self.gaps == 0 && (self.stats.covered - 1.0).abs() <= super::OVERLAP
    }

    /// The best value at one of the varying parameter; none outside the range. Where two are equally good, one of them.
    pub fn at(&self, vary: f64) -> Option<Optimum> {
        let first = self.pieces.partition_point(|piece| piece.vary[1] < vary);
        let here = self.pieces.get(first..)?.iter().take_while(|piece| piece.vary[0] <= vary);
        here.filter_map(|piece| piece.at(vary)).min_by(|a, b| a.loss.total_cmp(&b.loss))
    }
}

impl BilevelPiece {
    fn new(piece: &Piece<f64>, (line, range): ([f64; 2], [f64; 2]), from: f64, to: f64) -> Self {
        let loss = piece.branch.function().clone();
        let mut piece = BilevelPiece { vary: [from, to], tuned: [0.0; 2], loss, line, range };
        piece.tuned = [from, to].map(|vary| piece.value(vary));
        piece
    }

    /// The best value at a place of the piece; rounding must not carry it out of its range.
    fn value(&self, vary: f64) -> f64 {
        let ([value, slope], [from, to]) = (self.line, self.range);
        (value + slope * (vary - self.loss.origin)).max(from).min(to)
    }

    /// The optimum at a place of the piece.
    pub fn at(&self, vary: f64) -> Option<Optimum> {
        Some(Optimum { vary, tuned: self.value(vary), loss: self.loss.value(&vary)? })
    }
}
