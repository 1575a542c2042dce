//! What `at` prints, and every other command that shows a solution.

use super::table;
use crate::certify;
use pathqp::Certificate;
use pathqp::certificate::Verdict;
use pathqp_adapters::problem::{Constant, Group, Solution};
use pathqp_adapters::value::Value;
use pathqp_views::words::number;
use serde::Serialize;
use std::collections::BTreeMap;

/// JSON of `at`, one value.
#[derive(Debug, Serialize)]
pub struct AtReport {
    /// The parameter and its value.
    pub param: BTreeMap<String, f64>,
    /// All coordinates of θ, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta: Option<BTreeMap<String, f64>>,
    /// The primal objective in the paper's form.
    pub objective: f64,
    /// The dual objective in the paper's form.
    pub dual_objective: f64,
    /// Their difference, relative to the size of the objective (see [`pathqp::certificate`]).
    pub relative_gap: f64,
    /// The scaled KKT residual.
    pub kkt_residual: f64,
    /// The verdict for people.
    #[serde(skip)]
    pub certificate: String,
    /// The number of free variables.
    pub free: usize,
    /// The solution's values by name: w, intercept, …; with `--full` all of them.
    #[serde(flatten)]
    values: Value,
}

/// A constant, or the interval in which it lies.
fn constant_text(constant: Constant) -> String {
    match constant {
        Constant::Unique(value) => number(value),
        Constant::Interval([low, high]) => {
            let low = low.map_or("(-inf".into(), |v| format!("[{}", number(v)));
            let high = high.map_or("inf)".into(), |v| format!("{}]", number(v)));
            format!("any in {low}, {high}")
        }
    }
}

impl AtReport {
    /// A solution with its certificate, the verdict on it and the unit of a gap; the number of free variables, and whether all values are printed.
    pub fn new(
        param: BTreeMap<String, f64>,
        theta: Option<BTreeMap<String, f64>>,
        solution: Solution,
        (certificate, verdict, unit): (&Certificate<f64>, &Verdict, f64),
        (free, full): (usize, bool),
    ) -> Self {
        let Solution { objective, dual_objective, mut values, further } = solution;
        values.extend(further.into_iter().filter(|_| full));
        AtReport {
            param,
            theta,
            objective,
            dual_objective: dual_objective
                .unwrap_or(objective - unit * (certificate.objective - certificate.dual_objective)),
            relative_gap: certificate.relative_gap,
            // A residual that is not a number fails.
            kkt_residual: pathqp_views::certify::number(certificate.kkt_residual()),
            certificate: certify::text(verdict),
            free,
            values: Value::Record(values),
        }
    }

    /// The solution for people; `groups` name the columns of tables.
    pub fn table(&self, groups: &[Group]) -> String {
        let mut rows: Vec<(String, String)> =
            self.param.iter().map(|(name, value)| (name.clone(), number(*value))).collect();
        let others = self.theta.iter().flatten().filter(|(name, _)| !self.param.contains_key(*name));
        rows.extend(others.map(|(name, value)| (name.clone(), number(*value))));
        rows.extend([
            ("objective".into(), number(self.objective)),
            ("dual objective".into(), number(self.dual_objective)),
            ("relative gap".into(), format!("{:.1e}", self.relative_gap)),
            ("KKT residual".into(), format!("{:.1e}", self.kkt_residual)),
            ("certificate".into(), self.certificate.clone()),
            ("free".into(), self.free.to_string()),
        ]);
        let Value::Record(values) = &self.values else { return table(&rows) };
        rows.extend(values.iter().filter_map(|(name, value)| Some(((*name).into(), short_text(value)?))));
        let lists = values.iter().filter_map(|(name, value)| list(name, value, groups));
        lists.fold(table(&rows), |text, list| text + &list)
    }
}

/// A value that is shown on a line.
fn short_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(value) => Some(number(*value)),
        Value::Count(count) => Some(count.to_string()),
        Value::Truth(truth) => Some(if *truth { "yes" } else { "no" }.into()),
        Value::Text(text) => Some(text.clone()),
        Value::Constant(constant, _) => Some(constant_text(*constant)),
        _ => None,
    }
}

/// A value that is shown as a list of its own: one line an entry, by the names of a table's columns or by numbers.
fn list(name: &str, value: &Value, groups: &[Group]) -> Option<String> {
    if !matches!(value, Value::Numbers(_) | Value::Indices(_) | Value::Table(_)) {
        return None;
    }
    let names = groups.iter().find(|group| group.value == name).map(|group| group.names.as_slice());
    let label = |j: usize| names.and_then(|n| n.get(j)).cloned().unwrap_or_else(|| (j + 1).to_string());
    let entries: Vec<(String, String)> = value.flat().iter().enumerate().map(|(j, v)| (label(j), number(*v))).collect();
    Some(format!("{name}\n{}", table(&entries)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_without_an_end_is_written_as_one() {
        assert_eq!(constant_text(Constant::Unique(0.5)), "0.5");
        assert_eq!(constant_text(Constant::Interval([Some(-1.0), Some(-0.25)])), "any in [-1, -0.25]");
        assert_eq!(constant_text(Constant::Interval([None, None])), "any in (-inf, inf)");
    }
}
