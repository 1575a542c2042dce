//! What is always run: some problems of every family, cases with known answers, and what is wrong with a question.

use super::check::follow;
use super::families::{FAMILIES, Family};
use super::problem::Form;
use super::sweep::{Mode, sweep};
use pathqp::certificate::Certifier;
use pathqp::hessian::{self, Dense, Rows};
use pathqp::testing::{Options, check, check_exactly};
use pathqp::validate::validate;
use pathqp::{Affine, Exact, ParametricQp, PathError, ProblemError, Range, Settings, Start, Status, Stop, trace};
use std::sync::Arc;

fn passes(mode: Mode, seeds: std::ops::Range<u64>, families: &[Family]) {
    for &family in families {
        let tally = sweep(family, mode, seeds.clone());
        assert!(tally.failures.is_empty(), "{family:?}: {tally}\n{:?}", tally.failures);
    }
}

#[test]
fn families_in_floating_point() {
    let small: Vec<Family> = FAMILIES.into_iter().filter(|f| *f != Family::Large).collect();
    passes(Mode::Float, 0..150, &small);
    passes(Mode::Float, 10..20, &[Family::Large]);
}

/// Columns without curvature beside others: what rounding leaves of these in a direction is not all that it has.
#[test]
fn columns_without_curvature() {
    passes(Mode::Float, 1801..1802, &[Family::Boxes]);
    passes(Mode::Float, 2414..2415, &[Family::Redundant]);
    passes(Mode::Float, 82..83, &[Family::Large]);
}

/// Two events at one t, of an H that is followed by rows which were computed from its entries: one breakpoint or none, in either direction and form.
#[test]
fn rows_of_entries() {
    passes(Mode::Float, 19711..19712, &[Family::Boxes]);
    passes(Mode::Float, 16681..16682, &[Family::Room]);
    passes(Mode::Float, 14079..14080, &[Family::Redundant]);
}

#[test]
fn families_exactly() {
    let small: Vec<Family> = FAMILIES.into_iter().filter(|f| *f != Family::Large).collect();
    passes(Mode::Exact, 1000..1040, &small);
    passes(Mode::Exact, 1000..1001, &[Family::Large]);
}

/// The engine's own list of what is wrong, and Clarabel's opinion.
#[test]
fn families_by_the_engines_checks() {
    for family in [Family::Qp, Family::Lp, Family::Boxes, Family::Quantiles, Family::Room, Family::Redundant] {
        for seed in 5000..5010 {
            let problem = family.problem(seed);
            let qp = problem.qp::<f64>(Form::Gram).unwrap();
            let options = Options { points: 5, ..Options::default() };
            let found = check(&qp, &[0.0], &[1.0], &Start::Anywhere, &options);
            assert!(found.is_empty(), "{family:?} {seed}: {found:?}");
            let found = check_exactly(&qp, &[0.0], &[1.0], &options);
            assert!(found.is_empty(), "{family:?} {seed}: {found:?}");
        }
    }
}

/// From guesses, near and far, and from the basis on the way: the same breakpoints.
#[test]
fn starts_lead_to_the_same_path() {
    for family in [Family::Qp, Family::Lp, Family::Boxes, Family::Room] {
        for seed in 7000..7030 {
            let problem = family.problem(seed);
            let there = follow::<Exact>(&problem, Form::Gram, false, &Start::Anywhere).unwrap();
            let path = there.path.unwrap();
            let first = path.at(path.begin()).unwrap();
            // Beside one equality alone a guess has to satisfy it.
            let anywhere = problem.qp::<Exact>(Form::Gram).unwrap().has_rows();
            let corner = anywhere.then(|| problem.lower.iter().map(|l| Exact::from(l.unwrap()[0])).collect());
            for guess in [Some(first.x.clone()), corner].into_iter().flatten() {
                let again = follow::<Exact>(&problem, Form::Gram, false, &Start::Guess(guess)).unwrap();
                assert_eq!(again.path.unwrap().breakpoints(), path.breakpoints(), "{family:?} {seed}");
            }
            let status = [path.status_on(0), path.row_status_on(0)].concat();
            let start = Start::ActiveSet { status, y: None };
            let again = follow::<Exact>(&problem, Form::Gram, false, &start).unwrap();
            assert_eq!(again.path.unwrap().breakpoints(), path.breakpoints(), "{family:?} {seed}");
        }
    }
}

