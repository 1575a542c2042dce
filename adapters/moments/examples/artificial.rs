//! Artificial data for the moments: the shape of tables 4.2 and 4.3 of Ghanbari, Li and Scheinberg (2019), and the cost of an iteration against n.
//!
//! ```text
//! cargo run --release -p pathqp-moments --example artificial -- table [RUNS [FIRST [LAST]]]
//! cargo run --release -p pathqp-moments --example artificial -- cost
//! ```
//!
//! Accuracy or AUC, seconds and iterations of every run go to standard error.
//!
//! The paper does not say how its random moments were drawn. Here the means are independent normal vectors of length about 3.3, and a covariance is a diagonal of
//! variances between 0.5 and 1.5 with ten random factors of one third of that. So n rows are drawn in O(nd), and the best accuracy of a classifier through the origin is about 0.99, as in the paper.

use pathqp_adapters::dataset::Features;
use pathqp_moments::comparators::{Logistic, PairwiseHinge};
use pathqp_moments::empirical::{auc, error};
use pathqp_moments::minimise::{Minimum, Settings, Smooth, minimise};
use pathqp_moments::{Class, Covariance, MomentObjective, Moments, MomentsError, Objective};
use std::sync::Arc;
use std::time::Instant;

/// Table 4.1: d, P₊ and the share of swapped labels; n = 5,000 throughout.
const SETS: [(usize, f64, f64); 9] = [
    (500, 0.05, 0.0),
    (500, 0.35, 0.05),
    (500, 0.5, 0.1),
    (1000, 0.15, 0.0),
    (1000, 0.4, 0.05),
    (1000, 0.5, 0.1),
    (2500, 0.1, 0.0),
    (2500, 0.35, 0.05),
    (2500, 0.5, 0.1),
];
const ROWS: usize = 5000;
const FACTORS: usize = 10;
const LENGTH: f64 = 3.3;

/// Pseudorandom numbers (splitmix64, Steele, Lea and Flood 2014, doi:10.1145/2714064.2660195).
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Two normal numbers, by Box and Muller.
    fn normals(&mut self) -> [f64; 2] {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        let (sine, cosine) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        [radius * cosine, radius * sine]
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        let mut vector: Vec<f64> = (0..n.div_ceil(2)).flat_map(|_| self.normals()).collect();
        vector.truncate(n);
        vector
    }
}

/// A Gaussian: x = mean + deviations·z + loadings·f with z and f standard normal.
struct Gaussian {
    mean: Vec<f64>,
    deviations: Vec<f64>,
    loadings: Vec<Vec<f64>>,
}

impl Gaussian {
    fn random(random: &mut Random, d: usize) -> Self {
        let mean = random.vector(d).iter().map(|z| z * LENGTH / (d as f64).sqrt()).collect();
        let deviations = (0..d).map(|_| (0.5 + random.uniform()).sqrt()).collect();
        let size = (1.0 / (3.0 * FACTORS as f64)).sqrt();
        let loadings = (0..FACTORS).map(|_| random.vector(d).iter().map(|z| z * size).collect()).collect();
        Gaussian { mean, deviations, loadings }
    }

    fn draw(&self, random: &mut Random, row: &mut [f64]) {
        let factors = random.vector(FACTORS);
        let noise = random.vector(row.len());
        for (j, x) in row.iter_mut().enumerate() {
            *x = self.mean[j] + self.deviations[j] * noise[j];
        }
        for (f, loading) in factors.iter().zip(&self.loadings) {
            row.iter_mut().zip(loading).for_each(|(x, l)| *x += f * l);
        }
    }

    fn class(&self) -> Class {
        let d = self.mean.len();
        let entry = |i: usize, j: usize| {
            let common: f64 = self.loadings.iter().map(|l| l[i] * l[j]).sum();
            common + if i == j { self.deviations[i].powi(2) } else { 0.0 }
        };
        let values = (0..d).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| entry(i, j)).collect();
        Class { mean: self.mean.clone(), covariance: Covariance::Dense { columns: d, values } }
    }
}

/// n rows, of which a share `prior` is positive, and labels of which a share is swapped.
fn sample(random: &mut Random, pair: &[Gaussian; 2], n: usize, prior: f64, swapped: f64) -> (Arc<Features>, Vec<f64>) {
    let d = pair[0].mean.len();
    let (mut values, mut labels) = (vec![0.0; n * d], Vec::with_capacity(n));
    for row in values.chunks_mut(d) {
        let positive = random.uniform() < prior;
        pair[usize::from(positive)].draw(random, row);
        labels.push(if positive ^ (random.uniform() < swapped) { 1.0 } else { -1.0 });
    }
    (Arc::new(Features::Dense { rows: n, columns: d, values }), labels)
}

/// Accuracy or AUC on the test rows, seconds, iterations.
#[derive(Clone, Copy)]
struct Outcome([f64; 3]);

fn main() -> Result<(), MomentsError> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("table") => {
            let mut number = |default: usize| arguments.next().and_then(|a| a.parse().ok()).unwrap_or(default);
            let (runs, first, last) = (number(20), number(1), number(SETS.len()));
            table(runs, first, last)
        }
        Some("cost") => cost(),
        _ => {
            eprintln!("table [RUNS [FIRST [LAST]]], or cost");
            Ok(())
        }
    }
}

/// Mean and standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt())
}

