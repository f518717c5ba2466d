//! SQLite's writer: what it acknowledges is there, whatever happens to its neighbours or to the disk.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agio_core::error::Constraint;
use agio_core::identity::Actor;
use agio_core::{Db, Error, Result, Timestamp, audit, execute, fetch_all, fetch_one, write_one};
use tempfile::TempDir;

async fn store() -> (TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap();
    db.migrate().await.unwrap();
    let create = "CREATE TABLE note (name TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL DEFAULT '')";
    db.write(move |tx| Box::pin(async move { execute!(tx, create).map(drop) })).await.unwrap();
    (folder, db)
}

async fn put(db: &Db, name: String) -> Result<()> {
    db.write(move |tx| {
        let name = name.clone();
        Box::pin(async move { execute!(tx, "INSERT INTO note (name) VALUES ($1)", name).map(drop) })
    })
    .await
}

/// The same by work that reads nothing.
async fn put_blind(db: &Db, name: String) -> Result<()> {
    db.write(move |tx| {
        let name = name.clone();
        Box::pin(
            async move { write_one!(tx, "INSERT INTO note (body, name) SELECT $2, $1 WHERE $1 <> 'nothing'", name, "blind") },
        )
    })
    .await
}

async fn names(db: &Db) -> Vec<String> {
    let mut tx = db.read().await.unwrap();
    let rows = fetch_all!(&mut tx, (String,), "SELECT name FROM note ORDER BY name").unwrap();
    rows.into_iter().map(|(name,)| name).collect()
}

#[tokio::test]
async fn a_write_that_fails_leaves_its_neighbours_alone() {
    let (_folder, db) = store().await;
    put(&db, "taken".into()).await.unwrap();
    let writes = (0..100).map(|number| {
        let db = db.clone();
        // Every third one breaks a rule of the database, every seventh gives up after having written.
        tokio::spawn(async move {
            match number {
                _ if number % 6 == 0 => put_blind(&db, "taken".into()).await,
                _ if number % 3 == 0 => put(&db, "taken".into()).await,
                _ if number % 7 == 0 => {
                    db.write(move |tx| {
                        Box::pin(async move {
                            execute!(tx, "INSERT INTO note (name) VALUES ($1)", format!("undone {number}"))?;
                            Err(Error::conflict("changed_my_mind"))
                        })
                    })
                    .await
                }
                _ if number % 2 == 0 => put_blind(&db, format!("kept {number:03}")).await,
                _ => put(&db, format!("kept {number:03}")).await,
            }
        })
    });
    let mut expected = vec!["taken".to_owned()];
    for (number, write) in (0..100).zip(writes.collect::<Vec<_>>()) {
        let outcome = write.await.unwrap();
        assert_eq!(outcome.is_ok(), number % 3 != 0 && number % 7 != 0, "write {number}: {outcome:?}");
        if outcome.is_ok() {
            expected.push(format!("kept {number:03}"));
        }
    }
    expected.sort();
    assert_eq!(names(&db).await, expected);
}

#[tokio::test]
async fn a_statement_that_should_write_and_does_not_is_told_so() {
    let (_folder, db) = store().await;
    let (good, empty, also_good) =
        tokio::join!(put_blind(&db, "a".into()), put_blind(&db, "nothing".into()), put_blind(&db, "b".into()));
    good.unwrap();
    assert_eq!(empty.unwrap_err().constraint(), Some(Constraint::Condition));
    also_good.unwrap();
    assert_eq!(names(&db).await, ["a", "b"]);
}

/// Whoever else writes to the file (`agio staff add`, say) makes the writer's memory wrong.
#[tokio::test]
async fn what_another_process_wrote_is_not_overlooked() {
    let (folder, db) = store().await;
    let other = Db::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap();
    for turn in 0..12_i64 {
        for db in [&db, &db, &other] {
            let written = db.write(move |tx| {
                Box::pin(async move {
                    let by = Actor::house("test");
                    let entry =
                        audit::Entry { by: &by, action: "note.put", about: "note", id: "1".into(), before: None, after: None };
                    audit::record(tx, entry, Timestamp(turn)).await
                })
            });
            written.await.unwrap();
        }
    }
    let found = audit::verify(&mut db.read().await.unwrap()).await.unwrap();
    assert_eq!((found.entries, found.faults), (36, Vec::new()));
}

