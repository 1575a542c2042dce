//! Points of the ROC plane as counts, the best of them, their upper convex envelope, and questions about it.

use crate::error::AdapterError;

/// A classifier on a line: +1 where f + shift > 0, with f the model at a position of the line.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Choice {
    /// The number of the line, from zero, in the order of [`super::explore::Plan::multiples`].
    pub line: usize,
    /// The position t on the line. Where the model jumps, the one ahead is taken, as by [`pathqp::Path::at`], in every fold.
    pub t: f64,
    /// The number that is added to f.
    pub shift: f64,
}

/// The numbers of false and true positives of a classifier on validation rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operating {
    /// The number of negative rows taken for positive.
    pub false_positives: usize,
    /// The number of positive rows taken for positive.
    pub true_positives: usize,
    /// The classifier.
    pub choice: Choice,
}

impl Operating {
    /// The numbers of false and of true positives.
    pub fn counts(&self) -> (usize, usize) {
        (self.false_positives, self.true_positives)
    }
}

/// The numbers of rows in each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The number of rows of the class −1.
    pub negatives: usize,
    /// The number of rows of the class +1.
    pub positives: usize,
}

impl Totals {
    /// Counts m labels, +1 or −1.
    ///
    /// # Errors
    /// [`AdapterError`] for a label that is neither, and for a single class, which has no ROC curve.
    pub fn of(labels: &[f64]) -> Result<Self, AdapterError> {
        crate::machine::check_labels(labels, labels.len())?;
        let positives = labels.iter().filter(|&&y| y > 0.0).count();
        match labels.len() {
            0 => Err(AdapterError::NoRows),
            rows => Ok(Totals { negatives: rows - positives, positives }),
        }
    }

    /// The rates [FPR, TPR] of a point.
    pub fn rates(&self, point: &Operating) -> [f64; 2] {
        [point.false_positives as f64 / self.negatives as f64, point.true_positives as f64 / self.positives as f64]
    }

    /// The mean cost (C₊·(false negatives) + C₋·(false positives))/m with C₊ = 2γ and C₋ = 2(1 − γ); for γ = ½ the error rate.
    pub fn cost(&self, point: &Operating, gamma: f64) -> f64 {
        let misses = (self.positives - point.true_positives) as f64;
        let alarms = point.false_positives as f64;
        (2.0 * gamma * misses + 2.0 * (1.0 - gamma) * alarms) / (self.positives + self.negatives) as f64
    }

    /// The area below a curve, given by its points in the order of increasing FPR, by the trapezoidal rule.
    pub fn area(&self, curve: &[Operating]) -> f64 {
        let steps = curve.windows(2).map(|p| {
            let ([u0, v0], [u1, v1]) = (self.rates(&p[0]), self.rates(&p[1]));
            (u1 - u0) * (v0 + v1) / 2.0
        });
        steps.sum()
    }
}

/// For each number of false positives the classifier with the most true positives among all that were offered; among equals the one with the most room
/// ([`Best::wants`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    totals: Totals,
    found: Vec<Option<Found>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    true_positives: usize,
    room: f64,
    choice: Choice,
}

impl Best {
    /// A collection without classifiers.
    pub fn new(totals: Totals) -> Self {
        Best { totals, found: vec![None; totals.negatives + 1] }
    }

    /// The numbers of rows in each class.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Whether a classifier with these counts and this room would replace the one with as many false positives. Its *room* is the product of the lengths by
    /// which the position and the threshold can change without a change of the counts: the larger it is, the less the choice depends on chance.
    pub fn wants(&self, false_positives: usize, true_positives: usize, room: f64) -> bool {
        let is_better = |f: &Found| (true_positives, room) > (f.true_positives, f.room);
        self.found.get(false_positives).is_some_and(|best| best.as_ref().is_none_or(is_better))
    }

    /// Adds a classifier if it is better than the one with as many false positives.
    pub fn offer(&mut self, point: Operating, room: f64) {
        let Operating { false_positives, true_positives, choice } = point;
        if self.wants(false_positives, true_positives, room)
            && let Some(best) = self.found.get_mut(false_positives)
        {
            *best = Some(Found { true_positives, room, choice });
        }
    }

    /// Adds all classifiers of another collection for the same rows.
    pub fn merge(&mut self, other: &Best) {
        for (false_positives, found) in other.found.iter().enumerate() {
            if let Some(Found { true_positives, room, choice }) = *found {
                self.offer(Operating { false_positives, true_positives, choice }, room);
            }
        }
    }

    /// All classifiers of the collection, in the order of increasing false positives.
    pub fn points(&self) -> impl Iterator<Item = Operating> {
        self.found.iter().enumerate().filter_map(|(false_positives, best)| {
            best.map(|Found { true_positives, choice, .. }| Operating { false_positives, true_positives, choice })
        })
    }

    /// Removes the classifier with this number of false positives.
    pub fn withdraw(&mut self, false_positives: usize) {
        if let Some(best) = self.found.get_mut(false_positives) {
            *best = None;
        }
    }

