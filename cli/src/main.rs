//! The command line of pathqp.

fn main() -> std::process::ExitCode {
    pathqp_cli::main_with(&[])
}
