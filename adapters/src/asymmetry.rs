//! The best penalty of an SVM for every asymmetry of its costs, judged by held-out rows.
//!
//! A miss (a row of the class +1 classified as −1) costs 2γ and a false alarm 2(1 − γ). The quantile SVM has γ = 1 − τ. The SVM with a cost for each class has
//! C₊ = 2γc and C₋ = 2(1 − γ)c, which for γ = ½ is the ordinary SVM with C = c. The varying parameter v is τ or γ; the penalty, λ or c, is chosen from a grid
//! (Yu, Vishwanathan and Zhang 2009, §6, choose λ from six powers of ten by the error at τ = ½ on a validation set).
//!
//! *One penalty.* All v are one path in each fold. Along it the signs of f at the held-out rows change at known values of v ([`Followed::pieces`]). Between two
//! of them there are a misses and b false alarms among all m held-out rows, each counted once (case weights count in training only), and the loss is affine in
//! v:
//!
//! ```text
//! cost   (2/m)(γa + (1 − γ)b)  =  (2/m)(a + τ(b − a))  =  (2/m)(b + γ(a − b))              error   (a + b)/m
//! ```
//!
//! *All penalties.* Between two neighbouring values of v at which any sign changes, every penalty has one such line, and the best penalty is their lower
//! envelope. It is found from left to right: beginning with the line that is least at the left end, the next one is always the line of smaller slope that
//! crosses it first, so that no line occurs twice. Among equal lines the first one in the order of the grid is taken.
//!
//! *Recount.* For each piece of the answer the errors are counted again: the solutions are read from the stored paths, and f is evaluated at the held-out rows.

use crate::bias::Bias;
use crate::bilevel::{self, Pose};
use crate::cost_svm::CostSvm;
use crate::dataset::Features;
use crate::error::{AdapterError, positive};
use crate::kernel::KernelKind;
use crate::problem::KernelProblem;
use crate::quantile_svm::QuantileSvm;
use crate::roc::recount::Counts;
use crate::roc::{self, Fold, Followed, Operating, Totals};
use crate::spec::Rows;
use pathqp::Settings;
use std::cmp::Ordering;

/// The default grid of λ, that of Yu, Vishwanathan and Zhang (2009, §6).
pub const LAMBDAS: [f64; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// The default grid of c.
pub const COSTS: [f64; 6] = [1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3];

/// The parameter v that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Varied {
    /// The quantile parameter τ = 1 − γ.
    Tau,
    /// The asymmetry γ.
    Gamma,
}

/// The loss on the held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldOut {
    /// The mean cost, with the costs of the same asymmetry.
    Cost,
    /// The share of wrong classifications.
    Error,
}

/// A penalty and its paths.
struct Line<'a> {
    penalty: f64,
    followed: Followed<'a>,
    pieces: Vec<([f64; 2], Operating)>,
}

/// A penalty of the grid, with the folds posed with it and the line of Θ along which v varies.
pub struct Candidate {
    /// The penalty: λ or c.
    pub penalty: f64,
    /// The problems on training rows, each with the rows that are held out.
    pub folds: Vec<Fold>,
    /// θ at the smallest and at the largest v.
    pub ends: [Vec<f64>; 2],
}

/// An interval of v with one best penalty and one pair of error counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The ends of the interval.
    pub vary: [f64; 2],
    /// The best penalty.
    pub penalty: f64,
    /// The loss at both ends of the interval.
    pub loss: [f64; 2],
    /// The numbers of misses and of false alarms.
    pub errors: [usize; 2],
    /// Whether the best penalty is an end of the grid, and no other penalty is as good.
    pub at_end: bool,
    /// The place in the grid, and its classifier.
    line: usize,
    point: Operating,
}

/// The loss of one penalty on the held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The penalty.
    pub penalty: f64,
    /// Intervals of v without gaps, in ascending order, with the loss at both ends: affine between them.
    pub pieces: Vec<([f64; 2], [f64; 2])>,
}

/// The result of counting the errors of all pieces again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recount {
    /// The number of pieces.
    pub points: usize,
    /// The largest absolute difference between a loss and its recount.
    pub worst: f64,
    /// The v at which that difference was found, the middle of its piece.
    pub at: f64,
}

/// The best penalties for an interval of v.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The pieces in ascending order of v, without gaps.
    pub pieces: Vec<Piece>,
    /// The losses of all penalties, in the order of the candidates.
    pub curves: Vec<Curve>,
    /// How often the errors change along v, summed over all penalties.
    pub steps: usize,
    /// The number of breakpoints of all paths.
    pub breakpoints: usize,
    /// The number of held-out rows.
    pub held_out: usize,
    /// The recount of all pieces.
    pub recount: Recount,
}

