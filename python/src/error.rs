//! Errors of the library as Python exceptions.

use pathqp::{PathError as Engine, ProblemError};
use pathqp_adapters::AdapterError;
use pathqp_adapters::bilevel::BilevelError;
use pathqp_moments::MomentsError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    pathqp,
    InputError,
    PyValueError,
    "Data or a parameter that cannot be used; the message names the row and the column (both from zero), or the parameter."
);
create_exception!(pathqp, PathError, PyRuntimeError, "A path that could not be followed.");

/// A wrong question, or a path that failed.
pub fn adapter(error: AdapterError) -> PyErr {
    match error {
        AdapterError::Path(error) => path(error),
        AdapterError::Table { error, .. } => adapter(*error),
        // A parameter's name is joined by dashes on the command line, by underscores here.
        AdapterError::Parameter { name, .. } => input(error.to_string().replacen(name, &name.replace('-', "_"), 1)),
        error => input(error),
    }
}

/// A path that failed.
pub fn path(error: Engine) -> PyErr {
    PathError::new_err(error.to_string())
}

/// A problem that cannot be posed.
pub fn problem(error: ProblemError) -> PyErr {
    input(error)
}

/// Tuning that failed.
pub fn bilevel(error: BilevelError) -> PyErr {
    match error {
        BilevelError::Adapter(error) => adapter(error),
        BilevelError::Complex(error) => PathError::new_err(error.to_string()),
        error => input(error),
    }
}

/// Moments that cannot be had.
pub fn moments(error: MomentsError) -> PyErr {
    input(error)
}

/// A wrong question.
pub fn input(message: impl ToString) -> PyErr {
    InputError::new_err(message.to_string())
}
