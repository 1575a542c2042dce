//! Trend filtering and other generalised lassos: a signal with few non-zero differences, at every penalty λ.
//!
//! *Primal* (Tibshirani and Taylor 2011, "The solution path of the generalized lasso", doi:10.1214/11-AOS878, with X = I):
//!
//! ```text
//! min over β   ½ ‖y − β‖² + λ ‖Dβ‖₁
//! ```
//!
//! D has one row for each penalised difference. On a chain the *order* k is that of the piecewise polynomial β (Tibshirani 2014, doi:10.1214/13-AOS1189; Kim,
//! Koh, Boyd and Gorinevsky 2009, doi:10.1137/070690274): D takes differences k + 1 times, so that k = 0 is the fused lasso (Tibshirani, Saunders, Rosset, Zhu
//! and Knight 2005, doi:10.1111/j.1467-9868.2005.00490.x), and k = 1 is piecewise linear. On a graph there is a row β_a − β_b for each edge; any other D may be
//! given.
//!
//! *Dual* (their eq. 13): β = y − Dᵀu, and u minimises ½ uᵀDDᵀu − (Dy)ᵀu for −λ ≤ u ≤ λ.
//!
//! *Map to the engine*: x = u, θ = λ ∈ [0, ∞), H = DDᵀ, c = −Dy, l = −λ, u = λ, no row. z = DDᵀu − Dy = −Dβ, so that uᵢ is at its bound ±λ where (Dβ)ᵢ has that
//! sign (a *knot*), and free where (Dβ)ᵢ = 0. Where D has dependent rows u is not unique, but β is.
//!
//! *Direction*: Tibshirani and Taylor follow the path down from λ = ∞, where every u is free: F is all of D. From λ = 0 upwards, where u = 0 and β = y, F is
//! empty at first and the status of every row is the sign of Dy; t is λ itself, and hence known to rounding of λ. The path is the same. Beyond the last
//! breakpoint, the end of [`TrendFiltering::path`], Dβ = 0.
//!
//! *On a chain* DDᵀ is banded, with k + 1 diagonals on either side of the main one, and D_F D_Fᵀ is factored within the band, however large F is. Its condition
//! number grows like (2n/π)^(2k + 2); where that
//! exceeds 10¹³, the rows of D are factored instead, which has the square root of this condition number but costs O(n|F|) an event.
//!
//! *On a graph* the edges of F contain no cycle, because the rows of D on a cycle are dependent: F is a forest, and D_F D_Fᵀ is a sparse matrix with sparse
//! factors, whose condition number grows like the square of the number of values.

mod gram;
mod problem;

pub(crate) use gram::{differences_of, gram};
pub use problem::ENTRY;

use crate::error::AdapterError;
use pathqp::hessian::Banded;
use pathqp::{Affine, Hessian, Line, ParametricQp, Path, ProblemError, Range, Settings, Start, Status, trace};
use std::sync::Arc;

/// A row of D: its columns, each with its entry.
pub type Difference = Vec<(usize, f64)>;

/// The largest condition of DDᵀ at which its band is factored.
const WORST_BAND: f64 = 1e13;

/// Dβ counts as zero up to this part of the terms it is made of.
const FLAT: f64 = 1e-9;

/// A generalised lasso for a signal of n values, with a matrix D of m rows.
#[derive(Clone)]
pub struct TrendFiltering {
    differences: Vec<Difference>,
    response: Vec<f64>,
    hessian: Arc<dyn Hessian<f64>>,
}

/// The solution at one λ.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TrendFit {
    /// The penalty λ.
    pub lambda: f64,
    /// The fitted signal β, n values.
    pub fitted: Vec<f64>,
    /// The rows of D, counted from zero, for which Dβ is not zero. On a chain of order k row i is the difference of the values i, …, i + k + 1.
    pub knots: Vec<usize>,
    /// The primal objective.
    pub objective: f64,
    /// The dual objective ½‖y‖² − ½‖β‖².
    pub dual_objective: f64,
}

impl TrendFiltering {
    /// The problem with any D, given row by row; columns count from zero.
    ///
    /// # Errors
    /// [`AdapterError`] for no rows, a column that the response does not have, and a response or entry that is not finite.
    pub fn new(differences: Vec<Difference>, response: Vec<f64>) -> Result<Self, AdapterError> {
        let hessian = Arc::new(gram(&differences, response.len())?);
        Self::with(differences, response, hessian)
    }

