//! Solutions of a basis: x, η and z of a value at t, of its rate, or of a perturbation.

use super::basis::{Basis, Singular};
use super::solve::Solved;
use super::system::System;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// The bounds and costs that a basis is solved for.
pub(super) struct Given<'a, S> {
    /// The value of a column that is at a bound, and the cost of a column, as sums of two numbers.
    pub held: &'a dyn Fn(usize) -> (S, S),
    pub cost: &'a dyn Fn(usize) -> (S, S),
    /// The sizes of the terms of either.
    pub held_size: &'a dyn Fn(usize) -> S,
    pub cost_size: &'a dyn Fn(usize) -> S,
    /// What the columns at bounds contribute to the m rows, d features and (where H is used by its entries) Hx, likewise, and the sizes of its terms.
    pub sums: (Vec<S>, Vec<S>),
    pub sums_size: Vec<S>,
    /// A solution near this one, with entries for all columns of the basis.
    pub guess: Option<&'a Half<S>>,
}

impl<S: Scalar> Given<'_, S> {
    /// The sizes of the terms of a key's right-hand side.
    fn size(&self, system: &System<S>, key: usize) -> S {
        let (n, m, d) = (system.n, system.m, system.d);
        match key {
            j if j < n && system.dense => (self.cost_size)(j) + &self.sums_size[m + d + j],
            j if j < n => (self.cost_size)(j),
            r if r < n + m => (self.held_size)(r) + &self.sums_size[r - n],
            f => self.sums_size[f - n].clone(),
        }
    }
}

/// x of all columns and η = −(y, y_f), each as a sum of two numbers.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Half<S> {
    /// Of the basis: those of other columns are their bounds.
    pub x: Columns<S>,
    /// m rows, d features.
    pub eta: Entries<S>,
    /// Hx as a sum of two, where H is used by its entries.
    hx: (Vec<S>, Vec<S>),
    /// Σ√Hⱼⱼ|xⱼ|, of which Hx has rounding, with the sizes of x in its place; where H is used by rows that were computed from its entries, no less than that sum.
    spread: Sizes<S>,
}

/// Entries of some of the columns, in their order.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Columns<S> {
    index: Vec<usize>,
    entries: Entries<S>,
}

/// Numbers as sums of two. On exact scalars only `high` is not zero.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Entries<S> {
    pub high: Vec<S>,
    pub low: Vec<S>,
    /// The terms that are summed for it, as they are (|x| itself for a solution, Σ|Aᵣⱼxⱼ| for a slack); those that they were solved from; what it is known to.
    pub sizes: Vec<Sizes<S>>,
}

/// What an entry's errors are told from.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Sizes<S> {
    /// The terms of a sum as they are.
    pub own: S,
    /// What these were solved from, before anything cancelled.
    pub solved_from: S,
    /// To what it is known.
    pub error: S,
}

impl<S: Scalar> Sizes<S> {
    pub fn zero() -> Self {
        Sizes { own: S::zero(), solved_from: S::zero(), error: S::zero() }
    }

    /// Those of a times the number.
    fn add(&mut self, a: &S, other: &Sizes<S>) {
        let a = a.abs();
        self.own += a.clone() * &other.own;
        self.solved_from += a.clone() * &other.solved_from;
        self.error += a * &other.error;
    }

    /// The same of a sum with another term.
    pub fn with(mut self, term: S) -> Self {
        self.own += term;
        self
    }

    /// Terms of which one rounding is as much as all that is not known.
    pub fn crude(&self) -> S {
        self.own.clone() + &self.solved_from + self.error.clone() / S::epsilon()
    }

    /// What it is known to, as the data are.
    pub fn rounding(&self) -> S {
        self.own.clone() * S::twice() + &self.error
    }

    /// What data that are known to rounding make of it: `multiple` ε of its terms and some of what it was solved from.
    pub fn allowance(&self, multiple: f64) -> S {
        self.own.clone() * S::tolerance(multiple) + self.solved_from.clone() * S::tolerance(ROUNDING)
    }
}

