//! Crossing a breakpoint: the directional QP.
//!
//! Let D be the tied indices at t: those at a bound with z = 0. The derivative of the solution for t⁺ solves (Bonnans and Shapiro 2000,
//! §5; Robinson 1980)
//!
//! ```text
//! minimise ½ x′ᵀHx′ + c′ᵀx′   s.t.  Ax′ = b′,  xᵢ′ = lᵢ′ or uᵢ′ for strictly active i,  xᵢ′ ≥ lᵢ′ (i ∈ D, lower),  xᵢ′ ≤ uᵢ′ (i ∈ D, upper)
//! ```
//!
//! and both bounds hold where a box of zero width opens. It is solved by Lawson and Hanson's method (1974, ch. 23;
//! with two-sided bounds Stark and Parker 1995): start from F, free the index of D with the most negative σⱼzⱼ′, solve
//! again, and put an index whose rate violates its bound back on the bound. The objective falls strictly each time, so the method ends without a rule
//! against cycling; an index that depends on F has zⱼ′ = 0 unless c moves, so F stays independent. There are three special cases:
//!
//! - *c moves along a null direction d* of F ∪ {j}: the directional QP is unbounded along d, so x is not unique, and it
//!   jumps along d at fixed t to the next bound; z stays as it is.
//! - *the equality row has no coefficient on F* and Ax′ = b′ needs one: an index of D of the right kind is freed; if
//!   there is none, y jumps to the end of its interval, where there is one.
//! - *the interval of y′ is empty*: the two indices that hold its ends are freed together.

use super::Follower;
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{Part, Refused, Solution, bound};
use crate::record::Stop;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, ROUNDS};

/// How many tied indices are priced together while one with the wrong sign is looked for.
const GROUP: usize = 64;

/// The part of the largest possible violation that is taken without looking further: the cosine between a row and w′.
const FAIR: f64 = 0.03;

/// What came of an attempt to cross.
pub(super) enum Crossing<S> {
    /// The active set is right for t⁺.
    Settled,
    /// x or y jumped: cross again.
    Jumped,
    /// The path ends here.
    Stopped(Stop<S>),
}

/// A tied index that has been freed: how fast it moves away from its bound in the current feasible rate.
pub(super) struct Passive<S> {
    index: usize,
    speed: S,
}

/// The state of one directional QP.
pub(super) struct Directional<S> {
    pub(super) passive: Vec<Passive<S>>,
    /// Freed and driven straight back by rounding.
    pub(super) banned: Vec<usize>,
}

/// What to do next inside the directional QP.
enum Next<S> {
    Again,
    Rate(S),
    Leave(Crossing<S>),
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// Solves the directional QP; F becomes the indices that move freely for t⁺.
    pub(super) fn cross(&mut self) -> Result<Crossing<S>, PathError> {
        let mut qp = Directional { passive: Vec::new(), banned: Vec::new() };
        self.law.next_rate = None;
        // Each round lowers the objective, so that no active set comes twice. Rounding may make them go round all the same.
        let rounds = ROUNDS[0] + ROUNDS[1] * (self.active.tied.members().len() + self.kkt.free().len());
        for _ in 0..rounds {
            let rate = self.kkt.solve(Part::Rate);
            if self.drop_blocked(&mut qp, &rate) {
                continue;
            }
            self.law.dy = match (&rate.y, self.line.has_row()) {
                (Some(dy), _) => dy.clone(),
                (None, false) => S::zero(),
                (None, true) => match self.balance(&mut qp)? {
                    Next::Again => continue,
                    Next::Rate(dy) => dy,
                    Next::Leave(crossing) => return Ok(crossing),
                },
            };
            let loose = rate.y.is_none();
            let Some(j) = self.most_violated(&qp, loose) else {
                if self.drop_idle(&mut qp) {
                    continue;
                }
                self.law.next_rate = Some(rate);
                self.active.freed = qp.passive.iter().map(|p| (p.index, self.active.status[p.index])).collect();
                for p in qp.passive {
                    self.set_status(p.index, Status::Free);
                    self.set_tied(p.index, false);
                }
                return Ok(Crossing::Settled);
            };
            if let Next::Leave(crossing) = self.free_tied(&mut qp, j, S::zero())? {
                return Ok(crossing);
            }
        }
        Err(self.cycling())
    }

