//! Paths of kernel machines.

use crate::error::{adapter as refused, input, path as failed};
use crate::machine::{Machine, Posed, Problem, Question};
use crate::rows::{Rows, matrix, vector};
use crate::watch::{Watch, apart};
use numpy::{PyArray1, PyReadonlyArray1};
use pathqp::{Certificate, Follower, Path, PathError, Point, Settings, Start, Status, Stop};
use pathqp_adapters::Model;
use pathqp_adapters::adapter::{Constant, begin};
use pathqp_adapters::bilevel::model_at;
use pathqp_adapters::kernel::KernelKind;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::{Deserialize, Serialize};

/// Floating-point operations of the certificates when a path is fitted, …
const CERTIFICATE_BUDGET: f64 = 2e7;

/// … of which there are at least this many.
const FEWEST_CERTIFICATES: usize = 9;

/// A path with everything that is needed to use it, as it is pickled.
#[derive(Serialize, Deserialize)]
struct Kept {
    machine: Machine,
    vary: String,
    ends: [f64; 2],
    path: Path<f64>,
}

/// The path of a kernel machine.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct MachinePath {
    kept: Kept,
    posed: Posed,
}

/// A value of the parameter and the solution there.
struct Located {
    value: f64,
    point: Point<f64>,
}

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

impl MachinePath {
    fn restore(kept: Kept) -> PyResult<Self> {
        let ends = kept.ends.map(Some);
        let posed = Posed::new(&kept.machine, &kept.vary, ends, &Settings::default())?;
        if kept.path.n() != posed.line.n() {
            return Err(input(format!("{} variables of the path, {} expected", kept.path.n(), posed.line.n())));
        }
        Ok(MachinePath { kept, posed })
    }

    fn value(&self, t: f64) -> f64 {
        self.posed.axis.value(&self.kept.path.parameter(&t))
    }

    /// The values at which the path begins and ends.
    fn covered(&self) -> [f64; 2] {
        let path = &self.kept.path;
        [self.posed.ends[0], if path.is_complete() { self.posed.ends[1] } else { self.value(*path.end()) }]
    }

    /// The solution at a value. One that lies outside by rounding alone is taken for the end.
    fn locate(&self, value: f64) -> PyResult<Located> {
        let path = &self.kept.path;
        let end = *path.end();
        let rounding = f64::EPSILON * end.max(1.0);
        let last = if path.is_endless() { f64::INFINITY } else { end };
        let t = path.position(&self.posed.axis.theta(value)).filter(|t| (-rounding..=last + rounding).contains(t));
        let point = t.and_then(|t| path.at(&t.clamp(0.0, last)));
        let [from, to] = self.covered();
        let outside = || input(format!("{} = {value}: the path covers {from} to {to}", self.kept.vary));
        Ok(Located { value, point: point.ok_or_else(outside)? })
    }

    fn model(&self, place: &Located) -> Model {
        self.posed.adapter.model(&self.posed.axis.theta(place.value), &place.point)
    }

    /// The solution at any θ of the problem's own: on the path, or followed from the point of it that is nearest by the sum of θ.
    fn elsewhere(&self, theta: &[f64]) -> PyResult<Model> {
        let (path, posed) = (&self.kept.path, &self.posed);
        let fail = || input(format!("the parameters {theta:?} cannot be reached from the path"));
        let sum = |theta: &[f64]| theta.iter().sum::<f64>();
        let (origin, rate) = (sum(&path.parameter(&0.0)), sum(&path.parameter(&1.0)) - sum(&path.parameter(&0.0)));
        let t = if rate == 0.0 { 0.0 } else { ((sum(theta) - origin) / rate).clamp(0.0, *path.end()) };
        let (from, point) = (path.parameter(&t), path.at(&t).ok_or_else(fail)?);
        if from == theta {
            return Ok(posed.adapter.model(theta, &point));
        }
        let segment = path.segments().partition_point(|s| s.t <= t).saturating_sub(1);
        let start = Start::ActiveSet { status: path.status_on(segment), y: Some(point.y) };
        let line = posed.qp.line(&from, theta).map_err(crate::error::problem)?;
        let mut follower = begin(&line, &start, &Settings::default()).map_err(failed)?;
        follower.run(&mut ()).map_err(failed)?;
        let found = follower.into_path();
        let point = found.at(found.end()).filter(|_| found.is_complete()).ok_or_else(fail)?;
        Ok(posed.adapter.model(theta, &point))
    }
}

