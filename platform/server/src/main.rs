//! `agio`: the exchange, in one binary.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A request makes hundreds of allocations, for which the system allocator is slow. Plugins use the system allocator,
/// whose limits the host sets.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    agio_server::cli::run()
}
