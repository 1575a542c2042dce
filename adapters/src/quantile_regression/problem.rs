//! Linear quantile regression on the command line and in Python.

use super::{Coefficients, QuantileRegression};
use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::{Group, Multipliers, PathProblem, Solution, linear_columns, linear_prediction};
use crate::quantiles::QuantileCurve;
use crate::spec::{Data, Entry, Kind, Limits, Opt, Spec};
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{ParametricQp, Path, PathError, Point, Settings, Start};

/// The entry of `quantile-regression`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    weights: true,
    scale: true,
    bias: Bias::Intercept,
    biased: true,
    options: &[
        Opt::new(
            "tau",
            "T",
            Kind::Parameter(Limits::Share),
            "The quantile tau from 0 to 1, held fixed while lambda varies",
        ),
        Opt::new(
            "l1",
            "LAMBDA",
            Kind::Number(Limits::NotNegative),
            "Add the l1 penalty LAMBDA·Σ|βⱼ| to the sum of the pinball losses, held fixed while tau varies",
        ),
    ],
    required: &["tau"],
    ..Entry::new(
        "quantile-regression",
        "Linear quantile regression: coefficients at every quantile tau, or at every l1 penalty lambda",
        &["tau", "lambda"],
        |spec, vary| Ok(Box::new(Quantiles::new(spec, vary)?)),
    )
};

const PARAMETERS: [Parameter; 2] =
    [Parameter { name: "tau", range: [0.0, 1.0] }, Parameter { name: "lambda", range: [0.0, f64::INFINITY] }];

/// A path in λ begins this much above the largest λ at which a coefficient is not zero: there the coefficients jump.
pub(crate) const ABOVE: f64 = 1.25;

/// Linear quantile regression along τ, or along λ.
pub struct Quantiles {
    problem: QuantileRegression,
    /// λ where it is fixed.
    penalty: Option<f64>,
    /// Whether λ varies.
    along_penalty: bool,
}

impl Quantiles {
    /// From a description.
    fn new(spec: &Spec, vary: &[&str]) -> Result<Self, AdapterError> {
        let (penalty, along_penalty) = (spec.number("l1"), vary.contains(&"lambda"));
        if along_penalty && penalty.is_some() {
            return Err(AdapterError::Meaningless {
                option: "l1",
                reason: "is not used while lambda varies: leave it out",
            });
        }
        let intercept = match spec.bias {
            Bias::Intercept => true,
            Bias::None => false,
            Bias::Augmented(_) => {
                let reason = "must be intercept or none: without a penalty on it a constant feature is an intercept";
                return Err(AdapterError::Meaningless { option: "bias", reason });
            }
        };
        let rows = spec.rows.clone();
        let penalised = along_penalty || penalty.is_some();
        let problem = QuantileRegression::new(rows.features, rows.response, rows.weights, intercept, penalised)?;
        Ok(Quantiles { problem, penalty, along_penalty })
    }

    /// The regression.
    pub fn problem(&self) -> &QuantileRegression {
        &self.problem
    }

    /// τ and λ at a θ.
    fn at(&self, theta: &[f64]) -> [f64; 2] {
        [theta.first().copied().unwrap_or(f64::NAN), theta.get(1).copied().unwrap_or(0.0)]
    }

