//! Cells: where one basis is optimal, with the law of x and y there.

use super::frame::Frame;
use super::linear::Program;
use super::polyhedron::{HalfSpace, Polyhedron, SAME, dot};
use crate::active_set::Status;
use crate::rows::{Functions, Stand};

/// The polyhedron on which one basis is optimal, with the law of the solution there.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Cell {
    /// The basis: of the n variables, and then the rows.
    pub(super) status: Vec<Status>,
    /// What is at a bound all over the cell.
    pub(super) pattern: Vec<Status>,
    /// A function is zero all over the cell: y is not unique, or x is not.
    pub(super) degenerate: bool,
    pub(super) sides: Vec<HalfSpace>,
    pub(super) centre: Vec<f64>,
    pub(super) radius: f64,
    /// The smallest and largest coordinates.
    pub(super) corners: [Vec<f64>; 2],
    /// Where the law has its value: the θ of the box around the cell that is nearest to zero, so that x keeps its digits where it vanishes with θ.
    pub(super) anchor: Vec<f64>,
    /// x (n) and y (m): value at the anchor, and p slopes, for half the range of each parameter.
    pub(super) x: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
}

/// The point of a box nearest to zero.
pub(super) fn nearest_to_zero([low, high]: [Vec<f64>; 2]) -> Vec<f64> {
    // The corners of a box that rounding has turned round are one point.
    low.iter().zip(&high).map(|(low, high)| 0.0_f64.min(*high).max(*low)).collect()
}

impl Cell {
    /// Of a basis with its functions; x and y have their values at θ = `anchor`.
    pub(super) fn new(stand: &Stand, functions: Functions, polyhedron: &Polyhedron, anchor: Vec<f64>) -> Self {
        let mut pattern = stand.status().to_vec();
        functions.null.iter().for_each(|(j, side)| pattern[*j] = *side);
        (0..pattern.len()).filter(|j| stand.is_fixed(*j)).for_each(|j| pattern[j] = Status::Free);
        Cell {
            status: stand.status().to_vec(),
            pattern,
            degenerate: functions.null.iter().any(|(j, _)| !stand.is_fixed(*j)),
            sides: polyhedron.sides.iter().map(|side| side.plane.clone()).collect(),
            centre: polyhedron.centre.clone(),
            radius: polyhedron.radius,
            corners: polyhedron.corners.clone(),
            anchor,
            x: functions.x,
            y: functions.y,
        }
    }

    /// How far ξ lies outside; negative inside.
    pub(super) fn excess(&self, xi: &[f64]) -> f64 {
        self.sides.iter().map(|side| side.excess(xi)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The point that lies furthest in a direction; none where the solver cannot tell.
    pub(super) fn furthest(&self, to: &[f64]) -> Option<Vec<f64>> {
        let mut program = Program::new(vec![[-1.0, 1.0]; to.len()]).maximise(to);
        self.sides.iter().for_each(|side| program.at_most(side.normal.clone(), side.offset));
        program.solve().point()
    }

    /// Whether ξ lies in the box around the cell, up to `more`.
    pub(super) fn is_near(&self, xi: &[f64], more: f64) -> bool {
        let inside = |((xi, low), high): ((&f64, &f64), &f64)| *xi >= low - more && *xi <= high + more;
        xi.iter().zip(&self.corners[0]).zip(&self.corners[1]).all(inside)
    }

    /// Whether the cell lies against the plane of a side from beyond it, and contains a point of that side.
    pub(super) fn faces(&self, side: &HalfSpace, point: &[f64]) -> bool {
        let opposite = side.opposite();
        let faces = |own: &HalfSpace| own.follows_from(&opposite) && opposite.follows_from(own);
        self.is_near(point, SAME) && self.excess(point) <= SAME && self.sides.iter().any(faces)
    }

    /// x and y at θ, where `half` is half the range of each parameter.
    pub(super) fn at(&self, theta: &[f64], half: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let steps: Vec<f64> = theta.iter().zip(&self.anchor).zip(half).map(|((t, a), half)| (t - a) / half).collect();
        let of = |laws: &[Vec<f64>]| laws.iter().map(|law| law[0] + dot(&law[1..], &steps)).collect();
        (of(&self.x), of(&self.y))
    }

    /// Whether its parts are those of a cell in p dimensions, of a problem with n variables and m rows.
    pub(super) fn fits(&self, p: usize, n: usize, m: usize) -> bool {
        let finite = |v: &[f64], count: usize| v.len() == count && v.iter().all(|v| v.is_finite());
        let points = [&self.centre, &self.anchor, &self.corners[0], &self.corners[1]];
        let laws = |laws: &[Vec<f64>], count: usize| laws.len() == count && laws.iter().all(|law| finite(law, p + 1));
        self.status.len() == n + m
            && self.pattern.len() == n + m
            && self.radius.is_finite()
            && points.into_iter().all(|point| finite(point, p))
            && self.sides.iter().all(|side| side.is_sound(p))
            && laws(&self.x, n)
            && laws(&self.y, m)
    }

    /// The number of variables n: the first n entries of [`Cell::status`] belong to variables, the others to rows.
    pub fn variables(&self) -> usize {
        self.x.len()
    }

    /// The basis: for each of the n variables and then of the m rows the bound that it is at, or `Free`.
    pub fn status(&self) -> &[Status] {
        &self.status
    }

    /// The variables and then the rows that are at a bound everywhere in the cell; `Free` for the others, and for equalities (l = u, bl = bu).
    pub fn active(&self) -> &[Status] {
        &self.pattern
    }

    /// Whether x or y is not unique in the cell.
    pub fn is_degenerate(&self) -> bool {
        self.degenerate
    }

    /// The number of half-spaces whose intersection is the cell; none is implied by the others.
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// Half-spaces gᵀθ ≤ h as (g, h), in the order in which they are kept.
    pub(super) fn half_spaces(&self, frame: &Frame) -> Vec<(Vec<f64>, f64)> {
        let own = |side: &HalfSpace| {
            let g: Vec<f64> = side.normal.iter().zip(&frame.half).map(|(a, half)| a / half).collect();
            let h = side.offset + g.iter().zip(&frame.middle).map(|(g, middle)| g * middle).sum::<f64>();
            (g, h)
        };
        self.sides.iter().map(own).collect()
    }
}
