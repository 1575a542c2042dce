//! From a path to text: reading, decompression, encoding and the choice of the format.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use ::csv::StringRecord;
use flate2::read::MultiGzDecoder;

use super::error::DataError;

/// The two bytes every gzip member starts with (RFC 1952, section 2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// What a file holds.
pub(super) enum Format {
    /// `label index:value …`.
    Libsvm,
    /// One row of cells per line, separated by this byte.
    Delimited(u8),
    /// A table of Weka's.
    Arff,
    /// A Parquet table.
    Parquet,
}

/// The rows of a table, one after the other.
pub(super) trait TableRows {
    /// Reads the next row and returns its line, or `None` at the end.
    fn read(&mut self) -> Result<Option<usize>, DataError>;

    /// The cells of the row read last.
    fn record(&self) -> &StringRecord;
}

/// What a Parquet file begins with.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// The bytes of standard input that its first row is looked for in.
const MOST_OF_A_ROW: usize = 1 << 22;

/// What to call standard input when it is a Parquet file.
const PARQUET_INPUT: &str = "standard input (Parquet)";

/// What the path of standard input is.
const STANDARD_INPUT: &str = "-";

/// What to call a file in messages.
pub(super) fn name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_owned() } else { path.display().to_string() }
}

pub(super) fn is_standard_input(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT)
}

/// The format of a file that begins with these bytes: by its name, of standard input by its first row.
pub(super) fn format_of(path: &Path, head: &[u8]) -> Format {
    if !is_standard_input(path) {
        return format(path);
    }
    if head.starts_with(PARQUET_MAGIC) {
        return Format::Parquet;
    }
    let text = String::from_utf8_lossy(&head[..head.len().min(MOST_OF_A_ROW)]);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match first.bytes().next() {
        Some(b'@' | b'%') => Format::Arff,
        _ if first.contains(',') => Format::Delimited(b','),
        _ if first.contains('\t') && !first.contains(':') => Format::Delimited(b'\t'),
        _ => Format::Libsvm,
    }
}

/// The format that the name of the file asks for, after a final `.gz` is taken off.
fn format(path: &Path) -> Format {
    let stem = path.file_stem().map(Path::new);
    let name = match stem {
        Some(stem) if has_extension(path, "gz") => stem,
        _ => path,
    };
    if has_extension(name, "csv") {
        Format::Delimited(b',')
    } else if has_extension(name, "tsv") {
        Format::Delimited(b'\t')
    } else if has_extension(name, "arff") {
        Format::Arff
    } else if has_extension(name, "parquet") {
        Format::Parquet
    } else {
        Format::Libsvm
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether the places in the file of this name are rows and not lines.
pub(super) fn counts_rows(file: &str) -> bool {
    file == PARQUET_INPUT || matches!(format(Path::new(file)), Format::Parquet)
}

/// What to call a Parquet file in messages.
pub(super) fn parquet_name(path: &Path) -> String {
    if is_standard_input(path) { PARQUET_INPUT.to_owned() } else { name(path) }
}

/// The bytes of the file, decompressed when it is a gzip file by its name or by its first bytes.
pub(super) fn load(path: &Path, file: &str) -> Result<Vec<u8>, DataError> {
    let bytes = if is_standard_input(path) { standard_input() } else { fs::read(path) };
    let bytes = bytes.map_err(|cause| read_error(path, file, cause))?;
    if !is_gzip(path, &bytes) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes.as_slice())
        .read_to_end(&mut unpacked)
        .map_err(|cause| DataError::Gzip { file: file.to_owned(), cause })?;
    Ok(unpacked)
}

/// What standard input has, which can be read once only and is kept.
fn standard_input() -> std::io::Result<Vec<u8>> {
    static KEPT: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = &*kept {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(kept.insert(bytes).clone())
}

/// Whether a file is compressed, by its name or by its first bytes.
pub(super) fn is_gzip(path: &Path, head: &[u8]) -> bool {
    let named = has_extension(path, "gz") && !head.is_empty();
    named || head.starts_with(&GZIP_MAGIC)
}

pub(super) fn read_error(path: &Path, file: &str, cause: std::io::Error) -> DataError {
    let file = file.to_owned();
    if path.is_dir() {
        DataError::Directory { file }
    } else if cause.kind() == ErrorKind::NotFound {
        DataError::Missing { file }
    } else {
        DataError::Io { file, cause }
    }
}

/// The text of the file without its byte order mark.
pub(super) fn text<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, DataError> {
    plain_text(bytes, file).map(|text| text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

/// The text of these bytes.
pub(super) fn plain_text<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, DataError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let (before, rest) = bytes.split_at(error.valid_up_to());
            Err(DataError::Encoding {
                file: file.to_owned(),
                line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
                byte: rest.first().copied().unwrap_or_default(),
            })
        }
    }
}
