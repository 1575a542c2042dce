//! Trend filtering and every other generalised lasso: a signal whose differences are few, at every penalty λ.
//!
//! *Primal* (Tibshirani and Taylor 2011, "The solution path of the generalized lasso", doi:10.1214/11-AOS878, with X = I):
//!
//! ```text
//! min over β   ½ ‖y − β‖² + λ ‖Dβ‖₁
//! ```
//!
//! D has one row a penalised difference. On a chain the *order* k is that of the piecewise polynomial β (Tibshirani 2014, doi:10.1214/13-AOS1189; Kim,
//! Koh, Boyd and Gorinevsky 2009, doi:10.1137/070690274): D takes differences k + 1 times, so k = 0 is the fused lasso (Tibshirani, Saunders, Rosset, Zhu and
//! Knight 2005, doi:10.1111/j.1467-9868.2005.00490.x), k = 1 is piecewise linear. On a graph the rows are β_a − β_b, one an edge; any other D may be given.
//!
//! *Dual* (their eq. 13): β = y − Dᵀu, and u minimises ½ uᵀDDᵀu − (Dy)ᵀu for −λ ≤ u ≤ λ.
//!
//! *Map to the engine*: x = u, θ = λ ∈ [0, ∞), H = DDᵀ, c = −Dy, l = −λ, u = λ, no row. z = DDᵀu − Dy = −Dβ, so a row of D is at its bound ±λ where
//! Dβ has that sign (a *knot*), and free where Dβ = 0. Where D has dependent rows u is not unique, and β, which is unique, does not show it.
//!
//! *Which way*: Tibshirani and Taylor go down from λ = ∞, where every u is free: F is all of D. Up from λ = 0, where u = 0 and β = y, F is empty and the
//! status of every row is the sign of Dy; t is λ itself, and so known to rounding of λ. The path is the same. Beyond the last breakpoint, [`TrendFiltering::path`]'s end,
//! Dβ = 0.
//!
//! *On a chain* DDᵀ has k + 2 diagonals on either side and in the middle, and F, however large, is factored in the band. Its condition grows like (2n/π)^(2k + 2); where that
//! passes 10¹³ the rows of D are factored instead, which keeps half the digits and costs O(n|F|) an event.

use crate::course::{Axis, Parameter};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec, Table};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::hessian::{Banded, Gram, Rows};
use pathqp::observe::Observer;
use pathqp::{
    Affine, Hessian, Line, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Status, trace,
};
use std::sync::Arc;

/// A row of D: columns and entries.
pub type Difference = Vec<(usize, f64)>;

/// The largest condition of DDᵀ at which its band is factored.
const WORST_BAND: f64 = 1e13;

/// Dβ counts as zero up to this part of the terms it is made of.
const FLAT: f64 = 1e-9;

/// A generalised lasso for a signal of n values, with m rows of D.
#[derive(Clone)]
pub struct TrendFiltering {
    differences: Vec<Difference>,
    response: Vec<f64>,
    hessian: Arc<dyn Hessian<f64>>,
}

/// A solution.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TrendFit {
    /// λ.
    pub lambda: f64,
    /// β, n values.
    pub fitted: Vec<f64>,
    /// The rows of D, from zero, where Dβ is not zero. On a chain of order k row i is the difference at i, …, i + k + 1.
    pub knots: Vec<usize>,
    /// The primal objective.
    pub objective: f64,
    /// The dual one: ½‖y‖² − ½‖β‖².
    pub dual_objective: f64,
}

