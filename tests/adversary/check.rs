//! The optimality conditions of a point, from the problem's numbers alone and in twice the working precision. Nothing of the engine is used.
//!
//! With z = Hx + c − aᵀy a point is optimal when l ≤ x ≤ u, aᵀx = b, zᵢ ≥ 0 but where xᵢ = uᵢ, and zᵢ ≤ 0 but where xᵢ = lᵢ. Residuals are measured
//! against the data: xᵢ against its own bounds and itself, Xᵢ = max(|lᵢ|, |uᵢ|, |xᵢ|); the row against |b| + Σ|aᵢxᵢ|; zᵢ against |cᵢ| + ‖row i‖‖w‖ + |aᵢy| with
//! ‖row i‖ = √Hᵢᵢ and ‖w‖ = √(xᵀHx), so that a fit in which large terms cancel counts by what is left of it; the gap
//! Σ zᵢ⁺(xᵢ − lᵢ) + zᵢ⁻(uᵢ − xᵢ) + |y(aᵀx − b)| against ½xᵀHx + Σ|cᵢ|Xᵢ.
//!
//! Where a bound of xᵢ is missing the box has no size, and Xᵢ may be nothing but rounding: xᵢ is measured against its bound by what it is known from, below.
//!
//! What rounding alone may do is taken off first, from z, x, their products in the gap and the row alike. With ε times [`ULPS`] for the rounding of one term, and F the
//! variables that lie at no bound somewhere along the law that gave x: x outside F is known to the terms of its bound, x in F to the largest Xⱼ and, where Hᵢᵢ > 0, to
//! (|cᵢ| + |aᵢy|)/Hᵢᵢ; the row to |b| + Σ|aᵢ|Xᵢ and the least |aᵢ|(|cᵢ| + |aᵢy|)/Hᵢᵢ in F; zᵢ to
//!
//! ```text
//! sᵢ + ‖row i‖ maxF (|cⱼ| + |aⱼy|)/‖row j‖ + |aᵢ| maxF (|cⱼ| + sⱼ)/|aⱼ|,      sᵢ = Σ|Hᵢⱼ|Xⱼ + ‖row i‖‖w‖
//! ```
//!
//! as no x in double precision has a smaller zᵢ than the first term says, the free rows determine the fit to the second, and y to the third (where no free row in it has
//! data, to that of the middle one of all). They matter where everything else vanishes; where they hide a gap it is the objective that decides ([`super::optimum`]).
//!
//! And the path of a problem next to the one that was asked is as good: zᵢ may be off by [`AWAY`] of the data of a typical row, in the units of row i,
//! min(mean dⱼ, ‖row i‖ mean dⱼ/‖row j‖) with dⱼ = |cⱼ| + |aⱼy| + ‖row j‖‖w‖. It matters where the data of row i vanish, or are the noise themselves.

use super::problem::{Form, Problem};
use super::twice::Twice;

/// The rounding of a term, in ε.
const ULPS: f64 = 8.0;

/// The path of a problem so far away is as good as that of the problem itself: a part of the data of a typical row.
const AWAY: f64 = 1e-12;

/// Residuals of a point, each relative.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residuals {
    pub bounds: f64,
    pub row: f64,
    pub z: f64,
    pub gap: f64,
    /// How far the objective may be above the least, with nothing taken off.
    pub above: f64,
    /// The size of the objective that the gap is relative to.
    pub size: f64,
    /// What rounding is worth in the objective.
    pub noise: f64,
    /// The variable with the largest residual of z or of its bounds.
    pub worst: usize,
}

impl Residuals {
    pub fn largest(&self) -> f64 {
        let all = [self.bounds, self.row, self.z, self.gap];
        if all.iter().any(|v| v.is_nan()) { f64::INFINITY } else { all.into_iter().fold(0.0, f64::max) }
    }
}

