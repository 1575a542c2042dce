//! What a figure shows: curves over the parameter, thinned to what can be seen.

use crate::about::About;
use crate::path::{Machine, PathView};
use pathqp::certificate::Place;
use pathqp::{Path, Point};
use pathqp_adapters::Bias;
use pathqp_adapters::rates::RateCurve;

/// Horizontal resolution: within one of so many slices of the path only the first and the last point are kept.
const SLICES: f64 = 1000.0;

/// The most curves in a panel.
const MOST_CURVES: usize = 50;

/// A point is left out where the straight line between its neighbours misses it by less than this part of the panel.
const UNSEEN: f64 = 1e-5;

/// A polyline.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is.
    pub name: String,
    /// Parameter and value.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve without the points that lie on a straight line with their neighbours; `height` is that of the panel.
    pub fn simplified(&self, height: f64) -> Vec<(f64, f64)> {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        for &point in &self.points {
            if let &[.., a, b] = kept.as_slice()
                && a.0 != point.0
                && (b.0 - a.0) * (point.0 - b.0) >= 0.0
            {
                let between = a.1 + (point.1 - a.1) * ((b.0 - a.0) / (point.0 - a.0));
                if (between - b.1).abs() <= UNSEEN * height {
                    kept.pop();
                }
            }
            kept.push(point);
        }
        kept
    }
}

/// The ends of segments that can be told apart in a figure: segment and t, in order.
pub fn places(path: &Path<f64>) -> Vec<Place> {
    let segments = path.segments();
    let ends = |k: usize| segments.get(k + 1).map_or(*path.end(), |next| next.t);
    let all: Vec<Place> = segments.iter().enumerate().flat_map(|(k, s)| [(k, s.t), (k, ends(k))]).collect();
    let slice = |place: &Place| (place.1 / path.end() * SLICES).floor();
    let runs = all.chunk_by(|a, b| slice(a) == slice(b));
    runs.flat_map(|run| run.first().into_iter().chain(run.last().filter(|_| run.len() > 1))).copied().collect()
}

/// [`places`] and between them others evenly spaced, for functions that are not affine on a segment.
pub fn dense_places(path: &Path<f64>) -> Vec<Place> {
    const BETWEEN: usize = 400;
    let segments = path.segments();
    let between = (1..BETWEEN).map(|k| {
        let t = path.end() * k as f64 / BETWEEN as f64;
        (segments.partition_point(|s| s.t <= t).saturating_sub(1), t)
    });
    let mut all: Vec<Place> = places(path).into_iter().chain(between).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all
}

/// Calls `visit` with the solution at each place and its value of the parameter; solutions are not kept.
fn visit(posed: Machine<'_>, path: &Path<f64>, places: &[Place], mut visit: impl FnMut(f64, &Point<f64>)) {
    for (k, t) in places {
        if let Some(point) = path.law_at(*k, t) {
            visit(posed.value(path, *t), &point);
        }
    }
}

/// The weights of the features, the largest first and at most [`MOST_CURVES`] of them, and then the bias, if any.
pub fn weights(view: PathView<'_>, posed: Machine<'_>, places: &[Place]) -> (Vec<Curve>, Option<Curve>) {
    let PathView { about, path, .. } = view;
    let d = about.features();
    let mut sizes = vec![0.0_f64; d];
    let mut bias = Curve { name: "bias".into(), points: Vec::with_capacity(places.len()) };
    visit(posed, path, places, |value, point| {
        let function = posed.kernel.model(&posed.axis.theta(value), point).function;
        bias.points.push((value, function.constant));
        sizes.iter_mut().zip(function.w.unwrap_or_default()).for_each(|(size, w)| *size = size.max(w.abs()));
    });
    let size = |j: &usize| sizes.get(*j).copied().unwrap_or(0.0);
    let mut chosen: Vec<usize> = (0..d).collect();
    chosen.sort_by(|a, b| size(b).total_cmp(&size(a)));
    chosen.truncate(MOST_CURVES);
    let mut curves: Vec<Curve> = chosen.iter().map(|&j| Curve { name: about.feature(j), points: Vec::new() }).collect();
    visit(posed, path, places, |value, point| {
        let function = posed.kernel.model(&posed.axis.theta(value), point).function;
        let w = function.w.unwrap_or_default();
        let values = chosen.iter().filter_map(|&j| w.get(j));
        curves.iter_mut().zip(values).for_each(|(curve, w)| curve.points.push((value, *w)));
    });
    (curves, (about.spec.bias != Bias::None).then_some(bias))
}

/// Rows that are drawn alike.
struct Group {
    name: &'static str,
    rows: Vec<usize>,
}

impl Group {
    /// The two classes, or all rows.
    fn of(about: About<'_>) -> Vec<Group> {
        let rows = |wanted: &dyn Fn(f64) -> bool| {
            let rows = about.spec.rows.response.iter().enumerate().filter(|(_, y)| wanted(**y));
            rows.map(|(i, _)| i).collect()
        };
        if about.classes.is_none() {
            return vec![Group { name: "rows", rows: rows(&|_| true) }];
        }
        let (positive, negative) = (rows(&|y| y > 0.0), rows(&|y| y <= 0.0));
        vec![Group { name: "class +1", rows: positive }, Group { name: "class −1", rows: negative }]
    }
}

