//! `make bench`: how close Agio comes to the limits of this machine.
//!
//! Every row is a ratio to a limit measured in the same run, in turns: absolute figures depend on the machine and its
//! load, ratios much less. Agio runs as a separate process with everything on; so does the bare handler it is compared
//! with.

mod load;
mod postgres;
mod refresh;
mod server;
mod sqlite_commits;

use std::process::ExitCode;
use std::time::Duration;

use load::{Load, Measurement};
use postgres::Postgres;
use server::AgioServer;

/// The number of concurrent connections.
const CONNECTIONS: usize = 32;

/// The number of measurements; the median counts.
const ROUNDS: usize = 3;

const WARM_UP: Duration = Duration::from_millis(500);
const MEASUREMENT_TIME: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bare", port, file] => runtime.block_on(server::serve_bare(port, file)),
        [agio] => runtime.block_on(run(agio)),
        [agio, "claims"] => runtime.block_on(measure_claims(agio)),
        _ => {
            eprintln!("usage: agio-bench PATH_TO_AGIO [claims]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

async fn run(agio: &str) {
    let server = AgioServer::start(agio).await;
    println!("{:<58} {:>9} {:>9} {:>7} {:>9} {:>12}", "operation", "limit", "agio", "ratio", "at least", "CPU each, us");
    println!("memory when idle, MiB{:>46} {:>9.1} {:>7} {:>9}", "", server.memory_mib(), "", "< 60");
    quotes(&server).await;
    claims(&server).await;
    drop(server);
    claims_on_postgres(agio).await;
    refresh::measure(agio).await;
}

/// The claims on both engines alone.
async fn measure_claims(agio: &str) {
    let server = AgioServer::start(agio).await;
    claims(&server).await;
    drop(server);
    claims_on_postgres(agio).await;
}

/// Quotes of a pair, compared with a bare handler that returns the same bytes.
async fn quotes(server: &AgioServer) {
    let path = server.pair_path().await;
    let bytes = load::get(server.port, &path).await;
    let bare = server::BareServer::start(&bytes).await;
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), server.processor_time());
    for _ in 0..ROUNDS {
        limit.push(
            load::run(
                Load { port: bare.port, connections: CONNECTIONS, request: load::get_request(&path) },
                WARM_UP,
                MEASUREMENT_TIME,
            )
            .await,
        );
        full.push(
            load::run(
                Load { port: server.port, connections: CONNECTIONS, request: load::get_request(&path) },
                WARM_UP,
                MEASUREMENT_TIME,
            )
            .await,
        );
    }
    row("pair quotes per second, 32 connections, vs. bare handler", &limit, &full, 0.5, server.processor_time() - before);
}

/// New claims, compared with a loop that commits the same rows one claim at a time.
async fn claims(server: &AgioServer) {
    let request = server.claim_request().await;
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), server.processor_time());
    for _ in 0..ROUNDS {
        limit.push(Measurement { per_second: sqlite_commits::claims_per_second(MEASUREMENT_TIME), failed: 0, requests: 0 });
        full.push(
            load::run(Load { port: server.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASUREMENT_TIME)
                .await,
        );
    }
    row("new claims per second, 32 connections, vs. raw commits", &limit, &full, 1.0, server.processor_time() - before);
}

/// The same on PostgreSQL, if there is one, compared with `pgbench`. The CPU time is that of the server and the database.
async fn claims_on_postgres(agio: &str) {
    let Some(postgres) = Postgres::from_environment() else {
        println!("new claims on PostgreSQL: AGIO_BENCH_POSTGRES names no server");
        return;
    };
    let server = AgioServer::start_on(agio, &postgres.create_database("agio_bench")).await;
    let request = server.claim_request().await;
    let (mut limit, mut full, mut processors) = (Vec::new(), Vec::new(), Duration::ZERO);
    for _ in 0..ROUNDS {
        limit.push(Measurement { per_second: postgres.claims_per_second(CONNECTIONS, MEASUREMENT_TIME), failed: 0, requests: 0 });
        let before = server.processor_time() + postgres.processor_time();
        full.push(
            load::run(Load { port: server.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASUREMENT_TIME)
                .await,
        );
        processors += server.processor_time() + postgres.processor_time() - before;
    }
    row("new claims per second on PostgreSQL, vs. pgbench", &limit, &full, 1.0, processors);
}

fn row(name: &str, limit: &[Measurement], full: &[Measurement], at_least: f64, processors: Duration) {
    let failed: u64 = full.iter().chain(limit).map(|measured| measured.failed).sum();
    assert_eq!(failed, 0, "{name}: {failed} requests failed, so the result is invalid");
    let requests: u64 = full.iter().map(|measured| measured.requests).sum();
    let each = processors.as_secs_f64() * 1e6 / requests as f64;
    let (limit, full) = (median(limit), median(full));
    println!("{name:<58} {limit:>9.0} {full:>9.0} {:>7.2} {at_least:>9.2} {each:>12.0}", full / limit);
}

fn median(measured: &[Measurement]) -> f64 {
    let mut rates: Vec<_> = measured.iter().map(|measured| measured.per_second).collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
