//! The active set: which bound holds each variable, which indices are tied at t, and what has changed since the last
//! event.

use super::Follower;
use crate::active_set::{IndexSet, Status, key};
use crate::problem::Line;
use crate::scalar::Scalar;
use std::collections::HashSet;

/// The active set of a follower. Saved as it is.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Active<S> {
    pub status: Vec<Status>,
    /// Boxes whose width is zero all along the line: no events.
    pub fixed: Vec<bool>,
    /// D: at a bound with z = 0.
    pub tied: IndexSet,
    /// Set apart from the tied set at this t.
    pub untied: Vec<usize>,
    /// z at t of the indices whose z has just reached zero: what rounding leaves of it.
    pub hit_z: Vec<(usize, S)>,
    /// To what in t it is known where the indices that have just reached a bound did so.
    pub blur: Vec<(usize, S)>,
    /// By how much t may be corrected: the least interval to which an event since the last law that was kept is known.
    /// None where there was none.
    pub open: Option<S>,
    /// Changes of status at the last event: index, from, to.
    pub changes: Vec<(usize, Status, Status)>,
    /// The indices that crossing it has freed, each with the bound that it left.
    pub freed: Vec<(usize, Status)>,
    /// Indices that may have changed their status, or joined or left D, since the last recorded segment.
    pub touched: Vec<usize>,
    /// How many of them the codes are up to date with.
    coded: usize,
    /// Status and membership in D that the fingerprint is made of.
    pub codes: Vec<(Status, bool)>,
    pub fingerprint: u64,
    /// Fingerprints that have come up at this t.
    pub seen: HashSet<u64>,
}

impl<S: Scalar> Active<S> {
    /// At the beginning of a line, with nothing tied yet.
    pub fn new(line: &Line<S>, status: Vec<Status>) -> Self {
        let n = line.n();
        let is_fixed = |i| line.bounds.width(i, &line.begin).is_some_and(|(w, s)| w.is_zero() && s.is_zero());
        Active {
            status,
            fixed: (0..n).map(is_fixed).collect(),
            tied: IndexSet::new(n),
            untied: Vec::new(),
            hit_z: Vec::new(),
            blur: Vec::new(),
            open: None,
            changes: Vec::new(),
            freed: Vec::new(),
            touched: (0..n).collect(),
            coded: 0,
            codes: vec![(Status::Free, false); n],
            fingerprint: 0,
            seen: HashSet::new(),
        }
    }

    /// Whether its parts (read from somewhere) are those of n variables.
    pub fn is_sound(&self, n: usize) -> bool {
        let lists = [self.status.len(), self.fixed.len(), self.codes.len()];
        let measured = self.hit_z.iter().chain(&self.blur).map(|h| h.0);
        let changed = self.changes.iter().map(|c| c.0).chain(self.freed.iter().map(|f| f.0));
        let listed = self.untied.iter().chain(&self.touched).copied();
        lists.iter().all(|len| *len == n)
            && self.tied.is_sound(n)
            && measured.chain(changed).chain(listed).all(|i| i < n)
            && self.coded <= self.touched.len()
    }

    /// Whether index i can have an event of its own: at a bound of an open box and not tied.
    pub fn is_watched(&self, i: usize) -> bool {
        self.status[i] != Status::Free && !self.fixed[i] && !self.tied.contains(i)
    }

    /// The follower has moved on from t.
    pub fn leave(&mut self) {
        self.seen.clear();
        self.untied.clear();
    }

    /// Nothing is known any more of what led here.
    pub fn forget(&mut self) {
        self.leave();
        self.hit_z.clear();
        self.blur.clear();
        self.open = None;
        self.changes.clear();
        self.freed.clear();
    }

    /// Takes over statuses and D of the same problem in another scalar.
    pub fn copy<W: Scalar>(&mut self, other: &Active<W>) {
        for i in 0..self.status.len() {
            let tied = other.tied.contains(i);
            if self.status[i] != other.status[i] || self.tied.contains(i) != tied {
                self.status[i] = other.status[i];
                if tied {
                    self.tied.insert(i)
                } else {
                    self.tied.remove(i)
                }
                self.touched.push(i);
            }
        }
    }

