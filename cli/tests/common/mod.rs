//! Running the program on small files.
#![allow(dead_code, missing_docs)]

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory of its own, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("pathqp-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).expect("a new directory");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.0.join(name), content).expect("a file");
        self
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("a file")
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the directory");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A command in this directory; arguments are separated by blanks.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathqp"));
        command.args(arguments.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &str) -> Outcome {
        let output = self.command(arguments).output().expect("the program runs");
        Outcome::new(arguments, &output)
    }

    /// Runs a command that must succeed in silence, and returns what it printed.
    pub fn ok(&self, arguments: &str) -> String {
        let outcome = self.run(arguments);
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{arguments}");
        outcome.stdout
    }

    /// As [`Folder::ok`], for a command that prints one JSON document.
    pub fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.ok(arguments)).expect("one JSON document")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run left.
#[derive(Debug)]
pub struct Outcome {
    pub arguments: String,
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    pub fn new(arguments: &str, output: &Output) -> Self {
        Outcome {
            arguments: arguments.into(),
            status: output.status.code().expect("not killed by a signal"),
            stdout: String::from_utf8(output.stdout.clone()).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr.clone()).expect("UTF-8"),
        }
    }

    /// Exit status 2, nothing on stdout, and one line on stderr that has all of these words.
    pub fn refused(&self, words: &[&str]) {
        assert_eq!(self.status, 2, "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        assert_eq!(self.stderr.matches('\n').count(), 1, "{self:?}");
        assert!(self.stderr.starts_with("pathqp: ") && self.stderr.ends_with('\n'), "{self:?}");
        for word in words {
            assert!(self.stderr.contains(word), "no '{word}' in {self:?}");
        }
    }
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}")).iter().map(number).collect()
}

pub fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} is not {expected}");
}

pub fn all_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(f, e)| close(*f, *e));
}

/// The table that `predict` writes: the header and the rows.
pub fn table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header").into_iter().map(str::to_owned).collect();
    let rows = lines.map(|cells| cells.iter().map(|c| c.parse().expect("a number")).collect()).collect();
    (header, rows)
}

/// x = 1 with the label +1 and x = −2 with the label −1; λ = 1, no bias. The objective is
/// w²/2 + (1 − τ) max(0, 1 − w) + τ max(0, 1 − 2w). Between w = 1/2 and w = 1 its slope is w − (1 − τ), below 1/2 it is
/// w − (1 + τ) < 0, above 1 it is w > 0: w = max(1 − τ, 1/2), so that τ = 1/2 is the only breakpoint. α₁ is at its bound
/// 1 − τ throughout, and w = α₁ + 2α₂ gives α₂ = max(0, (τ − 1/2)/2).
pub const TWO_POINTS: &str = "+1 1:1\n-1 1:-2\n";

/// x = 1 and x = −1, each with both labels; intercept. w = 0 by symmetry, and the loss
/// (1 − τ) max(0, 1 − b) + τ max(0, 1 + b) is least at b = 1 for τ < 1/2 (value 2τ), at b = −1 for τ > 1/2 (2 − 2τ), and
/// for τ = 1/2 at every b between (1). At τ = 0 any b ≥ 1 will do, at τ = 1 any b ≤ −1.
pub const FOUR_POINTS: &str = "1 1:1\n1 1:-1\n0 1:1\n0 1:-1\n";
