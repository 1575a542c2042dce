//! Paths of one or several classifiers along one line of Θ, and their counts on validation rows.

use super::curve::{Best, Choice, Operating, Totals};
use super::recount::{Counts, recount};
use super::sweep::{Piece, Sweep, ordinary};
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::problem::KernelProblem;
use crate::rates::{Scores, Walk, signs};
use crate::view::Classifier;
use pathqp::{Path, Settings, trace};

/// Two positions are the same when they differ by at most so many times [`Settings::refine`], relative to themselves. That is how well x is known at an
/// event, relative to bounds that move like t, and so is the t at which it meets one; two paths may be off to either side.
const SAME: f64 = 4.0;

/// A classifier to be trained, and the rows on which it is validated: one fold of a cross-validation, or the only one for a separate validation set.
pub struct Fold {
    /// The problem on its training rows.
    pub problem: Box<dyn KernelProblem>,
    /// The validation rows, m × d.
    pub rows: Features,
    /// The labels of the validation rows, m values, +1 or −1.
    pub labels: Vec<f64>,
}

/// The labels of the validation rows of all folds, one fold after the other.
pub fn labels(folds: &[Fold]) -> Vec<f64> {
    folds.iter().flat_map(|fold| fold.labels.iter().copied()).collect()
}

/// The scores of all validation rows at one position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scored {
    /// The scores f, one for every validation row of every fold.
    pub f: Vec<f64>,
    /// Two scores count as equal if they differ by no more than this; one value for every score.
    pub noise: Vec<f64>,
}

/// A line of Θ with the path of every fold.
pub struct Followed<'a> {
    /// The number of the line, from zero.
    pub number: usize,
    folds: &'a [Fold],
    paths: Vec<Path<f64>>,
    labels: Vec<f64>,
    totals: Totals,
    /// Positions are the same up to this, relative to themselves.
    same: f64,
}

