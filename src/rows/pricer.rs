//! Which columns at bounds are priced: those whose price can have reached zero since it was last computed, or can reach zero before the law ends.
//!
//! zⱼ = cⱼ(t) + (A; Zᵀ)ⱼᵀη is affine in (η, t), so that from one solution to another it moves by no more than
//!
//! ```text
//! |Δzⱼ| ≤ Nⱼ ‖(‖LᵀΔη‖, Δt/γ)‖,      Nⱼ = ‖(‖L⁻¹(A; Zᵀ)ⱼ‖, γcⱼ′)‖        for any invertible L and γ > 0
//! ```
//!
//! (Cauchy and Schwarz; L is that of `hessian/metric.rs`, for the columns of (A; Zᵀ)). A column with |zⱼ| at its last pricing need not be priced again until
//! the lengths of all moves since then sum to |zⱼ|/Nⱼ: its *due* in a queue ([`crate::pricing`]). A law along which η moves at η′ is searched as far as the
//! first event found; a jump of η along w as far as the first price that reaches zero. The search gives the same result as pricing all columns. The lengths of
//! moves are computed from the solutions themselves, so that nothing accumulates but rounding upwards.
//!
//! Slacks (zᵣ = −ηᵣ) and columns whose bounds move or whose boxes may close are priced on every law. If H is used by its entries, or on exact scalars, so is
//! every column.
//!
//! *In floating point.* |zⱼ| is first reduced by twice the size below which the largest possible terms of zⱼ count as zero, which is hundreds of times the
//! rounding of zⱼ and the width of an event; then the due is reduced by 8 ε.

use super::follower::RowFollower;
use super::system::System;
use crate::hessian::{Gram, Metric, Rows};
use crate::pricing::Queue;
use crate::scalar::Scalar;
use crate::settings::Pricing;
use crate::threads::Threads;

/// More columns of (A; Zᵀ) than entries of L make a metric worth its making, and a column no longer than that.
const FULL: usize = 128;

/// Columns by the length of the way after which they have to be priced.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Dues<S> {
    queue: Queue,
    /// γ; zero where no cost moves.
    gamma: f64,
    /// η and t of the solution that the way has come to.
    eta: Vec<S>,
    t: S,
}

impl<S: Scalar> Dues<S> {
    /// Whether its lists are those of this system (it may have been read from somewhere).
    pub fn is_sound(&self, system: &System<S>) -> bool {
        self.queue.is_sound(system.n) && self.eta.len() == system.m + system.d
    }
}

impl<S: Scalar> System<S> {
    /// The metric of the columns of (A; Zᵀ). None where they are all zero, or their squares overflow.
    pub(super) fn new_metric(&self) -> Option<Metric> {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..self.n {
            self.for_column(j, |i, v| {
                if !v.is_zero() {
                    indices.push(i as u32);
                    values.push(v.to_f64().unwrap_or(f64::INFINITY));
                }
            });
            starts.push(values.len());
        }
        let columns = self.m + self.d;
        let gram = Gram::new(self.n, Rows::Sparse { columns, starts, indices, values }, 1.0).ok()?;
        Metric::close(&gram, self.n, &Threads::new(1), FULL)
    }
}

impl<S: Scalar> RowFollower<S> {
    /// All columns are due.
    fn dues(&self) -> Option<Dues<S>> {
        if S::EXACT || self.system.dense || self.settings.pricing == Pricing::Full {
            return None;
        }
        let metric = self.system.metric()?;
        let size = |v: &S| v.abs().to_f64().unwrap_or(f64::INFINITY);
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let cost = most(&mut self.data.c[..self.system.n].iter().map(|c| size(&c[1])));
        let row = most(&mut metric.row_lengths().iter().copied());
        let gamma = if cost > 0.0 && row > 0.0 { row / cost } else { 0.0 };
        let lengths = metric.row_lengths().iter().zip(&self.data.c);
        let reach = |(row, c): (&f64, &[S; 2])| row.hypot(gamma * size(&c[1])) * (1.0 + 8.0 * f64::EPSILON);
        let queue = Queue::new(lengths.map(reach).collect());
        let eta = vec![S::zero(); self.system.m + self.system.d];
        Some(Dues { queue, gamma, eta, t: self.at.t.clone() })
    }

    /// The length of a move of η, and of t.
    fn length_of(&self, gamma: f64, eta: &[S], t: &S) -> f64 {
        let Some(metric) = self.system.metric() else { return f64::INFINITY };
        let number = |v: &S| v.to_f64().unwrap_or(f64::INFINITY);
        let of_eta = metric.length(&eta.iter().map(number).collect::<Vec<f64>>());
        let of_t = if gamma > 0.0 { number(t).abs() / gamma } else { 0.0 };
        of_eta.hypot(of_t)
    }

