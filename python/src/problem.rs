//! From what Python says to a description, and from there to a problem on a line.

use crate::error::{adapter as refused, input};
use crate::rows::Rows;
use pathqp::Settings;
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::course::Direction;
use pathqp_adapters::kernel::KernelParseError;
use pathqp_adapters::kernel_choice::KernelChoice;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::problems::PROBLEMS;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::{Entry, Rows as DataRows, Spec, Table};
use pathqp_adapters::{AdapterError, Bias};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// A table beside the rows.
#[derive(FromPyObject)]
enum Given {
    Rows(Py<Rows>),
    Lists(Vec<Vec<f64>>),
}

/// What Python says of a problem: names and texts as the command line has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Question {
    problem: String,
    rows: Option<Py<Rows>>,
    response: Vec<f64>,
    weights: Option<Vec<f64>>,
    kernel: String,
    bias: (String, f64),
    fixed: BTreeMap<String, f64>,
    direction: Option<(f64, f64)>,
    numbers: BTreeMap<String, f64>,
    lists: BTreeMap<String, Vec<f64>>,
    words: BTreeMap<String, String>,
    tables: BTreeMap<String, Given>,
    names: Option<Vec<String>>,
}

impl Question {
    /// The description that is meant.
    pub fn spec(self) -> PyResult<Spec> {
        let bias = match self.bias.0.as_str() {
            "none" => Bias::None,
            "augmented" => Bias::Augmented(self.bias.1),
            "intercept" => Bias::Intercept,
            other => return Err(input(format!("bias = {other}: it must be none, augmented or intercept"))),
        };
        let table = |name: &str, given: Given| match given {
            Given::Rows(rows) => Ok(Table { names: None, values: rows.get().0.as_ref().clone() }),
            Given::Lists(rows) => match rows.iter().position(|row| row.len() != rows[0].len()) {
                Some(i) => Err(input(format!(
                    "row {i} of {name} has {} numbers, and row 0 has {}: give as many in each",
                    rows[i].len(),
                    rows[0].len()
                ))),
                None => Ok(Table::new(&rows)),
            },
        };
        let table = |(name, given): (String, Given)| table(&name, given).map(|table| (name, table));
        let features = self.rows.map_or_else(|| DataRows::default().features, |rows| rows.get().0.clone());
        let kernel: KernelChoice = self.kernel.parse().map_err(|error: KernelParseError| input(error))?;
        Ok(Spec {
            problem: self.problem,
            kernel: kernel.on(&features, self.weights.as_deref()),
            bias,
            fixed: self.fixed,
            direction: self.direction.map(|(a, b)| Direction::Towards(a, b)),
            numbers: self.numbers,
            lists: self.lists,
            words: self.words,
            tables: self.tables.into_iter().map(table).collect::<PyResult<_>>()?,
            names: self.names,
            rows: DataRows { features, response: self.response, weights: self.weights },
        })
    }
}

/// The engine's settings with as many threads as are asked for; more than there are cores are of no use.
pub fn settings(threads: usize, max_events: Option<usize>) -> Settings {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    Settings { threads: threads.clamp(1, cores), max_events, ..Settings::default() }
}

/// What is known of a problem.
pub fn entry(name: &str) -> Result<&'static Entry, AdapterError> {
    PROBLEMS.iter().find(|entry| entry.name == name).ok_or_else(|| AdapterError::NoProblem { name: name.into() })
}

/// Poses a problem of which one parameter varies, as the command line does. An end that is not given is the problem's own.
pub fn pose(spec: &Spec, vary: &str, ends: [Option<f64>; 2], settings: &Settings) -> PyResult<Posed> {
    let posed = Posed::new(entry(&spec.problem).map_err(refused)?, spec, (vary, ends[0], ends[1]), settings);
    let posed = posed.map_err(refused)?;
    if let [Some(from), Some(to)] = ends
        && from == to
    {
        return Err(input(format!("the path from {vary} = {from} to {to} has no length")));
    }
    Ok(posed)
}

/// Quantile regression on the rows of a description.
pub fn kqr(spec: &Spec) -> Result<Kqr, AdapterError> {
    let rows = spec.rows.clone();
    Kqr::new(rows.features, rows.response, rows.weights, spec.kernel, spec.bias)
}

/// The cost-asymmetric SVM on the rows of a description.
pub fn cost_svm(spec: &Spec) -> Result<CostSvm, AdapterError> {
    let rows = spec.rows.clone();
    CostSvm::new(rows.features, rows.response, rows.weights, spec.kernel, spec.bias)
}

/// Refuses rows and tables that were damaged while they were pickled.
pub fn check(spec: &Spec) -> PyResult<()> {
    let tables = spec.tables.values().map(|table| &table.values);
    let mut all = [spec.rows.features.as_ref()].into_iter().chain(tables);
    all.find_map(|features| features.violations().first().map(input)).map_or(Ok(()), Err)
}
