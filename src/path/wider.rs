//! Breakpoints that the follower's own scalar cannot resolve are crossed in a wider scalar.
//!
//! Suppose that a row of F lies nearly in the span of the others; let δ be the length of its part outside, relative to its own. In double precision z is known
//! to ε, so that x is known only to ε/δ² along the direction in which the fit hardly moves, and two events whose t differ by less than ε|t| cannot be ordered.
//! Then the law found at a crossing has x outside its box, or a z of the wrong sign, and no tolerance tells which of the tied indices is wrong.
//!
//! In this case the follower goes back to the end of its last correct law. The line from there on is posed in the wider scalar, with every number taken as it
//! is, and the current x is the guess at a start ([`super::Start::Guess`]): its errors are rounding, and the path to the solution has few events. From there
//! the same algorithm proceeds step by step; each law is rounded and recorded, except those whose length is zero in the follower's scalar, so that events too
//! close together become a jump. When a law is long enough, the follower takes over the active set in the middle of the law, with the indices tied there as its
//! tied set, and goes on in its own scalar. If it fails again soon, the next stretch in the wider scalar is twice as long.

use super::Follower;
use super::feasible::{clamp_at, feasible_point, side};
use super::follower::factor;
use super::ratio::Step;
use super::start::hot_start;
use crate::active_set::Status;
use crate::error::{PathError, ProblemError};
use crate::hessian::Hessian;
use crate::kkt::Place;
use crate::observe::{Event, Narrowing, Observer};
use crate::problem::{Line, widened, widened_at};
use crate::record::Stop;
use crate::scalar::Scalar;
use crate::settings::{FIT_COLUMNS, Pricing, Settings};
use std::sync::Arc;

/// A law found in the wider scalar is long enough to go on from when it is so many times as long as what makes events tied.
const RESOLVED: f64 = 131_072.0;

impl<'a, S: Scalar> Follower<'a, S> {
    /// A follower at the beginning of a line from the feasible point `x`, where rounding has kept the follower's scalar from starting.
    pub(super) fn from_wider(
        line: &'a Line<S>,
        x: Vec<S>,
        settings: Settings,
        observer: &mut dyn Observer<S>,
    ) -> Result<Self, PathError> {
        let bounds = line.held().bounds;
        let status: Vec<Status> = (0..line.n()).map(|i| side(&bounds, i, &x[i])).collect();
        let mut follower = Follower::blank(line, status, settings);
        follower.recorder.set_start(&follower.active.status);
        follower.stopped = follower.detour(x, observer)?;
        Ok(follower)
    }

    /// Goes on in the wider scalar after `error`, from the end of the last law.
    pub(super) fn recover(
        &mut self,
        error: PathError,
        observer: &mut dyn Observer<S>,
    ) -> Result<Option<Stop<S>>, PathError> {
        if S::WIDEST || !error.is_of_rounding() {
            return Err(error);
        }
        let x = self.recorder.path.last_x(&self.law.at.t).unwrap_or_else(|| self.x_at_bounds());
        match self.detour(x, observer) {
            Err(PathError::StartStopped { .. }) => Ok(Some(Stop::Asked { t: self.law.at.t.clone() })),
            Err(PathError::StartLimit { .. }) => {
                Ok(self.settings.max_events.map(|events| Stop::EventLimit { t: self.law.at.t.clone(), events }))
            }
            gone => gone.map_err(|_| error),
        }
    }

    /// Goes on in the wider scalar from x, with H in the first form that it can be followed in.
    fn detour(&mut self, x: Vec<S>, observer: &mut dyn Observer<S>) -> Result<Option<Stop<S>>, PathError> {
        self.recorder.begin_detour();
        if self.wider.is_empty() {
            self.wider = widened(&self.line.hessian)?;
        }
        let mut forms = self.wider.clone().into_iter();
        let mut gone = match forms.next() {
            Some(hessian) => self.go_wider(x, hessian, observer),
            None => return Ok(None),
        };
        for hessian in forms {
            if let Err(PathError::Problem(ProblemError::Indefinite { .. })) = gone {
                let x = self.recorder.path.last_x(&self.law.at.t).unwrap_or_else(|| self.x_at_bounds());
                gone = self.go_wider(x, hessian, observer);
            }
        }
        gone
    }

    /// x with every index at the bound it is held at, and the free ones as near to zero as they may be.
    pub(super) fn x_at_bounds(&self) -> Vec<S> {
        let at = |i: usize| match self.active.status[i] {
            Status::Lower => self.line.bounds.lower_at(i, &self.law.at.t),
            Status::Upper => self.line.bounds.upper_at(i, &self.law.at.t),
            Status::Free => None,
        };
        let bounds = &self.line.bounds;
        (0..self.line.n()).map(|i| at(i).unwrap_or_else(|| clamp_at(bounds, i, &self.law.at.t, S::zero()))).collect()
    }

