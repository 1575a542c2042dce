//! Small integer problems for proptest, by family. Every problem is feasible at both ends of its line (and so all
//! along it, the feasible (θ, x) being convex) unless the family says otherwise.

use super::Raw;
use proptest::collection::vec;
use proptest::prelude::*;

/// Rows of Z: general, ±1, copies and opposites of a few rows (zero rows among them), identity, one constant column;
/// any of them with a constant feature appended.
pub fn design(n: usize) -> BoxedStrategy<Vec<Vec<i64>>> {
    let general = (0usize..=4).prop_flat_map(move |d| vec(vec(-3i64..=3, d), n));
    let signs = (1usize..=4).prop_flat_map(move |d| vec(vec(prop::sample::select(vec![-1i64, 1]), d), n));
    let copies = (1usize..=3, 1usize..=3).prop_flat_map(move |(d, kinds)| {
        (vec(vec(-2i64..=2, d), kinds), vec((0..kinds, -1i64..=1), n)).prop_map(|(pool, picks)| {
            picks.into_iter().map(|(k, sign)| pool[k].iter().map(|v| v * sign).collect()).collect::<Vec<Vec<i64>>>()
        })
    });
    let identity = Just((0..n).map(|i| (0..n).map(|j| i64::from(i == j)).collect()).collect::<Vec<Vec<i64>>>());
    let constant = (0i64..=1).prop_map(move |v| vec![vec![v]; n]);
    let kinds = prop_oneof![4 => general, 3 => signs, 4 => copies, 1 => identity, 1 => constant];
    (kinds, prop::bool::weighted(0.3))
        .prop_map(|(mut z, bias)| {
            if bias {
                z.iter_mut().for_each(|row| row.push(1));
            }
            z
        })
        .boxed()
}

/// Coefficients of the equality row: none, ±1, or small integers with zeros.
fn row(n: usize) -> BoxedStrategy<Option<Vec<i64>>> {
    let labels = vec(prop::sample::select(vec![-1i64, 1]), n);
    let general = vec(-2i64..=2, n).prop_filter("a row of zeros", |a| a.iter().any(|&v| v != 0));
    prop_oneof![3 => Just(None), 3 => labels.prop_map(Some), 3 => general.prop_map(Some)].boxed()
}

/// What moves, and which bounds there are.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub max_n: usize,
    pub c: bool,
    pub bounds: bool,
    /// Some bounds are missing.
    pub infinite: bool,
    /// The row's right-hand side at the far end is anything.
    pub infeasible: bool,
}

/// Values in halves: l and its width at both ends, where in the box the feasible point lies at each.
#[derive(Clone, Debug)]
struct Side {
    start: i64,
    end: i64,
    width_start: i64,
    width_end: i64,
    inside_start: i64,
    inside_end: i64,
    missing: u8,
}

fn side(family: Family) -> impl Strategy<Value = Side> {
    let missing = if family.infinite { 0u8..=5 } else { 0u8..=0 };
    let widths = prop_oneof![
        2 => Just((0i64, 0i64)),
        2 => (Just(0i64), 1i64..=3),
        2 => (1i64..=3, Just(0i64)),
        6 => (1i64..=3, 1i64..=3),
    ];
    (-2i64..=2, -2i64..=2, widths, 0i64..=2, 0i64..=2, missing).prop_map(
        move |(start, end, (width_start, width_end), inside_start, inside_end, missing)| {
            let moves = family.bounds;
            Side {
                start,
                end: if moves { end } else { start },
                width_start,
                width_end: if moves { width_end } else { width_start },
                inside_start,
                inside_end,
                missing,
            }
        },
    )
}

