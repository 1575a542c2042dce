//! What users ask of the critical line: the largest Sharpe ratio where every portfolio loses or one has no risk, returns at the ends of the path, tables in different orders, prices for returns.

use pathqp::testing::Random;
use pathqp::{Path, Settings};
use pathqp_adapters::AdapterError;
use pathqp_adapters::critical_line::{
    Assets, CriticalLine, MaxSharpe, SharpeCase, looks_like_prices, returns_of_prices,
};
use pathqp_adapters::dataset::Features;

fn follow(problem: &CriticalLine) -> Path<f64> {
    problem.path(&Settings::default()).unwrap()
}

fn sharpest(problem: &CriticalLine, risk_free: f64) -> MaxSharpe {
    problem.max_sharpe(&follow(problem), risk_free)
}

fn weights(found: &MaxSharpe) -> &[f64] {
    &found.portfolio.as_ref().unwrap().weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn quadratic(sigma: &[Vec<f64>], w: &[f64]) -> f64 {
    sigma.iter().zip(w).map(|(row, w_i)| w_i * dot(row, w)).sum()
}

/// AᵀA/k of a k × n matrix of normal numbers, times s².
fn covariance(n: usize, k: usize, s: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = (0..k).map(|_| (0..n).map(|_| s * random.normal()).collect()).collect();
    let entry = |i: usize, j: usize| rows.iter().map(|r| r[i] * r[j]).sum::<f64>() / k as f64;
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

const B54: [[f64; 3]; 3] = [[0.01, 0.0, 0.0], [0.0, 0.09, 0.01], [0.0, 0.01, 0.25]];

#[test]
fn where_every_portfolio_loses_the_largest_ratio_is_that_of_a_corner() {
    let sigma: Vec<Vec<f64>> = B54.iter().map(|row| row.to_vec()).collect();
    let long_only = |mean: &[f64]| CriticalLine::new(mean.to_vec(), sigma.clone(), vec![0.0; 3], vec![1.0; 3]).unwrap();
    // The single assets have -0.1, -0.04 and -0.036.
    let found = sharpest(&long_only(&[-0.010, -0.012, -0.018]), 0.0);
    assert_eq!((found.case, weights(&found)), (SharpeCase::Corner, &[0.0, 0.0, 1.0][..]));
    assert!((found.ratio.unwrap() + 0.036).abs() < 1e-15 && found.largest_return == -0.01, "{found:?}");
    let caution = found.caution(0.0).unwrap();
    assert!(caution.contains("the largest return is -0.01") && caution.contains("single period"), "{caution}");
    // A yearly rate beside daily returns: (0.0002 - 0.011)/0.5.
    let found = sharpest(&long_only(&[0.001, 0.0008, 0.0002]), 0.011);
    assert_eq!((found.case, weights(&found)), (SharpeCase::Corner, &[0.0, 0.0, 1.0][..]));
    assert!((found.ratio.unwrap() + 0.0216).abs() < 1e-15, "{found:?}");
    // One asset gains: that is the efficient question again.
    let found = sharpest(&long_only(&[-0.010, 0.001, -0.018]), 0.0);
    assert_eq!((found.case, found.caution(0.0)), (SharpeCase::Efficient, None));
    assert!(found.ratio.unwrap() > 0.0);
}

/// All corners of 1ᵀw = 1, l ≤ w ≤ u: every choice of bounds for all assets but one.
fn best_corner(mean: &[f64], sigma: &[Vec<f64>], [lower, upper]: [&[f64]; 2], risk_free: f64) -> f64 {
    let n = mean.len();
    let mut best = f64::NEG_INFINITY;
    for free in 0..n {
        for choice in 0..1 << (n - 1) {
            let mut w: Vec<f64> = (0..n)
                .map(|i| if choice >> (i - usize::from(i > free)) & 1 == 1 && i != free { upper[i] } else { lower[i] })
                .collect();
            w[free] = 0.0;
            w[free] = 1.0 - w.iter().sum::<f64>();
            if w[free] >= lower[free] - 1e-12 && w[free] <= upper[free] + 1e-12 {
                best = best.max((dot(mean, &w) - risk_free) / quadratic(sigma, &w).sqrt());
            }
        }
    }
    best
}

#[test]
fn corners_of_any_bounds_are_gone_through() {
    let mut random = Random(54);
    let mut corners = 0;
    for trial in 0..400 {
        let n = 2 + trial % 6;
        let rank = if trial % 3 == 0 { n + 3 } else { 1 + trial % n };
        let sigma = covariance(n, rank, 0.2, &mut random);
        let mean: Vec<f64> = (0..n).map(|_| -0.01 - 0.02 * random.unit()).collect();
        let lower: Vec<f64> = (0..n).map(|_| [0.0, -0.5, 0.05][trial % 3] * random.unit()).collect();
        let upper: Vec<f64> = match trial % 4 {
            0 => vec![1.0; n],
            1 => vec![f64::INFINITY; n],
            2 => vec![1.1 / n as f64; n],
            _ => lower.iter().map(|l| l + 1.5 * (0.2 + random.unit()) / n as f64).collect(),
        };
        if upper.iter().sum::<f64>() < 1.0 {
            continue;
        }
        let problem = CriticalLine::new(mean.clone(), sigma.clone(), lower.clone(), upper.clone()).unwrap();
        let found = sharpest(&problem, 0.0);
        // Sold short, assets that lose are a gain.
        if found.largest_return > 1e-12 {
            assert!(lower.iter().any(|l| *l < 0.0) && found.case == SharpeCase::Efficient, "trial {trial}: {found:?}");
            continue;
        }
        corners += 1;
        assert_eq!(found.case, SharpeCase::Corner, "trial {trial}: {found:?}");
        let room = 1.0 - lower.iter().sum::<f64>();
        let tight: Vec<f64> = upper.iter().zip(&lower).map(|(u, l)| u.min(l + room)).collect();
        let expected = best_corner(&mean, &sigma, [&lower, &tight], 0.0);
        assert!(
            (found.ratio.unwrap() - expected).abs() < 1e-9 * expected.abs(),
            "trial {trial}: {found:?}, {expected}"
        );
        // Mixtures of the corner with others are worse, and it is within its bounds.
        let w = weights(&found);
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!((0..n).all(|i| w[i] >= lower[i] - 1e-12 && w[i] <= upper[i] + 1e-12), "{w:?}");
        for t in [0.0, 0.1, 10.0] {
            let path = follow(&problem);
            assert!(problem.at(&path, t).unwrap().sharpe(0.0) <= found.ratio.unwrap() + 1e-12);
        }
    }
    assert!(corners > 200, "{corners}");
}

#[test]
fn many_assets_and_too_many_corners() {
    let mut random = Random(7);
    let n = 300;
    let sigma = covariance(n, 20, 0.1, &mut random);
    let mean: Vec<f64> = (0..n).map(|_| -0.01 - 0.02 * random.unit()).collect();
    let problem = |upper: f64| CriticalLine::new(mean.clone(), sigma.clone(), vec![0.0; n], vec![upper; n]).unwrap();
    let found = sharpest(&problem(1.0), 0.0);
    let single = (0..n).map(|i| mean[i] / sigma[i][i].sqrt()).fold(f64::NEG_INFINITY, f64::max);
    assert!((found.ratio.unwrap() - single).abs() < 1e-14, "{found:?}, {single}");
    let found = sharpest(&problem(0.02), 0.0);
    assert_eq!((found.case, found.portfolio.is_none()), (SharpeCase::TooManyCorners, true));
    assert!(found.caution(0.0).unwrap().contains("too many"), "{:?}", found.caution(0.0));
    // Pairs of half each are 44,850 corners.
    let found = sharpest(&problem(0.5), 0.0);
    assert_eq!(found.case, SharpeCase::Corner);
    assert_eq!(weights(&found).iter().filter(|w| **w == 0.5).count(), 2);
}

#[test]
fn no_excess_return_and_no_risk() {
    let problem = |mean: [f64; 3], diagonal: [f64; 3], lower: f64, upper: f64| {
        let sigma = (0..3).map(|i| (0..3).map(|j| if i == j { diagonal[i] } else { 0.0 }).collect()).collect();
        CriticalLine::new(mean.to_vec(), sigma, vec![lower; 3], vec![upper; 3]).unwrap()
    };
    // The largest excess return is zero: so is the largest ratio, of the asset that has it.
    let found = sharpest(&problem([0.01, 0.02, 0.015], [0.1, 0.2, 0.3], 0.0, 1.0), 0.02);
    assert_eq!((found.case, weights(&found), found.ratio), (SharpeCase::Efficient, &[0.0, 1.0, 0.0][..], Some(0.0)));
    assert!(found.caution(0.02).unwrap().contains("the largest Sharpe ratio is zero"));
    // An asset without risk that returns the risk-free return: the ratio of the others is that of the tangent, (0.03² / 0.04 + 0.01² / 0.01)^½.
    let found = sharpest(&problem([0.02, 0.05, 0.03], [0.0, 0.04, 0.01], 0.0, 1.0), 0.02);
    assert_eq!(found.case, SharpeCase::Efficient);
    assert!((found.ratio.unwrap() - (0.0009f64 / 0.04 + 0.0001 / 0.01).sqrt()).abs() < 1e-14, "{found:?}");
    // One that returns more: no ratio is larger than infinity.
    let found = sharpest(&problem([0.02, 0.05, 0.03], [0.0, 0.04, 0.01], 0.0, 1.0), 0.01);
    assert_eq!((found.case, weights(&found)), (SharpeCase::Riskless, &[1.0, 0.0, 0.0][..]));
    assert_eq!(found.ratio, Some(f64::INFINITY));
    // One that returns less: it is never held alone. One that returns the risk-free return while the others lose: the best of those, -0.01/0.2 and -0.02/0.1.
    let found = sharpest(&problem([0.0, 0.05, 0.03], [0.0, 0.04, 0.01], 0.0, 1.0), 0.02);
    assert!(found.case == SharpeCase::Efficient && found.ratio.unwrap() > 0.15, "{found:?}");
    let found = sharpest(&problem([0.0, -0.01, -0.02], [0.0, 0.04, 0.01], 0.0, 1.0), 0.0);
    assert_eq!((found.case, weights(&found)), (SharpeCase::Corner, &[0.0, 1.0, 0.0][..]));
    assert!((found.ratio.unwrap() + 0.05).abs() < 1e-15);
    // Nothing has a risk: the best return, or no ratio at all.
    let found = sharpest(&problem([0.01, 0.03, 0.02], [0.0; 3], 0.0, 1.0), 0.0);
    assert_eq!((found.case, weights(&found)), (SharpeCase::Riskless, &[0.0, 1.0, 0.0][..]));
    assert_eq!(sharpest(&problem([0.01; 3], [0.0; 3], 0.0, 1.0), 0.01).case, SharpeCase::Undefined);
    assert_eq!(sharpest(&problem([0.01; 3], [0.0; 3], 0.0, 1.0), 0.02).case, SharpeCase::Undefined);
    // Without bounds the frontier is a hyperbola, and beyond the return of least variance, 0.02 here, S only comes near its asymptote √m′ = √(2 · 0.01²/0.1).
    let infinite = f64::INFINITY;
    let free = problem([0.01, 0.02, 0.03], [0.1; 3], -infinite, infinite);
    let found = sharpest(&free, 0.025);
    assert_eq!((found.case, found.portfolio.is_none()), (SharpeCase::Limit, true));
    assert!((found.ratio.unwrap() - (0.0002f64 / 0.1).sqrt()).abs() < 1e-14, "{found:?}");
    // w ∝ Σ⁻¹(μ − r) = (0.005, 0.015, 0.025)/0.1.
    let found = sharpest(&free, 0.005);
    assert!((weights(&found)[2] - 5.0 / 9.0).abs() < 1e-13, "{found:?}");
    let found = sharpest(&problem([0.01; 3], [0.1; 3], -infinite, infinite), 0.02);
    assert_eq!((found.case, found.portfolio.is_none()), (SharpeCase::Unbounded, true));
}

#[test]
fn hedges_and_constant_returns_have_no_risk_to_the_last_bit() {
    // The third asset returns 0.1 % in every period, the second is the first one turned round about 0.05 %.
    let values: Vec<f64> =
        [0.013, -0.007, 0.0031, 0.0222, -0.0157].iter().flat_map(|x| [*x, 0.001 - x, 0.001]).collect();
    let returns = Features::Dense { rows: 5, columns: 3, values };
    let problem = CriticalLine::from_returns(&returns, vec![0.0; 3], vec![1.0; 3]).unwrap();
    let path = follow(&problem);
    let first = problem.at(&path, 0.0).unwrap();
    assert_eq!(first.variance, 0.0, "{first:?}");
    assert!((first.mean - 0.001).abs() < 1e-17, "{first:?}");
    let found = problem.max_sharpe(&path, 0.0005);
    assert_eq!((found.case, found.ratio), (SharpeCase::Riskless, Some(f64::INFINITY)), "{found:?}");
    // Two assets against one another, moments given: what is left of 0.3² + 0.3² − 2·0.09 over four is rounding.
    let sigma = vec![vec![0.09, -0.09], vec![-0.09, 0.09]];
    let hedge = CriticalLine::new(vec![0.01, 0.03], sigma, vec![0.0; 2], vec![1.0; 2]).unwrap();
    let found = sharpest(&hedge, 0.0);
    assert_eq!((found.case, found.portfolio.as_ref().unwrap().variance), (SharpeCase::Riskless, 0.0), "{found:?}");
}

/// A number of so many decimals as text and as value.
fn decimal(units: i64, digits: usize) -> f64 {
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let scale = 10u64.pow(digits as u32);
    format!("{sign}{}.{:0digits$}", size / scale, size % scale).parse().unwrap()
}

#[test]
fn the_largest_return_is_a_target_however_it_is_rounded() {
    // 0.03 + 0.03 − 0.01 is 0.049999999999999996.
    let sigma = vec![
        vec![0.01, 0.002, 0.0, 0.0],
        vec![0.002, 0.09, 0.01, 0.0],
        vec![0.0, 0.01, 0.16, 0.0],
        vec![0.0, 0.0, 0.0, 0.04],
    ];
    let mean = vec![0.01, 0.03, 0.03, 0.02];
    let wide = CriticalLine::new(mean.clone(), sigma.clone(), vec![-1.0; 4], vec![1.0; 4]).unwrap();
    let found = wide.with_return(&follow(&wide), 0.05).unwrap();
    assert_eq!(found.weights, [-1.0, 1.0, 1.0, 0.0]);
    assert!((found.variance - 0.276).abs() < 1e-15, "{found:?}");
    let long = CriticalLine::new(mean, sigma, vec![0.0; 4], vec![1.0; 4]).unwrap();
    let found = long.with_return(&follow(&long), 0.03).unwrap();
    // 15/23, 8/23: w ∝ (0.16 − 0.01, 0.09 − 0.01).
    assert!((found.weights[1] - 15.0 / 23.0).abs() < 1e-14 && (found.variance - 0.06217391304347826).abs() < 1e-15);
    // An ulp or two are rounding, a part in 10¹² is not.
    let error = long.with_return(&follow(&long), 0.030000000001).unwrap_err();
    assert!(
        error.to_string().contains("no efficient portfolio has the return 0.030000000001: choose one from 0.01"),
        "{error}"
    );
    assert!(error.to_string().ends_with("to 0.03"), "{error}");
}

#[test]
fn largest_returns_of_decimals() {
    let mut random = Random(56);
    let mut count = 0;
    for trial in 0..600 {
        let n = 2 + trial % 9;
        // Means of six decimals, bounds of two; the largest return is then a whole number of units of 10⁻⁸.
        let units: Vec<i64> = (0..n).map(|_| (random.unit() * 100_000.0) as i64 - 20_000).collect();
        let [lower, upper] = match trial % 4 {
            0 => [vec![0; n], vec![100; n]],
            1 => [vec![-100; n], vec![100; n]],
            2 => [vec![0; n], vec![(100 / n as i64) + 7; n]],
            _ => [vec![-13; n], (0..n).map(|_| 30 + (random.unit() * 70.0) as i64).collect()],
        };
        if upper.iter().sum::<i64>() < 100 {
            continue;
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| -units[i]);
        let (mut w, mut left) = (lower.clone(), 100 - lower.iter().sum::<i64>());
        for i in order {
            let part = left.min(upper[i] - lower[i]);
            (w[i], left) = (w[i] + part, left - part);
        }
        let most: i64 = w.iter().zip(&units).map(|(w, m)| w * m).sum();
        let [lower, upper] = [&lower, &upper].map(|v| v.iter().map(|b| decimal(*b, 2)).collect::<Vec<f64>>());
        let mean: Vec<f64> = units.iter().map(|m| decimal(*m, 6)).collect();
        let problem = CriticalLine::new(mean.clone(), covariance(n, n + 2, 0.1, &mut random), lower, upper).unwrap();
        let path = follow(&problem);
        let w: Vec<f64> = w.iter().map(|w| decimal(*w, 2)).collect();
        let backwards: f64 = w.iter().zip(&mean).rev().map(|(w, m)| w * m).sum();
        for target in [decimal(most, 8), dot(&w, &mean), backwards] {
            let found = problem.with_return(&path, target).unwrap_or_else(|error| panic!("trial {trial}: {error}"));
            assert!((found.mean - target).abs() < 1e-15 && found.variance > 0.0, "trial {trial}: {found:?}, {target}");
            count += 1;
        }
        // What the path says of itself is found, and a unit of the last decimal beyond is not.
        let points = problem.turning_points(&path);
        for end in [&points[0], &points[points.len() - 1]] {
            assert!((problem.with_return(&path, end.mean).unwrap().variance - end.variance).abs() < 1e-15);
        }
        let beyond = decimal(most + 1, 8);
        assert!(
            matches!(problem.with_return(&path, beyond), Err(AdapterError::Return { value, .. }) if value == beyond)
        );
        let below = points[0].mean - 1e-9;
        assert!(problem.with_return(&path, below).is_err(), "trial {trial}");
    }
    assert!(count > 1500, "{count}");
}

#[test]
fn tables_are_matched_by_name() {
    let names = |text: &str| text.split(',').map(String::from).collect::<Vec<String>>();
    let mut assets = Assets::default();
    assert_eq!(assets.place(None), Ok(None));
    assert_eq!(assets.place(Some(&names("a,b,c"))), Ok(None));
    assert_eq!(assets.place(Some(&names("c,a,b"))), Ok(Some(vec![1, 2, 0])));
    assert_eq!(assets.place(None), Ok(None));
    assert_eq!(assets.names(), Some(&names("a,b,c")[..]));
    let error = assets.place(Some(&names("a,b,d,e"))).unwrap_err();
    assert_eq!(error, AdapterError::Names { missing: names("c"), unknown: names("d,e") });
    assert_eq!(error.to_string(), "the names of the columns differ, missing: 'c', unknown: 'd', 'e'");
    let error = assets.place(Some(&names("a,b,b"))).unwrap_err();
    assert_eq!(error, AdapterError::RepeatedName { name: "b".into() });
    let many: Vec<String> = (0..9).map(|i| format!("x{i}")).collect();
    let error = assets.place(Some(&many)).unwrap_err().to_string();
    assert!(error.ends_with("unknown: 'x0', 'x1', 'x2', 'x3', 'x4' and 4 more"), "{error}");
    // The same names twice in the same order are no question.
    let mut twice = Assets::default();
    twice.place(Some(&names("a,a"))).unwrap();
    assert_eq!(twice.place(Some(&names("a,a"))), Ok(None));
}

#[test]
fn prices_are_noticed_and_turned_into_returns() {
    let mut random = Random(12);
    let table = |rows: usize, columns: usize, values: Vec<f64>| Features::Dense { rows, columns, values };
    let (mut prices, mut returns, mut percent, mut yearly) = (0, 0, 0, 0);
    for trial in 0..200 {
        let (periods, n) = (6 + trial % 60, 1 + trial % 5);
        let mut level: Vec<f64> = (0..n).map(|_| 10f64.powf(3.0 * random.unit())).collect();
        let mut values = Vec::new();
        let mut moves = Vec::new();
        for _ in 0..periods {
            let row: Vec<f64> = (0..n).map(|_| 0.005 + 0.03 * random.normal()).collect();
            level.iter_mut().zip(&row).for_each(|(p, r)| *p *= 1.0 + r);
            values.extend_from_slice(&level);
            moves.extend(row);
        }
        prices += usize::from(looks_like_prices(&table(periods, n, values)).is_some());
        returns += usize::from(looks_like_prices(&table(periods, n, moves.clone())).is_some());
        percent +=
            usize::from(looks_like_prices(&table(periods, n, moves.iter().map(|r| 100.0 * r).collect())).is_some());
        // All positive, in percent: good years.
        let good = moves.iter().map(|r| 1.0 + 500.0 * r.abs()).collect();
        yearly += usize::from(looks_like_prices(&table(periods, n, good)).is_some());
    }
    assert_eq!((prices, returns, percent, yearly), (200, 0, 0, 0));
    // Rates of deposits: positive and steady, and small.
    assert_eq!(looks_like_prices(&table(4, 1, vec![0.031, 0.032, 0.032, 0.033])), None);
    // One plus the return is a price too.
    let found = looks_like_prices(&table(4, 2, vec![1.01, 0.99, 1.0, 1.02, 0.98, 1.0, 1.03, 1.01])).unwrap();
    assert!((found.mean - 1.005).abs() < 1e-15 && found.change < 0.05, "{found:?}");
    assert!(found.to_string().contains("their mean is 1.0050 (as a return, 10"), "{found}");
    let prices = table(4, 2, vec![100.0, 50.0, 110.0, 49.0, 99.0, 49.0, 99.0, 98.0]);
    let returns = returns_of_prices(&prices).unwrap();
    assert_eq!(returns, table(3, 2, vec![0.1, -0.02, -0.1, 0.0, 0.0, 1.0]));
    let error = returns_of_prices(&table(3, 1, vec![1.0, 0.0, 2.0])).unwrap_err();
    assert_eq!(error, AdapterError::Price { row: 1, column: 0, value: 0.0 });
    assert_eq!(returns_of_prices(&table(2, 1, vec![1.0, 2.0])).unwrap_err(), AdapterError::Periods { periods: 1 });
}
