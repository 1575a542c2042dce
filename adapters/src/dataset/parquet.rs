//! Parquet tables (Apache Parquet format, <https://parquet.apache.org/docs/file-format/>), by the crate `parquet`.
//!
//! Each row becomes the row of cells that it would be in delimited text, so that columns are used, and values refused, as in other tables. Numbers keep
//! their value: the text of a double is read back as the same double. Columns that are not used are not decoded, whatever their type.

use ::csv::StringRecord;
use ::parquet::basic::Compression;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::DataType;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use bytes::Bytes;

use super::csv::{distinct, empty};
use super::error::DataError;
use super::layout::{Layout, Rows};
use super::message::Column;
use super::parquet_fault::ParquetFault;
use super::parquet_value::Kind;
use super::quiet::unless_panicked;
use super::source::TableRows;
use super::{Dataset, ReadOptions};

/// The rows that are decoded at a time.
const BATCH: usize = 1024;

/// The cells of a part, of about four bytes of text each.
const PART_CELLS: usize = 1 << 20;

/// What the names of columns begin with in which pandas keeps names of rows.
const PANDAS_INDEX: &str = "__index_level_";

/// Reads all rows of a file of these bytes at once.
pub(super) fn parse(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Dataset, DataError> {
    let mut whole = None;
    parts(Records::open(file, bytes)?, options, usize::MAX, |data| {
        whole = Some(data);
        Ok::<(), DataError>(())
    })?;
    whole.ok_or_else(|| empty(file))
}

/// Reads the rows in parts of some megabytes.
pub(super) fn stream<E: From<DataError>>(
    file: &str,
    bytes: Vec<u8>,
    options: &ReadOptions,
    take: impl FnMut(Dataset) -> Result<(), E>,
) -> Result<(), E> {
    let records = Records::open(file, bytes)?;
    let most = (PART_CELLS / records.fields.len().max(1)).max(1);
    parts(records, options, most, take)
}

/// The names of the columns.
pub(super) fn columns(file: &str, bytes: Vec<u8>) -> Result<Vec<String>, DataError> {
    Records::open(file, bytes)?.names()
}

/// Hands on the rows in parts of at most `most` rows.
fn parts<E: From<DataError>>(
    mut records: Records,
    options: &ReadOptions,
    most: usize,
    mut take: impl FnMut(Dataset) -> Result<(), E>,
) -> Result<(), E> {
    let (file, names) = (records.file.clone(), records.names()?);
    let mut layout = Layout::new(&file, Some(names.clone()), names.len(), options)?;
    layout.check(0, None)?;
    for (j, name) in names.into_iter().enumerate().filter(|(j, _)| layout.is_used(*j)) {
        if name.starts_with(PANDAS_INDEX) && layout.is_by_default(j, &name) {
            return Err(refused(&file, name, ParquetFault::PandasIndex).into());
        }
        records.want(j)?;
    }
    let mut next = records.read()?;
    if next.is_none() {
        return Err(empty(&file).into());
    }
    layout.look_at(records.record());
    while next.is_some() {
        let mut rows = Rows::new(&layout);
        for _ in 0..most {
            let Some(row) = next else { break };
            rows.push(row, records.record())?;
            next = records.read()?;
        }
        take(rows.finish()?)?;
    }
    Ok(())
}

/// A column of the table.
struct Field {
    name: String,
    /// Which of the file's columns of values it is and what they are, or the type that cannot be a cell.
    values: Result<(usize, Kind), String>,
    wanted: bool,
    reader: Option<ColumnReader>,
    cells: Vec<String>,
}

/// The rows of a file, as cells.
pub(super) struct Records {
    file: String,
    reader: SerializedFileReader<Bytes>,
    fields: Vec<Field>,
    /// The row groups begun, and the rows of the last of them that have not been decoded.
    groups: usize,
    left: usize,
    /// The rows decoded and how many of them have been read.
    batch: usize,
    at: usize,
    row: usize,
    record: StringRecord,
}

impl Records {
    /// Before the first row of a file of these bytes.
    pub fn open(file: &str, bytes: Vec<u8>) -> Result<Self, DataError> {
        let reader = guarded(file, None, || SerializedFileReader::new(Bytes::from(bytes)))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let tops = schema.root_schema().get_fields();
        let mut fields: Vec<Field> = tops.iter().map(|top| Field::new(top.name())).collect();
        for (leaf, column) in schema.columns().iter().enumerate() {
            let root = schema.get_column_root_idx(leaf);
            if tops[root].is_primitive() && column.max_rep_level() == 0 {
                fields[root].values = Kind::of(column).map(|kind| (leaf, kind));
            }
        }
        let file = file.to_owned();
        let record = StringRecord::new();
        Ok(Self { file, reader, fields, groups: 0, left: 0, batch: 0, at: 0, row: 0, record })
    }

    /// The names of the columns, which are not empty and all different.
    pub fn names(&self) -> Result<Vec<String>, DataError> {
        distinct(&self.file, 0, self.fields.iter().map(|field| field.name.clone()).collect())
    }

    /// Column `j` is decoded; the cells of others are empty.
    pub fn want(&mut self, j: usize) -> Result<(), DataError> {
        let field = &mut self.fields[j];
        field.wanted = true;
        match &field.values {
            Ok(_) => Ok(()),
            Err(kind) => Err(refused(&self.file, field.name.clone(), ParquetFault::Type(kind.clone()))),
        }
    }

    /// Decodes further rows; whether there are any.
    fn decode(&mut self) -> Result<bool, DataError> {
        while self.left == 0 {
            if self.groups == self.reader.num_row_groups() {
                return Ok(false);
            }
            self.begin()?;
        }
        self.batch = self.left.min(BATCH);
        self.at = 0;
        for field in &mut self.fields {
            let (Some(reader), Ok((_, kind))) = (&mut field.reader, &field.values) else { continue };
            let (most, cells) = (self.batch, &mut field.cells);
            cells.clear();
            let column = Some(Column::Named(field.name.clone()));
            guarded(&self.file, column, || decode(reader, kind, most, cells))?;
        }
        self.left -= self.batch;
        Ok(true)
    }

    /// Goes on to the next row group.
    fn begin(&mut self) -> Result<(), DataError> {
        let (file, index) = (self.file.clone(), self.groups);
        let group = guarded(&file, None, || self.reader.get_row_group(index))?;
        self.left = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
        for field in self.fields.iter_mut().filter(|field| field.wanted) {
            let Ok((leaf, _)) = field.values else { continue };
            let codec = match group.metadata().column(leaf).compression() {
                Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => None,
                Compression::BROTLI(_) => Some("Brotli"),
                Compression::LZ4 | Compression::LZ4_RAW => Some("LZ4"),
                Compression::LZO => Some("LZO"),
            };
            if let Some(codec) = codec {
                return Err(refused(&file, field.name.clone(), ParquetFault::Codec(codec)));
            }
            let column = Column::Named(field.name.clone());
            field.reader = Some(guarded(&file, Some(column), || group.get_column_reader(leaf))?);
        }
        self.groups += 1;
        Ok(())
    }
}

impl TableRows for Records {
    fn read(&mut self) -> Result<Option<usize>, DataError> {
        if self.at == self.batch && !self.decode()? {
            return Ok(None);
        }
        self.record.clear();
        for field in &self.fields {
            self.record.push_field(field.cells.get(self.at).map_or("", String::as_str));
        }
        self.at += 1;
        self.row += 1;
        Ok(Some(self.row))
    }

    fn record(&self) -> &StringRecord {
        &self.record
    }
}

impl Field {
    fn new(name: &str) -> Self {
        let values = Err("a list, a map or a structure".to_owned());
        Field { name: name.to_owned(), values, wanted: false, reader: None, cells: Vec::new() }
    }
}

/// What the crate does, with its error; damaged files make some versions of it panic.
fn guarded<T>(
    file: &str,
    column: Option<Column>,
    act: impl FnOnce() -> Result<T, ParquetError>,
) -> Result<T, DataError> {
    let panicked = || Err(ParquetError::General("values that cannot be decoded".to_owned()));
    let done = unless_panicked(act).unwrap_or_else(panicked);
    done.map_err(|cause| DataError::Parquet { file: file.to_owned(), column, fault: ParquetFault::Damaged(cause) })
}

fn refused(file: &str, column: String, fault: ParquetFault) -> DataError {
    DataError::Parquet { file: file.to_owned(), column: Some(Column::Named(column)), fault }
}

/// The cells of the next rows, `most` of them.
fn decode(reader: &mut ColumnReader, kind: &Kind, most: usize, cells: &mut Vec<String>) -> Result<(), ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.bool(*value))),
        ColumnReader::Int32ColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.int32(*value))),
        ColumnReader::Int64ColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.int64(*value))),
        ColumnReader::Int96ColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.int96(value))),
        ColumnReader::FloatColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.real((*value).into()))),
        ColumnReader::DoubleColumnReader(reader) => read(reader, most, cells, |value| Ok(kind.real(*value))),
        ColumnReader::ByteArrayColumnReader(reader) => read(reader, most, cells, |value| kind.bytes(value.data())),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            read(reader, most, cells, |value| kind.bytes(value.data()))
        }
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    most: usize,
    cells: &mut Vec<String>,
    text: impl Fn(&T::T) -> Result<String, ParquetError>,
) -> Result<(), ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(most, Some(&mut levels), None, &mut values)?;
    if rows != most {
        return Err(ParquetError::EOF(format!("{} of its rows are missing", most - rows)));
    }
    // Without levels there is a value in every row.
    let mut values = values.iter();
    for row in 0..rows {
        let value = if levels.get(row).is_none_or(|level| *level > 0) { values.next() } else { None };
        cells.push(value.map_or(Ok(String::new()), &text)?);
    }
    Ok(())
}
