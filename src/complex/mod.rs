//! Two parameters: the complex of critical regions.
//!
//! Over Θ ⊂ ℝ² the solution is piecewise affine. A critical region is where z has one sign pattern; it is a convex polygon, and the regions
//! tile Θ. [`explore`] finds them all, starting anywhere, and returns a [`Complex`]: who borders whom ([`Topology`]), where they are,
//! and the law of x in each. [`stream`] hands them on one by one instead and keeps only those whose neighbours are not all known.
//!
//! Minimise ½(x₁² + x₂²) − θ₁x₁ − θ₂x₂ for 0 ≤ x ≤ 1: each xᵢ is θᵢ, clipped to [0, 1], so that Θ = [−1, 2]² has nine regions.
//!
//! ```
//! use pathqp::{Affine, ParametricQp, Range, hessian::Dense, complex::{self, Options}};
//! use std::sync::Arc;
//!
//! let h = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]])?);
//! let c = Affine { constant: vec![0.0; 2], slopes: vec![vec![-1.0, 0.0], vec![0.0, -1.0]] };
//! let domain = vec![Range::new(-1.0, 2.0), Range::new(-1.0, 2.0)];
//! let qp = ParametricQp::new(h, domain, c)?
//!     .lower(Affine::constant(vec![0.0; 2], 2))?
//!     .upper(Affine::constant(vec![1.0; 2], 2))?;
//! let complex = complex::explore(&qp, &Options::default())?;
//! assert_eq!((complex.regions().len(), complex.topology().edges(), complex.topology().vertices()), (9, 24, 16));
//! assert!((complex.covered() - 1.0).abs() <= 1e-12);
//! assert!(complex.validate().is_empty());
//! assert_eq!(complex.at(&qp, &[0.25, 1.5])?.x, [0.25, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The sign pattern is the identity of a region because z is unique where x is not; see region.rs for what is done then, and
//! explore.rs for the order in which regions are found. Where y is an interval, the pattern is that of its inner points.

mod cut;
mod elements;
mod explore;
mod frame;
mod geometry;
mod law;
mod locate;
mod parts;
mod region;
mod topology;
mod units;
mod validate;

pub use elements::{Edge, SignChange, Vertex};
pub use explore::ExploreStats;
pub use topology::{EdgeId, RegionId, Topology, VertexId};
pub use validate::ComplexViolation;

use crate::active_set::Status;
use crate::error::PathError;
use crate::path::{Point, Start};
use crate::problem::ParametricQp;
use crate::scalar::Scalar;
use crate::settings::Settings;
use explore::{Closed, Explorer, Way};
use frame::Frame;
use geometry::{HalfPlane, Polygon};
use law::Plane;
use region::{Question, Region};
use units::units;

/// Why a complex could not be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexError {
    /// The problem has more rows than one, or rows with room.
    #[error(
        "the complex of two parameters takes at most one equality row: use `regions` for a problem with other rows"
    )]
    Rows,
    /// The problem has another number of parameters.
    #[error("the complex has two parameters, and the problem has {found}: use `line` for one and `regions` for more")]
    Parameters {
        /// The number found.
        found: usize,
    },
    /// A range that is unbounded in both directions, or a point.
    #[error("parameter {parameter} needs a range with at least one end, and of positive length")]
    Domain {
        /// Which parameter.
        parameter: usize,
    },
    /// A point outside Θ.
    #[error("({0}, {1}) lies outside the problem's domain: choose a point inside", point[0], point[1])]
    Outside {
        /// The point.
        point: [String; 2],
    },
    /// No region was found near the start.
    #[error("no critical region was found on the paths from the start; begin at another point")]
    NoRegion,
    /// The complex was made from a problem with other variables or another domain.
    #[error("the complex belongs to a problem with other variables or another domain")]
    OtherProblem,
    /// Where a solution is asked for there is no region.
    #[error("no critical region at ({0}, {1}): the complex has a hole there", point[0], point[1])]
    Hole {
        /// The point.
        point: [String; 2],
    },
    /// The path to a point ended before it arrived there.
    #[error("the path to ({0}, {1}) was stopped after {events} events", point[0], point[1])]
    Stopped {
        /// The point.
        point: [String; 2],
        /// Events until then.
        events: usize,
    },
    /// A path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Where to begin, and how.
