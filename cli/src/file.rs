//! Kept paths: one self-contained file, as JSON or as compact binary, for every problem.
//!
//! ```text
//! binary:  "PATHQP\0"  version (u32, little-endian)  body (postcard)  FNV-1a of the body (u64, little-endian)
//! JSON:    one object; numbers are written so that they come back exactly
//! ```
//!
//! A file is validated on reading: what does not fit together is refused with a [`PathFileFault`], so that no later step can go wrong on it.

use crate::data::Columns;
use crate::errors::CliError;
use crate::output::Target;
use crate::registry;
use pathqp::{Path, Settings, Stop};
use pathqp_adapters::AdapterError;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::run::{Posed, Vary};
use pathqp_adapters::spec::{Data, Entry, Spec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path as FsPath;
use thiserror::Error;

/// The version of the format, of JSON and binary alike.
pub const FORMAT_VERSION: u32 = 4;

/// The first bytes of a binary file.
const MAGIC: &[u8; 7] = b"PATHQP\0";

/// What can be wrong with a path file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathFileFault {
    /// It does not exist.
    #[error("no such file; keep a path with pathqp path --out")]
    Missing,
    /// It is a directory.
    #[error("this is a directory; name a path file in it")]
    Directory,
    /// It cannot be read.
    #[error("cannot be read ({cause}); check its permissions")]
    Unreadable {
        /// What the system says.
        cause: String,
    },
    /// It is empty.
    #[error("this file is empty; make the path again with pathqp path --out")]
    Empty,
    /// It begins like neither form.
    #[error("this is not a path file; keep a path with pathqp path --out")]
    Foreign,
    /// It is of another version.
    #[error("format version {found} of the path file, and this program reads {FORMAT_VERSION}; make the path again")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Bytes are missing or changed.
    #[error("this path file is damaged or cut short (its checksum does not agree); make the path again")]
    Checksum,
    /// It cannot be decoded, or its parts do not fit together.
    #[error("this path file is damaged ({reason}); make the path again")]
    Damaged {
        /// What does not fit.
        reason: String,
    },
}

/// Why a path ended where it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The end was reached.
    Target,
    /// No solution exists further on.
    Infeasible,
    /// The objective has no minimum further on.
    Unbounded,
    /// The solution grows without limit.
    Diverges,
    /// `--max-events`.
    MaxEvents,
    /// `--max-seconds`.
    MaxSeconds,
    /// Ctrl-C.
    Interrupted,
    /// An error of the engine.
    Error,
}

impl StopReason {
    /// Where nothing but the engine and whoever interrupts it ends a path.
    pub fn of(stop: &Stop<f64>) -> Self {
        match stop {
            Stop::Target => StopReason::Target,
            Stop::Infeasible { .. } => StopReason::Infeasible,
            Stop::Unbounded { .. } => StopReason::Unbounded,
            Stop::Diverges { .. } => StopReason::Diverges,
            Stop::EventLimit { .. } => StopReason::MaxEvents,
            Stop::Asked { .. } => StopReason::Interrupted,
        }
    }
}

/// What both kinds of kept files say of their problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The problem and its data.
    pub spec: Spec,
    /// The files that it was read from by their options, the main one first.
    pub sources: Vec<(String, String)>,
    /// The columns of its rows.
    pub columns: Columns,
}

