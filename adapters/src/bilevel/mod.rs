//! The bi-level path: for every quantile τ of an interval the penalty λ*(τ) with the least validation loss, exactly and over all λ.
//!
//! Rosset (2008), "Bi-level path following for cross validated solution of kernel quantile regression", ICML, eq. 4:
//!
//! ```text
//! λ*(τ) = argmin over λ   L(τ, λ) = Σ ṽ ρ_τ(Ỹ − f(x̃)) / Σ ṽ      over validation rows (x̃, Ỹ) with weights ṽ
//! ```
//!
//! f minimises the penalised loss on training rows at (τ, λ), see [`kqr`](crate::kqr). With k folds the sum runs over the held-out rows of
//! all folds, each with the f of its own fold.
//!
//! # Why the minimiser is at a knot or a crossing
//!
//! On a critical region of the (τ, λ) complex λf(x̃) = −y + Σ xⱼ k(xⱼ, x̃) is affine, hence also r = λ(Ỹ − f(x̃)). The line r = 0 is a *validation
//! crossing*. These lines cut the region into *cells*, on each of which
//!
//! ```text
//! λL = Σ ṽ r·(τ − [r < 0]) / Σ ṽ = τR − N,      R = Σ ṽr / Σ ṽ,    N = Σ over r < 0 of ṽr / Σ ṽ,    both affine
//! ```
//!
//! At fixed τ this is L = a + b/λ, which is monotone in λ or constant: its least value is at an end of the cell (Rosset 2008, Theorem 2). The end above the
//! largest knot and crossing is λ = ∞, where f is a sample quantile and L = a. Along a side λ = ℓ(τ) of a cell L is a quadratic function of τ over
//! the linear function ℓ (eq. 9): a branch. So λ*(τ) is the lower envelope of the sides of all cells, with the limit λ = ∞ and the ends of the domain
//! among them. Every side that is not vertical belongs to the cell above it, so the lower sides of the cells are all the branches there are. Vertical
//! sides are points of τ whose values are those of the sides that end there.
//!
//! *k folds.* The sum of the folds' losses is a + b/λ wherever each of them is. So its least value is at an end of a cell of some fold; along
//! such a side the cells of all other folds are found, and their numerators added: the denominator is ℓ for all of them.
//!
//! *Criteria on the training rows* in place of held-out rows: see [`InSample`].
//!
//! # Algorithm
//!
//! ```text
//! rectangles  of the plane, column by column, those of least penalty first                          search.rs, columns.rs
//!   regions   of the complex in each, one after the other                                          pathqp::complex::stream
//!     cut     by the validation crossings into cells                                               cells.rs
//!     sides   the lower sides of each cell as branches                                             cells.rs
//!     overlay (k folds) the cells of the other folds along each side                               overlay.rs
//!   ceiling   leave out what lies above an upper bound of the envelope                             ceiling.rs
//!   add       to the lower envelope                                                                pathqp::envelope
//! strips      above all knots, up to λ = ∞                                                         limit.rs
//! ```
//!
//! Only the corners of the current rectangles and the envelope are kept in memory.
//!
//! # The range of λ
//!
//! λ goes from infinity down to where the problem itself ends. If f interpolates all rows, x = λw with the same w for all smaller λ, and nothing changes any
//! more ([`End::Interpolation`]). Otherwise the search ends where double precision does not determine f: with κ the largest k(x, x), f = (Σ xⱼk(xⱼ, ·) − y)/λ
//! is known to rounding of its terms, at most ε Σvκ/λ, and the search ends where this is 1e-10 of the range of the responses ([`End::Precision`]).
//! [`BilevelPath::at_end`] tells whether the best loss is attained at that end.
//!
//! *Where the solution jumps* as τ varies (at τ = k/n, where f is any constant between two responses), the pieces on both sides count. For this to hold at the
//! ends of the interval of τ as well, the search goes slightly beyond them.
//!
//! *Repeated rows* are merged: repeated.rs. Every piece is recomputed from solutions found for this purpose: [`recount()`].
//!
//! ε-SVR is tuned by the same search in the plane of (C, ε), in either direction: [`tubes()`].

