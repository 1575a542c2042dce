//! Quantile planes that do not cross: an interior-point solver, the dual by hand, one level, ties, weights, what is refused.

use crate::common::convex::Convex;
use crate::common::{dense, dot};
use pathqp::testing::{Options, Random, check};
use pathqp::validate::validate;
use pathqp::{Path, Point, Settings, Start, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::quantile_planes::QuantilePlanes;
use pathqp_adapters::quantile_regression::{Coefficients, QuantileRegression};
use std::sync::Arc;

const FREE: f64 = f64::INFINITY;

/// Rows with levels, as they are before they are checked.
#[derive(Clone)]
pub struct Case {
    pub x: Vec<Vec<f64>>,
    pub y: Vec<f64>,
    pub weights: Vec<f64>,
    pub levels: Vec<f64>,
    pub intercept: bool,
}

const LEVELS: [&[f64]; 6] =
    [&[0.5], &[0.25, 0.75], &[0.1, 0.5, 0.9], &[0.2, 0.4, 0.6, 0.8], &[0.05, 0.1], &[1e-3, 0.5, 0.999]];

impl Case {
    /// Normal numbers, or whole ones from a small grid; a constant feature; rows that are repeated; one row; weights, some of them zero. Spreads grow with the
    /// features, so that separate planes cross.
    fn random(seed: u64) -> Case {
        let mut random = Random(seed);
        let (n, d) = ([1, 9, 16, 24][random.below(4)], 1 + random.below(4));
        let (gridded, constant, repeated) = (seed % 3 == 1, seed % 5 == 2, seed % 4 == 3);
        let mut number = |scale: f64| if gridded { random.integer(2) } else { scale * random.normal() };
        let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| number(1.0)).collect()).collect();
        let mut y: Vec<f64> = x.iter().map(|x| x[0] + (1.0 + 0.8 * x[d - 1]) * number(1.0)).collect();
        if constant {
            x.iter_mut().for_each(|x| x[0] = 2.0);
        }
        if repeated {
            for i in (1..n).step_by(2) {
                (x[i], y[i]) = (x[i - 1].clone(), if i % 4 == 1 { y[i - 1] } else { y[i] });
            }
        }
        let weight = |i: usize| [1.0, 0.0, 2.5, 0.25][i % 4];
        let weights = if seed.is_multiple_of(2) { vec![1.0; n] } else { (0..n).map(weight).collect() };
        let levels = LEVELS[random.below(LEVELS.len())].to_vec();
        Case { x, y, weights, levels, intercept: !seed.is_multiple_of(7) }
    }

    pub fn problem(&self) -> QuantilePlanes {
        let (x, v) = (Arc::new(dense(&self.x)), Some(self.weights.clone()));
        QuantilePlanes::new(x, self.y.clone(), v, self.levels.clone(), self.intercept).unwrap()
    }

    pub fn counted(&self) -> impl Iterator<Item = usize> {
        (0..self.y.len()).filter(|&i| self.weights[i] > 0.0)
    }

    /// The size of the terms of the objective.
    pub fn size(&self) -> f64 {
        let sum: f64 = self.y.iter().zip(&self.weights).map(|(y, v)| v * y.abs()).sum();
        if sum > 0.0 { sum } else { 1.0 }
    }

    /// Variables: for each plane β⁺, β⁻, b and the loss of every row.
    /// `penalties` are those of the features, all λ unless the features have units of their own.
    pub fn interior_point(&self, penalties: &[f64]) -> Convex {
        let (n, d, count) = (self.y.len(), self.x[0].len(), self.levels.len());
        let (width, one) = (count * (2 * d + 1 + n), 2 * d + 1 + n);
        let line = |entries: &[(usize, f64)]| {
            let mut line = vec![0.0; width];
            entries.iter().for_each(|(j, v)| line[*j] += v);
            line
        };
        let fit = |k: usize, i: usize, factor: f64| -> Vec<(usize, f64)> {
            let halves = |j: usize| [(k * one + j, factor * self.x[i][j]), (k * one + d + j, -factor * self.x[i][j])];
            (0..d).flat_map(halves).chain([(k * one + 2 * d, factor)]).collect()
        };
        let (mut rows, mut c) = (Vec::new(), vec![0.0; width]);
        for (k, tau) in self.levels.iter().enumerate() {
            for j in 0..2 * d {
                c[k * one + j] = penalties[j % d];
                rows.push((line(&[(k * one + j, 1.0)]), 0.0, FREE));
            }
            rows.extend((!self.intercept).then(|| (line(&[(k * one + 2 * d, 1.0)]), 0.0, 0.0)));
            for i in self.counted() {
                let loss = k * one + 2 * d + 1 + i;
                c[loss] = self.weights[i];
                for slope in [*tau, tau - 1.0] {
                    rows.push((line(&[fit(k, i, slope), vec![(loss, 1.0)]].concat()), slope * self.y[i], FREE));
                }
                if k > 0 {
                    rows.push((line(&[fit(k, i, 1.0), fit(k - 1, i, -1.0)].concat()), 0.0, FREE));
                }
            }
        }
        Convex { h: vec![vec![0.0; width]; width], c, rows }
    }

    /// The sum of the losses and of the penalties.
    pub fn objective(&self, planes: &[Coefficients], lambda: f64) -> f64 {
        let pinball = |tau: f64, r: f64| (tau * r).max((tau - 1.0) * r);
        let of_plane = |(tau, plane): (&f64, &Coefficients)| {
            let loss =
                |i: usize| self.weights[i] * pinball(*tau, self.y[i] - dot(&self.x[i], &plane.w) - plane.intercept);
            (0..self.y.len()).map(loss).sum::<f64>() + lambda * plane.w.iter().map(|w| w.abs()).sum::<f64>()
        };
        self.levels.iter().zip(planes).map(of_plane).sum()
    }

    /// By how much planes cross at the rows, at most, relative to the terms of their values there.
    pub fn crossing(&self, planes: &[Coefficients]) -> f64 {
        let mut worst = 0.0f64;
        for i in self.counted() {
            for pair in planes.windows(2) {
                let value = |plane: &Coefficients| dot(&self.x[i], &plane.w) + plane.intercept;
                let terms = |plane: &Coefficients| {
                    self.x[i].iter().zip(&plane.w).map(|(x, w)| (x * w).abs()).sum::<f64>() + plane.intercept.abs()
                };
                let size = terms(&pair[0]) + terms(&pair[1]);
                worst = worst.max((value(&pair[0]) - value(&pair[1])) / size.max(f64::MIN_POSITIVE));
            }
        }
        worst
    }

    /// The dual objective at a point, whose constraints must hold.
    fn dual(&self, point: &Point<f64>, lambda: f64, what: &str) -> f64 {
        let (n, d, count) = (self.y.len(), self.x[0].len(), self.levels.len());
        let (a, mu) = point.x.split_at(count * n);
        assert!(mu.iter().all(|mu| *mu >= -1e-10 * self.weights.iter().sum::<f64>()), "{what}: {mu:?}");
        let mut value = 0.0;
        for (k, tau) in self.levels.iter().enumerate() {
            let of = |pair: usize, i: usize| mu.get(pair * n + i).copied().unwrap_or(0.0);
            let mut g = Vec::new();
            for i in 0..n {
                let (a, v) = (a[k * n + i], self.weights[i]);
                assert!((-1e-12 * v..=v * (1.0 + 1e-12)).contains(&a), "{what}: {a} of {v}");
                value += self.y[i] * (a - (1.0 - tau) * v);
                g.push(a - (1.0 - tau) * v + if k > 0 { of(k - 1, i) } else { 0.0 } - of(k, i));
            }
            for j in 0..d {
                let column: Vec<f64> = self.x.iter().map(|x| x[j]).collect();
                let terms: f64 = column.iter().zip(&self.weights).map(|(x, v)| (x * v).abs()).sum();
                assert!(dot(&column, &g).abs() <= lambda + 1e-10 * terms, "{what}: feature {j}");
            }
            let sum: f64 = g.iter().sum();
            assert!(!self.intercept || sum.abs() <= 1e-10 * self.weights.iter().sum::<f64>(), "{what}: {sum}");
        }
        value
    }
}

