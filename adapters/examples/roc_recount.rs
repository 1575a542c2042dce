//! ROC curves over 5 and 10 folds on data sets, every point of them counted again from the stored paths: a row of the table in docs/experiments/roc.md each.
//!
//! roc_recount none|standard FILE…
#![allow(missing_docs)]

use pathqp::{Path, Settings};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::roc::explore::{constant_sum, cross_validation};
use pathqp_adapters::roc::{Fold, Operating, Plan, explore};
use pathqp_adapters::{AdapterError, Bias};
use std::error::Error;
use std::path::Path as FsPath;
use std::sync::Arc;

fn row(features: &Features, i: usize) -> Vec<f64> {
    let mut x = vec![0.0; features.columns()];
    features.dense_row(i, &mut x);
    x
}

/// What a point's classifier does, from x and y of the stored paths alone.
fn counted(folds: &[Fold], paths: &[Path<f64>], point: &Operating) -> Option<(usize, usize)> {
    let mut counts = [0; 2];
    for (fold, path) in folds.iter().zip(paths) {
        let solution = path.at(&point.choice.t)?;
        let (train, labels) = (fold.problem.machine().features(), fold.problem.view().classifier()?.labels);
        let mut w = vec![0.0; train.columns()];
        for (i, alpha) in solution.x.iter().enumerate().filter(|(_, alpha)| **alpha != 0.0) {
            w.iter_mut().zip(row(train, i)).for_each(|(w, x)| *w += alpha * labels[i] * x);
        }
        for (i, label) in fold.labels.iter().enumerate() {
            let f = row(&fold.rows, i).iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - solution.y;
            counts[usize::from(*label > 0.0)] += usize::from(f + point.choice.shift > 0.0);
        }
    }
    Some((counts[0], counts[1]))
}

/// Of the points of six curves: how many, how many are not what their classifiers do, and by how many true positives they are too good at most.
fn mismatches(svm: &CostSvm, k: usize, settings: &Settings) -> Result<([usize; 2], i64, usize), AdapterError> {
    let folds = cross_validation(svm, k, 1)?;
    let roc = explore(svm, &folds, &Plan::default(), settings)?;
    let lines = roc.lines.iter().enumerate().map(|(j, line)| constant_sum(j, &folds, line.sum, settings));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let curves = [
        roc.intercept.clone(),
        roc.asymmetry.clone(),
        roc.both.hull(),
        roc.all.hull(),
        roc.both.staircase(),
        roc.all.staircase(),
    ];
    let (mut counts, mut too_good) = ([0; 2], 0);
    for point in curves.iter().flatten() {
        let found = counted(&folds, lines[point.choice.line].paths(), point);
        counts[0] += 1;
        if found != Some(point.counts()) {
            counts[1] += 1;
            too_good = too_good.max(point.true_positives as i64 - found.map_or(0, |found| found.1 as i64));
        }
    }
    Ok((counts, too_good, roc.recount.withdrawn))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let scaling = if args.next().as_deref() == Some("standard") { Scaling::Standard } else { Scaling::None };
    let mut all = [0; 2];
    for file in args {
        let data = read(FsPath::new(&file), &ReadOptions::default())?;
        let (labels, _) = two_classes(&data, None)?;
        let features = Scaler::fit(&data.features, scaling).apply(&data.features)?;
        let svm = CostSvm::new(Arc::new(features), labels, None, KernelKind::Linear, Bias::Intercept)?;
        let name = FsPath::new(&file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        for k in [5, 10] {
            match mismatches(&svm, k, &Settings::default()) {
                Ok(([points, wrong], too_good, withdrawn)) => {
                    println!("| {name} | {k} | {points} | {wrong} | {too_good} | {withdrawn} |");
                    all = [all[0] + points, all[1] + wrong];
                }
                Err(error) => println!("| {name} | {k} | {error} |"),
            }
        }
    }
    println!("{} of {} points are not what their classifiers do", all[1], all[0]);
    Ok(())
}
