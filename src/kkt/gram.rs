//! H = κZZᵀ: everything through the fit w = Z̃ᵀx in feature space and a QR of Z̃_Fᵀ.
//!
//! Rows are extended by the equality row, z̃ᵢ = (Zᵢ, ρAᵢ), and the fit by w̃ = v + Z̃_Fᵀx_F with v = (Z_Bᵀx_B,
//! ρ(A_Bx_B − b)); its last entry is ρ(Ax − b), zero at a solution. With Z̃_Fᵀ = QR and p = Qᵀw̃:
//!
//! ```text
//! stationarity   κ Z̃_F w̃ + c_F − A_F y = 0     ⇒   p = R⁻ᵀ(−c_F + A_F y)/κ = p₀ + (y/κρ)·e,   e = last row of Q
//! feasibility    last entry of w̃ = 0            ⇒   (P⊥v)_last + e·p = 0, which gives y      (R⁻ᵀρA_F = e since ρA_F = Rᵀe)
//! solution       w̃ = P⊥v + Qp,   x_F = R⁻¹(p − Qᵀv),   qᵢ = κZᵢ·w + cᵢ
//! ```
//!
//! P⊥v is projected twice: where F spans everything it is zero and must come out as such. Where Z_F is nearly dependent
//! x_F is refined: both residuals, v + Z̃_Fᵀx − w̃ and the stationarity, are computed in twice the working precision and
//! solved for by the same equations (Björck 1967, doi:10.1007/BF01939321), which takes κ(Z_F)·ε out of x_F.

use super::qr::{Qr, Split};
use super::{Kkt, Part, Refused, Solution, Sums, bound, penalty, x_scale};
use crate::active_set::Status;
use crate::hessian::Gram;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::Settings;

pub(crate) struct GramKkt<'a> {
    line: &'a Line<f64>,
    gram: &'a Gram<f64>,
    settings: Settings,
    qr: Qr,
    free: Vec<usize>,
    /// v as a function of t.
    bounds_part: Sums<f64>,
    /// ρ.
    rho: f64,
    /// How many of F have a coefficient in the equality row.
    in_row: usize,
    c_moves: bool,
    /// √H̃ᵢᵢ.
    row_scales: Vec<f64>,
    /// The largest bound along the line: the scale of x.
    x_scale: f64,
    t: f64,
    value: Fit,
    rate: Fit,
}

/// A solution of the equations; y is in units of κ.
struct Unknowns {
    w: Vec<f64>,
    x: Vec<f64>,
    y: f64,
    /// ‖Z̃_Fᵀx_F‖.
    free_part: f64,
}

/// w̃ and the length of the parts that make it up.
#[derive(Clone, Debug)]
struct Fit {
    w: Vec<f64>,
    size: f64,
}

impl<'a> GramKkt<'a> {
    /// With every variable at its lower bound (or its upper one where there is no lower).
    pub fn new(line: &'a Line<f64>, gram: &'a Gram<f64>, settings: Settings) -> Self {
        let d = gram.columns();
        let rows = d + usize::from(line.has_row());
        let rho = penalty(line, |i| gram_norm(gram, i)).sqrt();
        let fit = Fit { w: vec![0.0; rows], size: 0.0 };
        let row_scale = |i| (gram.scale() * (gram_norm(gram, i) + (rho * line.a(i)).powi(2))).sqrt();
        let mut bounds_part = Sums::zeros(rows);
        if line.has_row() {
            bounds_part.add(d, &[line.b0, line.b1], &-rho);
        }
        GramKkt {
            line,
            gram,
            settings,
            qr: Qr::new(rows),
            free: Vec::new(),
            bounds_part,
            rho,
            in_row: 0,
            c_moves: line.c1.iter().any(|c| *c != 0.0),
            row_scales: (0..line.n()).map(row_scale).collect(),
            x_scale: x_scale(line),
            t: 0.0,
            value: fit.clone(),
            rate: fit,
        }
    }

    fn extended(&self, i: usize) -> Vec<f64> {
        let mut z = vec![0.0; self.bounds_part.len()];
        self.for_extended(i, |j, v| z[j] += v);
        z
    }

