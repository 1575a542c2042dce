//! The start of a path: the solution at the beginning of the line.
//!
//! *Hot start*: any feasible x̂ is optimal for some linear term ĉ. Choose ĉ so that Hx̂ + ĉ − Aᵀŷ has the right signs, and follow the solution as the linear
//! term moves from ĉ to c(θ₀). So the engine is its own solver, and the number of events depends on how good the guess is (the online active-set strategy of
//! qpOASES, Ferreau et al. 2014, doi:10.1007/s12532-014-0071-1). Where z = Hx̂ + c − Aᵀŷ already has the right sign, ĉᵢ = cᵢ; elsewhere ĉ makes ẑᵢ = −zᵢ, so
//! that all of these z vanish at the same position. If that fails they are made to vanish one after the other.

use super::Follower;
use super::feasible::{check_status, checked, clamp, feasible_point, side};
use crate::active_set::Status;
use crate::error::{PathError, ProblemError};
use crate::hessian::{AHEAD, multiply};
use crate::kkt::{Refused, Sums, bound};
use crate::observe::{Observer, Starting};
use crate::problem::Line;
use crate::record::{Start, Stop};
use crate::rows::RowRunner;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};

/// The way to the solution at which a path begins may begin anew so many times.
const RESTARTS: usize = 64;

/// Multiples of the path's tolerance for dependence that are tried in turn, until the guess's free set is independent: a free set that is barely so makes x move far
/// and fast, if it can be told at all.
const LOOSE: [f64; 4] = [1.0, 8192.0, 65_536.0, 524_288.0];

impl<'a, S: Scalar> Follower<'a, S> {
    /// A follower at the beginning of the line. The solution there is found from `start`.
    ///
    /// # Errors
    /// [`PathError`] for a start of the wrong shape, an infeasible one, or an active set that is not optimal; for a problem that is infeasible or unbounded
    /// there; and for an indefinite H.
    pub fn new(line: &'a Line<S>, start: &Start<S>, settings: Settings) -> Result<Self, PathError> {
        Follower::watched(line, start, settings, &mut ())
    }

    /// As [`Follower::new`], with an observer of the search for the first solution, which may take as long as the path itself.
    ///
    /// # Errors
    /// As [`Follower::new`], [`PathError::StartStopped`] when [`Observer::start_event`] asks for it, and [`PathError::StartLimit`] when it
    /// takes more events than [`Settings::start_limit`].
    pub fn watched(
        line: &'a Line<S>,
        start: &Start<S>,
        settings: Settings,
        observer: &mut dyn Observer<S>,
    ) -> Result<Self, PathError> {
        if line.rows.is_some() {
            let runner = RowRunner::new(line, start, &settings, observer)?;
            let mut follower = Follower::blank(line, Vec::new(), settings);
            follower.stopped = runner.stopped().cloned();
            follower.rows = Some(Box::new(runner));
            return Ok(follower);
        }
        let here = line.held();
        let x = match start {
            Start::Anywhere => feasible_point(&here, vec![S::zero(); line.n()])?,
            Start::Guess(x) => checked(&here, x, &settings)?,
            Start::ActiveSet { status, y } => {
                check_status(line, status)?;
                if let Some(y) = y.as_ref().filter(|y| !y.is_finite_number()) {
                    let value = y.to_string();
                    return Err(ProblemError::NotFinite { what: "y", index: 0, parameter: None, value }.into());
                }
                let begun = Follower::at_active_set(line, status.clone(), y.clone(), settings.clone());
                return match begun {
                    Err(error @ (PathError::Cycle { .. } | PathError::Inaccurate { .. })) if !S::WIDEST => {
                        let follower = Follower::blank(line, status.clone(), settings.clone());
                        let x = feasible_point(&here, follower.x_at_bounds())?;
                        Follower::from_wider(line, x, settings, observer).map_err(|other| other.or(error))
                    }
                    begun => begun,
                };
            }
        };
        let begun = hot_start(&here, x.clone(), &settings, observer)
            .and_then(|(status, y)| Follower::at_active_set(line, status, y, settings.clone()));
        match begun {
            Err(error) if !S::WIDEST && error.is_of_rounding() => {
                Follower::from_wider(line, x, settings, observer).map_err(|other| other.or(error))
            }
            begun => begun,
        }
    }