    /// The problem on a chain: D takes the (k + 1)-th differences of the values in their order, for piecewise polynomials of order k.
    ///
    /// # Errors
    /// [`AdapterError`] for fewer than k + 2 values, and one that is not finite.
    pub fn chain(order: usize, response: Vec<f64>) -> Result<Self, AdapterError> {
        let m = order.checked_add(1).and_then(|taken| response.len().checked_sub(taken));
        let Some(m) = m.filter(|m| *m > 0) else {
            return Err(AdapterError::ShortSignal { order, values: response.len() });
        };
        let mut stencil = vec![1.0];
        for _ in 0..=order {
            let shifted = [0.0].iter().chain(&stencil).copied().collect::<Vec<f64>>();
            stencil.push(0.0);
            stencil.iter_mut().zip(shifted).for_each(|(a, b)| *a = b - *a);
        }
        let row = |i: usize| stencil.iter().enumerate().map(|(k, v)| (i + k, *v)).collect();
        let differences = (0..m).map(row).collect();
        let condition = (2.0 * response.len() as f64 / std::f64::consts::PI).powf(2.0 * order as f64 + 2.0);
        if condition > WORST_BAND {
            return Self::new(differences, response);
        }
        let overlap = |k: usize| stencil.iter().zip(&stencil[k..]).map(|(a, b)| a * b).sum::<f64>();
        let band: Vec<f64> = (0..stencil.len()).map(overlap).collect();
        let in_range = |i: usize| band.iter().enumerate().map(move |(k, h)| if i + k < m { *h } else { 0.0 }).collect();
        let hessian = Arc::new(Banded::new((0..m).map(in_range).collect())?);
        Self::with(differences, response, hessian)
    }

    /// The problem on a graph: D has a row β_a − β_b for each edge (a, b).
    ///
    /// # Errors
    /// As [`TrendFiltering::new`].
    pub fn graph(edges: &[(usize, usize)], response: Vec<f64>) -> Result<Self, AdapterError> {
        let differences: Vec<Difference> = edges.iter().map(|&(a, b)| vec![(a, 1.0), (b, -1.0)]).collect();
        let hessian = Arc::new(gram(&differences, response.len())?.with_sparse_products());
        Self::with(differences, response, hessian)
    }

    fn with(
        differences: Vec<Difference>,
        response: Vec<f64>,
        hessian: Arc<dyn Hessian<f64>>,
    ) -> Result<Self, AdapterError> {
        if let Some(row) = response.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: response[row] });
        }
        if differences.is_empty() {
            return Err(ProblemError::Empty { variables: 0, parameters: 1 }.into());
        }
        Ok(TrendFiltering { differences, response, hessian })
    }

    /// The parametric QP with θ = λ ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let m = self.differences.len();
        let cost = differences_of(&self.differences, &self.response).into_iter().map(|d| -d).collect();
        let bound = |slope| Affine::line(vec![0.0; m], vec![slope; m]);
        let qp = ParametricQp::new(self.hessian.clone(), vec![Range::at_least(0.0)], Affine::constant(cost, 1))?;
        Ok(qp.lower(bound(-1.0))?.upper(bound(1.0))?)
    }

    /// The ray of all λ ≥ 0, or the line from 0 to an end.
    ///
    /// # Errors
    /// As [`TrendFiltering::qp`], and an end that is negative or not finite.
    pub fn line(&self, to: Option<f64>) -> Result<Line<f64>, AdapterError> {
        let qp = self.qp()?;
        Ok(to.map_or_else(|| qp.ray(&[0.0], &[1.0]), |to| qp.line(&[0.0], &[to]))?)
    }

    /// The start at λ = 0: every u at the bound that has the sign of (Dy)ᵢ.
    pub fn start(&self) -> Start<f64> {
        let side = |d: f64| if d < 0.0 { Status::Lower } else { Status::Upper };
        Start::ActiveSet {
            status: differences_of(&self.differences, &self.response).into_iter().map(side).collect(),
            y: None,
        }
    }

    /// The path for all λ ≥ 0. It ends at the last breakpoint, and its last law holds for all larger λ.
    ///
    /// # Errors
    /// As [`TrendFiltering::qp`], and a path that could not be followed.
    pub fn path(&self, settings: &Settings) -> Result<Path<f64>, AdapterError> {
        Ok(trace(&self.line(None)?, &self.start(), settings, &mut ()).map_err(|failure| failure.0)?)
    }

    /// The solution at λ ≥ 0; `None` outside the path.
    pub fn at(&self, path: &Path<f64>, lambda: f64) -> Option<TrendFit> {
        Some(self.fit(lambda, &path.at_parameter(&[lambda])?.x))
    }

    /// The solution that u (m values) stands for.
    pub fn fit(&self, lambda: f64, u: &[f64]) -> TrendFit {
        let mut fitted = self.response.clone();
        for (row, u) in self.differences.iter().zip(u) {
            row.iter().for_each(|(j, d)| fitted[*j] -= d * u);
        }
        let half = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>() / 2.0;
        let off: Vec<f64> = self.response.iter().zip(&fitted).map(|(y, f)| y - f).collect();
        let jumps = differences_of(&self.differences, &fitted);
        let size = |i: &usize| self.differences[*i].iter().map(|(j, d)| (d * fitted[*j]).abs()).sum::<f64>();
        TrendFit {
            lambda,
            knots: (0..jumps.len()).filter(|i| jumps[*i].abs() > FLAT * size(i)).collect(),
            objective: half(&off) + lambda * jumps.iter().map(|d| d.abs()).sum::<f64>(),
            dual_objective: half(&self.response) - half(&fitted),
            fitted,
        }
    }
}