    fn shift(&mut self, i: usize, coefficients: [f64; 2]) {
        if coefficients == [0.0, 0.0] {
            return;
        }
        let sums = &mut self.bounds_part;
        self.gram.for_row(i, |j, v| sums.add(j, &coefficients, v));
        if self.line.has_row() {
            sums.add(self.gram.columns(), &coefficients, &(self.rho * self.line.a[i]));
        }
    }

    fn c(&self, i: usize, part: &Part<f64>) -> f64 {
        match part {
            Part::Value(t) => self.line.c(i, t),
            Part::Rate => self.line.c1[i],
        }
    }

    /// Solves w = v + Z̃_Fᵀx, Z̃_F w = rhs + A_F y, with the last entry of w given where there is a row.
    fn equations(&self, v: Vec<f64>, rhs: Vec<f64>, last_of_w: f64) -> Unknowns {
        let mut p = rhs;
        self.qr.solve_transposed(&mut p);
        let Split { along, outside: mut w, .. } = self.qr.split(v);
        let mut y = 0.0;
        if self.in_row > 0 {
            let last = self.gram.columns();
            let e = self.qr.q_row(last);
            let step = (last_of_w - w[last] - f64::dot(&e, &p)) / f64::dot(&e, &e);
            f64::axpy(&step, &e, &mut p);
            y = step * self.rho;
        }
        self.qr.add(1.0, &p, &mut w);
        let mut x: Vec<f64> = p.iter().zip(&along).map(|(p, h)| p - h).collect();
        let free_part = length(&x);
        self.qr.solve(&mut x);
        Unknowns { w, x, y, free_part }
    }

    /// v + Z̃_Fᵀx − w and −c_F/κ + A_F y − Z̃_F w, in twice the working precision.
    fn residuals(&self, part: &Part<f64>, w: &[f64], x: &[f64], y: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut missing, mut low) = self.bounds_part.all_in_two(part);
        for (missing, w) in missing.iter_mut().zip(w).zip(&mut low).map(|((m, w), l)| ((m, l), w)) {
            f64::accumulate(missing.0, missing.1, w, &-1.0);
        }
        let mut rhs = Vec::with_capacity(x.len());
        for (&i, x) in self.free.iter().zip(x) {
            let (mut high, mut rest) = (-self.c(i, part) / self.gram.scale(), 0.0);
            f64::accumulate(&mut high, &mut rest, &self.line.a(i), &y);
            self.for_extended(i, |j, z| {
                f64::accumulate(&mut missing[j], &mut low[j], x, &z);
                f64::accumulate(&mut high, &mut rest, &-w[j], &z);
            });
            rhs.push(high + rest);
        }
        f64::axpy(&1.0, &low, &mut missing);
        (missing, rhs)
    }

    /// The stored entries of z̃ᵢ.
    fn for_extended(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.gram.for_row(i, |j, z| visit(j, *z));
        if self.line.has_row() {
            visit(self.gram.columns(), self.rho * self.line.a[i]);
        }
    }
}

fn gram_norm(gram: &Gram<f64>, i: usize) -> f64 {
    use crate::hessian::Hessian;
    gram.diagonal(i) / gram.scale()
}

fn length(v: &[f64]) -> f64 {
    f64::dot(v, v).sqrt()
}

