//! Crossing a degenerate t: the method of the path itself, applied to the rates.
//!
//! At t the rates (x′, y′) of the solution for t⁺ solve a problem of the same kind as the problem itself,
//!
//! ```text
//! minimise ½ x′ᵀHx′ + c′ᵀx′   s.t.  Ax′ − s′ = 0,   xᵢ′ = lᵢ′ or uᵢ′ for i at a bound with zᵢ ≠ 0,   xᵢ′ ≥ lᵢ′ or xᵢ′ ≤ uᵢ′ (or both, in a box without width) for i tied
//! ```
//!
//! (Robinson 1980; Bonnans and Shapiro 2000, §5). A column is *tied* if it is in the basis and at a bound, or at a bound with zᵢ = 0. The problem is solved by
//! following its solution from other data to its own, as s falls from 1 to 0: at s = 1 every tied bound and every tied price is relaxed by a random amount, so
//! that the present basis is optimal, strictly; with generic amounts one event happens at a time. The events are
//!
//! | on the way | the basis after it is nonsingular | it is singular |
//! |---|---|---|
//! | the rate of i in the basis reaches a bound | i leaves | y′ moves along w (A_Gᵀw = 0) until zⱼ′ of a tied j is zero, and j replaces i; if none is, y itself moves along w until zⱼ of some j is: a jump; if none is, there is no x beyond t, and w proves it |
//! | zⱼ′ of a tied j reaches zero | j enters | x′ moves along d (Hd = 0, Ad = 0) until a tied rate is at its bound, and leaves for j; if none is, x itself moves along d until a bound: a jump; if none is, the objective has no minimum beyond t, and d proves it |
//!
//! As s falls, the bounds of the rates only become tighter, so that if no feasible rates exist for some s > 0, none exist for s = 0; the same holds for prices
//! and rays. After a jump the tied set is determined anew. The perturbation affects only the order of the pivots: at s = 0 the rates are those of the data. The
//! amounts are a function of the index and of the number of the crossing, so that a path is the same in every run.

use super::basis::Singular;
use super::follower::RowFollower;
use super::law::{Given, Half, Sizes};
use super::pivot::Null;
use super::tied::{Tied, side};
use crate::active_set::{Status, key};
use crate::error::PathError;
use crate::kkt::Part;
use crate::record::Proof;
use crate::record::Stop;
use crate::scalar::Scalar;
use crate::settings::ROUNDS;
use std::collections::HashSet;

/// How a crossing went on.
enum Outcome<S> {
    Settled,
    Jumped,
    Stopped(Stop<S>),
}

/// The first thing that happens as s falls.
struct Event {
    /// Position in the tied set.
    tied: usize,
    /// For a column of the basis, the side of the bound it reaches.
    upper: bool,
}

impl<S: Scalar> RowFollower<S> {
    /// Makes the basis that of t⁺. `hits` are tied, whatever rounding says.
    pub(super) fn cross(&mut self, hits: &[usize]) -> Result<Option<Stop<S>>, PathError> {
        let mut hits = hits.to_vec();
        let (mut seen, mut rounds) = (HashSet::new(), 0);
        loop {
            rounds += 1;
            self.direction()?;
            hits.iter().for_each(|&j| self.look(j));
            let tied = self.tied(&hits);
            self.stats.max_tied = self.stats.max_tied.max(tied.len());
            match self.settle(tied)? {
                Outcome::Settled => return Ok(None),
                Outcome::Stopped(stop) => return Ok(Some(stop)),
                Outcome::Jumped => self.stats.jumps += 1,
            }
            hits.clear();
            if !seen.insert(self.fingerprint()) && rounds > ROUNDS[0] + ROUNDS[1] * self.system.columns() {
                return Err(self.cycling());
            }
            if rounds > ROUNDS[0] * self.system.columns() {
                return Err(self.cycling());
            }
        }
    }

