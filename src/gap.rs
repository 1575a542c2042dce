//! A bound on the duality gap everywhere between two solutions of a line, from the two solutions alone.
//!
//! *Interpolation.* On a line l, u, c and b are affine in t and H is fixed. Let (x⁰, y⁰) and (x¹, y¹) be solutions at
//! t₀ < t₁, and x = (1 − s)x⁰ + s x¹ and y likewise for s = (t − t₀)/(t₁ − t₀). Bounds and row are affine, so x is
//! feasible for every s between; z = Hx + c − Aᵀy is affine in s as well. The gap between the objective at x and the
//! dual objective at (x, y), with the best multipliers of the bounds, is
//!
//! ```text
//! gap(s) = Σᵢ (xᵢ − lᵢ)zᵢ⁺ + (uᵢ − xᵢ)zᵢ⁻
//! ```
//!
//! *The bound.* Of one term let a = xᵢ − lᵢ, which is affine, and p = zᵢ⁺, which is convex: p(s) ≤ (1 − s)p⁰ + s p¹. So
//!
//! ```text
//! a p ≤ (1 − s)² a⁰p⁰ + s² a¹p¹ + s(1 − s)(a⁰p¹ + a¹p⁰)
//! ```
//!
//! and the same holds for the other term. Solutions are complementary, a⁰p⁰ = a¹p¹ = 0. Between them gap(s) ≤ s(1 − s)Q ≤ Q/4,
//!
//! ```text
//! Q = Σᵢ (x − l)ᵢ¹ zᵢ⁰⁺ + (x − l)ᵢ⁰ zᵢ¹⁺ + (u − x)ᵢ¹ zᵢ⁰⁻ + (u − x)ᵢ⁰ zᵢ¹⁻
//! ```
//!
//! where the superscripts 0 and 1 stand for the two ends. Feasible points that are no solutions have gaps of their own, G⁰ and G¹, the sums of a⁰p⁰ and a¹p¹. With
//! the larger one, G, gap(s) ≤ ((1 − s)² + s²)G + s(1 − s)Q = G + s(1 − s)(Q − 2G), which is at most G, or G/2 + Q/4 if that is more.
//!
//! *Where zᵢ changes its sign* its contribution is smaller. Let zᵢ⁰ > 0 > zᵢ¹ and σ = zᵢ⁰/(zᵢ⁰ − zᵢ¹), the s at which zᵢ vanishes. Before σ, zᵢ⁺ = zᵢ⁰(1 − s/σ)
//! and zᵢ⁻ = 0; beyond σ, zᵢ⁺ = 0. With s(1 − s/σ) ≤ σ/4 the first term is at most (x − l)ᵢ¹ zᵢ⁰ σ/4, and by symmetry the second is at most (u − x)ᵢ⁰ zᵢ¹⁻ (1 −
//! σ)/4. At no s are both positive, so that the larger of the two bounds counts in place of their sum; it is added to the bound instead of to Q. Likewise for zᵢ⁰ < 0 < zᵢ¹.
//!
//! *Rate.* A product in Q has a factor that vanishes at the other end: where zᵢ⁰⁺ > 0, xᵢ is at lᵢ at t₀, and where (x − l)ᵢ¹ > 0, zᵢ¹⁺ = 0. So Q ≤ C(t₁ − t₀)²
//! where the solution is Lipschitz in t, C being the sum of the products of the Lipschitz constants of the two factors, and every t₁ − t₀ ≤ 2√(E/C) keeps the
//! gap below E: O(1/√E) solutions are enough for a whole line. That is the rate of Giesen, Müller, Laue and Swiercy (2012, "Approximating concavely
//! parameterized optimization problems", NIPS 25), the best one in their class of problems. Paths with a certified gap were introduced by Giesen, Jaggi and
//! Laue (2012, doi:10.1145/2390176.2390186) for general convex functions on the unit simplex, with solutions kept constant up to the next one, of which O(1/E)
//! are needed. Here the feasible set moves, and solutions are interpolated.
//!
//! *Rows.* With rows bl ≤ Ax ≤ bu and their multipliers, positive at lower bounds, the gap has a term of the same form for every row, yᵣ in the place of zᵢ and (Ax)ᵣ in that of xᵢ.
//!
//! *Rounding.* In floating point the products a⁰p⁰ and a¹p¹ of solutions do not quite vanish and are part of the bound, as is |y| |Ax − b|. Rounding of z itself, (64 + n)ε
//! of its terms before they cancel, |cᵢ| + |Aᵢy| + √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|, times the largest distance of xᵢ from its bounds, is reported separately as
//! [`GapBound::rounding`]; of a row it is that of yᵣ itself, and that of (Ax)ᵣ times |yᵣ|. A violated bound is no part of a gap; [`Certificate::primal`](crate::Certificate::primal) measures it.
//!
//! *A missing bound* allows no multiplier of its sign: where zᵢ has that sign the dual objective is −∞ and the gap has no bound. At solutions zᵢ is zero there,
//! hence also between them; it counts as zero up to `Settings::audit`, relative to its terms.

