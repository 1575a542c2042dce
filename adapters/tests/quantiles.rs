//! All quantiles of a row from one path: against the model at each τ, a grid, and integrals.

use crate::common::{dense, follow};
use pathqp::testing::Random;
use pathqp::{Path, Settings};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kqr::Kqr;
use pathqp_adapters::quantiles::QuantileCurve;
use pathqp_adapters::{AdapterError, Bias, KernelProblem, PathProblem};
use std::sync::Arc;

/// Few rows and a small penalty, so that quantiles cross.
fn problem(kernel: &str, bias: Bias) -> (Kqr, Features) {
    let mut random = Random(4);
    let x: Vec<Vec<f64>> = (0..30).map(|_| vec![4.0 * random.unit() - 2.0]).collect();
    let y = x.iter().map(|x| x[0].sin() + 0.4 * (1.5 + x[0] / 2.0) * random.normal()).collect();
    let weights = (0..30).map(|_| 0.5 + random.unit()).collect();
    let new: Vec<Vec<f64>> = (0..9).map(|i| vec![-2.8 + 0.7 * i as f64]).collect();
    let kqr = Kqr::new(Arc::new(dense(&x)), y, Some(weights), kernel.parse().unwrap(), bias).unwrap();
    (kqr, dense(&new))
}

fn along(kqr: &Kqr, from: f64, to: f64, lambda: f64) -> Path<f64> {
    follow(&kqr.qp(&Settings::default()).unwrap().line(&[from, lambda], &[to, lambda]).unwrap())
}

fn all() -> impl Iterator<Item = (Kqr, Features)> {
    let biases = [Bias::Intercept, Bias::None, Bias::Augmented(2.0)];
    biases.into_iter().flat_map(|bias| ["linear", "rbf:2"].map(|kernel| problem(kernel, bias)))
}

#[test]
fn a_curve_has_the_values_of_the_models() {
    for (kqr, rows) in all() {
        let path = along(&kqr, 0.0, 1.0, 0.05);
        let curves = kqr.quantiles(&path, &rows).unwrap();
        let mut random = Random(8);
        for tau in (0..40).map(|_| random.unit()).chain([0.0, 1.0]) {
            let f = kqr.decision(&kqr.at(&path, [tau, 0.05]).unwrap(), &rows);
            for (curve, f) in curves.iter().zip(&f) {
                assert!((curve.at(tau).unwrap() - f).abs() <= 1e-10 * f.abs().max(1.0), "tau = {tau}");
            }
        }
        assert_eq!((curves[0].at(-0.1), curves[0].at(1.1), curves[0].at(f64::NAN)), (None, None, None));
    }
}

#[test]
fn backwards_the_curves_are_the_same() {
    for (kqr, rows) in all() {
        let (there, back) = (along(&kqr, 0.1, 0.9, 0.05), along(&kqr, 0.9, 0.1, 0.05));
        let (a, b) = (kqr.quantiles(&there, &rows).unwrap(), kqr.quantiles(&back, &rows).unwrap());
        for (a, b) in a.iter().zip(&b) {
            assert!(a.tau.windows(2).chain(b.tau.windows(2)).all(|w| w[0] <= w[1]));
            for tau in (1..50).map(|k| 0.1 + 0.8 * k as f64 / 50.0) {
                let difference = (a.at(tau).unwrap() - b.at(tau).unwrap()).abs();
                assert!(difference <= 1e-9, "tau = {tau}: {difference:e}");
            }
        }
    }
}

