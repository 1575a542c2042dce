//! The inverse of a basis' equations, with its updates.
//!
//! For structural columns S, active rows W and features (module [`super::system`]) it keeps the symmetric matrix
//!
//! ```text
//! K = [ H_SS  Bᵀ ]        B = the rows W of A on S, and the rows of Z_Sᵀ,    D = 0 for a row, 1/κ for a feature
//!     [ B    −D  ]
//! ```
//!
//! and M = K⁻¹, every entry of both. A key enters or leaves by a pivot of M; two keys change places by a pivot of two by two, which makes replacements possible
//! where neither change alone leaves K nonsingular:
//!
//! ```text
//! in   (column k, diagonal κ):  v = Mk,  p = κ − kᵀv:           M ← [ M + vvᵀ/p   −v/p ; · 1/p ]
//! out  (position i):            m = M e_i,  μ = mᵢ:              M ← M − mmᵀ/μ  without i
//! swap (i out, key in):         β = vᵢ,  Δ = μp + β²:           M ← M + (μvvᵀ − pmmᵀ − β(mvᵀ + vmᵀ))/Δ,  the new column (βm − μv)/Δ, its diagonal μ/Δ
//! ```
//!
//! (the last by multiplying out the first two, so that p or μ may be zero). On exact scalars nothing more is needed. In floating point M is an approximate
//! inverse, from which solutions are refined (module [`super::solve`]); when a correction shows that M has become inaccurate, it is computed afresh.
//!
//! A basis of more than [`INVERSE`] keys is kept in double precision as sparse factors ([`Factors`]) instead of M, and its solutions are refined in the same
//! way.

use super::solve::largest;
use super::system::System;
use crate::kkt::Entries;
use crate::kkt::{Coming, Factors};
use crate::scalar::Scalar;
use crate::settings::Settings;

/// A basis with rows of at most so many keys is kept as an explicit inverse, a larger one as sparse factors (in `f64`).
const INVERSE: usize = 160;

const ABSENT: usize = usize::MAX;

/// K and M with the keys of their rows.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "S: Scalar + serde::Serialize", deserialize = "S: Scalar + serde::Deserialize<'de>"))]
pub(super) struct Basis<S> {
    pub keys: Vec<usize>,
    place: Vec<usize>,
    pub(super) k: Vec<Vec<S>>,
    pub(super) inverse: Vec<Vec<S>>,
    /// In the place of both for many keys.
    pub(super) factors: Option<Factors<S>>,
    pub(super) refinements: usize,
    /// Sizes of terms of right-hand sides, and of what was solved from them, since the basis was another.
    pub(super) terms: Vec<(Vec<S>, Vec<S>)>,
    /// Updates since M was computed afresh, and how often it was.
    updates: usize,
    pub refactors: usize,
}

/// M is no inverse of K, and cannot be made one.
#[derive(Debug)]
pub(super) struct Singular;

/// What adding a key would do.
pub(super) struct Probe<S> {
    /// The entries of its column of K.
    pub column: Vec<S>,
    /// M times that.
    pub v: Vec<S>,
    /// The entries between it and the keys that were factored.
    pub base: Entries<S>,
    /// Its diagonal entry.
    pub diagonal: S,
    /// The pivot.
    pub p: S,
}

impl<S: Scalar> Basis<S> {
    /// No structural column, no row, all features.
    pub fn new(system: &System<S>, settings: &Settings) -> Self {
        let mut basis = Basis::empty(system, settings);
        for f in system.features() {
            let probe = basis.probe(system, f);
            basis.add(f, &probe);
        }
        basis
    }

    fn empty(system: &System<S>, settings: &Settings) -> Self {
        Basis {
            keys: Vec::new(),
            place: vec![ABSENT; system.keys()],
            k: Vec::new(),
            inverse: Vec::new(),
            factors: None,
            refinements: settings.refinements,
            terms: Vec::new(),
            updates: 0,
            refactors: 0,
        }
    }

