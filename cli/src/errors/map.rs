//! What can be wrong with a question about a map.

use crate::values::interval;
use pathqp_views::words::number;
use thiserror::Error;

/// Invalid input for a map. Each is one line that names the culprit and says what to do.
#[derive(Debug, Error)]
pub enum MapError {
    /// A map of a problem with one parameter.
    #[error("{problem} has only one parameter, and a map needs two; use pathqp path instead")]
    OneParameter {
        /// The problem.
        problem: String,
    },
    /// An end of the domain outside the parameter's range.
    #[error("--domain {}: {name} lies in {}; choose a value in that interval", number(*value), interval(*low, *high))]
    DomainOutside {
        /// The value.
        value: f64,
        /// The parameter.
        name: String,
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
    /// A lower end that was left out where there is no natural one.
    #[error("--domain: {name} has no natural lower end; give a positive number, such as 1e-3:")]
    DomainOpen {
        /// The parameter.
        name: String,
    },
    /// A range without length.
    #[error("--domain: {name} from {} to {}; the second number must be larger", number(*from), number(*to))]
    DomainEmpty {
        /// The parameter.
        name: String,
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// Colours by the loss without rows to measure it on.
    #[error("--color validation needs --test: give a file with rows and their response")]
    NoTest,
    /// A row that is not there.
    #[error("--color alpha:{row}: {file} has {rows} rows; choose one of them")]
    NoRow {
        /// The row, from one.
        row: usize,
        /// The data file.
        file: String,
        /// The number of rows.
        rows: usize,
    },
    /// Not a point of a plane.
    #[error("--param: {found} values; give two, {} and {}", names[0], names[1])]
    NotAPoint {
        /// How many there are.
        found: usize,
        /// The parameters.
        names: [&'static str; 2],
    },
    /// Another number of ranges than parameters.
    #[error("--domain: {found} ranges; give {expected}, one for each of {}", names.join(", "))]
    Ranges {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// The parameters.
        names: Vec<&'static str>,
    },
    /// A range without an end.
    #[error("--domain: the range of {name} needs both ends; give A:B")]
    RangeOpen {
        /// The parameter.
        name: &'static str,
    },
    /// Not a point of the domain's dimension.
    #[error("--param: {found} values; give {}, one for each of {}", names.len(), names.join(", "))]
    NotAPlace {
        /// How many there are.
        found: usize,
        /// The parameters.
        names: Vec<&'static str>,
    },
    /// What there is for maps in two parameters without rows only.
    #[error("{option} is only for maps in two parameters without rows; leave it out")]
    PlaneOnly {
        /// The option.
        option: &'static str,
    },
    /// A program in C of a problem that has no critical regions of the general kind.
    #[error("--export-c is only for maps of mpc and qp, and this one is of {problem}; leave it out")]
    NoProgram {
        /// The problem.
        problem: String,
    },
    /// A start outside the domain of a map.
    #[error("--start {},{}: this point lies outside {domain}; choose a point inside", number(point[0]), number(point[1]))]
    StartOutside {
        /// The point.
        point: [f64; 2],
        /// The domain.
        domain: String,
    },
    /// A point outside a kept map.
    #[error("--param {},{}: {file} covers {domain}; choose a point inside", number(point[0]), number(point[1]))]
    PointOutside {
        /// The point.
        point: [f64; 2],
        /// The map file.
        file: String,
        /// Its domain.
        domain: String,
    },
}
