//! The active set of one portfolio, found by exchanging all misplaced assets at once.
//!
//! With the assets F off their bounds, and the others B at theirs, the weights of F and the multiplier y of the budget solve
//!
//! ```text
//! Σ_FF w_F = tμ_F − Σ_FB w_B + y 1,      1ᵀw_F = 1 − 1ᵀw_B
//! ```
//!
//! by one Cholesky factor of Σ_FF. Every asset of F whose weight is beyond a bound is put on that bound, and every asset at a bound whose z = Σw − tμ − y1 has
//! the wrong sign joins F, all of them in one round (Kunisch and Rendl 2003, "An infeasible active set method for quadratic problems with simple bounds",
//! doi:10.1137/S1052623400376135), starting with all assets in F. This takes a few rounds, whereas a path from a corner of the box takes one event for each
//! asset that the portfolio holds. The rounds need not end: the method gives up after [`PATIENCE`] rounds that have not reduced the number of misplaced assets,
//! and where Σ_FF has no Cholesky factor. The engine, which checks the active set, then finds a start by itself.

use super::CriticalLine;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use pathqp::hessian::multiply;
use pathqp::{Start, Status};

/// The number of rounds in a row that need not reduce the number of misplaced assets.
const PATIENCE: usize = 6;

impl CriticalLine {
    /// A start at t where the active set is found in this way.
    pub(super) fn start_at(&self, t: f64) -> Start<f64> {
        // A covariance of fewer periods than assets is singular, and its problem has a factor of its own.
        let is_regular = self.rows.is_none() && self.covariance.row_factor().is_none();
        let status = if is_regular && t.is_finite() { self.active_set(t) } else { None };
        status.map_or(Start::Anywhere, |status| Start::ActiveSet { status, y: None })
    }

    fn active_set(&self, t: f64) -> Option<Vec<Status>> {
        let is_fixed = |i: usize| self.lower[i] >= self.upper[i];
        let mut status: Vec<Status> =
            (0..self.mean.len()).map(|i| if is_fixed(i) { Status::Lower } else { Status::Free }).collect();
        let (mut least, mut patience) = (usize::MAX, PATIENCE);
        while patience > 0 {
            let (w, y) = self.solution_on(&status, t)?;
            let product = multiply(self.covariance.as_ref(), &w);
            let place = |i: usize| match status[i] {
                Status::Free if w[i] < self.lower[i] => Status::Lower,
                Status::Free if w[i] > self.upper[i] => Status::Upper,
                Status::Free => Status::Free,
                side => {
                    let z = product[i] - t * self.mean[i] - y;
                    if is_fixed(i) || z * side.sign() as f64 >= 0.0 { side } else { Status::Free }
                }
            };
            let next: Vec<Status> = (0..w.len()).map(place).collect();
            let wrong = next.iter().zip(&status).filter(|(a, b)| a != b).count();
            if wrong == 0 {
                return Some(status);
            }
            patience = if wrong < least { PATIENCE } else { patience - 1 };
            least = least.min(wrong);
            status = next;
        }
        None
    }

    /// w and y with this active set; none where Σ_FF has no factor, or nothing is free.
    fn solution_on(&self, status: &[Status], t: f64) -> Option<(Vec<f64>, f64)> {
        let free: Vec<usize> = (0..status.len()).filter(|&i| status[i] == Status::Free).collect();
        let mut w: Vec<f64> = (0..status.len())
            .map(|i| match status[i] {
                Status::Lower => self.lower[i],
                Status::Upper => self.upper[i],
                Status::Free => 0.0,
            })
            .collect();
        let (held, left) = (multiply(self.covariance.as_ref(), &w), 1.0 - w.iter().sum::<f64>());
        let (k, mut row) = (free.len(), vec![0.0; free.len()]);
        let mut sigma = Mat::zeros(k, k);
        for (i, &asset) in free.iter().enumerate() {
            self.covariance.gather(asset, &free[..=i], &mut row[..=i]);
            row[..=i].iter().enumerate().for_each(|(j, v)| sigma[(i, j)] = *v);
        }
        let factor = sigma.llt(Side::Lower).ok()?;
        let right = |i: usize, j: usize| if j == 0 { t * self.mean[free[i]] - held[free[i]] } else { 1.0 };
        let solved = factor.solve(&Mat::from_fn(k, 2, right));
        let sum = |j: usize| (0..k).map(|i| solved[(i, j)]).sum::<f64>();
        let y = (left - sum(0)) / sum(1);
        free.iter().enumerate().for_each(|(i, &asset)| w[asset] = solved[(i, 0)] + y * solved[(i, 1)]);
        y.is_finite().then_some((w, y))
    }
}
