//! A path with rows as it is recorded: what [`Follower`](crate::Follower) runs for a line with rows.

use super::checkpoint::FollowerState;
use super::follower::RowFollower;
use super::ratio::Ahead;
use super::start;
use crate::active_set::Status;
use crate::error::PathError;
use crate::observe::{Event, Narrowing, Observer};
use crate::problem::Line;
use crate::record::{Path, RowSegment, Start, Stop};
use crate::scalar::Scalar;
use crate::settings::Settings;
use crate::stats::Stats;

/// The value function on a segment, a quadratic of t: its derivative at a place, that of the derivative, and the sizes of their terms.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Slope<S> {
    t: S,
    value: [S; 2],
    size: [S; 2],
}

/// A path with rows on its way.
pub(crate) struct RowRunner<'a, S: Scalar> {
    line: &'a Line<S>,
    settings: Settings,
    follower: RowFollower<S>,
    path: Path<S>,
    /// Statuses on the last recorded segment, of all columns.
    recorded: Vec<Status>,
    slope: Option<Slope<S>>,
    breakpoint: bool,
    stopped: Option<Stop<S>>,
}

/// A path with rows between two events, to be stored.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub(crate) struct RunnerState<S> {
    follower: FollowerState<S>,
    path: Path<S>,
    recorded: Vec<Status>,
    slope: Option<Slope<S>>,
}

impl<S: Scalar> RunnerState<S> {
    pub fn position(&self) -> &S {
        &self.follower.at.t
    }

    pub fn stats(&self) -> &Stats {
        &self.follower.stats
    }

    /// Whether it is of this line.
    pub fn is_on(&self, line: &Line<S>) -> bool {
        self.path.n() == line.n() && self.path.is_on(line) && self.recorded.len() == line.n() + line.m()
    }
}

impl<'a, S: Scalar> RowRunner<'a, S> {
    /// A copy of the state after the last event.
    pub fn state(&self) -> RunnerState<S> {
        let follower = FollowerState::of(&self.follower);
        // A path that ends before its first law shows one that is none.
        let begun = self.slope.is_some();
        let path = if begun { self.path.clone() } else { Path::with_rows(self.line, &self.follower.status) };
        let recorded = if begun { self.recorded.clone() } else { self.follower.status.clone() };
        RunnerState { follower, path, recorded, slope: self.slope.clone() }
    }

    /// A runner that continues from a state of the same line; none where they do not fit together.
    pub fn resume(line: &'a Line<S>, state: RunnerState<S>, settings: &Settings) -> Option<Self> {
        if !state.is_on(line) {
            return None;
        }
        let RunnerState { follower, path, recorded, slope } = state;
        let (system, data, _) = start::system_of(line, settings)?;
        let blank = RowFollower::new(system, data, recorded.clone(), settings);
        let follower = follower.resumed(blank)?;
        let settings = settings.clone();
        Some(RowRunner { line, settings, follower, path, recorded, slope, breakpoint: false, stopped: None })
    }

    /// At the beginning of the line.
    pub fn new(
        line: &'a Line<S>,
        start: &Start<S>,
        settings: &Settings,
        observer: &mut dyn Observer<S>,
    ) -> Result<Self, PathError> {
        let begun = start::begin(line, start, settings, observer).and_then(|mut follower| {
            let stop = follower.cross(&[])?;
            Ok((follower, stop))
        });
        match begun {
            Ok((follower, stop)) => {
                let mut path = Path::with_rows(line, &follower.status);
                path.set_proof(follower.proof.clone());
                let recorded = follower.status.clone();
                let settings = settings.clone();
                Ok(RowRunner {
                    line,
                    settings,
                    follower,
                    path,
                    recorded,
                    slope: None,
                    breakpoint: false,
                    stopped: stop,
                })
            }
            Err(error) if !S::WIDEST && error.is_of_rounding() => {
                RowRunner::wider(line, start, settings, observer).map_err(|other| other.or(error))
            }
            Err(error) => Err(error),
        }
    }

    /// The whole path in the wider scalar, rounded.
    fn wider(
        line: &'a Line<S>,
        start: &Start<S>,
        settings: &Settings,
        observer: &mut dyn Observer<S>,
    ) -> Result<Self, PathError> {
        let wide_line = crate::problem::widened_line(line, &line.begin.widen())?;
        let wide_start = match start {
            Start::Guess(x) => Start::Guess(x.iter().map(S::widen).collect()),
            _ => Start::Anywhere,
        };
        let mut watch = Narrowing(observer);
        let mut wide = RowRunner::new(&wide_line, &wide_start, settings, &mut watch)?;
        // A follower of this scalar stands for it: only its statuses and counters are looked at.
        let Some((system, data, _)) = start::system_of(line, settings) else { return Err(PathError::Rows) };
        let status = wide.follower.status.clone();
        let mut follower = RowFollower::new(system, data, status, settings);
        follower.stats.detours += 1;
        let path = Path::with_rows(line, &follower.status);
        let (recorded, settings) = (follower.status.clone(), settings.clone());
        let mut runner =
            RowRunner { line, settings, follower, path, recorded, slope: None, breakpoint: false, stopped: None };
        runner.take(&mut wide, &line.begin.widen(), &mut watch)?;
        Ok(runner)
    }

