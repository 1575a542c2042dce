//! The feature matrix, dense or sparse by rows.

use serde::{Deserialize, Serialize};

use super::violations::{FeaturesViolation, dense_violations, sparse_violations};

/// The number of partial sums in a dense inner product; they make it independent of the latency of an addition.
const LANES: usize = 8;

/// A matrix of features, n rows × d columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Features {
    /// Every entry is stored.
    Dense {
        /// The number of rows n.
        rows: usize,
        /// The number of columns d.
        columns: usize,
        /// The entries, row after row, length n · d.
        values: Vec<f64>,
    },
    /// Compressed rows: row `i` has `values[k]` in column `indices[k]` for k from `starts[i]` up to, without,
    /// `starts[i + 1]`, and 0 elsewhere.
    Sparse {
        /// The number of rows n.
        rows: usize,
        /// The number of columns d.
        columns: usize,
        /// Where each row starts, length n + 1, the first 0 and the last the number of stored entries.
        starts: Vec<usize>,
        /// The columns (from 0) of the stored entries, strictly increasing along a row.
        indices: Vec<u32>,
        /// The stored entries.
        values: Vec<f64>,
    },
}

impl Features {
    /// The number of rows n.
    pub fn rows(&self) -> usize {
        match self {
            Features::Dense { rows, .. } | Features::Sparse { rows, .. } => *rows,
        }
    }

    /// The number of columns d.
    pub fn columns(&self) -> usize {
        match self {
            Features::Dense { columns, .. } | Features::Sparse { columns, .. } => *columns,
        }
    }

    /// The number of entries that are not zero; a zero that a sparse matrix stores does not count.
    pub fn nonzeros(&self) -> usize {
        let (Features::Dense { values, .. } | Features::Sparse { values, .. }) = self;
        values.iter().filter(|&&value| value != 0.0).count()
    }

    /// The share of entries that are not zero, from 0 to 1; 0 for a matrix without entries.
    pub fn density(&self) -> f64 {
        let entries = self.rows() as f64 * self.columns() as f64;
        if entries > 0.0 { self.nonzeros() as f64 / entries } else { 0.0 }
    }

    /// Row `i`, from 0.
    ///
    /// # Panics
    ///
    /// When `i` is not below n, or when the matrix has [violations](Self::violations).
    pub fn row(&self, i: usize) -> Row<'_> {
        match self {
            Features::Dense { columns, values, .. } => Row::Dense(&values[i * columns..(i + 1) * columns]),
            Features::Sparse { starts, indices, values, .. } => {
                let range = starts[i]..starts[i + 1];
                Row::Sparse(&indices[range.clone()], &values[range])
            }
        }
    }

    /// Writes row `i` (from 0) to `out`, of length d, zeros included.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row), and when `out` is not of length d.
    pub fn dense_row(&self, i: usize, out: &mut [f64]) {
        assert_eq!(out.len(), self.columns(), "one place per column in dense_row");
        match self.row(i) {
            Row::Dense(values) => out.copy_from_slice(values),
            sparse @ Row::Sparse(..) => {
                out.fill(0.0);
                sparse.for_each(|j, value| out[j] = value);
            }
        }
    }

    /// The same matrix with every entry stored. Takes n · d · 8 bytes.
    pub fn to_dense(&self) -> Features {
        let (rows, columns) = (self.rows(), self.columns());
        let values = match self {
            Features::Dense { values, .. } => values.clone(),
            Features::Sparse { .. } => {
                let mut values = vec![0.0; rows * columns];
                for i in 0..rows {
                    let offset = i * columns;
                    self.row(i).for_each(|j, value| values[offset + j] = value);
                }
                values
            }
        };
        Features::Dense { rows, columns, values }
    }

    /// The same matrix with only the entries stored that are not zero.
    pub fn to_sparse(&self) -> Features {
        let mut out = SparseRows::new(self.columns());
        for i in 0..self.rows() {
            self.row(i).for_each(|j, value| out.push(j, value));
            out.end_row();
        }
        out.finish()
    }

    /// The same matrix, stored dense when more than a third of the entries are not zero and sparse otherwise. A sparse
    /// entry takes 12 bytes and an indirect access, a dense one 8.
    pub fn compact(self) -> Features {
        let entries = self.rows() as u128 * self.columns() as u128;
        let nonzeros = self.nonzeros();
        let dense = 3 * nonzeros as u128 > entries;
        match &self {
            Features::Dense { .. } if dense => self,
            Features::Sparse { values, .. } if !dense && values.len() == nonzeros => self,
            _ if dense => self.to_dense(),
            _ => self.to_sparse(),
        }
    }

    /// The matrix of the given rows (from 0), in the given order; a row may be given more than once. The storage stays
    /// dense or sparse.
    ///
    /// # Panics
    ///
    /// As [`row`](Self::row), for each of the rows.
    pub fn select_rows(&self, rows: &[usize]) -> Features {
        let columns = self.columns();
        match self {
            Features::Dense { .. } => {
                let mut values = Vec::with_capacity(rows.len() * columns);
                for &i in rows {
                    self.row(i).for_each(|_, value| values.push(value));
                }
                Features::Dense { rows: rows.len(), columns, values }
            }
            Features::Sparse { .. } => {
                let mut out = SparseRows::new(columns);
                for &i in rows {
                    self.row(i).for_each(|j, value| out.push(j, value));
                    out.end_row();
                }
                out.finish()
            }
        }
    }

    /// The dense matrix of the given columns (from 0), in the given order.
    ///
    /// # Panics
    ///
    /// For a column that does not exist.
    pub fn select_columns(&self, columns: &[usize]) -> Features {
        let mut row = vec![0.0; self.columns()];
        let mut values = Vec::with_capacity(self.rows() * columns.len());
        for i in 0..self.rows() {
            self.dense_row(i, &mut row);
            values.extend(columns.iter().map(|&j| row[j]));
        }
        Features::Dense { rows: self.rows(), columns: columns.len(), values }
    }

    /// The matrix [X, v·1] of n rows × d + 1 columns, the last one constant. The storage stays dense or sparse.
    pub fn append_constant_column(&self, value: f64) -> Features {
        let (rows, columns) = (self.rows(), self.columns());
        match self {
            Features::Dense { .. } => {
                let mut values = Vec::with_capacity(rows * (columns + 1));
                for i in 0..rows {
                    self.row(i).for_each(|_, entry| values.push(entry));
                    values.push(value);
                }
                Features::Dense { rows, columns: columns + 1, values }
            }
            Features::Sparse { .. } => {
                let mut out = SparseRows::new(columns + 1);
                for i in 0..rows {
                    self.row(i).for_each(|j, entry| out.push(j, entry));
                    out.push(columns, value);
                    out.end_row();
                }
                out.finish()
            }
        }
    }

    /// Everything that is wrong with the storage; empty for every matrix that this crate makes. Check it for a matrix
    /// that was put together by hand or deserialised.
    pub fn violations(&self) -> Vec<FeaturesViolation> {
        match self {
            Features::Dense { rows, columns, values } => dense_violations(*rows, *columns, values),
            Features::Sparse { rows, columns, starts, indices, values } => {
                sparse_violations(*rows, *columns, starts, indices, values)
            }
        }
    }
}

