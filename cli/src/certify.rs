//! Certificates along a path: every law is put to the test of the problem's own optimality conditions.
//!
//! Between the stored points of an approximate path the test is another one: the point is feasible, and its duality gap is at
//! most the path's tolerance. That holds everywhere between, and not only where it is tried, by the bound of [`pathqp::gap`], which
//! [`gap_bounds`] computes afresh for every segment.

use crate::progress::SharedBar;
use pathqp::certificate::{Failure, REMEDY, Verdict, along};
use pathqp::gap::Anchor;
use pathqp::{Line, Path};
use pathqp_views::certify::{cores, number};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

pub use pathqp::certificate::{Place, TOLERANCE, breakpoints, sample};

/// The worst of several certificates, and of bounds on the gaps of an approximate path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    /// The certificates.
    pub verdict: Verdict,
    /// The largest bound on the duality gap between the stored points of an approximate path, in units of the engine's objective.
    pub bound: f64,
}

impl From<Verdict> for Residuals {
    fn from(verdict: Verdict) -> Self {
        Residuals { verdict, bound: 0.0 }
    }
}

impl Residuals {
    /// Whether every residual and every relative gap passes.
    pub fn pass(&self) -> bool {
        self.verdict.holds()
    }

    /// Whether every gap between stored points, and every bound on one, keeps to the path's tolerance.
    pub fn gaps_pass(&self, path: &Path<f64>) -> bool {
        path.tolerance().is_none_or(|&tolerance| self.verdict.between <= tolerance && self.bound <= tolerance)
    }

    /// Takes others into account.
    pub fn include(&mut self, other: &Residuals) {
        self.verdict.include(&other.verdict);
        self.bound = self.bound.max(other.bound);
    }
}

/// The verdict for people.
pub fn text(verdict: &Verdict) -> String {
    let state = if verdict.holds() { "holds" } else { "FAILS" };
    format!("{state} (tolerance {TOLERANCE:e})")
}

/// Why a certificate fails and what to do, after "the certificate fails: " or the like; `at` says where a position is. None if it holds.
pub fn failure(verdict: &Verdict, at: impl Fn(f64) -> String) -> Option<String> {
    let Failure { what, size, at: t } = verdict.failure()?;
    Some(format!("the {what} at {} is {size:.1e}, above {TOLERANCE:e}; {REMEDY}", at(t)))
}

/// The verdict at `places`, by so many threads. `go_on` is asked again and again.
pub fn certify(
    path: &Path<f64>,
    line: &Line<f64>,
    places: &[Place],
    threads: usize,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Residuals {
    let bar = SharedBar::new("certificates");
    along(path, line, places, threads, &|begun| {
        bar.show(begun, places.len());
        go_on()
    })
    .into()
}

/// The bounds on the gap along the segments of an approximate path, from the solutions at their ends.
pub fn gap_bounds(path: &Path<f64>, line: &Line<f64>, go_on: &(dyn Fn() -> bool + Sync)) -> Residuals {
    let chords: Vec<usize> = (0..path.segments().len()).filter(|&k| path.gap_bound(k).is_some()).collect();
    let bound = |&k: &usize| {
        let anchor = |t: f64| path.law_at(k, &t).map(|point| Anchor::of(line, &point));
        let ends = path.segments().get(k).and_then(|segment| anchor(segment.t)).zip(anchor(end_of(path, k)));
        let bound = ends.and_then(|(start, end)| start.gap_to(&end));
        Residuals { bound: bound.map_or(f64::INFINITY, |bound| number(bound.gap)), ..Residuals::default() }
    };
    worst_of(&chords, "gap bounds", go_on, &bound)
}

/// The worst of `find` over all items, by as many threads as there are cores.
fn worst_of<T: Sync>(
    items: &[T],
    label: &'static str,
    go_on: &(dyn Fn() -> bool + Sync),
    find: &(dyn Fn(&T) -> Residuals + Sync),
) -> Residuals {
    let threads = cores().min(items.len());
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Residuals::default()));
    let bar = SharedBar::new(label);
    let work = || {
        let mut worst = Residuals::default();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !go_on() {
                break;
            }
            worst.include(&find(item));
            bar.show(next.load(Ordering::Relaxed).min(items.len()), items.len());
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).include(&worst);
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Where a segment ends.
fn end_of(path: &Path<f64>, segment: usize) -> f64 {
    path.segments().get(segment + 1).map_or(*path.end(), |next| next.t)
}

/// Both sides of every breakpoint, every midpoint, and `random` positions; each position a law's own.
pub fn everywhere(path: &Path<f64>, random: usize, seed: u64) -> Vec<Place> {
    let segments = path.segments();
    let mut places = Vec::with_capacity(3 * segments.len() + random);
    for (k, segment) in segments.iter().enumerate() {
        let end = end_of(path, k);
        places.extend([(k, segment.t), (k, segment.t + (end - segment.t) / 2.0), (k, end)]);
    }
    let mut state = seed;
    if !segments.is_empty() {
        places.extend((0..random).map(|_| {
            let t = path.begin() + uniform(&mut state) * (path.end() - path.begin());
            (segments.partition_point(|s| s.t <= t).saturating_sub(1), t)
        }));
    }
    places
}

/// A number in [0, 1): SplitMix64 (Steele, Lea and Flood 2014, doi:10.1145/2660193.2660195).
pub fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first output of SplitMix64 for the seed 0 is 0xe220a8397b1dcdaf.
        let first = (0xe220_a839_7b1d_cdaf_u64 >> 11) as f64 / (1u64 << 53) as f64;
        assert_eq!(uniform(&mut 0), first);
    }
}
