//! Which of two branches is the lower one, from end to end of an interval.

use super::branch::{Bernstein, RationalFunction};
use super::cubic::{Cubic, times};
use super::polynomial::{self, Polynomial};
use super::position::{Position, order};
use crate::scalar::Scalar;
use crate::settings::Settings;
use std::cmp::Ordering;

/// The order of two functions f and g on an interval.
#[derive(Debug)]
pub(super) enum Comparison<S> {
    /// They are the same function, in floating point within rounding.
    Same,
    /// One is not above the other, and they change places at each of the crossings.
    Alternating {
        /// Whether f is the lower one up to the first crossing.
        first_below: bool,
        /// In ascending order; in floating point they may coincide with each other and with the ends.
        crossings: Vec<Position<S>>,
    },
}

/// Compares f = N_f/D_f and g = N_g/D_g on \[from, to\], from < to. Both denominators are positive, so f − g has the sign of the
/// cubic
///
/// ```text
/// h = N_f D_g − N_g D_f
/// ```
pub(super) fn compare<S: Scalar>(
    f: &RationalFunction<S>,
    g: &RationalFunction<S>,
    from: &Position<S>,
    to: &Position<S>,
    settings: &Settings,
) -> Comparison<S> {
    if S::EXACT {
        exact(f, g, from, to)
    } else {
        rounded(f, g, from.lower(), to.upper(), &S::tolerance(settings.coincident))
    }
}

/// In floating point h is formed in Bernstein form on the interval: no coefficient suffers from the distance to an
/// origin, and each is known to rounding of the products that it is the difference of. Coefficients within that are zero.
fn rounded<S: Scalar>(
    f: &RationalFunction<S>,
    g: &RationalFunction<S>,
    from: &S,
    to: &S,
    tolerance: &S,
) -> Comparison<S> {
    let cubic = Cubic::new(&f.on(from, to), &g.on(from, to), tolerance);
    let Some(negative) = cubic.first_sign() else { return Comparison::Same };
    let width = to.clone() - from;
    let crossings = cubic.crossings(tolerance).into_iter().map(|u| {
        let t = times(&u, &width) + from;
        Position::at(S::smaller(S::larger(t, from.clone()), to.clone()))
    });
    Comparison::Alternating { first_below: negative == Ordering::Less, crossings: crossings.collect() }
}

/// The order of f(t) and g(t); in floating point equal within rounding.
pub(super) fn compare_at<S: Scalar>(
    f: &RationalFunction<S>,
    g: &RationalFunction<S>,
    t: &S,
    settings: &Settings,
) -> Ordering {
    let (f, g): (Bernstein<S>, Bernstein<S>) = (f.on(t, t), g.on(t, t));
    Cubic::new(&f, &g, &S::tolerance(settings.coincident)).first_sign().unwrap_or(Ordering::Equal)
}

/// Exactly: the different roots of h are isolated, and its sign between them is taken at a number there.
fn exact<S: Scalar>(
    f: &RationalFunction<S>,
    g: &RationalFunction<S>,
    from: &Position<S>,
    to: &Position<S>,
) -> Comparison<S> {
    let h = difference(f, g);
    if h.is_empty() {
        return Comparison::Same;
    }
    let mut cuts = vec![from.clone()];
    cuts.extend(polynomial::roots(h.clone(), from.lower(), to.upper()).into_iter().filter(|r| r > from && r < to));
    cuts.push(to.clone());
    let signs: Vec<Ordering> = cuts.windows(2).map(|c| polynomial::sign(&h, &c[0].between(&c[1]))).collect();
    let changes = signs.windows(2).zip(cuts.iter().skip(1)).filter(|(pair, _)| pair[0] != pair[1]);
    Comparison::Alternating {
        first_below: signs.first() == Some(&Ordering::Less),
        crossings: changes.map(|(_, cut)| cut.clone()).collect(),
    }
}

/// h as a polynomial of t.
fn difference<S: Scalar>(f: &RationalFunction<S>, g: &RationalFunction<S>) -> Polynomial<S> {
    let [n_f, d_f] = [&f.numerator[..], &f.denominator[..]].map(|p| polynomial::shifted(p, &f.origin));
    let [n_g, d_g] = [&g.numerator[..], &g.denominator[..]].map(|p| polynomial::shifted(p, &g.origin));
    polynomial::difference(&polynomial::product(&n_f, &d_g), &polynomial::product(&n_g, &d_f))
}

/// The sign of a number, as its order with zero.
pub(super) fn sign<S: Scalar>(a: &S) -> Ordering {
    order(a, &S::zero())
}
