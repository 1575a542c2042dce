//! The edges and vertices of a complex with what happens there.
//!
//! In the terms of \[Wesierski 2017, eq. 20 to 22\] a vertex has a place and edges, an edge an event, its two vertices and the two regions beside it. An event is an
//! index that changes between free and a bound: crossing an edge it is done, crossing it the other way it is undone. Where two edges run through a vertex both of their events
//! happen there (a joint event), and the four regions around it have the four combinations. Here an edge may have several events, where variables are equal, and a vertex
//! more than two.

use super::geometry::Point;
use super::{Complex, EdgeId, RegionId, VertexId};
use crate::active_set::Status;
use crate::scalar::Scalar;

/// The sign of one zᵢ changes: `Lower` where zᵢ > 0, `Free` where zᵢ = 0, `Upper` where zᵢ < 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignChange {
    /// i.
    pub index: usize,
    /// In the first region.
    pub from: Status,
    /// In the second region.
    pub to: Status,
}

/// A common part of the sides of two regions, or a side on the boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins and ends: the first region lies to the left.
    pub ends: [VertexId; 2],
    /// The regions beside it; the second is none on the boundary.
    pub regions: (RegionId, Option<RegionId>),
    /// What happens from the first region to the second, in the order of the indices; nothing on the boundary.
    pub events: Vec<SignChange>,
}

/// Where edges end.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex<S> {
    /// θ, or a direction.
    pub place: [S; 2],
    /// Whether it is θ; otherwise the vertex lies at infinity in that direction.
    pub finite: bool,
    /// The edges that end there, anticlockwise, from the boundary if it lies on it.
    pub edges: Vec<EdgeId>,
    /// The regions between them: the first lies between the first edge and the next.
    pub regions: Vec<RegionId>,
    /// The indices that change at its edges, in ascending order.
    pub events: Vec<usize>,
}

impl<S: Scalar> Complex<S> {
    /// The sign of every zᵢ in a region, with which it is told from the others; `Free` for variables without room.
    fn signs(&self, region: RegionId) -> Vec<Status> {
        let Some(region) = self.regions.get(region.0 as usize) else { return Vec::new() };
        let mut signs = region.status.clone();
        region.unsigned.iter().for_each(|&i| signs[i as usize] = Status::Free);
        signs
    }

    /// What happens between two regions.
    fn changes(&self, from: RegionId, to: RegionId) -> Vec<SignChange> {
        let pairs = self.signs(from).into_iter().zip(self.signs(to)).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(index, (from, to))| SignChange { index, from, to }).collect()
    }

    /// All edges: an [`EdgeId`] counts from zero.
    pub fn edges(&self) -> Vec<Edge> {
        let edge = |e: u32| {
            let (ends, regions) = self.topology.ends(EdgeId(e)).zip(self.topology.beside(EdgeId(e)))?;
            let events = regions.1.map_or_else(Vec::new, |beyond| self.changes(regions.0, beyond));
            Some(Edge { ends, regions, events })
        };
        (0..self.topology.edges() as u32).filter_map(edge).collect()
    }

    /// All vertices: a [`VertexId`] counts from zero. `edges` are those of [`Complex::edges`].
    pub fn vertices(&self, edges: &[Edge]) -> Vec<Vertex<S>> {
        let (places, turns) = (self.places(), self.topology.turns());
        let vertex = |(place, turn): (Point<S>, Vec<(EdgeId, Option<RegionId>)>)| {
            let happens = turn.iter().filter_map(|(edge, _)| edges.get(edge.0 as usize));
            let mut events: Vec<usize> = happens.flat_map(|edge| &edge.events).map(|event| event.index).collect();
            events.sort_unstable();
            events.dedup();
            let finite = !place[2].is_zero();
            let scaled = || [0, 1].map(|a: usize| place[a].clone() * &self.frame.unit[a]);
            let place = if finite { self.frame.theta(&place) } else { scaled() };
            let (edges, regions) = turn.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
            Vertex { place, finite, edges, regions: regions.into_iter().flatten().collect(), events }
        };
        places.into_iter().zip(turns).map(vertex).collect()
    }

    /// Where each vertex lies: at a corner of one of the regions around it.
    fn places(&self) -> Vec<Point<S>> {
        let nowhere = [S::zero(), S::zero(), S::zero()];
        let mut places = vec![nowhere.clone(); self.topology.vertices()];
        for (r, region) in self.regions.iter().enumerate() {
            let id = RegionId(r as u32);
            let mut before = None;
            for ((_, origin, _), (side, _)) in self.topology.around(id).zip(self.topology.beyond(id)) {
                // The first edge of a side begins at a corner.
                let begins = before.replace(side) != Some(side);
                let corner = region.polygon.corners.get(side).filter(|_| begins);
                if let Some((place, corner)) = places.get_mut(origin.0 as usize).zip(corner)
                    && *place == nowhere
                {
                    place.clone_from(corner);
                }
            }
        }
        places
    }
}
