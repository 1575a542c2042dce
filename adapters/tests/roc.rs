//! ROC curves from paths against counting at every order of the rows, with models evaluated one by one.

use crate::common::dense;
use pathqp::Settings;
use pathqp::testing::Random;
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::roc::explore::{assign, constant_sum, cross_validation, held_out};
use pathqp_adapters::roc::{Best, Choice, Fold, Followed, Operating, Plan, Roc, Totals, explore, line};
use pathqp_adapters::{AdapterError, Bias};
use std::sync::Arc;

/// Rows in two overlapping clouds; `grid` rounds them to whole numbers, so that many are equal.
fn clouds(n: usize, d: usize, seed: u64, grid: bool) -> (Features, Vec<f64>) {
    let mut random = Random(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i % 5 < 2 { 1.0 } else { -1.0 }).collect();
    let value = |y: f64, random: &mut Random| {
        let value = random.normal() + 0.5 * y;
        if grid { value.round() } else { value }
    };
    let rows: Vec<Vec<f64>> = labels.iter().map(|y| (0..d).map(|_| value(*y, &mut random)).collect()).collect();
    (dense(&rows), labels)
}

fn svm(features: &Features, labels: &[f64], kernel: &str, bias: Bias) -> CostSvm {
    let kernel: KernelKind = kernel.parse().unwrap();
    CostSvm::new(Arc::new(features.clone()), labels.to_vec(), None, kernel, bias).unwrap()
}

/// Training on the first rows, validation on the others.
fn halves(n: usize, train: usize, seed: u64, grid: bool, kernel: &str, bias: Bias) -> Vec<Fold> {
    let (features, labels) = clouds(n, 2, seed, grid);
    let (first, second): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| i < train);
    let svm = svm(&features.select_rows(&first), &labels[..train], kernel, bias);
    held_out(svm, features.select_rows(&second), labels[train..].to_vec())
}

/// The scores of all validation rows at a position, each from the model of its fold.
fn scores(folds: &[Fold], followed: &Followed<'_>, t: f64) -> Vec<f64> {
    let mut f = Vec::new();
    for (fold, path) in folds.iter().zip(followed.paths()) {
        let model = fold.problem.model(&path.parameter(&t), &path.at(&t).unwrap());
        f.extend(fold.problem.decision(&model, &fold.rows));
    }
    f
}

fn counts(f: &[f64], labels: &[f64], threshold: f64) -> (usize, usize) {
    let above = |class: f64| f.iter().zip(labels).filter(|(f, y)| **f > threshold && **y == class).count();
    (above(-1.0), above(1.0))
}

/// For each number of false positives the most true ones, by brute force: between two events of any path all pairs of rows are
/// intersected, and between two intersections every threshold is tried. Gaps below `least` are skipped.
fn by_brute_force(folds: &[Fold], followed: &Followed<'_>, least: f64) -> Vec<Option<usize>> {
    let labels = line::labels(folds);
    let mut events: Vec<f64> = followed.paths().iter().flat_map(|p| p.segments().iter().map(|s| s.t)).collect();
    events.extend([0.0, followed.length()]);
    events.sort_by(f64::total_cmp);
    // What happens at the same position in several folds has it with the rounding of each path.
    events.dedup_by(|b, a| *b - *a <= 1e-11 * *b);
    let mut best = vec![None; followed.totals().negatives + 1];
    for ends in events.windows(2) {
        // Two inner points give the affine functions without asking which side of a jump an end belongs to.
        let at = |s: f64| ends[0] + s * (ends[1] - ends[0]);
        let inner = [scores(folds, followed, at(0.25)), scores(folds, followed, at(0.75))];
        let value = |i: usize, s: f64| inner[0][i] + (s - 0.25) / 0.5 * (inner[1][i] - inner[0][i]);
        let mut roots = vec![0.0, 1.0];
        for i in 0..labels.len() {
            for j in 0..i {
                let [a, b] = [0.0, 1.0].map(|s| value(i, s) - value(j, s));
                if a * b < 0.0 {
                    roots.push(a / (a - b));
                }
            }
        }
        roots.sort_by(f64::total_cmp);
        for root in roots.windows(2) {
            let s = (root[0] + root[1]) / 2.0;
            let f: Vec<f64> = (0..labels.len()).map(|i| value(i, s)).collect();
            let mut sorted = f.clone();
            sorted.sort_by(f64::total_cmp);
            let mut thresholds = vec![sorted[0] - 1.0, sorted[sorted.len() - 1] + 1.0];
            thresholds.extend(sorted.windows(2).filter(|p| p[1] - p[0] > least).map(|p| (p[0] + p[1]) / 2.0));
            for threshold in thresholds {
                let (false_positives, true_positives) = counts(&f, &labels, threshold);
                let most: &mut Option<usize> = &mut best[false_positives];
                *most = Some(most.map_or(true_positives, |most| most.max(true_positives)));
            }
        }
    }
    best
}

