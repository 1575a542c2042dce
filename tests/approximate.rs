//! Approximate paths: the bound on the gap between two solutions, and paths that keep to a tolerance, in exact arithmetic
//! without any slack and in floating point. Gaps are computed from the definition, not by the engine.

use crate::common::instances::{KINDS, ROWS, instance};
use crate::common::strategy::{Family, quantile, raw, svm};
use crate::common::{Form, Raw, Spec, exact, follow, kkt};
use pathqp::gap::Anchor;
use pathqp::path::Path;
use pathqp::testing::Random;
use pathqp::validate::{Violation, validate};
use pathqp::{ApproximationError, Exact, Line, Point, Scalar};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const PLAIN: Family = Family { max_n: 7, c: true, bounds: true, infinite: false, infeasible: false };

/// The same problems in every run; others with PROPTEST_RNG_SEED.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given => given,
    };
    ProptestConfig { cases: 200, rng_seed, failure_persistence: None, max_shrink_iters: 20_000, ..default }
}

pub fn theta<S: Scalar>(line: &Line<S>, t: &S) -> S {
    line.parameter(t).swap_remove(0)
}

/// Room and multiplier on both sides of every variable: (x − l, z⁺), (u − x, z⁻); none where a multiplier points to a missing
/// bound.
pub fn sides<S: Scalar>(spec: &Spec<S>, theta: &S, x: &[S], y: &S) -> Option<Vec<[(S, S); 2]>> {
    let side = |room: Option<S>, z: S| match room {
        Some(room) => Some((room, S::larger(z, S::zero()))),
        None => (z <= S::zero()).then(|| (S::zero(), S::zero())),
    };
    let of = |(i, z): (usize, S)| {
        let below = side(spec.lower(i, theta).map(|l| x[i].clone() - l), z.clone())?;
        Some([below, side(spec.upper(i, theta).map(|u| u - &x[i]), -z)?])
    };
    kkt::prices(spec, theta, x, y).into_iter().enumerate().map(of).collect()
}

/// Σ (x − l)z⁺ + (u − x)z⁻.
pub fn gap<S: Scalar>(sides: &[[(S, S); 2]]) -> S {
    sides.iter().flatten().fold(S::zero(), |sum, (room, force)| sum + room.clone() * force)
}

/// Q/4, from the definition.
fn quarter(start: &[[(Exact, Exact); 2]], end: &[[(Exact, Exact); 2]]) -> Exact {
    let pairs = start.iter().flatten().zip(end.iter().flatten());
    pairs.fold(exact(0, 1), |sum, (a, b)| sum + &a.0 * &b.1 + &b.0 * &a.1) / exact(4, 1)
}

pub fn mix(a: &[Exact], b: &[Exact], s: &Exact) -> Vec<Exact> {
    a.iter().zip(b).map(|(a, b)| a + (b - a) * s).collect()
}

pub fn infeasible(spec: &Spec<Exact>, theta: &Exact, x: &[Exact]) -> bool {
    let outside =
        |i: usize| spec.lower(i, theta).is_some_and(|l| x[i] < l) || spec.upper(i, theta).is_some_and(|u| x[i] > u);
    let off = spec.row.as_ref().is_some_and(|(a, b)| Exact::dot(a, x) != Spec::at(b, theta));
    off || (0..spec.n()).any(outside)
}

/// The two ends of a segment.
fn ends<S: Scalar>(path: &Path<S>, k: usize) -> [Point<S>; 2] {
    let segments = path.segments();
    let next = segments.get(k + 1).map_or(path.end(), |next| &next.t);
    [&segments[k].t, next].map(|t| path.law_at(k, t).unwrap())
}

/// The gap between any two solutions of a path is within the bound, and that within Q/4; exactly.
fn chords(spec: &Spec<Exact>, line: &Line<Exact>, path: &Path<Exact>) -> Result<(), String> {
    let last = path.segments().len();
    for (i, j) in (0..last).flat_map(|i| (i..last).map(move |j| (i, j))).take(40) {
        let [start, _] = ends(path, i);
        let [_, end] = ends(path, j);
        let anchor = |p: &Point<Exact>| Anchor::new(line, &p.t, &p.x, &p.y);
        let bound = anchor(&start).gap_to(&anchor(&end)).ok_or_else(|| format!("no bound from {i} to {j}"))?;
        let at = |p: &Point<Exact>| sides(spec, &theta(line, &p.t), &p.x, &p.y).ok_or("no multiplier at a solution");
        if bound.gap > quarter(&at(&start)?, &at(&end)?) || bound.rounding != Exact::ZERO {
            return Err(format!("{bound:?} from {i} to {j}"));
        }
        for s in [exact(1, 7), exact(1, 3), exact(1, 2), exact(5, 8), exact(12, 13)] {
            let (t, y) = (&start.t + (&end.t - &start.t) * &s, &start.y + (&end.y - &start.y) * &s);
            let (x, theta) = (mix(&start.x, &end.x, &s), theta(line, &t));
            let gap = gap(&sides(spec, &theta, &x, &y).ok_or("no multiplier on a chord")?);
            if gap > bound.gap || infeasible(spec, &theta, &x) {
                return Err(format!("gap {gap}, bound {bound:?} at s = {s} from {i} to {j}"));
            }
        }
    }
    Ok(())
}

