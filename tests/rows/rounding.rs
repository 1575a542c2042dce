//! Problems of the kinds that test sets of quadratic programs have shown: right-hand sides that rounding has kept from being zero, rows without entries, costs that vanish, columns that nearly depend on others.

use pathqp::hessian::{self, Hessian, Rows, Sparse};
use pathqp::testing::{Options, Random, check};
use pathqp::validate::validate;
use pathqp::{Affine, ParametricQp, Path, PathError, Range, Settings, Start, trace};
use std::sync::Arc;

/// A problem on θ from 0 to 1: diagonal of H, costs at both ends, rows by their entries with bounds that stay, and x ≥ 0 or free.
#[derive(Clone, Default)]
struct Sketch {
    h: Vec<f64>,
    c: [Vec<f64>; 2],
    a: Vec<Vec<f64>>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    free: bool,
}

impl Sketch {
    fn qp(&self) -> ParametricQp<f64> {
        let n = self.h.len();
        let h: Arc<dyn Hessian<f64>> = match self.h.iter().all(|h| *h == 0.0) {
            true => Arc::new(hessian::zero(n).unwrap()),
            false => Arc::new(Sparse::new(n, self.h.iter().enumerate().map(|(i, h)| (i, i, *h))).unwrap()),
        };
        let [from, to] = &self.c;
        let slope = to.iter().zip(from).map(|(to, from)| to - from).collect();
        let rows = Rows::Dense { columns: n, values: self.a.iter().flatten().copied().collect() };
        let bound = |v: &[f64]| Affine::constant(v.to_vec(), 1);
        let qp = ParametricQp::new(h, vec![Range::new(0.0, 1.0)], Affine::line(from.clone(), slope)).unwrap();
        let qp = if self.free { qp } else { qp.lower(bound(&vec![0.0; n])).unwrap() };
        qp.rows(rows, bound(&self.lower), bound(&self.upper)).unwrap()
    }

    fn follow(&self, what: &str) -> Path<f64> {
        let line = self.qp().line(&[0.0], &[1.0]).unwrap();
        let path = trace(&line, &Start::Anywhere, &Settings::default(), &mut ());
        let path = path.unwrap_or_else(|failure| panic!("{what}: {}", failure.0));
        assert!(path.is_complete(), "{what}: {:?}", path.stop());
        assert_eq!(validate(&path, &line, &1e-9), [], "{what}");
        path
    }

    /// The same, in double precision alone, and by an interior-point solver.
    fn holds(&self, what: &str) {
        assert_eq!(self.follow(what).stats().detours, 0, "{what}");
        let options = Options { points: 3, ..Options::default() };
        assert_eq!(check(&self.qp(), &[0.0], &[1.0], &Start::Anywhere, &options), [], "{what}");
    }
}

const NONE: f64 = f64::INFINITY;

/// 0 ≤ b: nothing is said where b is rounding of the other bounds, however that turned out, and where b is less no x is feasible.
#[test]
fn rows_without_entries() {
    let problem = |b: f64, a: f64| Sketch {
        h: vec![1.0, 1.0],
        c: [vec![-1.0, 0.0], vec![0.0, -2.0]],
        a: vec![vec![0.0, 0.0], vec![a, a]],
        lower: vec![-NONE, 0.5 * a],
        upper: vec![b, a],
        free: false,
    };
    for a in [1.0, 1e6] {
        for b in [-6.9e-18, 0.0, 6.9e-18, 1.0] {
            problem(b, a).holds(&format!("{b}, {a}"));
        }
    }
    for b in [-1e-9, -1.0] {
        let line = problem(b, 1.0).qp().line(&[0.0], &[1.0]).unwrap();
        let error = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_err().0;
        assert!(matches!(&error, PathError::InfeasibleRows { weights } if weights.iter().all(|w| w.0 == 0)), "{error}");
    }
}

/// Bounds of thousands beside equalities whose right-hand sides are what rounding has left of zero.
#[test]
fn right_hand_sides_that_are_rounding() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let (n, m) = (24, 12);
        let inner: Vec<f64> = (0..n).map(|j| if j % 3 == 0 { 0.0 } else { 5.0 * random.unit() }).collect();
        let mut a: Vec<Vec<f64>> = (0..m)
            .map(|_| (0..n).map(|_| if random.chance(0.3) { random.integer(9) / 7.0 } else { 0.0 }).collect())
            .collect();
        // The last two columns make every right-hand side zero but for rounding.
        let mut lower = Vec::new();
        for row in &mut a {
            let sum: f64 = row[..n - 2].iter().zip(&inner).map(|(a, x)| a * x).sum();
            (row[n - 2], row[n - 1]) = (-sum, 0.0);
            lower.push(random.integer(3) * 2.2e-16);
        }
        let mut upper = lower.clone();
        a.push(vec![1.0; n]);
        lower.push(-NONE);
        upper.push(3000.0);
        let h = (0..n).map(|j| if j % 4 == 0 { 1.0 } else { 0.0 }).collect();
        let c = [0, 1].map(|_| (0..n).map(|_| random.normal()).collect());
        Sketch { h, c, a, lower, upper, free: false }.follow(&format!("seed {seed}"));
    }
}

