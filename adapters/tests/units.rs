//! Least squares whose columns come in different units, against the same path on exact rationals: income in cents, columns up to 10¹² apart, the penalties of
//! short columns far below the largest.

use crate::common::dense;
use pathqp::hessian::{Gram, Rows};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Affine, Exact, ParametricQp, Path, Range, Scalar, Settings, Start, Status, trace};
use pathqp_adapters::lasso::{Lasso, pose};
use pathqp_adapters::nnls::{Course, Nnls};
use std::sync::Arc;

/// How far a fit may be off, relative to the response.
const FIT: f64 = 1e-11;

/// Seeds of eight rows and four columns 10¹² apart: where the penalty of a column is 10⁻¹² of its correlation, both halves of a coefficient that goes through zero count as
/// tied, and the path is said to be unbounded.
const KNOWN_FAILURES: &[u64] = &[7, 10, 15];

fn number<S: Scalar>(value: f64) -> S {
    S::from_f64(value).unwrap()
}

fn exact(value: f64) -> Exact {
    number(value)
}

fn rounded<S: Scalar>(value: &S) -> f64 {
    value.to_f64().unwrap()
}

/// Rows of d features and a response.
struct Table {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
}

/// The same on exact scalars, column by column; centred or not.
struct Columns {
    x: Vec<Vec<Exact>>,
    y: Vec<Exact>,
}

impl Table {
    fn exact(&self, centred: bool) -> Columns {
        let centre = |v: Vec<Exact>| {
            let sum = v.iter().fold(Exact::integer(0), |sum, v| sum + v);
            let mean = sum / Exact::integer(if centred { v.len() as i64 } else { 1 });
            if centred { v.into_iter().map(|v| v - &mean).collect() } else { v }
        };
        let column = |j: usize| centre(self.x.iter().map(|row| exact(row[j])).collect());
        Columns {
            x: (0..self.x[0].len()).map(column).collect(),
            y: centre(self.y.iter().copied().map(exact).collect()),
        }
    }
}

impl Columns {
    fn correlations(&self) -> Vec<Exact> {
        self.x.iter().map(|x| Exact::dot(x, &self.y)).collect()
    }

    /// ‖X(w − v)‖, relative to ‖y‖.
    fn apart(&self, w: &[f64], v: &[Exact]) -> f64 {
        let mut off = vec![Exact::integer(0); self.y.len()];
        for ((x, w), v) in self.x.iter().zip(w).zip(v) {
            Exact::axpy(&(exact(*w) - v), x, &mut off);
        }
        let length = |v: &[Exact]| rounded(&Exact::dot(v, v)).sqrt();
        length(&off) / length(&self.y)
    }

    fn gram(&self, signs: &[i64]) -> Gram<Exact> {
        let values = signs.iter().flat_map(|s| self.x.iter().flatten().map(move |x| Exact::integer(*s) * x)).collect();
        Gram::new(signs.len() * self.x.len(), Rows::Dense { columns: self.y.len(), values }, Exact::integer(1)).unwrap()
    }
}

/// Down to zero from a largest penalty, where all d variables are at zero.
fn down(qp: &ParametricQp<Exact>, largest: Exact) -> Path<Exact> {
    let line = qp.line(&[largest], &[Exact::integer(0)]).unwrap();
    let start = Start::ActiveSet { status: vec![Status::Lower; qp.n()], y: None };
    let path = trace(&line, &start, &Settings::default(), &mut ()).unwrap();
    assert_eq!(validate(&path, &line, &Exact::ZERO), []);
    path
}

/// Penalties at which two paths are compared: the knots of both, and between every two of them.
fn places(ours: Vec<f64>, theirs: Vec<f64>) -> Vec<f64> {
    let mut all: Vec<f64> = ours.into_iter().chain(theirs).chain([0.0]).collect();
    all.sort_by(f64::total_cmp);
    let between: Vec<f64> = all.windows(2).map(|w| (w[0] + w[1]) / 2.0).collect();
    all.extend(between);
    all
}

fn parameters<S: Scalar>(path: &Path<S>) -> impl Iterator<Item = S> {
    path.breakpoints().into_iter().map(|t| path.parameter(&t).swap_remove(0))
}

