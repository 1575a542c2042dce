//! The constrained lasso: rows bl ≤ A w ≤ bu of the coefficients.
//!
//! *Primal* (James, Paulson and Rusmevichientong 2020, doi:10.1080/01621459.2019.1609970, with the sum-to-zero constraint of compositional data, 1ᵀw = 0, among its examples; its path
//! Gaines, Kim and Zhou 2018, doi:10.1080/10618600.2018.1473777; Hu, Zeng and Lin 2015, doi:10.1016/j.csda.2014.12.010, for the generalised lasso):
//!
//! ```text
//! min over w   1/(2n) ‖y − Xw‖² + α‖w‖₁ + ρ/2 ‖w‖²     subject to   bl ≤ A w ≤ bu
//! ```
//!
//! *Map to the engine*: w = S⁻¹(x⁺ − x⁻) as without rows, so that the rows become (AS⁻¹, −AS⁻¹). An intercept does not enter them. *Dual*: with the multipliers
//! u of the rows, and r and ρ as in [`super`], the dual objective has the additional term Σ uᵣ⁺blᵣ − uᵣ⁻buᵣ, and the constraint is |Xᵀr/n − ρw + Aᵀu| ≤ α.
//!
//! *Start*: if w = 0 satisfies the rows it is the solution for α ≥ max |Xᵀy|/n, and for smaller α until the path first turns, because the multipliers of the
//! rows compensate a part of Xᵀy (with 1ᵀw = 0 half the spread of Xᵀy/n remains). If it does not, the solutions from some finite α on are those of the least
//! ‖w‖₁, and a path towards larger α finds this α. Either search is a path of a few events.
//!
//! *Degrees of freedom* (Gaines, Kim and Zhou 2018; Hu, Zeng and Lin 2015): the dimension of the space in which the fit can move, which is the number of
//! non-zero coefficients minus the rank of the active rows in their columns.

use super::Lasso;
use crate::constraints::{Constraints, multipliers};
use crate::error::AdapterError;
use pathqp::observe::{Event, Watch};
use pathqp::{ParametricQp, Path, Point, Settings, Start, trace};
use std::sync::Arc;

/// Beyond so many times an α at which w = 0 would be optimal without rows, X and y have no effect in double precision, and w is that of the least ‖w‖₁.
const FAR: f64 = 1e12;

/// Rows, and the α from which on the coefficients do not change.
#[derive(Clone)]
pub(super) struct LassoRows {
    constraints: Constraints,
    pub settled: f64,
}

impl Lasso {
    /// Adds rows of the coefficients, in the units of X and y. Most of the work is the search for the start of the path.
    ///
    /// # Errors
    /// [`AdapterError`] for another number of columns than X has, for rows that no coefficients satisfy ([`AdapterError::Conflict`]), and for what the engine
    /// refuses.
    pub fn with_rows(self, constraints: Constraints) -> Result<Self, AdapterError> {
        let (expected, found) = (self.columns.count(), constraints.columns());
        if found != expected {
            return Err(AdapterError::TableColumns { table: "rows", found, expected, what: "one a feature" });
        }
        let mut lasso = Lasso { rows: Some(Arc::new(LassoRows { constraints, settled: f64::INFINITY })), ..self };
        let settled = lasso.settled()?;
        if let Some(rows) = lasso.rows.as_mut() {
            Arc::make_mut(rows).settled = settled;
        }
        Ok(lasso)
    }

    /// The rows; `None` if there are none.
    pub fn rows(&self) -> Option<&Constraints> {
        self.rows.as_ref().map(|rows| &rows.constraints)
    }

    /// The problem with its rows.
    pub(super) fn with_rows_of(&self, qp: ParametricQp<f64>) -> Result<ParametricQp<f64>, AdapterError> {
        let Some(rows) = self.rows() else { return Ok(qp) };
        let (d, scales) = (self.columns.count(), self.columns.scales());
        rows.extend(qp, |j, a| [(j, a / scales[j]), (d + j, -a / scales[j])])
    }

    /// The multipliers of the rows at a point, one for each row.
    pub fn multipliers(&self, point: &Point<f64>) -> Vec<f64> {
        self.rows().map_or_else(Vec::new, |rows| multipliers(point, rows.count()))
    }

    /// The α from which on w does not change.
    fn settled(&self) -> Result<f64, AdapterError> {
        let top = self.largest_alone();
        let from = if top > 0.0 { 2.0 * top } else { 1.0 };
        let qp = self.qp()?;
        let follow = |line, watch: &mut dyn FnMut(&Event<'_, f64>) -> bool| {
            let followed = trace(&line, &Start::Anywhere, &Settings::default(), &mut Watch(watch));
            followed.map_err(|failure| self.named(failure.0))
        };
        let upwards = follow(qp.line_about(&[0.0], &[from], &[FAR * from])?, &mut |_| true)?;
        if let Some(last) = upwards.breakpoints().last() {
            return Ok(alpha(&upwards, last));
        }
        let downwards = follow(qp.line_about(&[0.0], &[from], &[0.0])?, &mut |event| !event.breakpoint)?;
        let first = downwards.breakpoints().first().copied();
        Ok(alpha(&downwards, &first.unwrap_or(*downwards.end())))
    }

    /// An error of a path, with the rows by what they are called.
    pub(super) fn named(&self, error: pathqp::PathError) -> AdapterError {
        match self.rows() {
            Some(rows) => rows.named(error, "coefficients", "a row"),
            None => error.into(),
        }
    }

    /// The degrees of freedom at α; the smaller number at a knot.
    pub fn degrees_of_freedom(&self, path: &Path<f64>, alpha: f64) -> usize {
        let Some(rows) = self.rows() else { return self.support(path, alpha) };
        let d = self.columns.count();
        let Some(t) = path.position(&[alpha]) else { return 0 };
        let last = path.segments().partition_point(|segment| segment.t <= t).max(1) - 1;
        let first =
            if path.segments().get(last).is_some_and(|segment| segment.t == t) { last.max(1) - 1 } else { last };
        let all = (first..=last).filter(|k| *k < path.segments().len());
        all.map(|k| rows.free_dimension(path, k, |variable| (variable < 2 * d).then_some(variable % d)))
            .min()
            .unwrap_or(0)
    }
}

fn alpha(path: &Path<f64>, t: &f64) -> f64 {
    path.parameter(t).first().copied().unwrap_or(f64::NAN)
}
