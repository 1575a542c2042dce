//! Feasible points: phase one, and the checks of what is given as a start.

use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::LargestBound;
use crate::problem::{Bounds, Line};
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};

/// The bound that x lies on, if any.
pub(super) fn side<S: Scalar>(bounds: &Bounds<S>, i: usize, x: &S) -> Status {
    match (&bounds.lower[i], &bounds.upper[i]) {
        (Some([l, _]), _) if x == l => Status::Lower,
        (_, Some([u, _])) if x == u => Status::Upper,
        _ => Status::Free,
    }
}

/// x within the bounds of variable i at t.
pub(super) fn clamp_at<S: Scalar>(bounds: &Bounds<S>, i: usize, t: &S, x: S) -> S {
    let x = bounds.lower_at(i, t).map_or(x.clone(), |l| S::larger(x, l));
    bounds.upper_at(i, t).map_or(x.clone(), |u| S::smaller(x, u))
}

pub(super) fn clamp<S: Scalar>(bounds: &Bounds<S>, i: usize, x: S) -> S {
    let x = match &bounds.lower[i] {
        Some([l, _]) => S::larger(x, l.clone()),
        None => x,
    };
    match &bounds.upper[i] {
        Some([u, _]) => S::smaller(x, u.clone()),
        None => x,
    }
}

/// Phase one: the point of the box nearest to `x`, moved coordinate by coordinate until the equality row holds, those inside their boxes first. With
/// one row Σ aᵢxᵢ takes every value between its least and its largest within the box, so this finds a point or
/// proves that there is none.
pub(crate) fn feasible_point<S: Scalar>(line: &Line<S>, x: Vec<S>) -> Result<Vec<S>, PathError> {
    let mut x: Vec<S> = x.into_iter().enumerate().map(|(i, x)| clamp(&line.bounds, i, x)).collect();
    if !line.has_row() {
        return Ok(x);
    }
    let mut missing = line.b0.clone() - S::dot(&line.a, &x);
    let size = line.b0.abs() + line.a.iter().zip(&x).fold(S::zero(), |s, (a, x)| s + (a.clone() * x).abs());
    let noise = size.clone() * S::tolerance(ROUNDING);
    let inside = |&i: &usize| side(&line.bounds, i, &x[i]) == Status::Free;
    let (first, last): (Vec<usize>, Vec<usize>) = (0..line.n()).filter(|&i| !line.a[i].is_zero()).partition(inside);
    for i in first.into_iter().chain(last) {
        if missing.abs() <= noise {
            return Ok(x);
        }
        let target = clamp(&line.bounds, i, x[i].clone() + missing.clone() / &line.a[i]);
        missing -= (target.clone() - &x[i]) * &line.a[i];
        x[i] = target;
    }
    if missing.abs() <= noise {
        return Ok(x);
    }
    let end = |i: usize, most: bool| {
        let up = most == (line.a[i] > S::zero());
        let bound = if up { &line.bounds.upper[i] } else { &line.bounds.lower[i] };
        bound.as_ref().map(|b| b[0].clone() * &line.a[i])
    };
    let with_row: Vec<usize> = (0..line.n()).filter(|&i| !line.a[i].is_zero()).collect();
    let total = |most: bool| {
        let ends: Option<Vec<S>> = with_row.iter().map(|&i| end(i, most)).collect();
        ends.map(|e| e.into_iter().fold(S::zero(), |s, v| s + v).to_string())
    };
    Err(PathError::Infeasible {
        needed: line.b0.to_string(),
        least: total(false).unwrap_or_else(|| "−∞".into()),
        most: total(true).unwrap_or_else(|| "∞".into()),
        conflicting: with_row.into_iter().take(8).collect(),
    })
}

/// A guess with n finite entries within its bounds (up to rounding) and on the row.
pub(super) fn checked<S: Scalar>(line: &Line<S>, guess: &[S], settings: &Settings) -> Result<Vec<S>, PathError> {
    if guess.len() != line.n() {
        return Err(PathError::StartShape { expected: line.n(), found: guess.len() });
    }
    let mut x = Vec::with_capacity(guess.len());
    for (index, value) in guess.iter().enumerate() {
        let nearest = clamp(&line.bounds, index, value.clone());
        let noise = line.bounds.reach(index, &S::zero(), value) * S::tolerance(ROUNDING);
        if !value.is_finite_number() || (nearest.clone() - value).abs() > noise {
            return Err(PathError::StartOutsideBounds { index, value: value.to_string() });
        }
        x.push(nearest);
    }
    if line.has_row() {
        let off = line.b0.clone() - S::dot(&line.a, &x);
        let largest = line.a.iter().fold(S::zero(), |m, a| S::larger(m, a.abs()));
        let terms = line.a.iter().zip(&x).fold(line.b0.abs(), |s, (a, x)| s + (a.clone() * x).abs());
        let size = terms + largest * LargestBound::new(line).at(&S::zero());
        if off.abs() > size * S::tolerance(settings.refactor) {
            return Err(PathError::StartOffRow { off: off.to_string() });
        }
    }
    Ok(x)
}

pub(super) fn check_status<S: Scalar>(line: &Line<S>, status: &[Status]) -> Result<(), PathError> {
    if status.len() != line.n() {
        return Err(PathError::StartShape { expected: line.n(), found: status.len() });
    }
    for (index, s) in status.iter().enumerate() {
        let missing = match s {
            Status::Lower => line.bounds.lower[index].is_none(),
            Status::Upper => line.bounds.upper[index].is_none(),
            Status::Free => false,
        };
        if missing {
            return Err(PathError::StartWithoutBound { index, status: *s });
        }
    }
    Ok(())
}
