//! One problem: its path, and what is wrong with it.

use super::check::{Judge, Place, Residuals};
use super::families::Family;
use super::optimum::Question;
use super::problem::{Form, Problem};
use pathqp::observe::{Event, Observer};
use pathqp::path::{Path, Start, Stop};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Line, PathError, Settings, trace};
use std::time::{Duration, Instant};

/// What a point may miss its conditions by, relative to the data, and its objective the optimum.
pub const TOLERANCE: f64 = 1e-8;

/// At what residual `validate` is asked.
const VALID: f64 = 1e-9;

/// How many points of a path have their objectives compared with the least.
const DOUBTS: usize = 3;

/// What became of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The whole line, and every point of it is right; whether `validate` has complaints.
    Complete { complaints: bool },
    /// The path ends early, or there is none, for a reason that holds.
    Stopped,
    /// What it says is wrong, and its certificate does not say so.
    Wrong(String),
    /// An error, or an answer whose certificate fails.
    Declined(String),
    /// It does not end.
    Endless,
    /// A panic.
    Panic(String),
}

/// Ends a run that has taken too long.
struct Deadline(Instant);

impl Observer<f64> for Deadline {
    fn event(&mut self, _event: &Event<'_, f64>) -> bool {
        Instant::now() < self.0
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.event(event)
    }
}

/// Follows a problem and judges what comes out. A run that is asked to stop at `patience` is endless.
pub fn follow(family: Family, seed: u64, form: Form, patience: Duration) -> Outcome {
    judge(&family.problem(seed), form, family.is_exact(), patience)
}

/// The same for any problem; of exact ones the reason for an early end is verified exactly.
pub fn judge(problem: &Problem, form: Form, exact: bool, patience: Duration) -> Outcome {
    let line = match problem.line(form) {
        Ok(line) => line,
        Err(error) => return Outcome::Declined(format!("not posed: {error}")),
    };
    let start = problem.guess.clone().map_or(Start::Anywhere, Start::Guess);
    let mut deadline = Deadline(Instant::now() + patience);
    let traced = trace(&line, &start, &Settings::default(), &mut deadline);
    let trial = Trial { problem, form, line: &line, judge: Judge::new(problem, form), exact };
    match traced {
        Ok(path) if matches!(path.stop(), Some(Stop::Asked { .. })) => Outcome::Endless,
        Ok(path) => trial.path(&path),
        Err(failure) => match (failure.0, failure.1) {
            (PathError::StartStopped { .. }, _) => Outcome::Endless,
            (error, None) => trial.error(error),
            (error, Some(_)) => Outcome::Declined(error.to_string()),
        },
    }
}

/// A point whose residuals are within rounding, but without it would not bound its objective.
struct Doubt {
    t: f64,
    x: Vec<f64>,
    found: Residuals,
}

struct Trial<'a> {
    problem: &'a Problem,
    form: Form,
    line: &'a Line<f64>,
    judge: Judge<'a>,
    exact: bool,
}

