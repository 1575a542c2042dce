//! Rows that are known to lie in the span of the free rows.
//!
//! ```text
//! z̃ⱼ = Σ_f d_f z̃_f   ⇒   zⱼ′ = Σ_f d_f z_f′ = 0     for every law of F, as long as c does not move
//! ```
//!
//! so a tied j of the span stays tied and need not be priced. Data with few distinct values have tied sets of thousands of such rows while indices enter and
//! leave F. An index that leaves F takes a direction u out of the span; if a row of the old span with a part along u then joins F, the span is the old one
//! again, and every row known before is known again. When F is complete and u has not been brought back, the rows with a part along u are removed from the
//! known rows.
//!
//! Each row's distance from the span is measured once, in O(k(d + k)) operations, against a tolerance below the one at which a rate counts as zero, so that
//! skipping a row leads to the same decision as pricing it. Bringing a direction back costs one rounding divided by the part along u; if that part is below
//! [`CLEAR`], the distances are measured again.

use crate::active_set::IndexSet;

/// The part of a row outside the span of the free rows (relative to its length) from which it brings back a direction that
/// the span has lost.
const CLEAR: f64 = 0.1;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Members {
    /// In the span as it was when last complete.
    known: IndexSet,
    /// The directions that have left it since, and how many have come back.
    lost: Vec<Vec<f64>>,
    back: usize,
    /// How often each index was offered: it is measured at the first, second, fourth, eighth … time.
    offers: Vec<u32>,
}

impl Members {
    pub fn new(n: usize) -> Self {
        Members { known: IndexSet::new(n), lost: Vec::new(), back: 0, offers: vec![0; n] }
    }

    /// Whether its parts (read from somewhere) are those of n rows of this width.
    pub fn is_sound(&self, n: usize, width: usize) -> bool {
        let wide = self.lost.iter().all(|u| u.len() == width);
        self.known.is_sound(n) && self.offers.len() == n && wide && self.back <= self.lost.len()
    }

    /// Whether row i is known to lie in the span as it is now.
    pub fn contains(&self, i: usize) -> bool {
        self.lost.is_empty() && self.known.contains(i)
    }

    /// Index i left F, and with it the unit vector u the span.
    pub fn deleted(&mut self, i: usize, u: Vec<f64>) {
        self.known.insert(i);
        self.lost.push(u);
    }

    /// Index i joined F; `outside` is the part of its row that was outside the span, relative to its length.
    pub fn appended(&mut self, i: usize, outside: f64) {
        if !self.lost.is_empty() && self.known.contains(i) && outside >= CLEAR {
            self.back += 1;
            if self.back == self.lost.len() {
                self.whole();
            }
        }
    }

    /// F is complete: `outside` takes off a vector what lies in the span of F, `along(i, v)` is |z̃ᵢ·v| / ‖Zᵢ‖. Rows
    /// with a part along a direction that is lost are no longer known.
    pub fn settle(
        &mut self,
        tolerance: f64,
        outside: impl Fn(Vec<f64>) -> (Vec<f64>, f64),
        along: impl Fn(usize, &[f64]) -> f64,
    ) {
        for u in std::mem::take(&mut self.lost) {
            let (mut rest, length) = outside(u);
            if length > tolerance {
                // A row of the old span has as much of itself outside the new one as along the unit vector of what is left of u.
                rest.iter_mut().for_each(|v| *v /= length);
                let gone: Vec<usize> =
                    self.known.members().iter().copied().filter(|&i| along(i, &rest) > tolerance).collect();
                gone.into_iter().for_each(|i| self.known.remove(i));
            }
        }
        self.whole();
    }

    fn whole(&mut self) {
        self.lost.clear();
        self.back = 0;
    }

    /// The rate of index i was found to be zero: is its row to be measured?
    pub fn offer(&mut self, i: usize) -> bool {
        self.offers[i] = self.offers[i].saturating_add(1);
        self.lost.is_empty() && self.offers[i].is_power_of_two()
    }

    /// Row i was found to lie in the span.
    pub fn add(&mut self, i: usize) {
        self.known.insert(i);
        self.offers[i] = 0;
    }
}
