//! L-BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright 2006, *Numerical Optimization*, algorithm 7.5; Moré and Thuente 1994,
//! doi:10.1145/192115.192132), by the crate argmin.
//!
//! argmin asks for value and gradient separately and more than once at a point: [`Problem`] computes both together and remembers the last ones. Points may
//! be of any type with the operations of a [`Vector`], so that the inner product is the caller's own.

use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, State, TerminationReason, TerminationStatus};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use argmin_math::{
    ArgminAdd, ArgminDot, ArgminL1Norm, ArgminL2Norm, ArgminMinMax, ArgminMul, ArgminSignum, ArgminSub, ArgminZeroLike,
};
use std::cell::{Cell, RefCell};

/// What argmin's L-BFGS asks of a point and of a gradient.
pub trait Vector:
    Clone
    + PartialEq
    + ArgminAdd<Self, Self>
    + ArgminAdd<f64, Self>
    + ArgminSub<Self, Self>
    + ArgminSub<f64, Self>
    + ArgminMul<f64, Self>
    + ArgminMul<Self, Self>
    + ArgminDot<Self, f64>
    + ArgminL1Norm<f64>
    + ArgminL2Norm<f64>
    + ArgminSignum
    + ArgminZeroLike
    + ArgminMinMax
{
}

impl Vector for Vec<f64> {}

/// A function with a gradient (or, where it has none, a subgradient).
pub trait Differentiable<V> {
    /// Value and gradient at w.
    fn differentiate(&self, w: &V) -> (f64, V);
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
    /// The norm of the gradient at which to stop: 1e-4.
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
pub struct Minimum<V = Vec<f64>> {
    /// The point.
    pub w: V,
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
struct Evaluated<V> {
    w: V,
    value: f64,
    gradient: V,
}

/// A line search that has not found a lower value after so many evaluations will not.
const FRUITLESS: u32 = 60;

/// A function as an argmin problem.
pub struct Problem<'f, F: ?Sized, V = Vec<f64>> {
    pub(crate) function: &'f F,
    last: RefCell<Option<Evaluated<V>>>,
    best: Cell<f64>,
    fruitless: Cell<u32>,
    evaluations: &'f Cell<u64>,
}

impl<'f, V: Vector, F: Differentiable<V> + ?Sized> Problem<'f, F, V> {
    /// The problem of minimising `function`; evaluations are counted in `evaluations`.
    pub fn new(function: &'f F, evaluations: &'f Cell<u64>) -> Self {
        let (best, fruitless) = (Cell::new(f64::INFINITY), Cell::new(0));
        Problem { function, last: RefCell::new(None), best, fruitless, evaluations }
    }

    fn at<T>(&self, w: &V, take: impl Fn(&Evaluated<V>) -> T) -> Result<T, Error> {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.w == *w) {
            return Ok(take(known));
        }
        let (value, gradient) = self.function.differentiate(w);
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
        let new = Evaluated { w: w.clone(), value, gradient };
        let taken = take(&new);
        *last = Some(new);
        Ok(taken)
    }
}

impl<V: Vector, F: Differentiable<V> + ?Sized> CostFunction for Problem<'_, F, V> {
    type Param = V;
    type Output = f64;

    fn cost(&self, w: &V) -> Result<f64, Error> {
        self.at(w, |known| known.value)
    }
}

impl<V: Vector, F: Differentiable<V> + ?Sized> Gradient for Problem<'_, F, V> {
    type Param = V;
    type Gradient = V;

    fn gradient(&self, w: &V) -> Result<V, Error> {
        self.at(w, |known| known.gradient.clone())
    }
}

/// Minimises `function` from `start`, where value and gradient are finite numbers; else, and where not even one step can be made, the
/// minimum is the start itself.
pub fn lbfgs<V, F>(function: &F, start: V, settings: &Settings) -> Minimum<V>
where
    V: Vector,
    f64: ArgminMul<V, V>,
    F: Differentiable<V> + ?Sized,
{
    let (value, gradient) = function.differentiate(&start);
    let size = gradient.l2_norm();
    let begin = Minimum { w: start, value, gradient: size, iterations: 0, evaluations: 1, stop: Stop::Gradient };
    if size <= settings.tolerance || !(value.is_finite() && size.is_finite()) {
        return begin;
    }
    descend(function, &begin, settings).unwrap_or(Minimum { stop: Stop::LineSearch, ..begin })
}

/// The minimisation proper; an error of argmin means that not even one step could be made.
fn descend<V, F>(function: &F, begin: &Minimum<V>, settings: &Settings) -> Result<Minimum<V>, Error>
where
    V: Vector,
    f64: ArgminMul<V, V>,
    F: Differentiable<V> + ?Sized,
{
    let evaluations = Cell::new(begin.evaluations);
    let search = MoreThuenteLineSearch::new().with_c(settings.decrease, settings.curvature)?;
    let solver = LBFGS::new(search, settings.memory).with_tolerance_grad(settings.tolerance)?;
    let run = Executor::new(Problem::new(function, &evaluations), solver)
        .configure(|state: IterState<V, V, (), (), (), f64>| {
            state.param(begin.w.clone()).max_iters(settings.iterations)
        })
        .run()?;
    let state = run.state();
    let stop = match state.get_termination_status() {
        TerminationStatus::Terminated(TerminationReason::MaxItersReached) => Stop::Iterations,
        TerminationStatus::Terminated(TerminationReason::SolverExit(_)) => Stop::LineSearch,
        _ => Stop::Value,
    };
    let w = state.get_param().or(state.get_best_param()).unwrap_or(&begin.w).clone();
    let (value, gradient) = function.differentiate(&w);
    let size = gradient.l2_norm();
    let stop = if size < settings.tolerance { Stop::Gradient } else { stop };
    let iterations = state.get_iter();
    Ok(Minimum { w, value, gradient: size, iterations, evaluations: evaluations.get(), stop })
}
