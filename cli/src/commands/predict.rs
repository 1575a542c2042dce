//! `pathqp predict`: decision values of rows of data.

use super::Located;
use crate::args::PredictArgs;
use crate::data::Further;
use crate::errors::{CliError, Exit};
use crate::kept::PathFile;
use crate::linear::LinearFile;
use crate::output::{self, Target};
use pathqp_adapters::dataset::{Classes, Features};
use pathqp_adapters::problem::{Constant, Solution};
use pathqp_adapters::quantiles::QuantileCurve;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Data;
use pathqp_adapters::value::Value;
use pathqp_adapters::view::{Classifier, View};
use pathqp_views::words::{label, number};
use std::fmt::Write;

/// Writes one row a sample and one column a value.
///
/// # Errors
/// A path file or data that cannot be used; a value outside the path.
pub fn run(args: &PredictArgs) -> Result<Exit, CliError> {
    let reads = [("the path", args.path.as_path()), ("--data", args.data.as_path())];
    let out = args.out.as_deref().map(|file| Target::new("--out", file, &reads)).transpose()?;
    if let Some(model) = LinearFile::read(&args.path)? {
        return linear(args, &model, out);
    }
    if args.param.is_empty() {
        return Err(CliError::ParamMissing { file: args.path.display().to_string() });
    }
    let (kept, posed) = PathFile::read(&args.path)?;
    let located = super::locate(&kept, &posed, &args.path, &args.param)?;
    let view = posed.problem.view();
    answered(args, &kept, &view)?;
    let nothing = || CliError::NothingToPredict { problem: kept.kept.spec.problem.clone() };
    let Further { features: rows, names, signs } = kept.kept.columns.read_features(&args.data, args.classes)?;
    let name = kept.vary.name.as_str();
    let mut header = heads_of_values(&posed, name, &located);
    let mut columns = decisions(&posed, name, &located, &rows).ok_or_else(nothing)?;
    for (place, (column, signs)) in located.iter().zip(columns.iter().zip(signs.iter().cycle())) {
        output::complain(&error_rate(&format!("{name} = {}", number(place.value)), column, signs));
    }
    let classes = kept.kept.columns.classes.as_ref().filter(|_| args.classes);
    let predictions: Vec<Vec<String>> = classes.map(|classes| named(classes, &columns)).unwrap_or_default();
    header.extend(located.iter().take(predictions.len()).map(|place| format!("class({name}={})", number(place.value))));
    let mut found = Vec::new();
    if args.probability {
        header.extend(["probability".into(), "crossings".into()]);
        let View::Classifier(Classifier { quantile: Some(svm), .. }) = view else { return Err(nothing()) };
        let probabilities = svm.probabilities(&kept.path, &rows);
        found = probabilities.map_err(|error| CliError::Model { file: args.data.display().to_string(), error })?;
    }
    let mut further = Vec::new();
    if args.asks_for_quantiles() {
        let curves = view.quantiles(&kept.path, &rows).ok_or_else(nothing)?;
        let curves = curves.map_err(|error| CliError::Model { file: args.path.display().to_string(), error })?;
        if args.monotone {
            let rearranged = |place: &Located| curves.iter().filter_map(|c| c.rearranged(place.value)).collect();
            columns = located.iter().map(rearranged).collect();
        }
        header.extend(heads(args));
        further = curves.iter().map(|curve| cells(curve, args)).collect();
    }
    if names.is_some() {
        header.insert(0, kept.kept.columns.options.index.clone().unwrap_or_default());
    }
    let mut text = line(&header);
    for i in 0..rows.rows() {
        let name = names.as_ref().and_then(|names| names.get(i)).cloned();
        let values = columns.iter().filter_map(|column| column.get(i)).map(|v| number(*v));
        let classes = predictions.iter().filter_map(|column| column.get(i)).cloned();
        let probability = found.get(i).map(|p| [number(p.tau), p.crossings.to_string()]);
        let further = further.get(i).into_iter().flatten().cloned();
        let cells =
            name.into_iter().chain(values).chain(classes).chain(probability.into_iter().flatten()).chain(further);
        text += &line(&cells.collect::<Vec<_>>());
    }
    written(out, &text)
}

/// To a file or to standard output.
fn written(out: Option<Target>, text: &str) -> Result<Exit, CliError> {
    match out {
        Some(target) => target.write(text.as_bytes())?,
        None => output::print(text)?,
    }
    Ok(Exit::Done)
}

