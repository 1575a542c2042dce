//! Approximate paths: fewer points, and a certified bound on the duality gap between them.
//!
//! Any two solutions of a line may be joined by a chord, with x and y affine between them, and [`Anchor::gap_to`] bounds the duality gap along it
//! ([`crate::gap`] has the derivation). An exact path has a solution at every t, so that an approximate one is a selection of its points:
//!
//! ```text
//! from the beginning: the chord to the furthest breakpoint found for which the bound is at most E; from there likewise
//! ```
//!
//! The bound need not grow with the length of a chord. The search gallops (1, 2, 4, … segments, beginning with the length of the chord before), and then
//! bisects between the last end that satisfied the bound and the first that did not. So the end that it arrives at satisfies the bound, and the next one does
//! not. If every chord up to some length satisfies the bound, two successive chords together are longer than that, and the greedy path has at most twice as
//! many points as a path with chords of that length. If no chord over two segments satisfies the bound, the one segment is kept as it is: its law is exact. A
//! jump of x or y inside a chord is allowed; where a jump lies at the end of a chord, the chord ends at the solution behind the jump, and the next one begins
//! at the solution ahead of it.
//!
//! The bound is that of [`GapBound::total`], rounding included, so that the bound computed again, in any order of summation, is at most E.

use super::path::Path;
use super::point::Point;
use super::segment::SegmentData;
use crate::active_set::Status;
use crate::error::ApproximationError;
use crate::gap::{Anchor, GapBound};
use crate::problem::Line;
use crate::scalar::Scalar;

/// The tolerance of an approximate path, and the bounds of its segments.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Approximation<S> {
    /// E, the largest duality gap, in units of the objective.
    pub(super) tolerance: S,
    /// The bound on the gap of every segment; none where the law is exact.
    pub(super) bounds: Vec<Option<S>>,
    /// Whether the stored points are solutions.
    pub(super) exact_points: bool,
}

impl<S: Scalar> Approximation<S> {
    pub(super) fn new(tolerance: &S, exact_points: bool) -> Self {
        Approximation { tolerance: tolerance.clone(), bounds: Vec::new(), exact_points }
    }

    /// Whether it can be that of a path with so many segments.
    pub(super) fn fits(&self, segments: usize) -> bool {
        self.bounds.len() == segments && self.tolerance.is_finite_number() && self.tolerance >= S::zero()
    }
}

impl<S: Scalar> Path<S> {
    /// A path with fewer points, all of them points of this one, and a duality gap of at most `tolerance` everywhere between them. Its segments are chords, or
    /// segments of this path. `tolerance` is absolute, in units of the objective ½xᵀHx + cᵀx; `line` is the line that this path was followed on. It costs O(log
    /// K) products with H for every point that is kept, K being the number of segments that its chord spans.
    ///
    /// # Errors
    /// [`ApproximationError`] for a tolerance that is negative or not finite, another line, or a path that is approximate already.
    pub fn approximate(&self, line: &Line<S>, tolerance: &S) -> Result<Path<S>, ApproximationError> {
        self.approximable(line, tolerance)?;
        let rows = (0, self.row_status_at_start().to_vec());
        let mut search = Search { path: self, line, tolerance, stride: 1, rows };
        let mut result = self.outline(Approximation::new(tolerance, true));
        let mut status = [self.status_at_start(), self.row_status_at_start()].concat();
        let mut from = 0;
        while from < self.segments().len() {
            let reach = search.furthest(from);
            let piece = match reach.bound {
                Some(bound) => search.chord(from, reach.to, bound),
                None => None,
            };
            let (piece, to) = piece.map_or_else(|| (search.exact(from), from + 1), |piece| (piece, reach.to));
            let changes: Vec<(usize, Status)> = piece.changes_from(&status);
            (status, from) = (piece.status.clone(), to);
            result.push_piece(piece, &changes);
        }
        Ok(result)
    }

    /// Adds the chord between two points, the end of the last one and a new one, with the bound on its gap. Of every variable, and of each end, `held` tells at which
    /// of its bounds it is: where it is at the same one at both ends it stays there. Does nothing for a chord of no length.
    pub(crate) fn push_chord(&mut self, ends: [&Point<S>; 2], held: [&[[bool; 2]]; 2], bound: S) {
        let common = |(a, b): (&[bool; 2], &[bool; 2])| match [a[0] && b[0], a[1] && b[1]] {
            [true, _] => Status::Lower,
            [_, true] => Status::Upper,
            _ => Status::Free,
        };
        let status: Vec<Status> = held[0].iter().zip(held[1]).map(common).collect();
        let last = self.segments().len().checked_sub(1).map(|k| self.status_on(k));
        if let Some(piece) = Piece::between(ends, status, bound, last.is_some()) {
            let changes = match &last {
                Some(before) => piece.changes_from(before),
                None => {
                    self.set_start(&piece.status);
                    Vec::new()
                }
            };
            self.push_piece(piece, &changes);
        }
    }

    fn approximable(&self, line: &Line<S>, tolerance: &S) -> Result<(), ApproximationError> {
        if !tolerance.is_finite_number() || *tolerance < S::zero() {
            return Err(ApproximationError::Tolerance { value: tolerance.to_string() });
        }
        if self.tolerance().is_some() {
            return Err(ApproximationError::Approximate);
        }
        if self.is_on(line) { Ok(()) } else { Err(ApproximationError::OtherLine) }
    }
}

/// A segment of the approximate path.
pub(super) struct Piece<S> {
    pub data: SegmentData<S>,
    /// y of the rows and its rate, where the problem has any.
    pub rows: Option<[Vec<S>; 2]>,
    /// Of the variables and then the rows.
    status: Vec<Status>,
    pub free: Vec<usize>,
    pub x: Vec<S>,
    pub dx: Vec<S>,
    pub bound: Option<S>,
}

