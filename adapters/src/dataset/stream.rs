//! A file in parts: memory for one part, whatever the size of the file.
//!
//! The text is cut after the last line end of what has been read, in delimited text after the last one outside quotes, and each part is read as the
//! whole file would be.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::csv::Parts;
use super::error::DataError;
use super::source::{self, Format};
use super::{Dataset, ReadOptions, libsvm, parquet};

/// The bytes of text that are read at a time.
const PART: usize = 1 << 22;

/// Reads the file at `path` as [`read`](super::read) does, and hands its rows to `take` in parts of a few megabytes of text, in order. The parts of LIBSVM
/// text whose number of columns is not fixed by `options` have as many columns as they use. Of a Parquet file all the bytes are held, and values in parts.
///
/// # Errors
///
/// A [`DataError`] as from [`read`](super::read), or what `take` returns; rows before the place that it names have been handed on.
pub fn stream<E: From<DataError>>(
    path: &Path,
    options: &ReadOptions,
    mut take: impl FnMut(Dataset) -> Result<(), E>,
) -> Result<(), E> {
    let file = source::name(path);
    let (mut reader, format) = open(path, &file)?;
    let mut parts = match &format {
        Format::Libsvm => None,
        Format::Delimited(delimiter) => Some(Parts::new(&file, *delimiter, options)),
        // One part: rows cannot be told from what stands above them.
        Format::Arff => return take(super::read(path, options)?),
        Format::Parquet => {
            return parquet::stream(&source::parquet_name(path), source::load(path, &file)?, options, take);
        }
    };
    let (mut bytes, mut line, mut any, mut first) = (Vec::new(), 1, false, true);
    loop {
        let end = fill(&mut reader, &mut bytes, path, &file)?;
        let cut = if end { bytes.len() } else { last_line_end(&bytes, parts.is_some()) };
        if cut > 0 {
            let text = text(&bytes[..cut], &file, line, first)?;
            let data = match &mut parts {
                None => {
                    let data = libsvm::parse_part(&file, text, line, options)?;
                    line += text.bytes().filter(|&byte| byte == b'\n').count();
                    Some(data)
                }
                Some(parts) => {
                    let (data, next) = parts.parse(text)?;
                    line = next;
                    data
                }
            };
            if let Some(data) = data.filter(|data| !data.response.is_empty()) {
                any = true;
                take(data)?;
            }
            bytes.drain(..cut);
            first = false;
        }
        if end {
            break;
        }
    }
    if any { Ok(()) } else { Err(DataError::Empty { file }.into()) }
}

/// The first part of a file and what the file holds; LIBSVM text, which has no names, is not read, and a Parquet table has no first part.
pub(super) fn head(path: &Path, file: &str) -> Result<(String, Format), DataError> {
    let (mut reader, format) = open(path, file)?;
    if matches!(format, Format::Libsvm | Format::Parquet) {
        return Ok((String::new(), format));
    }
    let mut bytes = Vec::new();
    let end = fill(&mut reader, &mut bytes, path, file)?;
    let cut = if end { bytes.len() } else { last_line_end(&bytes, true) };
    Ok((text(&bytes[..cut], file, 1, true)?.to_owned(), format))
}

/// The file, decompressed as it is read when its name or its first bytes say so, and what it holds.
fn open(path: &Path, file: &str) -> Result<(Box<dyn Read>, Format), DataError> {
    if source::is_standard_input(path) {
        let bytes = source::load(path, file)?;
        let format = source::format_of(path, &bytes);
        return Ok((Box::new(Cursor::new(bytes)), format));
    }
    let failed = |cause| source::read_error(path, file, cause);
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let head = reader.fill_buf().map_err(failed)?;
    let packed = source::is_gzip(path, head);
    let reader: Box<dyn Read> = if packed { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) };
    Ok((reader, source::format_of(path, &[])))
}

/// Reads another part behind what `bytes` holds; whether the file ends there.
fn fill(reader: &mut dyn Read, bytes: &mut Vec<u8>, path: &Path, file: &str) -> Result<bool, DataError> {
    let read = reader.take(PART as u64).read_to_end(bytes).map_err(|cause| match cause.kind() {
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => {
            DataError::Gzip { file: file.to_owned(), cause }
        }
        _ => source::read_error(path, file, cause),
    })?;
    Ok(read < PART)
}

/// The end of the last whole row: behind the last line end, which in quoted text must not be inside quotes.
fn last_line_end(bytes: &[u8], quoted: bool) -> usize {
    if !quoted {
        return bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |position| position + 1);
    }
    let (mut inside, mut end) = (false, 0);
    for (position, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => inside = !inside,
            b'\n' if !inside => end = position + 1,
            _ => {}
        }
    }
    end
}

/// The text of a part that begins at `line`.
fn text<'a>(bytes: &'a [u8], file: &str, line: usize, first: bool) -> Result<&'a str, DataError> {
    let checked = if first { source::text(bytes, file) } else { source::plain_text(bytes, file) };
    checked.map_err(|error| match error {
        DataError::Encoding { file, line: within, byte } => DataError::Encoding { file, line: line + within - 1, byte },
        other => other,
    })
}
