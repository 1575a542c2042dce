//! The command line of pathqp: exact solution paths from data files.
//!
//! A program with problems of its own beside pathqp's is a call of [`main_with`].

mod args;
mod certify;
mod checkpoint;
mod commands;
mod data;
mod errors;
mod file;
mod interrupt;
mod kept;
mod linear;
mod output;
mod plane;
mod pose;
mod progress;
mod registry;
mod report;
mod space;
mod stream;
mod values;

use args::{Cli, Command};
use errors::{CliError, Exit};
use pathqp_adapters::spec::Entry;
use std::process::ExitCode;

/// The program with problems of other crates beside its own: parses, dispatches, and turns what came out into an exit status and at most one line on
/// stderr.
pub fn main_with(problems: &[Entry]) -> ExitCode {
    registry::add(problems);
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
        Command::Path(args) => commands::path::run(&args),
        Command::Solve(mut args) => commands::solve::run(&mut args),
        Command::At(args) => commands::at::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Map(args) => commands::map::run(&args),
        Command::Locate(args) => commands::locate::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Roc(args) => commands::roc::run(&args),
        Command::Tune(args) => commands::tune::run(&args),
        Command::Moments(args) => commands::moments::run(&args),
        Command::Theory(args) => commands::theory::run(&args),
    }
}
