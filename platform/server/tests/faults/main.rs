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

/// How long claims may stay away. Several transactions of a node that stands still may get a lock one after another, and
/// PostgreSQL ends each of them after five seconds.
const RECOVERY: Duration = Duration::from_secs(50);

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
    let refused = visitor.post("/api/v1/claim/", claim(ids, "0")).await.refused(409, "rate_changed");
    (ids, refused["params"]["toSumma"].as_str().unwrap().to_owned())
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
        assert!(started.elapsed() < Duration::from_secs(60), "nothing is acknowledged any more");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until a claim is acknowledged again after the cause has ended. Returns how long that took.
async fn recovery(acknowledged: &Acknowledged) -> Duration {
    let began = Instant::now();
    more_are_acknowledged(acknowledged, 1).await;
    began.elapsed()
}

/// Asserts that every acknowledged claim exists, that none exists twice, and that the ledger has no differences. Prints
/// a line of the table.
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
            let found = recovery(&acknowledged).await;
            assert!(found < RECOVERY, "{found:?} after all connections had fallen silent");
            recoveries.push(found);
        }
    })
    .await;
    nothing_is_lost("all connections silent, twice", &cluster.url, &process, &acknowledged, &recoveries).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_still_loses_nothing_and_stops_nobody_for_long() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let (node, other) = (Process::start(&*cluster.url).await, Process::start(&*cluster.url).await);
    let (mut node_recovery, mut database_recovery) = (Duration::ZERO, Duration::ZERO);
    let acknowledged = Acknowledged::default();
    let terms = terms(&node.root).await;
    write_during(&other, &acknowledged, async {
        write_during(&node, &acknowledged, async {
            more_are_acknowledged(&acknowledged, 20).await;
            // It may hold the locks of a claim.
            other.signal("STOP").await;
            let began = Instant::now();
            more_are_acknowledged(&acknowledged, 20).await;
            node_recovery = began.elapsed();
            assert!(node_recovery < RECOVERY, "{node_recovery:?} after a node stood still");
            other.signal("CONT").await;
            more_are_acknowledged(&acknowledged, 20).await;

            cluster.signal("STOP").await;
            claims_are_refused(&node, &terms).await;
            customers_are_told(&node, true).await;
            let visitor = TestClient::at(&node.root);
            let asked = Instant::now();
            assert_eq!(visitor.get("/health/ready").await.status, 503);
            assert!(asked.elapsed() < Duration::from_secs(2), "{:?} to say that nothing can be read", asked.elapsed());
            cluster.signal("CONT").await;
            let began = Instant::now();
            more_are_acknowledged(&acknowledged, 20).await;
            database_recovery = began.elapsed();
            assert!(database_recovery < RECOVERY, "{database_recovery:?} after PostgreSQL stood still");
        })
        .await;
    })
    .await;
    nothing_is_lost("one of two nodes frozen", &cluster.url, &node, &acknowledged, &[node_recovery]).await;
    nothing_is_lost("PostgreSQL frozen", &cluster.url, &other, &acknowledged, &[database_recovery]).await;
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
