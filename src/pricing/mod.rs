//! Pricing: z at indices that are at a bound.
//!
//! [`Prices`] answers for any index, from the table that full pricing fills or from the law itself. Which indices are
//! looked at in a ratio test is decided by full pricing (all) or by the queue of [`certified`].

mod calendar;
mod certified;

pub(crate) use certified::Queue;

use crate::kkt::Kkt;
use crate::scalar::Scalar;

/// q = Hx + c and its rate; z = q − Aᵀy.
#[derive(Clone, Debug)]
pub(crate) struct Prices<S> {
    q: Vec<S>,
    dq: Vec<S>,
    /// The table holds the current law's values.
    fresh: bool,
}

impl<S> Default for Prices<S> {
    fn default() -> Self {
        Prices { q: Vec::new(), dq: Vec::new(), fresh: false }
    }
}

impl<S: Scalar> Prices<S> {
    /// The law has changed: the table is out of date.
    pub fn expire(&mut self) {
        self.fresh = false;
    }

    /// Fills the table of n indices; returns how many were priced.
    pub fn fill(&mut self, kkt: &mut dyn Kkt<S>, n: usize) -> u64 {
        if self.fresh {
            return 0;
        }
        self.q.resize(n, S::zero());
        self.dq.resize(n, S::zero());
        kkt.price_all(&mut self.q, &mut self.dq);
        self.fresh = true;
        n as u64
    }

    /// (q, dq) of index i.
    pub fn price(&self, kkt: &dyn Kkt<S>, i: usize) -> (S, S) {
        if self.fresh { (self.q[i].clone(), self.dq[i].clone()) } else { kkt.price(i) }
    }
}
