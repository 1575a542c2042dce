//! From options and data to the problem on its line.

use crate::errors::CliError;
use crate::problem::{Parameter, Problem};
use crate::values::number;
use pathqp::{Line, ParametricQp, Path, Settings};
use pathqp_adapters::adapter::{Axis, Course, Direction};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::{Adapter, AdapterError, Bias};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The model, apart from the parameter that varies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The kernel.
    pub kernel: KernelKind,
    /// The bias.
    pub bias: Bias,
    /// Values of the parameters that do not vary.
    pub fixed: BTreeMap<String, f64>,
    /// The direction in the plane of parameters.
    pub direction: Option<Direction>,
}

/// The parameter that varies, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vary {
    /// The parameter.
    pub name: Parameter,
    /// Where the path begins.
    pub from: f64,
    /// Where it is to end; it may lie below `from`, and be infinite.
    #[serde(with = "infinite")]
    pub to: f64,
}

/// An end that may be infinite: JSON has no such number.
mod infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(end: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        end.is_finite().then_some(*end).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

/// The rows that a problem is made from: scaled features, responses, case weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// n × d, scaled.
    pub features: Arc<Features>,
    /// n signs, +1 or −1, or n numbers.
    pub response: Vec<f64>,
    /// n case weights.
    pub weights: Option<Vec<f64>>,
}

/// A problem on the line that its path follows.
pub struct Posed {
    /// The problem.
    pub adapter: Box<dyn Adapter>,
    /// Its quadratic program.
    pub qp: ParametricQp<f64>,
    /// The line on which the parameter varies.
    pub axis: Axis,
    /// The parameter that varies, and where.
    pub vary: Vary,
    /// The quadratic program along the line.
    pub line: Line<f64>,
}

impl Posed {
    /// Poses a problem of which one parameter varies. An end that is not given is the problem's own.
    ///
    /// # Errors
    /// What the adapter or the engine refuses; an end outside the parameter's range, or none where there is no natural one.
    pub fn new(
        problem: Problem,
        rows: &Rows,
        model: &Model,
        (name, from, to): (Parameter, Option<f64>, Option<f64>),
        settings: &Settings,
    ) -> Result<Self, PoseError> {
        let adapter = problem.adapter(rows, model, &[name])?;
        let course = Course { vary: name.to_string(), fixed: model.fixed.clone(), direction: model.direction };
        let axis = adapter.axis(&course).map_err(|error| name_option(problem, error))?;
        let [low, high] = axis.range;
        for (option, value) in [("--from", from), ("--to", to)] {
            if let Some(value) = value.filter(|value| !(low..=high).contains(value)) {
                return Err(CliError::EndOutside { option, value, name, low, high }.into());
            }
        }
        let qp = adapter.qp(settings)?;
        let natural = if from.and(to).is_some() { [from, to] } else { adapter.ends(&qp, &axis, settings)? };
        // A path that is asked for from its upper end downwards has its natural beginning there.
        let natural =
            if axis.rising && to.is_some() && to < natural[1] && from.is_none() { [natural[1]; 2] } else { natural };
        let end = |option, given: Option<f64>, natural: Option<f64>| {
            given.or(natural).ok_or(CliError::EndMissing { option, name })
        };
        let (from, to) = (end("--from", from, natural[0])?, end("--to", to, natural[1])?);
        let (from, to) = if axis.rising { (from.min(to), from.max(to)) } else { (from, to) };
        let line = match to.is_finite() {
            true => qp.line(&axis.theta(from), &axis.theta(to)),
            false => qp.ray(&axis.theta(from), &axis.direction),
        };
        let line = line.map_err(AdapterError::from)?;
        Ok(Posed { adapter, qp, axis, vary: Vary { name, from, to }, line })
    }

    /// The value of the parameter at a position of the path.
    pub fn value(&self, path: &Path<f64>, t: f64) -> f64 {
        self.axis.value(&path.parameter(&t))
    }

    /// The same in words.
    pub fn place(&self, path: &Path<f64>, t: f64) -> String {
        format!("{} = {}", self.vary.name, number(self.value(path, t)))
    }

    /// The values of the parameter at which a path begins and ends; none when it has no segment.
    pub fn covered(&self, path: &Path<f64>) -> Option<(f64, f64)> {
        let end = if path.is_complete() { self.vary.to } else { self.value(path, *path.end()) };
        (!path.segments().is_empty()).then_some((self.vary.from, end))
    }

    /// The largest gap in the paper's objective that a gap of one in the engine's can mean on the line.
    pub fn gap_unit(&self) -> f64 {
        let unit = |value: f64| self.adapter.gap_unit(&self.axis.theta(value));
        unit(self.vary.from).max(unit(self.vary.to))
    }
}

/// An error about the parameters, in the words of their options.
fn name_option(problem: Problem, error: AdapterError) -> PoseError {
    match error {
        AdapterError::Missing { name, .. } => CliError::OptionMissing { problem, option: name }.into(),
        AdapterError::Unused { name, .. } => CliError::OptionUnused { problem, option: name }.into(),
        error => error.into(),
    }
}

/// Why a problem could not be posed.
pub enum PoseError {
    /// The adapter refuses.
    Adapter(AdapterError),
    /// The options are wrong.
    Options(CliError),
}

impl From<AdapterError> for PoseError {
    fn from(error: AdapterError) -> Self {
        PoseError::Adapter(error)
    }
}

impl From<CliError> for PoseError {
    fn from(error: CliError) -> Self {
        PoseError::Options(error)
    }
}
