//! The tests of the views, one program: each module is a file beside this one.
#![allow(missing_docs)]

mod common;
mod figures;
mod pages;
