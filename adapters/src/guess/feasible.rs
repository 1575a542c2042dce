//! The box and the row at one parameter value: projections onto them, and guesses made feasible.

use pathqp::{Line, PathError};
use std::cmp::Ordering;

/// A sum is as near to b as it can be made when it is within this many ε of its terms, …
const ROUNDING: f64 = 16.0;

/// … and near enough within so many: a sum of thousands of terms may not come nearer. The engine takes four times as much.
const ENOUGH: f64 = 1024.0;

/// Closer to a bound than this part of the box counts as being there, when a solution is carried from one box to another.
const AT_BOUND: f64 = 1e-9;

/// The most steps of the search for the multiplier of a projection.
const STEPS: usize = 200;

/// {x : l ≤ x ≤ u, aᵀx = b}, n entries each; bounds may be infinite, and a is empty where there is no row.
pub struct Feasible {
    /// l.
    pub lower: Vec<f64>,
    /// u.
    pub upper: Vec<f64>,
    a: Vec<f64>,
    b: f64,
}

impl Feasible {
    /// That of a line at its beginning.
    pub fn new(line: &Line<f64>) -> Self {
        let end = |bounds: &[Option<[f64; 2]>], none| bounds.iter().map(|b| b.map_or(none, |[v, _]| v)).collect();
        Feasible {
            lower: end(&line.bounds.lower, f64::NEG_INFINITY),
            upper: end(&line.bounds.upper, f64::INFINITY),
            a: line.a.clone(),
            b: line.b0,
        }
    }

    /// n.
    pub fn len(&self) -> usize {
        self.lower.len()
    }

    /// The value of the box that is nearest to xᵢ.
    pub fn clip(&self, i: usize, x: f64) -> f64 {
        x.max(self.lower[i]).min(self.upper[i])
    }

    /// The largest finite |bound| of i.
    pub fn reach(&self, i: usize) -> f64 {
        [self.lower[i], self.upper[i]].iter().filter(|b| b.is_finite()).fold(0.0, |m, b| b.abs().max(m))
    }

    /// uᵢ − lᵢ; for boxes without end the largest of the others, or one.
    pub fn sizes(&self) -> Vec<f64> {
        let sizes: Vec<f64> = self.upper.iter().zip(&self.lower).map(|(u, l)| u - l).collect();
        let largest = sizes.iter().copied().filter(|s| s.is_finite()).fold(0.0, f64::max);
        let largest = if largest > 0.0 { largest } else { 1.0 };
        sizes.into_iter().map(|s| if s.is_finite() { s } else { largest }).collect()
    }

