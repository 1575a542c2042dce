//! A problem on a rectangle of its two parameters: posed, explored, certified at random points.

use crate::certify::uniform;
use crate::errors::CliError;
use crate::model::{Model, PoseError, Rows};
use crate::problem::{Parameter, Problem};
use crate::values::{Domain, number};
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, ExploreStats, Options, PlanePoint, explore_while};
use pathqp::{Certificate, ParametricQp, Point, Range, Settings, Start};
use pathqp_adapters::{Adapter, AdapterError, adapter};

/// A problem on a rectangle.
pub struct Plane {
    /// The problem.
    pub adapter: Box<dyn Adapter>,
    /// Its quadratic program on the rectangle.
    pub qp: ParametricQp<f64>,
    /// The names of both parameters.
    pub names: [Parameter; 2],
}

/// The solution at a point and its certificate.
pub struct Solved {
    /// The solution.
    pub point: PlanePoint<f64>,
    /// The certificate.
    pub certificate: Certificate<f64>,
}

impl Solved {
    /// The solution in the terms of a path's point.
    pub fn as_point(&self) -> Point<f64> {
        let PlanePoint { x, y, floating, free, .. } = self.point.clone();
        Point { t: 0.0, x, y, floating, free, fit: None }
    }
}

/// The range of a parameter in a domain.
fn range(
    name: Parameter,
    parameter: &adapter::Parameter,
    [from, to]: [Option<f64>; 2],
) -> Result<Range<f64>, CliError> {
    let [low, high] = parameter.range;
    for value in [from, to].into_iter().flatten() {
        if !(low..=high).contains(&value) {
            return Err(CliError::DomainOutside { value, name, low, high });
        }
    }
    // A parameter that must be positive has no least value.
    let natural = (low != f64::MIN_POSITIVE).then_some(low);
    let from = from.or(natural).ok_or(CliError::DomainOpen { name })?;
    let to = to.or(high.is_finite().then_some(high));
    match to {
        Some(to) if from < to => Ok(Range::new(from, to)),
        Some(to) => Err(CliError::DomainEmpty { name, from, to }),
        None => Ok(Range::at_least(from)),
    }
}

impl Plane {
    /// Poses a problem on a rectangle.
    ///
    /// # Errors
    /// What the adapter or the engine refuses; a domain that is none; a problem with one parameter.
    pub fn new(
        problem: Problem,
        rows: &Rows,
        model: &Model,
        domain: &Domain,
        settings: &Settings,
    ) -> Result<Self, PoseError> {
        let names = problem.entry().plane.ok_or(CliError::OneParameter { problem })?;
        let adapter = problem.adapter(rows, model, &names)?;
        let ends = names.iter().zip(adapter.parameters()).zip(domain);
        let ranges = ends.map(|((name, parameter), ends)| range(*name, parameter, *ends));
        let ranges = ranges.collect::<Result<Vec<_>, CliError>>()?;
        let qp = adapter.qp(settings)?.within(ranges).map_err(AdapterError::from)?;
        Ok(Plane { adapter, qp, names })
    }

    /// The ends of both ranges; none for a range without an upper end.
    pub fn ends(&self) -> [[Option<f64>; 2]; 2] {
        [0, 1].map(|a: usize| self.qp.domain().get(a).map_or([None; 2], |range| [range.from, range.to]))
    }

    /// The domain in words.
    pub fn text(&self) -> String {
        let ends = self.ends().map(|[from, to]| {
            let from = from.map_or("(-inf".into(), |v| format!("[{}", number(v)));
            format!("{from}, {}", to.map_or("inf)".into(), |v| format!("{}]", number(v))))
        });
        format!("{} in {} and {} in {}", self.names[0], ends[0], self.names[1], ends[1])
    }

    /// The unit of length along a range without an upper end.
    fn unit([from, to]: [Option<f64>; 2]) -> f64 {
        match (from, to) {
            (Some(from), Some(to)) => to - from,
            (Some(from), None) if from > 0.0 => from,
            _ => 1.0,
        }
    }

    /// The point that lies `share` (0 to 1, less than 1) of the way along each range. One without an upper end is mapped to [0, 1) by
    /// v = from + unit·s/(1 − s).
    fn point(&self, share: [f64; 2]) -> [f64; 2] {
        let ends = self.ends();
        [0, 1].map(|a: usize| {
            let ([from, to], s) = (ends[a], share[a]);
            let (from, unit) = (from.unwrap_or(0.0), Self::unit(ends[a]));
            let value = from + unit * if to.is_some() { s } else { s / (1.0 - s) };
            to.map_or(value, |to| value.min(to))
        })
    }

    /// Finds the critical regions, for as long as `go_on` says. It begins at the lower ends, or if that is no place to begin inside the domain.
    ///
    /// # Errors
    /// [`ComplexError`] of the first place that was tried.
    pub fn explore(
        &self,
        settings: &Settings,
        go_on: &mut dyn FnMut(&ExploreStats) -> bool,
    ) -> Result<(Complex<f64>, Option<ComplexError>), ComplexError> {
        let mut first = None;
        for point in [[0.0, 0.0], [0.37, 0.41]].map(|share| self.point(share)) {
            for start in [self.adapter.start(&self.qp, &point, settings), Start::Anywhere] {
                let scale = self.ends().map(Self::unit);
                let options = Options { point: Some(point), start, settings: settings.clone(), scale };
                match explore_while(&self.qp, &options, go_on) {
                    Ok(found) => return Ok(found),
                    Err(error) => drop(first.get_or_insert(error)),
                }
            }
        }
        Err(first.unwrap_or(ComplexError::NoRegion))
    }

    /// The solution at a point, with its certificate from the data.
    ///
    /// # Errors
    /// [`ComplexError`]: a point outside, in a hole, or on a path that fails.
    pub fn solve(&self, complex: &Complex<f64>, theta: &[f64; 2]) -> Result<Solved, ComplexError> {
        let point = complex.at(&self.qp, theta)?;
        let outside = |_| ComplexError::Outside { point: theta.map(number) };
        let line = self.qp.line(theta, theta).map_err(outside)?;
        let certificate = Certificate::new(&line, &0.0, &point.x, &point.y);
        Ok(Solved { point, certificate })
    }

    /// The certificates at random points, and these points; a position of the verdict is the number of a point. Points in holes are left out: the
    /// complex says itself that it has them. What cannot be computed fails.
    pub fn certify(&self, complex: &Complex<f64>, points: usize, seed: u64) -> (Verdict, Vec<[f64; 2]>) {
        let (mut worst, mut places) = (Verdict::default(), Vec::with_capacity(points));
        let mut state = seed;
        for _ in 0..points {
            let theta = self.point([uniform(&mut state), uniform(&mut state)]);
            let number = places.len() as f64;
            worst.include(&match self.solve(complex, &theta) {
                Ok(Solved { certificate, .. }) => Verdict::of(&certificate, number),
                Err(ComplexError::Hole { .. }) => continue,
                Err(_) => Verdict::missing(number),
            });
            places.push(theta);
        }
        (worst, places)
    }
}
