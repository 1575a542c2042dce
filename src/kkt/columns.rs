//! H[:, F] of an H with full rows, kept while F changes.
//!
//! Pricing one index takes k of the n entries of its row. They are strewn over a row that has to come from memory, and one event prices hundreds of indices. Here the k
//! entries of a row lie side by side, so that a price is a dot product of k neighbours. A column is written when its index joins F, and the last one takes the place of one
//! that leaves: n strewn entries an event in place of k for every price.

use crate::hessian::Hessian;
use crate::scalar::Scalar;

/// There is room for so many more columns, or a quarter more, when there is none left.
const ROOM: usize = 32;

pub(super) struct Columns<S> {
    n: usize,
    /// The index whose column is in each slot.
    slots: Vec<usize>,
    /// n rows with room for `width` slots each.
    entries: Vec<S>,
    width: usize,
    /// x_F and x_F′ by slots.
    fits: [Vec<S>; 2],
}

impl<S: Scalar> Columns<S> {
    pub fn new(n: usize) -> Self {
        Columns { n, slots: Vec::new(), entries: Vec::new(), width: 0, fits: [Vec::new(), Vec::new()] }
    }

    pub fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// Column i joins.
    pub fn push(&mut self, h: &dyn Hessian<S>, i: usize) {
        let slot = self.slots.len();
        if slot == self.width {
            self.widen();
        }
        let (entries, width) = (&mut self.entries, self.width);
        h.with_row(i, &mut |column| {
            entries.chunks_exact_mut(width).zip(column).for_each(|(row, v)| row[slot] = v.clone());
        });
        self.slots.push(i);
    }

    fn widen(&mut self) {
        let (old, new) = (self.width, self.width + ROOM.max(self.width / 4));
        let mut entries = vec![S::zero(); self.n * new];
        if old > 0 {
            let rows = self.entries.chunks_exact(old);
            entries.chunks_exact_mut(new).zip(rows).for_each(|(to, from)| to[..old].clone_from_slice(from));
        }
        (self.entries, self.width) = (entries, new);
    }

    /// Column i leaves.
    pub fn remove(&mut self, i: usize) {
        let Some(hole) = self.slots.iter().position(|&member| member == i) else { return };
        self.slots.swap_remove(hole);
        let last = self.slots.len();
        self.entries.chunks_exact_mut(self.width).for_each(|row| row.swap(hole, last));
    }

    /// The last value of x_F (0), or its rate (1), in the order of `free`.
    pub fn set(&mut self, part: usize, free: &[usize], x: &[S]) {
        let mut of_index = vec![0; self.n];
        free.iter().enumerate().for_each(|(k, &i)| of_index[i] = k);
        self.fits[part] = self.slots.iter().map(|&i| x[of_index[i]].clone()).collect();
    }

    fn row(&self, i: usize) -> &[S] {
        &self.entries[i * self.width..][..self.slots.len()]
    }

    /// (Hx_F)ᵢ and (Hx_F′)ᵢ.
    pub fn price(&self, i: usize) -> (S, S) {
        S::dot_two(self.row(i), &self.fits[0], &self.fits[1])
    }

    /// (Hx_F′)ᵢ, as [`Columns::price`] has it.
    pub fn rate(&self, i: usize) -> S {
        S::dot(self.row(i), &self.fits[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::active_set::key;
    use crate::scalar::Exact;

    const N: usize = 5 * ROOM;

    /// Hᵢⱼ = min(i, j) + 1.
    struct Smaller;

    impl Hessian<Exact> for Smaller {
        fn dim(&self) -> usize {
            N
        }

        fn diagonal(&self, i: usize) -> Exact {
            Exact::integer(i as i64 + 1)
        }

        fn gather(&self, i: usize, columns: &[usize], out: &mut [Exact]) {
            out.iter_mut().zip(columns).for_each(|(out, &j)| *out = self.diagonal(i.min(j)));
        }
    }

    /// Numbers that differ from place to place, and between value and rate.
    fn numbers(k: usize, part: usize) -> Vec<Exact> {
        (0..k as i64).map(|k| Exact::integer((1 - 2 * part as i64) * (k % 7) - 2)).collect()
    }

    #[test]
    fn prices_are_products_with_the_members_whatever_came_and_went() {
        let (mut columns, mut free) = (Columns::new(N), Vec::new());
        for step in 0..4 * N {
            let i = key(step, 1) as usize % N;
            match free.iter().position(|&f| f == i) {
                Some(position) if step > N => {
                    columns.remove(i);
                    free.remove(position);
                }
                Some(_) => {}
                None => {
                    columns.push(&Smaller, i);
                    free.push(i);
                }
            }
            let fits = [0, 1].map(|part| numbers(free.len(), part));
            (0..2).for_each(|part| columns.set(part, &free, &fits[part]));
            let i = key(step, 2) as usize % N;
            let product = |part: usize| {
                let terms = free.iter().zip(&fits[part]).map(|(&f, x)| Smaller.diagonal(i.min(f)) * x);
                terms.fold(Exact::integer(0), |sum, term| sum + term)
            };
            assert_eq!(columns.price(i), (product(0), product(1)));
            assert_eq!(columns.rate(i), product(1));
        }
        assert!(free.len() > 2 * ROOM);
    }
}
