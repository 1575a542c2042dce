//! Other problems that break other programs (`shared/cases`): kernel quantile regression in τ (B08, B10), ε-SVR in ε
//! (B14), fixed and infeasible bounds (B16), a lasso whose features enter together (B17). Answers are the cases' own.

use crate::common::{Form, Spec, close, exact, follow, kkt, mirrored, q};
use pathqp::hessian::{Dense, Kernel, KernelFunction, Signed};
use pathqp::path::{Path, Start, Stop};
use pathqp::validate::validate;
use pathqp::{Affine, Exact, Hessian, Line, ParametricQp, PathError, Range, Scalar, Settings};
use std::sync::Arc;

/// exp(−γ(x − z)²) of points on a line.
struct Rbf {
    gamma: f64,
    points: Vec<f64>,
}

impl KernelFunction for Rbf {
    fn dim(&self) -> usize {
        self.points.len()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        (-self.gamma * (self.points[i] - self.points[j]).powi(2)).exp()
    }
}

/// The kernel with rows on demand, and the same entries stored.
fn rbf(gamma: f64, points: &[f64]) -> [Arc<dyn Hessian<f64>>; 2] {
    let function = Rbf { gamma, points: points.to_vec() };
    let n = points.len();
    let rows = (0..n).map(|i| (0..n).map(|j| function.entry(i, j)).collect()).collect();
    [Arc::new(Kernel::new(function, 4 * 8 * n)), Arc::new(Dense::new(rows).unwrap())]
}

fn there_and_back<S: Scalar>(qp: &ParametricQp<S>, from: S, to: S, check: impl Fn(&Line<S>, &Path<S>)) -> Vec<S> {
    let tolerance = if S::EXACT { S::zero() } else { q(1, 1_000_000_000) };
    let [forwards, backwards] = [(&from, &to), (&to, &from)].map(|(a, b)| {
        let line = qp.line(std::slice::from_ref(a), std::slice::from_ref(b)).unwrap();
        let path = follow(&line).unwrap();
        assert_eq!(path.stop(), Some(&Stop::Target));
        assert_eq!(validate(&path, &line, &tolerance), vec![]);
        check(&line, &path);
        path.breakpoints()
    });
    let back = mirrored(&backwards, &(from - to).abs());
    let equal = back.len() == forwards.len() && back.iter().zip(&forwards).all(|(a, b)| close(a, b));
    assert!(equal, "forwards {forwards:?}, backwards {back:?}");
    forwards
}