    /// Whether index i is at a bound other than zero, so that its row of H is needed.
    fn is_placed_off_zero(&self, i: usize) -> bool {
        let [value, slope] = bound(self.line, i, self.active.status[i]);
        !value.is_zero() || !slope.is_zero()
    }

    /// Puts everything that is not free at its bound by two products with H; only where these lose no digits that sums of single rows would keep.
    fn place_all(&mut self) -> bool {
        let zero = || vec![S::zero(); self.line.n()];
        let held = |part: usize| -> Vec<S> {
            (0..self.line.n()).map(|i| bound(self.line, i, self.active.status[i])[part].clone()).collect()
        };
        let [value, slope] = [0, 1].map(|part| (multiply(self.line.hessian.as_ref(), &held(part)), zero()));
        self.kkt.place_all(&self.active.status, Sums::new(value, slope))
    }

    /// Factors the given free set and finds y, the tied indices and the sides of boxes that open.
    pub(super) fn take_up_start(&mut self, y: Option<S>) -> Result<(), PathError> {
        let placed = S::WIDEST && self.place_all();
        for i in 0..self.line.n() {
            if !placed && i.is_multiple_of(AHEAD) {
                let next: Vec<usize> = (i..self.line.n()).take(AHEAD).filter(|&i| self.is_placed_off_zero(i)).collect();
                self.line.hessian.prepare(&next);
            }
            if self.active.status[i] != Status::Free {
                if !placed {
                    self.kkt.place(i, self.active.status[i]);
                }
                continue;
            }
            match self.kkt.release(i, Status::Free) {
                Ok(_) => self.recorder.stats.appends += 1,
                Err(Refused::Dependent(_)) => return Err(PathError::StartDependent { index: i }),
                Err(Refused::Indefinite(error)) => return Err(error.into()),
            }
        }
        self.solve_law();
        self.check_feasible()?;
        let y = y.or((!self.law.floating).then(|| self.law.y.clone()));
        self.bind_at_bounds();
        let opens: Vec<bool> = (0..self.line.n()).map(|i| self.opening(i).is_some()).collect();
        if self.law.floating {
            let (lo, hi) = self.ends(|i| !opens[i], |i| self.q(i).0);
            let (lo, hi) = (lo.map(|l| l.0), hi.map(|h| h.0));
            self.law.y = match (y, lo, hi) {
                (Some(y), lo, hi) => {
                    let y = lo.map_or(y.clone(), |lo| S::larger(y, lo));
                    hi.map_or(y.clone(), |hi| S::smaller(y, hi))
                }
                (None, Some(lo), Some(hi)) => (lo + hi) / S::integer(2),
                (None, lo, hi) => lo.or(hi).unwrap_or_else(S::zero),
            };
        }
        for i in (0..self.line.n())
            .filter(|&i| self.active.status[i] != Status::Free && !self.active.fixed[i])
            .collect::<Vec<_>>()
        {
            let z = self.signed_z(i);
            if z.abs() <= self.zero(i) {
                self.set_tied(i, true);
            } else if z < S::zero() && opens[i] {
                self.kkt.flip(i, self.active.status[i]);
                self.active.status[i] = self.active.status[i].opposite();
            } else if z < -self.allowed(i, self.settings.audit) {
                return Err(PathError::StartNotOptimal { index: i, violation: z.to_string() });
            } else if z < S::zero() {
                self.set_tied(i, true);
            }
        }
        Ok(())
    }
}

