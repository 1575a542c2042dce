//! Support vector machines that break other programs (`shared/cases`, B01, B02, B04, B21 and D0), as paths in the
//! cost C, in floating point and exactly. Data are literals; answers are the cases' own tables, with the fraction that
//! each decimal rounds (closed forms for B02, B04 and B21; for B01 from the optimality conditions of its active set).

use crate::common::{Form, Spec, close, exact, follow, kkt, mirrored, q};
use pathqp::path::{Path, Stop};
use pathqp::validate::validate;
use pathqp::{Certificate, Exact, Line, Scalar};

/// (numerator, denominator).
type Fraction = (i64, i64);

/// min ½αᵀQα − 1ᵀα, 0 ≤ αᵢ ≤ C wᵢ, labelsᵀα = 0 with an intercept; weights in tenths.
struct Machine {
    labels: &'static [i64],
    weights: &'static [i64],
    /// The features are counted in 1/unit.
    unit: i64,
    features: &'static [&'static [i64]],
    intercept: bool,
}

/// The row of a case's table.
struct Answer {
    cost: Fraction,
    dual: (Fraction, f64),
    w: &'static [(Fraction, f64)],
    /// The interval of optimal intercepts.
    b: Option<[(Fraction, f64); 2]>,
}

impl Machine {
    fn spec<S: Scalar>(&self, to: i64) -> Spec<S> {
        let rows = self.features.iter().zip(self.labels);
        let zero = || [S::zero(), S::zero()];
        Spec {
            z: rows.map(|(row, y)| row.iter().map(|&v| q(v * y, self.unit)).collect()).collect(),
            c: vec![[-S::one(), S::zero()]; self.labels.len()],
            lower: self.labels.iter().map(|_| Some(zero())).collect(),
            upper: self.weights.iter().map(|&w| Some([S::zero(), q(w, 10)])).collect(),
            row: self.intercept.then(|| (self.labels.iter().map(|&y| S::integer(y)).collect(), zero())),
            from: S::zero(),
            to: S::integer(to),
        }
    }
}

/// Everything the tables state at one C, from whichever path.
fn check_answer<S: Scalar>(spec: &Spec<S>, line: &Line<S>, path: &Path<S>, answer: &Answer) {
    let pick = |(fraction, decimal): &(Fraction, f64)| {
        let value: S = q(fraction.0, fraction.1);
        let rounded = fraction.0 as f64 / fraction.1 as f64;
        assert!((rounded - decimal).abs() <= 1e-12 * decimal.abs().max(1.0), "{fraction:?} is not {decimal}");
        value
    };
    let cost: S = q(answer.cost.0, answer.cost.1);
    // On a line of one point nothing moves.
    let t = path.position(std::slice::from_ref(&cost)).unwrap_or_else(S::zero);
    let place = format!("C = {cost}, t = {t}, ended {:?} at {}", path.stop(), path.end());
    let point = path.at(&t).unwrap_or_else(|| panic!("no solution at {place}"));
    let objective = spec.objective(&cost, &point.x);
    assert!(close(&objective, &pick(&answer.dual)), "{place}: dual {objective}, not {:?}", answer.dual);
    let mut w = vec![S::zero(); answer.w.len()];
    for (row, x) in spec.z.iter().zip(&point.x) {
        S::axpy(x, row, &mut w);
    }
    for (w, expected) in w.iter().zip(answer.w) {
        assert!(close(w, &pick(expected)), "{place}: w = {w}, not {expected:?}");
    }
    let near = if S::EXACT { S::zero() } else { cost.clone() * q::<S>(1, 1_000_000_000_000) };
    let interval = kkt::multiplier_interval(spec, &cost, &point.x, &near);
    assert_eq!(interval.is_some(), answer.b.is_some());
    if let (Some((lo, hi)), Some(expected)) = (interval, &answer.b) {
        // f = Σ αⱼyⱼK + b and z = Hα − 1 − Ay: b is −y.
        let [least, most] = [hi, lo].map(|end| -end.expect("both classes bound the intercept"));
        let [from, to] = [pick(&expected[0]), pick(&expected[1])];
        assert!(close(&least, &from) && close(&most, &to), "{place}: b in [{least}, {most}], not [{from}, {to}]");
        let b = -point.y.clone();
        let inside = (b >= from || close(&b, &from)) && (b <= to || close(&b, &to));
        assert!(inside, "{place}: b = {b} outside [{from}, {to}]");
        assert!(point.floating || from == to, "{place}: b is said to be unique, but lies in [{from}, {to}]");
        if from != to {
            let range = Certificate::new(line, &t, &point.x, &point.y).multiplier_range;
            let Some((Some(lo), Some(hi))) = range else { panic!("{place}: {range:?}") };
            assert!(close(&-hi, &from) && close(&-lo, &to), "{place}: the certificate's interval");
        }
    }
}

