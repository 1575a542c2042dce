//! What only efficient portfolios are asked.

use crate::error::{adapter as refused, input};
use crate::path::ProblemPath;
use crate::report::numbers;
use crate::rows::Rows;
use numpy::PyArray1;
use pathqp::Certificate;
use pathqp_adapters::critical_line::{self, CriticalLine, Portfolio};
use pathqp_adapters::view::View;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// A portfolio, the kind of answer, and what to know of it.
type MaxSharpe<'py> = (Option<Bound<'py, PyDict>>, &'static str, Option<String>);

fn shown<'py>(py: Python<'py>, portfolio: &Portfolio, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("value", portfolio.t)?;
    out.set_item("w", PyArray1::from_vec(py, portfolio.weights.clone()))?;
    out.set_item("mean", portfolio.mean)?;
    out.set_item("variance", portfolio.variance)?;
    out.set_item("risk", portfolio.variance.max(0.0).sqrt())?;
    out.set_item("sharpe", portfolio.sharpe(risk_free))?;
    Ok(out)
}

fn problem(path: &ProblemPath) -> PyResult<&CriticalLine> {
    match path.posed.problem.view() {
        View::Portfolio(problem) => Ok(problem),
        _ => Err(input("only a path of portfolios has them")),
    }
}

/// The portfolio with a given return, with its certificate.
#[pyfunction]
pub fn with_return<'py>(
    py: Python<'py>,
    path: &ProblemPath,
    mean: f64,
    risk_free: f64,
) -> PyResult<Bound<'py, PyDict>> {
    certified(py, path, &problem(path)?.with_return(&path.kept.path, mean).map_err(refused)?, risk_free)
}

/// The portfolio with a given risk, with its certificate.
#[pyfunction]
pub fn with_risk<'py>(py: Python<'py>, path: &ProblemPath, risk: f64, risk_free: f64) -> PyResult<Bound<'py, PyDict>> {
    certified(py, path, &problem(path)?.with_risk(&path.kept.path, risk).map_err(refused)?, risk_free)
}

fn certified<'py>(
    py: Python<'py>,
    path: &ProblemPath,
    found: &Portfolio,
    risk_free: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let out = shown(py, found, risk_free)?;
    if let Some(point) = path.kept.path.at_parameter(&[found.t]) {
        numbers(&out, &Certificate::of(&path.posed.line, &point))?;
    }
    Ok(out)
}

/// The portfolio with the largest Sharpe ratio, what kind of answer that is, and what to know of it.
#[pyfunction]
pub fn max_sharpe<'py>(py: Python<'py>, path: &ProblemPath, risk_free: f64) -> PyResult<MaxSharpe<'py>> {
    let found = problem(path)?.max_sharpe(&path.kept.path, risk_free);
    let portfolio = found.portfolio.as_ref().map(|portfolio| shown(py, portfolio, risk_free)).transpose()?;
    Ok((portfolio, found.case.name(), found.caution(risk_free)))
}

/// What makes a table of returns look like prices; none if nothing does.
#[pyfunction]
pub fn looks_like_prices(rows: &Rows) -> Option<String> {
    critical_line::looks_like_prices(&rows.0).map(|prices| prices.to_string())
}

/// The returns of prices, one row less.
#[pyfunction]
pub fn returns_of_prices(rows: &Rows) -> PyResult<Rows> {
    critical_line::returns_of_prices(&rows.0).map(|returns| Rows(Arc::new(returns))).map_err(refused)
}