mod ceiling;
mod cells;
mod columns;
mod corners;
mod fold;
mod grid;
mod in_sample;
mod kernels;
mod limit;
mod model;
mod overlay;
mod path;
mod plane;
mod quantile;
mod recount;
mod repeated;
mod search;
mod squares;
mod strips;
mod tubes;

pub use fold::{Fold, Pose};
pub use in_sample::InSample;
pub use model::{loss_curve, model_at};
pub use path::{BilevelPath, BilevelPiece, BilevelStats, End, Optimum};
pub use recount::Recount;
pub use tubes::{TubeDomain, TubeLoss, Tuned, recount_tubes, tube_at, tubes};

use crate::bias::Bias;
use crate::error::{AdapterError, positive};
use crate::kqr::{Kqr, pinball};
use crate::problem::KernelProblem;
use kernels::{Kernels, rounding};
use pathqp::complex::ComplexError;
use pathqp::{BranchError, ProblemError, Settings};
use plane::{Axis, Plane};
use quantile::Quantiles;
use recount::{Known, Walk, qps, recounted};
use repeated::kinds;
use search::{Question, Side, search};
use std::sync::Arc;

/// The largest C of ε-SVR, where C varies, is the inverse of this part of the median of the largest knots at some ε; a search by a criterion ends at this part
/// of the median at some τ.
const SMALLEST: f64 = 1e-3;

/// The search ends where rounding moves f by this part of the range of the responses.
const KNOWN: f64 = 1e-10;

/// The plane goes on beyond the range of τ by this part of it.
const MARGIN: f64 = 1e-6;

/// Above this multiple of the largest knots λ is treated as infinite, where that is correct.
const HIGH: f64 = 4.0;

/// A range of λ has at least this factor.
const LEAST: f64 = 16.0;

/// Regions may cover their domain twice up to this part of it, by rounding.
const OVERLAP: f64 = 1e-6;

/// Why a bi-level path could not be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BilevelError {
    /// The question or the data are wrong.
    #[error(transparent)]
    Adapter(#[from] AdapterError),
    /// A complex could not be found.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// The numerator or denominator of the loss is no number, or too large or small.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// A range of a parameter that has no length.
    #[error("{name} from {from} to {to}: the range must be increasing, and lie within the parameter's own")]
    Range {
        /// The name of the parameter.
        name: &'static str,
        /// The lower end given.
        from: f64,
        /// The upper end given.
        to: f64,
    },
    /// A fold whose path has no knot, so that there is no scale for λ.
    #[error(
        "fold {fold} has no breakpoint between {name} = {from} and {to}: all responses are equal, or the kernel is zero; check the data"
    )]
    NoKnot {
        /// The fold, counted from zero.
        fold: usize,
        /// The name of the varying parameter.
        name: &'static str,
        /// The lower end of its range.
        from: f64,
        /// The upper end of its range.
        to: f64,
    },
    /// There are no folds.
    #[error("no fold is given: give at least one")]
    NoFold,
}

impl From<ProblemError> for BilevelError {
    fn from(error: ProblemError) -> Self {
        BilevelError::Adapter(error.into())
    }
}

/// The domain of a bi-level path.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The interval of τ, within (0, 1).
    pub tau: [f64; 2],
    /// The smallest λ. Default: where the problem itself ends; for a criterion on the training rows a thousandth of the largest knot in the median over some τ.
    pub lambda_from: Option<f64>,
    /// The largest λ. Default: infinity.
    pub lambda_to: Option<f64>,
}

impl Domain {
    /// The given interval of τ, and the default range of λ.
    pub fn tau(from: f64, to: f64) -> Self {
        Domain { tau: [from, to], lambda_from: None, lambda_to: None }
    }
}

/// λ*(τ) for all τ of the domain, by the loss on held-out rows: with one fold on a validation set, with several by cross-validation.
///
/// # Errors
/// See [`BilevelError`].
pub fn bilevel(folds: &[Fold], domain: &Domain, settings: &Settings) -> Result<BilevelPath, BilevelError> {
    found(folds, None, domain, settings)
}