    /// From x, feasible at t up to rounding, until a law is long enough. The follower stands inside it then.
    fn go_wider(
        &mut self,
        x: Vec<S>,
        hessian: Arc<dyn Hessian<S::Wider>>,
        observer: &mut dyn Observer<S>,
    ) -> Result<Option<Stop<S>>, PathError> {
        let origin = self.law.at.t.widen() + self.law.at.off.widen();
        let line = widened_at(self.line, &origin, hessian);
        let here = line.held();
        let x = feasible_point(&here, x.iter().map(S::widen).collect())?;
        let left = self.settings.max_events.map(|limit| limit.saturating_sub(self.recorder.stats.events).max(1));
        let own = Settings { max_events: left, pricing: Pricing::Full, ..self.settings.clone() };
        let (status, y) = hot_start(&here, x, &own, &mut Narrowing(observer))?;
        let own = Settings { max_events: None, ..own };
        let mut wide = Follower::at_active_set(&line, status, y, own)?;
        let mut left = self.recorder.patience;
        loop {
            let stop = match wide.stopped.clone() {
                Some(stop) => Some(stop),
                None => {
                    wide.direction();
                    wide.polish();
                    let step = wide.audited_ratio_test()?;
                    let long = self.take_law(&wide, &origin, &step);
                    if long && left == 1 && self.stand_in(&wide, &origin, &step) {
                        return Ok(None);
                    }
                    left = left.saturating_sub(usize::from(long)).max(1);
                    match wide.advance(&step) {
                        Some(stop) => Some(stop),
                        None => wide.exchange()?,
                    }
                }
            };
            if let Some(stop) = stop {
                self.law.at = rounded(&(origin + &wide.law.at.t));
                if matches!(stop, Stop::Target)
                    && let Some(end) = &self.line.end
                {
                    self.law.at = Place::exactly(end.clone());
                }
                return Ok(Some(self.narrowed(stop)));
            }
            self.recorder.stats.events += 1;
            self.law.at = rounded(&(origin.clone() + &wide.law.at.t));
            let event = Event {
                t: &self.law.at.t,
                changes: &wide.active.changes,
                breakpoint: self.recorder.is_new_pattern(),
                free: wide.kkt.free().len(),
                stats: &self.recorder.stats,
            };
            let asked = (!observer.start_event(&event)).then(|| Stop::Asked { t: self.law.at.t.clone() });
            if let Some(stop) = asked.or_else(|| self.limit()) {
                return self.broken_off(stop);
            }
        }
    }

    /// Ends in the wider scalar; without a law so far there is no path.
    fn broken_off(&self, stop: Stop<S>) -> Result<Option<Stop<S>>, PathError> {
        let events = self.recorder.stats.events;
        match (&stop, self.recorder.path.segments().is_empty()) {
            (Stop::Asked { .. }, true) => Err(PathError::StartStopped { events }),
            (_, true) => Err(PathError::StartLimit { events }),
            _ => Ok(Some(stop)),
        }
    }

    /// Keeps the law of the wider follower for as long as `step`, rounded, unless that is no length. Whether it is long enough to stand in.
    fn take_law(&mut self, wide: &Follower<'_, S::Wider>, origin: &S::Wider, step: &Step<S::Wider>) -> bool {
        let from = origin.clone() + &wide.law.at.t;
        let t = S::narrow(&from);
        let to = step.length.as_ref().map(|length| S::narrow(&(from.clone() + length)));
        self.active.copy(&wide.active);
        if to.as_ref().is_some_and(|to| *to <= t) {
            return false;
        }
        // x and y at both ends are those of the law's own ends, which t is rounded from.
        let part = match (&step.length, &to) {
            (Some(length), Some(to)) => length.clone() / (to.clone() - &t).widen(),
            _ => S::Wider::integer(1),
        };
        let free = wide.kkt.free();
        self.law.x = wide.law.x.iter().map(S::narrow).collect();
        self.law.dx = wide.law.dx.iter().map(|dx| S::narrow(&(dx.clone() * &part))).collect();
        self.law.y = S::narrow(&wide.law.y);
        self.law.dy = S::narrow(&(wide.law.dy.clone() * &part));
        (self.law.floating, self.law.interval) = (wide.law.floating, wide.law.interval);
        self.law.at = Place::exactly(t.clone());
        self.recorder.stats.max_free = self.recorder.stats.max_free.max(free.len());
        self.update_codes();
        self.fade(|_, i| {
            let length = step.length.as_ref()?;
            let here = wide.z(i);
            Some((S::narrow(&here), S::narrow(&(here + wide.dz(i) * length))))
        });
        let fit = self.fit_of(wide, &part);
        self.recorder.keep(&self.law, &S::one(), free, fit, &mut self.active);
        let resolved = S::tolerance(RESOLVED * self.settings.tie);
        to.is_none_or(|to| to.clone() - &t > S::larger(to.abs(), t.abs()) * resolved)
    }

