//! The ℓ₁-norm SVM: a linear classifier with few features, at every penalty α.
//!
//! *Primal* (Zhu, Rosset, Hastie and Tibshirani 2003, "1-norm support vector machines", NIPS 16, eq. 3–5), with case weights vᵢ (one unless given):
//!
//! ```text
//! min over β, b   Σ vᵢ max(0, 1 − yᵢ(xᵢᵀβ + b)) + α Σⱼ |βⱼ|
//! ```
//!
//! *Dual*, with 0 ≤ aᵢ ≤ vᵢ: the rows with yᵢf(xᵢ) < 1 have aᵢ = vᵢ, those beyond 1 have 0,
//!
//! ```text
//! max over a   Σ aᵢ     s.t.   |Σᵢ aᵢyᵢxᵢⱼ| ≤ α for every feature j,    Σ aᵢyᵢ = 0,    0 ≤ a ≤ v
//! ```
//!
//! *Map to the engine*: x = a, H = 0, c = −1, θ = α, and the rows of A are those of the dual, in units of the lengths of the columns of X (powers of two sⱼ, both exact): −α/sⱼ ≤ Σ aᵢyᵢxᵢⱼ/sⱼ ≤ α/sⱼ, and
//! Σ aᵢyᵢ = 0 if there is an intercept. z = −1 − Aᵀu vanishes where yᵢf(xᵢ) = 1, so that βⱼ = −uⱼ/sⱼ and b = −u₀: the coefficients are the multipliers of the rows.
//!
//! *Along α* the bounds of the dual move. β is a step function of α whose steps are the breakpoints; between them a and the loss are affine. (In the paper the
//! bound on ‖β‖₁ varies instead; that is, between two steps.) At a breakpoint the coefficients on both sides and everything between them are solutions.
//!
//! *Ends*: from α = 1.25 times a value at which β = 0 is a solution (β jumps at the largest α at which it is not zero), down to α = 0.

mod problem;

pub use problem::ENTRY;

use crate::columns::unit;
use crate::constraints::multipliers;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::machine::{check_class_weights, check_labels, check_weights};
use pathqp::hessian::{self, Rows};
use pathqp::{Affine, ParametricQp, Point, Range};
use std::sync::Arc;

/// The ℓ₁-norm SVM on n rows of d features.
#[derive(Clone)]
pub struct L1Svm {
    features: Arc<Features>,
    /// n labels, +1 or −1.
    labels: Vec<f64>,
    /// v, n entries.
    weights: Vec<f64>,
    intercept: bool,
    /// s, d powers of two.
    scales: Vec<f64>,
}

impl L1Svm {
    /// The problem of X (n × d) and n labels +1 or −1, with case weights (one each by default), with or without an intercept.
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree, no features, other labels, a single class, and, with the row, a weight that is negative or not finite.
    pub fn new(
        features: Arc<Features>,
        labels: Vec<f64>,
        weights: Option<Vec<f64>>,
        intercept: bool,
    ) -> Result<Self, AdapterError> {
        let (n, d) = (features.rows(), features.columns());
        let weights = weights.unwrap_or_else(|| vec![1.0; n]);
        if weights.len() != n {
            return Err(AdapterError::Shape { what: "weights", expected: n, found: weights.len() });
        }
        check_labels(&labels, n)?;
        check_weights(&weights)?;
        check_class_weights(&labels, &weights)?;
        if n == 0 || d == 0 {
            return Err(pathqp::ProblemError::Empty { variables: n.min(d), parameters: 1 }.into());
        }
        let mut columns = vec![Vec::new(); d];
        (0..n).for_each(|i| features.row(i).for_each(|j, v| columns[j].push(v)));
        let scales = columns.iter().map(|column| unit(column)).collect();
        Ok(L1Svm { features, labels, weights, intercept, scales })
    }

    /// A, row by row: the products of labels and features in units of the lengths of columns, then the labels.
    fn rows(&self) -> Vec<Vec<(u32, f64)>> {
        let mut rows = vec![Vec::new(); self.scales.len()];
        for (i, y) in self.labels.iter().enumerate() {
            self.features.row(i).for_each(|j, v| rows[j].push((i as u32, y * v / self.scales[j])));
        }
        rows.extend(self.intercept.then(|| self.labels.iter().enumerate().map(|(i, y)| (i as u32, *y)).collect()));
        rows
    }

    /// The parametric linear program with θ = α ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let (n, rows) = (self.labels.len(), self.rows());
        let m = rows.len();
        let starts = std::iter::once(0).chain(rows.iter().scan(0, |sum, row| {
            *sum += row.len();
            Some(*sum)
        }));
        let starts = starts.collect();
        let (indices, values) = rows.into_iter().flatten().unzip();
        let bound = |sign: f64| {
            let share = |r: usize| self.scales.get(r).map_or(0.0, |s| sign / s);
            Affine::line(vec![0.0; m], (0..m).map(share).collect())
        };
        let cost = Affine::constant(vec![-1.0; n], 1);
        let qp = ParametricQp::new(Arc::new(hessian::zero(n)?), vec![Range::at_least(0.0)], cost)?;
        let qp = qp.lower(Affine::constant(vec![0.0; n], 1))?.upper(Affine::constant(self.weights.clone(), 1))?;
        Ok(qp.rows(Rows::Sparse { columns: n, starts, indices, values }, bound(-1.0), bound(1.0))?)
    }

    /// a of a solution with β = 0: in the rarer class v, in the other one v times the factor that gives both classes the same sum. Without an intercept v.
    fn nothing(&self) -> Vec<f64> {
        let total = |sign: f64| -> f64 {
            self.labels.iter().zip(&self.weights).filter(|(y, _)| **y == sign).map(|(_, v)| v).sum()
        };
        let (up, down) = (total(1.0), total(-1.0));
        let share = |y: f64| {
            let own = if y > 0.0 { up } else { down };
            if self.intercept { up.min(down) / own } else { 1.0 }
        };
        self.labels.iter().zip(&self.weights).map(|(y, v)| (v * share(*y)).min(*v)).collect()
    }

    /// A value of α from which on β = 0 is a solution.
    pub fn large_alpha(&self) -> f64 {
        let a = self.nothing();
        let products = self.rows().into_iter().zip(&self.scales).map(|(row, s)| {
            let sum: f64 = row.iter().map(|(i, x)| x * a[*i as usize]).sum();
            (sum * s).abs()
        });
        products.fold(0.0, f64::max)
    }

    /// The coefficients β (d entries) and the intercept b at a point.
    pub fn coefficients(&self, point: &Point<f64>) -> (Vec<f64>, f64) {
        let d = self.scales.len();
        let u = multipliers(point, d + usize::from(self.intercept));
        // 0 − u, so that no zero is negative.
        let w = u.iter().zip(&self.scales).map(|(u, s)| (0.0 - u) / s).collect();
        (w, u.get(d).map_or(0.0, |u| 0.0 - u))
    }

    /// The loss Σ vᵢ max(0, 1 − yᵢf(xᵢ)) with the coefficients `w` (d entries).
    pub fn loss(&self, w: &[f64], intercept: f64) -> f64 {
        let margin = |i: usize| self.labels[i] * (self.features.row(i).dot(w) + intercept);
        (0..self.labels.len()).map(|i| self.weights[i] * (1.0 - margin(i)).max(0.0)).sum()
    }
}
