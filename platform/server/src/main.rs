//! `agio`: the exchange, in one binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    agio_server::cli::run()
}
