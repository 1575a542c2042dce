//! The domain, and its coordinates: ξ in the cube [−1, 1]ᵖ, θ = middle + half·ξ.

use super::RegionsError;
use crate::problem::{ParametricQp, Range};
use crate::settings::ROUNDING;

/// A point is in the domain if no coordinate of it is larger: what rounding makes of one on the wall.
pub(super) const WALL: f64 = 1.0 + ROUNDING * f64::EPSILON;

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Frame {
    pub middle: Vec<f64>,
    pub half: Vec<f64>,
}

impl Frame {
    /// Of a problem whose ranges have two ends each.
    pub fn new(qp: &ParametricQp<f64>) -> Result<Self, RegionsError> {
        let of = |(parameter, range): (usize, &Range<f64>)| match (range.from, range.to) {
            (Some(a), Some(b)) if a < b => Ok((a / 2.0 + b / 2.0, b / 2.0 - a / 2.0)),
            _ => Err(RegionsError::Domain { parameter }),
        };
        let ends = qp.domain().iter().enumerate().map(of).collect::<Result<Vec<_>, _>>()?;
        let (middle, half) = ends.into_iter().unzip();
        Ok(Frame { middle, half })
    }

    pub fn p(&self) -> usize {
        self.middle.len()
    }

    /// θ of a point of the cube, which is no further out than rounding.
    pub fn theta(&self, xi: &[f64]) -> Vec<f64> {
        let all = xi.iter().zip(&self.middle).zip(&self.half);
        all.map(|((xi, middle), half)| middle + half * xi.clamp(-1.0, 1.0)).collect()
    }

    pub fn xi(&self, theta: &[f64]) -> Vec<f64> {
        theta.iter().zip(&self.middle).zip(&self.half).map(|((t, middle), half)| (t - middle) / half).collect()
    }

    /// Whether it is a box with an inside.
    pub fn is_sound(&self) -> bool {
        let wide = self.half.iter().all(|half| half.is_finite() && *half > 0.0);
        !self.middle.is_empty()
            && self.middle.len() == self.half.len()
            && wide
            && self.middle.iter().all(|v| v.is_finite())
    }

    /// Whether θ has p entries and lies in the domain, up to rounding.
    pub fn contains(&self, theta: &[f64]) -> bool {
        theta.len() == self.p() && self.xi(theta).iter().all(|xi| xi.abs() <= WALL)
    }
}
