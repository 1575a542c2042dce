//! `pathqp at`: the solution at parameter values.

use super::Located;
use crate::args::AtArgs;
use crate::certify::{self, Residuals};
use crate::errors::{CliError, Exit};
use crate::file::PathFile;
use crate::model::Posed;
use crate::output;
use crate::report::{self, AtReport};
use pathqp::certificate::Verdict;
use std::collections::BTreeMap;

/// Prints the solution at each value.
///
/// # Errors
/// A path file that cannot be used; a value outside it.
pub fn run(args: &AtArgs) -> Result<Exit, CliError> {
    let (kept, posed) = PathFile::read(&args.path)?;
    let located = super::locate(&kept, &posed, &args.path, &args.param)?;
    let mut worst = Residuals::default();
    let solutions = located.iter().map(|place| solution(&kept, &posed, place, args.full, &mut worst));
    let reports: Vec<AtReport> = solutions.collect();
    let text = if args.json {
        report::json(&reports)
    } else {
        let names = kept.columns.feature_names.as_deref();
        reports.iter().map(|r| r.table(names)).collect::<Vec<_>>().join("\n")
    };
    output::print(&text)?;
    if worst.pass() && worst.gaps_pass(&kept.path) {
        return Ok(Exit::Done);
    }
    let gap = worst.verdict.between * posed.gap_unit();
    let text = certify::failure(&worst.verdict, |t| posed.place(&kept.path, t))
        .unwrap_or_else(|| format!("a duality gap is {gap:.1e}, above the path's tolerance"));
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The solution at one place of the path; its certificate is taken up in `worst`.
pub(super) fn solution(kept: &PathFile, posed: &Posed, place: &Located, full: bool, worst: &mut Residuals) -> AtReport {
    let Located { value, point } = place;
    let certificate = place.certificate(posed);
    let segment = kept.path.segments().partition_point(|s| s.t <= point.t).saturating_sub(1);
    let verdict = Verdict::on(&kept.path, segment, &certificate, point.t);
    let (model, intercept) = place.model(posed, &certificate);
    let outside = posed.adapter.outside(&model);
    worst.include(&verdict.clone().into());
    AtReport {
        param: BTreeMap::from([(kept.vary.name.to_string(), *value)]),
        theta: theta(posed, &model.theta),
        objective: model.objective,
        dual_objective: model.dual_objective,
        relative_gap: certificate.relative_gap,
        // A residual that is not a number fails.
        kkt_residual: certify::number(certificate.kkt_residual()),
        certificate: certify::text(&verdict),
        w: model.function.w,
        intercept,
        free: point.free.len(),
        outside,
        alpha: full.then_some(model.alpha),
    }
}

/// The coordinates of θ by name, where there are several.
fn theta(posed: &Posed, theta: &[f64]) -> Option<BTreeMap<&'static str, f64>> {
    let names = posed.adapter.parameters().iter().map(|parameter| parameter.name);
    (theta.len() > 1).then(|| names.zip(theta.iter().copied()).collect())
}
