//! The problem in the form that is followed: equality rows and boxes only.
//!
//! A row bl ≤ Ax ≤ bu becomes Ax − s = 0 with a slack bl ≤ s ≤ bu. The columns are then the n variables and the m slacks (column −e_r, with zeros in H), and
//! only c and the bounds of the columns depend on t; the right-hand side is always zero. Where H = κZZᵀ is given by rows Z with few columns, the fit is a
//! variable of its
//! own, as in the augmented system of least squares (Björck 1967, doi:10.1007/BF01939321): a *feature* is a row Zᵀx + y_f/κ = 0 with y_f = −κZᵀx, so that
//!
//! ```text
//! z = c + H x − Aᵀy = c − Zy_f − Aᵀy:      a row of the problem is a feature without penalty,
//! ```
//!
//! Z is factored and not H (whose condition is the square), and a linear program is the case without features. Unknowns are x and η = −(y, y_f), so that the matrix is symmetric.

use super::scale::Scale;
use crate::hessian::{Gram, Hessian, Metric, of_rows};
use crate::kkt::{Entries, Part, Place, Sums};
use crate::problem::{Line, Matrix, unit};
use crate::scalar::Scalar;
use std::sync::{Arc, OnceLock};

/// What does not move: H and A. Keys: columns 0 … n − 1 are variables, n … n + m − 1 slacks (as keys of a basis: their rows), from n + m on features.
pub(super) struct System<S> {
    pub n: usize,
    pub m: usize,
    /// Features, zero where H is used by its entries.
    pub d: usize,
    hessian: Arc<dyn Hessian<S>>,
    /// H is used by its entries.
    pub dense: bool,
    pub a: Arc<Matrix<S>>,
    /// √Hⱼⱼ, one on exact scalars where it is not zero.
    pub roots: Vec<S>,
    /// H differs from κZZᵀ by up to so much of √(HᵢᵢHⱼⱼ) in its entries, where the rows Z were computed from these.
    pub of_rows: S,
    over_scale: S,
    /// The units of all this.
    pub scale: Scale<S>,
    metric: OnceLock<Option<Metric>>,
}

impl<S: Scalar> System<S> {
    /// Of a line in the units of `scale`, H as it was given.
    pub fn new(line: &Line<S>, a: Arc<Matrix<S>>, scale: Scale<S>, given: &dyn Hessian<S>) -> Self {
        let (n, hessian) = (line.n(), line.hessian.clone());
        let gram = low_rank(hessian.as_ref());
        let is_zero = (0..n).all(|i| hessian.diagonal(i).is_zero());
        let d = if is_zero { 0 } else { gram.map_or(0, Gram::columns) };
        let over_scale = gram.map_or_else(S::one, |gram| S::one() / gram.scale());
        let root = |i: usize| match hessian.diagonal(i) {
            h if h.is_zero() => h,
            h => h.scale_root(),
        };
        let (dense, roots) = (!is_zero && d == 0, (0..n).map(root).collect());
        let of_rows = low_rank(given).filter(|_| d > 0).map_or_else(S::zero, |gram| of_rows(given, gram));
        System { n, m: a.rows(), d, dense, a, roots, of_rows, over_scale, hessian, scale, metric: OnceLock::new() }
    }

    /// Of the columns of (A; Zᵀ): see module [`super::pricer`].
    pub fn metric(&self) -> Option<&Metric> {
        self.metric.get_or_init(|| self.new_metric()).as_ref()
    }

    pub fn columns(&self) -> usize {
        self.n + self.m
    }

    pub fn keys(&self) -> usize {
        self.n + self.m + self.d
    }

    pub fn features(&self) -> std::ops::Range<usize> {
        self.columns()..self.keys()
    }

    fn gram(&self) -> Option<&Gram<S>> {
        low_rank(self.hessian.as_ref()).filter(|_| self.d > 0)
    }

