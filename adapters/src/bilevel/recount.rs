//! The loss of a bi-level path, recomputed from solutions found for this purpose.
//!
//! In the middle of every piece the best value of the tuned parameter is taken, the problem of each fold is solved there, and its loss on the held-out rows is
//! summed row by row: neither cells nor envelopes nor regions are used. The solutions are found by paths from the middle of one piece to that of the next.

use super::fold::Fold;
use super::path::BilevelPath;
use crate::error::AdapterError;
use crate::problem::{KernelProblem, begin};
use crate::side_by_side::side_by_side;
use pathqp::{Line, ParametricQp, Point, Settings, Start, Stop};

/// The losses may differ by this, relative to the larger one, or by what rounding leaves them known to.
const TOLERANCE: f64 = 1e-7;

/// A penalty is lowered by this factor at a time, since a position on a line is known to rounding of its length.
const FALL: f64 = 10.0;

/// The result of recomputing the loss of every piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recount {
    /// The number of pieces whose loss was recomputed.
    pub points: usize,
    /// The largest difference of the two losses, relative to the larger one or, if that is more, to the smallest loss that is known to 1e-7 of itself; NaN if a
    /// loss is NaN.
    pub worst: f64,
    /// The value of the varying parameter at the largest difference.
    pub at: f64,
}

impl Recount {
    /// Whether all losses agree.
    pub fn agrees(&self) -> bool {
        self.worst <= TOLERANCE
    }
}

/// A loss, and to what it is known: rounding of f.
pub(super) type Known = [f64; 2];

/// The loss of one fold at (varying, tuned), not divided by the weight.
pub(super) type Loss<'a> = Box<dyn FnMut([f64; 2]) -> Result<Known, AdapterError> + 'a>;

/// So many pieces are walked through one after the other.
const CHUNK: usize = 256;

/// Compares the losses of a path with those of the folds, per unit of `weight`. `begin(k)` gives the loss of fold k as a function of the place; every chunk of pieces has a walk of its
/// own for each fold. Walks go on side by side, and what they find does not depend on the number of threads.
pub(super) fn recounted<'a>(
    path: &BilevelPath,
    (folds, weight): (usize, f64),
    threads: usize,
    begin: impl Fn(usize) -> Result<Loss<'a>, AdapterError> + Sync,
) -> Result<Recount, AdapterError> {
    let middle = |[from, to]: [f64; 2]| from / 2.0 + to / 2.0;
    let places: Vec<_> = path.pieces().iter().filter_map(|piece| piece.at(middle(piece.vary))).collect();
    let walks = places.chunks(CHUNK).flat_map(|chunk| (0..folds).map(move |fold| (fold, chunk))).collect();
    let losses = side_by_side(threads, walks, |(fold, chunk)| {
        let mut loss = begin(fold)?;
        chunk.iter().map(|best| loss([best.vary, best.tuned])).collect::<Result<Vec<Known>, AdapterError>>()
    });
    let losses = losses.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut recount = Recount { points: places.len(), worst: 0.0, at: f64::NAN };
    for (k, best) in places.iter().enumerate() {
        let of_folds = losses[k / CHUNK * folds..][..folds].iter().map(|walk| walk[k % CHUNK]);
        let [loss, known] = of_folds.fold([0.0; 2], |[a, b], [x, y]| [a + x / weight, b + y / weight]);
        // Where f meets the held-out rows the loss is nothing but rounding, of either side.
        let size = loss.abs().max(best.loss.abs()).max(2.0 * known / TOLERANCE);
        let off = if loss == best.loss { 0.0 } else { (loss - best.loss).abs() / size };
        if off > recount.worst || (off.is_nan() && !recount.worst.is_nan()) {
            (recount.worst, recount.at) = (off, best.vary);
        }
    }
    Ok(recount)
}

/// The problems of all folds, whose kernels the walks share.
pub(super) fn qps<P: KernelProblem>(
    folds: &[Fold<P>],
    settings: &Settings,
) -> Result<Vec<ParametricQp<f64>>, AdapterError> {
    folds.iter().map(|fold| fold.problem().qp(settings)).collect()
}

/// Goes from one solution of a fold's problem to the next.
pub(super) struct Walk<'a, P> {
    pub fold: &'a Fold<P>,
    pub qp: ParametricQp<f64>,
    settings: &'a Settings,
    /// The penalty is the second coordinate of θ.
    penalty: bool,
    last: Option<([f64; 2], Start<f64>)>,
}

impl<'a, P: KernelProblem> Walk<'a, P> {
    /// With the fold's problem.
    pub fn new((fold, qp): (&'a Fold<P>, &ParametricQp<f64>), penalty: bool, settings: &'a Settings) -> Self {
        Walk { fold, qp: qp.clone(), settings, penalty, last: None }
    }

    /// The solution at θ, and a line that ends there.
    pub fn to(&mut self, theta: [f64; 2]) -> Result<(Line<f64>, Point<f64>), AdapterError> {
        let mut found = None;
        while let Some((from, start)) = self.last.take() {
            let leg = if self.penalty && from[1] > FALL * theta[1] { [theta[0], from[1] / FALL] } else { theta };
            found = self.leg([&from, &leg], &start).filter(|_| leg == theta);
            if found.is_some() {
                break;
            }
        }
        if found.is_none() {
            let start = self.fold.problem().start(&self.qp, &theta, self.settings);
            found = self.leg([&theta, &theta], &start);
        }
        // What has come along a line is solved for again where it is.
        if let Some((_, start)) = self.last.take() {
            found = self.leg([&theta, &theta], &start).or(found);
        }
        found.ok_or(AdapterError::NoAnswer { what: "recount where no solution is found from anywhere" })
    }

    fn leg(&mut self, [from, to]: [&[f64; 2]; 2], start: &Start<f64>) -> Option<(Line<f64>, Point<f64>)> {
        let line = self.qp.line(from, to).ok()?;
        let mut follower = begin(&line, start, self.settings).ok()?;
        if follower.run(&mut ()).ok()? != Stop::Target {
            return None;
        }
        let status = follower.status().to_vec();
        let path = follower.into_path();
        let point = path.before(path.end())?;
        self.last = Some((*to, Start::ActiveSet { status, y: Some(point.y) }));
        Some((line, point))
    }
}
