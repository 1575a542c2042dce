//! The ratio test: how far the law holds, and everything that happens there.

use super::Follower;
use crate::active_set::Status;
use crate::pricing::{Anchor, Certified, Drift, Queue};
use crate::scalar::Scalar;

/// A step that would bring |t| below this part of its present value is made in two, so that events near t = 0 are known to rounding of their own t.
const NEARER: f64 = 0.25;

/// At the end of a line x or z may overshoot zero by so many ε of its size, if the events just before the end are not crossed.
const BEYOND: f64 = 64.0;

/// The step to the next event.
#[derive(Debug)]
pub(super) struct Step<S> {
    /// Its length; none when nothing happens on a ray any more.
    pub length: Option<S>,
    /// Whether it ends the line.
    pub end: bool,
    /// Free indices that reach a bound, and to what in t that is known.
    pub blocked: Vec<(usize, Status, S)>,
    /// Indices at a bound whose z reaches zero.
    /// With what is left of z at its end.
    pub hits: Vec<(usize, S)>,
    /// The least interval of t to which one of these events is known, none without any.
    pub known_to: Option<S>,
    /// Below this length a step has none.
    negligible: S,
}

impl<S: Scalar> Step<S> {
    fn without_events(length: Option<S>, end: bool, negligible: S) -> Self {
        Step { length, end, blocked: Vec::new(), hits: Vec::new(), known_to: None, negligible }
    }

    pub fn is_zero(&self) -> bool {
        self.length.as_ref().is_some_and(|l| *l <= self.negligible)
    }
}

/// The lesser of two where both are known.
pub(super) fn least<S: Scalar>(a: Option<S>, b: Option<S>) -> Option<S> {
    match (a, b) {
        (Some(a), Some(b)) => Some(S::smaller(a, b)),
        (a, b) => a.or(b),
    }
}

/// An event `after` so much of t: a quantity that falls to zero at `speed`.
struct Candidate<S> {
    after: S,
    speed: S,
    index: usize,
    /// The bound a free index reaches; none for a z.
    side: Option<Status>,
    /// The error of `after`, in t.
    blur: S,
}

impl<'a, S: Scalar> Follower<'a, S> {
    /// The nearest event and all that are tied with it.
    pub(super) fn ratio_test(&mut self) -> Step<S> {
        let limit =
            self.line.end.as_ref().map(|end| S::larger(end.clone() - &self.law.at.t - &self.law.at.off, S::zero()));
        self.update_arc_speed();
        if let Some(queue) = self.pricer.queue() {
            queue.begin();
        }
        let mut candidates = Candidates { list: Vec::with_capacity(256), nearest: None, latest: None };
        self.free_candidates(&mut candidates);
        self.pricer.wrong_sign = None;
        self.bound_candidates(&mut candidates, &limit);
        let (mut nearest, mut closes) = (candidates.nearest.clone(), None);
        if self.law.floating {
            let cap = match (&nearest, &limit) {
                (Some(a), Some(b)) => Some(S::smaller(a.clone(), b.clone())),
                (a, b) => a.clone().or(b.clone()),
            };
            closes = self.float(cap);
            nearest = closes.clone().or(nearest);
            self.update_arc_speed();
        }
        let Some(nearest) = nearest else {
            let end = limit.is_some();
            return Step::without_events(limit, end, S::zero());
        };
        let within = limit.clone().map_or(nearest.clone(), |l| S::smaller(l, nearest.clone()));
        let negligible = S::tolerance(self.settings.tie) * self.size_of_t(within);
        let (length, latest) = match &candidates.latest {
            Some(latest) if !self.law.floating => (candidates.common(latest), latest.clone()),
            _ => (nearest.clone(), candidates.known_to(&nearest, &negligible)),
        };
        let is_end = |rest: &S| length >= *rest || (closes.is_none() && self.is_end(&candidates.list, rest, &length));
        if let Some(rest) = limit.filter(is_end) {
            return Step::without_events(Some(rest), true, negligible);
        }
        if let Some(part) = self.part_of_the_way(&length) {
            return Step::without_events(Some(part), false, negligible);
        }
        let (mut blocked, mut hits, mut known_to) = (Vec::new(), Vec::new(), None);
        for c in candidates.list {
            if c.after <= latest || c.after.clone() - &c.blur <= length || self.is_zero_at(&c, &length) {
                known_to = least(known_to, Some(c.blur.clone()));
                match c.side {
                    Some(side) => blocked.push((c.index, side, c.blur)),
                    None => hits.push((c.index, (c.after - &length) * c.speed)),
                }
            }
        }
        if self.law.floating {
            hits.extend(self.closed_by(&length));
        }
        // In order of index, so that the active set does not depend on the order of pricing.
        hits.sort_by_key(|h| h.0);
        Step { length: Some(length), end: false, blocked, hits, known_to, negligible }
    }

