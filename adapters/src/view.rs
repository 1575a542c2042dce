//! How a problem is shown: the one place in which tables, figures and pages distinguish problems.

use crate::critical_line::CriticalLine;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kqr::{Kqr, pinball};
use crate::mpc::Controller;
use crate::one_class_svm::OneClassSvm;
use crate::problem::KernelProblem;
use crate::quantile_regression::Quantiles;
use crate::quantile_svm::QuantileSvm;
use crate::quantiles::QuantileCurve;
use crate::svr::Svr;
use pathqp::Path;

/// The properties of a classifier that do not depend on θ. The lower bounds of its variables are zero, so that f is a sum over the free indices and those at
/// their upper bound.
#[derive(Clone, Copy)]
pub struct Classifier<'a> {
    /// The problem.
    pub problem: &'a dyn KernelProblem,
    /// The labels of the training rows, n values, +1 or −1.
    pub labels: &'a [f64],
    /// The factor s of the coefficients βᵢ = s · yᵢ · xᵢ.
    pub scale: f64,
    /// The quantile SVM, if it is one, which has rates along τ and P(Y = 1|x).
    pub quantile: Option<&'a QuantileSvm>,
}

/// The kind of a problem, with access to what only this kind can answer.
#[derive(Clone, Copy)]
pub enum View<'a> {
    /// A classifier by the sign of f.
    Classifier(Classifier<'a>),
    /// Quantiles by kernel quantile regression.
    Quantile(&'a Kqr),
    /// Quantiles that are linear in the features.
    Planes(&'a Quantiles),
    /// A function f with a tube around it.
    Tube(&'a Svr),
    /// A region f ≥ 0 with outliers outside it.
    Outliers(&'a OneClassSvm),
    /// Coefficients of features, for regression.
    Coefficients,
    /// Coefficients of features, for classification.
    Separator,
    /// A fitted signal with its observations.
    Signal {
        /// The observations, n values.
        observed: &'a [f64],
        /// The places of the observations, n values in ascending order; `None` for the places 1, 2, ….
        places: Option<&'a [f64]>,
    },
    /// Portfolios of assets.
    Portfolio(&'a CriticalLine),
    /// Inputs of a plant.
    Control(&'a Controller),
    /// Any other problem: only its values are known.
    Values,
}

impl<'a> View<'a> {
    /// The kernel problem, if it is one.
    pub fn kernel(self) -> Option<&'a dyn KernelProblem> {
        match self {
            View::Classifier(classifier) => Some(classifier.problem),
            View::Quantile(problem) => Some(problem),
            View::Tube(problem) => Some(problem),
            View::Outliers(problem) => Some(problem),
            _ => None,
        }
    }

    /// The classifier, if it is one.
    pub fn classifier(self) -> Option<Classifier<'a>> {
        if let View::Classifier(classifier) = self { Some(classifier) } else { None }
    }

    /// Every quantile of each row along a path in τ; `None` for problems without quantiles.
    pub fn quantiles(self, path: &Path<f64>, rows: &Features) -> Option<Result<Vec<QuantileCurve>, AdapterError>> {
        match self {
            View::Quantile(problem) => Some(problem.quantiles(path, rows)),
            View::Planes(problem) => Some(problem.quantiles(path, rows)),
            _ => None,
        }
    }

    /// Whether [`View::quantiles`] has an answer.
    pub fn has_quantiles(self) -> bool {
        matches!(self, View::Quantile(_) | View::Planes(_))
    }

    /// The loss of a prediction f(x) at θ: for classifiers one for a wrong sign (f = 0 counts as negative), for quantiles the pinball loss, otherwise |Y −
    /// f(x)|.
    pub fn loss(self, theta: &[f64], f: f64, response: f64) -> f64 {
        match self {
            View::Quantile(_) | View::Planes(_) => pinball(theta.first().copied().unwrap_or(f64::NAN), response - f),
            View::Classifier(_) | View::Separator | View::Outliers(_) => {
                f64::from(u8::from((f > 0.0) != (response > 0.0)))
            }
            _ => (response - f).abs(),
        }
    }

    /// The name of the mean of that loss.
    pub fn loss_name(self) -> &'static str {
        match self {
            View::Quantile(_) | View::Planes(_) => "pinball loss",
            View::Classifier(_) | View::Separator | View::Outliers(_) => "error",
            _ => "absolute error",
        }
    }

    /// The name of the kind of page that shows the problem.
    pub fn name(self) -> &'static str {
        match self {
            View::Classifier(_) => "classifier",
            View::Quantile(_) => "quantile",
            View::Tube(_) => "tube",
            View::Outliers(_) => "outliers",
            View::Coefficients | View::Separator | View::Planes(_) => "coefficients",
            View::Signal { .. } => "signal",
            View::Portfolio(_) => "portfolio",
            View::Control(_) => "control",
            View::Values => "values",
        }
    }
}
