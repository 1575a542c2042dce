//! The state of a follower between two events, so that a long run can be continued after its process has ended.
//!
//! A [`Checkpoint`] is the four structs that steer the follower and the factor, each number to the last bit (the factor
//! as it has become by
//! its updates, the compensated sums, the dues of certified pricing, the path so far). A follower that is resumed
//! from one goes on exactly like the one that made it. What can be had from the problem alone is not kept.

use super::Follower;
use super::active::Active;
use super::law::Law;
use super::pricer::Pricer;
use super::recorder::Recorder;
use crate::error::PathError;
use crate::kkt::KktState;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::{Pricing, Settings};
use crate::stats::Stats;

/// The version of the serialised form.
const FORMAT: u32 = 7;

/// A follower's state. Serialisable in any format that keeps every `f64`, NaN among them (JSON does not), where its
/// scalar is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct Checkpoint<S> {
    format: u32,
    kkt: KktState<S>,
    law: Law<S>,
    active: Active<S>,
    pricer: Pricer<S>,
    recorder: Recorder<S>,
}

impl<S: Scalar> Checkpoint<S> {
    /// How far the path had been followed.
    pub fn position(&self) -> &S {
        &self.law.at.t
    }

    /// What it had cost.
    pub fn stats(&self) -> &Stats {
        &self.recorder.stats
    }

    /// Whether lists and indices are those of a follower of this line.
    fn check(&self, line: &Line<S>) -> Result<(), PathError> {
        let n = line.n();
        let checks = [
            (self.format == FORMAT, "another version made it"),
            (self.recorder.path.n() == n, "it has another number of variables"),
            (self.active.is_sound(n) && self.recorder.is_sound(n), "its lists do not fit together"),
            (self.pricer.is_sound(n), "its queue is another one"),
            (self.recorder.path.is_on(line), "its line is another one"),
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
        Checkpoint {
            format: FORMAT,
            kkt: self.kkt.save(),
            law: self.law.clone(),
            active: self.active.clone(),
            pricer: self.pricer.clone(),
            recorder: self.recorder.clone(),
        }
    }

    /// The follower that made `checkpoint`, with other limits if `settings` has them. The line must be the same, to the
    /// last bit; of the settings only `max_events` may differ if the path is to be the same.
    ///
    /// # Errors
    /// [`PathError::Checkpoint`] when it is not one of this line.
    pub fn resume(line: &'a Line<S>, checkpoint: Checkpoint<S>, settings: Settings) -> Result<Self, PathError> {
        checkpoint.check(line)?;
        let Checkpoint { kkt, law, active, pricer, recorder, .. } = checkpoint;
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