    /// Of many keys at once, by sparse factors. None where they are few, or the scalar has no such factors.
    pub fn of(system: &System<S>, settings: &Settings, keys: Vec<usize>) -> Option<Self> {
        if !S::SPARSE || keys.len() <= INVERSE {
            return None;
        }
        let factors = Factors::new(&keys, system.columns_on(&keys))?;
        let mut basis = Basis { factors: Some(factors), ..Basis::empty(system, settings) };
        keys.iter().enumerate().for_each(|(i, &key)| basis.place[key] = i);
        basis.keys = keys;
        Some(basis)
    }

    /// Whether its lists are those of a basis of this system (it may have been read from somewhere).
    pub fn is_sound(&self, system: &System<S>) -> bool {
        let (size, keys) = (self.keys.len(), system.keys());
        let placed = |(i, &key): (usize, &usize)| self.place.get(key) == Some(&i);
        let square = |m: &[Vec<S>]| m.len() == size && m.iter().all(|row| row.len() == size);
        let entries = match &self.factors {
            Some(factors) => factors.is_sound(&self.keys, keys),
            None => square(&self.k) && square(&self.inverse),
        };
        let others = self.place.iter().filter(|place| **place != ABSENT).count();
        self.place.len() == keys && self.keys.iter().enumerate().all(placed) && others == size && entries
    }

