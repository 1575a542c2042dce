//! A lower bound of the validation loss everywhere on a cell of the plane, from the solutions at its four corners.
//!
//! *Two problems.* Let P_θ(f) be what the training problem minimises at θ, in the engine's units, f_θ its solution, and W(f) = ω(θ)·L(f) the loss on held-out rows
//! times a weight. The *joint* problem minimises P_θ + W: the held-out rows are among the training rows, with little weight. f_θ is but one candidate of it, so that
//!
//! ```text
//! W(f_θ)  ≥  J*(θ) − P*(θ),      J* = min P_θ + W,   P* = min P_θ
//! ```
//!
//! J* is bounded from below by any feasible point of its dual, and P* from above by any f. (The value-function form of a bi-level problem; Outrata 1990, doi:10.1007/BF01416737.
//! The fewer units of P are between J* and W(f_θ), the sharper it is: the error is that of one step of the proximal point method on L with the curvature of P.)
//!
//! *Between the corners.* The dual variables x and c (of held-out rows), their bounds l and u, and z = Hx + c − Aᵀy are affine in θ or can be taken to be, as in [`pathqp::gap`]: a convex
//! combination s of feasible points at the corners is feasible at the same combination of θ. Let x, z be that of the training problem's solutions with the fit f, and x′, z′, f′ that of
//! the joint problem's. For any primal and dual point the gap is Σ (x − l)z⁺ + (u − x)z⁻, and by Fenchel and Young
//!
//! ```text
//! P(f) − D(x) = G,      P(f′) − D(x) = Φ + ½‖f′ − f‖²,      P(f′) + W(f′) − D_J(x′) = G′
//! G  = Σ (x − l)z⁺ + (u − x)z⁻          Φ = Σ (x − l)z′⁺ + (u − x)z′⁻ on training rows         G′ = Σ (x′ − l)z′⁺ + (u − x′)z′⁻ on all
//! ```
//!
//! so that J* − P* ≥ D_J(x′) − P(f) and
//!
//! ```text
//! ω(θ) L(f_θ)  ≥  E(s) = W(f′) + Φ + ½‖f′ − f‖² − G − G′,          W(f′) = Σ −l z′⁺ + u z′⁻ on held-out rows
//! ```
//!
//! Every term is a quadratic form in s: products of two affine functions. G and G′ are made larger by z⁺(s) ≤ Σ sₖzₖ⁺. W and Φ are made smaller by one sign for each row, since
//! max(−lz, −uz) is at least either and Φ has no negative term.
//!
//! *On a rectangle* s are the products of (1 − a, a) and (1 − b, b), and E is a polynomial of degree two in a and in b, ω one of degree one in each. E ≥ mω where all of its Bernstein coefficients are
//! at least m times those of ω, on the rectangle or on a part of it: the least quotient is a bound. G and G′ shrink like the square of the cell, and W(f′) comes within
//! what the weight of the held-out rows costs.
//!
//! *Rounding.* z is known to ε of its terms. What that may do to E, ε·√(max Hᵢᵢ)·√(max Hᵢᵢ)·(Σ (u − l))², is taken off the bound.

use super::plane::Plane;
use crate::adapter::begin;
use pathqp::hessian::multiply;
use pathqp::{Line, ParametricQp, PathError, Scalar, Settings, Start, Status, Stop};

/// Parts in b in which the Bernstein coefficients are looked at.
const PARTS: usize = 4;

/// The joint problem of a fold. Its first variables are those of the training problem.
pub(super) struct Joint {
    pub qp: ParametricQp<f64>,
    /// How many these are.
    pub training: usize,
    /// ω as \[constant, two slopes\] in the plane.
    pub weight: [f64; 3],
}

impl Joint {
    fn weight(&self, place: [f64; 2]) -> f64 {
        self.weight[0] + self.weight[1] * place[0] + self.weight[2] * place[1]
    }
}

