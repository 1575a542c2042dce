//! The cubic of a crossing in floating point.

use super::branch::Bernstein;
use super::compare::sign;
use crate::scalar::Scalar;
use std::cmp::Ordering;

/// More steps than a bracketed root can take: bisection alone needs one a bit of u.
const STEPS: usize = 1100;

/// h(u) = Σ hᵢ C(3, i) uⁱ(1 − u)³⁻ⁱ on 0 ≤ u ≤ 1, the difference of two products.
pub(super) struct Cubic<S> {
    h: [S; 4],
    /// The Bernstein coefficients of the same with all terms made positive.
    size: [S; 4],
}

/// a·b.
pub(super) fn times<S: Scalar>(a: &S, b: &S) -> S {
    a.clone() * b
}

/// The Bernstein coefficients of the product of a quadratic and a linear function: n₀d₀, (n₀d₁ + 2n₁d₀)/3, (2n₁d₁ + n₂d₀)/3, n₂d₁.
fn product<S: Scalar>([n0, n1, n2]: &[S; 3], [d0, d1]: &[S; 2]) -> [S; 4] {
    let (two, three) = (S::integer(2), S::integer(3));
    let inner = |single: S, double: S| (double * &two + single) / &three;
    [times(n0, d0), inner(times(n0, d1), times(n1, d0)), inner(times(n2, d0), times(n1, d1)), times(n2, d1)]
}

/// The value and the derivative at u, by de Casteljau's rule: means of coefficients only.
fn evaluate<S: Scalar>(h: &[S; 4], u: &S) -> (S, S) {
    let v = S::one() - u;
    let mean = |a: &S, b: &S| times(a, &v) + times(b, u);
    let [a, b, c] = [mean(&h[0], &h[1]), mean(&h[1], &h[2]), mean(&h[2], &h[3])];
    let [a, b] = [mean(&a, &b), mean(&b, &c)];
    (mean(&a, &b), (b - a) * S::integer(3))
}

impl<S: Scalar> Cubic<S> {
    /// N_f D_g − N_g D_f, with coefficients of at most `tolerance` of their size taken as zero.
    pub fn new(f: &Bernstein<S>, g: &Bernstein<S>, tolerance: &S) -> Self {
        let [mut h, minus] = [product(&f.n, &g.d), product(&g.n, &f.d)];
        let [mut size, more] = [product(&f.n_size, &g.d_size), product(&g.n_size, &f.d_size)];
        for i in 0..4 {
            size[i] += &more[i];
            h[i] -= &minus[i];
            if h[i].abs() <= times(&size[i], tolerance) {
                h[i] = S::zero();
            }
        }
        Cubic { h, size }
    }

    /// The sign just beyond u = 0: that of the first coefficient which is not zero. None if all are.
    pub fn first_sign(&self) -> Option<Ordering> {
        self.h.iter().map(sign).find(|s| *s != Ordering::Equal)
    }

    /// The u at which the sign changes, in ascending order.
    ///
    /// The number of sign changes of the coefficients is not smaller than that of the roots and exact if it is 0 or 1.
    /// Otherwise critical points divide \[0, 1\] into parts on which h is monotone. At those h counts as zero within rounding:
    /// there f and g touch, and no sign changes.
    pub fn crossings(&self, tolerance: &S) -> Vec<S> {
        let signs = self.h.iter().map(sign).filter(|s| *s != Ordering::Equal);
        let signs: [Option<Ordering>; 4] = {
            let mut signs = signs;
            [signs.next(), signs.next(), signs.next(), signs.next()]
        };
        let known = signs.iter().flatten();
        let changes = known.clone().zip(known.clone().skip(1)).filter(|(a, b)| a != b).count();
        let (Some(first), Some(last)) = (known.clone().next(), known.last()) else { return Vec::new() };
        if changes == 0 {
            return Vec::new();
        }
        let mut found = Vec::with_capacity(changes);
        let (mut low, mut below) = (S::zero(), *first);
        let critical = if changes > 1 { self.critical_points() } else { Vec::new() };
        let inner = critical.into_iter().map(|u| {
            let (value, size) = (evaluate(&self.h, &u).0, evaluate(&self.size, &u).0);
            let sign = if value.abs() <= size * tolerance { Ordering::Equal } else { sign(&value) };
            (u, sign)
        });
        for (u, above) in inner.chain([(S::one(), *last)]) {
            if above == Ordering::Equal {
                continue;
            }
            if above != below {
                found.push(self.root(low, u.clone(), below));
            }
            (low, below) = (u, above);
        }
        found
    }

