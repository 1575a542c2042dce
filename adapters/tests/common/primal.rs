//! Primal problems in an explicit feature space, solved by an interior-point method.
#![allow(dead_code)]

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// Rows φ(xᵢ) with ⟨φ(xᵢ), φ(xⱼ)⟩ = Kᵢⱼ: a Cholesky factor of K with pivots, down to 1e-13 of the largest entry.
pub fn explicit(kernel: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = kernel.len();
    let mut factor: Vec<Vec<f64>> = vec![Vec::new(); n];
    let mut left: Vec<f64> = (0..n).map(|i| kernel[i][i]).collect();
    let enough = 1e-13 * left.iter().fold(0.0, |m: f64, v| m.max(*v));
    for _ in 0..n {
        let pivot = (0..n).max_by(|&i, &j| left[i].total_cmp(&left[j])).unwrap();
        if left[pivot] <= enough {
            break;
        }
        let (root, row) = (left[pivot].sqrt(), factor[pivot].clone());
        for i in 0..n {
            let entry = (kernel[i][pivot] - dot(&factor[i], &row)) / root;
            factor[i].push(entry);
            left[i] -= entry * entry;
        }
        left[pivot] = 0.0;
    }
    factor
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// min ½‖w‖² + Σ pᵢuᵢ + qᵢvᵢ subject to u, v ≥ 0 and sᵢ(⟨w, φᵢ⟩ + b) + uᵢ − vᵢ = tᵢ; the least value, and the solver's
/// gap relative to it. A side whose cost is infinite does not exist (hinge losses have no v).
pub struct Losses<'a> {
    pub rows: &'a [Vec<f64>],
    pub intercept: bool,
    pub signs: Vec<f64>,
    pub targets: Vec<f64>,
    pub below: Vec<f64>,
    pub above: Vec<f64>,
}

impl Losses<'_> {
    /// Variables (w, b, u, v); for a hinge loss v costs nothing.
    pub fn minimum(&self) -> f64 {
        let (n, d) = (self.rows.len(), self.rows[0].len());
        let head = d + usize::from(self.intercept);
        let size = head + 2 * n;
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..head {
            for (i, row) in self.rows.iter().enumerate() {
                let entry = self.signs[i] * if j < d { row[j] } else { 1.0 };
                if entry != 0.0 {
                    indices.push(i);
                    values.push(entry);
                }
            }
            starts.push(indices.len());
        }
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for i in 0..n {
                indices.extend([i, n + side * n + i]);
                values.extend([sign, -1.0]);
                starts.push(indices.len());
            }
        }
        let a = CscMatrix::new(3 * n, size, starts, indices, values);
        let p = CscMatrix::new(size, size, (0..=size).map(|j| j.min(d)).collect(), (0..d).collect(), vec![1.0; d]);
        let q: Vec<f64> = vec![0.0; head].into_iter().chain(self.below.clone()).chain(self.above.clone()).collect();
        let b: Vec<f64> = self.targets.iter().copied().chain(vec![0.0; 2 * n]).collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-12,
            tol_gap_rel: 1e-12,
            tol_feas: 1e-11,
            max_threads: 1,
            ..DefaultSettings::default()
        };
        let cones = [ZeroConeT(n), NonnegativeConeT(2 * n)];
        let mut solver = DefaultSolver::new(&p, &q, &a, &b, &cones, settings).unwrap();
        solver.solve();
        let found = &solver.solution;
        let value = self.value(&found.x[..d], if self.intercept { found.x[d] } else { 0.0 });
        let gap = (value - found.obj_val_dual).abs() / value.abs().max(1e-300);
        let usable = matches!(
            found.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress
        );
        assert!(usable && gap < 5e-9, "interior point: {:?}, gap {gap:e}", found.status);
        value
    }

    /// The primal at (w, b).
    fn value(&self, w: &[f64], b: f64) -> f64 {
        let losses = self.rows.iter().enumerate().map(|(i, row)| {
            let short = self.targets[i] - self.signs[i] * (dot(row, w) + b);
            if short > 0.0 { self.below[i] * short } else { -self.above[i] * short }
        });
        dot(w, w) / 2.0 + losses.sum::<f64>()
    }
}
