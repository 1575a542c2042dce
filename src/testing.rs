//! Checks that every adapter can be put to, whatever its problem is (feature `testing`).
//!
//! An adapter poses a [`ParametricQp`]; [`check`] follows a line of it and returns everything that is wrong, as a list of
//! [`Finding`]s: the certificate at every breakpoint, between them and at random parameters; the objective at random
//! parameters against Clarabel, an interior-point solver that shares nothing with the engine; the same breakpoints from the
//! other end. [`check_exactly`] follows the line on exact rationals as well, with all tolerances zero, and compares.
//!
//! ```
//! use pathqp::testing::{Options, check, check_exactly};
//! use pathqp::{Affine, ParametricQp, Range, Start, hessian::Dense};
//! use std::sync::Arc;
//!
//! let h = Arc::new(Dense::new(vec![vec![2.0, 1.0], vec![1.0, 2.0]])?);
//! let qp = ParametricQp::new(h, vec![Range::new(0.0, 4.0)], Affine::line(vec![0.0, 0.0], vec![-1.0, -2.0]))?
//!     .upper(Affine::constant(vec![1.0, 1.0], 1))?;
//! assert_eq!(check(&qp, &[0.0], &[4.0], &Start::Anywhere, &Options::default()), []);
//! assert_eq!(check_exactly(&qp, &[0.0], &[4.0], &Options::default()), []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The feature is for `[dev-dependencies]` only; builds without it do not depend on Clarabel.

use crate::certificate::Certificate;
use crate::error::{PathError, ProblemError};
use crate::hessian::{Dense, multiply};
use crate::path::{Path, Start, Stop, trace};
use crate::problem::{Bounds, Line, ParametricQp};
use crate::scalar::{Exact, Scalar};
use crate::settings::Settings;
use crate::validate::{Violation, validate};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use num_traits::{FromPrimitive, Zero};
use std::fmt;
use std::sync::Arc;

/// What is demanded.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Random parameters at which the certificate and the objective are checked. Default 50.
    pub points: usize,
    /// The seed of the random parameters. Default 1.
    pub seed: u64,
    /// The scaled KKT residual that a certificate may show. Default 1e-9.
    pub residual: f64,
    /// How far the objective may lie outside the interval between the other solver's dual and primal objective, relative to its size.
    /// Default 1e-8.
    pub objective: f64,
    /// How far apart breakpoints may be that are the same, relative to the length of the line. Default 1e-8.
    pub breakpoint: f64,
    /// The settings of the paths.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        let settings = Settings::default();
        Options { points: 50, seed: 1, residual: 1e-9, objective: 1e-8, breakpoint: 1e-8, settings }
    }
}

/// One thing wrong. Positions are t, counted from the beginning of the line.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The line, or the problem on exact scalars, could not be posed.
    Problem(ProblemError),
    /// The path could not be followed.
    Path(PathError),
    /// The path ends before its line does.
    Stopped {
        /// Why.
        stop: Option<Stop<f64>>,
    },
    /// What [`validate`] says about the path.
    Violation(Violation<f64>),
    /// A KKT residual at a random position.
    Residual {
        /// Position.
        t: f64,
        /// The residual.
        residual: f64,
    },
    /// The objective differs from the other solver's.
    Objective {
        /// Position.
        t: f64,
        /// The path's objective.
        path: f64,
        /// The other solver's dual and primal objective.
        between: [f64; 2],
    },
    /// The other solver has no answer.
    Unsolved {
        /// Position.
        t: f64,
    },
    /// A breakpoint that only one of two paths has.
    Alone {
        /// Position.
        t: f64,
        /// The path that has it.
        on: Which,
    },
    /// What [`validate`] says about the path on exact scalars, with no tolerance.
    Inexact(String),
    /// The objective differs from that on exact scalars.
    Differs {
        /// Position.
        t: f64,
        /// The path's objective.
        path: f64,
        /// The exact one.
        exact: f64,
    },
}

/// A path that is compared with the one from the beginning of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// That one itself.
    Forwards,
    /// The path from the other end.
    Backwards,
    /// The path on exact scalars.
    Exact,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Everything wrong with the path of a problem from one point of Θ to another, both finite and p entries long, begun from `start`.