/// The most true positives for at most so many false ones.
fn running(best: &[Option<usize>]) -> Vec<usize> {
    let mut most = 0;
    best.iter()
        .map(|b| {
            most = most.max(b.unwrap_or(0));
            most
        })
        .collect()
}

fn running_best(best: &Best) -> Vec<usize> {
    let mut all = vec![None; best.totals().negatives + 1];
    best.staircase().iter().for_each(|p| all[p.false_positives] = Some(p.true_positives));
    running(&all)
}

/// Every point is what its own classifier does, counted afresh.
fn assert_reproduced(folds: &[Fold], followed: &Followed<'_>, points: &[Operating]) {
    let labels = line::labels(folds);
    for point in points {
        let f = scores(folds, followed, point.choice.t);
        let found = counts(&f, &labels, -point.choice.shift);
        assert_eq!(found, (point.false_positives, point.true_positives), "{point:?}");
    }
}

/// Returns how often two rows change places.
fn assert_like_brute_force(folds: &[Fold], sum: f64, what: &str) -> usize {
    let followed = constant_sum(0, folds, sum, &Settings::default()).unwrap();
    let (best, crossings) = followed.with_all_thresholds().unwrap();
    // Rounding decides nothing here: divisions with a gap of 1e-7 are as good as those with 1e-11.
    let expected = running(&by_brute_force(folds, &followed, 1e-7));
    assert_eq!(expected, running(&by_brute_force(folds, &followed, 1e-11)), "{what}");
    assert_eq!(running_best(&best), expected, "{what}");
    assert_reproduced(folds, &followed, &best.staircase());
    crossings
}

#[test]
fn both_is_every_order_that_occurs() {
    for (seed, bias) in [(1, Bias::Intercept), (2, Bias::Augmented(1.0)), (3, Bias::None)] {
        for kernel in ["linear", "rbf:0.5"] {
            let folds = halves(60, 30, seed, false, kernel, bias);
            for sum in [0.05, 1.0, 30.0] {
                assert!(assert_like_brute_force(&folds, sum, &format!("{bias:?} {kernel} {sum}")) > 0);
            }
        }
    }
}

/// Every other of them with features on a grid of few values.
#[test]
fn two_hundred_random_sets() {
    let mut crossings = 0;
    for seed in 0..200_u64 {
        let bias = [Bias::Intercept, Bias::Augmented(1.0), Bias::None][seed as usize / 2 % 3];
        let kernel = ["linear", "rbf:0.5"][seed as usize / 6 % 2];
        let folds = halves(32, 16, 1000 + seed, seed % 2 == 1, kernel, bias);
        let sum = [0.3, 1.0, 6.0][seed as usize % 3];
        crossings += assert_like_brute_force(&folds, sum, &format!("{seed} {bias:?} {kernel} {sum}"));
    }
    assert!(crossings > 10_000, "{crossings}");
}

#[test]
fn ties_of_scores_are_not_divided() {
    for (seed, bias) in [(5, Bias::Intercept), (6, Bias::Augmented(1.0))] {
        let folds = halves(80, 40, seed, true, "linear", bias);
        assert!(assert_like_brute_force(&folds, 1.0, &format!("{bias:?}")) > 0);
        // The same row once with each label: no classifier has one of them right and the other too.
        let (train, _) = clouds(30, 2, seed, true);
        let labels: Vec<f64> = (0..30).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let rows = train.select_rows(&(0..15).flat_map(|i| [i, i]).collect::<Vec<_>>());
        let folds = held_out(svm(&train, &labels, "linear", bias), rows, labels);
        let followed = constant_sum(0, &folds, 1.0, &Settings::default()).unwrap();
        let (best, _) = followed.with_all_thresholds().unwrap();
        let curve = best.staircase();
        assert!(curve.len() > 5 && curve.iter().all(|p| p.true_positives == p.false_positives), "{curve:?}");
    }
}

