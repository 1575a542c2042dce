//! The Dantzig selector: an interior-point solver, known answers, more columns than rows, what is refused.

use crate::common::convex::Convex;
use crate::common::{dense, dot};
use pathqp::testing::{Options, Random, check};
use pathqp::validate::{Violation, validate};
use pathqp::{Line, Path, Settings, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::dantzig::Dantzig;
use pathqp_adapters::lasso::Lasso;
use pathqp_adapters::problem::PathProblem;

const FREE: f64 = f64::INFINITY;

fn design(seed: u64) -> (Vec<Vec<f64>>, Vec<f64>, bool) {
    let mut random = Random(seed);
    let (n, d) = ([20, 8, 30][seed as usize % 3], [6, 15, 10][seed as usize % 3]);
    let integers = seed % 4 == 3;
    let mut entry = || if integers { random.integer(2) } else { random.normal() };
    let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| entry()).collect()).collect();
    let y = (0..n).map(|_| entry() + 1.0).collect();
    if seed % 5 == 2 {
        x.iter_mut().for_each(|row| row[1] = row[0]);
    }
    (x, y, seed.is_multiple_of(2))
}

fn line(problem: &Dantzig, to: f64) -> Line<f64> {
    problem.qp().unwrap().line_about(&[0.0], &[problem.largest_alpha()], &[to]).unwrap()
}

fn follow(problem: &Dantzig) -> Path<f64> {
    let (path, wrong) = followed(problem);
    assert_eq!(wrong, []);
    path
}

/// A path and all that is wrong with it.
fn followed(problem: &Dantzig) -> (Path<f64>, Vec<Violation<f64>>) {
    let (line, settings) = (line(problem, 0.0), Settings::default());
    let start = problem.start(&problem.qp().unwrap(), &[problem.largest_alpha()], &settings);
    let path = trace(&line, &start, &settings, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.0));
    assert!(path.is_complete(), "{:?}", path.stop());
    let wrong = validate(&path, &line, &1e-9);
    (path, wrong)
}

fn at(problem: &Dantzig, path: &Path<f64>, alpha: f64) -> Vec<f64> {
    problem.coefficients(&path.at_parameter(&[alpha]).unwrap()).0
}

/// Columns and a response with their means taken off.
fn centred(x: &[Vec<f64>], y: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let n = y.len() as f64;
    let means: Vec<f64> = (0..x[0].len()).map(|j| x.iter().map(|row| row[j]).sum::<f64>() / n).collect();
    let mean = y.iter().sum::<f64>() / n;
    let x = x.iter().map(|row| row.iter().zip(&means).map(|(x, m)| x - m).collect()).collect();
    (x, y.iter().map(|y| y - mean).collect())
}

/// Xᵀv.
fn products(x: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    (0..x[0].len()).map(|j| x.iter().zip(v).map(|(row, v)| row[j] * v).sum()).collect()
}

/// Variables (β⁺, β⁻) as the paper has them.
fn interior_point(x: &[Vec<f64>], y: &[f64], alpha: f64) -> Convex {
    let d = x[0].len();
    let unit = |j: usize| (0..2 * d).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
    let mut rows: Vec<(Vec<f64>, f64, f64)> = (0..2 * d).map(|j| (unit(j), 0.0, FREE)).collect();
    let correlations = products(x, y);
    for j in 0..d {
        let gram: Vec<f64> = (0..d).map(|k| x.iter().map(|row| row[j] * row[k]).sum()).collect();
        let both = gram.iter().copied().chain(gram.iter().map(|g| -g)).collect();
        rows.push((both, correlations[j] - alpha, correlations[j] + alpha));
    }
    Convex { h: vec![vec![0.0; 2 * d]; 2 * d], c: vec![1.0; 2 * d], rows }
}

#[test]
fn values_are_those_of_an_interior_point_solver() {
    // Paths whose certificate does not hold everywhere, and says so (docs/rows.md, what is known to be wrong).
    let mut torn = Vec::new();
    for seed in 0..48 {
        let (x, y, intercept) = design(seed);
        let problem = Dantzig::new(&dense(&x), y.clone(), intercept).unwrap();
        let ((path, wrong), largest) = (followed(&problem), problem.largest_alpha());
        if !wrong.is_empty() {
            torn.push(seed);
            continue;
        }
        let (x, y) = if intercept { centred(&x, &y) } else { (x, y) };
        for share in [1.0, 0.8, 0.4, 0.1, 0.01] {
            let (alpha, what) = (share * largest, format!("seed {seed}, {share} of {largest}"));
            let beta = at(&problem, &path, alpha);
            let rest: Vec<f64> = x.iter().zip(&y).map(|(row, y)| y - dot(row, &beta)).collect();
            let most = products(&x, &rest).into_iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            assert!(most <= alpha + 1e-10 * largest, "{what}: {most}");
            let norm: f64 = beta.iter().map(|b| b.abs()).sum();
            interior_point(&x, &y, alpha).agrees(norm, norm.max(1e-2), 1e-7, &what);
        }
        // At the largest α all are zero but for rounding of it, and below it not.
        let next = at(&problem, &path, 0.99 * largest).iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        assert!(at(&problem, &path, largest).iter().all(|b| b.abs() <= 1e-12 * next), "seed {seed}");
        assert!(at(&problem, &path, 0.99 * largest).iter().any(|b| *b != 0.0), "seed {seed}");
    }
    assert_eq!(torn, [12]);
}