/// A path with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathFile {
    /// [`FORMAT_VERSION`].
    pub format: u32,
    /// The problem.
    pub kept: Kept,
    /// The parameter that varies.
    pub vary: Vary,
    /// Why the path ended.
    pub stop: StopReason,
    /// The path.
    pub path: Path<f64>,
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Kept {
    /// Of a description.
    pub fn new(spec: Spec, sources: Vec<(String, String)>, columns: Columns) -> Self {
        Kept { program: PathFile::program(), spec, sources, columns }
    }

    /// What is known of the problem.
    ///
    /// # Errors
    /// A problem that this program does not have.
    pub fn entry(&self) -> Result<&'static Entry, PathFileFault> {
        let name = &self.spec.problem;
        registry::find(name).ok_or_else(|| damaged(format!("no problem is called {name}")))
    }

    /// The main file.
    pub fn source(&self) -> &str {
        self.sources.first().map_or("", |(_, file)| file)
    }

    /// The number of rows, or what stands for it.
    pub fn rows(&self) -> usize {
        self.spec.rows.response.len()
    }

    /// The names of the features, if they have names.
    pub fn feature_names(&self) -> Option<&[String]> {
        self.spec.names.as_deref()
    }

    /// Whether the problem is linear in its features.
    pub fn is_linear(&self) -> bool {
        self.spec.kernel == KernelKind::Linear
    }

    /// Whether the parts fit together.
    ///
    /// # Errors
    /// [`PathFileFault::Damaged`] names the part.
    pub fn check(&self) -> Result<(), PathFileFault> {
        let spec = &self.spec;
        let data = self.entry()?.data;
        let with_features = !matches!(data, Data::Signal | Data::Tables);
        let (n, d) = (spec.rows.response.len(), if with_features { self.columns.count() } else { 0 });
        let rows = if with_features { n } else { 0 };
        let agrees = [
            ("rows of features", spec.rows.features.rows(), rows),
            ("feature columns", spec.rows.features.columns(), d),
            ("case weights", spec.rows.weights.as_ref().map_or(n, Vec::len), n),
            ("feature names", spec.names.as_ref().map_or(d, Vec::len), d),
        ];
        if let Some((what, found, expected)) = agrees.into_iter().find(|(_, found, expected)| found != expected) {
            return Err(damaged(format!("{found} {what}, {expected} expected")));
        }
        let features = [spec.rows.features.as_ref()].into_iter().chain(spec.tables.values().map(|table| &table.values));
        if let Some(violation) = features.flat_map(|features| features.violations()).next() {
            return Err(damaged(violation.to_string()));
        }
        let names = |table: &pathqp_adapters::spec::Table| table.names.as_ref().map(Vec::len);
        let wrong = |table: &&pathqp_adapters::spec::Table| names(table).is_some_and(|n| n != table.values.columns());
        if spec.tables.values().any(|table| wrong(&table)) {
            return Err(damaged("names of a table's columns".into()));
        }
        if spec.kernel.to_string().parse() != Ok(spec.kernel) {
            return Err(damaged(format!("the kernel {}", spec.kernel)));
        }
        Ok(())
    }
}

impl PathFile {
    /// The name and version that this program writes.
    pub fn program() -> String {
        concat!("pathqp ", env!("CARGO_PKG_VERSION")).into()
    }

    /// The problem of a description, along the line of the path.
    ///
    /// # Errors
    /// As [`Posed::new`].
    pub fn pose(&self, spec: &Spec) -> Result<Posed, AdapterError> {
        let Vary { name, from, to } = &self.vary;
        let entry =
            registry::find(&spec.problem).ok_or_else(|| AdapterError::NoProblem { name: spec.problem.clone() })?;
        Posed::new(entry, spec, (name, Some(*from), Some(*to)), &Settings::default())
    }

    /// Whether it reached its end, or goes on to infinity.
    pub fn is_complete(&self) -> bool {
        self.stop == StopReason::Target || self.path.is_endless()
    }

    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        write(target, MAGIC, FORMAT_VERSION, self)
    }

    /// Reads a kept path, in either form, and poses its problem again.
    ///
    /// # Errors
    /// [`CliError::PathFile`].
    pub fn read(path: &FsPath) -> Result<(Self, Posed), CliError> {
        let read = || {
            let file: Self = decode(&load(path)?, MAGIC, FORMAT_VERSION)?;
            if file.format != FORMAT_VERSION {
                return Err(PathFileFault::Version { found: file.format });
            }
            file.kept.check()?;
            let posed = file.pose(&file.kept.spec).map_err(|error| damaged(error.to_string()))?;
            file.check_line(&posed)?;
            Ok((file, posed))
        };
        read().map_err(|fault| CliError::PathFile { file: path.display().to_string(), fault })
    }

    /// Whether the path is one of the problem, and lies on the line that the parameter says.
    fn check_line(&self, posed: &Posed) -> Result<(), PathFileFault> {
        const ROUNDING: f64 = 4.0 * f64::EPSILON;
        let (found, expected) = (self.path.n(), posed.line.n());
        if found != expected {
            return Err(damaged(format!("{found} variables of the path, {expected} expected")));
        }
        let Vary { name, from, to } = &self.vary;
        let (begin, target) = (posed.line.begin, posed.line.end.unwrap_or(f64::INFINITY));
        let near = |(found, expected): (&f64, &f64)| {
            (found - expected).abs().partial_cmp(&(ROUNDING * expected.abs().max(1.0)))
                == Some(std::cmp::Ordering::Less)
        };
        let on_line = |(t, value): (f64, f64)| {
            let (found, expected) = (self.path.parameter(&t), posed.axis.theta(value));
            found.len() == expected.len() && found.iter().zip(&expected).all(near)
        };
        let end = *self.path.end();
        let starts = self.path.segments().iter().map(|s| s.t);
        let inside = starts.chain([end]).all(|t| (begin..=target).contains(&t));
        let at_end = to.is_infinite() || on_line((target, *to));
        if !(on_line((begin, *from)) && at_end && inside) {
            return Err(damaged(format!("the path does not lie between {name} = {from} and {to}")));
        }
        Ok(())
    }
}