fn table(runs: usize, first: usize, last: usize) -> Result<(), MomentsError> {
    println!(
        "| data | objective | exact moments | s | empirical moments | s (moments + L-BFGS) | iterations | logistic or hinge | s | iterations |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (set, &(d, prior, swapped)) in SETS.iter().enumerate().take(last).skip(first - 1) {
        let mut outcomes: Vec<Vec<[Outcome; 3]>> = vec![Vec::new(); 2];
        for run in 0..runs {
            let mut random = Random(1000 * set as u64 + run as u64);
            let pair = [Gaussian::random(&mut random, d), Gaussian::random(&mut random, d)];
            let train = sample(&mut random, &pair, ROWS * 4 / 5, prior, swapped);
            let test = sample(&mut random, &pair, ROWS / 5, prior, 0.0);
            let exact = Moments::new(prior, pair[1].class(), pair[0].class())?;
            let clock = Instant::now();
            let empirical = Moments::of(&train.0, &train.1)?;
            let seconds = clock.elapsed().as_secs_f64();
            for (objective, outcomes) in [Objective::ZeroOne, Objective::Auc].into_iter().zip(&mut outcomes) {
                let outcome = compare(objective, &exact, (&empirical, seconds), &train, &test)?;
                eprintln!("data{} run {run}: {:?}", set + 1, outcome.map(|method| method.0));
                outcomes.push(outcome);
            }
        }
        for (name, outcomes) in ["zero-one", "AUC"].iter().zip(&outcomes) {
            let column = |method: usize, k: usize| outcomes.iter().map(|o| o[method].0[k]).collect::<Vec<f64>>();
            let quality = |method: usize| {
                let (mean, deviation) = spread(&column(method, 0));
                format!("{mean:.4} ± {deviation:.4}")
            };
            let mean = |method: usize, k: usize| spread(&column(method, k)).0;
            println!(
                "| data{} | {name} | {} | {:.3} | {} | {:.3} | {:.1} | {} | {:.3} | {:.1} |",
                set + 1,
                quality(0),
                mean(0, 1),
                quality(1),
                mean(1, 1),
                mean(1, 2),
                quality(2),
                mean(2, 1),
                mean(2, 2)
            );
        }
    }
    Ok(())
}

type Labelled = (Arc<Features>, Vec<f64>);

fn compare(
    objective: Objective,
    exact: &Moments,
    (empirical, seconds): (&Moments, f64),
    train: &Labelled,
    test: &Labelled,
) -> Result<[Outcome; 3], MomentsError> {
    let scored = |minimum: &Minimum, seconds: f64| {
        let scores: Vec<f64> = (0..test.0.rows()).map(|i| test.0.row(i).dot(&minimum.w)).collect();
        let quality = match objective {
            Objective::ZeroOne => 1.0 - error(&scores, &test.1),
            Objective::Auc => auc(&scores, &test.1),
        };
        Outcome([quality, seconds, minimum.iterations as f64])
    };
    let settings = Settings::default();
    let by_moments = |moments: &Moments, before: f64| {
        let clock = Instant::now();
        // The paper uses no penalty on the artificial data.
        let function = MomentObjective::new(moments, objective, 0.0)?;
        let minimum = minimise(&function, function.start(moments), &settings)?;
        Ok::<Outcome, MomentsError>(scored(&minimum, before + clock.elapsed().as_secs_f64()))
    };
    let positives = train.1.iter().filter(|y| **y > 0.0).count() as f64;
    let n = train.1.len() as f64;
    let logistic = Logistic::new(&train.0, &train.1, 1.0 / n)?;
    let hinge = PairwiseHinge::new(&train.0, &train.1, 1.0 / (positives * (n - positives)).sqrt())?;
    let other: &dyn Smooth = if objective == Objective::ZeroOne { &logistic } else { &hinge };
    let clock = Instant::now();
    let minimum = minimise(other, vec![0.0; other.columns()], &settings)?;
    let other = scored(&minimum, clock.elapsed().as_secs_f64());
    Ok([by_moments(exact, 0.0)?, by_moments(empirical, seconds)?, other])
}

/// Seconds per evaluation with d = 50 and n = 10⁴, 10⁵, 10⁶.
fn cost() -> Result<(), MomentsError> {
    const COLUMNS: usize = 50;
    println!("| n | moments: s | zero-one: µs | AUC: µs | logistic: µs | pairwise hinge: µs |");
    println!("|---|---|---|---|---|---|");
    for n in [10_000, 100_000, 1_000_000] {
        let mut random = Random(7);
        let pair = [Gaussian::random(&mut random, COLUMNS), Gaussian::random(&mut random, COLUMNS)];
        let (features, labels) = sample(&mut random, &pair, n, 0.3, 0.1);
        let clock = Instant::now();
        let moments = Moments::of(&features, &labels)?;
        let seconds = clock.elapsed().as_secs_f64();
        let w = random.vector(COLUMNS);
        let per_call = |function: &dyn Smooth, calls: usize| {
            let mut gradient = vec![0.0; COLUMNS];
            let mut sum = function.evaluate(&w, &mut gradient);
            let clock = Instant::now();
            (0..calls).for_each(|_| sum += function.evaluate(std::hint::black_box(&w), &mut gradient));
            std::hint::black_box(sum);
            clock.elapsed().as_secs_f64() / calls as f64 * 1e6
        };
        let [zero_one, ranking] =
            [Objective::ZeroOne, Objective::Auc].map(|objective| MomentObjective::new(&moments, objective, 1e-3));
        let calls = 20_000_000 / n;
        println!(
            "| {n} | {seconds:.3} | {:.2} | {:.2} | {:.0} | {:.0} |",
            per_call(&zero_one?, 100_000),
            per_call(&ranking?, 100_000),
            per_call(&Logistic::new(&features, &labels, 1e-3)?, calls.max(10)),
            per_call(&PairwiseHinge::new(&features, &labels, 1e-3)?, calls.max(10) / 5)
        );
    }
    Ok(())
}
