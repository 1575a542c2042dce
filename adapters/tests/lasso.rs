//! The lasso: ties, repeated columns, integers, known answers, exact arithmetic, an interior-point solver, and bad input.

use crate::common;

use crate::common::dense;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use pathqp::hessian::{Gram, Rows};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Exact, Path, Scalar, Settings, Start, Status, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::dataset::{Features, ReadOptions, read};
use pathqp_adapters::lasso::{Lasso, LassoFit, pose};
use std::path::PathBuf;

const N: usize = 20;
const D: usize = 12;

/// The kinds of designs: duplicated columns or not, integers or not.
const KINDS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

fn design((duplicated, integers): (bool, bool), seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Random(seed);
    let mut entry = || if integers { random.below(3) as f64 - 1.0 } else { random.normal() };
    let mut x: Vec<Vec<f64>> = (0..N).map(|_| (0..D).map(|_| entry()).collect()).collect();
    let y = (0..N).map(|_| entry()).collect();
    if duplicated {
        x.iter_mut().for_each(|row| (0..4).for_each(|j| row[D - 4 + j] = row[j]));
    }
    (x, y)
}

fn transposed_product(x: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    (0..x[0].len()).map(|j| x.iter().zip(v).map(|(row, v)| row[j] * v).sum()).collect()
}

fn residual(x: &[Vec<f64>], y: &[f64], fit: &LassoFit) -> Vec<f64> {
    let f = |row: &Vec<f64>| row.iter().zip(&fit.coefficients).map(|(x, w)| x * w).sum::<f64>() + fit.intercept;
    x.iter().zip(y).map(|(row, y)| y - f(row)).collect()
}

/// The largest violation of |g| ≤ α, and g = α sign(w) where w ≠ 0, from the data themselves; relative to the largest α.
fn violation(x: &[Vec<f64>], y: &[f64], ridge: f64, largest: f64, fit: &LassoFit) -> f64 {
    let r = residual(x, y, fit);
    let n = y.len() as f64;
    let wrong = |(g, w): (f64, &f64)| {
        let g = g / n - ridge * w;
        let active = if *w == 0.0 { 0.0 } else { (g - fit.alpha * w.signum()).abs() };
        active.max(g.abs() - fit.alpha)
    };
    transposed_product(x, &r).into_iter().zip(&fit.coefficients).map(wrong).fold(0.0, f64::max) / largest
}

fn whole(lasso: &Lasso) -> Path<f64> {
    let path = lasso.path(0.0, &Settings::default()).unwrap();
    assert!(path.is_complete(), "{:?}", path.stop());
    path
}

/// At both sides of every breakpoint, the engine's certificate and the conditions recomputed from the data.
#[test]
fn eight_hundred_designs_satisfy_the_optimality_conditions_at_every_breakpoint() {
    for kind in KINDS {
        let (mut worst, mut places) = (0.0_f64, 0);
        for seed in 0..200 {
            let (x, y) = design(kind, seed);
            let lasso = Lasso::new(&dense(&x), y.clone(), false, 0.0).unwrap();
            let (path, largest) = (whole(&lasso), lasso.largest_alpha());
            let line = lasso.line(largest, 0.0).unwrap();
            assert_eq!(validate(&path, &line, &1e-9), [], "{kind:?}, seed {seed}");
            for t in path.segments().iter().map(|s| s.t).chain([*path.end()]) {
                for point in [path.before(&t).unwrap(), path.at(&t).unwrap()] {
                    let certificate = Certificate::new(&line, &t, &point.x, &point.y).kkt_residual();
                    let fit = lasso.fit(path.parameter(&t)[0], &point);
                    worst = worst.max(certificate).max(violation(&x, &y, 0.0, largest, &fit));
                    places += 1;
                }
            }
        }
        println!("duplicated, integers = {kind:?}: {places} points, worst {worst:.1e}");
        assert!(worst <= 1e-9, "{kind:?}: {worst:e}");
    }
}

