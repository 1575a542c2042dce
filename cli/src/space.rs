//! A problem on a box of any number of parameters, in words and certified at random points.

use crate::certify::uniform;
use pathqp::certificate::Verdict;
use pathqp::regions::Regions;
pub use pathqp_adapters::space::{Space, SpaceError};
use pathqp_views::words::number;

/// The domain in words.
pub fn text(space: &Space) -> String {
    let range = |(name, [from, to]): (&&str, &[f64; 2])| format!("{name} in [{}, {}]", number(*from), number(*to));
    space.names.iter().zip(&space.domain).map(range).collect::<Vec<_>>().join(", ")
}

/// A point in words.
pub fn place(space: &Space, theta: &[f64]) -> String {
    let value = |(name, v): (&&str, &f64)| format!("{name} = {}", number(*v));
    space.names.iter().zip(theta).map(value).collect::<Vec<_>>().join(", ")
}

/// The certificates at random points of the domain that have a solution, and these points.
pub fn certify(
    space: &Space,
    regions: &Regions,
    (points, seed): (usize, u64),
    go_on: &dyn Fn() -> bool,
) -> (Verdict, Vec<Vec<f64>>) {
    let (mut worst, mut places, mut state) = (Verdict::default(), Vec::new(), seed);
    for _ in (0..points).take_while(|_| go_on()) {
        let inside = |[from, to]: &[f64; 2]| (from + (to - from) * uniform(&mut state)).min(*to);
        let theta: Vec<f64> = space.domain.iter().map(inside).collect();
        if let Ok(found) = space.at(regions, &theta) {
            worst.include(&Verdict::of(&found.certificate, places.len() as f64));
            places.push(theta);
        }
    }
    (worst, places)
}
