//! Reading data sets and two-class labels. Expected values are worked out by hand.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use pathqp_adapters::dataset::{
    Classes, Column, DataError, Dataset, Features, Label, NumberFault, ReadOptions, Role, read, two_classes,
};

const B25: &str = "+1 1:0.5 2:1.0 3:-0.5\n-1 1:-1.0 3:0.25\n+1 0:1.0 2:2.0\n-1\n\
    +1 1:1.5 2:0.5 3:1.0\n-1 1:0.5 2:-1.5\n";
const B26: &str = "+1 1:0.5 2:1.0 3:-0.5\n-1 1:-1.0 3:0.25\n+1 2:2.0\n-1\n\
    +1 1:1.5 3:1.0 2:0.5\n-1 1:0.5 2:-1.5\n";
const B31: &str = "\u{feff}+1 1:0.5 2:1.0 3:-0.5\r\n-1 1:-1.0 3:0.25\r\n+1 2:2.0\r\n-1\r\n\
    +1 1:1.5 2:0.5 3:1.0\r\n-1 1:0.5 2:-1.5\r\n";
const B32: &str = "+1 1:0.5 2:1.0 3:-0.5\n-1 1:nan 3:0.25\n+1 2:inf\n-1\n\
    +1 1:1.5 2:1e400 3:1.0\n-1 1:0.5 2:-1.5e308\n";
const B34: &str = "+1 1:0.5 2:1.0 3:-0.5\n+1 1:-1.0 3:0.25\n+1 2:2.0\n+1\n\
    +1 1:1.5 2:0.5 3:1.0\n+1 1:0.5 2:-1.5\n";
const B38: &str = "y,x1,x2,x3\n1,0.5,1.0,-0.5\n-1,-1.0,0,0.25\n1,0,2.0\n-1,0,0,0\n1,1.5,,1.0\n-1,\"0.5\",-1.5,0,7\n";
const B44: &str = "1.0 1:0.5 2:1.0 3:-0.5\n0 1:-1.0 3:0.25\n1.0 2:2.0\n0\n\
    1.0 1:1.5 2:0.5 3:1.0\n0 1:0.5 2:-1.5\n";

/// The features of B44, row after row.
const CLEAN: [f64; 18] = [0.5, 1.0, -0.5, -1.0, 0.0, 0.25, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.5, 0.5, 1.0, 0.5, -1.5, 0.0];
const CLEAN_SIGNS: [f64; 6] = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0];

/// A file in a directory of its own, removed at the end.
struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str, bytes: &[u8]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let directory = std::env::temp_dir().join(format!("pathqp-dataset-{process}-{count}"));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Dataset, DataError> {
    read(&TempFile::new(name, bytes).0, options)
}