    /// Whether xᵢ is at its lower bound, inside, or at its upper bound.
    pub fn place(&self, i: usize, x: f64) -> Ordering {
        if x <= self.lower[i] {
            Ordering::Less
        } else if x >= self.upper[i] {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    }

    /// The value that has the same relative place in the box of `i` in `to` as x has in the box of j here: at the same bound (up to rounding), or at the same
    /// fraction of the width. If either box has no width or is unbounded, it is x, clipped.
    pub fn carry(&self, j: usize, x: f64, to: &Feasible, i: usize) -> f64 {
        let (lower, size) = (self.lower[j], self.upper[j] - self.lower[j]);
        let part = (x - lower) / size;
        let width = to.upper[i] - to.lower[i];
        if !(size.is_finite() && size > 0.0 && width.is_finite()) {
            to.clip(i, x)
        } else if part <= AT_BOUND {
            to.lower[i]
        } else if part >= 1.0 - AT_BOUND {
            to.upper[i]
        } else {
            to.clip(i, to.lower[i] + part * width)
        }
    }

    /// The middle of the box of i; where it has no middle, its value nearest to zero.
    pub fn middle(&self, i: usize) -> f64 {
        let middle = 0.5 * self.lower[i] + 0.5 * self.upper[i];
        if middle.is_finite() { middle } else { self.clip(i, 0.0) }
    }

    /// x = clip(pᵢ + ωᵢ aᵢ y) with the y for which aᵀx = b, looked for from the `y` given: the point of the set that is nearest to p when
    /// lengths count by Σ (xᵢ − pᵢ)²/ωᵢ.
    ///
    /// aᵀx rises with y, piece by piece linearly: Newton's method finds the piece, kept within a bracket by bisection, and where nothing moves
    /// (all indices at bounds) goes on to the next y at which something does.
    pub fn project(&self, p: &[f64], omega: &[f64], y: &mut f64) -> Vec<f64> {
        let x = |y: f64| -> Vec<f64> {
            if self.a.is_empty() {
                return p.iter().enumerate().map(|(i, p)| self.clip(i, *p)).collect();
            }
            p.iter().zip(omega).zip(&self.a).enumerate().map(|(i, ((p, w), a))| self.clip(i, p + w * a * y)).collect()
        };
        if self.a.is_empty() {
            return x(*y);
        }
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for step in 0..STEPS {
            let (mut sum, mut size, mut slope) = (-self.b, self.b.abs(), 0.0);
            for (i, ((p, w), a)) in p.iter().zip(omega).zip(&self.a).enumerate() {
                let free = p + w * a * *y;
                let x = self.clip(i, free);
                (sum, size) = (sum + a * x, size + (a * x).abs());
                slope += if x == free && self.lower[i] < self.upper[i] { a * a * w } else { 0.0 };
            }
            if sum.abs() <= ROUNDING * f64::EPSILON * size {
                break;
            }
            if sum < 0.0 {
                low = *y
            } else {
                high = *y
            }
            let newton = *y - sum / slope;
            let between = 0.5 * (low + high);
            *y = if newton > low && newton < high && step % 4 != 3 {
                newton
            } else if between.is_finite() {
                between
            } else if newton > low && newton < high {
                newton
            } else {
                match self.next_move(p, omega, *y, sum < 0.0) {
                    Some(next) => next,
                    None => break,
                }
            };
            if !(*y > low && *y < high) {
                break;
            }
        }
        x(*y)
    }

    /// The nearest y beyond the one given (above, or below) from which on something moves.
    fn next_move(&self, p: &[f64], omega: &[f64], y: f64, above: bool) -> Option<f64> {
        let mut nearest: Option<f64> = None;
        for (i, ((p, w), a)) in p.iter().zip(omega).zip(&self.a).enumerate().filter(|(_, (_, a))| **a != 0.0) {
            // Whole boxes may be passed in one step: the far end of the first one is gone to.
            let ends = [self.lower[i], self.upper[i]].map(|end| (end - p) / (w * a));
            let [first, last] = if ends[0] <= ends[1] { ends } else { [ends[1], ends[0]] };
            let far = if above { last } else { first };
            let is_ahead = far.is_finite() && if above { far > y } else { far < y };
            let is_nearer = nearest.is_none_or(|n| if above { far < n } else { far > n });
            if is_ahead && is_nearer {
                nearest = Some(far);
            }
        }
        nearest
    }

    /// The guess with every entry moved into its box, and then onto the row by as few entries as possible: those strictly inside their boxes
    /// first, all by the same part of the room that they have; then those at a bound, one after the other.
    ///
    /// # Errors
    /// A wrong length, an entry that is not a finite number, and a box that the row misses.
    pub fn repair(&self, guess: &[f64]) -> Result<Vec<f64>, PathError> {
        let n = self.len();
        if guess.len() != n {
            return Err(PathError::StartShape { expected: n, found: guess.len() });
        }
        if let Some((index, value)) = guess.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(PathError::StartOutsideBounds { index, value: value.to_string() });
        }
        let mut x: Vec<f64> = guess.iter().enumerate().map(|(i, v)| self.clip(i, *v)).collect();
        if self.a.is_empty() {
            return Ok(x);
        }
        let inside = |x: &[f64], i: usize| x[i] > self.lower[i] && x[i] < self.upper[i];
        let mut free: Vec<usize> = (0..n).filter(|&i| self.a[i] != 0.0 && inside(&x, i)).collect();
        let bound: Vec<usize> = (0..n).filter(|&i| self.a[i] != 0.0 && !inside(&x, i)).collect();
        // Rooms may be infinite: a first round by equal steps in aᵢxᵢ, in which each gives what it can.
        for _ in 0..=free.len().min(STEPS) {
            let missing = self.missing(&x);
            if missing == 0.0 || free.is_empty() {
                break;
            }
            let rooms: Vec<f64> = free.iter().map(|&i| self.room(&x, i, missing)).collect();
            let total: f64 = rooms.iter().sum();
            let count = free.len() as f64;
            let part = (missing.abs() / total).min(1.0);
            for (&i, room) in free.iter().zip(&rooms) {
                let given = if total.is_finite() { part * room } else { room.min(missing.abs() / count) };
                x[i] = self.clip(i, x[i] + missing.signum() * given / self.a[i]);
            }
            free.retain(|&i| inside(&x, i));
        }
        for i in bound {
            let missing = self.missing(&x);
            if missing == 0.0 {
                break;
            }
            x[i] = self.clip(i, x[i] + missing / self.a[i]);
        }
        if self.missing_beyond(ENOUGH, &x) == 0.0 { Ok(x) } else { Err(self.infeasible()) }
    }

    /// b − aᵀx; zero where it is rounding.
    fn missing(&self, x: &[f64]) -> f64 {
        self.missing_beyond(ROUNDING, x)
    }

    /// The same; zero up to so many ε of the terms.
    fn missing_beyond(&self, rounding: f64, x: &[f64]) -> f64 {
        let (sum, size) = self
            .a
            .iter()
            .zip(x)
            .fold((self.b, self.b.abs()), |(sum, size), (a, x)| (sum - a * x, size + (a * x).abs()));
        if sum.abs() <= rounding * f64::EPSILON * size { 0.0 } else { sum }
    }