/// α in multiples of 1/n: θ = nα, H = [XᵀX −XᵀX; −XᵀX XᵀX].
#[test]
fn in_exact_arithmetic_small_integer_designs_have_no_residual_at_all() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let (n, d) = (4 + random.below(3), 3 + random.below(4));
        let mut columns: Vec<Vec<i64>> = (0..d).map(|_| (0..n).map(|_| random.below(3) as i64 - 1).collect()).collect();
        columns[d - 1] = columns[0].clone();
        let y: Vec<i64> = (0..n).map(|_| random.below(5) as i64 - 2).collect();
        let correlations: Vec<Exact> =
            columns.iter().map(|x| Exact::integer(x.iter().zip(&y).map(|(x, y)| x * y).sum())).collect();
        let values =
            [1, -1].iter().flat_map(|s| columns.iter().flatten().map(move |x| Exact::integer(s * x))).collect();
        let gram = Gram::new(2 * d, Rows::Dense { columns: n, values }, Exact::integer(1)).unwrap();
        let both = correlations.iter().flat_map(|g| [g.clone(), -g.clone()]);
        let largest = both.fold(Exact::integer(0), Exact::larger);
        let qp = pose(gram, &correlations, &vec![Exact::integer(1); d]).unwrap();
        let line = qp.line(&[largest], &[Exact::integer(0)]).unwrap();
        let start = Start::ActiveSet { status: vec![Status::Lower; 2 * d], y: None };
        let path =
            trace(&line, &start, &Settings::default(), &mut ()).unwrap_or_else(|f| panic!("seed {seed}: {}", f.0));
        assert_eq!(validate(&path, &line, &Exact::integer(0)), [], "seed {seed}");
        // The other way, from the least squares fit: the same breakpoints.
        let back = qp.line(&[Exact::integer(0)], &line.origin).unwrap();
        let back = trace(&back, &Start::Anywhere, &Settings::default(), &mut ())
            .unwrap_or_else(|f| panic!("seed {seed}: {}", f.0));
        let inner = |path: &Path<Exact>| -> Vec<Exact> {
            let inside = |t: &Exact| *t > Exact::integer(0) && t < path.end();
            path.breakpoints().iter().filter(|t| inside(t)).map(|t| path.parameter(t)[0].clone()).collect()
        };
        let mut backwards = inner(&back);
        backwards.reverse();
        assert_eq!(inner(&path), backwards, "seed {seed}");
        // In floating point too.
        let rows: Vec<Vec<f64>> = (0..n).map(|i| columns.iter().map(|x| x[i] as f64).collect()).collect();
        let lasso = Lasso::new(&dense(&rows), y.iter().map(|y| *y as f64).collect(), false, 0.0).unwrap();
        let rounded = whole(&lasso);
        let alphas = |t: &f64| rounded.parameter(t)[0] * n as f64;
        let found: Vec<f64> =
            rounded.breakpoints().iter().filter(|t| *t > rounded.begin() && *t < rounded.end()).map(alphas).collect();
        let exact: Vec<f64> =
            inner(&path).iter().map(|a| a.to_string().parse::<f64>().unwrap_or_else(|_| quotient(a))).collect();
        common::assert_same(&format!("seed {seed}"), &found, &exact, 1e-12);
    }
}

fn quotient(value: &Exact) -> f64 {
    let text = value.to_string();
    let (a, b) = text.split_once('/').unwrap();
    a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap()
}

fn case(name: &str) -> (Vec<Vec<f64>>, Vec<f64>) {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases").join(name);
    if !shared.exists() {
        let x = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, -1, 0], [0, 1, 0, -1], [0, 0, 1, 1], [1, 1, 0, 0]];
        let rows = x.map(|row| row.map(f64::from).to_vec()).to_vec();
        return (rows, vec![5.0, 5.0, 1.0, 1.0, -2.0, 3.0]);
    }
    let data = read(&shared, &ReadOptions { response: Some("y".into()), ..ReadOptions::default() }).unwrap();
    let mut rows = vec![vec![0.0; data.features.columns()]; data.rows()];
    rows.iter_mut().enumerate().for_each(|(i, row)| data.features.dense_row(i, row));
    (rows, data.response)
}

