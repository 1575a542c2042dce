//! L-BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright 2006, *Numerical Optimization*, algorithm 7.5; Moré and Thuente 1994,
//! doi:10.1145/192115.192132), by the crate argmin.
//!
//! argmin asks for value and gradient separately, and more than once at a point. [`Problem`] computes both together and stores the last ones. Points may be of
//! any type with the operations of [`Vector`], so that the inner product is that of the caller.
//!
//! The minimum is the best point that was evaluated ([`Record`]), however the minimisation ends. On a smooth function that is the last point. On a function
//! that jumps or has kinks the search may move away from it, and argmin discards its points when a line search fails.

use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, State, TerminationReason, TerminationStatus};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use argmin_math::{
    ArgminAdd, ArgminDot, ArgminL1Norm, ArgminL2Norm, ArgminMinMax, ArgminMul, ArgminSignum, ArgminSub, ArgminZeroLike,
};
use std::cell::{Cell, Ref, RefCell};

/// The operations of a point or gradient that argmin's L-BFGS uses.
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
    /// The value and the gradient at w.
    fn differentiate(&self, w: &V) -> (f64, V);
}

/// Settings of the minimisation. The defaults are those of Ghanbari, Li and Scheinberg (2019, §4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The number of pairs of steps and gradient changes that L-BFGS stores. Default 20.
    pub memory: usize,
    /// The constant of the sufficient decrease condition of the line search. Default 1e-4.
    pub decrease: f64,
    /// The constant of the curvature condition of the line search. Default 0.9.
    pub curvature: f64,
    /// The largest number of iterations. Default 500.
    pub iterations: u64,
    /// The norm of the gradient at which the minimisation stops. Default 1e-4.
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
    /// The norm of the gradient is below the tolerance.
    Gradient,
    /// The value does not change any more.
    Value,
    /// The largest number of iterations was reached.
    Iterations,
    /// No better point was found along the last direction, as happens on functions with kinks.
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

/// The result of a minimisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum<V = Vec<f64>> {
    /// The point.
    pub w: V,
    /// The value there.
    pub value: f64,
    /// The norm of the gradient there.
    pub gradient: f64,
    /// The number of iterations.
    pub iterations: u64,
    /// The number of evaluations of the function with its gradient.
    pub evaluations: u64,
    /// Why the minimisation ended.
    pub stop: Stop,
}

/// A point with value and gradient.
#[derive(Clone, Debug)]
pub struct Evaluated<V = Vec<f64>> {
    /// The point.
    pub w: V,
    /// The value there.
    pub value: f64,
    /// The gradient there.
    pub gradient: V,
}

/// The number of points that were evaluated, and the one with the least value.
#[derive(Debug)]
pub struct Record<V = Vec<f64>> {
    evaluations: Cell<u64>,
    best: RefCell<Option<Evaluated<V>>>,
}

impl<V> Default for Record<V> {
    fn default() -> Self {
        Record { evaluations: Cell::new(0), best: RefCell::new(None) }
    }
}

impl<V: Clone> Record<V> {
    /// The number of points that were evaluated.
    pub fn evaluations(&self) -> u64 {
        self.evaluations.get()
    }

    /// The point with the least value, the first one among equals; `None` as long as every value was NaN.
    pub fn best(&self) -> Ref<'_, Option<Evaluated<V>>> {
        self.best.borrow()
    }

    /// Counts a point; true if its value is lower than all before.
    fn take(&self, point: &Evaluated<V>) -> bool {
        self.evaluations.set(self.evaluations.get() + 1);
        let mut best = self.best.borrow_mut();
        let lower = best.as_ref().map_or(!point.value.is_nan(), |best| point.value < best.value);
        if lower {
            *best = Some(point.clone());
        }
        lower
    }
}

/// A line search that has not found a lower value after so many evaluations will not.
const FRUITLESS: u32 = 60;

/// A function as an argmin problem.
pub struct Problem<'f, F: ?Sized, V = Vec<f64>> {
    function: &'f F,
    last: RefCell<Option<Evaluated<V>>>,
    fruitless: Cell<u32>,
    record: &'f Record<V>,
}

