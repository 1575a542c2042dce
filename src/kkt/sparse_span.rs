//! Z̃_F Z̃_Fᵀ as a sparse matrix: its sparse factors, with borders for the rows that have entered and left since they were computed.
//!
//! Where every row of Z has few entries and shares its columns with few others, as the edges of a graph do, neither a factor of Z̃_F with its dense Q nor a
//! dense triangle pays: the factors of a forest have no more entries than the forest has edges. To decide whether a row z̃ depends on the free ones, v = (Z̃_F
//! Z̃_Fᵀ)⁻¹Z̃_F z̃ is computed: the part of z̃ outside the span is z̃ − Z̃_Fᵀv, and an error in v enters the length of that part by its square only. The
//! squared length is kept as the pivot of the row: rows that enter later do not change it, and it can only grow when an earlier one leaves.
//!
//! The entries of the matrix are products of rows, in which rounding hides a part outside the span that is shorter than √ε of the row. Whether that is accurate
//! enough depends on the rows, and the caller decides: [`crate::hessian::Gram::with_sparse_products`].

use super::Entries;
use super::bordered::{Coming, Factors};
use super::rows::Extended;
use crate::scalar::Scalar;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct SparseSpan {
    /// The rows of which there are factors, and those that have come (true) and gone since, in turn.
    base: Vec<usize>,
    changes: Vec<(usize, bool)>,
    /// The squared length of each free row outside the span of those before it, when it came.
    pivots: Vec<f64>,
    /// The smallest of these, none without any.
    smallest: Option<f64>,
    /// Made from the rows when they are taken up again; none without a free row.
    #[serde(skip)]
    factors: Option<Factors<f64>>,
    /// Where each free row is in the factors.
    #[serde(skip)]
    slots: Vec<usize>,
}

/// z̃ᵢ times some others.
fn products(rows: &Extended<'_>, i: usize, others: &[usize]) -> Vec<f64> {
    let z = rows.dense(i);
    others.iter().map(|&j| rows.dot(j, &z)).collect()
}

fn entries(values: Vec<f64>) -> Entries<f64> {
    values.into_iter().enumerate().filter(|(_, v)| *v != 0.0).map(|(j, v)| (j as u32, v)).collect()
}

impl SparseSpan {
    /// Whether its parts (read from somewhere) are those of k of n rows.
    pub fn is_sound(&self, n: usize, k: usize) -> bool {
        let known = |i: &usize| *i < n;
        self.pivots.len() == k && self.base.iter().all(known) && self.changes.iter().all(|c| known(&c.0))
    }

    pub fn smallest_pivot(&self) -> f64 {
        self.smallest.map_or(f64::INFINITY, f64::sqrt)
    }

    /// x becomes (Z̃_F Z̃_Fᵀ)⁻¹x.
    pub fn solve(&self, x: &mut [f64]) {
        let Some(factors) = &self.factors else { return };
        let mut inner = vec![0.0; x.len()];
        self.slots.iter().zip(&*x).for_each(|(slot, x)| inner[*slot] = *x);
        let solved = factors.image(&inner);
        self.slots.iter().zip(x).for_each(|(slot, x)| *x = solved[*slot]);
    }

    /// Adds row i to the free ones; see [`super::span::Span::add`].
    pub fn add(&mut self, rows: &Extended<'_>, i: usize, square: f64, dependent: f64) -> Result<f64, Vec<f64>> {
        let column = products(rows, i, &rows.free);
        let mut along = column.clone();
        self.solve(&mut along);
        along.iter_mut().for_each(|d| *d = -*d);
        let mut outside = rows.dense(i);
        rows.add_transposed(&along, &mut outside);
        let pivot = f64::dot(&outside, &outside);
        if pivot <= f64::tolerance(dependent) * square {
            return Err(along);
        }
        self.pivots.push(pivot);
        self.smallest = Some(self.smallest.map_or(pivot, |smallest| smallest.min(pivot)));
        self.come(rows, i, &column, square);
        if !self.has_room() {
            let all: Vec<usize> = rows.free.iter().copied().chain([i]).collect();
            self.renew(rows, all);
        }
        Ok(pivot)
    }

