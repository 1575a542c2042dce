//! `pathqp map`: from a data file to the complex of critical regions in two parameters.

use super::path::name_row;
use crate::args::{Color, MapArgs, MapStart, Rectangle};
use crate::certify;
use crate::data::{Training, read_training};
use crate::errors::{CliError, Exit};
use crate::file::PathFile;
use crate::interrupt::Interrupt;
use crate::map_file::{FORMAT_VERSION, MapFile};
use crate::model::{Model, Rows};
use crate::output::{self, Target};
use crate::plane::Plane;
use crate::plot;
use crate::progress::Bar;
use crate::report;
use crate::report::map::{MapLists, MapReport, MapTest};
use crate::values::number;
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, ExploreStats, RegionId};
use pathqp_adapters::dataset::Features;
use std::collections::BTreeMap;
use std::path::Path as FsPath;
use std::time::Instant;

/// Finds the regions, keeps them, draws them, and prints the summary.
///
/// # Errors
/// A wrong question; a complex that could not even begin.
pub fn run(args: MapArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let interrupt = Interrupt::install();
    let (model, out, figure) = request(&args)?;
    let entry = args.problem.entry();
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, entry.response)?;
    let file = || args.data.train.display().to_string();
    let rows = training.rows.response.len();
    if let Color::Alpha(row) = args.color
        && row >= rows
    {
        return Err(CliError::NoRow { row: row.saturating_add(1), file: file(), rows });
    }
    let test = args.test.as_deref().map(|file| training.columns.read_labelled(file)).transpose()?;

    let (settings, Rectangle(domain)) = (Settings { threads: args.threads, ..Settings::default() }, args.domain);
    let plane = Plane::new(args.problem, &training.rows, &model, &domain, &settings);
    let plane = plane.map_err(|error| name_row(error, &args.data.train, &training))?;
    let start = args.start.map(|MapStart(point)| point);
    if let Some(point) = start.filter(|point| !plane.contains(point)) {
        return Err(CliError::StartOutside { point, domain: plane.text() });
    }
    let (complex, error) = explore(&plane, start, &settings, &interrupt)?;
    let kept = keep(&args, model, training, complex);
    if let Some(out) = &out {
        kept.write(out)?;
    }
    let (certificates, places) = plane.certify(&kept.complex, args.points, args.seed, &settings, &interrupt);
    let losses = test.as_ref().map(|test| losses(&kept, &plane, test, &settings, &interrupt));
    if let Some(target) = &figure {
        let svg = plot::map::draw(&kept, &plane, args.color, losses.as_deref(), target.given())?;
        target.write(svg.as_bytes())?;
    }
    let violations: Vec<String> = kept.complex.validate().iter().map(ToString::to_string).collect();
    let best = losses.zip(test).and_then(|(losses, (_, response))| best(&kept, &losses, response.len()));
    let seconds = began.elapsed().as_secs_f64();
    let mut summary = MapReport::new(&kept, &plane, violations, &certificates, seconds, best);
    if args.full {
        summary.lists = Some(MapLists::new(&kept.complex));
    }
    output::print(&if args.json { report::json(&summary) } else { summary.table(&kept, &plane) })?;
    Ok(verdict(&summary, &plane, error.as_ref(), (&certificates, &places), &interrupt))
}

/// The model and the files to write, checked before any file is read.
fn request(args: &MapArgs) -> Result<(Model, Option<Target>, Option<Target>), CliError> {
    let problem = args.problem;
    let entry = problem.entry();
    if entry.plane.is_none() {
        return Err(CliError::OneParameter { problem });
    }
    args.model.check()?;
    if args.color == Color::Validation && args.test.is_none() {
        return Err(CliError::NoTest);
    }
    let mut others: Vec<(&'static str, &FsPath)> = vec![("--train", &args.data.train)];
    others.extend(args.test.as_deref().map(|file| ("--test", file)));
    let target = |option, file: &Option<std::path::PathBuf>| {
        file.as_deref().map(|file| Target::new(option, file, &others)).transpose()
    };
    let (out, plot) = (target("--out", &args.out)?, target("--plot", &args.plot)?);
    if let Some((a, b)) = out.as_ref().zip(plot.as_ref())
        && a.path() == b.path()
    {
        let file = b.given().display().to_string();
        return Err(CliError::SameFile { option: "--plot", file, other: "--out" });
    }
    let bias = args.model.bias.unwrap_or(entry.bias);
    Ok((Model { kernel: args.model.kernel, bias, fixed: BTreeMap::new(), direction: None }, out, plot))
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
    Ok(plane.explore(start, settings, &mut go_on)?)
}

fn keep(args: &MapArgs, model: Model, training: Training, complex: Complex<f64>) -> MapFile {
    let Training { rows: Rows { features, response, weights }, columns, .. } = training;
    MapFile {
        format: FORMAT_VERSION,
        program: PathFile::program(),
        problem: args.problem,
        model,
        domain: args.domain.0,
        source: args.data.train.display().to_string(),
        columns,
        features,
        response,
        weights,
        complex,
    }
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
        let solved = plane.solve(&kept.complex, &theta, settings, interrupt).ok()?;
        let model = plane.adapter.model(&theta, &solved.as_point());
        let values = plane.adapter.decision(&model, features);
        let losses = values.iter().zip(response).map(|(f, y)| kept.problem.loss(&theta, *f, *y));
        Some(losses.sum::<f64>() / response.len() as f64)
    };
    (0..kept.complex.regions().len() as u32).map(|region| at(region).unwrap_or(f64::NAN)).collect()
}

/// The region with the least loss.
fn best(kept: &MapFile, losses: &[f64], n: usize) -> Option<MapTest> {
    let finite = losses.iter().enumerate().filter(|(_, loss)| loss.is_finite());
    let (region, &least) = finite.reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let region = u32::try_from(region).ok()?;
    Some(MapTest { n, loss: kept.problem.loss_name(), least, region, at: kept.complex.centre(RegionId(region))? })
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
