//! Explicit model predictive control: the optimal inputs of a linear plant for every initial state at once.
//!
//! *Primal* (Bemporad, Morari, Dua and Pistikopoulos 2002, "The explicit linear quadratic regulator for constrained systems",
//! doi:10.1016/S0005-1098(01)00174-1, eq. 4), with bounds on the inputs only:
//!
//! ```text
//! min over u₀ … u_{N−1}   x_NᵀP x_N + Σ_{k<N} (xₖᵀQ xₖ + uₖᵀR uₖ)
//! subject to              xₖ₊₁ = A xₖ + B uₖ,   x₀ given,   l ≤ uₖ ≤ u
//! ```
//!
//! *Condensed* (eq. 6–8): the states are affine in U = (u₀, …, u_{N−1}) and x₀, xₖ = Γₖ U + Ψₖ x₀ with Ψₖ = Aᵏ. Half the cost is
//!
//! ```text
//! ½ UᵀHU + (F x₀)ᵀU + const,     H = R̄ + Σ_{k=1}^{N} ΓₖᵀQₖΓₖ,     F = Σ_{k=1}^{N} ΓₖᵀQₖΨₖ,     Q_N = P, otherwise Qₖ = Q
//! ```
//!
//! *Map to the engine*: x = U, θ = x₀ in the box of states that the user names, c = F x₀, l and u as they are for each uₖ, no row. The primal
//! is the engine's problem itself. One entry of x₀, or x₀ along a line, is a path; with two states the critical regions are those
//! of the explicit controller.
//!
//! Bounds on states are rows, of which the engine takes one equality only: they are not offered.

use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use faer::{Mat, MatRef};
use pathqp::hessian::semidefinite;
use pathqp::{Affine, ParametricQp, Path, Point, ProblemError, Range, Settings};

/// A plant with s states and m inputs, and what is asked of it. Matrices are lists of rows.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Mpc {
    /// A, s × s.
    #[serde(rename = "A")]
    pub a: Vec<Vec<f64>>,
    /// B, s × m.
    #[serde(rename = "B")]
    pub b: Vec<Vec<f64>>,
    /// Q, s × s, symmetric.
    #[serde(rename = "Q")]
    pub q: Vec<Vec<f64>>,
    /// R, m × m, symmetric.
    #[serde(rename = "R")]
    pub r: Vec<Vec<f64>>,
    /// P, s × s, symmetric; Q if there is none.
    #[serde(rename = "P", default)]
    pub p: Option<Vec<Vec<f64>>>,
    /// N, at least one.
    pub horizon: usize,
    /// The least inputs, m entries.
    pub lower: Vec<f64>,
    /// The largest inputs, m entries.
    pub upper: Vec<f64>,
}

/// What the plant does.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// x₀ … x_N, s entries each.
    pub states: Vec<Vec<f64>>,
    /// u₀ … u_{N−1}, m entries each.
    pub inputs: Vec<Vec<f64>>,
    /// The cost above.
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

    /// The parametric QP with θ = x₀ in the box of s ranges.
    ///
    /// # Errors
    /// Shapes that do not agree, numbers that are not finite, a horizon of zero, bounds that cross, and a cost that is not convex.
    pub fn qp(&self, domain: Vec<Range<f64>>) -> Result<ParametricQp<f64>, AdapterError> {
        let [a, b, q, r, p] = self.matrices()?;
        let (s, m, n) = (self.states(), self.inputs(), self.inputs() * self.horizon);
        let mut h = Mat::from_fn(n, n, |i, j| if i / m == j / m { r[(i % m, j % m)] } else { 0.0 });
        let mut f = Mat::zeros(n, s);
        let (mut gamma, mut psi) = (Mat::<f64>::zeros(s, n), Mat::<f64>::identity(s, s));
        for k in 0..self.horizon {
            // xₖ₊₁ = A xₖ + B uₖ.
            let next = &a * &gamma;
            gamma = Mat::from_fn(s, n, |i, j| next[(i, j)] + if j / m == k { b[(i, j % m)] } else { 0.0 });
            psi = &a * &psi;
            let weighted = gamma.transpose() * if k + 1 == self.horizon { &p } else { &q };
            h += &weighted * &gamma;
            f += &weighted * &psi;
        }
        let hessian = (0..n).map(|i| (0..n).map(|j| (h[(i, j)] + h[(j, i)]) / 2.0).collect()).collect();
        let slopes = (0..s).map(|j| (0..n).map(|i| f[(i, j)]).collect()).collect();
        let repeated = |bound: &[f64]| Affine::constant(bound.repeat(self.horizon), s);
        let cost = Affine { constant: vec![0.0; n], slopes };
        let qp = ParametricQp::new(semidefinite(hessian)?, domain, cost)?;
        Ok(qp.lower(repeated(&self.lower))?.upper(repeated(&self.upper))?)
    }

    /// What the plant does from x₀ (s entries) under inputs U (N·m entries): the solution x of the QP, or any other.
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

