//! Bi-level paths of kernel quantile regression against the exact λ-paths at single τ.

use crate::common::dense;
use pathqp::complex::{self, Options};
use pathqp::testing::Random;
use pathqp::{Range, Settings, trace};
use pathqp_adapters::bilevel::{
    BilevelPath, Domain, End, Fold, InSample, bilevel, in_sample, loss_curve, recount, recount_in_sample,
};
use pathqp_adapters::kqr::{Kqr, pinball};
use pathqp_adapters::{Bias, KernelProblem, PathProblem};
use std::f64::consts::PI;
use std::sync::Arc;

/// n draws from the simulation of Rosset (2008), §5.
fn simulation(n: usize, asymmetric: bool, random: &mut Random) -> (Vec<Vec<f64>>, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|_| random.unit()).collect();
    let f = |x: f64| 2.0 * ((-30.0 * (x - 0.25).powi(2)).exp() + (PI * x * x).sin());
    let noise = |x: f64, random: &mut Random| match asymmetric {
        true => (x + 1.0).powi(2) * (-(1.0 - random.unit()).ln() - 1.0),
        false => random.normal(),
    };
    let y = x.iter().map(|&x| f(x) + noise(x, random)).collect();
    (x.into_iter().map(|x| vec![x]).collect(), y)
}

fn fold(train: (Vec<Vec<f64>>, Vec<f64>), held: (Vec<Vec<f64>>, Vec<f64>), kernel: &str, bias: Bias) -> Fold {
    let kqr = Kqr::new(Arc::new(dense(&train.0)), train.1, None, kernel.parse().unwrap(), bias).unwrap();
    Fold::new(kqr, dense(&held.0), held.1, None).unwrap()
}

/// λf of the held-out rows at the ends of the pieces of one fold's λ-path at τ: pairs (λ, N values), in ascending order.
fn lambda_path(fold: &Fold, tau: f64, low: f64, high: f64) -> Vec<(f64, Vec<f64>)> {
    let (kqr, settings) = (fold.problem(), Settings::default());
    let qp = kqr.qp(&settings).unwrap();
    let mut knots: Vec<(f64, Vec<f64>)> = Vec::new();
    // A decade at a time, so that positions on each are sharp.
    let mut from = low;
    while from < high {
        let to = high.min(10.0 * from);
        let line = qp.line(&[tau, from], &[tau, to]).unwrap();
        let path = trace(&line, &kqr.start(&qp, &[tau, from], &settings), &settings, &mut ()).unwrap();
        assert!(path.is_complete());
        let ends = path.breakpoints();
        for t in std::iter::once(&0.0).chain(ends.iter()).chain([path.end()]) {
            let theta = path.parameter(t);
            let model = kqr.model(&theta, &path.at(t).unwrap());
            let values = kqr.decision(&model, fold.rows()).iter().map(|f| f * theta[1]).collect();
            knots.push((theta[1], values));
        }
        from = to;
    }
    knots
}

/// What f is known to at λ, whoever computes it: the kernel's values are rounded, and f = (Σ xⱼk(xⱼ, ·) − y)/λ with |xⱼ| ≤ 1.
fn known(folds: &[Fold], lambda: f64) -> f64 {
    let of = |fold: &Fold| {
        let qp = fold.problem().qp(&Settings::default()).unwrap();
        let largest = (0..qp.n()).map(|i| qp.hessian().diagonal(i)).fold(0.0, f64::max);
        f64::EPSILON * fold.problem().machine().weights().iter().sum::<f64>() * largest / lambda
    };
    folds.iter().map(of).fold(0.0, f64::max)
}

/// What the least loss at τ is known to be: bounds from below and above.
struct Least {
    from: f64,
    to: f64,
    candidates: usize,
}

