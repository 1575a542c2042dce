//! Certified pricing: a provable bound that tells which indices cannot reach zero yet.
//!
//! zᵢ = (Hx)ᵢ + cᵢ − Aᵢy changes along a law at the rate (Hx′)ᵢ + cᵢ′ − Aᵢy′. H is positive semidefinite, so
//! |(Hx′)ᵢ| ≤ √Hᵢᵢ ‖x′‖_H, and one more application of Cauchy–Schwarz includes the scalar rates:
//!
//! ```text
//! |zᵢ′| ≤ Nᵢ · v,     Nᵢ = ‖(√Hᵢᵢ, ρAᵢ, γcᵢ′)‖,     v = ‖(‖x′‖_H, y′/ρ, 1/γ)‖       for any ρ, γ > 0
//! ```
//!
//! (without a row, or where c does not move, the coordinate is left out). With the arc length s = ∫ v dt an index
//! priced at s₀ with the value zᵢ cannot reach zero before s = s₀ + |zᵢ|/Nᵢ. That is its *due* in a queue. A ratio test
//! with a step δ found so far prices only the indices due by s + vδ, each of which may shorten δ and is given a new due;
//! it ends when the first of the queue lies beyond. The nearest event, and all that tie with it, are the same as with
//! full pricing.
//!
//! For an index priced on a law its z at the end of the step, zᵢ + δzᵢ′, is known as well, and lies farther from zero than the bound tells: its due is counted
//! from there.
//!
//! √Hᵢᵢ and ‖x′‖_H may be replaced by the two factors of any other such bound; see `hessian/metric.rs` for the one
//! that is used with H = κZZᵀ.
//!
//! *In floating point.* A stored due is rounded down: |zᵢ| is first reduced by twice the size below which zᵢ counts as
//! zero (8192 ε of its terms, hundreds of times the rounding in zᵢ, and the reach within which events tie), its rate by
//! the size below which a rate counts as zero, then the quotient by 8 ε. The arc length is rounded up at every addition,
//! by 8 ε of the sum, which exceeds the rounding of v (a square root of a sum of squares), of the product and of the
//! addition. The errors of queue and bound can then only lead to pricing too many indices, never too few.

use super::calendar::Calendar;

pub(super) const OUTWARD: f64 = 1.0 + 8.0 * f64::EPSILON;

/// The queue of indices by the arc length at which they have to be priced again. The order in which it finds them is part of it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Queue {
    calendar: Calendar,
    /// The valid due of each index; an entry of the calendar with another one is out of date.
    due: Vec<f64>,
    /// Nᵢ.
    reach: Vec<f64>,
    /// s.
    arc: f64,
    /// Priced on the present law: index, distance from zero, and how fast that shrinks.
    priced: Vec<(u32, f64, f64)>,
}

impl Queue {
    /// All indices due at once. `reach` holds Nᵢ.
    pub fn new(reach: Vec<f64>) -> Self {
        let calendar = Calendar::new((0..reach.len() as u32).map(|i| (0.0, i)));
        Queue { calendar, due: vec![0.0; reach.len()], reach, arc: 0.0, priced: Vec::new() }
    }

    /// Whether its parts (read from somewhere) are those of n indices.
    pub fn is_sound(&self, n: usize) -> bool {
        let priced = self.priced.iter().all(|p| (p.0 as usize) < n);
        self.due.len() == n && self.reach.len() == n && self.calendar.is_sound(n) && priced
    }

    /// Index i is due now (it has just come to a bound, or is no longer tied).
    pub fn now(&mut self, i: usize) {
        self.put(i, self.arc);
    }

    /// Index i has |z| at least `distance` from where it counts as zero, and that shrinks by at most `closing` per t
    /// until the next step has been followed.
    pub fn priced(&mut self, i: usize, distance: f64, closing: f64) {
        self.due[i] = f64::NAN; // until it is put back
        self.priced.push((i as u32, distance, closing));
    }

    /// A ratio test begins: what an earlier one priced without a step thereafter is due at once.
    pub fn begin(&mut self) {
        for (i, ..) in std::mem::take(&mut self.priced) {
            self.now(i as usize);
        }
        let dues = &self.due;
        self.calendar.begin(4 * dues.len(), |(due, i)| due == dues[i as usize]);
    }

    /// The law was followed with arc speed v over a step δ.
    pub fn follow(&mut self, v: f64, step: f64) {
        self.advance(v * step);
        let mut priced = std::mem::take(&mut self.priced);
        for (i, distance, closing) in priced.drain(..) {
            let i = i as usize;
            let left = distance - closing * step;
            // A row of zero length never moves: 0/0 cannot occur, and x/0 is never due.
            let room = if left > 0.0 { left / self.reach[i] } else { 0.0 };
            self.put(i, self.arc + room / OUTWARD);
        }
        self.priced = priced;
    }

    fn put(&mut self, i: usize, due: f64) {
        self.due[i] = due;
        self.calendar.push(due, i as u32);
    }

    /// Takes an index that is due by `ahead` beyond the present arc length; `ahead` must not grow in one ratio test.
    pub fn take(&mut self, ahead: f64) -> Option<usize> {
        let horizon = (self.arc + ahead * OUTWARD) * OUTWARD;
        let horizon = if horizon.is_nan() { f64::INFINITY } else { horizon };
        let dues = &self.due;
        let (_, i) = self.calendar.take(horizon, |(due, i)| due == dues[i as usize])?;
        self.due[i as usize] = f64::NAN; // until it is put back
        Some(i as usize)
    }

    /// The law was followed for an arc of this length, or z moved by as much at fixed t.
    pub fn advance(&mut self, length: f64) {
        self.arc = (self.arc + length * OUTWARD) * OUTWARD;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_comes_back_exactly_when_its_bound_allows() {
        let mut queue = Queue::new(vec![1.0, 2.0, 0.0]);
        queue.begin();
        while let Some(i) = queue.take(0.0) {
            queue.priced(i, 4.0, 1.0); // 3 at the end of a step of 1, where s = 0.5; dues: 3.5, 2, never
        }
        queue.follow(0.5, 1.0);
        queue.advance(1.0);
        queue.begin();
        assert_eq!(queue.take(0.4), None);
        queue.begin();
        assert_eq!(queue.take(0.5), Some(1));
        queue.now(1);
        queue.begin();
        assert_eq!(queue.take(0.0), Some(1));
        queue.begin();
        assert_eq!(queue.take(2.0), Some(0));
        assert_eq!(queue.take(1e300), None); // a row of length zero is never due
    }
}
