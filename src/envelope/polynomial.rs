//! Polynomials of degree three at most over an exact scalar: common divisors, and intervals that isolate the roots.

use super::position::{Position, middle, order};
use crate::scalar::Scalar;
use std::cmp::Ordering;

/// Coefficients, the constant first, the leading one not zero; empty for the polynomial 0.
pub(super) type Polynomial<S> = Vec<S>;

/// Drops leading zeros.
fn trimmed<S: Scalar>(mut p: Polynomial<S>) -> Polynomial<S> {
    while p.last().is_some_and(S::is_zero) {
        p.pop();
    }
    p
}

fn value<S: Scalar>(p: &[S], t: &S) -> S {
    p.iter().rev().fold(S::zero(), |sum, c| sum * t + c)
}

/// The sign of p(t), as the order of p(t) and zero.
pub(super) fn sign<S: Scalar>(p: &[S], t: &S) -> Ordering {
    order(&value(p, t), &S::zero())
}

pub(super) fn product<S: Scalar>(p: &[S], q: &[S]) -> Polynomial<S> {
    let mut product = vec![S::zero(); (p.len() + q.len()).saturating_sub(1)];
    for (i, a) in p.iter().enumerate() {
        for (j, b) in q.iter().enumerate() {
            product[i + j] += a.clone() * b;
        }
    }
    trimmed(product)
}

pub(super) fn difference<S: Scalar>(p: &[S], q: &[S]) -> Polynomial<S> {
    let entry = |p: &[S], i: usize| p.get(i).cloned().unwrap_or_else(S::zero);
    trimmed((0..p.len().max(q.len())).map(|i| entry(p, i) - entry(q, i)).collect())
}

/// p(t − origin) as a polynomial of t, by Horner's rule.
pub(super) fn shifted<S: Scalar>(p: &[S], origin: &S) -> Polynomial<S> {
    let factor = [-origin.clone(), S::one()];
    p.iter().rev().fold(Vec::new(), |sum, c| {
        let mut next = product(&sum, &factor);
        match next.first_mut() {
            Some(constant) => *constant += c,
            None => next.push(c.clone()),
        }
        trimmed(next)
    })
}

/// Quotient and remainder of p by q ≠ 0.
fn divided<S: Scalar>(p: Polynomial<S>, q: &[S]) -> (Polynomial<S>, Polynomial<S>) {
    let (Some(leading), mut rest) = (q.last(), p) else { return (Vec::new(), Vec::new()) };
    let mut quotient = vec![S::zero(); (rest.len() + 1).saturating_sub(q.len())];
    for k in (0..quotient.len()).rev() {
        let factor = rest[k + q.len() - 1].clone() / leading;
        for (j, c) in q.iter().enumerate() {
            rest[k + j] -= factor.clone() * c;
        }
        quotient[k] = factor;
    }
    (trimmed(quotient), trimmed(rest))
}

/// The greatest common divisor with leading coefficient one (Euclid); 0 if both are 0.
pub(super) fn gcd<S: Scalar>(p: Polynomial<S>, q: Polynomial<S>) -> Polynomial<S> {
    let (mut p, mut q) = (monic(p), monic(q));
    while !q.is_empty() {
        let rest = divided(p, &q).1;
        (p, q) = (q, monic(rest));
    }
    p
}

fn monic<S: Scalar>(mut p: Polynomial<S>) -> Polynomial<S> {
    if let Some(leading) = p.last().cloned() {
        p.iter_mut().for_each(|c| *c /= &leading);
    }
    p
}

/// The product of (t − r) over the different roots r, complex ones included: p / gcd(p, p′).
fn square_free<S: Scalar>(p: Polynomial<S>) -> Polynomial<S> {
    let slope: Polynomial<S> = p.iter().enumerate().skip(1).map(|(i, c)| S::integer(i as i64) * c).collect();
    let repeated = gcd(p.clone(), slope);
    divided(monic(p), &repeated).0
}

/// p / (t − r)ᵏ without the factors of a root r.
fn without<S: Scalar>(mut p: Polynomial<S>, r: &S) -> Polynomial<S> {
    while !p.is_empty() && value(&p, r).is_zero() {
        p = divided(p, &[-r.clone(), S::one()]).0;
    }
    p
}

