//! Many draws of the second experiment of Wesierski, "Exploring the entire regularization path for the asymmetric cost linear support vector machine", §4:
//! 100 points of two normal clouds in the plane, B = 0.01, over all costs; as they are, every point twice, and rounded to one decimal. Each map
//! is validated and then checked against what shares nothing with its search: random costs lie in one region by its corners alone, with a
//! solution whose certificate holds, and paths along random lines have their breakpoints where the corners say that the line changes regions.
//! A row a variant of the table in docs/experiments/plane.md, a line a draw that is not complete.
//!
//! plane_draws plain|twice|rounded FROM TO
#![allow(missing_docs)]

use pathqp::certificate::Verdict;
use pathqp::complex::{self, Complex, Options, RegionId};
use pathqp::hessian::{Gram, Rows};
use pathqp::testing::Random;
use pathqp::{Affine, Certificate, ParametricQp, Range, Settings, Start, trace};
use std::sync::Arc;
use std::time::Instant;

const POINTS: usize = 200;
const LINES: usize = 20;

/// min ½αᵀHα − 1ᵀα, 0 ≤ αᵢ ≤ C₊ or C₋, with the rows yᵢ(xᵢ, B) of Z, H = ZZᵀ.
fn svm(variant: &str, seed: u64) -> ParametricQp<f64> {
    let mut random = Random(seed);
    let mut labels: Vec<f64> = (0..100).map(|i| if i < 50 { 1.0 } else { -1.0 }).collect();
    let mut points: Vec<[f64; 2]> = labels.iter().map(|y| [0, 1].map(|_| random.normal() + y * 0.5)).collect();
    match variant {
        "twice" => (labels, points) = (labels.repeat(2), points.repeat(2)),
        "rounded" => points.iter_mut().flatten().for_each(|v| *v = (*v * 10.0).round() / 10.0),
        _ => {}
    }
    let n = labels.len();
    let values = points.iter().zip(&labels).flat_map(|(x, y)| [y * x[0], y * x[1], y * 0.01]).collect();
    let h = Arc::new(Gram::new(n, Rows::Dense { columns: 3, values }, 1.0).expect("numbers"));
    let of = |sign: f64| labels.iter().map(|y| f64::from(u8::from(*y == sign))).collect::<Vec<f64>>();
    let qp = ParametricQp::new(h, vec![Range::at_least(0.0); 2], Affine::constant(vec![-1.0; n], 2)).expect("n costs");
    let qp = qp.lower(Affine::constant(vec![0.0; n], 2)).expect("n bounds");
    qp.upper(Affine { constant: vec![0.0; n], slopes: vec![of(1.0), of(-1.0)] }).expect("n bounds")
}

/// The corners of every region: points, and directions with a zero.
fn corners(complex: &Complex<f64>) -> Vec<Vec<[f64; 3]>> {
    let of = |r: usize| complex.corners(RegionId(r as u32)).unwrap_or_default();
    let lift = |(c, finite): ([f64; 2], bool)| [c[0], c[1], f64::from(u8::from(finite))];
    (0..complex.regions().len()).map(|r| of(r).into_iter().map(lift).collect()).collect()
}

/// The s on which p + s·d lies in each polygon, in order, from where the line crosses its sides.
fn parts(polygons: &[Vec<[f64; 3]>], p: [f64; 2], d: [f64; 2]) -> Vec<(f64, f64)> {
    let mut parts = Vec::new();
    for corners in polygons {
        let beside = |c: &[f64; 3]| d[0] * (c[1] - c[2] * p[1]) - d[1] * (c[0] - c[2] * p[0]);
        let values: Vec<f64> = corners.iter().map(beside).collect();
        let mut ends: Vec<f64> = Vec::new();
        for (k, &v) in values.iter().enumerate() {
            let next = (k + 1) % corners.len();
            let w = values[next];
            if (v < 0.0) == (w < 0.0) {
                continue;
            }
            let mix = [0, 1, 2].map(|a: usize| corners[k][a] * w.abs() + corners[next][a] * v.abs());
            let along = (mix[0] - mix[2] * p[0]) * d[0] + (mix[1] - mix[2] * p[1]) * d[1];
            ends.push(along / (mix[2] * (d[0] * d[0] + d[1] * d[1])));
        }
        if let [a, b] = ends[..] {
            parts.push((a.min(b), a.max(b)));
        }
    }
    parts.sort_by(|a, b| a.0.total_cmp(&b.0));
    parts
}

/// What was found apart from the map.
#[derive(Default)]
struct Seen {
    /// Points in no region or in several, by the corners.
    misplaced: usize,
    /// Points whose certificate fails.
    uncertified: usize,
    residual: f64,
    gap: f64,
    /// Breakpoints of paths, and those that the corners do not have.
    breakpoints: usize,
    missing: usize,
    /// The largest part of a line that no region covers.
    uncovered: f64,
    failed: usize,
}

/// Costs on a logarithmic scale a little wider than the corners.
fn range(polygons: &[Vec<[f64; 3]>]) -> [f64; 2] {
    let positive = polygons.iter().flatten().filter(|c| c[2] > 0.0).flat_map(|c| [c[0], c[1]]).filter(|v| *v > 0.0);
    let (low, high) = positive.fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    [(low / 10.0).ln(), (high * 10.0).ln()]
}

