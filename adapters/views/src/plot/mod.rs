//! Figures as SVG text, of paths ([`path`](path())), maps, ROC curves, tuned penalties and asymmetries.
//!
//! That of a kernel machine has weights, dual variables and rates against the parameter, one panel above the other.

pub mod asymmetry;
mod curves;
mod frontier;
pub mod map;
pub mod roc;
mod series;
mod signal;
pub mod theory;
pub mod tubes;
pub mod tuning;

use crate::error::ViewError;
use crate::path::{Machine, PathView};
use crate::series::{Series, observed_of};
use crate::words::{self, number};
use curves::Curve;
use pathqp::Path;
use pathqp_adapters::rates::RateCurve;
use pathqp_adapters::view::View;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::series::DashedLineSeries;

/// Units of the drawing a pixel: coordinates are whole numbers, and lines look better in between pixels.
const FINE: u32 = 4;

/// The width of a figure and the height of a panel, in pixels.
const WIDTH: u32 = 960;
const PANEL: u32 = 330;
/// The height of the title, and the width of the legends at the right.
const TITLE: u32 = 62;
const LEGEND: u32 = 170;

/// The most ticks of an axis.
const TICKS: usize = 11;

/// The largest number of curves that a legend names.
const MOST_NAMED: usize = 10;

/// Ten colours that can be told apart (the "Tableau 10" palette).
const PALETTE: [RGBColor; 10] = [
    RGBColor(0x4e, 0x79, 0xa7),
    RGBColor(0xf2, 0x8e, 0x2b),
    RGBColor(0xe1, 0x57, 0x59),
    RGBColor(0x76, 0xb7, 0xb2),
    RGBColor(0x59, 0xa1, 0x4f),
    RGBColor(0xed, 0xc9, 0x48),
    RGBColor(0xb0, 0x7a, 0xa1),
    RGBColor(0xff, 0x9d, 0xa7),
    RGBColor(0x9c, 0x75, 0x5f),
    RGBColor(0x8c, 0x8c, 0x8c),
];
const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const FAINT: RGBColor = RGBColor(0xe6, 0xe6, 0xe6);
const GREY: RGBColor = RGBColor(0x77, 0x77, 0x77);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// A chart with two axes of numbers.
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// One curve as it is drawn.
struct Line {
    curve: Curve,
    colour: RGBColor,
    /// In units of the drawing.
    width: u32,
    dashed: bool,
    /// Whether the legend names it.
    named: bool,
}

/// One panel.
struct Panel {
    title: String,
    y_label: &'static str,
    lines: Vec<Line>,
    /// A last line of the legend.
    note: Option<&'static str>,
}

/// The figure of a path as SVG text: weights, dual variables and, if they are given, the rates on test rows of a kernel machine; the frontier of
/// portfolios; a signal with its fits; the table of any other problem.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn path(view: PathView<'_>, rates: Option<&RateCurve>) -> Result<String, ViewError> {
    let PathView { about, posed, path, .. } = view;
    let title = format!("{} on {}", about.spec.problem, about.source);
    let Some(posed) = Machine::of(posed) else {
        return match posed.problem.view() {
            View::Portfolio(problem) => frontier::draw(problem, path, &title),
            view_of => match observed_of(view_of) {
                Some([observed, places]) => signal::draw(&Series::new(view), (&places, &observed), &title),
                None => series::draw(&Series::drawn(view), &title),
            },
        };
    };
    let panels = panels(view, posed, rates);
    svg((WIDTH, TITLE + PANEL * panels.len() as u32), |root| figure(root, view, posed, &panels))
}

