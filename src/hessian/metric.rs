//! A norm of feature space in which certified pricing measures the rows and the motion of the fit.
//!
//! For any invertible L, Cauchy–Schwarz gives
//!
//! ```text
//! |Zᵢ·w′| = |(L⁻¹Zᵢ)·(Lᵀw′)| ≤ ‖L⁻¹Zᵢ‖ ‖Lᵀw′‖
//! ```
//!
//! L = I is the plain bound. With LLᵀ = ZᵀZ/n the second factor is the root mean square of Zᵢ·w′ over all rows, and
//! the first the length of a row in units of the rows' own spread (Mahalanobis): a direction in which rows are long but
//! along which w′ hardly moves costs nothing. Centring and scaling of columns are special cases. A tenth of the mean
//! square is added in every direction, which keeps directions without spread from dominating; where there are
//! too many columns for d × d entries, or too few rows to be worth them, only the diagonal of ZᵀZ/n is kept.
//!
//! *In floating point.* The computed y = L⁻¹Zᵢ solves (L + E)y = Zᵢ with |E| ≤ dε|L| (Higham 2002, Accuracy and
//! Stability of Numerical Algorithms, theorem 8.5), so |Zᵢ·w′| ≤ ‖y‖(‖Lᵀw′‖ + dε‖L‖_F‖w′‖); the rounding of the two
//! norms is a few dε more. L itself may be any matrix: how well it was computed does not matter.

use super::{Gram, Rows};
use crate::scalar::Scalar;
use crate::threads::Threads;
use crate::wide::{axpy, dot, wide};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par};

/// The part of the rows' mean square that is added to every direction of their metric.
const RIDGE: f64 = 0.1;

/// The most columns for which that metric has a full triangle.
const FULL: usize = 512;

/// … and the fewest rows for each of them.
const MANY: usize = 4;

