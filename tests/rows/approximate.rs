//! Approximate paths with rows: what a chord promises, recomputed from the problem's definition.

use super::check::{Read, check_point, follow};
use super::families::{FAMILIES, Family};
use super::problem::{Form, Problem, at};
use pathqp::validate::validate;
use pathqp::{ApproximationError, Line, Path, Point, Start};

/// The objective minus the dual objective with the best multipliers of the bounds, and the size of its terms; none where a multiplier has no bound.
fn gap<S: Read>(problem: &Problem, line: &Line<S>, point: &Point<S>) -> Option<(S, S)> {
    let theta = line.parameter(&point.t).swap_remove(0);
    let y = if point.rows.is_empty() { vec![point.y.clone(); problem.m().min(1)] } else { point.rows.clone() };
    let (mut gap, mut size) = (S::zero(), S::zero());
    let mut add = |x: &S, z: S, terms: S, lower: &Option<[i64; 2]>, upper: &Option<[i64; 2]>| {
        let bound = if z > S::zero() { lower } else { upper };
        match bound {
            Some(bound) => {
                let room = x.clone() - at(bound, &theta);
                size += (x.abs() + at(bound, &theta).abs()) * &terms;
                gap += room * &z;
            }
            None if z.abs() > S::noise() * (terms + S::one()) => return None,
            None => {}
        }
        Some(())
    };
    for (i, hx) in problem.product(&point.x).into_iter().enumerate() {
        let c = at(&problem.c[i], &theta);
        let (mut terms, mut z) = (hx.abs() + c.abs(), hx + c);
        for (row, y) in problem.a.iter().zip(&y) {
            let pull = S::integer(row[i]) * y;
            terms += pull.abs();
            z -= pull;
        }
        add(&point.x[i], z, terms, &problem.lower[i], &problem.upper[i])?;
    }
    for (r, (row, y)) in problem.a.iter().zip(&y).enumerate() {
        let value = row.iter().zip(&point.x).fold(S::zero(), |sum, (&a, x)| sum + S::integer(a) * x);
        add(&value, y.clone(), y.abs(), &problem.row_lower[r], &problem.row_upper[r])?;
    }
    Some((gap, size))
}

/// The point itself is feasible: with the multipliers of a solution nothing but the bounds of x and of the rows is asked.
fn feasible<S: Read>(problem: &Problem, line: &Line<S>, point: &Point<S>) -> Result<(), String> {
    let still = Problem { z: vec![Vec::new(); problem.n()], c: vec![[0, 0]; problem.n()], ..problem.clone() };
    let zeros = vec![S::zero(); point.rows.len()];
    check_point(&still, line, &Point { y: S::zero(), rows: zeros, ..point.clone() })
}

/// Checks the chords of an approximate path; how many there are.
fn chords<S: Read>(problem: &Problem, line: &Line<S>, coarse: &Path<S>) -> Result<usize, String> {
    let mut chords = 0;
    for (k, segment) in coarse.segments().iter().enumerate() {
        let next = coarse.segments().get(k + 1).map_or(coarse.end(), |next| &next.t);
        for t in [&segment.t, next] {
            check_point(problem, line, &coarse.law_at(k, t).ok_or("no point")?)?;
        }
        let Some(bound) = coarse.gap_bound(k) else { continue };
        chords += 1;
        if coarse.tolerance().is_none_or(|tolerance| bound > tolerance) {
            return Err(format!("segment {k}: a bound of {bound}"));
        }
        for part in [1, 4, 7] {
            let t = segment.t.clone() + (next.clone() - &segment.t) * S::integer(part) / S::integer(9);
            let point = coarse.law_at(k, &t).ok_or("no point")?;
            feasible(problem, line, &point)?;
            let (gap, size) = gap(problem, line, &point).ok_or(format!("segment {k}: no multiplier"))?;
            if gap > bound.clone() + size * S::noise() {
                return Err(format!("segment {k} at {t}: a gap of {gap}, bound {bound}"));
            }
        }
    }
    Ok(chords)
}

