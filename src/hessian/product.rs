//! H x, plainly and in twice the working precision.

use super::{AHEAD, Gram, Hessian};
use crate::scalar::Scalar;

/// Where the stored entries of a row stand.
enum Columns<'a> {
    These(&'a [u32]),
    From(usize),
}

/// Calls `visit` with i and the stored entries of row i (all of them, those of the band, or those that are not zero) for every i with xᵢ ≠ 0.
fn for_rows<S: Scalar>(h: &dyn Hessian<S>, x: &[S], visit: &mut dyn FnMut(&S, Columns<'_>, &[S])) {
    let n = h.dim();
    let rows: Vec<usize> = (0..n).filter(|&i| !x[i].is_zero()).collect();
    let (stored, mut band) = (n > 0 && h.stored_row(0).is_some(), Vec::new());
    for rows in rows.chunks(AHEAD) {
        h.prepare(rows);
        for &i in rows {
            if stored {
                if let Some((columns, values)) = h.stored_row(i) {
                    visit(&x[i], Columns::These(columns), values);
                }
            } else if let Some(bandwidth) = h.bandwidth() {
                let columns: Vec<usize> = (i.saturating_sub(bandwidth)..n.min(i + bandwidth + 1)).collect();
                band.resize(columns.len(), S::zero());
                h.gather(i, &columns, &mut band);
                visit(&x[i], Columns::From(columns[0]), &band);
            } else {
                h.with_row(i, &mut |row| visit(&x[i], Columns::From(0), row));
            }
        }
    }
}

/// H x, by the row factor, the matrix that H holds copies of, or within the band where there is one.
pub fn multiply<S: Scalar>(h: &dyn Hessian<S>, x: &[S]) -> Vec<S> {
    if let Some(copies) = h.copies() {
        return copies.multiply(x);
    }
    if let Some(gram) = h.row_factor().filter(|_| !h.is_given_by_entries()) {
        let mut w = vec![S::zero(); gram.columns()];
        for (i, x) in x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            let scaled = x.clone() * gram.scale();
            gram.for_row(i, |j, z| w[j] += scaled.clone() * z);
        }
        return (0..h.dim()).map(|i| gram.dot(i, &w)).collect();
    }
    let mut product = vec![S::zero(); h.dim()];
    for_rows(h, x, &mut |x, columns, row| match columns {
        Columns::These(columns) => {
            columns.iter().zip(row).for_each(|(&j, v)| product[j as usize] += v.clone() * x);
        }
        Columns::From(first) => S::axpy(x, row, &mut product[first..first + row.len()]),
    });
    product
}

/// The same as sums of two numbers.
pub(crate) fn multiply_in_two<S: Scalar>(h: &dyn Hessian<S>, x: &[S]) -> (Vec<S>, Vec<S>) {
    if let Some(copies) = h.copies() {
        return copies.multiply_in_two(x);
    }
    if let Some(gram) = h.row_factor().filter(|_| !h.is_given_by_entries()) {
        return gram_in_two(gram, x);
    }
    let (mut high, mut low) = (vec![S::zero(); h.dim()], vec![S::zero(); h.dim()]);
    for_rows(h, x, &mut |x, columns, row| match columns {
        Columns::These(columns) => columns.iter().zip(row).for_each(|(&j, v)| {
            let j = j as usize;
            S::accumulate(&mut high[j], &mut low[j], x, v);
        }),
        Columns::From(first) => {
            let columns = first..first + row.len();
            S::accumulate_all(&mut high[columns.clone()], &mut low[columns], x, row);
        }
    });
    (high, low)
}