impl<S: Scalar> Entries<S> {
    /// Whether it has n entries (it may have been read from somewhere).
    fn is_sound(&self, n: usize) -> bool {
        [self.high.len(), self.low.len(), self.sizes.len()].iter().all(|len| *len == n)
    }

    fn zeros(n: usize) -> Self {
        Entries { high: vec![S::zero(); n], low: vec![S::zero(); n], sizes: vec![Sizes::zero(); n] }
    }

    fn set(&mut self, i: usize, (high, low): (S, S), sizes: Sizes<S>) {
        (self.high[i], self.low[i], self.sizes[i]) = (high, low, sizes);
    }

    /// A factor times entry i is added to a sum of two.
    #[inline]
    fn add_to(&self, i: usize, a: &S, high: &mut S, low: &mut S) {
        S::accumulate(high, low, a, &self.high[i]);
        if !S::EXACT {
            *low += a.clone() * &self.low[i];
        }
    }

    /// Entry i minus a number that is a sum of others, each a product: how far it is from a bound at a place.
    pub fn minus(&self, i: usize, products: &[(&S, &S)]) -> (S, S) {
        let (mut high, mut low) = (self.high[i].clone(), self.low[i].clone());
        for (a, b) in products {
            S::accumulate(&mut high, &mut low, &-(*a).clone(), b);
        }
        (high, low)
    }
}

impl<S: Scalar> Columns<S> {
    /// Zero for the columns of a basis.
    fn of(system: &System<S>, basis: &Basis<S>, basic: &dyn Fn(usize) -> bool) -> Self {
        let mut index: Vec<usize> = basis.keys.iter().copied().filter(|&key| key < system.n).collect();
        index.sort_unstable();
        index.extend((system.n..system.columns()).filter(|&slack| basic(slack)));
        Columns { entries: Entries::zeros(index.len()), index }
    }

    /// The place of column j; the last where it has none.
    fn place(&self, j: usize) -> usize {
        self.index.binary_search(&j).unwrap_or_else(|place| place.min(self.index.len().saturating_sub(1)))
    }

    fn set(&mut self, j: usize, value: (S, S), sizes: Sizes<S>) {
        let place = self.place(j);
        self.entries.set(place, value, sizes);
    }

    /// Column j, which has been at a bound, comes into the basis where it is.
    pub fn enter(&mut self, j: usize, (high, low): (S, S)) {
        if let Err(place) = self.index.binary_search(&j) {
            self.index.insert(place, j);
            self.entries.sizes.insert(place, Sizes::zero().with(high.abs()));
            self.entries.high.insert(place, high);
            self.entries.low.insert(place, low);
        }
    }

    /// Of column j of the basis.
    pub fn high(&self, j: usize) -> &S {
        &self.entries.high[self.place(j)]
    }

    pub fn sizes(&self, j: usize) -> &Sizes<S> {
        &self.entries.sizes[self.place(j)]
    }

    /// [`Entries::minus`] of column j of the basis.
    pub fn minus(&self, j: usize, products: &[(&S, &S)]) -> (S, S) {
        self.entries.minus(self.place(j), products)
    }

    /// Nothing moves.
    pub fn clear(&mut self) {
        self.entries.high.iter_mut().for_each(|v| *v = S::zero());
    }
}

impl<S: Scalar> Half<S> {
    pub fn nothing() -> Self {
        let none = || Entries { high: Vec::new(), low: Vec::new(), sizes: Vec::new() };
        Half {
            x: Columns { index: Vec::new(), entries: none() },
            eta: none(),
            hx: (Vec::new(), Vec::new()),
            spread: Sizes::zero(),
        }
    }

