//! Paths of one or several classifiers along one line of Θ, and what they do on validation rows.

use super::curve::{Best, Choice, Operating, Totals};
use super::sweep::{Piece, Sweep, ordinary};
use crate::adapter::Adapter;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::rates::{Scores, Walk, signs};
use pathqp::{Path, Settings, trace};

/// A classifier to be trained, and the rows on which it is validated. The folds of a cross-validation are several; a
/// validation set of its own makes one.
pub struct Fold {
    /// The problem on its training rows.
    pub adapter: Box<dyn Adapter>,
    /// The validation rows, m × d.
    pub rows: Features,
    /// Their labels, m values, +1 or −1.
    pub labels: Vec<f64>,
}

/// The labels of the validation rows of all folds, one fold after the other.
pub fn labels(folds: &[Fold]) -> Vec<f64> {
    folds.iter().flat_map(|fold| fold.labels.iter().copied()).collect()
}

/// The scores of all validation rows at one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    /// f, a value for every validation row of every fold.
    pub f: Vec<f64>,
    /// Up to this, two values are equal.
    pub noise: Vec<f64>,
}

/// A line of Θ with the path of every fold.
pub struct Followed<'a> {
    /// Its number among the lines.
    pub number: usize,
    folds: &'a [Fold],
    paths: Vec<Path<f64>>,
    labels: Vec<f64>,
    totals: Totals,
}

impl<'a> Followed<'a> {
    /// Follows the line from one θ to another (p entries each) in every fold.
    ///
    /// # Errors
    /// Validation rows of one class only, or that do not fit; what the adapters and the engine refuse; a path that does not
    /// reach the end.
    pub fn new(
        number: usize,
        folds: &'a [Fold],
        [from, to]: [&[f64]; 2],
        settings: &Settings,
    ) -> Result<Self, AdapterError> {
        let labels = labels(folds);
        let totals = Totals::of(&labels)?;
        for fold in folds {
            let (expected, found) = (fold.rows.rows(), fold.labels.len());
            if found != expected {
                return Err(AdapterError::Shape { what: "labels", expected, found });
            }
        }
        let paths = folds.iter().map(|fold| follow(fold.adapter.as_ref(), [from, to], settings));
        let paths = paths.collect::<Result<_, _>>()?;
        Ok(Followed { number, folds, paths, labels, totals })
    }

    /// The paths, one a fold.
    pub fn paths(&self) -> &[Path<f64>] {
        &self.paths
    }

    /// The largest position.
    pub fn length(&self) -> f64 {
        self.paths.first().map_or(0.0, |path| *path.end())
    }

    /// θ at a position.
    pub fn theta(&self, t: f64) -> Vec<f64> {
        self.paths.first().map_or_else(Vec::new, |path| path.parameter(&t))
    }

