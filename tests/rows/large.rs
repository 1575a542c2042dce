//! Problems that are large enough to begin from what an interior-point method sees: the same path as from nothing, in fewer events.

use pathqp::certificate::{Certifier, Place, along, breakpoints};
use pathqp::hessian::{self, Hessian, Rows, Sparse};
use pathqp::observe::{Event, Observer};
use pathqp::testing::Random;
use pathqp::{Affine, Line, ParametricQp, Path, PathError, Range, Settings, Start, trace};
use std::sync::Arc;

/// Columns and rows: more than a thousand together.
const N: usize = 700;
const M: usize = 450;

/// What the problems differ in.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// H is diagonal.
    Curved,
    /// A third of the columns has no curvature, and every fifth row is an equality.
    Partly,
    /// Linear, with integers: its solutions are not unique.
    Linear,
}

/// 0 ≤ x ≤ 1 in rows of five entries with room around an inner point; costs move, and so does one row's bound.
fn line(kind: Kind, seed: u64) -> Line<f64> {
    let mut random = Random(seed);
    let curved = |i: usize| match kind {
        Kind::Curved => true,
        Kind::Partly => !i.is_multiple_of(3),
        Kind::Linear => false,
    };
    let entries: Vec<_> = (0..N).filter(|&i| curved(i)).map(|i| (i, i, random.between(0.5, 2.0))).collect();
    let h: Arc<dyn Hessian<f64>> = match kind {
        Kind::Linear => Arc::new(hessian::zero(N).unwrap()),
        _ => Arc::new(Sparse::new(N, entries).unwrap()),
    };
    let mut cost = || match kind {
        Kind::Linear => random.below(9) as f64 - 4.0,
        _ => random.between(-2.0, 2.0),
    };
    let (c, rate): (Vec<f64>, Vec<f64>) = (0..N).map(|_| (cost(), cost() / 4.0)).unzip();
    let (mut indices, mut values, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for r in 0..M {
        let mut columns: Vec<u32> = (0..5).map(|_| random.below(N) as u32).collect();
        columns.sort_unstable();
        columns.dedup();
        columns.resize(5, u32::MAX);
        let columns: Vec<u32> = columns.into_iter().filter(|&j| j != u32::MAX).collect();
        let row: Vec<f64> = columns.iter().map(|_| random.below(5) as f64 - 2.0).collect();
        let middle: f64 = row.iter().sum::<f64>() / 2.0;
        let room = if kind == Kind::Partly && r.is_multiple_of(5) { 0.0 } else { 0.25 };
        lower.push(middle - room);
        upper.push(middle + room);
        indices.push(columns);
        values.push(row);
    }
    let starts = std::iter::once(0).chain(indices.iter().scan(0, |at, row| {
        *at += row.len();
        Some(*at)
    }));
    let starts = starts.collect();
    let rows = Rows::Sparse { columns: N, starts, indices: indices.concat(), values: values.concat() };
    let [still, mut moves] = [vec![0.0; M], vec![0.0; M]];
    moves[1] = 0.125;
    let qp = ParametricQp::new(h, vec![Range::new(0.0, 1.0)], Affine::line(c, rate)).unwrap();
    let qp = qp.lower(Affine::line(vec![0.0; N], vec![0.0; N])).unwrap();
    let qp = qp.upper(Affine::line(vec![1.0; N], vec![0.0; N])).unwrap();
    qp.rows(rows, Affine::line(lower, still), Affine::line(upper, moves)).unwrap().line(&[0.0], &[1.0]).unwrap()
}

/// Counts the events of the start, and stops at a limit.
struct Counted(usize, usize);

impl Observer<f64> for Counted {
    fn event(&mut self, _: &Event<'_, f64>) -> bool {
        true
    }

    fn start_event(&mut self, _: &Event<'_, f64>) -> bool {
        self.0 += 1;
        self.0 < self.1
    }
}

fn followed(line: &Line<f64>, start: &Start<f64>) -> (Path<f64>, usize) {
    let mut counted = Counted(0, usize::MAX);
    let path = trace(line, start, &Settings::default(), &mut counted).unwrap_or_else(|error| panic!("{}", error.0));
    (path, counted.0)
}

fn objective(line: &Line<f64>, path: &Path<f64>, t: f64) -> f64 {
    Certifier::new(line).point(&path.at(&t).unwrap()).objective
}

#[test]
fn large_problems_begin_near_the_solution_and_have_the_same_path() {
    for kind in [Kind::Curved, Kind::Partly, Kind::Linear] {
        for seed in 0..2 {
            let line = line(kind, seed);
            let (path, events) = followed(&line, &Start::Anywhere);
            let (other, all_events) = followed(&line, &Start::Guess(vec![0.0; N]));
            let random: Vec<Place> = breakpoints(&path);
            let verdict = along(&path, &line, &random, 1, &|_| true);
            assert!(verdict.residual <= 1e-9 && verdict.gap <= 1e-9, "{:e} {:e}", verdict.residual, verdict.gap);
            for k in 0..=20 {
                let t = f64::from(k) / 20.0;
                let [one, two] = [&path, &other].map(|path| objective(&line, path, t));
                assert!((one - two).abs() <= 1e-10 * one.abs().max(1.0), "seed {seed} at {t}: {one} {two}");
            }
            // A unique solution is seen as it is; of others the middle is, from where a vertex has to be found.
            let fewer = if kind == Kind::Curved { 20 } else { 1 };
            assert!(
                events * fewer < all_events,
                "seed {seed}: {events} events of the start, {all_events} from nothing"
            );
        }
    }
}

#[test]
fn a_large_problem_without_a_point_is_proved_to_have_none() {
    let mut line = line(Kind::Curved, 1);
    let rows = line.rows.as_mut().unwrap();
    // More than x ≤ 1 allows.
    rows.bounds.lower[7] = Some([20.0, 0.0]);
    rows.bounds.upper[7] = Some([21.0, 0.0]);
    let error = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()).unwrap_err().0;
    let PathError::InfeasibleRows { weights } = &error else { panic!("{error}") };
    let of_row = |j: usize| rows_value(&line, weights, j);
    // Σ over columns of the largest wᵀAⱼxⱼ, beside what the rows demand at least.
    let most: f64 = (0..N).map(|j| of_row(j).max(0.0)).sum();
    let bounds = &line.rows.as_ref().unwrap().bounds;
    let least: f64 = weights.iter().map(|(r, w)| weight(w) * demanded(bounds, *r, weight(w))).sum();
    assert!(least > most + 1e-6, "{least} {most}");
}

fn weight(text: &str) -> f64 {
    text.parse().unwrap()
}

fn demanded(bounds: &pathqp::problem::Bounds<f64>, r: usize, w: f64) -> f64 {
    if w > 0.0 { bounds.lower[r].unwrap()[0] } else { bounds.upper[r].unwrap()[0] }
}

fn rows_value(line: &Line<f64>, weights: &[(usize, String)], j: usize) -> f64 {
    let matrix = &line.rows.as_ref().unwrap().matrix;
    weights.iter().map(|(r, w)| weight(w) * matrix.entry(*r, j)).sum()
}

#[test]
fn an_observer_stops_the_start_of_a_large_problem() {
    let line = line(Kind::Linear, 2);
    let error = trace(&line, &Start::Anywhere, &Settings::default(), &mut Counted(0, 3)).unwrap_err().0;
    assert!(matches!(error, PathError::StartStopped { .. }), "{error}");
}
