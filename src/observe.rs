//! Watching a path as it is followed.

use crate::active_set::Status;
use crate::path::Checkpoint;
use crate::stats::Stats;

/// What happened at one t.
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
    /// Returns whether to go on.
    fn event(&mut self, event: &Event<'_, S>) -> bool;

    /// Called at every event on the way to the solution at which the path begins ([`crate::Start::Anywhere`] and
    /// [`crate::Start::Guess`]); returns whether to go on. Goes on by default.
    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        true
    }

    /// Called before [`Observer::event`]: `make` copies the follower's state, which takes time and memory in proportion to
    /// the path so far. Does nothing by default.
    fn checkpoint(&mut self, _make: &dyn Fn() -> Checkpoint<S>) {}
}

/// The way to the first solution is a path of its own: its events are the other observer's [`Observer::start_event`]s.
pub struct Starting<'a, S>(pub &'a mut dyn Observer<S>);

impl<S> Observer<S> for Starting<'_, S> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        self.0.start_event(event)
    }

    fn start_event(&mut self, event: &Event<'_, S>) -> bool {
        self.0.start_event(event)
    }
}

/// Never stops anything.
impl<S> Observer<S> for () {
    fn event(&mut self, _event: &Event<'_, S>) -> bool {
        true
    }
}

/// A closure that returns whether to go on.
pub struct Watch<F>(pub F);

impl<S, F: FnMut(&Event<'_, S>) -> bool> Observer<S> for Watch<F> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        (self.0)(event)
    }
}
