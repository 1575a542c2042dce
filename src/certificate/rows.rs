//! The certificate of a point of a problem with rows, bl ≤ Ax ≤ bu.
//!
//! A row is measured like a variable: its value (Ax)ᵣ lies between its bounds as xᵢ does, and its multiplier yᵣ has the signs of z (positive only at bl,
//! negative only at bu). With
//!
//! ```text
//! z = Hx + c − Aᵀy,     dᵢ = |cᵢ| + Σᵣ|Aᵣᵢyᵣ| + √Hᵢᵢ L,     L = maxⱼ |Hⱼx|/√Hⱼⱼ
//! ```
//!
//! as in the documentation of [`super`], the scales are these:
//!
//! - of zᵢ: dᵢ plus the mean of all dⱼ;
//! - of yᵣ: |yᵣ| + mean dⱼ/max |Aᵣⱼ|;
//! - of every xᵢ: the largest |xⱼ|, or size of the bound nearer to it, of all variables;
//! - of (Ax)ᵣ: the larger of its own size and that of its nearer bound, plus max |Aᵣⱼ| times the scale of x, or times the least scale that x may have if that
//!   is more.
//!
//! A bound that is not zero, but at most 64ε times the largest bound (or 64ε if all bounds are below one), is what rounding has left of zero: its size is taken
//! as 10¹⁰ times that rounding, and so is the scale of the x in its row, over max |Aᵣⱼ|. The violation of a row is the distance of its value from [bl, bu].
//!
//! Rows determine an x from the others in them, so that it is known to rounding of the largest of these: dᵢ is at least 10¹⁰(64 + n)ε √Hᵢᵢ maxⱼ √Hⱼⱼ max(|xⱼ|,
//! maxₖ|Aᵣₖxₖ|/maxₖ|Aᵣₖ|) over the j at no bound and the rows r with Aᵣⱼ ≠ 0. Where c = 0 only bounds give x a size, and L may be what rounding leaves: there
//! dᵢ is at least 10¹⁰(64 + n)ε √Hᵢᵢ Σ√Hⱼⱼrⱼ, with rⱼ the larger of |xⱼ| and its nearer bound. The gap is
//!
//! ```text
//! Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ)  +  Σ yᵣ⁺(Aᵣx − blᵣ) + yᵣ⁻(buᵣ − Aᵣx)
//! ```
//!
//! relative to ½xᵀHx + max(|cᵀx|, Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ| + yᵣ⁺|blᵣ| + yᵣ⁻|buᵣ|), and to at least 10¹⁰ times what rounding may contribute to it, as there; the
//! rounding of a row's value is max |Aᵣⱼ| times that of x.

use super::point::FADED;
use super::{Certificate, Certifier};
use crate::hessian::multiply;
use crate::problem::LineRows;
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, ROUNDING, Settings};

/// What lies between a bound v + st and zero: its value, and |v| + |s|t.
type Bound<S> = Option<(S, S)>;

/// A variable or a row: its value and multiplier, the sizes that these are relative to, and its bounds.
struct Item<S> {
    value: S,
    force: S,
    value_scale: S,
    force_scale: S,
    /// 10¹⁰ times what rounding of the x of its terms makes of the value, but for that of itself and its bounds.
    value_rounding: S,
    /// The terms of the force, of which rounding is a part.
    force_terms: S,
    /// 10¹⁰ times what rounding of x makes of the force.
    force_rounding: S,
    lower: Bound<S>,
    upper: Bound<S>,
}

/// What the sums over all items are.
struct Sums<S> {
    gap: S,
    signed: S,
    losses: S,
    rounding: S,
}

fn relative<S: Scalar>(part: S, whole: &S) -> S {
    if part.is_zero() {
        part
    } else if whole.is_zero() {
        S::one()
    } else {
        part / whole
    }
}

/// Whether a bound v + st is not zero, but value and slope are no more than rounding of the unit.
fn is_rounding<S: Scalar>([v, s]: &[S; 2], rounding: &S) -> bool {
    let largest = S::larger(v.abs(), s.abs());
    !largest.is_zero() && largest <= *rounding
}

