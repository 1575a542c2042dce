//! Independent computations for many items, on as many threads as are allowed.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// `work` of every item, in the order of the items; whoever is free takes the next one.
pub(crate) fn side_by_side<T: Send, R: Send>(threads: usize, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
    if threads < 2 {
        return items.into_iter().map(work).collect();
    }
    let waiting = Mutex::new(items.into_iter().enumerate());
    let worker = || {
        // The list is whole between two calls.
        let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::iter::from_fn(|| next().map(|(k, item)| (k, work(item)))).collect()
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<ScopedJoinHandle<'_, Vec<_>>> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|w| w.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    done.sort_by_key(|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for threads in [0, 1, 2, 5, 100] {
            assert_eq!(side_by_side(threads, (0..40).collect(), |k| k * k), (0..40).map(|k| k * k).collect::<Vec<_>>());
            assert!(side_by_side(threads, Vec::<i32>::new(), |k| k).is_empty());
        }
    }
}
