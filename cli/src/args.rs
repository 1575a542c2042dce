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
#[command(name = "pathqp", version, about, arg_required_else_help = false)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Follow a path in one parameter
    Path(Box<Each<PathArgs>>),
    /// The solution at one parameter value, without a path
    Solve(Box<Each<SolveArgs>>),
    /// The solution at parameter values, from a kept path
    At(AtArgs),
    /// Decision values of rows of data, from a kept path
    Predict(PredictArgs),
    /// Recompute the certificate of a kept path from the data
    Check(CheckArgs),
    /// Find all critical regions in two parameters
    Map(Box<Each<MapArgs>>),
    /// Region and solution at a point of a kept map
    Locate(LocateArgs),
    /// A page on which a kept path or map is explored, in one HTML file
    Report(ReportArgs),
    /// ROC curves of a cost-asymmetric SVM: varying the intercept, the training asymmetry, or both
    Roc(Box<RocArgs>),
    /// The best penalty for every quantile or tube, or the best tube for every penalty, by the loss on held-out rows
    Tune(Box<TuneArgs>),
    /// A linear classifier for the zero-one loss or the AUC, from the classes' means and covariances
    Moments(Box<MomentsArgs>),
    /// Training versus testing asymmetry for mixtures of Gaussians
    Theory(TheoryArgs),
}

/// `pathqp path`, apart from the problem.
#[derive(Debug, Args)]
pub struct PathArgs {
    /// The parameter that varies [default: the problem's first]
    #[arg(long, value_name = "NAME")]
    pub vary: Option<String>,
    /// Also the solutions at these values of the parameter
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Approximate the path: fewer stored points, and between them a duality gap of at most E, in units of the objective
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::positive)]
    pub tolerance: Option<f64>,
    /// Keep the path in this file: JSON if its name ends in .json, a table of one row a breakpoint if it ends in .csv, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the path to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Labelled rows whose TPR, TNR and accuracy are followed along the path
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Write for each row the least nu at which it is an outlier (one-class-svm)
    #[arg(long, value_name = "FILE.csv")]
    pub ranks: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
    /// Threads for following the path, used where there is enough to do; the path does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// Stop after this many events
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = values::count)]
    pub max_events: Option<usize>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = values::seconds)]
    pub max_seconds: Option<Duration>,
    /// Keep the state of the run in this file every so often, and where it stops before its end
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value = "60", allow_hyphen_values = true, value_parser = values::seconds,
          requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Go on from a checkpoint, to the same path as without the interruption
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
    /// Scaling of the features, kept with what is made from them: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed; GAMMA may be scale, 1/(columns · variance of all entries), or auto, 1/columns
    #[arg(long)]
    pub kernel: Option<KernelChoice>,
    /// none, augmented (a constant feature 1), augmented:B (a constant feature B) or intercept [default: intercept]
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
    /// The training data: .csv, .tsv, .arff or LIBSVM text (anything else), .gz of either; - is standard input
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// The response column of a table [default: the last one]
    #[arg(long, value_name = "NAME")]
    pub response: Option<String>,
    /// The table has no row of names
    #[arg(long)]
    pub no_header: bool,
    /// The number of feature columns
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = values::columns)]
    pub features: Option<usize>,
    /// The indices of LIBSVM text start at 0
    #[arg(long)]
    pub zero_based: bool,
    /// The label that stands for +1 [default: the larger one]
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub positive: Option<Label>,
    /// Columns of a table that are left out, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// The column of a table that names the rows
    #[arg(long, value_name = "NAME")]
    pub index: Option<String>,
    /// Columns of a table whose values are categories: a feature a level, without the first one beside an intercept
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub categorical: Vec<String>,
    /// The column of case weights of a table; beside LIBSVM text a file with one weight a line. Rows of weight zero are ignored, by --scale too
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
    /// The path, as `pathqp path --out` kept it
    pub path: PathBuf,
    /// Values of the parameter, separated by commas
    #[arg(long, value_name = "V,…", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Also the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

/// `pathqp predict`.
#[derive(Debug, Args)]
pub struct PredictArgs {
    /// The path, as `pathqp path --out` kept it, or the weights that `pathqp moments --out` kept
    pub path: PathBuf,
    /// The rows, with or without the response
    #[arg(long, value_name = "FILE")]
    pub data: PathBuf,
    /// Values of the parameter, separated by commas; not for weights
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Write the table here instead of standard output
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Add the class of each decision value, as the labels of the training data have it; where the rows have labels, the error rate is told
    #[arg(long)]
    pub classes: bool,
    /// Add P(Y = 1|x) and the number of sign changes it was read from
    #[arg(long)]
    pub probability: bool,
    /// Quantiles rearranged so that they rise with tau
    #[arg(long)]
    pub monotone: bool,
    /// Add P(Y <= Q|x) for each Q, from the quantiles of the path
    #[arg(long, value_name = "Q,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::finite)]
    pub distribution: Vec<f64>,
    /// Add the ranges of tau in which the quantile falls: their number, and the first one's ends
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
    /// The path, as `pathqp path --out` kept it
    pub path: PathBuf,
    /// The data that the path was made from
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// Random values of the parameter, besides every breakpoint and midpoint
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
        return Some(format!(
            "{name} has one parameter only, and a map needs two; follow a path with pathqp path instead"
        ));
    }
    Some(format!("no problem is called '{name}' [possible values: {}]; see pathqp {command} --help", names.join(", ")))
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
            format!("{option} is one argument too many")
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
