//! What a follower records: its laws, from event to event, and what has changed at each.

use super::Follower;
use super::follower::Stop;
use super::ratio::Step;
use super::record::SegmentData;
use crate::active_set::{Status, key};
use crate::scalar::Scalar;
use crate::settings::FIT_COLUMNS;

impl<S: Scalar> Follower<'_, S> {
    /// Keeps the segment that starts at t, unless it has no length there, or next to none in which nothing is seen to move.
    pub(super) fn record(&mut self, step: &Step<S>) {
        let nowhere = step.length.is_some() && self.after(step).t <= self.at.t;
        if nowhere || (step.is_zero() && !self.is_seen(step)) {
            self.stats.zero_steps += 1;
            return;
        }
        self.update_codes();
        self.fade(|f, i| {
            let length = step.length.as_ref()?;
            Some((f.z(i), f.z(i) + f.dz(i) * length))
        });
        let breakpoint = self.last_pattern.is_some_and(|p| p != self.pattern);
        let free = self.kkt.free().to_vec();
        let law = (self.dx.clone(), self.y.clone(), self.dy.clone());
        let fit = self.fits();
        let fit = self.lead(step, fit);
        let changed = self.keep_segment(breakpoint, &free, fit);
        self.open = None;
        (self.dx, self.y, self.dy) = law;
        if !breakpoint && changed && self.last_pattern.is_some() {
            self.stats.exchanges += 1;
        }
        self.last_pattern = Some(self.pattern);
    }

    /// Whether x or Zᵀx moves by more than rounding during a step.
    fn is_seen(&self, step: &Step<S>) -> bool {
        let Some(length) = &step.length else { return true };
        let rounding = S::tolerance(self.settings.refine);
        let of_x = |(k, &i): (usize, &usize)| self.dx[k].abs() * length > self.x_scale(k, i) * &rounding;
        let norm = |v: &[S]| S::dot(v, v).scale_root();
        let of_fit = |[w, rate]: [&[S]; 2]| norm(rate) * length > norm(w) * &rounding;
        self.kkt.free().iter().enumerate().any(of_x) || self.kkt.fits().is_some_and(of_fit)
    }

    /// Zᵀx at t and its rate, where it is kept.
    fn fits(&self) -> Option<[Vec<S>; 2]> {
        self.kkt.fits().filter(|fits| fits[0].len() <= FIT_COLUMNS).map(|fits| fits.map(<[S]>::to_vec))
    }

    /// The rates that lead from x, y and Zᵀx here to where they are after `step`. What is known is where they are at events, and a path has t rounded there: a
    /// law may be so fast that this is seen, and is kept with the speed that leads from one event to the next one as t is rounded.
    fn lead(&mut self, step: &Step<S>, fit: Option<[Vec<S>; 2]>) -> Option<[Vec<S>; 2]> {
        let rounded = self.after(step).t - &self.at.t;
        let part = match &step.length {
            Some(length) if rounded > S::zero() => length.clone() / rounded,
            _ => S::one(),
        };
        self.dx.iter_mut().for_each(|dx| *dx *= &part);
        self.dy *= &part;
        let [value, rate] = fit?;
        Some([value, rate.into_iter().map(|rate| rate * &part).collect()])
    }

    /// Stores the law that holds from t on; returns whether a status changed since the last one.
    pub(super) fn keep_segment(&mut self, breakpoint: bool, free: &[usize], fit: Option<[Vec<S>; 2]>) -> bool {
        let mut changed = Vec::new();
        self.coded = 0;
        for i in std::mem::take(&mut self.touched) {
            if self.recorded[i] != self.status[i] {
                self.recorded[i] = self.status[i];
                changed.push((i, self.status[i]));
            }
        }
        changed.sort_by_key(|c| c.0);
        // Steps without length at the very start leave rounding in t.
        let t = if self.path.segments().is_empty() { self.line.begin.clone() } else { self.at.t.clone() };
        let (y, dy) = (self.y.clone(), self.dy.clone());
        let data = SegmentData { t, y, dy, floating: self.floating && self.interval, breakpoint, fit };
        self.path.push(data, free, (&self.x, &self.dx), &changed);
        !changed.is_empty()
    }

    /// Closes the path at t. A path that ends where it began still has its one solution.
    pub(super) fn finish(&mut self, stop: Stop<S>) {
        if self.path.segments().is_empty() {
            self.solve_law();
            if self.floating {
                self.price_everything();
                self.y = self.inside(&S::zero());
                self.interval = self.is_interval(&S::zero());
            }
            self.dy = S::zero();
            let free = self.kkt.free().to_vec();
            let fit = self.fits();
            self.keep_segment(false, &free, fit);
        }
        self.path.finish(self.at.t.clone(), stop, self.stats.clone());
    }

    /// Brings fingerprint (statuses and ties) and pattern (signs of z) up to date with the touched indices.
    pub(super) fn update_codes(&mut self) {
        for k in self.coded..self.touched.len() {
            let i = self.touched[k];
            if self.fixed[i] {
                continue;
            }
            let (old, new) = (self.codes[i], (self.status[i], self.weak.contains(i)));
            if old != new {
                self.fingerprint ^= key(i, 8 + code(old)) ^ key(i, 8 + code(new));
                self.codes[i] = new;
                self.show(i, sign_code(new));
            }
        }
        self.coded = self.touched.len();
    }

    /// An index at a bound whose z counts as zero from here to the end of the segment shows no sign there: what rounding of the data leaves of z′ makes no
    /// breakpoint. `z` tells both values.
    pub(super) fn fade(&mut self, z: impl Fn(&Self, usize) -> Option<(S, S)>) {
        let mut candidates = std::mem::take(&mut self.faint);
        candidates.extend(&self.touched);
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&i| {
            let (status, weak) = self.codes[i];
            if status == Status::Free || weak || self.fixed[i] {
                return false;
            }
            let zero = self.zero(i);
            let is_faint = z(self, i).is_some_and(|(here, there)| here.abs() <= zero && there.abs() <= zero);
            self.show(i, if is_faint { NO_SIGN } else { sign_code((status, weak)) });
            is_faint
        });
        self.faint = candidates;
    }

    /// The sign of zᵢ in the pattern.
    fn show(&mut self, i: usize, sign: u64) {
        self.pattern ^= key(i, self.signs[i]) ^ key(i, sign);
        self.signs[i] = sign;
    }

    /// Events are net changes of status in one exchange.
    pub(super) fn note_changes(&mut self) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.sort_by_key(|c| c.0);
        let mut net: Vec<(usize, Status, Status)> = Vec::new();
        for (i, from, to) in changes {
            match net.last_mut() {
                Some(last) if last.0 == i => last.2 = to,
                _ => net.push((i, from, to)),
            }
        }
        net.retain(|c| c.1 != c.2);
        if !net.is_empty() {
            self.stats.events += 1;
        }
        self.changes = net;
    }
}

fn code((status, weak): (Status, bool)) -> u64 {
    (status.sign() + 1) as u64 + 3 * u64::from(weak)
}

/// The code of a z that is zero.
pub(super) const NO_SIGN: u64 = 1;

fn sign_code((status, weak): (Status, bool)) -> u64 {
    if weak { NO_SIGN } else { (status.sign() + 1) as u64 }
}
