//! Certified pricing finds the same events as full pricing, and looks at fewer indices.

use crate::common::wide_lasso;
use pathqp::hessian::{Dense, Gram, Hessian, Kernel, KernelFunction, Rows};
use pathqp::settings::Pricing;
use pathqp::{Affine, ParametricQp, Path, Range, Settings, Start, trace};
use std::sync::Arc;

/// A fixed sequence of numbers in [0, 1).
struct Sequence(u64);

impl Sequence {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Two classes of n rows in d columns whose costs move against each other: continuous, or on an integer grid full of ties.
fn problem(n: usize, d: usize, grid: bool, row: bool, seed: u64) -> ParametricQp<f64> {
    let mut sequence = Sequence(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let mut values = Vec::new();
    for y in &labels {
        for _ in 0..d {
            let value = 4.0 * sequence.next() - 2.0 + 0.3 * y;
            values.push(y * if grid { value.round() } else { value });
        }
    }
    let hessian = Gram::new(n, Rows::Dense { columns: d, values }, 50.0).unwrap();
    classes(Arc::new(hessian), labels, row)
}

/// The same with a Gaussian kernel of points in the plane, as a matrix or computed on demand with room for few rows.
fn kernel_problem(n: usize, grid: bool, row: bool, on_demand: bool, seed: u64) -> ParametricQp<f64> {
    let mut sequence = Sequence(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let side = (n as f64).sqrt() / 2.0;
    let mut number = || if grid { (side * sequence.next()).round() } else { side * sequence.next() };
    let points = (0..n).map(|_| [number(), number()]).collect();
    let gauss = Gauss { points, labels: labels.clone() };
    let hessian: Arc<dyn Hessian<f64>> = if on_demand {
        Arc::new(Kernel::new(gauss, 8 * n * (n / 4)))
    } else {
        let row = |i: usize| (0..n).map(|j| gauss.entry(i, j)).collect();
        Arc::new(Dense::new((0..n).map(row).collect()).unwrap())
    };
    classes(hessian, labels, row)
}

struct Gauss {
    points: Vec<[f64; 2]>,
    labels: Vec<f64>,
}

impl KernelFunction for Gauss {
    fn dim(&self) -> usize {
        self.points.len()
    }
    fn entry(&self, i: usize, j: usize) -> f64 {
        let ([a, b], [c, d]) = (self.points[i], self.points[j]);
        20.0 * self.labels[i] * self.labels[j] * (-(a - c).powi(2) - (b - d).powi(2)).exp()
    }
}

fn classes(hessian: Arc<dyn Hessian<f64>>, labels: Vec<f64>, row: bool) -> ParametricQp<f64> {
    let n = labels.len();
    let per_case = 2.0 / n as f64;
    let constant = labels.iter().map(|y| if *y > 0.0 { per_case } else { 0.0 }).collect();
    let slope = labels.iter().map(|y| -y * per_case).collect();
    let qp = ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], Affine::constant(vec![-1.0; n], 1))
        .and_then(|qp| qp.lower(Affine::constant(vec![0.0; n], 1)))
        .and_then(|qp| qp.upper(Affine::line(constant, slope)))
        .unwrap();
    if row { qp.equality(labels, Affine::constant(vec![0.0], 1)).unwrap() } else { qp }
}

fn follow(qp: &ParametricQp<f64>, pricing: Pricing) -> Path<f64> {
    let settings = Settings { pricing, ..Settings::default() };
    let path = trace(&qp.line(&[0.0], &[1.0]).unwrap(), &Start::Anywhere, &settings, &mut ());
    path.unwrap_or_else(|failure| panic!("{pricing:?}: {}", failure.0))
}

#[test]
fn both_find_the_same_events() {
    for seed in 0..40 {
        for (grid, row) in [(false, false), (false, true), (true, false), (true, true)] {
            let qp = problem(60 + 5 * seed as usize, 2 + seed as usize % 7, grid, row, seed);
            let (certified, full) = (follow(&qp, Pricing::Certified), follow(&qp, Pricing::Full));
            assert_eq!(certified.segments(), full.segments(), "seed {seed} grid {grid} row {row}");
            for k in 0..full.segments().len() {
                assert_eq!(certified.free_on(k), full.free_on(k));
                assert_eq!(certified.changes_on(k), full.changes_on(k));
            }
        }
    }
}

#[test]
fn both_find_the_same_events_with_a_kernel() {
    for seed in 0..16 {
        for flags in 0..8 {
            let (grid, row, on_demand) = (flags & 1 > 0, flags & 2 > 0, flags & 4 > 0);
            let qp = kernel_problem(60 + 5 * seed as usize, grid, row, on_demand, seed);
            let (certified, full) = (follow(&qp, Pricing::Certified), follow(&qp, Pricing::Full));
            assert_eq!(certified.segments(), full.segments(), "seed {seed} {grid} {row} {on_demand}");
            for k in 0..full.segments().len() {
                assert_eq!(certified.free_on(k), full.free_on(k));
            }
        }
    }
    let qp = kernel_problem(500, false, true, true, 1);
    let (full, certified) = (follow(&qp, Pricing::Full), follow(&qp, Pricing::Certified));
    assert!(certified.stats().priced * 4 < full.stats().priced, "{:?} {:?}", certified.stats(), full.stats());
}

#[test]
fn certified_pricing_looks_at_a_small_part() {
    let qp = problem(5000, 5, false, false, 1);
    let (certified, full) = (follow(&qp, Pricing::Certified), follow(&qp, Pricing::Full));
    assert_eq!(certified.breakpoints(), full.breakpoints());
    assert!(certified.stats().priced * 10 < full.stats().priced, "{:?}", certified.stats());
}

/// Where columns are many and the fit moves far, an anchor takes the place of the queue: the same path, by a small part of the prices.
#[test]
fn both_find_the_same_events_of_a_wide_lasso() {
    for (n, d, integers) in [(30, 300, false), (60, 900, false), (20, 200, true)] {
        for seed in 0..4 {
            let line = wide_lasso(n, d, integers, seed);
            let [certified, full] = [Pricing::Certified, Pricing::Full].map(|pricing| {
                let settings = Settings { pricing, ..Settings::default() };
                trace(&line, &Start::Anywhere, &settings, &mut ()).unwrap_or_else(|failure| panic!("{}", failure.0))
            });
            let what = format!("{n} x {d}, seed {seed}");
            assert_eq!(certified.segments(), full.segments(), "{what}");
            for k in 0..full.segments().len() {
                assert_eq!(certified.free_on(k), full.free_on(k), "{what}");
            }
            let (looked, all) = (certified.stats().priced, full.stats().priced);
            assert!(integers || looked * 3 < all, "{what}: {looked} of {all}");
        }
    }
}

/// Enough rows for the work to be divided: the rows' metric, and the pricing of all indices while y is an interval or with
/// full pricing.
#[test]
fn the_path_does_not_depend_on_the_number_of_threads() {
    for (row, pricing) in [(false, Pricing::Certified), (true, Pricing::Certified), (false, Pricing::Full)] {
        let paths = [1, 2, 3].map(|threads| {
            let qp = problem(8000, 12, false, row, 3);
            let settings = Settings { pricing, threads, max_events: Some(300), ..Settings::default() };
            let path = trace(&qp.line(&[0.0], &[1.0]).unwrap(), &Start::Anywhere, &settings, &mut ());
            path.unwrap_or_else(|failure| panic!("{threads} threads: {}", failure.0))
        });
        for path in &paths[1..] {
            assert!(path.segments().len() > 200);
            assert_eq!(path.segments(), paths[0].segments(), "row {row} {pricing:?}");
            assert_eq!(path.stats(), paths[0].stats());
            for k in 0..path.segments().len() {
                assert_eq!(path.free_on(k), paths[0].free_on(k));
            }
        }
    }
}

#[test]
fn kernel_rows_do_not_depend_on_the_number_of_threads() {
    let n = 7000;
    let mut sequence = Sequence(5);
    let points: Vec<[f64; 2]> = (0..n).map(|_| [sequence.next(), sequence.next()]).collect();
    let labels: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let gauss = || Gauss { points: points.clone(), labels: labels.clone() };
    let one = Kernel::new(gauss(), 8 * n * 100);
    for threads in [2, 3, 5] {
        let several = Kernel::new(gauss(), 8 * n * 100).with_threads(threads);
        let rows: Vec<usize> = (0..40).map(|k| k * k).collect();
        several.prepare(&rows);
        for i in rows.into_iter().chain([6999, 5000]) {
            one.with_row(i, &mut |a| several.with_row(i, &mut |b| assert_eq!(a, b, "row {i}, {threads} threads")));
        }
        assert_eq!(several.counts().misses, 42);
    }
}