/// A solution of a QP at one θ.
pub(super) struct Vertex {
    pub status: Vec<Status>,
    pub y: f64,
    x: Vec<f64>,
    /// x − l, u − x and z.
    below: Vec<f64>,
    above: Vec<f64>,
    z: Vec<f64>,
    /// Hx.
    product: Vec<f64>,
}

impl Vertex {
    /// What follows from a start at θ.
    pub fn solve(qp: &ParametricQp<f64>, theta: &[f64; 2], start: &Start<f64>, settings: &Settings) -> Option<Self> {
        let line = qp.line(theta, theta).ok()?;
        Self::end(&line, start, settings).ok()?
    }

    /// The solution at another θ, along the straight path from this one.
    pub fn follow(&self, qp: &ParametricQp<f64>, [from, to]: [&[f64; 2]; 2], settings: &Settings) -> Option<Self> {
        let line = qp.line(from, to).ok()?;
        Self::end(&line, &self.start(), settings).ok()?
    }

    /// As a start where it was found.
    pub fn start(&self) -> Start<f64> {
        Start::ActiveSet { status: self.status.clone(), y: Some(self.y) }
    }

    fn end(line: &Line<f64>, start: &Start<f64>, settings: &Settings) -> Result<Option<Self>, PathError> {
        let mut follower = begin(line, start, settings)?;
        if follower.run(&mut ())? != Stop::Target {
            return Ok(None);
        }
        let status = follower.status().to_vec();
        let path = follower.into_path();
        let t = *path.end();
        Ok(path.before(&t).map(|point| Vertex::new(line, t, status, point.x, point.y)))
    }

    fn new(line: &Line<f64>, t: f64, status: Vec<Status>, x: Vec<f64>, y: f64) -> Self {
        let product = multiply(line.hessian.as_ref(), &x);
        let is = |i: usize, side: Status| status.get(i) == Some(&side);
        let entries = || x.iter().enumerate();
        let below = |(i, x): (usize, &f64)| match line.bounds.lower_at(i, &t) {
            Some(l) if !is(i, Status::Lower) => (x - l).max(0.0),
            _ => 0.0,
        };
        let above = |(i, x): (usize, &f64)| match line.bounds.upper_at(i, &t) {
            Some(u) if !is(i, Status::Upper) => (u - x).max(0.0),
            _ => 0.0,
        };
        let z = |(i, hx): (usize, &f64)| {
            if is(i, Status::Free) { 0.0 } else { hx + line.c(i, &t) - line.a(i) * y }
        };
        let (below, above) = (entries().map(below).collect(), entries().map(above).collect());
        let z = product.iter().enumerate().map(z).collect();
        Vertex { status, y, x, below, above, z, product }
    }

    /// In how many variables the active set differs.
    fn changes(&self, other: &Self) -> usize {
        self.status.iter().zip(&other.status).filter(|(a, b)| a != b).count()
    }
}

/// What is known of one fold at a corner of a cell.
pub(super) struct Known {
    pub training: Vertex,
    joint: Option<Together>,
    /// The part of the validation loss that this fold adds; NaN without a joint problem.
    loss: f64,
}

struct Together {
    vertex: Vertex,
    /// The coefficients of f′ − f, and its products with all rows.
    apart: Vec<f64>,
    image: Vec<f64>,
}

/// A point of the plane with the solutions of all folds.
pub(super) struct Corner {
    pub place: [f64; 2],
    pub folds: Vec<Known>,
}

impl Corner {
    /// From starts of the problems themselves.
    pub fn first(planes: &[Box<dyn Plane + '_>], place: [f64; 2], settings: &Settings) -> Option<Self> {
        let known = |plane: &Box<dyn Plane + '_>| {
            let theta = plane.theta(place);
            let training = Vertex::solve(plane.qp(), &theta, &plane.start(&theta), settings)?;
            let joint = match plane.joint() {
                Some(joint) => {
                    let mut x = training.x.clone();
                    x.resize(joint.qp.n(), 0.0);
                    // Held-out rows at zero are feasible; they move to where they belong.
                    Some(Vertex::solve(&joint.qp, &theta, &Start::Guess(x), settings)?)
                }
                None => None,
            };
            Known::new(plane.as_ref(), place, training, joint)
        };
        let folds = planes.iter().map(known).collect::<Option<_>>()?;
        Some(Corner { place, folds })
    }