/// An approximate path has solutions at its stored points and keeps to its tolerance between.
fn approximate(spec: &Spec<Exact>, line: &Line<Exact>, path: &Path<Exact>, tolerance: &Exact) -> Result<usize, String> {
    let coarse = path.approximate(line, tolerance).map_err(|e| e.to_string())?;
    let violations = validate(&coarse, line, &Exact::ZERO);
    if !violations.is_empty() {
        return Err(format!("{violations:?}"));
    }
    let promised = coarse.tolerance() == Some(tolerance) && coarse.max_gap_bound().is_some_and(|g| g <= *tolerance);
    let same = (coarse.end(), coarse.stop(), coarse.stats()) == (path.end(), path.stop(), path.stats());
    if !promised || !same || coarse.breakpoints().len() + 1 != coarse.segments().len() {
        return Err(format!("{:?} of {:?}", coarse.max_gap_bound(), coarse.tolerance()));
    }
    for k in 0..coarse.segments().len() {
        for p in ends(&coarse, k) {
            let wrong = kkt::violations(spec, &theta(line, &p.t), &p.x, &p.y);
            if !wrong.is_empty() {
                return Err(format!("segment {k} at {}: {wrong:?}", p.t));
            }
        }
        let [start, end] = ends(&coarse, k);
        for part in [1, 4, 7] {
            let t = &start.t + (&end.t - &start.t) * exact(part, 9);
            let (p, theta) = (coarse.at(&t).unwrap(), theta(line, &t));
            let gap = gap(&sides(spec, &theta, &p.x, &p.y).ok_or("no multiplier on a segment")?);
            let bound = coarse.gap_bound(k).cloned().unwrap_or(Exact::ZERO);
            if gap > bound || infeasible(spec, &theta, &p.x) {
                return Err(format!("gap {gap}, bound {bound} at {t} on segment {k}"));
            }
        }
    }
    Ok(coarse.segments().len())
}

fn on_line(spec: &Spec<Exact>, line: &Line<Exact>) -> Result<(), String> {
    let Ok(path) = follow(line) else { return Ok(()) };
    chords(spec, line, &path)?;
    let anchor = |p: &Point<Exact>| Anchor::new(line, &p.t, &p.x, &p.y);
    let last = path.segments().len() - 1;
    let whole = anchor(&ends(&path, 0)[0]).gap_to(&anchor(&ends(&path, last)[1])).ok_or("no bound on the whole")?.gap;
    let mut most = 1;
    for part in [1, 2, 16, 200, 5000] {
        let count = approximate(spec, line, &path, &(&whole / exact(part, 1))).map_err(|e| format!("1/{part}: {e}"))?;
        most = most.max(count);
    }
    let merged = approximate(spec, line, &path, &Exact::ZERO).map_err(|e| format!("without a gap: {e}"))?;
    if merged > path.segments().len() || most > path.segments().len() {
        return Err(format!("{merged} and {most} segments, {} before", path.segments().len()));
    }
    Ok(())
}

