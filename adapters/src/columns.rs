//! Least squares by columns: what the lasso and non-negative least squares have in common.
//!
//! *Units.* Users choose the units of the columns (income in cents beside a share between zero and one), but the engine measures all variables on one scale. So
//! the columns are given to the engine
//! in units of their lengths, X̃ⱼ = Xⱼ/sⱼ with w̃ⱼ = sⱼwⱼ and sⱼ the power of two nearest to ‖Xⱼ‖: X̃w̃ = Xw, and both are exact. Penalties and bounds of w are
//! converted accordingly, so that the problem is the same:
//!
//! ```text
//! λ|wⱼ| = (λ/sⱼ)|w̃ⱼ|,      ρwⱼ² = (√ρ w̃ⱼ/sⱼ)²,      lⱼ ≤ wⱼ ≤ uⱼ   ⟺   sⱼlⱼ ≤ w̃ⱼ ≤ sⱼuⱼ
//! ```
//!
//! *Sparse designs.* A design of whose entries less than [`DENSE`] are non-zero is stored as a sparse matrix and never centred, since centring would fill the
//! zeros. The constant w₀ is then a variable of its own, with a column of ones and without bounds, so that it is free along the whole path and
//!
//! ```text
//! min over w₀   ‖y − X̃w̃ − w₀1‖²  =  ‖(I − 11ᵀ/n)(y − X̃w̃)‖²
//! ```
//!
//! which is the centred problem. Little accuracy is lost: if the share δ of the entries of a column is non-zero, centring takes at most the share δ off the
//! square of its length (by the Cauchy–Schwarz inequality on these entries), so that the angle between the column and 1 is at least arccos √δ. Columns of dense
//! designs are centred explicitly.

use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::hessian::{Gram, Rows};
use pathqp::{ProblemError, Scalar};

/// Columns of which at least this part of all entries is not zero are stored in full.
const DENSE: f64 = 0.125;

/// The entries of X̃, column by column.
#[derive(Clone, Debug)]
enum Entries {
    /// d·n values; centred if there is an intercept.
    Dense(Vec<f64>),
    /// Column j has the rows and values `starts[j]..starts[j + 1]`, as they are.
    Sparse { starts: Vec<usize>, rows: Vec<u32>, values: Vec<f64> },
}

/// The columns of a design X (n × d) and a response, both centred if there is an intercept.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    entries: Entries,
    /// s, d powers of two.
    scales: Vec<f64>,
    /// y, n entries.
    pub response: Vec<f64>,
    /// The means of the columns and of the response; zeros without an intercept.
    means: (Vec<f64>, f64),
    /// Whether the constant is a variable of its own: entries that are kept as they are, and an intercept.
    constant: bool,
}

