//! Positions on the parameter's range: numbers, or irrational roots of polynomials.

use super::polynomial::{self, Polynomial};
use crate::scalar::Scalar;
use std::cmp::Ordering;

/// A position at which a piece of an envelope begins or ends.
///
/// In floating point it is a number. With exact scalars a crossing may be irrational; then it is stored as a polynomial and an interval that contains this one
/// of its roots only. Comparison is exact in either case: `==` and `<` decide between roots of different polynomials, too.
#[derive(Clone, Debug)]
pub struct Position<S>(Kind<S>);

#[derive(Clone, Debug)]
enum Kind<S> {
    At(S),
    Root(Box<Root<S>>),
}

/// The only root of a square-free polynomial in the open interval (lower, upper), at whose ends it is not zero.
#[derive(Clone, Debug)]
struct Root<S> {
    polynomial: Polynomial<S>,
    lower: S,
    upper: S,
}

impl<S: Scalar> Position<S> {
    /// The position of a number.
    pub fn at(t: S) -> Self {
        Position(Kind::At(t))
    }

    /// The root of a square-free polynomial in (lower, upper), of which it is the only one; none of the ends is a root.
    pub(super) fn root(polynomial: Polynomial<S>, lower: S, upper: S) -> Self {
        match polynomial.as_slice() {
            [constant, slope] => Position::at(-constant.clone() / slope),
            _ => Position(Kind::Root(Box::new(Root { polynomial, lower, upper }))),
        }
    }

    /// The number, if the position is stored as one; always in floating point.
    pub fn number(&self) -> Option<&S> {
        match &self.0 {
            Kind::At(t) => Some(t),
            Kind::Root(_) => None,
        }
    }

    /// A number that is at most the position; strictly smaller if the position is not stored as a number.
    pub fn lower(&self) -> &S {
        match &self.0 {
            Kind::At(t) => t,
            Kind::Root(root) => &root.lower,
        }
    }

    /// A number that is at least the position; strictly larger if the position is not stored as a number.
    pub fn upper(&self) -> &S {
        match &self.0 {
            Kind::At(t) => t,
            Kind::Root(root) => &root.upper,
        }
    }

    /// The same position with upper − lower at most `width`, by bisection. A width that is zero or negative changes nothing.
    pub fn within(&self, width: &S) -> Self {
        let mut position = self.clone();
        while *width > S::zero() && position.upper().clone() - position.lower() > *width {
            position = position.halved();
        }
        position
    }

    /// The position as a float, with an error of at most 2⁻⁵³ of its size, or of 2⁻¹²⁸ of the interval by which it was known (for positions close to zero).
    pub fn to_f64(&self) -> f64 {
        let mut position = self.clone();
        for _ in 0..128 {
            let size = S::larger(position.lower().abs(), position.upper().abs());
            if (position.upper().clone() - position.lower()) * S::integer(1 << 53) <= size {
                break;
            }
            position = position.halved();
        }
        middle(position.lower(), position.upper()).to_f64().unwrap_or(f64::NAN)
    }

    /// One bisection; a number stays as it is.
    fn halved(&self) -> Self {
        let Kind::Root(root) = &self.0 else { return self.clone() };
        let t = middle(&root.lower, &root.upper);
        match root.side(&t) {
            Ordering::Equal => Position::at(t),
            Ordering::Less => Position::root(root.polynomial.clone(), t, root.upper.clone()),
            Ordering::Greater => Position::root(root.polynomial.clone(), root.lower.clone(), t),
        }
    }

    /// A number strictly between this position and a larger one.
    pub(super) fn between(&self, larger: &Self) -> S {
        let (mut low, mut high) = (self.clone(), larger.clone());
        while low.upper() >= high.lower() {
            if low.number().is_some() && high.number().is_some() {
                break; // not two different positions: the caller's mistake, answered with the number itself
            }
            (low, high) = (low.halved(), high.halved());
        }
        middle(low.upper(), high.lower())
    }

