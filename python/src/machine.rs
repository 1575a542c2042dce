//! Kernel machines: from what Python says to a problem on a line.

use crate::error::{adapter as refused, input};
use crate::rows::Rows;
use pathqp::{Line, ParametricQp, Settings};
use pathqp_adapters::adapter::{Axis, Course, Direction};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::{KernelKind, KernelParseError};
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Adapter, AdapterError, Bias};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Problem {
    QuantileSvm,
    CostSvm,
    Kqr,
    Svr,
}

/// A problem and everything that it is made from.
#[derive(Clone, Serialize, Deserialize)]
pub struct Machine {
    pub problem: Problem,
    pub features: Arc<Features>,
    pub response: Vec<f64>,
    pub weights: Option<Vec<f64>>,
    pub kernel: KernelKind,
    pub bias: Bias,
    pub fixed: BTreeMap<String, f64>,
    pub direction: Option<Direction>,
}

/// What Python says of a problem: names and texts as the command line has them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Question {
    problem: String,
    rows: Py<Rows>,
    response: Vec<f64>,
    weights: Option<Vec<f64>>,
    kernel: String,
    bias: (String, f64),
    fixed: BTreeMap<String, f64>,
    direction: Option<(f64, f64)>,
}

impl Question {
    /// The problem that is meant.
    pub fn machine(self) -> PyResult<Machine> {
        let problem = match self.problem.as_str() {
            "quantile-svm" => Problem::QuantileSvm,
            "cost-svm" => Problem::CostSvm,
            "kqr" => Problem::Kqr,
            "svr" => Problem::Svr,
            other => return Err(input(format!("no problem is called {other}"))),
        };
        let bias = match self.bias.0.as_str() {
            "none" => Bias::None,
            "augmented" => Bias::Augmented(self.bias.1),
            "intercept" => Bias::Intercept,
            other => return Err(input(format!("bias = {other}: it must be none, augmented or intercept"))),
        };
        Ok(Machine {
            problem,
            features: self.rows.get().0.clone(),
            response: self.response,
            weights: self.weights,
            kernel: self.kernel.parse().map_err(|error: KernelParseError| input(error))?,
            bias,
            fixed: self.fixed,
            direction: self.direction.map(|(a, b)| Direction::Towards(a, b)),
        })
    }
}

impl Machine {
    /// Quantile regression on the rows.
    pub fn kqr(&self) -> Result<Kqr, AdapterError> {
        Kqr::new(self.features.clone(), self.response.clone(), self.weights.clone(), self.kernel, self.bias)
    }

    /// The cost-asymmetric SVM on the rows.
    pub fn cost_svm(&self) -> Result<CostSvm, AdapterError> {
        CostSvm::new(self.features.clone(), self.response.clone(), self.weights.clone(), self.kernel, self.bias)
    }

    /// The problem; `by_cost`: ε-SVR in the chart of costs.
    pub fn adapter(&self, by_cost: bool) -> Result<Box<dyn Adapter>, AdapterError> {
        let (rows, response, weights) = (self.features.clone(), self.response.clone(), self.weights.clone());
        let (kernel, bias) = (self.kernel, self.bias);
        Ok(match self.problem {
            Problem::QuantileSvm => {
                let lambda = self.fixed.get("lambda").copied().unwrap_or(f64::NAN);
                Box::new(QuantileSvm::new(rows, response, weights, lambda, kernel, bias)?)
            }
            Problem::CostSvm => Box::new(self.cost_svm()?),
            Problem::Kqr => Box::new(self.kqr()?),
            Problem::Svr => {
                let chart = if by_cost { Chart::Cost } else { Chart::Penalty };
                Box::new(Svr::new(rows, response, weights, kernel, bias, chart)?)
            }
        })
    }
}

/// A problem on the line that its path follows.
pub struct Posed {
    pub adapter: Box<dyn Adapter>,
    pub qp: ParametricQp<f64>,
    pub axis: Axis,
    pub ends: [f64; 2],
    pub line: Line<f64>,
}

impl Posed {
    /// Poses a problem of which one parameter varies, as the command line does. An end that is not given is the problem's own.
    pub fn new(machine: &Machine, vary: &str, ends: [Option<f64>; 2], settings: &Settings) -> PyResult<Self> {
        let by_cost = vary == "c" || machine.fixed.contains_key("c");
        let adapter = machine.adapter(by_cost).map_err(refused)?;
        let course = Course { vary: vary.into(), fixed: machine.fixed.clone(), direction: machine.direction };
        let axis = adapter.axis(&course).map_err(refused)?;
        let [low, high] = axis.range;
        if let Some(value) = ends.into_iter().flatten().find(|value| !(low..=high).contains(value)) {
            return Err(input(format!("{vary} = {value}: it must lie between {low} and {high}")));
        }
        let qp = adapter.qp(settings).map_err(refused)?;
        let natural = match ends {
            [Some(_), Some(_)] => ends,
            _ => adapter.ends(&qp, &axis, settings).map_err(refused)?,
        };
        let end = |k: usize| {
            ends[k].or(natural[k]).ok_or_else(|| input(format!("{vary} has no natural end: say where its path ends")))
        };
        let (from, to) = (end(0)?, end(1)?);
        let (from, to) = if axis.rising { (from.min(to), from.max(to)) } else { (from, to) };
        if from == to {
            return Err(input(format!("the path from {vary} = {from} to {to} has no length")));
        }
        let line = match to.is_finite() {
            true => qp.line(&axis.theta(from), &axis.theta(to)),
            false => qp.ray(&axis.theta(from), &axis.direction),
        };
        Ok(Posed { adapter, axis, ends: [from, to], line: line.map_err(crate::error::problem)?, qp })
    }
}
