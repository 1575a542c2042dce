//! Kernel quantile regression: cases with known answers, an interior-point solver, ties, limits, and bad input.

use crate::common::primal::{Losses, explicit};
use crate::common::{assert_same, dense, follow};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Line, Path, Settings, Start, trace};
use pathqp_adapters::course::{Axis, Course};
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::problem::{Constant, begin};
use pathqp_adapters::{AdapterError, Bias, KernelProblem, Model, PathProblem};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const BIASES: [Bias; 3] = [Bias::Intercept, Bias::None, Bias::Augmented(2.0)];
const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "laplacian:0.3", "poly:2,0.5,1"];

fn kqr(x: &[Vec<f64>], y: &[f64], weights: Option<Vec<f64>>, kernel: &str, bias: Bias) -> Kqr {
    Kqr::new(Arc::new(dense(x)), y.to_vec(), weights, kernel.parse().unwrap(), bias).unwrap()
}

/// A wave with noise that grows with x.
fn wave(n: usize, d: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Random(seed);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| 4.0 * random.unit() - 2.0).collect()).collect();
    let y = x.iter().map(|x| (2.0 * x[0]).sin() + 0.2 * (x[0] + 3.0) * random.normal()).collect();
    (x, y)
}

fn course(vary: &str, fixed: &str, value: f64) -> Course {
    Course { vary: vary.into(), fixed: BTreeMap::from([(fixed.into(), value)]), direction: None }
}

fn axis(kqr: &Kqr, vary: &str, fixed: f64) -> Axis {
    kqr.axis(&course(vary, if vary == "tau" { "lambda" } else { "tau" }, fixed)).unwrap()
}

/// A line between two points (τ, λ) and its path, from the adapter's own start.
fn path(kqr: &Kqr, from: [f64; 2], to: [f64; 2]) -> (Line<f64>, Path<f64>) {
    let settings = Settings::default();
    let qp = kqr.qp(&settings).unwrap();
    let line = qp.line(&from, &to).unwrap();
    let start = kqr.start(&qp, &from, &settings);
    let mut follower = begin(&line, &start, &settings).unwrap_or_else(|error| panic!("{from:?} to {to:?}: {error}"));
    if let Err(error) = follower.run(&mut ()) {
        panic!("{from:?} to {to:?}: {error}, at {}", follower.position());
    }
    let path = follower.into_path();
    assert!(path.is_complete(), "{:?}", path.stop());
    (line, path)
}

fn at(kqr: &Kqr, (line, path): &(Line<f64>, Path<f64>), theta: [f64; 2]) -> (Model, Constant, f64) {
    let t = path.position(&theta).unwrap();
    let point = path.at(&t).unwrap_or_else(|| panic!("{theta:?} is not on the path"));
    let certificate = Certificate::new(line, &t, &point.x, &point.y);
    let model = kqr.model(&theta, &point);
    let constant = kqr.constant(&model, certificate.multiplier_range);
    (model, constant, certificate.kkt_residual())
}

/// min ½‖w‖² + (1/λ) Σ vᵢρ_τ, times λ.
fn interior_point(kqr: &Kqr, [tau, lambda]: [f64; 2]) -> f64 {
    let machine = kqr.machine();
    let n = machine.rows();
    let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut kernel: Vec<Vec<f64>> =
        (0..n).map(|j| machine.kernel().expand(machine.features(), machine.features(), &unit(j))).collect();
    kernel.iter_mut().flatten().for_each(|k| *k += machine.bias().kernel_offset());
    let cost = |share: f64| machine.weights().iter().map(|v| v * share / lambda).collect::<Vec<f64>>();
    let losses = Losses {
        rows: &explicit(&kernel),
        intercept: machine.bias() == Bias::Intercept,
        signs: vec![1.0; n],
        targets: kqr.responses().to_vec(),
        below: cost(tau),
        above: cost(1.0 - tau),
    };
    losses.minimum() * lambda
}

fn ends(constant: Constant) -> [f64; 2] {
    match constant {
        Constant::Unique(value) => [value; 2],
        Constant::Interval([low, high]) => [low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)],
    }
}