    /// From a corner near by.
    pub fn beside(&self, planes: &[Box<dyn Plane + '_>], place: [f64; 2], settings: &Settings) -> Option<Self> {
        let known = |(plane, near): (&Box<dyn Plane + '_>, &Known)| {
            let (from, to) = (plane.theta(self.place), plane.theta(place));
            let training = near.training.follow(plane.qp(), [&from, &to], settings)?;
            let joint = match plane.joint().zip(near.joint.as_ref()) {
                Some((joint, near)) => Some(near.vertex.follow(&joint.qp, [&from, &to], settings)?),
                None => None,
            };
            Known::new(plane.as_ref(), place, training, joint)
        };
        let folds = planes.iter().zip(&self.folds).map(known).collect::<Option<_>>()?;
        Some(Corner { place, folds })
    }

    /// The validation loss; NaN where it is not known.
    pub fn loss(&self) -> f64 {
        self.folds.iter().map(|known| known.loss).sum()
    }

    /// In how many training variables of all folds the active sets differ.
    pub fn changes(&self, other: &Self) -> usize {
        self.folds.iter().zip(&other.folds).map(|(a, b)| a.training.changes(&b.training)).sum()
    }
}

impl Known {
    fn new(plane: &dyn Plane, place: [f64; 2], training: Vertex, joint: Option<Vertex>) -> Option<Self> {
        let Some((problem, vertex)) = plane.joint().zip(joint) else {
            return Some(Known { training, joint: None, loss: f64::NAN });
        };
        let theta = plane.theta(place);
        let line = problem.qp.line(&theta, &theta).ok()?;
        let mut x = training.x.clone();
        x.resize(problem.qp.n(), 0.0);
        // The training problem's fit on all rows.
        let product = multiply(problem.qp.hessian().as_ref(), &x);
        let held = |i: usize| {
            let z = product[i] + line.c(i, &0.0) - line.a(i) * training.y;
            let bound = if z > 0.0 { line.bounds.lower_at(i, &0.0) } else { line.bounds.upper_at(i, &0.0) };
            -z * bound.unwrap_or(0.0)
        };
        let weighted: f64 = (problem.training..problem.qp.n()).map(held).sum();
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (apart, image) = (minus(&vertex.x, &x), minus(&vertex.product, &product));
        let loss = weighted / problem.weight(place);
        Some(Known { training, joint: Some(Together { vertex, apart, image }), loss })
    }
}

/// The bound on a cell.
pub(super) struct Bound {
    /// Bernstein coefficients of E for parts in b, by (a, b).
    parts: Vec<[[f64; 3]; 3]>,
    /// ω at the ends of a, for the ends of these parts.
    weights: Vec<[f64; 2]>,
    /// What rounding may do to E.
    rounding: f64,
    /// The part of G + G′ that comes from the two directions.
    pub spread: [f64; 2],
}

/// Where a corner is on its cell: in a, and in b.
const ENDS: [[usize; 2]; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];

impl Bound {
    /// From the corners (a, b) = (0, 0), (1, 0), (0, 1), (1, 1); none without a joint problem, or where the weight vanishes.
    pub fn new(planes: &[Box<dyn Plane + '_>], corners: [&Corner; 4]) -> Option<Self> {
        let (mut form, mut gaps) = ([[0.0; 4]; 4], [[0.0; 4]; 4]);
        let mut rounding = 0.0;
        for (k, plane) in planes.iter().enumerate() {
            let problem = plane.joint()?;
            let mut pairs = Vec::with_capacity(4);
            for corner in corners {
                let known = corner.folds.get(k)?;
                pairs.push((&known.training, known.joint.as_ref()?));
            }
            let pairs: [(&Vertex, &Together); 4] = pairs.try_into().ok()?;
            add_forms(&mut form, &mut gaps, problem.training, pairs);
            let largest = (0..problem.qp.n()).map(|i| problem.qp.hessian().diagonal(i)).fold(0.0, f64::max);
            let width = |joint: &Together| -> f64 {
                joint.vertex.below.iter().zip(&joint.vertex.above).map(|(b, a)| b + a).sum()
            };
            let widest = pairs.iter().map(|(_, joint)| width(joint)).fold(0.0, f64::max);
            rounding += f64::EPSILON * largest * widest * widest;
        }
        let problem = planes.first()?.joint()?;
        let weights = corners.map(|corner| problem.weight(corner.place));
        if weights.iter().any(|weight| *weight <= 0.0) {
            return None;
        }
        let whole = bernstein(&form);
        let at = |k: usize| k as f64 / PARTS as f64;
        let parts = (0..PARTS).map(|k| transposed(part_of(&transposed(whole), [at(k), at(k + 1)]))).collect();
        let weight = |b: f64| [weights[0] + (weights[2] - weights[0]) * b, weights[1] + (weights[3] - weights[1]) * b];
        let spread = [gaps[0][1] + gaps[2][3], gaps[0][2] + gaps[1][3]];
        Some(Bound { parts, weights: (0..=PARTS).map(|k| weight(at(k))).collect(), rounding, spread })
    }

    /// A lower bound of the loss for a in a part of \[0, 1\] and all b.
    pub fn least(&self, a: [f64; 2]) -> f64 {
        let mut least = f64::INFINITY;
        for (part, weights) in self.parts.iter().zip(self.weights.windows(2)) {
            let part = part_of(part, a);
            let ends = [&weights[0], &weights[1]].map(|w| a.map(|a| w[0] + (w[1] - w[0]) * a));
            for (i, row) in part.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    let across = |w: &[f64; 2]| w[0] + (w[1] - w[0]) * i as f64 / 2.0;
                    let (low, high) = (across(&ends[0]), across(&ends[1]));
                    let weight = low + (high - low) * j as f64 / 2.0;
                    least = least.min((value - self.rounding) / weight);
                }
            }
        }
        least
    }
}