    /// Whether what falls to zero a little later than the step counts as zero at its end.
    fn is_zero_at(&self, c: &Candidate<S>, length: &S) -> bool {
        c.side.is_none() && (c.after.clone() - length) * &c.speed <= self.zero(c.index)
    }

    /// The larger of |t| here and |t| after a step: both positions, and the step between them, are known to rounding of that.
    fn size_of_t(&self, further: S) -> S {
        S::larger(self.law.at.t.abs(), (self.law.at.t.clone() + further).abs())
    }

    /// If a step brings t much closer to zero, the event at its end is known only to rounding of the |t| at its beginning. Such a step is made in two: the
    /// first one ends at twice the event's distance from t = 0, and there the law and the event are computed again.
    fn part_of_the_way(&self, length: &S) -> Option<S> {
        let event = (self.law.at.t.clone() + length).abs();
        let nearer = !S::EXACT && !event.is_zero() && event < self.law.at.t.abs() * S::from_f64(NEARER)?;
        nearer.then(|| length.clone() - event)
    }

    /// Whether all events just before the end of the line can be left uncrossed, because x and z overshoot zero there by rounding only. The overshoot is
    /// compared with rounding at the smaller |t| of here and the end, less the excess of the rounding here. An event at the end or beyond it overshoots
    /// nothing.
    fn is_end(&self, candidates: &[Candidate<S>], rest: &S, nearest: &S) -> bool {
        let end = self.line.end.clone().unwrap_or_else(S::zero);
        let largest = S::larger(self.line.begin.abs(), end.abs());
        let finest = if end.abs() < self.law.at.t.abs() { &end } else { &self.law.at.t };
        let harmless = |c: &Candidate<S>| {
            let overshoot = (rest.clone() - &c.after) * &c.speed;
            let allowed = match c.side {
                Some(_) => self.bound_scale() * S::tolerance(BEYOND),
                None => {
                    let (here, there) = (self.size(c.index), self.size_at(c.index, finest));
                    (there.clone() - (here - there)) * S::tolerance(BEYOND)
                }
            };
            overshoot <= S::larger(allowed, S::zero())
        };
        let near = rest.clone() - nearest <= largest * S::tolerance(self.settings.end);
        near && candidates.iter().all(harmless)
    }

    /// x_F against its bounds.
    fn free_candidates(&self, candidates: &mut Candidates<S>) {
        let (bounds, x_size, noise) = (&self.line.bounds, self.kkt.x_size(), self.endless_noises());
        for (k, &index) in self.kkt.free().iter().enumerate() {
            let (x, dx) = (&self.law.x[k], &self.law.dx[k]);
            for (side, bound) in [(Status::Lower, &bounds.lower[index]), (Status::Upper, &bounds.upper[index])] {
                let Some(bound) = bound else { continue };
                let (at, slope) = (self.law.at.affine(bound), &bound[1]);
                let (gap, speed) = match side {
                    Status::Lower => (x.clone() - at, slope.clone() - dx),
                    _ => (at - x, dx.clone() - slope),
                };
                let noise =
                    (dx.abs() + slope.abs()) * S::tolerance(self.settings.tie) + self.endless_noise(index, &noise);
                if speed > noise {
                    let after = S::larger(gap, S::zero()) / &speed;
                    let size = bound[0].abs() + (slope.clone() * &self.law.at.t).abs() + x.abs() + &x_size;
                    let blur = size * S::tolerance(self.settings.tie) / &speed;
                    candidates.push(Candidate { after, speed, index, side: Some(side), blur });
                }
            }
        }
    }

    /// On a ray even a rate that is nothing but rounding eventually reaches a bound. As Hx′ = Aᵀy′ − c′ on F, a rate counts as zero if Hᵢᵢxᵢ′ is no more than
    /// the residual that these equations may have. Where Hᵢᵢ = 0 the rate of xᵢ is determined by the row, and the second of `noises` is the error of the other
    /// terms of Ax′. In either case the error to which the rates of x_F were solved is added. Zero on a line with an end.
    fn endless_noise(&self, i: usize, [of_rates, in_row]: &[S; 2]) -> S {
        let (h, a) = (self.line.hessian.diagonal(i), self.line.a(i));
        if self.line.end.is_some() || S::EXACT {
            return S::zero();
        }
        if h <= S::zero() {
            let through_row = if a.is_zero() { S::zero() } else { in_row.clone() / a.abs() };
            return through_row + of_rates;
        }
        let terms = self.line.c1[i].abs() + (a * &self.law.dy).abs();
        terms * S::tolerance(self.settings.refactor) / h + of_rates
    }

