//! `pathqp path`: from data to a path, for every problem.

use super::{Located, at, targets};
use crate::args::{Each, PathArgs};
use crate::certify::{self, Residuals};
use crate::checkpoint::{self, Keeper, Question};
use crate::errors::{CliError, Exit, path_error_exit};
use crate::interrupt::Interrupt;
use crate::kept::{Kept, PathFile, StopReason};
use crate::output::{self, Target};
use crate::pose::Described;
use crate::progress::{Ended, Watch};
use crate::report::{self, AtReport, PathReport, Seconds, TestReport};
use pathqp::hessian::CacheCounts;
use pathqp::rows::Proof;
use pathqp::{Follower, Path, PathError, Settings, Stop, inexact};
use pathqp_adapters::AdapterError;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::rates::RateCurve;
use pathqp_adapters::run::Posed;
use pathqp_adapters::view::View;
use pathqp_views::words::number;
use pathqp_views::{Series, plot};
use std::time::Instant;

/// Floating-point operations that the certificates of a summary may cost.
const CERTIFICATE_BUDGET: f64 = 1e9;

/// The certificates are computed at no fewer points than this, whatever they cost.
const FEWEST_CERTIFICATES: usize = 8;

/// Follows the path, keeps it, draws it, and prints the summary.
///
/// # Errors
/// Invalid input; a path that could not even begin.
pub fn run(args: &Each<PathArgs>) -> Result<Exit, CliError> {
    let began = Instant::now();
    let interrupt = Interrupt::install();
    let rest = &args.rest;
    args.problem.check()?;
    let vary = args.problem.vary(rest.vary.as_deref())?;
    let files = Files::new(args)?;
    let described = Described::read(&args.problem, &[vary])?;
    let test = rest.test.as_deref().map(|file| described.columns.read_labelled(file)).transpose()?;
    let mut seconds = Seconds { read: began.elapsed().as_secs_f64(), ..Seconds::default() };

    let settings = Settings { max_events: rest.max_events, threads: rest.threads, ..Settings::default() };
    let (posed, mut followed) = follow(args, &described, vary, &settings, &interrupt, &files, &mut seconds)?;
    if let Some(tolerance) = rest.tolerance.filter(|_| followed.path.tolerance().is_none()) {
        let clock = Instant::now();
        followed.path = followed.path.approximate(&posed.line, &(tolerance / posed.gap_unit()))?;
        seconds.approximate = Some(clock.elapsed().as_secs_f64());
    }
    let Described { spec, columns, sources, .. } = described;
    let kept = PathFile {
        kept: Kept::new(spec, sources, columns),
        vary: posed.vary.clone(),
        stop: followed.stop,
        path: followed.path,
    };
    if let Some(out) = &files.out {
        if out.is_table() { out.write(Series::new(kept.view(&posed)).csv().as_bytes())? } else { kept.write(out)? }
    }
    let facts = kept.view(&posed).facts().map_err(|error| super::unsaid(&kept.kept, error))?;
    let residuals = certify(&kept, &posed, rest.threads, &interrupt);
    let curve = test.as_ref().map(|test| rates(&posed, &kept, test, rest)).transpose()?.flatten();
    if let Some(target) = &files.plot {
        target.draw(plot::path(kept.view(&posed), curve.as_ref()))?;
    }
    if let (Some(target), View::Outliers(svm)) = (&files.ranks, posed.problem.view()) {
        let ranks = svm.outlier_ranks(&kept.path);
        let ranks = ranks.map_err(|error| CliError::Model { file: kept.kept.source().into(), error })?;
        target.write(rank_table(&ranks).as_bytes())?;
    }
    let asked = asked(&kept, &posed, rest)?;
    seconds.total = began.elapsed().as_secs_f64();

    let test = curve.zip(test).and_then(|(curve, (_, labels))| best(&curve, labels.len()));
    let summary = PathReport::new(&kept, &posed, &residuals, seconds, test).with_cache(followed.cache);
    let summary = summary.with_facts(facts, asked);
    let warnings = summary.warnings().to_vec();
    let text = if rest.json { report::json(&summary.with_table(&kept, &posed)) } else { summary.table(&kept) };
    output::print(&text)?;
    for warning in warnings {
        let warning = warning.replace("{file}", kept.kept.source());
        output::complain(&format_args!("warning: {}: {warning}", kept.kept.source()));
    }
    Ok(verdict(&kept, &posed, followed.error.as_ref(), &residuals, &interrupt))
}

