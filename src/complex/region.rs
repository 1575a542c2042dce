//! A critical region: a sign pattern of z and the polygon on which it holds.
//!
//! With F and the bounds of the others given, the law of F (law.rs) is optimal where
//!
//! ```text
//! l ≤ x_F ≤ u,   zᵢ ≥ 0 at a lower bound,   zᵢ ≤ 0 at an upper bound
//! ```
//!
//! half-planes in θ, whose intersection is the *cell* of the active set. Three cases:
//!
//! - *No weakly active index.* The cell is the region.
//! - *y is an interval.* The signs of z with a coefficient in the row ask for lo ≤ hi, where lo is the largest and hi the
//!   least of some affine functions: the pair that is most violated at a corner cuts it off, until none is
//!   (a cutting-plane method; lo is convex and hi concave, so the region is convex).
//! - *Weakly active indices.* M = {z = 0} is larger than F, x is not unique, and other choices of F in M have cells of their
//!   own; the region is {θ : some x_M in its box gives this fit}, the projection of a polyhedron. The signs of the
//!   others' z cut as before, since z does not depend on the choice. For the rest see cut.rs.

use super::frame::Frame;
use super::geometry::{HalfPlane, Interval, OUTSIDE, Point, Polygon, size_of};
use super::law::{Law, Pattern, axes, bounding, order};
use crate::active_set::Status;
use crate::error::PathError;
use crate::path::{Follower, Start, Stop};
use crate::problem::{Line, ParametricQp};
use crate::scalar::Scalar;
use crate::settings::{LEFT, Settings};

/// Labels of sides: the walls of the domain come first.
pub(super) const WALLS: usize = 4;

/// What makes a region: the problem, its domain, and the variables without room in it.
pub(super) struct Question<'a, S> {
    pub qp: &'a ParametricQp<S>,
    pub frame: Frame<S>,
    pub fixed: Vec<bool>,
    pub settings: Settings,
}

/// A law with the lines through its anchor ([`axes`]).
pub(super) struct AnchoredLaw<S> {
    pub law: Law<S>,
    pub lines: [Line<S>; 2],
}

/// A region with what is needed to cross its sides.
#[derive(Clone, Debug)]
pub(super) struct Region<S> {
    pub pattern: Pattern,
    /// An active set that is optimal at the centre.
    pub status: Vec<Status>,
    /// Its law. Where x is not unique x_F is one choice, valid around the centre only.
    pub law: Law<S>,
    /// Whether x is one law everywhere in it: no index is weakly active.
    pub unique: bool,
    /// A point inside.
    pub centre: Point<S>,
    pub polygon: Polygon<S>,
    pub sides: Vec<Side<S>>,
}

/// A side of a region.
#[derive(Clone, Debug)]
pub(super) struct Side<S> {
    pub line: HalfPlane<S>,
    pub extent: Interval<S>,
    /// On the boundary of the domain.
    pub wall: bool,
    /// The one index whose sign changes there and the sign that it takes, where there is only one.
    pub change: Option<(usize, Status)>,
}

/// A half-plane that a region lies in, and the index whose sign changes beyond it.
pub(super) struct Constraint<S> {
    pub half: HalfPlane<S>,
    pub change: Option<(usize, Status)>,
}

/// Where a path ran for a while with one active set.
pub(super) struct Stretch<S> {
    pub start: Point<S>,
    pub middle: Point<S>,
    pub status: Vec<Status>,
}

