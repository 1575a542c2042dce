//! Problems with any number of rows, equalities and inequalities: see docs/rows.md. `cargo run --release --example rows` runs as many of them as one likes.
#![allow(dead_code)]

#[cfg(test)]
mod approximate;
#[cfg(test)]
mod cases;
pub mod check;
pub mod families;
#[cfg(test)]
mod large;
pub mod problem;
pub mod regression;
#[cfg(test)]
mod rounding;
pub mod sweep;
