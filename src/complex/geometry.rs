//! Plane geometry: lines, half-planes and convex polygons.
//!
//! Points are homogeneous, (X, Y, W) with W = 1, or W = 0 for a direction at infinity, so that polygons of unbounded
//! domains are cut like any others. Coordinates are those of the domain in units of its sides (frame.rs), and a line is
//! scaled so that the larger of its first two coefficients is ±1: its value at a point is then a distance in these units up to a
//! factor of √2. All decisions of the complex rest on three numbers: a point counts as outside a half-plane beyond
//! [`OUTSIDE`], what is shorter than [`SHORT`] counts as a point, and the sides of two regions meet within [`NEAR`]. All are relative to
//! the coordinates or to the terms of the value at the point, and zero for exact scalars.

use crate::scalar::Scalar;
use crate::settings::{LEFT, NEAR};

/// How far outside a half-plane a point of the plane counts as outside, in ε of the terms of its distance.
pub(super) const OUTSIDE: f64 = 4096.0;

/// What is shorter counts as a point, in ε of the coordinates; so do directions that differ by less of each coordinate, and lines that turn by less of the terms of their turn are parallel.
const SHORT: f64 = 65_536.0;

/// Lines that turn by no more may be parallel to another region, and meet at infinity: of the two lines each knows its directions to [`OUTSIDE`].
const MAYBE_PARALLEL: f64 = SHORT + 4.0 * OUTSIDE;

/// A homogeneous point.
pub(super) type Point<S> = [S; 3];

/// aX + bY + cW ≥ 0 (as a line: = 0), scaled as the module's first lines say.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct HalfPlane<S> {
    pub line: [S; 3],
    /// The size of the terms that c was computed from.
    pub terms: S,
    /// The sizes of those of a and b, while regions are cut by it; where none are given a and b themselves.
    #[serde(skip, default = "Option::default")]
    pub slopes: Option<[S; 2]>,
}

impl<S: Scalar> HalfPlane<S> {
    /// Scales the coefficients, of which c was computed from terms of this size; none if the function does not depend on the point.
    pub fn new([a, b, c]: [S; 3], terms: S) -> Option<Self> {
        let size = S::larger(a.abs(), b.abs());
        let line = (!size.is_zero()).then(|| [a / &size, b / &size, c / &size])?;
        Some(HalfPlane { line, terms: terms / &size, slopes: None })
    }

    /// The same, of which a and b were computed from terms of these sizes.
    pub fn of_terms(line: [S; 3], [first, second, terms]: [S; 3]) -> Option<Self> {
        let size = S::larger(line[0].abs(), line[1].abs());
        let half = HalfPlane::new(line, terms)?;
        Some(HalfPlane { slopes: Some([first / &size, second / size]), ..half })
    }

    /// The sizes of the terms of aX + bY, and of those that a and b were computed from.
    fn turning(&self, [x, y]: [&S; 2]) -> [S; 2] {
        let [a, b, _] = &self.line;
        let sum = |a: &S, b: &S| (a.clone() * x).abs() + (b.clone() * y).abs();
        let own = sum(a, b);
        [own.clone(), self.slopes.as_ref().map_or(own, |[a, b]| sum(a, b))]
    }

    pub fn value(&self, p: &Point<S>) -> S {
        let [a, b, c] = &self.line;
        a.clone() * &p[0] + b.clone() * &p[1] + c.clone() * &p[2]
    }

    /// How far outside a point must be to count as outside. A direction is none if it is that of the line but for rounding.
    fn noise(&self, p: &Point<S>) -> S {
        if !p[2].is_zero() {
            return S::tolerance(OUTSIDE) * self.terms(p);
        }
        let [own, terms] = self.turning([&p[0], &p[1]]);
        own * S::tolerance(SHORT) + terms * S::tolerance(OUTSIDE)
    }

    /// The size of the terms of the value: it is known to ε of that.
    fn terms(&self, p: &Point<S>) -> S {
        let [a, b, _] = &self.line;
        (a.clone() * &p[0]).abs() + (b.clone() * &p[1]).abs() + self.terms.clone() * &p[2]
    }

