//! Anchored pricing: all z are computed on one law, and their changes since then are bounded.
//!
//! The arc length of [`super::certified`] adds up all motion of the fit. Where many rows are free, the fit moves far and nearly straight: an event adds one row
//! to
//! the free ones and changes the rate little. So z and z′ of every index are computed on one law, the anchor at t₀, and on a later law with the fit w and the
//! rate w′
//!
//! ```text
//! zᵢ(t + τ) = zᵢ(t₀) + (t + τ − t₀) zᵢ′(t₀) + κZᵢ·(e + τe′),      e = w − w₀ − (t − t₀)w₀′,      e′ = w′ − w₀′
//! |zᵢ(t + τ) − zᵢ(t₀) − (t + τ − t₀) zᵢ′(t₀)| ≤ Nᵢ (‖e‖ + τ‖e′‖)
//! ```
//!
//! by the bound |κZᵢ·v| ≤ Nᵢ‖v‖ of the metric. c is affine in t and cancels; the statuses play no part; and there is no equality row, whose y would have to be
//! bounded too. An index is *due* within τ if the bound allows its z to reach zero by then. The due indices are priced on the present law, in the order of
//! their dues, since each may bring the nearest event closer. With k free rows of one length at right angles, ‖w′‖ is √k
//! times as long as the ‖e′‖ of one event, and √(k/m) times as long as that of m events.
//!
//! *A new anchor* costs as much as pricing all n indices. If the events since the last one priced p₁, p₂, … indices (a sequence that rises), the mean cost (n +
//! p₁ + … + pₘ)/m is least at the first m for which pₘ is not below it: the next anchor is made there.
//!
//! *When it is used.* An event costs a few operations for each index, however few are due, and the method pays only where a law changes little over many
//! events. This is so where coefficients enter one by one, but not in the exchanges of a support vector machine with few columns (on Spambase anchored pricing
//! prices 303 indices an event, the queue 129). So it is used only where rows are followed by their opposites (the positive and negative parts of
//! coefficients), which one product prices together, and only if the queue of [`super::certified`] has priced more than one index in [`OFTEN`] on [`TRIAL`]
//! events.
//!
//! *In floating point.* |zᵢ| is reduced and its rate increased as in [`super::certified`], the norms are rounded up by the metric, and the bound is increased
//! by 8 ε.

use super::certified::OUTWARD;

/// The queue is tried on so many events.
pub(super) const TRIAL: u64 = 2;

/// It is left where it prices more than one index in so many.
pub(super) const OFTEN: u64 = 8;

/// The law that all indices were priced on. Saved as it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Anchor {
    /// t₀, as a sum of two numbers.
    at: [f64; 2],
    /// w₀ and w₀′.
    fit: Vec<f64>,
    rate: Vec<f64>,
    /// How far each index is from where its z counts as zero there; below all others for one whose status has changed.
    distance: Vec<f64>,
    /// At most how fast that shrinks.
    closing: Vec<f64>,
    /// Nᵢ.
    reach: Vec<f64>,
    /// How many indices were priced since, on how many events.
    priced: u64,
    events: u64,
    /// A new one is due.
    stale: bool,
}

/// e and e′ of a law.
pub(crate) struct Drift {
    /// t − t₀.
    pub since: f64,
    /// ‖e‖.
    pub of_fit: f64,
    /// ‖e′‖.
    pub of_rate: f64,
}

impl Anchor {
    /// None yet: `reach` has Nᵢ.
    pub fn new(reach: Vec<f64>) -> Self {
        let (distance, closing) = (vec![0.0; reach.len()], vec![0.0; reach.len()]);
        let (fit, rate) = (Vec::new(), Vec::new());
        Anchor { at: [0.0; 2], fit, rate, distance, closing, reach, priced: 0, events: 0, stale: true }
    }

    /// Whether its parts (read from somewhere) are those of n indices.
    pub fn is_sound(&self, n: usize) -> bool {
        let lists = [&self.distance, &self.closing, &self.reach].iter().all(|v| v.len() == n);
        lists && self.fit.len() == self.rate.len() && (self.stale || !self.fit.is_empty())
    }

    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Index i has another status: it is due until there is a new anchor.
    pub fn now(&mut self, i: usize) {
        self.distance[i] = f64::NEG_INFINITY;
    }

    /// The law at t = `at` becomes the anchor; `of` has the distance of every index and how fast it shrinks.
    pub fn put(&mut self, at: [f64; 2], [fit, rate]: [Vec<f64>; 2], of: impl Fn(usize) -> (f64, f64)) {
        (self.at, self.fit, self.rate) = (at, fit, rate);
        for (i, (distance, closing)) in self.distance.iter_mut().zip(&mut self.closing).enumerate() {
            (*distance, *closing) = of(i);
        }
        (self.priced, self.events, self.stale) = (0, 0, false);
    }

    /// The drift of a law at t = `at` with its fit and rate, measured by the metric.
    pub fn drift(&self, at: [f64; 2], [fit, rate]: [&[f64]; 2], length: impl Fn(&[f64]) -> f64) -> Drift {
        let since = (at[0] - self.at[0]) + (at[1] - self.at[1]);
        let turn: Vec<f64> = rate.iter().zip(&self.rate).map(|(rate, old)| rate - old).collect();
        let terms = fit.iter().zip(&self.fit).zip(&self.rate);
        let moved: Vec<f64> = terms.map(|((fit, old), rate)| fit - old - since * rate).collect();
        Drift { since, of_fit: length(&moved) * OUTWARD, of_rate: length(&turn) * OUTWARD }
    }

    /// How far ahead each index is due.
    pub fn dues(&self, drift: &Drift) -> Vec<f64> {
        let Drift { since, of_fit, of_rate } = drift;
        let all = self.distance.iter().zip(&self.closing).zip(&self.reach);
        all.map(|((distance, closing), reach)| {
            let room = distance - since * closing - reach * of_fit * OUTWARD;
            let speed = (closing + reach * of_rate) * OUTWARD;
            // What is not a number is due.
            if room > 0.0 && speed > 0.0 {
                room / speed / OUTWARD
            } else if room > 0.0 && speed <= 0.0 {
                f64::INFINITY
            } else {
                0.0
            }
        })
        .collect()
    }

    /// An event has priced so many indices.
    pub fn paid(&mut self, priced: u64) {
        (self.priced, self.events) = (self.priced + priced, self.events + 1);
        self.stale = priced * self.events >= self.reach.len() as u64 + self.priced;
    }
}
