//! The result: λ*(τ) piece by piece.

use pathqp::envelope::{Envelope, Piece, RationalFunction};

/// Pieces no wider than this are slivers between ends that are the same but for rounding.
const SLIVER: f64 = 1e-10;

/// λ* within this part of the smallest λ is the smallest one.
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
    /// The part of the domain that is covered by regions, in the measure of (τ/λ, 1/λ): one if all is well; of the worst fold.
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

/// A range of τ on which λ*(τ) is affine, or infinite, and the loss one rational function.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPiece {
    /// Where it begins and ends.
    pub tau: [f64; 2],
    /// λ* at both ends; infinite where f* is a constant.
    pub lambda: [f64; 2],
    /// The least validation loss, per unit of weight.
    pub loss: RationalFunction<f64>,
}

/// The best penalty at one τ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// τ.
    pub tau: f64,
    /// λ*(τ); infinite where f* is a constant.
    pub lambda: f64,
    /// The validation loss, per unit of weight.
    pub loss: f64,
}

/// λ*(τ) for all τ of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPath {
    pieces: Vec<BilevelPiece>,
    lambda: [f64; 2],
    /// Ranges of τ and the smallest λ that was searched there.
    searched: Vec<([f64; 2], f64)>,
    stats: BilevelStats,
    gaps: usize,
}

impl BilevelPath {
    pub(super) fn new(
        envelope: Envelope<f64>,
        tau: [f64; 2],
        lambda: [f64; 2],
        searched: Vec<([f64; 2], f64)>,
        stats: BilevelStats,
    ) -> Self {
        let mut pieces: Vec<BilevelPiece> = Vec::with_capacity(envelope.pieces().len());
        let mut reached = tau[0];
        let mut gaps = 0;
        for piece in envelope.pieces() {
            let (from, to) = (*piece.from.lower(), *piece.to.upper());
            if to - reached <= SLIVER {
                continue;
            }
            gaps += usize::from(from - reached > SLIVER);
            let from = if (from - reached).abs() <= SLIVER { reached } else { from };
            pieces.push(BilevelPiece::new(piece, from, to));
            reached = to;
        }
        if let Some(last) = pieces.last_mut().filter(|last| (last.tau[1] - tau[1]).abs() <= SLIVER) {
            last.tau[1] = tau[1];
            reached = tau[1];
        }
        gaps += usize::from(reached < tau[1]);
        BilevelPath { pieces, lambda, searched, stats, gaps }
    }

    /// From left to right. They tile the range of τ unless there are [gaps](Self::gaps).
    pub fn pieces(&self) -> &[BilevelPiece] {
        &self.pieces
    }

    /// The range of λ that was searched, at some τ only a part of it (see [`Self::smallest_at`]); its end may be infinite.
    pub fn lambda_range(&self) -> [f64; 2] {
        self.lambda
    }

    /// The smallest λ that was searched at τ; none outside the range.
    pub fn smallest_at(&self, tau: f64) -> Option<f64> {
        let here = self.searched.iter().filter(|([from, to], _)| *from <= tau && tau <= *to);
        here.map(|(_, lambda)| *lambda).min_by(f64::total_cmp)
    }

    /// The pieces on which λ* is the smallest λ there is.
    pub fn at_smallest(&self) -> impl Iterator<Item = &BilevelPiece> {
        let near = |lambda: f64| (lambda - self.lambda[0]).abs() <= AT_END * self.lambda[0];
        self.pieces.iter().filter(move |piece| piece.lambda.iter().all(|&lambda| near(lambda)))
    }

    /// Counters.
    pub fn stats(&self) -> &BilevelStats {
        &self.stats
    }

    /// Ranges of τ for which no λ is known: none, unless the regions have holes.
    pub fn gaps(&self) -> usize {
        self.gaps
    }

    /// Whether all regions were found: nothing is missing, and nothing covered twice.
    pub fn is_complete(&self) -> bool {
        self.stats.holes == 0 && self.gaps == 0 && (self.stats.covered - 1.0).abs() <= super::OVERLAP
    }

    /// The best penalty at τ; none outside the range. Where two are equally good, one of them.
    pub fn at(&self, tau: f64) -> Option<Optimum> {
        let first = self.pieces.partition_point(|piece| piece.tau[1] < tau);
        let here = self.pieces.get(first..)?.iter().take_while(|piece| piece.tau[0] <= tau);
        here.filter_map(|piece| piece.at(tau)).min_by(|a, b| a.loss.total_cmp(&b.loss))
    }
}

impl BilevelPiece {
    fn new(piece: &Piece<f64>, from: f64, to: f64) -> Self {
        let loss = piece.branch.function().clone();
        let infinite = piece.id % 2 == 1;
        let lambda = [from, to].map(|tau| if infinite { f64::INFINITY } else { loss.denominator_at(&tau) });
        BilevelPiece { tau: [from, to], lambda, loss }
    }

    /// The optimum at a τ of the piece.
    pub fn at(&self, tau: f64) -> Option<Optimum> {
        let infinite = self.lambda.iter().any(|l| l.is_infinite());
        let lambda = if infinite { f64::INFINITY } else { self.loss.denominator_at(&tau) };
        Some(Optimum { tau, lambda, loss: self.loss.value(&tau)? })
    }
}
