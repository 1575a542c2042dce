//! `pathqp path trend-filtering`: the fitted signal at every penalty.

use crate::args::TrendArgs;
use crate::data::{DataOptions, read_signal, read_table};
use crate::errors::{CliError, Exit};
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::values::number;
use pathqp_adapters::AdapterError;
use pathqp_adapters::trend_filtering::{Difference, TrendFiltering, TrendFit};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// What only trend filtering has in its JSON.
#[derive(Serialize)]
struct Details {
    values: usize,
    differences: usize,
    /// Of a chain.
    order: Option<usize>,
    /// From there on nothing happens any more; none if the path ends before.
    lambda_max: Option<f64>,
    /// The solution at --lambda.
    fit: Option<TrendFit>,
}

/// Follows the path, writes, draws and prints it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &TrendArgs) -> Result<Exit, CliError> {
    let mut reads = vec![("--train", args.train.as_path())];
    reads.extend(args.edges.as_deref().map(|file| ("--edges", file)));
    reads.extend(args.matrix.as_deref().map(|file| ("--matrix", file)));
    let targets = Targets::new(&args.output, &reads)?;
    let options = DataOptions { response: args.response.clone(), no_header: args.no_header, ..DataOptions::default() };
    let signal = read_signal(&args.train, &options)?;
    let values = signal.len();
    let differences = match (&args.edges, &args.matrix) {
        (Some(file), _) => Some(edges(file, values)?),
        (None, Some(file)) => Some(matrix(file, values)?),
        (None, None) => None,
    };
    let observed = signal.clone();
    let posing = Instant::now();
    let order = differences.is_none().then_some(args.order);
    let refused = |error: AdapterError| CliError::Model { file: args.train.display().to_string(), error };
    let filter = match differences {
        Some(rows) => TrendFiltering::new(rows, signal),
        None => TrendFiltering::chain(args.order, signal),
    };
    let filter = filter.map_err(refused)?;
    let line = filter.line(args.to).map_err(refused)?;
    let followed = follow(&line, &filter.start(), posing)?;

    let at = |t: &f64| followed.path.at(t).map(|point| filter.fit(*t, &point.x));
    let fits: Vec<TrendFit> = followed.places().iter().filter_map(at).collect();
    let series = Series {
        parameter: "lambda",
        values: fits.iter().map(|fit| fit.lambda).collect(),
        names: (1..=values).map(|i| format!("b{i}")).collect(),
        columns: (0..values).map(|i| fits.iter().map(|fit| fit.fitted[i]).collect()).collect(),
        axis: "β",
        observed: Some(observed),
        ..Series::default()
    };
    let fit = args.lambda.and_then(|lambda| filter.at(&followed.path, lambda));
    let what = order.map_or("a graph or matrix".to_owned(), |order| format!("a chain, order {order}"));
    let mut rows = vec![("size".into(), format!("{values} values, {} differences of {what}", line.n()))];
    rows.extend(fit.as_ref().map(|fit| {
        let shown: Vec<String> = fit.knots.iter().take(20).map(|knot| (knot + 1).to_string()).collect();
        let more = if fit.knots.len() > shown.len() { ", …" } else { "" };
        let text = format!("{} knots: {}{more}", fit.knots.len(), shown.join(", "));
        (format!("at lambda = {}", number(fit.lambda)), text)
    }));
    let lambda_max = followed.path.is_endless().then(|| *followed.path.end());
    let details = Details { values, differences: line.n(), order, lambda_max, fit };
    let summary = Summary { problem: "trend-filtering", source: &args.train, details, rows };
    finish(&followed, &series, summary, (&targets, args.output.json))
}

/// One row of D an edge.
fn edges(file: &Path, values: usize) -> Result<Vec<Difference>, CliError> {
    let (table, _) = read_table(file, true)?;
    let mut row = vec![0.0; table.columns()];
    let edge = |i: usize| {
        table.dense_row(i, &mut row);
        let end = |v: f64| (v.fract() == 0.0 && v >= 1.0 && v <= values as f64).then(|| v as usize - 1);
        match *row {
            [a, b] => match (end(a), end(b)) {
                (Some(from), Some(to)) if from != to => Ok(vec![(from, 1.0), (to, -1.0)]),
                _ => Err(CliError::Edge { file: file.display().to_string(), edge: i + 1, a, b, rows: values }),
            },
            _ => {
                let (file, found) = (file.display().to_string(), row.len());
                Err(CliError::TableColumns { file, found, expected: 2, what: "the ends of an edge" })
            }
        }
    };
    (0..table.rows()).map(edge).collect()
}

/// The rows of any D.
fn matrix(file: &Path, values: usize) -> Result<Vec<Difference>, CliError> {
    let (table, _) = read_table(file, false)?;
    if table.columns() != values {
        let (file, found) = (file.display().to_string(), table.columns());
        return Err(CliError::TableColumns { file, found, expected: values, what: "one for each value of the signal" });
    }
    let row = |i: usize| {
        let mut row = Vec::new();
        table.row(i).for_each(|j, v| row.extend((v != 0.0).then_some((j, v))));
        row
    };
    Ok((0..table.rows()).map(row).collect())
}
