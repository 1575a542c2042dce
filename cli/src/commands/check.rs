//! `pathqp check`: the certificate of a whole path, from the data.

use crate::args::CheckArgs;
use crate::certify::{self, TOLERANCE};
use crate::data::Columns;
use crate::errors::{CliError, Exit};
use crate::file::{PathFile, StopReason};
use crate::model::{PoseError, Rows};
use crate::output;
use crate::problem::Problem;
use crate::report::{self, CheckReport, Gaps};
use crate::values::number;
use pathqp_adapters::dataset::Row;
use std::path::Path;
use std::time::Instant;

/// Reads the data again, compares them, and recomputes the certificate everywhere.
///
/// # Errors
/// Files that cannot be used; data that are not those of the path.
pub fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let (kept, _) = PathFile::read(&args.path)?;
    let rows = same_data(&kept.columns, &kept.rows(), kept.problem, &args.train)?;
    let posed = kept.pose(&rows).map_err(|error| match error {
        PoseError::Adapter(error) => CliError::Model { file: args.train.display().to_string(), error },
        PoseError::Options(error) => error,
    })?;
    let Some((from, reached)) = posed.covered(&kept.path) else {
        return Err(CliError::NothingKept { file: args.path.display().to_string() });
    };
    let places = certify::everywhere(&kept.path, args.points, args.seed);
    let mut residuals = certify::certify(&kept.path, &posed.line, &places, certify::cores(), &|| true);
    residuals.bound = certify::gap_bounds(&kept.path, &posed.line, &|| true).bound;
    let unit = posed.gap_unit();
    let gaps = |tolerance: &f64| Gaps {
        gap_tolerance: tolerance * unit,
        max_gap_bound: residuals.bound * unit,
        max_gap: residuals.verdict.between * unit,
    };
    let report = CheckReport {
        problem: kept.problem,
        n: kept.response.len(),
        d: kept.columns.count(),
        vary: kept.vary.name,
        from,
        reached,
        complete: kept.stop == StopReason::Target,
        breakpoints: kept.path.breakpoints().len(),
        segments: kept.path.segments().len(),
        points: residuals.verdict.points,
        random: args.points,
        max_kkt_residual: residuals.verdict.residual,
        max_relative_gap: residuals.verdict.gap,
        gaps: kept.path.tolerance().map(gaps),
        worst: posed.value(&kept.path, residuals.verdict.residual_at),
        tolerance: TOLERANCE,
        passed: residuals.pass() && residuals.gaps_pass(&kept.path),
        seconds: began.elapsed().as_secs_f64(),
    };
    output::print(&if args.json { report::json(&report) } else { report.table() })?;
    if report.passed {
        return Ok(Exit::Done);
    }
    let text = certify::failure(&residuals.verdict, |t| posed.place(&kept.path, t));
    let bound = || {
        let (worst, allowed) = report.gaps.map_or((0.0, 0.0), |g| (g.max_gap_bound.max(g.max_gap), g.gap_tolerance));
        format!("the bound on the duality gap is {worst:.1e}, above {}", number(allowed))
    };
    output::complain(&format_args!("the check fails: {}", text.unwrap_or_else(bound)));
    Ok(Exit::Failed)
}

/// The rows of a file, which must be those that were kept.
///
/// # Errors
/// A file that cannot be used, or holds other rows.
pub(super) fn same_data(columns: &Columns, kept: &Rows, problem: Problem, file: &Path) -> Result<Rows, CliError> {
    let response = problem.entry().response;
    let (rows, lines) = columns.reread(file, response)?;
    let response = if columns.classes.is_some() { "another label" } else { "another response" };
    compare(kept, &rows, response, &lines, file)?;
    Ok(rows)
}

/// Whether the rows of a file are those of the path.
fn compare(kept: &Rows, read: &Rows, response: &'static str, lines: &[usize], file: &Path) -> Result<(), CliError> {
    let file = || file.display().to_string();
    let (found, expected) = (read.response.len(), kept.response.len());
    if found != expected {
        return Err(CliError::OtherSize { file: file(), what: "rows", found, expected });
    }
    let weight = |rows: &Rows, i: usize| rows.weights.as_ref().and_then(|w| w.get(i).copied());
    for i in 0..expected {
        let what = if !same_row(kept.features.row(i), read.features.row(i)) {
            "other features"
        } else if kept.response.get(i) != read.response.get(i) {
            response
        } else if weight(kept, i) != weight(read, i) {
            "another weight"
        } else {
            continue;
        };
        let line = lines.get(i).copied().unwrap_or(i + 1);
        return Err(CliError::OtherRow { file: file(), line, row: i + 1, what });
    }
    Ok(())
}

/// Whether two rows hold the same values, however they are stored.
fn same_row(a: Row<'_>, b: Row<'_>) -> bool {
    let entries = |row: Row<'_>| {
        let mut entries = Vec::new();
        row.for_each(|j, value| {
            if value != 0.0 {
                entries.push((j, value));
            }
        });
        entries
    };
    entries(a) == entries(b)
}
