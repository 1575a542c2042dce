//! Least squares by columns: what the lasso and non-negative least squares have in common.

use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::ProblemError;
use pathqp::hessian::{Gram, Rows};

/// The columns of a design X (n × d) and a response, both centred if there is an intercept.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// Column by column, d·n values.
    values: Vec<f64>,
    /// y, n entries.
    pub response: Vec<f64>,
    /// The means of the columns and of the response; zeros without an intercept.
    means: (Vec<f64>, f64),
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
        let mut values = vec![0.0; d * n];
        for i in 0..n {
            features.row(i).for_each(|j, v| values[j * n + i] = v);
        }
        let centre = |v: &mut [f64]| {
            // A mean lies between the values, also when it is rounded: nothing is left of values that are all the same.
            let ends = v.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(*v), b.max(*v)]);
            let mean = v.iter().sum::<f64>() / n as f64;
            let mean = if centred { mean.max(ends[0]).min(ends[1]) } else { 0.0 };
            v.iter_mut().for_each(|v| *v -= mean);
            mean
        };
        let means = (values.chunks_mut(n).map(centre).collect(), centre(&mut response));
        Ok(Columns { values, response, means })
    }

    /// d.
    pub fn count(&self) -> usize {
        self.means.0.len()
    }

    /// n.
    pub fn rows(&self) -> usize {
        self.response.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.rows())
    }

    /// Xᵀv for v of n entries.
    pub fn products(&self, v: &[f64]) -> Vec<f64> {
        self.iter().map(|x| x.iter().zip(v).map(|(x, v)| x * v).sum()).collect()
    }

    /// y − Xw.
    pub fn residual(&self, w: &[f64]) -> Vec<f64> {
        let mut rest = self.response.clone();
        for (x, w) in self.iter().zip(w).filter(|(_, w)| **w != 0.0) {
            rest.iter_mut().zip(x).for_each(|(rest, x)| *rest -= w * x);
        }
        rest
    }

    /// The constant that goes with w.
    pub fn intercept(&self, w: &[f64]) -> f64 {
        self.means.1 - self.means.0.iter().zip(w).map(|(m, w)| m * w).sum::<f64>()
    }

    /// H = κ(XᵀX + ρI) with signs: its rows are the columns of X, or those of R from X = QR where that has fewer entries (RᵀR = XᵀX), once for every
    /// sign. The ridge is √ρI below X.
    pub fn gram(&self, signs: &[f64], scale: f64, ridge: f64) -> Result<Gram<f64>, ProblemError> {
        let (n, d) = (self.rows(), self.count());
        let rows = if n > d {
            let r = self.triangle(ridge.sqrt());
            Rows::Dense { columns: d, values: signs.iter().flat_map(|s| r.iter().map(move |x| s * x)).collect() }
        } else if ridge == 0.0 {
            let values = signs.iter().flat_map(|s| self.values.iter().map(move |x| s * x)).collect();
            Rows::Dense { columns: n, values }
        } else {
            let starts = (0..=d * signs.len()).map(|i| i * (n + 1)).collect();
            let (mut indices, mut values) = (Vec::new(), Vec::new());
            for s in signs {
                for (j, x) in self.iter().enumerate() {
                    indices.extend((0..n).chain([n + j]).map(|k| k as u32));
                    values.extend(x.iter().chain([&ridge.sqrt()]).map(|x| s * x));
                }
            }
            Rows::Sparse { columns: n + d, starts, indices, values }
        };
        Gram::new(d * signs.len(), rows, scale)
    }

    /// R of the QR factors of X with a multiple of I below it, column by column, d·d values.
    fn triangle(&self, below: f64) -> Vec<f64> {
        let (n, d) = (self.rows(), self.count());
        let extended = if below == 0.0 { n } else { n + d };
        let entry = |i: usize, j: usize| match i.checked_sub(n) {
            None => self.values[j * n + i],
            Some(k) => {
                if k == j {
                    below
                } else {
                    0.0
                }
            }
        };
        let qr = faer::Mat::from_fn(extended, d, entry).qr();
        let r = qr.thin_R();
        (0..d).flat_map(|j| (0..d).map(move |i| if i <= j { r[(i, j)] } else { 0.0 })).collect()
    }
}
