//! `pathqp tune`: the best penalty for every quantile.

use crate::args::{Criterion, TuneArgs};
use crate::data::read_training;
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::plot::tuning;
use crate::problem::{Problem, Response};
use crate::report;
use crate::values::number;
use pathqp::Settings;
use pathqp_adapters::Bias;
use pathqp_adapters::bilevel::{BilevelError, BilevelPath, BilevelPiece, Domain, Fold, InSample, bilevel, in_sample};
use pathqp_adapters::kqr::Kqr;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

/// JSON of `tune`. A λ that is infinite is null: f* is a constant there.
#[derive(Debug, Serialize)]
struct TuneReport {
    problem: Problem,
    n: usize,
    d: usize,
    kernel: String,
    bias: String,
    vary: Varied,
    tuned: &'static str,
    criterion: String,
    held_out: usize,
    lambda: [Option<f64>; 2],
    pieces: Vec<PieceReport>,
    steps: usize,
    complete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at: Vec<AtReport>,
    seconds: Seconds,
    stats: BTreeMap<&'static str, f64>,
}

#[derive(Debug, Serialize)]
struct Varied {
    name: &'static str,
    from: f64,
    to: f64,
}

#[derive(Debug, Serialize)]
struct PieceReport {
    from: f64,
    to: f64,
    tuned_from: Option<f64>,
    tuned_to: Option<f64>,
    loss_from: f64,
    loss_to: f64,
}

#[derive(Debug, Serialize)]
struct AtReport {
    param: f64,
    tuned: Option<f64>,
    loss: f64,
}

#[derive(Debug, Serialize)]
struct Seconds {
    read: f64,
    tune: f64,
    total: f64,
}

/// Finds λ*(τ), writes it, draws it, and prints the summary.
///
/// # Errors
/// A wrong question, or an answer that could not be had.
pub fn run(args: &TuneArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let (out, plot) = request(args)?;
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, Response::Numbers)?;
    let bias = args.model.bias.unwrap_or(Bias::Intercept);
    let wrong =
        |error: BilevelError| CliError::Tune { file: args.data.train.display().to_string(), error: Box::new(error) };
    let rows = &training.rows;
    let whole = Kqr::new(rows.features.clone(), rows.response.clone(), rows.weights.clone(), args.model.kernel, bias);
    let whole = whole.map_err(|error| wrong(error.into()))?;
    let folds = match (&args.validate, args.folds) {
        (Some(file), _) => {
            let (features, responses) = training.columns.read_labelled(file)?;
            Fold::new(whole.clone(), features, responses, None).map(|fold| vec![fold])
        }
        (None, None) => Ok(Vec::new()),
        (None, Some(k)) => {
            let weights = rows.weights.as_deref();
            Fold::split(&rows.features, &rows.response, weights, args.model.kernel, bias, k)
        }
    };
    let folds = folds.map_err(|error| wrong(error.into()))?;
    let read = began.elapsed().as_secs_f64();

    let (clock, settings) = (Instant::now(), Settings::default());
    let domain = Domain { tau: [args.from, args.to], lambda_from: args.lambda_from, lambda_to: args.lambda_to };
    let path = match args.criterion {
        None => bilevel(&folds, &domain, &settings),
        Some(Criterion::Sic) => in_sample(&whole, InSample::Sic, &domain, &settings),
        Some(Criterion::Gacv) => in_sample(&whole, InSample::Gacv, &domain, &settings),
    };
    let path = path.map_err(wrong)?;
    let tune = clock.elapsed().as_secs_f64();
    if let Some(target) = &out {
        target.write(table(&path).as_bytes())?;
    }
    if let Some(target) = &plot {
        let svg = tuning::draw(&whole, &folds, &path, &settings).map_err(|cause| {
            let file = target.given().display().to_string();
            CliError::Plot { file, cause }
        })?;
        target.write(svg.as_bytes())?;
    }
    let total = began.elapsed().as_secs_f64();
    let summary = summary(args, &whole, &folds, &path, Seconds { read, tune, total })?;
    output::print(&if args.json { report::json(&summary) } else { summary.text() })?;
    if path.at_smallest().next().is_some() {
        let smallest = number(path.lambda_range()[0]);
        output::complain(&format_args!(
            "warning: the smallest lambda ({smallest}) is the best for some tau; try a smaller --lambda-from"
        ));
    }
    if path.is_complete() {
        return Ok(Exit::Done);
    }
    let (holes, gaps) = (path.stats().holes, path.gaps());
    output::complain(&format_args!(
        "the critical regions leave {holes} holes and {gaps} ranges of tau without a lambda, and cover {} of the domain",
        path.stats().covered
    ));
    Ok(Exit::Failed)
}