impl<S: Scalar> Follower<'_, S> {
    /// x_F in its boxes and x on the row.
    fn check_feasible(&self) -> Result<(), PathError> {
        let allowed = self.bound_scale() * S::tolerance(self.settings.audit);
        for (&i, x) in self.kkt.free().iter().zip(&self.law.x) {
            let below = self.line.bounds.lower_at(i, &self.law.at.t).is_some_and(|l| l - x > allowed);
            let above = self.line.bounds.upper_at(i, &self.law.at.t).is_some_and(|u| x.clone() - u > allowed);
            if below || above {
                return Err(PathError::StartOutsideBounds { index: i, value: x.to_string() });
            }
        }
        if self.law.floating {
            let (value, slope) = self.kkt.row_gap();
            let off = S::affine(&[value, slope], &self.law.at.t);
            let size_of = |[v, s]: [S; 2]| v.abs() + (s * &self.law.at.t).abs();
            let held = |i: usize| self.line.a(i).abs() * size_of(bound(self.line, i, self.active.status[i]));
            let b = size_of([self.line.b0.clone(), self.line.b1.clone()]);
            let size = (0..self.line.n()).fold(b, |s, i| s + held(i));
            if off.abs() > size * S::tolerance(self.settings.audit) {
                return Err(PathError::StartOffRow { off: off.to_string() });
            }
        }
        Ok(())
    }

    /// Free indices whose x lies on a bound at the start are held there; crossing frees them if they are to move.
    fn bind_at_bounds(&mut self) {
        let noise = self.bound_scale() * S::tolerance(self.settings.tie);
        let free: Vec<(usize, S)> = self.kkt.free().iter().copied().zip(self.law.x.clone()).collect();
        for (i, x) in free {
            let near = |b: Option<S>| b.is_some_and(|b| (b - &x).abs() <= noise);
            if near(self.line.bounds.lower_at(i, &self.law.at.t)) {
                self.bind(i, Status::Lower);
                self.set_tied(i, true);
            } else if near(self.line.bounds.upper_at(i, &self.law.at.t)) {
                self.bind(i, Status::Upper);
                self.set_tied(i, true);
            }
        }
        self.solve_law();
    }
}

/// Where the way to the solution ended.
enum Reached<S> {
    /// At the solution: its active set and multiplier.
    Solution(Vec<Status>, S),
    /// On the way, because of an error: x there.
    Short(Vec<S>, PathError),
    /// Where it began, because of an error.
    Nothing(PathError),
}

/// Follows the linear term from one for which `x` is optimal to that of `line`, on which nothing moves ([`Line::held`]).
///
/// Positions are known to rounding of t, and x may move so fast that this is too little: where the answer fails its check on the way it
/// begins anew from the x reached. What is wrong about z is less by the factor −t there, and so is the speed of x.
pub(super) fn hot_start<S: Scalar>(
    line: &Line<S>,
    mut x: Vec<S>,
    settings: &Settings,
    observer: &mut dyn Observer<S>,
) -> Result<(Vec<Status>, Option<S>), PathError> {
    let mut watch = Starting::new(observer, settings.start_limit(line.n()));
    let (mut left, mut loose) = (RESTARTS, LOOSE.into_iter());
    let mut times = loose.next().unwrap_or(1.0);
    let mut in_turn = false;
    loop {
        let failed = match approach(line, x.clone(), (times, in_turn), settings, &mut watch)? {
            Reached::Solution(status, y) => return Ok((status, Some(y))),
            Reached::Short(_, error) if left == 0 => return Err(error),
            Reached::Short(nearer, error) => match feasible_point(line, nearer) {
                Ok(nearer) => {
                    (x, left) = (nearer, left - 1);
                    None
                }
                // There is a feasible point, x: what was reached is no number.
                Err(_) => Some(error),
            },
            Reached::Nothing(error) => Some(error),
        };
        if let Some(error) = failed {
            times = loose.next().filter(|_| !S::EXACT).ok_or(error)?;
        }
        in_turn = !in_turn;
    }
}

