//! Lines whose t = 0 lies elsewhere than where they begin: the same path, and positions that are sharp near t = 0.

use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::testing::{Random, exact};
use pathqp::validate::validate;
use pathqp::{Affine, Exact, Follower, Line, ParametricQp, Path, ProblemError, Range, Settings, Start, trace};
use std::sync::Arc;

/// n variables and k columns of small integers, costs affine in θ ∈ [−8, 8], boxes that move, some without width at an end, and a row or none.
fn random(seed: u64) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let (n, k) = (2 + random.below(6), 1 + random.below(4));
    let values: Vec<f64> = (0..n * k).map(|_| random.integer(3)).collect();
    let gram = Gram::new(n, Rows::Dense { columns: k, values: values.clone() }, 1.0).unwrap();
    let entry = |i: usize, j: usize| (0..k).map(|c| values[i * k + c] * values[j * k + c]).sum::<f64>();
    let dense = || Dense::new((0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()).unwrap();
    let hessian: Arc<dyn pathqp::Hessian<f64>> = if random.chance(0.5) { Arc::new(gram) } else { Arc::new(dense()) };
    let numbers = |random: &mut Random, k: usize| (0..n).map(|_| random.integer(k)).collect::<Vec<f64>>();
    let cost = Affine::line(numbers(&mut random, 8), numbers(&mut random, 3));
    let lower = Affine::line(numbers(&mut random, 3), numbers(&mut random, 1));
    // Wide enough for every θ, or closed at θ = −8.
    let closed: Vec<bool> = (0..n).map(|_| random.chance(0.3)).collect();
    let wide = |i: usize| if closed[i] { [8.0, 1.0] } else { [20.0 + i as f64, 0.0] };
    let upper = Affine::line(
        (0..n).map(|i| lower.constant[i] + wide(i)[0]).collect(),
        (0..n).map(|i| lower.slopes[0][i] + wide(i)[1]).collect(),
    );
    let middle = |v: &dyn Fn(usize) -> [f64; 2], a: &[f64]| {
        let sum = |side: usize| (0..n).map(|i| a[i] * v(i)[side]).sum::<f64>();
        Affine::line(vec![sum(0)], vec![sum(1)])
    };
    let half =
        |i: usize| [(lower.constant[i] + upper.constant[i]) / 2.0, (lower.slopes[0][i] + upper.slopes[0][i]) / 2.0];
    let a = numbers(&mut random, 2);
    let b = middle(&half, &a);
    let qp = ParametricQp::new(hessian, vec![Range::new(-8.0, 8.0)], cost).unwrap();
    let qp = qp.lower(lower).unwrap().upper(upper).unwrap();
    if random.chance(0.5) && a.iter().any(|a| *a != 0.0) { qp.equality(a, b).unwrap() } else { qp }
}

fn follow(line: &Line<f64>, start: &Start<f64>) -> Path<f64> {
    trace(line, start, &Settings::default(), &mut ()).unwrap_or_else(|failure| panic!("{failure}"))
}

fn objective(line: &Line<f64>, path: &Path<f64>, theta: f64) -> f64 {
    let point = path.at_parameter(&[theta]).unwrap();
    pathqp::Certificate::new(line, &point.t, &point.x, &point.y).objective
}

/// The θ of the breakpoints strictly inside.
fn inner(path: &Path<f64>) -> Vec<f64> {
    let all = path.breakpoints().into_iter().map(|t| path.parameter(&t)[0]);
    all.filter(|theta| theta.abs() < 8.0 - 1e-6).collect()
}

#[test]
fn the_path_does_not_depend_on_where_t_is_zero() {
    for seed in 0..300 {
        let qp = random(seed);
        for (from, to) in [(-8.0, 8.0), (8.0, -8.0)] {
            let plain = qp.line(&[from], &[to]).unwrap();
            let path = follow(&plain, &Start::Anywhere);
            for origin in [-8.0, 0.0, 3.0, 8.0, 24.0, -40.0] {
                let line = qp.line_about(&[origin], &[from], &[to]).unwrap();
                assert_eq!(line.parameter(&line.begin), [from], "{seed} {origin}");
                assert_eq!(line.parameter(&line.end.unwrap()), [to], "{seed} {origin}");
                let other = follow(&line, &Start::Anywhere);
                assert_eq!(validate(&other, &line, &1e-9), [], "{seed} {from} {origin}");
                assert!(other.is_complete() == path.is_complete(), "{seed} {from} {origin}: {:?}", other.stop());
                assert_eq!(other.position(&[from]), Some(line.begin));
                let (ours, theirs) = (inner(&path), inner(&other));
                assert_eq!(ours.len(), theirs.len(), "{seed} {from} {origin}: {ours:?} {theirs:?}");
                assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-9), "{seed} {origin}");
                for k in 0..=8 {
                    let theta = from + (to - from) * f64::from(k) / 8.0;
                    let (a, b) = (objective(&plain, &path, theta), objective(&line, &other, theta));
                    assert!((a - b).abs() <= 1e-9 * (1.0 + a.abs()), "{seed} {origin} {theta}: {a} {b}");
                }
            }
        }
    }
}

