//! `pathqp locate`: region and solution at a point of a kept map.

use super::regions;
use crate::args::LocateArgs;
use crate::certify;
use crate::errors::{CliError, Exit, MapError};
use crate::interrupt::Interrupt;
use crate::kept::{self, MapFile, Read};
use crate::output;
use crate::report::map::{LocateReport, RegionReport};
use crate::report::{self, AtReport};
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::complex::ComplexError;
use pathqp_adapters::plane::{Plane, Solved};
use pathqp_views::words::number;

/// Prints the region and the solution.
///
/// # Errors
/// A map file that cannot be used; a point outside it, or in a hole.
pub fn run(args: &LocateArgs) -> Result<Exit, CliError> {
    let (kept, plane) = match kept::read(&args.map)? {
        Read::Regions(file, space) => return regions::locate(args, &file, &space),
        _ => MapFile::read(&args.map)?,
    };
    let names = plane.names;
    let &[v, w] = args.param.as_slice() else {
        return Err(MapError::NotAPoint { found: args.param.len(), names }.into());
    };
    let theta = [v, w];
    let interrupt = Interrupt::install();
    let solved = plane.solve(&kept.complex, &theta, &Settings::default(), &|| !interrupt.is_set());
    let solved = solved.map_err(|error| match error {
        ComplexError::Outside { .. } => {
            let (file, domain) = (args.map.display().to_string(), pathqp_views::domain(&plane));
            MapError::PointOutside { point: theta, file, domain }.into()
        }
        error => CliError::Complex(error),
    })?;
    let (verdict, report) = located(&kept, &plane, &solved, theta, args.full);
    let groups = plane.problem.columns();
    output::print(&if args.json { report::json(&report) } else { report.table(&groups) })?;
    let place = |_| format!("{} = {}, {} = {}", names[0], number(v), names[1], number(w));
    let Some(text) = certify::failure(&verdict, place) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The region and the solution at a point, with the verdict on it.
pub(super) fn located(
    kept: &MapFile,
    plane: &Plane,
    solved: &Solved,
    theta: [f64; 2],
    full: bool,
) -> (Verdict, LocateReport) {
    let certificate = &solved.certificate;
    let verdict = Verdict::of(certificate, 0.0);
    let solution = plane.problem.solution(&theta, &solved.as_point(), certificate.multiplier_range);
    let unit = plane.problem.gap_unit(&theta);
    let param = plane.names.iter().zip(theta).map(|(name, value)| ((*name).to_owned(), value)).collect();
    let free = solved.point.free.len();
    let solution = AtReport::new(param, None, solution, (certificate, &verdict, unit), (free, full));
    (verdict, LocateReport { region: RegionReport::new(&kept.complex, solved.point.region), solution })
}
