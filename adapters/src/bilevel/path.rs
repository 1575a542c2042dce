//! The result of a bi-level search: the best value of the tuned parameter, piece by piece (λ*(τ) for quantile regression).

use super::columns::Lines;
use pathqp::envelope::{Envelope, Piece, RationalFunction};

/// Pieces no wider than this are slivers between ends that are the same but for rounding.
const SLIVER: f64 = 1e-10;

/// A best value within this part of the smallest one is the smallest one.
const AT_END: f64 = 1e-9;

/// Values that agree to this part are equal: pieces of one branch on both sides of a line that divides the plane.
pub(super) const SAME: f64 = 1e-9;

/// Losses that agree to this part are.
const SAME_LOSS: f64 = 1e-11;

/// Why a search ends at its end of least penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Beyond it the solution does not change any more: f interpolates the rows as far as it can.
    Interpolation,
    /// Beyond it double precision does not determine f: rounding of the kernel's values may move f by 1e-10 of the range of the responses (for ε-SVR by 1e-12
    /// of the widest tube).
    Precision,
    /// The end was given by the caller.
    Asked,
    /// The default end of a search by a criterion on the training rows, which falls without bound towards interpolation.
    Criterion,
    /// The natural end of the parameter: a tube of width zero, or one that contains every row.
    Natural,
}

impl End {
    /// The name of the reason, in one word.
    pub fn name(self) -> &'static str {
        match self {
            End::Interpolation => "interpolation",
            End::Precision => "precision",
            End::Asked => "asked",
            End::Criterion => "criterion",
            End::Natural => "natural",
        }
    }
}

/// Counters of a bi-level search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BilevelStats {
    /// Rectangles of the plane that were considered.
    pub rectangles: usize,
    /// Rectangles whose regions were found.
    pub explored: usize,
    /// Points of the plane at which the problems of all folds were solved.
    pub corners: usize,
    /// Critical regions found, over all folds.
    pub regions: usize,
    /// Validation crossings, over all regions.
    pub crossings: usize,
    /// Cells, over all regions.
    pub cells: usize,
    /// Branches of the validation loss.
    pub branches: usize,
    /// Branches that were added to the envelope, because an upper bound did not rule them out.
    pub added: usize,
    /// The largest number of open regions at one time.
    pub most_open: usize,
    /// Parts of the plane that could not be searched.
    pub holes: usize,
}

/// An interval of the varying parameter on which the best value of the tuned parameter is affine (or infinite), and the loss is one rational function.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPiece {
    /// The ends of the interval.
    pub vary: [f64; 2],
    /// The best value at both ends; λ is infinite where the best f is a constant.
    pub tuned: [f64; 2],
    /// The least validation loss, per unit of weight, as a function of the varying parameter.
    pub loss: RationalFunction<f64>,
    /// The best value as a function of the distance from the loss's origin: value, slope.
    line: [f64; 2],
    /// The range of the tuned parameter.
    range: [f64; 2],
}

/// The best value of the tuned parameter at one value of the varying parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// The value of the varying parameter (τ).
    pub vary: f64,
    /// The best value of the tuned parameter (λ*(τ)); infinite where the best f is a constant.
    pub tuned: f64,
    /// The validation loss, per unit of weight.
    pub loss: f64,
}

/// The best value of one parameter for every value of another one in an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct BilevelPath {
    pieces: Vec<BilevelPiece>,
    /// Beyond the range, from the left and from the right, for its ends.
    outer: Vec<BilevelPiece>,
    tuned: [f64; 2],
    end: End,
    at_end: bool,
    stats: BilevelStats,
    gaps: usize,
}

/// What a search knows of its ends.
pub(super) struct Ends {
    /// The range of the varying parameter, and of the tuned one.
    pub vary: [f64; 2],
    pub tuned: [f64; 2],
    /// The kind of the one without penalty, and whether the best loss is attained there.
    pub end: End,
    pub at_end: bool,
    /// Which ends of the tuned range were asked for.
    pub asked: [bool; 2],
}

impl BilevelStats {
    /// Counts those of another part of the plane in.
    pub(super) fn add(&mut self, other: &Self) {
        self.rectangles += other.rectangles;
        self.explored += other.explored;
        self.corners += other.corners;
        self.regions += other.regions;
        self.crossings += other.crossings;
        self.cells += other.cells;
        self.branches += other.branches;
        self.added += other.added;
        self.most_open = self.most_open.max(other.most_open);
        self.holes += other.holes;
    }
}

impl BilevelPath {
    /// `lines` holds for each branch the tuned parameter along it.
    pub(super) fn new(envelope: &Envelope<f64>, lines: &Lines, ends: Ends, stats: BilevelStats) -> Self {
        let Ends { vary, tuned, mut end, mut at_end, asked } = ends;
        let mut path = BilevelPath { pieces: Vec::new(), outer: Vec::new(), tuned, end, at_end, stats, gaps: 0 };
        let mut reached = vary[0];
        for piece in envelope.pieces() {
            let (from, to) = (*piece.from.lower(), *piece.to.upper());
            let line = lines.get(piece.id).unwrap_or([f64::NAN; 2]);
            for outside in [[from, to.min(vary[0])], [from.max(vary[1]), to]] {
                if outside[1] > outside[0] {
                    path.outer.push(BilevelPiece::new(piece, (line, tuned), outside[0], outside[1]));
                }
            }
            let to = to.min(vary[1]);
            if to - reached <= SLIVER {
                continue;
            }
            path.gaps += usize::from(from - reached > SLIVER);
            let from = if from - reached <= SLIVER { reached } else { from };
            path.push(BilevelPiece::new(piece, (line, tuned), from, to));
            reached = to;
        }
        if let Some(last) = path.pieces.last_mut().filter(|last| (last.vary[1] - vary[1]).abs() <= SLIVER) {
            last.vary[1] = vary[1];
            last.tuned[1] = last.value(vary[1]);
            reached = vary[1];
        }
        path.gaps += usize::from(reached < vary[1]);
        if [0, 1].into_iter().any(|side: usize| asked[side] && path.pieces_at(tuned[side]).next().is_some()) {
            (end, at_end) = (End::Asked, true);
        }
        (path.end, path.at_end) = (end, at_end);
        path
    }

