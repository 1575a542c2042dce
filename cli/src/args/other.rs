//! The problems of `pathqp path` that are no kernel machines: each has options of its own.

use super::{CriticalLineArgs, DataArgs, MapArgs, MpcArgs, MpcMapArgs, PathArgs};
use crate::values;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand, ValueEnum};
use pathqp_adapters::Bias;
use pathqp_adapters::dataset::Scaling;
use std::path::PathBuf;

/// A kernel machine, with options that all of them share, or a problem with options of its own, as a subcommand.
#[derive(Debug)]
pub enum Either<M, O> {
    /// A kernel machine.
    Machine(M),
    /// Another problem.
    Other(O),
}

/// `pathqp path`.
pub type PathCommand = Either<PathArgs, OtherPath>;

/// `pathqp map`.
pub type MapCommand = Either<MapArgs, OtherMap>;

impl<M: Args, O: Subcommand> FromArgMatches for Either<M, O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand_name() {
            Some(_) => O::from_arg_matches(matches).map(Either::Other),
            None => M::from_arg_matches(matches).map(Either::Machine),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<M: Args, O: Subcommand> Args for Either<M, O> {
    fn augment_args(command: Command) -> Command {
        let command = O::augment_subcommands(M::augment_args(command));
        let command = command.args_conflicts_with_subcommands(true).subcommand_negates_reqs(true);
        let command = command.subcommand_required(false).arg_required_else_help(false).disable_help_subcommand(true);
        command.subcommand_help_heading("Other problems").subcommand_value_name("OTHER PROBLEM")
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
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
    /// A signal with few jumps, kinks or differences along edges, at every lambda
    TrendFiltering(Box<TrendArgs>),
    /// Least squares with coefficients that are not negative, or in a box
    Nnls(Box<NnlsArgs>),
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
    /// Write a table here: one row a breakpoint, the parameter first; if the name ends in .json, a document for pathqp report
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

/// `pathqp path trend-filtering`.
#[derive(Debug, Args)]
pub struct TrendArgs {
    /// The signal: a column of a .csv or .tsv table, in the order of its rows, or the first numbers of LIBSVM text
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// The column that holds the signal [default: the last one]
    #[arg(long, value_name = "NAME")]
    pub response: Option<String>,
    /// The table has no row of names
    #[arg(long)]
    pub no_header: bool,
    /// The order of the polynomials: 0 for constant pieces (the fused lasso), 1 for linear ones, …
    #[arg(long, value_name = "K", default_value = "0", allow_hyphen_values = true, value_parser = values::count)]
    pub order: usize,
    /// A graph in place of the chain: a table with a row of names and two columns, the rows of the signal (the first is 1) that an edge joins
    #[arg(long, value_name = "FILE", conflicts_with = "order")]
    pub edges: Option<PathBuf>,
    /// Any D in place of the chain: a table without a row of names, a column for each value of the signal
    #[arg(long, value_name = "FILE", conflicts_with_all = ["order", "edges"])]
    pub matrix: Option<PathBuf>,
    /// The parameter that varies, from 0 on
    #[arg(long, default_value = "lambda", value_parser = ["lambda"])]
    pub vary: String,
    /// Where the path ends [default: where nothing happens any more]
    #[arg(long, value_name = "B", allow_hyphen_values = true, value_parser = values::positive)]
    pub to: Option<f64>,
    /// Also the fitted signal and its knots here
    #[arg(long, value_name = "L", allow_hyphen_values = true, value_parser = values::not_negative)]
    pub lambda: Option<f64>,
    /// What to print and write.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What varies in `nnls`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NnlsParameter {
    /// A penalty on the sum of the coefficients.
    Lambda,
    /// The share of --toward in the response.
    S,
}

/// `pathqp path nnls`.
#[derive(Debug, Args)]
pub struct NnlsArgs {
    /// How to read the data.
    #[command(flatten)]
    pub data: DataArgs,
    /// The parameter that varies: a penalty on the sum of the coefficients, or the share of --toward in the response
    /// [default: s with --toward, lambda otherwise]
    #[arg(long, value_enum)]
    pub vary: Option<NnlsParameter>,
    /// The column with the other response b1: the response is b + s(b1 - b) with s from 0 to 1
    #[arg(long, value_name = "NAME")]
    pub toward: Option<String>,
    /// The lower bound of every coefficient; it may be -inf
    #[arg(long, value_name = "L", default_value = "0", allow_hyphen_values = true, value_parser = values::bound)]
    pub lower: f64,
    /// The upper bound of every coefficient; it may be inf
    #[arg(long, value_name = "U", default_value = "inf", allow_hyphen_values = true, value_parser = values::bound)]
    pub upper: f64,
    /// What to print and write.
    #[command(flatten)]
    pub output: OutputArgs,
}
