//! `pathqp map`: from a data file to the complex of critical regions in two parameters.

use super::{locate, regions, targets};
use crate::args::{Color, Each, MapArgs, MapStart};
use crate::certify;
use crate::errors::{CliError, Exit, MapError};
use crate::interrupt::Interrupt;
use crate::kept::{Kept, MapFile};
use crate::output::{self, Target};
use crate::plane::{self, PlaneError};
use crate::pose::Described;
use crate::progress::Bar;
use crate::report;
use crate::report::map::{LocateReport, MapLists, MapReport, MapTest};
use crate::values::Domain;
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, ExploreStats, RegionId};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::plane::Plane;
use pathqp_views::plot::map::{self as drawing, Shows};
use pathqp_views::words::number;
use std::time::Instant;

/// Finds the regions, keeps them, draws them, and prints the summary.
///
/// # Errors
/// Invalid input; a complex that could not even begin.
pub fn run(args: &Each<MapArgs>) -> Result<Exit, CliError> {
    let began = Instant::now();
    let rest = &args.rest;
    let [out, figure, code] = request(args)?;
    let names = args.problem.entry.plane;
    let described = Described::read(&args.problem, names.as_ref().map_or(&[], |names| names))?;
    let settings = Settings { threads: rest.threads, ..Settings::default() };
    let space = regions::space(&described, &rest.domain.0, (&settings, code.is_some()))?;
    if let Some(space) = space {
        return regions::run(rest, described, &space, [out, figure, code], began);
    }
    match *rest.domain.0.as_slice() {
        [first, second] => in_plane(rest, described, ([first, second], &settings), (out, figure), began),
        _ => {
            let names = names.unwrap_or_default().to_vec();
            Err(MapError::Ranges { found: rest.domain.0.len(), expected: 2, names }.into())
        }
    }
}

/// The same in two parameters, without rows.
fn in_plane(
    rest: &MapArgs,
    described: Described,
    (domain, settings): (Domain, &Settings),
    (out, figure): (Option<Target>, Option<Target>),
    began: Instant,
) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install();
    let rows = described.spec.rows.response.len();
    if let Color::Alpha(row) = rest.color
        && row >= rows
    {
        let file = described.source().to_owned();
        return Err(MapError::NoRow { row: row.saturating_add(1), file, rows }.into());
    }
    let test = rest.test.as_deref().map(|file| described.columns.read_labelled(file)).transpose()?;

    let plane = plane::pose(described.entry, &described.spec, &domain, settings);
    let plane = plane.map_err(|error| match error {
        PlaneError::Adapter(error) => described.refused(error),
        PlaneError::Domain(error) => error.into(),
    })?;
    let start = rest.start.map(|MapStart(point)| point);
    if let Some(point) = start.filter(|point| !plane.contains(point)) {
        return Err(MapError::StartOutside { point, domain: pathqp_views::domain(&plane) }.into());
    }
    let asked = asked(rest, &plane)?;
    let (complex, error) = explore(&plane, start, settings, &interrupt)?;
    let Described { spec, columns, sources, .. } = described;
    let kept = MapFile { kept: Kept::new(spec, sources, columns), domain, complex };
    if let Some(out) = &out {
        if out.is_table() { out.write(corners(&kept, &plane).as_bytes())? } else { kept.write(out)? }
    }
    let (certificates, places) =
        plane::certify(&plane, &kept.complex, (rest.points, rest.seed), settings, &|| !interrupt.is_set());
    let losses = test.as_ref().map(|test| losses(&kept, &plane, test, settings, &interrupt));
    if let Some(target) = &figure {
        let shows = match rest.color {
            Color::Free => Shows::Free,
            Color::Validation => Shows::Losses(losses.as_deref().unwrap_or_default()),
            Color::Alpha(row) => Shows::Dual(row),
        };
        target.draw(drawing::draw(kept.view(&plane), shows))?;
    }
    let violations: Vec<String> = kept.complex.validate().iter().map(ToString::to_string).collect();
    let best = losses.zip(test).and_then(|(losses, (_, response))| best(&kept, &plane, &losses, response.len()));
    let at = asked.map(|theta| {
        let solved = plane.solve(&kept.complex, &theta, settings, &|| !interrupt.is_set())?;
        Ok::<LocateReport, CliError>(locate::located(&kept, &plane, &solved, theta, false).1)
    });
    let at = at.transpose()?;
    let seconds = began.elapsed().as_secs_f64();
    let mut summary = MapReport::new(&kept, &plane, violations, &certificates, seconds, best).with_point(at);
    if rest.full {
        summary.lists = Some(MapLists::new(&kept.complex));
    }
    output::print(&if rest.json { report::json(&summary) } else { summary.table(&kept, &plane) })?;
    Ok(verdict(&summary, &plane, error.as_ref(), (&certificates, &places), &interrupt))
}

