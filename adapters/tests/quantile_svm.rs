//! The quantile SVM on small problems: optimality, an interior-point solver, invariances, and bad input.

use crate::common::{Problem, assert_same, breakpoints, dense, dot, follow, residual};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Path, ProblemError, Settings, Start, trace};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{AdapterError, Bias, KernelProblem, PathProblem};
use proptest::prelude::*;
use std::sync::Arc;

const BIASES: [Bias; 3] = [Bias::None, Bias::Augmented(2.0), Bias::Intercept];
const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "laplacian:0.3", "poly:2,0.5,1"];

/// Breakpoints of the same path.
const SAME: f64 = 1e-11;

/// Every bias with every kernel.
fn problems() -> impl Iterator<Item = Problem> {
    let one = |bias| KERNELS.map(|kernel| Problem::clouds(40, 3, 11, bias).with_kernel(kernel));
    BIASES.into_iter().flat_map(one)
}

/// Ten random τ, and both ends.
fn some_tau(seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    (0..10).map(|_| random.unit()).chain([0.0, 1.0]).collect()
}

#[test]
fn a_start_in_between_is_found_from_the_nearer_end() {
    let settings = Settings::default();
    for problem in problems() {
        let qp = problem.svm().qp(&settings).unwrap();
        for (from, to) in [(0.3, 0.9), (0.8, 0.1), (0.0, 1.0), (1.0, 0.0)] {
            let line = qp.line(&[from], &[to]).unwrap();
            let start = problem.svm().start(&qp, &[from], &settings);
            assert_eq!(matches!(start, Start::ActiveSet { .. }), from.fract() != 0.0);
            let path = trace(&line, &start, &settings, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.0));
            assert!(validate(&path, &line, &1e-9).is_empty());
            assert_same(&format!("from {from}"), &breakpoints(&path), &breakpoints(&follow(&line)), SAME);
        }
    }
}

#[test]
fn every_law_is_optimal() {
    for problem in problems() {
        let (svm, line) = (problem.svm(), problem.line(0.0, 1.0));
        let path = follow(&line);
        let violations = validate(&path, &line, &1e-9);
        assert!(violations.is_empty(), "{:?} {}: {violations:?}", problem.bias, problem.kernel);
        for tau in some_tau(1) {
            assert!(residual(&path, &line, tau) <= 1e-9);
            let model = svm.at(&path, tau).unwrap();
            // The value of f = 0 is the largest that the minimum can take.
            let size = problem.loss(tau, &vec![0.0; problem.n()]);
            assert!((model.objective - problem.objective(&model)).abs() <= 1e-12 * size, "at tau = {tau}");
            assert!((model.objective - model.dual_objective).abs() <= 1e-11 * size, "at tau = {tau}");
        }
    }
}

#[test]
fn an_interior_point_solver_finds_the_same_minimum() {
    for mut problem in problems() {
        for weighted in [false, true] {
            let mut random = Random(3);
            problem.weights = weighted.then(|| (0..problem.n()).map(|_| 0.2 + random.unit()).collect());
            let (svm, path, primal) = (problem.svm(), problem.follow(0.0, 1.0), problem.interior_point());
            for _ in 0..5 {
                let tau = random.unit();
                let (found, other) = (svm.at(&path, tau).unwrap().objective, primal.minimum(tau));
                let difference = (found - other).abs() / other;
                assert!(difference <= 1e-8, "{:?} {} at tau = {tau}: {difference:e}", problem.bias, problem.kernel);
            }
        }
    }
}

/// The decision values on the training rows of `problem`, at τ.
fn decision(problem: &Problem, path: &Path<f64>, tau: f64, rows: &Features) -> Vec<f64> {
    let svm = problem.svm();
    svm.decision(&svm.at(path, tau).unwrap(), rows)
}

/// Two problems with the same f at every τ, hence the same breakpoints.
fn assert_same_path(what: &str, a: &Problem, b: &Problem) {
    let (first, second) = (a.follow(0.0, 1.0), b.follow(0.0, 1.0));
    assert!(!first.breakpoints().is_empty());
    assert_same(what, &breakpoints(&first), &breakpoints(&second), SAME);
    for tau in some_tau(5) {
        let (f, g) = (decision(a, &first, tau, &a.features), decision(b, &second, tau, &a.features));
        assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() <= 1e-10), "{what}, {:?}, at tau = {tau}", a.bias);
        let w = |problem: &Problem, path: &Path<f64>| problem.svm().at(path, tau).unwrap().function.w;
        if let (Some(v), Some(w)) = (w(a, &first), w(b, &second)) {
            assert!(v.iter().zip(&w).all(|(v, w)| (v - w).abs() <= 1e-10), "{what}, {:?}, at tau = {tau}", a.bias);
        }
    }
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    for problem in problems() {
        let order = Random(7).order(problem.n());
        assert_same_path("permuted", &problem, &problem.select(&order));
    }
}

