//! The worst of many certificates.

use super::{Certificate, TOLERANCE};
use crate::path::Path;

/// The worst of several certificates. NaN counts as infinite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The number of certificates.
    pub points: usize,
    /// The largest KKT residual. Between the stored points of an approximate path only bounds and rows count.
    pub residual: f64,
    /// The position t on the line with the largest residual.
    pub residual_at: f64,
    /// The largest relative duality gap; of an approximate path only at its stored points.
    pub gap: f64,
    /// The position t on the line with the largest relative gap.
    pub gap_at: f64,
    /// The largest duality gap between the stored points of an approximate path, absolute, in units of the objective.
    pub between: f64,
}

/// Infinity for what is not a number.
fn number(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

impl Verdict {
    /// The verdict on a solution at t from its certificate.
    pub fn of(certificate: &Certificate<f64>, t: f64) -> Self {
        let (residual, gap) = (number(certificate.kkt_residual()), number(certificate.relative_gap));
        Verdict { points: 1, residual, residual_at: t, gap, gap_at: t, between: 0.0 }
    }

    /// The verdict on a segment's law at t from its certificate. Inside a chord of an approximate path only bounds and rows count as residual, and the gap goes
    /// to [`Verdict::between`]; at the ends of a chord the point must be a solution, unless the path is one of inexact solutions.
    pub fn on(path: &Path<f64>, segment: usize, certificate: &Certificate<f64>, t: f64) -> Self {
        let begins = |k: usize| path.segments().get(k).is_some_and(|segment| segment.t == t);
        let ends = if segment + 1 < path.segments().len() { begins(segment + 1) } else { *path.end() == t };
        let stored = path.has_exact_points() && (begins(segment) || ends);
        if stored || path.gap_bound(segment).is_none() {
            return Verdict::of(certificate, t);
        }
        let residual = number(certificate.primal).max(number(certificate.row));
        let between = number(certificate.objective - certificate.dual_objective);
        Verdict { points: 1, residual, residual_at: t, gap: 0.0, gap_at: t, between }
    }

    /// The verdict where there is no solution at t: it fails.
    pub fn missing(t: f64) -> Self {
        let infinite = f64::INFINITY;
        Verdict { points: 1, residual: infinite, residual_at: t, gap: infinite, gap_at: t, between: 0.0 }
    }

    /// Merges another verdict into this one.
    pub fn include(&mut self, other: &Verdict) {
        self.points += other.points;
        if other.residual > self.residual {
            (self.residual, self.residual_at) = (other.residual, other.residual_at);
        }
        if other.gap > self.gap {
            (self.gap, self.gap_at) = (other.gap, other.gap_at);
        }
        self.between = self.between.max(other.between);
    }

    /// Whether the residual and the gap are both at most [`TOLERANCE`]. [`Verdict::between`] is not compared.
    pub fn holds(&self) -> bool {
        self.residual <= TOLERANCE && self.gap <= TOLERANCE
    }

    /// The residual if it exceeds [`TOLERANCE`], otherwise the gap if that does, otherwise `None`.
    pub fn failure(&self) -> Option<Failure> {
        if self.residual > TOLERANCE {
            return Some(Failure { what: "KKT residual", size: self.residual, at: self.residual_at });
        }
        (self.gap > TOLERANCE).then_some(Failure { what: "relative duality gap", size: self.gap, at: self.gap_at })
    }
}

/// A residual or gap that exceeds [`TOLERANCE`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// "KKT residual" or "relative duality gap".
    pub what: &'static str,
    /// Its value.
    pub size: f64,
    /// The position t on the line.
    pub at: f64,
}

/// Advice for users where a certificate does not hold or a path cannot be followed.
pub const REMEDY: &str = "double precision does not tell the answer for these data: put the columns on one scale, or move the fixed \
                          parameters away from their extremes (a larger penalty, a smaller cost)";
