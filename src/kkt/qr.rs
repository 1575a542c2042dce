//! QR of Z_Fᵀ (D × k) with append and delete in O(k(D + k)).
//!
//! Z_F is factored, never Z_F Z_Fᵀ: the Gram matrix squares the condition number and the question whether a row
//! depends on F then drowns in rounding.
//!
//! ```text
//! delete column 1 of 4:   x . x x          x x x
//!                           . x x            x x      one Givens rotation a column restores the
//!                             x x    →     * x x      triangle; the same rotations act on pairs of
//!                               x            * x      columns of Q
//! ```

use crate::wide::{add_columns, axpy, dot, wide};
use faer::{Mat, MatRef};

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Qr {
    rows: usize,
    /// Columns of Q one after the other, `rows` entries each.
    q: Vec<f64>,
    /// Columns of R one after the other: column j has j + 1 entries.
    r: Vec<f64>,
    k: usize,
}

/// A column z split into Q h + r: h, and the part r outside the span with its length.
pub(crate) struct Split {
    pub along: Vec<f64>,
    pub outside: Vec<f64>,
    pub length: f64,
}

fn start(j: usize) -> usize {
    j * (j + 1) / 2
}

impl Qr {
    pub fn new(rows: usize) -> Self {
        Qr { rows, q: Vec::new(), r: Vec::new(), k: 0 }
    }

    /// Whether its parts (read from somewhere) are those of k columns with this many rows.
    pub fn is_sound(&self, rows: usize, k: usize) -> bool {
        self.rows == rows && self.k == k && self.q.len() == k * rows && self.r.len() == start(k)
    }

    /// The factor of the columns of `z` (row count × k), by Householder reflections.
    pub fn fresh(rows: usize, z: &[f64], k: usize) -> Self {
        let qr = MatRef::from_column_major_slice(z, rows, k).qr();
        let thin: Mat<f64> = qr.compute_thin_Q();
        let triangle = qr.thin_R();
        let mut out = Qr::new(rows);
        out.k = k;
        for j in 0..k {
            let sign = if triangle[(j, j)] < 0.0 { -1.0 } else { 1.0 };
            out.q.extend((0..rows).map(|i| sign * thin[(i, j)]));
        }
        for j in 0..k {
            for i in 0..=j {
                let sign = if triangle[(i, i)] < 0.0 { -1.0 } else { 1.0 };
                out.r.push(sign * triangle[(i, j)]);
            }
        }
        out
    }

    /// The smallest diagonal entry of R (infinite when empty): an upper bound of the smallest singular value.
    pub fn smallest_pivot(&self) -> f64 {
        (0..self.k).map(|j| self.r[start(j) + j]).fold(f64::INFINITY, f64::min)
    }

    #[inline(always)]
    fn r_column(&self, j: usize) -> &[f64] {
        &self.r[start(j)..start(j + 1)]
    }

    /// Entry i of every column of Q.
    pub fn q_row(&self, i: usize) -> Vec<f64> {
        (0..self.k).map(|j| self.q[j * self.rows + i]).collect()
    }

    /// v += Q h.
    pub fn add(&self, h: &[f64], v: &mut [f64]) {
        wide_add(1.0, h, &self.q, v);
    }

    /// Splits z by Gram–Schmidt, twice ("twice is enough", Giraud, Langou and Rozložník 2005,
    /// doi:10.1016/j.camwa.2005.08.009).
    pub fn split(&self, z: Vec<f64>) -> Split {
        let mut outside = z;
        let mut along = vec![0.0; 2 * self.k];
        let (first, again) = along.split_at_mut(self.k);
        let length = wide_orthogonalise(&self.q, &mut outside, first, again);
        along.truncate(self.k);
        Split { along, outside, length }
    }

    /// Appends a column whose part outside the span is not zero.
    pub fn append(&mut self, split: Split) {
        self.q.extend(split.outside.iter().map(|v| v / split.length));
        self.r.extend(split.along);
        self.r.push(split.length);
        self.k += 1;
    }

    /// Deletes column p; returns the unit vector that the span loses.
    pub fn delete(&mut self, p: usize) -> Vec<f64> {
        let k = self.k;
        let mut r = self.r[..start(p)].to_vec();
        let mut rotations: Vec<(f64, f64)> = Vec::with_capacity(k - p);
        for j in p + 1..k {
            let mut column = self.r_column(j).to_vec();
            for (i, (c, s)) in rotations.iter().enumerate() {
                let (a, b) = (column[p + i], column[p + i + 1]);
                column[p + i] = c * a + s * b;
                column[p + i + 1] = c * b - s * a;
            }
            let (a, b) = (column[j - 1], column[j]);
            let length = a.hypot(b);
            let rotation = if length > 0.0 { (a / length, b / length) } else { (1.0, 0.0) };
            column[j - 1] = length;
            r.extend_from_slice(&column[..j]);
            rotations.push(rotation);
        }
        wide_rotate(&rotations, &mut self.q[p * self.rows..], self.rows);
        self.r = r;
        self.k -= 1;
        self.q.split_off(self.k * self.rows)
    }

