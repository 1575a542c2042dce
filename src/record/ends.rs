//! How a path begins, and why it ends.

use crate::active_set::Status;

/// How to find the solution at the beginning of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Start<S> {
    /// From the point of the boxes that is nearest to zero, which is then made feasible.
    Anywhere,
    /// From a feasible guess, n entries: the better the guess, the fewer events.
    Guess(Vec<S>),
    /// From a known active set, for example in closed form: one status per variable, and a hint for y.
    ActiveSet {
        /// The status of every variable; with [`ParametricQp::rows`](crate::ParametricQp::rows) also of every row, if these are known ([`Path::row_status_on`](crate::Path::row_status_on)).
        status: Vec<Status>,
        /// The multiplier of the equality row. It is used only if the free set leaves an interval for it: y is then the value of that
        /// interval nearest to it; without a hint the middle of the interval, or its only finite end.
        y: Option<S>,
    },
}

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Stop<S> {
    /// The end of the line was reached.
    Target,
    /// Beyond t no x satisfies the bounds and the equality row.
    Infeasible {
        /// The last feasible position.
        t: S,
    },
    /// At t the objective becomes unbounded below.
    Unbounded {
        /// The position.
        t: S,
        /// A variable with a nonzero entry in the unbounded direction.
        index: usize,
    },
    /// On a ray: no event after t, and x grows without bound, so that there is no solution in the limit.
    Diverges {
        /// The last breakpoint.
        t: S,
    },
    /// `Settings::max_events` was reached.
    EventLimit {
        /// The position.
        t: S,
        /// The limit.
        events: usize,
    },
    /// The observer asked to stop.
    Asked {
        /// The position.
        t: S,
    },
}
