//! A path along a straight line through a complex has the crossings that the complex says; what was stored is validated on reading.

use pathqp::complex::{self, Complex, ComplexError, Options, RegionId};
use pathqp::hessian::{Dense, Gram, Rows};
use pathqp::observe::{Event, Watch};
use pathqp::testing::Random;
use pathqp::{Affine, ParametricQp, Range, Settings, Start, trace};
use std::sync::Arc;

/// Boxes in which c moves with both parameters, over [−1, 1]²: rank d.
fn boxes(random: &mut Random, n: usize, d: usize) -> ParametricQp<f64> {
    let values = (0..n * d).map(|_| random.normal()).collect();
    let h = Arc::new(Gram::new(n, Rows::Dense { columns: d, values }, 1.0).unwrap());
    let mut list = |size: f64| (0..n).map(|_| size * random.normal()).collect::<Vec<f64>>();
    let c = Affine { constant: list(0.5), slopes: vec![list(1.5), list(1.5)] };
    let qp = ParametricQp::new(h, vec![Range::new(-1.0, 1.0); 2], c).unwrap();
    qp.lower(Affine::constant(vec![-1.0; n], 2)).unwrap().upper(Affine::constant(vec![1.0; n], 2)).unwrap()
}

/// A cost-asymmetric SVM over [0, 2] × [0, 3]; with `grid` its features are small integers, and every second point is there twice.
fn svm(random: &mut Random, n: usize, intercept: bool, grid: bool) -> ParametricQp<f64> {
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    for i in 0..n {
        let label = if i % 2 == 0 { 1.0 } else { -1.0 };
        let mut value = || if grid { random.integer(2) } else { random.normal() };
        let mut x = vec![value() + label, value()];
        x.extend((!intercept).then_some(1.0));
        rows.push((x, label));
    }
    if grid {
        rows.extend(rows.clone().into_iter().step_by(2));
    }
    let n = rows.len();
    let columns = rows[0].0.len();
    let values = rows.iter().flat_map(|(x, y)| x.iter().map(move |v| v * y)).collect();
    let h = Arc::new(Gram::new(n, Rows::Dense { columns, values }, 1.0).unwrap());
    let of = |sign: f64| rows.iter().map(|(_, y)| if *y == sign { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let domain = vec![Range::new(0.0, 2.0), Range::new(0.0, 3.0)];
    let qp = ParametricQp::new(h, domain, Affine::constant(vec![-1.0; n], 2)).unwrap();
    let qp = qp.lower(Affine::constant(vec![0.0; n], 2)).unwrap();
    let qp = qp.upper(Affine { constant: vec![0.0; n], slopes: vec![of(1.0), of(-1.0)] }).unwrap();
    match intercept {
        true => {
            let labels = rows.iter().map(|(_, y)| *y).collect();
            qp.equality(labels, Affine::constant(vec![0.0], 2)).unwrap()
        }
        false => qp,
    }
}

/// The parts of 0 ≤ s ≤ 1 on which p + s(q − p) lies in each region, from the corners alone (Cyrus and Beck 1978).
fn parts(complex: &Complex<f64>, p: [f64; 2], q: [f64; 2]) -> Vec<(f64, f64)> {
    let mut parts = Vec::new();
    for r in 0..complex.regions().len() {
        let corners: Vec<[f64; 2]> = complex.corners(RegionId(r as u32)).unwrap().into_iter().map(|c| c.0).collect();
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (k, a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            // Anticlockwise: inside is to the left.
            let value = |z: [f64; 2]| (b[0] - a[0]) * (z[1] - a[1]) - (b[1] - a[1]) * (z[0] - a[0]);
            let (v, w) = (value(p), value(q));
            match (v < 0.0, w < 0.0) {
                (true, true) => to = -1.0,
                (true, false) => from = from.max(v / (v - w)),
                (false, true) => to = to.min(v / (v - w)),
                (false, false) => {}
            }
        }
        if to - from > 1e-9 {
            parts.push((from, to));
        }
    }
    parts.sort_by(|a, b| a.0.total_cmp(&b.0));
    parts
}

/// Follows a random line and compares; returns the number of crossings.
fn compare(qp: &ParametricQp<f64>, complex: &Complex<f64>, random: &mut Random, what: &str) -> usize {
    let mut point = || {
        let mut at = |r: &Range<f64>| random.between(r.from.unwrap(), r.to.unwrap());
        [at(&qp.domain()[0]), at(&qp.domain()[1])]
    };
    let (p, q) = (point(), point());
    let line = qp.line(&p, &q).unwrap();
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    let found: Vec<f64> = path.breakpoints().iter().map(|t| t / line.length().unwrap()).collect();
    let parts = parts(complex, p, q);
    for pair in parts.windows(2) {
        assert!((pair[0].1 - pair[1].0).abs() <= 1e-8, "{what}: a gap on the line {p:?} {q:?}: {parts:?}");
    }
    let expected: Vec<f64> = parts.iter().skip(1).map(|part| part.0).collect();
    let near = found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-8);
    assert!(near, "{what}: the line {p:?} {q:?} has breakpoints {found:?}, the complex says {expected:?}");
    found.len()
}

#[test]
fn a_path_has_the_crossings_of_the_complex() {
    let mut crossings = 0;
    for seed in 0..10 {
        let mut random = Random(7000 + seed);
        let n = 4 + seed as usize;
        let problems = [
            ("definite", boxes(&mut random, n, n + 1)),
            ("rank two", boxes(&mut random, n, 2)),
            ("svm", svm(&mut random, n, false, false)),
            ("intercept", svm(&mut random, n, true, false)),
            ("grid", svm(&mut random, n.min(8), false, true)),
            ("grid and intercept", svm(&mut random, n.min(8), true, true)),
        ];
        for (family, qp) in &problems {
            let what = format!("{family}, seed {seed}");
            let complex = complex::explore(qp, &Options::default()).unwrap();
            assert!(complex.validate().is_empty(), "{what}: {:?}", complex.validate());
            crossings += (0..8).map(|_| compare(qp, &complex, &mut random, &what)).sum::<usize>();
        }
    }
    assert!(crossings > 1000, "{crossings} crossings in all");
}

/// Everything that a reader of a stored complex may ask of it.
fn use_all_of(complex: &Complex<f64>, qp: &ParametricQp<f64>) {
    for theta in [[0.1, 0.2], [1.3, 2.2], [0.0, 0.0], [2.0, 3.0], [-1.0, 7.0], [0.4, 2.9]] {
        let _ = complex.locate(&theta).and_then(|region| complex.corners(region));
        let _ = complex.at(qp, &theta);
    }
    let _ = (complex.validate(), complex.covered(), complex.domain_area(), complex.total_area());
    let topology = complex.topology();
    for edge in (0..topology.edges() as u32).map(complex::EdgeId) {
        let _ = (topology.beside(edge), topology.ends(edge));
    }
}

/// A centre so far away that bounds overflow on the path from there: the path is refused and does not go on for ever.
#[test]
fn a_path_from_nowhere_ends() {
    let mut random = Random(41);
    let qp = svm(&mut random, 6, true, true);
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let region = complex.regions().iter().position(|region| !region.is_unique()).unwrap();
    let inside = complex.centre(RegionId(region as u32)).unwrap();
    for far in [1e300, 2.3e307, 1e308] {
        let mut forged = serde_json::to_value(&complex).unwrap();
        forged["regions"][region]["centre"][0] = serde_json::json!(far);
        let forged = serde_json::from_value::<Complex<f64>>(forged).unwrap();
        let mut steps = 0;
        let mut watch = Watch(|_: &Event<'_, f64>| {
            steps += 1;
            steps < 1000
        });
        let found = forged.at_watched(&qp, &inside, &Settings::default(), &mut watch);
        assert!(steps < 1000, "from {far}: {found:?}");
    }
}

