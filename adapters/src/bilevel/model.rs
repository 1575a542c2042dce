//! Models at single points (τ, λ), and the validation loss over λ at one τ.

use super::fold::Fold;
use crate::error::AdapterError;
use crate::kqr::{Kqr, pinball};
use crate::problem::{KernelProblem, Model, PathProblem};
use pathqp::{Path, Settings, trace};

/// A path over λ is followed in pieces of this factor, so that knots at small λ are not known to rounding of large ones.
const PIECE: f64 = 10.0;

/// A point is solved for at the beginning of a path that goes this much further.
const BEYOND: f64 = 1.01;

/// The model at (τ, λ); for infinite λ the constant function that it tends to.
///
/// # Errors
/// [`AdapterError`] for a path that could not be followed.
pub fn model_at(kqr: &Kqr, tau: f64, lambda: f64, settings: &Settings) -> Result<Model, AdapterError> {
    if lambda == f64::INFINITY {
        let (alpha, quantile) = kqr.limit(tau);
        let function = kqr.machine().function(vec![0.0; alpha.len()], quantile.unwrap_or(0.0));
        let fit = kqr.machine().evaluate(&function, kqr.machine().features());
        let losses = fit.iter().zip(kqr.responses()).zip(kqr.machine().weights());
        let objective = losses.map(|((f, y), v)| v * pinball(tau, y - f)).sum();
        return Ok(Model { theta: vec![tau, lambda], alpha, function, objective, dual_objective: objective });
    }
    let path = rising(kqr, tau, [lambda, BEYOND * lambda], settings)?;
    let point = path.at(&0.0).ok_or(AdapterError::NoAnswer { what: "solution at that lambda" })?;
    Ok(kqr.model(&[tau, lambda], &point))
}

/// The path over λ at τ.
fn rising(kqr: &Kqr, tau: f64, [from, to]: [f64; 2], settings: &Settings) -> Result<Path<f64>, AdapterError> {
    let qp = kqr.qp(settings)?;
    let line = qp.line(&[tau, from], &[tau, to])?;
    Ok(trace(&line, &kqr.start(&qp, &[tau, from], settings), settings, &mut ()).map_err(|failure| failure.0)?)
}

/// The loss on held-out rows at τ, per unit of weight, as `count` pairs (λ, loss) with λ in geometric progression from `low` to `high` (Rosset 2008, Figure 2).
///
/// # Errors
/// [`AdapterError`] for a path that could not be followed.
pub fn loss_curve(
    folds: &[Fold],
    tau: f64,
    [low, high]: [f64; 2],
    count: usize,
    settings: &Settings,
) -> Result<Vec<(f64, f64)>, AdapterError> {
    let place = |k: usize| low * (high / low).powf(k as f64 / (count.max(2) - 1) as f64);
    let mut curve: Vec<(f64, f64)> = (0..count).map(|k| (place(k), 0.0)).collect();
    let weight: f64 = folds.iter().map(Fold::weight).sum();
    for fold in folds {
        let mut rest = curve.as_mut_slice();
        while let Some(&(from, _)) = rest.first() {
            let here = rest.partition_point(|p| p.0 <= PIECE * from);
            let (part, beyond) = rest.split_at_mut(here);
            rest = beyond;
            let path = rising(fold.problem(), tau, [from, BEYOND * PIECE * from], settings)?;
            for (lambda, loss) in part {
                let theta = [tau, *lambda];
                let Some(point) = path.at_parameter(&theta) else { continue };
                let f = fold.problem().decision(&fold.problem().model(&theta, &point), fold.rows());
                let losses = f.iter().zip(fold.responses()).zip(fold.weights());
                *loss += losses.map(|((f, y), v)| v * pinball(tau, y - f)).sum::<f64>() / weight;
            }
        }
    }
    Ok(curve)
}
