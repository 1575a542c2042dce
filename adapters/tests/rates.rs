//! Rates and probabilities as exact functions of τ, against evaluations of the path at many τ.

use crate::common;

use crate::common::{Problem, dense};
use pathqp::Path;
use pathqp::testing::Random;
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::rates::{AucCurve, RateCurve, auc_curve, probabilities, rate_curve};
use pathqp_adapters::{AdapterError, Bias, KernelProblem};
use proptest::prelude::*;

const BIASES: [Bias; 3] = [Bias::None, Bias::Augmented(2.0), Bias::Intercept];
const KERNELS: [&str; 4] = ["linear", "rbf:0.5", "laplacian:0.3", "poly:3,0.5,0"];

/// The problem and test rows with labels, from the same clouds.
fn with_test(bias: Bias, kernel: &str) -> (Problem, Features, Vec<f64>) {
    let all = Problem::clouds(110, 3, 53, bias).with_kernel(kernel);
    let problem = all.select(&(0..50).collect::<Vec<_>>());
    let test = all.select(&(50..110).collect::<Vec<_>>());
    (problem, test.features, test.labels)
}

/// [TPR, TNR, accuracy] by counting.
fn counted(f: &[f64], labels: &[f64]) -> [f64; 3] {
    let count = |f: &dyn Fn(f64, f64) -> bool, values: &[f64]| {
        values.iter().zip(labels).filter(|(v, y)| f(**v, **y)).count() as f64
    };
    let (positive, negative) = (count(&|_, y| y > 0.0, f), count(&|_, y| y < 0.0, f));
    let (tp, tn) = (count(&|f, y| f > 0.0 && y > 0.0, f), count(&|f, y| f <= 0.0 && y < 0.0, f));
    [tp / positive, tn / negative, (tp + tn) / (positive + negative)]
}

fn piece(curve: &RateCurve, tau: f64) -> Option<usize> {
    let k = curve.tau.partition_point(|t| *t <= tau).checked_sub(1)?;
    let clear = |t: f64| (t - tau).abs() > 1e-9;
    (k + 1 < curve.tau.len() && clear(curve.tau[k]) && clear(curve.tau[k + 1])).then_some(k)
}

/// The curve's shape, and its values on a grid of τ, off the steps.
fn assert_curve(problem: &Problem, path: &Path<f64>, rows: &Features, labels: &[f64], range: [f64; 2]) -> RateCurve {
    let svm = problem.svm();
    let curve = rate_curve(&svm, path, rows, labels).unwrap();
    let pieces = curve.tau.len() - 1;
    assert!([curve.tpr.len(), curve.tnr.len(), curve.accuracy.len()].iter().all(|&k| k == pieces));
    assert!(curve.tau.is_sorted_by(|a, b| a < b));
    assert!((curve.tau[0] - range[0]).abs() <= 1e-15 && (curve.tau[pieces] - range[1]).abs() <= 1e-15);
    let mut tested = 0;
    for j in 0..500 {
        let tau = range[0] + (range[1] - range[0]) * (j as f64 + 0.5) / 500.0;
        let Some(k) = piece(&curve, tau) else { continue };
        let f = svm.decision(&svm.at(path, tau).unwrap(), rows);
        assert_eq!([curve.tpr[k], curve.tnr[k], curve.accuracy[k]], counted(&f, labels), "at tau = {tau}");
        tested += 1;
    }
    assert!(tested > 490);
    curve
}

/// How often f changes sign at each row, from the laws at both ends of every segment.
fn sign_changes(problem: &Problem, path: &Path<f64>, rows: &Features) -> Vec<usize> {
    let svm = problem.svm();
    let mut before: Option<Vec<bool>> = None;
    let mut changes = vec![0; rows.rows()];
    let segments = path.segments();
    for k in 0..segments.len() {
        let (t0, t1) = (segments[k].t, segments.get(k + 1).map_or(*path.end(), |s| s.t));
        for part in [1e-6, 1.0 - 1e-6] {
            let t = t0 + part * (t1 - t0);
            let model = svm.model(&path.parameter(&t), &path.law_at(k, &t).unwrap());
            let now: Vec<bool> = svm.decision(&model, rows).iter().map(|f| *f > 0.0).collect();
            if let Some(before) = &before {
                changes.iter_mut().zip(before.iter().zip(&now)).for_each(|(c, (a, b))| *c += usize::from(a != b));
            }
            before = Some(now);
        }
    }
    changes
}