    /// The error of the rates of x_F, and the largest such error of Aᵢxᵢ′ among the free indices.
    fn endless_noises(&self) -> [S; 2] {
        if self.line.end.is_some() || S::EXACT {
            return [S::zero(), S::zero()];
        }
        let mut noises = [self.kkt.rate_noise(), S::zero()];
        if self.line.has_row() {
            let of = |&i: &usize| self.line.a(i).abs() * self.endless_noise(i, &noises);
            noises[1] = self.kkt.free().iter().map(of).fold(S::zero(), S::larger);
        }
        noises
    }

    /// z against zero, for the indices that may come to it.
    fn bound_candidates(&mut self, candidates: &mut Candidates<S>, limit: &Option<S>) {
        match self.pricer.certified.take() {
            Some(Certified::Arc(mut queue, mut trial)) if !self.law.floating => {
                let priced = self.due_bound_candidates(candidates, limit, &mut queue);
                let fails = trial.fails(priced, self.line.n());
                self.pricer.certified = Some(Certified::Arc(queue, trial));
                if fails {
                    self.begin_anchor();
                }
            }
            Some(Certified::Anchored(mut anchor)) => {
                self.anchored_candidates(candidates, limit, &mut anchor);
                self.pricer.certified = Some(Certified::Anchored(anchor));
            }
            certified => {
                self.pricer.certified = certified;
                self.all_bound_candidates(candidates);
            }
        }
    }

    /// z against zero for every index at a bound that is not tied.
    fn all_bound_candidates(&mut self, candidates: &mut Candidates<S>) {
        self.price_everything();
        for i in 0..self.line.n() {
            if self.active.is_watched(i)
                && let Some((distance, closing)) = self.bound_candidate(candidates, i)
                && let Some(queue) = self.pricer.queue()
            {
                queue.priced(i, distance, closing);
            }
        }
    }

    /// How far ahead the due of an index may lie for it to be priced: as far as the nearest event found so far.
    fn horizon(&self, candidates: &Candidates<S>, limit: &Option<S>) -> f64 {
        let or_endless = |length: &Option<S>| length.as_ref().and_then(S::to_f64).unwrap_or(f64::INFINITY);
        let (step, t) = (or_endless(&candidates.latest).min(or_endless(limit)), self.law.at.t.to_f64().unwrap_or(0.0));
        step + self.settings.tie * f64::EPSILON * t.abs().max((t + step).abs())
    }

    /// The same for the indices that certified pricing cannot exclude before the nearest event found so far. Returns how many were priced.
    fn due_bound_candidates(&mut self, candidates: &mut Candidates<S>, limit: &Option<S>, queue: &mut Queue) -> u64 {
        let mut priced = 0;
        loop {
            let horizon = self.horizon(candidates, limit);
            let ahead = if self.pricer.arc_speed > 0.0 { self.pricer.arc_speed * horizon } else { 0.0 };
            let Some(i) = queue.take(ahead) else { break };
            if self.active.is_watched(i)
                && let Some((distance, closing)) = self.bound_candidate(candidates, i)
            {
                queue.priced(i, distance, closing);
                priced += 1;
            }
        }
        self.recorder.stats.priced += priced;
        priced
    }