    /// How far outside a point is, beyond what counts as outside; negative or zero inside.
    pub fn excess(&self, p: &Point<S>) -> S {
        -self.value(p) - S::tolerance(SHORT) * self.terms(p)
    }

    /// Whether a point lies on the line, within what two regions may differ by.
    pub fn is_near(&self, p: &Point<S>) -> bool {
        self.value(p).abs() <= S::tolerance(NEAR) * self.terms(p)
    }

    /// Whether the line runs along the first axis rather than the second: positions on it are counted in that coordinate.
    pub fn axis(&self) -> usize {
        usize::from(self.line[1].abs() < self.line[0].abs())
    }

    /// The position of a point on the line; none at infinity.
    pub fn position(&self, p: &Point<S>) -> Option<S> {
        (!p[2].is_zero()).then(|| p[self.axis()].clone())
    }

    /// The point of the line at a position.
    pub fn point(&self, position: &S) -> Point<S> {
        let [a, b, c] = &self.line;
        if self.axis() == 0 {
            [position.clone(), -(a.clone() * position + c) / b, S::one()]
        } else {
            [-(b.clone() * position + c) / a, position.clone(), S::one()]
        }
    }

    /// The direction in which positions grow, or fall for a negative sign, as a point at infinity.
    pub fn direction(&self, sign: S) -> Point<S> {
        let [a, b, _] = &self.line;
        if self.axis() == 0 {
            [sign.clone(), -(a.clone() * sign) / b, S::zero()]
        } else {
            [-(b.clone() * &sign) / a, sign, S::zero()]
        }
    }

    /// a·a′ + b·b′: negative when the half-planes face each other.
    pub fn facing(&self, other: &Self) -> S {
        self.line[0].clone() * &other.line[0] + self.line[1].clone() * &other.line[1]
    }

    /// |ab′ − ba′|: zero when the lines are parallel.
    pub fn turn(&self, other: &Self) -> S {
        (self.line[0].clone() * &other.line[1] - self.line[1].clone() * &other.line[0]).abs()
    }

    /// Whether the lines are parallel but for rounding: to so many ε of the terms of their turn, since each coefficient is known to rounding of itself, of which a line that runs all but
    /// along an axis has a small one; and to [`OUTSIDE`] of the terms that they were computed from, which may have cancelled. It is the angle that tells, not how far away they meet:
    /// were distance to tell, of two corners of a strip one might be taken to infinity and the other not.
    fn is_parallel(&self, other: &Self, within: f64) -> bool {
        let ([a, b, _], [d, e, _]) = (&self.line, &other.line);
        let ([own, mine], [_, theirs]) = (self.turning([e, d]), other.turning([b, a]));
        self.turn(other) <= own * S::tolerance(within) + (mine + theirs) * S::tolerance(OUTSIDE)
    }

    /// How far the point in which two lines meet may be off along either, since a point counts as inside up to [`OUTSIDE`]: the more the smaller the angle
    /// between them. No farther than the point lies from the origin; zero at infinity.
    pub fn blur(&self, other: &Self, p: &Point<S>) -> S {
        let (turn, size) = (self.turn(other), size_of(p));
        let off = (self.terms(p) + other.terms(p)) * S::tolerance(OUTSIDE);
        match () {
            () if p[2].is_zero() || off.is_zero() => S::zero(),
            () if off >= size.clone() * &turn => size,
            () => off / turn,
        }
    }

    /// The finite point in which two lines meet; none where they are parallel but for rounding.
    fn meet(&self, other: &Self) -> Option<Point<S>> {
        let ([a, b, c], [d, e, f]) = (&self.line, &other.line);
        let minor = |p: &S, q: &S, r: &S, s: &S| p.clone() * s - q.clone() * r;
        let (x, y, w) = (minor(b, c, e, f), minor(c, a, f, d), minor(a, b, d, e));
        (!self.is_parallel(other, SHORT)).then(|| [x / &w, y / w, S::one()])
    }