fn check_path<S: Scalar>(spec: &Spec<S>, line: &Line<S>, path: &Path<S>) {
    let tolerance = if S::EXACT { S::zero() } else { q(1, 1_000_000_000) };
    assert_eq!(validate(path, line, &tolerance), vec![]);
    if S::EXACT {
        kkt::check_path(spec, line, path).unwrap();
    }
}

/// Follows a machine from C = 0 to `to`, along the ray, and from 12 back to 0; checks the table on all of them.
/// Returns the breakpoints in C.
fn follow_machine<S: Scalar>(machine: &Machine, to: i64, separable: bool, answers: &[Answer]) -> Vec<S> {
    let spec: Spec<S> = machine.spec(to);
    let beyond = |answer: &Answer, limit: i64| answer.cost.0 > limit * answer.cost.1;
    let mut breakpoints: Option<Vec<S>> = None;
    for form in [Form::Dense, Form::Gram, Form::Sparse] {
        let line = spec.line(form, false);
        let path = follow(&line).unwrap_or_else(|e| panic!("{form:?}: {e:?}"));
        assert_eq!(path.stop(), Some(&Stop::Target), "{form:?}");
        check_path(&spec, &line, &path);
        answers.iter().for_each(|answer| check_answer(&spec, &line, &path, answer));

        let ray = spec.ray(form);
        let path_on_ray = follow(&ray).unwrap();
        let last = path.breakpoints().last().cloned().unwrap_or_else(S::zero);
        let stop = if separable { Stop::Target } else { Stop::Diverges { t: last } };
        assert_eq!(path_on_ray.stop(), Some(&stop), "{form:?}: C without limit");
        check_path(&spec, &ray, &path_on_ray);
        answers.iter().for_each(|answer| check_answer(&spec, &ray, &path_on_ray, answer));
        assert_eq!(path_on_ray.breakpoints(), path.breakpoints(), "{form:?}: line and ray");

        let back_spec: Spec<S> = machine.spec(12);
        let back_line = back_spec.line(form, true);
        let back = follow(&back_line).unwrap();
        assert_eq!(back.stop(), Some(&Stop::Target), "{form:?} backwards");
        check_path(&back_spec, &back_line, &back);
        answers.iter().filter(|a| !beyond(a, 12)).for_each(|a| check_answer(&back_spec, &back_line, &back, a));
        let qp = spec.problem(spec.hessian(form), spec.domain()).unwrap();
        for answer in answers {
            let cost: S = q(answer.cost.0, answer.cost.1);
            let line = qp.line(std::slice::from_ref(&cost), std::slice::from_ref(&cost)).unwrap();
            let point = follow(&line).unwrap();
            assert_eq!(point.stop(), Some(&Stop::Target), "{form:?} at C = {cost}");
            check_path(&spec, &line, &point);
            check_answer(&spec, &line, &point, answer);
        }

        let there = mirrored(&back.breakpoints(), &S::integer(12));
        let below: Vec<S> = path.breakpoints().into_iter().filter(|c| *c < S::integer(12)).collect();
        same(&there, &below, &format!("{form:?} backwards"));
        if let Some(others) = &breakpoints {
            same(others, &path.breakpoints(), &format!("{form:?} and dense"));
        }
        breakpoints = Some(path.breakpoints());
    }
    breakpoints.unwrap_or_default()
}

fn same<S: Scalar>(a: &[S], b: &[S], what: &str) {
    let equal = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b));
    assert!(equal, "{what}: {a:?} and {b:?}");
}

/// A dyadic or decimal answer whose fraction is the decimal itself.
const fn plain(numerator: i64, denominator: i64) -> (Fraction, f64) {
    ((numerator, denominator), numerator as f64 / denominator as f64)
}

const B01: Machine = Machine {
    labels: &[1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1],
    weights: &[10, 10, 10, 10, 10, 10, 5, 5, 5, 5, 5, 5],
    unit: 10,
    features: &[
        &[12, 3],
        &[12, 3],
        &[12, 3],
        &[4, 11],
        &[4, 11],
        &[-2, 7],
        &[-9, -4],
        &[-9, -4],
        &[5, -8],
        &[5, -8],
        &[-2, 7],
        &[1, 2],
    ],
    intercept: true,
};

