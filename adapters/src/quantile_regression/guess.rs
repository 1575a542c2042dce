//! A guess of the solution at one τ, from which the engine starts: some iterations of an interior point method, and the vertex nearest to their result.
//!
//! The problem min −yᵀa subject to Aa = (1 − τ)Av, 0 ≤ a ≤ v has multipliers λ of the rows and p, q ≥ 0 of the bounds, with r = y − Aᵀβ = q − p and β = −λ.
//! Newton's method on a∘p = μ, (v − a)∘q = μ (Portnoy and Koenker 1997, "The Gaussian hare and the Laplacian tortoise", doi:10.1214/ss/1030037960) takes a step
//! with
//!
//! ```text
//! D = (p/a + q/(v − a))⁻¹,     A D Aᵀ Δβ = A D (r̃ − μ/a + μ/(v − a)) + …
//! ```
//!
//! where a starts at (1 − τ)v, which satisfies the rows, as do all later a. (A predictor step with μ = 0 determines the μ of the step, Mehrotra 1992.) The
//! observations interpolated at the vertex are those whose a is farthest inside its bounds, as long as they are independent; β is the coefficients that
//! interpolate them, and the signs of r determine all other a. Every observation misplaced in the guess costs the engine about one event; the solution does not
//! depend on the guess.

use super::QuantileRegression;
use faer::Mat;
use faer::linalg::solvers::{Llt, Solve};

/// Iterations, at most; a method of this kind takes 20 to 40.
const ITERATIONS: usize = 80;

/// The part of the way to the nearest bound that a step goes.
const PART: f64 = 0.99995;

/// The duality gap, relative to the objective, at which the iterations end and a vertex is determined.
const GAP: f64 = 1e-12;

/// No step is shorter than this.
const SHORT: f64 = 1e-8;

/// With more rows of A than this, an iteration costs more than the events that it saves.
const ROWS: usize = 128;

/// A row is independent of others if so much of it is left of its length.
const INDEPENDENT: f64 = 1e-6;

/// An observation interpolated at the vertex has a at least this part of its box away from both bounds.
const INSIDE: f64 = 1.0 / 1024.0;

/// The present a, v − a (kept separately, since it cancels where a is near v), p and q, and β.
struct Iterate {
    a: Vec<f64>,
    rest: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    beta: Vec<f64>,
}

impl Iterate {
    fn add(&mut self, [da, dp, dq, db]: [&[f64]; 4], [primal, dual]: [f64; 2]) {
        let moves = [
            (&mut self.a, da, primal),
            (&mut self.rest, da, -primal),
            (&mut self.p, dp, dual),
            (&mut self.q, dq, dual),
            (&mut self.beta, db, dual),
        ];
        for (to, d, length) in moves {
            to.iter_mut().zip(d).for_each(|(to, d)| *to += length * d);
        }
    }
}

struct Method<'a> {
    /// The columns of A, m entries each, of the rows with a weight.
    columns: &'a [f64],
    m: usize,
    y: &'a [f64],
    v: &'a [f64],
}

impl QuantileRegression {
    /// A guess of a at τ: close to the solution where that is worth it, without features otherwise.
    pub fn guess(&self, tau: f64) -> Vec<f64> {
        let m = self.m();
        let vertex = || {
            let within: Vec<usize> = (0..self.weights.len()).filter(|&i| self.weights[i] > 0.0).collect();
            if self.penalised || m == 0 || m > ROWS || within.len() <= m {
                return None;
            }
            let columns: Vec<f64> = within.iter().flat_map(|&i| self.column(i)).collect();
            let [y, v] =
                [&self.responses, &self.weights].map(|all| within.iter().map(|&i| all[i]).collect::<Vec<f64>>());
            let columns = alike(alike(columns, m)?, m)?;
            let method = Method { columns: &columns, m, y: &y, v: &v };
            // At the ends nothing is inside the box.
            let least = 0.25 / within.len() as f64;
            let tau = tau.clamp(least, 1.0 - least);
            let found = method.vertex(&method.run(tau)?, tau)?;
            let mut a = vec![0.0; self.weights.len()];
            within.into_iter().zip(found).for_each(|(i, found)| a[i] = found);
            Some(a)
        };
        vertex().unwrap_or_else(|| self.limit(tau))
    }
}

/// The columns multiplied by L⁻¹, with LLᵀ their sum of squares, so that their mean square is the same in all directions: the vertices are the same. Applied
/// twice, since nearly parallel columns leave rounding behind the first time.
fn alike(mut columns: Vec<f64>, m: usize) -> Option<Vec<f64>> {
    let n = columns.len() / m;
    let zeros = vec![0.0; n];
    let squares = Method { columns: &columns, m, y: &zeros, v: &zeros }.normal(&vec![1.0 / n as f64; n])?;
    let l = squares.L();
    for column in columns.chunks_mut(m) {
        for j in 0..m {
            let sum: f64 = (0..j).map(|k| l[(j, k)] * column[k]).sum();
            column[j] = (column[j] - sum) / l[(j, j)];
        }
    }
    Some(columns)
}

