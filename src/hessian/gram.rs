//! H = κ Z Zᵀ, given by the rows of Z, dense or sparse. H itself is never formed.

use super::Hessian;
use super::metric::Metric;
use crate::error::ProblemError;
use crate::scalar::Scalar;
use crate::threads::Threads;
use std::sync::OnceLock;

/// The n × d matrix Z.
#[derive(Clone, Debug)]
pub enum Rows<S> {
    /// Row-major, n·d entries.
    Dense {
        /// The number of columns d.
        columns: usize,
        /// The entries, row by row.
        values: Vec<S>,
    },
    /// Compressed rows: row i has the entries `starts[i]..starts[i + 1]`.
    Sparse {
        /// The number of columns d.
        columns: usize,
        /// n + 1 positions, in ascending order.
        starts: Vec<usize>,
        /// The column of each entry, below d.
        indices: Vec<u32>,
        /// The entries.
        values: Vec<S>,
    },
}

/// H = κ Z Zᵀ: the linear kernel, a factor model, or no quadratic term at all (d = 0).
#[derive(Clone, Debug)]
pub struct Gram<S> {
    rows: Rows<S>,
    scale: S,
    n: usize,
    norms: Vec<S>,
    sparse_products: bool,
    /// So many rows are followed by their opposites.
    opposites: usize,
    /// Made when it is first asked for.
    metric: OnceLock<Option<Metric>>,
}

impl<S: Scalar> Gram<S> {
    /// H = `scale`·Z Zᵀ with the n rows of Z.
    ///
    /// # Errors
    /// [`ProblemError`] for shapes that do not agree, a column that is not below d, an entry that is not finite or whose square is not, or a scale that is not
    /// positive and finite.
    pub fn new(n: usize, rows: Rows<S>, scale: S) -> Result<Self, ProblemError> {
        let (found, expected) = match &rows {
            Rows::Dense { columns, values } => (values.len(), n * columns),
            Rows::Sparse { starts, indices, values, .. } => {
                if starts.len() != n + 1 || indices.len() != values.len() || starts.windows(2).any(|w| w[0] > w[1]) {
                    return Err(ProblemError::Shape { what: "row starts of Z", expected: n + 1, found: starts.len() });
                }
                (starts[n], values.len())
            }
        };
        if found != expected {
            return Err(ProblemError::Shape { what: "Z", expected, found });
        }
        if let Rows::Sparse { columns, indices, .. } = &rows
            && let Some(&column) = indices.iter().find(|&&j| j as usize >= *columns)
        {
            return Err(ProblemError::Shape { what: "a row of Z", expected: *columns, found: column as usize + 1 });
        }
        if !scale.is_finite_number() || scale <= S::zero() {
            return Err(ProblemError::Scale { value: scale.to_string() });
        }
        let (norms, opposites) = (Vec::with_capacity(n), if has_opposites(&rows, n / 2) { n / 2 } else { 0 });
        let mut gram = Gram { rows, scale, n, norms, sparse_products: false, opposites, metric: OnceLock::new() };
        for i in 0..n {
            let norm = gram.opposite(i).map_or_else(|| gram.row_dot_row(i, i), |j| gram.norms[j].clone());
            if !norm.is_finite_number() {
                return Err(ProblemError::Length { row: i, value: norm.to_string() });
            }
            gram.norms.push(norm);
        }
        Ok(gram)
    }

    /// Factors the free rows by their products with one another, Z_F Z_Fᵀ as a sparse matrix, if there is no equality row and Z has many columns. This suits
    /// rows that share columns with few others, such as those of the edges of a graph. It assumes that any independent rows are independent by much more than
    /// √ε of their lengths, because products have rounding of that size.
    pub fn with_sparse_products(self) -> Self {
        Gram { sparse_products: true, ..self }
    }

    pub(crate) fn has_sparse_products(&self) -> bool {
        self.sparse_products
    }

    /// The row before of which row i is the opposite, where the rows of the first half are followed by theirs: what is computed of the one is known of the other, to the last bit.
    pub(crate) fn opposite(&self, i: usize) -> Option<usize> {
        i.checked_sub(self.opposites).filter(|j| *j < self.opposites)
    }

    /// How many rows, from the first on, are followed by as many opposites.
    pub(crate) fn opposites(&self) -> usize {
        self.opposites
    }

    /// The number of columns d of Z.
    pub fn columns(&self) -> usize {
        match &self.rows {
            Rows::Dense { columns, .. } | Rows::Sparse { columns, .. } => *columns,
        }
    }

    /// The factor κ.
    pub fn scale(&self) -> &S {
        &self.scale
    }

    /// The rows of Z.
    pub fn rows(&self) -> &Rows<S> {
        &self.rows
    }

    /// The product Zᵢ·w of row i with a vector of d entries.
    pub fn dot(&self, i: usize, w: &[S]) -> S {
        match &self.rows {
            Rows::Dense { columns, values } => S::dot(&values[i * columns..(i + 1) * columns], w),
            Rows::Sparse { starts, indices, values, .. } => {
                let (mut sum, entries) = (S::zero(), starts[i]..starts[i + 1]);
                for (&j, value) in indices[entries.clone()].iter().zip(&values[entries]) {
                    sum += value.clone() * &w[j as usize];
                }
                sum
            }
        }
    }

    /// w + s Zᵢ, in place; `w` has d entries.
    pub(crate) fn add_row(&self, i: usize, s: &S, w: &mut [S]) {
        match &self.rows {
            Rows::Dense { columns, values } => S::axpy(s, &values[i * columns..(i + 1) * columns], w),
            Rows::Sparse { .. } => self.for_row(i, |j, z| w[j] += s.clone() * z),
        }
    }

