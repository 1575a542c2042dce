//! Exact arithmetic: small problems full of ties, followed with every tolerance zero and checked with none.

use crate::common::strategy::{Family, quantile, raw, regression, svm};
use crate::common::{Form, Raw, Spec, brute, exact, follow, kkt, mirrored};
use pathqp::path::{Path, Start, Stop};
use pathqp::validate::validate;
use pathqp::{Affine, Certificate, Exact, Line, ParametricQp, PathError, Settings, trace};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const PLAIN: Family = Family { max_n: 8, c: true, bounds: true, infinite: false, infeasible: false };

/// The same problems in every run; others with PROPTEST_RNG_SEED.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        given => given,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, max_shrink_iters: 20_000, ..default }
}

/// Position along a line as θ.
fn theta(line: &Line<Exact>, t: &Exact) -> Exact {
    line.parameter(t).swap_remove(0)
}

/// Nothing is wrong with the path, by the engine's list and by the definition, and its end is what it says.
fn check(spec: &Spec<Exact>, line: &Line<Exact>, path: &Path<Exact>) -> Result<(), String> {
    let violations = validate(path, line, &Exact::ZERO);
    if !violations.is_empty() {
        return Err(format!("validate: {violations:?}"));
    }
    kkt::check_path(spec, line, path)?;
    let ahead = if line.direction[0] < Exact::ZERO { -1 } else { 1 };
    match path.stop() {
        Some(Stop::Target) => (Some(path.end()) == line.end.as_ref())
            .then_some(())
            .ok_or_else(|| format!("the target is reached at {}", path.end())),
        Some(Stop::Infeasible { t }) => infeasible_beyond(spec, &theta(line, t), ahead),
        Some(Stop::Unbounded { t, .. }) => match brute::unbounded(spec, &theta(line, t), ahead) {
            (false, true) => Ok(()),
            (now, later) => Err(format!("Unbounded at {t}, but unbounded there: {now}, beyond: {later}")),
        },
        stop => Err(format!("ended with {stop:?}")),
    }
}

/// Some x satisfies the row at θ, none just beyond.
fn infeasible_beyond(spec: &Spec<Exact>, theta: &Exact, ahead: i64) -> Result<(), String> {
    let Some((_, b)) = &spec.row else { return Err("infeasible without a row".into()) };
    let beyond = theta.clone() + exact(ahead, 1_000_000_000);
    let needed = |theta: &Exact| Spec::at(b, theta);
    let within = |theta: &Exact| {
        let (least, most) = spec.row_range(theta);
        least.is_none_or(|l| l <= needed(theta)) && most.is_none_or(|m| needed(theta) <= m)
    };
    match (within(theta), within(&beyond)) {
        (true, false) => Ok(()),
        (here, there) => Err(format!("Infeasible beyond θ = {theta}, but feasible there: {here}, beyond: {there}")),
    }
}

/// Objectives at a few t against enumeration (n ≤ 4); the certified gap is zero at all of them.
fn check_objectives(spec: &Spec<Exact>, line: &Line<Exact>, path: &Path<Exact>) -> Result<(), String> {
    for part in [0, 3, 7, 11, 16] {
        let t = path.end().clone() * exact(part, 16);
        let Some(point) = path.at(&t) else { return Err(format!("no solution at t = {t}")) };
        let certificate = Certificate::new(line, &t, &point.x, &point.y);
        if certificate.relative_gap != Exact::ZERO || certificate.objective != certificate.dual_objective {
            return Err(format!("gap {} at t = {t}", certificate.relative_gap));
        }
        let theta = theta(line, &t);
        if certificate.objective != spec.objective(&theta, &point.x) {
            return Err(format!("the certificate's objective is {} at t = {t}", certificate.objective));
        }
        if spec.n() <= 4 && !brute::has_free_direction(spec) {
            let best = brute::minimum(spec, &theta);
            if best.as_ref() != Some(&certificate.objective) {
                return Err(format!("objective {} at t = {t}, the least is {best:?}", certificate.objective));
            }
        }
    }
    Ok(())
}

