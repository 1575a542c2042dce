//! Random problems in floating point, by family and seed.

use super::Spec;
use pathqp::testing::Random;

/// Where the rows of Z come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Normal, as many columns as rows or more.
    FullRank,
    /// Normal, few columns.
    LowRank,
    /// ±1.
    Signs,
    /// Integers from −2 to 2 and a constant feature: ties everywhere.
    Grid,
    /// Copies and opposites of a few normal rows, zero rows among them.
    Copies,
    Identity,
    /// One column of integers.
    OneFeature,
    /// All rows equal.
    Equal,
}

pub const ROWS: [Rows; 8] = [
    Rows::FullRank,
    Rows::LowRank,
    Rows::Signs,
    Rows::Grid,
    Rows::Copies,
    Rows::Identity,
    Rows::OneFeature,
    Rows::Equal,
];

/// What the problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// c = −1, 0 ≤ x ≤ wθ from θ = 0.
    Costs,
    /// τ − 1 ≤ x ≤ τ, c = −y with ties, from end to end.
    Quantiles,
    /// c, l, u and b in small integers: boxes open and close.
    Integers,
    /// c, l, u and b uniform.
    Reals,
}

pub const KINDS: [Kind; 4] = [Kind::Costs, Kind::Quantiles, Kind::Integers, Kind::Reals];