/// Refuses what the problem has no answer to.
fn answered(args: &PredictArgs, kept: &PathFile, view: &View) -> Result<(), CliError> {
    let has_probabilities = matches!(view, View::Classifier(Classifier { quantile: Some(_), .. }));
    let answers = [
        ("--classes", "classes", args.classes, kept.kept.columns.classes.is_some()),
        ("--probability", "probabilities P(Y = 1|x)", args.probability, has_probabilities),
        ("--monotone", "quantiles", args.monotone, view.has_quantiles()),
        ("--crossings", "quantiles", args.crossings, view.has_quantiles()),
        ("--distribution", "quantiles", !args.distribution.is_empty(), view.has_quantiles()),
    ];
    match answers.into_iter().find(|(.., asked, has)| *asked && !has) {
        Some((option, what, ..)) => Err(CliError::NotHad { problem: kept.kept.spec.problem.clone(), what, option }),
        None if matches!(kept.kept.entry().map(|entry| entry.data), Ok(Data::Signal | Data::Tables)) => {
            Err(CliError::NothingToPredict { problem: kept.kept.spec.problem.clone() })
        }
        None => Ok(()),
    }
}

/// The names of the columns that [`decisions`] has: the values, and what each of them predicts where that is several things.
fn heads_of_values(posed: &Posed, name: &str, located: &[Located]) -> Vec<String> {
    let outputs = posed.problem.outputs();
    let of = |place: &Located| {
        let value = format!("{name}={}", number(place.value));
        match outputs.is_empty() {
            true => vec![value],
            false => outputs.iter().map(|output| format!("{output}({value})")).collect(),
        }
    };
    located.iter().flat_map(of).collect()
}

/// What the solutions say of each row, one column a value, or several where they predict several things; none where they say nothing.
fn decisions(posed: &Posed, name: &str, located: &[Located], rows: &Features) -> Option<Vec<Vec<f64>>> {
    let decision = |place: &Located| {
        let solution = place.solution(posed);
        if let Some(Value::Constant(Constant::Interval(_), used)) = solution.get("intercept") {
            let (value, used) = (number(place.value), number(*used));
            output::complain(&format_args!("warning: the intercept at {name} = {value} is not unique; {used} is used"));
        }
        predicted(posed, place, &solution, rows)
    };
    let all: Option<Vec<Vec<f64>>> = located.iter().map(decision).collect();
    let count = rows.rows().max(1);
    Some(all?.iter().flat_map(|values| values.chunks(count).map(<[f64]>::to_vec)).collect())
}

/// Cells in a line, in quotes where they need them.
fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// How many rows have a decision value on the other side of zero than their label; zero counts for the class −1.
fn error_rate(place: &str, decisions: &[f64], signs: &[f64]) -> String {
    let wrong = decisions.iter().zip(signs).filter(|(f, y)| (**f > 0.0) != (**y > 0.0)).count();
    let share = 100.0 * wrong as f64 / signs.len().max(1) as f64;
    format!("error rate at {place}: {share:.2} % ({wrong} of {} rows)", signs.len())
}

/// The class of each decision value.
fn named(classes: &Classes, columns: &[Vec<f64>]) -> Vec<Vec<String>> {
    let class = |f: &f64| label(if *f > 0.0 { &classes.positive } else { &classes.negative });
    columns.iter().map(|column| column.iter().map(class).collect()).collect()
}

/// What a solution says of each row.
fn predicted(posed: &Posed, place: &Located, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
    match posed.kernel() {
        Some(kernel) => {
            let model = kernel.model(&posed.axis.theta(place.value), &place.point);
            Some(kernel.decision(&model, rows))
        }
        None => posed.problem.predict(solution, rows),
    }
}

/// The names of what [`cells`] says.
fn heads(args: &PredictArgs) -> Vec<String> {
    let mut heads: Vec<String> = args.distribution.iter().map(|q| format!("P(Y<={})", number(*q))).collect();
    if args.crossings {
        heads.extend(["falls", "fall_from", "fall_to"].map(String::from));
    }
    heads
}

/// What was asked about one row's quantiles.
fn cells(curve: &QuantileCurve, args: &PredictArgs) -> Vec<String> {
    let mut cells: Vec<String> = args.distribution.iter().map(|q| number(curve.distribution(*q))).collect();
    if args.crossings {
        let crossings = curve.crossings();
        let ends = crossings.first().map(|first| first.tau.map(number));
        cells.push(crossings.len().to_string());
        cells.extend(ends.unwrap_or_default());
    }
    cells
}

/// Writes one row a sample: the decision value of kept weights.
fn linear(args: &PredictArgs, model: &LinearFile, out: Option<Target>) -> Result<Exit, CliError> {
    let unwanted = [
        ("--param", !args.param.is_empty()),
        ("--classes", args.classes),
        ("--probability", args.probability),
        ("--monotone", args.monotone),
        ("--distribution", !args.distribution.is_empty()),
        ("--crossings", args.crossings),
    ];
    if let Some((option, _)) = unwanted.into_iter().find(|(_, given)| *given) {
        return Err(CliError::Meaningless { option, reason: "does not apply to the weights of pathqp moments" });
    }
    let rows = model.columns.read_features(&args.data, false)?.features;
    let mut text = String::from("decision\n");
    for f in model.scores(&rows) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", number(f));
    }
    written(out, &text)
}
