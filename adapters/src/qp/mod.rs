//! Any parametric quadratic or linear program, given by its numbers.
//!
//! ```text
//! minimise over x ∈ ℝⁿ   ½ xᵀHx + c(t)ᵀx    subject to   bl(t) ≤ A x ≤ bu(t),   l(t) ≤ x ≤ u(t),        v(t) = value + t·rate
//! ```
//!
//! The primal itself is the engine's problem, with θ = t. H is given by its entries, by a matrix z with H = zzᵀ, or not at all (a linear program). y has one
//! entry for each row, with the signs that make z = Hx + c − Aᵀy: at least zero where the row is at bl, at most zero at bu, zero where it is inactive. The dual
//! objective is
//!
//! ```text
//! −½ xᵀHx + Σⱼ (zⱼ⁺ lⱼ − zⱼ⁻ uⱼ) + Σᵣ (yᵣ⁺ blᵣ − yᵣ⁻ buᵣ)
//! ```
//!
//! A program to be maximised (QPS files may ask for that) is minimised with the opposite sign, and its objective is shown with its own sign.
//!
//! In p parameters, on a box (the list `domain`, both ends of p ranges), everything moves as value + Σ tₖ·rateₖ.
//!
//! *As data* ([`Spec`](crate::spec::Spec)): tables `z` or `h`; `c` (n lines: value, p rates); `lower`, `upper`, `row_lower`, `row_upper` (one line for each
//! bound: its variable or row counted from zero, value, p rates); `rows` (A, m × n, with the names of the variables if they have names); numbers `from`, `to`,
//! `constant`, `constant_rate` (`constant_rate_2` and so on for further parameters), and `sense` (−1 to maximise).

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
