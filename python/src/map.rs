//! Maps of two parameters: the complex of critical regions.

use crate::error::{PathError, adapter as refused, input, problem};
use crate::path::ProblemPath;
use crate::problem::{check, entry, settings};
use crate::report::{describe, numbers, verdict};
use crate::rows::{Rows, matrix};
use crate::watch::{Watch, apart};
use numpy::PyArray1;
use pathqp::certificate::Verdict;
use pathqp::complex::{self, Complex, ComplexError, Options, RegionId, explore_while};
use pathqp::{Certificate, Range, Settings, Start, Status};
use pathqp_adapters::plane::Plane;
use pathqp_adapters::spec::Spec;
use pathqp_adapters::{KernelProblem, Model};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};

/// A map with everything that is needed to use it, as it is pickled.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    pub spec: Spec,
    domain: [[f64; 2]; 2],
    by_cost: bool,
    pub complex: Complex<f64>,
}

/// All critical regions of a rectangle in two parameters.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct Map {
    pub kept: Kept,
    pub plane: Plane,
}

/// An edge: what happens, its vertices, its regions.
type EdgeParts = (Vec<(usize, i64, i64)>, [u32; 2], (u32, Option<u32>));

/// A vertex: where, whether it is a point, its edges, its regions, what happens.
type VertexParts = ([f64; 2], bool, Vec<u32>, Vec<u32>, Vec<usize>);

fn pose(spec: &Spec, domain: [[f64; 2]; 2], by_cost: bool, settings: &Settings) -> PyResult<Plane> {
    // Both parameters vary: none of them has a value.
    let spec = Spec { fixed: Default::default(), ..spec.clone() };
    let built = (entry(&spec.problem).map_err(refused)?.build)(&spec, if by_cost { &["c"] } else { &[] });
    let built = built.map_err(refused)?;
    let parameters = built.parameters();
    let [first, second] = parameters else {
        return Err(input(format!("{} has not two parameters, and a map needs two", spec.problem)));
    };
    let names = [first.name, second.name];
    for (parameter, [from, to]) in parameters.iter().zip(domain) {
        let [low, high] = parameter.range;
        if !(from < to && (low..=high).contains(&from) && (low..=high).contains(&to) && to.is_finite()) {
            let name = parameter.name;
            return Err(input(format!("{name} from {from} to {to}: it must rise, and lie between {low} and {high}")));
        }
    }
    let ranges = domain.map(|[from, to]| Range::new(from, to)).to_vec();
    let qp = built.qp(settings).map_err(refused)?.within(ranges).map_err(problem)?;
    Ok(Plane { problem: built, qp, names })
}

fn failed(error: ComplexError) -> PyErr {
    match error {
        ComplexError::Outside { .. } | ComplexError::Domain { .. } => input(error),
        error => PathError::new_err(error.to_string()),
    }
}

/// The critical regions. The search begins at the lower ends, or if that is no place to begin inside the domain.
fn explore(
    Plane { problem, qp, .. }: &Plane,
    domain: [[f64; 2]; 2],
    settings: &Settings,
    watch: &mut Watch,
) -> PyResult<Complex<f64>> {
    let mut first = None;
    for share in [[0.0, 0.0], [0.37, 0.41]] {
        let point = [0, 1].map(|a: usize| domain[a][0] + (domain[a][1] - domain[a][0]) * share[a]);
        let near = problem.start_watched(qp, &point, settings, watch);
        for start in [near.map_err(ComplexError::from), Ok(Start::Anywhere)] {
            let found = start.and_then(|start| {
                let options = Options { point: Some(point), start, settings: settings.clone(), ..Options::default() };
                explore_while(qp, &options, &mut |stats| watch.look(0.0, stats.layers))
            });
            match found {
                // Nobody waits for it any more.
                Err(error @ ComplexError::Path(pathqp::PathError::StartStopped { .. })) => return Err(failed(error)),
                Ok((complex, None)) => return Ok(complex),
                Ok((_, Some(error))) | Err(error) => drop(first.get_or_insert(error)),
            }
        }
    }
    Err(failed(first.unwrap_or(ComplexError::NoRegion)))
}

impl Map {
    /// What only kernel problems have.
    fn kernel(&self) -> PyResult<&dyn KernelProblem> {
        self.plane.kernel().ok_or_else(|| input(format!("a map of {} has no function of rows", self.kept.spec.problem)))
    }

    /// The solution and its certificate, and the region.
    fn solve(&self, theta: [f64; 2]) -> PyResult<(Model, Certificate<f64>, RegionId)> {
        let kernel = self.kernel()?;
        let found = self.plane.solve(&self.kept.complex, &theta, &Settings::default(), &|| true).map_err(failed)?;
        Ok((kernel.model(&theta, &found.as_point()), found.certificate, found.point.region))
    }
}

#[pymethods]
impl Map {
    /// Finds the critical regions of a rectangle, for the problem of a path.
    #[staticmethod]
    fn explore(
        py: Python<'_>,
        path: &ProblemPath,
        domain: [[f64; 2]; 2],
        by_cost: bool,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let spec = path.kept.spec.clone();
        let settings = settings(threads, None);
        apart(py, progress, move |mut watch| {
            let plane = pose(&spec, domain, by_cost, &settings)?;
            let complex = explore(&plane, domain, &settings, &mut watch)?;
            Ok(Map { kept: Kept { spec, domain, by_cost, complex }, plane })
        })
    }