/// A path is serialised with its rows.
#[test]
fn paths_are_kept() {
    let problem = Family::Room.problem(3);
    let followed = follow::<f64>(&problem, Form::Gram, false, &Start::Anywhere).unwrap();
    let path = followed.path.unwrap();
    let text = serde_json::to_string(&path).unwrap();
    let back: pathqp::Path<f64> = serde_json::from_str(&text).unwrap();
    assert_eq!(path, back);
    assert!(validate(&back, &followed.line, &1e-9).is_empty());
}

/// min −x₁ − 2x₂ with x₁ + x₂ ≤ 4θ, x₁ − x₂ ≥ −1 (θ > 0) and x ≥ 0; at θ < 0 nothing is feasible.
fn polygon<S: pathqp::Scalar>(domain: [i64; 2]) -> ParametricQp<S> {
    let v = |values: &[i64]| values.iter().map(|&v| S::integer(v)).collect::<Vec<S>>();
    let [from, to] = domain.map(S::integer);
    let rows = Rows::Dense { columns: 2, values: v(&[1, 1, 1, -1]) };
    ParametricQp::new(
        Arc::new(hessian::zero(2).unwrap()),
        vec![Range::new(from, to)],
        Affine::constant(v(&[-1, -2]), 1),
    )
    .and_then(|qp| qp.lower(Affine::constant(v(&[0, 0]), 1)))
    .and_then(|qp| qp.rows(rows, Affine::constant(v(&[-9, -1]), 1), Affine::line(v(&[0, 9]), v(&[4, 0]))))
    .unwrap()
    .without_row_lower(0)
    .without_row_upper(1)
}

#[test]
fn a_linear_program_ends_where_it_has_no_solution() {
    let line = polygon::<Exact>([-1, 1]).line(&[Exact::from(1)], &[Exact::from(-1)]).unwrap();
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    assert_eq!(path.stop(), Some(&Stop::Infeasible { t: Exact::from(1) }));
    // θ = ¾: x = (1, 2); below θ = ¼ only x₂ is left.
    let point = path.at_parameter(&[Exact::from(3) / Exact::from(4)]).unwrap();
    assert_eq!(point.x, [Exact::from(1), Exact::from(2)]);
    let quarter = Exact::from(1) / Exact::from(4);
    assert_eq!(path.breakpoints(), [Exact::from(1) - &quarter]);
    let beyond = Exact::from(3) / Exact::from(2);
    assert!(path.proof().unwrap().excess(&line, &beyond, &Exact::ZERO).unwrap() > Exact::ZERO);
    let certifier = Certifier::new(&line);
    assert!(certifier.point(&point).holds(&Exact::ZERO));
    let back = polygon::<f64>([-1, 1]).line(&[-1.0], &[1.0]).unwrap();
    let error = trace(&back, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_err().0;
    assert!(matches!(&error, PathError::InfeasibleRows { weights } if weights.iter().all(|w| w.0 == 0)), "{error}");
}

#[test]
fn one_equality_is_the_row_of_old() {
    let identity = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap());
    let c = Affine::line(vec![0.0; 2], vec![-1.0, -2.0]);
    let rows = Rows::Dense { columns: 2, values: vec![1.0, 1.0] };
    let b = Affine::constant(vec![1.0], 1);
    let qp = ParametricQp::new(identity, vec![Range::new(0.0, 1.0)], c).unwrap();
    let line = qp.clone().rows(rows, b.clone(), b.clone()).unwrap().line(&[0.0], &[1.0]).unwrap();
    assert!(line.has_row() && line.rows.is_none() && line.m() == 1);
    // An equality beside a row is one more row.
    let room = Rows::Dense { columns: 2, values: vec![1.0, -1.0] };
    let both = qp.equality(vec![1.0, 1.0], b.clone()).unwrap().rows(room, b.clone(), Affine::constant(vec![2.0], 1));
    let line = both.unwrap().line(&[0.0], &[1.0]).unwrap();
    assert!(!line.has_row() && line.m() == 2);
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    assert_eq!(path.at(&0.5).unwrap().x, [1.0, 0.0]);
}

