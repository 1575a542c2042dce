//! `pathqp at`: the solution at parameter values.

use super::Located;
use crate::args::AtArgs;
use crate::certify::{self, Residuals};
use crate::errors::{CliError, Exit};
use crate::kept::PathFile;
use crate::output;
use crate::report::{self, AtReport};
use pathqp::certificate::Verdict;
use pathqp_adapters::problem::PathProblem;
use pathqp_adapters::run::Posed;
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
        let groups = posed.columns(&kept.kept.spec);
        reports.iter().map(|r| r.table(&groups)).collect::<Vec<_>>().join("\n")
    };
    output::print(&text)?;
    if worst.pass() && worst.gaps_pass(&kept.path) {
        return Ok(Exit::Done);
    }
    let gap = worst.verdict.between * posed.gap_unit();
    let text = certify::failure(&worst.verdict, |t| super::place(&posed, &kept.path, t))
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
    worst.include(&verdict.clone().into());
    let solution = posed.solution(*value, point, &certificate);
    let at = posed.axis.theta(*value);
    let unit = posed.problem.gap_unit(&at);
    AtReport::new(
        BTreeMap::from([(kept.vary.name.clone(), *value)]),
        theta(posed.problem.as_ref(), &at),
        solution,
        (&certificate, &verdict, unit),
        (point.free.len(), full),
    )
}

/// The coordinates of θ by name, where there are several.
fn theta(problem: &dyn PathProblem, theta: &[f64]) -> Option<BTreeMap<String, f64>> {
    let names = problem.parameters().iter().map(|parameter| parameter.name.to_owned());
    (theta.len() > 1).then(|| names.zip(theta.iter().copied()).collect())
}
