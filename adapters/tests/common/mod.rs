//! What the tests of the adapters share: problems and independent answers.

// Every test crate compiles this module and uses a part of it.
#![allow(dead_code)]

pub mod convex;
pub mod primal;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use pathqp::problem::Line;
use pathqp::testing::Random;
use pathqp::{Certificate, Path, Settings, Start};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::quantile_svm::QuantileSvm;
use pathqp_adapters::{Bias, Model, PathProblem};
use std::sync::Arc;

/// A dense matrix.
pub fn dense(rows: &[Vec<f64>]) -> Features {
    let columns = rows.first().map_or(0, Vec::len);
    Features::Dense { rows: rows.len(), columns, values: rows.concat() }
}

/// A quantile SVM before it is checked.
#[derive(Clone)]
pub struct Problem {
    pub features: Features,
    pub labels: Vec<f64>,
    pub weights: Option<Vec<f64>>,
    pub lambda: f64,
    pub kernel: KernelKind,
    pub bias: Bias,
}

impl Problem {
    /// Two overlapping clouds in d dimensions, as many positive as negative rows up to a third more of the latter.
    pub fn clouds(n: usize, d: usize, seed: u64, bias: Bias) -> Problem {
        let mut random = Random(seed);
        let labels: Vec<f64> = (0..n).map(|i| if i % 7 < 3 { 1.0 } else { -1.0 }).collect();
        let shift = |j: usize| 0.7 / (1.0 + j as f64);
        let rows: Vec<Vec<f64>> =
            labels.iter().map(|y| (0..d).map(|j| random.normal() + y * shift(j)).collect()).collect();
        Problem { features: dense(&rows), labels, weights: None, lambda: 0.05, kernel: KernelKind::Linear, bias }
    }

    pub fn with_kernel(mut self, kernel: &str) -> Problem {
        self.kernel = kernel.parse().unwrap();
        self
    }

    /// The rows given by `order` (any may come twice).
    pub fn select(&self, order: &[usize]) -> Problem {
        let pick = |values: &[f64]| order.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        Problem {
            features: self.features.select_rows(order),
            labels: pick(&self.labels),
            weights: self.weights.as_deref().map(pick),
            ..self.clone()
        }
    }

    pub fn svm(&self) -> QuantileSvm {
        let features = Arc::new(self.features.clone());
        QuantileSvm::new(features, self.labels.clone(), self.weights.clone(), self.lambda, self.kernel, self.bias)
            .unwrap()
    }

    pub fn line(&self, from: f64, to: f64) -> Line<f64> {
        self.svm().qp(&Settings::default()).unwrap().line(&[from], &[to]).unwrap()
    }

    /// The path from τ = `from` to τ = `to`.
    pub fn follow(&self, from: f64, to: f64) -> Path<f64> {
        follow(&self.line(from, to))
    }

    pub fn n(&self) -> usize {
        self.labels.len()
    }

    /// cᵢ(τ), paper eq. 4, times the case weights scaled to mean one.
    pub fn costs(&self, tau: f64) -> Vec<f64> {
        let n = self.n() as f64;
        let weights = self.weights.clone().unwrap_or_else(|| vec![1.0; self.n()]);
        let mean = weights.iter().sum::<f64>() / n;
        let cost = |y: f64| if y > 0.0 { 2.0 * (1.0 - tau) / n } else { 2.0 * tau / n };
        weights.iter().zip(&self.labels).map(|(v, &y)| v / mean * cost(y)).collect()
    }

    fn rows(&self) -> Vec<Vec<f64>> {
        let mut rows = vec![vec![0.0; self.features.columns()]; self.n()];
        rows.iter_mut().enumerate().for_each(|(i, row)| self.features.dense_row(i, row));
        rows
    }

    /// Σ cᵢ(τ) max(0, 1 − yᵢ fᵢ).
    pub fn loss(&self, tau: f64, f: &[f64]) -> f64 {
        let hinge = |(y, f): (&f64, &f64)| (1.0 - y * f).max(0.0);
        self.costs(tau).iter().zip(self.labels.iter().zip(f)).map(|(c, yf)| c * hinge(yf)).sum()
    }

