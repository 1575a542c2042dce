//! One point: its scales, and what is left of its optimality conditions.

use super::{Certificate, Certifier, Fit};
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, ROUNDING, Settings};

/// A scale is at least this many times the rounding of what it measures: rounding then counts as 10⁻¹⁰.
pub(super) const FADED: f64 = 1e10;

/// A point of a line with its product Hx and its z, and what its residuals are relative to.
pub(super) struct At<'a, S> {
    of: &'a Certifier<'a, S>,
    t: &'a S,
    x: &'a [S],
    sides: &'a [[Option<Side<S>>; 2]],
    y: &'a S,
    hx: &'a [S],
    /// The fit w where `hx` is κZw.
    fit: Option<&'a Fit<S>>,
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
    /// Σ √Hᵢᵢ|xᵢ|, or √κ‖w‖ where the fit is known.
    spread: S,
    /// The means of |cᵢ| + |Aᵢy| and √Hᵢᵢ, …
    data: [S; 2],
    /// … and of the two over mᵢ.
    data_in_metric: [S; 2],
    /// The largest (|cⱼ| + |Aⱼy|)/√Hⱼⱼ of the variables that x may have been solved from.
    solved_from: S,
    /// Whether c = 0.
    without_costs: bool,
    /// The least that z is measured by, in units of √Hᵢᵢ and of |Aᵢ|.
    least_fit: S,
    least_y: S,
    /// What an x without bounds is solved from, in units of 1/√Hᵢᵢ, and of 1/|Aᵢ| where Hᵢᵢ = 0.
    least_x: S,
    least_in_row: S,
}

/// What lies between xᵢ and a bound.
struct Side<S> {
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

/// The lower or upper bound that x has such a room to.
fn bound_beside<S: Scalar>(x: &S, side: &Side<S>, lower: bool) -> S {
    if lower { x.clone() - &side.room } else { x.clone() + &side.room }
}

fn over<S: Scalar>(value: S, below: &S) -> S {
    if below.is_zero() { S::zero() } else { value / below }
}

fn grow<S: Scalar>(largest: &mut S, value: S) {
    if value > *largest {
        *largest = value;
    }
}

/// A position t, x there, and the two sides of every variable.
pub(super) struct Seen<'a, S> {
    t: &'a S,
    x: &'a [S],
    sides: Vec<[Option<Side<S>>; 2]>,
    /// rᵢ.
    reaches: Vec<S>,
    /// Σ √Hᵢᵢrᵢ.
    pub(super) reach: S,
}

impl<S: Scalar> Certifier<'_, S> {
    /// One bound v + st, seen from x.
    fn side(&self, [v, s]: &[S; 2], upper: bool, (t, x): (&S, &S)) -> Side<S> {
        let slope = s.clone() * t;
        let (value, size) = (v.clone() + &slope, v.abs() + slope.abs());
        let room = if upper { value.clone() - x } else { x.clone() - &value };
        let rounding = size.clone() * &self.rounding.bounds;
        let room = if room.abs() <= rounding { S::zero() } else { room };
        Side { size, room }
    }

    /// What lies around x at t.
    pub(super) fn see<'a>(&self, t: &'a S, x: &'a [S]) -> Seen<'a, S> {
        let bounds = &self.line.bounds;
        let mut seen =
            Seen { t, x, sides: Vec::with_capacity(x.len()), reaches: Vec::with_capacity(x.len()), reach: S::zero() };
        for (i, x) in x.iter().enumerate() {
            let lower = bounds.lower[i].as_ref().map(|bound| self.side(bound, false, (t, x)));
            let upper = bounds.upper[i].as_ref().map(|bound| self.side(bound, true, (t, x)));
            let reach = reach(x.abs(), lower.as_ref(), upper.as_ref());
            seen.reach += self.roots[i].clone() * &reach;
            seen.reaches.push(reach);
            seen.sides.push([lower, upper]);
        }
        seen
    }
}

impl<'a, S: Scalar> At<'a, S> {
    /// `hx`, the product of x with H or what stands for it, has n entries.
    pub(super) fn new(
        of: &'a Certifier<'a, S>,
        seen: &'a Seen<'a, S>,
        y: &'a S,
        (hx, fit): (&'a [S], Option<&'a Fit<S>>),
    ) -> Self {
        let (t, x) = (seen.t, seen.x);
        let mut at =
            At { of, t, x, sides: &seen.sides, y, hx, fit, z: Vec::with_capacity(x.len()), scales: Scales::default() };
        at.measure(seen);
        at.finish();
        at
    }