/// An error is right only when the problem has no solution at the start, or no unique way to pick one.
fn check_error(spec: &Spec<Exact>, start: &Exact, error: &PathError) -> Result<(), String> {
    let right = match error {
        PathError::Infeasible { .. } => {
            let (least, most) = spec.row_range(start);
            let b = spec.row.as_ref().map(|(_, b)| Spec::at(b, start));
            b.is_some_and(|b| least.is_some_and(|l| b < l) || most.is_some_and(|m| b > m))
        }
        PathError::UnboundedStart { .. } => brute::unbounded(spec, start, 1).0,
        PathError::FreeDirection { .. } => brute::has_free_direction(spec),
        _ => false,
    };
    if right { Ok(()) } else { Err(format!("{error:?}")) }
}

/// Follows a problem in every form, order and direction.
fn follow_all(raw: &Raw) -> Result<(), String> {
    let spec: Spec<Exact> = raw.spec();
    let line = spec.line(Form::Dense, false);
    let path = match follow(&line) {
        Ok(path) => path,
        Err(error) => return check_error(&spec, &spec.from, &error),
    };
    check(&spec, &line, &path).map_err(|e| format!("forwards: {e}"))?;
    check_objectives(&spec, &line, &path).map_err(|e| format!("forwards: {e}"))?;
    let gram = spec.line(Form::Gram, false);
    let same = follow(&gram).map_err(|e| format!("Gram: {e:?}"))?;
    if same.breakpoints() != path.breakpoints() || same.end() != path.end() {
        return Err(format!("dense and Gram differ: {:?}, {:?}", path.breakpoints(), same.breakpoints()));
    }
    backwards(&spec, &path)?;
    restarts(&spec, &path)?;
    let n = raw.n();
    for order in [(0..n).rev().collect::<Vec<_>>(), (0..n).map(|i| (i * 3 + 1) % n).collect()] {
        if (0..n).any(|i| !order.contains(&i)) {
            continue;
        }
        let permuted: Spec<Exact> = raw.permuted(&order).spec();
        let line = permuted.line(Form::Sparse, false);
        let other = follow(&line).map_err(|e| format!("order {order:?}: {e:?}"))?;
        check(&permuted, &line, &other).map_err(|e| format!("order {order:?}: {e}"))?;
        if other.breakpoints() != path.breakpoints() || other.end() != path.end() {
            return Err(format!("order {order:?}: {:?}, not {:?}", other.breakpoints(), path.breakpoints()));
        }
    }
    Ok(())
}

/// From where the path ended back to its beginning: the same breakpoints.
fn backwards(spec: &Spec<Exact>, path: &Path<Exact>) -> Result<(), String> {
    let reached = Spec { to: spec.from.clone() + path.end(), ..spec.clone() };
    let line = reached.line(Form::Dense, true);
    let back = follow(&line).map_err(|e| format!("backwards: {e:?}"))?;
    check(&reached, &line, &back).map_err(|e| format!("backwards: {e}"))?;
    if !back.is_complete() || back.breakpoints() != mirrored(&path.breakpoints(), path.end()) {
        let mirrored = mirrored(&back.breakpoints(), path.end());
        return Err(format!("forwards {:?}, backwards {mirrored:?} ({:?})", path.breakpoints(), back.stop()));
    }
    check_objectives(&reached, &line, &back).map_err(|e| format!("backwards: {e}"))
}

