//! `pathqp report`: a page on which a kept path or map is explored.

use super::{check, mpc};
use crate::args::ReportArgs;
use crate::certify;
use crate::errors::{CliError, Exit};
use crate::file::{PathFile, damaged, load};
use crate::map_file::{self, MapFile};
use crate::output::{self, Target};
use crate::page::control::ControllerFile;
use crate::page::{self, machine, map, rows::Labelled, series};
use crate::problem::{Problem, Response};
use crate::report;
use crate::series_file::{SeriesFile, fingerprint};
use pathqp::Range;
use pathqp::certificate::Verdict;
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
struct Made {
    kind: &'static str,
    text: String,
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
    let fault = |fault| CliError::PathFile { file: args.kept.display().to_string(), fault };
    let bytes = load(&args.kept).map_err(fault)?;
    let made = match (SeriesFile::decode(&bytes), ControllerFile::decode(&bytes)) {
        (Some(file), _) => of_series(args, &file.map_err(fault)?, &target),
        (_, Some(file)) => of_controller(args, &file.map_err(fault)?, &target),
        _ if map_file::is_map(&bytes) => of_map(args, &target),
        _ => of_path(args, &target),
    }?;
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
    target: &Target,
    title: &str,
    pieces: (usize, &'static str),
    page: Result<Option<String>, serde_json::Error>,
) -> Result<String, CliError> {
    let (count, what) = pieces;
    let page = page.map_err(|error| target.error(std::io::Error::other(error)))?;
    page.ok_or_else(|| CliError::TooLargeForPage { title: title.into(), count, what })
}

fn of_path(args: &ReportArgs, target: &Target) -> Result<Made, CliError> {
    let (kept, posed) = PathFile::read(&args.kept)?;
    check::same_data(&kept.columns, &kept.rows(), kept.problem, &args.train)?;
    if kept.path.segments().is_empty() || *kept.path.end() == 0.0 && !kept.path.is_endless() {
        return Err(CliError::NothingKept { file: args.kept.display().to_string() });
    }
    let test = test(args, &kept.columns, kept.problem)?;
    let prepared = machine::Prepared::new(&kept, &posed, test);
    let (title, count) = (machine::title(&kept), kept.path.segments().len());
    let text = text(target, &title, (count, "pieces"), page::fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { kind: "path", text, worst: prepared.worst() })
}

fn of_map(args: &ReportArgs, target: &Target) -> Result<Made, CliError> {
    let (kept, plane) = MapFile::read(&args.kept)?;
    check::same_data(&kept.columns, &kept.rows(), kept.problem, &args.train)?;
    let test = test(args, &kept.columns, kept.problem)?;
    let (title, count, what) = (map::title(&kept), kept.complex.regions().len(), "regions");
    let prepared = map::Prepared::new(&kept, &plane, test);
    let prepared = prepared.ok_or_else(|| CliError::TooLargeForPage { title: title.clone(), count, what })?;
    let text = text(target, &title, (count, what), page::fit(&title, |detail| prepared.page(detail)))?;
    Ok(Made { kind: "map", text, worst: prepared.worst() })
}

/// What is kept without its data must be given those that it was made from, and no others.
fn same_file(args: &ReportArgs, data: &str, source: &str) -> Result<(), CliError> {
    if args.test.is_some() {
        return Err(CliError::Meaningless { option: "--test", reason: "has no use without a kernel machine" });
    }
    if fingerprint(&args.train)? != data {
        return Err(CliError::OtherData { file: args.train.display().to_string(), source_file: source.into() });
    }
    Ok(())
}

fn of_controller(args: &ReportArgs, file: &ControllerFile, target: &Target) -> Result<Made, CliError> {
    same_file(args, &file.data, &file.source)?;
    let plant = mpc::read(&args.train)?;
    let ranges = file.domain.map(|[from, to]| Range::new(from, to));
    let qp = plant.qp(ranges.to_vec());
    let qp = qp.map_err(|error| CliError::Model { file: args.train.display().to_string(), error })?;
    let fault = damaged("the regions are of another problem or domain".into());
    let damaged = || CliError::PathFile { file: args.kept.display().to_string(), fault };
    let (page, worst) = file.page(&qp, mpc::names(&plant, qp.n())).ok_or_else(damaged)?;
    let made = page::html(&file.title(), &page).map(|text| (text.len() <= page::LIMIT).then_some(text));
    Ok(Made { kind: "map", text: text(target, &file.title(), (file.regions(), "regions"), made)?, worst })
}

fn of_series(args: &ReportArgs, file: &SeriesFile, target: &Target) -> Result<Made, CliError> {
    same_file(args, &file.data, &file.source)?;
    let pieces = file.pieces();
    if pieces == 0 {
        return Err(CliError::NothingKept { file: args.kept.display().to_string() });
    }
    let largest = |of: &[[f64; 3]]| of.iter().flatten().fold(0.0, |m: f64, v| m.max(certify::number(*v)));
    let worst = [largest(&file.kkt), largest(&file.gap)];
    let title = format!("{} on {}", file.problem, page::file_name(&file.source));
    let text = text(target, &title, (pieces, "pieces"), page::fit(&title, |detail| series::page(file, detail)))?;
    Ok(Made { kind: "table", text, worst })
}

/// The rows of --test.
fn test(args: &ReportArgs, columns: &crate::data::Columns, problem: Problem) -> Result<Option<Labelled>, CliError> {
    let read = |file: &FsPath| {
        let response = problem.entry().response;
        match response {
            Response::None => {
                Err(CliError::Meaningless { option: "--test", reason: "has no response to be compared here" })
            }
            _ => columns.read_labelled(file),
        }
    };
    args.test.as_deref().map(read).transpose()
}
