//! `agio`: the exchange, in one binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A call asks for memory hundreds of times, in pieces the system's allocator takes long to find. Plugins keep to the system's, whose
/// bounds the host sets.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    agio_server::cli::run()
}