/// Such a bound has 10¹⁰ times that rounding in the place of a size.
fn bound<S: Scalar>(bound: &Option<[S; 2]>, t: &S, rounding: &S) -> Bound<S> {
    bound.as_ref().map(|b| {
        let size = b[0].abs() + (b[1].clone() * t).abs();
        (S::affine(b, t), if is_rounding(b, rounding) { faded(rounding.clone()) } else { size })
    })
}

/// The size of the value or of the nearer bound.
fn reach<S: Scalar>(value: &S, lower: &Bound<S>, upper: &Bound<S>) -> S {
    let nearer = match (lower, upper) {
        (Some(l), Some(u)) if (value.clone() - &l.0).abs() <= (value.clone() - &u.0).abs() => Some(l),
        (Some(_), Some(u)) => Some(u),
        (l, u) => l.as_ref().or(u.as_ref()),
    };
    nearer.map_or_else(|| value.abs(), |b| S::larger(value.abs(), b.1.clone()))
}

/// Aᵀy and the sizes of its terms, n entries; the largest entries of the rows and Ax in two numbers, m entries.
struct Products<S> {
    pulls: Vec<S>,
    terms: Vec<S>,
    widest: Vec<S>,
    /// The largest |Aᵣⱼxⱼ| of every row.
    largest: Vec<S>,
    values: Vec<(S, S)>,
}

impl<S: Scalar> Products<S> {
    fn of(rows: &LineRows<S>, x: &[S], y: &[S]) -> Self {
        let (mut pulls, mut terms) = (vec![S::zero(); x.len()], vec![S::zero(); x.len()]);
        let (mut widest, mut largest) = (vec![S::zero(); y.len()], vec![S::zero(); y.len()]);
        let mut values = vec![(S::zero(), S::zero()); y.len()];
        for i in 0..x.len() {
            rows.matrix.for_column(i, |r, a| {
                let term = a.clone() * &y[r];
                terms[i] += term.abs();
                pulls[i] += term;
                widest[r] = S::larger(widest[r].clone(), a.abs());
                largest[r] = S::larger(largest[r].clone(), (a.clone() * &x[i]).abs());
                let (high, low) = &mut values[r];
                S::accumulate(high, low, a, &x[i]);
            });
        }
        Products { pulls, terms, widest, largest, values }
    }

    /// What rounding of xᵢ is a part of: |xᵢ|, and the largest term of every row with an entry there, over the largest entry.
    fn shared(&self, rows: &LineRows<S>, i: usize, x: &S) -> S {
        let mut most = x.abs();
        rows.matrix.for_column(i, |r, a| {
            if !a.is_zero() {
                most = S::larger(most.clone(), self.largest[r].clone() / &self.widest[r]);
            }
        });
        most
    }
}

/// An x that solves a row whose bound is rounding is known to that: 10¹⁰ times as much, zero where there is no such row.
fn of_rounding<S: Scalar>(rows: &LineRows<S>, widest: &[S], rounding: &S) -> S {
    let is_one = |r: usize| {
        let bounds = [&rows.bounds.lower[r], &rows.bounds.upper[r]];
        bounds.into_iter().flatten().any(|b| is_rounding(b, rounding))
    };
    let those = (0..widest.len()).filter(|&r| !widest[r].is_zero() && is_one(r));
    those.fold(S::zero(), |m, r| S::larger(m, faded(rounding.clone()) / &widest[r]))
}

