//! Explicit model predictive control: the optimal inputs of a linear plant for every initial state at once.
//!
//! *Primal* (Bemporad, Morari, Dua and Pistikopoulos 2002, "The explicit linear quadratic regulator for constrained systems",
//! doi:10.1016/S0005-1098(01)00174-1, eq. 4):
//!
//! ```text
//! min over u₀ … u_{N−1}   x_NᵀP x_N + Σ_{k<N} (xₖᵀQ xₖ + uₖᵀR uₖ)
//! subject to              xₖ₊₁ = A xₖ + B uₖ,   x₀ given,   l ≤ uₖ ≤ u
//!                         x_min ≤ xₖ ≤ x_max,   y_min ≤ C xₖ ≤ y_max  (k = 1 … N),   F x_N ≤ f,   |uₖ − uₖ₋₁| ≤ du_max  (k = 1 … N − 1)
//! ```
//!
//! *Condensed* (eq. 6–8): the states are affine in U = (u₀, …, u_{N−1}) and x₀, xₖ = Γₖ U + Ψₖ x₀ with Ψₖ = Aᵏ. Half the cost is
//!
//! ```text
//! ½ UᵀHU + (F x₀)ᵀU + const,     H = R̄ + Σ_{k=1}^{N} ΓₖᵀQₖΓₖ,     F = Σ_{k=1}^{N} ΓₖᵀQₖΨₖ,     Q_N = P, otherwise Qₖ = Q
//! ```
//!
//! *Map to the engine*: x = U, θ = x₀ in a box of states given by the user, c = F x₀, with the bounds l and u of every uₖ. Bounds on states and outputs are
//! rows whose bounds move with x₀,
//!
//! ```text
//! x_min − Ψₖx₀ ≤ Γₖ U ≤ x_max − Ψₖx₀,      y_min − CΨₖx₀ ≤ CΓₖ U ≤ y_max − CΨₖx₀,
//! ```
//!
//! and those on changes of the inputs are rows that do not move (`rows.rs`, which has soft bounds as well). The primal itself is the engine's problem. When one
//! entry of x₀ varies, or x₀ varies along a line, the result is a path; the critical regions are those of the explicit controller. x₀ is given, so that only
//! the user's box bounds it.

mod problem;
mod rows;

pub use problem::{Controller, ENTRY};

use crate::error::AdapterError;
use faer::{Mat, MatRef};
use pathqp::hessian::semidefinite;
use pathqp::{Affine, ParametricQp, ProblemError, Range};
use rows::Bounded;
pub use rows::Bounds;

/// A linear plant with s states and m inputs, with the cost and the bounds of the control problem. Matrices are lists of rows.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Mpc {
    /// The matrix A of the states, s × s.
    #[serde(rename = "A")]
    pub a: Vec<Vec<f64>>,
    /// The matrix B of the inputs, s × m.
    #[serde(rename = "B")]
    pub b: Vec<Vec<f64>>,
    /// The weights Q of the states, s × s, symmetric.
    #[serde(rename = "Q")]
    pub q: Vec<Vec<f64>>,
    /// The weights R of the inputs, m × m, symmetric.
    #[serde(rename = "R")]
    pub r: Vec<Vec<f64>>,
    /// The weights P of the last state, s × s, symmetric; by default Q.
    #[serde(rename = "P", default)]
    pub p: Option<Vec<Vec<f64>>>,
    /// The horizon N, at least one.
    pub horizon: usize,
    /// The lower bounds of the inputs, m entries.
    pub lower: Vec<f64>,
    /// The upper bounds of the inputs, m entries.
    pub upper: Vec<f64>,
    /// Bounds on states, outputs and changes of the inputs.
    #[serde(flatten)]
    pub bounds: Bounds,
}

/// The states and inputs of a plant over the horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The states x₀ … x_N, s entries each.
    pub states: Vec<Vec<f64>>,
    /// The inputs u₀ … u_{N−1}, m entries each.
    pub inputs: Vec<Vec<f64>>,
    /// The cost x_NᵀP x_N + Σ (xₖᵀQ xₖ + uₖᵀR uₖ).
    pub cost: f64,
}

/// A matrix from its rows, each of which must have the right length.
fn matrix(what: &'static str, rows: &[Vec<f64>], shape: (usize, usize)) -> Result<Mat<f64>, ProblemError> {
    let found = rows.iter().map(Vec::len).find(|found| *found != shape.1);
    if rows.len() != shape.0 || found.is_some() {
        let (expected, found) = found.map_or((shape.0, rows.len()), |found| (shape.1, found));
        return Err(ProblemError::Shape { what, expected, found });
    }
    if let Some((index, value)) = rows.iter().flatten().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(ProblemError::NotFinite { what, index, parameter: None, value: value.to_string() });
    }
    Ok(Mat::from_fn(shape.0, shape.1, |i, j| rows[i][j]))
}

fn quadratic(m: &Mat<f64>, v: &Mat<f64>) -> f64 {
    (v.transpose() * m * v)[(0, 0)]
}

fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

