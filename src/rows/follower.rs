//! The state on a path with rows, and the loop from event to event.

use super::basis::{Basis, Singular};
use super::law::{Given, Half, allowance};
use super::proof::Proof;
use super::system::{Data, System};
use crate::active_set::{Status, key};
use crate::error::PathError;
use crate::kkt::{Part, Place, Sums};
use crate::path::Stop;
use crate::scalar::Scalar;
use crate::settings::{FIT_COLUMNS, Settings};
use crate::stats::Stats;
use std::collections::HashSet;
use std::sync::Arc;

/// A path on columns and rows as [`System`] has them.
#[derive(Clone)]
pub(crate) struct RowFollower<S> {
    pub(super) system: Arc<System<S>>,
    pub(super) data: Data<S>,
    pub(super) settings: Settings,
    /// Of every column: free is "in the basis".
    pub(super) status: Vec<Status>,
    /// Columns without events: l = u for good, and those without bounds that are parked at zero.
    pub(super) fixed: Vec<bool>,
    pub(super) basis: Basis<S>,
    /// What the variables at bounds contribute to the rows, features and Hx.
    pub(super) sums: Sums<S>,
    /// The largest |entry| of every column of (A; Zᵀ).
    widest: Vec<S>,
    pub(super) at: Place<S>,
    /// Value and rate on the law ahead.
    pub(super) value: Half<S>,
    pub(super) rate: Half<S>,
    pub(super) z: [Vec<S>; 2],
    /// What z, and x of the basis, count as zero up to at t, and their rates.
    pub(super) z_zero: [Vec<S>; 2],
    /// Tied at t, with rates that stay.
    pub(super) resting: Vec<bool>,
    pub(super) stats: Stats,
    /// Columns with a status that has changed since the last segment, and what it was then.
    pub(super) changed: Vec<(usize, Status)>,
    pub(super) proof: Option<Proof<S>>,
    /// Seeds the perturbations of crossings, one after the other.
    pub(super) crossings: u64,
    seen: HashSet<u64>,
    fingerprint: u64,
}

/// How far a law holds.
#[derive(Clone, Debug)]
pub(super) struct Ahead<S> {
    /// None: for ever.
    pub length: Option<S>,
    /// The line ends there.
    pub end: bool,
    /// The columns that meet a bound or zero there.
    pub hits: Vec<usize>,
}

impl<S: Scalar> RowFollower<S> {
    /// With all slacks in the basis and every variable at a bound (or parked at zero).
    pub(super) fn new(system: Arc<System<S>>, data: Data<S>, status: Vec<Status>, settings: &Settings) -> Self {
        let columns = system.columns();
        let fixed = (0..columns).map(|j| data.is_fixed(j)).collect();
        let mut sums = system.no_sums();
        for j in (0..system.n).filter(|&j| status[j] != Status::Free) {
            if let Some(bound) = data.bound(j, status[j] == Status::Upper) {
                system.add_to_sums(j, bound, &mut sums);
            }
        }
        let widest = |j: usize| {
            let mut most = S::zero();
            system.for_column(j, |_, v| most = S::larger(most.clone(), v.abs()));
            most
        };
        let widest = if S::EXACT { Vec::new() } else { (0..system.n).map(widest).collect() };
        let fingerprint = (0..columns).fold(0, |f, j| f ^ code(j, status[j]));
        RowFollower {
            basis: Basis::new(&system, settings),
            at: Place::exactly(data.begin.clone()),
            value: Half::nothing(),
            rate: Half::nothing(),
            z: [vec![S::zero(); columns], vec![S::zero(); columns]],
            z_zero: [vec![S::zero(); columns], vec![S::zero(); columns]],
            resting: vec![false; columns],
            stats: Stats::default(),
            changed: Vec::new(),
            proof: None,
            // The wider scalar is asked where this one has failed: by other pivots.
            crossings: if S::WIDEST && !S::EXACT { 1 << 20 } else { 0 },
            seen: HashSet::new(),
            fingerprint,
            settings: settings.clone(),
            system,
            data,
            status,
            fixed,
            sums,
            widest,
        }
    }

