//! f along a path: the sums over the indices at their upper bound and over the free ones (derivation in the parent).

use crate::adapter::Adapter;
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
        match self.svm.machine().bias() {
            Bias::Intercept => [-segment.y, -(segment.y + segment.dy * (self.t[k + 1] - segment.t))],
            _ => [0.0; 2],
        }
    }

    /// B, or zero.
    pub fn constant_feature(&self) -> f64 {
        if let Bias::Augmented(b) = self.svm.machine().bias() { b } else { 0.0 }
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
pub(crate) struct Sum {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Sum {
    /// `length` zeros.
    pub(crate) fn new(length: usize) -> Self {
        Sum { high: vec![0.0; length], low: vec![0.0; length] }
    }

    pub(crate) fn add(&mut self, j: usize, value: f64) {
        let before = self.high[j];
        let sum = before + value;
        let part = sum - before;
        self.low[j] += (before - (sum - part)) + (value - part);
        self.high[j] = sum;
    }

    pub(crate) fn at(&self, j: usize) -> f64 {
        self.high[j] + self.low[j]
    }
}

/// f without its intercept, as a combination of the φ(xᵢ), at one end of a segment after another.
pub(super) struct Expansion<'w, 'a, C> {
    walk: &'w Walk<'a>,
    pub columns: C,
    status: Vec<Status>,
    /// Σ vᵢφ(xᵢ) over the negative and the positive indices at their upper bound, then Σ vᵢ and Σ vᵢ‖φ(xᵢ)‖.
    upper: [Sum; 2],
    /// Σ αᵢyᵢφ(xᵢ)/λ.
    pub value: Vec<f64>,
    /// Σ αᵢyᵢ/λ.
    pub total: f64,
    /// Σ αᵢ‖φ(xᵢ)‖/λ.
    pub mass: f64,
}

impl<'w, 'a, C: Columns> Expansion<'w, 'a, C> {
    /// At the beginning of the path.
    pub fn new(walk: &'w Walk<'a>, columns: C) -> Self {
        let d = columns.len();
        let upper = [0, 1].map(|_| Sum::new(d + 2));
        let status = vec![Status::Lower; walk.path.n()];
        let mut expansion = Expansion { walk, status, upper, value: vec![0.0; d], total: 0.0, mass: 0.0, columns };
        for (i, to) in walk.path.status_on(0).into_iter().enumerate() {
            expansion.change(i, to);
        }
        expansion.evaluate(0, 0);
        expansion
    }

    /// Moves to the end of segment `k`, from that of the segment before it.
    pub fn move_to_end(&mut self, k: usize) {
        if k > 0 {
            for &(i, to) in self.walk.path.changes_on(k) {
                self.change(i as usize, to);
            }
        }
        self.evaluate(k, k + 1);
    }

    fn change(&mut self, i: usize, to: Status) {
        let from = std::mem::replace(&mut self.status[i], to);
        let weight = self.walk.svm.machine().weights()[i];
        let change = match (from == Status::Upper, to == Status::Upper) {
            (false, true) => weight,
            (true, false) => -weight,
            _ => 0.0,
        };
        if change != 0.0 {
            let class = &mut self.upper[usize::from(self.walk.svm.labels()[i] > 0.0)];
            self.columns.visit(i, |j, v| class.add(j, change * v));
            let d = self.columns.len();
            class.add(d, change);
            class.add(d + 1, change * self.columns.size(i));
        }
        if to != Status::Free {
            self.columns.forget(i);
        }
    }

    /// By the law of segment `k`, at `t[j]`.
    fn evaluate(&mut self, k: usize, j: usize) {
        let Walk { svm, path, t, tau } = self.walk;
        let (d, lambda) = (self.columns.len(), svm.lambda());
        let cost = 2.0 / (svm.labels().len() as f64 * lambda);
        let (negative, positive) = (tau[j] * cost, (1.0 - tau[j]) * cost);
        let parts = |j: usize| [negative * self.upper[0].at(j), positive * self.upper[1].at(j)];
        for (j, value) in self.value.iter_mut().enumerate() {
            let [negative, positive] = parts(j);
            *value = positive - negative;
        }
        self.total = parts(d)[1] - parts(d)[0];
        self.mass = parts(d + 1)[1] + parts(d + 1)[0];
        for (&i, alpha) in path.free_on(k).iter().zip(path.free_at(k, &t[j])) {
            let i = i as usize;
            let factor = alpha * svm.labels()[i] / lambda;
            let value = &mut self.value;
            self.columns.visit(i, |j, v| value[j] += factor * v);
            self.total += factor;
            self.mass += factor.abs() * self.columns.size(i);
        }
    }
}
