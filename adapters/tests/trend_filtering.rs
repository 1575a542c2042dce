//! Trend filtering on chains, grids and complete graphs: dual feasibility, an interior-point solver, fusion, and bad input.

use crate::common;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use pathqp::hessian::{Banded, Dense};
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Certificate, Exact, Hessian, Path, Scalar, Settings, Start, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::trend_filtering::{Difference, TrendFiltering};
use std::time::Instant;

fn whole(filter: &TrendFiltering) -> Path<f64> {
    let path = filter.path(&Settings::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(path.is_endless(), "{:?}", path.stop());
    path
}

/// Steps with noise.
fn steps(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    (0..n).map(|i| [0.0, 2.0, -1.0, 3.0, 0.5][5 * i / n] + 0.5 * random.normal()).collect()
}

fn chain_rows(n: usize, order: usize) -> Vec<Difference> {
    let stencil: Vec<f64> = match order {
        0 => vec![-1.0, 1.0],
        1 => vec![1.0, -2.0, 1.0],
        _ => vec![-1.0, 3.0, -3.0, 1.0],
    };
    (0..n - order - 1).map(|i| stencil.iter().enumerate().map(|(k, v)| (i + k, *v)).collect()).collect()
}

fn grid(side: usize) -> Vec<(usize, usize)> {
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1));
    right.chain((0..side * (side - 1)).map(|i| (i, i + side))).collect()
}

fn edges_as_rows(edges: &[(usize, usize)]) -> Vec<Difference> {
    edges.iter().map(|&(a, b)| vec![(a, 1.0), (b, -1.0)]).collect()
}

/// β of min ½‖y − β‖² + λ1ᵀs, |Dβ| ≤ s, by an interior-point solver.
fn interior_point(rows: &[Difference], y: &[f64], lambda: f64) -> Vec<f64> {
    let (n, m) = (y.len(), rows.len());
    let p = CscMatrix::new(n + m, n + m, (0..=n + m).map(|j| j.min(n)).collect(), (0..n).collect(), vec![1.0; n]);
    let q: Vec<f64> = y.iter().map(|y| -y).chain(vec![lambda; m]).collect();
    let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n + m];
    for (i, row) in rows.iter().enumerate() {
        for &(j, d) in row {
            columns[j].extend([(i, d), (m + i, -d)]);
        }
        columns[n + i] = vec![(i, -1.0), (m + i, -1.0)];
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in &mut columns {
        column.sort_by_key(|entry| entry.0);
        indices.extend(column.iter().map(|entry| entry.0));
        values.extend(column.iter().map(|entry| entry.1));
        starts.push(indices.len());
    }
    let a = CscMatrix::new(2 * m, n + m, starts, indices, values);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let mut solver = DefaultSolver::new(&p, &q, &a, &vec![0.0; 2 * m], &[NonnegativeConeT(2 * m)], settings).unwrap();
    solver.solve();
    solver.solution.x[..n].to_vec()
}

/// The certificate at (at most `most`) breakpoints on both sides, |u| ≤ λ(1 + 1e-9) and the duality gap there.
fn check(name: &str, filter: &TrendFiltering, path: &Path<f64>, most: usize) {
    let line = filter.line(None).unwrap();
    let segments = path.segments();
    let stride = segments.len().div_ceil(most);
    let mut worst = 0.0_f64;
    for segment in segments.iter().step_by(stride) {
        for point in [path.before(&segment.t).unwrap(), path.at(&segment.t).unwrap()] {
            let lambda = segment.t;
            let certificate = Certificate::new(&line, &lambda, &point.x, &point.y);
            worst = worst.max(certificate.kkt_residual());
            let outside = point.x.iter().map(|u| u.abs()).fold(0.0, f64::max);
            assert!(outside <= lambda * (1.0 + 1e-9), "{name}: |u| = {outside} at {lambda}");
            let fit = filter.fit(lambda, &point.x);
            let gap = (fit.objective - fit.dual_objective).abs();
            assert!(gap <= 1e-9 * (1.0 + fit.objective), "{name}: gap {gap:e} at {lambda}");
        }
    }
    println!(
        "{name}: {} breakpoints, {} events, worst residual {worst:.1e}",
        path.breakpoints().len(),
        path.stats().events
    );
    assert!(worst <= 1e-9, "{name}: {worst:e}");
}

