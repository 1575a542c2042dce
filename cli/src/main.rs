//! The command line of pathqp: exact solution paths from data files.

mod args;
mod certify;
mod checkpoint;
mod commands;
mod data;
mod errors;
mod file;
mod interrupt;
mod linear;
mod map_file;
mod model;
mod output;
mod page;
mod plane;
mod plot;
mod problem;
mod progress;
mod report;
mod series;
mod series_file;
mod stream;

mod tuning;
mod values;

use args::{Cli, Command};
use errors::{CliError, Exit};
use std::process::ExitCode;

/// Parses, dispatches, and turns what came out into an exit status and at most one line on stderr.
fn main() -> ExitCode {
    let result = args::parse().and_then(|cli| cli.map_or(Ok(Exit::Done), run));
    let exit = match result {
        Ok(exit) => exit,
        Err(CliError::ReaderGone) => Exit::Done,
        Err(error) => {
            output::complain(&error);
            error.exit()
        }
    };
    ExitCode::from(exit.code())
}

/// One command.
fn run(cli: Cli) -> Result<Exit, CliError> {
    match cli.command {
        Command::Path(args) => commands::run_path(*args),
        Command::Solve(args) => commands::solve::run(*args),
        Command::At(args) => commands::at::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Map(command) => commands::run_map(*command),
        Command::Locate(args) => commands::locate::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Roc(args) => commands::roc::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        Command::Moments(args) => commands::moments::run(&args),
        Command::Theory(args) => commands::theory::run(&args),
    }
}
