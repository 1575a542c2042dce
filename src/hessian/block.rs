//! Products of H with several vectors at once, by matrix products: several times as fast as one vector after the other.
//!
//! The vectors have the same length and are stored one after the other, in the arguments and in the results.

use super::{AHEAD, Gram, Hessian, Rows, multiply};
use crate::wide::{axpy, wide};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use std::ops::Range;

/// So many rows of Z are multiplied with a block at once.
const PANEL: usize = 512;

/// Sparse rows of which at least this part of all entries is stored are multiplied with a block as dense ones.
const DENSE: f64 = 0.125;

/// The products Hx for several x of n entries each, stored one after the other; entries left over at the end are ignored. They are those of [`multiply`] up to
/// rounding.
pub fn multiply_block(h: &dyn Hessian<f64>, x: &[f64]) -> Vec<f64> {
    let n = h.dim();
    let x = &x[..x.len() - x.len() % n.max(1)];
    if x.is_empty() {
        Vec::new()
    } else if let Some(copies) = h.copies() {
        copies.multiply_block(x)
    } else if let Some(gram) = h.row_factor().filter(|_| !h.is_given_by_entries()) {
        if gram.columns() == 0 { vec![0.0; x.len()] } else { apply(gram, &project(gram, x)) }
    } else if h.bandwidth().is_some() || h.stored_row(0).is_some() {
        x.chunks_exact(n).flat_map(|x| multiply(h, x)).collect()
    } else {
        by_rows(h, x)
    }
}

/// Zᵀx (d > 0 entries) for several x.
pub(crate) fn project(gram: &Gram<f64>, x: &[f64]) -> Vec<f64> {
    let (n, d) = (gram.dim(), gram.columns());
    let m = x.len() / n;
    let mut w = vec![0.0; d * m];
    if is_sparse(gram) {
        let mut row = vec![0.0; m];
        for i in 0..n {
            row.iter_mut().zip(x[i..].iter().step_by(n)).for_each(|(to, from)| *to = *from);
            if row.iter().any(|x| *x != 0.0) {
                wide_scatter(gram, i, &row, &mut w);
            }
        }
        return transposed(&w, m);
    }
    let (x, mut buffer) = (MatRef::from_column_major_slice(x, n, m), Vec::new());
    for rows in panels(n) {
        let part = x.subrows(rows.start, rows.len());
        let w = MatMut::from_column_major_slice_mut(&mut w, d, m);
        matmul(w, Accum::Add, panel(gram, rows, &mut buffer).transpose(), part, 1.0, Par::Seq);
    }
    w
}

/// κ Z w (n entries) for several w of d > 0 entries, or for none.
pub(crate) fn apply(gram: &Gram<f64>, w: &[f64]) -> Vec<f64> {
    let (n, d) = (gram.dim(), gram.columns());
    let m = w.len() / d;
    if m == 0 {
        return Vec::new();
    }
    let mut out = vec![0.0; n * m];
    if is_sparse(gram) {
        let (w, mut row) = (transposed(w, d), vec![0.0; m]);
        for i in 0..n {
            row.fill(0.0);
            wide_collect(gram, i, &w, &mut row);
            out[i..].iter_mut().step_by(n).zip(&row).for_each(|(to, from)| *to = from * gram.scale());
        }
        return out;
    }
    let (w, mut buffer) = (MatRef::from_column_major_slice(w, d, m), Vec::new());
    for rows in panels(n) {
        let part = MatMut::from_column_major_slice_mut(&mut out, n, m).subrows_mut(rows.start, rows.len());
        matmul(part, Accum::Replace, panel(gram, rows, &mut buffer), w, *gram.scale(), Par::Seq);
    }
    out
}

/// Whether so few entries are stored that the others are better left out.
fn is_sparse(gram: &Gram<f64>) -> bool {
    let whole = gram.dim() * gram.columns();
    matches!(gram.rows(), Rows::Sparse { values, .. } if (values.len() as f64) < DENSE * whole as f64)
}

/// So many rows at a time.
fn panels(n: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(PANEL).map(move |start| start..n.min(start + PANEL))
}

/// The first entries of all vectors of some length, then the second ones, and so on.
fn transposed(vectors: &[f64], length: usize) -> Vec<f64> {
    (0..length).flat_map(|j| vectors[j..].iter().step_by(length).copied()).collect()
}

/// Rows of Z, one after the other.
fn panel<'a>(gram: &'a Gram<f64>, rows: Range<usize>, buffer: &'a mut Vec<f64>) -> MatRef<'a, f64> {
    let (count, d) = (rows.len(), gram.columns());
    match gram.rows() {
        Rows::Dense { values, .. } => MatRef::from_row_major_slice(&values[rows.start * d..rows.end * d], count, d),
        Rows::Sparse { .. } => {
            buffer.clear();
            buffer.resize(count * d, 0.0);
            for (i, row) in rows.zip(buffer.chunks_exact_mut(d.max(1))) {
                gram.for_row(i, |j, z| row[j] += z);
            }
            MatRef::from_row_major_slice(buffer, count, d)
        }
    }
}

/// W += zᵢᵀ (row i of X): the entries of all vectors for one j or i lie side by side.
#[inline(always)]
fn scatter(gram: &Gram<f64>, i: usize, row: &[f64], w: &mut [f64]) {
    let m = row.len();
    gram.for_row(i, |j, z| axpy(*z, row, &mut w[j * m..(j + 1) * m]));
}

