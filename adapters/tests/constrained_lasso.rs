//! The lasso with rows: an interior-point solver, exact arithmetic, degrees of freedom by derivatives, known answers, what is refused.

use crate::common::convex::Convex;
use crate::common::{dense, dot};
use pathqp::testing::{Options, Random, check, check_exactly};
use pathqp::validate::{Violation, validate};
use pathqp::{Path, Settings, Start};
use pathqp_adapters::AdapterError;
use pathqp_adapters::constraints::Constraints;
use pathqp_adapters::lasso::{Criterion, Folds, Lasso, LassoFit};

const FREE: f64 = f64::INFINITY;

/// A design, a response, and rows with bounds.
#[derive(Clone)]
struct Case {
    x: Vec<Vec<f64>>,
    y: Vec<f64>,
    rows: Vec<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    intercept: bool,
    ridge: f64,
    /// Of the columns.
    units: Vec<f64>,
}

impl Case {
    /// By turns: equalities; inequalities, which zero need not satisfy; the sum of the coefficients of shares is zero; both kinds beside columns in units of their own.
    fn random(seed: u64) -> Case {
        let mut random = Random(seed);
        let (n, d) = (10 + random.below(30), 4 + random.below(9));
        let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.normal()).collect()).collect();
        let truth: Vec<f64> = (0..d).map(|j| if j % 3 == 0 { random.normal() } else { 0.0 }).collect();
        let m = 1 + random.below(4);
        let mut rows: Vec<Vec<f64>> = (0..m).map(|_| (0..d).map(|_| random.normal()).collect()).collect();
        let (mut lower, mut upper) = (vec![-FREE; m], vec![FREE; m]);
        let kind = seed % 4;
        for r in 0..m {
            let value = dot(&rows[r], &truth);
            match (kind, r % 3) {
                (0, _) => [lower[r], upper[r]] = [value * f64::from(u8::from(seed.is_multiple_of(8))); 2],
                (1, 0) => lower[r] = value.abs() * 0.3,
                (1, 1) => upper[r] = value.abs() * 0.2,
                (1, _) => [lower[r], upper[r]] = [-0.1, 0.2],
                (_, 0) => [lower[r], upper[r]] = [0.5 * value; 2],
                _ => upper[r] = 0.1,
            }
        }
        if kind == 2 {
            x.iter_mut().for_each(|row| {
                let total: f64 = row.iter().map(|v| v.exp()).sum();
                row.iter_mut().for_each(|v| *v = (v.exp() / total).ln());
            });
            (rows, lower, upper) = (vec![vec![1.0; d]], vec![0.0], vec![0.0]);
        }
        let mut y: Vec<f64> = x.iter().map(|row| dot(row, &truth)).collect();
        y.iter_mut().for_each(|y| *y += 0.5 * random.normal() + 2.0);
        let mut units = vec![1.0; d];
        if kind == 3 {
            for j in 0..d {
                let unit = 10f64.powf(random.between(-2.0, 2.0));
                units[j] = unit;
                x.iter_mut().for_each(|row| row[j] = unit * (row[j] + 1.0));
                rows.iter_mut().for_each(|row| row[j] *= unit);
            }
        }
        let ridge = if seed % 5 == 4 { 0.1 } else { 0.0 };
        Case { x, y, rows, lower, upper, intercept: seed.is_multiple_of(2), ridge, units }
    }

    fn constraints(&self) -> Constraints {
        Constraints::new(dense(&self.rows), self.lower.clone(), self.upper.clone()).unwrap()
    }

    fn lasso(&self) -> Lasso {
        let lasso = Lasso::new(&dense(&self.x), self.y.clone(), self.intercept, self.ridge).unwrap();
        lasso.with_rows(self.constraints()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Variables (w, b, s), |w| ≤ s, with w in the units of the columns: the solver's own scaling leaves too much of others.
    fn interior_point(&self, alpha: f64) -> Convex {
        let (n, d) = (self.x.len(), self.x[0].len());
        let size = 2 * d + 1;
        let extended = |row: &[f64]| {
            let mut row: Vec<f64> = row.iter().zip(&self.units).map(|(x, unit)| x / unit).collect();
            row.resize(size, 0.0);
            row[d] = f64::from(u8::from(self.intercept));
            row
        };
        let z: Vec<Vec<f64>> = self.x.iter().map(|row| extended(row)).collect();
        let ridge = |i: usize, j: usize| if i == j && i < d { self.ridge / self.units[j].powi(2) } else { 0.0 };
        let product = |i: usize, j: usize| z.iter().map(|row| row[i] * row[j]).sum::<f64>() / n as f64;
        let h = (0..size).map(|i| (0..size).map(|j| product(i, j) + ridge(i, j)).collect()).collect();
        let linear = |j: usize| -z.iter().zip(&self.y).map(|(row, y)| row[j] * y).sum::<f64>() / n as f64;
        let c = (0..size).map(|j| if j > d { alpha / self.units[j - d - 1] } else { linear(j) }).collect();
        let unit = |j: usize, v: f64| (0..size).map(|k| if k == j { v } else { 0.0 }).collect::<Vec<f64>>();
        let mut rows: Vec<(Vec<f64>, f64, f64)> = Vec::new();
        for j in 0..d {
            for sign in [1.0, -1.0] {
                let mut row = unit(j, sign);
                row[d + 1 + j] = -1.0;
                rows.push((row, -FREE, 0.0));
            }
        }
        if !self.intercept {
            rows.push((unit(d, 1.0), 0.0, 0.0));
        }
        for (r, row) in self.rows.iter().enumerate() {
            let mut row: Vec<f64> = row.iter().zip(&self.units).map(|(a, unit)| a / unit).collect();
            row.resize(size, 0.0);
            rows.push((row, self.lower[r], self.upper[r]));
        }
        Convex { h, c, rows }
    }

    /// How far the coefficients are from the rows, relative to the terms.
    fn violation(&self, fit: &LassoFit) -> f64 {
        let of = |(r, row): (usize, &Vec<f64>)| {
            let value = dot(row, &fit.coefficients);
            let size: f64 = row.iter().zip(&fit.coefficients).map(|(a, w)| (a * w).abs()).sum();
            (self.lower[r] - value).max(value - self.upper[r]) / size.max(1e-3)
        };
        self.rows.iter().enumerate().map(of).fold(0.0, f64::max)
    }
}

fn whole(lasso: &Lasso) -> Path<f64> {
    let path = lasso.path(0.0, &Settings::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(path.is_complete(), "{:?}", path.stop());
    path
}

#[test]
fn two_hundred_problems_have_the_values_of_an_interior_point_solver() {
    let mut off_zero = 0;
    for seed in 0..200 {
        let case = Case::random(seed);
        let lasso = case.lasso();
        let (path, largest) = (whole(&lasso), lasso.largest_alpha());
        // At the largest penalty all that is left of coefficients and of their objective may be rounding.
        let told = |violation: &Violation<f64>| violation.t().is_none_or(|t| (t + largest).abs() > 1e-12 * largest);
        let wrong = validate(&path, &lasso.line(largest, 0.0).unwrap(), &1e-9).into_iter().filter(told);
        let wrong: Vec<_> = wrong.collect();
        assert_eq!(wrong, [], "seed {seed}");
        let squares = dot(&case.y, &case.y) / (2.0 * case.y.len() as f64);
        for share in [1.0, 0.7, 0.3, 0.05, 0.0] {
            let alpha = share * largest;
            let what = format!("seed {seed}, {share} of {largest}");
            let fit = lasso.at(&path, alpha).unwrap_or_else(|| panic!("{what}"));
            assert!(case.violation(&fit) <= 1e-10, "{what}: {:e}", case.violation(&fit));
            let size = squares.max(fit.objective);
            case.interior_point(alpha).agrees(fit.objective - squares, size, 1e-8, &what);
            assert!((fit.objective - fit.dual_objective).abs() <= 1e-10 * size, "{what}: {fit:?}");
        }
        let first = lasso.at(&path, largest).unwrap();
        off_zero += usize::from(first.coefficients.iter().any(|w| *w != 0.0));
        // Beyond the largest α nothing changes, and just below it something does.
        let beyond = lasso.line(10.0 * largest + 1.0, largest).unwrap();
        let beyond = pathqp::trace(&beyond, &Start::Anywhere, &Settings::default(), &mut ()).unwrap();
        let same = lasso.at(&beyond, 10.0 * largest + 1.0).unwrap();
        let size: f64 = first.coefficients.iter().map(|w| w.abs()).sum::<f64>().max(1e-3);
        let moved = |other: &LassoFit| -> f64 {
            other.coefficients.iter().zip(&first.coefficients).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(moved(&same) <= 1e-9 * size, "seed {seed}: {:e}", moved(&same));
        // (As many equalities as coefficients leave nothing to move.)
        assert!(largest == 0.0 || moved(&lasso.at(&path, 0.97 * largest).unwrap()) > 0.0, "seed {seed}");
    }
    // Rows that zero does not satisfy are among them.
    assert!(off_zero >= 40, "{off_zero}");
}

#[test]
fn lines_pass_every_check_of_an_adapter() {
    for seed in 0..24 {
        let lasso = Case::random(seed).lasso();
        let options = Options { points: 7, seed, ..Options::default() };
        let largest = lasso.largest_alpha();
        // At the beginning w may be zero, and what a path that ends there leaves of it is rounding of nothing.
        let findings = check(&lasso.qp().unwrap(), &[0.95 * largest], &[0.01 * largest], &Start::Anywhere, &options);
        assert_eq!(findings, [], "seed {seed}");
    }
}

#[test]
fn whole_numbers_are_followed_exactly() {
    for seed in 0..30 {
        let mut random = Random(seed);
        // As many columns as rows or more: H is that of whole numbers, and not of a factor.
        let (n, d) = (4, 5);
        let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| random.integer(1)).collect()).collect();
        x.iter_mut().for_each(|row| row[4] = row[0]);
        let y = (0..n).map(|_| random.integer(3)).collect();
        let rows = vec![vec![1.0; d], (0..d).map(|_| random.integer(1)).collect()];
        let (lower, upper) = (vec![0.0, -1.0], vec![if seed % 2 == 0 { 0.0 } else { 1.0 }, 1.0]);
        let constraints = Constraints::new(dense(&rows), lower, upper).unwrap();
        let lasso = Lasso::new(&dense(&x), y, false, 0.0).unwrap().with_rows(constraints).unwrap();
        let options = Options { points: 5, seed, ..Options::default() };
        assert_eq!(check_exactly(&lasso.qp().unwrap(), &[4.0], &[0.0], &options), [], "seed {seed}");
    }
}

/// Σ ∂fᵢ/∂yᵢ by differences: what the degrees of freedom are (Stein 1981), away from knots.
#[test]
fn degrees_of_freedom_are_the_divergence_of_the_fit() {
    let mut seen = [0; 8];
    for seed in 0..40 {
        let case = Case { ridge: 0.0, ..Case::random(seed) };
        let lasso = case.lasso();
        let (path, largest) = (whole(&lasso), lasso.largest_alpha());
        let fitted = |y: &[f64], alpha: f64| -> Vec<f64> {
            let lasso = Case { y: y.to_vec(), ..case.clone() };
            let lasso = lasso.lasso();
            let fit = lasso.at(&lasso.path(alpha, &Settings::default()).unwrap(), alpha).unwrap();
            case.x.iter().map(|row| dot(row, &fit.coefficients) + fit.intercept).collect()
        };
        for share in [0.83, 0.41, 0.013] {
            let alpha = share * largest;
            let divergence: f64 = (0..case.y.len())
                .map(|i| {
                    let moved = |step: f64| {
                        let mut y = case.y.clone();
                        y[i] += step;
                        fitted(&y, alpha)[i]
                    };
                    (moved(1e-5) - moved(-1e-5)) / 2e-5
                })
                .sum();
            let degrees = lasso.degrees_of_freedom(&path, alpha);
            let expected = divergence - f64::from(u8::from(case.intercept));
            assert!((expected - degrees as f64).abs() < 1e-4, "seed {seed}, {share}: {degrees}, {expected}");
            seen[degrees.min(7)] += 1;
        }
    }
    assert!(seen.iter().filter(|count| **count > 0).count() >= 5, "{seen:?}");
}

/// |g + u| ≤ α for all entries of g = Xᵀy/n has a u where α is half the spread of g, and none below.
#[test]
fn a_sum_of_zero_begins_at_half_the_spread_of_the_correlations() {
    let x = dense(&[vec![2.0, 0.0, 0.0], vec![0.0, 2.0, 0.0], vec![0.0, 0.0, 2.0], vec![0.0; 3]]);
    let lasso = Lasso::new(&x, vec![6.0, 4.0, 1.0, 0.0], false, 0.0).unwrap();
    assert_eq!(lasso.largest_alpha(), 3.0);
    let rows = Constraints::new(dense(&[vec![1.0; 3]]), vec![0.0], vec![0.0]).unwrap();
    let lasso = lasso.with_rows(rows).unwrap();
    // g = (3, 2, 0.5): 1.25, and then w₁ = −w₃ = 1.25 − α.
    assert!((lasso.largest_alpha() - 1.25).abs() < 1e-15, "{}", lasso.largest_alpha());
    let path = whole(&lasso);
    let fit = lasso.at(&path, 1.0).unwrap();
    let expected = [0.25, 0.0, -0.25];
    assert!(fit.coefficients.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14), "{fit:?}");
    assert_eq!(lasso.degrees_of_freedom(&path, 1.0), 1);
    // At zero w = g − 1.8333: three coefficients, two of which are free.
    let fit = lasso.at(&path, 0.0).unwrap();
    let mean = 5.5 / 3.0;
    assert!(fit.coefficients.iter().zip([3.0 - mean, 2.0 - mean, 0.5 - mean]).all(|(a, b)| (a - b).abs() < 1e-14));
    assert_eq!((lasso.degrees_of_freedom(&path, 0.0), lasso.support(&path, 0.0)), (2, 3));
}

