//! Optimality checked from the definition (exact scalars: equalities and inequalities hold or they do not).

use super::Spec;
use pathqp::path::{Path, Stop};
use pathqp::{Line, Scalar};

/// z = Hx + c − Ay.
pub fn prices<S: Scalar>(spec: &Spec<S>, theta: &S, x: &[S], y: &S) -> Vec<S> {
    let hx = spec.product(x);
    (0..spec.n()).map(|i| hx[i].clone() + spec.c(i, theta) - spec.a(i) * y).collect()
}

/// Everything wrong with (x, y) as a solution at θ, in words; empty when it is optimal.
pub fn violations<S: Scalar>(spec: &Spec<S>, theta: &S, x: &[S], y: &S) -> Vec<String> {
    let mut wrong = Vec::new();
    for (i, z) in prices(spec, theta, x, y).into_iter().enumerate() {
        let (l, u) = (spec.lower(i, theta), spec.upper(i, theta));
        if l.as_ref().is_some_and(|l| x[i] < *l) || u.as_ref().is_some_and(|u| x[i] > *u) {
            wrong.push(format!("x[{i}] = {} outside [{l:?}, {u:?}]", x[i]));
        }
        if z > S::zero() && l.as_ref() != Some(&x[i]) {
            wrong.push(format!("z[{i}] = {z} > 0 but x = {} is not at its lower bound {l:?}", x[i]));
        }
        if z < S::zero() && u.as_ref() != Some(&x[i]) {
            wrong.push(format!("z[{i}] = {z} < 0 but x = {} is not at its upper bound {u:?}", x[i]));
        }
    }
    if let Some((a, b)) = &spec.row {
        let off = S::dot(a, x) - Spec::at(b, theta);
        if !off.is_zero() {
            wrong.push(format!("the row is off by {off}"));
        }
    }
    wrong
}

/// The signs of z, or none for a variable whose box has zero width all along the line (its z may have any sign).
pub fn pattern<S: Scalar>(spec: &Spec<S>, z: &[S]) -> Vec<Option<i8>> {
    let fixed = |i: usize| spec.lower[i].is_some() && spec.lower[i] == spec.upper[i];
    let sign = |z: &S| {
        if z.is_zero() {
            0
        } else if *z > S::zero() {
            1
        } else {
            -1
        }
    };
    z.iter().enumerate().map(|(i, z)| (!fixed(i)).then(|| sign(z))).collect()
}

/// The interval of multipliers that leave x optimal (an end is none where nothing bounds it); none without a row.
#[allow(clippy::type_complexity)]
pub fn multiplier_interval<S: Scalar>(spec: &Spec<S>, theta: &S, x: &[S], near: &S) -> Option<(Option<S>, Option<S>)> {
    spec.row.as_ref()?;
    let hx = spec.product(x);
    let (mut lo, mut hi): (Option<S>, Option<S>) = (None, None);
    for i in (0..spec.n()).filter(|&i| !spec.a(i).is_zero()) {
        let end = (hx[i].clone() + spec.c(i, theta)) / spec.a(i);
        let at = |bound: Option<S>| bound.is_some_and(|b| (b - &x[i]).abs() <= *near);
        let (lower, upper) = (at(spec.lower(i, theta)), at(spec.upper(i, theta)));
        // z may be positive at the lower bound and negative at the upper one; elsewhere it is zero.
        // z = a(end − y), so that z ≥ 0 means y ≤ end for a > 0 and y ≥ end for a < 0.
        let (y_below, y_above) = if spec.a(i) > S::zero() { (lower, upper) } else { (upper, lower) };
        if !y_below {
            lo = Some(lo.map_or(end.clone(), |l| S::larger(l, end.clone())));
        }
        if !y_above {
            hi = Some(hi.map_or(end.clone(), |h| S::smaller(h, end)));
        }
    }
    Some((lo, hi))
}

/// Checks a whole path exactly: order of segments, optimality and constant sign pattern inside each, Hx and the
/// objective continuous, breakpoints exactly where the pattern changes, y floating only where it is an interval.
pub fn check_path<S: Scalar>(spec: &Spec<S>, line: &Line<S>, path: &Path<S>) -> Result<(), String> {
    let segments = path.segments();
    let open = line.end.is_none() && matches!(path.stop(), Some(Stop::Target | Stop::Diverges { .. }));
    let mut previous: Option<Vec<Option<i8>>> = None;
    for (k, segment) in segments.iter().enumerate() {
        let next = match segments.get(k + 1) {
            Some(next) => next.t.clone(),
            None if open => segment.t.clone() + S::integer(3),
            None => path.end().clone(),
        };
        // A path that ends where it begins is one segment without length.
        let only = segments.len() == 1 && next == segment.t;
        if (next <= segment.t && !only) || (k == 0 && !segment.t.is_zero()) {
            return Err(format!("segment {k} runs from {} to {next}", segment.t));
        }
        let length = next.clone() - &segment.t;
        let mut inside: Option<Vec<Option<i8>>> = None;
        for part in 0..=4 {
            let t = segment.t.clone() + length.clone() * S::integer(part) / S::integer(4);
            let theta = line.parameter(&t).swap_remove(0);
            let point = path.law_at(k, &t).ok_or_else(|| format!("no point at {t} on segment {k}"))?;
            let wrong = violations(spec, &theta, &point.x, &point.y);
            if !wrong.is_empty() {
                return Err(format!("segment {k} at t = {t}: {wrong:?}"));
            }
            if part == 0 || part == 4 {
                continue;
            }
            let pattern = pattern(spec, &prices(spec, &theta, &point.x, &point.y));
            if inside.as_ref().is_some_and(|p| *p != pattern) {
                return Err(format!("the pattern changes inside segment {k}: {inside:?} then {pattern:?} at {t}"));
            }
            inside = Some(pattern);
            let interval = multiplier_interval(spec, &theta, &point.x, &S::zero());
            if let Some((lo, hi)) = interval {
                let wide = lo.is_none() || hi.is_none() || lo != hi;
                if wide && !point.floating && !only {
                    return Err(format!("y = {} at t = {t} is said to be unique: [{lo:?}, {hi:?}]", point.y));
                }
                if point.floating && !wide {
                    return Err(format!("y = {} at t = {t} is said to float, but is unique", point.y));
                }
                if wide && (lo.as_ref() == Some(&point.y) || hi.as_ref() == Some(&point.y)) {
                    return Err(format!("y = {} at t = {t} is not inside [{lo:?}, {hi:?}]", point.y));
                }
            }
        }
        let changed = previous.is_some() && previous != inside;
        if changed != segment.breakpoint {
            return Err(format!(
                "t = {} is {}a breakpoint, but the pattern goes from {previous:?} to {inside:?}",
                segment.t,
                if segment.breakpoint { "" } else { "not " }
            ));
        }
        previous = inside;
        if k > 0 {
            let theta = line.parameter(&segment.t).swap_remove(0);
            let before = path.before(&segment.t).ok_or("nothing before a segment")?.x;
            let after = path.at(&segment.t).ok_or("nothing at a segment")?.x;
            if spec.product(&before) != spec.product(&after) {
                return Err(format!("Hx jumps at t = {}", segment.t));
            }
            if spec.objective(&theta, &before) != spec.objective(&theta, &after) {
                return Err(format!("the objective jumps at t = {}", segment.t));
            }
        }
    }
    Ok(())
}
