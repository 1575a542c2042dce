//! The efficient frontiers of five stock indices against those that the OR-Library publishes (Beasley 1990, doi:10.1057/jors.1990.166; Chang,
//! Meade, Beasley and Sharaiha 2000, doi:10.1016/S0305-0548(99)00074-X).
//!
//! The data lie outside the repository, in `shared/data/portfolio` beside it; without them the tests say so and pass.

use pathqp::validate::validate;
use pathqp::{Settings, Stop};
use pathqp_adapters::critical_line::CriticalLine;
use std::fs;
use std::path::PathBuf;

/// The numbers of a file; none when it is not there.
fn numbers(name: &str) -> Option<Vec<f64>> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/portfolio").join(name);
    let Ok(text) = fs::read_to_string(&file) else {
        println!("skipped: {} is not there", file.display());
        return None;
    };
    Some(text.split_whitespace().map(|v| v.parse().unwrap()).collect())
}

/// n, then mean and standard deviation of each asset, then i, j and their correlation.
fn assets(k: usize) -> Option<CriticalLine> {
    let numbers = numbers(&format!("port{k}.txt"))?;
    let n = numbers[0] as usize;
    let (moments, correlations) = numbers[1..].split_at(2 * n);
    let (mean, deviation): (Vec<f64>, Vec<f64>) = moments.chunks(2).map(|v| (v[0], v[1])).unzip();
    let mut covariance = vec![vec![f64::NAN; n]; n];
    for entry in correlations.chunks(3) {
        let (i, j) = (entry[0] as usize - 1, entry[1] as usize - 1);
        covariance[i][j] = entry[2] * deviation[i] * deviation[j];
        covariance[j][i] = covariance[i][j];
    }
    Some(CriticalLine::new(mean, covariance, vec![0.0; n], vec![1.0; n]).unwrap())
}

#[test]
fn published_frontiers() {
    for k in 1..=5 {
        let (Some(problem), Some(frontier)) = (assets(k), numbers(&format!("portef{k}.txt"))) else { return };
        let path = problem.path(&Settings::default()).unwrap();
        assert_eq!(validate(&path, &problem.line().unwrap(), &1e-9), []);
        assert_eq!(path.stop(), Some(&Stop::Target));
        let least = problem.at(&path, 0.0).unwrap();
        let (mut worst, mut relative) = (0.0_f64, 0.0_f64);
        for published in frontier.chunks(2) {
            // The least variance comes last, and returns that have it to ten places lie a little to either side.
            let found = match problem.with_return(&path, published[0]) {
                Ok(found) => found,
                Err(_) => {
                    assert!((least.mean - published[0]).abs() < 1e-6 && published[0] == frontier[frontier.len() - 2]);
                    least.clone()
                }
            };
            // dv/dm = 2t, and both are given to ten places; the solver behind them was good for a few units of the last one.
            let rounding = 5.1e-11 * (1.0 + 2.0 * found.t);
            worst = worst.max((found.variance - published[1]).abs() / rounding);
            relative = relative.max((found.variance / published[1] - 1.0).abs());
        }
        let points = problem.turning_points(&path).len();
        println!(
            "port{k}: {} assets, {points} turning points, {} published points, off by {worst:.2} of their rounding at most, {relative:.1e} of the variance",
            path.n(),
            frontier.len() / 2
        );
        assert!(worst <= 4.0 && relative <= 5e-7, "port{k}: {worst} {relative}");
    }
}
