//! Kept weights: what `pathqp moments --out` writes and `pathqp predict` reads.
//!
//! A file in the forms of [`crate::file`], with `kind` "linear" in JSON.

use crate::args::MomentsObjective;
use crate::data::Columns;
use crate::errors::CliError;
use crate::file::{Format, damaged, load};
use crate::output::Target;
use pathqp_adapters::dataset::Features;
use pathqp_views::program;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The format of kept weights.
const LINEAR: Format = Format { magic: b"PATHQL\0", version: 2, name: "file of weights" };

/// A linear classifier f(x) = wᵀx + constant, with what is needed to apply it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearFile {
    /// [`Kind::Linear`].
    pub kind: Kind,
    /// The version of the format.
    pub format: u32,
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

/// The field by which a file is told.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "kind")]
    _kind: Kind,
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
            format: LINEAR.version,
            program: program(),
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
        target.keep(&LINEAR, self)
    }

    /// Reads kept weights; none when the file is something else, or cannot be read at all.
    ///
    /// # Errors
    /// [`CliError::Kept`] for weights that are damaged.
    pub fn read(path: &Path) -> Result<Option<Self>, CliError> {
        let Ok(bytes) = load(path) else {
            return Ok(None);
        };
        if !bytes.starts_with(LINEAR.magic) && serde_json::from_slice::<Head>(&bytes).is_err() {
            return Ok(None);
        }
        let refused = |fault| CliError::Kept { file: path.display().to_string(), fault };
        let model: Self = LINEAR.decode(&bytes).map_err(refused)?;
        LINEAR.check_version(model.format).map_err(refused)?;
        let (found, d) = (model.w.len(), model.columns.count());
        if found != d || model.columns.feature_names.as_ref().is_some_and(|names| names.len() != d) {
            return Err(refused(damaged(format!("{found} weights for {d} feature columns"))));
        }
        Ok(Some(model))
    }
}
