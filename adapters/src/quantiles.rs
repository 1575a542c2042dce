//! All quantiles of a row: τ ↦ f_τ(x), from one path of kernel quantile regression along τ.
//!
//! With L the indices at their lower bound −(1 − τ)vⱼ, F the free ones and T = Σ vⱼk(xⱼ, x) over all rows,
//!
//! ```text
//! λ f_τ(x) = τ (T − Σ_F vⱼk(xⱼ, x)) − Σ_L vⱼk(xⱼ, x) + Σ_F θ̂ⱼ(τ) k(xⱼ, x) − y(τ)
//! ```
//!
//! is affine in τ on every segment of the path, so that a curve is known from its values at both ends of each segment. It need not increase: estimated
//! quantiles may cross. A decreasing stretch is reported with the τ at which it begins and ends ([`QuantileCurve::crossings`]). The distribution function that
//! belongs to the curve, F(q) = |{τ : f_τ(x) ≤ q}|, always increases, and so does its inverse, the rearranged curve (Chernozhukov, Fernández-Val and Galichon
//! 2010, doi:10.3982/ECTA7880).

use crate::dataset::Features;
use crate::error::AdapterError;
use crate::kqr::Kqr;
use crate::problem::KernelProblem;
use crate::rates::expansion::Sum;
use pathqp::{Path, Status};

/// A fall of at most this, relative to the terms of f, is none.
pub(crate) const NOISE: f64 = 256.0 * f64::EPSILON;

/// Memory for the kernel values of a block of rows: 32 MiB.
const BLOCK_BYTES: usize = 1 << 25;

/// The curve f_τ(x) for one x and all τ of a path, in K pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileCurve {
    /// The ends of the pieces: K + 1 values of τ, increasing.
    pub tau: Vec<f64>,
    /// The values of f at the beginning and the end of each piece, K pairs; f is affine between them.
    pub values: Vec<[f64; 2]>,
    /// Differences of at most this size are rounding.
    pub noise: f64,
}

/// A range of τ in which a quantile curve decreases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The ends of the range; equal at a jump.
    pub tau: [f64; 2],
    /// The decrease of f over the range.
    pub drop: f64,
}

impl QuantileCurve {
    /// The value f_τ(x); at a jump the one for larger τ. `None` outside the path.
    pub fn at(&self, tau: f64) -> Option<f64> {
        let last = self.values.len().checked_sub(1)?;
        let (first, end) = (self.tau.first()?, self.tau.last()?);
        if !(*first..=*end).contains(&tau) {
            return None;
        }
        let k = self.tau.partition_point(|t| *t <= tau).saturating_sub(1).min(last);
        let [from, to] = [*self.tau.get(k)?, *self.tau.get(k + 1)?];
        let [a, b] = *self.values.get(k)?;
        Some(if to > from { a + (b - a) * ((tau - from) / (to - from)) } else { b })
    }

    /// Every range of τ in which f decreases without interruption, by more than rounding.
    pub fn crossings(&self) -> Vec<Crossing> {
        let mut moves: Vec<Crossing> = Vec::new();
        let mut before: Option<f64> = None;
        let mut fall = |tau: [f64; 2], drop: f64| {
            if drop > 0.0 {
                match moves.last_mut() {
                    Some(last) if last.tau[1] == tau[0] => {
                        (last.tau[1], last.drop) = (tau[1], last.drop + drop);
                    }
                    _ => moves.push(Crossing { tau, drop }),
                }
            }
        };
        for (ends, &[a, b]) in self.tau.windows(2).zip(&self.values) {
            fall([ends[0]; 2], before.map_or(0.0, |before| before - a));
            fall([ends[0], ends[1]], a - b);
            before = Some(b);
        }
        moves.retain(|crossing| crossing.drop > self.noise);
        moves
    }

    /// The values of each piece, those of a piece that is flat but for rounding being equal.
    fn pieces(&self) -> impl Iterator<Item = [f64; 2]> {
        let level = |&[a, b]: &[f64; 2]| if (b - a).abs() <= self.noise { [a + (b - a) / 2.0; 2] } else { [a, b] };
        self.values.iter().map(level)
    }

    /// F(q), the measure of {τ : f_τ(x) ≤ q} within the path's range, and of {τ : f_τ(x) < q}, both counted from the range's
    /// beginning.
    fn measure(&self, q: f64) -> [f64; 2] {
        let start = self.tau.first().copied().unwrap_or(f64::NAN);
        let (mut closed, mut open) = (start, start);
        for (ends, [a, b]) in self.tau.windows(2).zip(self.pieces()) {
            let length = ends[1] - ends[0];
            if a == b {
                closed += if a <= q { length } else { 0.0 };
                open += if a < q { length } else { 0.0 };
            } else {
                let part = ((q - a.min(b)) / (b - a).abs()).clamp(0.0, 1.0) * length;
                closed += part;
                open += part;
            }
        }
        [closed, open]
    }

    /// P(Y ≤ q|x) according to the path: the measure of the τ whose quantile is at most q. A path over a part of [0, 1] gives a value between the beginning and
    /// the end of that part.
    pub fn distribution(&self, q: f64) -> f64 {
        self.measure(q)[0]
    }

