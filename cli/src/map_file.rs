//! Kept maps: the complex of critical regions with everything that is needed to use it, in the two forms of a path file (file.rs).

use crate::data::Columns;
use crate::errors::CliError;
use crate::file::{PathFileFault, check_rows, damaged, decode, load, write};
use crate::model::{Model, PoseError, Rows};
use crate::output::Target;
use crate::plane::Plane;
use crate::problem::Problem;
use crate::values::Domain;
use pathqp::Settings;
use pathqp::complex::Complex;
use pathqp_adapters::dataset::Features;
use serde::{Deserialize, Serialize};
use std::path::Path as FsPath;
use std::sync::Arc;

/// The version of the format, of JSON and binary alike.
pub const FORMAT_VERSION: u32 = 2;

/// The first bytes of a binary file.
const MAGIC: &[u8; 7] = b"PATHQPM";

/// A map with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapFile {
    /// [`FORMAT_VERSION`].
    pub format: u32,
    /// The program that wrote the file, with its version.
    pub program: String,
    /// The problem.
    pub problem: Problem,
    /// The model.
    pub model: Model,
    /// The ranges of both parameters.
    pub domain: Domain,
    /// The training file, as it was named.
    pub source: String,
    /// The columns of the training data.
    pub columns: Columns,
    /// The scaled features, n × d.
    pub features: Arc<Features>,
    /// n signs, +1 or −1, or n numbers.
    pub response: Vec<f64>,
    /// n case weights.
    pub weights: Option<Vec<f64>>,
    /// The complex.
    pub complex: Complex<f64>,
}

/// Whether bytes are those of a map, in either form.
pub fn is_map(bytes: &[u8]) -> bool {
    /// The field that only maps have.
    #[derive(Deserialize)]
    struct Head {
        #[serde(rename = "complex")]
        _complex: serde::de::IgnoredAny,
    }
    bytes.starts_with(MAGIC) || serde_json::from_slice::<Head>(bytes).is_ok()
}

impl MapFile {
    /// The rows that the problem is made from.
    pub fn rows(&self) -> Rows {
        Rows { features: self.features.clone(), response: self.response.clone(), weights: self.weights.clone() }
    }

    /// Writes the file in the form that its name asks for.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, target: &Target) -> Result<(), CliError> {
        write(target, MAGIC, FORMAT_VERSION, self)
    }

    /// Reads a kept map, in either form, and poses its problem again.
    ///
    /// # Errors
    /// [`CliError::MapFile`].
    pub fn read(path: &FsPath) -> Result<(Self, Plane), CliError> {
        let read = || {
            let kept: Self = decode(&load(path)?, MAGIC, FORMAT_VERSION)?;
            if kept.format != FORMAT_VERSION {
                return Err(PathFileFault::Version { found: kept.format });
            }
            check_rows(&kept.rows(), &kept.columns, &kept.model)?;
            let settings = Settings::default();
            let plane = Plane::new(kept.problem, &kept.rows(), &kept.model, &kept.domain, &settings);
            let plane = plane.map_err(|error| match error {
                PoseError::Adapter(error) => damaged(error.to_string()),
                PoseError::Options(error) => damaged(error.to_string()),
            })?;
            if !kept.complex.fits(&plane.qp) {
                return Err(damaged("the regions are of another problem or domain".into()));
            }
            Ok((kept, plane))
        };
        read().map_err(|fault| CliError::MapFile { file: path.display().to_string(), fault })
    }
}