/// The least loss over the ends of the domain, all knots and all validation crossings of all folds at τ, and over a grid of λ. `high` lies above every knot.
fn least_loss(folds: &[Fold], tau: f64, low: f64, high: f64, infinite: bool) -> Least {
    let paths: Vec<_> = folds.iter().map(|fold| lambda_path(fold, tau, low, high)).collect();
    let at = |path: &[(f64, Vec<f64>)], lambda: f64| -> Vec<f64> {
        let k = path.partition_point(|knot| knot.0 <= lambda).clamp(1, path.len() - 1);
        let k = (k..path.len()).find(|&k| path[k].0 > path[k - 1].0).unwrap_or(path.len() - 1);
        let ((a, u), (b, v)) = (&path[k - 1], &path[k]);
        u.iter().zip(v).map(|(u, v)| (u + (v - u) * ((lambda - a) / (b - a))) / lambda).collect()
    };
    let weight: f64 = folds.iter().flat_map(|fold| fold.weights()).sum();
    let loss = |lambda: f64| -> f64 {
        let fold_loss = |(fold, path): (&Fold, &Vec<(f64, Vec<f64>)>)| -> f64 {
            let data = at(path, lambda).into_iter().zip(fold.responses()).zip(fold.weights());
            data.map(|((f, y), v)| v * pinball(tau, y - f)).sum()
        };
        folds.iter().zip(&paths).map(fold_loss).sum::<f64>() / weight
    };
    let mut candidates = vec![low, high];
    for (fold, path) in folds.iter().zip(&paths) {
        for pair in path.windows(2) {
            let ((a, u), (b, v)) = (&pair[0], &pair[1]);
            candidates.push(*a);
            for ((u, v), y) in u.iter().zip(v).zip(fold.responses()) {
                let (r, s) = (a * y - u, b * y - v);
                if r * s < 0.0 {
                    candidates.push(a + (b - a) * (r / (r - s)));
                }
            }
        }
    }
    let unit = known(folds, 1.0);
    let mut least = Least { from: f64::INFINITY, to: f64::INFINITY, candidates: candidates.len() };
    let grid = (0..10_000).map(|k| low * (high / low).powf(f64::from(k) / 9999.0));
    for lambda in candidates.into_iter().chain(grid) {
        let (loss, known) = (loss(lambda), unit / lambda);
        least.from = least.from.min(loss - known);
        // The path's own value has rounding as well.
        least.to = least.to.min(loss + 2.0 * known);
    }
    if infinite {
        let constant = |fold: &Fold| -> f64 {
            let quantile = fold.problem().limit(tau).1.unwrap_or(0.0);
            fold.responses().iter().zip(fold.weights()).map(|(y, v)| v * pinball(tau, y - quantile)).sum()
        };
        let constants = folds.iter().map(constant).sum::<f64>() / weight;
        (least.from, least.to) = (least.from.min(constants), least.to.min(constants));
    }
    least
}

/// At random τ nothing is below the path, and the path is attained, up to what the losses are known to.
fn assert_global(folds: &[Fold], path: &BilevelPath, tau: [f64; 2], count: usize, seed: u64) {
    assert!(path.is_complete(), "{:?} {}", path.stats(), path.gaps());
    let mut random = Random(seed);
    let [low, end] = path.tuned_range();
    for _ in 0..count {
        let tau = tau[0] + (tau[1] - tau[0]) * random.unit();
        let best = path.at(tau).unwrap();
        let knot = |fold: &Fold| fold.problem().largest_knot(tau, &Settings::default()).unwrap().unwrap_or(0.0);
        let high = if end.is_finite() { end } else { 1e4 * folds.iter().map(knot).fold(low, f64::max) };
        let least = least_loss(folds, tau, low, high, end.is_infinite());
        assert!(least.candidates > 3);
        let off = [best.loss - least.to, least.from - known(folds, best.tuned) - best.loss];
        assert!(off[0] <= 1e-10, "τ = {tau}: {best:?}, but a candidate has {}", least.to);
        assert!(off[1] <= 1e-10, "τ = {tau}: {best:?}, which no candidate attains: {}", least.from);
    }
}

#[test]
fn the_simulation_with_a_validation_set() {
    for (n, asymmetric, seed) in [(30, false, 1), (50, false, 2), (50, true, 3)] {
        let mut random = Random(seed);
        let (train, held) = (simulation(n, asymmetric, &mut random), simulation(200, asymmetric, &mut random));
        let folds = [fold(train, held, "rbf:12.5", Bias::Intercept)];
        let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &Settings::default()).unwrap();
        println!("n = {n}: {} pieces, {:?}", path.pieces().len(), path.stats());
        assert_global(&folds, &path, [0.1, 0.9], 70, seed);
    }
}

/// As large as the largest simulation of the paper.
#[test]
fn the_simulation_with_200_rows() {
    let mut random = Random(4);
    let (train, held) = (simulation(200, false, &mut random), simulation(200, false, &mut random));
    let folds = [fold(train, held, "rbf:12.5", Bias::Intercept)];
    let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &Settings::default()).unwrap();
    println!("{} pieces, {:?}", path.pieces().len(), path.stats());
    assert_global(&folds, &path, [0.1, 0.9], 200, 4);
}

