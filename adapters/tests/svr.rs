//! ε-SVR: cases with known answers, an interior-point solver, the median, ties, wide tubes, both charts, and bad input.

use crate::common::primal::{Losses, explicit};
use crate::common::{assert_same, dense};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Line, Path, Settings};
use pathqp_adapters::course::Course;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::problem::{Constant, begin};
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{AdapterError, Bias, KernelProblem, Model, PathProblem};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

pub const BIASES: [Bias; 3] = [Bias::Intercept, Bias::None, Bias::Augmented(2.0)];
pub const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "laplacian:0.3", "poly:2,0.5,1"];

pub fn svr(x: &[Vec<f64>], y: &[f64], weights: Option<Vec<f64>>, kernel: &str, bias: Bias, chart: Chart) -> Svr {
    Svr::new(Arc::new(dense(x)), y.to_vec(), weights, kernel.parse().unwrap(), bias, chart).unwrap()
}

/// A wave with noise.
pub fn wave(n: usize, d: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Random(seed);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| 4.0 * random.unit() - 2.0).collect()).collect();
    let y = x.iter().map(|x| (2.0 * x[0]).sin() + 0.5 * random.normal()).collect();
    (x, y)
}

pub fn course(vary: &str, fixed: &str, value: f64) -> Course {
    Course { vary: vary.into(), fixed: BTreeMap::from([(fixed.into(), value)]), direction: None }
}

/// A line between two θ and its path, from the adapter's own start.
pub fn path(svr: &Svr, from: [f64; 2], to: [f64; 2]) -> (Line<f64>, Path<f64>) {
    let settings = Settings::default();
    let qp = svr.qp(&settings).unwrap();
    let line = qp.line(&from, &to).unwrap();
    let start = svr.start(&qp, &from, &settings);
    let mut follower = begin(&line, &start, &settings).unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error}"));
    if let Err(error) = follower.run(&mut ()) {
        panic!("{from:?} to {to:?}: {error}, at {}", follower.position());
    }
    let path = follower.into_path();
    assert!(path.is_complete(), "{:?}", path.stop());
    (line, path)
}

/// The breakpoints inside a line, there and back. (Where all z of a side vanish only at an end of the line, as at ε = 0, whoever
/// arrives there meets it and who begins there does not.)
pub fn assert_reversible(what: &str, svr: &Svr, from: [f64; 2], to: [f64; 2], (line, there): &(Line<f64>, Path<f64>)) {
    let length = line.length().unwrap();
    let tolerance = 1e-9 * length.max(1.0);
    let inside = |t: &f64| *t > tolerance && *t < length - tolerance;
    let mut back: Vec<f64> = path(svr, to, from).1.breakpoints().iter().map(|t| length - t).collect();
    back.reverse();
    // Ties that rounding parts by less than this are one breakpoint, in either direction.
    let apart = 1e-12 * length.max(1.0);
    let inner = |values: &[f64]| {
        let mut inner: Vec<f64> = values.iter().copied().filter(inside).collect();
        inner.dedup_by(|b, a| *b - *a <= apart);
        inner
    };
    assert_same(what, &inner(&there.breakpoints()), &inner(&back), tolerance);
}

pub fn at(svr: &Svr, (line, path): &(Line<f64>, Path<f64>), theta: [f64; 2]) -> (Model, Constant, f64) {
    let t = path.position(&theta).unwrap();
    let point = path.at(&t).unwrap_or_else(|| panic!("{theta:?} is not on the path"));
    let certificate = Certificate::new(line, &t, &point.x, &point.y);
    let model = svr.model(&theta, &point);
    let constant = svr.constant(&model, certificate.multiplier_range);
    (model, constant, certificate.kkt_residual())
}

pub fn ends(constant: Constant) -> [f64; 2] {
    match constant {
        Constant::Unique(value) => [value; 2],
        Constant::Interval([low, high]) => [low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)],
    }
}

/// α − α*, and that never both are positive.
pub fn net(model: &Model) -> Vec<f64> {
    let (up, down) = model.alpha.split_at(model.alpha.len() / 2);
    assert!(up.iter().zip(down).all(|(a, b)| *a >= 0.0 && *b >= 0.0 && (*a == 0.0 || *b == 0.0)));
    up.iter().zip(down).map(|(a, b)| a - b).collect()
}