    /// The same basis on other data, at their beginning.
    pub(super) fn on(self, data: Data<S>, parked: &[usize]) -> Self {
        let mut next = RowFollower::new(self.system, data, self.status, &self.settings);
        for &j in parked {
            next.fixed[j] = true;
        }
        (next.basis, next.stats, next.crossings) = (self.basis, self.stats, self.crossings);
        next
    }

    #[inline]
    pub(super) fn is_basic(&self, j: usize) -> bool {
        self.status[j] == Status::Free
    }

    /// The law of the bound at which column j is held; zero for one that is parked.
    pub(super) fn held(&self, j: usize) -> [S; 2] {
        let bound = self.data.bound(j, self.status[j] == Status::Upper);
        bound.cloned().unwrap_or_else(|| [S::zero(), S::zero()])
    }

    /// Moves a column to a bound, or into the basis (the basis itself is another matter).
    pub(super) fn set_status(&mut self, j: usize, to: Status) {
        let from = self.status[j];
        if from == to {
            return;
        }
        if !self.changed.iter().any(|c| c.0 == j) {
            self.changed.push((j, from));
        }
        if from != Status::Free {
            let [v, s] = self.held(j);
            self.system.add_to_sums(j, &[-v, -s], &mut self.sums);
        }
        self.fingerprint ^= code(j, from) ^ code(j, to);
        self.status[j] = to;
        if to != Status::Free {
            let held = self.held(j);
            self.system.add_to_sums(j, &held, &mut self.sums);
        }
    }

    /// A number for the statuses of all columns.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Value or rate of the basis.
    pub(super) fn half(&mut self, part: &Part<S>) -> Result<Half<S>, Singular> {
        let (status, data) = (&self.status, &self.data);
        let held = |j: usize| {
            let bound = data.bound(j, status[j] == Status::Upper);
            bound.map_or_else(S::zero, |b| match part {
                Part::Value(at) => at.affine(b),
                Part::Rate => b[1].clone(),
            })
        };
        let cost = |j: usize| {
            let [v, s] = &data.c[j];
            match part {
                Part::Rate => (s.clone(), S::zero()),
                Part::Value(at) => {
                    let (mut high, mut low) = (v.clone(), S::zero());
                    if !s.is_zero() {
                        S::accumulate(&mut high, &mut low, s, &at.t);
                        low += s.clone() * &at.off;
                    }
                    (high, low)
                }
            }
        };
        let size = |[v, s]: &[S; 2]| match part {
            Part::Rate => s.abs(),
            Part::Value(at) => v.abs() + (s.clone() * &at.t).abs(),
        };
        let held_size = |j: usize| data.bound(j, status[j] == Status::Upper).map_or_else(S::zero, size);
        let sums_size =
            if S::EXACT { Vec::new() } else { (0..self.sums.len()).map(|i| self.sums.size(i, part)).collect() };
        let given = Given {
            held: &held,
            cost: &cost,
            held_size: &held_size,
            cost_size: &|j| size(&data.c[j]),
            sums: self.sums.all_in_two(part),
            sums_size,
        };
        Half::solve(&self.system, &mut self.basis, &|j| status[j] == Status::Free, given)
    }

    /// The law ahead: x, η and every z, value at t and rate.
    pub(super) fn direction(&mut self) -> Result<(), PathError> {
        let at = self.at.clone();
        let both = self.half(&Part::Value(at.clone())).and_then(|value| Ok((value, self.half(&Part::Rate)?)));
        (self.value, self.rate) = both.map_err(|Singular| self.inaccurate(0, S::zero(), S::zero()))?;
        self.stats.max_free = self.stats.max_free.max((0..self.system.n).filter(|&j| self.is_basic(j)).count());
        self.price();
        Ok(())
    }

