//! The search for every region: across each side, layer by layer.
//!
//! ```text
//! start      follow any path from the start; the first active set whose cell has an interior gives the first region
//! layer      for every uncovered part of a side of the open regions:
//!   known      the pattern beyond is known (one index changes) and a region with it was found already: glue
//!   cross      change that index; if the cell of the new active set has an interior, it is right by the KKT conditions
//!              otherwise follow the path from the centre through a point of the side: the one-sided derivative crosses it
//!   glue       the region beyond and this one share the common part of their facing sides; the rest of both stays uncovered
//! end        no side is uncovered; a region all of whose sides are covered is handed on and forgotten
//! ```
//!
//! A region is identified by its sign pattern, never by where it lies. Sides need not match: one side may border several regions, and what stays uncovered is
//! crossed again. Two regions whose sides lie on one line according to their active sets (`taking_back`, `exchanging`) face each other even where rounding has
//! moved the lines apart. A layer needs the open regions of the layers before it, and the patterns of all regions, so that none is found twice; therefore the
//! regions can be streamed (\[Wesierski 2017, §3.1\]). If a path across a side cannot be followed, another place of the side is tried. A part of a side beyond
//! which nothing is found is left to the search from the other side, and is a hole if that finds nothing either. The crossings of a layer are independent of
//! each other; their results are taken in order, so that the complex does not depend on the number of threads.

use super::ComplexError;
use super::geometry::{HalfPlane, Interval, Point};
use super::law::Pattern;
use super::region::{Question, Region, Stretches};
use super::topology::{EdgeId, RegionId};
use crate::error::PathError;
use crate::observe::{Event, Observer};
use crate::path::{Follower, Start};
use crate::scalar::Scalar;
use crate::settings::ATTEMPTS;
use crate::threads::Threads;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Counters of the exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExploreStats {
    /// Layers explored.
    pub layers: usize,
    /// Regions found by changing one index.
    pub changed: usize,
    /// Regions found by following a path.
    pub followed: usize,
    /// Parts of sides beyond which a region that was already known lies.
    pub known: usize,
    /// The largest number of open regions, those with an uncovered side, at one time.
    pub most_open: usize,
}

/// The way to the first region, which may take as long as a path does: the observer is asked at every event whether to go on.
pub(super) struct Way<'g> {
    go_on: &'g mut dyn FnMut(&ExploreStats) -> bool,
    events: usize,
}

impl<'g> Way<'g> {
    pub fn new(go_on: &'g mut dyn FnMut(&ExploreStats) -> bool) -> Self {
        Way { go_on, events: 0 }
    }

    /// Counts an event; whether to go on.
    fn goes_on(&mut self) -> bool {
        self.events += 1;
        (self.go_on)(&ExploreStats::default())
    }
}

impl<S> Observer<S> for Way<'_> {
    fn event(&mut self, _event: &Event<'_, S>) -> bool {
        self.goes_on()
    }

    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        self.goes_on()
    }
}

/// A region at hand.
struct Open<S> {
    region: Region<S>,
    uncovered: Vec<Vec<Interval<S>>>,
    /// Intervals of each side beyond which nothing was found from this region. The neighbour may be found from the other side.
    left: Vec<Vec<Interval<S>>>,
    /// What has been covered of each side, and the edge there.
    covered: Vec<Vec<(Interval<S>, EdgeId)>>,
    attempts: Vec<u32>,
}

/// A region all of whose sides are covered, with the edges of each side, anticlockwise.
pub(super) struct Closed<S> {
    pub id: RegionId,
    pub region: Region<S>,
    pub edges: Vec<Vec<EdgeId>>,
}

/// An uncovered part of a side.
struct Task<S> {
    id: RegionId,
    side: usize,
    part: Interval<S>,
    /// Where it is crossed.
    point: Point<S>,
    /// The pattern beyond it, if one index changes.
    beyond: Option<Pattern>,
}

enum Found<S> {
    Changed(Box<Region<S>>),
    Followed(Box<Region<S>>),
    Known(RegionId),
    Nothing,
}

/// The regions at hand.
pub(super) struct Explorer<'a, S> {
    pub question: Question<'a, S>,
    open: BTreeMap<RegionId, Open<S>>,
    /// All that were found, also those that are forgotten: no region is found twice.
    by_pattern: HashMap<Pattern, RegionId>,
    regions: u32,
    edges: u32,
    pub stats: ExploreStats,
    /// Parts of sides beyond which nothing was found.
    pub holes: usize,
    threads: Threads,
}

