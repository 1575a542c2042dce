//! Every index at every breakpoint: the reference.

use crate::kkt::Kkt;
use crate::scalar::Scalar;

/// q = Hx + c and its rate for every index; z = q − Aᵀy.
pub(crate) struct FullPricing<S> {
    q: Vec<S>,
    dq: Vec<S>,
}

impl<S: Scalar> FullPricing<S> {
    pub fn new(n: usize) -> Self {
        FullPricing { q: vec![S::zero(); n], dq: vec![S::zero(); n] }
    }

    /// Prices all indices with the last solution; returns how many.
    pub fn refresh(&mut self, kkt: &mut dyn Kkt<S>) -> u64 {
        kkt.price_all(&mut self.q, &mut self.dq);
        self.q.len() as u64
    }

    pub fn q(&self, i: usize) -> &S {
        &self.q[i]
    }

    pub fn dq(&self, i: usize) -> &S {
        &self.dq[i]
    }
}
