//! Fault injection during writes: killed processes, a restarting database, a full disk. Acknowledged claims are kept,
//! none is stored twice, and the ledger has no differences. Each test prints its lines of the table that
//! `.ci/faults-table` shows.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod cluster;
mod process;
#[path = "../../../core/tests/relay/mod.rs"]
mod relay;
mod volume;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agio_core::{Db, fetch_one};
use agio_test_app::{Database, Engine, TestClient};
use cluster::Cluster;
use process::{Process, Storage};
use relay::Relay;
use serde_json::{Value, json};
use uuid::Uuid;
use volume::Volume;

const WRITERS: usize = 8;

/// How long claims may stay away, and how long a server may take to end. Beside other tests only that it does not last:
/// what takes how long there is luck. `.ci/faults-table` injects one fault after the other and names the limits that
/// count: after at most eight seconds a silent statement is given up, after four PostgreSQL ends what a frozen node has
/// begun; a server that ends waits ten seconds for requests and five for its connections.
fn limit(variable: &str) -> Duration {
    let seconds = std::env::var(variable).map(|seconds| seconds.parse().expect("a number of seconds"));
    Duration::from_secs(seconds.unwrap_or(60))
}

fn recovery_limit() -> Duration {
    limit("AGIO_RECOVERY_SECONDS")
}

/// Acknowledged claims: id and idempotency key.
type Acknowledged = Arc<Mutex<BTreeSet<(String, String)>>>;

fn claim(ids: (i64, i64), receive: &str) -> Value {
    json!({
        "email": format!("{}@example.com", Uuid::now_v7().simple()),
        "fromPs": ids.0, "toPs": ids.1, "fromSumma": "0.001", "toSumma": receive,
        "fromRequisites": {}, "toRequisites": { "card": "2200000000000004", "holder": "IVAN IVANOV" },
    })
}

/// The two currencies of the claims, and the amount to receive for 0.001.
async fn terms(root: &str) -> ((i64, i64), String) {
    let visitor = TestClient::at(root);
    let directions = visitor.get("/api/v1/calculator/").await.ok();
    let id = |code: &str| {
        let all = directions["directions"].as_array().unwrap();
        all.iter().find(|direction| direction["code"] == code).unwrap()["id"].as_i64().unwrap()
    };
    let ids = (id("BTC"), id("SBERRUB"));
    let started = Instant::now();
    let mut refused = visitor.post("/api/v1/claim/", claim(ids, "0")).await;
    // A server that has just started checks the ledger first.
    while refused.status == 503 {
        assert!(started.elapsed() < recovery_limit(), "{}", refused.text);
        tokio::time::sleep(Duration::from_millis(50)).await;
        refused = visitor.post("/api/v1/claim/", claim(ids, "0")).await;
    }
    (ids, refused.refused(409, "rate_changed")["params"]["toSumma"].as_str().unwrap().to_owned())
}

/// Creates claims until `stop`. Errors and broken connections are expected.
async fn write(root: String, terms: ((i64, i64), String), acknowledged: Acknowledged, stop: Arc<AtomicBool>) {
    let customer = TestClient::at(&root);
    while !stop.load(Ordering::Relaxed) {
        let key = Uuid::now_v7().to_string();
        let request = customer.request(reqwest::Method::POST, "/api/v1/claim/");
        let request = request.header("Idempotency-Key", &key).json(&claim(terms.0, &terms.1));
        match customer.try_send(request).await {
            Ok(answer) if answer.status == 201 => {
                let id = answer.json()["id"].as_str().unwrap().to_owned();
                acknowledged.lock().unwrap().insert((id, key));
            }
            Ok(answer) => assert_eq!(answer.status, 503, "{}", answer.text),
            // The process was killed; other writers use the next one.
            Err(_) => return,
        }
    }
}

async fn write_during(process: &Process<'_>, acknowledged: &Acknowledged, during: impl Future<Output = ()>) {
    let terms = terms(&process.root).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| tokio::spawn(write(process.root.clone(), terms.clone(), acknowledged.clone(), stop.clone())))
        .collect();
    during.await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
}

