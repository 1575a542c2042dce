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

fn turned(is_inverse: bool, value: f64) -> f64 {
    if is_inverse { 1.0 / value } else { value }
}

impl Best {
    /// The pieces in ascending order of the parameter that varies.
    pub fn pieces(&self) -> Vec<Shown> {
        let [vary, tuned] = self.inverse;
        let shown = self.path.pieces().iter().map(|piece| {
            let loss = piece.vary.map(|v| piece.at(v).map_or(f64::NAN, |best| best.loss));
            let ends = (piece.vary.map(|v| turned(vary, v)), piece.tuned.map(|v| turned(tuned, v)));
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
        let [from, to] = self.path_range().map(|v| turned(self.inverse[0], v));
        [from.min(to), from.max(to)]
    }

    /// The range of the one that is tuned.
    pub fn tuned_range(&self) -> [f64; 2] {
        let [from, to] = self.path.tuned_range().map(|v| turned(self.inverse[1], v));
        [from.min(to), from.max(to)]
    }

    /// The best value and its loss; none outside the range.
    pub fn at(&self, vary: f64) -> Option<(f64, f64)> {
        let [from, to] = self.path_range();
        let value = turned(self.inverse[0], vary);
        let near = |end: f64| (value - end).abs() <= ROUNDING * end.abs();
        let value = if near(from) {
            from
        } else if near(to) {
            to
        } else {
            value
        };
        self.path.at(value).map(|best| (turned(self.inverse[1], best.tuned), best.loss))
    }
}
