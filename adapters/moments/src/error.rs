//! Errors of moments and of their objectives.

/// Why moments could not be computed, or a function of them could not be minimised. Columns and rows count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// A class of fewer than two rows, which has no covariance.
    #[error("the class {class:+} has {rows} row(s), and its covariance needs two; add rows of this class")]
    FewRows {
        /// +1 or −1.
        class: f64,
        /// Its rows.
        rows: u64,
    },
    /// No feature varies within a class, and none differs between them.
    #[error(
        "every feature is constant over all rows, so that the classes cannot be told apart; add a feature that varies"
    )]
    Constant,
    /// Lengths that do not agree.
    #[error("{found} {what}, {expected} expected")]
    Shape {
        /// What has the wrong length.
        what: &'static str,
        /// The length expected.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// A label that is neither +1 nor −1.
    #[error("the label of row {row} is {value}: it must be +1 or -1")]
    Label {
        /// The row.
        row: usize,
        /// The label.
        value: f64,
    },
    /// A mean or a variance that is not finite.
    #[error("the {what} of feature {} is {value}: rescale the column", column + 1)]
    NotFinite {
        /// Mean or variance.
        what: &'static str,
        /// The column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A covariance matrix with a negative variance in some direction, or not symmetric.
    #[error("the covariance {what} is not symmetric positive semidefinite (found {value}); correct it")]
    Indefinite {
        /// Which one.
        what: &'static str,
        /// A negative eigenvalue, or the difference of two entries that should be equal.
        value: f64,
    },
    /// λ must be finite and not negative.
    #[error("lambda = {value}: it must be a finite number, zero or positive")]
    Lambda {
        /// The value given.
        value: f64,
    },
    /// The prior probability of a class lies strictly between 0 and 1.
    #[error("the prior probability {value} of the class +1 must lie strictly between 0 and 1")]
    Prior {
        /// The value given.
        value: f64,
    },
    /// The function or its gradient is not finite where the minimisation begins.
    #[error("the objective is {value} at the starting point: rescale the features, or choose a smaller lambda")]
    Start {
        /// The value there.
        value: f64,
    },
    /// An eigenvalue problem that did not converge.
    #[error("the eigenvalues of the pooled covariance could not be computed: rescale the features")]
    Eigenvalues,
}