impl<S: Scalar> Question<'_, S> {
    /// The law of `status`, solved at a point; none where it has none. It costs less the fewer indices differ from a law at hand.
    pub fn law(
        &self,
        point: &Point<S>,
        status: &[Status],
        near: Option<&Law<S>>,
    ) -> Result<Option<AnchoredLaw<S>>, PathError> {
        let anchor = self.frame.theta(point);
        let lines = axes(self.qp, &anchor);
        let law = Law::new(self.qp, (&anchor, &lines), (status, &self.fixed), &self.settings, near)?;
        let Some(mut law) = law else { return Ok(None) };
        if !law.weak.is_empty() && size_of(point) > S::one() {
            law.confirm_weak(self.qp, &self.frame.origin, status, &self.settings)?;
        }
        Ok(Some(AnchoredLaw { law, lines }))
    }

    /// The region in which `status` is optimal, given its law; none if its cell has no inside.
    pub fn region(&self, solved: AnchoredLaw<S>, status: Vec<Status>) -> Result<Option<Region<S>>, PathError> {
        let AnchoredLaw { law, lines } = solved;
        let mut signs = self.signs(&law, &status, &lines);
        let boxes = self.boxes(&law, &lines);
        let unique = law.weak.is_empty();
        let floating = lines[0].has_row() && law.y.is_none();
        let own = signs.len();
        signs.extend(boxes);
        let mut polygon = self.frame.polygon.clone();
        self.clip(&mut polygon, &signs);
        if floating {
            self.close_interval(&mut polygon, &mut signs, &law, &status, &lines[0]);
        }
        polygon.tidy();
        if polygon.is_empty() {
            return Ok(None);
        }
        let centre = polygon.centre();
        if !unique {
            signs.truncate(own);
            polygon = self.frame.polygon.clone();
            self.clip(&mut polygon, &signs);
            if floating {
                self.close_interval(&mut polygon, &mut signs, &law, &status, &lines[0]);
            }
            if !self.cut_by_paths(&mut polygon, &mut signs, (&centre, &status), &law)? {
                return Ok(None);
            }
            polygon.tidy();
            if polygon.is_empty() {
                return Ok(None);
            }
        }
        let pattern = law.pattern(&status, &self.fixed);
        // A wall at infinity has no line: nobody asks for it.
        let none = || HalfPlane { line: [S::zero(), S::one(), S::zero()], terms: S::zero(), slopes: None };
        let line = |label: &usize| self.frame.line_of(*label, &signs).cloned().unwrap_or_else(none);
        let lines: Vec<HalfPlane<S>> = polygon.labels.iter().map(line).collect();
        let sides = (0..lines.len()).map(|k| self.side(&polygon, k, &lines, (&signs, unique))).collect();
        Ok(Some(Region { pattern, status, law, unique, centre, polygon, sides }))
    }

    /// zᵢ ≥ 0 or ≤ 0 for the indices at a bound, where y is determined or does not matter.
    fn signs(&self, law: &Law<S>, status: &[Status], lines: &[Line<S>; 2]) -> Vec<Constraint<S>> {
        let floating = lines[0].has_row() && law.y.is_none();
        let mut weak = vec![false; status.len()];
        law.weak.iter().for_each(|&i| weak[i] = true);
        let mut constraints = Vec::with_capacity(status.len() + 2 * law.free.len());
        for (i, s) in status.iter().enumerate() {
            let a = lines[0].a(i);
            if *s == Status::Free || self.fixed[i] || weak[i] || (floating && !a.is_zero()) {
                continue;
            }
            let sign = S::integer(s.sign());
            let z = law.z(i, &a).map(|v| v * &sign);
            let half = self.frame.half_plane(&z, &law.sizes_of_rates(i, &a), &law.anchor);
            constraints.extend(half.map(|half| Constraint { half, change: Some((i, Status::Free)) }));
        }
        constraints
    }

    /// l ≤ x_F ≤ u.
    fn boxes(&self, law: &Law<S>, [first, second]: &[Line<S>; 2]) -> Vec<Constraint<S>> {
        let mut constraints = Vec::with_capacity(2 * law.free.len());
        for (&i, x) in law.free.iter().zip(&law.x) {
            let sides = [
                (&first.bounds.lower[i], &second.bounds.lower[i], Status::Lower, S::one()),
                (&first.bounds.upper[i], &second.bounds.upper[i], Status::Upper, -S::one()),
            ];
            for (first, second, to, sign) in sides {
                let (Some([value, slope]), Some([_, other])) = (first, second) else { continue };
                let room = [x[0].clone() - value, x[1].clone() - slope, x[2].clone() - other].map(|v| v * &sign);
                let sizes = [x[1].abs() + slope.abs(), x[2].abs() + other.abs()];
                let terms = self.frame.terms(&room, &law.anchor);
                let half = self.frame.half_plane_of_x(&room, &sizes, &law.anchor, terms);
                constraints.extend(half.map(|half| Constraint { half, change: Some((i, to)) }));
            }
        }
        constraints
    }

    /// Cuts off where the interval of y is empty.
    fn close_interval(
        &self,
        polygon: &mut Polygon<S>,
        constraints: &mut Vec<Constraint<S>>,
        law: &Law<S>,
        status: &[Status],
        line: &Line<S>,
    ) {
        // qᵢ/Aᵢ as functions of the point, those that bound y below and above.
        let end = |i: usize| {
            let a = line.a(i);
            let end = self.frame.function(&law.q[i], &law.anchor).map(|v| v / &a);
            (end, self.frame.terms(&law.q[i], &law.anchor) / a.abs())
        };
        let [lows, highs] =
            bounding(status, &self.fixed, line).map(|side| side.into_iter().map(end).collect::<Vec<_>>());
        let at = |f: &([S; 3], S), p: &Point<S>| f.0.iter().zip(p).fold(S::zero(), |sum, (f, p)| sum + f.clone() * p);
        let mut k = 0;
        while k < polygon.corners.len() {
            let p = &polygon.corners[k];
            let low = lows.iter().max_by(|f, g| order(&at(f, p), &at(g, p)));
            let high = highs.iter().min_by(|f, g| order(&at(f, p), &at(g, p)));
            let gap = low.zip(high).and_then(|(low, high)| {
                let gap = [0, 1, 2].map(|a: usize| high.0[a].clone() - &low.0[a]);
                let size = |a: usize| high.0[a].abs() + low.0[a].abs();
                let larger = S::larger(size(0), size(1));
                HalfPlane::of_terms(gap, [larger.clone(), larger, high.1.clone() + &low.1])
            });
            let cut = gap.is_some_and(|half| {
                let cut =
                    polygon.clip(&half, WALLS + constraints.len(), |label| self.frame.line_of(label, constraints));
                if cut {
                    constraints.push(Constraint { half, change: None });
                }
                cut
            });
            k = if cut { 0 } else { k + 1 };
        }
    }

    /// The straight path from p to q. A path to infinity goes as far as its direction is known; for exact scalars it does not end.
    pub fn line_to(&self, p: &Point<S>, q: &Point<S>) -> Line<S> {
        let from = self.frame.theta(p);
        let known = S::tolerance(OUTSIDE);
        if q[2].is_zero() && known.is_zero() {
            let direction = [0, 1].map(|a: usize| q[a].clone() * &self.frame.unit[a]);
            return self.qp.restrict(&from, direction.to_vec(), S::zero(), None);
        }
        let far = S::larger(size_of(p), S::one());
        let end = match q[2].is_zero() {
            true => [0, 1].map(|a: usize| p[a].clone() + q[a].clone() * &far / &known),
            false => [q[0].clone(), q[1].clone()],
        };
        let [x, y] = end;
        self.qp.line_between(&from, &self.frame.theta(&[x, y, S::one()]))
    }

    pub fn follower<'l>(&self, line: &'l Line<S>, status: &[Status]) -> Result<Follower<'l, S>, PathError> {
        let start = Start::ActiveSet { status: status.to_vec(), y: None };
        Follower::new(line, &start, self.settings.clone())
    }

    fn clip(&self, polygon: &mut Polygon<S>, constraints: &[Constraint<S>]) {
        for (k, constraint) in constraints.iter().enumerate() {
            polygon.clip(&constraint.half, WALLS + k, |label| self.frame.line_of(label, constraints));
        }
    }

    /// Side k of the polygon.
    fn side(
        &self,
        polygon: &Polygon<S>,
        k: usize,
        lines: &[HalfPlane<S>],
        (constraints, unique): (&[Constraint<S>], bool),
    ) -> Side<S> {
        let (line, next) = (lines[k].clone(), &polygon.corners[(k + 1) % polygon.corners.len()]);
        let wall = self.frame.borders(polygon, k, &line);
        let extent = polygon.side(k, lines);
        let here = |c: &&Constraint<S>| c.half.is_near(&polygon.corners[k]) && c.half.is_near(next);
        let mut changes = constraints.iter().filter(here);
        let change = match (changes.next(), changes.next()) {
            (Some(only), None) if unique && !wall => only.change,
            _ => None,
        };
        Side { line, extent, wall, change }
    }
}

