//! Many problems of a family, exactly and in floating point.

use super::check::{End, Followed, Read, follow};
use super::families::Family;
use super::problem::{Form, Problem};
use pathqp::{Exact, Start};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// f64 alone: every form, there and back.
    Float,
    /// Rationals, and f64 compared with them.
    Exact,
}

/// What became of many problems.
#[derive(Default)]
pub struct Tally {
    pub problems: usize,
    pub ends: BTreeMap<String, usize>,
    pub breakpoints: usize,
    pub segments: usize,
    pub pivots: usize,
    pub detours: usize,
    pub failures: Vec<(u64, String)>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} problems, {:?}", self.problems, self.ends)?;
        write!(f, ", {} breakpoints, {} segments, {} pivots", self.breakpoints, self.segments, self.pivots)?;
        write!(f, ", {} detours; {} fail", self.detours, self.failures.len())
    }
}

fn name(end: &End) -> String {
    let text = format!("{end:?}");
    text.split('(').next().unwrap_or_default().to_string()
}

/// The breakpoints are the same, but for the ends of the line, and so are the ends of the paths.
fn same<S: Read, T: Read>(a: &Followed<S>, b: &Followed<T>, mirror: bool) -> Result<(), String> {
    const NEAR: f64 = 1e-8;
    let close = |a: f64, b: f64| (a - b).abs() <= NEAR;
    let alike = match (&a.end, &b.end) {
        (End::Infeasible(s), End::Infeasible(t)) | (End::Unbounded(s), End::Unbounded(t)) => close(*s, *t),
        (s, t) => s == t,
    };
    if mirror && (a.end != End::Complete || b.end != End::Complete) {
        return Ok(());
    }
    // An objective without a minimum from the beginning on, and one at the beginning only, differ by a rounding.
    let touching = |end: &End| match end {
        End::Unbounded(t) => *t <= NEAR,
        end => *end == End::UnboundedAtStart,
    };
    let touch = touching(&a.end) && touching(&b.end);
    if !alike && !touch {
        return Err(format!("{:?} and {:?}", a.end, b.end));
    }
    let (Some(p), Some(q)) = (&a.path, &b.path) else { return Ok(()) };
    let end = p.end().rounded();
    let inner = |v: Vec<f64>| v.into_iter().filter(|t| *t > NEAR && *t < end - NEAR).collect::<Vec<f64>>();
    let ours = inner(p.breakpoints().iter().map(Read::rounded).collect());
    let theirs: Vec<f64> = q.breakpoints().iter().map(Read::rounded).collect();
    let theirs = inner(if mirror { theirs.iter().map(|t| end - t).collect() } else { theirs });
    let missing = |a: &[f64], b: &[f64]| a.iter().find(|t| !b.iter().any(|s| close(*s, **t))).copied();
    match (missing(&ours, &theirs), missing(&theirs, &ours)) {
        (None, None) => Ok(()),
        (ours, theirs) => Err(format!("breakpoints differ: {ours:?} only here, {theirs:?} only there")),
    }
}

fn one(problem: &Problem, mode: Mode, tally: &mut Tally) -> Result<(), String> {
    if mode == Mode::Exact {
        let there = follow::<Exact>(problem, Form::Gram, false, &Start::Anywhere).map_err(|e| format!("exact: {e}"))?;
        let back =
            follow::<Exact>(problem, Form::Gram, true, &Start::Anywhere).map_err(|e| format!("exact back: {e}"))?;
        same(&there, &back, true).map_err(|e| format!("exact back: {e}"))?;
    }
    let gram = follow::<f64>(problem, Form::Gram, false, &Start::Anywhere).map_err(|e| format!("f64: {e}"))?;
    *tally.ends.entry(name(&gram.end)).or_default() += 1;
    if let Some(path) = &gram.path {
        tally.breakpoints += path.breakpoints().len();
        tally.segments += path.segments().len();
        tally.pivots += path.stats().pivots;
        tally.detours += path.stats().detours;
    }
    if mode == Mode::Exact {
        let exact = follow::<Exact>(problem, Form::Gram, false, &Start::Anywhere).map_err(|e| format!("exact: {e}"))?;
        same(&exact, &gram, false).map_err(|e| format!("exact and f64: {e}"))?;
        return Ok(());
    }
    for form in [Form::Dense, Form::Sparse] {
        let other = follow::<f64>(problem, form, false, &Start::Anywhere).map_err(|e| format!("{form:?}: {e}"))?;
        same(&gram, &other, false).map_err(|e| format!("{form:?}: {e}"))?;
    }
    if gram.end == End::Complete {
        let back = follow::<f64>(problem, Form::Gram, true, &Start::Anywhere).map_err(|e| format!("back: {e}"))?;
        same(&gram, &back, true).map_err(|e| format!("back: {e}"))?;
    }
    Ok(())
}

/// The problems of some seeds.
pub fn sweep(family: Family, mode: Mode, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        tally.problems += 1;
        let problem = family.problem(seed);
        let outcome = catch_unwind(AssertUnwindSafe(|| one(&problem, mode, &mut tally)));
        if let Err(failure) = outcome.unwrap_or_else(|_| Err("panic".into())) {
            tally.failures.push((seed, failure));
        }
    }
    tally
}

/// Prints the segments of a problem's path, exactly and in floating point.
pub fn show(problem: &Problem) {
    fn print<S: Read>(problem: &Problem, form: Form) {
        let Ok(line) = problem.line::<S>(form, false) else { return };
        let path = match pathqp::trace(&line, &Start::Anywhere, &pathqp::Settings::default(), &mut ()) {
            Ok(path) => path,
            Err(failure) => return println!("{form:?}: {failure}"),
        };
        println!("{form:?}: {:?}, {:?}", path.stop(), path.stats());
        for (k, segment) in path.segments().iter().enumerate() {
            let Some(point) = path.law_at(k, &segment.t) else { continue };
            let round = |v: &[S]| v.iter().map(Read::rounded).collect::<Vec<f64>>();
            let (t, breakpoint, free) = (segment.t.rounded(), segment.breakpoint, path.free_on(k));
            println!("  {t} {breakpoint} F {free:?} x {:?} y {:?}", round(&point.x), round(&point.rows));
        }
    }
    print::<Exact>(problem, Form::Gram);
    print::<f64>(problem, Form::Gram);
    print::<f64>(problem, Form::Dense);
}