    /// The entry of K at two different keys.
    pub fn entry(&self, p: usize, q: usize) -> S {
        let (p, q) = (p.min(q), p.max(q));
        if p >= self.n {
            return S::zero();
        }
        if q < self.n {
            let mut h = [S::zero()];
            if self.dense {
                self.hessian.gather(p, &[q], &mut h);
            }
            let [h] = h;
            return h;
        }
        if q < self.columns() {
            return self.a.entry(q - self.n, p);
        }
        let mut value = S::zero();
        if let Some(gram) = self.gram() {
            gram.for_row(p, |f, z| {
                if f == q - self.columns() {
                    value = z.clone();
                }
            });
        }
        value
    }

    /// The diagonal entry of K.
    pub fn diagonal(&self, key: usize) -> S {
        match key {
            j if j < self.n && self.dense => self.hessian.diagonal(j),
            j if j < self.columns() => S::zero(),
            _ => -self.over_scale.clone(),
        }
    }

    /// The entries of K between a key and those of a basis.
    pub fn column(&self, key: usize, keys: &[usize]) -> Vec<S> {
        if key >= self.columns() {
            return keys.iter().map(|&k| self.entry(key, k)).collect();
        }
        if key >= self.n {
            let entry = |&k: &usize| if k < self.n { self.a.entry(key - self.n, k) } else { S::zero() };
            return keys.iter().map(entry).collect();
        }
        let variables = if self.dense { self.n } else { 0 };
        let mut whole = vec![S::zero(); variables + self.m + self.d];
        self.for_column(key, |i, v| whole[variables + i] = v.clone());
        match self.hessian.stored_row(key).filter(|_| self.dense) {
            Some((columns, values)) => columns.iter().zip(values).for_each(|(&j, v)| whole[j as usize] = v.clone()),
            None if self.dense => {
                let columns: Vec<usize> = keys.iter().copied().filter(|&k| k < self.n).collect();
                let mut found = vec![S::zero(); columns.len()];
                self.hessian.gather(key, &columns, &mut found);
                columns.into_iter().zip(found).for_each(|(j, v)| whole[j] = v);
            }
            None => {}
        }
        let entry = |&k: &usize| match k.checked_sub(self.n - variables) {
            Some(place) => whole[place].clone(),
            None => S::zero(),
        };
        keys.iter().map(entry).collect()
    }

    /// K on the keys of a basis, by columns with their entries that are not zero in order.
    pub fn columns_on(&self, keys: &[usize]) -> Vec<Entries<S>> {
        let mut place = vec![None; self.keys()];
        keys.iter().enumerate().for_each(|(p, &key)| place[key] = Some(p));
        let mut columns: Vec<Entries<S>> = vec![Vec::new(); keys.len()];
        for (p, &key) in keys.iter().enumerate() {
            if key >= self.n {
                let own = self.diagonal(key);
                columns[p].extend((!own.is_zero()).then_some((p as u32, own)));
                continue;
            }
            self.for_column(key, |i, v| {
                if let Some(q) = place[self.n + i].filter(|_| !v.is_zero()) {
                    columns[p].push((q as u32, v.clone()));
                    columns[q].push((p as u32, v.clone()));
                }
            });
            if self.dense {
                self.for_hessian(key, |i, v| columns[p].extend(place[i].map(|q| (q as u32, v.clone()))));
            }
        }
        columns.iter_mut().for_each(|column| column.sort_by_key(|entry| entry.0));
        columns
    }

    /// Calls `visit` with (place, value) of the entries of column j of (A; Zᵀ): the m rows, then the features.
    pub fn for_column(&self, j: usize, mut visit: impl FnMut(usize, &S)) {
        self.a.for_column(j, &mut visit);
        if let Some(gram) = self.gram() {
            gram.for_row(j, |f, z| visit(self.m + f, z));
        }
    }

    /// (A; Zᵀ)_jᵀ η for η with m + d entries.
    #[inline]
    pub fn column_dot(&self, j: usize, eta: &[S]) -> S {
        let of_rows = self.a.column_dot(j, &eta[..self.m]);
        match self.gram() {
            Some(gram) => of_rows + gram.dot(j, &eta[self.m..]),
            None => of_rows,
        }
    }