#[test]
fn exact_scalars_follow_the_same_code() {
    for seed in 0..60 {
        let qp = random(seed);
        for (from, to, origin) in [(-8.0, 8.0, 3.0), (8.0, -8.0, -16.0), (-8.0, 8.0, 8.0)] {
            let line = exact(&qp.line_about(&[origin], &[from], &[to]).unwrap()).unwrap();
            let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
            assert_eq!(validate(&path, &line, &Exact::ZERO), [], "{seed} {origin}");
            let plain = exact(&qp.line(&[from], &[to]).unwrap()).unwrap();
            let other = trace(&plain, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
            let theta = |path: &Path<Exact>| {
                path.breakpoints().iter().map(|t| path.parameter(t).swap_remove(0)).collect::<Vec<Exact>>()
            };
            assert_eq!(theta(&path), theta(&other), "{seed} {origin}");
        }
    }
}

/// min ½x² − θx, 0 ≤ x: x = θ from zero on.
fn half_line() -> ParametricQp<f64> {
    let h = Arc::new(Dense::new(vec![vec![1.0]]).unwrap());
    let qp = ParametricQp::new(h, vec![Range { from: None, to: None }], Affine::line(vec![0.0], vec![-1.0])).unwrap();
    qp.lower(Affine::constant(vec![0.0], 1)).unwrap()
}

#[test]
fn rays_have_origins_too() {
    let qp = half_line();
    let line = qp.ray_about(&[-1.0], &[-3.0], &[2.0]).unwrap();
    assert_eq!((line.begin, line.end, line.parameter(&line.begin)), (-1.0, None, vec![-3.0]));
    let path = follow(&line, &Start::Anywhere);
    // θ = −1 + 2t is zero at t = ½.
    assert_eq!(path.breakpoints(), [0.5]);
    assert!(path.is_endless() && validate(&path, &line, &1e-12).is_empty());
    assert_eq!(path.at(&4.0).unwrap().x, [7.0]);
    assert_eq!((path.at(&-1.5), *path.begin()), (None, -1.0));
}

#[test]
fn an_origin_off_the_line_is_refused() {
    let h = || Arc::new(Dense::new(vec![vec![1.0]]).unwrap());
    let domain = vec![Range::new(-1.0, 1.0), Range::new(-1.0, 1.0)];
    let cost = Affine { constant: vec![0.0], slopes: vec![vec![1.0], vec![-1.0]] };
    let qp = ParametricQp::new(h(), domain, cost).unwrap();
    let error = qp.line_about(&[0.5, 0.0], &[-1.0, -1.0], &[1.0, 1.0]).err();
    assert_eq!(error, Some(ProblemError::OffLine { parameter: 1, value: "0".into() }));
    let shape = Some(ProblemError::Shape { what: "origin", expected: 2, found: 1 });
    assert_eq!(qp.line_about(&[0.5], &[-1.0, -1.0], &[1.0, 1.0]).err(), shape);
    let nan = qp.line_about(&[f64::NAN, 0.0], &[-1.0, -1.0], &[1.0, 1.0]).err();
    assert!(matches!(nan, Some(ProblemError::NotFinite { what: "origin", index: 0, .. })), "{nan:?}");
    // Outside of the domain is allowed, and a line of one point needs none.
    let line = qp.line_about(&[3.0, 3.0], &[-1.0, -1.0], &[1.0, 1.0]).unwrap();
    assert_eq!((line.begin, line.end), (-4.0, Some(-2.0)));
    let point = qp.line_about(&[3.0, 2.0], &[1.0, 1.0], &[1.0, 1.0]).unwrap();
    assert_eq!((point.begin, point.end, point.origin), (0.0, Some(0.0), vec![1.0, 1.0]));
}

#[test]
fn a_checkpoint_goes_on_in_the_middle_of_such_a_line() {
    for seed in 0..40 {
        let qp = random(seed);
        let line = qp.line_about(&[8.0], &[-8.0], &[8.0]).unwrap();
        let whole = follow(&line, &Start::Anywhere);
        let mut follower = Follower::new(&line, &Start::Anywhere, Settings::default()).unwrap();
        follower.step().unwrap();
        let mut other = Follower::resume(&line, follower.checkpoint(), Settings::default()).unwrap();
        other.run(&mut ()).unwrap();
        assert_eq!(other.into_path().segments(), whole.segments(), "{seed}");
        let plain = qp.line(&[-8.0], &[8.0]).unwrap();
        assert!(Follower::resume(&plain, follower.checkpoint(), Settings::default()).is_err());
    }
}
