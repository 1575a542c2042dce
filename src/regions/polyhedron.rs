//! Polyhedra in units of the domain, in which it is the cube [−1, 1]ᵖ.
//!
//! A half-space is aᵀξ ≤ b with ‖a‖ = 1, so that aᵀξ − b is a distance. Which of many half-spaces are *sides*, that is, not implied by the others, is decided
//! by vertices, rays and linear programs:
//!
//! ```text
//! origin      a point inside: the middle of the vertices (module [`super::vertices`]), or of the largest ball
//! rays        the first half-space that a ray from the origin leaves is a side, and the ray leaves it at a point inside that side: rays towards the middle of
//!             the vertices on each plane; where there are too many vertices, rays along the normals and others
//! the rest    half-space i is implied if p others through a vertex prove it, or by the sides E found so far: if
//!             max aᵢᵀξ s.t. aⱼᵀξ ≤ bⱼ (j ∈ E), aᵢᵀξ ≤ bᵢ + 1  is at most bᵢ; otherwise the ray towards the maximiser leaves a side that is not in E yet
//! centre      the largest ball inside:     max r   s.t.  aᵢᵀξ + r ≤ bᵢ, i ∈ E                (Chebyshev centre; no interior if r is nearly zero)
//! ```
//!
//! (Clarkson 1994, "More output-sensitive geometric algorithms": the linear programs have as many rows as there are sides, not half-spaces.)

use super::linear::Program;
use super::vertices::Vertices;
use crate::active_set::key;
use crate::settings::{ATTEMPTS, LEFT, NEAR, ROUNDING};

/// Rays from a point inside a region in directions of their own, for each parameter, beside those along its normals.
const RAYS: usize = 8;

/// No ball of a smaller radius is an inside.
pub(super) const NARROW: f64 = LEFT * f64::EPSILON;

/// Cells without an inside are stepped over until one with an inside is found, no further away than this.
pub(super) const STEPPED: f64 = 2.0 * NARROW * ATTEMPTS as f64;

/// Two planes, or a plane and a point, are the same up to this.
pub(super) const SAME: f64 = NEAR * f64::EPSILON;

/// normalᵀξ ≤ offset.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct HalfSpace {
    /// p entries, of length one.
    pub normal: Vec<f64>,
    pub offset: f64,
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// a + s·b.
pub(super) fn along(a: &[f64], s: f64, b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + s * b).collect()
}

/// A direction of length one that is a function of two numbers.
pub(super) fn direction(p: usize, seed: u64, number: usize) -> Vec<f64> {
    let one = |k: usize| (key(number * p + k, seed) >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    let d: Vec<f64> = (0..p).map(one).collect();
    let size = length(&d);
    if size > 0.0 { d.iter().map(|v| v / size).collect() } else { unit(p, 0, 1.0) }
}

fn unit(p: usize, k: usize, sign: f64) -> Vec<f64> {
    (0..p).map(|j| if j == k { sign } else { 0.0 }).collect()
}

impl HalfSpace {
    /// Of a function v + gᵀ(ξ − anchor) that is not negative; none where g is zero.
    pub fn of_function(value: f64, gradient: &[f64], anchor: &[f64]) -> Option<Self> {
        let size = length(gradient);
        let normal: Vec<f64> = gradient.iter().map(|g| -g / size).collect();
        (size > 0.0 && size.is_finite()).then(|| HalfSpace { offset: dot(&normal, anchor) + value / size, normal })
    }

    /// How far ξ lies outside; negative inside.
    pub fn excess(&self, xi: &[f64]) -> f64 {
        dot(&self.normal, xi) - self.offset
    }

    /// Whether it is one in p dimensions.
    pub fn is_sound(&self, p: usize) -> bool {
        self.normal.len() == p && (length(&self.normal) - 1.0).abs() <= SAME && self.offset.is_finite()
    }

    /// The other side of the same plane.
    pub fn opposite(&self) -> Self {
        HalfSpace { normal: self.normal.iter().map(|v| -v).collect(), offset: -self.offset }
    }

    /// The walls of the cube.
    pub fn walls(p: usize) -> impl Iterator<Item = HalfSpace> {
        (0..2 * p).map(move |k| HalfSpace { normal: unit(p, k / 2, if k % 2 == 0 { 1.0 } else { -1.0 }), offset: 1.0 })
    }

    fn is_parallel(&self, other: &HalfSpace) -> bool {
        self.normal.iter().zip(&other.normal).all(|(a, b)| (a - b).abs() <= SAME)
    }

    /// The part of the half-space in the plane of `side`: its normal there, of length one, and the offset; none where the planes are parallel.
    pub fn within(&self, side: &HalfSpace) -> Option<HalfSpace> {
        let cosine = dot(&self.normal, &side.normal);
        let normal = along(&self.normal, -cosine, &side.normal);
        let size = length(&normal);
        let scaled = || HalfSpace {
            normal: normal.iter().map(|v| v / size).collect(),
            offset: (self.offset - cosine * side.offset) / size,
        };
        (size > SAME).then(scaled)
    }

    /// Whether it is implied by another one with the same normal.
    pub fn follows_from(&self, other: &HalfSpace) -> bool {
        other.offset <= self.offset + SAME && self.is_parallel(other)
    }
}

/// The largest ball in the intersection of half-spaces, or of them and the plane of `side`: its centre and radius. None where there is none.
pub(super) fn ball<'a>(
    all: impl Iterator<Item = &'a HalfSpace>,
    side: Option<&HalfSpace>,
    p: usize,
) -> Option<(Vec<f64>, f64)> {
    let mut program = Program::new([vec![[-1.0, 1.0]; p], vec![[0.0, 1.0]]].concat());
    for h in all {
        let mut row = h.normal.clone();
        let cosine = side.map_or(0.0, |side| dot(&side.normal, &h.normal));
        row.push((1.0 - cosine * cosine).max(0.0).sqrt());
        program.at_most(row, h.offset);
    }
    if let Some(side) = side {
        program.equal(side.normal.clone(), side.offset);
    }
    let mut point = program.maximise(&unit(p + 1, p, 1.0)).solve().point()?;
    let radius = point.pop()?;
    (radius > NARROW).then_some((point, radius))
}

