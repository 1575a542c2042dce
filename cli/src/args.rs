//! The arguments, and their errors on one line.

use crate::errors::CliError;
use crate::output;
use crate::problem::{Parameter, Problem};
use crate::values;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand};
use pathqp_adapters::Bias;
use pathqp_adapters::adapter::Direction;
use pathqp_adapters::dataset::Scaling;
use pathqp_adapters::kernel::KernelKind;
use std::path::PathBuf;
use std::str::FromStr;
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
    /// Find all critical regions in two parameters
    Map(Box<MapArgs>),
    /// Region and solution at a point of a kept map
    Locate(LocateArgs),
    /// ROC curves of a cost-asymmetric SVM: varying the intercept, the training asymmetry, or both
    Roc(Box<RocArgs>),
    /// The best penalty for every quantile, by the loss on held-out rows
    Tune(Box<TuneArgs>),
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
    /// Values of parameters.
    #[command(flatten)]
    pub values: ValueArgs,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed
    #[arg(long, default_value = "linear")]
    pub kernel: KernelKind,
    /// none, augmented (a constant feature 1), augmented:B (a constant feature B) or intercept [default: the problem's own]
    #[arg(long, allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Option<Bias>,
    /// The parameter that varies [default: the problem's first]
    #[arg(long, value_name = "NAME", value_enum)]
    pub vary: Option<Parameter>,
    /// Where the path begins [default: the problem's natural range]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::finite)]
    pub from: Option<f64>,
    /// Where the path ends; it may lie below --from, and be inf where the parameter has no largest value
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::end)]
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

/// Values of the parameters that do not vary.
#[derive(Debug, Args)]
pub struct ValueArgs {
    /// The regularisation λ > 0
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::positive)]
    pub lambda: Option<f64>,
    /// The quantile τ ∈ [0, 1]
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = values::share)]
    pub tau: Option<f64>,
    /// The cost of the class +1
    #[arg(long, value_name = "C", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub c_pos: Option<f64>,
    /// The cost of the class −1
    #[arg(long, value_name = "C", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub c_neg: Option<f64>,
    /// The sum of both costs, while one of them varies
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = values::positive)]
    pub sum: Option<f64>,
    /// With --vary c: the costs of +1 and −1 are c·A and c·B; balanced: both classes have the same total cost [default: 1,1]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    pub direction: Option<Direction>,
}

impl ValueArgs {
    /// Each option with its value.
    pub fn named(&self) -> [(&'static str, Option<f64>); 5] {
        let ValueArgs { lambda, tau, c_pos, c_neg, sum, .. } = *self;
        [("lambda", lambda), ("tau", tau), ("c-pos", c_pos), ("c-neg", c_neg), ("sum", sum)]
    }
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

/// `pathqp tune`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("held").required(true).args(["validate", "folds"]))]
pub struct TuneArgs {
    /// Which problem: kqr
    #[arg(value_enum)]
    pub problem: Problem,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Rows with their response by which the penalty is chosen
    #[arg(long, value_name = "FILE")]
    pub validate: Option<PathBuf>,
    /// Choose by cross-validation: row i is held out in fold i mod K
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = values::count)]
    pub folds: Option<usize>,
    /// Scaling of the features: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed
    #[arg(long, default_value = "linear")]
    pub kernel: KernelKind,
    /// none, augmented, augmented:B or intercept [default: intercept]
    #[arg(long, allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Option<Bias>,
    /// The smallest tau
    #[arg(long, value_name = "A", default_value = "0.1", allow_hyphen_values = true, value_parser = values::share)]
    pub from: f64,
    /// The largest tau
    #[arg(long, value_name = "B", default_value = "0.9", allow_hyphen_values = true, value_parser = values::share)]
    pub to: f64,
    /// The smallest lambda [default: a thousandth of the largest knot, in the median over some tau]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::positive)]
    pub lambda_from: Option<f64>,
    /// The largest lambda, or inf [default: inf]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::end)]
    pub lambda_to: Option<f64>,
    /// Also the best lambda and the loss at these tau, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::share)]
    pub param: Vec<f64>,
    /// Write the pieces of lambda(tau) to this file as CSV
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Draw lambda(tau), the loss, and the quantiles of a single feature to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
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

/// `pathqp map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// Which problem: cost-svm in (c-pos, c-neg), or kqr in (tau, lambda)
    #[arg(value_enum)]
    pub problem: Problem,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features, kept with the map: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed
    #[arg(long, default_value = "linear")]
    pub kernel: KernelKind,
    /// none, augmented (a constant feature 1), augmented:B (a constant feature B) or intercept [default: the problem's own]
    #[arg(long, allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Option<Bias>,
    /// The ranges of both parameters; an end left out is the problem's own, so that A: may have no end at all
    #[arg(long, value_name = "A:B,C:D", allow_hyphen_values = true, value_parser = Rectangle::from_str)]
    pub domain: Rectangle,
    /// Keep the map in this file: JSON if its name ends in .json, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the map to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// What is drawn: free (regions by their number of free variables), validation (by the loss on --test at their
    /// centres) or alpha:I (the dual variable of row I, a surface over the plane)
    #[arg(long, value_name = "WHAT", default_value = "free", requires = "plot")]
    pub color: Color,
    /// Rows with their response, on which the loss at the centre of each region is measured
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Random points of the domain at which the certificate is computed
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// The seed of the random points
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The domain of a map.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle(pub values::Domain);

impl FromStr for Rectangle {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        values::domain(text).map(Rectangle)
    }
}

