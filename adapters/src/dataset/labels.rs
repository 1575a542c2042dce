//! From the labels of a file to the signs of a two-class problem.

use serde::{Deserialize, Serialize};

use super::Dataset;
use super::error::DataError;

/// The two labels of a two-class problem, as the file has them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// The label that stands for y = −1.
    pub negative: f64,
    /// The label that stands for y = +1.
    pub positive: f64,
}

impl Classes {
    /// The sign y_i ∈ {−1, +1} of each row of `data`, length n. The rows may all be of one class, so that a test set can
    /// be read with the classes of its training set.
    ///
    /// # Errors
    ///
    /// [`DataError::LabelUnknown`] names the first row whose label is neither of the two.
    pub fn signs(&self, data: &Dataset) -> Result<Vec<f64>, DataError> {
        let sign = |(i, &label): (usize, &f64)| {
            if label == self.positive {
                Ok(1.0)
            } else if label == self.negative {
                Ok(-1.0)
            } else {
                Err(DataError::LabelUnknown {
                    file: data.source.clone(),
                    line: data.line(i),
                    label,
                    known: [self.negative, self.positive],
                })
            }
        };
        data.response.iter().enumerate().map(sign).collect()
    }
}

/// The signs y_i ∈ {−1, +1} of the rows of `data`, length n, and the labels they stand for.
///
/// Any two labels will do. The label `positive` becomes +1 or, without it, the larger of the two.
///
/// # Errors
///
/// [`DataError::OneClass`] when all rows have the same label, [`DataError::ManyClasses`] when there is a third one,
/// [`DataError::PositiveAbsent`] when no row has the label `positive` and [`DataError::Empty`] when there are no rows.
pub fn two_classes(data: &Dataset, positive: Option<f64>) -> Result<(Vec<f64>, Classes), DataError> {
    let [smaller, larger] = two_labels(data)?;
    let classes = match positive {
        Some(label) if label == smaller => Classes { negative: larger, positive: smaller },
        Some(label) if label != larger => {
            return Err(DataError::PositiveAbsent {
                file: data.source.clone(),
                positive: label,
                found: [smaller, larger],
            });
        }
        _ => Classes { negative: smaller, positive: larger },
    };
    Ok((classes.signs(data)?, classes))
}

/// The two labels of `data`, the smaller first.
fn two_labels(data: &Dataset) -> Result<[f64; 2], DataError> {
    let Some(&first) = data.response.first() else {
        let file = data.source.clone();
        return Err(DataError::Empty { file });
    };
    let Some(&second) = data.response.iter().find(|&&label| label != first) else {
        return Err(DataError::OneClass { file: data.source.clone(), label: first, rows: data.rows() });
    };
    let is_third = |label: f64| label != first && label != second;
    match data.response.iter().position(|&label| is_third(label)) {
        None => Ok([first.min(second), first.max(second)]),
        Some(i) => Err(DataError::ManyClasses {
            file: data.source.clone(),
            line: data.line(i),
            label: data.response[i],
            earlier: [first, second],
            labels: count_distinct(&data.response),
            rows: data.rows(),
        }),
    }
}

/// The number of different values.
fn count_distinct(values: &[f64]) -> usize {
    // Adding zero turns −0 into +0.
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    sorted.len()
}
