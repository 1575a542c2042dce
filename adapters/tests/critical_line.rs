//! Efficient portfolios against other programs' numbers, an interior-point solver, and exact arithmetic.

use crate::common;
use pathqp::testing::{Options, Random, check, check_exactly};
use pathqp::validate::validate;
use pathqp::{Path, Settings, Start, Stop, trace};
use pathqp_adapters::AdapterError;
use pathqp_adapters::critical_line::{CriticalLine, Portfolio};
use pathqp_adapters::dataset::Features;

const RESIDUAL: f64 = 1e-9;

fn follow(problem: &CriticalLine) -> Path<f64> {
    let path = problem.path(&Settings::default()).unwrap();
    assert_eq!(validate(&path, &problem.line().unwrap(), &RESIDUAL), []);
    path
}

/// AᵀA/k of a k × n matrix of normal numbers.
fn covariance(n: usize, k: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = (0..k).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
    let entry = |i: usize, j: usize| rows.iter().map(|r| r[i] * r[j]).sum::<f64>() / k as f64;
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

fn random(n: usize, k: usize, seed: u64, upper: f64) -> CriticalLine {
    let mut random = Random(seed);
    let mean = (0..n).map(|_| random.normal()).collect();
    CriticalLine::new(mean, covariance(n, k, &mut random), vec![0.0; n], vec![upper; n]).unwrap()
}

/// The checks of every adapter from t = 0 to twice the last turning point, in stretches: a position on a line is known to rounding of
/// its distance from the beginning, and backwards that is the other end.
fn check_all(what: &str, problem: &CriticalLine) {
    let path = follow(problem);
    let end = 2.0 * path.breakpoints().last().copied().unwrap_or(0.0) + 1.0;
    let qp = problem.qp().unwrap();
    for [from, to] in [[0.0, 0.01 * end], [0.01 * end, 0.1 * end], [0.1 * end, end]] {
        let options = Options { points: 17, ..Options::default() };
        assert_eq!(check(&qp, &[from], &[to], &Start::Anywhere, &options), [], "{what}: {from} to {to}");
    }
}

/// The portfolio of least variance, found by exchanging all that is out of place at once, and by the engine from nothing: one path.
#[test]
fn a_start_found_at_once_begins_the_same_path() {
    for seed in 0..20 {
        for (n, upper) in [(5, 1.0), (40, 1.0), (40, 0.06), (40, 0.025)] {
            let problem = random(n, 2 * n, seed, upper);
            let (path, line) = (follow(&problem), problem.line().unwrap());
            let other = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
            let end = path.breakpoints().last().copied().unwrap_or(1.0);
            common::assert_same(&format!("{n}, seed {seed}"), &path.breakpoints(), &other.breakpoints(), 1e-9 * end);
        }
    }
}

#[test]
fn random_assets() {
    for seed in 0..20 {
        for (n, k, upper) in [(2, 4, 1.0), (12, 30, 1.0), (12, 30, 0.15), (20, 8, 1.0), (20, 8, 0.2)] {
            check_all(&format!("{n} assets, rank {k}, seed {seed}"), &random(n, k, seed, upper));
        }
    }
}

/// Whole numbers: μ from −2 to 2, Σ = ZZᵀ with Z from −1 to 1, and of the last assets each twice.
#[test]
fn ties_and_duplicates_exactly() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (n, k) = (6, 1 + (seed % 5) as usize);
        let mut z: Vec<Vec<f64>> = (0..n).map(|_| (0..k).map(|_| random.integer(1)).collect()).collect();
        let mut mean: Vec<f64> = (0..n).map(|_| random.integer(2)).collect();
        z.extend_from_within(4..);
        mean.extend_from_within(4..);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let covariance = z.iter().map(|a| z.iter().map(|b| dot(a, b)).collect()).collect();
        let upper = [1.0, 0.25, 0.5][(seed % 3) as usize];
        let problem = CriticalLine::new(mean, covariance, vec![0.0; 8], vec![upper; 8]).unwrap();
        check_all(&format!("seed {seed}"), &problem);
        let qp = problem.qp().unwrap();
        assert_eq!(check_exactly(&qp, &[0.0], &[16.0], &Options::default()), [], "seed {seed}");
    }
}

#[test]
fn equal_returns_share_by_variance() {
    // Both have the largest return: the variance decides, w ∝ 1/σ² (0.2, 0.8), for all t from some point on.
    let covariance = vec![vec![4.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 0.5]];
    let problem = CriticalLine::new(vec![1.0, 1.0, 0.0], covariance, vec![0.0; 3], vec![1.0; 3]).unwrap();
    let path = follow(&problem);
    assert!(path.is_endless());
    let last = problem.at(&path, 1e6).unwrap();
    for (w, expected) in last.weights.iter().zip([0.2, 0.8, 0.0]) {
        assert!((w - expected).abs() < 1e-12, "{last:?}");
    }
    // Asset 3 leaves at t = v = 0.8, where (Σw)ᵢ − t = y for the first two and 0 ≥ y for the third.
    let points = problem.turning_points(&path);
    assert_eq!(points.len(), 2);
    assert!((points[1].t - 0.8).abs() < 1e-12, "{points:?}");
}

