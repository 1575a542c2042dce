//! Any convex quadratic or linear program, solved by an interior-point method.
#![allow(dead_code)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// min ½xᵀHx + cᵀx subject to lo ≤ aᵀx ≤ hi for each (a, lo, hi).
pub struct Convex {
    pub h: Vec<Vec<f64>>,
    pub c: Vec<f64>,
    pub rows: Vec<(Vec<f64>, f64, f64)>,
}

fn columns(rows: &[Vec<f64>], width: usize) -> CscMatrix<f64> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..width {
        for (i, row) in rows.iter().enumerate().filter(|(_, row)| row[j] != 0.0) {
            indices.push(i);
            values.push(row[j]);
        }
        starts.push(indices.len());
    }
    CscMatrix::new(rows.len(), width, starts, indices, values)
}

impl Convex {
    /// The least value, between the solver's dual and primal objective; none where there is no solution.
    pub fn solve(&self) -> Option<[f64; 2]> {
        let n = self.c.len();
        let upper: Vec<Vec<f64>> = self
            .h
            .iter()
            .enumerate()
            .map(|(i, row)| (0..n).map(|j| if j < i { 0.0 } else { row[j] }).collect())
            .collect();
        let (mut equal, mut below) = (Vec::new(), Vec::new());
        let (mut equal_to, mut below_of) = (Vec::new(), Vec::new());
        for (a, lo, hi) in &self.rows {
            if lo == hi {
                equal.push(a.clone());
                equal_to.push(*lo);
                continue;
            }
            if lo.is_finite() {
                below.push(a.iter().map(|v| -v).collect());
                below_of.push(-lo);
            }
            if hi.is_finite() {
                below.push(a.clone());
                below_of.push(*hi);
            }
        }
        let cones = [ZeroConeT(equal.len()), NonnegativeConeT(below.len())];
        let a = columns(&[equal, below].concat(), n);
        let b = [equal_to, below_of].concat();
        let (upper, mut best) = (columns(&upper, n), None);
        // Its scaling helps some programs and hinders others: the smaller gap is the better answer.
        for equilibrate_enable in [true, false] {
            let settings = DefaultSettings {
                verbose: false,
                tol_gap_abs: 1e-11,
                tol_gap_rel: 1e-11,
                tol_feas: 1e-11,
                max_threads: 1,
                equilibrate_enable,
                ..DefaultSettings::default()
            };
            let mut solver = DefaultSolver::new(&upper, &self.c, &a, &b, &cones, settings).unwrap();
            solver.solve();
            let found = &solver.solution;
            match found.status {
                SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => return None,
                SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress => {
                    let ends = [found.obj_val_dual, found.obj_val];
                    let width = |ends: [f64; 2]| (ends[1] - ends[0]).abs();
                    if best.is_none_or(|best| width(ends) < width(best)) {
                        best = Some(ends);
                    }
                }
                _ => {}
            }
        }
        Some(best.expect("the interior point ends"))
    }

    /// Whether a value is the least one, to `tolerance` of `size`.
    pub fn agrees(&self, value: f64, size: f64, tolerance: f64, what: &str) {
        let [dual, primal] = self.solve().unwrap_or_else(|| panic!("{what}: no solution"));
        assert!((primal - dual).abs() <= tolerance * size, "{what}: the solver's own gap, {dual} to {primal}");
        assert!((value - primal).abs() <= 2.0 * tolerance * size, "{what}: {value}, not {dual} to {primal}");
    }
}
