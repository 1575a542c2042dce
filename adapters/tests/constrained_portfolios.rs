//! Portfolios with rows: an interior-point solver at many targets, known answers, tables by name, what is refused.

use crate::common::convex::Convex;
use crate::common::{dense, dot};
use pathqp::testing::{Options, Random, check};
use pathqp::validate::validate;
use pathqp::{Path, Settings, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::constraints::Constraints;
use pathqp_adapters::critical_line::{CriticalLine, ENTRY, Portfolio, SharpeCase};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::spec::{Spec, Table};

const FREE: f64 = f64::INFINITY;

/// Assets with sectors of which each has at least and at most so much, and one exposure.
struct Case {
    mean: Vec<f64>,
    sigma: Vec<Vec<f64>>,
    bounds: [f64; 2],
    rows: Vec<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl Case {
    fn random(seed: u64) -> Case {
        let mut random = Random(seed);
        let n = 6 + random.below(15);
        let k = if seed.is_multiple_of(3) { n / 2 } else { 2 * n };
        let z: Vec<Vec<f64>> = (0..n).map(|_| (0..k).map(|_| 0.1 * random.normal()).collect()).collect();
        let sigma = z.iter().map(|a| z.iter().map(|b| dot(a, b)).collect()).collect();
        let mean = (0..n).map(|_| 0.05 + 0.03 * random.normal()).collect();
        let sectors = 3;
        let mut rows: Vec<Vec<f64>> =
            (0..sectors).map(|s| (0..n).map(|i| f64::from(u8::from(i % sectors == s))).collect()).collect();
        rows.push((0..n).map(|_| random.normal()).collect());
        let (mut lower, mut upper) = (vec![-FREE, 0.1, 0.05, -0.2], vec![0.4, FREE, 0.6, 0.3]);
        if seed % 4 == 1 {
            (lower[3], upper[3]) = (0.1, 0.1);
        }
        let bounds = if seed.is_multiple_of(2) { [0.0, 1.0] } else { [-0.2, 0.5] };
        Case { mean, sigma, bounds, rows, lower, upper }
    }

    fn n(&self) -> usize {
        self.mean.len()
    }

    fn alone(&self) -> CriticalLine {
        let bounds = self.bounds.map(|bound| vec![bound; self.n()]);
        let [lower, upper] = bounds;
        CriticalLine::new(self.mean.clone(), self.sigma.clone(), lower, upper).unwrap()
    }

    fn problem(&self) -> Result<CriticalLine, AdapterError> {
        let rows = Constraints::new(dense(&self.rows), self.lower.clone(), self.upper.clone())?;
        self.alone().with_rows(rows)
    }

    /// min ½wᵀΣw + cᵀw over what is allowed, and with a return of at least `mean`.
    fn interior_point(&self, c: Vec<f64>, mean: Option<f64>, quadratic: bool) -> Convex {
        let n = self.n();
        let unit = |j: usize| (0..n).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
        let mut rows: Vec<(Vec<f64>, f64, f64)> = (0..n).map(|j| (unit(j), self.bounds[0], self.bounds[1])).collect();
        rows.push((vec![1.0; n], 1.0, 1.0));
        rows.extend(self.rows.iter().enumerate().map(|(r, row)| (row.clone(), self.lower[r], self.upper[r])));
        rows.extend(mean.map(|mean| (self.mean.clone(), mean, FREE)));
        let h = if quadratic { self.sigma.clone() } else { vec![vec![0.0; n]; n] };
        Convex { h, c, rows }
    }

    fn holds(&self, portfolio: &Portfolio, what: &str) {
        let w = &portfolio.weights;
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{what}: {w:?}");
        assert!(w.iter().all(|w| *w >= self.bounds[0] - 1e-12 && *w <= self.bounds[1] + 1e-12), "{what}: {w:?}");
        for (r, row) in self.rows.iter().enumerate() {
            let value = dot(row, w);
            assert!(value >= self.lower[r] - 1e-11 && value <= self.upper[r] + 1e-11, "{what}, row {r}: {value}");
        }
    }
}

fn follow(problem: &CriticalLine, what: &str) -> Path<f64> {
    let path = problem.path(&Settings::default()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let wrong = validate(&path, &problem.line().unwrap(), &1e-9);
    // Where a portfolio has no risk, nothing but rounding is left at t = 0, and up to where tμ is more than that.
    let is_told = |violation: &pathqp::validate::Violation<f64>| violation.t().is_none_or(|t| t.abs() > 1e-15);
    let wrong: Vec<_> = wrong.into_iter().filter(is_told).collect();
    assert_eq!(wrong, [], "{what}");
    path
}

/// Least variance, largest return, and returns and risks between them.
#[test]
fn portfolios_are_those_of_an_interior_point_solver() {
    let mut solved = 0;
    for seed in 0..60 {
        let case = Case::random(seed);
        let Ok(problem) = case.problem() else {
            assert!(case.interior_point(vec![0.0; case.n()], None, true).solve().is_none(), "seed {seed}");
            continue;
        };
        solved += 1;
        let path = follow(&problem, &format!("seed {seed}"));
        assert!(path.is_complete() && path.is_endless(), "seed {seed}: {:?}", path.stop());
        let points = problem.turning_points(&path);
        let (first, last) = (&points[0], &points[points.len() - 1]);
        let what = format!("seed {seed}");
        case.interior_point(vec![0.0; case.n()], None, true).agrees(first.variance / 2.0, 0.01, 1e-8, &what);
        let falling = case.mean.iter().map(|m| -m).collect();
        case.interior_point(falling, None, false).agrees(-last.mean, 0.1, 1e-8, &what);
        for part in [0.0, 0.2, 0.5, 0.9, 1.0] {
            let mean = if part == 1.0 { last.mean } else { first.mean + part * (last.mean - first.mean) };
            let what = format!("seed {seed}, return {mean}");
            let found = problem.with_return(&path, mean).unwrap_or_else(|error| panic!("{what}: {error}"));
            case.holds(&found, &what);
            assert!((found.mean - mean).abs() < 1e-12, "{what}: {found:?}");
            if part < 1.0 {
                let answer = case.interior_point(vec![0.0; case.n()], Some(mean), true);
                answer.agrees(found.variance / 2.0, 0.01, 1e-7, &what);
            }
            // The same portfolio by its risk.
            let again =
                problem.with_risk(&path, found.variance.sqrt()).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!((again.mean - found.mean).abs() < 1e-7, "{what}: {again:?}");
        }
        let (least, most) = (first.variance.sqrt(), last.variance.sqrt());
        for part in [0.25, 0.75] {
            let risk = least + part * (most - least);
            let found = problem.with_risk(&path, risk).unwrap();
            assert!((found.variance.sqrt() - risk).abs() < 1e-12, "seed {seed}: {found:?}");
            case.holds(&found, &format!("seed {seed}, risk {risk}"));
        }
        let error = problem.with_risk(&path, 1.01 * most).unwrap_err();
        assert!(matches!(error, AdapterError::Risk { .. }), "{error}");
        assert!(problem.with_risk(&path, 0.99 * least).is_err() || least == 0.0);
        assert!(problem.with_risk(&path, -most).is_err() && problem.with_risk(&path, f64::NAN).is_err());
    }
    assert!(solved >= 30, "{solved}");
}

/// With wᵀ(μ − r) = 1 the ratio is largest where the variance of κw is least, κ ≥ 0 being free (Cornuéjols and Tütüncü 2006, §8.2).
#[test]
fn the_largest_ratio_is_that_of_the_homogeneous_program() {
    let mut efficient = 0;
    for seed in 0..40 {
        let case = Case::random(seed);
        let n = case.n();
        let Ok(problem) = case.problem() else { continue };
        let found = problem.max_sharpe(&follow(&problem, &format!("seed {seed}")), 0.0);
        if found.case != SharpeCase::Efficient {
            continue;
        }
        efficient += 1;
        // Variables (v, κ) with v = κw.
        let mut h: Vec<Vec<f64>> = case.sigma.iter().map(|row| [row.as_slice(), &[0.0]].concat()).collect();
        h.push(vec![0.0; n + 1]);
        let with = |row: &[f64], last: f64| [row, &[last]].concat();
        let unit = |j: usize| (0..n).map(|k| f64::from(u8::from(k == j))).collect::<Vec<f64>>();
        let mut rows = vec![(with(&case.mean, 0.0), 1.0, 1.0), (with(&vec![1.0; n], -1.0), 0.0, 0.0)];
        rows.push((with(&vec![0.0; n], 1.0), 0.0, FREE));
        let all: Vec<(Vec<f64>, f64, f64)> = (0..n)
            .map(|j| (unit(j), case.bounds[0], case.bounds[1]))
            .chain((0..case.rows.len()).map(|r| (case.rows[r].clone(), case.lower[r], case.upper[r])))
            .collect();
        for (row, lower, upper) in all {
            rows.extend(lower.is_finite().then(|| (with(&row, -lower), 0.0, FREE)));
            rows.extend(upper.is_finite().then(|| (with(&row, -upper), -FREE, 0.0)));
        }
        let ratio = found.ratio.unwrap();
        let answer = Convex { h, c: vec![0.0; n + 1], rows };
        let least = 1.0 / (2.0 * ratio * ratio);
        answer.agrees(least, least, 1e-6, &format!("seed {seed}"));
        case.holds(found.portfolio.as_ref().unwrap(), &format!("seed {seed}"));
    }
    assert!(efficient >= 10, "{efficient}");
}

#[test]
fn lines_pass_every_check_of_an_adapter() {
    for seed in 0..12 {
        let Ok(problem) = Case::random(seed).problem() else { continue };
        let path = follow(&problem, &format!("seed {seed}"));
        let end = 2.0 * path.breakpoints().last().copied().unwrap_or(0.0) + 0.1;
        let options = Options { points: 9, seed, ..Options::default() };
        let qp = problem.qp().unwrap();
        for [from, to] in [[0.0, 0.03 * end], [0.03 * end, end]] {
            assert_eq!(check(&qp, &[from], &[to], &Start::Anywhere, &options), [], "seed {seed}");
        }
    }
}

/// Two sectors of half each: in each the asset with the larger return at the end, shares by variance at the beginning.
#[test]
fn sectors_share_as_they_must() {
    let sigma = |v: [f64; 4]| (0..4).map(|i| (0..4).map(|j| if i == j { v[i] } else { 0.0 }).collect()).collect();
    let problem =
        CriticalLine::new(vec![0.04, 0.01, 0.03, 0.02], sigma([1.0, 3.0, 2.0, 2.0]), vec![0.0; 4], vec![1.0; 4])
            .unwrap();
    let rows = dense(&[vec![1.0, 1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0, 1.0]]);
    let rows = Constraints::new(rows, vec![0.5, 0.5], vec![0.5, 0.5]).unwrap();
    let problem = problem.with_rows(rows).unwrap();
    let path = follow(&problem, "");
    let near = |found: &[f64], expected: [f64; 4]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
    let first = problem.at(&path, 0.0).unwrap();
    assert!(near(&first.weights, [0.375, 0.125, 0.25, 0.25]), "{first:?}");
    let last = problem.at(&path, 1e6).unwrap();
    assert!(near(&last.weights, [0.5, 0.0, 0.5, 0.0]), "{last:?}");
    // In the first sector σ₁²w₁ − tμ₁ = σ₂²w₂ − tμ₂: w₁ = 3/8 + 0.03t/4 up to t = 50/3; in the second w₃ = ¼ + 0.01t/4 up to 100.
    let points = problem.turning_points(&path);
    assert!(
        points.len() == 3 && (points[1].t - 50.0 / 3.0).abs() < 1e-11 && (points[2].t - 100.0).abs() < 1e-11,
        "{points:?}"
    );
}

#[test]
fn rows_that_cannot_be_met_are_named() {
    let case = Case { rows: vec![vec![1.0; 6], vec![1.0; 6]], ..Case::random(3) };
    let n = case.n();
    let rows = |lower: f64, upper: f64| {
        let matrix = dense(&[(0..n).map(|i| i as f64).collect(), vec![1.0; n]]);
        case.alone().with_rows(Constraints::new(matrix, vec![-FREE, lower], vec![FREE, upper]).unwrap())
    };
    rows(0.5, 1.0).unwrap();
    let error = rows(1.5, 2.0).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("row 1 (times") && error.contains("the budget (times"), "{error}");
    assert!(!error.contains("row 0"), "{error}");
    let wide = Constraints::new(dense(&[vec![1.0; 3]]), vec![0.0], vec![1.0]).unwrap();
    let error = case.alone().with_rows(wide).map(|_| ()).unwrap_err();
    assert!(matches!(error, AdapterError::TableColumns { found: 3, .. }), "{error}");
}

/// Where all lose the ratio is that of a corner, and corners are not compared where there are rows.
#[test]
fn the_ratio_is_not_known_where_every_portfolio_loses() {
    let mut case = Case::random(2);
    case.mean.iter_mut().for_each(|m| *m = -m.abs() - 0.01);
    let problem = case.problem().unwrap();
    let found = problem.max_sharpe(&follow(&problem, ""), 0.0);
    assert_eq!((found.case, found.portfolio.is_some()), (SharpeCase::CornerOfRows, false));
    assert!(found.caution(0.0).unwrap().contains("the corners are not compared"));
}

#[test]
fn a_year_has_so_many_times_the_mean_and_the_variance() {
    let mut random = Random(5);
    let values: Vec<f64> = (0..40).map(|_| 0.01 * random.normal() + 0.001).collect();
    let returns = Features::Dense { rows: 10, columns: 4, values };
    let bounds = || (vec![0.0; 4], vec![1.0; 4]);
    let monthly = CriticalLine::from_returns(&returns, bounds().0, bounds().1).unwrap();
    let yearly = CriticalLine::from_returns_over(&returns, 12.0, bounds().0, bounds().1).unwrap();
    let [a, b] = [&monthly, &yearly].map(|problem| problem.turning_points(&follow(problem, "")));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(&b) {
        assert!((12.0 * a.mean - b.mean).abs() < 1e-14 && (12.0 * a.variance - b.variance).abs() < 1e-14);
        assert!((a.t - b.t).abs() <= 1e-10 * a.t.max(1.0), "{} {}", a.t, b.t);
    }
    assert!(CriticalLine::from_returns_over(&returns, 0.0, bounds().0, bounds().1).is_err());
}

/// Rows go by the names of their columns.
#[test]
fn names_of_rows_are_matched() {
    let names = |list: &[&str]| Some(list.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>());
    let spec = |columns: &[&str]| {
        let mut spec = Spec::new("critical-line");
        let table = |rows: &[Vec<f64>], names| Table { names, values: dense(rows) };
        spec.tables.insert("mean".into(), table(&[vec![0.1, 0.2, 0.3]], names(&["a", "b", "c"])));
        spec.tables.insert("cov".into(), Table::new(&[vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]));
        // c at most a tenth.
        spec.tables.insert("rows".into(), table(&[vec![1.0, 0.0, 0.0]], names(columns)));
        spec.tables.insert("row_upper".into(), Table::new(&[vec![0.0, 0.1, 0.0]]));
        spec
    };
    let build = |spec: &Spec| (ENTRY.build)(spec, &["t"]).map(|_| ());
    build(&spec(&["c", "a", "b"])).unwrap();
    let error = build(&spec(&["d", "a", "b"])).unwrap_err();
    assert!(matches!(&error, AdapterError::Tables { table: "rows", other: "mean", .. }), "{error}");
    assert!(error.to_string().contains("missing: 'c'") && error.to_string().contains("unknown: 'd'"), "{error}");
    assert!(build(&spec(&["c", "a"])).is_err());
}
