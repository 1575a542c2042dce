//! The ratio test: how far a law holds, and which events end it.
//!
//! The quantities that fall to zero (the distance of a basic x from its bound, or z at a bound) are known with small relative errors (modules [`super::solve`],
//! [`super::law`]), and so is the t of an event. In floating point an event is nevertheless an interval of t: the error of the quantity divided by the speed
//! with which it falls. The next event is the one whose interval ends first; all events whose intervals reach back to it are treated as one (Harris 1973,
//! doi:10.1007/BF01580108, chooses the step of the simplex method by such intervals). Events that differ by more are crossed one after the other, however close
//! they lie: t is kept as a sum of two numbers.

use super::follower::RowFollower;
use super::law::Sizes;
use crate::scalar::Scalar;

/// A sum of many products in the working precision is known to this many ε of more than all of its terms.
const CRUDE: f64 = 8.0;

/// Whether an event lies just before the end of a line is decided only when t is at most so many times as far from the end as the event.
const NEARLY: i64 = 4;

/// How far a law holds.
#[derive(Clone, Debug)]
pub(super) struct Ahead<S> {
    /// None: for ever.
    pub length: Option<S>,
    /// What rounding has left of the length.
    pub rest: S,
    /// The line ends there.
    pub end: bool,
    /// The columns that meet a bound or zero there.
    pub hits: Vec<usize>,
}

/// A column, and the bound that it meets if it is in the basis.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    upper: bool,
}

/// What falls to zero after so much of t, known to `blur` of it.
struct Candidate<S> {
    place: Place,
    after: S,
    blur: S,
    rest: S,
}

impl<S: Scalar> Candidate<S> {
    /// Of a value and the speed at which it falls, as sums of two numbers, the value known to `noise`.
    fn new(place: Place, value: &(S, S), speed: &(S, S), noise: &S) -> Self {
        let total = value.0.clone() + &value.1;
        if total <= S::zero() {
            return Candidate { place, after: S::zero(), blur: noise.clone() / &speed.0, rest: S::zero() };
        }
        let after = total / &speed.0;
        let (mut left, mut low) = value.clone();
        S::accumulate(&mut left, &mut low, &-speed.0.clone(), &after);
        low -= speed.1.clone() * &after;
        Candidate { place, blur: noise.clone() / &speed.0, rest: (left + low) / &speed.0, after }
    }

    fn until(&self) -> S {
        self.after.clone() + &self.blur
    }
}

impl<S: Scalar> RowFollower<S> {
    /// How far the law holds.
    pub(super) fn ratio_test(&mut self) -> Ahead<S> {
        let mut all = self.candidates();
        let least = |all: &[Candidate<S>]| all.iter().map(Candidate::until).reduce(S::smaller);
        if let Some(until) = least(&all) {
            // Those that may be the first, in twice the working precision.
            all.retain(|c| c.after.clone() - &c.blur <= until);
            all = all.into_iter().map(|c| self.finely(c)).collect();
        }
        let left = self.data.end.as_ref().map(|end| self.left(end));
        let none = |length: Option<S>, end: bool| Ahead { length, rest: S::zero(), end, hits: Vec::new() };
        let Some(until) = least(&all) else { return none(left.clone(), left.is_some()) };
        let first_to_end = all.iter().filter(|c| c.until() <= until);
        let begin = first_to_end.map(|c| c.after.clone() - &c.blur).fold(S::zero(), S::larger);
        let first = all.iter().filter(|c| c.after >= begin);
        let first = first.reduce(|a, b| if b.after < a.after { b } else { a });
        let (length, rest) = first.map_or((until.clone(), S::zero()), |c| (c.after.clone(), c.rest.clone()));
        if left.as_ref().is_some_and(|left| length >= *left) {
            return none(left, true);
        }
        if let Some(part) = left.and_then(|left| self.part_of_the_way(&length, &left)) {
            return none(Some(part), false);
        }
        let hits = all.iter().filter(|c| c.after <= until || c.after.clone() - &c.blur <= length);
        Ahead { rest, end: false, hits: hits.map(|c| c.place.index).collect(), length: Some(length) }
    }

    /// All that falls to zero; z in the working precision. What has not been looked at does so later than one of these, or than the line ends.
    fn candidates(&mut self) -> Vec<Candidate<S>> {
        let mut all = Vec::new();
        for index in self.looked_at(&[]) {
            if self.is_basic(index) {
                for upper in [false, true] {
                    all.extend(self.reaches(Place { index, upper }));
                }
            } else {
                all.extend(self.falls(index));
            }
        }
        let left = self.data.end.as_ref().map(|end| self.left(end));
        let until = all.iter().map(Candidate::until).chain(left).reduce(S::smaller);
        let speed = self.speed();
        if speed > 0.0 {
            self.search(speed, until, |f, j| {
                let found = f.falls(j)?;
                let until = found.until();
                all.push(found);
                Some(until)
            });
        }
        all
    }

