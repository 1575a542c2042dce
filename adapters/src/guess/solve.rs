//! The solution at one θ: a guess, and the path from it to the solution.

use super::{Guess, Origin, Settings, at};
use crate::error::AdapterError;
use pathqp::observe::{Event, Observer};
use pathqp::{Follower, Line, ParametricQp, Path, PathError, Start};
use std::time::Instant;

/// Wall-clock times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// The time for the guess.
    pub guess: f64,
    /// The time from the guess to the solution.
    pub start: f64,
}

/// The solution at one θ, as a path of one point.
pub struct Solution {
    /// The line, which consists of that one point.
    pub line: Line<f64>,
    /// The path on that line; its only point is at t = 0.
    pub path: Path<f64>,
    /// The guess that it began with; `None` for a cold start.
    pub guess: Option<Guess>,
    /// Why the guess could not be used, so that a cold start was made after all.
    pub refused: Option<PathError>,
    /// The number of events on the way to the solution.
    pub events: usize,
    /// The number of changes of the status of an entry, in all events.
    pub changes: usize,
    /// The times taken.
    pub seconds: Seconds,
}

/// The exact solution at θ (p entries) from a start of the given origin. If no solution is reached from a guess, a cold start is made.
///
/// # Errors
/// As [`super::guess`] and [`Follower::watched`].
pub fn solve(
    qp: &ParametricQp<f64>,
    theta: &[f64],
    origin: Origin<'_>,
    settings: &Settings,
    engine: &pathqp::Settings,
    observer: &mut dyn Observer<f64>,
) -> Result<Solution, AdapterError> {
    let line = qp.line(theta, theta)?;
    let clock = Instant::now();
    let guess = match origin {
        Origin::Cold => None,
        // The smoothed primal knows of one equality row at most; a guess from elsewhere is taken as it is then.
        Origin::Smoothed if line.rows.is_some() => None,
        origin if line.rows.is_some() => Some(at(&line, origin, &Settings { stages: 0, ..*settings })?),
        origin => Some(at(&line, origin, settings)?),
    };
    let mut seconds = Seconds { guess: clock.elapsed().as_secs_f64(), start: 0.0 };
    let clock = Instant::now();
    let mut count = Count { events: 0, changes: 0, observer };
    let start = guess.as_ref().map_or(Start::Anywhere, |guess| Start::Guess(guess.x.clone()));
    let engine = pathqp::Settings { max_events: None, ..engine.clone() };
    let (path, refused) = match one_point(&line, &start, &engine, &mut count) {
        Ok(path) => (path, None),
        Err(stopped @ PathError::StartStopped { .. }) => return Err(stopped.into()),
        Err(error) if guess.is_none() => return Err(error.into()),
        Err(error) => (one_point(&line, &Start::Anywhere, &engine, &mut count)?, Some(error)),
    };
    seconds.start = clock.elapsed().as_secs_f64();
    let Count { events, changes, .. } = count;
    Ok(Solution { line, path, guess, refused, events, changes, seconds })
}

fn one_point(
    line: &Line<f64>,
    start: &Start<f64>,
    settings: &pathqp::Settings,
    observer: &mut dyn Observer<f64>,
) -> Result<Path<f64>, PathError> {
    let mut follower = Follower::watched(line, start, settings.clone(), observer)?;
    follower.run(observer)?;
    Ok(follower.into_path())
}

/// Counts changes of the active set.
struct Count<'o> {
    events: usize,
    changes: usize,
    observer: &'o mut dyn Observer<f64>,
}

impl Observer<f64> for Count<'_> {
    fn event(&mut self, event: &Event<'_, f64>) -> bool {
        self.observer.event(event)
    }

    fn start_event(&mut self, event: &Event<'_, f64>) -> bool {
        self.events += usize::from(!event.changes.is_empty());
        self.changes += event.changes.len();
        self.observer.start_event(event)
    }
}