    /// Lawson and Hanson's inner loop: if the new rates of freed indices leave their range, go as far as they allow
    /// and drop the first one. Otherwise the rates are taken over.
    fn drop_blocked(&mut self, qp: &mut Directional<S>, rate: &Solution<S>) -> bool {
        let count = qp.passive.len();
        let offset = self.kkt.free().len() - count;
        let targets: Vec<S> = (0..count).map(|k| self.speed_inward(qp.passive[k].index, &rate.x[offset + k])).collect();
        let mut first: Option<(S, usize, bool)> = None;
        for (k, (p, target)) in qp.passive.iter().zip(&targets).enumerate() {
            let width = self.opening(p.index);
            let too_fast = width.as_ref().is_some_and(|w| target > w);
            if *target >= S::zero() && !too_fast {
                continue;
            }
            let limit = if too_fast { width.unwrap_or_else(S::zero) } else { S::zero() };
            let change = target.clone() - &p.speed;
            let part = if change.is_zero() { S::zero() } else { (limit - &p.speed) / change };
            if first.as_ref().is_none_or(|f| part < f.0) {
                first = Some((part, k, too_fast));
            }
        }
        let Some((part, k, too_fast)) = first else {
            for (p, target) in qp.passive.iter_mut().zip(targets) {
                p.speed = target;
            }
            return false;
        };
        for (p, target) in qp.passive.iter_mut().zip(targets) {
            let change = (target - &p.speed) * &part;
            p.speed += change;
        }
        if part.is_zero() && k + 1 == count {
            qp.banned.push(qp.passive[k].index);
        }
        self.drop_passive(qp, k, too_fast);
        true
    }

    /// Puts a freed index back on its bound, or on the opposite one of an opening box.
    fn drop_passive(&mut self, qp: &mut Directional<S>, k: usize, opposite: bool) {
        let p = qp.passive.remove(k);
        let position = self.kkt.free().len() - qp.passive.len() - 1 + k;
        let side = if opposite { self.active.status[p.index].opposite() } else { self.active.status[p.index] };
        self.kkt.bind(position, side);
        self.recorder.stats.deletes += 1;
        self.recorder.stats.pivots += 1;
        if opposite {
            self.set_status(p.index, side);
        }
    }

    /// A freed index that stays on its bound (or moves with the opposite one of an opening box) is held there, so that F
    /// has only indices that move inside their boxes and y is known to be an interval when it is.
    fn drop_idle(&mut self, qp: &mut Directional<S>) -> bool {
        let fastest = qp.passive.iter().fold(S::zero(), |m, p| S::larger(m, p.speed.abs()));
        let noise = fastest * S::tolerance(self.settings.tie);
        for k in (0..qp.passive.len()).rev() {
            let p = &qp.passive[k];
            let full = self.opening(p.index).is_some_and(|w| (w - &p.speed).abs() <= noise);
            if full || p.speed <= noise {
                qp.banned.push(p.index);
                self.drop_passive(qp, k, full);
                return true;
            }
        }
        false
    }

    /// How fast a rate leaves the bound of i into its box.
    fn speed_inward(&self, i: usize, dx: &S) -> S {
        let [_, slope] = bound(self.line, i, self.active.status[i]);
        (dx.clone() - slope) * S::integer(self.active.status[i].sign())
    }

    /// The slope of the width of a box that opens at t.
    pub(super) fn opening(&self, i: usize) -> Option<S> {
        if self.law.at.t != self.line.begin || !self.law.at.off.is_zero() {
            return None;
        }
        let (width, slope) = self.line.bounds.width(i, &self.law.at.t)?;
        let size = [&self.line.bounds.lower[i], &self.line.bounds.upper[i]]
            .into_iter()
            .flatten()
            .fold(self.line.bounds.upper_at(i, &self.law.at.t)?.abs(), |sum, [_, s]| {
                sum + (s.clone() * &self.law.at.t).abs()
            });
        // What it becomes along the line, if that is no more than x is here: a long line makes a narrow box no point.
        let along = slope.abs() * self.line.length().unwrap_or_else(S::one);
        let size = size + S::smaller(along, self.largest_bound.at(&self.law.at.t));
        (width <= size * S::tolerance(self.settings.tie)).then_some(slope)
    }

    /// A tied index whose z′ has the wrong sign, by the most relative to its row's scale among those looked at: all, or
    /// where the factor knows how much is possible, group by group until one is wrong by a fair part of that. Each time
    /// another group is the first.
    fn most_violated(&mut self, qp: &Directional<S>, loose: bool) -> Option<usize> {
        if self.kkt.rates_vanish() {
            return None;
        }
        let mut tied: Vec<usize> =
            self.active.tied.members().iter().copied().filter(|&i| !self.kkt.in_span(i)).collect();
        let first = (self.recorder.stats.pivots * GROUP).checked_rem(tied.len()).unwrap_or(0);
        tied.rotate_left(first);
        let enough = self.kkt.steepest().map_or(f64::INFINITY, |most| most * FAIR);
        let mut worst: Option<(S, usize)> = None;
        for group in tied.chunks(GROUP) {
            if worst.as_ref().and_then(|w| w.0.to_f64()).is_some_and(|scaled| scaled >= enough) {
                break;
            }
            self.most_violated_of(group, qp, loose, &mut worst);
        }
        worst.map(|w| w.1)
    }

