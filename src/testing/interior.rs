//! The optimum at one position by Clarabel, an interior-point solver that shares no code with the engine.
//!
//! A solver stops when its own measure of the gap is small, relative to one or to its own objective, in its own scaling, at a point that is feasible up to a
//! tolerance. The comparison here needs other measures. So the solver's objective is not used, but its point (x, y) is: with x moved into the box and z = Hx +
//! c − aᵀy,
//!
//! ```text
//! ½xᵀHx + cᵀx + |y (ax − b)|   ≥   the optimum   ≥   −½xᵀHx + by + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ
//! ```
//!
//! the left side up to second order in ax − b (exactly if x is feasible), the right side by weak duality for any x and y. Where zᵢ points to a missing bound, a
//! bound at a distance of |xᵢ| from xᵢ takes its place, which proves nothing. The distance between the two sides tells how accurate the answer is.

use super::entries;
use crate::problem::Line;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};

/// How far a point of an interior-point solver may miss the row, and how small an objective is worth a scaling of its own, relative to what the bounds allow.
pub(super) const MISSED: f64 = 1e-8;

/// The problem min ½xᵀHx + cᵀx subject to aᵀx = b, l ≤ x ≤ u, in n variables.
pub struct Question<'a> {
    /// H, n rows of n entries.
    pub h: &'a [Vec<f64>],
    /// c, n entries.
    pub c: Vec<f64>,
    /// l, n entries; −∞ where there is no bound.
    pub lower: Vec<f64>,
    /// u, n entries; ∞ where there is no bound.
    pub upper: Vec<f64>,
    /// a (n entries) and b, if there is a row.
    pub row: Option<(Vec<f64>, f64)>,
}

/// Between two numbers lies the optimum.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    ends: [f64; 2],
    /// ½xᵀHx + Σ|cᵢxᵢ|.
    size: f64,
    /// ½(Σ√Hᵢᵢ|xᵢ|)² + Σ|cᵢxᵢ| with the largest |xᵢ| that the bounds allow.
    largest: f64,
}