impl<'a> Followed<'a> {
    /// Follows the line from one θ to another (p entries each) in every fold.
    ///
    /// # Errors
    /// [`AdapterError`] for validation rows of one class only, or of the wrong shape; for what the adapters and the engine refuse; and for a path that does not
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
        let paths = folds.iter().map(|fold| follow(fold.problem.as_ref(), [from, to], settings));
        let paths = paths.collect::<Result<_, _>>()?;
        let same = SAME * settings.refine * f64::EPSILON;
        Ok(Followed { number, folds, paths, labels, totals, same })
    }

    /// The paths, one for each fold.
    pub fn paths(&self) -> &[Path<f64>] {
        &self.paths
    }

    /// The largest position t.
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
        self.folds
            .iter()
            .zip(&self.paths)
            .map(|(fold, path)| classifier(fold).and_then(|classifier| Walk::new(classifier, path)))
            .collect()
    }

    /// The nearest event of any fold after t.
    fn next_event(&self, t: f64) -> Option<f64> {
        let next = |path: &Path<f64>| {
            let segments = path.segments();
            segments.get(segments.partition_point(|s| s.t <= t)).map(|s| s.t)
        };
        self.paths.iter().filter_map(next).min_by(f64::total_cmp)
    }

    /// Whether rounding cannot tell two positions a ≤ b apart.
    fn is_same(&self, a: f64, b: f64) -> bool {
        b - a <= self.same * b
    }

    /// The last event of any fold up to t.
    fn last_event(&self, t: f64) -> f64 {
        let last = |path: &Path<f64>| {
            let segments = path.segments();
            segments[..segments.partition_point(|s| s.t <= t)].last().map(|s| s.t)
        };
        self.paths.iter().filter_map(last).fold(0.0, f64::max)
    }

    /// The position t if no event has the same position up to rounding, otherwise a position just beyond all such events. Several folds may have an event at
    /// the same position (where their free sets become empty, since the folds have the same shares of both classes), each with its own rounding. Just beyond
    /// it, all folds are on the same side of it, also when the paths are followed again.
    pub fn settle(&self, mut t: f64) -> f64 {
        let beyond = 1.0 + self.same;
        // Each time t grows beyond a further event.
        loop {
            let clear = self.last_event(t * beyond) * beyond;
            if t >= clear {
                return t.min(self.length());
            }
            t = clear;
        }
    }

    /// *Varying asymmetry*: the models of the line with their own intercepts, from its beginning to its end, between the points at which all rows are negative
    /// and all are positive. There is one point for every piece between two changes of a sign of f.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn as_trained(&self) -> Result<Vec<Operating>, AdapterError> {
        let pieces = self.pieces()?.into_iter().map(|(_, point)| point);
        let none = self.with_any_threshold(0.0)?.into_iter().next();
        let all = self.with_any_threshold(self.length())?.into_iter().next_back();
        let mut curve: Vec<Operating> = none.into_iter().chain(pieces).chain(all).collect();
        curve.dedup_by_key(|p| (p.false_positives, p.true_positives));
        Ok(curve)
    }

    /// The pieces of the line on which the counts of the models, with their own intercepts, stay the same. The counts are taken in the middle of the longest
    /// stretch of a piece on which no row changes its sign.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn pieces(&self) -> Result<Vec<([f64; 2], Operating)>, AdapterError> {
        let cuts = self.cuts()?;
        let middles: Vec<f64> = cuts.windows(2).map(|ends| ends[0] + (ends[1] - ends[0]) / 2.0).collect();
        let mut counted = Vec::with_capacity(middles.len());
        self.visit_scores(&middles, |t, scored| counted.push(self.as_it_is(t, scored)))?;
        let mut pieces: Vec<([f64; 2], Operating)> = Vec::new();
        let mut longest = 0.0;
        for (ends, point) in cuts.windows(2).zip(counted) {
            let length = ends[1] - ends[0];
            match pieces.last_mut() {
                Some((t, last)) if last.counts() == point.counts() => {
                    t[1] = ends[1];
                    if length > longest {
                        (longest, last.choice) = (length, point.choice);
                    }
                }
                _ => {
                    pieces.push(([ends[0], ends[1]], point));
                    longest = length;
                }
            }
        }
        Ok(pieces)
    }

    /// Where a row changes its sign, between the ends of the line; of positions that rounding cannot tell apart the last one.
    fn cuts(&self) -> Result<Vec<f64>, AdapterError> {
        let mut changes = Vec::new();
        for (fold, walk) in self.folds.iter().zip(&self.walks()?) {
            changes.extend(signs(walk, &fold.rows)?.into_iter().flat_map(|sign| sign.changes));
        }
        changes.sort_by(f64::total_cmp);
        let length = self.length();
        let apart = changes.chunk_by(|a, b| self.is_same(*a, *b)).filter_map(|same| same.last().copied());
        let inside = apart.filter(|&t| t > 0.0 && !self.is_same(t, length));
        Ok([0.0].into_iter().chain(inside).chain([length]).collect())
    }

    /// The counts of the models as they are at a position. f = 0 up to rounding is negative, as f = 0 is; where there is such a row the shift puts it
    /// clearly there.
    fn as_it_is(&self, t: f64, scored: &Scored) -> Operating {
        let rows = scored.f.iter().zip(&scored.noise);
        let zero = rows.filter(|(f, noise)| f.abs() <= **noise).map(|(_, noise)| *noise).fold(0.0, f64::max);
        let above = |class: f64| scored.f.iter().zip(&self.labels).filter(|(f, y)| **f > zero && **y == class).count();
        let choice = Choice { line: self.number, t, shift: 0.0 - zero };
        Operating { false_positives: above(-1.0), true_positives: above(1.0), choice }
    }

    /// *Varying intercept*: the ordinary ROC curve of the model at one position, [settled](Followed::settle).
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn with_any_threshold(&self, t: f64) -> Result<Vec<Operating>, AdapterError> {
        let t = self.settle(t);
        let scored = self.scores(&[t])?.into_iter().next().unwrap_or_default();
        Ok(ordinary(&scored.f, &self.labels, &scored.noise, (self.number, t)))
    }

    /// The scores at positions in ascending order.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn scores(&self, positions: &[f64]) -> Result<Vec<Scored>, AdapterError> {
        let mut found = Vec::with_capacity(positions.len());
        self.visit_scores(positions, |_, scored| found.push(scored.clone()))?;
        Ok(found)
    }

    /// The same one after the other, with the position.
    fn visit_scores(&self, positions: &[f64], mut visit: impl FnMut(f64, &Scored)) -> Result<(), AdapterError> {
        let walks = self.walks()?;
        let mut scores = self.score(&walks)?;
        let mut found = Scored::default();
        for &t in positions {
            found.f.clear();
            found.noise.clear();
            for scores in &mut scores {
                while scores.t[1] <= t && scores.advance() {}
                scores.at(t, &mut found.f);
                found.noise.extend(&scores.noise);
            }
            visit(t, &found);
        }
        Ok(())
    }

    fn score<'w>(&'w self, walks: &'w [Walk<'w>]) -> Result<Vec<Scores<'w, 'w>>, AdapterError> {
        walks.iter().zip(self.folds).map(|(walk, fold)| Scores::new(walk, &fold.rows)).collect()
    }

    /// *Varying both*: every threshold of every model of the line. Also returns how often two rows changed their order.
    ///
    /// # Errors
    /// As [`Followed::new`].
    pub fn with_all_thresholds(&self) -> Result<(Best, usize), AdapterError> {
        let walks = self.walks()?;
        let mut scores = self.score(&walks)?;
        let mut sweep = Sweep::new(self.number, &self.labels, Best::new(self.totals));
        let m = self.labels.len();
        let (mut start, mut end, mut noise) = (Vec::with_capacity(m), Vec::with_capacity(m), Vec::with_capacity(m));
        let (mut from, length) = (0.0, self.length());
        while from < length {
            let settled = self.settle(from);
            let next = self.next_event(settled).unwrap_or(length);
            let t = [settled, next * (1.0 - self.same)];
            if t[0] < t[1] {
                [&mut start, &mut end, &mut noise].into_iter().for_each(Vec::clear);
                for scores in &mut scores {
                    while scores.t[1] <= settled && scores.advance() {}
                    scores.at(t[0], &mut start);
                    scores.at(t[1], &mut end);
                    noise.extend(&scores.noise);
                }
                sweep.piece(&Piece { t, f: [&start, &end], noise: &noise });
            }
            from = next;
        }
        Ok((sweep.best, sweep.crossings))
    }

    /// The counts of classifiers of this line in each fold, from the stored paths; see [`recount`].
    ///
    /// # Errors
    /// A position that is not on the line.
    pub fn recount(&self, choices: &[Choice]) -> Result<Vec<Vec<Counts>>, AdapterError> {
        recount(self.folds, &self.paths, choices)
    }

    /// For each of some points of this line whether its classifier has the counts of the point.
    ///
    /// # Errors
    /// As [`Followed::recount`].
    pub fn holds(&self, points: &[Operating]) -> Result<Vec<bool>, AdapterError> {
        let choices: Vec<Choice> = points.iter().map(|point| point.choice).collect();
        let holds = |(point, folds): (&Operating, Vec<Counts>)| {
            let sum = |of: fn(&Counts) -> usize| folds.iter().map(of).sum::<usize>();
            point.counts() == (sum(|c| c.false_positives), sum(|c| c.true_positives))
        };
        Ok(points.iter().zip(self.recount(&choices)?).map(holds).collect())
    }
}

/// The path from one θ to another, to its end.
pub(super) fn follow(
    problem: &dyn KernelProblem,
    [from, to]: [&[f64]; 2],
    settings: &Settings,
) -> Result<Path<f64>, AdapterError> {
    let qp = problem.qp(settings)?;
    let line = qp.line(from, to)?;
    let start = problem.start(&qp, from, settings);
    let path = trace(&line, &start, settings, &mut ()).map_err(|failure| failure.0)?;
    if path.is_complete() {
        return Ok(path);
    }
    Err(AdapterError::Stopped { reached: *path.end(), length: line.length().unwrap_or(f64::INFINITY) })
}

/// What is known of a fold's classifier.
fn classifier(fold: &Fold) -> Result<Classifier<'_>, AdapterError> {
    fold.problem
        .view()
        .classifier()
        .ok_or(AdapterError::NoAnswer { what: "label of a row: this problem is not a classifier" })
}
