//! Sums of functions that are rational piece by piece.

use super::branch::Branch;
use crate::error::BranchError;
use crate::scalar::Scalar;

/// The sum of several functions on the part of the range where all of them are defined. Each function is given by its branches from left to right, which meet
/// at most at their ends; the sum is cut wherever one of the functions is. On each part all functions must have the same origin and denominator.
///
/// It is the loss of k folds along a knot of one of them; see the [module](super). It has branches on single points only if one of the given functions has.
///
/// # Errors
/// [`BranchError::Denominators`] if two branches over the same interval have different origins or denominators, and the errors of [`Branch::new`] for a sum.
pub fn sum<S: Scalar>(functions: &[Vec<Branch<S>>]) -> Result<Vec<Branch<S>>, BranchError> {
    let Some((first, rest)) = functions.split_first() else { return Ok(Vec::new()) };
    rest.iter().try_fold(first.clone(), |total, function| sum_of_two(&total, function))
}

fn sum_of_two<S: Scalar>(left: &[Branch<S>], right: &[Branch<S>]) -> Result<Vec<Branch<S>>, BranchError> {
    let mut total = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(p), Some(q)) = (left.peek(), right.peek()) {
        let from = if p.from() < q.from() { q.from() } else { p.from() };
        let to = if p.to() < q.to() { p.to() } else { q.to() };
        let point = p.from() == p.to() || q.from() == q.to();
        if from < to || (from == to && point) {
            total.push(Branch::new(p.function().plus(q.function())?, from.clone(), to.clone())?);
        }
        if p.to() <= q.to() {
            left.next()
        } else {
            right.next()
        };
    }
    Ok(total)
}
