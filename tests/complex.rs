//! Two parameters: the complex tiles its domain, whatever is tied, duplicated or of deficient rank.

use pathqp::complex::{self, Complex, Options};
use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::testing::Random;
use pathqp::{Affine, Certificate, Exact, Hessian, ParametricQp, Range, Scalar, Settings};
use std::sync::Arc;

/// A problem on a rectangle in integers over `unit`.
#[derive(Clone, Debug)]
struct Plane {
    z: Vec<Vec<i64>>,
    c: [Vec<i64>; 3],
    lower: [Vec<i64>; 3],
    upper: [Vec<i64>; 3],
    row: Option<Vec<i64>>,
    unit: i64,
    domain: [(i64, i64); 2],
}

impl Plane {
    fn n(&self) -> usize {
        self.z.len()
    }

    fn qp<S: Scalar>(&self, gram: bool) -> ParametricQp<S> {
        let number = |v: &i64| S::integer(*v) / S::integer(self.unit);
        let affine = |[a, b, c]: &[Vec<i64>; 3]| {
            let list = |v: &Vec<i64>| v.iter().map(number).collect::<Vec<S>>();
            Affine { constant: list(a), slopes: vec![list(b), list(c)] }
        };
        let integer = |v: &i64| S::integer(*v);
        let h: Arc<dyn Hessian<S>> = if gram {
            let columns = self.z[0].len();
            let values = self.z.iter().flatten().map(integer).collect();
            Arc::new(Gram::new(self.n(), Rows::Dense { columns, values }, S::one()).unwrap())
        } else {
            let dot = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<i64>();
            let rows = self.z.iter().map(|a| self.z.iter().map(|b| S::integer(dot(a, b))).collect()).collect();
            Arc::new(Dense::new(rows).unwrap())
        };
        let range = |(a, b): (i64, i64)| match b {
            i64::MAX => Range::at_least(S::integer(a) / S::integer(50)),
            b => Range::new(S::integer(a) / S::integer(50), S::integer(b) / S::integer(50)),
        };
        let qp = ParametricQp::new(h, self.domain.map(range).to_vec(), affine(&self.c)).unwrap();
        let qp = qp.lower(affine(&self.lower)).unwrap().upper(affine(&self.upper)).unwrap();
        match &self.row {
            Some(a) => qp.equality(a.iter().map(integer).collect(), Affine::constant(vec![S::zero()], 2)).unwrap(),
            None => qp,
        }
    }
}

/// A cost-asymmetric SVM: rows with labels, H = yᵢyⱼxᵢxⱼ, c = −1, 0 ≤ α ≤ C₊ or C₋.
fn svm(rows: Vec<Vec<i64>>, labels: Vec<i64>, intercept: bool, domain: [(i64, i64); 2]) -> Plane {
    let n = rows.len();
    let z = rows.iter().zip(&labels).map(|(x, y)| x.iter().map(|v| v * y).collect()).collect();
    let of = |sign: i64| labels.iter().map(|&y| i64::from(y == sign)).collect::<Vec<i64>>();
    let zero = vec![0; n];
    Plane {
        z,
        c: [vec![-1; n], zero.clone(), zero.clone()],
        lower: [zero.clone(), zero.clone(), zero.clone()],
        upper: [zero, of(1), of(-1)],
        row: intercept.then_some(labels),
        unit: 1,
        domain,
    }
}

fn check(complex: &Complex<f64>, qp: &ParametricQp<f64>, points: usize, random: &mut Random, what: &str) {
    let violations = complex.validate();
    assert!(violations.is_empty(), "{what}: {:?} {}", violations, summary(complex));
    for _ in 0..points {
        let theta: Vec<f64> = qp
            .domain()
            .iter()
            .map(|r| {
                let (a, b) = (r.from.unwrap(), r.to.unwrap());
                a + (b - a) * random.unit()
            })
            .collect();
        let theta = [theta[0], theta[1]];
        let point = complex.at(qp, &theta).unwrap_or_else(|error| panic!("{what}: {error}"));
        let line = qp.line(&theta, &theta).unwrap();
        let residual = Certificate::new(&line, &0.0, &point.x, &point.y).kkt_residual();
        assert!(residual <= 1e-9, "{what}: residual {residual} at {theta:?}");
    }
}

