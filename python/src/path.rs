//! Paths of every problem, for Python.

use crate::error::{adapter as refused, input, path as failed};
use crate::problem::{Question, check, entry, kqr, pose, settings};
use crate::report::{certificate, changes, numbers, put, stats, stop_name};
use crate::rows::{Rows, matrix, vector};
use crate::watch::apart;
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp::rows::Proof;
use pathqp::{ApproximationError, Certificate, Path, Point, Settings, Start, inexact};
use pathqp_adapters::bilevel::model_at;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::problem::{Solution, begin, kernel_solution};
use pathqp_adapters::run::{Posed, Vary};
use pathqp_adapters::spec::Spec;
use pathqp_adapters::value::Value;
use pathqp_adapters::view::{Classifier, View};
use pathqp_adapters::{KernelProblem, Model};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::{Deserialize, Serialize};

/// Floating-point operations of the certificates when a path is fitted, …
const CERTIFICATE_BUDGET: f64 = 2e7;

/// … of which there are at least this many.
const FEWEST_CERTIFICATES: usize = 9;

/// Why a path of inexact solutions was not found.
fn unsolved(error: ApproximationError) -> PyErr {
    match error {
        ApproximationError::Path(error) => failed(error),
        error => input(error),
    }
}

/// A path with everything that is needed to use it, as it is pickled.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    pub spec: Spec,
    pub vary: Vary,
    pub path: Path<f64>,
}

/// The path of a problem.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct ProblemPath {
    pub kept: Kept,
    pub posed: Posed,
}

impl ProblemPath {
    fn value(&self, t: f64) -> f64 {
        self.posed.value(&self.kept.path, t)
    }

    fn locate(&self, value: f64) -> PyResult<Point<f64>> {
        self.posed.locate(&self.kept.path, value).map_err(refused)
    }

    fn certificate_of(&self, point: &Point<f64>) -> Certificate<f64> {
        Certificate::of(&self.posed.line, point)
    }

    fn solved(&self, value: f64) -> PyResult<(Point<f64>, Certificate<f64>, Solution)> {
        let point = self.locate(value)?;
        let certificate = self.certificate_of(&point);
        let solution = self.posed.solution(value, &point, &certificate);
        Ok((point, certificate, solution))
    }

    /// What only kernel problems have.
    fn kernel(&self) -> PyResult<&dyn KernelProblem> {
        self.posed
            .kernel()
            .ok_or_else(|| input(format!("a path of {} has no function of rows", self.kept.spec.problem)))
    }

    /// The model at a value.
    pub fn model(&self, value: f64) -> PyResult<Model> {
        Ok(self.kernel()?.model(&self.posed.axis.theta(value), &self.locate(value)?))
    }

    /// The solution at any θ of the problem's own with its certificate: on the path, or followed from the point of it that is nearest by the sum of θ.
    pub fn elsewhere(&self, theta: &[f64]) -> PyResult<(Model, Certificate<f64>)> {
        let (path, posed, kernel) = (&self.kept.path, &self.posed, self.kernel()?);
        let fail = || input(format!("the parameters {theta:?} cannot be reached from the path"));
        let sum = |theta: &[f64]| theta.iter().sum::<f64>();
        let (origin, rate) = (sum(&path.parameter(&0.0)), sum(&path.parameter(&1.0)) - sum(&path.parameter(&0.0)));
        let t = if rate == 0.0 { 0.0 } else { ((sum(theta) - origin) / rate).clamp(0.0, *path.end()) };
        let (from, point) = (path.parameter(&t), path.at(&t).ok_or_else(fail)?);
        const ROUNDING: f64 = 8.0 * f64::EPSILON;
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
        if from.len() == theta.len() && from.iter().zip(theta).all(near) {
            return Ok((kernel.model(theta, &point), self.certificate_of(&point)));
        }
        let segment = path.segments().partition_point(|s| s.t <= t).saturating_sub(1);
        let start = Start::ActiveSet { status: path.status_on(segment), y: Some(point.y) };
        let line = posed.qp.line(&from, theta).map_err(crate::error::problem)?;
        let mut follower = begin(&line, &start, &Settings::default()).map_err(failed)?;
        follower.run(&mut ()).map_err(failed)?;
        let found = follower.into_path();
        let point = found.at(found.end()).filter(|_| found.is_complete()).ok_or_else(fail)?;
        Ok((kernel.model(theta, &point), Certificate::of(&line, &point)))
    }