/// Adds E of a fold as a quadratic form in s, and G + G′ of it.
fn add_forms(form: &mut [[f64; 4]; 4], gaps: &mut [[f64; 4]; 4], training: usize, pairs: [(&Vertex, &Together); 4]) {
    let z = pairs.map(|(_, joint)| joint.vertex.z.as_slice());
    let signs: Vec<Sign> = (0..z[0].len()).map(|i| Sign::of(z.map(|z| z[i]), i < training)).collect();
    let forces = z.map(|z| signs.iter().zip(z).map(|(sign, z)| sign.force(*z)).collect::<Vec<f64>>());
    let parts = pairs.map(|(own, joint)| [own.parts(), joint.vertex.parts()]);
    for (k, (own, joint)) in pairs.iter().enumerate() {
        let all = &joint.vertex;
        let room = |(i, sign): (usize, &Sign)| match i < training {
            true => sign.either(own.below[i], own.above[i]),
            // −l or u: x and what is left of the bounds.
            false => sign.either(all.below[i] - all.x[i], all.above[i] + all.x[i]),
        };
        let rooms: Vec<f64> = signs.iter().enumerate().map(room).collect();
        for m in 0..4 {
            let gap = products(own, &parts[m][0]) + products(all, &parts[m][1]);
            let apart = f64::dot(&joint.apart, &pairs[m].1.image);
            form[k][m] += f64::dot(&rooms, &forces[m]) + 0.5 * apart - gap;
            gaps[k][m] += gap;
        }
    }
}

/// By which sign of z a row counts in Φ or W.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Positive,
    Negative,
    Neither,
}

