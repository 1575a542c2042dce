//! An inexact solution at one t, by coordinate descent with shrinking.
//!
//! *A step* minimises the objective over one variable in its box, xᵢ ← xᵢ − zᵢ/Hᵢᵢ, cut off at the bounds (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008,
//! "A dual coordinate descent method for large-scale linear SVM", ICML, equation 9). With H = κZZᵀ it takes one product with a row of Z and one update of w = κZᵀx. A sweep visits the
//! variables in random order. One at a bound that zᵢ pushes against harder than any violation of the sweep before is left out from then on (their section 3.2), until
//! the gap of those that are left is small enough; the gap of all then decides.
//!
//! *With an equality row* the function that is minimised is the augmented Lagrangian (Hestenes 1969, doi:10.1007/BF00927673), −y(aᵀx − b) + ρ/2 (aᵀx − b)² beside the objective,
//! and after every sweep y ← y − ρ(aᵀx − b). ρ is the mean of Hᵢᵢ over the mean of aᵢ², so that the row counts as one more column of Z of the usual size. At the end x is
//! moved onto the row (phase one of the engine), and y is that of the least gap (row.rs).

use super::row::{Terms, multiplier};
use crate::active_set::key;
use crate::error::PathError;
use crate::hessian::{Gram, Hessian, multiply};
use crate::observe::{Event, Observer};
use crate::path::feasible_point;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::stats::Stats;

/// A solution takes at most so many sweeps.
const SWEEPS: usize = 1000;

/// Hx, kept up while x changes.
enum Product<'a> {
    /// w = κZᵀx, d entries.
    Fit { gram: &'a Gram<f64>, w: Vec<f64> },
    /// Hx itself, n entries, from the rows of H.
    Rows { h: &'a dyn Hessian<f64>, hx: Vec<f64> },
}

impl<'a> Product<'a> {
    fn new(h: &'a dyn Hessian<f64>) -> Self {
        match h.row_factor().filter(|_| !h.is_given_by_entries()) {
            Some(gram) => Product::Fit { gram, w: Vec::new() },
            None => Product::Rows { h, hx: Vec::new() },
        }
    }

    fn set(&mut self, x: &[f64]) {
        match self {
            Product::Fit { gram, w } => {
                let rows: Vec<usize> = (0..x.len()).filter(|&i| x[i] != 0.0).collect();
                let x: Vec<f64> = rows.iter().map(|&i| x[i]).collect();
                *w = gram.combine(&rows, &x);
            }
            Product::Rows { h, hx } => *hx = multiply(*h, x),
        }
    }

    fn at(&self, i: usize) -> f64 {
        match self {
            Product::Fit { gram, w } => gram.quick_dot(i, w),
            Product::Rows { hx, .. } => hx[i],
        }
    }

    /// xᵢ has grown by `step`.
    fn add(&mut self, i: usize, step: f64) {
        match self {
            Product::Fit { gram, w } => gram.add_row(i, &(step * gram.scale()), w),
            Product::Rows { h, hx } => match h.stored_row(i) {
                Some((columns, values)) => {
                    columns.iter().zip(values).for_each(|(&j, v)| hx[j as usize] += step * v);
                }
                None => h.with_row(i, &mut |row| f64::axpy(&step, row, hx)),
            },
        }
    }
}

/// The equality row in the augmented Lagrangian.
struct Row {
    /// aᵀx − b.
    off: f64,
    y: f64,
    rho: f64,
}

/// How the search for a solution ended.
pub(super) enum Ended {
    /// With a point whose gap is small enough, and the multiplier of the row.
    Found { x: Vec<f64>, y: f64 },
    /// After too many sweeps.
    Late,
    /// The observer asked to stop.
    Asked,
}

/// Coordinate descent at one t after the other.
pub(super) struct Descent<'a> {
    line: &'a Line<f64>,
    /// The problem at t.
    here: Line<f64>,
    product: Product<'a>,
    diagonal: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    x: Vec<f64>,
    row: Option<Row>,
    /// The variables of the next sweep.
    order: Vec<usize>,
    /// The largest violation of the sweep before.
    shrink: f64,
    /// The sweeps so far.
    sweeps: usize,
}

impl<'a> Descent<'a> {
    /// Nothing is solved yet. The bounds must exist.
    pub(super) fn new(line: &'a Line<f64>) -> Self {
        let (h, n) = (line.hessian.as_ref(), line.n());
        let diagonal: Vec<f64> = (0..n).map(|i| h.diagonal(i)).collect();
        let squares: f64 = line.a.iter().map(|a| a * a).sum();
        let curvature: f64 = diagonal.iter().sum();
        let rho = if curvature > 0.0 && squares > 0.0 { curvature / squares } else { 1.0 };
        Descent {
            line,
            here: line.held(),
            product: Product::new(h),
            diagonal,
            lower: Vec::new(),
            upper: Vec::new(),
            x: Vec::new(),
            row: line.has_row().then_some(Row { off: 0.0, y: 0.0, rho }),
            order: Vec::new(),
            shrink: f64::INFINITY,
            sweeps: 0,
        }
    }

