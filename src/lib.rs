//! Exact solution paths of parametric quadratic programs.
//!
//! ```text
//! minimise over x ∈ ℝⁿ   ½ xᵀHx + c(θ)ᵀx    subject to   A x = b(θ),   l(θ) ≤ x ≤ u(θ),    θ ∈ Θ ⊂ ℝᵖ
//! ```
#![deny(missing_docs)]

mod active_set;
pub mod certificate;
pub mod error;
pub mod hessian;
mod kkt;
pub mod observe;
pub mod path;
mod pricing;
pub mod problem;
pub mod scalar;
pub mod settings;
pub mod stats;
pub mod validate;

pub use active_set::Status;
pub use certificate::Certificate;
pub use error::{PathError, ProblemError};
pub use hessian::Hessian;
pub use path::{Follower, Path, Point, Start, Stop, trace};
pub use problem::{Affine, Line, ParametricQp, Range};
pub use scalar::{Exact, Scalar};
pub use settings::Settings;
pub use stats::Stats;