#[test]
fn damage_is_refused_or_does_no_harm() {
    let mut random = Random(41);
    for intercept in [false, true] {
        let qp = svm(&mut random, 6, intercept, true);
        let complex = complex::explore(&qp, &Options::default()).unwrap();
        let bytes = postcard::to_stdvec(&complex).unwrap();
        assert_eq!(postcard::from_bytes::<Complex<f64>>(&bytes).as_ref(), Ok(&complex));
        let (mut read, mut refused) = (0, 0);
        for position in 0..bytes.len() {
            for value in [0x00, 0x01, 0x7f, 0xff, bytes[position] ^ 0x02] {
                let mut forged = bytes.clone();
                forged[position] = value;
                match postcard::from_bytes::<Complex<f64>>(&forged) {
                    Ok(forged) => {
                        // Numbers may be wrong: nothing may go wrong on them.
                        if position % 5 == 0 {
                            use_all_of(&forged, &qp);
                        }
                        read += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let mut random = Random(42);
    let qp = svm(&mut random, 5, true, false);
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let whole = serde_json::to_value(&complex).unwrap();
    assert_eq!(serde_json::from_value::<Complex<f64>>(whole.clone()).unwrap(), complex);
    let large = serde_json::json!(4_000_000_000_u32);
    for (place, value) in [
        ("/topology/half_edges/0/region", &large),
        ("/topology/half_edges/0/edge", &large),
        ("/topology/half_edges/0/side", &large),
        ("/topology/half_edges/0/next", &large),
        ("/topology/half_edges/0/origin", &large),
        ("/topology/half_edges/1/twin", &large),
        ("/topology/first/0", &large),
        ("/topology/edges/0", &large),
        ("/topology/vertices", &large),
        ("/topology/missing", &large),
        ("/regions/1/status/0", &serde_json::json!("Free")),
        ("/regions/1/status", &serde_json::json!([])),
        ("/regions/1/free", &serde_json::json!([77])),
        ("/regions/1/x", &serde_json::json!([])),
        ("/regions/0/polygon/labels", &serde_json::json!([0])),
        ("/regions/0/polygon/corners", &serde_json::json!([])),
        ("/regions/0/lines", &serde_json::json!([])),
        ("/regions/0/centre/2", &serde_json::json!(0.0)),
        ("/frame/walls", &serde_json::json!([])),
        ("/frame/unit/0", &serde_json::json!(0.0)),
        ("/frame/polygon/corners/0", &serde_json::json!([0.0, 0.0, 0.0])),
    ] {
        let mut forged = whole.clone();
        let found = forged.pointer_mut(place).unwrap_or_else(|| panic!("{place}"));
        if found == value {
            continue;
        }
        *found = value.clone();
        assert!(serde_json::from_value::<Complex<f64>>(forged).is_err(), "{place} = {value}");
    }
}

#[test]
fn another_problem_is_refused() {
    let mut random = Random(43);
    let (qp, other) = (svm(&mut random, 5, false, false), svm(&mut random, 6, false, false));
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    assert_eq!(complex.at(&other, &[1.0, 1.0]), Err(ComplexError::OtherProblem));
    let part = qp.clone().within(vec![Range::new(0.0, 1.0), Range::new(0.0, 3.0)]).unwrap();
    assert_eq!(complex.at(&part, &[0.5, 1.0]), Err(ComplexError::OtherProblem));
    let h = Arc::new(Dense::new(vec![vec![1.0]]).unwrap());
    let one = ParametricQp::new(h, vec![Range::new(0.0, 1.0)], Affine::constant(vec![1.0], 1)).unwrap();
    assert_eq!(complex.at(&one, &[1.0, 1.0]), Err(ComplexError::OtherProblem));
}

/// What ended early is a complex still, and says of itself that it is incomplete.
#[test]
fn a_complex_that_ended_early() {
    let mut random = Random(44);
    let qp = svm(&mut random, 12, false, false);
    let whole = complex::explore(&qp, &Options::default()).unwrap();
    let mut layers = 0;
    let stopped = complex::explore_while(&qp, &Options::default(), &mut |_| {
        layers += 1;
        layers < 4
    });
    let (part, error) = stopped.unwrap();
    assert_eq!((error, layers), (None, 4));
    assert!((1..whole.regions().len()).contains(&part.regions().len()));
    assert!(!part.is_complete() && part.covered() < 1.0);
    let bytes = postcard::to_stdvec(&part).unwrap();
    assert_eq!(postcard::from_bytes::<Complex<f64>>(&bytes), Ok(part.clone()));
    let edges = part.topology().edges() as u32;
    assert!((0..edges).all(|e| part.topology().beside(complex::EdgeId(e)).is_some()));
    let at = (0..part.regions().len() as u32).map(|r| part.centre(RegionId(r)).unwrap());
    at.for_each(|centre| assert_eq!(part.at(&qp, &centre).unwrap().x, whole.at(&qp, &centre).unwrap().x));
}
