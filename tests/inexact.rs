//! Paths of inexact solutions: the bound on the gap between any two feasible points, in exact arithmetic, and paths that keep to their tolerance, with gaps from the
//! definition and objectives beside those of the exact path.

use crate::approximate::{gap, infeasible, mix, sides, size, theta};
use crate::common::instances::{KINDS, ROWS, instance};
use crate::common::{Form, Spec, exact, follow};
use pathqp::gap::Anchor;
use pathqp::observe::{Ask, Watch};
use pathqp::path::Path;
use pathqp::testing::Random;
use pathqp::validate::{Violation, validate};
use pathqp::{ApproximationError, Exact, Line, PathError, Scalar, Settings, Stop, inexact};

/// A problem of small integers in a box that moves.
fn boxed(n: usize, random: &mut Random) -> Spec<Exact> {
    let mut integer = |from: i64, to: i64| exact(from + random.below((to - from + 1) as usize) as i64, 1);
    let z = (0..n).map(|_| (0..3).map(|_| integer(-2, 2)).collect()).collect();
    let c = (0..n).map(|_| [integer(-3, 3), integer(-3, 3)]).collect();
    let lower = (0..n).map(|_| Some([integer(-2, 0), integer(-1, 0)])).collect();
    let upper = (0..n).map(|_| Some([integer(0, 2), integer(0, 1)])).collect();
    Spec { z, c, lower, upper, row: None, from: exact(0, 1), to: exact(1, 1) }
}

#[test]
fn the_bound_holds_between_any_two_feasible_points() {
    let (mut random, mut inner) = (Random(3), 0);
    for _ in 0..400 {
        let spec = boxed(1 + random.below(5), &mut random);
        let line = spec.line(Form::Dense, false);
        let path = follow(&line).unwrap();
        // Between the solution and some other point of the box.
        let ends = [exact(0, 1), exact(1, 1)].map(|t| {
            let theta = theta(&line, &t);
            let other: Vec<Exact> = (0..spec.n())
                .map(|i| {
                    let [l, u] = [spec.lower(i, &theta).unwrap(), spec.upper(i, &theta).unwrap()];
                    &l + (&u - &l) * exact(random.below(4) as i64, 3)
                })
                .collect();
            let x = mix(&path.at(&t).unwrap().x, &other, &exact(random.below(4) as i64, 20));
            (t, x)
        });
        let anchors = ends.clone().map(|(t, x)| Anchor::new(&line, &t, &x, &Exact::ZERO));
        let bound = anchors[0].gap_to(&anchors[1]).unwrap().gap;
        let at = |t: &Exact, x: &[Exact]| {
            assert!(!infeasible(&spec, &theta(&line, t), x));
            gap(&sides(&spec, &theta(&line, t), x, &Exact::ZERO).unwrap())
        };
        for ((t, x), anchor) in ends.iter().zip(&anchors) {
            assert_eq!(anchor.gap(), Some(at(t, x)));
            assert!(anchor.gap_to(anchor).unwrap().gap == at(t, x));
        }
        let mut most = exact(0, 1);
        for k in 0..=24 {
            let s = exact(k, 24);
            let found = at(&s, &mix(&ends[0].1, &ends[1].1, &s));
            assert!(found <= bound, "{found} above {bound} at {s}: {spec:?}");
            most = Exact::larger(most, found);
        }
        inner += usize::from(most > Exact::larger(anchors[0].gap().unwrap(), anchors[1].gap().unwrap()));
    }
    assert!(inner > 100, "the bound was tried between the ends {inner} times");
}

fn settings(max_events: Option<usize>) -> Settings {
    Settings { max_events, ..Settings::default() }
}

/// Whether the problem may have such a path: both bounds everywhere.
fn is_box(spec: &Spec<f64>) -> bool {
    spec.lower.iter().chain(&spec.upper).all(Option::is_some)
}

