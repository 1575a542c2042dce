//! `pathqp locate`: region and solution at a point of a kept map.

use crate::args::LocateArgs;
use crate::certify;
use crate::errors::{CliError, Exit};
use crate::interrupt::Interrupt;
use crate::map_file::MapFile;
use crate::output;
use crate::report::map::{LocateReport, RegionReport};
use crate::report::{self, AtReport};
use crate::values::number;
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::complex::ComplexError;
use std::collections::BTreeMap;

/// Prints the region and the solution.
///
/// # Errors
/// A map file that cannot be used; a point outside it, or in a hole.
pub fn run(args: &LocateArgs) -> Result<Exit, CliError> {
    let (kept, plane) = MapFile::read(&args.map)?;
    let names = plane.names;
    let &[v, w] = args.param.as_slice() else {
        return Err(CliError::NotAPoint { found: args.param.len(), names });
    };
    let theta = [v, w];
    let solved =
        plane.solve(&kept.complex, &theta, &Settings::default(), &Interrupt::install()).map_err(
            |error| match error {
                ComplexError::Outside { .. } => {
                    let (file, domain) = (args.map.display().to_string(), plane.text());
                    CliError::PointOutside { point: theta, file, domain }
                }
                error => CliError::Complex(error),
            },
        )?;
    let model = plane.adapter.model(&theta, &solved.as_point());
    let intercept = plane.adapter.constant(&model, solved.certificate.multiplier_range);
    let outside = plane.adapter.outside(&model);
    let verdict = Verdict::of(&solved.certificate, 0.0);
    let report = LocateReport {
        region: RegionReport::new(&kept.complex, solved.point.region),
        solution: AtReport {
            param: BTreeMap::from([(names[0].to_string(), v), (names[1].to_string(), w)]),
            theta: None,
            objective: model.objective,
            dual_objective: model.dual_objective,
            relative_gap: solved.certificate.relative_gap,
            kkt_residual: verdict.residual,
            certificate: certify::text(&verdict),
            w: model.function.w,
            intercept,
            free: solved.point.free.len(),
            outside,
            alpha: args.full.then_some(model.alpha),
        },
    };
    let features = kept.columns.feature_names.as_deref();
    output::print(&if args.json { report::json(&report) } else { report.table(features) })?;
    let place = |_| format!("{} = {}, {} = {}", names[0], number(v), names[1], number(w));
    let Some(text) = certify::failure(&verdict, place) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}
