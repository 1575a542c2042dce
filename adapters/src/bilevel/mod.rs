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
//! *Criteria on the training rows* instead of held-out ones: see [`InSample`].
//!
//! # Algorithm
//!
//! ```text
//! stream     the regions of the complex, one after the other               pathqp::complex::stream
//!   cut      by the validation crossings into cells                        cells.rs
//!   sides    the lower sides of each cell as branches                      cells.rs
//!   overlay  (k folds) the cells of the other folds along each side        overlay.rs
//!   ceiling  leave out what lies above an upper bound of the envelope      ceiling.rs
//!   add      to the lower envelope                                         pathqp::envelope
//! ```
//!
//! With one validation set nothing is kept but the front of the complex and the envelope; with folds the cells are.
//!
//! ε-SVR is tuned by the same search in the plane of (C, ε), in either direction: [`tubes()`].

mod ceiling;
mod cells;
mod fold;
mod in_sample;
mod model;
mod overlay;
mod path;
mod search;
mod squares;
mod tubes;

pub use fold::{Fold, Pose};
pub use in_sample::InSample;
pub use model::{loss_curve, model_at};
pub use path::{BilevelPath, BilevelPiece, BilevelStats, Optimum};
pub use tubes::{TubeDomain, TubeLoss, Tuned, tube_at, tubes};

use crate::adapter::Adapter;
use crate::error::{AdapterError, positive};
use crate::kqr::Kqr;
use cells::Cell;
use pathqp::complex::{ComplexError, CriticalRegion, Options};
use pathqp::{BranchError, ParametricQp, ProblemError, Range, Settings};
use search::{Regions, search};

/// The smallest λ unless told otherwise, as a part of the median of the largest knots at some τ.
const SMALLEST: f64 = 1e-3;

/// A corner of a region, and whether it is finite.
type Place = ([f64; 2], bool);

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
    /// A branch of the loss is no number.
    #[error(transparent)]
    Branch(#[from] BranchError),
    /// A range of parameters without length.
    #[error("{name} from {from} to {to}: the range must be increasing, and lie within the parameter's own")]
    Range {
        /// The parameter.
        name: &'static str,
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// No knot to set the scale of λ by.
    #[error("fold {fold} has no knot between {name} = {from} and {to}: all responses are equal, or the kernel is zero")]
    NoKnot {
        /// The fold, from zero.
        fold: usize,
        /// The varying parameter.
        name: &'static str,
        /// Where it begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// The regions overlap.
    #[error(
        "the critical regions of fold {fold} overlap after {regions}: lambda is too small for the rank of its kernel; begin at a larger one"
    )]
    Overlap {
        /// The fold, from zero.
        fold: usize,
        /// How many regions had been found.
        regions: usize,
    },
    /// Nothing to tune by.
    #[error("no fold is given")]
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
    /// τ, within (0, 1).
    pub tau: [f64; 2],
    /// The smallest λ; by default a thousandth of the largest knot, in the median over some τ.
    pub lambda_from: Option<f64>,
    /// The largest λ; infinite by default.
    pub lambda_to: Option<f64>,
}

impl Domain {
    /// All λ from a thousandth of the largest knot on.
    pub fn tau(from: f64, to: f64) -> Self {
        Domain { tau: [from, to], lambda_from: None, lambda_to: None }
    }
}

/// λ*(τ) for all τ of the domain by the loss on held-out rows: a validation set if there is one fold, cross-validation if there are several.
///
/// # Errors
/// See [`BilevelError`].
pub fn bilevel(folds: &[Fold], domain: &Domain, settings: &Settings) -> Result<BilevelPath, BilevelError> {
    found(folds, None, domain, settings)
}

