//! `pathqp check`: the certificate of a whole path, from the data.

use crate::args::CheckArgs;
use crate::certify::{self, TOLERANCE};
use crate::data::{Columns, read_signal, read_table};
use crate::errors::{CliError, Exit};
use crate::kept::{Kept, PathFile, StopReason};
use crate::output;
use crate::pose::{self, read_document, read_text};
use crate::report::{self, CheckReport, Gaps};
use pathqp_adapters::constraints;
use pathqp_adapters::dataset::{Row, read_bounded};
use pathqp_adapters::spec::{Data, Entry, Kind, Rows, Spec, Table};
use pathqp_views::certify::cores;
use pathqp_views::words::number;
use std::path::Path;
use std::time::Instant;

/// Reads the data again, compares them, and recomputes the certificate everywhere.
///
/// # Errors
/// Files that cannot be used; data that are not those of the path.
pub fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let (kept, _) = PathFile::read(&args.path)?;
    let spec = same_data(&kept.kept, &args.train)?;
    let source = [("train".to_owned(), args.train.display().to_string())];
    let posed = kept.pose(&spec).map_err(|error| pose::refused(&spec.problem, &source, error))?;
    let Some((from, reached)) = posed.covered(&kept.path) else {
        return Err(CliError::NothingKept { file: args.path.display().to_string() });
    };
    let places = certify::everywhere(&kept.path, args.points, args.seed);
    let mut residuals = certify::certify(&kept.path, &posed.line, &places, cores(), &|| true);
    residuals.bound = certify::gap_bounds(&kept.path, &posed.line, &|| true).bound;
    let unit = posed.gap_unit();
    let gaps = |tolerance: &f64| Gaps {
        gap_tolerance: tolerance * unit,
        max_gap_bound: residuals.bound * unit,
        max_gap: residuals.verdict.between * unit,
    };
    let report = CheckReport {
        problem: kept.kept.spec.problem.clone(),
        n: crate::report::rows(&kept.kept, &posed),
        d: crate::report::features(&kept.kept, &posed),
        vary: kept.vary.name.clone(),
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
    let text = certify::failure(&residuals.verdict, |t| super::place(&posed, &kept.path, t));
    let bound = || {
        let (worst, allowed) = report.gaps.map_or((0.0, 0.0), |g| (g.max_gap_bound.max(g.max_gap), g.gap_tolerance));
        format!("the bound on the duality gap is {worst:.1e}, above {}", number(allowed))
    };
    output::complain(&format_args!("the check fails: {}", text.unwrap_or_else(bound)));
    Ok(Exit::Failed)
}

/// The description with its data read again: rows and tables, which must be those that were kept.
///
/// # Errors
/// A file that cannot be used, or holds other data.
pub(super) fn same_data(kept: &Kept, train: &Path) -> Result<Spec, CliError> {
    let entry = kept.entry().map_err(|fault| CliError::Kept { file: train.display().to_string(), fault })?;
    let mut spec = kept.spec.clone();
    match entry.data {
        Data::Tables => {}
        Data::Signal => {
            let response = read_signal(train, &kept.columns.options)?;
            if response != spec.rows.response {
                return Err(other_data(train, kept.source()));
            }
            spec.rows.response = response;
        }
        kind => spec.rows = same_rows(&kept.columns, &spec.rows, kind, train)?,
    }
    for (k, (option, file)) in kept.sources.iter().enumerate() {
        let file = if k == 0 { train } else { Path::new(file) };
        if entry.option(option).is_some() {
            reread(&mut spec, entry, (option, kept.source()), file, &kept.columns)?;
        }
    }
    let same = spec.tables == kept.spec.tables && spec.numbers == kept.spec.numbers;
    if same { Ok(spec) } else { Err(other_data(train, kept.source())) }
}

fn other_data(file: &Path, source: &str) -> CliError {
    CliError::OtherData { file: file.display().to_string(), source_file: source.into() }
}

/// A table or a document, read again in place of what was kept.
fn reread(
    spec: &mut Spec,
    entry: &Entry,
    (option, source): (&str, &str),
    file: &Path,
    columns: &Columns,
) -> Result<(), CliError> {
    match entry.option(option).map(|option| option.kind) {
        // What is no such document is no data of the path.
        Some(Kind::Document) => read_document(spec, file).map_err(|error| match file.is_file() {
            true => other_data(file, source),
            false => error,
        }),
        Some(Kind::Text) => read_text(spec, entry, option, file),
        Some(Kind::Rows) => {
            constraints::describe(read_bounded(file)?, spec);
            Ok(())
        }
        kind => {
            let header = kind != Some(Kind::Table(false)) && !columns.options.no_header;
            let (values, names) = read_table(file, header)?;
            spec.tables.insert(option.into(), Table { names, values });
            Ok(())
        }
    }
}

/// The rows of a file, which must be those that were kept.
fn same_rows(columns: &Columns, kept: &Rows, kind: Data, file: &Path) -> Result<Rows, CliError> {
    let (rows, lines) = columns.reread(file, kind)?;
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