#[test]
fn inexact_paths_keep_to_their_tolerance() {
    let (mut points, mut rows, mut paths, mut given_up) = (0, 0, 0, 0);
    for (k, (z, kind)) in ROWS.into_iter().flat_map(|z| KINDS.map(|kind| (z, kind))).enumerate() {
        let mut random = Random(9100 + k as u64);
        let spec = instance(z, kind, 5 + random.below(40), &mut random);
        for form in [Form::Gram, Form::Dense] {
            let line = spec.line(form, false);
            if !is_box(&spec) {
                let refused = inexact::path(&line, 1.0, &settings(None), &mut ());
                assert!(matches!(refused, Err(ApproximationError::Bound { .. })), "{refused:?}");
                continue;
            }
            let path = follow(&line).unwrap();
            let size = size(&spec, &path);
            for tolerance in [0.3, 1e-2, 1e-3].map(|part| part * size.max(1e-3)) {
                let Some(coarse) = inexact::path(&line, tolerance, &settings(None), &mut ()).unwrap() else {
                    given_up += 1;
                    continue;
                };
                paths += 1;
                let what = format!("{z:?} {kind:?} {form:?} {tolerance}");
                assert_eq!(validate(&coarse, &line, &1e-9), [], "{what}");
                assert_eq!((coarse.stop(), coarse.end()), (Some(&Stop::Target), path.end()), "{what}");
                for t in (0..50).map(|_| random.unit() * path.end()).chain(coarse.breakpoints()) {
                    let (p, theta) = (coarse.at(&t).unwrap(), spec.from + t);
                    let found = gap(&sides(&spec, &theta, &p.x, &p.y).unwrap());
                    assert!(found <= tolerance * (1.0 + 1e-9) + 1e-10 * size, "{what}: {found} at {t}");
                    let least = spec.objective(&theta, &path.at(&t).unwrap().x);
                    let excess = spec.objective(&theta, &p.x) - least;
                    assert!((-1e-9 * size..=tolerance + 1e-9 * size).contains(&excess), "{what}: {excess} at {t}");
                }
                points += coarse.segments().len();
            }
            rows += usize::from(line.has_row());
        }
    }
    assert!(points > 500 && rows > 5, "{points} points, {rows} problems with a row");
    assert!(given_up * 10 < paths, "{given_up} were given up, {paths} not");
}

/// Quantile regression on 60 rows, with an intercept.
fn quantiles() -> Line<f64> {
    instance(ROWS[1], KINDS[1], 60, &mut Random(5)).line(Form::Gram, false)
}

#[test]
fn it_stops_when_it_is_told_to() {
    let line = quantiles();
    let whole = inexact::path(&line, 0.5, &settings(None), &mut ()).unwrap().unwrap();
    let limited = inexact::path(&line, 0.5, &settings(Some(2)), &mut ()).unwrap().unwrap();
    assert_eq!(limited.segments(), &whole.segments()[..2]);
    assert!(matches!(limited.stop(), Some(Stop::EventLimit { t, events: 2 }) if t == limited.end()));
    let mut events = 0;
    let mut watch = Watch(|_: &pathqp::observe::Event<'_, f64>| {
        events += 1;
        events < 3
    });
    let asked = inexact::path(&line, 0.5, &settings(None), &mut watch).unwrap().unwrap();
    assert_eq!((asked.segments().len(), asked.end()), (3, &whole.segments()[3].t));
    assert!(matches!(asked.stop(), Some(Stop::Asked { .. })));
    let none = inexact::path(&line, 0.5, &settings(None), &mut Ask(|| false));
    assert!(matches!(none, Err(ApproximationError::Path(PathError::StartStopped { .. }))), "{none:?}");
}

#[test]
fn a_question_without_an_answer_is_refused() {
    let line = quantiles();
    let ask = |line: &Line<f64>, tolerance: f64| inexact::path(line, tolerance, &settings(None), &mut ());
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(ask(&line, tolerance), Err(ApproximationError::Positive { value: tolerance.to_string() }));
    }
    assert_eq!(ask(&line, 1e-18), Ok(None));
    assert_eq!(ask(&Line { end: None, ..line.clone() }, 1.0), Err(ApproximationError::Ray));
    let mut open = line.clone();
    open.bounds.upper[7] = None;
    assert_eq!(ask(&open, 1.0), Err(ApproximationError::Bound { variable: 7 }));
}

#[test]
fn a_stored_path_keeps_what_its_points_are() {
    let line = quantiles();
    let coarse = inexact::path(&line, 0.5, &settings(None), &mut ()).unwrap().unwrap();
    assert!(!coarse.has_exact_points() && follow(&line).unwrap().has_exact_points());
    let mut stored = serde_json::to_value(&coarse).unwrap();
    let read = |stored: &serde_json::Value| serde_json::from_value::<Path<f64>>(stored.clone()).unwrap();
    assert_eq!(read(&stored), coarse);
    // Points that are said to be solutions.
    stored["approximation"]["exact_points"] = true.into();
    let violations = validate(&read(&stored), &line, &1e-9);
    assert!(violations.iter().any(|v| matches!(v, Violation::Residual { .. })));
    stored["approximation"]["exact_points"] = false.into();
    stored["approximation"]["tolerance"] = 0.01.into();
    let violations = validate(&read(&stored), &line, &1e-9);
    assert!(violations.iter().any(|v| matches!(v, Violation::Gap { bound: Some(b), .. } if *b > 0.01)));
}
