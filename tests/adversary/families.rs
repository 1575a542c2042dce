//! Random problems that are hard for floating point, each from its family and seed alone.
//!
//! | family | what it is |
//! |---|---|
//! | integers | c, l, u and b in small integers at both ends; c moves, the bounds do, or both |
//! | svm | 0 ≤ x ≤ v·C from C = 0, duplicated points; constant feature or intercept |
//! | quantile-svm | 0 ≤ x ≤ τ, or 1 − τ in the other class, for all τ |
//! | kqr-tau | C(τ − 1) ≤ x ≤ Cτ, c = −Y, for all τ |
//! | kqr-lambda | τ − 1 ≤ x ≤ τ, c = −λY, from λ = 0 or down to it |
//! | open | integers with bounds missing on one side or both |
//! | noise-K | one of the first five with noise of 10^-K on z and c, in every other problem on the bounds and the row as well |
//! | lengths-K | integers with a noise of 10⁻³, their rows 10^-K to 10^K times as long, and cᵢ with them or not |
//! | huber-K | H = I + κXXᵀ with X of lengths up to 10^K, \|x\| ≤ threshold: Huber regression's dual from the threshold zero on or back to it |
//! | boxes | boxes that have no width at the beginning, at the end, at both or all along |
//! | rays | costs, linear terms and penalties that move without end |
//!
//! `noise`, `lengths` and `huber` alone take their K from the seed.

use super::problem::Problem;
use pathqp::testing::Random;
use std::fmt;
use std::str::FromStr;

/// A family, with the exponent of those that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    kind: Kind,
    exponent: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integers,
    Svm,
    QuantileSvm,
    KqrTau,
    KqrLambda,
    Open,
    Noise,
    Lengths,
    Huber,
    Boxes,
    Rays,
}