impl Tuned {
    /// The best penalty at v and its loss; where two pieces meet, the better one. `None` outside the range.
    pub fn at(&self, v: f64) -> Option<(f64, f64)> {
        let near = self.pieces.iter().filter(|piece| piece.vary[0] <= v && v <= piece.vary[1]);
        let of = |piece: &Piece| {
            let [from, to] = piece.vary;
            let part = if to > from { (v - from) / (to - from) } else { 0.0 };
            (piece.penalty, piece.loss[0] + part * (piece.loss[1] - piece.loss[0]))
        };
        near.map(of).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Whether for some v the best penalty is an end of the grid, and no other is as good.
    pub fn at_end(&self) -> bool {
        self.pieces.iter().any(|piece| piece.at_end)
    }
}

/// The loss as p + q·v, times m/2: whole numbers for the cost, halves for the error.
fn line_of(varied: Varied, loss: HeldOut, errors: [usize; 2]) -> [f64; 2] {
    let [misses, alarms] = errors.map(|count| count as f64);
    match (loss, varied) {
        (HeldOut::Error, _) => [(misses + alarms) / 2.0, 0.0],
        (HeldOut::Cost, Varied::Tau) => [misses, alarms - misses],
        (HeldOut::Cost, Varied::Gamma) => [alarms, misses - alarms],
    }
}

/// A tuning problem.
pub struct Question<'a> {
    /// The varying parameter: τ of the quantile SVM, or γ of the SVM with a cost for each class.
    pub varied: Varied,
    /// The interval of the varying parameter, within [0, 1].
    pub range: [f64; 2],
    /// The penalties λ or c, in any order.
    pub grid: Vec<f64>,
    /// The rows, labels and weights.
    pub rows: &'a Rows,
    /// The kernel.
    pub kernel: KernelKind,
    /// The kind of bias.
    pub bias: Bias,
    /// Held-out rows and their labels; `None` for cross-validation on the training rows.
    pub held: Option<(Features, Vec<f64>)>,
    /// The number of folds k of cross-validation: row i is held out in fold i mod k.
    pub folds: usize,
}

impl Question<'_> {
    /// The penalties with their folds, the strongest penalty first.
    ///
    /// # Errors
    /// [`AdapterError`] for a range that does not lie within [0, 1], for folds that cannot be made, and for data that the problems refuse.
    pub fn candidates(&self) -> Result<Vec<Candidate>, AdapterError> {
        for (name, end) in [("from", self.range[0]), ("to", self.range[1])] {
            if !(0.0..=1.0).contains(&end) {
                return Err(AdapterError::Parameter { name, value: end, expected: "lie between 0 and 1" });
            }
        }
        let (kernel, bias, range) = (self.kernel, self.bias, self.range);
        let mut grid = self.grid.clone();
        grid.sort_by(|a, b| if self.varied == Varied::Tau { b.total_cmp(a) } else { a.total_cmp(b) });
        grid.dedup();
        let candidate = |penalty: f64| {
            let (folds, ends) = match self.varied {
                Varied::Tau => {
                    let folds = self.split(&|x, y, v| QuantileSvm::new(x, y, v, penalty, kernel, bias))?;
                    (folds, range.map(|tau| vec![tau]))
                }
                Varied::Gamma => {
                    positive("c", penalty)?;
                    let folds = self.split(&|x, y, v| CostSvm::new(x, y, v, kernel, bias))?;
                    (folds, range.map(|gamma| [gamma, 1.0 - gamma].map(|share| 2.0 * share * penalty).to_vec()))
                }
            };
            Ok(Candidate { penalty, folds, ends })
        };
        grid.into_iter().map(candidate).collect()
    }

    fn split<P: KernelProblem + Clone + 'static>(&self, pose: &Pose<'_, P>) -> Result<Vec<Fold>, AdapterError> {
        let Rows { features, response, weights } = self.rows;
        let split = match &self.held {
            Some((rows, labels)) => {
                if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
                    return Err(AdapterError::Label { row, value: labels[row] });
                }
                let whole = pose(features.clone(), response.clone(), weights.clone())?;
                vec![bilevel::Fold::new(whole, rows.clone(), labels.clone(), None)?]
            }
            None => {
                let how = (self.folds, self.kernel == KernelKind::Precomputed);
                bilevel::Fold::split_by(features, response, weights.as_deref(), how, pose)?
            }
        };
        let fold = |fold: &bilevel::Fold<P>| Fold {
            problem: Box::new(fold.problem().clone()),
            rows: fold.rows().clone(),
            labels: fold.responses().to_vec(),
        };
        Ok(split.iter().map(fold).collect())
    }
}