fn rows(kind: Rows, n: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let d = match kind {
        Rows::FullRank => n + random.below(3),
        Rows::OneFeature | Rows::Equal => 1,
        _ => 1 + random.below(5),
    };
    let normal = |n: usize, random: &mut Random| -> Vec<Vec<f64>> {
        (0..n).map(|_| (0..d).map(|_| random.normal()).collect()).collect()
    };
    match kind {
        Rows::FullRank | Rows::LowRank => normal(n, random),
        Rows::Signs => (0..n).map(|_| (0..d).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect()).collect(),
        Rows::Grid => (0..n).map(|_| (0..d).map(|_| random.integer(2)).chain([1.0]).collect()).collect(),
        Rows::Copies => {
            let pool = normal(3, random);
            let copy = |random: &mut Random| {
                let sign = random.integer(1);
                pool[random.below(3)].iter().map(|v| sign * v).collect()
            };
            (0..n).map(|_| copy(random)).collect()
        }
        Rows::Identity => (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect(),
        Rows::OneFeature => (0..n).map(|_| vec![random.integer(3)]).collect(),
        Rows::Equal => vec![vec![1.5]; n],
    }
}

/// A problem on θ ∈ [0, 1] that is feasible at both ends.
pub fn instance(z: Rows, kind: Kind, n: usize, random: &mut Random) -> Spec<f64> {
    let mut z = rows(z, n, random);
    let labels: Vec<f64> = (0..n).map(|_| if random.chance(0.5) { 1.0 } else { -1.0 }).collect();
    let with_row = random.chance(0.6);
    let zeros = [0.0, 0.0];
    if kind == Kind::Costs {
        z.iter_mut().zip(&labels).for_each(|(row, y)| row.iter_mut().for_each(|v| *v *= y));
        let cost = 10f64.powf(random.between(-1.0, 2.0));
        return Spec {
            z,
            c: vec![[-1.0, 0.0]; n],
            lower: vec![Some(zeros); n],
            upper: (0..n).map(|_| Some([0.0, cost * (1.0 + random.below(2) as f64)])).collect(),
            row: with_row.then_some((labels, zeros)),
            from: 0.0,
            to: 1.0,
        };
    }
    if kind == Kind::Quantiles {
        let cost = 10f64.powf(random.between(-1.0, 2.0));
        return Spec {
            z,
            c: (0..n).map(|_| [-random.integer(4), 0.0]).collect(),
            lower: vec![Some([-cost, cost]); n],
            upper: vec![Some([0.0, cost]); n],
            row: with_row.then_some((vec![1.0; n], zeros)),
            from: 0.0,
            to: 1.0,
        };
    }
    let whole = kind == Kind::Integers;
    let value = |random: &mut Random| if whole { random.integer(3) } else { random.between(-3.0, 3.0) };
    let (moves_c, moves_bounds) = [(true, true), (true, false), (false, true)][random.below(3)];
    let (mut lower, mut upper, mut ends) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..n {
        let l = value(random);
        let l = [l, if moves_bounds { value(random) } else { l }];
        let narrow = whole && random.chance(0.3);
        let width = |random: &mut Random| {
            if narrow && random.chance(0.7) {
                0.0
            } else if whole {
                1.0 + random.below(3) as f64
            } else {
                random.between(0.1, 3.0)
            }
        };
        let first = width(random);
        let widths = [first, if moves_bounds { width(random) } else { first }];
        for (end, (l, w)) in ends.iter_mut().zip(l.iter().zip(widths)) {
            end.push(l + w * random.below(3) as f64 / 2.0);
        }
        lower.push(Some([l[0], l[1] - l[0]]));
        upper.push(Some([l[0] + widths[0], l[1] + widths[1] - l[0] - widths[0]]));
    }
    let c = (0..n).map(|_| [value(random), if moves_c { 2.0 * value(random) } else { 0.0 }]).collect();
    let row = with_row.then(|| {
        let a: Vec<f64> = if random.chance(0.5) { labels } else { (0..n).map(|_| value(random)).collect() };
        let [start, end] = ends.map(|x| a.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>());
        (a, [start, if moves_bounds { end - start } else { 0.0 }])
    });
    let row = row.filter(|(a, _)| a.iter().any(|v| *v != 0.0));
    Spec { z, c, lower, upper, row, from: 0.0, to: 1.0 }
}

/// Moves every value of c by up to `size`.
pub fn shake(spec: &mut Spec<f64>, size: f64, random: &mut Random) {
    for c in &mut spec.c {
        c[0] += size * random.between(-1.0, 1.0);
    }
}

/// The same problem in other units: Z in σ, x in β, the row in ρ, θ in τ, the objective in β²σ².
pub fn scaled(spec: &Spec<f64>, (sigma, beta, rho, tau): (f64, f64, f64, f64)) -> Spec<f64> {
    let pair = |p: &[f64; 2], unit: f64| [p[0] * unit, p[1] * unit / tau];
    let bounds = |v: &[Option<[f64; 2]>]| v.iter().map(|b| b.as_ref().map(|b| pair(b, beta))).collect();
    Spec {
        z: spec.z.iter().map(|row| row.iter().map(|v| v * sigma).collect()).collect(),
        c: spec.c.iter().map(|c| pair(c, beta * sigma * sigma)).collect(),
        lower: bounds(&spec.lower),
        upper: bounds(&spec.upper),
        row: spec.row.as_ref().map(|(a, b)| (a.iter().map(|v| v * rho).collect(), pair(b, beta * rho))),
        from: spec.from * tau,
        to: spec.to * tau,
    }
}

/// A point of the box at θ = `from`, moved coordinate by coordinate in a random order onto the row.
pub fn feasible(spec: &Spec<f64>, random: &mut Random) -> Vec<f64> {
    let at = |i: usize| (spec.lower(i, &spec.from).unwrap(), spec.upper(i, &spec.from).unwrap());
    let corner = random.chance(0.3);
    let mut pick = |i: usize| {
        let (l, u) = at(i);
        let part = if corner { random.below(2) as f64 } else { random.unit() };
        (l + (u - l) * part).clamp(l, u)
    };
    let mut x: Vec<f64> = (0..spec.n()).map(&mut pick).collect();
    if let Some((a, b)) = &spec.row {
        for i in random.order(spec.n()) {
            let missing = Spec::at(b, &spec.from) - a.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>();
            if a[i] != 0.0 {
                let (l, u) = at(i);
                x[i] = (x[i] + missing / a[i]).clamp(l, u);
            }
        }
    }
    x
}