/// Row i of Z W.
#[inline(always)]
fn collect(gram: &Gram<f64>, i: usize, w: &[f64], row: &mut [f64]) {
    let m = row.len();
    gram.for_row(i, |j, z| axpy(*z, &w[j * m..(j + 1) * m], row));
}

wide!(wide_scatter<'a> = scatter(gram: &'a Gram<f64>, i: usize, row: &'a [f64], w: &'a mut [f64]));
wide!(wide_collect<'a> = collect(gram: &'a Gram<f64>, i: usize, w: &'a [f64], row: &'a mut [f64]));

/// Σ Hᵢ xᵢ over the rows of X that are not zero, so many rows of H at a time.
fn by_rows(h: &dyn Hessian<f64>, x: &[f64]) -> Vec<f64> {
    let n = h.dim();
    let m = x.len() / n;
    let rows: Vec<usize> = (0..n).filter(|&i| x[i..].iter().step_by(n).any(|x| *x != 0.0)).collect();
    let (mut out, mut panel, mut part) = (vec![0.0; n * m], Vec::new(), Vec::new());
    for rows in rows.chunks(AHEAD) {
        h.prepare(rows);
        panel.clear();
        for &i in rows {
            h.with_row(i, &mut |row| panel.extend_from_slice(row));
        }
        part.clear();
        part.extend(x.chunks_exact(n).flat_map(|x| rows.iter().map(|&i| x[i])));
        let columns = MatRef::from_column_major_slice(&panel, n, rows.len());
        let part = MatRef::from_column_major_slice(&part, rows.len(), m);
        let to = MatMut::from_column_major_slice_mut(&mut out, n, m);
        matmul(to, Accum::Add, columns, part, 1.0, Par::Seq);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Banded, Dense, Kernel, KernelFunction, Signed};
    use super::*;
    use crate::testing::Random;
    use std::sync::Arc;

    struct Rbf(Vec<[f64; 2]>);

    impl KernelFunction for Rbf {
        fn dim(&self) -> usize {
            self.0.len()
        }

        fn entry(&self, i: usize, j: usize) -> f64 {
            let ([a, b], [c, d]) = (self.0[i], self.0[j]);
            (-(a - c).powi(2) - (b - d).powi(2)).exp()
        }
    }

    fn gram(n: usize, d: usize, filled: f64, random: &mut Random) -> Gram<f64> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for _ in 0..n {
            for j in 0..d {
                if random.unit() < filled {
                    indices.push(j as u32);
                    values.push(random.normal());
                }
            }
            starts.push(values.len());
        }
        Gram::new(n, Rows::Sparse { columns: d, starts, indices, values }, 0.7).unwrap()
    }

    /// Dense rows, sparse ones of which few and many entries are stored, dense and band matrices, kernels, signed copies: as many vectors as
    /// are asked for, some with zeros, some rows of zeros.
    #[test]
    fn a_block_is_the_single_products() {
        let mut random = Random(1);
        for n in [1, 2, 7, 70, 300] {
            let d = 1 + random.below(20);
            let dense = Rows::Dense { columns: d, values: (0..n * d).map(|_| random.normal()).collect() };
            let points = (0..n).map(|_| [random.normal(), random.normal()]).collect();
            let band: Vec<Vec<f64>> = (0..n).map(|i| vec![4.0, if i + 1 < n { 1.0 } else { 0.0 }]).collect();
            let entries: Vec<Vec<f64>> =
                (0..n).map(|i| (0..n).map(|j| if i == j { 2.0 } else { 1.0 }).collect()).collect();
            let base = Arc::new(Kernel::new(Rbf((0..n).map(|_| [random.normal(), 0.0]).collect()), 1 << 10));
            let copies = (0..2 * n).map(|i| (i % n, if i < n { 1.0 } else { -1.0 })).collect();
            let forms: Vec<Arc<dyn Hessian<f64>>> = vec![
                Arc::new(Gram::new(n, dense, 3.0).unwrap()),
                Arc::new(gram(n, 40, 0.05, &mut random)),
                Arc::new(gram(n, 9, 0.6, &mut random)),
                Arc::new(Dense::new(entries).unwrap()),
                Arc::new(Banded::new(band).unwrap()),
                Arc::new(Kernel::new(Rbf(points), 1 << 12)),
                Arc::new(Signed::new(base, copies).unwrap()),
            ];
            for (form, h) in forms.iter().enumerate() {
                let n = h.dim();
                for m in [1, 2, 5, 33] {
                    let rare = random.unit();
                    let zero: Vec<bool> = (0..n).map(|_| random.unit() < 0.3).collect();
                    let x: Vec<f64> = (0..n * m)
                        .map(|k| if zero[k % n] || random.unit() < rare { 0.0 } else { random.normal() })
                        .collect();
                    let block = multiply_block(h.as_ref(), &x);
                    assert_eq!(block.len(), n * m);
                    for (x, found) in x.chunks_exact(n).zip(block.chunks_exact(n)) {
                        let expected = multiply(h.as_ref(), x);
                        let spread: f64 = x.iter().enumerate().map(|(i, x)| h.diagonal(i).sqrt() * x.abs()).sum();
                        for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
                            let size = h.diagonal(i).sqrt() * spread;
                            assert!((a - b).abs() <= 1e-14 * size, "form {form}, n = {n}, m = {m}: {a} and {b}");
                        }
                    }
                }
            }
        }
    }
}
