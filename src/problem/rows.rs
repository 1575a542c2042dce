//! Rows of a problem: bl(θ) ≤ Ax ≤ bu(θ).

use super::Matrix;
use super::{Affine, Bounds, LineRows, ParametricQp, Row, check, finite_entries, mask};
use crate::error::ProblemError;
use crate::hessian::Rows;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;
use std::sync::Arc;

/// Rows as they were given.
#[derive(Clone)]
pub(super) struct Given<S> {
    matrix: Arc<Matrix<S>>,
    lower: Affine<S>,
    upper: Affine<S>,
    has_lower: Vec<bool>,
    has_upper: Vec<bool>,
}

impl<S: Scalar> ParametricQp<S> {
    /// Adds rows bl(θ) ≤ Ax ≤ bu(θ), after those given before. `a` has m rows of n entries, dense or compressed; `lower` and `upper` have m entries each. A row
    /// with bl = bu for all θ is an equality; a row whose constant of bl is −∞ or of bu is ∞ has no such bound. If the only row is an equality, this is the
    /// same as [`ParametricQp::equality`]. Rows may be redundant or depend on each other; whether they contradict each other is found when a path begins.
    ///
    /// ```
    /// use pathqp::{Affine, ParametricQp, Range, Settings, Start, hessian, hessian::Rows, trace};
    /// use std::sync::Arc;
    ///
    /// // A linear program: the largest x₁ + θx₂ with x₁ + x₂ ≤ 4, x₁ + 3x₂ ≤ 6, 0 ≤ x ≤ 3.
    /// let c = Affine::line(vec![-1.0, 0.0], vec![0.0, -1.0]);
    /// let rows = Rows::Dense { columns: 2, values: vec![1.0, 1.0, 1.0, 3.0] };
    /// let none = Affine::constant(vec![f64::NEG_INFINITY; 2], 1);
    /// let qp = ParametricQp::new(Arc::new(hessian::zero(2)?), vec![Range::new(0.5, 4.0)], c)?
    ///     .lower(Affine::constant(vec![0.0; 2], 1))?
    ///     .upper(Affine::constant(vec![3.0; 2], 1))?
    ///     .rows(rows, none, Affine::constant(vec![4.0, 6.0], 1))?;
    /// let line = qp.line(&[0.5], &[4.0])?;
    /// let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).map_err(|failure| failure.0)?;
    /// let corners: Vec<f64> = path.breakpoints().iter().map(|t| path.parameter(t)[0]).collect();
    /// let near = |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
    /// assert!(corners.len() == 1 && near(&corners, &[3.0]));
    /// let point = path.at_parameter(&[2.0]).unwrap();
    /// assert!(near(&point.x, &[3.0, 1.0]) && near(&point.rows, &[0.0, -2.0 / 3.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProblemError`] for wrong shapes; an entry of A that is not finite or given twice, with its row and column; a bound that is NaN or infinite of the
    /// wrong sign; bl > bu somewhere in Θ, with the row and the corner of Θ.
    pub fn rows(mut self, a: Rows<S>, lower: Affine<S>, upper: Affine<S>) -> Result<Self, ProblemError> {
        let matrix = Matrix::new(self.n(), a)?;
        let (m, p) = (matrix.rows(), self.p());
        check("bl", &lower, m, p, true)?;
        check("bu", &upper, m, p, true)?;
        let (has_lower, has_upper) = (finite_entries(&lower, "bl", false)?, finite_entries(&upper, "bu", true)?);
        let given = Given {
            lower: mask(lower, &has_lower),
            upper: mask(upper, &has_upper),
            matrix: Arc::new(matrix),
            has_lower,
            has_upper,
        };
        given.check(&self)?;
        self.rows = Some(match self.rows.take() {
            None => given,
            Some(before) => before.above(given)?,
        });
        self.unite()
    }

    /// Removes the lower bound of a row (for scalars that have no infinity); a row that does not exist is ignored.
    pub fn without_row_lower(mut self, row: usize) -> Self {
        self.as_rows(row);
        if let Some(rows) = self.rows.as_mut().filter(|rows| row < rows.has_lower.len()) {
            rows.has_lower[row] = false;
            rows.lower = mask(rows.lower.clone(), &rows.has_lower);
        }
        self
    }

    /// Removes the upper bound of a row (for scalars that have no infinity); a row that does not exist is ignored.
    pub fn without_row_upper(mut self, row: usize) -> Self {
        self.as_rows(row);
        if let Some(rows) = self.rows.as_mut().filter(|rows| row < rows.has_upper.len()) {
            rows.has_upper[row] = false;
            rows.upper = mask(rows.upper.clone(), &rows.has_upper);
        }
        self
    }

