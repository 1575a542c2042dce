//! Guesses (draft).

mod element;
mod feasible;
mod smoothed;

use crate::error::AdapterError;
use crate::lbfgs::{self, lbfgs};
use element::Element;
use feasible::Feasible;
use pathqp::Line;
use smoothed::{Last, Smoothed, update};
use std::time::Instant;

/// How to guess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Stages.
    pub stages: usize,
    /// The first width, in parts of the mean |z|.
    pub width: f64,
    /// The factor from one stage to the next.
    pub shrink: f64,
    /// Of L-BFGS.
    pub descent: lbfgs::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            stages: 6,
            width: 1.0,
            shrink: 0.2,
            descent: lbfgs::Settings { iterations: 100, tolerance: 1e-4, ..lbfgs::Settings::default() },
        }
    }
}

/// A guess.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// n entries.
    pub x: Vec<f64>,
    /// The last width.
    pub smoothing: f64,
    /// Iterations of L-BFGS in all stages.
    pub iterations: u64,
    /// Evaluations.
    pub evaluations: u64,
    /// Seconds.
    pub seconds: f64,
}

/// The guess by L-BFGS.
///
/// # Errors
/// Infeasible.
pub fn guess(line: &Line<f64>, settings: &Settings) -> Result<Guess, AdapterError> {
    let clock = Instant::now();
    let n = line.n();
    let feasible = Feasible::new(line);
    let reach = |i: usize| [feasible.lower[i], feasible.upper[i]].iter().filter(|b| b.is_finite()).fold(0.0, |m: f64, b| m.max(b.abs()));
    let scale: f64 = (0..n).map(|i| line.c0[i].abs() * reach(i)).sum();
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let mut centre: Vec<f64> = (0..n).map(|i| feasible.middle(i)).collect();
    let zero = vec![0.0; n];
    let mut last = Last { x: zero.clone(), product: zero, y: 0.0 };
    let mut at = Element::zero(n);
    let (mut iterations, mut evaluations, mut smoothing) = (0, 0, 0.0);
    let mut pattern = Vec::new();
    let debug = std::env::var("DEBUG").is_ok();
    for stage in 0..settings.stages {
        let product = last.product.clone();
        let z: Vec<f64> = (0..n).map(|i| line.c0[i] + scale * product[i] - line.a(i) * last.y * scale).collect();
        let mean = z.iter().map(|z| z.abs()).sum::<f64>() / n as f64;
        let mean = if mean > 0.0 { mean } else { 1.0 };
        smoothing = settings.width * settings.shrink.powi(stage as i32) * mean;
        let function = Smoothed::new(line, &feasible, (scale, smoothing), centre, last);
        let minimum = lbfgs(&function, at, &settings.descent);
        last = function.into_last();
        iterations += minimum.iterations;
        evaluations += minimum.evaluations;
        centre = last.x.clone();
        let x = last.x.clone();
        if debug {
            let inside = (0..n).filter(|&i| x[i] > feasible.lower[i] && x[i] < feasible.upper[i]).count();
            eprintln!("stage {stage} width {smoothing:.2e} it {} ev {} stop {} grad {:.1e} value {:.12e} inside {inside} t {:.3}", minimum.iterations, minimum.evaluations, minimum.stop, minimum.gradient, minimum.value, clock.elapsed().as_secs_f64());
        }
        // Afresh.
        update(line, scale, &mut last, x);
        let now: Vec<bool> = last.x.iter().enumerate().map(|(i, x)| *x > feasible.lower[i] && *x < feasible.upper[i]).collect();
        if minimum.stop == lbfgs::Stop::Iterations || now == pattern {
            break;
        }
        pattern = now;
        at = Element { beta: last.x.clone(), image: last.product.clone() };
    }
    let x = feasible.repair(&last.x)?;
    Ok(Guess { x, smoothing, iterations, evaluations, seconds: clock.elapsed().as_secs_f64() })
}