/// Two pairs of columns, each of which enters at once: by symmetry w = (a, a, b, b), XᵀX = [3 1 . .; 1 3 . .; …] and the first gradient is 3/2.
#[test]
fn columns_that_enter_together_have_their_known_coefficients() {
    let (x, y) = case("B17_lasso_tie.csv");
    let lasso = Lasso::new(&dense(&x), y, false, 0.0).unwrap();
    assert!((lasso.largest_alpha() - 1.5).abs() <= 1e-15);
    let path = whole(&lasso);
    for (alpha, w, objective) in [
        (1.0, [0.75, 0.75, 0.0, 0.0], 5.041_666_666_666_67),
        (0.5, [1.5, 1.5, 0.0, 0.0], 3.916_666_666_666_67),
        (0.1, [2.1, 2.1, 0.35, 0.35], 2.395),
    ] {
        let fit = lasso.at(&path, alpha).unwrap();
        for (found, expected) in fit.coefficients.iter().zip(w) {
            assert!((found - expected).abs() <= 1e-13, "alpha = {alpha}: {:?}", fit.coefficients);
        }
        assert!((fit.objective - objective).abs() <= 1e-13, "alpha = {alpha}: {}", fit.objective);
        assert!((fit.dual_objective - objective).abs() <= 1e-13, "alpha = {alpha}: {}", fit.dual_objective);
    }
}

/// min ½wᵀ(XᵀX/n + ρI)w − yᵀXw/n + α1ᵀs, |w| ≤ s, by an interior-point solver; the optimal value.
fn interior_point(x: &[Vec<f64>], y: &[f64], ridge: f64, alpha: f64) -> f64 {
    let (n, d) = (x.len(), x[0].len());
    let g = |j: usize, k: usize| {
        x.iter().map(|row| row[j] * row[k]).sum::<f64>() / n as f64 + if j == k { ridge } else { 0.0 }
    };
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..d {
        (0..=j).for_each(|k| {
            indices.push(k);
            values.push(g(j, k));
        });
        starts.push(indices.len());
    }
    starts.extend(vec![indices.len(); d]);
    let p = CscMatrix::new(2 * d, 2 * d, starts, indices, values);
    let linear = transposed_product(x, y).into_iter().map(|g| -g / n as f64);
    let q: Vec<f64> = linear.chain(vec![alpha; d]).collect();
    // w − s ≤ 0, −w − s ≤ 0.
    let rows = (0..d).flat_map(|j| [j, d + j]).chain((0..d).flat_map(|j| [j, d + j])).collect();
    let entries = (0..d).flat_map(|_| [1.0, -1.0]).chain((0..d).flat_map(|_| [-1.0, -1.0])).collect();
    let a = CscMatrix::new(2 * d, 2 * d, (0..=2 * d).map(|j| 2 * j).collect(), rows, entries);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, &q, &a, &vec![0.0; 2 * d], &[NonnegativeConeT(2 * d)], settings).unwrap();
    solver.solve();
    solver.solution.obj_val + y.iter().map(|y| y * y).sum::<f64>() / (2.0 * n as f64)
}

#[test]
fn an_interior_point_solver_finds_the_same_values_with_and_without_a_ridge() {
    for kind in KINDS {
        for seed in 300..310 {
            let (x, y) = design(kind, seed);
            for ridge in [0.0, 0.3] {
                let lasso = Lasso::new(&dense(&x), y.clone(), false, ridge).unwrap();
                let (path, largest) = (whole(&lasso), lasso.largest_alpha());
                for share in [0.9, 0.4, 0.1, 0.01] {
                    let fit = lasso.at(&path, share * largest).unwrap();
                    let value = interior_point(&x, &y, ridge, share * largest);
                    let place = format!("{kind:?}, seed {seed}, ridge {ridge}, {share} of the largest");
                    assert!((fit.objective - value).abs() <= 1e-8 * value, "{place}: {} and {value}", fit.objective);
                    assert!((fit.objective - fit.dual_objective).abs() <= 1e-12 * value, "{place}");
                    assert!(violation(&x, &y, ridge, largest, &fit) <= 1e-12, "{place}");
                }
            }
        }
    }
}

