//! The search: the plane in rectangles, each with the regions of all folds.
//!
//! ```text
//! grid      the solutions at the corners of a first grid, each followed from its neighbour           grid.rs, corners.rs
//! columns   of the grid, on all threads                                                              columns.rs
//! divide    a rectangle in which the solution changes much, across the direction in which it changes more
//! explore   the others: the regions of each fold, cut into cells, and their sides as branches         complex::stream, cells.rs, overlay.rs
//!           where regions are missing they are looked for from other corners, and then it is divided as well
//! strips    what lies above all knots, up to λ = ∞                                                   strips.rs, limit.rs
//! ```
//!
//! A rectangle is explored with its upper side among the branches, so that its minimum is found without its neighbours. Its regions are found in coordinates of
//! the rectangle itself, in which they are well resolved however small λ is; they are not kept. Where the regions found do not cover a rectangle, because of
//! rounding at a vertex of many regions, it is divided until they cover the parts, or the parts are points up to rounding: then the loss there is that of the
//! regions beside them. The rectangles of least penalty come first: their branches are often the best, and exclude those of other rectangles. If no region is
//! found beyond a side, all regions behind that side are missing, and are looked for from another corner.

use super::ceiling::Ceiling;
use super::cells::{Cell, Loss, Segment, branches};
use super::columns::Lines;
use super::corners::Corner;
use super::path::{End, Ends, SAME};
use super::plane::{Axis, Law, Place, Plane};
use super::{BilevelError, BilevelPath, BilevelStats, OVERLAP, alone, overlay};
use pathqp::complex::{self, ComplexError, Options};
use pathqp::envelope::{Branch, EnvelopeBuilder};
use pathqp::{PathError, Range, Settings, Status};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};

/// A rectangle is explored when the active sets at opposite corners differ in no more variables than this, in the mean over the folds.
const LEAF: usize = 16;

/// A rectangle both of whose sides are at most this part of the plane's is a point up to rounding: the corners of its regions are known to ε of the plane's
/// sides, so that the error of their area exceeds [`OVERLAP`] of the rectangle's.
const TINY: f64 = f64::EPSILON / OVERLAP;

/// At most so many rectangles of a column in which regions are missing are divided; missing parts of further ones are holes.
const FAILURES: usize = 4096;

/// The corners of a rectangle from which its regions are explored, in this order, until they cover it: first that of least varying and largest tuned parameter,
/// then the opposite one, then the others.
const CORNERS: [usize; 4] = [2, 1, 0, 3];

/// The question that a search answers.
pub(super) struct Question<'a> {
    pub planes: Vec<Box<dyn Plane + 'a>>,
    pub vary: Axis,
    pub tuned: Axis,
    /// Whether the tuned parameter goes on to infinity.
    pub unbounded: bool,
    /// Which end of the range of the tuned parameter is that of no penalty, if any, and what kind of end it is.
    pub end: Option<(Side, End)>,
    /// What was asked for of the varying parameter: the plane may go a little further.
    pub range: [f64; 2],
    /// Which ends of the tuned range were asked for, apart from that without penalty.
    pub asked: [bool; 2],
}

impl Question<'_> {
    /// The same without its planes.
    pub(super) fn outline(&self) -> Question<'static> {
        Question { planes: Vec::new(), ..*self }
    }
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    From,
    To,
}

/// A part of the plane with what is known at its corners.
pub(super) struct Rectangle {
    pub vary: [f64; 2],
    tuned: [f64; 2],
    pub corners: Option<[Arc<Corner>; 4]>,
    /// Regions were missing when it was explored as part of a larger one.
    failed: bool,
    /// The number of variables in which the active sets at opposite corners differ, of the rectangle of which this is a part.
    changes: usize,
}

impl Rectangle {
    /// The place of a corner: the first two have the lower value of the tuned parameter, the first and the third the lower one of the varying parameter.
    fn place(&self, corner: usize) -> [f64; 2] {
        [self.vary[corner % 2], self.tuned[corner / 2 % 2]]
    }
}

/// The regions of a fold in a rectangle, as far as they were found.
#[derive(Default)]
struct Found {
    cells: Vec<Cell>,
    area: f64,
    holes: usize,
    known: HashSet<Vec<Status>>,
}

impl Found {
    /// Whether they cover a rectangle of this area. A hole that takes up no room is none.
    fn covers(&self, whole: f64) -> bool {
        let least = if self.holes == 0 { OVERLAP } else { SLIVERS };
        !self.overlaps(whole) && self.area >= whole * (1.0 - least)
    }

    fn overlaps(&self, whole: f64) -> bool {
        self.area > whole * (1.0 + OVERLAP)
    }
}

