//! Two parameters: the complex of critical regions.
//!
//! Over Θ ⊂ ℝ² the solution is piecewise affine. A critical region is the closure of the θ at which z has one sign pattern; it is a convex polygon, and the
//! regions tile Θ. [`explore`] finds all of them, from any starting point, and returns a [`Complex`]: which regions are neighbours ([`Topology`]), their
//! corners, and the law of x in each. [`stream`] hands the regions on one by one instead, and keeps only those whose neighbours are not all known.
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
//! z is unique even where x is not; that is why the sign pattern identifies a region. region.rs treats regions in which x is not unique, and explore.rs has the
//! order in which regions are found. Where y is an interval, the pattern is that of its inner points.

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

/// Why a complex could not be found, or a point of it not be solved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexError {
    /// The problem has several rows, or an inequality row.
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
    /// A range without any end, or with two equal ends.
    #[error("parameter {parameter} needs a range with at least one end, and of positive length")]
    Domain {
        /// The index of the parameter.
        parameter: usize,
    },
    /// A point outside Θ.
    #[error("({0}, {1}) lies outside the problem's domain: choose a point inside", point[0], point[1])]
    Outside {
        /// The point.
        point: [String; 2],
    },
    /// No region with an interior was found on the paths from the starting point.
    #[error("no critical region was found on the paths from the start; begin at another point")]
    NoRegion,
    /// The complex was made from a problem with other variables or another domain.
    #[error("the complex belongs to a problem with other variables or another domain")]
    OtherProblem,
    /// No region contains the point at which a solution is asked for.
    #[error("no critical region at ({0}, {1}): the complex has a hole there", point[0], point[1])]
    Hole {
        /// The point θ.
        point: [String; 2],
    },
    /// The path to a point was stopped before it arrived there.
    #[error("the path to ({0}, {1}) was stopped after {events} events", point[0], point[1])]
    Stopped {
        /// The point θ.
        point: [String; 2],
        /// The number of events until then.
        events: usize,
    },
    /// A path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// Where and how the exploration begins.
#[derive(Clone, Debug)]
pub struct Options<S> {
    /// The point of Θ to begin at. Default: the corner of Θ at the lower end of each range (at the upper end if there is no lower one).
    pub point: Option<[S; 2]>,
    /// How the solution at that point is found.
    pub start: Start<S>,
    /// The settings of all paths that are followed. `Settings::threads` of them cross sides at the same time; the complex does not depend on it.
    pub settings: Settings,
    /// The unit of length along a parameter whose range has one end only (for other parameters it is ignored). Default: the middle one of the breakpoints along
    /// that range, so that the result does not depend on the units of the data.
    pub scale: Option<[S; 2]>,
}

impl<S: Scalar> Default for Options<S> {
    fn default() -> Self {
        Options { point: None, start: Start::Anywhere, settings: Settings::default(), scale: None }
    }
}

/// A critical region with the law of x in it.
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

/// The law of a critical region: affine functions v + g₁(θ₁ − a₁) + g₂(θ₂ − a₂), each stored as \[v, g₁, g₂\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionLaw<'a, S> {
    /// The point a of Θ.
    pub anchor: &'a [S; 2],
    /// The functions of the free variables, in the order of [`CriticalRegion::free`].
    pub x: &'a [[S; 3]],
    /// The function of y; `None` where y is an interval, or without an equality row.
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

/// The solution at one θ of two parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanePoint<S> {
    /// The parameters θ.
    pub theta: [S; 2],
    /// x, n entries.
    pub x: Vec<S>,
    /// The multiplier of the equality row; where it is not unique, one value of its interval.
    pub y: S,
    /// Whether y is not unique.
    pub floating: bool,
    /// The free indices.
    pub free: Vec<usize>,
    /// The fit Zᵀx, d entries, where H = κZZᵀ and the fit is known ([`Point::fit`]); it may have more correct digits than x gives.
    pub fit: Option<Vec<S>>,
    /// The region that contains θ.
    pub region: RegionId,
}

