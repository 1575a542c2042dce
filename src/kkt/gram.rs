//! H = κZZᵀ: everything through the fit w = Z̃ᵀx in feature space.
//!
//! Rows are extended by the equality row, z̃ᵢ = (Zᵢ, ρAᵢ), and the fit by w̃ = v + Z̃_Fᵀx_F with v = (Z_Bᵀx_B,
//! ρ(A_Bx_B − b)); its last entry is ρ(Ax − b), zero at a solution. The equations are
//!
//! ```text
//! definition of w̃   w̃ = v + Z̃_Fᵀ x_F
//! stationarity      κ Z̃_F w̃ + c_F − A_F y = 0
//! feasibility       last entry of w̃ = 0                        and then  qᵢ = κZᵢ·w + cᵢ  for every i
//! ```
//!
//! With the QR factor v is projected off the span of Z̃_F twice: where F spans everything the rest is zero and must come
//! out as such. x_F = R⁻¹(p − Qᵀv) is known to ε(‖p‖ + ‖v‖)/min Rᵢᵢ, with the two terms of p = R⁻ᵀ(−c_F/κ + A_F y) each of
//! full length: on a path that starts in boxes without width both are of size one while x_F, their difference, is as
//! small as the boxes. Where that error may show in x the solution is refined: the residuals of all three equations are
//! computed in twice the working precision and solved for by the same equations (Björck 1967, doi:10.1007/BF01939321).
//! The terms of the residuals cancel without rounding, so that the error left in x_F is ε relative to x_F itself, without the factor κ(Z_F). Where all bounds
//! are zero (the lasso) no scale of x is known in advance: x is refined unless the rows are well conditioned.

use super::members::Members;
use super::rows::{Extended, Residuals};
use super::span::{Added, Span, Unknowns};
use super::{
    Kkt, KktState, LargestBound, Part, Place, Refused, Solution, Sums, are_indices, bound, largest_sizes, penalty,
    qr::Qr,
};
use crate::active_set::Status;
use crate::hessian::{Gram, Hessian, of_rows};
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::{Settings, TWICE};
use crate::threads::Threads;
use crate::wide::with_errors;

/// Free rows are well conditioned when the part of each outside the span of those before it is at least this part of the longest one.
const WELL: f64 = 0.03125;

pub(crate) struct GramKkt<'a> {
    rows: Extended<'a>,
    settings: Settings,
    c_moves: bool,
    /// What rounding in rows that were computed from the entries of H may amount to in w, its value at t = 0 and its slope.
    of_rows: [f64; 2],
    /// √H̃ᵢᵢ.
    row_scales: Vec<f64>,
    bounds: LargestBound<f64>,
    /// √κ.
    root: f64,
    /// The rate of the present F and x_B with the length of its fit, once it was solved for.
    known_rate: Option<(Solution<f64>, [f64; 3])>,
    /// w of value and rate, entry by entry.
    both: Vec<[f64; 2]>,
    threads: Threads,
    state: GramState,
}

/// What changes on the way, besides F.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GramState {
    span: Span,
    members: Members,
    /// v as a function of t.
    bounds_part: Sums<f64>,
    /// The size of the terms of the last x_F.
    x_size: f64,
    at: Place<f64>,
    value: Fit,
    rate: Fit,
}

/// w̃ and the length of the parts that make it up.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Fit {
    w: Vec<f64>,
    /// ‖w‖ without the entry of the row.
    size: f64,
    /// The size of the terms that it is what is left of.
    before: f64,
    /// What w̃ is known to.
    unknown: f64,
}