#[derive(Clone, Debug)]
pub struct Options<S> {
    /// The point of Θ to begin at; by default the corner of Θ at the ends of its ranges.
    pub point: Option<[S; 2]>,
    /// How the solution there is found.
    pub start: Start<S>,
    /// For the paths that are followed; `Settings::threads` of them cross sides at the same time. The complex does not depend on it.
    pub settings: Settings,
    /// The unit of length along a parameter whose range has one end only. None, the default: the middle one of the breakpoints along it, so that the units
    /// of the data do not matter.
    pub scale: Option<[S; 2]>,
}

impl<S: Scalar> Default for Options<S> {
    fn default() -> Self {
        Options { point: None, start: Start::Anywhere, settings: Settings::default(), scale: None }
    }
}

/// A critical region and the law of x in it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct CriticalRegion<S> {
    /// An active set of the region, optimal at its centre.
    status: Vec<Status>,
    anchor: [S; 2],
    free: Vec<u32>,
    /// At a bound without a sign of z: weakly active all over the region, or without room.
    unsigned: Vec<u32>,
    x: Vec<Plane<S>>,
    y: Option<Plane<S>>,
    unique: bool,
    polygon: Polygon<S>,
    lines: Vec<HalfPlane<S>>,
    centre: [S; 3],
}

/// The law of a critical region: functions v + g₁(θ₁ − a₁) + g₂(θ₂ − a₂), each as \[v, g₁, g₂\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionLaw<'a, S> {
    /// a.
    pub anchor: &'a [S; 2],
    /// x of the free indices, in the order of [`CriticalRegion::free`].
    pub x: &'a [[S; 3]],
    /// y; none where it is an interval, and without an equality row.
    pub y: Option<&'a [S; 3]>,
}

/// All critical regions of a domain.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "parts::ComplexParts<S>")]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct Complex<S> {
    frame: Frame<S>,
    regions: Vec<CriticalRegion<S>>,
    topology: Topology,
    holes: usize,
    stats: ExploreStats,
}

/// The solution at a point of the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanePoint<S> {
    /// The parameters.
    pub theta: [S; 2],
    /// x, n entries.
    pub x: Vec<S>,
    /// The multiplier of the equality row: one value where it is an interval.
    pub y: S,
    /// Whether y is one value of an interval.
    pub floating: bool,
    /// The free indices.
    pub free: Vec<usize>,
    /// The fit Zᵀx with H = κZZᵀ, where it is known better than from x ([`Point::fit`]).
    pub fit: Option<Vec<S>>,
    /// The region.
    pub region: RegionId,
}

impl<S: Scalar> PlanePoint<S> {
    /// The same as a point of a path at its t = 0.
    pub fn as_point(&self) -> Point<S> {
        let PlanePoint { x, y, floating, free, fit, .. } = self.clone();
        Point { t: S::zero(), x, y, rows: Vec::new(), floating, free, fit }
    }
}

fn question<'a, S: Scalar>(
    qp: &'a ParametricQp<S>,
    options: &Options<S>,
    way: &mut Way,
) -> Result<Question<'a, S>, ComplexError> {
    if qp.p() != 2 {
        return Err(ComplexError::Parameters { found: qp.p() });
    }
    let scale = match &options.scale {
        Some(scale) => Some(scale.clone()),
        None => units(qp, &options.settings, way)?,
    };
    let frame = scale.and_then(|scale| Frame::new(qp, &scale));
    let wrong = |r: &crate::problem::Range<S>| match (&r.from, &r.to) {
        (Some(a), Some(b)) => a >= b,
        (a, b) => a.is_none() && b.is_none(),
    };
    let parameter = qp.domain().iter().position(wrong).unwrap_or(0);
    let frame = frame.ok_or(ComplexError::Domain { parameter })?;
    let fixed = (0..qp.n()).map(|i| qp.is_fixed(i)).collect();
    Ok(Question { qp, frame, fixed, settings: options.settings.clone() })
}

