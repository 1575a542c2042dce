//! Kept tables: what `pathqp path` writes for the problems without a kernel where the name of `--out` ends in `.json`, and `pathqp report` reads.

use crate::errors::CliError;
use crate::file::{PathFile, PathFileFault, checksum, damaged, load};
use crate::output::Target;
use crate::series::{Followed, Series};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;

/// The version of the format.
const SERIES_VERSION: u32 = 1;

/// A table along a path, with the certificates of its pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesFile {
    /// [`Kind::Series`].
    pub kind: Kind,
    /// [`SERIES_VERSION`].
    pub series_format: u32,
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The problem.
    pub problem: String,
    /// The data file, as it was named.
    pub source: String,
    /// The FNV-1a checksum of its bytes, in hexadecimal.
    pub data: String,
    /// The parameter.
    pub parameter: String,
    /// What a column is called.
    pub axis: String,
    /// Facts for people.
    pub facts: Vec<(String, String)>,
    /// The values of the parameter, K + 1 in the order of the path; one, of a path that is one point.
    pub values: Vec<f64>,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The columns, K + 1 entries each. What is not a number is null.
    #[serde(deserialize_with = "columns")]
    pub columns: Vec<Vec<f64>>,
    /// What was observed of every column, if they are fitted values.
    pub observed: Option<Vec<f64>>,
    /// The variance in the middle of every piece, K entries, of a portfolio.
    pub middle: Option<Vec<f64>>,
    /// The scaled KKT residuals at the beginning, the middle and the end of every piece, K entries.
    pub kkt: Vec<[f64; 3]>,
    /// The relative duality gaps there.
    pub gap: Vec<[f64; 3]>,
    /// The variables at their lower bounds, at their upper ones and free, K entries.
    pub counts: Vec<[usize; 3]>,
    /// The coefficients or weights that are not zero, K entries, where they are counted.
    #[serde(default)]
    pub nonzero: Option<Vec<usize>>,
    /// Changes of the sign pattern.
    pub breakpoints: usize,
    /// Changes of the active set.
    pub events: usize,
    /// Whether the path reached its end.
    pub complete: bool,
}

/// Columns in which null stands for what is not a number.
fn columns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<f64>>, D::Error> {
    let read: Vec<Vec<Option<f64>>> = Vec::deserialize(deserializer)?;
    Ok(read.into_iter().map(|column| column.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect()).collect())
}

/// What the file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A table along a path.
    Series,
}

/// The fields by which a file is told.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "kind")]
    _kind: Kind,
    series_format: u32,
}

/// Whether the name of a file asks for this form.
pub fn is_asked_for(target: &Target) -> bool {
    target.given().extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

impl SeriesFile {
    /// A table with what was found along its path.
    ///
    /// # Errors
    /// Data that cannot be read a second time.
    pub fn new(
        followed: &Followed,
        series: &Series,
        (problem, source, facts): (&str, &Path, &[(String, String)]),
    ) -> Result<Self, CliError> {
        let [kkt, gap] = followed.certificates();
        Ok(SeriesFile {
            kind: Kind::Series,
            series_format: SERIES_VERSION,
            program: PathFile::program(),
            problem: problem.into(),
            source: source.display().to_string(),
            data: fingerprint(source)?,
            parameter: series.parameter.into(),
            axis: series.axis.into(),
            facts: facts.to_vec(),
            values: series.values.clone(),
            names: series.names.clone(),
            columns: series.columns.clone(),
            observed: series.observed.clone(),
            middle: series.middle.clone(),
            kkt,
            gap,
            counts: followed.counts(),
            nonzero: series.nonzero.clone(),
            breakpoints: followed.path.breakpoints().len(),
            events: followed.path.stats().events,
            complete: followed.path.is_complete() || followed.path.is_endless(),
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        let bytes = serde_json::to_vec(self).map_err(|error| target.error(std::io::Error::other(error)))?;
        target.write(&[bytes.as_slice(), b"\n"].concat())
    }

    /// What bytes hold; none when they are something else.
    ///
    /// # Errors
    /// A table of another version, or one whose parts do not fit together.
    pub fn decode(bytes: &[u8]) -> Option<Result<Self, PathFileFault>> {
        let head: Head = serde_json::from_slice(bytes).ok()?;
        if head.series_format != SERIES_VERSION {
            return Some(Err(PathFileFault::Version { found: head.series_format }));
        }
        let read = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()));
        Some(read.and_then(|file: SeriesFile| file.check().map(|()| file)))
    }

    /// K: a path that is one point is a piece without length.
    pub fn pieces(&self) -> usize {
        match self.values.len() {
            nodes @ ..=1 => nodes,
            nodes => nodes - 1,
        }
    }

    /// Whether the parts fit together.
    fn check(&self) -> Result<(), PathFileFault> {
        let (nodes, pieces) = (self.values.len(), self.pieces());
        let agrees = [
            ("columns", self.columns.len(), self.names.len()),
            ("residuals", self.kkt.len(), pieces),
            ("gaps", self.gap.len(), pieces),
            ("counts", self.counts.len(), pieces),
            ("coefficients that are not zero", self.nonzero.as_ref().map_or(pieces, Vec::len), pieces),
            ("variances", self.middle.as_ref().map_or(pieces, Vec::len), pieces),
            ("observed values", self.observed.as_ref().map_or(self.names.len(), Vec::len), self.names.len()),
        ];
        let column = self.columns.iter().map(|column| ("entries of a column", column.len(), nodes));
        match agrees.into_iter().chain(column).find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(damaged(format!("{found} {what}, {expected} expected"))),
            None => Ok(()),
        }
    }
}

/// The checksum of a file's bytes.
///
/// # Errors
/// A file that cannot be read.
pub fn fingerprint(file: &Path) -> Result<String, CliError> {
    let bytes = load(file).map_err(|fault| CliError::DataFile { file: file.display().to_string(), fault })?;
    Ok(format!("{:016x}", checksum(&bytes)))
}
