//! The state on a path with rows, and the loop from event to event.

use super::basis::{Basis, Singular};
use super::law::{Given, Half, Sizes};
use super::pricer::Dues;
use super::ratio::Ahead;
use super::system::{Data, System};
use crate::active_set::{Status, key};
use crate::error::PathError;
use crate::kkt::{Part, Place, Sums};
use crate::problem::known;
use crate::record::Proof;
use crate::record::Stop;
use crate::scalar::Scalar;
use crate::settings::{FIT_COLUMNS, ROUNDING, Settings};
use crate::stats::Stats;
use std::collections::HashSet;
use std::sync::Arc;

/// A path on columns and rows as [`System`] has them.
#[derive(Clone)]
pub(crate) struct RowFollower<S> {
    pub(super) system: Arc<System<S>>,
    pub(super) data: Data<S>,
    pub(super) settings: Settings,
    /// The status of every column; `Free` means "in the basis".
    pub(super) status: Vec<Status>,
    /// Columns without events: those with l = u on the whole line, and those without bounds that are parked at zero.
    pub(super) fixed: Vec<bool>,
    pub(super) basis: Basis<S>,
    /// What the variables at bounds contribute to the rows, features and Hx.
    pub(super) sums: Sums<S>,
    /// Of x and of z: [`units`].
    pub(super) units: [S; 2],
    /// The largest |entry| of every column of (A; Zᵀ).
    pub(super) widest: Vec<S>,
    pub(super) at: Place<S>,
    /// Value and rate on the law ahead.
    pub(super) value: Half<S>,
    pub(super) rate: Half<S>,
    /// Whether value and rate are out of date: of another basis or, for the value, of another t.
    pub(super) stale: [bool; 2],
    pub(super) z: [Vec<S>; 2],
    /// For z near zero: what counts as zero in it at t, and in its rate; and the error of z.
    pub(super) z_zero: [Vec<S>; 2],
    pub(super) z_rounding: Vec<S>,
    /// The columns at bounds whose z has been computed on this law, and whether a column is one of them; those for which it always is; and the dues of the
    /// others.
    pub(super) near: Vec<usize>,
    pub(super) is_near: Vec<bool>,
    pub(super) always: Vec<usize>,
    pub(super) dues: Option<Dues<S>>,
    pub(super) has_dues: bool,
    /// The largest entries of η and their terms, and of its rate.
    pub(super) most_of_law: [S; 2],
    /// Columns whose costs or bounds move.
    pub(super) movers: Vec<usize>,
    /// Tied at t, with rates that stay; in their order.
    pub(super) resting: Vec<usize>,
    pub(super) stats: Stats,
    /// Columns with a status that has changed since the last segment, and what it was then.
    pub(super) changed: Vec<(usize, Status)>,
    /// Columns whose status has changed since the last record.
    pub(super) touched: Vec<usize>,
    pub(super) proof: Option<Proof<S>>,
    /// Seeds the perturbations of crossings, one after the other.
    pub(super) crossings: u64,
    pub(super) seen: HashSet<u64>,
    pub(super) fingerprint: u64,
}

impl<S: Scalar> RowFollower<S> {
    /// With all slacks in the basis and every variable at a bound (or parked at zero).
    pub(super) fn new(system: Arc<System<S>>, data: Data<S>, status: Vec<Status>, settings: &Settings) -> Self {
        let columns = system.columns();
        let fixed = (0..columns).map(|j| data.is_fixed(j)).collect();
        let mut sums = system.no_sums();
        for j in (0..system.n).filter(|&j| status[j] != Status::Free) {
            if let Some(bound) = data.bound(j, status[j] == Status::Upper) {
                system.add_to_sums(j, bound, &mut sums);
            }
        }
        let widest = |j: usize| {
            let mut most = S::zero();
            system.for_column(j, |_, v| most = S::larger(most.clone(), v.abs()));
            most
        };
        let widest = if S::EXACT { Vec::new() } else { (0..system.n).map(widest).collect() };
        let fingerprint = fingerprint(&status);
        RowFollower {
            basis: Basis::new(&system, settings),
            at: Place::exactly(data.begin.clone()),
            value: Half::nothing(),
            rate: Half::nothing(),
            stale: [true; 2],
            z: [vec![S::zero(); columns], vec![S::zero(); columns]],
            z_zero: [vec![S::zero(); columns], vec![S::zero(); columns]],
            z_rounding: vec![S::zero(); columns],
            near: Vec::new(),
            is_near: vec![false; columns],
            always: RowFollower::always(&system, |j| data.bounds_move(j)),
            dues: None,
            has_dues: false,
            most_of_law: [S::zero(), S::zero()],
            movers: (0..columns).filter(|&j| !data.c[j][1].is_zero() || data.bounds_move(j)).collect(),
            resting: Vec::new(),
            touched: Vec::new(),
            stats: Stats::default(),
            changed: Vec::new(),
            proof: None,
            // The wider scalar is asked where this one has failed: by other pivots.
            crossings: if S::WIDEST && !S::EXACT { 1 << 20 } else { 0 },
            seen: HashSet::new(),
            fingerprint,
            units: units(&system, &data),
            settings: settings.clone(),
            system,
            data,
            status,
            fixed,
            sums,
            widest,
        }
    }

