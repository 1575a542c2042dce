//! The figure of an efficient frontier: return against risk, the turning points, and the portfolio with the largest Sharpe ratio.

use super::curves::Curve;
use super::{Area, FINE, GREY, INK, LEGEND, Line, PALETTE, Panel, TITLE, WIDTH};
use super::{Drawn, draw_legend, extent, fine, font, mesh, short, svg};
use crate::error::ViewError;
use pathqp::Path;
use pathqp_adapters::critical_line::{CriticalLine, Portfolio};
use plotters::prelude::*;
use plotters::series::DashedLineSeries;

/// The height of the drawing below the title, in pixels.
const HEIGHT: u32 = 560;

/// The most ticks of an axis.
const TICKS: usize = 8;

/// A segment is a parabola in return and variance: so many points of it are drawn.
const STEPS: u32 = 24;

/// Positions along a path close enough together for a smooth curve.
fn places(path: &Path<f64>) -> Vec<f64> {
    let starts: Vec<f64> = path.segments().iter().map(|s| s.t).chain([*path.end()]).collect();
    let between = |pair: &[f64]| {
        let (a, b) = (pair.first().copied().unwrap_or(0.0), pair.last().copied().unwrap_or(0.0));
        (0..STEPS).map(move |k| a + (b - a) * f64::from(k) / f64::from(STEPS)).collect::<Vec<f64>>()
    };
    starts.windows(2).flat_map(between).chain([*path.end()]).collect()
}

/// The figure of a path as SVG text.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn draw(problem: &CriticalLine, path: &Path<f64>, title: &str) -> Result<String, ViewError> {
    let at = |t: &f64| problem.at(path, path.parameter(t).first().copied()?);
    let dense: Vec<Portfolio> = places(path).iter().filter_map(at).collect();
    let (turning, risk_free) = (problem.turning_points(path), problem.risk_free());
    let best = problem.max_sharpe(path, risk_free).portfolio;
    let size = (WIDTH, TITLE + HEIGHT);
    svg(size, |root| figure(root, (&turning, &dense), best.as_ref(), risk_free, title))
}

fn point(portfolio: &Portfolio) -> (f64, f64) {
    (portfolio.variance.max(0.0).sqrt(), portfolio.mean)
}

fn figure(
    root: &Area<'_>,
    (turning, dense): (&[Portfolio], &[Portfolio]),
    best: Option<&Portfolio>,
    risk_free: f64,
    title: &str,
) -> Drawn {
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    head.draw(&Text::new(title.to_owned(), (fine(20), fine(14)), font(22, &INK)))?;
    let sharpe = best.map_or(String::new(), |best| format!("; largest Sharpe ratio {}", short(best.sharpe(risk_free))));
    let under = format!("{} turning points{sharpe}", turning.len());
    head.draw(&Text::new(under, (fine(20), fine(42)), font(14, &GREY)))?;
    let frontier = Curve { name: "frontier".into(), points: dense.iter().map(point).collect() };
    let right = 1.05 * frontier.points.iter().map(|p| p.0).fold(0.0, f64::max);
    let right = if right > 0.0 { right } else { 1.0 };
    let named = |curve: Curve, colour: RGBColor, dashed: bool| Line { curve, colour, width: 7, dashed, named: true };
    let mut lines = vec![named(frontier, PALETTE[0], false)];
    // The tangent from the asset without risk.
    let slope = best.map(|best| best.sharpe(risk_free)).filter(|slope| slope.is_finite() && *slope > 0.0);
    let top = extent(&lines).1;
    lines.extend(slope.map(|slope| {
        let end = right.min((top - risk_free).max(0.0) / slope);
        let points = vec![(0.0, risk_free), (end, risk_free + slope * end)];
        named(Curve { name: "tangent".into(), points }, PALETTE[1], true)
    }));
    let (low, high) = extent(&lines);
    let (plot, legend) = body.split_horizontally((WIDTH - LEGEND) * FINE);
    let mut chart = ChartBuilder::on(&plot)
        .margin(fine(8))
        .margin_left(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(74))
        .build_cartesian_2d(0.0..right, low..high)?;
    mesh(&mut chart, ["risk (standard deviation)", "expected return"], TICKS)?;
    for line in &lines {
        let (style, points) = (line.colour.stroke_width(line.width), line.curve.points.iter().copied());
        if line.dashed {
            chart.draw_series(DashedLineSeries::new(points, fine(5), fine(4), style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    chart.draw_series(turning.iter().map(|p| Circle::new(point(p), fine(3), PALETTE[0].filled())))?;
    chart.draw_series(best.map(|p| Circle::new(point(p), fine(6), PALETTE[2].filled())))?;
    draw_legend(&legend, &Panel { title: String::new(), y_label: "", lines, note: Some("red: largest Sharpe") })?;
    Ok(())
}
