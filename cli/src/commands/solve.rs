//! `pathqp solve`: the solution at one parameter value, without a path.

use super::{Located, at, targets};
use crate::args::{Each, SolveArgs, StartFrom};
use crate::certify::{self, Residuals};
use crate::errors::{CliError, Exit};
use crate::interrupt::Interrupt;
use crate::kept::{Kept, PathFile, StopReason};
use crate::output;
use crate::pose::Described;
use crate::progress::Watch;
use crate::report::{self, SolveReport, SolveSeconds, StartReport};
use pathqp::{Path, Settings};
use pathqp_adapters::guess::{self, Origin, Solution};
use pathqp_adapters::run::Posed;
use std::time::Instant;

/// Solves, keeps the solution, and prints it with its certificate.
///
/// # Errors
/// Invalid input; no solution.
pub fn run(args: &mut Each<SolveArgs>) -> Result<Exit, CliError> {
    let interrupt = Interrupt::install();
    args.problem.check()?;
    let (vary, value) = parameter(args)?;
    let mut reads = super::reads(&args.problem);
    if let StartFrom::File(file) = &args.rest.start {
        reads.push(("--start".into(), file.as_path()));
    }
    let [out] = targets([("--out", &args.rest.out)], &reads)?;
    let described = Described::read(&args.problem, &[vary])?;
    let settings = Settings { threads: args.rest.threads, ..Settings::default() };
    let posed = described.pose((vary, Some(value), Some(value)), &settings)?;
    let solution = solve(args, &described, &posed, &settings, &interrupt)?;

    let Described { spec, columns, sources, .. } = described;
    let kept = PathFile {
        kept: Kept::new(spec, sources, columns),
        vary: posed.vary.clone(),
        stop: StopReason::Target,
        path: solution.path.clone(),
    };
    if let Some(out) = &out {
        kept.write(out)?;
    }
    let clock = Instant::now();
    let nothing = || CliError::NothingKept { file: kept.kept.source().into() };
    let point = kept.path.at(kept.path.begin()).ok_or_else(nothing)?;
    let mut worst = Residuals::default();
    let mut answer = at::solution(&kept, &posed, &Located { value, point }, args.rest.full, &mut worst);
    answer.param.extend(kept.kept.spec.fixed.clone());
    let start = start_report(&args.rest, &solution, clock.elapsed().as_secs_f64());
    let report = SolveReport { answer, start };
    let groups = posed.columns(&kept.kept.spec);
    output::print(&if args.rest.json { report::json(&report) } else { report.table(&groups) })?;
    let text = certify::failure(&worst.verdict, |t| super::place(&posed, &kept.path, t));
    let Some(text) = text else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The parameter that the point is kept as a path of, and its value: that of --param, or the option of a parameter, which is taken out of the others.
fn parameter(args: &mut Each<SolveArgs>) -> Result<(&'static str, f64), CliError> {
    let entry = args.problem.entry;
    if let Some(value) = args.rest.param {
        return Ok((args.problem.vary(args.rest.vary.as_deref())?, value));
    }
    let Some((name, value)) = args.problem.value() else {
        let first = entry.vary.first().copied().unwrap_or_default();
        // One that goes with others is no value of the parameter alone.
        let alone = entry.option(first).is_none_or(|option| option.requires.is_empty());
        let option = if alone { first } else { "param" };
        return Err(CliError::OptionMissing { problem: entry.name.into(), option });
    };
    args.problem.options.retain(|(option, _)| option.name != name);
    Ok((name, value))
}

/// The solution from the start that was asked for.
fn solve(
    args: &Each<SolveArgs>,
    described: &Described,
    posed: &Posed,
    settings: &Settings,
    interrupt: &Interrupt,
) -> Result<Solution, CliError> {
    let theta = posed.axis.theta(posed.vary.from);
    let mut watch = Watch::new(interrupt, [0.0, 1.0], None);
    let mut from = |origin: Origin<'_>| {
        let found = guess::solve(&posed.qp, &theta, origin, &guess::Settings::default(), settings, &mut watch);
        found.map_err(|error| described.refused(error))
    };
    match &args.rest.start {
        StartFrom::Cold => from(Origin::Cold),
        StartFrom::Lbfgs => from(Origin::Smoothed),
        StartFrom::File(file) => {
            let (kept, other) = PathFile::read(file)?;
            let wrong = |reason: String| CliError::StartFile { file: file.display().to_string(), reason };
            let (found, expected) = (other.problem.parameters(), posed.problem.parameters());
            if kept.kept.spec.problem != args.problem.entry.name || found != expected {
                return Err(wrong(format!("a path of another problem ({})", kept.kept.spec.problem)));
            }
            if other.qp.n() != posed.qp.n() {
                let (found, expected) = (kept.kept.rows(), described.spec.rows.response.len());
                return Err(wrong(format!("{found} rows, {expected} expected")));
            }
            let t = nearest(&kept.path, &theta);
            let point = kept.path.at(&t).ok_or_else(|| wrong("a path without a point".into()))?;
            let (qp, x) = (&other.qp, point.x.as_slice());
            from(Origin::Solution { qp, theta: &kept.path.parameter(&t), x, variables: None })
        }
    }
}

/// The position on a path whose θ is nearest.
fn nearest(path: &Path<f64>, theta: &[f64]) -> f64 {
    let (origin, one) = (path.parameter(&0.0), path.parameter(&1.0));
    let direction: Vec<f64> = one.iter().zip(&origin).map(|(o, z)| o - z).collect();
    let square: f64 = direction.iter().map(|d| d * d).sum();
    let along: f64 = direction.iter().zip(theta.iter().zip(&origin)).map(|(d, (t, o))| d * (t - o)).sum();
    let t = if square > 0.0 { along / square } else { 0.0 };
    t.max(*path.begin()).min(*path.end())
}

fn start_report(args: &SolveArgs, solution: &Solution, certificate: f64) -> StartReport {
    let from = match (&args.start, &solution.refused) {
        _ if solution.guess.is_none() => "cold",
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
