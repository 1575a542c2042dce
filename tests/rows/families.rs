//! Families of random problems with rows, full of ties: those of the prototype (semidefinite QPs, linear programs, bounds that move, open and close, assignments, quantile regression), rows with
//! room, redundant rows, larger ones, and ones that need have no solution.

use super::problem::{Ends, Problem};
use pathqp::testing::Random;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Qp,
    Lp,
    Boxes,
    Assignment,
    Quantiles,
    Room,
    Redundant,
    Large,
    Anything,
    Endless,
}

pub const FAMILIES: [Family; 10] = [
    Family::Qp,
    Family::Lp,
    Family::Boxes,
    Family::Assignment,
    Family::Quantiles,
    Family::Room,
    Family::Redundant,
    Family::Large,
    Family::Anything,
    Family::Endless,
];

impl FromStr for Family {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = FAMILIES.into_iter().find(|f| format!("{f:?}").to_lowercase() == name.to_lowercase());
        found.ok_or_else(|| format!("{name}: the families are {FAMILIES:?}"))
    }
}

fn between(random: &mut Random, from: i64, to: i64) -> i64 {
    from + random.below((to - from + 1) as usize) as i64
}

fn still(v: i64) -> Ends {
    [v, v]
}

impl Family {
    pub fn problem(self, seed: u64) -> Problem {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9).wrapping_add(self as u64 + 1));
        let r = &mut random;
        match self {
            Family::Assignment => assignment(r),
            Family::Quantiles => quantiles(r),
            _ => self.general(r),
        }
    }

    fn size(self, r: &mut Random) -> (usize, usize) {
        if self == Family::Large {
            let n = 20 + r.below(41);
            return (n, 2 + r.below(19.min(n / 2)));
        }
        let (n, least) = (3 + r.below(7), usize::from(matches!(self, Family::Anything | Family::Endless)));
        (n, (1 + least + r.below(4 - least)).min(n - 1))
    }

    fn general(self, r: &mut Random) -> Problem {
        let (n, m) = self.size(r);
        let linear = match self {
            Family::Lp => true,
            Family::Qp | Family::Boxes => false,
            _ => r.chance(0.4),
        };
        let moves = match self {
            Family::Boxes => true,
            Family::Qp | Family::Lp => false,
            _ => r.chance(0.5),
        };
        let k = if linear { 0 } else { 1 + r.below(3) };
        let mut z: Vec<Vec<i64>> = (0..n).map(|_| (0..k).map(|_| between(r, -2, 2)).collect()).collect();
        if r.chance(0.5) {
            for i in 1..n {
                if r.chance(0.4) {
                    z[i] = z[i - 1].clone();
                }
            }
        }
        let mut a: Vec<Vec<i64>> = (0..m).map(|_| (0..n).map(|_| between(r, -1, 1)).collect()).collect();
        let mut lower = Vec::new();
        let mut upper = Vec::new();
        for _ in 0..n {
            let (l, w) = (2 * between(r, -2, 0), [2 * between(r, 0, 3), 2 * between(r, 0, 3)]);
            let slope = if moves { 2 * between(r, -2, 2) } else { 0 };
            lower.push(Some([l, l + slope]));
            upper.push(Some(if moves { [l + w[0], l + slope + w[1]] } else { still(l + w[0]) }));
        }
        let inside = |r: &mut Random, end: usize| -> Vec<i64> {
            let place = |(l, u): (&Option<Ends>, &Option<Ends>), part: i64| {
                let (l, u) = (l.unwrap_or([0, 0])[end], u.unwrap_or([0, 0])[end]);
                l + (u - l) / 2 * part
            };
            lower.iter().zip(&upper).map(|b| place(b, between(r, 0, 2))).collect()
        };
        let points = [inside(r, 0), inside(r, 1)];
        if self == Family::Redundant {
            for _ in 0..1 + r.below(3) {
                let (p, q) = (r.below(m), r.below(m));
                let (v, w) = (between(r, -2, 2), between(r, -1, 2));
                let row = (0..n).map(|j| v * a[p][j] + if p == q { 0 } else { w * a[q][j] }).collect();
                a.push(row);
            }
        }
        let value = |row: &Vec<i64>, end: usize| -> i64 { row.iter().zip(&points[end]).map(|(a, x)| a * x).sum() };
        let mut row_lower: Vec<Option<Ends>> = a.iter().map(|row| Some([value(row, 0), value(row, 1)])).collect();
        let mut row_upper = row_lower.clone();
        let room = !matches!(self, Family::Qp | Family::Lp | Family::Boxes);
        for (lower, upper) in row_lower.iter_mut().zip(&mut row_upper) {
            let width = |r: &mut Random| [between(r, 0, 3), between(r, 0, 3)];
            if !room || r.chance(0.3) {
                continue;
            }
            let (w, v) = (width(r), width(r));
            let by =
                |ends: &Option<Ends>, w: [i64; 2], sign: i64| ends.map(|e| [e[0] + sign * w[0], e[1] + sign * w[1]]);
            match r.below(4) {
                0 => *lower = None,
                1 => *upper = None,
                2 => *lower = by(lower, w, -1),
                _ => (*lower, *upper) = (by(lower, w, -1), by(upper, v, 1)),
            }
        }
        let mut problem = Problem { z, c: Vec::new(), lower, upper, a, row_lower, row_upper };
        problem.c = (0..n).map(|_| [between(r, -3, 3), between(r, -6, 6)]).collect();
        self.spoil(&mut problem, r);
        problem
    }

    /// Takes away what makes sure of a solution.
    fn spoil(self, problem: &mut Problem, r: &mut Random) {
        if matches!(self, Family::Anything) {
            for k in 0..problem.m() {
                let by = [between(r, -4, 4), between(r, -4, 4)];
                let shift = |b: &mut Option<Ends>| *b = b.map(|e| [e[0] + by[0], e[1] + by[1]]);
                if r.chance(0.5) {
                    shift(&mut problem.row_lower[k]);
                    shift(&mut problem.row_upper[k]);
                }
            }
        }
        if matches!(self, Family::Endless) {
            for j in 0..problem.n() {
                if r.chance(0.4) {
                    problem.lower[j] = None;
                }
                if r.chance(0.4) {
                    problem.upper[j] = None;
                }
            }
        }
    }
}