    /// Paper eq. 3 with λ/2 ‖f‖², from w (linear kernels) or from the expansion in α, and the constant.
    pub fn objective(&self, model: &Model) -> f64 {
        let rows = self.rows();
        let (square, f): (f64, Vec<f64>) = match &model.function.w {
            Some(w) => (dot(w, w), rows.iter().map(|x| dot(x, w) + model.function.constant).collect()),
            None => {
                let beta: Vec<f64> = model.alpha.iter().zip(&self.labels).map(|(a, y)| a * y / self.lambda).collect();
                let part: Vec<f64> =
                    rows.iter().map(|x| rows.iter().zip(&beta).map(|(z, b)| b * self.k(x, z)).sum()).collect();
                (dot(&beta, &part), part.iter().map(|f| f + model.function.constant).collect())
            }
        };
        let constant = if let Bias::Augmented(b) = self.bias { (model.function.constant / b).powi(2) } else { 0.0 };
        self.lambda / 2.0 * (square + constant) + self.loss(model.theta[0], &f)
    }

    fn k(&self, x: &[f64], z: &[f64]) -> f64 {
        let distance = |p: i32| x.iter().zip(z).map(|(a, b)| (a - b).abs().powi(p)).sum::<f64>();
        match self.kernel {
            KernelKind::Linear => dot(x, z),
            KernelKind::Rbf { gamma } => (-gamma * distance(2)).exp(),
            KernelKind::Laplacian { gamma } => (-gamma * distance(1)).exp(),
            KernelKind::Polynomial { degree, gamma, coef0 } => (gamma * dot(x, z) + coef0).powi(degree as i32),
            KernelKind::Precomputed => panic!("the rows are the kernel"),
        }
    }

    /// Rows φ(xᵢ) in an explicit feature space: ⟨φ(xᵢ), φ(xⱼ)⟩ = k(xᵢ, xⱼ), for other kernels than the linear one by a
    /// pivoted Cholesky factor of the kernel matrix. The remainder is positive semidefinite with a diagonal of at most
    /// δ = 1e-13 (of the largest kernel value κ), which changes the minimum P by at most δκ(Σα)²/2λ. As Σα ≤ 2P, that is
    /// 2δκP/λ relative to P: 2e-10 for κ = 1, P ≤ 1, λ = 1e-3.
    fn explicit_rows(&self) -> Vec<Vec<f64>> {
        let rows = self.rows();
        if self.kernel == KernelKind::Linear {
            return rows;
        }
        let kernel: Vec<Vec<f64>> = rows.iter().map(|x| rows.iter().map(|z| self.k(x, z)).collect()).collect();
        primal::explicit(&kernel)
    }

    /// The primal (paper eq. 3) for an interior-point solver.
    pub fn interior_point(&self) -> Primal {
        let mut rows = self.explicit_rows();
        if let Bias::Augmented(b) = self.bias {
            rows.iter_mut().for_each(|row| row.push(b));
        }
        let penalised = rows[0].len();
        if self.bias == Bias::Intercept {
            rows.iter_mut().for_each(|row| row.push(1.0));
        }
        Primal { rows, penalised, problem: self.clone() }
    }
}

/// The primal in an explicit feature space: variables (w, ξ), the first `penalised` entries of w penalised.
pub struct Primal {
    rows: Vec<Vec<f64>>,
    penalised: usize,
    problem: Problem,
}