fn assert_probabilities(problem: &Problem, path: &Path<f64>, rows: &Features, range: [f64; 2]) -> Vec<usize> {
    let svm = problem.svm();
    let found = probabilities(&svm, path, rows).unwrap();
    let crossings: Vec<usize> = found.iter().map(|p| p.crossings).collect();
    assert_eq!(crossings, sign_changes(problem, path, rows));
    let steps = 300;
    let mut positive = vec![0usize; rows.rows()];
    for j in 0..steps {
        let tau = range[0] + (range[1] - range[0]) * (j as f64 + 0.5) / steps as f64;
        let f = svm.decision(&svm.at(path, tau).unwrap(), rows);
        positive.iter_mut().zip(&f).for_each(|(count, f)| *count += usize::from(*f > 0.0));
    }
    for (probability, count) in found.iter().zip(positive) {
        let width = (range[1] - range[0]) / steps as f64;
        let measured = range[0] + count as f64 * width;
        let allowed = width * (0.5 * probability.crossings as f64 + 1e-9);
        assert!((probability.tau - measured).abs() <= allowed, "{probability:?}, measured {measured}");
        assert!((range[0]..=range[1]).contains(&probability.tau));
    }
    crossings
}

#[test]
fn rates_and_probabilities_are_those_of_the_path_at_each_tau() {
    for (bias, kernel) in BIASES.into_iter().flat_map(|bias| KERNELS.map(|kernel| (bias, kernel))) {
        let (problem, rows, labels) = with_test(bias, kernel);
        let (forwards, backwards) = (problem.follow(0.0, 1.0), problem.follow(1.0, 0.0));
        let curve = assert_curve(&problem, &forwards, &rows, &labels, [0.0, 1.0]);
        assert!(curve.tpr.len() > 5, "{bias:?} {kernel}: {} pieces", curve.tpr.len());
        let mirrored = assert_curve(&problem, &backwards, &rows, &labels, [0.0, 1.0]);
        assert_eq!((&curve.tpr, &curve.tnr), (&mirrored.tpr, &mirrored.tnr), "{bias:?} {kernel}");
        common::assert_same("steps", &curve.tau, &mirrored.tau, 1e-11);
        let crossings = assert_probabilities(&problem, &forwards, &rows, [0.0, 1.0]);
        assert_eq!(crossings, assert_probabilities(&problem, &backwards, &rows, [0.0, 1.0]));
        assert!(crossings.contains(&1), "{bias:?} {kernel}");
        let sparse = rate_curve(&problem.svm(), &forwards, &rows.to_sparse(), &labels).unwrap();
        assert_eq!((&curve.tpr, &curve.tnr), (&sparse.tpr, &sparse.tnr), "{bias:?} {kernel}");
    }
}

#[test]
fn a_part_of_the_path_gives_a_part_of_the_curve() {
    for bias in BIASES {
        let (problem, rows, labels) = with_test(bias, "linear");
        let whole = rate_curve(&problem.svm(), &problem.follow(0.0, 1.0), &rows, &labels).unwrap();
        for (from, to) in [(0.3, 0.6), (0.6, 0.3)] {
            let path = problem.follow(from, to);
            let part = assert_curve(&problem, &path, &rows, &labels, [0.3, 0.6]);
            let inside: Vec<f64> = whole.tau.iter().copied().filter(|tau| (0.3..0.6).contains(tau)).collect();
            common::assert_same("steps", &inside, &part.tau[1..part.tau.len() - 1], 1e-11);
            assert_probabilities(&problem, &path, &rows, [0.3, 0.6]);
        }
    }
}

#[test]
fn one_point_is_a_path() {
    for (bias, kernel) in BIASES.into_iter().flat_map(|bias| KERNELS.map(|kernel| (bias, kernel))) {
        let (problem, rows, labels) = with_test(bias, kernel);
        let (svm, path) = (problem.svm(), problem.follow(0.5, 0.5));
        let f = svm.decision(&svm.at(&path, 0.5).unwrap(), &rows);
        let curve = rate_curve(&svm, &path, &rows, &labels).unwrap();
        assert_eq!(curve.tau, [0.5, 0.5]);
        assert_eq!([curve.tpr[0], curve.tnr[0], curve.accuracy[0]], counted(&f, &labels));
        assert!(probabilities(&svm, &path, &rows).unwrap().iter().all(|p| p.tau == 0.5 && p.crossings == 0));
    }
}

