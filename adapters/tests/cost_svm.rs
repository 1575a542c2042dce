//! The cost-asymmetric SVM: cases with known answers, an interior-point solver, lines of the plane, and bad input.

use crate::common::primal::{Losses, explicit};
use crate::common::{assert_same, breakpoints, dense, follow};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Line, Path, Settings};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::course::{Axis, Course, Direction};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::problem::Constant;
use pathqp_adapters::{AdapterError, Bias, KernelProblem, Model, PathProblem};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

const BIASES: [Bias; 3] = [Bias::None, Bias::Augmented(0.5), Bias::Intercept];
const KERNELS: [&str; 3] = ["linear", "rbf:0.5", "poly:2,0.5,1"];

fn svm(features: Features, labels: &[f64], weights: Option<Vec<f64>>, kernel: &str, bias: Bias) -> CostSvm {
    CostSvm::new(Arc::new(features), labels.to_vec(), weights, kernel.parse().unwrap(), bias).unwrap()
}

/// Two overlapping clouds, two thirds of the rows negative.
fn clouds(n: usize, d: usize, seed: u64) -> (Features, Vec<f64>) {
    let mut random = Random(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let rows: Vec<Vec<f64>> = labels.iter().map(|y| (0..d).map(|_| random.normal() + 0.5 * y).collect()).collect();
    (dense(&rows), labels)
}

fn course(vary: &str, fixed: &[(&str, f64)], direction: Option<Direction>) -> Course {
    let fixed: BTreeMap<String, f64> = fixed.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    Course { vary: vary.into(), fixed, direction }
}

/// The axis and the line on it between two values.
fn line(svm: &CostSvm, course: &Course, from: f64, to: f64) -> (Axis, Line<f64>) {
    let axis = svm.axis(course).unwrap();
    let qp = svm.qp(&Settings::default()).unwrap();
    let line = qp.line(&axis.theta(from), &axis.theta(to)).unwrap();
    (axis, line)
}

/// The model at v, its constant, and the certificate's residual.
fn at(svm: &CostSvm, axis: &Axis, line: &Line<f64>, path: &Path<f64>, value: f64) -> (Model, Constant, f64) {
    let theta = axis.theta(value);
    let t = path.position(&theta).unwrap();
    let point = path.at(&t).unwrap();
    let certificate = Certificate::new(line, &t, &point.x, &point.y);
    let model = svm.model(&theta, &point);
    let constant = svm.constant(&model, certificate.multiplier_range);
    (model, constant, certificate.kkt_residual())
}

/// The primal in an explicit feature space, at (C₊, C₋).
fn interior_point(svm: &CostSvm, theta: &[f64]) -> f64 {
    let machine = svm.machine();
    let n = machine.rows();
    let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut kernel: Vec<Vec<f64>> =
        (0..n).map(|j| machine.kernel().expand(machine.features(), machine.features(), &unit(j))).collect();
    kernel.iter_mut().flatten().for_each(|k| *k += machine.bias().kernel_offset());
    let cost = |i: usize| machine.weights()[i] * theta[usize::from(svm.labels()[i] < 0.0)];
    let losses = Losses {
        rows: &explicit(&kernel),
        intercept: machine.bias() == Bias::Intercept,
        signs: svm.labels().to_vec(),
        targets: vec![1.0; n],
        below: (0..n).map(cost).collect(),
        above: vec![0.0; n],
    };
    losses.minimum()
}

struct Case {
    rows: &'static [[f64; 3]],
    weights: Option<Vec<f64>>,
    /// C, the least dual objective, w, and the ends of the intercept.
    answers: &'static [(f64, f64, [f64; 2], [f64; 2])],
}

/// Repeated rows (some in both classes), ten rows that meet the margin at once, a problem without any event, and separable
/// rows. The answers are exact: rational arithmetic, or closed forms where they have one.
fn cases() -> [Case; 4] {
    let repeated = &[
        [1.0, 1.2, 0.3],
        [1.0, 1.2, 0.3],
        [1.0, 1.2, 0.3],
        [1.0, 0.4, 1.1],
        [1.0, 0.4, 1.1],
        [1.0, -0.2, 0.7],
        [-1.0, -0.9, -0.4],
        [-1.0, -0.9, -0.4],
        [-1.0, 0.5, -0.8],
        [-1.0, 0.5, -0.8],
        [-1.0, -0.2, 0.7],
        [-1.0, 0.1, 0.2],
    ];
    // (0, k) against (2, k): w = (min(10C, 1), 0), −10C + 50C² up to C = 0.1 and −½ from there on; b ∈ [−1, 1 − 20C].
    let parallel = &[
        [-1.0, 0.0, 0.0],
        [-1.0, 0.0, 1.0],
        [-1.0, 0.0, 2.0],
        [-1.0, 0.0, 3.0],
        [-1.0, 0.0, 4.0],
        [1.0, 2.0, 0.0],
        [1.0, 2.0, 1.0],
        [1.0, 2.0, 2.0],
        [1.0, 2.0, 3.0],
        [1.0, 2.0, 4.0],
    ];
    // Equal class means: every α = C and w = 0, for ever.
    let centred =
        &[[1.0, 0.0, 1.0], [1.0, 2.0, -1.0], [1.0, 4.0, 3.0], [-1.0, 1.0, 0.0], [-1.0, 2.0, 2.0], [-1.0, 3.0, 1.0]];
    let separable = &[
        [1.0, 2.0, 2.0],
        [1.0, 3.0, 1.0],
        [1.0, 3.0, 3.0],
        [1.0, 5.0, 2.0],
        [-1.0, 0.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-1.0, 0.0, 1.0],
        [-1.0, -2.0, -1.0],
    ];
    let half = (0..12).map(|i| if i < 6 { 1.0 } else { 0.5 }).collect();
    [
        Case {
            rows: repeated,
            weights: Some(half),
            answers: &[
                (0.1, -0.544775, [0.235, 0.235], [0.6475, 0.6475]),
                (1.0, -2.9375, [0.55, 1.35], [-0.065, -0.065]),
                (10.0, -18.0165094339623, [0.5471698113208, 1.915094339623], [-0.2311320754717, -0.2311320754717]),
            ],
        },
        Case {
            rows: parallel,
            weights: None,
            answers: &[
                (0.05, -0.375, [0.5, 0.0], [-1.0, 0.0]),
                (0.1, -0.5, [1.0, 0.0], [-1.0, -1.0]),
                (1.0, -0.5, [1.0, 0.0], [-1.0, -1.0]),
            ],
        },
        Case {
            rows: centred,
            weights: None,
            answers: &[
                (0.01, -0.06, [0.0, 0.0], [-1.0, 1.0]),
                (1.0, -6.0, [0.0, 0.0], [-1.0, 1.0]),
                (1000.0, -6000.0, [0.0, 0.0], [-1.0, 1.0]),
            ],
        },
        Case {
            rows: separable,
            weights: None,
            answers: &[
                (0.1, -0.301111111111111, [0.43333333333333, 0.23333333333333], [-1.0, -1.0]),
                (1.0, -4.0 / 9.0, [2.0 / 3.0, 2.0 / 3.0], [-5.0 / 3.0, -5.0 / 3.0]),
                (1000.0, -4.0 / 9.0, [2.0 / 3.0, 2.0 / 3.0], [-5.0 / 3.0, -5.0 / 3.0]),
            ],
        },
    ]
}

#[test]
fn degenerate_cases_have_their_known_answers() {
    for (number, case) in cases().into_iter().enumerate() {
        let rows: Vec<Vec<f64>> = case.rows.iter().map(|row| row[1..].to_vec()).collect();
        let labels: Vec<f64> = case.rows.iter().map(|row| row[0]).collect();
        let svm = svm(dense(&rows), &labels, case.weights, "linear", Bias::Intercept);
        let (axis, line) = line(&svm, &course("c", &[], None), 0.0, 1000.0);
        let path = follow(&line);
        assert_eq!(validate(&path, &line, &1e-9), [], "case {number}");
        for &(c, dual_min, w, b) in case.answers {
            let (model, constant, _) = at(&svm, &axis, &line, &path, c);
            let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            assert!(near(model.dual_objective, -dual_min), "case {number}, C = {c}: {}", model.dual_objective);
            assert!(near(model.objective, -dual_min), "case {number}, C = {c}: {}", model.objective);
            let found = model.function.w.as_ref().unwrap();
            assert!(near(found[0], w[0]) && near(found[1], w[1]), "case {number}, C = {c}: {found:?}");
            let ends = match constant {
                Constant::Unique(value) => [value; 2],
                Constant::Interval([low, high]) => [low.unwrap(), high.unwrap()],
            };
            assert!(near(ends[0], b[0]) && near(ends[1], b[1]), "case {number}, C = {c}: b in {ends:?}");
        }
    }
}

#[test]
fn known_breakpoints() {
    let expected: [&[f64]; 4] = [&[], &[0.1], &[], &[]];
    for (case, expected) in cases().into_iter().zip(expected).skip(1) {
        let rows: Vec<Vec<f64>> = case.rows.iter().map(|row| row[1..].to_vec()).collect();
        let labels: Vec<f64> = case.rows.iter().map(|row| row[0]).collect();
        let svm = svm(dense(&rows), &labels, None, "linear", Bias::Intercept);
        let (_, line) = line(&svm, &course("c", &[], None), 0.0, 1000.0);
        let found = breakpoints(&follow(&line));
        match expected {
            // Separable rows: the last event is at C = 1/3 exactly.
            [] if found.len() > 1 => assert!((found.last().unwrap() - 1.0 / 3.0).abs() <= 1e-12, "{found:?}"),
            _ => assert_same("breakpoints", &found, expected, 1e-12),
        }
    }
}

#[test]
fn a_ray_reaches_the_hard_margin_or_diverges() {
    let all = cases();
    for (case, ends) in [(&all[3], true), (&all[2], false)] {
        let rows: Vec<Vec<f64>> = case.rows.iter().map(|row| row[1..].to_vec()).collect();
        let labels: Vec<f64> = case.rows.iter().map(|row| row[0]).collect();
        let svm = svm(dense(&rows), &labels, None, "linear", Bias::Intercept);
        let qp = svm.qp(&Settings::default()).unwrap();
        let ray = qp.ray(&[0.0, 0.0], &[1.0, 1.0]).unwrap();
        let path = pathqp::trace(&ray, &pathqp::Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        assert_eq!(path.is_complete(), ends, "{:?}", path.stop());
    }
}

#[test]
fn every_line_is_optimal_and_an_interior_point_solver_agrees() {
    let (features, labels) = clouds(36, 3, 5);
    let lines = [
        (course("c", &[], None), 0.0, 20.0),
        (course("c", &[], Some(Direction::Towards(3.0, 0.5))), 0.0, 8.0),
        (course("c", &[], Some(Direction::Balanced)), 0.0, 20.0),
        (course("c-pos", &[("c-neg", 0.7)], None), 0.0, 10.0),
        (course("c-neg", &[("c-pos", 0.7)], None), 10.0, 0.1),
        (course("c-pos", &[("sum", 4.0)], None), 0.0, 4.0),
        (course("c-neg", &[("sum", 4.0)], None), 3.5, 0.5),
    ];
    for bias in BIASES {
        for kernel in KERNELS {
            for (k, (course, from, to)) in lines.iter().enumerate() {
                let mut random = Random(k as u64);
                let weights = (k % 2 == 1).then(|| labels.iter().map(|_| 0.3 + random.unit()).collect());
                let svm = svm(features.clone(), &labels, weights, kernel, bias);
                let (axis, there) = line(&svm, course, *from, *to);
                let path = follow(&there);
                let what = format!("{bias:?} {kernel} {course:?}");
                assert_eq!(validate(&path, &there, &1e-9), [], "{what}");
                let (_, back) = line(&svm, course, *to, *from);
                let values = |path: &Path<f64>| {
                    let mut values: Vec<f64> =
                        path.breakpoints().iter().map(|t| axis.value(&path.parameter(t))).collect();
                    values.sort_by(f64::total_cmp);
                    values
                };
                assert_same(&what, &values(&path), &values(&follow(&back)), 1e-9);
                for _ in 0..2 {
                    let value = from + (to - from) * (0.02 + 0.96 * random.unit());
                    let (model, _, residual) = at(&svm, &axis, &there, &path, value);
                    let other = interior_point(&svm, &axis.theta(value));
                    assert!(residual <= 1e-9, "{what} at {value}: {residual:e}");
                    let off = (model.objective - other).abs() / other;
                    assert!(off <= 1e-8, "{what} at {value}: {} and {other}", model.objective);
                    assert!((model.objective - model.dual_objective).abs() <= 1e-9 * other);
                }
            }
        }
    }
}

#[test]
fn the_balanced_direction_gives_both_classes_the_same_cost() {
    let (features, labels) = clouds(30, 2, 7);
    let weights: Vec<f64> = (0..30).map(|i| 1.0 + (i % 4) as f64).collect();
    let svm = svm(features, &labels, Some(weights.clone()), "linear", Bias::None);
    let axis = svm.axis(&course("c", &[], Some(Direction::Balanced))).unwrap();
    let total = |sign: f64| labels.iter().zip(&weights).filter(|(y, _)| **y == sign).map(|(_, v)| v).sum::<f64>();
    let theta = axis.theta(2.0);
    assert!((theta[0] * total(1.0) - theta[1] * total(-1.0)).abs() <= 1e-12);
    assert!((theta[0] * total(1.0) + theta[1] * total(-1.0) - 2.0 * weights.iter().sum::<f64>()).abs() <= 1e-12);
}

#[test]
fn a_weight_of_two_is_a_row_twice_and_the_cost_of_a_class_is_its_weight() {
    for bias in BIASES {
        let (features, labels) = clouds(20, 2, 11);
        let mut weights = vec![1.0; 20];
        weights[4] = 2.0;
        let order: Vec<usize> = (0..20).chain([4]).collect();
        let twice: Vec<f64> = order.iter().map(|&i| labels[i]).collect();
        let c = course("c", &[], None);
        let weighted = svm(features.clone(), &labels, Some(weights), "linear", bias);
        let doubled = svm(features.select_rows(&order), &twice, None, "linear", bias);
        let found = |svm: &CostSvm, course: &Course| breakpoints(&follow(&line(svm, course, 0.0, 10.0).1));
        assert_same("weight two", &found(&weighted, &c), &found(&doubled, &c), 1e-10);
        let heavy = labels.iter().map(|y| if *y > 0.0 { 1.0 } else { 0.25 }).collect();
        let by_weight = svm(features.clone(), &labels, Some(heavy), "linear", bias);
        let by_cost = svm(features.clone(), &labels, None, "linear", bias);
        let towards = course("c", &[], Some(Direction::Towards(1.0, 0.25)));
        assert_same("weights of a class", &found(&by_weight, &c), &found(&by_cost, &towards), 1e-10);
    }
}

/// Swapped labels swap the costs, rows twice as long are costs a quarter as large, and the order of the rows means nothing.
#[test]
fn symmetries() {
    let (features, labels) = clouds(36, 2, 17);
    let swapped: Vec<f64> = labels.iter().map(|y| -y).collect();
    let Features::Dense { rows, columns, values } = features.clone() else { panic!("dense") };
    let long = Features::Dense { rows, columns, values: values.iter().map(|v| 2.0 * v).collect() };
    let order = Random(2).order(36);
    let permuted: Vec<f64> = order.iter().map(|&i| labels[i]).collect();
    for bias in [Bias::None, Bias::Intercept] {
        let values = |svm: &CostSvm, course: &Course, from: f64, to: f64| {
            let (axis, line) = line(svm, course, from, to);
            let path = follow(&line);
            path.breakpoints().iter().map(|t| axis.value(&path.parameter(t))).collect::<Vec<f64>>()
        };
        let (pos, neg) = (course("c-pos", &[("c-neg", 0.4)], None), course("c-neg", &[("c-pos", 0.4)], None));
        let first = values(&svm(features.clone(), &labels, None, "linear", bias), &pos, 0.0, 8.0);
        assert!(first.len() > 10, "{first:?}");
        let other = values(&svm(features.clone(), &swapped, None, "linear", bias), &neg, 0.0, 8.0);
        assert_same("swapped", &first, &other, 1e-10);
        let quarter = course("c-pos", &[("c-neg", 0.1)], None);
        let other = values(&svm(long.clone(), &labels, None, "linear", bias), &quarter, 0.0, 2.0);
        assert_same("longer", &first, &other.iter().map(|c| 4.0 * c).collect::<Vec<f64>>(), 1e-10);
        let other = values(&svm(features.select_rows(&order), &permuted, None, "linear", bias), &pos, 0.0, 8.0);
        assert_same("permuted", &first, &other, 1e-10);
    }
}

/// Fifty sparse rows in a million columns: inner products in place of rows, and the same path as in the columns that are used.
#[test]
fn a_million_columns_cost_no_more_than_the_rows() {
    let mut random = Random(3);
    let (n, used, d) = (50, 200, 1_000_000);
    let labels: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let rows: Vec<Vec<f64>> =
        (0..n).map(|_| (0..used).map(|_| if random.unit() < 0.1 { random.normal() } else { 0.0 }).collect()).collect();
    let narrow = dense(&rows).to_sparse();
    let Features::Sparse { rows: count, starts, indices, values, .. } = narrow.clone() else { panic!("sparse") };
    let indices = indices.into_iter().map(|j| j * 4999).collect();
    let wide = Features::Sparse { rows: count, columns: d, starts, indices, values };
    for bias in BIASES {
        let (narrow, wide) =
            (svm(narrow.clone(), &labels, None, "linear", bias), svm(wide.clone(), &labels, None, "linear", bias));
        let hessian = wide.machine().hessian(wide.labels(), 1.0, &Settings::default()).unwrap();
        assert!(hessian.row_factor().is_none());
        let c = course("c", &[], None);
        let ((_, a), (axis, b)) = (line(&narrow, &c, 0.0, 10.0), line(&wide, &c, 0.0, 10.0));
        let (first, second) = (follow(&a), follow(&b));
        assert_eq!(validate(&second, &b, &1e-9), []);
        assert_same("wide", &breakpoints(&first), &breakpoints(&second), 1e-9);
        let (model, _, _) = at(&wide, &axis, &b, &second, 1.0);
        assert_eq!(model.function.w.map(|w| w.len()), Some(d));
    }
}

#[test]
fn wrong_questions_are_named() {
    let (features, labels) = clouds(12, 2, 13);
    let machine = svm(features.clone(), &labels, None, "linear", Bias::None);
    let refused = |vary: &str, fixed: &[(&str, f64)], direction| machine.axis(&course(vary, fixed, direction)).err();
    assert!(matches!(refused("tau", &[], None), Some(AdapterError::Vary { .. })));
    assert!(matches!(refused("c-pos", &[], None), Some(AdapterError::Missing { name: "c-neg", .. })));
    assert!(
        matches!(refused("c", &[("c-neg", 1.0)], None), Some(AdapterError::Unused { name, .. }) if name == "c-neg")
    );
    assert!(matches!(refused("c-pos", &[("c-neg", 1.0), ("sum", 2.0)], None), Some(AdapterError::Unused { .. })));
    assert!(matches!(refused("c-pos", &[("c-neg", -1.0)], None), Some(AdapterError::Parameter { name: "c-neg", .. })));
    assert!(matches!(
        refused("c-pos", &[("c-neg", f64::NAN)], None),
        Some(AdapterError::Parameter { name: "c-neg", .. })
    ));
    let balanced = Some(Direction::Balanced);
    assert!(matches!(refused("c-pos", &[("c-neg", 1.0)], balanced), Some(AdapterError::Vary { .. })));
    let new = |labels: &[f64], weights| {
        let features = Arc::new(features.clone());
        CostSvm::new(features, labels.to_vec(), weights, KernelKind::Linear, Bias::None).err()
    };
    assert!(matches!(new(&[1.0; 12], None), Some(AdapterError::OneClass { .. })));
    assert!(matches!(new(&labels[1..], None), Some(AdapterError::Shape { what: "labels", .. })));
    assert!(matches!(new(&labels, Some(vec![f64::NAN; 12])), Some(AdapterError::Weight { row: 0, .. })));
    for text in ["", "1", "1,2,3", "-1,2", "0,0", "nan,1", "inf,1", "both"] {
        assert!(text.parse::<Direction>().is_err(), "{text}");
    }
    for text in ["balanced", "1,0.5"] {
        assert_eq!(text.parse::<Direction>().unwrap().to_string(), text);
    }
}

/// A path on one of six lines, right everywhere, and with the same breakpoints backwards.
fn assert_reversible(rows: &[Vec<f64>], labels: &[f64], which: usize, bias: Bias, kernel: &str) {
    let svm = svm(dense(rows), labels, None, kernel, bias);
    let (course, from, to) = [
        (course("c", &[], None), 0.0, 50.0),
        (course("c", &[], Some(Direction::Balanced)), 0.0, 50.0),
        (course("c", &[], Some(Direction::Towards(1.0, 0.0))), 0.0, 5.0),
        (course("c-pos", &[("c-neg", 0.5)], None), 0.0, 5.0),
        (course("c-neg", &[("c-pos", 0.0)], None), 0.0, 5.0),
        (course("c-pos", &[("sum", 1.0)], None), 0.0, 1.0),
    ][which]
        .clone();
    let (axis, there) = line(&svm, &course, from, to);
    let path = follow(&there);
    let violations = validate(&path, &there, &1e-9);
    assert!(violations.is_empty(), "{violations:?}");
    let (_, back) = line(&svm, &course, to, from);
    let values = |path: &Path<f64>| {
        let mut values: Vec<f64> = path.breakpoints().iter().map(|t| axis.value(&path.parameter(t))).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    assert_same("backwards", &values(&path), &values(&follow(&back)), 1e-10);
}

/// Integer rows whose ties rounding parted in one direction: a z that is zero all along had a rate of rounding.
#[test]
fn rounding_parts_no_ties() {
    type Case = (&'static [[i8; 2]], &'static [i8], Bias);
    let cases: [Case; 4] = [
        (
            &[[2, 2], [2, 1], [-1, -1], [2, 1], [-1, 2], [-1, 0], [0, 0], [0, 0], [-2, 1], [-2, 2]],
            &[1, -1, 1, 1, -1, 1, 1, -1, 1, -1],
            Bias::Intercept,
        ),
        (
            &[[1, -1], [2, 0], [-1, 1], [0, 0], [2, -2], [0, 1], [-1, 2], [2, 2], [1, 1]],
            &[1, -1, -1, -1, 1, 1, -1, -1, 1],
            Bias::Augmented(0.5),
        ),
        (
            &[[-2, -2], [-1, -2], [0, 2], [0, -2], [2, -1], [2, 2], [-2, -2], [-1, 1]],
            &[1, -1, 1, -1, 1, 1, 1, 1],
            Bias::None,
        ),
        (
            &[[-2, 0], [-2, 2], [-1, 0], [0, 2], [1, 2], [-1, 1], [-1, 1], [2, 2], [0, 1], [-1, 2]],
            &[1, -1, 1, -1, 1, -1, -1, -1, 1, -1],
            Bias::Intercept,
        ),
    ];
    for (rows, labels, bias) in cases {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.map(f64::from).to_vec()).collect();
        let labels: Vec<f64> = labels.iter().map(|&y| f64::from(y)).collect();
        assert_reversible(&rows, &labels, 1, bias, "linear");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer grids, full of ties, duplicates, opposite rows and zero rows, on lines that begin or end where boxes close.
    #[test]
    fn ties_do_not_matter(
        rows in prop::collection::vec((prop::collection::vec(-2i32..=2, 2), any::<bool>()), 2..14),
        which in 0usize..6,
        bias in prop::sample::select(BIASES.to_vec()),
        kernel in prop::sample::select(KERNELS.to_vec()),
    ) {
        let mut labels: Vec<f64> = rows.iter().map(|row| if row.1 { 1.0 } else { -1.0 }).collect();
        (labels[0], labels[1]) = (1.0, -1.0);
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.0.iter().map(|&v| f64::from(v)).collect()).collect();
        assert_reversible(&rows, &labels, which, bias, kernel);
    }
}