impl Method<'_> {
    fn column(&self, i: usize) -> &[f64] {
        &self.columns[i * self.m..(i + 1) * self.m]
    }

    /// yᵢ − (Aᵀβ)ᵢ.
    fn residual(&self, i: usize, beta: &[f64]) -> f64 {
        self.y[i] - self.column(i).iter().zip(beta).map(|(a, b)| a * b).sum::<f64>()
    }

    /// A·u.
    fn times(&self, u: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sum = vec![0.0; self.m];
        for i in 0..self.y.len() {
            let u = u(i);
            sum.iter_mut().zip(self.column(i)).for_each(|(s, a)| *s += a * u);
        }
        sum
    }

    /// A·diag(w)·Aᵀ, with a little more on its diagonal, factored.
    fn normal(&self, w: &[f64]) -> Option<Llt<f64>> {
        let m = self.m;
        let mut sums = vec![0.0; m * m];
        for (i, w) in w.iter().enumerate() {
            let column = self.column(i);
            for (j, a) in column.iter().enumerate() {
                let left = a * w;
                sums[j * m..=j * m + j].iter_mut().zip(column).for_each(|(s, b)| *s += left * b);
            }
        }
        let ridge = (0..m).map(|j| sums[j * m + j]).fold(0.0, f64::max) * 1e-14;
        let of = |i: usize, j: usize| sums[i.max(j) * m + i.min(j)] + if i == j { ridge } else { 0.0 };
        Mat::from_fn(m, m, of).llt(faer::Side::Lower).ok()
    }

    /// The solution of the factored equations.
    fn solve(&self, factor: &Llt<f64>, right: &[f64]) -> Vec<f64> {
        let solved = factor.solve(Mat::from_fn(self.m, 1, |i, _| right[i]));
        (0..self.m).map(|i| solved[(i, 0)]).collect()
    }

    /// (1 − τ)v with the plane of least squares; products of about the same size.
    fn begin(&self, tau: f64) -> Option<Iterate> {
        let n = self.y.len();
        let beta = self.solve(&self.normal(&vec![1.0; n])?, &self.times(|i| self.y[i]));
        let spread = (0..n).map(|i| self.residual(i, &beta).abs()).sum::<f64>() / n as f64;
        let spread = if spread > 0.0 { spread } else { 1.0 };
        let part = |sign: f64, floor: f64| -> Vec<f64> {
            (0..n).map(|i| f64::max(sign * self.residual(i, &beta), 0.0) + floor * spread).collect()
        };
        let [a, rest] = [1.0 - tau, tau].map(|part| self.v.iter().map(|v| part * v).collect());
        Some(Iterate { a, rest, p: part(-1.0, tau), q: part(1.0, 1.0 - tau), beta })
    }

    /// a near the solution at τ, strictly inside.
    fn run(&self, tau: f64) -> Option<Iterate> {
        let n = self.y.len();
        let mut at = self.begin(tau)?;
        for _ in 0..ITERATIONS {
            let gap = self.gap(&at);
            let size: f64 = (0..n).map(|i| self.v[i] * self.residual(i, &at.beta).abs()).sum();
            if !gap.is_finite() {
                return None;
            }
            if gap <= GAP * size {
                break;
            }
            let weights: Vec<f64> = (0..n).map(|i| 1.0 / (at.p[i] / at.a[i] + at.q[i] / at.rest[i])).collect();
            let Some(factor) = self.normal(&weights) else { break };
            let (_, [da, dp, dq]) = self.step(&at, (&weights, &factor), &|_| [0.0; 2]);
            let [primal, dual] = self.lengths(&at, [&da, &dp, &dq]);
            let product = |i: usize| {
                let (a, rest) = (at.a[i] + primal * da[i], at.rest[i] - primal * da[i]);
                a * (at.p[i] + dual * dp[i]) + rest * (at.q[i] + dual * dq[i])
            };
            let reached: f64 = (0..n).map(product).sum();
            let mu = gap / (2 * n) as f64 * (reached / gap).powi(3);
            let target = |i: usize| [mu - da[i] * dp[i], mu + da[i] * dq[i]];
            let (db, [da, dp, dq]) = self.step(&at, (&weights, &factor), &target);
            let [primal, dual] = self.lengths(&at, [&da, &dp, &dq]);
            if primal + dual < SHORT || !db.iter().all(|d| d.is_finite()) {
                break;
            }
            at.add([&da, &dp, &dq, &db], [primal, dual]);
        }
        Some(at)
    }

    /// Newton's step towards the products aᵢpᵢ and (vᵢ − aᵢ)qᵢ that `target` says, and r = q − p: Δβ, and Δa, Δp, Δq.
    fn step(
        &self,
        at: &Iterate,
        (weights, factor): (&[f64], &Llt<f64>),
        target: &dyn Fn(usize) -> [f64; 2],
    ) -> (Vec<f64>, [Vec<f64>; 3]) {
        let n = self.y.len();
        let to = |i: usize| {
            let [to_p, to_q] = target(i);
            [to_p / at.a[i] - at.p[i], to_q / at.rest[i] - at.q[i]]
        };
        let pull: Vec<f64> = (0..n)
            .map(|i| {
                let [to_p, to_q] = to(i);
                self.residual(i, &at.beta) - at.q[i] + at.p[i] + to_p - to_q
            })
            .collect();
        let db = self.solve(factor, &self.times(|i| weights[i] * pull[i]));
        let mut d = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        for i in 0..n {
            let moved: f64 = self.column(i).iter().zip(&db).map(|(a, b)| a * b).sum();
            let da = weights[i] * (pull[i] - moved);
            let [to_p, to_q] = to(i);
            d[0][i] = da;
            d[1][i] = to_p - at.p[i] / at.a[i] * da;
            d[2][i] = to_q + at.q[i] / at.rest[i] * da;
        }
        (db, d)
    }

    /// Σ aᵢpᵢ + (vᵢ − aᵢ)qᵢ.
    fn gap(&self, at: &Iterate) -> f64 {
        (0..self.y.len()).map(|i| at.a[i] * at.p[i] + at.rest[i] * at.q[i]).sum()
    }

    /// How far a, and p and q, may go.
    fn lengths(&self, at: &Iterate, [da, dp, dq]: [&[f64]; 3]) -> [f64; 2] {
        let until = |room: f64, fall: f64| if fall > 0.0 { room / fall } else { f64::INFINITY };
        let (mut primal, mut dual) = (f64::INFINITY, f64::INFINITY);
        for i in 0..self.y.len() {
            primal = primal.min(until(at.a[i], -da[i])).min(until(at.rest[i], da[i]));
            dual = dual.min(until(at.p[i], -dp[i])).min(until(at.q[i], -dq[i]));
        }
        [primal, dual].map(|length| f64::min(1.0, PART * length))
    }

    /// a of the vertex near by.
    fn vertex(&self, at: &Iterate, tau: f64) -> Option<Vec<f64>> {
        let (n, m) = (self.y.len(), self.m);
        let inside = |i: usize| f64::min(at.a[i], at.rest[i]) / self.v[i];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| inside(j).total_cmp(&inside(i)));
        let basis = self.independent(&order);
        if basis.len() < m {
            return None;
        }
        let square = Mat::from_fn(m, m, |r, c| self.column(basis[c])[r]);
        let lu = square.partial_piv_lu();
        let plane = lu.solve_transpose(Mat::from_fn(m, 1, |c, _| self.y[basis[c]]));
        let beta: Vec<f64> = (0..m).map(|j| plane[(j, 0)]).collect();
        let mut a: Vec<f64> = (0..n).map(|i| if self.residual(i, &beta) > 0.0 { self.v[i] } else { 0.0 }).collect();
        basis.iter().for_each(|&i| a[i] = 0.0);
        let left = self.times(|i| (1.0 - tau) * self.v[i] - a[i]);
        let found = lu.solve(Mat::from_fn(m, 1, |r, _| left[r]));
        for (k, &i) in basis.iter().enumerate() {
            a[i] = found[(k, 0)].clamp(INSIDE * self.v[i], (1.0 - INSIDE) * self.v[i]);
        }
        a.iter().all(|a| a.is_finite()).then_some(a)
    }

    /// The first columns in an order that are independent: modified Gram and Schmidt, twice each.
    fn independent(&self, order: &[usize]) -> Vec<usize> {
        let (mut found, mut directions): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for &i in order {
            if found.len() == self.m {
                break;
            }
            let mut rest = self.column(i).to_vec();
            let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
            let whole = length(&rest);
            for direction in directions.iter().chain(&directions) {
                let along: f64 = rest.iter().zip(direction).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(direction).for_each(|(rest, d)| *rest -= along * d);
            }
            let left = length(&rest);
            if left > INDEPENDENT * whole {
                rest.iter_mut().for_each(|v| *v /= left);
                directions.push(rest);
                found.push(i);
            }
        }
        found
    }
}
