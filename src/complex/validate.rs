//! Everything wrong with a complex, as a list: areas, Euler's formula, two regions beside every inner edge, closed loops around every vertex, and vertices that
//! lie on all of their edges.

use super::geometry::Point;
use super::{Complex, RegionId, VertexId};
use crate::scalar::Scalar;
use crate::settings::LEFT;
use std::fmt;

/// The covered part of a domain may differ from one by so many ε (1e-9).
const COVERED: f64 = 4_194_304.0;

/// Something wrong with a complex.
#[derive(Clone, Debug, PartialEq)]
pub enum ComplexViolation<S> {
    /// The areas of the regions do not sum to the area of Θ.
    Area {
        /// The part of the area that is covered.
        covered: S,
    },
    /// No region was found beyond some parts of sides.
    Holes {
        /// The number of these parts.
        parts: usize,
    },
    /// V − E + F is not one.
    Euler {
        /// The value of V − E + F.
        characteristic: i64,
    },
    /// The edges around a vertex do not close.
    Open {
        /// The vertex.
        vertex: VertexId,
    },
    /// A vertex does not lie on all of the sides that meet there.
    Apart {
        /// The vertex.
        vertex: VertexId,
        /// The distance, in units of the domain and relative to the vertex's coordinates where these exceed one.
        distance: S,
    },
    /// A side inside the domain with no region beyond.
    OneSided {
        /// The region that has the side.
        region: RegionId,
    },
}

impl<S: Scalar> fmt::Display for ComplexViolation<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComplexViolation::Area { covered } => write!(f, "the regions cover {covered} of the domain"),
            ComplexViolation::Holes { parts } => write!(f, "nothing was found beyond {parts} parts of sides"),
            ComplexViolation::Euler { characteristic } => {
                write!(f, "vertices - edges + regions = {characteristic}, one expected")
            }
            ComplexViolation::Open { vertex } => write!(f, "the edges around vertex {} do not close", vertex.0),
            ComplexViolation::Apart { vertex, distance } => {
                write!(f, "vertex {} is {distance} off a side that ends there", vertex.0)
            }
            ComplexViolation::OneSided { region } => {
                write!(f, "region {} has a side inside the domain with nothing beyond", region.0)
            }
        }
    }
}

impl<S: Scalar> Complex<S> {
    /// Everything wrong with the complex; empty for a complete one.
    pub fn validate(&self) -> Vec<ComplexViolation<S>> {
        let mut found = Vec::new();
        let allowed = S::tolerance(COVERED);
        let covered = self.covered();
        if (covered.clone() - S::one()).abs() > allowed {
            found.push(ComplexViolation::Area { covered });
        }
        if self.holes > 0 {
            found.push(ComplexViolation::Holes { parts: self.holes });
        }
        if self.topology.euler() != 1 {
            found.push(ComplexViolation::Euler { characteristic: self.topology.euler() });
        }
        found.extend(self.topology.open_vertices().into_iter().map(|vertex| ComplexViolation::Open { vertex }));
        let mut places: Vec<Option<(Point<S>, S)>> = vec![None; self.topology.vertices()];
        for r in 0..self.regions.len() {
            let id = RegionId(r as u32);
            let sides = self.topology.beyond(id).collect::<Vec<_>>();
            for (k, ((_, origin, beyond), (side, _))) in self.topology.around(id).zip(&sides).enumerate() {
                let region = &self.regions[r];
                let line = region.lines.get(*side);
                let wall = line.is_some_and(|line| self.frame.borders(&region.polygon, *side, line));
                if beyond.is_none() && !wall {
                    found.push(ComplexViolation::OneSided { region: id });
                }
                // The first edge of a side begins at a corner.
                if k > 0 && sides[k - 1].0 == *side {
                    continue;
                }
                let Some(corner) = region.polygon.corners.get(*side).filter(|p| !p[2].is_zero()) else { continue };
                // Where lines meet at a small angle a corner is known less well than they are.
                let before = (side + region.lines.len() - 1) % region.lines.len().max(1);
                let blur = match (region.lines.get(*side), region.lines.get(before)) {
                    (Some(line), Some(other)) => line.blur(other, corner),
                    _ => S::zero(),
                };
                let (place, known) = places[origin.0 as usize].get_or_insert_with(|| (corner.clone(), blur.clone()));
                let size = S::larger(S::one(), S::larger(corner[0].abs(), corner[1].abs()));
                let off = |k: usize| region.lines.get(k).map_or_else(S::zero, |line| line.value(place).abs());
                let distance = S::larger(off(*side), off(before));
                let allowed = size.clone() * S::tolerance(LEFT) + blur + &*known;
                if distance > allowed {
                    let distance = distance / size;
                    found.push(ComplexViolation::Apart { vertex: origin, distance });
                }
            }
        }
        found
    }

    /// Whether [`Complex::validate`] finds nothing wrong.
    pub fn is_complete(&self) -> bool {
        self.validate().is_empty()
    }
}