/// Waits until more claims are acknowledged.
async fn more_are_acknowledged(acknowledged: &Acknowledged, more: usize) {
    let count = || acknowledged.lock().unwrap().len();
    let (before, started) = (count(), Instant::now());
    while count() < before + more {
        assert!(started.elapsed() < Duration::from_secs(120), "nothing is acknowledged any more");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until a claim is acknowledged again after the cause has ended. Returns how long that took.
async fn recovery(acknowledged: &Acknowledged) -> Duration {
    let began = Instant::now();
    more_are_acknowledged(acknowledged, 1).await;
    began.elapsed()
}

/// Asserts that every acknowledged claim exists, that none exists twice, that the ledger has no differences, and that
/// claims were back in time. Prints a line of the table.
async fn nothing_is_lost(
    fault: &str,
    database: &str,
    process: &Process<'_>,
    acknowledged: &Acknowledged,
    recoveries: &[Duration],
) {
    let visitor = TestClient::at(&process.root);
    let acknowledged: Vec<_> = acknowledged.lock().unwrap().iter().cloned().collect();
    assert!(acknowledged.len() > 50, "only {} claims were written: the test proves nothing", acknowledged.len());
    let mut lost = 0;
    for (id, _) in &acknowledged {
        lost += usize::from(visitor.get(&format!("/api/v1/claim/{id}/status/")).await.status != 200);
    }
    process.assert_ledger_is_clean().await;
    let db = Db::open(database).await.unwrap();
    // Each try has an email address of its own.
    let count = "SELECT COUNT(*) - COUNT(DISTINCT email) FROM claim";
    let mut tx = db.read().await.unwrap();
    let (doubled,) = fetch_one!(&mut tx, (i64,), count).unwrap();
    drop(tx);
    db.close().await;
    let engine = if database.starts_with("sqlite") { "SQLite" } else { "PostgreSQL" };
    let slowest = recoveries.iter().max().map_or("–".to_owned(), |slowest| format!("{:.1}", slowest.as_secs_f64()));
    println!("| {fault} | {engine} | {} | {lost} | {doubled} | {slowest} |", acknowledged.len());
    assert_eq!((lost, doubled), (0, 0), "lost and doubled");
    assert!(recoveries.iter().all(|recovery| *recovery < recovery_limit()), "{fault}: {recoveries:?}");
}

/// Kills the server again and again. It has recovered when the next one acknowledges a claim.
async fn killed_processes_lose_nothing(database: &str, times: usize) {
    let acknowledged = Acknowledged::default();
    process::seed(database).await;
    let mut recoveries = Vec::new();
    let mut killed = None::<Instant>;
    for _ in 0..times {
        let process = Process::start(database).await;
        write_during(&process, &acknowledged, async {
            more_are_acknowledged(&acknowledged, 1).await;
            recoveries.extend(killed.map(|at| at.elapsed()));
            more_are_acknowledged(&acknowledged, 2).await;
            process.kill().await;
        })
        .await;
        killed = Some(Instant::now());
    }
    let process = Process::start(database).await;
    nothing_is_lost(&format!("kill -9, {times} times"), database, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_killed_processes_lose_nothing_on_sqlite() {
    killed_processes_lose_nothing(&Database::empty(Engine::Sqlite).await.url, 200).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_lose_nothing_on_postgres() {
    killed_processes_lose_nothing(&Cluster::start().await.url, 25).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_of_postgres_lose_nothing_and_the_server_recovers() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let process = Process::start(&*cluster.url).await;
    let mut recoveries = Vec::new();
    let acknowledged = Acknowledged::default();
    write_during(&process, &acknowledged, async {
        for _ in 0..15 {
            more_are_acknowledged(&acknowledged, 5).await;
            cluster.restart_immediately().await;
            recoveries.push(recovery(&acknowledged).await);
        }
        cluster.stop().await;
        customers_are_told(&process, true).await;
        cluster.start_again().await;
        recoveries.push(recovery(&acknowledged).await);
        customers_are_told(&process, false).await;
    })
    .await;
    let customer = TestClient::at(&process.root);
    let terms = terms(&process.root).await;
    customer.post("/api/v1/claim/", claim(terms.0, &terms.1)).await.ok();
    nothing_is_lost("PostgreSQL restarted, 16 times", &cluster.url, &process, &acknowledged, &recoveries).await;
}

/// The first replica takes over, then one made of it: a proxy leads there, as HAProxy does once Patroni has decided.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failover_to_a_replica_loses_nothing() {
    let mut primary = Cluster::start().await;
    process::seed(&*primary.url).await;
    let relay = Relay::start(&primary.url).await;
    let process = Process::start(&*relay.url).await;
    let acknowledged = Acknowledged::default();
    let mut recoveries = Vec::new();
    write_during(&process, &acknowledged, async {
        for _ in 0..2 {
            let replica = primary.start_replica().await;
            more_are_acknowledged(&acknowledged, 30).await;
            primary.stop().await;
            let stopped = Instant::now();
            replica.promote().await;
            relay.lead_to(&replica.url);
            more_are_acknowledged(&acknowledged, 1).await;
            recoveries.push(stopped.elapsed());
            primary = replica;
        }
        more_are_acknowledged(&acknowledged, 30).await;
    })
    .await;
    nothing_is_lost("failover to a replica, twice", &primary.url, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_lose_nothing_and_are_replaced() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let relay = Relay::start(&cluster.url).await;
    let process = Process::start(&*relay.url).await;
    let acknowledged = Acknowledged::default();
    let mut recoveries = Vec::new();
    write_during(&process, &acknowledged, async {
        for _ in 0..2 {
            more_are_acknowledged(&acknowledged, 30).await;
            relay.silence();
            recoveries.push(recovery(&acknowledged).await);
        }
    })
    .await;
    nothing_is_lost("all connections silent, twice", &cluster.url, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pooler_that_hangs_loses_nothing_and_is_found_again() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let relay = Relay::start(&cluster.url).await;
    let process = Process::start(&*relay.url).await;
    let acknowledged = Acknowledged::default();
    let mut recoveries = Vec::new();
    let terms = terms(&process.root).await;
    write_during(&process, &acknowledged, async {
        for _ in 0..2 {
            more_are_acknowledged(&acknowledged, 30).await;
            relay.hang();
            claims_are_refused(&process, &terms).await;
            customers_are_told(&process, true).await;
            // What it had before stays silent.
            relay.silence();
            recoveries.push(recovery(&acknowledged).await);
            customers_are_told(&process, false).await;
        }
    })
    .await;
    nothing_is_lost("the pooler hangs, twice", &cluster.url, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_ends_while_postgres_stands_still() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let process = Process::start(&*cluster.url).await;
    let acknowledged = Acknowledged::default();
    let terms = terms(&process.root).await;
    let mut took = Duration::ZERO;
    write_during(&process, &acknowledged, async {
        more_are_acknowledged(&acknowledged, 60).await;
        cluster.signal("STOP").await;
        claims_are_refused(&process, &terms).await;
        let asked = Instant::now();
        process.signal("TERM").await;
        process.end().await;
        took = asked.elapsed();
        assert!(took < limit("AGIO_STOP_SECONDS"), "{took:?} to end");
        cluster.signal("CONT").await;
    })
    .await;
    let began = Instant::now();
    let process = Process::start(&*cluster.url).await;
    let mut recoveries = Vec::new();
    write_during(&process, &acknowledged, async {
        more_are_acknowledged(&acknowledged, 1).await;
        recoveries.push(began.elapsed());
    })
    .await;
    let fault = format!("stopped while PostgreSQL is frozen, which took {:.1} s", took.as_secs_f64());
    nothing_is_lost(&fault, &cluster.url, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stands_still_loses_nothing_and_stops_nobody_for_long() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let (frozen, node, other) =
        (Process::start(&*cluster.url).await, Process::start(&*cluster.url).await, Process::start(&*cluster.url).await);
    let (of_frozen, of_node, of_other) = (Acknowledged::default(), Acknowledged::default(), Acknowledged::default());
    let mut recoveries = Vec::new();
    let three_write = async {
        for _ in 0..2 {
            for acknowledged in [&of_frozen, &of_node, &of_other] {
                more_are_acknowledged(acknowledged, 20).await;
            }
            // It may hold the locks of claims.
            frozen.signal("STOP").await;
            let began = Instant::now();
            // Those that were under way may have been stored before.
            let more = 2 * WRITERS;
            tokio::join!(more_are_acknowledged(&of_node, more), more_are_acknowledged(&of_other, more));
            recoveries.push(began.elapsed());
            frozen.signal("CONT").await;
            recoveries.push(recovery(&of_frozen).await);
        }
    };
    let two_write = write_during(&other, &of_other, three_write);
    write_during(&frozen, &of_frozen, write_during(&node, &of_node, two_write)).await;
    let acknowledged = Acknowledged::default();
    for some in [of_frozen, of_node, of_other] {
        acknowledged.lock().unwrap().append(&mut some.lock().unwrap());
    }
    nothing_is_lost("one of three nodes frozen, twice", &cluster.url, &node, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stands_still_loses_nothing() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let process = Process::start(&*cluster.url).await;
    let acknowledged = Acknowledged::default();
    let mut recoveries = Vec::new();
    let terms = terms(&process.root).await;
    write_during(&process, &acknowledged, async {
        more_are_acknowledged(&acknowledged, 60).await;
        cluster.signal("STOP").await;
        claims_are_refused(&process, &terms).await;
        customers_are_told(&process, true).await;
        let visitor = TestClient::at(&process.root);
        let asked = Instant::now();
        assert_eq!(visitor.get("/health/ready").await.status, 503);
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?} to say that nothing can be read", asked.elapsed());
        cluster.signal("CONT").await;
        recoveries.push(recovery(&acknowledged).await);
    })
    .await;
    nothing_is_lost("PostgreSQL frozen", &cluster.url, &process, &acknowledged, &recoveries).await;
}

/// Waits until the server refuses to store claims.
async fn claims_are_refused(process: &Process<'_>, terms: &((i64, i64), String)) {
    let customer = TestClient::at(&process.root);
    let started = Instant::now();
    loop {
        let answer = customer.post("/api/v1/claim/", claim(terms.0, &terms.1)).await;
        if answer.status == 503 {
            let code = answer.json()["code"].clone();
            assert!(code == "storage_unavailable" || code == "overloaded", "{code}");
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "claims are still taken: {}", answer.text);
    }
}

/// Waits until the pages say that claims are paused, or not.
async fn customers_are_told(process: &Process<'_>, that_claims_are_paused: bool) {
    let visitor = TestClient::at(&process.root);
    let started = Instant::now();
    while visitor.get("/api/v1/calculator/tech/").await.ok()["claimsPaused"] != that_claims_are_paused {
        assert!(started.elapsed() < Duration::from_secs(60), "pages still say the contrary of {that_claims_are_paused}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_and_the_server_recovers() {
    let volume = Volume::mount(24).await;
    let database = volume.database();
    let storage = Storage { database: &database, volume: Some(&volume) };
    process::seed(storage).await;
    let process = Process::start(storage).await;
    let mut recoveries = Vec::new();
    let acknowledged = Acknowledged::default();
    let terms = terms(&process.root).await;
    write_during(&process, &acknowledged, async {
        for _ in 0..3 {
            more_are_acknowledged(&acknowledged, 20).await;
            volume.fill();
            claims_are_refused(&process, &terms).await;
            customers_are_told(&process, true).await;
            volume.free();
            recoveries.push(recovery(&acknowledged).await);
            more_are_acknowledged(&acknowledged, 20).await;
            customers_are_told(&process, false).await;
        }
    })
    .await;
    process.kill().await;
    let (_folder, copy) = volume.copy_of_database();
    let process = Process::start(storage).await;
    nothing_is_lost("disk full, three times", &copy, &process, &acknowledged, &recoveries).await;
}