impl<'f, V: Vector, F: Differentiable<V> + ?Sized> Problem<'f, F, V> {
    /// The problem of minimising `function`; every evaluation enters `record`.
    pub fn new(function: &'f F, record: &'f Record<V>) -> Self {
        Problem { function, last: RefCell::new(None), fruitless: Cell::new(0), record }
    }

    fn at<T>(&self, w: &V, take: impl Fn(&Evaluated<V>) -> T) -> T {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.w == *w) {
            return take(known);
        }
        let (value, gradient) = self.function.differentiate(w);
        let new = Evaluated { w: w.clone(), value, gradient };
        self.fruitless.set(if self.record.take(&new) { 0 } else { self.fruitless.get() + 1 });
        let taken = take(&new);
        *last = Some(new);
        taken
    }
}

impl<V: Vector, F: Differentiable<V> + ?Sized> CostFunction for Problem<'_, F, V> {
    type Param = V;
    type Output = f64;

    fn cost(&self, w: &V) -> Result<f64, Error> {
        let value = self.at(w, |known| known.value);
        if self.fruitless.get() > FRUITLESS {
            return Err(Error::msg("no lower value along this direction"));
        }
        Ok(value)
    }
}

impl<V: Vector, F: Differentiable<V> + ?Sized> Gradient for Problem<'_, F, V> {
    type Param = V;
    type Gradient = V;

    fn gradient(&self, w: &V) -> Result<V, Error> {
        Ok(self.at(w, |known| known.gradient.clone()))
    }
}

/// Minimises `function` from `start`, which is returned if value and gradient are not finite there, or no lower value is found. No evaluated point has a lower
/// value than the result.
pub fn lbfgs<V, F>(function: &F, start: V, settings: &Settings) -> Minimum<V>
where
    V: Vector,
    f64: ArgminMul<V, V>,
    F: Differentiable<V> + ?Sized,
{
    let (value, gradient) = function.differentiate(&start);
    let size = gradient.l2_norm();
    let start = Evaluated { w: start, value, gradient };
    if size <= settings.tolerance || !(value.is_finite() && size.is_finite()) {
        let Evaluated { w, value, .. } = start;
        return Minimum { w, value, gradient: size, iterations: 0, evaluations: 1, stop: Stop::Gradient };
    }
    let record = Record::default();
    record.take(&start);
    let (iterations, stop) = descend(function, &start, &record, settings).unwrap_or((0, Stop::LineSearch));
    let Evaluated { w, value, gradient } = record.best.take().unwrap_or(start);
    let gradient = gradient.l2_norm();
    let stop = if gradient < settings.tolerance { Stop::Gradient } else { stop };
    Minimum { w, value, gradient, iterations, evaluations: record.evaluations(), stop }
}

/// The minimisation proper: its iterations, and why it ended. argmin's errors are about settings and states that do not occur here.
fn descend<V, F>(
    function: &F,
    start: &Evaluated<V>,
    record: &Record<V>,
    settings: &Settings,
) -> Result<(u64, Stop), Error>
where
    V: Vector,
    f64: ArgminMul<V, V>,
    F: Differentiable<V> + ?Sized,
{
    let search = MoreThuenteLineSearch::new().with_c(settings.decrease, settings.curvature)?;
    let solver = LBFGS::new(search, settings.memory).with_tolerance_grad(settings.tolerance)?;
    // The state is not given the value at the start: argmin would take it for that of a step before the first, and stop as nothing has changed.
    let problem = Problem { last: RefCell::new(Some(start.clone())), ..Problem::new(function, record) };
    let run = Executor::new(problem, solver)
        .configure(|state: IterState<V, V, (), (), (), f64>| {
            state.param(start.w.clone()).max_iters(settings.iterations)
        })
        .run()?;
    let state = run.state();
    let stop = match state.get_termination_status() {
        TerminationStatus::Terminated(TerminationReason::MaxItersReached) => Stop::Iterations,
        TerminationStatus::Terminated(TerminationReason::SolverExit(_)) => Stop::LineSearch,
        _ => Stop::Value,
    };
    Ok((state.get_iter(), stop))
}