    /// κ Σ xₖ Zᵢ over some rows i, d entries.
    pub(crate) fn combine(&self, rows: &[usize], x: &[S]) -> Vec<S> {
        let mut w = vec![S::zero(); self.columns()];
        for (&i, x) in rows.iter().zip(x) {
            self.add_row(i, &(x.clone() * &self.scale), &mut w);
        }
        w
    }

    /// Calls `visit` with (column, entry) of every stored entry of row i of Z.
    #[inline(always)]
    pub fn for_row(&self, i: usize, mut visit: impl FnMut(usize, &S)) {
        match &self.rows {
            Rows::Dense { columns, values } => {
                values[i * columns..(i + 1) * columns].iter().enumerate().for_each(|(j, v)| visit(j, v));
            }
            Rows::Sparse { starts, indices, values, .. } => {
                let entries = starts[i]..starts[i + 1];
                for (&j, value) in indices[entries.clone()].iter().zip(&values[entries]) {
                    visit(j as usize, value);
                }
            }
        }
    }

    fn row_dot_row(&self, i: usize, j: usize) -> S {
        match &self.rows {
            Rows::Dense { columns, values } => {
                S::dot(&values[i * columns..(i + 1) * columns], &values[j * columns..(j + 1) * columns])
            }
            Rows::Sparse { starts, indices, values, .. } => {
                let (mut a, mut b) = (starts[i], starts[j]);
                let mut sum = S::zero();
                while a < starts[i + 1] && b < starts[j + 1] {
                    match indices[a].cmp(&indices[b]) {
                        std::cmp::Ordering::Less => a += 1,
                        std::cmp::Ordering::Greater => b += 1,
                        std::cmp::Ordering::Equal => {
                            sum += values[a].clone() * &values[b];
                            a += 1;
                            b += 1;
                        }
                    }
                }
                sum
            }
        }
    }
}

/// Σ of the entries of a sparse row times w, in four partial sums: one sum alone would wait for every addition.
fn sparse_dot(columns: &[u32], values: &[f64], w: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, values_of_fours) = (columns.chunks_exact(4), values.chunks_exact(4));
    let last = fours.remainder().iter().zip(values_of_fours.remainder());
    let rest: f64 = last.map(|(&j, value)| value * w[j as usize]).sum();
    for (columns, values) in fours.zip(values_of_fours) {
        for k in 0..4 {
            sums[k] += values[k] * w[columns[k] as usize];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Whether the first `half` > 0 rows are followed by their opposites.
fn has_opposites<S: Scalar>(rows: &Rows<S>, half: usize) -> bool {
    let opposite = |a: &[S], b: &[S]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| *b == -a.clone());
    match rows {
        Rows::Dense { columns, values } => {
            half > 0 && opposite(&values[..half * columns], &values[half * columns..2 * half * columns])
        }
        Rows::Sparse { starts, indices, values, .. } => {
            let [first, middle, end] = [0, half, 2 * half].map(|i| starts[i]);
            let alike = |k: usize| starts[k] - first == starts[half + k] - middle;
            half > 0
                && (0..=half).all(alike)
                && indices[first..middle] == indices[middle..end]
                && opposite(&values[first..middle], &values[middle..end])
        }
    }
}

impl Gram<f64> {
    /// The product Zᵢ·w as by [`Gram::dot`], of a sparse row in another order.
    pub(crate) fn quick_dot(&self, i: usize, w: &[f64]) -> f64 {
        match &self.rows {
            Rows::Dense { .. } => self.dot(i, w),
            Rows::Sparse { starts, indices, values, .. } => {
                let entries = starts[i]..starts[i + 1];
                sparse_dot(&indices[entries.clone()], &values[entries], w)
            }
        }
    }

    /// (Zᵢ·w, Zᵢ·v) for two vectors of d entries, given one after the other and entry by entry.
    pub(crate) fn dot_pair(&self, i: usize, [w, v]: [&[f64]; 2], both: &[[f64; 2]]) -> (f64, f64) {
        match &self.rows {
            Rows::Dense { columns, values } => f64::dot_two(&values[i * columns..(i + 1) * columns], w, v),
            Rows::Sparse { starts, indices, values, .. } => {
                let (mut a, mut b, entries) = (0.0, 0.0, starts[i]..starts[i + 1]);
                for (&j, value) in indices[entries.clone()].iter().zip(&values[entries]) {
                    let [w, v] = &both[j as usize];
                    a += value * w;
                    b += value * v;
                }
                (a, b)
            }
        }
    }

    /// The norm in which certified pricing measures the rows; none when they are all zero. Costs O(nd²) once.
    pub(crate) fn metric(&self, threads: &Threads) -> Option<&Metric> {
        self.metric.get_or_init(|| Metric::new(self, self.n, threads)).as_ref()
    }
}

impl<S: Scalar> Hessian<S> for Gram<S> {
    fn dim(&self) -> usize {
        self.n
    }

    fn diagonal(&self, i: usize) -> S {
        self.norms[i].clone() * &self.scale
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.row_dot_row(i, j) * &self.scale;
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        let mut z = vec![S::zero(); self.columns()];
        self.for_row(i, |j, v| z[j] = v.clone() * &self.scale);
        let row: Vec<S> = (0..self.n).map(|j| self.dot(j, &z)).collect();
        visit(&row);
    }

    fn row_factor(&self) -> Option<&Gram<S>> {
        Some(self)
    }
}
