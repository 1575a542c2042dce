//! Class moments, and linear classifiers from them.

use crate::error::{input, moments as refused};
use crate::rows::{Rows, matrix, vector};
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp_moments::minimise::{Minimum, Settings};
use pathqp_moments::{Accumulator, ClassMoments, Fit, Moments as Known, Objective, fit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts, means and covariances of two classes while rows arrive. All methods may be called from several threads.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct Moments(Mutex<Accumulator>);

impl Moments {
    /// Whoever holds the lock does not wait for the interpreter meanwhile, and leaves sums that are whole even where it fails.
    fn seen(&self) -> MutexGuard<'_, Accumulator> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Moments {
    /// No rows yet, of so many columns.
    #[new]
    fn new(columns: usize) -> PyResult<Self> {
        // Two covariances; what cannot be had is refused here, since the program ends where an allocation fails.
        let entries = columns.checked_mul(columns).and_then(|square| square.checked_mul(2));
        let fits = |entries: usize| Vec::<f64>::new().try_reserve_exact(entries).is_ok();
        match entries.is_some_and(fits) {
            true => Ok(Moments(Mutex::new(Accumulator::new(columns)))),
            false => {
                Err(input(format!("{columns} features: their covariances do not fit into memory; use fewer features")))
            }
        }
    }

    /// Takes up rows with their labels, +1 or −1.
    fn absorb(&self, py: Python<'_>, rows: &Rows, labels: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let (labels, rows) = (vector(&labels), rows.0.clone());
        py.detach(|| self.seen().absorb(&rows, &labels)).map_err(refused)
    }

    /// Takes up what another one has seen.
    fn merge(&self, py: Python<'_>, other: &Moments) {
        py.detach(|| {
            // One lock at a time: the other one may be this one, or be about to take this one up.
            let other = other.seen().clone();
            self.seen().merge(&other);
        });
    }

    /// The numbers of rows of the classes −1 and +1.
    #[getter]
    fn counts(&self, py: Python<'_>) -> [u64; 2] {
        py.detach(|| {
            let seen = self.seen();
            [seen.negative.count(), seen.positive.count()]
        })
    }

    /// The number of columns.
    #[getter]
    fn columns(&self, py: Python<'_>) -> usize {
        py.detach(|| {
            let seen = self.seen();
            seen.negative.columns().max(seen.positive.columns())
        })
    }

    /// The means of the classes −1 and +1.
    #[getter]
    fn means<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<f64>>; 2] {
        let means = py.detach(|| {
            let seen = self.seen();
            [seen.negative.mean().to_vec(), seen.positive.mean().to_vec()]
        });
        means.map(|mean| PyArray1::from_vec(py, mean))
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
        let seen = py.detach(|| self.seen().clone());
        Ok([square(&seen.negative)?, square(&seen.positive)?])
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
        let known = py.detach(|| self.seen().clone().moments()).map_err(refused)?;
        solve(py, known, objective, lambda, constant, iterations)
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
        let moments = slf.get();
        let bytes = slf.py().detach(|| postcard::to_allocvec(&*moments.seen())).map_err(input)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    /// What was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        postcard::from_bytes(bytes).map(|seen| Moments(Mutex::new(seen))).map_err(input)
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
    let Fit { minimum, route } = py.detach(|| fit(&known, constant, objective, lambda, &settings)).map_err(refused)?;
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
    out.set_item("route", route.to_string())?;
    Ok(out)
}
