//! The choice of the lines in the plane of costs, and the three curves.

use super::curve::{Best, Choice, Operating, Totals};
use super::line::{Fold, Followed, follow};
use crate::cost_svm::CostSvm;
use crate::course::Direction;
use crate::dataset::Features;
use crate::error::{AdapterError, positive};
use crate::problem::{KernelProblem, Model};
use pathqp::Settings;

/// The lines to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// R, the multiples of the first sum C₊ + C₋ for which lines are followed; the curves of the first one are returned separately.
    pub multiples: Vec<f64>,
    /// The first sum C₊ + C₋. Default: the best one on the balanced line.
    pub sum: Option<f64>,
    /// The largest C₊ + C₋ considered on the balanced line.
    pub max_sum: f64,
    /// The asymmetry C₊/(C₊ + C₋) of the cost by which the best point of the balanced line is chosen.
    pub gamma: f64,
}

impl Default for Plan {
    /// R = {1, 10, 1/10}, sums up to 100, both kinds of errors cost the same.
    fn default() -> Self {
        Plan { multiples: vec![1.0, 10.0, 0.1], sum: None, max_sum: 100.0, gamma: 0.5 }
    }
}

/// A line C₊ + C₋ = sum, with counters.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LineSummary {
    /// The sum C₊ + C₋.
    pub sum: f64,
    /// The number of breakpoints, over all folds.
    pub breakpoints: usize,
    /// How often two validation rows changed their order by score.
    pub crossings: usize,
}

/// ROC curves of a cost-asymmetric SVM.
#[derive(Clone, Debug, PartialEq)]
pub struct Roc {
    /// The numbers of validation rows in each class.
    pub totals: Totals,
    /// The costs (C₊¹, C₋¹) at which the balanced line meets the first line.
    pub costs: [f64; 2],
    /// The end of the balanced line, if it was followed to find the first sum.
    pub balanced: Option<[f64; 2]>,
    /// The lines, in the order of R.
    pub lines: Vec<LineSummary>,
    /// Varying the intercept on the first line: the ordinary ROC curve at `costs`.
    pub intercept: Vec<Operating>,
    /// Varying the asymmetry on the first line, in the order of increasing C₊.
    pub asymmetry: Vec<Operating>,
    /// Varying both on the first line.
    pub both: Best,
    /// Varying both on all lines.
    pub all: Best,
    /// The result of counting the points of all of these again.
    pub recount: Recount,
}

/// The number of points that were counted again from their classifiers, and of those that were wrong and are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Recount {
    /// The number of points counted again.
    pub points: usize,
    /// The number of points withdrawn because their classifiers have other counts.
    pub withdrawn: usize,
}

/// The line C₊ + C₋ = sum from C₊ = 0 to C₋ = 0: the position is C₊.
///
/// # Errors
/// As [`Followed::new`]; a sum that is not positive.
pub fn constant_sum<'a>(
    number: usize,
    folds: &'a [Fold],
    sum: f64,
    settings: &Settings,
) -> Result<Followed<'a>, AdapterError> {
    let sum = positive("sum", sum)?;
    Followed::new(number, folds, [&[0.0, sum], &[sum, 0.0]], settings)
}

/// Follows the balanced line first, unless a sum is given, and then every line of the plan (§3.2 of the paper). `svm` is the SVM on all training rows, whose
/// class sizes determine the balanced line.
///
/// Unlike in the paper, where a line is followed from the balanced line in both directions, each line of constant sum is followed from its end at C₊ = 0, where
/// the solution is known in closed form.
///
/// # Errors
/// As [`Followed::new`]; a plan without lines, or with sums that are not positive.
pub fn explore(svm: &CostSvm, folds: &[Fold], plan: &Plan, settings: &Settings) -> Result<Roc, AdapterError> {
    let direction = svm.ray(Some(Direction::Balanced));
    let whole = direction[0] + direction[1];
    let (sum, balanced) = match plan.sum {
        Some(sum) => (positive("sum", sum)?, None),
        None => {
            let end = direction.map(|d| d * plan.max_sum / whole);
            (best_sum(folds, end, plan, settings)?, Some(end))
        }
    };
    let costs = direction.map(|d| d * sum / whole);
    let mut roc: Option<Roc> = None;
    let mut recount = Recount::default();
    for (number, multiple) in plan.multiples.iter().enumerate() {
        let followed = constant_sum(number, folds, sum * positive("multiple", *multiple)?, settings)?;
        let (mut both, crossings) = followed.with_all_thresholds()?;
        // The models as they are, and all thresholds of the one on the balanced line, belong to them.
        let intercept = recount.kept(&followed, followed.with_any_threshold(costs[0] * multiple)?)?;
        let asymmetry = recount.kept(&followed, followed.as_trained()?)?;
        intercept.iter().chain(&asymmetry).for_each(|point| both.offer(*point, 0.0));
        let found: Vec<Operating> = both.points().collect();
        for (point, _) in found.iter().zip(recount.holds(&followed, &found)?).filter(|(_, holds)| !*holds) {
            both.withdraw(point.false_positives);
        }
        let breakpoints = followed.paths().iter().map(|path| path.breakpoints().len()).sum();
        let line = LineSummary { sum: followed.length(), breakpoints, crossings };
        match &mut roc {
            None => {
                let (totals, all, lines) = (followed.totals(), both.clone(), vec![line]);
                roc = Some(Roc { totals, costs, balanced, lines, intercept, asymmetry, both, all, recount });
            }
            Some(roc) => {
                roc.all.merge(&both);
                roc.lines.push(line);
            }
        }
    }
    let none = AdapterError::Parameter { name: "multiples", value: 0.0, expected: "be at least one number" };
    roc.map(|roc| Roc { recount, ..roc }).ok_or(none)
}

