//! Rows that a user adds to a problem: bl ≤ A v ≤ bu for its n values v (coefficients, or weights of assets), constant along the path. A row with bl = bu is an
//! equality.
//!
//! *As data* ([`Spec`]): the tables `rows` (A, m × n, with the names of its columns if they have names), `row_lower` and `row_upper` (one line for each bound:
//! its row counted from zero, its value, and a rate of zero), and the list `row_lines` (the line of each row in its file) or
//! `row_numbers` (its number there, from one, where a file has no lines).
//!
//! Multipliers y have the engine's signs: yᵣ ≥ 0 where the row is at blᵣ, ≤ 0 at buᵣ, 0 where it is inactive. What the rows add to the dual objective is
//!
//! ```text
//! Σᵣ yᵣ⁺ blᵣ − yᵣ⁻ buᵣ
//! ```

use crate::critical_line::Assets;
use crate::dataset::{BoundedRows, Features};
use crate::error::AdapterError;
use crate::qp::{engine_rows, read_bounds};
use crate::span::Span;
use crate::spec::{Spec, Table};
use pathqp::hessian::Rows;
use pathqp::{Affine, ParametricQp, Path, PathError, Point};

/// The names of their tables and lists in a description.
const TABLES: [&str; 3] = ["rows", "row_lower", "row_upper"];
const LINES: &str = "row_lines";
const NUMBERS: &str = "row_numbers";

/// m rows bl ≤ A v ≤ bu of n values.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraints {
    matrix: Features,
    /// m entries; infinite where there is none.
    bounds: [Vec<f64>; 2],
    /// What each row is called in a message.
    labels: Vec<String>,
}

/// Puts rows read from a file into a description.
pub fn describe(rows: BoundedRows, spec: &mut Spec) {
    let bounds = [rows.lower, rows.upper].map(|bounds| {
        let given = bounds.iter().enumerate().filter_map(|(r, bound)| bound.map(|bound| [r as f64, bound, 0.0]));
        let values: Vec<f64> = given.flatten().collect();
        Table { names: None, values: Features::Dense { rows: values.len() / 3, columns: 3, values } }
    });
    let tables = [Table { names: rows.names, values: rows.matrix }].into_iter().chain(bounds);
    spec.tables.extend(TABLES.into_iter().map(str::to_owned).zip(tables));
    let places = if rows.by_number { NUMBERS } else { LINES };
    spec.lists.insert(places.into(), rows.lines.iter().map(|line| *line as f64).collect());
}