/// λ*(τ) for all τ of the domain, by a criterion on the training rows. The losses of the result are the values of [`InSample`].
///
/// # Errors
/// See [`BilevelError`].
pub fn in_sample(
    kqr: &Kqr,
    criterion: InSample,
    domain: &Domain,
    settings: &Settings,
) -> Result<BilevelPath, BilevelError> {
    found(&[itself(kqr)?], Some(criterion), domain, settings)
}

fn found(
    folds: &[Fold],
    criterion: Option<InSample>,
    domain: &Domain,
    settings: &Settings,
) -> Result<BilevelPath, BilevelError> {
    let [from, to] = domain.tau;
    if !(from > 0.0 && from < to && to < 1.0) {
        return Err(BilevelError::Range { name: "tau", from, to });
    }
    let merged;
    let folds = match criterion {
        None => {
            merged = folds.iter().map(merge).collect::<Result<Vec<_>, _>>()?;
            merged.as_slice()
        }
        // It counts rows.
        Some(_) => folds,
    };
    let scale = scale_of_lambda(folds, domain, settings)?;
    let kernels: Vec<Kernels> = folds.iter().map(|fold| Kernels::new(fold, fold.problem().machine())).collect();
    let (low, end) = match domain.lambda_from {
        Some(lambda) => (positive("lambda-from", lambda)?, End::Asked),
        None if criterion.is_some() => (SMALLEST * scale, End::Criterion),
        None => (smallest(folds).min(scale / LEAST), End::Precision),
    };
    let high = domain.lambda_to.filter(|lambda| lambda.is_finite());
    if high.is_some_and(|high| low >= high) {
        return Err(BilevelError::Range { name: "lambda", from: low, to: high.unwrap_or(f64::INFINITY) });
    }
    let weight = folds.iter().map(Fold::weight).sum();
    let alone = alone(settings);
    let plane = |(fold, kernels)| -> Result<Box<dyn Plane + '_>, BilevelError> {
        Ok(Box::new(Quantiles::new(fold, kernels, criterion, weight, &alone)?))
    };
    let planes = folds.iter().zip(&kernels).map(plane).collect::<Result<Vec<_>, _>>()?;
    let margin = (MARGIN * (to - from)).min(from / 2.0).min((1.0 - to) / 2.0);
    let question = Question {
        planes,
        vary: Axis::even([from - margin, to + margin]),
        tuned: Axis::logarithmic([low, high.unwrap_or((HIGH * scale).max(LEAST * low))], 0.0),
        unbounded: high.is_none(),
        end: Some((Side::From, end)),
        range: domain.tau,
        asked: [false, high.is_some()],
    };
    search(question, settings)
}

/// Columns are searched side by side, each by one thread.
fn alone(settings: &Settings) -> Settings {
    Settings { threads: 1, ..settings.clone() }
}

/// The same fold with repeated training rows taken together.
fn merge(fold: &Fold) -> Result<Fold, AdapterError> {
    let (kqr, machine) = (fold.problem(), fold.problem().machine());
    let (rows, weights) = kinds(machine, kqr.responses());
    if rows.len() == machine.rows() {
        return Ok(fold.clone());
    }
    let responses = rows.iter().filter_map(|&i| kqr.responses().get(i).copied()).collect();
    let features = Arc::new(machine.features().select_rows(&rows));
    let kqr = Kqr::new(features, responses, Some(weights), machine.kernel(), machine.bias())?;
    Fold::new(kqr, fold.rows().clone(), fold.responses().to_vec(), Some(fold.weights().to_vec()))
}

/// The λ at which rounding of the terms of f is [`KNOWN`] of the range of the responses, of the folds the largest one.
fn smallest(folds: &[Fold]) -> f64 {
    let of = |fold: &Fold| {
        let (kqr, machine) = (fold.problem(), fold.problem().machine());
        let ends = |(l, h): (f64, f64), y: &f64| (l.min(*y), h.max(*y));
        let counted = machine.counted();
        let responses = counted.iter().filter_map(|&i| kqr.responses().get(i));
        let (least, largest) = responses.fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        let range = if machine.bias() == Bias::Intercept { largest - least } else { largest.max(-least) };
        rounding(machine) / (KNOWN * range)
    };
    folds.iter().map(of).fold(0.0, f64::max)
}

