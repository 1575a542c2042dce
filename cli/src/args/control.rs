//! The options of `pathqp path mpc` and `pathqp map mpc`.

use super::{OutputArgs, Rectangle};
use crate::values;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// `pathqp path mpc`.
#[derive(Debug, Args)]
pub struct MpcArgs {
    /// The plant as a JSON document with A, B, Q, R, horizon, lower, upper, and P if it differs from Q
    #[arg(long, value_name = "FILE.json")]
    pub model: PathBuf,
    /// The initial state at which the path begins
    #[arg(long, value_name = "X,…", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub from: Vec<f64>,
    /// The initial state at which it ends
    #[arg(long, value_name = "X,…", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub to: Vec<f64>,
    /// What to print and write.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `pathqp map mpc`.
#[derive(Debug, Args)]
pub struct MpcMapArgs {
    /// The plant, which has two states: see pathqp path mpc --help
    #[arg(long, value_name = "FILE.json")]
    pub model: PathBuf,
    /// The ranges of both states
    #[arg(long, value_name = "A:B,C:D", allow_hyphen_values = true, value_parser = Rectangle::from_str)]
    pub domain: Rectangle,
    /// Also the optimal inputs at this state
    #[arg(long, value_name = "V,W", value_delimiter = ',', num_args = 1, allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Random states at which the certificate is computed
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// What to print and write; --out is a table of the regions' corners, or a document for pathqp report.
    #[command(flatten)]
    pub output: OutputArgs,
}
