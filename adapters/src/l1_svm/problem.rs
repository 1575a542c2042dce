//! The ℓ₁-norm SVM on the command line and in Python.

use super::L1Svm;
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

/// A path begins at this multiple of an α at which β = 0: β jumps at the largest α at which it is not zero.
const ABOVE: f64 = 1.25;

/// The entry of `l1-svm`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Classes,
    weights: true,
    scale: true,
    bias: Bias::Intercept,
    biased: true,
    ..Entry::new(
        "l1-svm",
        "l1-norm SVM: the sum of the hinge losses plus alpha times the l1 norm of the coefficients",
        &["alpha"],
        |spec, _| {
            let rows = spec.rows.clone();
            Ok(Box::new(L1Svm::new(rows.features, rows.response, rows.weights, spec.bias.unpenalised()?)?))
        },
    )
};

impl PathProblem for L1Svm {
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
        Ok([Some(ABOVE * self.large_alpha()), Some(0.0)])
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        _theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(Start::Guess(self.nothing()))
    }

    /// Above an α at which β = 0 is a solution it is the only one, and a stays.
    fn is_settled(&self, _vary: &str, value: f64) -> bool {
        value > self.large_alpha()
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let (w, intercept) = self.coefficients(point);
        let (alpha, loss) = (theta.first().copied().unwrap_or(f64::NAN), self.loss(&w, intercept));
        let objective = loss + alpha * w.iter().map(|w| w.abs()).sum::<f64>();
        Solution {
            objective,
            dual_objective: Some(point.x.iter().sum()),
            values: vec![("w", w.into()), ("intercept", intercept.into()), ("loss", loss.into())],
            further: vec![("alpha", point.x.clone().into())],
        }
    }

    fn columns(&self) -> Vec<Group> {
        linear_columns(self.scales.len(), self.intercept)
    }

    fn view(&self) -> View<'_> {
        View::Separator
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "w", rows)
    }

    fn facts(&self, _spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (n, d) = (self.labels.len(), self.scales.len());
        let bias = if self.intercept { "intercept" } else { "none" };
        let mut facts = vec![
            Fact::value("rows", n),
            Fact::value("features", d),
            Fact::text("size", format!("n = {n}, d = {d}, bias {bias}")),
        ];
        facts.extend(Fact::solutions(path));
        Ok(facts)
    }
}
