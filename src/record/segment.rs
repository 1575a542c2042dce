//! One piece of a path.

use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// One piece of a path: the law on [t, next segment's t].
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Segment<S> {
    /// Where it begins.
    pub t: S,
    /// The multiplier of the equality row at t.
    pub y: S,
    /// Its slope.
    pub dy: S,
    /// y is not unique: it lies in an interval, of which this law is an inner point.
    pub floating: bool,
    /// The sign pattern of z changes at t; on an approximate path, t is a stored point.
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
