//! The rows z̃ᵢ = (Zᵢ, ρAᵢ) of a Gram Hessian, extended by the equality row, and residuals of their equations in twice the working precision.

use crate::hessian::{Gram, Hessian};
use crate::problem::Line;
use crate::wide::{self, Products};

/// The rows z̃, and which of them are free.
pub(super) struct Extended<'a> {
    pub line: &'a Line<f64>,
    pub gram: &'a Gram<f64>,
    /// ρ.
    pub rho: f64,
    pub free: Vec<usize>,
    /// How many of F have a coefficient in the equality row.
    pub in_row: usize,
}

impl Extended<'_> {
    pub fn width(&self) -> usize {
        self.gram.columns() + usize::from(self.line.has_row())
    }

    /// The stored entries of z̃ᵢ.
    #[inline(always)]
    pub fn visit(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        self.gram.for_row(i, |j, z| visit(j, *z));
        if self.line.has_row() {
            visit(self.gram.columns(), self.rho * self.line.a[i]);
        }
    }

    pub fn dense(&self, i: usize) -> Vec<f64> {
        let mut z = vec![0.0; self.width()];
        self.visit(i, |j, v| z[j] += v);
        z
    }

    pub fn square(&self, i: usize) -> f64 {
        self.gram.diagonal(i) / self.gram.scale() + (self.rho * self.line.a(i)).powi(2)
    }

    /// ‖Zᵢ‖: how much of a row lies outside the span matters to zᵢ′ relative to it.
    pub fn norm(&self, i: usize) -> f64 {
        (self.gram.diagonal(i) / self.gram.scale()).sqrt()
    }

    /// z̃ᵢ · v.
    pub fn dot(&self, i: usize, v: &[f64]) -> f64 {
        let d = self.gram.columns();
        let own = self.gram.dot(i, &v[..d]);
        if self.line.has_row() { own + self.rho * self.line.a[i] * v[d] } else { own }
    }
}

impl Extended<'_> {
    /// Z̃_F v.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        self.free.iter().map(|&i| self.dot(i, v)).collect()
    }

    /// v += Z̃_Fᵀx.
    pub fn add_transposed(&self, x: &[f64], v: &mut [f64]) {
        for (&i, x) in self.free.iter().zip(x) {
            self.visit(i, |j, z| v[j] += x * z);
        }
    }

    /// A_F; empty without a row or when it is zero on F.
    pub fn row(&self) -> Vec<f64> {
        if self.in_row == 0 { Vec::new() } else { self.free.iter().map(|&i| self.line.a[i]).collect() }
    }
}

/// missing += Z̃_Fᵀx as a sum of two numbers, rhs = −c_F/κ + A_F y − Z̃_F w̃ with c at t, or its rate.
pub(super) struct Residuals<'a> {
    pub rows: &'a Extended<'a>,
    pub at: Option<[f64; 2]>,
    pub w: &'a [f64],
    pub x: &'a [f64],
    pub y: f64,
    pub missing: (&'a mut [f64], &'a mut [f64]),
    pub rhs: &'a mut [f64],
}

impl Products for Residuals<'_> {
    /// The sum over a row in four parts, which do not wait for each other.
    #[inline(always)]
    fn run(self, error: impl Fn(f64, f64, f64) -> f64 + Copy) {
        let (high, low) = self.missing;
        for ((&i, x), rhs) in self.rows.free.iter().zip(self.x).zip(self.rhs) {
            let (mut sums, mut rests, mut turn) = ([0.0; 4], [0.0; 4], 0);
            wide::accumulate(error, (&mut sums[0], &mut rests[0]), self.rows.line.a(i), self.y);
            self.rows.visit(i, |j, z| {
                wide::accumulate(error, (&mut high[j], &mut low[j]), *x, z);
                wide::accumulate(error, (&mut sums[turn], &mut rests[turn]), -self.w[j], z);
                turn = (turn + 1) % 4;
            });
            let (mut sum, mut rest) = (sums[0], rests[0]);
            for k in 1..4 {
                wide::accumulate(error, (&mut sum, &mut rest), sums[k], 1.0);
                rest += rests[k];
            }
            // c is not rounded at t, nor divided by κ, before it cancels.
            let (scale, [c0, c1]) = (*self.rows.gram.scale(), [self.rows.line.c0[i], self.rows.line.c1[i]]);
            let (mut all, mut left) = (0.0, scale * rest);
            match self.at {
                Some([t, off]) => {
                    wide::accumulate(error, (&mut all, &mut left), -1.0, c0);
                    wide::accumulate(error, (&mut all, &mut left), -t, c1);
                    left -= off * c1;
                }
                None => all = -c1,
            }
            wide::accumulate(error, (&mut all, &mut left), scale, sum);
            *rhs = (all + left) / scale;
        }
    }
}
