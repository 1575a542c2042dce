//! Class moments, and linear classifiers from them.

use crate::error::{input, moments as refused};
use crate::rows::{Rows, matrix, vector};
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp_adapters::moments::minimise::{Minimum, Settings};
use pathqp_adapters::moments::{Accumulator, ClassMoments, Fit, Moments as Known, Objective, fit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Counts, means and covariances of two classes while rows arrive.
#[pyclass(module = "pathqp._pathqp")]
pub struct Moments(Accumulator);

#[pymethods]
impl Moments {
    /// No rows yet, of so many columns.
    #[new]
    fn new(columns: usize) -> Self {
        Moments(Accumulator::new(columns))
    }

    /// Takes up rows with their labels, +1 or −1.
    fn absorb(&mut self, py: Python<'_>, rows: &Rows, labels: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (labels, rows) = (vector(&labels), rows.0.clone());
        py.detach(|| self.0.absorb(&rows, &labels)).map_err(refused)
    }

    /// Takes up what another one has seen.
    fn merge(&mut self, other: &Bound<'_, Moments>) -> PyResult<()> {
        match other.try_borrow() {
            Ok(other) => self.0.merge(&other.0),
            Err(_) => self.0.merge(&self.0.clone()),
        }
        Ok(())
    }

    /// The numbers of rows of the classes −1 and +1.
    #[getter]
    fn counts(&self) -> [u64; 2] {
        [self.0.negative.count(), self.0.positive.count()]
    }

    /// The number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.0.negative.columns().max(self.0.positive.columns())
    }

    /// The means of the classes −1 and +1.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<f64>>; 2] {
        [&self.0.negative, &self.0.positive].map(|class| PyArray1::from_slice(py, class.mean()))
    }

    /// The covariances of the classes −1 and +1, d × d; none for fewer than two rows.
    #[getter]
    fn covariances<'py>(&self, py: Python<'py>) -> PyResult<[Option<Bound<'py, PyAny>>; 2]> {
        let square = |class: &ClassMoments| -> PyResult<Option<Bound<'py, PyAny>>> {
            let d = class.columns();
            let Some(lower) = class.covariance() else { return Ok(None) };
            let entry = |i: usize, j: usize| lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
            let full = (0..d * d).map(|k| entry(k / d, k % d)).collect();
            matrix(py, full, [d, d]).map(Some)
        };
        Ok([square(&self.0.negative)?, square(&self.0.positive)?])
    }

    /// The linear classifier that minimises an objective (`zero-one` or `auc`) of what was seen.
    fn fit<'py>(
        &self,
        py: Python<'py>,
        objective: &str,
        lambda: f64,
        constant: Option<f64>,
        iterations: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        solve(py, self.0.clone().moments().map_err(refused)?, objective, lambda, constant, iterations)
    }

    /// The same from all rows at once: covariances that would be larger than the data are not formed.
    #[staticmethod]
    fn fit_rows<'py>(
        py: Python<'py>,
        rows: &Rows,
        labels: PyReadonlyArray1<'_, f64>,
        objective: &str,
        lambda: f64,
        constant: Option<f64>,
        iterations: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (labels, rows) = (vector(&labels), rows.0.clone());
        let known = py.detach(|| Known::of(&rows, &labels)).map_err(refused)?;
        solve(py, known, objective, lambda, constant, iterations)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = postcard::to_allocvec(&slf.try_borrow()?.0).map_err(input)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    /// What was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        postcard::from_bytes(bytes).map(Moments).map_err(input)
    }
}

fn solve<'py>(
    py: Python<'py>,
    known: Known,
    objective: &str,
    lambda: f64,
    constant: Option<f64>,
    iterations: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let objective = match objective {
        "zero-one" => Objective::ZeroOne,
        "auc" => Objective::Auc,
        other => return Err(input(format!("objective = {other}: it must be zero-one or auc"))),
    };
    let settings = Settings { iterations, ..Settings::default() };
    let d = known.columns();
    let Fit { minimum, from_start } =
        py.detach(|| fit(&known, constant, objective, lambda, &settings)).map_err(refused)?;
    let Minimum { mut w, value, iterations, evaluations, gradient, stop } = minimum;
    let last = w.split_off(d.min(w.len()));
    let out = PyDict::new(py);
    out.set_item("intercept", constant.zip(last.first()).map_or(0.0, |(value, weight)| value * weight))?;
    out.set_item("w", PyArray1::from_vec(py, w))?;
    out.set_item("value", value)?;
    out.set_item("iterations", iterations)?;
    out.set_item("evaluations", evaluations)?;
    out.set_item("gradient", gradient)?;
    out.set_item("stop", stop.to_string())?;
    out.set_item("from_start", from_start)?;
    Ok(out)
}