/// A drawing of a size in pixels as SVG text.
fn svg((width, height): (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, ViewError> {
    let size = (width * FINE, height * FINE);
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let drawn = draw(&root).and_then(|()| Ok(root.present()?));
    drop(root);
    drawn.map_err(ViewError::drawing)?;
    Ok(svg.replacen(&dimensions(size.0, size.1), &dimensions(width, height), 1))
}

fn dimensions(width: u32, height: u32) -> String {
    format!("width=\"{width}\" height=\"{height}\"")
}

/// Pixels in units of the drawing.
fn fine(pixels: i32) -> i32 {
    pixels * FINE as i32
}

/// Text of a height in pixels.
fn font(size: u32, colour: &RGBColor) -> TextStyle<'static> {
    ("sans-serif", size * FINE).into_font().color(colour)
}

fn panels(view: PathView<'_>, posed: Machine<'_>, rates: Option<&RateCurve>) -> Vec<Panel> {
    let (about, path) = (view.about, view.path);
    let places = curves::places(path);
    // Coefficients that are divided by the parameter are no straight lines.
    let dense = if posed.problem.divisor(&posed.vary.name) > 0 { curves::dense_places(path) } else { places.clone() };
    let mut panels = Vec::new();
    if about.is_linear() {
        let (weights, bias) = curves::weights(view, posed, &dense);
        panels.push(weight_panel(about.features(), weights, bias));
    }
    panels.push(dual_panel(posed, curves::duals(view, posed, &places)));
    panels.extend(rates.map(rate_panel));
    panels
}

fn weight_panel(d: usize, weights: Vec<Curve>, bias: Option<Curve>) -> Panel {
    let shown = weights.len();
    let part = if shown < d { format!(" (the {shown} largest of {d})") } else { String::new() };
    let colours = PALETTE.iter().cycle();
    let few = shown <= MOST_NAMED;
    let weight = |(k, (curve, colour)): (usize, (Curve, &RGBColor))| Line {
        curve,
        colour: *colour,
        width: if few { 6 } else { 4 },
        dashed: false,
        named: k < MOST_NAMED,
    };
    let mut lines: Vec<Line> = weights.into_iter().zip(colours).enumerate().map(weight).collect();
    lines.extend(bias.map(|curve| Line { curve, colour: INK, width: 5, dashed: true, named: true }));
    let note = (shown > MOST_NAMED).then_some("and smaller ones");
    Panel { title: format!("weights{part}"), y_label: "w", lines, note }
}

fn dual_panel(posed: Machine<'_>, duals: curves::Duals) -> Panel {
    let mut lines = Vec::new();
    let shown: usize = duals.curves.iter().map(|(_, curves)| curves.len()).sum();
    for ((name, curves), colour) in duals.curves.into_iter().zip(PALETTE) {
        lines.extend(curves.into_iter().enumerate().map(|(k, curve)| Line {
            curve: Curve { name: name.into(), ..curve },
            colour,
            width: 3,
            dashed: false,
            named: k == 0,
        }));
    }
    lines.extend(duals.bounds.into_iter().enumerate().map(|(k, curve)| Line {
        curve: Curve { name: "bounds".into(), ..curve },
        colour: INK,
        width: 5,
        dashed: true,
        named: k == 0,
    }));
    let title = format!("dual variables ({shown} of the {} rows that are ever between their bounds)", duals.ever_free);
    Panel { title, y_label: posed.kernel.dual_unit().1, lines, note: None }
}

fn rate_panel(rates: &RateCurve) -> Panel {
    let colours = [PALETTE[0], PALETTE[1], INK];
    let line = |(curve, colour): (Curve, RGBColor)| Line { curve, colour, width: 6, dashed: false, named: true };
    Panel {
        title: "test rows".into(),
        y_label: "rate",
        lines: curves::rates(rates).into_iter().zip(colours).map(line).collect(),
        note: None,
    }
}

fn figure(root: &Area<'_>, view: PathView<'_>, posed: Machine<'_>, panels: &[Panel]) -> Drawn {
    let PathView { about, path, .. } = view;
    let spec = about.spec;
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(TITLE * FINE);
    let (n, d) = (about.rows(), about.features());
    let value = |(name, value): (&String, &f64)| {
        let name = if name == "lambda" { "λ" } else { name };
        format!(", {name} = {}", number(*value))
    };
    let fixed: String = spec.fixed.iter().map(value).collect();
    let model = format!("{} kernel, bias {}{fixed}", spec.kernel, words::bias_text(spec.bias));
    let points = if path.tolerance().is_some() { "stored points between the ends" } else { "breakpoints" };
    let under = format!("n = {n}, d = {d}, {model}; {} {points}", path.breakpoints().len());
    head.draw(&Text::new(about.title(), (fine(20), fine(14)), font(22, &INK)))?;
    head.draw(&Text::new(under, (fine(20), fine(42)), font(14, &GREY)))?;
    for (area, panel) in body.split_evenly((panels.len(), 1)).iter().zip(panels) {
        draw_panel(area, path, posed, panel)?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, path: &Path<f64>, posed: Machine<'_>, panel: &Panel) -> Drawn {
    let (plot, legend) = area.split_horizontally((WIDTH - LEGEND) * FINE);
    let (from, to) = (posed.vary.from, posed.vary.to);
    // A ray is shown as far as anything happens on it, and half as far again.
    let to = if to.is_finite() { to } else { posed.value(path, 1.5 * path.end().max(1.0)) };
    let (from, to) = (from.min(to), from.max(to));
    let (low, high) = extent(&panel.lines);
    let mut chart = ChartBuilder::on(&plot)
        .caption(&panel.title, font(15, &INK))
        .margin(fine(8))
        .margin_left(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(62))
        .build_cartesian_2d(from..to, low..high)?;
    mesh(&mut chart, [posed.vary.name.as_str(), panel.y_label], TICKS)?;
    // The first curves are the important ones: they are drawn last, above the others.
    for line in panel.lines.iter().rev() {
        let style = line.colour.stroke_width(line.width);
        let points = line.curve.simplified(high - low).into_iter();
        if line.dashed {
            chart.draw_series(DashedLineSeries::new(points, fine(5), fine(4), style))?;
        } else {
            chart.draw_series(LineSeries::new(points, style))?;
        }
    }
    draw_legend(&legend, panel)
}

/// Axes with their names, at most so many ticks each, and a faint grid. What is zero but for rounding is shown as zero.
fn mesh(chart: &mut Chart<'_, '_>, names: [&str; 2], ticks: usize) -> Drawn {
    let width = |range: std::ops::Range<f64>| 1e-9 * (range.end - range.start);
    let (x, y) = (width(chart.x_range()), width(chart.y_range()));
    let tick = |v: f64, zero: f64| short(if v.abs() < zero { 0.0 } else { v });
    chart
        .configure_mesh()
        .x_labels(ticks)
        .y_labels(ticks)
        .x_desc(names[0])
        .y_desc(names[1])
        .axis_desc_style(font(14, &INK))
        .label_style(font(13, &INK))
        .x_label_formatter(&|v| tick(*v, x))
        .y_label_formatter(&|v| tick(*v, y))
        .set_all_tick_mark_size(fine(4))
        .axis_style(GREY.stroke_width(FINE))
        .bold_line_style(FAINT.stroke_width(FINE))
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(())
}

fn draw_legend(area: &Area<'_>, panel: &Panel) -> Drawn {
    /// The longest name, in characters.
    const LONGEST: usize = 16;
    let mut y = 42;
    for line in panel.lines.iter().filter(|line| line.named) {
        let style = line.colour.stroke_width(2 * FINE);
        let pieces: &[(i32, i32)] = if line.dashed { &[(0, 6), (10, 16), (20, 24)] } else { &[(0, 24)] };
        for (a, b) in pieces {
            area.draw(&PathElement::new(vec![(fine(*a), fine(y)), (fine(*b), fine(y))], style))?;
        }
        let mut name: String = line.curve.name.chars().take(LONGEST).collect();
        if name.len() < line.curve.name.len() {
            name.push('…');
        }
        area.draw(&Text::new(name, (fine(32), fine(y - 6)), font(13, &INK)))?;
        y += 20;
    }
    if let Some(note) = panel.note {
        area.draw(&Text::new(note, (fine(32), fine(y - 6)), font(13, &GREY)))?;
    }
    Ok(())
}

/// The range of the values, with a little room.
fn extent(lines: &[Line]) -> (f64, f64) {
    let values = lines.iter().flat_map(|line| &line.curve.points).map(|p| p.1).filter(|v| v.is_finite());
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let room = 0.05 * (high - low);
    match high.partial_cmp(&low) {
        Some(std::cmp::Ordering::Greater) => (low - room, high + room),
        Some(std::cmp::Ordering::Equal) => (low - 1.0, high + 1.0),
        _ => (0.0, 1.0),
    }
}

/// A number of at most six significant digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let rounded = rounded + 0.0;
    if rounded != 0.0 && !(1e-4..1e6).contains(&rounded.abs()) { format!("{rounded:e}") } else { rounded.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = [0.1 + 0.2, -0.0, 1e-7, 1234567.0, -2.5].map(short);
        assert_eq!(labels, ["0.3", "0", "1e-7", "1.23457e6", "-2.5"]);
    }
}
