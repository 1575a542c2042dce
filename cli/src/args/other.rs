//! The problems of `pathqp path` that are no kernel machines: each has options of its own.

use super::{CriticalLineArgs, DataArgs, MapArgs, MpcArgs, MpcMapArgs, PathArgs};
use crate::values;
use clap::{Args, Subcommand};
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Scaling;
use std::path::PathBuf;

/// `pathqp path`: one of the problems below, or a kernel machine.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
#[command(subcommand_help_heading = "Other problems", subcommand_value_name = "OTHER PROBLEM")]
pub struct PathCommand {
    /// A problem with options of its own
    #[command(subcommand)]
    pub other: Option<OtherPath>,
    /// A kernel machine.
    #[command(flatten)]
    pub machine: Option<PathArgs>,
}

/// The problems with options of their own.
#[derive(Debug, Subcommand)]
pub enum OtherPath {
    /// Least squares with an l1 penalty: coefficients at every alpha
    Lasso(Box<LassoArgs>),
    /// Efficient portfolios: weights at every trade-off between return and variance
    CriticalLine(Box<CriticalLineArgs>),
    /// Model predictive control: inputs at every initial state along a line
    Mpc(Box<MpcArgs>),
}

/// `pathqp map`: one of the problems below, or a kernel machine.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
#[command(subcommand_help_heading = "Other problems", subcommand_value_name = "OTHER PROBLEM")]
pub struct MapCommand {
    /// A problem with options of its own
    #[command(subcommand)]
    pub other: Option<OtherMap>,
    /// A kernel machine.
    #[command(flatten)]
    pub machine: Option<MapArgs>,
}

/// The problems with options of their own.
#[derive(Debug, Subcommand)]
pub enum OtherMap {
    /// Model predictive control: the explicit controller of a plant with two states
    Mpc(Box<MpcMapArgs>),
}

/// What every one of them can print and write.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// Write a table here: one row a breakpoint, the parameter first
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Draw the path to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

/// `pathqp path lasso`.
#[derive(Debug, Args)]
pub struct LassoArgs {
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// Scaling of the features: none, standard or minmax
    #[arg(long, default_value = "none")]
    pub scale: Scaling,
    /// none or intercept
    #[arg(long, default_value = "none", allow_hyphen_values = true, value_parser = values::bias)]
    pub bias: Bias,
    /// The parameter that varies
    #[arg(long, default_value = "alpha", value_parser = ["alpha"])]
    pub vary: String,
    /// Where the path begins [default: the least alpha at which all coefficients are zero]
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub from: Option<f64>,
    /// Where the path ends
    #[arg(long, value_name = "B", default_value = "0", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub to: f64,
    /// The weight of a ridge penalty R/2·‖w‖² beside the l1 penalty
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub ridge: Option<f64>,
    /// With --alpha: the path through the elastic net of this share of l1, with its ridge penalty A(1 − R) fixed
    #[arg(long, value_name = "R", allow_hyphen_values = true, value_parser = values::share, requires = "alpha", conflicts_with = "ridge")]
    pub l1_ratio: Option<f64>,
    /// The alpha of that elastic net, which is the point A·R of the path
    #[arg(long, value_name = "A", allow_hyphen_values = true, value_parser = values::positive, requires = "l1_ratio")]
    pub alpha: Option<f64>,
    /// What to print and write.
    #[command(flatten)]
    pub output: OutputArgs,
}