    /// Solves for columns of which `basic` tells whether they are in the basis.
    pub fn solve(
        system: &System<S>,
        basis: &mut Basis<S>,
        basic: &dyn Fn(usize) -> bool,
        given: Given<'_, S>,
    ) -> Result<Self, Singular> {
        let (n, m, d) = (system.n, system.m, system.d);
        let (sum_high, sum_low) = (&given.sums.0, &given.sums.1);
        let inactive: Vec<(usize, S)> = (0..m)
            .filter(|&r| basic(n + r))
            .map(|r| (r, (given.cost)(n + r)))
            .map(|(r, (high, low))| (r, high + low))
            .filter(|(_, cost)| !cost.is_zero())
            .collect();
        let (mut high, mut low) = (Vec::with_capacity(basis.len()), Vec::with_capacity(basis.len()));
        let mut sizes = Vec::with_capacity(basis.len());
        for &key in &basis.keys {
            let mut of_slacks = S::zero();
            let (h, l) = if key < n {
                let (mut h, mut l) = (given.cost)(key);
                if system.dense {
                    S::accumulate(&mut h, &mut l, &sum_high[m + d + key], &S::one());
                    l += &sum_low[m + d + key];
                }
                for (r, cost) in &inactive {
                    let a = system.a.entry(*r, key);
                    of_slacks += a.abs() * &cost.abs();
                    S::accumulate(&mut h, &mut l, &a, cost);
                }
                (-h, -l)
            } else {
                let i = key - n;
                let (mut h, mut l) = if i < m { (given.held)(key) } else { (S::zero(), S::zero()) };
                l -= &sum_low[i];
                S::accumulate(&mut h, &mut l, &sum_high[i], &-S::one());
                (h, l)
            };
            high.push(h);
            low.push(l);
            if S::EXACT {
                continue;
            }
            sizes.push(of_slacks + given.size(system, key));
        }
        let guess = given.guess.filter(|_| !S::EXACT).map(|near| near.on(system, &basis.keys));
        let solved = basis.solve((&high, &low, &sizes), guess)?;
        let mut half = Half { x: Columns::of(system, basis, basic), eta: Entries::zeros(m + d), ..Half::nothing() };
        for (r, cost) in inactive {
            let sizes = Sizes { solved_from: cost.abs(), ..Sizes::zero().with(cost.abs()) };
            half.eta.set(r, (cost, S::zero()), sizes);
        }
        half.take(system, basis, solved, &given.sums_size);
        half.slacks(system, basis, basic, (given.sums, &given.sums_size));
        if system.dense && !S::EXACT {
            half.spread(system, basic, given.held);
        }
        Ok(half)
    }

    /// Whether its lists are those of a solution for this system, with an entry for each column that `basic` says is in the basis; without `basic` it may be none (it may have been
    /// read from somewhere).
    pub fn is_sound(&self, system: &System<S>, basic: Option<&dyn Fn(usize) -> bool>) -> bool {
        let index = &self.x.index;
        let known = index.iter().all(|&j| j < system.columns()) && index.is_sorted_by(|a, b| a < b);
        let hx = if system.dense { system.n } else { 0 };
        let whole = [&self.hx.0, &self.hx.1].iter().all(|v| v.len() == hx);
        let solved = self.eta.is_sound(system.m + system.d) && whole;
        let listed = |basic: &dyn Fn(usize) -> bool| {
            (0..system.columns()).filter(|&j| basic(j)).all(|j| index.binary_search(&j).is_ok())
        };
        let fits = basic.map_or(self.eta.is_sound(0) || solved && !index.is_empty(), |basic| solved && listed(basic));
        known && self.x.entries.is_sound(index.len()) && fits
    }

    /// Whether it is more than nothing.
    pub fn is_solved(&self) -> bool {
        !self.eta.high.is_empty()
    }

