//! Parquet tables beside the same tables as text. Files are written by the crate's own writer; those in tests/parquet are by pandas (make.py).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use pathqp_adapters::constraints::{Constraints, describe};
use pathqp_adapters::dataset::{
    BoundedRows, DataError, Dataset, Features, ReadOptions, columns, read, read_bounded, stream,
};
use pathqp_adapters::spec::Spec;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parquet").join(name)
}

/// A folder of this test alone.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pathqp-parquet-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The columns of a file to be written, one after the other.
struct Writer<'w, 'a>(&'w mut SerializedRowGroupWriter<'a, Vec<u8>>);

impl Writer<'_, '_> {
    /// Values of the rows that have one.
    fn column<T: DataType>(&mut self, values: &[T::T], levels: Option<&[i16]>) -> &mut Self {
        let mut column = self.0.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, levels, None).unwrap();
        column.close().unwrap();
        self
    }

    fn doubles(&mut self, values: &[f64]) -> &mut Self {
        self.column::<DoubleType>(values, None)
    }

    fn texts(&mut self, values: &[&str]) -> &mut Self {
        let values: Vec<ByteArray> = values.iter().map(|text| ByteArray::from(*text)).collect();
        self.column::<ByteArrayType>(&values, None)
    }
}

fn written(schema: &str, properties: WriterProperties, columns: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message table {{ {schema} }}")).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = file.next_row_group().unwrap();
    columns(&mut Writer(&mut group));
    group.close().unwrap();
    file.into_inner().unwrap()
}

