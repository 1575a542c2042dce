//! Any H: LDLᵀ of H̃_FF = (H + ρ²AᵀA)_FF, and the bounds' part g = H_·B x_B as n numbers.
//!
//! ```text
//! x⁰ = H̃_FF⁻¹(−c_F − g_F + ρ²A_F r),   V = H̃_FF⁻¹A_Fᵀ,   y = (r − A_F x⁰)/(A_F V),   x_F = x⁰ + yV,      r = b − A_B x_B
//! ```
//!
//! x⁰ and yV may be large against x_F, their sum: refining each by itself would leave ε of them in x_F. So the residuals of
//! both equations, −c_F − g_F + A_F y − H_FF x_F and e = r − A_F x_F, are computed in twice the working precision and solved
//! for together, with ρ²A_F e added to the first. They are residuals of H itself: the rounding of H̃ in them would move a
//! small x by ε of a large one.

mod price;
mod solve;

use super::columns::Columns;
use super::ldl::Ldl;
use super::triangle::Triangle;
use super::{
    Kkt, KktState, LargestBound, Part, Place, Refused, Solution, Sums, are_indices, bound, largest_sizes, penalty,
};
use crate::active_set::Status;
use crate::error::ProblemError;
use crate::problem::Line;
use crate::scalar::Scalar;
use crate::settings::{ROUNDING, Settings};
use solve::{Unknowns, largest};
use std::cell::OnceCell;

pub(crate) struct GeneralKkt<'a, S> {
    line: &'a Line<S>,
    settings: Settings,
    /// Made when it is asked for.
    bounds: OnceCell<LargestBound<S>>,
    /// [`Scalar::SLACK`] of Σ√Hᵢᵢ times the larger bound, its value at t = 0 and its slope.
    least_sizes: [S; 2],
    /// The rate of the present F and x_B with the length of x_F, once it was solved for.
    known_rate: Option<(Solution<S>, S)>,
    /// V of the present F, and the square of the length of its rate, once they were computed.
    row_solution: Option<Vec<S>>,
    rate_square: Option<S>,
    /// The length that sizes of the present value, and of the present rate, are measured by, once it was asked for.
    lengths: [OnceCell<S>; 2],
    /// H[:, F] and x_F by its columns, where prices are asked for often.
    columns: Option<Columns<S>>,
    state: GeneralState<S>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Fit<S> {
    part: Part<S>,
    x: Vec<S>,
    /// ‖x_F‖ in the norm of H̃_FF.
    size: S,
}

/// What changes on the way.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct GeneralState<S> {
    /// ρ².
    penalty: S,
    ldl: Ldl<S>,
    free: Vec<usize>,
    /// H_FF, row i left of and including the diagonal.
    free_rows: Triangle<S>,
    /// g as a function of t.
    bounds_part: Sums<S>,
    /// −r as a function of t (one entry).
    row_part: Sums<S>,
    /// ‖x_B‖² at t = 0, x_B·x_B′ and ‖x_B′‖² in the seminorm of H, compensated sums.
    bounds_squares: [(S, S); 3],
    in_row: usize,
    /// The size of the terms of the last x_F.
    x_size: S,
    value: Fit<S>,
    rate: Fit<S>,
}

/// −b, from which A_B x_B is added up.
fn less_b<S: Scalar>(line: &Line<S>) -> Sums<S> {
    let mut row_part = Sums::zeros(1);
    row_part.add(0, &[line.b0.clone(), line.b1.clone()], &-S::one());
    row_part
}

impl<'a, S: Scalar> GeneralKkt<'a, S> {
    pub fn new(line: &'a Line<S>, settings: Settings) -> Self {
        let fit = |part| Fit { part, x: Vec::new(), size: S::zero() };
        let state = GeneralState {
            penalty: penalty(line, &S::one(), |i| line.hessian.diagonal(i)),
            ldl: Ldl::new(),
            free: Vec::new(),
            free_rows: Triangle::new(),
            bounds_part: Sums::zeros(line.n()),
            row_part: less_b(line),
            bounds_squares: std::array::from_fn(|_| (S::zero(), S::zero())),
            in_row: 0,
            x_size: S::zero(),
            value: fit(Part::Value(Place::exactly(S::zero()))),
            rate: fit(Part::Rate),
        };
        GeneralKkt::with(line, settings, state)
    }

