//! Criteria on the training rows.
//!
//! Let L = Σ vρ_τ(y − f(x)) / Σ v be the loss on the n training rows and |E| the number of rows that f interpolates, an estimate of its degrees of freedom (Li,
//! Liu and Zhu 2007, "Quantile regression in reproducing kernel Hilbert spaces", JASA 102, §4). The criteria are
//!
//! ```text
//! SIC(λ)  = log L + |E| log n / (2n)
//! GACV(λ) = nL / (n − |E|)
//! ```
//!
//! On a critical region E is the set of free rows, λL is affine in λ at fixed τ, and L does not decrease with λ (f minimises L + λ/2‖f‖² up to factors; of two
//! λ the larger one has the smaller norm, hence the larger loss). So the least value on a region is that at its lower end, and λ*(τ) is the lower envelope of
//! the lower sides of all regions. As exp is monotone, the branches are those of L, each times a number:
//!
//! ```text
//! exp SIC = L·n^(|E|/2n),    GACV = L·n/(n − |E|).
//! ```
//!
//! *At knots* E is the set of rows whose dual variable is strictly between its bounds. At the lower end of a region these are the free rows of the region, or
//! fewer if one of them reaches its bound there; then the region below has fewer free rows, and a smaller value at its own lower end. So the minimum is
//! attained, at the lower end of a region with the |E| of that region.
//!
//! *Along τ* the least value jumps where the region that attains it ends, because |E| jumps there; the loss on held-out rows is continuous.
//!
//! *Where f interpolates all rows* L = 0 and |E| = n: SIC is −∞ and GACV is 0/0. Such regions are left out. Before them L falls to zero while |E| < n, and SIC
//! falls without bound. So whatever the data are, no λ is best by such a criterion if all λ are searched. This search therefore ends, unless a limit is given,
//! at a thousandth of the largest knot in the median over some τ.

/// A criterion on the training rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InSample {
    /// The Schwarz information criterion, in the form exp SIC = L·n^(|E|/2n).
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
