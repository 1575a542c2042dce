//! LIBSVM text: `label index:value index:value … # comment`, one row per line.
//!
//! The format is that of SVMlight (Joachims 1999, Making large-scale SVM learning practical) as LIBSVM reads it (Chang
//! and Lin 2011, LIBSVM: a library for support vector machines, doi:10.1145/1961189.1961199): indices start at 1 and
//! increase along a line, and entries that are left out are zero. A label alone is a row of zeros.

use super::error::DataError;
use super::features::Features;
use super::message::{Column, Role};
use super::number::{self, NumberFault};
use super::{Dataset, ReadOptions};

/// The largest index: that of LIBSVM, whose indices are 32-bit signed integers.
const LARGEST_INDEX: u64 = i32::MAX as u64;

/// Reads the rows of `text`.
pub(super) fn parse(file: &str, text: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let data = parse_part(file, text, 1, options)?;
    if data.response.is_empty() {
        return Err(DataError::Empty { file: file.to_owned() });
    }
    Ok(data)
}

/// Reads the rows of a part of a file that begins at `first_line`; there may be none.
pub(super) fn parse_part(
    file: &str,
    text: &str,
    first_line: usize,
    options: &ReadOptions,
) -> Result<Dataset, DataError> {
    refuse_names(file, options)?;
    let mut rows = Rows::new(file, options);
    for (i, line) in text.split('\n').enumerate() {
        rows.read_line(first_line + i, line)?;
    }
    Ok(rows.finish())
}

fn refuse_names(file: &str, options: &ReadOptions) -> Result<(), DataError> {
    let first = |names: &'_ [String]| names.first().cloned();
    let named = [
        (Role::Response, options.response.clone()),
        (Role::Weights, options.weights.clone()),
        (Role::Index, options.index.clone()),
        (Role::Exclude, first(&options.exclude)),
        (Role::Categorical, first(&options.categorical)),
    ];
    for (role, name) in named {
        if let Some(name) = name {
            return Err(DataError::NoNames { file: file.to_owned(), role, name });
        }
    }
    Ok(())
}

/// The rows read so far.
struct Rows<'a> {
    file: &'a str,
    /// The index of the first column: 0 or 1.
    base: u64,
    /// The number of columns fixed by the caller.
    fixed: Option<usize>,
    /// The number of columns used.
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    response: Vec<f64>,
    lines: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(file: &'a str, options: &ReadOptions) -> Self {
        Self {
            file,
            base: u64::from(!options.zero_based),
            fixed: options.features,
            columns: 0,
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            response: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn read_line(&mut self, line: usize, text: &str) -> Result<(), DataError> {
        let content = text.split_once('#').map_or(text, |(content, _)| content);
        let mut tokens = content.split_ascii_whitespace();
        let Some(label) = tokens.next() else {
            return Ok(());
        };
        let label = number::parse(label).map_err(|fault| self.label_error(line, label, fault))?;
        let mut previous = None;
        let mut norm_squared = 0.0;
        for token in tokens {
            let (index, value) = self.entry(line, token, previous)?;
            previous = Some(index);
            norm_squared += value * value;
            let column = index - self.base;
            self.columns = self.columns.max(column as usize + 1);
            if value != 0.0 {
                // At most LARGEST_INDEX, so that it fits.
                self.indices.push(column as u32);
                self.values.push(value);
            }
        }
        if !norm_squared.is_finite() {
            let file = self.file.to_owned();
            return Err(DataError::RowNorm { file, line });
        }
        self.starts.push(self.indices.len());
        self.response.push(label);
        self.lines.push(line);
        Ok(())
    }

    /// The index, as written, and the value of one `index:value`.
    fn entry(&self, line: usize, token: &str, previous: Option<u64>) -> Result<(u64, f64), DataError> {
        let colon = token.bytes().position(|byte| byte == b':');
        let parts = colon.map(|colon| (&token[..colon], &token[colon + 1..]));
        let Some((index, value)) = parts.and_then(|(key, value)| Some((digits(key)?, value))) else {
            return Err(self.token_error(line, token));
        };
        if index < self.base || previous.is_some_and(|previous| index <= previous) {
            return Err(self.order_error(line, token, index, previous));
        }
        if index >= self.limit() {
            return Err(self.limit_error(line, index));
        }
        match number::parse(value) {
            Ok(value) => Ok((index, value)),
            Err(fault) => Err(self.number_error(line, Column::Index(index), value, fault)),
        }
    }

    /// One more than the largest index allowed.
    fn limit(&self) -> u64 {
        match self.fixed {
            Some(columns) => (self.base.saturating_add(columns as u64)).min(LARGEST_INDEX + 1),
            None => LARGEST_INDEX + 1,
        }
    }

    fn finish(self) -> Dataset {
        let features = Features::Sparse {
            rows: self.response.len(),
            columns: self.fixed.unwrap_or(self.columns),
            starts: self.starts,
            indices: self.indices,
            values: self.values,
        };
        Dataset {
            features: features.compact(),
            response: self.response,
            labels: None,
            weights: None,
            feature_names: None,
            inputs: None,
            categories: Vec::new(),
            response_name: None,
            row_names: None,
            source: self.file.to_owned(),
            lines: self.lines,
        }
    }

    fn label_error(&self, line: usize, label: &str, fault: NumberFault) -> DataError {
        let fault = match fault {
            NumberFault::Malformed if label.contains(',') => NumberFault::Commas,
            other => other,
        };
        self.number_error(line, Column::Label, label, fault)
    }

    fn number_error(&self, line: usize, column: Column, value: &str, fault: NumberFault) -> DataError {
        DataError::Number { file: self.file.to_owned(), line, column, value: value.to_owned(), fault }
    }

    fn token_error(&self, line: usize, token: &str) -> DataError {
        let file = self.file.to_owned();
        let text = token.to_owned();
        if token.starts_with("qid:") {
            DataError::QueryId { file, line, token: text }
        } else {
            DataError::Token { file, line, token: text }
        }
    }

    fn order_error(&self, line: usize, token: &str, index: u64, previous: Option<u64>) -> DataError {
        let file = self.file.to_owned();
        match previous {
            Some(previous) if index >= self.base => DataError::IndexOrder { file, line, previous, index },
            _ => DataError::IndexZero { file, line, token: token.to_owned() },
        }
    }

    fn limit_error(&self, line: usize, index: u64) -> DataError {
        let file = self.file.to_owned();
        match self.fixed {
            Some(features) if index <= LARGEST_INDEX => DataError::IndexAboveFeatures { file, line, index, features },
            _ => DataError::IndexTooLarge { file, line, index, largest: LARGEST_INDEX },
        }
    }
}

/// The whole number that `text` spells in digits alone; numbers that do not fit become the largest `u64`.
fn digits(text: &str) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let mut value: u64 = 0;
    for byte in text.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    }
    Some(value)
}