/// What the figure of a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Regions by |F|.
    Free,
    /// Regions by the loss on the test rows.
    Validation,
    /// The dual variable of a row, counted from zero.
    Alpha(usize),
}

impl FromStr for Color {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let row = |text: &str| text.parse::<usize>().ok().and_then(|row| row.checked_sub(1));
        match (text, text.strip_prefix("alpha:").and_then(row)) {
            ("free", _) => Ok(Color::Free),
            ("validation", _) => Ok(Color::Validation),
            (_, Some(row)) => Ok(Color::Alpha(row)),
            _ => Err("use free, validation or alpha:I with a row I from 1 on".into()),
        }
    }
}

/// `pathqp locate`.
#[derive(Debug, Args)]
pub struct LocateArgs {
    /// The map, as `pathqp map --out` kept it
    pub map: PathBuf,
    /// The values of both parameters, in the order of the domain
    #[arg(long, value_name = "V,W", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Also the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// `pathqp roc`.
#[derive(Debug, Args)]
pub struct RocArgs {
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// linear, rbf:GAMMA, laplacian:GAMMA, poly:DEGREE,GAMMA,COEF0 or precomputed
    #[arg(long, default_value = "linear")]
    pub kernel: KernelKind,
    /// none, augmented (a constant feature 1), augmented:B (a constant feature B) or intercept
    #[arg(long, allow_hyphen_values = true, value_parser = values::bias, default_value = "intercept")]
    pub bias: Bias,
    /// Labelled rows to validate on, instead of folds
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "experiment"])]
    pub test: Option<PathBuf>,
    /// Folds of the cross-validation
    #[arg(long, value_name = "K", default_value = "10", allow_hyphen_values = true, value_parser = values::count)]
    pub folds: usize,
    /// The seed of the folds
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// The sum of both costs on the first line [default: the best one on the balanced line; 2 in the experiment]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = values::positive)]
    pub sum: Option<f64>,
    /// The largest sum of both costs on the balanced line
    #[arg(long, value_name = "S", default_value = "100", allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with_all = ["sum", "experiment"])]
    pub max_sum: f64,
    /// The lines that are followed, as multiples of the first sum
    #[arg(long, value_name = "R,…", default_value = "1,10,0.1", value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::positive, conflicts_with = "experiment")]
    pub multiples: Vec<f64>,
    /// C₊/C₋ of the cost by which the best sum on the balanced line is chosen
    #[arg(long, value_name = "R", default_value = "1", allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with_all = ["sum", "experiment"])]
    pub ratio: f64,
    /// Ask for the classifier with the largest TPR whose FPR is at most this
    #[arg(long, value_name = "A,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::share,
          conflicts_with = "experiment")]
    pub max_fpr: Vec<f64>,
    /// Ask for the classifier that costs least when C₊/C₋ is this in its use
    #[arg(long, value_name = "R,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with = "experiment")]
    pub cost_ratio: Vec<f64>,
    /// Draw the curves to this SVG file
    #[arg(long, value_name = "FILE.svg", conflicts_with = "experiment")]
    pub plot: Option<PathBuf>,
    /// Draw the lines in the plane of costs to this SVG file
    #[arg(long, value_name = "FILE.svg", conflicts_with = "experiment")]
    pub plot_lines: Option<PathBuf>,
    /// Compare "one", "int" and "all" by nested cross-validation: a row of each of two tables
    #[arg(long)]
    pub experiment: bool,
    /// Testing asymmetries of the experiment
    #[arg(long, value_name = "N", default_value = "1000", allow_hyphen_values = true, value_parser = values::count,
          requires = "experiment")]
    pub asymmetries: usize,
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
    const COMMANDS: [&str; 10] =
        ["path", "at", "predict", "check", "map", "locate", "roc", "tune", "moments", "theory"];
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command given; see pathqp --help".into();
    }
    let text = error.render().to_string();
    let message = text.lines().map(str::trim).take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"));
    let parts: Vec<&str> = message.filter(|l| !l.is_empty()).collect();
    let line = parts.join(" ").replace(" tip: ", "; ");
    let given = std::env::args_os().nth(1).unwrap_or_default();
    let command = COMMANDS.into_iter().find(|command| given == *command);
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
