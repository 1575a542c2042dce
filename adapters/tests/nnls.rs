//! Least squares in boxes: an interior-point solver at random parameters, repeated columns, fixed coefficients, known answers, bad input.

use crate::common;

use crate::common::dense;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Path, Settings};
use pathqp_adapters::nnls::{Course, Nnls};

fn random_data(n: usize, d: usize, seed: u64) -> (Vec<Vec<f64>>, [Vec<f64>; 2]) {
    let mut random = Random(seed);
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.normal() + 0.3).collect()).collect();
    let mut response = || (0..n).map(|_| random.normal() + 0.5).collect::<Vec<f64>>();
    let both = [response(), response()];
    (rows, both)
}

fn whole(problem: &Nnls, course: &Course) -> Path<f64> {
    let path = problem.path(course, &Settings::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(path.is_complete(), "{:?}", path.stop());
    assert_eq!(validate(&path, &problem.line(course).unwrap(), &1e-9), []);
    path
}

/// x of min ½‖Ax − b‖² + λ1ᵀx between the bounds (d values each), by an interior-point solver.
fn interior_point(a: &[Vec<f64>], b: &[f64], lambda: f64, [lower, upper]: [&[f64]; 2]) -> Vec<f64> {
    let d = a[0].len();
    let product = |j: usize, k: usize| a.iter().map(|row| row[j] * row[k]).sum::<f64>();
    let upper_half: Vec<(usize, f64)> = (0..d).flat_map(|j| (0..=j).map(move |k| (k, product(j, k)))).collect();
    let starts = (0..=d).map(|j| j * (j + 1) / 2).collect();
    let (rows, values) = upper_half.into_iter().unzip();
    let p = CscMatrix::new(d, d, starts, rows, values);
    let q: Vec<f64> = (0..d).map(|j| lambda - a.iter().zip(b).map(|(row, b)| row[j] * b).sum::<f64>()).collect();
    let (mut starts, mut indices, mut values, mut limits) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for j in 0..d {
        for (sign, limit) in [(-1.0, -lower[j]), (1.0, upper[j])] {
            if limit.is_finite() {
                indices.push(limits.len());
                values.push(sign);
                limits.push(limit);
            }
        }
        starts.push(indices.len());
    }
    let constraints = CscMatrix::new(limits.len(), d, starts, indices, values);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-13,
        tol_gap_rel: 1e-13,
        tol_feas: 1e-12,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let cone = [NonnegativeConeT(limits.len())];
    let mut solver = DefaultSolver::new(&p, &q, &constraints, &limits, &cone, settings).unwrap();
    solver.solve();
    solver.solution.x
}

/// ½‖Ax − b‖² + λ1ᵀx.
fn value(a: &[Vec<f64>], b: &[f64], lambda: f64, x: &[f64]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(row, b)| (common::dot(row, x) - b).powi(2)).sum();
    square / 2.0 + lambda * x.iter().sum::<f64>()
}

#[test]
fn fifty_random_parameters_agree_with_an_interior_point_solver() {
    for seed in 0..50 {
        let (a, [b, other]) = random_data(25, 9, seed);
        let mut random = Random(1000 + seed);
        let boxed = seed % 2 == 1;
        let bound = |value: f64, free: f64| vec![if boxed { value } else { free }; 9];
        let (lower, upper) = (bound(-0.1, 0.0), bound(0.15, f64::INFINITY));
        let problem = Nnls::new(&dense(&a), b.clone(), lower.clone(), upper.clone()).unwrap();
        let path = whole(&problem, &Course::Response(other.clone()));
        let s = random.unit();
        let between: Vec<f64> = b.iter().zip(&other).map(|(b, c)| b + s * (c - b)).collect();
        let mut pairs = vec![(problem.at(&path, s).unwrap(), between, 0.0)];
        if !boxed {
            let path = whole(&problem, &Course::Penalty);
            let lambda = problem.largest_lambda() * random.unit();
            pairs.push((problem.at(&path, lambda).unwrap(), b, lambda));
        }
        for (x, b, lambda) in pairs {
            let theirs = interior_point(&a, &b, lambda, [&lower, &upper]);
            let apart = x.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let size = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(apart <= 1e-6 * size, "seed {seed}: {x:?} and {theirs:?}");
            let (mine, other) = (value(&a, &b, lambda, &x), value(&a, &b, lambda, &theirs));
            assert!((mine - other).abs() <= 1e-8 * other, "seed {seed}: {mine} and {other}");
        }
    }
}

#[test]
fn repeated_columns_more_columns_than_rows_and_fixed_coefficients_are_followed() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (n, d) = (1 + random.below(6), 1 + random.below(12));
        let mut a: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.below(3) as f64 - 1.0).collect()).collect();
        a.iter_mut().for_each(|row| row[d - 1] = row[0]);
        let [b, other] = [0, 1].map(|_| (0..n).map(|_| random.below(5) as f64 - 2.0).collect::<Vec<f64>>());
        let lower: Vec<f64> = (0..d).map(|_| -(random.below(2) as f64)).collect();
        let upper: Vec<f64> = lower.iter().map(|l| l + random.below(3) as f64).collect();
        let boxed = Nnls::new(&dense(&a), b.clone(), lower, upper).unwrap();
        whole(&boxed, &Course::Response(other));
        whole(&Nnls::non_negative(&dense(&a), b).unwrap(), &Course::Penalty);
    }
}

/// A = I: x is b, cut off, and soft-thresholded.
#[test]
fn the_identity_cuts_and_thresholds() {
    let a = dense(&[vec![1.0, 0.0], vec![0.0, 1.0]]);
    let problem = Nnls::non_negative(&a, vec![3.0, -1.0]).unwrap();
    let along = whole(&problem, &Course::Response(vec![1.0, 1.0]));
    assert_eq!(problem.at(&along, 0.75).unwrap(), [1.5, 0.5]);
    assert_eq!(problem.at(&along, 0.25).unwrap(), [2.5, 0.0]);
    assert_eq!(along.breakpoints(), [0.5]);
    let shrunk = whole(&problem, &Course::Penalty);
    assert_eq!((problem.largest_lambda(), problem.at(&shrunk, 1.0).unwrap()), (3.0, vec![2.0, 0.0]));
    assert_eq!(problem.residual_square(&[2.0, 0.0]), 2.0);
}

#[test]
fn what_is_wrong_with_the_data_is_said() {
    let a = dense(&[vec![1.0], vec![2.0]]);
    let problem = Nnls::new(&a, vec![1.0, 2.0], vec![-1.0], vec![1.0]).unwrap();
    let text = problem.qp(&Course::Penalty).map(|_| ()).unwrap_err().to_string();
    assert_eq!(text, "lower = -1: it must not be negative while lambda varies");
    assert!(problem.qp(&Course::Response(vec![1.0])).is_err());
    assert!(problem.qp(&Course::Response(vec![1.0, f64::NAN])).is_err());
    assert!(Nnls::new(&a, vec![1.0, 2.0], vec![0.0; 2], vec![1.0]).is_err());
    assert!(Nnls::new(&a, vec![1.0, f64::NAN], vec![0.0], vec![1.0]).is_err());
    let crossed = Nnls::new(&a, vec![1.0, 2.0], vec![2.0], vec![1.0]).unwrap();
    assert!(crossed.qp(&Course::Penalty).is_err());
}