    /// The same basis on other data, at their beginning.
    pub(super) fn on(self, data: Data<S>, parked: &[usize]) -> Self {
        let mut next = RowFollower::new(self.system, data, self.status, &self.settings);
        for &j in parked {
            next.fixed[j] = true;
        }
        (next.basis, next.stats, next.crossings) = (self.basis, self.stats, self.crossings);
        next
    }

    #[inline]
    pub(super) fn is_basic(&self, j: usize) -> bool {
        self.status[j] == Status::Free
    }

    /// The law of the bound at which column j is held; zero for one that is parked.
    pub(super) fn held(&self, j: usize) -> [S; 2] {
        let bound = self.data.bound(j, self.status[j] == Status::Upper);
        bound.cloned().unwrap_or_else(|| [S::zero(), S::zero()])
    }

    /// Moves a column to a bound, or into the basis (the basis itself is another matter).
    pub(super) fn set_status(&mut self, j: usize, to: Status) {
        let from = self.status[j];
        if from == to {
            return;
        }
        if !self.changed.iter().any(|c| c.0 == j) {
            self.changed.push((j, from));
        }
        if from != Status::Free {
            let [v, s] = self.held(j);
            self.system.add_to_sums(j, &[-v, -s], &mut self.sums);
            if self.value.is_solved() {
                let part = Part::Value(self.at.clone());
                self.value.x.enter(j, self.data.bound_in_two(j, from == Status::Upper, &part));
            }
        }
        self.touched.push(j);
        self.fingerprint ^= code(j, from) ^ code(j, to);
        self.status[j] = to;
        self.stale = [true; 2];
        if to != Status::Free {
            let held = self.held(j);
            self.system.add_to_sums(j, &held, &mut self.sums);
            self.due_now(j);
        }
    }

    /// A number for the statuses of all columns.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Value or rate of the basis.
    pub(super) fn half(&mut self, part: &Part<S>) -> Result<Half<S>, Singular> {
        let (status, data) = (&self.status, &self.data);
        let held = |j: usize| data.bound_in_two(j, status[j] == Status::Upper, part);
        let cost = |j: usize| data.cost_in_two(j, part);
        let size = |[v, s]: &[S; 2]| match part {
            Part::Rate => s.abs(),
            Part::Value(at) => v.abs() + (s.clone() * &at.t).abs(),
        };
        let [of_x, of_z] = match part {
            Part::Rate => self.units.each_ref().map(|unit| unit.clone() / self.length()),
            Part::Value(_) => self.units.clone(),
        };
        let held_size = |j: usize| known(data.bound(j, status[j] == Status::Upper).map_or_else(S::zero, size), &of_x);
        let sums_size =
            if S::EXACT { Vec::new() } else { (0..self.sums.len()).map(|i| self.sums.size(i, part)).collect() };
        let given = Given {
            held: &held,
            cost: &cost,
            held_size: &held_size,
            cost_size: &|j| known(size(&data.c[j]), &of_z),
            sums: self.sums.all_in_two(part),
            sums_size,
            guess: None,
        };
        let guess = matches!(part, Part::Value(_)) && self.value.is_solved();
        let guess = guess.then_some(&self.value);
        let given = Given { guess, ..given };
        Half::solve(&self.system, &mut self.basis, &|j| status[j] == Status::Free, given)
    }

    /// The rate of the basis, where that is not the one of before.
    pub(super) fn solve_rate(&mut self) -> Result<(), PathError> {
        if std::mem::replace(&mut self.stale[1], false) {
            self.rate = self.half(&Part::Rate).map_err(|Singular| self.inaccurate(0, S::zero(), S::zero()))?;
        }
        Ok(())
    }