impl<S: Scalar> Certifier<'_, S> {
    /// The certificate of (x, y) at t: n and m entries.
    pub(super) fn with_rows(&self, rows: &LineRows<S>, t: &S, x: &[S], y: &[S]) -> Certificate<S> {
        let (line, hx) = (self.line, multiply(self.line.hessian.as_ref(), x));
        let fit = (0..x.len()).fold(S::zero(), |m, i| S::larger(m, hx[i].abs() * &self.over_roots[i]));
        let spread = self.roots.iter().zip(x).fold(S::zero(), |s, (root, x)| s + root.clone() * x.abs());
        let products = Products::of(rows, x, y);
        let of_x = self.reach_in_rows(rows, (t, x), &products);
        let Products { pulls, terms, widest, values, .. } = products;
        let c: Vec<S> = (0..x.len()).map(|i| line.c(i, t)).collect();
        let known_to = if c.iter().all(S::is_zero) { S::larger(self.reach_of_bounds(t, x), of_x) } else { of_x };
        let least_fit = faded(known_to * S::tolerance(ROUNDING + x.len() as f64));
        let data = |i: usize| {
            let root = &self.roots[i];
            S::larger(c[i].abs() + &terms[i] + root.clone() * &fit, root.clone() * &least_fit)
        };
        let mean = (0..x.len()).fold(S::zero(), |s, i| s + data(i)) / S::integer(x.len().max(1) as i64);
        let mut items: Vec<Item<S>> = Vec::with_capacity(x.len() + y.len());
        let rounding = line.unit_of_bounds() * S::tolerance(ROUNDING);
        let side = |b: &Option<[S; 2]>| bound(b, t, &rounding);
        let (mut largest, mut known) = (S::zero(), S::zero());
        let of_rounding = of_rounding(rows, &widest, &rounding);
        for i in 0..x.len() {
            let (lower, upper) = (side(&line.bounds.lower[i]), side(&line.bounds.upper[i]));
            largest = S::larger(largest, reach(&x[i], &lower, &upper));
            known = S::larger(known, least(&x[i], &lower, &upper, x.len()).1);
            let costs = terms[i].clone() + line.c0[i].abs() + (line.c1[i].clone() * t).abs();
            items.push(Item {
                value: x[i].clone(),
                force: hx[i].clone() + &c[i] - &pulls[i],
                value_scale: S::zero(),
                value_rounding: of_rounding.clone(),
                force_scale: data(i) + &mean,
                force_terms: costs + self.roots[i].clone() * &spread + &mean,
                force_rounding: self.roots[i].clone() * &least_fit,
                lower,
                upper,
            });
        }
        let largest = S::larger(largest, of_rounding);
        items.iter_mut().for_each(|item| item.value_scale = largest.clone());
        let (rounded, known) = (known.clone(), S::larger(known, largest));
        for (r, y) in y.iter().enumerate() {
            let (lower, upper) = (side(&rows.bounds.lower[r]), side(&rows.bounds.upper[r]));
            let value = values[r].0.clone() + &values[r].1;
            let typical = if widest[r].is_zero() { S::zero() } else { mean.clone() / &widest[r] };
            let force_scale = y.abs() + typical;
            items.push(Item {
                value_scale: reach(&value, &lower, &upper) + widest[r].clone() * &known,
                value_rounding: widest[r].clone() * &rounded,
                value,
                force: y.clone(),
                force_terms: force_scale.clone(),
                force_rounding: S::zero(),
                force_scale,
                lower,
                upper,
            });
        }
        self.judge(items, x.len(), (S::dot(x, &hx) / S::integer(2), S::dot(x, &c)))
    }

    /// Σ√Hᵢᵢrᵢ.
    fn reach_of_bounds(&self, t: &S, x: &[S]) -> S {
        let side = |b: &Option<[S; 2]>| bound(b, t, &S::zero());
        let bounds = &self.line.bounds;
        let of = |i: usize| reach(&x[i], &side(&bounds.lower[i]), &side(&bounds.upper[i])) * &self.roots[i];
        (0..x.len()).fold(S::zero(), |sum, i| sum + of(i))
    }

    /// The largest √Hᵢᵢ times what rounding of xᵢ is a part of, over the i at no bound.
    fn reach_in_rows(&self, rows: &LineRows<S>, (t, x): (&S, &[S]), products: &Products<S>) -> S {
        let bounds = &self.line.bounds;
        let is_held =
            |i: usize| [&bounds.lower[i], &bounds.upper[i]].into_iter().flatten().any(|b| S::affine(b, t) == x[i]);
        let inside = (0..x.len()).filter(|&i| !self.roots[i].is_zero() && !is_held(i));
        inside.fold(S::zero(), |m, i| S::larger(m, self.roots[i].clone() * products.shared(rows, i, &x[i])))
    }

    fn judge(&self, items: Vec<Item<S>>, n: usize, (half, linear): (S, S)) -> Certificate<S> {
        let zero = S::zero;
        let mut found = Certificate {
            primal: zero(),
            row: zero(),
            stationarity: zero(),
            complementarity: zero(),
            objective: half.clone() + &linear,
            dual_objective: zero(),
            relative_gap: zero(),
            worst: 0,
            multiplier_range: None,
        };
        let mut sums = Sums { gap: zero(), signed: zero(), losses: zero(), rounding: zero() };
        let mut worst = zero();
        for (i, item) in items.iter().enumerate() {
            let [outside, force, complementarity] = residuals(item, n, &mut sums);
            let largest = S::larger(outside.clone(), force.clone());
            if i < n && largest > worst {
                (worst, found.worst) = (largest, i);
            }
            let primal = if i < n { &mut found.primal } else { &mut found.row };
            *primal = S::larger(primal.clone(), outside);
            found.stationarity = S::larger(found.stationarity, force);
            found.complementarity = S::larger(found.complementarity, complementarity);
        }
        found.dual_objective = found.objective.clone() - &sums.signed;
        let size = half.abs() + S::larger(linear.abs(), sums.losses);
        found.relative_gap = relative(sums.gap, &S::larger(size, sums.rounding));
        found
    }
}

