//! The path as an object: laws between events, evaluated at any t in O(n).
//!
//! Memory is O(Σ|F| + events): for each segment x_F with its slope, and the changes of status. Statuses are rebuilt from snapshots, one for every n/8 changes,
//! in O(n); as a status takes one byte, the snapshots take no more memory than the changes.

use super::approximate::{Approximation, Piece};
use super::ends::Stop;
use super::fits::{Fits, meets};
use super::held::Held;
use super::point::Point;
use super::rows::{RowParts, RowSegment};
use super::segment::{Segment, SegmentData};
use crate::active_set::Status;
use crate::problem::{Bounds, Line};
use crate::scalar::Scalar;
use crate::stats::Stats;

/// The version of the serialised form.
pub const FORMAT_VERSION: u32 = 4;

/// A whole path. Serialisable (with [`FORMAT_VERSION`]) where its scalar is.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "PathParts<S>", into = "PathParts<S>")]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct Path<S> {
    pub(crate) parts: PathParts<S>,
    /// Statuses at some segments, for quick evaluation.
    snapshots: Vec<(usize, Vec<Status>)>,
    held: Held<S>,
}

/// The stored form of a [`Path`]; converting it back checks it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PathParts<S> {
    format: u32,
    bounds: Bounds<S>,
    origin: Vec<S>,
    direction: Vec<S>,
    begin: S,
    /// Where the line ends.
    target: Option<S>,
    start: Vec<Status>,
    segments: Vec<Segment<S>>,
    free: Vec<u32>,
    x: Vec<S>,
    dx: Vec<S>,
    fits: Fits<S>,
    changes: Vec<(u32, Status)>,
    end: S,
    stop: Option<Stop<S>>,
    stats: Stats,
    approximation: Option<Approximation<S>>,
    /// What belongs to rows.
    #[serde(default = "no_rows")]
    pub(crate) rows: Option<RowParts<S>>,
}

fn no_rows<S>() -> Option<RowParts<S>> {
    None
}

impl<S: Scalar> Path<S> {
    fn of(parts: PathParts<S>) -> Self {
        Path { held: Held::new(&parts.bounds), parts, snapshots: Vec::new() }
    }

    pub(crate) fn new(line: &Line<S>, start: Vec<Status>) -> Self {
        let parts = PathParts {
            format: FORMAT_VERSION,
            bounds: line.bounds.clone(),
            origin: line.origin.clone(),
            direction: line.direction.clone(),
            begin: line.begin.clone(),
            target: line.end.clone(),
            start,
            segments: Vec::new(),
            free: Vec::new(),
            x: Vec::new(),
            dx: Vec::new(),
            fits: Fits::none(),
            changes: Vec::new(),
            end: line.begin.clone(),
            stop: None,
            stats: Stats::default(),
            approximation: None,
            rows: None,
        };
        Path::of(parts)
    }

    /// A path of chords between inexact solutions along a line, without chords yet.
    pub(crate) fn of_chords(line: &Line<S>, tolerance: &S) -> Self {
        let mut path = Path::new(line, vec![Status::Free; line.n()]);
        path.parts.approximation = Some(Approximation::new(tolerance, false));
        path
    }

    /// The same line, end and counters, without segments yet.
    pub(crate) fn outline(&self, approximation: Approximation<S>) -> Self {
        let p = &self.parts;
        let parts = PathParts {
            format: FORMAT_VERSION,
            bounds: p.bounds.clone(),
            origin: p.origin.clone(),
            direction: p.direction.clone(),
            begin: p.begin.clone(),
            target: p.target.clone(),
            start: p.start.clone(),
            segments: Vec::new(),
            free: Vec::new(),
            x: Vec::new(),
            dx: Vec::new(),
            fits: Fits::none(),
            changes: Vec::new(),
            end: p.end.clone(),
            stop: p.stop.clone(),
            stats: p.stats.clone(),
            approximation: Some(approximation),
            rows: p.rows.as_ref().map(RowParts::outline),
        };
        Path::of(parts)
    }

    /// Whether the path runs on this line, as far as the bounds and the parameters tell.
    pub(crate) fn is_on(&self, line: &Line<S>) -> bool {
        let p = &self.parts;
        p.bounds == line.bounds
            && p.origin == line.origin
            && p.direction == line.direction
            && p.begin == line.begin
            && p.target == line.end
            && p.rows.as_ref().map(RowParts::m) == line.rows.as_ref().map(|rows| rows.matrix.rows())
    }

    pub(crate) fn set_start(&mut self, status: &[Status]) {
        self.parts.start = status.to_vec();
    }