    /// The law ahead: x, η and every z, value at t and rate.
    pub(super) fn direction(&mut self) -> Result<(), PathError> {
        if !self.stale.contains(&true) {
            return Ok(());
        }
        self.put_back();
        if std::mem::replace(&mut self.stale[0], false) {
            let value = self.half(&Part::Value(self.at.clone()));
            self.value = value.map_err(|Singular| self.inaccurate(0, S::zero(), S::zero()))?;
            self.arrive();
        }
        self.solve_rate()?;
        self.stats.max_free = self.stats.max_free.max(self.free());
        if !S::EXACT {
            self.most_of_law = self.most();
        }
        self.price();
        Ok(())
    }

    /// How many variables are in the basis.
    pub(super) fn free(&self) -> usize {
        self.basis.keys.iter().filter(|&&key| key < self.system.n).count()
    }

    /// The largest entries of η and their terms, and of its rate; what is not known of one counts as a rounding of it.
    pub(super) fn most(&self) -> [S; 2] {
        [&self.value, &self.rate].map(|half| half.eta.sizes.iter().fold(S::zero(), |most, size| most + size.crude()))
    }

    /// More than all terms of zⱼ and of its rate.
    pub(super) fn crude(&self, j: usize, most: &[S; 2]) -> [S; 2] {
        let [v, s] = &self.data.c[j];
        let costs = [v.abs() + (s.clone() * &self.at.t).abs(), s.abs()];
        let widest = if j < self.system.n { self.widest[j].clone() } else { S::one() };
        let all = |part: usize, half: &Half<S>| {
            let of_h = if j < self.system.n { half.spread_at(&self.system, j) } else { S::zero() };
            costs[part].clone() + widest.clone() * &most[part] + of_h
        };
        [all(0, &self.value), all(1, &self.rate)]
    }

    /// zⱼ and what counts as zero in it, and its rate. The sizes of all terms are looked at only where the largest possible ones make a difference.
    pub(super) fn judge(&mut self, j: usize, most: &[S; 2]) {
        let crude = self.crude(j, most);
        self.z_rounding[j] = S::zero();
        for (part, multiple) in [self.settings.zero, self.settings.zero_rate].into_iter().enumerate() {
            let all = Sizes { solved_from: crude[part].clone(), ..Sizes::zero().with(crude[part].clone()) };
            if self.z[part][j].abs() > all.allowance(multiple) {
                self.z_zero[part][j] = S::zero();
                continue;
            }
            let ((high, low), sizes) = self.z_finely(j, part);
            self.z[part][j] = high + low;
            let zero = if part == 0 { self.allowance(&sizes, 1) } else { self.rate_allowance(&sizes, 1) };
            if part == 0 {
                self.z_rounding[j] = sizes.rounding();
            } else if self.z[1][j].abs() <= zero {
                self.z[1][j] = S::zero();
            }
            self.z_zero[part][j] = zero;
        }
    }

    /// zⱼ at t or its rate as a sum of two numbers, with the sizes of its terms.
    pub(super) fn z_finely(&self, j: usize, part: usize) -> ((S, S), Sizes<S>) {
        let [v, s] = &self.data.c[j];
        let drift = (s.clone() * &self.at.t).abs();
        let (half, part, costs) = match part {
            0 => (&self.value, Part::Value(self.at.clone()), v.abs() + drift),
            _ => (&self.rate, Part::Rate, s.abs()),
        };
        let (z, sizes) = half.z_finely(&self.system, j, self.data.cost_in_two(j, &part));
        (z, if S::EXACT { sizes } else { sizes.with(costs) })
    }

    /// The sizes of the terms of the distance of xⱼ from a bound at t.
    pub(super) fn x_sizes(&self, j: usize, bound: &[S; 2]) -> Sizes<S> {
        if S::EXACT {
            return Sizes::zero();
        }
        let t = &self.at.t;
        let moved = (self.rate.x.high(j).clone() * t).abs() + (bound[1].clone() * t).abs();
        let mut sizes = self.value.x.sizes(j).clone().with(bound[0].abs() + moved);
        sizes.solved_from += (self.rate.x.sizes(j).solved_from.clone() * t).abs();
        sizes
    }

    /// What counts as zero in the difference of the rate of xⱼ and that of a bound.
    pub(super) fn x_rate_zero(&self, j: usize, slope: &S) -> S {
        self.rate_allowance(&self.rate.x.sizes(j).clone().with(slope.abs()), 0)
    }