/// One such way, from `x` as far as it goes.
fn approach<S: Scalar>(
    line: &Line<S>,
    mut x: Vec<S>,
    (loose, in_turn): (f64, bool),
    settings: &Settings,
    watch: &mut Starting<'_, S>,
) -> Result<Reached<S>, PathError> {
    let mut status: Vec<Status> = (0..line.n()).map(|i| side(&line.bounds, i, &x[i])).collect();
    let independent =
        Settings { dependent: loose * settings.dependent, pivot: loose * settings.pivot, ..settings.clone() };
    crossover(line, &mut x, &mut status, &independent)?;
    if !S::EXACT {
        x = match feasible_point(line, x) {
            Ok(x) => x,
            Err(error) => return Ok(Reached::Nothing(error)),
        };
    }
    let (here, y) = way(line, &x, &status, in_turn);
    let own = Settings { max_events: None, ..settings.clone() };
    let mut follower = match Follower::at_active_set(&here, status, Some(y), own) {
        Ok(follower) => follower,
        Err(error @ PathError::Problem(_)) => return Err(error),
        Err(error) => return Ok(Reached::Nothing(error)),
    };
    match follower.run(watch) {
        Ok(Stop::Unbounded { index, .. }) => Err(PathError::UnboundedStart { index }),
        Ok(Stop::Asked { .. }) => Err(watch.stopped()),
        Ok(_) => Ok(Reached::Solution(follower.status().to_vec(), follower.multiplier().clone())),
        Err(error @ PathError::Problem(_)) => Err(error),
        Err(error) => {
            let path = follower.into_path();
            match path.at(path.end()).filter(|_| path.end() > path.begin()) {
                Some(point) => Ok(Reached::Short(point.x, error)),
                None => Ok(Reached::Nothing(error)),
            }
        }
    }
}

/// The line on which the linear term goes from one for which `x` is optimal with this active set to that of `line`, and the multiplier where it begins. It ends
/// at t = 0, where the linear term is that of `line` to the last digit: rows that differ by rounding have costs that do no more.
fn way<S: Scalar>(line: &Line<S>, x: &[S], status: &[Status], in_turn: bool) -> (Line<S>, S) {
    let mut here = line.clone();
    let mut q = multiply(line.hessian.as_ref(), x);
    for (q, c) in q.iter_mut().zip(&line.c0) {
        *q += c;
    }
    let y = central_multiplier(line, status, &q);
    // q is known to rounding of its terms, |(Hx)ᵢ| ≤ √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|; less than that is zero.
    let root = |i: usize| line.hessian.diagonal(i).scale_root();
    let spread = x.iter().enumerate().fold(S::zero(), |sum, (i, x)| sum + root(i) * x.abs());
    let noise = |i: usize| (line.c0[i].abs() + root(i) * &spread) * S::tolerance(ROUNDING);
    let mut z: Vec<S> = (0..line.n()).map(|i| q[i].clone() - line.a(i) * &y).collect();
    for (i, z) in z.iter_mut().enumerate() {
        if z.abs() <= noise(i) {
            *z = S::zero();
        }
    }
    let is_wrong = |i: usize| match status[i] {
        Status::Free => false,
        Status::Lower => z[i] < S::zero(),
        Status::Upper => z[i] > S::zero(),
    };
    let wrong: Vec<usize> = (0..line.n()).filter(|&i| is_wrong(i)).collect();
    let sum = wrong.iter().fold(S::zero(), |sum, &i| sum + z[i].abs());
    let level = in_turn.then(|| sum / S::integer(wrong.len().max(1) as i64));
    for i in 0..line.n() {
        let change = match status[i] {
            Status::Free => z[i].clone(),
            _ if !is_wrong(i) => S::zero(),
            side => z[i].clone() - opposite(&z[i].abs(), level.as_ref()) * S::integer(side.sign()),
        };
        let start = line.c0[i].clone() - &change;
        here.c1[i] = if start.abs() <= noise(i) { line.c0[i].clone() } else { change };
    }
    (here.begin, here.end) = (-S::one(), Some(S::zero()));
    (here, y)
}