#[test]
fn alpha_is_chosen_with_the_rows() {
    let mut case = Case::random(2);
    case.intercept = true;
    case.ridge = 0.0;
    let lasso = case.lasso();
    let path = whole(&lasso);
    let (n, variance) = (case.y.len() as f64, 0.3);
    let residuals = |fit: &LassoFit| -> f64 {
        let of = |(row, y): (&Vec<f64>, &f64)| (y - fit.intercept - dot(row, &fit.coefficients)).powi(2);
        case.x.iter().zip(&case.y).map(of).sum()
    };
    let chosen = lasso.choose(&path, Criterion::Cp, Some(variance)).unwrap();
    let value = |alpha: f64| {
        let fit = lasso.at(&path, alpha).unwrap();
        let count = fit.coefficients.iter().filter(|w| w.abs() > 1e-10).count();
        residuals(&fit) / variance - n + 2.0 * count.saturating_sub(1) as f64
    };
    assert!((value(chosen.alpha) - chosen.loss).abs() < 1e-9 * chosen.loss.abs().max(1.0), "{chosen:?}");
    let grid = (0..=400).map(|k| lasso.largest_alpha() * f64::from(k) / 400.0);
    assert!(grid.map(value).all(|other| other >= chosen.loss - 1e-9), "{chosen:?}");

    let fold: Vec<usize> = (0..case.y.len()).map(|i| i % 4).collect();
    let features = dense(&case.x);
    let folds = Folds { features: &features, response: &case.y, fold: &fold };
    let chosen = lasso.choose_by_folds(folds, [lasso.largest_alpha(), 0.0], false).unwrap();
    // The loss there, from four lassos with the rows.
    let part = |held: usize| {
        let kept: Vec<usize> = (0..case.y.len()).filter(|i| i % 4 != held).collect();
        let pick = |i: &usize| case.x[*i].clone();
        let x: Vec<Vec<f64>> = kept.iter().map(pick).collect();
        let y = kept.iter().map(|i| case.y[*i]).collect();
        let lasso = Lasso::new(&dense(&x), y, true, 0.0).unwrap().with_rows(case.constraints()).unwrap();
        let path = lasso.path(chosen.alpha, &Settings::default()).unwrap();
        let fit = lasso.at(&path, chosen.alpha).unwrap();
        assert!(fit.coefficients.iter().sum::<f64>().abs() < 1e-10);
        let out = (0..case.y.len()).filter(|i| i % 4 == held);
        let errors: Vec<f64> =
            out.map(|i| (case.y[i] - fit.intercept - dot(&case.x[i], &fit.coefficients)).powi(2)).collect();
        errors.iter().sum::<f64>() / errors.len() as f64
    };
    let loss = (0..4).map(part).sum::<f64>() / 4.0;
    assert!((loss - chosen.loss).abs() < 1e-9 * loss, "{chosen:?}, {loss}");
}

