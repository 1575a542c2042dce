//! `pathqp tune quantile-svm` and `pathqp tune cost-svm`: the best penalty of a grid for every asymmetry of the costs.

use super::tune::{AtReport, PieceReport, RecountReport, Seconds, TuneReport, Varied, criterion, table};
use crate::args::{HeldLoss, TuneArgs};
use crate::data::{Training, read_training};
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::report;
use pathqp::Settings;
use pathqp_adapters::asymmetry::{self, HeldOut, Question, Tuned};
use pathqp_adapters::cost_svm;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm;
use pathqp_adapters::spec::{Data, Entry, Rows};
use pathqp_adapters::{AdapterError, Bias};
use pathqp_views::words::{bias_text, number};
use pathqp_views::{Shown, plot};
use std::collections::BTreeMap;
use std::time::Instant;

/// What one of the two problems calls things.
struct Names {
    entry: &'static Entry,
    vary: &'static str,
    varied: asymmetry::Varied,
    tuned: &'static str,
}

fn names(problem: &str) -> Names {
    let quantile = problem == "quantile-svm";
    Names {
        entry: if quantile { &quantile_svm::ENTRY } else { &cost_svm::ENTRY },
        vary: if quantile { "tau" } else { "gamma" },
        varied: if quantile { asymmetry::Varied::Tau } else { asymmetry::Varied::Gamma },
        tuned: if quantile { "lambda" } else { "c" },
    }
}

/// The penalties that are tried.
fn grid(args: &TuneArgs) -> Vec<f64> {
    let default = if args.problem == "quantile-svm" { asymmetry::LAMBDAS } else { asymmetry::COSTS };
    if args.grid.is_empty() { default.to_vec() } else { args.grid.clone() }
}

/// Finds the best penalties, writes them, draws them, and prints the summary.
///
/// # Errors
/// Invalid input; paths that could not be followed.
pub(super) fn run(args: &TuneArgs, out: Option<Target>, plot: Option<Target>) -> Result<Exit, CliError> {
    let began = Instant::now();
    let names = names(&args.problem);
    let training = read_training(&args.data.train, args.data.options(), args.model.scale, Data::Classes)?;
    let held = args.validate.as_deref().map(|file| training.columns.read_labelled(file)).transpose()?;
    let read = began.elapsed().as_secs_f64();
    let clock = Instant::now();
    let (kernel, bias) =
        (args.model.kernel_on(names.entry, &training.rows), args.model.bias.unwrap_or(names.entry.bias));
    let range = [args.from.unwrap_or(0.0), args.to.unwrap_or(1.0)];
    let tuned = tune(args, &training.rows, held, (kernel, bias), range).map_err(|error| match error {
        AdapterError::Path(error) => CliError::Path(error),
        error => CliError::Model { file: args.data.train.display().to_string(), error },
    })?;
    let tune = clock.elapsed().as_secs_f64();
    if let Some(target) = &out {
        target.write(table(names.vary, names.tuned, &shown(&tuned)).as_bytes())?;
    }
    if let Some(target) = &plot {
        let model = (training.rows.features.as_ref(), kernel, bias);
        target.draw(plot::asymmetry::figure(model, &tuned, names.varied, loss(args)).draw())?;
    }
    let seconds = Seconds { read, tune, total: began.elapsed().as_secs_f64() };
    let summary = summary(args, &training, &tuned, (kernel, bias, range), seconds)?;
    output::print(&if args.json { report::json(&summary) } else { summary.text() })?;
    if tuned.at_end() {
        let (vary, tuned) = (names.vary, names.tuned);
        output::complain(&format_args!(
            "warning: for some {vary} the best {tuned} lies at an end of the grid: try a wider grid with --grid"
        ));
    }
    if summary.recounted {
        return Ok(Exit::Done);
    }
    let (at, worst) = (number(tuned.recount.at), number(tuned.recount.worst));
    output::complain(&format_args!(
        "the loss fails its recomputation: near {} = {at} it has an error of {worst}; scale the features, or give another grid",
        names.vary
    ));
    Ok(Exit::Failed)
}

fn tune(
    args: &TuneArgs,
    rows: &Rows,
    held: Option<(Features, Vec<f64>)>,
    (kernel, bias): (KernelKind, Bias),
    range: [f64; 2],
) -> Result<Tuned, AdapterError> {
    let (varied, folds) = (names(&args.problem).varied, args.folds.unwrap_or(0));
    let question = Question { varied, range, grid: grid(args), rows, kernel, bias, held, folds };
    let settings = Settings { threads: args.threads, ..Settings::default() };
    asymmetry::tune(&question.candidates()?, (varied, range), loss(args), &settings)
}

fn loss(args: &TuneArgs) -> HeldOut {
    if args.loss == Some(HeldLoss::Error) { HeldOut::Error } else { HeldOut::Cost }
}

fn shown(tuned: &Tuned) -> Vec<Shown> {
    let shown =
        tuned.pieces.iter().map(|piece| Shown { vary: piece.vary, tuned: [piece.penalty; 2], loss: piece.loss });
    shown.collect()
}

fn summary(
    args: &TuneArgs,
    training: &Training,
    tuned: &Tuned,
    (kernel, bias, [from, to]): (KernelKind, Bias, [f64; 2]),
    seconds: Seconds,
) -> Result<TuneReport, CliError> {
    let (names, grid) = (names(&args.problem), grid(args));
    let ends = [f64::min, f64::max].map(|of| grid.iter().copied().fold(f64::NAN, of));
    let at = |&param: &f64| match tuned.at(param) {
        Some((best, loss)) => Ok(AtReport { param, tuned: Some(best), loss }),
        None => Err(CliError::TunedOutside { name: names.vary, value: param, from, to }),
    };
    let (features, at_end) = (&training.rows.features, tuned.at_end());
    let stats = [("penalties", grid.len()), ("breakpoints", tuned.breakpoints)];
    Ok(TuneReport {
        problem: args.problem.clone(),
        n: features.rows(),
        d: features.columns(),
        classes: training.columns.classes.clone(),
        kernel: kernel.to_string(),
        bias: bias_text(bias),
        vary: Varied { name: names.vary, from, to: Some(to) },
        tuned: names.tuned,
        loss: if args.loss == Some(HeldLoss::Error) { "error rate" } else { "mean cost" },
        criterion: criterion(args),
        held_out: tuned.held_out,
        range: BTreeMap::from([(names.tuned, ends.map(Some))]),
        pieces: shown(tuned).into_iter().map(PieceReport::from).collect(),
        steps: tuned.steps,
        complete: !at_end,
        at_end,
        end: "grid",
        recounted: tuned.recount.worst == 0.0,
        recount: RecountReport { points: tuned.recount.points, worst: tuned.recount.worst },
        at: args.param.iter().map(at).collect::<Result<_, _>>()?,
        seconds,
        work: format!("{} changes of the errors along the paths of {} penalties", tuned.steps, grid.len()),
        stats: stats.into_iter().collect(),
    })
}
