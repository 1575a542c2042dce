//! `pathqp report`: a page on which a kept path or map is explored.

use super::check;
use crate::args::ReportArgs;
use crate::certify;
use crate::errors::{CliError, Exit};
use crate::kept::{self, Kept, MapFile, PathFile, Read, RegionsFile};
use crate::output::{self, Target};
use crate::page::{self, Fact, control, machine, map, rows::Labelled, series};
use crate::plane::Plane;
use crate::pose::Machine;
use crate::report;
use pathqp::certificate::Verdict;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Data;
use serde::Serialize;
use std::path::Path as FsPath;
use std::time::Instant;

/// JSON of `report`.
#[derive(Serialize)]
struct Report {
    page: String,
    kind: &'static str,
    bytes: usize,
    max_kkt_residual: f64,
    max_relative_gap: f64,
    seconds: f64,
}

/// A page, and what it says of itself.
pub struct Made {
    kind: &'static str,
    /// The page.
    pub text: String,
    /// The largest KKT residual and the largest relative gap.
    worst: [f64; 2],
}

/// Reads what was kept and the data, and writes the page.
///
/// # Errors
/// Files that cannot be used; data that are not those of the path or map.
pub fn run(args: &ReportArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let mut reads = vec![("the path", args.kept.as_path()), ("--train", args.train.as_path())];
    reads.extend(args.test.as_deref().map(|file| ("--test", file)));
    let target = Target::new("--out", &args.out, &reads)?;
    let made = match kept::read(&args.kept)? {
        Read::Path(kept, posed) => of_kept(args, &kept, &posed)?,
        Read::Map(kept, plane) => of_map(args, &kept, &plane)?,
        Read::Regions(..) => return Err(RegionsFile::is_no_map(&args.kept)),
    };
    target.write(made.text.as_bytes())?;
    let summary = Report {
        page: args.out.display().to_string(),
        kind: made.kind,
        bytes: made.text.len(),
        max_kkt_residual: made.worst[0],
        max_relative_gap: made.worst[1],
        seconds: began.elapsed().as_secs_f64(),
    };
    let [residual, gap] = made.worst;
    let verdict = Verdict { residual, gap, ..Verdict::default() };
    let rows = [
        ("page", summary.page.clone()),
        ("of", format!("a {}: {}", made.kind, args.kept.display())),
        ("size", format!("{:.2} MB", summary.bytes as f64 / 1e6)),
        ("certificate", format!("{}: {}", certify::text(&verdict), certify::sizes(made.worst))),
        ("seconds", format!("{:.3}", summary.seconds)),
    ];
    output::print(&if args.json { report::json(&summary) } else { format!("report\n{}", report::table(&rows)) })?;
    let Some(text) = certify::failure(&verdict, |_| "its worst place".into()) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

/// The text of a page, if it is small enough.
fn text(
    title: &str,
    pieces: (usize, &'static str),
    page: Result<Option<String>, serde_json::Error>,
) -> Result<String, CliError> {
    let (count, what) = pieces;
    let page = page.map_err(|error| CliError::Write {
        option: "--out",
        file: title.into(),
        cause: std::io::Error::other(error),
    })?;
    page.ok_or_else(|| CliError::TooLargeForPage { title: title.into(), count, what })
}

fn of_kept(args: &ReportArgs, kept: &PathFile, posed: &Posed) -> Result<Made, CliError> {
    check::same_data(&kept.kept, &args.train)?;
    let test = test(args, &kept.kept)?;
    of_path(&args.kept.display().to_string(), kept, posed, test)
}

/// The page of a path; `file` is what it is called where nothing is in it.
///
/// # Errors
/// [`CliError::NothingKept`], [`CliError::TooLargeForPage`], and what the problem cannot say of its path.
pub fn of_path(file: &str, kept: &PathFile, posed: &Posed, test: Option<Labelled>) -> Result<Made, CliError> {
    let empty = || CliError::NothingKept { file: file.into() };
    if kept.path.segments().is_empty() {
        return Err(empty());
    }
    let (title, count) = (machine::title(kept), kept.path.segments().len());
    let Some(posed) = Machine::of(posed) else { return of_series(kept, posed) };
    if kept.path.end() == kept.path.begin() && !kept.path.is_endless() {
        return Err(empty());
    }
    let prepared = machine::Prepared::new(kept, posed, test);
    let text = text(&title, (count, "pieces"), page::fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { kind: "path", text, worst: prepared.worst() })
}

fn of_series(kept: &PathFile, posed: &Posed) -> Result<Made, CliError> {
    let facts = super::facts(kept, posed)?;
    let facts: Vec<Fact> = facts.into_iter().filter_map(|fact| fact.text).map(|(w, text)| (w.into(), text)).collect();
    let prepared = series::Prepared::new(kept, posed, facts);
    let title = machine::title(kept);
    let pieces = (prepared.pieces(), "pieces");
    let text = text(&title, pieces, page::fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { kind: "path", text, worst: prepared.worst() })
}

fn of_map(args: &ReportArgs, kept: &MapFile, plane: &Plane) -> Result<Made, CliError> {
    check::same_data(&kept.kept, &args.train)?;
    let test = test(args, &kept.kept)?;
    let (title, count, what) = (map::title(kept), kept.complex.regions().len(), "regions");
    if plane.kernel().is_none() {
        let (page, worst) = control::page(kept, plane);
        let made = page::html(&title, &page).map(|text| (text.len() <= page::LIMIT).then_some(text));
        return Ok(Made { kind: "map", text: text(&title, (count, what), made)?, worst });
    }
    let prepared = map::Prepared::new(kept, plane, test);
    let prepared = prepared.ok_or_else(|| CliError::TooLargeForPage { title: title.clone(), count, what })?;
    let text = text(&title, (count, what), page::fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { kind: "map", text, worst: prepared.worst() })
}

/// The rows of --test.
fn test(args: &ReportArgs, kept: &Kept) -> Result<Option<Labelled>, CliError> {
    let Some(file) = &args.test else { return Ok(None) };
    let unused = |reason| CliError::Meaningless { option: "--test", reason };
    match kept.entry().map(|entry| (entry.data, entry.kernel)) {
        Ok((Data::Features, _)) => Err(unused("has no response to be compared here")),
        Ok((_, true)) => kept.columns.read_labelled(file as &FsPath).map(Some),
        _ => Err(unused("is only for problems with a kernel")),
    }
}
