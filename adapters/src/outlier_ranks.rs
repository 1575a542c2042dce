//! For each row the least ν of a path of the one-class SVM towards smaller ν at which it lies outside the region: the smaller, the more of an outlier it is.
//!
//! A row outside the region has xᵢ at its upper bound; but of several equal rows on the boundary some may have xᵢ there as well, with f = 0. So the segments on
//! which xᵢ is at its upper bound are examined from the smallest ν upwards, until f is not zero. For a row of weight zero xᵢ tells nothing; z = νn·f is affine
//! on a segment, and the rank is the ν at which z becomes negative.

use crate::error::AdapterError;
use crate::machine::KernelMachine;
use pathqp::{Path, Point, Settings, Status};

/// z at a row counts as zero up to this part of the size of its terms.
const ROUNDING: f64 = 1e-12;

/// The ranks found so far.
pub(crate) struct Ranking<'a> {
    machine: &'a KernelMachine,
    path: &'a Path<f64>,
    /// √k(xᵢ, xᵢ), n entries.
    length: Vec<f64>,
    /// None for a row that lies outside at no ν of the path.
    ranks: Vec<Option<f64>>,
}

impl<'a> Ranking<'a> {
    /// The ranks of all n rows.
    ///
    /// # Errors
    /// What the Hessian refuses.
    pub(crate) fn of(machine: &'a KernelMachine, path: &'a Path<f64>) -> Result<Vec<Option<f64>>, AdapterError> {
        let n = machine.rows();
        let hessian = machine.hessian(&vec![1.0; n], 1.0, &Settings::default())?;
        let length = (0..n).map(|i| hessian.diagonal(i).sqrt()).collect();
        let mut ranking = Ranking { machine, path, length, ranks: vec![None; n] };
        ranking.counted();
        ranking.uncounted();
        Ok(ranking.ranks)
    }

    /// z = νn·f at some rows; zero where it is no more than rounding.
    fn scores(&self, point: Point<f64>, rows: &[usize]) -> Vec<f64> {
        let size: f64 = point.x.iter().zip(&self.length).map(|(x, length)| x * length).sum();
        let function = self.machine.function(point.x, 0.0 - point.y);
        let scores = self.machine.evaluate(&function, &self.machine.features().select_rows(rows));
        let rounded = |(i, z): (&usize, f64)| if z.abs() <= ROUNDING * size * self.length[*i] { 0.0 } else { z };
        rows.iter().zip(scores).map(rounded).collect()
    }

    fn parameter(&self, t: f64) -> Option<f64> {
        self.path.parameter(&t).first().copied()
    }

    /// Of the rows that have a say.
    fn counted(&mut self) {
        let (counted, mut end) = (self.machine.counted(), *self.path.end());
        for (k, segment) in self.path.segments().iter().enumerate().rev() {
            let here = self.path.status_on(k);
            let is_left = |&i: &usize| self.ranks[i].is_none() && here[i] == Status::Upper;
            let left: Vec<usize> = counted.iter().copied().filter(is_left).collect();
            let middle = (segment.t + end) / 2.0;
            if let Some(point) = self.path.law_at(k, &middle).filter(|_| !left.is_empty()) {
                let (scores, rank) = (self.scores(point, &left), self.parameter(end));
                left.into_iter().zip(scores).filter(|(_, z)| *z < 0.0).for_each(|(i, _)| self.ranks[i] = rank);
            }
            end = segment.t;
        }
    }

    /// Of rows of weight zero, by z at both ends of each segment.
    fn uncounted(&mut self) {
        let rows: Vec<usize> = (0..self.ranks.len()).filter(|&i| self.machine.weights()[i] == 0.0).collect();
        if rows.is_empty() {
            return;
        }
        let at = |ranking: &Self, k: usize, t: f64| Some(ranking.scores(ranking.path.law_at(k, &t)?, &rows));
        let mut end = *self.path.end();
        for (k, segment) in self.path.segments().iter().enumerate().rev() {
            if let Some((low, high)) = at(self, k, end).zip(at(self, k, segment.t)) {
                for (&i, (low, high)) in rows.iter().zip(low.into_iter().zip(high)) {
                    if self.ranks[i].is_none() && low.min(high) < 0.0 {
                        let share = if low < 0.0 { 0.0 } else { low / (low - high) };
                        self.ranks[i] = self.parameter(end + share * (segment.t - end));
                    }
                }
            }
            end = segment.t;
        }
    }
}
