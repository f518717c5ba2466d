//! PostgreSQL's connections that fall silent, and nodes that stand still: nobody waits for ever, and nothing stays
//! locked.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod relay;
mod scratch;

use std::sync::Arc;
use std::time::{Duration, Instant};

use agio_core::db::{Engine, NodeMessage};
use agio_core::{Db, Result, execute, fetch_one};
use relay::Relay;
use scratch::Scratch;

/// More than the deadline of a statement, less than two.
const PATIENCE: Duration = Duration::from_secs(15);

async fn increment(db: &Db) -> Result<()> {
    db.write(|tx| Box::pin(async move { execute!(tx, "UPDATE jar SET left_in = left_in + 1").map(drop) })).await
}

async fn with_jar() -> Scratch {
    let scratch = Scratch::open(Engine::Postgres).await;
    for sql in ["CREATE TABLE jar (left_in BIGINT NOT NULL)", "INSERT INTO jar (left_in) VALUES (0)"] {
        scratch.db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await.unwrap();
    }
    scratch
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_are_given_up_and_replaced() {
    let scratch = with_jar().await;
    let relay = Relay::start(&scratch.url).await;
    let db = Db::open(&relay.url).await.unwrap();
    let mut waiting: Vec<_> = (0..30).map(|_| db.clone()).map(|db| tokio::spawn(async move { increment(&db).await })).collect();
    for write in waiting.drain(..) {
        write.await.unwrap().unwrap();
    }
    relay.silence();
    let began = Instant::now();
    let reading = tokio::spawn({
        let db = db.clone();
        async move { fetch_one!(&mut db.read().await?, (i64,), "SELECT left_in FROM jar") }
    });
    waiting.extend((0..30).map(|_| db.clone()).map(|db| tokio::spawn(async move { increment(&db).await })));
    let mut stored = 30;
    for write in waiting {
        match write.await.unwrap() {
            Ok(()) => stored += 1,
            Err(refused) => assert!(["storage_unavailable", "overloaded"].contains(&refused.code()), "{refused}"),
        }
    }
    let _ = reading.await.unwrap();
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    for _ in 0..30 {
        increment(&db).await.unwrap();
    }
    let (left,) = fetch_one!(&mut db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
    assert_eq!(left, stored + 30, "what was refused is not stored, as nothing of it arrived");
    tokio::time::timeout(PATIENCE, db.close()).await.unwrap();
}

/// One caller at a time finds only one connection that is silent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pool_of_silent_connections_is_replaced_at_once() {
    let scratch = with_jar().await;
    let relay = Relay::start(&scratch.url).await;
    let db = Db::open(&relay.url).await.unwrap();
    let held = futures_util::future::join_all((0..16).map(|_| db.read())).await;
    assert!(held.iter().all(Result::is_ok));
    drop(held);
    while db.pool().idle < 16 {
        tokio::task::yield_now().await;
    }
    relay.silence();
    let began = Instant::now();
    for _ in 0..16 {
        increment(&db).await.unwrap();
    }
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

/// Refused writes say so at once, and a probe finds that they are stored again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_only_reads_is_told_from_one_that_writes() {
    let scratch = with_jar().await;
    let db = Db::open(&format!("{}?options=-c%20default_transaction_read_only%3Don", scratch.url)).await.unwrap();
    assert!(db.is_writable());
    let refused = increment(&db).await.unwrap_err();
    assert_eq!((refused.code(), db.is_writable()), ("storage_unavailable", false));
    fetch_one!(&mut db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
    scratch.db.probe().await.unwrap();
    assert!(scratch.db.is_writable());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stands_still_keeps_no_lock() {
    let scratch = with_jar().await;
    let frozen = scratch.another().await;
    let (locked, is_locked) = tokio::sync::oneshot::channel();
    let locked = Arc::new(std::sync::Mutex::new(Some(locked)));
    tokio::spawn(async move {
        let frozen_write = frozen.write(move |tx| {
            let locked = locked.clone();
            Box::pin(async move {
                execute!(tx, "UPDATE jar SET left_in = 100")?;
                locked.lock().unwrap().take().unwrap().send(()).unwrap();
                std::future::pending::<Result<()>>().await
            })
        });
        frozen_write.await
    });
    is_locked.await.unwrap();
    let began = Instant::now();
    increment(&scratch.db).await.unwrap();
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let (left,) = fetch_one!(&mut scratch.db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
    assert_eq!(left, 1, "what it had begun is undone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_between_nodes_arrive_again_after_silence() {
    let scratch = with_jar().await;
    let relay = Relay::start(&scratch.url).await;
    let db = Db::open(&relay.url).await.unwrap();
    let mut listener = db.listen_to_nodes().await.unwrap().unwrap();
    scratch.db.notify_nodes(&["before".to_owned()]).await.unwrap();
    assert_eq!(listener.recv().await.unwrap(), NodeMessage::Payload("before".to_owned()));
    relay.silence();
    let lost = tokio::time::timeout(PATIENCE, listener.recv()).await.unwrap();
    assert_eq!(lost.unwrap(), NodeMessage::ConnectionLost);
    scratch.db.notify_nodes(&["after".to_owned()]).await.unwrap();
    assert_eq!(listener.recv().await.unwrap(), NodeMessage::Payload("after".to_owned()));
}
