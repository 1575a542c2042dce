//! A stored complex is validated on reading: whatever does not fit together is refused, so that no later step can go wrong on it.

use super::frame::Frame;
use super::geometry::{HalfPlane, Point, Polygon};
use super::topology::Topology;
use super::{Complex, CriticalRegion, ExploreStats};
use crate::active_set::Status;
use crate::problem::ParametricQp;
use crate::scalar::Scalar;

/// The stored form of a [`Complex`].
#[derive(serde::Deserialize)]
#[serde(bound(deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub struct ComplexParts<S> {
    frame: Frame<S>,
    regions: Vec<CriticalRegion<S>>,
    topology: Topology,
    holes: usize,
    stats: ExploreStats,
}

impl<S: Scalar> TryFrom<ComplexParts<S>> for Complex<S> {
    type Error = String;

    fn try_from(parts: ComplexParts<S>) -> Result<Self, String> {
        let ComplexParts { frame, regions, topology, holes, stats } = parts;
        let n = regions.first().map_or(0, |region| region.status.len());
        if !frame.is_sound() {
            return Err("the domain of the complex is none".into());
        }
        if let Some(r) = regions.iter().position(|region| !region.is_sound(n)) {
            return Err(format!("region {r} of the complex does not fit together"));
        }
        let sides: Vec<usize> = regions.iter().map(|region| region.lines.len()).collect();
        if !topology.is_of(&sides) {
            return Err("the topology of the complex does not fit its regions".into());
        }
        Ok(Complex { frame, regions, topology, holes, stats })
    }
}

fn finite<'a, S: Scalar>(values: impl IntoIterator<Item = &'a S>) -> bool {
    values.into_iter().all(S::is_finite_number)
}

impl<S: Scalar> Polygon<S> {
    /// Whether it has corners, finite ones and directions, and a label for each.
    fn is_sound(&self) -> bool {
        let direction = |p: &Point<S>| p[2].is_zero() && (!p[0].is_zero() || !p[1].is_zero());
        let corner = |p: &Point<S>| finite(p) && (p[2] == S::one() || direction(p));
        self.corners.len() >= 3 && self.labels.len() == self.corners.len() && self.corners.iter().all(corner)
    }
}

impl<S: Scalar> HalfPlane<S> {
    fn is_sound(&self) -> bool {
        finite(&self.line) && self.terms.is_finite_number()
    }
}

impl<S: Scalar> Frame<S> {
    fn is_sound(&self) -> bool {
        let unit = |u: &S| u.is_finite_number() && *u > S::zero();
        finite(&self.origin)
            && self.unit.iter().all(unit)
            && self.walls.len() == 4
            && self.walls.iter().flatten().all(|wall| wall.is_sound())
            && self.polygon.is_sound()
    }
}

impl<S: Scalar> CriticalRegion<S> {
    /// Whether its lists fit together, for n variables.
    fn is_sound(&self, n: usize) -> bool {
        if self.status.len() != n {
            return false;
        }
        let mut free = vec![false; n];
        // A repeated index finds itself marked already.
        let once = |&i: &u32| free.get_mut(i as usize).is_some_and(|seen| !std::mem::replace(seen, true));
        let at_bound = |&i: &u32| self.status.get(i as usize).is_some_and(|status| *status != Status::Free);
        self.unsigned.iter().all(at_bound)
            && self.unsigned.windows(2).all(|pair| pair[0] < pair[1])
            && self.free.iter().all(once)
            && self.status.iter().zip(&free).all(|(status, free)| (*status == Status::Free) == *free)
            && self.x.len() == self.free.len()
            && finite(self.x.iter().chain(&self.y).flatten())
            && finite(&self.anchor)
            && finite(&self.centre)
            && self.centre[2] == S::one()
            && self.polygon.is_sound()
            && self.lines.len() == self.polygon.corners.len()
            && self.lines.iter().all(HalfPlane::is_sound)
    }
}

impl<S: Scalar> Complex<S> {
    /// Whether it has the variables and the domain of a problem.
    pub fn fits(&self, qp: &ParametricQp<S>) -> bool {
        // All regions of a complex have as many.
        let n = qp.n();
        qp.p() == 2
            && self.regions.first().is_none_or(|region| region.status.len() == n)
            && Frame::new(qp, &self.frame.unit).is_some_and(|frame| frame == self.frame)
    }
}
