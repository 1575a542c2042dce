//! Half-spaces of θ without a solution, with the proof.
//!
//! A proof of infeasibility is a vector w of weights of the rows. It proves that nothing is feasible where min (wᵀs − wᵀAx) over l ≤ x ≤ u and bl ≤ s ≤ bu is
//! positive (Farkas 1902). This minimum is affine in θ, since each bound is. A direction d along which the objective decreases without end is a proof wherever
//! c(θ)ᵀd < 0. So a proof of either kind holds on a half-space.

use super::frame::Frame;
use super::polyhedron::{HalfSpace, along};
use crate::problem::{Line, ParametricQp};
use crate::rows::{Proof, with_rows};
use crate::settings::Settings;

/// A half-space of θ on which there is no solution.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Wall {
    /// Where there may be one, in the units of the domain.
    pub(super) plane: HalfSpace,
    pub(super) proof: Proof<f64>,
}

fn noise() -> f64 {
    Settings::default().dependent * f64::EPSILON
}

fn line(qp: &ParametricQp<f64>, theta: &[f64]) -> Option<Line<f64>> {
    with_rows(qp.line_between(theta, theta)).ok()
}

impl Wall {
    /// Of a proof, around a point.
    pub(super) fn new(qp: &ParametricQp<f64>, frame: &Frame, proof: Proof<f64>, xi: &[f64]) -> Option<Self> {
        let p = frame.p();
        let excess = |xi: &[f64]| {
            let theta = xi.iter().zip(&frame.middle).zip(&frame.half).map(|((xi, m), h)| m + h * xi);
            proof.excess(&line(qp, &theta.collect::<Vec<f64>>())?, &0.0, &noise())
        };
        let axis = |k: usize| (0..p).map(|j| if j == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
        let here = excess(xi)?;
        let gradient: Option<Vec<f64>> = (0..p).map(|k| Some(here - excess(&along(xi, 1.0, &axis(k)))?)).collect();
        let plane = HalfSpace::of_function(-here, &gradient?, xi)?;
        Some(Wall { plane, proof })
    }

    /// Whether the proof holds at θ (p entries), computed from the problem.
    pub fn proves(&self, qp: &ParametricQp<f64>, theta: &[f64]) -> bool {
        let excess = line(qp, theta).and_then(|line| self.proof.excess(&line, &0.0, &noise()));
        excess.is_some_and(|excess| excess > 0.0)
    }

    /// The proof.
    pub fn proof(&self) -> &Proof<f64> {
        &self.proof
    }
}
