//! The fit Zᵀx along a path, where H = κZZᵀ and Z has few columns. It is continuous, also where x jumps, and affine on every segment.
//!
//! It is stored because x does not always determine it well: where the terms of Σ xᵢZᵢ cancel, rounding in the xᵢ may be large against their sum.
//!
//! It is stored at the beginning of every segment and interpolated linearly in between. So a law that is fast in comparison with the rounding of t does no
//! harm: with a very small penalty, quantile regression stays at one line for long and moves to the next one within a few roundings of τ. Where a slow and a
//! fast law meet, and their fits differ by no more than the fast law's change within rounding of t, the slow law's fit is stored, with the multiplier that
//! belongs to it. A law may be so fast that it begins and ends at the same t: the fit then seems to jump there, and its value at the end of the law before is
//! stored as well.

use crate::scalar::Scalar;

/// Where a slow law and a fast one meet, Zᵀx is that of the slow one if they differ by no more than so many ε of t at the speed of the fast one.
const MEET: f64 = 64.0;

#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fits<S> {
    /// d; zero where nothing is kept.
    columns: usize,
    /// At the beginning of every segment, d entries each.
    values: Vec<S>,
    /// At the end of a segment, where that is not the next one's beginning.
    ends: Vec<(usize, Vec<S>)>,
    /// The rate on the last segment.
    rate: Vec<S>,
}

impl<S: Scalar> Fits<S> {
    pub(crate) fn none() -> Self {
        Fits { columns: 0, values: Vec::new(), ends: Vec::new(), rate: Vec::new() }
    }

    /// The next segment's: its fit at t and the rate, `ahead` of where the one before began (none for the first segment); all or none of them have one.
    /// True where the fit kept at t is that of the law before.
    pub(crate) fn push(&mut self, t: &S, ahead: Option<S>, fit: Option<[Vec<S>; 2]>) -> bool {
        match (fit, ahead) {
            (Some([value, rate]), None) => {
                *self = Fits { columns: value.len(), values: value, rate, ends: Vec::new() };
                false
            }
            (Some([value, rate]), Some(ahead)) if self.columns == value.len() => {
                let start = &self.values[self.values.len() - self.columns..];
                let end: Vec<S> =
                    start.iter().zip(&self.rate).map(|(w, rate)| w.clone() + rate.clone() * &ahead).collect();
                let apart: Vec<S> = end.iter().zip(&value).map(|(a, b)| a.clone() - b).collect();
                let is_slower = S::dot(&self.rate, &self.rate) < S::dot(&rate, &rate) && meets(t, &apart, &rate);
                if is_slower {
                    self.values.extend(end);
                } else {
                    if !meets(&S::one(), &apart, &value) {
                        self.ends.push((self.values.len() / self.columns - 1, end));
                    }
                    self.values.extend(value);
                }
                self.rate = rate;
                is_slower
            }
            _ => {
                *self = Fits::none();
                false
            }
        }
    }

    /// At the end of a segment that another one follows.
    fn at_end(&self, segment: usize) -> Option<&[S]> {
        match self.ends.binary_search_by_key(&segment, |end| end.0) {
            Ok(k) => Some(&self.ends[k].1),
            Err(_) => self.at_start(segment + 1),
        }
    }

    /// At the beginning of a segment; nothing where none is kept.
    pub(crate) fn at_start(&self, segment: usize) -> Option<&[S]> {
        self.values.get(segment * self.columns..(segment + 1) * self.columns).filter(|_| self.columns > 0)
    }

    /// On a segment that begins at `start`, ends after `length` if another one follows, at a point `ahead` of its beginning.
    pub(crate) fn at(&self, segment: usize, ahead: &S, length: Option<S>) -> Option<Vec<S>> {
        let start = self.at_start(segment)?;
        Some(match length {
            Some(length) if length > S::zero() => {
                // From the nearer end.
                let left = length.clone() - ahead;
                let ends = start.iter().zip(self.at_end(segment)?);
                if left < *ahead {
                    let part = left / length;
                    ends.map(|(a, b)| b.clone() + (a.clone() - b) * &part).collect()
                } else {
                    let part = ahead.clone() / length;
                    ends.map(|(a, b)| a.clone() + (b.clone() - a) * &part).collect()
                }
            }
            Some(_) => start.to_vec(),
            None => start.iter().zip(&self.rate).map(|(w, rate)| w.clone() + rate.clone() * ahead).collect(),
        })
    }

    /// Whether lists (read from somewhere) are those of so many segments.
    pub(crate) fn is_sound(&self, segments: usize) -> bool {
        self.columns.checked_mul(segments) == Some(self.values.len())
            && (self.rate.len() == self.columns || segments == 0)
            && self.ends.iter().all(|(segment, end)| *segment < segments && end.len() == self.columns)
            && self.ends.is_sorted_by_key(|end| end.0)
    }
}

/// Whether laws that are so far `apart` at t meet there, but for the rounding of t at the speed of one of them.
pub(crate) fn meets<S: Scalar>(t: &S, apart: &[S], speed: &[S]) -> bool {
    let rounding = S::tolerance(MEET) * t;
    S::dot(apart, apart) <= rounding.clone() * &rounding * &S::dot(speed, speed)
}