#[test]
fn b08_quantile_regression_with_ties() {
    let x = [0.0, 0.5, 0.5, 1.0, 1.0, 1.5, 2.0, 2.0, 2.5, 3.0, 3.0, 3.5, 4.0, 4.0, 4.5, 5.0];
    let y = [1.0, 1.0, 1.5, 1.5, 2.0, 2.0, 2.0, 3.0, 2.5, 2.5, 1.0, 1.5, 0.5, 1.0, 1.0, 0.5];
    let (n, cost) = (16, 5.0);
    let table = [
        (0.1, 4.31318823837026, 0.964235722645961),
        (0.25, 9.23431088181331, 1.01635333703887),
        (0.5, 12.0995068089611, 1.24559344746276),
        (0.9, 4.74375675382841, 1.71419021306741),
    ];
    let beta_at_median = [
        -0.328638530229944,
        -2.5,
        2.5,
        -2.25960281281085,
        2.5,
        -0.463080792333799,
        -2.5,
        2.5,
        2.03358800596151,
        2.5,
        -2.5,
        -0.658822584295154,
        -2.5,
        1.23667436481351,
        2.5,
        -2.06011765110527,
    ];
    let mut breakpoints: Vec<Vec<f64>> = Vec::new();
    for hessian in rbf(0.5, &x) {
        let qp =
            ParametricQp::new(hessian, vec![Range::new(0.0, 1.0)], Affine::constant(y.iter().map(|y| -y).collect(), 1))
                .and_then(|qp| qp.lower(Affine::line(vec![-cost; n], vec![cost; n])))
                .and_then(|qp| qp.upper(Affine::line(vec![0.0; n], vec![cost; n])))
                .and_then(|qp| qp.equality(vec![1.0; n], Affine::line(vec![0.0], vec![0.0])))
                .unwrap();
        breakpoints.push(there_and_back(&qp, 0.0, 1.0, |line, path| {
            for (tau, value, intercept) in table {
                let point = path.at(&path.position(&[tau]).unwrap()).unwrap();
                let f0 = pathqp::hessian::multiply(line.hessian.as_ref(), &point.x);
                let objective: f64 = (0..n).map(|i| point.x[i] * (f0[i] / 2.0 - y[i])).sum();
                assert!(close(&-objective, &value), "τ = {tau}: {objective}");
                assert!(close(&-point.y, &intercept), "τ = {tau}: b = {}", -point.y);
                // The primal value of the same f: ½‖f‖² + C Σ ρ(y − f).
                let loss = |i: usize| {
                    let r = y[i] - f0[i] + point.y;
                    r * (tau - if r < 0.0 { 1.0 } else { 0.0 })
                };
                let primal: f64 = (0..n).map(|i| point.x[i] * f0[i] / 2.0 + cost * loss(i)).sum();
                assert!(close(&primal, &value), "τ = {tau}: primal {primal}");
                if tau == 0.5 {
                    for (beta, expected) in point.x.iter().zip(&beta_at_median) {
                        assert!((beta - expected).abs() < 1e-8, "{:?}", point.x);
                    }
                }
            }
            // At the ends the box leaves 0 only: β = 0 and the value is 0.
            for tau in [0.0, 1.0] {
                let point = path.at(&path.position(&[tau]).unwrap()).unwrap();
                assert!(point.x.iter().all(|x| x.abs() < 1e-12), "τ = {tau}: {:?}", point.x);
            }
        }));
    }
    assert_eq!(breakpoints[0].len(), breakpoints[1].len());
}

/// y sorted: −2, −1, ½, ½, 1, 2½, 3, 4, 6, 7. Between τ = k/10 and (k + 1)/10 b is the (k + 1)st; the pattern of
/// y − b changes where that does, which at 3/10 it does not.
fn b10<S: Scalar>() {
    let halves = [5, -2, 1, 8, 1, 14, 6, -4, 2, 12];
    let spec: Spec<S> = Spec {
        z: vec![vec![S::integer(3)]; 10],
        c: halves.iter().map(|&y| [q(-y, 2), S::zero()]).collect(),
        lower: vec![Some([-S::one(), S::one()]); 10],
        upper: vec![Some([S::zero(), S::one()]); 10],
        row: Some((vec![S::one(); 10], [S::zero(), S::zero()])),
        from: S::zero(),
        to: S::one(),
    };
    let answers = [
        ((1, 4), (65, 8), [(1, 2), (1, 2)]),
        ((3, 10), (179, 20), [(1, 2), (1, 2)]),
        ((1, 2), (47, 4), [(1, 1), (5, 2)]),
        ((13, 20), (439, 40), [(3, 1), (3, 1)]),
    ];
    for form in [Form::Dense, Form::Gram] {
        let qp = spec.problem(spec.hessian(form), spec.domain()).unwrap();
        let breakpoints = there_and_back(&qp, S::zero(), S::one(), |line, path| {
            if S::EXACT {
                kkt::check_path(&spec, line, path).unwrap();
            }
            for ((n, d), value, b) in answers {
                let tau: S = q(n, d);
                let t = path.position(std::slice::from_ref(&tau)).unwrap();
                // At τ = k/10 the path is on one side or the other of a jump of b: both give the value, and the
                // interval of b comes from the signs of z there.
                for point in [path.at(&t).unwrap(), path.before(&t).unwrap()] {
                    let dual = -spec.objective(&tau, &point.x);
                    assert!(close(&dual, &q(value.0, value.1)), "τ = {tau}: {dual}");
                    let near = if S::EXACT { S::zero() } else { q(1, 1_000_000_000_000) };
                    let Some((Some(lo), Some(hi))) = kkt::multiplier_interval(&spec, &tau, &point.x, &near) else {
                        panic!("τ = {tau}: b is not bounded")
                    };
                    let [from, to] = b.map(|(n, d)| q::<S>(n, d));
                    assert!(close(&-hi.clone(), &from) && close(&-lo.clone(), &to), "τ = {tau}: b in −[{lo}, {hi}]");
                    let b = -point.y;
                    let inside = (b >= from || close(&b, &from)) && (b <= to || close(&b, &to));
                    assert!(inside, "τ = {tau}: b = {b}");
                }
            }
            for (k, half) in [-4, -2, 1, 1, 2, 5, 6, 8, 12, 14].into_iter().enumerate() {
                let tau: S = q(2 * k as i64 + 1, 20);
                let point = path.at(&path.position(std::slice::from_ref(&tau)).unwrap()).unwrap();
                assert!(close(&-point.y.clone(), &q(half, 2)), "τ = {tau}: b = {}", -point.y);
            }
        });
        let expected: Vec<S> = [1, 2, 4, 5, 6, 7, 8, 9].map(|k| q(k, 10)).to_vec();
        let equal = breakpoints.len() == 8 && breakpoints.iter().zip(&expected).all(|(a, b)| close(a, b));
        assert!(equal, "{form:?}: {breakpoints:?}");
    }
}