#[test]
fn folds_are_sorted_together() {
    for bias in [Bias::Intercept, Bias::None] {
        let (features, labels) = clouds(36, 2, 11, false);
        let folds = cross_validation(&svm(&features, &labels, "linear", bias), 4, 3).unwrap();
        assert_like_brute_force(&folds, 2.0, &format!("{bias:?}"));
    }
}

#[test]
fn the_models_as_they_are_have_the_counts_of_their_pieces() {
    for bias in [Bias::Intercept, Bias::Augmented(1.0)] {
        let folds = halves(90, 40, 13, false, "linear", bias);
        let followed = constant_sum(0, &folds, 1.0, &Settings::default()).unwrap();
        let pieces = followed.pieces().unwrap();
        assert!(pieces.len() > 10);
        assert!(pieces.windows(2).all(|p| p[0].0[1] == p[1].0[0]));
        let labels = line::labels(&folds);
        for (t, point) in &pieces {
            for share in [0.01, 0.5, 0.99] {
                let f = scores(&folds, &followed, t[0] + share * (t[1] - t[0]));
                let found = counts(&f, &labels, 0.0);
                assert_eq!(found, (point.false_positives, point.true_positives), "{t:?}");
            }
        }
        let curve = followed.as_trained().unwrap();
        assert_reproduced(&folds, &followed, &curve);
        let [first, last] = [&curve[0], &curve[curve.len() - 1]].map(|p| followed.totals().rates(p));
        assert_eq!([first, last], [[0.0, 0.0], [1.0, 1.0]]);
    }
}

/// The area below the ordinary curve is the share of pairs in the right order (Mann and Whitney), ties counting half.
#[test]
fn the_area_is_the_share_of_pairs_in_order() {
    for grid in [false, true] {
        let folds = halves(120, 60, 17, grid, "linear", Bias::Intercept);
        let followed = constant_sum(0, &folds, 1.0, &Settings::default()).unwrap();
        let curve = followed.with_any_threshold(0.4).unwrap();
        assert_reproduced(&folds, &followed, &curve);
        let (f, labels) = (scores(&folds, &followed, 0.4), line::labels(&folds));
        let (mut right, mut pairs) = (0.0, 0.0);
        for (i, _) in labels.iter().enumerate().filter(|(_, y)| **y > 0.0) {
            for (j, _) in labels.iter().enumerate().filter(|(_, y)| **y < 0.0) {
                let difference = f[i] - f[j];
                right += if difference.abs() < 1e-12 { 0.5 } else { f64::from(u8::from(difference > 0.0)) };
                pairs += 1.0;
            }
        }
        assert!((followed.totals().area(&curve) - right / pairs).abs() < 1e-12);
    }
}

fn lies_below(points: &[Operating], best: &Best) -> bool {
    let most = running_best(best);
    points.iter().all(|p| p.true_positives <= most[p.false_positives])
}

fn explored(n: usize, seed: u64, plan: &Plan) -> (Vec<Fold>, Roc) {
    let (features, labels) = clouds(n, 3, seed, false);
    let svm = svm(&features, &labels, "linear", Bias::Intercept);
    let folds = cross_validation(&svm, 5, seed).unwrap();
    let roc = explore(&svm, &folds, plan, &Settings::default()).unwrap();
    (folds, roc)
}

#[test]
fn both_is_never_below_the_others() {
    for seed in 20..24 {
        let (folds, roc) = explored(100, seed, &Plan::default());
        // What the sweep finds by itself, before the points of the other curves are offered to it.
        let followed = constant_sum(0, &folds, roc.lines[0].sum, &Settings::default()).unwrap();
        let (alone, _) = followed.with_all_thresholds().unwrap();
        for best in [&alone, &roc.both, &roc.all] {
            assert!(lies_below(&roc.intercept, best) && lies_below(&roc.asymmetry, best));
        }
        assert!(lies_below(&roc.both.staircase(), &roc.all));
        assert_eq!(roc.lines.len(), 3);
        for (line, multiple) in roc.lines.iter().zip([1.0, 10.0, 0.1]) {
            assert!((line.sum / roc.lines[0].sum - multiple).abs() < 1e-12);
        }
        // The classifiers of the other lines are what they claim to be, too.
        let lines: Vec<Followed<'_>> =
            (0..3).map(|k| constant_sum(k, &folds, roc.lines[k].sum, &Settings::default()).unwrap()).collect();
        for point in roc.all.hull() {
            assert_reproduced(&folds, &lines[point.choice.line], &[point]);
        }
    }
}

