//! ROC curves over folds against rational arithmetic: whole numbers for features, so that scores are tied, free sets empty and intercepts jump at the same
//! position in several folds.
//!
//! The paths of all folds are followed on exact scalars. Between two neighbouring events of any of them the scores of all validation rows are affine; all
//! pairs are intersected, and between two intersections every threshold that parts different scores is tried. No tolerance is involved.

use crate::common::dense;
use pathqp::hessian::{Gram, Rows};
use pathqp::testing::Random;
use pathqp::{Affine, Exact, ParametricQp, Path, Range, Scalar, Settings, Start, trace};
use pathqp_adapters::Bias;
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::roc::explore::{assign, constant_sum, cross_validation};
use pathqp_adapters::roc::{Best, Operating};
use std::sync::Arc;

/// A data set in whole numbers, and how it is validated.
#[derive(Debug)]
struct Case {
    rows: Vec<Vec<i64>>,
    labels: Vec<i64>,
    weights: Vec<i64>,
    bias: Bias,
    folds: usize,
    /// The power of two that features are multiplied by in floating point: C₊ + C₋ goes with its square.
    scale: i32,
    /// C₊ + C₋ in eighths, before scaling.
    eighths: i64,
}

impl Case {
    /// Few values and few rows; often the same rows again.
    fn new(seed: u64) -> Case {
        let mut random = Random(seed);
        let n = [4, 5, 6, 8, 10, 12][random.below(6)];
        let d = 1 + random.below(2);
        let values: &[i64] = [&[-2, -1, 0, 1, 2][..], &[0, 1], &[-1, 1], &[0, 1, 2, 5, 17]][random.below(4)];
        let mut rows: Vec<Vec<i64>> = Vec::new();
        for i in 0..n {
            let new = (0..d).map(|_| values[random.below(values.len())]).collect();
            rows.push(if i > 0 && random.below(4) == 0 { rows[random.below(i)].clone() } else { new });
        }
        let labels: Vec<i64> =
            (0..n).map(|i| if i < 4 { 1 - 2 * (i as i64 % 2) } else { 1 - 2 * random.below(2) as i64 }).collect();
        let heavy = random.below(3) == 0;
        let bias = [Bias::Intercept, Bias::Intercept, Bias::Augmented(1.0), Bias::None][random.below(4)];
        Case {
            weights: (0..n).map(|_| if heavy { 1 + random.below(3) as i64 } else { 1 }).collect(),
            bias,
            folds: [2, 3, 4, n][random.below(4)],
            scale: if matches!(bias, Bias::Augmented(_)) { 0 } else { [0, 0, 12, -20][random.below(4)] },
            eighths: [1, 8, 40, 800][random.below(4)],
            rows,
            labels,
        }
    }

    /// The path of the exact SVM on some rows, along C₊ + C₋ = sum.
    fn path(&self, train: &[usize]) -> Path<Exact> {
        let zero = || vec![Exact::ZERO; train.len()];
        let whole = |v: i64| Exact::integer(v);
        let constant = i64::from(matches!(self.bias, Bias::Augmented(_)));
        let row = |&i: &usize| self.rows[i].iter().copied().chain([constant]).map(move |v| whole(v * self.labels[i]));
        let values: Vec<Exact> = train.iter().flat_map(row).collect();
        let columns = self.rows[0].len() + 1;
        let hessian = Arc::new(Gram::new(train.len(), Rows::Dense { columns, values }, Exact::ONE).unwrap());
        let domain = vec![Range::new(Exact::ZERO, self.sum())];
        let upper = train.iter().map(|&i| {
            let weight = whole(self.weights[i]);
            if self.labels[i] > 0 { (Exact::ZERO, weight) } else { (weight.clone() * self.sum(), -weight) }
        });
        let (start, rate) = upper.unzip();
        let linear = Affine::line(vec![-Exact::ONE; train.len()], zero());
        let qp = ParametricQp::new(hessian, domain, linear).unwrap();
        let qp = qp.lower(Affine::line(zero(), zero())).unwrap().upper(Affine::line(start, rate)).unwrap();
        let labels = train.iter().map(|&i| whole(self.labels[i])).collect();
        let qp = match self.bias {
            Bias::Intercept => qp.equality(labels, Affine::line(vec![Exact::ZERO], vec![Exact::ZERO])).unwrap(),
            _ => qp,
        };
        let line = qp.line(&[Exact::ZERO], &[self.sum()]).unwrap();
        let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_or_else(|f| panic!("{}", f.0));
        assert!(path.is_complete());
        path
    }

    fn sum(&self) -> Exact {
        Exact::integer(self.eighths) / Exact::integer(8)
    }
}

