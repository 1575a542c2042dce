//! ε-insensitive regression on the command line and in Python.

use super::{ABOVE, COST, COST_CHART, Chart, EPSILON, LAMBDA, PENALTY_CHART, SMALLEST, Svr, WIDE};
use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, fixed_value, refuse_unused};
use crate::error::AdapterError;
use crate::guess::{self, Origin};
use crate::kernel_choice::KernelChoice;
use crate::problem::{Group, KernelProblem, Multipliers, PathProblem, Solution, kernel_columns, model_solution};
use crate::spec::{Data, Entry, Kind, Limits, Opt};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{Affine, ParametricQp, PathError, Point, Range, Settings, Start};

/// The entry of `svr`: its options, and how it is made.
pub const ENTRY: Entry = Entry {
    data: Data::Numbers,
    default_kernel: KernelChoice::RBF,
    biased: true,
    plane: Some(["c", "epsilon"]),
    options: &[
        Opt::LAMBDA,
        Opt::new(
            "c",
            "C",
            Kind::Parameter(Limits::NotNegative),
            "The cost C = 1/lambda of the losses, instead of --lambda; the objective is then ½‖f‖² + C·Σ losses",
        ),
        Opt::new(
            "epsilon",
            "E",
            Kind::Parameter(Limits::NotNegative),
            "The half-width ε of the tube, in units of the response",
        ),
    ],
    ..Entry::kernel(
        "svr",
        "ε-SVR: support vector regression along the half-width epsilon of the tube, the penalty lambda or the cost c",
        &["epsilon", "lambda", "c"],
        |spec, vary| {
            let rows = spec.rows.clone();
            let by_cost = vary.contains(&"c") || spec.fixed.contains_key("c");
            let chart = if by_cost { Chart::Cost } else { Chart::Penalty };
            Ok(Box::new(Svr::new(rows.features, rows.response, rows.weights, spec.kernel, spec.bias, chart)?))
        },
    )
};

