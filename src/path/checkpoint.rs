//! The state of a follower between two events, so that a long run can be continued after its process has ended.
//!
//! A [`Checkpoint`] holds everything that steers the follower, each number to the last bit (the factor as it has become by
//! its updates, the compensated sums, the dues of certified pricing), and the path so far. A follower that is resumed
//! from one goes on exactly like the one that made it. What can be had from the problem alone is not kept.

use super::Follower;
use super::record::Path;
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{KktState, Place, Solution};
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Settings;
use crate::stats::Stats;

/// The version of the serialised form.
const FORMAT: u32 = 5;

/// A follower's state. Serialisable in any format that keeps every `f64`, NaN among them (JSON does not), where its
/// scalar is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct Checkpoint<S> {
    format: u32,
    kkt: KktState<S>,
    queue: Option<crate::pricing::SavedQueue>,
    arc_speed: f64,
    at: Place<S>,
    hit_z: Vec<(usize, S)>,
    blur: Vec<(usize, S)>,
    open: Option<S>,
    untied: Vec<usize>,
    status: Vec<Status>,
    rate: Option<Solution<S>>,
    weak: Vec<usize>,
    law: (Vec<S>, Vec<S>),
    y: [S; 3],
    floating: bool,
    interval: bool,
    stats: Stats,
    path: Path<S>,
    seen: Vec<u64>,
    touched: Vec<usize>,
    codes: Vec<(Status, bool)>,
    signs: Vec<u64>,
    faint: Vec<usize>,
    recorded: Vec<Status>,
    patterns: (u64, u64, Option<u64>),
    detours: [usize; 2],
    changes: Vec<(usize, Status, Status)>,
}

impl<S: Scalar> Checkpoint<S> {
    /// How far the path had been followed.
    pub fn position(&self) -> &S {
        &self.at.t
    }

    /// What it had cost.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether lists and indices are those of a follower of this line.
    fn fits(&self, line: &Line<S>) -> Result<(), PathError> {
        let n = line.n();
        let lists = [self.status.len(), self.codes.len(), self.signs.len(), self.recorded.len(), self.path.n()];
        let indices = self.hit_z.iter().map(|h| &h.0).chain(self.changes.iter().map(|c| &c.0));
        let indices = indices
            .chain(self.blur.iter().map(|b| &b.0))
            .chain(&self.untied)
            .chain(&self.weak)
            .chain(&self.touched)
            .chain(&self.faint);
        let checks = [
            (self.format == FORMAT, "another version made it"),
            (lists.iter().all(|len| *len == n), "it has another number of variables"),
            ({ indices }.all(|&i| i < n), "an index is out of range"),
            (self.path.is_on(line), "its line is another one"),
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
            queue: self.queue.as_ref().map(|queue| queue.save()),
            arc_speed: self.arc_speed,
            at: self.at.clone(),
            hit_z: self.hit_z.clone(),
            blur: self.blur.clone(),
            open: self.open.clone(),
            untied: self.untied.clone(),
            status: self.status.clone(),
            rate: self.rate.clone(),
            weak: self.weak.members().to_vec(),
            law: (self.x.clone(), self.dx.clone()),
            y: [self.y.clone(), self.dy.clone(), self.y_size.clone()],
            floating: self.floating,
            interval: self.interval,
            stats: self.stats.clone(),
            path: self.path.clone(),
            seen: self.seen.iter().copied().collect(),
            touched: self.touched.clone(),
            codes: self.codes.clone(),
            signs: self.signs.clone(),
            faint: self.faint.clone(),
            recorded: self.recorded.clone(),
            patterns: (self.fingerprint, self.pattern, self.last_pattern),
            detours: self.detours.counts,
            changes: self.changes.clone(),
        }
    }

    /// The follower that made `checkpoint`, with other limits if `settings` has them. The line must be the same, to the
    /// last bit; of the settings only `max_events` may differ if the path is to be the same.
    ///
    /// # Errors
    /// [`PathError::Checkpoint`] when it is not one of this line.
    pub fn resume(line: &'a Line<S>, checkpoint: Checkpoint<S>, settings: Settings) -> Result<Self, PathError> {
        checkpoint.fits(line)?;
        let mut follower = Follower::blank(line, checkpoint.status, settings);
        if !follower.kkt.load(checkpoint.kkt) {
            return Err(PathError::Checkpoint { reason: "its factor is another one" });
        }
        follower.queue = follower.certified_queue();
        if let (Some(queue), Some(saved)) = (&mut follower.queue, checkpoint.queue)
            && !queue.load(saved)
        {
            return Err(PathError::Checkpoint { reason: "its queue is another one" });
        }
        follower.arc_speed = checkpoint.arc_speed;
        follower.at = checkpoint.at;
        (follower.hit_z, follower.blur) = (checkpoint.hit_z, checkpoint.blur);
        follower.open = checkpoint.open;
        follower.untied = checkpoint.untied;
        follower.rate = checkpoint.rate.filter(|rate| rate.x.len() == follower.kkt.free().len());
        checkpoint.weak.into_iter().for_each(|i| follower.weak.insert(i));
        (follower.x, follower.dx) = checkpoint.law;
        [follower.y, follower.dy, follower.y_size] = checkpoint.y;
        (follower.floating, follower.interval) = (checkpoint.floating, checkpoint.interval);
        (follower.stats, follower.path) = (checkpoint.stats, checkpoint.path);
        follower.seen = checkpoint.seen.into_iter().collect();
        (follower.touched, follower.codes) = (checkpoint.touched, checkpoint.codes);
        (follower.signs, follower.faint) = (checkpoint.signs, checkpoint.faint);
        follower.recorded = checkpoint.recorded;
        (follower.fingerprint, follower.pattern, follower.last_pattern) = checkpoint.patterns;
        follower.changes = checkpoint.changes;
        follower.detours.counts = checkpoint.detours;
        Ok(follower)
    }
}