fn summary<S: Scalar>(complex: &Complex<S>) -> String {
    let t = complex.topology();
    let covered = complex.covered().to_string();
    let s = complex.stats();
    format!("{} regions, {} edges, {} vertices, covered {covered}, {s:?}", t.regions(), t.edges(), t.vertices())
}

fn matrix(random: &mut Random, n: usize, d: usize, most: i64) -> Vec<Vec<i64>> {
    (0..n).map(|_| (0..d).map(|_| random.integer(most as usize) as i64).collect()).collect()
}

fn vector(random: &mut Random, n: usize, most: i64) -> Vec<i64> {
    (0..n).map(|_| random.integer(most as usize) as i64).collect()
}

/// Boxes [−1, 1] (units of 1/50), c moves with both parameters.
fn boxes(random: &mut Random, n: usize, d: usize, most: i64) -> Plane {
    let mut z = matrix(random, n, d, most);
    for row in z.iter_mut().filter(|row| row.iter().all(|v| *v == 0)) {
        row[0] = 1;
    }
    let zero = vec![0; n];
    Plane {
        z,
        c: [vector(random, n, 40), vector(random, n, 60), vector(random, n, 60)],
        lower: [vec![-50; n], zero.clone(), zero.clone()],
        upper: [vec![50; n], zero.clone(), zero],
        row: None,
        unit: 50,
        domain: [(-50, 50), (-50, 50)],
    }
}

#[test]
fn positive_definite_boxes() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let n = 3 + seed as usize;
        let plane = boxes(&mut random, n, n + 2, 9);
        for gram in [false, true] {
            let qp = plane.qp::<f64>(gram);
            let complex = complex::explore(&qp, &Options::default()).unwrap();
            check(&complex, &qp, 40, &mut random, &format!("seed {seed} gram {gram}"));
        }
    }
}

#[test]
fn deficient_rank() {
    for seed in 0..12 {
        let mut random = Random(100 + seed);
        let n = 4 + seed as usize % 8;
        let plane = boxes(&mut random, n, 2 + seed as usize % 2, 1);
        let qp = plane.qp::<f64>(true);
        let complex = complex::explore(&qp, &Options::default()).unwrap();
        check(&complex, &qp, 40, &mut random, &format!("seed {seed}"));
    }
}

#[test]
fn classifiers_from_the_origin() {
    for seed in 0..12 {
        let mut random = Random(200 + seed);
        let n = 6 + seed as usize;
        let rows: Vec<Vec<i64>> = matrix(&mut random, n, 2, 20)
            .into_iter()
            .map(|mut r| {
                r.push(1);
                r
            })
            .collect();
        let labels: Vec<i64> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
        for intercept in [false, true] {
            let plane = svm(rows.clone(), labels.clone(), intercept, [(0, 50), (0, 50)]);
            let qp = plane.qp::<f64>(true);
            let complex = complex::explore(&qp, &Options::default()).unwrap();
            check(&complex, &qp, 40, &mut random, &format!("seed {seed} intercept {intercept}"));
        }
    }
}

