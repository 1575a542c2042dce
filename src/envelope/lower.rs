//! The lower envelope as a list of pieces and its merge with another.

use super::branch::{Branch, RationalFunction};
use super::compare::{Comparison, compare, compare_at};
use super::position::{Position, order};
use crate::scalar::Scalar;
use crate::settings::Settings;
use std::cmp::Ordering;

/// A part of the envelope: an interval [from, to], from < to, and the branch that is lowest on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece<S: Scalar> {
    /// The branch's number.
    pub id: u64,
    /// The branch; its interval may be longer than the piece.
    pub branch: Branch<S>,
    /// The position at which the piece begins.
    pub from: Position<S>,
    /// The position at which the piece ends.
    pub to: Position<S>,
}

/// A branch on a single t that lies below all other branches there.
#[derive(Clone, Debug, PartialEq)]
pub struct Isolated<S> {
    /// The branch's number.
    pub id: u64,
    /// The branch's function.
    pub function: RationalFunction<S>,
    /// The t of the branch.
    pub at: S,
}

/// The least value at some t, and a branch that attains it.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum<S> {
    /// The branch's number.
    pub id: u64,
    /// The least value.
    pub value: S,
}

/// The lower envelope of branches; see the [module](super).
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope<S: Scalar> {
    pieces: Vec<Piece<S>>,
    isolated: Vec<Isolated<S>>,
}

impl<S: Scalar> Default for Envelope<S> {
    /// The envelope of no branches.
    fn default() -> Self {
        Envelope { pieces: Vec::new(), isolated: Vec::new() }
    }
}

impl<S: Scalar> From<(u64, Branch<S>)> for Envelope<S> {
    /// The envelope of one branch with its number.
    fn from((id, branch): (u64, Branch<S>)) -> Self {
        let mut envelope = Envelope::default();
        let (from, to) = (branch.from().clone(), branch.to().clone());
        if from < to {
            envelope.pieces.push(Piece { id, branch, from: Position::at(from), to: Position::at(to) });
        } else {
            envelope.isolated.push(Isolated { id, function: branch.function().clone(), at: from });
        }
        envelope
    }
}

impl<S: Scalar> Envelope<S> {
    /// The envelope of branches with their numbers, which should be distinct. `settings` as in [`EnvelopeBuilder::new`](super::EnvelopeBuilder::new).
    pub fn of(branches: impl IntoIterator<Item = (u64, Branch<S>)>, settings: &Settings) -> Self {
        let mut builder = super::EnvelopeBuilder::new(settings);
        branches.into_iter().for_each(|(id, branch)| builder.add(id, branch));
        builder.finish()
    }

    /// The pieces from left to right. Where one ends, the next one or a gap begins.
    pub fn pieces(&self) -> &[Piece<S>] {
        &self.pieces
    }

    /// The branches on a single t that lie below all others there, from left to right.
    pub fn isolated(&self) -> &[Isolated<S>] {
        &self.isolated
    }

    /// The number of pieces and isolated branches.
    pub fn size(&self) -> usize {
        self.pieces.len() + self.isolated.len()
    }

    /// The minimum at t, with the smallest number of a branch that attains it; `None` in a gap.
    pub fn at(&self, t: &S) -> Option<Minimum<S>> {
        if !t.is_finite_number() {
            return None;
        }
        let position = Position::at(t.clone());
        let first = self.pieces.partition_point(|piece| piece.to < position);
        let pieces = self.pieces.iter().skip(first).take_while(|piece| piece.from <= position);
        let first = self.isolated.partition_point(|isolated| isolated.at < *t);
        let isolated = self.isolated.iter().skip(first).take_while(|isolated| isolated.at == *t);
        let candidates = pieces.map(|piece| (piece.id, piece.branch.function()));
        let candidates = candidates.chain(isolated.map(|isolated| (isolated.id, &isolated.function)));
        let values = candidates.filter_map(|(id, function)| Some(Minimum { id, value: function.value(t)? }));
        values.reduce(|a, b| match order(&a.value, &b.value).then(a.id.cmp(&b.id)) {
            Ordering::Greater => b,
            _ => a,
        })
    }

    /// The parts of \[from, to\] that no piece covers, from left to right; single points are left out.
    pub fn gaps(&self, from: &S, to: &S) -> Vec<(Position<S>, Position<S>)> {
        let (mut reached, to) = (Position::at(from.clone()), Position::at(to.clone()));
        let mut gaps = Vec::new();
        for piece in &self.pieces {
            if piece.from >= to {
                break;
            }
            if piece.from > reached {
                gaps.push((reached.clone(), piece.from.clone()));
            }
            if piece.to > reached {
                reached = piece.to.clone();
            }
        }
        if reached < to {
            gaps.push((reached, to));
        }
        gaps
    }

    /// The envelope of the branches of two envelopes, in one sweep over both lists of pieces.
    pub fn merge(self, other: Self, settings: &Settings) -> Self {
        let list = Vec::with_capacity(self.pieces.len() + other.pieces.len());
        let mut merged = Pieces { list, settings };
        let mut lists = [self.pieces.into_iter(), other.pieces.into_iter()];
        let mut heads = lists.each_mut().map(Iterator::next);
        loop {
            let (mut p, mut q) = match heads {
                [Some(p), Some(q)] => (p, q),
                [Some(rest), None] | [None, Some(rest)] => {
                    merged.push(rest);
                    lists.into_iter().flatten().for_each(|piece| merged.push(piece));
                    break;
                }
                [None, None] => break,
            };
            if q.from < p.from {
                std::mem::swap(&mut p, &mut q);
                lists.swap(0, 1);
            }
            let end;
            if p.from < q.from {
                end = smaller(&p.to, &q.from);
                merged.push(p.up_to(&end));
            } else {
                end = smaller(&p.to, &q.to);
                merged.push_lower(p.up_to(&end), q.up_to(&end));
            }
            let [left, right] = &mut lists;
            heads = [p.beyond(&end).or_else(|| left.next()), q.beyond(&end).or_else(|| right.next())];
        }
        merged.list.shrink_to(2 * merged.list.len());
        let isolated = merge_isolated(self.isolated, other.isolated, settings);
        let mut envelope = Envelope { pieces: merged.list, isolated: Vec::new() };
        envelope.isolated = envelope.below_pieces(isolated, settings);
        envelope
    }

