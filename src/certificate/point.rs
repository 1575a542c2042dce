//! One point: its scales, and what is left of its optimality conditions.

use super::{Certificate, Certifier};
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, FADED, ROUNDING, Settings};

/// A point of a line with its product Hx and its z, and what its residuals are relative to.
pub(super) struct At<'a, S> {
    of: &'a Certifier<'a, S>,
    t: &'a S,
    x: &'a [S],
    y: &'a S,
    hx: &'a [S],
    /// What the gap has besides: zero, or κ/2 ‖Zᵀx − w‖² where `hx` is κZw.
    apart: S,
    z: Vec<S>,
    scales: Scales<S>,
}

/// See the module's first lines.
struct Scales<S> {
    /// maxᵢ rᵢ.
    x: S,
    /// maxᵢ mᵢrᵢ.
    x_in_metric: S,
    /// Σ √Hᵢᵢrᵢ.
    reach: S,
    /// L.
    fit: S,
    /// Σ √Hᵢᵢ|xᵢ|.
    spread: S,
    /// The means of |zᵢ| and |zᵢ|/√Hᵢᵢ.
    z: S,
    z_in_metric: S,
    /// The largest (|cⱼ| + |Aⱼy|)/√Hⱼⱼ of the variables that x may have been solved from.
    solved_from: S,
    /// The largest |Aₖ|/√Hₖₖ of all.
    through_row: S,
    /// Whether c = 0.
    without_costs: bool,
    /// The least that z is measured by, in units of √Hᵢᵢ and of |Aᵢ|.
    least_fit: S,
    least_y: S,
    /// The least that x is measured by, in units of 1/√Hᵢᵢ, and of 1/|Aᵢ| where Hᵢᵢ = 0.
    least_x: S,
    least_in_row: S,
}

/// What lies between xᵢ and a bound.
struct Side<S> {
    /// The bound.
    value: S,
    /// |v| + |s|t.
    size: S,
    /// Positive inside the box; zero where it is rounding of the bound.
    room: S,
}

/// The sums that the relative gap is made of.
struct Gap<S> {
    /// The gap, term by term in absolute value.
    size: S,
    /// With their signs.
    signed: S,
    /// cᵀx.
    linear: S,
    /// |by| + Σ zᵢ⁺|lᵢ| + zᵢ⁻|uᵢ|.
    losses: S,
    /// 10¹⁰ times the gap that rounding would make.
    rounding: S,
}

/// |v| + |s t|.
fn size_of<S: Scalar>(v: &S, s: &S, t: &S) -> S {
    v.abs() + (s.clone() * t).abs()
}

/// A part of a whole; all of it where the whole is nothing.
fn relative<S: Scalar>(part: S, whole: S) -> S {
    if part.is_zero() {
        part
    } else if whole.is_zero() {
        S::one()
    } else {
        part / whole
    }
}

fn over<S: Scalar>(value: S, below: &S) -> S {
    if below.is_zero() { S::zero() } else { value / below }
}

fn grow<S: Scalar>(largest: &mut S, value: S) {
    if value > *largest {
        *largest = value;
    }
}

