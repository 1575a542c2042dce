//! Trend filtering on the command line and in Python.

use super::{Difference, TrendFiltering, TrendFit};
use crate::course::{Axis, Parameter};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec, Table};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "lambda", range: [0.0, f64::INFINITY] }];

/// The entry of `trend-filtering`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Signal,
    options: &[
        Opt::new("order", "K", Kind::Whole, "The degree of the polynomial pieces: 0 for constant ones (the fused lasso), 1 for linear ones, and so on")
            .or("0"),
        Opt::new(
            "edges",
            "FILE",
            Kind::Table(true),
            "A graph instead of the chain: a table with a header row and two columns, the numbers of the two rows of the signal that each edge joins; the first row is 1",
        )
        .without(&["order"]),
        Opt::new(
            "matrix",
            "FILE",
            Kind::Table(false),
            "Any penalty matrix D instead of the chain: a table without a header row, one column per value of the signal",
        )
        .without(&["order", "edges"]),
        Opt::new("lambda", "L", Kind::Number(Limits::NotNegative), "The value of lambda at which the fitted signal and its knots are printed"),
    ],
    ..Entry::new(
        "trend-filtering",
        "Trend filtering and the fused lasso: the fit to a signal at every penalty lambda",
        &["lambda"],
        |spec, _| Ok(Box::new(pose(spec)?)),
    )
};

/// The problem that a description means.
fn pose(spec: &Spec) -> Result<TrendFiltering, AdapterError> {
    let signal = spec.rows.response.clone();
    let order = spec.number("order").unwrap_or(0.0) as usize;
    match (spec.tables.get("edges"), spec.tables.get("matrix")) {
        (Some(table), _) => TrendFiltering::graph(&edges(table, signal.len())?, signal),
        (None, Some(table)) => TrendFiltering::new(matrix(table, signal.len())?, signal),
        (None, None) => TrendFiltering::chain(order, signal),
    }
}

/// The values that each edge joins, from zero.
fn edges(table: &Table, values: usize) -> Result<Vec<(usize, usize)>, AdapterError> {
    if table.values.columns() != 2 {
        let (table, found, what) = ("edges", table.values.columns(), "the ends of an edge");
        return Err(AdapterError::TableColumns { table, found, expected: 2, what });
    }
    let end = |v: f64| (v.fract() == 0.0 && v >= 1.0 && v <= values as f64).then(|| v as usize - 1);
    let edge = |(i, row): (usize, &Vec<f64>)| match (end(row[0]), end(row[1])) {
        (Some(from), Some(to)) if from != to => Ok((from, to)),
        _ => Err(AdapterError::Edge { edge: i + 1, a: row[0], b: row[1], rows: values }),
    };
    table.rows().iter().enumerate().map(edge).collect()
}

/// The rows of any D.
fn matrix(table: &Table, values: usize) -> Result<Vec<Difference>, AdapterError> {
    if table.values.columns() != values {
        let (table, found, what) = ("matrix", table.values.columns(), "one for each value of the signal");
        return Err(AdapterError::TableColumns { table, found, expected: values, what });
    }
    let row = |i: usize| {
        let mut row = Vec::new();
        table.values.row(i).for_each(|j, v| row.extend((v != 0.0).then_some((j, v))));
        row
    };
    Ok((0..table.values.rows()).map(row).collect())
}

impl TrendFit {
    /// The fit by name, as it is printed.
    fn value(self) -> Value {
        let TrendFit { lambda, fitted, knots, objective, dual_objective } = self;
        Value::Record(vec![
            ("lambda", lambda.into()),
            ("fitted", fitted.into()),
            ("knots", Value::Indices(knots)),
            ("objective", objective.into()),
            ("dual_objective", dual_objective.into()),
        ])
    }
}

impl PathProblem for TrendFiltering {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    /// From zero to where nothing happens any more.
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
        Ok(if theta == [0.0] { self.start() } else { Start::Anywhere })
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let fit = self.fit(theta.first().copied().unwrap_or(f64::NAN), &point.x);
        Solution {
            objective: fit.objective,
            dual_objective: Some(fit.dual_objective),
            values: vec![("fitted", fit.fitted.into()), ("knots", Value::Indices(fit.knots))],
            further: Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Group> {
        let names = (1..=self.response.len()).map(|i| format!("b{i}")).collect();
        vec![Group::named("fitted", "β", names)]
    }

    /// Where D has dependent rows u may grow for ever while β does not change.
    fn may_diverge(&self) -> bool {
        true
    }

    fn view(&self) -> View<'_> {
        View::Signal { observed: &self.response, places: None }
    }

    fn facts(&self, spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (values, differences) = (self.response.len(), self.differences.len());
        let is_chain = spec.tables.is_empty();
        let order = is_chain.then(|| spec.number("order").unwrap_or(0.0) as usize);
        let what = order.map_or("a graph or matrix".to_owned(), |order| format!("a chain, order {order}"));
        let fit = spec.number("lambda").and_then(|lambda| self.at(path, lambda));
        let mut facts = vec![
            Fact::value("values", values),
            Fact::value("differences", differences),
            Fact::value("order", order),
            Fact::value("lambda_max", path.is_endless().then(|| *path.end())),
            Fact::text("size", format!("{values} values, {differences} differences of {what}")),
        ];
        facts.extend(fit.as_ref().map(|fit| {
            let shown: Vec<String> = fit.knots.iter().take(20).map(|knot| (knot + 1).to_string()).collect();
            let more = if fit.knots.len() > shown.len() { ", …" } else { "" };
            let text = format!("{} knots: {}{more}", fit.knots.len(), shown.join(", "));
            Fact::text(format!("at lambda = {}", fit.lambda), text)
        }));
        facts.push(Fact::value("fit", fit.map_or(Value::Missing, TrendFit::value)));
        Ok(facts)
    }
}