    /// Adds a piece, which may go on with the one before it.
    fn push(&mut self, piece: BilevelPiece) {
        match self.pieces.last_mut().filter(|last| last.goes_on_with(&piece)) {
            Some(last) => {
                last.vary[1] = piece.vary[1];
                last.tuned[1] = piece.tuned[1];
            }
            None => self.pieces.push(piece),
        }
    }

    /// The pieces, by ascending value of the varying parameter. They cover its interval unless there are [gaps](Self::gaps).
    pub fn pieces(&self) -> &[BilevelPiece] {
        &self.pieces
    }

    /// The range of the tuned parameter that was searched; its upper end may be infinite.
    pub fn tuned_range(&self) -> [f64; 2] {
        self.tuned
    }

    /// Why the search ends at its end of least penalty; [`End::Asked`] where a best value lies at an end that the caller gave.
    pub fn end(&self) -> End {
        self.end
    }

    /// Whether for some value of the varying parameter the best loss is attained at that end.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Whether a best value lies at an end that the caller gave, so that a wider range may have a better one.
    pub fn is_cut_off(&self) -> bool {
        self.at_end && self.end == End::Asked
    }

    /// The pieces on which the best value is `value` throughout, up to rounding; `value` is finite.
    pub fn pieces_at(&self, value: f64) -> impl Iterator<Item = &BilevelPiece> {
        let near = move |other: f64| (value - other).abs() <= AT_END * value.abs();
        self.pieces.iter().filter(move |piece| piece.tuned.iter().all(|&value| near(value)))
    }

    /// Counters of the search.
    pub fn stats(&self) -> &BilevelStats {
        &self.stats
    }

    /// The number of intervals of the varying parameter for which no best value was found.
    pub fn gaps(&self) -> usize {
        self.gaps
    }

    /// Whether all of the given domain was searched, and every value of the varying parameter has its best value (which may lie [at an end](Self::at_end)).
    pub fn is_complete(&self) -> bool {
        self.stats.holes == 0 && self.gaps == 0
    }

    /// The best value at one value of the varying parameter; `None` outside the interval. Where two are equally good, one of them; where the solution jumps,
    /// the better side.
    pub fn at(&self, vary: f64) -> Option<Optimum> {
        let first = self.pieces.partition_point(|piece| piece.vary[1] < vary);
        let here = self.pieces.get(first..)?.iter().take_while(|piece| piece.vary[0] <= vary);
        let ends = [self.pieces.first()?.vary[0], self.pieces.last()?.vary[1]];
        let touches = |piece: &&BilevelPiece| piece.vary.iter().any(|end| (end - vary).abs() <= SLIVER);
        let outer = self.outer.iter().filter(|piece| ends.contains(&vary) && touches(piece));
        here.chain(outer).filter_map(|piece| piece.at(vary)).min_by(|a, b| a.loss.total_cmp(&b.loss))
    }
}

impl BilevelPiece {
    fn new(piece: &Piece<f64>, (line, range): ([f64; 2], [f64; 2]), from: f64, to: f64) -> Self {
        let loss = piece.branch.function().clone();
        let mut piece = BilevelPiece { vary: [from, to], tuned: [0.0; 2], loss, line, range };
        piece.tuned = [from, to].map(|vary| piece.value(vary));
        piece
    }

    /// Whether another piece is the same branch further on.
    fn goes_on_with(&self, next: &Self) -> bool {
        let [from, to] = next.vary;
        // An infinite value is the same as itself only.
        let same = |a: f64, b: f64, part: f64| {
            a == b || (a.is_finite() && b.is_finite() && (a - b).abs() <= part * a.abs().max(b.abs()))
        };
        (from - self.vary[1]).abs() <= SLIVER
            && [from, from / 2.0 + to / 2.0, to].iter().all(|&vary| {
                let losses = self.loss.value(&vary).zip(next.loss.value(&vary));
                same(self.value(vary), next.value(vary), SAME) && losses.is_some_and(|(a, b)| same(a, b, SAME_LOSS))
            })
    }

    /// The best value at a place of the piece; rounding must not carry it out of its range.
    fn value(&self, vary: f64) -> f64 {
        let ([value, slope], [from, to]) = (self.line, self.range);
        (value + slope * (vary - self.loss.origin)).max(from).min(to)
    }

    /// The optimum at a value of the varying parameter, by the formulas of this piece; `None` where the denominator of the loss is zero.
    pub fn at(&self, vary: f64) -> Option<Optimum> {
        Some(Optimum { vary, tuned: self.value(vary), loss: self.loss.value(&vary)? })
    }
}