/// The best value of the tuned parameter for all of the varying one.
pub(super) fn search(question: Question<'_>, settings: &Settings) -> Result<BilevelPath, BilevelError> {
    let threads = settings.threads;
    let settings = &alone(settings);
    let ceiling = Ceiling::new(question.vary);
    let mut search = Search::new(question, settings, ceiling, 0);
    search.grid();
    if search.question.unbounded {
        search.limits()?;
    }
    search.columns(threads)?;
    search.finish()
}

/// The state of the search.
pub(super) struct Search<'a, 's> {
    pub(super) question: Question<'a>,
    pub(super) settings: &'s Settings,
    pub(super) stats: BilevelStats,
    pub(super) ceiling: Ceiling,
    pub(super) builder: EnvelopeBuilder<f64>,
    pub(super) lines: Lines,
    /// The branches at the end without penalty.
    pub(super) floor: Vec<Segment>,
    /// Corners that are in use, by their place.
    pub(super) known: HashMap<[u64; 2], Weak<Corner>>,
    /// The rectangles that are left.
    pub(super) open: Vec<Rectangle>,
    /// In how many regions were missing.
    pub(super) failures: usize,
}

impl Search<'_, '_> {
    /// The corner at a place, followed from one of some others.
    pub(super) fn corner(&mut self, place: [f64; 2], near: &[Option<&Arc<Corner>>]) -> Option<Arc<Corner>> {
        let key = place.map(f64::to_bits);
        if let Some(known) = self.known.get(&key).and_then(Weak::upgrade) {
            return Some(known);
        }
        let planes = &self.question.planes;
        let found = near.iter().flatten().find_map(|near| near.beside(planes, place, self.settings));
        let corner = Arc::new(found.or_else(|| Corner::first(planes, place, self.settings))?);
        self.stats.corners += 1;
        self.known.insert(key, Arc::downgrade(&corner));
        Some(corner)
    }

    pub(super) fn push(
        &mut self,
        vary: [f64; 2],
        tuned: [f64; 2],
        corners: [Option<Arc<Corner>>; 4],
        (failed, changes): (bool, usize),
    ) {
        let [a, b, c, d] = corners;
        let corners = a.zip(b).zip(c.zip(d)).map(|((a, b), (c, d))| [a, b, c, d]);
        self.open.push(Rectangle { vary, tuned, corners, failed, changes });
    }

    /// Divides a rectangle or explores it.
    pub(super) fn look_into(&mut self, rectangle: Rectangle) -> Result<(), BilevelError> {
        self.stats.rectangles += 1;
        let leaf = LEAF * self.question.planes.len();
        let opposite = |c: &[Arc<Corner>; 4]| c[0].changes(&c[3]).max(c[1].changes(&c[2]));
        let changes = rectangle.corners.as_ref().map_or(0, opposite);
        // Where all changes happen at one line, as at C = 0, parts have as many as the whole.
        if changes > leaf && changes < rectangle.changes {
            self.divide(Rectangle { changes, ..rectangle });
            return Ok(());
        }
        self.stats.explored += 1;
        if self.explore(&rectangle)? {
            return Ok(());
        }
        self.failures += 1;
        if self.failures > FAILURES {
            self.stats.holes += 1;
        } else if self.sizes(&rectangle).iter().any(|size| *size > TINY) {
            self.divide(Rectangle { failed: true, changes, ..rectangle });
        }
        Ok(())
    }

    /// The sides of a rectangle, as parts of the plane's.
    fn sizes(&self, rectangle: &Rectangle) -> [f64; 2] {
        [self.question.vary.length(rectangle.vary), self.question.tuned.length(rectangle.tuned)]
    }

    /// Divides a rectangle across the direction in which the active set changes more, or that is longer.
    fn divide(&mut self, rectangle: Rectangle) {
        let sizes = self.sizes(&rectangle);
        let Rectangle { vary, tuned, corners, failed, changes: whole } = rectangle;
        let changes = corners
            .as_ref()
            .map(|[a, b, c, d]| [a.changes(b) + c.changes(d), a.changes(c) + b.changes(d)].map(|count| count as f64));
        let weights = changes.filter(|w| w[0] != w[1] && !failed).unwrap_or(sizes);
        let tiny = sizes.map(|size| size <= TINY);
        let across_vary = (weights[0] >= weights[1] && !tiny[0]) || tiny[1];
        let [a, b, c, d] = match corners {
            Some(corners) => corners.map(Some),
            None => [const { None }; 4],
        };
        if across_vary {
            let middle = self.question.vary.middle(vary);
            let low = self.corner([middle, tuned[0]], &[a.as_ref(), b.as_ref()]);
            let high = self.corner([middle, tuned[1]], &[c.as_ref(), d.as_ref(), low.as_ref()]);
            self.push([vary[0], middle], tuned, [a, low.clone(), c, high.clone()], (failed, whole));
            self.push([middle, vary[1]], tuned, [low, b, high, d], (failed, whole));
        } else {
            let middle = self.question.tuned.middle(tuned);
            let left = self.corner([vary[0], middle], &[c.as_ref(), a.as_ref()]);
            let right = self.corner([vary[1], middle], &[d.as_ref(), b.as_ref(), left.as_ref()]);
            self.push(vary, [tuned[0], middle], [a, b, left.clone(), right.clone()], (failed, whole));
            self.push(vary, [middle, tuned[1]], [left, right, c, d], (failed, whole));
        }
    }

