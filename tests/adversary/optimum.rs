//! The least objective of a small problem at one t, by a primal-dual interior-point method in twice the working precision, with a bound that proves it.
//!
//! With s = x − l and r = u − x where these bounds exist, and p, q ≥ 0 their multipliers, Newton's method on
//!
//! ```text
//! Hx + c − Aᵀy − p + q = 0,    Ax = b,    sᵢpᵢ = μ,    rᵢqᵢ = μ
//! ```
//!
//! with Mehrotra's predictor and corrector (1992, doi:10.1137/0802028) needs two solutions with [H + P/S + Q/R, −Aᵀ; A, 0] a step. Whatever x and y it
//! ends with, z = Hx + c − Aᵀy gives the lower bound −½xᵀHx + bᵀy + Σ zᵢ⁺lᵢ − zᵢ⁻uᵢ. Where a bound is missing x counts as bounded by 2|xᵢ| + 1: zᵢ is of
//! rounding size there.

use super::problem::{Form, Problem};
use super::twice::Twice;

/// min ½xᵀHx + cᵀx, Ax = b, l ≤ x ≤ u in n variables.
pub struct Question {
    /// n × n.
    pub h: Vec<Vec<Twice>>,
    /// n entries.
    pub c: Vec<Twice>,
    /// n bounds, none where there is none.
    pub lower: Vec<Option<Twice>>,
    /// Likewise.
    pub upper: Vec<Option<Twice>>,
    /// Rows of A (n entries each) with their b.
    pub rows: Vec<(Vec<Twice>, Twice)>,
}

/// The optimum lies between the two.
#[derive(Clone, Copy, Debug)]
pub struct Optimum {
    pub least: f64,
    pub most: f64,
}

const STEPS: usize = 80;

/// How close the two bounds must come, relative to the terms of the objective.
const CLOSE: f64 = 1e-18;

const ZERO: fn() -> Twice = Twice::default;

fn dot(a: &[Twice], b: &[Twice]) -> Twice {
    a.iter().zip(b).fold(ZERO(), |sum, (a, b)| sum + *a * *b)
}

/// Solves M v = r for several r by elimination with pivots from all of M; an equation that has none left is dropped.
fn solve(mut m: Vec<Vec<Twice>>, mut rhs: Vec<Vec<Twice>>) -> Vec<Vec<Twice>> {
    let n = m.len();
    let largest = m.iter().flatten().fold(0.0, |a: f64, v| a.max(v.value().abs()));
    let mut pivots = Vec::new();
    let mut used = vec![false; n];
    for k in 0..n {
        let places = (k..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(_, j)| !used[j]);
        let best = places.max_by(|a, b| m[a.0][a.1].value().abs().total_cmp(&m[b.0][b.1].value().abs()));
        let Some((i, j)) = best.filter(|&(i, j)| m[i][j].value().abs() > 1e-40 * largest) else { break };
        m.swap(k, i);
        rhs.iter_mut().for_each(|r| r.swap(k, i));
        used[j] = true;
        pivots.push(j);
        for i in k + 1..n {
            let factor = m[i][j] / m[k][j];
            if factor.value() == 0.0 {
                continue;
            }
            let (above, below) = m.split_at_mut(i);
            below[0].iter_mut().zip(&above[k]).for_each(|(v, p)| *v = *v - factor * *p);
            below[0][j] = ZERO();
            rhs.iter_mut().for_each(|r| r[i] = r[i] - factor * r[k]);
        }
    }
    let back = |r: Vec<Twice>| {
        let mut v = vec![ZERO(); n];
        for (k, &j) in pivots.iter().enumerate().rev() {
            v[j] = (r[k] - dot(&m[k], &v)) / m[k][j];
        }
        v
    };
    rhs.into_iter().map(back).collect()
}

/// An iterate: x, y, and for each of the two sides of every box its width and multiplier, where there is a bound.
struct Iterate {
    x: Vec<Twice>,
    y: Vec<Twice>,
    sides: [Vec<Option<[Twice; 2]>>; 2],
}

/// Changes of the same.
struct Change {
    x: Vec<Twice>,
    y: Vec<Twice>,
    sides: [Vec<[Twice; 2]>; 2],
}

