//! Monotone and convex regression: pooled adjacent violators, an interior-point method on the primal, repeated rows, data that have the shape, units.

use crate::common::convex::Convex;
use crate::common::dense;
use pathqp::testing::Random;
use pathqp::validate::validate;
use pathqp::{Path, Settings, Start, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::course::{Axis, Course};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::problem::PathProblem;
use pathqp_adapters::shape_regression::{Shape, ShapeRegression};

const SHAPES: [Shape; 4] = [Shape::Increasing, Shape::Decreasing, Shape::Convex, Shape::Concave];

/// n rows of one feature with repeated values, responses and weights, some of them zero.
struct Rows {
    x: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
}

fn rows(seed: u64, n: usize) -> Rows {
    let mut random = Random(seed);
    let gridded = seed % 3 == 1;
    let mut number = |scale: f64| if gridded { random.integer(5) } else { scale * random.normal() };
    let x: Vec<f64> = (0..n).map(|_| number(10.0)).collect();
    let y = x.iter().map(|x| 0.1 * x + number(1.0)).collect();
    let weights = (0..n).map(|i| if seed.is_multiple_of(2) { 1.0 } else { [1.0, 2.5, 0.0][i % 3] }).collect();
    Rows { x, y, weights }
}

impl Rows {
    fn problem(&self, shape: Shape) -> ShapeRegression {
        let features: Vec<Vec<f64>> = self.x.iter().map(|x| vec![*x]).collect();
        ShapeRegression::new((&dense(&features), 0), &self.y, Some(&self.weights), shape).unwrap()
    }

    /// Distinct places in order with the mean response and the weight at each.
    fn pooled(&self) -> Vec<[f64; 3]> {
        let mut order: Vec<usize> = (0..self.x.len()).filter(|&i| self.weights[i] > 0.0).collect();
        order.sort_by(|&i, &j| self.x[i].total_cmp(&self.x[j]));
        let mut groups: Vec<[f64; 3]> = Vec::new();
        for i in order {
            let (x, y, w) = (self.x[i], self.y[i], self.weights[i]);
            match groups.last_mut().filter(|group| group[0] == x) {
                Some(group) => *group = [x, (group[1] * group[2] + y * w) / (group[2] + w), group[2] + w],
                None => groups.push([x, y, w]),
            }
        }
        groups
    }
}

/// The path between two bounds, which must be right.
fn follow(problem: &ShapeRegression, from: f64, to: f64) -> Path<f64> {
    let line = problem.qp().unwrap().line(&[from], &[to]).unwrap();
    let path =
        trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_or_else(|failed| panic!("{}", failed.0));
    assert!(path.is_complete());
    assert_eq!(validate(&path, &line, &1e-9), []);
    path
}

fn fit(problem: &ShapeRegression, path: &Path<f64>, bound: f64) -> Vec<f64> {
    problem.fit(&path.at_parameter(&[bound]).unwrap())
}

fn ends(problem: &ShapeRegression) -> [f64; 2] {
    let (qp, settings) = (problem.qp().unwrap(), Settings::default());
    let course = Course { vary: "bound".into(), ..Default::default() };
    let axis: Axis = problem.axis(&course).unwrap();
    problem.ends(&qp, &axis, &settings).unwrap().map(Option::unwrap)
}

/// Isotonic regression by pooling adjacent violators (Ayer and others 1955, doi:10.1214/aoms/1177728423).
fn pool_adjacent_violators(groups: &[[f64; 3]]) -> Vec<f64> {
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for [_, y, w] in groups {
        blocks.push((*y, *w, 1));
        while let [.., a, b] = blocks.as_slice()
            && a.0 >= b.0
        {
            let pooled = ((a.0 * a.1 + b.0 * b.1) / (a.1 + b.1), a.1 + b.1, a.2 + b.2);
            blocks.truncate(blocks.len() - 2);
            blocks.push(pooled);
        }
    }
    blocks.into_iter().flat_map(|(y, _, count)| std::iter::repeat_n(y, count)).collect()
}

#[test]
fn increasing_at_zero_is_isotonic_regression() {
    for seed in 0..60 {
        let rows = rows(seed, 10 + 3 * seed as usize);
        let problem = rows.problem(Shape::Increasing);
        let [from, to] = ends(&problem);
        if to != 0.0 {
            continue;
        }
        let found = fit(&problem, &follow(&problem, from, to), 0.0);
        let known = pool_adjacent_violators(&rows.pooled());
        let size = known.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (f, g) in found.iter().zip(&known) {
            assert!((f - g).abs() <= 1e-10 * size, "seed {seed}: {f} {g}");
        }
        assert_eq!(found.len(), known.len());
    }
}

/// The primal in f by Clarabel, with divided differences written out.
#[test]
fn every_bound_is_the_primal_of_an_interior_point_method() {
    for seed in 0..24 {
        let rows = rows(seed, 24);
        for shape in SHAPES {
            let problem = rows.problem(shape);
            let [from, to] = ends(&problem);
            let path = follow(&problem, from, to);
            let groups = rows.pooled();
            let p = groups.len();
            let sign = if matches!(shape, Shape::Increasing | Shape::Convex) { 1.0 } else { -1.0 };
            for part in [0.0, 0.3, 0.8, 1.0] {
                let bound = from + (to - from) * part;
                let x = |k: usize| groups[k][0];
                let row = |entries: &[(usize, f64)]| {
                    let mut row = vec![0.0; p];
                    entries.iter().for_each(|(k, v)| row[*k] += sign * v);
                    (row, bound, f64::INFINITY)
                };
                let slope = |k: usize| 1.0 / (x(k + 1) - x(k));
                let rows_of = if shape.is_monotone() {
                    (0..p - 1).map(|k| row(&[(k, -slope(k)), (k + 1, slope(k))])).collect()
                } else {
                    let middle = |k: usize| 2.0 / (x(k + 2) - x(k));
                    let second = |k: usize| {
                        let (a, b, m) = (slope(k), slope(k + 1), middle(k));
                        row(&[(k, m * a), (k + 1, -m * (a + b)), (k + 2, m * b)])
                    };
                    (0..p - 2).map(second).collect()
                };
                let diagonal = |i: usize| (0..p).map(|j| if i == j { groups[i][2] } else { 0.0 }).collect();
                let primal = Convex {
                    h: (0..p).map(diagonal).collect(),
                    c: groups.iter().map(|[_, y, w]| -w * y).collect(),
                    rows: rows_of,
                };
                let Some([low, high]) = primal.solve() else { panic!("seed {seed} {shape:?}: Clarabel has no answer") };
                let constant: f64 =
                    (0..rows.x.len()).map(|i| rows.weights[i] * rows.y[i] * rows.y[i]).sum::<f64>() / 2.0;
                let loss = problem.loss(&fit(&problem, &path, bound));
                let allowed = 1e-7 * constant.max(1.0) + (high - low).abs();
                assert!(
                    (loss - constant - high).abs() <= allowed,
                    "seed {seed} {shape:?} {bound}: {loss}, {low}..{high}"
                );
            }
        }
    }
}

#[test]
fn solutions_say_what_they_are() {
    let rows = Rows { x: vec![0.0, 1.0, 2.0, 4.0, 2.0], y: vec![1.0, 0.0, 4.0, 1.0, 2.0], weights: vec![1.0; 5] };
    let problem = rows.problem(Shape::Increasing);
    assert_eq!((problem.places(), problem.means()), (&[0.0, 1.0, 2.0, 4.0][..], &[1.0, 0.0, 3.0, 1.0][..]));
    assert_eq!(ends(&problem), [-1.0, 0.0]);
    let path = follow(&problem, -1.0, 0.0);
    // Slopes of −1 at both falls: nothing is held. At 0 the first two rows are pooled, and the last two, one of which counts twice.
    assert_eq!(fit(&problem, &path, -1.0), [1.0, 0.0, 3.0, 1.0]);
    let flat = fit(&problem, &path, 0.0);
    let third = 7.0 / 3.0;
    assert!(flat.iter().zip([0.5, 0.5, third, third]).all(|(f, g)| (f - g).abs() < 1e-14), "{flat:?}");
    let solution = problem.solution(&[0.0], &path.at_parameter(&[0.0]).unwrap(), None);
    // ½(2·¼ + (4 − 7/3)² + (2 − 7/3)² + (1 − 7/3)²)
    let loss = 0.5 * (0.5 + (4.0 - third).powi(2) + (2.0 - third).powi(2) + (1.0 - third).powi(2));
    assert!((solution.objective - loss).abs() < 1e-14 && (solution.dual_objective.unwrap() - loss).abs() < 1e-14);
    let between: Vec<f64> = [-5.0, 0.5, 1.5, 3.0, 9.0].iter().map(|x| problem.at(&[0.0, 1.0, 3.0, 3.0], *x)).collect();
    assert_eq!(between, [0.0, 0.5, 2.0, 3.0, 3.0]);
    let convex = rows.problem(Shape::Convex);
    assert_eq!([-1.0, 6.0].map(|x| convex.at(&[0.0, 1.0, 3.0, 7.0], x)), [-1.0, 11.0]);
}

/// Data that have the shape, two and three rows, equal responses, and features and responses in other units.
#[test]
fn data_that_have_the_shape_and_other_units() {
    let straight = Rows { x: vec![3.0, 1.0, 2.0], y: vec![6.0, 2.0, 4.0], weights: vec![1.0; 3] };
    for shape in SHAPES {
        let problem = straight.problem(shape);
        let [from, to] = ends(&problem);
        let path = follow(&problem, from, to);
        assert!(problem.loss(&fit(&problem, &path, from)) == 0.0, "{shape:?}");
    }
    for seed in 0..12 {
        for (of_x, of_y) in [(1e-6, 1.0), (1e6, 1e-8), (1.0, 1e9)] {
            let own = rows(seed, 40);
            let other = Rows {
                x: own.x.iter().map(|x| x * of_x).collect(),
                y: own.y.iter().map(|y| y * of_y).collect(),
                weights: own.weights.clone(),
            };
            for shape in SHAPES {
                let [a, b] = [own.problem(shape), other.problem(shape)];
                let [[from, to], [first, last]] = [ends(&a), ends(&b)];
                let [p, q] = [follow(&a, from, to), follow(&b, first, last)];
                let [f, g] = [fit(&a, &p, to), fit(&b, &q, last)];
                let size = f.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                let close = f.iter().zip(&g).all(|(f, g)| (f - g / of_y).abs() <= 1e-8 * size);
                assert!(to != 0.0 || last != 0.0 || close, "seed {seed} {shape:?}: {f:?} {g:?}");
            }
        }
    }
}

/// 300 places: curvatures with the rows as they are, slopes by sparse factors; the same breakpoints backwards.
#[test]
fn long_chains_both_ways() {
    let mut random = Random(5);
    let x: Vec<f64> = (0..300).map(f64::from).collect();
    let y = x.iter().map(|x| (x / 40.0).sin() + 0.3 * random.normal()).collect();
    let rows = Rows { weights: vec![1.0; x.len()], x, y };
    for shape in SHAPES {
        let problem = rows.problem(shape);
        let [from, to] = ends(&problem);
        let [there, back] = [follow(&problem, from, to), follow(&problem, to, from)];
        let [mut a, mut b] =
            [&there, &back].map(|path| path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect::<Vec<f64>>());
        a.sort_by(f64::total_cmp);
        b.sort_by(f64::total_cmp);
        assert_eq!(a.len(), b.len(), "{shape:?}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9 * from.abs()), "{shape:?}");
    }
}

#[test]
fn what_cannot_be_fitted_is_named() {
    let two = dense(&[vec![1.0, 2.0], vec![3.0, 4.0]]);
    let one = dense(&[vec![1.0], vec![1.0], vec![2.0]]);
    let new = |features: &Features, y: &[f64], weights: Option<&[f64]>, shape| {
        ShapeRegression::new((features, 0), y, weights, shape).err()
    };
    let outside = ShapeRegression::new((&two, 2), &[1.0, 2.0], None, Shape::Convex).err();
    assert_eq!(outside, Some(AdapterError::Columns { expected: 3, found: 2 }));
    let distinct = |found, needed| Some(AdapterError::Distinct { found, needed });
    assert_eq!(new(&one, &[1.0, 2.0, 3.0], None, Shape::Convex), distinct(2, 3));
    assert_eq!(new(&one, &[1.0, 2.0, 3.0], Some(&[1.0, 1.0, 0.0]), Shape::Increasing), distinct(1, 2));
    let short = AdapterError::Shape { what: "responses", expected: 3, found: 1 };
    assert_eq!(new(&one, &[1.0], None, Shape::Increasing), Some(short));
    assert!(matches!(
        new(&one, &[1.0, f64::NAN, 3.0], None, Shape::Increasing),
        Some(AdapterError::Response { row: 1, .. })
    ));
}
