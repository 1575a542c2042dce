//! Figures of `pathqp tune`: λ*(τ), its loss, the loss over λ at some τ, and the quantiles of a single feature.

use super::{Area, Drawn, FINE, GREY, INK, PALETTE, PANEL, TICKS, TITLE, WIDTH, fine, font, mesh, short, svg};
use crate::error::ViewError;
use crate::words;
use pathqp::Settings;
use pathqp_adapters::bilevel::{BilevelPath, Fold, loss_curve, model_at};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::machine::KernelMachine;
use pathqp_adapters::{AdapterError, Bias, KernelProblem};
use plotters::prelude::*;
use serde::{Deserialize, Serialize};

/// Where curves over λ and quantiles are drawn, as parts of the range of τ.
pub(super) const PLACES: [f64; 5] = [0.0, 0.1875, 0.5, 0.8125, 1.0];

/// Points of a curve over λ or over x.
pub(super) const POINTS: usize = 240;

/// A figure of what was tuned, as the numbers that are drawn: it can be kept and drawn without the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    title: String,
    /// The size of the data and the model.
    under: String,
    panels: Vec<Panel>,
}

/// A panel with lines, and points below them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Panel {
    /// What is shown.
    pub title: String,
    /// Below the first axis.
    pub x_label: String,
    /// Beside the second.
    pub y_label: String,
    /// Lines, each of its own colour.
    pub lines: Vec<Line>,
    /// Points that are no line.
    pub points: Vec<(f64, f64)>,
}

impl Figure {
    /// The model is the rows, the kernel and the bias.
    pub(super) fn new(title: &str, (rows, kernel, bias): (&Features, KernelKind, Bias), panels: Vec<Panel>) -> Self {
        let (n, d, bias) = (rows.rows(), rows.columns(), words::bias_text(bias));
        let under = format!("n = {n}, d = {d}, {kernel} kernel, bias {bias}");
        Figure { title: title.into(), under, panels }
    }

    /// The figure as SVG text.
    ///
    /// # Errors
    /// [`ViewError::Drawing`].
    pub fn draw(&self) -> Result<String, ViewError> {
        svg((WIDTH, TITLE + PANEL * self.panels.len() as u32), |root| draw(root, self))
    }
}

/// λ*(τ) of kernel quantile regression, from all rows and from the folds, if there are any.
///
/// # Errors
/// [`AdapterError`] for fits that cannot be had.
pub fn figure(whole: &Kqr, folds: &[Fold], path: &BilevelPath, settings: &Settings) -> Result<Figure, AdapterError> {
    let panels = panels(whole, folds, path, settings)?;
    Ok(Figure::new("kernel quantile regression tuned", model(whole.machine()), panels))
}

/// Rows, kernel and bias of a machine.
pub(super) fn model(machine: &KernelMachine) -> (&Features, KernelKind, Bias) {
    (machine.features(), machine.kernel(), machine.bias())
}

/// A line's name, empty for none, and its points.
pub(super) type Line = (String, Vec<(f64, f64)>);

impl Panel {
    pub(super) fn new(title: &str, x_label: &str, y_label: &str, lines: Vec<Line>) -> Self {
        let [title, x_label, y_label] = [title, x_label, y_label].map(str::to_owned);
        Panel { title, x_label, y_label, lines, points: Vec::new() }
    }
}

fn panels(whole: &Kqr, folds: &[Fold], path: &BilevelPath, settings: &Settings) -> Result<Vec<Panel>, AdapterError> {
    let ends = path.pieces().first().zip(path.pieces().last());
    let [from, to] = ends.map_or([0.0, 1.0], |(first, last)| [first.vary[0], last.vary[1]]);
    let taus = PLACES.map(|part| from + (to - from) * part);
    let finite = path.pieces().iter().flat_map(|piece| piece.tuned).filter(|lambda| lambda.is_finite());
    let low = path.tuned_range()[0];
    let high = finite.fold(10.0 * low, f64::max) * 10.0;
    let mut best = Vec::new();
    let mut loss = Vec::new();
    for piece in path.pieces() {
        // Neither is a straight line between the ends: λ is affine and drawn as its logarithm, and the loss is a rational function.
        let inside = shares(piece.vary, to - from);
        for tau in [piece.vary[0]].into_iter().chain(inside).chain([piece.vary[1]]) {
            let Some(at) = piece.at(tau) else { continue };
            best.push((tau, at.tuned.min(high).log10()));
            loss.push((tau, at.loss));
        }
    }
    let mut curves = Vec::new();
    for tau in taus.iter().copied().filter(|_| !folds.is_empty()) {
        let curve = loss_curve(folds, tau, [low, high], POINTS, settings)?;
        curves.push((format!("tau = {}", short(tau)), curve.into_iter().map(|(l, v)| (l.log10(), v)).collect()));
    }
    let held = (!folds.is_empty()).then_some("loss of the best lambda on held-out rows");
    let mut panels = vec![
        Panel::new("the best lambda (at the upper edge: infinite)", "tau", "log10 lambda", vec![(String::new(), best)]),
        Panel::new(held.unwrap_or("criterion of the best lambda"), "tau", "loss", vec![(String::new(), loss)]),
    ];
    if !folds.is_empty() {
        panels.push(Panel::new("loss on held-out rows", "log10 lambda", "loss", curves));
    }
    if whole.machine().features().columns() == 1 {
        panels.push(fan(whole, path, &taus, settings)?);
    }
    Ok(panels)
}

