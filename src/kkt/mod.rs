//! The equations of a free set, kept factored while indices come and go.
//!
//! With the free set F and the bounds x_B of the others, (x_F, y) solves
//!
//! ```text
//! [ H_FF  −A_Fᵀ ] [x_F]   [ −c_F − H_FB x_B ]
//! [ A_F     0   ] [ y ] = [  b − A_B x_B    ]
//! ```
//!
//! All factors except that of a band (which has no equality row) work on H̃ = H + ρ²AᵀA instead of H. On the feasible set the added term is constant in x, so
//! the solution is the same, and H̃_FF is singular exactly when some d ≠ 0 on F has Hd = 0 and Ad = 0: the case in which x is not unique. The row A is then
//! eliminated by one more solve. ρ², the median of Hᵢᵢ/Aᵢ², puts both terms on one scale.
//!
//! The contribution of x_B is kept as an affine function of t (value and slope), updated with compensated sums when an index reaches or leaves a bound; x_F, y
//! and all prices are computed from it by solving the equations, never by adding up steps.

mod banded;
mod bordered;
mod columns;
mod general;
mod gram;
mod ldl;
mod members;
mod penalty;
mod qr;
mod rows;
mod span;
mod sparse_lu;
mod sparse_span;
mod triangle;

pub(crate) use bordered::{Coming, Factors};
use penalty::penalty;
pub(crate) use sparse_lu::{Entries, Fresh, power};

use crate::active_set::Status;
use crate::error::ProblemError;
use crate::hessian::{Dense, Gram};
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Settings;

/// x_F (in the order of [`Kkt::free`]) and the multiplier y of the equality row.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Solution<S> {
    pub x: Vec<S>,
    /// None when the row has no coefficient on F: y is then not determined by F.
    pub y: Option<S>,
    /// The size of the terms that y was solved from.
    pub y_size: S,
}

/// Why an index cannot join F.
#[derive(Debug)]
pub enum Refused<S> {
    /// A vector d on F (in order) and the index itself (last, d = 1) with Hd = 0 and Ad = 0.
    Dependent(Vec<S>),
    /// H is indefinite.
    Indefinite(ProblemError),
}

/// A position t + off as a sum of two numbers: t is rounded, and a law may be so fast that what is left matters.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Place<S> {
    pub t: S,
    /// At most half of the last digit of t.
    pub off: S,
}

impl<S: Scalar> Place<S> {
    /// t itself.
    pub fn exactly(t: S) -> Self {
        Place { t, off: S::zero() }
    }

    /// So much further on; the rounding error of the sum is kept (Knuth 1998, section 4.2.2).
    pub fn moved(&self, step: &S) -> Self {
        let t = self.t.clone() + step;
        let part = t.clone() - &self.t;
        let rest = (self.t.clone() - &(t.clone() - &part)) + (step.clone() - &part) + &self.off;
        // The rest may be more than half of a digit.
        let sum = t.clone() + &rest;
        let off = rest - (sum.clone() - t);
        if sum.is_finite_number() { Place { t: sum, off } } else { Place::exactly(sum) }
    }

    /// v + s·(t + off).
    pub fn affine(&self, line: &[S; 2]) -> S {
        let value = S::affine(line, &self.t);
        if self.off.is_zero() { value } else { value + line[1].clone() * &self.off }
    }
}

/// What is solved for: the law's value at a position, or its derivative.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Part<S> {
    Value(Place<S>),
    Rate,
}

/// The equations of the free set along a line.
pub trait Kkt<S> {
    /// F in the factor's order.
    fn free(&self) -> &[usize];

    /// Puts index i, not yet anywhere, at a bound.
    fn place(&mut self, i: usize, at: Status);

    /// Puts every index that is not free at its bound, given H x_B along the line. False if the factor does not keep that: nothing is done then.
    fn place_all(&mut self, _status: &[Status], _bounds_part: Sums<S>) -> bool {
        false
    }

    /// Moves index i from its bound `from` into F. Returns the pivot H̃ᵢᵢ − H̃ᵢF H̃_FF⁻¹ H̃_Fᵢ: what zᵢ changes by per xᵢ.
    fn release(&mut self, i: usize, from: Status) -> Result<S, Refused<S>>;

    /// Moves the index at a position of F to its bound `to`.
    fn bind(&mut self, position: usize, to: Status);

    /// Moves a bound index to its opposite bound.
    fn flip(&mut self, i: usize, from: Status);

    /// Solves for the value at t or for the rate; later pricing refers to the last solution of each.
    fn solve(&mut self, part: Part<S>) -> Solution<S>;