fn b01<S: Scalar>() -> Vec<S> {
    follow_machine(
        &B01,
        100,
        false,
        &[
            Answer {
                cost: (1, 10),
                dual: ((-21791, 40000), -0.544775),
                w: &[((47, 200), 0.235), ((47, 200), 0.235)],
                b: Some([((259, 400), 0.6475); 2]),
            },
            Answer {
                cost: (1, 1),
                dual: ((-47, 16), -2.9375),
                w: &[((11, 20), 0.55), ((27, 20), 1.35)],
                b: Some([((-13, 200), -0.065); 2]),
            },
            Answer {
                cost: (10, 1),
                dual: ((-7639, 424), -18.0165094339623),
                w: &[((29, 53), 0.5471698113208), ((203, 106), 1.915094339623)],
                b: Some([((-49, 212), -0.2311320754717); 2]),
            },
        ],
    )
}

#[test]
fn b01_duplicate_points_in_floating_point() {
    let floating = b01::<f64>();
    let exact: Vec<f64> = b01::<Exact>().iter().map(|t| t.to_f64().value()).collect();
    same(&floating, &exact, "f64 and exact");
}

#[test]
fn b01_sums_over_repeated_points() {
    let spec: Spec<Exact> = B01.spec(12);
    let path = follow(&spec.line(Form::Gram, false)).unwrap();
    let x = path.at(&exact(1, 1)).unwrap().x;
    let sum = |range: std::ops::Range<usize>| x[range].iter().fold(Exact::ZERO, |s, v| s + v);
    assert_eq!(sum(0..3), exact(1, 1));
    assert_eq!(sum(3..5), exact(0, 1));
    assert_eq!(x[5], exact(1, 1));
    assert_eq!(sum(6..8), exact(0, 1));
    assert_eq!(sum(8..12), exact(2, 1));
}

const B02: Machine = Machine {
    labels: &[-1, -1, -1, -1, -1, 1, 1, 1, 1, 1],
    weights: &[10; 10],
    unit: 10,
    features: &[&[0, 0], &[0, 10], &[0, 20], &[0, 30], &[0, 40], &[20, 0], &[20, 10], &[20, 20], &[20, 30], &[20, 40]],
    intercept: true,
};

fn b02<S: Scalar>() -> Vec<S> {
    let after =
        |cost| Answer { cost, dual: plain(-1, 2), w: &[((1, 1), 1.0), ((0, 1), 0.0)], b: Some([((-1, 1), -1.0); 2]) };
    follow_machine(
        &B02,
        1000,
        true,
        &[
            // w = (10C, 0), dual −10C + 50C², b in [−1, 1 − 20C].
            Answer {
                cost: (1, 20),
                dual: plain(-3, 8),
                w: &[((1, 2), 0.5), ((0, 1), 0.0)],
                b: Some([((-1, 1), -1.0), ((0, 1), 0.0)]),
            },
            Answer {
                cost: (1, 100),
                dual: ((-19, 200), -0.095),
                w: &[((1, 10), 0.1), ((0, 1), 0.0)],
                b: Some([((-1, 1), -1.0), ((4, 5), 0.8)]),
            },
            after((1, 10)),
            after((1, 1)),
            after((1000, 1)),
        ],
    )
}

#[test]
fn b02_ten_points_reach_the_margin_together() {
    same(&b02::<f64>(), &[0.1], "the only breakpoint");
    assert_eq!(b02::<Exact>(), [exact(1, 10)]);
}

const B04: Machine = Machine {
    labels: &[1, 1, 1, -1, -1, -1],
    weights: &[10; 6],
    unit: 10,
    features: &[&[0, 10], &[20, -10], &[40, 30], &[10, 0], &[20, 20], &[30, 10]],
    intercept: true,
};

fn b04<S: Scalar>() -> Vec<S> {
    let at = |cost: Fraction, dual| Answer {
        cost,
        dual,
        w: &[((0, 1), 0.0), ((0, 1), 0.0)],
        b: Some([((-1, 1), -1.0), ((1, 1), 1.0)]),
    };
    follow_machine(
        &B04,
        2000,
        false,
        &[at((1, 100), ((-6, 100), -0.06)), at((1, 1), plain(-6, 1)), at((1000, 1), plain(-6000, 1))],
    )
}

#[test]
fn b04_everything_at_its_bound_for_every_cost() {
    assert_eq!(b04::<f64>(), Vec::<f64>::new());
    assert_eq!(b04::<Exact>(), Vec::<Exact>::new());
}

