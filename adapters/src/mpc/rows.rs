//! The rows of a plant: bounds on its states and outputs after the first ones, on its last state, and on changes of its inputs.
//!
//! *Soft bounds.* With a weight ρ there is a further variable e ≥ 0, which costs ρe and relaxes every bound of states, outputs and the last state by e: a row l
//! ≤ aᵀU ≤ u becomes
//!
//! ```text
//! aᵀU + e ≥ l,      aᵀU − e ≤ u
//! ```
//!
//! so that there is always a solution, unless the bounds on changes of the inputs exclude one. The penalty is exact (Kerrigan and Maciejowski 2000, "Soft
//! constraints and exact penalty functions in model predictive control"): if the bounds can be satisfied, and ρ is larger than the sum of the absolute values
//! of their multipliers (in units of the cost), then e = 0 and the solution is that of the hard bounds.

use super::{Mpc, matrix};
use crate::error::AdapterError;
use faer::Mat;
use pathqp::hessian::Rows;
use pathqp::{Affine, ParametricQp, ProblemError};

/// A bound of this size or more is none.
const NO_BOUND: f64 = 1e20;

/// Bounds on states, outputs, and changes of inputs. A bound of 10²⁰ or more in absolute value is none.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// The matrix C of the outputs C xₖ, q × s; `None` without outputs.
    pub c: Option<Vec<Vec<f64>>>,
    /// The lower bounds of the states, s entries; `None` without bounds.
    pub x_min: Option<Vec<f64>>,
    /// The upper bounds of the states, s entries; `None` without bounds.
    pub x_max: Option<Vec<f64>>,
    /// The lower bounds of the outputs, q entries; `None` without bounds.
    pub y_min: Option<Vec<f64>>,
    /// The upper bounds of the outputs, q entries; `None` without bounds.
    pub y_max: Option<Vec<f64>>,
    /// The largest change of each input in one step, m entries; `None` without bounds.
    pub du_max: Option<Vec<f64>>,
    /// The matrix F of the condition F x_N ≤ f on the last state, q × s; `None` without a condition.
    pub terminal: Option<Vec<Vec<f64>>>,
    /// The right-hand side f of that condition, q entries.
    pub terminal_max: Option<Vec<f64>>,
    /// The weight ρ of soft bounds: the cost of one unit of the largest violation of a bound of states, outputs or the last state. `None` for hard bounds.
    pub soft: Option<f64>,
}

/// A combination of states, 1 × s, with the least and the largest value that it may have.
type Limit = (Mat<f64>, [f64; 2]);

/// The rows of a plant: combinations of states that are bounded, and changes of inputs.
pub(super) struct Bounded<'a> {
    plant: &'a Mpc,
    /// Entries of U.
    n: usize,
    /// What is bounded of all states after the first, and of the last one.
    limits: Vec<Limit>,
    terminal: Vec<Limit>,
    /// Each row has an entry for e after those of U where bounds are soft.
    values: Vec<f64>,
    /// Value and slopes of the bounds of each row so far.
    lower: Vec<Vec<f64>>,
    upper: Vec<Vec<f64>>,
}

impl<'a> Bounded<'a> {
    pub fn new(plant: &'a Mpc, n: usize) -> Result<Self, AdapterError> {
        let (s, m, given) = (plant.states(), plant.inputs(), &plant.bounds);
        let table = |what, rows: &Option<Vec<Vec<f64>>>| {
            let rows = rows.as_deref().unwrap_or_default();
            matrix(what, rows, (rows.len(), s))
        };
        let states = Mat::<f64>::identity(s, s);
        let mut limits = limits_of(&states, [(&given.x_min, "x_min"), (&given.x_max, "x_max")])?;
        limits.extend(limits_of(&table("c", &given.c)?, [(&given.y_min, "y_min"), (&given.y_max, "y_max")])?);
        let terminal = limits_of(
            &table("terminal", &given.terminal)?,
            [(&None, "terminal_max"), (&given.terminal_max, "terminal_max")],
        )?;
        if let Some(bound) = &given.du_max {
            bounds("du_max", bound, m)?;
        }
        if let Some(value) = given.soft.filter(|soft| !(soft.is_finite() && *soft > 0.0)) {
            return Err(AdapterError::Parameter { name: "soft", value, expected: "be a positive number" });
        }
        Ok(Bounded { plant, n, limits, terminal, values: Vec::new(), lower: Vec::new(), upper: Vec::new() })
    }

    /// The states xₖ = ΓₖU + Ψₖx₀, the last ones or not.
    pub fn at_step(&mut self, gamma: &Mat<f64>, psi: &Mat<f64>, last: bool) {
        let (limits, terminal) = (self.limits.clone(), self.terminal.clone());
        for (output, [low, high]) in limits.into_iter().chain(terminal.into_iter().filter(|_| last)) {
            let (row, moved) = (&output * gamma, output * psi);
            let row: Vec<f64> = (0..self.n).map(|j| row[(0, j)]).collect();
            let law = |bound: f64| [vec![bound], (0..psi.ncols()).map(|j| -moved[(0, j)]).collect()].concat();
            let (none, soft) = (f64::INFINITY, self.plant.bounds.soft.is_some());
            if !soft {
                self.add(&row, 0.0, law(low), law(high));
                continue;
            }
            if low > -none {
                self.add(&row, 1.0, law(low), law(none));
            }
            if high < none {
                self.add(&row, -1.0, law(-none), law(high));
            }
        }
    }

    /// A row with its entry for e.
    fn add(&mut self, row: &[f64], of_slack: f64, lower: Vec<f64>, upper: Vec<f64>) {
        self.values.extend(row);
        self.values.extend(self.plant.bounds.soft.map(|_| of_slack));
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// The changes uₖ − uₖ₋₁.
    pub fn between_steps(&mut self) {
        let (s, m) = (self.plant.states(), self.plant.inputs());
        let Some(bound) = &self.plant.bounds.du_max else { return };
        for i in m..self.n {
            let most = bound[i % m];
            if most < NO_BOUND {
                let one = |j: usize| f64::from(u8::from(j == i)) - f64::from(u8::from(j + m == i));
                let law = |most| [vec![most], vec![0.0; s]].concat();
                self.add(&(0..self.n).map(one).collect::<Vec<f64>>(), 0.0, law(-most), law(most));
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
        let rows = Rows::Dense { columns: qp.n(), values: self.values };
        Ok(qp.rows(rows, lower, upper)?)
    }
}

/// The rows of a matrix that have a bound, from below or above.
fn limits_of(of: &Mat<f64>, [low, high]: [(&Option<Vec<f64>>, &'static str); 2]) -> Result<Vec<Limit>, ProblemError> {
    let side = |(bound, name): (&Option<Vec<f64>>, _), none: f64| match bound {
        None => Ok(vec![none; of.nrows()]),
        Some(bound) => Ok(bounds(name, bound, of.nrows())?
            .into_iter()
            .map(|v| if v.abs() < NO_BOUND { v } else { none })
            .collect()),
    };
    let (low, high) = (side(low, f64::NEG_INFINITY)?, side(high, f64::INFINITY)?);
    let row = |i: usize| Mat::from_fn(1, of.ncols(), |_, j| of[(i, j)]);
    let bounded = |i: &usize| low[*i].is_finite() || high[*i].is_finite();
    Ok((0..of.nrows()).filter(bounded).map(|i| (row(i), [low[i], high[i]])).collect())
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