/// The solutions at the values that were asked for.
fn asked(kept: &PathFile, posed: &Posed, args: &PathArgs) -> Result<Vec<AtReport>, CliError> {
    let outside = |error| super::off_path(error, kept.kept.source());
    let solution = |value: &f64| {
        let place = Located { value: *value, point: posed.locate(&kept.path, *value).map_err(outside)? };
        Ok(at::solution(kept, posed, &place, false, &mut Residuals::default()))
    };
    args.param.iter().map(solution).collect()
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

/// The files that are written.
struct Files {
    out: Option<Target>,
    plot: Option<Target>,
    checkpoint: Option<Target>,
    ranks: Option<Target>,
}

impl Files {
    fn new(args: &Each<PathArgs>) -> Result<Self, CliError> {
        let rest = &args.rest;
        let mut reads = super::reads(&args.problem);
        reads.extend(rest.test.as_deref().map(|file| ("--test".into(), file)));
        let written = [
            ("--out", &rest.out),
            ("--plot", &rest.plot),
            ("--checkpoint", &rest.checkpoint),
            ("--ranks", &rest.ranks),
        ];
        let [out, plot, checkpoint, ranks] = targets(written, &reads)?;
        Ok(Files { out, plot, checkpoint, ranks })
    }
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
    args: &Each<PathArgs>,
    described: &Described,
    vary: &str,
    settings: &Settings,
    interrupt: &Interrupt,
    files: &Files,
    seconds: &mut Seconds,
) -> Result<(Posed, Followed), CliError> {
    let (clock, rest) = (Instant::now(), &args.rest);
    let (from, to) = (args.range.from, args.range.to);
    let posed = described.pose((vary, from, to), settings)?;
    if let Some(value) = from.filter(|from| to == Some(*from)) {
        return Err(CliError::NoLength { value });
    }
    let line = [posed.line.begin, posed.line.end.unwrap_or(posed.line.begin + 1.0)];
    let question = Question::new(&described.spec, &posed.vary);
    let state = rest.resume.as_deref().map(|file| checkpoint::read(file, &question)).transpose()?;
    let keeper = files.checkpoint.clone().map(|target| Keeper::new(target, question, rest.checkpoint_every));
    let mut watch = Watch::new(interrupt, line, keeper);
    if let Some(tolerance) = rest.tolerance.filter(|_| rest.inexact) {
        watch.begin(rest.max_seconds);
        let path = inexact::path(&posed.line, tolerance / posed.gap_unit(), settings, &mut watch)?;
        if let Some(path) = path {
            seconds.path = clock.elapsed().as_secs_f64();
            let stop = path.stop().map_or(StopReason::Error, |stop| reason(stop, watch.ended()));
            let cache = posed.line.hessian.cache_counts();
            return Ok((posed, Followed { path, stop, error: None, cache }));
        }
    }
    let mut follower = match state {
        Some(state) => Follower::resume(&posed.line, state, settings.clone())?,
        None => posed.begin(settings, &mut watch)?,
    };
    watch.begin(rest.max_seconds);
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

fn reason(stop: &Stop<f64>, ended: Option<Ended>) -> StopReason {
    match stop {
        Stop::Asked { .. } if ended == Some(Ended::Late) => StopReason::MaxSeconds,
        stop => StopReason::of(stop),
    }
}

/// The certificates at every event, or at an even sample of them when all would cost too much.
fn certify(kept: &PathFile, posed: &Posed, threads: usize, interrupt: &Interrupt) -> Residuals {
    let places = certify::breakpoints(&kept.path);
    let most = (CERTIFICATE_BUDGET / certificate_cost(kept, posed)) as usize;
    let places = certify::sample(places, most.max(FEWEST_CERTIFICATES));
    // After Ctrl-C in the middle of the path a few points still tell whether what was kept is right.
    let few = kept.stop == StopReason::Interrupted;
    let places = if few { certify::sample(places, FEWEST_CERTIFICATES) } else { places };
    certify::certify(&kept.path, &posed.line, &places, threads, &|| few || !interrupt.is_set())
}

/// Operations of one certificate: two products with the rows, or one with the kernel matrix, and the loop over n.
fn certificate_cost(kept: &PathFile, posed: &Posed) -> f64 {
    let n = posed.line.n() as f64;
    let stored = match kept.kept.spec.rows.features.as_ref() {
        Features::Dense { values, .. } | Features::Sparse { values, .. } => values.len() as f64,
    };
    let in_cache = n * n * size_of::<f64>() as f64 <= Settings::default().cache_bytes as f64;
    let products = match posed.kernel().is_none() || kept.kept.about().is_linear() {
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
    let View::Classifier(classifier) = posed.problem.view() else { return Ok(None) };
    let Some(svm) = classifier.quantile.filter(|_| !kept.path.segments().is_empty()) else { return Ok(None) };
    let file = || args.test.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    let refused = |error: AdapterError| CliError::Model { file: file(), error };
    svm.rates(&kept.path, features, labels).map(Some).map_err(refused)
}

/// The best accuracy and the first interval that has it.
fn best(curve: &RateCurve, n: usize) -> Option<TestReport> {
    let best_accuracy = curve.accuracy.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let k = curve.accuracy.iter().position(|&accuracy| accuracy == best_accuracy)?;
    Some(TestReport { n, best_accuracy, at: [*curve.tau.get(k)?, *curve.tau.get(k + 1)?] })
}

/// What a proof says, with at most so many of its numbers.
fn proof_text(proof: &Proof<f64>) -> String {
    const MOST: usize = 5;
    let (Proof::Infeasible { weights: v } | Proof::Unbounded { direction: v }) = proof;
    let entries: Vec<(usize, f64)> = v.iter().copied().enumerate().filter(|(_, v)| *v != 0.0).collect();
    let item = |(i, v): &(usize, f64)| match proof {
        Proof::Infeasible { .. } => format!("{} times row {}", number(*v), i + 1),
        Proof::Unbounded { .. } => format!("{} of variable {}", number(*v), i + 1),
    };
    let listed: Vec<String> = entries.iter().take(MOST).map(item).collect();
    let more = entries.len().saturating_sub(MOST);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    match proof {
        Proof::Infeasible { .. } => format!("within its bounds no x has the sum {}{rest}", listed.join(" + ")),
        Proof::Unbounded { .. } => {
            format!("the objective is unbounded along the direction of {}{rest}", listed.join(", "))
        }
    }
}

/// The exit status, with a line on stderr for everything that went wrong on the way.
fn verdict(
    kept: &PathFile,
    posed: &Posed,
    error: Option<&PathError>,
    residuals: &Residuals,
    interrupt: &Interrupt,
) -> Exit {
    let name = &kept.vary.name;
    let reached = number(posed.covered(&kept.path).map_or(kept.vary.from, |(_, end)| end));
    let mut exit = Exit::Done;
    if let Some(error) = error {
        output::complain(&format_args!("the path ends at {name} = {reached}: {error}"));
        exit = path_error_exit(error);
    }
    if kept.stop == StopReason::Diverges && !posed.problem.may_diverge() {
        output::complain(&format_args!(
            "there is no breakpoint beyond {name} = {reached}, and the solution grows without bound, so that it has no limit at infinity; use a finite --to"
        ));
        exit = Exit::Failed;
    }
    if matches!(kept.stop, StopReason::Infeasible | StopReason::Unbounded) {
        let why = kept.path.proof().map_or_else(String::new, |proof| format!(": {}", proof_text(proof)));
        output::complain(&format_args!(
            "the problem has no solution beyond {name} = {reached}{why}; end the path there with --to"
        ));
        exit = Exit::Failed;
    }
    if let Some(text) = certify::failure(&residuals.verdict, |t| super::place(posed, &kept.path, t)) {
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
