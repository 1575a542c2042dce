//! The figure of a map: its regions in the plane, coloured by |F| or by the loss on test rows; or a dual variable as a surface over the
//! plane, one facet a region, which is exact because it is affine there.

use super::{Area, Drawn, FINE, GREY, INK, LEGEND, TICKS, TITLE, WIDTH, fine, font, mesh, short, svg};
use crate::error::ViewError;
use crate::map::MapView;
use crate::outline::outlines;
use crate::words;
use pathqp::complex::RegionId;
use pathqp_adapters::plane::Plane;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The height of the drawing below the title, in pixels.
const HEIGHT: u32 = 640;

/// Colours from low to high, equally spaced in between: dark blue to yellow, as bright as they are high.
const RAMP: [(f64, f64, f64); 5] =
    [(53.0, 42.0, 110.0), (45.0, 105.0, 142.0), (38.0, 158.0, 136.0), (122.0, 200.0, 88.0), (250.0, 228.0, 60.0)];

/// At most so many values have a patch of the legend each; more share a bar.
const MOST_PATCHES: usize = 14;

/// A surface's heights are read off so close to a corner, as a part of the way to the middle of its region: at the corner itself another
/// region might be asked.
const BESIDE: f64 = 1e-9;

/// A region as it is drawn.
struct Cell {
    corners: Vec<[f64; 2]>,
    /// Not a number where there is none.
    value: f64,
}

/// What the colours or heights mean.
struct Scale {
    label: String,
    low: f64,
    high: f64,
    whole: bool,
}

impl Scale {
    fn new(label: String, values: impl Iterator<Item = f64>, whole: bool) -> Self {
        let finite = values.filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        Scale { label, low, high, whole }
    }

    /// From 0 at the lowest to 1 at the highest value.
    fn share(&self, value: f64) -> f64 {
        if self.high > self.low { (value - self.low) / (self.high - self.low) } else { 0.5 }
    }

    fn colour(&self, value: f64) -> RGBColor {
        if value.is_finite() { ramp(self.share(value)) } else { WHITE }
    }
}

/// The colour at 0 ≤ s ≤ 1 of the ramp.
fn ramp(s: f64) -> RGBColor {
    let place = s.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let k = (place as usize).min(RAMP.len() - 2);
    let part = place - k as f64;
    let mix = |a: f64, b: f64| (a + (b - a) * part).round() as u8;
    match (RAMP.get(k), RAMP.get(k + 1)) {
        (Some(a), Some(b)) => RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2)),
        _ => WHITE,
    }
}

/// What the figure of a map shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shows<'a> {
    /// Regions by their number of free variables.
    Free,
    /// Regions by their loss on test rows, one number a region; not a number where there is none.
    Losses(&'a [f64]),
    /// The dual variable of a row, counted from zero, as a surface.
    Dual(usize),
}

/// The figure as SVG text.
///
/// # Errors
/// [`ViewError::Drawing`].
pub fn draw(map: MapView<'_>, shows: Shows<'_>) -> Result<String, ViewError> {
    let MapView { plane, complex, .. } = map;
    let (view, outlines) = outlines(map);
    let value = |region: RegionId| {
        let r = region.0 as usize;
        match shows {
            Shows::Free => complex.regions().get(r).map_or(f64::NAN, |region| region.free().count() as f64),
            Shows::Losses(losses) => losses.get(r).copied().unwrap_or(f64::NAN),
            Shows::Dual(_) => f64::NAN,
        }
    };
    let cells: Vec<Cell> =
        outlines.into_iter().map(|(region, corners)| Cell { corners, value: value(region) }).collect();
    let scale = |label: String, whole| Scale::new(label, cells.iter().map(|cell| cell.value), whole);
    svg((WIDTH, TITLE + HEIGHT), |root| match shows {
        Shows::Dual(row) => surface(root, map, row, (&cells, view)),
        Shows::Free => regions(root, map, (&cells, view), &scale("free variables".into(), true)),
        Shows::Losses(_) => {
            let label = format!("test {}", plane.problem.view().loss_name());
            regions(root, map, (&cells, view), &scale(label, false))
        }
    })
}

fn title(root: &Area<'_>, MapView { about, plane, complex }: MapView<'_>, what: &str) -> Drawn {
    let (n, d, spec) = (about.rows(), about.features(), about.spec);
    let model = format!("n = {n}, d = {d}, {} kernel, bias {}; ", spec.kernel, words::bias_text(spec.bias));
    let model = if plane.kernel().is_some() { model } else { String::new() };
    let under = format!("{model}{} critical regions; {what}", complex.regions().len());
    root.fill(&WHITE)?;
    root.draw(&Text::new(about.title(), (fine(20), fine(14)), font(22, &INK)))?;
    root.draw(&Text::new(under, (fine(20), fine(42)), font(14, &GREY)))?;
    Ok(())
}