    /// When zⱼ at a bound meets zero.
    fn falls(&self, index: usize) -> Option<Candidate<S>> {
        let sign = self.sign(index);
        let [z, dz] = [0, 1].map(|part| self.z[part][index].clone() * &sign);
        if self.fixed[index] || dz >= S::zero() || self.z_rests_at_end(index, &z, &dz) {
            return None;
        }
        let place = Place { index, upper: false };
        let mut c = Candidate::new(place, &(z, S::zero()), &(-dz.clone(), S::zero()), &S::zero());
        if !S::EXACT {
            let [z, of_rate] = self.crude(index, &self.most_of_law);
            c.blur = (z + of_rate * &c.after) * S::tolerance(CRUDE) / -dz;
        }
        Some(c)
    }

    /// The same event, in twice the working precision.
    fn finely(&self, c: Candidate<S>) -> Candidate<S> {
        let j = c.place.index;
        if S::EXACT || self.is_basic(j) {
            return c;
        }
        let [(value, sizes), (rate, _)] = [0, 1].map(|part| self.z_finely(j, part));
        let signed = |(high, low): (S, S), sign: S| (high * &sign, low * sign);
        let noise = sizes.with((rate.0.clone() * &self.at.t).abs()).rounding();
        let speed = signed(rate, -self.sign(j));
        // Zero for the working precision only.
        if speed.0 <= S::zero() {
            return c;
        }
        Candidate::new(c.place, &signed(value, self.sign(j)), &speed, &noise)
    }

    fn left(&self, end: &S) -> S {
        S::larger(end.clone() - &self.at.t - &self.at.off, S::zero())
    }

    /// When xⱼ of the basis meets a bound.
    fn reaches(&self, place: Place) -> Option<Candidate<S>> {
        let Place { index: j, upper } = place;
        let bound = self.data.bound(j, upper)?;
        let [room, grows] = self.room(j, upper, bound);
        let speed = (-grows.0, -grows.1);
        if speed.0 <= S::zero() || self.resting.binary_search(&j).is_ok() && speed.0 <= self.x_rate_zero(j, &bound[1]) {
            return None;
        }
        let sizes = self.x_sizes(j, bound);
        let noise = || self.rate.x.sizes(j).clone().with(bound[1].abs()).rounding();
        if self.rests_at_end(0, &room, &speed, &|| (self.x_sizes(j, bound), noise())) {
            return None;
        }
        Some(Candidate::new(place, &room, &speed, &sizes.rounding()))
    }

    /// How far what happens after `after` is from the end of the line, if that is near.
    fn near_end(&self, after: &S, left: &S) -> Option<S> {
        let end = self.data.end.as_ref().filter(|_| !S::EXACT)?;
        let length = S::larger(end.abs(), self.data.begin.abs());
        let near = left.clone() - after;
        (near >= S::zero() && near <= length * S::tolerance(self.settings.end)).then_some(near)
    }

    /// Whether a quantity that falls from `value` at `speed` is below zero at the end of the line by no more than its error; or, if t is about as near to the
    /// end as the event is, by no more than what counts as zero (`sizes`: of the value, and the error of the speed), since from further away the size of a
    /// moving quantity at the end is not known.
    fn rests_at_end(&self, part: usize, value: &(S, S), speed: &(S, S), sizes: &dyn Fn() -> (Sizes<S>, S)) -> bool {
        let Some(end) = self.data.end.as_ref() else { return false };
        let (mut left, mut rest) = (end.clone(), S::zero());
        for part in [&self.at.t, &self.at.off] {
            S::accumulate(&mut left, &mut rest, part, &-S::one());
        }
        let after = S::larger(value.0.clone() + &value.1, S::zero()) / &speed.0;
        let Some(near) = self.near_end(&after, &left) else { return false };
        let (mut over, mut low) = value.clone();
        S::accumulate(&mut over, &mut low, &-speed.0.clone(), &left);
        low -= speed.0.clone() * rest + speed.1.clone() * &left;
        let (sizes, noise) = sizes();
        let over = over + low;
        over >= -(sizes.rounding() + noise * &left)
            || left <= near * S::integer(NEARLY) && over >= -self.allowance(&sizes, part)
    }

    /// The same of zⱼ, which falls from about z.
    fn z_rests_at_end(&self, j: usize, z: &S, dz: &S) -> bool {
        let Some(left) = self.data.end.as_ref().map(|end| self.left(end)) else { return false };
        if self.near_end(&(S::larger(z.clone(), S::zero()) / -dz.clone()), &left).is_none() {
            return false;
        }
        let sign = self.sign(j);
        let [(value, sizes), (rate, of_rate)] = [0, 1].map(|part| self.z_finely(j, part));
        let signed = |(high, low): (S, S), sign: S| (high * &sign, low * sign);
        let speed = signed(rate, -sign.clone());
        speed.0 <= S::zero()
            || self.rests_at_end(1, &signed(value, sign), &speed, &|| (sizes.clone(), of_rate.rounding()))
    }

    /// A step to an event just before the end of the line is made in two, the first of which ends as far before the event as that lies from the end.
    fn part_of_the_way(&self, after: &S, left: &S) -> Option<S> {
        let near = self.near_end(after, left)?;
        let part = left.clone() - near.clone() * S::integer(2);
        (*left > near * S::integer(NEARLY) && part > S::zero()).then_some(part)
    }
}