/// K with the constant feature.
pub fn kernel_matrix(svr: &Svr) -> Vec<Vec<f64>> {
    let machine = svr.machine();
    let n = machine.rows();
    let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let column = |j| machine.kernel().expand(machine.features(), machine.features(), &unit(j));
    let mut kernel: Vec<Vec<f64>> = (0..n).map(column).collect();
    kernel.iter_mut().flatten().for_each(|k| *k += machine.bias().kernel_offset());
    kernel
}

/// min ½‖w‖² + (1/λ) Σ vᵢ max(0, |Yᵢ − f| − ε), times λ: a hinge for each side of the tube.
pub fn interior_point(svr: &Svr, rows: &[Vec<f64>], lambda: f64, epsilon: f64) -> f64 {
    let (n, y) = (rows.len(), svr.responses());
    let cost = svr.machine().weights().iter().map(|v| v / lambda);
    let losses = Losses {
        rows: &[rows, rows].concat(),
        intercept: svr.machine().bias() == Bias::Intercept,
        signs: [vec![1.0; n], vec![-1.0; n]].concat(),
        targets: y.iter().map(|y| y - epsilon).chain(y.iter().map(|y| -y - epsilon)).collect(),
        below: cost.clone().chain(cost).collect(),
        above: vec![0.0; 2 * n],
    };
    losses.minimum() * lambda
}

/// Ten rows, RBF with γ = 1, C = 10, solved to 70 digits: ε, the least value, the ends of b, α − α*.
#[test]
fn wide_tubes_have_their_known_answers() {
    let x = [0.0, 0.3, 0.7, 1.0, 1.4, 1.8, 2.1, 2.5, 2.9, 3.3].map(|x| vec![x]);
    let y = [0.10, 0.35, -0.20, 0.45, -0.40, 0.05, 0.30, -0.45, 0.25, 0.00];
    let narrow = [
        0.0,
        1.34796493892484,
        -5.996538777296,
        10.0,
        -8.6716747908121,
        0.0,
        9.11946902772784,
        -10.0,
        5.30928961447638,
        -1.10851001302095,
    ];
    let median = [
        -5.23631986685801,
        10.0,
        -10.0,
        10.0,
        -10.0,
        5.16537622166313,
        4.80745314447106,
        -10.0,
        8.4762266148189,
        -3.21273611409507,
    ];
    let table = [
        (0.6, 0.0, [-0.15, 0.15], [0.0; 10]),
        (0.45, 0.0, [0.0, 0.0], [0.0; 10]),
        (0.2, 7.42358957736503, [0.0874529540649953; 2], narrow),
        (0.0, 20.2476815828293, [-0.190192571621754; 2], median),
    ];
    for chart in [Chart::Penalty, Chart::Cost] {
        let svr = svr(&x, &y, None, "rbf:1", Bias::Intercept, chart);
        assert!((svr.widest() - 0.45).abs() <= 1e-15);
        let unit = if chart == Chart::Cost { 1.0 } else { 10.0 };
        for (from, to) in [(0.7, 0.0), (0.0, 0.7)] {
            let there = path(&svr, svr.theta(0.1, from), svr.theta(0.1, to));
            assert_eq!(validate(&there.1, &there.0, &1e-9), []);
            for (epsilon, value, b, beta) in table {
                let (model, constant, residual) = at(&svr, &there, svr.theta(0.1, epsilon));
                assert!((unit * model.objective - value).abs() <= 1e-12, "ε = {epsilon}: {}", model.objective);
                assert!((unit * model.dual_objective - value).abs() <= 1e-12 && residual <= 1e-12);
                let found = ends(constant);
                assert!(
                    (found[0] - b[0]).abs() <= 1e-12 && (found[1] - b[1]).abs() <= 1e-12,
                    "ε = {epsilon}: {found:?}"
                );
                for (a, b) in net(&model).iter().zip(beta) {
                    assert!((unit * a - b).abs() <= 1e-10, "ε = {epsilon}: {a} and {b}");
                }
                let is_outside = |(a, _): &(&f64, &f64)| a.abs() == 10.0;
                let count = beta.iter().zip(&y).filter(is_outside).count();
                assert_eq!(svr.outside(&model), count as f64 / 10.0, "ε = {epsilon}");
            }
            let first = there.1.breakpoints().into_iter().map(|t| there.1.parameter(&t)[1]).fold(0.0, f64::max);
            let expected = svr.theta(0.1, 0.45)[1];
            assert!((first - expected).abs() <= 1e-15, "the first event is at {first}");
        }
    }
}

