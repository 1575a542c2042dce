//! What every problem has in common for whoever follows its path: the trait [`Adapter`].
//!
//! An adapter poses a problem of the literature as a [`ParametricQp`] in θ ∈ Θ ⊂ ℝᵖ, and reads solutions back as [`Model`]s in
//! the paper's own terms. The user thinks in named parameters: the coordinates of θ, and perhaps others that run along a
//! line of Θ. A [`Course`] says which one varies and what the others are; its [`Axis`] is the straight line that this means.

use crate::bias::Bias;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::machine::{Function, KernelMachine};
use crate::quantiles::QuantileCurve;
use crate::rates::{Probability, RateCurve};
use pathqp::observe::Observer;
use pathqp::{Follower, Line, ParametricQp, Path, PathError, Point, Settings, Start};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A parameter of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, as an option of a command line would spell it.
    pub name: &'static str,
    /// Its natural range; the upper end may be infinite.
    pub range: [f64; 2],
}

/// What varies along a path, and what does not.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Course {
    /// The parameter that varies.
    pub vary: String,
    /// Values of parameters that do not, by name.
    pub fixed: BTreeMap<String, f64>,
    /// A direction in Θ, for problems whose varying parameter is a multiple of one.
    pub direction: Option<Direction>,
}

/// A direction in the plane of two costs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Direction {
    /// (A, B).
    Towards(f64, f64),
    /// The one in which both classes have the same total cost.
    Balanced,
}

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
        match text.split_once(',').map(|(a, b)| (number(a), number(b))) {
            None if text == "balanced" => Ok(Direction::Balanced),
            Some((Some(a), Some(b))) if a + b > 0.0 => Ok(Direction::Towards(a, b)),
            _ => Err("use balanced, or two numbers A,B that are not negative and not both zero".into()),
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Direction::Towards(a, b) => write!(f, "{a},{b}"),
            Direction::Balanced => f.write_str("balanced"),
        }
    }
}

/// The line of Θ on which a parameter v varies: θ = origin + v·direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// θ at v = 0, p entries.
    pub origin: Vec<f64>,
    /// dθ/dv, p entries, not all zero.
    pub direction: Vec<f64>,
    /// The natural range of v on this line; the upper end may be infinite.
    pub range: [f64; 2],
    /// Whether paths are followed towards larger v, whichever way they are asked for: a position on a line is known to rounding
    /// of its distance from the beginning, which matters where the solution moves fastest at small v.
    pub rising: bool,
}

impl Axis {
    /// θ at v.
    pub fn theta(&self, value: f64) -> Vec<f64> {
        self.origin.iter().zip(&self.direction).map(|(o, d)| o + d * value).collect()
    }

    /// v at a θ of the line, by the coordinate that changes most.
    pub fn value(&self, theta: &[f64]) -> f64 {
        let sizes = self.direction.iter().map(|d| d.abs()).enumerate();
        let largest = sizes.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(j, _)| j);
        let part = |v: &[f64]| v.get(largest).copied().unwrap_or(f64::NAN);
        (part(theta) - part(&self.origin)) / part(&self.direction)
    }
}

/// The model at one θ, in the paper's own terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// θ, p entries.
    pub theta: Vec<f64>,
    /// Dual variables in the paper's scale, as many as x has entries.
    pub alpha: Vec<f64>,
    /// f.
    pub function: Function,
    /// The primal objective.
    pub objective: f64,
    /// The dual objective.
    pub dual_objective: f64,
}

/// The constant of f, with all the values that leave the model optimal.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Constant {
    /// Its only value.
    Unique(f64),
    /// The ends of its interval; none where it has no end.
    Interval([Option<f64>; 2]),
}

/// A step function along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// θ at the ends of K steps, K + 1 entries of p.
    pub theta: Vec<Vec<f64>>,
    /// The value on each, K entries.
    pub values: Vec<f64>,
}

/// What is known of a classifier whatever θ is.
#[derive(Clone, Copy, Debug)]
pub struct Classifier<'a> {
    /// The labels of the training rows, n values, +1 or −1.
    pub labels: &'a [f64],
    /// βᵢ = scale · yᵢ · xᵢ.
    pub scale: f64,
}