impl Sign {
    /// From z at the corners: a training row counts where the sign is the same at all of them, one that is held out by its mean.
    fn of(z: [f64; 4], training: bool) -> Self {
        let (least, largest) = z.iter().fold((0.0f64, 0.0f64), |(l, h), z| (l.min(*z), h.max(*z)));
        match training {
            true if least == 0.0 => Sign::Positive,
            true if largest == 0.0 => Sign::Negative,
            true => Sign::Neither,
            false if z.iter().sum::<f64>() > 0.0 => Sign::Positive,
            false => Sign::Negative,
        }
    }

    fn force(self, z: f64) -> f64 {
        if self == Sign::Negative { -z } else { z }
    }

    fn either(self, positive: f64, negative: f64) -> f64 {
        match self {
            Sign::Positive => positive,
            Sign::Negative => negative,
            Sign::Neither => 0.0,
        }
    }
}

impl Vertex {
    /// z⁺ and z⁻.
    fn parts(&self) -> [Vec<f64>; 2] {
        [1.0, -1.0].map(|sign| self.z.iter().map(|z| (sign * z).max(0.0)).collect())
    }
}

/// Σ (x − l) z⁺ + (u − x) z⁻ with x of one and z of another.
fn products(rooms: &Vertex, [positive, negative]: &[Vec<f64>; 2]) -> f64 {
    f64::dot(&rooms.below, positive) + f64::dot(&rooms.above, negative)
}

/// sᵀMs with the weights of the four corners, in Bernstein form.
fn bernstein(form: &[[f64; 4]; 4]) -> [[f64; 3]; 3] {
    let mut sums = [[0.0; 3]; 3];
    for (k, row) in form.iter().enumerate() {
        for (m, value) in row.iter().enumerate() {
            sums[ENDS[k][0] + ENDS[m][0]][ENDS[k][1] + ENDS[m][1]] += value;
        }
    }
    let choices = [1.0, 2.0, 1.0];
    for (row, a) in sums.iter_mut().zip(choices) {
        row.iter_mut().zip(choices).for_each(|(value, b)| *value /= a * b);
    }
    sums
}

/// The coefficients on a part of \[0, 1\] in the first variable, by polar forms.
fn part_of(form: &[[f64; 3]; 3], [from, to]: [f64; 2]) -> [[f64; 3]; 3] {
    let at = |u: f64, v: f64, j: usize| {
        let [p, q, r] = [form[0][j], form[1][j], form[2][j]];
        let (left, right) = (p + (q - p) * u, q + (r - q) * u);
        left + (right - left) * v
    };
    [(from, from), (from, to), (to, to)].map(|(u, v)| [0, 1, 2].map(|j: usize| at(u, v, j)))
}

fn transposed(form: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map(|i: usize| [0, 1, 2].map(|j: usize| form[j][i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// s of (a, b) = (0.3, 0.6), and the form's value by it and by its Bernstein coefficients, on the whole and on parts.
    #[test]
    fn forms_in_bernstein_form() {
        let form: [[f64; 4]; 4] = std::array::from_fn(|k| std::array::from_fn(|m| ((7 * k + 3 * m) % 11) as f64 - 4.0));
        let (a, b) = (0.3, 0.6);
        let s = [(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b, a * b];
        let expected: f64 = (0..4).flat_map(|k| (0..4).map(move |m| (k, m))).map(|(k, m)| s[k] * s[m] * form[k][m]).sum();
        let basis = |t: f64| [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t];
        let value = |c: &[[f64; 3]; 3], a: f64, b: f64| -> f64 {
            let (p, q) = (basis(a), basis(b));
            (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| p[i] * q[j] * c[i][j]).sum()
        };
        let whole = bernstein(&form);
        assert!((value(&whole, a, b) - expected).abs() <= 1e-13);
        let part = part_of(&whole, [0.2, 0.7]);
        assert!((value(&part, (a - 0.2) / 0.5, b) - expected).abs() <= 1e-13);
        let part = transposed(part_of(&transposed(whole), [0.5, 1.0]));
        assert!((value(&part, a, (b - 0.5) / 0.5) - expected).abs() <= 1e-13);
    }
}