/// Finds the best penalty of a grid for every v from `range[0]` to `range[1]`. Among equally good candidates the first one is taken.
///
/// # Errors
/// [`AdapterError`] for no candidate, an empty range, and what [`Followed::new`] refuses.
pub fn tune(
    candidates: &[Candidate],
    (varied, range): (Varied, [f64; 2]),
    loss: HeldOut,
    settings: &Settings,
) -> Result<Tuned, AdapterError> {
    if range[0].partial_cmp(&range[1]) != Some(Ordering::Less) {
        return Err(AdapterError::Parameter { name: "to", value: range[1], expected: "be greater than from" });
    }
    let lines = candidates
        .iter()
        .enumerate()
        .map(|(k, one)| follow(k, one, range, settings))
        .collect::<Result<Vec<Line>, AdapterError>>()?;
    let none = AdapterError::Parameter { name: "grid", value: 0.0, expected: "be at least one number" };
    let totals = lines.first().map(|line| line.followed.totals()).ok_or(none)?;
    let mut pieces = envelope(&lines, totals, varied, loss);
    let held_out = totals.positives + totals.negatives;
    let value = |errors: [usize; 2], v: f64| {
        let [p, q] = line_of(varied, loss, errors);
        2.0 * (p + q * v) / held_out as f64
    };
    for piece in &mut pieces {
        piece.loss = piece.vary.map(|v| value(piece.errors, v));
    }
    let curve = |line: &Line| {
        let loss = |(vary, point): &([f64; 2], Operating)| vary.map(|v| value(errors(totals, point.counts()), v));
        Curve { penalty: line.penalty, pieces: line.pieces.iter().map(|piece| (piece.0, loss(piece))).collect() }
    };
    let curves = lines.iter().map(curve).collect();
    let recount = recount(&lines, &pieces, totals, value)?;
    let breakpoints = lines.iter().flat_map(|line| line.followed.paths()).map(|path| path.breakpoints().len()).sum();
    let steps = lines.iter().map(|line| line.pieces.len()).sum();
    Ok(Tuned { pieces, curves, steps, breakpoints, held_out, recount })
}

/// The paths of a penalty, with the pieces of its errors by v.
fn follow<'a>(
    number: usize,
    candidate: &'a Candidate,
    range: [f64; 2],
    settings: &Settings,
) -> Result<Line<'a>, AdapterError> {
    let [from, to] = &candidate.ends;
    let followed = Followed::new(number, &candidate.folds, [from, to], settings)?;
    let scale = (range[1] - range[0]) / followed.length();
    let mut pieces = followed.pieces()?;
    for (ends, _) in &mut pieces {
        *ends = ends.map(|t| range[0] + t * scale);
    }
    // The ends of the range are what they were asked to be.
    if let Some((ends, _)) = pieces.first_mut() {
        ends[0] = range[0];
    }
    if let Some((ends, _)) = pieces.last_mut() {
        ends[1] = range[1];
    }
    Ok(Line { penalty: candidate.penalty, followed, pieces })
}

/// Misses and false alarms.
fn errors(totals: Totals, (false_positives, true_positives): (usize, usize)) -> [usize; 2] {
    [totals.positives - true_positives, false_positives]
}

