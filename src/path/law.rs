//! The law on a segment: solved from the active set, checked, and what is measured against it.

use super::Follower;
use super::ratio::Step;
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{Part, Place, Solution, bound};
use crate::scalar::Scalar;

/// Where a follower stands, and the law that x and y obey from there on. Saved as it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Law<S> {
    /// Where it stands: the law's values hold here.
    pub at: Place<S>,
    /// x_F, in the factor's order, and its rate.
    pub x: Vec<S>,
    pub dx: Vec<S>,
    pub y: S,
    pub dy: S,
    /// The size of the terms of y.
    pub y_size: S,
    /// y is not determined by F: it is an interval.
    pub floating: bool,
    /// While floating: that interval is more than a point.
    pub interval: bool,
    /// The rate of the present active set, when crossing has just solved for it.
    pub next_rate: Option<Solution<S>>,
}

impl<S: Scalar> Law<S> {
    /// At t, before it was solved for.
    pub fn unsolved(t: S) -> Self {
        Law {
            at: Place::exactly(t),
            x: Vec::new(),
            dx: Vec::new(),
            y: S::zero(),
            dy: S::zero(),
            y_size: S::zero(),
            floating: false,
            interval: false,
            next_rate: None,
        }
    }

    /// The largest |x| on F, and at least `least`.
    fn largest(&self, least: S) -> S {
        self.x.iter().fold(least, |m, x| S::larger(m, x.abs()))
    }
}