    /// z, and the largest and the sums of what all variables have.
    fn measure(&mut self, seen: &Seen<'_, S>) {
        let (of, line, n) = (self.of, self.of.line, self.x.len());
        let mut found: Scales<S> = Scales { without_costs: true, reach: seen.reach.clone(), ..Scales::default() };
        for i in 0..n {
            let (root, reach) = (&of.roots[i], &seen.reaches[i]);
            let (c, cost) = (line.c(i, self.t), size_of(&line.c0[i], &line.c1[i], self.t));
            let force = line.a(i) * self.y;
            let z = self.hx[i].clone() + &c - &force;
            let terms = cost.clone() + force.abs();
            if is_inside(&seen.sides[i]) || z.abs() <= terms.clone() * &of.rounding.solution {
                grow(&mut found.solved_from, terms * &of.over_roots[i]);
            }
            found.without_costs &= cost.is_zero();
            grow(&mut found.fit, self.hx[i].abs() * &of.over_roots[i]);
            grow(&mut found.x_in_metric, of.lengths[i].clone() * reach);
            found.spread += root.clone() * self.x[i].abs();
            if *reach > found.x {
                found.x = reach.clone();
            }
            let data = c.abs() + force.abs();
            found.data_in_metric[0] += data.clone() * &of.over_lengths[i];
            found.data_in_metric[1] += root.clone() * &of.over_lengths[i];
            found.data[0] += data;
            found.data[1] += root;
            self.z.push(z);
        }
        let count = S::integer(n.max(1) as i64);
        if let Some(fit) = self.fit {
            found.spread = fit.size.clone();
        }
        found.data.iter_mut().chain(&mut found.data_in_metric).for_each(|sum| *sum /= &count);
        self.scales = found;
    }

    /// What scales are at least.
    fn finish(&mut self) {
        let (line, scales) = (self.of.line, &mut self.scales);
        let rounding = self.of.rounding.faded(&self.of.rounding.solution);
        let row = size_of(&line.b0, &line.b1, self.t);
        scales.least_x = S::larger(scales.solved_from.clone(), over(row.clone(), &self.of.through_row));
        scales.least_in_row = S::larger(row, scales.least_x.clone() * &self.of.through_row);
        let fit = scales.least_x.clone() * &rounding;
        let of_bounds = scales.reach.clone() * &rounding;
        scales.least_fit = if scales.without_costs { S::larger(fit, of_bounds) } else { fit };
        scales.least_y = over(scales.least_fit.clone(), &self.of.through_row);
    }

    /// The scale of xᵢ between its sides: at least 10¹⁰ times such a rounding of what it is solved from, which leaves open no more than the box.
    fn scale_of_x(&self, i: usize, rounding: &S) -> S {
        let (of, scales) = (self.of, &self.scales);
        let largest = match of.lengths[i].is_zero() {
            true => scales.x.clone(),
            false => S::smaller(scales.x.clone(), scales.x_in_metric.clone() * &of.over_lengths[i]),
        };
        if !is_inside(&self.sides[i]) {
            return largest;
        }
        let least = match of.roots[i].is_zero() {
            true => over(scales.least_in_row.clone(), &of.line.a(i).abs()),
            false => scales.least_x.clone() * &of.over_roots[i],
        };
        let least = least * of.rounding.faded(rounding);
        let least = match &self.sides[i] {
            [Some(lower), Some(upper)] => S::smaller(least, S::larger(lower.size.clone(), upper.size.clone())),
            _ => least,
        };
        S::larger(largest, least)
    }

    /// |cᵢ| before its terms cancel, |Aᵢy|, √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|, and the data of a typical row: 10¹⁰ times the rounding of their sum.
    fn faded_terms(&self, i: usize) -> S {
        let (of, line) = (self.of, self.of.line);
        let cost = size_of(&line.c0[i], &line.c1[i], self.t);
        let terms = cost + (line.a(i) * self.y).abs() + of.roots[i].clone() * &self.scales.spread + self.typical(i);
        let faded = of.rounding.faded(&(terms * &of.rounding.zero));
        let least = S::larger(of.roots[i].clone() * &self.scales.least_fit, line.a(i).abs() * &self.scales.least_y);
        S::larger(faded, least)
    }

    /// The data of a typical row, in the units of row i.
    fn typical(&self, i: usize) -> S {
        let (scales, length) = (&self.scales, &self.of.lengths[i]);
        let mean = |[data, root]: &[S; 2]| data.clone() + root.clone() * &scales.fit;
        match length.is_zero() {
            true => mean(&scales.data),
            false => S::smaller(mean(&scales.data), mean(&scales.data_in_metric) * length),
        }
    }

