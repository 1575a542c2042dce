//! Units in which the entries of A are near one.
//!
//! x = Dx̃ and y = Eỹ with powers of two, so that nothing is rounded: H̃ = DHD, c̃ = Dc, Ã = EAD, l̃ = D⁻¹l, bl̃ = E bl. The largest entries of rows and of
//! columns are brought near one in alternation (Ruiz 2001, "A scaling algorithm to equilibrate both rows and columns norms in matrices"); a column without an
//! entry in A takes its unit from H, a row without one from its bounds. A follower works in these units; its results (laws, proofs) are handed on in the
//! user's.

use super::system::low_rank;
use crate::hessian::{Gram, Hessian, Rows, Sparse};
use crate::kkt::power;
use crate::problem::{Bounds, Line, LineRows, Matrix};
use crate::record::Start;
use crate::scalar::Scalar;
use crate::settings::EQUILIBRATIONS;
use std::sync::Arc;

/// D and E.
#[derive(Clone, Debug)]
pub(super) struct Scale<S> {
    pub columns: Vec<S>,
    pub rows: Vec<S>,
}

impl<S: Scalar> Scale<S> {
    /// Multipliers of the m rows, or weights of them, in the user's units.
    pub fn multipliers(&self, y: &[S]) -> Vec<S> {
        y.iter().zip(&self.rows).map(|(y, e)| y.clone() * e).collect()
    }

    /// n variables likewise.
    pub fn variables(&self, x: &[S]) -> Vec<S> {
        x.iter().zip(&self.columns).map(|(x, d)| x.clone() * d).collect()
    }

    /// A guess in these units.
    pub fn start(&self, start: &Start<S>) -> Start<S> {
        match start {
            Start::Guess(x) if x.len() == self.columns.len() => {
                Start::Guess(x.iter().zip(&self.columns).map(|(x, d)| x.clone() / d).collect())
            }
            other => other.clone(),
        }
    }

    /// The factors of A; one on exact scalars, which have no need of any.
    pub fn of(line: &Line<S>, a: &Matrix<S>) -> Self {
        let (n, m) = (line.n(), a.rows());
        let (mut d, mut e) = (vec![1.0; n], vec![1.0; m]);
        let size = |v: &S| v.to_f64().unwrap_or(1.0).abs();
        for _ in 0..if S::EXACT { 0 } else { EQUILIBRATIONS } {
            let (mut of_rows, mut of_columns) = (vec![0.0f64; m], vec![0.0f64; n]);
            for j in 0..n {
                a.for_column(j, |r, v| {
                    let v = size(v) * d[j] * e[r];
                    (of_rows[r], of_columns[j]) = (of_rows[r].max(v), of_columns[j].max(v));
                });
                if of_columns[j] == 0.0 {
                    of_columns[j] = size(&line.hessian.diagonal(j)).sqrt() * d[j];
                }
            }
            for (r, of_row) in of_rows.iter_mut().enumerate().filter(|(_, of_row)| **of_row == 0.0) {
                *of_row = size(&line.rows.as_ref().map_or_else(S::zero, |rows| rows.bounds.largest(r))) * e[r];
            }
            e.iter_mut().zip(of_rows).for_each(|(e, size)| *e *= power(size));
            d.iter_mut().zip(of_columns).for_each(|(d, size)| *d *= power(size));
        }
        let number = |v: f64| S::from_f64(v).unwrap_or_else(S::one);
        Scale { columns: d.into_iter().map(number).collect(), rows: e.into_iter().map(number).collect() }
    }

    /// The line in these units.
    pub fn line(&self, line: &Line<S>) -> Line<S> {
        let by = |v: &S, d: &S| v.clone() * d;
        let times = |v: &[S]| v.iter().zip(&self.columns).map(|(v, d)| by(v, d)).collect();
        let side = |bounds: &[Option<[S; 2]>], of: &dyn Fn(usize) -> S| {
            let bound = |(i, b): (usize, &Option<[S; 2]>)| b.as_ref().map(|[v, s]| [by(v, &of(i)), by(s, &of(i))]);
            bounds.iter().enumerate().map(bound).collect::<Vec<_>>()
        };
        let bounds = |bounds: &Bounds<S>, of: &dyn Fn(usize) -> S| Bounds {
            lower: side(&bounds.lower, of),
            upper: side(&bounds.upper, of),
        };
        Line {
            hessian: self.hessian(&line.hessian),
            c0: times(&line.c0),
            c1: times(&line.c1),
            bounds: bounds(&line.bounds, &|j| S::one() / &self.columns[j]),
            rows: line.rows.as_ref().map(|rows| LineRows {
                matrix: Arc::new(rows.matrix.scaled(&self.rows, &self.columns)),
                bounds: bounds(&rows.bounds, &|r| self.rows[r].clone()),
            }),
            ..line.clone()
        }
    }

    fn hessian(&self, h: &Arc<dyn Hessian<S>>) -> Arc<dyn Hessian<S>> {
        let d = &self.columns;
        if d.iter().all(S::is_one) {
            return h.clone();
        }
        let other = || Arc::new(Scaled { inner: h.clone(), d: d.clone() });
        if !d.is_empty() && h.stored_row(0).is_some() {
            let row = |i: usize| {
                let (columns, values) = h.stored_row(i).unwrap_or((&[], &[]));
                let scaled = move |(&j, v): (&u32, &S)| (i, j as usize, v.clone() * &d[i] * &d[j as usize]);
                columns.iter().zip(values).map(scaled)
            };
            return match Sparse::new(d.len(), (0..d.len()).flat_map(row)) {
                Ok(sparse) => Arc::new(sparse),
                Err(_) => other(),
            };
        }
        let Some(gram) = low_rank(h.as_ref()) else { return other() };
        let rows = match gram.rows() {
            Rows::Dense { columns, values } => {
                let scaled = values.iter().enumerate().map(|(k, v)| v.clone() * &d[k / columns]);
                Rows::Dense { columns: *columns, values: scaled.collect() }
            }
            Rows::Sparse { columns, starts, indices, values } => {
                let mut values = values.clone();
                for (i, d) in d.iter().enumerate() {
                    values[starts[i]..starts[i + 1]].iter_mut().for_each(|v| *v *= d);
                }
                Rows::Sparse { columns: *columns, starts: starts.clone(), indices: indices.clone(), values }
            }
        };
        match Gram::new(d.len(), rows, gram.scale().clone()) {
            Ok(gram) => Arc::new(gram),
            Err(_) => other(),
        }
    }
}

/// DHD.
struct Scaled<S> {
    inner: Arc<dyn Hessian<S>>,
    d: Vec<S>,
}

impl<S: Scalar> Hessian<S> for Scaled<S> {
    fn dim(&self) -> usize {
        self.d.len()
    }

    fn diagonal(&self, i: usize) -> S {
        self.inner.diagonal(i) * &self.d[i] * &self.d[i]
    }

    fn gather(&self, i: usize, columns: &[usize], out: &mut [S]) {
        self.inner.gather(i, columns, out);
        out.iter_mut().zip(columns).for_each(|(out, &j)| *out = out.clone() * &self.d[i] * &self.d[j]);
    }

    fn with_row(&self, i: usize, visit: &mut dyn FnMut(&[S])) {
        self.inner.with_row(i, &mut |row| {
            visit(&row.iter().zip(&self.d).map(|(v, d)| v.clone() * &self.d[i] * d).collect::<Vec<S>>());
        });
    }

    fn prepare(&self, rows: &[usize]) {
        self.inner.prepare(rows);
    }

    fn is_given_by_entries(&self) -> bool {
        true
    }
}