impl Primal {
    /// The rows −yᵢ⟨w, φᵢ⟩ − ξᵢ and −ξᵢ, column by column.
    fn constraints(&self) -> CscMatrix<f64> {
        let Primal { rows, problem, .. } = self;
        let (n, d) = (rows.len(), rows[0].len());
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..d {
            for (i, row) in rows.iter().enumerate().filter(|(_, row)| row[j] != 0.0) {
                indices.push(i);
                values.push(-problem.labels[i] * row[j]);
            }
            starts.push(indices.len());
        }
        for i in 0..n {
            indices.extend([i, n + i]);
            values.extend([-1.0, -1.0]);
            starts.push(indices.len());
        }
        CscMatrix::new(2 * n, d + n, starts, indices, values)
    }

    /// min λ/2‖w‖² + Σ cᵢξᵢ subject to ξᵢ ≥ 1 − yᵢ⟨w, φᵢ⟩, ξ ≥ 0; the value is the primal's at the w found.
    pub fn minimum(&self, tau: f64) -> f64 {
        let Primal { rows, penalised, problem } = self;
        let (n, d) = (rows.len(), rows[0].len());
        // The scale makes the cheaper class' costs one, so that the solver's relative tolerance is one.
        let scale = n as f64 / (2.0 * tau.min(1.0 - tau));
        let p_columns = (0..=d + n).map(|j| j.min(*penalised)).collect();
        let p_values = vec![scale * problem.lambda; *penalised];
        let p = CscMatrix::new(d + n, d + n, p_columns, (0..*penalised).collect(), p_values);
        let q: Vec<f64> = vec![0.0; d].into_iter().chain(problem.costs(tau).iter().map(|c| scale * c)).collect();
        let a = self.constraints();
        let b: Vec<f64> = (0..2 * n).map(|i| if i < n { -1.0 } else { 0.0 }).collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: 1e-11,
            tol_gap_rel: 1e-11,
            tol_feas: 1e-10,
            max_threads: 1,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&p, &q, &a, &b, &[NonnegativeConeT(2 * n)], settings).unwrap();
        solver.solve();
        let found = &solver.solution;
        let w = &found.x[..d];
        let f: Vec<f64> = rows.iter().map(|row| dot(row, w)).collect();
        let value = problem.lambda / 2.0 * dot(&w[..*penalised], &w[..*penalised]) + problem.loss(tau, &f);
        // A solver that could not reach its tolerance may still have answered well enough: its dual says how well.
        let gap = (value - found.obj_val_dual / scale).abs() / value;
        let usable = matches!(
            found.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress
        );
        assert!(usable && gap < 5e-9, "interior point at tau = {tau}: {:?}, gap {gap:e}", found.status);
        value
    }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The whole of a line.
pub fn follow(line: &Line<f64>) -> Path<f64> {
    let path = pathqp::trace(line, &Start::Anywhere, &Settings::default(), &mut ())
        .unwrap_or_else(|failure| panic!("{} (after {:?})", failure.0, failure.1.map(|p| p.stats().clone())));
    assert!(path.is_complete(), "{:?}", path.stop());
    path
}

/// The breakpoints in τ, increasing.
pub fn breakpoints(path: &Path<f64>) -> Vec<f64> {
    let mut tau: Vec<f64> = path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect();
    tau.sort_by(f64::total_cmp);
    tau
}

/// The same number of values, each to `tolerance`.
pub fn assert_same(what: &str, a: &[f64], b: &[f64], tolerance: f64) {
    let near = |v: f64, others: &[f64]| others.iter().any(|o| (o - v).abs() <= tolerance);
    let alone: Vec<&f64> = a.iter().filter(|v| !near(**v, b)).chain(b.iter().filter(|v| !near(**v, a))).collect();
    assert_eq!(a.len(), b.len(), "{what}: without a partner {:?}", &alone[..alone.len().min(8)]);
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= tolerance, "{what}: differ by {worst:e}");
}

/// The certificate's KKT residual at τ.
pub fn residual(path: &Path<f64>, line: &Line<f64>, tau: f64) -> f64 {
    let t = path.position(&[tau]).unwrap();
    let point = path.at(&t).unwrap_or_else(|| panic!("no solution at tau = {tau}"));
    Certificate::new(line, &t, &point.x, &point.y).kkt_residual()
}
