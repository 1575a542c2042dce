//! Files with a version and a checksum: JSON, or a compact binary form.
//!
//! ```text
//! binary:  7 bytes that tell the kind  version (u32, little-endian)  body (postcard)  FNV-1a of the body (u64,
//! little-endian)
//! JSON:    one object with the version as `format`; numbers are written so that they come back exactly
//! ```

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path as FsPath;
use thiserror::Error;

/// What can be wrong with a kept file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FileFault {
    /// It does not exist.
    #[error("no such file; check the path")]
    Missing,
    /// It is a directory.
    #[error("this is a directory; name a file in it")]
    Directory,
    /// It cannot be read.
    #[error("cannot be read ({cause}); check its permissions")]
    Unreadable {
        /// What the system says.
        cause: String,
    },
    /// It is empty.
    #[error("this file is empty; make it again")]
    Empty,
    /// It begins like neither form.
    #[error("this is not a {expected}")]
    Foreign {
        /// What was expected.
        expected: &'static str,
    },
    /// It keeps something else.
    #[error("this file holds {found}, and {expected} is needed; choose another file")]
    OtherKind {
        /// What it keeps.
        found: &'static str,
        /// What is needed.
        expected: &'static str,
    },
    /// It is of another version.
    #[error("its format is version {found}, and this program reads version {expected}; make it again")]
    Version {
        /// The version found.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// Bytes are missing or changed.
    #[error("this file is damaged or truncated (its checksum does not match); make it again")]
    Checksum,
    /// It cannot be decoded, or its parts do not fit together.
    #[error("this file is damaged ({reason}); make it again")]
    Damaged {
        /// What does not fit.
        reason: String,
    },
}

/// A format of files.
pub struct Format {
    /// The first bytes of the binary form.
    pub magic: &'static [u8; 7],
    /// The version that is written and read.
    pub version: u32,
    /// What such a file is.
    pub name: &'static str,
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

/// A file whose parts do not fit together.
pub fn damaged(reason: String) -> FileFault {
    FileFault::Damaged { reason }
}

/// The bytes of a file.
pub fn load(path: &FsPath) -> Result<Vec<u8>, FileFault> {
    fs::read(path).map_err(|cause| {
        if path.is_dir() {
            FileFault::Directory
        } else if cause.kind() == std::io::ErrorKind::NotFound {
            FileFault::Missing
        } else {
            FileFault::Unreadable { cause: cause.to_string() }
        }
    })
}

impl Format {
    /// A value in the form that the name of a file asks for.
    pub fn encode(&self, file: &FsPath, value: &impl Serialize) -> Result<Vec<u8>, String> {
        let json = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        if json { to_json(value) } else { self.seal(value) }
    }

    /// What [`Format::encode`] made, in either form.
    pub fn decode<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, FileFault> {
        if bytes.trim_ascii_start().starts_with(b"{") { self.decode_json(bytes) } else { self.unseal(bytes) }
    }

    /// The binary form.
    pub fn seal(&self, value: &impl Serialize) -> Result<Vec<u8>, String> {
        let mut head = self.magic.to_vec();
        head.extend(self.version.to_le_bytes());
        let start = head.len();
        let mut bytes = postcard::to_extend(value, head).map_err(|e| e.to_string())?;
        let sum = checksum(bytes.get(start..).unwrap_or_default());
        bytes.extend(sum.to_le_bytes());
        Ok(bytes)
    }

    /// What [`Format::seal`] made.
    pub fn unseal<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, FileFault> {
        if bytes.is_empty() {
            return Err(FileFault::Empty);
        }
        let rest = bytes.strip_prefix(self.magic).ok_or(FileFault::Foreign { expected: self.name })?;
        let (found, rest) = rest.split_first_chunk::<4>().ok_or(FileFault::Checksum)?;
        let (body, sum) = rest.split_last_chunk::<8>().ok_or(FileFault::Checksum)?;
        self.check_version(u32::from_le_bytes(*found))?;
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(FileFault::Checksum);
        }
        postcard::from_bytes(body).map_err(|error| damaged(error.to_string()))
    }

    /// The JSON form; its version first, so that a file of another one is not called damaged.
    fn decode_json<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T, FileFault> {
        let wrong = |error: serde_json::Error| damaged(error.to_string());
        let Head { format } = serde_json::from_slice(bytes).map_err(wrong)?;
        self.check_version(format)?;
        serde_json::from_slice(bytes).map_err(wrong)
    }

    /// # Errors
    /// [`FileFault::Version`].
    pub fn check_version(&self, found: u32) -> Result<(), FileFault> {
        match found == self.version {
            true => Ok(()),
            false => Err(FileFault::Version { found, expected: self.version }),
        }
    }
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let mut bytes = serde_json::to_vec(value).map_err(|e| e.to_string())?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo; RFC 9923): every change of one byte changes it.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