    fn price(&mut self) {
        let columns = self.system.columns();
        let most = |half: &Half<S>| half.eta_size.iter().zip(&half.eta).fold(S::zero(), |s, (a, b)| s + a + b.abs());
        let most = if S::EXACT { [S::zero(), S::zero()] } else { [most(&self.value), most(&self.rate)] };
        for j in 0..columns {
            if self.is_basic(j) {
                continue;
            }
            self.stats.priced += 1;
            let [v, s] = &self.data.c[j];
            let value = self.value.z(&self.system, j, self.at.affine(&[v.clone(), s.clone()]));
            let rate = self.rate.z(&self.system, j, s.clone());
            (self.z[0][j], self.z[1][j]) = (value, rate);
            if !S::EXACT {
                self.judge(j, &most);
            }
        }
    }

    /// What counts as zero in zⱼ and its rate. The sizes of all terms are looked at only where the largest possible one makes a difference.
    fn judge(&mut self, j: usize, most: &[S; 2]) {
        let [v, s] = &self.data.c[j];
        let drift = s.clone() * &self.at.t;
        let costs = [v.abs() + drift.abs(), s.abs()];
        for (part, half) in [&self.value, &self.rate].into_iter().enumerate() {
            let multiple = if part == 0 { self.settings.zero } else { self.settings.zero_rate };
            if j < self.system.n && !self.system.dense {
                let crude = costs[part].clone() + self.widest[j].clone() * &most[part];
                if self.z[part][j].abs() > allowance(&crude, &crude, multiple) {
                    self.z_zero[part][j] = S::zero();
                    continue;
                }
            }
            let [own, solved_from] = half.z_sizes(&self.system, j);
            let zero = allowance(&(costs[part].clone() + own), &solved_from, multiple);
            if part == 1 && self.z[1][j].abs() <= zero {
                self.z[1][j] = S::zero();
            }
            self.z_zero[part][j] = zero;
        }
    }

    /// What counts as zero in zⱼ at t.
    fn zero_of_z(&self, j: usize) -> S {
        let [v, s] = &self.data.c[j];
        let [own, solved_from] = self.value.z_sizes(&self.system, j);
        let costs = v.abs() + (s.clone() * &self.at.t).abs();
        allowance(&(costs + own), &solved_from, self.settings.zero)
    }

    /// What counts as zero in the distance of xⱼ from a bound at t.
    pub(super) fn x_zero(&self, j: usize, bound: &[S; 2]) -> S {
        if S::EXACT {
            return S::zero();
        }
        let t = &self.at.t;
        let moved = (self.rate.x[j].clone() * t).abs() + (bound[1].clone() * t).abs();
        let size = self.value.x[j].abs() + bound[0].abs() + moved;
        let solved_from = self.value.x_size[j].clone() + (self.rate.x_size[j].clone() * t).abs();
        allowance(&size, &solved_from, self.settings.zero)
    }

    /// What counts as zero in the difference of the rate of xⱼ and that of a bound.
    pub(super) fn x_rate_zero(&self, j: usize, slope: &S) -> S {
        let size = self.rate.x[j].abs() + slope.abs();
        allowance(&size, &self.rate.x_size[j], self.settings.zero_rate)
    }

    /// The sign that zⱼ has at its bound.
    pub(super) fn sign(&self, j: usize) -> S {
        S::integer(self.status[j].sign())
    }

