//! A problem on a rectangle of its two parameters: posed, explored, certified at random points.

use crate::certify::uniform;
use crate::errors::MapError;
use crate::interrupt::Interrupt;
use crate::values::{Domain, number};
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, ExploreStats, Options, PlanePoint, RegionId, explore_while};
use pathqp::observe::Ask;
use pathqp::{Certificate, ParametricQp, PathError, Point, Range, Settings, Start};
use pathqp_adapters::course::Parameter;
use pathqp_adapters::spec::{Entry, Spec};
use pathqp_adapters::{AdapterError, KernelProblem, PathProblem};

/// A problem on a rectangle.
pub struct Plane {
    /// The problem.
    pub problem: Box<dyn PathProblem>,
    /// Its quadratic program on the rectangle.
    pub qp: ParametricQp<f64>,
    /// The names of both parameters.
    pub names: [&'static str; 2],
}

/// Why a problem could not be posed on a rectangle.
#[derive(Debug, thiserror::Error)]
pub enum PlaneError {
    /// The problem refuses.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// The domain is wrong.
    #[error(transparent)]
    Domain(#[from] MapError),
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
        self.point.as_point()
    }
}

/// The range of a parameter in a domain.
fn range(name: &'static str, parameter: &Parameter, [from, to]: [Option<f64>; 2]) -> Result<Range<f64>, MapError> {
    let [low, high] = parameter.range;
    for value in [from, to].into_iter().flatten() {
        if !(low..=high).contains(&value) {
            return Err(MapError::DomainOutside { value, name: name.into(), low, high });
        }
    }
    // A parameter that must be positive has no least value.
    let natural = (low != f64::MIN_POSITIVE && low.is_finite()).then_some(low);
    let from = from.or(natural).ok_or_else(|| MapError::DomainOpen { name: name.into() })?;
    let to = to.or(high.is_finite().then_some(high));
    match to {
        Some(to) if from < to => Ok(Range::new(from, to)),
        Some(to) => Err(MapError::DomainEmpty { name: name.into(), from, to }),
        None => Ok(Range::at_least(from)),
    }
}

impl Plane {
    /// Poses a problem on a rectangle.
    ///
    /// # Errors
    /// What the problem or the engine refuses; a domain that is none; a problem with one parameter.
    pub fn new(entry: &Entry, spec: &Spec, domain: &Domain, settings: &Settings) -> Result<Self, PlaneError> {
        let problem = || entry.name.to_owned();
        let names = entry.plane.ok_or_else(|| MapError::OneParameter { problem: problem() })?;
        let problem = (entry.build)(spec, &names)?;
        let ends = names.iter().zip(problem.parameters()).zip(domain);
        let ranges = ends.map(|((name, parameter), ends)| range(name, parameter, *ends));
        let ranges = ranges.collect::<Result<Vec<_>, MapError>>()?;
        let qp = problem.qp(settings)?.within(ranges).map_err(AdapterError::from)?;
        Ok(Plane { problem, qp, names })
    }

