//! The arguments of `report`.

use clap::Args;
use std::path::PathBuf;

/// `pathqp report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pathqp path quantile-svm --train data/pima.csv --lambda 1e-3 --bias augmented --scale minmax --out pima.path
  pathqp report pima.path --train data/pima.csv --out pima.html

The page opens in any browser; add #tau=0.3 to its address to set the parameter. docs/report.md explains what it shows.")]
pub struct ReportArgs {
    /// The path or map file, from pathqp path --out or pathqp map --out
    #[arg(value_name = "PATH|MAP")]
    pub kept: PathBuf,
    /// The data that the path or map was made from; other data are refused
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// Further rows with their responses, shown beside the training rows
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE.html")]
    pub out: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