    /// Brings the fingerprint (statuses and D) up to date with the touched indices; `changed` is told each code that is
    /// another one.
    pub fn update_codes(&mut self, mut changed: impl FnMut(usize, (Status, bool))) {
        for &i in self.touched.iter().skip(self.coded).filter(|i| !self.fixed[**i]) {
            let (old, new) = (self.codes[i], (self.status[i], self.tied.contains(i)));
            if old != new {
                self.fingerprint ^= key(i, 8 + code(old)) ^ key(i, 8 + code(new));
                self.codes[i] = new;
                changed(i, new);
            }
        }
        self.coded = self.touched.len();
    }

    /// The indices touched since the last time.
    pub fn take_touched(&mut self) -> Vec<usize> {
        self.coded = 0;
        std::mem::take(&mut self.touched)
    }

    /// The changes of status in one exchange become net ones, one an index. Whether there are any.
    pub fn net_changes(&mut self) -> bool {
        let mut changes = std::mem::take(&mut self.changes);
        changes.sort_by_key(|c| c.0);
        for (i, from, to) in changes {
            match self.changes.last_mut() {
                Some(last) if last.0 == i => last.2 = to,
                _ => self.changes.push((i, from, to)),
            }
        }
        self.changes.retain(|c| c.1 != c.2);
        !self.changes.is_empty()
    }
}

fn code((status, tied): (Status, bool)) -> u64 {
    (status.sign() + 1) as u64 + 3 * u64::from(tied)
}

impl<S: Scalar> Follower<'_, S> {
    /// Puts an index into D or takes it out. What is out, at a bound, is priced again.
    pub(super) fn set_tied(&mut self, i: usize, tied: bool) {
        if tied && !self.active.fixed[i] {
            self.active.tied.insert(i);
        } else {
            self.active.tied.remove(i);
            self.price_soon(i);
        }
        self.active.touched.push(i);
    }

    /// Changes the status of an index.
    pub(super) fn set_status(&mut self, i: usize, to: Status) {
        self.active.changes.push((i, self.active.status[i], to));
        self.active.status[i] = to;
        self.price_soon(i);
        self.active.touched.push(i);
    }

    /// An index that has come to a bound, or is no longer tied, is due for pricing.
    fn price_soon(&mut self, i: usize) {
        if let Some(certified) = &mut self.pricer.certified
            && self.active.status[i] != Status::Free
        {
            certified.now(i);
        }
    }

    /// Moves a free index to a bound.
    pub(super) fn bind(&mut self, i: usize, side: Status) {
        if let Some(position) = self.kkt.free().iter().position(|&f| f == i) {
            self.kkt.bind(position, side);
            self.law.next_rate = None;
            self.recorder.stats.deletes += 1;
            self.set_status(i, side);
        }
    }

    /// Tied indices whose z moves away from zero leave D; those set apart while crossing, whose z stays zero after all,
    /// join it.
    pub(super) fn settle_tied(&mut self) {
        self.kkt.settle_span();
        let unknown = |f: &Self, i: usize| !f.kkt.rates_vanish() && !f.kkt.in_span(i);
        let tied: Vec<usize> = self.active.tied.members().iter().copied().filter(|&i| unknown(self, i)).collect();
        self.recorder.stats.priced += tied.len() as u64;
        for i in tied {
            if self.dz(i).abs() <= self.zero_rate(i) {
                self.kkt.offer_to_span(i);
            } else {
                self.set_tied(i, false);
            }
        }
        for k in 0..self.active.untied.len() {
            let i = self.active.untied[k];
            let still = |f: &Self| !unknown(f, i) || f.dz(i).abs() <= f.zero_rate(i);
            if self.active.status[i] != Status::Free && self.z(i).abs() <= self.zero(i) && still(self) {
                self.set_tied(i, true);
            }
        }
    }
}
