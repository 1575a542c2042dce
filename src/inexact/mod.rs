//! Approximate paths that no exact path is followed for: inexact solutions, each found from the one before, joined by chords.
//!
//! [`Path::approximate`] selects points of an exact path, which has to be followed first. Where a gap of some 10⁻³ of the objective is enough, far fewer solutions are
//! needed than there are breakpoints, and none of them exactly:
//!
//! ```text
//! x⁰ = a solution at the beginning of the line with a gap of at most E/4
//! until the end of the line:
//!     x¹ = a solution at t + h with a gap of at most E/4, found from x⁰ and its rate                  (descent.rs)
//!     if the bound on the gap between them is at most E, the chord is kept and t = t + h              (crate::gap)
//!     h is scaled as if the part of the bound that is not that of the ends grew like h²
//! ```
//!
//! The bound of [`crate::gap`] holds for any two feasible points, so that a path of this kind promises as much as any approximate path: at every t its x is feasible
//! with a duality gap of at most E. Only its stored points are no solutions either ([`Path::has_exact_points`]). The number of points is O(1/√E), as it is for a
//! selection of exact points.
//!
//! The problem must have a box, that is, both bounds of every variable: without one of them, the gap of a point that is no solution is infinite, or nearly always so.

mod descent;
mod row;

use crate::error::ApproximationError;
use crate::gap::Anchor;
use crate::observe::{Event, Observer};
use crate::path::{Follower, Path, Point, Start, Stop};
use crate::problem::Line;
use crate::settings::Settings;
use crate::stats::Stats;
use descent::{Descent, Ended};

/// The part of the tolerance that the gap of a stored point may take up.
const OF_A_POINT: f64 = 0.25;

/// The first step is this part of the line.
const FIRST: f64 = 1.0 / 64.0;

/// A step is so much shorter than the bound would allow if it grew like the square of the step.
const SAFE: f64 = 0.9;

/// A step is at most so many times as long as the last one, or as short.
const GROWTH: f64 = 4.0;

/// A point of the path with its bounds and multipliers.
struct Stored {
    point: Point<f64>,
    anchor: Anchor<f64>,
    /// At which bounds each variable is.
    at: Vec<[bool; 2]>,
}

/// The approximate path along `line` with a duality gap of at most `tolerance`, in units of the objective ½xᵀHx + cᵀx, from inexact solutions. The observer is told
/// of every stored point as of an event, and is asked between the sweeps of a solution as during a start; `Settings::max_events` limits the stored points.
///
/// # Errors
/// [`ApproximationError`] for a tolerance that is not positive and finite or that rounding does not reach, a ray, rows other than a single equality row, a missing
/// bound, and for a point at which there is no solution.
pub fn path(
    line: &Line<f64>,
    tolerance: f64,
    settings: &Settings,
    observer: &mut dyn Observer<f64>,
) -> Result<Path<f64>, ApproximationError> {
    let end = posed(line, tolerance)?;
    let mut solver =
        Solver { descent: Descent::new(line), line, tolerance, settings, observer, stats: Stats::default() };
    let x = (0..line.n()).map(|_| 0.0).collect();
    let mut path = Path::of_chords(line, &tolerance);
    let mut here = match solver.solve(line.begin, x)? {
        Some(first) => first,
        None => return Err(crate::PathError::StartStopped { events: 0 }.into()),
    };
    let (mut h, mut before) = ((end - line.begin) * FIRST, None::<Point<f64>>);
    let stop = loop {
        let from = here.point.t;
        if from >= end {
            break Stop::Target;
        }
        let t = if from + h * 1.01 >= end { end } else { from + h };
        let guess = ahead(before.as_ref(), &here.point, t);
        let Some(there) = solver.solve(t, guess)? else { break Stop::Asked { t: from } };
        let bound = here.anchor.gap_to(&there.anchor).ok_or(ApproximationError::Rounding { t, tolerance })?;
        let of_ends = [&here.anchor, &there.anchor].map(|anchor| anchor.gap().unwrap_or(f64::INFINITY));
        let points = of_ends[0].max(of_ends[1]) + bound.rounding;
        if points > tolerance * 0.5 || t <= from {
            return Err(ApproximationError::Rounding { t, tolerance });
        }
        let ratio = (tolerance - points) / (bound.total() - points);
        h = (t - from) * (SAFE * ratio.max(0.0).sqrt()).clamp(1.0 / GROWTH, GROWTH);
        if bound.total() > tolerance {
            before = Some(there.point);
            continue;
        }
        path.push_chord([&here.point, &there.point], [&here.at, &there.at], bound.total());
        before = Some(std::mem::replace(&mut here, there).point);
        if let Some(stop) = solver.told(&here.point) {
            break stop;
        }
    };
    path.finish(here.point.t, stop, solver.stats);
    Ok(path)
}