/// The path from above the largest λ down to 0, whose certificates must hold.
pub fn follow(problem: &QuantilePlanes, what: &str) -> (Path<f64>, f64) {
    let qp = problem.qp().unwrap();
    let from = 1.25 * problem.largest_lambda();
    let line = qp.line_about(&[0.0], &[from], &[0.0]).unwrap();
    let path = trace(&line, &Start::Guess(problem.limit()), &Settings::default(), &mut ());
    let path = path.unwrap_or_else(|failure| panic!("{what}: {}", failure.0));
    assert!(path.is_complete(), "{what}: {:?}", path.stop());
    assert_eq!(validate(&path, &line, &1e-9), [], "{what}");
    (path, from)
}

/// 50 λ: every 49th part of the largest.
fn fifty(from: f64) -> Vec<f64> {
    (0..50).map(|k| from * (f64::from(k) / 49.0)).collect()
}

/// At some λ planes do not cross, and their objective is the dual one.
pub fn compare(case: &Case, problem: &QuantilePlanes, path: &Path<f64>, lambdas: &[f64], what: &str) {
    for &lambda in lambdas {
        let point = path.at_parameter(&[lambda]).unwrap();
        let planes = problem.planes(&point);
        let what = format!("{what}, lambda = {lambda}");
        assert!(case.crossing(&planes) <= 1e-12, "{what}: {:e}", case.crossing(&planes));
        let (value, dual) = (case.objective(&planes, lambda), case.dual(&point, lambda, &what));
        assert!((value - dual).abs() <= 1e-9 * case.size(), "{what}: {value}, {dual}");
        let total: f64 = case.weights.iter().sum();
        assert!((problem.loss(&planes) * total - case.objective(&planes, 0.0)).abs() <= 1e-12 * case.size(), "{what}");
    }
}

