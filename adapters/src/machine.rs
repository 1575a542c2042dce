//! Functions f(x) = Σ βᵢ k(xᵢ, x) + constant on rows of data, which all kernel problems share.
//!
//! A [`KernelMachine`] holds the checked data, the kernel and the kind of bias, provides H, and turns the coefficients β of a solution into a [`Function`].
//! With a constant feature B the kernel is k + B², and the constant is B² Σ βᵢ. An intercept without penalty is an equality row of the quadratic program, and
//! the constant follows from the multiplier of that row.

use crate::bias::Bias;
use crate::dataset::{Features, Row};
use crate::error::AdapterError;
use crate::kernel::{KernelKind, SignedKernel};
use pathqp::hessian::{Gram, Kernel, Rows, multiply, signed};
use pathqp::{Hessian, ProblemError, Settings};
use std::sync::{Arc, OnceLock};

/// So many inner products cost as much as one stored entry of the rows, or one entry of a vector of their length: 600 events on sparse rows
/// with 105,033 columns and 160 entries each take 0.6 times as long by inner products with 1,000 rows (ratio 4), and 1.8 times with 3,000 (ratio 16).
const PRODUCTS: usize = 4;

/// n rows of data with case weights, a kernel and a kind of bias.
#[derive(Clone)]
pub struct KernelMachine {
    features: Arc<Features>,
    weights: Vec<f64>,
    kernel: KernelKind,
    bias: Bias,
    /// The kernel matrix that was made first, with what it was made with.
    matrix: OnceLock<Arc<Kernel<SignedKernel>>>,
}

/// The function f(x) = Σ βᵢ k(xᵢ, x) + constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The coefficients β, n entries.
    pub expansion: Vec<f64>,
    /// The weights Σ βᵢxᵢ of the d features, without that of a constant feature; for linear kernels only.
    pub w: Option<Vec<f64>>,
    /// The constant: zero, the contribution of the constant feature, or the intercept.
    pub constant: f64,
}

