//! PostgreSQL's connections that fall silent, and nodes that stand still: nobody waits for ever, and nothing stays
//! locked.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

#[expect(dead_code, reason = "there is one server, and new connections pass")]
mod relay;
mod scratch;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agio_core::db::{Engine, NodeMessage};
use agio_core::{Db, Result, execute, fetch_one};
use relay::Relay;
use scratch::Scratch;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// More than a transaction of a frozen node lasts, less than two do.
const ONE_FROZEN: Duration = Duration::from_secs(7);

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

/// Prepares the statement on each connection of the pool, which are idle then.
async fn prepare_everywhere(db: &Db) {
    let mut held = futures_util::future::join_all((0..16).map(|_| db.read())).await;
    for tx in &mut held {
        fetch_one!(tx.as_mut().unwrap(), (i64,), ALL_COLUMNS).unwrap();
    }
    drop(held);
    while db.pool().idle < 16 {
        tokio::task::yield_now().await;
    }
}

const ALL_COLUMNS: &str = "SELECT * FROM jar";

/// A newer release adds columns while this one serves: PostgreSQL refuses what was prepared before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prepared_statements_outlive_new_columns() {
    let scratch = with_jar().await;
    let db = scratch.another().await;
    let add_column = async |sql: &'static str| {
        scratch.db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await.unwrap();
    };
    prepare_everywhere(&db).await;
    add_column("ALTER TABLE jar ADD COLUMN label TEXT").await;
    for _ in 0..16 {
        db.write(|tx| Box::pin(async move { fetch_one!(tx, (i64,), ALL_COLUMNS).map(drop) })).await.unwrap();
    }
    prepare_everywhere(&db).await;
    add_column("ALTER TABLE jar ADD COLUMN colour TEXT").await;
    let mut refused = Vec::new();
    for _ in 0..16 {
        refused.extend(fetch_one!(&mut db.read().await.unwrap(), (i64,), ALL_COLUMNS).err());
    }
    assert_eq!(refused.len(), 1, "the first of them gives up the other connections: {refused:?}");
    assert_eq!((refused[0].code(), db.is_writable()), ("overloaded", true));
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
    let refused = db.probe().await.unwrap_err();
    assert_eq!((refused.code(), db.is_writable()), ("storage_unavailable", false), "{refused}");
    assert!(refused.to_string().contains("transaction_read_only"), "{refused}");
    scratch.db.probe().await.unwrap();
    assert!(scratch.db.is_writable());
}

/// A stopped server is no overload: the log has to say what to repair.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_probe_says_why_there_is_no_connection() {
    let scratch = with_jar().await;
    let (server, name) = scratch.url.rsplit_once('@').unwrap().1.split_once('/').unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://postgres@{}/{name}", listener.local_addr().unwrap());
    let server = server.to_owned();
    let passing = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut client, _)) = listener.accept().await {
            let mut behind = TcpStream::connect(&server).await.unwrap();
            connections.spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut behind).await });
        }
    });
    let db = Db::open(&url).await.unwrap();
    db.probe().await.unwrap();
    passing.abort();
    assert!(passing.await.unwrap_err().is_cancelled());
    let refused = db.probe().await.unwrap_err();
    assert_eq!((refused.code(), db.is_writable()), ("storage_unavailable", false), "{refused}");
    assert!(refused.to_string().contains("Connection refused"), "{refused}");
}

/// One of its transactions holds a lock, and the others wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_stands_still_keeps_no_lock() {
    let scratch = with_jar().await;
    let frozen = scratch.another().await;
    let mut begun = Vec::new();
    for transaction in 0..5 {
        let (frozen, begins) = (frozen.clone(), Arc::new(Semaphore::new(0)));
        begun.push(begins.clone());
        tokio::spawn(async move {
            let (is_first, was_run) = (transaction == 0, Arc::new(AtomicBool::new(false)));
            let frozen_write = frozen.write(move |tx| {
                let (begins, was_run) = (begins.clone(), was_run.clone());
                Box::pin(async move {
                    // A frozen process does not try again.
                    fetch_one!(tx, (i64,), "SELECT CAST(1 AS BIGINT)")?;
                    if !was_run.swap(true, Ordering::Relaxed) {
                        if !is_first {
                            begins.add_permits(1);
                        }
                        execute!(tx, "UPDATE jar SET left_in = 100")?;
                        begins.add_permits(1);
                    }
                    std::future::pending::<Result<()>>().await
                })
            });
            frozen_write.await
        });
        // The first holds the lock before the others ask for it.
        begun[transaction].acquire().await.unwrap().forget();
    }
    while locks_waited_for(&scratch.db).await < 4 {
        tokio::task::yield_now().await;
    }
    let began = Instant::now();
    increment(&scratch.db).await.unwrap();
    assert!(began.elapsed() < ONE_FROZEN, "{:?}", began.elapsed());
    let (left,) = fetch_one!(&mut scratch.db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
    assert_eq!(left, 1, "what it had begun is undone");
}

/// How many transactions of this database wait for a lock.
async fn locks_waited_for(db: &Db) -> i64 {
    let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    fetch_one!(&mut db.read().await.unwrap(), (i64,), waiting).unwrap().0
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