/// Problems of a family.
pub fn raw(family: Family) -> impl Strategy<Value = Raw> {
    (1..=family.max_n).prop_flat_map(move |n| {
        let cost = vec((-4i64..=4, -4i64..=4), n);
        (design(n), cost, vec(side(family), n), row(n), 1i64..=3, 1i64..=3, -9i64..=9).prop_map(
            move |(z, c, sides, a, unit, length, off)| {
                let row = a.map(|a| {
                    let at = |value: fn(&Side) -> i64| a.iter().zip(&sides).map(|(a, s)| a * value(s)).sum::<i64>();
                    let start = at(|s| 2 * s.start + s.inside_start * s.width_start);
                    let end = at(|s| 2 * s.end + s.inside_end * s.width_end);
                    let end = match (family.infeasible, family.bounds) {
                        (true, _) => end + off,
                        (false, true) => end,
                        (false, false) => start,
                    };
                    (a, (start, end))
                });
                let keep = |missing: bool, pair| (!missing).then_some(pair);
                Raw {
                    z,
                    c: c.into_iter().map(|(s, e)| if family.c { (s, e) } else { (s, s) }).collect(),
                    lower: sides.iter().map(|s| keep(s.missing & 1 != 0, (2 * s.start, 2 * s.end))).collect(),
                    upper: sides
                        .iter()
                        .map(|s| (2 * (s.start + s.width_start), 2 * (s.end + s.width_end)))
                        .zip(&sides)
                        .map(|(pair, s)| keep(s.missing & 2 != 0, pair))
                        .collect(),
                    row,
                    unit: 2 * unit,
                    length,
                }
            },
        )
    })
}

/// SVM with costs that grow from zero: c = −1, 0 ≤ x ≤ wᵢθ, rows of Z signed by the labels, Σ labelᵢxᵢ = 0 or no row.
pub fn svm(max_n: usize) -> impl Strategy<Value = Raw> {
    (1..=max_n).prop_flat_map(|n| {
        let labels = vec(prop::sample::select(vec![-1i64, 1]), n);
        (design(n), labels, vec(1i64..=2, n), any::<bool>(), 1i64..=4).prop_map(
            move |(z, labels, weights, intercept, length)| Raw {
                z: z.iter().zip(&labels).map(|(row, y)| row.iter().map(|v| v * y).collect()).collect(),
                c: vec![(-1, -1); n],
                lower: vec![Some((0, 0)); n],
                upper: weights.iter().map(|w| Some((0, w * length))).collect(),
                row: intercept.then_some((labels, (0, 0))),
                unit: 1,
                length,
            },
        )
    })
}

/// Quantile regression in τ from 0 to 1: c = −y with ties, τ − 1 ≤ x ≤ τ, Σ x = 0 (times the integer cost).
pub fn quantile(max_n: usize) -> impl Strategy<Value = Raw> {
    (1..=max_n).prop_flat_map(|n| {
        (design(n), vec(-2i64..=2, n), 1i64..=5, any::<bool>()).prop_map(move |(z, y, cost, intercept)| Raw {
            z,
            c: y.iter().map(|y| (-y, -y)).collect(),
            lower: vec![Some((-cost, 0)); n],
            upper: vec![Some((0, cost)); n],
            row: intercept.then_some((vec![1; n], (0, 0))),
            unit: 1,
            length: 1,
        })
    })
}

/// ε-SVR in ε from 0 up, each row of Z with both signs: c = ∓y + ε, Σ (x − x*) = 0.
pub fn regression(max_points: usize) -> impl Strategy<Value = Raw> {
    (1..=max_points).prop_flat_map(|n| {
        (design(n), vec(-3i64..=3, n), 1i64..=3, 1i64..=4).prop_map(move |(z, y, cost, length)| {
            let opposite = z.iter().map(|row| row.iter().map(|v| -v).collect());
            Raw {
                z: z.iter().cloned().chain(opposite).collect(),
                c: y.iter().map(|y| -y).chain(y.iter().copied()).map(|v| (v, v + length)).collect(),
                lower: vec![Some((0, 0)); 2 * n],
                upper: vec![Some((cost, cost)); 2 * n],
                row: Some(((0..2 * n).map(|i| if i < n { 1 } else { -1 }).collect(), (0, 0))),
                unit: 1,
                length,
            }
        })
    })
}
