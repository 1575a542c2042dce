//! Certificates along a path: each law is put to the test at positions of its own.

use super::{Certificate, Verdict};
use crate::path::Path;
use crate::problem::Line;

/// A law at a position: the segment and t.
pub type Place = (usize, f64);

/// The beginning of every segment, and the end of the last.
pub fn breakpoints(path: &Path<f64>) -> Vec<Place> {
    let segments = path.segments();
    let mut places: Vec<Place> = segments.iter().enumerate().map(|(k, s)| (k, s.t)).collect();
    places.extend(segments.len().checked_sub(1).map(|last| (last, *path.end())));
    places
}

/// At most `most` of the places (but two), evenly spaced, the first and the last among them.
pub fn sample(places: Vec<Place>, most: usize) -> Vec<Place> {
    let most = most.max(2);
    if places.len() <= most {
        return places;
    }
    let last = places.len() - 1;
    (0..most).filter_map(|k| places.get(k * last / (most - 1)).copied()).collect()
}

/// The verdict on a path at some places of it. A law without a value there fails.
pub fn along(path: &Path<f64>, line: &Line<f64>, places: &[Place]) -> Verdict {
    let mut worst = Verdict::default();
    for &(segment, t) in places {
        let found = path.law_at(segment, &t).map(|point| Certificate::of(line, &point));
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
