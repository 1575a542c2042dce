//! f of a kernel machine.

use crate::path::ProblemPath;
use numpy::PyArray1;
use pathqp_adapters::Model;
use pyo3::prelude::*;

/// β of f = Σ βᵢk(xᵢ, ·) + b (n), the features' weights (linear kernels), b.
type Parts<'py> = (Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>, f64);

fn parts<'py>(py: Python<'py>, model: Model) -> Parts<'py> {
    let function = model.function;
    let weights = function.w.map(|w| PyArray1::from_vec(py, w));
    (PyArray1::from_vec(py, function.expansion), weights, function.constant)
}

/// f at a value of what varies along a path.
#[pyfunction]
pub fn function<'py>(py: Python<'py>, path: &ProblemPath, value: f64) -> PyResult<Parts<'py>> {
    let model = py.detach(|| path.model(value))?;
    Ok(parts(py, model))
}

/// f at any θ of a path's problem.
#[pyfunction]
pub fn function_at<'py>(py: Python<'py>, path: &ProblemPath, theta: Vec<f64>) -> PyResult<Parts<'py>> {
    let (model, _) = py.detach(|| path.elsewhere(&theta))?;
    Ok(parts(py, model))
}

/// The duality gap that is allowed between the stored points of an approximate path, in units of the problem's objective.
#[pyfunction]
pub fn gap_allowed(path: &ProblemPath) -> Option<f64> {
    path.kept.path.tolerance().map(|tolerance| tolerance * path.posed.gap_unit())
}