    fn most_violated_of(&mut self, tied: &[usize], qp: &Directional<S>, loose: bool, worst: &mut Option<(S, usize)>) {
        let mut dq = vec![S::zero(); tied.len()];
        self.kkt.price_rates(tied, &mut dq);
        self.recorder.stats.priced += tied.len() as u64;
        for (&j, dq) in tied.iter().zip(&dq) {
            let a = self.line.a(j);
            if loose && !a.is_zero() {
                continue; // the interval of y′ has taken care of it
            }
            let violation = (a * &self.law.dy - dq) * S::integer(self.active.status[j].sign());
            if violation <= self.zero_rate(j) || qp.banned.contains(&j) || qp.passive.iter().any(|p| p.index == j) {
                continue;
            }
            let scaled = violation / self.kkt.row_scale(j);
            let better = worst.as_ref().is_none_or(|w| scaled > w.0 || (scaled == w.0 && j < w.1));
            if better || !scaled.is_finite_number() {
                *worst = Some((scaled, j));
            }
        }
    }

    /// Frees the tied index j with an initial speed. A dependent row leads along a null direction.
    fn free_tied(&mut self, qp: &mut Directional<S>, j: usize, speed: S) -> Result<Next<S>, PathError> {
        loop {
            self.recorder.stats.pivots += 1;
            match self.kkt.release(j, self.active.status[j]) {
                Ok(pivot) => {
                    self.recorder.stats.appends += 1;
                    qp.passive.push(Passive { index: j, speed });
                    if qp.passive.len() > 1 && !self.is_tied(j, &pivot) {
                        self.drop_passive(qp, qp.passive.len() - 1, false);
                        self.set_tied(j, false);
                        self.active.untied.push(j);
                    }
                    return Ok(Next::Again);
                }
                Err(Refused::Indefinite(error)) => return Err(error.into()),
                Err(Refused::Dependent(d)) => {
                    if let Some(next) = self.along_null_direction(qp, j, d)? {
                        return Ok(next);
                    }
                }
            }
        }
    }

    /// Freeing j makes zⱼ zero by moving xⱼ by zⱼ/pivot. One freed index can have its t corrected; a further one whose
    /// rounding in z would move x visibly is not tied but an event of its own, just ahead.
    fn is_tied(&self, j: usize, pivot: &S) -> bool {
        self.left_of_z(j).abs() <= pivot.clone() * self.bound_scale() * S::tolerance(self.settings.shift)
    }

    /// What the last step left of zⱼ; zero where it was tied before.
    fn left_of_z(&self, j: usize) -> S {
        self.active.hit_z.iter().find(|h| h.0 == j).map_or_else(S::zero, |h| h.1.clone())
    }

    /// d on F ∪ {j} has Hd = 0 and Ad = 0, and c′d < 0 into the box. Rates move along d until a freed index stops them;
    /// if none does, x itself moves along d at fixed t. Returns none if an index was dropped and j is to be tried again.
    fn along_null_direction(
        &mut self,
        qp: &mut Directional<S>,
        j: usize,
        mut d: Vec<S>,
    ) -> Result<Option<Next<S>>, PathError> {
        let sign = S::integer(self.active.status[j].sign());
        let largest = d.iter().fold(S::zero(), |m, v| S::larger(m, v.abs()));
        let noise = largest * S::tolerance(self.settings.dependent);
        for v in &mut d {
            *v = if v.abs() <= noise { S::zero() } else { v.clone() * &sign };
        }
        let offset = self.kkt.free().len() - qp.passive.len();
        let mut first: Option<(S, usize, bool)> = None;
        for (k, p) in qp.passive.iter().enumerate() {
            let inward = d[offset + k].clone() * S::integer(self.active.status[p.index].sign());
            let (room, forward) = match (inward < S::zero(), self.opening(p.index)) {
                (true, _) => (p.speed.clone(), false),
                (false, Some(width)) if inward > S::zero() => (width - &p.speed, true),
                _ => continue,
            };
            let beta = S::larger(room, S::zero()) / inward.abs();
            if first.as_ref().is_none_or(|f| beta < f.0) {
                first = Some((beta, k, forward));
            }
        }
        if let Some(width) = self.opening(j).filter(|w| first.as_ref().is_none_or(|f| *w < f.0)) {
            // The rate of j itself is bounded: it reaches the opposite bound's rate first.
            self.shift_speeds(qp, &d, offset, &width);
            self.kkt.flip(j, self.active.status[j]);
            self.set_status(j, self.active.status[j].opposite());
            return Ok(Some(Next::Again));
        }
        let Some((beta, k, forward)) = first else {
            return Ok(Some(match self.jump(qp, j, &d)? {
                Some(crossing) => Next::Leave(crossing),
                None => Next::Again,
            }));
        };
        self.shift_speeds(qp, &d, offset, &beta);
        self.drop_passive(qp, k, forward);
        Ok(None)
    }

