//! The options of `pathqp path critical-line`.

use super::OutputArgs;
use crate::values;
use clap::Args;
use std::path::PathBuf;

/// A bound of all weights, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundArg {
    /// The same for all; infinite where there is none.
    All(f64),
    /// A file with one number an asset.
    File(PathBuf),
}

/// A number, inf, -inf, or else a file.
fn bound(text: &str) -> Result<BoundArg, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_nan() => Err("a bound must be a number, inf, -inf, or a file".into()),
        Ok(value) => Ok(BoundArg::All(value)),
        Err(_) => Ok(BoundArg::File(text.into())),
    }
}

/// `pathqp path critical-line`.
#[derive(Debug, Args)]
pub struct CriticalLineArgs {
    /// A table of returns: one row a period, one column an asset
    #[arg(long, value_name = "FILE.csv", required_unless_present_any = ["mean", "prices"], conflicts_with_all = ["mean", "prices"])]
    pub train: Option<PathBuf>,
    /// A table of prices likewise, from which the returns are computed
    #[arg(long, value_name = "FILE.csv", conflicts_with = "mean")]
    pub prices: Option<PathBuf>,
    /// The expected returns: a table of one row, or of one column
    #[arg(long, value_name = "FILE.csv", requires = "cov")]
    pub mean: Option<PathBuf>,
    /// Their covariance: a table of as many rows as columns
    #[arg(long, value_name = "FILE.csv", requires = "mean")]
    pub cov: Option<PathBuf>,
    /// The tables have no row of names: assets go by position, and not by name
    #[arg(long)]
    pub no_header: bool,
    /// The least weight of every asset, or a table of one row (matched by the names of its columns) or one column; -inf for short sales without limit
    #[arg(long, value_name = "W|FILE", default_value = "0", allow_hyphen_values = true, value_parser = bound)]
    pub lower: BoundArg,
    /// The largest weight, likewise
    #[arg(long, value_name = "W|FILE", default_value = "1", allow_hyphen_values = true, value_parser = bound)]
    pub upper: BoundArg,
    /// The parameter that varies: the weight of the return against half the variance
    #[arg(long, default_value = "t", value_parser = ["t"])]
    pub vary: String,
    /// Where the path begins
    #[arg(long, value_name = "A", default_value = "0", allow_hyphen_values = true, value_parser = values::end)]
    pub from: f64,
    /// Where the path ends; inf is the portfolio with the largest return
    #[arg(long, value_name = "B", default_value = "inf", allow_hyphen_values = true, value_parser = values::end)]
    pub to: f64,
    /// The return of an asset without risk, in Sharpe ratios
    #[arg(long, value_name = "R", default_value = "0", allow_hyphen_values = true, value_parser = values::finite)]
    pub risk_free: f64,
    /// Also the portfolios at these t
    #[arg(long, value_name = "T,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::not_negative)]
    pub param: Vec<f64>,
    /// Also the portfolios with these returns
    #[arg(long, value_name = "M,…", value_delimiter = ',', allow_hyphen_values = true, value_parser = values::finite)]
    pub target: Vec<f64>,
    /// What to print and write.
    #[command(flatten)]
    pub output: OutputArgs,
}
