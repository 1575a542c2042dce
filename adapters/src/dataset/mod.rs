//! Data sets: features, a response and case weights, read from LIBSVM text or tables.
//!
//! ```text
//! read ─┬─ LIBSVM text ────────────────────┐
//!       └─ .csv, .tsv, .arff, .parquet ────┴─> Dataset ─┬─ two_classes ──> signs y, Classes
//!                                                └─ Scaler::fit ──> Scaler ── apply ──> Features
//! ```
//!
//! A file is either read in full or refused. Nothing is repaired on the way: no index is sorted, no short row is padded
//! and no missing value is filled in. Each refusal is a [`DataError`] that names the file, the physical line (the first
//! is 1; of a Parquet file the row), the column and the value.
//!
//! Every number that is accepted is finite and so is its square, and so is the squared norm of every row. By the
//! Cauchy–Schwarz inequality all inner products of rows are then finite as well.
//!
//! Reading takes time and memory linear in the size of the file; [`stream`] hands the rows on in parts and takes memory for one of them.

mod arff;
mod bounded;
mod csv;
mod error;
mod features;
mod labels;
mod layout;
mod libsvm;
mod message;
mod number;
mod parquet;
mod parquet_fault;
mod parquet_value;
mod quiet;
mod scale;
mod source;
mod stream;
#[cfg(test)]
mod tests;
mod violations;
mod weights;

use std::path::Path;

pub use bounded::{BoundedRows, read_bounded};
pub use error::DataError;
pub use features::{Features, Row};
pub use labels::{Classes, Label, two_classes};
pub use layout::Categories;
pub use message::{Column, Role, place};
pub use number::NumberFault;
pub use parquet_fault::ParquetFault;
pub use scale::{Scaler, Scaling};
pub use stream::stream;
pub use violations::FeaturesViolation;

use source::Format;

/// A data set of n rows and d feature columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The features, n × d.
    pub features: Features,
    /// The response or the label of each row, length n, as the file has it. Where labels are words, it is their index in `labels`; zero where the table is read
    /// without a response.
    pub response: Vec<f64>,
    /// The words that are labels, in alphabetical order; `None` where labels are numbers.
    pub labels: Option<Vec<String>>,
    /// The case weight of each row, length n, each ≥ 0; `None` when no weights were named.
    pub weights: Option<Vec<f64>>,
    /// The names of the feature columns, length d; `None` when the file has none.
    pub feature_names: Option<Vec<String>>,
    /// The columns that the features come from, in their order. They are `feature_names`, except that a column of categories has one feature for each level.
    pub inputs: Option<Vec<String>>,
    /// The levels of each column of categories.
    pub categories: Vec<Categories>,
    /// The name of the response column; `None` when the file has none.
    pub response_name: Option<String>,
    /// The name of each row, length n; `None` when no column of names was named.
    pub row_names: Option<Vec<String>>,
    /// The file the data came from, as the caller named it.
    pub source: String,
    /// The physical line on which each row starts, length n; the first line of a file is 1. In a Parquet file it is the number of the row; the first is 1.
    pub lines: Vec<usize>,
}

impl Dataset {
    /// The number of rows n.
    pub fn rows(&self) -> usize {
        self.response.len()
    }

    /// The label of row `i` (from 0), less than n.
    pub fn label(&self, i: usize) -> Label {
        let value = self.response[i];
        match &self.labels {
            Some(words) => Label::Word(words[value as usize].clone()),
            None => Label::Number(value),
        }
    }

    /// The physical line of row `i` (from 0), or `i + 1` when the data did not come from a file.
    fn line(&self, i: usize) -> usize {
        self.lines.get(i).copied().unwrap_or(i + 1)
    }
}

