//! What can be wrong, in words.

use crate::error::{PathError, ProblemError};
use crate::path::Stop;
use crate::validate::Violation;
use std::fmt;

/// One thing wrong. θ has p entries.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The line, or the problem on exact scalars, could not be posed.
    Problem(ProblemError),
    /// The path could not be followed.
    Path {
        /// Why.
        error: PathError,
        /// Which path.
        on: Which,
    },
    /// The path ends before its line does.
    Stopped {
        /// Why; its t is counted from where that path begins.
        stop: Option<Stop<f64>>,
        /// Which path.
        on: Which,
    },
    /// What [`validate`](crate::validate::validate) says about a path.
    Violation {
        /// What it says; its t is counted from where that path begins.
        violation: Violation<f64>,
        /// θ there, if it is about a place.
        theta: Option<Vec<f64>>,
        /// Which path.
        on: Which,
    },
    /// A KKT residual at a random position.
    Residual {
        /// θ.
        theta: Vec<f64>,
        /// The residual.
        residual: f64,
        /// The worst variable.
        index: usize,
    },
    /// The objective differs from the other solver's.
    Objective {
        /// θ.
        theta: Vec<f64>,
        /// The path's objective.
        path: f64,
        /// The other solver's dual and primal objective.
        between: [f64; 2],
    },
    /// The other solver has no answer.
    Unsolved {
        /// θ.
        theta: Vec<f64>,
    },
    /// A breakpoint that only one of two paths has.
    Alone {
        /// θ.
        theta: Vec<f64>,
        /// The path that has it.
        on: Which,
        /// The path that has none there.
        not_on: Which,
    },
    /// What [`validate`](crate::validate::validate) says about the path on exact scalars, with no tolerance.
    Inexact(String),
    /// What is wrong with the critical regions.
    Complex(String),
    /// The objective differs from that of a problem that means the same.
    Unlike {
        /// θ.
        theta: Vec<f64>,
        /// The path's objective.
        path: f64,
        /// The other one.
        other: f64,
        /// Which path has that.
        on: Which,
    },
    /// The objective differs from that on exact scalars.
    Differs {
        /// θ.
        theta: Vec<f64>,
        /// The path's objective.
        path: f64,
        /// The exact one.
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
    /// The path on exact scalars.
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
