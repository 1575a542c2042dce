//! Numbers along a path, one row a breakpoint: what tables, figures and pages of any problem are made from.

use crate::certify;
use crate::path::PathView;
use pathqp::certificate::{Place, certificates};
use pathqp::{Certificate, Status};
use pathqp_adapters::problem::{Group, Solution};
use pathqp_adapters::view::View;
use serde::Serialize;

/// A table: a parameter and some columns, one value a breakpoint each.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// The name of the parameter.
    pub parameter: String,
    /// Positions on the path.
    #[serde(skip)]
    pub positions: Vec<f64>,
    /// Its values: the ends of the path and the breakpoints between them, in the order of the path.
    pub values: Vec<f64>,
    /// The name of each column.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
    /// What a column is called on the axis of a figure.
    #[serde(skip)]
    pub axis: &'static str,
}

/// What is known of every piece between two values of the parameter.
pub(crate) struct Pieces {
    /// What was observed of every column, if they are fitted values, and at which places.
    pub observed: Option<[Vec<f64>; 2]>,
    /// The variance halfway along every piece, of a portfolio.
    pub middle: Option<Vec<f64>>,
    /// How many coefficients or weights are not zero, where they are counted.
    pub nonzero: Option<Vec<usize>>,
    /// The scaled KKT residuals at the beginning, the middle and the end of every piece.
    pub kkt: Vec<[f64; 3]>,
    /// The relative duality gaps there.
    pub gap: Vec<[f64; 3]>,
    /// The variables at their lower bounds, at their upper ones and free.
    pub counts: Vec<[usize; 3]>,
}

/// Rows differ by more than rounding where an entry does so by more than this, relative to the largest of its column: the solution jumps.
const JUMP: f64 = 1e-9;

impl Series {
    /// That of a path.
    pub fn new(view: PathView<'_>) -> Self {
        Series::at(view, &Self::marks(view))
    }

    /// That of a path with both sides of every place at which the solution jumps, as a figure needs it.
    pub fn drawn(view: PathView<'_>) -> Self {
        let series = Self::new(view);
        let sizes: Vec<f64> = series.columns.iter().map(|c| c.iter().fold(0.0, |m: f64, v| m.max(v.abs()))).collect();
        // An end of the path may lie within a segment.
        let begins =
            |mark: &Mark| view.path.segments().get(mark.segment).is_some_and(|s| mark.segment > 0 && s.t == mark.t);
        let mut marks = Vec::new();
        for (k, mark) in Self::marks(view).into_iter().enumerate() {
            let before = Mark { segment: mark.segment.saturating_sub(1), t: mark.t };
            let left = before.row(view);
            let apart = |(j, left): (usize, &f64)| (left - series.columns[j][k]).abs() > JUMP * sizes[j];
            if k > 0 && begins(&mark) && left.iter().enumerate().any(apart) {
                marks.push(before);
            }
            marks.push(mark);
        }
        Series::at(view, &marks)
    }

    /// The places of a path, each with the law that begins there.
    fn marks(view: PathView<'_>) -> Vec<Mark> {
        let PathView { path, posed, .. } = view;
        let places = if path.segments().is_empty() { Vec::new() } else { posed.places(path) };
        let segment = |t: f64| path.segments().partition_point(|s| s.t <= t).saturating_sub(1);
        places.into_iter().map(|t| Mark { segment: segment(t), t }).collect()
    }

    fn at(view: PathView<'_>, marks: &[Mark]) -> Self {
        let PathView { about, path, posed, .. } = view;
        let groups = posed.columns(about.spec);
        let rows: Vec<Vec<f64>> = marks.iter().map(|mark| mark.row(view)).collect();
        let names: Vec<String> = groups.iter().flat_map(|group| group.names.iter().cloned()).collect();
        let column = |j: usize| rows.iter().map(|row| row.get(j).copied().unwrap_or(f64::NAN)).collect();
        Series {
            parameter: posed.vary.name.clone(),
            positions: marks.iter().map(|mark| mark.t).collect(),
            values: marks.iter().map(|mark| posed.value(path, mark.t)).collect(),
            columns: (0..names.len()).map(column).collect(),
            axis: groups.first().map_or("", |group| group.symbol),
            names,
        }
    }

    /// A table with a row of names.
    pub fn csv(&self) -> String {
        let quoted = |name: &String| match name.contains([',', '"', '\n']) {
            true => format!("\"{}\"", name.replace('"', "\"\"")),
            false => name.clone(),
        };
        let head = [self.parameter.clone()].into_iter().chain(self.names.iter().map(quoted));
        let mut text = head.collect::<Vec<String>>().join(",") + "\n";
        for (k, value) in self.values.iter().enumerate() {
            text += &value.to_string();
            for column in &self.columns {
                text.push(',');
                text += &column.get(k).map_or_else(String::new, f64::to_string);
            }
            text.push('\n');
        }
        text
    }
}