/// κ Z(Zᵀx).
fn gram_in_two<S: Scalar>(gram: &Gram<S>, x: &[S]) -> (Vec<S>, Vec<S>) {
    let zeros = || vec![S::zero(); gram.columns()];
    let (mut high, mut low) = (zeros(), zeros());
    for (i, x) in x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
        gram.for_row(i, |j, z| S::accumulate(&mut high[j], &mut low[j], x, z));
    }
    let dot = |i: usize| {
        let (mut sum, mut rest) = (S::zero(), S::zero());
        gram.for_row(i, |j, z| {
            S::accumulate(&mut sum, &mut rest, &high[j], z);
            rest += low[j].clone() * z;
        });
        in_two(&sum, &rest, gram.scale())
    };
    (0..gram.dim()).map(dot).unzip()
}

/// (high + low)·a.
pub(super) fn in_two<S: Scalar>(high: &S, low: &S, a: &S) -> (S, S) {
    let (mut product, mut rest) = (S::zero(), low.clone() * a);
    S::accumulate(&mut product, &mut rest, high, a);
    (product, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hessian::{Banded, Dense, Rows, Signed, Sparse};
    use crate::scalar::Exact;
    use num_traits::FromPrimitive;
    use std::sync::Arc;

    const N: usize = 3;
    /// Two rows that differ by ten digits less than they have, and an x with which their products cancel.
    const Z: [[f64; 2]; N] = [[1e5, 0.1], [1e5, 0.3], [-3.0, 0.7]];
    const X: [f64; N] = [1.0, -1.0, 1e-9];

    fn exact(v: f64) -> Exact {
        Exact::from_f64(v).unwrap()
    }

    /// The product in two numbers is that of the entries to the last digit, where the plain one has lost some.
    fn keeps_what_cancels(h: &dyn Hessian<f64>, x: &[f64], entry: impl Fn(usize, usize) -> Exact) {
        let (high, low) = multiply_in_two(h, x);
        for i in 0..x.len() {
            let right = x.iter().enumerate().fold(Exact::ZERO, |sum, (j, x)| sum + entry(i, j) * exact(*x));
            let off = exact(high[i]) + exact(low[i]) - &right;
            assert!(off.to_f64().value().abs() <= f64::EPSILON * right.to_f64().value().abs(), "row {i}: {off}");
        }
    }

    #[test]
    fn products_in_two_numbers_keep_what_cancels() {
        let values: Vec<f64> = Z.concat();
        let gram = Gram::new(N, Rows::Dense { columns: 2, values }, 3.0).unwrap();
        let of_gram =
            |i: usize, j: usize| (0..2).fold(Exact::ZERO, |sum, k| sum + exact(Z[i][k]) * exact(Z[j][k])) * exact(3.0);
        keeps_what_cancels(&gram, &X, of_gram);
        // The identity makes it regular, so that it has no rows.
        let entry = |i: usize, j: usize| Z[i][0] * Z[j][0] + Z[i][1] * Z[j][1] + f64::from(u8::from(i == j));
        let dense = Arc::new(Dense::new((0..N).map(|i| (0..N).map(|j| entry(i, j)).collect()).collect()).unwrap());
        keeps_what_cancels(dense.as_ref(), &X, |i, j| exact(entry(i, j)));
        let upper = |i: usize| (0..N).map(|k| if i + k < N { entry(i, i + k) } else { 0.0 }).collect();
        keeps_what_cancels(&Banded::new((0..N).map(upper).collect()).unwrap(), &X, |i, j| exact(entry(i, j)));
        let all = (0..N * N).map(|k| (k / N, k % N, entry(k / N, k % N)));
        keeps_what_cancels(&Sparse::new(N, all).unwrap(), &X, |i, j| exact(entry(i, j)));
        let rows = [(0, 1.0), (1, -0.1), (2, 1.0), (0, -1.0)];
        let copies = Signed::new(dense, rows.to_vec()).unwrap();
        let signed = |i: usize, j: usize| {
            let [(p, s), (q, t)] = [rows[i], rows[j]];
            exact(entry(p, q)) * exact(s) * exact(t)
        };
        keeps_what_cancels(&copies, &[0.3, 10.0, 1e-9, -0.7], signed);
    }
}