    /// The distance of xⱼ from a bound at t, positive inside, and how fast it grows; as sums of two numbers.
    pub(super) fn room(&self, j: usize, upper: bool, bound: &[S; 2]) -> [(S, S); 2] {
        let (one, at) = (S::one(), &self.at);
        let value = self.value.x.minus(j, &[(&one, &bound[0]), (&bound[1], &at.t), (&bound[1], &at.off)]);
        let rate = self.rate.x.minus(j, &[(&one, &bound[1])]);
        [value, rate].map(|(high, low)| if upper { (-high, -low) } else { (high, low) })
    }

    /// The sign that zⱼ has at its bound.
    pub(super) fn sign(&self, j: usize) -> S {
        S::integer(self.status[j].sign())
    }

    /// x of the basis within its bounds and every z with its sign, up to `Settings::audit`; the worst column if not.
    pub(super) fn audit(&self) -> Option<(usize, S, S)> {
        if S::EXACT {
            return self.exactly_wrong();
        }
        let times = S::tolerance(self.settings.audit / self.settings.zero) / S::tolerance(1.0);
        let wider = |sizes: &Sizes<S>, part: usize| self.allowance(sizes, part) * &times;
        for j in self.looked_at(&[]) {
            if self.is_basic(j) {
                if !self.value.x.high(j).is_finite_number() || !self.rate.x.high(j).is_finite_number() {
                    return Some((j, self.value.x.high(j).clone(), S::zero()));
                }
                for upper in [false, true] {
                    let Some(bound) = self.data.bound(j, upper) else { continue };
                    let [(high, low), _] = self.room(j, upper, bound);
                    let off = -(high + low);
                    if off <= S::zero() {
                        continue;
                    }
                    let allowed = wider(&self.x_sizes(j, bound), 0);
                    if off > allowed {
                        return Some((j, off, allowed));
                    }
                }
            } else if !self.fixed[j] {
                let off = -(self.z[0][j].clone() * self.sign(j));
                if off <= S::zero() {
                    continue;
                }
                let allowed = wider(&self.z_finely(j, 0).1, 1);
                if off > allowed || !off.is_finite_number() {
                    return Some((j, off, allowed));
                }
            }
        }
        None
    }

    /// The effect of the rounding of the data on x or its distance from a bound (0), or on z (1).
    pub(super) fn allowance(&self, sizes: &Sizes<S>, part: usize) -> S {
        sizes.allowance(self.settings.zero) + self.units[part].clone() * S::tolerance(ROUNDING)
    }

    /// The same for their rates: the law is wrong by no more at the end of the line.
    pub(super) fn rate_allowance(&self, sizes: &Sizes<S>, part: usize) -> S {
        sizes.allowance(self.settings.zero_rate) + self.units[part].clone() * S::tolerance(ROUNDING) / self.length()
    }

    /// Of the line; one of a ray.
    fn length(&self) -> S {
        let length = self.data.end.as_ref().map(|end| (end.clone() - &self.data.begin).abs());
        length.filter(|length| !length.is_zero()).unwrap_or_else(S::one)
    }

    /// Whether what is left of the line is rounding of its length.
    pub(super) fn is_at_end(&self) -> bool {
        let Some(end) = self.data.end.as_ref().filter(|_| !S::EXACT) else { return false };
        end.clone() - &self.at.t <= self.length() * S::tolerance(self.settings.tie)
    }

    fn exactly_wrong(&self) -> Option<(usize, S, S)> {
        let wrong = |j: usize| {
            if self.is_basic(j) {
                let below = self.data.bound_at(j, false, &self.at).is_some_and(|l| *self.value.x.high(j) < l);
                below || self.data.bound_at(j, true, &self.at).is_some_and(|u| *self.value.x.high(j) > u)
            } else {
                !self.fixed[j] && self.z[0][j].clone() * self.sign(j) < S::zero()
            }
        };
        (0..self.system.columns()).find(|&j| wrong(j)).map(|j| (j, self.value.x.high(j).clone(), S::zero()))
    }

    pub(super) fn inaccurate(&self, index: usize, violation: S, allowed: S) -> PathError {
        PathError::Inaccurate {
            t: self.at.t.to_string(),
            index,
            violation: violation.to_string(),
            allowed: allowed.to_string(),
        }
    }

