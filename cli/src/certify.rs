//! Certificates along a path: every law is put to the test of the problem's own optimality conditions.
//!
//! Between the stored points of an approximate path the test is another one: the point is feasible, and its duality gap is at
//! most the path's tolerance. That holds everywhere between, and not only where it is tried, by the bound of [`pathqp::gap`], which
//! [`gap_bounds`] computes afresh for every segment.

use crate::progress::Bar;
use pathqp::gap::Anchor;
use pathqp::{Certificate, Line, Path};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The largest scaled KKT residual that passes.
pub const TOLERANCE: f64 = 1e-9;

/// A law at a position: the segment and t.
pub type Place = (usize, f64);

/// The worst of several certificates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    /// How many there were.
    pub points: usize,
    /// The largest scaled KKT residual.
    pub kkt: f64,
    /// Where it is, as a position on the line.
    pub worst: f64,
    /// The largest relative duality gap.
    pub gap: f64,
    /// The largest duality gap between the stored points of an approximate path, in units of the engine's objective.
    pub between: f64,
    /// The largest bound on it there.
    pub bound: f64,
}

impl Residuals {
    /// Whether every residual passes.
    pub fn pass(&self) -> bool {
        self.kkt <= TOLERANCE
    }

    /// Whether every gap between stored points, and every bound on one, keeps to the path's tolerance.
    pub fn gaps_pass(&self, path: &Path<f64>) -> bool {
        path.tolerance().is_none_or(|&tolerance| self.between <= tolerance && self.bound <= tolerance)
    }

    /// Takes others into account.
    pub fn include(&mut self, other: &Residuals) {
        self.points += other.points;
        if other.kkt > self.kkt {
            (self.kkt, self.worst) = (other.kkt, other.worst);
        }
        self.gap = self.gap.max(other.gap);
        self.between = self.between.max(other.between);
        self.bound = self.bound.max(other.bound);
    }
}

/// The certificates at `places`, by as many threads as there are cores. `go_on` is asked before each.
pub fn certify(path: &Path<f64>, line: &Line<f64>, places: &[Place], go_on: &(dyn Fn() -> bool + Sync)) -> Residuals {
    worst_of(places, "certificates", go_on, &|&place| at(path, line, place))
}

/// The bounds on the gap along the segments of an approximate path, from the solutions at their ends.
pub fn gap_bounds(path: &Path<f64>, line: &Line<f64>, go_on: &(dyn Fn() -> bool + Sync)) -> Residuals {
    let chords: Vec<usize> = (0..path.segments().len()).filter(|&k| path.gap_bound(k).is_some()).collect();
    let bound = |&k: &usize| {
        let anchor = |t: f64| path.law_at(k, &t).map(|point| Anchor::new(line, &t, &point.x, &point.y));
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
    let threads = thread::available_parallelism().map_or(1, |n| n.get()).min(items.len());
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Residuals::default()));
    let bar = Mutex::new(Bar::new(label));
    let work = || {
        let mut worst = Residuals::default();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            if !go_on() {
                break;
            }
            worst.include(&find(item));
            if let Ok(mut bar) = bar.try_lock() {
                let done = next.load(Ordering::Relaxed).min(items.len());
                bar.show(done as f64 / items.len() as f64, || format!("{done} of {}", items.len()));
            }
        }
        total.lock().unwrap_or_else(PoisonError::into_inner).include(&worst);
    };
    thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The certificate of one law. A law that has no value there, and a residual that is not a number, fail.
fn at(path: &Path<f64>, line: &Line<f64>, (segment, t): Place) -> Residuals {
    let failed = Residuals { points: 1, kkt: f64::INFINITY, worst: t, gap: f64::INFINITY, ..Residuals::default() };
    path.law_at(segment, &t).map_or(failed, |point| {
        let certificate = Certificate::new(line, &t, &point.x, &point.y);
        judge(path, line, (segment, t), &certificate)
    })
}

/// What a certificate says at its place. An exact law, and every stored point, must satisfy the KKT conditions; on a chord
/// the point must be feasible and its gap within the path's tolerance.
pub fn judge(path: &Path<f64>, line: &Line<f64>, (segment, t): Place, certificate: &Certificate<f64>) -> Residuals {
    let stored = path.segments().get(segment).is_some_and(|s| s.t == t) || end_of(path, segment) == t;
    let (kkt, between) = if stored || path.gap_bound(segment).is_none() {
        (number(certificate.kkt_residual()), 0.0)
    } else {
        let gap = certificate.objective - certificate.dual_objective;
        (number(certificate.primal).max(number(certificate.row)), number(gap))
    };
    Residuals { points: 1, kkt, worst: t, gap: number(relative_gap(line, t, certificate)), between, bound: 0.0 }
}

/// Infinity for what is not a number.
pub fn number(value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { value }
}

/// Where a segment ends.
fn end_of(path: &Path<f64>, segment: usize) -> f64 {
    path.segments().get(segment + 1).map_or(*path.end(), |next| next.t)
}

/// The duality gap relative to the size of the objective: the terms of its value, or Σ |cᵢ| max(|lᵢ|, |uᵢ|) where that is
/// larger (for a classifier the loss of f = 0), with |cᵢ| before its terms cancel. The value alone is no scale where it vanishes, as it does for τ → 0 and
/// τ → 1: what is left there is the rounding of larger terms.
pub fn relative_gap(line: &Line<f64>, t: f64, certificate: &Certificate<f64>) -> f64 {
    let size = |bound: Option<f64>| bound.map_or(0.0, f64::abs);
    let bounds = &line.bounds;
    let scale = (0..line.n())
        .map(|i| {
            (line.c0[i].abs() + (line.c1[i] * t).abs()) * size(bounds.lower_at(i, &t)).max(size(bounds.upper_at(i, &t)))
        })
        .sum::<f64>();
    let gap = (certificate.objective - certificate.dual_objective).abs();
    if scale > 0.0 && gap <= certificate.relative_gap * scale { gap / scale } else { certificate.relative_gap }
}

/// The beginning of every segment, and the end of the last.
pub fn breakpoints(path: &Path<f64>) -> Vec<Place> {
    let segments = path.segments();
    let mut places: Vec<Place> = segments.iter().enumerate().map(|(k, s)| (k, s.t)).collect();
    places.extend(segments.len().checked_sub(1).map(|last| (last, *path.end())));
    places
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
            let t = uniform(&mut state) * path.end();
            (segments.partition_point(|s| s.t <= t).saturating_sub(1), t)
        }));
    }
    places
}

/// At most `most` of the places, evenly spaced, the first and the last among them.
pub fn sample(places: Vec<Place>, most: usize) -> Vec<Place> {
    let most = most.max(2);
    if places.len() <= most {
        return places;
    }
    let last = places.len() - 1;
    (0..most).filter_map(|k| places.get(k * last / (most - 1)).copied()).collect()
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
    fn a_sample_is_even_and_keeps_the_ends() {
        let places: Vec<Place> = (0..101).map(|k| (k, k as f64)).collect();
        let few: Vec<usize> = sample(places.clone(), 5).iter().map(|p| p.0).collect();
        assert_eq!(few, [0, 25, 50, 75, 100]);
        assert_eq!(sample(places.clone(), 0).len(), 2);
        assert_eq!(sample(places.clone(), 101), places);
        assert!(sample(Vec::new(), 5).is_empty());
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The first output of SplitMix64 for the seed 0 is 0xe220a8397b1dcdaf.
        let first = (0xe220_a839_7b1d_cdaf_u64 >> 11) as f64 / (1u64 << 53) as f64;
        assert_eq!(uniform(&mut 0), first);
    }
}
