//! Delimited text: a row of names, then one row of numbers per line.
//!
//! The fields are split as in RFC 4180. Lines are counted here and not taken from the CSV reader: it counts a CRLF
//! line end and blank lines only when it reads past them, and so names an earlier line than the one a row starts on.

use ::csv::{Reader, ReaderBuilder, StringRecord};

use super::error::DataError;
use super::layout::{Layout, Rows};
use super::source::TableRows;
use super::{Dataset, ReadOptions};

/// Reads the rows of `text`, whose fields are separated by `delimiter`.
pub(super) fn parse(file: &str, text: &str, delimiter: u8, options: &ReadOptions) -> Result<Dataset, DataError> {
    let (data, _) = Parts::new(file, delimiter, options).parse(text)?;
    data.filter(|data| !data.response.is_empty()).ok_or_else(|| empty(file))
}

/// The names of the columns, or their numbers.
pub(super) fn columns(file: &str, text: &str, delimiter: u8, no_header: bool) -> Result<Vec<String>, DataError> {
    let mut records = Records::new(file, text, delimiter, 1);
    let line = records.read()?.ok_or_else(|| empty(file))?;
    let width = records.record.len();
    if no_header {
        Ok((1..=width).map(|number| number.to_string()).collect())
    } else {
        names(file, line, &records.record)
    }
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
            let named = !self.options.no_header;
            let names = named.then(|| names(self.file, first, &records.record)).transpose()?;
            let mut layout = Layout::new(self.file, names, records.record.len(), self.options)?;
            layout.check(first, Some(self.delimiter))?;
            if named {
                next = records.read()?;
            }
            if next.is_some() {
                layout.look_at(&records.record);
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
                Some(rows.finish()?)
            }
        };
        records.count_lines(text.len());
        self.line = records.line;
        Ok((data, self.line))
    }
}

pub(super) fn empty(file: &str) -> DataError {
    DataError::Empty { file: file.to_owned() }
}

/// The rows of fields, with the lines they start on.
pub(super) struct Records<'a> {
    file: &'a str,
    text: &'a str,
    reader: Reader<&'a [u8]>,
    /// The row read last.
    pub record: StringRecord,
    /// Whether lines that begin with % say nothing.
    comments: bool,
    /// A position in `text`, in bytes, and the line it is on.
    position: usize,
    line: usize,
}

impl<'a> Records<'a> {
    pub fn new(file: &'a str, text: &'a str, delimiter: u8, line: usize) -> Self {
        Self::by(ReaderBuilder::new().delimiter(delimiter), file, text, line)
    }

    /// Rows in which lines that begin with % say nothing; `text` begins at `line`.
    pub fn commented(quote: u8, file: &'a str, text: &'a str, line: usize) -> Self {
        let mut builder = ReaderBuilder::new();
        Self { comments: true, ..Self::by(builder.quote(quote).comment(Some(b'%')), file, text, line) }
    }

    fn by(builder: &mut ReaderBuilder, file: &'a str, text: &'a str, line: usize) -> Self {
        let reader = builder.has_headers(false).flexible(true).from_reader(text.as_bytes());
        Self { file, text, reader, record: StringRecord::new(), comments: false, position: 0, line }
    }

    fn after_comments<'t>(&self, mut content: &'t str) -> &'t str {
        while self.comments && content.starts_with('%') {
            let end = content.find(['\r', '\n']).unwrap_or(content.len());
            content = content[end..].trim_start_matches(['\r', '\n']);
        }
        content
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

impl TableRows for Records<'_> {
    /// Blank rows are passed over; a row's line is the one it starts on.
    fn read(&mut self) -> Result<Option<usize>, DataError> {
        loop {
            let before = self.reader.position().byte() as usize;
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|cause| self.fields_error(cause))? {
                return Ok(None);
            }
            let after = self.reader.position().byte() as usize;
            let row = self.text.get(before..after).unwrap_or_default();
            let content = self.after_comments(row.trim_start_matches(['\r', '\n']));
            self.count_lines(before + row.len() - content.len());
            if !is_blank(content, &self.record) {
                return Ok(Some(self.line));
            }
        }
    }

    fn record(&self) -> &StringRecord {
        &self.record
    }
}

/// Whether a row is a line of blanks; a line of separators is not.
fn is_blank(content: &str, record: &StringRecord) -> bool {
    record.len() <= 1 && content.trim().is_empty()
}

/// The names of the columns, which are not all numbers, not empty and all different.
fn names(file: &str, line: usize, first: &StringRecord) -> Result<Vec<String>, DataError> {
    let names: Vec<String> = first.iter().map(|name| name.trim().to_owned()).collect();
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err(DataError::HeaderIsNumeric { file: file.to_owned(), line });
    }
    distinct(file, line, names)
}

/// The names, if none is empty and all are different.
pub(super) fn distinct(file: &str, line: usize, names: Vec<String>) -> Result<Vec<String>, DataError> {
    let file = file.to_owned();
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
