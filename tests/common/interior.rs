//! The same question put to Clarabel, an interior-point solver that shares nothing with the engine.

use super::Spec;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// min ½xᵀHx + cᵀx, aᵀx = b, l ≤ x ≤ u (infinite where there is no bound).
pub struct Question<'a> {
    pub h: &'a [Vec<f64>],
    pub c: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub row: Option<(Vec<f64>, f64)>,
}

impl<'a> Question<'a> {
    pub fn at(spec: &Spec<f64>, h: &'a [Vec<f64>], theta: f64) -> Self {
        let n = spec.n();
        Question {
            h,
            c: (0..n).map(|i| spec.c(i, &theta)).collect(),
            lower: (0..n).map(|i| spec.lower(i, &theta).unwrap_or(f64::NEG_INFINITY)).collect(),
            upper: (0..n).map(|i| spec.upper(i, &theta).unwrap_or(f64::INFINITY)).collect(),
            row: spec.row.as_ref().map(|(a, b)| (a.clone(), Spec::at(b, &theta))),
        }
    }

    /// The dual objective and the primal objective at Clarabel's solution: the truth lies between them.
    pub fn solve(&self) -> Result<(f64, f64), SolverStatus> {
        let n = self.c.len();
        let (mut rows, mut rhs): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut cones = Vec::new();
        if let Some((a, b)) = &self.row {
            rows.push(a.clone());
            rhs.push(*b);
        }
        let unit = |i: usize, v: f64| (0..n).map(|j| if i == j { v } else { 0.0 }).collect::<Vec<f64>>();
        for i in (0..n).filter(|&i| self.lower[i] == self.upper[i]) {
            rows.push(unit(i, 1.0));
            rhs.push(self.lower[i]);
        }
        if !rows.is_empty() {
            cones.push(ZeroConeT(rows.len()));
        }
        let equalities = rows.len();
        for i in (0..n).filter(|&i| self.lower[i] != self.upper[i]) {
            if self.upper[i].is_finite() {
                rows.push(unit(i, 1.0));
                rhs.push(self.upper[i]);
            }
            if self.lower[i].is_finite() {
                rows.push(unit(i, -1.0));
                rhs.push(-self.lower[i]);
            }
        }
        if rows.len() > equalities {
            cones.push(NonnegativeConeT(rows.len() - equalities));
        }
        let a = if rows.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&rows) };
        let p = CscMatrix::from(self.h).to_triu();
        // Near-ties may stop it short of 1e-12 in one scaling and not in the other; what counts is how close the two values
        // came.
        let mut last = SolverStatus::Unsolved;
        for equilibrate_enable in [true, false] {
            let settings = DefaultSettings {
                verbose: false,
                equilibrate_enable,
                tol_gap_abs: 1e-12,
                tol_gap_rel: 1e-11,
                tol_feas: 1e-11,
                reduced_tol_gap_abs: 1e-10,
                reduced_tol_gap_rel: 1e-9,
                reduced_tol_feas: 1e-9,
                ..DefaultSettings::default()
            };
            let mut solver =
                DefaultSolver::new(&p, &self.c, &a, &rhs, &cones, settings).expect("a well-posed question");
            solver.solve();
            last = solver.solution.status;
            let done =
                matches!(last, SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress);
            let (dual, primal) = (solver.solution.obj_val_dual, solver.solution.obj_val);
            if done && (primal - dual).abs() <= 1e-9 * (1.0 + primal.abs()) {
                return Ok((dual, primal));
            }
        }
        Err(last)
    }
}