impl TrendFiltering {
    /// Any D, row by row; columns count from zero.
    ///
    /// # Errors
    /// No rows, a column that the response does not have, a response that is not finite, and entries that are not.
    pub fn new(differences: Vec<Difference>, response: Vec<f64>) -> Result<Self, AdapterError> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &differences {
            let mut row = row.clone();
            row.sort_by_key(|entry| entry.0);
            indices.extend(row.iter().map(|entry| u32::try_from(entry.0).unwrap_or(u32::MAX)));
            values.extend(row.iter().map(|entry| entry.1));
            starts.push(indices.len());
        }
        let rows = Rows::Sparse { columns: response.len(), starts, indices, values };
        let hessian = Arc::new(Gram::new(differences.len(), rows, 1.0)?);
        Self::with(differences, response, hessian)
    }

    /// A chain in the order of the values, for piecewise polynomials of order k: the (k + 1)-th differences.
    ///
    /// # Errors
    /// Fewer than k + 2 values, and one that is not finite.
    pub fn chain(order: usize, response: Vec<f64>) -> Result<Self, AdapterError> {
        let Some(m) = response.len().checked_sub(order + 1).filter(|m| *m > 0) else {
            return Err(AdapterError::ShortSignal { order, values: response.len() });
        };
        let mut stencil = vec![1.0];
        for _ in 0..=order {
            let shifted = [0.0].iter().chain(&stencil).copied().collect::<Vec<f64>>();
            stencil.push(0.0);
            stencil.iter_mut().zip(shifted).for_each(|(a, b)| *a = b - *a);
        }
        let row = |i: usize| stencil.iter().enumerate().map(|(k, v)| (i + k, *v)).collect();
        let differences = (0..m).map(row).collect();
        let condition = (2.0 * response.len() as f64 / std::f64::consts::PI).powf(2.0 * order as f64 + 2.0);
        if condition > WORST_BAND {
            return Self::new(differences, response);
        }
        let overlap = |k: usize| stencil.iter().zip(&stencil[k..]).map(|(a, b)| a * b).sum::<f64>();
        let band: Vec<f64> = (0..stencil.len()).map(overlap).collect();
        let in_range = |i: usize| band.iter().enumerate().map(move |(k, h)| if i + k < m { *h } else { 0.0 }).collect();
        let hessian = Arc::new(Banded::new((0..m).map(in_range).collect())?);
        Self::with(differences, response, hessian)
    }

    /// A graph: β_a − β_b for each edge (a, b).
    ///
    /// # Errors
    /// As [`TrendFiltering::new`].
    pub fn graph(edges: &[(usize, usize)], response: Vec<f64>) -> Result<Self, AdapterError> {
        Self::new(edges.iter().map(|&(a, b)| vec![(a, 1.0), (b, -1.0)]).collect(), response)
    }

    fn with(
        differences: Vec<Difference>,
        response: Vec<f64>,
        hessian: Arc<dyn Hessian<f64>>,
    ) -> Result<Self, AdapterError> {
        if let Some(row) = response.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: response[row] });
        }
        if differences.is_empty() {
            return Err(ProblemError::Empty { variables: 0, parameters: 1 }.into());
        }
        Ok(TrendFiltering { differences, response, hessian })
    }

    /// Dv for v of n values.
    fn differences_of(&self, v: &[f64]) -> Vec<f64> {
        self.differences.iter().map(|row| row.iter().map(|(j, d)| d * v[*j]).sum()).collect()
    }

    /// The parametric QP with θ = λ ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let m = self.differences.len();
        let cost = self.differences_of(&self.response).into_iter().map(|d| -d).collect();
        let bound = |slope| Affine::line(vec![0.0; m], vec![slope; m]);
        let qp = ParametricQp::new(self.hessian.clone(), vec![Range::at_least(0.0)], Affine::constant(cost, 1))?;
        Ok(qp.lower(bound(-1.0))?.upper(bound(1.0))?)
    }

    /// All λ from zero on, or up to an end.
    ///
    /// # Errors
    /// As [`TrendFiltering::qp`], and an end that is negative or not finite.
    pub fn line(&self, to: Option<f64>) -> Result<Line<f64>, AdapterError> {
        let qp = self.qp()?;
        Ok(to.map_or_else(|| qp.ray(&[0.0], &[1.0]), |to| qp.line(&[0.0], &[to]))?)
    }

    /// The start at λ = 0: every row at the bound with the sign of Dy.
    pub fn start(&self) -> Start<f64> {
        let side = |d: f64| if d < 0.0 { Status::Lower } else { Status::Upper };
        Start::ActiveSet { status: self.differences_of(&self.response).into_iter().map(side).collect(), y: None }
    }

    /// The path for all λ: it ends with the last breakpoint, and its last law goes on.
    ///
    /// # Errors
    /// As [`TrendFiltering::qp`], and a path that could not be followed.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        Ok(trace(&self.line(None)?, &self.start(), settings, &mut ()).map_err(|failure| failure.0)?)
    }

    /// The solution at λ ≥ 0; none beyond an end of the path.
    pub fn at(&self, path: &Path<f64>, lambda: f64) -> Option<TrendFit> {
        Some(self.fit(lambda, &path.at_parameter(&[lambda])?.x))
    }

    /// What u, m values, stands for.
    pub fn fit(&self, lambda: f64, u: &[f64]) -> TrendFit {
        let mut fitted = self.response.clone();
        for (row, u) in self.differences.iter().zip(u) {
            row.iter().for_each(|(j, d)| fitted[*j] -= d * u);
        }
        let half = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>() / 2.0;
        let off: Vec<f64> = self.response.iter().zip(&fitted).map(|(y, f)| y - f).collect();
        let jumps = self.differences_of(&fitted);
        let size = |i: &usize| self.differences[*i].iter().map(|(j, d)| (d * fitted[*j]).abs()).sum::<f64>();
        TrendFit {
            lambda,
            knots: (0..jumps.len()).filter(|i| jumps[*i].abs() > FLAT * size(i)).collect(),
            objective: half(&off) + lambda * jumps.iter().map(|d| d.abs()).sum::<f64>(),
            dual_objective: half(&self.response) - half(&fitted),
            fitted,
        }
    }
}

