//! A point of a path.

use crate::scalar::Scalar;

/// The solution at one t.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<S> {
    /// Position on the line.
    pub t: S,
    /// x, n entries.
    pub x: Vec<S>,
    /// The multiplier of the equality row.
    pub y: S,
    /// The multipliers of [`ParametricQp::rows`](crate::ParametricQp::rows), m entries; empty where there are none, and where the only row is an equality, whose
    /// multiplier is y. Where multipliers are not unique these are those of one basis.
    pub rows: Vec<S>,
    /// Whether y is not unique on the segment: it is then one value of an interval.
    pub floating: bool,
    /// The free indices, in no order.
    pub free: Vec<usize>,
    /// Zᵀx, d entries, where H = κZZᵀ is given by the rows of Z and they have no more than 512 columns. It has all its digits, also where x, whose
    /// terms may cancel in it, does not tell them.
    pub fit: Option<Vec<S>>,
}

impl<S: Scalar> Point<S> {
    /// `scale` times [`Point::fit`].
    pub fn scaled_fit(&self, scale: S) -> Option<Vec<S>> {
        Some(self.fit.as_ref()?.iter().map(|w| w.clone() * &scale).collect())
    }
}
