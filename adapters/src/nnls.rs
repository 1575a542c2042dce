//! Non-negative least squares, and least squares in any box: along a line of right-hand sides, or under a penalty on the sum.
//!
//! *Primal* (Lawson and Hanson 1974, "Solving least squares problems", ch. 23; in boxes Stark and Parker 1995):
//!
//! ```text
//! min over x   ½ ‖Ax − b(s)‖²           b(s) = b + s(b₁ − b),  0 ≤ s ≤ 1         l ≤ x ≤ u
//! min over x   ½ ‖Ax − b‖² + λ 1ᵀx      λ ≥ 0, which is λ‖x‖₁ where l ≥ 0
//! ```
//!
//! *Dual* of the first for l = 0, u = ∞: max over r of ½‖b‖² − ½‖b − r‖² subject to Aᵀr ≤ 0, with r = b − Ax.
//!
//! *Map to the engine*: the primal is the engine's problem itself, with the columns of A in units of their lengths: Ã = AS⁻¹ and x̃ = Sx, S powers of two (columns.rs).
//! H = ÃᵀÃ (a Gram matrix of the columns of Ã), Sl ≤ x̃ ≤ Su, c = −Ãᵀb − s·Ãᵀ(b₁ − b) and θ = s, or c = −Ãᵀb + λS⁻¹1 and θ = λ. z = S⁻¹(−Aᵀ(b − Ax) + λ) is the
//! gradient: not negative where x is at l, not positive where it is at u. Where the columns off their bounds are dependent x is not unique, Ax is.
//!
//! *Start*: under the penalty with l = 0, x = 0 from λ = max Aᵀb on ([`Nnls::largest_lambda`]), and t = −λ on the way down, so that each λ is known to rounding of itself;
//! elsewhere the engine finds its own.

use crate::columns::Columns;
use crate::course::{Axis, Course as Varying, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_prediction};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{Affine, Line, ParametricQp, Path, PathError, Point, ProblemError, Range, Settings, Start, Status, trace};
use std::sync::Arc;

/// Least squares in a box, A of n rows and d columns.
#[derive(Clone)]
pub struct Nnls {
    columns: Columns,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// What varies.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// s, from b to this b₁ (n values).
    Response(Vec<f64>),
    /// λ.
    Penalty,
}