    /// The value at t = 0 and the slope of b − A_B x_B.
    fn row_gap(&self) -> (S, S);

    /// q = Hx + c and its rate for every index.
    fn price_all(&mut self, q: &mut [S], dq: &mut [S]);

    /// A new breakpoint: the size of rates is measured anew. Until then it is the largest of all that were solved for, since
    /// what is left after they cancel is rounding on their scale.
    fn begin_crossing(&mut self);

    /// q = Hx + c and its rate for one index.
    fn price(&self, i: usize) -> (S, S);

    /// q on F, in the order of [`Kkt::free`].
    fn free_values(&self) -> Vec<S> {
        self.free().iter().map(|&i| self.price(i).0).collect()
    }

    /// The reaches in the bound of certified pricing, |(Hx′)ᵢ| ≤ reachᵢ · [`Kkt::fit_speed`]; none where there is no bound.
    fn reaches(&self) -> Option<Vec<f64>> {
        None
    }

    /// The speed of the last rate in that bound, rounded up.
    fn fit_speed(&self) -> f64 {
        f64::INFINITY
    }

    /// The length of a vector of feature space in that bound: |κZᵢ·v| ≤ reachᵢ · length, rounded up.
    fn fit_length(&self, _v: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// Whether H = κZZᵀ, and the rows of Z are followed by their opposites, so that both are priced by one product.
    fn has_opposites(&self) -> bool {
        false
    }

    /// The largest possible |(Hx′)ᵢ| / [`Kkt::row_scale`] for the last rate, if it is known without pricing every index.
    fn steepest(&self) -> Option<f64> {
        None
    }

    /// Whether F is so large that every rate of z is zero, whatever the bounds do.
    fn rates_vanish(&self) -> bool {
        false
    }

    /// F is complete for the segment ahead: from now on [`Kkt::in_span`] speaks of it.
    fn settle_span(&mut self) {}

    /// Whether row i is known to lie in the span of the free rows, so that zᵢ′ = 0 on every law of F.
    fn in_span(&self, _i: usize) -> bool {
        false
    }

    /// zᵢ′ was found to be zero: perhaps row i lies in the span.
    fn offer_to_span(&mut self, _i: usize) {}

    /// dq = Hx′ + c′ for some indices.
    fn price_rates(&self, indices: &[usize], dq: &mut [S]);

    /// w = Zᵀx of the last value and of the last rate, d entries each, where H = κZZᵀ is factored through it.
    fn fits(&self) -> Option<[&[S]; 2]> {
        None
    }

    /// The size of the terms that the last value of x_F was solved from: its rounding is ε of that.
    fn x_size(&self) -> S;

    /// √H̃ᵢᵢ, the scale of row i.
    fn row_scale(&self, i: usize) -> S;

    /// The size of the terms that sum to qᵢ, up to |cᵢ|.
    fn size(&self, i: usize) -> S;

    /// The size of the terms that sum to dqᵢ, up to |cᵢ′|.
    fn rate_size(&self, i: usize) -> S;

    /// What qᵢ is known to besides rounding of these terms, where they come from a fit that is known to so much only. (No term: where many ε of the terms are allowed it is allowed once.)
    fn unknown(&self, i: usize) -> S;

    /// The same of dqᵢ.
    fn rate_unknown(&self, i: usize) -> S;

    /// The sizes of the terms of qᵢ and of dqᵢ before any of them cancel: what rounding in the data is relative to, where x at a bound is itself
    /// a rounded sum.
    fn loose_sizes(&self, i: usize) -> [S; 2] {
        [self.size(i), self.rate_size(i)]
    }

    /// What the last rate of x_F is known to.
    fn rate_noise(&self) -> S;

    /// Makes the factor afresh.
    fn refactor(&mut self);

    /// The same free set, with its factor, of another line with the same H and coefficients of the row: everything else of that line is to be told by [`Kkt::place_all`]. None
    /// where the factor does not keep H x_B as a whole.
    fn beside<'l>(&self, _line: &'l Line<S>) -> Option<Box<dyn Kkt<S> + 'l>>
    where
        S: 'l,
    {
        None
    }

    /// From now on prices are asked for at one active set after another.
    fn keep_columns(&mut self) {}

    /// All that differs from a new factor of the same line.
    fn save(&self) -> KktState<S>;

    /// Takes a saved state up again, to the last bit. False when it is not that of this line.
    fn load(&mut self, state: KktState<S>) -> bool;
}

/// The saved state of a factor.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum KktState<S> {
    Gram(Box<(Vec<usize>, gram::GramState)>),
    General(Box<(Vec<usize>, general::GeneralState<S>)>),
    Banded(Box<banded::BandedState<S>>),
}

