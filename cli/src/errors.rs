//! What can go wrong on the command line, and the exit statuses.

use crate::file::PathFileFault;
use crate::model::{Parameter, Problem};
use crate::values::number;
use pathqp::{ApproximationError, PathError};
use pathqp_adapters::dataset::DataError;
use pathqp_adapters::moments::MomentsError;
use pathqp_adapters::quantile_svm::QuantileSvmError;
use pathqp_adapters::theory::TheoryError;
use std::io;
use thiserror::Error;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// The question was wrong.
    Wrong,
    /// The answer could not be had, or failed its certificate.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The status that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Wrong => 2,
            Exit::Failed => 3,
            Exit::Interrupted => 130,
        }
    }
}

/// An error of the command line. Each is one line that names the culprit and says what to do.
#[derive(Debug, Error)]
pub enum CliError {
    /// Arguments that do not parse; the parser's own words on one line.
    #[error("{line}")]
    Arguments {
        /// The line.
        line: String,
    },
    /// A problem that has a name and no code yet.
    #[error("the problem {problem} is not built yet; use quantile-svm")]
    NotBuilt {
        /// The problem.
        problem: Problem,
    },
    /// No λ.
    #[error("{problem} needs --lambda: give a positive number, such as --lambda 1e-3")]
    LambdaMissing {
        /// The problem.
        problem: Problem,
    },
    /// An end of the path outside the parameter's range.
    #[error("{option} {}: {name} lies in [{low}, {high}]; choose a value in that interval", number(*value))]
    EndOutside {
        /// --from or --to.
        option: &'static str,
        /// The value.
        value: f64,
        /// The parameter.
        name: Parameter,
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
        other: &'static str,
    },
    /// A parameter outside a kept path.
    #[error("--param {}: {file} covers {name} from {} to {}; choose a value between them", number(*value), number(*from), number(*to))]
    ParamOutside {
        /// The value.
        value: f64,
        /// The path file.
        file: String,
        /// The parameter.
        name: Parameter,
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
    #[error("{file}: {columns} feature columns, and at most {most} are supported; number the columns anew")]
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
        error: QuantileSvmError,
    },
    /// A case weight of zero.
    #[error("{file}, line {line}: the weight {value} must be positive; drop the row or correct it")]
    Weight {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The weight.
        value: f64,
    },
    /// A precomputed kernel that is not symmetric.
    #[error("{file}, line {line}: the kernel has {} in column {column} of row {row} and {} in column {row} of row {column}; it must be symmetric", number(values.0), number(values.1))]
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
    #[error("{file}, line {line}: row {row} has {what} than the path; use the file that it was made from")]
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
    /// A checkpoint that cannot be used.
    #[error("{file}: cannot go on from it: {}; leave --resume out to begin the path anew", checkpoint_fault(fault))]
    Checkpoint {
        /// The file.
        file: String,
        /// What is wrong.
        fault: PathFileFault,
    },
    /// A checkpoint of something else.
    #[error("{file}: this checkpoint is of {what}; give the options and data that it was made with")]
    OtherCheckpoint {
        /// The file.
        file: String,
        /// In what it differs.
        what: &'static str,
    },
    /// A path file that cannot be used.
    #[error("{file}: {fault}")]
    PathFile {
        /// The file.
        file: String,
        /// What is wrong with it.
        fault: PathFileFault,
    },
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
    /// A figure that could not be drawn.
    #[error("--plot {file}: cannot be drawn ({cause})")]
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
    /// Standard output cannot be written.
    #[error("standard output: cannot be written ({cause}); redirect it elsewhere")]
    Stdout {
        /// What the system says.
        cause: io::Error,
    },
    /// Whoever read standard output has gone; nothing to say.
    #[error("standard output was closed")]
    ReaderGone,
}

impl CliError {
    /// The exit status: 3 where the question was right and the answer could not be had, 2 elsewhere.
    pub fn exit(&self) -> Exit {
        match self {
            CliError::Path(error) => path_error_exit(error),
            CliError::ReaderGone => Exit::Done,
            CliError::Theory { error: TheoryError::NotSolved { .. }, .. } => Exit::Failed,
            _ => Exit::Wrong,
        }
    }
}

/// A problem found wrong on the way (an indefinite kernel) is a wrong question, everything else a missing answer.
pub fn path_error_exit(error: &PathError) -> Exit {
    if matches!(error, PathError::Problem(_)) { Exit::Wrong } else { Exit::Failed }
}

/// A fault of a file, in the words of a checkpoint.
fn checkpoint_fault(fault: &PathFileFault) -> String {
    match fault {
        PathFileFault::Missing => "no such file".into(),
        PathFileFault::Directory => "this is a directory".into(),
        PathFileFault::Unreadable { cause } => cause.clone(),
        PathFileFault::Empty => "this file is empty".into(),
        PathFileFault::Foreign => "this is not a checkpoint".into(),
        PathFileFault::Version { found } => format!("its format is version {found}"),
        PathFileFault::Checksum => "it is damaged or cut short (its checksum does not agree)".into(),
        PathFileFault::Damaged { reason } => format!("it is damaged ({reason})"),
    }
}
