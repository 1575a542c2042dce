//! The follower: one breakpoint after another.

use super::exchange::Crossing;
use super::ratio::Step;
use super::record::{Path, SegmentData};
use crate::active_set::{IndexSet, Status, key};
use crate::error::PathError;
use crate::kkt::{Kkt, Part, bound};
use crate::observe::{Event, Observer};
use crate::pricing::FullPricing;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Settings;
use crate::stats::Stats;
use std::collections::HashSet;

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Stop<S> {
    /// The end of the line was reached.
    Target,
    /// Beyond t no x satisfies the bounds and the equality row.
    Infeasible {
        /// The last feasible position.
        t: S,
    },
    /// At t the objective becomes unbounded below.
    Unbounded {
        /// The position.
        t: S,
        /// An index of the direction without end.
        index: usize,
    },
    /// On a ray: no event after t, and x grows without bound, so that there is no solution in the limit.
    Diverges {
        /// The last breakpoint.
        t: S,
    },
    /// `Settings::max_events` was reached.
    EventLimit {
        /// The position.
        t: S,
        /// The limit.
        events: usize,
    },
    /// The observer asked to stop.
    Asked {
        /// The position.
        t: S,
    },
}

/// The state of a path while it is followed. [`Follower::step`] is the primitive; [`trace`] and the iterator are
/// loops around it.
pub struct Follower<'a, S> {
    pub(super) line: &'a Line<S>,
    pub(super) settings: Settings,
    pub(super) kkt: Box<dyn Kkt<S> + 'a>,
    pub(super) pricing: FullPricing<S>,
    pub(super) t: S,
    /// How far t lies ahead of the last pricing.
    ahead: S,
    /// Set apart from the tied set at this t.
    pub(super) untied: Vec<usize>,
    pub(super) status: Vec<Status>,
    /// Boxes whose width is zero all along the line: no events.
    pub(super) fixed: Vec<bool>,
    /// At a bound with z = 0.
    pub(super) weak: IndexSet,
    /// The law of x_F (the factor's order) and of y on the current segment.
    pub(super) x: Vec<S>,
    pub(super) dx: Vec<S>,
    pub(super) y: S,
    pub(super) dy: S,
    /// y is not determined by F: it is an interval.
    pub(super) floating: bool,
    pub(super) stats: Stats,
    pub(super) path: Path<S>,
    seen: HashSet<u64>,
    /// Indices whose status or weakness may have changed since the last recorded segment.
    touched: Vec<usize>,
    codes: Vec<(Status, bool)>,
    /// The status of every index on the last recorded segment.
    recorded: Vec<Status>,
    fingerprint: u64,
    pattern: u64,
    last_pattern: Option<u64>,
    stopped: Option<Stop<S>>,
    changes: Vec<(usize, Status, Status)>,
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// A follower at t = 0 with the active set `status`, which must be optimal there (`y` matters where F does not
    /// determine it). Crate-internal: see [`Follower::new`] in `start.rs` for the public starts.
    pub(super) fn at_active_set(
        line: &'a Line<S>,
        status: Vec<Status>,
        y: Option<S>,
        settings: Settings,
    ) -> Result<Self, PathError> {
        let n = line.n();
        let fixed = (0..n).map(|i| line.bounds.width(i, &S::zero()).is_some_and(|(w, s)| w.is_zero() && s.is_zero()));
        let path = Path::new(line, status.clone());
        let mut follower = Follower {
            fixed: fixed.collect(),
            kkt: S::kkt(line, &settings),
            pricing: FullPricing::new(n),
            t: S::zero(),
            ahead: S::zero(),
            untied: Vec::new(),
            weak: IndexSet::new(n),
            x: Vec::new(),
            dx: Vec::new(),
            y: S::zero(),
            dy: S::zero(),
            floating: false,
            stats: Stats::default(),
            path,
            seen: HashSet::new(),
            touched: (0..n).collect(),
            codes: vec![(Status::Free, false); n],
            recorded: status.clone(),
            fingerprint: 0,
            pattern: 0,
            last_pattern: None,
            stopped: None,
            changes: Vec::new(),
            status,
            line,
            settings,
        };
        follower.take_up_start(y)?;
        follower.path.set_start(&follower.status);
        follower.recorded.clone_from(&follower.status);
        if let Some(stop) = follower.exchange()? {
            follower.stopped = Some(stop);
        }
        Ok(follower)
    }

    /// Follows the path to the next event and crosses it. Returns the reason when the path has ended.
    ///
    /// # Errors
    /// [`PathError`] when the answer could not be had; the path so far stays in the follower.
    pub fn step(&mut self) -> Result<Option<Stop<S>>, PathError> {
        if self.stopped.is_none() {
            self.direction();
            self.polish();
            self.changes.clear();
            self.audit()?;
            let step = self.ratio_test();
            self.record(&step);
            self.stopped = self.advance(&step);
        }
        if self.stopped.is_none() {
            self.stopped = self.exchange()?;
        }
        if let Some(stop) = &self.stopped {
            let stop = stop.clone();
            self.finish(stop);
        }
        Ok(self.stopped.clone())
    }

    /// The law on the segment ahead: (x_F, y) and all prices, value and rate, solved from the active set.
    pub(super) fn direction(&mut self) {
        self.solve_law();
        if self.worst_free_residual() > S::tolerance(self.settings.refactor) {
            self.stats.refactors.residual += 1;
            self.kkt.refactor();
            self.solve_law();
        }
        self.stats.max_free = self.stats.max_free.max(self.kkt.free().len());
        if !self.floating {
            self.settle_weak();
        }
    }

    /// A breakpoint at which an index is freed is the root of its z on the law behind and of its distance from the bound
    /// on the law ahead. Where x moves fast the second is the better conditioned: t is corrected when the freed x
    /// is outside its box by more than rounding.
    fn polish(&mut self) {
        let mut worst: Option<(S, S)> = None;
        let noise = self.bound_scale() * S::tolerance(self.settings.refine);
        for (k, &i) in self.kkt.free().iter().enumerate() {
            let Some(&(_, from, _)) = self.changes.iter().find(|c| c.0 == i && c.1 != Status::Free) else { continue };
            let [value, slope] = bound(self.line, i, from);
            let outside = value + slope.clone() * &self.t - &self.x[k];
            let speed = self.dx[k].clone() - slope;
            if outside.abs() > noise && !speed.is_zero() && worst.as_ref().is_none_or(|w| outside.abs() > w.0) {
                worst = Some((outside.abs(), outside / speed));
            }
        }
        let Some((_, shift)) = worst else { return };
        let moved = self.t.clone() + &shift;
        let scale = self.line.length.clone().map_or(moved.clone(), |l| S::larger(l, moved.clone()));
        let small = shift.abs() <= S::tolerance(self.settings.audit) * scale;
        if small && moved > self.path.segments().last().map_or(S::zero(), |s| s.t.clone()) {
            self.t = moved;
            self.direction();
        }
    }

    /// The largest bound at t: the scale of x.
    pub(super) fn bound_scale(&self) -> S {
        let bounds = &self.line.bounds;
        let at = |b: &Option<[S; 2]>| b.as_ref().map_or_else(S::zero, |[v, s]| (v.clone() + s.clone() * &self.t).abs());
        let pairs = bounds.lower.iter().zip(&bounds.upper);
        let largest = pairs.fold(S::zero(), |m, (l, u)| S::larger(m, S::larger(at(l), at(u))));
        self.x.iter().fold(largest, |m, x| S::larger(m, x.abs()))
    }

    pub(super) fn solve_law(&mut self) {
        let value = self.kkt.solve(Part::Value(self.t.clone()));
        let rate = self.kkt.solve(Part::Rate);
        (self.x, self.dx) = (value.x, rate.x);
        self.floating = self.line.has_row() && value.y.is_none();
        if let Some(y) = value.y {
            self.y = y;
        }
        self.dy = rate.y.unwrap_or_else(S::zero);
        self.stats.priced += self.pricing.refresh(self.kkt.as_mut());
        self.ahead = S::zero();
    }

    /// max over F of |z|, relative to the size of its terms.
    fn worst_free_residual(&self) -> S {
        self.kkt.free().iter().fold(S::zero(), |worst, &i| {
            let size = self.size(i);
            let z = self.z(i).abs();
            if z.is_zero() { worst } else { S::larger(worst, z / size) }
        })
    }

    /// Tied indices whose z moves away from zero are no longer weakly active; those set apart while crossing, whose z
    /// stays zero after all, are.
    pub(super) fn settle_weak(&mut self) {
        let leaving: Vec<usize> =
            self.weak.members().iter().copied().filter(|&i| self.dz(i).abs() > self.zero_rate(i)).collect();
        for i in leaving {
            self.set_weak(i, false);
        }
        for k in 0..self.untied.len() {
            let i = self.untied[k];
            if self.status[i] != Status::Free
                && self.z(i).abs() <= self.zero(i)
                && self.dz(i).abs() <= self.zero_rate(i)
            {
                self.set_weak(i, true);
            }
        }
    }

    /// Bounds of F and signs of z at t, after the law was solved for.
    fn audit(&mut self) -> Result<(), PathError> {
        if self.worst_violation().is_none() {
            return Ok(());
        }
        self.stats.refactors.audit += 1;
        self.kkt.refactor();
        self.direction();
        match self.worst_violation() {
            None => Ok(()),
            Some((index, violation, allowed)) => Err(PathError::Inaccurate {
                t: self.t.to_string(),
                index,
                violation: violation.to_string(),
                allowed: allowed.to_string(),
            }),
        }
    }

    fn worst_violation(&self) -> Option<(usize, S, S)> {
        let tolerance = S::tolerance(self.settings.audit);
        let allowed = self.bound_scale() * &tolerance;
        for (k, &i) in self.kkt.free().iter().enumerate() {
            let below = self.line.bounds.lower_at(i, &self.t).map_or(S::zero(), |l| l - &self.x[k]);
            let above = self.line.bounds.upper_at(i, &self.t).map_or(S::zero(), |u| self.x[k].clone() - u);
            let violation = S::larger(below, above);
            if violation > allowed {
                return Some((i, violation, allowed.clone()));
            }
        }
        for i in (0..self.line.n()).filter(|&i| self.status[i] != Status::Free && !self.fixed[i]) {
            let violation = -self.signed_z(i);
            if violation > S::zero() && !(self.floating && !self.line.a(i).is_zero()) {
                let allowed = self.size(i) * &tolerance;
                if violation > allowed {
                    return Some((i, violation, allowed));
                }
            }
        }
        None
    }

    /// The scale of x in its box: the bounds' and its own size.
    pub(super) fn x_scale(&self, k: usize, i: usize) -> S {
        let abs = |v: Option<S>| v.map_or_else(S::zero, |v| v.abs());
        let bounds = abs(self.line.bounds.lower_at(i, &self.t)) + abs(self.line.bounds.upper_at(i, &self.t));
        bounds + self.x[k].abs()
    }

    /// Keeps the segment that starts at t, unless it has no length.
    fn record(&mut self, step: &Step<S>) {
        if step.is_zero() {
            self.stats.zero_steps += 1;
            return;
        }
        self.update_codes();
        let breakpoint = self.last_pattern.is_some_and(|p| p != self.pattern);
        let changed = self.keep_segment(breakpoint);
        if !breakpoint && changed && self.last_pattern.is_some() {
            self.stats.exchanges += 1;
        }
        self.last_pattern = Some(self.pattern);
    }

    /// Stores the law that holds from t on; returns whether a status changed since the last one.
    fn keep_segment(&mut self, breakpoint: bool) -> bool {
        let mut changed = Vec::new();
        for i in std::mem::take(&mut self.touched) {
            if self.recorded[i] != self.status[i] {
                self.recorded[i] = self.status[i];
                changed.push((i, self.status[i]));
            }
        }
        let (t, y, dy) = (self.t.clone(), self.y.clone(), self.dy.clone());
        let data = SegmentData { t, y, dy, floating: self.floating, breakpoint };
        self.path.push(data, self.kkt.free(), (&self.x, &self.dx), &changed);
        !changed.is_empty()
    }

    /// Closes the path at t. A path that ends where it began still has its one solution.
    fn finish(&mut self, stop: Stop<S>) {
        if self.path.segments().is_empty() {
            self.solve_law();
            if self.floating {
                self.y = self.inside(&S::zero());
            }
            self.dy = S::zero();
            self.keep_segment(false);
        }
        self.path.finish(self.t.clone(), stop, self.stats.clone());
    }

    /// Moves to the event: blocked indices go to their bounds, those whose z reached zero are tied.
    fn advance(&mut self, step: &Step<S>) -> Option<Stop<S>> {
        let Some(length) = &step.length else {
            return Some(self.end_of_ray());
        };
        self.t =
            if step.end { self.line.length.clone().unwrap_or_else(|| length.clone()) } else { self.t.clone() + length };
        self.y += self.dy.clone() * length;
        self.ahead = length.clone();
        if !step.is_zero() {
            self.seen.clear();
            self.untied.clear();
        }
        if step.end {
            return Some(Stop::Target);
        }
        for &(i, side) in &step.blocked {
            self.bind(i, side);
            self.set_weak(i, true);
        }
        for &i in &step.hits {
            self.set_weak(i, true);
        }
        let limit = self.settings.max_events.filter(|&limit| self.stats.events >= limit);
        limit.map(|events| Stop::EventLimit { t: self.t.clone(), events })
    }

    /// Nothing happens any more: does x have a limit?
    fn end_of_ray(&self) -> Stop<S> {
        let moves = |i: usize| match self.status[i] {
            Status::Lower => self.line.bounds.lower[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Upper => self.line.bounds.upper[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Free => false,
        };
        let tiny = |(k, &i): (usize, &usize)| {
            self.dx[k].abs() * &self.t > self.x_scale(k, i) * S::tolerance(self.settings.audit)
        };
        if (0..self.line.n()).any(moves) || self.kkt.free().iter().enumerate().any(tiny) {
            Stop::Diverges { t: self.t.clone() }
        } else {
            Stop::Target
        }
    }

    /// Makes the active set right for t⁺: the directional QP, and jumps of x or y where there are any.
    fn exchange(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.stats.max_tied = self.stats.max_tied.max(self.weak.members().len());
        let mut jumped_from = HashSet::new();
        loop {
            match self.cross()? {
                Crossing::Settled => break,
                Crossing::Jumped => {}
                Crossing::Stopped(stop) => return Ok(Some(stop)),
            }
            self.update_codes();
            if !jumped_from.insert(self.fingerprint) {
                return Err(self.cycling());
            }
        }
        self.update_codes();
        if !self.seen.insert(self.fingerprint) {
            return Err(self.cycling());
        }
        self.note_changes();
        Ok(None)
    }

    /// An active set may come up once at one t.
    fn cycling(&self) -> PathError {
        PathError::Cycle { t: self.t.to_string(), free: self.kkt.free().len(), tied: self.weak.members().len() }
    }

    /// Brings fingerprint (statuses and ties) and pattern (signs of z) up to date with the touched indices.
    fn update_codes(&mut self) {
        for &i in &self.touched {
            if self.fixed[i] {
                continue;
            }
            let (old, new) = (self.codes[i], (self.status[i], self.weak.contains(i)));
            if old != new {
                self.fingerprint ^= key(i, 8 + code(old)) ^ key(i, 8 + code(new));
                self.pattern ^= key(i, sign_code(old)) ^ key(i, sign_code(new));
                self.codes[i] = new;
            }
        }
    }

    /// Events are net changes of status in one exchange.
    fn note_changes(&mut self) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.sort_by_key(|c| c.0);
        let mut net: Vec<(usize, Status, Status)> = Vec::new();
        for (i, from, to) in changes {
            match net.last_mut() {
                Some(last) if last.0 == i => last.2 = to,
                _ => net.push((i, from, to)),
            }
        }
        net.retain(|c| c.1 != c.2);
        if !net.is_empty() {
            self.stats.events += 1;
        }
        self.changes = net;
    }

    pub(super) fn set_weak(&mut self, i: usize, weak: bool) {
        if weak && !self.fixed[i] {
            self.weak.insert(i);
        } else {
            self.weak.remove(i);
        }
        self.touched.push(i);
    }

    pub(super) fn set_status(&mut self, i: usize, to: Status) {
        self.changes.push((i, self.status[i], to));
        self.status[i] = to;
        self.touched.push(i);
    }

    /// Moves a free index to a bound.
    pub(super) fn bind(&mut self, i: usize, side: Status) {
        if let Some(position) = self.kkt.free().iter().position(|&f| f == i) {
            self.kkt.bind(position, side);
            self.stats.deletes += 1;
            self.set_status(i, side);
        }
    }

    /// q − Ay at t.
    pub(super) fn z(&self, i: usize) -> S {
        self.pricing.q(i).clone() - self.line.a(i) * &self.y
    }

    /// z at t after an advance, from the law behind.
    pub(super) fn z_ahead(&self, i: usize) -> S {
        self.z(i) + self.pricing.dq(i).clone() * &self.ahead
    }

    /// The rate of z.
    pub(super) fn dz(&self, i: usize) -> S {
        self.pricing.dq(i).clone() - self.line.a(i) * &self.dy
    }

    /// z with the sign that makes it ≥ 0 at a solution.
    pub(super) fn signed_z(&self, i: usize) -> S {
        self.z(i) * S::integer(self.status[i].sign())
    }

    /// The size of the terms of zᵢ.
    pub(super) fn size(&self, i: usize) -> S {
        self.kkt.size(i) + self.line.c(i, &self.t).abs() + (self.line.a(i) * &self.y).abs()
    }

    /// |zᵢ| up to here counts as zero.
    pub(super) fn zero(&self, i: usize) -> S {
        self.size(i) * S::tolerance(self.settings.zero)
    }

    /// |zᵢ′| up to here counts as zero.
    pub(super) fn zero_rate(&self, i: usize) -> S {
        let terms = self.kkt.rate_size(i) + self.line.c1[i].abs() + (self.line.a(i) * &self.dy).abs();
        terms * S::tolerance(self.settings.zero_rate)
    }

    /// Position on the line.
    pub fn position(&self) -> &S {
        &self.t
    }

    /// Counters so far.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The status of every variable.
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The multiplier of the equality row at t (one value of its interval where it is not unique).
    pub fn multiplier(&self) -> &S {
        &self.y
    }

    /// The last event, for an observer.
    fn last_event(&self) -> Event<'_, S> {
        Event {
            t: &self.t,
            changes: &self.changes,
            breakpoint: self.last_pattern != Some(self.pattern),
            free: self.kkt.free().len(),
            stats: &self.stats,
        }
    }

    /// The path so far.
    pub fn into_path(mut self) -> Path<S> {
        if self.stopped.is_none() {
            self.finish(Stop::Asked { t: self.t.clone() });
        }
        self.path
    }

    /// Steps until the path ends or the observer says so.
    ///
    /// # Errors
    /// As [`Follower::step`].
    pub fn run(&mut self, observer: &mut dyn Observer<S>) -> Result<Stop<S>, PathError> {
        loop {
            if let Some(stop) = self.step()? {
                return Ok(stop);
            }
            if !observer.event(&self.last_event()) {
                let stop = Stop::Asked { t: self.t.clone() };
                self.stopped = Some(stop.clone());
                self.finish(stop.clone());
                return Ok(stop);
            }
        }
    }
}

/// Every position at which something happened, in order; ends with the path or its first error.
impl<S: Scalar> Iterator for Follower<'_, S> {
    type Item = Result<S, PathError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stopped.is_some() {
            return None;
        }
        match self.step() {
            Ok(_) => Some(Ok(self.t.clone())),
            Err(error) => {
                self.stopped = Some(Stop::Asked { t: self.t.clone() });
                Some(Err(error))
            }
        }
    }
}

/// Follows a whole line from a start.
///
/// # Errors
/// The error and the path so far.
pub fn trace<S: Scalar>(
    line: &Line<S>,
    start: &super::Start<S>,
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<Path<S>, (PathError, Option<Box<Path<S>>>)> {
    let mut follower = Follower::new(line, start, settings.clone()).map_err(|error| (error, None))?;
    match follower.run(observer) {
        Ok(_) => Ok(follower.into_path()),
        Err(error) => Err((error, Some(Box::new(follower.into_path())))),
    }
}

fn code((status, weak): (Status, bool)) -> u64 {
    (status.sign() + 1) as u64 + 3 * u64::from(weak)
}

fn sign_code((status, weak): (Status, bool)) -> u64 {
    if weak { 1 } else { (status.sign() + 1) as u64 }
}
