//! The ratio test: how far the law holds, and everything that happens there.

use super::Follower;
use crate::active_set::Status;
use crate::scalar::Scalar;

/// The step to the next event.
#[derive(Debug)]
pub(super) struct Step<S> {
    /// Its length; none when nothing happens on a ray any more.
    pub length: Option<S>,
    /// Whether it ends the line.
    pub end: bool,
    /// Free indices that reach a bound.
    pub blocked: Vec<(usize, Status)>,
    /// Indices at a bound whose z reaches zero.
    pub hits: Vec<usize>,
    /// Below this length a step has none.
    negligible: S,
}

impl<S: Scalar> Step<S> {
    pub fn is_zero(&self) -> bool {
        self.length.as_ref().is_some_and(|l| *l <= self.negligible)
    }
}

/// Something that happens `after` so much of t, to a quantity that falls to zero at `speed`.
struct Candidate<S> {
    after: S,
    speed: S,
    index: usize,
    /// The bound a free index reaches; none for a z.
    side: Option<Status>,
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// The nearest event and all that are tied with it.
    pub(super) fn ratio_test(&mut self) -> Step<S> {
        let mut candidates = Vec::new();
        self.free_candidates(&mut candidates);
        self.bound_candidates(&mut candidates);
        let mut nearest: Option<S> = None;
        for c in &candidates {
            if nearest.as_ref().is_none_or(|n| c.after < *n) {
                nearest = Some(c.after.clone());
            }
        }
        let mut limit = self.line.length.as_ref().map(|l| S::larger(l.clone() - &self.t, S::zero()));
        if self.floating {
            let cap = match (&nearest, &limit) {
                (Some(a), Some(b)) => Some(S::smaller(a.clone(), b.clone())),
                (a, b) => a.clone().or(b.clone()),
            };
            if let Some(closes) = self.float(cap) {
                nearest = Some(closes);
            }
        }
        let tie = S::tolerance(self.settings.tie);
        let Some(length) = nearest else {
            let end = limit.is_some();
            return Step { length: limit.take(), end, blocked: vec![], hits: vec![], negligible: S::zero() };
        };
        let scale = self.t.clone() + &length;
        let negligible = tie.clone() * &scale;
        let end = self.line.length.clone().unwrap_or_else(S::zero) * S::tolerance(self.settings.end);
        if limit.as_ref().is_some_and(|l| length >= l.clone() - end) {
            let length = limit;
            return Step { length, end: true, blocked: vec![], hits: vec![], negligible };
        }
        let (mut blocked, mut hits) = (Vec::new(), Vec::new());
        for c in candidates {
            let later = c.after.clone() - &length;
            if later <= negligible || self.reaches_zero(&c, later) {
                match c.side {
                    Some(side) => blocked.push((c.index, side)),
                    None => hits.push(c.index),
                }
            }
        }
        if self.floating {
            hits.extend(self.closed_by(&length));
        }
        Step { length: Some(length), end: false, blocked, hits, negligible }
    }

    /// Whether what falls to zero a little later than the step is already zero within rounding at its end.
    fn reaches_zero(&self, c: &Candidate<S>, later: S) -> bool {
        let left = later * &c.speed;
        match c.side {
            None => left <= self.zero(c.index),
            Some(_) => {
                let k = self.kkt.free().iter().position(|&i| i == c.index);
                k.is_some_and(|k| left <= self.x_scale(k, c.index) * S::tolerance(self.settings.tie))
            }
        }
    }

    /// x_F against its bounds.
    fn free_candidates(&self, candidates: &mut Vec<Candidate<S>>) {
        let bounds = &self.line.bounds;
        for (k, &index) in self.kkt.free().iter().enumerate() {
            let (x, dx) = (&self.x[k], &self.dx[k]);
            for (side, bound) in [(Status::Lower, &bounds.lower[index]), (Status::Upper, &bounds.upper[index])] {
                let Some([value, slope]) = bound else { continue };
                let at = value.clone() + slope.clone() * &self.t;
                let (gap, speed) = match side {
                    Status::Lower => (x.clone() - at, slope.clone() - dx),
                    _ => (at - x, dx.clone() - slope),
                };
                let noise = (dx.abs() + slope.abs()) * S::tolerance(self.settings.tie);
                if speed > noise {
                    let after = S::larger(gap, S::zero()) / &speed;
                    candidates.push(Candidate { after, speed, index, side: Some(side) });
                }
            }
        }
    }

    /// z against zero for every index at a bound that is not weakly active.
    fn bound_candidates(&self, candidates: &mut Vec<Candidate<S>>) {
        for index in 0..self.line.n() {
            let status = self.status[index];
            if status == Status::Free {
                continue;
            }
            let sign = S::integer(status.sign());
            let speed = -(self.dz(index) * &sign);
            if speed <= S::zero() || self.fixed[index] || self.weak.contains(index) {
                continue;
            }
            if (self.floating && !self.line.a(index).is_zero()) || speed <= self.zero_rate(index) {
                continue;
            }
            let after = S::larger(self.z(index) * sign, S::zero()) / &speed;
            candidates.push(Candidate { after, speed, index, side: None });
        }
    }
}