    /// How much aᵢxᵢ can still change in the direction of `missing`.
    fn room(&self, x: &[f64], i: usize, missing: f64) -> f64 {
        let up = (self.a[i] > 0.0) == (missing > 0.0);
        let end = if up { self.upper[i] } else { self.lower[i] };
        (self.a[i] * (end - x[i])).abs()
    }

    fn infeasible(&self) -> PathError {
        let with_row: Vec<usize> = (0..self.len()).filter(|&i| self.a[i] != 0.0).collect();
        let total = |most: bool| -> f64 {
            let end = |i: usize| if most == (self.a[i] > 0.0) { self.upper[i] } else { self.lower[i] };
            with_row.iter().map(|&i| self.a[i] * end(i)).sum()
        };
        PathError::Infeasible {
            needed: self.b.to_string(),
            least: total(false).to_string(),
            most: total(true).to_string(),
            conflicting: with_row.iter().take(8).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(a: &[f64], b: f64) -> Feasible {
        let n = a.len();
        Feasible { lower: vec![0.0; n], upper: vec![1.0; n], a: a.to_vec(), b }
    }

    fn sum(set: &Feasible, x: &[f64]) -> f64 {
        set.a.iter().zip(x).map(|(a, x)| a * x).sum()
    }

    /// Nearest to p with weights 1/ω: (x − p)/ω = a·y inside the box, at most that at the lower bound and at least that at the upper one.
    fn is_nearest(set: &Feasible, p: &[f64], omega: &[f64], y: f64, x: &[f64]) -> bool {
        (0..x.len()).all(|i| {
            let free = p[i] + omega[i] * set.a[i] * y;
            match set.place(i, x[i]) {
                Ordering::Less => free <= set.lower[i] + 1e-12,
                Ordering::Greater => free >= set.upper[i] - 1e-12,
                Ordering::Equal => (free - x[i]).abs() <= 1e-12,
            }
        })
    }

    #[test]
    fn projections_are_nearest() {
        let number = |k: usize| (k as f64 * std::f64::consts::E) % 1.0;
        for case in 0..200 {
            let a: Vec<f64> = (0..5).map(|i| (number(7 * case + i + 1) * 8.0).round() - 4.0).collect();
            let inside: Vec<f64> = (0..5).map(|i| number(3 * case + i)).collect();
            let mut set = set(&a, 0.0);
            set.b = sum(&set, &inside);
            let p: Vec<f64> = (0..5).map(|i| 6.0 * number(5 * case + 2 * i) - 3.0).collect();
            let omega: Vec<f64> = (0..5).map(|i| 10f64.powf(4.0 * number(case + 11 * i) - 2.0)).collect();
            for first in [0.0, 1e6, -1e6] {
                let mut y = first;
                let x = set.project(&p, &omega, &mut y);
                assert!((sum(&set, &x) - set.b).abs() <= 1e-12, "{a:?} {} {x:?}", set.b);
                assert!(is_nearest(&set, &p, &omega, y, &x), "{a:?} {p:?} {x:?}");
            }
        }
    }

    #[test]
    fn repairs_move_what_is_inside_first() {
        let set = set(&[1.0, -1.0, 1.0, 1.0], 1.0);
        // 1 + 0.25 + 0.5 is too much by 0.75: both that are inside give all the room they have.
        let x = set.repair(&[7.0, -3.0, 0.25, 0.5]).unwrap();
        assert_eq!((x[0], x[1]), (1.0, 0.0));
        assert!((x[2] - 0.0).abs() < 1e-15 && (x[3] - 0.0).abs() < 1e-15, "{x:?}");
        let x = set.repair(&[1.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(x, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(set.repair(&[0.0; 4]).unwrap(), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_cannot_be_repaired_says_why() {
        let out_of_reach = set(&[1.0, -1.0], 3.0);
        let [needed, least, most] = ["3", "-1", "1"].map(String::from);
        let error = PathError::Infeasible { needed, least, most, conflicting: vec![0, 1] };
        assert_eq!(out_of_reach.repair(&[0.5, 0.5]), Err(error));
        let set = set(&[1.0, 1.0], 1.0);
        assert_eq!(set.repair(&[1.0]), Err(PathError::StartShape { expected: 2, found: 1 }));
        let value = "inf".to_string();
        assert_eq!(set.repair(&[0.0, f64::INFINITY]), Err(PathError::StartOutsideBounds { index: 1, value }));
    }

    #[test]
    fn boxes_without_end_are_no_obstacle() {
        let set = Feasible {
            lower: vec![f64::NEG_INFINITY, 0.0],
            upper: vec![f64::INFINITY, f64::INFINITY],
            a: vec![1.0, 2.0],
            b: 5.0,
        };
        let x = set.repair(&[1.0, 0.5]).unwrap();
        assert!((sum(&set, &x) - 5.0).abs() < 1e-15, "{x:?}");
        let mut y = 0.0;
        let x = set.project(&[-7.0, -9.0], &[1.0, 1.0], &mut y);
        assert!((sum(&set, &x) - 5.0).abs() < 1e-13, "{x:?}");
    }
}