/// Chooses the factor: of the rows Z_F for Gram Hessians in `f64`, of H_FF in a band where it has one, packed LDLᵀ otherwise.
pub trait KktChoice: Sized {
    fn kkt<'a>(line: &'a Line<Self>, settings: &Settings) -> Box<dyn Kkt<Self> + 'a>
    where
        Self: Scalar,
    {
        Box::new(general::GeneralKkt::new(line, settings.clone()))
    }

    /// Whether H is known to be positive definite by a factor of itself.
    fn is_well_conditioned(_h: &Dense<Self>) -> bool {
        false
    }

    /// The rows of Z with H = ZZᵀ of an H that is singular or nearly so, where it is to be factored by them.
    fn row_factor(_h: &Dense<Self>) -> Option<Gram<Self>> {
        None
    }

    /// Whether there are sparse factors.
    const SPARSE: bool = false;

    /// Sparse factors of a symmetric matrix by its columns.
    fn sparse_factors(_columns: &[Entries<Self>]) -> Option<std::sync::Arc<dyn Fresh<Self>>> {
        None
    }
}

impl KktChoice for f64 {
    const SPARSE: bool = true;

    fn sparse_factors(columns: &[Entries<f64>]) -> Option<std::sync::Arc<dyn Fresh<f64>>> {
        sparse_lu::factors(columns)
    }

    fn kkt<'a>(line: &'a Line<f64>, settings: &Settings) -> Box<dyn Kkt<f64> + 'a> {
        match (line.hessian.row_factor(), line.hessian.bandwidth()) {
            (Some(gram), _) => Box::new(gram::GramKkt::new(line, gram, settings.clone())),
            (None, Some(bandwidth)) if !line.has_row() => Box::new(banded::BandedKkt::new(line, bandwidth)),
            (None, _) => Box::new(general::GeneralKkt::new(line, settings.clone())),
        }
    }

    fn is_well_conditioned(h: &Dense<f64>) -> bool {
        crate::hessian::is_well_conditioned(h)
    }

    fn row_factor(h: &Dense<f64>) -> Option<Gram<f64>> {
        crate::hessian::row_factor(h)
    }
}

impl KktChoice for crate::scalar::Exact {}

/// An affine function of t whose coefficients are compensated sums.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sums<S> {
    value: (Vec<S>, Vec<S>),
    slope: (Vec<S>, Vec<S>),
}

impl<S: Scalar> Sums<S> {
    /// Whether it has n entries (it may have been read from somewhere).
    pub fn is_sound(&self, n: usize) -> bool {
        [&self.value.0, &self.value.1, &self.slope.0, &self.slope.1].iter().all(|v| v.len() == n)
    }

    /// From values and slopes, each as a sum of two numbers.
    pub fn new(value: (Vec<S>, Vec<S>), slope: (Vec<S>, Vec<S>)) -> Self {
        Sums { value, slope }
    }

    pub fn zeros(n: usize) -> Self {
        let pair = || (vec![S::zero(); n], vec![S::zero(); n]);
        Sums { value: pair(), slope: pair() }
    }

    /// Adds (coefficients[0] + t·coefficients[1])·v to entry j.
    pub fn add(&mut self, j: usize, coefficients: &[S; 2], v: &S) {
        for (sum, coefficient) in [&mut self.value, &mut self.slope].into_iter().zip(coefficients) {
            if !coefficient.is_zero() {
                S::accumulate(&mut sum.0[j], &mut sum.1[j], coefficient, v);
            }
        }
    }

    /// The same for all entries.
    pub fn add_row(&mut self, coefficients: &[S; 2], row: &[S]) {
        for ((high, low), a) in [&mut self.value, &mut self.slope].into_iter().zip(coefficients) {
            if !a.is_zero() {
                S::accumulate_all(high, low, a, row);
            }
        }
    }

    /// The value at t.
    pub fn at(&self, j: usize, t: &S) -> S {
        self.part(j, &Part::Value(Place::exactly(t.clone())))
    }

    /// The slope.
    pub fn slope(&self, j: usize) -> S {
        self.slope.0[j].clone() + &self.slope.1[j]
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.value.0.len()
    }

    /// The size of entry j's terms at t, or of its slope, before they cancel.
    pub fn size(&self, j: usize, part: &Part<S>) -> S {
        match part {
            Part::Value(at) => self.value.0[j].abs() + (self.slope.0[j].clone() * &at.t).abs(),
            Part::Rate => self.slope.0[j].abs(),
        }
    }

