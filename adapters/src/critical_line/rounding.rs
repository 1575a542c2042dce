//! How far rounding determines the return and the variance of a portfolio.
//!
//! u = ε/2 is the unit roundoff. All bounds are to first order in it (Higham 2002, *Accuracy and Stability of Numerical Algorithms*, §3.1, 3.3 and 3.5).

use super::{CriticalLine, Portfolio};

/// u.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// A sum of products, added one after the other as [`CriticalLine`] does it.
struct Sum {
    value: f64,
    /// Σ (|pᵢ| + |sᵢ|) over the products pᵢ and the partial sums sᵢ: times u, what rounding did to the value (the running error).
    running: f64,
    /// Σ |pᵢ|.
    size: f64,
}

fn sum(a: &[f64], b: &[f64]) -> Sum {
    let mut sum = Sum { value: 0.0, running: 0.0, size: 0.0 };
    for (a, b) in a.iter().zip(b) {
        let product = a * b;
        sum.value += product;
        sum.running += product.abs() + sum.value.abs();
        sum.size += product.abs();
    }
    sum
}

impl CriticalLine {
    /// How far the return of a portfolio and a number that is meant to be the same may lie apart by rounding alone:
    ///
    /// ```text
    /// u Σ (|pᵢ| + |sᵢ|)                          the running error of the sum of pᵢ = μᵢwᵢ, with partial sums sᵢ
    ///   + u (n + 3) Σ |pᵢ|                       the other number: the same sum in any order, or decimals, as are μ and the bounds that w lies at
    ///   + max |μᵢ| (|1 − Σ wᵢ| + u Σ |Wᵢ|)       weights that sum to one up to rounding only, with partial sums Wᵢ
    /// ```
    pub(super) fn rounding_of_return(&self, portfolio: &Portfolio) -> f64 {
        let n = self.mean.len();
        let (mean, budget) = (sum(&self.mean, &portfolio.weights), sum(&vec![1.0; n], &portfolio.weights));
        let largest = self.mean.iter().fold(0.0_f64, |l, m| l.max(m.abs()));
        let missing = (1.0 - budget.value).abs() + UNIT * (budget.running - budget.size);
        UNIT * mean.running + UNIT * (n as f64 + 3.0) * mean.size + largest * missing
    }

    /// How large the computed variance of a portfolio without risk may be. With σᵢ² = Σᵢᵢ, |Σᵢⱼ| ≤ σᵢσⱼ, so that the products in wᵀΣw add up to (Σ |wᵢ|σᵢ)² at most and 2n roundings make
    /// 2nu times that. Where Σ = κZZᵀ has rows of d entries the variance is the square of κ^½ Zᵀw, whose rounding is (n + d)u Σ |wᵢ|σᵢ at most.
    pub(super) fn rounding_of_variance(&self, weights: &[f64]) -> f64 {
        let n = weights.len();
        let size: f64 = (0..n).filter(|&i| weights[i] != 0.0).map(|i| weights[i].abs() * self.deviation(i)).sum();
        // The products of a matrix that is given by its entries are those of the entries.
        match self.covariance.row_factor().filter(|_| !self.covariance.is_given_by_entries()) {
            Some(factor) => ((n + factor.columns()) as f64 * UNIT * size).powi(2),
            None => 2.0 * n as f64 * UNIT * size * size,
        }
    }

    /// √Σᵢᵢ.
    fn deviation(&self, i: usize) -> f64 {
        self.covariance.diagonal(i).max(0.0).sqrt()
    }
}