/// The lower envelope of the steps of all penalties.
fn envelope(lines: &[Line<'_>], totals: Totals, varied: Varied, loss: HeldOut) -> Vec<Piece> {
    let mut places: Vec<f64> = lines.iter().flat_map(|line| &line.pieces).flat_map(|(ends, _)| *ends).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut now = vec![0; lines.len()];
    let mut out: Vec<Piece> = Vec::new();
    for ends in places.windows(2) {
        for (line, now) in lines.iter().zip(&mut now) {
            while *now + 1 < line.pieces.len() && line.pieces[*now].0[1] <= ends[0] {
                *now += 1;
            }
        }
        let points: Vec<Operating> = lines.iter().zip(&now).map(|(line, &now)| line.pieces[now].1).collect();
        let losses: Vec<[f64; 2]> =
            points.iter().map(|point| line_of(varied, loss, errors(totals, point.counts()))).collect();
        for (vary, best) in lowest(&losses, [ends[0], ends[1]]) {
            let errors = errors(totals, points[best].counts());
            let at_end = is_alone_at_end(&losses, best, vary[0] + (vary[1] - vary[0]) / 2.0);
            match out.last_mut() {
                Some(last) if (last.line, last.errors, last.at_end) == (best, errors, at_end) => last.vary[1] = vary[1],
                _ => out.push(Piece {
                    vary,
                    penalty: lines[best].penalty,
                    loss: [f64::NAN; 2],
                    errors,
                    at_end,
                    line: best,
                    point: points[best],
                }),
            }
        }
    }
    out
}

/// Whether the best line is the first or the last one, and no other is as low at v.
fn is_alone_at_end(lines: &[[f64; 2]], best: usize, v: f64) -> bool {
    let value = |line: &[f64; 2]| line[0] + line[1] * v;
    let others = lines.iter().enumerate().filter(|(k, _)| *k != best);
    let is_end = lines.len() > 1 && (best == 0 || best + 1 == lines.len());
    is_end && others.map(|(_, line)| value(line)).all(|other| other > value(&lines[best]))
}

/// The lower envelope of lines p + q·v on an interval: its parts, and which line is least on each.
fn lowest(lines: &[[f64; 2]], [from, to]: [f64; 2]) -> Vec<([f64; 2], usize)> {
    let value = |k: usize, v: f64| lines[k][0] + lines[k][1] * v;
    let before = |a: &usize, b: &usize, v: f64| {
        value(*a, v).total_cmp(&value(*b, v)).then(lines[*a][1].total_cmp(&lines[*b][1])).then(a.cmp(b))
    };
    let Some(mut best) = (0..lines.len()).min_by(|a, b| before(a, b, from)) else { return Vec::new() };
    let (mut at, mut out) = (from, Vec::new());
    loop {
        let crossing = |k: usize| {
            let fall = lines[best][1] - lines[k][1];
            (fall > 0.0).then(|| ((lines[k][0] - lines[best][0]) / fall, k))
        };
        let next = (0..lines.len()).filter_map(crossing).filter(|(v, _)| *v < to);
        let next =
            next.min_by(|a, b| a.0.total_cmp(&b.0).then(lines[a.1][1].total_cmp(&lines[b.1][1])).then(a.1.cmp(&b.1)));
        let Some((v, k)) = next else { break };
        if v > at {
            out.push(([at, v], best));
            at = v;
        }
        best = k;
    }
    out.push(([at, to], best));
    out
}

/// Counts the errors of every piece again, all pieces of a penalty together.
fn recount(
    lines: &[Line<'_>],
    pieces: &[Piece],
    totals: Totals,
    loss: impl Fn([usize; 2], f64) -> f64,
) -> Result<Recount, AdapterError> {
    let mut found = Recount { points: pieces.len(), ..Recount::default() };
    for (number, line) in lines.iter().enumerate() {
        let own: Vec<&Piece> = pieces.iter().filter(|piece| piece.line == number).collect();
        let choices: Vec<roc::Choice> = own.iter().map(|piece| piece.point.choice).collect();
        for (piece, folds) in own.iter().zip(line.followed.recount(&choices)?) {
            let sum = |of: fn(&Counts) -> usize| folds.iter().map(of).sum::<usize>();
            let again = errors(totals, (sum(|c| c.false_positives), sum(|c| c.true_positives)));
            let middle = piece.vary[0] + (piece.vary[1] - piece.vary[0]) / 2.0;
            let off = (loss(again, middle) - loss(piece.errors, middle)).abs();
            if off > found.worst {
                (found.worst, found.at) = (off, middle);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::lowest;

    #[test]
    fn the_lowest_lines_are_those_of_a_dense_grid() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..300 {
            let lines: Vec<[f64; 2]> = (0..6).map(|_| [0, 1].map(|_| random.i32(-4..5)).map(f64::from)).collect();
            let parts = lowest(&lines, [0.25, 0.75]);
            assert_eq!((parts[0].0[0], parts.last().unwrap().0[1]), (0.25, 0.75));
            assert!(parts.windows(2).all(|two| two[0].0[1] == two[1].0[0] && two[0].1 != two[1].1));
            for k in 0..=1000 {
                let v = 0.25 + 0.5 * f64::from(k) / 1000.0;
                let least = lines.iter().map(|[p, q]| p + q * v).fold(f64::INFINITY, f64::min);
                let (_, best) = parts.iter().find(|(ends, _)| ends[0] <= v && v <= ends[1]).unwrap();
                assert!((lines[*best][0] + lines[*best][1] * v - least).abs() < 1e-12);
            }
        }
    }
}