#[test]
fn b10_sample_quantiles() {
    b10::<f64>();
    b10::<Exact>();
}

#[test]
fn b14_regression_inside_the_tube() {
    let x = [0.0, 0.3, 0.7, 1.0, 1.4, 1.8, 2.1, 2.5, 2.9, 3.3];
    let y = [0.10, 0.35, -0.20, 0.45, -0.40, 0.05, 0.30, -0.45, 0.25, 0.00];
    let n = 10;
    let table = [(0.2, 7.42358957736503, 0.0874529540649953), (0.0, 20.2476815828293, -0.190192571621754)];
    for hessian in rbf(1.0, &x) {
        let rows = (0..2 * n).map(|i| (i % n, if i < n { 1.0 } else { -1.0 })).collect();
        let signed = Arc::new(Signed::new(hessian, rows).unwrap());
        let side: Vec<f64> = (0..2 * n).map(|i| if i < n { 1.0 } else { -1.0 }).collect();
        let c = (0..2 * n).map(|i| -side[i] * y[i % n]).collect();
        let qp = ParametricQp::new(signed, vec![Range::new(0.0, 1.0)], Affine::line(c, vec![1.0; 2 * n]))
            .and_then(|qp| qp.lower(Affine::constant(vec![0.0; 2 * n], 1)))
            .and_then(|qp| qp.upper(Affine::constant(vec![10.0; 2 * n], 1)))
            .and_then(|qp| qp.equality(side, Affine::constant(vec![0.0], 1)))
            .unwrap();
        let breakpoints = there_and_back(&qp, 0.6, 0.0, |line, path| {
            let at = |eps: f64| path.at(&path.position(&[eps]).unwrap()).unwrap();
            for eps in [0.6, 0.55, 0.46] {
                let point = at(eps);
                assert!(point.x.iter().all(|x| x.abs() < 1e-14), "ε = {eps}: {:?}", point.x);
                // b anywhere in [max y − ε, min y + ε].
                assert!(point.floating && 0.45 - eps < -point.y && -point.y < eps - 0.45, "ε = {eps}: {}", -point.y);
            }
            assert!(at(0.45).x.iter().all(|x| x.abs() < 1e-12));
            for (eps, value, intercept) in table {
                let point = at(eps);
                let hx = pathqp::hessian::multiply(line.hessian.as_ref(), &point.x);
                let t = path.position(&[eps]).unwrap();
                let objective: f64 = (0..2 * n).map(|i| point.x[i] * (hx[i] / 2.0 + line.c(i, &t))).sum();
                assert!(close(&-objective, &value), "ε = {eps}: {objective}");
                assert!(close(&-point.y, &intercept), "ε = {eps}: b = {}", -point.y);
            }
            let support = (0..n).filter(|&i| (at(0.2).x[i] - at(0.2).x[i + n]).abs() > 1e-9).count();
            assert_eq!(support, 8);
        });
        assert!((breakpoints[0] - 0.15).abs() < 1e-12, "the first event is at ε = 0.45: {breakpoints:?}");
    }
}

