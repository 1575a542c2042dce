//! Columns that enter or leave the basis, and the null vectors where they cannot enter or leave.
//!
//! The key of a variable is in K if the variable is in the basis; the key of a row is in K if its slack is *not* in the basis. So a variable enters by a pivot
//! in and a slack by a pivot out, and they leave by the other one. K without i, or with j, is singular exactly where
//!
//! ```text
//! leaving i:    M e_i (or −Mk, 1) = (0, w):   A_Gᵀw = 0 for all of G = F∖i, and not for i: y may move along w
//! entering j:   (−Mk, 1) (or M e_r) = (d, 0):  Hd = 0, Ad = 0:                          x may move along d
//! ```
//!
//! that is, where the H-part of the first vanishes (Hξ, measured against the terms of the equation), or √(dᵀHd) of the second (measured against Σ√Hⱼⱼ|dⱼ|).
//! Both are proportional to the distance of the basis from a singular one, while the pivot is proportional to its square. (With features √(dᵀHd) is the length
//! of the features' part of the vector, √(Σy_f²/κ).)

use super::basis::Probe;
use super::follower::RowFollower;
use crate::error::ProblemError;
use crate::scalar::Scalar;
use crate::settings::ROUNDING;

/// A change of one key of the basis.
pub(super) enum Pivot<S> {
    In { key: usize, probe: Probe<S> },
    Out { position: usize, m: Vec<S> },
}

/// A vector that the basis with the change, or without it, takes to zero.
pub(super) enum Null<S> {
    /// y may move along it: m entries, zero for rows whose slack is in the basis.
    Multipliers(Vec<S>),
    /// x may move along it: columns of F ∪ {j} with their entries, those of j itself last.
    Direction(Vec<(usize, S)>),
}

impl<S: Scalar> RowFollower<S> {
    /// The change of the basis that takes column i out of it or into it.
    pub(super) fn pivot(&self, i: usize) -> Pivot<S> {
        match self.basis.position(i) {
            Some(position) => Pivot::Out { position, m: self.basis.unit(position) },
            None => Pivot::In { key: i, probe: self.basis.probe(&self.system, i) },
        }
    }

    /// The null vector of the basis without the column that the pivot takes out of it, if it is singular.
    pub(super) fn null_of_leaving(&self, pivot: &Pivot<S>) -> Option<Null<S>> {
        let (n, keys) = (self.system.n, &self.basis.keys);
        // The x-part of the vector is ξ, the rest η; the equation is Hξ + Bᵀη = e_i, or the column of the row.
        let (vector, sign, terms): (&[S], S, Vec<S>) = match pivot {
            Pivot::Out { position, m } => {
                let mut terms = vec![S::zero(); keys.len()];
                terms[*position] = S::one();
                (m, S::one(), terms)
            }
            Pivot::In { probe, .. } => (&probe.v, -S::one(), probe.column.iter().map(S::abs).collect()),
        };
        let is_h = |k: usize| keys[k] < n || keys[k] >= self.system.columns();
        let variables: Vec<usize> = (0..keys.len()).filter(|&k| keys[k] < n).collect();
        let root = |k: usize| self.system.roots[keys[k]].clone();
        let unit = variables.iter().fold(S::zero(), |m, &k| S::larger(m, root(k)));
        let (mut largest_share, mut largest_size) = (S::zero(), S::zero());
        for row in variables.into_iter().filter(|_| !unit.is_zero()) {
            let (mut share, mut size) = (S::zero(), terms[row].clone());
            self.basis.for_row(row, |k, entry| {
                let term = entry.clone() * &vector[k];
                if is_h(k) {
                    share += term;
                } else if !S::EXACT {
                    size += term.abs();
                }
            });
            // In units in which all rows of H are equally long.
            let scale = if root(row).is_zero() { unit.clone() } else { root(row) };
            largest_share = S::larger(largest_share, share.abs() / &scale);
            largest_size = S::larger(largest_size, size / scale);
        }
        if largest_share > largest_size * self.near_singular() {
            return None;
        }
        let mut w = vec![S::zero(); self.system.m];
        for (&key, v) in keys.iter().zip(vector).filter(|(key, _)| (n..self.system.columns()).contains(key)) {
            w[key - n] = v.clone() * &sign;
        }
        if let Pivot::In { key, .. } = pivot {
            w[key - n] = S::one();
        }
        Some(Null::Multipliers(self.without_noise(w)))
    }

