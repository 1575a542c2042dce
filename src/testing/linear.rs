//! Linear programs solved by another solver, by way of `good_lp`.

use crate::problem::Line;
use crate::regions::{Answer, Program};
use crate::rows::with_rows;

/// The answer to a linear program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearAnswer {
    /// The least value of cᵀx.
    Optimal(f64),
    /// There is no feasible x.
    Infeasible,
    /// cᵀx has no least value.
    Unbounded,
    /// The solver found no answer.
    Unknown,
}

/// The least cᵀx at position t of a line, H being ignored: the optimum of a linear program, and for any program whether it is feasible. The solver's answer is
/// accurate to about 1e-9.
pub fn solve_linear(line: &Line<f64>, t: f64) -> LinearAnswer {
    let Ok(line) = with_rows(line.clone()) else { return LinearAnswer::Unknown };
    let Some(rows) = &line.rows else { return LinearAnswer::Unknown };
    let n = line.n();
    let end = |bound: Option<f64>, none: f64| bound.unwrap_or(none);
    let ends = |j: usize| {
        let [lower, upper] = [line.bounds.lower_at(j, &t), line.bounds.upper_at(j, &t)];
        [end(lower, f64::NEG_INFINITY), end(upper, f64::INFINITY)]
    };
    let mut program = Program::new((0..n).map(ends).collect());
    for r in 0..rows.matrix.rows() {
        let mut a = vec![0.0; n];
        rows.matrix.for_row(r, |j, v| a[j] = *v);
        let [lower, upper] = [rows.bounds.lower_at(r, &t), rows.bounds.upper_at(r, &t)];
        match (lower, upper) {
            (Some(lower), Some(upper)) if lower == upper => program.equal(a, upper),
            _ => {
                if let Some(lower) = lower {
                    program.at_most(a.iter().map(|v| -v).collect(), -lower);
                }
                if let Some(upper) = upper {
                    program.at_most(a, upper);
                }
            }
        }
    }
    let cost: Vec<f64> = (0..n).map(|j| line.c(j, &t)).collect();
    match program.maximise(&cost.iter().map(|c| -c).collect::<Vec<f64>>()).solve() {
        Answer::Optimal(x) => LinearAnswer::Optimal(x.iter().zip(&cost).map(|(x, c)| x * c).sum()),
        Answer::Infeasible => LinearAnswer::Infeasible,
        Answer::Unbounded => LinearAnswer::Unbounded,
        Answer::Unknown => LinearAnswer::Unknown,
    }
}