#[test]
fn random_planes_are_those_of_an_interior_point_solver_and_do_not_cross() {
    let (mut seen, mut meet) = ([0; 4], 0);
    for seed in 0..240 {
        let case = Case::random(seed);
        let what = format!("seed {seed}");
        let problem = case.problem();
        let found = follow(&problem, &what);
        compare(&case, &problem, &found.0, &fifty(found.1), &what);
        for share in [0.9, 0.4, 0.1, 0.0] {
            let lambda = share * found.1;
            let planes = problem.planes(&found.0.at_parameter(&[lambda]).unwrap());
            let (value, what) = (case.objective(&planes, lambda), format!("{what}, {share}"));
            case.interior_point(&vec![lambda; case.x[0].len()]).agrees(value, case.size(), 1e-9, &what);
        }
        seen[case.levels.len() - 1] += 1;
        let x = found.0.at_parameter(&[0.1 * found.1]).unwrap().x;
        meet += usize::from(x[case.levels.len() * case.y.len()..].iter().any(|mu| *mu > 1e-6));
    }
    assert!(meet >= 60, "planes are held apart in {meet} cases");
    assert!(seen.iter().all(|count| *count >= 20), "{seen:?}");
}

/// With one level the path is that of quantile regression along λ.
#[test]
fn one_level_is_quantile_regression_with_a_penalty() {
    for seed in 0..60 {
        let mut case = Case::random(seed);
        case.levels = vec![[0.5, 0.1, 0.83][seed as usize % 3]];
        let tau = case.levels[0];
        let (path, from) = follow(&case.problem(), &format!("seed {seed}"));
        let (x, v) = (Arc::new(dense(&case.x)), Some(case.weights.clone()));
        let single = QuantileRegression::new(x, case.y.clone(), v, case.intercept, true).unwrap();
        assert_eq!(from, 1.25 * single.largest_lambda(tau));
        let line = single.qp().unwrap().line_about(&[tau, 0.0], &[tau, from], &[tau, 0.0]).unwrap();
        let other = trace(&line, &Start::Guess(single.guess(tau)), &Settings::default(), &mut ()).unwrap();
        let of = |path: &Path<f64>, which: usize| -> Vec<f64> {
            path.breakpoints().iter().map(|t| path.parameter(t)[which]).collect()
        };
        let (a, b) = (of(&path, 0), of(&other, 1));
        assert_eq!(a.len(), b.len(), "seed {seed}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9 * from), "seed {seed}: {a:?} {b:?}");
        // Between breakpoints, where coefficients jump.
        let ends: Vec<f64> = [from].into_iter().chain(a).chain([0.0]).collect();
        for pair in ends.windows(2).filter(|pair| pair[0] - pair[1] > 1e-6 * from) {
            let lambda = (pair[0] + pair[1]) / 2.0;
            let plane = case.problem().planes(&path.at_parameter(&[lambda]).unwrap()).remove(0);
            let known = single.coefficients(&other.at_parameter(&[tau, lambda]).unwrap());
            let size = known.w.iter().fold(known.intercept.abs(), |m, w| m.max(w.abs()));
            let close = plane.w.iter().zip(&known.w).all(|(a, b)| (a - b).abs() <= 1e-9 * size);
            assert!(close && (plane.intercept - known.intercept).abs() <= 1e-9 * size, "seed {seed}, {lambda}");
        }
    }
}

/// Two groups: without a penalty each plane has the groups' own quantiles, which do not cross.
#[test]
fn planes_of_two_groups_are_their_quantiles() {
    let y = [3.0, 1.0, 2.0, 5.0, 4.0, 10.0, 30.0, 20.0, 50.0, 40.0];
    let x = (0..10).map(|i| vec![f64::from(u8::from(i >= 5))]).collect();
    let case =
        Case { x, y: y.to_vec(), weights: vec![1.0; 10], levels: vec![0.1, 0.3, 0.5, 0.7, 0.9], intercept: true };
    let problem = case.problem();
    let (path, _) = follow(&problem, "two groups");
    let planes = problem.planes(&path.at_parameter(&[0.0]).unwrap());
    for (k, plane) in planes.iter().enumerate() {
        let known = (k + 1) as f64;
        assert!((plane.intercept - known).abs() < 1e-13 && (plane.w[0] - 9.0 * known).abs() < 1e-12, "{planes:?}");
    }
}

/// Without an intercept, lines through the origin with rows on both sides of it do not cross if they are the same line.
#[test]
fn lines_through_the_origin_are_one_line() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let x: Vec<Vec<f64>> = (0..15).map(|i| vec![f64::from(i - 7) + 0.3 * random.normal()]).collect();
        let y = x.iter().map(|x| 2.0 * x[0] + 3.0 * random.normal()).collect();
        let case = Case { x, y, weights: vec![1.0; 15], levels: vec![0.1, 0.4, 0.8], intercept: false };
        let problem = case.problem();
        let (path, from) = follow(&problem, &format!("seed {seed}"));
        let planes = problem.planes(&path.at_parameter(&[0.01 * from]).unwrap());
        let slopes: Vec<f64> = planes.iter().map(|plane| plane.w[0]).collect();
        assert!(
            slopes[0] != 0.0 && slopes.iter().all(|w| (w - slopes[0]).abs() <= 1e-12 * slopes[0].abs()),
            "{slopes:?}"
        );
    }
}