    /// The number of regions.
    fn __len__(&self) -> usize {
        self.kept.complex.regions().len()
    }

    /// The rectangle.
    #[getter]
    fn domain(&self) -> [[f64; 2]; 2] {
        self.kept.domain
    }

    /// The names of the parameters.
    #[getter]
    fn parameters(&self) -> [&'static str; 2] {
        self.plane.names
    }

    /// Regions, edges, vertices, holes, and the part of the rectangle that is covered.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (out, complex) = (PyDict::new(py), &self.kept.complex);
        out.set_item("regions", complex.regions().len())?;
        out.set_item("edges", complex.topology().edges())?;
        out.set_item("vertices", complex.topology().vertices())?;
        out.set_item("holes", complex.holes())?;
        out.set_item("covered", complex.covered())?;
        Ok(out)
    }

    /// The corners of every region, anticlockwise, and its number of free variables.
    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Bound<'py, PyAny>, usize)>> {
        let complex = &self.kept.complex;
        let region = |k: usize| {
            let corners = complex.corners(RegionId(k as u32)).unwrap_or_default();
            let corners: Vec<[f64; 2]> = corners.into_iter().map(|(corner, _)| corner).collect();
            let free = complex.regions().get(k).map_or(0, |region| region.free().count());
            Ok((matrix(py, corners.concat(), [corners.len(), 2])?, free))
        };
        (0..complex.regions().len()).map(region).collect()
    }

    /// What happens at every edge (variable, sign of z before and after: 1 at the lower bound, 0 free, −1 at the upper), its two vertices, and the regions beside it.
    fn edges(&self) -> Vec<EdgeParts> {
        let sign = |status: Status| status.sign();
        let parts = |edge: complex::Edge| {
            let events = edge.events.iter().map(|event| (event.index, sign(event.from), sign(event.to))).collect();
            (events, edge.ends.map(|vertex| vertex.0), (edge.regions.0.0, edge.regions.1.map(|region| region.0)))
        };
        self.kept.complex.edges().into_iter().map(parts).collect()
    }

    /// The place of every vertex and whether it is one, or a direction; its edges and regions, anticlockwise; the variables that change there.
    fn vertices(&self) -> Vec<VertexParts> {
        let parts = |vertex: complex::Vertex<f64>| {
            let edges = vertex.edges.iter().map(|edge| edge.0).collect();
            let regions = vertex.regions.iter().map(|region| region.0).collect();
            (vertex.place, vertex.finite, edges, regions, vertex.events)
        };
        self.kept.complex.vertices(&self.kept.complex.edges()).into_iter().map(parts).collect()
    }

    /// The region of a point; none in a hole and outside.
    fn locate(&self, theta: [f64; 2]) -> Option<u32> {
        self.kept.complex.locate(&theta).map(|region| region.0)
    }

    /// The verdict at the centres of (at most) so many regions, evenly spaced in the order in which they were found.
    fn certificate<'py>(&self, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyDict>> {
        let complex = &self.kept.complex;
        let step = complex.regions().len().div_ceil(points.max(1)).max(1);
        let centre = |k: usize| complex.centre(RegionId(k as u32));
        let places: Vec<[f64; 2]> = (0..complex.regions().len()).step_by(step).filter_map(centre).collect();
        let found = py.detach(|| {
            let mut worst = Verdict::default();
            for (k, theta) in places.iter().enumerate() {
                let at = k as f64;
                let solved = self.solve(*theta);
                worst.include(&solved.map_or_else(|_| Verdict::missing(at), |found| Verdict::of(&found.1, at)));
            }
            worst
        });
        let place = |k: f64| Ok(places.get(k as usize).copied().into_pyobject(py)?.into_any());
        verdict(py, &found, place)
    }

    /// The solution at a point with its certificate.
    fn at<'py>(&self, py: Python<'py>, theta: [f64; 2]) -> PyResult<Bound<'py, PyDict>> {
        let (model, certificate, region) = py.detach(|| self.solve(theta))?;
        let out = PyDict::new(py);
        out.set_item("region", region.0)?;
        out.set_item("objective", model.objective)?;
        out.set_item("dual_objective", model.dual_objective)?;
        numbers(&out, &certificate)?;
        out.set_item("intercept", model.function.constant)?;
        describe(&out, &model)?;
        Ok(out)
    }

    /// f at m rows.
    fn decision<'py>(&self, py: Python<'py>, rows: &Rows, theta: [f64; 2]) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (expected, found) = (self.kept.spec.rows.features.columns(), rows.0.columns());
        if expected != found {
            return Err(input(format!("X has {found} features, but the map was made with {expected}")));
        }
        let f = py.detach(|| Ok::<_, PyErr>(self.kernel()?.decision(&self.solve(theta)?.0, &rows.0)))?;
        Ok(PyArray1::from_vec(py, f))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = postcard::to_allocvec(&slf.get().kept).map_err(input)?;
        Ok((slf.get_type().getattr("from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }

    /// What was pickled.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let kept: Kept = postcard::from_bytes(bytes).map_err(input)?;
        check(&kept.spec)?;
        let plane = pose(&kept.spec, kept.domain, kept.by_cost, &Settings::default())?;
        match kept.complex.fits(&plane.qp) {
            true => Ok(Map { kept, plane }),
            false => Err(input("the map does not belong to its problem")),
        }
    }
}
