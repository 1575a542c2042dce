//! `pathqp path nnls`: least squares in a box, along a penalty or a line of responses.

use crate::args::{NnlsArgs, NnlsParameter};
use crate::data::read_training;
use crate::errors::{CliError, Exit};
use crate::problem::Response;
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::values::number;
use pathqp_adapters::AdapterError;
use pathqp_adapters::dataset::{Features, Scaling};
use pathqp_adapters::nnls::{Course, Nnls};
use serde::Serialize;
use std::time::Instant;

/// What only this problem has in its JSON.
#[derive(Serialize)]
struct Details {
    rows: usize,
    columns: usize,
    /// Infinite ones are left out.
    lower: Option<f64>,
    upper: Option<f64>,
    /// x at the end of the path.
    x: Option<Vec<f64>>,
}

/// Follows the path, writes, draws and prints it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &NnlsArgs) -> Result<Exit, CliError> {
    for (option, given) in [("--weights", args.data.weights.is_some()), ("--positive", args.data.positive.is_some())] {
        if given {
            return Err(CliError::Meaningless { option, reason: "has no use in least squares" });
        }
    }
    let vary = args.vary.unwrap_or(if args.toward.is_some() { NnlsParameter::S } else { NnlsParameter::Lambda });
    match (vary, &args.toward) {
        (NnlsParameter::Lambda, Some(_)) => {
            return Err(CliError::Meaningless { option: "--toward", reason: "has no use while lambda varies" });
        }
        (NnlsParameter::S, None) => {
            return Err(CliError::Meaningless { option: "--vary s", reason: "needs --toward, the column of b1" });
        }
        _ => {}
    }
    let targets = Targets::new(&args.output, &[("--train", &args.data.train)])?;
    let training = read_training(&args.data.train, args.data.options(), Scaling::None, Response::Numbers)?;
    let file = || args.data.train.display().to_string();
    let refused = |error: AdapterError| CliError::Model { file: file(), error };
    let d = training.rows.features.columns();
    let names = training.columns.feature_names.clone();
    let mut names = names.unwrap_or_else(|| (1..=d).map(|j| format!("x{j}")).collect());
    let (features, course) = match &args.toward {
        None => (training.rows.features.as_ref().clone(), Course::Penalty),
        Some(name) => {
            let found = names.iter().position(|other| other == name);
            let missing = || CliError::MissingFeature { file: file(), name: name.clone() };
            let column = found.filter(|_| d > 1).ok_or_else(missing)?;
            names.remove(column);
            let (rest, other) = split(&training.rows.features, column);
            (rest, Course::Response(other))
        }
    };
    let (rows, columns) = (features.rows(), features.columns());
    let posing = Instant::now();
    let bounds = [args.lower, args.upper].map(|bound| vec![bound; columns]);
    let [lower, upper] = bounds;
    let problem = Nnls::new(&features, training.rows.response.clone(), lower, upper).map_err(refused)?;
    let line = problem.line(&course).map_err(refused)?;
    let followed = follow(&line, &problem.start(&course), posing)?;

    let places = followed.places();
    let at = |t: &f64| Some(problem.solution(&followed.path.at(t)?));
    let points: Vec<Vec<f64>> = places.iter().filter_map(at).collect();
    let count = |x: Vec<f64>| x.iter().filter(|x| **x != 0.0).count();
    let series = Series {
        parameter: if vary == NnlsParameter::S { "s" } else { "lambda" },
        values: places.iter().map(|t| followed.path.parameter(t)[0]).collect(),
        names,
        columns: (0..columns).map(|j| points.iter().map(|x| x[j]).collect()).collect(),
        axis: "x",
        nonzero: Some(followed.middles().iter().filter_map(at).map(count).collect()),
        ..Series::default()
    };
    let positive = points.last().map_or(0, |x| x.iter().filter(|x| **x != args.lower && **x != args.upper).count());
    let text = vec![
        (
            "size".into(),
            format!("{rows} rows, {columns} columns, x in [{}, {}]", number(args.lower), number(args.upper)),
        ),
        ("at the end".into(), format!("{positive} coefficients are off their bounds")),
    ];
    let finite = |v: f64| v.is_finite().then_some(v);
    let (lower, upper) = (finite(args.lower), finite(args.upper));
    let details = Details { rows, columns, lower, upper, x: points.last().cloned() };
    let summary = Summary { problem: "nnls", source: &args.data.train, details, rows: text };
    finish(&followed, &series, summary, (&targets, args.output.json))
}

/// The other columns, and one of them.
fn split(features: &Features, column: usize) -> (Features, Vec<f64>) {
    let mut row = vec![0.0; features.columns()];
    let (mut values, mut one) = (Vec::new(), Vec::new());
    for i in 0..features.rows() {
        features.dense_row(i, &mut row);
        one.push(row[column]);
        values.extend(row.iter().enumerate().filter(|(j, _)| *j != column).map(|(_, v)| *v));
    }
    (Features::Dense { rows: features.rows(), columns: features.columns() - 1, values }, one)
}
