//! Certified pricing: which indices cannot reach zero yet, with proof.
//!
//! zᵢ = (Hx)ᵢ + cᵢ − Aᵢy changes along a law by (Hx′)ᵢ + cᵢ′ − Aᵢy′. H is positive semidefinite, so
//! |(Hx′)ᵢ| ≤ √Hᵢᵢ ‖x′‖_H, and one more Cauchy–Schwarz folds the scalar drifts in:
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
//! An index priced on a law also has its z at the end of the step, zᵢ + δzᵢ′, which is farther from zero than the bound
//! says: its due is counted from there.
//!
//! √Hᵢᵢ and ‖x′‖_H may be replaced by the two factors of any other such bound; see `hessian/metric.rs` for the one
//! that is used with H = κZZᵀ.
//!
//! *In floating point.* A stored due is rounded down: |zᵢ| is first reduced by twice the size below which zᵢ counts as
//! zero (8192 ε of its terms, hundreds of times the rounding in zᵢ, and the reach within which events tie), its rate by
//! the size below which a rate counts as zero, then the quotient by 8 ε. The arc length is rounded up at every addition,
//! by 8 ε of the sum, which exceeds the rounding of v (a square root of a sum of squares), of the product and of the
//! addition. Queue and bound then err only towards pricing too much.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

const OUTWARD: f64 = 1.0 + 8.0 * f64::EPSILON;

/// A due, ordered as a number.
#[derive(Clone, Copy, PartialEq)]
struct Due(f64);

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The queue of indices by the arc length at which they have to be priced again.
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<(Due, u32)>>,
    /// The valid due of each index; an entry of the heap with another one is out of date.
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
        let heap = (0..reach.len() as u32).map(|i| Reverse((Due(0.0), i))).collect();
        Queue { heap, due: vec![0.0; reach.len()], reach, arc: 0.0, priced: Vec::new() }
    }

    /// What is saved of it between two steps: the arc length, and the dues.
    pub fn save(&self) -> (f64, Vec<f64>) {
        (self.arc, self.due.clone())
    }

    /// Takes up what was saved. False when it is not that of as many indices.
    pub fn load(&mut self, (arc, due): (f64, Vec<f64>)) -> bool {
        let sound = due.len() == self.due.len();
        if sound {
            let valid = due.iter().enumerate().filter(|(_, due)| !due.is_nan());
            self.heap = valid.map(|(i, &due)| Reverse((Due(due), i as u32))).collect();
            (self.arc, self.due) = (arc, due);
        }
        sound
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
        self.heap.push(Reverse((Due(due), i as u32)));
    }

    /// Takes the first index if it is due by `ahead` beyond the present arc length.
    pub fn take(&mut self, ahead: f64) -> Option<usize> {
        let horizon = (self.arc + ahead * OUTWARD) * OUTWARD;
        while let Some(&Reverse((Due(due), i))) = self.heap.peek() {
            let i = i as usize;
            let valid = due == self.due[i];
            if valid && due > horizon {
                return None;
            }
            self.heap.pop();
            if valid {
                self.due[i] = f64::NAN; // until it is put back
                return Some(i);
            }
        }
        None
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
        while let Some(i) = queue.take(0.0) {
            queue.priced(i, 4.0, 1.0); // 3 at the end of a step of 1, where s = 0.5; dues: 3.5, 2, never
        }
        queue.follow(0.5, 1.0);
        queue.advance(1.0);
        assert_eq!(queue.take(0.4), None);
        assert_eq!(queue.take(0.5), Some(1));
        queue.now(1);
        assert_eq!(queue.take(0.0), Some(1));
        assert_eq!(queue.take(2.0), Some(0));
        assert_eq!(queue.take(1e300), None); // a row of length zero is never due
    }
}