    /// Solves Rᵀ x = b in place.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        wide_forward(&self.r, x);
    }

    /// Solves R x = b in place.
    pub fn solve(&self, x: &mut [f64]) {
        wide_backward(&self.r, x);
    }
}

wide!(wide_add<'a> = add_columns(a: f64, h: &'a [f64], columns: &'a [f64], v: &'a mut [f64]));
wide!(wide_orthogonalise<'a> = orthogonalise(q: &'a [f64], v: &'a mut [f64], h: &'a mut [f64], i: &'a mut [f64]) -> f64);
wide!(wide_rotate<'a> = rotate(rotations: &'a [(f64, f64)], columns: &'a mut [f64], d: usize));
wide!(wide_forward<'a> = forward(r: &'a [f64], x: &'a mut [f64]));
wide!(wide_backward<'a> = backward(r: &'a [f64], x: &'a mut [f64]));

/// Takes the part along the columns of Q off v, twice; `along` becomes Qᵀv. Returns the length of what is left.
#[inline(always)]
fn orthogonalise(q: &[f64], v: &mut [f64], along: &mut [f64], again: &mut [f64]) -> f64 {
    let d = v.len().max(1);
    for h in [&mut *along, &mut *again] {
        for (h, column) in h.iter_mut().zip(q.chunks_exact(d)) {
            *h = dot(column, v);
        }
        add_columns(-1.0, h, q, v);
    }
    axpy(1.0, again, along);
    dot(v, v).sqrt()
}

/// Rotations of neighbouring columns, one after the other.
#[inline(always)]
fn rotate(rotations: &[(f64, f64)], columns: &mut [f64], d: usize) {
    for (i, (c, s)) in rotations.iter().enumerate() {
        let (left, right) = columns[i * d..].split_at_mut(d);
        for (a, b) in left.iter_mut().zip(&mut right[..d]) {
            (*a, *b) = (c * *a + s * *b, c * *b - s * *a);
        }
    }
}

/// Solves Rᵀ x = b in place.
#[inline(always)]
fn forward(r: &[f64], x: &mut [f64]) {
    for j in 0..x.len() {
        let column = &r[start(j)..start(j + 1)];
        x[j] = (x[j] - dot(&column[..j], &x[..j])) / column[j];
    }
}

/// Solves R x = b in place.
#[inline(always)]
fn backward(r: &[f64], x: &mut [f64]) {
    for j in (0..x.len()).rev() {
        let column = &r[start(j)..start(j + 1)];
        x[j] /= column[j];
        let (rest, solved) = x.split_at_mut(j);
        axpy(-solved[0], &column[..j], rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_set::key;
    use proptest::prelude::*;

    const ROWS: usize = 9;

    fn z(i: usize) -> Vec<f64> {
        (0..ROWS).map(|j| (key(i, j as u64) % 1000) as f64 / 500.0 - 1.0).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_walk_equals_a_fresh_factor(moves in prop::collection::vec((prop::bool::weighted(0.6), 0usize..1000), 1..60)) {
            let (mut qr, mut members) = (Qr::new(ROWS), Vec::<usize>::new());
            for (append, pick) in moves {
                if append && members.len() < ROWS - 1 && !members.contains(&pick) {
                    let split = qr.split(z(pick));
                    if split.length < 1e-3 { continue; }
                    qr.append(split);
                    members.push(pick);
                } else if !members.is_empty() {
                    let p = pick % members.len();
                    qr.delete(p);
                    members.remove(p);
                }
                let columns: Vec<f64> = members.iter().flat_map(|&i| z(i)).collect();
                let fresh = Qr::fresh(ROWS, &columns, members.len());
                prop_assert_eq!(qr.k, members.len());
                let smallest = (0..members.len()).map(|j| fresh.r[start(j) + j]).fold(1.0, f64::min);
                for (a, b) in qr.r.iter().zip(&fresh.r).chain(qr.q.iter().zip(&fresh.q)) {
                    prop_assert!((a - b).abs() < 1e-12 / smallest, "{} {} {}", a, b, smallest);
                }
            }
        }
    }
}