impl Trial<'_> {
    fn path(&self, path: &Path<f64>) -> Outcome {
        let whole = path.is_complete() || path.is_endless();
        if !self.problem.ray && whole && *path.end() != 1.0 {
            return Outcome::Wrong(format!("complete, but ends at {}", path.end()));
        }
        let complaints = !validate(path, self.line, &VALID).is_empty();
        match self.points(path) {
            Err(wrong) if complaints => return Outcome::Declined(format!("its certificate fails: {wrong}")),
            Err(wrong) => return Outcome::Wrong(wrong),
            Ok(()) => {}
        }
        match path.stop() {
            Some(Stop::Target | Stop::Diverges { .. }) => Outcome::Complete { complaints },
            Some(Stop::Infeasible { t }) => self.infeasible(*t),
            Some(Stop::Unbounded { t, .. }) => self.unbounded(*t),
            other => Outcome::Wrong(format!("ended with {other:?}")),
        }
    }

    /// Every segment at both ends, in the middle and at two more positions.
    fn points(&self, path: &Path<f64>) -> Result<(), String> {
        let segments = path.segments();
        let mut random = Random(segments.len() as u64);
        let (mut end, mut doubts) = (0.0, Vec::new());
        for (k, segment) in segments.iter().enumerate() {
            let last = k + 1 == segments.len();
            let next = match segments.get(k + 1) {
                Some(next) => next.t,
                None if path.is_endless() => 10.0 * (1.0 + segment.t),
                None => *path.end(),
            };
            if segment.t != end || next < segment.t {
                return Err(format!("segment {k} begins at {} and ends at {next}, the one before at {end}", segment.t));
            }
            end = next;
            let inner = |share: f64| (segment.t + (next - segment.t) * share).clamp(segment.t, next);
            let far = if last && path.is_endless() { 1e3 * next } else { next };
            let places = [segment.t, inner(0.5), inner(random.unit()), inner(random.unit()), next, far];
            self.segment(path, k, &places, &mut doubts)?;
        }
        if segments.is_empty() && *path.end() > 0.0 {
            return Err("no segment".into());
        }
        doubts.sort_by(|a, b| b.found.above.total_cmp(&a.found.above));
        doubts.iter().take(DOUBTS).try_for_each(|doubt| self.objective(doubt))
    }

    /// The objective of a doubtful point against the least there is.
    fn objective(&self, doubt: &Doubt) -> Result<(), String> {
        let Doubt { t, x, found } = doubt;
        let optimum = Question::at(self.problem, self.form, *t).solve().ok_or(format!("no optimum at t = {t:?}"))?;
        let above = |least: f64| self.judge.objective(*t, x).0 - least - found.noise;
        let allowed = TOLERANCE * found.size;
        if above(optimum.least) <= allowed {
            return Ok(());
        }
        let sure = if above(optimum.most) > allowed { "" } else { "perhaps " };
        Err(format!(
            "{}; {sure}the objective is {:.1e} above the least, {allowed:.1e} allowed and {:.1e} for rounding",
            describe(*t, found),
            self.judge.objective(*t, x).0 - optimum.least,
            found.noise
        ))
    }

    /// Points that are doubtful are added to `doubts`.
    fn segment(&self, path: &Path<f64>, k: usize, places: &[f64], doubts: &mut Vec<Doubt>) -> Result<(), String> {
        let at = |t: f64| path.law_at(k, &t).ok_or(format!("nothing at t = {t:?}"));
        let points: Vec<_> = places.iter().map(|t| at(*t)).collect::<Result<_, _>>()?;
        let first = &points[0].x;
        let is_inside = |i: usize| points.iter().any(|point| !self.judge.is_held(i, point.t, point.x[i]));
        let free: Vec<bool> = (0..first.len()).map(is_inside).collect();
        for point in &points {
            let reach: Vec<f64> = point.x.iter().zip(first).map(|(x, v)| x.abs().max(v.abs())).collect();
            let place = Place { t: point.t, x: &point.x, y: point.y, reach: &reach, free: &free };
            let found = self.judge.residuals(&place);
            if found.largest() > TOLERANCE {
                return Err(describe(point.t, &found));
            }
            if found.above > TOLERANCE * found.size + found.noise {
                doubts.push(Doubt { t: point.t, x: point.x.clone(), found });
            }
        }
        Ok(())
    }

    /// b leaves what aᵀx can be: at t it is at most at the end of that range, and beyond t outside.
    fn infeasible(&self, t: f64) -> Outcome {
        match self.judge.beyond(t) {
            Some((off, rate)) if off > TOLERANCE || (off > -TOLERANCE && rate > 0.0) => Outcome::Stopped,
            found => {
                Outcome::Wrong(format!("infeasible from t = {t:?} on, it says; b is beyond its range by {found:?}"))
            }
        }
    }

    /// Beyond t there is a direction along which the objective falls for ever. Of numbers that are not exact such a direction cannot be told from one that has an end.
    fn unbounded(&self, t: f64) -> Outcome {
        if !self.exact {
            return Outcome::Stopped;
        }
        let beyond = t + 1e-6 * (1.0 + t);
        let least = Question::descent(self.problem, self.form, beyond).solve();
        match least.map(|optimum| optimum.most) {
            Some(slope) if slope < -1e-9 => Outcome::Stopped,
            found => {
                Outcome::Wrong(format!("unbounded from t = {t:?} on, it says; the steepest way down is {found:?}"))
            }
        }
    }

    /// An error before there is a path.
    fn error(&self, error: PathError) -> Outcome {
        match &error {
            PathError::Infeasible { .. } => match self.judge.beyond(0.0) {
                Some((off, _)) if off > 0.0 => Outcome::Stopped,
                found => {
                    Outcome::Wrong(format!("infeasible at the start, it says; b is beyond its range by {found:?}"))
                }
            },
            PathError::UnboundedStart { .. } => self.unbounded(0.0),
            PathError::FreeDirection { .. } if self.judge.has_free_direction() => Outcome::Stopped,
            _ => Outcome::Declined(error.to_string()),
        }
    }
}

fn describe(t: f64, found: &Residuals) -> String {
    let Residuals { bounds, row, z, gap, worst, .. } = found;
    format!("at t = {t:?}: bounds {bounds:.1e}, row {row:.1e}, z {z:.1e} (variable {worst}), gap {gap:.1e}")
}
