//! ε-SVR tuned: the least loss of every path, and what attains it.

use crate::common::dense;
use pathqp::testing::Random;
use pathqp::{Certificate, Line, Path, Settings};
use pathqp_adapters::bilevel::{BilevelPath, Fold, TubeDomain, TubeLoss, Tuned, tube_at, tubes};
use pathqp_adapters::problem::{Constant, begin};
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Bias, KernelProblem, PathProblem};
use std::sync::Arc;

type Data = (Vec<Vec<f64>>, Vec<f64>);

const LOSSES: [TubeLoss; 2] = [TubeLoss::Absolute, TubeLoss::Squared];

/// Σ ṽ|Ỹ − f| or Σ ṽ(Ỹ − f)² on the held-out rows.
fn total(fold: &Fold<Svr>, f: &[f64], loss: TubeLoss) -> f64 {
    let size = |r: f64| if loss == TubeLoss::Absolute { r.abs() } else { r * r };
    f.iter().zip(fold.responses()).zip(fold.weights()).map(|((f, y), v)| v * size(y - f)).sum()
}

fn wave(n: usize, random: &mut Random) -> Data {
    let x: Vec<f64> = (0..n).map(|_| 4.0 * random.unit() - 2.0).collect();
    let y = x.iter().map(|x| (2.0 * x).sin() + 0.5 * random.normal()).collect();
    (x.into_iter().map(|x| vec![x]).collect(), y)
}

fn svr(data: &Data, weights: Option<Vec<f64>>, kernel: &str, bias: Bias) -> Svr {
    let kernel = kernel.parse().unwrap();
    Svr::new(Arc::new(dense(&data.0)), data.1.clone(), weights, kernel, bias, Chart::Cost).unwrap()
}

/// f on the held-out rows at a position, with the middle of the intercept's interval.
fn fits(fold: &Fold<Svr>, line: &Line<f64>, path: &Path<f64>, t: f64) -> Vec<f64> {
    let (svr, theta) = (fold.problem(), path.parameter(&t));
    let point = path.at(&t).unwrap();
    let mut model = svr.model(&theta, &point);
    let certificate = Certificate::new(line, &t, &point.x, &point.y);
    if let Constant::Interval([Some(low), Some(high)]) = svr.constant(&model, certificate.multiplier_range) {
        model.function.constant = (low + high) / 2.0;
    }
    svr.decision(&model, fold.rows())
}

/// The least loss along the tuned parameter at one value of the other, over all knots of all folds and points between.
fn least_loss(folds: &[Fold<Svr>], (tuned, loss): (Tuned, TubeLoss), vary: f64, [low, high]: [f64; 2]) -> (f64, usize) {
    let settings = Settings::default();
    let theta = |v: f64| if tuned == Tuned::Cost { [v, vary] } else { [vary, v] };
    let qps: Vec<_> = folds.iter().map(|fold| fold.problem().qp(&settings).unwrap()).collect();
    let lines: Vec<Line<f64>> = qps.iter().map(|qp| qp.line(&theta(low), &theta(high)).unwrap()).collect();
    let mut paths = Vec::new();
    for ((fold, qp), line) in folds.iter().zip(&qps).zip(&lines) {
        let mut follower = begin(line, &fold.problem().start(qp, &theta(low), &settings), &settings).unwrap();
        follower.run(&mut ()).unwrap();
        paths.push(follower.into_path());
    }
    let mut places: Vec<f64> = vec![0.0, high - low];
    paths.iter().for_each(|path| places.extend(path.breakpoints()));
    places.sort_by(f64::total_cmp);
    let between: Vec<f64> =
        places.windows(2).flat_map(|w| (1..12).map(|k| w[0] + (w[1] - w[0]) * f64::from(k) / 12.0)).collect();
    places.extend(between);
    let weight: f64 = folds.iter().flat_map(|fold| fold.weights()).sum();
    // At C = 0 f is a limit.
    places.retain(|t| tuned == Tuned::Epsilon || low + t > 0.0);
    let at = |t: f64| {
        let all = folds.iter().zip(&lines).zip(&paths);
        all.map(|((fold, line), path)| total(fold, &fits(fold, line, path, t), loss)).sum::<f64>()
    };
    let mut least = places.iter().map(|t| at(*t)).fold(f64::INFINITY, f64::min);
    if loss == TubeLoss::Squared {
        // Between two knots of all folds the loss is a parabola, given by three values, unless the intercept is an interval: where it is least.
        let mut knots: Vec<f64> = vec![0.0, high - low];
        paths.iter().for_each(|path| knots.extend(path.breakpoints()));
        knots.sort_by(f64::total_cmp);
        for ends in knots.windows(2).filter(|ends| ends[1] - ends[0] > 1e-9) {
            let [a, b, c] = [0.25, 0.5, 0.75].map(|part| at(ends[0] + part * (ends[1] - ends[0])));
            let (slope, bend) = (2.0 * (c - a), 8.0 * (a - 2.0 * b + c));
            if bend > 0.0 && slope.abs() < bend {
                least = least.min(at((ends[0] + ends[1]) / 2.0 - (ends[1] - ends[0]) * slope / (2.0 * bend)));
            }
        }
    }
    (least / weight, places.len())
}

