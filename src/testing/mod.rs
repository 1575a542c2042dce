//! Checks of adapters' problems (feature `testing`).
//!
//! An adapter poses a [`ParametricQp`]; [`check`] follows a line of it and returns everything that is wrong as a list of [`Finding`]s. It checks the
//! certificate at every breakpoint, between breakpoints and at random parameters; it compares the objective at random parameters with that of Clarabel, an
//! interior-point solver that shares no code with the engine; and it compares the breakpoints with those of the path from the other end. [`check_exactly`] also
//! follows the line in exact rationals, with all tolerances zero, and compares.
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
//! [`check_alike`] compares the path with those of equivalent problems (another order, other units, every variable twice), [`check_complex`] and
//! [`check_regions`] check critical regions, and [`strategies`] generates problems for property tests, which shrink.
//!
//! The feature is for `[dev-dependencies]` only; builds without it depend on neither Clarabel nor proptest.

use crate::certificate::Certificate;
use crate::error::ProblemError;
use crate::hessian::{Dense, Gram, Hessian, Rows, multiply};
use crate::path::{Path, Point, Start, trace};
use crate::problem::{Bounds, Line, LineRows, ParametricQp};
use crate::scalar::{Exact, Scalar};
use crate::settings::Settings;
use crate::validate::{Violation, validate};
use num_traits::{FromPrimitive, Zero};
use std::sync::Arc;

mod alike;
mod complexes;
mod finding;
mod interior;
mod interior_rows;
mod linear;
mod random;
mod regions;
pub mod strategies;

pub use alike::check_alike;
pub use complexes::check_complex;
pub use finding::{Finding, Which};
pub use interior::{Question, solve};
pub use linear::{LinearAnswer, solve_linear};
pub use random::Random;
pub use regions::{check_found_regions, check_regions};

/// What an interior-point solver cannot tell from zero where the terms of xᵀHx cancel: this part of ½(Σ√Hᵢᵢ|xᵢ|)².
const UNSEEN: f64 = 1e-11;

/// How well an entry of x is known beside its bounds, relative to them: a few roundings of one of their size.
const KNOWN: f64 = 4.0 * f64::EPSILON;

/// Number of points and tolerances of the checks.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of random parameters at which the certificate and the objective are checked. Default 50.
    pub points: usize,
    /// The seed of the random parameters. Default 1.
    pub seed: u64,
    /// The largest KKT residual allowed. Default 1e-9.
    pub residual: f64,
    /// How far the objective may lie outside the other solver's bounds on the optimum, relative to the size of its terms. Default 1e-8.
    pub objective: f64,
    /// How far apart two breakpoints may be that count as the same, relative to the length of the line. Default 1e-8.
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

