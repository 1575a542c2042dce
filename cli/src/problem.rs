//! The problems that have a name: the one place that knows them apart. Everything else goes by [`Adapter`].

use crate::model::{Model, Rows};
use clap::ValueEnum;
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::kqr::{Kqr, pinball};
use pathqp_adapters::one_class_svm::OneClassSvm;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Adapter, AdapterError, Bias};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The problems that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// The quantile SVM.
    QuantileSvm,
    /// The cost-asymmetric SVM.
    CostSvm,
    /// Kernel quantile regression.
    Kqr,
    /// ε-insensitive regression.
    Svr,
    /// The one-class SVM.
    OneClassSvm,
}

/// The parameters that have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// The quantile parameter τ ∈ [0, 1].
    Tau,
    /// The penalty λ.
    Lambda,
    /// The cost C of all losses.
    C,
    /// The cost of the class +1.
    CPos,
    /// The cost of the class −1.
    CNeg,
    /// The half-width of the tube.
    Epsilon,
    /// The share of outliers ν ∈ (0, 1].
    Nu,
}

impl Parameter {
    /// Whether f along it is an affine function divided by the parameter: f = (1/λ) Σ xᵢk(xᵢ, ·), or likewise with νn, where x is affine.
    pub fn divides(self) -> bool {
        matches!(self, Parameter::Lambda | Parameter::Nu)
    }
}

/// What the response of a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// One of two labels.
    Classes,
    /// A number.
    Numbers,
    /// There is none: all columns are features.
    None,
}

/// What the command line knows of a problem before it has data.
pub struct Entry {
    /// What is to be learnt.
    pub response: Response,
    /// The bias unless told otherwise.
    pub bias: Bias,
    /// The parameter that varies unless told otherwise.
    pub default: Parameter,
    /// The parameters that can vary.
    pub vary: &'static [Parameter],
    /// The two parameters of its maps, the coordinates of θ; none if it has one parameter only.
    pub plane: Option<[Parameter; 2]>,
    /// The options with values of parameters that it takes, apart from the one that varies.
    pub options: &'static [&'static str],
    /// Whether its rates on test rows can be followed.
    pub rates: bool,
    /// Those without which it cannot be posed, apart from the one that varies.
    pub required: &'static [&'static str],
}

impl Problem {
    /// What is known of it.
    pub fn entry(self) -> Entry {
        match self {
            Problem::QuantileSvm => Entry {
                response: Response::Classes,
                bias: Bias::None,
                default: Parameter::Tau,
                vary: &[Parameter::Tau],
                plane: None,
                options: &["lambda"],
                rates: true,
                required: &["lambda"],
            },
            Problem::CostSvm => Entry {
                response: Response::Classes,
                bias: Bias::None,
                default: Parameter::C,
                vary: &[Parameter::C, Parameter::CPos, Parameter::CNeg],
                plane: Some([Parameter::CPos, Parameter::CNeg]),
                options: &["c-pos", "c-neg", "sum"],
                rates: false,
                required: &[],
            },
            Problem::Kqr => Entry {
                response: Response::Numbers,
                bias: Bias::Intercept,
                default: Parameter::Tau,
                vary: &[Parameter::Tau, Parameter::Lambda],
                plane: Some([Parameter::Tau, Parameter::Lambda]),
                options: &["tau", "lambda"],
                rates: false,
                required: &["tau", "lambda"],
            },
            Problem::Svr => Entry {
                response: Response::Numbers,
                bias: Bias::Intercept,
                default: Parameter::Epsilon,
                vary: &[Parameter::Epsilon, Parameter::Lambda, Parameter::C],
                plane: Some([Parameter::C, Parameter::Epsilon]),
                options: &["lambda", "c", "epsilon"],
                rates: false,
                required: &[],
            },
            Problem::OneClassSvm => Entry {
                response: Response::None,
                bias: Bias::Intercept,
                default: Parameter::Nu,
                vary: &[Parameter::Nu],
                plane: None,
                options: &[],
                rates: false,
                required: &[],
            },
        }
    }

    /// The loss of a value f(x) at θ: one for a wrong sign (f = 0 counts as negative), the pinball loss, or |Y − f(x)|.
    pub fn loss(self, theta: &[f64], f: f64, response: f64) -> f64 {
        match self {
            Problem::Kqr => pinball(theta.first().copied().unwrap_or(f64::NAN), response - f),
            Problem::Svr => (response - f).abs(),
            _ => f64::from(u8::from((f > 0.0) != (response > 0.0))),
        }
    }

    /// What the mean of that loss is called.
    pub fn loss_name(self) -> &'static str {
        match self {
            Problem::Kqr => "pinball loss",
            Problem::Svr => "absolute error",
            _ => "error",
        }
    }

    /// The problem on its data, of which some parameters vary.
    ///
    /// # Errors
    /// What the adapter refuses.
    pub fn adapter(self, rows: &Rows, model: &Model, varying: &[Parameter]) -> Result<Box<dyn Adapter>, AdapterError> {
        let Rows { features, response, weights } = rows.clone();
        let number = |name: &str| model.fixed.get(name).copied().unwrap_or(f64::NAN);
        match self {
            Problem::QuantileSvm => {
                let lambda = number("lambda");
                let svm = QuantileSvm::new(features, response, weights, lambda, model.kernel, model.bias)?;
                Ok(Box::new(svm))
            }
            Problem::CostSvm => Ok(Box::new(CostSvm::new(features, response, weights, model.kernel, model.bias)?)),
            Problem::Kqr => Ok(Box::new(Kqr::new(features, response, weights, model.kernel, model.bias)?)),
            Problem::Svr => {
                let by_cost = varying.contains(&Parameter::C) || model.fixed.contains_key("c");
                let chart = if by_cost { Chart::Cost } else { Chart::Penalty };
                Ok(Box::new(Svr::new(features, response, weights, model.kernel, model.bias, chart)?))
            }
            Problem::OneClassSvm => Ok(Box::new(OneClassSvm::new(features, weights, model.kernel)?)),
        }
    }
}

/// The name of an enum's value as an option spells it.
fn option_name(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&option_name(self))
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&option_name(self))
    }
}
