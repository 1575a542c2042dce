//! The critical line on the command line and in Python: from tables to portfolios by name.

use super::{Assets, CriticalLine, Portfolio, looks_like_prices, returns_of_prices};
use crate::constraints::Constraints;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Entry, Kind, Limits, Opt, Spec, Table};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, ProblemError, Settings, Start};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "t", range: [0.0, f64::INFINITY] }];

/// The entry of `critical-line`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    options: &[
        Opt::new("train", "FILE.csv", Kind::Table(true), "A table of returns, as fractions (0.01 is 1 %): one row per period, one column per asset")
            .without(&["prices", "mean", "cov"]),
        Opt::new("prices", "FILE.csv", Kind::Table(true), "A table of prices instead, of the same form, from which simple returns are computed")
            .without(&["mean", "cov"]),
        Opt::new("mean", "FILE.csv", Kind::Table(true), "The expected returns: a table with a single row or a single column, one number per asset").with(&["cov"]),
        Opt::new("cov", "FILE.csv", Kind::Table(true), "The covariance of the returns: a square table").with(&["mean"]),
        Opt::new("no-header", "", Kind::Flag, "The tables have no header row; assets are matched by position instead of by name"),
        Opt::new(
            "lower",
            "W|FILE",
            Kind::Bound,
            "The smallest weight: a number for all assets, or a table with one row (its columns matched by name) or one column; -inf for unlimited short sales",
        )
        .or("0"),
        Opt::new("upper", "W|FILE", Kind::Bound, "The largest weight, likewise").or("1"),
        Opt::new(
            "rows",
            "FILE.csv",
            Kind::Rows,
            "Linear constraints on the weights: a table with one row per constraint, one column per asset (by name), and the columns lower and upper with its bounds; an empty bound is none",
        ),
        Opt::new(
            "periods-per-year",
            "K",
            Kind::Number(Limits::Positive),
            "Annualise: multiply the means and the covariance of --train or --prices by the number K of periods in a year",
        )
        .without(&["mean", "cov"]),
        Opt::new("risk-free", "R", Kind::Number(Limits::Finite), "The risk-free return, for Sharpe ratios: per period, or per year with --periods-per-year").or("0"),
        Opt::new("target", "M,…", Kind::List(Limits::Finite), "Also print the efficient portfolios with these expected returns, separated by commas"),
        Opt::new("target-risk", "S,…", Kind::List(Limits::NotNegative), "Also print the efficient portfolios with these risks (standard deviations of the return), separated by commas"),
    ],
    ..Entry::new(
        "critical-line",
        "Efficient portfolios (critical line algorithm): weights at every trade-off t between return and variance",
        &["t"],
        |spec, _| Ok(Box::new(pose(spec)?)),
    )
};

/// The tables, whose columns are put in the order of the first one that has names.
struct Tables<'a> {
    spec: &'a Spec,
    assets: Assets,
    /// The table with the names.
    first: Option<&'static str>,
}

impl<'a> Tables<'a> {
    /// Which columns of a table stand for the assets; none for those that it has, in their order.
    fn place(&mut self, table: &'static str, names: Option<&[String]>) -> Result<Option<Vec<usize>>, AdapterError> {
        let order = self.assets.place(names).map_err(|error| {
            let other = self.first.unwrap_or_default();
            AdapterError::Tables { table, other, error: Box::new(error) }
        })?;
        if names.is_some() {
            self.first.get_or_insert(table);
        }
        Ok(order)
    }

