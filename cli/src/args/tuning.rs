//! The arguments of `tune` and `roc`.

use super::{DataArgs, ModelArgs};
use crate::values;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A criterion on the training rows (Li, Liu and Zhu 2007).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Schwarz's information criterion, reported as its exponential
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
    /// The mean cost at the asymmetry for which the penalty is chosen
    Cost,
    /// The share of errors
    Error,
}

/// `pathqp tune`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("held").required(true).args(["validate", "folds", "criterion"]))]
pub struct TuneArgs {
    /// Which problem: kqr, svr, quantile-svm or cost-svm
    pub problem: String,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Rows with their response by which the penalty is chosen
    #[arg(long, value_name = "FILE")]
    pub validate: Option<PathBuf>,
    /// Choose by cross-validation: row i is held out in fold i mod K
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = values::count)]
    pub folds: Option<usize>,
    /// Choose by a criterion on the training rows themselves (kqr)
    #[arg(long, value_enum)]
    pub criterion: Option<Criterion>,
    /// The loss on the held-out rows: absolute or squared of svr, cost or error of quantile-svm and cost-svm [default: absolute or cost]
    #[arg(long, value_enum)]
    pub loss: Option<HeldLoss>,
    /// Scaling, kernel and bias.
    #[command(flatten)]
    pub model: ModelArgs,
    /// For each value of which parameter: tau of kqr and quantile-svm, epsilon or lambda of svr, gamma = C₊/(C₊ + C₋) of cost-svm; the other one is tuned [default: tau, epsilon or gamma]
    #[arg(long, value_name = "NAME")]
    pub vary: Option<String>,
    /// Its smallest value [default: tau 0.1 (kqr) or 0, gamma 0, epsilon 0, lambda a thousandth of the largest knot in the median over some epsilon]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub from: Option<f64>,
    /// Its largest value [default: tau 0.9 (kqr) or 1, gamma 1, epsilon at which nothing is active, lambda inf]
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::end)]
    pub to: Option<f64>,
    /// The penalties that are tried: lambda of quantile-svm, c of cost-svm, where C₊ = 2γc and C₋ = 2(1 − γ)c [default: powers of ten, lambda 1e-6 to 1e-1, c 1e-2 to 1e3]
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::positive)]
    pub grid: Vec<f64>,
    /// The smallest lambda [default: where nothing changes any more, or double precision ends; for a criterion, which falls without end towards interpolation, a thousandth of the largest knot in the median over some tau]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::positive)]
    pub lambda_from: Option<f64>,
    /// The largest lambda, or inf [default: inf]
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::end)]
    pub lambda_to: Option<f64>,
    /// The smallest epsilon [default: 0]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub epsilon_from: Option<f64>,
    /// The largest epsilon [default: that at which nothing is active]
    #[arg(long, value_name = "E", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub epsilon_to: Option<f64>,
    /// Also the best value and the loss at these values of the one that varies, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::not_negative)]
    pub param: Vec<f64>,
    /// Threads for the search; the result does not depend on their number
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// Write the pieces of the best value to this file as CSV
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Draw the best value, its loss, and the fits of a single feature to this file: .svg, .png or .pdf
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
    /// Draw the curves to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE", conflicts_with = "experiment")]
    pub plot: Option<PathBuf>,
    /// Draw the lines in the plane of costs to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE", conflicts_with = "experiment")]
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