#[test]
fn fixed_weights_and_single_points() {
    // Case B16: two assets fixed, one feasible point at the lower or the upper bounds, and none.
    let covariance = vec![
        vec![0.04, 0.01, 0.0, 0.01],
        vec![0.01, 0.09, 0.02, 0.0],
        vec![0.0, 0.02, 0.16, 0.03],
        vec![0.01, 0.0, 0.03, 0.25],
    ];
    let mean = vec![0.05, 0.07, 0.11, 0.15];
    let problem = |lower: [f64; 4], upper: [f64; 4]| {
        CriticalLine::new(mean.clone(), covariance.clone(), lower.to_vec(), upper.to_vec())
    };
    let value = |p: &Portfolio| p.variance / 2.0 - p.t * p.mean;
    let expect = |lower, upper, weights: [Option<[f64; 4]>; 3], values: [f64; 3]| {
        let problem = problem(lower, upper).unwrap();
        let path = follow(&problem);
        for (k, t) in [0.0, 0.1, 1.0].into_iter().enumerate() {
            let found = problem.at(&path, t).unwrap();
            assert!((value(&found) - values[k]).abs() < 1e-14, "{found:?}");
            for (w, expected) in found.weights.iter().zip(weights[k].iter().flatten()) {
                assert!((w - expected).abs() < 1e-14, "{found:?}");
            }
        }
    };
    let least = [0.1, 0.2, 0.3, 0.4];
    expect(least, [1.0; 4], [Some(least); 3], [0.0346, 0.0234, -0.0774]);
    let second = |w: f64| Some([0.25, w, 0.25, 0.5 - w]);
    let weights = [second(0.375), second(0.351470588235294), second(0.139705882352941)];
    let values = [0.01859375, 0.00999963235294118, -0.0758180147058824];
    expect([0.25, 0.0, 0.25, 0.0], [0.25, 1.0, 0.25, 1.0], weights, values);
    expect([0.0; 4], [0.25; 4], [Some([0.25; 4]); 3], [0.02125, 0.01175, -0.07375]);
    let error = problem([0.3; 4], [1.0; 4]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "no feasible portfolio: the lower bounds sum to 1.2 and the upper bounds to 4, and 1 must lie between them; change the bounds"
    );
}

#[test]
fn no_risk_at_all() {
    // Fewer periods than assets: at t = 0 many portfolios have no variance, and of these the path takes that with the largest return.
    let returns = Features::Dense { rows: 2, columns: 4, values: vec![0.1, 0.3, -0.1, 0.2, 0.3, 0.1, 0.1, 0.2] };
    let problem = CriticalLine::from_returns(&returns, vec![0.0; 4], vec![1.0; 4]).unwrap();
    let path = follow(&problem);
    let first = problem.at(&path, 0.0).unwrap();
    assert!(first.variance.abs() < 1e-17 && (first.mean - 0.2).abs() < 1e-15, "{first:?}");
    check_all("two periods", &problem);
    // Without any variance the best return at once.
    let flat = CriticalLine::new(vec![1.0, 3.0, 2.0], vec![vec![0.0; 3]; 3], vec![0.0; 3], vec![1.0; 3]).unwrap();
    assert_eq!(flat.at(&follow(&flat), 0.5).unwrap().weights, [0.0, 1.0, 0.0]);
}

#[test]
fn one_asset_and_short_sales() {
    let one = CriticalLine::new(vec![0.1], vec![vec![0.04]], vec![0.0], vec![1.0]).unwrap();
    assert_eq!(one.at(&follow(&one), 3.0).unwrap().weights, [1.0]);
    // Without bounds the frontier is a parabola: m′ = μᵀΣ⁻¹μ − (1ᵀΣ⁻¹μ)²/1ᵀΣ⁻¹1, here 1/1 + 4/4 − (1 + ½)²/(5/4).
    let infinite = f64::INFINITY;
    let covariance = vec![vec![1.0, 0.0], vec![0.0, 4.0]];
    let free = CriticalLine::new(vec![1.0, 2.0], covariance, vec![-infinite; 2], vec![infinite; 2]).unwrap();
    let path = free.path(&Settings::default()).unwrap();
    assert!(matches!(path.stop(), Some(Stop::Diverges { .. })), "{:?}", path.stop());
    let [a, b] = [1.0, 11.0].map(|t| free.at(&path, t).unwrap());
    assert!(((b.mean - a.mean) / 10.0 - (2.0 - 2.25 / 1.25)).abs() < 1e-13, "{a:?} {b:?}");
}

