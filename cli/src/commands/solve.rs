//! `pathqp solve`: the solution at one parameter value, without a path.

use super::path::{fixed_values, name_row, varying};
use super::{Located, at};
use crate::args::{SolveArgs, StartFrom};
use crate::certify::{self, Residuals};
use crate::data::{Training, read_training};
use crate::errors::{CliError, Exit};
use crate::file::{FORMAT_VERSION, PathFile, StopReason};
use crate::interrupt::Interrupt;
use crate::model::{Model, Posed, Rows};
use crate::output::{self, Target};
use crate::problem::{Entry, Parameter, Response};
use crate::progress::Watch;
use crate::report::{self, SolveReport, SolveSeconds, StartReport};
use pathqp::{Path, Settings};
use pathqp_adapters::AdapterError;
use pathqp_adapters::guess::{self, Origin, Solution};
use std::collections::BTreeMap;
use std::path::Path as FsPath;
use std::time::Instant;

/// Solves, keeps the solution, and prints it with its certificate.
///
/// # Errors
/// A wrong question; no solution.
pub fn run(args: SolveArgs) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install();
    let problem = args.problem;
    let entry = problem.entry();
    let (vary, value, fixed) = parameters(&args, &entry)?;
    if args.data.positive.is_some() && entry.response == Response::Numbers {
        return Err(CliError::OptionUnused { problem, option: "positive".into() });
    }
    args.model.check()?;
    let mut reads: Vec<(&'static str, &FsPath)> = vec![("--train", &args.data.train)];
    if let StartFrom::File(file) = &args.start {
        reads.push(("--start", file));
    }
    let out = args.out.as_deref().map(|file| Target::new("--out", file, &reads)).transpose()?;
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, entry.response)?;
    let bias = args.model.bias.unwrap_or(entry.bias);
    let model = Model { kernel: args.model.kernel, bias, fixed, direction: args.values.direction };
    let settings = Settings { threads: args.threads, ..Settings::default() };
    let posed = Posed::new(problem, &training.rows, &model, (vary, Some(value), Some(value)), &settings);
    let posed = posed.map_err(|error| name_row(error, &args.data.train, &training))?;
    let solution = solve(&args, &posed, &settings, &interrupt)?;

    let kept = keep(&args, model, &posed, training, solution.path.clone());
    if let Some(out) = &out {
        kept.write(out)?;
    }
    let clock = Instant::now();
    let point = kept.path.at(&0.0).ok_or_else(|| CliError::NothingKept { file: kept.source.clone() })?;
    let mut worst = Residuals::default();
    let mut answer = at::solution(&kept, &posed, &Located { value, point }, args.full, &mut worst);
    answer.param.extend(kept.model.fixed.clone());
    let start = start_report(&args, &solution, clock.elapsed().as_secs_f64());
    let report = SolveReport { answer, start };
    let names = kept.columns.feature_names.as_deref();
    output::print(&if args.json { report::json(&report) } else { report.table(names) })?;
    let Some(text) = certify::failure(&worst.verdict, |t| posed.place(&kept.path, t)) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The parameter that the point is kept as a path of, its value, and the values of the others.
fn parameters(args: &SolveArgs, entry: &Entry) -> Result<(Parameter, f64, BTreeMap<String, f64>), CliError> {
    let problem = args.problem;
    let mut named = args.values.named().to_vec();
    let value_of = |name: Parameter| {
        let name = name.to_string();
        args.values.named().into_iter().find_map(|(option, value)| value.filter(|_| option == name))
    };
    let (vary, value) = match args.param {
        Some(value) => (varying(problem, entry, args.vary)?, value),
        None => {
            let given = entry.vary.iter().find_map(|name| Some((*name, value_of(*name)?)));
            // Some have no option of their own.
            let option = args.values.named().into_iter().find(|(option, _)| *option == entry.default.to_string());
            let missing = CliError::OptionMissing { problem, option: option.map_or("param", |(option, _)| option) };
            given.ok_or(missing)?
        }
    };
    if args.param.is_none() {
        named.retain(|(option, _)| *option != vary.to_string());
    }
    Ok((vary, value, fixed_values(problem, entry, vary, &named)?))
}

