//! Model predictive control on the command line and in Python.

use super::{Bounds, Mpc, Trajectory};
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::spec::{Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::{ParametricQp, Path, Point, Range, Settings};

/// The entry of `mpc`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    plane: Some(["x1", "x2"]),
    regions: true,
    options: &[
        Opt::new(
            "model",
            "FILE.json",
            Kind::Document,
            "The plant as JSON: A, B, Q, R, horizon, and the bounds lower and upper of the inputs. Optional: P, the weight of the last state [default: Q]; x_min, x_max, bounds of the states; c with y_min, y_max, bounds of the outputs Cx; du_max, bounds of the changes of the inputs; terminal with terminal_max, constraints on the last state; soft, the cost per unit by which the bounds of states are exceeded. docs/portfolios.md explains it",
        ),
        Opt::new(
            "from",
            "X,…",
            Kind::List(Limits::Finite),
            "The initial state at which the path begins, one number per state, separated by commas",
        )
        .with(&["to"]),
        Opt::new("to", "X,…", Kind::List(Limits::Finite), "The initial state at which the path ends, likewise")
            .with(&["from"]),
    ],
    ..Entry::new(
        "mpc",
        "Model predictive control: optimal inputs as a function of the initial state",
        &["s"],
        |spec, vary| Ok(Box::new(Controller::new(spec, vary)?)),
    )
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

/// A plant controlled from the initial states on a line, or in a box.
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
        let list = |name: &'static str| table(name).map(|rows| rows.concat());
        let needed = |name: &'static str| table(name).ok_or_else(|| missing(name));
        let horizon = *spec.numbers.get("horizon").ok_or_else(|| missing("horizon"))?;
        if horizon < 0.0 || horizon.fract() != 0.0 {
            let expected = "be a whole number of steps";
            return Err(AdapterError::Parameter { name: "horizon", value: horizon, expected });
        }
        let plant = Mpc {
            a: needed("A")?,
            b: needed("B")?,
            q: needed("Q")?,
            r: needed("R")?,
            p: table("P"),
            horizon: horizon as usize,
            lower: needed("lower")?.concat(),
            upper: needed("upper")?.concat(),
            bounds: Bounds {
                c: table("c"),
                x_min: list("x_min"),
                x_max: list("x_max"),
                y_min: list("y_min"),
                y_max: list("y_max"),
                du_max: list("du_max"),
                terminal: table("terminal"),
                terminal_max: list("terminal_max"),
                soft: spec.numbers.get("soft").copied(),
            },
        };
        if !vary.contains(&"s") {
            return Ok(Controller { plant, line: None });
        }
        let state = |name: &'static str| {
            let state = spec.lists.get(name).cloned();
            let state = state.ok_or(AdapterError::TableMissing { table: name, needed: "give one number per state" })?;
            match state.len() {
                found if found == plant.states() => Ok(state),
                found => Err(AdapterError::States { name, found, expected: plant.states() }),
            }
        };
        let [from, to] = [state("from")?, state("to")?];
        if from == to {
            return Err(AdapterError::Meaningless {
                option: "from and to",
                reason: "are the same state: give two different ones",
            });
        }
        Ok(Controller { plant, line: Some([from, to]) })
    }

    /// The plant.
    pub fn plant(&self) -> &Mpc {
        &self.plant
    }

    /// The trajectory from a state by name, and by how much soft bounds are exceeded; none where x is that of another plant.
    fn values(&self, state: &[f64], x: &[f64]) -> Vec<(&'static str, Value)> {
        let (inputs, slack) = x.split_at(x.len().min(self.plant.inputs() * self.plant.horizon));
        let Ok(Trajectory { states, inputs, cost }) = self.plant.trajectory(state, inputs) else { return Vec::new() };
        let excess = slack.first().copied();
        let penalty = self.plant.bounds.soft.zip(excess).map_or(0.0, |(soft, excess)| soft * excess);
        let mut values = vec![
            ("state", state.to_vec().into()),
            ("cost", (cost + penalty).into()),
            ("inputs", Value::Table(inputs)),
            ("states", Value::Table(states)),
        ];
        values.extend(excess.map(|excess| ("slack", excess.into())));
        values
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

    /// The inputs: `u[step]`, or `u1[step]` where there are several.
    fn columns(&self) -> Vec<Group> {
        let m = self.plant.inputs().max(1);
        let name = |i: usize| if m == 1 { format!("u[{i}]") } else { format!("u{}[{}]", i % m + 1, i / m) };
        let inputs = Group::named("inputs", "u", (0..m * self.plant.horizon).map(name).collect());
        let slack = self.plant.bounds.soft.map(|_| Group::named("slack", "e", vec!["e".into()]));
        [Some(inputs), slack].into_iter().flatten().collect()
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