/// `mpc`.
pub const ENTRY: Entry = Entry {
    plane: Some(["x1", "x2"]),
    options: &[
        Opt::new(
            "model",
            "FILE.json",
            Kind::Document,
            "The plant as a JSON document with A, B, Q, R, horizon, lower, upper, and P if it differs from Q",
        ),
        Opt::new("from", "X,…", Kind::List(Limits::Finite), "The initial state at which the path begins").with(&["to"]),
        Opt::new("to", "X,…", Kind::List(Limits::Finite), "The initial state at which it ends").with(&["from"]),
    ],
    ..Entry::new("mpc", "Model predictive control: inputs at every initial state along a line", &["s"], |spec, vary| {
        Ok(Box::new(Controller::new(spec, vary)?))
    })
};

/// The names of the states; more of them have no parameter of their own.
const STATES: [Parameter; 12] = {
    const fn state(name: &'static str) -> Parameter {
        Parameter { name, range: [f64::NEG_INFINITY, f64::INFINITY] }
    }
    [
        state("x1"),
        state("x2"),
        state("x3"),
        state("x4"),
        state("x5"),
        state("x6"),
        state("x7"),
        state("x8"),
        state("x9"),
        state("x10"),
        state("x11"),
        state("x12"),
    ]
};

/// A plant that is controlled from initial states along a line, or from any.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    plant: Mpc,
    /// The two ends of the line; none for all states.
    line: Option<[Vec<f64>; 2]>,
}

impl Controller {
    /// From a description.
    fn new(spec: &Spec, vary: &[&str]) -> Result<Self, AdapterError> {
        let needed = "a plant has A, B, Q, R (lists of rows), horizon, lower, upper (lists)";
        let missing = |table| AdapterError::TableMissing { table, needed };
        let table = |name: &'static str| spec.tables.get(name).map(|table| table.rows());
        let needed = |name: &'static str| table(name).ok_or_else(|| missing(name));
        let horizon = spec.number("horizon").filter(|n| *n >= 0.0 && n.fract() == 0.0);
        let plant = Mpc {
            a: needed("A")?,
            b: needed("B")?,
            q: needed("Q")?,
            r: needed("R")?,
            p: table("P"),
            horizon: horizon.ok_or_else(|| missing("horizon"))? as usize,
            lower: needed("lower")?.concat(),
            upper: needed("upper")?.concat(),
        };
        if !vary.contains(&"s") {
            return Ok(Controller { plant, line: None });
        }
        let state = |name: &'static str| {
            let state = spec.lists.get(name).cloned();
            let state = state.ok_or(AdapterError::TableMissing { table: name, needed: "give one number a state" })?;
            match state.len() {
                found if found == plant.states() => Ok(state),
                found => Err(AdapterError::States { name, found, expected: plant.states() }),
            }
        };
        let [from, to] = [state("from")?, state("to")?];
        if from == to {
            return Err(AdapterError::Meaningless { option: "from and to", reason: "are the same state: give two" });
        }
        Ok(Controller { plant, line: Some([from, to]) })
    }

    /// The plant.
    pub fn plant(&self) -> &Mpc {
        &self.plant
    }

    /// The trajectory from a state by name; none where the inputs are those of another plant.
    fn values(&self, state: &[f64], inputs: &[f64]) -> Vec<(&'static str, Value)> {
        let Ok(Trajectory { states, inputs, cost }) = self.plant.trajectory(state, inputs) else { return Vec::new() };
        vec![
            ("state", state.to_vec().into()),
            ("cost", cost.into()),
            ("inputs", Value::Table(inputs)),
            ("states", Value::Table(states)),
        ]
    }
}