impl<'a> GramKkt<'a> {
    /// With no variable placed yet.
    pub fn new(line: &'a Line<f64>, gram: &'a Gram<f64>, settings: Settings) -> Self {
        let rho = penalty(line, gram.scale(), |i| gram.diagonal(i) / gram.scale()).sqrt();
        let rows = Extended { line, gram, rho, free: Vec::new(), in_row: 0 };
        let width = rows.width();
        let fit = Fit { w: vec![0.0; width], size: 0.0, before: 0.0, unknown: 0.0 };
        let mut bounds_part = Sums::zeros(width);
        if line.has_row() {
            bounds_part.add(gram.columns(), &[line.b0, line.b1], &-rho);
        }
        let span = Span::new(&rows, settings.qr_columns);
        let members = Members::new(line.n());
        GramKkt {
            of_rows: match of_rows(line.hessian.as_ref(), gram) {
                0.0 => [0.0; 2],
                part => largest_sizes(line).map(|size| size / gram.scale().sqrt() * part),
            },
            c_moves: line.c1.iter().any(|c| *c != 0.0),
            row_scales: (0..line.n()).map(|i| (gram.scale() * rows.square(i)).sqrt()).collect(),
            bounds: LargestBound::new(line),
            root: gram.scale().sqrt(),
            known_rate: None,
            threads: Threads::new(settings.threads),
            both: vec![[0.0; 2]; gram.columns()],
            state: GramState {
                span,
                members,
                bounds_part,
                x_size: 0.0,
                at: Place::exactly(0.0),
                value: fit.clone(),
                rate: fit,
            },
            settings,
            rows,
        }
    }

    fn shift(&mut self, i: usize, coefficients: [f64; 2]) {
        self.known_rate = None;
        if coefficients != [0.0, 0.0] {
            let sums = &mut self.state.bounds_part;
            self.rows.visit(i, |j, v| sums.add(j, &coefficients, &v));
        }
    }

    /// Whether no free row is short outside the span of those before it, so that x_F is as exact as the rows are.
    fn is_well_conditioned(&self, pivot: f64) -> bool {
        let longest = self.rows.free.iter().map(|&i| self.row_scales[i]).fold(0.0, f64::max);
        pivot * self.root >= longest * WELL
    }

    /// Whether rounding of the terms of y may show in the z of a free row: one that is much shorter than the others, or has no features at all.
    fn is_y_unclear(&self, part: &Part<f64>, w: f64, y_terms: f64) -> bool {
        let (rows, scale) = (&self.rows, self.rows.gram.scale());
        let short = |&i: &usize| {
            let size = self.c(i, part).abs() / scale + rows.norm(i) * w;
            (rows.line.a(i) * y_terms).abs() > self.settings.refine * size
        };
        y_terms > 0.0 && rows.free.iter().any(short)
    }

    /// The size of the terms of Zᵢ·w.
    fn size_in(&self, fit: &Fit, i: usize) -> f64 {
        self.rows.norm(i) * self.root * self.root * fit.size
    }

    /// A quarter of what counts as zero in a rate.
    fn member_tolerance(&self) -> f64 {
        f64::tolerance(self.settings.zero_rate) / 4.0
    }

    /// w of value and rate, without the entry of the row.
    fn both_fits(&self) -> [&[f64]; 2] {
        [&self.state.value, &self.state.rate].map(|fit| &fit.w[..self.rows.gram.columns()])
    }

    /// q and its rate from the products of row i with both fits.
    #[inline(always)]
    fn with_costs(&self, i: usize, (q, dq): (f64, f64)) -> (f64, f64) {
        let scale = self.rows.gram.scale();
        (scale * q + self.c_at(i, &self.state.at), scale * dq + self.rows.line.c1[i])
    }

    fn pair_up(&mut self) {
        for (both, (w, v)) in self.both.iter_mut().zip(self.state.value.w.iter().zip(&self.state.rate.w)) {
            *both = [*w, *v];
        }
    }

    #[inline(always)]
    fn c_at(&self, i: usize, at: &Place<f64>) -> f64 {
        self.rows.line.c0[i] + self.rows.line.c1[i] * at.t + self.rows.line.c1[i] * at.off
    }

    fn c(&self, i: usize, part: &Part<f64>) -> f64 {
        match part {
            Part::Value(at) => self.c_at(i, at),
            Part::Rate => self.rows.line.c1[i],
        }
    }

    /// v + Z̃_Fᵀx − w̃ and −c_F/κ + A_F y − Z̃_F w̃, in twice the working precision.
    fn residuals(&self, part: &Part<f64>, w: &[f64], x: &[f64], y: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut missing, mut low) = self.state.bounds_part.all_in_two(part);
        for (j, w) in w.iter().enumerate() {
            f64::accumulate(&mut missing[j], &mut low[j], w, &-1.0);
        }
        let at = match part {
            Part::Value(at) => Some([at.t, at.off]),
            Part::Rate => None,
        };
        let mut rhs = vec![0.0; x.len()];
        with_errors(Residuals { rows: &self.rows, at, w, x, y, missing: (&mut missing, &mut low), rhs: &mut rhs });
        f64::axpy(&1.0, &low, &mut missing);
        (missing, rhs)
    }
}

