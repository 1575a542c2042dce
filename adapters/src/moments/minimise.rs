//! L-BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright 2006, *Numerical Optimization*, algorithm 7.5; Moré and Thuente 1994,
//! doi:10.1145/192115.192132), by the crate argmin.
//!
//! argmin asks for value and gradient separately and more than once at a point: [`Problem`] computes both together and remembers the last ones. It also
//! is an argmin problem in its own right, with products of the Hessian for those objectives that have them.

use super::{MomentObjective, MomentsError};
use argmin::core::{CostFunction, Error, Executor, Gradient, Hessian, State, TerminationReason, TerminationStatus};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use argmin_math::ArgminDot;
use std::cell::{Cell, RefCell};

/// A function of d variables with a gradient (or, where it has none, a subgradient).
pub trait Smooth {
    /// d.
    fn columns(&self) -> usize;
    /// The value at w; writes the gradient. Both of length d.
    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64;
}

/// How to minimise. The defaults are those of Ghanbari, Li and Scheinberg (2019, §4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Pairs of steps that L-BFGS remembers: 20.
    pub memory: usize,
    /// Sufficient decrease of the line search: 1e-4.
    pub decrease: f64,
    /// Curvature condition of the line search: 0.9.
    pub curvature: f64,
    /// The most iterations: 500.
    pub iterations: u64,
    /// The Euclidean norm of the gradient at which to stop: 1e-4.
    pub tolerance: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { memory: 20, decrease: 1e-4, curvature: 0.9, iterations: 500, tolerance: 1e-4 }
    }
}

/// Why a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The gradient is small enough.
    Gradient,
    /// The value does not change any more.
    Value,
    /// The most iterations were made.
    Iterations,
    /// No better point was found along the last direction (functions with kinks end so).
    LineSearch,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Gradient => "gradient",
            Stop::Value => "value",
            Stop::Iterations => "iterations",
            Stop::LineSearch => "line-search",
        })
    }
}

/// Where a minimisation ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The point.
    pub w: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The norm of the gradient there.
    pub gradient: f64,
    /// Iterations.
    pub iterations: u64,
    /// Evaluations of the function with its gradient.
    pub evaluations: u64,
    /// Why it ended.
    pub stop: Stop,
}

/// A point with value and gradient.
#[derive(Clone)]
struct Evaluated {
    w: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// A line search that has not found a lower value after so many evaluations will not.
const FRUITLESS: u32 = 60;

/// A function as an argmin problem.
pub struct Problem<'f, F: ?Sized> {
    function: &'f F,
    last: RefCell<Option<Evaluated>>,
    best: Cell<f64>,
    fruitless: Cell<u32>,
    evaluations: &'f Cell<u64>,
}

impl<'f, F: Smooth + ?Sized> Problem<'f, F> {
    /// The problem of minimising `function`; evaluations are counted in `evaluations`.
    pub fn new(function: &'f F, evaluations: &'f Cell<u64>) -> Self {
        let (best, fruitless) = (Cell::new(f64::INFINITY), Cell::new(0));
        Problem { function, last: RefCell::new(None), best, fruitless, evaluations }
    }

    fn at<T>(&self, w: &[f64], take: impl Fn(&Evaluated) -> T) -> Result<T, Error> {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.w == w) {
            return Ok(take(known));
        }
        let mut gradient = vec![0.0; w.len()];
        let value = self.function.evaluate(w, &mut gradient);
        self.evaluations.set(self.evaluations.get() + 1);
        if value < self.best.get() {
            self.best.set(value);
            self.fruitless.set(0);
        } else {
            self.fruitless.set(self.fruitless.get() + 1);
        }
        if self.fruitless.get() > FRUITLESS {
            return Err(Error::msg("no lower value along this direction"));
        }
        let new = Evaluated { w: w.to_vec(), value, gradient };
        let taken = take(&new);
        *last = Some(new);
        Ok(taken)
    }
}

impl<F: Smooth + ?Sized> CostFunction for Problem<'_, F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, w: &Vec<f64>) -> Result<f64, Error> {
        self.at(w, |known| known.value)
    }
}

impl<F: Smooth + ?Sized> Gradient for Problem<'_, F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, w: &Vec<f64>) -> Result<Vec<f64>, Error> {
        self.at(w, |known| known.gradient.clone())
    }
}

/// The Hessian of an objective at a point, known by its products.
#[derive(Clone)]
pub struct HessianAt<'m> {
    objective: &'m MomentObjective<'m>,
    w: Vec<f64>,
}

impl ArgminDot<Vec<f64>, Vec<f64>> for HessianAt<'_> {
    fn dot(&self, v: &Vec<f64>) -> Vec<f64> {
        let mut out = vec![0.0; v.len()];
        self.objective.hessian_times(&self.w, v, &mut out);
        out
    }
}

impl<'m> Hessian for Problem<'m, MomentObjective<'m>> {
    type Param = Vec<f64>;
    type Hessian = HessianAt<'m>;

    fn hessian(&self, w: &Vec<f64>) -> Result<HessianAt<'m>, Error> {
        Ok(HessianAt { objective: self.function, w: w.clone() })
    }
}

/// Minimises `function` from `start`.
///
/// # Errors
/// [`MomentsError::Start`] when value or gradient are not finite there, [`MomentsError::Shape`] for a start of another length.
pub fn minimise<F: Smooth + ?Sized>(
    function: &F,
    start: Vec<f64>,
    settings: &Settings,
) -> Result<Minimum, MomentsError> {
    let d = function.columns();
    if start.len() != d {
        return Err(MomentsError::Shape { what: "starting values", expected: d, found: start.len() });
    }
    let mut gradient = vec![0.0; d];
    let value = function.evaluate(&start, &mut gradient);
    let size = norm(&gradient);
    if !(value.is_finite() && size.is_finite()) {
        return Err(MomentsError::Start { value: if value.is_finite() { size } else { value } });
    }
    let begin = Minimum { w: start, value, gradient: size, iterations: 0, evaluations: 1, stop: Stop::Gradient };
    if size <= settings.tolerance || d == 0 {
        return Ok(begin);
    }
    Ok(lbfgs(function, &begin, settings).unwrap_or(Minimum { stop: Stop::LineSearch, ..begin }))
}

/// The minimisation proper; an error of argmin means that not even one step could be made.
fn lbfgs<F: Smooth + ?Sized>(function: &F, begin: &Minimum, settings: &Settings) -> Result<Minimum, Error> {
    let evaluations = Cell::new(begin.evaluations);
    let search = MoreThuenteLineSearch::new().with_c(settings.decrease, settings.curvature)?;
    let solver = LBFGS::new(search, settings.memory).with_tolerance_grad(settings.tolerance)?;
    let run = Executor::new(Problem::new(function, &evaluations), solver)
        .configure(|state| state.param(begin.w.clone()).max_iters(settings.iterations))
        .run()?;
    let state = run.state();
    let stop = match state.get_termination_status() {
        TerminationStatus::Terminated(TerminationReason::MaxItersReached) => Stop::Iterations,
        TerminationStatus::Terminated(TerminationReason::SolverExit(_)) => Stop::LineSearch,
        _ => Stop::Value,
    };
    let w = state.get_param().or(state.get_best_param()).unwrap_or(&begin.w).clone();
    let mut gradient = vec![0.0; w.len()];
    let value = function.evaluate(&w, &mut gradient);
    let size = norm(&gradient);
    let stop = if size < settings.tolerance { Stop::Gradient } else { stop };
    let iterations = state.get_iter();
    Ok(Minimum { w, value, gradient: size, iterations, evaluations: evaluations.get(), stop })
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