fn explorer<'a, S: Scalar>(
    qp: &'a ParametricQp<S>,
    options: &Options<S>,
    way: &mut Way,
) -> Result<Explorer<'a, S>, ComplexError> {
    let question = question(qp, options, way)?;
    let point = options.point.clone().unwrap_or_else(|| question.frame.origin.clone());
    let outside = qp.domain().iter().zip(&point).any(|(range, p)| {
        range.from.as_ref().is_some_and(|a| p < a) || range.to.as_ref().is_some_and(|b| p > b) || !p.is_finite_number()
    });
    if outside {
        return Err(ComplexError::Outside { point: point.map(|p| p.to_string()) });
    }
    Explorer::new(question, &point, &options.start, way)
}

/// Finds every critical region of a problem with two parameters.
///
/// # Errors
/// A domain that is not a plane with an end along each parameter, a start outside it, or a path that could not be followed.
pub fn explore<S: Scalar>(qp: &ParametricQp<S>, options: &Options<S>) -> Result<Complex<S>, ComplexError> {
    match explore_while(qp, options, &mut |_| true)? {
        (_, Some(error)) => Err(error),
        (complex, None) => Ok(complex),
    }
}

/// As [`explore`], for as long as `go_on` says so. It is asked after each layer, and at every event on the way to the first region, while
/// [`ExploreStats::layers`] is zero. What ends early, also by an error on the way, is returned as well: the regions all of whose neighbours are known.
///
/// # Errors
/// As [`explore`], where there is nothing to return; [`PathError::StartStopped`] where `go_on` ended the way to the first region.
pub fn explore_while<S: Scalar>(
    qp: &ParametricQp<S>,
    options: &Options<S>,
    go_on: &mut dyn FnMut(&ExploreStats) -> bool,
) -> Result<(Complex<S>, Option<ComplexError>), ComplexError> {
    let mut explorer = explorer(qp, options, &mut Way::new(go_on))?;
    let mut all: Vec<Closed<S>> = Vec::new();
    let error = loop {
        match explorer.layer() {
            Ok(Some(closed)) => all.extend(closed),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
        if !go_on(&explorer.stats) {
            break None;
        }
    };
    all.sort_by_key(|closed| closed.id);
    let sides: Vec<Vec<Vec<EdgeId>>> = all.iter().map(|closed| closed.edges.clone()).collect();
    let complex = Complex {
        topology: Topology::new(&sides),
        regions: all.into_iter().map(|closed| CriticalRegion::new(closed.region)).collect(),
        holes: explorer.holes,
        stats: explorer.stats,
        frame: explorer.question.frame,
    };
    Ok((complex, error))
}

/// Finds every critical region and hands each on as soon as its neighbours are known; returns the counters and the number of holes.
/// `visit` returns whether to go on. Memory holds the regions of the front, and the sign patterns of the others.
///
/// # Errors
/// As [`explore`].
pub fn stream<S: Scalar>(
    qp: &ParametricQp<S>,
    options: &Options<S>,
    visit: &mut dyn FnMut(RegionId, CriticalRegion<S>) -> bool,
) -> Result<(ExploreStats, usize), ComplexError> {
    let mut explorer = explorer(qp, options, &mut Way::new(&mut |_| true))?;
    'layers: while let Some(closed) = explorer.layer()? {
        for closed in closed {
            if !visit(closed.id, CriticalRegion::new(closed.region)) {
                break 'layers;
            }
        }
    }
    Ok((explorer.stats, explorer.holes))
}

impl<S: Scalar> CriticalRegion<S> {
    fn new(region: Region<S>) -> Self {
        let Region { pattern, status, law, unique, centre, polygon, sides } = region;
        let unsigned = |i: &usize| status[*i] != Status::Free && pattern.sign(*i) == Status::Free;
        CriticalRegion {
            unsigned: (0..status.len()).filter(unsigned).map(|i| i as u32).collect(),
            status,
            anchor: law.anchor,
            free: law.free.into_iter().map(|i| i as u32).collect(),
            x: law.x,
            y: law.y,
            unique,
            polygon,
            lines: sides.into_iter().map(|side| HalfPlane { slopes: None, ..side.line }).collect(),
            centre,
        }
    }

