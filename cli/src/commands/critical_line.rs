//! `pathqp path critical-line`: every efficient portfolio.

use crate::args::{BoundArg, CriticalLineArgs, OutputArgs};
use crate::data::read_table;
use crate::errors::{CliError, Exit};
use crate::output::{self, Target};
use crate::plot::frontier;
use crate::series::{Series, Summary, Targets, finish, follow};
use crate::values::number;
use pathqp::{ProblemError, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::critical_line::{Assets, CriticalLine, Portfolio, looks_like_prices, returns_of_prices};
use pathqp_adapters::dataset::Features;
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// A portfolio in the JSON document.
#[derive(Serialize)]
struct Shown {
    /// Null for a portfolio that is not efficient.
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
        let at = if self.t.is_nan() { "not efficient".into() } else { format!("t = {:.6e}", self.t) };
        format!("return {:.6e}, risk {:.6e}, Sharpe ratio {sharpe}, {held} assets, {at}", self.mean, self.risk)
    }
}

/// What only the critical line has in its JSON.
#[derive(Serialize)]
struct Details {
    assets: Vec<String>,
    risk_free: f64,
    least_variance: Option<Shown>,
    max_sharpe: Option<Shown>,
    /// What kind of answer that is, or why there is none: efficient, riskless, corner, limit, too-many-corners, unbounded or undefined.
    max_sharpe_case: &'static str,
    /// Null where returns have no largest value.
    largest_return: f64,
    /// The portfolios that were asked for: first those by t, then those by return.
    at: Vec<Shown>,
}

/// Follows the path, writes, draws and prints it.
///
/// # Errors
/// A wrong question; a path that could not even begin.
pub fn run(args: &CriticalLineArgs) -> Result<Exit, CliError> {
    let Posed { problem, assets, source, posing } = pose(args)?;
    let refused = |error: AdapterError| CliError::Model { file: source.1.display().to_string(), error };
    let mut reads: Vec<(&'static str, &Path)> = vec![source];
    let bounds = [("--lower", &args.lower), ("--upper", &args.upper)];
    reads.extend(args.cov.as_deref().map(|file| ("--cov", file)));
    reads.extend(bounds.into_iter().filter_map(|(option, bound)| match bound {
        BoundArg::File(file) => Some((option, file.as_path())),
        BoundArg::All(_) => None,
    }));
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
    let position = |position: &f64| problem.at(path, path.parameter(position).first().copied()?);
    let portfolios: Vec<Portfolio> = followed.places().iter().filter_map(&position).collect();
    let show = |portfolio: &Portfolio| Shown::new(portfolio, args.risk_free);
    let sharpe = problem.max_sharpe(path, args.risk_free);
    if let Some(caution) = sharpe.caution(args.risk_free) {
        output::complain(&format_args!("warning: {caution}"));
    }
    let best = sharpe.portfolio;
    let at = |t: f64| {
        let file = source.1.display().to_string();
        let end = path.parameter(path.end()).first().copied().unwrap_or(from);
        let to = if path.is_endless() { f64::INFINITY } else { end };
        problem.at(path, t).ok_or(CliError::NotEfficient { value: t, file, from, to })
    };
    let mut asked = args.param.iter().map(|t| at(*t)).collect::<Result<Vec<Portfolio>, CliError>>()?;
    for mean in &args.target {
        asked.push(problem.with_return(path, *mean).map_err(refused)?);
    }

    if let Some(target) = &figure {
        let dense = frontier::places(path);
        let dense: Vec<Portfolio> = dense.iter().filter_map(&position).collect();
        let title = format!("critical-line on {}", source.1.display());
        let svg = frontier::draw((&portfolios, &dense), best.as_ref(), args.risk_free, &title, target.given())?;
        target.write(svg.as_bytes())?;
    }
    let middles: Vec<Portfolio> = followed.middles().iter().filter_map(position).collect();
    let middle = Some(middles.iter().map(|portfolio| portfolio.variance).collect());
    let held = |portfolio: &Portfolio| portfolio.weights.iter().filter(|w| **w != 0.0).count();
    let nonzero = Some(middles.iter().map(held).collect());
    let series = Series { middle, nonzero, ..series(&portfolios, &assets, args.risk_free) };
    let least = portfolios.iter().min_by(|a, b| a.variance.total_cmp(&b.variance));
    let details = Details {
        risk_free: args.risk_free,
        least_variance: least.map(show),
        max_sharpe: best.as_ref().map(show),
        max_sharpe_case: sharpe.case.name(),
        largest_return: sharpe.largest_return,
        at: asked.iter().map(show).collect(),
        assets,
    };
    let mut rows = vec![("assets".to_owned(), format!("{}, risk-free return {}", qp.n(), number(args.risk_free)))];
    let named = [("least variance", &details.least_variance), ("best Sharpe", &details.max_sharpe)];
    rows.extend(named.into_iter().filter_map(|(name, shown)| Some((name.to_owned(), shown.as_ref()?.text()))));
    rows.extend(details.at.iter().map(|shown| ("asked".to_owned(), shown.text())));
    let summary = Summary { problem: "critical-line", source: source.1, details, rows };
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

/// The problem as it is posed.
struct Posed<'a> {
    problem: CriticalLine,
    assets: Vec<String>,
    /// The option and the file that it comes from.
    source: (&'static str, &'a Path),
    posing: Instant,
}

/// Reads the tables, and matches their columns: see [`Assets`].
fn pose(args: &CriticalLineArgs) -> Result<Posed<'_>, CliError> {
    let mut tables = Tables { header: !args.no_header, assets: Assets::default(), first: None };
    let (given, source) = match (&args.train, &args.prices, &args.mean, &args.cov) {
        (Some(file), ..) => {
            let returns = tables.returns(file)?;
            if let Some(prices) = looks_like_prices(&returns) {
                let file = file.display();
                output::complain(&format_args!(
                    "warning: {file}: {prices}; give prices by --prices {file} in place of --train, and disregard this if they are returns"
                ));
            }
            (Given::Returns(returns), ("--train", file.as_path()))
        }
        (None, Some(file), ..) => {
            let refused = |error| CliError::Model { file: file.display().to_string(), error };
            let returns = returns_of_prices(&tables.returns(file)?).map_err(refused)?;
            (Given::Returns(returns), ("--prices", file.as_path()))
        }
        (None, None, Some(mean), Some(cov)) => {
            let given = Given::Moments(tables.vector(mean)?, tables.matrix(cov)?);
            (given, ("--mean", mean.as_path()))
        }
        _ => return Err(CliError::Arguments { line: "--train, --prices, or --mean with --cov, is needed".into() }),
    };
    let n = match &given {
        Given::Returns(returns) => returns.columns(),
        Given::Moments(mean, _) => mean.len(),
    };
    let mut bound = |bound: &BoundArg| match bound {
        BoundArg::All(value) => Ok(vec![*value; n]),
        BoundArg::File(file) => tables.vector(file),
    };
    let (lower, upper) = (bound(&args.lower)?, bound(&args.upper)?);
    let names = tables.assets.names().filter(|names| names.len() == n);
    let assets = names.map_or_else(|| (1..=n).map(|j| format!("w{j}")).collect(), <[String]>::to_vec);
    let posing = Instant::now();
    let problem = match given {
        Given::Returns(returns) => CriticalLine::from_returns(&returns, lower, upper),
        Given::Moments(mean, covariance) => CriticalLine::new(mean, covariance, lower, upper),
    };
    let problem = problem.map_err(|error| CliError::Model { file: source.1.display().to_string(), error })?;
    Ok(Posed { problem, assets, source, posing })
}

