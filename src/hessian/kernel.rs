//! A kernel matrix whose rows are computed on demand and kept within a byte budget.

use super::Hessian;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Entries of a kernel matrix (signs and scale included).
pub trait KernelFunction: Send + Sync {
    /// n.
    fn dim(&self) -> usize;

    /// K[i, j].
    fn entry(&self, i: usize, j: usize) -> f64;

    /// The whole row i (n entries).
    fn fill_row(&self, i: usize, out: &mut [f64]) {
        for (j, out) in out.iter_mut().enumerate() {
            *out = self.entry(i, j);
        }
    }
}

/// Rows found in the cache and rows computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Rows found.
    pub hits: u64,
    /// Rows computed.
    pub misses: u64,
}

/// H as a kernel matrix: rows on demand, the least recently used ones dropped when the budget is full.
pub struct Kernel<K> {
    function: K,
    diagonal: Vec<f64>,
    rows: Mutex<Cache>,
    capacity: usize,
}

#[derive(Default)]
struct Cache {
    rows: HashMap<usize, (Arc<[f64]>, u64)>,
    clock: u64,
    counts: CacheCounts,
}

impl<K: KernelFunction> Kernel<K> {
    /// Keeps as many rows as fit in `bytes` (at least two).
    pub fn new(function: K, bytes: usize) -> Self {
        let n = function.dim();
        let diagonal = (0..n).map(|i| function.entry(i, i)).collect();
        let capacity = (bytes / (8 * n.max(1))).max(2);
        Kernel { function, diagonal, rows: Mutex::default(), capacity }
    }

    /// Cache hits and misses so far.
    pub fn counts(&self) -> CacheCounts {
        self.cache().counts
    }

    /// The function the rows come from.
    pub fn function(&self) -> &K {
        &self.function
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        // The cache is consistent between statements: a panic elsewhere cannot leave it half-written.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, i: usize) -> Arc<[f64]> {
        let mut cache = self.cache();
        cache.clock += 1;
        let clock = cache.clock;
        if let Some((row, used)) = cache.rows.get_mut(&i) {
            *used = clock;
            let row = row.clone();
            cache.counts.hits += 1;
            return row;
        }
        cache.counts.misses += 1;
        if cache.rows.len() >= self.capacity
            && let Some((&oldest, _)) = cache.rows.iter().min_by_key(|(_, (_, used))| *used)
        {
            cache.rows.remove(&oldest);
        }
        let mut row = vec![0.0; self.function.dim()];
        self.function.fill_row(i, &mut row);
        let row: Arc<[f64]> = row.into();
        cache.rows.insert(i, (row.clone(), clock));
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
        let kept = self.cache().rows.get(&i).map(|(row, _)| row.clone());
        for (out, &j) in out.iter_mut().zip(columns) {
            *out = kept.as_ref().map_or_else(|| self.function.entry(i, j), |row| row[j]);
        }
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[f64])) {
        visit(&self.row(i));
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
