//! Quantile planes that do not cross, on the command line and in Python.

use super::QuantilePlanes;
use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution};
use crate::quantile_regression::ABOVE;
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// The entry of `quantile-planes`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    weights: true,
    scale: true,
    bias: Bias::Intercept,
    biased: true,
    options: &[Opt::new(
        "taus",
        "T,…",
        Kind::List(Limits::Finite),
        "The levels of the quantiles in rising order, each between 0 and 1, separated by commas",
    )
    .or("0.1,0.5,0.9")],
    ..Entry::new(
        "quantile-planes",
        "Linear quantile regression at several levels whose planes do not cross, at every l1 penalty lambda",
        &["lambda"],
        |spec, _| Ok(Box::new(Planes::new(spec)?)),
    )
};

const LAMBDA: [Parameter; 1] = [Parameter { name: "lambda", range: [0.0, f64::INFINITY] }];

/// Quantile planes with the names of the features.
pub struct Planes {
    problem: QuantilePlanes,
    names: Vec<String>,
}

impl Planes {
    /// From a description.
    fn new(spec: &Spec) -> Result<Self, AdapterError> {
        let (rows, intercept) = (spec.rows.clone(), spec.bias.unpenalised()?);
        let (d, levels) = (rows.features.columns(), spec.lists.get("taus").cloned().unwrap_or_default());
        let names = spec.names.clone().filter(|names| names.len() == d);
        let names = names.unwrap_or_else(|| (1..=d).map(|j| format!("w{j}")).collect());
        let problem = QuantilePlanes::new(rows.features, rows.response, rows.weights, levels, intercept)?;
        Ok(Planes { problem, names })
    }
}

impl PathProblem for Planes {
    fn parameters(&self) -> &[Parameter] {
        &LAMBDA
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.problem.qp()
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        Ok(Axis { from_zero: true, ..coordinate_axis(&LAMBDA, course)? })
    }

    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(ABOVE * self.problem.largest_lambda()), Some(0.0)])
    }

    /// The planes without features.
    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        _theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(Start::Guess(self.problem.limit()))
    }

    /// The engine's objective is that of sums, and means are shown.
    fn gap_unit(&self, _theta: &[f64]) -> f64 {
        1.0 / self.problem.plane().total()
    }

    /// Above a λ at which all coefficients may be zero they are, and the constants stay.
    fn is_settled(&self, _vary: &str, value: f64) -> bool {
        value > self.problem.largest_lambda()
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let (planes, lambda) = (self.problem.planes(point), theta.first().copied().unwrap_or(f64::NAN));
        let [loss, penalty] = [self.problem.loss(&planes), lambda * self.problem.norm(&planes)];
        let intercepts: Vec<f64> = planes.iter().map(|plane| plane.intercept).collect();
        let values = vec![
            ("taus", self.problem.levels().to_vec().into()),
            ("intercept", intercepts.into()),
            ("w", Value::Table(planes.into_iter().map(|plane| plane.w).collect())),
            ("loss", loss.into()),
        ];
        let (objective, further) = (loss + penalty, vec![("alpha", point.x.clone().into())]);
        Solution { objective, dual_objective: None, values, further }
    }

    /// Coefficients plane by plane, and the intercepts.
    fn columns(&self) -> Vec<Group> {
        let labels = self.problem.labels();
        let of_plane = |label| self.names.iter().map(move |name| format!("{label} {name}"));
        let mut groups = vec![Group::named("w", "w", labels.iter().flat_map(of_plane).collect())];
        let intercepts = labels.iter().map(|label| format!("{label} intercept")).collect();
        let constants = Group::named("intercept", "intercept", intercepts);
        groups.extend(self.problem.plane().has_intercept().then_some(constants));
        groups
    }

    fn row(&self, _theta: &[f64], point: &Point<f64>) -> Vec<f64> {
        let planes = self.problem.planes(point);
        let constants = planes.iter().filter(|_| self.problem.plane().has_intercept()).map(|plane| plane.intercept);
        planes.iter().flat_map(|plane| plane.w.iter().copied()).chain(constants).collect()
    }

    fn view(&self) -> View<'_> {
        View::Coefficients
    }

    fn outputs(&self) -> Vec<String> {
        self.problem.labels()
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        let Value::Table(planes) = solution.get("w")? else { return None };
        let fits = planes.iter().zip(solution.numbers("intercept"));
        Some(fits.flat_map(|(w, b)| (0..rows.rows()).map(move |i| rows.row(i).dot(w) + b)).collect())
    }

    fn facts(&self, _spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let plane = self.problem.plane();
        let (n, d, count) = (plane.responses().len(), plane.features().columns(), self.problem.levels().len());
        let size = Fact::text("size", format!("{n} rows, {d} features, {count} levels"));
        Ok(std::iter::once(size).chain(Fact::solutions(path)).collect())
    }
}
