//! The tests of the engine, one program: each module is a file beside this one.
#![allow(missing_docs)]

mod adversary;
mod approximate;
mod cases;
mod cases_other;
mod certificates;
mod checkpoint;
mod common;
mod complex;
mod complex_lines;
mod complex_plane;
mod envelope;
mod envelope_f64;
mod errors;
mod exact;
mod families;
mod inexact;
mod positions;
mod pricing;
mod random;
mod rays;
mod regions;
mod rows;
mod starts;
mod ties;
mod ulps;
mod vanishing;
