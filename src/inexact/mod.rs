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
//! On small penalties descent takes thousands of sweeps to arrive. Past a limit it is given up: there an exact path costs less.
//!
//! The problem must have a box, that is, both bounds of every variable: without one of them, the gap of a point that is no solution is infinite, or nearly always so.

mod descent;
mod row;

use crate::error::{ApproximationError, PathError};
use crate::gap::Anchor;
use crate::observe::{Event, Observer};
use crate::path::{Path, Point, Stop};
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

/// What is left of the line after a step is taken with it if it is less than this part of the step.
const NEARLY: f64 = 1.01;

/// The gap of a point and its rounding may be at most this part of the tolerance: descent asked for half of that.
const MOST: f64 = 2.0 * OF_A_POINT;

/// A point of the path with its bounds and multipliers.
struct Stored {
    point: Point<f64>,
    anchor: Anchor<f64>,
    /// The gap of the point, with what rounding may have taken from it.
    gap: f64,
    /// At which bounds each variable is.
    at: Vec<[bool; 2]>,
}

/// The approximate path along `line` with a duality gap of at most `tolerance`, in units of the objective ½xᵀHx + cᵀx, from inexact solutions. `None` where they
/// cannot be had: descent does not arrive, rounding hides a gap of that size, or no x is feasible at some t. Then follow the exact path and approximate it. The observer is told of every stored point
/// as of an event, and is asked between the sweeps of a solution as during a start; `Settings::max_events` limits the stored points.
///
/// # Errors
/// [`ApproximationError`] for a tolerance that is not positive and finite, a ray, rows other than a single equality row, a missing bound, and when the observer stops
/// the search for the first point.
pub fn path(
    line: &Line<f64>,
    tolerance: f64,
    settings: &Settings,
    observer: &mut dyn Observer<f64>,
) -> Result<Option<Path<f64>>, ApproximationError> {
    let end = posed(line, tolerance)?;
    let mut solver =
        Solver { descent: Descent::new(line), line, tolerance, settings, observer, stats: Stats::default() };
    let mut here = match solver.solve(line.begin, vec![0.0; line.n()]) {
        Found::Stored(first) => first,
        Found::Nothing => return Ok(None),
        Found::Asked => return Err(PathError::StartStopped { events: 0 }.into()),
    };
    let mut path = Path::of_chords(line, &tolerance);
    let (mut h, mut before) = ((end - line.begin) * FIRST, None::<Point<f64>>);
    let stop = loop {
        let from = here.point.t;
        if from >= end {
            break Stop::Target;
        }
        let t = if from + h * NEARLY >= end { end } else { from + h };
        let there = match solver.solve(t, ahead(before.as_ref(), &here.point, t)) {
            Found::Stored(there) => there,
            Found::Nothing => return Ok(None),
            Found::Asked => break Stop::Asked { t: from },
        };
        let bound = here.anchor.gap_to(&there.anchor).map_or(f64::INFINITY, |bound| bound.total());
        let of_ends = here.gap.max(there.gap);
        let told = of_ends <= tolerance * MOST;
        if !told || t <= from {
            return Ok(None);
        }
        let ratio = (tolerance - of_ends) / (bound - of_ends).max(0.0);
        h = (t - from) * (SAFE * ratio.sqrt()).clamp(1.0 / GROWTH, GROWTH);
        if bound > tolerance {
            before = Some(there.point);
            continue;
        }
        path.push_chord([&here.point, &there.point], [&here.at, &there.at], bound);
        before = Some(std::mem::replace(&mut here, there).point);
        if let Some(stop) = solver.told(&here.point) {
            break stop;
        }
    };
    path.finish(here.point.t, stop, solver.stats);
    Ok(Some(path))
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

/// What the search for a point found.
enum Found {
    Stored(Stored),
    /// Descent did not arrive, or no x is feasible.
    Nothing,
    /// The observer asked to stop.
    Asked,
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
    /// A solution at t with a gap of at most a quarter of the tolerance, from a guess.
    fn solve(&mut self, t: f64, guess: Vec<f64>) -> Found {
        let goal = self.tolerance * OF_A_POINT;
        // Where no x is feasible, the exact path says how far there is one.
        let Ok((ended, sweeps)) = self.descent.solve(t, guess, goal, &mut *self.observer) else {
            return Found::Nothing;
        };
        self.stats.pivots += sweeps;
        let (x, y) = match ended {
            Ended::Asked => return Found::Asked,
            Ended::Late => return Found::Nothing,
            Ended::Found { x, y } => (x, y),
        };
        let anchor = Anchor::new(self.line, &t, &x, &y);
        let gap = anchor.gap_to(&anchor).map_or(f64::INFINITY, |gap| gap.total());
        let bounds = &self.line.bounds;
        let at = |(i, x): (usize, &f64)| [bounds.lower_at(i, &t) == Some(*x), bounds.upper_at(i, &t) == Some(*x)];
        let at: Vec<[bool; 2]> = x.iter().enumerate().map(at).collect();
        let free = (0..x.len()).filter(|&i| at[i] == [false; 2]).collect();
        let point = Point { t, x, y, rows: Vec::new(), floating: false, free, fit: None };
        Found::Stored(Stored { point, anchor, gap, at })
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