/// Centring is the same as a free constant: residuals sum to zero.
#[test]
fn with_an_intercept_residuals_sum_to_zero() {
    let (mut x, mut y) = design((false, false), 7);
    x.iter_mut().for_each(|row| row[2] += 30.0);
    y.iter_mut().for_each(|y| *y -= 100.0);
    let lasso = Lasso::new(&dense(&x), y.clone(), true, 0.0).unwrap();
    let (path, largest) = (whole(&lasso), lasso.largest_alpha());
    for share in [1.0, 0.5, 0.1, 0.0] {
        let fit = lasso.at(&path, share * largest).unwrap();
        assert!(residual(&x, &y, &fit).iter().sum::<f64>().abs() <= 1e-11, "{share}");
        // Products of 30 and 100 are summed here: 3000ε, relative to an α below one.
        assert!(violation(&x, &y, 0.0, largest, &fit) <= 1e-11, "{share}");
    }
}

/// Few entries that are not zero: the same path as by all entries, centred, with or without an intercept, a ridge and rows.
#[test]
fn few_entries_are_followed_as_they_are() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let (n, d) = (30, 80);
        let mut x = vec![vec![0.0; d]; n];
        (0..n * 6).for_each(|_| x[random.below(n)][random.below(d)] = random.normal() + 1.0);
        let y: Vec<f64> = (0..n).map(|_| random.normal() - 3.0).collect();
        let all: Vec<Vec<f64>> = x.iter().map(|row| row.iter().map(|v| v + 1e-300).collect()).collect();
        for (intercept, ridge) in [(true, 0.0), (false, 0.0), (true, 0.2)] {
            let [few, full] =
                [dense(&x).to_sparse(), dense(&all)].map(|x| Lasso::new(&x, y.clone(), intercept, ridge).unwrap());
            let (path, other, largest) = (whole(&few), whole(&full), full.largest_alpha());
            assert!((few.largest_alpha() - largest).abs() <= 1e-14 * largest);
            assert_eq!(validate(&path, &few.line(few.largest_alpha(), 0.0).unwrap(), &1e-9), [], "seed {seed}");
            for share in [1.0, 0.8, 0.5, 0.2, 0.05, 0.01] {
                // The ends of both paths differ by rounding.
                let alphas = [few.largest_alpha(), largest].map(|largest| share * largest);
                let [a, b] = [few.at(&path, alphas[0]), full.at(&other, alphas[1])].map(Option::unwrap);
                let place = format!("seed {seed}, intercept {intercept}, ridge {ridge}, {share} of the largest");
                assert!((a.objective - b.objective).abs() <= 1e-12 * b.objective, "{place}");
                assert!((a.objective - a.dual_objective).abs() <= 1e-11 * a.objective, "{place}");
                assert!(violation(&x, &y, ridge, largest, &a) <= 1e-11, "{place}");
                assert!(!intercept || residual(&x, &y, &a).iter().sum::<f64>().abs() <= 1e-10, "{place}");
            }
            let value = interior_point(
                &x,
                &y.iter().map(|y| y - few.at(&path, 0.2 * largest).unwrap().intercept).collect::<Vec<f64>>(),
                ridge,
                0.2 * largest,
            );
            let fit = few.at(&path, 0.2 * largest).unwrap();
            assert!((fit.objective - value).abs() <= 1e-8 * value, "seed {seed}: {} and {value}", fit.objective);
        }
    }
}

#[test]
fn more_columns_than_rows_never_need_more_coefficients_than_rows() {
    for (n, d, seed) in [(8, 60, 1), (1, 5, 2), (5, 1, 3), (1, 1, 4), (30, 30, 5)] {
        let mut random = Random(seed);
        let x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.normal()).collect()).collect();
        let y: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let lasso = Lasso::new(&dense(&x), y.clone(), false, 0.0).unwrap();
        let path = whole(&lasso);
        assert_eq!(validate(&path, &lasso.line(lasso.largest_alpha(), 0.0).unwrap(), &1e-9), [], "{n} x {d}");
        assert!(path.stats().max_free <= n.min(d), "{n} x {d}: {}", path.stats().max_free);
        let last = lasso.at(&path, 0.0).unwrap();
        let left = residual(&x, &y, &last).iter().map(|r| r * r).sum::<f64>();
        assert!(d < n || left <= 1e-20, "{n} x {d}: {left:e}");
    }
}