impl<'a, S: Scalar> Explorer<'a, S> {
    /// At the region that the path from `point` (in Θ) into the domain meets first.
    pub fn new(
        question: Question<'a, S>,
        point: &[S; 2],
        start: &Start<S>,
        way: &mut Way,
    ) -> Result<Self, ComplexError> {
        if question.qp.has_rows() {
            return Err(ComplexError::Rows);
        }
        let threads = Threads::new(question.settings.threads);
        let mut explorer = Explorer {
            question,
            open: BTreeMap::new(),
            by_pattern: HashMap::new(),
            regions: 0,
            edges: 0,
            stats: ExploreStats::default(),
            holes: 0,
            threads,
        };
        let first = explorer.first(point, start, way)?.ok_or(ComplexError::NoRegion)?;
        explorer.insert(first);
        Ok(explorer)
    }

    fn first(&self, point: &[S; 2], start: &Start<S>, way: &mut Way) -> Result<Option<Region<S>>, PathError> {
        let frame = &self.question.frame;
        let part = |p: i64, q: i64| S::integer(p) / S::integer(q);
        let [x, y, w] = frame.polygon.centre();
        for (a, b) in [(part(3, 41), part(-5, 73)), (part(-7, 43), part(-2, 71)), (part(1, 97), part(11, 59))] {
            let inside = [x.clone() + a, y.clone() + b, w.clone()];
            let line = self.question.line_to(&frame.point(point), &inside);
            let mut follower = Follower::watched(&line, start, self.question.settings.clone(), way)?;
            let mut stretches = Stretches::all(&mut follower, frame);
            while let Some(stretch) = stretches.next()? {
                if !way.goes_on() {
                    return Err(PathError::StartStopped { events: way.events });
                }
                let Some(solved) = self.question.law(&stretch.middle, &stretch.status, None)? else { continue };
                let region = self.question.region(solved, stretch.status)?;
                if region.is_some() {
                    return Ok(region);
                }
            }
        }
        Ok(None)
    }

    /// Takes in a new region. The sides on the boundary have their edges at once.
    fn insert(&mut self, region: Region<S>) -> RegionId {
        let id = RegionId(self.regions);
        self.regions += 1;
        let mut covered: Vec<Vec<(Interval<S>, EdgeId)>> = vec![Vec::new(); region.sides.len()];
        let mut uncovered: Vec<Vec<Interval<S>>> = vec![Vec::new(); region.sides.len()];
        for (k, side) in region.sides.iter().enumerate() {
            if side.wall {
                covered[k].push((side.extent.clone(), self.new_edge()));
            } else {
                uncovered[k].push(side.extent.clone());
            }
        }
        self.by_pattern.insert(region.pattern.clone(), id);
        let attempts = vec![0; region.sides.len()];
        let left = vec![Vec::new(); region.sides.len()];
        self.open.insert(id, Open { region, uncovered, left, covered, attempts });
        self.stats.most_open = self.stats.most_open.max(self.open.len());
        id
    }

    fn new_edge(&mut self) -> EdgeId {
        self.edges += 1;
        EdgeId(self.edges - 1)
    }

    /// Crosses every uncovered part of a side; returns the regions that are closed by it, or none at the end.
    pub fn layer(&mut self) -> Result<Option<Vec<Closed<S>>>, ComplexError> {
        if self.open.is_empty() {
            return Ok(None);
        }
        self.stats.layers += 1;
        self.glue_known();
        let tasks = self.tasks();
        if tasks.is_empty() {
            self.give_up();
        }
        let found = self.threads.map(&tasks, |task| self.cross(task));
        for (task, found) in tasks.iter().zip(found) {
            match found {
                // The problem itself is wrong; any other path may succeed at another place.
                Err(error @ PathError::Problem(_)) => return Err(error.into()),
                Err(_) | Ok(Found::Nothing) => self.give_up_later(task),
                Ok(Found::Changed(region)) => self.take(task, *region, true),
                Ok(Found::Followed(region)) => self.take(task, *region, false),
                Ok(Found::Known(other)) => self.join(task, other),
            }
        }
        Ok(Some(self.close()))
    }

    /// Glues what lies beside regions that are known.
    fn glue_known(&mut self) {
        for task in self.all_tasks() {
            let Some(other) = task.beyond.as_ref().and_then(|p| self.by_pattern.get(p).copied()) else { continue };
            if self.is_uncovered(&task) && self.glue(&task, other) {
                self.stats.known += 1;
            }
        }
    }

    /// The parts to cross: one for each pattern that is expected beyond.
    fn tasks(&self) -> Vec<Task<S>> {
        let mut expected: HashSet<Pattern> = HashSet::new();
        let mut tasks = self.all_tasks();
        tasks.retain(|task| task.beyond.as_ref().is_none_or(|pattern| expected.insert(pattern.clone())));
        tasks
    }

