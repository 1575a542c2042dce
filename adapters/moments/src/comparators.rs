//! Losses to compare with: the logistic loss, the pairwise hinge loss, and linear discriminant analysis.

use super::minimise::Smooth;
use super::{Moments, MomentsError, dot};
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use pathqp_adapters::dataset::Features;

/// The mean logistic loss (1/n) Σ log(1 + exp(−yᵢ xᵢᵀw)) + λ‖w‖² (Ghanbari, Li and Scheinberg 2019, eq. 2.4; they take λ = 1/n).
pub struct Logistic<'a> {
    features: &'a Features,
    labels: &'a [f64],
    lambda: f64,
}

impl<'a> Logistic<'a> {
    /// On n labelled rows, labels +1 or −1, with the weight `lambda` of the penalty.
    ///
    /// # Errors
    /// A negative λ, or not one label a row.
    pub fn new(features: &'a Features, labels: &'a [f64], lambda: f64) -> Result<Self, MomentsError> {
        check(features, labels, lambda)?;
        Ok(Logistic { features, labels, lambda })
    }
}

impl Smooth for Logistic<'_> {
    fn columns(&self) -> usize {
        self.features.columns()
    }

    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.labels.len() as f64;
        let mut value = penalty(self.lambda, w, gradient);
        for (i, y) in self.labels.iter().enumerate() {
            let row = self.features.row(i);
            let margin = y * row.dot(w);
            // exp of a negative number only: it cannot overflow.
            let small = (-margin.abs()).exp();
            value += (small.ln_1p() + (-margin).max(0.0)) / n;
            let share = if margin > 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
            row.for_each(|j, x| gradient[j] -= y * share * x / n);
        }
        value
    }
}

/// The mean pairwise hinge loss (1/n₊n₋) ΣΣ max(0, 1 − (f(x₊) − f(x₋))) + λ‖w‖² of Ghanbari, Li and Scheinberg (2019, eq. 2.8, where the two classes are
/// printed the other way round; they take λ = 1/√(n₊n₋)).
///
/// With the scores sorted, the negatives with f(x₋) > f(x₊) − 1 are those above one position of the order, and likewise the positives for each negative:
/// cumulative counts and sums from the end give value and subgradient in O(n log n) and two passes over the rows. A pair at the kink contributes a zero
/// gradient.
pub struct PairwiseHinge<'a> {
    features: &'a Features,
    labels: &'a [f64],
    lambda: f64,
}

impl<'a> PairwiseHinge<'a> {
    /// On labelled rows of both classes, labels +1 or −1, with the weight `lambda` of the penalty.
    ///
    /// # Errors
    /// A negative λ, not one label a row, or a class without rows.
    pub fn new(features: &'a Features, labels: &'a [f64], lambda: f64) -> Result<Self, MomentsError> {
        check(features, labels, lambda)?;
        for class in [1.0, -1.0] {
            if !labels.contains(&class) {
                return Err(MomentsError::FewRows { class, rows: 0 });
            }
        }
        Ok(PairwiseHinge { features, labels, lambda })
    }

    /// The value of the loss, and how often each row enters it (positives with a minus), from the scores.
    fn pairs(&self, scores: &[f64]) -> (f64, Vec<f64>) {
        let of = |sign: f64| {
            let mut rows: Vec<usize> = (0..scores.len()).filter(|&i| self.labels[i] == sign).collect();
            rows.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
            rows
        };
        let (positives, negatives) = (of(1.0), of(-1.0));
        let mut counts = vec![0.0; scores.len()];
        let mut value = 0.0;
        // From the largest positive score down: more and more negatives lie above it less one.
        let (mut next, mut sum) = (negatives.len(), 0.0);
        for &i in positives.iter().rev() {
            let threshold = scores[i] - 1.0;
            while next > 0 && scores[negatives[next - 1]] > threshold {
                next -= 1;
                sum += scores[negatives[next]];
            }
            let active = (negatives.len() - next) as f64;
            counts[i] = -active;
            value += sum - active * threshold;
        }
        // From the smallest negative score up: more and more positives lie below it plus one.
        let mut next = 0;
        for &j in &negatives {
            while next < positives.len() && scores[positives[next]] - 1.0 < scores[j] {
                next += 1;
            }
            counts[j] = next as f64;
        }
        (value, counts)
    }
}

impl Smooth for PairwiseHinge<'_> {
    fn columns(&self) -> usize {
        self.features.columns()
    }

    fn evaluate(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let scores: Vec<f64> = (0..self.features.rows()).map(|i| self.features.row(i).dot(w)).collect();
        let positives = self.labels.iter().filter(|y| **y > 0.0).count() as f64;
        let pairs = positives * (self.labels.len() as f64 - positives);
        let regular = penalty(self.lambda, w, gradient);
        let (value, counts) = self.pairs(&scores);
        for (i, count) in counts.iter().enumerate().filter(|(_, count)| **count != 0.0) {
            let share = count / pairs;
            self.features.row(i).for_each(|j, x| gradient[j] += share * x);
        }
        value / pairs + regular
    }
}

