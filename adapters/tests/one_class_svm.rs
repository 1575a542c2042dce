//! The one-class SVM against an interior-point solver, exact arithmetic, and the paper's own propositions.

use pathqp::testing::{Options, Random, check, check_exactly};
use pathqp::validate::validate;
use pathqp::{Path, Settings, Start, trace};
use pathqp_adapters::course::Course;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::one_class_svm::OneClassSvm;
use pathqp_adapters::{AdapterError, KernelProblem, PathProblem};
use std::sync::Arc;

const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "laplacian:0.3", "poly:3,0.5,1"];

fn dense(rows: &[Vec<f64>]) -> Features {
    Features::Dense { rows: rows.len(), columns: rows.first().map_or(0, Vec::len), values: rows.concat() }
}

fn cloud(n: usize, d: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random(seed);
    (0..n).map(|_| (0..d).map(|_| random.normal() + 0.5).collect()).collect()
}

fn svm(rows: &[Vec<f64>], weights: Option<Vec<f64>>, kernel: &str) -> OneClassSvm {
    OneClassSvm::new(Arc::new(dense(rows)), weights, kernel.parse().unwrap()).unwrap()
}

fn follow(svm: &OneClassSvm) -> Path<f64> {
    let settings = Settings::default();
    let qp = svm.qp(&settings).unwrap();
    let axis = svm.axis(&Course { vary: "nu".into(), ..Course::default() }).unwrap();
    let [from, to] = svm.ends(&qp, &axis, &settings).unwrap().map(Option::unwrap);
    let line = qp.line(&[from], &[to]).unwrap();
    let path = trace(&line, &svm.start(&qp, &[from], &settings), &settings, &mut ()).unwrap();
    assert!(path.is_complete());
    assert_eq!(validate(&path, &line, &1e-9), []);
    path
}

#[test]
fn every_kernel() {
    for (seed, kernel) in (0..).zip(KERNELS) {
        for (n, d) in [(1, 1), (2, 1), (25, 2), (30, 8)] {
            let rows = cloud(n, d, seed);
            let mut weights = Random(seed);
            for weights in [None, Some((0..n).map(|_| 0.5 + weights.unit()).collect())] {
                let svm = svm(&rows, weights, kernel);
                let settings = Settings::default();
                let qp = svm.qp(&settings).unwrap();
                let start = svm.start(&qp, &[1.0], &settings);
                let findings = check(&qp, &[1.0], &[0.5 / n as f64], &start, &Options::default());
                assert_eq!(findings, [], "{kernel}, {n} rows, {d} columns");
            }
        }
    }
}

#[test]
fn whole_numbers_exactly() {
    for seed in 0..30 {
        let mut random = Random(seed);
        // ν = k/8 are exact, and rows come twice.
        let mut rows: Vec<Vec<f64>> = (0..6).map(|_| vec![random.integer(2), random.integer(1)]).collect();
        rows.extend_from_within(4..);
        let svm = svm(&rows, None, "linear");
        let qp = svm.qp(&Settings::default()).unwrap();
        assert_eq!(check(&qp, &[1.0], &[0.125], &Start::Anywhere, &Options::default()), [], "seed {seed}");
        assert_eq!(check_exactly(&qp, &[1.0], &[0.125], &Options::default()), [], "seed {seed}");
    }
}

#[test]
fn the_share_of_outliers() {
    // Proposition 3: at most νn rows lie outside, at least νn outside or on the boundary; and the two objectives agree.
    for kernel in KERNELS {
        let rows = cloud(40, 3, 7);
        let svm = svm(&rows, None, kernel);
        let path = follow(&svm);
        for k in 1..=100 {
            let nu = f64::from(k) / 100.0;
            if nu * 40.0 < 1.0 {
                continue;
            }
            let model = svm.at(&path, nu).unwrap();
            // With a linear kernel the region is everything: both are zero, of rows of length one.
            let size = model.objective.abs().max(model.function.constant.abs()).max(1e-4);
            assert!((model.objective - model.dual_objective).abs() <= 1e-9 * size, "{kernel}, nu = {nu}: {model:?}");
            let f = svm.decision(&model, &dense(&rows));
            let noise = 1e-9 * size;
            let outside = f.iter().filter(|f| **f < -noise).count() as f64;
            let not_inside = f.iter().filter(|f| **f <= noise).count() as f64;
            assert!(outside <= nu * 40.0 + 1e-9 && nu * 40.0 - 1e-9 <= not_inside, "{kernel}, nu = {nu}");
            assert!((model.alpha.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn ranks_of_outliers() {
    let mut rows = cloud(30, 2, 3);
    rows.extend([vec![9.0, 0.0], vec![5.0, 5.0], vec![5.0, 5.0]]);
    let n = rows.len() as f64;
    let svm = svm(&rows, None, "rbf:0.2");
    let path = follow(&svm);
    let ranks = svm.outlier_ranks(&path).unwrap();
    // The definition at many ν: a row lies inside or on the boundary below its rank, and outside right above it.
    for (i, rank) in ranks.iter().enumerate() {
        // The innermost rows lie on the boundary at ν = 1, and inside before.
        let rank = rank.unwrap_or(1.0);
        let f = |nu: f64| svm.decision(&svm.at(&path, nu).unwrap(), &dense(&rows[i..=i]))[0];
        for k in 0..50 {
            let nu = 1.0 / n + (rank - 1.0 / n) * f64::from(k) / 50.0;
            assert!(f(nu) >= -1e-9, "row {i}: rank {rank}, f = {} at {nu}", f(nu));
        }
        let above = rank + 1e-7;
        assert!(above > 1.0 || f(above) < 0.0, "row {i}: rank {rank}, f = {} above", f(above));
    }
    assert_eq!(ranks.iter().filter(|rank| rank.is_none()).count(), 1);
    // The lone row is the first one out; two equal rows go out together.
    let least = ranks.iter().flatten().copied().fold(1.0, f64::min);
    assert_eq!(ranks[30], Some(least));
    assert_eq!(ranks[31], ranks[32]);
}

#[test]
fn equal_rows() {
    // All rows alike: f = 0 on them at every ν, so that none lies outside.
    let svm = svm(&vec![vec![1.0, 2.0]; 7], None, "rbf:1");
    let path = follow(&svm);
    assert_eq!(svm.outlier_ranks(&path).unwrap(), [None; 7]);
    let model = svm.at(&path, 0.4).unwrap();
    assert!(svm.decision(&model, &dense(&[vec![1.0, 2.0]]))[0].abs() < 1e-15);
}

#[test]
fn what_is_wrong_is_named() {
    let rows = cloud(4, 2, 1);
    let made = svm(&rows, None, "linear");
    let path = follow(&made);
    for nu in [0.0, -0.1, 1.1, f64::NAN] {
        assert!(matches!(made.at(&path, nu), Err(AdapterError::Parameter { name: "nu", .. })), "{nu}");
    }
    let weights = OneClassSvm::new(Arc::new(dense(&rows)), Some(vec![1.0, -1.0, 1.0, 1.0]), "linear".parse().unwrap());
    assert!(matches!(weights.err(), Some(AdapterError::Weight { row: 1, .. })));
    let course = Course { vary: "tau".into(), ..Course::default() };
    assert!(matches!(made.axis(&course), Err(AdapterError::Vary { .. })));
}