    pub(super) fn cycling(&self) -> PathError {
        PathError::Cycle { t: self.at.t.to_string(), free: self.free(), tied: self.stats.max_tied }
    }

    /// The law ahead, checked, and how far it holds.
    pub(super) fn law(&mut self) -> Result<Ahead<S>, PathError> {
        self.direction()?;
        if self.audit().is_some() {
            self.stats.refactors.audit += 1;
            self.stale = [true; 2];
            self.basis.refactor().map_err(|Singular| self.inaccurate(0, S::zero(), S::zero()))?;
            self.direction()?;
            if let Some((index, violation, allowed)) = self.audit() {
                return Err(self.inaccurate(index, violation, allowed));
            }
        }
        Ok(self.ratio_test())
    }

    /// Moves to the end of the law, and crosses what is there. The reason if the path ends.
    pub(super) fn advance(&mut self, ahead: &Ahead<S>) -> Result<Option<Stop<S>>, PathError> {
        let Some(length) = &ahead.length else { return Ok(Some(self.end_of_ray())) };
        if ahead.end {
            self.at = Place::exactly(self.data.end.clone().unwrap_or_else(|| self.at.t.clone()));
            self.stale[0] = true;
            return Ok(Some(Stop::Target));
        }
        let scale = S::larger(self.at.t.abs(), length.clone());
        self.at = self.at.moved(length).moved(&ahead.rest);
        self.value.follow(&self.rate, (length, &ahead.rest));
        self.stale[0] = true;
        if *length > scale * S::tolerance(self.settings.tie) {
            self.seen.clear();
        }
        self.changed.clear();
        let stop = self.cross(&ahead.hits)?;
        let from: Vec<(usize, Status)> = std::mem::take(&mut self.changed);
        self.changed = from.into_iter().filter(|(j, from)| self.status[*j] != *from).collect();
        self.stats.events += usize::from(!self.changed.is_empty());
        // A crossing may leave the basis as it is, and what was hit at rest: not twice.
        let met = ahead.hits.iter().fold(self.fingerprint, |f, &j| f ^ key(j, 3));
        if stop.is_none() && !self.seen.insert(met) && !ahead.hits.is_empty() {
            return Err(self.cycling());
        }
        Ok(stop)
    }

    /// Zᵀx at t and its rate, where it is a part of the system.
    pub(super) fn fits(&self) -> Option<[Vec<S>; 2]> {
        let over_scale = -self.system.features().next().map(|f| self.system.diagonal(f))?;
        let (m, d) = (self.system.m, self.system.d);
        let fit = |half: &Half<S>| half.eta.high[m..].iter().map(|e| e.clone() * &over_scale).collect::<Vec<S>>();
        (d <= FIT_COLUMNS).then(|| [fit(&self.value), fit(&self.rate)])
    }

    /// No event lies ahead: does x have a limit?
    fn end_of_ray(&self) -> Stop<S> {
        let behind = self.at.t.clone() - &self.data.begin;
        let ahead = if behind.is_zero() { S::one() } else { behind };
        let moves = |j: usize| {
            let (size, rate) = match self.is_basic(j) {
                true => {
                    let sizes = self.value.x.sizes(j);
                    (sizes.own.clone() + &sizes.solved_from, self.rate.x.high(j).clone())
                }
                false => (self.at.affine(&self.held(j)).abs(), self.held(j)[1].clone()),
            };
            rate.abs() * &ahead > size * S::tolerance(self.settings.audit)
        };
        if (0..self.system.n).any(moves) { Stop::Diverges { t: self.at.t.clone() } } else { Stop::Target }
    }
}

/// [`Data::units`]; if there are no costs, the unit of z is what H makes of the unit of x, at most one.
fn units<S: Scalar>(system: &System<S>, data: &Data<S>) -> [S; 2] {
    let [of_x, of_z] = data.units();
    if !of_z.is_zero() {
        return [of_x, of_z];
    }
    let most = system.roots.iter().fold(S::zero(), |m, root| S::larger(m, root.clone() * root));
    let of_z = S::smaller(most * &of_x, S::one());
    [of_x, of_z]
}

/// A number for the statuses of all columns.
pub(super) fn fingerprint(status: &[Status]) -> u64 {
    status.iter().enumerate().fold(0, |f, (j, status)| f ^ code(j, *status))
}

fn code(j: usize, status: Status) -> u64 {
    key(j, (status.sign() + 1) as u64)
}
