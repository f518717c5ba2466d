//! What a long history costs: the time of a start, the memory after it and the size of a claim.

use std::time::Duration;

use crate::load::{self, Load};
use crate::postgres::Postgres;
use crate::server::AgioServer;
use crate::{CONNECTIONS, ROUNDS};

/// The claims of a young exchange, for comparison.
const FEW: u64 = 1_000;

/// Measures both engines with few claims and with this many.
pub async fn measure(agio: &str, claims: u64) {
    println!("{:<36} {:>12} {:>14} {:>12} {:>12}", "claims", "serves, ms", "accepts, ms", "MiB", "bytes each");
    let server = AgioServer::start(agio).await;
    let file = server.database();
    grow(server, "SQLite", claims, || std::fs::metadata(&file).expect("the database is a file").len()).await;
    if let Some(postgres) = Postgres::from_environment() {
        let server = AgioServer::start_on(agio, &postgres.create_database("agio_bench")).await;
        grow(server, "PostgreSQL", claims, || postgres.size_of("agio_bench")).await;
    }
}

async fn grow(mut server: AgioServer, engine: &str, claims: u64, size: impl Fn() -> u64) {
    server.restart().await;
    let (mut made, empty) = (0, size());
    for count in [FEW, claims] {
        let load = Load { port: server.port, connections: CONNECTIONS, request: server.claim_request().await };
        made += load::send_count(load, count - made).await;
        let mut starts = Vec::new();
        for _ in 0..ROUNDS {
            starts.push(server.restart().await);
        }
        starts.sort();
        let (serves, accepts) = starts[ROUNDS / 2];
        let each = (size() - empty) / made;
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let name = format!("{made} on {engine}");
        println!("{name:<36} {:>12.0} {:>14.0} {:>12.1} {each:>12}", millis(serves), millis(accepts), server.memory_mib());
    }
}