    pub(crate) fn push(
        &mut self,
        data: SegmentData<S>,
        free: &[usize],
        (x, dx): (&[S], &[S]),
        changes: &[(usize, Status)],
    ) {
        let p = &mut self.parts;
        p.free.extend(free.iter().map(|&i| i as u32));
        p.x.extend_from_slice(x);
        p.dx.extend_from_slice(dx);
        p.changes.extend(changes.iter().map(|&(i, s)| (i as u32, s)));
        let (free_end, changes_end) = (p.free.len(), p.changes.len());
        let SegmentData { t, mut y, dy, floating, breakpoint, fit } = data;
        let last = p.segments.last().map(|last| (t.clone() - &last.t, last.y.clone(), &last.dy));
        let ahead = last.as_ref().map(|(ahead, ..)| ahead.clone());
        if let (true, Some((ahead, value, rate))) = (p.fits.push(&t, ahead, fit), last) {
            let end = value + rate.clone() * ahead;
            if meets(&t, &[end.clone() - &y], std::slice::from_ref(&dy)) {
                y = end;
            }
        }
        p.segments.push(Segment { t, y, dy, floating, breakpoint, free_end, changes_end });
        self.snapshot_if_due();
    }

    /// A segment of an approximate path with the bound on its gap.
    pub(super) fn push_piece(&mut self, piece: Piece<S>, changes: &[(usize, Status)]) {
        let Piece { data, rows, free, x, dx, bound, .. } = piece;
        if let Some(approximation) = &mut self.parts.approximation {
            approximation.bounds.push(bound);
        }
        match rows {
            Some([y, dy]) => {
                let data = RowSegment { t: data.t, y, dy, breakpoint: data.breakpoint, fit: data.fit };
                self.push_rows(data, &free, (&x, &dx), changes);
            }
            None => self.push(data, &free, (&x, &dx), changes),
        }
    }

    fn snapshot_if_due(&mut self) {
        let last = self.snapshots.last().map_or(0, |s| s.0);
        let k = self.parts.segments.len() - 1;
        let changes = self.parts.segments[k].changes_end - self.changes_start(last);
        if self.snapshots.is_empty() || 8 * changes > self.parts.start.len() {
            let status = self.status_on(k);
            self.snapshots.push((k, status));
        }
    }

    pub(crate) fn finish(&mut self, t: S, stop: Stop<S>, stats: Stats) {
        self.parts.end = t;
        self.parts.stop = Some(stop);
        self.parts.stats = stats;
    }

    fn changes_start(&self, segment: usize) -> usize {
        if segment == 0 { 0 } else { self.parts.segments[segment - 1].changes_end }
    }

    fn free_range(&self, segment: usize) -> std::ops::Range<usize> {
        let start = if segment == 0 { 0 } else { self.parts.segments[segment - 1].free_end };
        start..self.parts.segments[segment].free_end
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment<S>] {
        &self.parts.segments
    }

    /// The free variables of a segment, in the order of [`Path::free_at`].
    pub fn free_on(&self, segment: usize) -> &[u32] {
        &self.parts.free[self.free_range(segment)]
    }

    /// The variables whose status changes at the beginning of a segment, with their new status.
    pub fn changes_on(&self, segment: usize) -> &[(u32, Status)] {
        &self.parts.changes[self.changes_start(segment)..self.parts.segments[segment].changes_end]
    }

    /// x of the free variables of a segment at t, in the order of [`Path::free_on`].
    pub fn free_at(&self, segment: usize, t: &S) -> Vec<S> {
        let ahead = t.clone() - &self.parts.segments[segment].t;
        let range = self.free_range(segment);
        let laws = self.parts.x[range.clone()].iter().zip(&self.parts.dx[range]);
        laws.map(|(x, dx)| x.clone() + dx.clone() * &ahead).collect()
    }

    /// x of the free indices at the beginning of a segment, and their rates.
    pub(crate) fn free_law(&self, segment: usize) -> (&[S], &[S]) {
        let range = self.free_range(segment);
        (&self.parts.x[range.clone()], &self.parts.dx[range])
    }

    /// The statuses that the changes of the first segment start from.
    pub(crate) fn status_at_start(&self) -> &[Status] {
        &self.parts.start
    }

    /// The status of every variable on a segment. On a chord of an approximate path the variables that are not at the same bound at both ends are free.
    pub fn status_on(&self, segment: usize) -> Vec<Status> {
        let near = self.snapshots.partition_point(|s| s.0 <= segment);
        let (mut status, from) = match near.checked_sub(1).map(|k| &self.snapshots[k]) {
            Some((k, status)) => (status.clone(), self.parts.segments[*k].changes_end),
            None => (self.parts.start.clone(), 0),
        };
        for &(i, s) in &self.parts.changes[from..self.parts.segments[segment].changes_end] {
            status[i as usize] = s;
        }
        status
    }

