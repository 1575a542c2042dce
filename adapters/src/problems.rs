//! The list of the included problems.

use crate::spec::Entry;

/// The entries of all included problems.
pub const PROBLEMS: [Entry; 16] = [
    crate::quantile_svm::ENTRY,
    crate::cost_svm::ENTRY,
    crate::kqr::ENTRY,
    crate::svr::ENTRY,
    crate::one_class_svm::ENTRY,
    crate::lasso::ENTRY,
    crate::critical_line::ENTRY,
    crate::mpc::ENTRY,
    crate::trend_filtering::ENTRY,
    crate::nnls::ENTRY,
    crate::quantile_regression::ENTRY,
    crate::quantile_planes::ENTRY,
    crate::dantzig::ENTRY,
    crate::l1_svm::ENTRY,
    crate::shape_regression::ENTRY,
    crate::qp::ENTRY,
];
