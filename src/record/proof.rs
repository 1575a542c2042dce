//! Proofs that there is no solution: a certificate of infeasibility (Farkas), or a ray along which the objective has no minimum.

use crate::problem::{Line, LineRows, known};
use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// A proof that there is no solution at some t, or beyond it; [`Proof::excess`] checks it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Proof<S> {
    /// Weights w of the rows. Every feasible x has wᵀAx = wᵀs with some bl ≤ s ≤ bu, but wᵀAx < wᵀs for all x and s within their bounds (Farkas 1902).
    Infeasible {
        /// w, m entries.
        weights: Vec<S>,
    },
    /// A direction d with Hd = 0 that no bound and no row limits, and along which the objective decreases.
    Unbounded {
        /// d, n entries.
        direction: Vec<S>,
    },
}

impl<S: Scalar> Proof<S> {
    /// The value of the proof at t of a line with rows; the proof holds where this is positive. For an infeasible problem it is the least wᵀs − wᵀAx over all l
    /// ≤ x ≤ u and bl ≤ s ≤ bu, for an unbounded one the decrease −cᵀd of the objective along d. `None` where nothing is proved: the line has no
    /// [`Line::rows`], a length does not match, a weight belongs to a missing bound, Hd ≠ 0, or a bound limits d. `noise` is the size, relative to its terms,
    /// up to which a sum counts as zero (zero for exact scalars).
    pub fn excess(&self, line: &Line<S>, t: &S, noise: &S) -> Option<S> {
        self.parts(line, t, noise).map(|(excess, _)| excess)
    }

    /// Whether the proof holds at t by more than rounding of its terms.
    pub(crate) fn holds(&self, line: &Line<S>, t: &S, noise: &S) -> bool {
        self.parts(line, t, noise).is_some_and(|(excess, size)| excess > size * S::tolerance(ROUNDING))
    }

    /// [`Proof::excess`], and the size of its terms.
    fn parts(&self, line: &Line<S>, t: &S, noise: &S) -> Option<(S, S)> {
        let rows = line.rows.as_ref()?;
        match self {
            Proof::Infeasible { weights } => beyond(weights, (line, rows), t, noise),
            Proof::Unbounded { direction } => falling(direction, (line, rows), t, noise),
        }
    }

    /// The entries that are not zero, as text: what an error carries.
    pub(crate) fn entries(&self) -> Vec<(usize, String)> {
        let (Proof::Infeasible { weights: v } | Proof::Unbounded { direction: v }) = self;
        v.iter().enumerate().filter(|(_, v)| !v.is_zero()).map(|(i, v)| (i, v.to_string())).collect()
    }

    /// The same in another scalar.
    pub(crate) fn map<T>(&self, number: impl Fn(&S) -> T) -> Proof<T> {
        let all = |v: &[S]| v.iter().map(&number).collect();
        match self {
            Proof::Infeasible { weights } => Proof::Infeasible { weights: all(weights) },
            Proof::Unbounded { direction } => Proof::Unbounded { direction: all(direction) },
        }
    }
}

/// The least wᵀs − wᵀAx, and the size of its terms.
fn beyond<S: Scalar>(weights: &[S], (line, rows): (&Line<S>, &LineRows<S>), t: &S, noise: &S) -> Option<(S, S)> {
    if weights.len() != rows.matrix.rows() {
        return None;
    }
    // A bound that rounding has kept from being zero is no proof.
    let unit = line.unit_of_bounds();
    let (mut excess, mut terms) = (S::zero(), S::zero());
    let mut most = |g: S, size: S, lower: Option<S>, upper: Option<S>| {
        if g.abs() <= size * noise {
            return Some(());
        }
        let bound = if g > S::zero() { upper? } else { lower? };
        let term = g.clone() * &bound;
        terms += g.abs() * known(bound.abs(), &unit);
        excess -= term;
        Some(())
    };
    let sizes: Vec<S> = weights.iter().map(S::abs).collect();
    for j in 0..line.n() {
        let mut size = S::zero();
        rows.matrix.for_column(j, |r, a| size += a.abs() * &sizes[r]);
        let (lower, upper) = (line.bounds.lower_at(j, t), line.bounds.upper_at(j, t));
        most(rows.matrix.column_dot(j, weights), size, lower, upper)?;
    }
    for (r, w) in weights.iter().enumerate() {
        most(-w.clone(), w.abs(), rows.bounds.lower_at(r, t), rows.bounds.upper_at(r, t))?;
    }
    Some((excess, terms))
}

/// The decrease −cᵀd, and the size of its terms.
fn falling<S: Scalar>(direction: &[S], (line, rows): (&Line<S>, &LineRows<S>), t: &S, noise: &S) -> Option<(S, S)> {
    if direction.len() != line.n() {
        return None;
    }
    let root = |i: usize| match line.hessian.diagonal(i) {
        h if h.is_zero() => h,
        h => h.scale_root(),
    };
    let spread = (0..line.n()).fold(S::zero(), |s, i| s + root(i) * direction[i].abs());
    let hd = crate::hessian::multiply(line.hessian.as_ref(), direction);
    if (0..line.n()).any(|i| hd[i].abs() > root(i) * &spread * noise) {
        return None;
    }
    let stops = |d: &S, lower: bool, upper: bool| (*d > S::zero() && upper) || (*d < S::zero() && lower);
    let bounded = |i: usize| stops(&direction[i], line.bounds.lower[i].is_some(), line.bounds.upper[i].is_some());
    if (0..line.n()).any(bounded) {
        return None;
    }
    for r in 0..rows.matrix.rows() {
        let mut size = S::zero();
        rows.matrix.for_row(r, |j, a| size += (a.clone() * &direction[j]).abs());
        let change = rows.matrix.row_dot(r, direction);
        let change = if change.abs() <= size * noise { S::zero() } else { change };
        if stops(&change, rows.bounds.lower[r].is_some(), rows.bounds.upper[r].is_some()) {
            return None;
        }
    }
    let cost = |i: usize| line.c0[i].abs() + (line.c1[i].clone() * t).abs();
    let terms = (0..line.n()).fold(S::zero(), |sum, i| sum + cost(i) * direction[i].abs());
    let fall = (0..line.n()).fold(S::zero(), |fall, i| fall - line.c(i, t) * &direction[i]);
    Some((fall, terms))
}
