//! f at all rows, at both ends of one segment after another.

use super::NOISE;
use super::expansion::{Expansion, Walk};
use super::kernels::KernelValues;
use super::linear::{TrainingRows, lengths};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;

/// The two ways to f: through w, or through kernel values at the rows.
// One of them at a time, while a path is gone through.
#[allow(clippy::large_enum_variant)]
enum Source<'w, 'a> {
    Linear(Expansion<'w, 'a, TrainingRows<'a>>),
    Kernel(Expansion<'w, 'a, KernelValues<'a>>),
}

/// f without its intercept at every row, the size of its terms beside the reach of a row, and that of the intercept's own.
#[derive(Default)]
struct Evaluated {
    f: Vec<f64>,
    mass: f64,
    margin: f64,
}

/// f at m rows on a segment. The kernel values of the free indices are kept for all rows: m·|F|·8 bytes.
pub(crate) struct Scores<'w, 'a> {
    walk: &'w Walk<'a>,
    rows: &'w Features,
    source: Source<'w, 'a>,
    /// ‖(x, B)‖ for each row.
    reach: Vec<f64>,
    /// The next segment.
    next: usize,
    /// Where the next segment begins.
    last: Evaluated,
    /// The positions of the segment's ends.
    pub t: [f64; 2],
    /// f at both ends.
    pub f: [Vec<f64>; 2],
    /// Up to this, f is zero, and two values of f are equal.
    pub noise: Vec<f64>,
}

impl<'w, 'a> Scores<'w, 'a> {
    /// On the first segment.
    ///
    /// # Errors
    /// Rows with other columns than the training data's.
    pub fn new(walk: &'w Walk<'a>, rows: &'w Features) -> Result<Self, AdapterError> {
        walk.check_rows(rows)?;
        let machine = walk.classifier.problem.machine();
        let b = walk.constant_feature();
        let source = match machine.kernel() {
            KernelKind::Linear => Source::Linear(Expansion::new(walk, TrainingRows::new(machine.features(), b))),
            kernel => Source::Kernel(Expansion::new(walk, KernelValues::new(walk, kernel, rows.clone()))),
        };
        let (reach, m) = (lengths(rows, b), rows.rows());
        let last = Evaluated::default();
        let f = [vec![0.0; m], vec![0.0; m]];
        let mut scores = Scores { walk, rows, source, reach, next: 0, last, t: [0.0; 2], f, noise: vec![0.0; m] };
        scores.last = scores.evaluate();
        scores.advance();
        Ok(scores)
    }

    /// Moves on to the next segment, if there is one.
    pub fn advance(&mut self) -> bool {
        let k = self.next;
        if k >= self.walk.segments() {
            return false;
        }
        match &mut self.source {
            Source::Linear(expansion) => expansion.move_to_end(k),
            Source::Kernel(expansion) => expansion.move_to_end(k),
        }
        let after = self.evaluate();
        let before = std::mem::replace(&mut self.last, after);
        let intercept = self.walk.intercept(k);
        let mass = before.mass.max(self.last.mass);
        let constant = intercept[0].abs().max(intercept[1].abs()) + before.margin.max(self.last.margin);
        for (i, before) in before.f.into_iter().enumerate() {
            self.f[0][i] = before + intercept[0];
            self.f[1][i] = self.last.f[i] + intercept[1];
            self.noise[i] = NOISE * (self.reach(i) * mass + constant);
        }
        self.t = [self.walk.t[k], self.walk.t[k + 1]];
        self.next += 1;
        true
    }

    /// Appends f at a position of the segment to `out`.
    pub fn at(&self, t: f64, out: &mut Vec<f64>) {
        let [from, to] = self.t;
        let share = if to > from { ((t - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
        out.extend(self.f[0].iter().zip(&self.f[1]).map(|(a, b)| a + share * (b - a)));
    }

    fn reach(&self, i: usize) -> f64 {
        match &self.source {
            Source::Linear(_) => self.reach[i],
            Source::Kernel(expansion) => expansion.columns.largest[i] + self.walk.constant_feature().powi(2),
        }
    }

    /// Where the expansion is.
    fn evaluate(&self) -> Evaluated {
        let square = self.walk.constant_feature().powi(2);
        match &self.source {
            Source::Linear(at) => {
                let dot = |i: usize| self.rows.row(i).dot(&at.value) + square * at.total;
                Evaluated { f: (0..self.rows.rows()).map(dot).collect(), mass: at.mass, margin: at.margin }
            }
            Source::Kernel(at) => {
                let f = at.value.iter().map(|v| v + square * at.total).collect();
                Evaluated { f, mass: at.mass, margin: at.margin }
            }
        }
    }
}
