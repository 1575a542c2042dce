//! Lower envelopes of rational functions of one parameter.
//!
//! A *branch* is a function (n₀ + n₁t + n₂t²)/(d₀ + d₁t) on a closed interval on which its denominator is positive. The *envelope* is, at each t, the least
//! value of the branches that are defined there. It is a list of [`Piece`]s: intervals, each with the branch that is lowest on it.
//!
//! ```
//! use pathqp::Settings;
//! use pathqp::envelope::{Branch, Envelope, RationalFunction};
//!
//! let branch = |numerator, denominator, from, to| {
//!     Branch::new(RationalFunction { origin: 0.0, numerator, denominator }, from, to)
//! };
//! let branches = [
//!     (0, branch([1.0, 0.0, 0.0], [1.0, 1.0], 0.0, 3.0)?), // 1/(1 + t)
//!     (1, branch([0.0, 0.5, 0.0], [1.0, 0.0], 0.0, 2.0)?), // t/2 until it ends
//! ];
//! let envelope = Envelope::of(branches, &Settings::default());
//!
//! let [first, second] = envelope.pieces() else { panic!("two pieces") };
//! assert_eq!((first.id, second.id), (1, 0));
//! assert!((first.to.to_f64() - 1.0).abs() <= 1e-15 && second.to.to_f64() == 3.0);
//! assert_eq!(envelope.at(&2.0).map(|minimum| minimum.value), Some(1.0 / 3.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Crossings
//!
//! Where two denominators are positive, f − g = N_f/D_f − N_g/D_g has the sign of the cubic h = N_f D_g − N_g D_f (Rosset 2008, §3, after (9)), so two
//! branches cross at most three times. A crossing is where h changes its sign.
//!
//! *Exact scalars.* The roots of h are irrational as a rule. Its square-free part has the same roots, all of them simple; bisection isolates them by the sign
//! changes of Bernstein coefficients. A [`Position`] is therefore a number, or a polynomial with an isolating interval. Positions are compared exactly: with a
//! number by the sign of the polynomial there, with each other by bisection; they are equal if the greatest common divisor of the polynomials has the root. The
//! sign of h between two roots is taken at a number between them. [`Position::within`] bisects to any width.
//!
//! *Floating point.* h is formed in Bernstein form on the common interval; its coefficients are known to rounding of the products that they are differences of.
//! The roots are bracketed by the ends and the critical points, and found by Newton's method with bisection. (The closed form of the roots loses half of the
//! digits, and more where roots lie close together.)
//!
//! # Coincidences
//!
//! - *Equal functions*, of several branches or of one that is given twice: the branch with the smallest number counts. In floating point, functions are equal
//!   on an interval when all coefficients of h are within [`Settings::coincident`](crate::Settings::coincident) of their terms. Branches that differ by less
//!   are not distinguished: a piece is then lowest up to that rounding.
//! - *Touching*: at a double root nothing crosses and no piece ends. A triple root is one crossing. In floating point, h at a critical point is compared in the
//!   same way; two crossings so close that h does not exceed rounding between them are ignored.
//! - *Shared ends*: intervals are closed. Where one branch ends and another begins, both are defined, and [`Envelope::at`] takes the lower one. In floating
//!   point, ends that are meant to be the same must be the same number.
//! - *Branches on a single point* belong to the envelope if they lie below everything else there. They are listed apart ([`Envelope::isolated`]), because the
//!   pieces are intervals.
//! - *Branches that begin or end inside the range, or merge*, need no special treatment: a piece begins where the interval of its branch begins, if that is the
//!   lowest, and ends likewise. Branches that merge are the same function from there on, or share an end.
//!
//! The pieces do not depend on the order in which branches are added (in floating point: up to rounding). Between two neighbouring ends or crossings the piece
//! belongs to the lowest branch, among several to the one with the smallest number, and neighbouring pieces of one branch are one piece.
//!
//! # Algorithm
//!
//! Two envelopes are merged by one sweep over both lists of pieces ([`Envelope::merge`]), which compares two functions wherever two pieces overlap. Merging in
//! halves gives the envelope of m branches in O(λ₅(m) log m) comparisons, where λ₅(m), almost linear in m, bounds the number of pieces of m partially defined
//! functions that cross pairwise at most three times (Sharir and Agarwal 1995, Davenport–Schinzel Sequences and Their Geometric Applications).
//! [`EnvelopeBuilder`] does so for a stream of branches and holds pieces, not branches.
//!
//! # Cross-validation over k folds
//!
//! Let x(τ, λ) and y be the solution of a fold, affine on each region of its complex, and f = (β₀ + Σ xⱼK(xⱼ, ·))/λ, with β₀ affine in x and y. On a region a
//! validation residual ỹ − f(x̃) = (λỹ − β₀ − Σ xⱼK(xⱼ, x̃))/λ is an affine function of (τ, λ) divided by λ, and the loss multiplies it by τ or −(1 − τ).
//!
//! - *At fixed τ*, between two neighbouring knots or validation crossings of *any* fold, no residual of any fold changes its law or its sign. The loss of every
//!   fold is a + b/λ there, hence so is their sum. This is monotone in λ or constant, so that its least value is attained at an end: a knot or a crossing of
//!   some fold. (Beyond the largest of them the end is λ = ∞, where every fit is a constant and the loss is a.) So Theorem 2 of Rosset (2008) holds for summed
//!   folds, with the union of the candidates.
//! - *Along such a knot* λ = ℓ(τ), affine in τ, the loss of each fold is a product of two affine functions over the *same* ℓ(τ): quadratic over linear, from
//!   one region of that fold to the next. So is the sum, with the same denominator: [`sum`] adds the numerators on the common refinement. The branches of the
//!   summed loss are of the same kind as those of one fold, and the same envelope applies. λ itself is the branch's denominator.

mod branch;
mod builder;
mod compare;
mod cubic;
mod lower;
mod polynomial;
mod position;
mod sum;

pub use branch::{Branch, RationalFunction};
pub use builder::EnvelopeBuilder;
pub use lower::{Envelope, Isolated, Minimum, Piece};
pub use position::Position;
pub use sum::sum;
