//! Statistical problems as parametric quadratic programs.
//!
//! Each adapter maps one problem of the literature onto [`pathqp::ParametricQp`] and back; it knows nothing of
//! factorisations, and the engine knows nothing of it.
#![deny(missing_docs)]

pub mod asymmetry;
mod bias;
pub mod bilevel;
pub mod c_source;
mod columns;
pub mod constraints;
pub mod cost_svm;
pub mod course;
pub mod critical_line;
pub mod dantzig;
pub mod dataset;
mod error;
pub mod guess;
pub mod kernel;
pub mod kernel_choice;
pub mod kqr;
pub mod l1_svm;
pub mod lasso;
pub mod lbfgs;
pub mod machine;
pub mod mpc;
pub mod nnls;
pub mod one_class_svm;
mod outlier_ranks;
pub mod plane;
pub mod problem;
pub mod problems;
pub mod qp;
pub mod quantile_planes;
pub mod quantile_regression;
pub mod quantile_svm;
pub mod quantiles;
pub mod rates;
pub mod roc;
pub mod run;
pub mod shape_regression;
mod side_by_side;
pub mod space;
mod span;
pub mod spec;
pub mod svr;
pub mod trend_filtering;
pub mod value;
pub mod view;

pub use bias::Bias;
pub use error::AdapterError;
pub use problem::{KernelProblem, Model, PathProblem};

/// The README's code, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Documentation;
