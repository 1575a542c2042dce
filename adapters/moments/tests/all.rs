//! The tests of the moments, one program: each module is a file beside this one.
#![allow(missing_docs)]

mod common;
mod comparators;
mod constant;
mod hyper_dual;
mod merging;
mod objectives;
mod theory;