/// From the active set on the way, and (where the feasible set stays) from the other end's x: the same breakpoints.
fn restarts(spec: &Spec<Exact>, path: &Path<Exact>) -> Result<(), String> {
    let qp = spec.problem(spec.hessian(Form::Dense), spec.domain()).map_err(|e| e.to_string())?;
    let from = path.end().clone() * exact(5, 16);
    let Some(segment) = path.segments().iter().rposition(|s| s.t <= from) else { return Ok(()) };
    let status = path.status_on(segment);
    let y = path.at(&from).map(|p| p.y);
    let line = qp.line(&[spec.from.clone() + &from], &[spec.from.clone() + path.end()]).map_err(|e| e.to_string())?;
    let start = Start::ActiveSet { status, y };
    let rest =
        trace(&line, &start, &Settings::default(), &mut ()).map_err(|f| format!("restart at {from}: {}", f.0))?;
    check(spec, &line, &rest).map_err(|e| format!("restart at {from}: {e}"))?;
    let found: Vec<Exact> = rest.breakpoints().iter().map(|t| t + &from).collect();
    let expected: Vec<Exact> = path.breakpoints().into_iter().filter(|t| *t > from).collect();
    if found != expected {
        return Err(format!("restart at {from}: {found:?}, not {expected:?}"));
    }
    let fixed = |b: &Option<[Exact; 2]>| b.as_ref().is_none_or(|b| b[1] == Exact::ZERO);
    let still = spec.lower.iter().chain(&spec.upper).all(fixed) && fixed(&spec.row.as_ref().map(|r| r.1.clone()));
    if !still {
        return Ok(());
    }
    let Some(last) = path.at(path.end()) else { return Ok(()) };
    let line = spec.line(Form::Dense, false);
    let guess = Start::Guess(last.x);
    let again = trace(&line, &guess, &Settings::default(), &mut ()).map_err(|f| format!("{guess:?}: {}", f.0))?;
    check(spec, &line, &again).map_err(|e| format!("{guess:?}: {e}"))?;
    if again.breakpoints() != path.breakpoints() {
        return Err(format!("{guess:?}: {:?}, not {:?}", again.breakpoints(), path.breakpoints()));
    }
    Ok(())
}

/// C without limit: the last law holds for ever, and x has a limit exactly when the dual without costs is bounded.
fn follow_ray(raw: &Raw) -> Result<(), String> {
    let spec: Spec<Exact> = raw.spec();
    let ray = spec.ray(Form::Gram);
    let path = follow(&ray).map_err(|e| format!("{e:?}"))?;
    let violations = validate(&path, &ray, &Exact::ZERO);
    if !violations.is_empty() {
        return Err(format!("validate: {violations:?}"));
    }
    kkt::check_path(&spec, &ray, &path)?;
    let far = path.end().clone() + exact(1_000_000, 1);
    let point = path.at(&far).ok_or("no solution far out")?;
    let wrong = kkt::violations(&spec, &far, &point.x, &point.y);
    if !wrong.is_empty() {
        return Err(format!("at {far}: {wrong:?}"));
    }
    let endless = Spec { upper: vec![None; spec.n()], ..spec.clone() };
    let (unbounded, _) = brute::unbounded(&endless, &Exact::ZERO, 1);
    match (path.stop(), unbounded) {
        (Some(Stop::Target), false) | (Some(Stop::Diverges { .. }), true) => Ok(()),
        (stop, unbounded) => Err(format!("{stop:?}, but the dual without costs is unbounded: {unbounded}")),
    }
}