/// The regions in the plane.
fn regions(root: &Area<'_>, map: MapView<'_>, (cells, view): Shown<'_>, scale: &Scale) -> Drawn {
    title(root, map, &format!("coloured by {}", scale.label))?;
    paint(root, map.plane.names, (cells, view), scale)
}

/// The regions below the title, and the legend beside them.
fn paint(root: &Area<'_>, names: [&str; 2], (cells, view): Shown<'_>, scale: &Scale) -> Drawn {
    let (_, body) = root.split_vertically(TITLE * FINE);
    let (area, legend) = body.split_horizontally((WIDTH - LEGEND) * FINE);
    let [[x0, x1], [y0, y1]] = view;
    let mut chart = ChartBuilder::on(&area)
        .margin(fine(14))
        .x_label_area_size(fine(42))
        .y_label_area_size(fine(62))
        .build_cartesian_2d(x0..x1, y0..y1)?;
    mesh(&mut chart, names, TICKS)?;
    for cell in cells {
        let points: Vec<(f64, f64)> = cell.corners.iter().map(|p| (p[0], p[1])).collect();
        let outline: Vec<(f64, f64)> = points.iter().chain(points.first()).copied().collect();
        chart.draw_series([Polygon::new(points, scale.colour(cell.value).filled())])?;
        chart.draw_series([PathElement::new(outline, INK.mix(0.55).stroke_width(2))])?;
    }
    draw_scale(&legend, scale)
}

/// The legend: a patch for each of a few whole numbers, or a bar.
fn draw_scale(area: &Area<'_>, scale: &Scale) -> Drawn {
    area.draw(&Text::new(scale.label.clone(), (fine(4), fine(20)), font(14, &INK)))?;
    let patch = |y: i32, height: i32, colour: RGBColor| {
        Rectangle::new([(fine(4), fine(y)), (fine(28), fine(y + height))], colour.filled())
    };
    let label = |y: i32, value: f64| Text::new(short(value), (fine(36), fine(y)), font(13, &INK));
    let count = scale.high - scale.low + 1.0;
    if scale.whole && count <= MOST_PATCHES as f64 {
        for k in 0..count as i32 {
            let value = scale.high - f64::from(k);
            area.draw(&patch(48 + 24 * k, 18, scale.colour(value)))?;
            area.draw(&label(50 + 24 * k, value))?;
        }
        return Ok(());
    }
    const STEPS: i32 = 100;
    for k in 0..STEPS {
        area.draw(&patch(48 + 3 * k, 3, ramp(1.0 - f64::from(k) / f64::from(STEPS - 1))))?;
    }
    for k in 0..5 {
        let value = scale.high - (scale.high - scale.low) * f64::from(k) / 4.0;
        area.draw(&label(42 + 75 * k, three_digits(value)))?;
    }
    Ok(())
}

fn three_digits(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Regions as they are drawn, and what is shown of both ranges.
type Shown<'a> = (&'a [Cell], [[f64; 2]; 2]);

/// A facet of the surface: position in the view (0 to 1 both ways) and value of each corner.
type Facet = Vec<([f64; 2], f64)>;

/// The dual variable of a row over the plane, seen from above and in front of the lower ends.
fn surface(root: &Area<'_>, map: MapView<'_>, row: usize, (cells, view): Shown<'_>) -> Drawn {
    let Some(kernel) = map.plane.kernel() else { return Ok(()) };
    let (unit, name) = kernel.dual_unit();
    let label = format!("{name} of row {}", row + 1);
    let mut facets: Vec<Facet> =
        cells.iter().map(|cell| facet(map, (&kernel.row_variables(row), unit), cell, view)).collect();
    let scale = Scale::new(label, facets.iter().flatten().map(|corner| corner.1), false);
    title(root, map, &scale.label)?;
    let (_, body) = root.split_vertically(TITLE * FINE);
    let (area, legend) = body.split_horizontally((WIDTH - LEGEND) * FINE);
    frame(&area, map.plane, view, &scale)?;
    // The farthest first.
    let depth = |facet: &Facet| facet.iter().map(|(p, _)| p[0] + p[1]).sum::<f64>() / facet.len().max(1) as f64;
    facets.sort_by(|f, g| depth(g).total_cmp(&depth(f)));
    for facet in facets.iter().filter(|facet| facet.iter().all(|corner| corner.1.is_finite())) {
        let points: Vec<(i32, i32)> = facet.iter().map(|(p, value)| project(*p, scale.share(*value))).collect();
        let outline: Vec<(i32, i32)> = points.iter().chain(points.first()).copied().collect();
        let mean = facet.iter().map(|corner| corner.1).sum::<f64>() / facet.len() as f64;
        area.draw(&Polygon::new(points, scale.colour(mean).filled()))?;
        area.draw(&PathElement::new(outline, INK.mix(0.6).stroke_width(2)))?;
    }
    draw_scale(&legend, &scale)
}

