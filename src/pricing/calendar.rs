//! A priority queue that is cheap where most entries return soon: buckets of equal width for the near future and one bag for
//! everything later (Brown 1988, doi:10.1145/63039.63045; the bag replaces his cyclic buckets, the "years").
//!
//! ```text
//! begin     begin + width      …      end
//!   | bucket  |  bucket  |  …  | bucket |  later: one bag
//! ```
//!
//! When the buckets are used up, the next entries of the bag are spread over new buckets. A search goes through the buckets in order, and through each from end
//! to end, and so returns due entries in approximately the order of their dues.

/// How many buckets there are, at most, and how many entries there are for each.
const BUCKETS: usize = 4096;
const ENTRIES: usize = 8;

/// The part of all entries that is spread over them, at least.
const PART: usize = 2;

type Entry = (f64, u32);

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Calendar {
    buckets: Vec<Vec<Entry>>,
    begin: f64,
    end: f64,
    /// Buckets per unit of the due.
    density: f64,
    /// All buckets before it are empty.
    first: usize,
    /// The bucket in which the present search is, and how many of its entries it has passed.
    place: (usize, usize),
    later: Vec<Entry>,
    /// Entries added since those that were out of date were last dropped.
    added: usize,
}

impl Calendar {
    pub fn new(entries: impl Iterator<Item = Entry>) -> Self {
        let (begin, end) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        let later: Vec<Entry> = entries.collect();
        let buckets = vec![Vec::new(); Self::count(later.len())];
        Calendar { buckets, begin, end, density: 0.0, first: 0, place: (0, 0), later, added: 0 }
    }

    /// For n entries.
    fn count(n: usize) -> usize {
        (n / ENTRIES).clamp(1, BUCKETS)
    }

    /// Whether its parts (read from somewhere) belong together and hold indices below n.
    pub fn is_sound(&self, n: usize) -> bool {
        let mut all = self.buckets.iter().flatten().chain(&self.later);
        self.buckets.len() == Self::count(n) && self.first < self.buckets.len() && all.all(|e| (e.1 as usize) < n)
    }

    /// Adds an entry. It takes part in searches that begin after it.
    pub fn push(&mut self, due: f64, i: u32) {
        self.added += 1;
        if due > self.end {
            self.later.push((due, i));
        } else {
            let k = self.bucket(due);
            self.first = self.first.min(k);
            self.buckets[k].push((due, i));
        }
    }

    /// Grows with the due.
    fn bucket(&self, due: f64) -> usize {
        // What is no number, of infinite dues, becomes zero.
        (((due - self.begin) * self.density) as usize).min(self.buckets.len() - 1)
    }

    /// A search begins. Entries that are not `valid` are dropped when `most` were added since the last time.
    pub fn begin(&mut self, most: usize, valid: impl Fn(Entry) -> bool) {
        while self.first + 1 < self.buckets.len() && self.buckets[self.first].is_empty() {
            self.first += 1;
        }
        self.place = (self.first, 0);
        if self.added > most {
            self.buckets.iter_mut().chain([&mut self.later]).for_each(|bag| bag.retain(|&e| valid(e)));
            self.added = 0;
        }
    }

    /// Takes an entry that is due by `horizon`, which must not grow during a search; others that are not `valid` are
    /// dropped.
    pub fn take(&mut self, horizon: f64, valid: impl Fn(Entry) -> bool) -> Option<Entry> {
        loop {
            let (k, passed) = &mut self.place;
            let bucket = &mut self.buckets[*k];
            while let Some(&entry) = bucket.get(*passed) {
                if !valid(entry) {
                    bucket.swap_remove(*passed);
                } else if entry.0 <= horizon {
                    return Some(bucket.swap_remove(*passed));
                } else {
                    *passed += 1;
                }
            }
            // Others that are due at the end itself may be among the later ones.
            if self.place.0 >= self.bucket(horizon) && horizon < self.end {
                return None;
            }
            if self.place.0 + 1 < self.buckets.len() {
                self.place = (self.place.0 + 1, 0);
            } else if !self.spread(&valid) {
                return None;
            }
        }
    }

    /// Spreads the nearest of the later entries over the buckets, which are empty. False when there are none.
    fn spread(&mut self, valid: impl Fn(Entry) -> bool) -> bool {
        self.later.retain(|&e| valid(e));
        let Some(last) = self.later.len().checked_sub(1) else { return false };
        let near = (last / PART + ENTRIES).min(last);
        self.later.select_nth_unstable_by(near, |a, b| a.0.total_cmp(&b.0));
        self.end = self.later[near].0;
        self.begin = self.later[..=near].iter().fold(self.end, |least, e| least.min(e.0));
        self.density = self.buckets.len() as f64 / (self.end - self.begin);
        (self.first, self.place) = (0, (0, 0));
        let rest = self.later.split_off(near + 1);
        for (due, i) in std::mem::replace(&mut self.later, rest) {
            self.push(due, i);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_set::key;

    /// Every search finds exactly what is due: dues of all sizes, equal, infinite and out of date ones among them.
    #[test]
    fn a_search_finds_what_is_due() {
        for n in [1, 10, 1000, 5000] {
            let due = |k: usize| match key(n, k as u64) % 8 {
                0 => f64::INFINITY,
                1 => 7.0,
                2 => 0.0,
                m => (key(k, m) >> 11) as f64 / 2f64.powi(53) * 10f64.powi(m as i32),
            };
            let mut dues: Vec<f64> = (0..n).map(due).collect();
            let mut calendar = Calendar::new(dues.iter().enumerate().map(|(i, &due)| (due, i as u32)));
            let mut clock = 0.0;
            for step in 0..300 {
                let mut horizon = if step == 299 { f64::INFINITY } else { clock + due(step).min(1e5) };
                let mut found = Vec::new();
                calendar.begin(2 * n, |(due, i)| due == dues[i as usize]);
                while let Some((due, i)) = calendar.take(horizon, |(due, i)| due == dues[i as usize]) {
                    assert_eq!(due, dues[i as usize]);
                    dues[i as usize] = f64::NAN;
                    found.push(i);
                    if found.len() % 3 == 0 {
                        horizon = clock + (horizon - clock) * 0.9;
                    }
                }
                assert!(dues.iter().all(|due| due.is_nan() || *due > horizon), "{n} {step}");
                clock = clock.max(horizon.min(clock + due(step + 1).min(100.0)));
                for i in found {
                    dues[i as usize] = clock + due(i as usize + step);
                    calendar.push(dues[i as usize], i);
                }
                let other = key(step, 1) as usize % n;
                dues[other] = clock;
                calendar.push(clock, other as u32);
            }
        }
    }

    #[test]
    fn an_empty_calendar_has_nothing() {
        let mut calendar = Calendar::new(std::iter::empty());
        calendar.begin(0, |_| true);
        assert_eq!(calendar.take(f64::INFINITY, |_| true), None);
    }
}
