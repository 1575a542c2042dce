//! Delimited text: a row of names, then one row of numbers per line.
//!
//! The fields are split as in RFC 4180. The lines are counted here and not taken from the splitter: it counts a CRLF
//! line end and blank lines only when it reads past them, and so names an earlier line than the one a row starts on.

use ::csv::{Reader, ReaderBuilder, StringRecord};

use super::error::DataError;
use super::features::Features;
use super::message::{Column, Role};
use super::number::{self, NumberFault};
use super::{Dataset, ReadOptions};

/// Reads the rows of `text`, whose fields are separated by `delimiter`.
pub(super) fn parse(file: &str, text: &str, delimiter: u8, options: &ReadOptions) -> Result<Dataset, DataError> {
    let (data, _) = Parts::new(file, delimiter, options).parse(text)?;
    data.filter(|data| !data.response.is_empty()).ok_or_else(|| empty(file))
}

/// The parts of a file, one after the other; each begins at the beginning of a row.
pub(super) struct Parts<'a> {
    file: &'a str,
    delimiter: u8,
    options: &'a ReadOptions,
    layout: Option<Layout<'a>>,
    line: usize,
}

impl<'a> Parts<'a> {
    /// At the beginning of the file.
    pub(super) fn new(file: &'a str, delimiter: u8, options: &'a ReadOptions) -> Self {
        Self { file, delimiter, options, layout: None, line: 1 }
    }

    /// The rows of the next part, none before the first row of the file; and the line at which the part after it begins.
    pub(super) fn parse(&mut self, text: &str) -> Result<(Option<Dataset>, usize), DataError> {
        let mut records = Records::new(self.file, text, self.delimiter, self.line);
        let mut next = records.read()?;
        if let (None, Some(first)) = (&self.layout, next) {
            let layout = Layout::new(self.file, first, &records.record, self.delimiter, self.options)?;
            if layout.names.is_some() {
                next = records.read()?;
            }
            self.layout = Some(layout);
        }
        let data = match &self.layout {
            None => None,
            Some(layout) => {
                let mut rows = Rows::new(layout);
                while let Some(line) = next {
                    rows.push(line, &records.record)?;
                    next = records.read()?;
                }
                Some(rows.finish())
            }
        };
        records.count_lines(text.len());
        self.line = records.line;
        Ok((data, self.line))
    }
}

fn empty(file: &str) -> DataError {
    DataError::Empty { file: file.to_owned() }
}

/// The rows of fields, with the lines they start on.
struct Records<'a> {
    file: &'a str,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The row read last.
    record: StringRecord,
    /// A position in `text`, in bytes, and the line it is on.
    position: usize,
    line: usize,
}

impl<'a> Records<'a> {
    fn new(file: &'a str, text: &'a str, delimiter: u8, line: usize) -> Self {
        let reader =
            ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes());
        Self { file, text, reader, record: StringRecord::new(), position: 0, line }
    }

    /// Reads the next row that is not blank and returns the line it starts on, or `None` at the end.
    fn read(&mut self) -> Result<Option<usize>, DataError> {
        loop {
            let before = self.reader.position().byte() as usize;
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|cause| self.fields_error(cause))? {
                return Ok(None);
            }
            let after = self.reader.position().byte() as usize;
            let row = self.text.get(before..after).unwrap_or_default();
            let content = row.trim_start_matches(['\r', '\n']);
            self.count_lines(before + row.len() - content.len());
            if !is_blank(content, &self.record) {
                return Ok(Some(self.line));
            }
        }
    }

    /// Moves on to the byte `end` and counts the line ends passed: LF, CRLF or CR.
    fn count_lines(&mut self, end: usize) {
        let bytes = self.text.as_bytes();
        let passed = self.position..end;
        for position in passed {
            let ends_line = match bytes[position] {
                b'\n' => true,
                b'\r' => bytes.get(position + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += usize::from(ends_line);
        }
        self.position = self.position.max(end);
    }

    fn fields_error(&self, cause: ::csv::Error) -> DataError {
        DataError::Fields { file: self.file.to_owned(), cause }
    }
}

/// Whether a row is a line of blanks; a line of separators is not.
fn is_blank(content: &str, record: &StringRecord) -> bool {
    record.len() <= 1 && content.trim().is_empty()
}

/// What the columns are for.
struct Layout<'a> {
    file: &'a str,
    /// The number of columns in all.
    width: usize,
    /// The response column, from 0.
    response: usize,
    /// The column of weights, from 0.
    weights: Option<usize>,
    /// The names of all columns.
    names: Option<Vec<String>>,
}

impl<'a> Layout<'a> {
    /// The layout that the first row and the options give.
    fn new(
        file: &'a str,
        line: usize,
        first: &StringRecord,
        delimiter: u8,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let mut layout =
            Self { file, width: first.len(), response: first.len().saturating_sub(1), weights: None, names: None };
        if options.header {
            layout.names = Some(names(file, line, first)?);
        }
        if let Some(name) = &options.response {
            layout.response = layout.find(Role::Response, name)?;
        }
        if let Some(name) = &options.weights {
            layout.weights = Some(layout.find(Role::Weights, name)?);
        }
        layout.check(line, delimiter, options.features)?;
        Ok(layout)
    }

