//! Rays on which the linear term moves without end, exactly: the law of the last segment holds for all t.

use crate::common;

use crate::common::kkt::check_path;
use crate::common::{Form, Raw, Spec, follow};
use pathqp::path::Stop;
use pathqp::testing::Random;
use pathqp::{Exact, Range, Scalar};

/// ½xᵀZZᵀx − tμᵀx, 0 ≤ x ≤ u, Σx = 1, with small whole numbers; the variables are counted in quarters.
fn portfolio(n: usize, random: &mut Random) -> Raw {
    let k = 1 + random.below(3);
    let cap = [1, 2, 4][random.below(3)].max(4_usize.div_ceil(n) as i64);
    let mean: Vec<i64> = (0..n).map(|_| random.below(5) as i64 - 2).collect();
    Raw {
        z: (0..n).map(|_| (0..k).map(|_| random.below(3) as i64 - 1).collect()).collect(),
        c: mean.iter().map(|m| (0, -4 * m)).collect(),
        lower: vec![Some((0, 0)); n],
        upper: vec![Some((cap, cap)); n],
        row: Some((vec![1; n], (4, 4))),
        unit: 4,
        length: 1,
    }
}

#[test]
fn multipliers_float_without_end() {
    let mut random = Random(1);
    let (mut floating, mut along_an_end) = (0, 0);
    for _ in 0..300 {
        let n = 1 + random.below(6);
        let raw = portfolio(n, &mut random);
        let spec: Spec<Exact> = raw.spec();
        let ray = spec.ray(Form::Dense);
        let path = follow(&ray).unwrap();
        assert_eq!(path.stop(), Some(&Stop::Target), "{raw:?}");
        if let Err(wrong) = check_path(&spec, &ray, &path) {
            // Where both ends of the interval meet at the last breakpoint and are parallel in the end, no ray stays inside: y goes along one
            // of them. Everything before that is as on a line with an end.
            let last = path.segments().last().unwrap().t.clone();
            let start = [spec.from.clone()];
            let before = spec.problem(spec.hessian(Form::Dense), Range::new(Exact::ZERO, last.clone()));
            let before = before.unwrap().line(&start, &[last]).unwrap();
            assert!(wrong.contains("is not inside"), "{raw:?}: {wrong}");
            check_path(&spec, &before, &follow(&before).unwrap()).unwrap_or_else(|wrong| panic!("{raw:?}: {wrong}"));
            along_an_end += 1;
        }
        floating += usize::from(path.segments().last().unwrap().floating);
        // Far out as well.
        let far = path.segments().last().unwrap().t.clone() + Exact::integer(1_000_000);
        let point = path.at(&far).unwrap();
        assert_eq!(common::kkt::violations(&spec, &far, &point.x, &point.y), Vec::<String>::new(), "{raw:?}");
    }
    assert!(floating > 50 && along_an_end < floating / 4, "{floating} {along_an_end}");
}

#[test]
fn a_ray_without_events_on_which_x_grows_diverges() {
    let spec: Spec<Exact> = Raw {
        z: vec![vec![1, 0], vec![0, 2]],
        c: vec![(0, -1), (0, -2)],
        lower: vec![None; 2],
        upper: vec![None; 2],
        row: Some((vec![1, 1], (1, 1))),
        unit: 1,
        length: 1,
    }
    .spec();
    let path = follow(&spec.ray(Form::Gram)).unwrap();
    assert!(matches!(path.stop(), Some(Stop::Diverges { .. })), "{:?}", path.stop());
    // Not complete, since x has no limit, but nothing of it is missing: it has no breakpoint, and answers beyond.
    assert!(path.is_endless() && !path.is_complete());
    assert_eq!(path.end(), &Exact::ZERO);
    // ½x₀² + 2x₁² − t(x₀ + 2x₁) with x₀ + x₁ = 1: x₀ − t = 4x₁ − 2t, so x₁ = (1 + t)/5.
    let far = Exact::integer(1_000_000_000);
    let point = path.at_parameter(std::slice::from_ref(&far)).unwrap();
    assert_eq!(point.x[1], (Exact::integer(1) + &far) / Exact::integer(5));
    assert_eq!(path.at(&far), Some(point));
}

#[test]
fn rates_that_are_rounding_reach_no_bound() {
    let mut random = Random(2);
    for _ in 0..300 {
        let n = 2 + random.below(5);
        let raw = portfolio(n, &mut random);
        let exactly = follow(&raw.spec::<Exact>().ray(Form::Dense)).unwrap().breakpoints();
        for form in [Form::Dense, Form::Gram] {
            let ray = raw.spec::<f64>().ray(form);
            let path = follow(&ray).unwrap();
            let near = |a: &f64, b: &Exact| (a - b.to_f64().value()).abs() <= 1e-9 * (1.0 + a);
            let same = path.breakpoints().iter().zip(&exactly).all(|(a, b)| near(a, b));
            assert!(same && path.breakpoints().len() == exactly.len(), "{raw:?}: {:?}", path.breakpoints());
            assert_eq!(path.stop(), Some(&Stop::Target), "{raw:?}");
        }
    }
}
