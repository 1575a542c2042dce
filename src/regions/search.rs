//! The search tree and the laws of all cells as plain numbers, for programs in other languages.
//!
//! Half-spaces and corners are in the coordinates ξₖ = (θₖ − middleₖ) / halfₖ, in which the domain is the cube [−1, 1]ᵖ.

use super::Regions;
use super::frame::WALL;
use super::locate::Node;
use super::polyhedron::{HalfSpace, SAME};

/// A half-space normalᵀξ ≤ offset: its normal (p entries, of length one) and its offset.
pub type Side = (Vec<f64>, f64);

/// The binary search tree of [`Regions::locate`] and the law of each cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The middle of each range, p entries.
    pub middle: Vec<f64>,
    /// Half the length of each range, p entries.
    pub half: Vec<f64>,
    /// A point counts as inside a half-space if it is no further outside than this.
    pub within: f64,
    /// A point is in the domain if no |ξₖ| exceeds this.
    pub wall: f64,
    /// The nodes of the tree: the first one is the root, and children have higher indices than their parents.
    pub nodes: Vec<SearchNode>,
    /// The cells, in the order of [`Regions::cells`].
    pub cells: Vec<SearchCell>,
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchNode {
    /// A half-space, and the indices of the nodes for points inside and outside of it.
    Split(Side, [usize; 2]),
    /// Cells: the point lies in the one that it is inside of, or the least far outside of.
    Leaf(Vec<u32>),
}

/// A cell and its law.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchCell {
    /// The smallest and the largest coordinates ξ of the cell, p entries each.
    pub corners: [Vec<f64>; 2],
    /// The half-spaces of the cell.
    pub sides: Vec<Side>,
    /// The θ at which the law has its value, p entries.
    pub anchor: Vec<f64>,
    /// For each variable its value at the anchor, followed by p slopes: its change when a parameter grows by half its range.
    pub law: Vec<Vec<f64>>,
}

fn side(plane: &HalfSpace) -> Side {
    (plane.normal.clone(), plane.offset)
}

impl Regions {
    /// The search tree, and the laws of the first `variables` variables.
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