    /// A solution at t with a gap of at most `goal`, from any guess (n entries), and the sweeps that it took.
    ///
    /// # Errors
    /// [`PathError::Infeasible`].
    pub(super) fn solve(
        &mut self,
        t: f64,
        guess: Vec<f64>,
        goal: f64,
        observer: &mut dyn Observer<f64>,
    ) -> Result<(Ended, usize), PathError> {
        self.begin(t, guess)?;
        for sweep in 1..=SWEEPS {
            if self.sweep() <= goal
                && let Some((x, y)) = self.within(goal)?
            {
                return Ok((Ended::Found { x, y }, sweep));
            }
            if let Some(row) = &mut self.row {
                row.y -= row.rho * row.off;
            }
            let event = Event { t: &t, changes: &[], breakpoint: false, free: 0, stats: &Stats::default() };
            if !observer.start_event(&event) {
                return Ok((Ended::Asked, sweep));
            }
        }
        Ok((Ended::Late, SWEEPS))
    }

    /// The problem at t, and the feasible point near the guess.
    fn begin(&mut self, t: f64, guess: Vec<f64>) -> Result<(), PathError> {
        self.here = Line { begin: t, ..self.line.clone() }.held();
        let value = |bound: &Option<[f64; 2]>| bound.map_or(0.0, |[value, _]| value);
        self.lower = self.here.bounds.lower.iter().map(value).collect();
        self.upper = self.here.bounds.upper.iter().map(value).collect();
        self.x = feasible_point(&self.here, guess)?;
        self.product.set(&self.x);
        if let Some(row) = &mut self.row {
            row.off = f64::dot(&self.here.a, &self.x) - self.here.b0;
        }
        self.order = (0..self.x.len()).collect();
        self.shrink = f64::INFINITY;
        Ok(())
    }

    /// Minimises over one variable after the other; the gap of those that were visited, each before its step.
    fn sweep(&mut self) -> f64 {
        let (mut order, mut kept, mut gap, mut worst) = (std::mem::take(&mut self.order), 0, 0.0, 0.0_f64);
        self.sweeps += 1;
        for k in (1..order.len()).rev() {
            order.swap(k, (key(k, self.sweeps as u64) % (k as u64 + 1)) as usize);
        }
        for k in 0..order.len() {
            let i = order[k];
            let z = self.z(i);
            let (below, above) = (self.x[i] - self.lower[i], self.upper[i] - self.x[i]);
            if (below == 0.0 && z > self.shrink) || (above == 0.0 && z < -self.shrink) {
                continue;
            }
            (order[kept], kept) = (i, kept + 1);
            gap += (below * z).max(-above * z);
            if (z > 0.0 && below > 0.0) || (z < 0.0 && above > 0.0) {
                worst = worst.max(z.abs());
                self.minimise(i, z);
            }
        }
        order.truncate(kept);
        self.order = order;
        self.shrink = if worst > 0.0 { worst } else { f64::INFINITY };
        gap
    }

    /// zᵢ of the augmented Lagrangian.
    fn z(&self, i: usize) -> f64 {
        let of_row = self.row.as_ref().map_or(0.0, |row| self.line.a[i] * (row.rho * row.off - row.y));
        self.product.at(i) + self.here.c0[i] + of_row
    }

    /// The best xᵢ in its box.
    fn minimise(&mut self, i: usize, z: f64) {
        let of_row = self.row.as_ref().map_or(0.0, |row| row.rho * self.line.a[i] * self.line.a[i]);
        let curvature = self.diagonal[i] + of_row;
        let (l, u, old) = (self.lower[i], self.upper[i], self.x[i]);
        let best = old - z / curvature;
        // Without curvature the quotient is infinite.
        let new = if best <= l {
            l
        } else if best >= u {
            u
        } else {
            best
        };
        if new == old {
            return;
        }
        self.x[i] = new;
        self.product.add(i, new - old);
        if let Some(row) = &mut self.row {
            row.off += self.line.a[i] * (new - old);
        }
    }

    /// The point, moved onto the row, and its multiplier, if the gap of all variables is at most `goal`; otherwise those that contribute to it or are free
    /// are visited next.
    fn within(&mut self, goal: f64) -> Result<Option<(Vec<f64>, f64)>, PathError> {
        let x = feasible_point(&self.here, self.x.clone())?;
        let mut g = match &self.row {
            Some(_) => multiply(self.line.hessian.as_ref(), &x),
            None => (0..x.len()).map(|i| self.product.at(i)).collect(),
        };
        g.iter_mut().zip(&self.here.c0).for_each(|(g, c)| *g += c);
        let below: Vec<f64> = x.iter().zip(&self.lower).map(|(x, l)| x - l).collect();
        let above: Vec<f64> = x.iter().zip(&self.upper).map(|(x, u)| u - x).collect();
        let terms = Terms { g: &g, below: &below, above: &above };
        let y = self.row.as_ref().map_or(0.0, |row| multiplier(&self.line.a, &terms, row.y));
        let of = |i: usize| {
            let z = g[i] - self.line.a(i) * y;
            (below[i] * z).max(-above[i] * z)
        };
        let gap: f64 = (0..x.len()).map(of).sum();
        if gap <= goal {
            return Ok(Some((x, y)));
        }
        self.order = (0..x.len()).filter(|&i| (below[i] > 0.0 && above[i] > 0.0) || of(i) > 0.0).collect();
        self.shrink = f64::INFINITY;
        Ok(None)
    }
}
