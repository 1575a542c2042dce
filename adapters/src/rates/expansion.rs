//! f along a path: the sums over the indices at their upper bound and over the free ones (derivation in the parent).

use crate::quantile_svm::{Bias, QuantileSvm};
use pathqp::{Path, Status};

/// A path and the K + 1 ends of its segments.
pub(super) struct Walk<'a> {
    pub svm: &'a QuantileSvm,
    pub path: &'a Path<f64>,
    pub t: Vec<f64>,
    pub tau: Vec<f64>,
}

impl Walk<'_> {
    pub fn segments(&self) -> usize {
        self.t.len() - 1
    }

    /// The intercept at both ends of a segment (it may jump between segments); zero with another bias.
    pub fn intercept(&self, k: usize) -> [f64; 2] {
        let segment = &self.path.segments()[k];
        match self.svm.bias() {
            Bias::Intercept => [-segment.y, -(segment.y + segment.dy * (self.t[k + 1] - segment.t))],
            _ => [0.0; 2],
        }
    }

    /// B, or zero.
    pub fn constant_feature(&self) -> f64 {
        if let Bias::Augmented(b) = self.svm.bias() { b } else { 0.0 }
    }
}

/// The vectors φ(xᵢ) whose combination f is: the rows themselves, or kernel values at the test rows.
pub(super) trait Columns {
    fn len(&self) -> usize;

    /// Calls `visit` with the entries of φ(xᵢ) that are not zero.
    fn visit(&mut self, i: usize, visit: impl FnMut(usize, f64));

    /// xᵢ is not free any more.
    fn forget(&mut self, _i: usize) {}

    /// √k(xᵢ, xᵢ), or one.
    fn size(&self, _i: usize) -> f64 {
        1.0
    }
}

/// A sum in twice the working precision (Knuth 1969, *The Art of Computer Programming* vol. 2, §4.2.2: the error of an
/// addition is itself a floating-point number).
struct Sum {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Sum {
    fn add(&mut self, j: usize, value: f64) {
        let before = self.high[j];
        let sum = before + value;
        let part = sum - before;
        self.low[j] += (before - (sum - part)) + (value - part);
        self.high[j] = sum;
    }
}

/// f without its intercept, as a combination of the φ(xᵢ), at one end of a segment after another.
pub(super) struct Expansion<'w, 'a, C> {
    walk: &'w Walk<'a>,
    pub columns: C,
    status: Vec<Status>,
    /// Σ vᵢφ(xᵢ) over the negative and the positive indices at their upper bound.
    upper: [Sum; 2],
    /// Σ αᵢyᵢφ(xᵢ)/λ.
    pub value: Vec<f64>,
    /// Σ αᵢyᵢ/λ.
    pub total: f64,
    /// Σ αᵢ‖φ(xᵢ)‖/λ.
    pub mass: f64,
}

impl<'w, 'a, C: Columns> Expansion<'w, 'a, C> {
    pub fn new(walk: &'w Walk<'a>, columns: C) -> Self {
        let zeros = || vec![0.0; columns.len()];
        let upper = [0, 1].map(|_| Sum { high: zeros(), low: zeros() });
        let status = vec![Status::Lower; walk.path.n()];
        Expansion { walk, status, upper, value: zeros(), total: 0.0, mass: 0.0, columns }
    }

    /// Moves to end `j`: the beginning of the path or the end of segment j − 1.
    pub fn move_to(&mut self, j: usize) {
        let k = j.saturating_sub(1);
        let status = self.walk.path.status_on(k);
        for (i, &to) in status.iter().enumerate() {
            if self.status[i] != to {
                self.change(i, self.status[i], to);
            }
        }
        self.status = status;
        self.evaluate(k, j);
    }

    fn change(&mut self, i: usize, from: Status, to: Status) {
        let class = &mut self.upper[usize::from(self.walk.svm.labels()[i] > 0.0)];
        let weight = self.walk.svm.weights()[i];
        if to == Status::Upper {
            self.columns.visit(i, |j, v| class.add(j, weight * v));
        } else if from == Status::Upper {
            self.columns.visit(i, |j, v| class.add(j, -weight * v));
        }
        if to != Status::Free {
            self.columns.forget(i);
        }
    }

    fn evaluate(&mut self, k: usize, j: usize) {
        let Walk { svm, path, t, tau } = self.walk;
        // Every t[j] lies between 0 and the path's end, where there is a law.
        let alpha = path.law_at(k, &t[j]).map_or_else(Vec::new, |point| point.x);
        self.total = alpha.iter().zip(svm.labels()).map(|(a, y)| a * y).sum::<f64>() / svm.lambda();
        let sizes = alpha.iter().enumerate().map(|(i, a)| a.abs() * self.columns.size(i));
        self.mass = sizes.sum::<f64>() / svm.lambda();
        let cost = 2.0 / (svm.labels().len() as f64 * svm.lambda());
        let (negative, positive) = (-tau[j] * cost, (1.0 - tau[j]) * cost);
        let at = |sum: &Sum, j: usize| sum.high[j] + sum.low[j];
        for (j, value) in self.value.iter_mut().enumerate() {
            *value = negative * at(&self.upper[0], j) + positive * at(&self.upper[1], j);
        }
        let value = &mut self.value;
        for i in path.free_on(k).iter().map(|&i| i as usize) {
            let factor = alpha[i] * svm.labels()[i] / svm.lambda();
            self.columns.visit(i, |j, v| value[j] += factor * v);
        }
    }
}
