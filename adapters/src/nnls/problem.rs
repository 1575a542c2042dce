//! Least squares in a box on the command line and in Python.

use super::{Course, Nnls};
use crate::course::{Axis, Course as Varying, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_prediction};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// The entry of `nnls`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    options: &[
        Opt::new(
            "toward",
            "NAME",
            Kind::Word,
            "The column with a second response b1; the path follows the response b + s(b1 − b) for s from 0 to 1, with lambda = 0",
        )
        .varying("s"),
        Opt::new("lower", "L", Kind::Number(Limits::Any), "The lower bound of every coefficient; -inf for none")
            .or("0"),
        Opt::new("upper", "U", Kind::Number(Limits::Any), "The upper bound of every coefficient; inf for none")
            .or("inf"),
    ],
    ..Entry::new(
        "nnls",
        "Non-negative least squares, or with other bounds: along a penalty lambda on the sum of the coefficients, or a line of responses",
        &["lambda", "s"],
        |spec, vary| Ok(Box::new(Along::new(spec, vary)?)),
    )
};

/// Least squares in a box, with the parameter that varies.
#[derive(Clone)]
pub struct Along {
    problem: Nnls,
    course: Course,
}

const LAMBDA: [Parameter; 1] = [Parameter { name: "lambda", range: [0.0, f64::INFINITY] }];
const SHARE: [Parameter; 1] = [Parameter { name: "s", range: [0.0, 1.0] }];

impl Along {
    /// From a description; the column `toward` of the features, or the table of that name, is b₁.
    fn new(spec: &Spec, vary: &[&str]) -> Result<Self, AdapterError> {
        let features = spec.rows.features.as_ref();
        if let Some(table) = spec.tables.get("toward") {
            let (bounds, other) = (Self::bounds(spec, features.columns()), table.rows().concat());
            let problem = Nnls::new(features, spec.rows.response.clone(), bounds[0].clone(), bounds[1].clone())?;
            return Ok(Along { problem, course: Course::Response(other) });
        }
        let (features, course) = match (spec.words.get("toward"), vary.contains(&"s")) {
            (None, false) => (features.clone(), Course::Penalty),
            (Some(name), true) => {
                let numbered = || (1..=features.columns()).map(|j| format!("x{j}")).collect();
                let names: Vec<String> = spec.names.clone().unwrap_or_else(numbered);
                let column = names.iter().position(|other| other == name);
                let column = column.filter(|_| features.columns() > 1);
                let column = column.ok_or_else(|| AdapterError::NoColumn { name: name.clone() })?;
                let (rest, other) = split(features, column);
                (rest, Course::Response(other))
            }
            (Some(_), false) => {
                return Err(AdapterError::Meaningless {
                    option: "toward",
                    reason: "is not used while lambda varies: leave it out",
                });
            }
            (None, true) => {
                return Err(AdapterError::Meaningless { option: "vary s", reason: "needs --toward, the column of b1" });
            }
        };
        let [lower, upper] = Self::bounds(spec, features.columns());
        Ok(Along { problem: Nnls::new(&features, spec.rows.response.clone(), lower, upper)?, course })
    }

    /// The bounds of d coefficients.
    fn bounds(spec: &Spec, d: usize) -> [Vec<f64>; 2] {
        [("lower", 0.0), ("upper", f64::INFINITY)].map(|(name, or)| vec![spec.number(name).unwrap_or(or); d])
    }

    /// ½‖Ax − b(s)‖² + λ1ᵀx.
    fn objective(&self, value: f64, x: &[f64]) -> f64 {
        let scaled: Vec<f64> = x.iter().zip(self.problem.columns.scales()).map(|(x, s)| x * s).collect();
        let rest = self.problem.columns.residual(&scaled);
        match &self.course {
            Course::Penalty => rest.iter().map(|r| r * r).sum::<f64>() / 2.0 + value * x.iter().sum::<f64>(),
            Course::Response(other) => {
                let shift = other.iter().zip(&self.problem.columns.response).map(|(b1, b)| value * (b1 - b));
                rest.iter().zip(shift).map(|(r, shift)| (r + shift).powi(2)).sum::<f64>() / 2.0
            }
        }
    }
}

/// The other columns, and one of them.
fn split(features: &Features, column: usize) -> (Features, Vec<f64>) {
    let mut row = vec![0.0; features.columns()];
    let (mut values, mut one) = (Vec::new(), Vec::new());
    for i in 0..features.rows() {
        features.dense_row(i, &mut row);
        one.push(row[column]);
        values.extend(row.iter().enumerate().filter(|(j, _)| *j != column).map(|(_, v)| *v));
    }
    (Features::Dense { rows: features.rows(), columns: features.columns() - 1, values }, one)
}

impl PathProblem for Along {
    fn parameters(&self) -> &[Parameter] {
        if self.course == Course::Penalty { &LAMBDA } else { &SHARE }
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.problem.qp(&self.course)
    }

    fn axis(&self, course: &Varying) -> Result<Axis, AdapterError> {
        Ok(Axis { from_zero: self.course == Course::Penalty, ..coordinate_axis(self.parameters(), course)? })
    }

    /// s from 0 to 1, or λ from the largest down to zero.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok(match self.course {
            Course::Penalty => [Some(self.problem.largest_lambda()), Some(0.0)],
            Course::Response(_) => [Some(0.0), Some(1.0)],
        })
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        let is_known = theta.first().is_some_and(|value| *value >= self.problem.largest_lambda());
        Ok(if is_known { self.problem.start(&self.course) } else { Start::Anywhere })
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let x = self.problem.solution(point);
        let objective = self.objective(theta.first().copied().unwrap_or(f64::NAN), &x);
        Solution { objective, dual_objective: None, values: vec![("x", x.into())], further: Vec::new() }
    }

    fn is_settled(&self, _vary: &str, value: f64) -> bool {
        self.course == Course::Penalty && value >= self.problem.largest_lambda()
    }

    fn columns(&self) -> Vec<Group> {
        vec![Group::of_features("x", "x", self.problem.columns.count())]
    }

    fn view(&self) -> View<'_> {
        View::Coefficients
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "x", rows)
    }

    /// x at the end of the path.
    fn facts(&self, spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (rows, columns) = (self.problem.columns.rows(), self.problem.columns.count());
        let [lower, upper] = ["lower", "upper"].map(|name| spec.number(name));
        let (lower, upper) = (lower.unwrap_or(0.0), upper.unwrap_or(f64::INFINITY));
        let x = path.at(path.end()).map(|point| self.problem.solution(&point));
        let off = x.iter().flatten().filter(|x| **x != lower && **x != upper).count();
        Ok(vec![
            Fact::value("rows", rows),
            Fact::value("columns", columns),
            Fact::value("lower", lower),
            Fact::value("upper", upper),
            Fact::value("x", x.map_or(Value::Missing, Value::Numbers)),
            Fact::text("size", format!("{rows} rows, {columns} columns, x in [{lower}, {upper}]")),
            Fact::text("at the end", format!("{off} coefficients are off their bounds")),
        ])
    }
}
