//! The start of a path, and why it ends.

use crate::active_set::Status;

/// How the solution at the beginning of a line is found.
#[derive(Clone, Debug, PartialEq)]
pub enum Start<S> {
    /// From the point of the box that is nearest to zero, moved until it is feasible.
    Anywhere,
    /// From a feasible guess x, n entries. The better the guess, the fewer events.
    Guess(Vec<S>),
    /// From the active set of the solution, if it is known (in closed form, or from another path).
    ActiveSet {
        /// The status of each of the n variables; with [`ParametricQp::rows`](crate::ParametricQp::rows) optionally followed by that of each row
        /// ([`Path::row_status_on`](crate::Path::row_status_on)).
        status: Vec<Status>,
        /// A hint for the multiplier of the equality row. It is used only if the active set does not determine y: y is then the value of its interval nearest
        /// to the hint; without a hint it is the middle of the interval, or its only finite end.
        y: Option<S>,
    },
}

/// Why a path ended.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Stop<S> {
    /// The end of the line was reached.
    Target,
    /// Beyond t no x satisfies the bounds and the rows.
    Infeasible {
        /// The last position with a feasible x.
        t: S,
    },
    /// At t the objective becomes unbounded below.
    Unbounded {
        /// The position.
        t: S,
        /// A variable that moves along the direction in which the objective is unbounded.
        index: usize,
    },
    /// On a ray: there is no event after t, and x grows without bound as t → ∞.
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