#[test]
fn every_line_is_optimal_and_an_interior_point_solver_agrees() {
    let (x, y) = wave(30, 2, 3);
    // (λ, ε): at fixed ε, at fixed λ, and across.
    let lines = [
        ([0.05, 0.2], [30.0, 0.2]),
        ([0.5, 0.0], [0.5, 2.5]),
        ([2.0, 1.0], [0.1, 0.1]),
        ([8.0, 0.05], [0.2, 0.05]),
        ([1.0, 0.9], [1.0, 0.1]),
    ];
    for bias in BIASES {
        for kernel in KERNELS {
            for (k, &(from, to)) in lines.iter().enumerate() {
                for chart in [Chart::Penalty, Chart::Cost] {
                    let mut random = Random(k as u64);
                    let weights = (k % 2 == 1).then(|| y.iter().map(|_| 0.3 + random.unit()).collect());
                    let svr = svr(&x, &y, weights, kernel, bias, chart);
                    let rows = explicit(&kernel_matrix(&svr));
                    let [a, b] = [from, to].map(|[lambda, epsilon]| svr.theta(lambda, epsilon));
                    let there = path(&svr, a, b);
                    let what = format!("{bias:?} {kernel} {chart:?} {from:?} {to:?}");
                    assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{what}");
                    assert_reversible(&what, &svr, a, b, &there);
                    let s = 0.02 + 0.96 * random.unit();
                    let theta = [0, 1].map(|j: usize| a[j] + s * (b[j] - a[j]));
                    let (model, _, residual) = at(&svr, &there, theta);
                    let (lambda, epsilon) =
                        if chart == Chart::Cost { (1.0 / theta[0], theta[1]) } else { (theta[0], theta[1] / theta[0]) };
                    let unit = if chart == Chart::Cost { lambda } else { 1.0 };
                    let other = interior_point(&svr, &rows, lambda, epsilon);
                    assert!(residual <= 1e-9, "{what} at {theta:?}: {residual:e}");
                    let off = (unit * model.objective - other).abs() / other;
                    assert!(off <= 1e-8, "{what} at {theta:?}: {} and {other}", unit * model.objective);
                    assert!((model.objective - model.dual_objective).abs() <= 1e-9 * model.objective);
                    net(&model);
                }
            }
        }
    }
}

