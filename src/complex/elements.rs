//! Edges and vertices of a complex, with the indices that change at them.
//!
//! In the terms of \[Wesierski 2017, eq. 20 to 22\] a vertex has a place and edges; an edge has an event, two vertices and the two regions beside it. An event
//! is an index that changes between free and a bound; crossing the edge the other way reverses it. Where two edges run through a vertex, both of their events
//! happen there (a joint event), and the four regions around it have the four combinations. Here an edge may have several events, because variables may be
//! equal, and a vertex more than two.

use super::geometry::Point;
use super::{Complex, EdgeId, RegionId, VertexId};
use crate::active_set::Status;
use crate::scalar::Scalar;

/// A change of the sign of one zᵢ: `Lower` stands for zᵢ > 0, `Free` for zᵢ = 0, `Upper` for zᵢ < 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignChange {
    /// The variable i.
    pub index: usize,
    /// The sign in the first region.
    pub from: Status,
    /// The sign in the second region.
    pub to: Status,
}

/// A common part of the sides of two regions, or a side on the boundary of Θ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertices at its ends, in the order in which the first region lies to the left.
    pub ends: [VertexId; 2],
    /// The regions beside it; the second is `None` on the boundary of Θ.
    pub regions: (RegionId, Option<RegionId>),
    /// The signs that change from the first region to the second, by ascending index; empty on the boundary.
    pub events: Vec<SignChange>,
}

/// A point in which edges end.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex<S> {
    /// The point θ, or a direction in the plane of θ if the vertex lies at infinity.
    pub place: [S; 2],
    /// Whether the vertex is a point; otherwise it lies at infinity in the direction `place`.
    pub finite: bool,
    /// The edges that end there, anticlockwise; at a vertex on the boundary the first and the last one lie on the boundary.
    pub edges: Vec<EdgeId>,
    /// The regions between the edges: the first lies between the first two edges.
    pub regions: Vec<RegionId>,
    /// The indices that change at its edges, in ascending order, each once.
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

    /// All edges; the edge with [`EdgeId`] k is entry k.
    pub fn edges(&self) -> Vec<Edge> {
        let edge = |e: u32| {
            let (ends, regions) = self.topology.ends(EdgeId(e)).zip(self.topology.beside(EdgeId(e)))?;
            let events = regions.1.map_or_else(Vec::new, |beyond| self.changes(regions.0, beyond));
            Some(Edge { ends, regions, events })
        };
        (0..self.topology.edges() as u32).filter_map(edge).collect()
    }

    /// All vertices; the vertex with [`VertexId`] k is entry k. `edges` is the result of [`Complex::edges`].
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