/// Fits of their own cross on these rows, and the planes cost more than they do.
#[test]
fn separate_fits_cross_and_cost_less() {
    let mut crossed = 0;
    for seed in (0..60u64).filter(|seed| !seed.is_multiple_of(7)) {
        let case = Case { levels: vec![0.2, 0.4, 0.6, 0.8], ..Case::random(seed) };
        let problem = case.problem();
        let planes = problem.planes(&follow(&problem, "together").0.at_parameter(&[0.0]).unwrap());
        let alone = |tau: &f64| {
            let case = Case { levels: vec![*tau], ..case.clone() };
            let problem = case.problem();
            problem.planes(&follow(&problem, "alone").0.at_parameter(&[0.0]).unwrap()).remove(0)
        };
        let separate: Vec<Coefficients> = case.levels.iter().map(alone).collect();
        let [together, apart] = [&planes, &separate].map(|planes| case.objective(planes, 0.0));
        let crosses = case.crossing(&separate) > 1e-9;
        crossed += usize::from(crosses);
        assert!(apart <= together + 1e-9 * case.size(), "seed {seed}");
        assert!(crosses || together <= apart + 1e-9 * case.size(), "seed {seed}: {together}, {apart}");
    }
    assert!(crossed >= 10, "{crossed}");
}