/// A problem whose paths can be followed.
pub trait Adapter: Send + Sync {
    /// The data, the kernel and the bias.
    fn machine(&self) -> &KernelMachine;

    /// The coordinates of θ, in order.
    fn parameters(&self) -> &'static [Parameter];

    /// The parametric QP in θ.
    ///
    /// # Errors
    /// What [`ParametricQp`] and the Hessians refuse.
    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError>;

    /// The model of a solution at θ (p entries).
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model;

    /// f of a solution at θ: that of [`Adapter::model`], without the objectives, which cost more.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        self.model(theta, point).function
    }

    /// The line on which a parameter varies. By default the parameter is a coordinate of θ and all others are fixed.
    ///
    /// # Errors
    /// A parameter without a value or out of range, and one that cannot vary.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        coordinate_axis(self.parameters(), course)
    }

    /// Where a path along an axis begins and ends unless told otherwise; none where there is no natural end. `qp` was made by
    /// [`Adapter::qp`].
    ///
    /// # Errors
    /// An end that cannot be found.
    fn ends(
        &self,
        _qp: &ParametricQp<f64>,
        axis: &Axis,
        _settings: &Settings,
    ) -> Result<[Option<f64>; 2], AdapterError> {
        Ok(axis.range.map(|end| end.is_finite().then_some(end)))
    }

    /// A start at θ for `qp`, made by [`Adapter::qp`].
    fn start(&self, _qp: &ParametricQp<f64>, _theta: &[f64], _settings: &Settings) -> Start<f64> {
        Start::Anywhere
    }

    /// The same with an observer, which may stop it.
    ///
    /// # Errors
    /// [`PathError::StartStopped`] when [`Observer::start_event`] asks for it.
    fn start_watched(
        &self,
        qp: &ParametricQp<f64>,
        theta: &[f64],
        settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(self.start(qp, theta, settings))
    }

    /// A duality gap of one in the engine's objective at θ, in units of [`Model::objective`].
    fn gap_unit(&self, _theta: &[f64]) -> f64 {
        1.0
    }

    /// The intercept that a multiplier y of the equality row stands for at θ: a decreasing function of y.
    fn intercept(&self, _theta: &[f64], y: f64) -> f64 {
        0.0 - y
    }

    /// The entries of x that the dual variable of a row is the sum of, with their signs.
    fn row_variables(&self, row: usize) -> Vec<(usize, f64)> {
        vec![(row, 1.0)]
    }

    /// The factor and the name with which dual variables are shown.
    fn dual_unit(&self) -> (f64, &'static str) {
        (1.0, "α")
    }

    /// Of a regression with a tube: the share of training rows outside of it.
    fn outside(&self, _model: &Model) -> Option<f64> {
        None
    }

    /// The same along a path, as a step function.
    fn outside_along(&self, _path: &Path<f64>) -> Option<Steps> {
        None
    }

    /// Of a classifier: its labels and β in terms of x. Its lower bounds are zero, so that f is a sum over the free indices
    /// and those at their upper bound.
    fn classifier(&self) -> Option<Classifier<'_>> {
        None
    }

    /// TPR, TNR and accuracy on test rows along a path of a classifier.
    ///
    /// # Errors
    /// [`AdapterError::NotOffered`] unless the problem has them; rows that do not fit.
    fn rates(&self, _path: &Path<f64>, _rows: &Features, _labels: &[f64]) -> Result<RateCurve, AdapterError> {
        Err(AdapterError::NotOffered { what: "rates along the path" })
    }

    /// P(Y = 1|x) for each of some rows, from the whole path.
    ///
    /// # Errors
    /// [`AdapterError::NotOffered`] unless the problem has them; rows that do not fit.
    fn probabilities(&self, _path: &Path<f64>, _rows: &Features) -> Result<Vec<Probability>, AdapterError> {
        Err(AdapterError::NotOffered { what: "probabilities P(Y = 1|x)" })
    }

    /// All quantiles of each of some rows, from a path on which τ varies.
    ///
    /// # Errors
    /// [`AdapterError::NotOffered`] unless the problem and the path have them; rows that do not fit.
    fn quantiles(&self, _path: &Path<f64>, _rows: &Features) -> Result<Vec<QuantileCurve>, AdapterError> {
        Err(AdapterError::NotOffered { what: "quantiles" })
    }

    /// For each training row the least parameter at which it is an outlier; none where it never is.
    ///
    /// # Errors
    /// [`AdapterError::NotOffered`] unless the problem has outliers.
    fn outlier_ranks(&self, _path: &Path<f64>) -> Result<Vec<Option<f64>>, AdapterError> {
        Err(AdapterError::NotOffered { what: "outlier ranks" })
    }

    /// f(x) for each row of `rows`, which has as many columns as the training data.
    fn decision(&self, model: &Model, rows: &Features) -> Vec<f64> {
        self.machine().evaluate(&model.function, rows)
    }

    /// The constant of a model. `multipliers`: the values of y that are optimal as well, see
    /// [`pathqp::Certificate::multiplier_range`]. They count as one value when they differ by rounding only.
    fn constant(&self, model: &Model, multipliers: Option<(Option<f64>, Option<f64>)>) -> Constant {
        const ROUNDING: f64 = 1e-12;
        match multipliers.filter(|_| self.machine().bias() == Bias::Intercept) {
            None => Constant::Unique(model.function.constant),
            Some((Some(low), Some(high))) if high - low <= ROUNDING * low.abs().max(high.abs()).max(1.0) => {
                Constant::Unique(model.function.constant)
            }
            Some((low, high)) => {
                Constant::Interval([high, low].map(|end| end.map(|y| self.intercept(&model.theta, y))))
            }
        }
    }
}

