//! Critical regions with rows, in one to four parameters.

use pathqp::complex;
use pathqp::error::PathError;
use pathqp::hessian::{self, Dense, Gram, Hessian, Rows};
use pathqp::regions::{Options, Regions, RegionsError, explore};
use pathqp::testing::{self, LinearAnswer, Random, check_found_regions, solve_linear};
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;

/// n variables, m rows, p parameters.
type Shape = (usize, usize, usize);

fn identity(n: usize) -> Arc<dyn Hessian<f64>> {
    Arc::new(Dense::new((0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect()).unwrap())
}

fn normal(random: &mut Random, constant: Vec<f64>, p: usize, scale: f64) -> Affine<f64> {
    let n = constant.len();
    Affine { constant, slopes: (0..p).map(|_| (0..n).map(|_| scale * random.normal()).collect()).collect() }
}

/// A random strictly convex problem in a box: rows that move with θ, some of them bounded on both sides.
fn dense(seed: u64, (n, m, p): Shape) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let root: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
    let entry = |i: usize, j: usize| {
        root[i].iter().zip(&root[j]).map(|(a, b)| a * b).sum::<f64>() + if i == j { 0.1 } else { 0.0 }
    };
    let h = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let c = normal(&mut random, vec![0.0; n], p, 1.0);
    let values = (0..n * m).map(|_| random.normal()).collect();
    let upper = (0..m).map(|_| random.between(0.2, 1.5)).collect();
    let upper = normal(&mut random, upper, p, 0.4);
    let mut lower = upper.clone();
    for (r, value) in lower.constant.iter_mut().enumerate() {
        *value = if r % 3 == 0 { *value - 1.5 } else { f64::NEG_INFINITY };
    }
    ParametricQp::new(Arc::new(Dense::new(h).unwrap()), vec![Range::new(-1.0, 1.0); p], c)
        .and_then(|qp| qp.lower(Affine::constant(vec![-1.0; n], p)))
        .and_then(|qp| qp.upper(Affine::constant(vec![1.0; n], p)))
        .and_then(|qp| if m > 0 { qp.rows(Rows::Dense { columns: n, values }, lower, upper) } else { Ok(qp) })
        .unwrap()
}

/// Small whole numbers, so that events tie everywhere, and a last row that is there twice or the sum of two others, so that multipliers are not unique. H is I, of rank two, or zero.
fn whole(seed: u64, (n, m, p): Shape, kind: usize) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let integers = |random: &mut Random, count: usize| (0..count).map(|_| random.integer(1)).collect::<Vec<f64>>();
    let h: Arc<dyn Hessian<f64>> = match kind {
        0 => identity(n),
        1 => Arc::new(Gram::new(n, Rows::Dense { columns: 2, values: integers(&mut random, 2 * n) }, 1.0).unwrap()),
        _ => Arc::new(hessian::zero(n).unwrap()),
    };
    let c = Affine { constant: integers(&mut random, n), slopes: (0..p).map(|_| integers(&mut random, n)).collect() };
    let sum = |v: &mut Vec<f64>, width: usize| {
        for j in 0..width {
            v[(m - 1) * width + j] = v[j] + if seed.is_multiple_of(2) { v[width + j] } else { 0.0 };
        }
    };
    let mut values = integers(&mut random, n * m);
    sum(&mut values, n);
    let constant = (0..m).map(|_| random.below(3) as f64).collect();
    let mut upper = Affine { constant, slopes: (0..p).map(|_| integers(&mut random, m)).collect() };
    sum(&mut upper.constant, 1);
    upper.slopes.iter_mut().for_each(|slope| sum(slope, 1));
    ParametricQp::new(h, vec![Range::new(-1.5, 2.0); p], c)
        .and_then(|qp| qp.lower(Affine::constant(vec![-2.0; n], p)))
        .and_then(|qp| qp.upper(Affine::constant(vec![2.0; n], p)))
        .and_then(|qp| {
            let none = Affine::constant(vec![f64::NEG_INFINITY; m], p);
            qp.rows(Rows::Dense { columns: n, values }, none, upper)
        })
        .unwrap()
}

/// min ½‖x‖² s.t. Ax ≤ b + Sθ, S by its columns.
fn nearest(rows: &[&[f64]], b: f64, s: [Vec<f64>; 2], reach: f64) -> ParametricQp<f64> {
    let (n, m) = (rows[0].len(), rows.len());
    let upper = Affine { constant: vec![b; m], slopes: s.to_vec() };
    let none = Affine::constant(vec![f64::NEG_INFINITY; m], 2);
    ParametricQp::new(identity(n), vec![Range::new(-reach, reach); 2], Affine::constant(vec![0.0; n], 2))
        .and_then(|qp| qp.rows(Rows::Dense { columns: n, values: rows.concat() }, none, upper))
        .unwrap()
}

