//! The tests of the command line, one program: each module is a file beside this one.
#![allow(missing_docs)]

mod approximate;
mod cases;
mod checkpoint;
mod common;
mod constrained;
mod costs;
mod documents;
mod errors;
mod every_problem;
mod figures;
mod files;
mod interrupt;
mod map;
mod moments;
mod other_problems;
mod path;
mod planes;
mod portfolios;
mod predict;
mod programs;
mod quantiles;
mod regions;
mod regression;
mod report;
mod roc;
mod solve;
mod svr;
mod tables;
mod tune;
mod verdict;
mod weights;