    /// How far the law holds.
    pub(super) fn ratio_test(&self) -> Ahead<S> {
        let mut events: Vec<(S, usize)> = Vec::new();
        for j in 0..self.system.columns() {
            if self.is_basic(j) {
                for upper in [false, true] {
                    if let Some(bound) = self.data.bound(j, upper) {
                        events.extend(self.reaches(j, upper, bound).map(|length| (length, j)));
                    }
                }
            } else if !self.fixed[j] {
                let sign = self.sign(j);
                let [z, dz] = [0, 1].map(|part| self.z[part][j].clone() * &sign);
                if dz < S::zero() && !self.rests_at_end(&z, &dz, &|| self.zero_of_z(j)) {
                    events.push((S::larger(z, S::zero()) / -dz, j));
                }
            }
        }
        let left = self.data.end.as_ref().map(|end| self.left(end));
        let first = events.iter().map(|e| e.0.clone()).reduce(S::smaller);
        match (first, left) {
            (None, None) => Ahead { length: None, end: false, hits: Vec::new() },
            (None, Some(left)) => Ahead { length: Some(left), end: true, hits: Vec::new() },
            (Some(first), Some(left)) if first >= left => Ahead { length: Some(left), end: true, hits: Vec::new() },
            (Some(first), _) => {
                let reach = first.clone() + S::larger(first.clone(), self.at.t.abs()) * S::tolerance(self.settings.tie);
                let hits = events.into_iter().filter(|e| e.0 <= reach).map(|e| e.1).collect();
                Ahead { length: Some(first), end: false, hits }
            }
        }
    }

    fn left(&self, end: &S) -> S {
        S::larger(end.clone() - &self.at.t - &self.at.off, S::zero())
    }

    /// When xⱼ of the basis meets a bound.
    fn reaches(&self, j: usize, upper: bool, bound: &[S; 2]) -> Option<S> {
        let sign = if upper { -S::one() } else { S::one() };
        let speed = (self.rate.x[j].clone() - &bound[1]) * &sign;
        if speed >= S::zero() || -speed.clone() <= self.x_rate_zero(j, &bound[1]) && self.resting[j] {
            return None;
        }
        let room = (self.value.x[j].clone() - self.at.affine(bound)) * &sign;
        if self.rests_at_end(&room, &speed, &|| self.x_zero(j, bound)) {
            return None;
        }
        Some(S::larger(room, S::zero()) / -speed)
    }

    /// Whether what falls from `value` at `speed` is below zero at the end of the line by no more than counts as zero, and only just before it.
    fn rests_at_end(&self, value: &S, speed: &S, zero: &dyn Fn() -> S) -> bool {
        let Some(end) = self.data.end.as_ref().filter(|_| !S::EXACT) else { return false };
        let left = self.left(end);
        let over = value.clone() + speed.clone() * &left;
        let length = S::larger(end.abs(), self.data.begin.abs());
        let near = left - S::larger(value.clone(), S::zero()) / -speed.clone();
        near >= S::zero() && near <= length * S::tolerance(self.settings.end) && over >= -zero()
    }

    /// x of the basis within its bounds and every z with its sign, up to `Settings::audit`; the worst column if not.
    pub(super) fn audit(&self) -> Option<(usize, S, S)> {
        if S::EXACT {
            return self.exactly_wrong();
        }
        let wider = |zero: S, multiple: f64| zero * S::tolerance(self.settings.audit / multiple) / S::tolerance(1.0);
        for j in 0..self.system.columns() {
            if self.is_basic(j) {
                if !self.value.x[j].is_finite_number() || !self.rate.x[j].is_finite_number() {
                    return Some((j, self.value.x[j].clone(), S::zero()));
                }
                for upper in [false, true] {
                    let Some(bound) = self.data.bound(j, upper) else { continue };
                    let off = self.at.affine(bound) - &self.value.x[j];
                    let off = if upper { -off } else { off };
                    let allowed = wider(self.x_zero(j, bound), self.settings.zero);
                    if off > allowed {
                        return Some((j, off, allowed));
                    }
                }
            } else if !self.fixed[j] {
                let off = -(self.z[0][j].clone() * self.sign(j));
                let allowed = wider(self.z_zero[0][j].clone(), self.settings.zero);
                if off > allowed || !self.z[0][j].is_finite_number() {
                    return Some((j, off, allowed));
                }
            }
        }
        None
    }

