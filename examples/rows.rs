//! Random problems with rows, followed and judged.
//!
//!     cargo run --release --example rows -- FAMILY FROM TO [exact]     seeds FROM to TO − 1 of a family, or of `all`; f64 in every form there and
//!                                                                      back, or rationals and f64 compared with them
//!     cargo run --release --example rows -- FAMILY --show SEED [exact] one problem, and what becomes of it
//!
//!     cargo run --release --example rows -- table FILE...              all quantiles of the last column of tables (CSV), without penalty
//!
//! The families are in tests/rows/families.rs. A line for each counts what became of the problems; below it are the failing seeds.
#![allow(missing_docs)]

#[path = "../tests/rows/mod.rs"]
mod rows;

use rows::families::{FAMILIES, Family};
use rows::sweep::{Mode, Tally, sweep};
use std::time::Instant;

const USAGE: &str = "rows FAMILY FROM TO [exact] | rows FAMILY --show SEED [exact] | rows table FILE...";

fn number(text: Option<&String>) -> Result<u64, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| USAGE.to_string())
}

fn report(family: Family, tally: &Tally, begun: Instant) {
    println!("{family:?}: {tally} ({:.1} s)", begun.elapsed().as_secs_f64());
    for (seed, failure) in tally.failures.iter().take(20) {
        println!("  {seed}: {}", failure.chars().take(300).collect::<String>());
    }
}

fn run(arguments: &[String]) -> Result<bool, String> {
    let name = arguments.first().ok_or(USAGE)?;
    if name == "table" {
        for file in &arguments[1..] {
            let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
            println!("{file}: {}", rows::regression::report(&text).unwrap_or_else(|error| error));
        }
        return Ok(true);
    }
    let families = if name == "all" { FAMILIES.to_vec() } else { vec![name.parse::<Family>()?] };
    let mode = if arguments.get(3).is_some_and(|a| a == "exact") { Mode::Exact } else { Mode::Float };
    let (from, to) = if arguments.get(1).is_some_and(|a| a == "--show") {
        let seed = number(arguments.get(2))?;
        for family in &families {
            let problem = family.problem(seed);
            println!("{problem:?}");
            rows::sweep::show(&problem);
        }
        (seed, seed + 1)
    } else {
        (number(arguments.get(1))?, number(arguments.get(2))?)
    };
    let mut fine = true;
    for family in families {
        let begun = Instant::now();
        let tally = sweep(family, mode, from..to);
        report(family, &tally, begun);
        fine &= tally.failures.is_empty();
    }
    Ok(fine)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(fine) => std::process::exit(i32::from(!fine)),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(2)
        }
    }
}