/// The files to write, checked before any file is read.
fn request(args: &Each<MapArgs>) -> Result<[Option<Target>; 3], CliError> {
    let rest = &args.rest;
    args.problem.check()?;
    if rest.color == Color::Validation && rest.test.is_none() {
        return Err(MapError::NoTest.into());
    }
    let entry = args.problem.entry;
    if rest.export_c.is_some() && !entry.regions {
        return Err(MapError::NoProgram { problem: entry.name.into() }.into());
    }
    let mut reads = super::reads(&args.problem);
    reads.extend(rest.test.as_deref().map(|file| ("--test".into(), file)));
    targets([("--out", &rest.out), ("--plot", &rest.plot), ("--export-c", &rest.export_c)], &reads)
}

/// The point that was asked for.
fn asked(args: &MapArgs, plane: &Plane) -> Result<Option<[f64; 2]>, CliError> {
    match args.param.as_slice() {
        [] => Ok(None),
        &[v, w] => Ok(Some([v, w])),
        found => Err(MapError::NotAPoint { found: found.len(), names: plane.names }.into()),
    }
}

/// The corners of all regions, one a line.
fn corners(kept: &MapFile, plane: &Plane) -> String {
    let [first, second] = plane.names;
    let mut text = format!("region,free,{first},{second}\n");
    for (k, region) in (0..).zip(kept.complex.regions()) {
        for ([x, y], _) in kept.complex.corners(RegionId(k)).unwrap_or_default() {
            text += &format!("{k},{},{x},{y}\n", region.free().count());
        }
    }
    text
}

/// The complex, as far as it could be found.
fn explore(
    plane: &Plane,
    start: Option<[f64; 2]>,
    settings: &Settings,
    interrupt: &Interrupt,
) -> Result<(Complex<f64>, Option<ComplexError>), CliError> {
    let mut bar = Bar::new("map");
    let mut go_on = |stats: &ExploreStats| {
        let found = stats.changed + stats.followed + 1;
        bar.show(0.0, || match stats.layers {
            0 => "on the way to the first region".into(),
            layers => format!("{found} regions, {layers} layers"),
        });
        !interrupt.is_set()
    };
    Ok(plane::explore(plane, start, settings, &mut go_on)?)
}

/// The mean loss on the test rows at the centre of each region; not a number where it cannot be computed.
fn losses(
    kept: &MapFile,
    plane: &Plane,
    (features, response): &(Features, Vec<f64>),
    settings: &Settings,
    interrupt: &Interrupt,
) -> Vec<f64> {
    let at = |region: u32| {
        let theta = kept.complex.centre(RegionId(region))?;
        let solved = plane.solve(&kept.complex, &theta, settings, &|| !interrupt.is_set()).ok()?;
        let kernel = plane.kernel()?;
        let values = kernel.decision(&kernel.model(&theta, &solved.as_point()), features);
        let view = plane.problem.view();
        let losses = values.iter().zip(response).map(|(f, y)| view.loss(&theta, *f, *y));
        Some(losses.sum::<f64>() / response.len() as f64)
    };
    (0..kept.complex.regions().len() as u32).map(|region| at(region).unwrap_or(f64::NAN)).collect()
}

/// The region with the least loss.
fn best(kept: &MapFile, plane: &Plane, losses: &[f64], n: usize) -> Option<MapTest> {
    let finite = losses.iter().enumerate().filter(|(_, loss)| loss.is_finite());
    let (region, &least) = finite.reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let region = u32::try_from(region).ok()?;
    Some(MapTest {
        n,
        loss: plane.problem.view().loss_name(),
        least,
        region,
        at: kept.complex.centre(RegionId(region))?,
    })
}

/// The exit status, with a line on stderr for everything that went wrong on the way.
fn verdict(
    summary: &MapReport,
    plane: &Plane,
    error: Option<&ComplexError>,
    (certificates, places): (&Verdict, &[[f64; 2]]),
    interrupt: &Interrupt,
) -> Exit {
    let mut exit = Exit::Done;
    if let Some(error) = error {
        output::complain(&format_args!("the map ends after {} regions: {error}", summary.regions));
        exit = Exit::Failed;
    } else if interrupt.is_set() && !summary.complete {
        output::complain(&format_args!("interrupted after {} regions; the map is incomplete", summary.regions));
        exit = Exit::Interrupted;
    } else if let Some(violation) = summary.violations.first() {
        let more = summary.violations.len() - 1;
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        output::complain(&format_args!("the map is incomplete: {violation}{more}"));
        exit = Exit::Failed;
    }
    let place = |point: f64| {
        let ([first, second], theta) = (plane.names, places.get(point as usize).copied().unwrap_or([f64::NAN; 2]));
        format!("{first} = {}, {second} = {}", number(theta[0]), number(theta[1]))
    };
    if let Some(text) = certify::failure(certificates, place) {
        output::complain(&format_args!("the certificate fails: {text}"));
        exit = if exit == Exit::Done { Exit::Failed } else { exit };
    }
    exit
}
