//! The traits of all problems whose paths can be followed: [`PathProblem`] and [`KernelProblem`].
//!
//! A problem of the literature is posed as a [`ParametricQp`] in θ ∈ Θ ⊂ ℝᵖ, and its solutions are returned as [`Solution`]s in the terms of the paper.
//! Questions that only some problems can answer (Sharpe ratios, P(Y|x), quantiles, the share of rows outside a tube) are methods of their own types, to which a
//! [`View`] leads.

use crate::bias::Bias;
use crate::course::{Axis, Course, Parameter, coordinate_axis};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::machine::{Function, KernelMachine};
use crate::spec::Spec;
use crate::value::{Fact, Value};
use crate::view::View;
use pathqp::observe::Observer;
use pathqp::{Follower, Line, ParametricQp, Path, PathError, Point, Settings, Start};

/// The interval of optimal multipliers y of the equality row at a point, see [`pathqp::Certificate::multiplier_range`].
pub type Multipliers = Option<(Option<f64>, Option<f64>)>;

/// A problem whose paths can be followed.
pub trait PathProblem: Send + Sync {
    /// The coordinates of θ, in order, p entries.
    fn parameters(&self) -> &[Parameter];

    /// The parametric QP in θ.
    ///
    /// # Errors
    /// What [`ParametricQp`] and the Hessians refuse.
    fn qp(&self, settings: &Settings) -> Result<ParametricQp<f64>, AdapterError>;

    /// The solution in the problem's own terms, for a point of a path at θ (p entries).
    fn solution(&self, theta: &[f64], point: &Point<f64>, multipliers: Multipliers) -> Solution;

    /// The values of a solution that are the columns of tables, figures and pages, with their names.
    fn columns(&self) -> Vec<Group>;

    /// The entries of [`PathProblem::columns`] at a point, one number for each column. A table has thousands of rows; this computes no more of the solution
    /// than they need.
    fn row(&self, theta: &[f64], point: &Point<f64>) -> Vec<f64> {
        self.solution(theta, point, None).row(&self.columns())
    }

    /// The line on which a parameter varies. By default the parameter is a coordinate of θ and all others are fixed.
    ///
    /// # Errors
    /// A parameter without a value or out of range, and one that cannot vary.
    fn axis(&self, course: &Course) -> Result<Axis, AdapterError> {
        coordinate_axis(self.parameters(), course)
    }

    /// The values of the parameter at which a path along an axis begins and ends by default; `None` where there is no natural end, so that the user must give
    /// one. By default these are the finite ends of the natural range. `qp` is the result of [`PathProblem::qp`].
    ///
    /// # Errors
    /// [`AdapterError`] where an end cannot be computed.
    fn ends(
        &self,
        _qp: &ParametricQp<f64>,
        axis: &Axis,
        _settings: &Settings,
    ) -> Result<[Option<f64>; 2], AdapterError> {
        Ok(axis.range.map(|end| end.is_finite().then_some(end)))
    }

    /// A start at θ (p entries) for `qp`, the result of [`PathProblem::qp`]. The observer may stop the computation.
    ///
    /// # Errors
    /// [`PathError::StartStopped`] when the observer stops it.
    fn start_watched(
        &self,
        _qp: &ParametricQp<f64>,
        _theta: &[f64],
        _settings: &Settings,
        _observer: &mut dyn Observer<f64>,
    ) -> Result<Start<f64>, PathError> {
        Ok(Start::Anywhere)
    }

    /// [`PathProblem::start_watched`] without an observer.
    fn start(&self, qp: &ParametricQp<f64>, theta: &[f64], settings: &Settings) -> Start<f64> {
        self.start_watched(qp, theta, settings, &mut ()).unwrap_or(Start::Anywhere)
    }

    /// The size of one unit of the engine's duality gap at θ, in units of [`Solution::objective`].
    fn gap_unit(&self, _theta: &[f64]) -> f64 {
        1.0
    }

    /// The power k such that the values of solutions, along an axis on which `vary` varies, are affine functions of the parameter v divided by vᵏ.
    fn divisor(&self, _vary: &str) -> u32 {
        0
    }

    /// Whether x is the same at this value of the parameter `vary` and at all larger ones: a path that begins at such a value has the solutions for all larger
    /// values as well.
    fn is_settled(&self, _vary: &str, _value: f64) -> bool {
        false
    }

    /// Whether a path along which x grows without bound is valid, because the solution has a limit, or is meant to grow.
    fn may_diverge(&self) -> bool {
        false
    }

