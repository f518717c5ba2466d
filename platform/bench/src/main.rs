//! `make bench`: how near the house comes to what this machine can do at all.
//!
//! Every row is a ratio against a limit measured in the same run, on the same machine, in turns: absolute figures
//! depend on the machine and its neighbours, ratios much less. The house runs as it is served, in a process of its own,
//! with everything on; so does the bare handler it is held against.

mod books;
mod house;
mod load;
mod refresh;

use std::process::ExitCode;
use std::time::Duration;

use house::House;
use load::{Load, Measured};

/// How many connections ask at a time.
const CONNECTIONS: usize = 32;

/// How often each measurement is taken; the median counts.
const ROUNDS: usize = 3;

const WARM_UP: Duration = Duration::from_millis(500);
const MEASURED_FOR: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime starts");
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bare", port, file] => runtime.block_on(house::serve_bare(port, file)),
        [agio] => runtime.block_on(run(agio)),
        _ => {
            eprintln!("usage: agio-bench PATH_TO_AGIO");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

async fn run(agio: &str) {
    let house = House::start(agio).await;
    println!("{:<58} {:>9} {:>9} {:>7} {:>9} {:>12}", "operation", "limit", "house", "ratio", "at least", "CPU each, us");
    println!("memory of the idle house, MiB{:>39} {:>9.1} {:>7} {:>9}", "", house.memory_mib(), "", "< 60");
    quotes(&house).await;
    claims(&house).await;
    drop(house);
    refresh::measure(agio).await;
}

/// A pair's quote against a bare handler that gives the same bytes.
async fn quotes(house: &House) {
    let path = house.pair_path().await;
    let bytes = load::get(house.port, &path).await;
    let bare = house::Bare::start(&bytes).await;
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), house.processor_time());
    for _ in 0..ROUNDS {
        limit.push(
            load::run(
                Load { port: bare.port, connections: CONNECTIONS, request: load::get_request(&path) },
                WARM_UP,
                MEASURED_FOR,
            )
            .await,
        );
        full.push(
            load::run(
                Load { port: house.port, connections: CONNECTIONS, request: load::get_request(&path) },
                WARM_UP,
                MEASURED_FOR,
            )
            .await,
        );
    }
    row("pair quote, per second, 32 connections, of a bare handler", &limit, &full, 0.5, house.processor_time() - before);
}

/// Claims against a loop that commits the same rows one claim at a time.
async fn claims(house: &House) {
    let request = house.claim_request().await;
    let (mut limit, mut full, before) = (Vec::new(), Vec::new(), house.processor_time());
    for _ in 0..ROUNDS {
        limit.push(Measured { per_second: books::one_claim_per_commit(MEASURED_FOR), failed: 0, asked: 0 });
        full.push(
            load::run(Load { port: house.port, connections: CONNECTIONS, request: request.clone() }, WARM_UP, MEASURED_FOR).await,
        );
    }
    row("claims made, per second, 32 connections, of raw commits", &limit, &full, 1.0, house.processor_time() - before);
}

fn row(name: &str, limit: &[Measured], full: &[Measured], at_least: f64, processors: Duration) {
    let failed: u64 = full.iter().chain(limit).map(|measured| measured.failed).sum();
    assert_eq!(failed, 0, "{name}: {failed} answers were no success, so the row says nothing");
    let asked: u64 = full.iter().map(|measured| measured.asked).sum();
    let each = processors.as_secs_f64() * 1e6 / asked as f64;
    let (limit, full) = (median(limit), median(full));
    println!("{name:<58} {limit:>9.0} {full:>9.0} {:>7.2} {at_least:>9.2} {each:>12.0}", full / limit);
}

fn median(measured: &[Measured]) -> f64 {
    let mut rates: Vec<_> = measured.iter().map(|measured| measured.per_second).collect();
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
