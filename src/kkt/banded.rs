//! H with few diagonals and no equality row: LDLᵀ of H_FF in the order of the indices, where it keeps the band.
//!
//! The factor costs O(kb²), less than one pricing of all indices, and is computed afresh whenever F has changed: there is nothing to update, and no error
//! accumulates. x_B is kept entry by entry, so that every price, and the size of its terms, is a sum of 2b + 1 terms. x_F is refined in twice the working
//! precision until the corrections are of the size of rounding (Higham 2002, theorem 12.1).

use super::{Kkt, KktState, Part, Place, Refused, Solution, are_indices, bound};
use crate::active_set::Status;
use crate::error::ProblemError;
use crate::problem::Line;
use crate::scalar::Scalar;

/// A pivot of a band matrix (which is positive definite) counts as zero below this many ε, relative to Hᵢᵢ.
const BAND_PIVOT: f64 = 4096.0;

/// x_F of a band matrix is refined at most so often.
const BAND_REFINEMENTS: usize = 4;

pub(crate) struct BandedKkt<'a> {
    line: &'a Line<f64>,
    bandwidth: usize,
    /// H[i, i − b], …, H[i, i + b], zeros beyond the ends.
    rows: Vec<f64>,
    /// None when F has changed.
    factor: Option<Factor>,
    state: BandedState<f64>,
}

/// What changes on the way.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct BandedState<S> {
    free: Vec<usize>,
    status: Vec<Status>,
    at: Place<S>,
    /// x at t, n entries.
    value: Vec<S>,
    rate: Vec<S>,
    /// The largest |x′| since crossing began.
    rate_size: Vec<S>,
}

/// LDLᵀ of H_FF with F in order.
struct Factor {
    /// F in order.
    order: Vec<usize>,
    /// L[p, p − b], …, L[p, p − 1].
    l: Vec<f64>,
    d: Vec<f64>,
    bandwidth: usize,
}

impl Factor {
    fn row(&self, p: usize) -> &[f64] {
        &self.l[p * self.bandwidth..(p + 1) * self.bandwidth]
    }

    /// H_FF⁻¹v.
    fn solve(&self, v: &mut [f64]) {
        let b = self.bandwidth;
        for p in 0..v.len() {
            let row = self.row(p);
            for k in 1..=b.min(p) {
                v[p] -= row[b - k] * v[p - k];
            }
        }
        for (v, d) in v.iter_mut().zip(&self.d) {
            *v /= d;
        }
        for p in (0..v.len()).rev() {
            let row = self.row(p);
            for k in 1..=b.min(p) {
                v[p - k] -= row[b - k] * v[p];
            }
        }
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, v| m.max(v.abs()))
}

impl<'a> BandedKkt<'a> {
    /// With no variable placed yet.
    pub fn new(line: &'a Line<f64>, bandwidth: usize) -> Self {
        let n = line.n();
        let mut rows = vec![0.0; n * (2 * bandwidth + 1)];
        for (i, row) in rows.chunks_mut(2 * bandwidth + 1).enumerate() {
            let columns: Vec<usize> = (i.saturating_sub(bandwidth)..n.min(i + bandwidth + 1)).collect();
            let first = columns[0] + bandwidth - i;
            line.hessian.gather(i, &columns, &mut row[first..first + columns.len()]);
        }
        let zeros = || vec![0.0; n];
        let state = BandedState {
            free: Vec::new(),
            status: vec![Status::Free; n],
            at: Place::exactly(0.0),
            value: zeros(),
            rate: zeros(),
            rate_size: zeros(),
        };
        BandedKkt { line, bandwidth, rows, factor: None, state }
    }

