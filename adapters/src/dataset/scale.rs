//! Scaling of the columns, fitted on the training rows and applied to any rows.
//!
//! Column j becomes (x − a_j) / b_j with
//!
//! | scaling | a_j | b_j |
//! |---|---|---|
//! | none | 0 | 1 |
//! | standard | the mean | the standard deviation of the column, with divisor n |
//! | minmax | the minimum | the maximum less the minimum |
//!
//! where minimum, maximum, mean and deviation are those of the rows that were fitted. A column that is constant there
//! gets a_j its value and b_j = 1, and becomes 0. A column with a_j = 0 keeps its zeros, and with it its sparsity.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::DataError;
use super::features::{Features, SparseRows};
use super::number::has_finite_square;

/// The kind of scaling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// The columns as they are.
    #[default]
    None,
    /// To mean 0 and standard deviation 1.
    Standard,
    /// To the interval from 0 to 1.
    MinMax,
}

impl FromStr for Scaling {
    type Err = DataError;

    /// Reads `none`, `standard` or `minmax`; anything else is a [`DataError::ScalingName`].
    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "none" => Ok(Scaling::None),
            "standard" => Ok(Scaling::Standard),
            "minmax" => Ok(Scaling::MinMax),
            other => Err(DataError::ScalingName { name: other.to_owned() }),
        }
    }
}

impl fmt::Display for Scaling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scaling::None => "none",
            Scaling::Standard => "standard",
            Scaling::MinMax => "minmax",
        })
    }
}

/// A scaling fitted on d columns: x becomes (x − shift) / scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    scaling: Scaling,
    maps: Vec<Map>,
}

impl Default for Scaler {
    /// No scaling of no columns.
    fn default() -> Self {
        Scaler { scaling: Scaling::None, maps: Vec::new() }
    }
}

/// The map x ↦ (x − shift) / scale of one column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Map {
    shift: f64,
    scale: f64,
}

impl Map {
    const IDENTITY: Map = Map { shift: 0.0, scale: 1.0 };

    fn value(&self, x: f64) -> f64 {
        (x - self.shift) / self.scale
    }
}

impl Scaler {
    /// Fits `scaling` on the rows of `features`, n × d. Takes time linear in the number of stored entries.
    pub fn fit(features: &Features, scaling: Scaling) -> Scaler {
        let columns = features.columns();
        let maps = match scaling {
            Scaling::None => vec![Map::IDENTITY; columns],
            _ if features.rows() == 0 => vec![Map::IDENTITY; columns],
            Scaling::Standard => standard_maps(&Summary::of(features)),
            Scaling::MinMax => minmax_maps(&Summary::of(features)),
        };
        Scaler { scaling, maps }
    }

    /// Which scaling this is.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// The number of columns d it was fitted on.
    pub fn columns(&self) -> usize {
        self.maps.len()
    }

    /// The shift a and the scale b of (x − a) / b for column `j` (from 0), or `None` when there is no such column.
    pub fn shift_and_scale(&self, j: usize) -> Option<(f64, f64)> {
        self.maps.get(j).map(|map| (map.shift, map.scale))
    }

    /// The scaled `features`, of the same shape; [compact](Features::compact) unless the scaling is `None`.
    ///
    /// # Errors
    ///
    /// [`DataError::ScalerColumns`] when the number of columns is not the one the scaling was fitted on, and
    /// [`DataError::ScaledOverflow`] when a scaled value or its square is not finite.
    pub fn apply(&self, features: &Features) -> Result<Features, DataError> {
        if features.columns() != self.columns() {
            return Err(DataError::ScalerColumns { expected: self.columns(), found: features.columns() });
        }
        if self.scaling == Scaling::None {
            return Ok(features.clone());
        }
        let scaled = match features {
            Features::Sparse { values, .. } if self.leaves_sparse(features.rows(), values) => {
                self.apply_sparse(features)?
            }
            _ => self.apply_dense(features)?,
        };
        Ok(scaled.compact())
    }

    /// Whether the scaled matrix surely has at most a third of its entries nonzero.
    fn leaves_sparse(&self, rows: usize, values: &[f64]) -> bool {
        let filled = self.filled_columns().count() as u128 * rows as u128;
        3 * (filled + values.len() as u128) <= rows as u128 * self.columns() as u128
    }

    /// The columns whose zeros do not stay zero, in order.
    fn filled_columns(&self) -> impl Iterator<Item = usize> {
        let moves_zero = |(j, map): (usize, &Map)| (map.shift != 0.0).then_some(j);
        self.maps.iter().enumerate().filter_map(moves_zero)
    }

    fn apply_dense(&self, features: &Features) -> Result<Features, DataError> {
        let (rows, columns) = (features.rows(), features.columns());
        let mut values = vec![0.0; rows * columns];
        for i in 0..rows {
            let row = &mut values[i * columns..(i + 1) * columns];
            features.dense_row(i, row);
            for (j, value) in row.iter_mut().enumerate() {
                *value = self.scaled(i, j, *value)?;
            }
        }
        Ok(Features::Dense { rows, columns, values })
    }

