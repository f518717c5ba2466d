//! New claims on one PostgreSQL by one node and by three.
//!
//! On a machine with fewer cores than processes the rates say little, so the CPU times of the nodes and of the database
//! are measured apart. From them follows what they would do with a core for each node and one for the database.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::load::{self, Load, Measurement};
use crate::postgres::Postgres;
use crate::report::Report;
use crate::server::AgioServer;
use crate::{CONNECTIONS, MEASUREMENT_TIME, ROUNDS, WARM_UP};

const NODES: usize = 3;

/// Measures both in turns.
pub async fn measure(agio: &str, report: &mut Report) {
    let Some(postgres) = Postgres::from_environment() else { return };
    let mut one = Nodes::start(agio, &postgres, 1).await;
    let mut three = Nodes::start(agio, &postgres, NODES).await;
    for _ in 0..ROUNDS {
        one.load(&postgres).await;
        three.load(&postgres).await;
    }
    let ((node, database), (nodes, shared)) = (one.times(), three.times());
    report.add_rate("new claims by three nodes, vs. one", &one.measured, &three.measured, 1.0, Some(three.all_time()));
    report.add_figure("CPU of a claim on three nodes, vs. on one, us", Some(node), nodes, "");
    report.add_figure("CPU of a claim on their database, vs. that of one, us", Some(database), shared, "");
    report.add_rate("three nodes with cores of their own, vs. one", &[one.by_cores()], &[three.by_cores()], 1.5, None);
}

/// Nodes that share a database, and what was measured of them.
struct Nodes {
    servers: Vec<AgioServer>,
    request: Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>,
    measured: Vec<Measurement>,
    /// CPU time of the nodes and of the database.
    node_time: Duration,
    database_time: Duration,
}

impl Nodes {
    async fn start(agio: &str, postgres: &Postgres, count: usize) -> Self {
        let url = postgres.create_database(&format!("agio_bench_nodes_{count}"));
        let mut servers = vec![AgioServer::start_on(agio, &url).await];
        while servers.len() < count {
            servers.push(servers[0].start_node().await);
        }
        let request = servers[0].claim_request().await;
        Self { servers, request, measured: Vec::new(), node_time: Duration::ZERO, database_time: Duration::ZERO }
    }

    fn processor_time(&self) -> Duration {
        self.servers.iter().map(AgioServer::processor_time).sum()
    }

    /// Creates claims over as many connections to each node: they have visitors of their own.
    async fn load(&mut self, postgres: &Postgres) {
        let (nodes, database) = (self.processor_time(), postgres.processor_time());
        let mut loads = JoinSet::new();
        for (place, server) in self.servers.iter().enumerate() {
            let (count, request) = (self.servers.len() as u64, self.request.clone());
            let request = Arc::new(move |number| request(number * count + place as u64));
            loads.spawn(load::run(Load { port: server.port, connections: CONNECTIONS, request }, WARM_UP, MEASUREMENT_TIME));
        }
        let all = loads.join_all().await;
        self.measured.push(Measurement {
            per_second: all.iter().map(|measured| measured.per_second).sum(),
            failed: all.iter().map(|measured| measured.failed).sum(),
            requests: all.iter().map(|measured| measured.requests).sum(),
            latencies: Vec::new(),
        });
        self.node_time += self.processor_time() - nodes;
        self.database_time += postgres.processor_time() - database;
    }

    fn all_time(&self) -> Duration {
        self.node_time + self.database_time
    }

    /// Microseconds of a claim on a node and on the database.
    fn times(&self) -> (f64, f64) {
        let claims: u64 = self.measured.iter().map(|measured| measured.requests).sum();
        let each = |time: Duration| time.as_secs_f64() * 1e6 / claims as f64;
        (each(self.node_time), each(self.database_time))
    }

    /// The claims per second that a core for each node and one for the database allow.
    fn by_cores(&self) -> Measurement {
        let (node, database) = self.times();
        let per_second = (self.servers.len() as f64 / node).min(1.0 / database) * 1e6;
        Measurement { per_second, ..Measurement::default() }
    }
}
