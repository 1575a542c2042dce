//! Cross-validation of kernel quantile regression, exactly: the bi-level path, and the losses on a grid of 50 τ in [0.1, 0.9] and 50 λ from the λ-paths of all folds.
//!
//! ```text
//! cargo run --release -p pathqp-adapters --example kqr_grid -- DATA.csv KERNEL FOLDS [FIRST LAST]
//! ```
//!
//! The last column is the response. Without FIRST and LAST the bi-level path is found, and its counters and its losses at the 50 τ are printed. With them λ runs
//! from FIRST to LAST in geometric progression, and a row of 50 losses is printed for every τ. docs/experiments/kqr_grid.py reads both.

use pathqp::Settings;
use pathqp_adapters::Bias;
use pathqp_adapters::bilevel::{Domain, Fold, bilevel, loss_curve};
use pathqp_adapters::dataset::Features;

const COUNT: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, kernel, folds, range @ ..] = arguments.as_slice() else {
        return Err("DATA.csv KERNEL FOLDS [FIRST LAST]".into());
    };
    let (mut values, mut responses, mut columns) = (Vec::new(), Vec::new(), 0);
    for record in csv::Reader::from_path(file)?.records() {
        let mut row: Vec<f64> = record?.iter().map(str::parse).collect::<Result<_, _>>()?;
        responses.extend(row.pop());
        columns = row.len();
        values.extend(row);
    }
    let features = Features::Dense { rows: responses.len(), columns, values };
    let folds = Fold::split(&features, &responses, None, kernel.parse()?, Bias::Intercept, folds.parse()?)?;
    let taus = (0..COUNT).map(|k| 0.1 + 0.8 * k as f64 / (COUNT - 1) as f64);
    let words = |losses: Vec<f64>| losses.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let settings = Settings::default();
    if let [first, last] = range {
        let range = [first.parse()?, last.parse()?];
        for tau in taus {
            let curve = loss_curve(&folds, tau, range, COUNT, &settings)?;
            println!("{}", words(curve.into_iter().map(|(_, loss)| loss).collect()));
        }
        return Ok(());
    }
    let path = bilevel(&folds, &Domain::tau(0.1, 0.9), &settings)?;
    let stats = path.stats();
    let lambdas = path.pieces().iter().flat_map(|piece| piece.tuned).filter(|lambda| lambda.is_finite());
    let (least, largest) = lambdas.fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), v| (l.min(v), h.max(v)));
    let at_smallest: f64 = path.pieces_at(path.tuned_range()[0]).map(|piece| piece.vary[1] - piece.vary[0]).sum();
    let complete = if path.is_complete() { "yes" } else { "no" };
    println!("{} {} {complete} {least} {largest} {at_smallest}", stats.regions, path.pieces().len());
    println!("{}", words(taus.filter_map(|tau| path.at(tau)).map(|best| best.loss).collect()));
    eprintln!("{stats:?}, lambda from {}", path.tuned_range()[0]);
    Ok(())
}
