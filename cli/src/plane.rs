//! A problem posed on a rectangle of its two parameters, explored, and certified at random points.

use crate::certify::uniform;
use crate::errors::MapError;
use crate::values::Domain;
use pathqp::certificate::Verdict;
use pathqp::complex::{Complex, ComplexError, ExploreStats, Options, RegionId, explore_while};
use pathqp::observe::Ask;
use pathqp::{PathError, Range, Settings, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::course::Parameter;
use pathqp_adapters::plane::{Plane, Solved};
use pathqp_adapters::spec::{Entry, Spec};

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

/// Poses a problem on a rectangle.
///
/// # Errors
/// What the problem or the engine refuses; a domain that is none; a problem with one parameter.
pub fn pose(entry: &Entry, spec: &Spec, domain: &Domain, settings: &Settings) -> Result<Plane, PlaneError> {
    let problem = || entry.name.to_owned();
    let names = entry.plane.ok_or_else(|| MapError::OneParameter { problem: problem() })?;
    let problem = (entry.build)(spec, &names)?;
    let ends = names.iter().zip(problem.parameters()).zip(domain);
    let ranges = ends.map(|((name, parameter), ends)| range(name, parameter, *ends));
    let ranges = ranges.collect::<Result<Vec<_>, MapError>>()?;
    let qp = problem.qp(settings)?.within(ranges).map_err(AdapterError::from)?;
    Ok(Plane { problem, qp, names })
}

/// The point that lies `share` (0 to 1, less than 1) of the way along each range. One without an upper end is mapped to [0, 1) by
/// v = from + s/(1 − s).
fn point(plane: &Plane, share: [f64; 2]) -> [f64; 2] {
    let ends = plane.ends();
    [0, 1].map(|a: usize| {
        let ([from, to], s) = (ends[a], share[a]);
        let from = from.unwrap_or(0.0);
        let value = from + to.map_or(s / (1.0 - s), |to| (to - from) * s);
        to.map_or(value, |to| value.min(to))
    })
}

/// Whether a range of the domain has no end.
fn is_unbounded(plane: &Plane) -> bool {
    plane.ends().iter().any(|[from, to]| from.is_none() || to.is_none())
}

/// Finds the critical regions, for as long as `go_on` says (see [`explore_while`]). It begins at the point that is asked for, or else at the lower ends, or if that is no place to begin
/// inside the domain.
///
/// # Errors
/// [`ComplexError`] of the first place that was tried.
pub fn explore(
    plane: &Plane,
    start: Option<[f64; 2]>,
    settings: &Settings,
    go_on: &mut dyn FnMut(&ExploreStats) -> bool,
) -> Result<(Complex<f64>, Option<ComplexError>), ComplexError> {
    let mut first = None;
    let points =
        start.map_or_else(|| [[0.0, 0.0], [0.37, 0.41]].map(|share| self::point(plane, share)).to_vec(), |p| vec![p]);
    for point in points {
        let near =
            plane.problem.start_watched(&plane.qp, &point, settings, &mut Ask(|| go_on(&ExploreStats::default())));
        for start in [near.map_err(ComplexError::from), Ok(Start::Anywhere)] {
            let found = start.and_then(|start| {
                let options = Options { point: Some(point), start, settings: settings.clone(), ..Options::default() };
                explore_while(&plane.qp, &options, go_on)
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

/// A random point: of the domain, or where that is unbounded of a region, each with the same probability, so that there are points at costs of every size at which
/// something happens. In a region it is a mean of the corners with random weights; a direction counts as a corner as far away as the others.
fn random(plane: &Plane, complex: &Complex<f64>, state: &mut u64) -> [f64; 2] {
    let count = complex.regions().len();
    let region = RegionId(((uniform(state) * count as f64) as usize).min(count.saturating_sub(1)) as u32);
    let corners = complex.corners(region).filter(|_| is_unbounded(plane));
    let Some(corners) = corners else { return point(plane, [uniform(state), uniform(state)]) };
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
    let ends = plane.ends();
    [0, 1].map(|a: usize| {
        let [from, to] = ends[a];
        let value = if weights > 0.0 { sum[a] / weights } else { sum[a] };
        value.max(from.unwrap_or(value)).min(to.unwrap_or(f64::INFINITY))
    })
}

/// The certificates at random points, and these points; a position of the verdict is the number of a point. Points in holes are left out: the
/// complex says itself that it has them. What cannot be computed fails. Ends early when `go_on` says so.
pub fn certify(
    plane: &Plane,
    complex: &Complex<f64>,
    (points, seed): (usize, u64),
    settings: &Settings,
    go_on: &dyn Fn() -> bool,
) -> (Verdict, Vec<[f64; 2]>) {
    let (mut worst, mut places) = (Verdict::default(), Vec::with_capacity(points));
    let mut state = seed;
    for _ in 0..points {
        let theta = random(plane, complex, &mut state);
        let number = places.len() as f64;
        let solved = plane.solve(complex, &theta, settings, go_on);
        if !go_on() {
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
