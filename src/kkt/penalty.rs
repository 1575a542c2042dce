//! The weight ρ² of the equality row in H̃ = H + ρ²AᵀA.

use crate::problem::Line;
use crate::scalar::Scalar;

/// The equality row counts in H̃ at least as much as makes the terms that x is the difference of 1/(ROW_WEIGHT·ε) times as large as x.
const ROW_WEIGHT: f64 = 1_048_576.0;

/// ρ² = the median of Hᵢᵢ/Aᵢ² over the variables that have both, or one without any (and for exact scalars): one variable of a size of its own, however
/// large or small, does not decide it. It is at least [`least_penalty`]. Everything in units of `scale`.
pub fn penalty<S: Scalar>(line: &Line<S>, scale: &S, diagonal: impl Fn(usize) -> S) -> S {
    if S::EXACT || !line.has_row() {
        return S::one();
    }
    let ratio = |i: usize| diagonal(i) / (line.a[i].clone() * &line.a[i]);
    let usable = |ratio: &S| *ratio > S::zero() && ratio.is_finite_number();
    let mut ratios: Vec<S> = (0..line.n()).map(ratio).filter(usable).collect();
    let middle = ratios.len() / 2;
    if ratios.is_empty() {
        return S::one();
    }
    let order = |a: &S, b: &S| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
    let median = ratios.select_nth_unstable_by(middle, order).1.clone();
    S::larger(median, least_penalty(line) / scale)
}

/// The terms −H̃_FF⁻¹c_F and y·H̃_FF⁻¹A_F that x_F is the difference of are of size c/(ρ²A²). Where H is next to nothing beside c, as rows that are rounding, they would
/// lose all digits of x_F: with Y = max |cᵢ/Aᵢ| and B = max(|b|, |Aᵢ|·|bound of xᵢ|) along the line they are at most 1/([`ROW_WEIGHT`]·ε) times as large as it where
/// ρ² is at least ROW_WEIGHT·ε·Y/B. Of an H that is much smaller than that nothing is left beside c in any z.
fn least_penalty<S: Scalar>(line: &Line<S>) -> S {
    let end = line.end.as_ref().map_or_else(S::one, |end| S::larger(end.abs(), line.begin.abs()));
    let size = |v: &S, s: &S| v.abs() + s.abs() * &end;
    let bounds = |i: usize| [&line.bounds.lower[i], &line.bounds.upper[i]].into_iter().flatten();
    let (mut of_y, mut of_row) = (S::zero(), size(&line.b0, &line.b1));
    for i in (0..line.n()).filter(|&i| !line.a[i].is_zero()) {
        of_y = S::larger(of_y, size(&line.c0[i], &line.c1[i]) / line.a[i].abs());
        of_row = bounds(i).fold(of_row, |m, [v, s]| S::larger(m, line.a[i].abs() * size(v, s)));
    }
    let least = S::tolerance(ROW_WEIGHT) * of_y / of_row;
    if least.is_finite_number() { least } else { S::zero() }
}
