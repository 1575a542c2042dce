//! Everything wrong with a path, as a list.

use crate::certificate::Certifier;
use crate::gap::Anchor;
use crate::path::Path;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;
use std::fmt;

/// A violation: one thing wrong with a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation<S> {
    /// A KKT residual above the tolerance.
    Residual {
        /// The position t.
        t: S,
        /// The size of the residual.
        residual: S,
        /// The variable with the largest violation.
        index: usize,
    },
    /// A relative duality gap above the tolerance.
    RelativeGap {
        /// The position t.
        t: S,
        /// The gap, relative to the size of the objective.
        gap: S,
    },
    /// The objective is not continuous at the start of a segment.
    Discontinuous {
        /// The position t.
        t: S,
        /// The difference of the objective before and after t.
        difference: S,
    },
    /// A segment of an approximate path whose duality gap is not bounded by the path's tolerance.
    Gap {
        /// The t at which the segment begins.
        t: S,
        /// The bound; `None` where a multiplier belongs to a missing bound.
        bound: Option<S>,
    },
    /// Segments out of order, or no segments although the path does not end where it begins.
    Structure {
        /// The index of the segment.
        segment: usize,
    },
    /// A position of the path without a solution.
    Missing {
        /// The position t.
        t: S,
    },
}

impl<S> Violation<S> {
    /// The position, if the violation belongs to one.
    pub fn t(&self) -> Option<&S> {
        match self {
            Violation::Residual { t, .. }
            | Violation::RelativeGap { t, .. }
            | Violation::Discontinuous { t, .. }
            | Violation::Gap { t, .. }
            | Violation::Missing { t } => Some(t),
            Violation::Structure { .. } => None,
        }
    }
}

impl<S: fmt::Debug> fmt::Display for Violation<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Residual { t, residual, index } => {
                write!(f, "at t = {t:?}, variable {index} has a KKT residual of {residual:?}")
            }
            Violation::RelativeGap { t, gap } => write!(f, "at t = {t:?}, the relative duality gap is {gap:?}"),
            Violation::Discontinuous { t, difference } => {
                write!(f, "at t = {t:?}, the objective jumps by {difference:?}")
            }
            Violation::Gap { t, bound: Some(bound) } => {
                write!(f, "from t = {t:?} on, the duality gap is only known to be at most {bound:?}")
            }
            Violation::Gap { t, bound: None } => write!(f, "from t = {t:?} on, the duality gap has no bound"),
            Violation::Structure { segment } => write!(f, "segment {segment} is missing or out of order"),
            Violation::Missing { t } => write!(f, "at t = {t:?}, there is no solution"),
        }
    }
}

/// Everything wrong with a path. The certificate is checked at both ends of every segment (hence on both sides of jumps) and in its middle, and the objective
/// must be continuous. `tolerance` bounds every residual and relative gap, and the change of the objective at a jump. On chords of an approximate path the
/// middle need only be feasible, and the ends as well if they are inexact; the gap is bounded afresh from the two ends.
pub fn validate<S: Scalar>(path: &Path<S>, line: &Line<S>, tolerance: &S) -> Vec<Violation<S>> {
    let mut violations = Vec::new();
    let mut before: Option<(Objective<S>, S)> = None;
    let (segments, certifier) = (path.segments(), Certifier::new(line));
    if segments.is_empty() && *path.end() != line.begin {
        violations.push(Violation::Structure { segment: 0 });
    }
    for (k, segment) in segments.iter().enumerate() {
        let open = path.is_endless() && k + 1 == segments.len();
        let next = match segments.get(k + 1) {
            Some(next) => next.t.clone(),
            None if open => segment.t.clone() + segment.t.abs() + S::one(),
            None => path.end().clone(),
        };
        if next < segment.t || (k == 0 && segment.t != line.begin) {
            violations.push(Violation::Structure { segment: k });
            continue;
        }
        let middle = (segment.t.clone() + &next) / S::integer(2);
        let chord = path.gap_bound(k).is_some();
        let law = if chord { Law::Chord } else { Law::Solution };
        let mut at = |t: &S, law: Law| check(path, (line, &certifier), tolerance, (k, t, law), &mut violations);
        let stored = if path.has_exact_points() { Law::Solution } else { law };
        let (start, inner, end) = (at(&segment.t, stored), at(&middle, law), at(&next, stored));
        if chord {
            violations.extend(gap_violation(path, line, k, &next));
        }
        let (Some(start), Some(inner), Some(end)) = (start, inner, end) else { continue };
        // The objective may vanish at one point of a segment: its terms are measured over the whole of it.
        let size = [inner.size, end.size.clone()].into_iter().fold(start.size, S::larger);
        if let Some((last, size_before)) = &before {
            let difference = (last.value.clone() - &start.value).abs();
            let rounding = last.rounding.clone() + &start.rounding;
            if difference > (size_before.clone() + &size) * tolerance + rounding {
                violations.push(Violation::Discontinuous { t: segment.t.clone(), difference });
            }
        }
        before = Some((end, size));
    }
    violations
}