/// Ties in y and repeated x (RBF with γ = ½, C = 1/λ = 5), solved to 70 digits: τ, C times the least primal value, b.
#[test]
fn ties_and_repeated_rows_have_their_known_answers() {
    let y = [1.0, 1.0, 1.5, 1.5, 2.0, 2.0, 2.0, 3.0, 2.5, 2.5, 1.0, 1.5, 0.5, 1.0, 1.0, 0.5];
    let x = [0.0, 0.5, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.0, 3.5, 4.0, 4.0, 4.5, 5.0].map(|x| vec![x]);
    let kqr = kqr(&x, &y, None, "rbf:0.5", Bias::Intercept);
    let whole = path(&kqr, [0.0, 0.2], [1.0, 0.2]);
    assert_eq!(validate(&whole.1, &whole.0, &1e-9), []);
    for (tau, value, b) in [
        (0.1, 4.31318823837026, 0.964235722646),
        (0.25, 9.23431088181331, 1.016353337039),
        (0.5, 12.0995068089611, 1.245593447463),
        (0.9, 4.74375675382841, 1.714190213067),
    ] {
        let along_lambda = path(&kqr, [tau, 0.02], [tau, 20.0]);
        assert_eq!(validate(&along_lambda.1, &along_lambda.0, &1e-9), [], "tau = {tau}");
        for found in [at(&kqr, &whole, [tau, 0.2]), at(&kqr, &along_lambda, [tau, 0.2])] {
            assert!((5.0 * found.0.objective - value).abs() <= 1e-9 * value, "tau = {tau}: {}", found.0.objective);
            assert!((5.0 * found.0.dual_objective - value).abs() <= 1e-9 * value, "tau = {tau}");
            let [low, high] = ends(found.1);
            assert!((low - b).abs() <= 1e-9 && (high - b).abs() <= 1e-9, "tau = {tau}: b in [{low}, {high}]");
        }
    }
}

/// A constant feature: f is the sample quantile, and the interval of order statistics when nτ is whole.
#[test]
fn a_constant_feature_gives_sample_quantiles() {
    let y = [2.5, -1.0, 0.5, 4.0, 0.5, 7.0, 3.0, -2.0, 1.0, 6.0];
    let kqr = kqr(&vec![vec![3.0]; 10], &y, None, "linear", Bias::Intercept);
    let whole = path(&kqr, [0.0, 1.0], [1.0, 1.0]);
    assert_eq!(validate(&whole.1, &whole.0, &1e-9), []);
    for (tau, value, b) in [
        (0.25, 8.125, [0.5, 0.5]),
        (0.3, 8.95, [0.5, 0.5]),
        (0.5, 11.75, [1.0, 2.5]),
        (0.65, 10.975, [3.0, 3.0]),
        // By hand: 0.1 · Σ(y + 2) = 0.1 · 41.5.
        (0.1, 4.15, [-2.0, -1.0]),
    ] {
        let (model, constant, residual) = at(&kqr, &whole, [tau, 1.0]);
        let found = ends(constant);
        assert!((model.objective - value).abs() <= 1e-12 && residual <= 1e-9, "tau = {tau}: {}", model.objective);
        assert!((found[0] - b[0]).abs() <= 1e-12 && (found[1] - b[1]).abs() <= 1e-12, "tau = {tau}: {found:?}");
    }
    // Nothing depends on λ: there is no knot.
    assert_eq!(kqr.largest_knot(0.25, &Settings::default()), Ok(None));
}

#[test]
fn every_line_is_optimal_and_an_interior_point_solver_agrees() {
    let (x, y) = wave(36, 2, 3);
    let lines = [
        ([0.0, 0.3], [1.0, 0.3]),
        ([0.2, 0.05], [0.2, 30.0]),
        ([0.9, 1.0], [0.1, 1.0]),
        ([0.75, 8.0], [0.75, 0.2]),
        ([0.1, 0.1], [0.9, 5.0]),
    ];
    for bias in BIASES {
        for kernel in KERNELS {
            for (k, &(from, to)) in lines.iter().enumerate() {
                let mut random = Random(k as u64);
                let weights = (k % 2 == 1).then(|| y.iter().map(|_| 0.3 + random.unit()).collect());
                let kqr = kqr(&x, &y, weights, kernel, bias);
                let there = path(&kqr, from, to);
                let what = format!("{bias:?} {kernel} {from:?} {to:?}");
                assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{what}");
                let coordinate = usize::from(from[0] == to[0]);
                let values = |path: &Path<f64>| {
                    let mut values: Vec<f64> =
                        path.breakpoints().iter().map(|t| path.parameter(t)[coordinate]).collect();
                    values.sort_by(f64::total_cmp);
                    values
                };
                assert_same(&what, &values(&there.1), &values(&path(&kqr, to, from).1), 1e-9);
                for _ in 0..2 {
                    let s = 0.02 + 0.96 * random.unit();
                    let theta = [from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])];
                    let (model, _, residual) = at(&kqr, &there, theta);
                    let other = interior_point(&kqr, theta);
                    assert!(residual <= 1e-9, "{what} at {theta:?}: {residual:e}");
                    let off = (model.objective - other).abs() / other;
                    assert!(off <= 1e-8, "{what} at {theta:?}: {} and {other}", model.objective);
                    assert!((model.objective - model.dual_objective).abs() <= 1e-9 * other);
                }
            }
        }
    }
}

