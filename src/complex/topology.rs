//! Which regions, edges and vertices are adjacent; coordinates play no part.
//!
//! A doubly connected edge list (Muller and Preparata 1978, doi:10.1016/0304-3975(78)90051-8). Every edge is a pair of half-edges, one for each region beside
//! it, or a single half-edge on the boundary of the domain. A half-edge knows the next one around its region. Crossing to the twin and taking the next
//! half-edge, again and again, goes around a vertex; so vertices are found without comparing coordinates, and the loops of \[Wesierski 2017, eq. 19\] either
//! close or are seen not to.

use serde::{Deserialize, Serialize};

/// The number of a region, in order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RegionId(pub u32);

/// The number of an edge: a common part of the sides of two regions, or a side on the boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeId(pub u32);

/// The number of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VertexId(pub u32);

/// One side of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct HalfEdge {
    region: RegionId,
    edge: EdgeId,
    /// Which side of its region it lies on.
    side: u32,
    next: u32,
    twin: Option<u32>,
    /// Where it begins.
    origin: VertexId,
}

/// Regions, edges and vertices with their adjacencies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    half_edges: Vec<HalfEdge>,
    /// The first half-edge of every region.
    first: Vec<u32>,
    /// The first half-edge of every edge.
    edges: Vec<u32>,
    vertices: usize,
    /// Sides of regions without an edge.
    missing: usize,
}

impl Topology {
    /// From the sides of every region, anticlockwise, each with its edges in order. An edge occurs once, or in two regions.
    pub(super) fn new(regions: &[Vec<Vec<EdgeId>>]) -> Self {
        let mut topology = Topology::default();
        let mut seen: Vec<Option<u32>> = Vec::new();
        for (r, sides) in regions.iter().enumerate() {
            let first = topology.half_edges.len() as u32;
            topology.first.push(first);
            topology.missing += sides.iter().filter(|s| s.is_empty()).count();
            for (side, edge) in sides.iter().enumerate().flat_map(|(k, edges)| edges.iter().map(move |e| (k, *e))) {
                let here = topology.half_edges.len() as u32;
                if seen.len() <= edge.0 as usize {
                    seen.resize(edge.0 as usize + 1, None);
                }
                let twin = seen[edge.0 as usize];
                match twin {
                    Some(twin) => topology.half_edges[twin as usize].twin = Some(here),
                    None => seen[edge.0 as usize] = Some(here),
                }
                let (region, side) = (RegionId(r as u32), side as u32);
                topology.half_edges.push(HalfEdge { region, edge, side, next: here + 1, twin, origin: VertexId(0) });
            }
            if let Some(last) = topology.half_edges[first as usize..].last_mut() {
                last.next = first;
            }
        }
        topology.number_edges(&seen);
        topology.find_vertices();
        topology
    }

    /// Numbers the edges that there are in the order of their numbers so far: a complex that ended early lacks some.
    fn number_edges(&mut self, seen: &[Option<u32>]) {
        let mut numbers = vec![EdgeId(0); seen.len()];
        for (edge, first) in seen.iter().enumerate().filter_map(|(e, first)| Some((e, (*first)?))) {
            numbers[edge] = EdgeId(self.edges.len() as u32);
            self.edges.push(first);
        }
        self.half_edges.iter_mut().for_each(|h| h.edge = numbers[h.edge.0 as usize]);
    }

    /// Whether it is what [`Topology::new`] makes of regions with so many sides.
    pub(super) fn is_of(&self, sides: &[usize]) -> bool {
        let count = self.half_edges.len();
        // Were an edge there three times, a turn around a vertex might not come back to where it began.
        let paired = |(k, h): (usize, &HalfEdge)| {
            let back = |twin: u32| self.half_edges.get(twin as usize).and_then(|twin| twin.twin);
            h.twin.is_none_or(|twin| back(twin) == Some(k as u32))
        };
        let known = self.half_edges.iter().all(|h| (h.edge.0 as usize) < count);
        if self.first.len() != sides.len() || !known || !self.half_edges.iter().enumerate().all(paired) {
            return false;
        }
        let mut regions: Vec<Vec<Vec<EdgeId>>> = sides.iter().map(|&sides| vec![Vec::new(); sides]).collect();
        for h in &self.half_edges {
            let side = regions.get_mut(h.region.0 as usize).and_then(|sides| sides.get_mut(h.side as usize));
            let Some(edges) = side else { return false };
            edges.push(h.edge);
        }
        Topology::new(&regions) == *self
    }