    /// Computes afresh what is not stored. False where there are no such factors.
    pub fn restore(&mut self) -> bool {
        self.factors.as_mut().is_none_or(Factors::restore)
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn position(&self, key: usize) -> Option<usize> {
        Some(self.place[key]).filter(|place| *place != ABSENT)
    }

    /// Calls `visit` with (position, entry) of row `i` of K.
    pub fn for_row(&self, i: usize, mut visit: impl FnMut(usize, &S)) {
        match &self.factors {
            Some(factors) => factors.for_row(i, |key| self.position(key), visit),
            None => self.k[i].iter().enumerate().filter(|(_, v)| !v.is_zero()).for_each(|(j, v)| visit(j, v)),
        }
    }

    fn push(&mut self, key: usize, column: &[S], diagonal: S) {
        for (row, entry) in self.k.iter_mut().zip(column) {
            row.push(entry.clone());
        }
        self.k.push(column.iter().cloned().chain([diagonal]).collect());
        self.place[key] = self.keys.len();
        self.keys.push(key);
    }

    /// Removes row and column i of K and M; the last key takes its place.
    fn drop(&mut self, i: usize) {
        for matrix in [&mut self.k, &mut self.inverse] {
            matrix.swap_remove(i);
            for row in matrix.iter_mut() {
                row.swap_remove(i);
            }
        }
        self.forget(i);
    }

    fn forget(&mut self, i: usize) {
        self.place[self.keys[i]] = ABSENT;
        self.keys.swap_remove(i);
        if let Some(&moved) = self.keys.get(i) {
            self.place[moved] = i;
        }
    }

    /// Changes the borders of the factors: keys go (positions, the larger first), and come with their columns on the keys that stay. False where there are no factors.
    fn border(&mut self, gone: &[usize], come: &[(usize, &Probe<S>, Vec<S>)]) -> bool {
        let Some(mut factors) = self.factors.take() else { return false };
        self.terms.clear();
        for &i in gone {
            factors.remove(i);
            self.forget(i);
        }
        for (key, probe, column) in come {
            let (base, diagonal) = (probe.base.clone(), &probe.diagonal);
            factors.add(Coming { key: *key, base, column, diagonal });
            self.place[*key] = self.keys.len();
            self.keys.push(*key);
        }
        self.updates += 1;
        let fine = factors.factor_schur() && !factors.is_full();
        self.factors = Some(factors);
        // What cannot be factored is told by the next solution.
        if !fine && self.refactor().is_err() {
            self.updates += 1;
        }
        true
    }

    /// From the inverse to factors, where there are many keys.
    fn grow(&mut self) {
        if !S::SPARSE || self.factors.is_some() || self.len() <= INVERSE {
            return;
        }
        let entries = |row: &Vec<S>| {
            let all = row.iter().enumerate().filter(|(_, v)| !v.is_zero());
            all.map(|(i, v)| (i as u32, v.clone())).collect()
        };
        self.factors = Factors::new(&self.keys, self.k.iter().map(entries).collect());
        if self.factors.is_some() {
            (self.k, self.inverse) = (Vec::new(), Vec::new());
        }
    }

    /// M += Σ wₖ aₖbₖᵀ, each with its transpose where a and b differ.
    fn rank(&mut self, terms: &[(&[S], &[S], S)]) {
        for (a, b, weight) in terms.iter().filter(|term| !term.2.is_zero()) {
            let same = std::ptr::eq(a.as_ptr(), b.as_ptr());
            for (i, row) in self.inverse.iter_mut().enumerate() {
                let left = a[i].clone() * weight;
                if !left.is_zero() {
                    S::axpy(&left, b, row);
                }
                if !same && !b[i].is_zero() {
                    S::axpy(&(b[i].clone() * weight), a, row);
                }
            }
        }
        self.updates += 1;
    }

    /// Adds a key with the pivot of its probe.
    pub fn add(&mut self, key: usize, probe: &Probe<S>) {
        if self.border(&[], &[(key, probe, probe.column.clone())]) {
            return;
        }
        let over = S::one() / &probe.p;
        let v = &probe.v;
        self.rank(&[(v, v, over.clone())]);
        for (row, v) in self.inverse.iter_mut().zip(v) {
            row.push(-(v.clone() * &over));
        }
        self.inverse.push(v.iter().map(|v| -(v.clone() * &over)).chain([over.clone()]).collect());
        self.push(key, &probe.column, probe.diagonal.clone());
        self.grow();
    }

    /// Removes the key at a position, with m = M e_i.
    pub fn remove(&mut self, i: usize, m: &[S]) {
        if self.border(&[i], &[]) {
            return;
        }
        let weight = -(S::one() / &m[i]);
        self.rank(&[(m, m, weight)]);
        self.drop(i);
    }

    /// Puts a key in the place of the one at position i, m = M e_i.
    pub fn swap(&mut self, i: usize, m: &[S], key: usize, probe: &Probe<S>) {
        if self.factors.is_some() {
            let mut column = probe.column.clone();
            column.swap_remove(i);
            self.border(&[i], &[(key, probe, column)]);
            return;
        }
        let (mu, p, beta) = (m[i].clone(), probe.p.clone(), probe.v[i].clone());
        let v = &probe.v;
        let delta = mu.clone() * &p + beta.clone() * &beta;
        let over = S::one() / delta;
        let terms = [(&v[..], &v[..], mu.clone() * &over), (m, m, -(p * &over)), (m, &v[..], -(beta.clone() * &over))];
        self.rank(&terms);
        for a in 0..self.len() {
            let entry = (beta.clone() * &m[a] - mu.clone() * &v[a]) * &over;
            self.inverse[a][i] = entry.clone();
            self.inverse[i][a] = entry;
            self.k[a][i] = probe.column[a].clone();
            self.k[i][a] = probe.column[a].clone();
        }
        self.inverse[i][i] = mu * over;
        self.k[i][i] = probe.diagonal.clone();
        self.place[self.keys[i]] = ABSENT;
        self.place[key] = i;
        self.keys[i] = key;
    }

    /// Removes two keys at once; `a` and `b` are the positions with their columns of M.
    pub fn remove_two(&mut self, (i, m): (usize, &[S]), (j, w): (usize, &[S])) {
        if self.border(&[i.max(j), i.min(j)], &[]) {
            return;
        }
        let (mu, nu, beta) = (m[i].clone(), w[j].clone(), m[j].clone());
        let over = S::one() / (mu.clone() * &nu - beta.clone() * &beta);
        self.rank(&[(m, m, -(nu * &over)), (w, w, -(mu * &over)), (m, w, beta * &over)]);
        let (first, second) = (i.max(j), i.min(j));
        self.drop(first);
        self.drop(second);
    }

    /// Adds two keys at once; `cross` is the entry of K between them.
    pub fn add_two(&mut self, keys: [usize; 2], [a, b]: [&Probe<S>; 2], cross: &S) {
        let second: Vec<S> = b.column.iter().cloned().chain([cross.clone()]).collect();
        if self.border(&[], &[(keys[0], a, a.column.clone()), (keys[1], b, second)]) {
            return;
        }
        let p12 = cross.clone() - S::dot(&a.column, &b.v);
        let over = S::one() / (a.p.clone() * &b.p - p12.clone() * &p12);
        let [w11, w12, w22] = [b.p.clone() * &over, -(p12 * &over), a.p.clone() * &over];
        self.rank(&[(&a.v, &a.v, w11.clone()), (&b.v, &b.v, w22.clone()), (&a.v, &b.v, w12.clone())]);
        let side = |x: &S, y: &S, v: &S, w: &S| -(x.clone() * v + y.clone() * w);
        let first: Vec<S> = a.v.iter().zip(&b.v).map(|(v, w)| side(&w11, &w12, v, w)).collect();
        let second: Vec<S> = a.v.iter().zip(&b.v).map(|(v, w)| side(&w12, &w22, v, w)).collect();
        for (k, row) in self.inverse.iter_mut().enumerate() {
            row.push(first[k].clone());
            row.push(second[k].clone());
        }
        self.inverse.push(first.into_iter().chain([w11, w12.clone()]).collect());
        self.inverse.push(second.into_iter().chain([w12, w22]).collect());
        self.push(keys[0], &a.column, a.diagonal.clone());
        let column: Vec<S> = b.column.iter().cloned().chain([cross.clone()]).collect();
        self.push(keys[1], &column, b.diagonal.clone());
        self.grow();
    }

    /// M or the factors afresh.
    pub fn refactor(&mut self) -> Result<(), Singular> {
        self.terms.clear();
        let Some(factors) = &self.factors else { return self.invert() };
        let columns = factors.columns(|key| self.position(key));
        if 2 * self.len() > INVERSE {
            (self.refactors, self.updates) = (self.refactors + 1, 0);
            self.factors = Some(Factors::new(&self.keys, columns).ok_or(Singular)?);
            return Ok(());
        }
        let zeros = || vec![vec![S::zero(); self.len()]; self.len()];
        (self.k, self.inverse) = (zeros(), zeros());
        for (j, column) in columns.into_iter().enumerate() {
            column.into_iter().for_each(|(i, v)| self.k[i as usize][j] = v);
        }
        self.factors = None;
        self.invert()
    }

    /// M afresh: Gauss and Jordan with partial pivoting, rows and columns brought to one scale first.
    fn invert(&mut self) -> Result<(), Singular> {
        self.refactors += 1;
        self.updates = 0;
        let k = self.len();
        let scale: Vec<S> = self.k.iter().map(|row| root_scale(largest(row))).collect();
        let mut left: Vec<Vec<S>> = (0..k)
            .map(|i| {
                let row = self.k[i].iter().zip(&scale).map(|(v, s)| v.clone() * s * &scale[i]);
                row.chain((0..k).map(|j| if i == j { S::one() } else { S::zero() })).collect()
            })
            .collect();
        for c in 0..k {
            let pivot = (c..k).fold(c, |best, i| if left[i][c].abs() > left[best][c].abs() { i } else { best });
            if left[pivot][c].is_zero() || !left[pivot][c].is_finite_number() {
                return Err(Singular);
            }
            left.swap(c, pivot);
            let over = S::one() / &left[c][c];
            left[c].iter_mut().for_each(|v| *v *= &over);
            let row = left[c].clone();
            for (_, other) in left.iter_mut().enumerate().filter(|(i, _)| *i != c) {
                let factor = -other[c].clone();
                if !factor.is_zero() {
                    S::axpy(&factor, &row[c..], &mut other[c..]);
                }
            }
        }
        for (i, row) in left.into_iter().enumerate() {
            self.inverse[i] = row[k..].iter().zip(&scale).map(|(v, s)| v.clone() * s * &scale[i]).collect();
        }
        for i in 0..k {
            for j in 0..i {
                let mean = (self.inverse[i][j].clone() + &self.inverse[j][i]) / S::integer(2);
                self.inverse[i][j] = mean.clone();
                self.inverse[j][i] = mean;
            }
        }
        Ok(())
    }
}

/// 1/√size, one for nothing (and for exact scalars).
fn root_scale<S: Scalar>(size: S) -> S {
    if size.is_zero() { S::one() } else { S::one() / size.scale_root() }
}
