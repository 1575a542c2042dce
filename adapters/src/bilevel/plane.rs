//! The interface between the search and a problem, and the scales of the plane that is searched.

use super::cells::Cell;
use pathqp::complex::CriticalRegion;
use pathqp::{ParametricQp, Path, Settings, Start, Status};

/// A corner of a region, and whether it is finite.
pub(super) type Place = ([f64; 2], bool);

/// The solution on a critical region: x of the free indices and y as functions \[value at the anchor, two slopes\] of θ. Without y it is an interval, or there is no
/// equality row.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub status: Vec<Status>,
    pub free: Vec<usize>,
    pub anchor: [f64; 2],
    pub x: Vec<[f64; 3]>,
    pub y: Option<[f64; 3]>,
}

impl Law {
    pub fn of(region: &CriticalRegion<f64>) -> Self {
        let law = region.law();
        Law {
            status: region.status().to_vec(),
            free: region.free().collect(),
            anchor: *law.anchor,
            x: law.x.to_vec(),
            y: law.y.copied(),
        }
    }
}

/// A part of the plane that reaches to λ = ∞: from one value of the varying parameter to another, with the law there.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    pub vary: [f64; 2],
    pub law: Law,
}

/// One fold of a problem in the plane of the varying and the tuned parameter.
pub(super) trait Plane: Send {
    /// The same for another thread.
    fn twin(&self) -> Box<dyn Plane + '_>;

    /// The problem on the training rows, everywhere.
    fn qp(&self) -> &ParametricQp<f64>;

    /// θ at a point of the plane: the order of the two may differ.
    fn theta(&self, place: [f64; 2]) -> [f64; 2];

    /// A start for the training problem.
    fn start(&self, theta: &[f64; 2]) -> Start<f64>;

    /// The cells of a region with these corners (θ, anticlockwise), and the number of validation crossings in it.
    fn cut(&mut self, law: &Law, corners: &[Place]) -> (Vec<Cell>, usize);

    /// The value of the tuned parameter at which the solution becomes the same for all that lie beyond, given the path of the training problem along the varying
    /// parameter at an end of the range; none where it does not.
    fn settled(&self, path: &Path<f64>) -> Option<f64>;

    /// Of a problem whose tuned parameter may be infinite: the strips above `level`, and the ranges in which the solution is not yet what it is in the
    /// limit. None where that could not be found.
    fn strips(&self, vary: [f64; 2], level: f64, settings: &Settings) -> Option<(Vec<Strip>, Vec<[f64; 2]>)>;
}

/// A range of a parameter, on an even or on a logarithmic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    pub from: f64,
    pub to: f64,
    /// Added before the logarithm is taken; none on an even scale.
    shift: Option<f64>,
}

/// Cells of the first grid on an even scale.
const EVEN: usize = 8;

/// The factor between the ends of a cell of the first grid on a logarithmic scale.
const FACTOR: f64 = 4.0;

/// Inner lines of the first grid are moved by this part of a cell and cells are cut at this part of them, which is no simple fraction: at the quantiles k/n
/// of few rows the solution jumps.
const OFF: f64 = 0.0713;
const MIDDLE: f64 = 0.4877;

impl Axis {
    /// An even scale.
    pub fn even([from, to]: [f64; 2]) -> Self {
        Axis { from, to, shift: None }
    }

    /// A logarithmic scale; where the range begins at zero the first cell ends at `first`.
    pub fn logarithmic([from, to]: [f64; 2], first: f64) -> Self {
        let shift = if from > 0.0 { 0.0 } else { first.min(to) / (FACTOR - 1.0) };
        Axis { from, to, shift: Some(shift) }
    }

    /// The same scale from elsewhere on.
    pub fn starting(&self, from: f64) -> Self {
        Axis { from, ..*self }
    }

    /// The same scale up to elsewhere.
    pub fn ending(&self, to: f64) -> Self {
        Axis { to, ..*self }
    }

    /// The value at a part of the range.
    pub fn value(&self, part: f64) -> f64 {
        match (part, self.shift) {
            (0.0, _) => self.from,
            (1.0, _) => self.to,
            (part, None) => self.from + (self.to - self.from) * part,
            (part, Some(shift)) => (self.from + shift) * ((self.to + shift) / (self.from + shift)).powf(part) - shift,
        }
    }

    /// The part of the range at a value.
    pub fn part(&self, value: f64) -> f64 {
        match self.shift {
            None => (value - self.from) / (self.to - self.from),
            Some(shift) => {
                ((value + shift) / (self.from + shift)).ln() / ((self.to + shift) / (self.from + shift)).ln()
            }
        }
    }

    /// The lines of the first grid.
    pub fn lines(&self) -> Vec<f64> {
        let count = match self.shift {
            None => EVEN,
            Some(shift) => {
                (((self.to + shift) / (self.from + shift)).ln() / FACTOR.ln()).ceil().clamp(1.0, 1e3) as usize
            }
        };
        let inner = |k: usize| if self.shift.is_some() { k as f64 } else { k as f64 + OFF };
        let part = |k: usize| if k == 0 || k == count { (k / count) as f64 } else { inner(k) / count as f64 };
        (0..=count).map(|k| self.value(part(k))).collect()
    }

    /// Where a cell is divided.
    pub fn middle(&self, [from, to]: [f64; 2]) -> f64 {
        let (a, b) = (self.part(from), self.part(to));
        self.value(a + (b - a) * MIDDLE).max(from).min(to)
    }

    /// The length of a cell, as a part of the range.
    pub fn length(&self, [from, to]: [f64; 2]) -> f64 {
        self.part(to) - self.part(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_go_there_and_back() {
        for axis in [Axis::even([0.1, 0.9]), Axis::logarithmic([1e-7, 30.0], 0.0), Axis::logarithmic([0.0, 50.0], 0.01)]
        {
            for part in [0.0, 0.25, 0.5, 1.0] {
                assert!((axis.part(axis.value(part)) - part).abs() <= 1e-12);
            }
            let lines = axis.lines();
            assert_eq!((lines[0], *lines.last().unwrap()), (axis.from, axis.to));
            assert!(lines.windows(2).all(|w| w[0] < w[1]));
            let middle = axis.middle([lines[0], lines[1]]);
            assert!(lines[0] < middle && middle < lines[1]);
        }
        assert!((Axis::logarithmic([0.0, 50.0], 0.01).lines()[1] - 0.01).abs() <= 5e-3);
    }
}
