//! The simulation of Rosset (2008), §5: bi-level paths for τ ∈ [0.1, 0.9] with 200 validation rows, `rbf:12.5`.
//! `cargo run --release -p pathqp-adapters --example bilevel [n …]` prints a table; `bilevel draws FROM TO` draws n = 200 anew with every seed and recounts every piece.

use pathqp::Settings;
use pathqp::testing::Random;
use pathqp_adapters::Bias;
use pathqp_adapters::bilevel::{Domain, Fold, bilevel, recount};
use pathqp_adapters::dataset::Features;
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::kqr::Kqr;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use std::time::Instant;

/// Box and Muller (1958).
fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = ((-2.0 * (1.0 - random.unit()).ln()).sqrt(), TAU * random.unit());
    radius * angle.cos()
}

/// n rows with errors of model 1 or 2.
fn draw(n: usize, model: u32, random: &mut Random) -> (Features, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|_| random.unit()).collect();
    let error = |x: f64, random: &mut Random| match model {
        1 => normal(random),
        _ => (x + 1.0).powi(2) * (-(1.0 - random.unit()).ln() - 1.0),
    };
    let f = |x: f64| 2.0 * ((-30.0 * (x - 0.25).powi(2)).exp() + (PI * x * x).sin());
    let y = x.iter().map(|&x| f(x) + error(x, random)).collect();
    (Features::Dense { rows: n, columns: 1, values: x }, y)
}

/// Seconds that this process has spent on a processor, or since the start where the system does not tell.
fn seconds(since: Instant) -> f64 {
    let ticks = std::fs::read_to_string("/proc/self/stat").ok().and_then(|stat| {
        let (_, fields) = stat.rsplit_once(')')?;
        fields.split_whitespace().nth(11)?.parse::<f64>().ok()
    });
    ticks.map_or(since.elapsed().as_secs_f64(), |ticks| ticks / 100.0)
}

/// One draw of the simulation with n rows.
fn simulation(n: usize, model: u32, seed: u64) -> Result<[Fold; 1], Box<dyn std::error::Error>> {
    let mut random = Random(seed);
    let (x, y) = draw(n, model, &mut random);
    let (held, responses) = draw(200, model, &mut random);
    let kqr = Kqr::new(Arc::new(x), y, None, KernelKind::Rbf { gamma: 12.5 }, Bias::Intercept)?;
    Ok([Fold::new(kqr, held, responses, None)?])
}

/// Seeds FROM to TO of both models with n = 200.
fn draws(from: u64, to: u64) -> Result<(), Box<dyn std::error::Error>> {
    println!("| model | seed | regions | pieces | holes | recount |");
    println!("|---|---|---|---|---|---|");
    let settings = Settings::default();
    for (seed, model) in (from..=to).flat_map(|seed| [(seed, 1), (seed, 2)]) {
        let folds = simulation(200, model, seed)?;
        let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &settings)?;
        let (stats, worst) = (path.stats(), recount(&folds, &path, &settings)?.worst);
        let pieces = path.pieces().len();
        println!("| {model} | {seed} | {} | {pieces} | {} | {worst:.0e} |", stats.regions, stats.holes);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, from, to] = arguments.as_slice()
        && word == "draws"
    {
        return draws(from.parse()?, to.parse()?);
    }
    let sizes: Vec<usize> = arguments.iter().map(|n| n.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![50, 100, 200] } else { sizes };
    println!(
        "| model | n | smallest λ | end | at it | corners | rectangles | regions | crossings | branches | added | pieces | holes | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let clock = Instant::now();
    for model in [1, 2] {
        for &n in &sizes {
            let folds = simulation(n, model, model.into())?;
            let before = seconds(clock);
            let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &Settings::default())?;
            let (spent, stats) = (seconds(clock) - before, path.stats());
            println!(
                "| {model} | {n} | {:.2e} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {spent:.2} |",
                path.tuned_range()[0],
                path.end().name(),
                path.at_end(),
                stats.corners,
                stats.rectangles,
                stats.regions,
                stats.crossings,
                stats.branches,
                stats.added,
                path.pieces().len(),
                stats.holes,
            );
        }
    }
    Ok(())
}