    /// Goes on in the wider scalar from the present t to the end of the line, after an error of rounding.
    fn recover(&mut self, error: PathError, observer: &mut dyn Observer<S>) -> Result<Option<Stop<S>>, PathError> {
        if S::WIDEST || !error.is_of_rounding() {
            return Err(error);
        }
        self.follower.stats.detours += 1;
        let origin = self.follower.at.t.widen() + self.follower.at.off.widen();
        let wide_line = crate::problem::widened_line(self.line, &origin).map_err(|_| error.clone())?;
        let status = Start::ActiveSet { status: self.recorded.clone(), y: None };
        let mut watch = Narrowing(observer);
        let wide = RowRunner::new(&wide_line, &status, &self.settings, &mut watch);
        let wide = wide.or_else(|_| RowRunner::new(&wide_line, &Start::Anywhere, &self.settings, &mut watch));
        let mut wide = wide.map_err(|_| error.clone())?;
        self.take(&mut wide, &origin, &mut watch).map_err(|_| error)?;
        Ok(self.stopped.clone())
    }

    /// Takes over the laws of a runner in the wider scalar, whose t counts from `origin`, until it ends.
    fn take(
        &mut self,
        wide: &mut RowRunner<'_, S::Wider>,
        origin: &S::Wider,
        watch: &mut Narrowing<'_, S>,
    ) -> Result<(), PathError> {
        let narrow = |t: &S::Wider| S::narrow(&(origin.clone() + t));
        let stop = loop {
            let begin = narrow(&wide.follower.at.t);
            let last = wide.path.segments().len();
            let stop = wide.step(&mut ())?;
            if let Some(segment) = wide.path.segments().get(last) {
                let end = narrow(&wide.follower.at.t);
                let mut breakpoint = segment.breakpoint;
                // Whether the first one goes on with the law before it is told in this scalar.
                let own = wide.slope.as_ref().map(|slope| slope.map(S::narrow, begin.clone()));
                if let (0, Some(before), Some(own)) = (last, &self.slope, &own) {
                    breakpoint = before.differs(own, &self.settings);
                }
                if end > begin || (stop.is_some() && self.path.segments().is_empty()) {
                    self.slope = own;
                    self.keep_wide(wide, last, begin, breakpoint);
                }
            }
            if let Some(stop) = stop {
                break stop;
            }
            self.follower.stats.events += 1;
            if !watch.start_event(&wide.last_event()) {
                break Stop::Asked { t: wide.follower.at.t.clone() };
            }
            if let Some(limit) = self.settings.max_events.filter(|limit| self.follower.stats.events >= *limit) {
                break Stop::EventLimit { t: wide.follower.at.t.clone(), events: limit };
            }
        };
        let t = narrow(&wide.follower.at.t);
        let t = match (&stop, &self.line.end) {
            (Stop::Target, Some(end)) => end.clone(),
            _ => t,
        };
        self.follower.at = crate::kkt::Place::exactly(t.clone());
        self.follower.proof = wide.follower.proof.as_ref().map(|proof| proof.map(S::narrow));
        self.stopped = Some(match stop {
            Stop::Target => Stop::Target,
            Stop::Infeasible { .. } => Stop::Infeasible { t },
            Stop::Unbounded { index, .. } => Stop::Unbounded { t, index },
            Stop::Diverges { .. } => Stop::Diverges { t },
            Stop::EventLimit { events, .. } => Stop::EventLimit { t, events },
            Stop::Asked { .. } => Stop::Asked { t },
        });
        Ok(())
    }

    /// A segment of the wider path, rounded.
    fn keep_wide(&mut self, wide: &RowRunner<'_, S::Wider>, k: usize, t: S, breakpoint: bool) {
        let free: Vec<usize> = wide.path.free_on(k).iter().map(|&i| i as usize).collect();
        let (x, dx) = wide.path.free_law(k);
        let narrow = |v: &[S::Wider]| v.iter().map(S::narrow).collect::<Vec<S>>();
        let (y, dy) = wide.path.row_law(k).unwrap_or((&[], &[]));
        let rows = RowSegment { t, y: narrow(y), dy: narrow(dy), breakpoint, fit: None };
        let status = wide.recorded.iter().copied().enumerate().collect::<Vec<(usize, Status)>>();
        self.keep(rows, &free, (&narrow(x), &narrow(dx)), status);
    }

