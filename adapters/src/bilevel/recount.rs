//! The loss of a bi-level path, recounted from solutions of their own.
//!
//! The best value of the tuned parameter is taken at some values of the varying one, on both sides of the ends of pieces among them, the model is solved for there from nothing, and its loss on the
//! held-out rows is added up row by row: neither cells nor envelopes, nor regions, nor the path's start are used again.

use super::path::BilevelPath;
use crate::error::AdapterError;

/// Ends of pieces on both sides of which the loss is recounted, at most.
const ENDS: usize = 8;

/// … at this part of the range from them, or of the piece where that is less.
const ASIDE: f64 = 1e-6;
const PART: f64 = 0.25;

/// The losses may differ by this, relative to the larger one: solutions are known to 1e-9.
const TOLERANCE: f64 = 1e-7;

/// What was recounted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recount {
    /// At how many values of the varying parameter.
    pub points: usize,
    /// The largest difference of losses, relative to the larger one, and where it is.
    pub worst: f64,
    /// The value of the varying parameter there.
    pub at: f64,
}

impl Recount {
    /// Whether all losses are the same.
    pub fn agrees(&self) -> bool {
        self.worst <= TOLERANCE
    }
}

/// Compares the losses of a path with `fresh` ones at (varying, tuned).
pub(super) fn recounted(
    path: &BilevelPath,
    mut fresh: impl FnMut([f64; 2]) -> Result<f64, AdapterError>,
) -> Result<Recount, AdapterError> {
    let pieces = path.pieces();
    let range = pieces.first().zip(pieces.last()).map_or(0.0, |(first, last)| last.vary[1] - first.vary[0]);
    let count = pieces.len().min(ENDS);
    let mut recount = Recount { points: 0, worst: 0.0, at: f64::NAN };
    // Evenly over the pieces: the ends and the middle of each.
    let chosen = (0..count).filter_map(|k| pieces.get(k * (pieces.len() - 1) / count.saturating_sub(1).max(1)));
    for piece in chosen {
        let [from, to] = piece.vary;
        let aside = (ASIDE * range).min(PART * (to - from));
        for vary in [from + aside, from / 2.0 + to / 2.0, to - aside] {
            let Some(best) = piece.at(vary) else { continue };
            let loss = fresh([vary, best.tuned])?;
            let size = loss.abs().max(best.loss.abs());
            let off = if loss == best.loss { 0.0 } else { (loss - best.loss).abs() / size };
            recount.points += 1;
            // A loss that is no number is no agreement either.
            if !(off <= recount.worst) {
                (recount.worst, recount.at) = (off, vary);
            }
        }
    }
    Ok(recount)
}