#[test]
fn several_crossings_are_counted() {
    // Few rows far from the model: the direction of w turns as τ grows, and f changes sign more than once.
    let mut random = Random(61);
    let mut most = 0;
    for kernel in ["linear", "rbf:2"] {
        let problem = Problem::clouds(24, 4, 59, Bias::Intercept).with_kernel(kernel);
        let rows: Vec<Vec<f64>> = (0..60).map(|_| (0..4).map(|_| 2.0 * random.normal()).collect()).collect();
        for (from, to) in [(0.0, 1.0), (1.0, 0.0)] {
            let crossings = assert_probabilities(&problem, &problem.follow(from, to), &dense(&rows), [0.0, 1.0]);
            most = most.max(crossings.into_iter().max().unwrap());
        }
    }
    assert!(most >= 3, "{most}");
}

/// Five rows x = 0, two of them positive: f = b changes sign at τ = 2/5, the share of positive rows. With a constant
/// feature b is continuous there (b = (2/λn)((1 − τ)p − τq) clamped to [−1, 1]); an intercept jumps from 1 to −1.
#[test]
fn a_constant_decision_function_recovers_the_class_share() {
    for bias in [Bias::Augmented(1.0), Bias::Intercept] {
        for kernel in ["linear", "rbf:1"] {
            let labels = vec![1.0, -1.0, -1.0, 1.0, -1.0];
            let features = dense(&vec![vec![0.0]; 5]);
            // With the RBF kernel k = 1 everywhere, and an intercept makes the constant part of the expansion vanish.
            let kernel: KernelKind = kernel.parse().unwrap();
            let problem = Problem { features, labels, weights: None, lambda: 0.3, kernel, bias };
            for (from, to) in [(0.0, 1.0), (1.0, 0.0)] {
                let (svm, path) = (problem.svm(), problem.follow(from, to));
                let curve = rate_curve(&svm, &path, &problem.features, &problem.labels).unwrap();
                common::assert_same("steps", &curve.tau, &[0.0, 0.4, 1.0], 1e-15);
                assert_eq!((curve.tpr, curve.tnr), (vec![1.0, 0.0], vec![0.0, 1.0]));
                assert_eq!(curve.accuracy, [0.4, 0.6]);
                for probability in probabilities(&svm, &path, &problem.features).unwrap() {
                    assert!((probability.tau - 0.4).abs() <= 1e-15 && probability.crossings == 1);
                }
            }
        }
    }
}

/// Without a bias f is odd. Two rows ±1 with labels ±1 and λ < 1: w = 1 for every τ, so f never changes sign.
#[test]
fn ties_are_negative_and_signs_that_do_not_change_give_the_ends() {
    let (features, labels) = (dense(&[vec![1.0], vec![-1.0]]), vec![1.0, -1.0]);
    for kernel in ["linear", "poly:1,1,0"] {
        let kernel = kernel.parse().unwrap();
        let problem = Problem {
            features: features.clone(),
            labels: labels.clone(),
            weights: None,
            lambda: 0.5,
            kernel,
            bias: Bias::None,
        };
        let path = problem.follow(0.1, 0.9);
        let rows = dense(&[vec![3.0], vec![0.0], vec![-2.0]]);
        let found = probabilities(&problem.svm(), &path, &rows).unwrap();
        assert!(found.iter().all(|p| p.crossings == 0));
        let ends = path.parameter(path.end())[0];
        assert_eq!(found.iter().map(|p| p.tau).collect::<Vec<_>>(), [ends, 0.1, 0.1]);
        let curve = rate_curve(&problem.svm(), &path, &rows, &[1.0, 1.0, -1.0]).unwrap();
        assert_eq!((curve.tpr, curve.tnr, curve.accuracy), (vec![0.5], vec![1.0], vec![2.0 / 3.0]));
    }
}

