//! Case weights beside LIBSVM text: a file with one number a line, as LIBSVM's own tool for weighted data takes it.

use std::path::Path;

use super::error::DataError;
use super::message::Column;
use super::number;
use super::source;

/// The weights in the file at `path`, one for each of `rows` rows, in their order. Blank lines count for nothing.
///
/// # Errors
/// A file that cannot be read, a number that is negative or cannot be used, and another number of weights.
pub(super) fn read(path: &Path, rows: usize) -> Result<Vec<f64>, DataError> {
    let file = path.display().to_string();
    let bytes = source::load(path, &file)?;
    let text = source::text(&bytes, &file)?;
    let mut weights = Vec::with_capacity(rows);
    for (k, line) in text.lines().enumerate() {
        let value = line.trim();
        if value.is_empty() {
            continue;
        }
        let number = number::weight(value);
        weights.push(number.map_err(|fault| DataError::Number {
            file: file.clone(),
            line: k + 1,
            column: Column::Numbered(1),
            value: value.to_owned(),
            fault,
        })?);
    }
    if weights.len() == rows { Ok(weights) } else { Err(DataError::WeightCount { file, found: weights.len(), rows }) }
}
