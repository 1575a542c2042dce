//! Whole complexes of the cost-asymmetric SVM over all costs, C₊ ≥ 0 and C₋ ≥ 0: the four experiments of Wesierski, "Exploring the entire
//! regularization path for the asymmetric cost linear support vector machine", §4, with B = 0.01, and variants of them with every point
//! twice, with integer features, and with an intercept. `cargo bench --bench cost_plane`; `-- EXPERIMENT VARIANT` runs one, with
//! MOST=C in the environment on costs up to C only.
//!
//! Every experiment runs in a process of its own, whose peak memory is shown (Linux). Each complex is validated, and at 1,000 random
//! costs the certificate is computed, and at 100 of them the objective compared with that of an interior-point solver (Clarabel).

#[path = "../tests/common/mod.rs"]
mod common;

use pathqp::complex::{self, Complex, Options};
use pathqp::testing::{Question, Random};
use pathqp::{Certificate, ParametricQp, Settings};
use pathqp_adapters::cost_svm::CostSvm;
use pathqp_adapters::dataset::{Features, ReadOptions, read};
use pathqp_adapters::kernel::KernelKind;
use pathqp_adapters::{Bias, PathProblem};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const EXPERIMENTS: [&str; 4] = ["i", "ii", "iii", "iv"];
const VARIANTS: [&str; 4] = ["plain", "twice", "integer", "intercept"];
const POINTS: usize = 1000;

/// The interior-point solver is asked at so many of them.
const ASKED: usize = 100;

/// n rows with d normal features; in `ii` the classes lie one apart in each.
fn normal(n: usize, positive: usize, d: usize, apart: f64, seed: u64) -> (Features, Vec<f64>) {
    let mut random = Random(seed);
    let labels: Vec<f64> = (0..n).map(|i| if i < positive { 1.0 } else { -1.0 }).collect();
    let values = labels.iter().flat_map(|y| (0..d).map(|_| random.normal() + y * apart).collect::<Vec<_>>()).collect();
    (Features::Dense { rows: n, columns: d, values }, labels)
}

/// Ten rows of one class of `sector` and forty of others.
fn sparse() -> Option<(Features, Vec<f64>)> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data/multiclass/sector.svm.gz");
    let data = read(&file, &ReadOptions::default()).ok()?;
    let class = *data.response.first()?;
    let (same, other): (Vec<usize>, Vec<usize>) = (0..data.rows()).partition(|&i| data.response[i] == class);
    let positive: Vec<usize> = same.into_iter().take(10).collect();
    let negative: Vec<usize> = other.into_iter().step_by(97).take(40).collect();
    let labels = [vec![1.0; positive.len()], vec![-1.0; negative.len()]].concat();
    let rows = [positive, negative].concat();
    Some((data.features.select_rows(&rows), labels))
}

fn svm(experiment: &str, variant: &str) -> Option<CostSvm> {
    let (mut features, mut labels) = match experiment {
        "i" => normal(50, 25, 1_000_000, 0.0, 1),
        "ii" => normal(100, 50, 2, 0.5, 2),
        "iii" => normal(100, 50, 100, 0.0, 3),
        _ => sparse()?,
    };
    if variant == "twice" {
        let rows: Vec<usize> = (0..labels.len()).chain(0..labels.len()).collect();
        features = features.select_rows(&rows);
        labels = labels.repeat(2);
    }
    if variant == "integer"
        && let Features::Dense { values, .. } | Features::Sparse { values, .. } = &mut features
    {
        // Sector's entries are counts already: there they become indicators.
        let round = |v: f64| if experiment == "iv" { v.signum() } else { v.round() };
        values.iter_mut().for_each(|v| *v = round(*v));
    }
    let bias = if variant == "intercept" { Bias::Intercept } else { Bias::Augmented(0.01) };
    CostSvm::new(Arc::new(features), labels, None, KernelKind::Linear, bias).ok()
}

