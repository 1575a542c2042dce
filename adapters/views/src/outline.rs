//! The regions of a map as polygons in what is shown of its plane.

use crate::map::MapView;
use pathqp::complex::RegionId;

/// An unbounded domain is shown so much farther than its last corner.
const BEYOND: f64 = 1.25;

/// A region and its corners.
pub type Outline = (RegionId, Vec<[f64; 2]>);

/// What is shown of both ranges, and the regions cut to it.
pub fn outlines(map: MapView<'_>) -> ([[f64; 2]; 2], Vec<Outline>) {
    let shown = shown(map);
    let outline = |r: u32| outline(map, shown, RegionId(r));
    (shown, (0..map.complex.regions().len() as u32).filter_map(outline).collect())
}

/// What is shown of both ranges.
fn shown(MapView { plane, complex, .. }: MapView<'_>) -> [[f64; 2]; 2] {
    let corners = (0..complex.regions().len() as u32).filter_map(|r| complex.corners(RegionId(r))).flatten();
    let last = corners.filter(|c| c.1).fold([f64::NEG_INFINITY; 2], |m, (p, _)| [m[0].max(p[0]), m[1].max(p[1])]);
    let ends = plane.ends();
    [0, 1].map(|a: usize| {
        let from = ends[a][0].unwrap_or(0.0);
        let open = from + BEYOND * (last[a] - from);
        let open = if open.is_finite() && open > from { open } else { from + 1.0 };
        [from, ends[a][1].unwrap_or(open)]
    })
}

/// A region, cut to what is shown; none if it lies outside. A corner at infinity is drawn far out from both of its neighbours.
fn outline(map: MapView<'_>, shown: [[f64; 2]; 2], region: RegionId) -> Option<Outline> {
    let reach = shown.map(|[from, to]| to - from).iter().fold(0.0, |sum, length| sum + length) * 4.0;
    let corners = map.complex.corners(region)?;
    let count = corners.len();
    let mut points = Vec::with_capacity(count + 2);
    for (k, (p, finite)) in corners.iter().enumerate() {
        if *finite {
            points.push(*p);
            continue;
        }
        let size = p[0].abs().max(p[1].abs());
        let beside = [corners.get((k + count - 1) % count), corners.get((k + 1) % count)];
        for (from, _) in beside.into_iter().flatten().filter(|c| c.1) {
            points.push([from[0] + p[0] / size * reach, from[1] + p[1] / size * reach]);
        }
    }
    let points = (0..2).fold(points, |points, a| clip(&clip(&points, a, shown[a][0], 1.0), a, shown[a][1], -1.0));
    (points.len() > 2).then_some((region, points))
}

/// What of a polygon has sign·(p[a] − at) ≥ 0 (Sutherland and Hodgman 1974).
fn clip(points: &[[f64; 2]], a: usize, at: f64, sign: f64) -> Vec<[f64; 2]> {
    let mut kept = Vec::with_capacity(points.len() + 1);
    for (p, q) in points.iter().zip(points.iter().cycle().skip(1)) {
        let (v, w) = (sign * (p[a] - at), sign * (q[a] - at));
        if v >= 0.0 {
            kept.push(*p);
        }
        if v * w < 0.0 {
            let part = v / (v - w);
            kept.push([p[0] + (q[0] - p[0]) * part, p[1] + (q[1] - p[1]) * part]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_cut_to_a_square() {
        let triangle = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
        let cut = clip(&clip(&triangle, 0, 1.0, -1.0), 1, 1.0, -1.0);
        assert_eq!(cut, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
        assert!(clip(&triangle, 0, 3.0, 1.0).is_empty());
    }
}