impl KernelMachine {
    /// n rows with a kernel and a kind of bias. `weights` are case weights, one for each row, by default one. A row of weight zero is ignored: its dual
    /// variables are zero, in a box of no width, and the solution is the one without the row.
    ///
    /// # Errors
    /// [`AdapterError`] for a constant feature that is zero or not finite, weights that cannot be used, and a precomputed kernel that is not square and
    /// symmetric.
    pub fn new(
        features: Arc<Features>,
        weights: Option<Vec<f64>>,
        kernel: KernelKind,
        bias: Bias,
    ) -> Result<Self, AdapterError> {
        let rows = features.rows();
        if let Bias::Augmented(value) = bias
            && !(value.is_finite() && value != 0.0)
        {
            return Err(AdapterError::AugmentedBias { value });
        }
        if kernel == KernelKind::Precomputed && features.columns() != rows {
            return Err(AdapterError::Precomputed { rows, columns: features.columns() });
        }
        if kernel == KernelKind::Precomputed
            && let Some((row, column, values)) = asymmetry(&features)
        {
            return Err(AdapterError::Asymmetric { row, column, values });
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; rows]);
        if weights.len() != rows {
            return Err(AdapterError::Shape { what: "weights", expected: rows, found: weights.len() });
        }
        check_weights(&weights)?;
        Ok(KernelMachine { features, weights, kernel, bias, matrix: OnceLock::new() })
    }

    /// Scales the case weights to mean one, for losses that are means.
    pub fn with_mean_weight_one(mut self) -> Self {
        let (rows, total) = (self.rows() as f64, self.weights.iter().sum::<f64>());
        self.weights.iter_mut().for_each(|v| *v = *v * rows / total);
        self
    }

    /// The number of rows n.
    pub fn rows(&self) -> usize {
        self.features.rows()
    }

    /// The rows, n × d.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The case weights, n entries.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The rows of positive weight, in ascending order.
    pub fn counted(&self) -> Vec<usize> {
        (0..self.rows()).filter(|&i| self.weights[i] > 0.0).collect()
    }

    /// The features of some rows (counted from zero); for a precomputed kernel the matrix restricted to these rows and columns.
    pub fn select(&self, rows: &[usize]) -> Features {
        let part = self.features.select_rows(rows);
        if self.kernel == KernelKind::Precomputed { part.select_columns(rows) } else { part }
    }

    /// Checks that both classes have a row of positive weight. `labels` are those of the n rows, +1 or −1.
    ///
    /// # Errors
    /// [`AdapterError::NoWeightInClass`] if one has none.
    pub fn check_classes(&self, labels: &[f64]) -> Result<(), AdapterError> {
        check_class_weights(labels, &self.weights)
    }

    /// The kernel k, without the constant feature.
    pub fn kernel(&self) -> KernelKind {
        self.kernel
    }

    /// The kind of bias.
    pub fn bias(&self) -> Bias {
        self.bias
    }

    /// The matrix Hᵢⱼ = `scale`·sᵢsⱼ(k(xᵢ, xⱼ) + B²) for n `signs` s. With a linear kernel it is given by its rows sᵢ(xᵢ, B), with other kernels by rows that
    /// are cached within the byte budget of `settings`. Few rows with very many columns are given by their inner products as well.
    ///
    /// # Errors
    /// The errors of [`Gram::new`].
    /// What [`Gram::new`] refuses.
    pub fn hessian(
        &self,
        signs: &[f64],
        scale: f64,
        settings: &Settings,
    ) -> Result<Arc<dyn Hessian<f64>>, ProblemError> {
        if self.kernel == KernelKind::Linear && !self.is_wide(settings) {
            return Ok(Arc::new(Gram::new(self.rows(), self.signed_rows(signs), scale)?));
        }
        let (features, offset) = (self.features.clone(), self.bias.kernel_offset());
        let function = SignedKernel::new(features, self.kernel, signs.to_vec(), scale, offset);
        let matrix = Arc::new(Kernel::new(function, settings.cache_bytes).with_threads(settings.threads));
        let _first = self.matrix.get_or_init(|| matrix.clone());
        Ok(matrix)
    }

    /// The matrix H for x = (α, α*) with both signs of every row, \[K −K; −K K\] with K = k + B², in the memory of K.
    ///
    /// # Errors
    /// The errors of [`Gram::new`].
    pub fn mirrored_hessian(&self, settings: &Settings) -> Result<Arc<dyn Hessian<f64>>, ProblemError> {
        let n = self.rows();
        let copies = [1.0, -1.0].into_iter().flat_map(|sign| (0..n).map(move |i| (i, sign)));
        signed(self.hessian(&vec![1.0; n], 1.0, settings)?, copies.collect())
    }

    /// More columns than rows and than the engine factors row by row, and n × n inner products that fit in the cache and are not
    /// much more numerous than what a product with the rows touches.
    fn is_wide(&self, settings: &Settings) -> bool {
        let (n, d) = (self.rows(), self.features.columns());
        let stored = match self.features.as_ref() {
            Features::Dense { values, .. } | Features::Sparse { values, .. } => values.len(),
        };
        let products = n.saturating_mul(n);
        d > n.max(settings.qr_columns)
            && products <= PRODUCTS.saturating_mul(stored.saturating_add(d))
            && products.saturating_mul(size_of::<f64>()) <= settings.cache_bytes
    }

    /// sᵢ(xᵢ, B).
    fn signed_rows(&self, signs: &[f64]) -> Rows<f64> {
        let features = match self.bias {
            Bias::Augmented(b) => self.features.append_constant_column(b),
            _ => self.features.as_ref().clone(),
        };
        match features {
            Features::Dense { columns, mut values, .. } => {
                for (row, s) in values.chunks_mut(columns.max(1)).zip(signs) {
                    row.iter_mut().for_each(|v| *v *= s);
                }
                Rows::Dense { columns, values }
            }
            Features::Sparse { columns, starts, indices, mut values, .. } => {
                for (i, s) in signs.iter().enumerate() {
                    values[starts[i]..starts[i + 1]].iter_mut().for_each(|v| *v *= s);
                }
                Rows::Sparse { columns, starts, indices, values }
            }
        }
    }

    /// The function with n coefficients β; `intercept` is used only if the bias is an intercept.
    pub fn function(&self, expansion: Vec<f64>, intercept: f64) -> Function {
        let constant = match self.bias {
            Bias::None => 0.0,
            Bias::Augmented(b) => b * b * expansion.iter().sum::<f64>(),
            Bias::Intercept => intercept,
        };
        let w = (self.kernel == KernelKind::Linear).then(|| self.linear_weights(&expansion));
        Function { expansion, w, constant }
    }

    /// The same function with its weights from `fit` = Σ βᵢ(xᵢ, B) of a linear kernel (with the entry of a constant feature last), if that is known more
    /// accurately than from β.
    pub fn function_with_fit(&self, expansion: Vec<f64>, intercept: f64, fit: Option<Vec<f64>>) -> Function {
        let columns = self.features.columns() + usize::from(matches!(self.bias, Bias::Augmented(_)));
        match fit.filter(|fit| self.kernel == KernelKind::Linear && fit.len() == columns) {
            None => self.function(expansion, intercept),
            Some(mut w) => {
                let constant = match self.bias {
                    Bias::None => 0.0,
                    Bias::Augmented(b) => b * w.pop().unwrap_or(0.0),
                    Bias::Intercept => intercept,
                };
                Function { expansion, w: Some(w), constant }
            }
        }
    }

    fn linear_weights(&self, expansion: &[f64]) -> Vec<f64> {
        let mut w = vec![0.0; self.features.columns()];
        for (i, weight) in expansion.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            self.features.row(i).for_each(|j, v| w[j] += weight * v);
        }
        w
    }

    /// The values f(x) at the rows x of `rows`, which have as many columns as the training data.
    pub fn evaluate(&self, function: &Function, rows: &Features) -> Vec<f64> {
        self.evaluate_all(&[function], rows).pop().unwrap_or_default()
    }

    /// The values of several functions at the same rows, one list for each function. Each value of the kernel is computed once.
    pub fn evaluate_all(&self, functions: &[&Function], rows: &Features) -> Vec<Vec<f64>> {
        let expanded: Vec<&[f64]> =
            functions.iter().filter(|f| f.w.is_none()).map(|f| f.expansion.as_slice()).collect();
        let mut expanded = self.kernel.expand_all(rows, &self.features, &expanded).into_iter();
        let values = |function: &&Function| match &function.w {
            Some(w) => (0..rows.rows()).map(|i| rows.row(i).dot(w) + function.constant).collect(),
            None => expanded.next().unwrap_or_default().into_iter().map(|f| f + function.constant).collect(),
        };
        functions.iter().map(values).collect()
    }

    /// The values of f at the n training rows. From the rows of the kernel matrix that were computed on the way to the solution, if there is one: with Hᵢⱼ = κsᵢsⱼ(k(xᵢ, xⱼ) + B²)
    /// and s² = 1, f(xⱼ) without an intercept is sⱼ/κ times entry j of H(sβ).
    pub fn fitted(&self, function: &Function) -> Vec<f64> {
        let Some(matrix) = self.matrix.get().filter(|_| function.w.is_none()) else {
            return self.evaluate(function, &self.features);
        };
        let (signs, scale) = (matrix.function().signs(), matrix.function().scale());
        let signed = |v: &[f64]| -> Vec<f64> { v.iter().zip(signs).map(|(v, s)| v * s).collect() };
        let values = signed(&multiply(matrix.as_ref(), &signed(&function.expansion)));
        let intercept = if self.bias == Bias::Intercept { function.constant } else { 0.0 };
        values.into_iter().map(|f| f / scale + intercept).collect()
    }

    /// The values of f at the n training rows, and ‖f‖² = Σ βᵢ(f(xᵢ) − intercept).
    pub fn fit(&self, function: &Function) -> (Vec<f64>, f64) {
        let f = self.fitted(function);
        let intercept = if self.bias == Bias::Intercept { function.constant } else { 0.0 };
        let square = f.iter().zip(&function.expansion).map(|(f, beta)| beta * (f - intercept)).sum();
        (f, square)
    }
}

