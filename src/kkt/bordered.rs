//! Factors of a large basis, with borders for the keys that have entered and left since they were computed.
//!
//! K₀ is factored with pivoting in an order that keeps its factors sparse. Every key that has entered since is a border of K₀, and so is every key that has
//! left: with v the column of a key that entered, or e_i for the key at position i that left,
//!
//! ```text
//! [ K₀  V ] [ u ]   [ r ]        C = C₀ − VᵀY,   Y = K₀⁻¹V:        w = C⁻¹(ρ − VᵀK₀⁻¹r),   u = K₀⁻¹r − Yw
//! [ Vᵀ  C₀] [ w ] = [ ρ ]
//! ```
//!
//! (C₀ holds the entries of K between keys that entered, and is zero otherwise). The border of a key that left demands uᵢ = 0, and its unknown takes up the
//! residual of the key's own equation (Gill, Murray, Saunders and Wright 1987, "A Schur-complement method for sparse quadratic programming"). A key that enters
//! again, or leaves again, removes its border. C has one row for each border, and is factored afresh whenever a border is added or removed; when there are more
//! than [`BORDERS`] of them, K itself is factored afresh.

use super::{Entries, Fresh};
use crate::scalar::Scalar;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

/// Sparse factors of a basis are made afresh when more than so many keys have come and gone since.
const BORDERS: usize = 48;

/// Where a key of the basis is.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
enum Slot {
    Base(usize),
    Border(usize),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Border<S> {
    /// None for a key that came, the position in K₀ of one that went.
    gone: Option<usize>,
    v: Entries<S>,
    y: Vec<S>,
}

/// A key that is about to come: its column of K on the keys of K₀, and on the keys of the basis.
pub(crate) struct Coming<'a, S> {
    pub key: usize,
    pub base: Entries<S>,
    pub column: &'a [S],
    pub diagonal: &'a S,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub(crate) struct Factors<S> {
    /// Not stored: it is computed afresh from the columns.
    #[serde(skip, default = "unmade")]
    fresh: Arc<dyn Fresh<S>>,
    /// K₀ by columns, and the keys of these.
    columns: Vec<Entries<S>>,
    base: Vec<usize>,
    base_of: HashMap<usize, usize>,
    /// Of every key of the basis, in its order.
    slots: Vec<Slot>,
    borders: Vec<Border<S>>,
    /// C₀ and the factors of C with its row exchanges.
    between: Vec<Vec<S>>,
    schur: Vec<Vec<S>>,
    order: Vec<usize>,
}

/// Stands for factors that have been read from somewhere, until [`Factors::restore`].
#[derive(Debug)]
struct Unmade;

impl<S> Fresh<S> for Unmade {
    fn solve(&self, _r: &mut [S]) {}
}

fn unmade<S: Scalar>() -> Arc<dyn Fresh<S>> {
    Arc::new(Unmade)
}

impl<S: Scalar> Factors<S> {
    /// Of K by its columns. None where the scalar has no sparse factors, or K none that are finite.
    pub fn new(keys: &[usize], columns: Vec<Entries<S>>) -> Option<Self> {
        let fresh = S::sparse_factors(&columns)?;
        Some(Factors {
            fresh,
            columns,
            base: keys.to_vec(),
            base_of: keys.iter().enumerate().map(|(i, key)| (*key, i)).collect(),
            slots: (0..keys.len()).map(Slot::Base).collect(),
            borders: Vec::new(),
            between: Vec::new(),
            schur: Vec::new(),
            order: Vec::new(),
        })
    }

    /// Whether its lists are those of a basis with these keys, each less than `bound` (it may have been read from somewhere).
    pub fn is_sound(&self, keys: &[usize], bound: usize) -> bool {
        let (k, s) = (self.base.len(), self.borders.len());
        let entries = |column: &Entries<S>| column.iter().all(|(i, _)| (*i as usize) < k);
        let border = |b: &Border<S>| b.gone.is_none_or(|i| i < k) && entries(&b.v) && b.y.len() == k;
        let square = |m: &[Vec<S>]| m.len() == s && m.iter().all(|row| row.len() == s);
        let slot = |(slot, key): (&Slot, &usize)| match slot {
            Slot::Base(i) => self.base.get(*i) == Some(key),
            Slot::Border(b) => *b < s,
        };
        let based = |(i, key): (usize, &usize)| *key < bound && self.base_of.get(key) == Some(&i);
        self.columns.len() == k
            && self.columns.iter().all(entries)
            && self.base.iter().enumerate().all(based)
            && self.base_of.len() == k
            && self.slots.len() == keys.len()
            && self.slots.iter().zip(keys).all(slot)
            && self.borders.iter().all(border)
            && square(&self.between)
            && square(&self.schur)
            && self.order.len() == s
            && self.order.iter().all(|i| *i < s)
    }