    fn all_tasks(&self) -> Vec<Task<S>> {
        let mut tasks = Vec::new();
        for (&id, open) in &self.open {
            for (side, parts) in open.uncovered.iter().enumerate() {
                for part in parts {
                    let line = &open.region.sides[side];
                    let beyond = line.change.map(|(i, sign)| {
                        let mut pattern = open.region.pattern.clone();
                        pattern.set(i, sign);
                        pattern
                    });
                    let point = line.line.point(&part.inside(place(open.attempts[side]), &line.line));
                    tasks.push(Task { id, side, part: part.clone(), point, beyond });
                }
            }
        }
        tasks
    }

    fn is_uncovered(&self, task: &Task<S>) -> bool {
        self.open.get(&task.id).is_some_and(|open| open.uncovered[task.side].contains(&task.part))
    }

    /// The region beyond a point of a side.
    fn cross(&self, task: &Task<S>) -> Result<Found<S>, PathError> {
        let Some(open) = self.open.get(&task.id) else { return Ok(Found::Nothing) };
        let (region, side) = (&open.region, &open.region.sides[task.side]);
        if let Some((i, sign)) = side.change {
            let mut status = region.status.clone();
            status[i] = sign;
            if let Some(solved) =
                self.question.law(&task.point, &status, Some(&region.law))?.filter(|solved| solved.law.weak.is_empty())
                && let Some(beyond) = self.question.region(solved, status)?
                && (beyond.taking_back(region, task.side).is_some() || beyond.facing(&side.line, &task.point).is_some())
            {
                return Ok(Found::Changed(Box::new(beyond)));
            }
        }
        let end = self.question.frame.beyond(&region.centre, &task.point);
        let line = self.question.line_to(&region.centre, &end);
        let mut follower = self.question.follower(&line, &region.status)?;
        let mut stretches = Stretches::behind(&mut follower, &self.question.frame);
        while let Some(stretch) = stretches.next()? {
            let solved = self.question.law(&stretch.middle, &stretch.status, Some(&region.law))?;
            let Some(solved) = solved else { continue };
            let known = self.by_pattern.get(&solved.law.pattern(&stretch.status, &self.question.fixed));
            if let Some(id) = known {
                return Ok(Found::Known(*id));
            }
            if let Some(beyond) = self.question.region(solved, stretch.status)?
                && (beyond.exchanging(region, task.side).is_some() || beyond.facing(&side.line, &task.point).is_some())
            {
                return Ok(Found::Followed(Box::new(beyond)));
            }
        }
        Ok(Found::Nothing)
    }

    /// A region was found beyond a part of a side.
    fn take(&mut self, task: &Task<S>, region: Region<S>, changed: bool) {
        let known = self.by_pattern.get(&region.pattern).copied();
        let other = known.unwrap_or_else(|| {
            self.stats.changed += usize::from(changed);
            self.stats.followed += usize::from(!changed);
            self.insert(region)
        });
        self.join(task, other);
    }

    /// Glues a part to the region that was found beyond it. One so short that it is no part of the other's side any more is left out of both.
    fn join(&mut self, task: &Task<S>, other: RegionId) {
        if !self.is_uncovered(task) || self.glue(task, other) {
            return;
        }
        let Some(open) = self.open.get(&task.id) else { return };
        if !self.open.contains_key(&other) && task.part.is_short(&open.region.sides[task.side].line) {
            self.leave_out(task);
        } else {
            self.give_up_later(task);
        }
    }

    fn leave_out(&mut self, task: &Task<S>) {
        if let Some(open) = self.open.get_mut(&task.id) {
            open.uncovered[task.side].retain(|part| *part != task.part);
        }
    }

    /// Nothing was found: the next attempt is made elsewhere; after the last one the part is left to be found from the other side.
    fn give_up_later(&mut self, task: &Task<S>) {
        let Some(open) = self.open.get_mut(&task.id) else { return };
        open.attempts[task.side] += 1;
        if open.attempts[task.side] >= ATTEMPTS {
            open.left[task.side].push(task.part.clone());
            self.leave_out(task);
        }
    }

    /// No further region can reach the remaining parts: they are holes.
    fn give_up(&mut self) {
        for part in self.open.values_mut().flat_map(|open| &mut open.left) {
            self.holes += part.len();
            part.clear();
        }
    }