    /// Row i comes, with its products with the others.
    fn come(&mut self, rows: &Extended<'_>, i: usize, column: &[f64], square: f64) {
        let Some(factors) = &mut self.factors else { return };
        let mut inner = vec![0.0; column.len()];
        self.slots.iter().zip(column).for_each(|(slot, v)| inner[*slot] = *v);
        let base = entries(products(rows, i, factors.base()));
        factors.add(Coming { key: i, base, column: &inner, diagonal: &square });
        self.slots.push(column.len());
        self.changes.push((i, true));
    }

    /// Row i at a position of F goes.
    fn go(&mut self, i: usize, position: usize) {
        let Some(factors) = &mut self.factors else { return };
        let (last, slot) = (self.slots.len() - 1, self.slots.remove(position));
        factors.remove(slot);
        self.slots.iter_mut().filter(|other| **other == last).for_each(|other| *other = slot);
        self.changes.push((i, false));
    }

    /// Factors the borders. False where that cannot be, or there are too many.
    fn has_room(&mut self) -> bool {
        self.factors.as_mut().is_some_and(|factors| factors.factor_schur() && !factors.is_full())
    }

    /// The row at a position of F goes; `rows` still has it.
    pub fn delete(&mut self, rows: &Extended<'_>, position: usize) {
        let pivot = self.pivots.remove(position);
        if self.smallest == Some(pivot) {
            self.smallest = self.pivots.iter().copied().reduce(f64::min);
        }
        self.go(rows.free[position], position);
        if self.pivots.is_empty() || !self.has_room() {
            let left = rows.free.iter().enumerate().filter(|(k, _)| *k != position).map(|(_, i)| *i).collect();
            self.renew(rows, left);
        }
    }

    /// Factors of these rows afresh. Where there are none that are finite the borders go on.
    fn renew(&mut self, rows: &Extended<'_>, keys: Vec<usize>) {
        if keys.is_empty() {
            (self.factors, self.slots) = (None, Vec::new());
        } else if let Some(fresh) = fresh(rows, &keys) {
            (self.factors, self.slots) = (Some(fresh), (0..keys.len()).collect());
        } else {
            return;
        }
        (self.base, self.changes) = (keys, Vec::new());
    }

    /// Factors and pivots of all free rows afresh.
    pub fn refactor(&mut self, rows: &Extended<'_>) {
        self.renew(rows, rows.free.clone());
    }

    /// The factors as they were when they were saved. False where there are none.
    pub fn restore(&mut self, rows: &Extended<'_>) -> bool {
        let (changes, mut free) = (std::mem::take(&mut self.changes), self.base.clone());
        self.renew(rows, free.clone());
        for (i, came) in changes {
            match (came, free.iter().position(|f| *f == i)) {
                (true, None) => {
                    self.come(rows, i, &products(rows, i, &free), rows.square(i));
                    free.push(i);
                }
                (false, Some(position)) => {
                    self.go(i, position);
                    free.remove(position);
                }
                _ => return false,
            }
        }
        let fine = self.factors.as_mut().is_none_or(Factors::factor_schur);
        fine && free == rows.free
    }
}

/// Factors of the products of these rows with one another.
fn fresh(rows: &Extended<'_>, keys: &[usize]) -> Option<Factors<f64>> {
    // Which of the rows have an entry in each column.
    let mut in_column: Vec<Vec<u32>> = vec![Vec::new(); rows.width()];
    for (k, &i) in keys.iter().enumerate() {
        rows.visit(i, |j, _| in_column[j].push(k as u32));
    }
    let column = |&i: &usize| {
        let (z, mut near) = (rows.dense(i), Vec::new());
        rows.visit(i, |j, _| near.extend(&in_column[j]));
        near.sort_unstable();
        near.dedup();
        near.into_iter().map(|k| (k, rows.dot(keys[k as usize], &z))).filter(|(_, v)| *v != 0.0).collect()
    };
    Factors::new(keys, keys.iter().map(column).collect())
}