/// The largest of the sizes of a value and its bounds, and the least scale of the value: 10¹⁰ times a rounding of that, and no more than it.
fn least<S: Scalar>(value: &S, lower: &Bound<S>, upper: &Bound<S>, n: usize) -> (S, S) {
    let far = [lower, upper].into_iter().flatten().fold(value.abs(), |m, b| S::larger(m, b.1.clone()));
    let least = S::smaller(far.clone(), faded(far.clone() * S::tolerance(ROUNDING + n as f64)));
    (far, least)
}

/// What is large enough for rounding to be small in it.
fn faded<S: Scalar>(rounding: S) -> S {
    S::from_f64(FADED).unwrap_or_else(S::zero) * rounding
}

/// The violation of a bound, stationarity and complementarity of one item; what it adds to the gap.
fn residuals<S: Scalar>(item: &Item<S>, n: usize, sums: &mut Sums<S>) -> [S; 3] {
    let room = |bound: &Bound<S>, upper: bool| {
        bound.as_ref().map(|(value, size)| {
            let room = if upper { value.clone() - &item.value } else { item.value.clone() - value };
            if room.abs() <= size.clone() * S::tolerance(CANCELLED) { S::zero() } else { room }
        })
    };
    let (below, above) = (room(&item.lower, false), room(&item.upper, true));
    let outside = |room: &Option<S>| room.as_ref().map_or_else(S::zero, |room| S::larger(-room.clone(), S::zero()));
    let of_value = S::tolerance(ROUNDING + n as f64);
    let (far, least) = least(&item.value, &item.lower, &item.upper, n);
    let value_scale = S::larger(item.value_scale.clone(), least);
    let violation = relative(S::larger(outside(&below), outside(&above)), &value_scale);
    let positive = item.force > S::zero();
    let side = if positive { &below } else { &above };
    let size = item.force.abs();
    let force = relative(size.clone(), &item.force_scale);
    if size.is_zero() {
        return [violation, S::zero(), S::zero()];
    }
    let bound = if positive { &item.lower } else { &item.upper };
    sums.losses += bound.as_ref().map_or_else(S::zero, |b| b.0.abs() * &size);
    let distance = side.as_ref().map_or_else(|| item.value.abs(), S::abs);
    sums.gap += size.clone() * &distance;
    sums.signed += side.as_ref().map_or_else(S::zero, |room| room.clone() * &size);
    let zero = item.force_terms.clone() * S::tolerance(Settings::default().zero);
    let of_x = S::larger(faded(far * &of_value), item.value_rounding.clone());
    let of_x = S::smaller(of_x, value_scale.clone());
    let of_force = S::larger(faded(zero), item.force_rounding.clone());
    sums.rounding += S::smaller(of_force, item.force_scale.clone()) * &distance + size * of_x;
    match side {
        None => [violation, force.clone(), force],
        Some(room) => {
            let inside = relative(S::larger(room.clone(), S::zero()), &value_scale);
            [violation, S::smaller(force.clone(), inside.clone()), force * inside]
        }
    }
}
