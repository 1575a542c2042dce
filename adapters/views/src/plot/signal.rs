//! The figure of a fitted signal: what was observed, and the fits at a few values of the parameter.

use super::curves::Curve;
use super::{Area, Drawn, FINE, GREY, INK, LEGEND, Line, PALETTE, PANEL, Panel, TICKS, TITLE, WIDTH};
use super::{draw_legend, extent, fine, font, mesh, short, svg};
use crate::error::ViewError;
use crate::series::Series;
use plotters::prelude::*;

/// The fits that are drawn, by the part of the path's breakpoints that lie before each.
const PARTS: [f64; 4] = [0.5, 0.8, 0.95, 1.0];

/// The figure as SVG text.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn draw(series: &Series, (places, observed): (&[f64], &[f64]), title: &str) -> Result<String, ViewError> {
    let panel = panel(series, places);
    svg((WIDTH, TITLE + 2 * PANEL), |root| figure(root, &panel, (places, observed), title))
}

fn figure(root: &Area<'_>, panel: &Panel, (places, observed): (&[f64], &[f64]), title: &str) -> Drawn {
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    head.draw(&Text::new(title.to_owned(), (fine(20), fine(14)), font(22, &INK)))?;
    let (plot, legend) = body.split_horizontally((WIDTH - LEGEND) * FINE);
    let dots: Vec<(f64, f64)> = places.iter().copied().zip(observed.iter().copied()).collect();
    let ends = |of: &dyn Fn(&(f64, f64)) -> f64| {
        dots.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let (from, to) = ends(&|dot| dot.0);
    let (from, to) = if from < to { (from, to) } else { (from - 1.0, from + 1.0) };
    let ((low, high), (least, most)) = (extent(&panel.lines), ends(&|dot| dot.1));
    let room = 0.05 * (most - least);
    let mut chart = ChartBuilder::on(&plot)
        .margin(fine(8))
        .margin_left(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(62))
        .build_cartesian_2d(from..to, low.min(least - room)..high.max(most + room))?;
    mesh(&mut chart, ["place", panel.y_label], TICKS)?;
    chart.draw_series(dots.iter().map(|dot| Circle::new(*dot, fine(2), GREY.filled())))?;
    for line in &panel.lines {
        let points = line.curve.points.iter().copied();
        chart.draw_series(LineSeries::new(points, line.colour.stroke_width(line.width)))?;
    }
    draw_legend(&legend, panel)
}

/// Three significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// The fits, each with its value of the parameter.
fn panel(series: &Series, places: &[f64]) -> Panel {
    let last = series.values.len().saturating_sub(1);
    let mut rows: Vec<usize> = PARTS.iter().map(|part| (part * last as f64) as usize).collect();
    rows.dedup();
    let line = |(row, colour): (&usize, &RGBColor)| {
        let value = series.values.get(*row).copied().unwrap_or(f64::NAN);
        let fitted = series.columns.iter().map(|column| column.get(*row).copied().unwrap_or(f64::NAN));
        Line {
            curve: Curve {
                name: format!("{} = {}", series.parameter, short(rounded(value))),
                points: places.iter().copied().zip(fitted).filter(|point| point.1.is_finite()).collect(),
            },
            colour: *colour,
            width: 6,
            dashed: false,
            named: true,
        }
    };
    let lines = rows.iter().zip(PALETTE.iter()).map(line).collect();
    Panel { title: String::new(), y_label: series.axis, lines, note: Some("dots: the data") }
}
