//! The lasso on the command line and in Python.

use super::{Lasso, LassoFit};
use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_prediction};
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// `lasso`.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    scale: true,
    biased: true,
    options: &[
        Opt::new(
            "ridge",
            "R",
            Kind::Number(Limits::NotNegative),
            "The weight of a ridge penalty R/2·‖w‖² beside the l1 penalty",
        )
        .without(&["l1-ratio"]),
        Opt::new(
            "l1-ratio",
            "R",
            Kind::Number(Limits::Share),
            "With --alpha: the path through the elastic net of this share of l1, with its ridge penalty A(1 − R) fixed",
        )
        .with(&["alpha"]),
        Opt::new(
            "alpha",
            "A",
            Kind::Number(Limits::Positive),
            "The alpha of that elastic net, which is the point A·R of the path",
        )
        .with(&["l1-ratio"]),
    ],
    ..Entry::new("lasso", "Least squares with an l1 penalty: coefficients at every alpha", &["alpha"], |spec, _| {
        let intercept = match spec.bias {
            Bias::None => false,
            Bias::Intercept => true,
            Bias::Augmented(_) => {
                let reason = "would be penalised like a coefficient: use --bias intercept, or add a column of ones";
                return Err(AdapterError::Meaningless { option: "bias augmented", reason });
            }
        };
        let elastic = spec.number("alpha").zip(spec.number("l1-ratio"));
        let ridge = spec.number("ridge").or(elastic.map(|(alpha, ratio)| alpha * (1.0 - ratio))).unwrap_or(0.0);
        Ok(Box::new(Lasso::new(&spec.rows.features, spec.rows.response.clone(), intercept, ridge)?))
    })
};

const PARAMETERS: [Parameter; 1] = [Parameter { name: "alpha", range: [0.0, f64::INFINITY] }];

impl LassoFit {
    /// The fit by name, as it is printed.
    fn value(self) -> Value {
        let LassoFit { alpha, coefficients, intercept, objective, dual_objective } = self;
        Value::Record(vec![
            ("alpha", alpha.into()),
            ("coefficients", coefficients.into()),
            ("intercept", intercept.into()),
            ("objective", objective.into()),
            ("dual_objective", dual_objective.into()),
        ])
    }
}

impl PathProblem for Lasso {
    fn parameters(&self) -> &[Parameter] {
        &PARAMETERS
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.qp()
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        Ok(Axis { from_zero: true, ..coordinate_axis(&PARAMETERS, course)? })
    }

    /// From the least α at which w = 0 down to zero.
    fn ends(&self, _: &ParametricQp<f64>, _: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok([Some(self.largest_alpha()), Some(0.0)])
    }

    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(theta.first().map_or(Start::Anywhere, |alpha| self.start(*alpha)))
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let fit = self.fit(theta.first().copied().unwrap_or(f64::NAN), &point.x);
        Solution {
            objective: fit.objective,
            dual_objective: Some(fit.dual_objective),
            values: vec![("w", fit.coefficients.into()), ("intercept", fit.intercept.into())],
            further: Vec::new(),
        }
    }

    fn columns(&self) -> Vec<Group> {
        let mut groups = vec![Group::numbered("w", "w", self.columns.count())];
        groups.extend(self.intercept.then(|| Group::single("intercept")));
        groups
    }

    fn view(&self) -> View<'_> {
        View::Coefficients
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "w", rows)
    }

    /// The solution at the end of the path, or at the elastic net that was asked for.
    fn facts(&self, spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let elastic = spec.number("alpha").zip(spec.number("l1-ratio"));
        let asked = elastic.map(|(alpha, ratio)| alpha * ratio);
        let asked = asked.or_else(|| path.parameter(path.end()).first().copied()).unwrap_or(0.0);
        let count = |fit: LassoFit| fit.coefficients.iter().filter(|w| **w != 0.0).count();
        // At a knot a coefficient that comes in or goes out is zero up to rounding on the side where it is free, and exactly zero on the other.
        let sides = path.position(&[asked]).map(|t| [path.before(&t), path.at(&t)]);
        let sides = sides.into_iter().flatten().flatten().map(|point| count(self.fit(asked, &point.x)));
        let nonzero = sides.min().unwrap_or(0);
        let (n, d) = (self.columns.rows(), self.columns.count());
        let bias = if self.intercept { "intercept" } else { "none" };
        Ok(vec![
            Fact::value("rows", n),
            Fact::value("features", d),
            Fact::value("ridge", self.ridge),
            Fact::value("alpha_max", self.largest_alpha()),
            Fact::value("fit", self.at(path, asked).map_or(Value::Missing, LassoFit::value)),
            Fact::text("size", format!("n = {n}, d = {d}, bias {bias}, ridge {}", self.ridge)),
            Fact::text(format!("at alpha = {asked}"), format!("{nonzero} coefficients are not zero")),
        ])
    }
}