    /// The kernel problem, if it is one.
    pub fn kernel(&self) -> Option<&dyn KernelProblem> {
        self.problem.view().kernel()
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

    /// Whether a point lies in the domain.
    pub fn contains(&self, point: &[f64; 2]) -> bool {
        let inside = |(range, v): (&Range<f64>, &f64)| {
            range.from.is_none_or(|from| *v >= from) && range.to.is_none_or(|to| *v <= to)
        };
        self.qp.domain().iter().zip(point).all(inside)
    }

    /// The point that lies `share` (0 to 1, less than 1) of the way along each range. One without an upper end is mapped to [0, 1) by
    /// v = from + s/(1 − s).
    fn point(&self, share: [f64; 2]) -> [f64; 2] {
        let ends = self.ends();
        [0, 1].map(|a: usize| {
            let ([from, to], s) = (ends[a], share[a]);
            let from = from.unwrap_or(0.0);
            let value = from + to.map_or(s / (1.0 - s), |to| (to - from) * s);
            to.map_or(value, |to| value.min(to))
        })
    }

    /// Whether a range of the domain has no end.
    fn is_unbounded(&self) -> bool {
        self.ends().iter().any(|[from, to]| from.is_none() || to.is_none())
    }

    /// Finds the critical regions, for as long as `go_on` says (see [`explore_while`]). It begins at the point that is asked for, or else at the lower ends, or if that is no place to begin
    /// inside the domain.
    ///
    /// # Errors
    /// [`ComplexError`] of the first place that was tried.
    pub fn explore(
        &self,
        start: Option<[f64; 2]>,
        settings: &Settings,
        go_on: &mut dyn FnMut(&ExploreStats) -> bool,
    ) -> Result<(Complex<f64>, Option<ComplexError>), ComplexError> {
        let mut first = None;
        let points =
            start.map_or_else(|| [[0.0, 0.0], [0.37, 0.41]].map(|share| self.point(share)).to_vec(), |p| vec![p]);
        for point in points {
            let near =
                self.problem.start_watched(&self.qp, &point, settings, &mut Ask(|| go_on(&ExploreStats::default())));
            for start in [near.map_err(ComplexError::from), Ok(Start::Anywhere)] {
                let found = start.and_then(|start| {
                    let options =
                        Options { point: Some(point), start, settings: settings.clone(), ..Options::default() };
                    explore_while(&self.qp, &options, go_on)
                });
                match found {
                    Ok(found) => return Ok(found),
                    Err(error @ ComplexError::Path(PathError::StartStopped { .. })) => return Err(error),
                    Err(error) => drop(first.get_or_insert(error)),
                }
            }
        }
        Err(first.unwrap_or(ComplexError::NoRegion))
    }

    /// The solution at a point, with its certificate from the data.
    ///
    /// # Errors
    /// [`ComplexError`]: a point outside, in a hole, or on a path that fails or is interrupted.
    pub fn solve(
        &self,
        complex: &Complex<f64>,
        theta: &[f64; 2],
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> Result<Solved, ComplexError> {
        let point = complex.at_watched(&self.qp, theta, settings, &mut Ask(|| !interrupt.is_set()))?;
        let outside = |_| ComplexError::Outside { point: theta.map(number) };
        let line = self.qp.line(theta, theta).map_err(outside)?;
        let certificate = Certificate::of(&line, &point.as_point());
        Ok(Solved { point, certificate })
    }

    /// A random point: of the domain, or where that is unbounded of a region, each with the same probability, so that there are points at costs of every size at which
    /// something happens. In a region it is a mean of the corners with random weights; a direction counts as a corner as far away as the others.
    fn random(&self, complex: &Complex<f64>, state: &mut u64) -> [f64; 2] {
        let count = complex.regions().len();
        let region = RegionId(((uniform(state) * count as f64) as usize).min(count.saturating_sub(1)) as u32);
        let corners = complex.corners(region).filter(|_| self.is_unbounded());
        let Some(corners) = corners else { return self.point([uniform(state), uniform(state)]) };
        let far =
            corners.iter().filter(|corner| corner.1).flat_map(|corner| corner.0).fold(0.0, |m: f64, v| m.max(v.abs()));
        let (mut sum, mut weights) = ([0.0; 2], 0.0);
        for (corner, finite) in corners {
            // Weights of the exponential distribution: those of a uniform point of a simplex.
            let weight = -(1.0 - uniform(state)).ln();
            let scale = if finite {
                1.0
            } else if far > 0.0 {
                far / corner[0].abs().max(corner[1].abs())
            } else {
                1.0
            };
            weights += if finite { weight } else { 0.0 };
            sum.iter_mut().zip(corner).for_each(|(sum, v)| *sum += weight * scale * v);
        }
        let ends = self.ends();
        [0, 1].map(|a: usize| {
            let [from, to] = ends[a];
            let value = if weights > 0.0 { sum[a] / weights } else { sum[a] };
            value.max(from.unwrap_or(value)).min(to.unwrap_or(f64::INFINITY))
        })
    }

    /// The certificates at random points, and these points; a position of the verdict is the number of a point. Points in holes are left out: the
    /// complex says itself that it has them. What cannot be computed fails. Ends early when interrupted.
    pub fn certify(
        &self,
        complex: &Complex<f64>,
        points: usize,
        seed: u64,
        settings: &Settings,
        interrupt: &Interrupt,
    ) -> (Verdict, Vec<[f64; 2]>) {
        let (mut worst, mut places) = (Verdict::default(), Vec::with_capacity(points));
        let mut state = seed;
        for _ in 0..points {
            let theta = self.random(complex, &mut state);
            let number = places.len() as f64;
            let solved = self.solve(complex, &theta, settings, interrupt);
            if interrupt.is_set() {
                break;
            }
            worst.include(&match solved {
                Ok(Solved { certificate, .. }) => Verdict::of(&certificate, number),
                Err(ComplexError::Hole { .. }) => continue,
                Err(_) => Verdict::missing(number),
            });
            places.push(theta);
        }
        (worst, places)
    }
}