fn load(name: &str, text: &str) -> Dataset {
    read_bytes(name, text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// The message of the refusal, which must be one line that names the file.
fn refusal_with(name: &str, text: &str, options: &ReadOptions) -> String {
    let error = read_bytes(name, text.as_bytes(), options).unwrap_err();
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    let (_, after) = message.split_once(name).expect("names the file");
    after.to_owned()
}

fn refusal(name: &str, text: &str) -> String {
    refusal_with(name, text, &ReadOptions::default())
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn no_header() -> ReadOptions {
    options(|options| options.no_header = true)
}

fn respond_with(name: &str) -> ReadOptions {
    options(|options| options.response = Some(name.to_owned()))
}

fn weighted_by(name: &str) -> ReadOptions {
    options(|options| options.weights = Some(name.to_owned()))
}

fn with_features(features: usize) -> ReadOptions {
    options(|options| options.features = Some(features))
}

fn zero_based(features: Option<usize>) -> ReadOptions {
    options(|options| (options.zero_based, options.features) = (true, features))
}

fn dense(rows: usize, columns: usize, values: &[f64]) -> Features {
    Features::Dense { rows, columns, values: values.to_vec() }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn assert_clean(data: &Dataset) {
    assert_eq!(data.features, dense(6, 3, &CLEAN));
    assert_eq!(data.lines, [1, 2, 3, 4, 5, 6]);
    let (signs, _) = two_classes(data, None).unwrap();
    assert_eq!(signs, CLEAN_SIGNS);
}

#[test]
fn clean_libsvm_text_is_read() {
    let data = load("b44.libsvm", B44);
    assert_clean(&data);
    assert_eq!(data.response, [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(data.rows(), 6);
    assert!(data.source.ends_with("b44.libsvm"));
    let names = (&data.weights, &data.feature_names, &data.response_name);
    assert_eq!(names, (&None, &None, &None));
    let (_, classes) = two_classes(&data, None).unwrap();
    let expected = Classes { negative: Label::Number(0.0), positive: Label::Number(1.0) };
    assert_eq!(classes, expected);
}

#[test]
fn marks_line_ends_blanks_and_comments_change_nothing() {
    assert_clean(&load("b31.libsvm", B31));
    assert_clean(&load("blanks.txt", &B44.replace('\n', "  \t \n")));
    assert_clean(&load("comment.txt", &B44.replace('\n', " # 7:x\n")));
    assert_clean(&load("no_last_end", B44.trim_end()));
    let spaced = load("lines.txt", "# head\n\n1 1:2 # tail\n \t\r\n-1\n\n");
    assert_eq!(spaced.lines, [3, 5]);
    assert_eq!(spaced.features, dense(2, 1, &[2.0, 0.0]));
}

#[test]
fn index_zero_needs_the_option() {
    let zero = refusal("b25.libsvm", B25);
    let expected = ", line 3: index 0 in `0:1.0` (the format starts at 1; use --zero-based)";
    assert_eq!(zero, expected);
    let options = zero_based(None);
    let data = read_bytes("b25.libsvm", B25.as_bytes(), &options).unwrap();
    let mut rows = [[0.0; 4]; 6];
    for (row, clean) in rows.iter_mut().zip(CLEAN.chunks(3)) {
        row[1..].copy_from_slice(clean);
    }
    rows[2] = [1.0, 0.0, 2.0, 0.0];
    assert_eq!(data.features, dense(6, 4, &rows.concat()));
}

#[test]
fn indices_must_increase_and_fit() {
    let unsorted = refusal("b26.libsvm", B26);
    assert!(unsorted.starts_with(", line 5: index 2 comes after index 3"));
    let twice = refusal("twice", "1 1:1\n-1 4:1 4:1\n");
    assert!(twice.starts_with(", line 2: index 4 comes after index 4"));
    let fixed = refusal_with("fixed", "1 2:1\n1 1:1 3:0\n", &with_features(2));
    assert!(fixed.starts_with(", line 2: index 3 is above 2, the number of features"));
    // The largest index is 2^31 - 1; 10^30 does not fit 64 bits and is shown as the largest number that does.
    for (index, shown) in [("2147483648", "2147483648"), (&format!("1{}", "0".repeat(30)), "18446744073709551615")] {
        let text = format!("1 1:1\n-1 {index}:1\n");
        let large = refusal("large", &text);
        assert!(large.starts_with(&format!(", line 2: index {shown} is above 2147483647")));
    }
}

#[test]
fn the_number_of_columns_can_be_fixed() {
    let narrow = "1 1:2\n-1\n";
    let data = read_bytes("narrow", narrow.as_bytes(), &with_features(4)).unwrap();
    assert_eq!(data.features.columns(), 4);
    let options = zero_based(Some(2));
    let last = read_bytes("last", b"1 0:1 1:2\n", &options).unwrap();
    assert_eq!(last.features, dense(1, 2, &[1.0, 2.0]));
    assert!(refusal_with("past", "1 2:1\n", &options).contains("line 1: index 2"));
    assert!(refusal_with("none", "1 0:1\n", &zero_based(Some(0))).contains("line 1: index 0"));
    let labels = load("labels", "1\n-1\n");
    assert_eq!((labels.features.rows(), labels.features.columns()), (2, 0));
}

#[test]
fn spelled_out_zeros_count_columns_and_are_not_stored() {
    let data = load("zeros", "1 1:1 6:0\n-1 2:0 5:-0.0\n");
    let expected = Features::Sparse { rows: 2, columns: 6, starts: vec![0, 1, 1], indices: vec![0], values: vec![1.0] };
    assert_eq!(data.features, expected);
}

#[test]
fn numbers_that_are_not_usable_are_refused() {
    let lines: Vec<&str> = B32.lines().collect();
    let all = refusal("b32.libsvm", B32);
    assert!(all.starts_with(", line 2, column 1: `nan` is not finite"));
    for (line, expected) in [
        (1, ", line 2, column 1: `nan` is not finite"),
        (2, ", line 2, column 2: `inf` is not finite"),
        (4, ", line 2, column 2: `1e400` overflows a double"),
        (5, ", line 2, column 2: `-1.5e308` is finite but its square"),
    ] {
        let alone = refusal("alone", &format!("{}\n{}\n", lines[0], lines[line]));
        assert!(alone.starts_with(expected), "{alone}");
    }
    // sqrt(1.797693e308) = 1.340781e154.
    assert!(refusal("square", "1 1:1.341e154\n").contains("its square overflows"));
    assert_eq!(load("below", "1 1:1.34e154\n").rows(), 1);
    // 2 * (1.34e154)^2 = 3.59e308 is above the largest double.
    let norm = refusal("norm", "1 1:1\n1 1:1.34e154 2:1.34e154\n");
    assert!(norm.starts_with(", line 2: the sum of the squares of this row's features"));
    let norm = refusal("norm.csv", "a,b,y\n1,0,0\n1.34e154,1.34e154,1\n");
    assert!(norm.starts_with(", line 3: the sum of the squares of this row's features"));
}

#[test]
fn labels_must_be_numbers() {
    for (text, expected) in [
        ("1\nspam 1:2\n", ", line 2, the label: `spam` is not a number"),
        ("1\nNaN 1:2\n", ", line 2, the label: `NaN` is not finite"),
        ("-inf\n", ", line 1, the label: `-inf` is not finite"),
        ("1e999 1:2\n", ", line 1, the label: `1e999` overflows"),
        ("1e200 1:2\n", ", line 1, the label: `1e200` is finite but"),
        ("1:2 2:3\n", ", line 1, the label: `1:2` is not a number"),
    ] {
        let message = refusal("labels", text);
        assert!(message.starts_with(expected), "{message}");
    }
    let table = refusal("table.txt", "y,x1\n1,2\n");
    assert!(table.contains("line 1, the label: `y,x1`"));
    assert!(table.contains("tables must be in a file named .csv or .tsv"));
}

#[test]
fn tokens_must_be_index_and_value() {
    for (token, expected) in [
        ("3", ", line 2: `3` is not of the form index:value"),
        (":3", ", line 2: `:3` is not of the form"),
        ("-1:3", ", line 2: `-1:3` is not of the form"),
        ("+1:3", ", line 2: `+1:3` is not of the form"),
        ("x:3", ", line 2: `x:3` is not of the form"),
        ("1.0:3", ", line 2: `1.0:3` is not of the form"),
        ("2:", ", line 2, column 2: the value is missing"),
        ("2:x", ", line 2, column 2: `x` is not a number"),
        ("2:3:4", ", line 2, column 2: `3:4` is not a number"),
        ("qid:7", ", line 2: `qid:7` marks ranking data"),
        ("\u{a0}1:2", ", line 2: `\u{a0}1:2` is not of the form"),
    ] {
        let message = refusal("tokens", &format!("1 1:1\n-1 {token}\n"));
        assert!(message.starts_with(expected), "{message}");
    }
    let long = refusal("long", &format!("1 {}\n", "x".repeat(100)));
    let expected = format!(", line 1: `{}…` is", "x".repeat(40));
    assert!(long.starts_with(&expected), "{long}");
}

#[test]
fn named_columns_are_refused_in_libsvm_text() {
    let response = refusal_with("a.txt", B44, &respond_with("y"));
    assert!(response.contains("--response `y` needs named columns"));
    let weights = refusal_with("a.txt", B44, &weighted_by("w"));
    assert!(weights.contains("--weights `w` needs named columns"));
}

#[test]
fn files_that_are_not_data_are_refused() {
    for name in ["empty.txt", "empty.csv", "empty.gz", "empty.csv.gz"] {
        assert!(refusal(name, "").starts_with(": no rows of data"));
    }
    assert!(refusal("mark.txt", "\u{feff}").starts_with(": no rows of data"));
    assert!(refusal("comments.txt", "# a\n\n# b\n").starts_with(": no rows of data"));
    assert!(refusal("names.csv", "y,x\n").starts_with(": no rows of data"));
    let options = ReadOptions::default();
    let missing = read(Path::new("no/such/file.csv"), &options).unwrap_err();
    assert!(matches!(&missing, DataError::Missing { file } if file == "no/such/file.csv"));
    let directory = read(&std::env::temp_dir(), &options).unwrap_err();
    assert!(matches!(directory, DataError::Directory { .. }));
    let latin = read_bytes("latin.csv", b"y,x\n1,2\n1,\xe9\n", &options).unwrap_err();
    let expected = |line, byte| (line, byte) == (3, 0xe9);
    assert!(matches!(latin, DataError::Encoding { line, byte, .. } if expected(line, byte)));
}

#[test]
fn gzip_is_recognised_by_name_and_by_content() {
    let options = ReadOptions::default();
    let packed = gzip(B44.as_bytes());
    for name in ["a.gz", "a.svm.gz", "a.SVM.GZ", "a.svm"] {
        assert_clean(&read_bytes(name, &packed, &options).unwrap());
    }
    let members = [gzip(&B44.as_bytes()[..50]), gzip(&B44.as_bytes()[50..])].concat();
    assert_clean(&read_bytes("members.gz", &members, &options).unwrap());
    let table = gzip(b"y,x\n1,2\n");
    for name in ["t.csv", "t.csv.gz", "t.CSV.gz"] {
        let data = read_bytes(name, &table, &options).unwrap();
        assert_eq!(data.response, [2.0]);
    }
    let tabs = read_bytes("t.tsv.gz", &gzip(b"y\tx\n1\t2\n"), &options).unwrap();
    assert_eq!(tabs.feature_names, Some(vec!["y".to_owned()]));
    let cut = &packed[..packed.len() - 6];
    for (name, bytes) in [("cut.gz", cut), ("cut", cut), ("plain.gz", B44.as_bytes())] {
        let error = read_bytes(name, bytes, &options).unwrap_err();
        assert!(matches!(error, DataError::Gzip { .. }), "{error}");
    }
}

#[test]
fn ragged_rows_and_empty_cells_are_refused() {
    let lines: Vec<&str> = B38.lines().collect();
    let without = |gone: &[usize]| {
        let kept = (0..lines.len()).filter(|i| !gone.contains(i));
        kept.map(|i| format!("{}\n", lines[i])).collect::<String>()
    };
    let short = refusal("b38.csv", B38);
    assert!(short.starts_with(", line 4: 3 fields, 4 expected"));
    let cell = refusal("b38.csv", &without(&[3, 6]));
    assert!(cell.starts_with(", line 5, column x2: the value is missing"), "{cell}");
    let long = refusal("b38.csv", &without(&[3, 5]));
    assert!(long.starts_with(", line 5: 5 fields, 4 expected"));
    // Blank lines keep the later rows on their physical lines.
    let padded = B38.replace("1,0,2.0\n", "\n");
    assert!(refusal("b38.csv", &padded).starts_with(", line 6, column x2"));
    let padded = padded.replace("1,1.5,,1.0\n", "  \r\n");
    assert!(refusal("b38.csv", &padded).starts_with(", line 7: 5 fields"));
    let good = format!("{}-1,\"0.5\",-1.5,0\n", without(&[3, 4, 5, 6]));
    let data = read_bytes("good.csv", good.as_bytes(), &respond_with("y")).unwrap();
    let expected = [0.5, 1.0, -0.5, -1.0, 0.0, 0.25, 0.5, -1.5, 0.0];
    assert_eq!(data.features, dense(3, 3, &expected));
}

#[test]
fn csv_columns_are_found_by_name() {
    let text = "\u{feff}y , w,\"x,1\",x2\r\n\r\n1,0.5,2,3\r\n-1,1,\" 4 \",5\r\n";
    let options = ReadOptions { weights: Some("w".to_owned()), ..respond_with("y") };
    let data = read_bytes("t.csv", text.as_bytes(), &options).unwrap();
    assert_eq!(data.features, dense(2, 2, &[2.0, 3.0, 4.0, 5.0]));
    assert_eq!(data.response, [1.0, -1.0]);
    assert_eq!(data.weights, Some(vec![0.5, 1.0]));
    let names = vec!["x,1".to_owned(), "x2".to_owned()];
    assert_eq!(data.feature_names, Some(names));
    assert_eq!(data.response_name.as_deref(), Some("y"));
    assert_eq!(data.lines, [3, 4]);
    let last = load("t.csv", text);
    assert_eq!(last.response, [3.0, 5.0]);
    assert_eq!(last.response_name.as_deref(), Some("x2"));
    let tabs = load("t.tsv", "a\ty\n1\t2\n");
    assert_eq!((tabs.response, tabs.features), (vec![2.0], dense(1, 1, &[1.0])));
}

#[test]
fn every_kind_of_line_end_is_counted_once() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,y", "1,2", "", "3,4", "\"x\n\",6", ""].join(end);
        let good = text.replace("x\n", "5\n");
        assert_eq!(load("ends.csv", &good).lines, [2, 4, 5], "{end:?}");
        let bad = refusal("ends.csv", &text);
        assert!(bad.starts_with(", line 5, column a: `x` is not"), "{bad}");
    }
    // The quoted cell above takes two lines, so that the next row starts on the line after them.
    let data = load("quoted.csv", "a,y\n\"1\n\",2\n3,4\n");
    assert_eq!(data.lines, [2, 4]);
}

#[test]
fn csv_without_header() {
    let data = read_bytes("t.csv", b"1,2,3\n4,5,6\n", &no_header()).unwrap();
    assert_eq!(data.response, [3.0, 6.0]);
    assert_eq!((data.feature_names, data.response_name), (None, None));
    assert_eq!(data.lines, [1, 2]);
    let options = ReadOptions { response: Some("1".to_owned()), weights: Some("3".to_owned()), ..no_header() };
    let data = read_bytes("t.csv", b"1,2,3\n4,5,6\n", &options).unwrap();
    assert_eq!((data.response, data.weights), (vec![1.0, 4.0], Some(vec![3.0, 6.0])));
    for number in ["0", "4", "y"] {
        let options = ReadOptions { response: Some(number.to_owned()), ..no_header() };
        let message = refusal_with("t.csv", "1,2,3\n", &options);
        let expected = format!(": no column `{number}` for --response; without names");
        assert!(message.starts_with(&expected), "{message}");
    }
    let cell = refusal_with("t.csv", "1,2\n3,x\n", &no_header());
    assert!(cell.starts_with(", line 2, column 2: `x` is not a number; write"));
    let names = refusal_with("t.csv", "a,y\n3,4\n", &no_header());
    assert!(names.contains("line 1, column 1: `a` is not a number; leave --no-header out"));
}

#[test]
fn headers_must_name_every_column_once() {
    let numbers = refusal("t.csv", "\n1,2,3\n4,5,6\n");
    assert!(numbers.starts_with(", line 2: the header row holds only numbers; use --no-header"));
    let twice = refusal("t.csv", "b,a,c,a,b\n1,2,3,4,5\n");
    assert!(twice.starts_with(", line 1: columns 2 and 4 are both named `a`"), "{twice}");
    let unnamed = refusal("t.csv", "\"\",x,y\n1,2,3\n");
    assert!(unnamed.starts_with(", line 1: column 1 has no name"));
    let semicolons = refusal("t.csv", "x;y\n1;2\n");
    assert!(semicolons.contains("none of them a feature; the fields must be separated by commas"));
    let commas = refusal("t.tsv", "x,y\n1,2\n");
    assert!(commas.contains("the fields must be separated by tabs"));
}

#[test]
fn csv_columns_that_do_not_exist_are_refused() {
    let text = "a,b,c,d,e,f,g,h\n1,2,3,4,5,6,7,8\n";
    let unknown = refusal_with("t.csv", text, &respond_with("z"));
    let expected = ": no column `z` for --response; the columns are a, b, c, d, e, f and 2 more";
    assert_eq!(unknown, expected);
    let weights = read_bytes("t.csv", text.as_bytes(), &weighted_by("A")).unwrap_err();
    assert!(matches!(
        weights,
        DataError::UnknownColumn { role: Role::Weights, available, .. } if available.len() == 8
    ));
    let shared = read_bytes("t.csv", text.as_bytes(), &weighted_by("h")).unwrap_err();
    assert!(matches!(
        shared,
        DataError::SharedColumn { column: Column::Named(name), .. } if name == "h"
    ));
    let count = refusal_with("t.csv", text, &with_features(8));
    assert!(count.starts_with(": 7 feature columns, and --features asks for 8"));
    assert!(read_bytes("t.csv", text.as_bytes(), &with_features(7)).is_ok());
}

#[test]
fn csv_cells_must_be_usable_numbers() {
    for (cell, fault) in [
        ("NA", NumberFault::Missing),
        (" ", NumberFault::Missing),
        ("\"\"", NumberFault::Missing),
        ("NaN", NumberFault::NotFinite),
        ("-1e309", NumberFault::Overflow),
        ("2e154", NumberFault::SquareOverflow),
        ("0x10", NumberFault::Malformed),
        ("1_000", NumberFault::Malformed),
    ] {
        let text = format!("a,x 2,y\n1,2,3\n4,{cell},6\n");
        let message = refusal("t.csv", &text);
        assert!(message.starts_with(", line 3, column x 2: "), "{message}");
        // A word in a column of features is told how it can be one.
        let word = "is not a number; use --categorical for a feature a word, --exclude to leave the column out, or --index if it names the rows";
        let expected = if fault == NumberFault::Malformed { word.to_owned() } else { fault.to_string() };
        assert!(message.ends_with(&expected), "{message}");
    }
    let negative = refusal_with("t.csv", "w,x,y\n0,1,2\n-0.5,1,2\n", &weighted_by("w"));
    assert!(negative.starts_with(", line 3, column w: `-0.5` is negative"));
    let open = refusal("t.csv", "x,y\n1,2\n3,\"4\n5,6\n");
    assert!(open.starts_with(", line 3, column y: `4\\n5,6` is not a number"), "{open}");
}

#[test]
fn one_class_is_refused() {
    let one = two_classes(&load("b34.libsvm", B34), None).unwrap_err();
    assert!(one.to_string().contains("b34.libsvm: only one class (+1) in 6 rows"));
}