impl<'a, S: Scalar> At<'a, S> {
    /// `x` and `hx`, its product with H or what stands for it, have n entries.
    pub(super) fn new(
        of: &'a Certifier<'a, S>,
        t: &'a S,
        (x, y): (&'a [S], &'a S),
        (hx, apart): (&'a [S], S),
    ) -> Self {
        let mut at = At { of, t, x, y, hx, apart, z: Vec::with_capacity(x.len()), scales: Scales::default() };
        at.measure();
        at.finish();
        at
    }

    /// The lower or the upper side of variable i.
    fn side(&self, i: usize, upper: bool) -> Option<Side<S>> {
        let bounds = &self.of.line.bounds;
        let [v, s] = if upper { &bounds.upper[i] } else { &bounds.lower[i] }.as_ref()?;
        let slope = s.clone() * self.t;
        let (value, size) = (v.clone() + &slope, v.abs() + slope.abs());
        let room = if upper { value.clone() - &self.x[i] } else { self.x[i].clone() - &value };
        let rounding = size.clone() * &self.of.rounding.bounds;
        let room = if room.abs() <= rounding { S::zero() } else { room };
        Some(Side { value, size, room })
    }

    /// z, and the largest and the sums of what all variables have.
    fn measure(&mut self) {
        let (of, line, n) = (self.of, self.of.line, self.x.len());
        let mut found: Scales<S> = Scales { without_costs: true, ..Scales::default() };
        for i in 0..n {
            let (root, x, a) = (&of.roots[i], self.x[i].abs(), line.a(i));
            let (c, cost) = (line.c(i, self.t), size_of(&line.c0[i], &line.c1[i], self.t));
            let force = a.clone() * self.y;
            let z = self.hx[i].clone() + &c - &force;
            let terms = cost.clone() + force.abs();
            let (lower, upper) = (self.side(i, false), self.side(i, true));
            let reach = reach(&x, lower.as_ref(), upper.as_ref());
            if is_inside(lower.as_ref(), upper.as_ref()) || z.abs() <= terms.clone() * &of.rounding.solution {
                grow(&mut found.solved_from, over(terms, root));
            }
            found.without_costs &= cost.is_zero();
            grow(&mut found.through_row, over(a.abs(), root));
            grow(&mut found.fit, over(self.hx[i].abs(), root));
            grow(&mut found.x_in_metric, of.lengths[i].clone() * &reach);
            found.spread += root.clone() * x;
            found.reach += root.clone() * &reach;
            grow(&mut found.x, reach);
            found.z += z.abs();
            found.z_in_metric += over(z.abs(), root);
            self.z.push(z);
        }
        let count = S::integer(n.max(1) as i64);
        found.z /= &count;
        found.z_in_metric /= &count;
        self.scales = found;
    }

    /// What scales are at least.
    fn finish(&mut self) {
        let (line, scales) = (self.of.line, &mut self.scales);
        let rounding = self.of.rounding.faded(&self.of.rounding.solution);
        let row = size_of(&line.b0, &line.b1, self.t);
        let fit = S::larger(scales.solved_from.clone(), over(row.clone(), &scales.through_row)) * &rounding;
        scales.least_x = fit.clone();
        scales.least_in_row = row * &rounding;
        let of_bounds = scales.reach.clone() * &rounding;
        scales.least_fit = if scales.without_costs { S::larger(fit, of_bounds) } else { fit };
        scales.least_y = over(scales.least_fit.clone(), &scales.through_row);
    }

    /// The scale of xᵢ; `inside` says whether it lies at no bound.
    fn scale_of_x(&self, i: usize, inside: bool) -> S {
        let (length, root) = (&self.of.lengths[i], &self.of.roots[i]);
        let largest = self.scales.x.clone();
        let largest = match length.is_zero() {
            true => largest,
            false => S::smaller(largest, self.scales.x_in_metric.clone() / length),
        };
        let least = match (inside, root.is_zero()) {
            (false, _) => return largest,
            (true, true) => over(self.scales.least_in_row.clone(), &self.of.line.a(i).abs()),
            (true, false) => self.scales.least_x.clone() / root,
        };
        S::larger(largest, least)
    }

    /// |cᵢ| before its terms cancel, |Aᵢy|, and √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|: 10¹⁰ times the rounding of their sum.
    fn faded_terms(&self, i: usize) -> S {
        let (of, line) = (self.of, self.of.line);
        let cost = size_of(&line.c0[i], &line.c1[i], self.t);
        let terms = cost + (line.a(i) * self.y).abs() + of.roots[i].clone() * &self.scales.spread;
        of.rounding.faded(&(terms * &of.rounding.zero))
    }

    /// sᵢ.
    fn data(&self, i: usize, faded: &S) -> S {
        let (of, line, scales) = (self.of, self.of.line, &self.scales);
        let (root, a) = (&of.roots[i], line.a(i));
        let data = line.c(i, self.t).abs() + (a.clone() * self.y).abs() + root.clone() * &scales.fit;
        let mut least = S::smaller(scales.z.clone(), root.clone() * &scales.z_in_metric);
        if *faded < least {
            least = faded.clone();
        }
        grow(&mut least, root.clone() * &scales.least_fit);
        grow(&mut least, a.abs() * &scales.least_y);
        grow(&mut least, of.rounding.faded(&(size_of(&line.c0[i], &line.c1[i], self.t) * &of.rounding.bounds)));
        S::larger(data, least)
    }

    pub(super) fn certify(&self) -> Certificate<S> {
        let zero = S::zero;
        let half = S::dot(self.x, self.hx) / S::integer(2);
        let mut found = Certificate {
            primal: zero(),
            row: zero(),
            stationarity: zero(),
            complementarity: zero(),
            objective: zero(),
            dual_objective: zero(),
            relative_gap: zero(),
            worst: 0,
            multiplier_range: self.multiplier_range(),
        };
        let (mut gap, mut worst) = (Gap::default(), zero());
        gap.size += &self.apart;
        gap.signed += &self.apart;
        for i in 0..self.x.len() {
            let Some([primal, stationarity, complementarity]) = self.residuals(i, &mut gap) else { continue };
            let largest = S::larger(primal.clone(), stationarity.clone());
            if largest > worst {
                (worst, found.worst) = (largest, i);
            }
            grow(&mut found.primal, primal);
            grow(&mut found.stationarity, stationarity);
            grow(&mut found.complementarity, complementarity);
        }
        if self.of.line.has_row() {
            found.row = self.row(&mut gap);
        }
        found.objective = half.clone() + &gap.linear;
        found.dual_objective = found.objective.clone() - &gap.signed;
        let size = half.abs() + S::larger(gap.linear.abs(), gap.losses);
        found.relative_gap = relative(gap.size, S::larger(size, gap.rounding));
        found
    }

    /// The violation of a bound, stationarity and complementarity of one variable, none where all are zero; what it adds to the gap.
    fn residuals(&self, i: usize, gap: &mut Gap<S>) -> Option<[S; 3]> {
        let (x, z, line) = (&self.x[i], &self.z[i], self.of.line);
        gap.linear += line.c(i, self.t) * x;
        let (lower, upper) = (self.side(i, false), self.side(i, true));
        let inside = is_inside(lower.as_ref(), upper.as_ref());
        let (side, other) = if *z > S::zero() { (&lower, &upper) } else { (&upper, &lower) };
        let outside = |side: &Option<Side<S>>| side.as_ref().map_or_else(S::zero, |side| -side.room.clone());
        if let Some(side) = side {
            gap.losses += z.abs() * side.value.abs();
            if side.room.is_zero() && outside(other) <= S::zero() {
                return None;
            }
        }
        let scale = self.scale_of_x(i, inside);
        let faded = self.faded_terms(i);
        let data = self.data(i, &faded);
        // Where a bound is missing: what z makes of x itself.
        let room = side.as_ref().map_or_else(|| x.abs(), |side| side.room.clone());
        gap.size += z.abs() * room.abs();
        gap.signed += side.as_ref().map_or_else(S::zero, |side| z.abs() * &side.room);
        let far = [side, other].into_iter().flatten().fold(x.abs(), |m, side| S::larger(m, side.size.clone()));
        let of_x = S::smaller(self.of.rounding.faded(&(far * &self.of.rounding.zero)), scale.clone());
        gap.rounding += S::smaller(faded, data.clone()) * room.abs() + z.abs() * of_x;
        let outside = S::larger(S::larger(outside(side), outside(other)), S::zero());
        let primal = relative(outside, scale.clone());
        let force = relative(z.abs(), data);
        Some(match side {
            Some(side) => {
                let inside = relative(S::larger(room, S::zero()), S::larger(scale, side.size.clone()));
                [primal, S::smaller(force.clone(), inside.clone()), force * inside]
            }
            None => [primal, force.clone(), force],
        })
    }

    /// The residual of the row; what it adds to the gap.
    fn row(&self, gap: &mut Gap<S>) -> S {
        let (line, rounding) = (self.of.line, &self.of.rounding);
        let off = S::dot(&line.a, self.x) - line.b(self.t);
        let mut largest = S::zero();
        for (i, a) in line.a.iter().enumerate() {
            let inside = is_inside(self.side(i, false).as_ref(), self.side(i, true).as_ref());
            grow(&mut largest, a.abs() * &self.scale_of_x(i, inside));
        }
        let size = size_of(&line.b0, &line.b1, self.t) + largest;
        gap.size += (self.y.clone() * &off).abs();
        gap.signed += self.y.clone() * &off;
        gap.losses += (self.y.clone() * line.b(self.t)).abs();
        gap.rounding += rounding.faded(&(self.y.abs() * &size * &rounding.zero));
        relative(off.abs(), size)
    }

    /// The ends of y that the signs of z leave, when no variable strictly inside its box has a coefficient in the row.
    fn multiplier_range(&self) -> Option<(Option<S>, Option<S>)> {
        let line = self.of.line;
        if !line.has_row() {
            return None;
        }
        let noise = S::tolerance(Settings::default().audit);
        let (mut lo, mut hi): (Option<S>, Option<S>) = (None, None);
        for i in (0..self.x.len()).filter(|&i| !line.a[i].is_zero()) {
            let (lower, upper) = (self.side(i, false), self.side(i, true));
            let noise = self.scale_of_x(i, is_inside(lower.as_ref(), upper.as_ref())) * &noise;
            let near = |side: Option<Side<S>>| side.is_some_and(|side| side.room.abs() <= noise);
            let (lower, upper) = (near(lower), near(upper));
            let end = (self.hx[i].clone() + line.c(i, self.t)) / &line.a[i];
            match (lower, upper) {
                (false, false) => return None,
                (true, true) => {}
                _ if lower == (line.a[i] > S::zero()) => {
                    hi = Some(hi.map_or(end.clone(), |h| S::smaller(h, end)));
                }
                _ => lo = Some(lo.map_or(end.clone(), |l| S::larger(l, end))),
            }
        }
        Some((lo, hi))
    }
}

/// Whether xᵢ lies at neither bound.
fn is_inside<S: Scalar>(lower: Option<&Side<S>>, upper: Option<&Side<S>>) -> bool {
    [lower, upper].into_iter().flatten().all(|side| !side.room.is_zero())
}

/// rᵢ: the larger of |xᵢ| and the size of the nearer bound, taken before its terms cancel: near a bound that vanishes at t the rounding of its own
/// terms must not count as large.
fn reach<S: Scalar>(x: &S, lower: Option<&Side<S>>, upper: Option<&Side<S>>) -> S {
    let nearer = match (lower, upper) {
        (Some(lower), Some(upper)) => Some(if upper.room.abs() < lower.room.abs() { upper } else { lower }),
        (lower, upper) => lower.or(upper),
    };
    nearer.map_or_else(|| x.clone(), |side| S::larger(x.clone(), side.size.clone()))
}

/// What roundings amount to, relative to the terms that they are roundings of.
pub(super) struct Roundings<S> {
    /// Of what a few operations make, such as a bound or a cost at t.
    bounds: S,
    /// Of what an x of n entries was solved from.
    solution: S,
    /// Up to which a sum of terms that cancel is taken for zero.
    zero: S,
    /// 10¹⁰.
    faded: S,
}

impl<S: Scalar> Roundings<S> {
    pub(super) fn new(n: usize) -> Self {
        Roundings {
            bounds: S::tolerance(CANCELLED),
            solution: S::tolerance(ROUNDING + n as f64),
            zero: S::tolerance(Settings::default().zero),
            faded: S::from_f64(FADED).unwrap_or_else(S::zero),
        }
    }

    /// So many times a rounding.
    fn faded(&self, rounding: &S) -> S {
        rounding.clone() * &self.faded
    }
}

impl<S: Scalar> Default for Scales<S> {
    fn default() -> Self {
        let zero = S::zero;
        Scales {
            x: zero(),
            x_in_metric: zero(),
            reach: zero(),
            fit: zero(),
            spread: zero(),
            z: zero(),
            z_in_metric: zero(),
            solved_from: zero(),
            through_row: zero(),
            without_costs: false,
            least_fit: zero(),
            least_y: zero(),
            least_x: zero(),
            least_in_row: zero(),
        }
    }
}

impl<S: Scalar> Default for Gap<S> {
    fn default() -> Self {
        let zero = S::zero;
        Gap { size: zero(), signed: zero(), linear: zero(), losses: zero(), rounding: zero() }
    }
}