/// At random places nothing is below the path, and the path is attained.
fn assert_global(folds: &[Fold<Svr>], (tuned, loss): (Tuned, TubeLoss), path: &BilevelPath, count: usize, seed: u64) {
    assert!(path.is_complete(), "{:?} {}", path.stats(), path.gaps());
    let (first, last) = (path.pieces().first().unwrap(), path.pieces().last().unwrap());
    let [from, to] = [first.vary[0], last.vary[1]];
    let weight: f64 = folds.iter().flat_map(|fold| fold.weights()).sum();
    let mut random = Random(seed);
    for _ in 0..count {
        let vary = from + (to - from) * random.unit();
        let best = path.at(vary).unwrap();
        let theta = if tuned == Tuned::Cost { [best.tuned, vary] } else { [vary, best.tuned] };
        let attained = |fold: &Fold<Svr>| -> f64 {
            let model = tube_at(fold.problem(), theta, &Settings::default())
                .unwrap_or_else(|error| panic!("{theta:?}: {error} {best:?}"));
            total(fold, &fold.problem().decision(&model, fold.rows()), loss)
        };
        let there = folds.iter().map(attained).sum::<f64>() / weight;
        assert!((best.loss - there).abs() <= 1e-8, "{vary}: {best:?}, where the loss is {there}");
        let (least, places) = least_loss(folds, (tuned, loss), vary, path.tuned_range());
        assert!(best.loss <= least + 1e-9, "{vary}: {best:?}, but a candidate of {places} has {least}");
        // What lies between the candidates is not much lower.
        assert!(best.loss >= least - 0.02, "{vary}: {best:?}, candidates {least}");
    }
}