impl PathProblem for Controller {
    /// The states.
    fn parameters(&self) -> &[Parameter] {
        &STATES[..self.plant.states().min(STATES.len())]
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let range = |[a, b]: [f64; 2]| Range::new(a.min(b), a.max(b));
        let domain = match &self.line {
            Some([from, to]) => from.iter().zip(to).map(|(a, b)| range([*a, *b])).collect(),
            None => vec![Range { from: None, to: None }; self.plant.states()],
        };
        self.plant.qp(domain)
    }

    /// s goes from 0 to 1 along the line of states.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        match &self.line {
            Some([from, to]) if course.vary == "s" => {
                let direction = from.iter().zip(to).map(|(a, b)| b - a).collect();
                Ok(Axis { origin: from.clone(), direction, range: [0.0, 1.0], rising: false, from_zero: false })
            }
            _ => coordinate_axis(self.parameters(), course),
        }
    }

    /// The engine's objective is half the cost, but for a constant.
    fn gap_unit(&self, _theta: &[f64]) -> f64 {
        2.0
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let values = self.values(theta, &point.x);
        let cost = values.iter().find(|(name, _)| *name == "cost").and_then(|(_, cost)| cost.flat().first().copied());
        Solution { objective: cost.unwrap_or(f64::NAN), dual_objective: None, values, further: Vec::new() }
    }

    /// The inputs: u[step], or u1[step] where there are several.
    fn columns(&self) -> Vec<Group> {
        let m = self.plant.inputs().max(1);
        let name = |i: usize| if m == 1 { format!("u[{i}]") } else { format!("u{}[{}]", i % m + 1, i / m) };
        vec![Group { value: "inputs", symbol: "u", names: (0..m * self.plant.horizon).map(name).collect() }]
    }

    fn view(&self) -> View<'_> {
        View::Control(self)
    }

    /// The trajectories from both ends of the path.
    fn facts(&self, _spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (states, inputs, horizon) = (self.plant.states(), self.plant.inputs(), self.plant.horizon);
        let ends = [*path.begin(), *path.end()].into_iter().filter_map(|t| Some((path.parameter(&t), path.at(&t)?)));
        let ends: Vec<_> = ends.map(|(state, point)| self.values(&state, &point.x)).collect();
        let list = |v: &[f64]| v.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
        let text = |values: &[(&'static str, Value)]| {
            let get = |name: &str| values.iter().find(|(other, _)| *other == name).map(|(_, value)| value.flat());
            let [state, cost, u] = ["state", "cost", "inputs"].map(|name| get(name).unwrap_or_default());
            let (cost, u) = (cost.first().copied().unwrap_or(f64::NAN), u.get(..inputs).unwrap_or_default());
            format!("from ({}) the cost is {cost:.6e} and the first input ({})", list(&state), list(u))
        };
        let mut facts = vec![
            Fact::value("states", states),
            Fact::value("inputs", inputs),
            Fact::value("horizon", horizon),
            Fact::text("plant", format!("{states} states, {inputs} inputs, horizon {horizon}")),
        ];
        facts.extend(ends.iter().map(|end| Fact::text("at an end", text(end))));
        facts.push(Fact::value("ends", Value::List(ends.into_iter().map(Value::Record).collect())));
        Ok(facts)
    }
}