impl Nnls {
    /// A (n × d), b (n values) and the box (d values each, infinite where there is no bound).
    ///
    /// # Errors
    /// Lengths that do not agree, and a response that is not finite.
    pub fn new(
        features: &Features,
        response: Vec<f64>,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, AdapterError> {
        let columns = Columns::new(features, response, false)?;
        for (what, bound) in [("lower", &lower), ("upper", &upper)] {
            if bound.len() != columns.count() {
                return Err(ProblemError::Shape { what, expected: columns.count(), found: bound.len() }.into());
            }
        }
        Ok(Nnls { columns, lower, upper })
    }

    /// x ≥ 0.
    ///
    /// # Errors
    /// As [`Nnls::new`].
    pub fn non_negative(features: &Features, response: Vec<f64>) -> Result<Self, AdapterError> {
        let d = features.columns();
        Nnls::new(features, response, vec![0.0; d], vec![f64::INFINITY; d])
    }

    /// The least λ ≥ 0 at which x = l, where l is zero: max Aᵀb.
    pub fn largest_lambda(&self) -> f64 {
        let products = self.columns.products(&self.columns.response);
        products.iter().zip(self.columns.scales()).map(|(g, s)| g * s).fold(0.0, f64::max)
    }

    /// The parametric QP with θ = s ∈ [0, 1] or θ = λ ∈ [0, ∞), and x̃ for x: see [`Nnls::solution`].
    ///
    /// # Errors
    /// A b₁ of the wrong length or not finite, λ where x may be negative, and what [`ParametricQp`] refuses.
    pub fn qp(&self, course: &Course) -> Result<ParametricQp<f64>, AdapterError> {
        let (slope, range) = match course {
            Course::Response(other) => {
                let (expected, found) = (self.columns.rows(), other.len());
                if found != expected {
                    return Err(AdapterError::Shape { what: "responses", expected, found });
                }
                let change: Vec<f64> = other.iter().zip(&self.columns.response).map(|(b1, b)| b - b1).collect();
                (self.columns.products(&change), Range::new(0.0, 1.0))
            }
            Course::Penalty => {
                if let Some(value) = self.lower.iter().copied().find(|l| l.is_nan() || *l < 0.0) {
                    return Err(AdapterError::Parameter {
                        name: "lower",
                        value,
                        expected: "not be negative while lambda varies",
                    });
                }
                (self.columns.scales().iter().map(|s| 1.0 / s).collect(), Range::at_least(0.0))
            }
        };
        let hessian = Arc::new(self.columns.gram(&[1.0], 1.0, 0.0)?);
        let cost = self.columns.products(&self.columns.response).into_iter().map(|g| -g).collect();
        let qp = ParametricQp::new(hessian, vec![range], Affine::line(cost, slope))?;
        let scaled = |bound: &[f64]| bound.iter().zip(self.columns.scales()).map(|(b, s)| b * s).collect::<Vec<f64>>();
        let qp = qp.lower(Affine::constant(scaled(&self.lower), 1))?;
        Ok(qp.upper(Affine::constant(scaled(&self.upper), 1))?)
    }

    /// s from 0 to 1, or λ from the largest (where l = 0 it is known) down to 0.
    ///
    /// # Errors
    /// As [`Nnls::qp`].
    pub fn line(&self, course: &Course) -> Result<Line<f64>, AdapterError> {
        let qp = self.qp(course)?;
        Ok(match course {
            Course::Response(_) => qp.line(&[0.0], &[1.0]),
            Course::Penalty => qp.line_about(&[0.0], &[self.largest_lambda()], &[0.0]),
        }?)
    }

    /// A start of [`Nnls::line`].
    pub fn start(&self, course: &Course) -> Start<f64> {
        match *course == Course::Penalty && self.lower.iter().all(|l| *l == 0.0) {
            true => Start::ActiveSet { status: vec![Status::Lower; self.columns.count()], y: None },
            false => Start::Anywhere,
        }
    }

    /// The whole path.
    ///
    /// # Errors
    /// As [`Nnls::qp`], and a path that could not be followed.
    pub fn path(&self, course: &Course, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        Ok(trace(&self.line(course)?, &self.start(course), settings, &mut ()).map_err(|failure| failure.0)?)
    }

    /// The solution at a value of the parameter: x, d values in the units of A and b; none outside the path.
    pub fn at(&self, path: &Path<f64>, value: f64) -> Option<Vec<f64>> {
        Some(self.solution(&path.at_parameter(&[value])?))
    }

    /// x, d values in the units of A and b, of a point of the path; what rounding leaves outside of the box is on its bound.
    pub fn solution(&self, point: &Point<f64>) -> Vec<f64> {
        let x = self.columns.in_own_units(&point.x).into_iter();
        x.zip(self.lower.iter().zip(&self.upper)).map(|(x, (l, u))| x.max(*l).min(*u)).collect()
    }

    /// ‖Ax − b‖² for the response given, at x of d values.
    pub fn residual_square(&self, x: &[f64]) -> f64 {
        let scaled: Vec<f64> = x.iter().zip(self.columns.scales()).map(|(x, s)| x * s).collect();
        self.columns.residual(&scaled).iter().map(|r| r * r).sum()
    }
}

/// `nnls`.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    options: &[
        Opt::new(
            "toward",
            "NAME",
            Kind::Word,
            "The column with the other response b1: the response is b + s(b1 - b) with s from 0 to 1",
        )
        .varying("s"),
        Opt::new("lower", "L", Kind::Number(Limits::Any), "The lower bound of every coefficient; it may be -inf")
            .or("0"),
        Opt::new("upper", "U", Kind::Number(Limits::Any), "The upper bound of every coefficient; it may be inf")
            .or("inf"),
    ],
    ..Entry::new(
        "nnls",
        "Least squares with coefficients that are not negative, or in a box: along a penalty on their sum (lambda), or a line of responses (s)",
        &["lambda", "s"],
        |spec, vary| Ok(Box::new(Along::new(spec, vary)?)),
    )
};

/// Least squares in a box along one of its courses.
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
                return Err(AdapterError::Meaningless { option: "toward", reason: "has no use while lambda varies" });
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

    fn columns(&self) -> Vec<Group> {
        vec![Group::numbered("x", "x", self.problem.columns.count())]
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
