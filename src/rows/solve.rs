//! Solutions of a basis' equations, to twice the working precision.
//!
//! M (or the sparse factors) is an approximate inverse of K. A solution is a sum of two numbers u + v, and every step
//!
//! ```text
//! r = f − K(u + v)  in twice the working precision,     c = M r,     u + v ← u + v + c
//! ```
//!
//! reduces its error by the same factor |I − MK|, until the error is rounding of the residual: ε² of its terms (Wilkinson 1963; Demmel, Hida, Kahan, Li,
//! Mukherjee and Riedy 2006, "Error bounds from extra-precise iterative refinement", doi:10.1145/1141885.1141894, who keep v as well). So the error of each
//! entry is estimated by the last correction, not from the sizes of the terms; and the distance of x from a bound is known to a small relative error, however
//! short, as long as M is an approximate inverse at all (condition numbers below 1/ε).

use super::basis::{Basis, Probe, Singular};
use super::system::System;
use crate::active_set::key as hash;
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, ROUNDING};

/// Where no inverse is at hand the terms of a solution are told from so many right-hand sides with signs of their own.
const SIGNS: u64 = 2;

/// A solution of the basis' equations as a sum of two numbers; the sizes of the terms that each entry was solved from, and what each is known to.
pub(super) struct Solved<S> {
    pub u: Vec<S>,
    pub rest: Vec<S>,
    pub size: Vec<S>,
    pub error: Vec<S>,
}

/// How far a solution is refined.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// To rounding of itself.
    Rounded,
    /// Until corrections do not shrink any more.
    Finest,
}

impl<S: Scalar> Basis<S> {
    /// M v.
    fn image(&self, v: &[S]) -> Vec<S> {
        match &self.factors {
            Some(factors) => factors.image(v),
            None => self.inverse.iter().map(|row| S::dot(row, v)).collect(),
        }
    }

    /// Whether images of vectors of ones with signs are no larger than 1/√ε, and are what K takes back to these vectors.
    pub(super) fn is_far_from_singular(&self) -> bool {
        let sign = |key: &usize, turn: u64| if hash(*key, turn) >> 63 == 0 { S::one() } else { -S::one() };
        let zeros = vec![S::zero(); self.len()];
        let small = S::epsilon().scale_root();
        (0..SIGNS).all(|turn| {
            let ones: Vec<S> = self.keys.iter().map(|key| sign(key, turn)).collect();
            let image = self.image(&ones);
            let off = largest(&self.residual((&ones, &zeros), &image, &zeros));
            largest(&image) * &small <= S::one() && off <= small
        })
    }

    /// Whether M is of use: it takes more than half of the error off the solutions for vectors of ones with signs.
    pub(super) fn is_inverse(&self) -> bool {
        let sign = |key: &usize, turn: u64| if hash(*key, turn) >> 63 == 0 { S::one() } else { -S::one() };
        let zeros = vec![S::zero(); self.len()];
        (0..SIGNS).all(|turn| {
            let ones: Vec<S> = self.keys.iter().map(|key| sign(key, turn)).collect();
            let image = self.image(&ones);
            let correction = largest(&self.image(&self.residual((&ones, &zeros), &image, &zeros)));
            correction.is_finite_number() && correction * S::integer(2) <= largest(&image)
        })
    }

    /// high + low − K(u + rest).
    fn residual(&self, (high, low): (&[S], &[S]), u: &[S], rest: &[S]) -> Vec<S> {
        if let Some(factors) = &self.factors {
            return factors.residual((high, low), u, rest);
        }
        let minus: Vec<S> = u.iter().map(|u| -u.clone()).collect();
        let rows = self.k.iter().zip(high).zip(low);
        let of = |((row, high), low): ((&Vec<S>, &S), &S)| {
            let (mut h, mut l) = (high.clone(), low.clone());
            S::accumulate_dot(&mut h, &mut l, row, &minus);
            h + (l - S::dot(row, rest))
        };
        rows.map(of).collect()
    }

    /// |M| times the sizes of the terms of a right-hand side. Without M at hand: the largest |Mv| of some v that have these sizes and signs of their own.
    pub(super) fn terms(&self, sizes: &[S]) -> Vec<S> {
        if self.factors.is_none() {
            let of = |row: &Vec<S>| row.iter().zip(sizes).fold(S::zero(), |s, (m, h)| s + m.abs() * h.abs());
            return self.inverse.iter().map(of).collect();
        }
        let mut found = vec![S::zero(); sizes.len()];
        for turn in 0..SIGNS {
            let signed = |(key, size): (&usize, &S)| match hash(*key, turn) >> 63 {
                0 => size.clone(),
                _ => -size.clone(),
            };
            let image = self.image(&self.keys.iter().zip(sizes).map(signed).collect::<Vec<S>>());
            for (found, v) in found.iter_mut().zip(image) {
                *found = S::larger(found.clone(), v.abs());
            }
        }
        found
    }

    /// [`Basis::terms`], or more, from those of a right-hand side with terms of about these sizes.
    fn terms_of_late(&mut self, sizes: &[S]) -> Vec<S> {
        if self.factors.is_none() {
            return self.terms(sizes);
        }
        let of_late = self.terms.iter().find_map(|(before, found)| {
            let most = larger_by(before, sizes)?;
            (larger_by(sizes, before)? <= S::integer(2) && most <= S::integer(2)).then_some((most, found))
        });
        if let Some((most, found)) = of_late {
            let most = S::larger(most, S::one());
            return found.iter().map(|found| found.clone() * &most).collect();
        }
        let found = self.terms(sizes);
        self.terms.truncate(1);
        self.terms.insert(0, (sizes.to_vec(), found.clone()));
        found
    }

