//! Any parametric quadratic or linear program, as its user wrote it.
//!
//! ```text
//! minimise over x ∈ ℝⁿ   ½ xᵀHx + c(t)ᵀx    subject to   bl(t) ≤ A x ≤ bu(t),   l(t) ≤ x ≤ u(t),        v(t) = value + t·rate
//! ```
//!
//! The primal is the engine's problem itself and θ = t. H is given by its entries, by rows z with H = zzᵀ, or not at all: a linear program. y has an entry a row, with the sign of
//! z = Hx + c − Aᵀy: not negative where the row is at bl, not positive at bu, zero where it is inactive. The dual objective is
//!
//! ```text
//! −½ xᵀHx + Σⱼ (zⱼ⁺ lⱼ − zⱼ⁻ uⱼ) + Σᵣ (yᵣ⁺ blᵣ − yᵣ⁻ buᵣ)
//! ```
//!
//! What is maximised (QPS files can ask for it) is minimised with the opposite sign; objectives are shown with their own.
//!
//! In p parameters, on a box (the list `domain`, the ends of p ranges), everything moves with value + Σ tₖ·rateₖ.
//!
//! *As data* ([`Spec`](crate::spec::Spec)): tables `z` or `h`; `c` (n rows: value, p rates); `lower`, `upper`, `row_lower`, `row_upper` (a row a bound: its place from zero, value, p rates); `rows` (A, m × n, with the names of the
//! variables if they have names); numbers `from`, `to`, `constant`, `constant_rate` (`constant_rate_2` and so on for further parameters), `sense` (−1 to maximise).

mod document;
mod problem;
mod program;
mod qps;
mod rates;

pub use problem::{ENTRY, Quadratic};
pub use program::{Hessian, Program};
pub(crate) use program::{engine_rows, read_bounds};

use crate::error::AdapterError;

/// What is wrong with an entry.
fn wrong(place: impl Into<String>, reason: impl Into<String>) -> AdapterError {
    AdapterError::Entry { place: place.into(), reason: reason.into() }
}