#[test]
fn rows_that_cannot_be_met_are_named() {
    let x = dense(&[vec![1.0, 2.0, 0.0], vec![0.5, -1.0, 1.0], vec![2.0, 0.0, 1.0]]);
    let lasso = || Lasso::new(&x, vec![1.0, 2.0, 3.0], true, 0.0).unwrap();
    let with = |rows: &[Vec<f64>], lower: &[f64], upper: &[f64]| {
        let rows = Constraints::new(dense(rows), lower.to_vec(), upper.to_vec())?;
        lasso().with_rows(rows).map(|_| ())
    };
    // w₁ + w₂ ≥ 1, w₃ free, w₁ + w₂ ≤ 0.
    let rows = [vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 1.0], vec![1.0, 1.0, 0.0]];
    let error = with(&rows, &[1.0, -1.0, -FREE], &[FREE, 1.0, 0.0]).unwrap_err();
    let AdapterError::Table { table: "rows", error } = error else { panic!("{error}") };
    let AdapterError::Conflict { what: "coefficients", rows: named } = *error else { panic!("{error}") };
    let mut names: Vec<&str> = named.iter().map(|(row, _)| row.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["row 0", "row 2"]);
    // Equalities that depend on each other, and disagree.
    let error = with(&[vec![1.0; 3], vec![2.0; 3]], &[0.0, 1.0], &[0.0, 1.0]).unwrap_err().to_string();
    assert!(error.contains("row 0 (times") && error.contains("row 1 (times"), "{error}");
    // The same that agree are one.
    with(&[vec![1.0; 3], vec![2.0; 3]], &[0.5, 1.0], &[0.5, 1.0]).unwrap();
    let error = with(&[vec![1.0; 2]], &[0.0], &[0.0]).unwrap_err();
    assert!(matches!(error, AdapterError::TableColumns { found: 2, expected: 3, .. }), "{error}");
    let error = with(&[vec![1.0; 3]], &[2.0], &[1.0]).unwrap_err().to_string();
    assert!(error.contains("row 0: no number lies between the lower bound 2 and the upper bound 1"), "{error}");
    assert!(with(&[vec![1.0; 3]], &[f64::NAN], &[1.0]).is_err() && with(&[vec![1.0; 3]], &[], &[1.0]).is_err());
    assert!(with(&[vec![f64::NAN; 3]], &[0.0], &[1.0]).is_err());
}
