//! Critical regions in any number of parameters, and with rows.

use crate::error::{PathError, adapter as refused, input};
use crate::problem::{Question, check, entry, settings};
use crate::report::{numbers, put, verdict};
use crate::rows::matrix;
use crate::watch::{Watch, apart};
use numpy::PyArray1;
use pathqp::Settings;
use pathqp::certificate::Verdict;
use pathqp::regions::{self, Options, RegionsError, explore_while};
use pathqp_adapters::space::{Space, SpaceError};
use pathqp_adapters::spec::Spec;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};

/// Regions with everything that is needed to use them, as they are pickled.
#[derive(Serialize, Deserialize)]
struct Kept {
    spec: Spec,
    domain: Vec<[f64; 2]>,
    regions: regions::Regions,
}

/// The region of a cell, and G and g of Gθ ≤ g.
type CellParts<'py> = (usize, Bound<'py, PyAny>, Bound<'py, PyArray1<f64>>);

/// All critical regions of a box.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct Regions {
    kept: Kept,
    space: Space,
}

fn pose(spec: &Spec, domain: &[[f64; 2]], settings: &Settings) -> PyResult<Space> {
    let ranges: Vec<[Option<f64>; 2]> =
        domain.iter().map(|ends| ends.map(|end| end.is_finite().then_some(end))).collect();
    Space::new(entry(&spec.problem).map_err(refused)?, spec, &ranges, settings).map_err(|error| match error {
        SpaceError::Adapter(error) => refused(error),
        error => input(format!("domain: {error}")),
    })
}

fn failed(error: RegionsError) -> PyErr {
    match error {
        RegionsError::Path(error) => PathError::new_err(error.to_string()),
        error => input(error),
    }
}

#[pymethods]
impl Regions {
    /// Finds the critical regions of a box.
    #[staticmethod]
    fn explore(
        py: Python<'_>,
        question: Question,
        domain: Vec<[f64; 2]>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let (spec, settings) = (question.spec()?, settings(threads, None));
        apart(py, progress, move |watch: Watch| {
            let space = pose(&spec, &domain, &settings)?;
            let options = Options { settings, ..Options::default() };
            let regions = explore_while(&space.qp, &options, &mut |cells, _| watch.look(0.0, cells)).map_err(failed)?;
            Ok(Regions { kept: Kept { spec, domain, regions }, space })
        })
    }

    /// The number of regions.
    fn __len__(&self) -> usize {
        self.kept.regions.regions()
    }

    /// The box.
    #[getter]
    fn domain(&self) -> Vec<[f64; 2]> {
        self.kept.domain.clone()
    }

    /// The names of the parameters.
    #[getter]
    fn parameters(&self) -> Vec<&'static str> {
        self.space.names.clone()
    }

    /// Whether the search came to its end.
    #[getter]
    fn complete(&self) -> bool {
        self.kept.regions.is_complete()
    }

    /// Of every cell its region, and G and g of Gθ ≤ g.
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Vec<CellParts<'py>>> {
        let (regions, p) = (&self.kept.regions, self.space.names.len());
        let cell = |k: usize| {
            let (normals, offsets): (Vec<Vec<f64>>, Vec<f64>) =
                regions.half_spaces(k).unwrap_or_default().into_iter().unzip();
            let normals = matrix(py, normals.concat(), [normals.len(), p])?;
            Ok((regions.region_of(k).unwrap_or(0), normals, PyArray1::from_vec(py, offsets)))
        };
        (0..regions.cells().len()).map(cell).collect()
    }

    /// Of so many random points those that are covered, that have no solution, and neither.
    fn coverage(&self, py: Python<'_>, points: usize, seed: u64) -> (usize, usize, usize) {
        let found = py.detach(|| self.kept.regions.coverage(&self.space.qp, points, seed));
        (found.covered, found.infeasible, found.uncovered)
    }

    /// The verdict at the centres of (at most) so many cells, evenly spaced in the order in which they were found.
    fn certificate<'py>(&self, py: Python<'py>, points: usize) -> PyResult<Bound<'py, PyDict>> {
        let regions = &self.kept.regions;
        let count = regions.cells().len();
        let centre = |k: usize| regions.centre(k).map(|centre| centre.0);
        let places: Vec<Vec<f64>> =
            (0..count).step_by(count.div_ceil(points.max(1)).max(1)).filter_map(centre).collect();
        let found = py.detach(|| {
            let mut worst = Verdict::default();
            for (at, theta) in places.iter().enumerate() {
                let place = self.space.at(regions, theta);
                let own =
                    place.map_or_else(|_| Verdict::missing(at as f64), |p| Verdict::of(&p.certificate, at as f64));
                worst.include(&own);
            }
            worst
        });
        let place = |k: f64| Ok(places.get(k as usize).cloned().into_pyobject(py)?.into_any());
        verdict(py, &found, place)
    }

    /// The region of a point; none outside, without a solution, and where nothing covers it.
    fn locate(&self, theta: Vec<f64>) -> Option<usize> {
        self.kept.regions.locate(&theta).and_then(|cell| self.kept.regions.region_of(cell))
    }

    /// The solution at a point with its certificate.
    fn at<'py>(&self, py: Python<'py>, theta: Vec<f64>) -> PyResult<Bound<'py, PyDict>> {
        let found = py.detach(|| self.space.at(&self.kept.regions, &theta)).map_err(failed)?;
        let out = PyDict::new(py);
        out.set_item("theta", theta)?;
        out.set_item("region", found.point.region)?;
        out.set_item("objective", found.solution.objective)?;
        out.set_item("dual_objective", found.solution.dual_objective)?;
        numbers(&out, &found.certificate)?;
        out.set_item("free", PyArray1::from_vec(py, found.point.free.clone()))?;
        let values = found.solution.values.iter().chain(&found.solution.further);
        values.into_iter().try_for_each(|(name, value)| put(&out, name, value))?;
        Ok(out)
    }

    /// A program in C that does the same.
    fn controller(&self, name: &str) -> String {
        self.space.controller(name, &self.kept.regions)
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
        let space = pose(&kept.spec, &kept.domain, &Settings::default())?;
        match kept.regions.fits(&space.qp) && kept.regions.violations().is_empty() {
            true => Ok(Regions { kept, space }),
            false => Err(input("the regions do not belong to their problem")),
        }
    }
}
