//! `pathqp map` and `pathqp locate` in any number of parameters, and with rows.

use crate::args::{Color, LocateArgs, MapArgs};
use crate::certify;
use crate::errors::{CliError, Exit, MapError};
use crate::interrupt::Interrupt;
use crate::kept::{Kept, RegionsFile};
use crate::output::{self, Target};
use crate::pose::Described;
use crate::progress::Bar;
use crate::report::regions::{CellReport, RegionLists, RegionsLocated, RegionsReport};
use crate::report::{self, AtReport};
use crate::space::{self, Space, SpaceError};
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::regions::{Coverage, Options, explore_while};
use pathqp_adapters::space::Place;
use std::time::Instant;

/// The problem on its box, where a map has other than two parameters, or rows, or is for another program; none where it is one of two parameters.
///
/// # Errors
/// As [`Space::new`].
pub fn space(
    described: &Described,
    ranges: &[[Option<f64>; 2]],
    (settings, for_program): (&Settings, bool),
) -> Result<Option<Space>, CliError> {
    let entry = described.entry;
    if !entry.regions {
        return Ok(None);
    }
    let may_be_plane = entry.plane.is_some() && ranges.len() == 2 && !for_program;
    let space = Space::new(entry, &described.spec, ranges, settings);
    match space {
        Ok(space) if may_be_plane && !space.qp.has_rows() => Ok(None),
        Ok(space) => Ok(Some(space)),
        // A range without an end is one of a map in two parameters.
        Err(SpaceError::Open { .. }) if may_be_plane => Ok(None),
        Err(error) => Err(match error {
            SpaceError::Adapter(error) => described.refused(error),
            SpaceError::Ranges { found, names } => MapError::Ranges { found, expected: names.len(), names }.into(),
            SpaceError::Empty { name, from, to } => MapError::DomainEmpty { name: name.into(), from, to }.into(),
            SpaceError::Open { name } => MapError::RangeOpen { name }.into(),
        }),
    }
}

/// Finds the regions, keeps them, and prints the summary.
///
/// # Errors
/// Options of maps in two parameters; a domain in which nothing could be begun.
pub fn run(
    args: &MapArgs,
    described: Described,
    space: &Space,
    [out, figure, code]: [Option<Target>; 3],
    began: Instant,
) -> Result<Exit, CliError> {
    let unused = [
        (figure.is_some(), "--plot"),
        (args.color != Color::Free, "--color"),
        (args.test.is_some(), "--test"),
        (args.start.is_some(), "--start"),
        (out.as_ref().is_some_and(Target::is_table), "--out FILE.csv"),
    ];
    if let Some((_, option)) = unused.into_iter().find(|(given, _)| *given) {
        return Err(MapError::PlaneOnly { option }.into());
    }
    let asked = asked(&args.param, space)?;
    let interrupt = Interrupt::install();
    let mut bar = Bar::new("map");
    let options = Options { settings: Settings { threads: args.threads, ..Settings::default() }, ..Options::default() };
    let mut go_on = |cells: usize, waiting: usize| {
        bar.show(0.0, || format!("{cells} regions, {waiting} to look beyond"));
        !interrupt.is_set()
    };
    let found = explore_while(&space.qp, &options, &mut go_on)?;
    let coverage = found.coverage(&space.qp, args.points, args.seed);
    let Described { spec, columns, sources, .. } = described;
    let kept = RegionsFile { kept: Kept::new(spec, sources, columns), domain: space.domain.clone(), regions: found };
    if let Some(out) = &out {
        kept.write(out)?;
    }
    if let Some(code) = &code {
        let name = code.given().file_stem().unwrap_or_default().to_string_lossy();
        code.write(space.controller(&name, &kept.regions).as_bytes())?;
    }
    let (certificates, places) =
        space::certify(space, &kept.regions, (args.points, args.seed), &|| !interrupt.is_set());
    let at = asked.map(|theta| located(&kept, space, &theta, false)).transpose()?;
    let seconds = began.elapsed().as_secs_f64();
    let mut summary = RegionsReport::new(&kept, space, coverage, &certificates, seconds);
    summary.at = at.map(|at| at.1);
    summary.lists = args.full.then(|| RegionLists::new(&kept.regions));
    output::print(&if args.json { report::json(&summary) } else { summary.table(&kept, space) })?;
    Ok(verdict(&summary, space, coverage, (&certificates, &places), &interrupt))
}

/// The point that was asked for.
fn asked(param: &[f64], space: &Space) -> Result<Option<Vec<f64>>, CliError> {
    match param.len() {
        0 => Ok(None),
        found if found == space.names.len() => Ok(Some(param.to_vec())),
        found => Err(MapError::NotAPlace { found, names: space.names.clone() }.into()),
    }
}

/// The exit status, with a line on stderr for everything that went wrong on the way.
fn verdict(
    summary: &RegionsReport,
    space: &Space,
    coverage: Coverage,
    (certificates, places): (&Verdict, &[Vec<f64>]),
    interrupt: &Interrupt,
) -> Exit {
    let mut exit = Exit::Done;
    if interrupt.is_set() {
        output::complain(&format_args!("interrupted after {} regions; the map is incomplete", summary.regions));
        exit = Exit::Interrupted;
    } else if coverage.uncovered > 0 {
        let Coverage { points, uncovered, .. } = coverage;
        output::complain(&format_args!(
            "the map is incomplete: no region covers {uncovered} of {points} random points"
        ));
        exit = Exit::Failed;
    }
    let place = |point: f64| places.get(point as usize).map_or_else(String::new, |theta| space::place(space, theta));
    if let Some(text) = certify::failure(certificates, place) {
        output::complain(&format_args!("the certificate fails: {text}"));
        exit = if exit == Exit::Done { Exit::Failed } else { exit };
    }
    exit
}

/// The region and the solution at a point, with the verdict on it.
fn located(
    kept: &RegionsFile,
    space: &Space,
    theta: &[f64],
    full: bool,
) -> Result<(Verdict, RegionsLocated), CliError> {
    let Place { point, certificate, solution } = space.at(&kept.regions, theta)?;
    let verdict = Verdict::of(&certificate, 0.0);
    let unit = space.problem.gap_unit(theta);
    let param = space.names.iter().zip(theta).map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let solution = AtReport::new(param, None, solution, (&certificate, &verdict, unit), (point.free.len(), full));
    Ok((verdict, RegionsLocated { region: CellReport::new(&kept.regions, point.cell), solution }))
}

/// `pathqp locate` on such a map.
///
/// # Errors
/// A point outside the domain, without a solution, or that no region covers.
pub fn locate(args: &LocateArgs, kept: &RegionsFile, space: &Space) -> Result<Exit, CliError> {
    let theta = asked(&args.param, space)?;
    let theta = theta.ok_or_else(|| MapError::NotAPlace { found: 0, names: space.names.clone() })?;
    let (verdict, report) = located(kept, space, &theta, args.full)?;
    let groups = space.problem.columns();
    output::print(&if args.json { report::json(&report) } else { report.table(&groups) })?;
    let Some(text) = certify::failure(&verdict, |_| space::place(space, &theta)) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}