    /// The roots of h′ in (0, 1), in ascending order.
    ///
    /// h′/3 = c₀(1 − u)² + 2c₁u(1 − u) + c₂u² with cᵢ = hᵢ₊₁ − hᵢ. The quadratic c₂s² + 2c₁s + c₀ of s = u/(1 − u) has the roots q/c₂ and c₀/q,
    /// q = −(c₁ ± √(c₁² − c₀c₂)) with the sign of c₁, so that nothing cancels; u = s/(1 + s).
    fn critical_points(&self) -> Vec<S> {
        let [h0, h1, h2, h3] = &self.h;
        let c = [h1.clone() - h0, h2.clone() - h1, h3.clone() - h2];
        let largest = c.iter().map(S::abs).fold(S::zero(), S::larger);
        if largest.is_zero() {
            return Vec::new();
        }
        // Squares neither overflow nor vanish then.
        let [c0, c1, c2] = c.map(|c| c / &largest);
        let discriminant = times(&c1, &c1) - times(&c0, &c2);
        if discriminant.is_negative() {
            return Vec::new();
        }
        let root = discriminant.scale_root();
        let q = if c1.is_negative() { root - &c1 } else { -(root + &c1) };
        let mut points = Vec::with_capacity(2);
        for (numerator, denominator) in [(&q, &c2), (&c0, &q)] {
            let same = sign(numerator) == sign(denominator) && !numerator.is_zero();
            if same {
                points.push(numerator.clone() / (numerator.clone() + denominator));
            }
        }
        if let [first, second] = points.as_mut_slice()
            && *first > *second
        {
            std::mem::swap(first, second);
        }
        points
    }

    /// The root in [low, high] with sign `below` before it and the opposite one after it: Newton's method, and bisection
    /// where a step leaves the bracket or does not halve the one before.
    fn root(&self, mut low: S, mut high: S, below: Ordering) -> S {
        let half = S::one() / S::integer(2);
        let mut u = times(&(low.clone() + &high), &half);
        let mut last = high.clone() - &low;
        for _ in 0..STEPS {
            let (value, slope) = evaluate(&self.h, &u);
            let side = sign(&value);
            if side == Ordering::Equal {
                break;
            }
            *(if side == below { &mut low } else { &mut high }) = u.clone();
            let newton = u.clone() - value / slope;
            let step = (newton.clone() - &u).abs();
            // False where the slope is zero and the step not finite.
            let good = newton > low && newton < high && step.clone() + &step <= last;
            let next = if good { newton } else { times(&(low.clone() + &high), &half) };
            last = (next.clone() - &u).abs();
            let done = last <= times(&u, &S::epsilon());
            u = next;
            if done {
                break;
            }
        }
        u
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cubic with these Bernstein coefficients, all of size one.
    fn cubic(h: [f64; 4]) -> Cubic<f64> {
        Cubic { h, size: [1.0; 4] }
    }

    /// Bernstein coefficients of (u − a)(u − b)(u − c): values of its polar form.
    fn with_roots([a, b, c]: [f64; 3]) -> [f64; 4] {
        let polar = |x: [f64; 3]| {
            let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
            orders.iter().map(|o| (x[o[0]] - a) * (x[o[1]] - b) * (x[o[2]] - c)).sum::<f64>() / 6.0
        };
        [polar([0.0; 3]), polar([0.0, 0.0, 1.0]), polar([0.0, 1.0, 1.0]), polar([1.0; 3])]
    }

    const TOLERANCE: f64 = 64.0 * f64::EPSILON;

    #[test]
    fn roots_are_found_in_order() {
        for roots in [[0.1, 0.5, 0.9], [0.2, 0.21, 0.22], [1e-6, 0.5, 1.0 - 1e-6], [0.3, 2.0, 3.0], [-1.0, 0.4, 0.7]] {
            let found = cubic(with_roots(roots)).crossings(&TOLERANCE);
            let inside: Vec<f64> = roots.into_iter().filter(|r| (0.0..=1.0).contains(r)).collect();
            assert_eq!(found.len(), inside.len(), "{roots:?}: {found:?}");
            for (f, r) in found.iter().zip(&inside) {
                assert!((f - r).abs() <= 1e-11, "{roots:?}: {found:?}");
            }
        }
    }

    #[test]
    fn double_roots_are_none_and_triple_roots_one() {
        assert_eq!(cubic(with_roots([0.3, 0.3, 2.0])).crossings(&TOLERANCE), [0.0; 0]);
        let found = cubic(with_roots([0.3, 0.3, 0.3])).crossings(&TOLERANCE);
        assert!(found.len() == 1 && (found[0] - 0.3).abs() <= 1e-4, "{found:?}");
        assert_eq!(cubic([0.0; 4]).first_sign(), None);
        assert_eq!(cubic([0.0; 4]).crossings(&TOLERANCE), [0.0; 0]);
        assert_eq!(cubic([0.0, 0.0, -1.0, 0.0]).first_sign(), Some(Ordering::Less));
    }

    #[test]
    fn critical_points_of_any_scale() {
        for scale in [1e-170, 1.0, 1e190] {
            let h = with_roots([0.1, 0.5, 0.9]).map(|h| h * scale);
            let found = cubic(h).critical_points();
            // h′ = 3u² − 3u + 0.59
            let half = (9.0f64 - 12.0 * 0.59).sqrt() / 6.0;
            assert!((found[0] - (0.5 - half)).abs() < 1e-14 && (found[1] - (0.5 + half)).abs() < 1e-14, "{found:?}");
        }
    }
}
