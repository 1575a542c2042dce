//! Certificates as pages show them.

use pathqp::{Certificate, ParametricQp, ProblemError};
use std::thread;

/// The largest KKT residual and the largest relative gap in words.
pub fn sizes([residual, gap]: [f64; 2]) -> String {
    format!("KKT residual {residual:.1e}, relative gap {gap:.1e} at most")
}

/// Infinity for what is not a number.
pub fn number(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

/// As many threads as there are cores.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, |n| n.get())
}

/// The certificate of a solution at θ. Sizes are those along the line from the far corner of the domain: near a state of zero nothing at θ itself tells what
/// rounding is.
///
/// # Errors
/// A θ outside Θ.
pub(crate) fn in_domain(
    qp: &ParametricQp<f64>,
    ends: [[f64; 2]; 2],
    theta: &[f64; 2],
    (x, y): (&[f64], f64),
) -> Result<Certificate<f64>, ProblemError> {
    let far = [0, 1].map(|a: usize| {
        let [from, to] = ends[a];
        if (theta[a] - from).abs() > (to - theta[a]).abs() { from } else { to }
    });
    let line = qp.line(&far, theta)?;
    let t = line.end.unwrap_or(0.0);
    Ok(Certificate::new(&line, &t, x, &y))
}