    /// The columns of the basis, and those at bounds that have been priced on this law; in their order.
    pub(super) fn looked_at(&self, further: &[usize]) -> Vec<usize> {
        let (n, columns) = (self.system.n, self.system.columns());
        if self.dues.is_none() {
            return (0..columns).collect();
        }
        let mut all: Vec<usize> = self.basis.keys.iter().copied().filter(|&key| key < n).collect();
        all.extend((n..columns).filter(|&slack| self.is_basic(slack)));
        all.extend(self.near.iter().chain(further));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// What was priced is due by its distance from zero: before η moves.
    pub(super) fn put_back(&mut self) {
        let near = std::mem::take(&mut self.near);
        near.iter().for_each(|&j| self.is_near[j] = false);
        let Some(mut dues) = self.dues.take() else { return };
        let most = self.most();
        for j in near.into_iter().filter(|&j| j < self.system.n && !self.is_basic(j)) {
            let zero = self.crude(j, &most)[0].clone() * S::tolerance(2.0 * self.settings.zero);
            let distance = self.z[0][j].clone() * self.sign(j) - zero;
            dues.queue.priced(j, distance.to_f64().unwrap_or(0.0), 0.0);
        }
        dues.queue.follow(0.0, 0.0);
        self.dues = Some(dues);
    }

    /// η and t are others.
    pub(super) fn arrive(&mut self) {
        if !std::mem::replace(&mut self.has_dues, true) {
            self.dues = self.dues();
        }
        let Some(mut dues) = self.dues.take() else { return };
        let eta = &self.value.eta.high;
        let moved: Vec<S> = eta.iter().zip(&dues.eta).map(|(new, old)| new.clone() - old).collect();
        let length = self.length_of(dues.gamma, &moved, &(self.at.t.clone() - &dues.t));
        dues.queue.advance(length);
        (dues.eta, dues.t) = (eta.clone(), self.at.t.clone());
        self.dues = Some(dues);
    }

    /// Column j has come to a bound.
    pub(super) fn due_now(&mut self, j: usize) {
        if let (Some(dues), true) = (&mut self.dues, j < self.system.n) {
            dues.queue.now(j);
        }
    }

    /// Prices on the law ahead what is due at its beginning.
    pub(super) fn price(&mut self) {
        if self.dues.is_none() {
            (0..self.system.columns()).for_each(|j| self.look(j));
            return;
        }
        for k in 0..self.always.len() {
            self.look(self.always[k]);
        }
        self.search(0.0, Some(S::zero()), |_, _| None);
    }

    /// Prices what may come to zero while η moves at a speed, or along a vector of that length, for so long; `found` looks at each and tells by when it is over now.
    pub(super) fn search(
        &mut self,
        speed: f64,
        mut ahead: Option<S>,
        mut found: impl FnMut(&Self, usize) -> Option<S>,
    ) {
        let Some(mut dues) = self.dues.take() else { return };
        dues.queue.begin();
        loop {
            let far = ahead.as_ref().map_or(f64::INFINITY, |ahead| ahead.to_f64().unwrap_or(f64::INFINITY));
            let Some(j) = dues.queue.take(if speed > 0.0 { speed * far } else { 0.0 }) else { break };
            if self.is_basic(j) || self.fixed[j] || self.is_near[j] {
                continue;
            }
            self.look(j);
            if let Some(until) = found(self, j)
                && ahead.as_ref().is_none_or(|ahead| until < *ahead)
            {
                ahead = Some(until);
            }
        }
        self.dues = Some(dues);
    }

    /// The speed of η on the law ahead.
    pub(super) fn speed(&self) -> f64 {
        let Some(dues) = &self.dues else { return 0.0 };
        self.length_of(dues.gamma, &self.rate.eta.high, &S::one())
    }

    /// The length of a direction of y.
    pub(super) fn length_along(&self, w: &[S]) -> f64 {
        if self.dues.is_none() {
            return 0.0;
        }
        let mut eta = w.to_vec();
        eta.resize(self.system.m + self.system.d, S::zero());
        self.length_of(0.0, &eta, &S::zero())
    }

    /// zⱼ and its rate of a column at a bound.
    pub(super) fn look(&mut self, j: usize) {
        if self.is_basic(j) || std::mem::replace(&mut self.is_near[j], true) {
            return;
        }
        self.near.push(j);
        self.stats.priced += 1;
        let [v, s] = self.data.c[j].clone();
        let rate = self.rate.z(&self.system, j, s.clone());
        let value = self.value.z(&self.system, j, self.at.affine(&[v, s]));
        (self.z[0][j], self.z[1][j]) = (value, rate);
        if !S::EXACT {
            let most = self.most_of_law.clone();
            self.judge(j, &most);
        }
    }

    /// Columns at bounds that are priced on every law.
    pub(super) fn always(system: &System<S>, moves: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..system.n).filter(|&j| moves(j)).chain(system.n..system.columns()).collect()
    }
}