/// One fold: its training rows with their path, and its validation rows.
struct Fold {
    train: Vec<usize>,
    held: Vec<usize>,
    path: Path<Exact>,
}

/// The exact answer.
struct Oracle<'a> {
    case: &'a Case,
    folds: Vec<Fold>,
    /// Of the validation rows, one fold after the other.
    labels: Vec<i64>,
    /// All different events, with both ends of the line.
    events: Vec<Exact>,
}

type Counts = (usize, usize);

impl<'a> Oracle<'a> {
    fn new(case: &'a Case, seed: u64) -> Self {
        let labels: Vec<f64> = case.labels.iter().map(|&y| y as f64).collect();
        let fold = assign(&labels, case.folds, seed).unwrap();
        let folds: Vec<Fold> = (0..case.folds)
            .map(|k| {
                let (held, train): (Vec<usize>, Vec<usize>) = (0..fold.len()).partition(|&i| fold[i] == k);
                Fold { path: case.path(&train), train, held }
            })
            .collect();
        let mut events: Vec<Exact> = folds.iter().flat_map(|f| f.path.segments().iter().map(|s| s.t.clone())).collect();
        events.extend([Exact::ZERO, case.sum()]);
        events.sort();
        events.dedup();
        let labels = folds.iter().flat_map(|f| f.held.iter().map(|&i| case.labels[i])).collect();
        Oracle { case, folds, labels, events }
    }

    /// The scores of all validation rows at t, on the side ahead of a jump.
    fn scores(&self, t: &Exact) -> Vec<Exact> {
        let constant = i64::from(matches!(self.case.bias, Bias::Augmented(_)));
        let mut found = Vec::new();
        for fold in &self.folds {
            let point = fold.path.at(t).unwrap();
            let intercept = if self.case.bias == Bias::Intercept { -point.y.clone() } else { Exact::ZERO };
            for &row in &fold.held {
                let term = |(&i, alpha): (&usize, &Exact)| {
                    let pairs = self.case.rows[i].iter().zip(&self.case.rows[row]);
                    let kernel: i64 = pairs.map(|(a, b)| a * b).sum::<i64>() + constant;
                    alpha.clone() * Exact::integer(kernel * self.case.labels[i])
                };
                found.push(fold.train.iter().zip(&point.x).map(term).fold(intercept.clone(), |sum, v| sum + v));
            }
        }
        found
    }

    fn counts(&self, f: &[Exact], threshold: &Exact) -> Counts {
        let above = |class: i64| f.iter().zip(&self.labels).filter(|(f, y)| *f > threshold && **y == class).count();
        (above(-1), above(1))
    }

    /// Every division of one position.
    fn divisions(&self, f: &[Exact]) -> Vec<Counts> {
        let mut sorted = f.to_vec();
        sorted.sort();
        sorted.dedup();
        sorted.reverse();
        let all = self.counts(f, &(sorted[sorted.len() - 1].clone() - Exact::ONE));
        sorted.iter().map(|threshold| self.counts(f, threshold)).chain([all]).collect()
    }

    /// Calls `visit` with a position in each interval between neighbouring places where two rows, or a row and zero, change their order.
    fn visit(&self, mut visit: impl FnMut([Exact; 2], &[Exact])) {
        for ends in self.events.windows(2) {
            let length = ends[1].clone() - &ends[0];
            let at = |share: Exact| ends[0].clone() + share * &length;
            let third = Exact::ONE / Exact::integer(3);
            let inner = [self.scores(&at(third.clone())), self.scores(&at(third.clone() + &third))];
            let value = |i: usize, s: &Exact| {
                let rate = (inner[1][i].clone() - &inner[0][i]) * Exact::integer(3);
                inner[0][i].clone() + rate * (s.clone() - &third)
            };
            let m = self.labels.len();
            let mut roots = vec![Exact::ZERO, Exact::ONE];
            for i in 0..m {
                let own = [value(i, &Exact::ZERO), value(i, &Exact::ONE)];
                let others = (0..i).map(|j| [Exact::ZERO, Exact::ONE].map(|s| value(i, &s) - value(j, &s)));
                for [a, b] in others.chain([own]) {
                    if (a > Exact::ZERO && b < Exact::ZERO) || (a < Exact::ZERO && b > Exact::ZERO) {
                        roots.push(a.clone() / (a - b));
                    }
                }
            }
            roots.sort();
            roots.dedup();
            for pair in roots.windows(2) {
                let middle = (pair[0].clone() + &pair[1]) / Exact::integer(2);
                let f: Vec<Exact> = (0..m).map(|i| value(i, &middle)).collect();
                visit([at(pair[0].clone()), at(pair[1].clone())], &f);
            }
        }
    }