/// |r| is twice the pinball loss at τ = ½: the same function as quantile regression with half the penalty.
#[test]
fn without_a_tube_it_is_the_median() {
    let (x, mut y) = wave(25, 2, 8);
    for round in [false, true] {
        if round {
            y.iter_mut().for_each(|y| *y = (2.0 * *y).round() / 2.0);
        }
        for bias in BIASES {
            for kernel in KERNELS {
                let svr = svr(&x, &y, None, kernel, bias, Chart::Penalty);
                let along_lambda = path(&svr, [0.05, 0.0], [20.0, 0.0]);
                assert_eq!(validate(&along_lambda.1, &along_lambda.0, &1e-9), [], "{kernel} {bias:?}");
                let kqr = Kqr::new(Arc::new(dense(&x)), y.clone(), None, kernel.parse().unwrap(), bias).unwrap();
                let qp = kqr.qp(&Settings::default()).unwrap();
                for lambda in [0.07, 0.5, 4.0] {
                    let narrow = path(&svr, svr.theta(lambda, 1.0), svr.theta(lambda, 0.0));
                    let line = qp.line(&[0.5, lambda / 2.0], &[0.5, lambda]).unwrap();
                    let start = kqr.start(&qp, &[0.5, lambda / 2.0], &Settings::default());
                    let point = begin(&line, &start, &Settings::default()).unwrap();
                    let mut point = point;
                    point.run(&mut ()).unwrap();
                    let median = kqr.model(&[0.5, lambda / 2.0], &point.into_path().at(&0.0).unwrap());
                    for found in [at(&svr, &along_lambda, [lambda, 0.0]), at(&svr, &narrow, [lambda, 0.0])] {
                        let what = format!("{kernel} {bias:?} {lambda}");
                        assert!(found.2 <= 1e-9, "{what}: {:e}", found.2);
                        let off = (found.0.objective - 2.0 * median.objective).abs();
                        assert!(off <= 1e-9 * found.0.objective, "{what}: {off:e}");
                        // The norm is strictly convex: f is unique but for its constant.
                        let b = ends(found.1);
                        let (f, g) = (svr.machine().fit(&found.0.function).0, svr.machine().fit(&median.function).0);
                        let shift = f[0] - g[0];
                        assert!(f.iter().zip(&g).all(|(f, g)| (f - g - shift).abs() <= 1e-7), "{what}");
                        assert!(shift.abs() <= 1e-7 || b[1] - b[0] >= shift.abs() - 1e-9, "{what}: {shift} {b:?}");
                        net(&found.0);
                    }
                }
            }
        }
    }
}

#[test]
fn in_the_widest_tubes_nothing_is_active() {
    let (x, y) = wave(12, 1, 5);
    for chart in [Chart::Penalty, Chart::Cost] {
        for bias in BIASES {
            let svr = svr(&x, &y, None, "rbf:1", bias, chart);
            let widest = svr.widest();
            let settings = Settings::default();
            assert_eq!(svr.largest_knot(widest, &settings), Ok(None));
            let (a, b) = (svr.theta(10.0, 1.5 * widest), svr.theta(0.01, 1.5 * widest));
            let there = path(&svr, a, b);
            assert_eq!((validate(&there.1, &there.0, &1e-9), there.1.breakpoints()), (vec![], vec![]));
            let (model, constant, residual) = at(&svr, &there, b);
            assert_eq!((model.objective, model.dual_objective, residual), (0.0, 0.0, 0.0));
            assert!(model.alpha.iter().all(|a| *a == 0.0));
            assert_eq!(svr.outside(&model), 0.0);
            if bias == Bias::Intercept {
                let (least, largest) = y.iter().fold((0.0, 0.0), |(l, h): (f64, f64), y| (l.min(*y), h.max(*y)));
                let found = ends(constant);
                assert!((found[0] - (largest - 1.5 * widest)).abs() <= 1e-12, "{found:?}");
                assert!((found[1] - (least + 1.5 * widest)).abs() <= 1e-12, "{found:?}");
            }
        }
    }
}

#[test]
fn beyond_the_largest_knot_nothing_changes() {
    let settings = Settings::default();
    for (seed, round) in [(1, false), (2, true), (3, true)] {
        let (x, y) = wave(20, 1, seed);
        let y: Vec<f64> = y.iter().map(|y| if round { (2.0 * y).round() / 2.0 } else { *y }).collect();
        for epsilon in [0.0, 0.25, 0.6] {
            for bias in BIASES {
                for kernel in KERNELS {
                    let svr = svr(&x, &y, None, kernel, bias, Chart::Penalty);
                    let what = format!("{kernel} {bias:?} ε = {epsilon} {round}");
                    let Some(knot) = svr.largest_knot(epsilon, &settings).unwrap() else { panic!("{what}: no knot") };
                    let there = path(&svr, svr.theta(0.5 * knot, epsilon), svr.theta(1e3 * knot, epsilon));
                    assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{what}");
                    let last = there.1.breakpoints().last().map(|t| there.1.parameter(t)[0]).unwrap();
                    assert!((last - knot).abs() <= 1e-9 * knot, "{what}: {last} and {knot}");
                }
            }
        }
    }
}

