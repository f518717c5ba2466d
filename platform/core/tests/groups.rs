//! Writes that do not read share a transaction with others, on both engines, and know nothing of each other's failures.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod scratch;

use std::sync::Arc;

use agio_core::audit::{self, NewAuditEntry};
use agio_core::db::Engine;
use agio_core::error::Constraint;
use agio_core::identity::Actor;
use agio_core::{Db, Error, Result, Timestamp, execute, fetch_all, fetch_one, is_rarely_true, write_hot, write_one};
use scratch::Scratch;
use tokio::sync::Notify;
use tokio::task::JoinSet;

const ENGINES: [Engine; 2] = [Engine::Sqlite, Engine::Postgres];

const WRITES: i64 = 200;

async fn run(db: &Db, sql: &'static str) {
    db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await.unwrap();
}

/// A jar with this much left, and tables for what is taken from it.
async fn with_jar(engine: Engine, left: &'static str) -> Scratch {
    let scratch = Scratch::open(engine).await;
    run(&scratch.db, "CREATE TABLE jar (name TEXT PRIMARY KEY NOT NULL, left_in BIGINT NOT NULL CHECK (left_in >= 0))").await;
    run(&scratch.db, left).await;
    run(&scratch.db, "CREATE TABLE drawer (id BIGINT PRIMARY KEY NOT NULL)").await;
    let spoon = "CREATE TABLE spoon (id BIGINT PRIMARY KEY NOT NULL, taken BIGINT NOT NULL,
        drawer BIGINT REFERENCES drawer (id) DEFERRABLE INITIALLY DEFERRED)";
    run(&scratch.db, spoon).await;
    scratch
}

const SPOON: &str = "INSERT INTO spoon (id, taken, drawer) VALUES ($1, $2, $3)";
const IS_THERE: &str = "SELECT EXISTS (SELECT 1 FROM spoon WHERE id = $1)";
const TAKE: &str = "UPDATE jar SET left_in = left_in - $1 WHERE name = 'jam' AND left_in >= $1";

/// Those that fit, one after the other.
const TAKE_ALL: &str = ",
    jam AS MATERIALIZED (SELECT left_in FROM jar WHERE name = 'jam' FOR NO KEY UPDATE),
    fitting AS (SELECT place, total FROM (SELECT place, SUM(p1) OVER (ORDER BY place) AS total FROM batch) asked
        WHERE total <= (SELECT left_in FROM jam)),
    taken AS (UPDATE jar SET left_in = left_in - most.total FROM (SELECT MAX(total) AS total FROM fitting) most
        WHERE name = 'jam' AND most.total IS NOT NULL RETURNING name)
    SELECT place FROM fitting WHERE EXISTS (SELECT 1 FROM taken)";

#[derive(Clone, Copy)]
struct Spoon {
    id: i64,
    taken: i64,
    drawer: Option<i64>,
}

/// Takes jam, writes that down, and says so in the audit log.
async fn take(db: Db, spoon: Spoon) -> Result<()> {
    db.write(move |tx| {
        Box::pin(async move {
            if tx.engine() == Engine::Postgres && is_rarely_true!(tx, IS_THERE, spoon.id)? {
                return Err(Error::conflict("spoon_used"));
            }
            write_one!(tx, SPOON, spoon.id, spoon.taken, spoon.drawer)?;
            let taken = write_hot!(tx, TAKE, TAKE_ALL, spoon.taken);
            taken.map_err(|refused| match refused.constraint() {
                Some(Constraint::Condition) => Error::conflict("jar_empty"),
                _ => refused,
            })?;
            let entry = NewAuditEntry {
                by: &Actor::system("spoon"),
                action: "spoon.taken",
                about: "spoon",
                id: spoon.id.to_string(),
                before: None,
                after: None,
            };
            audit::record(tx, entry, Timestamp(1)).await
        })
    })
    .await
}

/// Takes with all of them at once and returns what failed, by spoon.
async fn take_all(db: &Db, spoons: impl Iterator<Item = Spoon>) -> Vec<(i64, Error)> {
    let mut takes = JoinSet::new();
    for spoon in spoons {
        let db = db.clone();
        takes.spawn(async move { (spoon.id, take(db, spoon).await) });
    }
    let outcomes = takes.join_all().await;
    let mut failed: Vec<_> = outcomes.into_iter().filter_map(|(id, outcome)| Some((id, outcome.err()?))).collect();
    failed.sort_by_key(|(id, _)| *id);
    failed
}