#[test]
fn questions_that_cannot_be_posed() {
    let qp = || {
        ParametricQp::new(
            Arc::new(hessian::zero(2).unwrap()),
            vec![Range::new(0.0, 1.0)],
            Affine::constant(vec![0.0; 2], 1),
        )
        .unwrap()
    };
    let one = |v: f64| Affine::constant(vec![v], 1);
    let dense = |values: Vec<f64>| Rows::Dense { columns: 2, values };
    let error = |found: Result<ParametricQp<f64>, ProblemError>| found.err().unwrap();
    let found = error(qp().rows(dense(vec![1.0, f64::NAN]), one(0.0), one(1.0)));
    assert_eq!(found, ProblemError::RowEntry { row: 0, column: 1, value: "NaN".into() });
    let found = error(qp().rows(dense(vec![1.0, 1.0]), one(2.0), one(1.0)));
    assert!(matches!(found, ProblemError::CrossedRow { row: 0, .. }));
    assert!(matches!(error(qp().rows(dense(vec![1.0]), one(0.0), one(1.0))), ProblemError::Shape { .. }));
    assert!(matches!(error(qp().rows(dense(vec![1.0, 1.0]), one(f64::NAN), one(1.0))), ProblemError::NotFinite { .. }));
    let twice = Rows::Sparse { columns: 2, starts: vec![0, 2], indices: vec![1, 1], values: vec![1.0, 2.0] };
    assert!(matches!(error(qp().rows(twice, one(0.0), one(1.0))), ProblemError::RowEntry { row: 0, column: 1, .. }));
    let far = Rows::Sparse { columns: 2, starts: vec![0, 1], indices: vec![2], values: vec![1.0] };
    assert!(matches!(error(qp().rows(far, one(0.0), one(1.0))), ProblemError::Shape { .. }));
}

/// An observer stops a path with rows where it likes, and a limit of events is kept.
#[test]
fn runs_are_limited() {
    let problem = (0..).map(|seed| Family::Large.problem(seed)).find(|p| {
        let path = follow::<f64>(p, Form::Gram, false, &Start::Anywhere).ok().and_then(|f| f.path);
        path.is_some_and(|p| p.stats().events > 6)
    });
    let line = problem.unwrap().line::<f64>(Form::Gram, false).unwrap();
    let mut left = 3;
    let mut watch = pathqp::observe::Watch(|_: &pathqp::observe::Event<'_, f64>| {
        left -= 1;
        left > 0
    });
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut watch).unwrap();
    assert!(matches!(path.stop(), Some(Stop::Asked { .. })));
    let settings = Settings { max_events: Some(3), ..Settings::default() };
    let ended = trace(&line, &Start::ActiveSet { status: vec![Status::Free; 1], y: None }, &settings, &mut ());
    assert!(matches!(ended.unwrap_err().0, PathError::StartShape { .. }));
    match trace(&line, &Start::Anywhere, &settings, &mut ()) {
        Ok(path) => assert!(matches!(path.stop(), Some(Stop::EventLimit { events: 3, .. }))),
        Err(failure) => assert!(matches!(failure.0, PathError::StartLimit { .. }), "{failure}"),
    }
}

/// Koenker and Bassett's line through Engel's data has the slope 0.560180 at the median; here the rows are few and whole, and the answer is known by enumeration.
#[test]
fn all_quantiles_of_a_line() {
    // Y = x but for one response: the median is the line itself.
    let x: Vec<Vec<f64>> = (0..7).map(|i| vec![1.0, f64::from(i)]).collect();
    let y: Vec<f64> = (0..7).map(|i| if i == 3 { 10.0 } else { f64::from(i) }).collect();
    let line = super::regression::quantiles(&x, &y).unwrap().line(&[0.05], &[0.95]).unwrap();
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
    assert!(validate(&path, &line, &1e-9).is_empty());
    let coefficients: Vec<f64> = path.at_parameter(&[0.5]).unwrap().rows.iter().map(|y| -y).collect();
    assert!((coefficients[0]).abs() < 1e-12 && (coefficients[1] - 1.0).abs() < 1e-12, "{coefficients:?}");
}
