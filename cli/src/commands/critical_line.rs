//! `pathqp path critical-line`: every efficient portfolio.

use crate::args::{BoundArg, CriticalLineArgs, OutputArgs};
use crate::data::read_table;
use crate::errors::{CliError, Exit};
use crate::output::Target;
use crate::plot::frontier;
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::values::number;
use pathqp::{ProblemError, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::critical_line::{CriticalLine, Portfolio};
use pathqp_adapters::dataset::Features;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// A portfolio in the JSON document.
#[derive(Serialize)]
struct Shown {
    t: f64,
    weights: Vec<f64>,
    #[serde(rename = "return")]
    mean: f64,
    variance: f64,
    risk: f64,
    /// Null where the variance is zero.
    sharpe: Option<f64>,
}

impl Shown {
    fn new(portfolio: &Portfolio, risk_free: f64) -> Self {
        let Portfolio { t, weights, mean, variance } = portfolio.clone();
        let sharpe = Some(portfolio.sharpe(risk_free)).filter(|sharpe| sharpe.is_finite());
        Shown { t, weights, mean, variance, risk: variance.max(0.0).sqrt(), sharpe }
    }

    fn text(&self) -> String {
        let held = self.weights.iter().filter(|w| **w != 0.0).count();
        let sharpe = self.sharpe.map_or("none".into(), |v| format!("{v:.6}"));
        format!(
            "return {:.6e}, risk {:.6e}, Sharpe ratio {sharpe}, {held} assets, t = {:.6e}",
            self.mean, self.risk, self.t
        )
    }
}

/// What only the critical line has in its JSON.
#[derive(Serialize)]
struct Details {
    assets: Vec<String>,
    risk_free: f64,
    least_variance: Option<Shown>,
    max_sharpe: Option<Shown>,
    /// The portfolios that were asked for: first those by t, then those by return.
    at: Vec<Shown>,
}

/// Follows the path, writes, draws and prints it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &CriticalLineArgs) -> Result<Exit, CliError> {
    let (problem, assets, source, posing) = read(args)?;
    let refused = |error: AdapterError| CliError::Model { file: source.display().to_string(), error };
    let mut reads: Vec<(&'static str, &Path)> = vec![(if args.train.is_some() { "--train" } else { "--mean" }, source)];
    reads.extend(args.cov.as_deref().map(|file| ("--cov", file)));
    reads.extend(args.output.out.as_deref().map(|file| ("--out", file)));
    let figure = args.output.plot.as_deref().map(|file| Target::new("--plot", file, &reads)).transpose()?;
    reads.retain(|(option, _)| *option != "--out");
    let targets = Targets::new(&OutputArgs { plot: None, ..args.output.clone() }, &reads)?;

    let qp = problem.qp().map_err(refused)?;
    // Followed upwards, whichever way it is asked for: see the adapter.
    let (from, to) = (args.from.min(args.to), args.from.max(args.to));
    let line = match to.is_finite() {
        true if to == from => return Err(CliError::NoLength { value: to }),
        true => qp.line(&[from], &[to]),
        false => qp.ray(&[from], &[1.0]),
    };
    let followed = follow(&line.map_err(|error| refused(error.into()))?, &Start::Anywhere, posing)?;
    let path = &followed.path;
    let at = |position: &f64| problem.at(path, path.parameter(position).first().copied()?);
    let portfolios: Vec<Portfolio> = followed.places().iter().filter_map(at).collect();
    let show = |portfolio: &Portfolio| Shown::new(portfolio, args.risk_free);
    let best = problem.max_sharpe(path, args.risk_free);
    let asked = args.param.iter().map(|t| (*t, problem.at(path, *t)));
    let asked = asked.chain(args.target.iter().map(|mean| (*mean, problem.with_return(path, *mean))));
    let found = |(value, portfolio): (f64, Option<Portfolio>)| {
        portfolio.ok_or(CliError::NotEfficient { value, file: source.display().to_string() })
    };
    let asked = asked.map(found).collect::<Result<Vec<Portfolio>, CliError>>()?;

    if let Some(target) = &figure {
        let dense = frontier::places(path);
        let dense: Vec<Portfolio> = dense.iter().filter_map(at).collect();
        let title = format!("critical-line on {}", source.display());
        let svg = frontier::draw((&portfolios, &dense), best.as_ref(), args.risk_free, &title, target.given())?;
        target.write(svg.as_bytes())?;
    }
    let places = followed.places();
    let middles = places.windows(2).filter_map(|ends| at(&(ends[0] + (ends[1] - ends[0]) / 2.0)));
    let middle = middles.map(|portfolio| portfolio.variance).collect();
    let series = Series { middle: Some(middle), ..series(&portfolios, &assets, args.risk_free) };
    let least = portfolios.iter().min_by(|a, b| a.variance.total_cmp(&b.variance));
    let details = Details {
        risk_free: args.risk_free,
        least_variance: least.map(show),
        max_sharpe: best.as_ref().map(show),
        at: asked.iter().map(show).collect(),
        assets,
    };
    let mut rows = vec![("assets".to_owned(), format!("{}, risk-free return {}", qp.n(), number(args.risk_free)))];
    let named = [("least variance", &details.least_variance), ("best Sharpe", &details.max_sharpe)];
    rows.extend(named.into_iter().filter_map(|(name, shown)| Some((name.to_owned(), shown.as_ref()?.text()))));
    rows.extend(details.at.iter().map(|shown| ("asked".to_owned(), shown.text())));
    let summary = Summary { problem: "critical-line", source, details, rows };
    finish(&followed, &series, summary, (&targets, args.output.json))
}

/// One row a turning point: the weights, and what they are worth.
fn series(portfolios: &[Portfolio], assets: &[String], risk_free: f64) -> Series {
    let column = |value: &dyn Fn(&Portfolio) -> f64| portfolios.iter().map(value).collect::<Vec<f64>>();
    let weight = |j: usize| column(&|p| p.weights.get(j).copied().unwrap_or(f64::NAN));
    let mut columns: Vec<Vec<f64>> = (0..assets.len()).map(weight).collect();
    columns.push(column(&|p| p.mean));
    columns.push(column(&|p| p.variance));
    columns.push(column(&|p| p.sharpe(risk_free)));
    let names = assets.iter().cloned().chain(["return", "variance", "sharpe"].map(String::from)).collect();
    Series { parameter: "t", values: column(&|p| p.t), names, columns, axis: "w", ..Series::default() }
}

/// The problem, the names of its assets, the file that it comes from, and when it was read.
fn read(args: &CriticalLineArgs) -> Result<(CriticalLine, Vec<String>, &Path, Instant), CliError> {
    let refused = |file: &Path| {
        let file = file.display().to_string();
        move |error: AdapterError| CliError::Model { file: file.clone(), error }
    };
    let header = !args.no_header;
    let named = |n: usize, names: Option<Vec<String>>| {
        names.filter(|names| names.len() == n).unwrap_or_else(|| (1..=n).map(|j| format!("w{j}")).collect())
    };
    let bounds = |n: usize| -> Result<[Vec<f64>; 2], CliError> {
        let read = |bound: &BoundArg| match bound {
            BoundArg::All(value) => Ok(vec![*value; n]),
            BoundArg::File(file) => vector(file, header).map(|found| found.0),
        };
        Ok([read(&args.lower)?, read(&args.upper)?])
    };
    match (&args.train, &args.mean, &args.cov) {
        (Some(file), ..) => {
            let (returns, names) = read_table(file, header)?;
            let [lower, upper] = bounds(returns.columns())?;
            let names = named(returns.columns(), names);
            let posing = Instant::now();
            Ok((CriticalLine::from_returns(&returns, lower, upper).map_err(refused(file))?, names, file, posing))
        }
        (None, Some(mean_file), Some(file)) => {
            let ((mean, _), (covariance, names)) = (vector(mean_file, header)?, read_table(file, header)?);
            let [lower, upper] = bounds(mean.len())?;
            let names = named(mean.len(), names);
            let posing = Instant::now();
            let problem = CriticalLine::new(mean, rows(&covariance), lower, upper).map_err(refused(file))?;
            Ok((problem, names, mean_file, posing))
        }
        _ => Err(CliError::Arguments { line: "--train, or --mean with --cov, is needed".into() }),
    }
}

fn rows(table: &Features) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; table.columns()]; table.rows()];
    rows.iter_mut().enumerate().for_each(|(i, row)| table.dense_row(i, row));
    rows
}

/// A table of one row or one column.
fn vector(file: &Path, header: bool) -> Result<(Vec<f64>, Option<Vec<String>>), CliError> {
    let (table, names) = read_table(file, header)?;
    if table.rows() == 1 {
        return Ok((rows(&table).concat(), names));
    }
    if table.columns() != 1 {
        let error = ProblemError::Shape { what: "each row of a list of numbers", expected: 1, found: table.columns() };
        return Err(CliError::Model { file: file.display().to_string(), error: error.into() });
    }
    Ok((rows(&table).concat(), None))
}
