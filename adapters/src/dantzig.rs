//! The Dantzig selector: the least ‖β‖₁ among coefficients whose residuals have small correlations with all columns, at every bound α.
//!
//! *Primal* (Candès and Tao 2007, doi:10.1214/009053606000001523, eq. 1.7; its path James, Radchenko and Lv 2009, doi:10.1111/j.1467-9868.2008.00668.x):
//!
//! ```text
//! min over β   ‖β‖₁     subject to   |Xᵀ(y − Xβ)|ⱼ ≤ α for every column j
//! ```
//!
//! with X and y centred if there is an intercept. α corresponds to nα of the lasso in scikit-learn's scale: at that penalty the coefficients of the lasso
//! satisfy the same
//! bounds, and have a ‖β‖₁ at least as large.
//!
//! *Map to the engine*: a linear program in x = (S(β⁺, β⁻), r), θ = α, with S powers of two near the lengths of the columns, X̃ = XS⁻¹ (columns.rs), and r = y − Xβ without bounds,
//!
//! ```text
//! X̃β̃ + r = y,        −α/sⱼ ≤ X̃ⱼᵀr ≤ α/sⱼ,        cost 1/sⱼ for β̃ⱼ⁺ and β̃ⱼ⁻
//! ```
//!
//! This says XᵀXβ + s = Xᵀy, −α ≤ s ≤ α, with s = Xᵀr. In this form X is not squared, and at α = 0 with more columns than rows r is exactly zero instead of a
//! solution of Xᵀr = 0 up to rounding. With more rows than columns R and Qᵀy from X̃ = QR take the places of X̃ and y.
//!
//! *Ends*: from α = max |Xᵀy|, where β = 0, down to 0. β is piecewise linear in α where it is unique; where it is not, one of the solutions is followed.

mod problem;

pub use problem::ENTRY;

use crate::columns::Columns;
use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::hessian::{self, Rows};
use pathqp::{Affine, ParametricQp, Point, Range};
use std::sync::Arc;

/// The Dantzig selector on n rows with d columns.
#[derive(Clone)]
pub struct Dantzig {
    columns: Columns,
    intercept: bool,
    /// X̃ or R, column by column, and y or Qᵀy: k entries a column.
    reduced: (Vec<f64>, Vec<f64>),
}

impl Dantzig {
    /// The problem of X (n × d) and y (n values), with or without an intercept.
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree, no rows or columns, and a response that is not finite.
    pub fn new(features: &Features, response: Vec<f64>, intercept: bool) -> Result<Self, AdapterError> {
        let columns = Columns::new(features, response, intercept)?;
        Ok(Dantzig { reduced: columns.reduced(), columns, intercept })
    }

    /// The least α at which β = 0: max |Xᵀy|.
    pub fn largest_alpha(&self) -> f64 {
        let products = self.columns.products(&self.columns.response);
        products.iter().zip(self.columns.scales()).fold(0.0, |m, (g, s)| (g * s).abs().max(m))
    }

    /// The parametric linear program with θ = α ∈ [0, ∞).
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let ((matrix, y), d) = (&self.reduced, self.columns.count());
        let (k, none) = (y.len(), f64::INFINITY);
        let n = 2 * d + k;
        let shares: Vec<f64> = self.columns.scales().iter().map(|s| 1.0 / s).collect();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
            for (j, a) in entries.filter(|(_, a)| *a != 0.0) {
                indices.push(j as u32);
                values.push(a);
            }
            starts.push(indices.len());
        };
        for i in 0..k {
            let entry = |j: usize| matrix[j * k + i];
            let halves = (0..d).map(|j| (j, entry(j))).chain((0..d).map(|j| (d + j, -entry(j))));
            row(&mut halves.chain([(2 * d + i, 1.0)]));
        }
        for column in matrix.chunks(k) {
            row(&mut column.iter().enumerate().map(|(i, a)| (2 * d + i, *a)));
        }
        let cost = [shares.as_slice(), &shares, &vec![0.0; k]].concat();
        let lower = [vec![0.0; 2 * d], vec![-none; k]].concat();
        let bound = |sign: f64| {
            let slope = [vec![0.0; k], shares.iter().map(|s| sign * s).collect()].concat();
            Affine::line([y.as_slice(), &vec![0.0; d]].concat(), slope)
        };
        let domain = vec![Range::at_least(0.0)];
        let qp = ParametricQp::new(Arc::new(hessian::zero(n)?), domain, Affine::constant(cost, 1))?;
        let rows = Rows::Sparse { columns: n, starts, indices, values };
        Ok(qp.lower(Affine::constant(lower, 1))?.rows(rows, bound(-1.0), bound(1.0))?)
    }

    /// The coefficients β (d entries, in the units of X and y) and the intercept at a point. What rounding leaves below zero counts as zero.
    pub fn coefficients(&self, point: &Point<f64>) -> (Vec<f64>, f64) {
        let d = self.columns.count();
        let half = |part: usize| point.x.iter().skip(part * d).take(d).map(|x| x.max(0.0));
        let scaled: Vec<f64> = half(0).zip(half(1)).map(|(a, b)| a - b).collect();
        let w = self.columns.in_own_units(&scaled);
        let intercept = self.columns.intercept(&w);
        (w, intercept)
    }
}
