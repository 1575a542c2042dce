//! `pathqp path`: from a data file to a path.

use crate::args::PathArgs;
use crate::certify::{self, Residuals};
use crate::checkpoint::{self, Keeper, Question};
use crate::data::{Training, read_training};
use crate::errors::{CliError, Exit, path_error_exit};
use crate::file::{FORMAT_VERSION, PathFile, StopReason};
use crate::interrupt::Interrupt;
use crate::model::{Model, PoseError, Posed, Rows};
use crate::output::{self, Target};
use crate::plot;
use crate::problem::{Entry, Parameter, Problem, Response};
use crate::progress::{Ended, Watch};
use crate::report::{self, PathReport, Seconds, TestReport};
use crate::values::number;
use pathqp::hessian::CacheCounts;
use pathqp::{Follower, Line, Path, PathError, Settings, Start, Stop};
use pathqp_adapters::AdapterError;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::rates::RateCurve;
use std::collections::BTreeMap;
use std::path::Path as FsPath;
use std::time::Instant;

/// Floating-point operations that the certificates of a summary may cost.
const CERTIFICATE_BUDGET: f64 = 1e9;

/// The certificates are computed at no fewer points than this, whatever they cost.
const FEWEST_CERTIFICATES: usize = 8;

/// Follows the path, keeps it, draws it, and prints the summary.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: PathArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let interrupt = Interrupt::install();
    let request = Request::new(&args)?;
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, request.entry.response)?;
    let test = args.test.as_deref().map(|file| training.columns.read_labelled(file)).transpose()?;
    let mut seconds = Seconds { read: began.elapsed().as_secs_f64(), ..Seconds::default() };

    let settings = Settings { max_events: args.max_events, threads: args.threads, ..Settings::default() };
    let (posed, mut followed) = follow(&request, &training, &args, &settings, &interrupt, &mut seconds)?;
    if let Some(tolerance) = args.tolerance {
        let clock = Instant::now();
        followed.path = followed.path.approximate(&posed.line, &(tolerance / posed.gap_unit()))?;
        seconds.approximate = Some(clock.elapsed().as_secs_f64());
    }
    let kept = keep(&request, &posed, training, followed.path, followed.stop, &args.data.train);
    if let Some(out) = &request.out {
        kept.write(out)?;
    }
    let residuals = certify(&kept, &posed.line, args.threads, &interrupt);
    let curve = test.as_ref().map(|test| rates(&posed, &kept, test, &args)).transpose()?.flatten();
    if let Some(target) = &request.plot {
        target.write(plot::draw(&kept, &posed, curve.as_ref(), target.given())?.as_bytes())?;
    }
    if let Some(target) = &request.ranks {
        let ranks = posed.adapter.outlier_ranks(&kept.path);
        let ranks = ranks.map_err(|error| CliError::Model { file: args.data.train.display().to_string(), error })?;
        target.write(rank_table(&ranks).as_bytes())?;
    }
    seconds.total = began.elapsed().as_secs_f64();

    let test = curve.zip(test).and_then(|(curve, (_, labels))| best(&curve, labels.len()));
    let summary = PathReport::new(&kept, &posed, &residuals, seconds, test).with_cache(followed.cache);
    output::print(&if args.json { report::json(&summary) } else { summary.table(&kept) })?;
    Ok(verdict(&kept, &posed, followed.error.as_ref(), &residuals, &interrupt))
}

/// The least ν at which each row is an outlier, and its place among the rows: the farthest out is the first.
fn rank_table(ranks: &[Option<f64>]) -> String {
    let before = |nu: f64| ranks.iter().flatten().filter(|other| **other < nu).count() + 1;
    let mut text = String::from("row,nu,rank\n");
    for (i, nu) in ranks.iter().enumerate() {
        let known = nu.map_or(",".into(), |nu| format!("{nu},{}", before(nu)));
        text += &format!("{},{known}\n", i + 1);
    }
    text
}