/// Recomputes the loss in the middle of every piece of a path, from solutions found for this purpose.
///
/// # Errors
/// [`AdapterError`] where no solution is found.
pub fn recount(folds: &[Fold], path: &BilevelPath, settings: &Settings) -> Result<Recount, AdapterError> {
    let weight: f64 = folds.iter().map(Fold::weight).sum();
    let alone = &alone(settings);
    let qps = qps(folds, alone)?;
    recounted(path, (folds.len(), weight), settings.threads, |fold| {
        let mut walk = Walk::new((&folds[fold], &qps[fold]), true, alone);
        Ok(Box::new(move |theta| walk.loss(theta)))
    })
}

/// Recomputes the criterion in the middle of every piece of a path, as [`recount()`]. The criterion is that of the region above λ: the rows that f interpolates
/// are counted slightly above it.
///
/// # Errors
/// [`AdapterError`] where no solution is found.
pub fn recount_in_sample(
    kqr: &Kqr,
    criterion: InSample,
    path: &BilevelPath,
    settings: &Settings,
) -> Result<Recount, AdapterError> {
    /// So far above.
    const ABOVE: f64 = 1e-7;
    let fold = itself(kqr)?;
    let (rows, alone) = (fold.responses().len(), &alone(settings));
    let qps = qps(std::slice::from_ref(&fold), alone)?;
    recounted(path, (1, fold.weight()), settings.threads, |k| {
        let mut walk = Walk::new((&fold, &qps[k]), true, alone);
        Ok(Box::new(move |[tau, lambda]| {
            let known = walk.loss([tau, lambda])?;
            let free = if lambda.is_finite() { walk.to([tau, lambda * (1.0 + ABOVE)])?.1.free.len() } else { 1 };
            Ok(known.map(|v| criterion.factor(rows, free).map_or(f64::NAN, |factor| v * factor)))
        }))
    })
}

/// A problem with its own rows held out, those without weight left out.
fn itself(kqr: &Kqr) -> Result<Fold, AdapterError> {
    let kqr = &kqr.counted()?;
    let machine = kqr.machine();
    let weights = Some(machine.weights().to_vec());
    Fold::new(kqr.clone(), machine.features().clone(), kqr.responses().to_vec(), weights)
}

impl Walk<'_, Kqr> {
    /// Σ ṽρ on the held-out rows, and to what it is known.
    fn loss(&mut self, [tau, lambda]: [f64; 2]) -> Result<Known, AdapterError> {
        let (kqr, fold) = (self.fold.problem(), self.fold);
        let model = match lambda == f64::INFINITY {
            true => model_at(kqr, tau, lambda, &Settings::default())?,
            false => kqr.model(&[tau, lambda], &self.to([tau, lambda])?.1),
        };
        let f = kqr.decision(&model, fold.rows());
        let losses = f.iter().zip(fold.responses()).zip(fold.weights());
        let known = fold.weight() * rounding(kqr.machine()) / lambda;
        Ok([losses.map(|((f, y), v)| v * pinball(tau, y - f)).sum(), known])
    }
}

/// The scale of λ: in each fold the median of the largest knots at a few τ that are not simple fractions; of the folds the largest one. (The largest knot grows
/// as the difference of the two responses next to the quantile shrinks.)
fn scale_of_lambda(folds: &[Fold], domain: &Domain, settings: &Settings) -> Result<f64, BilevelError> {
    const PLACES: usize = 9;
    let [from, to] = domain.tau;
    let mut largest: f64 = 0.0;
    for (fold, data) in folds.iter().enumerate() {
        let mut knots = Vec::with_capacity(PLACES);
        for k in 0..PLACES {
            let tau = from + (to - from) * (k as f64 + std::f64::consts::FRAC_1_PI) / PLACES as f64;
            knots.extend(data.problem().largest_knot(tau, settings)?);
        }
        knots.sort_by(f64::total_cmp);
        let median = knots.get(knots.len() / 2).copied();
        largest = largest.max(median.ok_or(BilevelError::NoKnot { fold, name: "tau", from, to })?);
    }
    if largest > 0.0 { Ok(largest) } else { Err(BilevelError::NoFold) }
}
