//! Starts that are refused, starts that are taken, and runs that are stopped: limits, observers, the iterator.

use crate::common::{Form, Raw, Spec, exact, follow, follow_by_iterator, kkt};
use pathqp::observe::{Event, Watch};
use pathqp::path::{Follower, Path, Start, Stop};
use pathqp::validate::validate;
use pathqp::{Exact, Line, PathError, Settings, Status, trace};

/// The error of a start that must not be taken.
#[track_caller]
fn refused(line: &Line<Exact>, start: &Start<Exact>) -> PathError {
    match trace(line, start, &Settings::default(), &mut ()) {
        Err(failure) => {
            assert!(failure.1.is_none(), "no path had begun");
            failure.0
        }
        Ok(path) => panic!("{start:?} was taken: {:?}", path.at(&Exact::ZERO)),
    }
}

/// Identity H, 0 ≤ x ≤ 2, x₀ + x₁ = 2, c from (−1, 1) to (1, −1).
fn simplex() -> Raw {
    Raw {
        z: vec![vec![1, 0], vec![0, 1]],
        c: vec![(-1, 1), (1, -1)],
        lower: vec![Some((0, 0)); 2],
        upper: vec![Some((2, 2)); 2],
        row: Some((vec![1, 1], (2, 2))),
        unit: 1,
        length: 1,
    }
}

fn line(raw: &Raw) -> Line<Exact> {
    raw.spec::<Exact>().line(Form::Dense, false)
}

fn guess(values: &[(i64, i64)]) -> Start<Exact> {
    Start::Guess(values.iter().map(|&(n, d)| exact(n, d)).collect())
}

#[test]
fn guesses_must_be_feasible() {
    let line = line(&simplex());
    assert_eq!(refused(&line, &guess(&[(1, 1)])), PathError::StartShape { expected: 2, found: 1 });
    let outside = PathError::StartOutsideBounds { index: 1, value: "5/2".into() };
    assert_eq!(refused(&line, &guess(&[(0, 1), (5, 2)])), outside);
    let outside = PathError::StartOutsideBounds { index: 0, value: "-1".into() };
    assert_eq!(refused(&line, &guess(&[(-1, 1), (1, 1)])), outside);
    assert_eq!(refused(&line, &guess(&[(1, 2), (1, 1)])), PathError::StartOffRow { off: "1/2".into() });
    let floating = simplex().spec::<f64>().line(Form::Gram, false);
    let start = Start::Guess(vec![f64::NAN, 1.0]);
    let failure = trace(&floating, &start, &Settings::default(), &mut ()).map(|_| ()).unwrap_err();
    assert_eq!(failure.0, PathError::StartOutsideBounds { index: 0, value: "NaN".into() });
}

/// A box that is narrow beside what becomes of it along a long line has room all the same.
#[test]
fn a_long_line_makes_a_narrow_box_no_point() {
    let raw = Raw {
        z: vec![vec![1]],
        c: vec![(-1, -1)],
        lower: vec![Some((0, 0))],
        upper: vec![Some((2, 10_000_000_000_000_000))],
        row: None,
        unit: 1,
        length: 1,
    };
    for form in [Form::Dense, Form::Gram] {
        let line = raw.spec::<f64>().line(form, false);
        let start = Start::ActiveSet { status: vec![Status::Free], y: None };
        let path = trace(&line, &start, &Settings::default(), &mut ()).unwrap();
        assert_eq!((path.at(&0.0).unwrap().x, path.at(&1.0).unwrap().x), (vec![1.0], vec![1.0]));
    }
}

#[test]
fn active_sets_must_be_optimal_and_independent() {
    let simplex = line(&simplex());
    let active = |status: &[Status], y: Option<Exact>| Start::ActiveSet { status: status.to_vec(), y };
    use Status::{Free, Lower, Upper};
    assert_eq!(refused(&simplex, &active(&[Free], None)), PathError::StartShape { expected: 2, found: 1 });
    // x = (2, 0): z₀ = 2 − 1 − y ≤ 0 and z₁ = 0 + 1 − y ≥ 0 hold for y = 1: optimal.
    assert!(trace(&simplex, &active(&[Upper, Lower], None), &Settings::default(), &mut ()).is_ok());
    // x = (0, 2): z₀ = −1 − y ≥ 0 and z₁ = 3 − y ≤ 0 contradict each other.
    let error = refused(&simplex, &active(&[Lower, Upper], None));
    assert!(matches!(error, PathError::StartNotOptimal { .. }), "{error:?}");
    // x = (0, 0) misses the row by 2.
    let error = refused(&simplex, &active(&[Lower, Lower], None));
    assert!(matches!(error, PathError::StartNotOptimal { .. } | PathError::StartOffRow { .. }), "{error:?}");
    // Two equal rows cannot both be free.
    let twice = Raw { z: vec![vec![1], vec![1]], row: None, ..self::simplex() };
    let error = refused(&line(&twice), &active(&[Free, Free], None));
    assert_eq!(error, PathError::StartDependent { index: 1 });
    // A bound that does not exist.
    let open = Raw { upper: vec![Some((2, 2)), None], ..self::simplex() };
    let error = refused(&line(&open), &active(&[Free, Upper], None));
    assert!(matches!(error, PathError::StartWithoutBound { index: 1, status: Status::Upper }), "{error:?}");
    // Free where the solution lies outside the box: x₀ = 4 − θ… against u = 2.
    let far = Raw { c: vec![(-4, -4), (0, 0)], row: None, ..self::simplex() };
    let error = refused(&line(&far), &active(&[Free, Free], None));
    assert!(
        matches!(error, PathError::StartNotOptimal { index: 0, .. } | PathError::StartOutsideBounds { index: 0, .. }),
        "{error:?}"
    );
}

