//! From options and data to the problem on its line.

use crate::errors::CliError;
use clap::ValueEnum;
use pathqp::{Line, ParametricQp, Settings};
use pathqp_adapters::dataset::{Features, Row};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::{Bias, QuantileSvm, QuantileSvmError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

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
}

/// The parameters that can vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameter {
    /// The quantile parameter τ ∈ [0, 1].
    Tau,
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

impl Parameter {
    /// The natural range.
    pub fn range(self) -> (f64, f64) {
        match self {
            Parameter::Tau => (0.0, 1.0),
        }
    }
}

/// The model, apart from the parameter that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The kernel.
    pub kernel: KernelKind,
    /// The bias.
    pub bias: Bias,
    /// λ.
    pub lambda: f64,
}

/// The parameter that varies, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vary {
    /// The parameter.
    pub name: Parameter,
    /// Where the path begins.
    pub from: f64,
    /// Where it is to end; it may lie below `from`.
    pub to: f64,
}

impl Vary {
    /// A part of the parameter's range, of some length.
    ///
    /// # Errors
    /// An end outside the range, or two equal ends.
    pub fn new(name: Parameter, from: Option<f64>, to: Option<f64>) -> Result<Self, CliError> {
        let (low, high) = name.range();
        let (from, to) = (from.unwrap_or(low), to.unwrap_or(high));
        for (option, value) in [("--from", from), ("--to", to)] {
            if !(low..=high).contains(&value) {
                return Err(CliError::EndOutside { option, value, name, low, high });
            }
        }
        if from == to { Err(CliError::NoLength { value: from }) } else { Ok(Vary { name, from, to }) }
    }
}

/// The rows that a problem is made from: scaled features, signs, case weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// n × d, scaled.
    pub features: Arc<Features>,
    /// n signs, +1 or −1.
    pub labels: Vec<f64>,
    /// n case weights.
    pub weights: Option<Vec<f64>>,
}

/// A problem on the line that its path follows.
pub struct Posed {
    /// The adapter.
    pub svm: QuantileSvm,
    /// Its quadratic program.
    pub qp: ParametricQp<f64>,
    /// The quadratic program along the line.
    pub line: Line<f64>,
}

/// Poses the problem.
///
/// # Errors
/// What the adapter or the engine refuses.
pub fn pose(rows: &Rows, model: &Model, vary: &Vary, settings: &Settings) -> Result<Posed, QuantileSvmError> {
    let (labels, weights) = (rows.labels.clone(), rows.weights.clone());
    let svm = QuantileSvm::new(rows.features.clone(), labels, weights, model.lambda, model.kernel, model.bias)?;
    let qp = svm.qp(settings)?;
    let line = qp.line(&[vary.from], &[vary.to])?;
    Ok(Posed { svm, qp, line })
}

/// The first pair of entries of a square matrix that differ from their mirror images by more than rounding: row,
/// column (both from zero), and the two values.
pub fn asymmetry(kernel: &Features) -> Option<(usize, usize, (f64, f64))> {
    const ROUNDING: f64 = 64.0 * f64::EPSILON;
    let entry = |i: usize, j: usize| match kernel.row(i) {
        Row::Dense(values) => values.get(j).copied().unwrap_or(0.0),
        Row::Sparse(columns, values) => {
            let place = u32::try_from(j).ok().and_then(|j| columns.binary_search(&j).ok());
            place.and_then(|k| values.get(k).copied()).unwrap_or(0.0)
        }
    };
    let square = kernel.rows().min(kernel.columns());
    (0..square).find_map(|i| {
        let mut found = None;
        kernel.row(i).for_each(|j, value| {
            let mirror = if j < square { entry(j, i) } else { value };
            if found.is_none() && (value - mirror).abs() > ROUNDING * value.abs().max(mirror.abs()) {
                found = Some((i, j, (value, mirror)));
            }
        });
        found
    })
}
