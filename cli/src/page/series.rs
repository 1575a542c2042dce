//! The page of a table along a path: coefficients, a signal, portfolios, inputs.

use super::encode::{Column, digits, exact, whole};
use super::pieces::Certificates;
use super::{Fact, Head, even, file_name};
use crate::certify;
use crate::series_file::SeriesFile;
use serde::Serialize;

/// Numbers in all columns.
const BUDGET: usize = 800_000;

/// What the data of the page look like.
#[derive(Serialize)]
pub struct Page {
    kind: &'static str,
    #[serde(flatten)]
    head: Head,
    parameter: String,
    axis: String,
    /// Rising, one more than there are pieces.
    value: Column,
    names: Vec<String>,
    /// How many columns there are in all, and which are shown.
    of: usize,
    index: Column,
    columns: Vec<Column>,
    observed: Option<Column>,
    /// Variances in the middle of the pieces.
    middle: Option<Column>,
    certificate: Certificates,
    lower: Column,
    upper: Column,
    count: Column,
    /// The coefficients or weights that are not zero on every piece.
    nonzero: Option<Column>,
}

/// What kind of panels the problem has.
fn kind(problem: &str) -> &'static str {
    match problem {
        "trend-filtering" => "signal",
        "critical-line" => "portfolio",
        "mpc" => "control",
        _ => "coefficients",
    }
}

/// The table, rising, with two ends.
fn rising(file: &SeriesFile) -> SeriesFile {
    let mut file = file.clone();
    if file.values.len() == 1 {
        // A piece has two ends.
        let twice = |column: &mut Vec<f64>| column.extend_from_within(..);
        [&mut file.values].into_iter().chain(&mut file.columns).for_each(twice);
    }
    if file.values.last() < file.values.first() {
        file.values.reverse();
        file.columns.iter_mut().for_each(|column| column.reverse());
        file.middle.iter_mut().for_each(|middle| middle.reverse());
        file.counts.reverse();
        file.nonzero.iter_mut().for_each(|nonzero| nonzero.reverse());
        for pieces in [&mut file.kkt, &mut file.gap] {
            pieces.reverse();
            pieces.iter_mut().for_each(|ends| ends.reverse());
        }
    }
    file
}

/// The page with a part of the detail that there is.
pub fn page(file: &SeriesFile, detail: usize) -> Page {
    let file = rising(file);
    let kind = kind(&file.problem);
    let most = (BUDGET / detail / file.values.len().max(1)).max(10);
    // The last three columns of a portfolio are its return, variance and Sharpe ratio.
    let extra = if kind == "portfolio" { file.columns.len().min(3) } else { 0 };
    let first = file.columns.len() - extra;
    let index: Vec<usize> = even(first, most).into_iter().chain(first..file.columns.len()).collect();
    let certificate = Certificates::new(&file.kkt, &file.gap);
    let name = file_name(&file.source);
    let state = if file.complete { "complete" } else { "incomplete" };
    let mut facts: Vec<Fact> = vec![("data".into(), name.clone())];
    facts.extend(file.facts.iter().map(|(name, text)| (name.clone().into(), text.clone())));
    facts.push(("path".into(), format!("{} breakpoints, {} events, {state}", file.breakpoints, file.events)));
    facts.push(("certificate".into(), certify::sizes(certificate.worst)));
    Page {
        kind,
        head: Head { title: format!("{} on {name}", file.problem), program: file.program, facts },
        parameter: file.parameter,
        axis: file.axis,
        value: exact(&file.values),
        names: index.iter().map(|j| file.names[*j].clone()).collect(),
        of: first,
        columns: index.iter().map(|j| digits(&file.columns[*j])).collect(),
        observed: file.observed.map(|y| exact(&index.iter().map(|j| y[*j]).collect::<Vec<f64>>())),
        middle: file.middle.as_deref().map(digits),
        index: whole(index),
        certificate,
        lower: whole(file.counts.iter().map(|c| c[0])),
        upper: whole(file.counts.iter().map(|c| c[1])),
        count: whole(file.counts.iter().map(|c| c[2])),
        nonzero: file.nonzero.map(whole),
    }
}
