//! Paths of kernel machines, for Python.

use crate::error::{adapter as refused, input, path as failed};
use crate::kept::{Kept, MachinePath, follower};
use crate::machine::{Posed, Question};
use crate::report::{certificate, changes, describe, numbers, stats, stop_name};
use crate::rows::{Rows, matrix, vector};
use crate::watch::apart;
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp::{Certificate, Settings};
use pathqp_adapters::Model;
use pathqp_adapters::adapter::Constant;
use pathqp_adapters::bilevel::model_at;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

#[pymethods]
impl MachinePath {
    /// Follows a path.
    #[staticmethod]
    fn follow(
        py: Python<'_>,
        question: Question,
        vary: String,
        ends: (Option<f64>, Option<f64>),
        limits: (usize, Option<usize>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let machine = question.machine()?;
        let settings = Settings { threads: limits.0.max(1), max_events: limits.1, ..Settings::default() };
        apart(py, progress, move |watch| {
            let posed = Posed::new(&machine, &vary, ends.into(), &settings)?;
            let mut watch = watch.over(&posed.line);
            let ran = follower(&posed, &settings, &mut watch).and_then(|mut follower| {
                follower.run(&mut watch)?;
                Ok(follower.into_path())
            });
            ran.map_err(failed).map(|path| MachinePath { kept: Kept { machine, vary, ends: posed.ends, path }, posed })
        })
    }

    /// What varies.
    #[getter]
    fn vary(&self) -> &str {
        &self.kept.vary
    }

    /// Where the path begins and ends.
    #[getter]
    fn range(&self) -> [f64; 2] {
        self.covered()
    }

    /// Why it ended.
    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(self.kept.path.stop())
    }

    /// The factor and the name with which dual variables are shown.
    #[getter]
    fn dual_unit(&self) -> (f64, &'static str) {
        self.posed.adapter.dual_unit()
    }

