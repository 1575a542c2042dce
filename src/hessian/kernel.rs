//! A kernel matrix whose rows are computed on demand and cached within a byte budget.

use super::Hessian;
use crate::threads::Threads;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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
    rows: Mutex<Cache>,
    capacity: usize,
    threads: Threads,
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
        let rows = Mutex::new(Cache { asked: vec![0; n], ..Cache::default() });
        Kernel { function, diagonal, rows, capacity, threads: Threads::default() }
    }

    /// Computes rows on `threads` threads where there are enough entries; the entries do not depend on it.
    #[must_use]
    pub fn with_threads(self, threads: usize) -> Self {
        Kernel { threads: Threads::new(threads), ..self }
    }

    /// The use of the cache so far.
    pub fn counts(&self) -> CacheCounts {
        self.cache().counts
    }

    /// The kernel function.
    pub fn function(&self) -> &K {
        &self.function
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // The cache is consistent between statements: a panic elsewhere cannot leave it half-written.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn row(&self, i: usize) -> Arc<[f64]> {
        if let Some(row) = self.cache().find(i) {
            return row;
        }
        let row: Arc<[f64]> = self.compute(&[i]).into();
        self.cache().keep(i, row.clone(), self.capacity);
        row
    }
}

impl<K: KernelFunction> Hessian<f64> for Kernel<K> {
    fn dim(&self) -> usize {
        self.function.dim()
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.diagonal[i]
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [f64]) {
        let row = {
            let mut cache = self.cache();
            let found = cache.find(i);
            if found.is_none() {
                cache.asked[i] = cache.asked[i].saturating_add(columns.len() as u32);
            }
            let worth_it = cache.asked[i] as usize >= self.function.dim();
            drop(cache);
            if worth_it { Some(self.row(i)) } else { found }
        };
        match row {
            Some(row) => out.iter_mut().zip(columns).for_each(|(out, &j)| *out = row[j]),
            None => self.function.fill(i, columns, out),
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[f64])) {
        visit(&self.row(i));
    }

    fn cache_counts(&self) -> Option<CacheCounts> {
        Some(self.counts())
    }

    fn prepare(&self, rows: &[usize]) {
        let missing: Vec<usize> = {
            let cache = self.cache();
            rows.iter().copied().filter(|i| !cache.rows.contains_key(i)).take(self.capacity).collect()
        };
        let n = self.function.dim();
        for block in missing.chunks(BLOCK) {
            let values = self.compute(block);
            let mut cache = self.cache();
            for (&i, row) in block.iter().zip(values.chunks_exact(n.max(1))) {
                cache.keep(i, row.into(), self.capacity);
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
}
