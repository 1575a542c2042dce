//! Packed LDLᵀ of a symmetric positive definite matrix, with append and delete in O(k²).
//!
//! L is unit lower triangular, row i holds the i entries left of its diagonal:
//!
//! ```text
//! delete row 2 of 4:      1            the rows below lose a column ℓ; the block they keep becomes
//!                         x 1            L₃₃ D₃₃ L₃₃ᵀ + d₂ ℓ ℓᵀ,
//!                         · · ·        a rank-one update of itself.
//!                         x x ℓ 1
//! ```

use crate::scalar::Scalar;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ldl<S> {
    /// Rows one after the other: row i starts at i(i − 1)/2.
    rows: Vec<S>,
    d: Vec<S>,
}

fn start(i: usize) -> usize {
    i * i.saturating_sub(1) / 2
}

impl<S: Scalar> Ldl<S> {
    pub fn new() -> Self {
        Ldl { rows: Vec::new(), d: Vec::new() }
    }

    /// Whether its parts (read from somewhere) are those of k rows.
    pub fn is_sound(&self, k: usize) -> bool {
        self.d.len() == k && self.rows.len() == start(k)
    }

    pub fn len(&self) -> usize {
        self.d.len()
    }

    /// The largest pivot over the smallest (one when empty): a lower bound of the condition number.
    pub fn pivot_ratio(&self) -> S {
        let Some(first) = self.d.first() else { return S::one() };
        let largest = self.d.iter().fold(first.clone(), |m, d| S::larger(m, d.clone()));
        let smallest = self.d.iter().fold(first.clone(), |m, d| S::smaller(m, d.clone()));
        largest / smallest
    }

    /// The smallest pivot, none when empty.
    pub fn smallest_pivot(&self) -> Option<S> {
        self.d.iter().cloned().reduce(S::smaller)
    }

    fn row(&self, i: usize) -> &[S] {
        &self.rows[start(i)..start(i) + i]
    }

    /// The row ℓ and the pivot that appending a row (off-diagonal `h`, diagonal `diagonal`) would give.
    pub fn row_and_pivot(&self, h: &[S], diagonal: &S) -> (Vec<S>, S) {
        let mut l = h.to_vec();
        for i in 1..l.len() {
            let (solved, rest) = l.split_at_mut(i);
            rest[0] -= S::dot(self.row(i), solved);
        }
        let mut pivot = diagonal.clone();
        for (l, d) in l.iter_mut().zip(&self.d) {
            let scaled = l.clone() / d;
            pivot -= scaled.clone() * &*l;
            *l = scaled;
        }
        (l, pivot)
    }

    /// Appends a row found by [`Ldl::row_and_pivot`].
    pub fn append(&mut self, row: Vec<S>, pivot: S) {
        self.rows.extend(row);
        self.d.push(pivot);
    }

    /// Deletes row and column p (Gill, Golub, Murray and Saunders 1974, doi:10.1090/S0025-5718-1974-0343558-6,
    /// method C1 for the rank-one update).
    pub fn delete(&mut self, p: usize) {
        let k = self.len();
        let mut alpha = self.d[p].clone();
        let mut kept: Vec<S> = Vec::with_capacity(self.rows.len());
        kept.extend_from_slice(&self.rows[..start(p)]);
        let mut steps: Vec<(S, S)> = Vec::with_capacity(k - p);
        for r in p + 1..k {
            let old = self.row(r);
            let mut w = old[p].clone();
            kept.extend_from_slice(&old[..p]);
            for (entry, (w_j, beta)) in old[p + 1..].iter().zip(&steps) {
                w -= w_j.clone() * entry;
                kept.push(entry.clone() + beta.clone() * &w);
            }
            let before = self.d[r].clone();
            let after = before.clone() + alpha.clone() * &w * &w;
            let beta = alpha.clone() * &w / &after;
            alpha = alpha * before / &after;
            self.d[r] = after;
            steps.push((w, beta));
        }
        self.rows = kept;
        self.d.remove(p);
    }

    /// Solves L x = b in place.
    pub fn forward(&self, x: &mut [S]) {
        for i in 1..x.len() {
            let (solved, rest) = x.split_at_mut(i);
            rest[0] -= S::dot(self.row(i), solved);
        }
    }