/// A point of a path.
pub struct Place<'a> {
    pub t: f64,
    pub x: &'a [f64],
    pub y: f64,
    /// The largest |x| of the law that gave x, n entries: what its rounding is relative to.
    pub reach: &'a [f64],
    /// Which variables lie at no bound somewhere along that law (n entries): what is known of them is what they were solved from, also where the law meets a bound.
    pub free: &'a [bool],
}

/// A problem with the products that checking needs.
pub struct Judge<'a> {
    problem: &'a Problem,
    form: Form,
    matrix: Vec<Vec<f64>>,
}

/// What the conditions of a point are made of, n entries each.
struct Point {
    z: Vec<f64>,
    /// x − l and u − x.
    rooms: Vec<[Option<f64>; 2]>,
    /// √(xᵀHx).
    length: f64,
    /// |c| and |ay|.
    terms: Vec<f64>,
    pull: Vec<f64>,
    /// What the rounding of x is relative to, and that of z.
    reach: Vec<f64>,
    rounding: Vec<f64>,
    /// What x is known to.
    known: Vec<f64>,
    /// The size of the terms that the row's own x was solved from, the least of all.
    solved: f64,
}

fn terms([v, s]: [f64; 2], t: f64) -> f64 {
    v.abs() + (s * t).abs()
}

fn ratio(value: f64, scale: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value / scale }
}

impl<'a> Judge<'a> {
    pub fn new(problem: &'a Problem, form: Form) -> Self {
        Judge { problem, form, matrix: problem.matrix() }
    }

    /// Hx of the H that the engine was given.
    pub fn product(&self, x: &[f64]) -> Vec<Twice> {
        let z = &self.problem.z;
        if self.form == Form::Dense {
            let x: Vec<Twice> = x.iter().map(|x| Twice::from(*x)).collect();
            return self.matrix.iter().map(|row| Twice::dot(row, &x)).collect();
        }
        let mut w = vec![Twice::default(); z[0].len()];
        for (row, x) in z.iter().zip(x) {
            w.iter_mut().zip(row).for_each(|(w, z)| *w = *w + Twice::from(*z) * Twice::from(*x));
        }
        z.iter().map(|row| Twice::dot(row, &w)).collect()
    }

    /// Whether a bound of xᵢ is missing.
    fn is_open(&self, i: usize) -> bool {
        self.problem.lower[i].is_none() || self.problem.upper[i].is_none()
    }

    /// Whether xᵢ lies at a bound at t.
    pub fn is_held(&self, i: usize, t: f64, x: f64) -> bool {
        self.held(i, t, &self.rooms(i, t, x)).is_some()
    }

    /// x − l and u − x.
    fn rooms(&self, i: usize, t: f64, x: f64) -> [Option<f64>; 2] {
        let (x, at) = (Twice::from(x), |b: Option<[f64; 2]>| b.map(|b| Twice::affine(b, t)));
        let (lower, upper) = (at(self.problem.lower[i]), at(self.problem.upper[i]));
        [lower.map(|l| (x - l).value()), upper.map(|u| (u - x).value())]
    }

    /// Xᵢ at t, bounds counted by their terms.
    fn size(&self, i: usize, t: f64, x: f64) -> f64 {
        let bounds = [self.problem.lower[i], self.problem.upper[i]];
        bounds.into_iter().flatten().fold(x.abs(), |m, b| m.max(terms(b, t)))
    }

    /// ½xᵀHx + cᵀx, and the size ½xᵀHx + Σ|cᵢxᵢ| of its terms.
    pub fn objective(&self, t: f64, x: &[f64]) -> (f64, f64) {
        let hx = self.product(x);
        let (mut value, mut size) = (Twice::default(), 0.0);
        for (i, hx) in hx.into_iter().enumerate() {
            let (x, half) = (Twice::from(x[i]), Twice::from(0.5));
            let linear = Twice::affine(self.problem.c[i], t) * x;
            value = value + half * x * hx + linear;
            size += (half * x * hx).value() + linear.value().abs();
        }
        (value.value(), size)
    }

