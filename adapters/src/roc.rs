//! ROC curves from paths: varying the intercept, the training asymmetry, or both.
//!
//! *The curve* (Bach, Heckerman and Horvitz 2006, "Considering cost asymmetry in learning classifiers", JMLR 7, §2.2 and §3.2). A classifier that says +1 where
//! f > 0 takes a share u of the negative validation rows for positive (FPR) and a share v of the positive ones (TPR). With the costs (C₊, C₋) of the two kinds
//! of errors its cost is p₊C₊(1 − v) + p₋C₋u, so that the best classifiers for all pairs of costs lie on the upper convex envelope of the points (u, v).
//!
//! - *Varying intercept*: one model, every threshold ([`line::Followed::with_any_threshold`]).
//! - *Varying asymmetry*: every model of the line C₊ + C₋ = S with its own intercept ([`line::Followed::as_trained`]).
//! - *Varying both*: every threshold of every model of the line ([`line::Followed::with_all_thresholds`]).
//! - *Several amounts of regularisation*: the envelope over the lines of S = rS¹, r ∈ R ([`explore::explore`]).
//!
//! *No grid.* Between events of a path f(x) is affine in the position. So the sign of f(x) changes at a root of an affine function, and the order of two rows
//! at a root of another one. The curves consist of what lies between these roots. "Varying both" considers every order of the rows that occurs anywhere on the
//! line (`sweep.rs`), and keeps for each number of false positives the largest number of true positives, which determines the envelope and the answers to the
//! questions. It misses only divisions of the rows for which the gap between the scores is below rounding.
//!
//! *Cross-validation.* All folds follow the same line. A classifier is a position and a shift: in every fold the model at this position, with the shift added
//! to its own intercept. The counts are summed over the folds. For "varying both" the scores of all validation rows, each from the path of its fold, are sorted
//! together; all are piecewise affine in the same position.
//!
//! *Rounding.* Every position at which thresholds are chosen is further from all events of all folds than the uncertainty of these
//! ([`line::Followed::settle`]), and every threshold is further from the score of every row than the uncertainty of the score (`rates.rs`). So rounding never
//! decides on which side of an event, or of a threshold, something lies.
//!
//! Every point names its classifier ([`curve::Choice`]), which can be recovered from the path. [`explore::explore`] does that ([`recount::recount`]) before it
//! returns a point, and withdraws a point whose classifier has other counts.

pub mod curve;
pub mod experiment;
pub mod explore;
pub mod line;
pub mod recount;
mod sweep;
pub mod wilcoxon;

pub use curve::{Best, Choice, Operating, Totals};
pub use explore::{Plan, Roc, explore};
pub use line::{Fold, Followed};
