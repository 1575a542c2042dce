//! The choice of α: criteria and folds against scikit-learn's, and recounted from the definition.

use pathqp::Settings;
use pathqp_adapters::dataset::{Dataset, Features, ReadOptions, read};
use pathqp_adapters::lasso::{Criterion, Folds, Lasso};
use std::path::Path;

fn data(name: &str, options: &ReadOptions) -> Option<Dataset> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/regression").join(name);
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    Some(read(&path, options).unwrap())
}

/// scikit-learn 1.9.1: LassoLarsIC(criterion) and LassoLarsCV(cv) with row i held out in fold i mod k; α, and the criterion or the least mean of `mse_path_`.
#[test]
fn choices_are_those_of_scikit_learn() {
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-3), "{found}, {expected} expected")
    };
    let plain = ReadOptions::default();
    let prostate = ReadOptions { exclude: vec!["train".into()], ..ReadOptions::default() };
    type Expected = [[f64; 2]; 4];
    let sets: [(&str, &ReadOptions, Expected); 2] = [
        (
            "diabetes.csv",
            &plain,
            [
                [0.1900586521127052, 4790.447885491924],
                [0.1900586521127052, 4827.269674430624],
                [0.13314047623790137, 2959.699072597079],
                [0.09885191452057959, 2985.484943517445],
            ],
        ),
        (
            "prostate.csv",
            &prostate,
            [
                [0.008329536915116911, 211.36563063672043],
                [0.025309401963581474, 227.4869668870934],
                [0.0, 0.5434476975534663],
                [0.0, 0.5420392820183728],
            ],
        ),
    ];
    for (name, options, expected) in sets {
        let Some(data) = data(name, options) else { continue };
        let lasso = Lasso::new(&data.features, data.response.clone(), true, 0.0).unwrap();
        let path = lasso.path(0.0, &Settings::default()).unwrap();
        for (criterion, [alpha, loss]) in [Criterion::Aic, Criterion::Bic].into_iter().zip(expected) {
            let chosen = lasso.choose(&path, criterion, None).unwrap();
            close(chosen.alpha, alpha);
            close(chosen.loss, loss);
        }
        for (k, [alpha, loss]) in [5, 10].into_iter().zip(expected[2..].iter().copied()) {
            let fold: Vec<usize> = (0..data.rows()).map(|i| i % k).collect();
            let folds = Folds { features: &data.features, response: &data.response, fold: &fold };
            let chosen = lasso.choose_by_folds(folds, [lasso.largest_alpha(), 0.0], false).unwrap();
            close(chosen.alpha, alpha);
            close(chosen.loss, loss);
            // The rule of one standard error has a larger α, whose loss is no better.
            let simple = lasso.choose_by_folds(folds, [lasso.largest_alpha(), 0.0], true).unwrap();
            assert!(simple.alpha >= chosen.alpha && simple.loss >= chosen.loss);
        }
    }
}

/// Rows of three features, of which the last one says nothing.
fn rows() -> (Features, Vec<f64>) {
    let values: Vec<f64> = (0..24)
        .flat_map(|i| {
            let t = f64::from(i);
            [(0.7 * t).sin(), (1.9 * t).cos(), (2.3 * t + 1.0).sin()]
        })
        .collect();
    let noise = |i: usize| (7.0 * i as f64).sin() / 3.0;
    let response = (0..24).map(|i| 2.0 * values[3 * i] - values[3 * i + 1] + noise(i)).collect();
    (Features::Dense { rows: 24, columns: 3, values }, response)
}

/// No α of a fine grid has a smaller value of a criterion, by its definition.
#[test]
fn no_other_alpha_is_better() {
    let (features, response) = rows();
    let lasso = Lasso::new(&features, response.clone(), true, 0.0).unwrap();
    let path = lasso.path(0.0, &Settings::default()).unwrap();
    let (n, variance) = (24.0, 0.05);
    for criterion in [Criterion::Aic, Criterion::Bic, Criterion::Cp] {
        let chosen = lasso.choose(&path, criterion, Some(variance)).unwrap();
        let value = |alpha: f64| {
            let fit = lasso.at(&path, alpha).unwrap();
            let residual = |i: usize| response[i] - fit.intercept - features.row(i).dot(&fit.coefficients);
            let squares: f64 = (0..24).map(|i| residual(i).powi(2)).sum();
            let k = fit.coefficients.iter().filter(|w| w.abs() > 1e-12).count() as f64;
            let log = n * (2.0 * std::f64::consts::PI * variance).ln();
            match criterion {
                Criterion::Aic => log + squares / variance + 2.0 * k,
                Criterion::Bic => log + squares / variance + n.ln() * k,
                Criterion::Cp => squares / variance - n + 2.0 * k,
            }
        };
        assert!((value(chosen.alpha) - chosen.loss).abs() < 1e-9, "{criterion:?}");
        let grid = (0..=4000).map(|k| lasso.largest_alpha() * f64::from(k) / 4000.0);
        assert!(grid.map(value).all(|other| other >= chosen.loss - 1e-9), "{criterion:?}");
    }
}

#[test]
fn what_cannot_be_chosen_says_why() {
    let (features, response) = rows();
    let ridge = Lasso::new(&features, response.clone(), true, 0.5).unwrap();
    let path = ridge.path(0.0, &Settings::default()).unwrap();
    let refused = ridge.choose(&path, Criterion::Bic, None).unwrap_err().to_string();
    assert!(refused.contains("ridge"), "{refused}");
    let few = features.select_rows(&[0, 1, 2]);
    let lasso = Lasso::new(&few, response[..3].to_vec(), true, 0.0).unwrap();
    let path = lasso.path(0.0, &Settings::default()).unwrap();
    let refused = lasso.choose(&path, Criterion::Bic, None).unwrap_err().to_string();
    assert!(refused.contains("--sigma"), "{refused}");
    let one = Folds { features: &few, response: &response[..3], fold: &[0, 0, 0] };
    assert!(lasso.choose_by_folds(one, [1.0, 0.0], false).is_err());
    // A path that ends before zero, at the best of its knots.
    let lasso = Lasso::new(&features, response, true, 0.0).unwrap();
    let half = lasso.path(lasso.largest_alpha() / 2.0, &Settings::default()).unwrap();
    assert!(lasso.choose(&half, Criterion::Aic, None).unwrap().at_end);
}
