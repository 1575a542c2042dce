//! The same question put to an interior-point solver.

use super::Spec;
use pathqp::testing::Question;

/// A problem at θ; H, row by row, is made once.
pub fn question<'a>(spec: &Spec<f64>, h: &'a [Vec<f64>], theta: f64) -> Question<'a> {
    let n = spec.n();
    Question {
        h,
        c: (0..n).map(|i| spec.c(i, &theta)).collect(),
        lower: (0..n).map(|i| spec.lower(i, &theta).unwrap_or(f64::NEG_INFINITY)).collect(),
        upper: (0..n).map(|i| spec.upper(i, &theta).unwrap_or(f64::INFINITY)).collect(),
        row: spec.row.as_ref().map(|(a, b)| (a.clone(), Spec::at(b, &theta))),
    }
}
