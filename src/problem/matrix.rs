//! The matrix A of the rows, stored by rows and by columns.

use crate::error::ProblemError;
use crate::hessian::Rows;
use crate::scalar::Scalar;

/// The m × n matrix A of the rows, dense or sparse. Pricing and the basis read its columns, the value of a row its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<S> {
    rows: usize,
    columns: usize,
    entries: Entries<S>,
}

#[derive(Clone, Debug, PartialEq)]
enum Entries<S> {
    /// Column-major.
    Dense(Vec<S>),
    /// Both ways round.
    Sparse { by_row: Compressed<S>, by_column: Compressed<S> },
}

/// Compressed rows (or columns).
#[derive(Clone, Debug, PartialEq)]
struct Compressed<S> {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<S>,
}

impl<S: Scalar> Compressed<S> {
    /// The entries of `lines`, each a list of (index, value), with their indices in order.
    fn new(lines: Vec<Vec<(u32, S)>>) -> Self {
        let mut out = Compressed { starts: vec![0], indices: Vec::new(), values: Vec::new() };
        for mut line in lines {
            line.sort_by_key(|entry| entry.0);
            for (j, v) in line {
                out.indices.push(j);
                out.values.push(v);
            }
            out.starts.push(out.values.len());
        }
        out
    }

    fn line(&self, i: usize) -> (&[u32], &[S]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    fn scale(&mut self, lines: &[S], across: &[S]) {
        for (i, line) in lines.iter().enumerate() {
            for k in self.starts[i]..self.starts[i + 1] {
                self.values[k] = self.values[k].clone() * line * &across[self.indices[k] as usize];
            }
        }
    }

    fn entry(&self, i: usize, j: usize) -> S {
        let (indices, values) = self.line(i);
        indices.binary_search(&(j as u32)).map_or_else(|_| S::zero(), |k| values[k].clone())
    }
}

impl<S: Scalar> Matrix<S> {
    /// From m rows of `n` entries, dense (row-major) or compressed.
    ///
    /// # Errors
    /// Shapes that do not agree, a column out of range or twice in a row, an entry that is not finite (with its row and column).
    pub(crate) fn new(n: usize, given: Rows<S>) -> Result<Self, ProblemError> {
        let not_finite =
            |row: usize, column: usize, v: &S| ProblemError::RowEntry { row, column, value: v.to_string() };
        match given {
            Rows::Dense { columns, values } => {
                let uneven = columns != n || !values.len().is_multiple_of(n);
                if uneven {
                    return Err(ProblemError::Shape { what: "a row of A", expected: n, found: columns });
                }
                if let Some(k) = values.iter().position(|v| !v.is_finite_number()) {
                    return Err(not_finite(k / n, k % n, &values[k]));
                }
                let m = values.len() / n;
                let by_column =
                    (0..n).flat_map(|j| (0..m).map(move |r| r * n + j)).map(|k| values[k].clone()).collect();
                Ok(Matrix { rows: m, columns: n, entries: Entries::Dense(by_column) })
            }
            Rows::Sparse { columns, starts, indices, values } => {
                if columns != n {
                    return Err(ProblemError::Shape { what: "a row of A", expected: n, found: columns });
                }
                let (m, last) = (starts.len().saturating_sub(1), starts.last().copied().unwrap_or(0));
                let ordered = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
                if !ordered || last != values.len() || indices.len() != values.len() {
                    return Err(ProblemError::Shape { what: "row starts of A", expected: values.len(), found: last });
                }
                let mut lines: Vec<Vec<(u32, S)>> = vec![Vec::new(); m];
                let mut across: Vec<Vec<(u32, S)>> = vec![Vec::new(); n];
                for row in 0..m {
                    for k in starts[row]..starts[row + 1] {
                        let (j, v) = (indices[k] as usize, &values[k]);
                        if j >= n {
                            return Err(ProblemError::Shape { what: "a row of A", expected: n, found: j + 1 });
                        }
                        if across[j].last().is_some_and(|last| last.0 as usize == row) || !v.is_finite_number() {
                            return Err(not_finite(row, j, v));
                        }
                        lines[row].push((j as u32, v.clone()));
                        across[j].push((row as u32, v.clone()));
                    }
                }
                let entries = Entries::Sparse { by_row: Compressed::new(lines), by_column: Compressed::new(across) };
                Ok(Matrix { rows: m, columns: n, entries })
            }
        }
    }