#[test]
fn a_row_of_weight_zero_is_ignored() {
    for seed in [1, 3, 5, 9, 11, 15, 17, 19] {
        let case = Case::random(seed);
        let kept: Vec<usize> = case.counted().collect();
        let of = |values: &[f64]| kept.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let x = kept.iter().map(|&i| case.x[i].clone()).collect();
        let less = Case { x, y: of(&case.y), weights: of(&case.weights), ..case.clone() };
        assert!(case.y.len() == 1 || less.y.len() < case.y.len());
        let [(a, from), (b, other)] = [&case, &less].map(|case| follow(&case.problem(), &format!("seed {seed}")));
        assert!((from - other).abs() <= 1e-12 * from);
        for share in [0.7, 0.3, 0.05, 0.0] {
            let objective = |case: &Case, path: &Path<f64>| {
                case.objective(&case.problem().planes(&path.at_parameter(&[share * from]).unwrap()), share * from)
            };
            assert!((objective(&case, &a) - objective(&less, &b)).abs() <= 1e-10 * case.size(), "seed {seed}");
        }
    }
}

#[test]
fn lines_pass_every_check_of_an_adapter() {
    for seed in 0..24 {
        let problem = Case::random(seed).problem();
        let (qp, large) = (problem.qp().unwrap(), problem.largest_lambda());
        if large == 0.0 {
            continue;
        }
        let options = Options { points: 7, seed, ..Options::default() };
        let start = Start::Guess(problem.limit());
        assert_eq!(check(&qp, &[1.1 * large], &[0.01 * large], &start, &options), [], "seed {seed}");
    }
}

/// Features and responses in other units: the same planes in these units.
#[test]
fn units_do_not_matter() {
    for seed in 0..24 {
        let case = Case::random(seed);
        for (of_x, of_y) in [(1e-6, 1.0), (1e5, 1e-7), (1.0, 1e8)] {
            let x = case.x.iter().map(|row| row.iter().map(|x| x * of_x).collect()).collect();
            let other = Case { x, y: case.y.iter().map(|y| y * of_y).collect(), ..case.clone() };
            let what = format!("seed {seed}, {of_x}, {of_y}");
            let [(a, from), (b, first)] = [&case, &other].map(|case| follow(&case.problem(), &what));
            assert!((first - from * of_x).abs() <= 1e-12 * first, "{what}");
            for share in [0.6, 0.2, 0.03, 0.0] {
                let value = |case: &Case, path: &Path<f64>, lambda: f64| {
                    case.objective(&case.problem().planes(&path.at_parameter(&[lambda]).unwrap()), lambda)
                };
                let (known, found) = (value(&case, &a, share * from), value(&other, &b, share * first) / of_y);
                assert!((known - found).abs() <= 1e-9 * case.size(), "{what}: {known}, {found}");
            }
        }
    }
}

#[test]
fn what_cannot_be_fitted_is_named() {
    let new = |levels: &[f64], weights: Option<Vec<f64>>| {
        let x = Arc::new(dense(&[vec![1.0], vec![2.0]]));
        QuantilePlanes::new(x, vec![1.0, 3.0], weights, levels.to_vec(), true).err()
    };
    assert_eq!(new(&[0.1, 0.9], None), None);
    assert_eq!(new(&[], None), Some(AdapterError::NoLevels));
    for value in [0.0, 1.0, -0.5, 50.0, f64::INFINITY] {
        assert_eq!(new(&[0.5, value], None), Some(AdapterError::Level { index: 1, value }));
    }
    let told = new(&[0.1, f64::NAN], None).unwrap().to_string();
    assert_eq!(told, "level 2 of the quantiles is NaN: it must lie strictly between 0 and 1");
    for (levels, before) in [([0.1, 0.5, 0.5], 0.5), ([0.1, 0.9, 0.5], 0.9)] {
        assert_eq!(new(&levels, None), Some(AdapterError::LevelOrder { index: 2, value: 0.5, before }));
    }
    assert_eq!(new(&[0.5], Some(vec![0.0; 2])), Some(AdapterError::NoWeight { rows: 2 }));
    assert!(matches!(new(&[0.5], Some(vec![1.0, -1.0])), Some(AdapterError::Weight { row: 1, .. })));
    assert!(matches!(new(&[0.5], Some(vec![1.0])), Some(AdapterError::Shape { what: "weights", .. })));
}
