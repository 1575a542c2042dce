//! What became of a problem, judged from its definition.

use super::problem::{Form, Problem, at};
use pathqp::rows::Proof;
use pathqp::{Exact, Line, Path, PathError, Point, Scalar, Settings, Start, Stop, trace};
use std::str::FromStr;

/// How a problem ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Complete,
    InfeasibleAtStart,
    UnboundedAtStart,
    /// Position.
    Infeasible(f64),
    Unbounded(f64),
}

/// A problem that was followed.
pub struct Followed<S> {
    pub end: End,
    pub line: Line<S>,
    pub path: Option<Path<S>>,
}

/// Numbers that an error carries as text.
pub trait Read: Scalar {
    fn read(text: &str) -> Option<Self>;
    fn noise() -> Self;
    fn rounded(&self) -> f64;
}

impl Read for f64 {
    fn read(text: &str) -> Option<f64> {
        text.parse().ok()
    }
    fn noise() -> f64 {
        1e-9
    }
    fn rounded(&self) -> f64 {
        *self
    }
}

impl Read for Exact {
    fn read(text: &str) -> Option<Exact> {
        Exact::from_str(text).ok()
    }
    fn noise() -> Exact {
        Exact::ZERO
    }
    fn rounded(&self) -> f64 {
        self.to_f64().value()
    }
}

/// Follows a problem and checks everything about the answer.
pub fn follow<S: Read>(
    problem: &Problem,
    form: Form,
    backwards: bool,
    start: &Start<S>,
) -> Result<Followed<S>, String> {
    let line: Line<S> = problem.line(form, backwards).map_err(|e| format!("not posed: {e}"))?;
    let path = match trace(&line, start, &Settings::default(), &mut ()) {
        Ok(path) => path,
        Err(failure) => return of_error(problem, line, &failure.0),
    };
    check_path(problem, &line, &path)?;
    let t = path.end().clone();
    let at = t.rounded();
    let end = match path.stop() {
        Some(Stop::Target) => End::Complete,
        Some(Stop::Infeasible { .. }) => End::Infeasible(at),
        Some(Stop::Unbounded { .. }) => End::Unbounded(at),
        stop => return Err(format!("ended with {stop:?}")),
    };
    if end != End::Complete && line.rows.is_some() {
        proves(path.proof(), &line, &t)?;
    }
    Ok(Followed { end, line, path: Some(path) })
}

/// A proof holds beyond t and not before.
fn proves<S: Read>(proof: Option<&Proof<S>>, line: &Line<S>, t: &S) -> Result<(), String> {
    let proof = proof.ok_or("no proof")?;
    let step = S::one() / S::integer(1 << 20);
    let beyond = proof.excess(line, &(t.clone() + &step), &S::noise());
    if beyond.as_ref().is_none_or(|excess| *excess <= S::zero()) {
        return Err(format!("beyond t = {t} the proof is worth {beyond:?}: {proof:?}"));
    }
    Ok(())
}

fn of_error<S: Read>(_problem: &Problem, line: Line<S>, error: &PathError) -> Result<Followed<S>, String> {
    let vector = |entries: &[(usize, String)], n: usize| {
        let mut v = vec![S::zero(); n];
        for (i, text) in entries {
            v[*i] = S::read(text).ok_or_else(|| format!("{text} is no number"))?;
        }
        Ok::<Vec<S>, String>(v)
    };
    let (proof, end) = match error {
        PathError::InfeasibleRows { weights } => {
            (Proof::Infeasible { weights: vector(weights, line.m())? }, End::InfeasibleAtStart)
        }
        PathError::UnboundedAlong { direction } => {
            (Proof::Unbounded { direction: vector(direction, line.n())? }, End::UnboundedAtStart)
        }
        error => return Err(format!("error: {error}")),
    };
    let t = line.begin.clone();
    match proof.excess(&line, &t, &S::noise()) {
        Some(excess) if excess > S::zero() => Ok(Followed { end, line, path: None }),
        // Unbounded from the beginning on, where the objective does not fall at first.
        Some(excess) if excess >= -S::noise() && end == End::UnboundedAtStart => {
            proves(Some(&proof), &line, &t)?;
            Ok(Followed { end, line, path: None })
        }
        worth => Err(format!("{error}: the proof is worth {worth:?}")),
    }
}