    /// How figures and pages show the problem.
    fn view(&self) -> View<'_> {
        View::Values
    }

    /// The names of the predictions for a row, where there are several.
    fn outputs(&self) -> Vec<String> {
        Vec::new()
    }

    /// The predictions of a solution, one for each of `rows`; `None` if the problem predicts nothing. Where a row has several ([`PathProblem::outputs`]), the
    /// first ones of all rows come first, then the second ones, and so on.
    fn predict(&self, _solution: &Solution, _rows: &Features) -> Option<Vec<f64>> {
        None
    }

    /// Results about a whole path, in the order in which they are printed.
    ///
    /// # Errors
    /// An option of `spec` (a target, a value) for which the path has no solution.
    fn facts(&self, _spec: &Spec, _path: &Path<f64>) -> Result<Vec<Fact>, AdapterError> {
        Ok(Vec::new())
    }
}

/// A solution in the problem's own terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The primal objective, in the form and scale of the literature.
    pub objective: f64,
    /// The dual objective; `None` if the primal itself is the engine's problem.
    pub dual_objective: Option<f64>,
    /// The values, by name.
    pub values: Vec<(&'static str, Value)>,
    /// Further values, which are printed with `--full` only.
    pub further: Vec<(&'static str, Value)>,
}

impl Solution {
    /// The value with this name, among `values` and `further`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let all = self.values.iter().chain(&self.further);
        all.into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// The list of numbers with this name; empty if there is none.
    pub fn numbers(&self, name: &str) -> &[f64] {
        self.get(name).and_then(Value::numbers).unwrap_or_default()
    }

    /// The entries of a table's row, one for each column of `groups`; NaN for what the solution does not have.
    pub fn row(&self, groups: &[Group]) -> Vec<f64> {
        let mut row = Vec::new();
        for group in groups {
            let entries = self.get(group.value).map(Value::flat).unwrap_or_default();
            row.extend((0..group.names.len()).map(|j| entries.get(j).copied().unwrap_or(f64::NAN)));
        }
        row
    }
}

/// A group of columns of a table: the entries of one value of a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The name of the value.
    pub value: &'static str,
    /// Its label on the axis of a figure.
    pub symbol: &'static str,
    /// The name of each column.
    pub names: Vec<String>,
    /// Whether there is one column for each feature, which takes the feature's name if it has one.
    pub of_features: bool,
}

impl Group {
    /// Columns with names of their own.
    pub fn named(value: &'static str, symbol: &'static str, names: Vec<String>) -> Self {
        Group { value, symbol, names, of_features: false }
    }

    /// Columns that are numbered from one.
    pub fn numbered(value: &'static str, symbol: &'static str, n: usize) -> Self {
        Group::named(value, symbol, (1..=n).map(|j| format!("{symbol}{j}")).collect())
    }

    /// One column for each of d features, numbered where these have no names.
    pub fn of_features(value: &'static str, symbol: &'static str, d: usize) -> Self {
        Group { of_features: true, ..Group::numbered(value, symbol, d) }
    }

    /// One column.
    pub fn single(value: &'static str) -> Self {
        Group::named(value, value, vec![value.into()])
    }
}

/// The model at one θ, in the terms of the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// θ, p entries.
    pub theta: Vec<f64>,
    /// Dual variables in the paper's scale, as many as x has entries.
    pub alpha: Vec<f64>,
    /// The function f.
    pub function: Function,
    /// The primal objective.
    pub objective: f64,
    /// The dual objective.
    pub dual_objective: f64,
}

/// The constant of f: its value, or the interval of values for which the model is optimal.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Constant {
    /// The only optimal value.
    Unique(f64),
    /// The ends of the interval of optimal values; `None` where it has no end.
    Interval([Option<f64>; 2]),
}

/// A problem whose solutions are functions f = Σ βᵢk(xᵢ, ·) + b of the rows of a data set.
pub trait KernelProblem: PathProblem {
    /// The data, the kernel and the bias.
    fn machine(&self) -> &KernelMachine;

    /// The model at a point, at θ (p entries).
    fn model(&self, theta: &[f64], point: &Point<f64>) -> Model;

    /// The function f at a point, at θ (p entries): that of [`KernelProblem::model`], without the objectives, which cost more.
    fn function(&self, theta: &[f64], point: &Point<f64>) -> Function {
        self.model(theta, point).function
    }