pub fn check(qp: &ParametricQp<f64>, from: &[f64], to: &[f64], start: &Start<f64>, options: &Options) -> Vec<Finding> {
    let (line, path) = match followed(qp, from, to, start, options) {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let mut findings = Vec::new();
    if !path.is_complete() {
        findings.push(Finding::Stopped { stop: path.stop().cloned() });
    }
    findings.extend(validate(&path, &line, &options.residual).into_iter().map(Finding::Violation));
    let mut random = Random(options.seed);
    let end = *path.end();
    for t in (0..options.points).map(|_| end * random.unit()) {
        findings.extend(check_at(&path, &line, t, options));
    }
    if path.is_complete() {
        findings.extend(check_backwards(qp, from, to, &path, options).unwrap_or_else(|finding| vec![finding]));
    }
    findings
}

/// The same line on exact scalars, from anywhere, compared with the path in floating point. For data of which H is exactly
/// semidefinite: whole numbers or short binary fractions, not too many (a hundred variables are many).
pub fn check_exactly(qp: &ParametricQp<f64>, from: &[f64], to: &[f64], options: &Options) -> Vec<Finding> {
    let (line, path) = match followed(qp, from, to, &Start::Anywhere, options) {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let exact_line = match exact(&line) {
        Ok(line) => line,
        Err(error) => return vec![Finding::Problem(error)],
    };
    let exactly = match trace(&exact_line, &Start::Anywhere, &options.settings, &mut ()) {
        Ok(exactly) => exactly,
        Err(failure) => return vec![Finding::Path(failure.0)],
    };
    let wrong = validate(&exactly, &exact_line, &Exact::ZERO).into_iter().map(|violation| format!("{violation:?}"));
    let mut findings: Vec<Finding> = wrong.map(Finding::Inexact).collect();
    let breakpoints: Vec<f64> = exactly.breakpoints().iter().map(rounded).collect();
    findings.extend(compare(&path.breakpoints(), (&breakpoints, Which::Exact), *path.end(), options));
    let mut random = Random(options.seed);
    for t in (0..options.points).map(|_| *path.end() * random.unit()) {
        let position = Exact::from_f64(t).unwrap_or_else(Exact::zero);
        let (Some(point), Some(other)) = (path.at(&t), exactly.at(&position)) else { continue };
        let path = Certificate::new(&line, &t, &point.x, &point.y).objective;
        let exact = rounded(&Certificate::new(&exact_line, &position, &other.x, &other.y).objective);
        let [size, noise] = terms(&line, t, &point.x);
        if (path - exact).abs() > options.objective * size + noise {
            findings.push(Finding::Differs { t, path, exact });
        }
    }
    findings
}

/// The dual and the primal objective that Clarabel finds at position t of a line: the optimum lies between them. None if it cannot
/// say.
pub fn solve(line: &Line<f64>, t: f64) -> Option<[f64; 2]> {
    let n = line.n();
    let bounds = |i: usize| [line.bounds.lower_at(i, &t), line.bounds.upper_at(i, &t)];
    let is_fixed = |i: usize| matches!(bounds(i), [Some(l), Some(u)] if l == u);
    let unit = |i: usize, sign: f64| (0..n).map(|j| if i == j { sign } else { 0.0 }).collect::<Vec<f64>>();
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    rows.extend(line.has_row().then(|| (line.a.clone(), line.b(&t))));
    rows.extend((0..n).filter(|&i| is_fixed(i)).filter_map(|i| Some((unit(i, 1.0), bounds(i)[0]?))));
    let equalities = rows.len();
    for i in (0..n).filter(|&i| !is_fixed(i)) {
        let [lower, upper] = bounds(i);
        rows.extend(upper.map(|u| (unit(i, 1.0), u)));
        rows.extend(lower.map(|l| (unit(i, -1.0), -l)));
    }
    let (matrix, rhs): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
    let a = if matrix.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&matrix) };
    let cones = [ZeroConeT(equalities), NonnegativeConeT(matrix.len() - equalities)];
    // Its tolerances are meant for objectives whose numbers are about one.
    let scale = (0..n).map(|i| line.c(i, &t).abs().max(line.hessian.diagonal(i))).fold(0.0, f64::max);
    let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
    let cost: Vec<f64> = (0..n).map(|i| line.c(i, &t) / scale).collect();
    let scaled: Vec<Vec<f64>> = entries(line).iter().map(|row| row.iter().map(|h| h / scale).collect()).collect();
    let p = CscMatrix::from(&scaled).to_triu();
    // Near-ties may stop it short in one scaling and not in the other.
    [true, false].into_iter().find_map(|equilibrate_enable| {
        let settings = DefaultSettings {
            verbose: false,
            max_threads: 1,
            equilibrate_enable,
            tol_gap_abs: 1e-12,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-11,
            reduced_tol_gap_abs: 1e-10,
            reduced_tol_gap_rel: 1e-9,
            reduced_tol_feas: 1e-9,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&p, &cost, &a, &rhs, &cones, settings).ok()?;
        solver.solve();
        let found = &solver.solution;
        let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
        let close = (found.obj_val - found.obj_val_dual).abs() <= 1e-8 * (1.0 + found.obj_val.abs());
        (usable.contains(&found.status) && close).then_some([found.obj_val_dual * scale, found.obj_val * scale])
    })
}