    /// Relaxes the data by generic amounts on the scale of the rates, such that the present basis is strictly optimal.
    fn perturb(&mut self, tied: &mut [Tied<S>], rate: &Half<S>) {
        let crossing = self.crossings;
        self.crossings += 1;
        let random = |index: usize, what: u64| {
            let bits = key(index, 4 * crossing + what) >> 44;
            S::integer(bits as i64 + (1 << 18)) / S::integer(1 << 20)
        };
        let one = |scale: S| if scale.is_zero() || !scale.is_finite_number() { S::one() } else { scale };
        let basic = tied.iter().filter(|t| self.is_basic(t.index));
        let largest_x = basic.fold(S::zero(), |m, t| S::larger(m, rate.x.high(t.index).abs()));
        let ends = tied.iter().flat_map(|t| t.ends.iter().flatten());
        let of_x = one(ends.fold(largest_x, |m, e| S::larger(m, e[0].abs())));
        let z = |j: usize| rate.z(&self.system, j, self.data.c[j][1].clone());
        let of_z = tied.iter().filter(|t| !self.is_basic(t.index));
        let of_z = one(of_z.fold(S::zero(), |m, t| S::larger(m, z(t.index).abs())));
        let more = |slack: S, amount: S| S::larger(-slack, S::zero()) + amount;
        for t in tied {
            let j = t.index;
            let basic = self.status[j] == Status::Free;
            for (end, upper) in t.ends.iter_mut().zip([false, true]) {
                let Some([slope, pert]) = end else { continue };
                let outward = if upper { S::one() } else { -S::one() };
                let amount = random(j, u64::from(upper)) * &of_x;
                if basic {
                    let slack = (slope.clone() - rate.x.high(j)) * &outward;
                    *pert = more(slack, amount) * outward;
                } else if self.status[j] != side(upper) {
                    *pert = amount * outward;
                }
            }
            if !basic {
                let sign = self.sign(j);
                t.cost = more(z(j) * &sign, random(j, 2) * &of_z) * sign;
            }
        }
    }

    /// The perturbation's part of the rates.
    fn perturbation(&mut self, tied: &[Tied<S>]) -> Result<Half<S>, Singular> {
        let mut held: Vec<(usize, S)> = Vec::new();
        let mut sums = self.system.no_sums();
        for t in tied.iter().filter(|t| !self.is_basic(t.index)) {
            let end = &t.ends[usize::from(self.status[t.index] == Status::Upper)];
            if let Some([_, pert]) = end.as_ref().filter(|end| !end[1].is_zero()) {
                self.system.add_to_sums(t.index, &[pert.clone(), S::zero()], &mut sums);
                held.push((t.index, pert.clone()));
            }
        }
        let costs: Vec<(usize, &S)> = tied.iter().filter(|t| !t.cost.is_zero()).map(|t| (t.index, &t.cost)).collect();
        let find = |j: usize| held.binary_search_by_key(&j, |h| h.0).map_or_else(|_| S::zero(), |k| held[k].1.clone());
        let cost =
            |j: usize| costs.binary_search_by_key(&j, |c| c.0).map_or_else(|_| S::zero(), |k| costs[k].1.clone());
        let zero = crate::kkt::Place::exactly(S::zero());
        let part = Part::Value(zero);
        let sums_size = if S::EXACT { Vec::new() } else { (0..sums.len()).map(|i| sums.size(i, &part)).collect() };
        let given = Given {
            held: &|j| (find(j), S::zero()),
            cost: &|j| (cost(j), S::zero()),
            held_size: &|j| find(j).abs(),
            cost_size: &|j| cost(j).abs(),
            sums: sums.all_in_two(&part),
            sums_size,
            guess: None,
        };
        let status = &self.status;
        Half::solve(&self.system, &mut self.basis, &|j| status[j] == Status::Free, given)
    }