    /// Merges, for each row, its stored entries with the columns whose zeros do not stay zero.
    fn apply_sparse(&self, features: &Features) -> Result<Features, DataError> {
        let filled: Vec<usize> = self.filled_columns().collect();
        let mut out = SparseRows::new(features.columns());
        let mut entries = Vec::new();
        for i in 0..features.rows() {
            entries.clear();
            features.row(i).for_each(|j, value| entries.push((j, value)));
            let mut zeros = filled.iter().copied().peekable();
            for &(j, value) in &entries {
                while let Some(zero) = zeros.next_if(|&zero| zero < j) {
                    out.push(zero, self.scaled(i, zero, 0.0)?);
                }
                zeros.next_if_eq(&j);
                out.push(j, self.scaled(i, j, value)?);
            }
            for zero in zeros {
                out.push(zero, self.scaled(i, zero, 0.0)?);
            }
            out.end_row();
        }
        Ok(out.finish())
    }

    /// The scaled entry of row `i` and column `j`.
    fn scaled(&self, i: usize, j: usize, value: f64) -> Result<f64, DataError> {
        let scaled = self.maps[j].value(value);
        if has_finite_square(scaled) {
            Ok(scaled)
        } else {
            Err(DataError::ScaledOverflow { row: i + 1, column: j + 1, value })
        }
    }
}

/// What the scalings need to know about the columns of a matrix of at least one row.
struct Summary<'a> {
    features: &'a Features,
    /// The number of entries of each column that are not stored, and so are zero.
    unstored: Vec<f64>,
    minima: Vec<f64>,
    maxima: Vec<f64>,
}

impl<'a> Summary<'a> {
    fn of(features: &'a Features) -> Self {
        let columns = features.columns();
        let mut unstored = vec![features.rows() as f64; columns];
        let mut minima = vec![f64::INFINITY; columns];
        let mut maxima = vec![f64::NEG_INFINITY; columns];
        for i in 0..features.rows() {
            features.row(i).for_each(|j, value| {
                unstored[j] -= 1.0;
                minima[j] = minima[j].min(value);
                maxima[j] = maxima[j].max(value);
            });
        }
        for j in 0..columns {
            if unstored[j] > 0.0 {
                minima[j] = minima[j].min(0.0);
                maxima[j] = maxima[j].max(0.0);
            }
        }
        Self { features, unstored, minima, maxima }
    }

    fn is_constant(&self, j: usize) -> bool {
        self.minima[j] == self.maxima[j]
    }

    /// The mean over all n rows of `term(j, x_ij)`, for each column j.
    fn means(&self, term: impl Fn(usize, f64) -> f64) -> Vec<f64> {
        let rows = self.features.rows();
        let zeros = self.unstored.iter().enumerate();
        let mut sums: Vec<f64> = zeros.map(|(j, count)| count * term(j, 0.0)).collect();
        for i in 0..rows {
            let row = self.features.row(i);
            row.for_each(|j, value| sums[j] += term(j, value));
        }
        sums.iter().map(|sum| sum / rows as f64).collect()
    }
}

fn minmax_maps(summary: &Summary) -> Vec<Map> {
    let map = |j: usize| Map {
        shift: summary.minima[j],
        scale: if summary.is_constant(j) { 1.0 } else { summary.maxima[j] - summary.minima[j] },
    };
    (0..summary.minima.len()).map(map).collect()
}

/// The mean is refined by the mean of the residuals (Chan, Golub and LeVeque 1983, Algorithms for computing the sample
/// variance, doi:10.1080/00031305.1983.10483115, the corrected two-pass algorithm), and the squares are taken of
/// residuals relative to the largest one r_j, so that they neither overflow nor vanish: b_j = r_j √(mean(((x − a_j)/r_j)²)).
fn standard_maps(summary: &Summary) -> Vec<Map> {
    let rough = summary.means(|_, x| x);
    let correction = summary.means(|j, x| x - rough[j]);
    let mean = |j: usize| {
        if summary.is_constant(j) { summary.minima[j] } else { rough[j] + correction[j] }
    };
    let means: Vec<f64> = (0..rough.len()).map(mean).collect();
    let largest = |j: usize| (summary.maxima[j] - means[j]).max(means[j] - summary.minima[j]);
    let residuals: Vec<f64> = (0..means.len()).map(largest).collect();
    let squares = summary.means(|j, x| {
        let relative = (x - means[j]) / residuals[j];
        relative * relative
    });
    let map = |j: usize| Map {
        shift: means[j],
        scale: if summary.is_constant(j) { 1.0 } else { residuals[j] * squares[j].sqrt() },
    };
    (0..means.len()).map(map).collect()
}
