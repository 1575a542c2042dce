//! Solutions of a basis: x, η and z of a value at t, of its rate, or of a perturbation.

use super::basis::{Basis, Singular};
use super::system::System;
use crate::scalar::Scalar;
use crate::settings::{CANCELLED, ROUNDING};

/// The bounds and costs that a basis is solved for.
pub(super) struct Given<'a, S> {
    /// The value of a column that is at a bound.
    pub held: &'a dyn Fn(usize) -> S,
    /// The cost of a column, as a sum of two numbers.
    pub cost: &'a dyn Fn(usize) -> (S, S),
    /// The sizes of the terms of either.
    pub held_size: &'a dyn Fn(usize) -> S,
    pub cost_size: &'a dyn Fn(usize) -> S,
    /// What the columns at bounds contribute to the m rows, d features and (where H is used by its entries) Hx, likewise, and the sizes of its terms.
    pub sums: (Vec<S>, Vec<S>),
    pub sums_size: Vec<S>,
}

/// x of all columns and η = −(y, y_f), with the sizes of their terms (zero on exact scalars).
#[derive(Clone, Debug)]
pub(super) struct Half<S> {
    /// n variables, m slacks.
    pub x: Vec<S>,
    pub x_size: Vec<S>,
    /// m rows, d features.
    pub eta: Vec<S>,
    pub eta_size: Vec<S>,
    /// Hx, where H is used by its entries.
    pub hx: Vec<S>,
    /// The largest √Hⱼⱼ-weighted sum of |x|, of which Hx has rounding.
    pub spread: S,
}

impl<S: Scalar> Half<S> {
    pub fn nothing() -> Self {
        let none = Vec::new;
        Half { x: none(), x_size: none(), eta: none(), eta_size: none(), hx: none(), spread: S::zero() }
    }

    /// Solves for columns of which `basic` tells whether they are in the basis.
    pub fn solve(
        system: &System<S>,
        basis: &mut Basis<S>,
        basic: &dyn Fn(usize) -> bool,
        given: Given<'_, S>,
    ) -> Result<Self, Singular> {
        let (n, m, d) = (system.n, system.m, system.d);
        let (sum_high, sum_low) = given.sums;
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
                let mut h = if i < m { (given.held)(key) } else { S::zero() };
                let mut l = -sum_low[i].clone();
                S::accumulate(&mut h, &mut l, &sum_high[i], &-S::one());
                (h, l)
            };
            high.push(h);
            low.push(l);
            if S::EXACT {
                continue;
            }
            sizes.push(
                of_slacks
                    + match key {
                        j if j < n && system.dense => (given.cost_size)(j) + &given.sums_size[m + d + j],
                        j if j < n => (given.cost_size)(j),
                        r if r < n + m => (given.held_size)(r) + &given.sums_size[r - n],
                        f => given.sums_size[f - n].clone(),
                    },
            );
        }
        let solved = basis.solve(&high, &low, &sizes)?;
        let mut half = Half {
            x: (0..n).map(|j| if basic(j) { S::zero() } else { (given.held)(j) }).collect(),
            x_size: vec![S::zero(); n + m],
            eta: vec![S::zero(); m + d],
            eta_size: vec![S::zero(); m + d],
            hx: Vec::new(),
            spread: S::zero(),
        };
        for (r, cost) in inactive {
            half.eta_size[r] = cost.abs();
            half.eta[r] = cost;
        }
        for (&key, (u, size)) in basis.keys.iter().zip(solved.u.into_iter().zip(solved.size)) {
            // Less than one rounding of each term.
            let u = if u.abs() <= size.clone() * S::tolerance(CANCELLED) { S::zero() } else { u };
            let (value, sizes, i) = if key < n {
                (&mut half.x, &mut half.x_size, key)
            } else {
                (&mut half.eta, &mut half.eta_size, key - n)
            };
            (value[i], sizes[i]) = (u, size);
        }
        half.slacks(system, basis, basic, &given.held, ((sum_high, sum_low), &given.sums_size));
        Ok(half)
    }

    /// The slacks: their bounds, or Ax where they are in the basis; and Hx.
    fn slacks(
        &mut self,
        system: &System<S>,
        basis: &Basis<S>,
        basic: &dyn Fn(usize) -> bool,
        held: &dyn Fn(usize) -> S,
        ((mut high, mut low), sizes): ((Vec<S>, Vec<S>), &[S]),
    ) {
        let (n, m, d) = (system.n, system.m, system.d);
        let mut size: Vec<S> = sizes.iter().take(m).cloned().collect();
        for &j in basis.keys.iter().filter(|&&j| j < n) {
            let (x, x_size) = (&self.x[j], &self.x_size[j]);
            system.a.for_column(j, |r, a| {
                if basic(n + r) {
                    S::accumulate(&mut high[r], &mut low[r], a, x);
                    if !S::EXACT {
                        size[r] += a.abs() * x_size;
                    }
                }
            });
            if system.dense {
                let hx = &mut high[m + d..];
                system.add_hessian(j, x, hx);
            }
            if !S::EXACT {
                self.spread += system.roots[j].clone() * x_size;
            }
        }
        for r in 0..m {
            let is_basic = basic(n + r);
            let mut value = if is_basic { high[r].clone() + &low[r] } else { held(n + r) };
            if is_basic && !S::EXACT {
                if value.abs() <= size[r].clone() * S::tolerance(CANCELLED) {
                    value = S::zero();
                }
                self.x_size[n + r] = size[r].clone();
            }
            self.x.push(value);
        }
        if system.dense {
            self.hx = high[m + d..].iter().zip(&low[m + d..]).map(|(h, l)| h.clone() + l).collect();
            if !S::EXACT {
                for j in 0..n {
                    self.spread += system.roots[j].clone() * self.x[j].abs();
                }
            }
        }
    }

    /// z of column j, whose cost is given.
    pub fn z(&self, system: &System<S>, j: usize, cost: S) -> S {
        if j >= system.n {
            return cost - &self.eta[j - system.n];
        }
        let z = cost + system.column_dot(j, &self.eta);
        if system.dense { z + &self.hx[j] } else { z }
    }

    /// The sizes of the terms of zⱼ, of which rounding is part: of η as it is, and of what η was solved from. Zero on exact scalars.
    pub fn z_sizes(&self, system: &System<S>, j: usize) -> [S; 2] {
        if S::EXACT {
            return [S::zero(), S::zero()];
        }
        if j >= system.n {
            return [self.eta[j - system.n].abs(), self.eta_size[j - system.n].clone()];
        }
        let own: Vec<S> = self.eta.iter().map(S::abs).collect();
        let of_h = system.roots[j].clone() * &self.spread;
        let of_h = if system.dense { of_h } else { S::zero() };
        [system.column_size(j, &own) + &of_h, system.column_size(j, &self.eta_size) + of_h]
    }
}

/// What is known to `tolerance` of its size and to rounding of what it was solved from.
pub(super) fn allowance<S: Scalar>(size: &S, solved_from: &S, multiple: f64) -> S {
    if S::EXACT {
        return S::zero();
    }
    size.clone() * S::tolerance(multiple) + solved_from.clone() * S::tolerance(ROUNDING)
}