    /// high + low += Hⱼ·(x + rest) for one column, where H is used by its entries.
    pub fn add_hessian(&self, j: usize, (x, rest): (&S, &S), (high, low): (&mut [S], &mut [S])) {
        if !self.dense || x.is_zero() {
            return;
        }
        match self.hessian.stored_row(j) {
            Some((rows, values)) => rows.iter().zip(values).for_each(|(&i, h)| {
                S::accumulate(&mut high[i as usize], &mut low[i as usize], x, h);
                low[i as usize] += h.clone() * rest;
            }),
            None => self.hessian.with_row(j, &mut |row| {
                S::accumulate_all(high, low, x, row);
                if !S::EXACT {
                    S::axpy(rest, row, low);
                }
            }),
        }
    }

    /// Calls `visit` with (i, Hᵢⱼ) of the entries of column j that are not zero, where H is used by its entries.
    pub fn for_hessian(&self, j: usize, mut visit: impl FnMut(usize, &S)) {
        match self.hessian.stored_row(j) {
            Some((rows, values)) => rows.iter().zip(values).for_each(|(&i, h)| visit(i as usize, h)),
            None => self.hessian.with_row(j, &mut |row| {
                row.iter().enumerate().filter(|(_, h)| !h.is_zero()).for_each(|(i, h)| visit(i, h));
            }),
        }
    }

    /// dᵀHd of a direction given by its entries.
    pub fn curvature(&self, d: &[(usize, S)]) -> S {
        let mut square = S::zero();
        if let Some(gram) = self.gram() {
            let mut w = vec![S::zero(); self.d];
            d.iter().for_each(|(j, v)| gram.for_row(*j, |f, z| w[f] += z.clone() * v));
            w.into_iter().for_each(|w| square += w.clone() * w);
            return square / &self.over_scale;
        }
        if !self.dense {
            return square;
        }
        let columns: Vec<usize> = d.iter().map(|(j, _)| *j).collect();
        let (mut row, mut whole) = (vec![S::zero(); columns.len()], vec![S::zero(); self.n]);
        d.iter().for_each(|(j, v)| whole[*j] = v.clone());
        for (j, v) in d {
            let along = match self.hessian.stored_row(*j) {
                Some((rows, values)) => {
                    rows.iter().zip(values).fold(S::zero(), |s, (&i, h)| s + h.clone() * &whole[i as usize])
                }
                None => {
                    self.hessian.gather(*j, &columns, &mut row);
                    row.iter().zip(d).fold(S::zero(), |s, (h, (_, v))| s + h.clone() * v)
                }
            };
            square += along * v;
        }
        square
    }

    /// What the columns at bounds contribute to the rows (m), features (d) and to Hx (n, where H is used by its entries), as functions of t.
    pub fn no_sums(&self) -> Sums<S> {
        Sums::zeros(self.m + self.d + if self.dense { self.n } else { 0 })
    }

    /// Adds (v + st) times column j to the sums; slacks contribute nothing.
    pub fn add_to_sums(&self, j: usize, coefficients: &[S; 2], sums: &mut Sums<S>) {
        if j >= self.n || coefficients.iter().all(S::is_zero) {
            return;
        }
        self.for_column(j, |i, v| {
            if !v.is_zero() {
                sums.add(i, coefficients, v);
            }
        });
        if self.dense {
            let offset = self.m + self.d;
            self.for_hessian(j, |i, h| sums.add(offset + i, coefficients, h));
        }
    }
}

/// The rows Z of an H that is given by them, or of an H that is given by its entries if Z has at most n/2 columns: by the entries dependence is recognised
/// through squared quantities only.
pub(super) fn low_rank<S: Scalar>(hessian: &dyn Hessian<S>) -> Option<&Gram<S>> {
    let most = if hessian.is_given_by_entries() { hessian.dim() / 2 } else { hessian.dim() };
    hessian.row_factor().filter(|gram| gram.columns() <= most)
}