    /// The numbers of validation rows in each class.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    fn walks(&self) -> Result<Vec<Walk<'_>>, AdapterError> {
        self.folds.iter().zip(&self.paths).map(|(fold, path)| Walk::new(fold.adapter.as_ref(), path)).collect()
    }

    /// *Varying asymmetry*: the models of the line as they are, from its beginning to its end, between the points where all
    /// rows are negative and where all are positive. A point for every piece between two changes of a sign of f.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn as_trained(&self) -> Result<Vec<Operating>, AdapterError> {
        let pieces = self.pieces()?;
        let point = |(t, point): ([f64; 2], Operating)| Operating {
            choice: Choice { t: (t[0] + t[1]) / 2.0, ..point.choice },
            ..point
        };
        let none = self.with_any_threshold(0.0)?.into_iter().next();
        let all = self.with_any_threshold(self.length())?.into_iter().next_back();
        let mut curve: Vec<Operating> = none.into_iter().chain(pieces.into_iter().map(point)).chain(all).collect();
        curve.dedup_by_key(|p| (p.false_positives, p.true_positives));
        Ok(curve)
    }

    /// The pieces of the line on which the counts of the models as they are stay.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn pieces(&self) -> Result<Vec<([f64; 2], Operating)>, AdapterError> {
        let walks = self.walks()?;
        let mut rows = Vec::new();
        for (fold, walk) in self.folds.iter().zip(&walks) {
            rows.extend(signs(walk, &fold.rows)?);
        }
        // counts[0] are false positives, counts[1] true positives.
        let class = |row: usize| usize::from(self.labels[row] > 0.0);
        let mut counts = [0_usize; 2];
        let mut now: Vec<bool> = rows.iter().map(|sign| sign.first).collect();
        now.iter().enumerate().for_each(|(row, above)| counts[class(row)] += usize::from(*above));
        let changes = rows.iter().enumerate().flat_map(|(row, sign)| sign.changes.iter().map(move |&t| (t, row)));
        let mut changes: Vec<(f64, usize)> = changes.collect();
        changes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pieces: Vec<([f64; 2], Operating)> = Vec::new();
        let mut push = |from: f64, to: f64, [false_positives, true_positives]: [usize; 2]| {
            let choice = Choice { line: self.number, t: from, shift: 0.0 };
            let point = Operating { false_positives, true_positives, choice };
            match pieces.last_mut() {
                Some((t, last)) if (last.false_positives, last.true_positives) == (false_positives, true_positives) => {
                    t[1] = to;
                }
                _ if to > from => pieces.push(([from, to], point)),
                _ => {}
            }
        };
        let mut from = 0.0;
        for step in changes.chunk_by(|a, b| a.0 == b.0) {
            push(from, step[0].0, counts);
            from = step[0].0;
            for &(_, row) in step {
                now[row] = !now[row];
                if now[row] { counts[class(row)] += 1 } else { counts[class(row)] -= 1 }
            }
        }
        push(from, self.length(), counts);
        Ok(pieces)
    }

    /// *Varying intercept*: the ordinary ROC curve of the model at one position.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn with_any_threshold(&self, t: f64) -> Result<Vec<Operating>, AdapterError> {
        let scored = self.scores(&[t])?.into_iter().next().unwrap_or_default();
        Ok(ordinary(&scored.f, &self.labels, &scored.noise, (self.number, t)))
    }

    /// The scores at positions in increasing order.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn scores(&self, positions: &[f64]) -> Result<Vec<Scored>, AdapterError> {
        let mut found = vec![Scored::default(); positions.len()];
        let walks = self.walks()?;
        for (fold, walk) in self.folds.iter().zip(&walks) {
            let mut scores = Scores::new(walk, &fold.rows)?;
            for (&t, found) in positions.iter().zip(&mut found) {
                while scores.t[1] <= t && scores.advance() {}
                let share = share(scores.t, t);
                let value = |(a, b): (&f64, &f64)| a + share * (b - a);
                found.f.extend(scores.f[0].iter().zip(&scores.f[1]).map(value));
                found.noise.extend(&scores.noise);
            }
        }
        Ok(found)
    }

    /// *Varying both*: every threshold of every model of the line. Returns how often two rows changed their order too.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn with_all_thresholds(&self) -> Result<(Best, usize), AdapterError> {
        let walks = self.walks()?;
        let mut scores = Vec::with_capacity(walks.len());
        for (fold, walk) in self.folds.iter().zip(&walks) {
            scores.push(Scores::new(walk, &fold.rows)?);
        }
        let mut sweep = Sweep::new(self.number, &self.labels, Best::new(self.totals));
        let m = self.labels.len();
        let (mut start, mut end, mut noise) = (Vec::with_capacity(m), Vec::with_capacity(m), Vec::with_capacity(m));
        let (mut from, length) = (0.0, self.length());
        while from < length {
            let nearest = scores.iter().map(|s| s.t[1]).filter(|&t| t > from).fold(length, f64::min);
            [&mut start, &mut end, &mut noise].into_iter().for_each(Vec::clear);
            for scores in &scores {
                let shares = [from, nearest].map(|t| share(scores.t, t));
                for (a, b) in scores.f[0].iter().zip(&scores.f[1]) {
                    start.push(a + shares[0] * (b - a));
                    end.push(a + shares[1] * (b - a));
                }
                noise.extend(&scores.noise);
            }
            sweep.piece(&Piece { t: [from, nearest], f: [&start, &end], noise: &noise });
            from = nearest;
            for scores in &mut scores {
                while scores.t[1] <= from && scores.advance() {}
            }
        }
        Ok((sweep.best, sweep.crossings))
    }
}

/// Where t lies between two positions, from 0 to 1.
fn share([a, b]: [f64; 2], t: f64) -> f64 {
    if b > a { ((t - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 }
}

/// The path from one θ to another, to its end.
pub(super) fn follow(
    adapter: &dyn Adapter,
    [from, to]: [&[f64]; 2],
    settings: &Settings,
) -> Result<Path<f64>, AdapterError> {
    let qp = adapter.qp(settings)?;
    let line = qp.line(from, to)?;
    let start = adapter.start(&qp, from, settings);
    let path = trace(&line, &start, settings, &mut ()).map_err(|failure| failure.0)?;
    if path.is_complete() {
        return Ok(path);
    }
    Err(AdapterError::Stopped { reached: *path.end(), length: line.length.unwrap_or(f64::INFINITY) })
}
