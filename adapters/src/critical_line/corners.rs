//! The corner of the feasible set with the largest Sharpe ratio, among those that have one.
//!
//! With all weights at their lower bounds, b = 1 − 1ᵀl is left to distribute, and asset i can take dᵢ = uᵢ − lᵢ of it. A node of the search is a set of assets
//! put at their upper bounds, in ascending order; the remainder goes to one further asset whose dᵢ is larger. Every corner is visited once. Adding δ to wⱼ
//! changes wᵀΣw by 2δ(Σw)ⱼ + δ²Σⱼⱼ, so that a corner costs a few operations, and a node that is not a corner costs n.

use super::CriticalLine;
use pathqp::hessian::multiply;

/// The most nodes: about a second of work for a hundred assets.
const NODES: usize = 1 << 20;

/// The most numbers kept for the nodes on the way to one: 128 MB.
const KEPT: usize = 1 << 24;

/// More corners than are gone through.
pub(super) struct TooMany;

/// A set of assets at their upper bounds: that of the frame before, and one more.
struct Frame {
    /// The asset that this frame took up; none for the first.
    raised: Option<usize>,
    /// The next asset to take up.
    next: usize,
    /// What is left to distribute.
    left: f64,
    variance: f64,
    excess: f64,
    /// Σw; empty where nothing is left.
    product: Vec<f64>,
}

/// The search, with what it has found so far.
pub(super) struct Search<'a> {
    problem: &'a CriticalLine,
    lower: &'a [f64],
    /// dᵢ, the sums of all from each asset on, and the largest.
    width: Vec<f64>,
    room: Vec<f64>,
    widest: f64,
    /// The rounding of what is left: a sum of 2n bounds.
    rounding: f64,
    /// μᵢ − r.
    gains: Vec<f64>,
    rows: Vec<Option<Vec<f64>>>,
    raised: Vec<bool>,
    best: Option<(f64, Vec<f64>)>,
}

impl<'a> Search<'a> {
    /// Between finite bounds.
    pub(super) fn new(problem: &'a CriticalLine, lower: &'a [f64], upper: &[f64], risk_free: f64) -> Self {
        let n = lower.len();
        let width: Vec<f64> = upper.iter().zip(lower).map(|(u, l)| (u - l).max(0.0)).collect();
        let mut room = vec![0.0; n + 1];
        (0..n).rev().for_each(|i| room[i] = room[i + 1] + width[i]);
        let size: f64 = 1.0 + lower.iter().chain(upper).map(|b| b.abs()).sum::<f64>();
        Search {
            problem,
            lower,
            widest: width.iter().fold(0.0, |l, w| l.max(*w)),
            width,
            room,
            rounding: (n + 1) as f64 * f64::EPSILON * size,
            gains: problem.mean.iter().map(|m| m - risk_free).collect(),
            rows: vec![None; n],
            raised: vec![false; n],
            best: None,
        }
    }

    /// The weights of the best corner; none where no corner has a risk.
    pub(super) fn run(mut self) -> Result<Option<Vec<f64>>, TooMany> {
        let n = self.lower.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let product = multiply(self.problem.covariance.as_ref(), self.lower);
        let (variance, excess) = (dot(&product, self.lower), dot(&self.gains, self.lower));
        let left = 1.0 - self.lower.iter().sum::<f64>();
        let mut frames = vec![Frame { raised: None, next: 0, left, variance, excess, product }];
        self.finish(&frames[0]);
        let mut nodes = 0;
        while let Some(frame) = frames.last_mut() {
            let j = frame.next;
            // What is left must fit into the assets from here on and one further.
            if j == n || frame.left <= self.rounding || frame.left > self.room[j] + self.widest + self.rounding {
                if let Some(j) = frame.raised {
                    self.raised[j] = false;
                }
                frames.pop();
                continue;
            }
            frame.next += 1;
            if self.width[j] <= self.rounding || self.width[j] > frame.left + self.rounding {
                continue;
            }
            nodes += 1;
            let child = self.child(frame, j);
            self.raised[j] = true;
            self.finish(&child);
            frames.push(child);
            if nodes > NODES || frames.len() * n > KEPT {
                return Err(TooMany);
            }
        }
        Ok(self.best.map(|(_, weights)| weights))
    }

    /// A frame with asset j taken up as well.
    fn child(&mut self, parent: &Frame, j: usize) -> Frame {
        let (variance, excess) = self.after(parent, j, self.width[j]);
        let left = parent.left - self.width[j];
        let mut product = Vec::new();
        if left > self.rounding {
            let row = self.rows[j].get_or_insert_with(|| {
                let mut row = Vec::new();
                self.problem.covariance.with_row(j, &mut |r| row = r.to_vec());
                row
            });
            product = parent.product.iter().zip(row.iter()).map(|(p, r)| p + self.width[j] * r).collect();
        }
        Frame { raised: Some(j), next: j + 1, left, variance, excess, product }
    }

    /// Variance and excess return after δ more of asset j.
    fn after(&self, frame: &Frame, j: usize, part: f64) -> (f64, f64) {
        let square = part * part * self.problem.covariance.diagonal(j);
        (frame.variance + 2.0 * part * frame.product[j] + square, frame.excess + part * self.gains[j])
    }

    /// The corners of a frame: nothing is left, or one further asset has room for more.
    fn finish(&mut self, frame: &Frame) {
        if frame.left <= self.rounding {
            return self.rate((frame.variance, frame.excess), None);
        }
        for j in 0..self.lower.len() {
            if !self.raised[j] && self.width[j] > frame.left + self.rounding {
                self.rate(self.after(frame, j, frame.left), Some((j, frame.left)));
            }
        }
    }

    /// Keeps a corner that is better than all before.
    fn rate(&mut self, (variance, excess): (f64, f64), last: Option<(usize, f64)>) {
        let ratio = excess / variance.sqrt();
        if ratio.is_nan() || self.best.as_ref().is_some_and(|best| ratio <= best.0) {
            return;
        }
        let mut weights = self.lower.to_vec();
        (0..weights.len()).filter(|&j| self.raised[j]).for_each(|j| weights[j] += self.width[j]);
        last.iter().for_each(|&(j, part)| weights[j] += part);
        if variance > self.problem.rounding_of_variance(&weights) {
            self.best = Some((ratio, weights));
        }
    }
}