    /// Whether two lines are one, within what two regions may differ by and whatever their orientation.
    pub fn coincides(&self, other: &Self) -> bool {
        let sign = if self.facing(other) < S::zero() { -S::one() } else { S::one() };
        // Directions are known to rounding of themselves, whatever the constant is made of.
        let sizes = [S::one(), S::one(), S::larger(self.terms.clone(), other.terms.clone())];
        let apart = self.line.iter().zip(&other.line).map(|(a, b)| (a.clone() - b.clone() * &sign).abs());
        apart.zip(sizes).all(|(apart, size)| apart <= size * S::tolerance(NEAR))
    }
}

/// A part of a line, in positions; none where it has no end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Interval<S> {
    pub from: Option<S>,
    pub to: Option<S>,
    /// How far its ends may be off.
    pub off: [S; 2],
}

impl<S: Scalar> Interval<S> {
    /// The part between two points of a line, in ascending order; a point at infinity is an end without position.
    pub fn between(line: &HalfPlane<S>, p: &Point<S>, q: &Point<S>) -> Self {
        let axis = line.axis();
        let ascending = match (line.position(p), line.position(q)) {
            (Some(a), Some(b)) => a <= b,
            (Some(_), None) => q[axis] >= S::zero(),
            (None, Some(_)) => p[axis] <= S::zero(),
            (None, None) => p[axis] <= q[axis],
        };
        let (from, to) = if ascending { (p, q) } else { (q, p) };
        Interval { from: line.position(from), to: line.position(to), off: [S::zero(), S::zero()] }
    }

    /// The same with ends that may be off, the first where the boundary of a polygon reaches it.
    fn blurred(self, upwards: bool, [first, second]: [S; 2]) -> Self {
        Interval { off: if upwards { [first, second] } else { [second, first] }, ..self }
    }

    /// The largest coordinate of its ends.
    fn size(&self, line: &HalfPlane<S>) -> S {
        let ends = self.from.iter().chain(&self.to);
        ends.map(|p| size_of(&line.point(p))).fold(S::zero(), S::larger)
    }

    /// Whether it is so short that the corners of two regions may differ by it.
    pub fn is_short(&self, line: &HalfPlane<S>) -> bool {
        self.is_within(&(self.size(line) * S::tolerance(LEFT)))
    }

    /// Whether it is no longer than `length` or than its ends may be off, or lies as good as at infinity.
    fn is_within(&self, length: &S) -> bool {
        let [before, behind] = &self.off;
        let far = |a: &S, off: &S| !off.is_zero() && off.clone() * S::integer(2) >= a.abs();
        match (&self.from, &self.to) {
            (Some(a), Some(b)) => {
                let apart = b.clone() - a;
                apart <= *length || apart <= before.clone() + behind || (far(a, before) && far(b, behind))
            }
            (Some(a), None) => far(a, before),
            (None, Some(b)) => far(b, behind),
            (None, None) => false,
        }
    }

    /// The common part.
    pub fn meet(&self, other: &Self) -> Self {
        let pick = |a: (&Option<S>, &S), b: (&Option<S>, &S), larger: bool| {
            let first = match (a.0, b.0) {
                (Some(x), Some(y)) if larger => x >= y,
                (Some(x), Some(y)) => x <= y,
                (x, _) => x.is_some(),
            };
            let (end, off) = if first { a } else { b };
            (end.clone(), off.clone())
        };
        let (from, before) = pick((&self.from, &self.off[0]), (&other.from, &other.off[0]), true);
        let (to, behind) = pick((&self.to, &self.off[1]), (&other.to, &other.off[1]), false);
        Interval { from, to, off: [before, behind] }
    }

