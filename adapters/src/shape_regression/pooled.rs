//! Rows of one value of the feature taken together.

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::machine::check_weights;

/// The rows by the p distinct values of a feature, in order.
#[derive(Clone)]
pub(super) struct Pooled {
    /// The values.
    pub places: Vec<f64>,
    /// ȳ and w there.
    pub means: Vec<f64>,
    pub weights: Vec<f64>,
    /// ½ Σ wᵢ(yᵢ − ȳ)².
    pub around: f64,
}

impl Pooled {
    /// See [`super::ShapeRegression::new`].
    pub fn new(
        (features, column): (&Features, usize),
        responses: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Self, AdapterError> {
        let n = features.rows();
        if column >= features.columns() {
            return Err(AdapterError::Columns { expected: column + 1, found: features.columns() });
        }
        for (what, found) in [("responses", responses.len()), ("weights", weights.map_or(n, <[f64]>::len))] {
            if found != n {
                return Err(AdapterError::Shape { what, expected: n, found });
            }
        }
        if let Some(row) = responses.iter().position(|y| !y.is_finite()) {
            return Err(AdapterError::Response { row, value: responses[row] });
        }
        let all = weights.map_or_else(|| vec![1.0; n], <[f64]>::to_vec);
        check_weights(&all)?;
        let mut rows: Vec<[f64; 3]> = (0..n).map(|i| [value(features, i, column), responses[i], all[i]]).collect();
        rows.retain(|row| row[2] > 0.0);
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut data = Pooled { places: Vec::new(), means: Vec::new(), weights: Vec::new(), around: 0.0 };
        for group in rows.chunk_by(|a, b| a[0] == b[0]) {
            let weight: f64 = group.iter().map(|row| row[2]).sum();
            // About the first response, so that equal ones have themselves for their mean.
            let mean = group[0][1] + group.iter().map(|row| row[2] * (row[1] - group[0][1])).sum::<f64>() / weight;
            data.around += group.iter().map(|row| row[2] * (row[1] - mean) * (row[1] - mean)).sum::<f64>() / 2.0;
            data.places.push(group[0][0]);
            data.means.push(mean);
            data.weights.push(weight);
        }
        Ok(data)
    }
}

/// An entry of the features.
pub(super) fn value(features: &Features, row: usize, column: usize) -> f64 {
    let mut value = 0.0;
    features.row(row).for_each(|j, v| {
        if j == column {
            value = v;
        }
    });
    value
}
