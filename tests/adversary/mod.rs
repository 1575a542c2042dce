//! An adversary: random problems that are hard for floating point, followed by the engine and judged without it.
//!
//! [`families`] makes a problem from a family and a seed, [`check`] has the optimality conditions, [`follow`] follows one problem and says what
//! became of it, [`sweep`] does so for many and gives up on those that do not end.
#![allow(dead_code, missing_docs)]

pub mod check;
pub mod families;
pub mod follow;
pub mod optimum;
pub mod problem;
pub mod sweep;
pub mod twice;