/// Either parameter tuned by either loss.
fn assert_tuned(folds: &[Fold<Svr>], what: &str, count: usize, seed: u64) {
    for (tuned, loss) in [Tuned::Cost, Tuned::Epsilon].into_iter().flat_map(|t| LOSSES.map(|loss| (t, loss))) {
        let domain = TubeDomain { tuned, cost: [None, Some(5.0)], epsilon: [None; 2] };
        let path = tubes(folds, &domain, loss, &Settings::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
        println!("{what} {tuned:?} {loss:?}: {} pieces, {:?}", path.pieces().len(), path.stats());
        assert_global(folds, (tuned, loss), &path, count, seed);
    }
}

#[test]
fn a_validation_set_kernels_and_biases() {
    for (k, (kernel, bias)) in [
        ("rbf:1", Bias::Intercept),
        ("laplacian:1", Bias::None),
        ("linear", Bias::Intercept),
        ("poly:2,0.5,1", Bias::Augmented(1.0)),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Random(k as u64);
        let (train, held) = (wave(24, &mut random), wave(40, &mut random));
        let weights = (k == 0).then(|| (0..40).map(|_| 0.5 + random.unit()).collect());
        let folds = [Fold::new(svr(&train, None, kernel, bias), dense(&held.0), held.1, weights).unwrap()];
        assert_tuned(&folds, kernel, 15, k as u64);
    }
}

#[test]
fn folds() {
    for (k, kernel) in ["rbf:1", "linear"].into_iter().enumerate() {
        let mut random = Random(50 + k as u64);
        let (x, y) = wave(24, &mut random);
        let kind = kernel.parse().unwrap();
        let pose = |x, y, v| Svr::new(x, y, v, kind, Bias::Intercept, Chart::Cost);
        let folds = Fold::split_by(&dense(&x), &y, None, (3, false), &pose).unwrap();
        assert_tuned(&folds, kernel, 12, k as u64);
    }
}

/// Repeated rows count as their weights say, and the answer is that of the rows one by one.
#[test]
fn repeated_rows() {
    let mut random = Random(5);
    let (mut train, held) = (wave(16, &mut random), wave(20, &mut random));
    let twice: Data = (train.0[3..7].to_vec(), train.1[3..7].to_vec());
    train.0.extend(twice.0);
    train.1.extend(twice.1);
    let folds = [Fold::new(svr(&train, None, "rbf:1", Bias::Intercept), dense(&held.0), held.1, None).unwrap()];
    assert_tuned(&folds, "rows twice", 12, 9);
}

/// By hand: f is the middle of the constants with the least loss. Of Y = 0, 1, 4 with ε = ½ the loss is flat between the third and the fourth
/// of −½, ½, ½, 1½, 3½, 4½.
#[test]
fn the_limit_is_the_best_constant() {
    let limit = |y: &[f64], weights: Option<Vec<f64>>, epsilon: f64| {
        svr(&(y.iter().map(|y| vec![*y]).collect(), y.to_vec()), weights, "linear", Bias::Intercept).limit(epsilon)
    };
    assert_eq!(limit(&[0.0, 1.0, 4.0], None, 0.5), 1.0);
    assert_eq!(limit(&[0.0, 1.0, 4.0], None, 0.0), 1.0);
    assert_eq!(limit(&[0.0, 1.0], None, 0.0), 0.5);
    assert_eq!(limit(&[0.0, 1.0, 4.0], Some(vec![1.0, 1.0, 5.0]), 0.5), 3.5);
    assert_eq!(limit(&[2.0], None, 0.25), 2.0);
}

#[test]
fn wrong_questions_are_named() {
    let mut random = Random(1);
    let (train, held) = (wave(8, &mut random), wave(8, &mut random));
    let fold = |y: Vec<f64>| {
        let problem = svr(&(train.0.clone(), y), None, "rbf:1", Bias::Intercept);
        [Fold::new(problem, dense(&held.0), held.1.clone(), None).unwrap()]
    };
    let error = |folds: &[Fold<Svr>], cost, epsilon| {
        let domain = TubeDomain { tuned: Tuned::Cost, cost, epsilon };
        tubes(folds, &domain, TubeLoss::Absolute, &Settings::default()).unwrap_err().to_string()
    };
    let (good, flat) = (fold(train.1.clone()), fold(vec![1.0; 8]));
    assert!(error(&good, [None; 2], [Some(0.5), Some(0.2)]).contains("epsilon from 0.5 to 0.2"));
    assert!(error(&good, [Some(-1.0), Some(1.0)], [None; 2]).contains("c from -1 to 1"));
    assert!(error(&good, [None, Some(f64::INFINITY)], [None; 2]).contains("c from 0 to inf"));
    assert!(error(&flat, [None; 2], [None; 2]).contains("all responses are equal"));
    assert!(error(&[], [None; 2], [None; 2]).contains("no fold"));
}