    /// So many certificates cost little beside a path.
    fn affordable(&self) -> usize {
        let (n, spec) = (self.posed.line.n() as f64, &self.kept.spec);
        let products = match spec.kernel {
            KernelKind::Linear => 4.0 * n * spec.rows.features.columns() as f64,
            _ => 2.0 * n * n,
        };
        ((CERTIFICATE_BUDGET / (products + 40.0 * n)) as usize).max(FEWEST_CERTIFICATES)
    }

    fn check(&self, rows: &Rows) -> PyResult<()> {
        let (expected, found) = (self.kept.spec.rows.features.columns(), rows.0.columns());
        if expected == found {
            return Ok(());
        }
        Err(input(format!("X has {found} features, but the path was fitted with {expected}")))
    }

    /// Refuses another problem.
    pub fn expect(&self, problem: &str, what: &str) -> PyResult<()> {
        if self.kept.spec.problem == problem { Ok(()) } else { Err(input(what)) }
    }
}

#[pymethods]
impl ProblemPath {
    /// Follows a path. `limits`: threads, the most events, and the duality gap allowed between stored points with whether these are inexact.
    #[staticmethod]
    fn follow(
        py: Python<'_>,
        question: Question,
        vary: String,
        ends: (Option<f64>, Option<f64>),
        limits: (usize, Option<usize>, Option<(f64, bool)>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = question.spec()?;
        let settings = settings(limits.0, limits.1);
        apart(py, progress, move |watch| {
            let posed = pose(&spec, &vary, ends.into(), &settings)?;
            let mut watch = watch.over(&posed.line);
            let gap = limits.2.map(|(tolerance, inexact)| (tolerance / posed.gap_unit(), inexact));
            if let Some((gap, true)) = gap
                && let Some(path) = inexact::path(&posed.line, gap, &settings, &mut watch).map_err(unsolved)?
            {
                return Ok(ProblemPath { kept: Kept { spec, vary: posed.vary.clone(), path }, posed });
            }
            let ran = posed.begin(&settings, &mut watch).and_then(|mut follower| {
                follower.run(&mut watch)?;
                Ok(follower.into_path())
            });
            let mut path = ran.map_err(failed)?;
            if let Some((gap, _)) = gap {
                path = path.approximate(&posed.line, &gap).map_err(input)?;
            }
            Ok(ProblemPath { kept: Kept { spec, vary: posed.vary.clone(), path }, posed })
        })
    }

    /// What varies.
    #[getter]
    fn vary(&self) -> &str {
        &self.kept.vary.name
    }

    /// Where the path begins and ends.
    #[getter]
    fn range(&self) -> (f64, f64) {
        self.posed.covered(&self.kept.path).unwrap_or((self.kept.vary.from, self.kept.vary.from))
    }

    /// Why it ended.
    #[getter]
    fn stop(&self) -> &'static str {
        stop_name(self.kept.path.stop())
    }

    /// The factor and the name with which dual variables are shown.
    #[getter]
    fn dual_unit(&self) -> (f64, &'static str) {
        self.posed.kernel().map_or((1.0, "x"), |kernel| kernel.dual_unit())
    }

