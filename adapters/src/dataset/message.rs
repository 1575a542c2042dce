//! The pieces of the messages: places, and texts cut to one short line.

use std::fmt;

use super::source::counts_rows;

/// The longest piece of a file that a message repeats, in characters.
const SHOWN_CHARACTERS: usize = 40;

/// The most column names that a message lists.
const SHOWN_NAMES: usize = 6;

/// Where on its line a number stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// The label in front of a line of LIBSVM text.
    Label,
    /// The value at this index, as a line of LIBSVM text writes it.
    Index(u64),
    /// The column of this name.
    Named(String),
    /// The column of this number (the first is 1) of a file without names.
    Numbered(usize),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Label => write!(f, "the label"),
            Column::Index(index) => write!(f, "column {index}"),
            Column::Named(name) => write!(f, "column {}", shown(name)),
            Column::Numbered(number) => write!(f, "column {number}"),
        }
    }
}

/// What the caller wanted a named column for. The display is the option that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The response.
    Response,
    /// The case weights.
    Weights,
    /// A column that is left out.
    Exclude,
    /// The names of the rows.
    Index,
    /// Categories.
    Categorical,
    /// A feature, of training data.
    Feature,
    /// A bound of rows.
    Bound,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Response => "--response",
            Role::Weights => "--weights",
            Role::Exclude => "--exclude",
            Role::Index => "--index",
            Role::Categorical => "--categorical",
            Role::Feature => "a feature of the training data",
            Role::Bound => "the bounds of the rows",
        })
    }
}

/// `text` with its control characters escaped, so that a message stays on one line.
pub(super) fn one_line(text: &str) -> String {
    if !text.contains(char::is_control) {
        return text.to_owned();
    }
    let mut line = String::new();
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// The start of `text` on one line.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        None => one_line(text),
        Some((end, _)) => one_line(&text[..end]) + "…",
    }
}

/// The first few names.
pub(super) fn listed(names: &[String]) -> String {
    let few: Vec<String> = names.iter().take(SHOWN_NAMES).map(|name| shown(name)).collect();
    let mut text = few.join(", ");
    if names.len() > few.len() {
        text += &format!(" and {} more", names.len() - few.len());
    }
    text
}

/// What has to be seen to where a table has no columns for features.
pub(super) fn separated(delimiter: Option<u8>) -> &'static str {
    match delimiter {
        None => "features are columns beside the response",
        Some(b'\t') => "the fields must be separated by tabs",
        Some(_) => "the fields must be separated by commas",
    }
}

/// A file and a line of it, or a row (the first is 1) of a file without lines; line 0 is the whole file.
pub fn place(file: &str, line: usize) -> String {
    let unit = if counts_rows(file) { "row" } else { "line" };
    if line == 0 { one_line(file) } else { format!("{}, {unit} {line}", one_line(file)) }
}

/// A number that is a label the way data files write it: +1 with its sign, whole numbers without a point.
pub(super) fn number_text(label: f64) -> String {
    if label == 1.0 {
        "+1".to_owned()
    } else if label.fract() == 0.0 && label.abs() < 1e15 {
        format!("{label}")
    } else {
        format!("{label:?}")
    }
}

/// The text that stands where a number should be.
pub(super) fn quoted(value: &str) -> String {
    if value.is_empty() { "the value".to_owned() } else { format!("`{}`", shown(value)) }
}
