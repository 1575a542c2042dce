//! The tests of the adapters, one program: each module is a file beside this one.
#![allow(missing_docs)]

mod approximate;
mod bilevel;
mod cases;
mod common;
mod cost_svm;
mod critical_line;
mod dataset;
mod documentation;
mod guess;
mod kqr;
mod lasso;
mod layout;
mod mpc;
mod nnls;
mod one_class_svm;
mod portfolio_questions;
mod quantile_svm;
mod quantiles;
mod rates;
mod real_costs;
mod real_data;
mod real_portfolios;
mod roc;
mod roc_exact;
mod roc_real;
mod stream;
mod svr;
mod svr_maps;
mod svr_real;
mod trend_filtering;
mod tubes;
mod tuned_real;
mod units;
mod weights;