/// min ½xᵀSx − t μᵀx, Σx = 1, l ≤ x ≤ u (in hundredths).
fn b16<S: Scalar>(lower: [i64; 4], upper: [i64; 4]) -> ParametricQp<S> {
    let s = [[4, 1, 0, 1], [1, 9, 2, 0], [0, 2, 16, 3], [1, 0, 3, 25]];
    let hundredths = |v: [i64; 4]| v.map(|v| q::<S>(v, 100)).to_vec();
    let hessian = Arc::new(Dense::new(s.map(hundredths).to_vec()).unwrap());
    let cost = Affine::line(vec![S::zero(); 4], hundredths([-5, -7, -11, -15]));
    ParametricQp::new(hessian, vec![Range::new(S::zero(), S::one())], cost)
        .and_then(|qp| qp.lower(Affine::constant(hundredths(lower), 1)))
        .and_then(|qp| qp.upper(Affine::constant(hundredths(upper), 1)))
        .and_then(|qp| qp.equality(vec![S::one(); 4], Affine::constant(vec![S::one()], 1)))
        .unwrap()
}

/// (t, x, value) along a variant without breakpoints.
type Assets = (i64, [(i64, i64); 4], (i64, i64));

fn b16_path<S: Scalar>(qp: &ParametricQp<S>, answers: &[Assets]) {
    let breakpoints = there_and_back(qp, S::zero(), S::one(), |line, path| {
        for (tenths, x, value) in answers {
            let t = path.position(&[q(*tenths, 10)]).unwrap();
            let point = path.at(&t).unwrap();
            for (x, expected) in point.x.iter().zip(x) {
                assert!(close(x, &q(expected.0, expected.1)), "t = {t}: {:?}", point.x);
            }
            let hx = pathqp::hessian::multiply(line.hessian.as_ref(), &point.x);
            let objective =
                (0..4).fold(S::zero(), |sum, i| sum + (hx[i].clone() / S::integer(2) + line.c(i, &t)) * &point.x[i]);
            assert!(close(&objective, &q(value.0, value.1)), "t = {t}: {objective}");
        }
    });
    assert_eq!(breakpoints, vec![]);
}

fn b16_all<S: Scalar>() {
    let x = [(1, 10), (2, 10), (3, 10), (4, 10)];
    let values = [(0, (346, 10_000)), (1, (234, 10_000)), (10, (-774, 10_000))];
    b16_path(&b16::<S>([10, 20, 30, 40], [100; 4]), &values.map(|(t, v)| (t, x, v)));

    // x₂ = 3/8 − 4t/17, x₄ = ½ − x₂.
    let x = |x2: (i64, i64), x4| [(1, 4), x2, (1, 4), x4];
    let b = [
        (0, x((3, 8), (1, 8)), (119, 6_400)),
        (1, x((239, 680), (101, 680)), (27_199, 2_720_000)),
        (10, x((19, 136), (49, 136)), (-8_249, 108_800)),
    ];
    b16_path(&b16::<S>([25, 0, 25, 0], [25, 100, 25, 100]), &b);

    let values = [(0, (2125, 100_000)), (1, (1175, 100_000)), (10, (-7375, 100_000))];
    b16_path(&b16::<S>([0; 4], [25; 4]), &values.map(|(t, v)| (t, [(1, 4); 4], v)));
}

#[test]
fn b16_fixed_variables_and_single_points() {
    b16_all::<f64>();
    b16_all::<Exact>();
}

