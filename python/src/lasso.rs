//! Paths of the lasso.

use crate::error::{adapter as refused, input, path as failed};
use crate::report::{certificate, changes, point, stats, stop_name};
use crate::rows::{Rows, matrix, vector};
use crate::watch::apart;
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp::{Follower, Line, Path, Settings};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::lasso::{Lasso, LassoFit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What is pickled.
#[derive(Serialize, Deserialize)]
struct Kept {
    features: Arc<Features>,
    response: Vec<f64>,
    intercept: bool,
    ridge: f64,
    path: Path<f64>,
}

/// The path of the lasso over α.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct LassoPath {
    kept: Kept,
    lasso: Lasso,
    line: Line<f64>,
}

impl LassoPath {
    fn value(&self, t: f64) -> f64 {
        self.kept.path.parameter(&t).first().copied().unwrap_or(f64::NAN)
    }

    fn range(&self) -> [f64; 2] {
        [self.kept.path.begin(), self.kept.path.end()].map(|t| self.value(*t))
    }

    /// Above the largest penalty the solution is the one at it.
    fn on_path(&self, alpha: f64) -> f64 {
        let [from, to] = self.range();
        if from > to && alpha.is_finite() { alpha.min(from) } else { alpha }
    }

    fn fit(&self, alpha: f64) -> PyResult<LassoFit> {
        let [from, to] = self.range();
        let fit = self.lasso.at(&self.kept.path, self.on_path(alpha));
        fit.map(|fit| LassoFit { alpha, ..fit })
            .ok_or_else(|| input(format!("alpha = {alpha}: the path covers {from} to {to}")))
    }
}

#[pymethods]
impl LassoPath {
    /// Follows the path from the largest α down to `to`.
    #[staticmethod]
    fn follow(
        py: Python<'_>,
        rows: &Rows,
        response: Vec<f64>,
        intercept: bool,
        ridge: f64,
        to: f64,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let features = rows.0.clone();
        apart(py, progress, move |watch| {
            let lasso = Lasso::new(&features, response.clone(), intercept, ridge).map_err(refused)?;
            let largest = lasso.largest_alpha();
            // A path needs a length, also where every coefficient is zero all along.
            let from = if largest > to { largest } else { to + 1.0 };
            let line = lasso.line(from, to).map_err(refused)?;
            let mut watch = watch.over(&line);
            let ran = Follower::watched(&line, &lasso.start(from), Settings::default(), &mut watch);
            let ran = ran.and_then(|mut follower| {
                follower.run(&mut watch)?;
                Ok(follower.into_path())
            });
            let path = ran.map_err(failed)?;
            Ok(LassoPath { kept: Kept { features, response, intercept, ridge, path }, lasso, line })
        })
    }

    /// The largest and the smallest α.
    #[getter(range)]
    fn ends(&self) -> [f64; 2] {
        self.range()
    }

    /// Why the path ended.
    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(self.kept.path.stop())
    }

    /// Counters.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats(py, &self.kept.path)
    }

    /// The verdict at (at most) so many of the path's events.
    fn certificate<'py>(&self, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyDict>> {
        certificate(py, (&self.kept.path, &self.line, points), |t| self.value(t))
    }

    /// The α at which the active set changes its sign pattern, falling.
    #[getter]
    fn breakpoints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.kept.path.breakpoints().into_iter().map(|t| self.value(t)).collect())
    }

    /// All changes of status.
    fn changes<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Vec<u32>, Vec<i8>, Vec<bool>) {
        let (t, variables, status, breakpoints) = changes(&self.kept.path);
        (PyArray1::from_vec(py, t.into_iter().map(|t| self.value(t)).collect()), variables, status, breakpoints)
    }

    /// The solution at α.
    fn at<'py>(&self, py: Python<'py>, value: f64) -> PyResult<Bound<'py, PyDict>> {
        let (fit, out) = (self.fit(value)?, PyDict::new(py));
        point(&out, (&self.kept.path, &self.line), self.on_path(value))?;
        out.set_item("value", value)?;
        out.set_item("objective", fit.objective)?;
        out.set_item("dual_objective", fit.dual_objective)?;
        out.set_item("w", PyArray1::from_vec(py, fit.coefficients))?;
        out.set_item("intercept", fit.intercept)?;
        Ok(out)
    }

    /// Coefficients (k × d) and constants (k) at k values of α.
    fn curves<'py>(&self, py: Python<'py>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyDict>> {
        let fits = vector(&values).iter().map(|&a| self.fit(a)).collect::<PyResult<Vec<LassoFit>>>()?;
        let out = PyDict::new(py);
        let rows: Vec<Vec<f64>> = fits.iter().map(|fit| fit.coefficients.clone()).collect();
        out.set_item("w", matrix(py, rows.concat(), [rows.len(), self.kept.features.columns()])?)?;
        out.set_item("intercept", PyArray1::from_vec(py, fits.iter().map(|fit| fit.intercept).collect()))?;
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
        if let Some(violation) = kept.features.violations().first() {
            return Err(input(violation));
        }
        let lasso = Lasso::new(&kept.features, kept.response.clone(), kept.intercept, kept.ridge).map_err(refused)?;
        if kept.path.n() != 2 * kept.features.columns() {
            return Err(input("the path does not belong to its problem"));
        }
        let [from, to] =
            [kept.path.begin(), kept.path.end()].map(|t| kept.path.parameter(t).first().copied().unwrap_or(f64::NAN));
        let line = lasso.line(from, to).map_err(refused)?;
        Ok(LassoPath { kept, lasso, line })
    }
}
