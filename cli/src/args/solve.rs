//! The arguments of `pathqp solve`.

use super::Rest;
use crate::values;
use clap::Args;
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// Where the way to the solution begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartFrom {
    /// At zero.
    Cold,
    /// At the minimum of the smoothed primal.
    Lbfgs,
    /// At the nearest point of a kept path.
    File(PathBuf),
}

impl FromStr for StartFrom {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "cold" => StartFrom::Cold,
            "lbfgs" => StartFrom::Lbfgs,
            file => StartFrom::File(file.into()),
        })
    }
}

/// `pathqp solve`, apart from the problem.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// The value of the parameter that --vary names; most parameters also have an option of their own name
    #[arg(long, value_name = "V", allow_hyphen_values = true, value_parser = values::finite)]
    pub param: Option<f64>,
    /// The parameter whose value --param gives
    #[arg(long, value_name = "NAME", requires = "param")]
    pub vary: Option<String>,
    /// Initial guess: lbfgs (the minimum of a smoothed primal problem), cold (zero), or a file from --out, whose point nearest to the parameter is used
    #[arg(long, value_name = "lbfgs|cold|FILE", default_value = "lbfgs")]
    pub start: StartFrom,
    /// Save the solution to this file, as a path of one point: JSON if its name ends in .json, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Also print the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
    /// Number of threads; the solution does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
}

impl Rest for SolveArgs {
    const RANGE: bool = false;
    const VALUES: bool = true;
    const SOME: &'static [&'static str] = &[];
}
