//! Exact arithmetic: small problems full of ties, followed with every tolerance zero and checked with none.

mod common;

use common::strategy::{Family, quantile, raw, regression, svm};
use common::{Form, Raw, Spec, brute, exact, follow, kkt, mirrored};
use pathqp::path::{Path, Stop};
use pathqp::validate::validate;
use pathqp::{Certificate, Exact, Line, PathError};
use proptest::prelude::*;

const PLAIN: Family = Family { max_n: 8, c: true, bounds: true, infinite: false, infeasible: false };

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases: cases * std::env::var("TIMES").map_or(1, |v| v.parse().unwrap()),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    }
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
        Some(Stop::Target) => (Some(path.end()) == line.length.as_ref())
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
        let Some(point) = path.at(&t) else {
            if !kkt::on("B") {
                return Ok(());
            }
            return Err(format!("no solution at t = {t}"));
        };
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
    if kkt::on("M") && same.breakpoints() != path.breakpoints() || same.end() != path.end() {
        return Err(format!("dense and Gram differ: {:?}, {:?}", path.breakpoints(), same.breakpoints()));
    }
    backwards(&spec, &path)?;
    let n = raw.n();
    for order in [(0..n).rev().collect::<Vec<_>>(), (0..n).map(|i| (i * 3 + 1) % n).collect()] {
        if (0..n).any(|i| !order.contains(&i)) {
            continue;
        }
        let permuted: Spec<Exact> = raw.permuted(&order).spec();
        let line = permuted.line(Form::Sparse, false);
        let other = follow(&line).map_err(|e| format!("order {order:?}: {e:?}"))?;
        check(&permuted, &line, &other).map_err(|e| format!("order {order:?}: {e}"))?;
        if kkt::on("M") && other.breakpoints() != path.breakpoints() || other.end() != path.end() {
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
    if !back.is_complete() || kkt::on("M") && back.breakpoints() != mirrored(&path.breakpoints(), path.end()) {
        let mirrored = mirrored(&back.breakpoints(), path.end());
        return Err(format!("forwards {:?}, backwards {mirrored:?} ({:?})", path.breakpoints(), back.stop()));
    }
    check_objectives(&reached, &line, &back).map_err(|e| format!("backwards: {e}"))
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
    fn quantile_regression_from_end_to_end(raw in quantile(8)) {
        run(&raw)?;
    }

    #[test]
    fn regression_with_a_tube(raw in regression(4)) {
        run(&raw)?;
    }
}