/// Where λ is large x does not depend on it, and f is a sample quantile: also when responses tie there.
#[test]
fn beyond_the_largest_knot_nothing_changes() {
    let settings = Settings::default();
    let mut without_knot = 0;
    for (seed, round) in [(1, false), (2, true), (3, true)] {
        let (x, y) = wave(30, 1, seed);
        let y: Vec<f64> = y.iter().map(|y| if round { (2.0 * y).round() / 2.0 } else { *y }).collect();
        for tau in [0.1, 0.25, 0.5, 0.77] {
            for kernel in KERNELS {
                let kqr = kqr(&x, &y, None, kernel, Bias::Intercept);
                let Some(knot) = kqr.largest_knot(tau, &settings).unwrap() else {
                    // The rows that tie at the quantile can make f constant at every λ.
                    let there = path(&kqr, [tau, 1e-3], [tau, 1e3]);
                    assert_eq!((validate(&there.1, &there.0, &1e-9), there.1.breakpoints()), (vec![], vec![]));
                    assert!(kqr.machine().fit(&at(&kqr, &there, [tau, 1.0]).0.function).1.abs() <= 1e-12);
                    without_knot += 1;
                    continue;
                };
                let upwards = path(&kqr, [tau, 0.5 * knot], [tau, 1e3 * knot]);
                assert_eq!(validate(&upwards.1, &upwards.0, &1e-9), [], "{kernel} {tau}");
                let last = *upwards.1.breakpoints().last().unwrap();
                let found = upwards.1.parameter(&last)[1];
                assert!((found - knot).abs() <= 1e-9 * knot, "{kernel} {tau} {round}: {found} and {knot}");
                let x = |part: f64| at(&kqr, &upwards, [tau, part * knot]).0.alpha;
                assert!(x(1.001).iter().zip(x(900.0)).all(|(a, b)| (a - b).abs() <= 1e-9), "{kernel} {tau}");
                assert!(x(1.001).iter().zip(x(0.9)).any(|(a, b)| (a - b).abs() > 1e-9), "{kernel} {tau}");
                // The weight of the responses below f is at most the share τ, of those not above it at least.
                let (_, constant, _) = at(&kqr, &upwards, [tau, 900.0 * knot]);
                let b = ends(constant)[0];
                let count = |below: &dyn Fn(f64) -> bool| y.iter().filter(|y| below(**y)).count() as f64 / 30.0;
                assert!(count(&|y| y < b - 0.2) <= tau && count(&|y| y <= b + 0.2) >= tau, "{kernel} {tau}: {b}");
            }
        }
    }
    assert!(without_knot < 6, "{without_knot}");
}

#[test]
fn the_ends_of_tau_cost_nothing() {
    let (x, y) = wave(20, 1, 9);
    for bias in BIASES {
        let kqr = kqr(&x, &y, None, "rbf:0.5", bias);
        let whole = path(&kqr, [0.0, 0.1], [1.0, 0.1]);
        for tau in [0.0, 1.0] {
            let (model, constant, residual) = at(&kqr, &whole, [tau, 0.1]);
            assert!(residual <= 1e-9);
            if bias == Bias::Intercept {
                // f is any constant below (above) all responses.
                assert!(model.objective.abs() <= 1e-12 && model.alpha.iter().all(|x| x.abs() <= 1e-15), "{model:?}");
                let (least, largest) = (y.iter().copied().reduce(f64::min), y.iter().copied().reduce(f64::max));
                let [low, high] = ends(constant);
                let expected =
                    if tau == 0.0 { [f64::NEG_INFINITY, least.unwrap()] } else { [largest.unwrap(), f64::INFINITY] };
                assert!(low == expected[0] || (low - expected[0]).abs() < 1e-12, "{low}");
                assert!(high == expected[1] || (high - expected[1]).abs() < 1e-12, "{high}");
            }
        }
    }
}

