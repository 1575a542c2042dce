//! The same for problems with rows, bl ≤ Ax ≤ bu.
//!
//! With x moved into its box and any y
//!
//! ```text
//! ½xᵀHx + cᵀx + Σ |yᵣ| (what row r is violated by)   ≥   the optimum   ≥   −½xᵀHx + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ + Σ yᵣ⁺blᵣ − yᵣ⁻buᵣ,      z = Hx + c − Aᵀy
//! ```
//!
//! as in [`super::interior`]: the left side up to second order in the violation, the right side by weak duality.

use super::entries;
use super::interior::MISSED;
use super::interior::settings;
use crate::hessian::multiply;
use crate::problem::{Line, LineRows};
use crate::scalar::Scalar;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// One cone row: its entries, its right-hand side, and whose multiplier it is (a row of A, with a sign).
type ConeRow = (Vec<f64>, f64, Option<(usize, f64)>);

/// Two numbers between which the optimum at position t of a line with rows lies, from Clarabel's point. None if they are too far apart to tell, by 1e-8 of
/// ½(Σ√Hᵢᵢ|xᵢ|)² + Σ|cᵢxᵢ| with the largest |xᵢ| that the bounds allow.
pub(super) fn solve(line: &Line<f64>, rows: &LineRows<f64>, t: f64) -> Option<[f64; 2]> {
    let mut best: Option<[f64; 3]> = None;
    for equilibrate in [true, false] {
        let Some(found) = attempt(line, rows, t, equilibrate) else { continue };
        if best.is_none_or(|best| found[1] - found[0] < best[1] - best[0]) {
            best = Some(found);
        }
        if best.is_some_and(|[dual, primal, largest]| primal - dual <= 1e-10 * largest) {
            break;
        }
    }
    best.filter(|[dual, primal, largest]| primal - dual <= MISSED * largest).map(|[dual, primal, _]| [dual, primal])
}

/// The constraints as rows of cones, equalities first.
fn cones(line: &Line<f64>, rows: &LineRows<f64>, t: f64) -> (Vec<ConeRow>, usize) {
    let n = line.n();
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    let row = |r: usize| {
        let mut entries = vec![0.0; n];
        rows.matrix.for_row(r, |j, v| entries[j] = *v);
        entries
    };
    let (mut equal, mut least): (Vec<ConeRow>, Vec<ConeRow>) = (Vec::new(), Vec::new());
    let mut add = |entries: Vec<f64>, lower: Option<f64>, upper: Option<f64>, owner: Option<usize>| {
        if let (Some(l), true) = (lower, lower.is_some() && lower == upper) {
            equal.push((entries, l, owner.map(|r| (r, -1.0))));
            return;
        }
        if let Some(u) = upper {
            least.push((entries.clone(), u, owner.map(|r| (r, -1.0))));
        }
        if let Some(l) = lower {
            least.push((entries.iter().map(|v| -v).collect(), -l, owner.map(|r| (r, 1.0))));
        }
    };
    for i in 0..n {
        add(unit(i), line.bounds.lower_at(i, &t), line.bounds.upper_at(i, &t), None);
    }
    for r in 0..rows.matrix.rows() {
        add(row(r), rows.bounds.lower_at(r, &t), rows.bounds.upper_at(r, &t), Some(r));
    }
    let equalities = equal.len();
    equal.extend(least);
    (equal, equalities)
}

fn attempt(line: &Line<f64>, rows: &LineRows<f64>, t: f64, equilibrate_enable: bool) -> Option<[f64; 3]> {
    let n = line.n();
    let (constraints, equalities) = cones(line, rows, t);
    let matrix: Vec<Vec<f64>> = constraints.iter().map(|c| c.0.clone()).collect();
    let rhs: Vec<f64> = constraints.iter().map(|c| c.1).collect();
    let a = if matrix.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&matrix) };
    let kinds = [ZeroConeT(equalities), NonnegativeConeT(matrix.len() - equalities)];
    let c: Vec<f64> = (0..n).map(|i| line.c(i, &t)).collect();
    let p = CscMatrix::from(&entries(line)).to_triu();
    let settings = settings(equilibrate_enable);
    let mut solver = DefaultSolver::new(&p, &c, &a, &rhs, &kinds, settings).ok()?;
    solver.solve();
    let found = &solver.solution;
    let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
    if !usable.contains(&found.status) {
        return None;
    }
    let mut y = vec![0.0; rows.matrix.rows()];
    for ((_, _, owner), z) in constraints.iter().zip(&found.z) {
        if let Some((r, sign)) = owner {
            y[*r] += sign * z;
        }
    }
    Some(bracket(line, rows, t, (&found.x, &y)))
}

/// What a point and multipliers prove: the dual and primal objective, and the largest that its terms may be.
fn bracket(line: &Line<f64>, rows: &LineRows<f64>, t: f64, (x, y): (&[f64], &[f64])) -> [f64; 3] {
    let n = line.n();
    let side = |b: Option<f64>, none: f64| b.unwrap_or(none);
    let bounds = |i: usize| {
        let (l, u) = (line.bounds.lower_at(i, &t), line.bounds.upper_at(i, &t));
        [side(l, f64::NEG_INFINITY), side(u, f64::INFINITY)]
    };
    let x: Vec<f64> = (0..n).map(|i| x[i].max(bounds(i)[0]).min(bounds(i)[1])).collect();
    let hx = multiply(line.hessian.as_ref(), &x);
    let c: Vec<f64> = (0..n).map(|i| line.c(i, &t)).collect();
    let (square, linear) = (f64::dot(&x, &hx) / 2.0, f64::dot(&c, &x));
    let (mut dual, mut primal, mut largest, mut spread) = (-square, square + linear, 0.0, 0.0);
    for i in 0..n {
        let z = hx[i] + c[i] - rows.matrix.column_dot(i, y);
        let [l, u] = bounds(i);
        let end = if z > 0.0 { l } else { u };
        dual += z * if end.is_finite() { end } else { x[i] - z.signum() * x[i].abs() };
        let far = [l.abs(), u.abs(), x[i].abs()].into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max);
        largest += c[i].abs() * far;
        spread += line.hessian.diagonal(i).max(0.0).sqrt() * far;
    }
    for (r, y) in y.iter().enumerate() {
        let value = rows.matrix.row_dot(r, &x);
        let [l, u] = [rows.bounds.lower_at(r, &t), rows.bounds.upper_at(r, &t)];
        let out = l.map_or(0.0, |l| l - value).max(u.map_or(0.0, |u| value - u)).max(0.0);
        primal += y.abs() * out;
        let end = if *y > 0.0 { l } else { u };
        dual += y * end.unwrap_or(value);
        largest += (y * end.unwrap_or(value)).abs();
    }
    [dual.min(primal), primal, largest + spread * spread / 2.0]
}