#[test]
fn an_infeasible_start_says_what_the_bounds_allow() {
    let raw = Raw { row: Some((vec![1, -2], (5, 5))), lower: vec![Some((-1, -1)), Some((0, 0))], ..simplex() };
    // −1 − 4 ≤ x₀ − 2x₁ ≤ 2.
    let error = refused(&line(&raw), &Start::Anywhere);
    let conflicting = vec![0, 1];
    let [needed, least, most] = ["5", "-5", "2"].map(String::from);
    assert_eq!(error, PathError::Infeasible { needed, least, most, conflicting });
    // Only variables with a coefficient count; an end without limit is said to have none.
    let raw = Raw { row: Some((vec![0, 1], (-1, -1))), upper: vec![Some((2, 2)), None], ..simplex() };
    let error = refused(&line(&raw), &Start::Anywhere);
    let PathError::Infeasible { needed, least, most, conflicting } = error else { panic!("{error:?}") };
    assert_eq!([needed.as_str(), &least, &most], ["-1", "0", "∞"]);
    assert_eq!(conflicting, [1]);
}

#[test]
fn directions_without_bounds() {
    // H = 0 in x₁, which has no bounds, and c₁ = 0 at the start.
    let raw = Raw {
        z: vec![vec![1], vec![0]],
        c: vec![(0, 0), (0, 0)],
        lower: vec![Some((0, 0)), None],
        upper: vec![Some((1, 1)), None],
        row: None,
        unit: 1,
        length: 1,
    };
    assert_eq!(refused(&line(&raw), &Start::Anywhere), PathError::FreeDirection { index: 1 });
    // x₀ ≥ 0 with c₀ = −1 and no curvature.
    let raw = Raw {
        z: vec![vec![0], vec![1]],
        c: vec![(-1, -1), (0, 0)],
        lower: vec![Some((0, 0)); 2],
        upper: vec![None, Some((1, 1))],
        row: None,
        unit: 1,
        length: 1,
    };
    assert_eq!(refused(&line(&raw), &Start::Anywhere), PathError::UnboundedStart { index: 0 });
    // c₀ = 1 − 2θ: bounded until θ = ½.
    let raw = Raw { c: vec![(1, -1), (0, 0)], ..raw };
    let path = follow(&line(&raw)).unwrap();
    assert_eq!(path.stop(), Some(&Stop::Unbounded { t: exact(1, 2), index: 0 }));
    assert_eq!(path.at(&exact(1, 2)).unwrap().x[0], Exact::ZERO);
    assert_eq!(path.at(&exact(3, 4)), None);
}

#[test]
fn a_path_that_becomes_infeasible_says_where() {
    // x₀ + x₁ = 2 + 6θ ≤ 4 until θ = 1/3.
    let raw = Raw { row: Some((vec![1, 1], (2, 8))), ..simplex() };
    let path = follow(&line(&raw)).unwrap();
    assert_eq!(path.stop(), Some(&Stop::Infeasible { t: exact(1, 3) }));
    assert_eq!(path.end(), &exact(1, 3));
    assert_eq!(path.at(&exact(1, 3)).unwrap().x, vec![exact(2, 1); 2]);
}

/// A path with a dozen events: an SVM with ties.
fn long() -> Spec<Exact> {
    let labels = [1, 1, 1, 1, -1, -1, -1, -1];
    let points = [[2, 2], [3, 1], [3, 3], [0, -1], [0, 0], [1, 0], [4, 1], [-2, -1]];
    let raw = Raw {
        z: points.iter().zip(labels).map(|(p, y)| p.iter().map(|v| v * y).collect()).collect(),
        c: vec![(-1, -1); 8],
        lower: vec![Some((0, 0)); 8],
        upper: vec![Some((0, 20)); 8],
        row: Some((labels.to_vec(), (0, 0))),
        unit: 1,
        length: 20,
    };
    raw.spec()
}

