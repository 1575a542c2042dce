//! Which rows are active at the beginning of a line, and where x is, as an interior-point method sees it.
//!
//! The way of a start (module [`super::start`]) has an event for every column and row that is not yet where it belongs: from nothing as many as there are active
//! rows, each with an update of the basis. On large problems some twenty factorisations of an interior-point method, Clarabel, find nearly all of them at once. A
//! bound is taken for active where its multiplier is larger than the room beside it, each in the unit of the problem's numbers: one of the two vanishes at a
//! solution. Nothing is believed: the way leads from the basis of these columns and rows to the solution, and only needs fewer events the better they are.

use super::system::{Data, System};
use crate::active_set::Status;
use crate::error::PathError;
use crate::kkt::Entries;
use crate::observe::Starting;
use crate::scalar::Scalar;
use clarabel::algebra::CscMatrix;
use clarabel::solver::SupportedConeT::{NonnegativeConeT, ZeroConeT};
use clarabel::solver::{DefaultSettings, DefaultSolution, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// Problems with fewer columns and rows begin without it: there the way takes less than some hundredths of a second.
const LARGE: usize = 1000;

/// Iterations of the method: it needs fewer where it succeeds.
const ITERATIONS: u32 = 100;

/// How often an observer is asked meanwhile.
const ASKED: Duration = Duration::from_millis(100);

/// x, on bounds that seem to be active, and the statuses of the rows.
pub(super) struct Interior<S> {
    pub x: Vec<S>,
    pub rows: Vec<Status>,
}

/// A constraint aᵀx ≤ b or aᵀx = b of the method: the column or row whose bound it is, with its side; none for a feature.
struct Constraint {
    /// What multiplies the entries and the bound: −1 for a lower bound.
    sign: f64,
    bound: f64,
    key: usize,
    side: Option<Status>,
}

fn number<S: Scalar>(v: &S) -> f64 {
    v.to_f64().unwrap_or(f64::NAN)
}

/// The constraints, equalities first, and how many of these there are.
fn constraints<S: Scalar>(system: &System<S>, here: &Data<S>) -> (Vec<Constraint>, usize) {
    let (mut equal, mut least) = (Vec::new(), Vec::new());
    for key in 0..system.columns() {
        let at = |upper: bool| here.bound(key, upper).map(|b| number(&b[0]));
        match (at(false), at(true)) {
            (Some(bound), Some(upper)) if bound == upper => {
                equal.push(Constraint { sign: 1.0, bound, key, side: Some(Status::Lower) });
            }
            (lower, upper) => {
                let lower = lower.map(|l| Constraint { sign: -1.0, bound: -l, key, side: Some(Status::Lower) });
                let upper = upper.map(|bound| Constraint { sign: 1.0, bound, key, side: Some(Status::Upper) });
                least.extend([lower, upper].into_iter().flatten());
            }
        }
    }
    equal.extend(system.features().map(|key| Constraint { sign: 1.0, bound: 0.0, key, side: None }));
    let equalities = equal.len();
    equal.extend(least);
    (equal, equalities)
}

/// What the method is given: min ½xᵀPx + cᵀx subject to Ax + s = b, where s is zero or not negative.
struct Given {
    p: CscMatrix<f64>,
    a: CscMatrix<f64>,
    costs: Vec<f64>,
    bounds: Vec<f64>,
    kinds: [SupportedConeT<f64>; 2],
}

impl Given {
    fn new<S: Scalar>(system: &System<S>, here: &Data<S>, constraints: &[Constraint], equalities: usize) -> Self {
        let columns = system.columns_on(&(0..system.keys()).collect::<Vec<usize>>());
        let costs = here.c[..system.n].iter().map(|c| number(&c[0]));
        Given {
            p: curvatures(system, &columns),
            a: entries(system, &columns, constraints),
            costs: costs.chain(system.features().map(|_| 0.0)).collect(),
            bounds: constraints.iter().map(|c| c.bound).collect(),
            kinds: [ZeroConeT(equalities), NonnegativeConeT(constraints.len() - equalities)],
        }
    }
}

/// A sparse matrix while it is entered.
#[derive(Default)]
struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Triplets {
    fn enter(&mut self, row: usize, column: usize, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    fn matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.rows, self.columns, self.values)
    }
}

