//! Threads for values that are computed entry by entry, or item by item.
//!
//! Every entry is computed by the same operations whatever the number of threads, so that results are the same to the
//! last bit. Sums over entries are never split among threads.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Work of fewer operations than this is not divided: handing it to another thread takes as long.
const GRAIN: usize = 1 << 17;

/// Some threads, or the caller's alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// So many threads; those of the same number are shared by all who ask. One where the system refuses more.
    pub fn new(count: usize) -> Self {
        static POOLS: Mutex<Option<HashMap<usize, Arc<ThreadPool>>>> = Mutex::new(None);
        if count < 2 {
            return Threads(None);
        }
        // The map is consistent between statements.
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        let pools = pools.get_or_insert_with(HashMap::new);
        let build = || ThreadPoolBuilder::new().num_threads(count).build().ok().map(Arc::new);
        let pool = pools.get(&count).cloned().or_else(build);
        if let Some(pool) = &pool {
            pools.insert(count, pool.clone());
        }
        Threads(pool)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// `f` of every item, in the order of the items.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
        match &self.0 {
            None => items.iter().map(f).collect(),
            Some(pool) => pool.install(|| items.par_iter().map(f).collect()),
        }
    }

    /// Calls `fill(start, part)` for parts of `items` that begin at multiples of `unit` and make up all of it; `cost`
    /// operations an item.
    pub fn parts<T: Send>(&self, items: &mut [T], unit: usize, cost: usize, fill: impl Fn(usize, &mut [T]) + Sync) {
        let (unit, total) = (unit.max(1), items.len());
        match self.0.as_ref().filter(|_| total.saturating_mul(cost) >= 2 * GRAIN && total > unit) {
            None => fill(0, items),
            Some(pool) => {
                let size = size(total, cost, pool.current_num_threads()).next_multiple_of(unit);
                pool.install(|| {
                    items.par_chunks_mut(size).enumerate().for_each(|(k, part)| fill(k * size, part));
                });
            }
        }
    }

    /// The same for two lists of equal length.
    pub fn parts_of_two<T: Send>(
        &self,
        (a, b): (&mut [T], &mut [T]),
        cost: usize,
        fill: impl Fn(usize, &mut [T], &mut [T]) + Sync,
    ) {
        match self.0.as_ref().filter(|_| a.len().saturating_mul(cost) >= 2 * GRAIN) {
            None => fill(0, a, b),
            Some(pool) => {
                let size = size(a.len(), cost, pool.current_num_threads());
                pool.install(|| {
                    let parts = a.par_chunks_mut(size).zip(b.par_chunks_mut(size)).enumerate();
                    parts.for_each(|(k, (a, b))| fill(k * size, a, b));
                });
            }
        }
    }
}

/// Items in a part: four parts a thread, so that a slow one does not hold up the others, of at least [`GRAIN`].
fn size(total: usize, cost: usize, threads: usize) -> usize {
    total.div_ceil(4 * threads).max(GRAIN / cost.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole() {
        for count in [1, 2, 3] {
            let threads = Threads::new(count);
            assert_eq!(threads.count(), count);
            let squares = threads.map(&[1, 2, 3, 4, 5], |k| k * k);
            assert_eq!(squares, [1, 4, 9, 16, 25]);
            for total in [0, 1, 10, 1000, 100_001] {
                for cost in [1, 100, 1 << 20] {
                    let (mut a, mut b) = (vec![0; total], vec![0; total]);
                    threads.parts(&mut a, 7, cost, |start, part| {
                        assert_eq!(start % 7, 0);
                        part.iter_mut().enumerate().for_each(|(k, v)| *v += start + k + 1);
                    });
                    assert!(a.iter().enumerate().all(|(k, v)| *v == k + 1));
                    threads.parts_of_two((&mut a, &mut b), cost, |start, a, b| {
                        a.iter_mut().zip(b).enumerate().for_each(|(k, (a, b))| (*a, *b) = (*a + start, start + k));
                    });
                    assert!(b.iter().enumerate().all(|(k, v)| *v == k));
                }
            }
        }
    }
}
