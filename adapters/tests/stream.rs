//! Files read in parts: the same rows, lines and refusals as when they are read at once.
#![allow(missing_docs)]

use pathqp_adapters::dataset::{DataError, Dataset, Label, ReadOptions, read, stream};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pathqp-stream-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn parts(path: &Path, options: &ReadOptions) -> Result<Vec<Dataset>, DataError> {
    let mut parts = Vec::new();
    stream(path, options, |part| {
        parts.push(part);
        Ok::<(), DataError>(())
    })?;
    Ok(parts)
}

/// Every row as (line, response, features).
fn rows(parts: &[Dataset], columns: usize) -> Vec<(usize, f64, Vec<f64>)> {
    let of = |part: &Dataset| {
        let row = |i: usize| {
            let mut row = vec![0.0; columns];
            part.features.dense_row(i, &mut row[..part.features.columns()]);
            (part.lines[i], part.response[i], row)
        };
        (0..part.rows()).map(row).collect::<Vec<_>>()
    };
    parts.iter().flat_map(of).collect()
}

/// More text than two parts hold.
fn libsvm() -> String {
    let mut text = String::from("\u{feff}# a comment\n");
    for i in 0..200_000 {
        let blank = if i % 1000 == 0 { "\n  \n" } else { "" };
        text += &format!(
            "{}{} {}:{} 7:0.125{}\n",
            blank,
            i % 2,
            1 + i % 6,
            f64::from(i) / 3.0,
            if i == 199_999 { " 9:1" } else { "" }
        );
    }
    text
}

fn table(line_end: &str) -> String {
    let mut text = format!("a,\"b\nb\",y{line_end}");
    for i in 0..400_000 {
        let quoted = if i % 7 == 0 { format!("\"{i}{line_end}\"") } else { i.to_string() };
        text += &format!("{quoted},{},{}{line_end}", i % 5, i % 2);
    }
    text
}

#[test]
fn parts_are_the_file() {
    let folder = Folder::new("same");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(libsvm().as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    for (name, content) in [
        ("a.svm", libsvm().into_bytes()),
        ("a.svm.gz", packed.clone()),
        ("packed.svm", packed),
        ("a.csv", table("\n").into_bytes()),
        ("b.csv", table("\r\n").into_bytes()),
        ("last.svm", b"1 1:1\n0 1:2".to_vec()),
    ] {
        let path = folder.write(name, &content);
        let whole = read(&path, &ReadOptions::default()).unwrap();
        let parts = parts(&path, &ReadOptions::default()).unwrap();
        assert!(parts.len() >= 2 || name == "last.svm", "{name}: {} parts", parts.len());
        assert_eq!(parts[0].feature_names, whole.feature_names);
        let columns = whole.features.columns();
        assert!(rows(&parts, columns) == rows(&[whole], columns), "{name}");
    }
}

#[test]
fn refusals_name_the_same_place() {
    let folder = Folder::new("bad");
    let mut late = libsvm();
    late += "1 1:x\n";
    let mut ragged = table("\n");
    ragged += "1,2\n";
    let mut encoding = libsvm().into_bytes();
    encoding.extend(b"1 1:\xff\n");
    for (name, content) in [
        ("late.svm", late.into_bytes()),
        ("ragged.csv", ragged.into_bytes()),
        ("encoding.svm", encoding),
        ("empty.svm", b"\n# nothing\n".to_vec()),
        ("empty.csv", b"".to_vec()),
        ("header.csv", b"a,y\n".to_vec()),
        ("broken.svm.gz", b"1 1:1\n".to_vec()),
    ] {
        let path = folder.write(name, &content);
        let whole = read(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(parts(&path, &ReadOptions::default()).unwrap_err().to_string(), whole, "{name}");
    }
    for missing in [folder.0.join("none.svm"), folder.0.clone()] {
        let whole = read(&missing, &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(parts(&missing, &ReadOptions::default()).unwrap_err().to_string(), whole);
    }
}

#[test]
fn what_the_receiver_says_ends_the_reading() {
    let folder = Folder::new("stop");
    let path = folder.write("a.svm", libsvm().as_bytes());
    let mut calls = 0;
    let stopped = stream(&path, &ReadOptions::default(), |part| {
        calls += 1;
        Err(DataError::OneClass { file: "x".into(), label: Label::Number(1.0), rows: part.rows() })
    });
    assert!(matches!(stopped, Err(DataError::OneClass { .. })) && calls == 1);
}
