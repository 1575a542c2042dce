//! Cold starts against hot ones from L-BFGS, on real data: a table in Markdown.
//!
//! `cargo run --release -p pathqp-adapters --example starts -- DATA [WORD]` reads the data sets below DATA (binary/pima.svm and so on), those whose line has the WORD in it.

use pathqp::{Certificate, ParametricQp, Settings};
use pathqp_adapters::dataset::{Dataset, ReadOptions, Scaler, Scaling, read, two_classes};
use pathqp_adapters::guess::{self, Origin, Solution, solve};
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::svr::{Chart, Svr};
use pathqp_adapters::{Bias, KernelProblem};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// Problem, file, kernel, and θ in the problem's own parameters, the first of which is λ for quantile SVMs.
const CASES: [(&str, &str, &str, &[&[f64]]); 13] = [
    ("quantile-svm", "binary/pima.svm", "linear", &[&[1e-3, 0.1], &[1e-3, 0.5], &[1e-5, 0.5]]),
    ("quantile-svm", "binary/pima.svm", "rbf:0.1", &[&[1e-3, 0.1], &[1e-3, 0.5], &[1e-5, 0.5]]),
    ("quantile-svm", "binary/spambase.svm", "linear", &[&[1e-3, 0.3], &[1e-3, 0.7]]),
    ("quantile-svm", "binary/svmguide1.svm", "rbf:1", &[&[1e-3, 0.3], &[1e-4, 0.5]]),
    ("kqr", "regression/engel.csv", "linear", &[&[0.1, 0.1], &[0.5, 0.1], &[0.9, 10.0]]),
    ("kqr", "regression/engel.csv", "rbf:0.5", &[&[0.1, 0.1], &[0.5, 1e-3], &[0.9, 10.0]]),
    ("kqr", "regression/mcycle.csv", "rbf:1", &[&[0.1, 0.1], &[0.5, 1e-3], &[0.9, 10.0]]),
    ("kqr", "regression/Boston.csv", "rbf:0.1", &[&[0.1, 0.1], &[0.5, 1e-3], &[0.9, 10.0]]),
    ("kqr", "regression/Boston.csv", "linear", &[&[0.3, 0.1], &[0.5, 10.0]]),
    ("svr", "regression/engel.csv", "rbf:0.5", &[&[1.0, 10.0], &[100.0, 50.0]]),
    ("svr", "regression/mcycle.csv", "rbf:1", &[&[1.0, 1.0], &[100.0, 5.0]]),
    ("svr", "regression/Boston.csv", "rbf:0.1", &[&[0.1, 0.1], &[1.0, 1.0], &[100.0, 0.5]]),
    ("svr", "regression/Boston.csv", "linear", &[&[1.0, 1.0], &[1.0, 0.1]]),
];

/// A problem, θ, and what it is called.
type Posed = (Box<dyn KernelProblem>, Vec<f64>, String);

/// A problem, its QP and θ.
fn pose(problem: &str, kernel: &str, data: &Dataset, values: &[f64]) -> Result<Posed, Box<dyn Error>> {
    let features = Arc::new(Scaler::fit(&data.features, Scaling::Standard).apply(&data.features)?);
    let (kernel, bias) = (kernel.parse()?, Bias::Intercept);
    let &[first, second] = values else { return Err("two values are needed".into()) };
    Ok(match problem {
        "quantile-svm" => {
            let (labels, _) = two_classes(data, None)?;
            let svm = QuantileSvm::new(features, labels, None, first, kernel, bias)?;
            (Box::new(svm), vec![second], format!("λ = {first}, τ = {second}"))
        }
        "kqr" => {
            let kqr = Kqr::new(features, data.response.clone(), None, kernel, bias)?;
            (Box::new(kqr), values.to_vec(), format!("τ = {first}, λ = {second}"))
        }
        _ => {
            let svr = Svr::new(features, data.response.clone(), None, kernel, bias, Chart::Cost)?;
            (Box::new(svr), values.to_vec(), format!("C = {first}, ε = {second}"))
        }
    })
}

/// The scaled KKT residual and the objective.
fn judge(adapter: &dyn KernelProblem, theta: &[f64], found: &Solution) -> Option<(f64, f64)> {
    let point = found.path.at(&0.0)?;
    let certificate = Certificate::new(&found.line, &0.0, &point.x, &point.y);
    Some((certificate.kkt_residual(), adapter.model(theta, &point).objective))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else { return Err("name the directory of the data".into()) };
    println!(
        "| problem | data | kernel | parameters | n | events cold | events hot | changes cold | changes hot | iterations | cold, s | guess, s | hot, s | objectives differ by | KKT residual |"
    );
    println!("|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (problem, file, kernel, points) in CASES {
        let line = format!("{problem} {file} {kernel}");
        if arguments.get(1).is_some_and(|word| !line.contains(word.as_str())) {
            continue;
        }
        let data = read(&Path::new(folder).join(file), &ReadOptions::default())?;
        for values in points {
            let (adapter, theta, parameters) = pose(problem, kernel, &data, values)?;
            let run = |origin| {
                // Each has a cache of its own.
                let qp: ParametricQp<f64> = adapter.qp(&Settings::default())?;
                let settings = guess::Settings::default();
                solve(&qp, &theta, origin, &settings, &Settings::default(), &mut ())
            };
            let hot = run(Origin::Smoothed)?;
            let iterations = hot.guess.as_ref().map_or(0, |guess| guess.iterations);
            let cold = run(Origin::Cold);
            let hot_judged = judge(adapter.as_ref(), &theta, &hot).ok_or("no solution")?;
            let name = file.split(['/', '.']).nth(1).unwrap_or(file);
            if let Some(error) = &hot.refused {
                eprintln!("{line} {parameters}: {error}");
            }
            let mark = if hot.refused.is_some() { " (refused)" } else { "" };
            let (events, changes, seconds, differ) = match &cold {
                Ok(cold) => {
                    let judged = judge(adapter.as_ref(), &theta, cold).ok_or("no solution")?;
                    let differ = (judged.1 - hot_judged.1).abs() / hot_judged.1.abs();
                    (
                        cold.events.to_string(),
                        cold.changes.to_string(),
                        format!("{:.3}", cold.seconds.start),
                        format!("{differ:.0e}"),
                    )
                }
                Err(error) => (format!("fails ({error})"), String::new(), String::new(), String::new()),
            };
            println!(
                "| {problem} | {name} | {kernel} | {parameters} | {} | {events} | {}{mark} | {changes} | {} | {iterations} | {seconds} | {:.3} | {:.3} | {differ} | {:.0e} |",
                data.features.rows(),
                hot.events,
                hot.changes,
                hot.seconds.guess,
                hot.seconds.start,
                hot_judged.0
            );
        }
    }
    Ok(())
}
