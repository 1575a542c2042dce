//! The arguments of `report`.

use clap::Args;
use std::path::PathBuf;

/// `pathqp report`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pathqp path quantile-svm --train data/pima.csv --lambda 1e-3 --bias augmented --scale minmax --out pima.path
  pathqp report pima.path --train data/pima.csv --out pima.html

The page opens in any browser; #tau=0.3 after its address sets the parameter. docs/report.md says what is on it.")]
pub struct ReportArgs {
    /// The path or map, as pathqp path --out or pathqp map --out kept it
    #[arg(value_name = "PATH|MAP")]
    pub kept: PathBuf,
    /// The data that it was made from: they are compared, so that the page shows what it says
    #[arg(long, value_name = "FILE")]
    pub train: PathBuf,
    /// Further rows with their response, shown beside the training rows
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// The page
    #[arg(long, value_name = "FILE.html")]
    pub out: PathBuf,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
