//! The page of a table along a path: coefficients, a signal, portfolios, inputs.

use super::encode::{Column, digits, exact, whole};
use super::pieces::Certificates;
use super::{Fact, Head, even};
use crate::certify;
use crate::path::PathView;
use crate::series::{Pieces, Series};
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
    /// The places of what was observed.
    places: Option<Column>,
    /// Variances in the middle of the pieces.
    middle: Option<Column>,
    certificate: Certificates,
    lower: Column,
    upper: Column,
    count: Column,
    /// The coefficients or weights that are not zero on every piece.
    nonzero: Option<Column>,
}

/// What does not depend on the detail: the table, rising, with two ends.
pub struct Prepared<'a> {
    view: PathView<'a>,
    kind: &'static str,
    facts: Vec<Fact>,
    series: Series,
    pieces: Pieces,
}

impl<'a> Prepared<'a> {
    /// A path, and what its problem has to say of it.
    pub fn new(view: PathView<'a>, facts: Vec<Fact>) -> Self {
        let mut series = Series::drawn(view);
        let mut pieces = Pieces::new(view, &series.positions);
        if series.values.len() == 1 {
            // A piece has two ends.
            let twice = |column: &mut Vec<f64>| column.extend_from_within(..);
            [&mut series.values].into_iter().chain(&mut series.columns).for_each(twice);
        }
        if series.values.last() < series.values.first() {
            series.values.reverse();
            series.columns.iter_mut().for_each(|column| column.reverse());
            pieces.middle.iter_mut().for_each(|middle| middle.reverse());
            pieces.counts.reverse();
            pieces.nonzero.iter_mut().for_each(|nonzero| nonzero.reverse());
            for pieces in [&mut pieces.kkt, &mut pieces.gap] {
                pieces.reverse();
                pieces.iter_mut().for_each(|ends| ends.reverse());
            }
        }
        let kind = match view.posed.problem.view().name() {
            "values" => "coefficients",
            kind => kind,
        };
        Prepared { view, kind, facts, series, pieces }
    }

    /// The largest scaled KKT residual and the largest relative gap along the path.
    pub fn worst(&self) -> [f64; 2] {
        Certificates::new(&self.pieces.kkt, &self.pieces.gap).worst
    }

    /// The number of pieces.
    pub fn pieces(&self) -> usize {
        self.pieces.counts.len()
    }

    /// The page with a part of the detail that there is.
    pub fn page(&self, detail: usize) -> Page {
        let Prepared { view, kind, series, pieces, .. } = self;
        let PathView { about, path, .. } = view;
        let most = (BUDGET / detail / series.values.len().max(1)).max(10);
        // The last three columns of a portfolio are its return, variance and Sharpe ratio.
        let extra = if *kind == "portfolio" { series.columns.len().min(3) } else { 0 };
        let first = series.columns.len() - extra;
        let index: Vec<usize> = even(first, most).into_iter().chain(first..series.columns.len()).collect();
        let certificate = Certificates::new(&pieces.kkt, &pieces.gap);
        let state = if view.is_complete() { "complete" } else { "incomplete" };
        let mut facts: Vec<Fact> = vec![("data".into(), about.file())];
        facts.extend(self.facts.iter().cloned());
        let (breakpoints, events) = (path.breakpoints().len(), path.stats().events);
        facts.push(("path".into(), format!("{breakpoints} breakpoints, {events} events, {state}")));
        facts.push(("certificate".into(), certify::sizes(certificate.worst)));
        let of_shown = |y: &[f64]| exact(&index.iter().map(|j| y[*j]).collect::<Vec<f64>>());
        let [observed, places] = [0, 1].map(|part: usize| pieces.observed.as_ref().map(|both| of_shown(&both[part])));
        Page {
            kind,
            head: Head { title: about.title(), program: about.program.into(), facts },
            parameter: series.parameter.clone(),
            axis: series.axis.into(),
            value: exact(&series.values),
            names: index.iter().map(|j| series.names[*j].clone()).collect(),
            of: first,
            columns: index.iter().map(|j| digits(&series.columns[*j])).collect(),
            observed,
            places,
            middle: pieces.middle.as_deref().map(digits),
            index: whole(index),
            certificate,
            lower: whole(pieces.counts.iter().map(|c| c[0])),
            upper: whole(pieces.counts.iter().map(|c| c[1])),
            count: whole(pieces.counts.iter().map(|c| c[2])),
            nonzero: pieces.nonzero.clone().map(whole),
        }
    }
}