fn against_interior_point(name: &str, filter: &TrendFiltering, rows: &[Difference], y: &[f64], path: &Path<f64>) {
    let largest = *path.breakpoints().last().unwrap();
    for share in [0.001, 0.02, 0.2, 0.7, 1.5] {
        let fit = filter.at(path, share * largest).unwrap();
        let other = interior_point(rows, y, share * largest);
        let apart = fit.fitted.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart <= 1e-5, "{name}, {share} of the largest: {apart:e}");
        // The interior point's own objective is no better.
        let jumps: f64 = rows.iter().map(|r| r.iter().map(|(j, d)| d * other[*j]).sum::<f64>().abs()).sum();
        let theirs = other.iter().zip(y).map(|(b, y)| (b - y).powi(2)).sum::<f64>() / 2.0 + share * largest * jumps;
        let relative = (fit.objective - theirs).abs() / (1.0 + theirs);
        assert!(relative <= 1e-8, "{name}, {share} of the largest: {} and {theirs}", fit.objective);
    }
}

#[test]
fn chains_of_every_order_agree_with_an_interior_point_solver() {
    for (order, n) in [(0, 60), (0, 2), (1, 60), (1, 3), (2, 60), (2, 4)] {
        let y = steps(n, 5 + order as u64);
        let filter = TrendFiltering::chain(order, y.clone()).unwrap();
        let path = whole(&filter);
        let name = format!("order {order}, n = {n}");
        check(&name, &filter, &path, usize::MAX);
        against_interior_point(&name, &filter, &chain_rows(n, order), &y, &path);
        // The rows of D instead of the band: the same breakpoints.
        let rows = whole(&TrendFiltering::new(chain_rows(n, order), y).unwrap());
        common::assert_same(&name, &path.breakpoints(), &rows.breakpoints(), 1e-9 * path.end());
        // At the end β is a polynomial of that order: no knots.
        assert_eq!(filter.at(&path, 2.0 * path.end()).unwrap().knots, Vec::<usize>::new(), "{name}");
    }
}

/// Values that are whole numbers tie everywhere.
#[test]
fn whole_numbers_and_constant_signals_are_followed() {
    for seed in 0..30 {
        let mut random = Random(seed);
        let n = 3 + random.below(40);
        let y: Vec<f64> = (0..n).map(|_| random.below(3) as f64).collect();
        for order in [0, 1] {
            let filter = TrendFiltering::chain(order, y.clone()).unwrap();
            check(&format!("seed {seed}, order {order}"), &filter, &whole(&filter), usize::MAX);
        }
    }
    let constant = TrendFiltering::chain(0, vec![2.0; 9]).unwrap();
    let fit = constant.at(&whole(&constant), 1.0).unwrap();
    assert!(fit.fitted.iter().all(|b| *b == 2.0) && fit.knots.is_empty());
}

/// A band matrix is the same problem as a dense one, in exact arithmetic as well.
#[test]
fn exact_arithmetic_on_a_chain_has_no_residual_and_the_same_breakpoints() {
    for seed in 0..10 {
        let mut random = Random(100 + seed);
        let y: Vec<i64> = (0..9).map(|_| random.below(5) as i64).collect();
        let float = TrendFiltering::chain(0, y.iter().map(|y| *y as f64).collect()).unwrap();
        let float_path = whole(&float);
        let exact = |v: i64| Exact::integer(v);
        let m = y.len() - 1;
        let band = (0..m).map(|i| vec![exact(2), exact(if i + 1 < m { -1 } else { 0 })]).collect();
        let cost: Vec<Exact> = y.windows(2).map(|w| exact(w[0] - w[1])).collect();
        let bound = |s: i64| pathqp::Affine::line(vec![exact(0); m], vec![exact(s); m]);
        let domain = vec![pathqp::Range::at_least(exact(0))];
        let hessian = std::sync::Arc::new(Banded::new(band).unwrap());
        let qp = pathqp::ParametricQp::new(hessian, domain, pathqp::Affine::constant(cost, 1)).unwrap();
        let qp = qp.lower(bound(-1)).unwrap().upper(bound(1)).unwrap();
        let line = qp.ray(&[exact(0)], &[exact(1)]).unwrap();
        let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_or_else(|f| panic!("{}", f.0));
        assert_eq!(validate(&path, &line, &exact(0)), []);
        let found: Vec<f64> = path.breakpoints().iter().map(|t| t.to_f64().value()).collect();
        common::assert_same(&format!("seed {seed}"), &float_path.breakpoints(), &found, 1e-12);
    }
}

