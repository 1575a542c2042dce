//! The lower triangle of a symmetric matrix, diagonal included, row after row in one list.

use crate::scalar::Scalar;

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Triangle<S> {
    values: Vec<S>,
    rows: usize,
}

/// Where row i begins.
fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

impl<S: Scalar> Triangle<S> {
    pub fn new() -> Self {
        Triangle { values: Vec::new(), rows: 0 }
    }

    /// Whether it is one of k rows (it may have been read from somewhere).
    pub fn is_sound(&self, k: usize) -> bool {
        self.rows == k && self.values.len() == start(k)
    }

    /// Row i, i + 1 entries.
    pub fn row(&self, i: usize) -> &[S] {
        &self.values[start(i)..start(i + 1)]
    }

    pub fn rows(&self) -> impl Iterator<Item = &[S]> {
        (0..self.rows).map(|i| self.row(i))
    }

    /// Adds a row with as many entries as there are rows then.
    pub fn push(&mut self, row: Vec<S>) {
        self.values.extend(row);
        self.rows += 1;
    }

    /// Takes row and column k out.
    pub fn remove(&mut self, k: usize) {
        let mut kept = Vec::with_capacity(self.values.len());
        kept.extend_from_slice(&self.values[..start(k)]);
        for i in k + 1..self.rows {
            let row = self.row(i);
            kept.extend_from_slice(&row[..k]);
            kept.extend_from_slice(&row[k + 1..]);
        }
        self.values = kept;
        self.rows -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_come_and_go() {
        let entry = |i: usize, j: usize| (10 * i + j) as f64;
        for k in 0..5 {
            let mut triangle = Triangle::new();
            (0..5).for_each(|i| triangle.push((0..=i).map(|j| entry(i, j)).collect()));
            triangle.remove(k);
            let left: Vec<usize> = (0..5).filter(|&i| i != k).collect();
            assert!(triangle.is_sound(4));
            for (i, row) in triangle.rows().enumerate() {
                assert_eq!(row, (0..=i).map(|j| entry(left[i], left[j])).collect::<Vec<f64>>());
            }
        }
    }
}
