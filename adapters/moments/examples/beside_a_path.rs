//! Zero-one loss and AUC along a whole quantile SVM path, beside the classifiers from moments.
//!
//! ```text
//! cargo run --release -p pathqp-moments --example beside_a_path -- FILE...
//! ```
//!
//! Every second row is a training row, the others are test rows; min-max scaling, a constant feature, λ = 10⁻³. The error along the path is that of the SVM trained at τ and used as it stands;
//! the AUC does not depend on the constant. The last columns are the seconds that three starts at τ = ½ take: anywhere, along the path from τ = 0, and from the guess that the moments give.

use pathqp::{Follower, Settings, Start, trace};
use pathqp_adapters::dataset::{Features, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::guess::from_direction;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::rates::{auc_curve, rate_curve};
use pathqp_adapters::{Bias, PathProblem};
use pathqp_moments::empirical::{auc, error};
use pathqp_moments::{Moments, Objective, fit, minimise};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const LAMBDA: f64 = 1e-3;

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "| data | n train | error from moments | error at τ = ½ | best on the path, at τ | AUC from moments | AUC at τ = ½ | best on the path, at τ | pieces: error, AUC | starts: anywhere, path, guess, s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for file in std::env::args().skip(1) {
        one(Path::new(&file))?;
    }
    Ok(())
}

type Labelled = (Arc<Features>, Vec<f64>);

fn one(file: &Path) -> Result<(), Box<dyn Error>> {
    let data = read(file, &ReadOptions::default())?;
    let (labels, _) = two_classes(&data, None)?;
    let half = |rest: usize| -> Result<Labelled, Box<dyn Error>> {
        let rows: Vec<usize> = (0..labels.len()).filter(|i| i % 2 == rest).collect();
        let train: Vec<usize> = (0..labels.len()).filter(|i| i % 2 == 0).collect();
        let scaler = Scaler::fit(&data.features.select_rows(&train), Scaling::MinMax);
        let features = Arc::new(scaler.apply(&data.features.select_rows(&rows))?);
        Ok((features, rows.iter().map(|&i| labels[i]).collect()))
    };
    let (train, test) = (half(0)?, half(1)?);
    let moments = Moments::of(&train.0, &train.1)?;
    let d = moments.columns();
    let scores = |w: &[f64], constant: f64| -> Vec<f64> {
        (0..test.0.rows()).map(|i| test.0.row(i).dot(&w[..d]) + constant).collect()
    };
    let own = minimise::Settings::default();
    let zero_one = fit(&moments, Some(1.0), Objective::ZeroOne, 1e-3, &own)?.minimum.w;
    let ranking = fit(&moments, None, Objective::Auc, 1e-3, &own)?.minimum.w;

    let bias = Bias::Augmented(1.0);
    let svm = QuantileSvm::new(train.0.clone(), train.1.clone(), None, LAMBDA, KernelKind::Linear, bias)?;
    let settings = Settings::default();
    let qp = svm.qp(&settings)?;
    let path = trace(&qp.line(&[0.0], &[1.0])?, &Start::Anywhere, &settings, &mut ())?;
    let (rates, ranks) = (rate_curve(&svm, &path, &test.0, &test.1)?, auc_curve(&svm, &path, &test.0, &test.1)?);
    let at = |tau: &[f64], values: &[f64]| values[tau.partition_point(|t| *t <= 0.5).clamp(1, values.len()) - 1];
    let best = |tau: &[f64], values: &[f64]| {
        let k = (0..values.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
        (values[k], 0.5 * (tau[k] + tau[k + 1]))
    };
    let (accuracy, tau_accuracy) = best(&rates.tau, &rates.accuracy);
    let (area, tau_area) = best(&ranks.tau, &ranks.auc);

    let line = qp.line(&[0.5], &[1.0])?;
    // A start that is optimal to rounding may be refused when it is looked at again; the program then starts from anywhere.
    let seconds = |start: &dyn Fn() -> Option<Start<f64>>| {
        let clock = Instant::now();
        let taken = start().is_some_and(|start| Follower::new(&line, &start, settings.clone()).is_ok());
        if taken { format!("{:.4}", clock.elapsed().as_secs_f64()) } else { "refused".into() }
    };
    let starts = [
        seconds(&|| Some(Start::Anywhere)),
        seconds(&|| Some(svm.start(&qp, &[0.5], &settings))),
        seconds(&|| from_direction(&svm, &zero_one[..d], zero_one[d], 0.5).map(Start::Guess)),
    ];
    println!(
        "| {} | {} | {:.4} | {:.4} | {:.4}, {tau_accuracy:.3} | {:.4} | {:.4} | {area:.4}, {tau_area:.3} | {}, {} | {}, {}, {} |",
        file.file_name().unwrap_or_default().to_string_lossy(),
        train.1.len(),
        error(&scores(&zero_one, zero_one[d]), &test.1),
        1.0 - at(&rates.tau, &rates.accuracy),
        1.0 - accuracy,
        auc(&scores(&ranking, 0.0), &test.1),
        at(&ranks.tau, &ranks.auc),
        rates.accuracy.len(),
        ranks.auc.len(),
        starts[0],
        starts[1],
        starts[2]
    );
    Ok(())
}
