//! Efficient portfolios.

use crate::error::{adapter as refused, input, path as failed};
use crate::report::{certificate, changes, point, stats, stop_name};
use crate::rows::{Rows, matrix, vector};
use crate::watch::apart;
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp::{Follower, Path, Settings, Start};
use pathqp_adapters::critical_line::{CriticalLine, Portfolio, looks_like_prices, returns_of_prices};
use pathqp_adapters::dataset::Features;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is pickled. `given`: mean and covariance, or returns.
#[derive(Serialize, Deserialize)]
struct Kept {
    given: Given,
    lower: Vec<f64>,
    upper: Vec<f64>,
    path: Path<f64>,
}

#[derive(Clone, Serialize, Deserialize)]
enum Given {
    Returns(Features),
    Moments(Vec<f64>, Vec<Vec<f64>>),
}

impl Given {
    fn problem(&self, lower: &[f64], upper: &[f64]) -> PyResult<CriticalLine> {
        match self {
            Given::Returns(rows) => CriticalLine::from_returns(rows, lower.to_vec(), upper.to_vec()),
            Given::Moments(mean, sigma) => {
                CriticalLine::new(mean.clone(), sigma.clone(), lower.to_vec(), upper.to_vec())
            }
        }
        .map_err(refused)
    }
}

/// A portfolio, the kind of answer, and what to know of it.
type MaxSharpe<'py> = (Option<Bound<'py, PyDict>>, &'static str, Option<String>);

/// All efficient portfolios.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct Frontier {
    kept: Kept,
    problem: CriticalLine,
}

fn shown<'py>(py: Python<'py>, portfolio: &Portfolio, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("value", portfolio.t)?;
    out.set_item("w", PyArray1::from_vec(py, portfolio.weights.clone()))?;
    out.set_item("mean", portfolio.mean)?;
    out.set_item("variance", portfolio.variance)?;
    out.set_item("sharpe", portfolio.sharpe(risk_free))?;
    Ok(out)
}

impl Frontier {
    /// A portfolio of the path with its certificate.
    fn certified<'py>(&self, py: Python<'py>, found: &Portfolio, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
        let (out, line) = (shown(py, found, risk_free)?, self.problem.line().map_err(refused)?);
        point(&out, (&self.kept.path, &line), found.t)?;
        Ok(out)
    }
}

#[pymethods]
impl Frontier {
    /// Follows the critical line for all t ≥ 0.
    #[staticmethod]
    fn follow(
        py: Python<'_>,
        returns: Option<Py<Rows>>,
        moments: Option<(Vec<f64>, Vec<Vec<f64>>)>,
        lower: Vec<f64>,
        upper: Vec<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let given = match (returns, moments) {
            (Some(rows), None) => Given::Returns(rows.get().0.as_ref().clone()),
            (None, Some((mean, sigma))) => Given::Moments(mean, sigma),
            _ => return Err(input("give returns, or their mean and covariance")),
        };
        apart(py, progress, move |mut watch| {
            let problem = given.problem(&lower, &upper)?;
            let line = problem.line().map_err(refused)?;
            let ran = Follower::watched(&line, &Start::Anywhere, Settings::default(), &mut watch);
            let ran = ran.and_then(|mut follower| {
                follower.run(&mut watch)?;
                Ok(follower.into_path())
            });
            ran.map_err(failed).map(|path| Frontier { kept: Kept { given, lower, upper, path }, problem })
        })
    }

    /// Why the path ended.
    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(self.kept.path.stop())
    }

    /// From zero on, without end unless the path says otherwise.
    #[getter]
    fn range(&self) -> [f64; 2] {
        [0.0, if self.kept.path.is_endless() { f64::INFINITY } else { *self.kept.path.end() }]
    }

    /// Counters.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats(py, &self.kept.path)
    }

    /// The verdict at (at most) so many of the path's events.
    fn certificate<'py>(&self, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyDict>> {
        let line = self.problem.line().map_err(refused)?;
        certificate(py, (&self.kept.path, &line, points), |t| t)
    }

    /// The t at which the sign pattern changes.
    #[getter]
    fn breakpoints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.kept.path.breakpoints())
    }

    /// All changes of status.
    fn changes<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Vec<u32>, Vec<i8>, Vec<bool>) {
        let (t, variables, status, breakpoints) = changes(&self.kept.path);
        (PyArray1::from_vec(py, t), variables, status, breakpoints)
    }

    /// The portfolio at t.
    fn at<'py>(&self, py: Python<'py>, value: f64, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
        let found = self.problem.at(&self.kept.path, value);
        let found = found.ok_or_else(|| input(format!("t = {value}: it does not lie on the path")))?;
        self.certified(py, &found, risk_free)
    }

    /// The portfolio with a given return.
    fn with_return<'py>(&self, py: Python<'py>, mean: f64, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
        self.certified(py, &self.problem.with_return(&self.kept.path, mean).map_err(refused)?, risk_free)
    }

    /// The portfolio with the largest Sharpe ratio, what kind of answer that is, and what to know of it.
    fn max_sharpe<'py>(&self, py: Python<'py>, risk_free: f64) -> PyResult<MaxSharpe<'py>> {
        let found = self.problem.max_sharpe(&self.kept.path, risk_free);
        let portfolio = found.portfolio.as_ref().map(|portfolio| shown(py, portfolio, risk_free)).transpose()?;
        Ok((portfolio, found.case.name(), found.caution(risk_free)))
    }

    /// What makes a table of returns look like prices; none if nothing does.
    #[staticmethod]
    fn looks_like_prices(rows: &Rows) -> Option<String> {
        looks_like_prices(&rows.0).map(|prices| prices.to_string())
    }

    /// The returns of prices, one row less.
    #[staticmethod]
    fn returns_of_prices(rows: &Rows) -> PyResult<Rows> {
        returns_of_prices(&rows.0).map(|returns| Rows(Arc::new(returns))).map_err(refused)
    }

    /// Weights (k × n), returns and variances (k each) at k values of t.
    fn curves<'py>(&self, py: Python<'py>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyDict>> {
        let values = vector(&values);
        let found: Vec<Portfolio> = values.iter().filter_map(|&t| self.problem.at(&self.kept.path, t)).collect();
        if found.len() != values.len() {
            return Err(input("a value of t does not lie on the path"));
        }
        let out = PyDict::new(py);
        let weights: Vec<Vec<f64>> = found.iter().map(|p| p.weights.clone()).collect();
        out.set_item("w", matrix(py, weights.concat(), [weights.len(), self.kept.lower.len()])?)?;
        out.set_item("mean", PyArray1::from_vec(py, found.iter().map(|p| p.mean).collect()))?;
        out.set_item("variance", PyArray1::from_vec(py, found.iter().map(|p| p.variance).collect()))?;
        Ok(out)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = postcard::to_allocvec(&slf.get().kept).map_err(input)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    /// What was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let kept: Kept = postcard::from_bytes(bytes).map_err(input)?;
        if let Given::Returns(rows) = &kept.given
            && let Some(violation) = rows.violations().first()
        {
            return Err(input(violation));
        }
        let problem = kept.given.problem(&kept.lower, &kept.upper)?;
        match kept.path.n() == kept.lower.len() {
            true => Ok(Frontier { kept, problem }),
            false => Err(input("the path does not belong to its problem")),
        }
    }
}
