//! Locks on PostgreSQL: what one unit of work decides on stands still for the others.

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

/// Takes one of what is left, having read how much that is.
async fn take(db: Db, seen: Arc<AtomicUsize>) -> Result<()> {
    db.write(move |tx| {
        let seen = seen.clone();
        Box::pin(async move {
            let row = fetch_locked!(tx, (i64,), "jar", "SELECT left_in FROM jar WHERE name = $1", "jam")?;
            let (left,) = row.ok_or_else(|| Error::not_found("jar_not_found"))?;
            seen.fetch_add(1, Ordering::Relaxed);
            // Others get their turn between the look and the deed.
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
async fn what_is_read_locked_is_as_it_was_read_until_the_work_is_done() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let scratch = Scratch::open(engine).await;
        let there = scratch.another().await;
        run(&scratch.db, "CREATE TABLE jar (name TEXT PRIMARY KEY NOT NULL, left_in BIGINT NOT NULL)").await;
        run(&scratch.db, "INSERT INTO jar (name, left_in) VALUES ('jam', 7)").await;
        let seen = Arc::new(AtomicUsize::new(0));
        let nodes = [scratch.db.clone(), if engine == Engine::Postgres { there.clone() } else { scratch.db.clone() }];
        let takers: Vec<_> = (0..40).map(|turn| tokio::spawn(take(nodes[turn % 2].clone(), seen.clone()))).collect();
        let mut taken = 0;
        for taker in takers {
            match taker.await.unwrap() {
                Ok(()) => taken += 1,
                Err(refused) => assert_eq!(refused.code(), "jar_empty"),
            }
        }
        let left: (i64,) = fetch_one!(&mut scratch.db.read().await.unwrap(), (i64,), "SELECT left_in FROM jar").unwrap();
        assert_eq!((taken, left.0), (7, 0), "{engine:?}");
        if engine == Engine::Postgres {
            assert_eq!(seen.load(Ordering::Relaxed), 40, "nobody was run again: they waited");
        }
    }
}

/// Whether somebody else got this far as well before a moment was over: whoever waits for a lock does not.
async fn meets(barrier: &Barrier) {
    let _ = tokio::time::timeout(Duration::from_millis(300), barrier.wait()).await;
}

/// Two who look at the same moment: the second looks only when the first is done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_look_at_once_one_waits_for_the_other() {
    let scratch = Scratch::open(Engine::Postgres).await;
    let nodes = [scratch.db.clone(), scratch.another().await];
    run(&scratch.db, "CREATE TABLE coin (id BIGINT PRIMARY KEY NOT NULL, purse TEXT NOT NULL)").await;
    run(&scratch.db, "CREATE TABLE jar (name TEXT PRIMARY KEY NOT NULL, left_in BIGINT NOT NULL)").await;
    run(&scratch.db, "INSERT INTO jar (name, left_in) VALUES ('jam', 2)").await;
    for is_counted in [true, false] {
        let barrier = Arc::new(Barrier::new(2));
        let looks = nodes.clone().map(|db| {
            let barrier = barrier.clone();
            tokio::spawn(async move {
                let done = db.write(move |tx| {
                    let barrier = barrier.clone();
                    Box::pin(async move {
                        let seen = if is_counted {
                            tx.lock("purse", "green").await?;
                            fetch_one!(tx, (i64,), "SELECT COUNT(*) FROM coin WHERE purse = 'green'")?.0
                        } else {
                            let row = fetch_locked!(tx, (i64,), "jar", "SELECT left_in FROM jar WHERE name = $1", "jam")?;
                            row.map_or(0, |(left,)| left)
                        };
                        meets(&barrier).await;
                        if is_counted {
                            execute!(tx, "INSERT INTO coin (id, purse) VALUES ($1, 'green')", 100 + seen)?;
                        } else {
                            execute!(tx, "UPDATE jar SET left_in = $1 WHERE name = 'jam'", seen - 1)?;
                        }
                        Ok(seen)
                    })
                });
                done.await
            })
        });
        let mut seen = Vec::new();
        for look in looks {
            seen.push(look.await.unwrap().unwrap());
        }
        seen.sort_unstable();
        assert_eq!(seen, if is_counted { [0, 1] } else { [1, 2] }, "counted: {is_counted}");
    }
}

/// Puts a coin into a purse that has room for five.
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
async fn what_is_counted_under_a_lock_is_not_more_than_it_may() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let scratch = Scratch::open(engine).await;
        let there = scratch.another().await;
        run(&scratch.db, "CREATE TABLE coin (id BIGINT PRIMARY KEY NOT NULL, purse TEXT NOT NULL)").await;
        let nodes = [scratch.db.clone(), if engine == Engine::Postgres { there.clone() } else { scratch.db.clone() }];
        let puts: Vec<_> = (0..60_i64)
            .map(|coin| {
                let purse = if coin % 3 == 0 { "red" } else { "blue" };
                tokio::spawn(put(nodes[usize::try_from(coin % 2).unwrap()].clone(), purse, coin))
            })
            .collect();
        let mut kept = 0;
        for put in puts {
            match put.await.unwrap() {
                Ok(()) => kept += 1,
                Err(refused) => assert_eq!(refused.code(), "purse_full"),
            }
        }
        assert_eq!(kept, 10, "five in each, {engine:?}");
    }
}
