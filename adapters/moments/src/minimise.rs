//! Objectives of moments as functions to minimise by [`crate::lbfgs`]; those that have products of the Hessian are argmin problems with them.

use super::{MomentObjective, MomentsError};
use crate::lbfgs::{Differentiable, lbfgs};
use argmin::core::{Error, Hessian};
use argmin_math::ArgminDot;

pub use crate::lbfgs::{Evaluated, Minimum, Problem, Record, Settings, Stop};

/// A function of d variables with a gradient (or, where it has none, a subgradient).
pub trait Smooth {
    /// d.
    fn columns(&self) -> usize;
    /// The value at w; writes the gradient. Both of length d.
    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64;
}

impl<F: Smooth + ?Sized> Differentiable<Vec<f64>> for F {
    fn differentiate(&self, w: &Vec<f64>) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; w.len()];
        let value = self.evaluate(w, &mut gradient);
        (value, gradient)
    }
}

/// The Hessian of an objective at a point, known by its products.
#[derive(Clone)]
pub struct HessianAt<'m> {
    objective: &'m MomentObjective<'m>,
    w: Vec<f64>,
}

impl ArgminDot<Vec<f64>, Vec<f64>> for HessianAt<'_> {
    fn dot(&self, v: &Vec<f64>) -> Vec<f64> {
        let mut out = vec![0.0; v.len()];
        self.objective.hessian_times(&self.w, v, &mut out);
        out
    }
}

impl<'m> Hessian for Problem<'m, MomentObjective<'m>> {
    type Param = Vec<f64>;
    type Hessian = HessianAt<'m>;

    fn hessian(&self, w: &Vec<f64>) -> Result<HessianAt<'m>, Error> {
        Ok(HessianAt { objective: self.function, w: w.clone() })
    }
}

/// Minimises `function` from `start`.
///
/// # Errors
/// [`MomentsError::Start`] when value or gradient are not finite there, [`MomentsError::Shape`] for a start of another length.
pub fn minimise<F: Smooth + ?Sized>(
    function: &F,
    start: Vec<f64>,
    settings: &Settings,
) -> Result<Minimum, MomentsError> {
    let d = function.columns();
    if start.len() != d {
        return Err(MomentsError::Shape { what: "starting values", expected: d, found: start.len() });
    }
    let minimum = lbfgs(function, start, settings);
    let (value, size) = (minimum.value, minimum.gradient);
    if minimum.iterations == 0 && !(value.is_finite() && size.is_finite()) {
        return Err(MomentsError::Start { value: if value.is_finite() { size } else { value } });
    }
    Ok(minimum)
}
