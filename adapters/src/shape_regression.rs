//! Monotone and convex regression in one feature: the least squares fit whose slope, or curvature, is nowhere below a bound θ, at every θ.
//!
//! *Primal* (Brunk 1955, doi:10.1214/aoms/1177728420; for convex functions Hildreth 1954, doi:10.2307/2281132), with case weights wᵢ (one unless given) and values fₖ at the distinct x₁ < x₂ < … of the
//! feature:
//!
//! ```text
//! min over f   ½ Σ wᵢ (yᵢ − f(xᵢ))²     subject to   ±(fₖ₊₁ − fₖ)/(xₖ₊₁ − xₖ) ≥ θ   or   ±(second divided difference at k, times 2) ≥ θ
//! ```
//!
//! At θ = 0 f is increasing (decreasing with the minus sign) or convex (concave). For θ below the least slope or curvature of the data, f interpolates the mean
//! responses; for θ above zero f is steeper or more curved than its shape requires.
//!
//! *Rows with the same x* are merged, with their mean ȳₖ and the sum wₖ of their weights: the loss around the mean, ½ Σ wᵢ(yᵢ − ȳₖ)², is the same for all f. A
//! row of weight zero is left out.
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
//! *Ends*: from the least slope or curvature of the data, where u = 0, up to 0; if the data have the shape, up to their largest slope or curvature.

mod pooled;
mod problem;

pub use problem::ENTRY;

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::trend_filtering::{Difference, differences_of, gram};
use pathqp::{Affine, ParametricQp, Point, Range};
use pooled::Pooled;
use std::sync::Arc;

/// The shape of f at θ = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Increasing: f′ ≥ θ.
    Increasing,
    /// Decreasing: −f′ ≥ θ.
    Decreasing,
    /// Convex: f″ ≥ θ.
    Convex,
    /// Concave: −f″ ≥ θ.
    Concave,
}

impl Shape {
    fn sign(self) -> f64 {
        if matches!(self, Shape::Increasing | Shape::Convex) { 1.0 } else { -1.0 }
    }

    /// Whether the shape is one of the slope, and not of the curvature.
    pub fn is_monotone(self) -> bool {
        matches!(self, Shape::Increasing | Shape::Decreasing)
    }
}

/// Monotone or convex regression.
#[derive(Clone)]
pub struct ShapeRegression {
    shape: Shape,
    /// The column of the feature.
    column: usize,
    data: Pooled,
    /// D and d.
    differences: Vec<Difference>,
    units: Vec<f64>,
}

impl ShapeRegression {
    /// The problem of one column of the features, with n responses and optional case weights (n values each).
    ///
    /// # Errors
    /// [`AdapterError`] for a column that does not exist, lengths that do not agree, responses or weights that cannot be used, and fewer than two distinct
    /// values of the feature (three for curvatures).
    pub fn new(
        (features, column): (&Features, usize),
        responses: &[f64],
        weights: Option<&[f64]>,
        shape: Shape,
    ) -> Result<Self, AdapterError> {
        let data = Pooled::new((features, column), responses, weights)?;
        let needed = if shape.is_monotone() { 2 } else { 3 };
        if data.places.len() < needed {
            return Err(AdapterError::Distinct { found: data.places.len(), needed });
        }
        let (differences, units) = differences(&data.places, shape);
        Ok(ShapeRegression { shape, column, data, differences, units })
    }

    /// The distinct values of the feature, p values in ascending order.
    pub fn places(&self) -> &[f64] {
        &self.data.places
    }

    /// The mean responses at the distinct values of the feature, p values.
    pub fn means(&self) -> &[f64] {
        &self.data.means
    }

    /// The shape of f at θ = 0.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The least and the largest slope or curvature of the mean responses, with the sign of the shape.
    pub fn range(&self) -> [f64; 2] {
        let of_data =
            differences_of(&self.differences, &self.data.means).into_iter().zip(&self.units).map(|(d, unit)| d / unit);
        of_data.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)])
    }

    /// The parametric QP with θ ∈ ℝ, see the module's documentation.
    ///
    /// # Errors
    /// What [`ParametricQp`] refuses.
    pub fn qp(&self) -> Result<ParametricQp<f64>, AdapterError> {
        let m = self.differences.len();
        let in_metric = |row: &Difference| row.iter().map(|(k, d)| (*k, d / self.data.weights[*k].sqrt())).collect();
        let rows: Vec<Difference> = self.differences.iter().map(in_metric).collect();
        let gram = gram(&rows, self.data.places.len())?;
        // Slopes are differences along the edges of a chain.
        let gram = if self.shape.is_monotone() { gram.with_sparse_products() } else { gram };
        let cost =
            Affine::line(differences_of(&self.differences, &self.data.means), self.units.iter().map(|d| -d).collect());
        let qp = ParametricQp::new(Arc::new(gram), vec![Range { from: None, to: None }], cost)?;
        Ok(qp.lower(Affine::constant(vec![0.0; m], 1))?)
    }

    /// The fit f = ȳ + W⁻¹Dᵀu at a point, p values; computed from the point's Zᵀu if it has one, which is accurate even where the terms of Dᵀu cancel.
    pub fn fit(&self, point: &Point<f64>) -> Vec<f64> {
        let own = || {
            let mut push = vec![0.0; self.data.means.len()];
            for (row, u) in self.differences.iter().zip(&point.x) {
                row.iter().for_each(|(k, d)| push[*k] += d * u / self.data.weights[*k].sqrt());
            }
            push
        };
        let push = point.fit.clone().filter(|fit| fit.len() == self.data.means.len()).unwrap_or_else(own);
        let places = self.data.means.iter().zip(push).zip(&self.data.weights);
        places.map(|((mean, push), weight)| mean + push / weight.sqrt()).collect()
    }

    /// The primal objective at a fit f, p values.
    pub fn loss(&self, f: &[f64]) -> f64 {
        let off = |((f, mean), weight): ((&f64, &f64), &f64)| weight * (f - mean) * (f - mean);
        self.data.around + f.iter().zip(&self.data.means).zip(&self.data.weights).map(off).sum::<f64>() / 2.0
    }

    /// The value of a fit (p values) at any value of the feature: linear between the distinct values; beyond them constant if f is monotone, and linear if it
    /// is convex or concave.
    pub fn at(&self, f: &[f64], value: f64) -> f64 {
        let last = self.data.places.len() - 1;
        let k = self.data.places.partition_point(|place| *place <= value).clamp(1, last);
        let value =
            if self.shape.is_monotone() { value.clamp(self.data.places[0], self.data.places[last]) } else { value };
        let [from, to] = [self.data.places[k - 1], self.data.places[k]];
        let share = (value - from) / (to - from);
        f[k - 1] * (1.0 - share) + f[k] * share
    }
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
