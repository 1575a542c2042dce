//! f along a path: the sums over the indices at their upper bound and over the free ones (derivation in the parent).

use crate::bias::Bias;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::view::Classifier;
use pathqp::{Path, Status};

/// A path of a classifier and the K + 1 ends of its segments.
pub(crate) struct Walk<'a> {
    pub classifier: Classifier<'a>,
    pub path: &'a Path<f64>,
    pub t: Vec<f64>,
}

impl<'a> Walk<'a> {
    /// # Errors
    /// A path of another problem, or one without segments ([`AdapterError::NoSegments`]).
    pub fn new(classifier: Classifier<'a>, path: &'a Path<f64>) -> Result<Self, AdapterError> {
        let n = classifier.labels.len();
        if path.n() != n {
            return Err(AdapterError::Shape { what: "variables of the path", expected: n, found: path.n() });
        }
        let (first, last) = (path.segments().first(), path.segments().last());
        if !(first.is_some_and(|s| s.t >= 0.0) && last.is_some_and(|s| s.t <= *path.end())) {
            return Err(AdapterError::NoSegments);
        }
        let t = path.segments().iter().map(|s| s.t).chain([*path.end()]).collect();
        Ok(Walk { classifier, path, t })
    }

    /// # Errors
    /// Rows with other columns than the training data's.
    pub fn check_rows(&self, rows: &Features) -> Result<(), AdapterError> {
        let (expected, found) = (self.classifier.problem.machine().features().columns(), rows.columns());
        if found == expected { Ok(()) } else { Err(AdapterError::Columns { expected, found }) }
    }

    pub fn segments(&self) -> usize {
        self.t.len() - 1
    }

    /// The intercept at both ends of a segment (it may jump between segments); zero with another bias.
    pub fn intercept(&self, k: usize) -> [f64; 2] {
        let segment = &self.path.segments()[k];
        match self.classifier.problem.machine().bias() {
            Bias::Intercept => [-segment.y, -(segment.y + segment.dy * (self.t[k + 1] - segment.t))],
            _ => [0.0; 2],
        }
    }

    /// B, or zero.
    pub fn constant_feature(&self) -> f64 {
        if let Bias::Augmented(b) = self.classifier.problem.machine().bias() { b } else { 0.0 }
    }
}

/// The vectors φ(xᵢ) whose combination f is: the rows themselves, or kernel values at the test rows.
pub(crate) trait Columns {
    fn len(&self) -> usize;

    /// Calls `visit` with the entries of φ(xᵢ) that are not zero.
    fn visit(&mut self, i: usize, visit: impl FnMut(usize, f64));

    /// xᵢ is not free any more.
    fn forget(&mut self, _i: usize) {}

    /// √k(xᵢ, xᵢ), or one.
    fn size(&self, _i: usize) -> f64 {
        1.0
    }

    /// What the terms of f(xᵢ) may be beside [`Expansion::mass`], for a training row.
    fn reach(&self, i: usize) -> f64;
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
pub(crate) struct Expansion<'w, 'a, C> {
    walk: &'w Walk<'a>,
    pub columns: C,
    status: Vec<Status>,
    /// Over the indices at their upper bound u⁰ + t·u¹: Σ yᵢu⁰ᵢφ(xᵢ) and Σ yᵢu¹ᵢφ(xᵢ), then Σ yᵢu⁰ᵢ and Σ |u⁰ᵢ|‖φ(xᵢ)‖, and the
    /// same with u¹.
    upper: [Sum; 2],
    /// Σ βᵢφ(xᵢ).
    pub value: Vec<f64>,
    /// Σ βᵢ.
    pub total: f64,
    /// The size of the terms that make up the value: Σ |βᵢ|‖φ(xᵢ)‖, with |u⁰| + t|u¹| for u⁰ + t·u¹.
    pub mass: f64,
    /// The size of the terms that the intercept was found from: 1 + Σ |βᵢ||k(xᵢ, x)| at the row on the margin where that is least. Zero with another bias.
    pub margin: f64,
}

impl<'w, 'a, C: Columns> Expansion<'w, 'a, C> {
    /// At the beginning of the path.
    pub fn new(walk: &'w Walk<'a>, columns: C) -> Self {
        let d = columns.len();
        let upper = [0, 1].map(|_| Sum::new(d + 2));
        let status = vec![Status::Lower; walk.path.n()];
        let value = vec![0.0; d];
        let mut expansion = Expansion { walk, status, upper, value, total: 0.0, mass: 0.0, margin: 0.0, columns };
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
        let sign = match (from == Status::Upper, to == Status::Upper) {
            (false, true) => self.walk.classifier.labels[i],
            (true, false) => -self.walk.classifier.labels[i],
            _ => 0.0,
        };
        if let Some(bound) = self.walk.path.upper_bound(i).filter(|_| sign != 0.0) {
            let (d, added) = (self.columns.len(), if to == Status::Upper { 1.0 } else { -1.0 });
            for (sum, part) in self.upper.iter_mut().zip(bound).filter(|(_, part)| **part != 0.0) {
                self.columns.visit(i, |j, v| sum.add(j, sign * part * v));
                sum.add(d, sign * part);
                sum.add(d + 1, added * part.abs() * self.columns.size(i));
            }
        }
        if to != Status::Free {
            self.columns.forget(i);
        }
    }

    /// By the law of segment `k`, at `t[j]`.
    fn evaluate(&mut self, k: usize, j: usize) {
        let Walk { classifier: Classifier { labels, scale, .. }, path, t, .. } = self.walk;
        let (d, at) = (self.columns.len(), t[j]);
        let sum = |j: usize| scale * (self.upper[0].at(j) + at * self.upper[1].at(j));
        for (j, value) in self.value.iter_mut().enumerate() {
            *value = sum(j);
        }
        (self.total, self.mass) = (sum(d), sum(d + 1));
        for (&i, alpha) in path.free_on(k).iter().zip(path.free_at(k, &at)) {
            let i = i as usize;
            let factor = scale * alpha * labels[i];
            let value = &mut self.value;
            self.columns.visit(i, |j, v| value[j] += factor * v);
            self.total += factor;
            self.mass += factor.abs() * self.columns.size(i);
        }
        self.margin = self.margin_on(k);
    }

    /// Any free row s has the intercept as yₛ − Σ βᵢk(xᵢ, xₛ). Without one it lies between those of rows at their bounds.
    fn margin_on(&self, k: usize) -> f64 {
        if self.walk.classifier.problem.machine().bias() != Bias::Intercept {
            return 0.0;
        }
        let free = self.walk.path.free_on(k).iter().map(|&i| self.columns.reach(i as usize));
        let reach = free.min_by(f64::total_cmp);
        let any = || (0..self.status.len()).map(|i| self.columns.reach(i)).fold(0.0, f64::max);
        1.0 + self.mass * reach.unwrap_or_else(any)
    }
}
