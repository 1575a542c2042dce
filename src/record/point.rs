//! A point of a path.

use crate::scalar::Scalar;

/// The solution at one t of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Point<S> {
    /// The position on the line.
    pub t: S,
    /// x, n entries.
    pub x: Vec<S>,
    /// The multiplier of the equality row; zero without one.
    pub y: S,
    /// The multipliers of [`ParametricQp::rows`](crate::ParametricQp::rows), m entries; where they are not unique, those of one basis. Empty without rows, and
    /// where the only row is an equality, whose multiplier is y.
    pub rows: Vec<S>,
    /// Whether y is not unique on the segment: it is then one value of an interval.
    pub floating: bool,
    /// The free variables, in no particular order.
    pub free: Vec<usize>,
    /// The fit Zᵀx, d entries, where H = κZZᵀ is given by the rows of Z and d is at most 512; otherwise `None`. It is accurate even where the terms of Zᵀx
    /// cancel, so that x alone would not determine it.
    pub fit: Option<Vec<S>>,
}

impl<S: Scalar> Point<S> {
    /// `scale` times [`Point::fit`].
    pub fn scaled_fit(&self, scale: S) -> Option<Vec<S>> {
        Some(self.fit.as_ref()?.iter().map(|w| w.clone() * &scale).collect())
    }
}
