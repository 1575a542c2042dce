//! A figure of asymmetries: the classes, the testing against the training asymmetry, and the ROC curve, one row a loss.

use super::{Area, Drawn, FINE, GREY, INK, PALETTE, fine, font, mesh, short, svg};
use crate::error::ViewError;
use crate::words::number;
use pathqp_moments::theory::{Loss, Mixture, Model, RocPoint};
use plotters::prelude::*;
use plotters::series::DashedLineSeries;

/// The ROC curve of one loss.
pub struct LossCurve {
    /// The loss.
    pub loss: Loss,
    /// A or Ã.
    pub a: f64,
    /// Training asymmetries, increasing, and their points.
    pub points: Vec<(f64, RocPoint)>,
}

/// The side of a panel and the height of the title, in pixels.
const SIDE: u32 = 330;
const TITLE: u32 = 50;

/// The false positives that the panel around (0, 0) shows.
const CORNER: f64 = 0.01;

type Points = Vec<(f64, f64)>;

/// A polyline with a colour, dashed or not.
struct Stroke {
    points: Points,
    colour: RGBColor,
    dashed: bool,
}

/// The figure as SVG text; `name` is that of the mixtures.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn draw(model: &Model, curves: &[LossCurve], name: &str) -> Result<String, ViewError> {
    let plane = model.columns() == 2;
    let panels = if plane { 4 } else { 3 };
    let size = (SIDE * panels, TITLE + SIDE * curves.len() as u32);
    svg(size, |root| figure(root, model, curves, name, plane))
}

fn figure(root: &Area<'_>, model: &Model, curves: &[LossCurve], name: &str, plane: bool) -> Drawn {
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    let text = format!("training and testing asymmetry of {name}, P(y = +1) = {}", number(model.prior()));
    head.draw(&Text::new(text, (fine(20), fine(14)), font(20, &INK)))?;
    for (row, curve) in body.split_evenly((curves.len(), 1)).iter().zip(curves) {
        let areas = row.split_evenly((1, if plane { 4 } else { 3 }));
        let curves = match areas.split_first() {
            Some((first, rest)) if plane => {
                classes(first, model)?;
                rest
            }
            _ => areas.as_slice(),
        };
        let [beta, whole, corner] = curves else { continue };
        draw_curve(beta, whole, corner, curve)?;
    }
    Ok(())
}

fn draw_curve(beta: &Area<'_>, whole: &Area<'_>, corner: &Area<'_>, curve: &LossCurve) -> Drawn {
    let (name, letter) = match curve.loss {
        Loss::Square => ("square loss", "A"),
        Loss::Erf => ("erf loss", "Ã"),
    };
    let colour = PALETTE[if curve.loss == Loss::Square { 0 } else { 1 }];
    let testing: Points = curve.points.iter().filter_map(|(gamma, p)| Some((*gamma, p.beta?))).collect();
    let diagonal = |end: f64| Stroke { points: vec![(0.0, 0.0), (end, end)], colour: GREY, dashed: true };
    let line = |points| Stroke { points, colour, dashed: false };
    let roc = |most: f64| {
        let points = curve.points.iter().map(|(_, p)| (p.fpr, p.tpr));
        points.filter(|p| p.0 <= most).collect::<Points>()
    };
    let title = format!("{name}, {letter} = {}", short(curve.a));
    panel(
        beta,
        &title,
        ["training asymmetry γ", "testing asymmetry β"],
        [(0.0, 1.0); 2],
        &[diagonal(1.0), line(testing)],
    )?;
    panel(
        whole,
        "ROC curve",
        ["false positive rate u", "true positive rate v"],
        [(0.0, 1.0); 2],
        &[diagonal(1.0), line(roc(1.0))],
    )?;
    let near = roc(CORNER);
    let height = near.iter().map(|p| p.1).fold(CORNER, f64::max);
    let strokes = [diagonal(CORNER), line(near)];
    panel(
        corner,
        "ROC curve around (0, 0)",
        ["false positive rate u", "true positive rate v"],
        [(0.0, CORNER), (0.0, height)],
        &strokes,
    )
}

/// Ellipses of one standard deviation, of both classes.
fn classes(area: &Area<'_>, model: &Model) -> Drawn {
    let mut strokes = Vec::new();
    for (class, colour) in [(model.positive(), PALETTE[2]), (model.negative(), PALETTE[4])] {
        strokes.extend(ellipses(class).into_iter().map(|points| Stroke { points, colour, dashed: false }));
    }
    let all = || strokes.iter().flat_map(|s| &s.points);
    let extent = |values: Vec<f64>| {
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        ((low + high) / 2.0, (high - low) / 2.0)
    };
    let (x, half_x) = extent(all().map(|p| p.0).collect());
    let (y, half_y) = extent(all().map(|p| p.1).collect());
    // One scale for both axes.
    let half = 1.1 * half_x.max(half_y);
    let ranges = [(x - half, x + half), (y - half, y + half)];
    panel(area, "classes (+1 red, −1 green)", ["x₁", "x₂"], ranges, &strokes)
}

/// One ellipse a component: μ + L(cos, sin) with LLᵀ the covariance.
fn ellipses(class: &Mixture) -> Vec<Points> {
    class
        .components_in_plane()
        .into_iter()
        .map(|([x, y], [a, b, c])| {
            let (l, m) = (a.sqrt(), b / a.sqrt());
            let n = (c - m * m).max(0.0).sqrt();
            let at = |k: i32| {
                let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / 90.0).sin_cos();
                (x + l * cosine, y + m * cosine + n * sine)
            };
            (0..=90).map(at).collect()
        })
        .collect()
}

fn panel(area: &Area<'_>, title: &str, axes: [&str; 2], ranges: [(f64, f64); 2], strokes: &[Stroke]) -> Drawn {
    let [x, y] = ranges;
    let mut chart = ChartBuilder::on(area)
        .caption(title, font(15, &INK))
        .margin(fine(8))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(52))
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    mesh(&mut chart, axes, 6)?;
    for stroke in strokes {
        let style = stroke.colour.stroke_width(if stroke.dashed { 3 } else { 7 });
        let points = stroke.points.iter().copied();
        if stroke.dashed {
            chart.draw_series(DashedLineSeries::new(points, fine(5), fine(4), style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    Ok(())
}