    /// Those that lie below every piece over their t.
    fn below_pieces(&self, mut isolated: Vec<Isolated<S>>, settings: &Settings) -> Vec<Isolated<S>> {
        let mut first = 0;
        isolated.retain(|point| {
            let t = Position::at(point.at.clone());
            while self.pieces.get(first).is_some_and(|piece| piece.to < t) {
                first += 1;
            }
            let mut over = self.pieces.iter().skip(first).take_while(|piece| piece.from <= t);
            over.all(|piece| {
                compare_at(&point.function, piece.branch.function(), &point.at, settings) == Ordering::Less
            })
        });
        isolated
    }
}

fn smaller<S: Scalar>(a: &Position<S>, b: &Position<S>) -> Position<S> {
    if b < a { b.clone() } else { a.clone() }
}

/// Both lists in order; of two at the same t the lower one, or the one with the smaller number.
fn merge_isolated<S: Scalar>(left: Vec<Isolated<S>>, right: Vec<Isolated<S>>, settings: &Settings) -> Vec<Isolated<S>> {
    let mut merged: Vec<Isolated<S>> = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    loop {
        let from_left = match (left.peek(), right.peek()) {
            (Some(p), Some(q)) => p.at <= q.at,
            (Some(_), None) => true,
            (None, _) => false,
        };
        let Some(next) = (if from_left { left.next() } else { right.next() }) else { return merged };
        match merged.last_mut() {
            Some(last) if last.at == next.at => {
                let order = compare_at(&next.function, &last.function, &next.at, settings);
                if order.then(next.id.cmp(&last.id)) == Ordering::Less {
                    *last = next;
                }
            }
            _ => merged.push(next),
        }
    }
}

impl<S: Scalar> Piece<S> {
    fn up_to(&self, end: &Position<S>) -> Self {
        Piece { id: self.id, branch: self.branch.clone(), from: self.from.clone(), to: end.clone() }
    }

    /// What lies beyond a position, if anything.
    fn beyond(mut self, end: &Position<S>) -> Option<Self> {
        if self.to <= *end {
            return None;
        }
        if self.from < *end {
            self.from = end.clone();
        }
        Some(self)
    }
}

/// A list of pieces under construction.
struct Pieces<'a, S: Scalar> {
    list: Vec<Piece<S>>,
    settings: &'a Settings,
}

impl<S: Scalar> Pieces<'_, S> {
    /// Appends a piece: as part of the last one where it goes on with the same branch. A piece without length is left out.
    ///
    /// Where three branches pass through one point, rounding of their crossings can leave a sliver of one that is lowest nowhere. A
    /// neighbour whose branch is defined there and the same within rounding takes its place.
    fn push(&mut self, mut piece: Piece<S>) {
        if piece.from >= piece.to {
            return;
        }
        while let Some(mut last) = self.list.pop() {
            let adjacent = last.to == piece.from;
            if adjacent && ((last.id == piece.id && last.branch == piece.branch) || self.is_sliver(&piece, &last)) {
                last.to = piece.to;
                piece = last;
            } else if adjacent && self.is_sliver(&last, &piece) {
                piece.from = last.from;
            } else {
                self.list.push(last);
                break;
            }
        }
        self.list.push(piece);
    }

    /// Whether a neighbour can take the place of a piece: never on exact scalars, for which no piece is narrow.
    fn is_sliver(&self, piece: &Piece<S>, neighbour: &Piece<S>) -> bool {
        let (from, to) = (piece.from.lower(), piece.to.upper());
        let size = S::larger(from.abs(), to.abs());
        to.clone() - from <= size * S::tolerance(self.settings.sliver)
            && neighbour.branch.from() <= from
            && to <= neighbour.branch.to()
            && self.same(piece, neighbour)
    }

    /// Whether two branches are the same over a piece, within rounding.
    fn same(&self, piece: &Piece<S>, neighbour: &Piece<S>) -> bool {
        let (f, g) = (piece.branch.function(), neighbour.branch.function());
        matches!(compare(f, g, &piece.from, &piece.to, self.settings), Comparison::Same)
    }

    /// Appends the lower one of two pieces that lie over the same interval, from crossing to crossing; where they
    /// are the same, the one with the smaller number.
    fn push_lower(&mut self, p: Piece<S>, q: Piece<S>) {
        let (first_below, crossings) =
            match compare(p.branch.function(), q.branch.function(), &p.from, &p.to, self.settings) {
                Comparison::Same => (p.id <= q.id, Vec::new()),
                Comparison::Alternating { first_below, crossings } => (first_below, crossings),
            };
        let (mut lower, mut upper) = if first_below { (p, q) } else { (q, p) };
        for crossing in crossings {
            self.push(lower.up_to(&crossing));
            lower.from = crossing.clone();
            upper.from = crossing;
            std::mem::swap(&mut lower, &mut upper);
        }
        self.push(lower);
    }
}