#[test]
fn the_first_line_goes_through_the_best_of_the_balanced_one() {
    let (features, labels) = clouds(60, 2, 31, false);
    let svm = svm(&features, &labels, "linear", Bias::Intercept);
    let folds = cross_validation(&svm, 5, 1).unwrap();
    let plan = Plan { max_sum: 50.0, gamma: 0.3, ..Plan::default() };
    let roc = explore(&svm, &folds, &plan, &Settings::default()).unwrap();
    // 24 positive and 36 negative rows: C₊ : C₋ = 36 : 24.
    assert!((roc.costs[0] / roc.costs[1] - 1.5).abs() < 1e-12);
    assert!((roc.costs[0] + roc.costs[1] - roc.lines[0].sum).abs() < 1e-12);
    let cost = |sum: f64| {
        let costs = [0.6 * sum, 0.4 * sum];
        let followed = Followed::new(0, &folds, [&[0.0, 0.0], &costs], &Settings::default()).unwrap();
        let f = scores(&folds, &followed, followed.length());
        let (false_positives, true_positives) = counts(&f, &labels_of(&folds), 0.0);
        let point = Operating { false_positives, true_positives, choice: Choice { line: 0, t: 0.0, shift: 0.0 } };
        followed.totals().cost(&point, 0.3)
    };
    let best = cost(roc.lines[0].sum);
    assert!((1..=40).all(|k| best <= cost(50.0 * k as f64 / 40.0) + 1e-12));
}

fn labels_of(folds: &[Fold]) -> Vec<f64> {
    line::labels(folds)
}

/// The quantile SVM's path in τ has curves as well.
#[test]
fn any_classifier_has_the_curves() {
    let (features, labels) = clouds(60, 2, 41, false);
    let (first, second): (Vec<usize>, Vec<usize>) = (0..60).partition(|&i| i < 30);
    let train = Arc::new(features.select_rows(&first));
    let adapter =
        QuantileSvm::new(train, labels[..30].to_vec(), None, 0.1, KernelKind::Linear, Bias::Intercept).unwrap();
    let folds =
        [Fold { problem: Box::new(adapter), rows: features.select_rows(&second), labels: labels[30..].to_vec() }];
    let followed = Followed::new(0, &folds, [&[0.0], &[1.0]], &Settings::default()).unwrap();
    let (best, _) = followed.with_all_thresholds().unwrap();
    assert_eq!(running_best(&best), running(&by_brute_force(&folds, &followed, 1e-9)));
    assert!(lies_below(&followed.as_trained().unwrap(), &best));
}

#[test]
fn folds_are_stratified_and_repeatable() {
    let labels: Vec<f64> = (0..53).map(|i| if i % 4 == 0 { 1.0 } else { -1.0 }).collect();
    let fold = assign(&labels, 10, 7).unwrap();
    assert_eq!(fold, assign(&labels, 10, 7).unwrap());
    assert_ne!(fold, assign(&labels, 10, 8).unwrap());
    let sizes = |class: f64| {
        (0..10).map(|k| (0..53).filter(|&i| fold[i] == k && labels[i] == class).count()).collect::<Vec<_>>()
    };
    assert!(sizes(1.0).iter().all(|n| [1, 2].contains(n)) && sizes(-1.0).iter().all(|n| [3, 4].contains(n)));
}