const KINDS: [(&str, Kind, &[u64]); 11] = [
    ("integers", Kind::Integers, &[]),
    ("svm", Kind::Svm, &[]),
    ("quantile-svm", Kind::QuantileSvm, &[]),
    ("kqr-tau", Kind::KqrTau, &[]),
    ("kqr-lambda", Kind::KqrLambda, &[]),
    ("open", Kind::Open, &[]),
    ("noise", Kind::Noise, &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
    ("lengths", Kind::Lengths, &[0, 1, 2, 3, 4, 5, 6]),
    ("huber", Kind::Huber, &[0, 1, 2, 3, 4, 5]),
    ("boxes", Kind::Boxes, &[]),
    ("rays", Kind::Rays, &[]),
];

impl Family {
    /// All families, those with an exponent taking it from the seed.
    pub fn all() -> Vec<Family> {
        KINDS.iter().map(|&(_, kind, _)| Family { kind, exponent: None }).collect()
    }

    fn entry(self) -> &'static (&'static str, Kind, &'static [u64]) {
        // Every kind has its line.
        &KINDS[self.kind as usize]
    }

    /// Whether its numbers are small integers and fractions, so that rays and null directions are what they are exactly.
    pub fn is_exact(self) -> bool {
        !matches!(self.kind, Kind::Noise | Kind::Lengths | Kind::Huber)
    }

    /// The family with the exponent that belongs to a seed.
    pub fn at(self, seed: u64) -> Family {
        let exponents = self.entry().2;
        let drawn = (!exponents.is_empty()).then(|| exponents[(seed % exponents.len() as u64) as usize]);
        Family { exponent: self.exponent.or(drawn), ..self }
    }

    /// The problem of a seed.
    pub fn problem(self, seed: u64) -> Problem {
        let family = self.at(seed);
        let mut random = Random(seed ^ ((self.kind as u64 + 1) << 40));
        let k = family.exponent.unwrap_or(0) as i32;
        let mut draft = match self.kind {
            Kind::Integers => integers(&mut random),
            Kind::Svm => svm(&mut random),
            Kind::QuantileSvm => quantile_svm(&mut random),
            Kind::KqrTau => kqr_tau(&mut random),
            Kind::KqrLambda => kqr_lambda(&mut random),
            Kind::Open => open(&mut random),
            Kind::Noise => noise(10f64.powi(-k), &mut random),
            Kind::Lengths => lengths(k, &mut random),
            Kind::Huber => huber(k, &mut random),
            Kind::Boxes => boxes(&mut random),
            Kind::Rays => ray(&mut random),
        };
        if draft.guess.is_none() && random.chance(0.3) {
            draft.guess = guess(&draft, &mut random);
        }
        draft
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent {
            Some(k) => write!(f, "{}-{k}", self.entry().0),
            None => f.write_str(self.entry().0),
        }
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Family, String> {
        let found = KINDS.iter().find_map(|&(name, kind, exponents)| {
            let rest = text.strip_prefix(name)?;
            if rest.is_empty() {
                return Some(Family { kind, exponent: None });
            }
            let k = rest.strip_prefix('-')?.parse().ok()?;
            exponents.contains(&k).then_some(Family { kind, exponent: Some(k) })
        });
        let names: Vec<&str> = KINDS.iter().map(|k| k.0).collect();
        found.ok_or_else(|| format!("no family is called {text:?}; there are: {}", names.join(", ")))
    }
}

/// n rows of 1 to 4 columns in small integers, with copies and opposites.
fn rows(n: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let (d, size, copies) = (1 + random.below(4), 1 + random.below(3), random.chance(0.6));
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(n);
    for i in 0..n {
        let sign = if random.chance(0.3) { -1.0 } else { 1.0 };
        let row = match copies && i > 0 && random.chance(0.4) {
            true => rows[random.below(i)].iter().map(|v| sign * v).collect(),
            false => (0..d).map(|_| random.integer(size)).collect(),
        };
        rows.push(row);
    }
    rows
}

fn size(random: &mut Random) -> usize {
    1 + random.below(10)
}

/// A row whose b follows two points, one in the box at each end of the line (n entries each).
fn row_through(a: Vec<f64>, ends: &[Vec<f64>; 2], moves: bool) -> Option<(Vec<f64>, [f64; 2])> {
    let [start, end] = [&ends[0], &ends[1]].map(|x| a.iter().zip(x).map(|(a, x)| a * x).sum::<f64>());
    a.iter().any(|a| *a != 0.0).then_some((a, [start, if moves { end - start } else { 0.0 }]))
}

/// How the boxes of [`boxed`] are.
#[derive(Clone, Copy)]
struct Widths {
    /// The chance that a box has no width at an end of the line.
    none: f64,
}

/// Bounds, n pairs each, and a point within them at each end of the line.
struct Boxes {
    lower: Vec<Option<[f64; 2]>>,
    upper: Vec<Option<[f64; 2]>>,
    ends: [Vec<f64>; 2],
}

/// Bounds in small integers at both ends, and a point in them at either end.
fn boxed(n: usize, moves: bool, widths: Widths, random: &mut Random) -> Boxes {
    let (mut lower, mut upper, mut ends) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..n {
        let l = random.integer(2);
        let l = [l, if moves && random.chance(0.6) { random.integer(2) } else { l }];
        let width = |random: &mut Random| if random.chance(widths.none) { 0.0 } else { 1.0 + random.below(3) as f64 };
        let first = width(random);
        let w = [first, if moves { width(random) } else { first }];
        let part = random.below(5) as f64 / 4.0;
        let parts = [part, if moves { random.below(5) as f64 / 4.0 } else { part }];
        for k in 0..2 {
            ends[k].push(l[k] + w[k] * parts[k]);
        }
        lower.push(Some([l[0], l[1] - l[0]]));
        upper.push(Some([l[0] + w[0], l[1] + w[1] - l[0] - w[0]]));
    }
    Boxes { lower, upper, ends }
}

fn with_boxes(n: usize, widths: Widths, random: &mut Random) -> Problem {
    let z = rows(n, random);
    let (moves_c, moves) = [(true, true), (true, false), (false, true)][random.below(3)];
    let c = (0..n).map(|_| [random.integer(3), if moves_c { random.integer(4) } else { 0.0 }]).collect();
    let Boxes { lower, upper, ends } = boxed(n, moves, widths, random);
    let row = random.chance(0.5).then(|| {
        let a = match random.below(3) {
            0 => vec![1.0; n],
            1 => (0..n).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect(),
            _ => (0..n).map(|_| random.integer(2)).collect(),
        };
        row_through(a, &ends, moves)
    });
    let guess = random.chance(0.2).then(|| ends[0].clone());
    Problem { z, c, lower, upper, row: row.flatten(), ray: false, guess }
}

fn integers(random: &mut Random) -> Problem {
    let (n, none) = (size(random), if random.chance(0.3) { 0.3 } else { 0.0 });
    let mut problem = with_boxes(n, Widths { none }, random);
    // Now and then the row leaves the box on the way.
    if random.chance(0.1)
        && let Some((_, b)) = &mut problem.row
    {
        b[1] += random.integer(4);
    }
    problem
}

fn boxes(random: &mut Random) -> Problem {
    let n = size(random);
    with_boxes(n, Widths { none: 0.5 }, random)
}

fn open(random: &mut Random) -> Problem {
    let n = size(random);
    let mut problem = with_boxes(n, Widths { none: 0.1 }, random);
    let share = [0.2, 0.5, 0.8][random.below(3)];
    let which = random.below(3);
    for i in 0..n {
        if which != 0 && random.chance(share) {
            problem.lower[i] = None;
        }
        if which != 1 && random.chance(share) {
            problem.upper[i] = None;
        }
    }
    // So that most of them have a minimum, c lies in the span of the rows.
    if random.chance(0.7) {
        let d = problem.z[0].len();
        let w: Vec<[f64; 2]> = (0..d).map(|_| [random.integer(2), random.integer(2)]).collect();
        let y = [random.integer(2), random.integer(2)];
        for i in 0..n {
            let a = problem.a(i);
            for k in 0..2 {
                problem.c[i][k] = problem.z[i].iter().zip(&w).map(|(z, w)| z * w[k]).sum::<f64>() + a * y[k];
            }
        }
    }
    problem
}

/// Rows with labels, duplicates among them, and the label of each; the constant feature or an intercept.
fn classes(random: &mut Random) -> (Vec<Vec<f64>>, Vec<f64>, bool) {
    let n = size(random);
    let labels: Vec<f64> = (0..n).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect();
    let intercept = random.chance(0.5);
    let mut z = rows(n, random);
    for (row, y) in z.iter_mut().zip(&labels) {
        row.iter_mut().for_each(|v| *v *= y);
        if !intercept && random.chance(0.9) {
            row.push(*y);
        } else if !intercept {
            row.push(0.0);
        }
    }
    (z, labels, intercept)
}

fn plain(z: Vec<Vec<f64>>, c: Vec<[f64; 2]>, bounds: Vec<[[f64; 2]; 2]>, row: Option<Vec<f64>>) -> Problem {
    let lower = bounds.iter().map(|b| Some(b[0])).collect();
    let upper = bounds.iter().map(|b| Some(b[1])).collect();
    Problem { z, c, lower, upper, row: row.map(|a| (a, [0.0, 0.0])), ray: false, guess: None }
}

fn svm(random: &mut Random) -> Problem {
    let (z, labels, intercept) = classes(random);
    let cost = [0.25, 1.0, 3.0, 16.0, 100.0][random.below(5)];
    let weighted = random.chance(0.3);
    let bounds = z.iter().map(|_| [[0.0; 2], [0.0, if weighted { cost * (1 + random.below(2)) as f64 } else { cost }]]);
    let bounds = bounds.collect();
    plain(z.clone(), vec![[-1.0, 0.0]; z.len()], bounds, intercept.then_some(labels))
}

fn quantile_svm(random: &mut Random) -> Problem {
    let (z, labels, intercept) = classes(random);
    let cost = [0.25, 1.0, 3.0, 16.0, 100.0][random.below(5)];
    let side = |y: &f64| if *y > 0.0 { [0.0, cost] } else { [cost, -cost] };
    let bounds = labels.iter().map(|y| [[0.0; 2], side(y)]).collect();
    plain(z.clone(), vec![[-1.0, 0.0]; z.len()], bounds, intercept.then_some(labels))
}

/// Rows, responses with ties, and whether there is an intercept.
fn responses(random: &mut Random) -> (Vec<Vec<f64>>, Vec<f64>, bool) {
    let n = size(random);
    let (mut z, intercept) = (rows(n, random), random.chance(0.6));
    if !intercept {
        z.iter_mut().for_each(|row| row.push(1.0));
    }
    let size = 1 + random.below(4);
    (z, (0..n).map(|_| random.integer(size)).collect(), intercept)
}

fn kqr_tau(random: &mut Random) -> Problem {
    let (z, y, intercept) = responses(random);
    let cost = [0.25, 1.0, 4.0, 20.0, 1000.0][random.below(5)];
    let c = y.iter().map(|y| [-y, 0.0]).collect();
    let bounds = vec![[[-cost, cost], [0.0, cost]]; z.len()];
    let n = z.len();
    plain(z, c, bounds, intercept.then(|| vec![1.0; n]))
}

fn kqr_lambda(random: &mut Random) -> Problem {
    let (z, y, intercept) = responses(random);
    let (tau, most) = ((1 + random.below(7)) as f64 / 8.0, [0.25, 1.0, 8.0, 100.0][random.below(4)]);
    let up = random.chance(0.5);
    let c = y.iter().map(|y| if up { [0.0, -most * y] } else { [-most * y, most * y] }).collect();
    let n = z.len();
    plain(z, c, vec![[[tau - 1.0, 0.0], [tau, 0.0]]; n], intercept.then(|| vec![1.0; n]))
}

/// A point in the boxes, and on the row if the ends of the row's range allow it: a fixed share of the way through every box.
fn inside(problem: &Problem, t: f64) -> Option<Vec<f64>> {
    let ends = |i: usize| {
        let at = |b: Option<[f64; 2]>| b.map(|[v, s]| v + s * t);
        match (at(problem.lower[i]), at(problem.upper[i])) {
            (Some(l), Some(u)) => Some([l, u]),
            _ => None,
        }
    };
    let boxes: Vec<[f64; 2]> = (0..problem.n()).map(ends).collect::<Option<_>>()?;
    let Some((a, b)) = &problem.row else { return Some(boxes.iter().map(|[l, u]| l + (u - l) / 2.0).collect()) };
    let side = |most: bool| -> Vec<f64> {
        boxes.iter().zip(a).map(|([l, u], a)| if (*a > 0.0) == most { *u } else { *l }).collect()
    };
    let (least, most) = (side(false), side(true));
    let value = |x: &[f64]| -> f64 { a.iter().zip(x).map(|(a, x)| a * x).sum() };
    let (low, high, needed) = (value(&least), value(&most), b[0] + b[1] * t);
    let share = if high > low { (needed - low) / (high - low) } else { 0.0 };
    (0.0..=1.0).contains(&share).then(|| least.iter().zip(&most).map(|(l, m)| l + (m - l) * share).collect())
}

/// A feasible point at t = 0, pushed about along the row; none where bounds are missing or nothing is feasible.
fn guess(problem: &Problem, random: &mut Random) -> Option<Vec<f64>> {
    let mut x = inside(problem, 0.0)?;
    for _ in 0..2 * x.len() {
        let (i, j, share) = (random.below(x.len()), random.below(x.len()), random.unit());
        let room = |k: usize, up: bool| match up {
            true => problem.upper[k].map_or(0.0, |u| (u[0] - x[k]).max(0.0)),
            false => problem.lower[k].map_or(0.0, |l| (x[k] - l[0]).max(0.0)),
        };
        let (a, b) = (problem.a(i), problem.a(j));
        if a == 0.0 {
            x[i] += room(i, true) * share;
        } else if i != j && b != 0.0 {
            // xᵢ + s and xⱼ − sa/b.
            let s = share * room(i, true).min(room(j, a / b < 0.0) * (b / a).abs());
            x[i] += s;
            x[j] -= s * a / b;
        }
    }
    Some(x)
}

fn perturb(value: &mut f64, size: f64, random: &mut Random) {
    *value += size * random.normal();
}

fn noise(size: f64, random: &mut Random) -> Problem {
    let base = [integers, integers, integers, svm, quantile_svm, kqr_tau, kqr_lambda];
    let mut problem = base[random.below(base.len())](random);
    problem.z.iter_mut().flatten().for_each(|v| perturb(v, size, random));
    problem.c.iter_mut().flatten().for_each(|v| perturb(v, size, random));
    if random.chance(0.5) {
        shake_bounds(&mut problem, size, random);
    }
    problem
}

/// Noise on boxes that stay boxes, on a, and on b so that what was feasible stays so; a guess is lost.
fn shake_bounds(problem: &mut Problem, size: f64, random: &mut Random) {
    let before = problem.clone();
    for i in 0..problem.n() {
        for bound in [&mut problem.lower[i], &mut problem.upper[i]].into_iter().flatten() {
            // A box without width at an end keeps it there.
            let (start, end) = (bound[0], bound[0] + bound[1]);
            let (start, end) =
                (start + size * random.unit() * start.signum(), end + size * random.unit() * end.signum());
            *bound = [start, end - start];
        }
        if let (Some(l), Some(u)) = (before.lower[i], before.upper[i]) {
            let closed = [l[0] >= u[0], l[0] + l[1] >= u[0] + u[1]];
            if closed[0] || closed[1] {
                (problem.lower[i], problem.upper[i]) = (before.lower[i], before.upper[i]);
            }
        }
    }
    let ends = inside(&before, 0.0).zip(inside(&before, 1.0));
    if let (Some((a, b)), Some((start, end))) = (&mut problem.row, ends) {
        a.iter_mut().for_each(|a| perturb(a, size, random));
        let clip = |x: Vec<f64>, t: f64| -> Vec<f64> {
            let at = |b: Option<[f64; 2]>, none: f64| b.map_or(none, |[v, s]| v + s * t);
            let ends = problem.lower.iter().zip(&problem.upper);
            x.iter().zip(ends).map(|(x, (l, u))| x.max(at(*l, f64::MIN)).min(at(*u, f64::MAX))).collect()
        };
        let value = |x: Vec<f64>| -> f64 { a.iter().zip(x).map(|(a, x)| a * x).sum() };
        let (start, end) = (value(clip(start, 0.0)), value(clip(end, 1.0)));
        *b = [start, if b[1] == 0.0 { 0.0 } else { end - start }];
    }
    problem.guess = None;
}

fn lengths(k: i32, random: &mut Random) -> Problem {
    let mut problem = with_boxes(2 + random.below(9), Widths { none: 0.1 }, random);
    let with_c = random.chance(0.7);
    for (row, c) in problem.z.iter_mut().zip(&mut problem.c) {
        let length = 10f64.powf(random.between(-f64::from(k), f64::from(k)));
        let length = if random.chance(0.5) { 10f64.powf(length.log10().round()) } else { length };
        row.iter_mut().for_each(|v| {
            if *v != 0.0 {
                perturb(v, 1e-3, random);
            }
            *v *= length;
        });
        if with_c {
            c.iter_mut().for_each(|c| *c *= length);
        }
    }
    problem
}

/// min ½|x|² + ½κ|Xᵀx|² − Yᵀx, |x| ≤ threshold; with an intercept Σx = 0.
fn huber(k: i32, random: &mut Random) -> Problem {
    let (n, d) = (2 + random.below(9), 1 + random.below(4));
    let whole = random.chance(0.5);
    let length = 10f64.powf(random.between(0.0, f64::from(k)));
    let kappa: f64 = [1.0, 0.1, 10.0, 1000.0][random.below(4)];
    let mut x: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        let fresh = |random: &mut Random| if whole { random.integer(3) } else { random.normal() };
        let row = match i > 0 && random.chance(0.2) {
            true => x[random.below(i)].clone(),
            false => (0..d).map(|_| length * fresh(random)).collect(),
        };
        x.push(row);
    }
    let unit = |i: usize| (0..n).map(move |j| f64::from(i == j));
    let z = x.iter().enumerate().map(|(i, row)| row.iter().map(|v| kappa.sqrt() * v).chain(unit(i)).collect());
    let c = (0..n).map(|_| [if whole { -random.integer(3) } else { -3.0 * random.normal() }, 0.0]).collect();
    let most = [1.0, 3.0, 10.0][random.below(3)];
    let bounds = if random.chance(0.7) { [[0.0, -most], [0.0, most]] } else { [[-most, most], [most, -most]] };
    let row = random.chance(0.5).then(|| vec![1.0; n]);
    plain(z.collect(), c, vec![bounds; n], row)
}

fn ray(random: &mut Random) -> Problem {
    let mut problem = match random.below(4) {
        0 => svm(random),
        1 => kqr_lambda(random),
        2 => open(random),
        _ => integers(random),
    };
    problem.ray = true;
    // Boxes stay boxes: both bounds stand still unless they part.
    for (l, u) in problem.lower.iter_mut().zip(&mut problem.upper) {
        if let (Some(l), Some(u)) = (l, u)
            && u[1] < l[1]
        {
            (l[1], u[1]) = (0.0, 0.0);
        }
    }
    problem
}
