//! Signs of f for the linear kernel: w is known at the ends of segments, a row is evaluated where its sign can change.

use super::expansion::{Columns, Expansion, Walk};
use super::{BLOCK_BYTES, NOISE, Sign};
use crate::dataset::Features;

/// The training rows: f is w.
pub(super) struct TrainingRows<'a> {
    rows: &'a Features,
    sizes: Vec<f64>,
}

impl<'a> TrainingRows<'a> {
    /// With a constant feature b, or zero.
    pub fn new(rows: &'a Features, b: f64) -> Self {
        TrainingRows { rows, sizes: lengths(rows, b) }
    }
}

impl Columns for TrainingRows<'_> {
    fn len(&self) -> usize {
        self.rows.columns()
    }

    fn visit(&mut self, i: usize, visit: impl FnMut(usize, f64)) {
        self.rows.row(i).for_each(visit);
    }

    fn size(&self, i: usize) -> f64 {
        self.sizes[i]
    }

    fn reach(&self, i: usize) -> f64 {
        self.sizes[i]
    }
}

/// ‖(x, b)‖ for each row.
pub(super) fn lengths(rows: &Features, b: f64) -> Vec<f64> {
    (0..rows.rows()).map(|i| (rows.row(i).norm_squared() + b * b).sqrt()).collect()
}

/// w, the constant and how far both have travelled, at consecutive ends of segments.
#[derive(Default)]
struct Stretch {
    /// The first end.
    from: usize,
    w: Vec<Vec<f64>>,
    /// The augmented bias' part of f.
    total: Vec<f64>,
    mass: Vec<f64>,
    margin: Vec<f64>,
    /// The distance travelled at the end of each segment.
    travelled: Vec<f64>,
}

pub(super) fn signs(walk: &Walk<'_>, rows: &Features) -> Vec<Sign> {
    let b = walk.constant_feature();
    let train = walk.classifier.problem.machine().features();
    let mut expansion = Expansion::new(walk, TrainingRows::new(train, b));
    let (reach, norms) = (lengths(rows, b), lengths(rows, 1.0));
    let mut signs = vec![Sign::default(); rows.rows()];
    let mut due = vec![0.0; rows.rows()];
    let ends = (BLOCK_BYTES / (8 * (train.columns() + 1))).max(2);
    let mut stretch = Stretch::default();
    stretch.push(&expansion, b);
    let mut travelled = 0.0;
    for k in 0..walk.segments() {
        expansion.move_to_end(k);
        stretch.push(&expansion, b);
        travelled += stretch.distance(walk, k);
        stretch.travelled.push(travelled);
        if stretch.w.len() == ends || k + 1 == walk.segments() {
            for (i, sign) in signs.iter_mut().enumerate() {
                due[i] = stretch.row(walk, due[i], norms[i], reach[i], |w| rows.row(i).dot(w), sign);
            }
            stretch.keep_last();
        }
    }
    signs
}

impl Stretch {
    fn push(&mut self, at: &Expansion<'_, '_, TrainingRows<'_>>, b: f64) {
        self.w.push(at.value.clone());
        self.total.push(b * b * at.total);
        self.mass.push(at.mass);
        self.margin.push(at.margin);
    }

    /// The last end becomes the first.
    fn keep_last(&mut self) {
        let done = self.w.len() - 1;
        self.from += done;
        self.w.drain(..done);
        self.total.drain(..done);
        self.mass.drain(..done);
        self.margin.drain(..done);
        self.travelled.clear();
    }

    /// How far (w, constant) goes on segment k, the last one pushed, and in the jump before it.
    fn distance(&self, walk: &Walk<'_>, k: usize) -> f64 {
        let j = k - self.from;
        let square: f64 = self.w[j].iter().zip(&self.w[j + 1]).map(|(a, b)| (b - a) * (b - a)).sum();
        let [start, end] = walk.intercept(k);
        let jump = if k == 0 { 0.0 } else { (start - walk.intercept(k - 1)[1]).abs() };
        jump + square.sqrt().hypot(end + self.total[j + 1] - start - self.total[j])
    }

    /// Takes up the segments on which the sign of one row can change. `due`: the distance up to which it cannot, on
    /// entry and on return; `norm` ‖(x, 1)‖; `reach` ‖(x, B)‖.
    fn row(
        &self,
        walk: &Walk<'_>,
        mut due: f64,
        norm: f64,
        reach: f64,
        dot: impl Fn(&[f64]) -> f64,
        sign: &mut Sign,
    ) -> f64 {
        let mut j = if sign.started { self.travelled.partition_point(|&s| s < due) } else { 0 };
        while j < self.travelled.len() {
            let k = self.from + j;
            let intercept = walk.intercept(k);
            let f = [0, 1].map(|end| dot(&self.w[j + end]) + self.total[j + end] + intercept[end]);
            let terms = [0, 1].map(|end| reach * self.mass[j + end] + self.margin[j + end]);
            let noise = [0, 1].map(|end| NOISE * (terms[end] + intercept[end].abs()));
            sign.segment([walk.t[k], walk.t[k + 1]], f, noise);
            due = self.travelled[j] + (f[1].abs() - noise[1]).max(0.0) / norm;
            j = (j + 1).max(self.travelled.partition_point(|&s| s < due));
        }
        due
    }
}
