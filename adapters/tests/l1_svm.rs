//! The ℓ₁-norm SVM: an interior-point solver, steps, case weights, separable classes, what is refused.

use crate::common::convex::Convex;
use crate::common::{dense, dot};
use pathqp::testing::{Options, Random, check};
use pathqp::validate::validate;
use pathqp::{Path, Settings, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::l1_svm::L1Svm;
use pathqp_adapters::problem::PathProblem;
use std::sync::Arc;

const FREE: f64 = f64::INFINITY;

struct Case {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Vec<f64>,
    intercept: bool,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random(seed);
        let (n, d) = ([24, 12, 40][seed as usize % 3], [4, 20, 8][seed as usize % 3]);
        let integers = seed % 4 == 3;
        let y: Vec<f64> = (0..n).map(|i| if i % 5 < 2 { 1.0 } else { -1.0 }).collect();
        let mut entry = |y: f64, j: usize| {
            let noise = if integers { random.integer(2) } else { random.normal() };
            noise + if j < 2 { y } else { 0.0 }
        };
        let x = y.iter().map(|y| (0..d).map(|j| entry(*y, j)).collect()).collect();
        let mut weight = |i: usize| if seed % 3 == 1 && i.is_multiple_of(4) { 0.0 } else { random.between(0.5, 2.0) };
        let weights = if seed % 2 == 1 { (0..n).map(&mut weight).collect() } else { vec![1.0; n] };
        Case { x, y, weights, intercept: seed % 5 != 4 }
    }

    fn problem(&self) -> L1Svm {
        let features = Arc::new(dense(&self.x));
        L1Svm::new(features, self.y.clone(), Some(self.weights.clone()), self.intercept).unwrap()
    }

    /// Variables (β⁺, β⁻, b, ξ).
    fn interior_point(&self, alpha: f64) -> Convex {
        let (n, d) = (self.x.len(), self.x[0].len());
        let size = 2 * d + 1 + n;
        let unit = |j: usize| (0..size).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
        let mut rows: Vec<(Vec<f64>, f64, f64)> =
            (0..size).filter(|j| *j != 2 * d).map(|j| (unit(j), 0.0, FREE)).collect();
        if !self.intercept {
            rows.push((unit(2 * d), 0.0, 0.0));
        }
        for (i, (x, y)) in self.x.iter().zip(&self.y).enumerate() {
            let mut row = vec![0.0; size];
            for (j, x) in x.iter().enumerate() {
                (row[j], row[d + j]) = (y * x, -y * x);
            }
            (row[2 * d], row[2 * d + 1 + i]) = (*y, 1.0);
            rows.push((row, 1.0, FREE));
        }
        let c = [vec![alpha; 2 * d], vec![0.0], self.weights.clone()].concat();
        Convex { h: vec![vec![0.0; size]; size], c, rows }
    }

    fn loss(&self, w: &[f64], b: f64) -> f64 {
        let rows = self.x.iter().zip(self.y.iter().zip(&self.weights));
        rows.map(|(x, (y, v))| v * (1.0 - y * (dot(x, w) + b)).max(0.0)).sum()
    }
}

fn follow(problem: &L1Svm) -> Path<f64> {
    let (qp, settings) = (problem.qp().unwrap(), Settings::default());
    let from = [1.25 * problem.large_alpha()];
    let line = qp.line_about(&[0.0], &from, &[0.0]).unwrap();
    let start = problem.start(&qp, &from, &settings);
    let path = trace(&line, &start, &settings, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.0));
    assert!(path.is_complete(), "{:?}", path.stop());
    assert_eq!(validate(&path, &line, &1e-9), []);
    path
}

#[test]
fn values_are_those_of_an_interior_point_solver() {
    for seed in 0..48 {
        let case = Case::random(seed);
        let problem = case.problem();
        let (path, large) = (follow(&problem), problem.large_alpha());
        let total: f64 = case.weights.iter().sum();
        for share in [1.2, 0.9, 0.5, 0.2, 0.03, 0.0] {
            let (alpha, what) = (share * large, format!("seed {seed}, {share} of {large}"));
            let point = path.at_parameter(&[alpha]).unwrap();
            let (w, b) = problem.coefficients(&point);
            let loss = case.loss(&w, b);
            assert!((problem.loss(&w, b) - loss).abs() <= 1e-12 * total);
            let value = loss + alpha * w.iter().map(|w| w.abs()).sum::<f64>();
            case.interior_point(alpha).agrees(value, total, 1e-8, &what);
            let dual: f64 = point.x.iter().sum();
            assert!((value - dual).abs() <= 1e-9 * total, "{what}: {value}, {dual}");
            assert!(share < 1.0 || w.iter().all(|w| *w == 0.0), "{what}: {w:?}");
        }
    }
}

