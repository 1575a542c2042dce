//! The domain, and the coordinates in which the complex lies in it: θ counted from a corner, in units of the domain's sides.

use super::geometry::{HalfPlane, Point, Polygon};
use crate::problem::{ParametricQp, Range};
use crate::scalar::Scalar;

/// The domain: where its corner is and the lengths that coordinates are counted in.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Frame<S> {
    pub origin: [S; 2],
    pub unit: [S; 2],
    /// The four sides of the domain, from the lower one anticlockwise; none at infinity.
    pub walls: Vec<Option<HalfPlane<S>>>,
    pub polygon: Polygon<S>,
}

impl<S: Scalar> Frame<S> {
    /// The domain of a problem with two parameters; `scale` is the unit along a parameter whose range has one end only.
    /// None if a range has no end or no length.
    pub fn new(qp: &ParametricQp<S>, scale: &[S]) -> Option<Self> {
        let [first, second] = qp.domain() else { return None };
        let (x, y) = (Axis::new(first, scale.first()?)?, Axis::new(second, scale.get(1)?)?);
        let [zero, one] = [S::zero(), S::one()];
        let outward = |i: usize| if i == 0 { -S::one() } else { S::one() };
        let (mut corners, mut labels): (Vec<Point<S>>, Vec<usize>) = (Vec::new(), Vec::new());
        for (i, j, wall) in [(0, 0, 0), (1, 0, 1), (1, 1, 2), (0, 1, 3)] {
            let corner = match (&x.ends[i], &y.ends[j]) {
                (Some(a), Some(b)) => [a.clone(), b.clone(), one.clone()],
                (None, Some(_)) => [outward(i), zero.clone(), zero.clone()],
                (Some(_), None) => [zero.clone(), outward(j), zero.clone()],
                // Far away in both: between two that are in one.
                (None, None) => continue,
            };
            if corners.last() == Some(&corner) {
                labels.pop();
            } else {
                corners.push(corner);
            }
            labels.push(wall);
        }
        let wall = |end: &Option<S>, a: usize, sign: S| {
            let mut line = [S::zero(), S::zero(), -(sign.clone() * end.as_ref()?)];
            line[a] = sign;
            let terms = line[2].abs();
            Some(HalfPlane { line, terms, slopes: None })
        };
        let walls = vec![
            wall(&y.ends[0], 1, one.clone()),
            wall(&x.ends[1], 0, -one.clone()),
            wall(&y.ends[1], 1, -one.clone()),
            wall(&x.ends[0], 0, one),
        ];
        Some(Frame {
            origin: [x.origin, y.origin],
            unit: [x.unit, y.unit],
            walls,
            polygon: Polygon { corners, labels },
        })
    }

    /// θ of a finite point.
    pub fn theta(&self, p: &Point<S>) -> [S; 2] {
        let at = |a: usize| self.origin[a].clone() + self.unit[a].clone() * &p[a];
        [at(0), at(1)]
    }

    /// The corners of a polygon as θ, or as directions with a second entry that is false.
    pub fn corners(&self, polygon: &Polygon<S>) -> Vec<([S; 2], bool)> {
        let corner = |p: &Point<S>| match p[2].is_zero() {
            true => ([0, 1].map(|a: usize| p[a].clone() * &self.unit[a]), false),
            false => (self.theta(p), true),
        };
        polygon.corners.iter().map(corner).collect()
    }

    /// The point of θ.
    pub fn point(&self, theta: &[S; 2]) -> Point<S> {
        let at = |a: usize| (theta[a].clone() - &self.origin[a]) / &self.unit[a];
        [at(0), at(1), S::one()]
    }

    /// v + g·(θ − anchor) as coefficients of (X, Y, W).
    pub fn function(&self, [v, g0, g1]: &[S; 3], anchor: &[S; 2]) -> [S; 3] {
        let [a, b] = [g0.clone() * &self.unit[0], g1.clone() * &self.unit[1]];
        let away = |k: usize, g: &S| g.clone() * (self.origin[k].clone() - &anchor[k]);
        [a, b, v.clone() + away(0, g0) + away(1, g1)]
    }