    /// Adds the branches of a rectangle to the envelope. Whether its regions cover it.
    fn explore(&mut self, rectangle: &Rectangle) -> Result<bool, BilevelError> {
        let mut all = Vec::with_capacity(self.question.planes.len());
        let mut whole = true;
        for number in 0..self.question.planes.len() {
            match self.cells(number, rectangle) {
                Ok((cells, covered)) => {
                    all.push(cells);
                    whole &= covered;
                }
                Err(error @ ComplexError::Path(PathError::Problem(_))) => return Err(error.into()),
                Err(_) => return Ok(false),
            }
        }
        let covered = self.add(&all, rectangle.vary, rectangle.tuned)?;
        Ok(whole && covered)
    }

    /// The cells of a fold in a rectangle, and whether they cover it. Regions missing beyond a side of one cell, and all behind them, are found from another
    /// corner.
    fn cells(&mut self, number: usize, rectangle: &Rectangle) -> Result<(Vec<Cell>, bool), ComplexError> {
        let mut found = Found::default();
        let mut whole = 0.0;
        // In a part of a rectangle in which that did not help it would be the same again and again.
        for corner in CORNERS.into_iter().take(if rectangle.failed { 1 } else { CORNERS.len() }) {
            let Some(plane) = self.question.planes.get(number) else { return Ok((Vec::new(), false)) };
            let (low, high) = (plane.theta(rectangle.place(0)), plane.theta(rectangle.place(3)));
            whole = (high[0] - low[0]) * (high[1] - low[1]);
            match self.regions_from(corner, (number, whole), rectangle, &mut found) {
                Ok(()) if found.covers(whole) => break,
                Ok(()) => {}
                Err(error @ ComplexError::Path(PathError::Problem(_))) => return Err(error),
                // From another corner it may be found.
                Err(_) => found.holes += 1,
            }
            if found.overlaps(whole) {
                found.cells.clear();
                break;
            }
        }
        self.stats.cells += found.cells.len();
        let covers = found.covers(whole);
        Ok((found.cells, covers))
    }

    /// Adds the regions of a fold that are found from a corner of a rectangle of this area, each once.
    fn regions_from(
        &mut self,
        corner: usize,
        (number, whole): (usize, f64),
        rectangle: &Rectangle,
        found: &mut Found,
    ) -> Result<(), ComplexError> {
        let Some(plane) = self.question.planes.get_mut(number) else { return Ok(()) };
        let (low, high) = (plane.theta(rectangle.place(0)), plane.theta(rectangle.place(3)));
        let ranges = [0, 1].map(|a: usize| Range::new(low[a], high[a]));
        let qp = plane.qp().clone().within(ranges.into()).map_err(PathError::Problem)?;
        let point = plane.theta(rectangle.place(corner));
        let start = rectangle.corners.as_ref().and_then(|corners| corners.get(corner)?.folds.get(number));
        let start = start.map_or_else(|| plane.start(&point), |vertex| vertex.start());
        let options = Options { point: Some(point), start, settings: self.settings.clone(), scale: None };
        let (mut regions, mut crossings) = (0, 0);
        let (stats, holes) = complex::stream(&qp, &options, &mut |_, region| {
            let Some(corners) = region.corners(&qp, &options) else { return false };
            if !found.known.insert(region.status().to_vec()) {
                return true;
            }
            regions += 1;
            found.area += area_of(&corners);
            if found.overlaps(whole) {
                return false;
            }
            let (parts, count) = plane.cut(&Law::of(&region), &corners);
            crossings += count;
            found.cells.extend(parts);
            true
        })?;
        found.holes += holes;
        self.stats.regions += regions;
        self.stats.crossings += crossings;
        self.stats.most_open = self.stats.most_open.max(stats.most_open);
        Ok(())
    }

