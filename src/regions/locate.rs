//! The cell that a point lies in, by a binary search tree of hyperplanes (Tøndel, Johansen and Bemporad 2003, doi:10.1016/S0005-1098(02)00308-4).
//!
//! A node has a hyperplane and the cells on either side of it, a leaf a few cells. The candidates for the hyperplane of a node are the sides of its cells
//! nearest to the centre of them all, and the middle of each parameter's range. Judged by the boxes around the cells, the hyperplane is chosen that leaves the
//! fewest cells on the larger side and the fewest on both sides; their vertices, or linear programs, then decide which of the latter are really cut. A node
//! becomes a leaf if its hyperplane would leave most cells on both sides, so that the tree stays small. In a leaf the boxes around the cells are compared first.

use super::cell::Cell;
use super::polyhedron::{HalfSpace, SAME, dot};
use super::vertices::Vertices;
use std::collections::HashSet;

/// A leaf of the tree by which a point is located has at most so many regions, unless no hyperplane parts them, …
const LEAF: usize = 4;

/// … and so many sides of regions are looked at for a hyperplane, those nearest to the centre.
const PLANES: usize = 32;

/// A hyperplane parts the regions of a node when at most this part of them is on the larger side, and on both sides together this many times as many as there are.
const PARTED: [f64; 2] = [0.8, 1.5];

/// A tree of hyperplanes over cells.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    depth: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The node where the half-space holds, and the other one.
    Split(HalfSpace, [usize; 2]),
    Leaf(Vec<u32>),
}

/// A cell while the tree grows, with its vertices where there are few.
struct Shape<'a> {
    cell: &'a Cell,
    vertices: Option<Vertices>,
}

impl<'a> Shape<'a> {
    fn new(cell: &'a Cell) -> Self {
        let cube = Vertices::of_cube(cell.centre.len());
        let vertices = cell.sides.iter().fold(cube, |vertices, side| vertices.and_then(|v| v.cut(side)));
        Shape { cell, vertices }
    }

    /// Whether the cell goes on outside of a half-space, as far as the plane counts: a vertex shows it, or a proof the contrary; otherwise a linear program tells.
    fn leaves(&self, plane: &HalfSpace) -> bool {
        match self.vertices.as_ref().and_then(|vertices| vertices.furthest(&plane.normal, None)) {
            Some((point, _)) if plane.excess(point) >= -SAME => true,
            Some((_, bound)) if bound < plane.offset - SAME => false,
            _ => self.cell.furthest(&plane.normal).is_none_or(|point| plane.excess(&point) >= -SAME),
        }
    }
}

/// Whether a cell has points inside a half-space, and outside of it.
fn sides(cell: &Cell, plane: &HalfSpace) -> [bool; 2] {
    let (mut least, mut most) = (0.0, 0.0);
    for (k, a) in plane.normal.iter().enumerate() {
        let ends = [a * cell.corners[0][k], a * cell.corners[1][k]];
        least += ends[0].min(ends[1]);
        most += ends[0].max(ends[1]);
    }
    let opposite = plane.opposite();
    let says = |h: &HalfSpace| cell.sides.iter().any(|own| h.follows_from(own));
    [least <= plane.offset + SAME && !says(&opposite), most >= plane.offset - SAME && !says(plane)]
}

impl Tree {
    pub fn new(cells: &[Cell]) -> Self {
        let mut tree = Tree { nodes: Vec::new(), depth: 0 };
        let cells: Vec<Shape<'_>> = cells.iter().map(Shape::new).collect();
        tree.grow(&cells, (0..cells.len() as u32).collect(), 1);
        tree
    }

    /// The nodes; the first one is the root.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The most hyperplanes that are asked on the way to a leaf.
    pub fn depth(&self) -> usize {
        self.depth.saturating_sub(1)
    }