    /// The factors of K₀, which are not stored. False where it has none.
    pub fn restore(&mut self) -> bool {
        let fresh = S::sparse_factors(&self.columns);
        let found = fresh.is_some();
        self.fresh = fresh.unwrap_or_else(unmade);
        found
    }

    /// The keys of K₀.
    pub fn base(&self) -> &[usize] {
        &self.base
    }

    /// Whether it is time to factor afresh.
    pub fn is_full(&self) -> bool {
        self.borders.len() > BORDERS
    }

    /// M v.
    pub fn image(&self, v: &[S]) -> Vec<S> {
        let (mut r, mut rho) = (vec![S::zero(); self.base.len()], vec![S::zero(); self.borders.len()]);
        for (slot, v) in self.slots.iter().zip(v) {
            match slot {
                Slot::Base(i) => r[*i] = v.clone(),
                Slot::Border(b) => rho[*b] = v.clone(),
            }
        }
        self.fresh.solve(&mut r);
        for (rho, border) in rho.iter_mut().zip(&self.borders) {
            border.v.iter().for_each(|(i, v)| *rho -= v.clone() * &r[*i as usize]);
        }
        self.solve_schur(&mut rho);
        for (w, border) in rho.iter().zip(&self.borders).filter(|(w, _)| !w.is_zero()) {
            S::axpy(&-w.clone(), &border.y, &mut r);
        }
        let of = |slot: &Slot| match slot {
            Slot::Base(i) => r[*i].clone(),
            Slot::Border(b) => rho[*b].clone(),
        };
        self.slots.iter().map(of).collect()
    }

    /// high + low − K(u + rest).
    pub fn residual(&self, (high, low): (&[S], &[S]), u: &[S], rest: &[S]) -> Vec<S> {
        let (k, s) = (self.base.len(), self.borders.len());
        let zeros = || vec![S::zero(); k + s];
        let (mut h, mut l, mut whole, mut little) = (zeros(), zeros(), zeros(), zeros());
        let at = |slot: &Slot| match slot {
            Slot::Base(i) => *i,
            Slot::Border(b) => k + b,
        };
        for (i, slot) in self.slots.iter().enumerate() {
            (h[at(slot)], l[at(slot)]) = (high[i].clone(), low[i].clone());
            (whole[at(slot)], little[at(slot)]) = (-u[i].clone(), -rest[i].clone());
        }
        let mut add = |row: usize, a: &S, from: usize| {
            S::accumulate(&mut h[row], &mut l[row], a, &whole[from]);
            l[row] += a.clone() * &little[from];
        };
        for (i, column) in self.columns.iter().enumerate().filter(|(i, _)| !whole[*i].is_zero()) {
            column.iter().for_each(|(row, a)| add(*row as usize, a, i));
        }
        for (b, border) in self.borders.iter().enumerate().filter(|(_, border)| border.gone.is_none()) {
            for (i, a) in &border.v {
                add(*i as usize, a, k + b);
                add(k + b, a, *i as usize);
            }
            for (c, a) in self.between[b].iter().enumerate().filter(|(_, a)| !a.is_zero()) {
                add(k + b, a, k + c);
            }
        }
        self.slots.iter().map(|slot| h[at(slot)].clone() + &l[at(slot)]).collect()
    }

    /// Calls `visit` with (position, entry) of row i of K; `position` has those of keys in the basis.
    pub fn for_row(&self, i: usize, position: impl Fn(usize) -> Option<usize>, mut visit: impl FnMut(usize, &S)) {
        match self.slots[i] {
            Slot::Base(at) => {
                for (row, a) in &self.columns[at] {
                    if let Some(place) = position(self.base[*row as usize]) {
                        visit(place, a);
                    }
                }
                for (b, border) in self.borders.iter().enumerate().filter(|(_, border)| border.gone.is_none()) {
                    if let Ok(k) = border.v.binary_search_by_key(&(at as u32), |e| e.0) {
                        visit(self.place_of_border(b), &border.v[k].1);
                    }
                }
            }
            Slot::Border(b) => {
                for (row, a) in &self.borders[b].v {
                    if let Some(place) = position(self.base[*row as usize]) {
                        visit(place, a);
                    }
                }
                for (c, a) in self.between[b].iter().enumerate().filter(|(_, a)| !a.is_zero()) {
                    visit(self.place_of_border(c), a);
                }
            }
        }
    }

    /// The position in the basis of a key that came: a border's entries are few.
    fn place_of_border(&self, b: usize) -> usize {
        self.slots.iter().position(|slot| matches!(slot, Slot::Border(c) if *c == b)).unwrap_or(0)
    }

