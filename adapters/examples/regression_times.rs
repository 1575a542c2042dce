//! Processor time of whole regression paths, posing included, the mean of as many as fit in a second: for `benches/peers/lasso.py`.
//!
//! ```text
//! regression_times lasso FILE        the last column is y
//! regression_times chain FILE ORDER  the last column is the signal
//! ```

use pathqp::{Path, Settings};
use pathqp_adapters::dataset::{Dataset, ReadOptions, read};
use pathqp_adapters::lasso::Lasso;
use pathqp_adapters::trend_filtering::TrendFiltering;
use std::error::Error;

/// Hundredths of a second of processor time, so many at least.
const LEAST: u64 = 100;

/// Processor time of all threads of this process, in hundredths of a second (Linux).
fn ticks() -> Result<u64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |k: usize| fields.get(k).ok_or("a field is missing");
    Ok(field(11)?.parse::<u64>()? + field(12)?.parse::<u64>()?)
}

fn load(file: &str) -> Result<Dataset, Box<dyn Error>> {
    let path = std::path::Path::new(file);
    let one = ReadOptions { features: Some(0), ..ReadOptions::default() };
    Ok(read(path, &ReadOptions::default()).or_else(|_| read(path, &one))?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (kind, data) = match arguments.as_slice() {
        [kind, file, ..] => (kind.as_str(), load(file)?),
        _ => return Err("regression_times lasso FILE, or chain FILE ORDER".into()),
    };
    let settings = Settings::default();
    let order = arguments.get(2).map_or(Ok(0), |order| order.parse())?;
    let follow = || -> Result<Path<f64>, Box<dyn Error>> {
        let response = data.response.clone();
        Ok(match kind {
            "lasso" => Lasso::new(&data.features, response, false, 0.0)?.path(0.0, &settings)?,
            _ => TrendFiltering::chain(order, response)?.path(&settings)?,
        })
    };
    let (began, mut paths) = (ticks()?, 0);
    while ticks()? < began + LEAST {
        std::hint::black_box(&follow()?);
        paths += 1;
    }
    println!("{:.6}", (ticks()? - began) as f64 / 100.0 / f64::from(paths));
    Ok(())
}
