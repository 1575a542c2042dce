//! Kept maps: the complex of critical regions with everything that is needed to use it, in the two forms of a path file (file.rs).

use crate::errors::CliError;
use crate::file::{Kept, PathFileFault, damaged, decode, load, write};
use crate::output::Target;
use crate::plane::Plane;
use crate::values::Domain;
use pathqp::Settings;
use pathqp::complex::Complex;
use serde::{Deserialize, Serialize};
use std::path::Path as FsPath;

/// The version of the format, of JSON and binary alike.
pub const FORMAT_VERSION: u32 = 3;

/// The first bytes of a binary file.
const MAGIC: &[u8; 7] = b"PATHQPM";

/// A map with everything that is needed to use it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapFile {
    /// [`FORMAT_VERSION`].
    pub format: u32,
    /// The problem.
    pub kept: Kept,
    /// The ranges of both parameters.
    pub domain: Domain,
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
            kept.kept.check()?;
            let plane = Plane::new(kept.kept.entry()?, &kept.kept.spec, &kept.domain, &Settings::default());
            let plane = plane.map_err(|error| damaged(error.to_string()))?;
            if !kept.complex.fits(&plane.qp) {
                return Err(damaged("the regions are of another problem or domain".into()));
            }
            Ok((kept, plane))
        };
        read().map_err(|fault| CliError::MapFile { file: path.display().to_string(), fault })
    }
}
