//! A machine's path and what is read from it: the part that Python does not see.

use crate::error::{input, path as failed};
use crate::machine::{Machine, Posed, Problem};
use crate::rows::Rows;
use crate::watch::Watch;
use pathqp::{Certificate, Follower, Path, PathError, Point, Settings, Start};
use pathqp_adapters::Model;
use pathqp_adapters::adapter::begin;
use pathqp_adapters::kernel::KernelKind;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

/// Floating-point operations of the certificates when a path is fitted, …
const CERTIFICATE_BUDGET: f64 = 2e7;

/// … of which there are at least this many.
const FEWEST_CERTIFICATES: usize = 9;

/// A path with everything that is needed to use it, as it is pickled.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    pub machine: Machine,
    pub vary: String,
    pub ends: [f64; 2],
    pub path: Path<f64>,
}

/// The path of a kernel machine.
#[pyclass(frozen, module = "pathqp._pathqp")]
pub struct MachinePath {
    pub kept: Kept,
    pub posed: Posed,
}

/// A value of the parameter and the solution there.
pub struct Located {
    pub value: f64,
    pub point: Point<f64>,
}

impl MachinePath {
    pub fn restore(kept: Kept) -> PyResult<Self> {
        let ends = kept.ends.map(Some);
        let posed = Posed::new(&kept.machine, &kept.vary, ends, &Settings::default())?;
        if kept.path.n() != posed.line.n() {
            return Err(input(format!("{} variables of the path, {} expected", kept.path.n(), posed.line.n())));
        }
        Ok(MachinePath { kept, posed })
    }

    pub fn value(&self, t: f64) -> f64 {
        self.posed.axis.value(&self.kept.path.parameter(&t))
    }

    /// The values at which the path begins and ends.
    pub fn covered(&self) -> [f64; 2] {
        let path = &self.kept.path;
        [self.posed.ends[0], if path.is_complete() { self.posed.ends[1] } else { self.value(*path.end()) }]
    }

    /// The solution at a value. One that lies outside by rounding alone is taken for the end.
    pub fn locate(&self, value: f64) -> PyResult<Located> {
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

    pub fn model(&self, place: &Located) -> Model {
        self.posed.adapter.model(&self.posed.axis.theta(place.value), &place.point)
    }

    /// The solution at any θ of the problem's own with its certificate: on the path, or followed from the point of it that is nearest by the sum of θ.
    pub fn elsewhere(&self, theta: &[f64]) -> PyResult<(Model, Certificate<f64>)> {
        let (path, posed) = (&self.kept.path, &self.posed);
        let fail = || input(format!("the parameters {theta:?} cannot be reached from the path"));
        let sum = |theta: &[f64]| theta.iter().sum::<f64>();
        let (origin, rate) = (sum(&path.parameter(&0.0)), sum(&path.parameter(&1.0)) - sum(&path.parameter(&0.0)));
        let t = if rate == 0.0 { 0.0 } else { ((sum(theta) - origin) / rate).clamp(0.0, *path.end()) };
        let (from, point) = (path.parameter(&t), path.at(&t).ok_or_else(fail)?);
        const ROUNDING: f64 = 8.0 * f64::EPSILON;
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
        if from.len() == theta.len() && from.iter().zip(theta).all(near) {
            let certificate = Certificate::of(&posed.line, &point);
            return Ok((posed.adapter.model(theta, &point), certificate));
        }
        let segment = path.segments().partition_point(|s| s.t <= t).saturating_sub(1);
        let start = Start::ActiveSet { status: path.status_on(segment), y: Some(point.y) };
        let line = posed.qp.line(&from, theta).map_err(crate::error::problem)?;
        let mut follower = begin(&line, &start, &Settings::default()).map_err(failed)?;
        follower.run(&mut ()).map_err(failed)?;
        let found = follower.into_path();
        let point = found.at(found.end()).filter(|_| found.is_complete()).ok_or_else(fail)?;
        let certificate = Certificate::of(&line, &point);
        Ok((posed.adapter.model(theta, &point), certificate))
    }
}

/// The follower at the beginning of the line, as the command line makes it.
pub fn follower<'a>(posed: &'a Posed, settings: &Settings, watch: &mut Watch) -> Result<Follower<'a, f64>, PathError> {
    let theta = posed.axis.theta(posed.ends[0]);
    let start = posed.adapter.start_watched(&posed.qp, &theta, settings, watch)?;
    match Follower::watched(&posed.line, &start, settings.clone(), watch) {
        Err(stopped @ PathError::StartStopped { .. }) => Err(stopped),
        Err(_) => Follower::watched(&posed.line, &Start::Anywhere, settings.clone(), watch),
        follower => follower,
    }
}

impl MachinePath {
    /// So many certificates cost little beside a path.
    pub fn affordable(&self) -> usize {
        let (n, machine) = (self.posed.line.n() as f64, &self.kept.machine);
        let products = match machine.kernel {
            KernelKind::Linear => 4.0 * n * machine.features.columns() as f64,
            _ => 2.0 * n * n,
        };
        ((CERTIFICATE_BUDGET / (products + 40.0 * n)) as usize).max(FEWEST_CERTIFICATES)
    }

    pub fn check(&self, rows: &Rows) -> PyResult<()> {
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
