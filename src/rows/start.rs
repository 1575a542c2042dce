//! The solution at which a path with rows begins, found by following a path of its own.
//!
//! From any x̂ in the box, with every slack in the basis (s = A x̂, whether within the bounds of the rows or not), the columns that lie strictly inside their
//! boxes or have no bounds are first brought into the basis (module [`super::crossover`]). Then x̂ is optimal for other data: a linear term ĉ for which z has
//! the right signs, as in the one-row code, and row bounds wide enough,
//!
//! ```text
//! ĉ → c,     [bl̂, bû] ∋ A x̂ → [bl, bu]      as t goes from −1 to 0,
//! ```
//!
//! which the follower itself follows; at t = 0 the data are those of the problem, without rounding. This is phase one and phase two in one. The rows only
//! become narrower, or move in a straight line to their places, so that if they cannot be satisfied at some t < 0, they cannot be satisfied at t = 0 either
//! (the violation of a weighted sum of the rows is zero where x exists no longer, and grows linearly from there), and the weights found prove this for the
//! problem itself. An objective that becomes unbounded before t = 0 is unbounded at t = 0 if there is a feasible point; following the path with ĉ held fixed
//! tells whether there is one.

use super::basis::Singular;
use super::crossover::{Crossed, clamp, crossover};
use super::dependent::{dependent_rows, rows_of_nothing};
use super::follower::RowFollower;
use super::interior::{Interior, interior};
use super::pivot::Null;
use super::scale::Scale;
use super::system::{Data, System};
use crate::active_set::{Status, key};
use crate::error::PathError;
use crate::hessian::multiply;
use crate::observe::{Event, Observer, Starting};
use crate::problem::{Line, known};
use crate::record::Proof;
use crate::record::{Start, Stop};
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};
use std::sync::Arc;

/// A system, its data, and the line that they are of.
type Posed<S> = (Arc<System<S>>, Data<S>, Line<S>);

/// A line with rows in units of its own.
pub(super) fn system_of<S: Scalar>(line: &Line<S>, settings: &Settings) -> Option<Posed<S>> {
    let mut dropped = rows_of_nothing(line);
    let scale = Scale::of(line, &line.rows.as_ref()?.matrix);
    let given = line.hessian.clone();
    let line = scale.line(line);
    let a = line.rows.as_ref()?.matrix.clone();
    dropped.extend(dependent_rows(&line, &a, settings));
    let data = Data::of(&line, &dropped);
    Some((Arc::new(System::new(&line, a, scale, given.as_ref())), data, line))
}

/// A follower at the beginning of a line with rows, not yet crossed there.
pub(super) fn begin<S: Scalar>(
    line: &Line<S>,
    start: &Start<S>,
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<RowFollower<S>, PathError> {
    if let Start::Guess(x) = start {
        let given = Data::of(line, &[]);
        check_guess(&given.held(&given.begin), x, line.n())?;
    }
    let given = line;
    let Some((system, data, line)) = system_of(given, settings) else { return Err(PathError::Rows) };
    let here = data.held(&data.begin);
    let begin = Begin { given, line: &line, system, data, here, settings };
    let mut watch = Starting::new(observer, settings.start_limit(line.n()));
    match begin.system.scale.start(start) {
        Start::ActiveSet { status, .. } => from_statuses(&line, &begin.system, begin.data, &status, settings),
        Start::Guess(x) => begin.way_from(x, &mut watch),
        Start::Anywhere => match begin.near_solution(&mut watch)? {
            Some(follower) => Ok(follower),
            None => begin.way_from(vec![S::zero(); line.n()], &mut watch),
        },
    }
}

/// What a start begins with.
struct Begin<'a, S> {
    /// The line in the user's units.
    given: &'a Line<S>,
    line: &'a Line<S>,
    system: Arc<System<S>>,
    data: Data<S>,
    /// The data at the beginning.
    here: Data<S>,
    settings: &'a Settings,
}