    /// Counters.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats(py, &self.kept.path)
    }

    /// The values of the parameter at which the sign pattern changes, in the order in which they were met.
    #[getter]
    fn breakpoints<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.kept.path.breakpoints().into_iter().map(|t| self.value(t)).collect())
    }

    /// All changes of status.
    fn changes<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Vec<u32>, Vec<i8>, Vec<bool>) {
        let (t, variables, status, breakpoints) = changes(&self.kept.path);
        (PyArray1::from_vec(py, t.into_iter().map(|t| self.value(t)).collect()), variables, status, breakpoints)
    }

    /// The solution at a value with its certificate.
    fn at<'py>(&self, py: Python<'py>, value: f64) -> PyResult<Bound<'py, PyDict>> {
        let place = self.locate(value)?;
        let certificate = Certificate::of(&self.posed.line, &place.point);
        let model = self.model(&place);
        let constant = self.posed.adapter.constant(&model, certificate.multiplier_range);
        let out = PyDict::new(py);
        out.set_item("value", value)?;
        out.set_item("objective", model.objective)?;
        out.set_item("dual_objective", model.dual_objective)?;
        numbers(&out, &certificate)?;
        out.set_item("free", PyArray1::from_vec(py, place.point.free.clone()))?;
        describe(&out, &model)?;
        match constant {
            Constant::Unique(value) => out.set_item("intercept", value)?,
            Constant::Interval([low, high]) => {
                out.set_item("intercept", (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)))?
            }
        }
        Ok(out)
    }

    /// The verdict at (at most) so many of the path's events. By default at as many as are checked in little time.
    #[pyo3(signature = (points=None))]
    fn certificate<'py>(&self, py: Python<'py>, points: Option<usize>) -> PyResult<Bound<'py, PyDict>> {
        let points = points.unwrap_or_else(|| self.affordable());
        certificate(py, (&self.kept.path, &self.posed.line, points), |t| self.value(t))
    }

    /// Dual variables (k × n), weights (k × d; none without linear kernel) and constants (k) at k values.
    fn curves<'py>(&self, py: Python<'py>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyDict>> {
        let values = vector(&values);
        let models =
            py.detach(|| values.iter().map(|&v| Ok(self.model(&self.locate(v)?))).collect::<PyResult<Vec<Model>>>())?;
        let out = PyDict::new(py);
        let table = |rows: Vec<Vec<f64>>| -> PyResult<_> {
            let width = rows.first().map_or(0, Vec::len);
            matrix(py, rows.concat(), [rows.len(), width])
        };
        out.set_item("alpha", table(models.iter().map(|m| m.alpha.clone()).collect())?)?;
        let weights: Option<Vec<Vec<f64>>> = models.iter().map(|m| m.function.w.clone()).collect();
        out.set_item("w", weights.map(table).transpose()?)?;
        out.set_item("intercept", PyArray1::from_vec(py, models.iter().map(|m| m.function.constant).collect()))?;
        Ok(out)
    }

    /// f at m rows and k values, m × k.
    fn decision<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check(rows)?;
        let values = vector(&values);
        let (m, k) = (rows.0.rows(), values.len());
        let out = py.detach(|| {
            let mut out = vec![0.0; m * k];
            for (j, value) in values.into_iter().enumerate() {
                let f = self.posed.adapter.decision(&self.model(&self.locate(value)?), &rows.0);
                f.into_iter().enumerate().for_each(|(i, f)| out[i * k + j] = f);
            }
            Ok::<_, PyErr>(out)
        })?;
        matrix(py, out, [m, k])
    }

    /// f at m rows for any θ.
    fn decision_at<'py>(&self, py: Python<'py>, rows: &Rows, theta: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(rows)?;
        let f = py.detach(|| Ok::<_, PyErr>(self.posed.adapter.decision(&self.elsewhere(&theta)?.0, &rows.0)))?;
        Ok(PyArray1::from_vec(py, f))
    }

    /// The solution at any θ.
    fn solve<'py>(&self, py: Python<'py>, theta: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        let (model, certificate) = py.detach(|| self.elsewhere(&theta))?;
        let out = PyDict::new(py);
        numbers(&out, &certificate)?;
        out.set_item("objective", model.objective)?;
        out.set_item("dual_objective", model.dual_objective)?;
        out.set_item("intercept", model.function.constant)?;
        describe(&out, &model)?;
        Ok(out)
    }

    /// P(Y = 1|x) and the number of changes of sign at m rows.
    fn probabilities<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<usize>)> {
        self.check(rows)?;
        let found = py.detach(|| self.posed.adapter.probabilities(&self.kept.path, &rows.0)).map_err(refused)?;
        let probabilities = PyArray1::from_vec(py, found.iter().map(|p| p.tau).collect());
        Ok((probabilities, found.iter().map(|p| p.crossings).collect()))
    }

    /// TPR, TNR and accuracy on labelled rows as step functions: τ (K + 1), and the three (K each).
    fn rates<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        labels: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<[Bound<'py, PyArray1<f64>>; 4]> {
        self.check(rows)?;
        let labels = vector(&labels);
        let curve = py.detach(|| self.posed.adapter.rates(&self.kept.path, &rows.0, &labels)).map_err(refused)?;
        Ok([curve.tau, curve.tpr, curve.tnr, curve.accuracy].map(|values| PyArray1::from_vec(py, values)))
    }

    /// Quantiles of m rows at k values of τ without crossings (m × k), or with `below` P(Y ≤ q|x) at k values q.
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        values: PyReadonlyArray1<'_, f64>,
        below: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check(rows)?;
        let values = vector(&values);
        let (m, k) = (rows.0.rows(), values.len());
        let curves = py.detach(|| self.posed.adapter.quantiles(&self.kept.path, &rows.0)).map_err(refused)?;
        let mut out = Vec::with_capacity(m * k);
        for curve in &curves {
            for &value in &values {
                out.push(match below {
                    true => curve.distribution(value),
                    false => curve.rearranged(value).ok_or_else(|| input(format!("tau = {value}: not on the path")))?,
                });
            }
        }
        matrix(py, out, [m, k])
    }

    /// Where the quantiles of m rows fall: for each row a list of (from, to, drop).
    fn falls<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyList>> {
        self.check(rows)?;
        let curves = py.detach(|| self.posed.adapter.quantiles(&self.kept.path, &rows.0)).map_err(refused)?;
        let falls = curves.iter().map(|c| c.crossings().iter().map(|f| (f.tau[0], f.tau[1], f.drop)).collect());
        PyList::new(py, falls.collect::<Vec<Vec<(f64, f64, f64)>>>())
    }

    /// f_τ at λ for m rows; λ may be infinite.
    fn tuned_decision<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        tau: f64,
        lambda: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(rows)?;
        let f = py.detach(|| {
            let kqr = self.kept.machine.kqr()?;
            let model = model_at(&kqr, tau, lambda, &Settings::default())?;
            Ok(self.posed.adapter.decision(&model, &rows.0))
        });
        Ok(PyArray1::from_vec(py, f.map_err(refused)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        let bytes = postcard::to_allocvec(&slf.get().kept).map_err(input)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    /// What was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let kept: Kept = postcard::from_bytes(bytes).map_err(input)?;
        match kept.machine.features.violations().first() {
            Some(violation) => Err(input(violation)),
            None => Self::restore(kept),
        }
    }
}