#[test]
fn b04_all_multipliers_at_cost() {
    let spec: Spec<Exact> = B04.spec(12);
    for backwards in [false, true] {
        let path = follow(&spec.line(Form::Dense, backwards)).unwrap();
        let t = path.position(&[exact(7, 2)]).unwrap();
        assert_eq!(path.at(&t).unwrap().x, vec![exact(7, 2); 6]);
    }
}

const B21: Machine = Machine {
    labels: &[1, 1, 1, 1, -1, -1, -1, -1],
    weights: &[10; 8],
    unit: 10,
    features: &[&[20, 20], &[30, 10], &[30, 30], &[50, 20], &[0, 0], &[10, 0], &[0, 10], &[-20, -10]],
    intercept: true,
};

fn b21<S: Scalar>() -> Vec<S> {
    let hard = |cost| Answer {
        cost,
        dual: ((-4, 9), -0.444444444444444),
        w: &[((2, 3), 0.6666666666667), ((2, 3), 0.6666666666667)],
        b: Some([((-5, 3), -1.666666666667); 2]),
    };
    follow_machine(
        &B21,
        1000,
        true,
        &[
            Answer {
                cost: (1, 10),
                dual: ((-271, 900), -0.301111111111111),
                w: &[((13, 30), 0.4333333333333), ((7, 30), 0.2333333333333)],
                b: Some([((-1, 1), -1.0); 2]),
            },
            hard((1, 3)),
            hard((1, 1)),
            hard((1000, 1)),
        ],
    )
}

#[test]
fn b21_hard_margin_from_one_third() {
    let last = b21::<f64>().pop().unwrap();
    assert!((last - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(b21::<Exact>().pop(), Some(exact(1, 3)));
}

#[test]
fn b21_unique_multipliers_at_a_tenth() {
    let spec: Spec<Exact> = B21.spec(12);
    let path = follow(&spec.line(Form::Dense, false)).unwrap();
    let (tenth, small) = (exact(1, 10), exact(1, 90));
    let zero = Exact::ZERO;
    let expected = [&tenth, &tenth, &small, &zero, &small, &tenth, &tenth, &zero].map(Clone::clone).to_vec();
    assert_eq!(path.at(&tenth).unwrap().x, expected);
}

/// The clean data set of the file cases (B25 to B44), with and without intercept.
const D0: Machine = Machine {
    labels: &[1, -1, 1, -1, 1, -1],
    weights: &[10; 6],
    unit: 20,
    features: &[&[10, 20, -10], &[-20, 0, 5], &[0, 40, 0], &[0, 0, 0], &[30, 10, 20], &[10, -30, 0]],
    intercept: true,
};

fn d0<S: Scalar>() {
    let w_small: &[(Fraction, f64)] = &[((1, 4), 0.25), ((1, 2), 0.5), ((1, 40), 0.025)];
    let small = |b| Answer { cost: (1, 10), dual: ((-1419, 3200), -0.4434375), w: w_small, b };
    follow_machine::<S>(
        &D0,
        100,
        true,
        &[
            small(Some([((-3, 8), -0.375), ((0, 1), 0.0)])),
            Answer {
                cost: (1, 1),
                dual: ((-149, 112), -1.33035714285714),
                w: &[((5, 7), 0.7142857142857), ((25, 28), 0.8928571428571), ((-5, 28), -0.1785714285714)],
                b: Some([((-19, 56), -0.3392857142857); 2]),
            },
            Answer {
                cost: (10, 1),
                dual: ((-112, 75), -1.49333333333333),
                w: &[((16, 15), 1.066666666667), ((4, 3), 1.333333333333), ((-4, 15), -0.2666666666667)],
                b: Some([((-1, 1), -1.0); 2]),
            },
        ],
    );
    // Without intercept the point at the origin stays at its bound, and on the ray the others follow for ever.
    follow_machine::<S>(
        &Machine { intercept: false, ..D0 },
        100,
        false,
        &[
            small(None),
            Answer {
                cost: (1, 1),
                dual: ((-307, 160), -1.91875),
                w: &[((7, 10), 0.7), ((9, 10), 0.9), ((-1, 4), -0.25)],
                b: None,
            },
            Answer {
                cost: (10, 1),
                dual: ((-843, 77), -10.9480519480519),
                w: &[((71, 77), 0.9220779220779), ((75, 77), 0.974025974026), ((-24, 77), -0.3116883116883)],
                b: None,
            },
        ],
    );
}

#[test]
fn d0_with_and_without_intercept() {
    d0::<f64>();
    d0::<Exact>();
}
