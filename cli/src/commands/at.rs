//! `pathqp at`: the solution at parameter values.

use super::Located;
use crate::args::AtArgs;
use crate::certify::{TOLERANCE, relative_gap};
use crate::errors::{CliError, Exit};
use crate::file::PathFile;
use crate::model::Posed;
use crate::output;
use crate::report::{self, AtReport};
use std::collections::BTreeMap;

/// Prints the solution at each value.
///
/// # Errors
/// A path file that cannot be used; a value outside it.
pub fn run(args: &AtArgs) -> Result<Exit, CliError> {
    let (kept, posed) = PathFile::read(&args.path)?;
    let located = super::locate(&kept, &args.path, &args.param)?;
    let reports: Vec<AtReport> = located.iter().map(|place| solution(&kept, &posed, place, args.full)).collect();
    let text = if args.json {
        report::json(&reports)
    } else {
        let names = kept.columns.feature_names.as_deref();
        reports.iter().map(|r| r.table(names)).collect::<Vec<_>>().join("\n")
    };
    output::print(&text)?;
    let worst = reports.iter().map(|r| r.kkt_residual).fold(0.0, f64::max);
    if worst <= TOLERANCE {
        return Ok(Exit::Done);
    }
    output::complain(&format_args!("the certificate fails: a KKT residual is {worst:.1e}, above {TOLERANCE:e}"));
    Ok(Exit::Failed)
}

/// The solution at one place of the path, with its certificate.
fn solution(kept: &PathFile, posed: &Posed, place: &Located, full: bool) -> AtReport {
    let Located { value, point } = place;
    let certificate = place.certificate(posed);
    let model = posed.svm.model(*value, point);
    let intercept = super::intercept(kept, model.constant, place, &certificate);
    // A residual that is not a number fails.
    let residual = certificate.kkt_residual();
    AtReport {
        param: BTreeMap::from([(kept.vary.name.to_string(), *value)]),
        objective: model.objective,
        dual_objective: model.dual_objective,
        relative_gap: relative_gap(&posed.line, point.t, &certificate),
        kkt_residual: if residual.is_nan() { f64::INFINITY } else { residual },
        w: model.w,
        intercept,
        free: point.free.len(),
        alpha: full.then_some(model.alpha),
    }
}