/// A file whose parts do not fit together.
pub fn damaged(reason: String) -> PathFileFault {
    PathFileFault::Damaged { reason }
}

/// Writes a value in the form that the file's name asks for.
///
/// # Errors
/// [`CliError::Write`].
pub fn write(target: &Target, magic: &[u8], version: u32, value: &impl Serialize) -> Result<(), CliError> {
    let json = target.given().extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    let bytes = if json { to_json(value) } else { seal(magic, version, value) };
    target.write(&bytes.map_err(|reason| target.error(std::io::Error::other(reason)))?)
}

/// What [`write`] wrote, in either form.
pub fn decode<T: DeserializeOwned>(bytes: &[u8], magic: &[u8], version: u32) -> Result<T, PathFileFault> {
    if let Some(rest) = bytes.strip_prefix(magic) {
        unseal(version, rest)
    } else if bytes.is_empty() {
        Err(PathFileFault::Empty)
    } else if bytes.trim_ascii_start().starts_with(b"{") {
        from_json(bytes, version)
    } else {
        Err(PathFileFault::Foreign)
    }
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut bytes = serde_json::to_vec(value).map_err(|e| e.to_string())?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The bytes of a file.
pub fn load(path: &FsPath) -> Result<Vec<u8>, PathFileFault> {
    fs::read(path).map_err(|cause| {
        if path.is_dir() {
            PathFileFault::Directory
        } else if cause.kind() == std::io::ErrorKind::NotFound {
            PathFileFault::Missing
        } else {
            PathFileFault::Unreadable { cause: cause.to_string() }
        }
    })
}

/// The first bytes, the version, the value in postcard's form and its checksum.
pub fn seal(magic: &[u8], version: u32, value: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut head = magic.to_vec();
    head.extend(version.to_le_bytes());
    let start = head.len();
    let mut bytes = postcard::to_extend(value, head).map_err(|e| e.to_string())?;
    let sum = checksum(bytes.get(start..).unwrap_or_default());
    bytes.extend(sum.to_le_bytes());
    Ok(bytes)
}

/// What [`seal`] wrote, after its first bytes.
pub fn unseal<T: DeserializeOwned>(version: u32, rest: &[u8]) -> Result<T, PathFileFault> {
    let (found, rest) = rest.split_first_chunk::<4>().ok_or(PathFileFault::Checksum)?;
    let (body, sum) = rest.split_last_chunk::<8>().ok_or(PathFileFault::Checksum)?;
    let found = u32::from_le_bytes(*found);
    if found != version {
        return Err(PathFileFault::Version { found });
    }
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err(PathFileFault::Checksum);
    }
    postcard::from_bytes(body).map_err(|error| damaged(error.to_string()))
}

fn from_json<T: DeserializeOwned>(bytes: &[u8], version: u32) -> Result<T, PathFileFault> {
    serde_json::from_slice(bytes).map_err(|error| match serde_json::from_slice::<Head>(bytes) {
        Ok(Head { format }) if format != version => PathFileFault::Version { found: format },
        _ => damaged(error.to_string()),
    })
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo; RFC 9923): every change of one byte changes it.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
