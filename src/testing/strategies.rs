//! Strategies of proptest that generate parametric QPs: plain ones, with ties, with near-ties, in various units. Failures shrink to fewer variables and smaller
//! numbers.
//!
//! ```
//! use pathqp::testing::{Options, check, strategies::{Kind, parametric_qp}};
//! use pathqp::Start;
//! use proptest::prelude::*;
//!
//! proptest!(ProptestConfig::with_cases(20), |(posed in parametric_qp(4, Kind::Tied))| {
//!     let qp = posed.qp().unwrap();
//!     prop_assert_eq!(check(&qp, &[0.0], &[1.0], &Start::Anywhere, &Options::default()), []);
//! });
//! ```

use crate::error::ProblemError;
use crate::hessian::{Gram, Rows};
use crate::problem::{Affine, ParametricQp, Range};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// The kind of numbers in a generated problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of one order of magnitude, with many digits.
    Plain,
    /// Small integers: exact ties, repeated rows, singular H, boxes that are points.
    Tied,
    /// Small integers v, or v ± 10⁻ᵏ max(|v|, 1), with the given k.
    NearTied(u8),
    /// Of one order of magnitude, with a unit between 10⁻ᵏ and 10ᵏ for every variable, with the given k.
    Scaled(u8),
}

/// A generated parametric QP: θ ∈ [0, 1], H = ZZᵀ, bounds l and u for every variable, and an equality row or none. It always has a solution, because l ≤ x₀ ≤ u
/// for a point x₀ that satisfies the row for all θ.
#[derive(Clone, Debug, PartialEq)]
pub struct Posed {
    /// Z, n rows of equal length.
    pub rows: Vec<Vec<f64>>,
    /// c at θ = 0 and its slope, n entries each.
    pub cost: [Vec<f64>; 2],
    /// x₀, n entries.
    pub inner: Vec<f64>,
    /// x₀ − l and u − x₀, n entries each, not negative.
    pub room: [Vec<f64>; 2],
    /// The coefficients of the row, n entries, if there is one.
    pub row: Option<Vec<f64>>,
}

impl Posed {
    /// The problem.
    ///
    /// # Errors
    /// The errors of [`ParametricQp`]; none for what the strategies generate.
    pub fn qp(&self) -> Result<ParametricQp<f64>, ProblemError> {
        let n = self.rows.len();
        let columns = self.rows.first().map_or(0, Vec::len);
        let hessian = Gram::new(n, Rows::Dense { columns, values: self.rows.concat() }, 1.0)?;
        let [constant, slope] = self.cost.clone();
        let bound = |sign: f64, room: &[f64]| {
            Affine::constant(self.inner.iter().zip(room).map(|(x, room)| x + sign * room).collect(), 1)
        };
        let qp = ParametricQp::new(Arc::new(hessian), vec![Range::new(0.0, 1.0)], Affine::line(constant, slope))?
            .lower(bound(-1.0, &self.room[0]))?
            .upper(bound(1.0, &self.room[1]))?;
        match &self.row {
            None => Ok(qp),
            Some(a) => {
                let b = a.iter().zip(&self.inner).map(|(a, x)| a * x).sum();
                qp.equality(a.clone(), Affine::constant(vec![b], 1))
            }
        }
    }
}

/// A strategy for problems of 1 to `most` variables.
pub fn parametric_qp(most: usize, kind: Kind) -> impl Strategy<Value = Posed> {
    (1..=most.max(1), 1..=3usize, any::<bool>()).prop_flat_map(move |(n, d, with_row)| {
        let numbers = move |len: usize| vec(number(kind), len);
        let sizes = move |len: usize| vec(number(kind).prop_map(f64::abs), len);
        let row = if with_row { numbers(n).prop_map(Some).boxed() } else { Just(None).boxed() };
        let rows = vec(vec(number(kind), d), n);
        (rows, [numbers(n), numbers(n)], numbers(n), [sizes(n), sizes(n)], row, vec(unit(kind), n)).prop_map(
            |(rows, cost, inner, room, row, units)| {
                // A row of zeros is none.
                let row = row.filter(|a: &Vec<f64>| a.iter().any(|a| *a != 0.0));
                scaled(Posed { rows, cost, inner, room, row }, &units)
            },
        )
    })
}

/// A number of a kind.
fn number(kind: Kind) -> BoxedStrategy<f64> {
    let whole = || (-3..=3i32).prop_map(f64::from);
    match kind {
        Kind::Plain | Kind::Scaled(_) => (-2.0..2.0f64).boxed(),
        Kind::Tied => whole().boxed(),
        Kind::NearTied(k) => {
            let small = 10f64.powi(-i32::from(k));
            (whole(), -1..=1i32).prop_map(move |(v, s)| v + f64::from(s) * small * v.abs().max(1.0)).boxed()
        }
    }
}

/// The unit of a variable.
fn unit(kind: Kind) -> BoxedStrategy<f64> {
    match kind {
        Kind::Scaled(k) => (-i32::from(k)..=i32::from(k)).prop_map(|e| 10f64.powi(e)).boxed(),
        _ => Just(1.0).boxed(),
    }
}

/// The same problem with x in other units: x̃ = x/s.
fn scaled(mut posed: Posed, units: &[f64]) -> Posed {
    for (i, s) in units.iter().enumerate() {
        posed.rows[i].iter_mut().for_each(|z| *z *= s);
        posed.cost.iter_mut().for_each(|c| c[i] *= s);
        posed.inner[i] /= s;
        posed.room.iter_mut().for_each(|room| room[i] /= s);
        posed.row.iter_mut().for_each(|a| a[i] *= s);
    }
    posed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::Start;
    use crate::testing::{Options, check, check_alike, check_exactly};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn plain_problems_pass(posed in parametric_qp(6, Kind::Plain)) {
            prop_assert_eq!(check(&posed.qp().unwrap(), &[0.0], &[1.0], &Start::Anywhere, &Options::default()), []);
        }

        #[test]
        fn tied_problems_pass_exactly(posed in parametric_qp(5, Kind::Tied)) {
            let qp = posed.qp().unwrap();
            prop_assert_eq!(check_exactly(&qp, &[0.0], &[1.0], &Options::default()), []);
            prop_assert_eq!(check_alike(&qp, &[0.0], &[1.0], 3, &Options::default()), []);
        }

        #[test]
        fn problems_in_unlike_units_are_posed(posed in parametric_qp(4, Kind::Scaled(3))) {
            prop_assert!(posed.qp().is_ok());
        }
    }
}