/// What a law must be at some t.
#[derive(Clone, Copy, PartialEq)]
enum Law {
    /// A solution.
    Solution,
    /// Feasible.
    Chord,
}

/// The bound on the gap between the ends of a chord, if it is not within the path's tolerance.
fn gap_violation<S: Scalar>(path: &Path<S>, line: &Line<S>, k: usize, next: &S) -> Option<Violation<S>> {
    let t = path.segments().get(k)?.t.clone();
    let anchor = |t: &S| path.law_at(k, t).map(|point| Anchor::of(line, &point));
    let ends = anchor(&t).zip(anchor(next));
    let bound = ends.and_then(|(start, end)| start.gap_to(&end)).map(|bound| bound.gap);
    let within = bound.as_ref().zip(path.tolerance()).is_some_and(|(bound, tolerance)| bound <= tolerance);
    (!within).then_some(Violation::Gap { t, bound })
}

/// The objective at one point.
struct Objective<S> {
    value: S,
    /// The size of its terms.
    size: S,
    /// What rounding may amount to in it.
    rounding: S,
}

/// The certificate of one segment's law at t; returns the objective.
///
/// x follows bounds v + st, which are known to ε(|v| + |s|t), however small they are at t itself: call that size rᵢ. With
/// |(Hx)ᵢ| ≤ √Hᵢᵢ Σ√Hⱼⱼ|xⱼ| the objective is then known to ε Σ(|cᵢ| + √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|)rᵢ. On the way back to a t at which all
/// boxes close this is far above ε of the objective.
fn check<S: Scalar>(
    path: &Path<S>,
    (line, certifier): (&Line<S>, &Certifier<'_, S>),
    tolerance: &S,
    (segment, t, law): (usize, &S, Law),
    violations: &mut Vec<Violation<S>>,
) -> Option<Objective<S>> {
    let Some(point) = path.law_at(segment, t) else {
        violations.push(Violation::Missing { t: t.clone() });
        return None;
    };
    let certificate = certifier.point(&point);
    let residual = match law {
        Law::Solution => certificate.kkt_residual(),
        Law::Chord => S::larger(certificate.primal.clone(), certificate.row.clone()),
    };
    if residual > *tolerance || residual.partial_cmp(tolerance).is_none() {
        violations.push(Violation::Residual { t: t.clone(), residual, index: certificate.worst });
    }
    let gap = certificate.relative_gap.clone();
    if law == Law::Solution && (gap > *tolerance || gap.partial_cmp(tolerance).is_none()) {
        violations.push(Violation::RelativeGap { t: t.clone(), gap });
    }
    let root = |i: usize| line.hessian.diagonal(i).scale_root();
    let sum = |term: &dyn Fn(usize) -> S| (0..line.n()).map(term).fold(S::zero(), |s, v| s + v);
    let size = sum(&|i| line.c(i, t).abs() * largest(line, i, t, &point.x[i])) + certificate.objective.abs();
    let spread = sum(&|i| root(i) * point.x[i].abs());
    let terms = sum(&|i| (line.c(i, t).abs() + root(i) * &spread) * line.bounds.reach(i, t, &point.x[i]));
    Some(Objective { value: certificate.objective, size, rounding: terms * S::tolerance(ROUNDING) })
}

/// The largest of |lᵢ|, |uᵢ|, |xᵢ|.
fn largest<S: Scalar>(line: &Line<S>, i: usize, t: &S, x: &S) -> S {
    let ends = [line.bounds.lower_at(i, t), line.bounds.upper_at(i, t)];
    ends.into_iter().flatten().fold(x.abs(), |m, b| S::larger(m, b.abs()))
}