fn load(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, DataError> {
    let folder = folder(&format!("load-{:?}", std::thread::current().id()));
    let path = folder.join("t.parquet");
    std::fs::write(&path, bytes).unwrap();
    let data = read(&path, options);
    std::fs::remove_dir_all(folder).unwrap();
    data
}

fn refusal(bytes: &[u8], options: &ReadOptions) -> String {
    let text = load(bytes, options).unwrap_err().to_string();
    text.split_once("t.parquet").expect("the file").1.to_owned()
}

/// The same data, but for the file and the places in it.
fn assert_alike(found: Dataset, expected: Dataset) {
    let rows: Vec<usize> = (1..=found.rows()).collect();
    assert_eq!(found.lines, rows);
    let (source, lines) = (expected.source.clone(), expected.lines.clone());
    assert_eq!(Dataset { source, lines, ..found }, expected);
}

/// What the columns of the people's table are for.
fn people() -> ReadOptions {
    ReadOptions {
        words: true,
        index: Some("name".into()),
        exclude: words(&["since", "note"]),
        categorical: words(&["town"]),
        ..ReadOptions::default()
    }
}

#[test]
fn files_of_pandas_are_their_twins_in_text() {
    let twin = || read(&fixture("people.csv"), &people()).unwrap();
    assert_eq!(twin().labels, Some(words(&["no", "yes"])));
    for codec in ["none", "snappy", "gzip", "zstd", "snappy-v2", "polars"] {
        let path = fixture(&format!("people-{codec}.parquet"));
        assert_eq!(columns(&path, false).unwrap(), columns(&fixture("people.csv"), false).unwrap(), "{codec}");
        assert_alike(read(&path, &people()).unwrap(), twin());
        let mut parts = Vec::new();
        stream(&path, &people(), |part| {
            parts.push(part);
            Ok::<(), DataError>(())
        })
        .unwrap();
        assert_eq!(parts.len(), 1);
        assert_alike(parts.remove(0), twin());
    }
    // Dates are words, and there are no values in two rows of a column.
    let names = |index: &str| {
        let options = ReadOptions {
            words: true,
            index: Some(index.into()),
            only: Some(words(&["income"])),
            ..ReadOptions::default()
        };
        let of = |name: &str| read(&fixture(name), &options).unwrap().row_names.unwrap();
        assert_eq!(of("people-snappy.parquet"), of("people.csv"), "{index}");
    };
    names("since");
    names("note");
    let missing = ReadOptions { categorical: words(&["note"]), exclude: words(&["since"]), ..people() };
    let missing = ReadOptions { categorical: [missing.categorical, words(&["town"])].concat(), ..missing };
    let text = read(&fixture("people-zstd.parquet"), &missing).unwrap_err().to_string();
    assert!(
        text.ends_with("people-zstd.parquet, row 2, column note: the value is missing; fill it in or drop the row"),
        "{text}"
    );
}

/// 1,000 rows in pages of a few hundred bytes and of the other version of the format.
#[test]
fn codecs_and_pages_do_not_matter() {
    let doubles: Vec<f64> = (0..3000).map(|i| f64::from(i).sqrt() * if i % 2 == 0 { 1e-3 } else { -1e30 }).collect();
    let integers: Vec<i64> = (0..3000).map(|i| (i % 7) - 3).collect();
    let mut text = "x,n,y\n".to_owned();
    for (x, n) in doubles.iter().zip(&integers) {
        text += &format!("{x},{n},{x}\n");
    }
    let folder = folder("codecs");
    std::fs::write(folder.join("t.csv"), text).unwrap();
    let twin = read(&folder.join("t.csv"), &ReadOptions::default()).unwrap();
    let gzip = Compression::GZIP(Default::default());
    for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY, gzip, Compression::ZSTD(Default::default())] {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_compression(codec)
                .set_writer_version(version)
                .set_data_page_row_count_limit(100)
                .set_write_batch_size(50)
                .build();
            let schema = "required double x; required int64 n; required double y;";
            let bytes = written(schema, properties, |group| {
                group.doubles(&doubles).column::<Int64Type>(&integers, None).doubles(&doubles);
            });
            assert_alike(load(&bytes, &ReadOptions::default()).unwrap(), twin.clone());
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Each type as the text of a row's name.
#[test]
fn types_have_their_text() {
    let name = |column: &str, write: &dyn Fn(&mut Writer)| {
        let schema = format!("required {column}; required double x; required double y;");
        let bytes = written(&schema, WriterProperties::default(), |group| {
            write(group);
            group.doubles(&[1.0]).doubles(&[2.0]);
        });
        let options = ReadOptions { index: Some("c".into()), ..ReadOptions::default() };
        load(&bytes, &options).unwrap().row_names.unwrap().remove(0)
    };
    let i32 = |value: i32| {
        move |group: &mut Writer| {
            group.column::<Int32Type>(&[value], None);
        }
    };
    let i64 = |value: i64| {
        move |group: &mut Writer| {
            group.column::<Int64Type>(&[value], None);
        }
    };
    let fixed = |value: &'static [u8]| {
        move |group: &mut Writer| {
            group.column::<FixedLenByteArrayType>(&[ByteArray::from(value.to_vec()).into()], None);
        }
    };
    // 19,782 days after 1970 is the last of February 2024; one before it the last day of 1969.
    assert_eq!(name("int32 c (DATE)", &i32(19_782)), "2024-02-29");
    assert_eq!(name("int32 c (DATE)", &i32(-1)), "1969-12-31");
    assert_eq!(name("int32 c (DATE)", &i32(i32::MAX)), "day 2147483647");
    assert_eq!(name("int32 c (INTEGER(32,false))", &i32(-1)), "4294967295");
    assert_eq!(name("int64 c (INTEGER(64,false))", &i64(-1)), "18446744073709551615");
    assert_eq!(name("int32 c (DECIMAL(9,3))", &i32(-5)), "-0.005");
    assert_eq!(name("int64 c (DECIMAL(18,2))", &i64(123_456)), "1234.56");
    assert_eq!(name("int64 c (DECIMAL(18,0))", &i64(-7)), "-7");
    assert_eq!(name("fixed_len_byte_array (3) c (DECIMAL(6,1))", &fixed(&[0xff, 0xff, 0x00])), "-25.6");
    assert_eq!(name("fixed_len_byte_array (2) c (FLOAT16)", &fixed(&[0x00, 0xc1])), "-2.5");
    let second = 1_709_210_096;
    assert_eq!(name("int64 c (TIMESTAMP(MILLIS,false))", &i64(second * 1000)), "2024-02-29 12:34:56");
    assert_eq!(
        name("int64 c (TIMESTAMP(MICROS,true))", &i64(second * 1_000_000 + 5)),
        "2024-02-29 12:34:56.000005+00:00"
    );
    assert_eq!(name("int64 c (TIMESTAMP(NANOS,false))", &i64(-1)), "1969-12-31 23:59:59.999999999");
    assert_eq!(name("int64 c (TIME(MICROS,false))", &i64(3_723_500_000)), "01:02:03.500");
    assert_eq!(name("int32 c (TIME_MILLIS)", &i32(0)), "00:00:00");
    let text = |group: &mut Writer| {
        group.texts(&["a, \"b\""]);
    };
    assert_eq!(name("binary c (UTF8)", &text), "a, \"b\"");
}

/// Lists and raw bytes may be there, and are refused only where they are used.
#[test]
fn types_that_are_no_cells() {
    let schema = "required binary raw; repeated double list; required group pair { required double a; required double b; } \
        required double x; required double y;";
    let bytes = written(schema, WriterProperties::default(), |group| {
        group.texts(&["r"]);
        let mut list = group.0.next_column().unwrap().unwrap();
        list.typed::<DoubleType>().write_batch(&[1.0, 2.0], Some(&[1, 1]), Some(&[0, 1])).unwrap();
        list.close().unwrap();
        group.doubles(&[3.0]).doubles(&[4.0]).doubles(&[5.0]).doubles(&[6.0]);
    });
    let without = |names: &[&str]| ReadOptions { exclude: words(names), ..ReadOptions::default() };
    let data = load(&bytes, &without(&["raw", "list", "pair"])).unwrap();
    assert_eq!((data.feature_names, data.response), (Some(words(&["x"])), vec![6.0]));
    let rest = "is neither a number, a truth value, text nor a time; use --exclude to leave it out, or write it as one of these";
    let refused = |names: &[&str]| refusal(&bytes, &without(names));
    assert_eq!(refused(&[]), format!(", column raw: its type (BYTE_ARRAY) {rest}"));
    assert_eq!(refused(&["raw"]), format!(", column list: its type (a list, a map or a structure) {rest}"));
    assert_eq!(refused(&["raw", "list"]), format!(", column pair: its type (a list, a map or a structure) {rest}"));
    assert_eq!(refused(&["pear"]), ": no column `pear` for --exclude; the columns are raw, list, pair, x, y");
}

#[test]
fn values_are_refused_by_row_and_column() {
    let one = |value: f64| {
        written("required double x; required double y;", WriterProperties::default(), |group| {
            group.doubles(&[1.0, value]).doubles(&[2.0, 3.0]);
        })
    };
    let options = ReadOptions::default();
    assert_eq!(refusal(&one(f64::NAN), &options), ", row 2, column x: `NaN` is not finite; fill it in or drop the row");
    assert!(refusal(&one(1e200), &options).starts_with(", row 2, column x: `1e200` is finite but its square"));
    let text = written("required binary t (UTF8); required double y;", WriterProperties::default(), |group| {
        group.texts(&["Bern"]).doubles(&[1.0]);
    });
    assert!(refusal(&text, &options).starts_with(", row 1, column t: `Bern` is not a number; use --categorical"));
    let index =
        written("required double x; required double __index_level_0__;", WriterProperties::default(), |group| {
            group.doubles(&[1.0]).doubles(&[2.0]);
        });
    let expected = ", column __index_level_0__: pandas keeps the names of the rows here; use --index if they are to be read, or --exclude";
    assert_eq!(refusal(&index, &options), expected);
    let empty = written("required double x; required double y;", WriterProperties::default(), |group| {
        group.doubles(&[]).doubles(&[]);
    });
    assert_eq!(refusal(&empty, &options), ": no rows of data in this file; check that it is the right one");
    let codec = std::fs::read(fixture("brotli.parquet")).unwrap();
    let expected = ", column x: compressed by Brotli; write the file with snappy, gzip or zstd, or uncompressed";
    assert_eq!(refusal(&codec, &options), expected);
}

/// Constraints may be a Parquet table too.
#[test]
fn bounds_of_rows() {
    let schema = "required double a; optional double lower; optional double upper; required double b;";
    let bytes = written(schema, WriterProperties::default(), |group| {
        group.doubles(&[1.0, 0.0]).column::<DoubleType>(&[2.0], Some(&[0, 1]));
        group.column::<DoubleType>(&[3.0, f64::INFINITY], Some(&[1, 1])).doubles(&[0.5, 4.0]);
    });
    let folder = folder("bounds");
    std::fs::write(folder.join("rows.parquet"), bytes).unwrap();
    let rows = read_bounded(&folder.join("rows.parquet")).unwrap();
    assert_eq!(rows.names, Some(words(&["a", "b"])));
    let (none, lines) = (vec![None, Some(2.0)], vec![1, 2]);
    assert_eq!((&rows.lower, &rows.upper, &rows.lines), (&none, &vec![Some(3.0), None], &lines));
    // The second row is named by its number.
    let mut spec = Spec::new("lasso");
    spec.rows.features = Arc::new(Features::Dense { rows: 0, columns: 2, values: vec![] });
    describe(BoundedRows { upper: vec![Some(3.0), Some(1.0)], ..rows }, &mut spec);
    let refused = Constraints::of_features(&spec).unwrap_err().to_string();
    assert!(refused.contains("row 2") && !refused.contains("line"), "{refused}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Whatever bytes are changed or cut off, a file is refused or read.
#[test]
fn damaged_files_are_refused() {
    for codec in ["none", "snappy", "gzip", "zstd", "snappy-v2", "polars"] {
        let whole = std::fs::read(fixture(&format!("people-{codec}.parquet"))).unwrap();
        for length in [0, 3, 8, 12, whole.len() / 2, whole.len() - 1] {
            let text = refusal(&whole[..length], &people());
            assert!(text.starts_with(": not a whole Parquet file (") && !text.contains('\n'), "{text}");
        }
        let (mut state, mut refused) = (1_u64, 0);
        for _ in 0..600 {
            let mut bytes = whole.clone();
            for _ in 0..3 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = (state >> 33) as usize % bytes.len();
                bytes[place] ^= 1 << (state >> 61);
            }
            refused += usize::from(load(&bytes, &people()).is_err());
        }
        assert!(refused > 100, "{codec}: {refused}");
    }
}