impl Question {
    /// A problem at t; of a dense H with its entries as they are given.
    pub fn at(problem: &Problem, form: Form, t: f64) -> Question {
        let twice = |row: &[f64]| row.iter().map(|v| Twice::from(*v)).collect::<Vec<_>>();
        let h = match form {
            Form::Dense => problem.matrix().iter().map(|row| twice(row)).collect(),
            Form::Gram => {
                let z: Vec<Vec<Twice>> = problem.z.iter().map(|row| twice(row)).collect();
                z.iter().map(|a| z.iter().map(|b| dot(a, b)).collect()).collect()
            }
        };
        let bounds = |b: &[Option<[f64; 2]>]| b.iter().map(|b| b.map(|b| Twice::affine(b, t))).collect();
        Question {
            h,
            c: problem.c.iter().map(|c| Twice::affine(*c, t)).collect(),
            lower: bounds(&problem.lower),
            upper: bounds(&problem.upper),
            rows: problem.row.iter().map(|(a, b)| (twice(a), Twice::affine(*b, t))).collect(),
        }
    }

    /// Least c·d for directions d with Hd = 0 and Ad = 0 that no bound stops, |d| ≤ 1: below zero where the objective has no minimum.
    pub fn descent(problem: &Problem, form: Form, t: f64) -> Question {
        let question = Question::at(problem, form, t);
        let n = question.n();
        let columns = problem.z[0].len();
        let column = |k: usize| problem.z.iter().map(|row| Twice::from(row[k])).collect::<Vec<_>>();
        let rows = (0..columns).map(column).chain(question.rows.iter().map(|(a, _)| a.clone()));
        let end = |bounds: &[Option<Twice>], far: f64| {
            bounds.iter().map(|b| Some(Twice::from(if b.is_some() { 0.0 } else { far }))).collect()
        };
        Question {
            h: vec![vec![ZERO(); n]; n],
            lower: end(&question.lower, -1.0),
            upper: end(&question.upper, 1.0),
            rows: rows.map(|a| (a, ZERO())).collect(),
            c: question.c,
        }
    }

    fn n(&self) -> usize {
        self.c.len()
    }

    /// The optimum to 15 digits of its terms, or as close as the method came. None where the rows contradict a box that has no room.
    pub fn solve(&self) -> Option<Optimum> {
        let Some(reduced) = self.without_still_ones() else { return self.method() };
        let (question, constant) = reduced;
        if question.n() == 0 {
            let value = constant.value();
            return Some(Optimum { least: value, most: value });
        }
        let found = question.solve()?;
        Some(Optimum { least: found.least + constant.value(), most: found.most + constant.value() })
    }

    /// The same without the variables that have no room: boxes without width, and those of a row that only the ends of the boxes satisfy. None if all move.
    fn without_still_ones(&self) -> Option<(Question, Twice)> {
        let thin = |width: Twice, size: f64| width.value() <= 1e-28 * size;
        let mut still: Vec<Option<Twice>> = (0..self.n())
            .map(|i| {
                let (l, u) = (self.lower[i]?, self.upper[i]?);
                thin(u - l, l.value().abs() + u.value().abs()).then_some(l)
            })
            .collect();
        for (a, b) in &self.rows {
            for most in [false, true] {
                let end = |i: usize| if most == (a[i].value() > 0.0) { self.upper[i] } else { self.lower[i] };
                let in_row: Vec<usize> = (0..self.n()).filter(|&i| a[i].value() != 0.0).collect();
                let Some(ends) = in_row.iter().map(|&i| end(i)).collect::<Option<Vec<Twice>>>() else { continue };
                let sum = in_row.iter().zip(&ends).fold(ZERO(), |s, (&i, e)| s + a[i] * *e);
                let size = in_row.iter().zip(&ends).fold(b.value().abs(), |s, (&i, e)| s + (a[i] * *e).value().abs());
                let room = if most { sum - *b } else { *b - sum };
                if thin(room, size) {
                    in_row.iter().zip(ends).for_each(|(&i, e)| still[i] = Some(e));
                }
            }
        }
        let moving: Vec<usize> = (0..self.n()).filter(|&i| still[i].is_none()).collect();
        if moving.len() == self.n() && self.rows.iter().all(|(a, _)| a.iter().any(|a| a.value() != 0.0)) {
            return None;
        }
        let held: Vec<Twice> = still.iter().map(|x| x.unwrap_or_default()).collect();
        let half_constant = held
            .iter()
            .enumerate()
            .fold(ZERO(), |s, (i, x)| s + *x * (self.c[i] + Twice::from(0.5) * dot(&self.h[i], &held)));
        let pick = |v: &[Option<Twice>]| moving.iter().map(|&i| v[i]).collect();
        let rows =
            self.rows.iter().map(|(a, b)| (moving.iter().map(|&i| a[i]).collect::<Vec<_>>(), *b - dot(a, &held)));
        let question = Question {
            h: moving.iter().map(|&i| moving.iter().map(|&j| self.h[i][j]).collect()).collect(),
            c: moving.iter().map(|&i| self.c[i] + dot(&self.h[i], &held)).collect(),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            rows: rows.filter(|(a, _)| a.iter().any(|a| a.value() != 0.0)).collect(),
        };
        Some((question, half_constant))
    }

