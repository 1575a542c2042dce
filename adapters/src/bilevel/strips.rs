//! The smallest λ: strips below the domain, where the best λ is the smallest one.

use super::search::Search;
use super::{BilevelError, BilevelPath};

/// The next strip goes down by this factor, and so many are added at most.
const DOWN: f64 = 10.0;
const STRIPS: usize = 3;

/// Ranges of τ that are closer together than this part of the domain are one strip; each reaches half as much further on both sides.
const APART: f64 = 0.01;

/// The domain, and strips below it; `add` goes through a range of τ and one of λ. A strip that cannot be had is left out: then the best λ remains the smallest one for
/// some τ, as it does where three strips are not enough.
pub(super) fn downwards(
    mut search: Search,
    domain: [f64; 2],
    lambda: [f64; 2],
    add: &mut dyn FnMut(&mut Search, [f64; 2], [f64; 2]) -> Result<(), BilevelError>,
) -> Result<BilevelPath, BilevelError> {
    add(&mut search, domain, lambda)?;
    let mut path = search.path(domain, lambda);
    let [mut high, largest] = lambda;
    for _ in 0..STRIPS {
        let ranges = at_the_end(&path, domain);
        if ranges.is_empty() || !path.is_complete() {
            break;
        }
        let low = high / DOWN;
        let added = ranges.iter().try_for_each(|tau| add(&mut search, *tau, [low, high]));
        let further = search.path(domain, [low, largest]);
        if added.is_err() || !further.is_complete() {
            break;
        }
        path = further.reaching(path.searched(), ranges, low);
        high = low;
    }
    Ok(path)
}

/// Ranges of τ for which the best λ is the smallest one.
fn at_the_end(path: &BilevelPath, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let apart = APART * (to - from);
    let mut ranges: Vec<[f64; 2]> = Vec::new();
    for [a, b] in path.at_smallest().map(|piece| piece.vary) {
        let wide = [(a - 0.5 * apart).max(from), (b + 0.5 * apart).min(to)];
        match ranges.last_mut().filter(|last| wide[0] <= last[1]) {
            Some(last) => last[1] = wide[1],
            None => ranges.push(wide),
        }
    }
    ranges
}
