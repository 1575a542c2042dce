//! The rows that a page shows, and what f is at them.

use super::encode::{Column, digits, exact, whole};
use super::even;
use crate::about::About;
use pathqp_adapters::KernelProblem;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::machine::Function;
use serde::Serialize;

/// The most training rows that are shown, and the most test rows.
const MOST_ROWS: [usize; 2] = [800, 400];

/// The most points at which curves over one feature are drawn, and the fewest.
const GRID: [usize; 2] = [120, 24];

/// The fewest rows at which f is kept.
const FEWEST: usize = 20;

/// How far a curve goes on beyond the data, as a part of their range.
const MARGIN: f64 = 0.03;

/// At most so many numbers a solution for linear weights; f at the rows is kept for more features.
const MOST_WEIGHTS: usize = 400;

/// Features and responses of a file.
pub type Labelled = (Features, Vec<f64>);

/// Some rows of a file.
#[derive(Serialize)]
pub struct Shown {
    /// Their places in the file, from zero.
    index: Column,
    /// How many rows there are in all.
    of: usize,
    /// Their responses.
    y: Column,
    /// The feature, where there is one only, in the units of the file.
    x: Option<Column>,
}

/// The points of a curve over the only feature.
#[derive(Serialize)]
pub struct Grid {
    name: String,
    x: Column,
}

/// f as the page computes it. Everything in the columns is multiplied by the parameter v where `divide` says so.
#[derive(Serialize)]
pub struct Functions {
    /// Of a linear kernel: the features' names, their weights and the constant, a column each, along the path; and the features of the rows,
    /// row after row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Column>,
    /// Otherwise f of every row. The rows are those of training, test and grid.
    columns: Vec<Column>,
}

/// What is shown, before f is known.
pub struct Rows {
    /// Training rows, test rows and the grid, one after another; scaled.
    pub features: Features,
    /// What is said of the training rows and the test rows.
    pub shown: Vec<Shown>,
    /// The grid.
    pub grid: Option<Grid>,
    /// Whether f is kept at the rows, or at the grid only.
    pub valued: bool,
    linear: bool,
    names: Vec<String>,
}

impl Rows {
    /// A selection for a page on which f is kept at `nodes` points, in so many numbers as `budget` says where it can be. Where there is no room
    /// for more than the grid, f is kept there only.
    pub fn new(
        about: About<'_>,
        (train, test): (&Labelled, Option<&Labelled>),
        (linear, with_grid): (bool, bool),
        (nodes, budget): (usize, usize),
    ) -> Self {
        let d = about.features();
        let linear = linear && d <= MOST_WEIGHTS && (d + 1) * nodes <= budget;
        let room = if linear { budget / 5 / (d + 1) } else { budget / nodes.max(1) };
        let one = with_grid && d == 1;
        let points = if one { (room / 2).clamp(GRID[1], GRID[0]) } else { 0 };
        let valued = !one || room >= 2 * points;
        let room = if valued { room.saturating_sub(points).max(FEWEST) } else { MOST_ROWS[0] + MOST_ROWS[1] };
        let test_rows = if test.is_some() { MOST_ROWS[1].min(room / 3) } else { 0 };
        let most = [MOST_ROWS[0].min(room - test_rows), test_rows];
        let (shift, scale) = about.scaler.shift_and_scale(0).unwrap_or((0.0, 1.0));
        let (mut parts, mut shown) = (Vec::new(), Vec::new());
        for ((features, y), most) in [Some(train), test].into_iter().flatten().zip(most) {
            let index = even(features.rows(), most);
            let rows = features.select_rows(&index);
            let x = one.then(|| exact(&entries(&rows).iter().map(|z| shift + scale * z).collect::<Vec<f64>>()));
            let y: Vec<f64> = index.iter().filter_map(|i| y.get(*i).copied()).collect();
            shown.push(Shown { index: whole(index), of: features.rows(), y: exact(&y), x });
            parts.extend(valued.then_some(rows));
        }
        let names: Vec<String> = (0..d).map(|j| about.feature(j)).collect();
        let grid = one.then(|| {
            let z = entries(&train.0);
            let (low, high) = z.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            let margin = MARGIN * (high - low);
            let step = (high - low + 2.0 * margin) / (points - 1) as f64;
            let z: Vec<f64> = (0..points).map(|k| low - margin + step * k as f64).collect();
            let x: Vec<f64> = z.iter().map(|z| shift + scale * z).collect();
            parts.push(Features::Dense { rows: points, columns: 1, values: z });
            Grid { name: names.first().cloned().unwrap_or_default(), x: exact(&x) }
        });
        Rows { features: stack(&parts, d), shown, grid, valued, linear, names }
    }

    /// What is kept of f: weights and constant, or its values at the rows.
    pub fn values(&self, problem: &dyn KernelProblem, function: &Function) -> Vec<f64> {
        match &function.w {
            Some(w) if self.linear => w.iter().copied().chain([function.constant]).collect(),
            _ => problem.machine().evaluate(function, &self.features),
        }
    }

    /// The columns of the values that were kept, one entry a point each.
    pub fn functions(&self, kept: &[Vec<f64>]) -> Functions {
        let width = kept.first().map_or(0, Vec::len);
        let column = |j: usize| digits(&kept.iter().map(|values| values[j]).collect::<Vec<f64>>());
        Functions {
            names: self.linear.then(|| self.names.clone()),
            features: self.linear.then(|| digits(&entries(&self.features))),
            columns: (0..width).map(column).collect(),
        }
    }
}

/// All entries, row after row.
fn entries(features: &Features) -> Vec<f64> {
    let d = features.columns();
    let mut values = vec![0.0; features.rows() * d];
    values.chunks_mut(d.max(1)).enumerate().for_each(|(i, row)| features.dense_row(i, row));
    values
}

/// One below another.
fn stack(parts: &[Features], columns: usize) -> Features {
    match parts {
        [one] => one.clone(),
        parts => {
            let rows = parts.iter().map(Features::rows).sum();
            Features::Dense { rows, columns, values: parts.iter().flat_map(entries).collect() }
        }
    }
}
