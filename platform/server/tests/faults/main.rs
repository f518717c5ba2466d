//! Fault injection during writes: killed processes, a restarting database, a full disk. Acknowledged claims are kept,
//! and the ledger has no differences.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod cluster;
mod process;
mod volume;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agio_test_app::{Database, Engine, TestClient};
use cluster::Cluster;
use process::{Process, Storage};
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

/// Asserts that every acknowledged claim exists and the ledger has no differences.
async fn nothing_is_lost(process: &Process<'_>, acknowledged: &Acknowledged) {
    let visitor = TestClient::at(&process.root);
    let acknowledged: Vec<_> = acknowledged.lock().unwrap().iter().cloned().collect();
    assert!(acknowledged.len() > 50, "only {} claims were written: the test proves nothing", acknowledged.len());
    for (id, _) in &acknowledged {
        visitor.get(&format!("/api/v1/claim/{id}/status/")).await.ok();
    }
    process.assert_ledger_is_clean().await;
    println!("{} acknowledged claims exist", acknowledged.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_killed_processes_lose_nothing_on_sqlite() {
    let database = Database::empty(Engine::Sqlite).await;
    let acknowledged = Acknowledged::default();
    process::seed(&*database.url).await;
    for _ in 0..200 {
        let process = Process::start(&*database.url).await;
        write_during(&process, &acknowledged, async {
            more_are_acknowledged(&acknowledged, 1).await;
            process.kill().await;
        })
        .await;
    }
    let process = Process::start(&*database.url).await;
    nothing_is_lost(&process, &acknowledged).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarts_of_postgres_lose_nothing_and_the_server_recovers() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let process = Process::start(&*cluster.url).await;
    let acknowledged = Acknowledged::default();
    write_during(&process, &acknowledged, async {
        for _ in 0..15 {
            // The server has recovered when claims are acknowledged again.
            more_are_acknowledged(&acknowledged, 5).await;
            cluster.restart_immediately().await;
        }
        more_are_acknowledged(&acknowledged, 5).await;
    })
    .await;
    let customer = TestClient::at(&process.root);
    let terms = terms(&process.root).await;
    customer.post("/api/v1/claim/", claim(terms.0, &terms.1)).await.ok();
    nothing_is_lost(&process, &acknowledged).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_stands_still_loses_nothing_and_stops_nobody_for_long() {
    let cluster = Cluster::start().await;
    process::seed(&*cluster.url).await;
    let (node, other) = (Process::start(&*cluster.url).await, Process::start(&*cluster.url).await);
    let acknowledged = Acknowledged::default();
    let terms = terms(&node.root).await;
    write_during(&other, &acknowledged, async {
        write_during(&node, &acknowledged, async {
            more_are_acknowledged(&acknowledged, 20).await;
            // It may hold the locks of a claim.
            other.signal("STOP").await;
            let began = Instant::now();
            more_are_acknowledged(&acknowledged, 20).await;
            println!("claims are taken again {:?} after a node stood still", began.elapsed());
            assert!(began.elapsed() < RECOVERY, "{:?} after a node stood still", began.elapsed());
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
            assert!(began.elapsed() < RECOVERY, "{:?} after PostgreSQL stood still", began.elapsed());
        })
        .await;
    })
    .await;
    nothing_is_lost(&node, &acknowledged).await;
    nothing_is_lost(&other, &acknowledged).await;
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
    let acknowledged = Acknowledged::default();
    let terms = terms(&process.root).await;
    write_during(&process, &acknowledged, async {
        for _ in 0..3 {
            more_are_acknowledged(&acknowledged, 20).await;
            volume.fill();
            claims_are_refused(&process, &terms).await;
            customers_are_told(&process, true).await;
            volume.free();
            more_are_acknowledged(&acknowledged, 20).await;
            customers_are_told(&process, false).await;
        }
    })
    .await;
    nothing_is_lost(&process, &acknowledged).await;
    process.kill().await;
    nothing_is_lost(&Process::start(storage).await, &acknowledged).await;
}
