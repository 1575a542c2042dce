//! The arguments of `map` and `locate`.

use super::Rest;
use crate::values;
use clap::Args;
use pathqp_adapters::spec::Entry;
use std::path::PathBuf;
use std::str::FromStr;

/// `pathqp map`, apart from the problem.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// The ranges of both parameters; an end left out is the problem's own, so that A: may have no end at all. Where there are rows (qp, mpc) any number of parameters, a range with two ends each
    #[arg(long, value_name = "A:B,C:D", allow_hyphen_values = true, value_parser = Ranges::from_str)]
    pub domain: Ranges,
    /// Also the solution at this point
    #[arg(long, value_name = "V,W", value_delimiter = ',', num_args = 1, allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Keep the map in this file: JSON if its name ends in .json, a table of the regions' corners if it ends in .csv, compact binary otherwise
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the map to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the map to this file as a program in C that finds the region of a point and what is optimal there: of mpc the first inputs, of qp all of x
    #[arg(long, value_name = "FILE.c")]
    pub export_c: Option<PathBuf>,
    /// What is drawn: free (regions by their number of free variables), validation (by the loss on --test at their
    /// centres) or alpha:I (the dual variable of row I, a surface over the plane)
    #[arg(long, value_name = "WHAT", default_value = "free", requires = "plot")]
    pub color: Color,
    /// Rows with their response, on which the loss at the centre of each region is measured
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Random points of the domain at which the certificate is computed
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// The seed of the random points
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// Where the search begins: any point of the domain. By default the lower ends, or if that is no place to begin a point inside
    #[arg(long, value_name = "C,D", allow_hyphen_values = true, value_parser = MapStart::from_str)]
    pub start: Option<MapStart>,
    /// Threads; the map does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// With --json: also every region, edge and vertex, with what happens there
    #[arg(long, requires = "json")]
    pub full: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}

impl Rest for MapArgs {
    const RANGE: bool = false;
    const VALUES: bool = false;
    const SOME: &'static [&'static str] = &[];

    fn serves(entry: &Entry) -> bool {
        entry.plane.is_some() || entry.regions
    }
}

/// The domain of a map, a range a parameter.
#[derive(Clone, Debug)]
pub struct Ranges(pub Vec<[Option<f64>; 2]>);

impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        values::ranges(text).map(Ranges)
    }
}

/// A point of the domain.
#[derive(Clone, Copy, Debug)]
pub struct MapStart(pub [f64; 2]);

impl FromStr for MapStart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, second) = text.split_once(',').ok_or("it must be two numbers C,D, one for each parameter")?;
        Ok(MapStart([values::finite(first)?, values::finite(second)?]))
    }
}

/// What the figure of a map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Regions by |F|.
    Free,
    /// Regions by the loss on the test rows.
    Validation,
    /// The dual variable of a row, counted from zero.
    Alpha(usize),
}

impl FromStr for Color {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let row = |text: &str| text.parse::<usize>().ok().and_then(|row| row.checked_sub(1));
        match (text, text.strip_prefix("alpha:").and_then(row)) {
            ("free", _) => Ok(Color::Free),
            ("validation", _) => Ok(Color::Validation),
            (_, Some(row)) => Ok(Color::Alpha(row)),
            _ => Err("use free, validation or alpha:I with a row I from 1 on".into()),
        }
    }
}

/// `pathqp locate`.
#[derive(Debug, Args)]
pub struct LocateArgs {
    /// The map, as `pathqp map --out` kept it
    pub map: PathBuf,
    /// The values of the parameters, in the order of the domain
    #[arg(long, value_name = "V,W", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Also the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
