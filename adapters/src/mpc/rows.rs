//! The rows of a plant: bounds on its states and outputs after the first, and on changes of its inputs.

use super::{Mpc, matrix};
use crate::error::AdapterError;
use faer::Mat;
use pathqp::hessian::Rows;
use pathqp::{Affine, ParametricQp, ProblemError};

/// A bound of this size or more is none.
const NO_BOUND: f64 = 1e20;

/// Bounds on states, outputs, and changes of inputs; one of 10²⁰ or more, either sign, is none.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// C, q × s: the outputs are C xₖ. None where there are none.
    pub c: Option<Vec<Vec<f64>>>,
    /// The least states, s entries; none where there are no bounds.
    pub x_min: Option<Vec<f64>>,
    /// The largest states, likewise.
    pub x_max: Option<Vec<f64>>,
    /// The least outputs, q entries, likewise.
    pub y_min: Option<Vec<f64>>,
    /// The largest outputs, likewise.
    pub y_max: Option<Vec<f64>>,
    /// The most that an input may change by in one step, m entries, likewise.
    pub du_max: Option<Vec<f64>>,
}

/// The rows of a plant: combinations of states that are bounded, and changes of inputs.
pub(super) struct Bounded<'a> {
    plant: &'a Mpc,
    n: usize,
    /// What is bounded of the states (one row each), from below and above.
    outputs: Vec<(Mat<f64>, [f64; 2])>,
    values: Vec<f64>,
    /// Value and slopes of the bounds of each row so far.
    lower: Vec<Vec<f64>>,
    upper: Vec<Vec<f64>>,
}

impl<'a> Bounded<'a> {
    pub fn new(plant: &'a Mpc, n: usize) -> Result<Self, AdapterError> {
        let (s, m) = (plant.states(), plant.inputs());
        let c = plant.bounds.c.as_deref().unwrap_or_default();
        let outputs = matrix("c", c, (c.len(), s))?;
        let states = Mat::<f64>::identity(s, s);
        let mut all = Vec::new();
        for (of, [low, high], names) in [
            (&states, [&plant.bounds.x_min, &plant.bounds.x_max], ["x_min", "x_max"]),
            (&outputs, [&plant.bounds.y_min, &plant.bounds.y_max], ["y_min", "y_max"]),
        ] {
            let side = |bound: &Option<Vec<f64>>, name, none: f64| match bound {
                None => Ok(vec![none; of.nrows()]),
                Some(bound) => bounds(name, bound, of.nrows()),
            };
            let (low, high) = (side(low, names[0], -NO_BOUND)?, side(high, names[1], NO_BOUND)?);
            for i in 0..of.nrows() {
                if low[i] > -NO_BOUND || high[i] < NO_BOUND {
                    all.push((Mat::from_fn(1, s, |_, j| of[(i, j)]), [low[i], high[i]]));
                }
            }
        }
        if let Some(bound) = &plant.bounds.du_max {
            bounds("du_max", bound, m)?;
        }
        Ok(Bounded { plant, n, outputs: all, values: Vec::new(), lower: Vec::new(), upper: Vec::new() })
    }

    /// The states xₖ = ΓₖU + Ψₖx₀.
    pub fn at_step(&mut self, gamma: &Mat<f64>, psi: &Mat<f64>) {
        for (output, [low, high]) in &self.outputs {
            let (row, moved) = (output * gamma, output * psi);
            self.values.extend((0..self.n).map(|j| row[(0, j)]));
            let law = |bound: f64, none: f64| {
                let value = if bound.abs() < NO_BOUND { bound } else { none };
                std::iter::once(value).chain((0..psi.ncols()).map(|j| -moved[(0, j)])).collect()
            };
            self.lower.push(law(*low, f64::NEG_INFINITY));
            self.upper.push(law(*high, f64::INFINITY));
        }
    }

    /// The changes uₖ − uₖ₋₁.
    pub fn between_steps(&mut self) {
        let (s, m) = (self.plant.states(), self.plant.inputs());
        let Some(bound) = &self.plant.bounds.du_max else { return };
        for i in m..self.n {
            let most = bound[i % m];
            if most < NO_BOUND {
                self.values.extend((0..self.n).map(|j| f64::from(u8::from(j == i)) - f64::from(u8::from(j + m == i))));
                self.lower.push([vec![-most], vec![0.0; s]].concat());
                self.upper.push([vec![most], vec![0.0; s]].concat());
            }
        }
    }

    /// The problem with these rows.
    pub fn onto(self, qp: ParametricQp<f64>) -> Result<ParametricQp<f64>, AdapterError> {
        if self.lower.is_empty() {
            return Ok(qp);
        }
        let affine = |laws: &[Vec<f64>]| Affine {
            constant: laws.iter().map(|law| law[0]).collect(),
            slopes: (1..=self.plant.states()).map(|k| laws.iter().map(|law| law[k]).collect()).collect(),
        };
        let (lower, upper) = (affine(&self.lower), affine(&self.upper));
        Ok(qp.rows(Rows::Dense { columns: self.n, values: self.values }, lower, upper)?)
    }
}

/// So many numbers.
fn bounds(what: &'static str, bound: &[f64], expected: usize) -> Result<Vec<f64>, ProblemError> {
    if bound.len() != expected {
        return Err(ProblemError::Shape { what, expected, found: bound.len() });
    }
    match bound.iter().position(|v| v.is_nan()) {
        Some(index) => Err(ProblemError::NotFinite { what, index, parameter: None, value: bound[index].to_string() }),
        None => Ok(bound.to_vec()),
    }
}
