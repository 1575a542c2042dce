//! The values of variables at their bounds. Mostly few of the bounds differ, and each different bound is evaluated once.

use crate::active_set::Status;
use crate::problem::Bounds;
use crate::scalar::Scalar;
use std::collections::HashMap;

/// The bounds of n variables as a table of what is different among them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Held<S> {
    /// v and s of v + st. The first stands for a bound that is absent: zero.
    table: Vec<[S; 2]>,
    /// The entries of the lower and of the upper bound of each variable.
    entries: Vec<[u32; 2]>,
}

impl<S: Scalar> Held<S> {
    pub fn new(bounds: &Bounds<S>) -> Self {
        let mut table = vec![[S::zero(), S::zero()]];
        let mut known: HashMap<[u64; 2], Vec<u32>> = HashMap::new();
        let bits = |v: &S| v.to_f64().unwrap_or(0.0).to_bits();
        let mut entry = |bound: &Option<[S; 2]>| {
            let Some(bound) = bound else { return 0 };
            // Numbers that are not the same may have the same nearest double; what is not a number is not even the same as itself.
            let like = known.entry([bits(&bound[0]), bits(&bound[1])]).or_default();
            let is_number = bound.iter().all(Scalar::is_finite_number);
            if let Some(k) = like.iter().find(|&&k| is_number && table[k as usize] == *bound) {
                return *k;
            }
            let k = table.len() as u32;
            table.push(bound.clone());
            if is_number {
                like.push(k);
            }
            k
        };
        let entries = bounds.lower.iter().zip(&bounds.upper).map(|(l, u)| [entry(l), entry(u)]).collect();
        Held { table, entries }
    }

    /// The value at t of the bound that each variable is at; the lower bound for free variables.
    pub fn at<'a>(&self, status: impl Iterator<Item = &'a Status>, t: &S) -> Vec<S> {
        let values: Vec<S> = self.table.iter().map(|bound| S::affine(bound, t)).collect();
        let held =
            |(s, entries): (&Status, &[u32; 2])| values[entries[usize::from(*s == Status::Upper)] as usize].clone();
        status.zip(&self.entries).map(held).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Exact;

    #[test]
    fn each_variable_is_at_its_own_bound() {
        let number = |a: i64, b: i64| Exact::integer(a) / Exact::integer(b);
        let far = Exact::integer(1 << 60) + Exact::integer(1);
        let lower = vec![None, Some([number(1, 3), Exact::ZERO]), Some([Exact::integer(1 << 60), Exact::ZERO])];
        let upper = vec![
            Some([number(1, 3), number(2, 1)]),
            Some([number(1, 3), Exact::ZERO]),
            Some([far.clone(), Exact::ZERO]),
        ];
        let held = Held::new(&Bounds { lower, upper });
        assert_eq!(held.table.len(), 5);
        let half = number(1, 2);
        let low = held.at([Status::Lower; 3].iter(), &half);
        assert_eq!(low, [Exact::ZERO, number(1, 3), Exact::integer(1 << 60)]);
        assert_eq!(held.at([Status::Upper; 3].iter(), &half), [number(4, 3), number(1, 3), far]);
    }

    #[test]
    fn bounds_that_are_no_numbers_do_no_harm() {
        let bound = Some([f64::NAN, 1.0]);
        let held = Held::new(&Bounds { lower: vec![bound; 3], upper: vec![Some([1.0, 1.0]); 3] });
        assert!(held.at([Status::Lower; 3].iter(), &1.0).iter().all(|v| v.is_nan()));
        assert_eq!(held.at([Status::Upper; 3].iter(), &1.0), [2.0; 3]);
    }
}