/// Rows that are orthogonal to w up to rounding: x₁ and x₂ are exchangeable, so w₁ = w₂ and f(1, −1) = 0.
#[test]
fn rounding_does_not_change_a_sign() {
    let clouds = Problem::clouds(40, 1, 67, Bias::None);
    let mut rows = Vec::new();
    let mut labels = Vec::new();
    for (i, y) in clouds.labels.iter().enumerate() {
        let mut x = [0.0];
        clouds.features.dense_row(i, &mut x);
        let other = 0.3 + x[0] * x[0];
        rows.extend([vec![x[0], other], vec![other, x[0]]]);
        labels.extend([*y; 2]);
    }
    for kernel in ["linear", "poly:1,1,0"] {
        let problem = Problem { features: dense(&rows), labels: labels.clone(), ..clouds.clone() }.with_kernel(kernel);
        let path = problem.follow(0.0, 1.0);
        assert!(path.segments().len() > 20);
        let found = probabilities(&problem.svm(), &path, &dense(&[vec![1.0, -1.0], vec![-3.0, 3.0]])).unwrap();
        assert!(found.iter().all(|p| p.crossings == 0 && p.tau == 0.0), "{found:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Integer grids, full of ties: each row of the grid by itself, where f is clearly not zero.
    #[test]
    fn ties_do_not_matter(
        rows in prop::collection::vec((prop::collection::vec(-2i32..=2, 2), any::<bool>()), 2..14),
        lambda in prop::sample::select(vec![0.01, 0.1, 1.0]),
        bias in prop::sample::select(BIASES.to_vec()),
        kernel in prop::sample::select(KERNELS.to_vec()),
        backwards in any::<bool>(),
        tau in prop::collection::vec(0.0..1.0f64, 20),
    ) {
        let mut labels: Vec<f64> = rows.iter().map(|row| if row.1 { 1.0 } else { -1.0 }).collect();
        (labels[0], labels[1]) = (1.0, -1.0);
        let features = dense(&rows.iter().map(|row| row.0.iter().map(|&v| f64::from(v)).collect()).collect::<Vec<_>>());
        let kernel = kernel.parse().unwrap();
        let problem = Problem { features, labels, weights: None, lambda, kernel, bias };
        let path = if backwards { problem.follow(1.0, 0.0) } else { problem.follow(0.0, 1.0) };
        let svm = problem.svm();
        let f = tau.iter().map(|&tau| svm.decision(&svm.at(&path, tau).unwrap(), &problem.features));
        let f: Vec<Vec<f64>> = f.collect();
        let found = probabilities(&svm, &path, &problem.features).unwrap();
        for i in 0..problem.n() {
            let curve = rate_curve(&svm, &path, &problem.features.select_rows(&[i]), &[1.0]).unwrap();
            prop_assert_eq!(found[i].crossings, curve.tpr.len() - 1);
            let lengths = curve.tau.windows(2).zip(&curve.tpr).map(|(t, rate)| (t[1] - t[0]) * rate);
            prop_assert!((found[i].tau - lengths.sum::<f64>()).abs() <= 1e-14);
            for (tau, f) in tau.iter().zip(&f).filter(|(_, f)| f[i].abs() > 1e-9) {
                let k = curve.tau.partition_point(|t| t <= tau) - 1;
                prop_assert_eq!(curve.tpr[k] > 0.0, f[i] > 0.0, "row {} at tau = {}, f = {}, {:?}", i, tau, f[i], curve);
            }
        }
    }
}

#[test]
fn an_absent_class_has_no_rate() {
    let (problem, rows, labels) = with_test(Bias::Intercept, "linear");
    let (svm, path) = (problem.svm(), problem.follow(0.0, 1.0));
    let positive: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] > 0.0).collect();
    let curve = rate_curve(&svm, &path, &rows.select_rows(&positive), &vec![1.0; positive.len()]).unwrap();
    assert!(curve.tnr.iter().all(|r| r.is_nan()));
    assert_eq!(curve.tpr, curve.accuracy);
    let none = rate_curve(&svm, &path, &rows.select_rows(&[]), &[]).unwrap();
    assert_eq!(none.tau, [0.0, 1.0]);
    assert!(none.tpr[0].is_nan() && none.tnr[0].is_nan() && none.accuracy[0].is_nan());
    assert_eq!(probabilities(&svm, &path, &rows.select_rows(&[])).unwrap(), []);
}

#[test]
fn shapes_that_do_not_agree_are_named() {
    let (problem, rows, labels) = with_test(Bias::Intercept, "linear");
    let (svm, path) = (problem.svm(), problem.follow(0.0, 1.0));
    let error = rate_curve(&svm, &path, &rows, &labels[1..]).unwrap_err();
    assert_eq!(error, AdapterError::Shape { what: "labels", expected: 60, found: 59 });
    let mut wrong = labels.clone();
    wrong[7] = 2.0;
    assert_eq!(rate_curve(&svm, &path, &rows, &wrong), Err(AdapterError::Label { row: 7, value: 2.0 }));
    let narrow = dense(&vec![vec![1.0; 2]; 60]);
    let columns = |found| AdapterError::Columns { expected: 3, found };
    assert_eq!(rate_curve(&svm, &path, &narrow, &labels), Err(columns(2)));
    assert_eq!(probabilities(&svm, &path, &rows.append_constant_column(1.0)), Err(columns(4)));
    let other = Problem::clouds(20, 3, 71, Bias::Intercept);
    let error = probabilities(&svm, &other.follow(0.0, 1.0), &rows).unwrap_err();
    assert!(matches!(error, AdapterError::Shape { expected: 50, found: 20, .. }), "{error}");
}

