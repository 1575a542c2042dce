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
    /// The range of each parameter, from A to B, separated by commas. With two parameters and without rows an end may be left out: it is then the natural end of the parameter, which may be infinite. Maps with rows (of qp and mpc) take any number of parameters, and need both ends of each range
    #[arg(long, value_name = "A:B,C:D", allow_hyphen_values = true, value_parser = Ranges::from_str)]
    pub domain: Ranges,
    /// Also print the solution at this point, one number per parameter
    #[arg(long, value_name = "V,W", value_delimiter = ',', num_args = 1, allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Save the map to this file: .json is JSON, .csv a table of the corners of the regions, any other name compact binary. Other commands read the first and the last
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the map to this file: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Write the map as C source code that finds the region of a point and computes the solution there: the first inputs (mpc) or x (qp)
    #[arg(long, value_name = "FILE.c")]
    pub export_c: Option<PathBuf>,
    /// What --plot shows: free (the number of free variables of each region), validation (the loss on --test at the centre of each region) or alpha:I
    /// (the dual variable of row I, the first is 1, as a surface over the plane)
    #[arg(long, value_name = "WHAT", default_value = "free", requires = "plot")]
    pub color: Color,
    /// Rows with their response, on which the loss at the centre of each region is measured
    #[arg(long, value_name = "FILE")]
    pub test: Option<PathBuf>,
    /// Number of random points of the domain at which the certificate is computed
    #[arg(long, value_name = "N", default_value = "100", allow_hyphen_values = true, value_parser = values::count)]
    pub points: usize,
    /// The seed of the random points
    #[arg(long, default_value = "1")]
    pub seed: u64,
    /// The point of the domain at which the search begins [default: the lower ends of both ranges, or an inner point if it cannot begin there]
    #[arg(long, value_name = "C,D", allow_hyphen_values = true, value_parser = MapStart::from_str)]
    pub start: Option<MapStart>,
    /// Number of threads; the map does not depend on it
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = values::threads)]
    pub threads: usize,
    /// With --json: also print every region, edge and vertex, and the change of the active set at each edge
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
    /// The map file, from `pathqp map --out`
    pub map: PathBuf,
    /// The values of the parameters, in the order of --domain, separated by commas
    #[arg(long, value_name = "V,W", required = true, value_delimiter = ',', allow_hyphen_values = true,
          value_parser = values::finite)]
    pub param: Vec<f64>,
    /// Also print the dual variables
    #[arg(long)]
    pub full: bool,
    /// Print one JSON document instead of a table
    #[arg(long)]
    pub json: bool,
}
