//! What is told of any path or model.

use crate::rows::matrix;
use numpy::PyArray1;
use pathqp::certificate::{Verdict, along, breakpoints, sample};
use pathqp::{Certificate, Line, Path, Status, Stop};
use pathqp_adapters::Model;
use pathqp_adapters::problem::Constant;
use pathqp_adapters::value::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The reason for which a path ended.
pub fn stop_name(stop: Option<&Stop<f64>>) -> &'static str {
    match stop {
        Some(Stop::Target) => "target",
        Some(Stop::Infeasible { .. }) => "infeasible",
        Some(Stop::Unbounded { .. }) => "unbounded",
        Some(Stop::Diverges { .. }) => "diverges",
        Some(Stop::EventLimit { .. }) => "max-events",
        Some(Stop::Asked { .. }) => "interrupted",
        None => "error",
    }
}

/// What a path cost.
pub fn stats<'py>(py: Python<'py>, path: &Path<f64>) -> PyResult<Bound<'py, PyDict>> {
    let (counts, stats) = (PyDict::new(py), path.stats());
    counts.set_item("breakpoints", path.breakpoints().len())?;
    for (name, count) in [
        ("events", stats.events),
        ("exchanges", stats.exchanges),
        ("jumps", stats.jumps),
        ("max_tied", stats.max_tied),
        ("max_free", stats.max_free),
        ("appends", stats.appends),
        ("deletes", stats.deletes),
        ("refactors", stats.refactors.residual + stats.refactors.audit),
    ] {
        counts.set_item(name, count)?;
    }
    counts.set_item("priced", stats.priced)?;
    Ok(counts)
}

/// The verdict on a path at (at most) so many of its events; `value` is that of the parameter at a position.
pub fn certificate<'py>(
    py: Python<'py>,
    (path, line, points): (&Path<f64>, &Line<f64>, usize),
    value: impl Fn(f64) -> f64 + Sync,
) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| along(path, line, &sample(breakpoints(path), points), 1, &|_| true));
    verdict(py, &found, |t| Ok(value(t).into_pyobject(py)?.into_any()))
}

/// Adds a value by its name.
pub fn put(out: &Bound<'_, PyDict>, name: &str, value: &Value) -> PyResult<()> {
    out.set_item(name, shown(out.py(), value)?)
}

/// A value as Python has it: lists of numbers are arrays.
fn shown<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Missing => py.None().into_bound(py),
        Value::Number(number) => number.into_pyobject(py)?.into_any(),
        Value::Count(count) => count.into_pyobject(py)?.into_any(),
        Value::Truth(truth) => truth.into_pyobject(py)?.to_owned().into_any(),
        Value::Text(text) => text.into_pyobject(py)?.into_any(),
        Value::Texts(texts) => texts.into_pyobject(py)?.into_any(),
        Value::Numbers(numbers) => PyArray1::from_slice(py, numbers).into_any(),
        Value::Indices(indices) => PyArray1::from_slice(py, indices).into_any(),
        Value::Table(rows) => matrix(py, rows.concat(), [rows.len(), rows.first().map_or(0, Vec::len)])?,
        Value::Constant(Constant::Unique(value), _) => value.into_pyobject(py)?.into_any(),
        Value::Constant(Constant::Interval([low, high]), _) => {
            (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)).into_pyobject(py)?.into_any()
        }
        Value::Record(entries) => {
            let record = PyDict::new(py);
            entries.iter().try_for_each(|(name, value)| put(&record, name, value))?;
            record.into_any()
        }
        Value::List(values) => {
            let values = values.iter().map(|value| shown(py, value)).collect::<PyResult<Vec<_>>>()?;
            values.into_pyobject(py)?.into_any()
        }
    })
}

/// The two numbers of a certificate that decide.
pub fn numbers(out: &Bound<'_, PyDict>, certificate: &Certificate<f64>) -> PyResult<()> {
    out.set_item("relative_gap", certificate.relative_gap)?;
    out.set_item("kkt_residual", certificate.kkt_residual())
}

/// A verdict; `place` is where a position lies.
pub fn verdict<'py>(
    py: Python<'py>,
    found: &Verdict,
    place: impl Fn(f64) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("points", found.points)?;
    out.set_item("kkt_residual", found.residual)?;
    out.set_item("relative_gap", found.gap)?;
    out.set_item("residual_at", place(found.residual_at)?)?;
    out.set_item("gap_at", place(found.gap_at)?)?;
    out.set_item("holds", found.holds())?;
    Ok(out)
}

/// The changes of status along a path: position, variable, new status (−1, 0, 1 for lower, free, upper), whether at a breakpoint.
pub fn changes(path: &Path<f64>) -> (Vec<f64>, Vec<u32>, Vec<i8>, Vec<bool>) {
    let mut all = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (k, segment) in path.segments().iter().enumerate().skip(1) {
        for &(variable, status) in path.changes_on(k) {
            all.0.push(segment.t);
            all.1.push(variable);
            all.2.push(match status {
                Status::Lower => -1,
                Status::Free => 0,
                Status::Upper => 1,
            });
            all.3.push(segment.breakpoint);
        }
    }
    all
}

/// The entries of a model that need no certificate.
pub fn describe(out: &Bound<'_, PyDict>, model: &Model) -> PyResult<()> {
    let py = out.py();
    out.set_item("theta", model.theta.clone())?;
    out.set_item("alpha", PyArray1::from_vec(py, model.alpha.clone()))?;
    out.set_item("w", model.function.w.clone().map(|w| PyArray1::from_vec(py, w)))
}