/// The same line on exact scalars: every number is taken as it is.
///
/// # Errors
/// H is not exactly semidefinite.
pub fn exact(line: &Line<f64>) -> Result<Line<Exact>, ProblemError> {
    let number = |v: &f64| Exact::from_f64(*v).unwrap_or_else(Exact::zero);
    let numbers = |v: &[f64]| v.iter().map(number).collect::<Vec<Exact>>();
    let pairs = |v: &[Option<[f64; 2]>]| v.iter().map(|b| b.map(|[v, s]| [number(&v), number(&s)])).collect();
    Ok(Line {
        hessian: Arc::new(Dense::new(entries(line).iter().map(|row| numbers(row)).collect())?),
        c0: numbers(&line.c0),
        c1: numbers(&line.c1),
        bounds: Bounds { lower: pairs(&line.bounds.lower), upper: pairs(&line.bounds.upper) },
        a: numbers(&line.a),
        b0: number(&line.b0),
        b1: number(&line.b1),
        origin: numbers(&line.origin),
        direction: numbers(&line.direction),
        length: line.length.as_ref().map(number),
    })
}

fn followed(
    qp: &ParametricQp<f64>,
    from: &[f64],
    to: &[f64],
    start: &Start<f64>,
    options: &Options,
) -> Result<(Line<f64>, Path<f64>), Finding> {
    let line = qp.line(from, to).map_err(Finding::Problem)?;
    let path = trace(&line, start, &options.settings, &mut ()).map_err(|failure| Finding::Path(failure.0))?;
    Ok((line, path))
}

/// The certificate and the objective at one position.
fn check_at(path: &Path<f64>, line: &Line<f64>, t: f64, options: &Options) -> Vec<Finding> {
    let Some(point) = path.at(&t) else {
        return vec![Finding::Violation(Violation::Missing { t })];
    };
    let certificate = Certificate::new(line, &t, &point.x, &point.y);
    let (residual, path) = (certificate.kkt_residual(), certificate.objective);
    let residual = (residual > options.residual || residual.is_nan()).then_some(Finding::Residual { t, residual });
    let [size, noise] = terms(line, t, &point.x);
    let objective = match solve(line, t) {
        None => Some(Finding::Unsolved { t }),
        Some([dual, primal]) => {
            let outside = (dual.min(primal) - path).max(path - primal.max(dual));
            let between = [dual, primal];
            (outside > options.objective * size + noise).then_some(Finding::Objective { t, path, between })
        }
    };
    residual.into_iter().chain(objective).collect()
}

/// ½xᵀHx + Σ|cᵢxᵢ|, what the objective is relative to; and what an interior-point solver cannot tell from zero, where the terms of xᵀHx
/// cancel: a part of ½(Σ√Hᵢᵢ|xᵢ|)².
fn terms(line: &Line<f64>, t: f64, x: &[f64]) -> [f64; 2] {
    const UNSEEN: f64 = 1e-11;
    let size = f64::dot(&multiply(line.hessian.as_ref(), x), x) / 2.0;
    let spread = (0..x.len()).fold(0.0, |sum, i| sum + line.hessian.diagonal(i).scale_root() * x[i].abs());
    let linear = (0..x.len()).fold(0.0, |sum, i| sum + (line.c(i, &t) * x[i]).abs());
    [size + linear, UNSEEN * spread * spread / 2.0]
}

/// The path from the other end has the same breakpoints.
fn check_backwards(
    qp: &ParametricQp<f64>,
    from: &[f64],
    to: &[f64],
    path: &Path<f64>,
    options: &Options,
) -> Result<Vec<Finding>, Finding> {
    let (line, back) = followed(qp, to, from, &Start::Anywhere, options)?;
    if !back.is_complete() {
        return Err(Finding::Stopped { stop: back.stop().cloned() });
    }
    let length = *path.end();
    let breakpoints: Vec<f64> = back.breakpoints().iter().map(|t| length - t).collect();
    let mut findings = compare(&path.breakpoints(), (&breakpoints, Which::Backwards), length, options);
    findings.extend(validate(&back, &line, &options.residual).into_iter().map(Finding::Violation));
    Ok(findings)
}

