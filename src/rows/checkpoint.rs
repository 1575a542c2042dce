//! The state of a path with rows between two events, so that a long run can be continued after its process has ended.
//!
//! Every number is stored to the last bit, the inverse of the basis as its updates have left it; sparse factors of a large basis are computed afresh from the
//! same columns. What follows from the problem alone (the system, its data and units) is not stored.

use super::basis::Basis;
use super::follower::RowFollower;
use super::law::Half;
use super::pricer::Dues;
use super::system::System;
use crate::active_set::Status;
use crate::kkt::{Place, Sums};
use crate::scalar::Scalar;
use crate::stats::Stats;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// What changes along a path with rows: the fields of [`RowFollower`] that do not follow from the problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "S: Scalar + Serialize", deserialize = "S: Scalar + Deserialize<'de>"))]
pub(super) struct FollowerState<S> {
    status: Vec<Status>,
    fixed: Vec<bool>,
    basis: Basis<S>,
    sums: Sums<S>,
    pub at: Place<S>,
    value: Half<S>,
    rate: Half<S>,
    stale: [bool; 2],
    z: [Vec<S>; 2],
    z_zero: [Vec<S>; 2],
    z_rounding: Vec<S>,
    near: Vec<usize>,
    is_near: Vec<bool>,
    dues: Option<Dues<S>>,
    has_dues: bool,
    most_of_law: [S; 2],
    resting: Vec<usize>,
    pub stats: Stats,
    changed: Vec<(usize, Status)>,
    touched: Vec<usize>,
    crossings: u64,
    seen: HashSet<u64>,
}

impl<S: Scalar> FollowerState<S> {
    /// A copy of the state of `f`.
    pub fn of(f: &RowFollower<S>) -> Self {
        FollowerState {
            status: f.status.clone(),
            fixed: f.fixed.clone(),
            basis: f.basis.clone(),
            sums: f.sums.clone(),
            at: f.at.clone(),
            value: f.value.clone(),
            rate: f.rate.clone(),
            stale: f.stale,
            z: f.z.clone(),
            z_zero: f.z_zero.clone(),
            z_rounding: f.z_rounding.clone(),
            near: f.near.clone(),
            is_near: f.is_near.clone(),
            dues: f.dues.clone(),
            has_dues: f.has_dues,
            most_of_law: f.most_of_law.clone(),
            resting: f.resting.clone(),
            stats: f.stats.clone(),
            changed: f.changed.clone(),
            touched: f.touched.clone(),
            crossings: f.crossings,
            seen: f.seen.clone(),
        }
    }

    /// Whether its lists and indices are those of a follower of this system.
    fn is_sound(&self, system: &System<S>) -> bool {
        let columns = system.columns();
        let numbers = self.z.iter().chain(&self.z_zero).chain([&self.z_rounding]);
        let changed = self.changed.iter().map(|c| c.0);
        let listed = self.near.iter().chain(&self.resting).chain(&self.touched).copied();
        // A solution that is stale is only near the next one, and is solved for again.
        let is_basic = |j: usize| self.status.get(j) == Some(&Status::Free);
        let needed = |stale: bool| (!stale).then_some(&is_basic as &dyn Fn(usize) -> bool);
        let basic = |&key: &usize| key >= system.n || self.status.get(key) == Some(&Status::Free);
        self.status.len() == columns
            && self.fixed.len() == columns
            && self.is_near.len() == columns
            && numbers.map(Vec::len).all(|len| len == columns)
            && changed.chain(listed).all(|j| j < columns)
            && self.sums.is_sound(system.no_sums().len())
            && self.basis.is_sound(system)
            && self.basis.keys.iter().all(basic)
            && [&self.value, &self.rate]
                .into_iter()
                .zip(self.stale)
                .all(|(half, stale)| half.is_sound(system, needed(stale)))
            && self.dues.as_ref().is_none_or(|dues| dues.is_sound(system))
    }

    /// The follower in this state, from one of the same problem that has not begun. None where they do not fit together.
    pub fn resumed(self, blank: RowFollower<S>) -> Option<RowFollower<S>> {
        if !self.is_sound(&blank.system) {
            return None;
        }
        let FollowerState { status, fixed, mut basis, sums, at, value, rate, stale, z, z_zero, z_rounding, .. } = self;
        if !basis.restore() {
            return None;
        }
        let fingerprint = super::follower::fingerprint(&status);
        let (near, is_near, dues, has_dues) = (self.near, self.is_near, self.dues, self.has_dues);
        let (most_of_law, resting, stats, changed) = (self.most_of_law, self.resting, self.stats, self.changed);
        let (touched, crossings, seen) = (self.touched, self.crossings, self.seen);
        Some(RowFollower {
            status,
            fixed,
            basis,
            sums,
            at,
            value,
            rate,
            stale,
            z,
            z_zero,
            z_rounding,
            near,
            is_near,
            dues,
            has_dues,
            most_of_law,
            resting,
            stats,
            changed,
            touched,
            crossings,
            seen,
            fingerprint,
            ..blank
        })
    }
}