/// What is known of the assets.
enum Given {
    Returns(Features),
    Moments(Vec<f64>, Vec<Vec<f64>>),
}

/// The tables, whose columns are put in the order of the first one that has names.
struct Tables {
    header: bool,
    assets: Assets,
    /// The file of the names.
    first: Option<String>,
}

impl Tables {
    /// Which columns of a table stand for the assets; none for those that it has, in their order.
    fn place(&mut self, file: &Path, names: Option<Vec<String>>) -> Result<Option<Vec<usize>>, CliError> {
        let shown = || file.display().to_string();
        let order = self.assets.place(names.as_deref()).map_err(|error| {
            let other = self.first.clone().unwrap_or_default();
            CliError::Assets { file: shown(), other, error: Box::new(error) }
        })?;
        if names.is_some() {
            self.first.get_or_insert_with(shown);
        }
        Ok(order)
    }

    /// A table of one row a period; it is the first of all.
    fn returns(&mut self, file: &Path) -> Result<Features, CliError> {
        let (table, names) = read_table(file, self.header)?;
        self.place(file, names)?;
        Ok(table)
    }

    /// A table of one row or one column. Only a row has a name for each number, and a single number needs none.
    fn vector(&mut self, file: &Path) -> Result<Vec<f64>, CliError> {
        let (table, names) = read_table(file, self.header)?;
        if table.rows() > 1 && table.columns() != 1 {
            let what = "each row of a list of numbers";
            let error = ProblemError::Shape { what, expected: 1, found: table.columns() };
            return Err(CliError::Model { file: file.display().to_string(), error: error.into() });
        }
        let order = self.place(file, names.filter(|names| names.len() > 1))?;
        let numbers = rows(&table).concat();
        Ok(order.map_or_else(|| numbers.clone(), |order| order.iter().map(|&j| numbers[j]).collect()))
    }

    /// A square table: its rows are in the order of its columns.
    fn matrix(&mut self, file: &Path) -> Result<Vec<Vec<f64>>, CliError> {
        let (table, names) = read_table(file, self.header)?;
        let order = self.place(file, names.filter(|names| names.len() > 1))?;
        let rows = rows(&table);
        Ok(match order {
            // Another number of rows is for the problem to refuse.
            Some(order) if rows.len() == order.len() => {
                order.iter().map(|&i| order.iter().map(|&j| rows[i][j]).collect()).collect()
            }
            _ => rows,
        })
    }
}

fn rows(table: &Features) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; table.columns()]; table.rows()];
    rows.iter_mut().enumerate().for_each(|(i, row)| table.dense_row(i, row));
    rows
}