    /// The origin of h is the origin of whatever follows its twin.
    fn find_vertices(&mut self) {
        let mut parent: Vec<u32> = (0..self.half_edges.len() as u32).collect();
        fn root(parent: &mut [u32], mut k: u32) -> u32 {
            while parent[k as usize] != k {
                parent[k as usize] = parent[parent[k as usize] as usize];
                k = parent[k as usize];
            }
            k
        }
        for k in 0..self.half_edges.len() {
            if let Some(twin) = self.half_edges[k].twin {
                let (a, b) = (root(&mut parent, k as u32), root(&mut parent, self.half_edges[twin as usize].next));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut ids = vec![None; self.half_edges.len()];
        for k in 0..self.half_edges.len() as u32 {
            let root = root(&mut parent, k) as usize;
            let id = *ids[root].get_or_insert_with(|| {
                self.vertices += 1;
                VertexId(self.vertices as u32 - 1)
            });
            self.half_edges[k as usize].origin = id;
        }
    }

    /// The number of regions.
    pub fn regions(&self) -> usize {
        self.first.len()
    }

    /// The number of edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.vertices
    }

    /// The number of sides of regions for which no neighbour was found.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Euler's characteristic V − E + F: one for a domain that is covered without holes.
    pub fn euler(&self) -> i64 {
        self.vertices as i64 - self.edges.len() as i64 + self.first.len() as i64
    }

    /// The regions beside an edge; the second is `None` on the boundary. `None` if there is no such edge.
    pub fn beside(&self, edge: EdgeId) -> Option<(RegionId, Option<RegionId>)> {
        let half = self.half_edges.get(*self.edges.get(edge.0 as usize)? as usize)?;
        Some((half.region, half.twin.map(|t| self.half_edges[t as usize].region)))
    }

    /// The vertices at which an edge begins and ends, with the first of the regions beside it to the left. `None` if there is no such edge.
    pub fn ends(&self, edge: EdgeId) -> Option<[VertexId; 2]> {
        let half = self.half_edges.get(*self.edges.get(edge.0 as usize)? as usize)?;
        Some([half.origin, self.half_edges[half.next as usize].origin])
    }

    /// The edges of a region, anticlockwise: each edge, the vertex at which it begins, and the region beyond it (`None` on the boundary).
    pub fn around(&self, region: RegionId) -> impl Iterator<Item = (EdgeId, VertexId, Option<RegionId>)> {
        self.boundary(region).map(|h| (h.edge, h.origin, h.twin.map(|t| self.half_edges[t as usize].region)))
    }

    /// For each half-edge of a region: its side, and the region beyond.
    pub(super) fn beyond(&self, region: RegionId) -> impl Iterator<Item = (usize, Option<RegionId>)> {
        self.boundary(region).map(|h| (h.side as usize, h.twin.map(|t| self.half_edges[t as usize].region)))
    }

    fn boundary(&self, region: RegionId) -> impl Iterator<Item = &HalfEdge> {
        let from = self.first.get(region.0 as usize).map_or(0, |f| *f as usize);
        self.half_edges[from.min(self.half_edges.len())..].iter().take_while(move |h| h.region == region)
    }

    /// Around every vertex, anticlockwise and from the boundary if it lies on it: each edge that ends there, and the region between it and the next one.
    pub(super) fn turns(&self) -> Vec<Vec<(EdgeId, Option<RegionId>)>> {
        let mut before = vec![None; self.half_edges.len()];
        let mut first: Vec<Option<usize>> = vec![None; self.vertices];
        for (k, h) in self.half_edges.iter().enumerate() {
            if let Some(before) = before.get_mut(h.next as usize) {
                *before = Some(k);
            }
            // One without a twin has nothing to its right: the turn begins there.
            match first.get_mut(h.origin.0 as usize) {
                Some(first) if first.is_none() || h.twin.is_none() => *first = Some(k),
                _ => {}
            }
        }
        let turn = |start: Option<usize>| {
            let (mut turn, mut at) = (Vec::new(), start);
            // A half-edge runs away from the vertex with its region to the left; the one before it comes in on the other side of that region.
            while let Some(k) = at.filter(|_| turn.len() <= self.half_edges.len()) {
                let h = &self.half_edges[k];
                turn.push((h.edge, Some(h.region)));
                let Some(other) = before[k].map(|before| &self.half_edges[before]) else { break };
                at = other.twin.map(|twin| twin as usize).filter(|twin| Some(*twin) != start);
                if other.twin.is_none() {
                    turn.push((other.edge, None));
                }
            }
            turn
        };
        first.into_iter().map(turn).collect()
    }

    /// The vertices around which the edges do not close: without an edge on the boundary the turn around the vertex does not come back to its start, or two and
    /// more boundary edges begin there. There are none in a complex without holes.
    pub fn open_vertices(&self) -> Vec<VertexId> {
        let mut boundaries = vec![0usize; self.vertices];
        let mut degree = vec![0usize; self.vertices];
        for h in &self.half_edges {
            degree[h.origin.0 as usize] += 1;
            boundaries[h.origin.0 as usize] += usize::from(h.twin.is_none());
        }
        // Where there is no boundary one turn must visit every half-edge that begins there.
        let mut open: Vec<VertexId> = Vec::new();
        let mut done = vec![false; self.vertices];
        for (k, h) in self.half_edges.iter().enumerate() {
            let v = h.origin.0 as usize;
            if std::mem::replace(&mut done[v], true) || boundaries[v] == 1 {
                continue;
            }
            let (mut at, mut visited) = (k, 0);
            let closed = boundaries[v] == 0
                && loop {
                    visited += 1;
                    let Some(twin) = self.half_edges[at].twin else { break false };
                    at = self.half_edges[twin as usize].next as usize;
                    if at == k || visited > degree[v] {
                        break at == k && visited == degree[v];
                    }
                };
            if !closed {
                open.push(h.origin);
            }
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square cut by one diagonal, and by both.
    #[test]
    fn triangles_of_a_square() {
        let e = |k: &[u32]| k.iter().map(|k| EdgeId(*k)).collect::<Vec<_>>();
        let two = Topology::new(&[vec![e(&[0]), e(&[1]), e(&[2])], vec![e(&[2]), e(&[3]), e(&[4])]]);
        assert_eq!((two.regions(), two.edges(), two.vertices(), two.euler()), (2, 5, 4, 1));
        assert!(two.open_vertices().is_empty());
        assert_eq!(two.beside(EdgeId(2)), Some((RegionId(0), Some(RegionId(1)))));
        let four = Topology::new(&[
            vec![e(&[0]), e(&[4]), e(&[7])],
            vec![e(&[1]), e(&[5]), e(&[4])],
            vec![e(&[2]), e(&[6]), e(&[5])],
            vec![e(&[3]), e(&[7]), e(&[6])],
        ]);
        assert_eq!((four.regions(), four.edges(), four.vertices(), four.euler()), (4, 8, 5, 1));
        assert!(four.open_vertices().is_empty());
        // Around the centre all four diagonals, around the corner of the first region both of its sides and a diagonal between.
        let turns = four.turns();
        let at = |edge: u32| four.ends(EdgeId(edge)).unwrap();
        let edges = |vertex: VertexId| turns[vertex.0 as usize].iter().map(|t| t.0.0).collect::<Vec<_>>();
        let centre = at(4)[1];
        assert_eq!(edges(centre), [7, 4, 5, 6]);
        assert_eq!(edges(at(0)[0]), [0, 7, 3]);
        assert_eq!(
            turns[at(0)[0].0 as usize].iter().map(|t| t.1.map(|r| r.0)).collect::<Vec<_>>(),
            [Some(0), Some(3), None]
        );
    }

    /// An edge of three regions is refused where a topology is read: around its ends a turn would run in a circle that it did not begin on.
    #[test]
    fn an_edge_of_three_regions() {
        let e = |k: &[u32]| k.iter().map(|k| EdgeId(*k)).collect::<Vec<_>>();
        let sides = |shared: u32| {
            let region = |k: u32| vec![e(&[shared.min(10 * k)]), e(&[10 * k + 1]), e(&[10 * k + 2])];
            Topology::new(&[region(1), region(2), region(3)])
        };
        assert!(sides(100).is_of(&[3, 3, 3]));
        assert!(!sides(0).is_of(&[3, 3, 3]));
    }

    /// A side that borders two regions has two edges.
    #[test]
    fn a_side_with_two_neighbours() {
        let e = |k: &[u32]| k.iter().map(|k| EdgeId(*k)).collect::<Vec<_>>();
        // A lower rectangle, and two on top of it.
        let t = Topology::new(&[
            vec![e(&[0]), e(&[1]), e(&[2, 3]), e(&[4])],
            vec![e(&[2]), e(&[5]), e(&[6]), e(&[7])],
            vec![e(&[3]), e(&[7]), e(&[8]), e(&[9])],
        ]);
        assert_eq!((t.regions(), t.edges(), t.vertices(), t.euler()), (3, 10, 8, 1));
        assert!(t.open_vertices().is_empty());
        let beyond: Vec<_> = t.beyond(RegionId(0)).collect();
        assert_eq!(beyond[2..4], [(2, Some(RegionId(1))), (2, Some(RegionId(2)))]);
    }
}
