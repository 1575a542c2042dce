//! One module a command, and what several of them do.

pub mod at;
pub mod check;
pub mod critical_line;
pub mod lasso;
pub mod locate;
pub mod map;
pub mod moments;
pub mod mpc;
pub mod nnls;
pub mod path;
pub mod predict;
pub mod report;
pub mod roc;
pub mod solve;
pub mod theory;
pub mod trend_filtering;
pub mod tune;

use crate::args::{Either, MapCommand, OtherMap, OtherPath, PathCommand};
use crate::errors::{CliError, Exit};
use crate::file::PathFile;
use crate::model::Posed;
use pathqp::{Certificate, Point};
use pathqp_adapters::Model;
use pathqp_adapters::adapter::Constant;
use std::path::Path;

/// `pathqp path`, whichever problem it is.
///
/// # Errors
/// As the problem's own command.
pub fn run_path(command: PathCommand) -> Result<Exit, CliError> {
    match command {
        Either::Machine(args) => path::run(args),
        Either::Other(OtherPath::Lasso(args)) => lasso::run(&args),
        Either::Other(OtherPath::CriticalLine(args)) => critical_line::run(&args),
        Either::Other(OtherPath::TrendFiltering(args)) => trend_filtering::run(&args),
        Either::Other(OtherPath::Nnls(args)) => nnls::run(&args),
        Either::Other(OtherPath::Mpc(args)) => mpc::run(&args),
    }
}

/// `pathqp map`, whichever problem it is.
///
/// # Errors
/// As the problem's own command.
pub fn run_map(command: MapCommand) -> Result<Exit, CliError> {
    match command {
        Either::Machine(args) => map::run(args),
        Either::Other(OtherMap::Mpc(args)) => mpc::run_map(&args),
    }
}

/// A value of the parameter and the solution there.
struct Located {
    value: f64,
    point: Point<f64>,
}

impl Located {
    /// The certificate of the solution.
    fn certificate(&self, posed: &Posed) -> Certificate<f64> {
        Certificate::of(&posed.line, &self.point)
    }

    /// The model, and its constant with all the values that are optimal.
    fn model(&self, posed: &Posed, certificate: &Certificate<f64>) -> (Model, Constant) {
        let model = posed.adapter.model(&posed.axis.theta(self.value), &self.point);
        let constant = posed.adapter.constant(&model, certificate.multiplier_range);
        (model, constant)
    }
}

/// The solutions at values of the parameter. A value that lies outside by rounding alone is taken for the end.
///
/// # Errors
/// A value outside the path.
fn locate(kept: &PathFile, posed: &Posed, path: &Path, values: &[f64]) -> Result<Vec<Located>, CliError> {
    let file = path.display().to_string();
    let Some((from, to)) = posed.covered(&kept.path) else {
        return Err(CliError::NothingKept { file });
    };
    let end = *kept.path.end();
    let rounding = f64::EPSILON * end.max(1.0);
    let at = |&value: &f64| {
        let t = kept.path.position(&posed.axis.theta(value));
        let last = if kept.path.is_endless() { f64::INFINITY } else { end };
        let inside = t.filter(|t| (-rounding..=last + rounding).contains(t));
        let point = inside.and_then(|t| kept.path.at(&t.clamp(0.0, last)));
        let outside = || CliError::ParamOutside { value, file: file.clone(), name: kept.vary.name, from, to };
        point.map(|point| Located { value, point }).ok_or_else(outside)
    };
    values.iter().map(at).collect()
}