    /// The null vector of the basis with column j, if it is singular.
    ///
    /// # Errors
    /// H is indefinite: its curvature along that vector is negative.
    pub(super) fn null_of_entering(&self, j: usize, pivot: &Pivot<S>) -> Result<Option<Null<S>>, ProblemError> {
        let (n, keys) = (self.system.n, &self.basis.keys);
        let (vector, sign): (&[S], S) = match pivot {
            Pivot::In { probe, .. } => (&probe.v, -S::one()),
            Pivot::Out { m, .. } => (m, S::one()),
        };
        let own = matches!(pivot, Pivot::In { .. }).then(|| (j, S::one()));
        let variables = keys.iter().zip(vector).filter(|(key, _)| **key < n);
        let mut d: Vec<(usize, S)> = variables.map(|(&key, v)| (key, v.clone() * &sign)).chain(own).collect();
        // Rounding of what was solved is no part of d: beside columns without curvature it would be all that Hd and its terms consist of.
        let largest = d.iter().fold(S::zero(), |m, (_, v)| S::larger(m, v.abs()));
        d.retain(|(key, v)| *key == j || v.abs() > largest.clone() * S::tolerance(ROUNDING));
        if !self.is_straight(&d)? {
            return Ok(None);
        }
        let noise = S::tolerance(self.settings.dependent);
        let (mut along, mut sizes) = (vec![S::zero(); self.system.m], vec![S::zero(); self.system.m]);
        for (key, v) in &d {
            self.system.a.for_column(*key, |r, a| {
                let term = a.clone() * v;
                sizes[r] += term.abs();
                along[r] += term;
            });
        }
        d.retain(|(key, v)| *key == j || v.abs() > largest.clone() * &noise);
        for r in (0..self.system.m).filter(|&r| self.is_basic(n + r) || n + r == j) {
            if n + r == j || along[r].abs() > sizes[r].clone() * &noise {
                d.push((n + r, along[r].clone()));
            }
        }
        if let Some(last) = d.iter().position(|(key, _)| *key == j) {
            let end = d.len() - 1;
            d.swap(last, end);
        }
        Ok(Some(Null::Direction(d)))
    }

    /// Whether √(dᵀHd) is rounding of Σ√Hⱼⱼ|dⱼ|.
    fn is_straight(&self, d: &[(usize, S)]) -> Result<bool, ProblemError> {
        let spread = d.iter().fold(S::zero(), |s, (key, v)| s + self.system.roots[*key].clone() * v.abs());
        // Where no column has a curvature, d has none.
        if spread.is_zero() {
            return Ok(true);
        }
        let square = self.system.curvature(d);
        let least = -(spread.clone() * &spread * S::tolerance(self.settings.pivot));
        if square < least {
            let scale = &self.system.scale.columns;
            let entry = |(j, v): &(usize, S)| (*j, (v.clone() * &scale[*j]).to_string());
            let direction = d.iter().filter(|(_, v)| !v.is_zero()).map(entry).collect();
            return Err(ProblemError::Indefinite { direction, curvature: square.to_string() });
        }
        if S::EXACT {
            return Ok(square.is_zero());
        }
        let near = self.near_singular();
        Ok(square <= spread.clone() * &spread * &near * near)
    }

    /// The distance from a singular basis that counts as zero. With H given by its rows Z this distance is known to rounding of its terms; with H given by its
    /// entries its square is, of which M has the inverse. A matrix that one event accepts as a basis must not be refused by another.
    fn near_singular(&self) -> S {
        match self.system.dense {
            true => S::tolerance(ROUNDING).scale_root(),
            false => S::tolerance(self.settings.dependent),
        }
    }

    fn without_noise(&self, mut v: Vec<S>) -> Vec<S> {
        let largest = v.iter().fold(S::zero(), |m, v| S::larger(m, v.abs()));
        let noise = largest * S::tolerance(self.settings.dependent);
        v.iter_mut().filter(|v| v.abs() <= noise).for_each(|v| *v = S::zero());
        v
    }

    /// Makes one change.
    pub(super) fn apply(&mut self, pivot: Pivot<S>) {
        match pivot {
            Pivot::In { key, probe } => {
                self.basis.add(key, &probe);
                self.stats.appends += 1;
            }
            Pivot::Out { position, m } => {
                self.basis.remove(position, &m);
                self.stats.deletes += 1;
            }
        }
    }

    /// Makes two changes at once, neither of which need leave the basis nonsingular alone.
    pub(super) fn apply_both(&mut self, first: Pivot<S>, second: Pivot<S>) {
        self.stats.appends += 1;
        self.stats.deletes += 1;
        match (first, second) {
            (Pivot::Out { position, m }, Pivot::In { key, probe })
            | (Pivot::In { key, probe }, Pivot::Out { position, m }) => self.basis.swap(position, &m, key, &probe),
            (Pivot::Out { position: i, m }, Pivot::Out { position: j, m: w }) => {
                self.basis.remove_two((i, &m), (j, &w));
            }
            (Pivot::In { key: a, probe: first }, Pivot::In { key: b, probe: second }) => {
                let cross = self.system.entry(a, b);
                self.basis.add_two([a, b], [&first, &second], &cross);
            }
        }
    }
}
