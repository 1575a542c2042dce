//! The same question put to Clarabel, an interior-point solver that shares nothing with the engine.

use super::entries;
use crate::problem::Line;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// min ½xᵀHx + cᵀx, aᵀx = b, l ≤ x ≤ u, n variables.
pub struct Question<'a> {
    /// H, row by row.
    pub h: &'a [Vec<f64>],
    /// c, n entries.
    pub c: Vec<f64>,
    /// l, n entries; infinite where there is none.
    pub lower: Vec<f64>,
    /// u, likewise.
    pub upper: Vec<f64>,
    /// a (n entries) and b.
    pub row: Option<(Vec<f64>, f64)>,
}

impl Question<'_> {
    /// The dual and the primal objective that Clarabel finds: the optimum lies between them. None where they stay further apart than `gap`, relative
    /// to the objective and to its largest number.
    pub fn solve(&self, gap: f64) -> Option<[f64; 2]> {
        let n = self.c.len();
        let unit = |i: usize, sign: f64| (0..n).map(|j| if i == j { sign } else { 0.0 }).collect::<Vec<f64>>();
        let (fixed, boxed): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| self.lower[i] == self.upper[i]);
        let mut rows: Vec<(Vec<f64>, f64)> = self.row.iter().cloned().collect();
        rows.extend(fixed.into_iter().map(|i| (unit(i, 1.0), self.lower[i])));
        let equalities = rows.len();
        for i in boxed {
            let sides = [(unit(i, 1.0), self.upper[i]), (unit(i, -1.0), -self.lower[i])];
            rows.extend(sides.into_iter().filter(|(_, end)| end.is_finite()));
        }
        let (matrix, rhs): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
        let a = if matrix.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&matrix) };
        let cones = [ZeroConeT(equalities), NonnegativeConeT(matrix.len() - equalities)];
        // Its tolerances are meant for objectives whose numbers are about one.
        let scale = (0..n).map(|i| self.c[i].abs().max(self.h[i][i])).fold(0.0, f64::max);
        let scale = if scale > 0.0 && scale.is_finite() { scale } else { 1.0 };
        let cost: Vec<f64> = self.c.iter().map(|c| c / scale).collect();
        let scaled: Vec<Vec<f64>> = self.h.iter().map(|row| row.iter().map(|h| h / scale).collect()).collect();
        let p = CscMatrix::from(&scaled).to_triu();
        // Near-ties may stop it short of 1e-12 in one scaling and not in the other; what counts is how close the two values
        // came.
        [true, false].into_iter().find_map(|equilibrate_enable| {
            let settings = DefaultSettings {
                verbose: false,
                max_threads: 1,
                equilibrate_enable,
                tol_gap_abs: 1e-12,
                tol_gap_rel: 1e-11,
                tol_feas: 1e-11,
                reduced_tol_gap_abs: 1e-10,
                reduced_tol_gap_rel: 1e-9,
                reduced_tol_feas: 1e-9,
                ..DefaultSettings::default()
            };
            let mut solver = DefaultSolver::new(&p, &cost, &a, &rhs, &cones, settings).ok()?;
            solver.solve();
            let found = &solver.solution;
            let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
            let close = (found.obj_val - found.obj_val_dual).abs() <= gap * (1.0 + found.obj_val.abs());
            (usable.contains(&found.status) && close).then_some([found.obj_val_dual * scale, found.obj_val * scale])
        })
    }
}

/// The dual and the primal objective that Clarabel finds at position t of a line: the optimum lies between them. None if it cannot
/// say, to 1e-8.
pub fn solve(line: &Line<f64>, t: f64) -> Option<[f64; 2]> {
    let n = line.n();
    let question = Question {
        h: &entries(line),
        c: (0..n).map(|i| line.c(i, &t)).collect(),
        lower: (0..n).map(|i| line.bounds.lower_at(i, &t).unwrap_or(f64::NEG_INFINITY)).collect(),
        upper: (0..n).map(|i| line.bounds.upper_at(i, &t).unwrap_or(f64::INFINITY)).collect(),
        row: line.has_row().then(|| (line.a.clone(), line.b(&t))),
    };
    question.solve(1e-8)
}
