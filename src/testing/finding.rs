//! The findings of the checks, in words.

use crate::error::{PathError, ProblemError};
use crate::path::Stop;
use crate::validate::Violation;
use std::fmt;

/// One thing that is wrong. θ always has p entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The line, or the problem in exact scalars, could not be posed.
    Problem(ProblemError),
    /// The path could not be followed.
    Path {
        /// The error.
        error: PathError,
        /// The path that it occurred on.
        on: Which,
    },
    /// A path ended before its line.
    Stopped {
        /// Why; t is counted from the beginning of that path.
        stop: Option<Stop<f64>>,
        /// The path.
        on: Which,
    },
    /// A violation found by [`validate`](crate::validate::validate).
    Violation {
        /// The violation; t is counted from the beginning of that path.
        violation: Violation<f64>,
        /// θ at the violation, if it belongs to a position.
        theta: Option<Vec<f64>>,
        /// The path.
        on: Which,
    },
    /// A KKT residual above the tolerance at a random position.
    Residual {
        /// θ.
        theta: Vec<f64>,
        /// The residual.
        residual: f64,
        /// The variable with the largest violation.
        index: usize,
    },
    /// The objective lies outside the interval found by the other solver.
    Objective {
        /// θ.
        theta: Vec<f64>,
        /// The objective of the path.
        path: f64,
        /// The lower and the upper bound on the optimum from the other solver.
        between: [f64; 2],
    },
    /// The other solver found no answer that is accurate enough.
    Unsolved {
        /// θ.
        theta: Vec<f64>,
    },
    /// A breakpoint that only one of two paths has.
    Alone {
        /// θ.
        theta: Vec<f64>,
        /// The path with this breakpoint.
        on: Which,
        /// The path without it.
        not_on: Which,
    },
    /// A violation found by [`validate`](crate::validate::validate) on the path in exact scalars, without any tolerance.
    Inexact(String),
    /// A fault of critical regions, in two parameters or any number.
    Complex(String),
    /// The objective differs from that of an equivalent problem.
    Unlike {
        /// θ.
        theta: Vec<f64>,
        /// The objective of the path.
        path: f64,
        /// The objective of the equivalent problem.
        other: f64,
        /// The path of the equivalent problem.
        on: Which,
    },
    /// The objective differs from that in exact scalars.
    Differs {
        /// θ.
        theta: Vec<f64>,
        /// The objective of the path.
        path: f64,
        /// The exact objective.
        exact: f64,
    },
}

/// One of the paths that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The path from the beginning of the line.
    Forwards,
    /// The path from the other end.
    Backwards,
    /// The path in exact scalars.
    Exact,
    /// The path with the variables in another order.
    Permuted,
    /// The path with the variables in other units.
    Scaled,
    /// The path with every variable twice.
    Duplicated,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Which::Forwards => "the path",
            Which::Backwards => "the path from the other end",
            Which::Exact => "the path on exact scalars",
            Which::Permuted => "the path in another order",
            Which::Scaled => "the path in other units",
            Which::Duplicated => "the path with every variable twice",
        })
    }
}

/// θ as it is written: a number, or several in brackets.
struct Theta<'a>(&'a [f64]);

impl fmt::Display for Theta<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [theta] => write!(f, "θ = {theta:?}"),
            several => {
                let numbers: Vec<String> = several.iter().map(|theta| format!("{theta:?}")).collect();
                write!(f, "θ = ({})", numbers.join(", "))
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Problem(error) => write!(f, "the problem cannot be posed: {error}"),
            Finding::Path { error, on } => write!(f, "{on} cannot be followed: {error}"),
            Finding::Stopped { stop: None, on } => write!(f, "{on} ends before its line does"),
            Finding::Stopped { stop: Some(stop), on } => write!(f, "{on} ends before its line does: {stop:?}"),
            Finding::Violation { violation, theta: None, on } => write!(f, "on {on}, {violation}"),
            Finding::Violation { violation, theta: Some(theta), on } => {
                write!(f, "at {}, on {on}, {violation}", Theta(theta))
            }
            Finding::Residual { theta, residual, index } => {
                write!(f, "at {}, variable {index} has a KKT residual of {residual:?}", Theta(theta))
            }
            Finding::Objective { theta, path, between: [dual, primal] } => write!(
                f,
                "at {}, the objective is {path:?}, but the interior-point solver's lies between {dual:?} and {primal:?}",
                Theta(theta)
            ),
            Finding::Unlike { theta, path, other, on } => {
                write!(f, "at {}, the objective is {path:?}, on {on} {other:?}", Theta(theta))
            }
            Finding::Complex(text) => write!(f, "of the critical regions: {text}"),
            Finding::Unsolved { theta } => {
                write!(f, "at {}, the interior-point solver has no answer to compare with", Theta(theta))
            }
            Finding::Alone { theta, on, not_on } => {
                write!(f, "at {}, {on} has a breakpoint and {not_on} has none", Theta(theta))
            }
            Finding::Inexact(violation) => write!(f, "on {}, {violation}", Which::Exact),
            Finding::Differs { theta, path, exact } => {
                write!(f, "at {}, the objective is {path:?}, on exact scalars {exact:?}", Theta(theta))
            }
        }
    }
}