    /// The same for the indices that the bound about the anchor cannot exclude.
    fn anchored_candidates(&mut self, candidates: &mut Candidates<S>, limit: &Option<S>, anchor: &mut Anchor) {
        let is_new = anchor.is_stale();
        if is_new {
            self.price_everything();
            self.put_anchor(anchor);
        }
        let Some(drift) = self.drift(anchor) else { return self.all_bound_candidates(candidates) };
        let dues = anchor.dues(&drift);
        let watched = dues.iter().enumerate().filter(|(i, _)| self.active.is_watched(*i));
        let first = watched.min_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i);
        if let Some(i) = first {
            self.bound_candidate(candidates, i);
        }
        let horizon = self.horizon(candidates, limit);
        let is_due = |(i, due): &(usize, &f64)| **due <= horizon && self.active.is_watched(*i) && first != Some(*i);
        let mut due: Vec<(f64, usize)> = dues.iter().enumerate().filter(is_due).map(|(i, due)| (*due, i)).collect();
        due.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut priced = u64::from(first.is_some());
        for (due, i) in due {
            if due > self.horizon(candidates, limit) {
                break;
            }
            self.bound_candidate(candidates, i);
            priced += 1;
        }
        // On the anchor's own law all have been.
        let priced = if is_new { 0 } else { priced };
        self.recorder.stats.priced += priced;
        anchor.paid(priced);
    }

    /// The present law, of which everything has been priced, becomes the anchor.
    fn put_anchor(&mut self, anchor: &mut Anchor) {
        let Some(fits) = self.kkt.fits() else { return };
        let number = |v: &S| v.to_f64().unwrap_or(f64::NAN);
        let fits = fits.map(|w| w.iter().map(number).collect());
        anchor.put([&self.law.at.t, &self.law.at.off].map(number), fits, |i| {
            let sign = S::integer(self.active.status[i].sign());
            let (z, dz) = (self.z(i) * &sign, self.dz(i) * sign);
            let zero = self.zero(i);
            (number(&(z - &zero - zero)), number(&(self.zero_rate(i) - dz)))
        });
    }

    fn drift(&self, anchor: &Anchor) -> Option<Drift> {
        let number = |v: &S| v.to_f64().unwrap_or(f64::NAN);
        let [fit, rate] = self.kkt.fits()?.map(|w| w.iter().map(number).collect::<Vec<f64>>());
        let at = [&self.law.at.t, &self.law.at.off].map(number);
        Some(anchor.drift(at, [&fit, &rate], |v| self.kkt.fit_length(v)))
    }

    /// Prices index i: when its z reaches zero, and whether it has the right sign now. Returns how far z is from where it
    /// counts as zero, and at most how fast that shrinks.
    fn bound_candidate(&mut self, candidates: &mut Candidates<S>, i: usize) -> Option<(f64, f64)> {
        if self.law.floating && !self.line.a(i).is_zero() {
            return None;
        }
        let sign = S::integer(self.active.status[i].sign());
        let (q, dq) = self.q(i);
        let z = (q - self.line.a(i) * &self.law.y) * &sign;
        let speed = -((dq - self.line.a(i) * &self.law.dy) * sign);
        if z < S::zero() {
            let allowed = self.allowed(i, self.settings.audit);
            if -z.clone() > allowed {
                self.pricer.wrong_sign = Some((i, -z.clone(), allowed));
            }
        }
        let (size, noise) = (self.size(i), self.zero_rate(i));
        if speed > S::zero() && speed > noise {
            let after = S::larger(z.clone(), S::zero()) / &speed;
            let blur = size.clone() * S::tolerance(self.settings.tie) / &speed;
            candidates.push(Candidate { after, speed: speed.clone(), index: i, side: None, blur });
        }
        if S::EXACT {
            return None;
        }
        let zero = size * S::tolerance(self.settings.zero) + self.kkt.unknown(i);
        Some(((z - &zero - zero).to_f64()?, (speed + noise).to_f64()?))
    }
}

/// All events found, how far away the nearest is, and to where none of them is passed by more than rounding.
struct Candidates<S> {
    list: Vec<Candidate<S>>,
    nearest: Option<S>,
    latest: Option<S>,
}

impl<S: Scalar> Candidates<S> {
    fn push(&mut self, candidate: Candidate<S>) {
        if self.nearest.as_ref().is_none_or(|n| candidate.after < *n) {
            self.nearest = Some(candidate.after.clone());
        }
        let until = candidate.after.clone() + &candidate.blur;
        if self.latest.as_ref().is_none_or(|l| until < *l) {
            self.latest = Some(until);
        }
        self.list.push(candidate);
    }

    /// Where y is an interval that closes at `nearest`, or an x reaches a bound there: to where that is known, at least to `least`.
    fn known_to(&self, nearest: &S, least: &S) -> S {
        let own = self.list.iter().find(|c| c.after == *nearest).map_or_else(S::zero, |c| c.blur.clone());
        nearest.clone() + S::larger(own, least.clone())
    }

    /// Where the next event is. Every event is known to an interval of t about it; `latest` is the end of the interval that ends first, and the event is the
    /// nearest one from the beginning of that interval on (Harris 1973 chooses the step of the simplex method by such intervals). One that is hardly known, as a
    /// z that is zero and has a rate of rounding, so waits for the next one.
    fn common(&self, latest: &S) -> S {
        let first_to_end = self.list.iter().filter(|c| c.after.clone() + &c.blur <= *latest);
        let begin = first_to_end.map(|c| c.after.clone() - &c.blur).fold(S::zero(), S::larger);
        let from_there = self.list.iter().map(|c| &c.after).filter(|after| **after >= begin);
        from_there.fold(latest.clone(), |nearest, after| S::smaller(nearest, after.clone()))
    }
}