#[test]
fn duplicated_points_and_integer_grids() {
    for seed in 0..12 {
        let mut random = Random(300 + seed);
        let n = 4 + seed as usize % 5;
        let mut rows = matrix(&mut random, n, 2, 2);
        let mut labels: Vec<i64> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
        if seed % 2 == 0 {
            rows.extend(rows.clone());
            labels.extend(labels.clone());
        }
        for intercept in [false, true] {
            let mut rows = rows.clone();
            if !intercept {
                rows.iter_mut().for_each(|r| r.push(1));
            }
            let plane = svm(rows.clone(), labels.clone(), intercept, [(1, 50), (1, 50)]);
            let what = format!("seed {seed} intercept {intercept}");
            let exact = complex::explore(&plane.qp::<Exact>(true), &Options::default())
                .unwrap_or_else(|e| panic!("{what}: exact {e}"));
            assert!(exact.validate().is_empty(), "{what} exact: {:?} {}", exact.validate(), summary(&exact));
            let qp = plane.qp::<f64>(true);
            let complex = complex::explore(&qp, &Options::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
            check(&complex, &qp, 40, &mut random, &what);
            assert_eq!(complex.topology(), exact.topology(), "{what}");
        }
    }
}

/// Each row with both signs, c = ∓Y + ε, x at most C, and a row by which y is an interval wherever no x is free: with repeated rows x is not unique
/// beside such regions.
fn tube(rows: Vec<Vec<i64>>, responses: Vec<i64>, domain: [(i64, i64); 2]) -> Plane {
    let n = rows.len();
    let minus = |values: &[i64]| values.iter().map(|v| -v).collect::<Vec<i64>>();
    let (zero, one) = (vec![0; 2 * n], vec![1; 2 * n]);
    Plane {
        z: rows.iter().cloned().chain(rows.iter().map(|row| minus(row))).collect(),
        c: [[minus(&responses), responses].concat(), zero.clone(), one.clone()],
        lower: [zero.clone(), zero.clone(), zero.clone()],
        upper: [zero.clone(), one, zero],
        row: Some([vec![1; n], vec![-1; n]].concat()),
        unit: 1,
        domain,
    }
}

#[test]
fn intervals_of_y_beside_repeated_rows() {
    let fixed = [
        (vec![-1, 0, 0], vec![0, -2, -2]),
        (vec![0, 1, -2, -2], vec![2, 0, 2, 2]),
        (vec![1, -2, -1, 1, -1, 1, -2, -1], vec![1, -1, 0, 2, -2, -1, 1, -2]),
    ];
    let random = (0..12).map(|seed| {
        let mut random = Random(400 + seed);
        let mut draw = |most: i64| vector(&mut random, 3 + seed as usize % 3, most);
        let (mut x, mut y) = (draw(2), draw(2));
        x.push(x[0]);
        y.push(y[0]);
        (x, y)
    });
    for (x, y) in fixed.into_iter().chain(random) {
        let what = format!("{x:?} {y:?}");
        let plane = tube(x.iter().map(|x| vec![*x]).collect(), y, [(0, 150), (0, 125)]);
        // The exploration may begin in a region whose y is fixed by two equal rows alone.
        for from in [None, Some([(6, 5), (1, 1)])] {
            let what = format!("{what} from {from:?}");
            let point = from.map(|point| point.map(|(a, b)| Exact::integer(a) / Exact::integer(b)));
            let exact = complex::explore(&plane.qp::<Exact>(true), &Options { point, ..Options::default() })
                .unwrap_or_else(|e| panic!("{what}: exact {e}"));
            assert!(exact.validate().is_empty(), "{what} exact: {:?} {}", exact.validate(), summary(&exact));
            let qp = plane.qp::<f64>(true);
            let point = from.map(|point| point.map(|(a, b)| a as f64 / b as f64));
            let complex = complex::explore(&qp, &Options { point, ..Options::default() })
                .unwrap_or_else(|e| panic!("{what}: {e}"));
            check(&complex, &qp, 40, &mut Random(3), &what);
            assert_eq!(complex.topology(), exact.topology(), "{what}");
        }
    }
}

/// Definite and deficient, tied and duplicated, with and without an intercept, from the corner where every box is a point.
#[test]
fn many_problems() {
    for seed in 0..300u64 {
        let mut random = Random(5000 + seed);
        let family = seed % 6;
        let n = 3 + (seed as usize / 6) % 14;
        let plane = match family {
            0 => boxes(&mut random, n, n + 2, 9),
            1 => boxes(&mut random, n, 2, 1),
            2 => boxes(&mut random, n, 3, 1),
            _ => {
                let mut rows = matrix(&mut random, n.min(9), 2, if family == 3 { 30 } else { 2 });
                let mut labels: Vec<i64> = (0..rows.len()).map(|_| if random.chance(0.5) { 1 } else { -1 }).collect();
                (labels[0], labels[1]) = (1, -1);
                if family == 5 {
                    rows.extend(rows.clone());
                    labels.extend(labels.clone());
                }
                let intercept = random.chance(0.5);
                if !intercept {
                    rows.iter_mut().for_each(|r| r.push(1));
                }
                svm(rows, labels, intercept, [(0, 50), (0, 50)])
            }
        };
        let qp = plane.qp::<f64>(true);
        let what = format!("seed {seed} family {family} n {n}");
        let complex = complex::explore(&qp, &Options::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
        check(&complex, &qp, 20, &mut random, &what);
    }
}

/// All costs, without an upper end: the complex ends where its regions are open.
#[test]
fn unbounded_domains() {
    for seed in 0..6 {
        let mut random = Random(700 + seed);
        let n = 6 + seed as usize;
        let mut rows = matrix(&mut random, n, 2, 20);
        rows.iter_mut().for_each(|row| row.push(1));
        let labels: Vec<i64> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
        let qp = svm(rows, labels, seed % 2 == 1, [(0, i64::MAX), (0, i64::MAX)]).qp::<f64>(true);
        let complex = complex::explore(&qp, &Options::default()).unwrap();
        assert!(complex.validate().is_empty(), "seed {seed}: {:?} {}", complex.validate(), summary(&complex));
        assert_eq!(complex.domain_area(), None);
        for _ in 0..40 {
            let theta = [0, 1].map(|_| 10f64.powf(random.between(-4.0, 3.0)));
            let point = complex.at(&qp, &theta).unwrap();
            let line = qp.line(&theta, &theta).unwrap();
            assert!(Certificate::new(&line, &0.0, &point.x, &point.y).kkt_residual() <= 1e-9);
        }
    }
}

/// With every point twice x is not unique nearly everywhere, and the regions are those of the points taken once, at half of the costs.
#[test]
fn every_point_twice_over_all_costs() {
    for seed in 0..6 {
        let mut random = Random(750 + seed);
        let n = 6 + 2 * seed as usize;
        let mut rows = matrix(&mut random, n, 2 + seed as usize % 3, 20);
        rows.iter_mut().for_each(|row| row.push(1));
        let labels: Vec<i64> = (0..n).map(|i| if i % 2 == 0 { 1 } else { -1 }).collect();
        let all = [(0, i64::MAX), (0, i64::MAX)];
        for intercept in [false, true] {
            let options = Options::default();
            let once = svm(rows.clone(), labels.clone(), intercept, all).qp::<f64>(true);
            let twice = svm([rows.clone(), rows.clone()].concat(), labels.repeat(2), intercept, all).qp::<f64>(true);
            let [once, twice] = [once, twice].map(|qp| complex::explore(&qp, &options).unwrap());
            let what = format!("seed {seed} intercept {intercept}: {}, {}", summary(&once), summary(&twice));
            assert!(once.validate().is_empty() && twice.validate().is_empty(), "{what} {:?}", twice.validate());
            let count = |c: &Complex<f64>| (c.topology().regions(), c.topology().edges(), c.topology().vertices());
            assert_eq!(count(&once), count(&twice), "{what}");
            assert!(
                twice.regions().iter().filter(|r| !r.is_unique()).count() > once.topology().regions() / 2,
                "{what}"
            );
        }
    }
}

/// Thirty points of two normal clouds, one apart, with B = 0.01, all in units of 10⁻³, over all costs.
#[test]
fn the_plane_of_costs_in_exact_arithmetic() {
    let mut random = Random(2);
    let labels: Vec<i64> = (0..30).map(|i| if i < 15 { 1 } else { -1 }).collect();
    let mut feature = |y: &i64| (1000.0 * (random.normal() + 0.5 * *y as f64)).round() as i64;
    let rows = labels.iter().map(|y| vec![feature(y), feature(y), 10]).collect();
    let plane = svm(rows, labels, false, [(0, i64::MAX), (0, i64::MAX)]);
    let exact = complex::explore(&plane.qp::<Exact>(true), &Options::default()).unwrap();
    assert!(exact.validate().is_empty(), "{:?} {}", exact.validate(), summary(&exact));
    let rounded = complex::explore(&plane.qp::<f64>(true), &Options::default()).unwrap();
    assert!(rounded.validate().is_empty(), "{:?} {}", rounded.validate(), summary(&rounded));
    assert_eq!(rounded.topology(), exact.topology());
    assert!(exact.topology().regions() > 100, "{}", summary(&exact));
}

/// Any number of threads finds the same complex.
#[test]
fn threads_do_not_matter() {
    let mut random = Random(800);
    let plane = boxes(&mut random, 14, 16, 9);
    let qp = plane.qp::<f64>(true);
    let one = complex::explore(&qp, &Options::default()).unwrap();
    for threads in [2, 3] {
        let settings = Settings { threads, ..Settings::default() };
        let other = complex::explore(&qp, &Options { settings, ..Options::default() }).unwrap();
        assert!(one == other, "{threads} threads");
    }
}

/// Regions that are handed on one by one are those of the whole.
#[test]
fn streamed_regions_are_those_of_the_complex() {
    let mut random = Random(900);
    let plane = boxes(&mut random, 12, 3, 1);
    let qp = plane.qp::<f64>(true);
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let mut seen = vec![false; complex.regions().len()];
    let mut visit = |id: complex::RegionId, region: complex::CriticalRegion<f64>| {
        let slot = &mut seen[id.0 as usize];
        assert!(!std::mem::replace(slot, true) && complex.regions()[id.0 as usize] == region);
        true
    };
    let (_, holes) = complex::stream(&qp, &Options::default(), &mut visit).unwrap();
    assert_eq!(holes, 0);
    assert!(seen.into_iter().all(|s| s));
}

/// The problem of Spjøtvold, Kerrigan, Jones, Tøndel and Johansen (2006, "On the facet-to-facet property of solutions to convex
/// parametric quadratic programs", Automatica 42), in which regions do not meet side to side: x ∈ ℝ³,
/// min ½‖x‖² subject to Ax ≤ b + Sθ, |θᵢ| ≤ 3/2. Here by its dual, min ½λᵀAAᵀλ + (b + Sθ)ᵀλ over λ ≥ 0, where z = b + Sθ − Ax is
/// the slack, x = −Aᵀλ. Its numbers were not compared with the paper.
mod spjotvold {
    use super::*;

    pub fn rows<S: Scalar>() -> Vec<[S; 3]> {
        let (a, b) = (S::integer(3) / S::integer(4), S::integer(16) / S::integer(25));
        let (one, zero) = (S::one(), S::zero());
        let half = [[one.clone(), zero.clone()], [zero.clone(), one.clone()], [a, b]];
        half.into_iter().flat_map(|[p, q]| [[p.clone(), q.clone(), -S::one()], [-p, -q, -S::one()]]).collect()
    }

    pub fn qp<S: Scalar>() -> ParametricQp<S> {
        let rows = rows::<S>();
        let dot = |a: &[S; 3], b: &[S; 3]| S::dot(a, b);
        let h = rows.iter().map(|a| rows.iter().map(|b| dot(a, b)).collect()).collect();
        let list = |v: [i64; 6]| v.map(S::integer).to_vec();
        let c = Affine { constant: list([-1; 6]), slopes: vec![list([1, -1, 0, 0, 1, -1]), list([0, 0, -1, 1, 0, 0])] };
        let side = || Range::new(S::integer(-3) / S::integer(2), S::integer(3) / S::integer(2));
        let qp = ParametricQp::new(Arc::new(Dense::new(h).unwrap()), vec![side(), side()], c).unwrap();
        qp.lower(Affine::constant(list([0; 6]), 2)).unwrap()
    }
}

#[test]
fn regions_that_do_not_meet_side_to_side() {
    let exact = spjotvold::qp::<Exact>();
    let complex = complex::explore(&exact, &Options::default()).unwrap();
    assert!(complex.validate().is_empty(), "{:?}", complex.validate());
    assert_eq!(complex.covered(), Exact::integer(1));
    let qp = spjotvold::qp::<f64>();
    let rounded = complex::explore(&qp, &Options::default()).unwrap();
    check(&rounded, &qp, 500, &mut Random(6), "sides");
    assert_eq!(summary(&rounded).split(", covered").next(), summary(&complex).split(", covered").next());
    // A side that is shared with two neighbours is straight: more edges than corners.
    let ids = (0..rounded.topology().regions()).map(|id| complex::RegionId(id as u32));
    let shared = ids.filter(|id| rounded.topology().around(*id).count() > rounded.corners(*id).unwrap().len());
    assert!(shared.count() > 0);
}
