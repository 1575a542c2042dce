//! Pricing: z at indices that are at a bound.
//!
//! [`Prices`] answers for any index, from the table that full pricing fills or from the law itself. Which indices are
//! looked at in a ratio test is decided by full pricing (all), by the queue of [`certified`] or by the anchor of [`anchored`].

mod anchored;
mod calendar;
mod certified;

pub(crate) use anchored::{Anchor, Drift};
pub(crate) use certified::Queue;

use crate::kkt::Kkt;
use crate::scalar::Scalar;

/// Which indices are looked at, where not all are. Saved as it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Certified {
    /// Those that the arc length lets come to zero.
    Arc(Queue, Trial),
    /// Those that may have left the anchor's law far enough.
    Anchored(Anchor),
}

/// How many indices the queue has priced, on how many events.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Trial {
    priced: u64,
    events: u64,
}

impl Trial {
    /// An event has priced so many of n; whether the queue has had its trial and failed. The first event prices all in any case.
    pub fn fails(&mut self, priced: u64, n: usize) -> bool {
        self.events += 1;
        self.priced += if self.events == 1 { 0 } else { priced };
        if self.events <= anchored::TRIAL {
            return false;
        }
        let often = self.priced.saturating_mul(anchored::OFTEN) > anchored::TRIAL * n as u64;
        (self.priced, self.events) = (0, 1);
        often
    }
}

impl Certified {
    /// Whether its parts (read from somewhere) are those of n indices.
    pub fn is_sound(&self, n: usize) -> bool {
        match self {
            Certified::Arc(queue, trial) => queue.is_sound(n) && trial.events <= anchored::TRIAL,
            Certified::Anchored(anchor) => anchor.is_sound(n),
        }
    }

    /// Index i has just come to a bound, or is no longer tied.
    pub fn now(&mut self, i: usize) {
        match self {
            Certified::Arc(queue, _) => queue.now(i),
            Certified::Anchored(anchor) => anchor.now(i),
        }
    }

    /// The queue, if it is one.
    pub fn queue(&mut self) -> Option<&mut Queue> {
        match self {
            Certified::Arc(queue, _) => Some(queue),
            Certified::Anchored(_) => None,
        }
    }
}

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