/// The steps against the models.
#[test]
fn the_share_outside_is_a_step_function() {
    let (x, y) = wave(40, 1, 12);
    for (chart, from, to) in [
        (Chart::Penalty, [0.3, 0.0], [0.3, 2.0]),
        (Chart::Cost, [0.05, 0.3], [3.0, 0.3]),
        (Chart::Penalty, [3.0, 1.0], [0.1, 0.1]),
    ] {
        let svr = svr(&x, &y, None, "rbf:0.5", Bias::Intercept, chart);
        let (a, b) = (svr.theta(from[0], from[1]), svr.theta(to[0], to[1]));
        let there = path(&svr, a, b);
        let steps = svr.outside_along(&there.1).unwrap();
        assert_eq!(steps.theta.len(), steps.values.len() + 1);
        let t: Vec<f64> = steps.theta.iter().map(|theta| there.1.position(theta).unwrap()).collect();
        assert!(t.windows(2).all(|w| w[0] < w[1]) && steps.values.len() > 5);
        for (ends, value) in t.windows(2).zip(&steps.values) {
            for part in [0.25, 0.5, 0.75] {
                let t = ends[0] + part * (ends[1] - ends[0]);
                let model = svr.model(&there.1.parameter(&t), &there.1.at(&t).unwrap());
                assert_eq!(svr.outside(&model), *value, "{chart:?} at {t}");
            }
        }
    }
}