/// One row of a feature matrix, of length d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    /// All d entries.
    Dense(&'a [f64]),
    /// The columns (from 0), strictly increasing, and the values of the stored entries.
    Sparse(&'a [u32], &'a [f64]),
}

impl Row<'_> {
    /// The inner product with `other`, of length d.
    ///
    /// # Panics
    ///
    /// For a sparse row, when `other` ends before the last stored entry. A dense row is compared up to the shorter
    /// length.
    pub fn dot(&self, other: &[f64]) -> f64 {
        match self {
            Row::Dense(values) => dense_dot(values, other),
            Row::Sparse(indices, values) => {
                indices.iter().zip(*values).map(|(&j, value)| value * other[j as usize]).sum()
            }
        }
    }

    /// The inner product of the row with itself.
    pub fn norm_squared(&self) -> f64 {
        let (Row::Dense(values) | Row::Sparse(_, values)) = self;
        dense_dot(values, values)
    }

    /// Calls `visit` with the column (from 0) and the value of each stored entry, in the order of the columns.
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match self {
            Row::Dense(values) => {
                for (j, &value) in values.iter().enumerate() {
                    visit(j, value);
                }
            }
            Row::Sparse(indices, values) => {
                for (&j, &value) in indices.iter().zip(*values) {
                    visit(j as usize, value);
                }
            }
        }
    }
}

fn dense_dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a_chunks, a_rest) = a[..length].as_chunks::<LANES>();
    let (b_chunks, b_rest) = b[..length].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// Rows of a sparse matrix under construction.
pub(super) struct SparseRows {
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl SparseRows {
    /// No rows, of `columns` columns.
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, starts: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// Adds an entry to the row under way, right of those it has; zeros are left out.
    pub(super) fn push(&mut self, column: usize, value: f64) {
        if value != 0.0 {
            // A dense row of more than 2^32 entries takes 32 GB, and the indices of sparse text are limited.
            debug_assert!(u32::try_from(column).is_ok());
            self.indices.push(column as u32);
            self.values.push(value);
        }
    }

    /// Ends the row under way.
    pub(super) fn end_row(&mut self) {
        self.starts.push(self.indices.len());
    }

    /// The matrix of the rows that were ended.
    pub(super) fn finish(self) -> Features {
        Features::Sparse {
            rows: self.starts.len() - 1,
            columns: self.columns,
            starts: self.starts,
            indices: self.indices,
            values: self.values,
        }
    }
}