    /// Its entries at the keys of a basis.
    fn on(&self, system: &System<S>, keys: &[usize]) -> (Vec<S>, Vec<S>) {
        let entry = |&key: &usize| match key.checked_sub(system.n) {
            Some(i) => (self.eta.high[i].clone(), self.eta.low[i].clone()),
            None => {
                let place = self.x.place(key);
                (self.x.entries.high[place].clone(), self.x.entries.low[place].clone())
            }
        };
        keys.iter().map(entry).unzip()
    }

    /// Follows a rate of the same basis for so much of t, a sum of two numbers.
    pub fn follow(&mut self, rate: &Half<S>, (step, rest): (&S, &S)) {
        if self.x.index != rate.x.index || S::EXACT {
            return;
        }
        for (own, rate) in [(&mut self.x.entries, &rate.x.entries), (&mut self.eta, &rate.eta)] {
            for (i, (high, low)) in own.high.iter_mut().zip(&mut own.low).enumerate() {
                rate.add_to(i, step, high, low);
                *low += rate.high[i].clone() * rest;
                let sum = high.clone() + &*low;
                *low -= sum.clone() - &*high;
                *high = sum;
            }
        }
    }

    /// The entries that were solved for.
    fn take(&mut self, system: &System<S>, basis: &Basis<S>, mut solved: Solved<S>, sums_size: &[S]) {
        if !system.of_rows.is_zero() {
            self.count_rows(system, basis, &mut solved, sums_size);
        }
        let errors = solved.size.into_iter().zip(solved.error);
        let solved = solved.u.into_iter().zip(solved.rest).zip(errors);
        for (&key, ((u, rest), (solved_from, error))) in basis.keys.iter().zip(solved) {
            // What is no more than its error is rounding of zero.
            let none = u.abs() <= error;
            let (u, rest) = if none { (S::zero(), S::zero()) } else { (u, rest) };
            let sizes = Sizes { own: u.abs(), solved_from, error };
            match key {
                j if j < system.n => self.x.set(j, (u, rest), sizes),
                i => self.eta.set(i - system.n, (u, rest), sizes),
            }
        }
    }

    /// What a solution is known to, where the rows Z were computed from the entries of H.
    ///
    /// H = ZZᵀ + E, and |Eᵢⱼ| ≤ u√(HᵢᵢHⱼⱼ). The equations of H are those that were solved, K(x, η) = f, with (Ex)ⱼ ≤ u√Hⱼⱼ Σ√Hᵢᵢ|xᵢ| more in that of column j: the solution is
    /// another by M times as much. The sum is over all columns; those at bounds have a part Zᵀx whose terms are at hand, and √Hᵢᵢ is at most the sum of |Zᵢ|'s entries.
    fn count_rows(&mut self, system: &System<S>, basis: &Basis<S>, solved: &mut Solved<S>, sums_size: &[S]) {
        let mut spread = sums_size[system.m..].iter().fold(S::zero(), |sum, size| sum + size);
        let own = basis.keys.iter().zip(&solved.u).filter(|(key, _)| **key < system.n);
        own.for_each(|(&j, x)| spread += system.roots[j].clone() * x.abs());
        let of_key = |&key: &usize| match key < system.n {
            true => system.of_rows.clone() * &system.roots[key] * &spread,
            false => S::zero(),
        };
        let unknown = basis.terms(&basis.keys.iter().map(of_key).collect::<Vec<S>>());
        solved.error.iter_mut().zip(unknown).for_each(|(error, unknown)| *error += unknown);
        self.spread = Sizes::zero().with(spread);
    }

    /// What rounding in rows that were computed from the entries of H makes of zⱼ, where η is what it is.
    fn of_rows_at(&self, system: &System<S>, j: usize) -> S {
        system.of_rows.clone() * &system.roots[j] * &self.spread.own
    }