    /// Entry j at t, or its slope, as a sum of two numbers.
    pub fn in_two(&self, j: usize, part: &Part<S>) -> (S, S) {
        let Part::Value(Place { t, off }) = part else { return (self.slope.0[j].clone(), self.slope.1[j].clone()) };
        let (mut high, mut low) = (self.value.0[j].clone(), self.value.1[j].clone());
        if t.is_zero() && off.is_zero() {
            return (high, low);
        }
        S::accumulate(&mut high, &mut low, &self.slope.0[j], t);
        if !off.is_zero() {
            S::accumulate(&mut high, &mut low, &self.slope.0[j], off);
        }
        low += self.slope.1[j].clone() * t;
        (high, low)
    }

    /// All values at t, or slopes, each as a sum of two numbers.
    pub fn all_in_two(&self, part: &Part<S>) -> (Vec<S>, Vec<S>) {
        (0..self.len()).map(|j| self.in_two(j, part)).unzip()
    }

    /// The value at t or the slope.
    pub fn part(&self, j: usize, part: &Part<S>) -> S {
        match part {
            Part::Value(_) => {
                let (high, low) = self.in_two(j, part);
                high + low
            }
            Part::Rate => self.slope(j),
        }
    }
}

/// The bound `side` of index i along the line; zero for a bound that does not exist.
pub fn bound<S: Scalar>(line: &Line<S>, i: usize, side: Status) -> [S; 2] {
    let bound = match side {
        Status::Lower => &line.bounds.lower[i],
        Status::Upper => &line.bounds.upper[i],
        Status::Free => &None,
    };
    bound.clone().unwrap_or_else(|| [S::zero(), S::zero()])
}

/// The size of the largest bound |v| + |st| at any t, from those (|v|, |s|) that are not below another in both.
#[derive(Clone, Debug)]
pub struct LargestBound<S> {
    pairs: Vec<[S; 2]>,
}

impl<S: Scalar> LargestBound<S> {
    pub fn new(line: &Line<S>) -> Self {
        let bounds = line.bounds.lower.iter().chain(&line.bounds.upper).flatten();
        let mut all: Vec<[S; 2]> = bounds.map(|[v, s]| [v.abs(), s.abs()]).collect();
        // Most are no larger than the largest one in both parts: these need no order.
        let most = |k: usize| all.iter().fold([S::zero(), S::zero()], |m, b| if b[k] > m[k] { b.clone() } else { m });
        let tops = [most(0), most(1)];
        let below = |b: &[S; 2], top: &[S; 2]| b[0] <= top[0] && b[1] <= top[1];
        all.retain(|b| !tops.iter().any(|top| below(b, top)));
        all.extend(tops);
        all.sort_by(|a, b| b.partial_cmp(a).unwrap_or(std::cmp::Ordering::Equal));
        let mut pairs: Vec<[S; 2]> = Vec::new();
        for bound in all {
            if pairs.last().is_none_or(|last| bound[1] > last[1]) {
                pairs.push(bound);
            }
        }
        LargestBound { pairs }
    }

    /// At t, zero without bounds.
    pub fn at(&self, t: &S) -> S {
        self.pairs.iter().map(|[v, s]| v.clone() + (s.clone() * t).abs()).fold(S::zero(), S::larger)
    }

    /// Whether every bound is zero for good, so that none tells how large x may be.
    pub fn are_zero(&self) -> bool {
        self.pairs.iter().flatten().all(S::is_zero)
    }

    /// The scale of x or of its rate.
    pub fn part(&self, part: &Part<S>) -> S {
        match part {
            Part::Value(at) => self.at(&at.t),
            Part::Rate => self.pairs.iter().map(|p| p[1].clone()).fold(S::zero(), S::larger),
        }
    }
}

/// Σ√Hᵢᵢ times the larger bound, its value at t = 0 and its slope: no sum of rows at their bounds has larger terms.
fn largest_sizes<S: Scalar>(line: &Line<S>) -> [S; 2] {
    let mut sums = [S::zero(), S::zero()];
    for i in 0..line.n() {
        let root = line.hessian.diagonal(i).scale_root();
        let bounds = [Status::Lower, Status::Upper].map(|side| bound(line, i, side));
        for (part, sum) in sums.iter_mut().enumerate() {
            *sum += root.clone() * S::larger(bounds[0][part].abs(), bounds[1][part].abs());
        }
    }
    sums
}

/// Whether these are different indices below n.
fn are_indices(free: &[usize], n: usize) -> bool {
    let mut seen = vec![false; n];
    free.iter().all(|&i| i < n && !std::mem::replace(&mut seen[i], true))
}