impl Kkt<f64> for GramKkt<'_> {
    fn free(&self) -> &[usize] {
        &self.free
    }

    fn place(&mut self, i: usize, at: Status) {
        self.shift(i, bound(self.line, i, at));
    }

    fn release(&mut self, i: usize, from: Status) -> Result<f64, Refused<f64>> {
        let z = self.extended(i);
        let scale = length(&z);
        let split = self.qr.split(z);
        if split.length <= f64::tolerance(self.settings.dependent) * scale {
            let Split { along: mut d, .. } = split;
            self.qr.solve(&mut d);
            d.iter_mut().for_each(|d| *d = -*d);
            d.push(1.0);
            return Err(Refused::Dependent(d));
        }
        let pivot = self.gram.scale() * split.length * split.length;
        self.qr.append(split);
        let [value, slope] = bound(self.line, i, from);
        self.shift(i, [-value, -slope]);
        self.free.push(i);
        self.in_row += usize::from(self.line.a(i) != 0.0);
        Ok(pivot)
    }

    fn bind(&mut self, position: usize, to: Status) {
        self.qr.delete(position);
        let i = self.free.remove(position);
        self.shift(i, bound(self.line, i, to));
        self.in_row -= usize::from(self.line.a(i) != 0.0);
    }

    fn flip(&mut self, i: usize, from: Status) {
        let ([v0, s0], [v1, s1]) = (bound(self.line, i, from), bound(self.line, i, from.opposite()));
        self.shift(i, [v1 - v0, s1 - s0]);
    }

    fn solve(&mut self, part: Part<f64>) -> Solution<f64> {
        let scale = *self.gram.scale();
        let v: Vec<f64> = (0..self.bounds_part.len()).map(|j| self.bounds_part.part(j, &part)).collect();
        let rhs: Vec<f64> = self.free.iter().map(|&i| -self.c(i, &part) / scale).collect();
        let bounds_size = length(&v);
        let Unknowns { mut w, mut x, mut y, free_part } = self.equations(v, rhs, 0.0);
        let fit_size = bounds_size + free_part;
        if fit_size > self.qr.smallest_pivot() * self.settings.refine * self.x_scale {
            let (missing, rhs) = self.residuals(&part, &w, &x, y);
            let last = if self.line.has_row() { -w[self.gram.columns()] } else { 0.0 };
            let correction = self.equations(missing, rhs, last);
            f64::axpy(&1.0, &correction.w, &mut w);
            f64::axpy(&1.0, &correction.x, &mut x);
            y += correction.y;
        }
        let fit = Fit { w, size: fit_size };
        match part {
            Part::Value(t) => (self.t, self.value) = (t, fit),
            Part::Rate => self.rate = fit,
        }
        Solution { x, y: (self.in_row > 0).then_some(y * scale) }
    }

    fn row_gap(&self) -> (f64, f64) {
        let last = self.gram.columns();
        (-self.bounds_part.at(last, &0.0) / self.rho, -self.bounds_part.slope(last) / self.rho)
    }

    fn price_all(&mut self, q: &mut [f64], dq: &mut [f64]) {
        let (scale, d) = (*self.gram.scale(), self.gram.columns());
        let w: Vec<f64> = self.value.w[..d].iter().map(|w| w * scale).collect();
        let dw: Vec<f64> = self.rate.w[..d].iter().map(|w| w * scale).collect();
        self.gram.dot_all(&w, &dw, q, dq);
        for i in 0..q.len() {
            q[i] += self.line.c(i, &self.t);
            dq[i] += self.line.c1[i];
        }
    }

    fn price(&self, i: usize) -> (f64, f64) {
        let (scale, d) = (self.gram.scale(), self.gram.columns());
        let (q, dq) = self.gram.dot_pair(i, &self.value.w[..d], &self.rate.w[..d]);
        (scale * q + self.line.c(i, &self.t), scale * dq + self.line.c1[i])
    }

    fn fit_speed(&self) -> Option<f64> {
        Some(self.gram.scale().sqrt() * length(&self.rate.w))
    }

    fn rates_vanish(&self) -> bool {
        self.free.len() == self.bounds_part.len() && !self.c_moves
    }

    fn price_rates(&self, indices: &[usize], dq: &mut [f64]) {
        let (scale, d) = (self.gram.scale(), self.gram.columns());
        for (dq, &i) in dq.iter_mut().zip(indices) {
            *dq = scale * self.gram.dot(i, &self.rate.w[..d]) + self.line.c1[i];
        }
    }

    fn row_scale(&self, i: usize) -> f64 {
        self.row_scales[i]
    }

    fn size(&self, i: usize) -> f64 {
        self.row_scale(i) * self.value.size * self.gram.scale().sqrt()
    }

    fn rate_size(&self, i: usize) -> f64 {
        self.row_scale(i) * self.rate.size * self.gram.scale().sqrt()
    }

    fn refactor(&mut self) {
        let columns: Vec<f64> = self.free.iter().flat_map(|&i| self.extended(i)).collect();
        self.qr = Qr::fresh(self.bounds_part.len(), &columns, self.free.len());
    }
}
