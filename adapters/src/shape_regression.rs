//! Monotone and convex regression in one feature: the least squares fit whose slope, or curvature, is nowhere below a bound θ, at every θ.
//!
//! *Primal* (Brunk 1955, doi:10.1214/aoms/1177728420; for convex functions Hildreth 1954, doi:10.2307/2281132), with case weights wᵢ (one unless given) and values fₖ at the distinct x₁ < x₂ < … of the
//! feature:
//!
//! ```text
//! min over f   ½ Σ wᵢ (yᵢ − f(xᵢ))²     subject to   ±(fₖ₊₁ − fₖ)/(xₖ₊₁ − xₖ) ≥ θ   or   ±(second divided difference at k, times 2) ≥ θ
//! ```
//!
//! At θ = 0 f is increasing (decreasing with the minus sign) or convex (concave). Below the least slope or curvature of the data f goes through the mean response at every x; above zero f is steeper or more curved than its shape asks for.
//!
//! *Rows of one x* count as one, with their mean ȳₖ and the sum wₖ of their weights: the loss around the mean, ½ Σ wᵢ(yᵢ − ȳₖ)², is the same for all f. A row without weight is left out.
//!
//! *Dual*: with D the differences in units of their own, (Df)ₖ ≥ θ dₖ, and multipliers u,
//!
//! ```text
//! f = ȳ + W⁻¹Dᵀu,       min over u ≥ 0   ½ uᵀDW⁻¹Dᵀu + (Dȳ − θd)ᵀu
//! ```
//!
//! *Map to the engine*: x = u, H = ZZᵀ with Z = DW^(−½), c = Dȳ − θd, l = 0, no upper bounds, no row. z = Df − θd: an index is free where f is held at the bound. dₖ is the distance xₖ₊₁ − xₖ, for
//! curvatures the mean distance times the smaller of the two, so that entries of D are at most two.
//!
//! *Ends*: from the least slope or curvature of the data, where u = 0, up to 0; of data that have the shape up to their largest.

mod problem;

pub use problem::ENTRY;

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::machine::check_weights;
use crate::trend_filtering::{Difference, gram};
use pathqp::{Affine, ParametricQp, Range};
use std::sync::Arc;

/// What f is like at θ = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// f′ ≥ θ.
    Increasing,
    /// −f′ ≥ θ.
    Decreasing,
    /// f″ ≥ θ.
    Convex,
    /// −f″ ≥ θ.
    Concave,
}

impl Shape {
    fn sign(self) -> f64 {
        if matches!(self, Shape::Increasing | Shape::Convex) { 1.0 } else { -1.0 }
    }

    /// Whether it is about the slope, and not about the curvature.
    pub fn is_monotone(self) -> bool {
        matches!(self, Shape::Increasing | Shape::Decreasing)
    }
}

/// Monotone or convex regression.
#[derive(Clone)]
pub struct ShapeRegression {
    shape: Shape,
    /// The distinct values of the feature, in order: p of them.
    places: Vec<f64>,
    /// ȳ and w there.
    means: Vec<f64>,
    weights: Vec<f64>,
    /// ½ Σ wᵢ(yᵢ − ȳ)².
    around: f64,
    /// D and d.
    differences: Vec<Difference>,
    units: Vec<f64>,
}

