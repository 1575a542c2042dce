//! Two parameters: the complex tiles its domain, whatever is tied, duplicated or of deficient rank.

mod common;

use common::random::Random;
use pathqp::complex::{self, Complex, Options};
use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::{Affine, Certificate, Exact, Hessian, ParametricQp, Range, Scalar};
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
        let range = |(a, b): (i64, i64)| Range::new(S::integer(a) / S::integer(50), S::integer(b) / S::integer(50));
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
            if !exact.validate().is_empty() || std::env::var_os("SHOW").is_some() {
                eprintln!("rows {rows:?} labels {labels:?}");
                for (r, region) in exact.regions().iter().enumerate() {
                    let id = complex::RegionId(r as u32);
                    let corners: Vec<_> = exact
                        .corners(id)
                        .unwrap()
                        .into_iter()
                        .map(|(p, _)| p.map(|v| format!("{:.4}", num_traits::ToPrimitive::to_f64(&v).unwrap())))
                        .collect();
                    eprintln!(
                        "{r}: unique {} floating {} {:?} free {:?} area {} {corners:?} beyond {:?}",
                        region.is_unique(),
                        region.is_floating(),
                        region.status(),
                        region.free().collect::<Vec<_>>(),
                        exact.area(id).unwrap(),
                        exact.topology().around(id).map(|a| a.2.map(|r| r.0)).collect::<Vec<_>>()
                    );
                }
            }
            assert!(exact.validate().is_empty(), "{what} exact: {:?} {}", exact.validate(), summary(&exact));
            let qp = plane.qp::<f64>(true);
            let complex = complex::explore(&qp, &Options::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
            check(&complex, &qp, 40, &mut random, &what);
            assert_eq!(complex.topology(), exact.topology(), "{what}");
        }
    }
}

#[test]
#[ignore]
fn many() {
    let only: Option<u64> = std::env::var("SEED").ok().and_then(|s| s.parse().ok());
    for seed in only.map_or(0..600u64, |s| s..s + 1) {
        let mut random = Random(5000 + seed);
        let family = seed % 6;
        let n = 3 + (seed as usize / 6) % 14;
        let (plane, what) = match family {
            0 => (boxes(&mut random, n, n + 2, 9), "definite"),
            1 => (boxes(&mut random, n, 2, 1), "rank two"),
            2 => (boxes(&mut random, n, 3, 1), "rank three"),
            _ => {
                let mut rows = matrix(&mut random, n.min(9), 2, if family == 3 { 30 } else { 2 });
                let mut labels: Vec<i64> = (0..rows.len()).map(|_| if random.chance(0.5) { 1 } else { -1 }).collect();
                labels[0] = 1;
                labels[1] = -1;
                if family == 5 {
                    rows.extend(rows.clone());
                    labels.extend(labels.clone());
                }
                let intercept = random.chance(0.5);
                if !intercept {
                    rows.iter_mut().for_each(|r| r.push(1));
                }
                (svm(rows, labels, intercept, [(0, 50), (0, 50)]), "svm")
            }
        };
        let qp = plane.qp::<f64>(true);
        let what = format!("{seed} {what} n {n}");
        let before = std::time::Instant::now();
        match complex::explore(&qp, &Options::default()) {
            Err(error) => eprintln!("{what}: {error}"),
            Ok(complex) => {
                let v = complex.validate();
                if !v.is_empty() {
                    eprintln!("{plane:?}");
                    for (r, region) in complex.regions().iter().enumerate() {
                        let id = complex::RegionId(r as u32);
                        if complex
                            .topology()
                            .around(id)
                            .all(|a| a.2.is_some_and(|r| (r.0 as usize) < complex.regions().len()))
                        {
                            continue;
                        }
                        let corners: Vec<_> = complex
                            .corners(id)
                            .unwrap()
                            .into_iter()
                            .map(|(p, _)| p.map(|v| format!("{v:.4}")))
                            .collect();
                        eprintln!(
                            "{r}: unique {} floating {} {:?} free {:?} area {} {corners:?} beyond {:?}",
                            region.is_unique(),
                            region.is_floating(),
                            region.status(),
                            region.free().collect::<Vec<_>>(),
                            complex.area(id).unwrap(),
                            complex.topology().around(id).map(|a| a.2.map(|r| r.0)).collect::<Vec<_>>()
                        );
                    }
                    eprintln!("{what}: {} {:?}", summary(&complex), &v[..v.len().min(3)]);
                } else {
                    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        check(&complex, &qp, 20, &mut random, &what)
                    }));
                    if caught.is_err() {
                        eprintln!("{what}: certificate");
                    }
                }
                if before.elapsed().as_secs_f64() > 2.0 {
                    eprintln!("{what}: slow {:?} {}", before.elapsed(), summary(&complex));
                }
            }
        }
    }
}
