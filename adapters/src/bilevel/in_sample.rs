//! Criteria on the training rows.
//!
//! With the n training rows, their loss L = Σ vρ_τ(y − f(x)) / Σ v and the number |E| of rows that f interpolates, an estimate of its degrees of
//! freedom (Li, Liu and Zhu 2007, "Quantile regression in reproducing kernel Hilbert spaces", JASA 102, §4):
//!
//! ```text
//! SIC(λ)  = log L + |E| log n / (2n)
//! GACV(λ) = nL / (n − |E|)
//! ```
//!
//! On a critical region E is the set of free rows and λL affine in λ at fixed τ, and L does not decrease with λ: f minimises L + λ/2‖f‖² up to factors, so of two
//! λ the larger one has the smaller norm, and the larger loss. So the least value on a region is that at its lower end, and λ*(τ) is the lower envelope of the lower sides of
//! all regions: the branches of L, each times a number, since exp is monotone,
//!
//! ```text
//! exp SIC = L·n^(|E|/2n),    GACV = L·n/(n − |E|).
//! ```
//!
//! *At knots* E is to be understood as the rows whose dual variable is between its bounds: at the lower end of a region these are those of the region, or fewer if
//! one of them reaches its bound there. Then the region below has fewer free rows, and a smaller value at its own lower end.
//! So the minimum is attained, at the lower end of a region with the region's |E|.
//!
//! *Along τ* the least value jumps where the region that attains it ends, since |E| does; that of a loss on held-out rows is continuous.
//!
//! *Where f interpolates all rows* L = 0 and |E| = n: SIC is −∞ and GACV 0/0. Such regions are left out. Before them L falls to zero with |E| < n, and SIC without end: whatever the
//! data are, the best λ by a criterion is none at all if all λ are searched. So this search ends, unless asked otherwise, at a thousandth of the largest knot in the median over some τ.

/// A criterion on the training rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InSample {
    /// Schwarz's criterion, in the form exp SIC = L·n^(|E|/2n).
    Sic,
    /// The generalised approximate cross-validation L·n/(n − |E|).
    Gacv,
}

impl InSample {
    /// What L is multiplied by, with n rows of which some are free; none where all are.
    pub(super) fn factor(self, rows: usize, free: usize) -> Option<f64> {
        let (n, e) = (rows as f64, free as f64);
        (free < rows).then(|| match self {
            InSample::Sic => n.powf(e / (2.0 * n)),
            InSample::Gacv => n / (n - e),
        })
    }
}