/// Dual variables of a selection of the rows that are ever free, in the problem's unit.
pub struct Duals {
    /// Each group's name and curves.
    pub curves: Vec<(&'static str, Vec<Curve>)>,
    /// The bounds that all rows of a group have in common, other than zero.
    pub bounds: Vec<Curve>,
    /// How many rows are ever free.
    pub ever_free: usize,
}

/// The bounds of each group's rows over the path, where no case weights make them differ.
fn bounds(PathView { about, path, .. }: PathView<'_>, posed: Machine<'_>, groups: &[Group]) -> Vec<Curve> {
    if about.spec.rows.weights.is_some() {
        return Vec::new();
    }
    let (unit, bounds) = (posed.kernel.dual_unit().0, &posed.line.bounds);
    let firsts = groups.iter().filter_map(|group| group.rows.first());
    let variables = firsts.flat_map(|&i| posed.kernel.row_variables(i));
    let both = variables.flat_map(|(j, sign)| {
        let of = |side: Option<&Option<[f64; 2]>>| side.copied().flatten().map(|bound| bound.map(|v| sign * v));
        [of(bounds.upper.get(j)), of(bounds.lower.get(j))]
    });
    let moving = both.flatten().filter(|bound| *bound != [0.0; 2]);
    let curve = |[value, slope]: [f64; 2]| Curve {
        name: String::new(),
        points: [0.0, *path.end()].map(|t| (posed.value(path, t), (value + slope * t) * unit)).into(),
    };
    moving.map(curve).collect()
}

/// An even selection of the rows that are ever free.
pub fn duals(view: PathView<'_>, posed: Machine<'_>, places: &[Place]) -> Duals {
    let PathView { about, path, .. } = view;
    let (n, unit) = (about.rows(), posed.kernel.dual_unit().0);
    let groups = Group::of(about);
    let mut ever = vec![false; path.n()];
    for k in 0..path.segments().len() {
        for &i in path.free_on(k) {
            if let Some(ever) = ever.get_mut(i as usize) {
                *ever = true;
            }
        }
    }
    let ever: Vec<bool> =
        (0..n).map(|i| posed.kernel.row_variables(i).iter().any(|(j, _)| ever.get(*j) == Some(&true))).collect();
    let choose = |group: &Group| {
        let rows: Vec<usize> = group.rows.iter().copied().filter(|&i| ever.get(i) == Some(&true)).collect();
        let shown = rows.len().min(MOST_CURVES / groups.len());
        (0..shown).filter_map(|k| rows.get(k * rows.len() / shown).copied()).collect::<Vec<usize>>()
    };
    let chosen: Vec<Vec<usize>> = groups.iter().map(choose).collect();
    let empty = |i: &usize| Curve { name: format!("row {}", i + 1), points: Vec::with_capacity(places.len()) };
    let mut curves: Vec<Vec<Curve>> = chosen.iter().map(|rows| rows.iter().map(empty).collect()).collect();
    visit(posed, path, places, |value, point| {
        for (i, curve) in chosen.iter().flatten().zip(curves.iter_mut().flatten()) {
            let parts = posed.kernel.row_variables(*i).into_iter();
            let alpha: f64 = parts.filter_map(|(j, sign)| point.x.get(j).map(|x| sign * x)).sum();
            curve.points.push((value, alpha * unit));
        }
    });
    let named = groups.iter().map(|group| group.name).zip(curves).collect();
    Duals { curves: named, bounds: bounds(view, posed, &groups), ever_free: ever.iter().filter(|e| **e).count() }
}

/// The three rates as steps; a rate that does not exist (no row of that class) is left out.
pub fn rates(curve: &RateCurve) -> Vec<Curve> {
    let steps = |name: &str, values: &[f64]| {
        let pieces = curve.tau.windows(2).zip(values);
        let points = pieces.flat_map(|(ends, v)| ends.iter().map(|tau| (*tau, *v)).collect::<Vec<_>>());
        Curve { name: name.into(), points: points.collect() }
    };
    let all = [("TPR", &curve.tpr), ("TNR", &curve.tnr), ("accuracy", &curve.accuracy)];
    let exists = |values: &[f64]| values.iter().all(|v| v.is_finite());
    all.into_iter().filter(|(_, values)| exists(values)).map(|(name, values)| steps(name, values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_stretches_keep_their_ends() {
        let curve = |points: &[(f64, f64)]| Curve { name: String::new(), points: points.to_vec() };
        let bent = [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 1.0), (0.75, 0.0), (1.0, 0.0)];
        assert_eq!(curve(&bent).simplified(1.0), [(0.0, 0.0), (0.5, 1.0), (0.75, 1.0), (0.75, 0.0), (1.0, 0.0)]);
        let backwards = [(1.0, 0.0), (0.5, 0.5), (0.0, 1.0)];
        assert_eq!(curve(&backwards).simplified(1.0), [(1.0, 0.0), (0.0, 1.0)]);
    }

    #[test]
    fn rates_are_steps_without_the_missing_ones() {
        let curve = RateCurve {
            tau: vec![0.0, 0.25, 1.0],
            tpr: vec![f64::NAN, f64::NAN],
            tnr: vec![0.5, 1.0],
            accuracy: vec![0.5, 1.0],
        };
        let curves = rates(&curve);
        assert_eq!(curves.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["TNR", "accuracy"]);
        assert_eq!(curves[0].points, [(0.0, 0.5), (0.25, 0.5), (0.25, 1.0), (1.0, 1.0)]);
    }
}