#[test]
fn b16_infeasible_bounds_are_named() {
    let qp = b16::<Exact>([30; 4], [100; 4]);
    let line = qp.line(&[exact(0, 1)], &[exact(1, 1)]).unwrap();
    let failure = pathqp::trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_err();
    assert!(failure.1.is_none());
    let PathError::Infeasible { needed, least, most, conflicting } = failure.0 else { panic!("{failure:?}") };
    assert_eq!([needed, least, most], ["1", "6/5", "4"].map(String::from));
    assert_eq!(conflicting, [0, 1, 2, 3]);
    let floating = b16::<f64>([30; 4], [100; 4]);
    let error = follow(&floating.line(&[0.0], &[1.0]).unwrap()).unwrap_err();
    let PathError::Infeasible { needed, least, .. } = error else { panic!("{error:?}") };
    assert_eq!(needed, "1");
    assert!((least.parse::<f64>().unwrap() - 1.2).abs() < 1e-14);
}

/// The lasso in x = (w⁺, w⁻) ≥ 0, six times its objective: H = [XᵀX −XᵀX; −XᵀX XᵀX], c = ∓Xᵀy + 6α.
fn b17<S: Scalar>() {
    let x = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, -1, 0], [0, 1, 0, -1], [0, 0, 1, 1], [1, 1, 0, 0]];
    let y = [5, 5, 1, 1, -2, 3];
    let column = |j: usize| (0..6).map(|i| S::integer(if j < 4 { x[i][j] } else { -x[i][j - 4] })).collect();
    let z: Vec<Vec<S>> = (0..8).map(column).collect();
    let y: Vec<S> = y.map(S::integer).to_vec();
    let spec: Spec<S> = Spec {
        c: z.iter().map(|z| [-S::dot(z, &y), S::integer(6)]).collect(),
        z,
        lower: vec![Some([S::zero(), S::zero()]); 8],
        upper: vec![None; 8],
        row: None,
        from: S::zero(),
        to: S::integer(3),
    };
    for form in [Form::Dense, Form::Gram, Form::Sparse] {
        let qp = spec.problem(spec.hessian(form), spec.domain()).unwrap();
        // α = 0 itself is left out: w⁺ and w⁻ could then grow together without end.
        let breakpoints = there_and_back(&qp, S::integer(3), q(1, 10), |line, path| {
            if S::EXACT {
                kkt::check_path(&spec, line, path).unwrap();
            }
            // (α, w₁ = w₂, w₃ = w₄, objective)
            let answers = [
                ((2, 1), (0, 1), (0, 1), (65, 12)),
                ((1, 1), (3, 4), (0, 1), (121, 24)),
                ((1, 2), (3, 2), (0, 1), (47, 12)),
                ((1, 10), (21, 10), (7, 20), (479, 200)),
            ];
            for (alpha, first, second, value) in answers {
                let alpha: S = q(alpha.0, alpha.1);
                let point = path.at(&path.position(std::slice::from_ref(&alpha)).unwrap()).unwrap();
                for j in 0..4 {
                    let w = point.x[j].clone() - &point.x[j + 4];
                    let expected = if j < 2 { first } else { second };
                    assert!(close(&w, &q(expected.0, expected.1)), "α = {alpha}: w[{j}] = {w}");
                }
                let constant = S::dot(&y, &y) / S::integer(2);
                let objective = (spec.objective(&alpha, &point.x) + constant) / S::integer(6);
                assert!(close(&objective, &q(value.0, value.1)), "α = {alpha}: {objective}");
            }
        });
        let expected = [q::<S>(3, 2), q(8, 3)];
        let equal = breakpoints.len() == 2 && breakpoints.iter().zip(&expected).all(|(a, b)| close(a, b));
        assert!(equal, "{form:?}: {breakpoints:?}, expected {expected:?}");
    }
}

#[test]
fn b17_features_that_enter_together() {
    b17::<f64>();
    b17::<Exact>();
}