/// Two columns that are opposite in every row may grow together, at no cost: no objective is unbounded along that.
#[test]
fn rays_along_which_nothing_changes() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let (n, m) = (14, 6);
        let mut a: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| random.integer(4)).collect()).collect();
        for row in &mut a {
            (row[1], row[3]) = (-row[0], -row[2]);
        }
        let inner: Vec<f64> = (0..n).map(|_| random.unit()).collect();
        let lower: Vec<f64> = a.iter().map(|row| row.iter().zip(&inner).map(|(a, x)| a * x).sum()).collect();
        let mut c = [0, 1].map(|_| (0..n).map(|_| random.unit()).collect::<Vec<f64>>());
        c.iter_mut().for_each(|c| c[..4].fill(0.0));
        let h = (0..n).map(|j| if j > 8 { 1.0 } else { 0.0 }).collect();
        Sketch { h, c, a, upper: lower.clone(), lower, free: false }.holds(&format!("seed {seed}"));
    }
}

/// Positions and speeds over a horizon with a weight on the speeds: where the costs vanish, speeds of zero are known to rounding of the positions.
#[test]
fn costs_that_vanish_beside_states_that_do_not() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let steps = 8;
        // x = (position, speed, force) of every step.
        let n = 3 * steps;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for k in 0..steps {
            let (mut moves, mut gains) = (vec![0.0; n], vec![0.0; n]);
            (moves[3 * k], gains[3 * k + 1], gains[3 * k + 2]) = (1.0, 1.0, -0.1 / 3.0);
            if k > 0 {
                (moves[3 * k - 3], moves[3 * k - 2], gains[3 * k - 2]) = (-1.0, -0.05, -1.0);
            }
            a.extend([moves, gains]);
            b.extend([if k == 0 { 12.2625 } else { 0.0 }, 0.0]);
        }
        let (m, mut lower, mut upper) = (a.len(), b.clone(), b);
        for k in 0..steps {
            let mut force = vec![0.0; n];
            force[3 * k + 2] = 1.0;
            a.push(force);
            lower.push(0.0);
            upper.push(0.1962);
        }
        let h = (0..n).map(|j| if j % 3 == 1 { 10.0 } else { 0.0 }).collect();
        let c = [vec![0.0; n], (0..n).map(|_| random.between(-1.0, 1.0)).collect()];
        assert_eq!(a.len(), m + steps);
        Sketch { h, c, a, lower, upper, free: true }.follow(&format!("seed {seed}"));
    }
}

/// Bars of a truss with cosines and sines of eight digits: columns depend on others up to these.
#[test]
fn columns_that_nearly_depend_on_others() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let (n, m) = (40, 8);
        let digits = |v: f64| (v * 1e8).round() / 1e8;
        let mut bar = || {
            let mut column = vec![0.0; m];
            let (joint, other) = (2 * random.below(m / 2), 2 * random.below(m / 2));
            let (dx, dy) = (random.integer(3), 1.0 + random.below(3) as f64);
            let length = dx.hypot(dy);
            let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
            let along = [sign * digits(dx / length), sign * digits(dy / length)];
            column[joint..joint + 2].copy_from_slice(&along);
            if other != joint {
                column[other..other + 2].copy_from_slice(&along.map(|v| -v));
            }
            column
        };
        let bars: Vec<Vec<f64>> = (0..n).map(|_| bar()).collect();
        let a: Vec<Vec<f64>> = (0..m).map(|r| bars.iter().map(|bar| bar[r]).collect()).collect();
        let inner: Vec<f64> = (0..n).map(|_| if random.chance(0.3) { random.unit() } else { 0.0 }).collect();
        let lower: Vec<f64> = a.iter().map(|row| row.iter().zip(&inner).map(|(a, x)| a * x).sum()).collect();
        let c = [0, 1].map(|_| (0..n).map(|_| 1.0 + random.unit()).collect());
        let h = (0..n).map(|j| if j % 7 == 0 { 18.0 } else { 0.0 }).collect();
        Sketch { h, c, a, upper: lower.clone(), lower, free: false }.follow(&format!("seed {seed}"));
    }
}

/// Many variables without bounds: the basis of the start is found in one step, with the equality rows where these are independent, and without events where there is nothing else.
#[test]
fn starts_of_many_free_variables() {
    let (n, m) = (200, 60);
    let mut random = Random(5);
    let mut entry = || if random.chance(0.1) { random.normal() } else { 0.0 };
    let mut a: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| entry()).collect()).collect();
    a.iter_mut().enumerate().for_each(|(r, row)| row[r] += 2.0);
    let b: Vec<f64> = (0..m).map(|_| random.normal()).collect();
    let c = [0, 1].map(|_| (0..n).map(|_| random.normal()).collect());
    let sketch = Sketch { h: vec![1.0; n], c, a, lower: b.clone(), upper: b, free: true };
    let path = sketch.follow("equalities");
    assert_eq!((path.stats().events, path.segments().len()), (0, 1));
    sketch.holds("equalities");
    let mut with_room = sketch.clone();
    with_room.upper.iter_mut().step_by(2).for_each(|u| *u += 0.5);
    with_room.holds("with room");
    // A row twice, and columns without curvature: no basis in one step.
    let mut twice = with_room.clone();
    twice.a.push(twice.a[1].clone());
    twice.lower.push(twice.lower[1]);
    twice.upper.push(twice.upper[1]);
    twice.holds("a row twice");
}