use crate::hessian::multiply;
use crate::problem::Line;
use crate::record::Point;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};

/// One end of an interpolation: a point of a line with its multipliers.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor<S> {
    ends: Vec<End<S>>,
    /// |y|.
    y: S,
    /// |Ax − b|.
    off: S,
}

/// What is known of one variable at an anchor, or of one row with yᵣ in the place of zᵢ.
#[derive(Clone, Debug, PartialEq)]
struct End<S> {
    /// xᵢ − lᵢ and zᵢ⁺; none where zᵢ > 0 points to a missing bound.
    lower: Option<Side<S>>,
    /// uᵢ − xᵢ and zᵢ⁻; none where zᵢ < 0 points to a missing bound.
    upper: Option<Side<S>>,
    /// The size of the terms of zᵢ; |yᵣ| of a row.
    terms: S,
    /// The size of the terms of (Ax)ᵣ; zero for a variable.
    sum: S,
}

#[derive(Clone, Debug, PartialEq)]
struct Side<S> {
    room: S,
    force: S,
}

/// A bound on the difference of the two objectives at every point between two anchors, in units of the objective.
#[derive(Clone, Debug, PartialEq)]
pub struct GapBound<S> {
    /// The bound as computed from the anchors.
    pub gap: S,
    /// How much rounding may have reduced it.
    pub rounding: S,
}

impl<S: Scalar> GapBound<S> {
    /// The bound with what rounding may have taken from it: `gap` + `rounding`.
    pub fn total(&self) -> S {
        self.gap.clone() + &self.rounding
    }
}

impl<S: Scalar> Anchor<S> {
    /// The point (x, y) at position t of a line with at most one equality row; `x` has n entries. It costs a product with H.
    pub fn new(line: &Line<S>, t: &S, x: &[S], y: &S) -> Self {
        let off = if line.has_row() { S::dot(&line.a, x) - line.b(t) } else { S::zero() };
        let pull = |i: usize| {
            let pull = line.a(i) * y;
            (pull.clone(), pull.abs())
        };
        Anchor { ends: variables(line, t, x, pull), y: y.abs(), off: off.abs() }
    }

    /// A point of a path at its own t, with the multipliers of all rows. It costs a product with H.
    pub fn of(line: &Line<S>, point: &Point<S>) -> Self {
        let Point { t, x, .. } = point;
        let Some(rows) = &line.rows else { return Anchor::new(line, t, x, &point.y) };
        // A point of another problem may have fewer.
        let mut y = point.rows.clone();
        y.resize(rows.matrix.rows(), S::zero());
        let y = &y;
        let pull = |i: usize| {
            let mut size = S::zero();
            rows.matrix.for_column(i, |r, a| size += (a.clone() * &y[r]).abs());
            (rows.matrix.column_dot(i, y), size)
        };
        let mut ends = variables(line, t, x, pull);
        let row = |r: usize| {
            let (mut sum, mut least) = (S::zero(), None);
            rows.matrix.for_row(r, |i, a| {
                if a.is_zero() {
                    return;
                }
                sum += (a.clone() * &x[i]).abs();
                let of_z = ends[i].terms.clone() / a.abs();
                least = Some(least.take().map_or_else(|| of_z.clone(), |least| S::smaller(least, of_z.clone())));
            });
            // A multiplier that no z tells from zero needs no bound.
            let (value, least) = (rows.matrix.row_dot(r, x), least.unwrap_or_else(S::zero));
            let below = rows.bounds.lower_at(r, t).map(|l| value.clone() - l);
            let above = rows.bounds.upper_at(r, t).map(|u| u - &value);
            let [lower, upper] = [Side::new(below, &y[r], &least), Side::new(above, &-y[r].clone(), &least)];
            End { lower, upper, terms: y[r].abs(), sum }
        };
        let of_rows: Vec<End<S>> = (0..rows.matrix.rows()).map(row).collect();
        ends.extend(of_rows);
        Anchor { ends, y: S::zero(), off: S::zero() }
    }

    /// The duality gap of the point itself, with the best multipliers of the bounds. `None` when a multiplier belongs to a bound that does not exist.
    pub fn gap(&self) -> Option<S> {
        Some(self.complementary()? + self.y.clone() * &self.off)
    }

    /// Σ (x − l)ᵢzᵢ⁺ + (u − x)ᵢzᵢ⁻.
    fn complementary(&self) -> Option<S> {
        let mut sum = S::zero();
        for end in &self.ends {
            let [lower, upper] = end.sides()?;
            sum += lower.product(lower) + upper.product(upper);
        }
        Some(sum)
    }