    /// With the state of an active set.
    fn with(line: &'a Line<S>, settings: Settings, state: GeneralState<S>) -> Self {
        let slack = S::from_f64(S::SLACK).filter(|slack| !slack.is_zero());
        let least_sizes =
            slack.map_or_else(|| [S::zero(), S::zero()], |slack| largest_sizes(line).map(|size| size * &slack));
        let (known_rate, row_solution, rate_square) = (None, None, None);
        GeneralKkt {
            line,
            settings,
            bounds: OnceCell::new(),
            least_sizes,
            known_rate,
            row_solution,
            rate_square,
            lengths: Default::default(),
            columns: None,
            state,
        }
    }

    /// F or x_B is another one.
    fn forget(&mut self) {
        (self.known_rate, self.row_solution, self.rate_square) = (None, None, None);
        self.lengths = Default::default();
    }

    fn shift(&mut self, i: usize, coefficients: [S; 2]) {
        self.forget();
        if coefficients.iter().all(S::is_zero) {
            return;
        }
        self.add_to_squares(i, &coefficients);
        let sums = &mut self.state.bounds_part;
        self.line.hessian.with_row(i, &mut |row| sums.add_row(&coefficients, row));
        self.state.row_part.add(0, &coefficients, &self.line.a(i));
    }

    /// (x + re)·(x′ + se) = x·x′ + r(Hx′)ᵢ + s(Hx)ᵢ + rsHᵢᵢ. Exact scalars have no use for sizes.
    fn add_to_squares(&mut self, i: usize, coefficients: &[S; 2]) {
        if S::EXACT {
            return;
        }
        let hx =
            [Part::Value(Place::exactly(S::zero())), Part::Rate].map(|part| self.state.bounds_part.in_two(i, &part));
        for (square, (j, k)) in self.state.bounds_squares.iter_mut().zip([(0, 0), (0, 1), (1, 1)]) {
            let (r, s) = (&coefficients[j], &coefficients[k]);
            let own = r.clone() * self.line.hessian.diagonal(i);
            for (a, b) in [(&hx[k].0, r), (&hx[k].1, r), (&hx[j].0, s), (&hx[j].1, s), (&own, s)] {
                S::accumulate(&mut square.0, &mut square.1, a, b);
            }
        }
    }

    /// H[i, F] and Hᵢᵢ.
    fn row_on_free(&self, i: usize) -> Vec<S> {
        let mut h = vec![S::zero(); self.state.free.len()];
        self.line.hessian.gather(i, &self.state.free, &mut h);
        h.push(self.line.hessian.diagonal(i));
        h
    }

    /// L's row and pivot for index i with H[i, F] and Hᵢᵢ in `h`, and H̃ᵢᵢ.
    fn eliminated(&self, i: usize, h: &[S]) -> (Vec<S>, S, S) {
        let mut h = h.to_vec();
        if self.line.has_row() {
            let weight = self.state.penalty.clone() * &self.line.a[i];
            for (h, &j) in h.iter_mut().zip(self.state.free.iter().chain([&i])) {
                *h += weight.clone() * &self.line.a[j];
            }
        }
        let diagonal = h.pop().unwrap_or_else(S::zero);
        let (row, pivot) = self.state.ldl.row_and_pivot(&h, &diagonal);
        (row, pivot, diagonal)
    }

    fn bounds_square(&self, k: usize) -> S {
        self.state.bounds_squares[k].0.clone() + &self.state.bounds_squares[k].1
    }

    /// ‖x_B‖ at t, or of the rate, in the seminorm of H: |gᵢ| ≤ √Hᵢᵢ‖x_B‖, and g may cancel where its terms do not.
    fn bounds_length(&self, part: &Part<S>) -> S {
        let [value, mixed, rate] = [0, 1, 2].map(|k| self.bounds_square(k));
        match part {
            Part::Value(Place { t, .. }) => (value + (mixed.clone() + mixed) * t + rate * t * t).scale_root(),
            Part::Rate => rate.scale_root(),
        }
    }

    fn c(&self, i: usize, part: &Part<S>) -> S {
        match part {
            Part::Value(Place { t, off }) => self.line.c(i, t) + self.line.c1[i].clone() * off,
            Part::Rate => self.line.c1[i].clone(),
        }
    }
}

