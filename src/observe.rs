//! Observers of a path while it is followed.

use crate::active_set::Status;
use crate::error::PathError;
use crate::path::Checkpoint;
use crate::scalar::Scalar;
use crate::stats::Stats;

/// An event: all changes of the active set at one t.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a, S> {
    /// Position on the line.
    pub t: &'a S,
    /// The indices whose status changed, each with its status before and after. Rows come after the n variables.
    pub changes: &'a [(usize, Status, Status)],
    /// Whether the sign pattern of z changed.
    pub breakpoint: bool,
    /// The number of free variables after the event.
    pub free: usize,
    /// Counters so far.
    pub stats: &'a Stats,
}

/// Called at every event of a path; may stop it.
pub trait Observer<S> {
    /// Called after every event; returns whether to continue.
    fn event(&mut self, event: &Event<'_, S>) -> bool;

    /// Called at the events of the search for the first solution ([`crate::Start::Anywhere`] and [`crate::Start::Guess`]), and of parts of the path that are
    /// followed in a wider scalar because double precision does not resolve them; returns whether to continue. By default it continues.
    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        true
    }

    /// Called before each [`Observer::event`]. `make` copies the follower's state, which
    /// takes time and memory proportional to the path so far. By default nothing happens.
    fn checkpoint(&mut self, _make: &dyn Fn() -> Checkpoint<S>) {}
}

/// An observer of the search for the first solution, which is a path of its own. It passes the events on as [`Observer::start_event`]s of another observer,
/// counts them over all attempts, and stops at a limit.
pub struct Starting<'a, S> {
    observer: &'a mut dyn Observer<S>,
    events: usize,
    limit: Option<usize>,
}

impl<'a, S> Starting<'a, S> {
    /// Passes events on to `observer`, and stops after `limit` events.
    pub fn new(observer: &'a mut dyn Observer<S>, limit: Option<usize>) -> Self {
        Starting { observer, events: 0, limit }
    }

    /// Whether the observer lets a search continue between whose steps there are no events.
    pub(crate) fn goes_on(&mut self) -> bool
    where
        S: Scalar,
    {
        let (t, stats) = (S::zero(), Stats::default());
        self.observer.start_event(&Event { t: &t, changes: &[], breakpoint: false, free: 0, stats: &stats })
    }

    /// The error for a stopped search: [`PathError::StartLimit`] at the limit, otherwise [`PathError::StartStopped`].
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

/// A closure that is called at every event with the event, and returns whether to continue.
pub struct Watch<F>(pub F);

impl<S, F: FnMut(&Event<'_, S>) -> bool> Observer<S> for Watch<F> {
    fn event(&mut self, event: &Event<'_, S>) -> bool {
        (self.0)(event)
    }
}

/// A closure that is called at every event, also those before the first solution and in a wider scalar ([`Observer::start_event`]), and returns whether to
/// continue.
pub struct Ask<F>(pub F);

impl<S, F: FnMut() -> bool> Observer<S> for Ask<F> {
    fn event(&mut self, _event: &Event<'_, S>) -> bool {
        (self.0)()
    }

    fn start_event(&mut self, _event: &Event<'_, S>) -> bool {
        (self.0)()
    }
}