    /// Hx + c − Aᵀy.
    fn z(&self, x: &[Twice], y: &[Twice]) -> Vec<Twice> {
        let pull = |i: usize| self.rows.iter().zip(y).fold(ZERO(), |s, ((a, _), y)| s + a[i] * *y);
        (0..self.n()).map(|i| dot(&self.h[i], x) + self.c[i] - pull(i)).collect()
    }

    fn begin(&self) -> Iterate {
        let n = self.n();
        let one = Twice::from(1.0);
        let half = Twice::from(0.5);
        let x: Vec<Twice> = (0..n)
            .map(|i| match (self.lower[i], self.upper[i]) {
                (Some(l), Some(u)) => (l + u) * half,
                (Some(l), None) => l + one,
                (None, Some(u)) => u - one,
                (None, None) => ZERO(),
            })
            .collect();
        let y = vec![ZERO(); self.rows.len()];
        let z = self.z(&x, &y);
        // Multipliers as large as z can be, and not far below its largest.
        let largest = z.iter().fold(0.0, |m: f64, z| m.max(z.value().abs())).max(1e-300);
        let weight = |i: usize| Twice::from(z[i].value().abs().max(1e-3 * largest));
        let side = |bound: &[Option<Twice>], sign: f64| -> Vec<Option<[Twice; 2]>> {
            (0..n).map(|i| bound[i].map(|b| [(x[i] - b) * Twice::from(sign), weight(i)])).collect()
        };
        let sides = [side(&self.lower, 1.0), side(&self.upper, -1.0)];
        Iterate { x, y, sides }
    }

    fn method(&self) -> Option<Optimum> {
        let mut at = self.begin();
        let mut best: Option<Optimum> = None;
        for _ in 0..STEPS {
            let (found, size) = self.bounds(&at);
            let width = |o: &Optimum| o.most - o.least;
            if width(&found).is_finite() && best.as_ref().is_none_or(|b| width(&found).abs() < width(b).abs()) {
                best = Some(found);
            }
            if width(&found).abs() <= CLOSE * size {
                break;
            }
            self.step(&mut at);
        }
        best
    }

    /// One predictor and one corrector.
    fn step(&self, at: &mut Iterate) {
        let pairs = at.sides.iter().flatten().flatten();
        let (sum, count) = pairs.fold((ZERO(), 0.0), |(s, k), [w, p]| (s + *w * *p, k + 1.0));
        let nothing = [vec![ZERO(); self.n()], vec![ZERO(); self.n()]];
        let predictor = self.change(at, &nothing);
        if count == 0.0 {
            at.advance(&predictor, 1.0);
            return;
        }
        let share = at.room(&predictor);
        let mu = sum / Twice::from(count);
        let left = |k: usize, i: usize| {
            let ([w, p], [dw, dp]) = (at.sides[k][i].unwrap_or_default(), predictor.sides[k][i]);
            let alpha = Twice::from(share);
            (w + alpha * dw) * (p + alpha * dp)
        };
        let ahead = (0..2).flat_map(|k| (0..self.n()).map(move |i| (k, i)));
        let after = ahead.fold(ZERO(), |s, (k, i)| if at.sides[k][i].is_some() { s + left(k, i) } else { s });
        let sigma = (after / sum).value().clamp(0.0, 1.0).powi(3);
        let target = [0, 1].map(|k: usize| {
            (0..self.n())
                .map(|i| mu * Twice::from(sigma) - predictor.sides[k][i][0] * predictor.sides[k][i][1])
                .collect::<Vec<_>>()
        });
        let corrector = self.change(at, &target);
        let share = at.room(&corrector);
        at.advance(&corrector, share * 0.99_f64.max(1.0 - mu.value().abs()).min(0.9999));
    }

