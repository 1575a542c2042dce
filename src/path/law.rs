//! The law on a segment: solved from the active set, checked, and what is measured against it.

use super::Follower;
use super::ratio::Step;
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::{Part, Place, bound};
use crate::pricing::Queue;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Pricing;

impl<S: Scalar> Follower<'_, S> {
    /// The law on the segment ahead: (x_F, y) and all prices, value and rate, solved from the active set.
    pub(super) fn direction(&mut self) {
        self.solve_law();
        if self.worst_free_residual() > S::tolerance(self.settings.refactor) {
            self.stats.refactors.residual += 1;
            self.kkt.refactor();
            self.solve_law();
        }
        self.stats.max_free = self.stats.max_free.max(self.kkt.free().len());
        if !self.floating {
            self.settle_weak();
        }
    }

    /// An event is a root on the law behind, and on the law ahead as well: where an index was freed x leaves its bound, where one was held z leaves zero. Where
    /// that moves fast it tells better where the event is, and the position is corrected when it is off by more than rounding, within what the events since the last
    /// law that was kept leave open: that law is kept up to the corrected position, and what reaches zero there must still be zero.
    pub(super) fn polish(&mut self) {
        let Some(shift) = self.correction() else { return };
        let moved = self.at.moved(&shift);
        let way = moved.t.clone() - &self.line.begin;
        let scale = self.line.length().map_or(way.clone(), |l| S::larger(l, way));
        let small = shift.abs() <= S::tolerance(self.settings.audit) * scale
            && self.open.as_ref().is_none_or(|open| shift.abs() <= *open);
        let behind = self.path.segments().last().map_or(&self.line.begin, |s| &s.t);
        let before = moved.t < *behind || (moved.t == self.line.begin && moved.off < S::zero());
        let beyond = self.line.end.as_ref().is_some_and(|end| moved.t >= *end);
        if !small || before || beyond || moved == self.at {
            return;
        }
        self.at = moved;
        self.direction();
        if self.queue.is_some() {
            // Both laws' speeds, for the way back on the one and forth on the other.
            let before = self.arc_speed;
            self.update_arc_speed();
            let way = shift.abs().to_f64().unwrap_or(f64::INFINITY);
            if let Some(queue) = &mut self.queue {
                queue.advance((before + self.arc_speed) * way);
            }
        }
    }

    /// How far ahead the law has the event that led to it, by the index that is off by the most, relative to its rounding.
    fn correction(&self) -> Option<S> {
        if S::EXACT {
            return None;
        }
        let mut worst: Option<(S, S)> = None;
        for &(i, from, to) in &self.changes {
            let (value, speed, size) = match (from, to) {
                (Status::Free, _) if !self.floating => (self.z(i), self.faster_than_zero(i), self.size(i)),
                (_, Status::Free) => self.out_of_box(i, from),
                _ => continue,
            };
            let noise = size * S::tolerance(self.settings.refine);
            let blur = self.blur.iter().find(|blur| blur.0 == i && from == Status::Free).map(|blur| &blur.1);
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
        let distance = position.map(|k| (self.x[k].clone() - self.at.affine(&bound), self.dx[k].clone() - &bound[1]));
        let (distance, speed) = distance.unwrap_or_else(|| (S::zero(), S::zero()));
        (distance, speed, self.bound_scale())
    }

    /// The scale of x: the largest bound at t (as |v| + |st|, before the terms cancel) or |x|, or what x was solved from.
    pub(super) fn bound_scale(&self) -> S {
        let largest = S::larger(self.kkt.x_size(), self.largest_bound.at(&self.at.t));
        self.x.iter().fold(largest, |m, x| S::larger(m, x.abs()))
    }

    /// Prices every index on the current law.
    pub(super) fn price_everything(&mut self) {
        self.stats.priced += self.prices.fill(self.kkt.as_mut());
    }

    /// The queue of certified pricing, where the setting allows it and the factor knows how fast its fit moves.
    pub(super) fn certified_queue(&mut self) -> Option<Queue> {
        if S::EXACT || self.settings.pricing == Pricing::Full {
            return None;
        }
        let reaches = self.kkt.reaches()?;
        self.drift_scales = drift_scales(self.line, &reaches);
        let [rho, gamma] = self.drift_scales;
        let reach = |(i, row): (usize, f64)| {
            let [a, c] = [self.line.a(i), self.line.c1[i].clone()].map(|v| v.to_f64().unwrap_or(f64::INFINITY));
            (row.powi(2) + (rho * a).powi(2) + (gamma * c).powi(2)).sqrt() * (1.0 + 8.0 * f64::EPSILON)
        };
        Some(Queue::new(reaches.into_iter().enumerate().map(reach).collect()))
    }

    /// y moves at fixed t.
    pub(super) fn move_multiplier(&mut self, y: S) {
        let distance = (y.clone() - &self.y).abs().to_f64().unwrap_or(f64::INFINITY);
        if let Some(queue) = &mut self.queue {
            queue.advance(distance / self.drift_scales[0]);
        }
        self.y = y;
    }

    /// v on the current law.
    pub(super) fn update_arc_speed(&mut self) {
        if self.queue.is_none() {
            return;
        }
        let fit = self.kkt.fit_speed();
        let [rho, gamma] = self.drift_scales;
        let drift = |d: f64, scale: f64| if scale > 0.0 { d / scale } else { 0.0 };
        let dy = drift(self.dy.to_f64().unwrap_or(f64::INFINITY), rho);
        self.arc_speed = (fit.powi(2) + dy.powi(2) + drift(1.0, gamma).powi(2)).sqrt();
    }

    pub(super) fn solve_law(&mut self) {
        let value = self.kkt.solve(Part::Value(self.at.clone()));
        let rate = self.rate.take().unwrap_or_else(|| self.kkt.solve(Part::Rate));
        (self.x, self.dx) = (value.x, rate.x);
        if self.at == Place::exactly(self.line.begin.clone()) {
            self.x_on_opening_boxes();
        }
        self.floating = self.line.has_row() && value.y.is_none();
        if let Some(y) = value.y {
            self.y = y;
        }
        self.y_size = value.y_size;
        self.dy = rate.y.unwrap_or_else(S::zero);
        self.prices.expire();
        if self.queue.is_none() {
            self.price_everything();
        }
    }

    /// In a box of zero width x is the bound, whatever rounding says.
    fn x_on_opening_boxes(&mut self) {
        for (k, &i) in self.kkt.free().iter().enumerate() {
            if self.opening(i).is_some()
                && let Some(bound) = self.line.bounds.lower_at(i, &self.at.t)
            {
                self.x[k] = bound;
            }
        }
    }

    /// max over F of |z|, relative to the size of its terms.
    fn worst_free_residual(&self) -> S {
        self.kkt.free().iter().fold(S::zero(), |worst, &i| {
            let size = self.size(i);
            let z = self.z(i).abs();
            if z.is_zero() { worst } else { S::larger(worst, z / size) }
        })
    }

    /// Tied indices whose z moves away from zero are no longer weakly active; those set apart while crossing, whose z
    /// stays zero after all, are.
    pub(super) fn settle_weak(&mut self) {
        self.kkt.settle_span();
        let unknown = |f: &Self, i: usize| !f.kkt.rates_vanish() && !f.kkt.in_span(i);
        let tied: Vec<usize> = self.weak.members().iter().copied().filter(|&i| unknown(self, i)).collect();
        self.stats.priced += tied.len() as u64;
        for i in tied {
            if self.dz(i).abs() <= self.zero_rate(i) {
                self.kkt.offer_to_span(i);
            } else {
                self.set_weak(i, false);
            }
        }
        for k in 0..self.untied.len() {
            let i = self.untied[k];
            let still = |f: &Self| !unknown(f, i) || f.dz(i).abs() <= f.zero_rate(i);
            if self.status[i] != Status::Free && self.z(i).abs() <= self.zero(i) && still(self) {
                self.set_weak(i, true);
            }
        }
    }

    /// The ratio test, with a check of the law it rests on: numbers, x_F in its box, and the sign of every z that was priced. A law
    /// that fails is solved again from a fresh factor.
    pub(super) fn audited_ratio_test(&mut self) -> Result<Step<S>, PathError> {
        let step = self.ratio_test();
        if self.worst_violation().or_else(|| self.overflow(&step)).is_none() {
            return Ok(step);
        }
        self.stats.refactors.audit += 1;
        self.kkt.refactor();
        self.direction();
        let step = self.ratio_test();
        match self.worst_violation().or_else(|| self.overflow(&step)) {
            None => Ok(step),
            Some((index, violation, allowed)) => Err(PathError::Inaccurate {
                t: self.at.t.to_string(),
                index,
                violation: violation.to_string(),
                allowed: allowed.to_string(),
            }),
        }
    }

    pub(super) fn worst_violation(&self) -> Option<(usize, S, S)> {
        let allowed = self.bound_scale() * S::tolerance(self.settings.audit);
        for (k, &i) in self.kkt.free().iter().enumerate() {
            let below = self.line.bounds.lower_at(i, &self.at.t).map_or(S::zero(), |l| l - &self.x[k]);
            let above = self.line.bounds.upper_at(i, &self.at.t).map_or(S::zero(), |u| self.x[k].clone() - u);
            let violation = S::larger(below, above);
            if violation > allowed {
                return Some((i, violation, allowed));
            }
        }
        self.off_row().or_else(|| self.wrong_sign.clone())
    }

    /// Something of the law or its step that is no number. No comparison finds it wrong, and a position that is no number never comes to an end.
    fn overflow(&self, step: &Step<S>) -> Option<(usize, S, S)> {
        let unfit = |value: &&S| !value.is_finite_number();
        let laws = self.kkt.free().iter().zip(self.x.iter().zip(&self.dx));
        let of_x = laws.flat_map(|(&i, (x, dx))| [(i, x), (i, dx)]);
        let others =
            [&self.at.t, &self.at.off, &self.y, &self.dy].into_iter().chain(&step.length).map(|value| (0, value));
        let (index, value) = of_x.chain(others).find(|(_, value)| unfit(value))?;
        Some((index, value.clone(), S::zero()))
    }

    /// Where F leaves y open, Ax = b must hold by the bounds alone.
    fn off_row(&self) -> Option<(usize, S, S)> {
        if !self.floating {
            return None;
        }
        let (value, slope) = self.kkt.row_gap();
        let off = S::affine(&[value, slope], &self.at.t).abs();
        let held = |i: usize| {
            let [value, slope] = bound(self.line, i, self.status[i]);
            self.line.a(i).abs() * (value.abs() + (slope * &self.at.t).abs())
        };
        let terms = self.line.b0.abs() + (self.line.b1.clone() * &self.at.t).abs();
        let size = (0..self.line.n()).fold(terms, |sum, i| sum + held(i));
        let allowed = size * S::tolerance(self.settings.audit);
        (off > allowed).then_some((0, off, allowed))
    }

    /// The scale of x in its own box: its bounds' and its size, and what it was solved from.
    pub(super) fn x_scale(&self, k: usize, i: usize) -> S {
        let size =
            |b: &Option<[S; 2]>| b.as_ref().map_or_else(S::zero, |[v, s]| v.abs() + (s.clone() * &self.at.t).abs());
        let bounds = size(&self.line.bounds.lower[i]) + size(&self.line.bounds.upper[i]);
        bounds + self.x[k].abs() + self.kkt.x_size()
    }

    /// q = Hx + c at i and its rate.
    pub(super) fn q(&self, i: usize) -> (S, S) {
        self.prices.price(self.kkt.as_ref(), i)
    }

    /// q − Ay at t.
    pub(super) fn z(&self, i: usize) -> S {
        self.q(i).0 - self.line.a(i) * &self.y
    }

    /// The rate of z.
    pub(super) fn dz(&self, i: usize) -> S {
        self.q(i).1 - self.line.a(i) * &self.dy
    }

    /// z with the sign that makes it ≥ 0 at a solution.
    pub(super) fn signed_z(&self, i: usize) -> S {
        self.z(i) * S::integer(self.status[i].sign())
    }

    /// The size of the terms of zᵢ.
    pub(super) fn size(&self, i: usize) -> S {
        self.size_at(i, &self.at.t)
    }

    /// The same with the terms of cᵢ at another t.
    pub(super) fn size_at(&self, i: usize, t: &S) -> S {
        self.kkt.size(i) + self.cost_size(i, t) + (self.line.a(i) * &self.y).abs()
    }

    fn cost_size(&self, i: usize, t: &S) -> S {
        self.line.c0[i].abs() + (self.line.c1[i].clone() * t).abs()
    }

    /// |zᵢ| up to here counts as zero.
    pub(super) fn zero(&self, i: usize) -> S {
        self.size(i) * S::tolerance(self.settings.zero)
    }

    /// |zᵢ′| up to here counts as zero.
    pub(super) fn zero_rate(&self, i: usize) -> S {
        let terms = self.kkt.rate_size(i) + self.line.c1[i].abs() + (self.line.a(i) * &self.dy).abs();
        terms * S::tolerance(self.settings.zero_rate)
    }
}

/// ρ and γ of the bound of certified pricing: they put the three coordinates of a row on one scale. Zero where a
/// coordinate is absent.
fn drift_scales<S: Scalar>(line: &Line<S>, reaches: &[f64]) -> [f64; 2] {
    let largest = |values: &[S]| values.iter().map(|v| v.abs().to_f64().unwrap_or(0.0)).fold(0.0, f64::max);
    let rows = reaches.iter().copied().fold(0.0, f64::max);
    let rows = if rows > 0.0 { rows } else { 1.0 };
    let scale = |size: f64| if size > 0.0 { rows / size } else { 0.0 };
    [scale(largest(&line.a)), scale(largest(&line.c1))]
}
