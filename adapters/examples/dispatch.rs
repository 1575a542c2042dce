//! Economic dispatch: the cheapest output of every power plant, and the price of electricity, for every demand from one path.
//!
//! *Primal* (Wood, Wollenberg and Sheblé 2013, "Power generation, operation and control", §3): plants with cost ½qᵢpᵢ² + kᵢpᵢ, qᵢ ≥ 0, and
//! output lᵢ ≤ pᵢ ≤ uᵢ meet a demand D at the least cost:
//!
//! ```text
//! min over p   Σ ½qᵢpᵢ² + kᵢpᵢ     subject to   Σ pᵢ = D,   lᵢ ≤ pᵢ ≤ uᵢ
//! ```
//!
//! *Map to the engine*: x = p, θ = D, H = diag(q), c = k, A = 1ᵀ, b = D. The multiplier y is the price: z = qp + k − y is zero for a plant off
//! its limits, whose marginal cost is therefore y. With qᵢ = 0 the price has steps, and at a step it is an interval.

use pathqp::hessian::{Gram, Rows};
use pathqp::{Affine, ParametricQp, Path, PathError, ProblemError, Range, Settings, Start, trace};
use std::sync::Arc;

/// What can be wrong with the plants, or with the path.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// A cost that is not convex, or no number.
    #[error("plant {plant}: q = {value} must be a finite number that is not negative")]
    Quadratic {
        /// The plant, from zero.
        plant: usize,
        /// The number given.
        value: f64,
    },
    /// The quadratic program could not be posed.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The path could not be followed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// A power plant.
#[derive(Clone, Debug, PartialEq)]
pub struct Plant {
    /// Its cost ½qp² + kp.
    pub q: f64,
    /// See above.
    pub k: f64,
    /// The least and the largest output.
    pub output: [f64; 2],
}

/// Plants that meet a demand together.
pub struct Dispatch {
    plants: Vec<Plant>,
}

impl Dispatch {
    /// Checks the costs.
    pub fn new(plants: Vec<Plant>) -> Result<Self, DispatchError> {
        match plants.iter().position(|p| !(p.q.is_finite() && p.q >= 0.0)) {
            Some(plant) => Err(DispatchError::Quadratic { plant, value: plants[plant].q }),
            None => Ok(Dispatch { plants }),
        }
    }

    /// The least and the largest demand that can be met.
    pub fn demand(&self) -> [f64; 2] {
        [0, 1].map(|end: usize| self.plants.iter().map(|p| p.output[end]).sum())
    }

    /// The parametric QP with θ = D.
    pub fn qp(&self) -> Result<ParametricQp<f64>, DispatchError> {
        let n = self.plants.len();
        // H = ZZᵀ with one entry √q a row: dependence of plants is told exactly.
        let root = |p: &Plant| p.q.sqrt();
        let rows = Rows::Sparse {
            columns: n,
            starts: (0..=n).collect(),
            indices: (0..n as u32).collect(),
            values: self.plants.iter().map(root).collect(),
        };
        let pick = |value: &dyn Fn(&Plant) -> f64| Affine::constant(self.plants.iter().map(value).collect(), 1);
        let [least, most] = self.demand();
        let qp = ParametricQp::new(Arc::new(Gram::new(n, rows, 1.0)?), vec![Range::new(least, most)], pick(&|p| p.k))?
            .lower(pick(&|p| p.output[0]))?
            .upper(pick(&|p| p.output[1]))?
            .equality(vec![1.0; n], Affine::line(vec![0.0], vec![1.0]))?;
        Ok(qp)
    }

    /// Every demand, from the least to the largest.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, DispatchError> {
        let ([least, most], qp) = (self.demand(), self.qp()?);
        trace(&qp.line(&[least], &[most])?, &Start::Anywhere, settings, &mut ()).map_err(|failure| failure.0.into())
    }

    /// Outputs and price at a demand; none outside the path.
    pub fn at(&self, path: &Path<f64>, demand: f64) -> Option<(Vec<f64>, f64)> {
        let point = path.at_parameter(&[demand])?;
        Some((point.x, point.y))
    }
}

/// Wind, coal, two equal gas turbines, oil.
pub fn plants() -> Vec<Plant> {
    let plant = |q, k, low, high| Plant { q, k, output: [low, high] };
    let gas = plant(0.25, 30.0, 0.0, 40.0);
    vec![plant(0.0, 0.0, 0.0, 50.0), plant(0.125, 16.0, 20.0, 120.0), gas.clone(), gas, plant(0.0, 75.0, 0.0, 30.0)]
}

/// Prints the price at a few demands.
pub fn main() -> Result<(), DispatchError> {
    let dispatch = Dispatch::new(plants())?;
    let path = dispatch.path(&Settings::default())?;
    let [least, most] = dispatch.demand();
    println!("demand from {least} to {most}: {} breakpoints", path.breakpoints().len());
    for demand in [60.0, 150.0, 200.0, 240.0, 270.0] {
        if let Some((output, price)) = dispatch.at(&path, demand) {
            println!("demand {demand}: price {price:.3}, output {output:.2?}");
        }
    }
    Ok(())
}