    /// Newton's direction with the products of widths and multipliers aimed at `target`.
    fn change(&self, at: &Iterate, target: &[Vec<Twice>; 2]) -> Change {
        let (n, m) = (self.n(), self.rows.len());
        let z = self.z(&at.x, &at.y);
        let mut matrix = vec![vec![ZERO(); n + m]; n + m];
        let mut rhs = vec![ZERO(); n + m];
        for i in 0..n {
            matrix[i][..n].copy_from_slice(&self.h[i]);
            rhs[i] = -z[i];
            for (k, sign) in [(0, 1.0), (1, -1.0)] {
                if let Some([w, p]) = at.sides[k][i] {
                    matrix[i][i] = matrix[i][i] + p / w;
                    rhs[i] = rhs[i] + Twice::from(sign) * target[k][i] / w;
                }
            }
        }
        for (r, (a, b)) in self.rows.iter().enumerate() {
            for i in 0..n {
                matrix[i][n + r] = -a[i];
                matrix[n + r][i] = a[i];
            }
            rhs[n + r] = *b - dot(a, &at.x);
        }
        let mut x = solve(matrix, vec![rhs]).swap_remove(0);
        let y = x.split_off(n);
        let sides = [(0, 1.0), (1, -1.0)].map(|(k, sign): (usize, f64)| {
            (0..n)
                .map(|i| {
                    let Some([w, p]) = at.sides[k][i] else { return [ZERO(); 2] };
                    let dw = x[i] * Twice::from(sign);
                    [dw, target[k][i] / w - p - p / w * dw]
                })
                .collect()
        });
        Change { x, y, sides }
    }

    /// The two bounds at an iterate, and the size of the objective's terms.
    fn bounds(&self, at: &Iterate) -> (Optimum, f64) {
        let (half, z) = (Twice::from(0.5), self.z(&at.x, &at.y));
        let square = (0..self.n()).fold(ZERO(), |s, i| s + at.x[i] * dot(&self.h[i], &at.x));
        let linear = dot(&self.c, &at.x);
        let size = half * square + (0..self.n()).fold(ZERO(), |s, i| s + (self.c[i] * at.x[i]).abs());
        let mut least = -(half * square) + self.rows.iter().zip(&at.y).fold(ZERO(), |s, ((_, b), y)| s + *b * *y);
        for (i, z) in z.iter().enumerate() {
            let bound = if z.value() > 0.0 { self.lower[i] } else { self.upper[i] };
            let far = Twice::from(-z.value().signum() * (2.0 * at.x[i].value().abs() + 1.0));
            least = least + *z * bound.unwrap_or(far);
        }
        // What x misses the rows by is worth its multipliers.
        let missed = self.rows.iter().zip(&at.y).map(|((a, b), y)| ((dot(a, &at.x) - *b) * *y).abs());
        let most = missed.fold(half * square + linear, |s, v| s + v);
        (Optimum { least: least.value(), most: most.value() }, size.value().abs())
    }
}

impl Iterate {
    /// The largest step, at most 1, that keeps widths and multipliers from becoming negative.
    fn room(&self, change: &Change) -> f64 {
        let pairs = self.sides.iter().zip(&change.sides).flat_map(|(v, d)| v.iter().zip(d));
        let limits = pairs.filter_map(|(v, d)| v.as_ref().map(|v| [(v[0], d[0]), (v[1], d[1])])).flatten();
        limits.filter(|(_, d)| d.value() < 0.0).fold(1.0, |m, (v, d)| m.min(-(v / d).value()))
    }

    fn advance(&mut self, change: &Change, share: f64) {
        let share = Twice::from(share);
        let along = |v: &mut Twice, d: &Twice| *v = *v + share * *d;
        self.x.iter_mut().zip(&change.x).for_each(|(v, d)| along(v, d));
        self.y.iter_mut().zip(&change.y).for_each(|(v, d)| along(v, d));
        for (side, change) in self.sides.iter_mut().zip(&change.sides) {
            for (pair, d) in side.iter_mut().zip(change) {
                if let Some(pair) = pair {
                    pair.iter_mut().zip(d).for_each(|(v, d)| along(v, d));
                }
            }
        }
    }
}