    /// The classifiers in the order of increasing false positives, without those that have no more true positives than one before.
    pub fn staircase(&self) -> Vec<Operating> {
        let mut steps: Vec<Operating> = Vec::new();
        for point in self.points() {
            if steps.last().is_none_or(|last| last.true_positives < point.true_positives) {
                steps.push(point);
            }
        }
        steps
    }

    /// The upper convex envelope, from FPR = 0 to FPR = 1.
    pub fn hull(&self) -> Vec<Operating> {
        upper_envelope(self.points())
    }

    /// The classifier with the largest TPR among those with FPR ≤ `most`; `None` if there is none.
    pub fn largest_tpr(&self, most: f64) -> Option<Operating> {
        let allowed = |p: &Operating| self.totals.rates(p)[0] <= most;
        self.staircase().into_iter().take_while(allowed).last()
    }

    /// The classifier with the least cost for C₊/C₋ = γ/(1 − γ); among equals the one with the fewest false positives. `None` for an empty collection.
    pub fn least_cost(&self, gamma: f64) -> Option<Operating> {
        let cost = |p: &Operating| self.totals.cost(p, gamma);
        self.hull().into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }
}

/// The upper convex envelope of points in the order of increasing false positives (the monotone chain of Andrew 1979, doi:10.1016/0020-0190(79)90072-3). Counts
/// are integers, so that no rounding is involved. Points inside an edge are left out.
pub fn upper_envelope(points: impl IntoIterator<Item = Operating>) -> Vec<Operating> {
    let place = |p: &Operating| (p.false_positives as i128, p.true_positives as i128);
    let mut hull: Vec<Operating> = Vec::new();
    for point in points {
        while let [.., a, b] = hull.as_slice() {
            let ((xa, ya), (xb, yb), (x, y)) = (place(a), place(b), place(&point));
            // b lies on or below the line from a to the new point.
            if (xb - xa) * (y - ya) < (yb - ya) * (x - xa) {
                break;
            }
            hull.pop();
        }
        match hull.last_mut() {
            Some(last) if last.false_positives == point.false_positives => {
                if point.true_positives > last.true_positives {
                    *last = point;
                }
            }
            _ => hull.push(point),
        }
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(points: &[(usize, usize)]) -> Best {
        let mut best = Best::new(Totals { negatives: 4, positives: 4 });
        for (k, &(false_positives, true_positives)) in points.iter().enumerate() {
            let choice = Choice { line: 0, t: k as f64, shift: 0.0 };
            best.offer(Operating { false_positives, true_positives, choice }, 0.0);
        }
        best
    }

    fn counts(points: &[Operating]) -> Vec<(usize, usize)> {
        points.iter().map(|p| (p.false_positives, p.true_positives)).collect()
    }

    #[test]
    fn the_envelope_has_the_extreme_points_only() {
        let best = best(&[(0, 0), (4, 4), (1, 2), (1, 1), (2, 3), (3, 3), (2, 2)]);
        // (2, 3) lies above the line from (1, 2) to (4, 4); (3, 3) below.
        assert_eq!(counts(&best.hull()), [(0, 0), (1, 2), (2, 3), (4, 4)]);
        assert_eq!(counts(&best.staircase()), [(0, 0), (1, 2), (2, 3), (4, 4)]);
        // By hand: 1/4·(0 + 2)/8 + 1/4·(2 + 3)/8 + 1/2·(3 + 4)/8.
        assert_eq!(best.totals().area(&best.hull()), 0.65625);
    }

    #[test]
    fn points_on_an_edge_are_left_out() {
        assert_eq!(counts(&best(&[(0, 0), (1, 1), (2, 2), (4, 4)]).hull()), [(0, 0), (4, 4)]);
        assert_eq!(counts(&best(&[(0, 4), (4, 4)]).hull()), [(0, 4), (4, 4)]);
    }

    #[test]
    fn questions_are_answered_with_classifiers() {
        let best = best(&[(0, 0), (4, 4), (1, 2), (2, 3)]);
        let tpr = |most: f64| best.largest_tpr(most).map(|p| p.true_positives);
        assert_eq!([0.0, 0.2499, 0.25, 0.6, 1.0].map(tpr), [Some(0), Some(0), Some(2), Some(3), Some(4)]);
        // Costs ×8/2 at γ = ½: 4, 3, 3, 4: the first of the two with three mistakes.
        assert_eq!(best.least_cost(0.5).map(|p| (p.false_positives, p.choice.t)), Some((1, 2.0)));
        assert_eq!(best.least_cost(0.0).map(|p| p.false_positives), Some(0));
        assert_eq!(best.least_cost(1.0).map(|p| p.true_positives), Some(4));
    }

    #[test]
    fn one_class_has_no_curve() {
        assert_eq!(Totals::of(&[1.0, 1.0]), Err(AdapterError::OneClass { class: 1.0, rows: 2 }));
        assert_eq!(Totals::of(&[]), Err(AdapterError::NoRows));
        assert_eq!(Totals::of(&[1.0, -1.0, -1.0]), Ok(Totals { negatives: 2, positives: 1 }));
    }
}