/// Places inside a piece of an axis of some width, evenly spread: at least seven, and no further apart than one of [`POINTS`] parts of the axis.
pub(super) fn shares([from, to]: [f64; 2], width: f64) -> impl Iterator<Item = f64> {
    const LEAST: usize = 8;
    let part = ((to - from) / width).abs();
    let steps = if part.is_finite() { ((part * POINTS as f64).ceil() as usize).clamp(LEAST, POINTS) } else { LEAST };
    (1..steps).map(move |k| from + (to - from) * k as f64 / steps as f64)
}

/// The values of a single feature, and places over their range.
pub(super) fn single(features: &Features) -> (Vec<f64>, Vec<f64>) {
    let mut x = Vec::new();
    let mut row = [0.0];
    for i in 0..features.rows() {
        features.dense_row(i, &mut row);
        x.push(row[0]);
    }
    let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let places = (0..POINTS).map(|k| low + (high - low) * k as f64 / (POINTS - 1) as f64).collect();
    (x, places)
}

/// The quantiles of a single feature (Rosset 2008, Figures 3 and 4).
fn fan(whole: &Kqr, path: &BilevelPath, taus: &[f64], settings: &Settings) -> Result<Panel, AdapterError> {
    let (x, places) = single(whole.machine().features());
    let rows = Features::Dense { rows: POINTS, columns: 1, values: places.clone() };
    let mut lines = Vec::new();
    for &tau in taus {
        let Some(best) = path.at(tau) else { continue };
        let model = model_at(whole, tau, best.tuned, settings)?;
        let values = whole.decision(&model, &rows);
        let name = format!("tau = {}, lambda = {}", short(tau), short(best.tuned));
        lines.push((name, places.iter().copied().zip(values).collect()));
    }
    let points = x.into_iter().zip(whole.responses().iter().copied()).collect();
    Ok(Panel { points, ..Panel::new("quantiles at the best lambda", "x", "y", lines) })
}

fn draw(root: &Area<'_>, figure: &Figure) -> Drawn {
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    head.draw(&Text::new(figure.title.clone(), (fine(20), fine(14)), font(22, &INK)))?;
    head.draw(&Text::new(figure.under.clone(), (fine(20), fine(42)), font(14, &GREY)))?;
    for (area, panel) in body.split_evenly((figure.panels.len(), 1)).iter().zip(&figure.panels) {
        draw_panel(area, panel)?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Drawn {
    const NAMES: u32 = 230;
    let (plot, legend) = area.split_horizontally((WIDTH - NAMES) * FINE);
    let all = || panel.lines.iter().flat_map(|line| &line.1).chain(&panel.points);
    let span = |values: &mut dyn Iterator<Item = f64>| {
        let finite = values.filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low < high { (low, high) } else { (low.min(0.0), low.max(0.0) + 1.0) }
    };
    let (left, right) = span(&mut all().map(|p| p.0));
    let (low, high) = span(&mut all().map(|p| p.1));
    let room = 0.05 * (high - low);
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, font(15, &INK))
        .margin(fine(8))
        .margin_left(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(62))
        .build_cartesian_2d(left..right, low - room..high + room)?;
    mesh(&mut chart, [&panel.x_label, &panel.y_label], TICKS)?;
    chart.draw_series(panel.points.iter().map(|p| Circle::new(*p, fine(2), GREY.filled())))?;
    let mut y = 42;
    for ((name, points), colour) in panel.lines.iter().zip(PALETTE.iter().cycle()) {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(6)))?;
        if !name.is_empty() {
            legend.draw(&PathElement::new(vec![(0, fine(y)), (fine(24), fine(y))], colour.stroke_width(2 * FINE)))?;
            legend.draw(&Text::new(name.clone(), (fine(32), fine(y - 6)), font(13, &INK)))?;
            y += 20;
        }
    }
    Ok(())
}
