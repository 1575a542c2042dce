//! Every answer of `roc` on the data sets named, counted again from the stored paths.
#![allow(missing_docs)]

use pathqp::{Path, Settings};
use pathqp_adapters::Bias;
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::roc::explore::{constant_sum, cross_validation};
use pathqp_adapters::roc::{Fold, Operating, Plan, explore};
use std::sync::Arc;

fn row(features: &Features, i: usize) -> Vec<f64> {
    let mut x = vec![0.0; features.columns()];
    features.dense_row(i, &mut x);
    x
}

/// Counts from x and y of the path: w row by row, nothing of the library's functions.
fn recount(folds: &[Fold], paths: &[Path<f64>], t: f64, shift: f64) -> (usize, usize, f64) {
    let (mut fp, mut tp, mut least) = (0, 0, f64::INFINITY);
    for (fold, path) in folds.iter().zip(paths) {
        let point = path.at(&t).expect("on the path");
        let labels = fold.adapter.classifier().expect("a classifier").labels;
        let train = fold.adapter.machine().features();
        let mut w = vec![0.0; train.columns()];
        for (i, a) in point.x.iter().enumerate().filter(|(_, a)| **a != 0.0) {
            for (w, x) in w.iter_mut().zip(row(train, i)) {
                *w += a * labels[i] * x;
            }
        }
        let b = -point.y;
        for (i, label) in fold.labels.iter().enumerate() {
            let f: f64 = row(&fold.rows, i).iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + b + shift;
            let size: f64 =
                row(&fold.rows, i).iter().zip(&w).map(|(x, w)| (x * w).abs()).sum::<f64>() + b.abs() + shift.abs();
            least = least.min(f.abs() / size.max(1e-300));
            if f > 0.0 {
                if *label > 0.0 { tp += 1 } else { fp += 1 }
            }
        }
    }
    (fp, tp, least)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let scaling = if args.next().as_deref() == Some("standard") { Scaling::Standard } else { Scaling::None };
    let (mut answers, mut wrong) = (0, 0);
    for file in args {
        let data = match read(std::path::Path::new(&file), &ReadOptions::default()) {
            Ok(d) => d,
            Err(e) => {
                println!("{file}: {e}");
                continue;
            }
        };
        let (labels, _) = two_classes(&data, None).expect("labels");
        let features = Scaler::fit(&data.features, scaling).apply(&data.features).expect("scaled");
        let svm = CostSvm::new(Arc::new(features), labels, None, KernelKind::Linear, Bias::Intercept).expect("svm");
        for k in [5, 10] {
            let began = std::time::Instant::now();
            let folds = match cross_validation(&svm, k, 1) {
                Ok(f) => f,
                Err(e) => {
                    println!("{file} {k}: {e}");
                    continue;
                }
            };
            let settings = Settings::default();
            let roc = match explore(&svm, &folds, &Plan::default(), &settings) {
                Ok(r) => r,
                Err(e) => {
                    println!("{file} {k}: {e}");
                    continue;
                }
            };
            let explored = began.elapsed().as_secs_f64();
            let lines: Vec<_> = roc
                .lines
                .iter()
                .enumerate()
                .map(|(j, line)| constant_sum(j, &folds, line.sum, &settings).expect("line"))
                .collect();
            let mut row = [[0_usize; 2]; 6];
            let mut too_good = 0_i64;
            let mut close = f64::INFINITY;
            let curves: [(&str, Vec<Operating>); 6] = [
                ("intercept", roc.intercept.clone()),
                ("asymmetry", roc.asymmetry.clone()),
                ("both hull", roc.both.hull()),
                ("all hull", roc.all.hull()),
                ("both stair", roc.both.staircase()),
                ("all stair", roc.all.staircase()),
            ];
            for ((name, points), row) in curves.iter().zip(&mut row) {
                for p in points {
                    let (fp, tp, least) = recount(&folds, lines[p.choice.line].paths(), p.choice.t, p.choice.shift);
                    row[0] += 1;
                    close = close.min(least);
                    if (fp, tp) != (p.false_positives, p.true_positives) {
                        row[1] += 1;
                        too_good = too_good.max(p.true_positives as i64 - tp as i64);
                        if std::env::var("VERBOSE").is_ok() {
                            println!("   {name} {p:?} recounted {fp} {tp}");
                        }
                    }
                }
            }
            answers += row.iter().map(|r| r[0]).sum::<usize>();
            wrong += row.iter().map(|r| r[1]).sum::<usize>();
            let name =
                std::path::Path::new(&file).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            println!(
                "| {name} | {k} | {} | {too_good} | {close:.1e} | {explored:.1} s |",
                row.map(|r| format!("{} of {}", r[1], r[0])).join(" | ")
            );
        }
    }
    println!("{wrong} of {answers}");
}