    /// The only row, which is about to lose a bound, is no equality any more.
    fn as_rows(&mut self, row: usize) {
        if let (0, None, Some(equality)) = (row, &self.rows, &self.row)
            && let Ok(given) = Given::of(equality)
        {
            self.rows = Some(given);
            self.row = None;
        }
    }

    /// The number of rows m, a single equality row included.
    pub fn m(&self) -> usize {
        self.rows.as_ref().map_or(usize::from(self.row.is_some()), |rows| rows.matrix.rows())
    }

    /// Whether there are rows other than one equality row.
    pub fn has_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// One equality row is kept as such, and anything else as rows.
    pub(super) fn unite(mut self) -> Result<Self, ProblemError> {
        match (self.rows.take(), self.row.take()) {
            (Some(rows), Some(row)) => {
                self.rows = Some(rows.above(Given::of(&row)?)?);
            }
            (Some(rows), None) => match rows.equality() {
                Some(row) => self.row = Some(row),
                None => self.rows = (rows.matrix.rows() > 0).then_some(rows),
            },
            (None, row) => self.row = row,
        }
        Ok(self)
    }
}

impl<S: Scalar> Given<S> {
    /// One equality.
    fn of(row: &Row<S>) -> Result<Self, ProblemError> {
        let matrix = Matrix::new(row.a.len(), Rows::Dense { columns: row.a.len(), values: row.a.clone() })?;
        let (lower, upper) = (row.b.clone(), row.b.clone());
        Ok(Given { matrix: Arc::new(matrix), lower, upper, has_lower: vec![true], has_upper: vec![true] })
    }

    /// The only row, if it is an equality and not zero.
    fn equality(&self) -> Option<Row<S>> {
        let alone = self.matrix.rows() == 1 && self.has_lower[0] && self.has_upper[0] && self.lower == self.upper;
        let a: Vec<S> = (0..self.matrix.columns()).map(|j| self.matrix.entry(0, j)).collect();
        (alone && a.iter().any(|a| !a.is_zero())).then(|| Row { a, b: self.lower.clone() })
    }

    fn above(self, other: Given<S>) -> Result<Given<S>, ProblemError> {
        let join = |mut a: Affine<S>, b: Affine<S>| {
            a.constant.extend(b.constant);
            a.slopes.iter_mut().zip(b.slopes).for_each(|(a, b)| a.extend(b));
            a
        };
        Ok(Given {
            matrix: Arc::new(self.matrix.above(&other.matrix)?),
            lower: join(self.lower, other.lower),
            upper: join(self.upper, other.upper),
            has_lower: [self.has_lower, other.has_lower].concat(),
            has_upper: [self.has_upper, other.has_upper].concat(),
        })
    }

    /// bl ≤ bu everywhere in Θ.
    fn check(&self, qp: &ParametricQp<S>) -> Result<(), ProblemError> {
        for row in (0..self.matrix.rows()).filter(|&r| self.has_lower[r] && self.has_upper[r]) {
            let mut width = self.upper.constant[row].clone() - &self.lower.constant[row];
            let mut scale = self.upper.constant[row].abs() + self.lower.constant[row].abs();
            let mut corner = Vec::with_capacity(qp.p());
            for (j, range) in qp.domain.iter().enumerate() {
                let slope = self.upper.slopes[j][row].clone() - &self.lower.slopes[j][row];
                match if slope > S::zero() { &range.from } else { &range.to } {
                    Some(end) => {
                        width += slope.clone() * end;
                        scale += (slope * end).abs();
                        corner.push(end.to_string());
                    }
                    None if slope.is_zero() => corner.push("any".into()),
                    None => return Err(ProblemError::CrossedRow { row, corner: vec!["∞".into()] }),
                }
            }
            if width < -(scale * S::tolerance(ROUNDING)) {
                return Err(ProblemError::CrossedRow { row, corner });
            }
        }
        Ok(())
    }

    /// Along a line.
    pub(super) fn along(&self, origin: &[S], direction: &[S]) -> LineRows<S> {
        let side = |v: &Affine<S>, has: &[bool]| {
            let ends = v.at(origin).into_iter().zip(v.along(direction));
            ends.zip(has).map(|((value, slope), &has)| has.then_some([value, slope])).collect::<Vec<_>>()
        };
        let bounds = Bounds { lower: side(&self.lower, &self.has_lower), upper: side(&self.upper, &self.has_upper) };
        LineRows { matrix: self.matrix.clone(), bounds }
    }
}