fn look(complex: &Complex<f64>, qp: &ParametricQp<f64>, seed: u64) -> Seen {
    let polygons = corners(complex);
    let [low, high] = range(&polygons);
    let (mut seen, mut random) = (Seen::default(), Random(seed ^ 0x9e37_79b9));
    for _ in 0..POINTS {
        let p = [0, 1].map(|_| random.between(low, high).exp());
        let inside = parts(&polygons, p, [1.0, 0.7]).iter().filter(|(a, b)| *a <= 0.0 && 0.0 < *b).count();
        seen.misplaced += usize::from(inside != 1);
        let Ok(point) = complex.at(qp, &p) else {
            seen.uncertified += 1;
            continue;
        };
        let line = qp.line(&p, &p).expect("inside the domain");
        let verdict = Verdict::of(&Certificate::of(&line, &point.as_point()), 0.0);
        (seen.residual, seen.gap) = (seen.residual.max(verdict.residual), seen.gap.max(verdict.gap));
        seen.uncertified += usize::from(!verdict.holds());
    }
    for _ in 0..LINES {
        // Of one size of costs, so that positions along the line are known as well as the costs are.
        let size = random.between(low, high).exp();
        let [p, q] = [0, 1].map(|_| [0, 1].map(|_| size * random.unit()));
        let line = qp.line(&p, &q).expect("inside the domain");
        let Ok(path) = trace(&line, &Start::Anywhere, &Settings::default(), &mut ()) else {
            seen.failed += 1;
            continue;
        };
        let length = line.length().unwrap_or(1.0);
        let parts = parts(&polygons, p, [q[0] - p[0], q[1] - p[1]]);
        let mut reached = 0.0;
        for (from, to) in &parts {
            if *from > reached && reached < 1.0 {
                seen.uncovered = seen.uncovered.max(from.min(1.0) - reached);
            }
            reached = reached.max(*to);
        }
        seen.uncovered = seen.uncovered.max(1.0 - reached);
        for t in path.breakpoints().iter().map(|t| t / length).filter(|t| (1e-6..1.0 - 1e-6).contains(t)) {
            seen.breakpoints += 1;
            let near = |s: f64| (s - t).abs() <= 1e-6;
            seen.missing += usize::from(!parts.iter().any(|(from, to)| near(*from) || near(*to)));
        }
    }
    seen
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.misplaced += other.misplaced;
        self.uncertified += other.uncertified;
        self.residual = self.residual.max(other.residual);
        self.gap = self.gap.max(other.gap);
        self.breakpoints += other.breakpoints;
        self.missing += other.missing;
        self.uncovered = self.uncovered.max(other.uncovered);
        self.failed += other.failed;
    }

    /// What is wrong, if anything is.
    fn complaint(&self) -> Option<String> {
        let is_wrong = self.misplaced + self.uncertified + self.missing + self.failed > 0 || self.uncovered > 1e-6;
        is_wrong.then(|| {
            format!(
                "{} misplaced, {} uncertified ({:.0e}, {:.0e}), {} of {} breakpoints missing, {:.0e} uncovered, {} paths failed",
                self.misplaced,
                self.uncertified,
                self.residual,
                self.gap,
                self.missing,
                self.breakpoints,
                self.uncovered,
                self.failed
            )
        })
    }
}

/// The map of one draw, and what is wrong with it by its own account.
fn mapped(qp: &ParametricQp<f64>) -> (Option<Complex<f64>>, Option<String>) {
    match complex::explore(qp, &Options::default()) {
        Err(error) => (None, Some(error.to_string())),
        Ok(complex) => {
            let violations = complex.validate();
            let text: Vec<String> = violations.iter().take(4).map(ToString::to_string).collect();
            let (regions, count) = (complex.regions().len(), violations.len());
            let wrong = (count > 0).then(|| format!("{regions} regions, {count} violations: {}", text.join("; ")));
            (Some(complex), wrong)
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize| arguments.get(k).and_then(|text| text.parse::<u64>().ok());
    let (Some(variant), Some(from), Some(to)) = (arguments.first(), number(1), number(2)) else {
        eprintln!("plane_draws plain|twice|rounded FROM TO");
        return;
    };
    let (mut all, mut incomplete, mut regions) = (Seen::default(), 0, 0);
    let (mut seconds, mut worst) = (0.0, 0.0f64);
    for seed in from..=to {
        let qp = svm(variant, seed);
        let clock = Instant::now();
        let (complex, wrong) = mapped(&qp);
        let time = clock.elapsed().as_secs_f64();
        (seconds, worst) = (seconds + time, worst.max(time));
        if let Some(wrong) = wrong {
            incomplete += 1;
            println!("{variant} {seed}: {wrong} ({time:.2} s)");
        }
        let Some(complex) = complex else { continue };
        regions += complex.regions().len();
        let seen = look(&complex, &qp, seed);
        if let Some(complaint) = seen.complaint() {
            println!("{variant} {seed}: {complaint}");
        }
        all.add(&seen);
    }
    let draws = to.saturating_sub(from) as usize + 1;
    println!(
        "| {variant} | {draws} | {incomplete} | {} | {} of {} | {} | {:.0e} | {:.0e} | {} of {} | {:.0e} | {} | {:.2} | {worst:.2} |",
        regions / draws,
        all.misplaced,
        draws * POINTS,
        all.uncertified,
        all.residual,
        all.gap,
        all.missing,
        all.breakpoints,
        all.uncovered,
        all.failed,
        seconds / draws as f64
    );
}
