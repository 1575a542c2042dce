//! The arguments of `tune` and `roc`.

use super::{DataArgs, ModelArgs};
use crate::values;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A criterion on the training rows (Li, Liu and Zhu 2007).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// The Schwarz information criterion, printed as its exponential
    Sic,
    /// Generalised approximate cross-validation
    Gacv,
}

/// What is least on the held-out rows of ε-SVR, and of the classifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeldLoss {
    /// The mean absolute error
    Absolute,
    /// The mean squared error
    Squared,
    /// The mean cost of the errors, at the costs for which the penalty is chosen
    Cost,
    /// The error rate
    Error,
}

/// `pathqp tune`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("held").required(true).args(["validate", "folds", "criterion"]))]
pub struct TuneArgs {
    /// The problem: kqr, svr, quantile-svm or cost-svm
    pub problem: String,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Choose by the loss on these rows, which have responses
    #[arg(long, value_name = "FILE")]
    pub validate: Option<PathBuf>,
    /// Choose by K-fold cross-validation; row i is held out in fold i mod K
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = values::count)]
    pub folds: Option<usize>,
    /// Choose by a criterion on the training rows (kqr only)
    #[arg(long, value_enum)]
    pub criterion: Option<Criterion>,
    /// The loss on the held-out rows: absolute or squared for svr [default: absolute], cost or error for quantile-svm and cost-svm [default: cost]; kqr has the pinball loss
    #[arg(long, value_enum)]
    pub loss: Option<HeldLoss>,
    /// Scaling, kernel and bias.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The parameter for each of whose values the other one is chosen: tau for kqr and quantile-svm, epsilon or lambda for svr [default: epsilon], gamma = C₊/(C₊ + C₋) for cost-svm
    #[arg(long, value_name = "NAME")]
    pub vary: Option<String>,
    /// The smallest value of the parameter that varies [default: tau 0.1 for kqr and 0 for quantile-svm; gamma 0; epsilon 0; lambda 1/1000 of its largest breakpoint, as a median over several epsilon]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub from: Option<f64>,
    /// The largest value of the parameter that varies [default: tau 0.9 for kqr and 1 for quantile-svm; gamma 1; the epsilon from which on f is constant; lambda inf]
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::end)]
    pub to: Option<f64>,
    /// The penalties to choose from, separated by commas: lambda for quantile-svm [default: powers of ten from 1e-6 to 1e-1], or c for cost-svm, where C₊ = 2γc and C₋ = 2(1 − γ)c [default: powers of ten from 1e-2 to 1e3]
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::positive)]
    pub grid: Vec<f64>,
    /// The smallest lambda to choose from [default: the smallest at which the solution still changes and double precision resolves it; with --criterion 1/1000 of the largest breakpoint, as a median over several tau, because a criterion has no minimum towards interpolation]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::positive)]
    pub lambda_from: Option<f64>,
    /// The largest lambda to choose from, or inf [default: inf]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::end)]
    pub lambda_to: Option<f64>,
    /// The smallest epsilon to choose from [default: 0]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub epsilon_from: Option<f64>,
    /// The largest epsilon to choose from [default: the one from which on f is constant]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub epsilon_to: Option<f64>,
    /// Also print the best value and its loss at these values of the parameter that varies, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::not_negative)]
    pub param: Vec<f64>,
    /// Number of threads; the result does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// Write the best value and its loss, piece by piece, to this file as CSV
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Draw the best value, its loss and, if there is one feature, the fits to this file: .svg, .png or .pdf (kqr and svr)
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
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
    /// Scaling, kernel and bias.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Labelled rows to validate on, instead of cross-validation
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "experiment"])]
    pub test: Option<PathBuf>,
    /// Number of folds of the cross-validation
    #[arg(long, value_name = "K", default_value = "10", allow_hyphen_values = true, value_parser = values::count)]
    pub folds: usize,
    /// The seed by which rows are put into folds
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// C₊ + C₋ of the first line [default: the best one found on the ray on which both classes have the same total cost; 2 with --experiment]
    #[arg(long, value_name = "S", allow_hyphen_values = true, value_parser = values::positive)]
    pub sum: Option<f64>,
    /// The largest C₊ + C₋ that is tried for the first line
    #[arg(long, value_name = "S", default_value = "100", allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with_all = ["sum", "experiment"])]
    pub max_sum: f64,
    /// The lines C₊ + C₋ = constant that are followed, as multiples of that of the first line
    #[arg(long, value_name = "R,…", default_value = "1,10,0.1", value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::positive, conflicts_with = "experiment")]
    pub multiples: Vec<f64>,
    /// C₊/C₋ of the cost by which the first line is chosen
    #[arg(long, value_name = "R", default_value = "1", allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with_all = ["sum", "experiment"])]
    pub ratio: f64,
    /// Also print the classifier with the largest true positive rate among those with a false positive rate of at most A
    #[arg(long, value_name = "A,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::share,
          conflicts_with = "experiment")]
    pub max_fpr: Vec<f64>,
    /// Also print the classifier of least cost if a false negative costs R times as much as a false positive
    #[arg(long, value_name = "R,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::positive,
          conflicts_with = "experiment")]
    pub cost_ratio: Vec<f64>,
    /// Draw the ROC curves to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE", conflicts_with = "experiment")]
    pub plot: Option<PathBuf>,
    /// Draw the lines in the plane of costs to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE", conflicts_with = "experiment")]
    pub plot_lines: Option<PathBuf>,
    /// Compare three ways to train for given costs by nested cross-validation: at these costs, with another intercept, with other costs and another intercept; docs/experiments/roc.md explains the tables
    #[arg(long)]
    pub experiment: bool,
    /// Number of cost asymmetries of the experiment
    #[arg(long, value_name = "N", default_value = "1000", allow_hyphen_values = true, value_parser = values::count,
          requires = "experiment")]
    pub asymmetries: usize,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