#[derive(Clone, Debug)]
pub(crate) struct Metric {
    l: Root,
    /// dε‖L‖_F.
    slack: f64,
    /// ‖L⁻¹Zᵢ‖ of every row.
    rows: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Root {
    /// Row j of a lower triangle: j + 1 entries.
    Triangle(Vec<Vec<f64>>),
    Diagonal(Vec<f64>),
}

/// A dense Z has as many rows in its moments as cost no more than pricing all rows so many times: other rows would say the same.
const MOMENTS: usize = 10;

/// Rows of a dense Z whose lengths are computed together.
const BLOCK: usize = 64;

wide!(wide_inverse_length<'a> = inverse_length(l: &'a Root, z: &'a [f64]) -> f64);

/// ‖L⁻¹z‖.
#[inline(always)]
fn inverse_length(l: &Root, z: &[f64]) -> f64 {
    let mut y = vec![0.0; z.len()];
    for (j, z) in z.iter().enumerate() {
        y[j] = match l {
            Root::Triangle(rows) => (z - dot(&rows[j][..j], &y[..j])) / rows[j][j],
            Root::Diagonal(values) => z / values[j],
        };
    }
    dot(&y, &y).sqrt()
}

/// ‖L⁻¹z‖ for rows z one after the other, in blocks. (The theorem above holds whatever the order of the sums.)
fn inverse_lengths(l: MatRef<f64>, z: &[f64], lengths: &mut [f64]) {
    let d = l.nrows();
    for (z, lengths) in z.chunks(BLOCK * d).zip(lengths.chunks_mut(BLOCK)) {
        let mut y = Mat::from_fn(d, lengths.len(), |j, k| z[k * d + j]);
        solve_lower_triangular_in_place(l, y.as_mut(), Par::Seq);
        for (k, length) in lengths.iter_mut().enumerate() {
            let y = y.col_as_slice(k);
            *length = f64::dot(y, y).sqrt();
        }
    }
}

/// ‖L⁻¹Zᵢ‖ of every row; those of opposites are the same.
fn lengths(gram: &Gram<f64>, n: usize, l: &Root, threads: &Threads) -> Vec<f64> {
    let (d, pairs, mut lengths) = (gram.columns(), gram.opposites(), vec![0.0; n]);
    let triangle = match l {
        Root::Triangle(rows) => Some(Mat::from_fn(d, d, |j, k| rows[j].get(k).copied().unwrap_or(0.0))),
        Root::Diagonal(_) => None,
    };
    let of_rows = |first: usize, lengths: &mut [f64]| {
        if let (Some(l), Rows::Dense { values, .. }, 1..) = (&triangle, gram.rows(), d) {
            return inverse_lengths(l.as_ref(), &values[first * d..(first + lengths.len()) * d], lengths);
        }
        let mut z = vec![0.0; d];
        for (k, length) in lengths.iter_mut().enumerate() {
            if let (Root::Diagonal(values), Rows::Sparse { .. }) = (l, gram.rows()) {
                *length = sparse_inverse_length(values, gram, first + k);
                continue;
            }
            z.fill(0.0);
            gram.for_row(first + k, |j, v| z[j] += *v);
            *length = wide_inverse_length(l, &z);
        }
    };
    let cost = if triangle.is_some() { d * d } else { 8 * d };
    for range in [0..pairs, 2 * pairs..n] {
        threads.parts(&mut lengths[range.clone()], 1, cost, |start, part| of_rows(range.start + start, part));
    }
    lengths.copy_within(..pairs, pairs);
    lengths
}

/// The same of a row by its stored entries, of which those of one column are added up.
fn sparse_inverse_length(l: &[f64], gram: &Gram<f64>, i: usize) -> f64 {
    let (mut square, mut last) = (0.0, (usize::MAX, 0.0));
    let scaled = |(j, z): (usize, f64)| if j < l.len() { (z / l[j]).powi(2) } else { 0.0 };
    gram.for_row(i, |j, z| {
        if j == last.0 {
            last.1 += z;
        } else {
            square += scaled(last);
            last = (j, *z);
        }
    });
    (square + scaled(last)).sqrt()
}

impl Metric {
    /// The metric of the n rows of Z. None when they are all zero, or their squares overflow.
    pub fn new(gram: &Gram<f64>, n: usize, threads: &Threads) -> Option<Self> {
        let mean = |c: &[Vec<f64>]| c.iter().enumerate().map(|(j, row)| row[j]).sum::<f64>() / c.len() as f64;
        Metric::with(gram, n, threads, FULL, |c| vec![RIDGE * mean(c); c.len()])
    }

    /// The metric of the spread of the rows with no more than rounding added, with a full triangle for at most so many columns. It suits an η that moves far
    /// along the directions in which the rows are short, as it does where it interpolates rows that are nearly parallel.
    pub fn close(gram: &Gram<f64>, n: usize, threads: &Threads, columns: usize) -> Option<Self> {
        let rounding = 4.0 * gram.columns() as f64 * f64::EPSILON;
        Metric::with(gram, n, threads, columns, |c| c.iter().enumerate().map(|(j, row)| rounding * row[j]).collect())
    }

    /// With a full triangle for no more than so many columns, and what is added to its squares.
    fn with(
        gram: &Gram<f64>,
        n: usize,
        threads: &Threads,
        columns: usize,
        ridge: impl Fn(&[Vec<f64>]) -> Vec<f64>,
    ) -> Option<Self> {
        let d = gram.columns();
        // A triangle pays where there are many rows for its entries.
        let full = d <= columns && n >= MANY * d;
        let l = if full { Root::Triangle(root(moments(gram, n), ridge)?) } else { Root::Diagonal(spread(gram, n)?) };
        let square: f64 = match &l {
            Root::Triangle(rows) => rows.iter().map(|row| f64::dot(row, row)).sum(),
            Root::Diagonal(values) => f64::dot(values, values),
        };
        let slack = d as f64 * f64::EPSILON * square.sqrt();
        let rows = lengths(gram, n, &l, threads);
        square.is_finite().then_some(Metric { l, slack, rows })
    }

    /// ‖L⁻¹Zᵢ‖ of every row.
    pub fn row_lengths(&self) -> &[f64] {
        &self.rows
    }

    /// ‖Lᵀv‖, rounded up by more than the rounding of ‖L⁻¹z‖ ‖Lᵀv‖.
    pub fn length(&self, v: &[f64]) -> f64 {
        let mut product = vec![0.0; v.len()];
        wide_times_transposed(&self.l, v, &mut product);
        let outward = 1.0 + 4.0 * v.len() as f64 * f64::EPSILON;
        f64::dot(&product, &product).sqrt() * outward + 2.0 * self.slack * f64::dot(v, v).sqrt()
    }
}

wide!(wide_times_transposed<'a> = times_transposed(l: &'a Root, v: &'a [f64], product: &'a mut [f64]));

/// Lᵀv.
#[inline(always)]
fn times_transposed(l: &Root, v: &[f64], product: &mut [f64]) {
    for (j, v) in v.iter().enumerate() {
        match l {
            Root::Triangle(rows) => axpy(*v, &rows[j], &mut product[..=j]),
            Root::Diagonal(values) => product[j] = v * values[j],
        }
    }
}

wide!(wide_add_squares<'a> = add_squares(row: &'a [f64], n: f64, c: &'a mut [Vec<f64>]));

/// c += rowᵀrow/n in the lower triangle.
#[inline(always)]
fn add_squares(row: &[f64], n: f64, c: &mut [Vec<f64>]) {
    for (j, (a, c)) in row.iter().zip(c).enumerate() {
        axpy(a / n, &row[..=j], c);
    }
}

/// The lower triangle of ZᵀZ/n, of m distinct rows for n where there are many.
fn moments(gram: &Gram<f64>, n: usize) -> Vec<Vec<f64>> {
    let (d, pairs) = (gram.columns(), gram.opposites());
    let mut c: Vec<Vec<f64>> = (0..d).map(|j| vec![0.0; j + 1]).collect();
    let distinct: Vec<usize> = (0..pairs).chain(2 * pairs..n).collect();
    let most = match gram.rows() {
        // d²/2 operations a row, beside 2d a row for its price.
        Rows::Dense { .. } => (MANY * d).max(4 * MOMENTS * n / d.max(1)),
        Rows::Sparse { .. } => n,
    };
    let chosen = distinct.into_iter().step_by((n - pairs).div_ceil(most.max(1)).max(1));
    let m = chosen.len() as f64;
    let mut entries: Vec<(usize, f64)> = Vec::new();
    for i in chosen {
        entries.clear();
        gram.for_row(i, |j, v| entries.extend((*v != 0.0).then_some((j, *v))));
        if entries.len() == c.len() {
            let row: Vec<f64> = entries.iter().map(|e| e.1).collect();
            wide_add_squares(&row, m, &mut c);
            continue;
        }
        for &(j, a) in &entries {
            for &(k, b) in entries.iter().filter(|(k, _)| *k <= j) {
                c[j][k] += a * b / m;
            }
        }
    }
    c
}

/// Cholesky's factor of c, with a ridge. None when c is zero.
fn root(mut c: Vec<Vec<f64>>, ridge: impl Fn(&[Vec<f64>]) -> Vec<f64>) -> Option<Vec<Vec<f64>>> {
    let ridge = ridge(&c);
    for (j, ridge) in ridge.into_iter().enumerate() {
        c[j][j] += ridge;
        for k in 0..=j {
            let (above, below) = c.split_at_mut(j);
            let row = &mut below[0];
            if k < j {
                row[k] = (row[k] - f64::dot(&row[..k], &above[k][..k])) / above[k][k];
            } else {
                row[j] = (row[j] - f64::dot(&row[..j], &row[..j])).sqrt();
            }
        }
        if c[j][j].partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            return None;
        }
    }
    Some(c)
}

/// The root mean square of every column, with the ridge. None when all are zero.
fn spread(gram: &Gram<f64>, n: usize) -> Option<Vec<f64>> {
    let mut squares = vec![0.0; gram.columns()];
    for i in 0..n {
        gram.for_row(i, |j, v| squares[j] += v * v / n as f64);
    }
    let ridge = RIDGE * squares.iter().sum::<f64>() / squares.len() as f64;
    (ridge > 0.0).then(|| squares.into_iter().map(|s| (s + ridge).sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::Rows;
    use super::*;
    use crate::active_set::key;

    fn number(i: usize, j: usize) -> f64 {
        (key(i, j as u64) % 1000) as f64 / 500.0 - 1.0
    }

    /// Rows that are nearly parallel, of very different length.
    fn rows(n: usize, columns: usize) -> Gram<f64> {
        let value = |i: usize, j: usize| 10f64.powi((i % 5) as i32) * (1.0 + 1e-6 * number(i, j));
        let values = (0..n).flat_map(|i| (0..columns).map(move |j| value(i, j))).collect();
        Gram::new(n, Rows::Dense { columns, values }, 1.0).unwrap()
    }

    #[test]
    fn the_bound_holds_and_is_attained_by_some_direction() {
        for d in [1, 3, 20, FULL + 1] {
            let n = if d <= FULL { MANY * d.max(8) } else { 30 };
            let gram = rows(n, d);
            let metric = Metric::new(&gram, n, &Threads::new(1)).unwrap();
            for k in 0..200 {
                let v: Vec<f64> = (0..d).map(|j| number(k + 1000, j)).collect();
                for i in 0..n {
                    let row: Vec<f64> = (0..d).map(|j| gram.dot(i, &unit(d, j))).collect();
                    assert!(f64::dot(&row, &v).abs() <= metric.row_lengths()[i] * metric.length(&v));
                }
            }
            // The direction of a row, moved into the metric: L⁻ᵀL⁻¹z.
            if let Root::Triangle(l) = &metric.l {
                let z: Vec<f64> = (0..d).map(|j| number(7, j)).collect();
                let mut v = Vec::new();
                for (j, z) in z.iter().enumerate() {
                    v.push((z - f64::dot(&l[j][..j], &v)) / l[j][j]);
                }
                for j in (0..d).rev() {
                    v[j] /= l[j][j];
                    let solved = v[j];
                    f64::axpy(&-solved, &l[j][..j], &mut v[..j]);
                }
                let ratio = f64::dot(&z, &v) / (inverse_length(&metric.l, &z) * metric.length(&v));
                assert!(ratio > 0.999_999 && ratio <= 1.0, "{ratio}");
            }
        }
    }

    fn unit(d: usize, j: usize) -> Vec<f64> {
        (0..d).map(|k| if k == j { 1.0 } else { 0.0 }).collect()
    }

    #[test]
    fn rows_without_entries_have_no_metric() {
        for d in [2, FULL + 1] {
            let gram = Gram::new(3, Rows::Dense { columns: d, values: vec![0.0; 3 * d] }, 1.0).unwrap();
            assert!(Metric::new(&gram, 3, &Threads::new(1)).is_none());
        }
    }
}