    pub fn residuals(&self, place: &Place) -> Residuals {
        let finite = place.x.iter().chain([&place.y]).all(|v| v.is_finite());
        if place.x.len() != self.problem.n() || !finite {
            return Residuals { bounds: f64::INFINITY, ..Residuals::default() };
        }
        let point = self.point(place);
        let mut found = Residuals::default();
        let (mut gap, mut largest) = (0.0, 0.0);
        let mut gap_size = point.length * point.length / 2.0;
        for i in 0..place.x.len() {
            let (size, own) = (self.size(i, place.t, place.x[i]), point.terms[i] + point.pull[i]);
            let known = point.known[i];
            let rooms = point.rooms[i].into_iter().flatten();
            let outside = rooms.fold(0.0, |m: f64, room| m.max(-room - known));
            let z = point.z[i];
            let excess = (z.abs() - point.rounding[i]).max(0.0);
            let scale = own + self.matrix[i][i].sqrt() * point.length;
            // How far xᵢ is from the bound that the sign of zᵢ points to.
            let room = point.rooms[i][usize::from(z < 0.0)].map(|room| room.max(0.0));
            let away = room.map_or(f64::INFINITY, |room| ratio((room - known).max(0.0), size));
            let off = ratio(excess, scale).min(away);
            gap += excess * room.map_or(0.0, |room| (room - known).max(0.0));
            found.above += z.abs() * room.unwrap_or(0.0);
            gap_size += point.terms[i] * size;
            found.noise += ULPS * f64::EPSILON * self.noise(i, place, &point);
            let scale_of_x = if self.is_open(i) { size.max(known / (ULPS * f64::EPSILON)) } else { size };
            let outside = ratio(outside, scale_of_x);
            found.bounds = found.bounds.max(outside);
            found.z = found.z.max(off);
            if off.max(outside) > largest {
                (largest, found.worst) = (off.max(outside), i);
            }
        }
        let off = self.row_off(place, &point);
        found.row = off[1];
        found.gap = ratio(gap + off[0] * place.y.abs(), gap_size);
        found.size = gap_size;
        found
    }

    /// What variable i is worth in the objective's rounding, in units of that of a term: x in zᵢ, t (known to the rounding of the line's length) in cᵢ, and the entries
    /// of a dense H.
    fn noise(&self, i: usize, place: &Place, point: &Point) -> f64 {
        let (length, size) = (if self.problem.ray { place.t } else { 1.0 }, self.size(i, place.t, place.x[i]));
        let entries = (0..place.x.len()).map(|j| self.matrix[i][j].abs() * self.size(j, place.t, place.x[j]));
        let entries = if self.form == Form::Dense { entries.sum::<f64>() / 2.0 } else { 0.0 };
        point.reach[i] * (point.z[i].abs() + point.rounding[i] + point.pull[i])
            + size * (self.problem.c[i][1].abs() * length + entries)
    }

    /// |aᵀx − b| beyond rounding, and relative to |b| + Σ|aᵢ|Xᵢ.
    fn row_off(&self, place: &Place, point: &Point) -> [f64; 2] {
        let Some((a, b)) = &self.problem.row else { return [0.0; 2] };
        let pairs = || a.iter().zip(place.x);
        let sum = pairs().fold(-Twice::affine(*b, place.t), |s, (a, x)| s + Twice::from(*a) * Twice::from(*x));
        let known = a.iter().zip(&point.reach).fold(terms(*b, place.t), |s, (a, x)| s + (a * x).abs());
        let sizes = pairs().enumerate().map(|(i, (a, x))| a.abs() * self.size(i, place.t, *x));
        let off = (sum.value().abs() - ULPS * f64::EPSILON * (known + point.solved)).max(0.0);
        [off, ratio(off, terms(*b, place.t) + sizes.sum::<f64>())]
    }

