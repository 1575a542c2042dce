//! What can go wrong on the command line, and the exit statuses.

mod exit;
mod map;

pub use exit::Exit;
pub use map::MapError;

use crate::file::FileFault;
use crate::values::interval;
use pathqp::complex::ComplexError;
use pathqp::regions::RegionsError;
use pathqp::{ApproximationError, PathError};
use pathqp_adapters::AdapterError;
use pathqp_adapters::bilevel::BilevelError;
use pathqp_adapters::dataset::{DataError, place};
use pathqp_moments::MomentsError;
use pathqp_moments::theory::TheoryError;
use pathqp_views::ViewError;
use pathqp_views::words::number;
use std::io;
use thiserror::Error;

/// An error of the command line. Each is one line that names the culprit and says what to do.
#[derive(Debug, Error)]
pub enum CliError {
    /// Arguments that do not parse; the parser's own words on one line.
    #[error("{line}")]
    Arguments {
        /// The line.
        line: String,
    },
    /// A parameter that does not vary has no value.
    #[error("{problem} needs --{option}: give a number, such as --{option} 1e-3")]
    OptionMissing {
        /// The problem.
        problem: String,
        /// The option.
        option: &'static str,
    },
    /// An option that the problem does not take.
    #[error("{problem} takes no --{option} here; leave it out")]
    OptionUnused {
        /// The problem.
        problem: String,
        /// The option.
        option: String,
    },
    /// A parameter that the problem does not vary.
    #[error("--vary {name}: {problem} can vary {can}; choose one of them")]
    VaryUnknown {
        /// The problem.
        problem: String,
        /// The parameter.
        name: String,
        /// What can vary.
        can: String,
    },
    /// A parameter whose range has no end, and no end was given.
    #[error("{option} is missing: {name} has no natural end there; give a number")]
    EndMissing {
        /// --from or --to.
        option: &'static str,
        /// The parameter.
        name: String,
    },
    /// An end of the path outside the parameter's range.
    #[error("{option} {}: {name} lies in {}; choose a value in that interval", number(*value), interval(*low, *high))]
    EndOutside {
        /// --from or --to.
        option: &'static str,
        /// The value.
        value: f64,
        /// The parameter.
        name: String,
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
    /// A path without length.
    #[error("--from and --to are both {}: give two different values", number(*value))]
    NoLength {
        /// The value of both.
        value: f64,
    },
    /// A start from a file that holds another problem.
    #[error("--start {file}: {reason}; use lbfgs, cold, or a path of the same problem and the same number of rows")]
    StartFile {
        /// The file.
        file: String,
        /// What does not fit.
        reason: String,
    },
    /// A precomputed kernel whose entries would be scaled as if they were features.
    #[error("--scale {scaling} cannot be used with --kernel precomputed; leave --scale out")]
    ScaledKernel {
        /// The scaling.
        scaling: String,
    },
    /// The same file would be written over another one.
    #[error("{option} {file} is the file of {other}; choose another name")]
    SameFile {
        /// The option of the file that would be written.
        option: &'static str,
        /// The file.
        file: String,
        /// The option of the other file.
        other: String,
    },
    /// A parameter outside a kept path.
    #[error("--param {}: {file} covers {name} from {} to {}; choose a value between them", number(*value), number(*from), number(*to))]
    ParamOutside {
        /// The value.
        value: f64,
        /// The path file.
        file: String,
        /// The parameter.
        name: String,
        /// Where the path begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// A kept path that was interrupted before its first segment.
    #[error("{file}: the path was stopped before its first solution; run pathqp path again")]
    NothingKept {
        /// The path file.
        file: String,
    },
    /// A data file.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Data of a file that the scaling cannot take.
    #[error("{file}: {error}")]
    Scaling {
        /// The file.
        file: String,
        /// What the scaling says.
        error: DataError,
    },
    /// More columns than the program takes.
    #[error("{file}: {columns} feature columns, and at most {most} are supported; renumber the columns")]
    TooWide {
        /// The file.
        file: String,
        /// The number of columns.
        columns: usize,
        /// The largest number.
        most: usize,
    },
    /// A model that the data do not allow.
    #[error("{file}: {error}")]
    Model {
        /// The data file, or the path file that holds the data.
        file: String,
        /// What the adapter says.
        error: AdapterError,
    },
    /// A case weight that cannot be used.
    #[error("{}: the weight {value} must be a finite number that is not negative; correct it", place(file, *line))]
    Weight {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The weight.
        value: f64,
    },
    /// A precomputed kernel that is not symmetric.
    #[error("{}: the kernel matrix has {} in row {row}, column {column} and {} in row {column}, column {row}; it must be symmetric", place(file, *line), number(values.0), number(values.1))]
    Asymmetric {
        /// The file.
        file: String,
        /// The line of the row.
        line: usize,
        /// The row, from one.
        row: usize,
        /// The column, from one.
        column: usize,
        /// The two values.
        values: (f64, f64),
    },
    /// Rows to predict with the wrong number of features.
    #[error(
        "{file}: {found} columns, and the path was made from {expected} features; use a file with the same columns"
    )]
    Columns {
        /// The file.
        file: String,
        /// The number of columns.
        found: usize,
        /// The number of features of the path.
        expected: usize,
    },
    /// Rows to predict without one of the features.
    #[error("{file}: no column named '{name}', which the path was made from; add it or rename a column")]
    MissingFeature {
        /// The file.
        file: String,
        /// The feature.
        name: String,
    },
    /// Data that are not those of the path: their size.
    #[error("{file}: {found} {what}, and the path was made from {expected}; use the file that it was made from")]
    OtherSize {
        /// The file.
        file: String,
        /// Rows or feature columns.
        what: &'static str,
        /// The number in the file.
        found: usize,
        /// The number in the path.
        expected: usize,
    },
    /// Data that are not those of the path: a row.
    #[error("{}: row {row} has {what} than the path; use the file that it was made from", place(file, *line))]
    OtherRow {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The row, from one.
        row: usize,
        /// What differs.
        what: &'static str,
    },
    /// Data that are not those of a kept table.
    #[error("{file}: these are not the data that the table was made from; use {source_file} as it was then")]
    OtherData {
        /// The file.
        file: String,
        /// The file that the table was made from.
        source_file: String,
    },
    /// A path or map of which there is no page.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A checkpoint that cannot be used.
    #[error("{file}: cannot resume from this checkpoint: {fault}; or leave --resume out to begin the path again")]
    Checkpoint {
        /// The file.
        file: String,
        /// What is wrong.
        fault: FileFault,
    },
    /// A checkpoint of something else.
    #[error("{file}: this checkpoint is of {what}; give the options and data that it was made with")]
    OtherCheckpoint {
        /// The file.
        file: String,
        /// In what it differs.
        what: &'static str,
    },
    /// A kept file that cannot be used.
    #[error("{file}: {fault}")]
    Kept {
        /// The file.
        file: String,
        /// What is wrong with it.
        fault: FileFault,
    },
    /// A question about a map that is wrong.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The complex could not be found, or has no region there.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// The critical regions could not be found, or there is none there.
    #[error(transparent)]
    Regions(#[from] RegionsError),
    /// Moments of a file that cannot be had, or not be minimised.
    #[error("{file}: {error}")]
    Moments {
        /// The data file.
        file: String,
        /// What is wrong.
        error: MomentsError,
    },
    /// An option that means nothing together with another one.
    #[error("{option} {reason}; leave {option} out")]
    Meaningless {
        /// The option.
        option: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// A document of numbers and matrices that cannot be read.
    #[error("{file}: {cause}; it must be a JSON document of numbers, lists and lists of rows")]
    Document {
        /// The file.
        file: String,
        /// What is wrong.
        cause: String,
    },
    /// A state with another number of entries.
    #[error(
        "{option} has {found} numbers, and the plant has {expected} states: give one number per state, separated by commas"
    )]
    StateSize {
        /// The option.
        option: String,
        /// The numbers given.
        found: usize,
        /// The states.
        expected: usize,
    },
    /// A table whose columns cannot be matched with those of another.
    #[error("{file}: compared with {other}, {error}; give the assets the same names in all tables, in any order")]
    Assets {
        /// The file.
        file: String,
        /// The file with the names to compare with.
        other: String,
        /// What is wrong.
        error: Box<AdapterError>,
    },
    /// What a problem does not have.
    #[error("{problem} has no {what}; leave {option} out")]
    NotHad {
        /// The problem.
        problem: String,
        /// What was asked for.
        what: &'static str,
        /// By which option.
        option: &'static str,
    },
    /// A problem whose solutions say nothing of rows.
    #[error("a path of {problem} has nothing to predict for rows of data; use pathqp at")]
    NothingToPredict {
        /// The problem.
        problem: String,
    },
    /// No parameter values for a path.
    #[error("--param is missing: {file} is a path, give values of its parameter such as --param 0.5")]
    ParamMissing {
        /// The path file.
        file: String,
    },
    /// More columns than a matrix of them is formed for.
    #[error("{file}: {columns} feature columns, and --stream takes at most {most}; leave --stream out")]
    TooWideToStream {
        /// The file.
        file: String,
        /// The number of columns.
        columns: usize,
        /// The largest number.
        most: usize,
    },
    /// A file of mixtures that cannot be read as one.
    #[error("{file}{place}: {reason}; it must hold prior, positive and negative, see pathqp theory --help")]
    Mixture {
        /// The file.
        file: String,
        /// Line and column, when known.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// Mixtures that are none, or a question about them without an answer.
    #[error("{file}: {error}")]
    Theory {
        /// The file.
        file: String,
        /// What is wrong.
        error: TheoryError,
    },
    /// A file that cannot be written.
    #[error("{option} {file}: cannot be written ({cause}); choose a file in a folder that can be written to")]
    Write {
        /// The option that names it.
        option: &'static str,
        /// The file.
        file: String,
        /// What the system says.
        cause: io::Error,
    },
    /// A figure whose name has another ending.
    #[error("{option} {error}")]
    Ending {
        /// The option.
        option: &'static str,
        /// What is wrong with the name.
        error: ViewError,
    },
    /// A figure that could not be drawn.
    #[error("--plot {file}: cannot be drawn ({cause}); leave --plot out, or choose another ending")]
    Plot {
        /// The file.
        file: String,
        /// What the drawing library says.
        cause: String,
    },
    /// The path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The path could not be approximated.
    #[error("--tolerance: {0}")]
    Approximation(#[from] ApproximationError),
    /// A problem whose penalty cannot be tuned.
    #[error("tune {problem}: only kqr, svr, quantile-svm and cost-svm can be tuned; see pathqp tune --help")]
    NotTuned {
        /// The problem.
        problem: String,
    },
    /// A value outside the range for which the other parameter was tuned.
    #[error("--param {}: {name} lies in [{}, {}] here; choose a value in that interval", number(*value), number(*from), number(*to))]
    TunedOutside {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
        /// The least one.
        from: f64,
        /// The largest one.
        to: f64,
    },
    /// The best penalty could not be found.
    #[error("{file}: {error}")]
    Tune {
        /// The training data.
        file: String,
        /// What is wrong.
        error: Box<BilevelError>,
    },
    /// Standard output cannot be written.
    #[error("standard output: cannot be written ({cause}); redirect it elsewhere")]
    Stdout {
        /// What the system says.
        cause: io::Error,
    },
    /// Standard output was closed by its reader; nothing is reported.
    #[error("standard output was closed")]
    ReaderGone,
}

impl CliError {
    /// The exit status: 3 where the question was right and the answer could not be had, 2 elsewhere.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Path(error)
            | CliError::Complex(ComplexError::Path(error))
            | CliError::Regions(RegionsError::Path(error))
            | CliError::Approximation(ApproximationError::Path(error)) => path_error_exit(error),
            CliError::Regions(
                RegionsError::NoRegion | RegionsError::NoSolution { .. } | RegionsError::Uncovered { .. },
            ) => Exit::Failed,
            CliError::Complex(ComplexError::NoRegion | ComplexError::Hole { .. }) => Exit::Failed,
            CliError::Complex(ComplexError::Stopped { .. }) => Exit::Interrupted,
            CliError::Tune { error, .. } => tune_error_exit(error),
            CliError::ReaderGone => Exit::Done,
            CliError::Theory { error: TheoryError::NotSolved { .. }, .. } => Exit::Failed,
            _ => Exit::Wrong,
        }
    }
}

/// What is wrong with the question, and what with the answer.
fn tune_error_exit(error: &BilevelError) -> Exit {
    match error {
        BilevelError::Adapter(AdapterError::Path(error)) | BilevelError::Complex(ComplexError::Path(error)) => {
            path_error_exit(error)
        }
        BilevelError::Adapter(_) | BilevelError::Range { .. } | BilevelError::NoKnot { .. } | BilevelError::NoFold => {
            Exit::Wrong
        }
        _ => Exit::Failed,
    }
}

/// A problem found wrong on the way (an indefinite kernel) is invalid input; only Ctrl-C stops a start; everything else
/// is a missing answer.
pub fn path_error_exit(error: &PathError) -> Exit {
    match error {
        PathError::Problem(_) => Exit::Wrong,
        PathError::StartStopped { .. } => Exit::Interrupted,
        _ => Exit::Failed,
    }
}