    /// The number of rows m.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns n.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Calls `visit` with (row, entry) of every stored entry of column j.
    #[inline]
    pub fn for_column(&self, j: usize, mut visit: impl FnMut(usize, &S)) {
        match &self.entries {
            Entries::Dense(values) => {
                values[j * self.rows..(j + 1) * self.rows].iter().enumerate().for_each(|(r, v)| visit(r, v));
            }
            Entries::Sparse { by_column, .. } => {
                let (rows, values) = by_column.line(j);
                rows.iter().zip(values).for_each(|(&r, v)| visit(r as usize, v));
            }
        }
    }

    /// Calls `visit` with (column, entry) of every stored entry of a row.
    pub fn for_row(&self, row: usize, mut visit: impl FnMut(usize, &S)) {
        match &self.entries {
            Entries::Dense(values) => {
                values.iter().skip(row).step_by(self.rows).enumerate().for_each(|(j, v)| visit(j, v));
            }
            Entries::Sparse { by_row, .. } => {
                let (columns, values) = by_row.line(row);
                columns.iter().zip(values).for_each(|(&j, v)| visit(j as usize, v));
            }
        }
    }

    /// The entry Aᵣⱼ.
    pub fn entry(&self, row: usize, j: usize) -> S {
        match &self.entries {
            Entries::Dense(values) => values[j * self.rows + row].clone(),
            Entries::Sparse { by_column, .. } => by_column.entry(j, row),
        }
    }

    /// The product of column j with a vector y of m entries.
    #[inline]
    pub fn column_dot(&self, j: usize, y: &[S]) -> S {
        match &self.entries {
            Entries::Dense(values) => S::dot(&values[j * self.rows..(j + 1) * self.rows], y),
            Entries::Sparse { .. } => {
                let mut sum = S::zero();
                self.for_column(j, |r, v| sum += v.clone() * &y[r]);
                sum
            }
        }
    }

    /// The product of a row with a vector x of n entries, summed in twice the working precision.
    pub fn row_dot(&self, row: usize, x: &[S]) -> S {
        let (mut high, mut low) = (S::zero(), S::zero());
        self.for_row(row, |j, v| S::accumulate(&mut high, &mut low, v, &x[j]));
        high + low
    }

    /// Every entry times the factors of its row and column.
    pub(crate) fn scaled(&self, rows: &[S], columns: &[S]) -> Matrix<S> {
        let mut scaled = self.clone();
        match &mut scaled.entries {
            Entries::Dense(values) => {
                for (column, d) in values.chunks_mut(self.rows.max(1)).zip(columns) {
                    column.iter_mut().zip(rows).for_each(|(v, e)| *v = v.clone() * e * d);
                }
            }
            Entries::Sparse { by_row, by_column } => {
                by_row.scale(rows, columns);
                by_column.scale(columns, rows);
            }
        }
        scaled
    }

    /// The same matrix in another scalar.
    pub(crate) fn map<T: Scalar>(&self, number: impl Fn(&S) -> T) -> Matrix<T> {
        let all = |values: &[S]| values.iter().map(&number).collect::<Vec<T>>();
        let compressed = |c: &Compressed<S>| Compressed {
            starts: c.starts.clone(),
            indices: c.indices.clone(),
            values: all(&c.values),
        };
        let entries = match &self.entries {
            Entries::Dense(values) => Entries::Dense(all(values)),
            Entries::Sparse { by_row, by_column } => {
                Entries::Sparse { by_row: compressed(by_row), by_column: compressed(by_column) }
            }
        };
        Matrix { rows: self.rows, columns: self.columns, entries }
    }

    /// This one above another with as many columns: sparse unless both are dense.
    pub(crate) fn above(&self, other: &Matrix<S>) -> Result<Matrix<S>, ProblemError> {
        let n = self.columns;
        if let (Entries::Dense(_), Entries::Dense(_)) = (&self.entries, &other.entries) {
            let mut values = Vec::with_capacity((self.rows + other.rows) * n);
            for part in [self, other] {
                (0..part.rows).for_each(|r| values.extend((0..n).map(|j| part.entry(r, j))));
            }
            return Matrix::new(n, Rows::Dense { columns: n, values });
        }
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for part in [self, other] {
            for r in 0..part.rows {
                part.for_row(r, |j, v| {
                    if !v.is_zero() {
                        indices.push(j as u32);
                        values.push(v.clone());
                    }
                });
                starts.push(values.len());
            }
        }
        Matrix::new(n, Rows::Sparse { columns: n, starts, indices, values })
    }
}