fn same_until(partial: &Path<Exact>, whole: &Path<Exact>, t: &Exact) {
    assert_eq!(partial.end(), t);
    let before: Vec<Exact> = whole.breakpoints().into_iter().filter(|b| b < t).collect();
    assert_eq!(partial.breakpoints(), before);
    let half = t.clone() / exact(2, 1);
    assert_eq!(partial.at(&half).unwrap().x, whole.at(&half).unwrap().x);
}

#[test]
fn a_limit_on_events_leaves_a_valid_partial_path() {
    let spec = long();
    let line = spec.line(Form::Dense, false);
    let whole = follow(&line).unwrap();
    let total = whole.stats().events;
    assert!(total >= 4, "the example has only {total} events");
    for limit in 1..total {
        let settings = Settings { max_events: Some(limit), ..Settings::default() };
        let path = trace(&line, &Start::Anywhere, &settings, &mut ()).unwrap();
        let Some(Stop::EventLimit { t, events }) = path.stop() else { panic!("{limit}: {:?}", path.stop()) };
        assert_eq!(*events, limit);
        assert!(path.stats().events >= limit && !path.is_complete());
        assert_eq!(validate(&path, &line, &Exact::ZERO), vec![]);
        kkt::check_path(&spec, &line, &path).unwrap();
        same_until(&path, &whole, t);
    }
    let settings = Settings { max_events: Some(total + 1), ..Settings::default() };
    let path = trace(&line, &Start::Anywhere, &settings, &mut ()).unwrap();
    assert_eq!(path.stop(), Some(&Stop::Target));
}

#[test]
fn an_observer_may_stop_the_run() {
    let spec = long();
    let line = spec.line(Form::Gram, false);
    let whole = follow(&line).unwrap();
    let mut seen = 0;
    let mut stop_at_third = Watch(|_: &Event<'_, Exact>| {
        seen += 1;
        seen < 3
    });
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut stop_at_third).unwrap();
    let Some(Stop::Asked { t }) = path.stop() else { panic!("{:?}", path.stop()) };
    assert_eq!(validate(&path, &line, &Exact::ZERO), vec![]);
    kkt::check_path(&spec, &line, &path).unwrap();
    same_until(&path, &whole, t);
    assert_eq!(seen, 3);
}

#[test]
fn observers_see_every_change() {
    let spec = long();
    let line = spec.line(Form::Dense, false);
    let mut positions: Vec<Exact> = Vec::new();
    let mut status: Vec<Status> =
        Follower::new(&line, &Start::Anywhere, Settings::default()).unwrap().status().to_vec();
    let mut wrong = 0;
    let mut watch = Watch(|event: &Event<'_, Exact>| {
        positions.push(event.t.clone());
        for &(i, before, after) in event.changes {
            wrong += usize::from(status[i] != before || before == after);
            status[i] = after;
        }
        wrong += usize::from(event.free != status.iter().filter(|s| **s == Status::Free).count());
        true
    });
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut watch).unwrap();
    assert_eq!(wrong, 0);
    assert!(positions.windows(2).all(|w| w[0] <= w[1]));
    for breakpoint in path.breakpoints() {
        assert!(positions.contains(&breakpoint), "the observer was not told of {breakpoint}");
    }
    assert_eq!(path.status_on(path.segments().len() - 1), status);
}

#[test]
fn steps_the_iterator_and_trace_agree() {
    let spec = long();
    let line = spec.line(Form::Dense, false);
    let traced = follow(&line).unwrap();
    let (positions, iterated) = follow_by_iterator(&line);
    assert_eq!(iterated, traced);
    assert_eq!(positions.last(), Some(traced.end()));
    let mut follower = Follower::new(&line, &Start::Anywhere, Settings::default()).unwrap();
    let mut stepped = Vec::new();
    let stop = loop {
        let stop = follower.step().unwrap();
        stepped.push(follower.position().clone());
        if let Some(stop) = stop {
            break stop;
        }
    };
    assert_eq!(stop, Stop::Target);
    assert_eq!(stepped, positions);
    // A follower that has ended stays where it is.
    assert_eq!(follower.step().unwrap(), Some(Stop::Target));
    assert_eq!(follower.next(), None);
    assert_eq!(follower.into_path(), traced);
}

#[test]
fn one_point_is_a_path_too() {
    let spec = long();
    let qp = spec.problem(spec.hessian(Form::Dense), spec.domain()).unwrap();
    let line = qp.line(&[exact(7, 3)], &[exact(7, 3)]).unwrap();
    let path = follow(&line).unwrap();
    assert_eq!(path.stop(), Some(&Stop::Target));
    assert_eq!(validate(&path, &line, &Exact::ZERO), vec![]);
    let point = path.at(&Exact::ZERO).expect("the solution at the one point of the line");
    assert_eq!(kkt::violations(&spec, &exact(7, 3), &point.x, &point.y), Vec::<String>::new());
    let whole = follow(&spec.line(Form::Dense, false)).unwrap();
    let there = whole.at(&exact(7, 3)).unwrap();
    assert_eq!(spec.product(&there.x), spec.product(&point.x));
}