/// How to read a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The response column of delimited text: its name or, without a header, its number (the first is 1). Default: the
    /// last column.
    pub response: Option<String>,
    /// Whether delimited text has no row of names. Default: false.
    pub no_header: bool,
    /// The number of feature columns d. LIBSVM text may use fewer and must not use more; delimited text must have
    /// exactly as many, and is refused without any unless this is zero. Default: as many as the file uses.
    pub features: Option<usize>,
    /// Whether the indices of LIBSVM text start at 0. Default: false, they start at 1.
    pub zero_based: bool,
    /// Whether a table has no response: every column without another use is a feature, and the response is zero. Default: false.
    pub unlabelled: bool,
    /// Whether the response of a table may be words: it is words if that of the first row is a word. Default: false.
    pub words: bool,
    /// Columns of a table that are left out, named like `response`. Default: none.
    pub exclude: Vec<String>,
    /// The column of a table that names the rows, named like `response`. Default: none.
    pub index: Option<String>,
    /// Columns of a table whose values are categories. Each level has a feature `column=level`, in alphabetical order, which is 1 in the rows of that level and
    /// 0 elsewhere. Default: none.
    pub categorical: Vec<String>,
    /// The levels of columns of categories, where they are known from training data; other levels are refused. Default: those of the file.
    pub categories: Vec<Categories>,
    /// Whether the first level of each column of categories has no feature, so that the others are independent of an intercept. Default: false.
    pub drop_first: bool,
    /// The columns of a table that the features come from, by name and in this order; others are ignored. Default: every column without another use.
    pub only: Option<Vec<String>>,
    /// The column of case weights of delimited text, named like `response`; for LIBSVM text the name of a file with one weight in each line. Default: none.
    pub weights: Option<String>,
}

/// Reads the data set in the file at `path`.
///
/// The name decides the format: `.csv` is comma-separated and `.tsv` tab-separated text, `.arff` is a table in Weka's format, `.parquet` a Parquet table, anything else is
/// LIBSVM text (`label index:value …`). The path `-` is standard input, whose beginning decides: it is a table if its first row has a comma or it begins like
/// one of Weka's or like a Parquet file. A file whose
/// name ends in `.gz`, or that starts like a gzip file, is decompressed first. A byte order mark, CRLF line ends, blank lines and trailing blanks are accepted
/// and ignored.
///
/// The features come back [compact](Features::compact); zeros that a LIBSVM file spells out count for the number of
/// columns and are not stored.
///
/// # Errors
///
/// A [`DataError`] when the file cannot be read or decompressed, is not UTF-8, holds no row of data, breaks its format, needs a column of a Parquet type that
/// is no cell of a table,
/// holds a number that is not finite or whose square is not, or lacks a column that `options` names.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, DataError> {
    let file = source::name(path);
    let bytes = source::load(path, &file)?;
    let format = source::format_of(path, &bytes);
    if let Format::Parquet = format {
        return parquet::parse(&source::parquet_name(path), bytes, options);
    }
    let text = source::text(&bytes, &file)?;
    match format {
        Format::Libsvm => {
            // What is no file is taken for the name of a column, of which there are none.
            let Some(beside) = options.weights.as_ref().map(Path::new).filter(|name| name.exists()) else {
                return libsvm::parse(&file, text, options);
            };
            let mut data = libsvm::parse(&file, text, &ReadOptions { weights: None, ..options.clone() })?;
            data.weights = Some(weights::read(beside, data.rows())?);
            Ok(data)
        }
        Format::Delimited(delimiter) => csv::parse(&file, text, delimiter, options),
        Format::Arff | Format::Parquet => arff::parse(&file, text, options),
    }
}

/// The names of the columns of a table, or their numbers (the first is 1) where it has no row of names; `None` for LIBSVM text.
///
/// # Errors
///
/// As [`read`], as far as the file is looked at: a few megabytes, in which the first row must lie.
pub fn columns(path: &Path, no_header: bool) -> Result<Option<Vec<String>>, DataError> {
    let file = source::name(path);
    let (head, format) = stream::head(path, &file)?;
    match format {
        Format::Libsvm => Ok(None),
        Format::Arff => arff::columns(&file, &head).map(Some),
        Format::Parquet => parquet::columns(&source::parquet_name(path), source::load(path, &file)?).map(Some),
        Format::Delimited(delimiter) => csv::columns(&file, &head, delimiter, no_header).map(Some),
    }
}