/// Columns of the plane are searched side by side: the path is the same, to the last bit, whatever the number of threads.
#[test]
fn threads_do_not_matter() {
    let mut random = Random(5);
    let mut draw = || simulation(30, true, &mut random);
    let folds = [0, 1, 2].map(|_| fold(draw(), draw(), "rbf:12.5", Bias::Intercept));
    let path = |threads| bilevel(&folds, &Domain::tau(0.1, 0.9), &Settings { threads, ..Settings::default() }).unwrap();
    let one = path(1);
    assert!(one.is_complete() && one.pieces().len() > 10, "{:?}", one.stats());
    for threads in [2, 3, 16] {
        assert_eq!(path(threads), one);
    }
}

/// The regions are the same whatever λ is measured in.
#[test]
fn the_scale_does_not_matter() {
    let mut random = Random(1);
    let (x, y) = simulation(200, false, &mut random);
    let kqr = Kqr::new(Arc::new(dense(&x)), y, None, "rbf:12.5".parse().unwrap(), Bias::Intercept).unwrap();
    let settings = Settings::default();
    let qp = kqr.qp(&settings).unwrap().within(vec![Range::new(0.1, 0.9), Range::at_least(1.0)]).unwrap();
    let point = [0.1, 1000.0];
    let counts = [1.0, 10.0, 100.0, 1000.0].map(|scale| {
        let start = kqr.start(&qp, &point, &settings);
        let options = Options { point: Some(point), start, settings: settings.clone(), scale: Some([1.0, scale]) };
        let (mut regions, mut area) = (0, 0.0);
        let mut visit = |_, region: complex::CriticalRegion<f64>| {
            // (τ, λ) ↦ (τ/λ, 1/λ) takes lines to lines.
            let image: Vec<[f64; 2]> = region
                .corners(&qp, &options)
                .unwrap()
                .iter()
                .map(|&([tau, lambda], finite)| if finite { [tau / lambda, 1.0 / lambda] } else { [0.0; 2] })
                .collect();
            let next = image.iter().cycle().skip(1);
            area += image.iter().zip(next).map(|(p, q)| p[0] * q[1] - p[1] * q[0]).sum::<f64>().abs() / 2.0;
            regions += 1;
            true
        };
        let (_, holes) = complex::stream(&qp, &options, &mut visit).unwrap();
        println!("scale {scale}: {regions} regions, {holes} holes, area − ½·0.8 = {:e}", area - 0.4);
        assert_eq!(holes, 0);
        assert!((area - 0.4).abs() <= 1e-9);
        regions
    });
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn folds_kernels_and_biases() {
    for (k, (kernel, bias)) in [
        ("rbf:12.5", Bias::Intercept),
        ("laplacian:2", Bias::None),
        ("poly:2,1,1", Bias::Augmented(1.0)),
        ("linear", Bias::Intercept),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = Random(10 + k as u64);
        let (x, y) = simulation(30, k == 1, &mut random);
        let folds = Fold::split(&dense(&x), &y, None, kernel.parse().unwrap(), bias, 3).unwrap();
        for domain in [Domain::tau(0.2, 0.8), Domain { tau: [0.3, 0.6], lambda_from: Some(0.05), lambda_to: Some(2.0) }]
        {
            let path = bilevel(&folds, &domain, &Settings::default()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
            println!("{kernel}: {} pieces, {:?}", path.pieces().len(), path.stats());
            assert_global(&folds, &path, domain.tau, 20, k as u64);
        }
    }
}

#[test]
fn ties_and_repeated_rows() {
    let mut random = Random(77);
    for kernel in ["rbf:0.5", "linear"] {
        let draw = |n: usize, random: &mut Random| -> (Vec<Vec<f64>>, Vec<f64>) {
            let x: Vec<Vec<f64>> = (0..n).map(|_| vec![random.below(5) as f64]).collect();
            let y = x.iter().map(|x| x[0] + random.below(4) as f64).collect();
            (x, y)
        };
        let (train, held) = (draw(24, &mut random), draw(15, &mut random));
        let folds = [fold(train, held, kernel, Bias::Intercept)];
        let path = bilevel(&folds, &Domain::tau(0.15, 0.85), &Settings::default()).unwrap();
        println!("{kernel}: {} pieces, {:?}", path.pieces().len(), path.stats());
        assert_global(&folds, &path, [0.15, 0.85], 20, 5);
    }
}

/// The criterion (Li, Liu and Zhu 2007) with the loss at one λ and the number of rows that f interpolates at another.
fn criterion(kqr: &Kqr, kind: InSample, tau: f64, lambda: f64, counted: f64) -> Option<f64> {
    let n = kqr.responses().len() as f64;
    let residuals = |lambda: f64| -> Vec<f64> {
        let model = pathqp_adapters::bilevel::model_at(kqr, tau, lambda, &Settings::default()).unwrap();
        let fit = kqr.decision(&model, kqr.machine().features());
        fit.iter().zip(kqr.responses()).map(|(f, y)| y - f).collect()
    };
    let free = residuals(counted).iter().filter(|r| r.abs() <= 1e-10).count() as f64;
    let loss = residuals(lambda).iter().map(|r| pinball(tau, *r)).sum::<f64>() / n;
    (free < n).then(|| match kind {
        InSample::Sic => (loss.ln() + free * n.ln() / (2.0 * n)).exp(),
        InSample::Gacv => n * loss / (n - free),
    })
}

#[test]
fn criteria_on_the_training_rows() {
    for (seed, kind) in [(5, InSample::Sic), (6, InSample::Gacv)] {
        let mut random = Random(seed);
        let (x, y) = simulation(40, seed == 6, &mut random);
        let kqr = Kqr::new(Arc::new(dense(&x)), y, None, "rbf:12.5".parse().unwrap(), Bias::Intercept).unwrap();
        let settings = Settings::default();
        let path = in_sample(&kqr, kind, &Domain::tau(0.1, 0.9), &settings).unwrap();
        assert!(path.is_complete(), "{:?}", path.stats());
        for _ in 0..6 {
            let tau = 0.1 + 0.8 * random.unit();
            let (best, low) = (path.at(tau).unwrap(), path.tuned_range()[0]);
            let knots: Vec<f64> =
                lambda_path(&Fold::new(kqr.clone(), dense(&x), kqr.responses().to_vec(), None).unwrap(), tau, low, 1e3)
                    .into_iter()
                    .map(|knot| knot.0)
                    .collect();
            // Down to the lower end of a piece the value is continuous, with the rows of its middle.
            let pieces = knots.windows(2).filter(|pair| pair[1] > pair[0] * (1.0 + 1e-6));
            let values = pieces.filter_map(|pair| criterion(&kqr, kind, tau, pair[0], (pair[0] + pair[1]) / 2.0));
            let least = values.fold(f64::INFINITY, f64::min);
            let grid = (0..100).map(|k| low * (1e3 / low).powf(f64::from(k) / 99.0));
            let grid = grid.filter_map(|l| criterion(&kqr, kind, tau, l, l)).fold(f64::INFINITY, f64::min);
            assert!((best.loss - least).abs() <= 1e-6 * least, "{kind:?} τ = {tau}: {best:?}, knots have {least}");
            assert!(best.loss <= grid * (1.0 + 1e-9), "{kind:?} τ = {tau}: {best:?}, the grid has {grid}");
            // Nearer to the knot the row that reaches f there would be counted.
            let here = criterion(&kqr, kind, tau, best.tuned, best.tuned * (1.0 + 1e-6)).unwrap();
            assert!((best.loss - here).abs() <= 1e-6 * here, "{kind:?} τ = {tau}: {best:?}, but the model has {here}");
        }
    }
}

/// What `end` says, and that a smaller λ changes nothing: f interpolates all rows with a narrow kernel.
#[test]
fn the_search_ends_where_nothing_changes_or_double_precision_does() {
    let mut random = Random(8);
    let settings = Settings::default();
    for (kernel, end) in [("laplacian:3", End::Interpolation), ("rbf:0.3", End::Precision)] {
        let (x, y) = simulation(30, false, &mut random);
        let folds = Fold::split(&dense(&x), &y, None, kernel.parse().unwrap(), Bias::Intercept, 3).unwrap();
        let path = bilevel(&folds, &Domain::tau(0.2, 0.8), &settings).unwrap();
        assert_eq!((path.end(), path.is_complete()), (end, true), "{kernel}: {:?}", path.stats());
        assert!(recount(&folds, &path, &settings).unwrap().agrees());
        assert_global(&folds, &path, [0.2, 0.8], 10, 8);
        let low = path.tuned_range()[0];
        if end == End::Interpolation {
            let curve = loss_curve(&folds, 0.37, [1e-3 * low, low], 5, &settings).unwrap();
            assert!(curve.iter().all(|(_, loss)| (loss - curve[0].1).abs() <= 1e-9 * loss), "{curve:?}");
        }
        // What was asked for is an end of its own.
        let asked = Domain { lambda_from: Some(0.5), lambda_to: Some(0.6), ..Domain::tau(0.2, 0.8) };
        let path = bilevel(&folds, &asked, &settings).unwrap();
        assert_eq!((path.end(), path.at_end(), path.is_complete()), (End::Asked, true, true));
    }
}

/// Responses of two or six values, which are the responses of many rows: the quantile is one of theirs nearly everywhere.
#[test]
fn few_distinct_responses() {
    let settings = Settings::default();
    for (k, (values, count)) in [(2, 2), (2, 5), (6, 2), (6, 5)].into_iter().enumerate() {
        let mut random = Random(30 + k as u64);
        let x: Vec<Vec<f64>> = (0..60).map(|_| (0..4).map(|_| random.normal()).collect()).collect();
        let y: Vec<f64> = x
            .iter()
            .map(|x| ((x[0] + random.normal()).clamp(-1.0, 0.99) + 1.0) / 2.0 * f64::from(values))
            .map(f64::floor)
            .collect();
        let folds = Fold::split(&dense(&x), &y, None, "rbf:0.25".parse().unwrap(), Bias::Intercept, count).unwrap();
        let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &settings)
            .unwrap_or_else(|e| panic!("{values} values, {count} folds: {e}"));
        println!("{values} values, {count} folds: {} pieces, {:?}", path.pieces().len(), path.stats());
        let counted = recount(&folds, &path, &settings).unwrap();
        assert!(counted.agrees() && counted.points == path.pieces().len(), "{counted:?}");
        assert_global(&folds, &path, [0.1, 0.9], 10, k as u64);
    }
}

/// Where the solution jumps, as at τ = k/n, an end of the range has the loss of the same τ inside of a wider one.
#[test]
fn ends_at_jumps() {
    let mut random = Random(50);
    let (train, held) = (simulation(50, false, &mut random), simulation(50, false, &mut random));
    let folds = [fold(train, held, "rbf:12.5", Bias::Intercept)];
    let tuned = |from: f64, to: f64| bilevel(&folds, &Domain::tau(from, to), &Settings::default()).unwrap();
    let wide = tuned(0.05, 0.95);
    for (path, tau) in [(tuned(0.1, 0.9), 0.9), (tuned(0.1, 0.9), 0.1), (tuned(0.5, 0.7), 0.7), (tuned(0.5, 0.7), 0.5)]
    {
        let (one, other) = (path.at(tau).unwrap(), wide.at(tau).unwrap());
        assert!((one.loss - other.loss).abs() <= 1e-9, "τ = {tau}: {one:?}, {other:?}");
    }
}

/// Where f meets the rows that are held out the losses of search and recount are rounding, which nobody can tell apart.
#[test]
fn nothing_is_left_of_a_loss() {
    let settings = Settings::default();
    let train = simulation(12, false, &mut Random(52));
    for kernel in ["rbf:500", "laplacian:3"] {
        let itself = fold(train.clone(), train.clone(), kernel, Bias::Intercept);
        let path = bilevel(std::slice::from_ref(&itself), &Domain::tau(0.2, 0.8), &settings).unwrap();
        let counted = recount(std::slice::from_ref(&itself), &path, &settings).unwrap();
        assert!(counted.agrees(), "{kernel}: {counted:?}");
        assert!(path.pieces().iter().all(|piece| piece.at(piece.vary[0]).unwrap().loss.abs() <= 1e-10), "{kernel}");
        for criterion in [InSample::Sic, InSample::Gacv] {
            let domain = Domain { lambda_from: Some(1e-9), ..Domain::tau(0.2, 0.8) };
            let path = in_sample(itself.problem(), criterion, &domain, &settings).unwrap();
            let counted = recount_in_sample(itself.problem(), criterion, &path, &settings).unwrap();
            assert!(counted.agrees(), "{kernel} {criterion:?}: {counted:?}");
        }
    }
}

/// A recount with other held-out rows does not agree.
#[test]
fn a_recount_sees_what_is_wrong() {
    let mut random = Random(51);
    let settings = Settings::default();
    let train = simulation(30, false, &mut random);
    let [right, wrong] =
        [0, 1].map(|_| fold(train.clone(), simulation(30, false, &mut random), "rbf:12.5", Bias::Intercept));
    let path = bilevel(std::slice::from_ref(&right), &Domain::tau(0.2, 0.8), &settings).unwrap();
    let counted = recount(std::slice::from_ref(&right), &path, &settings).unwrap();
    assert!(counted.agrees() && counted.worst <= 1e-9, "{counted:?}");
    let counted = recount(&[wrong], &path, &settings).unwrap();
    assert!(!counted.agrees() && counted.worst > 1e-3, "{counted:?}");
    let criterion = in_sample(right.problem(), InSample::Sic, &Domain::tau(0.2, 0.8), &settings).unwrap();
    let counted = recount_in_sample(right.problem(), InSample::Sic, &criterion, &settings).unwrap();
    assert!(counted.agrees(), "{counted:?}");
    assert!(!recount_in_sample(right.problem(), InSample::Gacv, &criterion, &settings).unwrap().agrees());
}