    /// Adds the node of some cells; every child has fewer.
    fn grow(&mut self, cells: &[Shape<'_>], own: Vec<u32>, depth: usize) -> usize {
        self.depth = self.depth.max(depth);
        let number = self.nodes.len();
        self.nodes.push(Node::Leaf(Vec::new()));
        let best = if own.len() > LEAF { best_plane(cells, &own) } else { None };
        self.nodes[number] = match best {
            None => Node::Leaf(own),
            Some((plane, [inside, outside])) => {
                let children = [self.grow(cells, inside, depth + 1), self.grow(cells, outside, depth + 1)];
                Node::Split(plane, children)
            }
        };
        number
    }

    /// The cell that contains ξ, or of those in its leaf the one that it lies the least far outside of.
    pub fn locate(&self, cells: &[Cell], xi: &[f64]) -> Option<(usize, f64)> {
        let mut node = 0;
        // Down, so that it ends.
        loop {
            match self.nodes.get(node)? {
                Node::Split(plane, [inside, outside]) => {
                    node = if plane.excess(xi) <= 0.0 { *inside } else { *outside };
                }
                Node::Leaf(own) => {
                    let near = own.iter().filter(|&&id| cells[id as usize].is_near(xi, SAME));
                    let all = near.map(|&id| (id as usize, cells[id as usize].excess(xi)));
                    return all.reduce(|a, b| if b.1 < a.1 { b } else { a });
                }
            }
        }
    }
}

/// The hyperplane that leaves the fewest cells on its larger side, if that is fewer than all.
fn best_plane(cells: &[Shape<'_>], own: &[u32]) -> Option<(HalfSpace, [Vec<u32>; 2])> {
    let p = cells[own[0] as usize].cell.centre.len();
    let mean: Vec<f64> = (0..p)
        .map(|k| own.iter().map(|&id| cells[id as usize].cell.centre[k]).sum::<f64>() / own.len() as f64)
        .collect();
    let planes = own.iter().flat_map(|&id| &cells[id as usize].cell.sides);
    let mut planes: Vec<(f64, &HalfSpace)> = planes.map(|plane| (plane.excess(&mean).abs(), plane)).collect();
    planes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let axis = |k: usize| HalfSpace { normal: (0..p).map(|j| f64::from(u8::from(j == k))).collect(), offset: mean[k] };
    let candidates = planes.into_iter().map(|(_, plane)| plane.clone()).take(PLANES).chain((0..p).map(axis));
    let mut best: Option<(HalfSpace, [Vec<u32>; 2])> = None;
    let larger = |split: &[Vec<u32>; 2]| split[0].len().max(split[1].len());
    let within = |count: usize, part: f64| count as f64 <= part * own.len() as f64;
    for plane in candidates {
        let mut split = [Vec::new(), Vec::new()];
        for &id in own {
            let on = sides(cells[id as usize].cell, &plane);
            (0..2).filter(|side| on[*side]).for_each(|side| split[side].push(id));
        }
        let sum = |split: &[Vec<u32>; 2]| 2 * larger(split) + split[0].len() + split[1].len();
        if best.as_ref().is_none_or(|best| sum(&split) < sum(&best.1)) {
            best = Some((plane, split));
        }
    }
    let (plane, split) = best?;
    // Where the boxes leave it open.
    let reaches = |id: &u32, outside: bool| {
        let shape = &cells[*id as usize];
        if outside { shape.leaves(&plane) } else { shape.leaves(&plane.opposite()) }
    };
    let first: HashSet<u32> = split[0].iter().copied().collect();
    let both: HashSet<u32> = split[1].iter().copied().filter(|id| first.contains(id)).collect();
    let [inside, outside] = split;
    let kept = |side: Vec<u32>, outside: bool| {
        side.into_iter().filter(|id| !both.contains(id) || reaches(id, outside)).collect::<Vec<u32>>()
    };
    let split = [kept(inside, false), kept(outside, true)];
    let fair = within(larger(&split), PARTED[0]) && within(split[0].len() + split[1].len(), PARTED[1]);
    fair.then_some((plane, split))
}

/// The part of a line on which a half-space holds.
pub(super) fn clip(plane: &HalfSpace, from: &[f64], to: &[f64], interval: &mut [f64; 2]) {
    let speed = dot(&plane.normal, to);
    let room = -plane.excess(from);
    if speed > 0.0 {
        interval[1] = interval[1].min(room / speed);
    } else if speed < 0.0 {
        interval[0] = interval[0].max(room / speed);
    } else if room < 0.0 {
        interval[1] = f64::NEG_INFINITY;
    }
}