    /// The key at position i goes; the last key of the basis takes its place.
    pub fn remove(&mut self, i: usize) {
        match self.slots.swap_remove(i) {
            Slot::Border(b) => self.drop_border(b),
            Slot::Base(at) => {
                let mut y = vec![S::zero(); self.base.len()];
                y[at] = S::one();
                self.fresh.solve(&mut y);
                let none = vec![S::zero(); self.borders.len() + 1];
                self.push_border(Border { gone: Some(at), v: vec![(at as u32, S::one())], y }, none);
            }
        }
    }

    /// A key comes, as the last of the basis.
    pub fn add(&mut self, coming: Coming<'_, S>) {
        if let Some(&at) = self.base_of.get(&coming.key) {
            if let Some(b) = self.borders.iter().position(|border| border.gone == Some(at)) {
                self.drop_border(b);
            }
            self.slots.push(Slot::Base(at));
            return;
        }
        let mut y = vec![S::zero(); self.base.len()];
        coming.base.iter().for_each(|(i, v)| y[*i as usize] = v.clone());
        self.fresh.solve(&mut y);
        let mut between = vec![S::zero(); self.borders.len() + 1];
        for (slot, entry) in self.slots.iter().zip(coming.column) {
            if let Slot::Border(b) = slot {
                between[*b] = entry.clone();
            }
        }
        between[self.borders.len()] = coming.diagonal.clone();
        self.slots.push(Slot::Border(self.borders.len()));
        self.push_border(Border { gone: None, v: coming.base, y }, between);
    }

    fn push_border(&mut self, border: Border<S>, between: Vec<S>) {
        for (row, entry) in self.between.iter_mut().zip(&between) {
            row.push(entry.clone());
        }
        self.between.push(between);
        self.borders.push(border);
    }

    fn drop_border(&mut self, b: usize) {
        let last = self.borders.len() - 1;
        self.borders.swap_remove(b);
        self.between.swap_remove(b);
        self.between.iter_mut().for_each(|row| {
            row.swap_remove(b);
        });
        for slot in &mut self.slots {
            if matches!(slot, Slot::Border(c) if *c == last) {
                *slot = Slot::Border(b);
            }
        }
    }

    /// C = C₀ − VᵀY, factored by elimination with row exchanges. False where a pivot is zero.
    pub fn factor_schur(&mut self) -> bool {
        let s = self.borders.len();
        self.schur = (0..s)
            .map(|b| {
                let of = |c: usize| {
                    let y = &self.borders[c].y;
                    let dot = self.borders[b].v.iter().fold(S::zero(), |sum, (i, v)| sum + v.clone() * &y[*i as usize]);
                    self.between[b][c].clone() - dot
                };
                (0..s).map(of).collect()
            })
            .collect();
        self.order = (0..s).collect();
        for c in 0..s {
            let size = |row: usize| self.schur[row][c].abs();
            let pivot = (c..s).fold(c, |best, row| if size(row) > size(best) { row } else { best });
            if self.schur[pivot][c].is_zero() || !self.schur[pivot][c].is_finite_number() {
                return false;
            }
            self.schur.swap(c, pivot);
            self.order.swap(c, pivot);
            let (done, rest) = self.schur.split_at_mut(c + 1);
            for row in rest {
                let factor = row[c].clone() / &done[c][c];
                if !factor.is_zero() {
                    S::axpy(&-factor.clone(), &done[c][c + 1..], &mut row[c + 1..]);
                }
                row[c] = factor;
            }
        }
        true
    }

    fn solve_schur(&self, rho: &mut Vec<S>) {
        let s = rho.len();
        let mut w: Vec<S> = self.order.iter().map(|&row| rho[row].clone()).collect();
        for i in 0..s {
            let (done, rest) = w.split_at_mut(i);
            rest[0] -= S::dot(&self.schur[i][..i], done);
        }
        for i in (0..s).rev() {
            let sum = S::dot(&self.schur[i][i + 1..], &w[i + 1..]);
            w[i] = (w[i].clone() - sum) / &self.schur[i][i];
        }
        *rho = w;
    }

    /// K as it is now, by columns; `position` has those of keys in the basis.
    pub fn columns(&self, position: impl Fn(usize) -> Option<usize>) -> Vec<Entries<S>> {
        let column = |i: usize| {
            let mut entries = Vec::new();
            self.for_row(i, &position, |row, a| entries.push((row as u32, a.clone())));
            entries.sort_by_key(|entry| entry.0);
            entries
        };
        (0..self.slots.len()).map(column).collect()
    }
}