impl<S: Scalar> PlanePoint<S> {
    /// The same solution as a [`Point`] with t = 0.
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
/// [`ComplexError`] for a problem with several rows or an inequality row, another number of parameters, a range without an end or length, a start outside Θ or
/// not found, or an H that turns out indefinite. Paths that fail later on leave holes and are no errors.
pub fn explore<S: Scalar>(qp: &ParametricQp<S>, options: &Options<S>) -> Result<Complex<S>, ComplexError> {
    match explore_while(qp, options, &mut |_| true)? {
        (_, Some(error)) => Err(error),
        (complex, None) => Ok(complex),
    }
}

/// As [`explore`], for as long as `go_on` returns true. It is called after each layer, and at every event on the way to the first region
/// ([`ExploreStats::layers`] is zero until then). When the exploration ends early, the complex consists of the regions all of whose neighbours are known; if an
/// error ended it, that is the second value.
///
/// # Errors
/// As [`explore`], where not even a first region was found; [`PathError::StartStopped`] if `go_on` ended the way to the first region.
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

/// Finds every critical region and calls `visit` with each as soon as all of its neighbours are known, until `visit` returns false. Returns the counters and
/// the number of holes. Memory holds the open regions, and the sign patterns of the others.
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

    /// The active set at the region's centre: the status of each of the n variables.
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The free indices of that active set, in the order of [`RegionLaw::x`].
    pub fn free(&self) -> impl Iterator<Item = usize> {
        self.free.iter().map(|i| *i as usize)
    }

    /// Whether x is one affine function of θ all over the region.
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// Whether y is not unique, or there is no equality row.
    pub fn is_floating(&self) -> bool {
        self.y.is_none()
    }

    /// The law of the region. Where x is not unique, it is one choice of x near the centre only, while Hx and y hold all over the region.
    pub fn law(&self) -> RegionLaw<'_, S> {
        RegionLaw { anchor: &self.anchor, x: &self.x, y: self.y.as_ref() }
    }

    /// The corners of the region, anticlockwise, given the problem and the options that it was found with. A corner at infinity is a direction, and its second
    /// entry is false. `None` if the problem does not have two parameters with a range each. If the options do not contain the units, these are found again, by
    /// a path along each range with one end.
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
    /// The regions, in order of discovery; the region with [`RegionId`] k is entry k.
    pub fn regions(&self) -> &[CriticalRegion<S>] {
        &self.regions
    }

    /// Which regions, edges and vertices are adjacent.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Counters of the exploration.
    pub fn stats(&self) -> &ExploreStats {
        &self.stats
    }

    /// The number of parts of sides beyond which nothing was found.
    pub fn holes(&self) -> usize {
        self.holes
    }

    /// The corners of a region, anticlockwise; `None` if there is no such region. A corner at infinity is a direction, and its second entry is false.
    pub fn corners(&self, region: RegionId) -> Option<Vec<([S; 2], bool)>> {
        Some(self.frame.corners(&self.regions.get(region.0 as usize)?.polygon))
    }

    /// A point inside a region; `None` if there is no such region.
    pub fn centre(&self, region: RegionId) -> Option<[S; 2]> {
        self.regions.get(region.0 as usize).map(|r| self.frame.theta(&r.centre))
    }

    /// The area of a region, in units of θ₁θ₂; `None` if it is unbounded, or there is no such region.
    pub fn area(&self, region: RegionId) -> Option<S> {
        let area = self.regions.get(region.0 as usize)?.polygon.area()?;
        Some(area * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The area of Θ; `None` if Θ is unbounded.
    pub fn domain_area(&self) -> Option<S> {
        let area = self.frame.polygon.area()?;
        Some(area * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The sum of the areas of all regions; `None` if Θ is unbounded.
    pub fn total_area(&self) -> Option<S> {
        let sum = self.regions.iter().try_fold(S::zero(), |sum, r| Some(sum + r.polygon.area()?))?;
        Some(sum * &self.frame.unit[0] * &self.frame.unit[1])
    }

    /// The part of the area of Θ that the regions cover: one if they tile it. An unbounded Θ and its regions are first mapped to a bounded set by (X, Y) → (X,
    /// Y)/(1 + |X| + |Y|), in units of [`Options::scale`] and with only those of |X| and |Y| in the sum along which Θ is unbounded; the map takes polygons to
    /// polygons.
    pub fn covered(&self) -> S {
        let area = |polygon: &Polygon<S>| polygon.area_of(|p| self.frame.bounded(p));
        let sum = self.regions.iter().fold(S::zero(), |sum, r| sum + area(&r.polygon));
        sum / area(&self.frame.polygon)
    }
}