/// The largest error of the fit along the path of the lasso.
fn lasso_error(table: &Table, intercept: bool) -> f64 {
    let (columns, n) = (table.exact(intercept), Exact::integer(table.y.len() as i64));
    let (d, correlations) = (columns.x.len(), columns.correlations());
    let largest = correlations.iter().map(|g| Exact::larger(g.clone(), -g.clone())).fold(Exact::ZERO, Exact::larger);
    // θ = nα.
    let qp = pose(columns.gram(&[1, -1]), &correlations, &vec![Exact::integer(1); d]).unwrap();
    let theirs = down(&qp, largest.clone());
    let lasso = Lasso::new(&dense(&table.x), table.y.clone(), intercept, 0.0).unwrap();
    let ours = lasso.path(0.0, &Settings::default()).unwrap_or_else(|error| panic!("{error}: {:?}", table.x));
    let line = lasso.line(lasso.largest_alpha(), 0.0).unwrap();
    assert!(ours.is_complete(), "{:?}: {:?}", ours.stop(), table.x);
    assert_eq!(validate(&ours, &line, &1e-9), [], "{:?}", table.x);
    let knots = parameters(&theirs).map(|theta| rounded(&(theta / &n))).collect();
    let error = |alpha: f64| {
        let Some(fit) = lasso.at(&ours, alpha) else { return 0.0 };
        let x = theirs.at_parameter(&[exact(alpha) * &n]).unwrap().x;
        let w: Vec<Exact> = (0..d).map(|j| x[j].clone() - &x[d + j]).collect();
        columns.apart(&fit.coefficients, &w)
    };
    let limit = rounded(&(largest / &n)).min(lasso.largest_alpha());
    let all = places(parameters(&ours).collect(), knots);
    all.into_iter().filter(|alpha| *alpha < limit).map(error).fold(0.0, f64::max)
}

/// The same for non-negative least squares under a penalty on the sum.
fn nnls_error(table: &Table) -> f64 {
    let columns = table.exact(false);
    let (d, correlations) = (columns.x.len(), columns.correlations());
    let largest = correlations.iter().cloned().fold(Exact::ZERO, Exact::larger);
    let cost = Affine::line(correlations.into_iter().map(|g| -g).collect(), vec![Exact::integer(1); d]);
    let qp = ParametricQp::new(Arc::new(columns.gram(&[1])), vec![Range::at_least(Exact::ZERO)], cost).unwrap();
    let theirs = down(&qp.lower(Affine::constant(vec![Exact::ZERO; d], 1)).unwrap(), largest.clone());
    let problem = Nnls::non_negative(&dense(&table.x), table.y.clone()).unwrap();
    let ours = problem.path(&Course::Penalty, &Settings::default());
    let ours = ours.unwrap_or_else(|error| panic!("{error}: {:?}", table.x));
    assert!(ours.is_complete());
    assert_eq!(validate(&ours, &problem.line(&Course::Penalty).unwrap(), &1e-9), [], "{:?}", table.x);
    let error = |lambda: f64| {
        let Some(x) = problem.at(&ours, lambda) else { return 0.0 };
        columns.apart(&x, &theirs.at_parameter(&[exact(lambda)]).unwrap().x)
    };
    let limit = rounded(&largest).min(problem.largest_lambda());
    let all = places(parameters(&ours).collect(), parameters(&theirs).map(|theta| rounded(&theta)).collect());
    all.into_iter().filter(|lambda| *lambda < limit).map(error).fold(0.0, f64::max)
}

/// Normal numbers; columns up to so many powers of ten apart, the first two all of them.
fn normal(n: usize, d: usize, decades: f64, seed: u64) -> Table {
    let mut random = Random(seed);
    let mut scales: Vec<f64> = (0..d).map(|_| 10f64.powf(decades * random.unit())).collect();
    (scales[0], scales[1]) = (1.0, 10f64.powf(decades));
    let order = random.order(d);
    let x = (0..n).map(|_| order.iter().map(|&j| random.normal() * scales[j]).collect()).collect();
    Table { x, y: (0..n).map(|_| random.normal()).collect() }
}