#[test]
fn every_row_twice_at_half_the_cost_is_the_same_problem() {
    for problem in problems() {
        // The costs 2(1 − τ)/n and 2τ/n are halved because there are twice as many rows.
        let order: Vec<usize> = (0..2 * problem.n()).map(|i| i / 2).collect();
        assert_same_path("each row twice", &problem, &problem.select(&order));
        let order: Vec<usize> = (0..2 * problem.n()).map(|i| i % problem.n()).collect();
        assert_same_path("all rows twice", &problem, &problem.select(&order));
    }
}

#[test]
fn a_row_of_weight_two_is_two_rows() {
    for problem in problems() {
        let heavy = 5;
        let weights = (0..problem.n()).map(|i| if i == heavy { 2.0 } else { 1.0 }).collect();
        let weighted = Problem { weights: Some(weights), ..problem.clone() };
        let order: Vec<usize> = (0..problem.n()).chain([heavy]).collect();
        assert_same_path("weight two", &weighted, &problem.select(&order));
    }
}

#[test]
fn the_scale_of_the_weights_does_not_matter() {
    for problem in problems() {
        let mut random = Random(13);
        let weights: Vec<f64> = (0..problem.n()).map(|_| 0.1 + random.unit()).collect();
        let scaled = weights.iter().map(|v| v * 1024.0).collect();
        let first = Problem { weights: Some(weights), ..problem.clone() };
        assert_same_path("weights scaled", &first, &Problem { weights: Some(scaled), ..problem.clone() });
        let equal = Problem { weights: Some(vec![3.0; problem.n()]), ..problem.clone() };
        assert_same_path("equal weights", &problem, &equal);
    }
}

#[test]
fn swapped_labels_mirror_tau() {
    for problem in problems() {
        let swapped = Problem { labels: problem.labels.iter().map(|y| -y).collect(), ..problem.clone() };
        let (path, mirrored) = (problem.follow(0.0, 1.0), swapped.follow(0.0, 1.0));
        let mut expected: Vec<f64> = breakpoints(&path).iter().map(|tau| 1.0 - tau).collect();
        expected.reverse();
        assert_same("swapped", &expected, &breakpoints(&mirrored), SAME);
        for tau in some_tau(17) {
            let f = decision(&problem, &path, tau, &problem.features);
            let g = decision(&swapped, &mirrored, 1.0 - tau, &problem.features);
            assert!(f.iter().zip(&g).all(|(f, g)| (f + g).abs() <= 1e-10), "{:?} at tau = {tau}", problem.bias);
        }
    }
}

#[test]
fn backwards_the_path_is_the_same() {
    for problem in problems() {
        let (path, back) = (problem.follow(0.0, 1.0), problem.follow(1.0, 0.0));
        assert_same("backwards", &breakpoints(&path), &breakpoints(&back), SAME);
        let part = problem.follow(0.8, 0.3);
        let inside: Vec<f64> = breakpoints(&path).into_iter().filter(|tau| (0.3..0.8).contains(tau)).collect();
        assert_same("from 0.8 to 0.3", &inside, &breakpoints(&part), SAME);
        for tau in some_tau(19) {
            let f = decision(&problem, &path, tau, &problem.features);
            let g = decision(&problem, &back, tau, &problem.features);
            assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() <= 1e-10), "{:?} at tau = {tau}", problem.bias);
        }
    }
}

#[test]
fn a_linear_kernel_in_other_forms_is_the_same_problem() {
    for bias in BIASES {
        let mut problem = Problem::clouds(40, 3, 23, bias);
        assert_same_path("polynomial of degree one", &problem, &problem.clone().with_kernel("poly:1,1,0"));
        // Some zeros, so that the sparse form leaves something out.
        if let Features::Dense { values, .. } = &mut problem.features {
            values.iter_mut().filter(|v| v.abs() < 0.4).for_each(|v| *v = 0.0);
        }
        let sparse = Problem { features: problem.features.to_sparse(), ..problem.clone() };
        for kernel in KERNELS {
            let form = |problem: &Problem| problem.clone().with_kernel(kernel);
            assert_same_path("sparse", &form(&problem), &form(&sparse));
        }
    }
}