#[test]
fn coefficients_are_constant_between_breakpoints() {
    let problem = Case::random(2).problem();
    let path = follow(&problem);
    let breakpoints = path.breakpoints();
    assert!(breakpoints.len() >= 4, "{breakpoints:?}");
    for pair in breakpoints.windows(2) {
        let at = |part: f64| problem.coefficients(&path.at(&(pair[0] + part * (pair[1] - pair[0]))).unwrap());
        let ((w, b), (v, c)) = (at(0.2), at(0.8));
        assert!(w.iter().zip(&v).all(|(w, v)| (w - v).abs() < 1e-9) && (b - c).abs() < 1e-9, "{w:?} {v:?}");
    }
}

#[test]
fn lines_pass_every_check_of_an_adapter() {
    for seed in 0..12 {
        let problem = Case::random(seed).problem();
        let (qp, large) = (problem.qp().unwrap(), problem.large_alpha());
        let start = problem.start(&qp, &[1.1 * large], &Settings::default());
        let options = Options { points: 7, seed, ..Options::default() };
        assert_eq!(check(&qp, &[1.1 * large], &[0.01 * large], &start, &options), [], "seed {seed}");
    }
}

/// Four points on a line, 1 apart around zero: β = 1 separates with margin 1 at the least |β|, and stays as long as α is no more than what a row pays.
#[test]
fn separable_classes_have_the_least_norm_with_margin_one() {
    let x = dense(&[vec![-3.0], vec![-1.0], vec![1.0], vec![3.0]]);
    let problem = L1Svm::new(Arc::new(x), vec![-1.0, -1.0, 1.0, 1.0], None, true).unwrap();
    let path = follow(&problem);
    for alpha in [0.0, 0.5, 1.9] {
        let (w, b) = problem.coefficients(&path.at_parameter(&[alpha]).unwrap());
        assert!((w[0] - 1.0).abs() < 1e-14 && b.abs() < 1e-14, "{alpha}: {w:?} {b}");
    }
    // From 2 on it is cheaper to pay: 2(1 − β) + αβ with β = ⅓, and beyond 8 with β = 0.
    for (alpha, beta) in [(2.1, 1.0 / 3.0), (7.9, 1.0 / 3.0), (8.1, 0.0)] {
        let (w, _) = problem.coefficients(&path.at_parameter(&[alpha]).unwrap());
        assert!((w[0] - beta).abs() < 1e-14, "{alpha}: {w:?}");
    }
}

/// Down to α = 0, where the objective is zero: its gap is what rounding of a makes of it.
#[test]
fn separable_classes_end_in_an_objective_of_zero() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (n, d) = (10 + random.below(20), 2 + random.below(5));
        let normal: Vec<f64> = (0..d).map(|_| random.integer(3)).collect();
        let mut rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.integer(6)).collect()).collect();
        rows.retain(|row| dot(row, &normal) != 0.0);
        let labels: Vec<f64> = rows.iter().map(|row| dot(row, &normal).signum()).collect();
        let Ok(problem) = L1Svm::new(Arc::new(dense(&rows)), labels, None, seed % 2 == 0) else { continue };
        follow(&problem);
    }
}

#[test]
fn what_is_wrong_with_the_data_is_said() {
    let x = Arc::new(dense(&[vec![1.0], vec![2.0], vec![0.0]]));
    let wrong = |y: &[f64], v: Option<Vec<f64>>| L1Svm::new(x.clone(), y.to_vec(), v, true).map(|_| ()).unwrap_err();
    assert!(matches!(wrong(&[1.0, -1.0], None), AdapterError::Shape { what: "labels", .. }));
    assert!(matches!(wrong(&[1.0, 0.5, -1.0], None), AdapterError::Label { row: 1, .. }));
    assert!(matches!(wrong(&[1.0; 3], None), AdapterError::OneClass { .. }));
    assert!(matches!(wrong(&[1.0, 1.0, -1.0], Some(vec![1.0, -1.0, 1.0])), AdapterError::Weight { row: 1, .. }));
    assert!(matches!(wrong(&[1.0, 1.0, -1.0], Some(vec![1.0, 1.0, 0.0])), AdapterError::NoWeightInClass { .. }));
    assert!(matches!(wrong(&[1.0, 1.0, -1.0], Some(vec![1.0])), AdapterError::Shape { what: "weights", .. }));
}
