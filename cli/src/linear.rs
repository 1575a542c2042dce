//! Kept weights: what `pathqp moments --out` writes and `pathqp predict` reads.
//!
//! ```text
//! binary:  "PATHQL\0"  version (u32, little-endian)  body (postcard)  FNV-1a of the body (u64, little-endian)
//! JSON:    one object with "kind": "linear"
//! ```

use crate::args::MomentsObjective;
use crate::data::Columns;
use crate::errors::CliError;
use crate::file::{PathFile, PathFileFault, load, seal, unseal};
use crate::output::Target;
use pathqp_adapters::dataset::Features;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the format, of JSON and binary alike.
const LINEAR_VERSION: u32 = 1;

/// The first bytes of a binary file.
const MAGIC: &[u8; 7] = b"PATHQL\0";

/// A linear classifier f(x) = wᵀx + constant, with what is needed to apply it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearFile {
    /// [`Kind::Linear`].
    pub kind: Kind,
    /// [`LINEAR_VERSION`].
    pub linear_format: u32,
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The training file, as it was named.
    pub source: String,
    /// The columns of the training data.
    pub columns: Columns,
    /// What was minimised.
    pub objective: MomentsObjective,
    /// The weight of the penalty.
    pub lambda: f64,
    /// The weights of the scaled features, length d.
    pub w: Vec<f64>,
    /// The constant.
    pub constant: f64,
}

/// What a JSON file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Weights.
    Linear,
}

/// The fields by which a file is told.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "kind")]
    _kind: Kind,
    linear_format: u32,
}

impl LinearFile {
    /// Weights to be kept.
    pub fn new(
        source: &Path,
        columns: Columns,
        (objective, lambda): (MomentsObjective, f64),
        (w, constant): (Vec<f64>, f64),
    ) -> Self {
        LinearFile {
            kind: Kind::Linear,
            linear_format: LINEAR_VERSION,
            program: PathFile::program(),
            source: source.display().to_string(),
            columns,
            objective,
            lambda,
            w,
            constant,
        }
    }

    /// f of every row of scaled features.
    pub fn scores(&self, rows: &Features) -> Vec<f64> {
        (0..rows.rows()).map(|i| rows.row(i).dot(&self.w) + self.constant).collect()
    }

    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        let json = target.given().extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        let bytes = match json {
            true => serde_json::to_vec(self)
                .map(|mut b| {
                    b.push(b'\n');
                    b
                })
                .map_err(|e| e.to_string()),
            false => seal(MAGIC, LINEAR_VERSION, self),
        };
        target.write(&bytes.map_err(|reason| target.error(std::io::Error::other(reason)))?)
    }

    /// Reads kept weights; none when the file is something else, or cannot be read at all.
    ///
    /// # Errors
    /// [`CliError::PathFile`] for weights that are damaged.
    pub fn read(path: &Path) -> Result<Option<Self>, CliError> {
        let Ok(bytes) = load(path) else {
            return Ok(None);
        };
        let refused = |fault| CliError::PathFile { file: path.display().to_string(), fault };
        let damaged = |reason: String| refused(PathFileFault::Damaged { reason });
        let model: Self = if let Some(rest) = bytes.strip_prefix(MAGIC) {
            unseal(LINEAR_VERSION, rest).map_err(refused)?
        } else if !bytes.trim_ascii_start().starts_with(b"{") {
            return Ok(None);
        } else {
            match serde_json::from_slice::<Head>(&bytes) {
                Ok(head) if head.linear_format == LINEAR_VERSION => {
                    serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?
                }
                Ok(head) => return Err(refused(PathFileFault::Version { found: head.linear_format })),
                Err(_) => return Ok(None),
            }
        };
        let (found, d) = (model.w.len(), model.columns.count());
        if found != d || model.columns.feature_names.as_ref().is_some_and(|names| names.len() != d) {
            return Err(damaged(format!("{found} weights for {d} feature columns")));
        }
        Ok(Some(model))
    }
}
