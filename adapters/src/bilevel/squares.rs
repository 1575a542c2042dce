//! The mean squared error: a quadratic function of θ on each region.
//!
//! With r = formᵀp affine, p = (θ₁ − a₁, θ₂ − a₂, 1), on a region
//!
//! ```text
//! L = Σ ṽr² / Σ ṽ = pᵀMp,      M = Σ ṽ form formᵀ / Σ ṽ
//! ```
//!
//! so that no crossings are needed. As a function of the tuned parameter θ₂ alone L is convex. Its minimum lies where M₂ᵀp = 0, on a line, the *valley*, as far
//! as that line is inside the region, and otherwise on a side. Along either of them L is a quadratic function of θ₁. So the sides and valleys of all regions
//! are all the branches there are.
//!
//! *k folds.* The valley of the sum of the losses follows from the sum of the matrices M. It is determined separately in each *face*, an intersection of one
//! region of each fold, on which all M are constant.

use super::cells::{Cell, Corner, Form, Loss, between, clip, value};

/// A side no longer than this part of the polygon has a direction by rounding alone, and is left out.
const SHORT: f64 = 1e-9;

/// M, by rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quadratic([Form; 3]);

impl Quadratic {
    /// Adds a share of the square of an affine function.
    pub fn add(&mut self, form: &Form, share: f64) {
        for (row, a) in self.0.iter_mut().zip(form) {
            row.iter_mut().zip(form).for_each(|(m, b)| *m += share * a * b);
        }
    }

    /// pᵀMp on the line p + (δ, slope·δ, 0), as a polynomial of δ.
    pub fn on_line(&self, p: &Corner, slope: f64) -> [f64; 3] {
        let along = [1.0, slope, 0.0];
        let times = |v: &Corner| self.0.map(|row| value(&row, v));
        let (by_p, by_along) = (times(p), times(&along));
        [value(&by_p, p), 2.0 * value(&by_p, &along), value(&by_along, &along)]
    }

    /// The same function of p with another anchor: p = p′ + (anchor of p′ − anchor of p).
    fn moved(&self, by: [f64; 2]) -> Self {
        let t = [by[0], by[1], 1.0];
        let times: Form = self.0.map(|row| value(&row, &t));
        let [[a, b, _], [c, d, _], _] = self.0;
        let [x, y, _] = times;
        Quadratic([[a, b, x], [c, d, y], [x, y, value(&times, &t)]])
    }

    fn plus(&self, other: &Self) -> Self {
        Quadratic([0, 1, 2].map(|i: usize| [0, 1, 2].map(|j: usize| self.0[i][j] + other.0[i][j])))
    }
}

impl Cell {
    /// The ends of the valley of a quadratic loss, from left to right; none where it has none inside of the cell.
    pub fn valley(&self) -> Option<[Corner; 2]> {
        let Loss::Squared(square) = &self.loss else { return None };
        let slope = &square.0[1];
        if slope[1] <= 0.0 {
            return None;
        }
        let mut ends: Option<[Corner; 2]> = None;
        for (p, q) in self.corners.iter().zip(self.corners.iter().cycle().skip(1)) {
            let (v, w) = (value(slope, p), value(slope, q));
            let end = match v * w {
                _ if v == 0.0 => *p,
                product if product < 0.0 => between(p, v.abs(), q, w.abs()),
                _ => continue,
            };
            let [left, right] = ends.unwrap_or([end; 2]);
            ends = Some([if end[0] < left[0] { end } else { left }, if end[0] > right[0] { end } else { right }]);
        }
        ends
    }

    /// The area of a cell without a corner at infinity.
    pub fn area(&self) -> f64 {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>() / 2.0
    }

    /// What two cells of different folds have in common, with the sum of their losses; none where that has no inside.
    pub fn shared(&self, other: &Cell) -> Option<Cell> {
        let (Loss::Squared(own), Loss::Squared(others)) = (&self.loss, &other.loss) else { return None };
        let by = [self.anchor[0] - other.anchor[0], self.anchor[1] - other.anchor[1]];
        let here = |p: &Corner| [p[0] - by[0], p[1] - by[1], 1.0];
        let mut corners = self.corners.clone();
        let long = [0, 1].map(|a: usize| SHORT * extent(&other.corners, a));
        for (p, q) in other.corners.iter().zip(other.corners.iter().cycle().skip(1)) {
            if (q[0] - p[0]).abs() <= long[0] && (q[1] - p[1]).abs() <= long[1] {
                continue;
            }
            // p × q: positive on the left of the line from p to q.
            let (p, q) = (here(p), here(q));
            corners = clip(&corners, &[p[1] - q[1], q[0] - p[0], p[0] * q[1] - p[1] * q[0]]);
            if corners.len() < 3 {
                return None;
            }
        }
        Some(Cell { loss: Loss::Squared(Box::new(own.plus(&others.moved(by)))), corners, ..self.clone() })
    }
}

/// How far a polygon goes in a coordinate.
fn extent(corners: &[Corner], axis: usize) -> f64 {
    let span = |(low, high): (f64, f64), p: &Corner| (low.min(p[axis]), high.max(p[axis]));
    let (low, high) = corners.iter().fold((f64::INFINITY, f64::NEG_INFINITY), span);
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(forms: &[Form]) -> Quadratic {
        let mut square = Quadratic::default();
        forms.iter().for_each(|form| square.add(form, 0.5));
        square
    }

    fn cell(anchor: [f64; 2], corners: &[[f64; 2]], forms: &[Form]) -> Cell {
        let corners = corners.iter().map(|[x, y]| [x - anchor[0], y - anchor[1], 1.0]).collect();
        Cell { loss: Loss::Squared(Box::new(square(forms))), anchor, corners, sum: [0.0; 3], negative: [0.0; 3] }
    }

    /// On the unit square r = y − x/2 and r = y − x/2 − 1/2 have the valley y = x/2 + 1/4, along which both squares are 1/16.
    #[test]
    fn the_valley_is_where_the_loss_is_least() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let cell = cell([0.0; 2], &corners, &[[-0.5, 1.0, 0.0], [-0.5, 1.0, -0.5]]);
        let [p, q] = cell.valley().unwrap();
        assert_eq!((p, q), ([0.0, 0.25, 1.0], [1.0, 0.75, 1.0]));
        assert_eq!(cell.numerator(&p, 0.5), [0.0625, 0.0, 0.0]);
    }

    /// Two overlapping squares with anchors of their own: r = x + y and r = x − 2y as functions of the plane.
    #[test]
    fn losses_of_what_is_shared_add_up() {
        let first = cell([0.25, 0.5], &[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], &[[1.0, 1.0, 0.75]]);
        let second = cell([1.5, 1.0], &[[1.0, 1.0], [3.0, 1.0], [3.0, 3.0], [1.0, 3.0]], &[[1.0, -2.0, -0.5]]);
        let shared = first.shared(&second).unwrap();
        let mut corners: Vec<[f64; 2]> = shared.corners.iter().map(|p| [p[0] + 0.25, p[1] + 0.5]).collect();
        corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(corners, [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]);
        for p in &shared.corners {
            let (x, y) = (p[0] + 0.25, p[1] + 0.5);
            let expected = 0.5 * (x + y).powi(2) + 0.5 * (x - 2.0 * y).powi(2);
            assert_eq!(shared.numerator(p, 0.0)[0], expected);
        }
        let apart = cell([3.0, 3.0], &[[2.0, 2.0], [3.0, 2.0], [3.0, 3.0]], &[[1.0, 0.0, 0.0]]);
        assert!(first.shared(&apart).is_none());
    }
}