    /// The bound on the gap everywhere between two anchors of one line; see the module's documentation. `None` when a multiplier belongs to a bound that does
    /// not exist.
    pub fn gap_to(&self, other: &Anchor<S>) -> Option<GapBound<S>> {
        let of_row = S::larger(self.y.clone(), other.y.clone()) * S::larger(self.off.clone(), other.off.clone());
        let (mut between, mut turning, mut size) = (S::zero(), S::zero(), S::zero());
        for (start, end) in self.ends.iter().zip(&other.ends) {
            let ([l0, u0], [l1, u1]) = (start.sides()?, end.sides()?);
            let room = [l0, u0, l1, u1].into_iter().fold(S::zero(), |m, side| S::larger(m, side.room.clone()));
            size += room * S::larger(start.terms.clone(), end.terms.clone());
            let force = [l0, u0, l1, u1].into_iter().fold(S::zero(), |m, side| S::larger(m, side.force.clone()));
            size += force * S::larger(start.sum.clone(), end.sum.clone());
            match share([l0, l1], [u0, u1]) {
                Share::Of(q) => between += q,
                Share::Turning(q) => turning += q,
            }
        }
        let at_ends = S::larger(self.complementary()?, other.complementary()?);
        let [half, quarter] = [S::integer(2), S::integer(4)].map(|k| S::one() / k);
        let inside = at_ends.clone() * half + between * &quarter;
        let gap = of_row + S::larger(at_ends, inside) + turning * quarter;
        let rounding = size * S::tolerance(ROUNDING + self.ends.len() as f64);
        Some(GapBound { gap, rounding })
    }
}

/// Of every variable, given (Aᵀy)ᵢ and the size of its terms.
fn variables<S: Scalar>(line: &Line<S>, t: &S, x: &[S], pull: impl Fn(usize) -> (S, S)) -> Vec<End<S>> {
    let hx = multiply(line.hessian.as_ref(), x);
    let root = |i: usize| line.hessian.diagonal(i).scale_root();
    let spread = x.iter().enumerate().fold(S::zero(), |sum, (i, x)| sum + root(i) * x.abs());
    let end = |i: usize| {
        let (pull, size) = pull(i);
        let terms = line.c0[i].abs() + (line.c1[i].clone() * t).abs() + size + root(i) * &spread;
        let z = hx[i].clone() + line.c(i, t) - pull;
        let below = line.bounds.lower_at(i, t).map(|l| x[i].clone() - l);
        let above = line.bounds.upper_at(i, t).map(|u| u - &x[i]);
        End { lower: Side::new(below, &z, &terms), upper: Side::new(above, &-z, &terms), terms, sum: S::zero() }
    };
    (0..line.n()).map(end).collect()
}

impl<S: Scalar> End<S> {
    fn sides(&self) -> Option<[&Side<S>; 2]> {
        Some([self.lower.as_ref()?, self.upper.as_ref()?])
    }
}

impl<S: Scalar> Side<S> {
    /// The room up to a bound (none if it is missing), and z⁺ if z counts towards it.
    fn new(room: Option<S>, z: &S, terms: &S) -> Option<Self> {
        let force = S::larger(z.clone(), S::zero());
        match room {
            Some(room) => Some(Side { room: S::larger(room, S::zero()), force }),
            None if force <= terms.clone() * S::tolerance(Settings::default().audit) => {
                Some(Side { room: S::zero(), force: S::zero() })
            }
            None => None,
        }
    }

    /// Room times force.
    fn product(&self, other: &Side<S>) -> S {
        self.room.clone() * &other.force
    }
}

/// What one variable or row adds to the gap between the ends.
enum Share<S> {
    /// To Q.
    Of(S),
    /// Four times the larger bound of one whose z changes its sign.
    Turning(S),
}

fn share<S: Scalar>([l0, l1]: [&Side<S>; 2], [u0, u1]: [&Side<S>; 2]) -> Share<S> {
    let lower = l0.product(l1) + l1.product(l0);
    let upper = u0.product(u1) + u1.product(u0);
    let positive = |v: &S| *v > S::zero();
    if positive(&l0.force) && positive(&u1.force) {
        Share::Turning(either(lower, &l0.force, upper, &u1.force))
    } else if positive(&u0.force) && positive(&l1.force) {
        Share::Turning(either(upper, &u0.force, lower, &l1.force))
    } else {
        Share::Of(lower + upper)
    }
}

/// A sign change from |z⁰| to |z¹|: the larger of the first side's part up to σ and the second side's beyond it.
fn either<S: Scalar>(first: S, z0: &S, second: S, z1: &S) -> S {
    S::larger(first * z0, second * z1) / (z0.clone() + z1)
}