impl<S: Scalar> Begin<'_, S> {
    /// A follower at the beginning of the way from a state, and its parked columns.
    fn pose(&self, state: &Interior<S>) -> Result<(RowFollower<S>, Vec<usize>), PathError> {
        let x = state.x.iter().enumerate().map(|(j, x)| clamp(&self.here, j, x.clone())).collect();
        let mut crossed = crossover(self.system.clone(), self.here.clone(), x, &state.rows, self.settings)?;
        // Those of the whole line: at its beginning costs may vanish.
        crossed.follower.units = self.data.units();
        crossed.check_free_directions(self.line)?;
        let parked: Vec<usize> = crossed.parked.iter().map(|p| p.0).collect();
        let way = crossed.way(self.line, &self.here)?;
        Ok((crossed.follower.on(way, &parked), parked))
    }

    /// From the state that an interior-point method sees; none where there is none, or no way leads from it to a solution.
    fn near_solution(&self, watch: &mut Starting<'_, S>) -> Result<Option<RowFollower<S>>, PathError> {
        let Some(state) = interior(&self.system, &self.here, watch)? else { return Ok(None) };
        let Ok((follower, parked)) = self.pose(&state) else { return Ok(None) };
        let mut follower = match go(follower, watch) {
            Ok((follower, Stop::Target)) => follower.on(self.data.clone(), &parked),
            Ok((_, Stop::Asked { .. })) => return Err(watch.stopped()),
            _ => return Ok(None),
        };
        let is_solution = follower.direction().is_ok() && follower.audit().is_none();
        Ok(is_solution.then_some(follower))
    }

    /// From any x, without active rows.
    fn way_from(self, x: Vec<S>, watch: &mut Starting<'_, S>) -> Result<RowFollower<S>, PathError> {
        let state = Interior { x, rows: Vec::new() };
        let (follower, parked) = self.pose(&state)?;
        let (follower, stop) = go(follower, watch)?;
        match stop {
            Stop::Target => Ok(follower.on(self.data, &parked)),
            // Where rows leave just one point at the end of the way, or a cost vanishes there along a ray, this may seem to be so before it, by rounding: the
            // basis is the same there.
            Stop::Infeasible { .. } | Stop::Unbounded { .. } if !self.is_proved(follower.proof.as_ref()) => {
                Ok(follower.on(self.data, &parked))
            }
            Stop::Infeasible { .. } => Err(infeasible(follower.proof.as_ref())),
            Stop::Unbounded { index, .. } => {
                let proof = follower.proof.clone();
                // Whether there is a point at all: the costs for which the beginning is optimal stay, the rows close.
                let (first, _) = self.pose(&state)?;
                let mut feasibility = first.data.clone();
                feasibility.c.iter_mut().for_each(|c| *c = [c[0].clone() - &c[1], S::zero()]);
                match go(first.on(feasibility, &parked), watch)? {
                    (follower, Stop::Infeasible { .. }) => Err(infeasible(follower.proof.as_ref())),
                    _ => Err(unbounded(proof.as_ref(), index)),
                }
            }
            _ => Err(watch.stopped()),
        }
    }

    /// Whether there is no solution at the beginning, by a proof in the user's units that is worth more than rounding.
    fn is_proved(&self, proof: Option<&Proof<S>>) -> bool {
        let noise = S::tolerance(self.settings.dependent);
        proof.is_some_and(|proof| proof.holds(self.given, &self.given.begin, &noise))
    }
}

fn infeasible<S: Scalar>(proof: Option<&Proof<S>>) -> PathError {
    PathError::InfeasibleRows { weights: proof.map_or_else(Vec::new, Proof::entries) }
}

pub(super) fn unbounded<S: Scalar>(proof: Option<&Proof<S>>, index: usize) -> PathError {
    match proof {
        Some(proof) => PathError::UnboundedAlong { direction: proof.entries() },
        None => PathError::UnboundedStart { index },
    }
}

/// Follows data to their end, or until the observer has seen enough.
fn go<S: Scalar>(
    mut follower: RowFollower<S>,
    watch: &mut Starting<'_, S>,
) -> Result<(RowFollower<S>, Stop<S>), PathError> {
    if let Some(stop) = follower.cross(&[])? {
        return Ok((follower, stop));
    }
    loop {
        if follower.is_at_end() {
            return Ok((follower, Stop::Target));
        }
        let ahead = follower.law()?;
        if let Some(stop) = follower.advance(&ahead)? {
            return Ok((follower, stop));
        }
        let event = Event {
            t: &follower.at.t,
            changes: &[],
            breakpoint: false,
            free: follower.stats.max_free,
            stats: &follower.stats,
        };
        if !watch.event(&event) {
            let t = follower.at.t.clone();
            return Ok((follower, Stop::Asked { t }));
        }
    }
}

/// A guess with n finite entries within its bounds, up to rounding. It need not satisfy the rows.
fn check_guess<S: Scalar>(here: &Data<S>, guess: &[S], n: usize) -> Result<(), PathError> {
    if guess.len() != n {
        return Err(PathError::StartShape { expected: n, found: guess.len() });
    }
    for (index, value) in guess.iter().enumerate() {
        let nearest = clamp(here, index, value.clone());
        let noise = (nearest.abs() + value.abs()) * S::tolerance(ROUNDING);
        if !value.is_finite_number() || (nearest - value).abs() > noise {
            return Err(PathError::StartOutsideBounds { index, value: value.to_string() });
        }
    }
    Ok(())
}

