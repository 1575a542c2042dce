//! Rows of features from NumPy and SciPy.

use crate::error::input;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pathqp_adapters::dataset::{Features, FeaturesViolation};
use pyo3::prelude::*;
use std::sync::Arc;

/// A matrix of features, checked and copied: dense or, where most entries are zero, sparse.
#[pyclass(frozen, module = "pathqp._pathqp")]
#[derive(Clone)]
pub struct Rows(pub Arc<Features>);

#[pymethods]
impl Rows {
    /// From an array of n × d numbers.
    #[staticmethod]
    #[pyo3(signature = (values, compact=true))]
    fn dense(py: Python<'_>, values: PyReadonlyArray2<'_, f64>, compact: bool) -> PyResult<Self> {
        let [rows, columns] = [values.shape()[0], values.shape()[1]];
        // In the order of rows, whichever way the array lies in memory.
        let values: Vec<f64> = match values.as_array().as_slice() {
            Some(values) => values.to_vec(),
            None => values.as_array().iter().copied().collect(),
        };
        py.detach(|| checked(Features::Dense { rows, columns, values }, compact))
    }

    /// From the parts of a matrix of compressed rows with `columns` columns.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        columns: usize,
        starts: PyReadonlyArray1<'_, i64>,
        indices: PyReadonlyArray1<'_, i64>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let whole =
            |value: &i64| usize::try_from(*value).map_err(|_| input(format!("{value} where an index should be")));
        let starts = starts.as_array().iter().map(whole).collect::<PyResult<Vec<usize>>>()?;
        let column = |value: &i64| u32::try_from(*value).map_err(|_| input(format!("column {value} cannot be used")));
        let indices = indices.as_array().iter().map(column).collect::<PyResult<Vec<u32>>>()?;
        let (rows, values) = (starts.len().saturating_sub(1), vector(&values));
        py.detach(|| checked(Features::Sparse { rows, columns, starts, indices, values }, true))
    }

    /// (n, d).
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.rows(), self.0.columns())
    }
}

/// A copy of a vector.
pub fn vector(values: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    values.as_array().iter().copied().collect()
}

/// Rows that are as they must be.
fn checked(features: Features, compact: bool) -> PyResult<Rows> {
    match features.violations().first() {
        None => Ok(Rows(Arc::new(if compact { features.compact() } else { features }))),
        Some(FeaturesViolation::NotFinite { position }) => Err(input(not_finite(&features, *position))),
        Some(other) => Err(input(other)),
    }
}

/// What is wrong with a stored value.
fn not_finite(features: &Features, position: usize) -> String {
    let (row, column, value) = match features {
        Features::Dense { columns, values, .. } => {
            (position / (*columns).max(1), position % (*columns).max(1), values.get(position))
        }
        Features::Sparse { starts, indices, values, .. } => {
            let column = indices.get(position).map_or(0, |j| *j as usize);
            (starts.partition_point(|start| *start <= position).saturating_sub(1), column, values.get(position))
        }
    };
    let value = value.copied().unwrap_or(f64::NAN);
    let reason = if value.is_nan() {
        "contains NaN"
    } else if value.is_finite() {
        "has a square that is inf"
    } else {
        "contains inf"
    };
    format!("the input {reason}: X[{row}, {column}] = {value} (row {row}, column {column}, from zero)")
}

/// m × k numbers, row after row, as an array.
pub fn matrix<'py>(py: Python<'py>, values: Vec<f64>, shape: [usize; 2]) -> PyResult<Bound<'py, PyAny>> {
    use numpy::PyArrayMethods;
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}