    /// For each number of false positives at most the most true ones, over all thresholds and positions.
    fn both(&self) -> Vec<usize> {
        let mut best = vec![0; self.labels.iter().filter(|&&y| y < 0).count() + 1];
        self.visit(|_, f| {
            for (false_positives, true_positives) in self.divisions(f) {
                best[false_positives] = best[false_positives].max(true_positives);
            }
        });
        running(best)
    }

    /// The counts of the models as they are, each with where it begins and ends.
    fn pieces(&self) -> Vec<([Exact; 2], Counts)> {
        let mut pieces: Vec<([Exact; 2], Counts)> = Vec::new();
        self.visit(|ends, f| {
            let counts = self.counts(f, &Exact::ZERO);
            match pieces.last_mut() {
                Some((last, same)) if *same == counts => last[1] = ends[1].clone(),
                _ => pieces.push((ends, counts)),
            }
        });
        pieces
    }
}

fn running(mut best: Vec<usize>) -> Vec<usize> {
    for k in 1..best.len() {
        best[k] = best[k].max(best[k - 1]);
    }
    best
}

fn running_best(best: &Best) -> Vec<usize> {
    let mut all = vec![0; best.totals().negatives + 1];
    best.staircase().iter().for_each(|p| all[p.false_positives] = p.true_positives);
    running(all)
}

fn number<S: Scalar>(value: &S) -> f64 {
    value.to_f64().unwrap()
}

fn assert_exact(seed: u64) {
    let case = Case::new(seed);
    let oracle = Oracle::new(&case, seed);
    let factor = 2.0_f64.powi(case.scale);
    let rows: Vec<Vec<f64>> = case.rows.iter().map(|row| row.iter().map(|&v| v as f64 * factor).collect()).collect();
    let numbers = |values: &[i64]| values.iter().map(|&v| v as f64).collect::<Vec<f64>>();
    let (labels, weights) = (numbers(&case.labels), Some(numbers(&case.weights)));
    let svm = CostSvm::new(Arc::new(dense(&rows)), labels, weights, KernelKind::Linear, case.bias).unwrap();
    let folds = cross_validation(&svm, case.folds, seed).unwrap();
    let unit = factor.powi(-2);
    let sum = case.eighths as f64 / 8.0 * unit;
    let followed =
        constant_sum(0, &folds, sum, &Settings::default()).unwrap_or_else(|e| panic!("{seed}: {e}\n{case:?}"));

    let (both, _) = followed.with_all_thresholds().unwrap();
    assert_eq!(running_best(&both), oracle.both(), "both, seed {seed}: {case:?}");

    let (found, expected) = (followed.pieces().unwrap(), oracle.pieces());
    let counts: Vec<Counts> = found.iter().map(|(_, point)| point.counts()).collect();
    assert_eq!(counts, expected.iter().map(|piece| piece.1).collect::<Vec<Counts>>(), "pieces, seed {seed}: {case:?}");
    for ((t, _), (exact, _)) in found.iter().zip(&expected) {
        for (t, exact) in t.iter().zip(exact) {
            assert!((t - unit * number(exact)).abs() <= 1e-9 * sum, "seed {seed}: {t} is not {exact}·{unit}");
        }
    }

    // At the costs of the balanced line all free sets may become empty at once. The curve is that just ahead, where rows that are tied there may be parted.
    let of =
        |class: i64| (0..case.labels.len()).filter(|&i| case.labels[i] == class).map(|i| case.weights[i]).sum::<i64>();
    let shares = [of(1), of(-1)];
    let balanced = case.sum() * Exact::integer(shares[1]) / Exact::integer(shares[0] + shares[1]);
    let curve = followed.with_any_threshold(sum * shares[1] as f64 / (shares[0] + shares[1]) as f64).unwrap();
    let ahead = balanced.clone() * (Exact::ONE + Exact::ONE / Exact::integer(1 << 40));
    let [at, ahead] = [balanced, ahead].map(|t| oracle.divisions(&oracle.scores(&t)));
    let counts: Vec<Counts> = curve.iter().map(Operating::counts).collect();
    assert!(at.iter().all(|point| counts.contains(point)), "intercept, seed {seed}: {counts:?}, {at:?}, {case:?}");
    assert!(
        counts.iter().all(|point| ahead.contains(point)),
        "intercept, seed {seed}: {counts:?}, {ahead:?}, {case:?}"
    );

    for points in [both.points().collect(), followed.as_trained().unwrap(), curve] {
        let holds = followed.holds(&points).unwrap();
        assert!(holds.iter().all(|holds| *holds), "seed {seed}: {case:?}");
    }
}

#[test]
fn curves_are_those_of_rational_arithmetic() {
    for seed in 0..400 {
        assert_exact(seed);
    }
}