    /// sᵢ: the data of row i and those of a typical row.
    fn data(&self, i: usize) -> S {
        let (of, line, scales) = (self.of, self.of.line, &self.scales);
        let (root, a) = (&of.roots[i], line.a(i));
        let own = line.c(i, self.t).abs() + (a.clone() * self.y).abs() + root.clone() * &scales.fit;
        let mut least = root.clone() * &scales.least_fit;
        grow(&mut least, a.abs() * &scales.least_y);
        grow(&mut least, of.rounding.faded(&(size_of(&line.c0[i], &line.c1[i], self.t) * &of.rounding.bounds)));
        let data = S::larger(own + self.typical(i), least);
        S::larger(data.clone(), self.least_of_entries(i, &data))
    }

    /// 10¹⁰ times the rounding of Σ|Hᵢⱼxⱼ| ≤ √Hᵢᵢ Σ√Hⱼⱼ|xⱼ|, where H is given by its entries; zero where that is less than `enough`.
    fn least_of_entries(&self, i: usize, enough: &S) -> S {
        let (of, h) = (self.of, self.of.line.hessian.as_ref());
        let least = |terms: S| of.rounding.faded(&(terms * &of.rounding.bounds));
        if !h.is_given_by_entries() || least(of.roots[i].clone() * &self.scales.spread) <= *enough {
            return S::zero();
        }
        let mut terms = S::zero();
        h.with_row(i, &mut |row| {
            terms = row.iter().zip(self.x).fold(S::zero(), |sum, (h, x)| sum + (h.clone() * x).abs());
        });
        least(terms)
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
        if let Some(fit) = self.fit {
            gap.size += &fit.apart;
            gap.signed += &fit.apart;
            if self.scales.without_costs {
                gap.rounding += self.of.rounding.faded(&fit.apart);
            }
        }
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
        let [lower, upper] = &self.sides[i];
        let (side, other) = if *z > S::zero() { (lower, upper) } else { (upper, lower) };
        let outside = |side: &Option<Side<S>>| side.as_ref().map_or_else(S::zero, |side| -side.room.clone());
        if let Some(side) = side {
            gap.losses += z.abs() * bound_beside(x, side, *z > S::zero()).abs();
            if side.room.is_zero() && outside(other) <= S::zero() {
                return None;
            }
        }
        let scale = self.scale_of_x(i, &self.of.rounding.zero);
        let faded = self.faded_terms(i);
        let data = self.data(i);
        // Where a bound is missing: what z makes of x itself.
        let room = side.as_ref().map_or_else(|| x.abs(), |side| side.room.clone());
        gap.size += z.abs() * room.abs();
        gap.signed += side.as_ref().map_or_else(S::zero, |side| z.abs() * &side.room);
        let far = [side, other].into_iter().flatten().fold(x.abs(), |m, side| S::larger(m, side.size.clone()));
        let of_x = S::smaller(self.of.rounding.faded(&(far * &self.of.rounding.solution)), scale.clone());
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
            grow(&mut largest, a.abs() * &self.scale_of_x(i, &rounding.solution));
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
            let noise = self.scale_of_x(i, &self.of.rounding.solution) * &noise;
            let near = |side: &Option<Side<S>>| side.as_ref().is_some_and(|side| side.room.abs() <= noise);
            let [lower, upper] = self.sides[i].each_ref().map(near);
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
fn is_inside<S: Scalar>(sides: &[Option<Side<S>>; 2]) -> bool {
    sides.iter().flatten().all(|side| !side.room.is_zero())
}

/// rᵢ: the larger of |xᵢ| and the size of the nearer bound, taken before its terms cancel: near a bound that vanishes at t the rounding of its own
/// terms must not count as large.
fn reach<S: Scalar>(x: S, lower: Option<&Side<S>>, upper: Option<&Side<S>>) -> S {
    let nearer = match (lower, upper) {
        (Some(lower), Some(upper)) => {
            let (to_lower, to_upper) = (lower.room.abs(), upper.room.abs());
            let upper_counts = if to_lower == to_upper { upper.size > lower.size } else { to_upper < to_lower };
            Some(if upper_counts { upper } else { lower })
        }
        (lower, upper) => lower.or(upper),
    };
    match nearer {
        Some(side) if side.size > x => side.size.clone(),
        _ => x,
    }
}

/// What roundings amount to, relative to the terms that they are roundings of.
pub(super) struct Roundings<S> {
    /// Of what a few operations make, such as a bound or a cost at t.
    bounds: S,
    /// Of what an x of n entries was solved from.
    pub(super) solution: S,
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
            data: [zero(), zero()],
            data_in_metric: [zero(), zero()],
            solved_from: zero(),
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