    /// The active set at the region's centre.
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The free indices of that active set.
    pub fn free(&self) -> impl Iterator<Item = usize> {
        self.free.iter().map(|i| *i as usize)
    }

    /// Whether x is one affine function all over the region.
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// Whether y is an interval.
    pub fn is_floating(&self) -> bool {
        self.y.is_none()
    }

    /// The law of the region. Where x is not unique, x is one choice around the centre only, while Hx and y are those of all the region.
    pub fn law(&self) -> RegionLaw<'_, S> {
        RegionLaw { anchor: &self.anchor, x: &self.x, y: self.y.as_ref() }
    }

    /// The corners of the region, anticlockwise, given the problem and the options that it was found with. A corner at infinity is a
    /// direction: its second entry is false. None if the problem has no two parameters with a range. Where the units are not among the options they
    /// are found again, by a path along each range without an end.
    pub fn corners(&self, qp: &ParametricQp<S>, options: &Options<S>) -> Option<Vec<([S; 2], bool)>> {
        let found = || units(qp, &options.settings, &mut ()).ok().flatten();
        let scale = options.scale.clone().or_else(found)?;
        Some(Frame::new(qp, &scale)?.corners(&self.polygon))
    }

    /// x of the free indices (in the order of [`CriticalRegion::free`]) and y by the law of the region, at θ.
    fn law_at(&self, theta: &[S; 2]) -> (Vec<S>, Option<S>) {
        let away = [0, 1].map(|a: usize| theta[a].clone() - &self.anchor[a]);
        let at = |f: &Plane<S>| f[0].clone() + f[1].clone() * &away[0] + f[2].clone() * &away[1];
        (self.x.iter().map(at).collect(), self.y.as_ref().map(at))
    }
}

impl<S: Scalar> Complex<S> {
    /// The regions in order of discovery: a [`RegionId`] counts from zero.
    pub fn regions(&self) -> &[CriticalRegion<S>] {
        &self.regions
    }

    /// Who borders whom.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Counters.
    pub fn stats(&self) -> &ExploreStats {
        &self.stats
    }

    /// Parts of sides beyond which nothing was found.
    pub fn holes(&self) -> usize {
        self.holes
    }

    /// The corners of a region, anticlockwise; none if there is no such region. A corner at infinity is a direction: its second
    /// entry is false.
    pub fn corners(&self, region: RegionId) -> Option<Vec<([S; 2], bool)>> {
        Some(self.frame.corners(&self.regions.get(region.0 as usize)?.polygon))
    }

    /// A point inside a region.
    pub fn centre(&self, region: RegionId) -> Option<[S; 2]> {
        self.regions.get(region.0 as usize).map(|r| self.frame.theta(&r.centre))
    }

    /// The area of a region; none if it is unbounded, or does not exist.
    pub fn area(&self, region: RegionId) -> Option<S> {
        let area = self.regions.get(region.0 as usize)?.polygon.area()?;
        Some(area * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The area of Θ; none if it is unbounded.
    pub fn domain_area(&self) -> Option<S> {
        let area = self.frame.polygon.area()?;
        Some(area * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The sum of the areas of all regions; none if Θ is unbounded.
    pub fn total_area(&self) -> Option<S> {
        let sum = self.regions.iter().try_fold(S::zero(), |sum, r| Some(sum + r.polygon.area()?))?;
        Some(sum * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The part of the area of Θ that the regions cover, one if they tile it. If Θ is unbounded, of the area of its image under
    /// (X, Y) → (X, Y)/(1 + |X| + |Y|), with those of X and Y that are, in units of [`Options::scale`]: the map takes polygons to polygons.
    pub fn covered(&self) -> S {
        let area = |polygon: &Polygon<S>| polygon.area_of(|p| self.frame.bounded(p));
        let sum = self.regions.iter().fold(S::zero(), |sum, r| sum + area(&r.polygon));
        sum / area(&self.frame.polygon)
    }
}
