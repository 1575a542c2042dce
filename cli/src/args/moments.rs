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
    /// Draw asymmetries and ROC curves to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
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