    /// Why there is no solution beyond the end of a path with rows, and the weights or the direction that prove it.
    #[getter]
    fn proof<'py>(&self, py: Python<'py>) -> Option<(&'static str, Bound<'py, PyArray1<f64>>)> {
        Some(match self.kept.path.proof()? {
            Proof::Infeasible { weights } => ("infeasible", PyArray1::from_slice(py, weights)),
            Proof::Unbounded { direction } => ("unbounded", PyArray1::from_slice(py, direction)),
        })
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
        let (point, certificate, solution) = self.solved(value)?;
        let out = PyDict::new(py);
        out.set_item("value", value)?;
        out.set_item("theta", self.posed.axis.theta(value))?;
        out.set_item("objective", solution.objective)?;
        out.set_item("dual_objective", solution.dual_objective)?;
        numbers(&out, &certificate)?;
        out.set_item("free", PyArray1::from_vec(py, point.free.clone()))?;
        solution.values.iter().chain(&solution.further).try_for_each(|(name, value)| put(&out, name, value))?;
        Ok(out)
    }

    /// The verdict at (at most) so many of the path's events. By default at as many as are checked in little time.
    #[pyo3(signature = (points=None))]
    fn certificate<'py>(&self, py: Python<'py>, points: Option<usize>) -> PyResult<Bound<'py, PyDict>> {
        let points = points.unwrap_or_else(|| self.affordable());
        certificate(py, (&self.kept.path, &self.posed.line, points), |t| self.value(t))
    }

    /// Lists (k × their length) and numbers (k) of the solutions at k values, by name.
    fn curves<'py>(&self, py: Python<'py>, values: PyReadonlyArray1<'_, f64>) -> PyResult<Bound<'py, PyDict>> {
        let values = vector(&values);
        let at = |value: &f64| -> PyResult<Solution> {
            let (theta, point) = (self.posed.axis.theta(*value), self.locate(*value)?);
            Ok(match self.posed.kernel() {
                Some(kernel) => kernel_solution(kernel, &theta, &point, None),
                None => self.posed.problem.solution(&theta, &point, None),
            })
        };
        let solved: Vec<Solution> = py.detach(|| values.iter().map(at).collect::<PyResult<_>>())?;
        let out = PyDict::new(py);
        let Some(first) = solved.first() else { return Ok(out) };
        for (name, kind) in first.values.iter().chain(&first.further) {
            let rows: Vec<Vec<f64>> = solved.iter().map(|s| s.get(name).map(Value::flat).unwrap_or_default()).collect();
            let width = rows.first().map_or(0, Vec::len);
            match kind {
                Value::Number(_) | Value::Constant(..) => out.set_item(name, PyArray1::from_vec(py, rows.concat()))?,
                Value::Numbers(_) | Value::Table(_) => {
                    out.set_item(name, matrix(py, rows.concat(), [rows.len(), width])?)?
                }
                Value::Missing => out.set_item(name, py.None())?,
                Value::Truth(_) => {
                    let truths = solved.iter().map(|s| s.get(name) == Some(&Value::Truth(true))).collect();
                    out.set_item(name, PyArray1::from_vec(py, truths))?;
                }
                _ => {}
            }
        }
        Ok(out)
    }

    /// The names of the columns of a table along the path.
    #[getter]
    fn columns(&self) -> Vec<(&'static str, Vec<String>)> {
        let groups = self.posed.columns(&self.kept.spec);
        groups.into_iter().map(|group| (group.value, group.names)).collect()
    }

    /// What the problem itself has to say of its path, by name.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = PyDict::new(py);
        for fact in self.posed.problem.facts(&self.kept.spec, &self.kept.path).map_err(refused)? {
            fact.value.map_or(Ok(()), |(name, value)| put(&out, name, &value))?;
        }
        Ok(out)
    }

    /// f or the fitted values at m rows and k values, m × k; with q predictions for each row m × kq, those of a value beside each other.
    fn decision<'py>(
        &self,
        py: Python<'py>,
        rows: &Rows,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check(rows)?;
        let values = vector(&values);
        let (m, k) = (rows.0.rows(), values.len() * self.posed.problem.outputs().len().max(1));
        let at = |value: f64| -> PyResult<Vec<f64>> {
            let solution = self.solved(value)?.2;
            let nothing = || input(format!("a path of {} has nothing to predict", self.kept.spec.problem));
            self.posed.problem.predict(&solution, &rows.0).ok_or_else(nothing)
        };
        let out = py.detach(|| {
            let found = match self.posed.kernel() {
                Some(kernel) => {
                    let function =
                        |value: f64| Ok(kernel.function(&self.posed.axis.theta(value), &self.locate(value)?));
                    let functions = values.into_iter().map(function).collect::<PyResult<Vec<_>>>()?;
                    kernel.machine().evaluate_all(&functions.iter().collect::<Vec<_>>(), &rows.0)
                }
                None => values.into_iter().map(at).collect::<PyResult<Vec<_>>>()?,
            };
            let mut out = vec![0.0; m * k];
            let columns = found.iter().flat_map(|values| values.chunks(m.max(1))).enumerate();
            columns.for_each(|(j, values)| values.iter().enumerate().for_each(|(i, f)| out[i * k + j] = *f));
            Ok::<_, PyErr>(out)
        })?;
        matrix(py, out, [m, k])
    }

    /// f at m rows for any θ.
    fn decision_at<'py>(&self, py: Python<'py>, rows: &Rows, theta: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check(rows)?;
        let f = py.detach(|| Ok::<_, PyErr>(self.kernel()?.decision(&self.elsewhere(&theta)?.0, &rows.0)))?;
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
        crate::report::describe(&out, &model)?;
        Ok(out)
    }

    /// P(Y = 1|x) and the number of changes of sign at m rows.
    fn probabilities<'py>(&self, py: Python<'py>, rows: &Rows) -> PyResult<(Bound<'py, PyArray1<f64>>, Vec<usize>)> {
        self.check(rows)?;
        let View::Classifier(Classifier { quantile: Some(svm), .. }) = self.posed.problem.view() else {
            return Err(input("only the quantile SVM has probabilities"));
        };
        let found = py.detach(|| svm.probabilities(&self.kept.path, &rows.0)).map_err(refused)?;
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
        let View::Classifier(Classifier { quantile: Some(svm), .. }) = self.posed.problem.view() else {
            return Err(input("only the quantile SVM has rates along its path"));
        };
        let curve = py.detach(|| svm.rates(&self.kept.path, &rows.0, &labels)).map_err(refused)?;
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
        let values = vector(&values);
        let (m, k) = (rows.0.rows(), values.len());
        let curves = self.quantile_curves(py, rows)?;
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
        let curves = self.quantile_curves(py, rows)?;
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
        let kernel = self.kernel()?;
        let f = py.detach(|| {
            let model = model_at(&kqr(&self.kept.spec)?, tau, lambda, &Settings::default())?;
            Ok(kernel.decision(&model, &rows.0))
        });
        Ok(PyArray1::from_vec(py, f.map_err(refused)?))
    }

    /// The least ν at which each training row is an outlier; not a number where it never is.
    fn outlier_ranks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let View::Outliers(svm) = self.posed.problem.view() else { return Err(input("only outliers have ranks")) };
        let ranks = py.detach(|| svm.outlier_ranks(&self.kept.path)).map_err(refused)?;
        Ok(PyArray1::from_vec(py, ranks.into_iter().map(|rank| rank.unwrap_or(f64::NAN)).collect()))
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
        check(&kept.spec)?;
        let Vary { name, from, to } = &kept.vary;
        let ends = (name.as_str(), Some(*from), Some(*to));
        let entry = entry(&kept.spec.problem).map_err(refused)?;
        let posed = Posed::new(entry, &kept.spec, ends, &Settings::default()).map_err(refused)?;
        if kept.path.n() != posed.line.n() {
            return Err(input("the path does not belong to its problem"));
        }
        Ok(ProblemPath { kept, posed })
    }
}

impl ProblemPath {
    fn quantile_curves(&self, py: Python<'_>, rows: &Rows) -> PyResult<Vec<pathqp_adapters::quantiles::QuantileCurve>> {
        self.check(rows)?;
        let nothing = || input("only quantile regression has quantiles");
        let view = self.posed.problem.view();
        py.detach(|| view.quantiles(&self.kept.path, &rows.0)).ok_or_else(nothing)?.map_err(refused)
    }
}