    /// A segment, with the statuses of columns in their order; those of others are as they were.
    fn keep(&mut self, rows: RowSegment<S>, free: &[usize], law: (&[S], &[S]), status: Vec<(usize, Status)>) -> bool {
        let changes: Vec<(usize, Status)> =
            status.into_iter().filter(|&(j, status)| self.recorded[j] != status).collect();
        for (j, s) in &changes {
            self.recorded[*j] = *s;
        }
        self.path.push_rows(rows, free, law, &changes);
        !changes.is_empty()
    }

    /// To the next event, and across.
    pub fn step(&mut self, observer: &mut dyn Observer<S>) -> Result<Option<Stop<S>>, PathError> {
        if self.stopped.is_none() {
            let turn = self.turn().or_else(|error| self.recover(error, observer))?;
            let limit = self.settings.max_events.filter(|limit| self.follower.stats.events >= *limit);
            let t = || self.follower.at.t.clone();
            self.stopped = turn.or_else(|| limit.map(|events| Stop::EventLimit { t: t(), events }));
        }
        if let Some(stop) = self.stopped.take() {
            let stop = self.told_from_the_end(stop);
            self.stopped = Some(stop.clone());
            self.finish(stop);
        }
        Ok(self.stopped.clone())
    }

    /// Positions are known to rounding of the ends of the line: if a path stops within this distance of its end, the cause may only apply at the end itself,
    /// where there is a solution by continuity (for example a cost or a bound that vanishes at the end, as the penalty of a path that ends without one).
    fn told_from_the_end(&mut self, stop: Stop<S>) -> Stop<S> {
        let Some(end) = self.line.end.as_ref().filter(|_| !S::EXACT) else { return stop };
        let size = S::larger(self.line.begin.abs(), end.abs());
        let left = end.clone() - &self.follower.at.t;
        let stops = matches!(stop, Stop::Infeasible { .. } | Stop::Unbounded { .. });
        if !stops || left > size * S::tolerance(self.settings.tie) || self.path.segments().is_empty() {
            return stop;
        }
        self.follower.at = crate::kkt::Place::exactly(end.clone());
        self.follower.proof = None;
        Stop::Target
    }

    fn turn(&mut self) -> Result<Option<Stop<S>>, PathError> {
        let ahead = self.follower.law()?;
        self.record(&ahead);
        self.follower.advance(&ahead)
    }

    /// Records the law ahead, unless its length is zero in this scalar: events of numbers that would tie without rounding follow each other closely.
    fn record(&mut self, ahead: &Ahead<S>) {
        let f = &self.follower;
        let after = match (&ahead.length, &f.data.end) {
            (_, Some(end)) if ahead.end => Some(end.clone()),
            (Some(length), _) => Some(f.at.moved(length).t),
            (None, _) => None,
        };
        let none = |after: &S| {
            let length = after.clone() - &f.at.t;
            length <= S::zero()
                || !self.path.segments().is_empty() && length <= after.abs() * S::tolerance(self.settings.tie)
        };
        if after.as_ref().is_some_and(none) {
            self.follower.stats.zero_steps += 1;
            return;
        }
        let slope = self.value_slope();
        self.breakpoint = self.slope.as_ref().is_some_and(|last| last.differs(&slope, &self.settings));
        self.slope = Some(slope);
        // What is known is where x and y are at events, and a path has t rounded there: the law is kept with the speed that leads from one to the next.
        let part = match (&ahead.length, after) {
            (Some(length), Some(after)) => length.clone() / (after - &self.follower.at.t),
            _ => S::one(),
        };
        let changed = self.keep_law(self.breakpoint, &part);
        if changed && !self.breakpoint {
            self.follower.stats.exchanges += 1;
        }
    }