/// f falls on the reported ranges and nowhere else, as a fine grid between the ends of pieces has it.
#[test]
fn crossings_are_where_the_curve_falls() {
    let mut found = 0;
    for (kqr, rows) in all() {
        for curve in kqr.quantiles(&along(&kqr, 0.0, 1.0, 0.02), &rows).unwrap() {
            let crossings = curve.crossings();
            found += crossings.len();
            for crossing in &crossings {
                let [from, to] = crossing.tau;
                assert!(from <= to && crossing.drop > 0.0);
                if from < to {
                    let middle = (from + to) / 2.0;
                    assert!(curve.at(middle).unwrap() >= curve.at(to).unwrap() - 1e-9);
                }
            }
            let inside = |tau: f64| crossings.iter().any(|c| (c.tau[0] - 1e-12..=c.tau[1] + 1e-12).contains(&tau));
            for (ends, values) in curve.tau.windows(2).zip(&curve.values) {
                let falls = values[1] < values[0] - 1e-9;
                assert!(!falls || inside((ends[0] + ends[1]) / 2.0), "{ends:?} {values:?} {crossings:?}");
                let rises = values[1] > values[0] + 1e-9 && ends[1] - ends[0] > 1e-9;
                assert!(!rises || !inside((ends[0] + ends[1]) / 2.0), "{ends:?} {values:?} {crossings:?}");
            }
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn the_distribution_is_the_measure_of_the_quantiles_below_and_the_rearrangement_its_inverse() {
    for (kqr, rows) in all() {
        for curve in kqr.quantiles(&along(&kqr, 0.0, 1.0, 0.02), &rows).unwrap() {
            const GRID: usize = 20_000;
            let grid: Vec<f64> = (0..GRID).map(|k| curve.at((k as f64 + 0.5) / GRID as f64).unwrap()).collect();
            let mut sorted = grid.clone();
            sorted.sort_by(f64::total_cmp);
            let mut last = f64::NEG_INFINITY;
            for tau in [0.05, 0.2, 0.5, 0.7, 0.95] {
                let q = curve.rearranged(tau).unwrap();
                assert!(q >= last, "{q} after {last}");
                last = q;
                // Where f is flat so much decides whether q is above it.
                let above = q + curve.noise;
                let share = grid.iter().filter(|f| **f <= above).count() as f64 / GRID as f64;
                assert!((curve.distribution(above) - share).abs() <= 1e-3, "{} and {share}", curve.distribution(above));
                assert!(curve.distribution(above) >= tau - 1e-12);
                let k = (tau * GRID as f64) as usize;
                let near = sorted[k - 20] - curve.noise..=sorted[k + 20] + curve.noise;
                assert!(near.contains(&q), "{q} at {tau}: {}", sorted[k]);
            }
            assert_eq!(curve.distribution(1e9), 1.0);
            assert_eq!(curve.distribution(-1e9), 0.0);
        }
    }
}

/// By hand: up to 1, a jump down to ½, a flat piece, and up again.
#[test]
fn a_curve_by_hand() {
    let curve = QuantileCurve {
        tau: vec![0.0, 0.25, 0.5, 1.0],
        values: vec![[0.0, 1.0], [0.5, 0.5], [0.5, 2.5]],
        noise: 1e-15,
    };
    let crossings = curve.crossings();
    assert_eq!((crossings.len(), crossings[0].tau, crossings[0].drop), (1, [0.25, 0.25], 0.5));
    // Below ½: an eighth of the first piece. At ½ the flat quarter is added.
    assert_eq!(curve.distribution(0.5), 0.125 + 0.25);
    assert_eq!(curve.distribution(0.25), 0.0625);
    assert_eq!(curve.distribution(1.0), 0.25 + 0.25 + 0.125);
    assert_eq!(curve.rearranged(0.0625), Some(0.25));
    assert_eq!(curve.rearranged(0.2), Some(0.5));
    assert_eq!(curve.rearranged(0.625), Some(1.0));
    assert_eq!(curve.rearranged(1.0), Some(2.5));
    assert_eq!(curve.at(0.25), Some(0.5));
}

#[test]
fn wrong_questions_are_named() {
    let (kqr, rows) = problem("rbf:2", Bias::Intercept);
    let line = kqr.qp(&Settings::default()).unwrap().line(&[0.5, 0.1], &[0.5, 1.0]).unwrap();
    assert!(matches!(kqr.quantiles(&follow(&line), &rows), Err(AdapterError::NoAnswer { .. })));
    let path = along(&kqr, 0.2, 0.8, 0.1);
    assert!(matches!(kqr.quantiles(&path, &rows.append_constant_column(1.0)), Err(AdapterError::Columns { .. })));
}
