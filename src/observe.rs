//! Watching a path as it is followed.

use crate::active_set::Status;
use crate::error::PathError;
use crate::path::Checkpoint;
use crate::scalar::Scalar;
use crate::stats::Stats;

/// An event: the changes of the active set at one t.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a, S> {
    /// Position on the line.
    pub t: &'a S,
    /// Indices whose status changed: index, before, after.
    pub changes: &'a [(usize, Status, Status)],
    /// Whether the sign pattern of z changed.
    pub breakpoint: bool,
    /// |F| after the event.
    pub free: usize,
    /// Counters so far.
    pub stats: &'a Stats,
}

/// Called at every event; may stop the run.
pub trait Observer<S> {
    /// Returns whether to continue.
    fn event(&mut self, event: &Event<'_, S>) -> bool;

    /// Called at every event on the way to the solution at which the path begins ([`crate::Start::Anywhere`] and
    /// [`crate::Start::Guess`]), and of a stretch that is followed in a wider scalar because double precision does not resolve it;
    /// returns whether to continue. By default it continues.
    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        true
    }

    /// Called before [`Observer::event`]: `make` copies the follower's state, which takes time and memory in proportion to
    /// the path so far. Does nothing by default.
    fn checkpoint(&mut self, _make: &dyn Fn() -> Checkpoint<S>) {}
}

/// The way to the first solution is a path of its own: its events are the other observer's [`Observer::start_event`]s. They are counted, all attempts
/// together, and end with a limit.
pub struct Starting<'a, S> {
    observer: &'a mut dyn Observer<S>,
    events: usize,
    limit: Option<usize>,
}

impl<'a, S> Starting<'a, S> {
    /// With the observer of the path, and the most events that the way may have.
    pub fn new(observer: &'a mut dyn Observer<S>, limit: Option<usize>) -> Self {
        Starting { observer, events: 0, limit }
    }

    /// Why it ended before it arrived: the limit, or the observer.
    pub fn stopped(&self) -> PathError {
        match self.limit {
            Some(limit) if self.events >= limit => PathError::StartLimit { events: self.events },
            _ => PathError::StartStopped { events: self.events },
        }
    }
}

impl<S> Observer<S> for Starting<'_, S> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        self.start_event(event)
    }

    fn start_event(&mut self, event: &Event<'_, S>) -> bool {
        self.events += 1;
        self.observer.start_event(event) && self.limit.is_none_or(|limit| self.events < limit)
    }
}

/// Shows the events of a way in the wider scalar, rounded, as [`Observer::start_event`]s.
pub(crate) struct Narrowing<'a, S>(pub(crate) &'a mut dyn Observer<S>);

impl<S: Scalar> Observer<S::Wider> for Narrowing<'_, S> {
    fn event(&mut self, event: &Event<'_, S::Wider>) -> bool {
        self.start_event(event)
    }

    fn start_event(&mut self, event: &Event<'_, S::Wider>) -> bool {
        let Event { t, changes, breakpoint, free, stats } = *event;
        self.0.start_event(&Event { t: &S::narrow(t), changes, breakpoint, free, stats })
    }
}

/// Never stops anything.
impl<S> Observer<S> for () {
    fn event(&mut self, _event: &Event<'_, S>) -> bool {
        true
    }
}

/// A closure that returns whether to continue.
pub struct Watch<F>(pub F);

impl<S, F: FnMut(&Event<'_, S>) -> bool> Observer<S> for Watch<F> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        (self.0)(event)
    }
}

/// A closure that returns at every event whether to continue, also at the events before the first solution and in a wider scalar ([`Observer::start_event`]).
pub struct Ask<F>(pub F);

impl<S, F: FnMut() -> bool> Observer<S> for Ask<F> {
    fn event(&mut self, _event: &Event<'_, S>) -> bool {
        (self.0)()
    }

    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        (self.0)()
    }
}