#[test]
fn lines_pass_every_check_of_an_adapter() {
    for seed in 0..12 {
        let (x, y, intercept) = design(seed);
        let problem = Dantzig::new(&dense(&x), y, intercept).unwrap();
        let (qp, largest) = (problem.qp().unwrap(), problem.largest_alpha());
        let start = problem.start(&qp, &[largest], &Settings::default());
        let options = Options { points: 7, seed, ..Options::default() };
        assert_eq!(check(&qp, &[largest], &[0.01 * largest], &start, &options), [], "seed {seed}");
    }
}

/// With orthogonal columns both selectors are the same soft threshold (Candès and Tao 2007, §1.4): α = nα of the lasso.
#[test]
fn orthogonal_columns_have_a_soft_threshold() {
    let x = dense(&[vec![1.0, 1.0], vec![1.0, -1.0], vec![1.0, 1.0], vec![1.0, -1.0]]);
    let y = vec![5.0, 1.0, 4.0, 2.0];
    let problem = Dantzig::new(&x, y.clone(), false).unwrap();
    // Xᵀy = (12, 6), XᵀX = 4I.
    assert_eq!(problem.largest_alpha(), 12.0);
    let path = follow(&problem);
    let lasso = Lasso::new(&x, y, false, 0.0).unwrap();
    let of_lasso = lasso.path(0.0, &Settings::default()).unwrap();
    for (alpha, expected) in [(12.0, [0.0, 0.0]), (8.0, [1.0, 0.0]), (2.0, [2.5, 1.0]), (0.0, [3.0, 1.5])] {
        let beta = at(&problem, &path, alpha);
        let other = lasso.at(&of_lasso, alpha / 4.0).unwrap().coefficients;
        for (b, (e, o)) in beta.iter().zip(expected.iter().zip(&other)) {
            assert!((b - e).abs() < 1e-13 && (b - o).abs() < 1e-13, "{alpha}: {beta:?}, {other:?}");
        }
    }
}

/// The end interpolates where there are more columns than rows, with the least norm of all that do (basis pursuit).
#[test]
fn more_columns_than_rows_end_in_basis_pursuit() {
    for seed in [1, 4, 7, 10] {
        let (x, y, _) = design(seed);
        assert!(x[0].len() > x.len());
        let problem = Dantzig::new(&dense(&x), y.clone(), false).unwrap();
        let beta = at(&problem, &follow(&problem), 0.0);
        for (row, y) in x.iter().zip(&y) {
            assert!((dot(row, &beta) - y).abs() < 1e-10, "seed {seed}: {} for {y}", dot(row, &beta));
        }
        let d = x[0].len();
        let both = |row: &Vec<f64>| row.iter().copied().chain(row.iter().map(|v| -v)).collect::<Vec<f64>>();
        let unit = |j: usize| (0..2 * d).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
        let mut rows: Vec<(Vec<f64>, f64, f64)> = (0..2 * d).map(|j| (unit(j), 0.0, FREE)).collect();
        rows.extend(x.iter().zip(&y).map(|(row, y)| (both(row), *y, *y)));
        let norm: f64 = beta.iter().map(|b| b.abs()).sum();
        Convex { h: vec![vec![0.0; 2 * d]; 2 * d], c: vec![1.0; 2 * d], rows }.agrees(
            norm,
            norm,
            1e-8,
            "basis pursuit",
        );
    }
}

#[test]
fn units_of_columns_are_undone() {
    let (x, y, _) = design(0);
    let scaled: Vec<Vec<f64>> = x
        .iter()
        .map(|row| row.iter().enumerate().map(|(j, v)| v * 10f64.powi(3 * (j as i32 % 3) - 3)).collect())
        .collect();
    // A bound a column is one of its own: the same α for all is another problem, and satisfied by other numbers.
    let problem = Dantzig::new(&dense(&scaled), y.clone(), true).unwrap();
    let (path, largest) = (follow(&problem), problem.largest_alpha());
    let (scaled, y) = centred(&scaled, &y);
    for share in [0.5, 1e-3, 1e-6] {
        let beta = at(&problem, &path, share * largest);
        let rest: Vec<f64> = scaled.iter().zip(&y).map(|(row, y)| y - dot(row, &beta)).collect();
        for g in products(&scaled, &rest) {
            assert!(g.abs() <= share * largest * (1.0 + 1e-9), "{share}: {g}");
        }
    }
}

#[test]
fn what_is_wrong_with_the_data_is_said() {
    let x = dense(&[vec![1.0], vec![2.0]]);
    let wrong = |y: &[f64]| Dantzig::new(&x, y.to_vec(), false).map(|_| ()).unwrap_err();
    assert_eq!(wrong(&[1.0]), AdapterError::Shape { what: "responses", expected: 2, found: 1 });
    assert!(wrong(&[1.0, f64::NAN]).to_string().contains("row 1"));
    let flat = Dantzig::new(&x, vec![0.0, 0.0], false).unwrap();
    assert_eq!(flat.largest_alpha(), 0.0);
}