/// Kᵢⱼ and Kⱼᵢ may differ by so much of √(Kᵢᵢ Kⱼⱼ), which no entry of a kernel exceeds: the two may have been summed in
/// different orders.
const ASYMMETRY: f64 = 64.0 * f64::EPSILON;

/// The first entry of a square matrix that differs from the one across the diagonal by more than rounding: row, column (both from zero), and the two values.
fn asymmetry(kernel: &Features) -> Option<(usize, usize, (f64, f64))> {
    let entry = |i: usize, j: usize| match kernel.row(i) {
        Row::Dense(values) => values[j],
        Row::Sparse(columns, values) => columns.binary_search(&(j as u32)).map_or(0.0, |k| values[k]),
    };
    let diagonal: Vec<f64> = (0..kernel.rows()).map(|i| entry(i, i).abs()).collect();
    (0..kernel.rows()).find_map(|i| {
        let mut found = None;
        kernel.row(i).for_each(|j, value| {
            let mirror = entry(j, i);
            if found.is_none() && (value - mirror).abs() > ASYMMETRY * (diagonal[i] * diagonal[j]).sqrt() {
                found = Some((i, j, (value, mirror)));
            }
        });
        found
    })
}

/// Checks case weights.
///
/// # Errors
/// [`AdapterError`] for the first one that is negative or not finite, and if none is positive.
pub fn check_weights(weights: &[f64]) -> Result<(), AdapterError> {
    if let Some((row, &value)) = weights.iter().enumerate().find(|(_, v)| !(v.is_finite() && **v >= 0.0)) {
        return Err(AdapterError::Weight { row, value });
    }
    if !weights.is_empty() && weights.iter().all(|v| *v == 0.0) {
        return Err(AdapterError::NoWeight { rows: weights.len() });
    }
    Ok(())
}

/// Checks that both classes have a row of positive weight.
///
/// # Errors
/// [`AdapterError::NoWeightInClass`] if one has none.
pub fn check_class_weights(labels: &[f64], weights: &[f64]) -> Result<(), AdapterError> {
    for class in [1.0, -1.0] {
        let weights = || labels.iter().zip(weights).filter(|(y, _)| **y == class).map(|(_, v)| *v);
        if weights().all(|v| v == 0.0) {
            return Err(AdapterError::NoWeightInClass { class, rows: weights().count() });
        }
    }
    Ok(())
}

/// Checks the n labels of a two-class problem.
///
/// # Errors
/// [`AdapterError`] for a wrong number of labels, one that is neither +1 nor −1, or a single class.
pub fn check_labels(labels: &[f64], rows: usize) -> Result<(), AdapterError> {
    if labels.len() != rows {
        return Err(AdapterError::Shape { what: "labels", expected: rows, found: labels.len() });
    }
    if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
        return Err(AdapterError::Label { row, value: labels[row] });
    }
    match labels.first() {
        Some(&class) if labels.iter().all(|&y| y == class) => Err(AdapterError::OneClass { class, rows }),
        _ => Ok(()),
    }
}
