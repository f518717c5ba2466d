//! SQLite's writer: acknowledged writes are durable, whatever happens to other writes or to the disk.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agio_core::error::Constraint;
use agio_core::identity::Actor;
use agio_core::{Db, Error, Result, Timestamp, audit, execute, fetch_all, fetch_one, write_one};
use tempfile::TempDir;

fn url(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("test.db").display())
}

async fn store() -> (TempDir, Db) {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&url(&folder)).await.unwrap();
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

/// The same as a batched write.
async fn put_batched(db: &Db, name: String) -> Result<()> {
    db.write(move |tx| {
        let name = name.clone();
        Box::pin(
            async move { write_one!(tx, "INSERT INTO note (body, name) SELECT $2, $1 WHERE $1 <> 'nothing'", name, "batched") },
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
async fn a_database_of_another_build_is_refused_with_advice() {
    let later = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', TRUE, x'00', 0)";
    for (change, message) in [
        (later, "a newer or different build of Agio has migrated this database (migration 9999 is unknown)"),
        (
            "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1",
            "a different build of Agio has created this database (migration 1 differs)",
        ),
    ] {
        let (folder, db) = store().await;
        db.write(move |tx| Box::pin(async move { execute!(tx, change).map(drop) })).await.unwrap();
        let at_next_start = Db::open(&url(&folder)).await.unwrap();
        let refused = at_next_start.migrate().await.unwrap_err().to_string();
        assert!(refused.contains(message) && refused.contains("database.url"), "{refused}");
    }
}

#[tokio::test]
async fn a_failed_write_does_not_affect_its_group() {
    let (_folder, db) = store().await;
    put(&db, "taken".into()).await.unwrap();
    let writes = (0..100).map(|number| {
        let db = db.clone();
        // Every third write violates a constraint, every seventh fails after writing.
        tokio::spawn(async move {
            match number {
                _ if number % 6 == 0 => put_batched(&db, "taken".into()).await,
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
                _ if number % 2 == 0 => put_batched(&db, format!("stored {number:03}")).await,
                _ => put(&db, format!("stored {number:03}")).await,
            }
        })
    });
    let mut expected = vec!["taken".to_owned()];
    for (number, write) in (0..100).zip(writes.collect::<Vec<_>>()) {
        let outcome = write.await.unwrap();
        assert_eq!(outcome.is_ok(), number % 3 != 0 && number % 7 != 0, "write {number}: {outcome:?}");
        if outcome.is_ok() {
            expected.push(format!("stored {number:03}"));
        }
    }
    expected.sort();
    assert_eq!(names(&db).await, expected);
}

#[tokio::test]
async fn a_write_that_changes_no_row_is_an_error() {
    let (_folder, db) = store().await;
    let (good, empty, also_good) =
        tokio::join!(put_batched(&db, "a".into()), put_batched(&db, "nothing".into()), put_batched(&db, "b".into()));
    good.unwrap();
    assert_eq!(empty.unwrap_err().constraint(), Some(Constraint::Condition));
    also_good.unwrap();
    assert_eq!(names(&db).await, ["a", "b"]);
}

/// A write by another process (such as `agio staff add`) makes the writer's cache wrong.
#[tokio::test]
async fn writes_of_another_process_are_noticed() {
    let (folder, db) = store().await;
    let other = Db::open(&format!("sqlite:{}", folder.path().join("test.db").display())).await.unwrap();
    for turn in 0..12_i64 {
        for db in [&db, &db, &other] {
            let recorded = db.write(move |tx| {
                Box::pin(async move {
                    let by = Actor::system("test");
                    let entry = audit::NewAuditEntry {
                        by: &by,
                        action: "note.put",
                        about: "note",
                        id: "1".into(),
                        before: None,
                        after: None,
                    };
                    audit::record(tx, entry, Timestamp(turn)).await
                })
            });
            recorded.await.unwrap();
        }
    }
    let found = audit::verify(&db).await.unwrap();
    assert_eq!((found.entries, found.faults), (36, Vec::new()));
}

#[tokio::test]
async fn a_panic_fails_one_write() {
    let (_folder, db) = store().await;
    let outcome = db.write(|_| Box::pin(async { panic!("a fault of the program") })).await as Result<()>;
    assert_eq!(outcome.unwrap_err().code(), "internal");
    put(&db, "after".into()).await.unwrap();
    assert_eq!(names(&db).await, ["after"]);
}

#[tokio::test]
async fn a_deferred_constraint_fails_only_its_write() {
    let (_folder, db) = store().await;
    let create = "CREATE TABLE reply (name TEXT NOT NULL REFERENCES note (name) DEFERRABLE INITIALLY DEFERRED)";
    db.write(move |tx| Box::pin(async move { execute!(tx, create).map(drop) })).await.unwrap();
    let reply = |to: &'static str| {
        db.write(move |tx| Box::pin(async move { execute!(tx, "INSERT INTO reply (name) VALUES ($1)", to).map(drop) }))
    };
    // A write that fails on its own is answered once and not run again when the group is split.
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
async fn callbacks_run_after_commits_only() {
    let (_folder, db) = store().await;
    let called = Arc::new(AtomicUsize::new(0));
    for fails in [false, true, false] {
        let called = called.clone();
        let _ = db
            .write(move |tx| {
                let called = called.clone();
                tx.after_commit(move || {
                    called.fetch_add(1, Ordering::SeqCst);
                });
                Box::pin(async move { if fails { Err(Error::conflict("undone")) } else { Ok(()) } })
            })
            .await;
    }
    assert_eq!(called.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn closing_waits_for_queued_writes() {
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

/// Here the driver alone would acknowledge writes that no other connection ever sees.
#[tokio::test]
async fn a_full_disk_loses_no_acknowledged_write() {
    let (_folder, db) = store().await;
    // The limit applies to the writing connection only, as a full disk would to the process.
    let limit = db.write(|tx| {
        Box::pin(async move {
            let (pages,) = fetch_one!(tx, (i64,), "PRAGMA page_count")?;
            // Space for a few writes only. A pragma takes no parameters, so its text is built once.
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
                assert!(error.to_string().contains("disk is full"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "the store was never full");
    assert!(acknowledged.len() > 300, "the store did not recover: {} kept, {refused} refused", acknowledged.len());
    assert_eq!(names(&db).await, acknowledged);
}