impl<S: Scalar> Frame<S> {
    /// The line of a side with a label; none for a wall at infinity.
    pub fn line_of<'l>(&'l self, label: usize, constraints: &'l [Constraint<S>]) -> Option<&'l HalfPlane<S>> {
        match label.checked_sub(WALLS) {
            Some(k) => constraints.get(k).map(|constraint| &constraint.half),
            None => self.walls.get(label).and_then(Option::as_ref),
        }
    }
}

impl<S: Scalar> Region<S> {
    /// The side that faces a line at a point of it and runs along it: at a corner others pass through the point too.
    pub fn facing(&self, line: &HalfPlane<S>, point: &Point<S>) -> Option<usize> {
        let reached = |k: &usize| {
            let side = &self.sides[*k];
            let there = side.line.position(point).is_some_and(|p| side.extent.contains(&p, &side.line));
            let along = side.line.turn(line) <= S::tolerance(LEFT);
            !side.wall && side.line.facing(line) < S::zero() && along && there && side.line.is_near(point)
        };
        (0..self.sides.len()).filter(reached).min_by(|&i, &j| {
            let off = |k: usize| self.sides[k].line.value(point).abs();
            order(&off(i), &off(j))
        })
    }

    /// The side at which the one index changes back that changes at a side of `other`, if this is the region with that change.
    pub fn taking_back(&self, other: &Region<S>, side: usize) -> Option<usize> {
        let (i, sign) = other.sides[side].change?;
        let mut pattern = other.pattern.clone();
        pattern.set(i, sign);
        let back = Some((i, other.pattern.sign(i)));
        (pattern == self.pattern).then(|| self.sides.iter().position(|side| side.change == back)).flatten()
    }

