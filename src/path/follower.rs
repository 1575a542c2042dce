//! The follower: one breakpoint after another.

use super::exchange::Crossing;
use super::ratio::{Step, least};
use super::record::Path;
use super::recorder::NO_SIGN;
use super::wider::Detours;
use crate::active_set::{IndexSet, Status};
use crate::error::PathError;
use crate::kkt::{Kkt, LargestBound, Place, Solution};
use crate::observe::{Event, Observer};
use crate::pricing::{Prices, Queue};
use crate::problem::Line;
use crate::rows::RowRunner;
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
pub struct Follower<'a, S: Scalar> {
    pub(super) line: &'a Line<S>,
    pub(super) settings: Settings,
    pub(super) kkt: Box<dyn Kkt<S> + 'a>,
    pub(super) prices: Prices<S>,
    /// Certified pricing, where the factor knows the speed of its fit.
    pub(super) queue: Option<Queue>,
    /// v on the current law, and ρ, γ in its definition.
    pub(super) arc_speed: f64,
    pub(super) drift_scales: [f64; 2],
    /// Where it stands.
    pub(super) at: Place<S>,
    /// z at t of the indices whose z has just reached zero: what rounding leaves of it.
    pub(super) hit_z: Vec<(usize, S)>,
    /// To what in t it is known where the indices that have just reached a bound did so.
    pub(super) blur: Vec<(usize, S)>,
    /// By how much t may be corrected: the least interval to which an event since the last law that was kept is known. None where there was none.
    pub(super) open: Option<S>,
    /// A sign of z that was found wrong in the last ratio test: index, violation, allowed.
    pub(super) wrong_sign: Option<(usize, S, S)>,
    pub(super) largest_bound: LargestBound<S>,
    /// Set apart from the tied set at this t.
    pub(super) untied: Vec<usize>,
    pub(super) status: Vec<Status>,
    /// The rate of the present active set, when crossing has just solved for it.
    pub(super) rate: Option<Solution<S>>,
    /// Boxes whose width is zero all along the line: no events.
    pub(super) fixed: Vec<bool>,
    /// At a bound with z = 0.
    pub(super) weak: IndexSet,
    /// The law of x_F (the factor's order) and of y on the current segment.
    pub(super) x: Vec<S>,
    pub(super) dx: Vec<S>,
    pub(super) y: S,
    pub(super) dy: S,
    /// The size of the terms of y.
    pub(super) y_size: S,
    /// y is not determined by F: it is an interval.
    pub(super) floating: bool,
    /// While floating: that interval is more than a point.
    pub(super) interval: bool,
    pub(super) stats: Stats,
    pub(super) path: Path<S>,
    pub(super) seen: HashSet<u64>,
    /// Indices whose status or weakness may have changed since the last recorded segment.
    pub(super) touched: Vec<usize>,
    /// How many of them the codes are up to date with.
    pub(super) coded: usize,
    pub(super) codes: Vec<(Status, bool)>,
    /// The signs of z that the pattern is made of, and the indices at a bound whose z has not been seen to leave zero.
    pub(super) signs: Vec<u64>,
    pub(super) faint: Vec<usize>,
    /// The status of every index on the last recorded segment.
    pub(super) recorded: Vec<Status>,
    pub(super) fingerprint: u64,
    pub(super) pattern: u64,
    pub(super) last_pattern: Option<u64>,
    pub(super) detours: Detours<S>,
    pub(super) stopped: Option<Stop<S>>,
    pub(super) changes: Vec<(usize, Status, Status)>,
    /// Where the line has rows with bounds: what follows it in place of all the rest.
    pub(super) rows: Option<Box<RowRunner<'a, S>>>,
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// A follower at the beginning of a line with the active set `status`, which must be optimal there (`y` matters where F does not
    /// determine it). Crate-internal: see [`Follower::new`] in `start.rs` for the public starts.
    pub(super) fn at_active_set(
        line: &'a Line<S>,
        status: Vec<Status>,
        y: Option<S>,
        settings: Settings,
    ) -> Result<Self, PathError> {
        let mut follower = Follower::blank(line, status, settings);
        follower.take_up_start(y)?;
        follower.queue = follower.certified_queue();
        follower.path.set_start(&follower.status);
        follower.recorded.clone_from(&follower.status);
        if let Some(stop) = follower.exchange()? {
            follower.stopped = Some(stop);
        }
        Ok(follower)
    }

    /// A follower that has not begun.
    pub(super) fn blank(line: &'a Line<S>, status: Vec<Status>, settings: Settings) -> Self {
        let n = line.n();
        let fixed = (0..n).map(|i| line.bounds.width(i, &line.begin).is_some_and(|(w, s)| w.is_zero() && s.is_zero()));
        let path = Path::new(line, status.clone());
        Follower {
            fixed: fixed.collect(),
            kkt: S::kkt(line, &settings),
            prices: Prices::new(n),
            queue: None,
            arc_speed: 0.0,
            drift_scales: [0.0; 2],
            largest_bound: LargestBound::new(line),
            at: Place::exactly(line.begin.clone()),
            hit_z: Vec::new(),
            blur: Vec::new(),
            open: None,
            wrong_sign: None,
            rate: None,
            untied: Vec::new(),
            weak: IndexSet::new(n),
            x: Vec::new(),
            dx: Vec::new(),
            y: S::zero(),
            dy: S::zero(),
            y_size: S::zero(),
            floating: false,
            interval: false,
            stats: Stats::default(),
            path,
            seen: HashSet::new(),
            touched: (0..n).collect(),
            coded: 0,
            codes: vec![(Status::Free, false); n],
            signs: vec![NO_SIGN; n],
            faint: Vec::new(),
            recorded: status.clone(),
            fingerprint: 0,
            pattern: 0,
            last_pattern: None,
            detours: Detours::default(),
            stopped: None,
            changes: Vec::new(),
            rows: None,
            status,
            line,
            settings,
        }
    }

    /// Follows the path to the next event and crosses it. Returns the reason when the path has ended.
    ///
    /// # Errors
    /// [`PathError`] when the answer could not be had; the path so far stays in the follower.
    pub fn step(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.step_watched(&mut ())
    }

    /// The same, with an observer of what happens within a step.
    fn step_watched(&mut self, observer: &mut dyn Observer<S>) -> Result<Option<Stop<S>>, PathError> {
        if let Some(rows) = &mut self.rows {
            self.stopped = rows.step(observer)?;
            return Ok(self.stopped.clone());
        }
        if self.stopped.is_none() {
            let turn = self.turn().or_else(|error| self.recover(error, observer))?;
            self.stopped = turn.or_else(|| self.limit());
        }
        if let Some(stop) = &self.stopped {
            let stop = stop.clone();
            self.finish(stop);
        }
        Ok(self.stopped.clone())
    }

    /// One turn of the loop.
    fn turn(&mut self) -> Result<Option<Stop<S>>, PathError> {
        let step = self.law()?;
        self.record(&step);
        self.cross_event(&step)
    }

    /// The law ahead, checked, and how far it holds.
    pub(super) fn law(&mut self) -> Result<Step<S>, PathError> {
        self.direction();
        self.polish();
        self.changes.clear();
        self.audited_ratio_test()
    }

    /// Moves to the event and crosses it.
    pub(super) fn cross_event(&mut self, step: &Step<S>) -> Result<Option<Stop<S>>, PathError> {
        match self.advance(step) {
            Some(stop) => Ok(Some(stop)),
            None => self.exchange(),
        }
    }

    /// Where a step leads.
    pub(super) fn after(&self, step: &Step<S>) -> Place<S> {
        match (&self.line.end, &step.length) {
            (Some(end), _) if step.end => Place::exactly(end.clone()),
            (_, Some(length)) => self.at.moved(length),
            (_, None) => self.at.clone(),
        }
    }

    /// Moves to the event: blocked indices go to their bounds, those whose z reached zero are tied.
    fn advance(&mut self, step: &Step<S>) -> Option<Stop<S>> {
        let Some(length) = &step.length else {
            return Some(self.end_of_ray());
        };
        self.y += self.dy.clone() * length;
        self.at = self.after(step);
        if let Some(queue) = &mut self.queue {
            queue.follow(self.arc_speed, length.to_f64().unwrap_or(f64::INFINITY));
        }
        if !step.is_zero() {
            self.seen.clear();
            self.untied.clear();
        }
        if step.end {
            return Some(Stop::Target);
        }
        self.open = least(self.open.take(), step.known_to.clone());
        self.blur.clear();
        for (i, side, blur) in &step.blocked {
            self.bind(*i, *side);
            self.set_weak(*i, true);
            self.blur.push((*i, blur.clone()));
        }
        for (i, _) in &step.hits {
            self.set_weak(*i, true);
        }
        self.hit_z.clone_from(&step.hits);
        None
    }

    /// `Settings::max_events` was reached.
    pub(super) fn limit(&self) -> Option<Stop<S>> {
        let limit = self.settings.max_events.filter(|&limit| self.stats.events >= limit);
        limit.map(|events| Stop::EventLimit { t: self.at.t.clone(), events })
    }

    /// Nothing happens any more: does x have a limit?
    fn end_of_ray(&self) -> Stop<S> {
        let moves = |i: usize| match self.status[i] {
            Status::Lower => self.line.bounds.lower[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Upper => self.line.bounds.upper[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Free => false,
        };
        // What x moves by on a further stretch as long as the one behind; of a ray without events, on one multiple of its direction.
        let behind = self.at.t.clone() - &self.line.begin;
        let ahead = if behind.is_zero() { S::one() } else { behind };
        let tiny = |(k, &i): (usize, &usize)| {
            self.dx[k].abs() * &ahead > self.x_scale(k, i) * S::tolerance(self.settings.audit)
        };
        if (0..self.line.n()).any(moves) || self.kkt.free().iter().enumerate().any(tiny) {
            Stop::Diverges { t: self.at.t.clone() }
        } else {
            Stop::Target
        }
    }

    /// Makes the active set right for t⁺: the directional QP, and jumps of x or y where there are any.
    fn exchange(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.stats.max_tied = self.stats.max_tied.max(self.weak.members().len());
        let mut jumped_from = HashSet::new();
        self.kkt.begin_crossing();
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
    pub(super) fn cycling(&self) -> PathError {
        PathError::Cycle { t: self.at.t.to_string(), free: self.kkt.free().len(), tied: self.weak.members().len() }
    }

    pub(super) fn set_weak(&mut self, i: usize, weak: bool) {
        if weak && !self.fixed[i] {
            self.weak.insert(i);
        } else {
            self.weak.remove(i);
            self.price_soon(i);
        }
        self.touched.push(i);
    }

    /// An index that has come to a bound, or is no longer tied, enters the queue.
    fn price_soon(&mut self, i: usize) {
        if let Some(queue) = &mut self.queue
            && self.status[i] != Status::Free
        {
            queue.now(i);
        }
    }

    pub(super) fn set_status(&mut self, i: usize, to: Status) {
        self.changes.push((i, self.status[i], to));
        self.status[i] = to;
        self.price_soon(i);
        self.touched.push(i);
    }

    /// Moves a free index to a bound.
    pub(super) fn bind(&mut self, i: usize, side: Status) {
        if let Some(position) = self.kkt.free().iter().position(|&f| f == i) {
            self.kkt.bind(position, side);
            self.rate = None;
            self.stats.deletes += 1;
            self.set_status(i, side);
        }
    }

    fn here(&self) -> S {
        Follower::position(self).clone()
    }

    /// Position on the line.
    pub fn position(&self) -> &S {
        self.rows.as_ref().map_or(&self.at.t, |rows| rows.position())
    }

    /// What has been recorded so far.
    pub(crate) fn path(&self) -> &Path<S> {
        self.rows.as_ref().map_or(&self.path, |rows| rows.path())
    }

    /// Counters so far.
    pub fn stats(&self) -> &Stats {
        self.rows.as_ref().map_or(&self.stats, |rows| rows.stats())
    }

    /// The status of every variable, and then of every row of [`ParametricQp::rows`](crate::ParametricQp::rows).
    pub fn status(&self) -> &[Status] {
        self.rows.as_ref().map_or(&self.status, |rows| rows.status())
    }

    /// The multiplier of the equality row at t (one value of its interval where it is not unique).
    pub fn multiplier(&self) -> &S {
        &self.y
    }

    /// The last event, for an observer.
    fn last_event(&self) -> Event<'_, S> {
        if let Some(rows) = &self.rows {
            return rows.last_event();
        }
        Event {
            t: &self.at.t,
            changes: &self.changes,
            breakpoint: self.last_pattern != Some(self.pattern),
            free: self.kkt.free().len(),
            stats: &self.stats,
        }
    }

    /// The path so far.
    pub fn into_path(mut self) -> Path<S> {
        if let Some(rows) = self.rows {
            return rows.into_path();
        }
        if self.stopped.is_none() {
            self.finish(Stop::Asked { t: self.at.t.clone() });
        }
        self.path
    }

    /// Steps until the path ends or the observer says so.
    ///
    /// # Errors
    /// As [`Follower::step`].
    pub fn run(&mut self, observer: &mut dyn Observer<S>) -> Result<Stop<S>, PathError> {
        loop {
            if let Some(stop) = self.step_watched(observer)? {
                return Ok(stop);
            }
            if self.rows.is_none() {
                observer.checkpoint(&|| self.checkpoint());
            }
            if !observer.event(&self.last_event()) {
                let stop = Stop::Asked { t: self.here() };
                if let Some(rows) = &mut self.rows {
                    rows.stop(stop.clone());
                }
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
            Ok(_) => Some(Ok(self.here())),
            Err(error) => {
                self.stopped = Some(Stop::Asked { t: self.here() });
                Some(Err(error))
            }
        }
    }
}

/// Why [`trace`] failed, and the path so far if it had begun.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure<S>(pub PathError, pub Option<Box<Path<S>>>);

/// Follows a whole line from a start.
///
/// # Errors
/// The error and the path so far.
pub fn trace<S: Scalar>(
    line: &Line<S>,
    start: &super::Start<S>,
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<Path<S>, Failure<S>> {
    let mut follower =
        Follower::watched(line, start, settings.clone(), observer).map_err(|error| Failure(error, None))?;
    match follower.run(observer) {
        Ok(_) => Ok(follower.into_path()),
        Err(error) => Err(Failure(error, Some(Box::new(follower.into_path())))),
    }
}