const PARAMETERS: [Parameter; 1] = [Parameter { name: "lambda", range: [0.0, f64::INFINITY] }];

/// `trend-filtering`.
pub const ENTRY: Entry = Entry {
    data: Data::Signal,
    options: &[
        Opt::new("order", "K", Kind::Whole, "The order of the polynomials: 0 for constant pieces (the fused lasso), 1 for linear ones, …")
            .or("0"),
        Opt::new(
            "edges",
            "FILE",
            Kind::Table(true),
            "A graph in place of the chain: a table with a row of names and two columns, the rows of the signal (the first is 1) that an edge joins",
        )
        .without(&["order"]),
        Opt::new(
            "matrix",
            "FILE",
            Kind::Table(false),
            "Any D in place of the chain: a table without a row of names, a column for each value of the signal",
        )
        .without(&["order", "edges"]),
        Opt::new("lambda", "L", Kind::Number(Limits::NotNegative), "Also the fitted signal and its knots here"),
    ],
    ..Entry::new(
        "trend-filtering",
        "A signal with few jumps, kinks or differences along edges, at every lambda",
        &["lambda"],
        |spec, _| Ok(Box::new(pose(spec)?)),
    )
};

/// The problem that a description means.
fn pose(spec: &Spec) -> Result<TrendFiltering, AdapterError> {
    let signal = spec.rows.response.clone();
    let order = spec.number("order").unwrap_or(0.0) as usize;
    match (spec.tables.get("edges"), spec.tables.get("matrix")) {
        (Some(table), _) => TrendFiltering::new(edges(table, signal.len())?, signal),
        (None, Some(table)) => TrendFiltering::new(matrix(table, signal.len())?, signal),
        (None, None) => TrendFiltering::chain(order, signal),
    }
}

/// One row of D an edge.
fn edges(table: &Table, values: usize) -> Result<Vec<Difference>, AdapterError> {
    if table.values.columns() != 2 {
        let (table, found, what) = ("edges", table.values.columns(), "the ends of an edge");
        return Err(AdapterError::TableColumns { table, found, expected: 2, what });
    }
    let end = |v: f64| (v.fract() == 0.0 && v >= 1.0 && v <= values as f64).then(|| v as usize - 1);
    let edge = |(i, row): (usize, &Vec<f64>)| match (end(row[0]), end(row[1])) {
        (Some(from), Some(to)) if from != to => Ok(vec![(from, 1.0), (to, -1.0)]),
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
        vec![Group { value: "fitted", symbol: "β", names }]
    }

    /// Where D has dependent rows u may grow for ever while β does not change.
    fn may_diverge(&self) -> bool {
        true
    }

    fn view(&self) -> View<'_> {
        View::Signal { observed: &self.response }
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