fn entries(v: MatRef<'_, f64>) -> Vec<f64> {
    (0..v.nrows()).map(|i| v[(i, 0)]).collect()
}

impl Mpc {
    /// The number of states s.
    pub fn states(&self) -> usize {
        self.a.len()
    }

    /// The number of inputs m.
    pub fn inputs(&self) -> usize {
        self.r.len()
    }

    /// A, B, Q, R and P.
    fn matrices(&self) -> Result<[Mat<f64>; 5], ProblemError> {
        let (s, m) = (self.states(), self.inputs());
        let last = self.p.as_ref().unwrap_or(&self.q);
        let [a, q, p] = [("A", &self.a), ("Q", &self.q), ("P", last)].map(|(what, rows)| matrix(what, rows, (s, s)));
        Ok([a?, matrix("B", &self.b, (s, m))?, q?, matrix("R", &self.r, (m, m))?, p?])
    }

    /// The parametric QP with θ = x₀ in the box of s ranges, in N·m variables.
    ///
    /// # Errors
    /// Shapes that do not agree, numbers that are not finite, a horizon of zero, bounds that cross, and a cost that is not convex.
    pub fn qp(&self, domain: Vec<Range<f64>>) -> Result<ParametricQp<f64>, AdapterError> {
        let [a, b, q, r, p] = self.matrices()?;
        let (s, m) = (self.states(), self.inputs());
        let (n, expected) = (m.checked_mul(self.horizon), "be one of which the matrix of all inputs fits into memory");
        let fits = |n: &usize| n.checked_mul(*n).is_some_and(|size| Vec::<f64>::new().try_reserve_exact(size).is_ok());
        let n =
            n.filter(fits).ok_or(AdapterError::Parameter { name: "horizon", value: self.horizon as f64, expected })?;
        let step = |i: usize, j: usize| if i / m == j / m { r[(i % m, j % m)] } else { 0.0 };
        let mut h = Mat::from_fn(n, n, step);
        let mut f = Mat::zeros(n, s);
        let (mut gamma, mut psi) = (Mat::<f64>::zeros(s, n), Mat::<f64>::identity(s, s));
        let mut bounded = Bounded::new(self, n)?;
        for k in 0..self.horizon {
            // xₖ₊₁ = A xₖ + B uₖ.
            let next = &a * &gamma;
            gamma = Mat::from_fn(s, n, |i, j| next[(i, j)] + if j / m == k { b[(i, j % m)] } else { 0.0 });
            psi = &a * &psi;
            let weighted = gamma.transpose() * if k + 1 == self.horizon { &p } else { &q };
            h += &weighted * &gamma;
            f += &weighted * &psi;
            bounded.at_step(&gamma, &psi, k + 1 == self.horizon);
        }
        bounded.between_steps();
        // After the inputs e, which has half its cost here as everything has.
        let slack: Vec<f64> = self.bounds.soft.iter().map(|soft| soft / 2.0).collect();
        let with_slack = |values: Vec<f64>, of_slack: f64| [values, vec![of_slack; slack.len()]].concat();
        let row = |i: usize| with_slack((0..n).map(|j| (h[(i, j)] + h[(j, i)]) / 2.0).collect(), 0.0);
        let hessian = (0..n).map(row).chain(slack.iter().map(|_| vec![0.0; n + 1])).collect();
        let slopes = (0..s).map(|j| with_slack((0..n).map(|i| f[(i, j)]).collect(), 0.0)).collect();
        let repeated = |bound: &[f64], of_slack| Affine::constant(with_slack(bound.repeat(self.horizon), of_slack), s);
        let cost = Affine { constant: [vec![0.0; n], slack.clone()].concat(), slopes };
        let qp = ParametricQp::new(semidefinite(hessian)?, domain, cost)?;
        let qp = qp.lower(repeated(&self.lower, 0.0))?.upper(repeated(&self.upper, f64::INFINITY))?;
        bounded.onto(qp)
    }

    /// The states and the cost that follow from x₀ (s entries) and inputs U (N·m entries): the solution x of the QP, or any others.
    ///
    /// # Errors
    /// Shapes that do not agree.
    pub fn trajectory(&self, state: &[f64], inputs: &[f64]) -> Result<Trajectory, AdapterError> {
        let [a, b, q, r, p] = self.matrices()?;
        for (what, expected, found) in
            [("the state", self.states(), state.len()), ("inputs", self.inputs() * self.horizon, inputs.len())]
        {
            if found != expected {
                return Err(ProblemError::Shape { what, expected, found }.into());
            }
        }
        let (mut x, mut cost, mut states) = (column(state), 0.0, vec![state.to_vec()]);
        let inputs: Vec<Vec<f64>> = inputs.chunks(self.inputs().max(1)).map(<[f64]>::to_vec).collect();
        for u in inputs.iter().map(|u| column(u)) {
            cost += quadratic(&q, &x) + quadratic(&r, &u);
            x = &a * &x + &b * &u;
            states.push(entries(x.as_ref()));
        }
        Ok(Trajectory { states, inputs, cost: cost + quadratic(&p, &x) })
    }
}