#[test]
fn small_and_odd_data() {
    let settings = Settings::default();
    for (x, y) in [
        (vec![vec![1.0]], vec![2.0]),
        (vec![vec![1.0]], vec![0.0]),
        (vec![vec![1.0], vec![2.0], vec![3.0]], vec![5.0; 3]),
        (vec![vec![1.0]; 4], vec![0.0, 1.0, 1.0, 3.0]),
        (vec![vec![0.0], vec![1.0]], vec![0.0, 1.0]),
        (vec![vec![1e6], vec![-2e6], vec![3e6]], vec![1e9, -1e9, 0.0]),
        (vec![vec![1e-6], vec![-2e-6], vec![3e-6]], vec![1e-9, -1e-9, 5e-10]),
    ] {
        // At distances of 1e-6 the values of an RBF kernel, 1 − 1e-12, are known to four digits only.
        let kernels: &[&str] = if x[0][0] == 1e-6 { &["linear"] } else { &["linear", "rbf:0.5"] };
        for &kernel in kernels {
            for bias in BIASES {
                if x[0][0] == 1e6 && bias == Bias::Augmented(2.0) {
                    // Beside features of 1e6 the weight of a constant feature 2 is known to 1e-8 only.
                    continue;
                }
                for chart in [Chart::Penalty, Chart::Cost] {
                    let svr = svr(&x, &y, None, kernel, bias, chart);
                    let scale = if chart == Chart::Cost { "c" } else { "lambda" };
                    let largest = y.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
                    // λ of the size at which x moves within its bounds while ε does so within the range of Y.
                    let knot = svr.largest_knot(0.3 * largest, &settings).unwrap().unwrap_or(1.0);
                    let fixed = if chart == Chart::Cost { 2.0 / knot } else { 0.5 * knot };
                    for course in [course("epsilon", scale, fixed), course(scale, "epsilon", 0.3 * largest)] {
                        let axis = svr.axis(&course).unwrap();
                        let qp = svr.qp(&settings).unwrap();
                        let [Some(from), Some(to)] = svr.ends(&qp, &axis, &settings).unwrap() else {
                            panic!("{course:?}")
                        };
                        let what = format!("{x:?} {y:?} {kernel} {bias:?} {course:?} from {from} to {to}");
                        for [from, to] in [[from, to], [to, from]] {
                            let (a, b) = (axis.theta(from), axis.theta(to));
                            let there = path(&svr, [a[0], a[1]], [b[0], b[1]]);
                            assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{what}");
                        }
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer grids: ties in y, repeated x, constant x; ε at and between the values at which rows tie.
    #[test]
    fn ties_do_not_matter(
        rows in prop::collection::vec((prop::collection::vec(-2i32..=2, 2), -2i32..=2), 1..12),
        epsilon in prop::sample::select(vec![0.0, 0.25, 0.5, 1.0, 1.3]),
        lambda in prop::sample::select(vec![0.1, 0.5, 1.0, 7.0]),
        bias in prop::sample::select(BIASES.to_vec()),
        kernel in prop::sample::select(KERNELS.to_vec()),
        chart in prop::sample::select(vec![Chart::Penalty, Chart::Cost]),
    ) {
        let x: Vec<Vec<f64>> = rows.iter().map(|row| row.0.iter().map(|&v| f64::from(v)).collect()).collect();
        let y: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        let svr = svr(&x, &y, None, kernel, bias, chart);
        for (from, to) in [([0.05, epsilon], [50.0, epsilon]), ([lambda, 0.0], [lambda, 2.5]), ([0.1, 1.5], [3.0, 0.0])] {
            let (a, b) = (svr.theta(from[0], from[1]), svr.theta(to[0], to[1]));
            let there = path(&svr, a, b);
            let violations = validate(&there.1, &there.0, &1e-9);
            prop_assert!(violations.is_empty(), "{violations:?}");
            assert_reversible("backwards", &svr, a, b, &there);
        }
    }
}

#[test]
fn wrong_questions_are_named() {
    let (x, y) = wave(6, 2, 1);
    let model = svr(&x, &y, None, "linear", Bias::Intercept, Chart::Penalty);
    let costs = model.charted(Chart::Cost);
    let refused = |svr: &Svr, vary: &str, fixed: &str, value: f64| svr.axis(&course(vary, fixed, value)).err();
    assert!(matches!(refused(&model, "c", "epsilon", 0.5), Some(AdapterError::Vary { .. })));
    assert!(matches!(refused(&costs, "lambda", "epsilon", 0.5), Some(AdapterError::Vary { .. })));
    assert!(matches!(refused(&costs, "tau", "epsilon", 0.5), Some(AdapterError::Vary { .. })));
    assert!(matches!(refused(&model, "lambda", "lambda", 0.5), Some(AdapterError::Unused { .. })));
    assert!(matches!(refused(&model, "epsilon", "c", 0.5), Some(AdapterError::Unused { .. })));
    assert!(matches!(
        refused(&model, "lambda", "epsilon", -0.5),
        Some(AdapterError::Parameter { name: "epsilon", .. })
    ));
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            refused(&model, "epsilon", "lambda", lambda),
            Some(AdapterError::Parameter { name: "lambda", .. })
        ));
    }
    let nothing = Course { vary: "lambda".into(), fixed: BTreeMap::new(), direction: None };
    assert!(matches!(model.axis(&nothing), Err(AdapterError::Missing { name: "epsilon", .. })));
    let new = |y: &[f64], weights, kernel| {
        Svr::new(Arc::new(dense(&x)), y.to_vec(), weights, kernel, Bias::Intercept, Chart::Cost).err()
    };
    let linear = KernelKind::Linear;
    assert!(matches!(new(&y[1..], None, linear), Some(AdapterError::Shape { what: "responses", .. })));
    let broken = [1.0, 2.0, f64::NAN, 1.0, 1.0, 1.0];
    assert!(matches!(new(&broken, None, linear), Some(AdapterError::Response { row: 2, .. })));
    assert!(matches!(new(&y, Some(vec![0.0; 6]), linear), Some(AdapterError::NoWeight { rows: 6 })));
    let (_, whole) = path(&model, model.theta(1.0, 0.2), model.theta(1.0, 0.8));
    assert!(model.at(&whole, model.theta(1.0, 0.5)).is_ok());
    assert!(model.at(&whole, model.theta(1.0, 0.9)).is_err() && model.at(&whole, [0.0, 0.5]).is_err());
    let axis = |svr: &Svr, vary: &str, fixed: &str| svr.axis(&course(vary, fixed, 0.5)).unwrap().theta(3.0);
    assert_eq!(
        (axis(&model, "lambda", "epsilon"), axis(&model, "epsilon", "lambda")),
        (vec![3.0, 1.5], vec![0.5, 1.5])
    );
    assert_eq!((axis(&costs, "c", "epsilon"), axis(&costs, "epsilon", "c")), (vec![3.0, 0.5], vec![0.5, 3.0]));
}
