//! Figures of ROC curves and of the lines that were followed for them.

use super::{Area, Drawn, FINE, INK, PALETTE, TICKS, fine, font, mesh, short, svg};
use crate::error::ViewError;
use crate::words::{file_name, rounded};
use pathqp_adapters::roc::Roc;
use plotters::prelude::*;
use plotters::series::DashedLineSeries;

/// The width and the height of a figure, in pixels.
const SIZE: (u32, u32) = (640, 660);

/// A polyline with its name and its style: the lengths of dashes and gaps in pixels, or a plain line.
struct Shown {
    name: String,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    dashes: Option<(i32, i32)>,
}

/// What both figures are called: the data and the model, and C₊ + C₋ of the first line.
pub fn title(source: &str, (kernel, bias): (&str, &str), sum: f64) -> String {
    format!("{}: {kernel} kernel, bias {bias}, C₊ + C₋ = {}", file_name(source), rounded(sum))
}

/// The curves varying the intercept (dotted), the asymmetry (plain) and both (dashed), and the envelope over all lines.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn curves(curves: [&[[f64; 2]]; 4], title: &str) -> Result<String, ViewError> {
    let styles = [
        ("varying intercept", PALETTE[0], Some((2, 4))),
        ("varying asymmetry", PALETTE[1], None),
        ("varying both", PALETTE[2], Some((9, 5))),
        ("both, all lines", INK, Some((4, 3))),
    ];
    let shown = curves.into_iter().zip(styles).map(|(curve, (name, colour, dashes))| {
        let points = curve.iter().map(|p| (p[0], p[1])).collect();
        Shown { name: name.into(), points, colour, dashes }
    });
    let frame = Frame { title, axes: ["FPR", "TPR"], end: 1.0, mark: None, legend: 380 };
    figure(&shown.collect::<Vec<_>>(), &frame)
}

/// The balanced line, the lines of constant sum, and the point where the first of them began.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn lines(roc: &Roc, title: &str) -> Result<String, ViewError> {
    let largest = roc.lines.iter().map(|line| line.sum).fold(0.0, f64::max);
    // The balanced line, as far as the largest sum.
    let [a, b] = roc.costs;
    let end = (a * largest / (a + b), b * largest / (a + b));
    let mut shown =
        vec![Shown {
            name: "n₊C₊ = n₋C₋".into(), points: vec![(0.0, 0.0), end], colour: INK, dashes: Some((6, 4))
        }];
    shown.extend(roc.lines.iter().zip(PALETTE.iter().cycle()).map(|(line, colour)| Shown {
        name: format!("C₊ + C₋ = {}", short(line.sum)),
        points: vec![(0.0, line.sum), (line.sum, 0.0)],
        colour: *colour,
        dashes: None,
    }));
    let frame = Frame { title, axes: ["C₊", "C₋"], end: 1.05 * largest, mark: Some((a, b)), legend: 70 };
    figure(&shown, &frame)
}

/// What a figure has besides its lines.
struct Frame<'a> {
    title: &'a str,
    axes: [&'static str; 2],
    /// Both axes run from 0 to this.
    end: f64,
    mark: Option<(f64, f64)>,
    /// The height of the legend's first line, in pixels from the top.
    legend: i32,
}

fn figure(shown: &[Shown], frame: &Frame<'_>) -> Result<String, ViewError> {
    svg(SIZE, |root| draw(root, shown, frame))
}

fn draw(root: &Area<'_>, shown: &[Shown], frame: &Frame<'_>) -> Drawn {
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(root)
        .caption(frame.title, font(15, &INK))
        .margin(fine(12))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(58))
        .build_cartesian_2d(0.0..frame.end, 0.0..frame.end)?;
    mesh(&mut chart, frame.axes, TICKS)?;
    for (k, line) in shown.iter().enumerate() {
        let style = line.colour.stroke_width(2 * FINE);
        let points = line.points.iter().copied();
        match line.dashes {
            Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(points, fine(dash), fine(gap), style))?,
            None => chart.draw_series(LineSeries::new(points, style))?,
        };
        let y = frame.legend + 20 * k as i32;
        let key = PathElement::new(vec![(fine(400), fine(y)), (fine(440), fine(y))], style);
        root.draw(&key)?;
        root.draw(&Text::new(line.name.clone(), (fine(450), fine(y - 6)), font(13, &INK)))?;
    }
    if let Some(point) = frame.mark {
        chart.draw_series([Circle::new(point, fine(4), INK.filled())])?;
    }
    Ok(())
}