    /// The positions t at which the sign pattern of z changes, in ascending order; of an approximate path the stored points between its two ends.
    pub fn breakpoints(&self) -> Vec<S> {
        self.parts.segments.iter().filter(|s| s.breakpoint).map(|s| s.t.clone()).collect()
    }

    /// The t up to which the path was followed: the end of the line, or where it stopped. On a ray that was followed to infinity ([`Path::is_endless`]) this is
    /// the last breakpoint, and [`Path::at`] has the solutions beyond it as well.
    pub fn end(&self) -> &S {
        &self.parts.end
    }

    /// Why the path ended; `None` while it is being followed.
    pub fn stop(&self) -> Option<&Stop<S>> {
        self.parts.stop.as_ref()
    }

    /// Whether the path ended with [`Stop::Target`]: the whole line was followed, or a ray along which x has a limit. It is false where x grows without bound
    /// along a ray ([`Stop::Diverges`]), although no part of the path is missing then: use [`Path::is_endless`] for rays.
    pub fn is_complete(&self) -> bool {
        matches!(self.parts.stop, Some(Stop::Target))
    }

    /// Whether the last segment goes to infinity: there are no further events on the ray, and x has a limit ([`Stop::Target`]) or not ([`Stop::Diverges`]).
    /// Every t from the beginning on then has a solution. False for a line with an end.
    pub fn is_endless(&self) -> bool {
        self.parts.target.is_none() && matches!(self.parts.stop, Some(Stop::Target | Stop::Diverges { .. }))
    }

    /// The tolerance E of an approximate path, the largest duality gap allowed, in units of the objective; `None` for an exact path.
    pub fn tolerance(&self) -> Option<&S> {
        self.parts.approximation.as_ref().map(|a| &a.tolerance)
    }

    /// The bound on the duality gap along a segment of an approximate path, at most [`Path::tolerance`]; `None` for a segment whose law is exact.
    pub fn gap_bound(&self, segment: usize) -> Option<&S> {
        self.parts.approximation.as_ref()?.bounds.get(segment)?.as_ref()
    }

    /// Whether the stored points of an approximate path are solutions. They are not on a path of inexact solutions, whose gap is at most [`Path::tolerance`] there as
    /// everywhere. True for an exact path.
    pub fn has_exact_points(&self) -> bool {
        self.parts.approximation.as_ref().is_none_or(|a| a.exact_points)
    }

    /// The largest [`Path::gap_bound`], zero if no segment has one; `None` for an exact path.
    pub fn max_gap_bound(&self) -> Option<S> {
        let bounds = self.parts.approximation.as_ref()?.bounds.iter().flatten();
        Some(bounds.fold(S::zero(), |m, bound| S::larger(m, bound.clone())))
    }

    /// The counters; for an approximate path those of the exact path that it was made from. Of a path of inexact solutions
    /// the events are its stored points but the first, and the pivots sweeps of descent.
    pub fn stats(&self) -> &Stats {
        &self.parts.stats
    }

    /// The number of variables n.
    pub fn n(&self) -> usize {
        self.parts.start.len()
    }

    /// The least t of the line, where the path begins.
    pub fn begin(&self) -> &S {
        &self.parts.begin
    }

    /// The upper bound of variable i along the line: its value at t = 0 (which need not lie on the line) and its slope. `None` without an upper bound.
    pub fn upper_bound(&self, i: usize) -> Option<&[S; 2]> {
        self.parts.bounds.upper.get(i)?.as_ref()
    }

    /// The parameters θ at t, p entries.
    pub fn parameter(&self, t: &S) -> Vec<S> {
        self.parts.origin.iter().zip(&self.parts.direction).map(|(o, d)| o.clone() + d.clone() * t).collect()
    }

    /// The position t of a point θ of the line (p entries), computed from the first parameter that changes along the line; the others are ignored. t may lie
    /// outside the path. `None` if θ is too short, or if the line is a single point other than θ.
    pub fn position(&self, theta: &[S]) -> Option<S> {
        match self.parts.direction.iter().position(|d| !d.is_zero()) {
            Some(j) => Some((theta.get(j)?.clone() - &self.parts.origin[j]) / &self.parts.direction[j]),
            None => (theta == self.parts.origin).then(|| self.parts.begin.clone()),
        }
    }

    /// The segment that [`Path::at`] evaluates at t, the last one that begins at or before t; `None` outside the path. [`Path::status_on`] has its statuses:
    /// where l = u they tell at which of the two bounds a variable is, which x does not.
    pub fn segment_at(&self, t: &S) -> Option<usize> {
        self.covers(t).then(|| self.parts.segments.partition_point(|s| s.t <= *t).checked_sub(1))?
    }

    /// The solution at t, by the last segment that begins at or before t; `None` outside the path. At a jump this is the solution ahead of it; [`Path::before`]
    /// has the one behind.
    pub fn at(&self, t: &S) -> Option<Point<S>> {
        self.on_segment(self.segment_at(t)?, t)
    }

