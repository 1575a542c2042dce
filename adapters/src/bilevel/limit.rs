//! Quantile regression above the largest knot, where the solution does not change with λ any more.
//!
//! Above all knots x does not depend on λ: f = (Σ xⱼk(xⱼ, ·) − y)/λ with y = y₀ − qλ, where q is a sample quantile, the response of every free row (zero without an intercept). For any row
//!
//! ```text
//! z = (Kx)ᵢ − λYᵢ − y = zᵢ(λ₀) − (λ − λ₀)(Yᵢ − q)
//! ```
//!
//! moves away from zero where x is at its upper bound for Yᵢ > q and at its lower bound for Yᵢ < q, and stays the same where Yᵢ = q. So a solution at λ₀ for
//! which this holds, and whose free rows all have the response q, is optimal for all λ ≥ λ₀. On the path along τ at λ₀ the conditions are checked segment by
//! segment; where they hold, the segment gives a *strip* up to λ = ∞. One row or several may have the response q. Where the conditions do not hold there are
//! knots above λ₀, and they are checked again at a larger λ₀. If all responses are different, this ends at the latest at the largest (Kx)ᵢ − (Kx)ⱼ divided by
//! the least difference of responses.

use super::plane::{Law, Strip};
use crate::bias::Bias;
use crate::kqr::Kqr;
use crate::problem::{KernelProblem, begin};
use pathqp::{ParametricQp, Path, Settings, Start, Status, Stop};

/// The strips over a range of τ above λ, and the parts of the range where there is none.
pub(super) fn strips(
    kqr: &Kqr,
    qp: &ParametricQp<f64>,
    [from, to]: [f64; 2],
    lambda: f64,
    start: &Start<f64>,
    settings: &Settings,
) -> Option<(Vec<Strip>, Vec<[f64; 2]>)> {
    let line = qp.line(&[from, lambda], &[to, lambda]).ok()?;
    let mut follower = begin(&line, start, settings).ok()?;
    if follower.run(&mut ()).ok()? != Stop::Target {
        return None;
    }
    let path = follower.into_path();
    let ends: Vec<f64> = path.segments().iter().map(|segment| segment.t).chain([*path.end()]).collect();
    let (mut strips, mut open) = (Vec::new(), Vec::<[f64; 2]>::new());
    for (k, pair) in ends.windows(2).enumerate().filter(|(_, pair)| pair[1] > pair[0]) {
        let [a, b] = [pair[0], pair[1]].map(|t| if t == *path.end() { to } else { from + t });
        match law(kqr, &path, k, [from, lambda]) {
            Some(law) => strips.push(Strip { vary: [a, b], law }),
            None => match open.last_mut().filter(|last| last[1] == a) {
                Some(last) => last[1] = b,
                None => open.push([a, b]),
            },
        }
    }
    Some((strips, open))
}

/// The law on a segment if it holds for all larger λ.
fn law(kqr: &Kqr, path: &Path<f64>, segment: usize, anchor: [f64; 2]) -> Option<Law> {
    let status = path.status_on(segment);
    let free: Vec<usize> = path.free_on(segment).iter().map(|i| *i as usize).collect();
    let y = kqr.responses();
    let intercept = kqr.machine().bias() == Bias::Intercept;
    let quantile = match (intercept, free.first()) {
        (false, _) => 0.0,
        (true, Some(&i)) => *y.get(i)?,
        (true, None) => return None,
    };
    let stands = |(status, y): (&Status, &f64)| match status {
        Status::Free => *y == quantile,
        Status::Upper => *y >= quantile,
        Status::Lower => *y <= quantile,
    };
    let counts = |row: &((&Status, &f64), &f64)| *row.1 > 0.0;
    let rows = status.iter().zip(y).zip(kqr.machine().weights()).filter(counts);
    if !rows.map(|(row, _)| row).all(stands) {
        return None;
    }
    // The law is affine all along the line: by its values at both ends.
    let length = *path.end();
    let (first, last) = (path.law_at(segment, &0.0)?, path.law_at(segment, &length)?);
    let x = free.iter().map(|&i| Some([*first.x.get(i)?, (last.x.get(i)? - first.x.get(i)?) / length, 0.0]));
    let x = x.collect::<Option<_>>()?;
    let y = intercept.then(|| [first.y, (last.y - first.y) / length, -quantile]);
    Some(Law { status, free, anchor, x, y })
}