/// The scales of data are not the units of the answer.
#[test]
fn tiny_and_huge_columns_are_followed_alike() {
    for scale in [1e-100, 1e-8, 1e8, 1e100] {
        let (x, y) = design((true, false), 11);
        let scaled: Vec<Vec<f64>> = x.iter().map(|row| row.iter().map(|v| v * scale).collect()).collect();
        let (a, b) = (Lasso::new(&dense(&x), y.clone(), false, 0.0), Lasso::new(&dense(&scaled), y, false, 0.0));
        let (a, b) = (a.unwrap(), b.unwrap());
        let values = |lasso: &Lasso, unit: f64| -> Vec<f64> {
            let path = whole(lasso);
            path.breakpoints().iter().map(|t| path.parameter(t)[0] / unit).collect()
        };
        common::assert_same(&format!("scale {scale:e}"), &values(&a, 1.0), &values(&b, scale), 1e-11);
    }
}

#[test]
fn constant_and_missing_data_are_no_trouble() {
    let zero = Lasso::new(&dense(&[vec![0.0, 1.0], vec![0.0, 2.0]]), vec![0.0, 0.0], false, 0.0).unwrap();
    assert_eq!(zero.largest_alpha(), 0.0);
    assert_eq!(zero.at(&whole(&zero), 0.0).unwrap().coefficients, [0.0, 0.0]);
    let constant =
        Lasso::new(&dense(&[vec![3.0, 1.0], vec![3.0, 2.0], vec![3.0, 4.0]]), vec![1.0, 2.0, 4.0], true, 0.0).unwrap();
    let fit = constant.at(&whole(&constant), 0.0).unwrap();
    assert!(fit.coefficients[0] == 0.0 && (fit.coefficients[1] - 1.0).abs() <= 1e-15, "{fit:?}");
}

/// Values that are all the same are nothing but the intercept, whatever their mean is rounded to.
#[test]
fn a_constant_response_has_no_coefficients() {
    let mut random = Random(3);
    for n in [3, 7, 10, 49] {
        for constant in [0.1, 1.0 / 3.0, -1e9 / 7.0, 4e-9 / 3.0] {
            let x: Vec<Vec<f64>> = (0..n).map(|_| vec![1e6 * random.normal(), random.normal(), constant]).collect();
            let flat = Lasso::new(&dense(&x), vec![constant; n], true, 0.0).unwrap();
            assert_eq!(flat.largest_alpha(), 0.0);
            let path = whole(&flat);
            assert_eq!((path.begin(), path.end()), (&0.0, &0.0));
            let fit = flat.at(&path, 0.0).unwrap();
            assert_eq!((fit.coefficients, fit.intercept), (vec![0.0; 3], constant));
            // A constant column has no effect.
            let y = (0..n).map(|_| random.normal()).collect();
            let lasso = Lasso::new(&dense(&x), y, true, 0.0).unwrap();
            assert_eq!(lasso.at(&whole(&lasso), 0.0).unwrap().coefficients[2], 0.0);
        }
    }
}

#[test]
fn what_is_wrong_with_the_data_is_said() {
    let x = dense(&[vec![1.0], vec![2.0]]);
    let wrong = |x: &Features, y: &[f64], ridge: f64| Lasso::new(x, y.to_vec(), false, ridge).map(|_| ()).unwrap_err();
    assert_eq!(wrong(&x, &[1.0], 0.0), AdapterError::Shape { what: "responses", expected: 2, found: 1 });
    assert_eq!(
        wrong(&x, &[1.0, f64::INFINITY], 0.0).to_string(),
        "the response of row 1 is inf: it must be a finite number"
    );
    assert!(wrong(&x, &[1.0, 2.0], -1.0).to_string().contains("ridge = -1"));
    assert!(wrong(&dense(&[]), &[], 0.0).to_string().contains('0'));
    let lasso = Lasso::new(&x, vec![1.0, 2.0], false, 0.0).unwrap();
    assert!(lasso.line(1.0, -1.0).is_err() && lasso.line(f64::NAN, 0.0).is_err());
    let infinite = Lasso::new(&dense(&[vec![f64::NAN], vec![2.0]]), vec![1.0, 2.0], false, 0.0).unwrap();
    assert!(infinite.qp().is_err());
    assert!(lasso.at(&lasso.path(0.5, &Settings::default()).unwrap(), 0.1).is_none());
}