/// What was asked for, checked before any file is read.
struct Request {
    problem: Problem,
    entry: Entry,
    model: Model,
    vary: Parameter,
    out: Option<Target>,
    plot: Option<Target>,
    checkpoint: Option<Target>,
    ranks: Option<Target>,
}

impl Request {
    fn new(args: &PathArgs) -> Result<Self, CliError> {
        let problem = args.problem;
        let entry = problem.entry();
        let vary = varying(problem, &entry, args.vary)?;
        let fixed = fixed_values(problem, &entry, vary, &args.values.named())?;
        let unused = [
            ("test", args.test.is_some() && !entry.rates),
            ("positive", args.data.positive.is_some() && entry.response != Response::Classes),
            ("bias", args.model.bias.is_some() && entry.response == Response::None),
            ("ranks", args.ranks.is_some() && problem != Problem::OneClassSvm),
        ];
        if let Some((option, _)) = unused.into_iter().find(|(_, is_unused)| *is_unused) {
            return Err(CliError::OptionUnused { problem, option: option.into() });
        }
        args.model.check()?;
        let mut others: Vec<(&'static str, &FsPath)> = vec![("--train", &args.data.train)];
        others.extend(args.test.as_deref().map(|file| ("--test", file)));
        let target = |option, file: &Option<_>, others: &[_]| {
            file.as_deref().map(|file| Target::new(option, file, others)).transpose()
        };
        let out = target("--out", &args.out, &others)?;
        let plot = target("--plot", &args.plot, &others)?;
        let checkpoint = target("--checkpoint", &args.checkpoint, &others)?;
        let ranks = target("--ranks", &args.ranks, &others)?;
        let written = [("--out", &out), ("--plot", &plot), ("--checkpoint", &checkpoint), ("--ranks", &ranks)];
        for (k, (option, file)) in written.iter().enumerate() {
            let same = |other: &&(&'static str, &Option<Target>)| {
                other.1.as_ref().zip(file.as_ref()).is_some_and(|(a, b)| a.path() == b.path())
            };
            if let (Some((other, _)), Some(file)) = (written[..k].iter().find(same), file) {
                return Err(CliError::SameFile { option, file: file.given().display().to_string(), other });
            }
        }
        let bias = args.model.bias.unwrap_or(entry.bias);
        let model = Model { kernel: args.model.kernel, bias, fixed, direction: args.values.direction };
        Ok(Request { problem, entry, model, vary, out, plot, checkpoint, ranks })
    }
}

/// The parameter that varies.
pub(super) fn varying(problem: Problem, entry: &Entry, given: Option<Parameter>) -> Result<Parameter, CliError> {
    let name = given.unwrap_or(entry.default);
    if entry.vary.contains(&name) {
        return Ok(name);
    }
    let can = entry.vary.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Err(CliError::VaryUnknown { problem, name, can })
}

/// The values of the parameters that do not vary.
pub(super) fn fixed_values(
    problem: Problem,
    entry: &Entry,
    vary: Parameter,
    named: &[(&'static str, Option<f64>)],
) -> Result<BTreeMap<String, f64>, CliError> {
    let given: BTreeMap<&'static str, f64> =
        named.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect();
    let is_used = |name: &str| entry.options.contains(&name) && vary.to_string() != name;
    if let Some((option, _)) = given.iter().find(|(name, _)| !is_used(name)) {
        return Err(CliError::OptionUnused { problem, option: (*option).into() });
    }
    if let Some(option) = entry.required.iter().find(|name| vary.to_string() != **name && !given.contains_key(**name)) {
        return Err(CliError::OptionMissing { problem, option });
    }
    Ok(given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A path as far as it could be followed.
struct Followed {
    path: Path<f64>,
    stop: StopReason,
    error: Option<PathError>,
    /// Kernel rows found and computed until then.
    cache: Option<CacheCounts>,
}

/// Poses the problem and follows its path.
fn follow(
    request: &Request,
    training: &Training,
    args: &PathArgs,
    settings: &Settings,
    interrupt: &Interrupt,
    seconds: &mut Seconds,
) -> Result<(Posed, Followed), CliError> {
    let clock = Instant::now();
    let vary = (request.vary, args.from, args.to);
    let posed = Posed::new(request.problem, &training.rows, &request.model, vary, settings);
    let posed = posed.map_err(|error| name_row(error, &args.data.train, training))?;
    if posed.vary.from == posed.vary.to {
        return Err(CliError::NoLength { value: posed.vary.from });
    }
    let line = [posed.line.begin, posed.line.end.unwrap_or(posed.line.begin + 1.0)];
    let question = Question::new(request.problem, &request.model, &posed.vary, &training.rows);
    let state = args.resume.as_deref().map(|file| checkpoint::read(file, &question)).transpose()?;
    let keeper = request.checkpoint.clone().map(|target| Keeper::new(target, question, args.checkpoint_every));
    let mut watch = Watch::new(interrupt, line, keeper);
    let mut follower = match state {
        Some(state) => Follower::resume(&posed.line, state, settings.clone())?,
        None => begin(&posed, settings, &mut watch)?,
    };
    watch.begin(args.max_seconds);
    seconds.start = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let ran = follower.run(&mut watch);
    if let (Ok(Stop::Asked { .. } | Stop::EventLimit { .. }), Some(keeper)) = (&ran, watch.keeper()) {
        keeper.keep_last(&follower)?;
    }
    let path = follower.into_path();
    seconds.path = clock.elapsed().as_secs_f64();
    let stop = ran.as_ref().map_or(StopReason::Error, |stop| reason(stop, watch.ended()));
    let cache = posed.line.hessian.cache_counts();
    Ok((posed, Followed { path, stop, error: ran.err(), cache }))
}

/// The follower at the beginning of the line.
fn begin<'a>(posed: &'a Posed, settings: &Settings, watch: &mut Watch<'_>) -> Result<Follower<'a, f64>, PathError> {
    let theta = posed.axis.theta(posed.vary.from);
    let start = posed.adapter.start_watched(&posed.qp, &theta, settings, watch)?;
    match Follower::watched(&posed.line, &start, settings.clone(), watch) {
        Err(stopped @ PathError::StartStopped { .. }) => Err(stopped),
        // What was optimal to rounding when it was found may not pass when it is looked at again.
        Err(_) => Follower::watched(&posed.line, &Start::Anywhere, settings.clone(), watch),
        follower => follower,
    }
}

/// The adapter's error with the file, and the line where it names a row.
pub(super) fn name_row(error: PoseError, file: &FsPath, training: &Training) -> CliError {
    let file = file.display().to_string();
    match error {
        PoseError::Options(error) => error,
        PoseError::Adapter(AdapterError::Weight { row, value }) => {
            CliError::Weight { file, line: training.line(row), value }
        }
        PoseError::Adapter(AdapterError::Asymmetric { row, column, values }) => {
            let line = training.line(row);
            CliError::Asymmetric { file, line, row: row + 1, column: column + 1, values }
        }
        PoseError::Adapter(error) => CliError::Model { file, error },
    }
}

fn reason(stop: &Stop<f64>, ended: Option<Ended>) -> StopReason {
    match stop {
        Stop::Target => StopReason::Target,
        Stop::Infeasible { .. } => StopReason::Infeasible,
        Stop::Unbounded { .. } => StopReason::Unbounded,
        Stop::Diverges { .. } => StopReason::Diverges,
        Stop::EventLimit { .. } => StopReason::MaxEvents,
        Stop::Asked { .. } if ended == Some(Ended::Late) => StopReason::MaxSeconds,
        Stop::Asked { .. } => StopReason::Interrupted,
    }
}

fn keep(
    request: &Request,
    posed: &Posed,
    training: Training,
    path: Path<f64>,
    stop: StopReason,
    source: &FsPath,
) -> PathFile {
    let Training { rows, columns, .. } = training;
    let Rows { features, response, weights } = rows;
    PathFile {
        format: FORMAT_VERSION,
        program: PathFile::program(),
        problem: request.problem,
        model: request.model.clone(),
        vary: posed.vary.clone(),
        source: source.display().to_string(),
        columns,
        stop,
        features,
        response,
        weights,
        path,
    }
}

/// The certificates at every event, or at an even sample of them when all would cost too much.
fn certify(kept: &PathFile, line: &Line<f64>, threads: usize, interrupt: &Interrupt) -> Residuals {
    let places = certify::breakpoints(&kept.path);
    let most = (CERTIFICATE_BUDGET / certificate_cost(kept)) as usize;
    let places = certify::sample(places, most.max(FEWEST_CERTIFICATES));
    // After Ctrl-C in the middle of the path a few points still tell whether what was kept is right.
    let few = kept.stop == StopReason::Interrupted;
    let places = if few { certify::sample(places, FEWEST_CERTIFICATES) } else { places };
    certify::certify(&kept.path, line, &places, threads, &|| few || !interrupt.is_set())
}

/// Operations of one certificate: two products with the rows, or one with the kernel matrix, and the loop over n.
fn certificate_cost(kept: &PathFile) -> f64 {
    let n = kept.response.len() as f64;
    let stored = match kept.features.as_ref() {
        Features::Dense { values, .. } | Features::Sparse { values, .. } => values.len() as f64,
    };
    let in_cache = n * n * size_of::<f64>() as f64 <= Settings::default().cache_bytes as f64;
    let products = match kept.is_linear() {
        true => 4.0 * stored,
        false if in_cache => 2.0 * n * n,
        false => 2.0 * n * stored,
    };
    products + 40.0 * n
}

/// The rates on the test rows; none for a path without segments.
fn rates(
    posed: &Posed,
    kept: &PathFile,
    (features, labels): &(Features, Vec<f64>),
    args: &PathArgs,
) -> Result<Option<RateCurve>, CliError> {
    if kept.path.segments().is_empty() {
        return Ok(None);
    }
    let file = || args.test.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let curve = posed.adapter.rates(&kept.path, features, labels);
    curve.map(Some).map_err(|error| CliError::Model { file: file(), error })
}

/// The best accuracy and the first interval that has it.
fn best(curve: &RateCurve, n: usize) -> Option<TestReport> {
    let best_accuracy = curve.accuracy.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let k = curve.accuracy.iter().position(|&accuracy| accuracy == best_accuracy)?;
    Some(TestReport { n, best_accuracy, at: [*curve.tau.get(k)?, *curve.tau.get(k + 1)?] })
}

/// The exit status, with a line on stderr for everything that went wrong on the way.
fn verdict(
    kept: &PathFile,
    posed: &Posed,
    error: Option<&PathError>,
    residuals: &Residuals,
    interrupt: &Interrupt,
) -> Exit {
    let (name, reached) = (kept.vary.name, number(posed.covered(&kept.path).map_or(kept.vary.from, |(_, end)| end)));
    let mut exit = Exit::Done;
    if let Some(error) = error {
        output::complain(&format_args!("the path ends at {name} = {reached}: {error}"));
        exit = path_error_exit(error);
    }
    if kept.stop == StopReason::Diverges {
        output::complain(&format_args!(
            "nothing happens beyond {name} = {reached}, and the solution grows without limit: it has none at infinity; use a finite --to"
        ));
        exit = Exit::Failed;
    }
    if matches!(kept.stop, StopReason::Infeasible | StopReason::Unbounded) {
        output::complain(&format_args!(
            "the problem has no solution beyond {name} = {reached}; end the path there with --to"
        ));
        exit = Exit::Failed;
    }
    if let Some(text) = certify::failure(&residuals.verdict, |t| posed.place(&kept.path, t)) {
        output::complain(&format_args!("the certificate fails: {text}"));
        exit = if exit == Exit::Done { Exit::Failed } else { exit };
    }
    if interrupt.is_set() && exit == Exit::Done {
        let state = if kept.stop == StopReason::Target { "the path is complete" } else { "the path is incomplete" };
        output::complain(&format_args!("interrupted at {name} = {reached}; {state}"));
        exit = Exit::Interrupted;
    }
    exit
}
