//! What the commands print: JSON documents and aligned tables.

mod at;
mod check;
pub mod map;
mod path;
pub mod regions;
mod solve;

pub use at::AtReport;
pub use check::{CheckReport, Gaps};
pub use path::{PathReport, Seconds, TestReport, class_text, features, rows};
pub use solve::{SolveReport, SolveSeconds, StartReport};

use serde::Serialize;

/// One JSON document, with a line end.
pub fn json(report: &impl Serialize) -> String {
    // The reports hold no maps with other keys than strings, the only thing that JSON cannot take.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Two aligned columns.
pub fn table<K: AsRef<str>, V: AsRef<str>>(rows: &[(K, V)]) -> String {
    let width = rows.iter().map(|(key, _)| key.as_ref().chars().count()).max().unwrap_or(0);
    rows.iter().map(|(key, value)| format!("  {:width$}  {}\n", key.as_ref(), value.as_ref())).collect()
}