fn length(v: &[f64]) -> f64 {
    f64::dot(v, v).sqrt()
}

impl Kkt<f64> for GramKkt<'_> {
    fn free(&self) -> &[usize] {
        &self.rows.free
    }

    fn place(&mut self, i: usize, at: Status) {
        self.shift(i, bound(self.rows.line, i, at));
    }

    fn release(&mut self, i: usize, from: Status) -> Result<f64, Refused<f64>> {
        let rows = &self.rows;
        let square = rows.square(i);
        let dependent = match self.state.span {
            Span::Qr(_) => self.settings.dependent,
            Span::Normal(_) | Span::Sparse(_) => self.settings.pivot,
        };
        let added = self.state.span.add(rows, i, dependent);
        match added {
            Added::Dependent(mut d) => {
                d.push(1.0);
                Err(Refused::Dependent(d))
            }
            Added::Pivot(pivot) => {
                let [value, slope] = bound(self.rows.line, i, from);
                self.shift(i, [-value, -slope]);
                self.state.members.appended(i, (pivot / square).sqrt());
                self.rows.free.push(i);
                self.rows.in_row += usize::from(self.rows.line.a(i) != 0.0);
                Ok(self.rows.gram.scale() * pivot)
            }
        }
    }

    fn bind(&mut self, position: usize, to: Status) {
        let lost = self.state.span.delete(&self.rows, position);
        let i = self.rows.free.remove(position);
        if let Some(lost) = lost {
            self.state.members.deleted(i, lost);
        }
        self.shift(i, bound(self.rows.line, i, to));
        self.rows.in_row -= usize::from(self.rows.line.a(i) != 0.0);
    }

    fn flip(&mut self, i: usize, from: Status) {
        let line = self.rows.line;
        let ([v0, s0], [v1, s1]) = (bound(line, i, from), bound(line, i, from.opposite()));
        self.shift(i, [v1 - v0, s1 - s0]);
    }

    fn solve(&mut self, part: Part<f64>) -> Solution<f64> {
        if let (Part::Rate, Some((solution, size))) = (&part, &self.known_rate) {
            [self.state.rate.size, self.state.rate.before, self.state.rate.unknown] = *size;
            return solution.clone();
        }
        let scale = *self.rows.gram.scale();
        let v: Vec<f64> = (0..self.state.bounds_part.len()).map(|j| self.state.bounds_part.part(j, &part)).collect();
        let rhs: Vec<f64> = self.rows.free.iter().map(|&i| -self.c(i, &part) / scale).collect();
        let bounds_size = length(&v);
        let Unknowns { mut w, mut x, mut y, free_part, terms, y_terms } =
            self.state.span.solve(&self.rows, v, rhs, 0.0);
        let before = bounds_size + free_part;
        let pivot = self.state.span.smallest_pivot();
        let (mut x_size, mut error) = (if x.is_empty() { 0.0 } else { terms / pivot }, before * f64::EPSILON);
        // What residuals in twice the precision are known to.
        let least = before * f64::tolerance(TWICE) * f64::EPSILON;
        let visible = before.max(terms) > pivot * self.settings.refine * self.bounds.part(&part);
        let exact = self.bounds.are_zero() && self.is_well_conditioned(pivot);
        let inexact = self.state.span.squares_condition() || (visible && !exact);
        if inexact || before > self.settings.cancels * length(&w) || self.is_y_unclear(&part, length(&w), y_terms) {
            for _ in 0..self.settings.refinements {
                let (missing, rhs) = self.residuals(&part, &w, &x, y);
                let last = if self.rows.line.has_row() { -w[self.rows.gram.columns()] } else { 0.0 };
                let correction = self.state.span.solve(&self.rows, missing, rhs, last);
                let moved = length(&correction.w);
                let of_w = if moved <= least { 0.0 } else { moved / length(&w) };
                let of_x = length(&correction.x) / length(&x);
                // A y that vanishes is told from rounding of its terms only so far.
                let of_y = correction.y.abs() / (y.abs() + y_terms * f64::EPSILON.powf(1.5));
                f64::axpy(&1.0, &correction.w, &mut w);
                f64::axpy(&1.0, &correction.x, &mut x);
                y += correction.y;
                // Each turn takes the same part off the error: what is left after this one is that part of its correction.
                let part = [of_w, of_x, of_y].into_iter().filter(|part| part.is_finite()).fold(0.0, f64::max);
                error = (part.min(1.0) * moved).max(least);
                if part * part <= f64::EPSILON {
                    break;
                }
            }
            x_size = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        }
        let size = length(&w[..self.rows.gram.columns()]);
        // Rows that were computed from H's entries are known to rounding.
        let of_rows = match &part {
            Part::Value(at) => self.of_rows[0] + self.of_rows[1] * at.t.abs(),
            Part::Rate => self.of_rows[1],
        };
        let fit = Fit { w, size, before, unknown: error + of_rows };
        let solution = Solution { x, y: (self.rows.in_row > 0).then_some(y * scale), y_size: y_terms * scale };
        match part {
            Part::Value(at) => (self.state.at, self.state.value, self.state.x_size) = (at, fit, x_size),
            Part::Rate => {
                self.known_rate = Some((solution.clone(), [fit.size, fit.before, fit.unknown]));
                self.state.rate = fit;
            }
        }
        self.pair_up();
        solution
    }

    fn row_gap(&self) -> (f64, f64) {
        let last = self.rows.gram.columns();
        (-self.state.bounds_part.at(last, &0.0) / self.rows.rho, -self.state.bounds_part.slope(last) / self.rows.rho)
    }

    fn price_all(&mut self, q: &mut [f64], dq: &mut [f64]) {
        let gram = self.rows.gram;
        self.threads.parts_of_two((&mut *q, &mut *dq), 4 * self.both.len(), |start, q, dq| {
            for (k, (q, dq)) in q.iter_mut().zip(dq).enumerate().filter(|(k, _)| gram.opposite(start + k).is_none()) {
                (*q, *dq) = gram.dot_pair(start + k, self.both_fits(), &self.both);
            }
        });
        for i in 0..q.len() {
            // Of a row and its opposite products differ by their sign.
            if let Some(j) = gram.opposite(i) {
                (q[i], dq[i]) = (-q[j], -dq[j]);
            }
        }
        for (i, (q, dq)) in q.iter_mut().zip(dq).enumerate() {
            (*q, *dq) = self.with_costs(i, (*q, *dq));
        }
    }

    fn begin_crossing(&mut self) {
        (self.state.rate.size, self.state.rate.unknown) = (0.0, 0.0);
    }

    fn price(&self, i: usize) -> (f64, f64) {
        self.with_costs(i, self.rows.gram.dot_pair(i, self.both_fits(), &self.both))
    }

    fn reaches(&self) -> Option<Vec<f64>> {
        let (gram, scale) = (self.rows.gram, self.rows.gram.scale().sqrt());
        Some(match gram.metric(&self.threads) {
            Some(metric) => metric.row_lengths().iter().map(|length| scale * length).collect(),
            None => (0..self.rows.line.n()).map(|i| gram.diagonal(i).sqrt()).collect(),
        })
    }

    fn fit_speed(&self) -> f64 {
        self.fit_length(&self.state.rate.w[..self.rows.gram.columns()])
    }

    fn has_opposites(&self) -> bool {
        self.rows.gram.opposites() > 0
    }

    fn fit_length(&self, v: &[f64]) -> f64 {
        self.root * self.rows.gram.metric(&self.threads).map_or_else(|| length(v), |metric| metric.length(v))
    }

    fn steepest(&self) -> Option<f64> {
        Some(self.root * length(&self.state.rate.w))
    }

    fn rates_vanish(&self) -> bool {
        self.rows.free.len() == self.state.bounds_part.len() && !self.c_moves
    }

    fn settle_span(&mut self) {
        let (rows, span, tolerance) = (&self.rows, &self.state.span, self.member_tolerance());
        let outside = |v: Vec<f64>| span.outside(v).unwrap_or((Vec::new(), 0.0));
        self.state.members.settle(tolerance, outside, |i, v| rows.dot(i, v).abs() / rows.norm(i));
    }

    fn in_span(&self, i: usize) -> bool {
        !self.c_moves && self.state.members.contains(i)
    }

    fn offer_to_span(&mut self, i: usize) {
        if !self.c_moves
            && self.state.members.offer(i)
            && let Some((_, length)) = self.state.span.outside(self.rows.dense(i))
            && length <= self.member_tolerance() * self.rows.norm(i)
        {
            self.state.members.add(i);
        }
    }

    fn price_rates(&self, indices: &[usize], dq: &mut [f64]) {
        let (scale, d) = (self.rows.gram.scale(), self.rows.gram.columns());
        for (dq, &i) in dq.iter_mut().zip(indices) {
            *dq = scale * self.rows.gram.dot(i, &self.state.rate.w[..d]) + self.rows.line.c1[i];
        }
    }

    fn fits(&self) -> Option<[&[f64]; 2]> {
        Some(self.both_fits())
    }

    fn x_size(&self) -> f64 {
        self.state.x_size
    }

    fn row_scale(&self, i: usize) -> f64 {
        self.row_scales[i]
    }

    fn size(&self, i: usize) -> f64 {
        self.size_in(&self.state.value, i)
    }

    fn rate_size(&self, i: usize) -> f64 {
        self.size_in(&self.state.rate, i)
    }

    fn unknown(&self, i: usize) -> f64 {
        self.row_scales[i] * self.root * self.state.value.unknown
    }

    fn rate_unknown(&self, i: usize) -> f64 {
        // Rates are told from zero as much more coarsely.
        self.row_scales[i] * self.root * self.state.rate.unknown * (self.settings.zero_rate / self.settings.zero)
    }

    fn loose_sizes(&self, i: usize) -> [f64; 2] {
        [&self.state.value, &self.state.rate].map(|fit| self.row_scales[i] * self.root * fit.before)
    }

    fn rate_noise(&self) -> f64 {
        if self.rows.free.is_empty() { 0.0 } else { self.state.rate.unknown / self.state.span.smallest_pivot() }
    }

    fn refactor(&mut self) {
        self.known_rate = None;
        let width = self.state.bounds_part.len();
        if let Span::Sparse(sparse) = &mut self.state.span {
            return sparse.refactor(&self.rows);
        }
        let free = std::mem::take(&mut self.rows.free);
        match &mut self.state.span {
            Span::Sparse(_) => {}
            Span::Qr(qr) => {
                let columns: Vec<f64> = free.iter().flat_map(|&i| self.rows.dense(i)).collect();
                *qr = Qr::fresh(width, &columns, free.len());
                self.rows.free = free;
            }
            Span::Normal(ldl) => {
                *ldl = super::ldl::Ldl::new();
                for i in free {
                    let (row, pivot) = ldl.row_and_pivot(&self.rows.times(&self.rows.dense(i)), &self.rows.square(i));
                    ldl.append(row, pivot);
                    self.rows.free.push(i);
                }
            }
        }
    }

    fn save(&self) -> KktState<f64> {
        KktState::Gram(Box::new((self.rows.free.clone(), self.state.clone())))
    }

    fn load(&mut self, state: KktState<f64>) -> bool {
        let KktState::Gram(state) = state else { return false };
        let ((free, state), n, width) = (*state, self.rows.line.n(), self.rows.width());
        let sound = are_indices(&free, n)
            && state.span.is_sound(n, width, free.len())
            && state.members.is_sound(n, width)
            && state.bounds_part.is_sound(width)
            && [&state.value, &state.rate].iter().all(|fit| fit.w.len() == width)
            && std::mem::discriminant(&state.span) == std::mem::discriminant(&self.state.span);
        if sound {
            self.known_rate = None;
            self.rows.in_row = free.iter().filter(|&&i| self.rows.line.a(i) != 0.0).count();
            (self.rows.free, self.state) = (free, state);
            self.pair_up();
        }
        sound && self.state.span.restore(&self.rows)
    }
}
