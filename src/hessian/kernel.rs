//! A kernel matrix whose rows are computed on demand and cached within a byte budget.

use super::Hessian;
use crate::threads::Threads;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The entries of a kernel matrix K, signs and scale included.
pub trait KernelFunction: Send + Sync {
    /// The number of rows n.
    fn dim(&self) -> usize;

    /// The entry K[i, j].
    fn entry(&self, i: usize, j: usize) -> f64;

    /// Writes K[i, columnsₖ] to outₖ, for every k.
    fn fill(&self, i: usize, columns: &[usize], out: &mut [f64]) {
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = self.entry(i, j);
        }
    }

    /// Writes whole rows (n entries each) to `out`, one after the other. The entries must be the same numbers, to the last bit, as those of the other methods.
    fn fill_rows(&self, rows: &[usize], out: &mut [f64]) {
        let columns: Vec<usize> = (0..self.dim()).collect();
        for (&i, out) in rows.iter().zip(out.chunks_exact_mut(self.dim().max(1))) {
            self.fill(i, &columns, out);
        }
    }
}

/// The use of a row cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Rows found in the cache.
    pub hits: u64,
    /// Rows computed.
    pub misses: u64,
}

/// H as a kernel matrix. Rows are computed on demand and cached; when the budget is full, the least recently used row is dropped.
///
/// Single entries of a row that is not cached are computed one by one, until n of them were asked for: then the row is computed and cached. That costs at most
/// twice as much as the cheaper of the two ways.
pub struct Kernel<K> {
    function: K,
    diagonal: Vec<f64>,
    rows: KeptRows,
    threads: Threads,
}

/// The rows that are kept.
enum KeptRows {
    /// Every row that was computed, where there is room for all: threads read them without waiting for each other.
    All(Vec<Held>),
    /// As many as the capacity.
    Recent { cache: Mutex<Cache>, capacity: usize },
}

#[derive(Default)]
struct Held {
    row: OnceLock<Box<[f64]>>,
    /// How often it was found.
    hits: AtomicU64,
    /// Entries computed singly before.
    asked: AtomicU32,
}

impl Held {
    fn find(&self) -> Option<&[f64]> {
        let row = self.row.get()?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(row)
    }
}

#[derive(Default)]
struct Cache {
    rows: HashMap<usize, (Arc<[f64]>, u64)>,
    clock: u64,
    /// Entries computed singly, of each row.
    asked: Vec<u32>,
    counts: CacheCounts,
}

impl Cache {
    fn find(&mut self, i: usize) -> Option<Arc<[f64]>> {
        self.clock += 1;
        let (row, used) = self.rows.get_mut(&i)?;
        *used = self.clock;
        self.counts.hits += 1;
        Some(row.clone())
    }

    fn keep(&mut self, i: usize, row: Arc<[f64]>, capacity: usize) {
        if self.rows.len() >= capacity
            && let Some((&oldest, _)) = self.rows.iter().min_by_key(|(_, (_, used))| *used)
        {
            self.rows.remove(&oldest);
        }
        self.counts.misses += 1;
        self.asked[i] = 0;
        self.rows.insert(i, (row, self.clock));
    }
}

/// How many rows are computed together.
const BLOCK: usize = 16;

/// Operations that an entry is taken to cost.
const ENTRY: usize = 50;

impl<K: KernelFunction> Kernel<K> {
    /// The matrix of a kernel function, with as many rows cached as fit into `bytes` (at least two).
    pub fn new(function: K, bytes: usize) -> Self {
        let n = function.dim();
        let diagonal = (0..n).map(|i| function.entry(i, i)).collect();
        let capacity = (bytes / (8 * n.max(1))).max(2);
        let rows = if capacity >= n {
            KeptRows::All((0..n).map(|_| Held::default()).collect())
        } else {
            KeptRows::Recent { cache: Mutex::new(Cache { asked: vec![0; n], ..Cache::default() }), capacity }
        };
        Kernel { function, diagonal, rows, threads: Threads::default() }
    }

