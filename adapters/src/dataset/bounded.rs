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
use super::parquet;
use super::source::{self, Format, TableRows};

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
    /// The physical line of each row, m entries; the first line of a file is 1. In a Parquet file it is the number of the row; the first is 1.
    pub lines: Vec<usize>,
    /// Whether `lines` has numbers of rows, as for a Parquet table.
    pub by_number: bool,
}

/// The names of the columns with the bounds.
const BOUNDS: [&str; 2] = ["lower", "upper"];

/// Reads rows with bounds from delimited text, `.csv` or `.tsv`, or a Parquet table. The first row of a text contains the names if one of its cells is `lower` or
/// `upper`.
///
/// # Errors
/// [`DataError`] for a file that cannot be read, is neither delimited text nor a Parquet table, or has no rows; for a table without a column of bounds, or with two columns of one
/// name; for a row with another number of cells than the first; and for a cell that is not a number, or an infinite bound of the wrong sign.
pub fn read_bounded(path: &Path) -> Result<BoundedRows, DataError> {
    let file = source::name(path);
    let bytes = source::load(path, &file)?;
    let (table, rows) = match source::format_of(path, &bytes) {
        Format::Parquet => of_parquet(source::parquet_name(path), bytes)?,
        Format::Delimited(delimiter) => {
            let mut records = Records::new(&file, source::text(&bytes, &file)?, delimiter, 1);
            let first = records.read()?.ok_or_else(|| empty(&file))?;
            let (table, named) = Table::new(&file, first, &records.record)?;
            let next = if named { records.read()? } else { Some(first) };
            let rows = Rows::of(&table, next, &mut records)?;
            (table, rows)
        }
        _ => return Err(DataError::NotDelimited { file }),
    };
    if rows.lines.is_empty() {
        return Err(empty(&table.file));
    }
    let (m, n) = (rows.lines.len(), table.width - table.bounds.iter().flatten().count());
    let matrix = Features::Dense { rows: m, columns: n, values: rows.values }.compact();
    let names = table.names.as_ref().map(|names| {
        let of_matrix = names.iter().enumerate().filter(|(j, _)| !table.is_bound(*j));
        of_matrix.map(|(_, name)| name.clone()).collect()
    });
    let [lower, upper] = rows.bounds;
    let by_number = source::counts_rows(&table.file);
    Ok(BoundedRows { names, matrix, lower, upper, lines: rows.lines, by_number })
}

/// The rows of a Parquet table.
fn of_parquet(file: String, bytes: Vec<u8>) -> Result<(Table, Rows), DataError> {
    let mut records = parquet::Records::open(&file, bytes)?;
    let names = records.names()?;
    let table = Table::named(&file, names.clone());
    if table.bounds == [None, None] {
        let name = BOUNDS[0].to_owned();
        return Err(DataError::UnknownColumn { file, role: Role::Bound, name, available: names });
    }
    (0..names.len()).try_for_each(|j| records.want(j))?;
    let first = records.read()?;
    let rows = Rows::of(&table, first, &mut records)?;
    Ok((table, rows))
}

/// What the columns are.
struct Table {
    file: String,
    names: Option<Vec<String>>,
    width: usize,
    /// The columns of the lower and of the upper bounds.
    bounds: [Option<usize>; 2],
}

impl Table {
    /// From the first row; whether it has the names.
    fn new(file: &str, line: usize, first: &StringRecord) -> Result<(Self, bool), DataError> {
        let width = first.len();
        let cells: Vec<String> = first.iter().map(|cell| cell.trim().to_owned()).collect();
        if cells.iter().any(|cell| BOUNDS.contains(&cell.as_str())) {
            return Ok((Table::named(file, distinct(file, line, cells)?), true));
        }
        let is_word = |cell: &&String| !cell.is_empty() && cell.parse::<f64>().is_err();
        if width < 2 || cells.iter().all(|cell| is_word(&cell)) {
            let name = BOUNDS[0].to_owned();
            return Err(DataError::UnknownColumn { file: file.into(), role: Role::Bound, name, available: cells });
        }
        let bounds = [Some(width - 2), Some(width - 1)];
        Ok((Table { file: file.to_owned(), names: None, width, bounds }, false))
    }

    fn named(file: &str, names: Vec<String>) -> Self {
        let bounds = BOUNDS.map(|bound| names.iter().position(|name| name == bound));
        Table { file: file.to_owned(), width: names.len(), names: Some(names), bounds }
    }

    fn is_bound(&self, column: usize) -> bool {
        self.bounds.contains(&Some(column))
    }

    fn fault(&self, line: usize, column: usize, cell: &str, fault: NumberFault) -> DataError {
        let name = self.names.as_ref().and_then(|names| names.get(column)).cloned();
        let column = name.map_or(Column::Numbered(column + 1), Column::Named);
        DataError::Number { file: self.file.clone(), line, column, value: cell.into(), fault }
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
    /// All rows from the one that has just been read, which is on line `next`.
    fn of(table: &Table, mut next: Option<usize>, records: &mut impl TableRows) -> Result<Self, DataError> {
        let mut rows = Rows::default();
        while let Some(line) = next {
            rows.push(table, line, records.record())?;
            next = records.read()?;
        }
        Ok(rows)
    }

    fn push(&mut self, table: &Table, line: usize, record: &StringRecord) -> Result<(), DataError> {
        if record.len() != table.width {
            let (file, found) = (table.file.clone(), record.len());
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
