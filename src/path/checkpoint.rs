//! The state of a follower between two events, so that a long run can be continued after its process has ended.
//!
//! A [`Checkpoint`] consists of the four structs of a follower's state and the factor, each number to the last bit: the factor as its updates have left it, the
//! compensated sums, the due times of certified pricing, and the path so far. A follower that is resumed from a checkpoint continues exactly as the one that
//! made it. What follows from the problem alone is not stored.

use super::Follower;
use super::active::Active;
use super::law::Law;
use super::pricer::Pricer;
use super::recorder::Recorder;
use crate::error::PathError;
use crate::kkt::KktState;
use crate::problem::Line;
use crate::rows::{RowRunner, RunnerState};
use crate::scalar::Scalar;
use crate::settings::{Pricing, Settings};
use crate::stats::Stats;

/// The version of the serialised form.
const FORMAT: u32 = 10;

/// The state of a follower between two events. It can be serialised, if its scalar can, in any format that keeps every `f64` including NaN (JSON does not).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct Checkpoint<S> {
    format: u32,
    state: State<S>,
}

/// The state of a follower, of a line with at most one equality row or with [`ParametricQp::rows`](crate::ParametricQp::rows).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
enum State<S> {
    Own(Box<Own<S>>),
    Rows(Box<RunnerState<S>>),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
struct Own<S> {
    kkt: KktState<S>,
    law: Law<S>,
    active: Active<S>,
    pricer: Pricer<S>,
    recorder: Recorder<S>,
}

impl<S: Scalar> Checkpoint<S> {
    /// The position t that the path had reached.
    pub fn position(&self) -> &S {
        match &self.state {
            State::Own(own) => &own.law.at.t,
            State::Rows(rows) => rows.position(),
        }
    }

    /// The counters at that position.
    pub fn stats(&self) -> &Stats {
        match &self.state {
            State::Own(own) => &own.recorder.stats,
            State::Rows(rows) => rows.stats(),
        }
    }
}

impl<S: Scalar> Own<S> {
    /// Whether lists and indices are those of a follower of this line.
    fn check(&self, line: &Line<S>) -> Result<(), PathError> {
        let n = line.n();
        let checks = [
            (self.recorder.path.n() == n, "it has another number of variables"),
            (self.active.is_sound(n) && self.recorder.is_sound(n), "its lists do not fit together"),
            (self.pricer.is_sound(n), "its queue is another one"),
            (self.recorder.path.is_on(line) && line.rows.is_none(), "its line is another one"),
        ];
        match checks.into_iter().find(|(holds, _)| !holds) {
            Some((_, reason)) => Err(PathError::Checkpoint { reason }),
            None => Ok(()),
        }
    }
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// A copy of the state after the last event.
    pub fn checkpoint(&self) -> Checkpoint<S> {
        let state = match &self.rows {
            Some(rows) => State::Rows(Box::new(rows.state())),
            None => State::Own(Box::new(Own {
                kkt: self.kkt.save(),
                law: self.law.clone(),
                active: self.active.clone(),
                pricer: self.pricer.clone(),
                recorder: self.recorder.clone(),
            })),
        };
        Checkpoint { format: FORMAT, state }
    }

    /// A follower that continues from `checkpoint`. The line must be the same to the last bit, and so must the settings, except for `max_events`; otherwise the
    /// path may differ from that of an uninterrupted follower.
    ///
    /// # Errors
    /// [`PathError::Checkpoint`] when the checkpoint does not belong to this line, is of another format, or is damaged.
    pub fn resume(line: &'a Line<S>, checkpoint: Checkpoint<S>, settings: Settings) -> Result<Self, PathError> {
        if checkpoint.format != FORMAT {
            return Err(PathError::Checkpoint { reason: "another version made it" });
        }
        match checkpoint.state {
            State::Own(own) => Follower::resume_own(line, *own, settings),
            State::Rows(rows) => {
                let runner = RowRunner::resume(line, *rows, &settings);
                let runner = runner.ok_or(PathError::Checkpoint { reason: "its line is another one" })?;
                let mut follower = Follower::blank(line, Vec::new(), settings);
                follower.rows = Some(Box::new(runner));
                Ok(follower)
            }
        }
    }

    fn resume_own(line: &'a Line<S>, own: Own<S>, settings: Settings) -> Result<Self, PathError> {
        own.check(line)?;
        let Own { kkt, law, active, pricer, recorder } = own;
        let mut follower = Follower::of(line, settings, law, active, pricer, recorder);
        if !follower.kkt.load(kkt) {
            return Err(PathError::Checkpoint { reason: "its factor is another one" });
        }
        let free = follower.kkt.free().len();
        follower.law.next_rate = follower.law.next_rate.filter(|rate| rate.x.len() == free);
        if follower.settings.pricing == Pricing::Full {
            follower.pricer.certified = None;
        }
        Ok(follower)
    }
}