    /// The slacks in the basis, Ax; and Hx.
    fn slacks(
        &mut self,
        system: &System<S>,
        basis: &Basis<S>,
        basic: &dyn Fn(usize) -> bool,
        ((mut high, mut low), sums): ((Vec<S>, Vec<S>), &[S]),
    ) {
        let (n, m, d) = (system.n, system.m, system.d);
        let mut sizes: Vec<Sizes<S>> = sums.iter().take(m).map(|size| Sizes::zero().with(size.clone())).collect();
        sizes.iter_mut().for_each(|s| s.solved_from = s.own.clone());
        let of_slacks = self.x.index.last().is_some_and(|&last| last >= n);
        for &j in basis.keys.iter().filter(|&&j| j < n && (of_slacks || system.dense)) {
            let (place, x) = (self.x.place(j), &self.x.entries);
            system.a.for_column(j, |r, a| {
                if basic(n + r) {
                    x.add_to(place, a, &mut high[r], &mut low[r]);
                    if !S::EXACT {
                        sizes[r].add(a, &x.sizes[place]);
                    }
                }
            });
            if system.dense {
                system.add_hessian(j, (&x.high[place], &x.low[place]), (&mut high[m + d..], &mut low[m + d..]));
            }
        }
        for r in (0..m).filter(|&r| basic(n + r)) {
            let (value, sizes) = (high[r].clone() + &low[r], if S::EXACT { Sizes::zero() } else { sizes[r].clone() });
            let rest = (high[r].clone() - &value) + &low[r];
            let none = value.abs() <= sizes.rounding();
            self.x.set(n + r, if none { (S::zero(), S::zero()) } else { (value, rest) }, sizes);
        }
        if system.dense {
            self.hx = (high.split_off(m + d), low.split_off(m + d));
        }
    }

    /// What Hx has rounding of.
    fn spread(&mut self, system: &System<S>, basic: &dyn Fn(usize) -> bool, held: &dyn Fn(usize) -> (S, S)) {
        for j in 0..system.n {
            if basic(j) {
                let sizes = self.x.sizes(j).clone();
                self.spread.add(&system.roots[j], &sizes);
            } else {
                self.spread.add(&system.roots[j], &Sizes::zero().with(held(j).0.abs()));
            }
        }
    }

    /// z of column j, whose cost is given.
    pub fn z(&self, system: &System<S>, j: usize, cost: S) -> S {
        if j >= system.n {
            return cost - &self.eta.high[j - system.n];
        }
        let z = cost + system.column_dot(j, &self.eta.high);
        if system.dense { z + &self.hx.0[j] } else { z }
    }

    /// The sizes of the terms of (Hx)ⱼ, where H is used by its entries, or what is not known of it as one rounding of such terms.
    pub fn spread_at(&self, system: &System<S>, j: usize) -> S {
        if system.dense {
            system.roots[j].clone() * (self.spread.own.clone() + &self.spread.solved_from)
        } else if system.of_rows.is_zero() {
            S::zero()
        } else {
            self.of_rows_at(system, j) / S::epsilon()
        }
    }

    /// The same, in twice the working precision, with the cost as a sum of two; and the sizes of its terms but for the cost (of slacks and variables alike). Zero on exact scalars.
    pub fn z_finely(&self, system: &System<S>, j: usize, (mut high, mut low): (S, S)) -> ((S, S), Sizes<S>) {
        if j >= system.n {
            let i = j - system.n;
            self.eta.add_to(i, &-S::one(), &mut high, &mut low);
            return ((high, low), self.eta.sizes[i].clone());
        }
        let mut sizes = Sizes::zero();
        system.for_column(j, |i, v| {
            self.eta.add_to(i, v, &mut high, &mut low);
            if !S::EXACT {
                sizes.add(v, &self.eta.sizes[i]);
            }
        });
        if system.dense {
            S::accumulate(&mut high, &mut low, &self.hx.0[j], &S::one());
            low += &self.hx.1[j];
            sizes.add(&system.roots[j], &self.spread);
        } else if !system.of_rows.is_zero() {
            sizes.error += self.of_rows_at(system, j);
        }
        ((high, low), sizes)
    }
}