    /// What `other` leaves of it, without pieces so short that the corners of two regions may differ by them.
    pub fn without(&self, other: &Self, line: &HalfPlane<S>) -> impl Iterator<Item = Self> + use<S> {
        let (line, largest) = (line.clone(), S::larger(self.size(line), other.size(line)));
        let ([before, behind], [others_before, others_behind]) = (self.off.clone(), other.off.clone());
        let left = other.from.clone().map(|from| Interval {
            from: self.from.clone(),
            to: Some(from),
            off: [before, others_before],
        });
        let right =
            other.to.clone().map(|to| Interval { from: Some(to), to: self.to.clone(), off: [others_behind, behind] });
        let parts = [left.map(|l| l.meet(self)), right.map(|r| r.meet(self))];
        let ordered = |i: &Self| !matches!((&i.from, &i.to), (Some(a), Some(b)) if b <= a);
        parts
            .into_iter()
            .flatten()
            .filter(move |i| ordered(i) && !i.is_within(&(near(&largest, i.size(&line)) * S::tolerance(LEFT))))
    }

    /// A position inside: `part` of the way (0 to 1) where it has two ends. Where it has one, as far from it as that lies from the origin, up to twice
    /// as far: corners far out are not known to a unit.
    pub fn inside(&self, part: S, line: &HalfPlane<S>) -> S {
        let far = S::larger(self.size(line), S::one());
        match (&self.from, &self.to) {
            (Some(a), Some(b)) => a.clone() + (b.clone() - a) * part,
            (Some(a), None) => a.clone() + far * (S::one() + part),
            (None, Some(b)) => b.clone() - far * (S::one() + part),
            (None, None) => part,
        }
    }

    /// Whether a position lies in it, up to what counts as a point.
    pub fn contains(&self, position: &S, line: &HalfPlane<S>) -> bool {
        let short = S::tolerance(SHORT) * S::larger(self.size(line), size_of(&line.point(position)));
        let [before, behind] = &self.off;
        let below = self.from.as_ref().is_some_and(|a| *position < a.clone() - &short - before);
        let above = self.to.as_ref().is_some_and(|b| *position > b.clone() + &short + behind);
        !below && !above
    }
}

/// The largest coordinate of a point.
pub(super) fn size_of<S: Scalar>(p: &Point<S>) -> S {
    S::larger(p[0].abs(), p[1].abs())
}

/// What lengths between points of this size are relative to, beside others that may be much farther out: where all lie within a unit, to the largest.
fn near<S: Scalar>(largest: &S, size: S) -> S {
    S::smaller(largest.clone(), S::larger(size, S::one()))
}

/// Whether a finite point is as good as another one, within what two regions may differ by. None is at infinity: a path there ends by itself.
pub(super) fn is_at<S: Scalar>(p: &Point<S>, q: &Point<S>) -> bool {
    if q[2].is_zero() {
        return false;
    }
    let within = S::tolerance(NEAR) * S::larger(size_of(p), size_of(q));
    (0..2).all(|a: usize| (p[a].clone() - &q[a]).abs() <= within)
}

/// A convex polygon, anticlockwise. Side k runs from corner k to the next and lies on the line of its label.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Polygon<S> {
    pub corners: Vec<Point<S>>,
    pub labels: Vec<usize>,
}