#[tokio::test]
async fn a_write_that_panics_is_one_failed_write() {
    let (_folder, db) = store().await;
    let outcome = db.write(|_| Box::pin(async { panic!("a fault of the program") })).await as Result<()>;
    assert_eq!(outcome.unwrap_err().code(), "internal");
    put(&db, "after".into()).await.unwrap();
    assert_eq!(names(&db).await, ["after"]);
}

#[tokio::test]
async fn a_deferred_rule_fails_only_the_write_that_broke_it() {
    let (_folder, db) = store().await;
    let create = "CREATE TABLE reply (name TEXT NOT NULL REFERENCES note (name) DEFERRABLE INITIALLY DEFERRED)";
    db.write(move |tx| Box::pin(async move { execute!(tx, create).map(drop) })).await.unwrap();
    let reply = |to: &'static str| {
        db.write(move |tx| Box::pin(async move { execute!(tx, "INSERT INTO reply (name) VALUES ($1)", to).map(drop) }))
    };
    // A neighbour that gives up on its own is answered once and not run again when the group is taken apart.
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let gives_up = db.write(move |tx| {
        let first = count.fetch_add(1, Ordering::SeqCst) < 3;
        Box::pin(async move {
            execute!(tx, "INSERT INTO note (name) VALUES ('given up')")?;
            if first { Err(Error::conflict("changed_my_mind")) } else { Ok(()) }
        })
    });
    let (good, bad, gave_up, also_good) =
        tokio::join!(put(&db, "note".into()), reply("nobody"), gives_up, put(&db, "other".into()));
    good.unwrap();
    bad.unwrap_err();
    gave_up.unwrap_err();
    also_good.unwrap();
    assert_eq!(names(&db).await, ["note", "other"]);
}

#[tokio::test]
async fn notices_are_told_after_the_commit_and_never_of_what_was_undone() {
    let (_folder, db) = store().await;
    let told = Arc::new(AtomicUsize::new(0));
    for fails in [false, true, false] {
        let told = told.clone();
        let _ = db
            .write(move |tx| {
                let told = told.clone();
                tx.after_commit(move || {
                    told.fetch_add(1, Ordering::SeqCst);
                });
                Box::pin(async move { if fails { Err(Error::conflict("undone")) } else { Ok(()) } })
            })
            .await;
    }
    assert_eq!(told.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn closing_waits_for_what_was_asked_and_then_ends() {
    let (_folder, db) = store().await;
    let writes: Vec<_> = (0..20)
        .map(|number| {
            tokio::spawn({
                let db = db.clone();
                async move { put(&db, format!("{number:02}")).await }
            })
        })
        .collect();
    for write in writes {
        write.await.unwrap().unwrap();
    }
    tokio::time::timeout(std::time::Duration::from_secs(10), db.close()).await.expect("closing ends");
    put(&db, "too late".into()).await.unwrap_err();
}

/// The driver alone acknowledges writes after this that no other connection ever sees.
#[tokio::test]
async fn a_full_disk_loses_nothing_that_was_acknowledged_and_the_store_recovers() {
    let (_folder, db) = store().await;
    // The limit holds for the writing connection only, as a full disk would for the process.
    let limit = db.write(|tx| {
        Box::pin(async move {
            let (pages,) = fetch_one!(tx, (i64,), "PRAGMA page_count")?;
            // Room for some writes only. A pragma takes no parameters, so its text is made, once.
            let limit: &'static str = format!("PRAGMA max_page_count = {}", pages + 20).leak();
            fetch_one!(tx, (i64,), limit)
        })
    });
    limit.await.unwrap();
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    for number in 0..400 {
        let name = format!("{number:03} {}", "x".repeat(2_000));
        match put(&db, name.clone()).await {
            Ok(()) => acknowledged.push(name),
            Err(error) => {
                assert_eq!(error.code(), "storage_unavailable", "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "the store was never full");
    assert!(acknowledged.len() > 300, "the store did not recover: {} kept, {refused} refused", acknowledged.len());
    assert_eq!(names(&db).await, acknowledged);
}
