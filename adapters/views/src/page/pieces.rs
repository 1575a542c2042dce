//! A path as the pieces that a page shows, in the order of rising values of the parameter.

use super::Watch;
use super::encode::{Column, digits, exact, whole};
use crate::certify;
use crate::path::Machine;
use pathqp::certificate::{Place, TOLERANCE, Verdict, certificates as all};
use pathqp::{Path, Point, Status};
use serde::Serialize;
use std::collections::HashMap;

/// A ray is shown so much farther than its last breakpoint.
const BEYOND: f64 = 1.5;

/// Two values of x differ, relative to the larger one and to one: x jumps.
const JUMP: f64 = 1e-9;

/// A segment of the path between two positions, the first with the smaller value of the parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The segment.
    pub segment: usize,
    /// Its two ends.
    pub t: [f64; 2],
}

/// The pieces of a path that have a length.
pub fn pieces(path: &Path<f64>, posed: Machine<'_>) -> Vec<Piece> {
    let segments = path.segments();
    let last = if path.is_endless() { (BEYOND * path.end()).max(path.end() + 1.0) } else { *path.end() };
    let ends = segments.iter().skip(1).map(|s| s.t).chain([last]);
    let all = segments.iter().zip(ends).enumerate().map(|(segment, (s, end))| Piece { segment, t: [s.t, end] });
    let mut pieces: Vec<Piece> = all.filter(|piece| piece.t[0] < piece.t[1]).collect();
    if posed.value(path, last) < posed.value(path, 0.0) {
        pieces.reverse();
        pieces.iter_mut().for_each(|piece| piece.t.reverse());
    }
    pieces
}

/// The solutions at both ends of a piece.
pub fn ends(path: &Path<f64>, piece: Piece) -> Option<[Point<f64>; 2]> {
    let [a, b] = piece.t.map(|t| path.law_at(piece.segment, &t));
    Some([a?, b?])
}

/// Whether two neighbours have different solutions where they meet.
pub fn jumps(a: &Point<f64>, b: &Point<f64>) -> bool {
    let differ = |a: &f64, b: &f64| (a - b).abs() > JUMP * a.abs().max(b.abs()).max(1.0);
    differ(&a.y, &b.y) || a.x.iter().zip(&b.x).any(|(a, b)| differ(a, b))
}

/// What is known at the beginning and the middle of every piece, and at the end of the last.
#[derive(Clone, Serialize)]
pub struct Along {
    start: Column,
    middle: Column,
    last: f64,
}

impl Along {
    fn new(values: &[[f64; 3]], code: fn(&[f64]) -> Column) -> Self {
        let column = |k: usize| values.iter().map(|v| v[k]).collect::<Vec<f64>>();
        Along { start: code(&column(0)), middle: code(&column(1)), last: values.last().map_or(0.0, |v| v[2]) }
    }
}

/// The certificates that pathqp computed: at both ends and the middle of every piece.
#[derive(Clone, Serialize)]
pub struct Certificates {
    /// A residual up to this passes.
    tolerance: f64,
    /// How many there are.
    points: usize,
    /// The largest scaled KKT residual.
    largest: f64,
    /// The largest relative duality gap.
    largest_gap: f64,
    /// Both.
    #[serde(skip)]
    pub worst: [f64; 2],
    kkt: Along,
    gap: Along,
}

impl Certificates {
    /// Of residuals and gaps at the beginning, the middle and the end of every piece.
    pub fn new(kkt: &[[f64; 3]], gap: &[[f64; 3]]) -> Self {
        let largest = |values: &[[f64; 3]]| values.iter().flatten().fold(0.0, |m: f64, v| m.max(certify::number(*v)));
        let worst = [largest(kkt), largest(gap)];
        Certificates {
            tolerance: TOLERANCE,
            points: 3 * kkt.len(),
            largest: worst[0],
            largest_gap: worst[1],
            worst,
            kkt: Along::new(kkt, super::encode::rough),
            gap: Along::new(gap, super::encode::rough),
        }
    }
}

/// The objective times vᵖ is a polynomial of degree two of the parameter v on every piece.
#[derive(Clone, Serialize)]
pub struct Objective {
    power: i32,
    value: Along,
}

/// Objectives and certificates of a kernel machine's path.
///
/// The engine minimises −1/`gap_unit` times the dual, so its dual objective is −1/`gap_unit` times the paper's primal one: here it is taken
/// from there, because [`pathqp_adapters::KernelProblem::model`] costs a pass through the kernel.
pub fn certificates(
    path: &Path<f64>,
    posed: Machine<'_>,
    (pieces, power): (&[Piece], i32),
    watch: Watch<'_>,
) -> (Objective, Certificates) {
    let places: Vec<Place> = pieces
        .iter()
        .flat_map(|piece| {
            let [a, b] = piece.t;
            [a, a + (b - a) / 2.0, b].map(|t| (piece.segment, t))
        })
        .collect();
    let found = all(path, &posed.line, &places, certify::cores(), &|begun| {
        watch(begun, places.len());
        true
    });
    let measured: Vec<[f64; 3]> = found
        .iter()
        .map(|((segment, t), certificate)| {
            let Some(certificate) = certificate else { return [f64::INFINITY; 3] };
            let value = posed.value(path, *t);
            let unit = posed.problem.gap_unit(&posed.axis.theta(value)) * value.powi(power);
            let verdict = Verdict::on(path, *segment, certificate, *t);
            [0.0 - unit * certificate.dual_objective, verdict.residual, verdict.gap]
        })
        .collect();
    let of = |k: usize| -> Vec<[f64; 3]> {
        measured.as_chunks::<3>().0.iter().map(|piece| piece.map(|place| place[k])).collect()
    };
    (Objective { power, value: Along::new(&of(0), digits) }, Certificates::new(&of(1), &of(2)))
}