impl Recount {
    fn holds(&mut self, followed: &Followed<'_>, points: &[Operating]) -> Result<Vec<bool>, AdapterError> {
        let holds = followed.holds(points)?;
        self.points += points.len();
        self.withdrawn += holds.iter().filter(|holds| !**holds).count();
        Ok(holds)
    }

    /// The points that are what their classifiers do.
    fn kept(&mut self, followed: &Followed<'_>, points: Vec<Operating>) -> Result<Vec<Operating>, AdapterError> {
        let holds = self.holds(followed, &points)?;
        Ok(points.into_iter().zip(holds).filter(|(_, holds)| *holds).map(|(point, _)| point).collect())
    }
}

/// The model of a choice on a line C₊ + C₋ = sum, trained on the rows of `svm`, with the shift added to its constant.
///
/// # Errors
/// As [`constant_sum`]; also for a position that is not on the line.
pub fn model(svm: &CostSvm, sum: f64, choice: &Choice, settings: &Settings) -> Result<Model, AdapterError> {
    let sum = positive("sum", sum)?;
    let path = follow(svm, [&[0.0, sum], &[sum, 0.0]], settings)?;
    let outside = AdapterError::Parameter { name: "the position", value: choice.t, expected: "lie on the line" };
    let mut model = svm.model(&path.parameter(&choice.t), &path.at(&choice.t).ok_or(outside)?);
    model.function.constant += choice.shift;
    Ok(model)
}

/// C₊ + C₋ where the cost on the validation rows is least on the balanced line: of several such pieces the middle of that with the
/// largest quotient of its ends.
fn best_sum(folds: &[Fold], end: [f64; 2], plan: &Plan, settings: &Settings) -> Result<f64, AdapterError> {
    positive("max-sum", plan.max_sum)?;
    let balanced = Followed::new(0, folds, [&[0.0, 0.0], &end], settings)?;
    let totals = balanced.totals();
    let pieces = balanced.pieces()?;
    let quality = |(t, point): &([f64; 2], Operating)| (totals.cost(point, plan.gamma), -(t[1] / t[0]));
    let best = pieces.iter().min_by(|a, b| {
        let (a, b) = (quality(a), quality(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    let t = best.map_or(balanced.length(), |([from, to], _)| (from + to) / 2.0);
    Ok(balanced.theta(t).iter().sum())
}

/// One fold: training rows with a separate validation set.
pub fn held_out(svm: CostSvm, rows: Features, labels: Vec<f64>) -> Vec<Fold> {
    vec![Fold { problem: Box::new(svm), rows, labels }]
}

/// The number of the fold of each row. The rows of each class are distributed in random order, so that the sizes of the folds and their numbers of rows of each
/// class differ by at most one.
///
/// # Errors
/// [`AdapterError::Folds`] for fewer than two folds, more folds than rows, or a class of fewer than two rows.
pub fn assign(labels: &[f64], folds: usize, seed: u64) -> Result<Vec<usize>, AdapterError> {
    let rows = labels.len();
    let of = |positive: bool| (0..rows).filter(|&i| (labels[i] > 0.0) == positive).collect::<Vec<usize>>();
    let mut classes = [of(true), of(false)];
    let least = classes[0].len().min(classes[1].len());
    if folds < 2 || folds > rows || least < 2 {
        return Err(AdapterError::Folds { folds, rows, least });
    }
    let mut random = fastrand::Rng::with_seed(seed);
    classes.iter_mut().for_each(|class| random.shuffle(class));
    let mut fold = vec![0; rows];
    classes.concat().into_iter().enumerate().for_each(|(place, row)| fold[row] = place % folds);
    Ok(fold)
}

/// The folds of a cross-validation of an SVM; rows of weight zero are in none of them.
///
/// # Errors
/// As [`assign`]; what [`CostSvm::new`] refuses; and for a precomputed kernel.
pub fn cross_validation(svm: &CostSvm, folds: usize, seed: u64) -> Result<Vec<Fold>, AdapterError> {
    let svm = svm.counted()?;
    let fold = assign(svm.labels(), folds, seed)?;
    (0..folds).map(|k| Ok(split(&svm, &fold, k)?.1)).collect()
}

/// The SVM on the rows outside fold k, twice: by itself, and with that fold's rows.
pub(super) fn split(svm: &CostSvm, fold: &[usize], k: usize) -> Result<(CostSvm, Fold), AdapterError> {
    let (held, train): (Vec<usize>, Vec<usize>) = (0..fold.len()).partition(|&i| fold[i] == k);
    let train = svm.select(&train)?;
    let rows = svm.machine().features().select_rows(&held);
    let labels = held.iter().map(|&i| svm.labels()[i]).collect();
    Ok((train.clone(), Fold { problem: Box::new(train), rows, labels }))
}