    /// The columns of row i and its entries there.
    #[inline]
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (b, width) = (self.bandwidth, 2 * self.bandwidth + 1);
        let (first, end) = (i.saturating_sub(b), self.line.n().min(i + b + 1));
        let start = i * width + first + b - i;
        (first..end).zip(self.rows[start..].iter().copied())
    }

    /// The factor of the present F, to be put back.
    fn take_factor(&mut self) -> Factor {
        self.factor.take().unwrap_or_else(|| self.fresh_factor())
    }

    fn fresh_factor(&self) -> Factor {
        let b = self.bandwidth;
        let mut order = self.state.free.clone();
        order.sort_unstable();
        let (mut l, mut d) = (vec![0.0; order.len() * b], vec![0.0; order.len()]);
        for p in 0..order.len() {
            let (above, below) = l.split_at_mut(p * b);
            let row = &mut below[..b];
            let entry = |q: usize| {
                let far = order[p] - order[q];
                if far <= b { self.rows[order[p] * (2 * b + 1) + b - far] } else { 0.0 }
            };
            let mut pivot = entry(p);
            for q in p.saturating_sub(b)..p {
                let mut sum = entry(q);
                for s in p.saturating_sub(b)..q {
                    // L[p, s]·d[s] is still unscaled in `row`; L[q, s] is final.
                    if q - s <= b {
                        sum -= row[b + s - p] * above[q * b + b + s - q];
                    }
                }
                row[b + q - p] = sum;
            }
            for q in p.saturating_sub(b)..p {
                let unscaled = row[b + q - p];
                row[b + q - p] = unscaled / d[q];
                pivot -= unscaled * row[b + q - p];
            }
            d[p] = pivot;
        }
        Factor { order, l, d, bandwidth: b }
    }

    /// −c − Hx on F in order, in twice the working precision.
    fn residual(&self, order: &[usize], x: &[f64], part: &Part<f64>) -> Vec<f64> {
        let rest = |&i: &usize| {
            let (c0, c1) = (-self.line.c0[i], -self.line.c1[i]);
            let (mut high, mut low) = match part {
                Part::Value(_) => (c0, 0.0),
                Part::Rate => (c1, 0.0),
            };
            if let Part::Value(at) = part {
                f64::accumulate(&mut high, &mut low, &c1, &at.t);
                low += c1 * at.off;
            }
            for (j, h) in self.row(i) {
                f64::accumulate(&mut high, &mut low, &-h, &x[j]);
            }
            high + low
        };
        order.iter().map(rest).collect()
    }

    /// Σⱼ |Hᵢⱼ| sizeⱼ.
    fn weigh(&self, i: usize, size: impl Fn(usize) -> f64) -> f64 {
        self.row(i).map(|(j, h)| h.abs() * size(j)).sum()
    }
}

