//! What many certificates say together.

use super::{Certificate, TOLERANCE};
use crate::path::Path;

/// The worst of several certificates. What is not a number counts as infinite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// How many there are.
    pub points: usize,
    /// The largest KKT residual; between the stored points of an approximate path only that of the constraints.
    pub residual: f64,
    /// Where it is, as a position on the line.
    pub residual_at: f64,
    /// The largest relative duality gap, of an approximate path at its stored points.
    pub gap: f64,
    /// Where it is, likewise.
    pub gap_at: f64,
    /// The largest duality gap between the stored points of an approximate path, in units of the objective.
    pub between: f64,
}

/// Infinity for what is not a number.
fn number(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

impl Verdict {
    /// What one certificate at t says of a solution.
    pub fn of(certificate: &Certificate<f64>, t: f64) -> Self {
        let (residual, gap) = (number(certificate.kkt_residual()), number(certificate.relative_gap));
        Verdict { points: 1, residual, residual_at: t, gap, gap_at: t, between: 0.0 }
    }

    /// What one certificate says of a segment's law at t. On a chord of an approximate path the point must be feasible, and its gap is another
    /// one; the stored points at its ends are solutions.
    pub fn on(path: &Path<f64>, segment: usize, certificate: &Certificate<f64>, t: f64) -> Self {
        let begins = |k: usize| path.segments().get(k).is_some_and(|segment| segment.t == t);
        let ends = if segment + 1 < path.segments().len() { begins(segment + 1) } else { *path.end() == t };
        if begins(segment) || ends || path.gap_bound(segment).is_none() {
            return Verdict::of(certificate, t);
        }
        let residual = number(certificate.primal).max(number(certificate.row));
        let between = number(certificate.objective - certificate.dual_objective);
        Verdict { points: 1, residual, residual_at: t, gap: 0.0, gap_at: t, between }
    }

    /// No solution at t.
    pub fn missing(t: f64) -> Self {
        let infinite = f64::INFINITY;
        Verdict { points: 1, residual: infinite, residual_at: t, gap: infinite, gap_at: t, between: 0.0 }
    }

    /// Takes others into account.
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

    /// Whether the largest residual and the largest gap are at most [`TOLERANCE`].
    pub fn holds(&self) -> bool {
        self.residual <= TOLERANCE && self.gap <= TOLERANCE
    }

    /// What does not hold: whether it is a gap (or a residual), its size, and its position.
    pub fn failure(&self) -> Option<Failure> {
        if self.residual > TOLERANCE {
            return Some(Failure { what: "KKT residual", size: self.residual, at: self.residual_at });
        }
        (self.gap > TOLERANCE).then_some(Failure { what: "relative duality gap", size: self.gap, at: self.gap_at })
    }
}

/// A certificate that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// What is too large, in words.
    pub what: &'static str,
    /// How large it is.
    pub size: f64,
    /// Where, as a position on the line.
    pub at: f64,
}

/// What helps where a certificate does not hold, or a path cannot be followed.
pub const REMEDY: &str = "double precision does not tell the answer for these data: put the columns on one scale, or move the fixed \
                          parameters away from their extremes (a larger penalty, a smaller cost)";