/// With two parameters of which only the mean matters, the diagonal of Θ is the problem itself, and nothing happens on
/// the other diagonal.
fn follow_diagonals(raw: &Raw) -> Result<(), String> {
    let spec: Spec<Exact> = raw.spec();
    let one = spec.line(Form::Dense, false);
    let path = follow(&one).map_err(|e| format!("one parameter: {e:?}"))?;
    let affine = |v: Vec<[Exact; 2]>| {
        let half: Vec<Exact> = v.iter().map(|p| p[1].clone() / exact(2, 1)).collect();
        Affine { constant: v.into_iter().map(|[v, _]| v).collect(), slopes: vec![half.clone(), half] }
    };
    let bounds = |v: &[Option<[Exact; 2]>]| affine(v.iter().flatten().cloned().collect());
    let mut qp = ParametricQp::new(spec.hessian(Form::Gram), vec![spec.domain(); 2], affine(spec.c.clone()))
        .and_then(|qp| qp.lower(bounds(&spec.lower)))
        .and_then(|qp| qp.upper(bounds(&spec.upper)))
        .map_err(|e| e.to_string())?;
    if let Some((a, b)) = &spec.row {
        qp = qp.equality(a.clone(), affine(vec![b.clone()])).map_err(|e| e.to_string())?;
    }
    let (zero, end) = (Exact::ZERO, spec.to.clone());
    let diagonal = qp.line(&[zero.clone(), zero.clone()], &[end.clone(), end.clone()]).map_err(|e| e.to_string())?;
    let same = follow(&diagonal).map_err(|e| format!("diagonal: {e:?}"))?;
    check(&spec, &diagonal, &same).map_err(|e| format!("diagonal: {e}"))?;
    if same.breakpoints() != path.breakpoints() || same.end() != path.end() {
        return Err(format!("on the diagonal {:?}, not {:?}", same.breakpoints(), path.breakpoints()));
    }
    let across = qp.line(&[zero.clone(), end.clone()], &[end, zero]).map_err(|e| e.to_string())?;
    let still = follow(&across).map_err(|e| format!("across: {e:?}"))?;
    if !still.is_complete() || !still.breakpoints().is_empty() {
        return Err(format!("across: {:?}, {:?}", still.breakpoints(), still.stop()));
    }
    if !validate(&still, &across, &Exact::ZERO).is_empty() {
        return Err("across: not optimal".into());
    }
    let middle = path.end().clone().min(spec.to.clone() / exact(2, 1));
    if middle == spec.to.clone() / exact(2, 1) {
        let here = still.at(&middle).ok_or("nothing in the middle")?.x;
        let there = path.at(&middle).ok_or("nothing in the middle of one parameter")?.x;
        if spec.product(&here) != spec.product(&there) {
            return Err("across: another fit than in the middle of the diagonal".into());
        }
    }
    Ok(())
}

fn run(raw: &Raw) -> Result<(), TestCaseError> {
    follow_all(raw).map_err(|e| TestCaseError::fail(format!("{e}\n{raw:?}")))
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn everything_moves(raw in raw(PLAIN)) {
        run(&raw)?;
    }

    #[test]
    fn the_linear_term_moves(raw in raw(Family { bounds: false, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn the_bounds_move(raw in raw(Family { c: false, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn everything_moves_in_few_variables(raw in raw(Family { max_n: 4, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn some_bounds_are_missing(raw in raw(Family { max_n: 5, infinite: true, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn some_bounds_are_missing_and_only_c_moves(raw in raw(Family { max_n: 5, infinite: true, bounds: false, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn the_row_may_become_infeasible(raw in raw(Family { infeasible: true, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn support_vector_machines_from_zero_cost(raw in svm(8)) {
        run(&raw)?;
    }

    #[test]
    fn support_vector_machines_without_limit(raw in svm(6)) {
        follow_ray(&raw).map_err(|e| TestCaseError::fail(format!("{e}\n{raw:?}")))?;
    }

    #[test]
    fn lines_in_the_plane(raw in raw(PLAIN)) {
        follow_diagonals(&raw).map_err(|e| TestCaseError::fail(format!("{e}\n{raw:?}")))?;
    }

    #[test]
    fn only_c_moves_until_the_row_is_infeasible(raw in raw(Family { infeasible: true, bounds: false, ..PLAIN })) {
        run(&raw)?;
    }

    #[test]
    fn quantile_regression_from_end_to_end(raw in quantile(8)) {
        run(&raw)?;
    }

    #[test]
    fn regression_with_a_tube(raw in regression(4)) {
        run(&raw)?;
    }
}