fn run(raw: &Raw) -> Result<(), TestCaseError> {
    let spec: Spec<Exact> = raw.spec();
    let result = on_line(&spec, &spec.line(Form::Dense, false));
    result.map_err(|e| TestCaseError::fail(format!("{e}\n{raw:?}")))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn everything_moves(raw in raw(PLAIN)) {
        run(&raw)?;
    }

    #[test]
    fn some_bounds_are_missing(raw in raw(Family { max_n: 5, infinite: true, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn the_row_may_become_infeasible(raw in raw(Family { infeasible: true, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn quantiles(raw in quantile(7)) {
        run(&raw)?;
    }

    #[test]
    fn costs_without_limit(raw in svm(6)) {
        let spec: Spec<Exact> = raw.spec();
        let result = on_line(&spec, &spec.ray(Form::Gram));
        result.map_err(|e| TestCaseError::fail(format!("{e}\n{raw:?}")))?;
    }
}

/// The objective's size along a path.
pub fn size(spec: &Spec<f64>, path: &Path<f64>) -> f64 {
    let points = (0..path.segments().len()).flat_map(|k| ends(path, k));
    points.map(|p| spec.objective(&(spec.from + p.t), &p.x).abs()).fold(0.0, f64::max)
}

#[test]
fn floating_point_paths_keep_to_their_tolerance() {
    let mut chords = 0;
    for (k, (z, kind)) in ROWS.into_iter().flat_map(|z| KINDS.map(|kind| (z, kind))).enumerate() {
        let mut random = Random(7000 + k as u64);
        let spec = instance(z, kind, 5 + random.below(40), &mut random);
        let line = spec.line(Form::Gram, false);
        let path = follow(&line).unwrap();
        assert_eq!(validate(&path, &line, &1e-9), []);
        let size = size(&spec, &path);
        for tolerance in [0.3, 1e-2, 1e-4, 1e-7, 1e-30].map(|part| part * size.max(1e-3)) {
            let coarse = path.approximate(&line, &tolerance).unwrap();
            assert_eq!(validate(&coarse, &line, &1e-9), [], "{z:?} {kind:?} {tolerance}");
            assert!(coarse.segments().len() <= path.segments().len());
            for t in (0..50).map(|_| random.unit() * path.end()) {
                let (p, theta) = (coarse.at(&t).unwrap(), spec.from + t);
                let gap = gap(&sides(&spec, &theta, &p.x, &p.y).unwrap());
                assert!(gap <= tolerance * (1.0 + 1e-9) + 1e-10 * size, "{z:?} {kind:?}: {gap} at {t}");
                // So the objective is that close to the least.
                let least = spec.objective(&theta, &path.at(&t).unwrap().x);
                let excess = spec.objective(&theta, &p.x) - least;
                assert!((-1e-9 * size..=tolerance + 1e-9 * size).contains(&excess), "{excess} at {t}");
            }
            chords += (0..coarse.segments().len()).filter(|&k| coarse.gap_bound(k).is_some()).count();
        }
    }
    assert!(chords > 200, "{chords}");
}

/// 60 rows of quantile regression.
fn quantiles_of_60() -> (Line<f64>, Path<f64>) {
    let mut random = Random(5);
    let spec = instance(ROWS[1], KINDS[1], 60, &mut random);
    let line = spec.line(Form::Gram, false);
    let path = follow(&line).unwrap();
    (line, path)
}

#[test]
fn a_wrong_question_is_refused() {
    let (line, path) = quantiles_of_60();
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let value = tolerance.to_string();
        assert_eq!(path.approximate(&line, &tolerance), Err(ApproximationError::Tolerance { value }));
    }
    let coarse = path.approximate(&line, &1.0).unwrap();
    assert_eq!(coarse.approximate(&line, &1.0), Err(ApproximationError::Approximate));
    let other = Line { end: Some(0.5), ..line.clone() };
    assert_eq!(path.approximate(&other, &1.0), Err(ApproximationError::OtherLine));
}

#[test]
fn a_promise_that_is_not_kept_is_found() {
    let (line, path) = quantiles_of_60();
    assert_eq!((path.tolerance(), path.max_gap_bound(), path.gap_bound(0)), (None, None, None));
    let coarse = path.approximate(&line, &0.5).unwrap();
    let mut stored = serde_json::to_value(&coarse).unwrap();
    let read = |stored: &serde_json::Value| serde_json::from_value::<Path<f64>>(stored.clone());
    assert_eq!(read(&stored).unwrap(), coarse);
    // The same chords with a smaller tolerance.
    stored["approximation"]["tolerance"] = 0.01.into();
    let violations = validate(&read(&stored).unwrap(), &line, &1e-9);
    assert!(violations.iter().any(|v| matches!(v, Violation::Gap { bound: Some(b), .. } if *b > 0.01)));
    // Chords that are said to be exact.
    let none = vec![serde_json::Value::Null; coarse.segments().len()];
    stored["approximation"]["bounds"] = none.clone().into();
    let violations = validate(&read(&stored).unwrap(), &line, &1e-9);
    assert!(violations.iter().any(|v| matches!(v, Violation::Residual { .. })));
    stored["approximation"]["bounds"] = none[1..].into();
    assert!(read(&stored).unwrap_err().to_string().contains("do not fit together"));
}