/// The number of sign changes of the Bernstein coefficients on (a, b): not smaller than the number of roots there, of
/// the same parity, and exact if it is 0 or 1 (Descartes).
///
/// With p(a + (b − a)u) = Σ qₖuᵏ of degree n they are Σₖ C(i, k)/C(n, k) qₖ, i = 0, …, n.
fn variations<S: Scalar>(p: &[S], a: &S, b: &S) -> usize {
    let width = b.clone() - a;
    let mut q = shifted(p, &-a.clone());
    let mut power = S::one();
    for c in &mut q {
        *c *= &power;
        power *= &width;
    }
    let n = q.len().saturating_sub(1);
    let coefficient = |i: usize| {
        let terms = q.iter().take(i + 1).enumerate();
        terms.fold(S::zero(), |sum, (k, c)| sum + S::integer(binomial(i, k)) / S::integer(binomial(n, k)) * c)
    };
    let coefficients = (0..q.len()).map(coefficient).filter(|c| !c.is_zero());
    let signs: Vec<bool> = coefficients.map(|c| c.is_positive()).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn binomial(n: usize, k: usize) -> i64 {
    (0..k).fold(1, |product, i| product * (n - i) as i64 / (i + 1) as i64)
}

/// The different roots of p ≠ 0 in the open interval (a, b), in ascending order, by bisection until every part has one
/// sign change or none.
pub(super) fn roots<S: Scalar>(p: Polynomial<S>, a: &S, b: &S) -> Vec<Position<S>> {
    let mut found = Vec::new();
    isolate(without(without(square_free(p), a), b), a, b, &mut found);
    found
}

/// p is square-free and not zero at the ends. Such polynomials have at most one sign change on short intervals (Obreshkoff's two circles).
fn isolate<S: Scalar>(p: Polynomial<S>, a: &S, b: &S, found: &mut Vec<Position<S>>) {
    match variations(&p, a, b) {
        0 => {}
        1 => found.push(Position::root(p, a.clone(), b.clone())),
        _ => {
            let m = middle(a, b);
            let rest = without(p.clone(), &m);
            isolate(rest.clone(), a, &m, found);
            if rest.len() < p.len() {
                found.push(Position::at(m.clone()));
            }
            isolate(rest, &m, b, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Exact;

    fn integers(p: &[i64]) -> Polynomial<Exact> {
        trimmed(p.iter().map(|c| Exact::integer(*c)).collect())
    }

    /// ∏ (t − r).
    fn with_roots(roots: &[i64]) -> Polynomial<Exact> {
        roots.iter().fold(integers(&[1]), |p, r| product(&p, &integers(&[-r, 1])))
    }

    #[test]
    fn divisors_and_repeated_roots() {
        assert_eq!(gcd(with_roots(&[1, 2, 3]), with_roots(&[2, 3, 4])), with_roots(&[2, 3]));
        assert_eq!(gcd(with_roots(&[1]), with_roots(&[2])), integers(&[1]));
        assert_eq!(gcd(integers(&[]), with_roots(&[2])), with_roots(&[2]));
        assert_eq!(square_free(with_roots(&[5, 5, 7])), with_roots(&[5, 7]));
        assert_eq!(square_free(with_roots(&[5, 5, 5])), with_roots(&[5]));
        assert_eq!(square_free(integers(&[4])), integers(&[1]));
        assert_eq!(without(with_roots(&[5, 5, 7]), &Exact::integer(5)), with_roots(&[7]));
        assert_eq!(shifted(&integers(&[2, 3, 4]), &Exact::integer(1)), integers(&[3, -5, 4]));
    }

    #[test]
    fn roots_inside_open_intervals() {
        let found = |p: Polynomial<Exact>, a: i64, b: i64| {
            roots(p, &Exact::integer(a), &Exact::integer(b)).iter().map(Position::to_f64).collect::<Vec<f64>>()
        };
        assert_eq!(found(with_roots(&[0, 1, 2]), -1, 3), [0.0, 1.0, 2.0]);
        assert_eq!(found(with_roots(&[0, 1, 2]), 0, 2), [1.0]);
        assert_eq!(found(with_roots(&[1, 1, 2]), 0, 3), [1.0, 2.0]);
        assert_eq!(found(integers(&[1, 0, 1]), -5, 5), [0.0; 0]);
        let cube_root = found(integers(&[-2, 0, 0, 1]), 0, 2);
        assert!(cube_root.len() == 1 && (cube_root[0] - 2f64.cbrt()).abs() <= 3e-16, "{cube_root:?}");
        // (1000t − 1)(1000t − 2)(t − 3): close together, of other degrees of the coefficients.
        let close = product(&product(&integers(&[-1, 1000]), &integers(&[-2, 1000])), &integers(&[-3, 1]));
        assert_eq!(found(close, 0, 4).len(), 3);
    }
}