impl ShapeRegression {
    /// From a feature (n rows, one column), responses and perhaps case weights (n values each).
    ///
    /// # Errors
    /// More than one feature, lengths that do not agree, responses or weights that cannot be used, and fewer than two distinct values of the feature (three for curvatures).
    pub fn new(
        features: &Features,
        responses: &[f64],
        weights: Option<&[f64]>,
        shape: Shape,
    ) -> Result<Self, AdapterError> {
        let n = features.rows();
        if features.columns() != 1 {
            return Err(AdapterError::OneFeature { found: features.columns() });
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
        let mut rows: Vec<[f64; 3]> = (0..n).map(|i| [feature(features, i), responses[i], all[i]]).collect();
        rows.retain(|row| row[2] > 0.0);
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let (mut places, mut means, mut weights, mut around) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        for group in rows.chunk_by(|a, b| a[0] == b[0]) {
            let weight: f64 = group.iter().map(|row| row[2]).sum();
            // About the first response, so that equal ones have themselves for their mean.
            let mean = group[0][1] + group.iter().map(|row| row[2] * (row[1] - group[0][1])).sum::<f64>() / weight;
            around += group.iter().map(|row| row[2] * (row[1] - mean) * (row[1] - mean)).sum::<f64>() / 2.0;
            places.push(group[0][0]);
            means.push(mean);
            weights.push(weight);
        }
        let needed = if shape.is_monotone() { 2 } else { 3 };
        if places.len() < needed {
            return Err(AdapterError::Distinct { found: places.len(), needed });
        }
        let (differences, units) = differences(&places, shape);
        Ok(ShapeRegression { shape, places, means, weights, around, differences, units })
    }

    /// The distinct values of the feature, p values in order.
    pub fn places(&self) -> &[f64] {
        &self.places
    }

    /// The mean response at each of them, p values.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Whether f is monotone or convex and so on at θ = 0.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Df for p values.
    fn differences_of(&self, f: &[f64]) -> Vec<f64> {
        self.differences.iter().map(|row| row.iter().map(|(k, d)| d * f[*k]).sum()).collect()
    }

    /// The least and the largest slope or curvature of the mean responses, with the sign of the shape.
    pub fn range(&self) -> [f64; 2] {
        let of_data = self.differences_of(&self.means).into_iter().zip(&self.units).map(|(d, unit)| d / unit);
        of_data.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    }

    /// The parametric QP with θ ∈ ℝ: see the module's first lines.
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let m = self.differences.len();
        let in_metric = |row: &Difference| row.iter().map(|(k, d)| (*k, d / self.weights[*k].sqrt())).collect();
        let rows: Vec<Difference> = self.differences.iter().map(in_metric).collect();
        let gram = gram(&rows, self.places.len())?;
        // Slopes are differences along the edges of a chain.
        let gram = if self.shape.is_monotone() { gram.with_sparse_products() } else { gram };
        let cost = Affine::line(self.differences_of(&self.means), self.units.iter().map(|d| -d).collect());
        let qp = ParametricQp::new(Arc::new(gram), vec![Range { from: None, to: None }], cost)?;
        Ok(qp.lower(Affine::constant(vec![0.0; m], 1))?)
    }

    /// f = ȳ + W⁻¹Dᵀu, p values, of u, m values.
    pub fn fit(&self, u: &[f64]) -> Vec<f64> {
        let mut push = vec![0.0; self.means.len()];
        for (row, u) in self.differences.iter().zip(u) {
            row.iter().for_each(|(k, d)| push[*k] += d * u);
        }
        self.means.iter().zip(push).zip(&self.weights).map(|((mean, push), weight)| mean + push / weight).collect()
    }

    /// The primal objective of f, p values.
    pub fn loss(&self, f: &[f64]) -> f64 {
        let off = |((f, mean), weight): ((&f64, &f64), &f64)| weight * (f - mean) * (f - mean);
        self.around + f.iter().zip(&self.means).zip(&self.weights).map(off).sum::<f64>() / 2.0
    }

    /// f at any value of the feature: straight between the places, beyond them constant where f is monotone, and straight on where it is convex or concave.
    pub fn at(&self, f: &[f64], value: f64) -> f64 {
        let last = self.places.len() - 1;
        let k = self.places.partition_point(|place| *place <= value).clamp(1, last);
        let value = if self.shape.is_monotone() { value.clamp(self.places[0], self.places[last]) } else { value };
        let [from, to] = [self.places[k - 1], self.places[k]];
        let share = (value - from) / (to - from);
        f[k - 1] * (1.0 - share) + f[k] * share
    }
}

/// The only feature of a row.
fn feature(features: &Features, row: usize) -> f64 {
    let mut value = 0.0;
    features.row(row).for_each(|_, v| value = v);
    value
}

/// D and d for the places.
fn differences(places: &[f64], shape: Shape) -> (Vec<Difference>, Vec<f64>) {
    let apart: Vec<f64> = places.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let sign = shape.sign();
    if shape.is_monotone() {
        return ((0..apart.len()).map(|k| vec![(k, -sign), (k + 1, sign)]).collect(), apart);
    }
    let row = |(k, apart): (usize, &[f64])| {
        let least = apart[0].min(apart[1]);
        let [before, after] = [sign * least / apart[0], sign * least / apart[1]];
        (vec![(k, before), (k + 1, -before - after), (k + 2, after)], least * (apart[0] + apart[1]) / 2.0)
    };
    apart.windows(2).enumerate().map(row).unzip()
}
