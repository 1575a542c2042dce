//! Critical regions with rows, in two to five parameters.

use pathqp::hessian::{self, Dense, Rows};
use pathqp::regions::{Options, Regions, explore};
use pathqp::testing::{self, Random, check_found_regions};
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;

/// n variables, m rows, p parameters.
type Shape = (usize, usize, usize);

fn affine(random: &mut Random, constant: Vec<f64>, p: usize, scale: f64) -> Affine<f64> {
    let n = constant.len();
    Affine { constant, slopes: (0..p).map(|_| (0..n).map(|_| scale * random.normal()).collect()).collect() }
}

/// A random strictly convex problem: rows that move with θ, some of them bounded on both sides; boxes.
fn dense(seed: u64, (n, m, p): Shape) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let root: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
    let entry = |i: usize, j: usize| {
        root[i].iter().zip(&root[j]).map(|(a, b)| a * b).sum::<f64>() + if i == j { 0.1 } else { 0.0 }
    };
    let h = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let c = affine(&mut random, vec![0.0; n], p, 1.0);
    let values = (0..n * m).map(|_| random.normal()).collect();
    let upper = (0..m).map(|_| random.between(0.2, 1.5)).collect();
    let upper = affine(&mut random, upper, p, 0.4);
    let mut lower = upper.clone();
    for (r, value) in lower.constant.iter_mut().enumerate() {
        *value = if r % 3 == 0 { *value - 1.5 } else { f64::NEG_INFINITY };
    }
    ParametricQp::new(Arc::new(Dense::new(h).unwrap()), vec![Range::new(-1.0, 1.0); p], c)
        .and_then(|qp| qp.lower(Affine::constant(vec![-1.0; n], p)))
        .and_then(|qp| qp.upper(Affine::constant(vec![1.0; n], p)))
        .and_then(|qp| qp.rows(Rows::Dense { columns: n, values }, lower, upper))
        .unwrap()
}

fn judged(qp: &ParametricQp<f64>, points: usize) -> Regions {
    let found = explore(qp, &Options::default()).unwrap();
    let options = testing::Options { points, ..testing::Options::default() };
    let wrong = check_found_regions(qp, &found, &options);
    assert!(wrong.is_empty(), "{} cells, {} regions, {:?}; {} findings, first {}", found.cells().len(), found.regions(), found.stats(), wrong.len(), wrong[0]);
    found
}

#[test]
fn random_problems_in_two_to_four_parameters() {
    for (seed, shape) in [(3, 4, 2), (4, 5, 2), (4, 4, 3), (6, 6, 3), (5, 5, 4)].into_iter().enumerate() {
        for more in 0..3 {
            let qp = dense(100 * more + seed as u64, shape);
            let began = std::time::Instant::now();
            let found = judged(&qp, 200);
            println!("{shape:?}: {} cells, {} regions, {} walls, depth {}, {:?} {:?}", found.cells().len(), found.regions(), found.walls().len(), found.depth(), began.elapsed(), found.stats());
        }
    }
}