/// A side of a polyhedron.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub plane: HalfSpace,
    /// Whether it is one of the cube.
    pub wall: bool,
    /// A point inside the side, and its distance from the planes of the others.
    pub inside: Option<(Vec<f64>, f64)>,
}

/// A polyhedron with an inside.
#[derive(Clone, Debug)]
pub(super) struct Polyhedron {
    pub sides: Vec<Side>,
    pub centre: Vec<f64>,
    pub radius: f64,
    /// The smallest and largest coordinates.
    pub corners: [Vec<f64>; 2],
}

/// Half-spaces while their sides are looked for.
struct Reduction {
    all: Vec<Side>,
    is_side: Vec<bool>,
    /// Where rays begin, and how far that is from every plane.
    origin: Vec<f64>,
    slack: Vec<f64>,
    vertices: Option<Vertices>,
    /// The numbers of all planes among those of the vertices.
    planes: Vec<usize>,
}

impl Polyhedron {
    /// The intersection of half-spaces and the cube; none where it has no inside.
    pub fn new(half_spaces: impl Iterator<Item = HalfSpace>, p: usize) -> Option<Self> {
        let side = |plane, wall| Side { plane, wall, inside: None };
        let mut all: Vec<Side> = HalfSpace::walls(p).map(|plane| side(plane, true)).collect();
        for plane in half_spaces {
            // Of parallel ones the nearest.
            match all.iter_mut().find(|other| other.plane.is_parallel(&plane)) {
                Some(other) if other.plane.offset > plane.offset + SAME => *other = side(plane, false),
                Some(_) => {}
                None => all.push(side(plane, false)),
            }
        }
        let mut reduction = Reduction::new(all, p)?;
        reduction.shoot_all(p);
        let corners = reduction.corners(p);
        reduction.settle_rest(p, &corners);
        let sides = reduction.all.into_iter().zip(reduction.is_side).filter(|(_, is_side)| *is_side).map(|(s, _)| s);
        let sides: Vec<Side> = sides.collect();
        let (centre, radius) = ball(sides.iter().map(|side| &side.plane), None, p)?;
        Some(Polyhedron { sides, centre, radius, corners })
    }
}

impl Reduction {
    /// From a point inside; none where there is none.
    fn new(all: Vec<Side>, p: usize) -> Option<Self> {
        let mut planes: Vec<usize> = (0..all.len()).collect();
        let mut vertices = Vertices::of_cube(p);
        let others = planes.iter_mut().zip(&all).filter(|(_, side)| !side.wall);
        for (count, (number, side)) in others.enumerate() {
            *number = 2 * p + count;
            vertices = vertices.and_then(|vertices| vertices.cut(&side.plane));
        }
        let slack = |xi: &[f64]| all.iter().map(|side| -side.plane.excess(xi)).collect::<Vec<f64>>();
        let middle = vertices.as_ref().and_then(|vertices| vertices.middle(None));
        let middle = middle.filter(|middle| slack(middle).iter().all(|slack| *slack > NARROW));
        let origin = match middle {
            Some(middle) => middle,
            None => ball(all.iter().map(|side| &side.plane), None, p)?.0,
        };
        Some(Reduction { is_side: vec![false; all.len()], slack: slack(&origin), all, origin, vertices, planes })
    }