    /// Takes corrections off the error of u + rest; the last of them. None when they do not shrink, and are more than rounding of the terms: M is poor.
    fn refine(
        &self,
        (high, low, sizes): (&[S], &[S], &[S]),
        (u, rest): (&mut [S], &mut [S]),
        until: Until,
    ) -> Option<Vec<S>> {
        let mut last: Option<(S, Vec<S>)> = None;
        for _ in 0..self.refinements.max(2) {
            let correction = self.image(&self.residual((high, low), u, rest));
            let (size, moved) = (largest(u), largest(&correction));
            if !moved.is_finite_number() {
                return None;
            }
            for ((u, rest), c) in u.iter_mut().zip(rest.iter_mut()).zip(&correction) {
                add(u, rest, c);
            }
            let enough = if until == Until::Rounded { S::tolerance(CANCELLED) } else { S::twice() };
            if moved <= size * enough {
                return Some(correction);
            }
            let Some((before, shrunk)) = last.replace((moved.clone(), correction)) else { continue };
            // Each turn takes the same part off the error, less than half of it while M is of use.
            if moved * S::integer(2) > before {
                last = Some((before, shrunk));
                break;
            }
        }
        let (moved, correction) = last?;
        (moved <= largest(&self.terms(sizes)) * S::tolerance(ROUNDING)).then_some(correction)
    }

    /// Solves K u = high + low, of which `sizes` are the sizes of the terms, from a first guess at u, a sum of two numbers.
    ///
    /// # Errors
    /// K is singular as far as the scalar can tell.
    pub fn solve(
        &mut self,
        (high, low, sizes): (&[S], &[S], &[S]),
        guess: Option<(Vec<S>, Vec<S>)>,
    ) -> Result<Solved<S>, Singular> {
        let zeros = || vec![S::zero(); high.len()];
        if S::EXACT {
            return Ok(Solved { u: self.image(high), rest: zeros(), size: zeros(), error: zeros() });
        }
        let (mut u, mut rest) = guess.unwrap_or_else(|| (self.image(high), zeros()));
        let given = (high, low, sizes);
        let error = match self.refine(given, (&mut u, &mut rest), Until::Finest) {
            Some(error) => error,
            None => {
                self.refactor()?;
                (u, rest) = (self.image(high), zeros());
                self.refine(given, (&mut u, &mut rest), Until::Finest).ok_or(Singular)?
            }
        };
        let mut size = self.terms_of_late(sizes);
        // Where no term is, there is still the rounding of what rounding left of the others.
        let least = largest(&size) * S::epsilon();
        size.iter_mut().for_each(|size| *size += &least);
        let error = error.into_iter().zip(&size).map(|(e, size)| e.abs() + size.clone() * S::twice()).collect();
        Ok(Solved { u, rest, size, error })
    }

    /// M v from a first guess at it, to rounding of itself.
    fn rounded(&self, v: &[S], mut u: Vec<S>) -> Vec<S> {
        if !S::EXACT {
            let zeros = vec![S::zero(); v.len()];
            self.refine((v, &zeros, v), (&mut u, &mut zeros.clone()), Until::Rounded);
        }
        u
    }

    /// M e_i.
    pub fn unit(&self, i: usize) -> Vec<S> {
        let mut high = vec![S::zero(); self.len()];
        high[i] = S::one();
        let u = match self.factors {
            Some(_) => self.image(&high),
            None => self.inverse[i].clone(),
        };
        self.rounded(&high, u)
    }

    pub fn probe(&self, system: &System<S>, key: usize) -> Probe<S> {
        let (column, diagonal) = (system.column(key, &self.keys), system.diagonal(key));
        let base = self.factors.as_ref().map_or_else(Vec::new, |factors| {
            let entries = system.column(key, factors.base()).into_iter().enumerate();
            entries.filter(|(_, v)| !v.is_zero()).map(|(i, v)| (i as u32, v)).collect()
        });
        let v = self.rounded(&column, self.image(&column));
        let (mut p, mut low) = (diagonal.clone(), S::zero());
        let minus: Vec<S> = v.iter().map(|v| -v.clone()).collect();
        S::accumulate_dot(&mut p, &mut low, &column, &minus);
        p += low;
        Probe { column, v, base, diagonal, p }
    }
}

/// The largest of how many times these are those. None where one is not zero and was.
fn larger_by<S: Scalar>(those: &[S], these: &[S]) -> Option<S> {
    those.iter().zip(these).try_fold(S::zero(), |most, (that, this)| match (that.is_zero(), this.is_zero()) {
        (_, true) => Some(most),
        (true, false) => None,
        (false, false) => Some(S::larger(most, this.clone() / that)),
    })
}

/// u + rest += c.
pub(super) fn add<S: Scalar>(u: &mut S, rest: &mut S, c: &S) {
    S::accumulate(u, rest, c, &S::one());
    let sum = u.clone() + &*rest;
    let part = sum.clone() - &*u;
    *rest -= part;
    *u = sum;
}

pub(super) fn largest<S: Scalar>(v: &[S]) -> S {
    v.iter().fold(S::zero(), |m, v| if v.abs() > m || !v.is_finite_number() { v.abs() } else { m })
}
