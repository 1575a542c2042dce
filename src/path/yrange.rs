//! The multiplier where F does not determine it.
//!
//! When no free index has a coefficient in the equality row, y may be anything between
//!
//! ```text
//! lo(δ) = max over one kind of index,  hi(δ) = min over the other, of (qᵢ + δqᵢ′)/Aᵢ       (σᵢAᵢ < 0, σᵢAᵢ > 0; σ = +1 lower, −1 upper)
//! ```
//!
//! at t + δ. lo is convex and hi concave, so the interval closes at most once, and a chord between two of its points stays inside. The follower puts y on the
//! chord from the midpoint of the interval here to the midpoint at the next event (y is not unique, so it need not be continuous). The interval's closing is an
//! event, at which one index of each end is tied.

use super::Follower;
use crate::active_set::Status;
use crate::scalar::Scalar;

/// An end of the interval: y there, and the index that holds it.
pub(super) type End<S> = Option<(S, usize)>;

impl<'a, S: Scalar> Follower<'a, S> {
    /// Both ends of the interval of y, δ ahead of t.
    pub(super) fn y_ends(&self, delta: &S) -> (End<S>, End<S>) {
        self.ends(|_| true, |i| self.q(i).0 + self.q(i).1 * delta)
    }

    /// The largest and the smallest f(i)/Aᵢ over the indices that bound y below and above.
    pub(super) fn ends(&self, among: impl Fn(usize) -> bool, f: impl Fn(usize) -> S) -> (End<S>, End<S>) {
        let (mut lo, mut hi): (End<S>, End<S>) = (None, None);
        for i in
            (0..self.line.n()).filter(|&i| self.active.status[i] != Status::Free && !self.active.fixed[i] && among(i))
        {
            let a = self.line.a(i);
            if !a.is_zero() {
                self.widen(&mut lo, &mut hi, i, f(i) / a);
            }
        }
        (lo, hi)
    }

    /// Takes the end that index i sets into account.
    pub(super) fn widen(&self, lo: &mut End<S>, hi: &mut End<S>, i: usize, end: S) {
        if (self.line.a(i) > S::zero()) == (self.active.status[i] == Status::Lower) {
            if hi.as_ref().is_none_or(|h| end < h.0) {
                *hi = Some((end, i));
            }
        } else if lo.as_ref().is_none_or(|l| end > l.0) {
            *lo = Some((end, i));
        }
    }

    /// Finds where the interval closes before `cap`, and puts y on a chord. Returns the closing step.
    pub(super) fn float(&mut self, cap: Option<S>) -> Option<S> {
        self.price_everything();
        self.move_multiplier(self.inside(&S::zero()));
        let (mut length, mut closes) = (cap, false);
        // The gap is concave: the root of the pair that is most violated at the right end moves the end leftwards,
        // each time to another pair, until nothing is violated.
        while let Some(root) = self.closing_before(&length) {
            if length.as_ref().is_some_and(|l| root >= *l) {
                break;
            }
            length = Some(root);
            closes = true;
        }
        // Closed here and closed there: if it opens in between, no chord is inside, but two are.
        if let Some(end) = length.clone().filter(|l| *l > S::zero())
            && !self.is_interval(&S::zero())
            && !self.is_interval(&end)
        {
            let half = end / S::integer(2);
            if self.is_interval(&half) {
                length = Some(half);
                closes = true;
            }
        }
        self.law.dy = match &length {
            Some(length) if length.is_zero() => S::zero(),
            Some(length) => (self.inside(length) - &self.law.y) / length,
            None => self.endless_rate(),
        };
        self.law.interval = self.is_interval(&(length.clone().unwrap_or_else(S::one) / S::integer(2)));
        let step = length.clone().unwrap_or_else(S::zero);
        let stays = |i: usize| {
            if self.line.a(i).is_zero() || length.is_none() {
                return self.dz(i).abs() <= self.zero_rate(i);
            }
            (self.z(i) + self.dz(i) * &step).abs() <= self.zero(i)
        };
        let leaving: Vec<usize> = self.active.tied.members().iter().copied().filter(|&i| !stays(i)).collect();
        for i in leaving {
            self.set_tied(i, false);
        }
        if closes { length } else { None }
    }

    /// A rate with which y stays inside without end: lo is convex and hi concave, so that lo(δ) ≤ lo(0) + max qᵢ′/Aᵢ·δ and
    /// hi(δ) ≥ hi(0) + min qᵢ′/Aᵢ·δ, and any rate between the two will do. (Beyond them the interval would close.) Where the
    /// interval is a point here and its ends have the same slope far out, y goes along one of them.
    fn endless_rate(&self) -> S {
        match self.ends(|_| true, |i| self.q(i).1) {
            (Some((lo, _)), Some((hi, _))) => (lo + hi) / S::integer(2),
            (Some((lo, _)), None) => S::larger(lo, S::zero()),
            (None, Some((hi, _))) => S::smaller(hi, S::zero()),
            (None, None) => S::zero(),
        }
    }

    /// The δ at which the pair that is most violated at `at` (at infinity: the steepest pair) meets.
    fn closing_before(&self, at: &Option<S>) -> Option<S> {
        let (lo, hi) = match at {
            Some(at) => self.y_ends(at),
            None => self.ends(|_| true, |i| self.q(i).1),
        };
        let ((_, i), (_, j)) = (lo?, hi?);
        let end = |k: usize| (self.q(k).0 / self.line.a(k), self.q(k).1 / self.line.a(k));
        let ((li, si), (hj, sj)) = (end(i), end(j));
        let (gap, speed) = (hj - li, si - sj);
        let noise = self.zero_rate(i) / self.line.a(i).abs() + self.zero_rate(j) / self.line.a(j).abs();
        if speed <= noise {
            return None;
        }
        Some(S::larger(gap, S::zero()) / speed)
    }

    /// A point of the interval δ ahead: its middle, or well inside where one end is missing.
    pub(super) fn inside(&self, delta: &S) -> S {
        let two = S::integer(2);
        match self.y_ends(delta) {
            (Some((lo, _)), Some((hi, _))) => (lo + hi) / two,
            (Some((lo, _)), None) => {
                if self.law.y > lo {
                    self.law.y.clone()
                } else {
                    lo.clone() + S::one() + lo.abs()
                }
            }
            (None, Some((hi, _))) => {
                if self.law.y < hi {
                    self.law.y.clone()
                } else {
                    hi.clone() - S::one() - hi.abs()
                }
            }
            (None, None) => self.law.y.clone(),
        }
    }

    /// Whether the ends differ, δ ahead.
    pub(super) fn is_interval(&self, delta: &S) -> bool {
        let (Some((lo, i)), Some((hi, j))) = self.y_ends(delta) else { return true };
        hi - lo > self.zero(i) / self.line.a(i).abs() + self.zero(j) / self.line.a(j).abs()
    }

    /// The indices at the ends of a closed interval, δ ahead.
    pub(super) fn closed_by(&self, delta: &S) -> Vec<(usize, S)> {
        let (Some((lo, _)), Some((hi, _))) = self.y_ends(delta) else { return Vec::new() };
        let y = (lo.clone() + &hi) / S::integer(2);
        let near = |i: usize| {
            let a = self.line.a(i);
            if a.is_zero() || self.active.status[i] == Status::Free || self.active.fixed[i] {
                return false;
            }
            let z = self.q(i).0 + self.q(i).1 * delta - a * &y;
            z.abs() <= self.zero(i)
        };
        (0..self.line.n()).filter(|&i| near(i)).map(|i| (i, S::zero())).collect()
    }
}