    /// The size of the terms of its constant.
    pub fn terms(&self, [v, g0, g1]: &[S; 3], anchor: &[S; 2]) -> S {
        let away = |k: usize, g: &S| (g.clone() * (self.origin[k].clone() - &anchor[k])).abs();
        v.abs() + away(0, g0) + away(1, g1)
    }

    /// v + g·(θ − anchor) ≥ 0, with the sizes of the terms of g.
    pub fn half_plane(&self, function: &[S; 3], sizes: &[S; 2], anchor: &[S; 2]) -> Option<HalfPlane<S>> {
        let [first, second] = [0, 1].map(|a: usize| sizes[a].clone() * &self.unit[a]);
        HalfPlane::of_terms(self.function(function, anchor), [first, second, self.terms(function, anchor)])
    }

    /// The same of a function of x, whose rates along both parameters are solved for: each is known to rounding of the larger, since of the terms that it was solved from nothing is
    /// kept.
    pub fn half_plane_of_x(
        &self,
        function: &[S; 3],
        sizes: &[S; 2],
        anchor: &[S; 2],
        terms: S,
    ) -> Option<HalfPlane<S>> {
        let [first, second] = [0, 1].map(|a: usize| sizes[a].clone() * &self.unit[a]);
        let larger = S::larger(first, second);
        HalfPlane::of_terms(self.function(function, anchor), [larger.clone(), larger, terms])
    }

    /// Whether side k of a polygon, on the given line, lies on the boundary of the domain or at infinity: nothing lies beyond.
    pub fn borders(&self, polygon: &Polygon<S>, k: usize, line: &HalfPlane<S>) -> bool {
        let on = |wall: &HalfPlane<S>| wall.facing(line) > S::zero() && wall.coincides(line);
        polygon.is_far(k) || self.walls.iter().flatten().any(on)
    }

    /// The image of a point under (X, Y, W) → (X, Y)/(W + |X| + |Y|), where the sum has only the coordinates along which the domain
    /// is unbounded: lines stay lines, and the image of the domain is bounded.
    pub fn bounded(&self, p: &Point<S>) -> [S; 2] {
        let far = |walls: [usize; 2], a: usize| {
            let unbounded = walls.iter().any(|&w| self.walls[w].is_none());
            if unbounded { p[a].abs() } else { S::zero() }
        };
        let weight = p[2].clone() + far([1, 3], 0) + far([0, 2], 1);
        [p[0].clone() / &weight, p[1].clone() / weight]
    }

    /// The end of the ray from p through q: where it leaves the domain, or twice as far where it does not.
    pub fn beyond(&self, p: &Point<S>, q: &Point<S>) -> Point<S> {
        let mut reach = S::integer(2);
        for wall in self.walls.iter().flatten() {
            let (at_p, at_q) = (wall.value(p), wall.value(q));
            let falls = at_p.clone() - at_q;
            if falls > S::zero() {
                reach = S::smaller(reach, at_p / falls);
            }
        }
        let at = |a: usize| p[a].clone() + (q[a].clone() - &p[a]) * &reach;
        [at(0), at(1), S::one()]
    }
}

/// One range of the domain: where it begins, its unit, and its ends in that unit.
struct Axis<S> {
    origin: S,
    unit: S,
    ends: [Option<S>; 2],
}

impl<S: Scalar> Axis<S> {
    fn new(range: &Range<S>, scale: &S) -> Option<Self> {
        let positive = |s: S| (s > S::zero()).then_some(s);
        match (&range.from, &range.to) {
            (Some(a), Some(b)) => {
                let unit = positive(b.clone() - a)?;
                Some(Axis { origin: a.clone(), unit, ends: [Some(S::zero()), Some(S::one())] })
            }
            (Some(a), None) => {
                Some(Axis { origin: a.clone(), unit: positive(scale.clone())?, ends: [Some(S::zero()), None] })
            }
            (None, Some(b)) => {
                Some(Axis { origin: b.clone(), unit: positive(scale.clone())?, ends: [None, Some(S::zero())] })
            }
            (None, None) => None,
        }
    }
}