#[test]
fn the_largest_sharpe_ratio() {
    for seed in 0..10 {
        let problem = random(15, 40, seed, 0.3);
        let path = follow(&problem);
        for risk_free in [-1.0, 0.0, 0.3] {
            let best = problem.max_sharpe(&path, risk_free).portfolio.unwrap();
            let end = 1.5 * path.breakpoints().last().unwrap();
            let others = (0..=2_000).map(|k| problem.at(&path, end * f64::from(k) / 2_000.0).unwrap());
            let others = others.chain(problem.turning_points(&path)).map(|p| p.sharpe(risk_free));
            let most = others.fold(f64::NEG_INFINITY, f64::max);
            assert!(best.sharpe(risk_free) >= most - 1e-15 * most.abs(), "seed {seed}: {best:?}, {most}");
            // S′ = 0: v = t(m − r).
            let off = best.variance - best.t * (best.mean - risk_free);
            assert!(off.abs() < 1e-13 * best.variance, "seed {seed}: {best:?}, {off:e}");
        }
    }
    let tangent = CriticalLine::new(vec![1.0, 2.0], vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![0.0; 2], vec![1.0; 2]);
    let tangent = tangent.unwrap();
    // w ∝ Σ⁻¹(μ − r) = (1, 2) for r = 0.
    let best = tangent.max_sharpe(&follow(&tangent), 0.0).portfolio.unwrap();
    assert!((best.weights[0] - 1.0 / 3.0).abs() < 1e-14, "{best:?}");
}

#[test]
fn a_given_return() {
    let problem = random(15, 40, 3, 1.0);
    let path = follow(&problem);
    let points = problem.turning_points(&path);
    let (least, most) = (points.first().unwrap().mean, points.last().unwrap().mean);
    for k in 0..=100 {
        let mean = least + (most - least) * f64::from(k) / 100.0;
        let found = problem.with_return(&path, mean).unwrap();
        assert!((found.mean - mean).abs() < 1e-13, "{mean}: {found:?}");
    }
    for value in [least - 0.1, most + 0.1] {
        assert_eq!(problem.with_return(&path, value), Err(AdapterError::Return { value, least, most }));
    }
}

#[test]
fn what_is_wrong_is_named() {
    let new = |mean: &[f64], covariance: &[&[f64]], lower: &[f64], upper: &[f64]| {
        let covariance = covariance.iter().map(|row| row.to_vec()).collect();
        let problem = CriticalLine::new(mean.to_vec(), covariance, lower.to_vec(), upper.to_vec());
        problem.and_then(|problem| problem.qp()).err().unwrap().to_string()
    };
    let one: &[&[f64]] = &[&[1.0]];
    assert_eq!(
        new(&[], &[], &[], &[]),
        "no feasible portfolio: the lower bounds sum to 0 and the upper bounds to 0, and 1 must lie between them; change the bounds"
    );
    assert_eq!(new(&[1.0, 2.0], one, &[0.0], &[1.0]), "the mean has 2 entries: it must have 1");
    assert!(new(&[f64::NAN], one, &[0.0], &[1.0]).starts_with("mean[0] is NaN"));
    assert!(new(&[1.0], &[&[-1.0]], &[0.0], &[1.0]).contains("positive semidefinite"));
    assert!(new(&[1.0], one, &[f64::NAN], &[1.0]).contains("NaN"));
    let two: &[&[f64]] = &[&[1.0, 0.0], &[0.0, 1.0]];
    assert!(new(&[1.0, 1.0], two, &[0.5, 0.0], &[0.4, 1.0]).starts_with("the bounds of variable 0 cross"));
    let returns = Features::Dense { rows: 1, columns: 2, values: vec![0.1, 0.2] };
    let error = CriticalLine::from_returns(&returns, vec![0.0; 2], vec![1.0; 2]).err().unwrap();
    assert_eq!(error, AdapterError::Periods { periods: 1 });
}

#[test]
fn scales_do_not_matter() {
    // Returns in other units: weights at t/s for means times s and covariance times s².
    let mut generator = Random(5);
    let (mean, sigma): (Vec<f64>, _) =
        ((0..10).map(|_| generator.normal()).collect(), covariance(10, 20, &mut generator));
    let scaled = |s: f64| {
        let mean = mean.iter().map(|m| m * s).collect();
        let sigma = sigma.iter().map(|row| row.iter().map(|v| v * s * s).collect()).collect();
        CriticalLine::new(mean, sigma, vec![0.0; 10], vec![1.0; 10]).unwrap()
    };
    let (one, one_path) = (scaled(1.0), follow(&scaled(1.0)));
    for s in [1e-6, 1e-3, 1e6] {
        let (other, path) = (scaled(s), follow(&scaled(s)));
        assert_eq!(path.breakpoints().len(), one_path.breakpoints().len());
        for t in [0.0, 0.01, 0.1, 1.0, 10.0] {
            let (a, b) = (one.at(&one_path, t).unwrap(), other.at(&path, t * s).unwrap());
            let difference = a.weights.iter().zip(&b.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-12, "s = {s}, t = {t}: {difference:e}");
        }
    }
}