/// Segments before, and segments and chords after, of some seeds.
fn sweep<S: Read>(family: Family, form: Form, seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let problem = family.problem(seed);
        let named = |e: String| format!("{family:?} {form:?} {seed}: {e}");
        let followed = follow::<S>(&problem, form, false, &Start::Anywhere).map_err(named).unwrap();
        let (line, Some(path)) = (followed.line, followed.path) else { continue };
        let objective = |t: &S| path.at(t).map(|p| problem.objective(&line.parameter(t).swap_remove(0), &p.x).abs());
        let size = objective(&line.begin).zip(objective(path.end())).map_or_else(S::one, |(a, b)| S::larger(a, b));
        for part in [1, 10, 1_000] {
            let tolerance = (size.clone() + S::one()) / S::integer(part);
            let coarse = path.approximate(&line, &tolerance).unwrap();
            let found = chords(&problem, &line, &coarse).map_err(named).unwrap();
            let violations = validate(&coarse, &line, &S::noise());
            assert!(violations.is_empty(), "{family:?} {form:?} {seed}: {violations:?}");
            assert!(coarse.segments().len() <= path.segments().len() && coarse.proof() == path.proof());
            let [before, after, all] = &mut counts;
            (*before, *after, *all) = (*before + path.segments().len(), *after + coarse.segments().len(), *all + found);
        }
    }
    counts
}

#[test]
fn they_are_stored_and_read_again() {
    let line: Line<f64> = Family::Room.problem(3).line(Form::Gram, false).unwrap();
    let path = pathqp::trace(&line, &Start::Anywhere, &pathqp::Settings::default(), &mut ()).unwrap();
    let coarse = path.approximate(&line, &1.0).unwrap();
    let stored = serde_json::to_value(&coarse).unwrap();
    assert_eq!(serde_json::from_value::<Path<f64>>(stored).unwrap(), coarse);
    assert!((0..coarse.segments().len()).any(|k| coarse.gap_bound(k).is_some()));
}

#[test]
fn other_rows_are_another_line_and_missing_multipliers_are_found() {
    let problem = Family::Room.problem(3);
    let line: Line<f64> = problem.line(Form::Gram, false).unwrap();
    let path = pathqp::trace(&line, &Start::Anywhere, &pathqp::Settings::default(), &mut ()).unwrap();
    let mut further = problem.clone();
    further.a.push(vec![1; problem.n()]);
    further.row_lower.push(Some([-1000, -1000]));
    further.row_upper.push(None);
    let other = further.line(Form::Gram, false).unwrap();
    assert_eq!(path.approximate(&other, &1.0), Err(ApproximationError::OtherLine));
    let coarse = path.approximate(&line, &1.0).unwrap();
    let mut stored = serde_json::to_value(&coarse).unwrap();
    stored["rows"] = serde_json::Value::Null;
    let without: Path<f64> = serde_json::from_value(stored).unwrap();
    assert!(!validate(&without, &line, &1e-9).is_empty());
}

/// A row that is far from its bounds has no say, however far.
#[test]
fn distant_bounds_of_a_row_shorten_no_chord() {
    let problem = Family::Room.problem(3);
    let mut distant = problem.clone();
    distant.a.push(vec![1; problem.n()]);
    distant.row_lower.push(Some([-1_000_000_000_000, -1_000_000_000_000]));
    distant.row_upper.push(Some([1_000_000_000_000, 1_000_000_000_000]));
    let counts = [problem, distant].map(|problem| {
        let line: Line<f64> = problem.line(Form::Gram, false).unwrap();
        let path = pathqp::trace(&line, &Start::Anywhere, &pathqp::Settings::default(), &mut ()).unwrap();
        path.approximate(&line, &1e-3).unwrap().segments().len()
    });
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn chords_keep_their_promise_on_rationals() {
    for family in FAMILIES {
        let [before, after, chords] = sweep::<pathqp::Exact>(family, Form::Gram, 0..12);
        assert!(after <= before && chords > 0, "{family:?}: {before} segments, {after} after, {chords} chords");
    }
}

#[test]
fn chords_keep_their_promise_in_floating_point() {
    for family in FAMILIES {
        for form in [Form::Gram, Form::Dense, Form::Sparse] {
            let [before, after, chords] = sweep::<f64>(family, form, 0..60);
            assert!(after < before && chords > 0, "{family:?}: {before} segments, {after} after, {chords} chords");
        }
    }
}