impl Columns {
    /// # Errors
    /// Lengths that do not agree, no rows or columns, and a response that is not finite.
    pub fn new(features: &Features, mut response: Vec<f64>, centred: bool) -> Result<Self, AdapterError> {
        let (n, d) = (features.rows(), features.columns());
        if response.len() != n {
            return Err(AdapterError::Shape { what: "responses", expected: n, found: response.len() });
        }
        if let Some(row) = response.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: response[row] });
        }
        if n == 0 || d == 0 {
            return Err(ProblemError::Empty { variables: d, parameters: 1 }.into());
        }
        let stored = features.nonzeros();
        let is_sparse = (stored as f64) < DENSE * n as f64 * d as f64 && !has_triangle([n, d], stored);
        let mut entries = if is_sparse { Entries::sparse(features, stored) } else { Entries::dense(features) };
        let column_means = match (&mut entries, centred) {
            (_, false) => vec![0.0; d],
            (Entries::Dense(values), true) => values.chunks_mut(n).map(centre).collect(),
            (Entries::Sparse { .. }, true) => entries.map(n, |x| x.iter().sum::<f64>() / n as f64),
        };
        let means = (column_means, if centred { centre(&mut response) } else { 0.0 });
        let scales = entries.map(n, unit);
        entries.divide(n, &scales);
        Ok(Columns { entries, scales, response, means, constant: is_sparse && centred })
    }

    /// d.
    pub fn count(&self) -> usize {
        self.means.0.len()
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.response.len()
    }

    /// Whether the constant is a variable of its own, after the coefficients of all signs, with no bounds and a cost of zero (y is centred).
    pub fn has_constant(&self) -> bool {
        self.constant
    }

    /// Calls `visit` with every stored entry (row, value) of column j of X̃.
    fn visit(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.entries {
            Entries::Dense(values) => {
                let n = self.rows();
                values[j * n..(j + 1) * n].iter().enumerate().for_each(|(i, x)| visit(i, *x));
            }
            Entries::Sparse { starts, rows, values } => {
                let range = starts[j]..starts[j + 1];
                rows[range.clone()].iter().zip(&values[range]).for_each(|(i, x)| visit(*i as usize, *x));
            }
        }
    }

    /// What centring takes off every entry of column j of X̃ that is kept as it is.
    fn mean(&self, j: usize) -> f64 {
        if self.constant { self.means.0[j] / self.scales[j] } else { 0.0 }
    }

    /// s, d powers of two: the units of the columns.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// w, d entries, of w̃.
    pub fn in_own_units(&self, w: &[f64]) -> Vec<f64> {
        w.iter().zip(&self.scales).map(|(w, s)| w / s).collect()
    }

    /// X̃ᵀv for v of n entries.
    pub fn products(&self, v: &[f64]) -> Vec<f64> {
        let sum: f64 = if self.constant { v.iter().sum() } else { 0.0 };
        if let Entries::Dense(values) = &self.entries {
            return values.chunks(self.rows()).map(|x| f64::dot(x, v)).collect();
        }
        let product = |j: usize| {
            let mut product = 0.0;
            self.visit(j, |i, x| product += x * v[i]);
            product - self.mean(j) * sum
        };
        (0..self.count()).map(product).collect()
    }

    /// y − X̃w̃.
    pub fn residual(&self, w: &[f64]) -> Vec<f64> {
        let (mut rest, mut constant) = (self.response.clone(), 0.0);
        for (j, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            self.visit(j, |i, x| rest[i] -= w * x);
            constant += w * self.mean(j);
        }
        if self.constant {
            rest.iter_mut().for_each(|rest| *rest += constant);
        }
        rest
    }

    /// The constant that goes with w.
    pub fn intercept(&self, w: &[f64]) -> f64 {
        self.means.1 - self.means.0.iter().zip(w).map(|(m, w)| m * w).sum::<f64>()
    }

    /// H = κ(X̃ᵀX̃ + ρS⁻²) with signs: its rows are the columns of X̃, or those of R from X̃ = QR where that has fewer entries (RᵀR = X̃ᵀX̃), once for every
    /// sign. The ridge is √ρS⁻¹ below X̃. The row of a constant of its own is the last one, 1 in units of a power of two near √n.
    pub fn gram(&self, signs: &[f64], scale: f64, ridge: f64) -> Result<Gram<f64>, ProblemError> {
        let (n, d) = (self.rows(), self.count());
        let rows = match &self.entries {
            Entries::Dense(values) if has_triangle([n, d], values.len()) => {
                Rows::Dense { columns: d, values: copies(&self.triangle(values, ridge), signs) }
            }
            Entries::Dense(values) if ridge == 0.0 => Rows::Dense { columns: n, values: copies(values, signs) },
            _ => self.sparse_rows(signs, ridge),
        };
        Gram::new(d * signs.len() + usize::from(self.constant), rows, scale)
    }

    fn sparse_rows(&self, signs: &[f64], ridge: f64) -> Rows<f64> {
        let (n, d) = (self.rows(), self.count());
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for s in signs {
            for j in 0..d {
                self.visit(j, |i, x| {
                    indices.push(i as u32);
                    values.push(s * x);
                });
                if ridge > 0.0 {
                    indices.push((n + j) as u32);
                    values.push(s * ridge.sqrt() / self.scales[j]);
                }
                starts.push(indices.len());
            }
        }
        if self.constant {
            let ones = vec![1.0; n];
            indices.extend(0..n as u32);
            values.extend(ones.iter().map(|one| one / unit(&ones)));
            starts.push(indices.len());
        }
        Rows::Sparse { columns: if ridge > 0.0 { n + d } else { n }, starts, indices, values }
    }

    /// A matrix with X̃ᵀX̃ and a response with X̃ᵀy, of k = min(n, d) rows: X̃ and y themselves, or R and Qᵀy from X̃ = QR where there are more rows than columns. The matrix column by
    /// column, d·k values.
    pub fn reduced(&self) -> (Vec<f64>, Vec<f64>) {
        let (n, d) = (self.rows(), self.count());
        let values = self.in_full();
        if n <= d {
            return (values, self.response.clone());
        }
        // Qᵀy is what the factors of (X̃, y) have in its column.
        let entry = |i: usize, j: usize| if j < d { values[j * n + i] } else { self.response[i] };
        let qr = faer::Mat::from_fn(n, d + 1, entry).qr();
        let r = qr.thin_R();
        let column = |j: usize| (0..d).map(move |i| if i <= j { r[(i, j)] } else { 0.0 });
        ((0..d).flat_map(column).collect(), column(d).collect())
    }

    /// X̃ with all its entries, centred if there is an intercept, column by column.
    fn in_full(&self) -> Vec<f64> {
        let n = self.rows();
        let mut all = Vec::with_capacity(n * self.count());
        for j in 0..self.count() {
            all.resize((j + 1) * n, -self.mean(j));
            self.visit(j, |i, x| all[j * n + i] += x);
        }
        all
    }

    /// R of the QR factors of X̃ (n·d `values`) with √ρS⁻¹ below it, column by column, d·d values.
    fn triangle(&self, values: &[f64], ridge: f64) -> Vec<f64> {
        let (n, d) = (self.rows(), self.count());
        let extended = if ridge == 0.0 { n } else { n + d };
        let entry = |i: usize, j: usize| match i.checked_sub(n) {
            None => values[j * n + i],
            Some(k) if k == j => ridge.sqrt() / self.scales[j],
            Some(_) => 0.0,
        };
        let qr = faer::Mat::from_fn(extended, d, entry).qr();
        let r = qr.thin_R();
        (0..d).flat_map(|j| (0..d).map(move |i| if i <= j { r[(i, j)] } else { 0.0 })).collect()
    }
}