/// Jumps of the fused lasso never come back (Friedman, Hastie, Höfling and Tibshirani 2007, Proposition 2).
#[test]
fn a_chain_of_two_thousand_only_fuses() {
    let y = steps(2000, 1);
    let filter = TrendFiltering::chain(0, y.clone()).unwrap();
    let clock = Instant::now();
    let path = whole(&filter);
    println!("n = 2000: {:.3} s", clock.elapsed().as_secs_f64());
    check("chain of 2,000", &filter, &path, 200);
    assert!(path.stats().deletes <= path.stats().pivots && path.segments().windows(2).all(|w| w[0].t < w[1].t));
    let mut last = usize::MAX;
    for k in 0..path.segments().len() {
        let bound = 1999 - path.free_on(k).len();
        assert!(bound <= last, "segment {k}");
        last = bound;
    }
    assert_eq!(last, 0);
    let mean = y.iter().sum::<f64>() / 2000.0;
    let end = filter.at(&path, *path.end()).unwrap();
    assert!(end.fitted.iter().all(|b| (b - mean).abs() <= 1e-10));
}

#[test]
fn a_grid_and_a_complete_graph_have_one_fit_whatever_the_dual_is() {
    let y = steps(64, 9);
    let edges = grid(8);
    let filter = TrendFiltering::graph(&edges, y.clone()).unwrap();
    let path = whole(&filter);
    check("grid", &filter, &path, usize::MAX);
    against_interior_point("grid", &filter, &edges_as_rows(&edges), &y, &path);
    // So many values that the products of the rows of D are factored.
    let y = steps(324, 10);
    let edges = grid(18);
    let filter = TrendFiltering::graph(&edges, y.clone()).unwrap();
    let path = whole(&filter);
    assert_eq!(path.stats().max_free, 323);
    check("larger grid", &filter, &path, 200);
    against_interior_point("larger grid", &filter, &edges_as_rows(&edges), &y, &path);
    // Twelve values, all 66 pairs: rank 11.
    let y = steps(12, 2);
    let edges: Vec<(usize, usize)> = (0..12).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let filter = TrendFiltering::graph(&edges, y.clone()).unwrap();
    let path = whole(&filter);
    assert!(path.stats().max_free <= 11);
    check("complete graph", &filter, &path, usize::MAX);
    against_interior_point("complete graph", &filter, &edges_as_rows(&edges), &y, &path);
}

#[test]
fn a_band_matrix_is_checked_and_has_the_entries_of_a_dense_one() {
    let h = Banded::new(vec![vec![2.0, -1.0, 0.5], vec![3.0, -1.5, 0.0], vec![4.0, 0.0, 0.0]]).unwrap();
    let dense = Dense::new(vec![vec![2.0, -1.0, 0.5], vec![-1.0, 3.0, -1.5], vec![0.5, -1.5, 4.0]]).unwrap();
    for i in 0..3 {
        let row = |h: &dyn Hessian<f64>| {
            let mut out = [0.0; 3];
            h.gather(i, &[0, 1, 2], &mut out);
            out
        };
        assert_eq!((row(&h), h.diagonal(i)), (row(&dense), dense.diagonal(i)));
    }
    assert!(Banded::<f64>::new(vec![]).is_err());
    assert!(Banded::new(vec![vec![1.0, 2.0]]).is_err());
    assert!(Banded::new(vec![vec![1.0, 0.0], vec![1.0]]).is_err());
    assert!(Banded::new(vec![vec![f64::NAN]]).is_err());
}

#[test]
fn what_is_wrong_with_the_data_is_said() {
    let wrong = |result: Result<TrendFiltering, AdapterError>| result.map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        wrong(TrendFiltering::chain(1, vec![1.0, 2.0])),
        "2 values: trend filtering of order 1 needs at least 3"
    );
    let most = wrong(TrendFiltering::chain(usize::MAX, vec![1.0, 2.0]));
    assert!(most.starts_with("2 values: trend filtering of order 18446744073709551615 needs"), "{most}");
    assert!(wrong(TrendFiltering::chain(0, vec![1.0, f64::NAN])).starts_with("the response of row 1 is NaN"));
    assert!(TrendFiltering::graph(&[], vec![1.0]).is_err());
    assert!(TrendFiltering::graph(&[(0, 5)], vec![1.0, 2.0]).is_err());
    assert!(TrendFiltering::new(vec![vec![(0, f64::INFINITY)]], vec![1.0]).is_err());
}
