//! Statistical problems as parametric quadratic programs.
//!
//! Each adapter maps one problem of the literature onto [`pathqp::ParametricQp`] and back; it knows nothing of
//! factorisations, and the engine knows nothing of it.
#![deny(missing_docs)]

pub mod dataset;
pub mod kernel;
pub mod moments;
pub mod quantile_svm;
pub mod rates;
pub mod theory;

/// The README's code, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Documentation;