    /// The solution at the point θ of the line (p entries): [`Path::at`] of [`Path::position`]. `None` outside the path.
    pub fn at_parameter(&self, theta: &[S]) -> Option<Point<S>> {
        self.at(&self.position(theta)?)
    }

    /// The solution at t by the last segment that begins before t: it differs from [`Path::at`] only where x or y jumps.
    pub fn before(&self, t: &S) -> Option<Point<S>> {
        let k = self.parts.segments.partition_point(|s| s.t < *t);
        self.on_segment(k.saturating_sub(1), t)
    }

    /// The law of a segment, evaluated at t, whether or not t lies on the segment; `None` where t lies outside the path, or there is no such segment.
    pub fn law_at(&self, segment: usize, t: &S) -> Option<Point<S>> {
        self.on_segment(segment, t)
    }

    /// x on the last segment at t, n entries, wherever it ends.
    pub(crate) fn last_x(&self, t: &S) -> Option<Vec<S>> {
        Some(self.x_on(self.parts.segments.len().checked_sub(1)?, t))
    }

    /// Whether t is a number in [begin, end], where an endless path has no end.
    fn covers(&self, t: &S) -> bool {
        *t >= self.parts.begin && (*t <= self.parts.end || self.is_endless()) && t.is_finite_number()
    }

    fn on_segment(&self, k: usize, t: &S) -> Option<Point<S>> {
        if !self.covers(t) {
            return None;
        }
        let segment = self.parts.segments.get(k)?;
        let free = self.parts.free[self.free_range(k)].iter().map(|&i| i as usize).collect();
        let rows = self.rows_at(k, t);
        Some(Point {
            t: t.clone(),
            x: self.x_on(k, t),
            y: segment.y_at(t, self.parts.segments.get(k + 1)),
            rows,
            floating: segment.floating,
            free,
            fit: self.fit_on(k, t),
        })
    }

    /// Zᵀx on a segment at t.
    fn fit_on(&self, k: usize, t: &S) -> Option<Vec<S>> {
        let begin = &self.parts.segments[k].t;
        let length = self.parts.segments.get(k + 1).map(|next| next.t.clone() - begin);
        self.parts.fits.at(k, &(t.clone() - begin), length)
    }

    /// x on a segment at t.
    fn x_on(&self, k: usize, t: &S) -> Vec<S> {
        let ahead = t.clone() - &self.parts.segments[k].t;
        // Free variables are overwritten below.
        let mut x = self.held.at(self.status_on(k).iter(), t);
        let range = self.free_range(k);
        for (&i, (v, d)) in self.parts.free[range.clone()]
            .iter()
            .zip(self.parts.x[range.clone()].iter().zip(&self.parts.dx[range.clone()]))
        {
            x[i as usize] = v.clone() + d.clone() * &ahead;
        }
        x
    }
}

impl<S> From<Path<S>> for PathParts<S> {
    fn from(path: Path<S>) -> Self {
        path.parts
    }
}

/// Refuses a stored path whose lists do not fit together (a damaged file), so that evaluation cannot go wrong.
impl<S: Scalar> TryFrom<PathParts<S>> for Path<S> {
    type Error = String;

    fn try_from(parts: PathParts<S>) -> Result<Self, String> {
        let n = parts.start.len();
        if parts.format != FORMAT_VERSION {
            return Err(format!("format {} of the path, this version reads format {FORMAT_VERSION}", parts.format));
        }
        let shapes = parts.bounds.lower.len() == n
            && parts.bounds.upper.len() == n
            && parts.origin.len() == parts.direction.len()
            && parts.x.len() == parts.free.len()
            && parts.dx.len() == parts.free.len()
            && parts.fits.is_sound(parts.segments.len())
            && parts.approximation.as_ref().is_none_or(|a| a.fits(parts.segments.len()))
            && parts.rows.as_ref().is_none_or(|rows| rows.is_sound(parts.segments.len()))
            && parts.free.iter().chain(parts.changes.iter().map(|c| &c.0)).all(|&i| (i as usize) < n);
        let ordered = parts
            .segments
            .windows(2)
            .all(|w| w[0].t <= w[1].t && w[0].free_end <= w[1].free_end && w[0].changes_end <= w[1].changes_end);
        let last = parts.segments.last();
        let ends = last.is_none_or(|s| s.free_end == parts.free.len() && s.changes_end == parts.changes.len());
        if !(shapes && ordered && ends) {
            return Err("the path's lists do not fit together: the file is damaged".into());
        }
        let mut path = Path::of(parts);
        let segments = std::mem::take(&mut path.parts.segments);
        for segment in segments {
            path.parts.segments.push(segment);
            path.snapshot_if_due();
        }
        Ok(path)
    }
}