    fn get(&self, table: &'static str) -> Option<&'a Table> {
        self.spec.tables.get(table)
    }

    /// A table of one row or one column. Only a row has a name for each number, and a single number needs none.
    fn vector(&mut self, name: &'static str, table: &Table) -> Result<Vec<f64>, AdapterError> {
        if table.values.rows() > 1 && table.values.columns() != 1 {
            let what = "each row of a list of numbers";
            let error = ProblemError::Shape { what, expected: 1, found: table.values.columns() };
            return Err(AdapterError::Table { table: name, error: Box::new(error.into()) });
        }
        let order = self.place(name, table.names.as_deref().filter(|names| names.len() > 1))?;
        let numbers = table.rows().concat();
        let Some(order) = order else { return Ok(numbers) };
        if numbers.len() != order.len() {
            let error = ProblemError::Shape { what: "a list of numbers", expected: order.len(), found: numbers.len() };
            return Err(AdapterError::Table { table: name, error: Box::new(error.into()) });
        }
        Ok(order.iter().map(|&j| numbers[j]).collect())
    }

    /// A square table: its rows are in the order of its columns.
    fn matrix(&mut self, name: &'static str, table: &Table) -> Result<Vec<Vec<f64>>, AdapterError> {
        let order = self.place(name, table.names.as_deref().filter(|names| names.len() > 1))?;
        let rows = table.rows();
        Ok(match order {
            // Another number of rows is for the problem to refuse.
            Some(order) if rows.len() == order.len() => {
                order.iter().map(|&i| order.iter().map(|&j| rows[i][j]).collect()).collect()
            }
            _ => rows,
        })
    }

    /// A number for all assets, or one for each.
    fn bound(&mut self, name: &'static str, or: f64, n: usize) -> Result<Vec<f64>, AdapterError> {
        match self.get(name) {
            Some(table) => self.vector(name, table),
            None => Ok(vec![self.spec.number(name).unwrap_or(or); n]),
        }
    }
}

/// The problem that the tables describe.
fn pose(spec: &Spec) -> Result<CriticalLine, AdapterError> {
    let mut tables = Tables { spec, assets: Assets::default(), first: None };
    let of = |table: &'static str| move |error: AdapterError| AdapterError::Table { table, error: Box::new(error) };
    let returns = ["train", "prices"].into_iter().find_map(|name| Some((name, tables.get(name)?)));
    let moments = tables.get("mean").zip(tables.get("cov"));
    let posed = match (returns, moments) {
        (Some((name, table)), _) => {
            tables.place(name, table.names.as_deref())?;
            let returns = match name {
                "prices" => returns_of_prices(&table.values).map_err(of(name))?,
                _ => table.values.clone(),
            };
            let n = returns.columns();
            let (lower, upper) = (tables.bound("lower", 0.0, n)?, tables.bound("upper", 1.0, n)?);
            let periods = spec.number("periods-per-year").unwrap_or(1.0);
            CriticalLine::from_returns_over(&returns, periods, lower, upper).map_err(of(name))?
        }
        (None, Some((mean, covariance))) => {
            let (mean, covariance) = (tables.vector("mean", mean)?, tables.matrix("cov", covariance)?);
            let n = mean.len();
            let (lower, upper) = (tables.bound("lower", 0.0, n)?, tables.bound("upper", 1.0, n)?);
            CriticalLine::new(mean, covariance, lower, upper).map_err(of("mean"))?
        }
        (None, None) => {
            let needed = "a table of returns, one of prices, or expected returns with their covariance";
            return Err(AdapterError::TableMissing { table: "train, prices, or mean with cov", needed });
        }
    };
    let n = posed.mean.len();
    let rows = Constraints::of(spec, (n, "one an asset"), |names| tables.place("rows", names))?;
    let names = tables.assets.names().filter(|names| names.len() == n);
    let names = names.map_or_else(|| (1..=n).map(|j| format!("w{j}")).collect(), <[String]>::to_vec);
    let posed = CriticalLine { names, risk_free: spec.number("risk-free").unwrap_or(0.0), ..posed };
    match rows {
        Some(rows) => posed.with_rows(rows),
        None => Ok(posed),
    }
}

impl CriticalLine {
    /// The risk-free return that Sharpe ratios are computed with.
    pub fn risk_free(&self) -> f64 {
        self.risk_free
    }

    /// A portfolio by name, as it is printed; t and the Sharpe ratio are null where there is none.
    fn value(&self, portfolio: &Portfolio) -> Value {
        Value::Record(self.values(portfolio))
    }

    fn values(&self, portfolio: &Portfolio) -> Vec<(&'static str, Value)> {
        let sharpe = Some(portfolio.sharpe(self.risk_free)).filter(|sharpe| sharpe.is_finite());
        vec![
            ("t", portfolio.t.into()),
            ("weights", portfolio.weights.clone().into()),
            ("return", portfolio.mean.into()),
            ("variance", portfolio.variance.into()),
            ("risk", portfolio.variance.max(0.0).sqrt().into()),
            ("sharpe", sharpe.into()),
        ]
    }