/// The upper triangle of P: H, and κ of the features. A feature Zᵀx − w = 0 has a variable w of its own with the cost κw²/2.
fn curvatures<S: Scalar>(system: &System<S>, columns: &[Entries<S>]) -> CscMatrix<f64> {
    let mut p = Triplets::default();
    for (j, column) in columns[..system.n].iter().enumerate() {
        let upper = column.iter().filter(|(i, _)| *i as usize <= j);
        upper.for_each(|(i, v)| p.enter(*i as usize, j, number(v)));
    }
    for (key, place) in system.features().zip(system.n..) {
        p.enter(place, place, -1.0 / number(&system.diagonal(key)));
    }
    let size = system.n + system.d;
    p.matrix(size, size)
}

/// The rows of the constraints.
fn entries<S: Scalar>(system: &System<S>, columns: &[Entries<S>], constraints: &[Constraint]) -> CscMatrix<f64> {
    let (n, m) = (system.n, system.m);
    let mut a = Triplets::default();
    for (row, Constraint { sign, key, .. }) in constraints.iter().enumerate() {
        if *key < n {
            a.enter(row, *key, *sign);
            continue;
        }
        // A column of K at a row or a feature has its entries on the variables, which come first.
        let on_variables = columns[*key].iter().take_while(|(j, _)| (*j as usize) < n);
        on_variables.for_each(|(j, v)| a.enter(row, *j as usize, sign * number(v)));
        if *key >= n + m {
            a.enter(row, key - m, -1.0);
        }
    }
    a.matrix(constraints.len(), n + system.d)
}

/// Clarabel's solution, with its own scaling or else without; none where it finds none. The observer is asked every [`ASKED`] whether to continue.
///
/// # Errors
/// The observer has stopped it.
fn solve<S: Scalar>(given: &Given, watch: &mut Starting<'_, S>) -> Result<Option<DefaultSolution<f64>>, PathError> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let attempt = |equilibrate_enable: bool| {
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            max_iter: ITERATIONS,
            equilibrate_enable,
            ..DefaultSettings::default()
        };
        let Given { p, a, costs, bounds, kinds } = given;
        let mut solver = DefaultSolver::new(p, costs, a, bounds, kinds, settings).ok()?;
        let flag = is_stopped.clone();
        solver.set_termination_callback(move |_| flag.load(Ordering::Relaxed));
        solver.solve();
        let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
        usable.contains(&solver.solution.status).then_some(solver.solution)
    };
    std::thread::scope(|scope| {
        let (told, hears) = std::sync::mpsc::channel();
        let worker = scope.spawn(move || {
            // Nobody listens any more where the observer has stopped it.
            let _ = told.send(attempt(true).or_else(|| attempt(false)));
        });
        let found = loop {
            match hears.recv_timeout(ASKED) {
                Ok(found) => break Ok(found),
                Err(RecvTimeoutError::Disconnected) => break Ok(None),
                Err(RecvTimeoutError::Timeout) if watch.goes_on() => {}
                Err(RecvTimeoutError::Timeout) => {
                    is_stopped.store(true, Ordering::Relaxed);
                    break Err(watch.stopped());
                }
            }
        };
        // A panic inside the method ends here: it has found nothing.
        let _ = worker.join();
        found
    })
}

/// The state at the beginning of a problem that stands still; none for a small one, for other scalars than `f64`, and where the method finds no solution.
///
/// # Errors
/// The observer has stopped it.
pub(super) fn interior<S: Scalar>(
    system: &System<S>,
    here: &Data<S>,
    watch: &mut Starting<'_, S>,
) -> Result<Option<Interior<S>>, PathError> {
    if !S::SPARSE || system.columns() < LARGE {
        return Ok(None);
    }
    let (constraints, equalities) = constraints(system, here);
    let Some(found) = solve(&Given::new(system, here, &constraints, equalities), watch)? else { return Ok(None) };
    let n = system.n;
    let x = found.x[..n].iter().map(|v| S::from_f64(*v).filter(S::is_finite_number)).collect::<Option<_>>();
    let Some(x) = x else { return Ok(None) };
    let mut state = Interior { x, rows: vec![Status::Free; system.m] };
    // Where all bounds or all costs are zero any unit is as good.
    let [unit_x, unit_z] = here.units().map(|unit| number(&unit)).map(|unit| if unit > 0.0 { unit } else { 1.0 });
    for (k, constraint) in constraints.iter().enumerate() {
        let is_active = k < equalities || found.z[k] * unit_x > found.s[k] * unit_z;
        let Some(side) = constraint.side.filter(|_| is_active) else { continue };
        match (constraint.key.checked_sub(n), here.bound(constraint.key, side == Status::Upper)) {
            (Some(row), _) => state.rows[row] = side,
            (None, Some(bound)) => state.x[constraint.key] = bound[0].clone(),
            (None, None) => {}
        }
    }
    Ok(Some(state))
}
