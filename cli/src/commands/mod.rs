//! One module a command, and what several of them do.

pub mod at;
pub mod check;
pub mod locate;
pub mod map;
pub mod moments;
pub mod path;
pub mod predict;
pub mod regions;
pub mod report;
pub mod roc;
pub mod solve;
pub mod theory;
pub mod tune;
mod tune_classifier;

use crate::args::ProblemArgs;
use crate::errors::CliError;
use crate::kept::{Kept, PathFile};
use crate::output::Target;
use crate::pose;
use pathqp::{Certificate, Path, Point};
use pathqp_adapters::AdapterError;
use pathqp_adapters::problem::Solution;
use pathqp_adapters::run::Posed;
use pathqp_views::words::number;
use std::path::{Path as FsPath, PathBuf};

/// A value of the parameter and the solution there.
struct Located {
    value: f64,
    point: Point<f64>,
}

impl Located {
    /// The certificate of the solution.
    fn certificate(&self, posed: &Posed) -> Certificate<f64> {
        Certificate::of(&posed.line, &self.point)
    }

    /// The solution in the problem's own terms.
    fn solution(&self, posed: &Posed) -> Solution {
        posed.solution(self.value, &self.point, &self.certificate(posed))
    }
}

/// The solutions at values of the parameter. A value that lies outside by rounding alone is taken for the end.
///
/// # Errors
/// A value outside the path.
fn locate(kept: &PathFile, posed: &Posed, file: &FsPath, values: &[f64]) -> Result<Vec<Located>, CliError> {
    let at = |&value: &f64| {
        let point = posed.locate(&kept.path, value).map_err(|error| off_path(error, &file.display().to_string()))?;
        Ok(Located { value, point })
    };
    values.iter().map(at).collect()
}

/// A value outside a path, in the words of its option.
fn off_path(error: AdapterError, file: &str) -> CliError {
    let file = file.to_owned();
    match error {
        AdapterError::OffPath { name, value, from, to } => CliError::ParamOutside { value, file, name, from, to },
        AdapterError::NoSegments => CliError::NothingKept { file },
        error => CliError::Model { file, error },
    }
}

/// What a problem cannot say of its path, in the words of the files that it was read from.
fn unsaid(kept: &Kept, error: AdapterError) -> CliError {
    pose::refused(&kept.spec.problem, &kept.sources, error)
}

/// A position of a path in words.
fn place(posed: &Posed, path: &Path<f64>, t: f64) -> String {
    format!("{} = {}", posed.vary.name, number(posed.value(path, t)))
}

/// The files that a problem is read from, with their options.
fn reads(problem: &ProblemArgs) -> Vec<(String, &FsPath)> {
    problem.files().into_iter().map(|(name, file)| (format!("--{name}"), file)).collect()
}

/// Files to be written, none of which may be one of those that are read, or the same as another one.
///
/// # Errors
/// As [`Target::new`]; [`CliError::SameFile`].
fn targets<const N: usize>(
    written: [(&'static str, &Option<PathBuf>); N],
    reads: &[(String, &FsPath)],
) -> Result<[Option<Target>; N], CliError> {
    let reads: Vec<(&str, &FsPath)> = reads.iter().map(|(option, file)| (option.as_str(), *file)).collect();
    let mut made: [Option<Target>; N] = [const { None }; N];
    for k in 0..N {
        let (option, file) = written[k];
        let Some(target) = file.as_deref().map(|file| Target::new(option, file, &reads)).transpose()? else { continue };
        let same = |other: &Option<Target>| other.as_ref().is_some_and(|other| other.path() == target.path());
        if let Some(j) = made[..k].iter().position(same) {
            let file = target.given().display().to_string();
            return Err(CliError::SameFile { option, file, other: written[j].0.into() });
        }
        made[k] = Some(target);
    }
    Ok(made)
}
