//! A problem on a box of any number of parameters: posed, explored, solved.

use crate::certify::uniform;
use crate::errors::MapError;
use crate::plane::PlaneError;
use crate::values::number;
use pathqp::certificate::Verdict;
use pathqp::regions::{RegionPoint, Regions, RegionsError};
use pathqp::{Certificate, ParametricQp, Range, Settings};
use pathqp_adapters::spec::{Entry, Spec};
use pathqp_adapters::{AdapterError, PathProblem};

/// A problem on a box.
pub struct Space {
    /// The problem.
    pub problem: Box<dyn PathProblem>,
    /// Its quadratic program there.
    pub qp: ParametricQp<f64>,
    /// The names of the parameters.
    pub names: Vec<&'static str>,
    /// Their ranges.
    pub domain: Vec<[f64; 2]>,
}

impl Space {
    /// Poses a problem on a box.
    ///
    /// # Errors
    /// What the problem or the engine refuses; a domain that is none.
    pub fn new(
        entry: &Entry,
        spec: &Spec,
        ranges: &[[Option<f64>; 2]],
        settings: &Settings,
    ) -> Result<Self, PlaneError> {
        let mut spec = spec.clone();
        let ends = ranges.iter().flatten().map(|end| end.unwrap_or(f64::NAN)).collect();
        spec.lists.insert("domain".into(), ends);
        let problem = (entry.build)(&spec, entry.plane.as_ref().map_or(&[], |names| names))?;
        let names: Vec<&'static str> = problem.parameters().iter().map(|parameter| parameter.name).collect();
        if names.len() != ranges.len() {
            return Err(MapError::Ranges { found: ranges.len(), expected: names.len(), names }.into());
        }
        let closed = |(&name, ends): (&&'static str, &[Option<f64>; 2])| match *ends {
            [Some(from), Some(to)] if from < to => Ok([from, to]),
            [Some(from), Some(to)] => Err(MapError::DomainEmpty { name: name.into(), from, to }),
            _ => Err(MapError::RangeOpen { name }),
        };
        let domain = names.iter().zip(ranges).map(closed).collect::<Result<Vec<_>, MapError>>()?;
        let ranges = domain.iter().map(|[from, to]| Range::new(*from, *to)).collect();
        let qp = problem.qp(settings)?.within(ranges).map_err(AdapterError::from)?;
        Ok(Space { problem, qp, names, domain })
    }

    /// The domain in words.
    pub fn text(&self) -> String {
        let range = |(name, [from, to]): (&&str, &[f64; 2])| format!("{name} in [{}, {}]", number(*from), number(*to));
        self.names.iter().zip(&self.domain).map(range).collect::<Vec<_>>().join(", ")
    }

    /// A point in words.
    pub fn place(&self, theta: &[f64]) -> String {
        let value = |(name, v): (&&str, &f64)| format!("{name} = {}", number(*v));
        self.names.iter().zip(theta).map(value).collect::<Vec<_>>().join(", ")
    }

    /// The solution at a point, with its certificate from the data.
    ///
    /// # Errors
    /// A point outside, without a solution, or uncovered.
    pub fn solve(&self, regions: &Regions, theta: &[f64]) -> Result<(RegionPoint, Certificate<f64>), RegionsError> {
        let point = regions.at(&self.qp, theta)?;
        let outside = |_| RegionsError::Outside { point: theta.iter().map(ToString::to_string).collect() };
        let line = self.qp.line(theta, theta).map_err(outside)?;
        let certificate = Certificate::of(&line, &point.as_point(&self.qp));
        Ok((point, certificate))
    }

    /// The certificates at random points of the domain that have a solution, and these points.
    pub fn certify(
        &self,
        regions: &Regions,
        (points, seed): (usize, u64),
        go_on: &dyn Fn() -> bool,
    ) -> (Verdict, Vec<Vec<f64>>) {
        let (mut worst, mut places, mut state) = (Verdict::default(), Vec::new(), seed);
        for _ in (0..points).take_while(|_| go_on()) {
            let inside = |[from, to]: &[f64; 2]| (from + (to - from) * uniform(&mut state)).min(*to);
            let theta: Vec<f64> = self.domain.iter().map(inside).collect();
            if let Ok((_, certificate)) = self.solve(regions, &theta) {
                worst.include(&Verdict::of(&certificate, places.len() as f64));
                places.push(theta);
            }
        }
        (worst, places)
    }
}