    /// The order of two positions; exact for exact scalars.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Kind::At(s), Kind::At(t)) => order(s, t),
            (Kind::At(s), Kind::Root(root)) => root.side(s),
            (Kind::Root(root), Kind::At(t)) => root.side(t).reverse(),
            (Kind::Root(r), Kind::Root(s)) => {
                if r.equals(s) {
                    return Ordering::Equal;
                }
                let (mut left, mut right) = (self.clone(), other.clone());
                loop {
                    if left.upper() <= right.lower() {
                        return Ordering::Less;
                    }
                    if right.upper() <= left.lower() {
                        return Ordering::Greater;
                    }
                    (left, right) = (left.halved(), right.halved());
                    if left.number().is_some() || right.number().is_some() {
                        return left.compare(&right);
                    }
                }
            }
        }
    }
}

impl<S: Scalar> PartialEq for Position<S> {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl<S: Scalar> PartialOrd for Position<S> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.compare(other))
    }
}

impl<S: Scalar> Root<S> {
    /// The order of t and the root: the polynomial changes its sign at the root and nowhere else between the ends.
    fn side(&self, t: &S) -> Ordering {
        if *t <= self.lower {
            return Ordering::Less;
        }
        if *t >= self.upper {
            return Ordering::Greater;
        }
        let at = polynomial::sign(&self.polynomial, t);
        if at == Ordering::Equal {
            Ordering::Equal
        } else if at == polynomial::sign(&self.polynomial, &self.lower) {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    /// Two roots are the same when the greatest common divisor of their polynomials has a root in both intervals. It has
    /// at most one there, a simple one, and is not zero at the ends: it divides a polynomial that is not.
    fn equals(&self, other: &Self) -> bool {
        let lower = if self.lower < other.lower { &other.lower } else { &self.lower };
        let upper = if self.upper < other.upper { &self.upper } else { &other.upper };
        if lower >= upper {
            return false;
        }
        let common = polynomial::gcd(self.polynomial.clone(), other.polynomial.clone());
        polynomial::sign(&common, lower) != polynomial::sign(&common, upper)
    }
}

/// The order of two finite numbers.
pub(super) fn order<S: Scalar>(a: &S, b: &S) -> Ordering {
    if a < b {
        Ordering::Less
    } else if a > b {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

pub(super) fn middle<S: Scalar>(a: &S, b: &S) -> S {
    (a.clone() + b) / S::integer(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Exact;

    fn exact(p: i64, q: i64) -> Exact {
        Exact::integer(p) / Exact::integer(q)
    }

    /// The positive root of a polynomial with integer coefficients below `upper`.
    fn root(p: &[i64], upper: i64) -> Position<Exact> {
        Position::root(p.iter().map(|c| Exact::integer(*c)).collect(), Exact::ZERO, Exact::integer(upper))
    }

    #[test]
    fn numbers_and_roots_in_order() {
        let (two, three) = (root(&[-2, 0, 1], 5), root(&[-3, 0, 1], 2));
        let cube = root(&[-2, 0, 0, 1], 3);
        let order = [Position::at(exact(5, 4)), cube, Position::at(exact(7, 5)), two, Position::at(exact(3, 2)), three];
        for (i, a) in order.iter().enumerate() {
            for (j, b) in order.iter().enumerate() {
                assert_eq!(a.compare(b), i.cmp(&j), "{a:?} {b:?}");
                if i < j {
                    let between = Position::at(a.between(b));
                    assert!(*a < between && between < *b);
                }
            }
        }
    }

    #[test]
    fn roots_of_different_polynomials_are_equal() {
        // (t² − 2)(t + 3) and t² − 2, known by different intervals.
        let (a, b) = (root(&[-6, -2, 3, 1], 2), root(&[-2, 0, 1], 5).within(&exact(1, 1000)));
        assert_eq!(a, b);
        assert_eq!(b, a);
        // √(9/4) is a number, also where it is known as a root.
        assert_eq!(root(&[-9, 0, 4], 2), Position::at(exact(3, 2)));
        assert_eq!(root(&[-9, 0, 4], 4).compare(&root(&[-9, 0, 4], 2)), Ordering::Equal);
        assert_eq!(root(&[-3, 2], 2).number(), Some(&exact(3, 2)));
        assert_eq!(root(&[-9, 0, 4], 2).to_f64(), 1.5);
    }
}