impl Constraints {
    /// Rows from A (m × n) and bounds (m entries each, infinite where there is none).
    ///
    /// # Errors
    /// [`AdapterError`] for lengths that do not agree; with the row for a bound that is NaN or infinite of the wrong sign, and for a lower bound above the
    /// upper one.
    pub fn new(matrix: Features, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, AdapterError> {
        let labels = (0..matrix.rows()).map(|row| format!("row {row}")).collect();
        Constraints { matrix, bounds: [lower, upper], labels }.checked()
    }

    fn checked(self) -> Result<Self, AdapterError> {
        let expected = self.matrix.rows();
        for (what, bounds) in ["lower bounds", "upper bounds"].into_iter().zip(&self.bounds) {
            if bounds.len() != expected {
                return Err(AdapterError::RowBounds { what, expected, found: bounds.len() });
            }
        }
        for (row, (&lower, &upper)) in self.labels.iter().zip(self.bounds[0].iter().zip(&self.bounds[1])) {
            // NaN is not ordered.
            if !(lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY) {
                return Err(AdapterError::RowCrossed { row: row.clone(), lower, upper });
            }
        }
        Ok(self)
    }

    /// The rows of a description for n values; `None` if it has none. `what` says in errors which columns are needed. `place` finds from the names of the
    /// columns which column belongs to each value, see [`Assets::place`].
    ///
    /// # Errors
    /// As [`Constraints::new`]; also for names that cannot be matched, and another number of columns than n.
    pub fn of(
        spec: &Spec,
        (n, what): (usize, &'static str),
        place: impl FnOnce(Option<&[String]>) -> Result<Option<Vec<usize>>, AdapterError>,
    ) -> Result<Option<Self>, AdapterError> {
        let [table, lower, upper] = TABLES;
        let Some(rows) = spec.tables.get(table) else { return Ok(None) };
        let order = place(rows.names.as_deref())?;
        let found = rows.values.columns();
        if found != n {
            return Err(AdapterError::TableColumns { table, found, expected: n, what });
        }
        let matrix = order.map_or_else(|| rows.values.clone(), |order| rows.values.select_columns(&order));
        let m = matrix.rows();
        let side = |name: &str, none: f64| -> Result<Vec<f64>, AdapterError> {
            Ok(read_bounds(spec, name, m)?.into_iter().map(|bound| bound.map_or(none, |[value, _]| value)).collect())
        };
        let bounds = [side(lower, f64::NEG_INFINITY)?, side(upper, f64::INFINITY)?];
        let places = |name: &str| spec.lists.get(name).filter(|places| places.len() == m);
        let label = |row: usize| match (places(LINES), places(NUMBERS)) {
            (Some(lines), _) => format!("line {}", lines[row]),
            (None, Some(numbers)) => format!("row {}", numbers[row]),
            (None, None) => format!("row {row}"),
        };
        let rows = Constraints { matrix, bounds, labels: (0..m).map(label).collect() };
        rows.checked().map(Some).map_err(|error| AdapterError::Table { table, error: Box::new(error) })
    }

    /// The rows of a description for the coefficients of its features: columns are matched by name where both the rows and the features have names, by position
    /// otherwise.
    ///
    /// # Errors
    /// As [`Constraints::of`].
    pub fn of_features(spec: &Spec) -> Result<Option<Self>, AdapterError> {
        Constraints::of(spec, (spec.rows.features.columns(), "one a feature"), |names| {
            let mut features = Assets::default();
            features.place(spec.names.as_deref())?;
            let placed = features.place(names.filter(|_| spec.names.is_some()));
            placed.map_err(|error| AdapterError::Table { table: TABLES[0], error: Box::new(error) })
        })
    }

    /// The number of rows m.
    pub fn count(&self) -> usize {
        self.labels.len()
    }

    /// The number of values n.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }

    /// Adds the rows to a problem whose variables x the values v are made of: for entry a of column j, `entries(j, a)` gives the variables it belongs to and
    /// the coefficient of each.
    ///
    /// # Errors
    /// What [`ParametricQp::rows`] refuses.
    pub fn extend<I: IntoIterator<Item = (usize, f64)>>(
        &self,
        qp: ParametricQp<f64>,
        entries: impl Fn(usize, f64) -> I,
    ) -> Result<ParametricQp<f64>, AdapterError> {
        let n = qp.n();
        let mut values = Vec::new();
        let (mut starts, mut indices) = (vec![0], Vec::new());
        let is_dense = matches!(self.matrix, Features::Dense { .. });
        for r in 0..self.count() {
            let mut row = Vec::new();
            self.matrix.row(r).for_each(|j, a| row.extend(entries(j, a)));
            row.sort_unstable_by_key(|entry: &(usize, f64)| entry.0);
            if is_dense {
                values.resize((r + 1) * n, 0.0);
                row.into_iter().for_each(|(k, a)| values[r * n + k] = a);
            } else {
                indices.extend(row.iter().map(|(k, _)| *k as u32));
                values.extend(row.iter().map(|(_, a)| a));
                starts.push(indices.len());
            }
        }
        let matrix = match is_dense {
            true => engine_rows(&Features::Dense { rows: self.count(), columns: n, values }),
            false => Rows::Sparse { columns: n, starts, indices, values },
        };
        let p = qp.p();
        let [lower, upper] = self.bounds.clone().map(|bounds| Affine::constant(bounds, p));
        Ok(qp.rows(matrix, lower, upper)?)
    }

    /// The contribution Σᵣ yᵣ⁺ blᵣ − yᵣ⁻ buᵣ of the rows to the dual objective. A multiplier of a missing bound is rounding and is left out.
    pub fn dual(&self, multipliers: &[f64]) -> f64 {
        let bound = |r: usize, y: f64| self.bounds[usize::from(y < 0.0)][r];
        let terms = multipliers.iter().enumerate().take(self.count()).filter(|(_, y)| **y != 0.0);
        terms.map(|(r, &y)| (y, bound(r, y))).filter(|(_, bound)| bound.is_finite()).map(|(y, bound)| y * bound).sum()
    }

    /// The dimension in which the values can move on a segment of a path: the number of free variables minus the rank of the active rows in their columns.
    /// `value` gives the value that a variable is part of, if any.
    pub fn free_dimension(&self, path: &Path<f64>, segment: usize, value: impl Fn(usize) -> Option<usize>) -> usize {
        let free: Vec<usize> = path.free_on(segment).iter().filter_map(|&k| value(k as usize)).collect();
        let status = path.row_status_on(segment);
        let mut span = Span::default();
        let mut row = vec![0.0; self.columns()];
        // One equality alone has no status, and is always at its bound.
        for r in (0..self.count()).filter(|&r| status.get(r).is_none_or(|status| *status != pathqp::Status::Free)) {
            self.matrix.dense_row(r, &mut row);
            span.take(&free.iter().map(|&j| row[j]).collect::<Vec<f64>>());
        }
        free.len() - span.dimension()
    }

    /// The error of a path whose first m rows are these, with the names of rows that cannot be satisfied together. `what` says what the rows belong to,
    /// `beyond` what the other rows of the path are.
    pub fn named(&self, error: PathError, what: &'static str, beyond: &'static str) -> AdapterError {
        let PathError::InfeasibleRows { weights } = error else { return error.into() };
        let label = |row: usize| self.labels.get(row).map_or(beyond.to_owned(), String::clone);
        let rows = weights.into_iter().map(|(row, weight)| (label(row), weight)).collect();
        let error = Box::new(AdapterError::Conflict { what, rows });
        AdapterError::Table { table: TABLES[0], error }
    }
}

/// The multipliers of the m rows at a point; −0 becomes 0. The multiplier of a single equality row is read from `y`.
pub fn multipliers(point: &Point<f64>, m: usize) -> Vec<f64> {
    let alone = point.rows.is_empty();
    (0..m).map(|r| if alone { point.y } else { point.rows[r] } + 0.0).collect()
}