async fn number(db: &Db, sql: &'static str) -> i64 {
    fetch_one!(&mut db.read().await.unwrap(), (i64,), sql).unwrap().0
}

/// Every write is stored with its audit entry, and no other.
async fn assert_stored(db: &Db, count: i64) {
    assert_eq!(number(db, "SELECT COUNT(*) FROM spoon").await, count);
    assert_eq!(number(db, "SELECT COUNT(*) FROM audit").await, count);
    let report = audit::verify(db).await.unwrap();
    assert!(report.faults.is_empty(), "{:?}", report.faults);
}

fn spoon(id: i64) -> Spoon {
    Spoon { id, taken: 1, drawer: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_share_transactions() {
    let scratch = with_jar(Engine::Postgres, "INSERT INTO jar (name, left_in) VALUES ('jam', 1000)").await;
    assert!(take_all(&scratch.db, (0..WRITES).map(spoon)).await.is_empty());
    assert_stored(&scratch.db, WRITES).await;
    assert_eq!(number(&scratch.db, "SELECT left_in FROM jar").await, 1_000 - WRITES);
    let transactions = number(&scratch.db, "SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) FROM spoon").await;
    assert!(transactions < WRITES / 2, "{transactions} transactions for {WRITES} writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_fails_does_not_disturb_the_others() {
    for engine in ENGINES {
        let scratch = with_jar(engine, "INSERT INTO jar (name, left_in) VALUES ('jam', 1000)").await;
        take(scratch.db.clone(), spoon(7)).await.unwrap();
        // One is refused by a check or a key, one when it is written, one at the commit.
        let greedy = Spoon { id: 50, taken: 5_000, drawer: None };
        let lost = Spoon { id: 90, taken: 1, drawer: Some(1) };
        let others = (0..WRITES).filter(|id| ![50, 90].contains(id)).map(spoon);
        let failed = take_all(&scratch.db, others.chain([greedy, lost])).await;
        let ids: Vec<_> = failed.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, [7, 50, 90], "{engine:?}: {failed:?}");
        assert_eq!(failed[1].1.code(), "jar_empty");
        assert_stored(&scratch.db, WRITES - 2).await;
        assert_eq!(number(&scratch.db, "SELECT left_in FROM jar").await, 1_000 - (WRITES - 2), "{engine:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_is_taken_than_there_is() {
    for engine in ENGINES {
        let scratch = with_jar(engine, "INSERT INTO jar (name, left_in) VALUES ('jam', 120)").await;
        let nodes = [scratch.db.clone(), if engine == Engine::Postgres { scratch.another().await } else { scratch.db.clone() }];
        let half = |node: usize| {
            let spoons = (0..WRITES).filter(move |id| id % 2 == i64::try_from(node).unwrap()).map(spoon);
            take_all(&nodes[node], spoons)
        };
        let (here, there) = tokio::join!(half(0), half(1));
        assert!(here.iter().chain(&there).all(|(_, error)| error.code() == "jar_empty"), "{engine:?}: {here:?} {there:?}");
        assert_eq!(here.len() + there.len(), usize::try_from(WRITES - 120).unwrap(), "{engine:?}");
        assert_stored(&scratch.db, 120).await;
        assert_eq!(number(&scratch.db, "SELECT left_in FROM jar").await, 0);
    }
}

/// Writes with one lock do not see each other in a group, so each waits for the commit of the one before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_counts_the_writes_of_the_same_moment() {
    const FULL: &str = "SELECT (SELECT COUNT(*) FROM coin WHERE purse = $1) >= 5";
    const COIN: &str = "INSERT INTO coin (id, purse) VALUES ($1, $2)";
    let scratch = Scratch::open(Engine::Postgres).await;
    run(&scratch.db, "CREATE TABLE coin (id BIGINT PRIMARY KEY NOT NULL, purse BIGINT NOT NULL)").await;
    let nodes = [scratch.db.clone(), scratch.another().await];
    let mut puts = JoinSet::new();
    for coin in 0..WRITES {
        let db = nodes[usize::try_from(coin % 2).unwrap()].clone();
        puts.spawn(async move {
            let purse = coin % 10;
            let put = db.write(move |tx| {
                Box::pin(async move {
                    tx.lock("purse", &purse.to_string()).await?;
                    if is_rarely_true!(tx, FULL, purse)? {
                        return Err(Error::conflict("purse_full"));
                    }
                    write_one!(tx, COIN, coin, purse)
                })
            });
            put.await
        });
    }
    let outcomes = puts.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 50);
    let counts = "SELECT COUNT(*) FROM coin GROUP BY purse";
    let counts = fetch_all!(&mut scratch.db.read().await.unwrap(), (i64,), counts).unwrap();
    assert_eq!(counts, vec![(5,); 10]);
}

/// Those that read before they write have transactions of their own. However many wait for a row, others can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_that_wait_for_a_row_leave_connections_to_readers() {
    const LEFT: &str = "SELECT left_in FROM jar WHERE name = 'jam'";
    const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let scratch = with_jar(Engine::Postgres, "INSERT INTO jar (name, left_in) VALUES ('jam', 1000)").await;
    let (is_held, is_read) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (held, read, other) = (is_held.clone(), is_read.clone(), scratch.another().await);
    let holder = tokio::spawn(async move {
        let hold = other.write(move |tx| {
            let (held, read) = (held.clone(), read.clone());
            Box::pin(async move {
                fetch_one!(tx, (i64,), LEFT)?;
                execute!(tx, TAKE, 1)?;
                held.notify_one();
                read.notified().await;
                Ok(())
            })
        });
        hold.await
    });
    is_held.notified().await;
    let mut takes = JoinSet::new();
    for _ in 0..WRITES {
        let db = scratch.db.clone();
        takes.spawn(async move {
            let take = db.write(|tx| {
                Box::pin(async move {
                    fetch_one!(tx, (i64,), LEFT)?;
                    execute!(tx, TAKE, 1)
                })
            });
            take.await
        });
    }
    while number(&scratch.db, WAITING).await < 8 {
        tokio::task::yield_now().await;
    }
    assert_eq!(number(&scratch.db, LEFT).await, 1_000);
    is_read.notify_one();
    holder.await.unwrap().unwrap();
    assert!(takes.join_all().await.iter().all(|taken| taken.is_ok()));
    assert_eq!(number(&scratch.db, LEFT).await, 1_000 - 1 - WRITES);
}

/// A group that waits for a row does not keep the next one back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_groups_are_written_at_once() {
    const WAITING: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const GROUPS: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE 'WITH batch%'";
    let scratch = with_jar(Engine::Postgres, "INSERT INTO jar (name, left_in) VALUES ('jam', 1000)").await;
    // On a busy machine a group may give up before the next one has been written.
    for attempt in 0..20 {
        let (is_held, is_seen, node) = (Arc::new(Notify::new()), Arc::new(Notify::new()), scratch.another().await);
        let (held, seen, other) = (is_held.clone(), is_seen.clone(), scratch.db.clone());
        let holder = tokio::spawn(async move {
            let hold = other.write(move |tx| {
                let (held, seen) = (held.clone(), seen.clone());
                Box::pin(async move {
                    execute!(tx, "UPDATE jar SET left_in = left_in WHERE name = 'jam'")?;
                    held.notify_one();
                    seen.notified().await;
                    Ok(())
                })
            });
            hold.await
        });
        is_held.notified().await;
        let taking = tokio::spawn(take(node.clone(), spoon(attempt)));
        while number(&scratch.db, WAITING).await == 0 {
            tokio::task::yield_now().await;
        }
        let mut next = JoinSet::new();
        for id in attempt * WRITES..(attempt + 1) * WRITES {
            let db = node.clone();
            next.spawn(async move {
                let write =
                    db.write(move |tx| Box::pin(async move { write_one!(tx, "INSERT INTO drawer (id) VALUES ($1)", id) }));
                write.await
            });
        }
        assert!(next.join_all().await.iter().all(Result::is_ok));
        let waiting = number(&scratch.db, GROUPS).await;
        is_seen.notify_one();
        holder.await.unwrap().unwrap();
        taking.await.unwrap().unwrap();
        if waiting == 1 {
            return;
        }
    }
    panic!("every group has waited for the one before");
}