    fn point(&self, place: &Place) -> Point {
        let (problem, t, x, y) = (self.problem, place.t, place.x, place.y);
        let n = x.len();
        let hx = self.product(x);
        let square = (0..n).fold(Twice::default(), |s, i| s + Twice::from(x[i]) * hx[i]).value().max(0.0);
        let z = (0..n).map(|i| hx[i] + Twice::affine(problem.c[i], t) - Twice::from(problem.a(i)) * Twice::from(y));
        let mut point = Point {
            z: z.map(Twice::value).collect(),
            rooms: (0..n).map(|i| self.rooms(i, t, x[i])).collect(),
            length: square.sqrt(),
            terms: problem.c.iter().map(|c| terms(*c, t)).collect(),
            pull: (0..n).map(|i| (problem.a(i) * y).abs()).collect(),
            reach: Vec::new(),
            rounding: Vec::new(),
            known: Vec::new(),
            solved: 0.0,
        };
        let at_bound = |i: usize| self.held(i, t, &point.rooms[i]).filter(|_| !place.free[i]);
        let held: Vec<Option<f64>> = (0..n).map(at_bound).collect();
        point.reach = (0..n).map(|i| held[i].unwrap_or(self.size(i, t, x[i]).max(place.reach[i]))).collect();
        let spread = |i: usize| {
            let terms = self.matrix[i].iter().zip(&point.reach).map(|(h, r)| h.abs() * r);
            terms.sum::<f64>() + self.matrix[i][i].sqrt() * point.length
        };
        let free = || (0..n).filter(|&i| held[i].is_none());
        let force = free().map(|i| ratio(point.terms[i] + point.pull[i], self.matrix[i][i].sqrt()));
        let force = force.filter(|f| f.is_finite()).fold(0.0, f64::max);
        let of_y = |i: usize| ratio(point.terms[i] + spread(i), problem.a(i).abs());
        let in_row = |i: &usize| problem.a(*i) != 0.0;
        let pull = free().filter(in_row).map(of_y).fold(0.0, f64::max);
        // Rows without data tell nothing of y's rounding, and where none is free y is an end of its interval: that of a typical row.
        let mut all: Vec<f64> = (0..n).filter(in_row).map(of_y).filter(|y| *y > 0.0).collect();
        all.sort_by(f64::total_cmp);
        let pull = if pull > 0.0 { pull } else { all.get(all.len() / 2).copied().unwrap_or(0.0) };
        let rounding = |i| spread(i) + self.matrix[i][i].sqrt() * force + problem.a(i).abs() * pull;
        let typical = self.typical(&point);
        let rounding: Vec<f64> = (0..n).map(|i| ULPS * f64::EPSILON * rounding(i) + AWAY * typical(i)).collect();
        let solved = |i: usize| match self.matrix[i][i] > 0.0 {
            true => (point.terms[i] + point.pull[i]) / self.matrix[i][i],
            false => 0.0,
        };
        let most = point.reach.iter().fold(0.0, |m: f64, r| m.max(*r));
        let from = |i: usize| held[i].unwrap_or(most.max(solved(i)));
        point.known = (0..n).map(|i| ULPS * f64::EPSILON * from(i)).collect();
        let without_costs = self.without_costs(&point);
        point.rounding = rounding.into_iter().enumerate().map(|(i, r)| r + without_costs(i)).collect();
        let in_row = free().filter(|&i| problem.a(i) != 0.0 && self.matrix[i][i] > 0.0);
        point.solved = in_row.map(|i| problem.a(i).abs() * solved(i)).reduce(f64::min).unwrap_or(0.0);
        point
    }

