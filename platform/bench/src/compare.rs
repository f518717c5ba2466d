//! CPU time per request of a commit's server and of its parent's. Absolute figures depend on the machine, so
//! both are measured in turns, and the least of each counts: whatever disturbs a measurement adds to it.

use std::sync::Arc;
use std::time::Duration;

use crate::CONNECTIONS;
use crate::load::{self, Load};
use crate::postgres::Postgres;
use crate::server::AgioServer;

/// How much more than the parent's a request may cost.
const GROWTH_MAX: f64 = 1.15;

/// Measurements end after this many rounds, or before if nothing has grown in any of the first two.
const ROUNDS_MAX: usize = 6;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the server of the parent commit: .ci/bench-parent"]
async fn no_request_costs_much_more_than_in_the_parent_commit() {
    let program = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} names no server"));
    let mut parent = Measured::start(&program("AGIO_PARENT"), "parent").await;
    let mut agio = Measured::start(&program("AGIO"), "commit").await;
    for round in 1..=ROUNDS_MAX {
        parent.measure().await;
        agio.measure().await;
        if round > 1 && agio.growth(&parent).all(|growth| growth <= GROWTH_MAX) {
            break;
        }
    }
    println!("{:<28} {:>10} {:>10} {:>7}", "CPU of a request, us", "parent", "commit", "ratio");
    for ((before, now), growth) in parent.operations.iter().zip(&agio.operations).zip(agio.growth(&parent)) {
        println!("{:<28} {:>10.0} {:>10.0} {growth:>7.2}", now.name, before.micros(), now.micros());
    }
    assert!(agio.growth(&parent).all(|growth| growth <= GROWTH_MAX), "a request costs over {GROWTH_MAX} times as much");
}

/// A build of the server, with a server for each engine there is.
struct Measured {
    servers: Vec<AgioServer>,
    operations: Vec<Operation>,
}

struct Operation {
    name: &'static str,
    /// Its place among the servers.
    server: usize,
    request: Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>,
    /// How many requests a measurement has: the clock of CPU time is coarse.
    count: u64,
    /// The least CPU time so far of that many requests.
    least: Duration,
}

impl Operation {
    fn micros(&self) -> f64 {
        self.least.as_secs_f64() * 1e6 / self.count as f64
    }
}

impl Measured {
    async fn start(agio: &str, name: &str) -> Self {
        let mut servers = vec![AgioServer::start(agio).await];
        if let Some(postgres) = Postgres::from_environment() {
            servers.push(AgioServer::start_on(agio, &postgres.create_database(&format!("agio_bench_{name}"))).await);
        }
        let pair = servers[0].pair_path().await;
        let read = |name, path: &str| Operation {
            name,
            server: 0,
            request: load::get_request(path),
            count: 10_000,
            least: Duration::MAX,
        };
        let mut operations = vec![read("pair quote", &pair), read("table of rates", "/api/v1/calculator/rates/")];
        for (server, name) in (0..servers.len()).zip(["new claim on SQLite", "new claim on PostgreSQL"]) {
            let request = servers[server].claim_request().await;
            operations.push(Operation { name, server, request, count: 1_500, least: Duration::MAX });
        }
        Self { servers, operations }
    }

    async fn measure(&mut self) {
        for operation in &mut self.operations {
            let server = &self.servers[operation.server];
            let before = server.processor_time();
            let load = Load { port: server.port, connections: CONNECTIONS, request: operation.request.clone() };
            load::send_count(load, operation.count).await;
            operation.least = operation.least.min(server.processor_time() - before);
        }
    }

    /// The cost of each operation as a share of what it was.
    fn growth(&self, before: &Self) -> impl Iterator<Item = f64> {
        let pairs = self.operations.iter().zip(&before.operations);
        pairs.map(|(now, before)| now.micros() / before.micros())
    }
}
