//! Certificates along a path: every law is tested at positions of its own, in blocks of many positions.

use super::{Certificate, Certifier, Verdict};
use crate::path::{Path, Point};
use crate::problem::Line;
use crate::threads::Threads;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes of x and Hx of the points of which certificates are computed together, …
const BLOCK_BYTES: usize = 1 << 24;

/// … and the most of these points.
const MOST_POINTS: usize = 64;

/// Where a law is tested: the number of its segment, and t.
pub type Place = (usize, f64);

/// The two ends of every segment of `path`, in order. A law is affine, so bounds and signs that hold at both ends hold between them. The gap is a sum of
/// products of two affine functions and may be larger in between: add other places to test it there.
pub fn breakpoints(path: &Path<f64>) -> Vec<Place> {
    let segments = path.segments();
    let end = |k: usize| segments.get(k + 1).map_or(*path.end(), |next| next.t);
    segments.iter().enumerate().flat_map(|(k, s)| [(k, s.t), (k, end(k))]).collect()
}

/// A subset of `most` places (at least two), evenly spaced and with the first and the last among them; all places if there are no more than that.
pub fn sample(places: Vec<Place>, most: usize) -> Vec<Place> {
    let most = most.max(2);
    if places.len() <= most {
        return places;
    }
    let last = places.len() - 1;
    (0..most).filter_map(|k| places.get(k * last / (most - 1)).copied()).collect()
}

/// The certificates at some places of a path, in the order of `places`; `None` where the path has no solution at that t. They are computed in blocks of bounded
/// memory (x and Hx of their points) on `threads` threads; the result does not depend on the number of threads. Before each block `go_on` is called with the
/// number of places begun so far; a block for which it returns false is left out of the result.
pub fn certificates(
    path: &Path<f64>,
    line: &Line<f64>,
    places: &[Place],
    threads: usize,
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Vec<(Place, Option<Certificate<f64>>)> {
    let (certifier, begun) = (Certifier::new(line), AtomicUsize::new(0));
    let bytes = 2 * size_of::<f64>() * line.n().max(1);
    let blocks: Vec<&[Place]> = places.chunks((BLOCK_BYTES / bytes).clamp(1, MOST_POINTS)).collect();
    let found = Threads::new(threads).map(&blocks, |block| {
        if !go_on(begun.fetch_add(block.len(), Ordering::Relaxed)) {
            return Vec::new();
        }
        let points: Vec<Option<Point<f64>>> = block.iter().map(|(segment, t)| path.law_at(*segment, t)).collect();
        let has_point: Vec<bool> = points.iter().map(Option::is_some).collect();
        let known: Vec<Point<f64>> = points.into_iter().flatten().collect();
        let mut found = certifier.points(&known).into_iter();
        let certificate = |has_point: bool| has_point.then(|| found.next()).flatten();
        block.iter().copied().zip(has_point.into_iter().map(certificate)).collect()
    });
    found.into_iter().flatten().collect()
}

/// The verdict on a path at some places, with the arguments of [`certificates`]. A place without a solution makes the verdict fail.
pub fn along(
    path: &Path<f64>,
    line: &Line<f64>,
    places: &[Place],
    threads: usize,
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Verdict {
    let mut worst = Verdict::default();
    for ((segment, t), found) in certificates(path, line, places, threads, go_on) {
        worst.include(&match found {
            Some(certificate) => Verdict::on(path, segment, &certificate, t),
            None => Verdict::missing(t),
        });
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_even_and_keeps_the_ends() {
        let places: Vec<Place> = (0..101).map(|k| (k, k as f64)).collect();
        let few: Vec<usize> = sample(places.clone(), 5).iter().map(|p| p.0).collect();
        assert_eq!(few, [0, 25, 50, 75, 100]);
        assert_eq!(sample(places.clone(), 0).len(), 2);
        assert_eq!(sample(places.clone(), 101), places);
        assert!(sample(Vec::new(), 5).is_empty());
    }
}