/// λ*(τ) for all τ of the domain by a criterion on the training rows themselves. The losses of the result are those of [`InSample`].
///
/// # Errors
/// See [`BilevelError`].
pub fn in_sample(
    kqr: &Kqr,
    criterion: InSample,
    domain: &Domain,
    settings: &Settings,
) -> Result<BilevelPath, BilevelError> {
    let kqr = &kqr.counted()?;
    let machine = kqr.machine();
    let weights = machine.weights().to_vec();
    let fold = Fold::new(kqr.clone(), machine.features().clone(), kqr.responses().to_vec(), Some(weights))?;
    found(&[fold], Some(criterion), domain, settings)
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
    let scale = scale_of_lambda(folds, domain, settings)?;
    let lambda = [
        positive("lambda-from", domain.lambda_from.unwrap_or(SMALLEST * scale))?,
        domain.lambda_to.unwrap_or(f64::INFINITY),
    ];
    if lambda[0].partial_cmp(&lambda[1]) != Some(std::cmp::Ordering::Less) {
        return Err(BilevelError::Range { name: "lambda", from: lambda[0], to: lambda[1] });
    }
    let weight = folds.iter().map(Fold::weight).sum();
    let regions = |number: usize| -> Result<Box<dyn Regions + '_>, BilevelError> {
        let fold = folds.get(number).ok_or(BilevelError::NoFold)?;
        Ok(Box::new(Quantiles::new(fold, criterion, (domain.tau, lambda), (scale, weight), settings)?))
    };
    search(folds.len(), &regions, domain.tau, lambda, settings)
}

/// The scale of λ: of the largest knots at a few τ that are no simple fractions the median, of the folds the largest one. (The largest knot is as
/// large as two responses next to the quantile are close together.)
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

/// Quantile regression in the plane of (τ, λ).
struct Quantiles<'a> {
    qp: ParametricQp<f64>,
    options: Options<f64>,
    whole: f64,
    cutter: cells::Cutter<'a>,
    criterion: Option<InSample>,
}

impl<'a> Quantiles<'a> {
    fn new(
        fold: &'a Fold,
        criterion: Option<InSample>,
        (tau, lambda): ([f64; 2], [f64; 2]),
        (scale, weight): (f64, f64),
        settings: &Settings,
    ) -> Result<Self, BilevelError> {
        let (kqr, [from, to]) = (fold.problem(), lambda);
        let range = if to.is_finite() { Range::new(from, to) } else { Range::at_least(from) };
        let qp = kqr.qp(settings)?.within(vec![Range::new(tau[0], tau[1]), range])?;
        // Beyond the largest knots, or as far as the domain goes, a start is at hand.
        let point = [tau[0], to.min((2.0 * scale).max(2.0 * from))];
        let start = kqr.start(&qp, &point, settings);
        let options = Options { point: Some(point), start, settings: settings.clone(), scale: Some([1.0, scale]) };
        let cutter = cells::Cutter::new(fold, weight);
        Ok(Quantiles { qp, options, whole: area_of_domain(tau, lambda), cutter, criterion })
    }
}

impl Regions for Quantiles<'_> {
    fn plane(&self) -> (&ParametricQp<f64>, &Options<f64>) {
        (&self.qp, &self.options)
    }

    fn whole(&self) -> f64 {
        self.whole
    }

    fn area(&self, corners: &[Place]) -> f64 {
        area_of(corners)
    }

    fn cut(&mut self, region: &CriticalRegion<f64>, corners: &[Place]) -> (Vec<Cell>, usize) {
        match self.criterion {
            None => self.cutter.cut(region, corners),
            Some(criterion) => (self.cutter.whole(region, corners, criterion).into_iter().collect(), 0),
        }
    }
}

/// (τ, λ) ↦ (τ/λ, 1/λ) takes lines to lines and λ = ∞ to a point: the area of the image of a polygon.
fn area_of(corners: &[Place]) -> f64 {
    let image = |&([tau, lambda], finite): &Place| match finite {
        true => [tau / lambda, 1.0 / lambda],
        false => [0.0, 0.0],
    };
    let turned = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    let next = corners.iter().cycle().skip(1);
    let twice: f64 = corners.iter().zip(next).map(|(p, q)| turned(image(p), image(q))).sum();
    twice.abs() / 2.0
}

fn area_of_domain([from, to]: [f64; 2], [low, high]: [f64; 2]) -> f64 {
    (to - from) * (low.powi(-2) - high.powi(-2)) / 2.0
}
