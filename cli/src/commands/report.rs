//! `pathqp report`: a page on which a kept path or map is explored.

use super::check;
use crate::args::ReportArgs;
use crate::certify;
use crate::errors::{CliError, Exit};
use crate::kept::{self, Kept, MapFile, PathFile, Read, RegionsFile};
use crate::output::{self, Target};
use crate::progress::SharedBar;
use crate::report;
use pathqp::certificate::Verdict;
use pathqp_adapters::plane::Plane;
use pathqp_adapters::run::Posed;
use pathqp_adapters::spec::Data;
use pathqp_views::ViewError;
use pathqp_views::certify::sizes;
use pathqp_views::page::{self, Labelled, Made};
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

/// Reads what was kept and the data, and writes the page.
///
/// # Errors
/// Files that cannot be used; data that are not those of the path or map.
pub fn run(args: &ReportArgs) -> Result<Exit, CliError> {
    let began = Instant::now();
    let mut reads = vec![("the path", args.kept.as_path()), ("--train", args.train.as_path())];
    reads.extend(args.test.as_deref().map(|file| ("--test", file)));
    let target = Target::new("--out", &args.out, &reads)?;
    let (kind, made) = match kept::read(&args.kept)? {
        Read::Path(kept, posed) => ("path", of_path(args, &kept, &posed)?),
        Read::Map(kept, plane) => ("map", of_map(args, &kept, &plane)?),
        Read::Regions(..) => return Err(RegionsFile::is_no_map(&args.kept)),
    };
    target.write(made.text.as_bytes())?;
    let summary = Report {
        page: args.out.display().to_string(),
        kind,
        bytes: made.text.len(),
        max_kkt_residual: made.worst[0],
        max_relative_gap: made.worst[1],
        seconds: began.elapsed().as_secs_f64(),
    };
    let [residual, gap] = made.worst;
    let verdict = Verdict { residual, gap, ..Verdict::default() };
    let rows = [
        ("page", summary.page.clone()),
        ("of", format!("a {kind}: {}", args.kept.display())),
        ("size", format!("{:.2} MB", summary.bytes as f64 / 1e6)),
        ("certificate", format!("{}: {}", certify::text(&verdict), sizes(made.worst))),
        ("seconds", format!("{:.3}", summary.seconds)),
    ];
    output::print(&if args.json { report::json(&summary) } else { format!("report\n{}", report::table(&rows)) })?;
    let Some(text) = certify::failure(&verdict, |_| "its worst place".into()) else { return Ok(Exit::Done) };
    output::complain(&format_args!("the certificate fails: {text}"));
    Ok(Exit::Failed)
}

fn of_path(args: &ReportArgs, kept: &PathFile, posed: &Posed) -> Result<Made, CliError> {
    check::same_data(&kept.kept, &args.train)?;
    let test = test(args, &kept.kept)?;
    let bar = SharedBar::new("certificates");
    let made = page::of_path(kept.view(posed), test, &|begun, of| bar.show(begun, of));
    made.map_err(|error| match error {
        ViewError::Nothing => CliError::NothingKept { file: args.kept.display().to_string() },
        ViewError::Adapter(error) => super::unsaid(&kept.kept, error),
        error => error.into(),
    })
}

fn of_map(args: &ReportArgs, kept: &MapFile, plane: &Plane) -> Result<Made, CliError> {
    check::same_data(&kept.kept, &args.train)?;
    Ok(page::of_map(kept.view(plane), test(args, &kept.kept)?)?)
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
