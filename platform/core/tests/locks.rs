//! Locks: what one unit of work decides on does not change until it ends.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod scratch;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use agio_core::db::Engine;
use agio_core::{Db, Error, Result, execute, fetch_locked, fetch_one};
use scratch::Scratch;
use tokio::sync::Barrier;

async fn run(db: &Db, sql: &'static str) {
    db.write(move |tx| Box::pin(async move { execute!(tx, sql).map(drop) })).await.unwrap();
}

/// Takes one of what is left, after reading how much that is.
async fn take(db: Db, found: Arc<AtomicUsize>) -> Result<()> {
    db.write(move |tx| {
        let found = found.clone();
        Box::pin(async move {
            let row = fetch_locked!(tx, (i64,), "jar", "SELECT left_in FROM jar WHERE name = $1", "jam")?;
            let (left,) = row.ok_or_else(|| Error::not_found("jar_not_found"))?;
            found.fetch_add(1, Ordering::Relaxed);
            // Let the others run between reading and writing.
            tokio::task::yield_now().await;
            if left == 0 {
                return Err(Error::conflict("jar_empty"));
            }
            execute!(tx, "UPDATE jar SET left_in = $1 WHERE name = 'jam'", left - 1).map(drop)
        })
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_row_does_not_change() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let scratch = Scratch::open(engine).await;
        let other_node = scratch.another().await;
        run(&scratch.db, "CREATE TABLE jar (name TEXT PRIMARY KEY NOT NULL, left_in BIGINT NOT NULL)").await;
        run(&scratch.db, "INSERT INTO jar (name, left_in) VALUES ('jam', 7)").await;
        let found = Arc::new(AtomicUsize::new(0));
        let nodes = [scratch.db.clone(), if engine == Engine::Postgres { other_node.clone() } else { scratch.db.clone() }];
        let tasks: Vec<_> = (0..40).map(|turn| tokio::spawn(take(nodes[turn % 2].clone(), found.clone()))).collect();
        let mut taken = 0;
        for task in tasks {
            match task.await.unwrap() {
                Ok(()) => taken += 1,
                Err(refused) => assert_eq!(refused.code(), "jar_empty"),
            }
        }
        let left: (i64,) = fetch_one!(&mut scratch.db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
        assert_eq!((taken, left.0), (7, 0), "{engine:?}");
        if engine == Engine::Postgres {
            assert_eq!(found.load(Ordering::Relaxed), 40, "no transaction was repeated: they waited");
        }
    }
}

/// Waits briefly for another task to get here too. A task that waits for a lock does not.
async fn wait_for_other(barrier: &Barrier) {
    let _ = tokio::time::timeout(Duration::from_millis(300), barrier.wait()).await;
}

/// Two tasks that read at the same time: the second reads only when the first is done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_readers_of_a_locked_row_wait() {
    let scratch = Scratch::open(Engine::Postgres).await;
    let nodes = [scratch.db.clone(), scratch.another().await];
    run(&scratch.db, "CREATE TABLE coin (id BIGINT PRIMARY KEY NOT NULL, purse TEXT NOT NULL)").await;
    run(&scratch.db, "CREATE TABLE jar (name TEXT PRIMARY KEY NOT NULL, left_in BIGINT NOT NULL)").await;
    run(&scratch.db, "INSERT INTO jar (name, left_in) VALUES ('jam', 2)").await;
    for is_counted in [true, false] {
        let barrier = Arc::new(Barrier::new(2));
        let tasks = nodes.clone().map(|db| {
            let barrier = barrier.clone();
            tokio::spawn(async move {
                let done = db.write(move |tx| {
                    let barrier = barrier.clone();
                    Box::pin(async move {
                        let found = if is_counted {
                            tx.lock("purse", "green").await?;
                            fetch_one!(tx, (i64,), "SELECT COUNT(*) FROM coin WHERE purse = 'green'")?.0
                        } else {
                            let row = fetch_locked!(tx, (i64,), "jar", "SELECT left_in FROM jar WHERE name = $1", "jam")?;
                            row.map_or(0, |(left,)| left)
                        };
                        wait_for_other(&barrier).await;
                        if is_counted {
                            execute!(tx, "INSERT INTO coin (id, purse) VALUES ($1, 'green')", 100 + found)?;
                        } else {
                            execute!(tx, "UPDATE jar SET left_in = $1 WHERE name = 'jam'", found - 1)?;
                        }
                        Ok(found)
                    })
                });
                done.await
            })
        });
        let mut found = Vec::new();
        for task in tasks {
            found.push(task.await.unwrap().unwrap());
        }
        found.sort_unstable();
        assert_eq!(found, if is_counted { [0, 1] } else { [1, 2] }, "counted: {is_counted}");
    }
}

/// Puts a coin into a purse that holds five at most.
async fn put(db: Db, purse: &'static str, coin: i64) -> Result<()> {
    db.write(move |tx| {
        Box::pin(async move {
            tx.lock("purse", purse).await?;
            let (count,) = fetch_one!(tx, (i64,), "SELECT COUNT(*) FROM coin WHERE purse = $1", purse)?;
            tokio::task::yield_now().await;
            if count >= 5 {
                return Err(Error::conflict("purse_full"));
            }
            execute!(tx, "INSERT INTO coin (id, purse) VALUES ($1, $2)", coin, purse).map(drop)
        })
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_count_stays_within_its_limit() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let scratch = Scratch::open(engine).await;
        let other_node = scratch.another().await;
        run(&scratch.db, "CREATE TABLE coin (id BIGINT PRIMARY KEY NOT NULL, purse TEXT NOT NULL)").await;
        let nodes = [scratch.db.clone(), if engine == Engine::Postgres { other_node.clone() } else { scratch.db.clone() }];
        let puts: Vec<_> = (0..60_i64)
            .map(|coin| {
                let purse = if coin % 3 == 0 { "red" } else { "blue" };
                tokio::spawn(put(nodes[usize::try_from(coin % 2).unwrap()].clone(), purse, coin))
            })
            .collect();
        let mut stored = 0;
        for put in puts {
            match put.await.unwrap() {
                Ok(()) => stored += 1,
                Err(refused) => assert_eq!(refused.code(), "purse_full"),
            }
        }
        assert_eq!(stored, 10, "five in each, {engine:?}");
    }
}