impl Bracket {
    fn width(&self) -> f64 {
        self.ends[1] - self.ends[0]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Question<'_> {
    /// A lower and an upper bound on the optimum, from Clarabel's point. `None` where they are further apart than `gap`, relative to ½(Σ√Hᵢᵢ|xᵢ|)² + Σ|cᵢxᵢ|
    /// with the largest |xᵢ| that the bounds allow.
    pub fn solve(&self, gap: f64) -> Option<[f64; 2]> {
        // Its tolerances are meant for numbers about one: first those of H and c are, then the objective itself is. Near-ties may stop it short
        // in one scaling and not in the other.
        let numbers = (0..self.c.len()).map(|i| self.c[i].abs().max(self.h[i][i])).fold(0.0, f64::max);
        let mut best: Option<Bracket> = None;
        for attempt in 0..4 {
            let unit =
                if attempt < 2 { numbers } else { best.map_or(numbers, |best| best.size.max(MISSED * best.largest)) };
            let unit = if unit > 0.0 && unit.is_finite() { unit } else { 1.0 };
            let Some(found) = self.attempt(unit, attempt % 2 == 0) else { continue };
            if best.is_none_or(|best| found.width() < best.width()) {
                best = Some(found);
            }
            if best.is_some_and(|best| best.width() <= gap * best.size) {
                break;
            }
        }
        best.filter(|best| best.width() <= gap * best.largest).map(|best| best.ends)
    }

    /// The unit of xᵢ: the larger of its bounds.
    fn unit(&self, i: usize) -> f64 {
        let ends = [self.lower[i].abs(), self.upper[i].abs()];
        let largest = ends.into_iter().filter(|end| end.is_finite()).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// Clarabel's point with the objective in this unit and each variable in its own.
    fn attempt(&self, unit: f64, equilibrate_enable: bool) -> Option<Bracket> {
        let n = self.c.len();
        let of_x: Vec<f64> = (0..n).map(|i| self.unit(i)).collect();
        let at = |i: usize, sign: f64| (0..n).map(|j| if i == j { sign } else { 0.0 }).collect::<Vec<f64>>();
        let (fixed, boxed): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| self.lower[i] == self.upper[i]);
        let in_units = |(a, b): &(Vec<f64>, f64)| {
            let a: Vec<f64> = a.iter().zip(&of_x).map(|(a, u)| a * u).collect();
            let longest = a.iter().fold(0.0, |m: f64, a| m.max(a.abs()));
            (a.iter().map(|a| a / longest).collect::<Vec<f64>>(), b / longest, longest)
        };
        let row = self.row.as_ref().map(in_units);
        let mut rows: Vec<(Vec<f64>, f64)> = row.iter().map(|(a, b, _)| (a.clone(), *b)).collect();
        rows.extend(fixed.into_iter().map(|i| (at(i, 1.0), self.lower[i] / of_x[i])));
        let equalities = rows.len();
        for i in boxed {
            let sides = [(at(i, 1.0), self.upper[i] / of_x[i]), (at(i, -1.0), -self.lower[i] / of_x[i])];
            rows.extend(sides.into_iter().filter(|(_, end)| end.is_finite()));
        }
        let (matrix, rhs): (Vec<Vec<f64>>, Vec<f64>) = rows.into_iter().unzip();
        let a = if matrix.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&matrix) };
        let cones = [ZeroConeT(equalities), NonnegativeConeT(matrix.len() - equalities)];
        let cost: Vec<f64> = self.c.iter().zip(&of_x).map(|(c, u)| c * u / unit).collect();
        let scaled = |i: usize| (0..n).map(|j| self.h[i][j] * of_x[i] * of_x[j] / unit).collect::<Vec<f64>>();
        let p = CscMatrix::from(&(0..n).map(scaled).collect::<Vec<_>>()).to_triu();
        let settings = settings(equilibrate_enable);
        let mut solver = DefaultSolver::new(&p, &cost, &a, &rhs, &cones, settings).ok()?;
        solver.solve();
        let found = &solver.solution;
        let usable = [SolverStatus::Solved, SolverStatus::AlmostSolved, SolverStatus::InsufficientProgress];
        let x: Vec<f64> = found.x.iter().zip(&of_x).map(|(x, u)| x * u).collect();
        // Its multipliers have the other sign.
        let y = row.zip(found.z.first()).map_or(0.0, |((_, _, longest), z)| -z * unit / longest);
        usable.contains(&found.status).then(|| self.bracket(&x, y)).flatten()
    }

    /// What a point and a multiplier of the row prove; nothing where the point misses the row.
    fn bracket(&self, x: &[f64], y: f64) -> Option<Bracket> {
        let n = self.c.len();
        let x: Vec<f64> = (0..n).map(|i| x[i].max(self.lower[i]).min(self.upper[i])).collect();
        let hx: Vec<f64> = self.h.iter().map(|row| dot(row, &x)).collect();
        let (square, linear) = (dot(&x, &hx) / 2.0, dot(&self.c, &x));
        let (off, of_row) = self.row.as_ref().map_or((0.0, 0.0), |(a, b)| (dot(a, &x) - b, b * y));
        let mut dual = of_row - square;
        let (mut size, mut largest, mut reach, mut spread) = (square, 0.0, 0.0, 0.0);
        for i in 0..n {
            let z = hx[i] + self.c[i] - self.row.as_ref().map_or(0.0, |(a, _)| a[i] * y);
            let side = if z > 0.0 { self.lower[i] } else { self.upper[i] };
            dual += z * if side.is_finite() { side } else { x[i] - z.signum() * x[i].abs() };
            let ends = [self.lower[i].abs(), self.upper[i].abs(), x[i].abs()];
            let end = ends.into_iter().filter(|end| end.is_finite()).fold(0.0, f64::max);
            size += (self.c[i] * x[i]).abs();
            largest += self.c[i].abs() * end;
            spread += self.h[i][i].max(0.0).sqrt() * end;
            reach += self.row.as_ref().map_or(0.0, |(a, _)| a[i].abs() * end);
        }
        if off.abs() > MISSED * reach {
            return None;
        }
        let primal = square + linear + (y * off).abs();
        largest += spread * spread / 2.0;
        Some(Bracket { ends: [dual.min(primal), primal], size, largest })
    }
}

/// A lower and an upper bound on the optimum at position t of a line, from Clarabel's point. `None` where they are further apart than 1e-8, relative as in
/// [`Question::solve`].
pub fn solve(line: &Line<f64>, t: f64) -> Option<[f64; 2]> {
    if let Some(rows) = &line.rows {
        return super::interior_rows::solve(line, rows, t);
    }
    let n = line.n();
    let question = Question {
        h: &entries(line),
        c: (0..n).map(|i| line.c(i, &t)).collect(),
        lower: (0..n).map(|i| line.bounds.lower_at(i, &t).unwrap_or(f64::NEG_INFINITY)).collect(),
        upper: (0..n).map(|i| line.bounds.upper_at(i, &t).unwrap_or(f64::INFINITY)).collect(),
        row: line.has_row().then(|| (line.a.clone(), line.b(&t))),
    };
    question.solve(1e-8)
}

/// As exact as the solver can be asked to be.
pub(super) fn settings(equilibrate_enable: bool) -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
        equilibrate_enable,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        reduced_tol_gap_abs: 1e-10,
        reduced_tol_gap_rel: 1e-9,
        reduced_tol_feas: 1e-9,
        ..DefaultSettings::default()
    }
}