    /// Solves Lᵀ x = b in place.
    pub fn backward(&self, x: &mut [S]) {
        for i in (1..x.len()).rev() {
            let (rest, solved) = x.split_at_mut(i);
            S::axpy(&-solved[0].clone(), self.row(i), rest);
        }
    }

    /// Solves L D Lᵀ x = b in place.
    pub fn solve(&self, x: &mut [S]) {
        self.forward(x);
        for (x, d) in x.iter_mut().zip(&self.d) {
            *x /= d;
        }
        self.backward(x);
    }

    /// xᵀ L D Lᵀ x.
    pub fn quadratic(&self, x: &[S]) -> S {
        let mut y = x.to_vec();
        for i in 1..x.len() {
            S::axpy(&x[i], self.row(i), &mut y[..i]);
        }
        let mut sum = S::zero();
        for (y, d) in y.iter().zip(&self.d) {
            sum += y.clone() * y * d;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Exact;
    use proptest::prelude::*;

    /// A walk of appends and deletes on K = ZZᵀ + diag, compared with L D Lᵀ multiplied out.
    fn walk(moves: &[(bool, usize)], z: &[Vec<i64>]) -> Result<(), TestCaseError> {
        let entry = |i: usize, j: usize| {
            let dot: i64 = z[i].iter().zip(&z[j]).map(|(a, b)| a * b).sum();
            Exact::integer(dot + i64::from(i == j))
        };
        let (mut ldl, mut members) = (Ldl::<Exact>::new(), Vec::<usize>::new());
        for &(append, pick) in moves {
            if append && members.len() < z.len() {
                let outside: Vec<usize> = (0..z.len()).filter(|i| !members.contains(i)).collect();
                let i = outside[pick % outside.len()];
                let h: Vec<Exact> = members.iter().map(|&j| entry(i, j)).collect();
                let (row, pivot) = ldl.row_and_pivot(&h, &entry(i, i));
                ldl.append(row, pivot);
                members.push(i);
            } else if !members.is_empty() {
                let p = pick % members.len();
                ldl.delete(p);
                members.remove(p);
            }
            let mut fresh = Ldl::<Exact>::new();
            for (k, &i) in members.iter().enumerate() {
                let h: Vec<Exact> = members[..k].iter().map(|&j| entry(i, j)).collect();
                let (row, pivot) = fresh.row_and_pivot(&h, &entry(i, i));
                fresh.append(row, pivot);
            }
            prop_assert_eq!(&fresh.rows, &ldl.rows);
            prop_assert_eq!(&fresh.d, &ldl.d);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_walk_equals_a_fresh_factor_exactly(
            moves in prop::collection::vec((prop::bool::weighted(0.6), 0usize..100), 1..30),
            z in prop::collection::vec(prop::collection::vec(-3i64..4, 3), 8),
        ) {
            walk(&moves, &z)?;
        }
    }

    #[test]
    fn a_long_walk_in_floating_point_stays_accurate() {
        let n = 60;
        let entry =
            |i: usize, j: usize| (-((i as f64 - j as f64) / 7.0).powi(2)).exp() + if i == j { 0.1 } else { 0.0 };
        let (mut ldl, mut members) = (Ldl::<f64>::new(), Vec::<usize>::new());
        for step in 0..3000 {
            let random = crate::active_set::key(step, 1) as usize;
            if members.len() < 5 || (members.len() < n && random.is_multiple_of(2)) {
                let outside: Vec<usize> = (0..n).filter(|i| !members.contains(i)).collect();
                let i = outside[random / 2 % outside.len()];
                let h: Vec<f64> = members.iter().map(|&j| entry(i, j)).collect();
                let (row, pivot) = ldl.row_and_pivot(&h, &entry(i, i));
                ldl.append(row, pivot);
                members.push(i);
            } else {
                let p = random / 2 % members.len();
                ldl.delete(p);
                members.remove(p);
            }
        }
        let truth: Vec<f64> = (0..members.len()).map(|k| 1.0 + k as f64).collect();
        let mut x: Vec<f64> =
            members.iter().map(|&i| members.iter().zip(&truth).map(|(&j, t)| entry(i, j) * t).sum()).collect();
        ldl.solve(&mut x);
        let worst = x.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-10, "{worst}");
    }
}