/// Income in cents, age, an owner or not, a share, and what is spent.
fn cents(n: usize, seed: u64) -> Table {
    let mut random = Random(seed);
    let mut row = || {
        let income = (random.between(2e4, 3e5) * 0.1).round() * 1000.0;
        let x = vec![income, 18.0 + random.below(63) as f64, random.below(2) as f64, random.below(101) as f64 / 100.0];
        let spent = 5.0 + 1e-6 * x[0] + 0.15 * x[1] + 3.0 * x[2] + 2.0 * x[3] + 1.5 * random.normal();
        (x, (spent * 10.0).round() / 10.0)
    };
    let (x, y) = (0..n).map(|_| row()).unzip();
    Table { x, y }
}

fn assert_all(name: &str, errors: impl Iterator<Item = f64>) {
    let worst = errors.fold(0.0, f64::max);
    println!("{name}: {worst:.1e}");
    assert!(worst <= FIT, "{name}: {worst:e}");
}

#[test]
fn columns_up_to_twelve_powers_of_ten_apart() {
    for decades in [0.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0] {
        let name = |problem: &str| format!("{problem}, columns 1e{decades} apart");
        let known = if decades < 12.0 { &[][..] } else { KNOWN_FAILURES };
        assert_all(&name("nnls"), (0..60).map(|seed| nnls_error(&normal(6, 4, decades, seed))));
        assert_all(&name("lasso 5 x 2"), (0..60).map(|seed| lasso_error(&normal(5, 2, decades, seed), false)));
        assert_all(
            &name("lasso 8 x 4"),
            (0..30).filter(|seed| !known.contains(seed)).map(|seed| lasso_error(&normal(8, 4, decades, seed), true)),
        );
    }
}

#[test]
fn small_integers_ten_thousand_times_apart() {
    let table = |seed: u64| {
        let mut random = Random(seed);
        let x = (0..2).map(|_| vec![random.integer(9), 1e4 * random.integer(9)]).collect();
        Table { x, y: vec![random.integer(9), 1.0 + random.integer(8)] }
    };
    assert_all("nnls, integers", (0..300).map(|seed| nnls_error(&table(seed))).filter(|error| !error.is_nan()));
}

#[test]
fn incomes_in_cents() {
    for (n, count) in [(30, 40), (200, 10), (1000, 2)] {
        assert_all(&format!("n = {n}"), (0..count).map(|seed| lasso_error(&cents(n, seed), true)));
    }
}

#[test]
fn a_known_answer_in_mixed_units() {
    let least = |x: &[[f64; 2]], y: &[f64]| {
        let rows: Vec<Vec<f64>> = x.iter().map(|row| row.to_vec()).collect();
        let problem = Nnls::non_negative(&dense(&rows), y.to_vec()).unwrap();
        let x = problem.at(&problem.path(&Course::Penalty, &Settings::default()).unwrap(), 0.0).unwrap();
        (problem.residual_square(&x), x)
    };
    // (9, 8)x = (2, 5): x = 58/145 = 0.4, the second column's correlation with the rest is negative.
    let (square, x) = least(&[[9.0, 60_000.0], [8.0, 40_000.0]], &[2.0, 5.0]);
    assert!((x[0] - 0.4).abs() <= 1e-15 && x[1] == 0.0 && (square - 5.8).abs() <= 1e-14, "{x:?} {square}");
}

/// Columns that are ten powers of ten apart, and fit the response with one of them alone.
#[test]
fn an_exact_fit_in_mixed_units() {
    let table = |long: f64| Table { x: vec![vec![1.0, 3.0 * long], vec![2.0, long]], y: vec![1.0, 2.0] };
    for long in [1e4, 1e10, 1e-10] {
        let Table { x, y } = table(long);
        let problem = Nnls::non_negative(&dense(&x), y).unwrap();
        let path = problem.path(&Course::Penalty, &Settings::default()).unwrap();
        let x = problem.at(&path, 0.0).unwrap();
        assert!((x[0] - 1.0).abs() <= 1e-14 && x[1].abs() * long <= 1e-14, "{long}: {x:?}");
        assert!(problem.residual_square(&x) <= 1e-27, "{long}: {x:?}");
    }
}