    /// Joins the facing sides of two regions: as a whole where one index changes there and back, otherwise where they have a common part around the point.
    fn glue(&mut self, task: &Task<S>, other: RegionId) -> bool {
        if let Some(facing) = self.facing_as_a_whole(task, other) {
            let edge = self.new_edge();
            for (id, side) in [(task.id, task.side), (other, facing)] {
                let Some(open) = self.open.get_mut(&id) else { continue };
                open.uncovered[side].clear();
                open.covered[side].push((open.region.sides[side].extent.clone(), edge));
            }
            return true;
        }
        let (Some(here), Some(there)) = (self.open.get(&task.id), self.open.get(&other)) else { return false };
        let line = here.region.sides[task.side].line.clone();
        let facing = there.region.exchanging(&here.region, task.side);
        let Some(facing) = facing.or_else(|| there.region.facing(&line, &task.point)) else { return false };
        let side = &there.region.sides[facing];
        let theirs = carried(&side.extent, &side.line, &line);
        let common = task.part.meet(&theirs);
        let ordered = !matches!((&common.from, &common.to), (Some(a), Some(b)) if a >= b);
        if !ordered {
            return false;
        }
        let back = carried(&common, &line, &side.line);
        let edge = self.new_edge();
        self.cover(task.id, task.side, common, edge);
        self.cover(other, facing, back, edge);
        true
    }

    /// The side of another region that is the task's own, if one index changes there and back and nothing of either is covered. On their line both
    /// laws are the same, so that the other signs and bounds hold on the same part of it: the sides have the same ends, whatever rounding makes of them.
    fn facing_as_a_whole(&self, task: &Task<S>, other: RegionId) -> Option<usize> {
        let (here, there) = (self.open.get(&task.id)?, self.open.get(&other)?);
        let facing = there.region.taking_back(&here.region, task.side)?;
        let bare = |open: &Open<S>, side: usize| open.uncovered[side] == [open.region.sides[side].extent.clone()];
        (bare(here, task.side) && bare(there, facing)).then_some(facing)
    }

    fn cover(&mut self, id: RegionId, side: usize, part: Interval<S>, edge: EdgeId) {
        let Some(open) = self.open.get_mut(&id) else { return };
        let line = &open.region.sides[side].line;
        for parts in [&mut open.uncovered[side], &mut open.left[side]] {
            *parts = parts.iter().flat_map(|u| u.without(&part, line)).collect();
        }
        open.covered[side].push((part, edge));
    }

    /// Takes out the regions without an uncovered side.
    fn close(&mut self) -> Vec<Closed<S>> {
        let done = |open: &Open<S>| open.uncovered.iter().chain(&open.left).all(Vec::is_empty);
        let ids: Vec<RegionId> = self.open.iter().filter(|(_, open)| done(open)).map(|(id, _)| *id).collect();
        let mut closed = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(open) = self.open.remove(&id) else { continue };
            let edges = open.covered.into_iter().enumerate();
            let edges = edges.map(|(k, parts)| in_order(parts, &open.region, k)).collect();
            closed.push(Closed { id, region: open.region, edges });
        }
        closed
    }
}

/// The edges of a side in the direction in which the boundary runs.
fn in_order<S: Scalar>(mut parts: Vec<(Interval<S>, EdgeId)>, region: &Region<S>, side: usize) -> Vec<EdgeId> {
    let key = |i: &Interval<S>| (i.from.is_some(), i.from.clone());
    parts.sort_by(|a, b| {
        let ((p, x), (q, y)) = (key(&a.0), key(&b.0));
        p.cmp(&q).then_with(|| x.partial_cmp(&y).unwrap_or(std::cmp::Ordering::Equal))
    });
    if !region.runs_upwards(side) {
        parts.reverse();
    }
    parts.into_iter().map(|p| p.1).collect()
}

/// A part of one line in positions of another that lies on it.
fn carried<S: Scalar>(part: &Interval<S>, from: &HalfPlane<S>, to: &HalfPlane<S>) -> Interval<S> {
    let carry = |p: &Option<S>| p.as_ref().map(|p| from.point(p));
    let (a, b) = (carry(&part.from), carry(&part.to));
    let far = |sign: S| from.direction(sign);
    let carried = Interval::between(to, &a.unwrap_or_else(|| far(-S::one())), &b.unwrap_or_else(|| far(S::one())));
    let [off_from, off_to] = part.off.clone();
    // Ends change places where positions fall on one line as they rise on the other.
    let swapped = from.direction(S::one())[to.axis()] < S::zero();
    Interval { off: if swapped { [off_to, off_from] } else { [off_from, off_to] }, ..carried }
}

/// Where along a part the attempt number k crosses it: one half, then elsewhere.
fn place<S: Scalar>(k: u32) -> S {
    let (p, q) = [(1, 2), (5, 13), (8, 13), (3, 17), (14, 17), (7, 29), (20, 29), (1, 31)][k as usize % 8];
    S::integer(p) / S::integer(q)
}
