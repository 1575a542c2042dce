//! Least squares by columns: what the lasso and non-negative least squares have in common.
//!
//! *Units.* Columns come in units of their own, income in cents beside a share of one, and the engine measures all variables on one scale. So it is given the columns
//! in units of their lengths, X̃ⱼ = Xⱼ/sⱼ with w̃ⱼ = sⱼwⱼ and sⱼ the power of two nearest to ‖Xⱼ‖: X̃w̃ = Xw, and both are exact. What weighs or bounds w is
//! put in the same terms, and the problem stays what it is:
//!
//! ```text
//! λ|wⱼ| = (λ/sⱼ)|w̃ⱼ|,      ρwⱼ² = (√ρ w̃ⱼ/sⱼ)²,      lⱼ ≤ wⱼ ≤ uⱼ   ⟺   sⱼlⱼ ≤ w̃ⱼ ≤ sⱼuⱼ
//! ```

use crate::dataset::Features;
use crate::error::AdapterError;
use pathqp::ProblemError;
use pathqp::hessian::{Gram, Rows};

/// The columns of a design X (n × d) and a response, both centred if there is an intercept.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    /// X̃, column by column, d·n values.
    values: Vec<f64>,
    /// s, d powers of two.
    scales: Vec<f64>,
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
        let centre = |v: &mut [f64]| if centred { centre(v) } else { 0.0 };
        let means = (values.chunks_mut(n).map(centre).collect(), centre(&mut response));
        let scales: Vec<f64> = values.chunks(n).map(unit).collect();
        for (x, s) in values.chunks_mut(n).zip(&scales) {
            x.iter_mut().for_each(|x| *x /= s);
        }
        Ok(Columns { values, scales, response, means })
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
        self.iter().map(|x| x.iter().zip(v).map(|(x, v)| x * v).sum()).collect()
    }

    /// y − X̃w̃.
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

    /// H = κ(X̃ᵀX̃ + ρS⁻²) with signs: its rows are the columns of X̃, or those of R from X̃ = QR where that has fewer entries (RᵀR = X̃ᵀX̃), once for every
    /// sign. The ridge is √ρS⁻¹ below X̃.
    pub fn gram(&self, signs: &[f64], scale: f64, ridge: f64) -> Result<Gram<f64>, ProblemError> {
        let (n, d) = (self.rows(), self.count());
        let rows = if n > d {
            let r = self.triangle(ridge);
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
                    values.extend(x.iter().chain([&(ridge.sqrt() / self.scales[j])]).map(|x| s * x));
                }
            }
            Rows::Sparse { columns: n + d, starts, indices, values }
        };
        Gram::new(d * signs.len(), rows, scale)
    }

    /// A matrix with X̃ᵀX̃ and a response with X̃ᵀy, of k = min(n, d) rows: X̃ and y themselves, or R and Qᵀy from X̃ = QR where there are more rows than columns. The matrix column by
    /// column, d·k values.
    pub fn reduced(&self) -> (Vec<f64>, Vec<f64>) {
        let (n, d) = (self.rows(), self.count());
        if n <= d {
            return (self.values.clone(), self.response.clone());
        }
        // Qᵀy is what the factors of (X̃, y) have in its column.
        let entry = |i: usize, j: usize| if j < d { self.values[j * n + i] } else { self.response[i] };
        let qr = faer::Mat::from_fn(n, d + 1, entry).qr();
        let r = qr.thin_R();
        let column = |j: usize| (0..d).map(move |i| if i <= j { r[(i, j)] } else { 0.0 });
        ((0..d).flat_map(column).collect(), column(d).collect())
    }

    /// R of the QR factors of X̃ with √ρS⁻¹ below it, column by column, d·d values.
    fn triangle(&self, ridge: f64) -> Vec<f64> {
        let (n, d) = (self.rows(), self.count());
        let extended = if ridge == 0.0 { n } else { n + d };
        let entry = |i: usize, j: usize| match i.checked_sub(n) {
            None => self.values[j * n + i],
            Some(k) if k == j => ridge.sqrt() / self.scales[j],
            Some(_) => 0.0,
        };
        let qr = faer::Mat::from_fn(extended, d, entry).qr();
        let r = qr.thin_R();
        (0..d).flat_map(|j| (0..d).map(move |i| if i <= j { r[(i, j)] } else { 0.0 })).collect()
    }
}

/// Takes the mean off; its rounding is taken off once more. The mean is v₁ + mean(v − v₁), so that nothing is left of values that are all the same (Chan, Golub and
/// LeVeque 1983, doi:10.1080/00031305.1983.10483115).
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
