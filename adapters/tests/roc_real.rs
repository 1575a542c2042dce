//! Every point of ROC curves over folds on real data, counted again from the stored paths.
//!
//! The data lie outside the repository, in `shared/data/binary` beside it; without them the test says so and passes.

use pathqp::{Path, Settings};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::roc::explore::{constant_sum, cross_validation};
use pathqp_adapters::roc::{Choice, Fold, Operating, Plan, explore};
use pathqp_adapters::{Bias, KernelProblem};
use std::path::PathBuf;
use std::sync::Arc;

fn load(name: &str, scaling: Scaling) -> Option<CostSvm> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../shared/data/binary/{name}.svm"));
    if !path.exists() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    let data = read(&path, &ReadOptions::default()).unwrap();
    let (labels, _) = two_classes(&data, None).unwrap();
    let features = Scaler::fit(&data.features, scaling).apply(&data.features).unwrap();
    Some(CostSvm::new(Arc::new(features), labels, None, KernelKind::Linear, Bias::Intercept).unwrap())
}

fn row(features: &Features, i: usize) -> Vec<f64> {
    let mut x = vec![0.0; features.columns()];
    features.dense_row(i, &mut x);
    x
}

/// False and true positives, from x and y of the stored paths alone: w = Σ αᵢyᵢxᵢ, and w·x − y + shift > 0 row by row.
fn counted(svm: &CostSvm, folds: &[Fold], paths: &[Path<f64>], choice: &Choice) -> (usize, usize) {
    let mut counts = [0; 2];
    for (fold, path) in folds.iter().zip(paths) {
        let point = path.at(&choice.t).unwrap();
        let (train, labels) = (fold.problem.machine().features(), fold.problem.view().classifier().unwrap().labels);
        let mut w = vec![0.0; svm.machine().features().columns()];
        for (i, alpha) in point.x.iter().enumerate() {
            w.iter_mut().zip(row(train, i)).for_each(|(w, x)| *w += alpha * labels[i] * x);
        }
        for (i, label) in fold.labels.iter().enumerate() {
            let f = row(&fold.rows, i).iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - point.y;
            counts[usize::from(*label > 0.0)] += usize::from(f + choice.shift > 0.0);
        }
    }
    (counts[0], counts[1])
}

/// How many points there are. With five folds the free sets of several become empty at the same position, which rounding puts in different places.
fn assert_counted(name: &str, scaling: Scaling) -> usize {
    let Some(svm) = load(name, scaling) else { return 0 };
    let settings = Settings::default();
    let mut all = 0;
    for k in [5, 10] {
        let folds = cross_validation(&svm, k, 1).unwrap();
        let roc = explore(&svm, &folds, &Plan::default(), &settings).unwrap();
        assert_eq!(roc.recount.withdrawn, 0, "{name} {k}");
        let line = |j: usize| constant_sum(j, &folds, roc.lines[j].sum, &settings).unwrap();
        let lines = [0, 1, 2].map(line);
        let curves: [(&str, Vec<Operating>); 6] = [
            ("intercept", roc.intercept.clone()),
            ("asymmetry", roc.asymmetry.clone()),
            ("both", roc.both.hull()),
            ("hull", roc.all.hull()),
            ("both at any FPR", roc.both.staircase()),
            ("all at any FPR", roc.all.staircase()),
        ];
        for (curve, points) in curves {
            for point in points {
                let found = counted(&svm, &folds, lines[point.choice.line].paths(), &point.choice);
                assert_eq!(found, point.counts(), "{name}, {k} folds, {curve}: {point:?}");
                all += 1;
            }
        }
    }
    all
}

#[test]
fn points_on_real_data_are_what_their_classifiers_do() {
    let raw = ["svmpath_balanced_overlap", "svmpath_balanced_separated", "svmpath_unbalanced_separated", "esl_mixture"];
    let scaled = ["esl_mixture", "ripley_synth.tr", "heart"];
    let points: usize = raw.iter().map(|name| assert_counted(name, Scaling::None)).sum::<usize>()
        + scaled.iter().map(|name| assert_counted(name, Scaling::Standard)).sum::<usize>();
    println!("{points} points");
}