impl Kkt<f64> for BandedKkt<'_> {
    fn free(&self) -> &[usize] {
        &self.state.free
    }

    fn place(&mut self, i: usize, at: Status) {
        self.state.status[i] = at;
    }

    fn release(&mut self, i: usize, _from: Status) -> Result<f64, Refused<f64>> {
        let (b, width) = (self.bandwidth, 2 * self.bandwidth + 1);
        let factor = self.take_factor();
        let entry = |&j: &usize| if i.abs_diff(j) <= b { self.rows[i * width + b + j - i] } else { 0.0 };
        let column: Vec<f64> = factor.order.iter().map(entry).collect();
        let mut w = column.clone();
        factor.solve(&mut w);
        let diagonal = self.rows[i * width + b];
        let pivot = diagonal - f64::dot(&column, &w);
        let zero = diagonal * f64::tolerance(BAND_PIVOT);
        if pivot <= zero {
            let part = |j: &usize| factor.order.binary_search(j).map_or(0.0, |p| -w[p]);
            let d: Vec<f64> = self.state.free.iter().map(part).chain([1.0]).collect();
            self.factor = Some(factor);
            if pivot < -zero {
                let indices = self.state.free.iter().copied().chain([i]);
                let direction = indices.zip(&d).map(|(j, d)| (j, d.to_string())).collect();
                let curvature = pivot.to_string();
                return Err(Refused::Indefinite(ProblemError::Indefinite { direction, curvature }));
            }
            return Err(Refused::Dependent(d));
        }
        self.state.free.push(i);
        self.state.status[i] = Status::Free;
        self.factor = None;
        Ok(pivot)
    }

    fn bind(&mut self, position: usize, to: Status) {
        let i = self.state.free.remove(position);
        self.state.status[i] = to;
        self.factor = None;
    }

    fn flip(&mut self, i: usize, from: Status) {
        self.state.status[i] = from.opposite();
    }

    fn solve(&mut self, part: Part<f64>) -> Solution<f64> {
        let factor = self.take_factor();
        let held = |i: usize| {
            let bound = bound(self.line, i, self.state.status[i]);
            match &part {
                Part::Value(at) => at.affine(&bound),
                Part::Rate => bound[1],
            }
        };
        let mut x: Vec<f64> = (0..self.line.n()).map(held).collect();
        for _ in 0..=BAND_REFINEMENTS {
            let mut correction = self.residual(&factor.order, &x, &part);
            factor.solve(&mut correction);
            factor.order.iter().zip(&correction).for_each(|(&i, c)| x[i] += c);
            if largest(&correction) <= f64::EPSILON * largest(&x) {
                break;
            }
        }
        self.factor = Some(factor);
        let solution = Solution { x: self.state.free.iter().map(|&i| x[i]).collect(), y: None, y_size: 0.0 };
        match part {
            Part::Value(at) => (self.state.at, self.state.value) = (at, x),
            Part::Rate => {
                self.state.rate_size.iter_mut().zip(&x).for_each(|(size, x)| *size = size.max(x.abs()));
                self.state.rate = x;
            }
        }
        solution
    }

    fn row_gap(&self) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn price_all(&mut self, q: &mut [f64], dq: &mut [f64]) {
        for (i, (q, dq)) in q.iter_mut().zip(dq).enumerate() {
            (*q, *dq) = self.price(i);
        }
    }

    fn begin_crossing(&mut self) {
        self.state.rate_size.fill(0.0);
    }

    fn price(&self, i: usize) -> (f64, f64) {
        let start = (self.line.c(i, &self.state.at.t) + self.line.c1[i] * self.state.at.off, self.line.c1[i]);
        let (value, rate) = (&self.state.value, &self.state.rate);
        self.row(i).fold(start, |(q, dq), (j, h)| (q + h * value[j], dq + h * rate[j]))
    }

    fn price_rates(&self, indices: &[usize], dq: &mut [f64]) {
        for (dq, &i) in dq.iter_mut().zip(indices) {
            *dq = self.price(i).1;
        }
    }

    fn x_size(&self) -> f64 {
        self.state.free.iter().fold(0.0, |m, &i| m.max(self.state.value[i].abs()))
    }

    fn row_scale(&self, i: usize) -> f64 {
        self.line.hessian.diagonal(i).sqrt()
    }

    fn size(&self, i: usize) -> f64 {
        self.weigh(i, |j| self.state.value[j].abs())
    }

    fn rate_size(&self, i: usize) -> f64 {
        self.weigh(i, |j| self.state.rate_size[j])
    }

    fn unknown(&self, _i: usize) -> f64 {
        0.0
    }

    fn rate_unknown(&self, _i: usize) -> f64 {
        0.0
    }

    fn rate_noise(&self) -> f64 {
        0.0
    }

    fn refactor(&mut self) {
        self.factor = None;
    }

    fn save(&self) -> KktState<f64> {
        KktState::Banded(Box::new(self.state.clone()))
    }

    fn load(&mut self, state: KktState<f64>) -> bool {
        let KktState::Banded(state) = state else { return false };
        let n = self.line.n();
        let lists = [state.value.len(), state.rate.len(), state.rate_size.len(), state.status.len()];
        let sound = are_indices(&state.free, n)
            && lists == [n; 4]
            && state.free.iter().all(|&i| state.status[i] == Status::Free);
        if sound {
            (self.factor, self.state) = (None, *state);
        }
        sound
    }
}