impl PathProblem for Svr {
    fn parameters(&self) -> &'static [Parameter] {
        match self.chart {
            Chart::Penalty => &PENALTY_CHART,
            Chart::Cost => &COST_CHART,
        }
    }

    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError> {
        let n = self.responses.len();
        let both = |sign: f64, values: &[f64]| -> Vec<f64> {
            values.iter().copied().chain(values.iter().map(|v| sign * v)).collect()
        };
        let minus: Vec<f64> = self.responses.iter().map(|y| -y).collect();
        let (zeros, ones, minus) = (vec![0.0; 2 * n], vec![1.0; 2 * n], both(-1.0, &minus));
        let weights = both(1.0, self.machine.weights());
        let (cost, upper) = match self.chart {
            Chart::Penalty => {
                (Affine { constant: zeros.clone(), slopes: vec![minus, ones] }, Affine::constant(weights, 2))
            }
            Chart::Cost => (
                Affine { constant: minus, slopes: vec![zeros.clone(), ones] },
                Affine { constant: zeros.clone(), slopes: vec![weights, zeros.clone()] },
            ),
        };
        let domain = vec![Range::at_least(0.0), Range::at_least(0.0)];
        let qp = ParametricQp::new(self.machine.mirrored_hessian(settings)?, domain, cost)?
            .lower(Affine::constant(zeros, 2))?
            .upper(upper)?;
        Ok(match self.machine.bias() {
            Bias::Intercept => qp.equality(both(-1.0, &vec![1.0; n]), Affine::constant(vec![0.0], 2))?,
            _ => qp,
        })
    }

    /// ε with λ or C fixed, or the one of the two that is a coordinate of the chart with ε fixed. Knots of a λ-path lie the closer the
    /// smaller λ is, so it is followed upwards.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        let vary = course.vary.as_str();
        let scale = match self.chart {
            Chart::Penalty => LAMBDA,
            Chart::Cost => COST,
        };
        if ![scale.name, EPSILON.name].contains(&vary) {
            let reason = match vary {
                "c" => {
                    "at fixed epsilon the solution is not affine in c but in lambda = 1/c while lambda is given: use the chart of costs"
                }
                "lambda" => {
                    "at fixed epsilon the solution is not affine in lambda but in c = 1/lambda while c is given: use the chart of penalties"
                }
                _ => "vary lambda, c or epsilon instead",
            };
            return Err(AdapterError::Vary { vary: vary.into(), reason: reason.into() });
        }
        if course.direction.is_some() {
            return Err(AdapterError::Vary { vary: vary.into(), reason: "it takes no direction".into() });
        }
        let other = if vary == EPSILON.name { scale } else { EPSILON };
        refuse_unused(course, |name| name == other.name)?;
        let fixed = fixed_value(course, &other)?;
        let (origin, direction) = match (self.chart, vary == EPSILON.name) {
            (Chart::Penalty, true) => ([fixed, 0.0], [0.0, fixed]),
            (Chart::Penalty, false) => ([0.0, 0.0], [1.0, fixed]),
            (Chart::Cost, true) => ([fixed, 0.0], [0.0, 1.0]),
            (Chart::Cost, false) => ([0.0, fixed], [1.0, 0.0]),
        };
        let range = if vary == EPSILON.name { EPSILON.range } else { scale.range };
        Ok(Axis {
            origin: origin.into(),
            direction: direction.into(),
            range,
            rising: vary == LAMBDA.name,
            from_zero: false,
        })
    }

    /// An ε-path goes from 0 to twice the widest tube's; a λ-path covers three orders of magnitude, up to a little above its largest knot, and a
    /// C-path goes from 0 to the same end. Where nothing ever changes the unit is one.
    fn ends(&self, _: &ParametricQp<f64>, axis: &Axis, settings: &Settings) -> Result<[Option<f64>; 2], AdapterError> {
        let (Some(&[first, second]), from) = (axis.direction.first_chunk::<2>(), axis.theta(1.0)) else {
            return Ok([None; 2]);
        };
        if first == 0.0 {
            let widest = Some(self.widest()).filter(|widest| *widest > 0.0 && second > 0.0).unwrap_or(1.0);
            return Ok([Some(0.0), Some(WIDE * widest)]);
        }
        let knot = self.largest_knot(self.scales(&from).epsilon, settings)?.unwrap_or(1.0);
        Ok(match self.chart {
            Chart::Penalty => [SMALLEST, ABOVE].map(|part| Some(part * knot)),
            Chart::Cost => [Some(0.0), Some(1.0 / (SMALLEST * knot))],
        })
    }

    /// From the widest tube at the same λ, narrowed; at C = 0 from anywhere.
    fn start_watched(
        &self,
        qp: &ParametricQp<f64>,
        theta: &[f64],
        settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        let settings = Settings { max_events: None, ..settings.clone() };
        let has_losses = theta.first().is_some_and(|first| *first > 0.0);
        let guess = || guess::guess(qp, theta, Origin::Smoothed, &guess::Settings::default()).ok();
        let found = match () {
            () if !has_losses => None,
            () if self.scales(theta).epsilon < self.widest() && self.meets_tube_at_once() => {
                guess().map(|guess| Start::Guess(guess.x))
            }
            () => self.narrow(qp, theta, &settings),
        };
        Ok(found.unwrap_or(Start::Anywhere))
    }

    /// The engine's objective is minus the dual one, times λ in the chart of penalties.
    fn gap_unit(&self, theta: &[f64]) -> f64 {
        1.0 / self.scales(theta).unit
    }

    fn solution(&self, theta: &[f64], point: &Point<f64>, multipliers: Multipliers) -> Solution {
        let model = self.model(theta, point);
        let outside = self.outside(&model);
        let mut solution = model_solution(self, model, multipliers);
        solution.values.push(("outside", outside.into()));
        solution
    }

    fn columns(&self) -> Vec<Group> {
        kernel_columns(self)
    }

    fn divisor(&self, vary: &str) -> u32 {
        u32::from(vary == "lambda")
    }

    fn view(&self) -> View<'_> {
        View::Tube(self)
    }
}
