//! From a path to text: reading, decompression, encoding and the choice of the format.

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

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
}

/// The format that the name of the file asks for, after a final `.gz` is taken off.
pub(super) fn format(path: &Path) -> Format {
    let stem = path.file_stem().map(Path::new);
    let name = match stem {
        Some(stem) if has_extension(path, "gz") => stem,
        _ => path,
    };
    if has_extension(name, "csv") {
        Format::Delimited(b',')
    } else if has_extension(name, "tsv") {
        Format::Delimited(b'\t')
    } else {
        Format::Libsvm
    }
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The bytes of the file, decompressed when it is a gzip file by its name or by its first bytes.
pub(super) fn load(path: &Path, file: &str) -> Result<Vec<u8>, DataError> {
    let bytes = fs::read(path).map_err(|cause| read_error(path, file, cause))?;
    if !is_gzip(path, &bytes) {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes.as_slice())
        .read_to_end(&mut unpacked)
        .map_err(|cause| DataError::Gzip { file: file.to_owned(), cause })?;
    Ok(unpacked)
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