/// The values of the parameter at the beginning of every piece and the end of the last.
pub fn values(path: &Path<f64>, posed: Machine<'_>, pieces: &[Piece]) -> Column {
    let last = pieces.last().map(|piece| piece.t[1]);
    let all: Vec<f64> = pieces.iter().map(|piece| piece.t[0]).chain(last).map(|t| posed.value(path, t)).collect();
    exact(&all)
}

/// The free variables of every piece, with their values at its ends: a run is a stretch of pieces on which one variable is free and does not
/// jump.
#[derive(Serialize)]
pub struct Free {
    /// How many variables are at their lower and upper bound on each piece.
    lower: Column,
    upper: Column,
    count: Column,
    /// The row of each run, its first piece, and the number of its pieces.
    row: Column,
    first: Column,
    length: Column,
    /// One value more than there are pieces, run after run.
    values: Column,
    /// How many of the rows that are ever free have their values here.
    shown: usize,
    ever: usize,
    /// The factor's name.
    label: &'static str,
}

struct Run {
    first: usize,
    values: Vec<f64>,
}

/// The runs, of so many numbers at most.
pub fn free(path: &Path<f64>, posed: Machine<'_>, pieces: &[Piece], rows: usize, budget: usize) -> Free {
    let mut sign = HashMap::new();
    for row in 0..rows {
        for (variable, s) in posed.kernel.row_variables(row) {
            sign.insert(variable, (row, s));
        }
    }
    let free_on = |piece: &Piece| path.free_on(piece.segment).iter().map(|i| *i as usize);
    let mut ever: Vec<usize> = pieces.iter().flat_map(free_on).collect();
    let total = ever.len();
    ever.sort_unstable();
    ever.dedup();
    // An even selection of the rows, of every s-th one.
    let stride = total.div_ceil(budget.max(1)).max(1);
    let rank: HashMap<usize, usize> = ever.iter().enumerate().map(|(k, i)| (*i, k)).collect();
    let (unit, label) = posed.kernel.dual_unit();
    let (mut open, mut done): (HashMap<usize, Run>, Vec<(usize, Run)>) = (HashMap::new(), Vec::new());
    for (k, piece) in pieces.iter().enumerate() {
        let indices = path.free_on(piece.segment);
        let [a, b] = piece.t.map(|t| path.free_at(piece.segment, &t));
        let mut now = HashMap::with_capacity(indices.len());
        for (i, (a, b)) in indices.iter().zip(a.iter().zip(&b)) {
            let i = *i as usize;
            if !rank.get(&i).is_some_and(|rank| rank.is_multiple_of(stride)) {
                continue;
            }
            let (a, b) = (signed(&sign, i, *a) * unit, signed(&sign, i, *b) * unit);
            let near = |last: f64| (last - a).abs() <= JUMP * last.abs().max(a.abs()).max(unit);
            let mut run = match open.remove(&i) {
                Some(run) if run.values.last().is_some_and(|last| near(*last)) => run,
                broken => {
                    done.extend(broken.map(|run| (i, run)));
                    Run { first: k, values: vec![a] }
                }
            };
            run.values.push(b);
            now.insert(i, run);
        }
        done.extend(open.drain());
        open = now;
    }
    done.extend(open);
    done.sort_by_key(|(i, run)| (run.first, *i));
    let counts: Vec<[usize; 3]> = pieces.iter().map(|piece| counts(path, piece.segment)).collect();
    let values: Vec<f64> = done.iter().flat_map(|(_, run)| run.values.iter().copied()).collect();
    Free {
        lower: whole(counts.iter().map(|c| c[0])),
        upper: whole(counts.iter().map(|c| c[1])),
        count: whole(counts.iter().map(|c| c[2])),
        row: whole(done.iter().map(|(i, _)| sign.get(i).map_or(*i, |s| s.0))),
        first: whole(done.iter().map(|(_, run)| run.first)),
        length: whole(done.iter().map(|(_, run)| run.values.len() - 1)),
        values: digits(&values),
        shown: ever.len().div_ceil(stride),
        ever: ever.len(),
        label,
    }
}

fn signed(sign: &HashMap<usize, (usize, f64)>, variable: usize, x: f64) -> f64 {
    sign.get(&variable).map_or(x, |(_, s)| s * x)
}

/// The numbers of variables at their lower bound, at their upper bound, and free.
fn counts(path: &Path<f64>, segment: usize) -> [usize; 3] {
    let mut counts = [0; 3];
    for status in path.status_on(segment) {
        let place = match status {
            Status::Lower => 0,
            Status::Upper => 1,
            Status::Free => 2,
        };
        counts[place] += 1;
    }
    counts
}