/// Every segment at its ends and in its middle; no gaps; the objective continuous.
fn check_path<S: Read>(problem: &Problem, line: &Line<S>, path: &Path<S>) -> Result<(), String> {
    let segments = path.segments();
    if segments.is_empty() || segments[0].t != line.begin {
        return Err("the path does not begin where the line does".into());
    }
    let mut before: Option<S> = None;
    for (k, segment) in segments.iter().enumerate() {
        let next = segments.get(k + 1).map_or(path.end(), |next| &next.t).clone();
        if next < segment.t || (next == segment.t && segments.len() > 1) {
            return Err(format!("segment {k} runs from {} to {next}", segment.t));
        }
        let middle = (segment.t.clone() + &next) / S::integer(2);
        for t in [&segment.t, &middle, &next] {
            let point = path.law_at(k, t).ok_or("no point")?;
            check_point(problem, line, &point).map_err(|e| format!("segment {k} at t = {t}: {e}"))?;
        }
        let objective = |t: &S| {
            let theta = line.parameter(t).swap_remove(0);
            path.law_at(k, t).map(|p| problem.objective(&theta, &p.x))
        };
        let (first, last) = (objective(&segment.t).ok_or("no point")?, objective(&next));
        if let Some(before) = before {
            let off = (first.clone() - &before).abs();
            if off > S::noise() * (first.abs() + S::one()) {
                return Err(format!("the objective jumps by {off} at t = {}", segment.t));
            }
        }
        before = last;
    }
    Ok(())
}

/// The optimality conditions, from their definition.
pub fn check_point<S: Read>(problem: &Problem, line: &Line<S>, point: &Point<S>) -> Result<(), String> {
    let theta = line.parameter(&point.t).swap_remove(0);
    let (n, m) = (problem.n(), problem.m());
    let y = if point.rows.is_empty() { vec![point.y.clone(); m.min(1)] } else { point.rows.clone() };
    if point.x.len() != n || y.len() != m {
        return Err(format!("{} variables, {} multipliers", point.x.len(), y.len()));
    }
    let hx = problem.product(&point.x);
    let mut scale_x = S::one();
    for bound in problem.lower.iter().chain(&problem.upper).flatten() {
        scale_x = S::larger(scale_x, at(bound, &theta).abs());
    }
    for x in &point.x {
        scale_x = S::larger(scale_x, x.abs());
    }
    let near = S::noise() * &scale_x;
    let side = |what: &str, i: usize, x: &S, z: &S, size: &S, l: Option<S>, u: Option<S>| {
        let zero = S::noise() * size;
        if l.as_ref().is_some_and(|l| *x < l.clone() - &near) || u.as_ref().is_some_and(|u| *x > u.clone() + &near) {
            return Err(format!("{what}[{i}] = {x} outside [{l:?}, {u:?}]"));
        }
        let at = |b: &Option<S>| b.as_ref().is_some_and(|b| (b.clone() - x).abs() <= near);
        if *z > zero && !at(&l) || *z < -zero && !at(&u) {
            return Err(format!("{what}[{i}] = {x} in [{l:?}, {u:?}] with z = {z}"));
        }
        Ok(())
    };
    for (i, (x, hx)) in point.x.iter().zip(&hx).enumerate() {
        let c = at(&problem.c[i], &theta);
        let (mut z, mut size) = (hx.clone() + &c, hx.abs() + c.abs() + S::one());
        for (row, y) in problem.a.iter().zip(&y) {
            let term = S::integer(row[i]) * y;
            size += term.abs();
            z -= term;
        }
        let [l, u] = [&problem.lower[i], &problem.upper[i]].map(|b| b.as_ref().map(|b| at(b, &theta)));
        side("x", i, x, &z, &size, l, u)?;
    }
    for (r, (row, y)) in problem.a.iter().zip(&y).enumerate() {
        let value = row.iter().zip(&point.x).fold(S::zero(), |s, (&a, x)| s + S::integer(a) * x);
        let [l, u] = [&problem.row_lower[r], &problem.row_upper[r]].map(|b| b.as_ref().map(|b| at(b, &theta)));
        side("row", r, &value, y, &(y.abs() + S::one()), l, u)?;
    }
    Ok(())
}