impl Entries {
    fn dense(features: &Features) -> Self {
        let n = features.rows();
        let mut values = vec![0.0; n * features.columns()];
        for i in 0..n {
            features.row(i).for_each(|j, v| values[j * n + i] = v);
        }
        Entries::Dense(values)
    }

    /// By counting: where each column starts, then every row's entries to their places.
    fn sparse(features: &Features, stored: usize) -> Self {
        let (mut starts, mut rows, mut values) = (vec![0; features.columns() + 1], vec![0; stored], vec![0.0; stored]);
        let each = |visit: &mut dyn FnMut(usize, usize, f64)| {
            for i in 0..features.rows() {
                features.row(i).for_each(|j, v| {
                    if v != 0.0 {
                        visit(i, j, v);
                    }
                });
            }
        };
        each(&mut |_, j, _| starts[j + 1] += 1);
        for j in 1..starts.len() {
            starts[j] += starts[j - 1];
        }
        let mut next = starts.clone();
        each(&mut |i, j, v| {
            (rows[next[j]], values[next[j]]) = (i as u32, v);
            next[j] += 1;
        });
        Entries::Sparse { starts, rows, values }
    }

    /// Something of the stored values of every column.
    fn map(&self, n: usize, of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        match self {
            Entries::Dense(values) => values.chunks(n).map(of).collect(),
            Entries::Sparse { starts, values, .. } => starts.windows(2).map(|w| of(&values[w[0]..w[1]])).collect(),
        }
    }

    /// Every column in units of its own.
    fn divide(&mut self, n: usize, scales: &[f64]) {
        match self {
            Entries::Dense(values) => {
                for (x, s) in values.chunks_mut(n).zip(scales) {
                    x.iter_mut().for_each(|x| *x /= s);
                }
            }
            Entries::Sparse { starts, values, .. } => {
                for (range, s) in starts.windows(2).zip(scales) {
                    values[range[0]..range[1]].iter_mut().for_each(|x| *x /= s);
                }
            }
        }
    }
}

/// The values times each sign, one copy after the other.
fn copies(values: &[f64], signs: &[f64]) -> Vec<f64> {
    let mut copies = Vec::with_capacity(values.len() * signs.len());
    signs.iter().for_each(|s| copies.extend(values.iter().map(|x| s * x)));
    copies
}

/// Whether R from X̃ = QR has fewer entries than the stored ones of X̃, n × d.
fn has_triangle([n, d]: [usize; 2], stored: usize) -> bool {
    n > d && d.saturating_mul(d) < stored
}

/// Subtracts the mean, and then the rounding error of the mean. The mean is computed as v₁ + mean(v − v₁), so that a column of equal values becomes exactly
/// zero (Chan, Golub and LeVeque 1983, doi:10.1080/00031305.1983.10483115).
fn centre(v: &mut [f64]) -> f64 {
    let mut all = 0.0;
    for _ in 0..2 {
        let first = v.first().copied().unwrap_or(0.0);
        let mean = first + v.iter().map(|v| v - first).sum::<f64>() / v.len() as f64;
        v.iter_mut().for_each(|v| *v -= mean);
        all += mean;
    }
    all
}

/// The power of two nearest to the length of a column, one for a column of zeros. (What is not finite is left to the Hessian to refuse.)
pub(crate) fn unit(x: &[f64]) -> f64 {
    /// Beyond it a power of two or its inverse overflows.
    const LARGEST: f64 = 1000.0;
    let largest = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let exponent = largest.log2() + x.iter().map(|x| (x / largest).powi(2)).sum::<f64>().log2() / 2.0;
    if exponent.is_finite() { 2f64.powi(exponent.round().clamp(-LARGEST, LARGEST) as i32) } else { 1.0 }
}