/// The worst residual and the largest relative difference to the interior-point solver at random costs, on a logarithmic scale up to `most`.
fn certify(complex: &Complex<f64>, qp: &ParametricQp<f64>, most: f64) -> (f64, f64, usize) {
    let mut random = Random(99);
    let line = qp.line(&[0.0, 0.0], &[0.0, 0.0]).unwrap();
    let n = line.n();
    let h: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row = vec![0.0; n];
            qp.hessian().gather(i, &(0..n).collect::<Vec<_>>(), &mut row);
            row
        })
        .collect();
    let (mut residual, mut difference, mut unsolved) = (0.0f64, 0.0f64, 0);
    for k in 0..POINTS {
        let theta = [0, 1].map(|_| most * 10f64.powf(-4.0 * random.unit()));
        let point = complex.at(qp, &theta).unwrap();
        let line = qp.line(&theta, &theta).unwrap();
        let certificate = Certificate::new(&line, &0.0, &point.x, &point.y);
        residual = residual.max(certificate.kkt_residual());
        if k >= ASKED {
            continue;
        }
        // In units in which the costs are about one and H is what it is for them.
        let unit = theta[0].max(theta[1]);
        let scaled: Vec<Vec<f64>> = h.iter().map(|row| row.iter().map(|v| v * unit).collect()).collect();
        let bound = |i: usize| line.bounds.upper_at(i, &0.0).unwrap() / unit;
        let question = Question {
            h: &scaled,
            c: line.c0.clone(),
            lower: vec![0.0; n],
            upper: (0..n).map(bound).collect(),
            row: line.has_row().then(|| (line.a.clone(), 0.0)),
        };
        match question.solve(1e-9) {
            Some([dual, primal]) => {
                let ours = certificate.objective / unit;
                let outside = (ours - primal).max(dual - ours).max(0.0);
                difference = difference.max(outside / (1.0 + primal.abs()));
            }
            None => unsolved += 1,
        }
    }
    (residual, difference, unsolved)
}

fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().split(' ').next()?.parse::<f64>().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn run(experiment: &str, variant: &str) {
    let Some(svm) = svm(experiment, variant) else {
        println!("| {experiment} | {variant} | data not found, skipped |");
        return;
    };
    let before = peak_memory();
    let mut qp = svm.qp(&Settings::default()).unwrap();
    if let Some(most) = std::env::var("MOST").ok().and_then(|m| m.parse().ok()) {
        qp = qp.within(vec![pathqp::Range::new(0.0, most); 2]).unwrap();
    }
    let clock = Instant::now();
    let complex = complex::explore(&qp, &Options::default()).unwrap();
    let seconds = clock.elapsed().as_secs_f64();
    let memory = peak_memory();
    eprintln!("  {seconds:.3} s, {:?}, holes {}", complex.stats(), complex.holes());
    let violations = complex.validate();
    let t = complex.topology();
    let ids = (0..t.regions()).map(|r| complex::RegionId(r as u32));
    let most = ids.clone().flat_map(|id| complex.corners(id).unwrap()).filter(|c| c.1);
    let most = most.flat_map(|c| c.0).fold(0.0, f64::max);
    let ambiguous = complex.regions().iter().filter(|r| !r.is_unique()).count();
    eprintln!("  {:?}", &violations[..violations.len().min(2)]);
    let most_asked = qp.domain()[0].to.unwrap_or(2.0 * most).min(2.0 * most);
    let (residual, difference, unsolved) = certify(&complex, &qp, most_asked);
    println!(
        "| {experiment} | {variant} | {} | {} | {} | {ambiguous} | {:.0e} | {} | {most:.3e} | {seconds:.3} | {:.0} | {memory:.0} ({before:.0}) | {residual:.0e} | {difference:.0e} ({unsolved}) |",
        t.regions(),
        t.edges(),
        t.vertices(),
        (complex.covered() - 1.0).abs(),
        if violations.is_empty() { "complete".into() } else { format!("{:?}", &violations[..violations.len().min(2)]) },
        t.regions() as f64 / seconds,
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    if let [experiment, variant] = arguments.as_slice() {
        return run(experiment, variant);
    }
    println!(
        "| | variant | regions | edges | vertices | x not unique | covered off by | | largest vertex | s | regions a second | MB (before) | residual | against Clarabel (unsolved) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for experiment in EXPERIMENTS {
        for variant in VARIANTS {
            let program = std::env::current_exe().unwrap();
            Command::new(program).args([experiment, variant]).status().unwrap();
        }
    }
}
