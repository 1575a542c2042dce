//! `pathqp predict`: decision values of rows of data.

use super::Located;
use crate::args::PredictArgs;
use crate::errors::{CliError, Exit};
use crate::kept::PathFile;
use crate::linear::LinearFile;
use crate::output::{self, Target};
use crate::values::number;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::problem::{Constant, Solution};
use pathqp_adapters::quantiles::QuantileCurve;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Data;
use pathqp_adapters::value::Value;
use pathqp_adapters::view::{Classifier, View};
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
    let answers = [
        ("--probability", args.probability, matches!(view, View::Classifier(Classifier { quantile: Some(_), .. }))),
        ("--monotone", args.monotone, view.has_quantiles()),
        ("--crossings", args.crossings, view.has_quantiles()),
        ("--distribution", !args.distribution.is_empty(), view.has_quantiles()),
    ];
    if let Some((option, ..)) = answers.into_iter().find(|(_, asked, has)| *asked && !has) {
        let what = if option == "--probability" { "probabilities P(Y = 1|x)" } else { "quantiles" };
        return Err(CliError::NotHad { problem: kept.kept.spec.problem.clone(), what, option });
    }
    let nothing = || CliError::NothingToPredict { problem: kept.kept.spec.problem.clone() };
    if matches!(kept.kept.entry().map(|entry| entry.data), Ok(Data::Signal | Data::Tables)) {
        return Err(nothing());
    }
    let rows = kept.kept.columns.read_features(&args.data)?;
    let name = kept.vary.name.as_str();
    let mut header: Vec<String> = located.iter().map(|place| format!("{name}={}", number(place.value))).collect();
    let mut columns = Vec::with_capacity(located.len());
    for place in &located {
        let solution = place.solution(&posed);
        if let Some(Value::Constant(Constant::Interval(_), used)) = solution.get("intercept") {
            let (value, used) = (number(place.value), number(*used));
            output::complain(&format_args!("warning: the intercept at {name} = {value} is not unique; {used} is used"));
        }
        columns.push(predicted(&posed, place, &solution, &rows).ok_or_else(nothing)?);
    }
    let mut found = Vec::new();
    if args.probability {
        header.extend(["probability".into(), "crossings".into()]);
        let View::Classifier(Classifier { quantile: Some(svm), .. }) = view else { return Err(nothing()) };
        let probabilities = svm.probabilities(&kept.path, &rows);
        found = probabilities.map_err(|error| CliError::Model { file: args.data.display().to_string(), error })?;
    }
    let mut further = vec![Vec::new(); rows.rows()];
    if args.monotone || args.crossings || !args.distribution.is_empty() {
        let curves = view.quantiles(&kept.path, &rows).ok_or_else(nothing)?;
        let curves = curves.map_err(|error| CliError::Model { file: args.path.display().to_string(), error })?;
        if args.monotone {
            let rearranged = |place: &Located| curves.iter().filter_map(|c| c.rearranged(place.value)).collect();
            columns = located.iter().map(rearranged).collect();
        }
        header.extend(args.distribution.iter().map(|q| format!("P(Y<={})", number(*q))));
        if args.crossings {
            header.extend(["falls", "fall_from", "fall_to"].map(String::from));
        }
        further = curves.iter().map(|curve| cells(curve, args)).collect();
    }
    let mut text = header.join(",") + "\n";
    for i in 0..rows.rows() {
        let values = columns.iter().filter_map(|column| column.get(i)).map(|v| number(*v));
        let probability = found.get(i).map(|p| [number(p.tau), p.crossings.to_string()]);
        let further = further.get(i).into_iter().flatten().cloned();
        let cells: Vec<String> = values.chain(probability.into_iter().flatten()).chain(further).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cells.join(","));
    }
    match out {
        Some(target) => target.write(text.as_bytes())?,
        None => output::print(&text)?,
    }
    Ok(Exit::Done)
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
        ("--probability", args.probability),
        ("--monotone", args.monotone),
        ("--distribution", !args.distribution.is_empty()),
        ("--crossings", args.crossings),
    ];
    if let Some((option, _)) = unwanted.into_iter().find(|(_, given)| *given) {
        return Err(CliError::Meaningless { option, reason: "has no meaning for weights kept by pathqp moments" });
    }
    let rows = model.columns.read_features(&args.data)?;
    let mut text = String::from("decision\n");
    for f in model.scores(&rows) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", number(f));
    }
    match out {
        Some(target) => target.write(text.as_bytes())?,
        None => output::print(&text)?,
    }
    Ok(Exit::Done)
}