    /// The rearranged curve at τ: the least q with F(q) ≥ τ, equal to f_τ(x) where f nowhere decreases. `None` outside the path.
    pub fn rearranged(&self, tau: f64) -> Option<f64> {
        self.at(tau)?;
        let mut levels: Vec<f64> = self.pieces().flatten().collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let k = levels.partition_point(|&q| self.measure(q)[0] < tau).min(levels.len().checked_sub(1)?);
        let here = *levels.get(k)?;
        let Some(below) = k.checked_sub(1).and_then(|k| levels.get(k)) else { return Some(here) };
        // Between two levels F is affine; at a level it may jump.
        let ([low, _], [_, high]) = (self.measure(*below), self.measure(here));
        Some(if high > tau && high > low { below + (here - below) * ((tau - low) / (high - low)) } else { here })
    }
}

/// The curves of m rows (m × d as in training) from a path on which τ varies.
///
/// # Errors
/// Rows or a path that do not fit the model; a path on which λ varies.
pub fn quantile_curves(kqr: &Kqr, path: &Path<f64>, rows: &Features) -> Result<Vec<QuantileCurve>, AdapterError> {
    let machine = kqr.machine();
    let (n, d) = (machine.rows(), machine.features().columns());
    if path.n() != n {
        return Err(AdapterError::Shape { what: "variables of the path", expected: n, found: path.n() });
    }
    if rows.columns() != d {
        return Err(AdapterError::Columns { expected: d, found: rows.columns() });
    }
    let (start, end) = (path.parameter(&0.0), path.parameter(path.end()));
    let (&[from, lambda], &[to, other]) = (start.as_slice(), end.as_slice()) else {
        return Err(AdapterError::NoAnswer {
            what: "quantile of every tau on a path of other parameters: follow one along tau",
        });
    };
    if lambda != other || lambda <= 0.0 || path.segments().is_empty() {
        return Err(AdapterError::NoAnswer {
            what: "quantile of every tau because lambda varies along the path: let tau vary",
        });
    }
    let block = (BLOCK_BYTES / (8 * n)).max(1);
    let all: Vec<usize> = (0..rows.rows()).collect();
    let mut curves = Vec::with_capacity(all.len());
    for part in all.chunks(block) {
        curves.extend(block_curves(kqr, path, lambda, &rows.select_rows(part)));
    }
    if from > to {
        for curve in &mut curves {
            curve.tau.reverse();
            curve.values.reverse();
            curve.values.iter_mut().for_each(|ends| ends.reverse());
        }
    }
    Ok(curves)
}

fn block_curves(kqr: &Kqr, path: &Path<f64>, lambda: f64, rows: &Features) -> Vec<QuantileCurve> {
    let machine = kqr.machine();
    let (n, m, v) = (machine.rows(), rows.rows(), machine.weights());
    let offset = machine.bias().kernel_offset();
    let mut unit = vec![0.0; n];
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|j| {
            unit[j] = 1.0;
            let mut column = machine.kernel().expand(rows, machine.features(), &unit);
            unit[j] = 0.0;
            column.iter_mut().for_each(|k| *k += offset);
            column
        })
        .collect();
    let sum = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
        (0..m).map(|i| columns.iter().zip(v).map(|(column, v)| v * of(column[i])).sum()).collect()
    };
    let (total, mass) = (sum(&|k| k), sum(&f64::abs));
    let largest = path.segments().iter().map(|s| s.y.abs()).fold(0.0, f64::max);
    let noise = |mass: f64| NOISE * (mass + largest) / lambda;
    let curve = |mass: &f64| QuantileCurve { tau: Vec::new(), values: Vec::new(), noise: noise(*mass) };
    let mut curves: Vec<QuantileCurve> = mass.iter().map(curve).collect();
    let mut lower = Sum::new(m);
    let mut status = path.status_on(0);
    let add = |lower: &mut Sum, j: usize, sign: f64| {
        columns[j].iter().enumerate().for_each(|(i, k)| lower.add(i, sign * v[j] * k));
    };
    (0..n).filter(|&j| status[j] == Status::Lower).for_each(|j| add(&mut lower, j, 1.0));
    let tau = |t: f64| path.parameter(&t).first().copied().unwrap_or(f64::NAN);
    for (k, segment) in path.segments().iter().enumerate() {
        for &(j, to) in if k > 0 { path.changes_on(k) } else { &[] } {
            let j = j as usize;
            let from = std::mem::replace(&mut status[j], to);
            let change = f64::from(to == Status::Lower) - f64::from(from == Status::Lower);
            if change != 0.0 {
                add(&mut lower, j, change);
            }
        }
        let end = path.segments().get(k + 1).map_or(*path.end(), |next| next.t);
        let ends = [segment.t, end].map(|t| {
            let (tau, y) = (tau(t), segment.y + segment.dy * (t - segment.t));
            let free: Vec<(usize, f64)> =
                path.free_on(k).iter().map(|&j| j as usize).zip(path.free_at(k, &t)).collect();
            let value = |i: usize| {
                let part: f64 = free.iter().map(|&(j, x)| (x - tau * v[j]) * columns[j][i]).sum();
                (tau * total[i] - lower.at(i) + part - y) / lambda
            };
            (tau, (0..m).map(value).collect::<Vec<f64>>())
        });
        for (i, curve) in curves.iter_mut().enumerate() {
            if k == 0 {
                curve.tau.push(ends[0].0);
            }
            curve.tau.push(ends[1].0);
            curve.values.push([ends[0].1[i], ends[1].1[i]]);
        }
    }
    curves
}
