//! The arguments, and their errors on one line.

use crate::errors::CliError;
use crate::model::{Parameter, Problem};
use crate::output;
use crate::values;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use pathqp_adapters::dataset::Scaling;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::Bias;
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
    Path(Box<PathArgs>),
    /// The solution at parameter values, from a kept path
    At(AtArgs),
    /// Decision values of rows of data, from a kept path
    Predict(PredictArgs),
    /// Recompute the certificate of a kept path from the data
    Check(CheckArgs),
    /// A linear classifier for the zero-one loss or the AUC, from the classes' means and covariances
    Moments(Box<MomentsArgs>),
    /// Training versus testing asymmetry for mixtures of Gaussians
    Theory(TheoryArgs),
}

/// `pathqp path`.
#[derive(Debug, Args)]
pub struct PathArgs {
    /// Which problem
    #[arg(value_enum)]
    pub problem: Problem,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features, kept with the path: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// The regularisation λ > 0
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::positive)]
    pub lambda: Option<f64>,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed
    #[arg(long, default_value = "linear")]
    pub kernel: KernelKind,
    /// none, augmented (a constant feature 1), augmented:B (a constant feature B) or intercept
    #[arg(long, default_value = "none", allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Bias,
    /// The parameter that varies
    #[arg(long, value_name = "NAME", value_enum, default_value = "tau")]
    pub vary: Parameter,
    /// Where the path begins [default: the problem's natural range]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::finite)]
    pub from: Option<f64>,
    /// Where the path ends; it may lie below --from
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::finite)]
    pub to: Option<f64>,
    /// Approximate the path: fewer stored points, and between them a duality gap of at most E, in units of the objective
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::positive)]
    pub tolerance: Option<f64>,
    /// Keep the path in this file: JSON if its name ends in .json, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the path to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Labelled rows whose TPR, TNR and accuracy are followed along the path
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
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

/// How to read the training data.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// The training data: .csv, .tsv or LIBSVM text (anything else); .gz of either
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
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true, value_parser = values::finite)]
    pub positive: Option<f64>,
    /// The column of case weights of a table
    #[arg(long, value_name = "NAME")]
    pub weights: Option<String>,
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
    /// Add P(Y = 1|x) and the number of sign changes it was read from
    #[arg(long)]
    pub probability: bool,
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

/// `pathqp moments`.
#[derive(Debug, Args)]
pub struct MomentsArgs {
    /// What is minimised: the share of errors, or of wrongly ordered pairs
    #[arg(long, value_enum)]
    pub objective: MomentsObjective,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features, kept with the weights: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// The weight λ ≥ 0 of the penalty λ(1 − ‖w‖²)²
    #[arg(long, value_name = "L", default_value = "1e-3", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub lambda: f64,
    /// none, augmented (a constant feature 1) or augmented:B (a constant feature B)
    #[arg(long, default_value = "none", allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Bias,
    /// Labelled rows on which error and AUC are measured as well
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Also fit what the moments are compared with: the logistic or the pairwise hinge loss, and LDA
    #[arg(long, conflicts_with = "stream")]
    pub compare: bool,
    /// Read the training data in parts, in memory that does not grow with their number; the AUC on them is left out
    #[arg(long)]
    pub stream: bool,
    /// The most iterations
    #[arg(long, value_name = "N", default_value = "500", allow_hyphen_values = true, value_parser = values::count)]
    pub max_iterations: usize,
    /// Keep the weights in this file, for predict: JSON if its name ends in .json, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The objectives of `pathqp moments`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MomentsObjective {
    /// The share of errors.
    ZeroOne,
    /// The share of wrongly ordered pairs.
    Auc,
}

/// `pathqp theory`.
#[derive(Debug, Args)]
pub struct TheoryArgs {
    /// The mixtures, as JSON: prior, positive and negative, each a list of {weight, mean, covariance}
    pub file: PathBuf,
    /// The training loss
    #[arg(long, value_enum, default_value = "both")]
    pub loss: TheoryLoss,
    /// Training asymmetries, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', default_value = "0.5,0.1,1e-2,1e-3,1e-4", allow_hyphen_values = true,
          value_parser = values::finite)]
    pub gamma: Vec<f64>,
    /// Exchange the classes: what happens as the training asymmetry goes to one
    #[arg(long)]
    pub exchange: bool,
    /// Points of the ROC curve from which consistency is told, and which are drawn
    #[arg(long, value_name = "N", default_value = "400", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// Draw asymmetries and ROC curves to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The losses of `pathqp theory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TheoryLoss {
    /// (u − 1)²/2.
    Square,
    /// The smoothed hinge.
    Erf,
    /// One after the other.
    Both,
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
        Err(error) => Err(CliError::Arguments { line: one_line(&error) }),
    }
}

/// The parser's message without its usage block, and where to read more.
fn one_line(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command given; see pathqp --help".into();
    }
    let text = error.render().to_string();
    let message = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"));
    let parts: Vec<&str> = message.filter(|l| !l.is_empty()).collect();
    let line = parts.join(" ").replace(" tip: ", "; ");
    let given = std::env::args_os().nth(1).unwrap_or_default();
    let command = ["path", "at", "predict", "check", "moments", "theory"].into_iter().find(|command| given == *command);
    let help = command.map_or("pathqp --help".into(), |c| format!("pathqp {c} --help"));
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
