//! `pathqp tune`: the best penalty for every quantile, every tube or every asymmetry of costs, and the best tube for every penalty.

use crate::args::{Criterion, HeldLoss, TuneArgs};
use crate::data::read_training;
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::report;
use pathqp::Settings;
use pathqp_adapters::AdapterError;
use pathqp_adapters::bilevel::{BilevelError, Domain, End, Fold, InSample, Recount, TubeDomain, TubeLoss, Tuned};
use pathqp_adapters::bilevel::{bilevel, in_sample, recount, recount_in_sample, recount_tubes, tubes};
use pathqp_adapters::dataset::{Classes, Features};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::{self, Kqr};
use pathqp_adapters::spec::{Data, Entry, Rows};
use pathqp_adapters::svr::{self, Chart, Svr};
use pathqp_views::plot;
use pathqp_views::plot::tuning::Figure;
use pathqp_views::words::{self, number};
use pathqp_views::{Best, Shown, ViewError};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// The range of τ unless told otherwise.
const FROM: f64 = 0.1;
const TO: f64 = 0.9;

/// JSON of `tune`. A λ that is infinite is null: f is a constant there.
#[derive(Debug, Serialize)]
pub(super) struct TuneReport {
    pub problem: String,
    pub n: usize,
    pub d: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Classes>,
    pub kernel: String,
    pub bias: String,
    pub vary: Varied,
    pub tuned: &'static str,
    pub loss: &'static str,
    pub criterion: String,
    pub held_out: usize,
    /// The range of the tuned parameter, by its name.
    #[serde(flatten)]
    pub range: BTreeMap<&'static str, [Option<f64>; 2]>,
    pub pieces: Vec<PieceReport>,
    pub steps: usize,
    /// All of what was asked for was searched, nothing is missing, and a wider range has nothing better.
    pub complete: bool,
    /// Whether the best loss is attained at an end of what was searched for some value of the one that varies, and what kind of end that is.
    pub at_end: bool,
    pub end: &'static str,
    /// Whether the loss is the same when it is recomputed from separate solutions, at how many values of the parameter that varies, and the largest difference: relative
    /// to the loss for kqr and svr, absolute for the classifiers.
    pub recounted: bool,
    pub recount: RecountReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<AtReport>,
    pub seconds: Seconds,
    /// What was done, in words.
    #[serde(skip)]
    pub work: String,
    pub stats: BTreeMap<&'static str, usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct Varied {
    pub name: &'static str,
    pub from: f64,
    pub to: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct PieceReport {
    pub from: f64,
    pub to: Option<f64>,
    pub tuned_from: Option<f64>,
    pub tuned_to: Option<f64>,
    pub loss_from: f64,
    pub loss_to: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct AtReport {
    pub param: f64,
    pub tuned: Option<f64>,
    pub loss: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct RecountReport {
    pub points: usize,
    pub worst: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Seconds {
    pub read: f64,
    pub tune: f64,
    pub total: f64,
}

/// A problem tuned.
struct Tuning {
    best: Best,
    recount: Recount,
    held_out: usize,
    figure: Option<Result<Figure, AdapterError>>,
}

/// Finds the best values, writes them, draws them, and prints the summary.
///
/// # Errors
/// Invalid input, or an answer that could not be had.
pub fn run(args: &TuneArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let (out, plot) = request(args)?;
    if is_classifier(&args.problem) {
        return super::tune_classifier::run(args, out, plot);
    }
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, Data::Numbers)?;
    let held = args.validate.as_deref().map(|file| training.columns.read_labelled(file)).transpose()?;
    let read = began.elapsed().as_secs_f64();

    let (clock, draws) = (Instant::now(), plot.is_some());
    let tuned = match args.problem.as_str() {
        "svr" => tune_svr(args, &training.rows, held, draws),
        _ => tune_kqr(args, &training.rows, held, draws),
    };
    let Tuning { best, recount, held_out, figure } = tuned
        .map_err(|error| CliError::Tune { file: args.data.train.display().to_string(), error: Box::new(error) })?;
    let tune = clock.elapsed().as_secs_f64();
    if let Some(target) = &out {
        target.write(table(best.vary, best.tuned, &best.pieces()).as_bytes())?;
    }
    if let Some((target, figure)) = plot.as_ref().zip(figure) {
        target.draw(figure.map_err(ViewError::from).and_then(|figure| figure.draw()))?;
    }
    let total = began.elapsed().as_secs_f64();
    let size = (training.rows.features.rows(), training.rows.features.columns(), held_out);
    let kernel = args.model.kernel_on(entry(args), &training.rows);
    let summary = summary(args, kernel, size, &best, &recount, Seconds { read, tune, total })?;
    output::print(&if args.json { report::json(&summary) } else { summary.text() })?;
    if let Some(warning) = warning(&best) {
        output::complain(&format_args!("warning: {warning}"));
    }
    let (path, vary, tuned) = (&best.path, best.vary, best.tuned);
    let mut exit = Exit::Done;
    if !path.is_complete() {
        let (holes, gaps) = (path.stats().holes, path.gaps());
        output::complain(&format_args!(
            "the search is incomplete: {holes} parts of the plane of {vary} and {tuned} were not searched, and for {gaps} ranges of {vary} no {tuned} was found; scale the features, or give smaller ranges"
        ));
        exit = Exit::Failed;
    }
    if !recount.agrees() {
        let (at, worst) = (number(recount.at), number(recount.worst));
        output::complain(&format_args!(
            "the loss fails its recomputation: near {vary} = {at} it has a relative error of {worst}; scale the features, or give smaller ranges"
        ));
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// What is known of the problem.
fn entry(args: &TuneArgs) -> &'static Entry {
    if args.problem == "svr" { &svr::ENTRY } else { &kqr::ENTRY }
}

/// What to say where the best value lies at an end that is not the problem's own, or where double precision ends.
fn warning(best: &Best) -> Option<String> {
    let ([low, high], vary, tuned) = (best.tuned_range().map(number), best.vary, best.tuned);
    match (best.path.at_end(), best.path.end()) {
        (true, End::Asked) => Some(format!(
            "for some {vary} the best {tuned} lies at an end of the range that was searched ({low} to {high}): try a wider range of {tuned}"
        )),
        (true, End::Criterion) => Some(format!(
            "for some {vary} the best {tuned} is {low}, the end of the search: a criterion has no minimum towards interpolation; set another end with --lambda-from"
        )),
        (true, End::Precision) => Some(format!(
            "for some {vary} the best {tuned} is {low}, below which double precision does not resolve the solutions"
        )),
        _ => None,
    }
}

type Held = Option<(Features, Vec<f64>)>;

fn tune_kqr(args: &TuneArgs, rows: &Rows, held: Held, draws: bool) -> Result<Tuning, BilevelError> {
    let (kernel, bias) = (args.model.kernel_on(entry(args), rows), args.model.bias.unwrap_or(kqr::ENTRY.bias));
    let settings = Settings { threads: args.threads, ..Settings::default() };
    let whole = Kqr::new(rows.features.clone(), rows.response.clone(), rows.weights.clone(), kernel, bias)?;
    let folds = match held {
        Some((features, responses)) => vec![Fold::new(whole.clone(), features, responses, None)?],
        None if args.criterion.is_some() => Vec::new(),
        None => {
            let weights = rows.weights.as_deref();
            Fold::split(&rows.features, &rows.response, weights, kernel, bias, args.folds.unwrap_or(0))?
        }
    };
    let tau = [args.from.unwrap_or(FROM), args.to.unwrap_or(TO)];
    let domain = Domain { lambda_from: args.lambda_from, lambda_to: args.lambda_to, ..Domain::tau(tau[0], tau[1]) };
    let criterion = args.criterion.map(|criterion| match criterion {
        Criterion::Sic => InSample::Sic,
        Criterion::Gacv => InSample::Gacv,
    });
    let (path, recount) = match criterion {
        None => {
            let path = bilevel(&folds, &domain, &settings)?;
            let recount = recount(&folds, &path, &settings)?;
            (path, recount)
        }
        Some(criterion) => {
            let path = in_sample(&whole, criterion, &domain, &settings)?;
            let recount = recount_in_sample(&whole, criterion, &path, &settings)?;
            (path, recount)
        }
    };
    let figure = draws.then(|| plot::tuning::figure(&whole, &folds, &path, &settings));
    let best = Best { path, vary: "tau", tuned: "lambda", inverse: [false; 2] };
    let held_out = folds.iter().map(|fold| fold.responses().len()).sum();
    Ok(Tuning { best, recount, held_out, figure })
}

fn tune_svr(args: &TuneArgs, rows: &Rows, held: Held, draws: bool) -> Result<Tuning, BilevelError> {
    let (kernel, bias) = (args.model.kernel_on(entry(args), rows), args.model.bias.unwrap_or(svr::ENTRY.bias));
    let settings = Settings { threads: args.threads, ..Settings::default() };
    let pose = |features, responses, weights| Svr::new(features, responses, weights, kernel, bias, Chart::Cost);
    let whole = pose(rows.features.clone(), rows.response.clone(), rows.weights.clone())?;
    let folds = match held {
        Some((features, responses)) => vec![Fold::new(whole.clone(), features, responses, None)?],
        None => {
            let how = (args.folds.unwrap_or(0), kernel == KernelKind::Precomputed);
            Fold::split_by(&rows.features, &rows.response, rows.weights.as_deref(), how, &pose)?
        }
    };
    let by_epsilon = args.vary.as_deref() != Some("lambda");
    let given = [args.from, args.to];
    let (epsilon, lambda) = match by_epsilon {
        true => (given, [args.lambda_from, args.lambda_to]),
        false => ([args.epsilon_from, args.epsilon_to], given),
    };
    if let Some(value) = lambda[0].filter(|value| *value == 0.0) {
        return Err(AdapterError::Parameter { name: "lambda", value, expected: "be a positive number" }.into());
    }
    let (tuned, vary) = if by_epsilon { (Tuned::Cost, "epsilon") } else { (Tuned::Epsilon, "lambda") };
    let cost = [lambda[1], lambda[0]].map(|end| end.map(f64::recip));
    let domain = TubeDomain { cost, epsilon, ..TubeDomain::all(tuned) };
    let loss = if args.loss == Some(HeldLoss::Squared) { TubeLoss::Squared } else { TubeLoss::Absolute };
    let path = tubes(&folds, &domain, loss, &settings)?;
    let recount = recount_tubes(&folds, &path, (tuned, loss), &settings)?;
    let best =
        Best { path, vary, tuned: if by_epsilon { "lambda" } else { "epsilon" }, inverse: [!by_epsilon, by_epsilon] };
    let figure = draws.then(|| plot::tubes::figure(&whole, &best, loss_of(args), &settings));
    let held_out = folds.iter().map(|fold| fold.responses().len()).sum();
    Ok(Tuning { best, recount, held_out, figure })
}

/// What can be refused before any file is read.
fn request(args: &TuneArgs) -> Result<(Option<Target>, Option<Target>), CliError> {
    let problem = args.problem.clone();
    let can: &[&str] = match problem.as_str() {
        "kqr" => &["tau"],
        "svr" => &["epsilon", "lambda"],
        "quantile-svm" => &["tau"],
        "cost-svm" => &["gamma"],
        _ => return Err(CliError::NotTuned { problem }),
    };
    if let Some(name) = args.vary.clone().filter(|name| !can.contains(&name.as_str())) {
        let can = can.join(", ");
        return Err(CliError::VaryUnknown { problem, name, can });
    }
    let (tunes_epsilon, classifies) = (args.vary.as_deref() == Some("lambda"), is_classifier(&problem));
    let losses: &[HeldLoss] = match problem.as_str() {
        "kqr" => &[],
        "svr" => &[HeldLoss::Absolute, HeldLoss::Squared],
        _ => &[HeldLoss::Cost, HeldLoss::Error],
    };
    let unused = [
        ("positive", !classifies && args.data.positive.is_some()),
        ("grid", !classifies && !args.grid.is_empty()),
        ("criterion", problem != "kqr" && args.criterion.is_some()),
        ("loss", args.loss.is_some_and(|loss| !losses.contains(&loss))),
        ("lambda-from", (tunes_epsilon || classifies) && args.lambda_from.is_some()),
        ("lambda-to", (tunes_epsilon || classifies) && args.lambda_to.is_some()),
        ("epsilon-from", !tunes_epsilon && args.epsilon_from.is_some()),
        ("epsilon-to", !tunes_epsilon && args.epsilon_to.is_some()),
    ];
    if let Some((option, _)) = unused.into_iter().find(|(_, is_unused)| *is_unused) {
        return Err(CliError::OptionUnused { problem, option: option.into() });
    }
    args.model.check()?;
    let mut reads = vec![("--train", args.data.train.as_path())];
    reads.extend(args.validate.as_deref().map(|file| ("--validate", file)));
    let out = args.out.as_deref().map(|file| Target::new("--out", file, &reads)).transpose()?;
    let plot = args.plot.as_deref().map(|file| Target::new("--plot", file, &reads)).transpose()?;
    if let (Some(a), Some(b)) = (&out, &plot)
        && a.path() == b.path()
    {
        return Err(CliError::SameFile {
            option: "--plot",
            file: b.given().display().to_string(),
            other: "--out".into(),
        });
    }
    Ok((out, plot))
}

/// Whether the costs of two classes vary, and the penalty is one of a grid.
fn is_classifier(problem: &str) -> bool {
    ["quantile-svm", "cost-svm"].contains(&problem)
}

/// The loss on the held-out rows, in words.
fn loss_of(args: &TuneArgs) -> &'static str {
    match (args.problem.as_str(), args.loss) {
        ("svr", Some(HeldLoss::Squared)) => "mean squared error",
        ("svr", _) => "mean absolute error",
        _ => "pinball loss",
    }
}

/// In words.
pub(super) fn criterion(args: &TuneArgs) -> String {
    match (args.criterion, args.folds) {
        (Some(Criterion::Sic), _) => "exp SIC on the training rows".into(),
        (Some(Criterion::Gacv), _) => "GACV on the training rows".into(),
        (None, Some(k)) => format!("{k}-fold cross-validation"),
        (None, None) => "validation".into(),
    }
}

fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|v| v.is_finite())
}

/// The pieces as CSV.
pub(super) fn table(vary: &str, tuned: &str, pieces: &[Shown]) -> String {
    let mut text = format!("{vary}_from,{vary}_to,{tuned}_from,{tuned}_to,loss_from,loss_to\n");
    for piece in pieces {
        let cells: Vec<String> = [piece.vary, piece.tuned, piece.loss].concat().into_iter().map(number).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

impl From<Shown> for PieceReport {
    fn from(piece: Shown) -> Self {
        let ([tuned_from, tuned_to], [loss_from, loss_to]) = (piece.tuned.map(finite), piece.loss);
        PieceReport { from: piece.vary[0], to: finite(piece.vary[1]), tuned_from, tuned_to, loss_from, loss_to }
    }
}

fn summary(
    args: &TuneArgs,
    kernel: KernelKind,
    (n, d, held_out): (usize, usize, usize),
    best: &Best,
    recount: &Recount,
    seconds: Seconds,
) -> Result<TuneReport, CliError> {
    let [from, to] = best.range();
    let at = |&param: &f64| match best.at(param) {
        Some((tuned, loss)) => Ok(AtReport { param, tuned: finite(tuned), loss }),
        None => Err(CliError::TunedOutside { name: best.vary, value: param, from, to }),
    };
    let stats = best.path.stats();
    let counts = [
        ("rectangles", stats.rectangles),
        ("regions", stats.regions),
        ("crossings", stats.crossings),
        ("cells", stats.cells),
        ("branches", stats.branches),
        ("added", stats.added),
        ("most_open", stats.most_open),
        ("holes", stats.holes),
    ];
    let numbers: BTreeMap<&'static str, usize> = counts.into_iter().collect();
    Ok(TuneReport {
        problem: args.problem.clone(),
        n,
        d,
        classes: None,
        kernel: kernel.to_string(),
        bias: words::bias_text(args.model.bias.unwrap_or(entry(args).bias)),
        vary: Varied { name: best.vary, from, to: finite(to) },
        tuned: best.tuned,
        loss: loss_of(args),
        criterion: criterion(args),
        held_out,
        range: BTreeMap::from([(best.tuned, best.tuned_range().map(finite))]),
        pieces: best.pieces().into_iter().map(PieceReport::from).collect(),
        steps: stats.regions,
        complete: best.path.is_complete() && !best.path.is_cut_off(),
        at_end: best.path.at_end(),
        end: best.path.end().name(),
        recounted: recount.agrees(),
        recount: RecountReport { points: recount.points, worst: recount.worst },
        at: args.param.iter().map(at).collect::<Result<_, _>>()?,
        seconds,
        work: format!("{} critical regions, {} crossings", stats.regions, stats.crossings),
        stats: numbers,
    })
}

impl TuneReport {
    /// As lines.
    pub(super) fn text(&self) -> String {
        let shown = |value: Option<f64>| value.map_or("inf".into(), number);
        let (vary, tuned) = (self.vary.name, self.tuned);
        let [low, high] = self.range.get(tuned).copied().unwrap_or_default().map(shown);
        let state = if self.complete { "complete" } else { "not complete" };
        let mut text = format!("tune {}\n", self.problem);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<13} {value}");
        };
        line("data", format!("n = {}, d = {}, {} rows held out", self.n, self.d, self.held_out));
        line("model", format!("kernel {}, bias {}", self.kernel, self.bias));
        line("criterion", format!("{}, {}", self.loss, self.criterion));
        line(vary, format!("from {} to {}, {state}", number(self.vary.from), shown(self.vary.to)));
        let end = if self.at_end {
            format!("; the best one lies at an end ({}) for some {vary}", self.end)
        } else {
            String::new()
        };
        line(tuned, format!("from {low} to {high}{end}"));
        line("pieces", format!("{} of the best {tuned}", self.pieces.len()));
        line("steps", self.work.clone());
        let (points, worst) = (self.recount.points, number(self.recount.worst));
        line("recounted", format!("the loss at {points} values of {vary}, {worst} off at most"));
        let Seconds { read, tune, total } = self.seconds;
        line("seconds", format!("read {read:.3}, tune {tune:.3}, total {total:.3}"));
        for at in &self.at {
            let (param, loss) = (number(at.param), number(at.loss));
            line("at", format!("{vary} {param}: {tuned} {}, loss {loss}", shown(at.tuned)));
        }
        text
    }
}