    /// Computes rows on `threads` threads where there are enough entries; the entries do not depend on it.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Kernel { threads: Threads::new(threads), ..self }
    }

    /// The use of the cache so far.
    pub fn counts(&self) -> CacheCounts {
        match &self.rows {
            KeptRows::All(rows) => CacheCounts {
                hits: rows.iter().map(|held| held.hits.load(Ordering::Relaxed)).sum(),
                misses: rows.iter().filter(|held| held.row.get().is_some()).count() as u64,
            },
            KeptRows::Recent { cache, .. } => locked(cache).counts,
        }
    }

    /// The kernel function.
    pub fn function(&self) -> &K {
        &self.function
    }

    /// Whole rows, one after the other: several are divided among the threads, and so are the entries of one.
    fn compute(&self, rows: &[usize]) -> Vec<f64> {
        let n = self.function.dim();
        let mut values = vec![0.0; rows.len() * n];
        match rows {
            &[i] if self.threads.count() > 1 => {
                let columns: Vec<usize> = (0..n).collect();
                self.threads.parts(&mut values, 1, ENTRY, |start, part| {
                    self.function.fill(i, &columns[start..start + part.len()], part);
                });
            }
            _ => self.threads.parts(&mut values, n, ENTRY, |start, part| {
                let first = start / n.max(1);
                self.function.fill_rows(&rows[first..first + part.len() / n.max(1)], part);
            }),
        }
        values
    }

    fn visit(&self, i: usize, visit: impl FnOnce(&[f64])) {
        match &self.rows {
            // Nothing waits while a row is computed: the threads that compute it may go on with something else that asks for it.
            KeptRows::All(rows) => match rows[i].find() {
                Some(row) => visit(row),
                None => {
                    let row = self.compute(&[i]).into();
                    visit(rows[i].row.get_or_init(|| row));
                }
            },
            KeptRows::Recent { cache, capacity } => {
                // The lock is not held while the row is computed or read.
                let found = locked(cache).find(i);
                visit(&found.unwrap_or_else(|| {
                    let row: Arc<[f64]> = self.compute(&[i]).into();
                    locked(cache).keep(i, row.clone(), *capacity);
                    row
                }));
            }
        }
    }

    /// Whether row i is kept, or so many of its entries were asked for that it should be; `entries` more will be computed singly otherwise.
    fn is_worth_it(&self, i: usize, entries: usize) -> bool {
        let (entries, n) = (entries as u32, self.function.dim());
        match &self.rows {
            KeptRows::All(rows) => {
                let held = &rows[i];
                held.row.get().is_some()
                    || held.asked.fetch_add(entries, Ordering::Relaxed) as usize + entries as usize >= n
            }
            KeptRows::Recent { cache, .. } => {
                let mut cache = locked(cache);
                let cache = &mut *cache;
                let asked = &mut cache.asked[i];
                if !cache.rows.contains_key(&i) {
                    *asked = asked.saturating_add(entries);
                }
                cache.rows.contains_key(&i) || *asked as usize >= n
            }
        }
    }
}

/// The cache is consistent between statements: a panic elsewhere cannot leave it half-written.
fn locked(cache: &Mutex<Cache>) -> MutexGuard<'_, Cache> {
    cache.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: KernelFunction> Hessian<f64> for Kernel<K> {
    fn dim(&self) -> usize {
        self.function.dim()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [f64]) {
        if self.is_worth_it(i, columns.len()) {
            self.visit(i, |row| out.iter_mut().zip(columns).for_each(|(out, &j)| *out = row[j]));
        } else {
            self.function.fill(i, columns, out);
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[f64])) {
        self.visit(i, visit);
    }

    fn cache_counts(&self) -> Option<CacheCounts> {
        Some(self.counts())
    }

    fn prepare(&self, rows: &[usize]) {
        let missing: Vec<usize> = match &self.rows {
            KeptRows::All(all) => rows.iter().copied().filter(|&i| all[i].row.get().is_none()).collect(),
            KeptRows::Recent { cache, capacity } => {
                let cache = locked(cache);
                rows.iter().copied().filter(|i| !cache.rows.contains_key(i)).take(*capacity).collect()
            }
        };
        let n = self.function.dim();
        for block in missing.chunks(BLOCK) {
            let values = self.compute(block);
            for (&i, row) in block.iter().zip(values.chunks_exact(n.max(1))) {
                match &self.rows {
                    // Another thread may have been here first, with the same numbers.
                    KeptRows::All(all) => drop(all[i].row.set(row.into())),
                    KeptRows::Recent { cache, capacity } => locked(cache).keep(i, row.into(), *capacity),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Product(Vec<f64>);
    impl KernelFunction for Product {
        fn dim(&self) -> usize {
            self.0.len()
        }
        fn entry(&self, i: usize, j: usize) -> f64 {
            self.0[i] * self.0[j]
        }
    }

    #[test]
    fn a_full_cache_drops_the_oldest_row_and_stays_right() {
        let kernel = Kernel::new(Product((0..10).map(f64::from).collect()), 3 * 10 * 8);
        for i in [1, 2, 3, 1, 4, 1, 2] {
            kernel.with_row(i, &mut |row| assert_eq!(row[5], 5.0 * i as f64));
        }
        // 1, 2, 3 computed; 1 found; 4 computed in place of 2; 1 found; 2 computed again.
        assert_eq!(kernel.counts(), CacheCounts { hits: 2, misses: 5 });
    }

    #[test]
    fn with_room_for_all_every_row_is_computed_once() {
        let kernel = Kernel::new(Product((0..10).map(f64::from).collect()), 10 * 10 * 8);
        for i in [1, 2, 3, 1, 4, 1, 2] {
            kernel.with_row(i, &mut |row| assert_eq!(row[5], 5.0 * i as f64));
        }
        kernel.prepare(&[4, 5, 6]);
        let mut entries = [0.0; 2];
        // Row 7 is kept once as many entries were asked for as it has.
        for _ in 0..5 {
            kernel.gather(7, &[3, 8], &mut entries);
            assert_eq!(entries, [21.0, 56.0]);
        }
        assert_eq!(kernel.counts(), CacheCounts { hits: 3, misses: 7 });
        kernel.gather(7, &[3, 8], &mut entries);
        assert_eq!(kernel.counts(), CacheCounts { hits: 4, misses: 7 });
    }
}
