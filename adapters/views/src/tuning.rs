//! What was tuned, in the user's parameters: pieces of λ*(τ), λ*(ε) or ε*(λ).

use pathqp_adapters::bilevel::BilevelPath;

/// A value this close to an end of the range, relative to it, lies on it.
const ROUNDING: f64 = 1e-12;

/// A bi-level path with names. ε-SVR is tuned in C = 1/λ: one of the two parameters is the inverse of the path's.
pub struct Best {
    /// The path in its own parameters.
    pub path: BilevelPath,
    /// The parameter that varies.
    pub vary: &'static str,
    /// The one that is tuned.
    pub tuned: &'static str,
    /// Whether they are the inverses of the path's.
    pub inverse: [bool; 2],
}

/// A piece of the best value: both ends of all three.
pub struct Shown {
    /// The parameter that varies, in ascending order.
    pub vary: [f64; 2],
    /// The best value of the other one.
    pub tuned: [f64; 2],
    /// The loss on held-out rows.
    pub loss: [f64; 2],
}

/// A value in the user's terms, given the largest one: what is zero but for rounding has an infinite inverse.
fn turned(is_inverse: bool, value: f64, largest: f64) -> f64 {
    match is_inverse {
        true if value <= ROUNDING * largest => f64::INFINITY,
        true => 1.0 / value,
        false => value,
    }
}

impl Best {
    /// The pieces in ascending order of the parameter that varies.
    pub fn pieces(&self) -> Vec<Shown> {
        let [vary, tuned] = self.inverse;
        let largest = [self.path_range()[1], self.path.tuned_range()[1]];
        let shown = self.path.pieces().iter().map(|piece| {
            let loss = piece.vary.map(|v| piece.at(v).map_or(f64::NAN, |best| best.loss));
            let ends =
                (piece.vary.map(|v| turned(vary, v, largest[0])), piece.tuned.map(|v| turned(tuned, v, largest[1])));
            Shown { vary: ends.0, tuned: ends.1, loss }
        });
        let mut shown: Vec<Shown> = shown.collect();
        if vary {
            shown.reverse();
            shown.iter_mut().for_each(|piece| {
                piece.vary.reverse();
                piece.tuned.reverse();
                piece.loss.reverse();
            });
        }
        shown
    }

    /// The range of the path's varying parameter.
    pub fn path_range(&self) -> [f64; 2] {
        let ends = self.path.pieces().first().zip(self.path.pieces().last());
        ends.map_or([0.0; 2], |(first, last)| [first.vary[0], last.vary[1]])
    }

    /// The range of the parameter that varies.
    pub fn range(&self) -> [f64; 2] {
        let [from, to] = self.path_range().map(|v| turned(self.inverse[0], v, self.path_range()[1]));
        [from.min(to), from.max(to)]
    }

    /// The range of the one that is tuned.
    pub fn tuned_range(&self) -> [f64; 2] {
        let [from, to] = self.path.tuned_range().map(|v| turned(self.inverse[1], v, self.path.tuned_range()[1]));
        [from.min(to), from.max(to)]
    }

    /// The best value and its loss; none outside the range.
    pub fn at(&self, vary: f64) -> Option<(f64, f64)> {
        let [from, to] = self.path_range();
        let value = if self.inverse[0] { 1.0 / vary } else { vary };
        let near = |end: f64| (value - end).abs() <= ROUNDING * end.abs();
        let value = if near(from) {
            from
        } else if near(to) {
            to
        } else {
            value
        };
        let largest = self.path.tuned_range()[1];
        self.path.at(value).map(|best| (turned(self.inverse[1], best.tuned, largest), best.loss))
    }
}
