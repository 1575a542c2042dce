//! Tables of linear rows with bounds, bl ≤ A v ≤ bu: each line is a row, with one column for each entry of v and the columns `lower` and `upper`.
//!
//! A cell of `lower` or `upper` may be empty: then there is no such bound. One of the two columns may be missing. Without a row of names the last two columns
//! are the bounds.

use std::path::Path;

use ::csv::StringRecord;

use super::csv::{Records, distinct, empty};
use super::error::DataError;
use super::features::Features;
use super::message::{Column, Role};
use super::number::{self, NumberFault};
use super::source::{self, Format};

/// Rows with bounds, as read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedRows {
    /// The names of the columns of A, if the file has names.
    pub names: Option<Vec<String>>,
    /// A, m × n.
    pub matrix: Features,
    /// bl, m entries; `None` where a row has no lower bound.
    pub lower: Vec<Option<f64>>,
    /// bu, m entries; `None` where a row has no upper bound.
    pub upper: Vec<Option<f64>>,
    /// The physical line of each row, m entries; the first line of a file is 1.
    pub lines: Vec<usize>,
}

/// The names of the columns with the bounds.
const BOUNDS: [&str; 2] = ["lower", "upper"];

/// Reads rows with bounds from delimited text, `.csv` or `.tsv`. The first row contains the names if one of its cells is `lower` or `upper`.
///
/// # Errors
/// [`DataError`] for a file that cannot be read, is not delimited text, or has no rows; for a table without a column of bounds, or with two columns of one
/// name; for a row with another number of cells than the first; and for a cell that is not a number, or an infinite bound of the wrong sign.
pub fn read_bounded(path: &Path) -> Result<BoundedRows, DataError> {
    let file = source::name(path);
    let bytes = source::load(path, &file)?;
    let text = source::text(&bytes, &file)?;
    let Format::Delimited(delimiter) = source::format_of(path, text) else {
        return Err(DataError::NotDelimited { file });
    };
    let mut records = Records::new(&file, text, delimiter, 1);
    let first = records.read()?.ok_or_else(|| empty(&file))?;
    let (table, named) = Table::new(&file, first, &records.record)?;
    let mut rows = Rows::default();
    let mut next = if named { records.read()? } else { Some(first) };
    while let Some(line) = next {
        rows.push(&table, line, &records.record)?;
        next = records.read()?;
    }
    if rows.lines.is_empty() {
        return Err(empty(&file));
    }
    let (m, n) = (rows.lines.len(), table.width - table.bounds.iter().flatten().count());
    let matrix = Features::Dense { rows: m, columns: n, values: rows.values }.compact();
    let names = table.names.as_ref().map(|names| {
        let of_matrix = names.iter().enumerate().filter(|(j, _)| !table.is_bound(*j));
        of_matrix.map(|(_, name)| name.clone()).collect()
    });
    let [lower, upper] = rows.bounds;
    Ok(BoundedRows { names, matrix, lower, upper, lines: rows.lines })
}

/// What the columns are.
struct Table<'a> {
    file: &'a str,
    names: Option<Vec<String>>,
    width: usize,
    /// The columns of the lower and of the upper bounds.
    bounds: [Option<usize>; 2],
}

impl<'a> Table<'a> {
    /// From the first row; whether it has the names.
    fn new(file: &'a str, line: usize, first: &StringRecord) -> Result<(Self, bool), DataError> {
        let width = first.len();
        let cells: Vec<String> = first.iter().map(|cell| cell.trim().to_owned()).collect();
        if cells.iter().any(|cell| BOUNDS.contains(&cell.as_str())) {
            let names = distinct(file, line, cells)?;
            let bounds = BOUNDS.map(|bound| names.iter().position(|name| name == bound));
            return Ok((Table { file, names: Some(names), width, bounds }, true));
        }
        let is_word = |cell: &&String| !cell.is_empty() && cell.parse::<f64>().is_err();
        if width < 2 || cells.iter().all(|cell| is_word(&cell)) {
            let name = BOUNDS[0].to_owned();
            return Err(DataError::UnknownColumn { file: file.into(), role: Role::Bound, name, available: cells });
        }
        Ok((Table { file, names: None, width, bounds: [Some(width - 2), Some(width - 1)] }, false))
    }

    fn is_bound(&self, column: usize) -> bool {
        self.bounds.contains(&Some(column))
    }

    fn fault(&self, line: usize, column: usize, cell: &str, fault: NumberFault) -> DataError {
        let name = self.names.as_ref().and_then(|names| names.get(column)).cloned();
        let column = name.map_or(Column::Numbered(column + 1), Column::Named);
        DataError::Number { file: self.file.into(), line, column, value: cell.into(), fault }
    }
}

/// The rows read so far.
#[derive(Default)]
struct Rows {
    values: Vec<f64>,
    bounds: [Vec<Option<f64>>; 2],
    lines: Vec<usize>,
}

impl Rows {
    fn push(&mut self, table: &Table, line: usize, record: &StringRecord) -> Result<(), DataError> {
        if record.len() != table.width {
            let (file, found) = (table.file.to_owned(), record.len());
            return Err(DataError::FieldCount { file, line, found, expected: table.width });
        }
        for (j, cell) in record.iter().map(str::trim).enumerate().filter(|(j, _)| !table.is_bound(*j)) {
            self.values.push(number::parse(cell).map_err(|fault| table.fault(line, j, cell, fault))?);
        }
        for (side, column) in table.bounds.into_iter().enumerate() {
            let bound = match column.and_then(|j| Some((j, record.get(j)?.trim()))) {
                None => None,
                Some((j, cell)) => bound(side, cell).map_err(|fault| table.fault(line, j, cell, fault))?,
            };
            self.bounds[side].push(bound);
        }
        self.lines.push(line);
        Ok(())
    }
}

/// The bound that a cell of the lower (0) or upper (1) ones spells; none where it is empty, or infinite on its own side.
fn bound(side: usize, cell: &str) -> Result<Option<f64>, NumberFault> {
    if cell.is_empty() {
        return Ok(None);
    }
    let none = [f64::NEG_INFINITY, f64::INFINITY][side];
    match cell.parse::<f64>() {
        Ok(value) if value == none && !cell.bytes().any(|byte| byte.is_ascii_digit()) => Ok(None),
        _ => number::parse(cell).map(Some),
    }
}
