//! The arguments, and their errors on one line.

mod moments;
mod plane;
mod problem;
mod report;
mod solve;
mod tuning;

pub use moments::{MomentsArgs, MomentsObjective, TheoryArgs, TheoryLoss};
pub use plane::{Color, LocateArgs, MapArgs, MapStart};
pub use problem::{Each, Given, ProblemArgs, Rest};
pub use report::ReportArgs;
pub use solve::{SolveArgs, StartFrom};
pub use tuning::{Criterion, HeldLoss, RocArgs, TuneArgs};

use crate::data::DataOptions;
use crate::errors::CliError;
use crate::output;
use crate::values;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Label;
use pathqp_adapters::dataset::Scaling;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kernel_choice::KernelChoice;
use pathqp_adapters::spec::{Entry, Rows};
use std::path::PathBuf;
use std::time::Duration;

/// Exact solution paths of parametric quadratic programs.
#[derive(Debug, Parser)]
#[command(name = "pathqp", version, arg_required_else_help = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Follow the path of solutions in one parameter
    Path(Box<Each<PathArgs>>),
    /// Solve at one value of the parameter, without a path
    Solve(Box<Each<SolveArgs>>),
    /// Print the solution at given parameter values, from a saved path
    At(AtArgs),
    /// Predict rows of data from a saved path: fitted values, classes, probabilities or quantiles
    Predict(PredictArgs),
    /// Recompute the certificate of a saved path from the data
    Check(CheckArgs),
    /// Find all critical regions in two parameters; of qp and mpc in any number of them
    Map(Box<Each<MapArgs>>),
    /// Find the region of a point in a saved map, and the solution there
    Locate(LocateArgs),
    /// Write an HTML page on which a saved path or map is explored
    Report(ReportArgs),
    /// Compute the ROC curves of an SVM whose intercept, training costs, or both vary
    Roc(Box<RocArgs>),
    /// Choose the penalty for every quantile, tube or cost asymmetry, or the tube for every penalty, by the loss on held-out rows
    Tune(Box<TuneArgs>),
    /// Fit a linear classifier for the zero-one loss or the AUC from the means and covariances of the classes
    Moments(Box<MomentsArgs>),
    /// Compare training and testing cost asymmetries for mixtures of Gaussians
    Theory(TheoryArgs),
}

/// `pathqp path`, apart from the problem.
#[derive(Debug, Args)]
pub struct PathArgs {
    /// The parameter that varies
    #[arg(long, value_name = "NAME")]
    pub vary: Option<String>,
    /// Also print the solutions at these values of the parameter, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Approximate the path: store fewer points, with a duality gap of at most E between them, in units of the objective
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::positive)]
    pub tolerance: Option<f64>,
    /// With --tolerance: do not follow the exact path first, but solve inexactly at as few values as the tolerance asks for, each from the solution before (where that does not succeed, the exact path is followed after all); for problems with both bounds on every variable and no rows but the intercept's
    #[arg(long, requires = "tolerance", conflicts_with_all = ["checkpoint", "resume"])]
    pub inexact: bool,
    /// Save the path to this file: .json is JSON, .csv a table with one row per breakpoint, any other name compact binary. Other commands read the first and the last
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the path to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Labelled rows: the true positive rate, the true negative rate and the accuracy on them are computed along the path
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Write a table with the smallest nu at which each row is an outlier, and its rank
    #[arg(long, value_name = "FILE.csv")]
    pub ranks: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
    /// Number of threads; the path does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// Stop after this many events (changes of the active set)
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = values::count)]
    pub max_events: Option<usize>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = values::seconds)]
    pub max_seconds: Option<Duration>,
    /// Save the state of the run to this file at regular intervals, and when it stops early
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value = "60", allow_hyphen_values = true, value_parser = values::seconds,
          requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Continue from this checkpoint file; the path is the same as without the interruption
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

impl Rest for PathArgs {
    const RANGE: bool = true;
    const VALUES: bool = false;
    const SOME: &'static [&'static str] = &["test", "ranks"];
}