    /// Rays towards what there is of every plane; or along every normal, the axes, and in some other directions.
    fn shoot_all(&mut self, p: usize) {
        if self.vertices.is_some() {
            for i in 0..self.all.len() {
                let towards = self.vertices.as_ref().and_then(|vertices| vertices.middle(Some(self.planes[i])));
                towards.and_then(|point| self.shoot_at(&point));
            }
            return;
        }
        for i in 0..self.all.len() {
            let d = self.all[i].plane.normal.clone();
            self.shoot(&d);
        }
        for k in 0..RAYS * p {
            self.shoot(&direction(p, 5, k));
        }
    }

    /// The ray towards a point.
    fn shoot_at(&mut self, point: &[f64]) -> Option<usize> {
        let towards = along(point, -1.0, &self.origin);
        let size = length(&towards);
        self.shoot(&towards.iter().map(|v| v / size).collect::<Vec<f64>>())
    }

    /// What a ray from the origin meets first: a side, unless something else is met at the same place.
    fn shoot(&mut self, d: &[f64]) -> Option<usize> {
        let mut first: Option<(f64, usize)> = None;
        for (i, side) in self.all.iter().enumerate() {
            let speed = dot(&side.plane.normal, d);
            if speed > SAME && first.is_none_or(|(t, _)| self.slack[i] < t * speed) {
                first = Some((self.slack[i] / speed, i));
            }
        }
        let (t, i) = first?;
        let point = along(&self.origin, t, d);
        let others = self.all.iter().enumerate().filter(|(j, _)| *j != i);
        let distance = others.map(|(_, side)| -side.plane.excess(&point)).fold(f64::INFINITY, f64::min);
        if distance <= NARROW {
            return None;
        }
        self.is_side[i] = true;
        if self.all[i].inside.as_ref().is_none_or(|inside| inside.1 < distance) {
            self.all[i].inside = Some((point, distance));
        }
        Some(i)
    }

    /// The box around the half-spaces, or the sides that are known.
    fn corners(&self, p: usize) -> [Vec<f64>; 2] {
        let end = |k: usize, sign: f64| {
            let d = unit(p, k, sign);
            match self.vertices.as_ref().and_then(|vertices| vertices.furthest(&d, None)) {
                Some((point, bound)) if bound - dot(point, &d) <= ROUNDING * f64::EPSILON => point[k],
                _ => self.furthest(&d, None).map_or(sign, |point| point[k]),
            }
        };
        [-1.0, 1.0].map(|sign| (0..p).map(|k| end(k, sign)).collect())
    }

    /// The point of the sides that are known, and of half-space `relaxed` with more room, that lies furthest in a direction.
    fn furthest(&self, d: &[f64], relaxed: Option<usize>) -> Option<Vec<f64>> {
        let mut program = Program::new(vec![[-1.0, 1.0]; d.len()]).maximise(d);
        for (i, side) in self.all.iter().enumerate().filter(|(i, _)| self.is_side[*i] || Some(*i) == relaxed) {
            let room = if Some(i) == relaxed { 1.0 } else { 0.0 };
            program.at_most(side.plane.normal.clone(), side.plane.offset + room);
        }
        program.solve().point()
    }

    /// Whether others through a vertex prove a half-space. It is then of no help for proofs itself, as two that are the same up to rounding prove each other.
    fn is_proved(&mut self, i: usize) -> bool {
        let (plane, number) = (&self.all[i].plane, self.planes[i]);
        let Some(vertices) = &mut self.vertices else { return false };
        let found = vertices.furthest(&plane.normal, Some(number));
        let proved = found.is_some_and(|(_, bound)| bound <= plane.offset + SAME);
        if proved {
            vertices.forget(number);
        }
        proved
    }

    /// Every half-space that no ray has met: implied by the others, or one of the sides.
    fn settle_rest(&mut self, p: usize, corners: &[Vec<f64>; 2]) {
        for i in 0..self.all.len() {
            if !self.is_side[i] && self.is_proved(i) {
                continue;
            }
            // Each turn finds another side.
            while !self.is_side[i] {
                let plane = &self.all[i].plane;
                let ends = |k: usize| (plane.normal[k] * corners[0][k]).max(plane.normal[k] * corners[1][k]);
                // The box around the vertices was made with this half-space.
                if self.vertices.is_none() && (0..p).map(ends).sum::<f64>() <= plane.offset {
                    break;
                }
                let normal = plane.normal.clone();
                let Some(point) = self.furthest(&normal, Some(i)) else { break };
                if self.all[i].plane.excess(&point) <= SAME {
                    break;
                }
                let before = self.is_side.iter().filter(|s| **s).count();
                let met = self.shoot_at(&point);
                if met.is_none() || self.is_side.iter().filter(|s| **s).count() == before {
                    // Where several are met at once it may be one of them.
                    self.is_side[i] = true;
                }
            }
        }
    }
}
