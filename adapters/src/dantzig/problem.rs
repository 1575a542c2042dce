//! The Dantzig selector on the command line and in Python.

use super::Dantzig;
use crate::bias::Bias;
use crate::course::{ALPHA, Axis, Course, Parameter, alpha_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_columns, linear_prediction};
use crate::spec::{Data, Entry, Spec};
use crate::value::Fact;
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// The entry of `dantzig`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    scale: true,
    bias: Bias::Intercept,
    biased: true,
    ..Entry::new(
        "dantzig",
        "Dantzig selector: the smallest l1 norm with |Xᵀ(y − Xβ)| ≤ alpha in every column",
        &["alpha"],
        |spec, _| {
            let rows = spec.rows.clone();
            Ok(Box::new(Dantzig::new(&rows.features, rows.response, spec.bias.unpenalised()?)?))
        },
    )
};

impl PathProblem for Dantzig {
    fn parameters(&self) -> &[Parameter] {
        &ALPHA
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        alpha_axis(course)
    }

    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(self.largest_alpha()), Some(0.0)])
    }

    /// β = 0, r = y: the solution from the largest α on.
    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        _theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(Start::Guess([vec![0.0; 2 * self.columns.count()], self.reduced.1.clone()].concat()))
    }

    fn is_settled(&self, _vary: &str, value: f64) -> bool {
        value >= self.largest_alpha()
    }

    fn solution(&self, _theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let (w, intercept) = self.coefficients(point);
        let objective = w.iter().map(|w| w.abs()).sum();
        let values = vec![("w", w.into()), ("intercept", intercept.into())];
        Solution { objective, dual_objective: None, values, further: Vec::new() }
    }

    fn columns(&self) -> Vec<Group> {
        linear_columns(self.columns.count(), self.intercept)
    }

    fn view(&self) -> View<'_> {
        View::Coefficients
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "w", rows)
    }

    fn facts(&self, _spec: &Spec, _path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (n, d, bias) =
            (self.columns.rows(), self.columns.count(), if self.intercept { "intercept" } else { "none" });
        Ok(vec![
            Fact::value("rows", n),
            Fact::value("features", d),
            Fact::value("alpha_max", self.largest_alpha()),
            Fact::text("size", format!("n = {n}, d = {d}, bias {bias}")),
        ])
    }
}