/// The scaling of the features, the kernel and the bias.
#[derive(Clone, Debug, Args)]
pub struct ModelArgs {
    /// Scaling of the features: none, standard (mean 0, variance 1) or minmax (from 0 to 1); coefficients are those of the scaled features, and predict scales new rows in the same way
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed; GAMMA is a number, scale for 1/(columns · variance of all entries), or auto for 1/columns
    #[arg(long)]
    pub kernel: Option<KernelChoice>,
    /// none, augmented (a constant feature 1, penalised), augmented:B (a constant feature B, penalised) or intercept (not penalised) [default: intercept]
    #[arg(long, allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Option<Bias>,
}

impl ModelArgs {
    /// The kernel on rows of a problem.
    pub fn kernel_on(&self, entry: &Entry, rows: &Rows) -> KernelKind {
        self.kernel.unwrap_or(entry.default_kernel).on(&rows.features, rows.weights.as_deref())
    }

    /// A kernel matrix cannot be scaled.
    ///
    /// # Errors
    /// [`CliError::ScaledKernel`].
    pub fn check(&self) -> Result<(), CliError> {
        if self.kernel.is_some_and(|kernel| kernel.is_precomputed()) && self.scale != Scaling::None {
            return Err(CliError::ScaledKernel { scaling: self.scale.to_string() });
        }
        Ok(())
    }
}

/// How to read the training data.
#[derive(Clone, Debug, Args)]
pub struct DataArgs {
    /// The training data: .csv, .tsv, .arff, .parquet, or LIBSVM text with any other ending; each also with .gz; - is standard input
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// The response column of a table; without names its number, the first is 1 [default: the last column]
    #[arg(long, value_name = "NAME")]
    pub response: Option<String>,
    /// The table has no header row; columns go by their numbers
    #[arg(long)]
    pub no_header: bool,
    /// The number of features: LIBSVM text may have fewer, a table must have as many [default: the largest index, or all columns left]
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = values::columns)]
    pub features: Option<usize>,
    /// The indices of LIBSVM text start at 0 instead of 1
    #[arg(long)]
    pub zero_based: bool,
    /// The label of the class +1 [default: the larger number, or the later word in alphabetical order]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<Label>,
    /// Columns of a table to leave out, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// The column of a table with the names of the rows; it is no feature
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// Categorical columns of a table, separated by commas: one 0-1 feature per level, without the first level if there is an unpenalised intercept
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub categorical: Vec<String>,
    /// The column of a table with the case weights; with LIBSVM text a file with one weight per line. Rows of weight zero are ignored, also by --scale
    #[arg(long, value_name = "NAME")]
    pub weights: Option<String>,
}

impl DataArgs {
    /// How they say that the training data are to be read.
    pub fn options(&self) -> DataOptions {
        DataOptions {
            response: self.response.clone(),
            no_header: self.no_header,
            features: self.features,
            zero_based: self.zero_based,
            positive: self.positive.clone(),
            weights: self.weights.clone(),
            exclude: self.exclude.clone(),
            index: self.index.clone(),
            categorical: self.categorical.clone(),
            drop_first: false,
        }
    }
}

