//! `make bench`: how close Agio comes to the limits of this machine.
//!
//! Every row is a ratio to a limit measured in the same run, in turns: absolute figures depend on the machine and its
//! load, ratios much less. Agio runs as a separate process with everything on; so does the bare handler it is compared
//! with.

#[cfg(test)]
mod compare;
mod growth;
mod load;
mod market_size;
mod nodes;
mod postgres;
mod refresh;
mod report;
mod server;
mod sqlite_commits;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use load::{Load, Measurement};
use postgres::Postgres;
use report::Report;
use serde_json::json;
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
        ["load", port, connections, seconds] => runtime.block_on(print_load(port, connections, seconds)),
        ["machine"] => println!("{}", report::machine()),
        [agio] => drop(runtime.block_on(run(agio))),
        [agio, "record", folder] => runtime.block_on(run(agio)).write(Path::new(folder)),
        [agio, "claims"] => runtime.block_on(measure_claims(agio)),
        [agio, "nodes"] => runtime.block_on(nodes::measure(agio, &mut Report::default())),
        [agio, "market"] => runtime.block_on(market_size::measure(agio, &mut Report::default())),
        [agio, "growth", count] => runtime.block_on(growth::measure(agio, count.parse().expect("a number of claims"))),
        _ => {
            eprintln!("usage: agio-bench PATH_TO_AGIO [record FOLDER | claims | nodes | market | growth COUNT]");
            eprintln!("       agio-bench load PORT CONNECTIONS SECONDS < REQUEST");
            eprintln!("       agio-bench machine");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Sends the request of the standard input to any server on this machine and prints the measurement as JSON, for
/// `.ci/bench-peers`.
async fn print_load(port: &str, connections: &str, seconds: &str) {
    let request = load::numbered_request(std::io::read_to_string(std::io::stdin()).expect("a request"));
    let port = port.parse().expect("a port");
    let connections = connections.parse().expect("a number of connections");
    let time = Duration::from_secs_f64(seconds.parse().expect("a number of seconds"));
    let measured = load::run(Load { port, connections, request }, Duration::ZERO, time).await;
    let [p50, p99] = [50, 99].map(|percent| measured.percentile_millis(percent));
    let (per_second, failed, requests) = (measured.per_second, measured.failed, measured.requests);
    println!("{}", json!({ "perSecond": per_second, "failed": failed, "requests": requests, "p50": p50, "p99": p99 }));
}

async fn run(agio: &str) -> Report {
    let mut report = Report::default();
    let server = AgioServer::start(agio).await;
    Report::print_head();
    report.add_figure("memory when idle, MiB", None, server.memory_mib(), "<= 40");
    reads(&server, &mut report).await;
    claims(&server, &mut report).await;
    report.add_figure("memory after this load, MiB", None, server.memory_mib(), "<= 100");
    drop(server);
    claims_on_postgres(agio, &mut report).await;
    nodes::measure(agio, &mut report).await;
    refresh::measure(agio, &mut report).await;
    market_size::measure(agio, &mut report).await;
    report
}

/// The claims on both engines alone.
async fn measure_claims(agio: &str) {
    let mut report = Report::default();
    let server = AgioServer::start(agio).await;
    claims(&server, &mut report).await;
    drop(server);
    claims_on_postgres(agio, &mut report).await;
}

/// What visitors' pages ask for most, compared with a bare handler that returns the same bytes.
async fn reads(server: &AgioServer, report: &mut Report) {
    let pair = server.pair_path().await;
    for (name, path, at_least) in [
        ("pair quotes", pair.as_str(), 0.85),
        ("lists of currencies", "/api/v1/calculator/", 0.95),
        ("reserves", "/api/v1/calculator/reserves/", 0.95),
        ("tables of rates", "/api/v1/calculator/rates/", 0.95),
        ("technical mode", "/api/v1/calculator/tech/", 0.95),
    ] {
        let bytes = load::get(server.port, path).await;
        let bare = server::BareServer::start(&bytes).await;
        let load = |port| Load { port, connections: CONNECTIONS, request: load::get_request(path) };
        let (mut limit, mut full, before) = (Vec::new(), Vec::new(), server.processor_time());
        for _ in 0..ROUNDS {
            limit.push(load::run(load(bare.port), WARM_UP, MEASUREMENT_TIME).await);
            full.push(load::run(load(server.port), WARM_UP, MEASUREMENT_TIME).await);
        }
        let processors = server.processor_time() - before;
        report.add_rate(&format!("{name}, vs. a bare handler"), &limit, &full, at_least, Some(processors));
    }
}

/// New claims, compared with a loop that commits the same rows one claim at a time.
async fn claims(server: &AgioServer, report: &mut Report) {
    let request = server.claim_request().await;
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), server.processor_time());
    for _ in 0..ROUNDS {
        limit.push(Measurement { per_second: sqlite_commits::claims_per_second(MEASUREMENT_TIME), ..Measurement::default() });
        full.push(
            load::run(Load { port: server.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASUREMENT_TIME)
                .await,
        );
    }
    let processors = server.processor_time() - before;
    report.add_rate("new claims on SQLite, vs. a raw commit for each", &limit, &full, 3.0, Some(processors));
    report.add_p99("p99 of new claims on SQLite, ms", &full, "< 50");
}

/// The same on PostgreSQL, if there is one, compared with `pgbench`. The CPU time is that of the server and the database.
async fn claims_on_postgres(agio: &str, report: &mut Report) {
    let Some(postgres) = Postgres::from_environment() else {
        println!("new claims on PostgreSQL: AGIO_BENCH_POSTGRES names no server");
        return;
    };
    let server = AgioServer::start_on(agio, &postgres.create_database("agio_bench")).await;
    let request = server.claim_request().await;
    let (mut limit, mut full, mut processors) = (Vec::new(), Vec::new(), Duration::ZERO);
    for _ in 0..ROUNDS {
        limit.push(Measurement {
            per_second: postgres.claims_per_second(CONNECTIONS, MEASUREMENT_TIME),
            ..Measurement::default()
        });
        let before = server.processor_time() + postgres.processor_time();
        full.push(
            load::run(Load { port: server.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASUREMENT_TIME)
                .await,
        );
        processors += server.processor_time() + postgres.processor_time() - before;
    }
    report.add_rate("new claims on PostgreSQL, vs. pgbench", &limit, &full, 1.0, Some(processors));
    report.add_p99("p99 of new claims on PostgreSQL, ms", &full, "< 50");
}