    /// The law ahead, with its rates times `part`.
    fn keep_law(&mut self, breakpoint: bool, part: &S) -> bool {
        let mut touched = std::mem::take(&mut self.follower.touched);
        touched.sort_unstable();
        touched.dedup();
        let f = &self.follower;
        let (n, m) = (f.system.n, f.system.m);
        let mut free: Vec<usize> = f.basis.keys.iter().copied().filter(|&key| key < n).collect();
        free.sort_unstable();
        let scale = &f.system.scale;
        let own = |half: &super::law::Half<S>, j: usize| half.x.high(j).clone() * &scale.columns[j];
        let law = |half: &super::law::Half<S>| free.iter().map(|&j| own(half, j)).collect::<Vec<S>>();
        let y = |half: &super::law::Half<S>| {
            scale.multipliers(&half.eta.high[..m].iter().map(|e| -e.clone()).collect::<Vec<S>>())
        };
        let t = if self.path.segments().is_empty() { self.line.begin.clone() } else { f.at.t.clone() };
        let led = |rates: Vec<S>| rates.into_iter().map(|rate| rate * part).collect::<Vec<S>>();
        let fit = f.fits().map(|[value, rate]| [value, led(rate)]);
        let rows = RowSegment { t, y: y(&f.value), dy: led(y(&f.rate)), breakpoint, fit };
        let status = touched.into_iter().map(|j| (j, f.status[j])).collect();
        let (x, dx) = (law(&f.value), led(law(&f.rate)));
        self.keep(rows, &free, (&x, &dx), status)
    }

    /// φ′ = c′ᵀx + Σ zⱼ·(the slope of the bound of j), over variables and slacks at bounds; its terms.
    fn value_slope(&self) -> Slope<S> {
        let f = &self.follower;
        let mut slope = Slope { t: f.at.t.clone(), value: [S::zero(), S::zero()], size: [S::zero(), S::zero()] };
        for (part, half) in [&f.value, &f.rate].into_iter().enumerate() {
            let mut add = |term: S| {
                slope.size[part] += term.abs();
                slope.value[part] += term;
            };
            for &j in &f.movers {
                let cost = &f.data.c[j][1];
                if !cost.is_zero() {
                    let x = match (part, f.is_basic(j)) {
                        (_, true) => half.x.high(j).clone(),
                        (0, false) => f.at.affine(&f.held(j)),
                        (_, false) => f.held(j)[1].clone(),
                    };
                    add(cost.clone() * x);
                }
                if !f.is_basic(j) {
                    let bound = &f.held(j)[1];
                    if !bound.is_zero() {
                        add(f.z[part][j].clone() * bound);
                    }
                }
            }
        }
        slope
    }

    /// Closes the path.
    fn finish(&mut self, stop: Stop<S>) {
        if self.path.segments().is_empty() && self.follower.direction().is_ok() {
            let kept = self.follower.rate.clone();
            let rate = &mut self.follower.rate;
            rate.x.clear();
            rate.eta.high.iter_mut().for_each(|v| *v = S::zero());
            self.keep_law(false, &S::one());
            self.follower.rate = kept;
        }
        self.follower.stats.refactors.residual = self.follower.basis.refactors;
        self.path.set_proof(self.follower.proof.clone());
        self.path.finish(self.follower.at.t.clone(), stop, self.follower.stats.clone());
    }

    pub fn position(&self) -> &S {
        &self.follower.at.t
    }

    pub fn stats(&self) -> &Stats {
        &self.follower.stats
    }

    /// Of the n variables, and then the rows.
    pub fn status(&self) -> &[Status] {
        &self.follower.status
    }

    pub fn path(&self) -> &Path<S> {
        &self.path
    }

    pub fn stopped(&self) -> Option<&Stop<S>> {
        self.stopped.as_ref()
    }

    /// Stops where it is.
    pub fn stop(&mut self, stop: Stop<S>) {
        self.stopped = Some(stop.clone());
        self.finish(stop);
    }

    pub fn last_event(&self) -> Event<'_, S> {
        Event {
            t: &self.follower.at.t,
            changes: &[],
            breakpoint: self.breakpoint,
            free: self.follower.free(),
            stats: &self.follower.stats,
        }
    }

    pub fn into_path(mut self) -> Path<S> {
        if self.stopped.is_none() {
            let t = self.follower.at.t.clone();
            self.finish(Stop::Asked { t });
        }
        self.path
    }
}

impl<S: Scalar> Slope<S> {
    /// In another scalar, at a place of its own.
    fn map<T: Scalar>(&self, number: impl Fn(&S) -> T, t: T) -> Slope<T> {
        Slope { t, value: self.value.each_ref().map(&number), size: self.size.each_ref().map(&number) }
    }

    /// Whether the value function has another law on the next segment.
    fn differs(&self, next: &Slope<S>, settings: &Settings) -> bool {
        let ahead = next.t.clone() - &self.t;
        let reached = self.value[0].clone() + self.value[1].clone() * &ahead;
        let size = self.size[0].clone() + (self.size[1].clone() * ahead).abs();
        let tolerance = S::tolerance(settings.audit);
        let apart = |a: &S, b: &S, size: S| (a.clone() - b).abs() > size * &tolerance;
        apart(&next.value[0], &reached, S::larger(size, next.size[0].clone()))
            || apart(&next.value[1], &self.value[1], S::larger(self.size[1].clone(), next.size[1].clone()))
    }
}