/// A follower from `start` or, where that fails, from anywhere: what was optimal to rounding when it was found may not pass when
/// it is looked at again.
///
/// # Errors
/// As [`Follower::new`] from anywhere.
pub fn begin<'a>(line: &'a Line<f64>, start: &Start<f64>, settings: &Settings) -> Result<Follower<'a, f64>, PathError> {
    Follower::new(line, start, settings.clone()).or_else(|_| Follower::new(line, &Start::Anywhere, settings.clone()))
}

/// The axis of a coordinate of θ, the others being fixed.
///
/// # Errors
/// As [`Adapter::axis`].
pub fn coordinate_axis(parameters: &[Parameter], course: &Course) -> Result<Axis, AdapterError> {
    let vary = course.vary.as_str();
    let Some(moving) = parameters.iter().find(|p| p.name == vary) else {
        let names: Vec<&str> = parameters.iter().map(|p| p.name).collect();
        return Err(AdapterError::Vary { vary: vary.into(), reason: format!("vary {} instead", names.join(" or ")) });
    };
    if course.direction.is_some() {
        return Err(AdapterError::Vary { vary: vary.into(), reason: "it takes no direction".into() });
    }
    let is_known = |name: &str| name != vary && parameters.iter().any(|p| p.name == name);
    refuse_unused(course, is_known)?;
    let origin = |p: &Parameter| if p.name == vary { Ok(0.0) } else { fixed_value(course, p) };
    Ok(Axis {
        origin: parameters.iter().map(origin).collect::<Result<_, _>>()?,
        direction: parameters.iter().map(|p| if p.name == vary { 1.0 } else { 0.0 }).collect(),
        range: moving.range,
        rising: false,
    })
}

/// Refuses fixed values for which there is no use.
///
/// # Errors
/// [`AdapterError::Unused`] names the first.
pub fn refuse_unused(course: &Course, is_used: impl Fn(&str) -> bool) -> Result<(), AdapterError> {
    match course.fixed.keys().find(|name| !is_used(name)) {
        Some(name) => Err(AdapterError::Unused { name: name.clone(), vary: course.vary.clone() }),
        None => Ok(()),
    }
}

/// The value of a parameter that does not vary.
///
/// # Errors
/// None given, or one out of range.
pub fn fixed_value(course: &Course, parameter: &Parameter) -> Result<f64, AdapterError> {
    let Parameter { name, range: [low, high] } = *parameter;
    let value = course.fixed.get(name).copied();
    let value = value.ok_or_else(|| AdapterError::Missing { name, vary: course.vary.clone() })?;
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(value);
    }
    let expected = if high.is_finite() { "lie in its range" } else { "be a finite number that is not negative" };
    Err(AdapterError::Parameter { name, value, expected })
}