/// A position by the law of a segment.
struct Mark {
    segment: usize,
    t: f64,
}

impl Mark {
    /// Its row of the table.
    fn row(&self, PathView { path, posed, .. }: PathView<'_>) -> Vec<f64> {
        let point = path.law_at(self.segment, &self.t);
        point.map(|point| posed.problem.row(&path.parameter(&self.t), &point)).unwrap_or_default()
    }
}

/// The pieces between positions; of a path that is one point, that point.
fn spans(positions: &[f64]) -> Vec<[f64; 2]> {
    match positions {
        [only] => vec![[*only; 2]],
        positions => positions.windows(2).map(|ends| [ends[0], ends[1]]).collect(),
    }
}

impl Pieces {
    /// Those between these positions of a path.
    pub fn new(view: PathView<'_>, positions: &[f64]) -> Self {
        let PathView { about, path, posed, .. } = view;
        let (spans, groups) = (spans(positions), posed.columns(about.spec));
        // What is zero all along a piece is exactly zero halfway, as a variable at its bound is; at the ends of a piece a variable that leaves its bound is
        // zero up to rounding only.
        let middle = |[a, b]: &[f64; 2]| posed.at_position(path, a + (b - a) / 2.0);
        let middles: Vec<Option<Solution>> = spans.iter().map(middle).collect();
        let view = posed.problem.view();
        let counted = matches!(view, View::Coefficients | View::Separator | View::Planes(_) | View::Portfolio(_));
        let of = |get: &dyn Fn(&Solution) -> f64| middles.iter().map(|s| s.as_ref().map_or(f64::NAN, get)).collect();
        let variance =
            |solution: &Solution| solution.get("variance").and_then(|v| v.flat().first().copied()).unwrap_or(f64::NAN);
        let segment = |t: f64| path.segments().partition_point(|s| s.t <= t).saturating_sub(1);
        let count = |[start, _]: &[f64; 2]| {
            let status = path.status_on(segment(*start));
            [Status::Lower, Status::Upper, Status::Free].map(|s| status.iter().filter(|t| **t == s).count())
        };
        // A piece may have several segments: its end belongs to the last of them.
        let last = |t: f64| path.segments().partition_point(|s| s.t < t).saturating_sub(1);
        let three = |[a, b]: &[f64; 2]| {
            let middle = a + (b - a) / 2.0;
            [(segment(*a), *a), (segment(middle), middle), (last(*b).max(segment(*a)), *b)]
        };
        let places: Vec<Place> = spans.iter().flat_map(three).collect();
        let found = certificates(path, &posed.line, &places, certify::cores(), &|_| true);
        // JSON has no infinity.
        let number = |v: f64| if v.is_finite() { v } else { f64::MAX };
        let of_certificate = |get: &dyn Fn(&Certificate<f64>) -> f64| {
            let values: Vec<f64> = found.iter().map(|(_, c)| c.as_ref().map_or(f64::MAX, |c| number(get(c)))).collect();
            values.as_chunks::<3>().0.to_vec()
        };
        Pieces {
            observed: observed_of(view),
            middle: matches!(view, View::Portfolio(_)).then(|| of(&variance)),
            nonzero: counted.then(|| middles.iter().map(|s| nonzero(s.as_ref(), groups.first())).collect()),
            kkt: of_certificate(&Certificate::kkt_residual),
            gap: of_certificate(&|certificate| certificate.relative_gap),
            counts: spans.iter().map(count).collect(),
        }
    }
}

/// What was observed, and where, of a signal.
pub(crate) fn observed_of(view: View<'_>) -> Option<[Vec<f64>; 2]> {
    let View::Signal { observed, places } = view else { return None };
    let numbered = || (1..=observed.len()).map(|place| place as f64).collect();
    Some([observed.to_vec(), places.map_or_else(numbered, <[f64]>::to_vec)])
}

/// How many entries of the first value in a table are not zero.
fn nonzero(solution: Option<&Solution>, group: Option<&Group>) -> usize {
    let values = solution.zip(group).and_then(|(solution, group)| Some(solution.get(group.value)?.flat()));
    values.unwrap_or_default().iter().filter(|v| **v != 0.0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_are_quoted() {
        let series = Series {
            parameter: "alpha".into(),
            positions: vec![0.0, 0.5],
            values: vec![1.0, 0.5],
            names: vec!["a,b".into(), "c".into()],
            columns: vec![vec![0.0, 1.0], vec![0.0, -2.5]],
            axis: "w",
        };
        assert_eq!(series.csv(), "alpha,\"a,b\",c\n1,0,0\n0.5,1,-2.5\n");
    }
}