    /// Where c = 0 nothing but bounds and b gives x a size, and z = Hx − aᵀy and y have only what x is known to: ‖row i‖s and |aᵢ| maxⱼ ‖row j‖/|aⱼ|·s with s = Σ‖row j‖·(what xⱼ
    /// is known to).
    fn without_costs(&self, point: &Point) -> impl Fn(usize) -> f64 + use<'_> {
        let n = point.terms.len();
        let roots: Vec<f64> = (0..n).map(|i| self.matrix[i][i].sqrt()).collect();
        let costs = point.terms.iter().any(|c| *c != 0.0);
        let known: f64 = if costs { 0.0 } else { roots.iter().zip(&point.known).map(|(root, x)| root * x).sum() };
        let in_row = (0..n).filter(|&i| self.problem.a(i) != 0.0);
        let through_row = in_row.map(|i| roots[i] / self.problem.a(i).abs()).fold(0.0, f64::max);
        move |i| known * (roots[i] + self.problem.a(i).abs() * through_row)
    }

    /// The data dⱼ = |cⱼ| + |aⱼy| + ‖row j‖‖w‖ of a typical row, in the units of row i: min(mean dⱼ, ‖row i‖ mean dⱼ/‖row j‖).
    fn typical(&self, point: &Point) -> impl Fn(usize) -> f64 + use<> {
        let n = point.terms.len();
        let roots: Vec<f64> = (0..n).map(|i| self.matrix[i][i].sqrt()).collect();
        let data = |i: usize| point.terms[i] + point.pull[i] + roots[i] * point.length;
        let mean = (0..n).map(data).sum::<f64>() / n as f64;
        let long: Vec<usize> = (0..n).filter(|&i| roots[i] > 0.0).collect();
        let in_units = long.iter().map(|&i| data(i) / roots[i]).sum::<f64>() / long.len().max(1) as f64;
        move |i| f64::min(mean, roots[i] * in_units)
    }

    /// The terms of the bound that xᵢ lies at.
    fn held(&self, i: usize, t: f64, rooms: &[Option<f64>; 2]) -> Option<f64> {
        let bounds = [self.problem.lower[i], self.problem.upper[i]].into_iter().zip(rooms);
        let at = bounds.filter_map(|(b, room)| b.zip(*room).map(|(b, room)| (terms(b, t), room)));
        at.filter(|(size, room)| *room <= 4.0 * f64::EPSILON * size).map(|(size, _)| size).reduce(f64::max)
    }

    /// How far b(t) lies outside what aᵀx can be within the bounds, and the slope of that, for the side that is worse; none without a
    /// row, or where bounds are missing on both sides. Relative to the terms.
    pub fn beyond(&self, t: f64) -> Option<(f64, f64)> {
        let (a, b) = self.problem.row.as_ref()?;
        let side = |sign: f64| {
            let (mut off, mut rate) = (Twice::affine(*b, t) * Twice::from(sign), Twice::from(sign * b[1]));
            let mut size = terms(*b, t);
            for (i, a) in a.iter().enumerate().filter(|(_, a)| **a != 0.0) {
                let bound = if a * sign > 0.0 { self.problem.upper[i] } else { self.problem.lower[i] }?;
                off = off - Twice::from(a * sign) * Twice::affine(bound, t);
                rate = rate - Twice::from(a * sign) * Twice::from(bound[1]);
                size += a.abs() * terms(bound, t);
            }
            Some((ratio(off.value(), size), rate.value()))
        };
        [side(1.0), side(-1.0)].into_iter().flatten().max_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)))
    }

    /// Whether some d ≠ 0 on the variables without any bound has Hd = 0 and aᵀd = 0: x is then not unique, and has no extreme solution.
    pub fn has_free_direction(&self) -> bool {
        let problem = self.problem;
        let free = (0..problem.n()).filter(|&i| problem.lower[i].is_none() && problem.upper[i].is_none());
        let twice = |i: usize| problem.z[i].iter().chain([&problem.a(i)]).map(|v| Twice::from(*v)).collect::<Vec<_>>();
        let mut rows: Vec<Vec<Twice>> = free.map(twice).collect();
        // Elimination: a row that is used up depends on those before it.
        while let Some(pivot) = rows.pop() {
            let size = |v: &Twice| v.value().abs();
            let largest = (0..pivot.len()).max_by(|&a, &b| size(&pivot[a]).total_cmp(&size(&pivot[b])));
            let Some(k) = largest.filter(|&k| size(&pivot[k]) > 1e-20) else { return true };
            for row in &mut rows {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(v, p)| *v = *v - factor * *p);
            }
        }
        false
    }
}