/// `pathqp at`.
#[derive(Debug, Args)]
pub struct AtArgs {
    /// The path file, from `pathqp path --out`
    pub path: PathBuf,
    /// Values of the parameter, separated by commas
    #[arg(long, value_name = "V,…", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Also print the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `pathqp predict`.
#[derive(Debug, Args)]
pub struct PredictArgs {
    /// The path file, from `pathqp path --out`, or the weights file, from `pathqp moments --out`
    pub path: PathBuf,
    /// The rows to predict, with or without the response
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Values of the parameter, separated by commas; required with a path file, not taken with a weights file
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Write the table here instead of standard output
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Add the predicted class, in the labels of the training data; if the rows have labels, print the error rate on standard error
    #[arg(long)]
    pub classes: bool,
    /// Add P(Y = +1|x), and the number of sign changes of the decision function that it is estimated from
    #[arg(long)]
    pub probability: bool,
    /// Rearrange the quantiles so that they increase with tau
    #[arg(long)]
    pub monotone: bool,
    /// Add P(Y <= Q|x) for each Q, from the quantiles of the path
    #[arg(long, value_name = "Q,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::finite)]
    pub distribution: Vec<f64>,
    /// Add the number of ranges of tau in which the quantile decreases, and the two ends of the first
    #[arg(long)]
    pub crossings: bool,
}

impl PredictArgs {
    /// Whether an option asks about the quantiles of rows.
    pub fn asks_for_quantiles(&self) -> bool {
        self.monotone || self.crossings || !self.distribution.is_empty()
    }
}

/// `pathqp check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The path file, from `pathqp path --out`
    pub path: PathBuf,
    /// The data that the path was made from
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// Number of random values of the parameter that are checked, besides every breakpoint and every midpoint
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// The seed of the random values
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The arguments of this process; none when help or the version was asked for and printed.
///
/// # Errors
/// [`CliError::Arguments`] names the option.
pub fn parse() -> Result<Option<Cli>, CliError> {
    match Cli::try_parse() {
        Ok(cli) => Ok(Some(cli)),
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            output::print(&error.render().to_string())?;
            Ok(None)
        }
        Err(error) => Err(CliError::Arguments { line: one_line(error) }),
    }
}

/// The parser's words for a problem that is none: they name those that there are.
fn unknown_problem(error: &clap::Error, command: Option<&str>) -> Option<String> {
    let ContextValue::String(name) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    let command = command.filter(|command| ["path", "solve", "map"].contains(command))?;
    let serves = |entry: &&Entry| command != "map" || entry.plane.is_some();
    let names: Vec<&str> = crate::registry::problems().iter().filter(serves).map(|entry| entry.name).collect();
    if command == "map" && crate::registry::find(name).is_some() {
        return Some(format!("{name} has only one parameter, and a map needs two; use pathqp path instead"));
    }
    Some(format!("no problem is named '{name}' [possible values: {}]; see pathqp {command} --help", names.join(", ")))
}

/// The parser's message without its usage block, and where to read more.
fn one_line(error: clap::Error) -> String {
    const COMMANDS: [&str; 12] =
        ["path", "solve", "at", "predict", "check", "map", "locate", "report", "roc", "tune", "moments", "theory"];
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command given; see pathqp --help".into();
    }
    let given = std::env::args_os().nth(1).unwrap_or_default();
    let command = COMMANDS.into_iter().find(|command| given == *command);
    if error.kind() == ErrorKind::MissingSubcommand
        && let Some(command) = command
    {
        let names: Vec<&str> = crate::registry::problems().iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        return format!(
            "a problem is required: pathqp {command} PROBLEM --train FILE, with one of {names}; see pathqp {command} --help"
        );
    }
    if let Some(line) = unknown_problem(&error, command) {
        return line;
    }
    let named = std::env::args_os().nth(2).and_then(|name| name.into_string().ok());
    let problem = named.filter(|name| crate::registry::find(name).is_some());
    let help = match (command, &problem) {
        (Some(command), Some(problem)) => format!("pathqp {command} {problem} --help"),
        (Some(command), None) => format!("pathqp {command} --help"),
        _ => "pathqp --help".into(),
    };
    if let (Some(problem), ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (&problem, error.kind(), error.get(ContextKind::InvalidArg))
    {
        let what = if option.starts_with('-') {
            format!("{problem} takes no {option}")
        } else {
            format!("unexpected argument {option}")
        };
        return format!("{what} here; leave it out; see {help}");
    }
    let text = error.render().to_string();
    let message = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"));
    let parts: Vec<&str> = message.filter(|l| !l.is_empty()).collect();
    let line = parts.join(" ").replace(" tip: ", "; ");
    format!("{}; see {help}", line.strip_prefix("error: ").unwrap_or(&line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