impl<S: Scalar> Crossed<S> {
    /// The data of the way: those for which x is optimal at −1, those of the problem at 0.
    fn way(&mut self, line: &Line<S>, here: &Data<S>) -> Result<Data<S>, PathError> {
        let (n, m) = (self.follower.system.n, self.follower.system.m);
        let f = &mut self.follower;
        let q = gradient(line, here, &f.system.roots, &self.x);
        let right: Vec<S> = f.basis.keys.iter().map(|&k| if k < n { -q[k].clone() } else { S::zero() }).collect();
        let zeros = vec![S::zero(); right.len()];
        let mut basis = f.basis.clone();
        let sizes: Vec<S> = right.iter().map(S::abs).collect();
        let solved =
            basis.solve((&right, &zeros, &sizes), None).map_err(|Singular| f.inaccurate(0, S::zero(), S::zero()))?;
        let (mut y, mut of_y) = (vec![S::zero(); m], vec![S::zero(); m]);
        let found = solved.u.into_iter().zip(solved.size);
        for (&key, (u, size)) in basis.keys.iter().zip(found).filter(|(key, _)| (n..n + m).contains(*key)) {
            (y[key - n], of_y[key - n]) = (-u, size);
        }
        let z: Vec<S> = (0..n).map(|j| q[j].clone() - f.system.a.column_dot(j, &y)).chain(y.iter().cloned()).collect();
        let most = y.iter().map(S::abs).fold(S::zero(), S::larger);
        // From −1 to 0, where every number is the problem's own.
        let mut way = Data { begin: -S::one(), end: Some(S::zero()), ..here.clone() };
        // Active equality rows are at either bound, whichever y says.
        for (k, z) in z.iter().enumerate().skip(n) {
            if f.fixed[k] && !f.is_basic(k) {
                f.set_status(k, if *z < S::zero() { Status::Upper } else { Status::Lower });
            }
        }
        let f = &self.follower;
        let terms = |j: usize| {
            if j >= n {
                return if S::EXACT { most.clone() } else { of_y[j - n].clone() };
            }
            let mut sum = q[j].abs();
            f.system.a.for_column(j, |r, a| sum += (a.clone() * &y[r]).abs());
            sum
        };
        for (j, z) in z.iter().enumerate() {
            let wanted = match f.status[j] {
                _ if (f.fixed[j] && j < n) || self.parked.iter().any(|p| p.0 == j) => continue,
                Status::Free if j >= n => continue,
                // What is zero but for rounding is no change: costs of nothing but rounding would have no scale.
                Status::Free if z.abs() <= terms(j) * S::tolerance(ROUNDING) => continue,
                Status::Free => S::zero(),
                side => {
                    let sign = S::integer(side.sign());
                    let own = z.clone() * &sign;
                    let scale = terms(j);
                    if own > scale.clone() * S::tolerance(f.settings.audit) {
                        continue;
                    }
                    (own.abs() + random::<S>(j) * unit(scale)) * sign
                }
            };
            let change = z.clone() - wanted;
            way.c[j] = [here.c[j][0].clone(), change];
        }
        for r in 0..m {
            self.widen(n + r, &self.ax[r], &mut way);
        }
        Ok(way)
    }

    /// The box of a slack at −1 contains its s: at the bound where it is held, or with room. (Bounds that are rounding are no scale of a room.)
    fn widen(&self, k: usize, s: &S, way: &mut Data<S>) {
        let status = self.follower.status[k];
        let unit_of_x = &self.follower.units[0];
        // What is rounding of where it ends does not move: a row that is met would seem to be missed a little more with every step.
        let to = |from: S, end: &[S; 2]| {
            let (change, size) = (end[0].clone() - &from, S::larger(end[0].abs(), from.abs()));
            let is_rounding = change.abs() <= known(size, unit_of_x) * S::tolerance(ROUNDING);
            Some(if is_rounding { [from, S::zero()] } else { [end[0].clone(), change] })
        };
        let (lower, upper) = (way.lower[k].clone(), way.upper[k].clone());
        if self.follower.fixed[k] && status != Status::Free {
            // It stays an equality, whatever the sign of its y on the way.
            way.lower[k] = lower.as_ref().and_then(|l| to(s.clone(), l));
            way.upper[k] = way.lower[k].clone();
            return;
        }
        let scale = [&lower, &upper].into_iter().flatten().map(|b| b[0].abs()).fold(s.abs(), S::larger);
        let scale = unit(known(scale, &self.follower.units[0]));
        let room = |what: usize| random::<S>(k + what * self.follower.system.columns()) * &scale;
        if let Some(l) = &lower {
            match status {
                Status::Lower => way.lower[k] = to(s.clone(), l),
                _ if *s <= l[0] => way.lower[k] = to(s.clone() - room(1), l),
                // The other bound may come to where this one is.
                _ if lower == upper => way.lower[k] = to(l[0].clone() - room(1), l),
                _ => {}
            }
        }
        if let Some(u) = &upper {
            match status {
                Status::Upper => way.upper[k] = to(s.clone(), u),
                _ if *s >= u[0] => way.upper[k] = to(s.clone() + room(2), u),
                _ if lower == upper => way.upper[k] = to(u[0].clone() + room(2), u),
                _ => {}
            }
        }
    }
}

