//! Objectives of moments as functions to minimise by L-BFGS ([`mod@pathqp_adapters::lbfgs`]), and as problems for argmin's second-order methods.

use crate::{MomentObjective, MomentsError};
use argmin::core::{CostFunction, Error, Gradient, Hessian};
use argmin_math::ArgminDot;
use pathqp_adapters::lbfgs::{Differentiable, lbfgs};

pub use pathqp_adapters::lbfgs::{Minimum, Settings, Stop};

/// A function of d variables with a gradient (or, where it has none, a subgradient).
pub trait Smooth {
    /// The number of variables d.
    fn columns(&self) -> usize;
    /// The value at w; writes the gradient. Both of length d.
    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64;
}

/// A function in the form that L-BFGS takes.
struct Function<'f, F: ?Sized>(&'f F);

impl<F: Smooth + ?Sized> Differentiable<Vec<f64>> for Function<'_, F> {
    fn differentiate(&self, w: &Vec<f64>) -> (f64, Vec<f64>) {
        let mut gradient = vec![0.0; w.len()];
        let value = self.0.evaluate(w, &mut gradient);
        (value, gradient)
    }
}

/// An objective as an argmin problem with products of its Hessian, for Newton's method with conjugate gradients.
#[derive(Clone, Copy)]
pub struct SecondOrder<'m>(pub &'m MomentObjective<'m>);

impl CostFunction for SecondOrder<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, w: &Vec<f64>) -> Result<f64, Error> {
        Ok(Function(self.0).differentiate(w).0)
    }
}

impl Gradient for SecondOrder<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, w: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(Function(self.0).differentiate(w).1)
    }
}

impl<'m> Hessian for SecondOrder<'m> {
    type Param = Vec<f64>;
    type Hessian = HessianAt<'m>;

    fn hessian(&self, w: &Vec<f64>) -> Result<HessianAt<'m>, Error> {
        Ok(HessianAt { objective: self.0, w: w.clone() })
    }
}

/// The Hessian of an objective at a point, given by its products with vectors.
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

/// Minimises `function` from `start`, length d.
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
    let minimum = lbfgs(&Function(function), start, settings);
    let (value, size) = (minimum.value, minimum.gradient);
    if minimum.iterations == 0 && !(value.is_finite() && size.is_finite()) {
        return Err(MomentsError::Start { value: if value.is_finite() { size } else { value } });
    }
    Ok(minimum)
}