    fn exactly_wrong(&self) -> Option<(usize, S, S)> {
        let wrong = |j: usize| {
            if self.is_basic(j) {
                let below = self.data.bound_at(j, false, &self.at).is_some_and(|l| self.value.x[j] < l);
                below || self.data.bound_at(j, true, &self.at).is_some_and(|u| self.value.x[j] > u)
            } else {
                !self.fixed[j] && self.z[0][j].clone() * self.sign(j) < S::zero()
            }
        };
        (0..self.system.columns()).find(|&j| wrong(j)).map(|j| (j, self.value.x[j].clone(), S::zero()))
    }

    pub(super) fn inaccurate(&self, index: usize, violation: S, allowed: S) -> PathError {
        PathError::Inaccurate {
            t: self.at.t.to_string(),
            index,
            violation: violation.to_string(),
            allowed: allowed.to_string(),
        }
    }

    pub(super) fn cycling(&self) -> PathError {
        let free = (0..self.system.n).filter(|&j| self.is_basic(j)).count();
        PathError::Cycle { t: self.at.t.to_string(), free, tied: self.stats.max_tied }
    }

    /// The law ahead, checked, and how far it holds.
    pub(super) fn law(&mut self) -> Result<Ahead<S>, PathError> {
        self.direction()?;
        if self.audit().is_some() {
            self.stats.refactors.audit += 1;
            self.basis.refactor().map_err(|Singular| self.inaccurate(0, S::zero(), S::zero()))?;
            self.direction()?;
            if let Some((index, violation, allowed)) = self.audit() {
                return Err(self.inaccurate(index, violation, allowed));
            }
        }
        Ok(self.ratio_test())
    }

    /// Moves to the end of the law, and crosses what is there. The reason if the path ends.
    pub(super) fn advance(&mut self, ahead: &Ahead<S>) -> Result<Option<Stop<S>>, PathError> {
        let Some(length) = &ahead.length else { return Ok(Some(self.end_of_ray())) };
        if ahead.end {
            self.at = Place::exactly(self.data.end.clone().unwrap_or_else(|| self.at.t.clone()));
            return Ok(Some(Stop::Target));
        }
        let scale = S::larger(self.at.t.abs(), length.clone());
        self.at = self.at.moved(length);
        if *length > scale * S::tolerance(self.settings.tie) {
            self.seen.clear();
        }
        self.changed.clear();
        let stop = self.cross(&ahead.hits)?;
        let from: Vec<(usize, Status)> = std::mem::take(&mut self.changed);
        self.changed = from.into_iter().filter(|(j, from)| self.status[*j] != *from).collect();
        self.stats.events += usize::from(!self.changed.is_empty());
        if stop.is_none() && !self.seen.insert(self.fingerprint) {
            return Err(self.cycling());
        }
        Ok(stop)
    }

    /// Zᵀx at t and its rate, where it is a part of the system.
    pub(super) fn fits(&self) -> Option<[Vec<S>; 2]> {
        let over_scale = -self.system.features().next().map(|f| self.system.diagonal(f))?;
        let (m, d) = (self.system.m, self.system.d);
        let fit = |half: &Half<S>| half.eta[m..].iter().map(|e| e.clone() * &over_scale).collect::<Vec<S>>();
        (d <= FIT_COLUMNS).then(|| [fit(&self.value), fit(&self.rate)])
    }

    /// Nothing happens any more: does x have a limit?
    fn end_of_ray(&self) -> Stop<S> {
        let behind = self.at.t.clone() - &self.data.begin;
        let ahead = if behind.is_zero() { S::one() } else { behind };
        let moves = |j: usize| {
            let noise = (self.value.x[j].abs() + &self.value.x_size[j]) * S::tolerance(self.settings.audit);
            self.rate.x[j].abs() * &ahead > noise
        };
        if (0..self.system.n).any(moves) { Stop::Diverges { t: self.at.t.clone() } } else { Stop::Target }
    }
}

fn code(j: usize, status: Status) -> u64 {
    key(j, (status.sign() + 1) as u64)
}