/// k × k tasks at costs that move.
fn assignment(r: &mut Random) -> Problem {
    let k = 2 + r.below(2);
    let n = k * k;
    let row = |of: &dyn Fn(usize) -> bool| (0..n).map(|i| i64::from(of(i))).collect::<Vec<i64>>();
    let mut a: Vec<Vec<i64>> = (0..k).map(|q| row(&|i| i / k == q)).collect();
    a.extend((0..k).map(|q| row(&|i| i % k == q)));
    // One row follows from the others: sometimes it stays.
    if r.chance(0.5) {
        a.pop();
    }
    let one = vec![Some([1, 1]); a.len()];
    Problem {
        z: vec![Vec::new(); n],
        c: (0..n).map(|_| [between(r, -3, 3), between(r, -6, 6)]).collect(),
        lower: vec![Some([0, 0]); n],
        upper: vec![Some([1, 1]); n],
        a,
        row_lower: one.clone(),
        row_upper: one,
    }
}

/// All quantiles of a linear regression: x ∈ [0, 1]ⁿ, c = −y, A = Xᵀ, b = (1 − τ)Xᵀ1.
fn quantiles(r: &mut Random) -> Problem {
    let (n, p) = (4 + r.below(6), 1 + r.below(2));
    let x: Vec<Vec<i64>> =
        (0..n).map(|_| std::iter::once(1).chain((0..p).map(|_| between(r, -1, 1))).collect()).collect();
    let a: Vec<Vec<i64>> = (0..=p).map(|j| (0..n).map(|i| x[i][j]).collect()).collect();
    let b: Vec<Option<Ends>> = a.iter().map(|row| Some([row.iter().sum(), 0])).collect();
    Problem {
        z: vec![Vec::new(); n],
        c: (0..n).map(|_| still(-between(r, -3, 3))).collect(),
        lower: vec![Some([0, 0]); n],
        upper: vec![Some([1, 1]); n],
        a,
        row_lower: b.clone(),
        row_upper: b,
    }
}