impl<S: Scalar> Follower<'_, S> {
    /// The law on the segment ahead: (x_F, y) and all prices, value and rate, solved from the active set.
    pub(super) fn direction(&mut self) {
        self.solve_law();
        if self.worst_free_residual() > S::tolerance(self.settings.refactor) {
            self.recorder.stats.refactors.residual += 1;
            self.kkt.refactor();
            self.solve_law();
        }
        self.recorder.stats.max_free = self.recorder.stats.max_free.max(self.kkt.free().len());
        if !self.law.floating {
            self.settle_tied();
        }
    }

    /// An event is a root on the law behind and on the law ahead: where an index was freed, x leaves its bound; where one was held, z leaves zero. If that
    /// quantity moves fast it determines the position of the event more accurately. The position is then corrected if it is off by more than rounding, within
    /// the room left by the events since the last recorded law: that law is extended to the corrected position, and every quantity that reaches zero there must
    /// still be zero.
    pub(super) fn polish(&mut self) {
        let Some(shift) = self.correction() else { return };
        let moved = self.law.at.moved(&shift);
        let way = moved.t.clone() - &self.line.begin;
        let scale = self.line.length().map_or(way.clone(), |l| S::larger(l, way));
        let small = shift.abs() <= S::tolerance(self.settings.audit) * scale
            && self.active.open.as_ref().is_none_or(|open| shift.abs() <= *open);
        let behind = self.recorder.path.segments().last().map_or(&self.line.begin, |s| &s.t);
        let before = moved.t < *behind || (moved.t == self.line.begin && moved.off < S::zero());
        let beyond = self.line.end.as_ref().is_some_and(|end| moved.t >= *end);
        if !small || before || beyond || moved == self.law.at {
            return;
        }
        self.law.at = moved;
        self.direction();
        if self.pricer.queue().is_some() {
            // Both laws' speeds, for the way back on the one and forth on the other.
            let before = self.pricer.arc_speed;
            self.update_arc_speed();
            let way = shift.abs().to_f64().unwrap_or(f64::INFINITY);
            let both = before + self.pricer.arc_speed;
            if let Some(queue) = self.pricer.queue() {
                queue.advance(both * way);
            }
        }
    }

    /// How far ahead on its own law the event that led to this law lies, by the index that is off by the most relative to its rounding.
    fn correction(&self) -> Option<S> {
        if S::EXACT {
            return None;
        }
        let mut worst: Option<(S, S)> = None;
        for &(i, from, to) in &self.active.changes {
            let (value, speed, size) = match (from, to) {
                (Status::Free, _) if !self.law.floating => (self.z(i), self.faster_than_zero(i), self.size(i)),
                (_, Status::Free) => self.out_of_box(i, from),
                _ => continue,
            };
            let noise = size * S::tolerance(self.settings.refine);
            let blur = self.active.blur.iter().find(|blur| blur.0 == i && from == Status::Free).map(|blur| &blur.1);
            let is_open = from != Status::Free || blur.is_some_and(|blur| value.abs() <= blur.clone() * speed.abs());
            if value.abs() > noise && !speed.is_zero() && is_open {
                let off = value.abs() / noise;
                if worst.as_ref().is_none_or(|w| off > w.0) {
                    worst = Some((off, -value / speed));
                }
            }
        }
        worst.map(|worst| worst.1)
    }

    /// zᵢ′, or zero where it counts as that.
    fn faster_than_zero(&self, i: usize) -> S {
        let rate = self.dz(i);
        if rate.abs() > self.zero_rate(i) { rate } else { S::zero() }
    }

    /// How far a free x is from the bound that it left, how fast that changes, and the scale of x.
    fn out_of_box(&self, i: usize, from: Status) -> (S, S, S) {
        let bound = bound(self.line, i, from);
        let position = self.kkt.free().iter().position(|&f| f == i);
        let distance =
            position.map(|k| (self.law.x[k].clone() - self.law.at.affine(&bound), self.law.dx[k].clone() - &bound[1]));
        let (distance, speed) = distance.unwrap_or_else(|| (S::zero(), S::zero()));
        (distance, speed, self.bound_scale())
    }

    /// The scale of x: the largest bound at t (as |v| + |st|, before the terms cancel) or |x|, or what x was solved
    /// from.
    pub(super) fn bound_scale(&self) -> S {
        self.law.largest(S::larger(self.kkt.x_size(), self.largest_bound.at(&self.law.at.t)))
    }

    pub(super) fn solve_law(&mut self) {
        let value = self.kkt.solve(Part::Value(self.law.at.clone()));
        let rate = self.law.next_rate.take().unwrap_or_else(|| self.kkt.solve(Part::Rate));
        (self.law.x, self.law.dx) = (value.x, rate.x);
        if self.law.at == Place::exactly(self.line.begin.clone()) {
            self.x_at_beginning();
        }
        self.law.floating = self.line.has_row() && value.y.is_none();
        if let Some(y) = value.y {
            self.law.y = y;
        }
        self.law.y_size = value.y_size;
        self.law.dy = rate.y.unwrap_or_else(S::zero);
        self.pricer.prices.expire();
        if self.pricer.certified.is_none() {
            self.price_everything();
        }
    }

    /// At the beginning of the line an index that the crossing has just freed is put on the bound that it left, if this is within the rounding of the terms
    /// that x was solved from, or if all of F has just left its bounds and the row holds there; in a box of zero width x is the bound, whatever the rounding.
    /// (Everything may be zero there, so that rounding has no scale to compare with.)
    fn x_at_beginning(&mut self) {
        let terms = self.law.largest(self.kkt.x_size());
        let left = |i: usize| self.active.freed.iter().find(|freed| freed.0 == i).map(|freed| freed.1);
        let all_there = self.kkt.free().iter().all(|&i| left(i).is_some()) && self.row_holds_at(left);
        let mut x = self.law.x.clone();
        for (x, &i) in x.iter_mut().zip(self.kkt.free()) {
            let [value, slope] = bound(self.line, i, left(i).unwrap_or(Status::Lower));
            let on_bound = S::affine(&[value.clone(), slope.clone()], &self.law.at.t);
            let size = value.abs() + (slope * &self.law.at.t).abs() + &terms;
            let is_open = (x.clone() - &on_bound).abs() <= size * S::tolerance(self.settings.tie);
            if self.opening(i).is_some() || (left(i).is_some() && (is_open || all_there)) {
                *x = on_bound;
            }
        }
        self.law.x = x;
    }

    /// Whether the row holds up to rounding where the free indices are at the bounds that they left. False without a row.
    fn row_holds_at(&self, left: impl Fn(usize) -> Option<Status>) -> bool {
        let b = S::affine(&[self.line.b0.clone(), self.line.b1.clone()], &self.law.at.t);
        let (mut off, mut size) = (b.clone(), b.abs());
        for i in 0..self.line.n() {
            let side = left(i).unwrap_or(self.active.status[i]);
            let term = self.line.a(i) * S::affine(&bound(self.line, i, side), &self.law.at.t);
            size += term.abs();
            off -= term;
        }
        self.line.has_row() && off.abs() <= size * S::tolerance(self.settings.tie)
    }

    /// max over F of |z|, relative to the size of its terms.
    fn worst_free_residual(&self) -> S {
        self.kkt.free().iter().zip(self.kkt.free_values()).fold(S::zero(), |worst, (&i, q)| {
            let z = (q - self.line.a(i) * &self.law.y).abs() - self.kkt.unknown(i);
            if z <= S::zero() { worst } else { S::larger(worst, z / self.size(i)) }
        })
    }

    /// The ratio test, with a check of the law it rests on: numbers, x_F in its box, and the sign of every z that was
    /// priced. A law
    /// that fails is solved again from a fresh factor.
    pub(super) fn audited_ratio_test(&mut self) -> Result<Step<S>, PathError> {
        let step = self.ratio_test();
        if self.worst_violation().or_else(|| self.overflow(&step)).is_none() {
            return Ok(step);
        }
        self.recorder.stats.refactors.audit += 1;
        self.kkt.refactor();
        self.direction();
        let step = self.ratio_test();
        match self.worst_violation().or_else(|| self.overflow(&step)) {
            None => Ok(step),
            Some((index, violation, allowed)) => Err(PathError::Inaccurate {
                t: self.law.at.t.to_string(),
                index,
                violation: violation.to_string(),
                allowed: allowed.to_string(),
            }),
        }
    }

    pub(super) fn worst_violation(&self) -> Option<(usize, S, S)> {
        let allowed = self.bound_scale() * S::tolerance(self.settings.audit);
        for (k, &i) in self.kkt.free().iter().enumerate() {
            let below = self.line.bounds.lower_at(i, &self.law.at.t).map_or(S::zero(), |l| l - &self.law.x[k]);
            let above = self.line.bounds.upper_at(i, &self.law.at.t).map_or(S::zero(), |u| self.law.x[k].clone() - u);
            let violation = S::larger(below, above);
            if violation > allowed {
                return Some((i, violation, allowed));
            }
        }
        self.off_row().or_else(|| self.pricer.wrong_sign.clone())
    }

    /// Something of the law or its step that is no number. No comparison finds it wrong, and a position that is no
    /// number never comes to an end.
    fn overflow(&self, step: &Step<S>) -> Option<(usize, S, S)> {
        let unfit = |value: &&S| !value.is_finite_number();
        let laws = self.kkt.free().iter().zip(self.law.x.iter().zip(&self.law.dx));
        let of_x = laws.flat_map(|(&i, (x, dx))| [(i, x), (i, dx)]);
        let others = [&self.law.at.t, &self.law.at.off, &self.law.y, &self.law.dy]
            .into_iter()
            .chain(&step.length)
            .map(|value| (0, value));
        let (index, value) = of_x.chain(others).find(|(_, value)| unfit(value))?;
        Some((index, value.clone(), S::zero()))
    }

    /// Where F leaves y open, Ax = b must hold by the bounds alone.
    fn off_row(&self) -> Option<(usize, S, S)> {
        if !self.law.floating {
            return None;
        }
        let (value, slope) = self.kkt.row_gap();
        let off = S::affine(&[value, slope], &self.law.at.t).abs();
        let held = |i: usize| {
            let [value, slope] = bound(self.line, i, self.active.status[i]);
            self.line.a(i).abs() * (value.abs() + (slope * &self.law.at.t).abs())
        };
        let terms = self.line.b0.abs() + (self.line.b1.clone() * &self.law.at.t).abs();
        let size = (0..self.line.n()).fold(terms, |sum, i| sum + held(i));
        let allowed = size * S::tolerance(self.settings.audit);
        (off > allowed).then_some((0, off, allowed))
    }

    /// The scale of x in its own box: its bounds' and its size, and what it was solved from.
    pub(super) fn x_scale(&self, k: usize, i: usize) -> S {
        let size =
            |b: &Option<[S; 2]>| b.as_ref().map_or_else(S::zero, |[v, s]| v.abs() + (s.clone() * &self.law.at.t).abs());
        let bounds = size(&self.line.bounds.lower[i]) + size(&self.line.bounds.upper[i]);
        bounds + self.law.x[k].abs() + self.kkt.x_size()
    }
}