fn judged(qp: &ParametricQp<f64>, points: usize) -> Regions {
    let found = explore(qp, &Options::default()).unwrap();
    let wrong = check_found_regions(qp, &found, &testing::Options { points, ..testing::Options::default() });
    let count = (found.cells().len(), found.stats());
    assert!(wrong.is_empty(), "{count:?}: {} findings, the first {}", wrong.len(), wrong[0]);
    assert_eq!(found.violations(), []);
    found
}

#[test]
fn random_problems_in_one_to_four_parameters() {
    for (seed, shape) in [(3, 3, 1), (3, 4, 2), (4, 5, 2), (4, 4, 3), (6, 6, 3), (5, 5, 4)].into_iter().enumerate() {
        for more in 0..3 {
            let found = judged(&dense(100 * more + seed as u64, shape), 200);
            assert_eq!(found.cells().len(), found.regions(), "{shape:?}");
        }
    }
}

#[test]
fn whole_numbers_with_ties_and_multipliers_that_are_not_unique() {
    for kind in 0..3 {
        for (shape, seeds) in [((3, 4, 2), 0..30), ((4, 4, 3), 0..10)] {
            for seed in seeds {
                let qp = whole(seed, shape, kind);
                match explore(&qp, &Options::default()) {
                    Ok(_) => drop(judged(&qp, 100)),
                    // No solution at any of many points then.
                    Err(error) => {
                        assert_eq!(error, RegionsError::NoRegion);
                        let mut random = Random(1);
                        for _ in 0..200 {
                            let theta: Vec<f64> = (0..shape.2).map(|_| random.between(-1.5, 2.0)).collect();
                            let line = qp.line(&theta, &theta).unwrap();
                            assert_eq!(solve_linear(&line, 0.0), LinearAnswer::Infeasible, "{seed} {theta:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn boxes_alone_have_the_regions_of_the_complex() {
    for seed in 0..6 {
        let qp = dense(seed, (6, 0, 2));
        let expected = complex::explore(&qp, &complex::Options::default()).unwrap();
        assert_eq!(judged(&qp, 50).regions(), expected.regions().len(), "{seed}");
    }
}

/// Spjøtvold, Kerrigan, Jones, Tøndel and Johansen 2006, doi:10.1016/j.automatica.2006.06.026, their example, with the numbers that the tests of ParametricDAQP.jl have. PPOPT 1.6.12 finds 12 regions by each of three algorithms (benches/peers/regions.py).
#[test]
fn several_regions_beyond_one_side() {
    let rows: [&[f64]; 6] = [
        &[1.0, 0.0, -1.0],
        &[-1.0, 0.0, -1.0],
        &[0.0, 1.0, -1.0],
        &[0.0, -1.0, -1.0],
        &[0.75, 0.64, -1.0],
        &[-0.75, -0.64, -1.0],
    ];
    let s = [vec![1.0, -1.0, 0.0, 0.0, 1.0, -1.0], vec![0.0, 0.0, -1.0, 1.0, 0.0, 0.0]];
    let qp = nearest(&rows, -1.0, s, 1.5);
    let found = judged(&qp, 1000);
    assert_eq!(found.regions(), 12);
    assert!(found.stats().split > 0);
    assert_eq!(found.coverage(&qp, 10_000, 3).uncovered, 0);
}

/// Ahmadi-Moshkenani, Johansen and Olaru 2018, doi:10.1109/TAC.2018.2816104, their second example: four rows of rank three are active on a region with an inside.
#[test]
fn rows_that_are_dependent_all_over_a_region() {
    let rows: [&[f64]; 4] =
        [&[1.0, 0.0, -1.0, 0.5], &[-1.0, 0.0, -1.0, 0.5], &[0.0, 1.0, -1.0, 0.5], &[0.0, -1.0, -1.0, 0.5]];
    let qp = nearest(&rows, -1.0, [vec![1.0, -1.0, 0.0, 1.0], vec![0.0, 0.0, -1.0, 1.0]], 2.0);
    let found = judged(&qp, 1000);
    assert_eq!(found.coverage(&qp, 10_000, 3).uncovered, 0);
    // A row that is there twice makes multipliers not unique, and no further region.
    let simple = nearest(&rows[..3], -1.0, [vec![1.0, -1.0, 0.0], vec![0.0, 0.0, -1.0]], 2.0);
    let twice: Vec<&[f64]> = rows[..3].iter().chain(&rows[..1]).copied().collect();
    let twice = nearest(&twice, -1.0, [vec![1.0, -1.0, 0.0, 1.0], vec![0.0, 0.0, -1.0, 0.0]], 2.0);
    let (simple, twice) = (judged(&simple, 500), judged(&twice, 500));
    assert_eq!(simple.regions(), twice.regions());
    assert!(twice.cells().iter().any(pathqp::regions::Cell::is_degenerate));
}

#[test]
fn where_there_is_no_solution_there_is_a_proof() {
    // x₁ + x₂ ≥ θ₁ + 2θ₂ in the unit square: none beyond 2.
    let c = Affine { constant: vec![1.0, -1.0], slopes: vec![vec![1.0, 0.0], vec![0.0, 1.0]] };
    let lower = Affine { constant: vec![0.0], slopes: vec![vec![1.0], vec![2.0]] };
    let qp = ParametricQp::new(identity(2), vec![Range::new(-2.0, 2.0); 2], c)
        .and_then(|qp| qp.lower(Affine::constant(vec![0.0; 2], 2)))
        .and_then(|qp| qp.upper(Affine::constant(vec![1.0; 2], 2)))
        .and_then(|qp| {
            let rows = Rows::Dense { columns: 2, values: vec![1.0, 1.0] };
            qp.rows(rows, lower, Affine::constant(vec![f64::INFINITY], 2))
        })
        .unwrap();
    let found = judged(&qp, 500);
    assert_eq!(found.walls().len(), 1);
    assert!(found.walls()[0].proves(&qp, &[1.0, 0.6]) && !found.walls()[0].proves(&qp, &[1.0, 0.4]));
    assert!(matches!(found.at(&qp, &[1.0, 0.6]), Err(RegionsError::NoSolution { wall: 0, .. })));
    assert!(matches!(found.at(&qp, &[3.0, 0.0]), Err(RegionsError::Outside { .. })));
    let coverage = found.coverage(&qp, 1000, 5);
    assert_eq!(coverage.uncovered, 0);
    // The share without a solution is that of θ₁ + 2θ₂ > 2 in the square: ¼ of it.
    assert!((coverage.infeasible as f64 / 1000.0 - 0.25).abs() < 0.05, "{coverage:?}");
    let text = serde_json::to_string(&found).unwrap();
    let read: Regions = serde_json::from_str(&text).unwrap();
    assert!(read == found && read.fits(&qp));
    let damaged: Regions = serde_json::from_str(&text.replacen("\"normal\":[", "\"normal\":[0.5,", 1)).unwrap();
    assert_eq!(damaged.violations().len(), 1);
    let binary: Regions = postcard::from_bytes(&postcard::to_stdvec(&found).unwrap()).unwrap();
    assert_eq!(binary, found);
}

#[test]
fn what_cannot_be_explored_says_why() {
    let cost = || Affine { constant: vec![0.0; 2], slopes: vec![vec![1.0, 0.0], vec![0.0, 1.0]] };
    let on = |range: Range<f64>| ParametricQp::new(identity(2), vec![Range::new(0.0, 1.0), range], cost()).unwrap();
    let open = explore(&on(Range::at_least(0.0)), &Options::default());
    assert_eq!(open.unwrap_err(), RegionsError::Domain { parameter: 1 });
    let point = explore(&on(Range::new(1.0, 1.0)), &Options::default());
    assert_eq!(point.unwrap_err(), RegionsError::Domain { parameter: 1 });
    // x₁ = θ₁ and x₁ = θ₂: on a line only.
    let rows = || Rows::Dense { columns: 2, values: vec![1.0, 0.0, 1.0, 0.0] };
    let right = Affine { constant: vec![0.0; 2], slopes: vec![vec![1.0, 0.0], vec![0.0, 1.0]] };
    let flat = on(Range::new(0.0, 1.0)).rows(rows(), right.clone(), right).unwrap();
    assert_eq!(explore(&flat, &Options::default()).unwrap_err(), RegionsError::NoRegion);
    // 1 ≤ x₁ ≤ 0 by two rows.
    let lower = Affine::constant(vec![1.0, f64::NEG_INFINITY], 2);
    let upper = Affine::constant(vec![f64::INFINITY, 0.0], 2);
    let none = on(Range::new(0.0, 1.0)).rows(rows(), lower, upper).unwrap();
    assert_eq!(explore(&none, &Options::default()).unwrap_err(), RegionsError::NoRegion);
    // Without a bound, a linear program falls for ever.
    let linear = ParametricQp::new(Arc::new(hessian::zero(2).unwrap()), vec![Range::new(1.0, 2.0); 2], cost()).unwrap();
    let error = explore(&linear, &Options::default()).unwrap_err();
    assert!(matches!(error, RegionsError::Path(PathError::UnboundedAlong { .. })), "{error}");
    let found = judged(&on(Range::new(0.0, 1.0)), 20);
    assert_eq!(found.at(&linear, &[1.0, 1.0]), Err(RegionsError::OtherProblem));
    let few = Options { max_cells: Some(1), ..Options::default() };
    assert!(!explore(&dense(1, (4, 4, 3)), &few).unwrap().is_complete());
}