/// What moves along a line: value at t = 0 and slope, for the n variables and then the m slacks.
#[derive(Clone)]
pub(super) struct Data<S> {
    pub c: Vec<[S; 2]>,
    pub lower: Vec<Option<[S; 2]>>,
    pub upper: Vec<Option<[S; 2]>>,
    pub begin: S,
    pub end: Option<S>,
}

impl<S: Scalar> Data<S> {
    /// Of a line with rows; rows that are `dropped` bound nothing.
    pub fn of(line: &Line<S>, dropped: &[usize]) -> Self {
        let zero = || [S::zero(), S::zero()];
        let costs = line.c0.iter().zip(&line.c1).map(|(v, s)| [v.clone(), s.clone()]);
        let (mut lower, mut upper) = (line.bounds.lower.clone(), line.bounds.upper.clone());
        let mut m = 0;
        if let Some(rows) = &line.rows {
            m = rows.matrix.rows();
            lower.extend(rows.bounds.lower.iter().cloned());
            upper.extend(rows.bounds.upper.iter().cloned());
        }
        for &r in dropped {
            (lower[line.n() + r], upper[line.n() + r]) = (None, None);
        }
        Data {
            c: costs.chain((0..m).map(|_| zero())).collect(),
            lower,
            upper,
            begin: line.begin.clone(),
            end: line.end.clone(),
        }
    }

    /// The bound at the lower (false) or upper (true) side of column j.
    pub fn bound(&self, j: usize, upper: bool) -> Option<&[S; 2]> {
        if upper { self.upper[j].as_ref() } else { self.lower[j].as_ref() }
    }

    /// The cost of column j, its value at a place or its slope, as a sum of two numbers.
    pub fn cost_in_two(&self, j: usize, part: &Part<S>) -> (S, S) {
        in_two(&self.c[j], part)
    }

    /// A bound of column j likewise, zero where there is none.
    pub fn bound_in_two(&self, j: usize, upper: bool, part: &Part<S>) -> (S, S) {
        self.bound(j, upper).map_or_else(|| (S::zero(), S::zero()), |b| in_two(b, part))
    }

    pub fn bound_at(&self, j: usize, upper: bool, at: &Place<S>) -> Option<S> {
        self.bound(j, upper).map(|b| at.affine(b))
    }

    /// [`unit`] of all bounds, and of all costs.
    pub fn units(&self) -> [S; 2] {
        [unit(self.lower.iter().chain(&self.upper).flatten()), unit(self.c.iter())]
    }

    /// l = u all along the line.
    pub fn is_fixed(&self, j: usize) -> bool {
        self.lower[j].is_some() && self.lower[j] == self.upper[j]
    }

    /// Whether a bound of column j moves.
    pub fn bounds_move(&self, j: usize) -> bool {
        [&self.lower[j], &self.upper[j]].into_iter().flatten().any(|b| !b[1].is_zero())
    }

    /// The same at one t, where nothing moves; t runs from 0 to 1.
    pub fn held(&self, t: &S) -> Self {
        let still = |b: &Option<[S; 2]>| b.as_ref().map(|b| [S::affine(b, t), S::zero()]);
        Data {
            c: self.c.iter().map(|c| [S::affine(c, t), S::zero()]).collect(),
            lower: self.lower.iter().map(still).collect(),
            upper: self.upper.iter().map(still).collect(),
            begin: S::zero(),
            end: Some(S::one()),
        }
    }
}

/// v + st at a place, or s, as a sum of two numbers.
fn in_two<S: Scalar>([v, s]: &[S; 2], part: &Part<S>) -> (S, S) {
    let Part::Value(at) = part else { return (s.clone(), S::zero()) };
    let (mut high, mut low) = (v.clone(), S::zero());
    if !s.is_zero() {
        S::accumulate(&mut high, &mut low, s, &at.t);
        low += s.clone() * &at.off;
    }
    (high, low)
}
