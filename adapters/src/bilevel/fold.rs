//! Training rows, and held-out rows on which the fit is judged.

use crate::bias::Bias;
use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kernel::KernelKind;
use crate::kqr::Kqr;
use crate::machine::check_weights;
use crate::problem::KernelProblem;
use std::sync::Arc;

/// A function that poses the problem of some rows, given their features, responses and weights.
pub type Pose<'a, P> = dyn Fn(Arc<Features>, Vec<f64>, Option<Vec<f64>>) -> Result<P, AdapterError> + 'a;

/// A problem on training rows, with N held-out rows.
#[derive(Clone)]
pub struct Fold<P = Kqr> {
    problem: P,
    rows: Features,
    responses: Vec<f64>,
    weights: Vec<f64>,
}

impl<P: KernelProblem> Fold<P> {
    /// A problem with held-out rows: `rows` (N × d as in training), N responses and case weights (one each by default). Rows of weight zero are left out.
    ///
    /// # Errors
    /// [`AdapterError`] for shapes that do not agree, and with the row for a response or weight that cannot be used.
    pub fn new(
        problem: P,
        rows: Features,
        responses: Vec<f64>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, AdapterError> {
        let (expected, d) = (rows.rows(), problem.machine().features().columns());
        if rows.columns() != d {
            return Err(AdapterError::Columns { expected: d, found: rows.columns() });
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; expected]);
        for (what, found) in [("responses", responses.len()), ("weights", weights.len())] {
            if found != expected || found == 0 {
                return Err(AdapterError::Shape { what, expected: expected.max(1), found });
            }
        }
        if let Some((row, &value)) = responses.iter().enumerate().find(|(_, y)| !y.is_finite()) {
            return Err(AdapterError::Response { row, value });
        }
        check_weights(&weights)?;
        let kept: Vec<usize> = (0..expected).filter(|&i| weights[i] > 0.0).collect();
        if kept.len() == expected {
            return Ok(Fold { problem, rows, responses, weights });
        }
        let pick = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
        Ok(Fold { problem, rows: rows.select_rows(&kept), responses: pick(&responses), weights: pick(&weights) })
    }

    /// The k folds of cross-validation: row i, counted without those of weight zero, is held out in fold i mod k, and `pose` makes the problem of the other
    /// rows. With `precomputed` the features are a kernel matrix, and are restricted to the training rows of each fold.
    ///
    /// # Errors
    /// [`AdapterError`] for fewer than two folds, fewer than two rows for each, and what `pose` refuses.
    pub fn split_by(
        features: &Features,
        responses: &[f64],
        weights: Option<&[f64]>,
        (k, precomputed): (usize, bool),
        pose: &Pose<'_, P>,
    ) -> Result<Vec<Self>, AdapterError> {
        // The whole problem is checked first, so that errors name its rows.
        pose(Arc::new(features.clone()), responses.to_vec(), weights.map(<[f64]>::to_vec))?;
        let kept: Vec<usize> = (0..features.rows()).filter(|&i| weights.is_none_or(|v| v[i] > 0.0)).collect();
        if k < 2 || kept.len() / 2 < k {
            let expected = "be at least two, and at most half the number of rows";
            return Err(AdapterError::Parameter { name: "folds", value: k as f64, expected });
        }
        let fold = |held: usize| {
            let member = |is_held: bool| {
                let rows = kept.iter().enumerate().filter(move |(place, _)| (place % k == held) == is_held);
                rows.map(|(_, &i)| i).collect::<Vec<usize>>()
            };
            let (out, inside) = (member(true), member(false));
            let pick = |values: &[f64], rows: &[usize]| rows.iter().filter_map(|&i| values.get(i).copied()).collect();
            let of = |rows: &[usize]| -> Features {
                let part = features.select_rows(rows);
                if precomputed { part.select_columns(&inside) } else { part }
            };
            let weight = |rows: &[usize]| weights.map(|v| pick(v, rows));
            let problem = pose(Arc::new(of(&inside)), pick(responses, &inside), weight(&inside))?;
            Fold::new(problem, of(&out), pick(responses, &out), weight(&out))
        };
        (0..k).map(fold).collect()
    }

    /// The problem on the training rows.
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// The held-out rows, N × d.
    pub fn rows(&self) -> &Features {
        &self.rows
    }

    /// The responses Ỹ of the held-out rows, N values.
    pub fn responses(&self) -> &[f64] {
        &self.responses
    }

    /// The case weights ṽ of the held-out rows, N values.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The sum of the case weights ṽ.
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }
}

impl Fold<Kqr> {
    /// [`Fold::split_by`] for quantile regression.
    ///
    /// # Errors
    /// As [`Fold::split_by`], and what [`Kqr::new`] refuses.
    pub fn split(
        features: &Features,
        responses: &[f64],
        weights: Option<&[f64]>,
        kernel: KernelKind,
        bias: Bias,
        k: usize,
    ) -> Result<Vec<Self>, AdapterError> {
        let how = (k, kernel == KernelKind::Precomputed);
        Fold::split_by(features, responses, weights, how, &|x, y, v| Kqr::new(x, y, v, kernel, bias))
    }
}
