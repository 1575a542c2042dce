//! The follower of a path: from one breakpoint to the next.

use super::active::Active;
use super::exchange::Crossing;
use super::law::Law;
use super::pricer::Pricer;
use super::ratio::{Step, least};
use super::recorder::Recorder;
use crate::active_set::Status;
use crate::error::PathError;
use crate::hessian::Hessian;
use crate::kkt::{Kkt, LargestBound, Place};
use crate::observe::{Event, Observer};
use crate::problem::Line;
use crate::record::{Path, Stop};
use crate::rows::RowRunner;
use crate::scalar::Scalar;
use crate::settings::Settings;
use crate::stats::Stats;
use std::collections::HashSet;
use std::sync::Arc;

/// A path while it is followed. [`Follower::step`] is the primitive operation; [`Follower::run`], [`trace`] and the iterator call it repeatedly.
pub struct Follower<'a, S: Scalar> {
    pub(super) line: &'a Line<S>,
    pub(super) settings: Settings,
    pub(super) largest_bound: LargestBound<S>,
    /// The factor of the free set.
    pub(super) kkt: Box<dyn Kkt<S> + 'a>,
    pub(super) law: Law<S>,
    pub(super) active: Active<S>,
    pub(super) pricer: Pricer<S>,
    pub(super) recorder: Recorder<S>,
    /// H in the wider scalar, once a detour needed it: in one form, or in two where entries may turn out not to be
    /// semidefinite.
    pub(super) wider: Vec<Arc<dyn Hessian<S::Wider>>>,
    pub(super) stopped: Option<Stop<S>>,
    /// Where the line has rows with bounds: what follows it in place of all the rest.
    pub(super) rows: Option<Box<RowRunner<'a, S>>>,
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// A follower at the beginning of a line with the active set `status`, which must be optimal there (`y` matters
    /// where F does not
    /// determine it). Crate-internal: see [`Follower::new`] in `start.rs` for the public starts.
    pub(super) fn at_active_set(
        line: &'a Line<S>,
        status: Vec<Status>,
        y: Option<S>,
        settings: Settings,
    ) -> Result<Self, PathError> {
        let mut follower = Follower::blank(line, status, settings);
        follower.take_up_start(y)?;
        follower.begin_queue();
        follower.recorder.set_start(&follower.active.status);
        follower.stopped = follower.exchange()?;
        Ok(follower)
    }

    /// A follower that has not begun.
    pub(super) fn blank(line: &'a Line<S>, status: Vec<Status>, settings: Settings) -> Self {
        let (law, recorder) = (Law::unsolved(line.begin.clone()), Recorder::new(line, &status));
        Follower::of(line, settings, law, Active::new(line, status), Pricer::new(), recorder)
    }

    /// A follower in this state, but for its factor.
    pub(super) fn of(
        line: &'a Line<S>,
        settings: Settings,
        law: Law<S>,
        active: Active<S>,
        pricer: Pricer<S>,
        recorder: Recorder<S>,
    ) -> Self {
        let (kkt, largest_bound) = (factor(line, &settings), LargestBound::new(line));
        let (wider, stopped, rows) = (Vec::new(), None, None);
        Follower { line, settings, largest_bound, kkt, law, active, pricer, recorder, wider, stopped, rows }
    }

    /// Follows the path to the next event and crosses it. Returns the reason if the path has ended there, otherwise `None`.
    ///
    /// # Errors
    /// [`PathError`] when the next solution could not be computed; the path so far stays in the follower.
    pub fn step(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.step_watched(&mut ())
    }

    /// The same, with an observer of what happens within a step: a turn of the loop, in a wider scalar where this one
    /// does not resolve it.
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

    /// One turn of the loop, as docs/architecture.md has it.
    fn turn(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.direction();
        self.polish();
        let step = self.audited_ratio_test()?;
        self.record(&step);
        match self.advance(&step) {
            Some(stop) => Ok(Some(stop)),
            None => self.exchange(),
        }
    }

    /// Where a step leads.
    pub(super) fn after(&self, step: &Step<S>) -> Place<S> {
        match (&self.line.end, &step.length) {
            (Some(end), _) if step.end => Place::exactly(end.clone()),
            (_, Some(length)) => self.law.at.moved(length),
            (_, None) => self.law.at.clone(),
        }
    }

    /// Moves to the event: blocked indices go to their bounds, those whose z reached zero are tied.
    pub(super) fn advance(&mut self, step: &Step<S>) -> Option<Stop<S>> {
        self.active.changes.clear();
        let Some(length) = &step.length else {
            return Some(self.end_of_ray());
        };
        self.law.y += self.law.dy.clone() * length;
        self.law.at = self.after(step);
        self.pricer.follow(length);
        if !step.is_zero() {
            self.active.leave();
        }
        if step.end {
            return Some(Stop::Target);
        }
        self.active.open = least(self.active.open.take(), step.known_to.clone());
        self.active.blur.clear();
        for (i, side, blur) in &step.blocked {
            self.bind(*i, *side);
            self.set_tied(*i, true);
            self.active.blur.push((*i, blur.clone()));
        }
        for (i, _) in &step.hits {
            self.set_tied(*i, true);
        }
        self.active.hit_z.clone_from(&step.hits);
        None
    }

    /// `Settings::max_events` was reached.
    pub(super) fn limit(&self) -> Option<Stop<S>> {
        let limit = self.settings.max_events.filter(|&limit| self.recorder.stats.events >= limit);
        limit.map(|events| Stop::EventLimit { t: self.law.at.t.clone(), events })
    }

    /// Nothing happens any more: does x have a limit?
    fn end_of_ray(&self) -> Stop<S> {
        let moves = |i: usize| match self.active.status[i] {
            Status::Lower => self.line.bounds.lower[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Upper => self.line.bounds.upper[i].as_ref().is_some_and(|b| !b[1].is_zero()),
            Status::Free => false,
        };
        // What x moves by on a further stretch as long as the one behind; of a ray without events, on one multiple of
        // its direction.
        let behind = self.law.at.t.clone() - &self.line.begin;
        let ahead = if behind.is_zero() { S::one() } else { behind };
        let tiny = |(k, &i): (usize, &usize)| {
            self.law.dx[k].abs() * &ahead > self.x_scale(k, i) * S::tolerance(self.settings.audit)
        };
        if (0..self.line.n()).any(moves) || self.kkt.free().iter().enumerate().any(tiny) {
            Stop::Diverges { t: self.law.at.t.clone() }
        } else {
            Stop::Target
        }
    }

    /// Makes the active set right for t⁺: the directional QP, and jumps of x or y where there are any.
    pub(super) fn exchange(&mut self) -> Result<Option<Stop<S>>, PathError> {
        self.recorder.stats.max_tied = self.recorder.stats.max_tied.max(self.active.tied.members().len());
        let mut jumped_from = HashSet::new();
        self.kkt.begin_crossing();
        loop {
            match self.cross()? {
                Crossing::Settled => break,
                Crossing::Jumped => {}
                Crossing::Stopped(stop) => return Ok(Some(stop)),
            }
            self.update_codes();
            if !jumped_from.insert(self.active.fingerprint) {
                return Err(self.cycling());
            }
        }
        self.update_codes();
        if !self.active.seen.insert(self.active.fingerprint) {
            return Err(self.cycling());
        }
        self.recorder.stats.events += usize::from(self.active.net_changes());
        Ok(None)
    }

    /// An active set may come up once at one t.
    pub(super) fn cycling(&self) -> PathError {
        PathError::Cycle {
            t: self.law.at.t.to_string(),
            free: self.kkt.free().len(),
            tied: self.active.tied.members().len(),
        }
    }

    fn here(&self) -> S {
        Follower::position(self).clone()
    }

    /// The position t on the line.
    pub fn position(&self) -> &S {
        self.rows.as_ref().map_or(&self.law.at.t, |rows| rows.position())
    }

    /// What has been recorded so far.
    pub(crate) fn path(&self) -> &Path<S> {
        self.rows.as_ref().map_or(&self.recorder.path, |rows| rows.path())
    }

    /// The counters so far.
    pub fn stats(&self) -> &Stats {
        self.rows.as_ref().map_or(&self.recorder.stats, |rows| rows.stats())
    }

    /// The status of every variable, followed by that of every row of [`ParametricQp::rows`](crate::ParametricQp::rows).
    pub fn status(&self) -> &[Status] {
        self.rows.as_ref().map_or(&self.active.status, |rows| rows.status())
    }

    /// The multiplier of the equality row at t; where it is not unique, one value of its interval. It is not kept for problems with
    /// [`ParametricQp::rows`](crate::ParametricQp::rows).
    pub fn multiplier(&self) -> &S {
        &self.law.y
    }

    /// The last event, for an observer.
    fn last_event(&self) -> Event<'_, S> {
        if let Some(rows) = &self.rows {
            return rows.last_event();
        }
        Event {
            t: &self.law.at.t,
            changes: &self.active.changes,
            breakpoint: self.recorder.is_new_pattern(),
            free: self.kkt.free().len(),
            stats: &self.recorder.stats,
        }
    }

    /// Ends the follower and returns the path so far. If the path has not ended, its stop is [`Stop::Asked`].
    pub fn into_path(mut self) -> Path<S> {
        if let Some(rows) = self.rows {
            return rows.into_path();
        }
        if self.stopped.is_none() {
            self.finish(Stop::Asked { t: self.law.at.t.clone() });
        }
        self.recorder.path
    }

    /// Steps until the path ends or the observer returns false.
    ///
    /// # Errors
    /// As [`Follower::step`].
    pub fn run(&mut self, observer: &mut dyn Observer<S>) -> Result<Stop<S>, PathError> {
        loop {
            if let Some(stop) = self.step_watched(observer)? {
                return Ok(stop);
            }
            observer.checkpoint(&|| self.checkpoint());
            if !observer.event(&self.last_event()) {
                let stop = Stop::Asked { t: self.here() };
                match &mut self.rows {
                    Some(rows) => rows.stop(stop.clone()),
                    None => self.finish(stop.clone()),
                }
                self.stopped = Some(stop.clone());
                return Ok(stop);
            }
        }
    }
}

/// The factor of a follower, for prices at one active set after another. (Wide scalars have few events.)
pub(super) fn factor<'a, S: Scalar>(line: &'a Line<S>, settings: &Settings) -> Box<dyn Kkt<S> + 'a> {
    let mut kkt = S::kkt(line, settings);
    if !S::WIDEST {
        kkt.keep_columns();
    }
    kkt
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

/// The error of [`trace`], and the path so far if it has begun.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure<S>(pub PathError, pub Option<Box<Path<S>>>);

/// Follows a line from a start to its end, or to where no solution continues it.
///
/// # Errors
/// [`Failure`]: the error, and the path so far.
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
