//! Random problems that are hard for floating point, followed and judged.
//!
//!     cargo run --release --example adversary -- FAMILY FROM TO      seeds FROM to TO − 1 of a family, or of `all`
//!     cargo run --release --example adversary -- FAMILY --show SEED  one problem as JSON, and what becomes of it
//!
//! The families are listed in tests/adversary/families.rs. A line for each family and form of H counts what became of the problems; below it are the failing
//! seeds (`--list N`: so many of them, 20 by default).
#![allow(missing_docs)]

#[path = "../tests/adversary/mod.rs"]
mod adversary;

use adversary::families::Family;
use adversary::problem::FORMS;
use adversary::sweep::{quiet_workers, sweep};
use std::io::Write;

const USAGE: &str = "adversary FAMILY FROM TO [--list N] | adversary FAMILY --show SEED";

fn number(text: Option<&String>) -> Result<u64, String> {
    text.and_then(|text| text.parse().ok()).ok_or_else(|| USAGE.to_string())
}

fn run(arguments: &[String]) -> Result<(), String> {
    let name = arguments.first().ok_or(USAGE)?;
    let families = if name == "all" { Family::all() } else { vec![name.parse::<Family>()?] };
    if arguments.get(1).is_some_and(|a| a == "--show") {
        let seed = number(arguments.get(2))?;
        for family in families {
            println!("{}", family.problem(seed).json(&format!("{}-{seed}", family.at(seed))));
            for form in FORMS {
                let tally = sweep(family, form, seed..seed + 1);
                print!("{tally}\n{}", tally.list(1));
            }
        }
        return Ok(());
    }
    let (from, to) = (number(arguments.get(1))?, number(arguments.get(2))?);
    let most = if arguments.get(3).is_some_and(|a| a == "--list") { number(arguments.get(4))? } else { 20 };
    for family in families {
        for form in FORMS {
            let tally = sweep(family, form, from..to);
            println!("{tally}");
            print!("{}", tally.list(most as usize));
            // Whoever reads along sees every line when it is there.
            std::io::stdout().flush().map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

fn main() {
    quiet_workers();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = run(&arguments);
    if let Err(error) = &outcome {
        eprintln!("{error}");
    }
    // Threads that hang must not keep the process.
    std::process::exit(i32::from(outcome.is_err()));
}