/// The facet of a region.
fn facet(
    MapView { plane, complex, .. }: MapView<'_>,
    (parts, unit): (&[(usize, f64)], f64),
    cell: &Cell,
    view: [[f64; 2]; 2],
) -> Facet {
    let count = cell.corners.len() as f64;
    let middle = [0, 1].map(|a: usize| cell.corners.iter().map(|p| p[a]).sum::<f64>() / count);
    let corner = |p: &[f64; 2]| {
        let beside = [0, 1].map(|a: usize| p[a] + (middle[a] - p[a]) * BESIDE);
        let point = plane.at(complex, &beside).ok();
        let dual = |x: &[f64]| parts.iter().filter_map(|(j, sign)| x.get(*j).map(|x| sign * x)).sum::<f64>();
        let value = point.map_or(f64::NAN, |point| dual(&point.x) * unit);
        ([0, 1].map(|a: usize| (p[a] - view[a][0]) / (view[a][1] - view[a][0])), value)
    };
    cell.corners.iter().map(corner).collect()
}

/// A point of the isometric drawing: both ranges run away from the viewer, the first to the right, the second to the left.
fn project([a, b]: [f64; 2], height: f64) -> (i32, i32) {
    const CENTRE: f64 = 400.0;
    const BASE: f64 = 590.0;
    const SIDE: f64 = 350.0;
    const RISE: f64 = 220.0;
    let (x, y) = ((a - b) * 0.866 * SIDE, (a + b) * 0.45 * SIDE + height * RISE);
    (fine_of(CENTRE + x), fine_of(BASE - y))
}

/// A position in pixels, in units of the drawing.
fn fine_of(pixels: f64) -> i32 {
    (pixels * f64::from(FINE)).round() as i32
}

/// The floor and the three axes.
fn frame(area: &Area<'_>, plane: &Plane, view: [[f64; 2]; 2], scale: &Scale) -> Drawn {
    let line = |from: ([f64; 2], f64), to: ([f64; 2], f64)| {
        PathElement::new(vec![project(from.0, from.1), project(to.0, to.1)], GREY.stroke_width(FINE))
    };
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    for (p, q) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        area.draw(&line((*p, 0.0), (*q, 0.0)))?;
    }
    area.draw(&line(([0.0, 1.0], 0.0), ([0.0, 1.0], 1.0)))?;
    let write = |text: String, (x, y): (i32, i32), anchor: HPos| {
        let style = font(13, &INK).pos(Pos::new(anchor, VPos::Center));
        area.draw(&Text::new(text, (x, y), style))
    };
    for k in 0..5 {
        let s = f64::from(k) / 4.0;
        let value = |[from, to]: [f64; 2]| short(three_digits(from + (to - from) * s));
        write(value(view[0]), project([s + 0.02, -0.03], 0.0), HPos::Left)?;
        write(value(view[1]), project([-0.03, s + 0.02], 0.0), HPos::Right)?;
        write(value([scale.low, scale.high]), project([-0.03, 1.03], s), HPos::Right)?;
    }
    write(plane.names[0].to_string(), project([0.62, -0.2], 0.0), HPos::Left)?;
    write(plane.names[1].to_string(), project([-0.2, 0.62], 0.0), HPos::Right)?;
    write(scale.label.clone(), project([0.0, 1.05], 1.1), HPos::Center)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_has_its_ends() {
        assert_eq!((ramp(0.0), ramp(1.0)), (RGBColor(53, 42, 110), RGBColor(250, 228, 60)));
        let flat = Scale::new(String::new(), [2.0, 2.0].into_iter(), true);
        assert_eq!((flat.low, flat.high, flat.colour(2.0)), (2.0, 2.0, ramp(0.5)));
        assert_eq!(flat.colour(f64::NAN), WHITE);
    }
}
