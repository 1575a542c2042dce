//! ROC curves from paths: varying the intercept, the training asymmetry, or both.
//!
//! *What is drawn* (Bach, Heckerman and Horvitz 2006, "Considering cost asymmetry in learning classifiers", JMLR 7, §2.2 and
//! §3.2). A classifier that says +1 where f > 0 has, on validation rows, a share u of the negative ones taken for positive (FPR) and a
//! share v of the positive ones (TPR). With the costs (C₊, C₋) of the two kinds of errors its cost is p₊C₊(1 − v) + p₋C₋u,
//! so the best classifiers for all pairs of costs lie on the upper convex envelope of the points (u, v).
//!
//! - *Varying intercept*: one model, every threshold ([`line::Followed::with_any_threshold`]).
//! - *Varying asymmetry*: every model of the line C₊ + C₋ = S as it is ([`line::Followed::as_trained`]).
//! - *Varying both*: every threshold of every model of the line ([`line::Followed::with_all_thresholds`]).
//! - *Several amounts of regularisation*: the envelope over the lines of S = rS¹, r ∈ R ([`explore::explore`]).
//!
//! *No grid.* Between events of a path f(x) is affine in the position, so the sign of f(x) changes at a root of an affine function, and
//! the order of two rows changes at another. The curves are made of what lies between these roots. "Both" looks at every order of
//! the rows that occurs anywhere on the line (`sweep.rs`), and keeps for each number of false positives the
//! largest number of true ones, which is all that the envelope and the questions need. What is lost is a division of the rows that no
//! threshold reaches but for a gap below rounding.
//!
//! *Cross-validation.* All folds follow the same line. A classifier is a position and a shift: in every fold the model
//! at this position, with the shift added to its own intercept. The counts are added over the folds. For "both" the scores of all
//! validation rows, each from the path of its fold, are sorted together: all are piecewise affine in the same position.
//!
//! *Rounding.* Every position at which thresholds are chosen lies further from all events of all folds than these are known ([`line::Followed::settle`]), and every threshold further
//! from the score of every row than that is known (`rates.rs`). So which side of an event, and which side of a threshold, is not for rounding to say.
//!
//! Every point names its classifier ([`curve::Choice`]), which can be had from the path again. [`explore::explore`] does so ([`recount::recount`]) before it hands out a point:
//! one whose classifier has other counts is withdrawn.

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