    /// The column (from 0) of a name or, without names, of a number.
    fn find(&self, role: Role, name: &str) -> Result<usize, DataError> {
        let file = self.file.to_owned();
        let wanted = name.to_owned();
        match &self.names {
            Some(names) => {
                let found = names.iter().position(|other| other == name.trim());
                found.ok_or_else(|| DataError::UnknownColumn { file, role, name: wanted, available: names.clone() })
            }
            None => match name.trim().parse::<usize>() {
                Ok(number) if (1..=self.width).contains(&number) => Ok(number - 1),
                _ => Err(DataError::UnknownColumnNumber { file, role, name: wanted, columns: self.width }),
            },
        }
    }

    fn check(&self, line: usize, delimiter: u8, asked: Option<usize>) -> Result<(), DataError> {
        let file = self.file.to_owned();
        if self.weights == Some(self.response) {
            let column = self.column(self.response);
            return Err(DataError::SharedColumn { file, column });
        }
        match (self.features(), asked) {
            (0, Some(0)) => Ok(()),
            (0, _) => Err(DataError::NoFeatures { file, line, columns: self.width, delimiter }),
            (found, Some(expected)) if found != expected => Err(DataError::FeatureCount { file, found, expected }),
            _ => Ok(()),
        }
    }

    /// The number of feature columns d.
    fn features(&self) -> usize {
        let others = 1 + usize::from(self.weights.is_some());
        self.width.saturating_sub(others)
    }

    fn is_feature(&self, j: usize) -> bool {
        j != self.response && Some(j) != self.weights
    }

    /// What to call column `j` (from 0) in a message.
    fn column(&self, j: usize) -> Column {
        let name = self.names.as_ref().and_then(|names| names.get(j));
        name.map_or(Column::Numbered(j + 1), |name| Column::Named(name.clone()))
    }

    fn feature_names(&self) -> Option<Vec<String>> {
        let names = self.names.as_ref()?.iter().enumerate();
        let features = names.filter(|(j, _)| self.is_feature(*j));
        Some(features.map(|(_, name)| name.clone()).collect())
    }
}

/// The names of the columns, which are not all numbers, not empty and all different.
fn names(file: &str, line: usize, first: &StringRecord) -> Result<Vec<String>, DataError> {
    let names: Vec<String> = first.iter().map(|name| name.trim().to_owned()).collect();
    let file = file.to_owned();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(DataError::HeaderIsNumeric { file, line });
    }
    if let Some(column) = names.iter().position(String::is_empty) {
        let column = column + 1;
        return Err(DataError::NameEmpty { file, line, column });
    }
    let mut sorted: Vec<usize> = (0..names.len()).collect();
    sorted.sort_by_key(|&j| &names[j]);
    let repeated = sorted.windows(2).filter(|pair| names[pair[0]] == names[pair[1]]).min_by_key(|pair| pair[1]);
    match repeated {
        None => Ok(names),
        Some(pair) => Err(DataError::NameRepeated {
            file,
            line,
            name: names[pair[0]].clone(),
            first: pair[0] + 1,
            second: pair[1] + 1,
        }),
    }
}

/// The rows of numbers read so far.
struct Rows<'a> {
    layout: &'a Layout<'a>,
    values: Vec<f64>,
    response: Vec<f64>,
    weights: Vec<f64>,
    lines: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(layout: &'a Layout<'a>) -> Self {
        Self { layout, values: Vec::new(), response: Vec::new(), weights: Vec::new(), lines: Vec::new() }
    }

    fn push(&mut self, line: usize, record: &StringRecord) -> Result<(), DataError> {
        let file = self.layout.file;
        if record.len() != self.layout.width {
            return Err(DataError::FieldCount {
                file: file.to_owned(),
                line,
                found: record.len(),
                expected: self.layout.width,
            });
        }
        let mut norm_squared = 0.0;
        for (j, cell) in record.iter().enumerate() {
            let value = self.cell(j, cell.trim());
            let value = value.map_err(|fault| self.number_error(line, j, cell, fault))?;
            if j == self.layout.response {
                self.response.push(value);
            } else if Some(j) == self.layout.weights {
                self.weights.push(value);
            } else {
                norm_squared += value * value;
                self.values.push(value);
            }
        }
        if !f64::is_finite(norm_squared) {
            let file = file.to_owned();
            return Err(DataError::RowNorm { file, line });
        }
        self.lines.push(line);
        Ok(())
    }

    fn cell(&self, j: usize, text: &str) -> Result<f64, NumberFault> {
        let value = number::parse(text)?;
        if Some(j) == self.layout.weights && value < 0.0 {
            return Err(NumberFault::Negative);
        }
        Ok(value)
    }

    fn number_error(&self, line: usize, j: usize, cell: &str, fault: NumberFault) -> DataError {
        let first_without_names = self.lines.is_empty() && self.layout.names.is_none();
        let fault = match fault {
            NumberFault::Malformed if first_without_names => NumberFault::Header,
            other => other,
        };
        DataError::Number {
            file: self.layout.file.to_owned(),
            line,
            column: self.layout.column(j),
            value: cell.trim().to_owned(),
            fault,
        }
    }

    fn finish(self) -> Dataset {
        let layout = self.layout;
        let features = Features::Dense { rows: self.lines.len(), columns: layout.features(), values: self.values };
        let names = layout.names.as_ref();
        Dataset {
            features: features.compact(),
            response: self.response,
            weights: layout.weights.map(|_| self.weights),
            feature_names: layout.feature_names(),
            response_name: names.and_then(|names| names.get(layout.response).cloned()),
            source: layout.file.to_owned(),
            lines: self.lines,
        }
    }
}