    /// Adds the branches of all folds' cells. Whether the folds' cells cover the same.
    pub(super) fn add(&mut self, all: &[Vec<Cell>], vary: [f64; 2], tuned: [f64; 2]) -> Result<bool, BilevelError> {
        let mut segments = Vec::new();
        let mut keep = |segment: Segment| {
            segments.push(segment);
            Ok(())
        };
        let mut covered = true;
        let squared = all.iter().flatten().any(|cell| matches!(cell.loss, Loss::Squared(_)));
        match all {
            [cells] => cells.iter().try_for_each(|cell| branches(cell, tuned[1], &mut keep))?,
            _ if squared => {
                let area = overlay::branches_of_faces(all, vary, tuned, &mut keep)?;
                let whole = (vary[1] - vary[0]) * (tuned[1] - tuned[0]);
                covered = (area / whole - 1.0).abs() <= OVERLAP;
            }
            _ => overlay::sides_of_all(all, vary, tuned, &mut keep)?,
        }
        let mut builder = EnvelopeBuilder::new(self.settings);
        self.stats.branches += segments.len();
        for segment in segments {
            if !self.ceiling.reaches(&segment) {
                continue;
            }
            if self.is_at_end(&segment) {
                self.floor.push(segment);
                continue;
            }
            self.stats.added += 1;
            let id = self.lines.add(segment.tuned);
            builder.add(id, Branch::new(segment.function(), segment.from, segment.to)?);
        }
        let envelope = builder.finish();
        self.ceiling.lower(&envelope);
        self.builder.add_envelope(envelope);
        Ok(covered)
    }

    /// Whether a branch runs along the end without penalty.
    fn is_at_end(&self, segment: &Segment) -> bool {
        let Some((side, _)) = self.question.end else { return false };
        let axis = &self.question.tuned;
        let end = if side == Side::From { axis.from } else { axis.to };
        let [value, slope] = segment.tuned;
        let near = |v: f64| (v - end).abs() <= SAME * end.abs();
        near(value) && near(value + slope * (segment.to - segment.from))
    }

    fn finish(mut self) -> Result<BilevelPath, BilevelError> {
        let envelope = std::mem::replace(&mut self.builder, EnvelopeBuilder::new(self.settings)).finish();
        // At an end that is not the problem's own the best value lies only where it is better than all others: a loss that is the same everywhere asks for no wider range.
        let flat = if matches!(self.question.end, Some((_, End::Asked | End::Criterion))) { -FLAT } else { FLAT };
        let mut at_end = false;
        let mut builder = EnvelopeBuilder::new(self.settings);
        builder.add_envelope(envelope.clone());
        for segment in &self.floor {
            let function = segment.function();
            let places = [0.0, 0.5, 1.0].map(|part| segment.from + (segment.to - segment.from) * part);
            let above = |at: &f64| {
                let (own, other) = (function.value(at)?, envelope.at(at).map_or(f64::INFINITY, |m| m.value));
                Some((own - other) / own.abs().max(f64::MIN_POSITIVE))
            };
            let above: Vec<f64> = places.iter().filter_map(above).collect();
            at_end |= above.iter().any(|above| *above <= flat);
            // Where the loss does not fall towards the end the larger penalty is the answer.
            if above.iter().any(|above| *above < -FLAT) {
                let id = self.lines.add(segment.tuned);
                builder.add(id, Branch::new(function, segment.from, segment.to)?);
            }
        }
        let axis = &self.question.tuned;
        let tuned = [axis.from, if self.question.unbounded { f64::INFINITY } else { axis.to }];
        let end = self.question.end.map_or(End::Natural, |(_, kind)| kind);
        let ends = Ends { vary: self.question.range, tuned, end, at_end, asked: self.question.asked };
        Ok(BilevelPath::new(&builder.finish(), &self.lines, ends, self.stats))
    }
}

/// Losses at the end without penalty are those of the best value up to this part.
const FLAT: f64 = 1e-9;

/// Holes that take up no more than this part of a rectangle are slivers of rounding.
const SLIVERS: f64 = 1e-9;

/// The area of a polygon with finite corners, from the first of them: far from the origin a small one would be lost in rounding.
fn area_of(corners: &[Place]) -> f64 {
    let Some(&(first, _)) = corners.first() else { return 0.0 };
    let from_first = corners.iter().map(|(p, _)| [p[0] - first[0], p[1] - first[1]]);
    let next = from_first.clone().cycle().skip(1);
    from_first.zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>().abs() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_areas_far_away_are_known() {
        let at = |x: i32, y: i32| ([0.15 + f64::from(x) * 2f64.powi(-32), 3.85 + f64::from(y) * 2f64.powi(-30)], true);
        let corners = [at(0, 0), at(2, 0), at(3, 2), at(0, 1)];
        // ½(0 + 4 + 3 + 0) of 2⁻³² × 2⁻³⁰.
        let exact = 3.5 * 2f64.powi(-62);
        assert!((area_of(&corners) / exact - 1.0).abs() <= 1e-5, "{:e} {exact:e}", area_of(&corners));
        assert_eq!(area_of(&[]), 0.0);
    }
}