/// Everything wrong with the path of a problem from one point of Θ to another (p entries each, all finite), whose first solution is found from `start`.
pub fn check(qp: &ParametricQp<f64>, from: &[f64], to: &[f64], start: &Start<f64>, options: &Options) -> Vec<Finding> {
    let (line, path) = match followed(qp, from, to, (start, Which::Forwards), options) {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let mut findings = Vec::new();
    if !path.is_complete() {
        findings.push(Finding::Stopped { stop: path.stop().cloned(), on: Which::Forwards });
    }
    findings.extend(violations(&path, &line, Which::Forwards, options));
    let mut random = Random(options.seed);
    for t in (0..options.points).map(|_| random.between(*path.begin(), *path.end())) {
        findings.extend(check_at(&path, &line, t, options));
    }
    if path.is_complete() {
        findings.extend(check_backwards(qp, from, to, &path, options).unwrap_or_else(|finding| vec![finding]));
    }
    findings
}

/// Everything wrong with the same line in exact scalars, and all differences between it and the path in floating point. It needs data with an exactly
/// semidefinite H (whole numbers or short binary fractions), and not too many variables: exact arithmetic is slow with a hundred.
pub fn check_exactly(qp: &ParametricQp<f64>, from: &[f64], to: &[f64], options: &Options) -> Vec<Finding> {
    let (line, path) = match followed(qp, from, to, (&Start::Anywhere, Which::Forwards), options) {
        Ok(found) => found,
        Err(finding) => return vec![finding],
    };
    let exact_line = match exact(&line) {
        Ok(line) => line,
        Err(error) => return vec![Finding::Problem(error)],
    };
    let exactly = match trace(&exact_line, &Start::Anywhere, &options.settings, &mut ()) {
        Ok(exactly) => exactly,
        Err(failure) => return vec![Finding::Path { error: failure.0, on: Which::Exact }],
    };
    let wrong = validate(&exactly, &exact_line, &Exact::ZERO).into_iter().map(|violation| violation.to_string());
    let mut findings: Vec<Finding> = wrong.map(Finding::Inexact).collect();
    let breakpoints: Vec<f64> = exactly.breakpoints().iter().map(rounded).collect();
    findings.extend(compare(&path, (&breakpoints, Which::Exact), options));
    let mut random = Random(options.seed);
    for t in (0..options.points).map(|_| random.between(*path.begin(), *path.end())) {
        let position = Exact::from_f64(t).unwrap_or_else(Exact::zero);
        let (Some(point), Some(other)) = (path.at(&t), exactly.at(&position)) else { continue };
        let path = Certificate::of(&line, &point).objective;
        let exact = rounded(&Certificate::of(&exact_line, &other).objective);
        let [size, noise] = terms(&line, t, &point.x);
        if (path - exact).abs() > options.objective * size + noise {
            findings.push(Finding::Differs { theta: line.parameter(&t), path, exact });
        }
    }
    findings
}

/// The same line in exact scalars, with every number as it is. Where H is given by the rows of Z, these are converted.
///
/// # Errors
/// [`ProblemError`] if H, given by its entries, is not exactly semidefinite.
pub fn exact(line: &Line<f64>) -> Result<Line<Exact>, ProblemError> {
    let number = |v: &f64| Exact::from_f64(*v).unwrap_or_else(Exact::zero);
    let numbers = |v: &[f64]| v.iter().map(number).collect::<Vec<Exact>>();
    let pairs = |v: &[Option<[f64; 2]>]| v.iter().map(|b| b.map(|[v, s]| [number(&v), number(&s)])).collect();
    let given = line.hessian.row_factor().filter(|_| !line.hessian.is_given_by_entries());
    let hessian: Arc<dyn Hessian<Exact>> = match given {
        Some(gram) => {
            let rows = match gram.rows() {
                Rows::Dense { columns, values } => Rows::Dense { columns: *columns, values: numbers(values) },
                Rows::Sparse { columns, starts, indices, values } => Rows::Sparse {
                    columns: *columns,
                    starts: starts.clone(),
                    indices: indices.clone(),
                    values: numbers(values),
                },
            };
            Arc::new(Gram::new(line.n(), rows, number(gram.scale()))?)
        }
        None => Arc::new(Dense::new(entries(line).iter().map(|row| numbers(row)).collect())?),
    };
    Ok(Line {
        hessian,
        c0: numbers(&line.c0),
        c1: numbers(&line.c1),
        bounds: Bounds { lower: pairs(&line.bounds.lower), upper: pairs(&line.bounds.upper) },
        a: numbers(&line.a),
        b0: number(&line.b0),
        b1: number(&line.b1),
        rows: line.rows.as_ref().map(|rows| LineRows {
            matrix: Arc::new(rows.matrix.map(number)),
            bounds: Bounds { lower: pairs(&rows.bounds.lower), upper: pairs(&rows.bounds.upper) },
        }),
        origin: numbers(&line.origin),
        direction: numbers(&line.direction),
        begin: number(&line.begin),
        end: line.end.as_ref().map(number),
    })
}

fn followed(
    qp: &ParametricQp<f64>,
    from: &[f64],
    to: &[f64],
    (start, on): (&Start<f64>, Which),
    options: &Options,
) -> Result<(Line<f64>, Path<f64>), Finding> {
    let line = qp.line(from, to).map_err(Finding::Problem)?;
    let path =
        trace(&line, start, &options.settings, &mut ()).map_err(|failure| Finding::Path { error: failure.0, on })?;
    Ok((line, path))
}

/// What [`validate`] says about one of the paths.
fn violations(path: &Path<f64>, line: &Line<f64>, on: Which, options: &Options) -> Vec<Finding> {
    let finding = |violation: Violation<f64>| {
        let theta = violation.t().map(|t| line.parameter(t));
        Finding::Violation { violation, theta, on }
    };
    validate(path, line, &options.residual).into_iter().map(finding).collect()
}

/// The certificate and the objective at one position.
fn check_at(path: &Path<f64>, line: &Line<f64>, t: f64, options: &Options) -> Vec<Finding> {
    let Some(point) = path.at(&t) else {
        let (violation, theta) = (Violation::Missing { t }, Some(line.parameter(&t)));
        return vec![Finding::Violation { violation, theta, on: Which::Forwards }];
    };
    judge(line, t, &point, options)
}

/// What is wrong with a point of the position t: its certificate, and its objective against Clarabel's.
fn judge(line: &Line<f64>, t: f64, point: &Point<f64>, options: &Options) -> Vec<Finding> {
    let certificate = Certificate::of(line, point);
    let (residual, index, path) = (certificate.kkt_residual(), certificate.worst, certificate.objective);
    let theta = line.parameter(&t);
    let wrong = residual > options.residual || residual.is_nan();
    let residual = wrong.then(|| Finding::Residual { theta: theta.clone(), residual, index });
    let [size, noise] = terms(line, t, &point.x);
    let objective = match solve(line, t) {
        None => Some(Finding::Unsolved { theta }),
        Some([dual, primal]) => {
            let outside = (dual.min(primal) - path).max(path - primal.max(dual));
            let between = [dual, primal];
            (outside > options.objective * size + noise).then_some(Finding::Objective { theta, path, between })
        }
    };
    residual.into_iter().chain(objective).collect()
}

/// ½xᵀHx + Σ|cᵢxᵢ|, what the objective is relative to; and what cannot be told from zero: by an interior-point solver where the terms of xᵀHx
/// cancel, a part of ½(Σ√Hᵢᵢ|xᵢ|)²; and by anyone where xᵢ, which is known to rounding of its bounds, ought to be zero: a part of Σ|cᵢ| max(|lᵢ|, |uᵢ|).
fn terms(line: &Line<f64>, t: f64, x: &[f64]) -> [f64; 2] {
    let size = f64::dot(&multiply(line.hessian.as_ref(), x), x) / 2.0;
    let spread = (0..x.len()).fold(0.0, |sum, i| sum + line.hessian.diagonal(i).scale_root() * x[i].abs());
    let linear = (0..x.len()).fold(0.0, |sum, i| sum + (line.c(i, &t) * x[i]).abs());
    let bound = |bound: Option<f64>| bound.map_or(0.0, f64::abs);
    let largest = |i: usize| bound(line.bounds.lower_at(i, &t)).max(bound(line.bounds.upper_at(i, &t)));
    let known = (0..x.len()).fold(0.0, |sum, i| sum + line.c(i, &t).abs() * largest(i));
    [size + linear, UNSEEN * spread * spread / 2.0 + KNOWN * known]
}

/// The path from the other end has the same breakpoints.
fn check_backwards(
    qp: &ParametricQp<f64>,
    from: &[f64],
    to: &[f64],
    path: &Path<f64>,
    options: &Options,
) -> Result<Vec<Finding>, Finding> {
    let (line, back) = followed(qp, to, from, (&Start::Anywhere, Which::Backwards), options)?;
    if !back.is_complete() {
        return Err(Finding::Stopped { stop: back.stop().cloned(), on: Which::Backwards });
    }
    let length = *path.end();
    let breakpoints: Vec<f64> = back.breakpoints().iter().map(|t| length - t).collect();
    let mut findings = compare(path, (&breakpoints, Which::Backwards), options);
    findings.extend(violations(&back, &line, Which::Backwards, options));
    Ok(findings)
}

/// Breakpoints of a path without a partner among the others (positions on the same line), and the other way round; the ends of the
/// line left out.
fn compare(path: &Path<f64>, (others, which): (&[f64], Which), options: &Options) -> Vec<Finding> {
    let (length, ours) = (*path.end(), path.breakpoints());
    let near = options.breakpoint * length;
    let inside = |t: &f64| *t > near && *t < length - near;
    let alone = |ours: &[f64], others: &[f64], on: Which, not_on: Which| {
        let has_none = |t: &f64| !others.iter().any(|o| (o - t).abs() <= near);
        let alone = ours.iter().filter(|t| inside(t) && has_none(t));
        alone.map(|t| Finding::Alone { theta: path.parameter(t), on, not_on }).collect::<Vec<_>>()
    };
    let mut findings = alone(&ours, others, Which::Forwards, which);
    findings.extend(alone(others, &ours, which, Which::Forwards));
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
        let path =
            trace(&square().line(&[-1.0], &[2.0]).unwrap(), &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        let mut other = square().line(&[-1.0], &[2.0]).unwrap();
        other.c1 = vec![-1.0, -1.0];
        let findings = check_at(&path, &other, 1.25, &Options::default());
        assert!(matches!(findings[..], [Finding::Residual { .. }, Finding::Objective { .. }]), "{findings:?}");
        let options = Options::default();
        // Its breakpoints lie at θ = 0, ½ and 1 (t = 1, 1.5 and 2).
        let alone = compare(&path, (&[1.0, 1.5, 2.5], Which::Backwards), &options);
        let expected = [(1.0, Which::Forwards, Which::Backwards), (1.5, Which::Backwards, Which::Forwards)];
        assert_eq!(alone, expected.map(|(theta, on, not_on)| Finding::Alone { theta: vec![theta], on, not_on }));
        let text = "at θ = 1.5, the path from the other end has a breakpoint and the path has none";
        assert_eq!(alone[1].to_string(), text);
        // The same from the other end, where every t is counted from θ = 2.
        let line = square().line(&[2.0], &[-1.0]).unwrap();
        let back = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        let mut other = line.clone();
        other.c1[0] += 0.5;
        let found = violations(&back, &other, Which::Backwards, &options);
        let text = found.first().map(ToString::to_string).unwrap_or_default();
        assert!(text.starts_with("at θ = ") && text.contains(", on the path from the other end, at t = "), "{text}");
        assert!(found.iter().all(|f| matches!(f, Finding::Violation { on: Which::Backwards, .. })), "{found:?}");
        assert!(found.iter().any(|f| f.to_string().contains("variable 0 has a KKT residual of ")), "{found:?}");
        assert!(matches!(check(&square(), &[-2.0], &[2.0], &Start::Anywhere, &options)[..], [Finding::Problem(_)]));
        let start = Start::Guess(vec![2.0, 0.0]);
        assert!(matches!(
            check(&square(), &[0.0], &[2.0], &start, &options)[..],
            [Finding::Path { on: Which::Forwards, .. }]
        ));
    }
}
