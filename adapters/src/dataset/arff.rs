//! Weka's ARFF tables: a line `@attribute name type` for each column, then `@data` and rows as in comma-separated text.
//!
//! The format is that of Witten, Frank and Hall 2011, Data Mining, §2.4. The declared types are ignored: the type of a column is recognised from its values, as
//! in other tables. A question mark is a missing value. Sparse rows (in braces) are refused.

use super::csv::{Records, distinct, empty};
use super::error::DataError;
use super::layout::{Layout, Rows};
use super::source::TableRows;
use super::{Dataset, ReadOptions};

/// Reads the rows of `text`.
pub(super) fn parse(file: &str, text: &str, options: &ReadOptions) -> Result<Dataset, DataError> {
    let header = Header::read(file, text)?;
    let quote = header.data.bytes().find(|byte| b"'\"".contains(byte)).unwrap_or(b'"');
    let mut records = Records::commented(quote, file, header.data, header.line);
    let width = header.names.len();
    let mut layout = Layout::new(file, Some(header.names), width, options)?;
    layout.check(header.line, Some(b','))?;
    let mut next = records.read()?;
    if next.is_some() {
        layout.look_at(&records.record);
    }
    let mut rows = Rows::new(&layout);
    while let Some(line) = next {
        if records.record.get(0).is_some_and(|cell| cell.trim_start().starts_with('{')) {
            return Err(DataError::SparseArff { file: file.to_owned(), line });
        }
        rows.push(line, &records.record)?;
        next = records.read()?;
    }
    let data = rows.finish()?;
    if data.response.is_empty() { Err(empty(file)) } else { Ok(data) }
}

/// The names of the columns.
pub(super) fn columns(file: &str, text: &str) -> Result<Vec<String>, DataError> {
    Ok(Header::read(file, text)?.names)
}

/// What stands above the rows.
struct Header<'a> {
    names: Vec<String>,
    data: &'a str,
    /// The line on which the rows begin.
    line: usize,
}

impl<'a> Header<'a> {
    fn read(file: &str, text: &'a str) -> Result<Self, DataError> {
        let (mut names, mut position) = (Vec::new(), 0);
        for (k, whole) in text.split_inclusive('\n').enumerate() {
            position += whole.len();
            let content = whole.trim();
            let (word, rest) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
            match word.to_ascii_lowercase().as_str() {
                "@data" => {
                    let names = distinct(file, k + 1, names)?;
                    return Ok(Header { names, data: &text[position..], line: k + 2 });
                }
                "@attribute" => names.push(name(rest.trim_start()).to_owned()),
                "@relation" | "" => {}
                _ if word.starts_with('%') => {}
                _ => return Err(DataError::Arff { file: file.to_owned(), line: k + 1, found: content.to_owned() }),
            }
        }
        Err(empty(file))
    }
}

/// The name at the beginning of what follows `@attribute`: in quotes, or up to a blank or a brace.
fn name(rest: &str) -> &str {
    match rest.chars().next() {
        Some(quote @ ('\'' | '"')) => rest[1..].split(quote).next().unwrap_or_default(),
        _ => rest.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default(),
    }
}
