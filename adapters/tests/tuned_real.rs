//! Tuning on real data down to the problem's own end.
//!
//! Some of the data lie outside the repository, in `shared/data/regression` beside it; without them the tests say so and pass.

use pathqp::Settings;
use pathqp_adapters::Bias;
use pathqp_adapters::bilevel::{
    BilevelPath, Domain, End, Fold, TubeDomain, TubeLoss, Tuned, bilevel, loss_curve, recount, recount_tubes, tubes,
};
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read};
use pathqp_adapters::svr::{Chart, Svr};
use std::path::{Path, PathBuf};

/// The first rows of a table, standardised; none where it is absent.
pub fn table(path: &Path, most: usize) -> Option<(Features, Vec<f64>)> {
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let data = read(path, &ReadOptions::default()).unwrap();
    let rows: Vec<usize> = (0..data.features.rows().min(most)).collect();
    let features = data.features.select_rows(&rows);
    let features = Scaler::fit(&features, Scaling::Standard).apply(&features).unwrap();
    Some((features, data.response[..rows.len()].to_vec()))
}

pub fn beside(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/regression").join(file)
}

/// Tuned by folds, without holes, and recounted.
fn tuned((features, y): &(Features, Vec<f64>), kernel: &str, k: usize) -> (Vec<Fold>, BilevelPath) {
    let settings = Settings::default();
    let folds = Fold::split(features, y, None, kernel.parse().unwrap(), Bias::Intercept, k).unwrap();
    let path =
        bilevel(&folds, &Domain::tau(0.1, 0.9), &settings).unwrap_or_else(|e| panic!("{kernel}, {k} folds: {e}"));
    println!("{kernel}, {k} folds: {} pieces, {:?}", path.pieces().len(), path.stats());
    assert!(path.is_complete(), "{kernel}, {k} folds: {:?}, {} gaps", path.stats(), path.gaps());
    let counted = recount(&folds, &path, &settings).unwrap();
    assert!(counted.agrees() && counted.points == path.pieces().len(), "{kernel}, {k} folds: {counted:?}");
    (folds, path)
}

/// None of 400 values of λ from the end upwards is better.
fn assert_no_better(folds: &[Fold], path: &BilevelPath, tau: f64) {
    let [low, _] = path.tuned_range();
    let best = path.at(tau).unwrap();
    let high = path.pieces().iter().flat_map(|p| p.tuned).filter(|l| l.is_finite()).fold(1e3 * low, f64::max);
    let curve = loss_curve(folds, tau, [low, 10.0 * high], 400, &Settings::default()).unwrap();
    let least = curve.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    println!("τ = {tau}: {best:?}, the grid {least:?}");
    assert!(best.loss <= least.1 + 1e-9, "τ = {tau}: {best:?}, but the grid has {least:?}");
}

/// The losses that a search down to a thousandth of the largest knot missed.
#[test]
fn smaller_penalties_are_found_on_mcycle() {
    let Some(data) = table(&beside("mcycle.csv"), usize::MAX) else { return };
    let (folds, path) = tuned(&data, "rbf:2", 5);
    assert_eq!(path.end(), End::Precision);
    for (tau, loss) in [(0.3, 8.03), (0.49, 8.96), (0.7, 7.87)] {
        assert!(path.at(tau).unwrap().loss <= loss, "τ = {tau}: {:?}", path.at(tau));
        assert_no_better(&folds, &path, tau);
    }
}

#[test]
fn smaller_penalties_are_found_for_tubes_on_mcycle() {
    let Some((features, y)) = table(&beside("mcycle.csv"), usize::MAX) else { return };
    let (settings, kernel) = (Settings::default(), "rbf:2".parse().unwrap());
    let pose = |x, y, v| Svr::new(x, y, v, kernel, Bias::Intercept, Chart::Cost);
    let folds = Fold::split_by(&features, &y, None, (5, false), &pose).unwrap();
    let path = tubes(&folds, &TubeDomain::all(Tuned::Cost), TubeLoss::Absolute, &settings).unwrap();
    println!("{} pieces, {:?}", path.pieces().len(), path.stats());
    assert!(path.is_complete(), "{:?}", path.stats());
    assert!(path.at(5.0).unwrap().loss <= 16.76, "{:?}", path.at(5.0));
    let counted = recount_tubes(&folds, &path, (Tuned::Cost, TubeLoss::Absolute), &settings).unwrap();
    assert!(counted.agrees() && counted.points == path.pieces().len(), "{counted:?}");
}

/// Responses of two and of four values.
#[test]
fn discrete_responses_leave_no_holes() {
    let pima = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/pima.csv");
    for (file, most, kernel, folds) in [
        (pima.clone(), 60, "rbf:0.125", &[2, 5][..]),
        (pima, 60, "rbf:1", &[2]),
        (beside("winequality-red.csv"), 80, "rbf:0.09", &[2]),
    ] {
        let Some(data) = table(&file, most) else { continue };
        for &k in folds {
            let (folds, path) = tuned(&data, kernel, k);
            for tau in [0.23, 0.5, 0.77] {
                assert_no_better(&folds, &path, tau);
            }
        }
    }
}