/// Hx + c, where Hx is known to rounding of its terms, |(Hx)ⱼ| ≤ √Hⱼⱼ Σ√Hᵢᵢ|xᵢ|: less than that is zero, and no scale of anything.
fn gradient<S: Scalar>(line: &Line<S>, here: &Data<S>, roots: &[S], x: &[S]) -> Vec<S> {
    let spread = roots.iter().zip(x).fold(S::zero(), |sum, (root, x)| sum + root.clone() * x.abs());
    let mut q = multiply(line.hessian.as_ref(), x);
    for ((q, root), c) in q.iter_mut().zip(roots).zip(&here.c) {
        if q.abs() <= root.clone() * &spread * S::tolerance(ROUNDING) {
            *q = S::zero();
        }
        *q += &c[0];
    }
    q
}

/// One in the place of nothing.
fn unit<S: Scalar>(scale: S) -> S {
    if scale.is_zero() { S::one() } else { scale }
}

/// Between ¼ and 1¼.
fn random<S: Scalar>(index: usize) -> S {
    S::integer((key(index, 3) >> 44) as i64 + (1 << 18)) / S::integer(1 << 20)
}

/// A follower with the given statuses: of the n variables, and of the m rows where they are given (otherwise equality rows are active, and of the others those that the variables need).
fn from_statuses<S: Scalar>(
    line: &Line<S>,
    system: &Arc<System<S>>,
    data: Data<S>,
    given: &[Status],
    settings: &Settings,
) -> Result<RowFollower<S>, PathError> {
    let (n, m) = (system.n, system.m);
    if given.len() != n && given.len() != n + m {
        return Err(PathError::StartShape { expected: n, found: given.len() });
    }
    for (index, status) in given.iter().enumerate().filter(|(_, s)| **s != Status::Free) {
        if data.bound(index, *status == Status::Upper).is_none() && index < n {
            return Err(PathError::StartWithoutBound { index, status: *status });
        }
    }
    let active = |r: usize| match given.get(n + r) {
        Some(status) if data.bound(n + r, *status == Status::Upper).is_some() => *status,
        Some(_) => Status::Free,
        None if data.is_fixed(n + r) => Status::Lower,
        None => Status::Free,
    };
    let wanted: Vec<Status> = (0..n).map(|j| given[j]).chain((0..m).map(active)).collect();
    let status = wanted[..n].iter().map(|s| if *s == Status::Free { Status::Lower } else { *s });
    let mut f = RowFollower::new(system.clone(), data, status.chain((0..m).map(|_| Status::Free)).collect(), settings);
    for j in (0..n).filter(|&j| wanted[j] == Status::Free) {
        let pivot = f.pivot(j);
        let Some(Null::Direction(d)) = f.null_of_entering(j, &pivot)? else {
            f.apply(pivot);
            f.set_status(j, Status::Free);
            continue;
        };
        let slacks = d.into_iter().filter(|(k, v)| *k >= n && wanted[*k] != Status::Free && !v.is_zero());
        let leaves = slacks.fold(None, |best: Option<(usize, S)>, e| match best {
            Some(best) if best.1.abs() >= e.1.abs() => Some(best),
            _ => Some(e),
        });
        let Some((k, _)) = leaves else { return Err(PathError::StartDependent { index: j }) };
        let other = f.pivot(k);
        f.apply_both(other, pivot);
        f.set_status(k, wanted[k]);
        f.set_status(j, Status::Free);
    }
    for k in (n..n + m).filter(|&k| wanted[k] != Status::Free) {
        let pivot = f.pivot(k);
        if f.is_basic(k) && f.null_of_leaving(&pivot).is_none() {
            f.apply(pivot);
            f.set_status(k, wanted[k]);
        }
    }
    f.direction()?;
    match f.audit() {
        Some((index, violation, _)) => Err(refused(&f, line.n(), index, &violation)),
        None => Ok(f),
    }
}

/// What is wrong with a start whose column `index` violates its condition.
fn refused<S: Scalar>(f: &RowFollower<S>, n: usize, index: usize, violation: &S) -> PathError {
    let violation = violation.to_string();
    match (f.is_basic(index), index < n) {
        (true, true) => {
            let value = f.value.x.high(index).clone() * &f.system.scale.columns[index];
            PathError::StartOutsideBounds { index, value: value.to_string() }
        }
        (true, false) => PathError::StartOffRow { off: violation },
        _ => PathError::StartNotOptimal { index, violation },
    }
}