    fn shift_speeds(&self, qp: &mut Directional<S>, d: &[S], offset: usize, beta: &S) {
        for (k, p) in qp.passive.iter_mut().enumerate() {
            p.speed += d[offset + k].clone() * S::integer(self.active.status[p.index].sign()) * beta;
        }
    }

    /// The equality row has no coefficient on the free indices: Ax′ = b′ must hold without them, or one is needed;
    /// and y′ must lie between what the tied indices allow.
    fn balance(&mut self, qp: &mut Directional<S>) -> Result<Next<S>, PathError> {
        let (_, rho) = self.kkt.row_gap();
        let begin = &self.line.begin;
        let mut size = self.line.b1.abs();
        let mut level = self.line.b0.abs() + (self.line.b1.clone() * begin).abs();
        for i in 0..self.line.n() {
            let [value, slope] = bound(self.line, i, self.active.status[i]);
            level += (self.line.a(i) * value).abs() + (self.line.a(i) * &slope * begin).abs();
            size += (self.line.a(i) * slope).abs();
        }
        // Slopes may come from differences of two ends: they carry the rounding of the levels.
        let length = self.line.length().filter(|l| *l > S::zero()).unwrap_or_else(S::one);
        let rounding = level * S::tolerance(ROUNDING) / length;
        let tied: Vec<usize> = self.active.tied.members().to_vec();
        let mut dq = vec![S::zero(); tied.len()];
        self.kkt.price_rates(&tied, &mut dq);
        self.recorder.stats.priced += tied.len() as u64;
        let (mut lo, mut hi) = (None, None);
        for (&i, dq) in tied.iter().zip(dq) {
            let a = self.line.a(i);
            if !a.is_zero() && !qp.passive.iter().any(|p| p.index == i) {
                self.widen(&mut lo, &mut hi, i, dq / a);
            }
        }
        if rho.abs() > size * S::tolerance(self.settings.zero_rate) + rounding {
            let needed = if rho > S::zero() { hi } else { lo };
            return match needed {
                Some((_, j)) => self.supply(qp, j, rho),
                None => Ok(Next::Leave(self.jump_multiplier(rho))),
            };
        }
        let zero = S::zero();
        match (lo, hi) {
            (Some((l, i)), Some((h, j))) => {
                let noise = self.zero_rate(i) / self.line.a(i).abs() + self.zero_rate(j) / self.line.a(j).abs();
                if l.clone() - &h > noise && !qp.banned.contains(&i) && !qp.banned.contains(&j) {
                    if let Next::Leave(crossing) = self.free_tied(qp, i, S::zero())? {
                        return Ok(Next::Leave(crossing));
                    }
                    return self.free_tied(qp, j, S::zero());
                }
                Ok(Next::Rate((l + h) / S::integer(2)))
            }
            (Some((l, _)), None) => Ok(Next::Rate(S::larger(l, zero))),
            (None, Some((h, _))) => Ok(Next::Rate(S::smaller(h, zero))),
            (None, None) => Ok(Next::Rate(zero)),
        }
    }

    /// Frees the tied index j so that it takes up the whole rate ρ of the row; a box that opens too slowly for that is
    /// filled.
    fn supply(&mut self, qp: &mut Directional<S>, j: usize, rho: S) -> Result<Next<S>, PathError> {
        let speed = rho / self.line.a(j) * S::integer(self.active.status[j].sign());
        if self.opening(j).is_some_and(|width| width <= speed) {
            self.kkt.flip(j, self.active.status[j]);
            self.set_status(j, self.active.status[j].opposite());
            return Ok(Next::Again);
        }
        self.free_tied(qp, j, speed)
    }

    /// No tied index can take up ρ: y moves to the end of its interval at which one becomes tied.
    fn jump_multiplier(&mut self, rho: S) -> Crossing<S> {
        self.solve_law();
        self.price_everything();
        let (lo, hi) = self.y_ends(&S::zero());
        let Some((y, _)) = (if rho > S::zero() { hi } else { lo }) else {
            return Crossing::Stopped(Stop::Infeasible { t: self.law.at.t.clone() });
        };
        self.recorder.stats.jumps += usize::from(y != self.law.y);
        self.move_multiplier(y);
        for i in 0..self.line.n() {
            if self.active.status[i] == Status::Free || self.line.a(i).is_zero() {
                continue;
            }
            let tied = self.z(i).abs() <= self.zero(i);
            if tied != self.active.tied.contains(i) {
                self.set_tied(i, tied);
            }
        }
        Crossing::Jumped
    }
}
