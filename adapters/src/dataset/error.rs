//! Errors of data sets.

use std::io;

use thiserror::Error;

use super::labels::Label;
use super::message::{Column, Role, listed, one_line, place, quoted, separated, shown};
use super::number::NumberFault;
use super::parquet_fault::ParquetFault;

/// Why a data set was refused. The display is one line that says where and what to do.
///
/// Every `file` is the path as the caller gave it and every `line` a physical line, the first being 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// There is no such file.
    #[error("{}: no such file; check the path", one_line(file))]
    Missing {
        /// The file.
        file: String,
    },
    /// The path is a directory.
    #[error("{}: this is a directory; name a file in it", one_line(file))]
    Directory {
        /// The path.
        file: String,
    },
    /// The file cannot be read.
    #[error("{}: cannot be read ({cause}); check its permissions", one_line(file))]
    Io {
        /// The file.
        file: String,
        /// What the system says.
        cause: io::Error,
    },
    /// The file is a gzip file by its name or its first bytes, and cannot be decompressed.
    #[error("{}: not a complete gzip file ({cause}); fetch or compress it again", one_line(file))]
    Gzip {
        /// The file.
        file: String,
        /// What the decoder says.
        cause: io::Error,
    },
    /// The file is not UTF-8 text.
    #[error("{}, line {line}: not UTF-8 text (byte 0x{byte:02x}); convert the file to UTF-8", one_line(file))]
    Encoding {
        /// The file.
        file: String,
        /// The line of the first byte that is not UTF-8.
        line: usize,
        /// That byte.
        byte: u8,
    },
    /// The file holds no row of data.
    #[error("{}: no rows of data in this file; check that it is the right one", one_line(file))]
    Empty {
        /// The file.
        file: String,
    },
    /// A number is missing, malformed, too large or of the wrong sign.
    #[error("{}, {column}: {} {fault}", place(file, *line), quoted(value))]
    Number {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The place on the line.
        column: Column,
        /// The text that stands there.
        value: String,
        /// What is wrong with it.
        fault: NumberFault,
    },
    /// A column of words where numbers are needed.
    #[error(
        "{}, {column}: {} is not a number; use --categorical for a feature a word, --exclude to leave the column out, or --index if it names the rows",
        place(file, *line),
        quoted(value)
    )]
    Word {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The column.
        column: Column,
        /// The first entry that is not a number.
        value: String,
    },
    /// A categorical column has a level that does not occur in the training data.
    #[error(
        "{}, {column}: the training data have no level {} (they have {}); correct it or leave the row out",
        place(file, *line),
        quoted(value),
        listed(known)
    )]
    UnknownLevel {
        /// The file.
        file: String,
        /// The first line that has it.
        line: usize,
        /// The column.
        column: Column,
        /// The level.
        value: Box<str>,
        /// The levels of the training data.
        known: Box<[String]>,
    },
    /// A line above the rows of an ARFF table that is not a declaration.
    #[error(
        "{}, line {line}: `{}` is not an @relation, @attribute or @data line; correct it (the rows begin after @data)",
        one_line(file),
        shown(found)
    )]
    Arff {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The line's text.
        found: String,
    },
    /// A row of an ARFF table in sparse form, in braces.
    #[error(
        "{}, line {line}: sparse rows in braces are not supported; write every value of each row, or LIBSVM text",
        one_line(file)
    )]
    SparseArff {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A Parquet table that cannot be read.
    #[error("{}{}: {fault}", one_line(file), column.as_ref().map(|column| format!(", {column}")).unwrap_or_default())]
    Parquet {
        /// The file.
        file: String,
        /// The column; `None` where it is the description of the table.
        column: Option<Column>,
        /// What is wrong with it.
        fault: ParquetFault,
    },
    /// A row whose numbers are acceptable one by one, but whose squared norm exceeds the largest double.
    #[error(
        "{}: the sum of the squares of this row's features overflows a double; rescale the features",
        place(file, *line)
    )]
    RowNorm {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A piece of a line of LIBSVM text is not `index:value`.
    #[error(
        "{}, line {line}: `{}` is not of the form index:value; tables must be in a file named .csv or .tsv",
        one_line(file),
        shown(token)
    )]
    Token {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The piece.
        token: String,
    },
    /// A line of LIBSVM text has a query id.
    #[error(
        "{}, line {line}: `{}` marks ranking data, which are not supported; remove the qid entries",
        one_line(file),
        shown(token)
    )]
    QueryId {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The `qid:` entry.
        token: String,
    },
    /// An index is 0 in LIBSVM text whose indices start at 1.
    #[error(
        "{}, line {line}: index 0 in `{}` (the format starts at 1; use --zero-based)",
        one_line(file),
        shown(token)
    )]
    IndexZero {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The entry `0:value`.
        token: String,
    },
    /// An index does not exceed the one before it.
    #[error(
        "{}, line {line}: index {index} comes after index {previous}; the indices of a line must increase",
        one_line(file)
    )]
    IndexOrder {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The index before.
        previous: u64,
        /// The index that is too small.
        index: u64,
    },
    /// An index is beyond the number of columns that the caller fixed.
    #[error(
        "{}, line {line}: index {index} is above {features}, the number of features; drop the entry, or raise --features if these are the training data",
        one_line(file)
    )]
    IndexAboveFeatures {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The index.
        index: u64,
        /// The number of columns that the caller fixed.
        features: usize,
    },
    /// An index is larger than the reader supports.
    #[error(
        "{}, line {line}: index {index} is above {largest}, the largest supported; renumber the columns",
        one_line(file)
    )]
    IndexTooLarge {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The index; the largest `u64` stands for anything that does not fit.
        index: u64,
        /// The largest index supported.
        largest: u64,
    },
    /// A column was named, and LIBSVM text has no names.
    #[error(
        "{}: {role} `{}` needs named columns, and this is LIBSVM text; leave {role} out{} or use a .csv file",
        one_line(file),
        shown(name),
        if *role == Role::Weights { ", name a file with one weight per line" } else { "" }
    )]
    NoNames {
        /// The file.
        file: String,
        /// What the column was wanted for.
        role: Role,
        /// The name.
        name: String,
    },
    /// The row where the names should be has numbers only.
    #[error(
        "{}, line {line}: the header row holds only numbers; use --no-header if it is data, or name the columns",
        one_line(file)
    )]
    HeaderIsNumeric {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A column has no name.
    #[error(
        "{}: column {column} has no name; name it, or remove the column if it only numbers the rows",
        place(file, *line)
    )]
    NameEmpty {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The number of the column; the first is 1.
        column: usize,
    },
    /// Two columns have the same name.
    #[error(
        "{}: columns {first} and {second} are both named `{}`; rename one, or use --no-header if this line is data",
        place(file, *line),
        shown(name)
    )]
    NameRepeated {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The name.
        name: String,
        /// The number of the first column of this name; the first column is 1.
        first: usize,
        /// The number of the second.
        second: usize,
    },
    /// There is no column of the name that the caller gave.
    #[error("{}: no column `{}` for {role}; the columns are {}", one_line(file), shown(name), listed(available))]
    UnknownColumn {
        /// The file.
        file: String,
        /// What the column was wanted for.
        role: Role,
        /// The name that was not found.
        name: String,
        /// The names there are.
        available: Vec<String>,
    },
    /// There is no column of the number that the caller gave for a file without names.
    #[error(
        "{}: no column `{}` for {role}; without names the columns are numbered 1 to {columns}",
        one_line(file),
        shown(name)
    )]
    UnknownColumnNumber {
        /// The file.
        file: String,
        /// What the column was wanted for.
        role: Role,
        /// What the caller gave as the number.
        name: String,
        /// The number of columns there are.
        columns: usize,
    },
    /// A column that is named for two uses.
    #[error(
        "{}: {column} is named for two things; the response is the last column unless --response names another",
        one_line(file)
    )]
    SharedColumn {
        /// The file.
        file: String,
        /// The column.
        column: Column,
    },
    /// A file of weights with another number of weights than the data set has rows.
    #[error("{}: {found} weights for {rows} rows; write one per line, in the order of the rows", one_line(file))]
    WeightCount {
        /// The file of weights.
        file: String,
        /// The number of weights.
        found: usize,
        /// The number of rows.
        rows: usize,
    },
    /// No column is left for the features.
    #[error("{}: {columns} column(s) and none of them a feature; {}", place(file, *line), separated(*delimiter))]
    NoFeatures {
        /// The file.
        file: String,
        /// The line of the first row.
        line: usize,
        /// The number of columns.
        columns: usize,
        /// The byte that separates the fields; `None` where nothing does.
        delimiter: Option<u8>,
    },
    /// The file does not have as many feature columns as the caller asked for.
    #[error("{}: {found} feature columns, and --features asks for {expected}; change one of them", one_line(file))]
    FeatureCount {
        /// The file.
        file: String,
        /// The number of feature columns in the file.
        found: usize,
        /// The number asked for.
        expected: usize,
    },
    /// A row does not have as many fields as the first.
    #[error(
        "{}: {found} fields, {expected} expected; complete the row or look for a stray separator or quote",
        place(file, *line)
    )]
    FieldCount {
        /// The file.
        file: String,
        /// The line on which the row starts.
        line: usize,
        /// The number of fields of this row.
        found: usize,
        /// The number of fields of the first row.
        expected: usize,
    },
    /// A table of rows with bounds in a file that is not delimited text.
    #[error("{}: linear constraints are read from a table; give a file named .csv, .tsv or .parquet", one_line(file))]
    NotDelimited {
        /// The file.
        file: String,
    },
    /// The delimited text cannot be split into fields.
    #[error("{}: cannot be split into fields ({cause}); check the quotes", one_line(file))]
    Fields {
        /// The file.
        file: String,
        /// What the splitter says.
        cause: ::csv::Error,
    },
    /// All rows have the same label.
    #[error("{}: only one class ({}) in {rows} rows; add rows of the other class", one_line(file), label)]
    OneClass {
        /// The file.
        file: String,
        /// The label.
        label: Label,
        /// The number of rows.
        rows: usize,
    },
    /// There are more than two labels.
    #[error(
        "{}: {} is a third label after {} and {} ({labels} labels in {rows} rows); keep only the rows of two labels",
        place(file, *line), label, earlier[0], earlier[1]
    )]
    ManyClasses {
        /// The file.
        file: String,
        /// The line of the first row that has a third label.
        line: usize,
        /// The third label.
        label: Label,
        /// The two labels before it, in the order of the file.
        earlier: Box<[Label; 2]>,
        /// The number of different labels.
        labels: usize,
        /// The number of rows.
        rows: usize,
    },
    /// No row has the label that was to be the positive one.
    #[error("{}: no row has the label {}; the labels are {} and {}", one_line(file), positive, found[0], found[1])]
    PositiveAbsent {
        /// The file.
        file: String,
        /// The label asked for.
        positive: Label,
        /// The two labels that occur, the smaller one first.
        found: [Label; 2],
    },
    /// A row has a label other than the two given.
    #[error("{}: the label {} is neither {} nor {}; drop the row or correct it", place(file, *line), label, known[0], known[1])]
    LabelUnknown {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The label.
        label: Label,
        /// The labels allowed: the negative, then the positive one.
        known: Box<[Label; 2]>,
    },
    /// A scaling is applied to features of another number of columns.
    #[error(
        "{found} feature columns, and the scaling was fitted on {expected}; use --features {expected} or a file with the columns of the training data"
    )]
    ScalerColumns {
        /// The number of columns the scaling was fitted on.
        expected: usize,
        /// The number of columns it is applied to.
        found: usize,
    },
    /// A scaled value, or its square, overflows.
    #[error("row {row}, column {column}: {value:?} overflows when scaled; drop the column or rescale it in the file")]
    ScaledOverflow {
        /// The number of the row; the first is 1.
        row: usize,
        /// The number of the feature column; the first is 1.
        column: usize,
        /// The value before scaling.
        value: f64,
    },
    /// There is no scaling of this name.
    #[error("no scaling `{}`; use none, standard or minmax", shown(name))]
    ScalingName {
        /// The name given.
        name: String,
    },
}