    fn text(&self, portfolio: &Portfolio) -> String {
        let held = portfolio.weights.iter().filter(|w| **w != 0.0).count();
        let (risk, sharpe) = (portfolio.variance.max(0.0).sqrt(), portfolio.sharpe(self.risk_free));
        let sharpe = if sharpe.is_finite() { format!("{sharpe:.6}") } else { "none".into() };
        let at = if portfolio.t.is_nan() { "not efficient".into() } else { format!("t = {:.6e}", portfolio.t) };
        format!("return {:.6e}, risk {risk:.6e}, Sharpe ratio {sharpe}, {held} assets, {at}", portfolio.mean)
    }
}

impl PathProblem for CriticalLine {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    /// Followed upwards, whichever way it is asked for.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        Ok(Axis { rising: true, ..coordinate_axis(&PARAMETERS, course)? })
    }

    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(0.0), Some(f64::INFINITY)])
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(theta.first().map_or(Start::Anywhere, |t| self.start_at(*t)))
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let t = theta.first().copied().unwrap_or(f64::NAN);
        let portfolio = self.portfolio(t, point.x.clone());
        let objective = portfolio.variance / 2.0 - t * portfolio.mean;
        let mut values = self.values(&portfolio);
        values.extend(self.rows().map(|_| ("y", self.multipliers(point).into())));
        Solution { objective, dual_objective: None, values, further: Vec::new() }
    }

    fn columns(&self) -> Vec<Group> {
        let weights = Group { of_features: true, ..Group::named("weights", "w", self.names.clone()) };
        [weights].into_iter().chain(["return", "variance", "sharpe"].map(Group::single)).collect()
    }

    /// The return may grow for ever.
    fn may_diverge(&self) -> bool {
        true
    }

    fn view(&self) -> View<'_> {
        View::Portfolio(self)
    }

    fn facts(&self, spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let sharpe = self.max_sharpe(path, self.risk_free);
        let turning = self.turning_points(path);
        let least = turning.iter().min_by(|a, b| a.variance.total_cmp(&b.variance));
        let list = |name: &str| spec.lists.get(name).into_iter().flatten();
        let returns = list("target").map(|mean| self.with_return(path, *mean));
        let risks = list("target-risk").map(|risk| self.with_risk(path, *risk));
        let targets = returns.chain(risks).collect::<Result<Vec<Portfolio>, _>>()?;
        let value = |portfolio: Option<&Portfolio>| portfolio.map_or(Value::Missing, |p| self.value(p));
        let constraints = self.rows().map(Constraints::count);
        let constrained = constraints.map_or(String::new(), |m| format!(", {m} rows"));
        let mut facts = vec![
            Fact::value("assets", Value::Texts(self.names.clone())),
            Fact::value("risk_free", self.risk_free),
            Fact::value("least_variance", value(least)),
            Fact::value("max_sharpe", value(sharpe.portfolio.as_ref())),
            Fact::value("max_sharpe_case", sharpe.case.name()),
            Fact::value("largest_return", sharpe.largest_return),
            Fact::value("at", Value::List(targets.iter().map(|portfolio| self.value(portfolio)).collect())),
            Fact::text("assets", format!("{}{constrained}, risk-free return {}", self.mean.len(), self.risk_free)),
        ];
        let named = [("least variance", least), ("best Sharpe", sharpe.portfolio.as_ref())];
        facts.extend(named.into_iter().filter_map(|(name, portfolio)| Some(Fact::text(name, self.text(portfolio?)))));
        facts.extend(targets.iter().map(|portfolio| Fact::text("asked", self.text(portfolio))));
        facts.extend(constraints.map(|m| Fact::value("constraints", m)));
        facts.extend(sharpe.caution(self.risk_free).map(Fact::warning));
        let prices = spec.tables.get("train").and_then(|table| looks_like_prices(&table.values));
        facts.extend(prices.map(|prices| {
            let what = "give prices by --prices {file} in place of --train, and disregard this if they are returns";
            Fact::warning(format!("{prices}; {what}"))
        }));
        Ok(facts)
    }
}
