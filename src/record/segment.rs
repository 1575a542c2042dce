//! A segment of a path.

use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// A segment of a path: one law, from its t to that of the next segment.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Segment<S> {
    /// The position at which it begins.
    pub t: S,
    /// The multiplier y of the equality row at t.
    pub y: S,
    /// The slope dy/dt.
    pub dy: S,
    /// Whether y is not unique; the law is then an inner point of its interval.
    pub floating: bool,
    /// Whether the sign pattern of z changes at t; on an approximate path, whether t is a stored point.
    pub breakpoint: bool,
    /// End of this segment's entries in the lists of free indices.
    pub(super) free_end: usize,
    /// End of this segment's entries in the list of changes.
    pub(super) changes_end: usize,
}

/// What the follower knows of a segment.
pub(crate) struct SegmentData<S> {
    pub t: S,
    pub y: S,
    pub dy: S,
    pub floating: bool,
    pub breakpoint: bool,
    /// Zᵀx at t and its rate.
    pub fit: Option<[Vec<S>; 2]>,
}

impl<S: Scalar> Segment<S> {
    /// y at t, from the nearer one of the segment's ends where the `next` one begins with what this one ends with: a law that comes down from afar has no digits left of its beginning.
    pub(super) fn y_at(&self, t: &S, next: Option<&Segment<S>>) -> S {
        let ahead = t.clone() - &self.t;
        if let Some(next) = next {
            let (left, way) = (next.t.clone() - t, self.dy.clone() * (next.t.clone() - &self.t));
            let rounding = (self.y.abs() + way.abs()) * S::tolerance(ROUNDING);
            if left < ahead && (self.y.clone() + way - &next.y).abs() <= rounding {
                return next.y.clone() - self.dy.clone() * left;
            }
        }
        self.y.clone() + self.dy.clone() * ahead
    }
}
