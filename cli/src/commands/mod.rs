//! One module a command, and what several of them do.

pub mod at;
pub mod check;
pub mod moments;
pub mod path;
pub mod predict;
pub mod theory;

use crate::errors::CliError;
use crate::file::PathFile;
use crate::model::Posed;
use crate::report::Intercept;
use pathqp::{Certificate, Point};
use pathqp_adapters::quantile_svm::Bias;
use std::path::Path;

/// A value of the parameter and the solution there.
struct Located {
    value: f64,
    point: Point<f64>,
}

impl Located {
    /// The certificate of the solution.
    fn certificate(&self, posed: &Posed) -> Certificate<f64> {
        Certificate::new(&posed.line, &self.point.t, &self.point.x, &self.point.y)
    }
}

/// The solutions at values of the parameter. A value that lies outside by rounding alone is taken for the end.
///
/// # Errors
/// A value outside the path.
fn locate(kept: &PathFile, path: &Path, values: &[f64]) -> Result<Vec<Located>, CliError> {
    let file = path.display().to_string();
    let Some((from, to)) = kept.covered() else {
        return Err(CliError::NothingKept { file });
    };
    let end = *kept.path.end();
    let at = |&value: &f64| {
        let inside = kept.path.position(&[value]).filter(|t| (-f64::EPSILON..=end + f64::EPSILON).contains(t));
        let point = inside.and_then(|t| kept.path.at(&t.clamp(0.0, end)));
        let outside = || CliError::ParamOutside { value, file: file.clone(), name: kept.vary.name, from, to };
        point.map(|point| Located { value, point }).ok_or_else(outside)
    };
    values.iter().map(at).collect()
}

/// The constant of f: the intercept without penalty, which may be an interval, or what another bias gives.
fn intercept(kept: &PathFile, constant: f64, place: &Located, certificate: &Certificate<f64>) -> Intercept {
    match kept.model.bias {
        Bias::Intercept => Intercept::new(place.point.y, certificate.multiplier_range),
        _ => Intercept::Unique(constant),
    }
}
