//! Exact solution paths of parametric quadratic programs.
//!
//! ```text
//! minimise over x ∈ ℝⁿ   ½ xᵀHx + c(θ)ᵀx    subject to   A x = b(θ),   l(θ) ≤ x ≤ u(θ),    θ ∈ Θ ⊂ ℝᵖ
//! ```
//!
//! H is symmetric positive semidefinite (zero for a linear program) and does not depend on θ; c, b, l and u are affine in θ. [`ParametricQp::rows`] adds
//! several rows, equalities or inequalities, bl(θ) ≤ Ax ≤ bu(θ).
//! With the multiplier y of the row and z = Hx + c(θ) − Aᵀy, a feasible x is optimal when zᵢ > 0 only where xᵢ = lᵢ and zᵢ < 0 only where xᵢ = uᵢ.
//! Along a line in Θ the solution is piecewise affine, and the engine follows it from breakpoint to breakpoint.
//!
//! The projection of a moving point onto a box: minimise ½(x₁² + x₂²) − θ(x₁ + 2x₂) for 0 ≤ x ≤ 1 has x = (θ, 2θ), until
//! x₂ meets its bound at θ = ½ and x₁ at θ = 1.
//!
//! ```
//! use pathqp::{Affine, ParametricQp, Range, Settings, Start, hessian::Dense, trace};
//! use std::sync::Arc;
//!
//! let h = Arc::new(Dense::new(vec![vec![1.0, 0.0], vec![0.0, 1.0]])?);
//! let c = Affine::line(vec![0.0, 0.0], vec![-1.0, -2.0]);
//! let qp = ParametricQp::new(h, vec![Range::new(-1.0, 2.0)], c)?
//!     .lower(Affine::constant(vec![0.0, 0.0], 1))?
//!     .upper(Affine::constant(vec![1.0, 1.0], 1))?;
//! let line = qp.line(&[-1.0], &[2.0])?;
//! let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).map_err(|failure| failure.0)?;
//!
//! let breakpoints: Vec<f64> = path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect();
//! assert_eq!(breakpoints, [0.0, 0.5, 1.0]);
//! let t = path.position(&[0.25]).unwrap();
//! assert_eq!(path.at(&t).unwrap().x, [0.25, 0.5]);
//! assert!(pathqp::validate::validate(&path, &line, &1e-12).is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules: [`problem`] poses and checks a problem, [`hessian`] has the forms of H, [`path`] follows, stores and evaluates a path, [`rows`](mod@rows)
//! follows problems with several rows, [`complex`] finds all critical regions in two parameters and [`regions`] in any number, [`envelope`] has lower envelopes
//! of rational functions, [`certificate`] recomputes the residuals of any point from the data, [`validate`](mod@validate) lists everything that is wrong with a
//! path, and [`scalar`] has the numbers: `f64`, or exact rationals, for which all tolerances are zero.
#![deny(missing_docs)]

mod active_set;
pub mod certificate;
pub mod complex;
pub mod envelope;
pub mod error;
pub mod gap;
pub mod hessian;
pub mod inexact;
mod kkt;
pub mod observe;
mod octuple;
pub mod path;
mod pricing;
pub mod problem;
mod record;
pub mod regions;
pub mod rows;
pub mod scalar;
pub mod settings;
pub mod stats;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod threads;
pub mod validate;
mod wide;

pub use active_set::Status;
pub use certificate::Certificate;
pub use envelope::{Branch, Envelope, EnvelopeBuilder};
pub use error::{ApproximationError, BranchError, PathError, ProblemError};
pub use hessian::Hessian;
pub use path::{Follower, Path, Point, Start, Stop, trace};
pub use problem::{Affine, Line, ParametricQp, Range};
pub use scalar::{Exact, Scalar};
pub use settings::Settings;
pub use stats::Stats;
