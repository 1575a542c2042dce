//! The arguments of `moments` and `theory`.

use super::DataArgs;
use crate::values;
use clap::Args;
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Scaling;
use std::path::PathBuf;

/// `pathqp moments`.
#[derive(Debug, Args)]
pub struct MomentsArgs {
    /// What to minimise
    #[arg(long, value_enum)]
    pub objective: MomentsObjective,
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features, saved with the weights: none, standard (mean 0, variance 1) or minmax (from 0 to 1)
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// The weight λ ≥ 0 of the penalty λ(1 − ‖w‖²)²
    #[arg(long, value_name = "L", default_value = "1e-3", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub lambda: f64,
    /// Constant term: none, augmented (a constant feature 1, penalised) or augmented:B (a constant feature B, penalised)
    #[arg(long, default_value = "none", allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Bias,
    /// Labelled rows on which the error rate and the AUC are also computed
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Also fit classifiers to compare with: logistic regression (zero-one) or the pairwise hinge loss (auc), and linear discriminant analysis
    #[arg(long, conflicts_with = "stream")]
    pub compare: bool,
    /// Read the training data in parts, in memory that does not grow with the number of rows; the AUC on them is not computed
    #[arg(long)]
    pub stream: bool,
    /// The largest number of iterations
    #[arg(long, value_name = "N", default_value = "500", allow_hyphen_values = true, value_parser = values::count)]
    pub max_iterations: usize,
    /// Save the weights to this file, for pathqp predict: JSON if its name ends in .json, compact binary otherwise
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
    /// The expected share of rows on the wrong side
    ZeroOne,
    /// The expected share of pairs of a positive and a negative row in the wrong order, 1 − AUC
    Auc,
}

/// `pathqp theory`.
#[derive(Debug, Args)]
pub struct TheoryArgs {
    /// The mixtures as JSON: prior is P(Y = +1); positive and negative are lists of {weight, mean, covariance}
    pub file: PathBuf,
    /// The training loss
    #[arg(long, value_enum, default_value = "both")]
    pub loss: TheoryLoss,
    /// Training asymmetries C₊/(C₊ + C₋), between 0 and 1, separated by commas
    #[arg(long, value_name = "V,…", value_delimiter = ',', default_value = "0.5,0.1,1e-2,1e-3,1e-4", allow_hyphen_values = true,
          value_parser = values::finite)]
    pub gamma: Vec<f64>,
    /// Exchange the classes, to study training asymmetries that go to 1 instead of 0
    #[arg(long)]
    pub exchange: bool,
    /// Number of points of the ROC curve that are computed, judged for consistency and drawn
    #[arg(long, value_name = "N", default_value = "400", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// Draw the asymmetries and the ROC curves to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The losses of `pathqp theory`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TheoryLoss {
    /// The square loss (u − 1)²/2, with u the margin
    Square,
    /// The erf loss, a smoothed hinge
    Erf,
    /// Both, one after the other
    Both,
}