    /// The side beyond which index j comes free again, if this region has j at a bound in place of the one index that comes free at a side of `other`: those of F and that one
    /// are dependent. Both sides lie on one line, whatever rounding makes of it. On it z of both vanishes under either law and x may be moved from the one's to the other's without a
    /// change of the fit; how far they run differs, since another index may come to its bound first.
    pub fn exchanging(&self, other: &Region<S>, side: usize) -> Option<usize> {
        let (i, sign) = other.sides[side].change?;
        let back = self.sides.iter().position(|side| {
            let Some((j, Status::Free)) = side.change else { return false };
            let mut pattern = other.pattern.clone();
            pattern.set(i, Status::Free);
            pattern.set(j, self.pattern.sign(j));
            other.pattern.sign(j) == Status::Free && pattern == self.pattern
        });
        back.filter(|_| sign == Status::Free)
    }

    /// Whether positions on a side's line grow in the direction in which the boundary runs.
    pub fn runs_upwards(&self, k: usize) -> bool {
        let line = &self.sides[k].line;
        let (p, q) = (&self.polygon.corners[k], &self.polygon.corners[(k + 1) % self.polygon.corners.len()]);
        match (line.position(p), line.position(q)) {
            (Some(a), Some(b)) => a <= b,
            (Some(_), None) => self.sides[k].extent.to.is_none(),
            (None, Some(_)) => self.sides[k].extent.from.is_none(),
            (None, None) => true,
        }
    }
}

/// The stretches of a path: behind the first change of the sign pattern, or all.
pub(super) struct Stretches<'f, 'a, S: Scalar> {
    follower: &'f mut Follower<'a, S>,
    frame: &'f Frame<S>,
    crossed: bool,
    next: usize,
    ended: Option<Stop<S>>,
}

impl<'f, 'a, S: Scalar> Stretches<'f, 'a, S> {
    pub fn behind(follower: &'f mut Follower<'a, S>, frame: &'f Frame<S>) -> Self {
        Stretches { follower, frame, crossed: false, next: 0, ended: None }
    }

    pub fn all(follower: &'f mut Follower<'a, S>, frame: &'f Frame<S>) -> Self {
        Stretches { follower, frame, crossed: true, next: 0, ended: None }
    }

    pub fn next(&mut self) -> Result<Option<Stretch<S>>, PathError> {
        loop {
            if let Some(segment) = self.follower.path().segments().get(self.next) {
                self.crossed |= self.next > 0 && segment.breakpoint;
                self.next += 1;
                if self.crossed {
                    return Ok(Some(self.stretch(self.next - 1)));
                }
            } else if self.ended.is_some() {
                return Ok(None);
            } else {
                self.ended = self.follower.step()?;
            }
        }
    }

    fn stretch(&self, k: usize) -> Stretch<S> {
        let path = self.follower.path();
        let from = path.segments()[k].t.clone();
        let to = path.segments().get(k + 1).map_or_else(|| Follower::position(self.follower).clone(), |s| s.t.clone());
        // The last stretch of a ray has no end.
        let length = if to > from { to - &from } else { S::one() };
        let point = |t: &S| {
            let theta = path.parameter(t);
            self.frame.point(&[0, 1].map(|a| theta.get(a).cloned().unwrap_or_else(S::zero)))
        };
        let (start, middle) = (point(&from), point(&(from + length / S::integer(2))));
        Stretch { start, middle, status: path.status_on(k) }
    }
}