/// What can be refused before any file is read.
fn request(args: &TuneArgs) -> Result<(Option<Target>, Option<Target>), CliError> {
    let problem = args.problem;
    if problem != Problem::Kqr {
        return Err(CliError::NotTuned { problem });
    }
    if args.data.positive.is_some() {
        return Err(CliError::OptionUnused { problem, option: "positive".into() });
    }
    args.model.check()?;
    let mut reads = vec![("--train", args.data.train.as_path())];
    reads.extend(args.validate.as_deref().map(|file| ("--validate", file)));
    let out = args.out.as_deref().map(|file| Target::new("--out", file, &reads)).transpose()?;
    let plot = args.plot.as_deref().map(|file| Target::new("--plot", file, &reads)).transpose()?;
    if let (Some(a), Some(b)) = (&out, &plot)
        && a.path() == b.path()
    {
        return Err(CliError::SameFile { option: "--plot", file: b.given().display().to_string(), other: "--out" });
    }
    Ok((out, plot))
}

/// In words.
fn criterion(args: &TuneArgs) -> String {
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

/// Loss at both ends of a piece.
fn losses(piece: &BilevelPiece) -> [f64; 2] {
    piece.tau.map(|tau| piece.at(tau).map_or(f64::NAN, |best| best.loss))
}

/// The pieces as CSV.
fn table(path: &BilevelPath) -> String {
    let mut text = String::from("tau_from,tau_to,lambda_from,lambda_to,loss_from,loss_to\n");
    for piece in path.pieces() {
        let cells: Vec<String> = [piece.tau, piece.lambda, losses(piece)].concat().into_iter().map(number).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

fn summary(
    args: &TuneArgs,
    whole: &Kqr,
    folds: &[Fold],
    path: &BilevelPath,
    seconds: Seconds,
) -> Result<TuneReport, CliError> {
    use pathqp_adapters::Adapter;
    let at = |&tau: &f64| match path.at(tau) {
        Some(best) => Ok(AtReport { param: tau, tuned: finite(best.lambda), loss: best.loss }),
        None => Err(CliError::TauOutside { value: tau, from: args.from, to: args.to }),
    };
    let piece = |piece: &BilevelPiece| {
        let ([tuned_from, tuned_to], [loss_from, loss_to]) = (piece.lambda.map(finite), losses(piece));
        PieceReport { from: piece.tau[0], to: piece.tau[1], tuned_from, tuned_to, loss_from, loss_to }
    };
    let stats = path.stats();
    let counts = [
        ("regions", stats.regions),
        ("crossings", stats.crossings),
        ("cells", stats.cells),
        ("branches", stats.branches),
        ("added", stats.added),
        ("most_open", stats.most_open),
        ("holes", stats.holes),
    ];
    let mut numbers: BTreeMap<&'static str, f64> = counts.into_iter().map(|(name, v)| (name, v as f64)).collect();
    numbers.insert("covered", stats.covered);
    Ok(TuneReport {
        problem: args.problem,
        n: whole.machine().rows(),
        d: whole.machine().features().columns(),
        kernel: args.model.kernel.to_string(),
        bias: crate::values::bias_text(whole.machine().bias()),
        vary: Varied { name: "tau", from: args.from, to: args.to },
        tuned: "lambda",
        criterion: criterion(args),
        held_out: folds.iter().map(|fold| fold.responses().len()).sum(),
        lambda: path.lambda_range().map(finite),
        pieces: path.pieces().iter().map(piece).collect(),
        steps: stats.regions,
        complete: path.is_complete(),
        at: args.param.iter().map(at).collect::<Result<_, _>>()?,
        seconds,
        stats: numbers,
    })
}

impl TuneReport {
    fn text(&self) -> String {
        let shown = |value: Option<f64>| value.map_or("inf".into(), number);
        let [low, high] = self.lambda.map(shown);
        let state = if self.complete { "complete" } else { "not complete" };
        let mut text = format!("tune {}\n", self.problem);
        let mut line = |name: &str, value: String| {
            let _ = writeln!(text, "  {name:<13} {value}");
        };
        line("data", format!("n = {}, d = {}, {} rows held out", self.n, self.d, self.held_out));
        line("model", format!("kernel {}, bias {}", self.kernel, self.bias));
        let loss = if self.held_out > 0 { "pinball loss, " } else { "" };
        line("criterion", format!("{loss}{}", self.criterion));
        line("tau", format!("from {} to {}, {state}", number(self.vary.from), number(self.vary.to)));
        line("lambda", format!("from {low} to {high}"));
        line("pieces", format!("{} of the best lambda", self.pieces.len()));
        line("steps", format!("{} critical regions, {} crossings", self.steps, self.stats["crossings"]));
        let Seconds { read, tune, total } = self.seconds;
        line("seconds", format!("read {read:.3}, tune {tune:.3}, total {total:.3}"));
        for at in &self.at {
            line("at", format!("tau {}: lambda {}, loss {}", number(at.param), shown(at.tuned), number(at.loss)));
        }
        text
    }
}