impl<S: Scalar> Piece<S> {
    /// The chord between two points; `status` is that of the variables and then the rows. `None` if it has no length.
    fn between([start, end]: [&Point<S>; 2], status: Vec<Status>, bound: S, breakpoint: bool) -> Option<Self> {
        let length = Some(end.t.clone() - &start.t).filter(|length| *length > S::zero())?;
        let rate = |a: &S, b: &S| (b.clone() - a) / &length;
        let free: Vec<usize> = (0..start.x.len()).filter(|&i| status[i] == Status::Free).collect();
        let of_rows = || start.rows.iter().zip(&end.rows).map(|(a, b)| rate(a, b)).collect();
        Some(Piece {
            rows: (!start.rows.is_empty()).then(|| [start.rows.clone(), of_rows()]),
            x: free.iter().map(|&i| start.x[i].clone()).collect(),
            dx: free.iter().map(|&i| rate(&start.x[i], &end.x[i])).collect(),
            data: SegmentData {
                dy: rate(&start.y, &end.y),
                t: start.t.clone(),
                y: start.y.clone(),
                floating: start.floating && end.floating,
                breakpoint,
                fit: None,
            },
            status,
            free,
            bound: Some(bound),
        })
    }

    fn changes_from(&self, before: &[Status]) -> Vec<(usize, Status)> {
        let pairs = before.iter().zip(&self.status).enumerate();
        pairs.filter(|(_, (before, now))| before != now).map(|(i, (_, now))| (i, *now)).collect()
    }
}

/// How far a chord goes. Node k is the beginning of segment k, and the last node the end of the path.
struct Reach<S> {
    to: usize,
    bound: Option<S>,
}

struct Search<'a, S> {
    path: &'a Path<S>,
    line: &'a Line<S>,
    tolerance: &'a S,
    /// The segments under the last chord.
    stride: usize,
    /// The statuses of the rows behind so many segments' changes: nothing before them is asked for again.
    rows: (usize, Vec<Status>),
}

impl<S: Scalar> Search<'_, S> {
    /// The furthest node found with a chord from node `from` that keeps to the tolerance; the next node if there is none.
    fn furthest(&mut self, from: usize) -> Reach<S> {
        let last = self.last_node();
        let mut found = Reach { to: from + 1, bound: None };
        let (mut fails, mut stride) = (last + 1, self.stride.max(2));
        let start = if found.to < last { self.anchor(from, from) } else { None };
        while let Some(start) = &start
            && fails - found.to > 1
        {
            let galloping = fails > last;
            let to = if galloping { (from + stride).min(last) } else { found.to + (fails - found.to) / 2 };
            match self.bound(start, to) {
                Some(bound) => found = Reach { to, bound: Some(bound.total()) },
                None => fails = to,
            }
            stride *= 2;
        }
        self.stride = found.to - from;
        found
    }

    /// The last node that a chord may go to: on a ray the last segment has no end.
    fn last_node(&self) -> usize {
        self.path.segments().len() - usize::from(self.path.is_endless())
    }

    fn node(&self, k: usize) -> &S {
        self.path.segments().get(k).map_or(self.path.end(), |segment| &segment.t)
    }

    /// The point of a segment's law at a node.
    fn point(&self, segment: usize, node: usize) -> Option<Point<S>> {
        self.path.law_at(segment, self.node(node))
    }

    fn anchor(&self, segment: usize, node: usize) -> Option<Anchor<S>> {
        let point = self.point(segment, node)?;
        Some(Anchor::of(self.line, &point))
    }

    /// The bound on the gap up to node `to`, if it keeps to the tolerance.
    fn bound(&self, start: &Anchor<S>, to: usize) -> Option<GapBound<S>> {
        let bound = start.gap_to(&self.anchor(to - 1, to)?)?;
        (bound.total() <= *self.tolerance).then_some(bound)
    }

    /// The statuses of the variables and then the rows on a segment, no earlier one than the last that was asked for.
    fn status_on(&mut self, k: usize) -> Vec<Status> {
        let (known, rows) = &mut self.rows;
        self.path.change_rows(*known..k + 1, rows);
        *known = k + 1;
        [&self.path.status_on(k), rows.as_slice()].concat()
    }

    /// A segment as it is.
    fn exact(&mut self, k: usize) -> Piece<S> {
        let (status, path) = (self.status_on(k), self.path);
        let segment = &path.segments()[k];
        let (x, dx) = path.free_law(k);
        Piece {
            data: SegmentData {
                t: segment.t.clone(),
                y: segment.y.clone(),
                dy: segment.dy.clone(),
                floating: segment.floating,
                breakpoint: k > 0,
                fit: None,
            },
            rows: path.row_law(k).map(|(y, dy)| [y.to_vec(), dy.to_vec()]),
            status,
            free: path.free_on(k).iter().map(|&i| i as usize).collect(),
            x: x.to_vec(),
            dx: dx.to_vec(),
            bound: None,
        }
    }

    /// The chord between two nodes: variables and rows at the same bound at both ends stay there, all others are free.
    fn chord(&mut self, from: usize, to: usize, bound: S) -> Option<Piece<S>> {
        let ends = [self.point(from, from)?, self.point(to - 1, to)?];
        let [start, end] = [from, to - 1].map(|k| self.status_on(k));
        let common = |(a, b): (Status, Status)| if a == b { a } else { Status::Free };
        let status = start.into_iter().zip(end).map(common).collect();
        Piece::between([&ends[0], &ends[1]], status, bound, from > 0)
    }
}