#[test]
fn a_precomputed_kernel_is_the_kernel() {
    for bias in BIASES {
        let problem = Problem::clouds(30, 3, 29, bias).with_kernel("rbf:0.5");
        let n = problem.n();
        let rows: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let unit: Vec<f64> = (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
                problem.kernel.expand(&problem.features, &problem.features, &unit)
            })
            .collect();
        let computed = Problem { features: dense(&rows), kernel: KernelKind::Precomputed, ..problem.clone() };
        let (path, other) = (problem.follow(0.0, 1.0), computed.follow(0.0, 1.0));
        assert_same("precomputed", &breakpoints(&path), &breakpoints(&other), SAME);
        for tau in some_tau(31) {
            let f = decision(&problem, &path, tau, &problem.features);
            let g = decision(&computed, &other, tau, &computed.features);
            assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() <= 1e-10));
        }
    }
}

/// Rows x = 0, p positive and q negative: f = b. With a constant feature 1 b minimises λ/2 b² + Σ cᵢ max(0, 1 − yᵢb), so
/// b = (2/λn)((1 − τ)p − τq) clamped to [−1, 1], and the breakpoints are where the clamp begins and ends.
#[test]
fn a_constant_decision_function_has_a_closed_form() {
    let (p, q, lambda) = (2.0, 3.0, 0.3);
    let labels = vec![1.0, -1.0, -1.0, 1.0, -1.0];
    let features = dense(&vec![vec![0.0]; 5]);
    let kernel = KernelKind::Linear;
    let problem = Problem { features, labels, weights: None, lambda, kernel, bias: Bias::Augmented(1.0) };
    let path = problem.follow(0.0, 1.0);
    assert_same("closed form", &breakpoints(&path), &[0.4 - lambda / 2.0, 0.4 + lambda / 2.0], 1e-14);
    for tau in some_tau(37) {
        let b = (2.0 / (lambda * 5.0) * ((1.0 - tau) * p - tau * q)).clamp(-1.0, 1.0);
        let model = problem.svm().at(&path, tau).unwrap();
        assert!((model.function.constant - b).abs() <= 1e-13, "at tau = {tau}");
        assert_eq!(model.function.w, Some(vec![0.0]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer grids, full of ties, duplicates, opposite rows and zero rows.
    #[test]
    fn ties_do_not_matter(
        rows in prop::collection::vec((prop::collection::vec(-2i32..=2, 2), any::<bool>()), 2..14),
        lambda in prop::sample::select(vec![0.01, 0.1, 1.0]),
        bias in prop::sample::select(BIASES.to_vec()),
        kernel in prop::sample::select(KERNELS.to_vec()),
    ) {
        let mut labels: Vec<f64> = rows.iter().map(|row| if row.1 { 1.0 } else { -1.0 }).collect();
        (labels[0], labels[1]) = (1.0, -1.0);
        let features = dense(&rows.iter().map(|row| row.0.iter().map(|&v| f64::from(v)).collect()).collect::<Vec<_>>());
        let kernel = kernel.parse().unwrap();
        let problem = Problem { features, labels, weights: None, lambda, kernel, bias };
        let line = problem.line(0.0, 1.0);
        let path = follow(&line);
        let violations = validate(&path, &line, &1e-9);
        prop_assert!(violations.is_empty(), "{violations:?}");
        let back_line = problem.line(1.0, 0.0);
        let back = follow(&back_line);
        let violations = validate(&back, &back_line, &1e-9);
        prop_assert!(violations.is_empty(), "backwards: {violations:?}");
        assert_same("backwards", &apart(&breakpoints(&path)), &apart(&breakpoints(&back)), SAME);
    }
}

/// The first and the last of every group of breakpoints that lie within [`SAME`] of their neighbours.
///
/// Events within `Settings::tie` of the nearest one are crossed together. Two breakpoints 6e-14 apart are then one or
/// two, as rounding has it, and rounding depends on the direction. The path as a function differs by no more than
/// `validate` allows; only where breakpoints are further apart is their number a property of the problem.
fn apart(breakpoints: &[f64]) -> Vec<f64> {
    let mut sorted = breakpoints.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| b - a <= SAME).flat_map(|group| [group[0], group[group.len() - 1]]).collect()
}

#[test]
fn breakpoints_that_may_be_one_are_not_counted() {
    assert_same("a pair", &apart(&[0.5 + 6e-14, 0.2, 0.5]), &apart(&[0.2, 0.5]), SAME);
    assert_eq!(apart(&[0.2, 0.3]), [0.2, 0.2, 0.3, 0.3]);
}

#[test]
fn bad_input_is_named() {
    let problem = Problem::clouds(6, 2, 41, Bias::None);
    let new = |labels: &[f64], weights: Option<Vec<f64>>, lambda: f64, kernel: KernelKind, bias: Bias| {
        let features = Arc::new(problem.features.clone());
        QuantileSvm::new(features, labels.to_vec(), weights, lambda, kernel, bias).err()
    };
    let (labels, linear) = (problem.labels.as_slice(), KernelKind::Linear);
    assert_eq!(new(labels, None, 1.0, linear, Bias::None), None);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = new(labels, None, value, linear, Bias::None);
        assert!(
            matches!(error, Some(AdapterError::Parameter { name: "lambda", value: v, .. }) if v.to_bits() == value.to_bits())
        );
    }
    for value in [0.0, f64::NAN, f64::NEG_INFINITY] {
        let error = new(labels, None, 1.0, linear, Bias::Augmented(value));
        assert!(matches!(error, Some(AdapterError::AugmentedBias { value: v }) if v.to_bits() == value.to_bits()));
    }
    let error = |labels: &[f64], weights| new(labels, weights, 1.0, linear, Bias::Intercept);
    let shape = |what, found| Some(AdapterError::Shape { what, expected: 6, found });
    assert_eq!(error(&labels[1..], None), shape("labels", 5));
    assert_eq!(error(labels, Some(vec![1.0; 7])), shape("weights", 7));
    assert_eq!(error(&[1.0, -1.0, 1.0, 0.0, 1.0, -1.0], None), Some(AdapterError::Label { row: 3, value: 0.0 }));
    assert!(matches!(error(&[1.0, f64::NAN, 1.0, 0.0, 1.0, -1.0], None), Some(AdapterError::Label { row: 1, .. })));
    assert_eq!(error(&[-1.0; 6], None), Some(AdapterError::OneClass { class: -1.0, rows: 6 }));
    for value in [-2.0, f64::NAN, f64::INFINITY] {
        let weights = vec![1.0, 1.0, value, 1.0, 1.0, 1.0];
        assert!(matches!(error(labels, Some(weights)), Some(AdapterError::Weight { row: 2, .. })));
    }
    let precomputed = new(labels, None, 1.0, KernelKind::Precomputed, Bias::None);
    assert_eq!(precomputed, Some(AdapterError::Precomputed { rows: 6, columns: 2 }));
}

#[test]
fn a_tau_outside_the_path_is_named() {
    let problem = Problem::clouds(12, 2, 43, Bias::Intercept);
    let (svm, path) = (problem.svm(), problem.follow(0.25, 0.75));
    assert!(svm.at(&path, 0.25).is_ok() && svm.at(&path, 0.75).is_ok());
    for tau in [-0.1, 0.2, 0.8, 1.5, f64::INFINITY] {
        let error = svm.at(&path, tau);
        assert!(matches!(error, Err(AdapterError::Parameter { name: "tau", value, .. }) if value == tau));
    }
    assert!(matches!(svm.at(&path, f64::NAN), Err(AdapterError::Parameter { name: "tau", .. })));
    let qp = svm.qp(&Settings::default()).unwrap();
    for (from, to) in [(-0.1, 0.5), (0.5, 1.1), (f64::NAN, 1.0)] {
        assert!(matches!(qp.line(&[from], &[to]).err(), Some(ProblemError::OutsideDomain { parameter: 0, .. })));
    }
}

#[test]
fn w_is_the_expansion_of_alpha() {
    for bias in BIASES {
        let problem = Problem::clouds(20, 3, 47, bias);
        let (svm, path) = (problem.svm(), problem.follow(0.0, 1.0));
        let model = svm.at(&path, 0.37).unwrap();
        let w = model.function.w.clone().unwrap();
        for (j, w) in w.iter().enumerate() {
            let mut column = vec![0.0; problem.n()];
            (0..problem.n()).for_each(|i| {
                problem.features.row(i).for_each(|c, v| {
                    if c == j {
                        column[i] = v
                    }
                })
            });
            let signed: Vec<f64> = column.iter().zip(&problem.labels).map(|(x, y)| x * y).collect();
            assert!((w - dot(&model.alpha, &signed) / problem.lambda).abs() <= 1e-13);
        }
        let sum = dot(&model.alpha, &problem.labels);
        match bias {
            Bias::None => assert_eq!(model.function.constant, 0.0),
            Bias::Augmented(b) => assert!((model.function.constant - b * b * sum / problem.lambda).abs() <= 1e-13),
            Bias::Intercept => assert!(sum.abs() <= 1e-14),
        }
    }
}
