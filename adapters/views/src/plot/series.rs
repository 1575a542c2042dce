//! A figure of a table along a path: its largest columns against the parameter.

use super::curves::Curve;
use super::{Area, draw_legend, extent, fine, font, mesh, svg};
use super::{Drawn, FINE, INK, LEGEND, Line, MOST_NAMED, PALETTE, PANEL, Panel, TICKS, TITLE, WIDTH};
use crate::error::ViewError;
use crate::series::Series;
use plotters::prelude::*;

/// The most columns that are drawn.
const MOST_CURVES: usize = 50;

/// The figure as SVG text.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn draw(series: &Series, title: &str) -> Result<String, ViewError> {
    svg((WIDTH, TITLE + 2 * PANEL), |root| figure(root, series, title))
}

fn figure(root: &Area<'_>, series: &Series, title: &str) -> Drawn {
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    head.draw(&Text::new(title.to_owned(), (fine(20), fine(14)), font(22, &INK)))?;
    let panel = panel(series);
    let (plot, legend) = body.split_horizontally((WIDTH - LEGEND) * FINE);
    let ends = series.values.iter().filter(|v| v.is_finite());
    let (from, to) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    let (from, to) = if from < to { (from, to) } else { (0.0, 1.0) };
    let (low, high) = extent(&panel.lines);
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, font(15, &INK))
        .margin(fine(8))
        .margin_left(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(62))
        .build_cartesian_2d(from..to, low..high)?;
    mesh(&mut chart, [series.parameter.as_str(), panel.y_label], TICKS)?;
    for line in panel.lines.iter().rev() {
        let points = line.curve.simplified(high - low);
        chart.draw_series(LineSeries::new(points, line.colour.stroke_width(line.width)))?;
    }
    draw_legend(&legend, &panel)
}

/// The columns that are largest somewhere.
fn panel(series: &Series) -> Panel {
    let largest = |column: &[f64]| column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut order: Vec<(f64, usize)> = series.columns.iter().enumerate().map(|(j, c)| (largest(c), j)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.truncate(MOST_CURVES);
    let line = |(k, (&(_, j), colour)): (usize, (&(f64, usize), &RGBColor))| Line {
        curve: Curve {
            name: series.names[j].clone(),
            points: series.values.iter().copied().zip(series.columns[j].iter().copied()).collect(),
        },
        colour: *colour,
        width: if series.columns.len() <= MOST_NAMED { 6 } else { 4 },
        dashed: false,
        named: k < MOST_NAMED,
    };
    let lines = order.iter().zip(PALETTE.iter().cycle()).enumerate().map(line).collect();
    let (shown, d) = (order.len(), series.columns.len());
    let title = if shown < d { format!("the {shown} largest of {d}") } else { String::new() };
    Panel { title, y_label: series.axis, lines, note: (shown > MOST_NAMED).then_some("and smaller ones") }
}