/// The |ẑ| for which a wrong z of size |z| reaches zero after the part |ẑ|/(|ẑ| + |z|) of the path: the part is ½, or with a typical size m it is ¼ + ½·m/(m +
/// |z|), so that larger ones reach zero first.
fn opposite<S: Scalar>(size: &S, level: Option<&S>) -> S {
    let Some(level) = level else { return size.clone() };
    let three = S::integer(3);
    let above = three.clone() * level + size;
    size.clone() * above / (level.clone() + three * size)
}

/// Moves x along null directions of the free set until that is independent; H x and A x stay as they are.
fn crossover<S: Scalar>(
    line: &Line<S>,
    x: &mut [S],
    status: &mut [Status],
    settings: &Settings,
) -> Result<(), PathError> {
    let mut kkt = S::kkt(line, settings);
    let candidates: Vec<usize> = (0..line.n()).filter(|&i| status[i] == Status::Free).collect();
    for i in candidates {
        loop {
            match kkt.release(i, Status::Free) {
                Ok(_) => break,
                Err(Refused::Indefinite(error)) => return Err(error.into()),
                Err(Refused::Dependent(d)) => {
                    let members: Vec<usize> = kkt.free().iter().copied().chain([i]).collect();
                    let (k, to) = push_to_bound(line, x, &members, &d)?;
                    status[members[k]] = to;
                    if k + 1 == members.len() {
                        break;
                    }
                    kkt.bind(k, to);
                }
            }
        }
    }
    Ok(())
}

/// Moves x along ±d to the nearest bound; returns the position in `members` that met it.
fn push_to_bound<S: Scalar>(
    line: &Line<S>,
    x: &mut [S],
    members: &[usize],
    d: &[S],
) -> Result<(usize, Status), PathError> {
    let zero = S::zero();
    let mut nearest: Option<(S, usize, Status, S)> = None;
    for (k, (&i, d)) in members.iter().zip(d).enumerate().filter(|(_, (_, d))| !d.is_zero()) {
        let ends = [(Status::Lower, line.bounds.lower_at(i, &zero)), (Status::Upper, line.bounds.upper_at(i, &zero))];
        for (to, end) in ends {
            let Some(end) = end else { continue };
            let step = (end - &x[i]) / d;
            if nearest.as_ref().is_none_or(|n| step.abs() < n.0) {
                nearest = Some((step.abs(), k, to, step));
            }
        }
    }
    let Some((_, k, to, step)) = nearest else {
        return Err(PathError::FreeDirection { index: members[members.len() - 1] });
    };
    for (&i, d) in members.iter().zip(d) {
        x[i] += step.clone() * d;
        x[i] = clamp(&line.bounds, i, x[i].clone());
    }
    let end = if to == Status::Lower {
        line.bounds.lower_at(members[k], &zero)
    } else {
        line.bounds.upper_at(members[k], &zero)
    };
    if let Some(end) = end {
        x[members[k]] = end;
    }
    Ok((k, to))
}

/// A multiplier that suits the free indices (the mean of qᵢ/Aᵢ), or the middle one of all.
fn central_multiplier<S: Scalar>(line: &Line<S>, status: &[Status], q: &[S]) -> S {
    if !line.has_row() {
        return S::zero();
    }
    let ratio = |i: usize| q[i].clone() / line.a(i);
    let with_row = |i: &usize| !line.a(*i).is_zero();
    let free: Vec<S> = (0..q.len()).filter(with_row).filter(|&i| status[i] == Status::Free).map(ratio).collect();
    if !free.is_empty() {
        let count = S::integer(free.len() as i64);
        return free.into_iter().fold(S::zero(), |sum, r| sum + r) / count;
    }
    let mut all: Vec<S> = (0..q.len()).filter(with_row).map(ratio).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    all.get(all.len() / 2).cloned().unwrap_or_else(S::zero)
}