/// Breakpoints of either list without a partner in the other, the ends of the line left out.
fn compare(ours: &[f64], (others, which): (&[f64], Which), length: f64, options: &Options) -> Vec<Finding> {
    let near = options.breakpoint * length;
    let inside = |t: &f64| *t > near && *t < length - near;
    let alone = |ours: &[f64], others: &[f64], on: Which| {
        let has_none = |t: &f64| !others.iter().any(|o| (o - t).abs() <= near);
        let alone = ours.iter().copied().filter(|t| inside(t) && has_none(t));
        alone.map(|t| Finding::Alone { t, on }).collect::<Vec<_>>()
    };
    let mut findings = alone(ours, others, Which::Forwards);
    findings.extend(alone(others, ours, which));
    findings
}

/// H, row by row.
fn entries(line: &Line<f64>) -> Vec<Vec<f64>> {
    let columns: Vec<usize> = (0..line.n()).collect();
    let row = |i: usize| {
        let mut row = vec![0.0; columns.len()];
        line.hessian.gather(i, &columns, &mut row);
        row
    };
    (0..line.n()).map(row).collect()
}

fn rounded(value: &Exact) -> f64 {
    value.to_f64().value()
}

/// Random numbers: SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number from −k to k.
    pub fn integer(&mut self, k: u32) -> f64 {
        (self.bits() % (2 * u64::from(k) + 1)) as f64 - f64::from(k)
    }

    /// Roughly normal: the sum of twelve uniform numbers, less six.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Affine, Range};

    /// min ½|x|² − θ(x₁ + 2x₂), 0 ≤ x ≤ 1.
    fn square() -> ParametricQp<f64> {
        let h = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]]).unwrap());
        let qp = ParametricQp::new(h, vec![Range::new(-1.0, 2.0)], Affine::line(vec![0.0; 2], vec![-1.0, -2.0]));
        let qp = qp.and_then(|qp| qp.lower(Affine::constant(vec![0.0; 2], 1)));
        qp.and_then(|qp| qp.upper(Affine::constant(vec![1.0; 2], 1))).unwrap()
    }

    #[test]
    fn nothing_is_wrong_with_a_right_path() {
        assert_eq!(check(&square(), &[-1.0], &[2.0], &Start::Anywhere, &Options::default()), []);
        assert_eq!(check_exactly(&square(), &[-1.0], &[2.0], &Options::default()), []);
    }

    #[test]
    fn the_other_solver_knows_the_answer() {
        // At θ = ½, t = 1.5: x = (½, 1), objective ½(¼ + 1) − ½(½ + 2).
        let [dual, primal] = solve(&square().line(&[-1.0], &[2.0]).unwrap(), 1.5).unwrap();
        assert!((dual - -0.625).abs() < 1e-9 && (primal - -0.625).abs() < 1e-9, "{dual} {primal}");
    }

    #[test]
    fn what_is_wrong_is_found() {
        // A path checked against another problem's line: certificate and objective fail.
        let path = trace(&square().line(&[-1.0], &[2.0]).unwrap(), &Start::Anywhere, &Settings::default(), &mut ());
        let mut other = square().line(&[-1.0], &[2.0]).unwrap();
        other.c1 = vec![-1.0, -1.0];
        let findings = check_at(&path.unwrap(), &other, 1.25, &Options::default());
        assert!(matches!(findings[..], [Finding::Residual { .. }, Finding::Objective { .. }]), "{findings:?}");
        let options = Options::default();
        let alone = compare(&[0.5, 0.7], (&[0.5, 0.8], Which::Backwards), 1.0, &options);
        let expected = [(0.7, Which::Forwards), (0.8, Which::Backwards)].map(|(t, on)| Finding::Alone { t, on });
        assert_eq!(alone, expected);
        assert!(matches!(check(&square(), &[-2.0], &[2.0], &Start::Anywhere, &options)[..], [Finding::Problem(_)]));
        let start = Start::Guess(vec![2.0, 0.0]);
        assert!(matches!(check(&square(), &[0.0], &[2.0], &start, &options)[..], [Finding::Path(_)]));
    }
}
