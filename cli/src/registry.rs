//! The problems that have commands: the program's own, and those that another crate adds.

use pathqp_adapters::problems::PROBLEMS;
use pathqp_adapters::spec::Entry;
use std::sync::OnceLock;

static ALL: OnceLock<Vec<Entry>> = OnceLock::new();

/// Adds problems to the program's own. Only the first call has an effect.
pub fn add(others: &[Entry]) {
    ALL.get_or_init(|| PROBLEMS.iter().chain(others).copied().collect());
}

/// All problems.
pub fn problems() -> &'static [Entry] {
    ALL.get_or_init(|| PROBLEMS.to_vec())
}

/// A problem by its name.
pub fn find(name: &str) -> Option<&'static Entry> {
    problems().iter().find(|entry| entry.name == name)
}
