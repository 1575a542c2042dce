//! Rows bl ≤ A w ≤ bu of the weights: limits of sectors, exposures to factors, sums of long and of short positions.

use super::CriticalLine;
use crate::constraints::{Constraints, multipliers};
use crate::error::AdapterError;
use pathqp::{Follower, ParametricQp, PathError, Point, Settings, Start};

impl CriticalLine {
    /// Adds rows of the weights to the budget.
    ///
    /// # Errors
    /// [`AdapterError`] for another number of columns than assets, for rows that no weights within the bounds satisfy ([`AdapterError::Conflict`]), and for
    /// what the engine refuses.
    pub fn with_rows(self, rows: Constraints) -> Result<Self, AdapterError> {
        let (expected, found) = (self.mean.len(), rows.columns());
        if found != expected {
            return Err(AdapterError::TableColumns { table: "rows", found, expected, what: "one an asset" });
        }
        let problem = CriticalLine { rows: Some(rows), ..self };
        let begun = Follower::new(&problem.line()?, &Start::Anywhere, Settings::default()).map(|_| ());
        match begun {
            Err(error @ PathError::InfeasibleRows { .. }) => Err(problem.named(error)),
            // Whatever else ends a path is said where it is followed.
            _ => Ok(problem),
        }
    }

    /// The rows; `None` if there are none.
    pub fn rows(&self) -> Option<&Constraints> {
        self.rows.as_ref()
    }

    /// The problem with its rows, above the budget.
    pub(super) fn with_rows_of(&self, qp: ParametricQp<f64>) -> Result<ParametricQp<f64>, AdapterError> {
        match &self.rows {
            Some(rows) => rows.extend(qp, |j, a| [(j, a)]),
            None => Ok(qp),
        }
    }

    /// The multipliers of the rows at a point, one for each row.
    pub fn multipliers(&self, point: &Point<f64>) -> Vec<f64> {
        self.rows.as_ref().map_or_else(Vec::new, |rows| multipliers(point, rows.count()))
    }

    /// An error of a path, with the rows by what they are called.
    pub(super) fn named(&self, error: PathError) -> AdapterError {
        match &self.rows {
            Some(rows) => rows.named(error, "weights", "the budget"),
            None => error.into(),
        }
    }
}