impl<S: Scalar> Polygon<S> {
    /// Cuts off what lies outside the half-plane; the new side gets the label. Whether anything was cut off. `line` has the lines of the labels so far: a new corner
    /// is where two lines meet. Were it found from the corners at hand alone, one that was taken to infinity would turn the side, and move every corner that is found on it
    /// afterwards.
    pub fn clip<'l>(
        &mut self,
        half: &HalfPlane<S>,
        label: usize,
        line: impl Fn(usize) -> Option<&'l HalfPlane<S>>,
    ) -> bool
    where
        S: 'l,
    {
        let values: Vec<S> = self.corners.iter().map(|p| half.value(p)).collect();
        // Most half-planes hold the whole polygon.
        if values.iter().all(|v| *v >= S::zero()) {
            return false;
        }
        let side = |k: usize| line(self.labels[k]).filter(|_| !self.is_far(k));
        let along = |k: usize| side(k).is_some_and(|side| side.is_parallel(half, SHORT));
        let noise = |(k, p): (usize, &Point<S>)| {
            // Parallel lines meet at infinity, in the direction of the side.
            let meets = p[2].is_zero() && (along(k) || along((k + values.len() - 1) % values.len()));
            if meets { S::larger(half.noise(p), values[k].abs()) } else { half.noise(p) }
        };
        let noise: Vec<S> = self.corners.iter().enumerate().map(noise).collect();
        let inside = |k: usize| values[k] >= -noise[k].clone();
        let on = |k: usize| values[k] <= noise[k];
        if (0..values.len()).all(inside) {
            return false;
        }
        let (mut corners, mut labels) = (Vec::with_capacity(values.len() + 1), Vec::with_capacity(values.len() + 1));
        for (k, v) in values.iter().enumerate() {
            let next = (k + 1) % values.len();
            let (p, q, w) = (&self.corners[k], &self.corners[next], &values[next]);
            if inside(k) {
                corners.push(p.clone());
                labels.push(if !inside(next) && on(k) { label } else { self.labels[k] });
            }
            let leaves = inside(k) && !inside(next) && !on(k);
            let enters = !inside(k) && inside(next) && !on(next);
            if leaves || enters {
                let met = side(k).and_then(|side| side.meet(half)).filter(|met| is_between(met, p, q));
                corners.push(met.unwrap_or_else(|| between(p, v, q, w)));
                labels.push(if leaves { label } else { self.labels[k] });
            }
        }
        (self.corners, self.labels) = (corners, labels);
        true
    }

    /// Leaves out sides that count as points.
    pub fn tidy(&mut self) {
        let finite = self.corners.iter().filter(|p| !p[2].is_zero());
        let largest = finite.map(size_of).fold(S::zero(), S::larger);
        let mut k = 0;
        while self.corners.len() > 1 && k < self.corners.len() {
            let next = (k + 1) % self.corners.len();
            let (p, q) = (&self.corners[k], &self.corners[next]);
            let finite = near(&largest, S::larger(size_of(p), size_of(q)));
            // Of a direction each coordinate is known to rounding of itself.
            let size = |a: usize| if p[2].is_zero() { S::larger(p[a].abs(), q[a].abs()) } else { finite.clone() };
            let apart = |a: usize| (p[a].clone() - &q[a]).abs() > S::tolerance(SHORT) * size(a);
            if p[2].is_zero() == q[2].is_zero() && !apart(0) && !apart(1) {
                // The corner stays, its side is that of the next.
                self.labels[k] = self.labels[next];
                self.corners.remove(next);
                self.labels.remove(next);
                k = 0;
            } else {
                k += 1;
            }
        }
        self.join_at_infinity();
    }

    /// The line at infinity is one line: a corner on it between two others is none. A side all but at infinity makes such corners.
    fn join_at_infinity(&mut self) {
        let mut k = 0;
        while self.corners.len() > 3 && k < self.corners.len() {
            let last = (k + self.corners.len() - 1) % self.corners.len();
            if self.is_far(last) && self.is_far(k) {
                self.corners.remove(k);
                self.labels.remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// Whether it has no inside.
    pub fn is_empty(&self) -> bool {
        self.corners.len() < 3
    }

    /// Its area; none if it is unbounded.
    pub fn area(&self) -> Option<S> {
        let finite = self.corners.iter().all(|p| !p[2].is_zero());
        finite.then(|| self.area_of(|p| [p[0].clone(), p[1].clone()]))
    }

    /// The area of its image under a map that takes lines to lines.
    pub fn area_of(&self, map: impl Fn(&Point<S>) -> [S; 2]) -> S {
        let mut corners = self.corners.iter().map(map);
        let Some(o) = corners.next() else { return S::zero() };
        let sides: Vec<[S; 2]> = corners.map(|p| [p[0].clone() - &o[0], p[1].clone() - &o[1]]).collect();
        let twice =
            sides.windows(2).fold(S::zero(), |sum, w| sum + w[0][0].clone() * &w[1][1] - w[0][1].clone() * &w[1][0]);
        twice / S::integer(2)
    }

    /// A point inside: the mean of the corners, moved along the directions at infinity as far as the corners lie from the origin.
    pub fn centre(&self) -> Point<S> {
        let corners = || self.corners.iter().filter(|p| !p[2].is_zero());
        let finite = S::integer(corners().count().max(1) as i64);
        let far = corners().map(size_of).fold(S::zero(), S::larger);
        let far = if far.is_zero() { S::one() } else { far };
        let mut centre = [S::zero(), S::zero(), S::one()];
        for p in &self.corners {
            for a in 0..2 {
                centre[a] += if p[2].is_zero() { p[a].clone() * &far } else { p[a].clone() / &finite };
            }
        }
        centre
    }

    /// Whether side k lies at infinity.
    pub fn is_far(&self, k: usize) -> bool {
        self.corners[k][2].is_zero() && self.corners[(k + 1) % self.corners.len()][2].is_zero()
    }

    /// The part of side k's line that it covers.
    pub fn side(&self, k: usize, lines: &[HalfPlane<S>]) -> Interval<S> {
        let count = self.corners.len();
        let next = (k + 1) % count;
        let (line, p, q) = (&lines[k], &self.corners[k], &self.corners[next]);
        let extent = Interval::between(line, p, q);
        let begins = line.position(p).map_or(extent.from.is_none(), |p| extent.from.as_ref() == Some(&p));
        let off = |other: &HalfPlane<S>, p: &Point<S>| match p[2].is_zero() || !line.is_parallel(other, MAYBE_PARALLEL)
        {
            true => line.blur(other, p),
            false => size_of(p),
        };
        extent.blurred(begins, [off(&lines[(k + count - 1) % count], p), off(&lines[next], q)])
    }
}

/// Whether a finite point of the line through p and q, one of which is finite, lies between them.
fn is_between<S: Scalar>(met: &Point<S>, p: &Point<S>, q: &Point<S>) -> bool {
    let towards = |from: &Point<S>, to: &Point<S>| {
        [0, 1].map(|a: usize| if to[2].is_zero() { to[a].clone() } else { to[a].clone() - &from[a] })
    };
    let ahead = |from: &Point<S>, to: &Point<S>| {
        let ([u, v], [x, y]) = (towards(from, met), towards(from, to));
        u * x + v * y >= S::zero()
    };
    (p[2].is_zero() || ahead(p, q)) && (q[2].is_zero() || ahead(q, p))
}

/// Where the line on which p has the value v > 0 and q the value w < 0 (or the other way round) is zero between them.
fn between<S: Scalar>(p: &Point<S>, v: &S, q: &Point<S>, w: &S) -> Point<S> {
    let (v, w) = (v.abs(), w.abs());
    let mix = |a: usize| p[a].clone() * &w + q[a].clone() * &v;
    let [x, y, z] = [mix(0), mix(1), mix(2)];
    if z.is_zero() {
        let size = S::larger(x.abs(), y.abs());
        return [x / &size, y / size, S::zero()];
    }
    [x / &z, y / &z, S::one()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip that lines cut which are parallel to it up to rounding keeps its direction, as often as that happens.
    #[test]
    fn parallel_to_a_strip() {
        let half = |a: f64, b: f64, c: f64| HalfPlane::new([a, b, c], c.abs()).unwrap();
        let mut lines = vec![half(0.0, 1.0, 0.0), half(1.0, 0.0, 0.0), half(-0.1, 1.0, -2.0), half(0.1, -1.0, 3.0)];
        let mut strip =
            Polygon { corners: vec![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], labels: vec![0, 9, 1] };
        for k in 1..=8 {
            let off = f64::from(k) * 1e-14;
            lines.extend([half(0.1 + off, -1.0, 3.0 + 1e-9), half(-0.1 - off, 1.0, -2.0 + 1e-9)]);
        }
        for k in 2..lines.len() {
            strip.clip(&lines[k].clone(), k, |label| lines.get(label));
        }
        strip.tidy();
        assert_eq!(strip.corners.len(), 3, "{strip:?}");
        let ends: Vec<_> = strip.corners.iter().filter(|p| p[2] == 0.0).collect();
        assert!(ends.len() == 1 && (ends[0][1] / ends[0][0] - 0.1).abs() <= 1e-12, "{strip:?}");
        assert!(strip.corners.iter().all(|p| p[2] == 0.0 || p[0] == 0.0), "{strip:?}");
    }
}