/// The AUC by counting pairs. Where w is zero f is the constant with the rounding of its terms; such scores are equal.
fn counted_auc(f: &[f64], labels: &[f64]) -> f64 {
    let rounding = 1e-12 * f.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    let (mut wins, mut pairs) = (0.0, 0.0);
    for (a, _) in f.iter().zip(labels).filter(|(_, y)| **y > 0.0) {
        for (b, _) in f.iter().zip(labels).filter(|(_, y)| **y < 0.0) {
            pairs += 1.0;
            wins += if (a - b).abs() <= rounding { 0.5 } else { f64::from(u8::from(a > b)) };
        }
    }
    wins / pairs
}

/// The curve's shape, and its values at many τ, off the steps.
fn assert_auc(problem: &Problem, path: &Path<f64>, rows: &Features, labels: &[f64]) -> AucCurve {
    let svm = problem.svm();
    let curve = auc_curve(&svm, path, rows, labels).unwrap();
    assert!(curve.tau.is_sorted_by(|a, b| a < b));
    assert_eq!(curve.tau.len(), curve.auc.len() + 1);
    let (first, last) = (curve.tau[0], curve.tau[curve.auc.len()]);
    let mut tested = 0;
    for j in 0..300 {
        let tau = first + (last - first) * (j as f64 + 0.5) / 300.0;
        let k = curve.tau.partition_point(|t| *t <= tau) - 1;
        if (curve.tau[k] - tau).abs().min((curve.tau[k + 1] - tau).abs()) < 1e-9 {
            continue;
        }
        let f = svm.decision(&svm.at(path, tau).unwrap(), rows);
        assert!((curve.auc[k] - counted_auc(&f, labels)).abs() < 1e-12, "at tau = {tau}: {}", curve.auc[k]);
        tested += 1;
    }
    assert!(tested > 250);
    curve
}

#[test]
fn the_auc_is_that_of_the_path_at_each_tau() {
    for (bias, kernel) in BIASES.into_iter().flat_map(|bias| KERNELS.map(|kernel| (bias, kernel))) {
        let (problem, rows, labels) = with_test(bias, kernel);
        let curve = assert_auc(&problem, &problem.follow(0.0, 1.0), &rows, &labels);
        assert!(curve.auc.len() > 20, "{bias:?} {kernel}: {} pieces", curve.auc.len());
        let mirrored = assert_auc(&problem, &problem.follow(1.0, 0.0), &rows, &labels);
        assert_eq!(curve.auc, mirrored.auc, "{bias:?} {kernel}");
        common::assert_same("steps", &curve.tau, &mirrored.tau, 1e-10);
        assert_auc(&problem, &problem.follow(0.3, 0.6), &rows, &labels);
    }
}

#[test]
fn the_auc_counts_rows_that_are_equal_all_along_half() {
    // Every row stands once in each class: wins and losses balance.
    let (problem, rows, _) = with_test(Bias::Augmented(1.0), "linear");
    let twice: Vec<usize> = (0..rows.rows()).chain(0..rows.rows()).collect();
    let labels: Vec<f64> = (0..twice.len()).map(|i| if i < rows.rows() { 1.0 } else { -1.0 }).collect();
    let curve = auc_curve(&problem.svm(), &problem.follow(0.0, 1.0), &rows.select_rows(&twice), &labels).unwrap();
    assert_eq!((curve.auc.as_slice(), curve.tau.len()), (&[0.5][..], 2));
    let one = auc_curve(&problem.svm(), &problem.follow(0.0, 1.0), &rows, &vec![1.0; rows.rows()]).unwrap();
    assert!(one.auc.iter().all(|v| v.is_nan()));
    let wrong = auc_curve(&problem.svm(), &problem.follow(0.0, 1.0), &rows, &[1.0]);
    assert!(matches!(wrong, Err(AdapterError::Shape { what: "labels", .. })));
}