/// λ‖w‖², and its gradient written.
fn penalty(lambda: f64, w: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.iter_mut().zip(w).for_each(|(g, w)| *g = 2.0 * lambda * w);
    lambda * dot(w, w)
}

fn check(features: &Features, labels: &[f64], lambda: f64) -> Result<(), MomentsError> {
    if !(lambda.is_finite() && lambda >= 0.0) {
        return Err(MomentsError::Lambda { value: lambda });
    }
    if labels.len() != features.rows() {
        return Err(MomentsError::Shape { what: "labels", expected: features.rows(), found: labels.len() });
    }
    match labels.iter().position(|y| y.abs() != 1.0) {
        Some(row) => Err(MomentsError::Label { row, value: labels[row] }),
        None => Ok(()),
    }
}

/// The classifier of linear discriminant analysis (Hastie, Tibshirani and Friedman 2009, *The Elements of Statistical Learning*, eq. 4.11): with the
/// pooled covariance Σ of n − 2 degrees of freedom,
///
/// ```text
/// w = Σ⁻¹(μ₊ − μ₋),     b = −wᵀ(μ₊ + μ₋)/2 + log(p₊/p₋)
/// ```
///
/// If Σ is singular, w is the least-norm solution on the span of the eigenvectors whose eigenvalues exceed 10⁻⁹ of the largest. `rows` holds the numbers of
/// rows of the classes +1 and −1, in this order. Returns w (length d) and b. Takes O(d³).
///
/// # Errors
/// [`MomentsError::Eigenvalues`].
pub fn lda(moments: &Moments, rows: [u64; 2]) -> Result<(Vec<f64>, f64), MomentsError> {
    let d = moments.positive.covariance.columns();
    let weights = rows.map(|n| n.saturating_sub(1) as f64 / (rows[0] + rows[1]).saturating_sub(2).max(1) as f64);
    let [positive, negative] = [&moments.positive, &moments.negative].map(|class| class.covariance.to_dense());
    let pooled = |i: usize, j: usize| {
        let at = i * (i + 1) / 2 + j;
        weights[0] * positive[at] + weights[1] * negative[at]
    };
    let sigma = Mat::from_fn(d, d, |i, j| if i >= j { pooled(i, j) } else { pooled(j, i) });
    let (means, other) = (&moments.positive.mean[..d], &moments.negative.mean[..d]);
    let difference = Mat::from_fn(d, 1, |i, _| means[i] - other[i]);
    let w: Vec<f64> = match well_conditioned(&sigma) {
        Some(factor) => factor.solve(&difference).col(0).iter().copied().collect(),
        None => least_norm(&sigma, &difference)?,
    };
    let middle: f64 = (0..d).map(|j| w[j] * (means[j] + other[j]) / 2.0).sum();
    Ok((w, (moments.prior / (1.0 - moments.prior)).ln() - middle))
}

/// Eigenvalues of a covariance below this, relative to the largest, count as zero.
const SINGULAR: f64 = 1e-9;

/// The Cholesky factor, if its pivots tell of no singular direction.
fn well_conditioned(sigma: &Mat<f64>) -> Option<faer::linalg::solvers::Llt<f64>> {
    let factor = sigma.llt(Side::Lower).ok()?;
    let pivots: Vec<f64> = (0..sigma.nrows()).map(|i| factor.L()[(i, i)].powi(2)).collect();
    let largest = (0..sigma.nrows()).map(|i| sigma[(i, i)]).fold(0.0, f64::max);
    pivots.iter().all(|p| *p > SINGULAR * largest).then_some(factor)
}

fn least_norm(sigma: &Mat<f64>, right: &Mat<f64>) -> Result<Vec<f64>, MomentsError> {
    let eigen = sigma.self_adjoint_eigen(Side::Lower).map_err(|_| MomentsError::Eigenvalues)?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let values: Vec<f64> = (0..sigma.nrows()).map(|k| values[k]).collect();
    let largest = values.iter().fold(0.0_f64, |l, v| l.max(v.abs()));
    let mut w = vec![0.0; sigma.nrows()];
    for (k, value) in values.iter().enumerate().filter(|(_, v)| **v > SINGULAR * largest) {
        let column = vectors.col(k);
        let part = column.iter().zip(right.col(0).iter()).map(|(u, r)| u * r).sum::<f64>() / value;
        w.iter_mut().zip(column.iter()).for_each(|(w, u)| *w += part * u);
    }
    Ok(w)
}
