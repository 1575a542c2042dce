//! Standard output, standard error, and files that are written whole or not at all.

use crate::errors::CliError;
use crate::file::Format;
use pathqp_views::{Form, ViewError};
use serde::Serialize;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Prints to standard output.
///
/// # Errors
/// [`CliError::ReaderGone`] when nobody reads any more.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let done = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    done.map_err(|cause| match cause.kind() {
        ErrorKind::BrokenPipe => CliError::ReaderGone,
        _ => CliError::Stdout { cause },
    })
}

/// One line on stderr, whatever the message holds.
pub fn complain(message: &dyn fmt::Display) {
    let line: String = message.to_string().chars().flat_map(visible).collect();
    // Nothing can be done when stderr is closed.
    let _ = writeln!(io::stderr(), "pathqp: {line}");
}

/// A character, with control characters escaped.
fn visible(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

/// A file to be written, named by an option.
#[derive(Clone, Debug)]
pub struct Target {
    option: &'static str,
    /// As the option names it.
    given: PathBuf,
    path: PathBuf,
}

impl Target {
    /// A file that can be written: this is tried before any work starts. Links are followed.
    ///
    /// # Errors
    /// [`CliError::Write`], [`CliError::SameFile`] when it is one of the files that are read, and [`CliError::Ending`] of a figure.
    pub fn new(option: &'static str, path: &Path, reads: &[(&str, &Path)]) -> Result<Self, CliError> {
        let real = real(path);
        let same = |other: &Path| fs::canonicalize(other).is_ok_and(|other| other == real);
        if let Some((other, _)) = reads.iter().find(|(_, read)| same(read)) {
            let (file, other) = (path.display().to_string(), (*other).to_owned());
            return Err(CliError::SameFile { option, file, other });
        }
        if option.starts_with("--plot") {
            Form::of(path).map_err(|error| CliError::Ending { option, error })?;
        }
        let target = Target { option, given: path.to_path_buf(), path: real };
        if target.is_replaceable() {
            let temporary = target.temporary();
            let tried = target.refuse_folder().and_then(|()| create(&temporary));
            tried.and_then(|_| fs::remove_file(&temporary)).map_err(|cause| target.error(cause))?;
        }
        Ok(target)
    }

    /// The file, without links and detours.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its name asks for a table.
    pub fn is_table(&self) -> bool {
        self.given.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
    }

    /// The file as the option names it.
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// Writes the whole file: first under a temporary name in the same folder, then in its place.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn write(&self, bytes: &[u8]) -> Result<(), CliError> {
        let written = if self.is_replaceable() {
            let temporary = self.temporary();
            let done = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, &self.path));
            if done.is_err() {
                // The first error is the one to report.
                let _ = fs::remove_file(&temporary);
            }
            done
        } else {
            OpenOptions::new().write(true).open(&self.path).and_then(|mut file| file.write_all(bytes))
        };
        written.map_err(|cause| self.error(cause))
    }

    /// Writes a figure in the form that the file's name asks for.
    ///
    /// # Errors
    /// [`CliError::Plot`] and [`CliError::Write`].
    pub fn draw(&self, svg: Result<String, ViewError>) -> Result<(), CliError> {
        let cause = |error| match error {
            ViewError::Drawing { cause } => cause,
            error => error.to_string(),
        };
        let failed = |error| CliError::Plot { file: self.given.display().to_string(), cause: cause(error) };
        let drawn = svg.and_then(|svg| Form::of(&self.given)?.encode(svg));
        self.write(&drawn.map_err(failed)?)
    }

    /// Writes a value in one of the forms of a format, by the file's name.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn keep(&self, format: &Format, value: &impl Serialize) -> Result<(), CliError> {
        let bytes = format.encode(&self.given, value);
        self.write(&bytes.map_err(|reason| self.error(io::Error::other(reason)))?)
    }

    /// Whether it is a regular file or none yet; devices and pipes are written to in place.
    fn is_replaceable(&self) -> bool {
        fs::metadata(&self.path).map_or(true, |data| data.is_file() || data.is_dir())
    }

    fn refuse_folder(&self) -> io::Result<()> {
        let no_name = self.path.file_name().is_none();
        if no_name || self.path.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok(()) }
    }

    /// A name in the same folder that no other process uses.
    fn temporary(&self) -> PathBuf {
        let mut name = std::ffi::OsString::from(".");
        name.push(self.path.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        self.path.with_file_name(name)
    }

    /// The error of writing it.
    pub fn error(&self, cause: io::Error) -> CliError {
        CliError::Write { option: self.option, file: self.given.display().to_string(), cause }
    }
}

/// The file without links and detours; of one that does not exist yet, its folder.
fn real(path: &Path) -> PathBuf {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_path_buf())
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
