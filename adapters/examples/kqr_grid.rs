//! Losses of k-fold cross-validation of kernel quantile regression on a grid of 50 τ in [0.1, 0.9] and 50 λ, exactly, from the λ-paths of all folds.
//!
//! ```text
//! cargo run --release -p pathqp-adapters --example kqr_grid -- DATA.csv KERNEL FOLDS FIRST LAST
//! ```
//!
//! The last column is the response. λ runs from FIRST to LAST in geometric progression. A row of 50 losses is printed for every τ; docs/experiments/kqr_grid.py reads them.

use pathqp::Settings;
use pathqp_adapters::Bias;
use pathqp_adapters::bilevel::{Fold, loss_curve};
use pathqp_adapters::dataset::Features;

const COUNT: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, kernel, folds, first, last] = arguments.as_slice() else {
        return Err("DATA.csv KERNEL FOLDS FIRST LAST".into());
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
    let range = [first.parse()?, last.parse()?];
    for k in 0..COUNT {
        let tau = 0.1 + 0.8 * k as f64 / (COUNT - 1) as f64;
        let curve = loss_curve(&folds, tau, range, COUNT, &Settings::default())?;
        let losses: Vec<String> = curve.iter().map(|(_, loss)| loss.to_string()).collect();
        println!("{}", losses.join(" "));
    }
    Ok(())
}
