//! All quantiles of a linear regression without penalty, as a linear program (Koenker and d'Orey 1987, doi:10.2307/2347802):
//!
//! ```text
//! minimise −Yᵀa   s.t.   Xᵀa = (1 − τ) Xᵀ1,   0 ≤ a ≤ 1         the coefficients are minus the multipliers of the rows
//! ```

use pathqp::certificate::{along, breakpoints, sample};
use pathqp::hessian::{self, Rows};
use pathqp::{Affine, ParametricQp, ProblemError, Range, Settings, Start, trace};
use std::sync::Arc;
use std::time::Instant;

/// X row by row (with a column of ones) and Y.
pub fn quantiles(x: &[Vec<f64>], y: &[f64]) -> Result<ParametricQp<f64>, ProblemError> {
    let (n, p) = (y.len(), x.first().map_or(0, Vec::len));
    let values = (0..p).flat_map(|j| x.iter().map(move |row| row[j])).collect();
    let sums: Vec<f64> = (0..p).map(|j| x.iter().map(|row| row[j]).sum()).collect();
    let b = Affine::line(sums.clone(), sums.iter().map(|s| -s).collect());
    let c = Affine::constant(y.iter().map(|y| -y).collect(), 1);
    ParametricQp::new(Arc::new(hessian::zero(n)?), vec![Range::new(0.0, 1.0)], c)?
        .lower(Affine::constant(vec![0.0; n], 1))?
        .upper(Affine::constant(vec![1.0; n], 1))?
        .rows(Rows::Dense { columns: n, values }, b.clone(), b)
}

/// Follows τ from 0.01 to 0.99 for a table whose last column is the response: what it took, the coefficients of the median, the verdict.
pub fn report(text: &str) -> Result<String, String> {
    let number = |field: &str| field.trim().parse::<f64>().map_err(|e| format!("{field}: {e}"));
    let rows = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let table = rows.map(|line| line.split(',').map(number).collect()).collect::<Result<Vec<Vec<f64>>, String>>()?;
    let split = |row: &Vec<f64>| row.split_last().map(|(y, x)| ([&[1.0], x].concat(), *y));
    let (x, y): (Vec<Vec<f64>>, Vec<f64>) = table.iter().filter_map(split).unzip();
    let qp = quantiles(&x, &y).map_err(|e| e.to_string())?;
    let line = qp.line(&[0.01], &[0.99]).map_err(|e| e.to_string())?;
    let begun = Instant::now();
    let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).map_err(|f| f.0.to_string())?;
    let seconds = begun.elapsed().as_secs_f64();
    let verdict = along(&path, &line, &sample(breakpoints(&path), 200), 1, &|_| true);
    let median = path.at_parameter(&[0.5]).map(|p| p.rows.iter().map(|y| -y).collect::<Vec<f64>>());
    let (n, p, pieces) = (y.len(), x.first().map_or(0, Vec::len), path.segments().len());
    let detours = path.stats().detours;
    Ok(format!(
        "{n} × {p}: {pieces} pieces, {seconds:.2} s, {detours} detours, {:?}, residual {:.1e}, gap {:.1e}, median {median:?}",
        path.stop(),
        verdict.residual,
        verdict.gap
    ))
}