    /// Every quantile of each of some rows as a step function of τ, from a path along which τ varies.
    ///
    /// # Errors
    /// A path in λ, and rows with other columns than X.
    pub fn quantiles(&self, path: &Path<f64>, rows: &Features) -> Result<Vec<QuantileCurve>, AdapterError> {
        let (expected, found) = (self.problem.features().columns(), rows.columns());
        if found != expected {
            return Err(AdapterError::Columns { expected, found });
        }
        if self.along_penalty {
            return Err(AdapterError::NoAnswer { what: "quantile for all tau while lambda varies: let tau vary" });
        }
        let tau = |t: &f64| path.parameter(t).first().copied().unwrap_or(f64::NAN);
        let segments = path.segments();
        let laws: Vec<Coefficients> = (0..segments.len())
            .filter_map(|k| Some(self.problem.coefficients(&path.law_at(k, &segments[k].t)?)))
            .collect();
        let mut ends: Vec<f64> = segments.iter().map(|s| tau(&s.t)).chain([tau(path.end())]).collect();
        let falls = ends.first() > ends.last();
        if falls {
            ends.reverse();
        }
        let mut dense = vec![0.0; found];
        let curve = |i: usize| {
            rows.dense_row(i, &mut dense);
            let mut noise = 0.0;
            let mut value = |at: &Coefficients| {
                let terms = dense.iter().zip(&at.w).map(|(x, w)| x * w);
                let (sum, size) = terms.fold((at.intercept, at.intercept.abs()), |(s, m), t| (s + t, m + t.abs()));
                noise = f64::max(noise, size * crate::quantiles::NOISE);
                [sum; 2]
            };
            let mut values: Vec<[f64; 2]> = laws.iter().map(&mut value).collect();
            if falls {
                values.reverse();
            }
            QuantileCurve { tau: ends.clone(), values, noise }
        };
        Ok((0..rows.rows()).map(curve).collect())
    }
}

impl PathProblem for Quantiles {
    fn parameters(&self) -> &[Parameter] {
        if self.along_penalty || self.penalty.is_some() { &PARAMETERS } else { &PARAMETERS[..1] }
    }

    fn qp(&self, _settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        self.problem.qp()
    }

    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        let mut course = course.clone();
        course.fixed.extend(self.penalty.map(|penalty| ("lambda".to_owned(), penalty)));
        if course.vary == "lambda" && !self.along_penalty {
            return coordinate_axis(&PARAMETERS[..1], &course);
        }
        let axis = coordinate_axis(self.parameters(), &course)?;
        Ok(Axis { from_zero: self.along_penalty, ..axis })
    }

    /// τ from 0 to 1, or λ from above the largest that matters down to 0.
    fn ends(&self, _: &ParametricQp<f64>, axis: &Axis, _: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        Ok(match self.along_penalty {
            false => [Some(0.0), Some(1.0)],
            true => [Some(ABOVE * self.problem.largest_lambda(axis.theta(0.0)[0])), Some(0.0)],
        })
    }

    /// A vertex near the solution, or the fit without features.
    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(Start::Guess(self.problem.guess(self.at(theta)[0])))
    }

    /// The engine's objective is that of sums, and the mean is shown.
    fn gap_unit(&self, _theta: &[f64]) -> f64 {
        1.0 / self.problem.total()
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, _multipliers: Multipliers) -> Solution {
        let ([tau, lambda], at) = (self.at(theta), self.problem.coefficients(point));
        let loss = self.problem.loss(tau, &at);
        let penalty = at.w.iter().map(|w| w.abs()).sum::<f64>() * lambda / self.problem.total();
        let unique = self.problem.is_unique([tau, lambda], point);
        let mut values = vec![("w", at.w.into()), ("intercept", at.intercept.into()), ("unique", Value::Truth(unique))];
        if self.parameters().len() > 1 {
            values.push(("loss", loss.into()));
        }
        let further = vec![("alpha", point.x.clone().into())];
        Solution { objective: loss + penalty, dual_objective: None, values, further }
    }

    fn columns(&self) -> Vec<Group> {
        linear_columns(self.problem.features().columns(), self.problem.has_intercept())
    }

    fn row(&self, _theta: &[f64], point: &Point<f64>) -> Vec<f64> {
        let at = self.problem.coefficients(point);
        at.w.into_iter().chain(self.problem.has_intercept().then_some(at.intercept)).collect()
    }

    fn view(&self) -> View<'_> {
        View::Planes(self)
    }

    fn predict(&self, solution: &Solution, rows: &Features) -> Option<Vec<f64>> {
        linear_prediction(solution, "w", rows)
    }

    /// Its size, and how many solutions there are along the path.
    fn facts(&self, _spec: &Spec, path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        let (n, d) = (self.problem.responses().len(), self.problem.features().columns());
        let weighted = if self.problem.weights().iter().any(|v| *v != 1.0) { ", weighted" } else { "" };
        let mut facts = vec![Fact::text("size", format!("{n} rows, {d} features{weighted}"))];
        facts.extend(Fact::solutions(path));
        Ok(facts)
    }
}