impl<S: Scalar> Kkt<S> for GeneralKkt<'_, S> {
    fn free(&self) -> &[usize] {
        &self.state.free
    }

    fn place(&mut self, i: usize, at: Status) {
        self.shift(i, bound(self.line, i, at));
    }

    /// With x_B whole, ‖x_B‖² is x_B·g.
    fn place_all(&mut self, status: &[Status], bounds_part: Sums<S>) -> bool {
        self.forget();
        self.state.bounds_part = bounds_part;
        self.state.row_part = less_b(self.line);
        self.state.bounds_squares = std::array::from_fn(|_| (S::zero(), S::zero()));
        // x_B and its rate, zero on F.
        let (x, dx): (Vec<S>, Vec<S>) = (0..self.line.n()).map(|i| bound(self.line, i, status[i]).into()).unzip();
        let row = &mut self.state.row_part;
        for (sum, x) in [&mut row.value, &mut row.slope].into_iter().zip([&x, &dx]) {
            S::accumulate_dot(&mut sum.0[0], &mut sum.1[0], x, &self.line.a);
        }
        if S::EXACT {
            return true;
        }
        let (g, dg) = (&self.state.bounds_part.value, &self.state.bounds_part.slope);
        for (square, (x, g)) in self.state.bounds_squares.iter_mut().zip([(&x, g), (&x, dg), (&dx, dg)]) {
            if x.iter().any(|x| !x.is_zero()) {
                S::accumulate_dot(&mut square.0, &mut square.1, x, &g.0);
                S::accumulate_dot(&mut square.0, &mut square.1, x, &g.1);
            }
        }
        true
    }

    fn release(&mut self, i: usize, from: Status) -> Result<S, Refused<S>> {
        let h = self.row_on_free(i);
        let (row, pivot, diagonal) = self.eliminated(i, &h);
        let zero = S::tolerance(self.settings.pivot) * &diagonal;
        if pivot <= zero {
            let mut d = row.clone();
            self.state.ldl.backward(&mut d);
            d.iter_mut().for_each(|d| *d = -d.clone());
            d.push(S::one());
            // A pivot is known to rounding of the terms of dᵀHd, |dᵢHᵢⱼdⱼ| ≤ |dᵢ|√Hᵢᵢ·√Hⱼⱼ|dⱼ|, where the free set is barely independent. One that is
            // larger is a curvature: a jump along d would move z by it.
            let root = |j: usize| self.line.hessian.diagonal(j).scale_root();
            let members = self.state.free.iter().copied().chain([i]);
            let length = members.zip(&d).fold(S::zero(), |sum, (j, d)| sum + root(j) * d.abs());
            let noise = length.clone() * length * S::tolerance(ROUNDING);
            if pivot < -S::larger(zero, noise.clone()) {
                let indices = self.state.free.iter().copied().chain([i]);
                let direction = indices.zip(&d).map(|(j, d)| (j, d.to_string())).collect();
                let curvature = pivot.to_string();
                return Err(Refused::Indefinite(ProblemError::Indefinite { direction, curvature }));
            }
            if pivot <= noise {
                return Err(Refused::Dependent(d));
            }
        }
        self.state.ldl.append(row, pivot.clone());
        let [value, slope] = bound(self.line, i, from);
        self.shift(i, [-value, -slope]);
        if let Some(columns) = &mut self.columns {
            columns.push(self.line.hessian.as_ref(), i);
        }
        self.state.free.push(i);
        self.state.free_rows.push(h);
        self.state.in_row += usize::from(!self.line.a(i).is_zero());
        Ok(pivot)
    }

    fn bind(&mut self, position: usize, to: Status) {
        self.state.ldl.delete(position);
        let i = self.state.free.remove(position);
        if let Some(columns) = &mut self.columns {
            columns.remove(i);
        }
        self.state.free_rows.remove(position);
        self.shift(i, bound(self.line, i, to));
        self.state.in_row -= usize::from(!self.line.a(i).is_zero());
    }

    fn flip(&mut self, i: usize, from: Status) {
        let ([v0, s0], [v1, s1]) = (bound(self.line, i, from), bound(self.line, i, from.opposite()));
        self.shift(i, [v1 - v0, s1 - s0]);
    }

    fn solve(&mut self, part: Part<S>) -> Solution<S> {
        self.lengths = Default::default();
        if let (Part::Rate, Some((solution, size))) = (&part, &self.known_rate) {
            self.state.rate.size = S::larger(size.clone(), self.state.rate.size.clone());
            return solution.clone();
        }
        let (gap, gap_rest) = self.state.row_part.in_two(0, &part);
        let (r, r_rest) = (-gap, -gap_rest);
        let (mut high, mut low) =
            (Vec::with_capacity(self.state.free.len()), Vec::with_capacity(self.state.free.len()));
        for &i in &self.state.free {
            let (mut h, mut l) = self.state.bounds_part.in_two(i, &part);
            (h, l) = (-h, -l);
            self.subtract_c(i, &part, (&mut h, &mut l));
            high.push(h);
            low.push(l);
        }
        let in_row = self.state.in_row > 0;
        let a: Vec<S> =
            if in_row { self.state.free.iter().map(|&i| self.line.a[i].clone()).collect() } else { Vec::new() };
        let v = self.row_solution.take().unwrap_or_else(|| {
            let mut v = a.clone();
            self.state.ldl.solve(&mut v);
            v
        });
        let mut rhs: Vec<S> = high.iter().zip(&low).map(|(a, b)| a.clone() + b).collect();
        S::axpy(&(self.state.penalty.clone() * (r.clone() + &r_rest)), &a, &mut rhs);
        let mut found = self.solve_once(rhs, r.clone() + &r_rest, (&a, &v));
        let floor = found.x_size.clone() * S::from_f64(S::SLACK).unwrap_or_else(S::zero);
        let error = |size: &S| size.clone() * self.state.ldl.pivot_ratio() * S::epsilon();
        let bounds = || self.bounds.get_or_init(|| LargestBound::new(self.line));
        let allowed = |part: &Part<S>| bounds().part(part) * S::tolerance(self.settings.refine);
        if !S::EXACT && (in_row || error(&found.x_size) > allowed(&part)) {
            let (residual, gap) = self.residuals((&high, &low), (r, r_rest), &a, &found);
            let correction = self.solve_once(residual, gap, (&a, &v));
            S::axpy(&S::one(), &correction.x, &mut found.x);
            found.y += correction.y;
            found.x_size = S::larger(largest(&found.x), floor);
        }
        self.row_solution = Some(v);
        let Unknowns { x, y, x_size, y_size } = found;
        let square = self.state.ldl.quadratic(&x);
        let fit = Fit { size: square.scale_root(), x: x.clone(), part };
        if let Some(columns) = &mut self.columns {
            columns.set(usize::from(matches!(fit.part, Part::Rate)), &self.state.free, &x);
        }
        let solution = Solution { x, y: in_row.then_some(y), y_size };
        match fit.part {
            Part::Value(_) => (self.state.value, self.state.x_size) = (fit, x_size),
            Part::Rate => {
                self.known_rate = Some((solution.clone(), fit.size.clone()));
                self.rate_square = Some(square);
                self.state.rate = Fit { size: S::larger(fit.size, self.state.rate.size.clone()), ..fit };
            }
        }
        solution
    }

    fn row_gap(&self) -> (S, S) {
        (-self.state.row_part.at(0, &S::zero()), -self.state.row_part.slope(0))
    }

    fn price_all(&mut self, q: &mut [S], dq: &mut [S]) {
        self.all_prices(q, dq);
    }

    fn begin_crossing(&mut self) {
        self.state.rate.size = S::zero();
        self.lengths = Default::default();
    }

    fn price(&self, i: usize) -> (S, S) {
        self.one_price(i)
    }

    fn free_values(&self) -> Vec<S> {
        self.prices_of_free()
    }

    fn price_rates(&self, indices: &[usize], dq: &mut [S]) {
        self.rates_of(indices, dq);
    }

    fn reaches(&self) -> Option<Vec<f64>> {
        let length = |i| self.line.hessian.diagonal(i).to_f64().unwrap_or(f64::INFINITY).sqrt();
        (!S::EXACT).then(|| (0..self.line.n()).map(length).collect())
    }

    /// ‖x′‖² = ‖x_F′‖² + 2 x_F′·g_F′ + ‖x_B′‖², of which ‖x_F′‖² = x_F′ᵀH̃_FF x_F′ − ρ²(A_F x_F′)². Rounding in the sums of k and
    /// of n terms is at most (n + k)ε of the terms.
    fn fit_speed(&self) -> f64 {
        let x = &self.state.rate.x;
        let row: S = self.state.free.iter().zip(x).fold(S::zero(), |s, (&i, x)| s + self.line.a(i) * x);
        let mixed = self.state.free.iter().zip(x).map(|(&i, x)| x.clone() * self.state.bounds_part.slope(i));
        let square = self.rate_square.clone().unwrap_or_else(|| self.state.ldl.quadratic(x));
        let mut terms = vec![square, -(self.state.penalty.clone() * &row * &row)];
        terms.push(self.bounds_square(2));
        terms.extend(mixed.map(|m| m.clone() + m));
        let (mut square, mut size) = (0.0, 0.0);
        for term in terms {
            let term = term.to_f64().unwrap_or(f64::INFINITY);
            (square, size) = (square + term, size + term.abs());
        }
        let rounding = (self.line.n() + x.len()) as f64 * f64::EPSILON * size;
        (square.max(0.0) + rounding).sqrt()
    }

    fn x_size(&self) -> S {
        self.state.x_size.clone()
    }

    fn row_scale(&self, i: usize) -> S {
        (self.line.hessian.diagonal(i) + self.state.penalty.clone() * self.line.a(i) * self.line.a(i)).scale_root()
    }

    fn size(&self, i: usize) -> S {
        let length = self.lengths[0].get_or_init(|| {
            let least = match &self.state.value.part {
                Part::Value(at) => self.least_sizes[0].clone() + self.least_sizes[1].clone() * at.t.abs(),
                Part::Rate => S::zero(),
            };
            self.bounds_length(&self.state.value.part) + &self.state.value.size + least
        });
        self.row_scale(i) * length
    }

    fn rate_size(&self, i: usize) -> S {
        let length = || self.bounds_length(&Part::Rate) + &self.state.rate.size + &self.least_sizes[1];
        self.row_scale(i) * self.lengths[1].get_or_init(length)
    }

    fn unknown(&self, _i: usize) -> S {
        S::zero()
    }

    fn rate_unknown(&self, _i: usize) -> S {
        S::zero()
    }

    fn rate_noise(&self) -> S {
        S::zero()
    }

    fn refactor(&mut self) {
        self.forget();
        let free = std::mem::take(&mut self.state.free);
        self.state.ldl = Ldl::new();
        for (k, i) in free.into_iter().enumerate() {
            let (l, pivot, _) = self.eliminated(i, self.state.free_rows.row(k));
            self.state.ldl.append(l, pivot);
            self.state.free.push(i);
        }
    }

    fn beside<'l>(&self, line: &'l Line<S>) -> Option<Box<dyn Kkt<S> + 'l>>
    where
        S: 'l,
    {
        Some(Box::new(GeneralKkt::with(line, self.settings.clone(), self.state.clone())))
    }

    fn keep_columns(&mut self) {
        if self.has_full_rows() {
            self.columns = Some(self.columns_of(&self.state.free));
        }
    }

    fn save(&self) -> KktState<S> {
        let slots = self.columns.as_ref().map_or(&[][..], Columns::slots);
        KktState::General(Box::new((slots.to_vec(), self.state.clone())))
    }

    fn load(&mut self, state: KktState<S>) -> bool {
        let KktState::General(saved) = state else { return false };
        let (slots, state) = *saved;
        let (n, k) = (self.line.n(), state.free.len());
        let of_all = self.columns.is_none() || (slots.len() == k && slots.iter().all(|i| state.free.contains(i)));
        let sound = state.penalty.is_finite_number()
            && are_indices(&state.free, n)
            && are_indices(&slots, n)
            && of_all
            && state.ldl.is_sound(k)
            && state.free_rows.is_sound(k)
            && state.bounds_part.is_sound(n)
            && state.row_part.is_sound(1);
        if sound {
            self.forget();
            self.state = state;
            if self.columns.is_some() {
                self.columns = Some(self.columns_of(&slots));
            }
        }
        sound
    }
}