#[test]
fn the_loss_scales_with_the_responses_and_ignores_their_origin() {
    let (x, y) = wave(25, 2, 15);
    let moved: Vec<f64> = y.iter().map(|y| 1000.0 + 4.0 * y).collect();
    for kernel in KERNELS {
        let (a, b) = (kqr(&x, &y, None, kernel, Bias::Intercept), kqr(&x, &moved, None, kernel, Bias::Intercept));
        // With 4Y in place of Y the same f times four has the penalty λ/4 · ‖4f‖²/4.
        let (first, second) = (path(&a, [0.0, 0.8], [1.0, 0.8]), path(&b, [0.0, 0.2], [1.0, 0.2]));
        let tau = |path: &Path<f64>| path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect::<Vec<f64>>();
        assert_same(kernel, &tau(&first.1), &tau(&second.1), 1e-9);
        let value = |kqr: &Kqr, there, lambda| at(kqr, there, [0.3, lambda]).0.objective;
        let (one, four) = (value(&a, &first, 0.8), value(&b, &second, 0.2));
        assert!((4.0 * one - four).abs() <= 1e-8 * four, "{kernel}: {one} and {four}");
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice() {
    let (x, y) = wave(20, 1, 21);
    let mut weights = vec![1.0; 20];
    weights[7] = 2.0;
    let order: Vec<usize> = (0..20).chain([7]).collect();
    let (twice_x, twice_y): (Vec<Vec<f64>>, Vec<f64>) = order.iter().map(|&i| (x[i].clone(), y[i])).unzip();
    for bias in BIASES {
        let (a, b) = (kqr(&x, &y, Some(weights.clone()), "rbf:2", bias), kqr(&twice_x, &twice_y, None, "rbf:2", bias));
        for (from, to) in [([0.0, 0.1], [1.0, 0.1]), ([0.4, 0.05], [0.4, 10.0])] {
            let values = |kqr: &Kqr| path(kqr, from, to).1.breakpoints();
            assert_same("weight two", &values(&a), &values(&b), 1e-9);
        }
    }
}

#[test]
fn small_and_odd_data() {
    let settings = Settings::default();
    // One row, equal responses, one value of x, huge and tiny scales.
    for (x, y) in [
        (vec![vec![1.0]], vec![2.0]),
        (vec![vec![1.0], vec![2.0], vec![3.0]], vec![5.0; 3]),
        (vec![vec![1.0]; 4], vec![0.0, 1.0, 1.0, 3.0]),
        (vec![vec![0.0], vec![1.0]], vec![0.0, 1.0]),
        (vec![vec![1e6], vec![-2e6], vec![3e6]], vec![1e9, -1e9, 0.0]),
        (vec![vec![1e-6], vec![-2e-6], vec![3e-6]], vec![1e-9, -1e-9, 0.0]),
    ] {
        // At distances of 1e-6 the values of an RBF kernel, 1 − 1e-12, are known to four digits only.
        let kernels: &[&str] = if x[0][0] == 1e-6 { &["linear"] } else { &["linear", "rbf:0.5"] };
        for &kernel in kernels {
            for bias in BIASES {
                let kqr = kqr(&x, &y, None, kernel, bias);
                let there = path(&kqr, [0.0, 1.0], [1.0, 1.0]);
                assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{x:?} {y:?} {kernel} {bias:?}");
                if let Some(knot) = kqr.largest_knot(0.3, &settings).unwrap() {
                    let there = path(&kqr, [0.3, 1e-3 * knot], [0.3, 1.25 * knot]);
                    assert_eq!(validate(&there.1, &there.0, &1e-9), [], "{x:?} {y:?} {kernel} {bias:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer grids: ties in y, repeated x, constant x.
    #[test]
    fn ties_do_not_matter(
        rows in prop::collection::vec((prop::collection::vec(-2i32..=2, 2), -2i32..=2), 1..14),
        fixed in prop::sample::select(vec![0.1, 0.25, 0.5, 0.9]),
        bias in prop::sample::select(BIASES.to_vec()),
        kernel in prop::sample::select(KERNELS.to_vec()),
    ) {
        let x: Vec<Vec<f64>> = rows.iter().map(|row| row.0.iter().map(|&v| f64::from(v)).collect()).collect();
        let y: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
        let kqr = kqr(&x, &y, None, kernel, bias);
        for (from, to, coordinate) in [([0.0, fixed], [1.0, fixed], 0), ([fixed, 0.05], [fixed, 50.0], 1)] {
            let there = path(&kqr, from, to);
            let violations = validate(&there.1, &there.0, &1e-9);
            prop_assert!(violations.is_empty(), "{violations:?}");
            let values = |path: &Path<f64>| {
                let mut values: Vec<f64> = path.breakpoints().iter().map(|t| path.parameter(t)[coordinate]).collect();
                values.sort_by(f64::total_cmp);
                values
            };
            assert_same("backwards", &values(&there.1), &values(&path(&kqr, to, from).1), 1e-9);
        }
    }
}

#[test]
fn wrong_questions_are_named() {
    let (x, y) = wave(6, 2, 1);
    let model = kqr(&x, &y, None, "linear", Bias::Intercept);
    let refused = |vary: &str, fixed: &str, value: f64| model.axis(&course(vary, fixed, value)).err();
    assert!(matches!(refused("c", "tau", 0.5), Some(AdapterError::Vary { .. })));
    assert!(matches!(refused("tau", "tau", 0.5), Some(AdapterError::Unused { .. })));
    assert!(matches!(refused("lambda", "tau", 1.5), Some(AdapterError::Parameter { name: "tau", .. })));
    for lambda in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused("tau", "lambda", lambda), Some(AdapterError::Parameter { name: "lambda", .. })));
    }
    let new =
        |y: &[f64], weights, kernel| Kqr::new(Arc::new(dense(&x)), y.to_vec(), weights, kernel, Bias::Intercept).err();
    let linear = KernelKind::Linear;
    assert!(matches!(new(&y[1..], None, linear), Some(AdapterError::Shape { what: "responses", .. })));
    let broken = [1.0, 2.0, f64::NAN, 1.0, 1.0, 1.0];
    assert!(matches!(new(&broken, None, linear), Some(AdapterError::Response { row: 2, .. })));
    assert!(matches!(new(&y, Some(vec![0.0; 6]), linear), Some(AdapterError::NoWeight { rows: 6 })));
    assert!(matches!(new(&y, None, KernelKind::Precomputed), Some(AdapterError::Precomputed { .. })));
    let (_, whole) = path(&model, [0.2, 1.0], [0.8, 1.0]);
    assert!(model.at(&whole, [0.5, 1.0]).is_ok());
    assert!(matches!(model.at(&whole, [0.1, 1.0]), Err(AdapterError::Parameter { name: "tau", .. })));
    assert!(matches!(model.at(&whole, [0.5, 0.0]), Err(AdapterError::Parameter { name: "lambda", .. })));
    assert_eq!(axis(&model, "lambda", 0.5).theta(3.0), [0.5, 3.0]);
}

/// A table beside the repository; none where it is absent.
fn table(file: &str, response: Option<&str>) -> Option<(Features, Vec<f64>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/regression").join(file);
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let data = read(&path, &ReadOptions { response: response.map(Into::into), ..ReadOptions::default() }).unwrap();
    let features = Scaler::fit(&data.features, Scaling::Standard).apply(&data.features).unwrap();
    Some((features, data.response))
}

#[test]
fn real_data_agree_with_an_interior_point_solver() {
    for (file, response) in [
        ("engel.csv", None),
        ("mcycle.csv", None),
        ("GAGurine.csv", Some("GAG")),
        ("Boston.csv", None),
        ("lidar.csv", None),
    ] {
        let Some((features, y)) = table(file, response) else { continue };
        let features = Arc::new(features);
        let mut random = Random(17);
        for kernel in ["linear", "rbf:0.5"] {
            let kind = kernel.parse().unwrap();
            let kqr = Kqr::new(features.clone(), y.clone(), None, kind, Bias::Intercept).unwrap();
            for _ in 0..3 {
                let tau = 0.05 + 0.9 * random.unit();
                let knot = kqr.largest_knot(tau, &Settings::default()).unwrap().unwrap();
                let lambda = knot * 10f64.powf(-3.0 * random.unit());
                let there = path(&kqr, [tau, lambda], [tau, 1.25 * knot]);
                let (model, _, residual) = at(&kqr, &there, [tau, lambda]);
                let other = interior_point(&kqr, [tau, lambda]);
                let off = (model.objective - other).abs() / other;
                println!(
                    "{file} {kernel} tau {tau:.4} lambda {lambda:.3e}: objective off by {off:.1e}, residual {residual:.1e}"
                );
                assert!(residual <= 1e-9 && off <= 1e-8, "{file} {kernel}: {off:e}");
            }
        }
    }
}

#[test]
fn a_guess_far_from_the_start_gives_the_same_path() {
    let (x, y) = wave(30, 2, 33);
    let kqr = kqr(&x, &y, None, "rbf:0.5", Bias::Intercept);
    let qp = kqr.qp(&Settings::default()).unwrap();
    let line = qp.line(&[0.4, 0.1], &[0.9, 2.0]).unwrap();
    let other = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    let (_, own) = path(&kqr, [0.4, 0.1], [0.9, 2.0]);
    assert_same("starts", &own.breakpoints(), &other.breakpoints(), 1e-9);
    assert_same("starts", &own.breakpoints(), &follow(&line).breakpoints(), 1e-9);
}