/// The end of the line, if such a path can be made along it.
fn posed(line: &Line<f64>, tolerance: f64) -> Result<f64, ApproximationError> {
    if !tolerance.is_finite() || tolerance <= 0.0 {
        return Err(ApproximationError::Positive { value: tolerance.to_string() });
    }
    if line.rows.is_some() {
        return Err(ApproximationError::Rows);
    }
    let bounds = line.bounds.lower.iter().zip(&line.bounds.upper);
    if let Some(variable) = bounds.into_iter().position(|(lower, upper)| lower.is_none() || upper.is_none()) {
        return Err(ApproximationError::Bound { variable });
    }
    line.end.ok_or(ApproximationError::Ray)
}

/// x at t on the straight line through two points, the nearer one of which is `here`; that point itself where there is no other.
fn ahead(other: Option<&Point<f64>>, here: &Point<f64>, t: f64) -> Vec<f64> {
    let Some(other) = other.filter(|other| other.t != here.t) else { return here.x.clone() };
    let s = (t - here.t) / (here.t - other.t);
    here.x.iter().zip(&other.x).map(|(x, other)| x + s * (x - other)).collect()
}

/// Finds the points of a path one after the other.
struct Solver<'a> {
    descent: Descent<'a>,
    line: &'a Line<f64>,
    tolerance: f64,
    settings: &'a Settings,
    observer: &'a mut dyn Observer<f64>,
    stats: Stats,
}

impl Solver<'_> {
    /// A solution at t with a gap of at most a quarter of the tolerance, from a guess; `None` if the observer asked to stop. Where descent does not arrive, the engine
    /// solves exactly.
    fn solve(&mut self, t: f64, guess: Vec<f64>) -> Result<Option<Stored>, ApproximationError> {
        let goal = self.tolerance * OF_A_POINT;
        let (ended, sweeps) = self.descent.solve(t, guess, goal, &mut *self.observer);
        self.stats.pivots += sweeps;
        let (x, y) = match ended {
            Ended::Asked => return Ok(None),
            Ended::Found { x, y } => (x, y),
            Ended::Late { x } => {
                self.stats.detours += 1;
                self.exactly(t, x)?
            }
        };
        let anchor = Anchor::new(self.line, &t, &x, &y);
        let bounds = &self.line.bounds;
        let at = |(i, x): (usize, &f64)| [bounds.lower_at(i, &t) == Some(*x), bounds.upper_at(i, &t) == Some(*x)];
        let at: Vec<[bool; 2]> = x.iter().enumerate().map(at).collect();
        let free = (0..x.len()).filter(|&i| at[i] == [false; 2]).collect();
        let point = Point { t, x, y, rows: Vec::new(), floating: false, free, fit: None };
        Ok(Some(Stored { point, anchor, at }))
    }

    /// The exact solution at t, from a guess if it is feasible.
    fn exactly(&mut self, t: f64, guess: Option<Vec<f64>>) -> Result<(Vec<f64>, f64), ApproximationError> {
        let here = Line { begin: t, ..self.line.clone() }.held();
        let start = guess.map_or(Start::Anywhere, Start::Guess);
        let settings = Settings { max_events: None, ..self.settings.clone() };
        let mut follower = Follower::watched(&here, &start, settings, &mut *self.observer)?;
        follower.run(&mut ())?;
        let point = follower.into_path().at(&0.0);
        point.map(|point| (point.x, point.y)).ok_or(ApproximationError::Rounding { t, tolerance: self.tolerance })
    }

    /// Tells the observer of a stored point; the reason to stop, if there is one.
    fn told(&mut self, point: &Point<f64>) -> Option<Stop<f64>> {
        let t = point.t;
        self.stats.events += 1;
        self.stats.max_free = self.stats.max_free.max(point.free.len());
        let event = Event { t: &t, changes: &[], breakpoint: true, free: point.free.len(), stats: &self.stats };
        if !self.observer.event(&event) {
            return Some(Stop::Asked { t });
        }
        let events = self.settings.max_events.filter(|limit| self.stats.events >= *limit)?;
        Some(Stop::EventLimit { t, events })
    }
}