#[test]
fn questions_without_an_answer_are_named() {
    let (features, labels) = clouds(20, 2, 51, false);
    let svm = svm(&features, &labels, "linear", Bias::Intercept);
    let settings = Settings::default();
    let positive: Vec<usize> = (0..20).filter(|&i| labels[i] > 0.0).collect();
    let one_class = held_out(svm.clone(), features.select_rows(&positive), vec![1.0; positive.len()]);
    let error = explore(&svm, &one_class, &Plan::default(), &settings).unwrap_err();
    assert_eq!(error, AdapterError::OneClass { class: 1.0, rows: 8 });
    let none = held_out(svm.clone(), features.select_rows(&[]), vec![]);
    assert_eq!(explore(&svm, &none, &Plan::default(), &settings).unwrap_err(), AdapterError::NoRows);
    let wrong = held_out(svm.clone(), features.select_rows(&[0, 1]), vec![1.0, 0.5]);
    let label = AdapterError::Label { row: 1, value: 0.5 };
    assert_eq!(explore(&svm, &wrong, &Plan::default(), &settings).unwrap_err(), label);
    let narrow = held_out(svm.clone(), dense(&[vec![1.0], vec![2.0]]), vec![1.0, -1.0]);
    let columns = AdapterError::Columns { expected: 2, found: 1 };
    assert_eq!(explore(&svm, &narrow, &Plan::default(), &settings).unwrap_err(), columns);
    let short = held_out(svm.clone(), features.clone(), vec![1.0, -1.0]);
    assert!(matches!(explore(&svm, &short, &Plan::default(), &settings), Err(AdapterError::Shape { .. })));
    for (folds, labels) in [(1, &labels), (21, &labels), (2, &[vec![1.0], vec![-1.0; 19]].concat())] {
        assert!(matches!(assign(labels, folds, 1), Err(AdapterError::Folds { .. })));
    }
    let folds = cross_validation(&svm, 4, 1).unwrap();
    for plan in [
        Plan { multiples: vec![], ..Plan::default() },
        Plan { multiples: vec![-1.0], ..Plan::default() },
        Plan { sum: Some(f64::NAN), ..Plan::default() },
        Plan { max_sum: 0.0, ..Plan::default() },
    ] {
        assert!(matches!(explore(&svm, &folds, &plan, &settings), Err(AdapterError::Parameter { .. })), "{plan:?}");
    }
    assert_eq!(Totals::of(&labels), Ok(Totals { negatives: 12, positives: 8 }));
    // One training row of each class, and one row of each to validate on.
    let two = CostSvm::new(
        Arc::new(dense(&[vec![1.0], vec![-1.0]])),
        vec![1.0, -1.0],
        None,
        KernelKind::Linear,
        Bias::Intercept,
    );
    let smallest = held_out(two.clone().unwrap(), dense(&[vec![0.5], vec![0.2]]), vec![1.0, -1.0]);
    let roc = explore(&two.unwrap(), &smallest, &Plan::default(), &settings).unwrap();
    assert_eq!(roc.totals.area(&roc.all.hull()), 1.0);
}

/// Real data, with its ties and its stretches where w = 0 and no threshold divides anything.
#[test]
fn both_is_never_below_the_others_on_pima() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/pima.csv");
    let data = read(&file, &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let features = Scaler::fit(&data.features, Scaling::Standard).apply(&data.features).unwrap();
    let (first, second): (Vec<usize>, Vec<usize>) = (0..labels.len()).partition(|i| i % 2 == 0);
    let pick = |rows: &[usize]| rows.iter().map(|&i| labels[i]).collect::<Vec<f64>>();
    let svm = svm(&features.select_rows(&first), &pick(&first), "linear", Bias::Intercept);
    let folds = held_out(svm.clone(), features.select_rows(&second), pick(&second));
    for sum in [0.02, 2.0] {
        let plan = Plan { sum: Some(sum), multiples: vec![1.0], ..Plan::default() };
        let roc = explore(&svm, &folds, &plan, &Settings::default()).unwrap();
        let followed = constant_sum(0, &folds, sum, &Settings::default()).unwrap();
        let (alone, _) = followed.with_all_thresholds().unwrap();
        assert!(lies_below(&roc.intercept, &alone) && lies_below(&roc.asymmetry, &alone));
        assert_reproduced(&folds, &followed, &alone.staircase());
        // No order was read off rounding: where w = 0 up to it, f is constant, and so are the counts.
        for point in alone.hull().iter().filter(|p| p.false_positives > 0 && p.true_positives < roc.totals.positives) {
            let f = scores(&folds, &followed, point.choice.t);
            let spread =
                f.iter().copied().fold(f64::NEG_INFINITY, f64::max) - f.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(spread > 1e-6, "{point:?}: {spread}");
        }
    }
}