    /// With only one tied column there is at most one pivot, and no order of pivots to perturb. None if one pivot does not settle the crossing.
    fn settle_one(&mut self, tied: &[Tied<S>]) -> Result<Option<Outcome<S>>, PathError> {
        let [one] = tied else { return Ok(None) };
        for pivots in 0..2 {
            self.solve_rate()?;
            let rate = self.rate.clone();
            let (slack, zero, upper) = self.tied_slack(one, &rate);
            if slack >= -zero {
                self.resting = vec![one.index];
                return Ok(Some(Outcome::Settled));
            }
            if pivots == 1 {
                break;
            }
            self.stats.pivots += 1;
            let (event, halves) = (Event { tied: 0, upper }, [&rate, &rate]);
            let outcome = match self.is_basic(one.index) {
                true => self.reach(tied, &event, halves, &S::zero())?,
                false => self.enter(tied, &event, halves, &S::zero())?,
            };
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        Ok(None)
    }

    /// Solves for the rates from perturbed data to the true ones.
    fn settle(&mut self, mut tied: Vec<Tied<S>>) -> Result<Outcome<S>, PathError> {
        if tied.is_empty() {
            return Ok(Outcome::Settled);
        }
        if let Some(outcome) = self.settle_one(&tied)? {
            return Ok(outcome);
        }
        let singular = |f: &Self| f.inaccurate(0, S::zero(), S::zero());
        self.solve_rate()?;
        let rate = self.rate.clone();
        self.perturb(&mut tied, &rate);
        let mut level = S::one();
        let most = ROUNDS[0] * 8 + ROUNDS[1] * tied.len();
        for _ in 0..most {
            self.solve_rate()?;
            let truth = self.rate.clone();
            let other = self.perturbation(&tied).map_err(|Singular| singular(self))?;
            let Some((hit, event)) = self.next_event(&mut tied, [&truth, &other], &level) else {
                self.resting = tied.iter().map(|t| t.index).collect();
                return Ok(Outcome::Settled);
            };
            self.stats.pivots += 1;
            level = S::smaller(level, hit);
            let outcome = match self.is_basic(tied[event.tied].index) {
                true => self.reach(&tied, &event, [&truth, &other], &level)?,
                false => self.enter(&tied, &event, [&truth, &other], &level)?,
            };
            if let Some(outcome) = outcome {
                return Ok(outcome);
            }
        }
        Err(self.cycling())
    }

    /// The largest s below `level` at which a rate reaches its bound, or a z′ zero.
    fn next_event(&mut self, tied: &mut [Tied<S>], halves: [&Half<S>; 2], level: &S) -> Option<(S, Event)> {
        let mut first: Option<(S, Event)> = None;
        let reach = level.clone() + level.clone() * S::tolerance(self.settings.zero);
        let mut look = |v: &[S; 2], zero: &S, event: Event| {
            if v[0] < -zero.clone() && v[1] > S::zero() {
                let hit = -v[0].clone() / &v[1];
                if hit <= reach && first.as_ref().is_none_or(|f| hit > f.0) {
                    first = Some((hit, event));
                }
            }
        };
        for (k, t) in tied.iter_mut().enumerate() {
            let j = t.index;
            if self.is_basic(j) {
                for (end, upper) in t.ends.iter().zip([false, true]) {
                    let Some(end) = end else { continue };
                    let sign = if upper { -S::one() } else { S::one() };
                    let one = S::one();
                    let v = [0, 1].map(|p| halves[p].x.minus(j, &[(&one, &end[p])]));
                    let v = v.map(|(high, low)| (high + low) * &sign);
                    let zero = self.rate_allowance(&halves[0].x.sizes(j).clone().with(end[0].abs()), 0);
                    look(&v, &zero, Event { tied: k, upper });
                }
            } else {
                let (z, zero) = self.tied_rate(t, halves);
                let sign = self.sign(j);
                t.zero = zero;
                look(&z.map(|z| z * &sign), &t.zero, Event { tied: k, upper: false });
            }
        }
        first
    }

    /// The rate of a column of the basis reaches its bound: it leaves, or is replaced.
    fn reach(
        &mut self,
        tied: &[Tied<S>],
        event: &Event,
        halves: [&Half<S>; 2],
        level: &S,
    ) -> Result<Option<Outcome<S>>, PathError> {
        let (i, to) = (tied[event.tied].index, side(event.upper));
        let pivot = self.pivot(i);
        let Some(Null::Multipliers(mut w)) = self.null_of_leaving(&pivot) else {
            self.apply(pivot);
            self.set_status(i, to);
            return Ok(None);
        };
        // zᵢ takes its sign.
        if (self.drift(i, &w) < S::zero()) != (to == Status::Upper) {
            w.iter_mut().for_each(|w| *w = -w.clone());
        }
        let mut best: Option<(S, S, usize)> = None;
        for t in tied.iter().filter(|t| t.index != i && !self.is_basic(t.index)) {
            let speed = self.drift_of(t.index, &w) * self.sign(t.index);
            if speed < S::zero() {
                let (z, _) = self.tied_rate(t, halves);
                let z = (z[0].clone() + z[1].clone() * level) * self.sign(t.index);
                nearer(&mut best, (S::larger(z, S::zero()) / -speed.clone(), -speed, t.index));
            }
        }
        let jumps = best.is_none();
        if jumps {
            let is_tied: HashSet<usize> = tied.iter().map(|t| t.index).collect();
            best = self.next_price(&w, &|j| j != i && !is_tied.contains(&j));
        }
        let Some((_, _, j)) = best else {
            if !self.is_out_of_reach(&w) {
                return Err(self.cycling());
            }
            self.proof = Some(Proof::Infeasible { weights: self.system.scale.multipliers(&w) });
            return Ok(Some(Outcome::Stopped(Stop::Infeasible { t: self.at.t.clone() })));
        };
        let other = self.pivot(j);
        self.apply_both(pivot, other);
        self.set_status(i, to);
        self.set_status(j, Status::Free);
        Ok(jumps.then_some(Outcome::Jumped))
    }

    /// The price of a column at a bound that y meets first as it moves along w.
    fn next_price(&mut self, w: &[S], is_one: &dyn Fn(usize) -> bool) -> Option<(S, S, usize)> {
        let mut best: Option<(S, S, usize)> = None;
        let look = |f: &Self, j: usize, best: &mut Option<(S, S, usize)>| {
            if !is_one(j) || f.is_basic(j) || f.fixed[j] {
                return;
            }
            let speed = f.drift_of(j, w) * f.sign(j);
            if speed < S::zero() {
                let z = S::larger(f.z[0][j].clone() * f.sign(j), S::zero());
                nearer(best, (z / -speed.clone(), -speed, j));
            }
        };
        for j in self.looked_at(&[]) {
            look(self, j, &mut best);
        }
        // Of steps that are the same within rounding the one with the larger pivot.
        let reach = |best: &Option<(S, S, usize)>| {
            best.as_ref().map(|best| best.0.clone() + best.0.clone() * S::tolerance(2.0 * crate::settings::ROUNDING))
        };
        let length = self.length_along(w);
        self.search(length, reach(&best), |f, j| {
            look(f, j, &mut best);
            reach(&best)
        });
        best
    }

    /// Whether a weighted sum of the rows cannot be satisfied beyond t, by more than rounding: the largest (A, −1)ᵀw over the boxes is zero at t and falls.
    fn is_out_of_reach(&self, w: &[S]) -> bool {
        let (mut slope, mut size) = (S::zero(), Sizes::zero());
        for j in 0..self.system.columns() {
            let g = -self.drift_of(j, w);
            if g.is_zero() {
                continue;
            }
            let Some(bound) = self.data.bound(j, g > S::zero()) else { return false };
            let term = g * &bound[1];
            size.own += term.abs();
            slope += term;
        }
        let weights = w.iter().fold(S::one(), |sum, w| sum + w.abs());
        slope < -(self.rate_allowance(&size, 0) * weights)
    }

    /// What zⱼ changes by as y moves along w.
    fn drift(&self, j: usize, w: &[S]) -> S {
        if j >= self.system.n { w[j - self.system.n].clone() } else { -self.system.a.column_dot(j, w) }
    }

    /// The same, zero where its terms cancel.
    fn drift_of(&self, j: usize, w: &[S]) -> S {
        let drift = self.drift(j, w);
        if S::EXACT || j >= self.system.n || drift.is_zero() {
            return drift;
        }
        let mut size = S::zero();
        self.system.a.for_column(j, |r, a| size += (a.clone() * &w[r]).abs());
        if drift.abs() <= size * S::tolerance(self.settings.dependent) { S::zero() } else { drift }
    }

    /// zⱼ′ reaches zero: the column enters, or takes the place of another.
    fn enter(
        &mut self,
        tied: &[Tied<S>],
        event: &Event,
        halves: [&Half<S>; 2],
        level: &S,
    ) -> Result<Option<Outcome<S>>, PathError> {
        let j = tied[event.tied].index;
        let pivot = self.pivot(j);
        let Some(Null::Direction(mut d)) = self.null_of_entering(j, &pivot)? else {
            self.apply(pivot);
            self.set_status(j, Status::Free);
            return Ok(None);
        };
        // Into the box.
        let ahead = d.last().is_some_and(|last| last.1 > S::zero()) == (self.status[j] == Status::Lower);
        if !ahead {
            d.iter_mut().for_each(|d| d.1 = -d.1.clone());
        }
        let mut best: Option<(S, S, usize)> = None;
        for (k, v) in d.iter().filter(|(_, v)| !v.is_zero()) {
            let Ok(t) = tied.binary_search_by_key(k, |t| t.index) else { continue };
            let upper = *v > S::zero();
            let Some(end) = tied[t].ends[usize::from(upper)].as_ref() else { continue };
            let own = |p: usize| match self.is_basic(*k) {
                true => halves[p].x.high(*k).clone(),
                false => self.rate_held(&tied[t], p),
            };
            let room = [0, 1].map(|p| end[p].clone() - own(p));
            let room = (room[0].clone() + room[1].clone() * level) * v.signum();
            nearer(&mut best, (S::larger(room, S::zero()) / v.abs(), v.abs(), *k));
        }
        let jumps = best.is_none();
        if jumps {
            for (k, v) in d.iter().filter(|(_, v)| !v.is_zero()) {
                let Some(end) = self.data.bound_at(*k, *v > S::zero(), &self.at) else { continue };
                let x = if self.is_basic(*k) { self.value.x.high(*k).clone() } else { self.at.affine(&self.held(*k)) };
                let room = S::larger((end - x) * v.signum(), S::zero());
                nearer(&mut best, (room / v.abs(), v.abs(), *k));
            }
        }
        let Some((_, _, k)) = best else {
            let mut direction = vec![S::zero(); self.system.n];
            d.into_iter().filter(|(k, _)| *k < self.system.n).for_each(|(k, v)| direction[k] = v);
            let direction = self.system.scale.variables(&direction);
            self.proof = Some(Proof::Unbounded { direction });
            return Ok(Some(Outcome::Stopped(Stop::Unbounded { t: self.at.t.clone(), index: j })));
        };
        let to = side(d.iter().any(|(i, v)| *i == k && *v > S::zero()));
        if k == j {
            self.set_status(j, to);
        } else {
            let other = self.pivot(k);
            self.apply_both(other, pivot);
            self.set_status(k, to);
            self.set_status(j, Status::Free);
        }
        Ok(jumps.then_some(Outcome::Jumped))
    }
}

/// The smallest step; of steps that are the same within rounding the one with the larger pivot.
fn nearer<S: Scalar>(best: &mut Option<(S, S, usize)>, found: (S, S, usize)) {
    let better = best.as_ref().is_none_or(|best| {
        let reach = best.0.clone() * S::tolerance(crate::settings::ROUNDING);
        let apart = found.0.clone() - &best.0;
        apart < -reach.clone() || (apart <= reach && (found.1 > best.1 || (found.1 == best.1 && found.2 < best.2)))
    });
    if better {
        *best = Some(found);
    }
}