    /// The intercept that belongs to a multiplier y of the equality row, at θ: a decreasing function of y.
    fn intercept(&self, _theta: &[f64], y: f64) -> f64 {
        0.0 - y
    }

    /// The entries of x, each with its sign, whose sum is the dual variable of a row.
    fn row_variables(&self, row: usize) -> Vec<(usize, f64)> {
        vec![(row, 1.0)]
    }

    /// The factor and the name with which dual variables are shown.
    fn dual_unit(&self) -> (f64, &'static str) {
        (1.0, "α")
    }

    /// The values f(x) at the rows of `rows`, which have as many columns as the training data.
    fn decision(&self, model: &Model, rows: &Features) -> Vec<f64> {
        self.machine().evaluate(&model.function, rows)
    }

    /// The constant of a model. An interval of multipliers no wider than rounding counts as one value.
    fn constant(&self, model: &Model, multipliers: Multipliers) -> Constant {
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

/// [`PathProblem::solution`] of a kernel problem: w (for linear kernels) and the intercept, and as further values the dual variables.
pub fn kernel_solution<P: KernelProblem + ?Sized>(
    problem: &P,
    theta: &[f64],
    point: &Point<f64>,
    multipliers: Multipliers,
) -> Solution {
    model_solution(problem, problem.model(theta, point), multipliers)
}

/// The solution as by [`kernel_solution`], from a model.
pub fn model_solution<P: KernelProblem + ?Sized>(problem: &P, model: Model, multipliers: Multipliers) -> Solution {
    let constant = problem.constant(&model, multipliers);
    let Model { alpha, function, objective, dual_objective, .. } = model;
    let w = function.w.map_or(Value::Missing, Value::Numbers);
    Solution {
        objective,
        dual_objective: Some(dual_objective),
        values: vec![("w", w), ("intercept", Value::Constant(constant, function.constant))],
        further: vec![("alpha", Value::Numbers(alpha))],
    }
}

/// [`PathProblem::columns`] of a kernel problem: the weights and the constant with a linear kernel, the dual variables otherwise.
pub fn kernel_columns<P: KernelProblem + ?Sized>(problem: &P) -> Vec<Group> {
    let machine = problem.machine();
    let mut groups = match machine.kernel() == KernelKind::Linear {
        true => vec![Group::of_features("w", "w", machine.features().columns())],
        false => vec![Group::numbered("alpha", "alpha", machine.rows())],
    };
    groups.extend((machine.bias() != Bias::None).then(|| Group::single("intercept")));
    groups
}

/// [`PathProblem::columns`] of a problem whose solutions have `count` weights w of the features and perhaps an intercept.
pub fn linear_columns(count: usize, intercept: bool) -> Vec<Group> {
    let mut groups = vec![Group::of_features("w", "w", count)];
    groups.extend(intercept.then(|| Group::single("intercept")));
    groups
}

/// [`PathProblem::predict`] of a problem whose solutions have weights w of the features and perhaps an intercept.
pub fn linear_prediction(solution: &Solution, w: &'static str, rows: &Features) -> Option<Vec<f64>> {
    let weights = solution.get(w)?.numbers()?;
    let constant = solution.get("intercept").map_or(0.0, |value| value.flat().first().copied().unwrap_or(0.0));
    let mut row = vec![0.0; rows.columns()];
    let score = |i: usize| {
        rows.dense_row(i, &mut row);
        row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>() + constant
    };
    Some((0..rows.rows()).map(score).collect())
}

/// A follower from `start`; if the engine refuses that start (it may be optimal only up to rounding), one from [`Start::Anywhere`].
///
/// # Errors
/// As [`Follower::new`] from [`Start::Anywhere`].
pub fn begin<'a>(line: &'a Line<f64>, start: &Start<f64>, settings: &Settings) -> Result<Follower<'a, f64>, PathError> {
    begin_watched(line, start, settings, &mut ())
}

/// [`begin`] with an observer, which may stop the search for the first solution.
///
/// # Errors
/// As [`begin`], and [`PathError::StartStopped`].
pub fn begin_watched<'a>(
    line: &'a Line<f64>,
    start: &Start<f64>,
    settings: &Settings,
    observer: &mut dyn Observer<f64>,
) -> Result<Follower<'a, f64>, PathError> {
    match Follower::watched(line, start, settings.clone(), observer) {
        Err(stopped @ PathError::StartStopped { .. }) => Err(stopped),
        Err(_) => Follower::watched(line, &Start::Anywhere, settings.clone(), observer),
        follower => follower,
    }
}