    /// Zᵀx of the wider law and its rate, the latter times `part`, where it is kept.
    fn fit_of(&self, wide: &Follower<'_, S::Wider>, part: &S::Wider) -> Option<[Vec<S>; 2]> {
        let gram = self.line.hessian.row_factor().filter(|gram| (1..=FIT_COLUMNS).contains(&gram.columns()))?;
        let mut sums = [(); 2].map(|()| vec![S::Wider::integer(0); gram.columns()]);
        let (free, bounds) = (wide.kkt.free(), &wide.line.bounds);
        let mut position = vec![None; self.line.n()];
        free.iter().enumerate().for_each(|(k, &i)| position[i] = Some(k));
        for (i, position) in position.into_iter().enumerate() {
            let held = match wide.active.status[i] {
                Status::Lower => bounds.lower[i].as_ref(),
                _ => bounds.upper[i].as_ref(),
            };
            let [value, rate] = match (position, held) {
                (Some(k), _) => [wide.law.x[k].clone(), wide.law.dx[k].clone()],
                (None, Some([v, s])) => [v.clone() + s.clone() * &wide.law.at.t, s.clone()],
                (None, None) => continue,
            };
            gram.for_row(i, |j, z| {
                let z = z.widen();
                sums[0][j] += z.clone() * &value;
                sums[1][j] += z * &rate;
            });
        }
        let [value, rate] = sums;
        Some([value.iter().map(S::narrow).collect(), rate.into_iter().map(|r| S::narrow(&(r * part))).collect()])
    }

    /// Takes the wider follower's active set up in the middle of its law. False where this scalar takes its free rows for dependent, or the law fails
    /// its check.
    fn stand_in(&mut self, wide: &Follower<'_, S::Wider>, origin: &S::Wider, step: &Step<S::Wider>) -> bool {
        let two = S::Wider::integer(2);
        let ahead = step.length.as_ref().map_or_else(|| wide.law.at.t.clone(), |length| length.clone() / &two);
        let ahead = if ahead > S::Wider::integer(0) { ahead } else { S::Wider::integer(1) };
        let began = self.law.at.clone();
        self.law.at = rounded(&(origin.clone() + &wide.law.at.t + &ahead));
        self.kkt = factor(self.line, &self.settings);
        for i in (0..self.line.n()).filter(|&i| self.active.status[i] != Status::Free) {
            self.kkt.place(i, self.active.status[i]);
        }
        let independent = wide.kkt.free().iter().all(|&i| self.kkt.release(i, Status::Free).is_ok());
        if !independent {
            self.law.at = began;
            return false;
        }
        self.law.next_rate = None;
        self.active.forget();
        self.law.y = S::narrow(&(wide.law.y.clone() + wide.law.dy.clone() * &ahead));
        self.begin_queue();
        self.solve_law();
        self.price_everything();
        if self.is_wrong_here() {
            self.law.at = began;
            return false;
        }
        self.recorder.since = self.recorder.stats.events;
        true
    }

    /// Whether the law at t fails the check of every x and z.
    fn is_wrong_here(&mut self) -> bool {
        self.pricer.wrong_sign = None;
        if self.worst_violation().is_some() {
            return true;
        }
        let wrong = |i: usize| {
            let z = self.signed_z(i);
            z < S::zero() && -z > self.allowed(i, self.settings.audit)
        };
        let bound = |i: &usize| self.active.status[*i] != Status::Free && !self.active.fixed[*i];
        !self.law.floating && (0..self.line.n()).filter(bound).any(wrong)
    }

    fn narrowed(&self, stop: Stop<S::Wider>) -> Stop<S> {
        let t = self.law.at.t.clone();
        match stop {
            Stop::Target => Stop::Target,
            Stop::Infeasible { .. } => Stop::Infeasible { t },
            Stop::Unbounded { index, .. } => Stop::Unbounded { t, index },
            Stop::Diverges { .. } => Stop::Diverges { t },
            Stop::EventLimit { events, .. } => Stop::EventLimit { t, events },
            Stop::Asked { .. } => Stop::Asked { t },
        }
    }
}

/// A position in the follower's scalar.
fn rounded<S: Scalar>(t: &S::Wider) -> Place<S> {
    let near = S::narrow(t);
    let off = S::narrow(&(t.clone() - &near.widen()));
    Place { t: near, off }
}
