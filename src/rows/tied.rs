//! The tied set of a crossing (columns in the basis and at a bound, or at a bound with z = 0), and the rates of its columns.

use super::follower::RowFollower;
use super::law::Half;
use crate::active_set::Status;
use crate::scalar::Scalar;

/// A tied column.
pub(super) struct Tied<S> {
    pub index: usize,
    /// The rates of the bounds that it is at, lower and upper: as they are, and what they give way by.
    pub ends: [Option<[S; 2]>; 2],
    /// What its cost gives way by.
    pub cost: S,
    /// What counts as zero in its rate, x′ or z′.
    pub zero: S,
}

pub(super) fn side(upper: bool) -> Status {
    if upper { Status::Upper } else { Status::Lower }
}

impl<S: Scalar> RowFollower<S> {
    /// The tied set at t. Boxes without width are at the side that z says.
    pub(super) fn tied(&mut self, hits: &[usize]) -> Vec<Tied<S>> {
        let mut tied = Vec::new();
        self.resting.clear();
        for j in self.looked_at(hits) {
            let basic = self.is_basic(j);
            if !basic && self.fixed[j] {
                continue;
            }
            let mut ends = [None, None];
            for (end, upper) in ends.iter_mut().zip([false, true]) {
                let Some(bound) = self.data.bound(j, upper) else { continue };
                let own = !basic && (self.status[j] == side(upper));
                if own || self.is_met(j, upper, bound) || (basic && hits.contains(&j) && self.is_nearest(j, upper)) {
                    *end = Some([bound[1].clone(), S::zero()]);
                }
            }
            let at_bound = ends.iter().any(Option::is_some);
            let is_tied = if basic { at_bound } else { self.is_zero(j) || hits.contains(&j) };
            if is_tied {
                tied.push(Tied { index: j, ends, cost: S::zero(), zero: S::zero() });
            } else if !basic && ends.iter().all(Option::is_some) {
                self.set_status(j, side(self.z[0][j] < S::zero()));
            }
        }
        tied
    }

    /// Whether xⱼ is at that bound or beyond it.
    fn is_met(&self, j: usize, upper: bool, bound: &[S; 2]) -> bool {
        if self.is_basic(j) {
            let [(high, low), _] = self.room(j, upper, bound);
            return high + low <= self.x_sizes(j, bound).rounding();
        }
        // The width of its box.
        let Some(other) = self.data.bound(j, !upper) else { return false };
        let ([mut high, mut low, mut size], one) = ([S::zero(), S::zero(), S::zero()], S::one());
        let at = &self.at;
        for (term, factor) in [(&bound[0], &one), (&bound[1], &at.t), (&bound[1], &at.off)] {
            S::accumulate(&mut high, &mut low, term, factor);
            size += (term.clone() * factor).abs();
        }
        for (term, factor) in [(&other[0], &one), (&other[1], &at.t), (&other[1], &at.off)] {
            S::accumulate(&mut high, &mut low, &-term.clone(), factor);
            size += (term.clone() * factor).abs();
        }
        let width = high + low;
        (if upper { width } else { -width }) <= size * S::twice()
    }

    /// Whether zⱼ at its bound is zero, or beyond.
    fn is_zero(&self, j: usize) -> bool {
        let z = self.z[0][j].clone() * self.sign(j);
        // A box without width is at the side that z says.
        let sides = [false, true].map(|upper| self.data.bound_at(j, upper, &self.at));
        let either = sides[0].is_some() && sides[0] == sides[1];
        if either { z.abs() <= self.z_rounding[j] } else { z <= self.z_rounding[j] }
    }

    /// Whether that is the nearer bound of xⱼ.
    fn is_nearest(&self, j: usize, upper: bool) -> bool {
        let off = |upper: bool| self.data.bound_at(j, upper, &self.at).map(|b| (b - self.value.x.high(j)).abs());
        match (off(upper), off(!upper)) {
            (Some(this), Some(other)) => this <= other,
            (this, _) => this.is_some(),
        }
    }

    /// z′ of a tied column: as it is, and its perturbation; and what counts as zero in the former.
    pub(super) fn tied_rate(&self, t: &Tied<S>, [truth, other]: [&Half<S>; 2]) -> ([S; 2], S) {
        let cost = &self.data.c[t.index][1];
        let (z, sizes) = truth.z_finely(&self.system, t.index, (cost.clone(), S::zero()));
        let (other, _) = other.z_finely(&self.system, t.index, (t.cost.clone(), S::zero()));
        let zero = self.rate_allowance(&sizes.with(cost.abs()), 1);
        ([z.0 + z.1, other.0 + other.1], zero)
    }

    /// The rate of a tied column on the inside of its bound, the least of both where it is at two of them, or of z; what counts as zero in it; and the bound.
    pub(super) fn tied_slack(&self, t: &Tied<S>, half: &Half<S>) -> (S, S, bool) {
        if !self.is_basic(t.index) {
            let (z, zero) = self.tied_rate(t, [half, half]);
            return (z[0].clone() * self.sign(t.index), zero, false);
        }
        let mut least: Option<(S, S, bool)> = None;
        for (end, upper) in t.ends.iter().zip([false, true]) {
            let Some([slope, _]) = end else { continue };
            let (high, low) = half.x.minus(t.index, &[(&S::one(), slope)]);
            let slack = if upper { -(high + low) } else { high + low };
            if least.as_ref().is_none_or(|least| slack < least.0) {
                let zero = self.rate_allowance(&half.x.sizes(t.index).clone().with(slope.abs()), 0);
                least = Some((slack, zero, upper));
            }
        }
        least.unwrap_or_else(|| (S::zero(), S::zero(), false))
    }

    /// The rate of the bound at which a tied column is held, or its perturbation.
    pub(super) fn rate_held(&self, t: &Tied<S>, part: usize) -> S {
        let end = &t.ends[usize::from(self.status[t.index] == Status::Upper)];
        end.as_ref().map_or_else(S::zero, |end| end[part].clone())
    }
}