/// The follower at the beginning of the line, as the command line makes it.
fn follower<'a>(posed: &'a Posed, settings: &Settings, watch: &mut Watch) -> Result<Follower<'a, f64>, PathError> {
    let theta = posed.axis.theta(posed.ends[0]);
    let start = posed.adapter.start_watched(&posed.qp, &theta, settings, watch)?;
    match Follower::watched(&posed.line, &start, settings.clone(), watch) {
        Err(stopped @ PathError::StartStopped { .. }) => Err(stopped),
        Err(_) => Follower::watched(&posed.line, &Start::Anywhere, settings.clone(), watch),
        follower => follower,
    }
}

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
            let mut watch = watch.over(posed.line.length);
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
        let certificate = Certificate::new(&self.posed.line, &place.point.t, &place.point.x, &place.point.y);
        let model = self.model(&place);
        let constant = self.posed.adapter.constant(&model, certificate.multiplier_range);
        let out = PyDict::new(py);
        out.set_item("value", value)?;
        out.set_item("objective", model.objective)?;
        out.set_item("dual_objective", model.dual_objective)?;
        out.set_item("relative_gap", certificate.relative_gap)?;
        out.set_item("kkt_residual", certificate.kkt_residual())?;
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

    /// The largest scaled KKT residual at (at most) so many of the path's events, and the value at which it is. By default at as many
    /// as are checked in little time.
    #[pyo3(signature = (points=None))]
    fn residual(&self, py: Python<'_>, points: Option<usize>) -> (f64, f64) {
        let (path, points) = (&self.kept.path, points.unwrap_or_else(|| self.affordable()));
        let mut places: Vec<f64> = path.segments().iter().map(|s| s.t).chain([*path.end()]).collect();
        let step = places.len().div_ceil(points.max(1)).max(1);
        let last = places.pop();
        let all = places.into_iter().step_by(step).chain(last);
        let residual = |t: f64| {
            let point = path.at(&t)?;
            let residual = Certificate::new(&self.posed.line, &t, &point.x, &point.y).kkt_residual();
            Some((if residual.is_nan() { f64::INFINITY } else { residual }, self.value(t)))
        };
        let worst = |a: (f64, f64), b: (f64, f64)| if b.0 > a.0 { b } else { a };
        py.detach(|| all.filter_map(residual).fold((0.0, self.covered()[0]), worst))
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
        let f = py.detach(|| Ok::<_, PyErr>(self.posed.adapter.decision(&self.elsewhere(&theta)?, &rows.0)))?;
        Ok(PyArray1::from_vec(py, f))
    }

    /// The solution at any θ.
    fn solve<'py>(&self, py: Python<'py>, theta: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        let model = py.detach(|| self.elsewhere(&theta))?;
        let out = PyDict::new(py);
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

impl MachinePath {
    /// So many certificates cost little beside a path.
    fn affordable(&self) -> usize {
        let (n, machine) = (self.posed.line.n() as f64, &self.kept.machine);
        let products = match machine.kernel {
            KernelKind::Linear => 4.0 * n * machine.features.columns() as f64,
            _ => 2.0 * n * n,
        };
        ((CERTIFICATE_BUDGET / (products + 40.0 * n)) as usize).max(FEWEST_CERTIFICATES)
    }

    fn check(&self, rows: &Rows) -> PyResult<()> {
        let (expected, found) = (self.kept.machine.features.columns(), rows.0.columns());
        if expected == found {
            return Ok(());
        }
        Err(input(format!("X has {found} features, but the path was fitted with {expected}")))
    }

    /// The problem.
    pub fn machine(&self) -> &Machine {
        &self.kept.machine
    }

    /// Whether it is a problem of this kind.
    pub fn is(&self, problem: Problem) -> bool {
        self.kept.machine.problem == problem
    }
}

/// The entries of a model that need no certificate.
pub fn describe(out: &Bound<'_, PyDict>, model: &Model) -> PyResult<()> {
    let py = out.py();
    out.set_item("theta", model.theta.clone())?;
    out.set_item("alpha", PyArray1::from_vec(py, model.alpha.clone()))?;
    out.set_item("w", model.function.w.clone().map(|w| PyArray1::from_vec(py, w)))
}
