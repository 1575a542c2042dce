//! Checkpoints of a long run, and going on from one.
//!
//! ```text
//! "PATHQPC"  version (u32, little-endian)  body (postcard)  FNV-1a of the body (u64, little-endian)
//! body: what was asked (problem, model, parameter), a checksum of the data, the follower's state
//! ```
//!
//! The file is replaced as a whole, so that there is a valid one whenever the process ends.

use crate::errors::CliError;
use crate::file::{FileFault, Format, checksum, load};
use crate::output::{self, Target};
use pathqp::Follower;
use pathqp::path::Checkpoint;
use pathqp_adapters::run::Vary;
use pathqp_adapters::spec::Spec;
use pathqp_views::program;
use serde::{Deserialize, Serialize};
use std::path::Path as FsPath;
use std::time::{Duration, Instant};

/// The format of checkpoints.
const CHECKPOINT: Format = Format { magic: b"PATHQPC", version: 5, name: "checkpoint" };

/// The pause after a checkpoint is at least so many times as long as it took.
const PAUSE: u32 = 20;

/// What a path was asked for: the description without its data, and a checksum of these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    program: String,
    spec: Spec,
    vary: Vary,
    data: u64,
}

impl Question {
    /// The question that a description and a parameter ask.
    pub fn new(spec: &Spec, vary: &Vary) -> Self {
        let mut spec = spec.clone();
        let data = (std::mem::take(&mut spec.rows), std::mem::take(&mut spec.tables), spec.names.take());
        let bytes = postcard::to_stdvec(&data).unwrap_or_default();
        Question { program: program(), spec, vary: vary.clone(), data: checksum(&bytes) }
    }

    /// In what the other one differs.
    fn difference(&self, other: &Question) -> Option<&'static str> {
        let parts = [
            (self.program == other.program, "another version of the program"),
            (self.spec.problem == other.spec.problem, "another problem"),
            (self.spec == other.spec, "another kernel or bias, or another value that does not vary (lambda, …)"),
            (self.vary == other.vary, "another parameter or other ends"),
            (self.data == other.data, "other data (or other scaling, weights or labels)"),
        ];
        parts.into_iter().find(|(same, _)| !same).map(|(_, what)| what)
    }
}

/// Reads the state to go on from.
///
/// # Errors
/// [`CliError::Checkpoint`]: a file that cannot be read or is damaged, or one of another question.
pub fn read(file: &FsPath, question: &Question) -> Result<Checkpoint<f64>, CliError> {
    let fault = |fault: FileFault| CliError::Checkpoint { file: file.display().to_string(), fault };
    let bytes = load(file).map_err(fault)?;
    let (kept, state): (Question, Checkpoint<f64>) = CHECKPOINT.unseal(&bytes).map_err(fault)?;
    match question.difference(&kept) {
        Some(what) => Err(CliError::OtherCheckpoint { file: file.display().to_string(), what }),
        None => Ok(state),
    }
}

/// Keeps checkpoints in a file.
pub struct Keeper {
    target: Target,
    question: Question,
    every: Duration,
    next: Instant,
}

impl Keeper {
    /// A checkpoint every so often.
    pub fn new(target: Target, question: Question, every: Duration) -> Self {
        Keeper { target, question, every, next: Instant::now() + every }
    }

    /// Keeps one if it is time. A file that cannot be written is reported and does not end the run.
    pub fn offer(&mut self, make: &dyn Fn() -> Checkpoint<f64>) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        if let Err(error) = self.keep(&make()) {
            output::complain(&error);
        }
        self.next = Instant::now() + self.every.max(PAUSE * now.elapsed());
    }

    /// Keeps the state in which a run was left.
    ///
    /// # Errors
    /// [`CliError::Write`].
    pub fn keep_last(&self, follower: &Follower<'_, f64>) -> Result<(), CliError> {
        self.keep(&follower.checkpoint())
    }

    fn keep(&self, checkpoint: &Checkpoint<f64>) -> Result<(), CliError> {
        let sealed = CHECKPOINT.seal(&(&self.question, checkpoint));
        self.target.write(&sealed.map_err(|reason| self.target.error(std::io::Error::other(reason)))?)
    }
}