/// The solution from the start that was asked for.
fn solve(args: &SolveArgs, posed: &Posed, settings: &Settings, interrupt: &Interrupt) -> Result<Solution, CliError> {
    let theta = posed.axis.theta(posed.vary.from);
    let mut watch = Watch::new(interrupt, [0.0, 1.0], None);
    let mut from = |origin: Origin<'_>| {
        let found = guess::solve(&posed.qp, &theta, origin, &guess::Settings::default(), settings, &mut watch);
        found.map_err(|error| match error {
            AdapterError::Path(error) => CliError::Path(error),
            error => CliError::Model { file: args.data.train.display().to_string(), error },
        })
    };
    match &args.start {
        StartFrom::Cold => from(Origin::Cold),
        StartFrom::Lbfgs => from(Origin::Smoothed),
        StartFrom::File(file) => {
            let (kept, other) = PathFile::read(file)?;
            let wrong = |reason: String| CliError::StartFile { file: file.display().to_string(), reason };
            let (found, expected) = (other.adapter.parameters(), posed.adapter.parameters());
            if kept.problem != args.problem || found != expected {
                return Err(wrong(format!("a path of another problem ({})", kept.problem)));
            }
            if other.qp.n() != posed.qp.n() {
                return Err(wrong(format!("{} rows, {} expected", kept.response.len(), rows(posed))));
            }
            let t = nearest(&kept.path, &theta);
            let point = kept.path.at(&t).ok_or_else(|| wrong("a path without a point".into()))?;
            let (qp, x) = (&other.qp, point.x.as_slice());
            from(Origin::Solution { qp, theta: &kept.path.parameter(&t), x, variables: None })
        }
    }
}

fn rows(posed: &Posed) -> usize {
    posed.adapter.machine().rows()
}

/// The position on a path whose θ is nearest.
fn nearest(path: &Path<f64>, theta: &[f64]) -> f64 {
    let (origin, one) = (path.parameter(&0.0), path.parameter(&1.0));
    let direction: Vec<f64> = one.iter().zip(&origin).map(|(o, z)| o - z).collect();
    let square: f64 = direction.iter().map(|d| d * d).sum();
    let along: f64 = direction.iter().zip(theta.iter().zip(&origin)).map(|(d, (t, o))| d * (t - o)).sum();
    let t = if square > 0.0 { along / square } else { 0.0 };
    t.max(0.0).min(*path.end())
}

/// The solution as a path of one point.
fn keep(args: &SolveArgs, model: Model, posed: &Posed, training: Training, path: Path<f64>) -> PathFile {
    let Training { rows, columns, .. } = training;
    let Rows { features, response, weights } = rows;
    PathFile {
        format: FORMAT_VERSION,
        program: PathFile::program(),
        problem: args.problem,
        model,
        vary: posed.vary.clone(),
        source: args.data.train.display().to_string(),
        columns,
        stop: StopReason::Target,
        features,
        response,
        weights,
        path,
    }
}

fn start_report(args: &SolveArgs, solution: &Solution, certificate: f64) -> StartReport {
    let from = match (&args.start, &solution.refused) {
        (StartFrom::Cold, _) | (_, Some(_)) => "cold",
        (StartFrom::Lbfgs, None) => "lbfgs",
        (StartFrom::File(_), None) => "file",
    };
    let guess = solution.guess.as_ref();
    StartReport {
        from,
        smoothing: guess.and_then(|guess| guess.smoothing),
        stages: guess.map_or(0, |guess| guess.stages),
        iterations: guess.map_or(0, |guess| guess.iterations),
        events: solution.events,
        changes: solution.changes,
        refused: solution.refused.as_ref().map(ToString::to_string),
        seconds: SolveSeconds { guess: solution.seconds.guess, start: solution.seconds.start, certificate },
    }
}
