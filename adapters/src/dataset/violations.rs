//! The invariants of the feature matrix.

use thiserror::Error;

use super::number::has_finite_square;

/// One thing that is wrong with the storage of a [`Features`](super::Features). Rows and columns count from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FeaturesViolation {
    /// A dense matrix does not store rows × columns values.
    #[error("{found} values stored, {rows} x {columns} expected")]
    ValueCount {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
        /// The number of values stored.
        found: usize,
    },
    /// A sparse matrix does not store rows + 1 starts.
    #[error("{found} row starts stored, one more than {rows} expected")]
    StartCount {
        /// The number of rows.
        rows: usize,
        /// The number of starts stored.
        found: usize,
    },
    /// A row does not start where the one before it ends, counted from 0, or ends before it starts.
    #[error("row {row} does not start at or after the start of the row before it")]
    StartOrder {
        /// The row; the number of rows stands for the end of the last row.
        row: usize,
    },
    /// The last row does not end at the number of stored entries, or there are not as many indices as values.
    #[error("the rows end at {end}, with {indices} indices and {values} values stored")]
    EntryCount {
        /// The end of the last row.
        end: usize,
        /// The number of indices.
        indices: usize,
        /// The number of values.
        values: usize,
    },
    /// The columns of a row do not increase.
    #[error("row {row}: column {column} comes after one that is not smaller")]
    IndexOrder {
        /// The row.
        row: usize,
        /// The column that is too small.
        column: u32,
    },
    /// A column is beyond the last.
    #[error("row {row}: column {column} of {columns}")]
    IndexRange {
        /// The row.
        row: usize,
        /// The column.
        column: u32,
        /// The number of columns.
        columns: usize,
    },
    /// A value or its square is not finite.
    #[error("stored value number {position} or its square is not finite")]
    NotFinite {
        /// The position among the stored values.
        position: usize,
    },
}

/// What is wrong with a dense matrix.
pub(super) fn dense_violations(rows: usize, columns: usize, values: &[f64]) -> Vec<FeaturesViolation> {
    let mut found = value_violations(values);
    if rows.checked_mul(columns) != Some(values.len()) {
        found.push(FeaturesViolation::ValueCount { rows, columns, found: values.len() });
    }
    found
}

/// What is wrong with a sparse matrix.
pub(super) fn sparse_violations(
    rows: usize,
    columns: usize,
    starts: &[usize],
    indices: &[u32],
    values: &[f64],
) -> Vec<FeaturesViolation> {
    let mut found = value_violations(values);
    if rows.checked_add(1) != Some(starts.len()) {
        found.push(FeaturesViolation::StartCount { rows, found: starts.len() });
    }
    if starts.first().is_some_and(|&start| start != 0) {
        found.push(FeaturesViolation::StartOrder { row: 0 });
    }
    let end = starts.last().copied().unwrap_or(0);
    if end != indices.len() || end != values.len() {
        found.push(FeaturesViolation::EntryCount { end, indices: indices.len(), values: values.len() });
    }
    for (row, bounds) in starts.windows(2).enumerate() {
        if bounds[0] > bounds[1] {
            found.push(FeaturesViolation::StartOrder { row: row + 1 });
        } else if let Some(entries) = indices.get(bounds[0]..bounds[1]) {
            index_violations(row, columns, entries, &mut found);
        }
    }
    found
}

fn index_violations(row: usize, columns: usize, entries: &[u32], found: &mut Vec<FeaturesViolation>) {
    for pair in entries.windows(2) {
        if pair[0] >= pair[1] {
            let column = pair[1];
            found.push(FeaturesViolation::IndexOrder { row, column });
        }
    }
    for &column in entries {
        if column as usize >= columns {
            found.push(FeaturesViolation::IndexRange { row, column, columns });
        }
    }
}

fn value_violations(values: &[f64]) -> Vec<FeaturesViolation> {
    let unfit = |value: &f64| !has_finite_square(*value);
    values
        .iter()
        .enumerate()
        .filter(|(_, value)| unfit(value))
        .map(|(position, _)| FeaturesViolation::NotFinite { position })
        .collect()
}
