//! q = Hx + c at an index, from the bounds' part and x_F.

use super::GeneralKkt;
use crate::kkt::columns::Columns;
use crate::scalar::Scalar;

impl<S: Scalar> GeneralKkt<'_, S> {
    /// Whether rows of H are stored or computed as a whole, and H itself is priced.
    pub(super) fn has_full_rows(&self) -> bool {
        let h = self.line.hessian.as_ref();
        self.line.n() > 0 && h.stored_row(0).is_none() && h.bandwidth().is_none() && h.row_factor().is_none()
    }

    /// H[:, F], one column after the other, and the last solutions where they are those of this F.
    pub(super) fn columns_of(&self, slots: &[usize]) -> Columns<S> {
        let (h, free) = (self.line.hessian.as_ref(), &self.state.free);
        let mut columns = Columns::new(self.line.n());
        slots.iter().for_each(|&i| columns.push(h, i));
        for (part, fit) in [&self.state.value, &self.state.rate].into_iter().enumerate() {
            if fit.x.len() == free.len() {
                columns.set(part, free, &fit.x);
            }
        }
        columns
    }

    /// c + H_·B x_B at i.
    fn without_free(&self, i: usize) -> S {
        self.state.bounds_part.part(i, &self.state.value.part) + self.c(i, &self.state.value.part)
    }

    /// The same of the rate.
    fn rate_without_free(&self, i: usize) -> S {
        self.state.bounds_part.slope(i) + &self.line.c1[i]
    }

    /// q on F, by the rows of H_FF.
    pub(super) fn prices_of_free(&self) -> Vec<S> {
        let x = &self.state.value.x;
        let mut q: Vec<S> = self.state.free.iter().map(|&i| self.without_free(i)).collect();
        for (k, row) in self.state.free_rows.rows().enumerate() {
            q[k] += S::dot(row, &x[..=k]);
            S::axpy(&x[k], &row[..k], &mut q[..k]);
        }
        q
    }

    /// q and its rate for every index.
    pub(super) fn all_prices(&self, q: &mut [S], dq: &mut [S]) {
        for i in 0..q.len() {
            (q[i], dq[i]) = (self.without_free(i), self.rate_without_free(i));
        }
        if let Some(gram) = self.line.hessian.row_factor() {
            let fits = [&self.state.value.x, &self.state.rate.x].map(|x| gram.combine(&self.state.free, x));
            for (i, (q, dq)) in q.iter_mut().zip(dq).enumerate() {
                *q += gram.dot(i, &fits[0]);
                *dq += gram.dot(i, &fits[1]);
            }
            return;
        }
        if let Some(columns) = &self.columns {
            for (i, (q, dq)) in q.iter_mut().zip(dq).enumerate() {
                let (value, rate) = columns.price(i);
                *q += value;
                *dq += rate;
            }
            return;
        }
        for (k, &f) in self.state.free.iter().enumerate() {
            self.line.hessian.with_row(f, &mut |row| {
                S::axpy(&self.state.value.x[k], row, q);
                S::axpy(&self.state.rate.x[k], row, dq);
            });
        }
    }

    /// q and its rate at i, in the order of [`GeneralKkt::all_prices`], term by term, so that both round alike.
    pub(super) fn one_price(&self, i: usize) -> (S, S) {
        let (mut q, mut dq) = (self.without_free(i), self.rate_without_free(i));
        if let Some(columns) = &self.columns {
            let (value, rate) = columns.price(i);
            return (q + value, dq + rate);
        }
        let mut h = vec![S::zero(); self.state.free.len()];
        self.line.hessian.gather(i, &self.state.free, &mut h);
        for ((h, x), dx) in h.iter().zip(&self.state.value.x).zip(&self.state.rate.x) {
            q += x.clone() * h;
            dq += dx.clone() * h;
        }
        (q, dq)
    }

    /// The rates of q at some indices. Row by row where every index is asked for.
    pub(super) fn rates_of(&self, indices: &[usize], dq: &mut [S]) {
        if let Some(columns) = &self.columns {
            for (dq, &i) in dq.iter_mut().zip(indices) {
                *dq = self.rate_without_free(i) + columns.rate(i);
            }
            return;
        }
        if self.line.hessian.row_factor().is_none() && indices.iter().copied().eq(0..self.line.n()) {
            for (i, dq) in dq.iter_mut().enumerate() {
                *dq = self.rate_without_free(i);
            }
            for (x, &f) in self.state.rate.x.iter().zip(&self.state.free) {
                self.line.hessian.with_row(f, &mut |row| S::axpy(x, row, dq));
            }
            return;
        }
        let mut h = vec![S::zero(); self.state.free.len()];
        for (dq, &i) in dq.iter_mut().zip(indices) {
            self.line.hessian.gather(i, &self.state.free, &mut h);
            *dq = h.iter().zip(&self.state.rate.x).fold(self.rate_without_free(i), |sum, (h, x)| sum + x.clone() * h);
        }
    }
}
