//! What finds a point and its solution, as plain numbers: for programs in another language that know nothing of this one.
//!
//! Half-spaces and corners are in the cube [−1, 1]ᵖ of the domain, ξₖ = (θₖ − middleₖ) / halfₖ.

use super::Regions;
use super::frame::WALL;
use super::locate::Node;
use super::polyhedron::{HalfSpace, SAME};

/// A half-space: its normal (p entries, of length one), and the largest normalᵀξ.
pub type Side = (Vec<f64>, f64);

/// The binary search tree of [`Regions::locate`], and the law of each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The middle of the domain, p entries.
    pub middle: Vec<f64>,
    /// Half the range of each parameter.
    pub half: Vec<f64>,
    /// A point that is no further outside of a side than this is inside.
    pub within: f64,
    /// A point with no coordinate larger than this is in the domain.
    pub wall: f64,
    /// The tree: the first node is its root, and children have higher numbers than their parents.
    pub nodes: Vec<SearchNode>,
    /// The cells, in the order of [`Regions::cells`].
    pub cells: Vec<SearchCell>,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchNode {
    /// A half-space, with the node for points inside it and the one for those outside.
    Split(Side, [usize; 2]),
    /// Cells: the point lies in the one of these that it is the least far outside of.
    Leaf(Vec<u32>),
}

/// Where a cell is, and what holds there.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCell {
    /// Its smallest and its largest coordinates.
    pub corners: [Vec<f64>; 2],
    /// Its half-spaces.
    pub sides: Vec<Side>,
    /// Where the law has its value, in units of the parameters.
    pub anchor: Vec<f64>,
    /// Of each variable its value at the anchor, and p slopes: by how much it grows when a parameter does by half its range.
    pub law: Vec<Vec<f64>>,
}

fn side(plane: &HalfSpace) -> Side {
    (plane.normal.clone(), plane.offset)
}

impl Regions {
    /// The search tree and the laws of the first so many variables.
    pub fn search(&self, variables: usize) -> Search {
        let node = |node: &Node| match node {
            Node::Split(plane, children) => SearchNode::Split(side(plane), *children),
            Node::Leaf(cells) => SearchNode::Leaf(cells.clone()),
        };
        let cells = self.cells.iter().map(|cell| SearchCell {
            corners: cell.corners.clone(),
            sides: cell.sides.iter().map(side).collect(),
            anchor: cell.anchor.clone(),
            law: cell.x.iter().take(variables).cloned().collect(),
        });
        Search {
            middle: self.frame.middle.clone(),
            half: self.frame.half.clone(),
            within: SAME,
            wall: WALL,
            cells: cells.collect(),
            nodes: self.tree().nodes().iter().map(node).collect(),
        }
    }
}
