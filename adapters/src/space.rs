//! A problem on a box of any number of parameters: posed, and solved by its critical regions.

use crate::c_source;
use crate::error::AdapterError;
use crate::problem::{PathProblem, Solution};
use crate::spec::{Entry, Spec};
use crate::view::View;
use pathqp::regions::{RegionPoint, Regions, RegionsError};
use pathqp::{Certificate, ParametricQp, Range, Settings};

/// A problem on a box.
pub struct Space {
    /// The problem.
    pub problem: Box<dyn PathProblem>,
    /// The quadratic program on the box.
    pub qp: ParametricQp<f64>,
    /// The names of the parameters, p entries.
    pub names: Vec<&'static str>,
    /// The ranges of the parameters, p entries.
    pub domain: Vec<[f64; 2]>,
}

/// Why a problem could not be posed on a box.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// An error of the problem.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// Another number of ranges than parameters.
    #[error("{found} ranges; give {}, one for each of {}", names.len(), names.join(", "))]
    Ranges {
        /// The number of ranges given.
        found: usize,
        /// The names of the parameters.
        names: Vec<&'static str>,
    },
    /// A range without length.
    #[error("{name} from {from} to {to}: the second number must be larger")]
    Empty {
        /// The name of the parameter.
        name: &'static str,
        /// The lower end.
        from: f64,
        /// The upper end.
        to: f64,
    },
    /// A range without an end.
    #[error("the range of {name} needs both ends")]
    Open {
        /// The name of the parameter.
        name: &'static str,
    },
}

/// A solution at a point of the box, with its certificate computed from the data.
pub struct Place {
    /// The solution of the quadratic program, with its region.
    pub point: RegionPoint,
    /// Its certificate.
    pub certificate: Certificate<f64>,
    /// The solution in the terms of the problem.
    pub solution: Solution,
}

impl Space {
    /// Poses a problem on a box, with a range for each parameter.
    ///
    /// # Errors
    /// [`SpaceError`] for what the problem or the engine refuses, another number of ranges, and a range without two ends or without length.
    pub fn new(
        entry: &Entry,
        spec: &Spec,
        ranges: &[[Option<f64>; 2]],
        settings: &Settings,
    ) -> Result<Self, SpaceError> {
        let mut spec = spec.clone();
        let ends = ranges.iter().flatten().map(|end| end.unwrap_or(f64::NAN)).collect();
        spec.lists.insert("domain".into(), ends);
        let problem = (entry.build)(&spec, entry.plane.as_ref().map_or(&[], |names| names))?;
        let names: Vec<&'static str> = problem.parameters().iter().map(|parameter| parameter.name).collect();
        if names.len() != ranges.len() {
            return Err(SpaceError::Ranges { found: ranges.len(), names });
        }
        let closed = |(&name, ends): (&&'static str, &[Option<f64>; 2])| match *ends {
            [Some(from), Some(to)] if from < to => Ok([from, to]),
            [Some(from), Some(to)] => Err(SpaceError::Empty { name, from, to }),
            _ => Err(SpaceError::Open { name }),
        };
        let domain = names.iter().zip(ranges).map(closed).collect::<Result<Vec<_>, _>>()?;
        let ranges = domain.iter().map(|[from, to]| Range::new(*from, *to)).collect();
        let qp = problem.qp(settings)?.within(ranges).map_err(AdapterError::from)?;
        Ok(Space { problem, qp, names, domain })
    }

    /// The solution at θ, p entries.
    ///
    /// # Errors
    /// [`RegionsError`] for a point outside the box, without a solution, or in no cell.
    pub fn at(&self, regions: &Regions, theta: &[f64]) -> Result<Place, RegionsError> {
        let point = regions.at(&self.qp, theta)?;
        let outside = |_| RegionsError::Outside { point: theta.iter().map(ToString::to_string).collect() };
        let line = self.qp.line(theta, theta).map_err(outside)?;
        let as_point = point.as_point(&self.qp);
        let certificate = Certificate::of(&line, &as_point);
        let solution = self.problem.solution(theta, &as_point, certificate.multiplier_range);
        Ok(Place { point, certificate, solution })
    }

    /// The regions as a program in C ([`c_source::controller`]): for a plant the inputs of the first step, for other problems all of x.
    pub fn controller(&self, name: &str, regions: &Regions) -> String {
        let outputs = match self.problem.view() {
            View::Control(controller) => controller.plant().inputs(),
            _ => self.qp.n(),
        };
        c_source::controller(name, regions, outputs)
    }
}
